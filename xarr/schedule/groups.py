"""A group: instructions that are one kernel, and what else may join it.

An instruction joins a group if both walk the same space, and no element that the group's items
compute is read or overwritten by another item. What it reads is then a value of the group, or is
loaded; `layout.overlap` tells what is apart. Of several writes to one place within a group the last
one is stored.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from xarr import dtypes, layout, tuning
from xarr.compiler.forms import INDEX, INSIDE, Access, Form, Indirect, Rolled
from xarr.core.operations import Operation
from xarr.dtypes import DType
from xarr.layout import Layout, Pattern, Shape
from xarr.schedule.instructions import (
    Consumed,
    Inside,
    Instruction,
    Key,
    Moved,
    Number,
    Recorded,
    Ref,
    Separate,
    Skeletal,
    Steps,
    nbytes_of_cuts,
    space_of,
)

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo

NBYTES_OF_KERNEL: Final = 128
"""About how many bytes of arguments a kernel has besides those of its groups."""


EMPTY: Final[Mapping[int, int]] = {}


class Group:
    """Instructions that are one kernel.

    Attributes
    ----------
    alive, readers, info : list of bool, sequence of int, DeviceInfo
        Which storages somebody holds; how many instructions read each; the device, which says how
        many bytes of arguments a kernel may be given.
    space : tuple of int
        What is walked, without axes of one element.
    linear : bool
        Whether every access is to all elements in a row, or to one element alone.
    entries : list
        The values, as `Form` has them.
    accesses : list of Key
        Of the entries that are loaded, in their order.
    constants, constants_nbytes : list of int, int
        The constants of the program that are the kernel's, in order; the bytes of arguments that
        they take.
    endings, roots : list of Instruction, list of int
        The skeletons that the kernel is, all at once, and the values that they take as elements;
        where there is none it is elementwise.
    finals, numbers : list, list of int
        What is computed of the skeletons' results, as of `Finals`; the program's constants there.
    results : dict
        By storage, which one of these is written, and where; `delivered` are those that are stored.
    closed : bool
        Whether nothing may join, as something ends the group that has to be done.
    members : list of (int, Instruction)
        The instructions and their numbers.
    fresh, moved : set of int
        The storages that are new, and those of which something is read at other places.
    blank : dict of int to int
        The storages of which it is the first to write a part, and their bytes.
    exchanged, stored : set of int
        Those that are read as they were before, and written to other memory; those that are written
        and alive.
    cuts_nbytes : int
        The bytes of arguments that say where elements are reached otherwise.
    unread : dict of int to int
        How many instructions that are not in the group read each of the new storages in `stores`
        that nobody holds.
    passing : int
        The storages among them that nothing reads but the group: they are never stored.
    """

    def __init__(
        self, shape: Shape, alive: Sequence[bool], readers: Sequence[int], info: DeviceInfo
    ) -> None:
        self.alive = alive
        self.readers = readers
        self.info = info
        self.space = space_of(shape)
        self.size = math.prod(shape)
        self.linear = True
        self.closed = False
        self.in_order = False
        self.endings: list[Instruction] = []
        self.roots: list[int] = []
        self.finals: list[Any] = []
        self.numbers: list[int] = []
        self.results: dict[int, tuple[int, Ref]] = {}
        self.delivered: list[tuple[int, Ref]] = []
        self.members: list[tuple[int, Instruction]] = []
        self.fresh: set[int] = set()
        self.moved: set[int] = set()
        self.blank: dict[int, int] = {}
        self.exchanged: set[int] = set()
        self.stored: set[int] = set()
        self.cuts_nbytes = 0
        self.unread: dict[int, int] = {}
        self.passing = 0
        self.entries: list[Any] = []
        self.accesses: list[Key] = []
        self.constants: list[int] = []
        self.constants_nbytes = 0
        self.values: dict[Key, int] = {}
        self.stores: dict[Key, tuple[int, Ref]] = {}
        self.read: dict[int, list[Ref | None]] = {}
        self.written: dict[int, list[Ref | None]] = {}

    def copy(self) -> Group:
        """A group of the same instructions, which others may join."""
        other = Group.__new__(Group)
        other.__dict__.update(
            {name: copy.copy(value) for name, value in self.__dict__.items()},
            alive=self.alive,
            readers=self.readers,
            info=self.info,
            read={slot: [*refs] for slot, refs in self.read.items()},
            written={slot: [*refs] for slot, refs in self.written.items()},
        )
        return other

    # -- may an instruction join, or pass by? ---------------------------------------------------

    def fits(self, step: Instruction) -> bool:
        """Whether an instruction may be computed by the items of this group."""
        operation = step.operation
        if self.closed or isinstance(operation, Separate):
            return False
        if len(self.entries) + len(step.operands) >= tuning.ENTRIES:
            return False
        if self.endings and self.follows(step):
            return len(self.finals) < tuning.FINALS and self._has_arguments(step)
        if not self._walks(step):
            return False
        for number, ref, key in step.read:
            if ref.slot in self.written:
                whole = number == 0 and isinstance(operation, Indirect)
                if (whole or key not in self.values) and self._meets(
                    self.written, None if whole else ref, ref.slot
                ):
                    return False
        target = step.target
        if isinstance(operation, Skeletal):
            if not operation.takes_expression or (self.info.chunked and self.moved):
                return False  # a CPU's loops of skeletons do not go from cut to cut
            if isinstance(operation, Consumed) and self.exchanged:
                return False  # memory is exchanged by the tape's own launches
            if not operation.walks_once and any(slot in self.read for slot in self.written):
                return False
            return not self.endings or (self.goes_with(step) and self._has_arguments(step))
        if target is None:
            slot = step.written.slot
            return slot not in self.read and slot not in self.written
        takes = self._takes(step) or (step.exchanges and target.slot not in self.written)
        return takes and self._has_room(step)

    def goes_with(self, step: Instruction) -> bool:
        """Whether an instruction ends the group beside what ends it already."""
        operation = step.operation
        if not isinstance(operation, Recorded) or self.endings[0].shape != step.shape:
            return False
        others = [ending.operation for ending in self.endings]
        return operation.goes_with([other for other in others if isinstance(other, Recorded)])

    def follows(self, step: Instruction) -> bool:
        """Whether an instruction computes, element by element, of the skeletons' results alone."""
        first, target = self.endings[0].operation, step.target
        if type(step.operation) is not Operation or target is None:
            return False
        if not isinstance(first, Recorded) or not first.goes_on:
            return False
        keys = [(ref, key) for _, ref, key in step.read]
        if not step.is_fresh:
            keys.append((target, step.key))
        return bool(keys) and all(self._is_result(*one) for one in keys)

    def _is_result(self, ref: Ref, key: Key) -> bool:
        """Whether a view is all of a result, element by element."""
        if ref.slot not in self.results or ref.offset or key[2] is not None:
            return False
        _, whole = self.results[ref.slot]
        return ref.dtype is whole.dtype and ref.pattern.size == whole.pattern.size

    def reads_with(self, other: Group) -> bool:
        """Whether both load elements of one storage, not just one element."""
        slots = {slot for slot, _, steps, _ in self.accesses if steps != ()}
        return any(slot in slots and steps != () for slot, _, steps, _ in other.accesses)

    def computes_for(self, step: Instruction) -> bool:
        """Whether an instruction reads what the group writes."""
        return not self.written.keys().isdisjoint(step.slots)

    def shares(self, step: Instruction) -> bool:
        """Whether they have a storage in common; work that has nothing to do with it is apart."""
        slots = step.slots if step.target is None else {*step.slots, step.target.slot}
        return not (self.read.keys().isdisjoint(slots) and self.written.keys().isdisjoint(slots))

    def _walks(self, step: Instruction) -> bool:
        if self.space == step.space:
            return True
        if self.size != step.size:
            return False
        # A skeleton cuts the space that it is given, so that one stays.
        if self.linear and not self.endings:
            return True
        return step.is_linear and not isinstance(step.operation, Skeletal)

    def _takes(self, step: Instruction) -> bool:
        """Whether the group may write what it writes beside what it reads and writes already."""
        target, key = step.written, step.key
        others = self.written.get(target.slot, [])
        if target.slot not in self.exchanged:
            if target.slot in self.moved:
                return False
            others = [*self.read.get(target.slot, ()), *others]
        for other in others:
            if other is None:
                return False
            if key in self.values and self._same(other, target):
                continue
            if overlap(other, target):
                return False
        return True

    def _same(self, first: Ref, second: Ref) -> bool:
        if first.dtype is not second.dtype or first.offset != second.offset:
            return False
        one, two = first.pattern, second.pattern
        return one is two or (one.linear and two.linear and one.size == two.size)

    def nbytes(self, more: int = 0) -> int:
        """About how many bytes of a kernel's arguments are its own, with so many accesses more."""
        count = len(self.accesses) + len(self.stores) - self.passing + more
        needed = self.constants_nbytes + 8 * len(self.results) + 16 * len(self.numbers)
        each = 16 if self.linear else 16 + 8 * len(self.space)
        return needed + self.cuts_nbytes + count * each

    def _has_arguments(self, step: Instruction) -> bool:
        needed = NBYTES_OF_KERNEL + self.nbytes(len(step.operands) + 1) + step.cuts_nbytes
        return needed <= self.info.parameter_nbytes

    def _has_room(self, step: Instruction) -> bool:
        if len(self.stored) >= tuning.STORES or not self._has_arguments(step):
            return False
        most = len(self.stored) + len(self.read) + len(step.slots)
        return most <= tuning.SLOTS or len(self.stored.union(self.read, step.slots)) <= tuning.SLOTS

    def hinders(self, step: Instruction) -> bool:
        """Whether an instruction has to come after this group."""
        for number, ref, _ in step.read:
            whole = number == 0 and isinstance(step.operation, Indirect)
            if self._meets(self.written, None if whole else ref, ref.slot):
                return True
            if whole and step.target is None and ref.slot in self.read:
                return True
        target = step.target
        return target is not None and (
            self._meets(self.written, target, target.slot)
            or self._meets(self.read, target, target.slot)
        )

    def _meets(self, where: dict[int, list[Ref | None]], ref: Ref | None, slot: int) -> bool:
        others = where.get(slot, ())
        if ref is None:
            return bool(others)
        return any(other is None or overlap(other, ref) for other in others)

    # -- joining ---------------------------------------------------------------------------------

    @property
    def separate(self) -> Instruction | None:
        """The instruction that it is, if that takes its operands whole."""
        step = self.members[0][1]
        return step if isinstance(step.operation, Separate) else None

    @property
    def numbers_of_members(self) -> frozenset[int]:
        """The instructions whose work it does, by number."""
        return frozenset(one for number, step in self.members for one in (number, *step.also))

    def add(self, number: int, step: Instruction) -> None:
        """Take an instruction, by number."""
        self.members.append((number, step))
        for slot in step.slots & self.unread.keys():
            self.unread[slot] -= 1
            self.passing += not self.unread[slot]
        if step.is_fresh and step.target is not None:
            self.fresh.add(step.target.slot)
        operation = step.operation
        if self.endings and self.follows(step):
            self._add_final(step)
            return
        if self.linear and not self.endings:
            self.space = step.space
        if not step.is_linear:
            self.linear = False
        if isinstance(operation, Skeletal):
            self.roots.append(self._value(*step.read[0][1:]))
            self.endings.append(step)
            self.closed = isinstance(operation, Consumed)
            self._add_final(step)
        elif isinstance(operation, Separate):
            for _, ref, _ in step.read:
                self.read.setdefault(ref.slot, []).append(ref)
            self.closed = True
            self._store(step, 0)
        elif isinstance(operation, Rolled):
            self._store(step, self._value(*step.read[0][1:]))
        else:
            self._add_entry(step)

    def _add_entry(self, step: Instruction) -> None:
        """Take an instruction that computes of elements."""
        operation = step.operation
        if operation is INDEX:
            self.accesses.append((-1, operation.result, None, 0))
        whole = 0 if isinstance(operation, Indirect) else -1
        ats: list[Any] = [None] * len(step.operands)
        for number, ref, key in step.read:
            ats[number] = self._value(ref, key, whole=number == whole)
        for number, operand in enumerate(step.operands):
            if isinstance(operand, Inside):
                ats[number] = self._inside(operand)
            elif isinstance(operand, Number):
                ats[number] = (operand.dtype, len(self.constants))
                self.constants.append(operand.number)
                self.constants_nbytes += max(8, operand.dtype.itemsize)
        self.entries.append((operation, *ats))
        if step.target is None:
            self.written.setdefault(step.written.slot, []).append(None)
            self.closed = True
            self.in_order = isinstance(operation, Indirect) and operation.in_order
            return
        slot = step.target.slot
        if step.exchanges and not self._takes(step):
            self.exchanged.add(slot)
            # What was loaded is not what is there from now on.
            self.values = {key: at for key, at in self.values.items() if key[0] != slot}
        self._store(step, len(self.entries) - 1)

    def _store(self, step: Instruction, at: int) -> None:
        """Note that an instruction writes the value of an entry."""
        target, key = step.written, step.key
        self.values[key] = at
        if key not in self.stores:
            self.written.setdefault(target.slot, []).append(target)
        if self.alive[target.slot]:
            self.stored.add(target.slot)
        elif step.is_fresh:
            self.unread[target.slot] = self.readers[target.slot]
        self.stores[key] = (at, target)

    def _add_final(self, step: Instruction) -> None:
        """Take a skeleton, or an instruction that computes of skeletons' results."""
        ats: list[Any] = []
        for operand in step.operands:
            if isinstance(operand, Number):
                ats.append((operand.dtype, len(self.numbers)))
                self.numbers.append(operand.number)
            elif isinstance(operand, Ref) and not isinstance(step.operation, Skeletal):
                ats.append(self.results[operand.slot][0])
        target = step.target
        if target is not None:
            self.results[target.slot] = len(self.finals), target
            if step.is_fresh:
                self.written.setdefault(target.slot, []).append(target)
                if self.alive[target.slot]:
                    self.stored.add(target.slot)
        self.finals.append((step.operation, *ats))

    def deliver(self, is_needed: Callable[[int], bool]) -> None:
        """Store the results that are needed; where none is, the skeletons are left out."""
        self.delivered = [result for slot, result in self.results.items() if is_needed(slot)]
        if not self.delivered:
            self.endings, self.roots, self.finals, self.numbers = [], [], [], []

    def _value(self, ref: Ref, key: Key, *, whole: bool = False) -> int:
        """The entry of a view's elements, as an operation reads them."""
        number = None if whole else self.values.get(key)
        if number is None:
            self.entries.append(ref.dtype)
            number = len(self.entries) - 1
            self.accesses.append(key)
            if not whole:
                self.values[key] = number
            self.read.setdefault(ref.slot, []).append(None if whole else ref)
            if ref.moved:
                self.moved.add(ref.slot)
                self.cuts_nbytes += nbytes_of_cuts(ref.moved.cuts)
        return number

    def _inside(self, part: Inside) -> int:
        """The entry that says whether an item is in a part of the space."""
        where = Moved((0,) * len(part.cuts), part.cuts)
        key = -1, dtypes.bool_, where, 0
        if key not in self.values:
            self.accesses.append(key)
            self.cuts_nbytes += nbytes_of_cuts(part.cuts)
            self.entries.append((INSIDE,))
            self.values[key] = len(self.entries) - 1
        return self.values[key]

    # -- the kernel ------------------------------------------------------------------------------

    def form(
        self,
        stores: Sequence[tuple[int, Ref]],
        taken: Mapping[int, int],
        *,
        wide: bool,
        exchanged: Mapping[int, int] = EMPTY,
        row: tuple[int, tuple[str, ...]] | None = None,
        kept: Collection[int] = (),
    ) -> tuple[Form, list[tuple[int, DType]]]:
        """The form of the kernel, and the slots and types of its pointers, in order.

        A slot of `taken` is in the memory of another one; what is written to one of `exchanged` is.
        In a kernel of rows so many of the last axes are the `row`, and the axes have names; of what
        it has `kept`, there is one row.
        """
        pointers: dict[tuple[int, DType], int] = {}
        accesses: list[Access] = []
        ending = self.endings[0] if self.endings else None
        shape = self.space if ending is None else ending.shape
        contiguous = layout.contiguous_strides(shape)
        everything = [
            *self.accesses,
            *(
                (exchanged.get(ref.slot, ref.slot), ref.dtype, self._stored(ref), ref.offset)
                for _, ref in stores
            ),
        ]
        for slot, dtype, steps, _ in everything:
            if slot < 0:
                cuts = _over(shape, steps.cuts, ()) if isinstance(steps, Moved) else ()
                accesses.append((-1, dtype, shape, (0,) * len(cuts), cuts))
                continue
            pointer = pointers.setdefault((taken.get(slot, slot), dtype), len(pointers))
            if slot in kept:
                assert row is not None
                own = _over(shape, _steps_of_row(self.space, row[0]), 0)
                accesses.append((pointer, dtype, shape, own, ()))
            elif steps is None:
                accesses.append((pointer, dtype, shape, contiguous, ()))
            elif isinstance(steps, Moved):
                walk, cuts = _over(shape, steps.steps, 0), _over(shape, steps.cuts, ())
                accesses.append((pointer, dtype, shape, walk, cuts))
            elif steps == ():
                accesses.append((pointer, dtype, (), (), ()))
            else:
                accesses.append((pointer, dtype, shape, _over(shape, steps, 0), ()))
        split: tuple[int, ...] | None = None
        names: tuple[str, ...] = ("i",)
        if ending is not None:
            operation = ending.operation
            assert isinstance(operation, Skeletal)
            split, names, wide = operation.split, operation.names, wide or operation.wide
        elif row is not None:
            split, names = (len(shape) - row[0], len(shape)), row[1]
        form = Form(
            shape,
            split,
            names,
            wide or self.size >= layout.WIDE,
            tuple(self.entries),
            tuple(accesses),
            tuple(number for number, _ in stores),
            tuple(self.roots),
        )
        return form, [*pointers]

    def _stored(self, ref: Ref) -> Steps:
        found: Steps = next(key[2] for key, (_, other) in self.stores.items() if other is ref)
        return found

    def type_in_step(self, slot: int) -> DType | None:
        """The type of a storage's elements if each item reads the one at its own place, only."""
        types = {
            dtype if steps is None else None
            for other, dtype, steps, _ in self.accesses
            if other == slot
        }
        return None if len(types) != 1 or None in self.read[slot] else types.pop()

    def offsets(self, stores: Sequence[tuple[int, Ref]]) -> list[tuple[int, int]]:
        """For each access the slot, -1 for the position, and the offset beyond its base."""
        return [
            *((slot, offset) for slot, _, _, offset in self.accesses),
            *((ref.slot, ref.offset) for _, ref in stores),
        ]


def _steps_of_row(space: Shape, axes: int) -> Shape:
    """The steps of a row in memory of its own, over a space whose last axes are the row."""
    outer = len(space) - axes
    return (*[0] * outer, *layout.contiguous_strides(space[outer:]))


def _over(shape: Shape, given: Sequence[Any], none: Any) -> tuple[Any, ...]:
    """What is given for each axis of a space over a shape that has axes of one element too."""
    rest = iter(given)
    return tuple([none if extent == 1 else next(rest) for extent in shape])


def overlap(first: Ref, second: Ref) -> bool:
    """Whether two views of one storage may have an element in common."""
    if first.dtype is not second.dtype:
        return True  # their offsets count different things
    return _overlap_of(first.pattern, first.offset, second.pattern, second.offset)


@functools.lru_cache(tuning.REMEMBERED)
def _overlap_of(one: Pattern, begin: int, two: Pattern, other: int) -> bool:
    return layout.overlap(
        Layout(one.shape, one.strides, begin), Layout(two.shape, two.strides, other)
    )
