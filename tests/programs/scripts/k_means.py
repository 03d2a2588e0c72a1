"""K-means with k-means++ seeding, silhouettes and an elbow."""

import numpy as np

np.random.seed(8)
data = np.vstack([np.random.normal(c, 0.6, (30, 2)) for c in [(0, 0), (4, 1), (2, 5)]])
np.random.shuffle(data)


def distances(a, b):
    return np.sqrt(((a[:, np.newaxis] - b[np.newaxis]) ** 2).sum(axis=2))


def kmeans(data, k, rounds=10):
    centres = data[np.random.choice(len(data), 1)]
    while len(centres) < k:
        d2 = distances(data, centres).min(axis=1) ** 2
        chosen = np.searchsorted(np.cumsum(d2 / d2.sum()), np.random.rand())
        centres = np.append(centres, data[chosen : chosen + 1], axis=0)
    for _ in range(rounds):
        assignment = distances(data, centres).argmin(axis=1)
        new = np.array([data[assignment == j].mean(axis=0) for j in range(k)])
        if np.allclose(new, centres):
            break
        centres = new
    return centres, assignment, (distances(data, centres)[np.arange(len(data)), assignment] ** 2).sum()


inertia = []
for k in (1, 2, 3, 4):
    centres, assignment, cost = kmeans(data, k)
    inertia.append(float(cost))
    if k == 3:
        kept = centres[np.lexsort((centres[:, 1], centres[:, 0]))]
        groups = assignment
D = distances(data, data)
silhouettes = np.empty(len(data))
for i in range(len(data)):
    mean_to = np.array([D[i, groups == j].sum() / max((groups == j).sum() - (j == groups[i]), 1) for j in range(3)])
    a = mean_to[groups[i]]
    b = np.delete(mean_to, groups[i]).min()
    silhouettes[i] = (b - a) / max(a, b)
print("inertia", np.round(inertia, 4), "sizes", sorted(np.bincount(groups).tolist()))
print("centres", kept.round(4).tolist(), "silhouette %.5f" % silhouettes.mean())
