"""Data types: conversion, limits, kinds and promotion.

The standard's chapter of data type functions, and NumPy's predicates of objects. The facts are in
`dtypes.TABLE`; nothing here lists data types.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy

from xarr import dtypes, layout
from xarr.array import flags, out_argument
from xarr.array.array import Array, ArrayLike, Axis, DeviceLike, DTypeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, as_array, retyped
from xarr.array.layouts import in_order, is_number
from xarr.backends.device import Device, default_device, default_float, get_device
from xarr.dtypes import BOOL, COMPLEX, REAL, SIGNED, UNSIGNED, DType
from xarr.errors import type_error, value_error, warn
from xarr.ir.operation import interned
from xarr.ir.views import constant
from xarr.layout import Shape
from xarr.ops import elementwise as rows

AnyDType = numpy.dtype[Any]


@cached_call
def astype(
    x: ArrayLike, dtype: DTypeLike, /, *, copy: bool = True, device: Device | str | None = None
) -> Array:
    """Convert an array to a data type.

    dtype : dtype -- The data type; the device must support it.
    copy : bool -- What to do if nothing changes: True copies, False returns x itself.

    -> Array, shape (...)
        Conversion to an integer type truncates towards zero; numbers outside its range become what
        NumPy gives on x86-64.

    Note: A conversion from complex to real drops the imaginary part, with a `ComplexWarning`, as
    NumPy's does.

    >>> xarr.astype(xarr.asarray([1.7, -1.7]), xarr.int32).tolist()
    [1, -1]
    """
    array = array_of(x, _ASTYPE)
    return _converted(array, dtypes.lookup(dtype, _ASTYPE), copy, device)


_ASTYPE: Final = "astype(x, dtype)"


def _converted(x: Array, row: DType, copy: bool, device: DeviceLike) -> Array:
    target = None if device is None else get_device(device, "astype(x, dtype, device)")
    return retyped(x, row, _ASTYPE, copy=copy, target=target)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Tell whether a data type can be converted to another, by default without loss.

    from_ : dtype or Array -- The data type to convert, or an array of it.
    to : dtype -- The data type of the result.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        Which conversions are allowed, by NumPy's rules.

    TypeError -- If `to` is no data type, or the first argument a Python number.

    >>> xarr.can_cast(xarr.int32, xarr.int64)
    True
    """
    where = "can_cast(from_, to)"
    given, wanted = _any_dtype(from_, where), _any_dtype(to, where)
    return _castable(given, wanted, casting, "can_cast(from_, to, casting)")


def _castable(given: AnyDType, wanted: AnyDType, casting: str, where: str) -> bool:
    out_argument.require_casting(casting, where)
    return bool(numpy.can_cast(given, wanted, casting))  # type: ignore[arg-type]


def require_casting(given: AnyDType, wanted: AnyDType, casting: str, where: str) -> None:
    """Refuse a conversion that is not of a kind."""
    if not _castable(given, wanted, casting, where):
        fault = f"dtype {given} becomes {wanted} and casting is {casting!r}"
        accepted = "the conversion must be of that kind"
        raise type_error(where, fault, accepted, "pass casting='unsafe'")


def _any_dtype(value: Any, where: str) -> AnyDType:
    """The data type of an array, or one of NumPy's, which xarr need not have."""
    if isinstance(value, bool | int | float | complex) and not isinstance(value, numpy.generic):
        fault = f"{value!r} was given"
        raise type_error(where, fault, "it must be a dtype or an Array", "use its type")
    try:
        return _dtype_of(value, where).numpy
    except TypeError:
        if not isinstance(value, str | type | numpy.dtype):
            raise
    return numpy.dtype(value)


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """The limits of a floating-point data type, as Python scalars.

    Attributes
    ----------
    dtype : dtype
        The real floating-point data type.
    bits : int
        Bits of one number.
    eps : float
        The difference between 1 and the next larger number.
    max, min : float
        The largest and the smallest finite number.
    smallest_normal, tiny : float
        The smallest positive number with full precision.
    smallest_subnormal : float
        The smallest positive number.
    resolution : float
        10 to the power of -precision.
    precision : int
        Decimal digits that are always right.
    epsneg : float
        The difference between 1 and the next smaller number.
    machep, negep : int
        The powers of two of `eps` and of `epsneg`.
    maxexp, minexp : int
        The smallest power of two that is infinite, and the smallest with full precision.
    nexp, iexp, nmant : int
        Bits of the exponent, which NumPy has under two names, and of the fraction.

    >>> limits = xarr.finfo("float32")
    >>> limits.bits, limits.precision, limits.eps == 2**-23
    (32, 6, True)
    """

    dtype: AnyDType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    tiny: float
    smallest_subnormal: float
    resolution: float
    precision: int
    epsneg: float
    machep: int
    negep: int
    maxexp: int
    minexp: int
    nexp: int
    iexp: int
    nmant: int


