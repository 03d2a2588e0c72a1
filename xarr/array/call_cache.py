# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Record the instructions of a call again for other arrays, where it is like earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from xarr import dtypes, errors
from xarr.ir import _cython as cython
from xarr.ir.memo import remembered

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, is_plain, made, view_of
    from xarr.ir.events import core_counts, core_hooks
    from xarr.ir.instructions import Instruction, Opcode
    from xarr.ir.views import Structure, View, view_at
    from xarr.tape.record import computed, recorded
    from xarr.tape.tape import Tape

_TRIES = cython.declare(cython.Py_ssize_t, 4)
_MOST_PARTS = cython.declare(cython.Py_ssize_t, 32)


@cython.cclass
class Recording:
    """What a call has recorded, to be recorded again for arrays like those that it was given.

    A place is one of the views, by number: those given, then those made; or a view: of which view's
    storage, its structure, and how far beyond that view it begins; or a constant's view.

    Attributes
    ----------
    steps : list of (Opcode, list, object)
        The instructions: places of the operands and of what is written, if that exists; a scalar.
    results : list of (place, int, bool, bool)
        The arrays that it returns: of which given one each is a view, -1 of none, whether it is
        locked, and whether it is kept. `is_lone` if it is no tuple of them.
    """

    steps: list[Any]
    results: list[Any]
    is_lone: bool

    @cython.cfunc
    def replay(self, arrays: list[Any]) -> Any:
        """Record the instructions again for other arrays; return what the call returns."""
        opcode: Opcode
        target: View
        array: ArrayBase
        places: list[Any]
        number: cython.Py_ssize_t
        views: list[Any] = []
        for array in arrays:
            views.append(array._view)
        for opcode, places, scalar in self.steps:
            operands: list[Any] = []
            for place in places:
                operands.append(_at(views, place))
            if opcode.is_fresh:
                views.append(computed(opcode, tuple(operands), scalar))
                continue
            target = operands[0] if opcode.target is None else operands.pop()
            with opcode.device.lock:
                target.storage.writes += 1  # type: ignore[union-attr]
                recorded(opcode, tuple(operands), None if opcode.target is None else target)
        found: list[Any] = []
        for place, number, is_locked, is_kept in self.results:
            view = _at(views, place)
            array = made(view) if number < 0 else view_of(arrays[number], view)
            array._locked = is_locked
            array._kept = is_kept
            found.append(array)
        return found[0] if self.is_lone else tuple(found)


@cython.cfunc
def _at(views: list[Any], place: Any) -> View:
    """Return the view that a place of a recording stands for."""
    view: View
    beyond: cython.Py_ssize_t
    if type(place) is int:
        return views[place]
    if type(place) is tuple:
        number, how, beyond = place
        view = views[number]
        return view_at(view.storage, how, view.offset + beyond)
    return place


def _recording(
    instructions: list[Instruction], arrays: list[ArrayBase], result: Any
) -> Recording | None:
    """Make the recording of a call that was given arrays; None where it needs anything else."""
    known = [array._view for array in arrays]
    numbers = {id(view.storage): number for number, view in reversed(list(enumerate(known)))}

    def place_of_node(view: View) -> Any:
        if view.storage is None:
            return view
        number = numbers[id(view.storage)]
        base = known[number]
        if base.dtype is not view.dtype:
            raise KeyError(number)  # it begins elsewhere where that one does
        if base.structure is view.structure and base.offset == view.offset:
            return number
        return number, view.structure, view.offset - base.offset

    recording = Recording()
    recording.steps, recording.results = [], []
    recording.is_lone = not isinstance(result, tuple)
    try:
        for instruction in instructions:
            places = [place_of_node(view) for view in instruction.views]
            recording.steps.append((instruction.opcode, places, instruction.scalar))
            if instruction.fresh is not None:
                numbers[id(instruction.fresh)] = len(known)
                assert instruction.opcode.target is not None
                known.append(View(instruction.fresh, instruction.opcode.target, 0))
            elif numbers[id(instruction.written)] < len(arrays):
                return None
        for array in (result,) if recording.is_lone else result:
            if not is_plain(array) or array._view.storage is None:
                return None
            if any([array is given for given in arrays]) or 0 in array._view.shape:
                return None  # of no elements it does not matter where they begin
            number = numbers[id(array._view.storage)]
            if (number < len(arrays)) is (array._base is None):
                return None  # what was given, or a view of what is new
            if array._base is None:
                number = -1
            else:
                given = arrays[number]
                if array._base is not (given if given._base is None else given._base):
                    return None
            recording.results.append(
                (place_of_node(array._view), number, array._locked, array._kept)
            )
    except KeyError:
        return None
    return recording


