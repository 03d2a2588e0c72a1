"""k nearest neighbours: read each handwritten digit by the five others that are most like it.

Fix and Hodges, "Discriminatory analysis: nonparametric discrimination" (1951). Each of the 1,797
digits that scikit-learn ships is compared with the others in nine positions, a pixel apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sklearn.datasets import load_digits

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEIGHBOURS = 5
BLOCK = 20  # digits read at a time

# Pixels are whole numbers, so distances are exact and every answer is the same.
BOUNDS = {"images": 0, "answers": 0, "labels": 0, "accuracy": 0}


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the images, shape (1797, 8, 8), the digit read in each, and the accuracy."""
    digits = load_digits()
    x = np.asarray(digits.data.astype("float32"))
    labels = np.asarray(digits.target)
    images = np.reshape(x, (-1, 8, 8))
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    shifted = np.concat([np.roll(images, shift, axis=(1, 2)) for shift in shifts])
    shifted = np.reshape(shifted, (-1, 64))
    owner = np.arange(shifted.shape[0]) % x.shape[0]
    answers = np.full_like(labels, -1)

    for start in progress(range(0, x.shape[0], BLOCK)):
        rows = slice(start, min(start + BLOCK, x.shape[0]))
        distances = np.sum((x[rows, None, :] - shifted[None, :, :]) ** 2, axis=2)
        nearest = owner[rows]  # a digit is nearest to itself, and has no vote
        votes = np.zeros((nearest.shape[0], 10), dtype=np.int32)
        for _ in range(NEIGHBOURS):
            distances = np.where(owner == nearest[:, None], np.inf, distances)
            nearest = owner[np.argmin(distances, axis=1)]
            votes += labels[nearest][:, None] == np.arange(10)
        answers[rows] = np.argmax(votes, axis=1)

    asked = answers >= 0
    accuracy = np.count_nonzero(answers == labels) / np.count_nonzero(asked)
    return {"images": images, "answers": answers, "labels": labels, "accuracy": accuracy}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw digits that were misread."""
    answers, labels = results["answers"], results["labels"]
    misread = ((answers != labels) & (answers >= 0)).nonzero()[0][:16]
    for axes in (grid := figure.subplots(2, 8)).flat:
        axes.set_axis_off()
    for axes, i in zip(grid.flat, misread, strict=False):
        axes.imshow(results["images"][i], cmap="gray_r")
        axes.set_title(f"{labels[i]} read as {answers[i]}", fontsize=8)
    figure.suptitle(f"{float(results['accuracy']):.2%} are read as what they are; these are not")


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
