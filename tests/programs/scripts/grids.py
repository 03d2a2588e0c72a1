"""Grids and index objects: mgrid, ogrid, ix_, s_, indices, ndenumerate, triangles, diagonals."""

import numpy as np

Y, X = np.mgrid[-2:2:5j, 0:3]
oy, ox = np.ogrid[0:4, 0:5]
radius = np.sqrt((oy - 1.5) ** 2 + (ox - 2) ** 2)
disc = radius < 1.6
step = np.mgrid[0:1:0.25]
xs, ys = np.meshgrid(np.linspace(0, 1, 3), [10, 20])
sparse = np.meshgrid(np.arange(3), np.arange(2), sparse=True, indexing="ij")
table = np.arange(20).reshape(4, 5)
block = table[np.ix_([0, 2], [1, 3, 4])]
table2 = table.copy()
table2[np.ix_([True, False, True, False], [0, 1])] = -1
window = np.s_[1:3, ::2]
cut = table[window]
i, j = np.indices((2, 3))
listed = [(index, int(value)) for index, value in np.ndenumerate(table[:2, :2])]
visited = sum(1 for _ in np.ndindex(2, 3))
upper = table[np.triu_indices(4, k=1)]
lower = np.tril(np.ones((3, 3), int), -1)
main = np.diag(table[:, :4])
square = np.zeros((4, 4))
np.fill_diagonal(square, 5)
square[np.diag_indices(4)] += np.arange(4)
anti = np.fliplr(square).diagonal()
flat = np.ravel_multi_index(([1, 3], [2, 4]), table.shape)
back = np.unravel_index([7, 19], table.shape)
where = np.where(disc)
values = table[where]
swapped = table[[1, 0]][:, ::-1]
table[1, ...] = 0
table[..., -1] += 100
table[table > 110] = np.array([7, 8, 9])[: np.sum(table > 110)]
np.put(table, [0, 1], [-5, -6])
np.place(table2, table2 < 0, [42])
np.copyto(square, 1.0, where=square > 6)
mask = np.zeros((4, 5), dtype=bool)
mask[1:3, 1:4] = True
mask ^= disc
area = np.trapezoid(np.trapezoid(np.hypot(X, Y), dx=1.0), np.linspace(-2, 2, 5))
rotated = np.stack([X.ravel(), Y.ravel()]).T @ np.array([[0, 1], [-1, 0]])
print(disc.astype(int))
print(block.tolist(), cut.tolist(), listed, visited, flat, [b.tolist() for b in back])
print("area %.6f" % area, "mask", mask.sum())
