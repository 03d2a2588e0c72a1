"""Life by slices, by sums of shifts and by a table of neighbours; a glider comes back."""

import numpy as np


def iterate(Z):
    N = (
        Z[0:-2, 0:-2] + Z[0:-2, 1:-1] + Z[0:-2, 2:]
        + Z[1:-1, 0:-2] + Z[1:-1, 2:]
        + Z[2:, 0:-2] + Z[2:, 1:-1] + Z[2:, 2:]
    )
    birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
    survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
    Z[...] = 0
    Z[1:-1, 1:-1][birth | survive] = 1
    return Z


def step_torus(world):
    total = sum(
        np.roll(np.roll(world, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0)
    )
    return (total == 3) | (world & (total == 2))


Z = np.zeros((12, 14), dtype=np.uint8)
Z[1:4, 1:4] = [[0, 0, 1], [1, 0, 1], [0, 1, 1]]
start = Z[1:4, 1:4].copy()
for i in range(16):
    iterate(Z)
print("the glider moved by 4:", np.array_equal(Z[5:8, 5:8], start), "cells", Z.sum())

np.random.seed(100)
world = np.random.rand(20, 20) < 0.4
alive = [int(np.count_nonzero(world))]
for generation in range(10):
    world = step_torus(world)
    alive.append(int(world.sum()))
rows = ["".join("#" if cell else "." for cell in row) for row in world[:6]]
print(alive)
print("\n".join(rows))
