"""Functions of each element by itself: written from the rows of `tables.elementwise`.

``python -m tools.chapters --write`` writes this file; edit the rows.
"""

from __future__ import annotations

from xarr.array.array import Array, ArrayLike
from xarr.functions.applying import binary, unary
from xarr.tables import elementwise as rows


def abs(x: ArrayLike, /) -> Array:
    """The absolute value of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type of x, or of the parts of a complex x.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.abs(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.abs, x)


def acos(x: ArrayLike, /) -> Array:
    """The inverse cosine of x, in [0, pi].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.acos(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.acos, x)


def acosh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.acosh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.acosh, x)


def add(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The sum of x1 and x2.

    Parameters
    ----------
    x1, x2 : numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.add(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [8.0, 9.0]
    """
    return binary(rows.add, x1, x2)


def asin(x: ArrayLike, /) -> Array:
    """The inverse sine of x, in [-pi/2, pi/2].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.asin(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.asin, x)


def asinh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.asinh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.asinh, x)


def atan(x: ArrayLike, /) -> Array:
    """The inverse tangent of x, in [-pi/2, pi/2].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.atan(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.atan, x)


def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle of the point (x2, x1), in [-pi, pi].

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands, result in radians; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.atan2(xarr.asarray([6.0, 7.0]), 2.0).shape
    (2,)
    """
    return binary(rows.atan2, x1, x2)


def atanh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.atanh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.atanh, x)


def bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits that are set in both x1 and x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_and(xarr.asarray([True, False]), True).tolist()
    [True, False]
    """
    return binary(rows.bitwise_and, x1, x2)


def bitwise_invert(x: ArrayLike, /) -> Array:
    """The bits of x inverted.

    Parameters
    ----------
    x : integer or bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_invert(xarr.asarray([True, False])).tolist()
    [False, True]
    """
    return unary(rows.bitwise_invert, x)


def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits of x1 moved x2 places up; 0 where x2 is not below the width.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands, x2 in bits; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_left_shift(xarr.asarray([6, 7]), 2).tolist()
    [24, 28]
    """
    return binary(rows.bitwise_left_shift, x1, x2)


def bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits that are set in x1 or x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_or(xarr.asarray([True, False]), True).tolist()
    [True, True]
    """
    return binary(rows.bitwise_or, x1, x2)


def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits of x1 moved x2 places down, the sign repeated.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands, x2 in bits; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_right_shift(xarr.asarray([6, 7]), 2).tolist()
    [1, 1]
    """
    return binary(rows.bitwise_right_shift, x1, x2)


def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits that are set in one of x1 and x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.bitwise_xor(xarr.asarray([True, False]), True).tolist()
    [False, True]
    """
    return binary(rows.bitwise_xor, x1, x2)


def ceil(x: ArrayLike, /) -> Array:
    """The least integer that is not below x, in the dtype of x.

    Parameters
    ----------
    x : real numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.ceil(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.ceil, x)


def conj(x: ArrayLike, /) -> Array:
    """The complex conjugate of x; x itself where it is real.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.conj(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.conj, x)


def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The magnitude of x1 with the sign of x2.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.copysign(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [6.0, 7.0]
    """
    return binary(rows.copysign, x1, x2)


def cos(x: ArrayLike, /) -> Array:
    """The cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.cos(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.cos, x)


def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.cosh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.cosh, x)


def divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient of x1 and x2.

    Parameters
    ----------
    x1, x2 : floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.divide(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [3.0, 3.5]
    """
    return binary(rows.divide, x1, x2)


def equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 equals x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.equal(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [False, False]
    """
    return binary(rows.equal, x1, x2)


def exp(x: ArrayLike, /) -> Array:
    """The exponential of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.exp(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.exp, x)


def expm1(x: ArrayLike, /) -> Array:
    """exp(x) - 1, accurate near 0.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.expm1(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.expm1, x)


def floor(x: ArrayLike, /) -> Array:
    """The greatest integer that is not above x, in the dtype of x.

    Parameters
    ----------
    x : real numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.floor(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.floor, x)


def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient of x1 and x2, rounded down; 0 where an integer is divided by 0.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.floor_divide(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [3.0, 3.0]
    """
    return binary(rows.floor_divide, x1, x2)


def greater(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 is greater than x2.

    Parameters
    ----------
    x1, x2 : real numeric or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.greater(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [True, True]
    """
    return binary(rows.greater, x1, x2)


def greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 is not less than x2.

    Parameters
    ----------
    x1, x2 : real numeric or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.greater_equal(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [True, True]
    """
    return binary(rows.greater_equal, x1, x2)


def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The square root of x1**2 + x2**2, without overflow on the way.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.hypot(xarr.asarray([6.0, 7.0]), 2.0).shape
    (2,)
    """
    return binary(rows.hypot, x1, x2)


def imag(x: ArrayLike, /) -> Array:
    """The imaginary part of x.

    Parameters
    ----------
    x : complex floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type of x, or of the parts of a complex x.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.imag(xarr.asarray([1 + 2j, 3j])).tolist()
    [2.0, 3.0]
    """
    return unary(rows.imag, x)


def isfinite(x: ArrayLike, /) -> Array:
    """Whether x is neither infinite nor NaN.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.isfinite(xarr.asarray([1.0, 2.0])).tolist()
    [True, True]
    """
    return unary(rows.isfinite, x)


def isinf(x: ArrayLike, /) -> Array:
    """Whether x is infinite.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.isinf(xarr.asarray([1.0, 2.0])).tolist()
    [False, False]
    """
    return unary(rows.isinf, x)


def isnan(x: ArrayLike, /) -> Array:
    """Whether x is NaN.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.isnan(xarr.asarray([1.0, 2.0])).tolist()
    [False, False]
    """
    return unary(rows.isnan, x)


def less(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 is less than x2.

    Parameters
    ----------
    x1, x2 : real numeric or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.less(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [False, False]
    """
    return binary(rows.less, x1, x2)


def less_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 is not greater than x2.

    Parameters
    ----------
    x1, x2 : real numeric or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.less_equal(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [False, False]
    """
    return binary(rows.less_equal, x1, x2)


def log(x: ArrayLike, /) -> Array:
    """The natural logarithm of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.log(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.log, x)


def log10(x: ArrayLike, /) -> Array:
    """The logarithm of x to base 10.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.log10(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.log10, x)


def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), accurate near 0.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.log1p(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.log1p, x)


def log2(x: ArrayLike, /) -> Array:
    """The logarithm of x to base 2.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.log2(xarr.asarray([1.0, 2.0])).tolist()
    [0.0, 1.0]
    """
    return unary(rows.log2, x)


def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log(exp(x1) + exp(x2)), without overflow on the way.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.logaddexp(xarr.asarray([6.0, 7.0]), 2.0).shape
    (2,)
    """
    return binary(rows.logaddexp, x1, x2)


def logical_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 and x2 are both true.

    Parameters
    ----------
    x1, x2 : bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.logical_and(xarr.asarray([True, False]), True).tolist()
    [True, False]
    """
    return binary(rows.logical_and, x1, x2)


def logical_not(x: ArrayLike, /) -> Array:
    """Whether x is false.

    Parameters
    ----------
    x : bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.logical_not(xarr.asarray([True, False])).tolist()
    [False, True]
    """
    return unary(rows.logical_not, x)


def logical_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 or x2 is true.

    Parameters
    ----------
    x1, x2 : bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.logical_or(xarr.asarray([True, False]), True).tolist()
    [True, True]
    """
    return binary(rows.logical_or, x1, x2)


def logical_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether one of x1 and x2 is true.

    Parameters
    ----------
    x1, x2 : bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.logical_xor(xarr.asarray([True, False]), True).tolist()
    [False, True]
    """
    return binary(rows.logical_xor, x1, x2)


def maximum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The larger of x1 and x2; NaN if one is.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.maximum(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [6.0, 7.0]
    """
    return binary(rows.maximum, x1, x2)


def minimum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The smaller of x1 and x2; NaN if one is.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.minimum(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [2.0, 2.0]
    """
    return binary(rows.minimum, x1, x2)


def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product of x1 and x2.

    Parameters
    ----------
    x1, x2 : numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.multiply(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [12.0, 14.0]
    """
    return binary(rows.multiply, x1, x2)


def negative(x: ArrayLike, /) -> Array:
    """The negative of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.negative(xarr.asarray([1.0, 2.0])).tolist()
    [-1.0, -2.0]
    """
    return unary(rows.negative, x)


def nextafter(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The number next to x1 towards x2.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.nextafter(xarr.asarray([6.0, 7.0]), 2.0).shape
    (2,)
    """
    return binary(rows.nextafter, x1, x2)


def not_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether x1 differs from x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype bool.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.not_equal(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [True, True]
    """
    return binary(rows.not_equal, x1, x2)


def positive(x: ArrayLike, /) -> Array:
    """A new array with the values of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.positive(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.positive, x)


def real(x: ArrayLike, /) -> Array:
    """The real part of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type of x, or of the parts of a complex x.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.real(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.real, x)


def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.reciprocal(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    return unary(rows.reciprocal, x)


def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What is left of x1 after floor division by x2, with the sign of x2.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.remainder(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [0.0, 1.0]
    """
    return binary(rows.remainder, x1, x2)


def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by the sign of x; x / abs(x) if complex.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.sign(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 1.0]
    """
    return unary(rows.sign, x)


def signbit(x: ArrayLike, /) -> Array:
    """Whether the sign bit of x is set.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype bool; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.signbit(xarr.asarray([1.0, 2.0])).tolist()
    [False, False]
    """
    return unary(rows.signbit, x)


def sin(x: ArrayLike, /) -> Array:
    """The sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.sin(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.sin, x)


def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.sinh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.sinh, x)


def sqrt(x: ArrayLike, /) -> Array:
    """The square root of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.sqrt(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.sqrt, x)


def square(x: ArrayLike, /) -> Array:
    """The square of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.square(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 4.0]
    """
    return unary(rows.square, x)


def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The difference of x1 and x2.

    Parameters
    ----------
    x1, x2 : numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.
    ValueError
        If the shapes do not broadcast or the devices differ.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.subtract(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [4.0, 5.0]
    """
    return binary(rows.subtract, x1, x2)


def tan(x: ArrayLike, /) -> Array:
    """The tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.tan(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.tan, x)


def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to; integers are computed in floating point.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.tanh(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.tanh, x)


def trunc(x: ArrayLike, /) -> Array:
    """The integer next to x towards 0, in the dtype of x.

    Parameters
    ----------
    x : real numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.

    Returns
    -------
    Array, shape (...)
        Of dtype the type that the operands promote to.

    Raises
    ------
    TypeError
        If an operand has another dtype, or can be made no array.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.trunc(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.trunc, x)
