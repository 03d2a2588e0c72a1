"""Discrete Fourier transforms, each of a row of `tables.fourier`: of any length in O(n log n)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from xarr.array.array import Array, ArrayLike
from xarr.functions.fourier import Norm, along_axis, over_axes
from xarr.tables import fourier as rows


def fft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform along an axis.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.fft(xarr.ones(5)).shape
    (5,)
    """
    return along_axis(rows.fft, a, n, axis, norm, out)


def ifft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform along an axis.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.ifft(xarr.ones(5)).shape
    (5,)
    """
    return along_axis(rows.ifft, a, n, axis, norm, out)


def fftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform over several axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.fftn(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.fftn, a, s, axes, norm, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform over several axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.ifftn(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.ifftn, a, s, axes, norm, out)


def rfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal.

    Parameters
    ----------
    a : real floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.rfft(xarr.ones(5)).shape
    (3,)
    """
    return along_axis(rows.rfft, a, n, axis, norm, out)


def irfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    real floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.irfft(xarr.ones(5)).shape
    (8,)
    """
    return along_axis(rows.irfft, a, n, axis, norm, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal over several axes.

    Parameters
    ----------
    a : real floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.rfftn(xarr.ones((4, 3))).shape
    (4, 2)
    """
    return over_axes(rows.rfftn, a, s, axes, norm, out)


def irfftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum, over several axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    real floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.irfftn(xarr.ones((4, 3))).shape
    (4, 4)
    """
    return over_axes(rows.irfftn, a, s, axes, norm, out)


def fft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform over two axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Notes
    -----
    NumPy's function. Any length is computed in O(n log n).

    Examples
    --------
    >>> xarr.fft.fft2(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.fft2, a, s, axes, norm, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The inverse discrete Fourier transform over two axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Notes
    -----
    NumPy's function. Any length is computed in O(n log n).

    Examples
    --------
    >>> xarr.fft.ifft2(xarr.ones((4, 3))).shape
    (4, 3)
    """
    return over_axes(rows.ifft2, a, s, axes, norm, out)


def rfft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The discrete Fourier transform of a real signal over two axes.

    Parameters
    ----------
    a : real floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Notes
    -----
    NumPy's function. Any length is computed in O(n log n).

    Examples
    --------
    >>> xarr.fft.rfft2(xarr.ones((4, 3))).shape
    (4, 2)
    """
    return over_axes(rows.rfft2, a, s, axes, norm, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real signal of half a spectrum, over two axes.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    real floating-point Array
        Of the precision of a.

    Notes
    -----
    NumPy's function. Any length is computed in O(n log n).

    Examples
    --------
    >>> xarr.fft.irfft2(xarr.ones((4, 3))).shape
    (4, 4)
    """
    return over_axes(rows.irfft2, a, s, axes, norm, out)


def hfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The real spectrum of a signal with Hermitian symmetry.

    Parameters
    ----------
    a : floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    real floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.hfft(xarr.ones(5)).shape
    (8,)
    """
    return along_axis(rows.hfft, a, n, axis, norm, out)


def ihfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: Any = None,
) -> Array:
    """The half of a signal with Hermitian symmetry that has a real spectrum.

    Parameters
    ----------
    a : real floating-point Array, shape (...)
        The operand. Integers become the default floating-point dtype, float16 float32.

    Returns
    -------
    complex floating-point Array
        Of the precision of a.

    Examples
    --------
    >>> xarr.fft.ihfft(xarr.ones(5)).shape
    (3,)
    """
    return along_axis(rows.ihfft, a, n, axis, norm, out)
