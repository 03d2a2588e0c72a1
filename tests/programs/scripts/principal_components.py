"""Principal components by the covariance's eigenvectors and by SVD; whitening; reconstruction."""

import numpy as np

rng = np.random.default_rng(21)
latent = rng.standard_normal((60, 2)) * [3.0, 1.0]
mixing = np.array([[1.0, 0.5, -0.3, 0.8], [0.2, -1.0, 0.7, 0.4]])
X = latent @ mixing + 0.05 * rng.standard_normal((60, 4)) + np.array([10, -5, 0, 2])
Xc = X - X.mean(axis=0)
C = np.cov(Xc, rowvar=False)
values, vectors = np.linalg.eigh(C)
order = np.argsort(values)[::-1]
values, vectors = values[order], vectors[:, order]
vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), range(4)])
U, s, Vt = np.linalg.svd(Xc, full_matrices=False)
same = np.allclose(s**2 / (len(X) - 1), values)
explained = values / values.sum()
k = int(np.searchsorted(np.cumsum(explained), 0.99) + 1)
scores = Xc.dot(vectors[:, :k])
back = scores.dot(vectors[:, :k].T) + X.mean(0)
error = np.linalg.norm(X - back) / np.linalg.norm(X)
white = scores / np.sqrt(values[:k])
outliers = np.where((white**2).sum(1) > 6)[0]
del U, Vt, s
print("explained", explained.round(6), "components", k, "agrees with SVD:", same)
print("error %.6f" % error, "white covariance", np.allclose(np.cov(white.T), np.eye(k)), "outliers", outliers)
