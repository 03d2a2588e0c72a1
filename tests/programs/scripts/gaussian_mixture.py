"""A mixture of Gaussians by expectation and maximisation, and its information criteria."""

import numpy as np

rng = np.random.default_rng(5)
x = np.concatenate([rng.normal(-2, 0.7, 100), rng.normal(1.5, 1.2, 150)])


def fit(x, k, rounds=30):
    mu = np.quantile(x, (np.arange(k) + 0.5) / k)
    sigma = np.full(k, x.std())
    pi = np.ones(k) / k
    history = np.zeros(rounds)
    for i in range(rounds):
        density = pi * np.exp(-0.5 * ((x[:, None] - mu) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)
        total = density.sum(axis=1, keepdims=True)
        history[i] = np.log(total).sum()
        r = density / total
        nk = r.sum(0)
        mu = (r * x[:, None]).sum(0) / nk
        sigma = np.sqrt((r * (x[:, None] - mu) ** 2).sum(0) / nk)
        pi = nk / len(x)
    return mu, sigma, pi, history


bic = []
for k in range(1, 4):
    mu, sigma, pi, history = fit(x, k)
    assert np.all(np.diff(history) > -1e-6)
    bic.append((3 * k - 1) * np.log(x.size) - 2 * history[-1])
    if k == 2:
        print("means", mu.round(5), "deviations", sigma.round(5), "weights", pi.round(5))
bic = np.array(bic)
print("BIC", bic.round(3), "best k:", bic.argmin() + 1)
