"""`checkpoint`: values of a function are not held for its derivative, but computed again.

The function's instructions are listed by the serial numbers of storages, without their values. For
the derivative the list is recorded again up to its last cut; what is live at each cut is held. Then
each part, from the last to the first, is recorded once more for a backward walk of its own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from xarr import errors
from xarr.array.array import Array
from xarr.backends.device import get_device
from xarr.dtypes import FLOATING, DType
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import Structure, View, contiguous
from xarr.tape import builder, record, recorders
from xarr.tape.recorders import Recorder, paused, recorded_by
from xarr.tape.recording import Entry, Place, ends_of, operands_of
from xarr.transforms import adjoints, trees
from xarr.transforms.adjoints import Adjoints, place_of
from xarr.transforms.reverse import Gradient, backward, rule_by
from xarr.transforms.steps import Saved

Function = Callable[..., Any]
Storages = dict[int, Storage]
"""The storages that stand for those of the list, by serial number."""


class Called(NamedTuple):
    """A function of views that is called again as a whole.

    made : list of int -- The serial numbers of its results' storages.
    """

    function: Callable[..., Sequence[View]]
    places: list[Any]
    made: list[int]


class Listed(Recorder):
    """Lists what a function records, and what of it depends on arrays of a gradient.

    It refuses writes to what was there before. The slots of entries and places are serial numbers.

    Attributes
    ----------
    steps : list of Entry or Called
    sources : dict of int to Saved
        The storages that no instruction of the function has made.
    active : dict of int to int
        The storages that depend on the arrays, and after how many steps they do.
    """

    is_aside = False

    def __init__(self, gradient: Gradient, where: str) -> None:
        self.gradient = gradient
        self.where = where
        self.before = last_serial()
        self.steps: list[Entry | Called] = []
        self.sources: dict[int, Saved] = {}
        self.active: dict[int, int] = {}
        self.wholes: dict[int, Structure] = {}  # all elements of each storage, as a vector
        self.last: dict[int, int] = {}  # the last step that reads or writes a storage
        self.written: dict[int, int] = {}  # the last step that writes to what was there

    # -- what a recorder is told --------------------------------------------------------------

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """List an instruction; refuse a write to an array that the function was given."""
        places = self._places(views)
        target = fresh or views[0 if opcode.target is None else -1].storage
        assert target is not None
        if fresh is None and target.serial <= self.before:
            fault = "it writes to an array that it was given, or that it captured"
            remedy = "write to a copy, and return it"
            raise errors.type_error(self.where, fault, "it must write to arrays of its own", remedy)
        how = views[0].structure if opcode.target is None else opcode.target
        operands = operands_of(opcode, views, scalar)
        depending = [view if self.depends(view) else None for view in operands]
        is_active = how.dtype.kind in FLOATING and any(view is not None for view in depending)
        if is_active and rule_by(opcode, depending) is not None:
            self.active.setdefault(target.serial, len(self.steps) + 1)
        if fresh is None:
            self.written[target.serial] = len(self.steps)
        else:
            self._add(fresh, how.dtype)
        self.steps.append(Entry(opcode, places, -1 if fresh is None else target.serial, scalar))

    def whole(
        self,
        name: str,
        options: Mapping[str, Any],
        operands: tuple[View, ...],
        compute: Callable[..., Sequence[View]],
    ) -> Sequence[View]:
        """List a function as a whole, as it has a derivative of its own."""
        with paused(self):
            results = recorders.whole(name, options, operands, compute)
        function = functools.partial(_whole, name, options, compute)
        self.call(operands, results, function)
        return results

    def call(
        self,
        operands: Sequence[View],
        results: Sequence[View],
        function: Callable[..., Sequence[View]],
    ) -> None:
        """List a function of views as a whole, whose results have new storages."""
        places = self._places(operands)
        for view in results:
            self._add(_storage(view), view.dtype)
            if any(map(self.depends, operands)):
                self.active[_serial(view)] = len(self.steps) + 1
        made = [_serial(view) for view in results]
        self.steps.append(Called(function, places, made))

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Warn of a value that the host reads and that counts as a constant."""
        if any(map(self.depends, views)):
            self.gradient.warn(where)

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse work on the function's values that no instruction stands for."""
        if any(view.storage is not None and _serial(view) in self.wholes for view in views):
            fault = f"{where} works outside of the recorded instructions"
            raise errors.type_error(
                self.where, fault, "it must work on recorded instructions to be computed again", ""
            )

    def depends(self, view: View) -> bool:
        """Return whether a view holds real or complex numbers that depend on the arrays."""
        is_floating = view.storage is not None and view.dtype.kind in FLOATING
        return is_floating and _serial(view) in self.active

    def _places(self, views: Sequence[View]) -> list[Any]:
        """Return the places of views, constants as they are; save storages that are new here."""
        found: list[Any] = []
        for view in views:
            if view.storage is None:
                found.append(View(None, view.structure, 0, view.value))
                continue
            serial = _serial(view)
            if serial not in self.wholes:
                held = self.gradient.active.get(serial)
                self._add(view.storage, held or view.dtype)
                self.sources[serial] = self.gradient.save(_at(view.storage, self.wholes[serial]))
                if held is not None:
                    self.active[serial] = 0
            self.last[serial] = len(self.steps)
            found.append(Place(serial, view.structure, view.offset))
        return found

    def _add(self, storage: Storage, dtype: DType) -> None:
        count = storage.nbytes // dtype.itemsize
        self.wholes[storage.serial] = contiguous(storage.device, dtype, (count,))
        self.last[storage.serial] = len(self.steps)

    # -- computing again ----------------------------------------------------------------------

    @functools.cached_property
    def _ends(self) -> Mapping[int, Sequence[int]]:
        return ends_of(self.last)

    def cuts(self, segments: int) -> list[int]:
        """Return where the parts begin and end: where the fewest bytes are live nearby."""
        count = len(self.steps)
        changes = [0] * (count + 2)
        for number, step in enumerate(self.steps):
            for serial in step.made if isinstance(step, Called) else (step.made,):
                nbytes = self.wholes[serial].nbytes if serial >= 0 else 0
                changes[number + 1] += nbytes
                changes[self.last.get(serial, 0) + 1] -= nbytes
        live = list(accumulate(changes))
        found = [0]
        for number in range(1, segments):
            first = math.ceil((number - 0.25) * count / segments)
            last = math.floor((number + 0.25) * count / segments)
            near = range(max(first, found[-1] + 1), min(last, count - 1) + 1)
            if near:
                found.append(min(near, key=live.__getitem__))
        return [*found, count]

    def derived(
        self,
        cuts: list[int],
        results: list[adjoints.Place],
        parts: list[Array | None],
        wanted: list[int],
    ) -> list[Array | None]:
        """Return the adjoints of sources, for those of results."""
        found = self._of_results(results, parts)
        storages: Storages = {}
        for serial, saved in self.sources.items():
            view = saved.array()._view
            storages[serial] = _storage(record.copied(view) if serial in self.written else view)
        states: list[Storages] = []
        pairs = list(pairwise(cuts))
        for begin, end in pairs:
            needed = {
                place.slot
                for step in self.steps[begin:end]
                for place in step.places
                if isinstance(place, Place) and place.slot in storages
            }
            states.append({serial: self._held(serial, storages, begin) for serial in needed})
            if end != cuts[-1]:
                self._record(begin, end, storages, ())
        del storages
        for begin, end in reversed(pairs):
            self._walk(begin, end, states.pop(), found)
        return [found.get(serial) for serial in wanted]

    def _of_results(
        self, results: list[adjoints.Place], parts: list[Array | None]
    ) -> dict[int, Array]:
        """Return the adjoints of the storages of results, as vectors."""
        dtypes = {place.serial: self.wholes[place.serial].dtype for place in results}
        sums = Adjoints(dtypes, results[0].structure.device)
        for place, g in zip(results, parts, strict=True):
            if g is not None:
                sums.add(place, g)
        wholes = {x.serial: x._replace(structure=self.wholes[x.serial], offset=0) for x in results}
        found = {serial: sums.of(place) for serial, place in wholes.items()}
        return {serial: g for serial, g in found.items() if g is not None}

    def _held(self, serial: int, storages: Storages, begin: int) -> Storage:
        """Return the storage of a state: a copy, if it is written to afterwards."""
        storage = storages[serial]
        if self.written.get(serial, -1) < begin:
            return storage
        return _storage(record.copied(_at(storage, self.wholes[serial])))

    def _walk(self, begin: int, end: int, storages: Storages, found: dict[int, Array]) -> None:
        """Record a part again, and walk it back: from adjoints of its end to those of its begin."""
        gradient = Gradient(())
        active = [
            serial
            for serial in storages
            if self.active.get(serial, end) <= begin and self.wholes[serial].dtype.kind in FLOATING
        ]
        for serial in active:
            gradient.active[storages[serial].serial] = self.wholes[serial].dtype
        wanted = [_at(storages[serial], self.wholes[serial]) for serial in active]
        given = set(storages)
        with recorded_by(gradient):
            self._record(begin, end, storages, found)
        gradient.end()
        ends = {serial: _at(storages[serial], self.wholes[serial]) for serial in storages}
        seeds = [(view, found[serial]) for serial, view in ends.items() if serial in found]
        seeds = [(view, g) for view, g in seeds if gradient.depends(view)]
        parts = dict(zip(active, backward(gradient, seeds, wanted), strict=True))
        for serial in [*(storages.keys() - given), *active]:
            found.pop(serial, None)
        found.update({serial: g for serial, g in parts.items() if g is not None})

    def _record(self, begin: int, end: int, storages: Storages, kept: Container[int]) -> None:
        """Record steps again; let go of a storage behind its last step, unless it is kept."""
        for number in range(begin, end):
            step = self.steps[number]
            views = [
                View(storages[place.slot], place.structure, place.beyond)
                if isinstance(place, Place)
                else View(None, place.structure, 0, place.value)
                for place in step.places
            ]
            if isinstance(step, Called):
                made = step.function(*views)
                storages.update(zip(step.made, map(_storage, made), strict=True))
            elif step.made >= 0:
                storages[step.made] = _storage(_computed(step, tuple(views)))
            else:
                _write(step, views)
            for serial in self._ends.get(number, ()):
                if serial not in kept:
                    storages.pop(serial, None)


