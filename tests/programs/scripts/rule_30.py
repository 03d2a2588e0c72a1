"""Elementary automata: rules as bits, look-up by weights, entropy of the centre column."""

import numpy as np


def evolve(rule, width, steps):
    table = np.array([int(b) for b in np.binary_repr(rule, width=8)[::-1]], dtype=np.int8)
    cells = np.zeros((steps + 1, width), dtype=np.int8)
    cells[0, width // 2] = 1
    for t in range(steps):
        left, right = np.roll(cells[t], 1), np.roll(cells[t], -1)
        cells[t + 1] = table[4 * left + 2 * cells[t] + right]
    return cells


pictures = {rule: evolve(rule, 41, 20) for rule in (30, 90, 110)}
for rule, cells in pictures.items():
    print(rule, "density %.5f" % cells.mean(), "row sums", cells.sum(axis=1)[:8].tolist())
centre = pictures[30][:, 20]
words = np.lib.stride_tricks.sliding_window_view(centre, 3) @ (1 << np.arange(3))
counts = np.bincount(words, minlength=8)
p = counts[counts > 0] / counts.sum()
entropy = -(p * np.log2(p)).sum()
as_bytes = np.packbits(centre.astype(bool))
print("words", counts, "entropy %.6f" % entropy, "bytes", as_bytes)
sierpinski = np.where(pictures[90][:16, 5:36:1] > 0, 1, 0)
print("rows of rule 90 are powers of two:", np.all(np.log2(sierpinski.sum(axis=1)) % 1 == 0))
