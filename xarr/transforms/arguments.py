# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The arguments of calls that are replayed: the key of a call, its arrays, and what it returns."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.backends.device import default_device
from xarr.ir import _cython as cython
from xarr.ir.views import contiguous
from xarr.tape import builder, recorders
from xarr.tape.traced import TracedNumber, TracedScalar
from xarr.transforms import trees

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.call_cache import Leaf
    from xarr.array.operators import ArrayBase
    from xarr.ir.storage import Storage
    from xarr.ir.views import View, beyond
    from xarr.tape.replay import Replay

_Array = cython.declare(type, Array)
_VALUES: Final = (type(None), bool, str, bytes, type, dtypes.DType, numpy.dtype)
"""Types of arguments that are told by what they are equal to."""
_None: Final = type(None)
_values = cython.declare(object, frozenset(_VALUES))
_NUMBERS: Final = (int, float, complex)
_SCALARS: Final = numpy.generic
_DTYPES: Final = dtypes.BY_NUMPY
_SIGNED: Final = (float, complex, numpy.inexact)
_KINDS = cython.declare(tuple, (0, 1, 2, 3))
_PAIRS: Final = (complex, numpy.complexfloating)
_Cell: Final = types.CellType
_Function: Final = types.FunctionType
_Module: Final = types.ModuleType
_ndarray: Final = numpy.ndarray
_NUMPYS: Final = 4096
"""Bytes up to which NumPy's arrays that a function names are told by their content."""


@cython.cclass
class Arguments:
    """The arguments of a call.

    Attributes
    ----------
    where : str
        The call that errors name.
    parts : list
        What the call's key is made of: calls of one key record the same.
    arrays : list of Array
        The arrays among the arguments, and those that the function names elsewhere.
    views : list of View
        The first view of each storage of these.
    replaced : dict of int to Array
        The arrays that stand for those of NumPy among the arguments, by their `id`.
    is_empty : bool
        Whether an array has no elements.
    numbers : list of int, float or complex
        The Python numbers among the arguments, which may be others in each call.
    is_within : bool
        Whether the call is part of a recorded one, whose numbers it is given.
    """

    where: str
    parts: list[Any]
    arrays: list[Any]
    views: list[Any]
    replaced: dict[int, Any]
    is_empty: bool
    numbers: list[Any]
    is_within: bool
    takes_numbers: bool  # and those within containers:
    takes_nested: bool

    def __init__(self, where: str) -> None:
        self.where = where
        self.numbers = []
        self.parts, self.arrays, self.views, self.replaced = [], [], [], {}

    @cython.ccall
    def add(self, value: Any) -> object:
        """Add an argument to the key, and its arrays to the lists."""
        kind: Any = type(value)
        if kind is _Array:
            self._add_array(value)
            return None
        self.parts.append(kind)
        if kind is float or kind is int or kind is complex:
            if self.takes_numbers:
                self.numbers.append(value)
            else:
                self.parts.append(told(value))
        elif kind in _values:
            self.parts.append(value)
        elif kind is TracedNumber or kind is TracedScalar:
            self.is_within = True
        else:
            takes_numbers = self.takes_numbers
            self.takes_numbers = takes_numbers and self.takes_nested
            if kind is tuple or kind is list:
                self.parts.append(len(value))
                for one in value:
                    self.add(one)
            else:
                self._add_other(value)
            self.takes_numbers = takes_numbers
        return None

    @cython.cfunc
    def _add_array(self, array: ArrayBase) -> cython.void:
        view: View
        other: View
        slot: cython.Py_ssize_t = 0
        parts: list[Any] = self.parts
        if array._view.value is not None:
            builder.materialise(array._view)
        view = array._view
        storage: Storage | None = view.storage
        assert storage is not None
        parts.append(view.structure)
        for other in self.views:
            slot += 1
            if other.storage is storage:
                parts.append(-slot)
                parts.append(beyond(view, other))
                break
        else:
            self.views.append(view)
            parts.append(storage.nbytes)
        if not view.structure.size:
            self.is_empty = True
        parts.append(_KINDS[array._kept + 2 * array._locked])
        self.arrays.append(array)

    def _add_other(self, value: Any) -> None:
        """Add an argument that is neither an array nor a plain value."""
        if isinstance(value, numpy.ndarray):
            array = self.replaced.get(id(value))
            if array is None:
                array = self.replaced[id(value)] = as_array(value, self.where, "an argument")
            self._add_array(array)
            return
        if self.takes_numbers and _is_number(value):
            self.numbers.append(value)
            return
        leaves, form = trees.flatten(value, ordered=False)
        if form is trees.LEAF:
            self.add_static(value)
            return
        self.parts.append(form)
        for leaf in leaves:
            self.add(leaf)

    def add_static(self, value: Any) -> None:
        """Add an argument that is told by what it is equal to."""
        try:
            hash(value)
        except TypeError:
            raise errors.type_error(
                self.where,
                f"an argument of type {type(value).__name__} has no hash",
                "arguments must be arrays, numbers, nested containers or hashable objects",
                "leave it out of the arguments",
            ) from None
        self.parts.append(type(value))  # True, 1 and 1.0 are equal
        self.parts.append(told(value) if isinstance(value, _SIGNED) else value)

    def given(self, value: Any, take: Callable[[Any], Any]) -> Any:
        """Return an argument with arrays in place of NumPy's, and what `take` gives for numbers.

        Numbers come in the order of `numbers`. What holds nothing of this is given as it is.
        """
        if type(value) in _NUMBERS or _is_number(value):
            return take(value)
        leaves, form = trees.flatten(value, ordered=False)
        if form is trees.LEAF:
            return self.replaced.get(id(value), value)
        if not self.takes_nested:
            take = _same
        found = [self.given(leaf, take) for leaf in leaves]
        if all([new is old for new, old in zip(found, leaves, strict=True)]):
            return value
        return trees.unflatten(form, found)


