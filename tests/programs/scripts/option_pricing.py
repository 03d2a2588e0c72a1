"""Options: Black-Scholes, Monte Carlo with antithetic paths, a binomial tree, Greeks by differences."""

import math

import numpy as np


def norm_cdf(x):
    t = 1 / (1 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * np.square(x)) / math.sqrt(2 * math.pi) * poly
    return np.where(x >= 0, 1 - tail, tail)


def black_scholes(S, K, T, r, sigma, kind="call"):
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    call = S * norm_cdf(d1) - K * np.exp(-r * T) * norm_cdf(d2)
    return call if kind == "call" else call - S + K * np.exp(-r * T)


def binomial(S, K, T, r, sigma, n, american=False):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    prices = S * u ** np.arange(-n, n + 1, 2, dtype=float)
    value = np.maximum(K - prices, 0)
    for i in range(n - 1, -1, -1):
        value = np.exp(-r * dt) * (p * value[1:] + (1 - p) * value[:-1])
        if american:
            value = np.maximum(value, K - S * u ** np.arange(-i, i + 1, 2, dtype=float))
    return value[0]


strikes = np.arange(80, 121, 10.0)
calls = black_scholes(100.0, strikes, 1.0, 0.05, 0.2)
puts = black_scholes(100.0, strikes, 1.0, 0.05, 0.2, kind="put")
parity = np.allclose(calls - puts, 100 - strikes * np.exp(-0.05))
european = binomial(100.0, 110.0, 1.0, 0.05, 0.2, 60)
american = binomial(100.0, 110.0, 1.0, 0.05, 0.2, 60, american=True)
rng = np.random.default_rng(seed=1)
z = rng.standard_normal((5000, 12))
z = np.concatenate((z, -z))
log_paths = np.cumsum((0.05 - 0.02) / 12 + 0.2 * np.sqrt(1 / 12) * z, axis=1)
paths = 100 * np.exp(np.hstack([np.zeros((len(z), 1)), log_paths]))
asian = np.exp(-0.05) * np.maximum(paths[:, 1:].mean(axis=1) - 100, 0)
barrier = np.where((paths < 120).all(axis=1), np.maximum(paths[:, -1] - 100, 0), 0) * np.exp(-0.05)
delta = (black_scholes(101.0, strikes, 1.0, 0.05, 0.2) - black_scholes(99.0, strikes, 1.0, 0.05, 0.2)) / 2
print("calls", calls.round(4), "parity", parity)
print("european %.4f american %.4f" % (european, american))
print("asian %.4f +- %.4f, barrier %.4f" % (asian.mean(), asian.std(ddof=1) / len(z) ** 0.5, barrier.mean()))
