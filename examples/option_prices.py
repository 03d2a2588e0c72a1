"""Options on a mean, with a barrier, and on the highest price, by Monte Carlo.

Glasserman, "Monte Carlo Methods in Financial Engineering" (2004), chapter 3. A price walks through
a year of weeks; each library draws its own random numbers, so the prices agree as far as so many
walks tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 8
WALKS, WEEKS = 200_000, 52
SPOT, RATE, VOLATILITY, BARRIER = 100.0, 0.03, 0.2, 130.0

# Four standard errors of the difference of two runs of three steps.
BOUNDS = {"strikes": 0.0, "asian": 5e-3, "barrier": 5e-3, "lookback": 5e-3}


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the price of each kind of option for each strike, shape (17,)."""
    generator = np.random.default_rng(2026)
    strikes = np.linspace(80, 120, 17, dtype=np.float32)
    year = 1.0 / WEEKS
    drift = (RATE - VOLATILITY**2 / 2) * year
    spread = VOLATILITY * year**0.5
    sums = {name: np.zeros(strikes.shape) for name in ("asian", "barrier", "lookback")}
    walks = 0
    for _ in progress(range(STEPS)):
        price = np.full(WALKS, SPOT, dtype=np.float32)
        total, highest = np.zeros_like(price), price.copy()
        for _ in range(WEEKS):
            drawn = generator.standard_normal(WALKS, dtype=np.float32)
            price *= np.exp(drift + spread * drawn)
            total += price
            np.maximum(highest, price, out=highest)
        column = strikes[:, None]
        gains = {
            "asian": total / WEEKS - column,
            "barrier": np.where(highest < BARRIER, price, 0) - column,
            "lookback": highest - column,
        }
        for name, gain in gains.items():
            sums[name] += np.maximum(gain, 0).sum(axis=1, dtype=np.float64)
        walks += WALKS
    discount = np.exp(-RATE) / walks
    return {"strikes": strikes, **{name: discount * value for name, value in sums.items()}}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the prices by strike."""
    axes = figure.subplots()
    for name in ("asian", "barrier", "lookback"):
        axes.plot(results["strikes"], results[name], "o-", label=name)
    axes.set_xlabel("strike")
    axes.set_ylabel("price")
    axes.legend()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
