"""Recordings: the instructions of a call, over the storages that it was given, and those it made.

A storage is named by a slot: those of the given arrays come first, then those that the call found
elsewhere, then those that its instructions made. So a recording holds nothing of a call but what
lasts from one call to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr.ir.instructions import Opcode, opcode_of
from xarr.ir.storage import Storage
from xarr.ir.views import View, contiguous
from xarr.tape import builder, recorders
from xarr.tape.record import cast_of

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Place(NamedTuple):
    """A view of a recording's storage.

    slot : int -- The storage.
    structure : Structure -- What the view is beside its storage and offset.
    beyond : int -- The view's offset, less that of the given view with this storage.
    """

    slot: int
    structure: Any
    beyond: int


class Entry(NamedTuple):
    """An instruction of a recording.

    places : list of Place or View -- The operands, and the target unless it is new; constants.
    made : int -- The slot of the new storage that it writes, or -1.
    scalar : Python scalar or None -- The constant that `places` leaves out.
    """

    opcode: Opcode
    places: list[Any]
    made: int
    scalar: Any


class Recording:
    """What a call asks of a device, for any arrays like those that it was given.

    Attributes
    ----------
    device : Device
    given : int
        How many slots are storages of given views.
    captured : list of Storage
        Storages that the call found elsewhere, in the slots behind those.
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
        captured: list[Storage],
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
            written for entry in entries if (written := _written(entry)) < self.known
        )

    @property
    def known(self) -> int:
        """How many slots have their storage before the call."""
        return self.given + len(self.captured)


def _written(entry: Entry) -> int:
    """Return the slot that an instruction writes."""
    if entry.made >= 0:
        return entry.made
    place: Place = entry.places[0 if entry.opcode.target is None else -1]
    return place.slot


class Noter(recorders.Recorder):
    """Notes the instructions of a call over some given views, which are in storages.

    A storage that appears without an instruction, as of a list that was uploaded, is the same at
    each call. Where the call writes to it, each replay begins with a copy of it.
    """

    def __init__(
        self, views: Sequence[View], refuse: Callable[[str, str, str], Exception | None]
    ) -> None:
        self.device = views[0].device
        self._refuse = refuse
        self._entries: list[Entry] = []
        self._slots: dict[int, int] = {}  # by serial number; the captured ones below 0
        self._bases: dict[int, int] = {}
        self._captured: list[Storage] = []
        self._made = 0
        self._given = 0
        for view in views:
            storage = view.storage
            assert storage is not None
            if storage.serial not in self._slots:
                self._slots[storage.serial] = self._given
                self._bases[self._given] = view.offset
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
                f"it works on {opcode.device}, the call on {self.device}",
                "pass arrays of one device",
            )
        if fresh is None:
            written = views[0 if opcode.target is None else -1]
            assert written.storage is not None
            self._own(written.storage, written.structure)
        if any([self.varies(view) for view in views]):
            target = fresh or written.storage
            self._varying.add(target.serial)
        places = [self._place(view) for view in views]
        made = -1 if fresh is None else self._new(fresh)
        self._entries.append(Entry(opcode, places, made, scalar))

    def varies(self, view: View) -> bool:
        """Return whether the values of a view may be others in the next call."""
        if view.storage is None:
            return False
        serial = view.storage.serial
        return serial in self._varying or serial < self._begun

    def _new(self, storage: Storage) -> int:
        slot = self._slots[storage.serial] = self._given + self._made
        self._made += 1
        return slot

    def _slot(self, storage: Storage) -> int:
        slot = self._slots.get(storage.serial)
        if slot is None:
            self._captured.append(storage)
            slot = self._slots[storage.serial] = -len(self._captured)
        return slot

    def _place(self, view: View) -> Place | View:
        if view.storage is None:
            return view
        slot = self._slot(view.storage)
        return Place(slot, view.structure, view.offset - self._bases.get(slot, 0))

    def _own(self, storage: Storage, how: Any) -> None:
        """Have a storage that was uploaded within the call made anew by each replay."""
        slot = self._slots.get(storage.serial, -1)
        if slot >= 0 or storage.serial < self._begun:
            return
        row = how.dtype
        whole = contiguous(self.device, row, (storage.nbytes // row.itemsize,))
        with recorders.paused(self):
            kept = builder.copied(View(storage, whole, 0))
        assert kept.storage is not None
        if storage.serial in self._slots:  # what was read before reads the copy
            self._captured[-1 - slot] = kept.storage
        else:
            slot = self._slot(kept.storage)
        source = Place(slot, whole, 0)
        opcode = opcode_of(cast_of(row, row), (whole,), whole.shape, fresh=whole.shape)
        self._entries.append(Entry(opcode, [source], self._new(storage), None))

    def _stop(self, where: str, fault: str, hint: str) -> None:
        """Say why the call cannot be replayed, and raise an error if that is one."""
        error = self._refuse(where, fault, hint)
        if error is not None:
            raise error

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse to let a value decide: it is another one at the next call."""
        self._stop(
            where,
            "a value is needed while the call is recorded",
            "keep it an array (where, masks, minimum), or leave this out of the function",
        )

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse work that no instruction stands for."""
        self._stop(
            where,
            "it works outside of the instructions that are recorded",
            "call it outside of the function",
        )

    def drawing(self, generator: Any) -> None:
        """Refuse draws, which would give the same numbers at each call."""
        self._stop(
            "random numbers",
            f"{type(generator).__name__} would give the same numbers at each call",
            "draw outside of the function, and pass the numbers",
        )

    def finish(self, results: Sequence[View]) -> Recording:
        """Return the recording of a call that returns some views, each in a storage."""
        for view in results:
            assert view.storage is not None
            self._own(view.storage, view.structure)
        places = [self._place(view) for view in results]
        count = len(self._captured)

        def numbered(place: Any) -> Any:
            if isinstance(place, View):
                return place
            return place._replace(slot=self._numbered(place.slot, count))

        entries = [
            Entry(
                opcode,
                [numbered(place) for place in named],
                made if made < 0 else made + count,
                scalar,
            )
            for opcode, named, made, scalar in self._entries
        ]
        return Recording(
            self.device,
            self._given,
            self._captured,
            self._given + count + self._made,
            entries,
            [numbered(place) for place in places],
        )

    def _numbered(self, slot: int, count: int) -> int:
        """Return the final number of a slot, once it is known how many are captured."""
        if slot < 0:
            return self._given - 1 - slot
        return slot if slot < self._given else slot + count