@cython.ccall
def arguments_of(
    where: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static: Any,
    static_names: Any,
    outer: list[Any],
    nested: cython.bint,
) -> Arguments:
    """Return the arguments of a call, those that are static by number or name told apart.

    `outer` has the cells, and the dictionaries and names of globals, that the function reads.
    Numbers within containers are told by value unless `nested`.
    """
    found: Arguments = Arguments(where)
    found.takes_numbers, found.takes_nested = True, nested
    if static:
        for at, value in enumerate(args):
            if at in static:
                found.add_static(value)
            else:
                found.add(value)
    else:
        for value in args:
            found.add(value)
    for name, value in kwargs.items():
        found.parts.append(name)
        if name in static_names:
            found.add_static(value)
        else:
            found.add(value)
    found.takes_numbers = False
    for scope, name in outer:
        held: Any = read(scope, name)
        kind: Any = type(held)
        if kind is _Function or kind is _Module:
            found.parts.append(id(held))
        elif kind is _Array or kind in _NUMBERS or kind in _values or isinstance(held, _SCALARS):
            found.add(held)
        elif kind is _ndarray and held.nbytes <= _NUMPYS:
            found.parts.append((held.dtype.str, held.shape, held.tobytes()))
        else:
            found.parts.append(id(held))
    found.parts.append(default_device())
    return found


@cython.ccall
def read(scope: Any, name: str) -> object:
    """Return what a cell holds, or a dictionary under a name; None where there is nothing."""
    if type(scope) is not _Cell:
        return scope.get(name)
    try:
        return scope.cell_contents
    except ValueError:
        return None


@cython.cclass
class Recorded:
    """A call that can be made again.

    Attributes
    ----------
    replay : Replay
        Its instructions.
    form : Form
        The form of its result.
    leaves : list
        The result's leaves: `Leaf` for arrays, other values as they are.
    takes : list of function
        Give the number and the key of each random draw.
    formula : Formula
        What is computed of its numbers.
    """

    replay: Replay
    form: Any
    is_leaf: bool
    is_none: bool
    is_flat: bool
    leaves: list[Any]
    takes: list[Any]
    formula: Any
    given: list[Any]
    values: list[Any]
    constants: list[Any]

    def __init__(
        self, replay: Replay, form: Any, leaves: list[Any], takes: list[Any], formula: Any
    ) -> None:
        self.takes, self.formula = takes, formula
        self.given, self.values, self.constants = [], [], []
        self.replay = replay
        self.form = form
        self.is_leaf, self.is_none = form is trees.LEAF, form.kind is _None
        self.is_flat = form.kind is tuple and all([item.kind is None for item in form.items])
        self.leaves = leaves

    @cython.ccall
    def again(self, arguments: Arguments) -> object:
        """Make the call for other arguments; return its result.

        Raises
        ------
        OtherCallError
            If its numbers need another recording. Nothing was done.
        """
        leaf: Leaf
        numbers: list[Any] = arguments.numbers
        values: list[Any] = self.values
        constants: list[Any] = self.constants
        if numbers and not _are_same(numbers, self.given):
            values, constants = self.formula.again(numbers)
            # At once, as other threads may be here.
            self.given, self.values, self.constants = numbers, values, constants
        given: list[Any] = arguments.views
        if self.takes:
            given = [*given, *[_drawn(take, self.replay.device) for take in self.takes]]
        views: list[Any] = self.replay.call(given, constants)
        found: list[Any] = []
        for one in self.leaves:
            if isinstance(one, Leaf):
                leaf = one
                view = None if leaf.place < 0 else views[leaf.place]
                found.append(leaf.array_of(view, arguments.arrays))
            elif type(one) is TracedNumber or type(one) is TracedScalar:
                found.append(values[one.at])
            else:
                found.append(one)
        if self.is_leaf:
            return found[0]
        if self.is_flat:
            return tuple(found)
        if self.is_none:
            return None
        return trees.unflatten(self.form, found)


@cython.cfunc
def _are_same(numbers: list[Any], others: list[Any]) -> cython.bint:
    """Return whether two lists hold the same objects."""
    at: cython.Py_ssize_t = 0
    if len(others) != len(numbers):
        return False
    for one in numbers:
        if one is not others[at]:
            return False
        at += 1
    return True


def _is_number(value: Any) -> bool:
    """Return whether a value is a number of NumPy's that an array may hold."""
    is_scalar = issubclass(type(value), _SCALARS)  # an Array without axes passes for one, too
    return is_scalar and value.dtype.kind in "iufc" and value.dtype in _DTYPES


def told(value: Any) -> Any:
    """Return what tells a number from others: of two zeros too, and NaNs are equal."""
    return value if value == value and value and not isinstance(value, _PAIRS) else repr(value)


def _same(value: Any) -> Any:
    return value


def _drawn(take: recorders.Take, device: Any) -> View:
    """Return the view of a storage with the number and the key of a draw."""
    storage = recorders.drawn(take, device)
    if storage is None:
        storage = Storage(device, 16, numpy.array(take(), numpy.uint64))
    return View(storage, contiguous(device, dtypes.uint64, (2,)), 0)
