# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Record the instructions of a call again for other arrays, where it is like earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.ir import _cython as cython
from xarr.ir.memo import remembered
from xarr.tape.recording import Noter
from xarr.tape.traced import Formula

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, is_plain, made, view_of
    from xarr.ir.events import core_counts, core_hooks, core_tier
    from xarr.ir.instructions import Instruction
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, beyond, contiguous, lone_constant, view_at
    from xarr.tape.replay import Replay, view_in
    from xarr.tape.tape import Tape, tape_of

_TRIES = cython.declare(cython.Py_ssize_t, 4)
_MOST_PARTS = cython.declare(cython.Py_ssize_t, 32)
_dtype = cython.declare(object, numpy.dtype)


@cython.cclass
class Leaf:
    """An array that a call returns.

    Attributes
    ----------
    given : int
        The number of the given array that it is, or -1.
    place : int
        The number of the view that a replay returns for it, or -1.
    constant : View or None
        The constant that it is.
    base : int
        The number of the given array that it is a view of, or -1.
    locked, kept : bool
        As of the array.
    """

    given: int
    place: int
    base: int
    constant: Any
    locked: bool
    kept: bool

    def __init__(self, array: Any, arrays: list[Any], views: list[Any]) -> None:
        """Describe an array; append its view to a list where a replay returns it."""
        self.given = self.place = self.base = -1
        self.locked, self.kept = array._locked, array._kept
        view = array._view
        for number, one in enumerate(arrays):
            if one is array:
                self.given = number
                return
            base = one if one._base is None else one._base
            if array._base is base and self.base < 0:
                self.base = number
        if view.value is not None:
            self.constant = lone_constant(view.structure, view.value)  # its own may get a storage
        else:
            self.place = len(views)
            views.append(view)

    @cython.ccall
    def array_of(self, view: View | None, arrays: list[Any]) -> object:
        """Return the array, of the view that a replay returns for it, and of the given arrays."""
        array: ArrayBase
        if self.given >= 0:
            return arrays[self.given]
        if view is None:
            view = lone_constant(self.constant.structure, self.constant.value)
        array = made(view) if self.base < 0 else view_of(arrays[self.base], view)
        array._locked = self.locked
        array._kept = self.kept
        return array


@cython.cclass
class Known:
    """What a call records again.

    Attributes
    ----------
    replay : Replay
        Its instructions.
    leaves : list of Leaf
        The arrays that it returns.
    is_lone : bool
        Whether it returns the only one of these, and no tuple.
    """

    replay: Replay
    leaves: list[Any]
    is_lone: bool

    def __init__(self, replay: Replay, leaves: list[Any], is_lone: bool) -> None:
        self.replay, self.leaves, self.is_lone = replay, leaves, is_lone

    @cython.cfunc
    def call(self, firsts: list[Any], arrays: list[Any]) -> object:
        """Record the instructions for the first views of the given storages; return the result."""
        leaf: Leaf
        array: object = None
        results: list[Any] = self.replay.results
        found: list[Any] = []
        self.replay.record(firsts, [])
        for leaf in self.leaves:
            view = None if leaf.place < 0 else view_in(results[leaf.place], firsts)
            array = leaf.array_of(view, arrays)
            if not self.is_lone:
                found.append(array)
        return array if self.is_lone else tuple(found)


TOLD: Final = {type(None), bool, int, str, type, dtypes.DType}
"""The types of arguments that are told by what they are equal to."""


@cython.cfunc
def _add_to_key(value: Any, parts: list[Any], arrays: list[Any], firsts: list[Any]) -> cython.bint:
    """Append an argument to a key, its arrays to a list, and the first view of each storage."""
    number: cython.Py_ssize_t = 0
    array: ArrayBase
    view: View
    first: View
    if len(parts) > _MOST_PARTS:
        return False
    if isinstance(value, ArrayBase):
        array = value
        view = array._view
        if view.storage is None or not is_plain(value):
            return False
        parts.append(view.structure)
        if not view.structure.shape:
            parts.append(array._kept)
        if array._locked:
            parts.append(None)
        for first in firsts:
            if first.storage is view.storage:
                parts.append(number)
                parts.append(beyond(view, first))
                break
            number += 1
        else:
            firsts.append(view)
        arrays.append(value)
        return True
    kind: Any = type(value)
    parts.append(kind)
    if kind is tuple or kind is list:
        parts.append(len(value))
        for one in value:  # noqa: SIM110 - a generator's frame takes longer
            if not _add_to_key(one, parts, arrays, firsts):
                return False
        return True
    if kind is float:
        parts.append(value or str(value))  # of two zeros
        return value == value
    parts.append(value)
    return kind in TOLD or isinstance(value, _dtype)


