"""Linear models: normal equations, gradient descent, ridge, polynomial features, cross-validation."""

import numpy as np

np.random.seed(0)
m = 80
x = 3 * np.random.rand(m, 1) - 1
y = 4 + 3 * x[:, 0] - 2 * x[:, 0] ** 2 + 0.3 * np.random.randn(m)
X = np.c_[np.ones((m, 1)), x, x**2]
theta = np.linalg.inv(X.T.dot(X)).dot(X.T).dot(y)
theta_lstsq, residuals, rank, sv = np.linalg.lstsq(X, y, rcond=None)
w = np.zeros(3)
costs = []
for epoch in range(300):
    error = X @ w - y
    w -= 0.1 * X.T @ error / m
    costs.append((error**2).mean() / 2)
order = np.random.permutation(m)
folds = np.array_split(order, 5)
scores = {}
for alpha in [0.0, 0.1, 10.0]:
    mse = []
    for i, test in enumerate(folds):
        train = np.concatenate([f for j, f in enumerate(folds) if j != i])
        A = X[train].T @ X[train] + alpha * np.eye(3)
        beta = np.linalg.solve(A, X[train].T @ y[train])
        mse.append(np.mean((X[test] @ beta - y[test]) ** 2))
    scores[alpha] = np.mean(mse)
prediction = X @ theta
r2 = 1 - ((y - prediction) ** 2).sum() / ((y - y.mean()) ** 2).sum()
correlation = np.corrcoef(prediction, y)[0, 1]
print("theta", theta.round(5), np.allclose(theta, theta_lstsq), "rank", rank)
print("gradient descent", w.round(4), "cost %.5f" % costs[-1])
print("R2 %.6f = r^2 %.6f" % (r2, correlation**2), {a: round(float(s), 5) for a, s in scores.items()})
