"""Metropolis-Hastings on a two-humped density: many chains at once, autocorrelation, R-hat."""

import numpy as np


def log_density(x):
    return np.logaddexp(-0.5 * (x - 2) ** 2, np.log(0.5) - 0.5 * ((x + 2) / 0.8) ** 2)


rng = np.random.default_rng(7)
chains, length = 8, 300
x = rng.normal(scale=3.0, size=chains)
trace = np.empty((length, chains))
accepted = 0
for i in range(length):
    proposal = x + rng.normal(0, 2.0, chains)
    ratio = log_density(proposal) - log_density(x)
    take = np.log(rng.uniform(size=chains)) < ratio
    x[take] = proposal[take]
    accepted += take.sum()
    trace[i] = x
burned = trace[100:]
within = burned.var(axis=0, ddof=1).mean()
between = len(burned) * burned.mean(axis=0).var(ddof=1)
r_hat = np.sqrt((1 - 1 / len(burned)) + between / within / len(burned))
centred = burned[:, 0] - burned[:, 0].mean()
acf = np.correlate(centred, centred, mode="full")[len(centred) - 1 :]
acf = acf / acf[0]
print("accepted %.4f, R-hat %.4f" % (accepted / (chains * length), r_hat))
print("mean %.4f, quartiles" % burned.mean(), np.percentile(burned, [25, 50, 75]).round(4))
print("share right of zero", np.mean(burned > 0), "acf", acf[:4].round(4))
