"""Traced numbers: Python numbers of a call that is recorded, whose arithmetic is noted.

A replay is given other numbers, and does the arithmetic again. Where a number meets an array, an
instruction takes it as a constant, and the replay puts the new one in its place. Where anything
else asks for its value (a comparison, an index, `math.sin`), it is *pinned*: the recording serves
calls with that value alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes
from xarr.ir.instructions import opcode_of
from xarr.ir.operation import interned
from xarr.ir.views import View, structure
from xarr.tape import record

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType


class OtherCallError(Exception):
    """A replay would differ from the recorded call in more than its numbers."""


class Formula:
    """The arithmetic of a recorded call with the numbers that it was given.

    Attributes
    ----------
    values : list of int, float, complex or NumPy scalar
        The given numbers, then those that it met or computed, of the recorded call.
    steps : list of (int, function, list of int)
        What computes a value, by its place, from others.
    constants : list of (int, DType)
        The values that instructions take, each rounded to a data type.
    pinned : set of int
        The given numbers that must be those of the recorded call.
    """

    def __init__(self, given: Sequence[Any]) -> None:
        self.values = list(given)
        self.steps: list[tuple[int, Callable[..., Any], list[int]]] = []
        self.constants: list[tuple[int, DType]] = []
        self.pinned: set[int] = set()
        self._sources = [frozenset((at,)) for at in range(len(given))]

    def number(self, at: int) -> TracedNumber:
        """Return the traced number of a value."""
        kind = TracedScalar if isinstance(self.values[at], numpy.generic) else TracedNumber
        return kind(self, at)

    def computed(self, function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """Apply a function to numbers, one of which is of this formula; note it."""
        places: list[int] = []
        sources: frozenset[int] = frozenset()
        for one in operands:
            if isinstance(one, TracedNumber) and one.formula is self:
                places.append(one.at)
                sources |= self._sources[one.at]
            else:
                places.append(self._add(one, frozenset()))
        result = function(*[self.values[at] for at in places])
        at = self._add(result, sources)
        self.steps.append((at, function, places))
        return self.number(at)

    def _add(self, value: Any, sources: frozenset[int]) -> int:
        self.values.append(value)
        self._sources.append(sources)
        return len(self.values) - 1

    def sources_of(self, constant: TracedConstant) -> frozenset[int]:
        """Return the given numbers that a constant depends on."""
        return self._sources[self.constants[constant.number][0]]

    def pin(self, at: int) -> Any:
        """Return a value to what decides by it."""
        self.pinned |= self._sources[at]
        return self.values[at]

    def again(self, given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return all values, and the constants of instructions, for other numbers.

        Raises
        ------
        OtherCallError
            If a value is of another type, as of a power that is complex, or out of bounds.
        """
        values = [*given, *self.values[len(given) :]]
        try:
            for at, function, places in self.steps:
                kind = type(values[at])
                values[at] = function(*[values[place] for place in places])
                if type(values[at]) is not kind:
                    raise OtherCallError
            return values, [_rounded(values[at], dtype) for at, dtype in self.constants]
        except (ArithmeticError, ValueError):
            raise OtherCallError from None


class TracedConstant:
    """A constant of an instruction that a replay replaces; `number` is its place among these."""

    number: int


class _Int(int, TracedConstant):
    pass


class _Float(float, TracedConstant):
    pass


class _Complex(complex, TracedConstant):
    pass


_KINDS: Final[dict[type, type[Any]]] = {int: _Int, float: _Float, complex: _Complex}


def _rounded(value: Any, dtype: DType) -> Any:
    """Round a number to a data type, or raise OverflowError."""
    if dtype.kind in dtypes.INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        if not low <= value <= high:
            raise OverflowError
        return int(value)
    return dtypes.quietly(dtype.numpy.type, value).item()


def is_known(view: View) -> bool:
    """Return whether a view is a constant that is the same in each replay."""
    return view.value is not None and not isinstance(view.value, TracedConstant)


def filled(view: View) -> View:
    """Record an instruction that makes an array of a constant that replays replace."""
    how = view.structure
    operation = interned(record.cast_of, how.dtype, how.dtype)
    opcode = opcode_of(operation, (how,), how.shape, fresh=how.shape)
    return record.computed(opcode, (), view.value)


