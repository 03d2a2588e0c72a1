"""Operators on an array and what is no array: what stands beside it, and what has its own turn."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array import numpy_protocols
from xarr.array.array import NOT_IMPLEMENTED, Array, product, rebind
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import answer_of, operand, scalar_view, widened
from xarr.array.layouts import assign, is_number, is_whole, require_writeable, settled, writeable
from xarr.array.operators import combined as known_pair, operated
from xarr.array.transfers import to_host
from xarr.dtypes import BOOL, COMPLEX, INTEGER, REAL, SIGNED, DType
from xarr.ir.views import View, constant
from xarr.ops import elementwise as rows, reduce_scan, reductions, vendor
from xarr.ops.powers import POWERS
from xarr.ops.rows import Elementwise
from xarr.tape import builder
from xarr.tape.traced import TracedNumber, plainly

_REPEATED: Final = frozenset((list, tuple))
_WHOLE: Final = (BOOL, *INTEGER)


def holds_matrices(value: object) -> bool:
    """Return whether a value may stand beside an array in a product of matrices."""
    return isinstance(value, Array | numpy.ndarray | numpy.generic | list | tuple | range)


def _counts(array: Array) -> bool:
    """Return whether an array repeats a list that is multiplied by it, as NumPy's integers do."""
    return array._view.dtype.kind in INTEGER and is_number(array)


def accepts(value: object) -> bool:
    """Return whether a value may stand beside an array in an operator; others have their turn."""
    if type(value) in _USUAL:
        return True
    if isinstance(value, numpy.ndarray) and (
        hasattr(value, "mask") or isinstance(value, numpy.matrix)
    ):
        return False
    return isinstance(value, _OPERANDS)


_USUAL: Final = (Array, int, float, numpy.ndarray)
_OPERANDS: Final = (*_USUAL, complex, numpy.generic, list, tuple, range)


def combined(row: Elementwise, x1: Any, x2: Any) -> View | None:
    """Record a row of two operands, one of them an Array; None where one cannot be used."""
    if type(x1) is Array:
        first = x1._view
        second = _beside(row, x2, first, "x2")
        if second is None:
            return _compare_out_of_range(row, first, x2, swapped=False)
        array = widened(first, second, x2)
        result = row.combined(array, second)
        _remember(row, array, second, first, x2, swapped=False)
        return result
    second = x2._view
    other = _beside(row, x1, second, "x1")
    if other is None:
        return _compare_out_of_range(row, second, x1, swapped=True)
    array = widened(second, other, x1)
    result = row.combined(other, array)
    _remember(row, array, other, second, x1, swapped=True)
    return result


def _remember(
    row: Elementwise, array: View, other: View, given: View, value: Any, *, swapped: bool
) -> None:
    """Remember a number's constant, so that the next operation like this one finds it at once."""
    if array is given and value.__class__ in (float, int):
        row.taken_as(array.structure, other.structure, value.__class__, swapped=swapped)


def _beside(row: Elementwise, value: Any, other: View, name: str) -> View | None:
    """Return an operand as a view beside an array's; None if it is none, or out of range."""
    if type(value) is Array:
        view = value._view
        return view if view.device is other.device else operand(view, other, row.where, name)
    if type(value) is TracedNumber and not value.fits(other.dtype):
        value = value.pinned()
    if type(value) is int and other.dtype.kind in _WHOLE:
        whole = dtypes.int64 if other.dtype.kind == BOOL else other.dtype
        low, high = dtypes.integer_bounds(whole)
        if not low <= value <= high:
            if row.beyond is not None:
                return None
            if row.takes_truths:
                return constant(True, dtypes.bool_, (), other.device)
            if row.floats_integers:
                floating = row.floating(whole, other.device)
                return scalar_view(float(value), floating, other.device, row.where)
    return operand(value, other, row.where, name)


def _compare_out_of_range(
    row: Elementwise, view: View, value: Any, *, swapped: bool
) -> View | None:
    """Return the result of a comparison with a Python integer that the array's type cannot hold."""
    if row.beyond is None or type(value) is not int:
        return None
    above, below = row.beyond
    return constant(
        above if (value > 0) is not swapped else below, dtypes.bool_, view.shape, view.device
    )


def refusal(row: Elementwise, name: str, value: object) -> TypeError:
    """Return the error that says that a row's function does not take a value."""
    return errors.type_error(
        row.where,
        f"{name} is of type {type(value).__name__}",
        "it must be an array, a number or a list of numbers",
        "make an array with xarr.asarray(...)",
    )


