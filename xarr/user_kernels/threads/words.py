"""The words of kernels by threads: xarr's, and those of Numba's `cuda` module."""

from __future__ import annotations

from typing import Any, NoReturn

from xarr import errors


class Word:
    """A word that means something within a kernel only.

    name : str -- What it does, as the translation knows it.
    axis : int or None -- The dimension that it asks for, if the word says it.
    """

    __slots__ = ("__name__", "axis", "name")

    def __init__(self, name: str, axis: int | None = None) -> None:
        self.name = self.__name__ = name
        self.axis = axis

    def __repr__(self) -> str:
        return f"<word {self.name} of xarr.kernel>"

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Say that the word is for kernels."""
        raise errors.refused(
            RuntimeError,
            f"{self.name}(...)",
            "it is called outside a kernel",
            "the words of xarr.kernel are for functions that @xarr.kernel marks",
            "launch the function as f[grid, block](...), or debug it as f.interpret[grid, block]",
        )


class Words:
    """A namespace of words."""

    def __init__(self, **words: Any) -> None:
        vars(self).update(words)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"kernels have no word {name}")


def axes(name: str) -> Words:
    """Return the words ``x``, ``y`` and ``z`` of what is asked along a dimension."""
    return Words(**{letter: Word(name, axis) for axis, letter in enumerate("xyz")})


ATOMICS = Words(
    **{name: Word(f"atomic_{name}") for name in ("add", "sub", "min", "max", "exch", "cas")}
)
