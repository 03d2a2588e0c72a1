"""Drossel and Schwabl's forest: trees, fires and lightning as integer states."""

import numpy as np

EMPTY, TREE, FIRE = 0, 1, 2
rng = np.random.default_rng(0)
forest = (rng.random((30, 30)) < 0.6).astype(int)
forest[15, 15] = FIRE
record = {"trees": [], "fires": []}
for t in range(40):
    burning = np.pad(forest == FIRE, 1)
    near = burning[:-2, 1:-1] | burning[2:, 1:-1] | burning[1:-1, :-2] | burning[1:-1, 2:]
    strike = rng.random(forest.shape) < 0.002
    grow = rng.random(forest.shape) < 0.03
    new = forest.copy()
    new[forest == FIRE] = EMPTY
    new[(forest == TREE) & (near | strike)] = FIRE
    new[np.logical_and(forest == EMPTY, grow)] = TREE
    forest = new
    counts = np.bincount(forest.ravel(), minlength=3)
    record["trees"].append(int(counts[TREE]))
    record["fires"].append(int(counts[FIRE]))
smoke = np.select([forest == TREE, forest == FIRE], [0.2, 1.0], default=0.0)
where = np.nonzero(forest == FIRE)
print("trees", record["trees"][::8], "fires", record["fires"][::8])
print("fires now at", list(zip(*(w.tolist() for w in where)))[:3], "colour %.4f" % smoke.mean())
