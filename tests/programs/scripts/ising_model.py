"""Ising's ferromagnet: checkerboard Metropolis with look-up of Boltzmann factors."""

import numpy as np

rng = np.random.default_rng(2024)
L = 24
checker = np.indices((L, L)).sum(axis=0) % 2 == 0
magnetisation, energy = {}, {}
for T in (1.5, 2.27, 4.0):
    spins = rng.choice([-1, 1], size=(L, L))
    if T < 2:
        spins[:] = 1
    m = []
    for sweep in range(30):
        for colour in (checker, ~checker):
            neighbours = (
                np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            )
            dE = 2 * spins * neighbours
            accept = (dE <= 0) | (rng.random((L, L)) < np.exp(-dE / T))
            spins = np.where(colour & accept, -spins, spins)
        m.append(abs(spins.mean()))
    magnetisation[T] = np.mean(m[10:])
    energy[T] = -np.mean(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))
for T in sorted(magnetisation):
    print("T = %.2f: |m| = %.5f, E = %.5f" % (T, magnetisation[T], energy[T]))
print("ordered below, disordered above:", bool(magnetisation[1.5] > 0.8 > 0.5 > magnetisation[4.0]))
