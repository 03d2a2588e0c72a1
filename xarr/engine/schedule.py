"""How a list of instructions becomes a list of kernels.

Running the instructions one after the other is what a program means. Here they are put together,
in order, into groups that are one kernel each:

- An instruction joins a group if both walk the same space, and no element that the group's items
  compute is read or overwritten by another item. What it reads is then a value of the group, or is
  loaded; `layout.overlap` tells what is apart.
- It may pass a group by only if neither reads or overwrites what the other one writes.
- Of several writes to one place within a group the last one is stored.
- A storage that nobody holds and that no other group reads is never stored: it is a variable.

Nothing here knows a buffer, an address, an offset of a whole storage or the value of a constant, so
a program serves every list of the same instructions.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout
from xarr.core.operations import Operation
from xarr.core.tape import Opcode, decoded
from xarr.dtypes import DType
from xarr.engine.plan import INDEX, Access, Form, Indirect
from xarr.layout import Layout, Pattern, Shape

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.engine.launch import Room, Stage

LIMIT_ENTRIES: Final = 192
LIMIT_SLOTS: Final = 16
LIMIT_STORES: Final = 8
LIMIT_FINALS: Final = 24
_LIMIT_STEPS: Final = 4096
_NBYTES_OF_KERNEL: Final = 128
"""What a kernel's arguments take besides those of its accesses and constants, about."""


class Ref(NamedTuple):
    """A view of a storage: its number on the tape, and where, beyond the storage's first view."""

    slot: int
    dtype: DType
    pattern: Pattern
    offset: int


class Instruction(NamedTuple):
    """An operation over a shape on views and constants (their types), written to a view.

    Where it is fresh, the view is all of a new storage.
    """

    operation: Operation
    target: Ref | None
    operands: tuple[Ref | DType, ...]
    shape: Shape
    is_fresh: bool


def instructions(
    opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]]
) -> list[Instruction]:
    """What a tape says, in words."""
    steps = []
    rest = map(decoded, codes)
    named = 0
    for opcode in opcodes:
        operands: list[Ref | DType] = []
        for structure in opcode.operands:
            if structure.pattern is None:
                operands.append(structure.dtype)
            else:
                slot, offset = next(rest)
                named = max(named, slot + 1)
                operands.append(Ref(slot, structure.dtype, structure.pattern, offset))
        target = None
        if opcode.target is not None:
            pattern = opcode.target.pattern
            assert pattern is not None
            slot, offset = (named, 0) if opcode.is_fresh else next(rest)
            named = max(named, slot + 1)
            target = Ref(slot, opcode.target.dtype, pattern, offset)
        steps.append(
            Instruction(opcode.operation, target, tuple(operands), opcode.shape, opcode.is_fresh)
        )
    return steps


class Skeletal(Operation):
    """What takes a value of its group as the elements of a skeleton, so that it ends the group.

    Parameters
    ----------
    split, names, wide
        How the space is cut into axes, and whether indices have 64 bits: as of `Form`.
    """

    __slots__ = ("names", "split", "wide")

    walks_once = True
    """Whether each element is computed once, so that it may overwrite what it is computed from."""
    takes_expression = True
    """Whether it computes its elements itself; else they are in memory."""

    def __init__(
        self,
        name: str,
        result: DType,
        split: tuple[int, ...],
        names: tuple[str, ...],
        wide: bool,
    ) -> None:
        super().__init__(name, (), result, "")
        self.split = split
        self.names = names
        self.wide = wide


