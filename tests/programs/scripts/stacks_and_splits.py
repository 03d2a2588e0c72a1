"""Joining and cutting tables: stacks, splits, insertions, deletions, padding, blocks."""

import numpy as np

a = np.arange(6).reshape(2, 3)
b = a * 10
stacked = [np.vstack((a, b)), np.hstack((a, b)), np.dstack((a, b)), np.stack([a, b], axis=1), np.column_stack((a[:, 0], b))]
rows = np.vstack([row for row in [[1, 2, 3], (4, 5, 6), np.array([7, 8, 9])]])
joined = np.concatenate([a, b], axis=None)
first, second = np.split(np.arange(10), [4])
thirds = np.array_split(np.arange(10), 3)
left, right = np.hsplit(b, [1])
up, down = np.vsplit(b, 2)
deep = np.dsplit(np.arange(8).reshape(2, 2, 2), 2)
added = np.append(a, [[9, 9, 9]], axis=0)
flat = np.append(a, 99)
inserted = np.insert(a, 1, 5, axis=1)
deleted = np.delete(a, [0, 2], axis=1)
without = np.delete(np.arange(5), 2)
padded = np.pad(a, ((1, 0), (2, 1)), mode="constant", constant_values=-1)
wrapped = np.pad([1, 2, 3], 2, "wrap")
ramp = np.pad([1.0, 2.0], (2, 3), mode="linear_ramp", end_values=(5, -4))
blocks = np.block([[a, np.zeros((2, 2), dtype=int)], [np.ones((1, 5), dtype=int)]])
column = np.arange(3)[:, np.newaxis]
wide = np.broadcast_to(column, (3, 4))
x, y = np.broadcast_arrays(column, np.arange(2))
moved = np.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
rolled = np.rollaxis(np.zeros((2, 3, 4)), 2).shape
expanded = np.expand_dims(a, (0, 2)).shape
squeezed = np.squeeze(np.zeros((1, 3, 1))).shape
least = np.atleast_2d([1, 2, 3]), np.atleast_3d(5).shape, np.atleast_1d(7)
r = np.r_[1:4, 0, [5, 6], 0.5]
c = np.c_[np.array([1, 2, 3]), np.array([4, 5, 6])]
grid = np.r_["0,2", [1, 2], [3, 4]]
total = sum(part.sum() for part in thirds)
picked = np.compress([True, False, True], a, axis=1)
chosen = np.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
taken = np.take(a, [2, 0], axis=1)
extracted = np.extract(a % 2 == 0, a)
for i, part in enumerate(np.array_split(rows, 2)):
    print("part", i, part.shape, part.sum())
print([s.shape for s in stacked], total, moved, rolled, expanded, squeezed)
print(blocks)
