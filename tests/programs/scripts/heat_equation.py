"""Explicit diffusion of a hot square on a plate with fixed edges."""

import numpy as np

nx, ny = 40, 30
alpha, dx = 1.0, 1.0
dt = 0.2 * dx**2 / alpha
u = np.zeros((ny, nx))
u[10:20, 15:25] = 100.0
u[0, :] = 25
u[:, -1] = np.linspace(25, 0, ny)
history = []
for step in range(60):
    un = u.copy()
    u[1:-1, 1:-1] = un[1:-1, 1:-1] + alpha * dt / dx**2 * (
        un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1]
        + un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2]
    )
    if step % 20 == 0:
        history.append(u[::5, ::5].mean())
history = np.array(history)
hottest = np.unravel_index(np.argmax(u), u.shape)
print("hottest cell", int(hottest[0]), int(hottest[1]), "temperature %.4f" % u.max())
print(f"mean {u.mean():.6f}, std {np.std(u):.6f}")
