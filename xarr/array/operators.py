# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The operators of arrays, where they are known for such operands; else the class is asked."""

from __future__ import annotations

import threading
from typing import Any, Final, Self, TypeAlias

import numpy

from xarr import tuning
from xarr.dtypes import FLOATING, INTEGER
from xarr.ir import _cython as cython
from xarr.ir.resolved import OPERATORS
from xarr.tape.traced import TracedNumber

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.keys import (
        broadcast_pair,
        chosen,
        is_stored,
        number_for,
        part_of,
        place_of,
        value_of,
    )
    from xarr.ir.events import core_hooks
    from xarr.ir.instructions import Opcode, opcode_of
    from xarr.ir.resolved import ResolvedRow, ScalarEvaluator
    from xarr.ir.storage import Storage
    from xarr.ir.views import (
        ArraySlots,
        Structure,
        View,
        lone_constant,
        lone_of,
        number_like,
        structure,
        view_at,
        view_within,
    )
    from xarr.tape.record import computed, computed_of, copied_element, fill, is_overwritten
    from xarr.tape.scalar_access import only, poke, read, settled

    Py_buffer: TypeAlias = Any
    fill_buffer: Any = None
    take_operators: Any = None

_ADD = cython.declare(ResolvedRow, OPERATORS["add"])
_SUB = cython.declare(ResolvedRow, OPERATORS["sub"])
_MUL = cython.declare(ResolvedRow, OPERATORS["mul"])
_DIV = cython.declare(ResolvedRow, OPERATORS["truediv"])
_FLOOR = cython.declare(ResolvedRow, OPERATORS["floordiv"])
_MOD = cython.declare(ResolvedRow, OPERATORS["mod"])
_AND = cython.declare(ResolvedRow, OPERATORS["and"])
_OR = cython.declare(ResolvedRow, OPERATORS["or"])
_XOR = cython.declare(ResolvedRow, OPERATORS["xor"])
_LEFT = cython.declare(ResolvedRow, OPERATORS["lshift"])
_RIGHT = cython.declare(ResolvedRow, OPERATORS["rshift"])
_LT = cython.declare(ResolvedRow, OPERATORS["lt"])
_LE = cython.declare(ResolvedRow, OPERATORS["le"])
_GT = cython.declare(ResolvedRow, OPERATORS["gt"])
_GE = cython.declare(ResolvedRow, OPERATORS["ge"])
_EQ = cython.declare(ResolvedRow, OPERATORS["eq"])
_NE = cython.declare(ResolvedRow, OPERATORS["ne"])
_NEG = cython.declare(ResolvedRow, OPERATORS["neg"])
_POS = cython.declare(ResolvedRow, OPERATORS["pos"])
_ABS = cython.declare(ResolvedRow, OPERATORS["abs"])
_INVERT = cython.declare(ResolvedRow, OPERATORS["invert"])
_SQUARE = cython.declare(ResolvedRow, OPERATORS["square"])
_SQUARED = cython.declare(object, {int: (*INTEGER, *FLOATING), float: FLOATING})
_FEW = cython.declare(cython.Py_ssize_t, tuning.FEW_NBYTES // 8)
_Traced = cython.declare(object, TracedNumber)
Operand: TypeAlias = (
    "ArrayBase | complex | numpy.ndarray[Any, Any] | numpy.generic | list[Any] | tuple[Any, ...]"
)
"""The types that an operator takes beside an array."""


@cython.cclass
class ArrayBase(ArraySlots):
    """The operators of arrays, as far as they are known for such operands; else its class is asked.

    The class that is made of it has `_combined`, `_applied`, `_assigned`, `_raised`, `_item`,
    `_set_item`, `_deleted` and `_scalar`.
    """

    def __add__(self, other: Operand, /) -> Self:
        return operated(_ADD, self, other)

    def __radd__(self, other: Operand, /) -> Self:
        return operated(_ADD, other, self)

    def __iadd__(self, other: Operand, /) -> Self:
        result: object = _in_place(_ADD, self, other)
        return _reflected_sum(self, other) if result is NotImplemented else result  # type: ignore[return-value]

    def __sub__(self, other: Operand, /) -> Self:
        return operated(_SUB, self, other)

    def __rsub__(self, other: Operand, /) -> Self:
        return operated(_SUB, other, self)

    def __isub__(self, other: Operand, /) -> Self:
        return _in_place(_SUB, self, other)

    def __mul__(self, other: Operand, /) -> Self:
        return operated(_MUL, self, other)

    def __rmul__(self, other: Operand, /) -> Self:
        return operated(_MUL, other, self)

    def __imul__(self, other: Operand, /) -> Self:
        return _in_place(_MUL, self, other)

    def __truediv__(self, other: Operand, /) -> Self:
        return operated(_DIV, self, other)

    def __rtruediv__(self, other: Operand, /) -> Self:
        return operated(_DIV, other, self)

    def __itruediv__(self, other: Operand, /) -> Self:
        return _in_place(_DIV, self, other)

    def __floordiv__(self, other: Operand, /) -> Self:
        return operated(_FLOOR, self, other)

    def __rfloordiv__(self, other: Operand, /) -> Self:
        return operated(_FLOOR, other, self)

    def __ifloordiv__(self, other: Operand, /) -> Self:
        return _in_place(_FLOOR, self, other)

    def __mod__(self, other: Operand, /) -> Self:
        return operated(_MOD, self, other)

    def __rmod__(self, other: Operand, /) -> Self:
        return operated(_MOD, other, self)

    def __imod__(self, other: Operand, /) -> Self:
        return _in_place(_MOD, self, other)

    def __and__(self, other: Operand, /) -> Self:
        return operated(_AND, self, other)

    def __rand__(self, other: Operand, /) -> Self:
        return operated(_AND, other, self)

    def __iand__(self, other: Operand, /) -> Self:
        return _in_place(_AND, self, other)

    def __or__(self, other: Operand, /) -> Self:
        return operated(_OR, self, other)

    def __ror__(self, other: Operand, /) -> Self:
        return operated(_OR, other, self)

    def __ior__(self, other: Operand, /) -> Self:
        return _in_place(_OR, self, other)

    def __xor__(self, other: Operand, /) -> Self:
        return operated(_XOR, self, other)

    def __rxor__(self, other: Operand, /) -> Self:
        return operated(_XOR, other, self)

    def __ixor__(self, other: Operand, /) -> Self:
        return _in_place(_XOR, self, other)

    def __lshift__(self, other: Operand, /) -> Self:
        return operated(_LEFT, self, other)

    def __rlshift__(self, other: Operand, /) -> Self:
        return operated(_LEFT, other, self)

    def __ilshift__(self, other: Operand, /) -> Self:
        return _in_place(_LEFT, self, other)

    def __rshift__(self, other: Operand, /) -> Self:
        return operated(_RIGHT, self, other)

    def __rrshift__(self, other: Operand, /) -> Self:
        return operated(_RIGHT, other, self)

    def __irshift__(self, other: Operand, /) -> Self:
        return _in_place(_RIGHT, self, other)

    def __lt__(self, other: Operand, /) -> Self:
        return operated(_LT, self, other)

    def __le__(self, other: Operand, /) -> Self:
        return operated(_LE, self, other)

    def __gt__(self, other: Operand, /) -> Self:
        return operated(_GT, self, other)

    def __ge__(self, other: Operand, /) -> Self:
        return operated(_GE, self, other)

    def __eq__(self, other: Operand, /) -> Self:  # type: ignore[override]
        return operated(_EQ, self, other)

    def __ne__(self, other: Operand, /) -> Self:  # type: ignore[override]
        return operated(_NE, self, other)

    def __pow__(self, other: Operand, modulo: None = None, /) -> Self:
        found: Any = None
        kinds: tuple[Any, ...] = _SQUARED.get(type(other), ())  # of integers 2.0 is another power
        if modulo is not None:
            return NotImplemented
        if kinds and other == 2 and self._view.structure.dtype.kind in kinds:
            found = applied(_SQUARE, self)
        return self._raised(other) if found is None else found  # type: ignore[attr-defined]

    def __neg__(self) -> Self:
        return _unary(_NEG, self)

    def __pos__(self) -> Self:
        return _unary(_POS, self)

    def __abs__(self) -> Self:
        return _unary(_ABS, self)

    def __invert__(self) -> Self:
        return _unary(_INVERT, self)

    def __bool__(self) -> bool:
        value = value_of(self)
        if value is None:
            value = only(self._view)
        return bool(self._scalar("bool") if value is None else value)  # type: ignore[attr-defined]

    def __int__(self) -> int:
        value = value_of(self)
        if value is None:
            value = only(self._view)
        if value is None or type(value) is complex:
            value = self._scalar("int")  # type: ignore[attr-defined]
        return int(value)

    def __float__(self) -> float:
        value = value_of(self)
        if value is None:
            value = only(self._view)
        if value is None or type(value) is complex:
            value = self._scalar("float")  # type: ignore[attr-defined]
        return float(value)

    def __index__(self) -> int:
        value = value_of(self)
        return value if type(value) is int else self._index()  # type: ignore[attr-defined]

    def __getitem__(self, key: Any, /) -> Self:
        view: View = self._view
        if view.storage is None and view.structure.shape:
            fill(view)
        at: cython.Py_ssize_t = place_of(view, key)
        if at >= 0:
            value = None if core_hooks.transfers else read(view, at)
            if value is not None:
                return made(number_like(view, value))  # type: ignore[return-value]
            # NumPy gives a scalar here, so that x[0], x[1] = x[1], x[0] exchanges them.
            return made(copied_element(view, at))  # type: ignore[return-value]
        part: View | None = part_of(view, key)
        return self._item(key) if part is None else view_of(self, part)  # type: ignore[attr-defined]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        view: View = self._view
        storage: Storage | None = view.storage
        if storage is None and view.structure.shape and not self._locked:
            fill(view)
            storage = view.storage
        if storage is not None and not (
            self._locked or storage.read_only or view.structure.repeats
        ):
            given: View | None = None
            number = number_for(view.structure, value)
            at: cython.Py_ssize_t = place_of(view, key)
            if number is not None:
                if at >= 0 and poke(view, at, number):
                    return
                given = number_like(view, number)
            elif isinstance(value, ArrayBase):
                given = view_within(value)
            part: View | None = None
            if given is not None:
                part = part_of(view, key) if at < 0 else view_at(storage, lone_of(view), at)
                if part is None and number is not None and isinstance(key, ArrayBase):
                    part, given = view, chosen(key._view, given, view)
            if given is not None and part is not None and is_stored(part, given):
                return
        self._set_item(key, value)  # type: ignore[attr-defined]

    def __delitem__(self, key: Any, /) -> None:
        self._deleted(key)  # type: ignore[attr-defined]

    def __getbuffer__(self, view: cython.pointer[Py_buffer], flags: cython.int) -> None:
        """Fill a C structure with the memory that `_memory` lends; an exception goes on."""
        fill_buffer(_lent(self), view, flags)

    def __buffer__(self, flags: int, /) -> memoryview:
        """Lend the memory; what Python 3.12 and later call where the module is interpreted."""
        return _lent(self)


class _Failed(threading.local):
    """The array whose buffer this thread last asked for in vain, and the exception."""

    array: object = None
    error: BaseException | None = None


_failed: Final = _Failed()


@cython.cfunc
def _lent(x: ArrayBase) -> Any:
    """Return a memoryview of an array's values, after the work that they need.

    NumPy clears any exception that a buffer raises, and tries another way. So the exception is kept
    for `raise_cleared`. It is caught here since no signal's handler runs between a caller in C and
    compiled code; one may run when a Python function begins.
    """
    try:
        raise_cleared(x)
        return x._memory()  # type: ignore[attr-defined]
    except BufferError:  # the array has no buffer, and NumPy is right to try another way
        raise
    except BaseException as error:
        _failed.array, _failed.error = x, error
        raise


def raise_cleared(x: ArrayBase) -> None:
    """Raise the exception of an array's buffer again if no Python caller was told of it."""
    array, error = _failed.array, _failed.error
    if error is None:
        return
    _failed.array = _failed.error = None
    passed = error.__traceback__  # the outermost frame that the exception has passed is the first
    if array is x and passed is not None and passed.tb_frame.f_globals is globals():
        raise error


_kind = cython.declare(type, ArrayBase)


def set_array_type(kind: type[ArrayBase]) -> None:
    """Make arrays of a class from now on."""
    global _kind
    _kind = kind
    if cython.compiled:
        take_operators(kind, ArrayBase)


@cython.cfunc
def is_plain(value: object) -> cython.bint:
    """Return whether a value is an array of the class that is made, and of none derived of it."""
    return type(value) is _kind


@cython.ccall
def made(view: View) -> ArrayBase:
    """Make the array of a new storage's view, or of a constant that `number_like` made."""
    result: ArrayBase = _kind.__new__(_kind)
    result._view = view if view.structure.shape else settled(view)
    return result


@cython.ccall
def view_of(x: ArrayBase, part: View) -> Any:
    """Make the array of a view of an array with axes."""
    result: ArrayBase = _kind.__new__(_kind)
    result._view = part
    result._locked = x._locked
    result._kept = True
    result._base = x if x._base is None else x._base
    return result


@cython.ccall
def operated(known: ResolvedRow, x1: Any, x2: Any) -> Any:
    """Apply an operator to two operands, one of them an array."""
    found: object = combined(known, x1, x2)
    if found is not None:
        return found
    array: ArrayBase = x1 if isinstance(x1, ArrayBase) else x2
    return array._combined(known.row, x1, x2)  # type: ignore[attr-defined]


@cython.ccall
def combined(known: ResolvedRow, x1: Any, x2: Any) -> Any:
    """Record a row's function of two operands, where its opcode is known; return None elsewhere."""
    first: View
    second: View
    opcode: Opcode | None
    if isinstance(x1, ArrayBase):
        first = view_within(x1)
        if first.value is not None:
            number = _of_numbers(known, first.structure, first.value, x2)
            if number is not None:
                return number
        if isinstance(x2, ArrayBase):
            second = view_within(x2)
            opcode = _opcode_for(known, first.structure, second.structure)
            if opcode is not None and opcode.nbytes:
                return made(computed_of(opcode, first, second))
        elif type(x2) is float or type(x2) is int:
            found = _beside(known, first.structure, type(x2), False)
            if found is not None and found[1] <= x2 <= found[2]:
                return made(computed(found[0], (first,), x2))
        elif type(x2) is _Traced:
            return _with_traced(known, first, x2, False)
    elif isinstance(x2, ArrayBase):
        second = view_within(x2)
        if second.value is not None:
            number = _of_numbers(known, second.structure, x1, second.value)
            if number is not None:
                return number
        if type(x1) is float or type(x1) is int:
            found = _beside(known, second.structure, type(x1), True)
            if found is not None and found[1] <= x1 <= found[2]:
                return made(computed(found[0], (second,), x1))
        elif type(x1) is _Traced:
            return _with_traced(known, second, x1, True)
    return None


@cython.cfunc
def _with_traced(known: ResolvedRow, view: View, number: Any, swapped: cython.bint) -> object:
    """Record a row's function of a view and a number of a recorded call, or return None."""
    found = _beside(known, view.structure, number.__class__, swapped)
    if view.value is not None or found is None or not found[1] <= number.value <= found[2]:
        return None
    opcode: Opcode = found[0]
    dtype = opcode.operands[0 if swapped else 1].dtype
    return made(computed(opcode, (view,), number.constant(dtype)))


@cython.cfunc
def _opcode_for(known: ResolvedRow, one: Structure, two: Structure) -> Opcode | None:
    """Return the opcode for two structures, if they or their data types were met before."""
    opcode: Opcode | None = None
    if known.number >= 0 and one is two and one.alike is not None:
        opcode = one.alike[known.number]
    if opcode is None:
        opcode = known.pairs.get((one, two))
    if opcode is not None or known.row is None or one.device is not two.device:
        return opcode
    if one.strides is None and two.strides is None:
        return None
    operation = known.row.operations[one.device.no_float64].get((one.dtype, two.dtype))
    shape: object = None if operation is None else broadcast_pair(one.shape, two.shape)
    if shape is None:
        return None
    opcode = opcode_of(operation, (one, two), shape, None, shape)
    if one.is_met() and two.is_met():
        known.remember((one, two), opcode)
    return opcode


@cython.cfunc
def _beside(known: ResolvedRow, how: Structure, kind: object, swapped: cython.bint) -> Any:
    """Return the opcode for a Python scalar beside a structure, and its bounds; or None."""
    key: object = (kind, how) if swapped else (how, kind)
    found: object = known.pairs.get(key)
    if found is not None or how.strides is None:
        return found
    dtype: Any = known.scalars.get((kind, how.dtype, how.device.no_float64, swapped))
    if dtype is None:
        return None
    number: Structure = structure(how.device, dtype, (), None)
    opcode: Opcode | None
    opcode = _opcode_for(known, number, how) if swapped else _opcode_for(known, how, number)
    if opcode is None or not opcode.nbytes:
        return None
    low, high = dtype.bounds
    found = (opcode, low, high)
    if how.is_met():
        known.remember(key, found)
    return found


@cython.cfunc
def _of_numbers(known: ResolvedRow, how: Structure, x1: object, x2: object) -> object:
    """Compute a function of two numbers in Python, if that has the same bits; else return None."""
    found: object
    if isinstance(x2, ArrayBase):
        view: View = view_within(x2)
        x2 = view.value
        if x2 is None:
            return None
        found = known.numbers.get(how if view.structure is how else (how, view.structure))
    else:
        found = known.numbers.get(how) if how.fits(x2) and how.fits(x1) else None
    if found is None:
        return None
    exact: ScalarEvaluator = found[0]
    value = exact.of(x1, x2)
    return None if value is None else made(lone_constant(found[1], value))


@cython.cfunc
def _unary(known: ResolvedRow, x: ArrayBase) -> Any:
    """Apply an operator to one operand."""
    found: object = applied(known, x)
    return x._applied(known.row) if found is None else found  # type: ignore[attr-defined]


@cython.ccall
def applied(known: ResolvedRow, x: Any) -> Any:
    """Record a row's function of one operand, where its opcode is known; return None elsewhere."""
    if not isinstance(x, ArrayBase):
        return None
    view: View = view_within(x)
    how: Structure = view.structure
    if view.value is not None and not how.shape:
        found = known.numbers.get(how)
        if found is None:
            return None
        exact: ScalarEvaluator = found[0]
        value = exact.of(view.value)
        return None if value is None else made(lone_constant(found[1], value))
    told = known.pairs.get(how)
    if type(told) is tuple:  # the data type says what it is
        return made(lone_constant(told[0], told[1]))
    opcode: Opcode | None = told
    if opcode is None and known.row is not None and how.strides is not None:
        operation = known.row.operations[how.device.no_float64].get(how.dtype)
        if operation is not None:
            opcode = opcode_of(operation, (how,), how.shape, None, how.shape)
            if how.is_met():
                known.remember(how, opcode)
    if opcode is None or not opcode.nbytes or view.storage is None:
        return None
    return made(computed(opcode, (view,)))


@cython.cfunc
def _is_in_place(known: ResolvedRow, view: View, other: Any) -> cython.bint:
    """Write an operator's result over the first operand now: in 0.5 us, 1.2 by a new array."""
    how: Structure = view.structure
    storage: Storage | None = view.storage
    opcode: Opcode | None = None
    operands: tuple[Any, ...] = (view,)
    value: object = None
    second: View
    if storage is None or storage.read_only or how.repeats:
        return False
    if isinstance(other, ArrayBase):
        second = view_within(other)
        value = second.value
        opcode = _opcode_for(known, how, second.structure)
        if value is None:
            operands = (view, second)
    elif type(other) is float or type(other) is int:
        found = _beside(known, how, type(other), False)
        if found is not None and found[1] <= other <= found[2]:
            opcode, value = found[0], other
    if opcode is None or not opcode.is_fresh or opcode.constants != (value is not None):
        return False
    lies: Structure = opcode.target
    if lies.dtype is not how.dtype or lies.shape != how.shape:
        return False
    return is_overwritten(opcode, operands, value, view)


@cython.cfunc
def _in_place(known: ResolvedRow, x1: ArrayBase, x2: object) -> Any:
    """Apply an operator and write its result to the first operand."""
    view: View = x1._view
    if view.storage is None and view.structure.shape and view.structure.size <= _FEW:
        fill(view)
    is_number: cython.bint = not x1._kept and not x1._view.structure.shape  # which never changes
    if not (is_number or x1._locked) and _is_in_place(known, x1._view, x2):
        return x1
    result: object = operated(known, x1, x2)
    if is_number:
        return result
    if isinstance(result, ArrayBase) and not x1._locked:
        given: View = view_within(result)
        if given.structure.dtype is x1._view.structure.dtype and is_stored(x1._view, given):
            return x1
    return x1._assigned(known.row, result)  # type: ignore[attr-defined]


def _reflected_sum(x1: ArrayBase, x2: Any) -> Any:
    """Return `x2.__radd__(x1)` for `x1 += x2`, or raise Python's TypeError.

    Python would do so itself, but a class that is derived of a compiled one has `__iadd__` as
    `sq_inplace_concat` too, and CPython takes NotImplemented of that slot for the sum.
    """
    reflected: Any = getattr(type(x2), "__radd__", None)
    result: object = NotImplemented if reflected is None else reflected(x2, x1)
    if result is NotImplemented:
        types = f"{type(x1).__name__!r} and {type(x2).__name__!r}"
        raise TypeError(f"unsupported operand type(s) for +=: {types}")
    return result