@dataclass(frozen=True, slots=True)
class IntegerInfo:
    """The limits of an integer data type, as Python scalars.

    Attributes
    ----------
    dtype : dtype
        The integer data type.
    bits : int
        Bits of one number.
    max, min : int
        The largest and the smallest number.
    kind, key : str
        NumPy's letter of the kind; and the letter with the number of bits, as "i8".

    >>> limits = xarr.iinfo("int8")
    >>> limits.min, limits.max, limits.key
    (-128, 127, 'i8')
    """

    dtype: AnyDType
    bits: int
    max: int
    min: int
    kind: str
    key: str


def finfo(dtype: Any) -> FloatInfo:
    """Tell the limits of a floating-point data type.

    dtype : dtype or Array -- A floating-point or complex data type, or an array of it; a complex
        one gives the limits of its parts.

    ValueError -- If the data type is neither floating-point nor complex.
    TypeError -- If there is no such data type.

    >>> xarr.finfo(xarr.float32).eps
    1.1920928955078125e-07
    """
    row = _dtype_of(float if isinstance(dtype, float) else dtype, "finfo(dtype)")
    row = dtypes.PART.get(row, row)
    if row.kind != REAL:
        fault = f"dtype is {row}"
        accepted = "it must be floating-point"
        raise value_error("finfo(dtype)", fault, accepted, "use xarr.iinfo for integers")
    found: FloatInfo = interned(_float_info, row)
    return found


def _float_info(row: DType) -> FloatInfo:
    info = numpy.finfo(row.numpy)
    scalars = {"int": int, "float": float}
    values = {name: scalars[kind](getattr(info, name)) for name, kind in _NUMBERS.items()}
    return FloatInfo(row.numpy, **values)


_NUMBERS: Final = {field.name: str(field.type) for field in fields(FloatInfo)[1:]}
"""The numbers of a `FloatInfo`, and the type of each."""


def iinfo(int_type: Any) -> IntegerInfo:
    """Tell the limits of an integer data type.

    int_type : dtype or Array -- An integer data type, or an array of it.

    ValueError -- If the data type is no integer type.
    TypeError -- If there is no such data type.

    >>> xarr.iinfo(xarr.int16).max
    32767
    """
    given = int if isinstance(int_type, int) and not isinstance(int_type, bool) else int_type
    row = _dtype_of(given, "iinfo(int_type)")
    if row.kind not in dtypes.INTEGER:
        fault = f"int_type is {row}"
        accepted = "it must be an integer dtype"
        remedy = "use xarr.finfo for floating-point numbers"
        raise value_error("iinfo(int_type)", fault, accepted, remedy)
    low, high = dtypes.integer_bounds(row)
    bits, kind = 8 * row.itemsize, row.numpy.kind
    return IntegerInfo(row.numpy, bits, high, low, kind, f"{kind}{bits}")


KINDS: Final[dict[str, tuple[str, ...]]] = {
    "bool": (BOOL,),
    "signed integer": (SIGNED,),
    "unsigned integer": (UNSIGNED,),
    "integral": dtypes.INTEGER,
    "real floating": (REAL,),
    "complex floating": (COMPLEX,),
    "numeric": dtypes.NUMERIC,
}
"""The standard's names of kinds of data type."""


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Tell whether a data type is of one of several kinds.

    dtype : dtype -- The data type.
    kind : dtype, str or tuple of them
        A data type, or "bool", "signed integer", "unsigned integer", "integral", "real floating",
        "complex floating" or "numeric"; or a tuple of
        these, one of which must fit.

    ValueError -- If `kind` is unknown.

    >>> xarr.isdtype(xarr.float32, ("integral", "real floating"))
    True
    """
    where = "isdtype(dtype, kind)"
    return is_of(dtypes.lookup(dtype, where), kind, where)


def is_of(row: DType, kind: Any, where: str) -> bool:
    """Whether a data type is of a kind, or of one of several."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    # All are looked at, so that a wrong one is reported whatever stands before it.
    return max([_is_kind(row, item, where) for item in kinds], default=False)


