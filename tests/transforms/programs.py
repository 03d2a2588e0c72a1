"""Random programs with writes, views, overlaps, masks, indices and loops, for their derivatives.

A program is the text of a function of two arrays, `a` of shape (6,) and `b` of shape (6, 5), that
means the same in NumPy, so that differences are taken there.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

VECTORS: Final = ("a", "p", "q")
MATRICES: Final = ("b", "m")
SLICES: Final = ("1:", ":-1", "::-1", "::2", "1:5", "-2:1:-1", ":")
PAIRS: Final = ("add", "subtract", "multiply", "maximum", "minimum", "logaddexp")
REDUCTIONS: Final = ("sum", "mean", "max", "var", "min")


class Programs:
    """Makes programs by a generator of random numbers."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        """Return the text of a function `f(np, a, b)` that returns a number."""
        lines = ["def f(np, a, b):"]
        lines += ["    p, q, m = a * 0.5, np.zeros(6), b.copy()"]
        for _ in range(self._random.randrange(2, 9)):
            if self._random.randrange(6):
                lines.append(f"    {self._statement()}")
            else:
                lines.append(f"    for k in range({self._random.randrange(1, 4)}):")
                lines += [f"        {self._statement()}" for _ in range(2)]
        parts = " + ".join(f"(np.tanh({name} * 0.3) ** 2).sum()" for name in (*VECTORS, *MATRICES))
        return "\n".join([*lines, f"    return {parts}"])

    def _one(self, items: Any) -> Any:
        return items[self._random.randrange(len(items))]

    def _vector(self) -> str:
        """Return an expression of six elements."""
        kinds: tuple[Callable[[], str], ...] = (
            lambda: self._one(VECTORS),
            lambda: f"{self._one(VECTORS)}[::-1]",
            lambda: f"{self._one(MATRICES)}[:, {self._random.randrange(5)}]",
            lambda: f"np.{self._function()}({self._vector()})",
            lambda: f"np.{self._one(PAIRS)}({self._vector()}, {self._vector()})",
            lambda: f"{self._one(VECTORS)}[np.asarray([0, 3, 3, 5, 1, 2])]",
            lambda: f"{self._one(MATRICES)}.{self._one(REDUCTIONS)}(axis=1)",
            lambda: f"np.cumsum({self._one(VECTORS)})",
            lambda: f"np.roll({self._one(VECTORS)}, {self._random.randrange(-2, 3)})",
            lambda: f"np.where({self._one(VECTORS)} > 0.4, {self._one(VECTORS)}, 0.3)",
            lambda: f"({self._one(MATRICES)} @ {self._one(MATRICES)}[2] * 0.2)",
            lambda: f"np.sort({self._one(VECTORS)})",
            lambda: f"np.concatenate([{self._one(VECTORS)}[3:], {self._one(VECTORS)}[:3]])",
            lambda: f"{self._one(VECTORS)}[{self._random.randrange(6)}] * {self._one(VECTORS)}",
        )
        return str(self._one(kinds)())

    def _function(self) -> str:
        return str(self._one(("sin", "cos", "tanh", "square", "abs", "negative", "arctan")))

    def _statement(self) -> str:
        """Return a statement that writes."""
        x, cut, operator = self._one(VECTORS), self._one(SLICES), self._one(("", "+", "*", "-"))
        other = self._one(VECTORS)
        kinds: tuple[Callable[[], str], ...] = (
            lambda: f"{x}[{cut}] {operator}= ({self._vector()})[{cut}]",
            lambda: f"{x}[1:] {operator}= {x}[:-1] * 0.5",
            lambda: f"{x} {operator}= {self._vector()}",
            lambda: f"{x} = {self._vector()}",
            lambda: f"{x}[{other} > 0.3] {operator}= 0.7",
            lambda: f"{x}[{other} > 0.3] = {other}[{other} > 0.3] * 2",
            lambda: f"{x}[np.asarray([0, 0, 4])] = ({self._vector()})[:3]",
            lambda: f"{x}[np.asarray([0, 0, 4])] += ({self._vector()})[:3]",
            lambda: f"np.add.at({x}, np.asarray([1, 1, 5]), ({self._vector()})[2:5])",
            lambda: f"m[:, {self._random.randrange(5)}] {operator}= {self._vector()}",
            lambda: f"m.T[1:3, ::2] {operator}= m[:3, 2:4].T",
            lambda: f"m {operator}= b[::-1]",
            lambda: f"np.multiply({x}, {other}, out={x})",
            lambda: f"np.sin({other}, out={x}, where={x} > 0.2)",
            lambda: f"{x}[{self._random.randrange(6)}] = ({self._vector()})[2]",
            lambda: f"{x} = {x}.copy()",
            lambda: f"m[1:4] = m[2:5] * {x}[:5]",
        )
        return str(self._one(kinds)())
