# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The operators of arrays, where they are known for such operands; else the class is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy

from xarr import dtypes, tuning
from xarr.core import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.core.elements import only, read, written
    from xarr.core.instructions import Opcode
    from xarr.core.keys import lone_of, part_of, place_of, value_of
    from xarr.core.record import computed, opcode_of, recorded
    from xarr.core.storage import Storage
    from xarr.core.views import (
        ArraySlots,
        Node,
        Structure,
        lone_constant,
        number_like,
        structure,
        view_at,
    )
    from xarr.core.watch import core_hooks

    Py_buffer: TypeAlias = Any
    fill_buffer: Any = None

if TYPE_CHECKING:
    from xarr.core.operations import Operation


@cython.cclass
class Exact:
    """What Python computes of numbers of one type with the bits of a kernel.

    Attributes
    ----------
    takes : type or None
        What `function` is given; None where it may have other bits.
    """

    function: Any
    takes: Any
    is_bool: bool
    low: Any
    high: Any

    def __init__(self, function: Callable[..., Any], operation: Operation) -> None:
        row = operation.operands[0]
        self.function = function
        self.is_bool = operation.result.kind == dtypes.BOOL
        self.low, self.high = operation.result.bounds
        if operation.operands.count(row) == len(operation.operands):
            self.takes = {dtypes.BOOL: bool, dtypes.REAL: float}.get(row.kind, int)
            if row.kind in dtypes.FLOATING and row is not dtypes.float64:
                self.takes = None

    @cython.ccall
    def of(self, x1: object, x2: object = None) -> object:
        """The result, where the type that it has holds it; else None."""
        takes: Any = self.takes
        if takes is None:
            return None
        x1 = x1 if type(x1) is takes else takes(x1)
        try:
            if x2 is None:
                value = self.function(x1)
            else:
                value = self.function(x1, x2 if type(x2) is takes else takes(x2))
        except (ArithmeticError, ValueError):
            return None
        if self.is_bool:
            return value if type(value) is bool else None
        if type(value) is int:
            return value if self.low <= value <= self.high else None
        return value if type(value) is float and value == value else None


@cython.cclass
class Known:
    """What a function has become, by the operands' structures.

    Attributes
    ----------
    row : object
        The row of the function.
    pairs : dict
        Opcodes, by one structure or two; the type of a Python scalar may stand for one of them,
        then with the bounds of its data type.
    numbers : dict
        By the structure of two numbers: what Python computes, and the structure of the result.
    scalars : dict
        The data type of a Python scalar, by its type and the array's data type and device.
    """

    row: Any
    pairs: dict[Any, Any]
    numbers: dict[Any, Any]
    scalars: dict[Any, Any]
    number: int

    def __init__(self, number: int = -1) -> None:
        self.number = number
        self.pairs = {}
        self.numbers = {}
        self.scalars = {}

    def remember(self, key: Any, opcode: Any) -> None:
        """Have an opcode found by the structures of its operands."""
        if len(self.pairs) >= tuning.OPCODES:
            self.pairs.clear()
        self.pairs[key] = opcode
        if self.number >= 0 and isinstance(key, tuple) and key[0] is key[1]:
            how: Structure = key[0]
            if how.alike is None:
                how.alike = [None] * len(_NAMES)
            how.alike[self.number] = opcode


_NAMES: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift",
                 "rshift", "lt", "le", "gt", "ge", "eq", "ne", "pow", "neg", "pos", "abs",
                 "invert")  # fmt: skip