class TracedNumber:
    """A Python number of a call that is recorded; it passes for a number of that type.

    formula : Formula -- The arithmetic that it is part of.
    at : int -- The place of its value there.
    """

    __slots__ = ("at", "formula")

    def __init__(self, formula: Formula, at: int) -> None:
        self.formula = formula
        self.at = at

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.value)

    @property
    def value(self) -> Any:
        """Its value in the recorded call."""
        return self.formula.values[self.at]

    def fits(self, dtype: DType, *, exactly: bool = False) -> bool:
        """Return whether a data type, if it is one of integers, holds an integer.

        Exactly: no number becomes one of a kind with less.
        """
        kind, value = dtype.kind, self.value
        if type(value) is int and kind in dtypes.INTEGER:
            low, high = dtypes.integer_bounds(dtype)
            return bool(low <= value <= high)
        return (
            not exactly
            or kind == dtypes.COMPLEX
            or (kind == dtypes.REAL and type(value) is not complex)
        )

    def constant(self, dtype: DType) -> Any:
        """Return the constant of an instruction that it is, rounded to a data type."""
        plain = _rounded(self.value, dtype)
        found = _KINDS[type(plain)](plain)
        found.number = len(self.formula.constants)
        self.formula.constants.append((self.at, dtype))
        return found

    def view(self, dtype: DType, device: Device) -> View:
        """Record an instruction that makes an array without axes of it; return its view."""
        return filled(self.operand(dtype, device))

    def operand(self, dtype: DType, device: Device) -> View:
        """Return the constant operand of an instruction that it is; nothing may compute with it."""
        return View(None, structure(device, dtype, (), None), 0, self.constant(dtype))

    def pinned(self) -> Any:
        """Return the value to what decides by it."""
        return self.formula.pin(self.at)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return numpy.array(self.pinned(), *args, **kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        # NumPy gives the type of an array to a Python number, but not to what `__array__` makes.
        return getattr(ufunc, method)(*plainly(operands), **options)

    def __array_function__(self, function: Any, kinds: Any, given: Any, named: Any) -> Any:
        return function(*plainly(given), **plainly(named))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pinned(), name)


class TracedScalar(TracedNumber):
    """A NumPy scalar of a call that is recorded, which keeps its data type beside arrays."""

    __slots__ = ()


def plainly(value: Any) -> Any:
    """Return what a function is given to decide by: of traced numbers the values, pinned."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(map(plainly, value))
    if kind is dict:
        return {name: plainly(one) for name, one in value.items()}
    return value.pinned() if isinstance(value, TracedNumber) else value


_ARITHMETIC: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_UNARY: Final = ("neg", "pos", "abs")
_DECIDING: Final[dict[str, Callable[..., Any]]] = {
    **{one.__name__: one for one in (float, int, complex, bool, hash, round, repr, str, format)},
    **{name: getattr(operator, name) for name in ("index", "eq", "ne", "lt", "le", "gt", "ge")},
    **{name: getattr(operator, f"{name}_") for name in ("and", "or")},
    **{name: getattr(operator, name) for name in ("xor", "lshift", "rshift", "invert")},
    **{name: getattr(math, name) for name in ("trunc", "floor", "ceil")},
    "divmod": divmod,
}
"""Functions that decide by a value, by the name of its method."""
_SWAPPED: Final = ("divmod", "and", "or", "xor", "lshift", "rshift")


def _arithmetic(function: Callable[..., Any], *, swapped: bool) -> Callable[..., Any]:
    """Return a method that notes an operation with another number."""

    def method(self: TracedNumber, other: Any, *modulus: Any) -> Any:
        if modulus:
            return pow(*plainly((self, other, *modulus)))
        is_scalar = issubclass(type(other), numpy.generic)  # for which an Array passes, too
        if not (is_scalar or isinstance(other, int | float | complex | TracedNumber)):
            return NotImplemented
        operands = (other, self) if swapped else (self, other)
        return self.formula.computed(function, operands)

    return method


def _deciding(function: Callable[..., Any], *, swapped: bool = False) -> Callable[..., Any]:
    """Return a method that applies a function to the value, and pins the number."""

    def method(self: TracedNumber, *others: Any) -> Any:
        plain = [self.pinned(), *map(plainly, others)]
        return function(*(reversed(plain) if swapped else plain))

    return method


def _define() -> None:
    for name in _ARITHMETIC:
        function = getattr(operator, name)
        setattr(TracedNumber, f"__{name}__", _arithmetic(function, swapped=False))
        setattr(TracedNumber, f"__r{name}__", _arithmetic(function, swapped=True))
    for name in _UNARY:
        function = getattr(operator, name)

        def unary(self: TracedNumber, function: Callable[..., Any] = function) -> Any:
            return self.formula.computed(function, (self,))

        setattr(TracedNumber, f"__{name}__", unary)
    for name, function in _DECIDING.items():
        setattr(TracedNumber, f"__{name}__", _deciding(function))
    for name in _SWAPPED:
        setattr(TracedNumber, f"__r{name}__", _deciding(_DECIDING[name], swapped=True))


_define()