@cython.cclass
class CallCache:
    """A function of arrays whose instructions are recorded again where a call is like earlier ones.

    It depends on nothing but its arguments, and on no state but what `Hooks` tell of.

    Attributes
    ----------
    recordings : dict
        A `Known` call by its key, or how often there was such a call without one.
    """

    function: Any
    recordings: dict[Any, Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.recordings = {}

    @cython.ccall
    def call(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the function's result for arguments by position and by name.

        The first calls of a key are counted; the instructions of the next one are noted; later
        calls record those again.
        """
        arrays: list[Any] = []
        firsts: list[Any] = []
        key = name = None
        stored = given
        if not (core_hooks.eager or core_hooks.changed or core_hooks.recorder is not None):
            if not named and given and is_plain(given[0]):
                name = self._name_of(given)
                part = None if name is None else _placed(given[0], name)
                if part is not None:  # in half the time that a replay takes
                    return part
            stored = _stored(given)
            key = _key_of(stored, named, arrays, firsts)
        if key is None:
            return self.function(*given, **named)
        known: Known
        found = self.recordings.get(key)
        if isinstance(found, Known):
            known = found
            return known.call(firsts, arrays)
        tries: cython.Py_ssize_t = 0 if found is None else found
        if tries > _TRIES or not (tries or _are_known(arrays)):
            return self.function(*given, **named)
        remembered(self.recordings, key, tries + 1)
        if not tries:
            return self.function(*given, **named)
        given = stored
        array: ArrayBase = arrays[0]
        tape: Tape = array._view.structure.device.tape
        count = len(tape.instructions)
        looks = core_counts.looks
        warned = errors.warned
        tape.noted += 1
        try:
            result = self.function(*given, **named)
        finally:
            tape.noted -= 1
        if looks == core_counts.looks and warned == errors.warned:
            instructions = list(tape.instructions)[count:]  # a copy, as others may append
            found = _known(instructions, firsts, arrays, result)
            if found is not None:
                self.recordings[key] = found
            if name is not None and is_plain(result) and not instructions:
                _remember_place(arrays[0], name, result)
        return result

    @cython.cfunc
    def _name_of(self, given: tuple[Any, ...]) -> object:
        """Return the key by which a structure remembers the view that a call gives of an array.

        It has integers beside the array, or tuples of them; None of other calls.
        """
        if len(given) == 1:
            return self
        rest: tuple[Any, ...] = given[1:]
        for value in rest:
            if type(value) is tuple:
                for one in value:
                    if type(one) is not int:
                        return None
            elif type(value) is not int:
                return None
        return self, rest


@cython.cfunc
def _placed(array: ArrayBase, name: object) -> object:
    """Return the view of an array that its structure remembers by a name, or None."""
    view: View = array._view
    if view.storage is None or array._locked:
        return None
    found = view.structure.known(name)
    if found is None:
        return None
    how: Structure | None = found[0]
    if how is None:
        return array
    place: cython.Py_ssize_t = found[1]
    place = (view.offset * view.structure.itemsize + place) // how.itemsize
    part: ArrayBase = view_of(array, view_at(view.storage, how, place))
    part._locked = found[2]
    return part


def _remember_place(array: Any, name: object, result: Any) -> None:
    """Remember a result by a name if it is an array itself, or a view of it."""
    view, part = array._view, result._view
    if not view.structure.shape or array._locked:
        return
    if result is array:
        view.structure.remember(name, (None, 0, False))
    elif part.storage is view.storage and part.structure.shape and part.structure.size:
        view.structure.remember(name, (part.structure, beyond(part, view), result._locked))


def _known(
    instructions: list[Instruction], firsts: list[Any], arrays: list[Any], result: Any
) -> Known | None:
    """Return how a call is recorded again; None if it is not.

    It may write to nothing that was there before. Of no elements it does not matter where they are.
    """
    refused: list[str] = []
    noter = Noter(firsts, Formula(()), lambda where, fault, hint: refused.append(where))
    is_lone = not isinstance(result, tuple)
    results = [result] if is_lone else list(result)
    if not all([is_plain(array) and 0 not in array.shape for array in results]):
        return None
    for one in instructions:
        noter.note(one.opcode, one.views, one.fresh, one.scalar)
    views: list[Any] = []
    leaves = [Leaf(array, arrays, views) for array in results]
    for leaf, array in zip(leaves, results, strict=True):
        if leaf.given >= 0 or (leaf.base < 0) is not (array._base is None):
            return None
    recording = noter.finish(views)
    if refused or recording.written or recording.captured:
        return None
    return Known(Replay(recording), leaves, is_lone)


@cython.cfunc
def _are_known(arrays: list[Any]) -> cython.bint:
    """Return whether arrays have structures that were met before."""
    array: ArrayBase
    how: Structure
    known: cython.bint = True
    for array in arrays:
        how = array._view.structure
        known = how.is_met() and known
    return known


@cython.cfunc
def _stored(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with arrays in storages for those that are numbers, as these are no inputs.

    Only on a device whose memory the host writes: elsewhere a number in a storage is a transfer.
    """
    array: ArrayBase
    stored: ArrayBase
    how: Structure
    storage: Storage
    at: cython.Py_ssize_t = 0
    found: list[Any] | None = None
    if core_tier.name:
        return given
    for value in given:
        if is_plain(value):
            array = value
            number = array._view.value
            how = array._view.structure
            if number is not None and not (how.shape or array._kept):  # kept ones are written to
                how = contiguous(how.device, how.dtype, ())
                if how.unpack is None:
                    return given
                storage = new_storage(Storage.__new__(Storage), how.device, how.nbytes)
                storage.buffer = numpy.array(number, how.dtype.numpy)
                stored = type(array).__new__(type(array))
                stored._view = view_at(storage, how, 0)
                stored._kept, stored._locked = array._kept, array._locked
                if found is None:
                    found = list(given)
                found[at] = stored
        at += 1
    return given if found is None else tuple(found)


@cython.cfunc
def _key_of(
    given: tuple[Any, ...], named: dict[str, Any], arrays: list[Any], firsts: list[Any]
) -> object:
    """Return the key of a call: calls of one key record the same; None where it cannot be told."""
    parts: list[Any] = []
    for value in given:
        if not _add_to_key(value, parts, arrays, firsts):
            return None
    for name, value in named.items():
        parts.append(name)
        if not _add_to_key(value, parts, arrays, firsts):
            return None
    if not arrays:
        return None
    array: ArrayBase = arrays[0]
    return None if tape_of(array._view.structure.device).shared else tuple(parts)