class Consumed(Skeletal):
    """A skeleton that whoever runs the tape launches."""

    __slots__ = ()

    is_consumed = True

    def __init__(self, split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> None:
        super().__init__("consumed", dtypes.bool_, split, names, wide)


class Recorded(Skeletal):
    """A skeleton that the tape launches; it writes a new storage."""

    __slots__ = ()

    goes_on = False
    """Whether it may compute more of each result, which then need not be stored."""

    def goes_with(self, others: Sequence[Recorded]) -> bool:
        """Whether one kernel may do this beside the others, over the same shape."""
        return False

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        """What computes its result of a NumPy array of elements of a type, and its own numbers."""
        return None

    @abstractmethod
    def stages(
        self, device: Device, form: Form, shape: Shape, finals: Finals
    ) -> tuple[list[Stage], list[Room]]:
        """The launches that do this and what goes with it, and the rooms between them."""


class Finals(NamedTuple):
    """What becomes of the results of skeletons that are one kernel.

    Attributes
    ----------
    entries : tuple
        The values: (skeleton, its own numbers), or an operation on results: (operation, operands).
        A number is (DType, its number), any other operand the number of an entry.
    stored : tuple of int
        The entries that are stored, in the order of the results.
    """

    entries: tuple[Any, ...]
    stored: tuple[int, ...]


class Group:
    """Instructions that are one kernel.

    Attributes
    ----------
    space : tuple of int
        What is walked, without axes of one element.
    linear : bool
        Whether every access is to all elements in a row, or to one element alone.
    entries : list
        The values, as `Form` has them.
    accesses : list of (slot, dtype, steps, offset)
        Of the entries that are loaded, in their order. Steps are one for each axis of the space;
        None for elements in a row; () for one element.
    constants : list of int
        The constants of the program that are the kernel's, in order.
    endings, roots : list of Instruction, list of int
        The skeletons that the kernel is, all at once, and the values that they take as elements;
        where there is none it is elementwise.
    finals, numbers : list, list of int
        What is computed of the skeletons' results, as of `Finals`; the program's constants there.
    results : dict
        By storage, which one of these is written, and where; `delivered` are those that are stored.
    closed : bool
        Whether nothing may join, as something ends the group that has to be done.
    members : list of (int, Instruction, int)
        The instructions, their numbers, and those of their first constants.
    fresh : set of int
        The storages that are new.
    """

    def __init__(self, shape: Shape) -> None:
        self.space = _space(shape)
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
        self.members: list[tuple[int, Instruction, int]] = []
        self.fresh: set[int] = set()
        self.entries: list[Any] = []
        self.accesses: list[tuple[int, DType, Shape | None, int]] = []
        self.constants: list[int] = []
        self.values: dict[Any, int] = {}
        self.stores: dict[Any, tuple[int, Ref]] = {}
        self.read: dict[int, list[Ref | None]] = {}
        self.written: dict[int, list[Ref | None]] = {}

    # -- may an instruction join, or pass by? ---------------------------------------------------

    def fits(self, step: Instruction, alive: Sequence[bool], room: int) -> bool:
        """Whether an instruction may be computed by the items of this group.

        A kernel may be given `room` bytes of arguments.
        """
        if self.closed or len(self.entries) + len(step.operands) >= LIMIT_ENTRIES:
            return False
        if self.endings and self.follows(step):
            return len(self.finals) < LIMIT_FINALS and self._nbytes(step) <= room
        if not self._walks(step):
            return False
        indirect = isinstance(step.operation, Indirect)
        for number, operand in enumerate(step.operands):
            if not isinstance(operand, Ref):
                continue
            if operand.slot in self.written:
                if indirect and number == 0:
                    return False
                if self._key(operand, step.shape) not in self.values:
                    return False
        target = step.target
        if isinstance(step.operation, Skeletal):
            if not step.operation.takes_expression:
                return False
            if not step.operation.walks_once and any(slot in self.read for slot in self.written):
                return False
            return not self.endings or (self.goes_with(step) and self._nbytes(step) <= room)
        if target is None:
            base = step.operands[0]
            assert isinstance(base, Ref)
            return base.slot not in self.read and base.slot not in self.written
        return self._takes(target, step.shape) and self._has_room(step, alive, room)

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
        refs = [operand for operand in step.operands if isinstance(operand, Ref)]
        if not step.is_fresh:
            refs.append(target)
        return bool(refs) and all(self._is_result(ref, step.shape) for ref in refs)

    def _is_result(self, ref: Ref, shape: Shape) -> bool:
        """Whether a view, over a shape, is all of a result, element by element."""
        if ref.slot not in self.results or ref.offset:
            return False
        _, whole = self.results[ref.slot]
        return (
            ref.dtype is whole.dtype
            and ref.pattern.size == whole.pattern.size
            and _steps(ref, shape) is None
        )

    def reads_with(self, other: Group) -> bool:
        """Whether both load elements of one storage, not just one element."""
        slots = {slot for slot, _, steps, _ in self.accesses if steps != ()}
        return any(slot in slots and steps != () for slot, _, steps, _ in other.accesses)

    def computes_for(self, step: Instruction) -> bool:
        """Whether an instruction reads what the group writes."""
        return any(isinstance(ref, Ref) and ref.slot in self.written for ref in step.operands)

    def shares(self, step: Instruction) -> bool:
        """Whether they have a storage in common; work that has nothing to do with it is apart."""
        refs = [step.target, *step.operands]
        return any(
            isinstance(ref, Ref) and (ref.slot in self.read or ref.slot in self.written)
            for ref in refs
        )

    def _walks(self, step: Instruction) -> bool:
        if self.space == _space(step.shape):
            return True
        if self.size != math.prod(step.shape):
            return False
        # A skeleton cuts the space that it is given, so that one stays.
        if self.linear and not self.endings:
            return True
        return _is_linear(step) and not isinstance(step.operation, Skeletal)

    def _takes(self, target: Ref, shape: Shape) -> bool:
        """Whether the group may write a view beside what it reads and writes already."""
        key = self._key(target, shape)
        for where in (self.read, self.written):
            for other in where.get(target.slot, ()):
                if other is None:
                    return False
                if key in self.values and self._same(other, target):
                    continue
                if _overlap(other, target):
                    return False
        return True

    def _same(self, first: Ref, second: Ref) -> bool:
        if first.dtype is not second.dtype or first.offset != second.offset:
            return False
        one, two = first.pattern, second.pattern
        return one is two or (one.linear and two.linear and one.size == two.size)

    def _nbytes(self, step: Instruction) -> int:
        """About how many bytes of arguments the kernel is given with an instruction."""
        count = len(self.accesses) + len(self.stores) + len(step.operands) + 1
        needed = _NBYTES_OF_KERNEL + 8 * (len(self.constants) + len(self.results))
        needed += 16 * len(self.numbers)
        return needed + count * (16 if self.linear else 16 + 8 * len(self.space))

    def _has_room(self, step: Instruction, alive: Sequence[bool], room: int) -> bool:
        if self._nbytes(step) > room:
            return False
        slots = {*self.read, *(slot for slot in self.written if alive[slot])}
        slots.update(ref.slot for ref in step.operands if isinstance(ref, Ref))
        stores = sum(alive[ref.slot] for _, ref in self.stores.values())
        return len(slots) <= LIMIT_SLOTS and stores < LIMIT_STORES

    def hinders(self, step: Instruction) -> bool:
        """Whether an instruction has to come after this group."""
        for number, operand in enumerate(step.operands):
            if isinstance(operand, Ref):
                whole = number == 0 and isinstance(step.operation, Indirect)
                if self._meets(self.written, None if whole else operand, operand.slot):
                    return True
                if whole and step.target is None and operand.slot in self.read:
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
        return any(other is None or _overlap(other, ref) for other in others)

    # -- joining ---------------------------------------------------------------------------------

    def add(self, number: int, step: Instruction, constant: int) -> None:
        """Take an instruction, by number, whose constants are numbered from `constant` on."""
        self.members.append((number, step, constant))
        if step.is_fresh and step.target is not None:
            self.fresh.add(step.target.slot)
        operation = step.operation
        if self.endings and self.follows(step):
            self._add_final(step, constant)
            return
        if self.linear and not self.endings:
            self.space = _space(step.shape)
        if not _is_linear(step):
            self.linear = False
        if isinstance(operation, Skeletal):
            operand = step.operands[0]
            assert isinstance(operand, Ref)
            self.roots.append(self._value(operand, step.shape, whole=False))
            self.endings.append(step)
            self.closed = isinstance(operation, Consumed)
            self._add_final(step, constant)
            return
        indirect = isinstance(operation, Indirect)
        if operation is INDEX:
            entry: tuple[Any, ...] = (INDEX,)
            self.accesses.append((-1, operation.result, None, 0))
        else:
            ats: list[Any] = []
            for number, operand in enumerate(step.operands):
                if isinstance(operand, Ref):
                    whole = indirect and number == 0
                    ats.append(self._value(operand, step.shape, whole=whole))
                else:
                    ats.append((operand, len(self.constants)))
                    self.constants.append(constant)
                    constant += 1
            entry = (operation, *ats)
        self.entries.append(entry)
        at = len(self.entries) - 1
        target = step.target
        if target is None:
            base = step.operands[0]
            assert isinstance(base, Ref)
            self.written.setdefault(base.slot, []).append(None)
            self.closed = True
            self.in_order = isinstance(operation, Indirect) and operation.in_order
            return
        key = self._key(target, step.shape)
        self.values[key] = at
        if key not in self.stores:
            self.written.setdefault(target.slot, []).append(target)
        self.stores[key] = (at, target)

    def _add_final(self, step: Instruction, constant: int) -> None:
        """Take a skeleton, or an instruction that computes of skeletons' results."""
        ats: list[Any] = []
        for operand in step.operands:
            if not isinstance(operand, Ref):
                ats.append((operand, len(self.numbers)))
                self.numbers.append(constant)
                constant += 1
            elif not isinstance(step.operation, Skeletal):
                ats.append(self.results[operand.slot][0])
        target = step.target
        if target is not None:
            self.results[target.slot] = len(self.finals), target
            if step.is_fresh:
                self.written.setdefault(target.slot, []).append(target)
        self.finals.append((step.operation, *ats))

    def deliver(self, is_needed: Callable[[int], bool]) -> None:
        """Store the results that are needed; where none is, the skeletons are left out."""
        self.delivered = [result for slot, result in self.results.items() if is_needed(slot)]
        if not self.delivered:
            self.endings, self.roots, self.finals, self.numbers = [], [], [], []

    def _value(self, ref: Ref, shape: Shape, *, whole: bool) -> int:
        """The entry of a view's elements."""
        key = self._key(ref, shape)
        number = None if whole else self.values.get(key)
        if number is None:
            self.entries.append(ref.dtype)
            number = len(self.entries) - 1
            self.accesses.append((ref.slot, ref.dtype, key[2], ref.offset))
            if not whole:
                self.values[key] = number
            self.read.setdefault(ref.slot, []).append(None if whole else ref)
        return number

    def _key(self, ref: Ref, shape: Shape) -> tuple[int, DType, Shape | None, int]:
        """What identifies a view among the group's values."""
        return ref.slot, ref.dtype, _steps(ref, shape), ref.offset

    # -- the kernel ------------------------------------------------------------------------------

    def form(
        self, stores: Sequence[tuple[int, Ref]], taken: Mapping[int, int], *, wide: bool
    ) -> tuple[Form, list[int]]:
        """The form of the kernel, and the slots of its pointers, in order.

        What is written to a slot of `taken` is written to the memory of another one.
        """
        pointers: dict[tuple[int, DType], int] = {}
        accesses: list[Access] = []
        ending = self.endings[0] if self.endings else None
        shape = self.space if ending is None else ending.shape
        contiguous = layout.contiguous_strides(shape)
        everything = [
            *self.accesses,
            *((ref.slot, ref.dtype, self._stored(ref), ref.offset) for _, ref in stores),
        ]
        for slot, dtype, steps, _ in everything:
            if slot < 0:
                accesses.append((-1, dtype, shape, ()))
                continue
            pointer = pointers.setdefault((taken.get(slot, slot), dtype), len(pointers))
            if steps is None:
                accesses.append((pointer, dtype, shape, contiguous))
            elif steps == ():
                accesses.append((pointer, dtype, (), ()))
            else:
                accesses.append((pointer, dtype, shape, _over(shape, steps)))
        split: tuple[int, ...] | None = None
        names: tuple[str, ...] = ("i",)
        if ending is not None:
            operation = ending.operation
            assert isinstance(operation, Skeletal)
            split, names, wide = operation.split, operation.names, wide or operation.wide
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
        return form, [slot for slot, _ in pointers]

    def _stored(self, ref: Ref) -> Shape | None:
        found: Shape | None = next(
            key[2] for key, (_, other) in self.stores.items() if other is ref
        )
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


def grouped(
    steps: Sequence[Instruction], alive: Sequence[bool], room: int = 1 << 30
) -> list[Group]:
    """The groups that instructions make, in the order in which they run.

    A kernel may be given `room` bytes of arguments.
    """
    wanted = needed(steps, alive)
    groups: list[Group] = []
    constant = 0
    for member, step in enumerate(steps):
        first = constant
        constant += sum(not isinstance(operand, Ref) for operand in step.operands)
        if not wanted[member]:
            continue
        chosen = None
        for number in reversed(range(len(groups))):
            group = groups[number]
            joins = not group.endings or group.goes_with(step)
            if (
                group.shares(step)
                and (joins or group.follows(step))
                and group.fits(step, alive, room)
            ):
                if not joins:
                    chosen = group
                    break
                if isinstance(step.operation, Consumed):
                    if not _pass(group, groups[number + 1 :]):
                        break
                    groups.append(groups.pop(number))
                chosen = _with_others(groups, group, step, alive, room)
                if isinstance(step.operation, Recorded) and not chosen.endings:
                    chosen = _beside(groups, chosen, step, alive, room)
                break
            if group.hinders(step):
                break
        if chosen is None:
            chosen = Group(step.shape)
            groups.append(chosen)
        chosen.add(member, step, first)
    return groups


def _with_others(
    groups: list[Group], group: Group, step: Instruction, alive: Sequence[bool], room: int
) -> Group:
    """A group that an instruction joins, put together with others that it gains by.

    These are earlier ones whose values it reads too, and those that it goes with at the end.
    """
    if len(groups) == 1:
        return group
    recorded = isinstance(step.operation, Recorded)
    place = groups.index(group)
    others = groups[:place]
    if recorded:
        others += groups[place + 1 :]
    for other in reversed(others):
        if other.closed:
            continue
        if other.endings:
            if not recorded or not other.goes_with(step) or not group.reads_with(other):
                continue
        elif groups.index(other) > place or not other.computes_for(step):
            continue
        low, high = sorted((place, groups.index(other)))
        between = groups[low + 1 : high]
        if _pass(groups[low], between):
            at = high - 1
        elif recorded and _pass(groups[high], between):
            at = low
        else:
            continue
        whole = _joined(group, other, alive, room)
        if whole is not None and whole.fits(step, alive, room):
            del groups[high], groups[low]
            groups.insert(at, whole)
            group, place = whole, at
    return group


def _beside(
    groups: list[Group], group: Group, step: Instruction, alive: Sequence[bool], room: int
) -> Group:
    """The group that a skeleton joins: one that it goes with, if the given one computes nothing."""
    if group.computes_for(step):
        return group
    for other in reversed(groups[: groups.index(group)]):
        if (
            other.endings
            and other.goes_with(step)
            and other.shares(step)
            and other.fits(step, alive, room)
        ):
            return other
        if other.hinders(step):
            break
    return group


def _joined(one: Group, other: Group, alive: Sequence[bool], room: int) -> Group | None:
    """Two groups as one, if that can be."""
    members = sorted(one.members + other.members, key=lambda member: member[0])
    whole = Group(members[0][1].shape)
    for number, step, constant in members:
        if whole.members and not whole.fits(step, alive, room):
            return None
        whole.add(number, step, constant)
    return whole


def _pass(group: Group, others: Sequence[Group]) -> bool:
    """Whether a group may as well run after, or before, others that are next to it."""
    return not any(
        slot in other.read or slot in other.written for other in others for slot in group.written
    ) and not any(slot in other.written for other in others for slot in group.read)


def needed(steps: Sequence[Instruction], alive: Sequence[bool]) -> list[bool]:
    """Whether what an instruction writes is read later, or by whoever holds the storage."""
    wanted = {slot for slot, is_alive in enumerate(alive) if is_alive}
    result = []
    for step in reversed(steps):
        written = step.operands[0] if step.target is None else step.target
        assert isinstance(written, Ref)
        is_needed = isinstance(step.operation, Consumed) or written.slot in wanted
        if is_needed:
            wanted.update(ref.slot for ref in step.operands if isinstance(ref, Ref))
        result.append(is_needed)
    return result[::-1]


def stored(
    groups: Sequence[Group], alive: Sequence[bool]
) -> list[tuple[Group, list[tuple[int, Ref]]]]:
    """The groups that store something, with the entries that they store, and where."""
    later: set[int] = set()
    result = []
    for group in reversed(groups):
        stores = [
            (number, ref)
            for number, ref in group.stores.values()
            if alive[ref.slot] or ref.slot in later
        ]
        if group.results:
            group.deliver(lambda slot: alive[slot] or slot in later)
        if stores or group.delivered or group.closed:
            result.append((group, stores))
            later.update(group.read)
    return result[::-1]


class Memory:
    """Which memory of dead storages is taken over, and which is not needed any more, and when."""

    def __init__(
        self,
        groups: Sequence[tuple[Group, list[tuple[int, Ref]]]],
        states: Sequence[int],
        alive: Sequence[bool],
    ) -> None:
        self._groups = groups
        self._alive = alive
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        for number, (group, _) in enumerate(groups):
            for slot in (*group.read, *group.written):
                self._first.setdefault(slot, number)
                self._last[slot] = number
        self._nbytes = {slot: state for slot, state in enumerate(states) if state >= 0}

    def taken(self, number: int) -> dict[int, int]:
        """For each storage that takes another one's memory in a launch, that one.

        Both have as many bytes and one data type, each item reads and writes one element there, at
        the same place, and nothing reads the other one later.
        """
        group, stores = self._groups[number]
        found: dict[int, int] = {}
        donors = {
            (nbytes, group.type_in_step(slot)): slot
            for slot, nbytes in self._nbytes.items()
            if self._last.get(slot) == number and slot not in group.written
        }
        if group.endings:
            donors = {}
        for _, ref in stores:
            nbytes = ref.pattern.size * ref.dtype.itemsize
            if self._first[ref.slot] != number or ref.slot not in group.fresh:
                continue
            donor = donors.pop((nbytes, ref.dtype), None)
            if donor is not None:
                found[ref.slot] = donor
                del self._nbytes[donor]
            if not self._alive[ref.slot]:
                self._nbytes[ref.slot] = nbytes
        return found

    def unread(self) -> list[int]:
        """The storages that nobody holds and no launch needs."""
        return [slot for slot in self._nbytes if slot not in self._last]

    def freed(self, number: int, taken: Mapping[int, int]) -> list[int]:
        """The storages that are not needed after a launch and whose memory nobody took over."""
        return [
            slot
            for slot, last in self._last.items()
            if last == number and not self._alive[slot] and slot not in taken.values()
        ]


@functools.lru_cache(_LIMIT_STEPS)
def _space(shape: Shape) -> Shape:
    return tuple([extent for extent in shape if extent != 1])


def _over(shape: Shape, steps: Shape) -> Shape:
    """Steps over a space as strides over a shape that has axes of one element too."""
    rest = iter(steps)
    return tuple([0 if extent == 1 else next(rest) for extent in shape])


def _steps(ref: Ref, shape: Shape) -> Shape | None:
    """A view's strides over a shape, without axes of one element; see `Group.accesses`."""
    return _steps_of(ref.pattern, shape)


@functools.lru_cache(_LIMIT_STEPS)
def _steps_of(pattern: Pattern, shape: Shape) -> Shape | None:
    if pattern.linear and pattern.size == math.prod(shape):
        return None
    if pattern.size == 1:
        return ()
    strides = layout.broadcast_strides(pattern.shape, pattern.strides, shape)
    return tuple([step for step, extent in zip(strides, shape, strict=True) if extent != 1])


def _is_linear(step: Instruction) -> bool:
    if isinstance(step.operation, Indirect):
        return False
    refs = (step.target, *step.operands)
    return not any(isinstance(ref, Ref) and _steps(ref, step.shape) for ref in refs)


def _overlap(first: Ref, second: Ref) -> bool:
    """Whether two views of one storage may have an element in common."""
    if first.dtype is not second.dtype:
        return True  # their offsets count different things
    one, two = first.pattern, second.pattern
    return layout.overlap(
        Layout(one.shape, one.strides, first.offset), Layout(two.shape, two.strides, second.offset)
    )
