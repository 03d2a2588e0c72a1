"""A portfolio: returns, frontier by Lagrange, drawdown, value at risk, rolling statistics."""

import numpy as np

rng = np.random.default_rng(2023)
mu_true = np.array([0.05, 0.08, 0.12, 0.03]) / 252
corr = np.array([[1, 0.3, 0.2, -0.1], [0.3, 1, 0.5, 0.0], [0.2, 0.5, 1, -0.2], [-0.1, 0.0, -0.2, 1]])
vol = np.array([0.1, 0.2, 0.3, 0.05]) / np.sqrt(252)
cov_true = corr * np.outer(vol, vol)
returns = mu_true + rng.standard_normal((500, 4)) @ np.linalg.cholesky(cov_true).T
prices = 100 * np.cumprod(1 + returns, axis=0)
mean, cov = returns.mean(axis=0), np.cov(returns.T)
ones = np.ones(4)
inv = np.linalg.inv(cov)
A, B, C = ones @ inv @ ones, ones @ inv @ mean, mean @ inv @ mean
targets = np.linspace(mean.min(), mean.max(), 5)
weights = np.array([inv @ ((C - B * r) * ones + (A * r - B) * mean) / (A * C - B**2) for r in targets])
risk = np.sqrt(np.einsum("ij,jk,ik->i", weights, cov, weights)) * np.sqrt(252)
minimal = inv @ ones / A
equal = returns @ (ones / 4)
wealth = np.cumprod(1 + equal)
drawdown = 1 - wealth / np.maximum.accumulate(wealth)
var95 = -np.percentile(equal, 5)
shortfall = -equal[equal <= -var95].mean()
window = 20
rolling = np.lib.stride_tricks.sliding_window_view(equal, window)
volatility = rolling.std(axis=1, ddof=1) * np.sqrt(252)
signal = np.where(prices[window - 1 :, 2] > np.array([prices[i - window : i, 2].mean() for i in range(window, 501)]), 1, -1)
trades = np.count_nonzero(np.diff(signal))
skew = ((equal - equal.mean()) ** 3).mean() / equal.std() ** 3
print("risks", risk.round(5), "minimal", minimal.round(4), "sums to", round(float(minimal.sum()), 10))
print("drawdown %.5f at %d, VaR %.5f, shortfall %.5f" % (drawdown.max(), drawdown.argmax(), var95, shortfall))
print("volatility %.5f, trades %d, skew %.4f" % (np.nanmean(volatility), trades, skew))
