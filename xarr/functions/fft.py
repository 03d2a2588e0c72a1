"""Discrete Fourier transforms, each of a row of `tables.fourier`: of any length in O(n log n)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from xarr.array.array import Array, ArrayLike
from xarr.functions.fourier import Norm, along_axis, over_axes
from xarr.tables import fourier as rows

Signal = ArrayLike


def fft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform along an axis.

    >>> xarr.fft.fft(xarr.ones(5)).shape
    (5,)
    """
    return along_axis(rows.fft, a, n, axis, norm, out)


def ifft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform along an axis.

    >>> xarr.fft.ifft(xarr.ones(5)).shape
    (5,)
    """
    return along_axis(rows.ifft, a, n, axis, norm, out)


def fftn(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform over several axes.

    >>> xarr.fft.fftn(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.fftn, a, s, axes, norm, out)


def ifftn(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform over several axes.

    >>> xarr.fft.ifftn(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.ifftn, a, s, axes, norm, out)


def rfft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal.

    >>> xarr.fft.rfft(xarr.ones(5)).shape
    (3,)
    """
    return along_axis(rows.rfft, a, n, axis, norm, out)


def irfft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum.

    >>> xarr.fft.irfft(xarr.ones(5)).shape
    (8,)
    """
    return along_axis(rows.irfft, a, n, axis, norm, out)


def rfftn(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal over several axes.

    >>> xarr.fft.rfftn(xarr.ones((4, 3))).shape
    (4, 2)
    """
    return over_axes(rows.rfftn, a, s, axes, norm, out)


def irfftn(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum, over several axes.

    >>> xarr.fft.irfftn(xarr.ones((4, 3))).shape
    (4, 4)
    """
    return over_axes(rows.irfftn, a, s, axes, norm, out)


def fft2(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform over two axes.

    >>> xarr.fft.fft2(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.fft2, a, s, axes, norm, out)


def ifft2(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform over two axes.

    >>> xarr.fft.ifft2(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.ifft2, a, s, axes, norm, out)


def rfft2(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal over two axes.

    >>> xarr.fft.rfft2(xarr.ones((4, 3))).shape
    (4, 2)
    """
    return over_axes(rows.rfft2, a, s, axes, norm, out)


def irfft2(
    a: Signal,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum, over two axes.

    >>> xarr.fft.irfft2(xarr.ones((4, 3))).shape
    (4, 4)
    """
    return over_axes(rows.irfft2, a, s, axes, norm, out)


def hfft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real spectrum of a signal with Hermitian symmetry.

    >>> xarr.fft.hfft(xarr.ones(5)).shape
    (8,)
    """
    return along_axis(rows.hfft, a, n, axis, norm, out)


def ihfft(
    a: Signal,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The half of a signal with Hermitian symmetry that has a real spectrum.

    >>> xarr.fft.ihfft(xarr.ones(5)).shape
    (3,)
    """
    return along_axis(rows.ihfft, a, n, axis, norm, out)
