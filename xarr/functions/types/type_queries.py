"""NumPy's questions about data types and about what an object is: none of them computes a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis
from xarr.array.conversion import as_array
from xarr.array.door import array_of
from xarr.array.layouts import is_number
from xarr.core.tape import constant
from xarr.functions.types.data_types import AnyDType
from xarr.layout import Shape
from xarr.tables import elementwise as rows


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Tell whether a data type is of a kind: NumPy's ``issubdtype``.

    arg2 : dtype or kind of data type -- A data type, or a kind such as `xarr.floating`.

    >>> xarr.issubdtype(xarr.float32, xarr.floating)
    True
    """
    return bool(numpy.issubdtype(arg1, arg2))


def promote_types(type1: Any, type2: Any) -> AnyDType:
    """Tell the smallest data type that two others can be converted to.

    >>> xarr.promote_types("int8", "uint8")
    dtype('int16')
    """
    return numpy.promote_types(type1, type2)


def common_type(*arrays: ArrayLike) -> type[Any]:
    """Tell the floating-point type that arrays have in common, of which integers count as float64.

    >>> xarr.common_type(xarr.ones(2, dtype="float32"), xarr.ones(2, dtype="complex64"))
    <class 'numpy.complex64'>
    """
    given = [as_array(array, "common_type(*arrays)", "an array").dtype for array in arrays]
    return numpy.common_type(*[numpy.empty(0, dtype) for dtype in given])


def min_scalar_type(a: Any, /) -> AnyDType:
    """Tell the smallest data type that holds a number; of an array with axes, its own.

    a : number, Array or values -- The number. One that is on the device is read.

    >>> xarr.min_scalar_type(300)
    dtype('uint16')
    """
    if type(a) is Array:
        return a.dtype if a.ndim else numpy.min_scalar_type(a.dtype.type(a.item()))
    return numpy.min_scalar_type(a)


def mintypecode(typechars: Iterable[Any], typeset: str = "GDFgdf", default: str = "d") -> str:
    """Tell the letter of the smallest type that others can be converted to.

    typechars : str, or sequence of str and Arrays -- Letters of data types, or arrays of them.
    typeset : str -- The letters that are chosen from.
    default : str -- The letter where none fits.

    >>> xarr.mintypecode(["d", "f"])
    'd'
    """
    letters = [char.dtype.char if hasattr(char, "dtype") else char for char in typechars]
    return str(numpy.mintypecode(letters, typeset, default))


def typename(char: str) -> str:
    """Describe the data type of a letter of NumPy's.

    >>> xarr.typename("f")
    'single precision'
    """
    described: Any = numpy.typename
    return str(described(char))


def isscalar(element: Any) -> bool:
    """Tell whether an object is a number or a string of Python's or NumPy's, or has no axes.

    True of an Array of no axes for which NumPy has a scalar; False of `asarray(3.0)`.

    >>> xarr.isscalar(3.0), xarr.isscalar(xarr.ones(3).sum())
    (True, True)
    """
    if type(element) is Array:
        return is_number(element)
    return bool(numpy.isscalar(element))


def iterable(y: Any) -> bool:
    """Tell whether an object can be iterated over; an Array of no axes cannot.

    >>> xarr.iterable(xarr.ones(2)), xarr.iterable(2)
    (True, False)
    """
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
    return array_of(x, where)._node.dtype.kind == dtypes.COMPLEX


def iscomplexobj(x: Any) -> bool:
    """Tell whether an array is of a complex data type, whatever its values.

    >>> xarr.iscomplexobj(xarr.ones(2, dtype="complex64"))
    True
    """
    return _is_complex(x, "iscomplexobj(x)")


def isrealobj(x: Any) -> bool:
    """Tell whether an array is not of a complex data type.

    >>> xarr.isrealobj(xarr.ones(2))
    True
    """
    return not _is_complex(x, "isrealobj(x)")


def iscomplex(x: ArrayLike) -> Array:
    """Tell of each element whether its imaginary part is not 0.

    >>> xarr.iscomplex(xarr.asarray([1 + 1j, 1 + 0j])).tolist()
    [True, False]
    """
    return _imaginary(x, "iscomplex(x)", lambda part: part != 0, real=False)


def isreal(x: ArrayLike) -> Array:
    """Tell of each element whether its imaginary part is 0.

    >>> xarr.isreal(xarr.asarray([1 + 1j, 1 + 0j])).tolist()
    [False, True]
    """
    return _imaginary(x, "isreal(x)", lambda part: part == 0, real=True)


def _imaginary(x: Any, where: str, ask: Callable[[Array], Array], *, real: bool) -> Array:
    node = array_of(x, where)._node
    if node.dtype.kind != dtypes.COMPLEX:
        return Array(constant(real, dtypes.bool_, node.shape, node.device))
    return ask(Array(rows.imag.applied(node)))


def shape(a: Any) -> Shape:
    """Tell the shape of an array, or of what can be made one.

    >>> xarr.shape([[1, 2, 3]])
    (1, 3)
    """
    found = getattr(a, "shape", None)
    return found if type(found) is tuple else array_of(a, "shape(a)").shape


def ndim(a: Any) -> int:
    """Tell the number of axes of an array, or of what can be made one.

    >>> xarr.ndim([[1, 2, 3]])
    2
    """
    return len(shape(a))


def size(a: Any, axis: Axis = None) -> int:
    """Tell the number of elements of an array, or along axes.

    >>> xarr.size([[1, 2, 3]]), xarr.size([[1, 2, 3]], 0)
    (3, 1)
    """
    extents = shape(a)
    axes = layout.normalize_axes(axis, len(extents), "size(a, axis)", "a")
    return math.prod(extents[place] for place in axes)
