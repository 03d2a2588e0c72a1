"""Random walks: diffusion law, first passage, gambler's ruin, self-returns on a lattice."""

import numpy as np

np.random.seed(5)
walkers, steps = 500, 200
steps_1d = np.random.randint(0, 2, size=(walkers, steps)) * 2 - 1
paths = steps_1d.cumsum(axis=1)
msd = np.mean(paths**2, axis=0)
slope = np.polyfit(np.arange(1, steps + 1), msd, 1)[0]
reached = np.abs(paths) >= 10
first = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
mean_first = first[first >= 0].mean()

moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
walk = np.cumsum(moves[np.random.randint(4, size=1000)], axis=0)
visited = np.unique(walk, axis=0)
sites, counts = np.unique(walk @ np.array([1000, 1]), return_counts=True)
box = walk.max(axis=0) - walk.min(axis=0)

angles = np.random.uniform(0, 2 * np.pi, (walkers, 50))
ends = np.stack([np.cos(angles).sum(-1), np.sin(angles).sum(-1)], axis=-1)
radius = np.linalg.norm(ends, axis=1)
hist, edges = np.histogram(radius, bins=10, range=(0, 20))
print("slope %.4f, first passage %.3f of %d walkers" % (slope, mean_first, np.sum(first >= 0)))
print(len(visited), "sites, most visited", counts.max(), "times, box", box)
print("histogram", hist)