def _whole(
    name: str, options: Mapping[str, Any], compute: Callable[..., Sequence[View]], *views: View
) -> Sequence[View]:
    return recorders.whole(name, options, views, compute)


def _computed(entry: Entry, views: tuple[View, ...]) -> View:
    if entry.opcode.operation.raises:
        return builder.computed_at_once(entry.opcode, views)
    return record.computed(entry.opcode, views, entry.scalar)


def _write(entry: Entry, views: list[View]) -> None:
    opcode = entry.opcode
    target = views[0] if opcode.target is None else views.pop()
    with opcode.device.lock:
        _storage(target).writes += 1
        record.recorded(opcode, tuple(views), None if opcode.target is None else target)


def _at(storage: Storage, how: Structure) -> View:
    return View(storage, how, 0)


def _storage(view: View) -> Storage:
    assert view.storage is not None
    return view.storage


def _serial(view: View) -> int:
    return _storage(view).serial


def last_serial() -> int:
    """Return the serial number of the last storage that was made."""
    return Storage(get_device(), 0).serial


def own(leaf: Any, before: int) -> Any:
    """Return an array that shares no storage with what was there before a call, so a copy."""
    if type(leaf) is not Array:
        return leaf
    storage = leaf._view.storage
    if storage is not None and storage.serial > before:
        return leaf
    view = record.copied(leaf._view)
    builder.materialise(view)
    return Array(view)


