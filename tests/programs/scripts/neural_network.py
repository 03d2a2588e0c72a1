"""A small network learns XOR's big sister: minibatches, momentum, gradient check."""

import numpy as np

np.random.seed(1)
X = np.random.uniform(-1, 1, size=(200, 2))
y = ((X[:, 0] * X[:, 1]) > 0).astype(int).reshape(-1, 1)
sizes = [2, 8, 1]
params = {}
for l in range(1, len(sizes)):
    params["W%d" % l] = np.random.randn(sizes[l - 1], sizes[l]) * np.sqrt(2 / sizes[l - 1])
    params["b%d" % l] = np.zeros((1, sizes[l]))


def forward(params, X):
    z1 = X @ params["W1"] + params["b1"]
    a1 = np.tanh(z1)
    z2 = a1 @ params["W2"] + params["b2"]
    return a1, 1 / (1 + np.exp(-z2))


def loss(params, X, y):
    p = np.clip(forward(params, X)[1], 1e-12, 1 - 1e-12)
    return -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()


def backward(params, X, y):
    a1, p = forward(params, X)
    d2 = (p - y) / len(X)
    grads = {"W2": a1.T @ d2, "b2": d2.sum(axis=0, keepdims=True)}
    d1 = (d2 @ params["W2"].T) * (1 - a1**2)
    grads.update(W1=X.T @ d1, b1=d1.sum(axis=0, keepdims=True))
    return grads


eps = 1e-6
grads = backward(params, X[:10], y[:10])
params["W1"][0, 3] += eps
up = loss(params, X[:10], y[:10])
params["W1"][0, 3] -= 2 * eps
down = loss(params, X[:10], y[:10])
params["W1"][0, 3] += eps
checked = abs((up - down) / (2 * eps) - grads["W1"][0, 3]) < 1e-6
velocity = {k: np.zeros_like(v) for k, v in params.items()}
curve = []
for epoch in range(12):
    idx = np.random.permutation(len(X))
    for batch in np.split(idx, 5):
        grads = backward(params, X[batch], y[batch])
        for key in params:
            velocity[key] = 0.9 * velocity[key] - 0.5 * grads[key]
            params[key] += velocity[key]
    curve.append(loss(params, X, y))
accuracy = np.mean((forward(params, X)[1] > 0.5) == y)
print("gradient check:", checked, "accuracy %.4f" % accuracy)
print("loss", ", ".join(f"{v:.5f}" for v in curve[::3]))
