"""Iterative solvers: conjugate gradients, Gauss-Seidel, power and inverse iteration, Arnoldi."""

import numpy as np

n = 40
A = 2 * np.eye(n) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
A += np.diag(np.linspace(0.1, 1, n))
b = np.sin(np.arange(n))


def cg(A, b, tol=1e-10):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for i in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = np.dot(r, r)
        if np.sqrt(new) < tol:
            break
        p = r + (new / rs) * p
        rs = new
    return x, i + 1


x, iterations = cg(A, b)
L, U = np.tril(A), np.triu(A, k=1)
y = np.zeros(n)
for _ in range(60):
    y = np.linalg.solve(L, b - U @ y)
v = np.ones(n) / np.sqrt(n)
for _ in range(100):
    v = A @ v
    v /= np.linalg.norm(v)
rayleigh = v @ A @ v
inverse = np.linalg.inv(A - 0.3 * np.eye(n))
w = np.random.default_rng(0).standard_normal(n)
for _ in range(20):
    w = inverse @ w
    w = w / np.linalg.norm(w)
nearest = w @ A @ w
spectrum = np.linalg.eigvalsh(A)
Q = np.zeros((n, 7))
H = np.zeros((7, 6))
Q[:, 0] = b / np.linalg.norm(b)
for k in range(6):
    q = A @ Q[:, k]
    for j in range(k + 1):
        H[j, k] = Q[:, j] @ q
        q = q - H[j, k] * Q[:, j]
    H[k + 1, k] = np.linalg.norm(q)
    Q[:, k + 1] = q / H[k + 1, k]
ritz = np.sort(np.linalg.eigvals(H[:6]).real)
del w, v
print("CG took", iterations, "error small:", np.allclose(A @ x, b), "Gauss-Seidel:", np.allclose(x, y, atol=1e-4))
print("largest %.6f of %.6f" % (rayleigh, spectrum[-1]), "near 0.3: %.6f" % nearest)
print("orthogonal:", np.allclose(Q.T @ Q, np.eye(7)), "condition %.5f" % np.linalg.cond(A))