OPERATORS: Final = {name: Known(number) for number, name in enumerate(_NAMES)}
"""Of the rows that are operators, by the names of the special methods."""
_ADD = cython.declare(Known, OPERATORS["add"])
_SUB = cython.declare(Known, OPERATORS["sub"])
_MUL = cython.declare(Known, OPERATORS["mul"])
_DIV = cython.declare(Known, OPERATORS["truediv"])
_FLOOR = cython.declare(Known, OPERATORS["floordiv"])
_MOD = cython.declare(Known, OPERATORS["mod"])
_AND = cython.declare(Known, OPERATORS["and"])
_OR = cython.declare(Known, OPERATORS["or"])
_XOR = cython.declare(Known, OPERATORS["xor"])
_LEFT = cython.declare(Known, OPERATORS["lshift"])
_RIGHT = cython.declare(Known, OPERATORS["rshift"])
_LT = cython.declare(Known, OPERATORS["lt"])
_LE = cython.declare(Known, OPERATORS["le"])
_GT = cython.declare(Known, OPERATORS["gt"])
_GE = cython.declare(Known, OPERATORS["ge"])
_EQ = cython.declare(Known, OPERATORS["eq"])
_NE = cython.declare(Known, OPERATORS["ne"])
_NEG = cython.declare(Known, OPERATORS["neg"])
_POS = cython.declare(Known, OPERATORS["pos"])
_ABS = cython.declare(Known, OPERATORS["abs"])
_INVERT = cython.declare(Known, OPERATORS["invert"])
Operand: TypeAlias = (
    "ArrayBase | complex | numpy.ndarray[Any, Any] | numpy.generic | list[Any] | tuple[Any, ...]"
)
"""What an operator takes beside an array."""