def _is_kind(row: DType, kind: Any, where: str) -> bool:
    if isinstance(kind, str):
        words = KINDS.get(kind)
        if words is None:
            fault = f"kind is {kind!r}"
            raise value_error(where, fault, "kind must be one of " + ", ".join(map(repr, KINDS)))
        return row.kind in words
    if not isinstance(kind, numpy.dtype | type):
        fault = f"kind is of type {type(kind).__name__}"
        accepted = "it must be a dtype, the name of a kind, or a tuple of them"
        raise type_error(where, fault, accepted)
    return row is dtypes.lookup(kind, where)


def result_type(*arrays_and_dtypes: Any) -> AnyDType:
    """Tell the data type that arrays, data types and Python scalars promote to.

    *arrays_and_dtypes : Array, dtype or Python scalar
        The operands. A Python scalar takes the dtype of the others unless it is of a higher kind.

    -> dtype
        By the standard's rules and, for mixed kinds, NumPy's.

    ValueError -- If there are no arguments.
    TypeError -- If an argument is None or no data type.

    >>> xarr.result_type(xarr.ones(3, dtype=xarr.float32), xarr.int8, 2.0)
    dtype('float32')
    """
    where = "result_type(*arrays_and_dtypes)"
    if not arrays_and_dtypes:
        raise value_error(where, "there are no arguments", "there must be at least one")
    scalars: list[complex] = []
    row: DType | None = None
    device: Device | None = None
    for item in arrays_and_dtypes:
        if type(item) is Array:
            device = item._view.device
            own = item._view.dtype
        elif isinstance(item, bool | int | float | complex) and not isinstance(item, numpy.generic):
            scalars.append(item)
            continue
        else:
            own = _dtype_of(item, where)
        row = own if row is None else dtypes.promote(row, own)
    if scalars:
        kinds = (bool, int, float, complex)
        highest = max(scalars, key=lambda one: [isinstance(one, k) for k in kinds].index(True))
        floating = default_float(device or default_device())
        row = dtypes.of_python_scalar(highest, row or dtypes.bool_, floating)
    assert row is not None
    return row.numpy


def _dtype_of(value: Any, where: str) -> DType:
    """The row of an array's data type, or of a data type."""
    if type(value) is Array:
        return value._view.dtype
    if hasattr(type(value), "__array__") and isinstance(getattr(value, "dtype", None), numpy.dtype):
        return dtypes.lookup(value.dtype.newbyteorder("="), where)  # as it is once on a device
    if value is None:
        # NumPy reads None as float64; here it is a forgotten argument.
        raise type_error(where, "None was given", "it must be a dtype or an Array")
    return dtypes.lookup(value, where)


