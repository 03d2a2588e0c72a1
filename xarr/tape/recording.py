"""Recordings: the instructions of a call, over the storages that it was given, and those it made.

A storage is named by a slot: those of the given arrays come first, then those that the call found
elsewhere, then those that its instructions made. So a recording holds nothing of a call but what
lasts from one call to the next.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import references
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import View
from xarr.tape import recorders
from xarr.tape.launches import LaunchOp
from xarr.tape.tape import tape_of
from xarr.tape.traced import Formula, TracedConstant

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Place(NamedTuple):
    """A view of a recording's storage.

    slot : int -- The storage.
    structure : Structure -- What the view is beside its storage and offset.
    beyond : int -- Where the view begins, in its elements, beyond the first view of this storage.
    """

    slot: int
    structure: Any
    beyond: int


class Entry(NamedTuple):
    """An instruction of a recording.

    places : list of Place or View -- The operands, and the target unless it is new; constants.
    made : int -- The slot of the new storage that it writes, or -1.
    scalar : Python scalar or None -- The constant that `places` leaves out; traced, if others come.
    """

    opcode: Opcode
    places: list[Any]
    made: int
    scalar: Any


class Recording:
    """The instructions of a call, for any arrays like those that it was given.

    Attributes
    ----------
    device : Device
    given : int
        How many slots are storages of given views.
    captured : list of View
        The first views of storages that the call found elsewhere, in the slots behind those.
    slots : int
        How many there are.
    entries : list of Entry
    written : frozenset of int
        The slots of given and captured storages that it writes.
    results : list of Place
        The views that it returns, in storages that others than it may hold.
    """

    def __init__(
        self,
        device: Device,
        given: int,
        captured: list[View],
        slots: int,
        entries: list[Entry],
        results: list[Place],
    ) -> None:
        self.device = device
        self.given = given
        self.captured = captured
        self.slots = slots
        self.entries = entries
        self.results = results
        self.written = frozenset(
            slot for entry in entries for slot in written_slots(entry) if slot < self.known
        )

    @property
    def known(self) -> int:
        """How many slots have their storage before the call."""
        return self.given + len(self.captured)


def written_slots(entry: Entry) -> list[int]:
    """Return the slots that an instruction writes: one, or those that a launch is given to."""
    if entry.made >= 0:
        return [entry.made]
    operation = entry.opcode.operation
    if type(operation) is LaunchOp:
        return [entry.places[number].slot for number in operation.written]
    place: Place = entry.places[0 if entry.opcode.target is None else -1]
    return [place.slot]


def operands_of(opcode: Opcode, views: tuple[View, ...], scalar: Any) -> tuple[View, ...]:
    """Return the views of all operands, the constant among them that `scalar` is."""
    count = len(opcode.operands)
    if scalar is None:
        return views[:count]
    operands = list(views)
    for number, how in enumerate(opcode.operands):
        if how.strides is None:
            operands.insert(number, View(None, how, 0, scalar))
            break
    return tuple(operands[:count])


def ends_of(last: Mapping[int, int]) -> Mapping[int, Sequence[int]]:
    """Return the storages whose last step is one, by its number, given that of each."""
    found: dict[int, list[int]] = {}
    for serial, number in last.items():
        found.setdefault(number, []).append(serial)
    return found


def _alone() -> int:
    """Return the reference count of what a name and a call refer to."""
    one = [object()].pop()
    return sys.getrefcount(one)


_ALONE: Final = _alone()
_ONE_DEVICE: Final = "pass arrays of one device"
_DRAWS: Final = -1 << 30
"""The slot of the first draw while a call is recorded; further ones are below it."""


class Noter(recorders.Recorder):
    """Notes the instructions of a call over some given views, which are in storages.

    A storage that appears without an instruction, as of a list that was uploaded, is the same at
    each call; what the call writes to is made by an instruction.

    Attributes
    ----------
    takes : list of function
        Give the number and the key of each random draw, whose storages are given behind the others.
    failures : list of str
        What has raised an error that depends on values.
    """

    draws_anew = True

    def __init__(
        self,
        views: Sequence[View],
        formula: Formula,
        refuse: Callable[[str, str, str], Exception | None],
    ) -> None:
        self.device = views[0].device
        self._refuse = refuse
        self._formula = formula
        self._by_numbers: dict[int, frozenset[int]] = {}  # of storages that depend on these alone
        self._entries: list[Entry] = []
        self._slots: dict[int, int] = {}  # by serial number; the captured ones below 0
        self._firsts: dict[int, View] = {}  # of given and captured storages, by slot
        self._captured: list[View] = []
        self.takes: list[recorders.Take] = []
        self.failures: list[str] = []
        self._seeded: list[Any] = []
        self._made = 0
        self._materialised: list[View] = []
        self._given = 0
        for view in views:
            storage = view.storage
            assert storage is not None
            if storage.serial not in self._slots:
                self._slots[storage.serial] = self._given
                self._firsts[self._given] = view
                self._given += 1
        self._begun = Storage(self.device, 0).serial
        self._varying = set(self._slots)  # what depends on those that are there before the call

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """Note an instruction."""
        if opcode.device is not self.device:
            self._stop(
                opcode.operation.name,
                f"works on {opcode.device}, the call on {self.device}",
                _ONE_DEVICE,
            )
        target = fresh or views[0 if opcode.target is None else -1].storage
        assert target is not None
        if any([self.varies(view) for view in views]):
            self._varying.add(target.serial)
        else:
            numbers = self._numbers_of(views)
            if isinstance(scalar, TracedConstant):
                numbers |= self._formula.sources_of(scalar)
            if numbers:
                self._by_numbers[target.serial] = numbers
        places = [self._place(view) for view in views]
        made = -1 if fresh is None else self._new(fresh)
        self._entries.append(Entry(opcode, places, made, scalar))

    def launching(self, where: str, opcode: Opcode, views: tuple[View, ...]) -> None:
        """Note a launch, which may write anything to its arrays."""
        if opcode.device is not self.device:
            self._stop(where, f"works on {opcode.device}, the call on {self.device}", _ONE_DEVICE)
        self._varying.update(
            storage.serial
            for number in opcode.operation.written
            if (storage := views[number].storage) is not None
        )
        self._entries.append(Entry(opcode, [self._place(view) for view in views], -1, None))

    def _numbers_of(self, views: Sequence[View]) -> frozenset[int]:
        """Return the numbers among the arguments that the values of views depend on."""
        known = self._by_numbers
        if not known:
            return frozenset()
        serials = [view.storage.serial for view in views if view.storage is not None]
        return frozenset[int]().union(*[known.get(serial, ()) for serial in serials])

    def varies(self, view: View) -> bool:
        """Return whether the values of a view may be others in a next call with these numbers."""
        if view.storage is None:
            return False
        serial = view.storage.serial
        return serial in self._varying or serial < self._begun

    @property
    def is_harmless(self) -> bool:
        """Whether nothing was done so far that shows outside of the call."""
        return not self.takes and all(
            slot >= self._given for entry in self._entries for slot in written_slots(entry)
        )

    def drawn(self, take: recorders.Take, storage: Storage) -> None:
        """Take a draw's number and key for one more given view of storage.

        A generator that the call has made of a seed draws the same at each call.
        """
        source = getattr(take, "__self__", None)
        if any([one is getattr(source, "_bits", source) for one in self._seeded]):
            return
        self._slots[storage.serial] = _DRAWS - len(self.takes)
        self._varying.add(storage.serial)
        self.takes.append(take)

    def seeded(self, generator: Any) -> None:
        """Keep a generator that the call makes of a seed."""
        self._seeded.append(generator)

    def materialised(self, view: View) -> None:
        """Note that a constant was given a storage, which each replay makes anew."""
        self._materialised.append(view)

    def outlived(self, results: Sequence[Any]) -> bool:
        """Return whether an array holds a constant that was written to, and is none of the results.

        It was there before the call, and a replay would write to another storage. `results` have
        the views of the arrays that the call returns; the list and the array hold such a view, and
        an instruction that has not run holds its operands.
        """
        pending = list(tape_of(self.device).instructions)
        on_tape = Counter([id(view) for instruction in pending for view in instruction.views])
        while self._materialised:
            view = self._materialised.pop()
            known = 2 * sum([view is one for one in results]) + on_tape[id(view)]
            for outer in recorders.active():
                if type(outer) is Noter:
                    known += sum([view is one for one in outer._materialised])
            if references.are_counted() and sys.getrefcount(view) > _ALONE + known:
                return True
        return False

    def _new(self, storage: Storage) -> int:
        slot = self._slots[storage.serial] = self._given + self._made
        self._made += 1
        return slot

    def _place(self, view: View) -> Place | View:
        if view.storage is None:
            return view
        slot = self._slots.get(view.storage.serial)
        if slot is None:
            # Another view, as who counts references to this one may ask whether an array has it.
            self._captured.append(View(view.storage, view.structure, view.offset))
            slot = self._slots[view.storage.serial] = -len(self._captured)
            self._firsts[slot] = self._captured[-1]
        first = self._firsts.get(slot)
        if first is None:
            return Place(slot, view.structure, view.offset)
        begin, rest = divmod(first.offset * first.structure.itemsize, view.structure.itemsize)
        if rest:
            self._stop("a view", "lies between the elements of a given array", "pass a copy")
        return Place(slot, view.structure, view.offset - begin)

    def _stop(self, where: str, fault: str, hint: str) -> None:
        """Say why the call cannot be replayed, and raise an error if that is one."""
        error = self._refuse(where, fault, hint)
        if error is not None:
            raise error

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse to let a value decide that is another one at the next call.

        One that depends on numbers alone pins these.
        """
        if not any([self.varies(view) for view in views]):
            self._formula.pinned |= self._numbers_of(views)
            return
        self._stop(
            where,
            "needs a value",
            "keep it an array (where, masks, minimum, np.take(rows, i, axis=0) for rows[i]), "
            "or leave this out of the function",
        )

    def checking(self, function: Callable[..., None], views: tuple[View, ...]) -> None:
        """Pin the numbers that alone decide what is checked, as replays do not check it."""
        self._formula.pinned |= self._numbers_of(views)

    def failed(self, where: str) -> None:
        """Note an error: the call, if it goes on, is another one where there is none."""
        self.failures.append(where)

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse work that no instruction stands for."""
        self._stop(
            where, "works outside of the recorded instructions", "call it outside of the function"
        )

    def drawing(self, generator: Any) -> None:
        """Refuse draws, which would give the same numbers at each call."""
        self._stop(
            "a draw", "is made by the host", "draw an array by xarr.random.default_rng() and a size"
        )

    def finish(self, results: Sequence[View]) -> Recording:
        """Return the recording of a call that returns some views, each in a storage."""
        returned = [self._place(view) for view in results]
        count = len(self._captured)

        def numbered(place: Any) -> Any:
            if isinstance(place, View):
                return place
            return place._replace(slot=self._numbered(place.slot, count))

        entries = [
            Entry(
                opcode,
                [numbered(place) for place in places],
                made if made < 0 else self._numbered(made, count),
                scalar,
            )
            for opcode, places, made, scalar in self._entries
        ]
        given = self._given + len(self.takes)
        return Recording(
            self.device,
            given,
            self._captured,
            given + count + self._made,
            entries,
            [numbered(place) for place in returned],
        )

    def _numbered(self, slot: int, count: int) -> int:
        """Return the final number of a slot, once it is known how many are captured and drawn."""
        draws = len(self.takes)
        if slot <= _DRAWS:
            return self._given + _DRAWS - slot
        if slot < 0:
            return self._given + draws - 1 - slot
        return slot if slot < self._given else slot + draws + count