TOLD: Final = {type(None), bool, int, str, type, dtypes.DType}
"""The types of arguments that are told by what they are equal to."""


@cython.cfunc
def _add_to_key(value: Any, parts: list[Any], arrays: list[Any]) -> cython.bint:
    """Append an argument to a key, and its arrays to a list; return whether a key can have it."""
    number: cython.Py_ssize_t = 0
    view: View
    other: ArrayBase
    if len(parts) > _MOST_PARTS:
        return False
    if isinstance(value, ArrayBase):
        view = value._view
        if view.storage is None or not is_plain(value):
            return False
        parts.append(view.structure)
        if not view.structure.shape:
            parts.append(value._kept)
        if value._locked:
            parts.append(None)
        for other in arrays:
            if other._view.storage is view.storage:
                parts.append(number)
                parts.append(view.offset - other._view.offset)
                break
            number += 1
        arrays.append(value)
        return True
    kind: Any = type(value)
    parts.append(kind)
    if kind is tuple or kind is list:
        parts.append(len(value))
        for one in value:  # noqa: SIM110 - a generator's frame takes longer
            if not _add_to_key(one, parts, arrays):
                return False
        return True
    if kind is float:
        parts.append(value or str(value))  # of two zeros
        return value == value
    parts.append(value)
    return kind in TOLD


@cython.cclass
class CallCache:
    """A function of arrays whose instructions are recorded again where a call is like earlier ones.

    It depends on nothing but its arguments, and on no state but what `Hooks` tell of.

    Attributes
    ----------
    recordings : dict
        The recording of a call by its key, or how often there was such a call without one.
    """

    function: Any
    recordings: dict[Any, Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.recordings = {}

    @cython.ccall
    def call(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the function's result for arguments by position and by name."""
        arrays: list[Any] = []
        key = None
        if not (core_hooks.eager or core_hooks.changed or core_hooks.recorder is not None):
            key = _key_of(given, named, arrays)
        if key is None:
            return self.function(*given, **named)
        recording: Recording
        found = self.recordings.get(key)
        if isinstance(found, Recording):
            recording = found
            return recording.replay(arrays)
        tries: cython.Py_ssize_t = 0 if found is None else found
        if tries > _TRIES or not (tries or _are_known(arrays)):
            return self.function(*given, **named)
        remembered(self.recordings, key, tries + 1)
        if not tries:
            return self.function(*given, **named)
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
            made_of = _recording(list(tape.instructions)[count:], arrays, result)  # others append
            if made_of is not None:
                remembered(self.recordings, key, made_of)
        return result


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
def _key_of(given: tuple[Any, ...], named: dict[str, Any], arrays: list[Any]) -> object:
    """Return the key of a call: calls of one key record the same; None where it cannot be told."""
    parts: list[Any] = []
    for value in given:
        if not _add_to_key(value, parts, arrays):
            return None
    for name, value in named.items():
        parts.append(name)
        if not _add_to_key(value, parts, arrays):
            return None
    if not arrays:
        return None
    array: ArrayBase = arrays[0]
    tape: Tape | None = array._view.structure.device.tape
    return None if tape is None or tape.shared else tuple(parts)
