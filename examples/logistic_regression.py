"""Logistic regression: is a breast tumour malignant? Trained on one half of 569 patients.

Street, Wolberg and Mangasarian, "Nuclear feature extraction for breast tumor diagnosis" (1993);
the data ship with scikit-learn. The 30 measurements with their products by two and three, which
let the boundary curve, are 27,930 features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sklearn.datasets import load_breast_cancer

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 200
RATE = 0.02
DECAY = 0.01

# Relative to the largest value: exp, log and float32 sums differ in their last places, and gradient
# descent towards one minimum damps that.
BOUNDS = {"weights": 1e-4, "loss": 1e-4, "probability": 1e-4, "benign": 0}


def sigmoid(x: np.Array) -> np.Array:
    """Return the probability whose log-odds are x."""
    odds_against: np.Array = np.exp(-x)
    return 1 / (1 + odds_against)


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the weights, the loss after each step, and the answers for the other patients."""
    patients = load_breast_cancer()
    x = np.asarray(patients.data.astype("float32"))
    x = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    pairs = np.reshape(x[:, :, None] * x[:, None, :], (x.shape[0], -1))
    triples = np.reshape(pairs[:, :, None] * x[:, None, :], (x.shape[0], -1))
    x = np.concat([x, pairs / 10, triples / 100], axis=1)
    benign = np.asarray(patients.target)
    train, test = x[::2, :], x[1::2, :]
    target = benign[::2].astype(np.float32)

    weights = np.zeros(x.shape[1], dtype=np.float32)
    loss = np.zeros(STEPS, dtype=np.float32)
    for step in progress(range(STEPS)):
        p = sigmoid(np.sum(train * weights, axis=1))
        loss[step] = -np.mean(target * np.log(p + 1e-7) + (1 - target) * np.log(1 - p + 1e-7))
        gradient = np.mean(train * (p - target)[:, None], axis=0)
        weights -= RATE * (gradient + DECAY * weights)
    probability = sigmoid(np.sum(test * weights, axis=1))
    return {"weights": weights, "loss": loss, "probability": probability, "benign": benign[1::2]}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the loss, and the probabilities of the patients that were not trained on."""
    left, right = figure.subplots(1, 2)
    left.semilogy(results["loss"])
    left.set(xlabel="step", ylabel="loss")
    benign, probability = results["benign"] == 1, results["probability"]
    parts = [probability[~benign], probability[benign]]
    right.hist(parts, bins=20, label=["malignant", "benign"])
    right.set(xlabel="probability of benign", ylabel="patients")
    right.set_title(f"{((probability > 0.5) == benign).mean():.1%} right")
    right.legend()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