def checkpoint(fun: Function, segments: int = 1) -> Function:
    """Return a function that recomputes intermediate values for a derivative, to save memory.

    Only the arguments and results of the function are kept until the derivative is computed. Then
    its operations, but not its Python code, run again: once, or twice with more than one segment.

    fun : function -- The function; it must not write to its arguments or to arrays it captures.
    segments : int -- The number of parts to compute the derivative in. Memory holds the values that
        later parts need, and all values of one part: a loop of n steps needs the least memory with
        about sqrt(n) parts. A checkpoint within another one has no effect.

    ValueError -- If `segments` is below 1.
    TypeError -- If the function writes to an array that it was given.

    >>> def grown(x):
    ...     for _ in range(100):
    ...         x = x + 0.01 * x
    ...     return x.sum()
    >>> f = xarr.checkpoint(grown, segments=10)
    >>> round(float(xarr.grad(f)(1.0)), 4)
    2.7048
    """
    where = f"checkpoint({getattr(fun, '__name__', 'fun')})"
    errors.require_callable(fun, "checkpoint(fun)", "fun")
    if segments < 1:
        raise errors.value_error(where, f"segments is {segments!r}", "it must be 1 or more")

    @functools.wraps(fun, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        active = [one for one in recorders.active() if isinstance(one, Gradient)]
        gradient = next((one for one in reversed(active) if not one.is_aside), None)
        if gradient is None:
            return fun(*args, **kwargs)
        listed = Listed(gradient, where)
        with gradient.aside(where), recorded_by(listed):
            leaves, form = trees.flatten(fun(*args, **kwargs))
            leaves = [own(leaf, listed.before) for leaf in leaves]
        del listed.gradient  # which holds the list
        results = [x._view for x in leaves if type(x) is Array and listed.depends(x._view)]
        serials = [serial for serial in listed.sources if serial in listed.active]
        places = [place_of(view) for view in results]
        cuts = listed.cuts(segments)

        def function(parts: list[Array | None]) -> Sequence[Array | None]:
            return listed.derived(cuts, places, parts, serials)

        gradient.call([listed.sources[serial].view for serial in serials], results, function)
        return trees.unflatten(form, leaves)

    return call
