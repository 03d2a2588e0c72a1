"""Gaussian and multinomial naive Bayes, a decision stump with AdaBoost."""

import numpy as np

np.random.seed(10)
n = 90
labels = np.random.choice([0, 1, 2], size=n, p=[0.5, 0.3, 0.2])
X = np.random.randn(n, 3) + np.array([[0, 0, 0], [2, 1, 0], [0, 2, 3]])[labels]
classes, priors = np.unique(labels, return_counts=True)
priors = priors / n
mu = np.array([X[labels == c].mean(0) for c in classes])
var = np.array([X[labels == c].var(0) for c in classes]) + 1e-9
log_like = -0.5 * (np.log(2 * np.pi * var[:, None]) + (X - mu[:, None]) ** 2 / var[:, None]).sum(-1).T
posterior = np.exp(log_like + np.log(priors))
posterior /= posterior.sum(axis=1)[:, None]
gaussian = (posterior.argmax(1) == labels).mean()

words = np.random.poisson(lam=np.array([[4, 1, 1, 2], [1, 4, 1, 2], [1, 1, 4, 2]])[labels])
counts = np.zeros((3, 4), int)
for c in range(3):
    counts[c] = words[labels == c].sum(axis=0)
log_theta = np.log((counts + 1) / (counts + 1).sum(axis=1, keepdims=True))
multinomial = (np.argmax(words @ log_theta.T + np.log(priors), axis=1) == labels).mean()

t = np.where(labels == 0, 1, -1)
weight = np.ones(n) / n
score = np.zeros(n)
stumps = []
for round_ in range(4):
    best = (np.inf,)
    for f in range(3):
        for cut in np.quantile(X[:, f], [0.2, 0.4, 0.6, 0.8]):
            for sign in (1, -1):
                guess = np.where(X[:, f] <= cut, sign, -sign)
                err = weight[guess != t].sum()
                if err < best[0]:
                    best = (float(err), f, float(cut), sign, guess)
    alpha = 0.5 * np.log((1 - best[0]) / best[0])
    weight *= np.exp(-alpha * t * best[4])
    weight /= np.sum(weight)
    score += alpha * best[4]
    stumps.append(best[:4])
print("gaussian %.4f, multinomial %.4f, boosted %.4f" % (gaussian, multinomial, (np.sign(score) == t).mean()))
print("first stump", stumps[0][1], round(stumps[0][2], 5), stumps[0][3], "of error %.5f" % stumps[0][0])
