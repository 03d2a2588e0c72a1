"""Gravitating bodies with softening: leapfrog, energies, angular momentum."""

import numpy as np


def acceleration(pos, mass, G, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energies(pos, vel, mass, G):
    kinetic = 0.5 * np.sum(np.sum(mass * vel**2))
    d = pos[:, np.newaxis, :] - pos[np.newaxis, :, :]
    inverse = np.sqrt((d**2).sum(axis=-1))
    inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
    potential = G * np.sum(np.sum(np.triu(-(mass * mass.T) * inverse, 1)))
    return kinetic, potential


N, dt = 30, 0.01
np.random.seed(17)
mass = 20.0 * np.ones((N, 1)) / N
pos = np.random.randn(N, 3)
vel = np.random.randn(N, 3)
vel -= np.mean(mass * vel, 0) / np.mean(mass)
acc = acceleration(pos, mass, 1.0, 0.1)
KE, PE = energies(pos, vel, mass, 1.0)
saved = np.zeros((N, 3, 31))
saved[:, :, 0] = pos
for i in range(30):
    vel += acc * dt / 2.0
    pos += vel * dt
    acc = acceleration(pos, mass, 1.0, 0.1)
    vel += acc * dt / 2.0
    saved[:, :, i + 1] = pos
after = energies(pos, vel, mass, 1.0)
momentum = np.cross(pos, mass * vel).sum(axis=0)
print("energy %.6f -> %.6f" % (KE + PE, sum(after)))
print("centre of mass", np.abs(np.average(pos, axis=0, weights=mass[:, 0])).max() < 10)
