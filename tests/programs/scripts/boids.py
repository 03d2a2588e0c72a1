"""A flock: cohesion, alignment and separation by masks on all pairs."""

import numpy as np

np.random.seed(1)
n = 60
position = np.random.uniform(0, 100, (n, 2))
angle = np.random.uniform(0, 2 * np.pi, n)
velocity = np.column_stack((np.cos(angle), np.sin(angle)))


def limit(vectors, most):
    norm = np.sqrt((vectors * vectors).sum(axis=1)).reshape(-1, 1)
    return np.where(norm > most, vectors * most / np.maximum(norm, 1e-12), vectors)


order = []
for step in range(20):
    dx = np.subtract.outer(position[:, 0], position[:, 0])
    dy = np.subtract.outer(position[:, 1], position[:, 1])
    distance = np.hypot(dx, dy)
    mask_0 = distance > 0
    mask_1 = (distance < 25) * mask_0
    mask_2 = (distance < 10)
    mask_2 *= mask_0
    count = np.maximum(mask_1.sum(axis=1), 1).reshape(n, 1)
    alignment = np.dot(mask_1, velocity) / count - velocity
    cohesion = np.dot(mask_1, position) / count - position
    cohesion[mask_1.sum(axis=1) == 0] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        push = np.dstack((dx, dy)) / distance[:, :, None] ** 2
    push[~mask_2] = 0
    separation = push.sum(axis=1)
    velocity += limit(0.05 * alignment + 0.005 * cohesion + 0.8 * separation, 0.3)
    velocity = limit(velocity, 2.0)
    position += velocity
    position %= 100
    order.append(np.linalg.norm(velocity.sum(axis=0)) / np.linalg.norm(velocity, axis=1).sum())
print("order from %.5f to %.5f" % (order[0], order[-1]))
print("all in the box:", ((position >= 0) & (position <= 100)).all())
