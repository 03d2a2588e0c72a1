"""Shallow water on a staggered grid: a dam breaks in a channel with a wall and an outlet."""

import numpy as np

g, dx, dy = 9.81, 1.0, 1.0
ny, nx = 24, 36
eta = np.zeros((ny, nx))
eta[:, : nx // 3] = 1.0
depth = 10 * np.ones((ny, nx))
depth[10:14, 18:24] = 4
u = np.zeros((ny, nx + 1))
v = np.zeros((ny + 1, nx))
dt = 0.3 * np.min([dx, dy]) / np.sqrt(g * depth.max())
gauge = []
for it in range(60):
    u[:, 1:-1] -= g * dt / dx * np.diff(eta, axis=1)
    v[1:-1, :] += -g * dt / dy * np.diff(eta, axis=0)
    u[:, 0] = 0.0
    u[:, -1] = u[:, -2]
    v[[0, -1], :] = 0.0
    h_u = np.hstack((depth[:, :1], 0.5 * (depth[:, 1:] + depth[:, :-1]), depth[:, -1:]))
    h_v = np.vstack((depth[0], 0.5 * (depth[1:] + depth[:-1]), depth[-1]))
    div = (u * h_u)[:, 1:] - (u * h_u)[:, :-1]
    div /= dx
    div += np.diff(v * h_v, axis=0) / dy
    eta -= dt * div
    gauge.append(eta[ny // 2, -3])
gauge = np.asarray(gauge)
arrival = int(np.argmax(gauge > 0.01))
vorticity = np.gradient(0.5 * (v[1:] + v[:-1]), dx, axis=1) - np.gradient(0.5 * (u[:, 1:] + u[:, :-1]), dy, axis=0)
print(f"wave arrives at step {arrival}; volume {eta.sum():.6f}; speed {np.hypot(u[:, 1:], v[1:]).max():.6f}")
