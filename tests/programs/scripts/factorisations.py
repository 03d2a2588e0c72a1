"""Factorisations by hand beside the library's: LU with pivots, Cholesky, Gram-Schmidt, Householder."""

import numpy as np


def lu(A):
    n = A.shape[0]
    U, L, perm = A.astype(float).copy(), np.eye(n), np.arange(n)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(U[k:, k]))
        if pivot != k:
            U[[k, pivot], k:] = U[[pivot, k], k:]
            L[[k, pivot], :k] = L[[pivot, k], :k]
            perm[[k, pivot]] = perm[[pivot, k]]
        L[k + 1 :, k] = U[k + 1 :, k] / U[k, k]
        U[k + 1 :, k:] -= np.outer(L[k + 1 :, k], U[k, k:])
    return perm, L, np.triu(U)


def cholesky(A):
    L = np.zeros_like(A)
    for j in range(len(A)):
        L[j, j] = np.sqrt(A[j, j] - np.sum(L[j, :j] ** 2))
        L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L


def gram_schmidt(A):
    Q = np.empty_like(A)
    R = np.zeros((A.shape[1],) * 2)
    for j, a in enumerate(A.T):
        R[:j, j] = Q[:, :j].T @ a
        q = a - Q[:, :j] @ R[:j, j]
        R[j, j] = np.linalg.norm(q)
        Q[:, j] = q / R[j, j]
    return Q, R


def householder(A):
    R, Q = A.copy(), np.identity(len(A))
    for k in range(A.shape[1]):
        x = R[k:, k].copy()
        x[0] += np.copysign(np.linalg.norm(x), x[0])
        x /= np.linalg.norm(x)
        R[k:, k:] -= 2.0 * np.outer(x, x @ R[k:, k:])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ x, x)
    return Q, R


np.random.seed(2)
A = np.random.randint(-9, 10, (7, 7))
perm, L, U = lu(A)
sign = (-1) ** sum(perm[i] > perm[j] for i in range(7) for j in range(i + 1, 7))
det = float(sign * np.prod(np.diag(U)))
S = A @ A.T + 7 * np.eye(7)
C = cholesky(S)
B = np.random.rand(8, 5)
Q, R = gram_schmidt(B)
Qh, Rh = householder(B)
print("A[p] = LU:", np.allclose(A[perm], L @ U), "det %.3f" % det, np.isclose(det, np.linalg.det(A)))
print("Cholesky:", np.allclose(C, np.linalg.cholesky(S)), "QR:", np.allclose(Q @ R, B), np.allclose(Qh @ Rh, B))
print("lower part vanishes:", np.abs(np.tril(Rh, -1)).max() < 1e-12, "trace", np.trace(S))