def binary(row: Elementwise, x1: Any, x2: Any) -> Array:
    """Apply a row to two operands, one of them an Array."""
    result = combined(row, x1, x2)
    if result is None:
        raise refusal(row, *(("x1", x1) if type(x1) is not Array else ("x2", x2)))
    return Array(result)


def binary_operator(row: Elementwise, x1: Any, x2: Any) -> Array:
    """Apply an operator to operands that the compiled part does not know."""
    if type(x1) is Array:
        view, kind = x1._view, type(x2)
        if kind is view.dtype.numpy.type:
            # A number of NumPy's of the array's own data type.
            return operated(row.known, x1, x2.item())  # type: ignore[no-any-return]
        if row is rows.multiply and kind in _REPEATED and _counts(x1):
            return x2 * int(x1)  # type: ignore[no-any-return]
    else:
        if row is rows.multiply and type(x1) in _REPEATED and _counts(x2):
            return x1 * int(x2)  # type: ignore[no-any-return]
    x1, x2 = _converted(x1), _converted(x2)
    accepted = (type(x2) is Array or accepts(x2)) and (type(x1) is Array or accepts(x1))
    refusal: Exception | None = None
    if accepted:
        try:
            return binary(row, x1, x2)
        except (TypeError, OverflowError) as error:
            refusal = error
    found = compare_unrelated(row, x1, x2)
    if found is None and refusal is not None:
        raise refusal
    return NOT_IMPLEMENTED if found is None else found


def _converted(value: Any) -> Any:
    """Return the array of an object that has `__array__` and leaves operators to arrays."""
    kind = type(value)
    if kind is Array or accepts(value) or hasattr(kind, "__array_ufunc__"):
        return value
    return value if hasattr(kind, "__array_priority__") else answer_of(value)


def compare_unrelated(row: Elementwise, x1: Any, x2: Any) -> Array | None:
    """Compare an array with what no device holds: text, dates, Python's objects.

    None of the elements is equal to None or to a string; how they compare with other objects, NumPy
    asks those on the host. Returns None for other functions, where objects do not compare, and for
    other libraries' arrays.
    """
    array, other = (x1, x2) if type(x1) is Array else (x2, x1)
    if row.beyond is None:
        return None
    if other is None or isinstance(other, str | bytes):
        if row is not rows.equal and row is not rows.not_equal:
            return None
        view = array._view
        return Array(constant(row is rows.not_equal, dtypes.bool_, view.shape, view.device))
    if not accepts(other) and (
        isinstance(other, numpy.ndarray)
        or hasattr(type(other), "__array_ufunc__")
        or hasattr(type(other), "__array_priority__")
    ):
        return None
    try:
        return numpy_protocols.on_host(_compared, (row.operator, x1, x2), {}, row.where)  # type: ignore[no-any-return]
    except TypeError:
        return None


def _compared(name: str, x1: Any, x2: Any) -> Any:
    return numpy.asarray(getattr(operator, name)(numpy.asarray(x1), numpy.asarray(x2)))


def assigned_by(row: Elementwise, x1: Array, result: Any) -> Array:
    """Return the array with the result of an operator in its place; a number is another one."""
    if result is NOT_IMPLEMENTED or is_number(x1):
        return result  # type: ignore[no-any-return]
    if not writeable(x1):
        require_writeable(x1, f"{row.where}, in place")
    view, given = x1._view, result._view
    stored = stored_in_place(x1, given, f"{row.where}, in place")
    where = view.layout  # None where the result was bound to the array
    is_fresh = given.storage is not None and given.storage is not view.storage
    if where is not None and where.size and is_fresh and given.dtype is view.dtype:
        opcode, how = builder.storing(given.structure, where, view.dtype)
        how.remember(given.structure, opcode)
    return stored


def power_operator(x1: Any, x2: Any) -> Array:
    """Apply the operator `**` to what it takes."""
    if type(x2) is not float:
        x2 = plainly(x2)
    is_plain = type(x1) is Array and (type(x2) is float or type(x2) is int)
    is_of_pow = x2 != 2 and (x2 not in POWERS or x2 == 0.5) if is_plain else False
    if is_of_pow and x1._view.dtype.kind == REAL:
        known = known_pair(rows.pow.known, x1, x2)
        if known is not None:
            return known  # type: ignore[no-any-return]
    return power(x1, x2) if is_plain or (accepts(x1) and accepts(x2)) else NOT_IMPLEMENTED


