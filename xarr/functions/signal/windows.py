"""Window functions, which taper what is transformed or filtered."""

from __future__ import annotations

import math

from xarr.array.array import Array
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import elementwise, special
from xarr.functions.index import searching


def bartlett(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Bartlett window: a triangle.

    >>> xarr.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    n = _points(M)
    if n.size < 2:
        return n + 1.0
    return searching.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def hanning(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Hann window: one period of a raised cosine.

    >>> xarr.hanning(3).round(12).tolist()
    [0.0, 1.0, 0.0]
    """
    return _cosines(M, 0.5, 0.5)


def hamming(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Hamming window: a raised cosine, from 0.08 to 1 and back.

    >>> xarr.hamming(3).round(12).tolist()
    [0.08, 1.0, 0.08]
    """
    return _cosines(M, 0.54, 0.46)


def blackman(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Blackman window: the first three terms of a sum of cosines.

    >>> xarr.blackman(3).round(12).tolist()
    [-0.0, 1.0, -0.0]
    """
    return _cosines(M, 0.42, 0.5, 0.08)


def kaiser(M: float, beta: float) -> Array:  # noqa: N803 - NumPy's name
    """The Kaiser window, of Bessel functions: from 1 / i0(beta) to 1 and back.

    beta : float -- The shape: 0 is a rectangle, 5 about Hamming's window, 14 a narrow peak.

    >>> xarr.kaiser(3, 0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    if M <= 1:
        return _points(M) + 1.0
    half = (M - 1) / 2.0
    share = (creation.arange(0.0, M) - half) / half
    return special.i0(float(beta) * elementwise.sqrt(1 - share * share)) / special.i0(float(beta))


def _points(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The odd or even integers from 1 - M to M - 1; 0 alone for one point."""
    if M < 1:
        return fills.zeros(0)
    if M == 1:
        return fills.zeros(1)
    return creation.arange(1.0 - M, M, 2.0)


def _cosines(M: float, *terms: float) -> Array:  # noqa: N803 - NumPy's name
    """The sum of cosines of 0, 1, 2 half periods over M points."""
    n = _points(M)
    if n.size < 2:
        return n + 1.0
    result = terms[0] + terms[1] * elementwise.cos(math.pi * n / (M - 1))
    if len(terms) == 2:
        return result
    return result + terms[2] * elementwise.cos(2.0 * math.pi * n / (M - 1))
