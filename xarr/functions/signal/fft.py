"""Discrete Fourier transforms, each of a row of `tables.fourier`: of any length in O(n log n)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, SupportsIndex, TypeVar

from xarr.array.array import Array, ArrayLike
from xarr.functions.signal.fourier import Norm, along_axis, over_axes
from xarr.tables import fourier as rows
from xarr.tables.fourier import Transform

Signal = ArrayLike
_Axes = Sequence[SupportsIndex] | None
_F = TypeVar("_F", bound=Callable[..., Array])


class _Along(Protocol):
    def __call__(
        self,
        a: Signal,
        n: SupportsIndex | None = None,
        axis: SupportsIndex = -1,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array: ...


class _Over(Protocol):
    def __call__(
        self,
        a: Signal,
        s: _Axes = None,
        axes: _Axes = None,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array: ...


def _named(function: _F, row: Transform, about: str, shape: str, made: str) -> _F:
    """Call a function as its row is called, with a docstring whose example shows two shapes."""
    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{about}\n\n>>> xarr.fft.{row.name}(xarr.ones({shape})).shape\n{made}"
    return function


def _along(row: Transform, about: str, made: str) -> _Along:
    def transform(
        a: Signal,
        n: SupportsIndex | None = None,
        axis: SupportsIndex = -1,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array:
        return along_axis(row, a, n, axis, norm, out)

    return _named(transform, row, about, "5", made)


def _over(row: Transform, about: str, made: str) -> _Over:
    def transform(
        a: Signal,
        s: Sequence[SupportsIndex] | None = None,
        axes: Sequence[SupportsIndex] | None = (-2, -1) if row.plane else None,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array:
        return over_axes(row, a, s, axes, norm, out)

    return _named(transform, row, about, "(4, 3)", made)


_DFT, _INVERSE = "The discrete Fourier transform", "The inverse discrete Fourier transform"
_REAL, _HALF = f"{_DFT} of a real signal", "The real signal of half a spectrum"

fft: Final = _along(rows.fft, f"{_DFT} along an axis.", "(5,)")
ifft: Final = _along(rows.ifft, f"{_INVERSE} along an axis.", "(5,)")
fftn: Final = _over(rows.fftn, f"{_DFT} over several axes.", "(4, 3)")
ifftn: Final = _over(rows.ifftn, f"{_INVERSE} over several axes.", "(4, 3)")
rfft: Final = _along(rows.rfft, f"{_REAL}.", "(3,)")
irfft: Final = _along(rows.irfft, f"{_HALF}.", "(8,)")
rfftn: Final = _over(rows.rfftn, f"{_REAL} over several axes.", "(4, 2)")
irfftn: Final = _over(rows.irfftn, f"{_HALF}, over several axes.", "(4, 4)")
fft2: Final = _over(rows.fft2, f"{_DFT} over two axes.", "(4, 3)")
ifft2: Final = _over(rows.ifft2, f"{_INVERSE} over two axes.", "(4, 3)")
rfft2: Final = _over(rows.rfft2, f"{_REAL} over two axes.", "(4, 2)")
irfft2: Final = _over(rows.irfft2, f"{_HALF}, over two axes.", "(4, 4)")
_HERMITIAN = "signal with Hermitian symmetry"
hfft: Final = _along(rows.hfft, f"The real spectrum of a {_HERMITIAN}.", "(8,)")
ihfft: Final = _along(rows.ihfft, f"The half of a {_HERMITIAN} that has a real spectrum.", "(3,)")
