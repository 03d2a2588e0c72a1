"""Methods of ufuncs: reduce, accumulate, outer, at, reduceat; functions made of Python's."""

import functools
import operator

import numpy as np

a = np.array([[3, 1, 4], [1, 5, 9]])
reduced = [np.add.reduce(a), np.multiply.reduce(a, axis=1), np.maximum.reduce(a, axis=None), np.minimum.reduce([a[0], a[1]])]
kept = np.add.reduce(a, axis=1, keepdims=True)
logical = np.logical_and.reduce([a[0] > 0, a[0] < 4, a[0] != 3])
either = np.logical_or.reduce(a > 8, axis=0)
running = [np.add.accumulate([1, 2, 3]), np.maximum.accumulate([1, 5, 2, 7]), np.multiply.accumulate(a, axis=1)]
tables = [np.add.outer([1, 2], [10, 20, 30]), np.multiply.outer(np.arange(3), np.arange(4)), np.subtract.outer([5.0, 6.0], [1.0, 2.0])]
greater = np.greater.outer([1, 2, 3], [2, 2])
counts = np.zeros(5, dtype=int)
np.add.at(counts, [0, 1, 1, 4, 1], 1)
sums = np.zeros(3)
np.add.at(sums, np.array([0, 2, 2]), np.array([1.5, 2.5, 3.5]))
largest = np.full(2, -np.inf)
np.maximum.at(largest, [0, 1, 0], [3.0, -1.0, 7.0])
grid = np.zeros((3, 3))
np.subtract.at(grid, ([0, 1, 1], [2, 1, 1]), 2)
pieces = np.add.reduceat(np.arange(8), [0, 4, 6])
even = np.add.reduceat(a, [0, 2], axis=1)
start = np.add.reduce([], initial=5.0)
floyd = np.where(np.eye(4) > 0, 0, 9.0)
floyd[0, 1], floyd[1, 2], floyd[2, 3] = 2, 2, 2
for k in range(4):
    floyd[:] = np.minimum(floyd, np.add.outer(floyd[:, k], floyd[k, :]))
folded = functools.reduce(np.maximum, [a[0], a[1], np.array([2, 2, 2])])
python = functools.reduce(operator.mul, np.array([1.0, 2.0, 3.0]))


@np.vectorize
def clipped(x, top):
    return x if x < top else top


limited = clipped(a, 4)
halves = np.vectorize(lambda v: v / 2, otypes=[float])(a)
attributes = (np.add.identity, np.multiply.identity, np.add.nin, np.add.nout, np.sin.nin)
print(counts, sums, largest, "shortest path", floyd[0, 3])
print(attributes, logical, pieces)