@cached_call
def power(x1: Any, x2: Any) -> Array:
    """Raise x1 to the power of x2, one of them an Array; x ** 2 is the square, as in NumPy."""
    x2 = plainly(x2)
    if type(x1) is Array and (type(x2) is int or type(x2) is float):
        base = x1._view.dtype
        if x2 == 2 and base.kind != BOOL and not (type(x2) is float and base.kind in INTEGER):
            return Array(rows.square.applied(x1._view))
        row = POWERS.get(x2)
        # Of a real number sqrt is no power: -inf to the power of 1/2 is inf, as the standard says.
        kind = COMPLEX if x2 == 0.5 else REAL
        if row is not None and base.kind == kind and base is not dtypes.float16:
            return Array(row.applied(x1._view))
    return _raised(x1, x2)


def power_in_place(x1: Array, x2: Any) -> Array:
    """Apply the operator `**=`."""
    x2 = plainly(x2)
    if not accepts(x2):
        return NOT_IMPLEMENTED
    dtype = x1._view.dtype
    if is_number(x1) or dtype.kind in dtypes.FLOATING or (type(x2) is int and x2 >= 0):
        return assigned_by(rows.pow, x1, power(x1, x2))
    # Where the result has no place in x1, NumPy says that before it looks for negative powers.
    return assigned_by(rows.pow, x1, _raised(x1, x2, dtype))


def _powers_now(x1: Any, x2: Any) -> Any:
    """Let NumPy multiply 1,000 int64, which wrap around in any order: 15 us on cpu:0, not 58."""
    if numpy.result_type(x1, x2).kind != "i":
        raise NotImplementedError
    return numpy.power(x1, x2)


@by_numpy(_powers_now, 2)
def _raised(x1: Any, x2: Any, into: DType | None = None) -> Array:
    """x1 to the power of x2, but of integers to a negative power, where `into` can hold it."""
    result = binary(rows.pow, x1, x2)
    dtype = result._view.dtype
    if dtype.kind != SIGNED or not (into is None or _same_kind(dtype, into)):
        return result
    if type(x2) is int:
        found, given = x2 < 0, str(x2)
    elif type(x2) is Array:
        if x2._view.dtype.kind != SIGNED:
            return result
        del result  # which the check would compute apart from what comes after it
        found, given = holds((x2 < 0)._view), "an array with a negative element"
        result = binary(rows.pow, x1, x2)
    else:
        found, given = bool((numpy.asarray(x2) < 0).any()), repr(x2)
    if found:
        raise errors.value_error(
            "pow(x1, x2)",
            f"x2 is {given} and both are integers",
            "x2 must not be negative, as a negative power is no integer",
            "convert x1 with x1.astype('float64')",
        )
    return result


def holds(truths: View) -> bool:
    """Return whether an element is true; wait for the device."""
    if 0 in truths.shape:
        return False
    known = vendor.now("any", numpy.any, (truths,), few=product(truths.shape))
    if known is not None:
        return bool(known)
    fold = reductions.any.fold(reductions.any.types(truths.dtype, truths.dtype))
    flat = builder.reshaped(truths, (product(truths.shape),))
    return bool(to_host(reduce_scan.reduce(fold, flat, (0,))))


def stored_in_place(x1: Array, result: View, name: str) -> Array:
    """Return the array with the result of an operator in place of its value."""
    target = x1._view
    if result.shape != target.shape:
        raise errors.value_error(
            name,
            f"x1 has shape {target.shape} and the result {result.shape}",
            "the result must have the shape of x1",
        )
    if result.dtype is not target.dtype:
        if not _same_kind(result.dtype, target.dtype):
            raise errors.type_error(
                name,
                f"x1 has dtype {target.dtype} and the result {result.dtype}",
                "the result must be of the same kind as x1 or a lower one",
                f"write x1 = x1.astype({result.dtype.name!r}) first",
            )
        result = builder.converted(result, target.dtype)
    if is_whole(x1):
        rebind(x1, result)
    else:
        assign(x1, settled(x1), result)
    return x1


_RANK: Final = {BOOL: 0, dtypes.UNSIGNED: 1, SIGNED: 2, REAL: 3, COMPLEX: 4}


def _same_kind(given: DType, wanted: DType) -> bool:
    """NumPy's rule for in-place results ("same_kind"): never to a lower kind."""
    return _RANK[given.kind] <= _RANK[wanted.kind]