@cython.cclass
class ArrayBase(ArraySlots):
    """The operators of arrays, as far as they are known for such operands; else its class is asked.

    The class that is made of it has `_combined`, `_applied`, `_assigned`, `_item`, `_set_item` and
    `_scalar`.
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
            value = only(self._node)
        return bool(self._scalar("bool") if value is None else value)  # type: ignore[attr-defined]

    def __int__(self) -> int:
        value = value_of(self)
        if value is None:
            value = only(self._node)
        if value is None or type(value) is complex:
            value = self._scalar("int")  # type: ignore[attr-defined]
        return int(value)

    def __float__(self) -> float:
        value = value_of(self)
        if value is None:
            value = only(self._node)
        if value is None or type(value) is complex:
            value = self._scalar("float")  # type: ignore[attr-defined]
        return float(value)

    def __index__(self) -> int:
        value = value_of(self)
        return value if type(value) is int else self._index()  # type: ignore[attr-defined]

    def __getitem__(self, key: Any, /) -> Self:
        node: Node = self._node
        at: cython.Py_ssize_t = place_of(node, key)
        if at < 0:
            part: Node | None = part_of(node, key)
            if part is not None:
                return view_of(self, part)
        elif not core_hooks.transfers:
            value = read(node, at)
            if value is not None:
                return made(number_like(node, value))  # type: ignore[return-value]
        return self._item(key)  # type: ignore[attr-defined]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        node: Node = self._node
        storage: Storage | None = node.storage
        if storage is not None and not (
            self._locked or storage.read_only or node.structure.repeats
        ):
            given: Node | None = None
            number = number_for(node.structure, value)
            at: cython.Py_ssize_t = place_of(node, key)
            if number is not None:
                if at >= 0 and written(node, at, number):
                    return
                given = number_like(node, number)
            elif isinstance(value, ArrayBase):
                given = value._node
            part: Node | None = None
            if given is not None:
                part = part_of(node, key) if at < 0 else view_at(storage, lone_of(node), at)
            if given is not None and part is not None and is_stored(part, given):
                return
        self._set_item(key, value)  # type: ignore[attr-defined]

    def __getbuffer__(self, view: cython.pointer[Py_buffer], flags: cython.int) -> None:
        """Fill a C structure with the memory that `_memory` lends; the compiled class's slot.

        An exception goes on to the caller, and before Python 3.12 no other way does that.
        """
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


@cython.cfunc
def is_plain(value: object) -> cython.bint:
    """Return whether a value is an array of the class that is made, and of none derived of it."""
    return type(value) is _kind


@cython.ccall
def made(node: Node) -> ArrayBase:
    """The array of a node that is no constant, or one that `number_like` made."""
    result: ArrayBase = _kind.__new__(_kind)
    result._node = node
    return result


@cython.ccall
def number_for(how: Structure, value: object) -> object:
    """A value that is written to an element of a structure, if that holds it exactly; or None."""
    if isinstance(value, ArrayBase):
        given: Structure = value._node.structure
        is_alike: cython.bint = given.device is how.device and given.dtype is how.dtype
        return value_of(value) if is_alike else None
    if type(value) is float and how.dtype is dtypes.float32:
        low, high = how.dtype.bounds
        return value if low <= value <= high else None  # the write itself rounds
    return value if how.fits(value) else None


@cython.cfunc
def view_of(x: ArrayBase, part: Node) -> Any:
    """The array of a view of an array with axes."""
    result: ArrayBase = _kind.__new__(_kind)
    result._node = part
    result._locked = x._locked
    result._kept = True
    result._base = x if x._base is None else x._base
    return result


@cython.ccall
def operated(known: Known, x1: Any, x2: Any) -> Any:
    """An operator on two operands, one of them an array."""
    found: object = combined(known, x1, x2)
    if found is not None:
        return found
    array: ArrayBase = x1 if isinstance(x1, ArrayBase) else x2
    return array._combined(known.row, x1, x2)  # type: ignore[attr-defined]


@cython.ccall
def combined(known: Known, x1: Any, x2: Any) -> Any:
    """A function of two operands, where it is known for such; else None."""
    first: Node
    second: Node
    how: Structure
    opcode: Opcode | None
    if isinstance(x1, ArrayBase):
        first = x1._node
        how = first.structure
        if first.value is not None:
            number = _of_numbers(known, how, first.value, x2)
            if number is not None:
                return number
        if isinstance(x2, ArrayBase):
            second = x2._node
            opcode = _opcode_for(known, how, second.structure)
            if opcode is not None and opcode.nbytes:
                return made(computed(opcode, (first, second)))
        elif type(x2) is float or type(x2) is int:
            found = _beside(known, how, type(x2), False)
            if found is not None and found[1] <= x2 <= found[2]:
                return made(computed(found[0], (first,), x2))
    elif isinstance(x2, ArrayBase):
        second = x2._node
        if second.value is not None:
            number = _of_numbers(known, second.structure, x1, second.value)
            if number is not None:
                return number
        if type(x1) is float or type(x1) is int:
            found = _beside(known, second.structure, type(x1), True)
            if found is not None and found[1] <= x1 <= found[2]:
                return made(computed(found[0], (second,), x1))
    return None


@cython.cfunc
def _opcode_for(known: Known, one: Structure, two: Structure) -> Opcode | None:
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
    operation = known.row.operations[one.device.narrow].get((one.dtype, two.dtype))
    shape: object = None if operation is None else _broadcast(one.shape, two.shape)
    if shape is None:
        return None
    opcode = opcode_of(operation, (one, two), shape, None, shape)
    if one.is_known and two.is_known:
        known.remember((one, two), opcode)
    one.is_known = two.is_known = True
    return opcode


@cython.cfunc
def _beside(known: Known, how: Structure, kind: object, swapped: cython.bint) -> Any:
    """Return the opcode for a Python scalar beside a structure, and its bounds; or None."""
    key: object = (kind, how) if swapped else (how, kind)
    found: object = known.pairs.get(key)
    if found is not None or how.strides is None:
        return found
    dtype: Any = known.scalars.get((kind, how.dtype, how.device, swapped))
    if dtype is None:
        return None
    number: Structure = structure(how.device, dtype, (), None)
    opcode: Opcode | None
    opcode = _opcode_for(known, number, how) if swapped else _opcode_for(known, how, number)
    if opcode is None or not opcode.nbytes:
        return None
    low, high = dtype.bounds
    found = (opcode, low, high)
    if how.is_known:
        known.remember(key, found)
    return found


@cython.cfunc
def _broadcast(one: tuple[Any, ...], two: tuple[Any, ...]) -> object:
    """Return the shape that two shapes broadcast to; None where they do not."""
    if one == two or not two:
        return one
    if not one:
        return two
    count: cython.Py_ssize_t = max(len(one), len(two))
    more: cython.Py_ssize_t = count - len(one)
    other: cython.Py_ssize_t = count - len(two)
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    second: cython.Py_ssize_t
    shape: list[Any] = []
    for at in range(count):
        first = one[at - more] if at >= more else 1
        second = two[at - other] if at >= other else 1
        if first != second and first != 1 and second != 1:
            return None
        shape.append(second if first == 1 else first)
    return tuple(shape)


@cython.cfunc
def _of_numbers(known: Known, how: Structure, x1: object, x2: object) -> object:
    """What Python computes of the number of a structure and of another one; None of any other."""
    found = known.numbers.get(how)
    if found is None:
        return None
    if isinstance(x2, ArrayBase):
        x2 = x2._node.value if x2._node.structure is how else None
        if x2 is None:
            return None
    elif not (how.fits(x2) and how.fits(x1)):
        return None
    exact: Exact = found[0]
    value = exact.of(x1, x2)
    return None if value is None else made(lone_constant(found[1], value))


@cython.cfunc
def _unary(known: Known, x: ArrayBase) -> Any:
    """An operator on one operand."""
    found: object = applied(known, x)
    return x._applied(known.row) if found is None else found  # type: ignore[attr-defined]


@cython.ccall
def applied(known: Known, x: Any) -> Any:
    """A function of one operand, where it is known for such; else None."""
    if not isinstance(x, ArrayBase):
        return None
    how: Structure = x._node.structure
    opcode: Opcode | None = known.pairs.get(how)
    if opcode is None and known.row is not None and how.strides is not None:
        operation = known.row.operations[how.device.narrow].get(how.dtype)
        if operation is not None:
            opcode = opcode_of(operation, (how,), how.shape, None, how.shape)
            if how.is_known:
                known.remember(how, opcode)
            how.is_known = True
    if opcode is None or not opcode.nbytes or x._node.storage is None:
        return None
    return made(computed(opcode, (x._node,)))


@cython.cfunc
def _in_place(known: Known, x1: ArrayBase, x2: object) -> Any:
    """An operator with its result written to the first operand."""
    result: object = operated(known, x1, x2)
    if not x1._kept and not x1._node.structure.shape:
        return result  # a number never changes
    if isinstance(result, ArrayBase) and not x1._locked:
        given: Node = result._node
        if given.structure.dtype is x1._node.structure.dtype and is_stored(x1._node, given):
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


@cython.ccall
def name_of_store(part: Node, given: Node) -> object:
    """What the view that a node is written to remembers the write by."""
    if given.storage is part.storage:
        return given.structure, given.offset - part.offset
    return given.structure


@cython.ccall
def is_stored(part: Node, given: Node) -> cython.bint:
    """Whether a node was written to a view, if one like it was before; or is that view itself."""
    storage: Storage | None = part.storage
    if storage is None or storage.read_only:
        return False
    is_itself: cython.bint = given.structure is part.structure and given.storage is storage
    if is_itself and given.offset == part.offset:
        return True  # x[key] += value has written already; Python now assigns the view to itself
    opcode = part.structure.store(name_of_store(part, given))
    if opcode is None or are_shared(storage, given.storage):
        return False
    with storage.device.lock:
        storage.writes += 1
        recorded(opcode, (given,), part)
    return True


@cython.ccall
def are_shared(one: Storage, other: Storage | None) -> cython.bint:
    """Whether others see the memory of both, and may have given the same twice."""
    shared = one.device.shared
    if not shared or other is None or one is other:
        return False
    return one.serial in shared and other.serial in shared
