"""Functions of each element by itself: written from the rows of `tables.elementwise`.

``python -m tools.chapters --write`` writes this file; edit the rows.
"""

from __future__ import annotations

from xarr.array.array import Array, ArrayLike, DTypeLike
from xarr.array.outcome import Out
from xarr.functions.applying import binary, unary
from xarr.functions.ufuncs import universal
from xarr.tables import elementwise as rows


@universal(rows.abs)
def abs(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The absolute value of x.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.acos)
def acos(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse cosine of x, in [0, pi].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.acosh)
def acosh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse hyperbolic cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.add)
def add(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The sum of x1 and x2; of bools, whether one is true.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.asin)
def asin(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse sine of x, in [-pi/2, pi/2].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.asinh)
def asinh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse hyperbolic sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.atan)
def atan(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse tangent of x, in [-pi/2, pi/2].

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, result in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.atan2)
def atan2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The angle of the point (x2, x1), in [-pi, pi].

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands, result in radians; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.atanh)
def atanh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The inverse hyperbolic tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_and)
def bitwise_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits that are set in both x1 and x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_invert)
def bitwise_invert(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits of x inverted.

    Parameters
    ----------
    x : integer or bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_left_shift)
def bitwise_left_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits of x1 moved x2 places up; 0 where x2 is not below the width.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands, x2 in bits; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_or)
def bitwise_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits that are set in x1 or x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_right_shift)
def bitwise_right_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits of x1 moved x2 places down, the sign repeated.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands, x2 in bits; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.bitwise_xor)
def bitwise_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The bits that are set in one of x1 and x2.

    Parameters
    ----------
    x1, x2 : integer or bool Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.cbrt)