@cached_call
def cast(
    x: Array, dtype: DTypeLike, order: str | None, casting: str, copy: bool, device: DeviceLike
) -> Array:
    """Convert an array as its method does, perhaps to another order of its elements."""
    where = "x.astype(dtype)"
    row = dtypes.lookup(dtype, where)
    if casting != "unsafe":
        require_casting(x.dtype, row.numpy, casting, where)
    result = _converted(x, row, copy, device)
    order = layout.order_of(order, where)
    if order == "K":
        return result
    if order == "A":
        order = "F" if flags.Flags(x).fnc else "C"
    return in_order(result, order, where)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Tell whether the data type arg1 is of the kind arg2.

    arg2 : dtype or kind of data type -- A data type, or a kind such as `xarr.floating`.
    arg1, arg2 : dtype -- The data type, and the type or kind that it may belong to.

    >>> xarr.issubdtype(xarr.float32, xarr.floating)
    True
    """
    return bool(numpy.issubdtype(arg1, arg2))


def promote_types(type1: Any, type2: Any) -> AnyDType:
    """Tell the smallest data type that both type1 and type2 can be converted to.

    type1, type2 : dtype -- The data types.

    >>> xarr.promote_types("int8", "uint8")
    dtype('int16')
    """
    return numpy.promote_types(type1, type2)


def common_type(*arrays: ArrayLike) -> type[Any]:
    """Tell the common floating-point type of arrays; integers count as float64.

    >>> xarr.common_type(xarr.ones(2, dtype="float32"), xarr.ones(2, dtype="complex64"))
    <class 'numpy.complex64'>
    """
    given = [as_array(array, "common_type(*arrays)", "an array").dtype for array in arrays]
    return numpy.common_type(*[numpy.empty(0, dtype) for dtype in given])


def min_scalar_type(a: Any, /) -> AnyDType:
    """Tell the smallest data type that holds a number; for an array with axes, its data type.

    a : number, Array or values -- The number. The call waits for a number on a device.

    >>> xarr.min_scalar_type(300)
    dtype('uint16')
    """
    if type(a) is Array:
        return a.dtype if a.ndim else numpy.min_scalar_type(a.dtype.type(a.item()))
    return numpy.min_scalar_type(a)


def mintypecode(typechars: Iterable[Any], typeset: str = "GDFgdf", default: str = "d") -> str:
    """Tell the letter of the smallest data type that all given types can be converted to.

    typechars : str, or sequence of str and Arrays -- Letters of data types, or arrays of them.
    typeset : str -- The letters to choose from.
    default : str -- The letter to return if none fits.

    >>> xarr.mintypecode(["d", "f"])
    'd'
    """
    letters = [char.dtype.char if hasattr(char, "dtype") else char for char in typechars]
    return str(numpy.mintypecode(letters, typeset, default))


def typename(char: str) -> str:
    """Describe the data type that a letter of NumPy's stands for.

    char : str -- The letter.

    Note: NumPy 2.5 deprecated it; `numpy.dtype(char).name` names the type.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     xarr.typename("d")
    'double precision'
    """
    described: Any = numpy.typename
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        text = str(described(char))
    for warning in told:
        warn(str(warning.message), warning.category)
    return text


def isscalar(element: Any) -> bool:
    """Tell whether `element` is a scalar: a number or string, or a result without axes.

    A result such as ``x.sum()`` or ``x[0]`` is a scalar, as in NumPy; ``asarray(3.0)`` is not.

    element : object -- Anything.

    >>> xarr.isscalar(3.0), xarr.isscalar(xarr.ones(3).sum())
    (True, True)
    """
    if type(element) is Array:
        return is_number(element)
    return bool(numpy.isscalar(element))


def iterable(y: Any) -> bool:
    """Tell whether an object can be iterated over; an Array without axes cannot.

    y : object -- Anything.

    >>> xarr.iterable(xarr.ones(2)), xarr.iterable(2)
    (True, False)
    """
    if type(y) is Array:
        return bool(y._view.shape)
    try:
        iter(y)
    except TypeError:
        return False
    return True


def _is_complex(x: Any, where: str) -> bool:
    if type(x) is not Array:  # what has only a data type, as a data frame has
        given = getattr(x, "dtype", None)
        kind = getattr(given, "type", given)
        if isinstance(kind, type):
            return issubclass(kind, complex | numpy.complexfloating)
    return array_of(x, where)._view.dtype.kind == dtypes.COMPLEX


def iscomplexobj(x: Any) -> bool:
    """Tell whether an array has a complex data type, whatever its values.

    >>> xarr.iscomplexobj(xarr.ones(2, dtype="complex64"))
    True
    """
    return _is_complex(x, "iscomplexobj(x)")


def isrealobj(x: Any) -> bool:
    """Tell whether an array has a data type that is not complex.

    >>> xarr.isrealobj(xarr.ones(2))
    True
    """
    return not _is_complex(x, "isrealobj(x)")


def iscomplex(x: ArrayLike) -> Array:
    """Tell for each element whether its imaginary part is not 0.

    -> Array of bool, shape of x
    """
    return _imaginary(x, "iscomplex(x)", lambda part: part != 0, real=False)


def isreal(x: ArrayLike) -> Array:
    """Tell for each element whether its imaginary part is 0.

    -> Array of bool, shape of x
    """
    return _imaginary(x, "isreal(x)", lambda part: part == 0, real=True)


def _imaginary(x: Any, where: str, ask: Callable[[Array], Array], *, real: bool) -> Array:
    view = array_of(x, where)._view
    if view.dtype.kind != dtypes.COMPLEX:
        return Array(constant(real, dtypes.bool_, view.shape, view.device))
    return ask(Array(rows.imag.applied(view)))


def shape(a: Any) -> Shape:
    """Tell the shape of an array, or of nested lists.

    >>> xarr.shape([[1, 2, 3]])
    (1, 3)
    """
    return _shape(a, "shape(a)")


def _shape(a: Any, where: str) -> Shape:
    if type(a) is Array:
        return a._view.shape
    found = getattr(a, "shape", None)
    return found if type(found) is tuple else array_of(a, where).shape


def ndim(a: Any) -> int:
    """Tell the number of axes of an array, or of nested lists.

    >>> xarr.ndim([[1, 2, 3]])
    2
    """
    return len(_shape(a, "ndim(a)"))


def size(a: Any, axis: Axis = None) -> int:
    """Tell the number of elements of an array, or along some axes.

    >>> xarr.size([[1, 2, 3]]), xarr.size([[1, 2, 3]], 0)
    (3, 1)
    """
    where = "size(a, axis)"
    extents = _shape(a, where)
    if axis is None:
        return math.prod(extents)
    axes = layout.normalize_axes(axis, len(extents), where, "a")
    return math.prod(extents[place] for place in axes)