def cbrt(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The cube root of x.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.cbrt(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.cbrt, x)


@universal(rows.ceil)
def ceil(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The least integer that is not below x, in the dtype of x.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.conj)
def conj(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The complex conjugate of x; x itself where it is real.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.copysign)
def copysign(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The magnitude of x1 with the sign of x2.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.cos)
def cos(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.cosh)
def cosh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The hyperbolic cosine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.deg2rad)
def deg2rad(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """An angle in degrees, in radians.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand, in degrees; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.deg2rad(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.deg2rad, x)


@universal(rows.divide)
def divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The quotient of x1 and x2.

    Parameters
    ----------
    x1, x2 : floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.equal)
def equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 equals x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.exp)
def exp(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The exponential of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.exp2)
def exp2(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """2 to the power of x.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.exp2(xarr.asarray([1.0, 2.0])).tolist()
    [2.0, 4.0]
    """
    return unary(rows.exp2, x)


@universal(rows.expm1)
def expm1(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """exp(x) - 1, accurate near 0.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.fabs)
def fabs(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The absolute value of x, in floating point.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.fabs(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.fabs, x)


@universal(rows.floor)
def floor(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The greatest integer that is not above x, in the dtype of x.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.floor_divide)
def floor_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The quotient of x1 and x2, rounded down; 0 where an integer is divided by 0.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.fmax)
def fmax(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The larger of x1 and x2; the other one where one is NaN.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.fmax(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [6.0, 7.0]
    """
    return binary(rows.fmax, x1, x2)


@universal(rows.fmin)
def fmin(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The smaller of x1 and x2; the other one where one is NaN.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.fmin(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [2.0, 2.0]
    """
    return binary(rows.fmin, x1, x2)


@universal(rows.fmod)
def fmod(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """What is left of x1 after division by x2 rounded towards 0, with the sign of x1.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.fmod(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [0.0, 1.0]
    """
    return binary(rows.fmod, x1, x2)


@universal(rows.gcd)
def gcd(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The greatest common divisor of x1 and x2, without a sign.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.gcd(xarr.asarray([6, 7]), 2).tolist()
    [2, 1]
    """
    return binary(rows.gcd, x1, x2)


@universal(rows.greater)
def greater(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 is greater than x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.greater_equal)
def greater_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 is not less than x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.heaviside)
def heaviside(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """0 where x1 is negative, 1 where it is positive, and x2 where it is 0.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.heaviside(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [1.0, 1.0]
    """
    return binary(rows.heaviside, x1, x2)


@universal(rows.hypot)
def hypot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The square root of x1**2 + x2**2, without overflow on the way.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.isfinite)
def isfinite(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x is neither infinite nor NaN.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.isinf)
def isinf(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x is infinite.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.isnan)
def isnan(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x is NaN.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.lcm)
def lcm(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The least common multiple of x1 and x2, without a sign.

    Parameters
    ----------
    x1, x2 : integer Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.lcm(xarr.asarray([6, 7]), 2).tolist()
    [6, 14]
    """
    return binary(rows.lcm, x1, x2)


@universal(rows.less)
def less(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 is less than x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.less_equal)
def less_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 is not greater than x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.log)
def log(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The natural logarithm of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.log10)
def log10(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The logarithm of x to base 10.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.log1p)
def log1p(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """log(1 + x), accurate near 0.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.log2)
def log2(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The logarithm of x to base 2.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.logaddexp)
def logaddexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """log(exp(x1) + exp(x2)), without overflow on the way.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.logaddexp2)
def logaddexp2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """log2(2**x1 + 2**x2), without overflow on the way.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.logaddexp2(xarr.asarray([6.0, 7.0]), 2.0).shape
    (2,)
    """
    return binary(rows.logaddexp2, x1, x2)


@universal(rows.logical_and)
def logical_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 and x2 are both true, or nonzero.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    >>> xarr.logical_and(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [True, True]
    """
    return binary(rows.logical_and, x1, x2)


@universal(rows.logical_not)
def logical_not(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x is false, or zero.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    >>> xarr.logical_not(xarr.asarray([1.0, 2.0])).tolist()
    [False, False]
    """
    return unary(rows.logical_not, x)


@universal(rows.logical_or)
def logical_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 or x2 is true, or nonzero.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    >>> xarr.logical_or(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [True, True]
    """
    return binary(rows.logical_or, x1, x2)


@universal(rows.logical_xor)
def logical_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether one of x1 and x2 is true, or nonzero.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    >>> xarr.logical_xor(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [False, False]
    """
    return binary(rows.logical_xor, x1, x2)


@universal(rows.maximum)
def maximum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The larger of x1 and x2; NaN if one is.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.minimum)
def minimum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The smaller of x1 and x2; NaN if one is.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.multiply)
def multiply(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The product of x1 and x2; of bools, whether both are true.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.negative)
def negative(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The negative of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.nextafter)
def nextafter(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The number next to x1 towards x2.

    Parameters
    ----------
    x1, x2 : real floating-point Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.not_equal)
def not_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether x1 differs from x2.

    Parameters
    ----------
    x1, x2 : any Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.positive)
def positive(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """A new array with the values of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.rad2deg)
def rad2deg(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """An angle in radians, in degrees.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.rad2deg(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.rad2deg, x)


@universal(rows.reciprocal)
def reciprocal(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """1 / x; of integers the whole part, and 0 of 0.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    >>> xarr.reciprocal(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    return unary(rows.reciprocal, x)


@universal(rows.remainder)
def remainder(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """What is left of x1 after floor division by x2, with the sign of x2.

    Parameters
    ----------
    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.rint)
def rint(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The integer nearest to x, halves to even, in floating point.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.rint(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return unary(rows.rint, x)


@universal(rows.sign)
def sign(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """-1, 0 or 1 by the sign of x; x / abs(x) if complex.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.signbit)
def signbit(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """Whether the sign bit of x is set.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.sin)
def sin(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.sinh)
def sinh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The hyperbolic sine of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.spacing)
def spacing(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """How far the next number away from 0 is, with the sign of x.

    Parameters
    ----------
    x : real floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.spacing(xarr.asarray([1.0, 2.0])).shape
    (2,)
    """
    return unary(rows.spacing, x)


@universal(rows.sqrt)
def sqrt(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The square root of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.square)
def square(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The square of x.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.subtract)
def subtract(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The difference of x1 and x2.

    Parameters
    ----------
    x1, x2 : numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.tan)
def tan(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand, in radians; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.tanh)
def tanh(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The hyperbolic tangent of x.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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


@universal(rows.trunc)
def trunc(
    x: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """The integer next to x towards 0, in the dtype of x.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    out : Array, optional
        Where the result goes.
    where : bool Array, optional
        Where it goes there; elsewhere `out` keeps its elements.
    dtype, casting : data type, str, optional
        What to compute in, and how operands and result may be converted.
    order, subok : optional
        NumPy's; of no effect.

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
