"""FusionGroup: instructions that become one kernel, and the rules of which others may join.

An instruction can join a group if both walk the same space and no item of the kernel would read or
overwrite an element that another item writes. What the instruction reads is then a value of the
kernel, or is loaded; `layout.overlap` proves views apart. Of several writes to one place the last
one is stored.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import INDEX, INSIDE, GatherScatter, Roll
from xarr.codegen.kernel_spec import Access, KernelSpec
from xarr.codegen.source import inlined
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.layout import Layout, Pattern, Shape
from xarr.lowering.operations import (
    NAMES,
    Number,
    OpaqueOp,
    ReduceOp,
    Ref,
    TemplateOp,
    WrappedAccess,
)
from xarr.lowering.reduce_scan import can_share_kernel, rows_first
from xarr.memo import memo
from xarr.scheduler.instructions import (
    BoundsMask,
    Key,
    ScheduledInstruction,
    Strides,
    nbytes_of_cuts,
    space_of,
)

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo

NBYTES_OF_KERNEL: Final = 128
"""About how many bytes of arguments a kernel has besides those of its groups."""


class FusionGroup:
    """Instructions that become one kernel, on a device that has limits (`info`).

    `live` says of each storage whether it is live, and `readers` how many instructions read it.
    """

    def __init__(
        self, shape: Shape, live: Sequence[bool], readers: Sequence[int], info: DeviceInfo
    ) -> None:
        self.live = live
        self.readers = readers
        self.info = info
        self.space = space_of(shape)
        self.size = math.prod(shape)
        self.linear = True  # whether every access is in order, or of one element
        self.sealed = False  # whether nothing may join any more
        self.in_order = False  # whether a scatter writes one element after the other
        self.members: list[ScheduledInstruction] = []
        self.recomputed: list[ScheduledInstruction] = []  # what other groups compute as well
        # The kernel's values, as in `KernelSpec`, its loads in order, and the program's constants.
        self.entries: list[Any] = []
        self.accesses: list[Key] = []
        self.constants: list[int] = []
        self.constants_nbytes = 0
        self.code = 0  # characters of library functions
        self.cuts_nbytes = 0  # of arguments for wrapped accesses and bounds
        # The entries of values, which of them are written, and which the kernel stores.
        self.values: dict[Key, int] = {}
        self.stores: dict[Key, tuple[int, Ref]] = {}
        self.outputs: dict[Key, tuple[int, Ref]] = {}
        # The template ops that the kernel runs, and the entries that are their elements.
        self.reductions: list[ScheduledInstruction] = []
        self.template_inputs: list[int] = []
        # What is computed of their results, as in `Epilogue`, its constants, the entry and view
        # of each new storage's value, and those that the kernel stores.
        self.epilogue: list[Any] = []
        self.numbers: list[int] = []
        self.results: dict[int, tuple[int, Ref]] = {}
        self.stored_results: list[tuple[int, Ref]] = []
        # The views that are read and written; None where that may be any element.
        self.read: dict[int, list[Ref | None]] = {}
        self.written: dict[int, list[Ref | None]] = {}
        self.fresh: set[int] = set()  # the storages that are new
        self.wrapped: set[int] = set()  # those that a wrapped access reads
        self.double_buffered: set[int] = set()  # those that are written in a spare buffer
        self.must_store: set[int] = set()  # those that are written and live
        # The storages whose memory the first kernel that writes to them allocates, and its bytes.
        self.uninitialised: dict[int, int] = {}
        # How many other instructions read what is written, new and dead; without any, a value is
        # internal, and never stored: as an argument of the kernel it would cut a long loop's body.
        self.outside_readers: dict[int, int] = {}
        self.internal = 0

    def copy(self) -> FusionGroup:
        """Copy the group, so that instructions can be tried on the copy."""
        other = FusionGroup.__new__(FusionGroup)
        other.__dict__.update(
            {name: copy.copy(value) for name, value in self.__dict__.items()},
            live=self.live,
            readers=self.readers,
            info=self.info,
            read={slot: [*refs] for slot, refs in self.read.items()},
            written={slot: [*refs] for slot, refs in self.written.items()},
        )
        return other

    # -- legality --------------------------------------------------------------------------------

    def can_join(self, instruction: ScheduledInstruction) -> bool:
        """Return whether the group's items may compute an instruction too."""
        operation = instruction.operation
        if self.sealed or isinstance(operation, OpaqueOp):
            return False
        if len(self.entries) + len(instruction.operands) >= self.info.most.values:
            return False
        if self.code and type(operation) is Operation:
            code = _code_of(operation)
            if code and self.code + code > self.info.most.code:
                return False
        if self.reductions and self.is_epilogue(instruction):
            return len(self.epilogue) < tuning.EPILOGUE and self._has_arguments(instruction)
        if not self._walks(instruction):
            return False
        for place, ref, key in instruction.read:
            if ref.slot in self.written:
                # A gather may read any element; other operands read the item's own value.
                whole = place == 0 and isinstance(operation, GatherScatter)
                if (whole or key not in self.values) and self._meets(
                    self.written, None if whole else ref, ref.slot
                ):
                    return False
        target = instruction.target
        if isinstance(operation, TemplateOp):
            if not operation.takes_expression or (self.info.loop_per_item and self.wrapped):
                return False  # a CPU's reduction loop cannot be split at wrap points: 7 ms, not 1
            if not operation.single_pass and any(slot in self.read for slot in self.written):
                return False
            return not self.reductions or (
                self.can_share_kernel(instruction) and self._has_arguments(instruction)
            )
        if self.reductions and not self._computes_beside(instruction):
            return False
        if target is None:
            slot = instruction.written.slot
            return slot not in self.read and slot not in self.written
        can_swap = instruction.can_swap and target.slot not in self.written
        return (self._can_write(instruction) or can_swap) and self._has_room(instruction)

    def _computes_beside(self, instruction: ScheduledInstruction) -> bool:
        """Return whether a reduction's loop over its elements can compute an instruction too."""
        is_reduction = all(isinstance(one.operation, ReduceOp) for one in self.reductions)
        is_plain = type(instruction.operation) is Operation and instruction.target is not None
        return is_reduction and is_plain and not instruction.cuts_nbytes

    def can_share_kernel(self, instruction: ScheduledInstruction) -> bool:
        """Return whether a reduction can share the kernel with the group's reductions."""
        others = [one.operation for one in self.reductions]
        is_same = self.reductions[0].shape == instruction.shape
        return is_same and can_share_kernel(instruction.operation, others)

    def is_epilogue(self, instruction: ScheduledInstruction) -> bool:
        """Return whether an instruction is elementwise on the reductions' results alone."""
        first, target = self.reductions[0].operation, instruction.target
        is_elementwise = type(instruction.operation) is Operation
        if target is None or not is_elementwise or not isinstance(first, ReduceOp):
            return False
        keys = [(ref, key) for _, ref, key in instruction.read]
        if not instruction.is_fresh:
            keys.append((target, instruction.key))
        return bool(keys) and all(self._is_result(*one) for one in keys)

    def _is_result(self, ref: Ref, key: Key) -> bool:
        """Return whether a view is all of a result, element by element."""
        if ref.slot not in self.results or ref.offset or key[2] is not None:
            return False
        _, whole = self.results[ref.slot]
        return ref.dtype is whole.dtype and ref.pattern.size == whole.pattern.size

    def reads_with(self, other: FusionGroup) -> bool:
        """Return whether both groups load elements of one storage, not one for all items."""
        slots = {slot for slot, _, strides, _ in self.accesses if strides != ()}
        return any(slot in slots and strides != () for slot, _, strides, _ in other.accesses)

    def feeds(self, instruction: ScheduledInstruction) -> bool:
        """Return whether an instruction reads a storage that the group writes."""
        return not self.written.keys().isdisjoint(instruction.slots)

    def touches(self, instruction: ScheduledInstruction) -> bool:
        """Return whether the group and an instruction have a storage in common."""
        slots, target = instruction.slots, instruction.target
        slots = slots if target is None else {*slots, target.slot}
        return not (self.read.keys().isdisjoint(slots) and self.written.keys().isdisjoint(slots))

    def _walks(self, instruction: ScheduledInstruction) -> bool:
        """Return whether the group and an instruction walk one iteration space."""
        if self.space == instruction.space:
            return True
        if self.size != instruction.size:
            return False
        # A template splits the space into its own axes, which therefore have to stay.
        if self.linear and not self.reductions:
            return True
        return instruction.is_linear and not isinstance(instruction.operation, TemplateOp)

    def _can_write(self, instruction: ScheduledInstruction) -> bool:
        """Return whether no other item reads or writes the elements that an instruction writes."""
        target, key = instruction.written, instruction.key
        others = self.written.get(target.slot, [])
        if target.slot not in self.double_buffered:
            if target.slot in self.wrapped:
                return False
            others = [*self.read.get(target.slot, ()), *others]
        for other in others:
            if other is None:
                return False
            if key in self.values and self._is_same_walk(other, target):
                continue
            if overlap(other, target):
                return False
        return True

    def _is_same_walk(self, first: Ref, second: Ref) -> bool:
        """Return whether each item has the same element in two views."""
        if first.dtype is not second.dtype or first.offset != second.offset:
            return False
        one, two = first.pattern, second.pattern
        return one is two or (one.linear and two.linear and one.size == two.size)

    def nbytes(self, more: int = 0) -> int:
        """Estimate the bytes of a kernel's arguments, with so many accesses more."""
        count = len(self.accesses) + len(self.stores) - self.internal + more
        needed = self.constants_nbytes + 8 * len(self.results) + 16 * len(self.numbers)
        each = 16 if self.linear else 16 + 8 * len(self.space)
        return needed + self.cuts_nbytes + count * each

    def _has_arguments(self, instruction: ScheduledInstruction) -> bool:
        nbytes = self.nbytes(len(instruction.operands) + 1) + instruction.cuts_nbytes
        return NBYTES_OF_KERNEL + nbytes <= self.info.parameter_nbytes

    def _has_room(self, instruction: ScheduledInstruction) -> bool:
        stored = self.must_store
        if len(stored) >= self.info.most.stores or not self._has_arguments(instruction):
            return False
        slots = instruction.slots
        most = len(stored) + len(self.read) + len(slots)
        bound = self.info.most.slots
        return most <= bound or len(stored.union(self.read, slots)) <= bound

    def must_precede(self, instruction: ScheduledInstruction) -> bool:
        """Return whether the group has to run before an instruction: a hazard is between them."""
        for place, ref, _ in instruction.read:
            whole = place == 0 and isinstance(instruction.operation, GatherScatter)
            if self._meets(self.written, None if whole else ref, ref.slot):
                return True
            if whole and instruction.target is None and ref.slot in self.read:
                return True
        target, touched = instruction.target, (self.written, self.read)
        return target is not None and any(self._meets(one, target, target.slot) for one in touched)

    def commutes_with(self, others: Sequence[FusionGroup]) -> bool:
        """Return whether the group may as well run on the other side of groups next to it."""
        return not any(
            slot in other.read or slot in other.written for other in others for slot in self.written
        ) and not any(slot in other.written for other in others for slot in self.read)

    def _meets(self, where: dict[int, list[Ref | None]], ref: Ref | None, slot: int) -> bool:
        """Return whether a view, or all of a storage, overlaps what the group reads or writes."""
        others = where.get(slot, ())
        if ref is None:
            return bool(others)
        return any(other is None or overlap(other, ref) for other in others)

    # -- joining ---------------------------------------------------------------------------------

    @property
    def opaque(self) -> ScheduledInstruction | None:
        """The group's one instruction, if that is never fused."""
        instruction = self.members[0]
        return instruction if isinstance(instruction.operation, OpaqueOp) else None

    @property
    def numbers_of_members(self) -> frozenset[int]:
        """The numbers of the instructions whose work the group does."""
        done = (*self.members, *self.recomputed)
        return frozenset(number for one in done for number in (one.number, *one.also))

    def add(self, instruction: ScheduledInstruction) -> None:
        """Add an instruction, which can join."""
        self.members.append(instruction)
        for slot in instruction.slots & self.outside_readers.keys():
            self.outside_readers[slot] -= 1
            self.internal += not self.outside_readers[slot]
        if instruction.is_fresh and instruction.target is not None:
            self.fresh.add(instruction.target.slot)
        if instruction.uninitialised_nbytes:
            self.uninitialised[instruction.written.slot] = instruction.uninitialised_nbytes
        operation = instruction.operation
        if self.reductions and self.is_epilogue(instruction):
            self._add_to_epilogue(instruction)
            return
        if self.linear and not self.reductions:
            self.space = instruction.space
        if not instruction.is_linear:
            self.linear = False
        if isinstance(operation, TemplateOp):
            self.template_inputs += [self._entry_of(*given[1:]) for given in instruction.read]
            self.reductions.append(instruction)
            self._add_to_epilogue(instruction)
        elif isinstance(operation, OpaqueOp):
            for _, ref, _ in instruction.read:
                self.read.setdefault(ref.slot, []).append(ref)
            self.sealed = True
            self._store(instruction, 0)
        elif isinstance(operation, Roll):
            self._store(instruction, self._entry_of(*instruction.read[0][1:]))
        else:
            self._add_entry(instruction)

    def recompute(self, instruction: ScheduledInstruction) -> None:
        """Compute a value of another group as well, which is not stored."""
        self.add(instruction.but(is_fresh=False))
        self.recomputed.append(self.members.pop())
        del self.stores[instruction.key], self.written[instruction.written.slot]

    def _add_entry(self, instruction: ScheduledInstruction) -> None:
        """Add an elementwise instruction."""
        operation = instruction.operation
        if operation is INDEX:
            self.accesses.append((-1, operation.result, None, 0))
        whole = 0 if isinstance(operation, GatherScatter) else -1
        operands: list[Any] = [None] * len(instruction.operands)
        for place, ref, key in instruction.read:
            operands[place] = self._entry_of(ref, key, whole=place == whole)
        for place, operand in enumerate(instruction.operands):
            if isinstance(operand, BoundsMask):
                operands[place] = self._bounds_entry(operand)
            elif isinstance(operand, Number):
                operands[place] = (operand.dtype, len(self.constants))
                self.constants.append(operand.number)
                self.constants_nbytes += max(8, operand.dtype.itemsize)
        self.entries.append((operation, *operands))
        if type(operation) is Operation:
            self.code += _code_of(operation)
        if instruction.target is None:
            self.written.setdefault(instruction.written.slot, []).append(None)
            self.sealed = True
            self.in_order = isinstance(operation, GatherScatter) and operation.in_order
            return
        slot = instruction.target.slot
        if instruction.can_swap and not self._can_write(instruction):
            self.double_buffered.add(slot)
            # Later reads have to see the new value, which is in the spare buffer.
            self.values = {key: at for key, at in self.values.items() if key[0] != slot}
        self._store(instruction, len(self.entries) - 1)

    def _store(self, instruction: ScheduledInstruction, at: int) -> None:
        """Record that an instruction writes the value of an entry."""
        target, key = instruction.written, instruction.key
        self.values[key] = at
        if key not in self.stores:
            self.written.setdefault(target.slot, []).append(target)
        if self.live[target.slot]:
            self.must_store.add(target.slot)
        elif instruction.is_fresh:
            self.outside_readers[target.slot] = self.readers[target.slot]
        self.stores[key] = (at, target)

    def _add_to_epilogue(self, instruction: ScheduledInstruction) -> None:
        """Add a template op, or an instruction on template ops' results."""
        operands: list[Any] = []
        for operand in instruction.operands:
            if isinstance(operand, Number):
                operands.append((operand.dtype, len(self.numbers)))
                self.numbers.append(operand.number)
            elif isinstance(operand, Ref) and not isinstance(instruction.operation, TemplateOp):
                operands.append(self.results[operand.slot][0])
        target = instruction.target
        if target is not None:
            self.results[target.slot] = len(self.epilogue), target
            if instruction.is_fresh or isinstance(instruction.operation, TemplateOp):
                self.written.setdefault(target.slot, []).append(target)
                if self.live[target.slot]:
                    self.must_store.add(target.slot)
        self.epilogue.append((instruction.operation, *operands))

    def store(self, is_needed: Callable[[int], bool]) -> None:
        """Choose the values that the kernel stores; template ops without results are dropped."""
        self.outputs = {key: value for key, value in self.stores.items() if is_needed(key[0])}
        self.stored_results = [value for slot, value in self.results.items() if is_needed(slot)]
        if self.results and not self.stored_results:
            self.reductions, self.template_inputs, self.epilogue, self.numbers = [], [], [], []

    def _entry_of(self, ref: Ref, key: Key, *, whole: bool = False) -> int:
        """Return the entry of a view's elements; load them if the kernel does not have them."""
        number = None if whole else self.values.get(key)
        if number is None:
            self.entries.append(ref.dtype)
            number = len(self.entries) - 1
            self.accesses.append(key)
            if not whole:
                self.values[key] = number
            self.read.setdefault(ref.slot, []).append(None if whole else ref)
            if ref.wrapped:
                self.wrapped.add(ref.slot)
                self.cuts_nbytes += nbytes_of_cuts(ref.wrapped.cuts)
        return number

    def _bounds_entry(self, part: BoundsMask) -> int:
        """Return the entry of a bounds mask."""
        where = WrappedAccess((0,) * len(part.cuts), part.cuts)
        key = -1, dtypes.bool_, where, 0
        if key not in self.values:
            self.accesses.append(key)
            self.cuts_nbytes += nbytes_of_cuts(part.cuts)
            self.entries.append((INSIDE,))
            self.values[key] = len(self.entries) - 1
        return self.values[key]

    # -- the kernel ------------------------------------------------------------------------------

    def kernel_spec(
        self,
        reuses: Mapping[int, int],
        *,
        wide: bool,
        row: tuple[int, tuple[str, ...]] | None = None,
        kept: Collection[int] = (),
    ) -> tuple[KernelSpec, list[tuple[int, DType]]]:
        """Return the spec of the kernel, and the slots and types of its pointers, in order.

        `reuses` has the storage whose buffer an output reuses, or its spare buffer. A kernel of
        rows has a `row`: how many of the last axes it is, and the axes' names; of the storages that
        are `kept` it has one row, in local memory.
        """
        pointers: dict[tuple[int, DType], int] = {}
        accesses: list[Access] = []
        first = self.reductions[0] if self.reductions else None
        shape = self.space if first is None else first.shape
        row_strides = () if row is None else _strides_of_row(self.space, row[0])
        for number, (slot, dtype, strides, _) in enumerate((*self.accesses, *self.outputs)):
            pointer = -1
            if slot >= 0:
                keeps_memory = slot in self.double_buffered and number < len(self.accesses)
                buffer = slot if keeps_memory else reuses.get(slot, slot)
                pointer = pointers.setdefault((buffer, dtype), len(pointers))
            accesses.append(
                _access(pointer, dtype, row_strides if slot in kept else strides, shape)
            )
        split: tuple[int, ...] | None = None
        names: tuple[str, ...] = ("i",)
        if first is not None:
            operation = first.operation
            assert isinstance(operation, TemplateOp)
            split, names, wide = operation.split, NAMES, wide or operation.wide
        elif row is not None:
            split, names = (len(shape) - row[0], len(shape)), row[1]

        def spec_of(
            shape: Shape, split: tuple[int, ...] | None, accesses: Sequence[Access]
        ) -> KernelSpec:
            return KernelSpec(
                shape,
                split,
                names,
                wide or self.size >= layout.WIDE,
                tuple(self.entries),
                tuple(accesses),
                tuple(number for number, _ in self.outputs.values()),
                tuple(self.template_inputs),
                () if self.info.loop_per_item else self.offsets(),
            )

        spec = spec_of(shape, split, accesses)
        by_rows = self._by_rows(shape, accesses)
        if by_rows is not None:
            other = spec_of(*by_rows)
            spec = other if other.is_of_pairs() and other.has_row_invariants() else spec
        return spec, [*pointers]

    def _by_rows(
        self, shape: Shape, accesses: Sequence[Access]
    ) -> tuple[Shape, tuple[int, int], list[Access]] | None:
        """Return a reduction's space, its split and its accesses with rows first, or None.

        So an item of a GPU reduces whole columns of a row, as `rows_first` says.
        """
        operation = self.reductions[0].operation if self.reductions else None
        if self.info.loop_per_item or not isinstance(operation, ReduceOp):
            return None
        order = rows_first(operation, shape)
        if not order or any(slot < 0 or cuts for slot, *_, cuts in accesses):
            return None
        found: list[Access] = []
        for slot, dtype, extents, strides, cuts in accesses:
            walk = [(extents[axis], strides[axis]) for axis in order] if extents else []
            by_order = tuple([one for one, _ in walk]), tuple([step for _, step in walk])
            found.append((slot, dtype, *by_order, cuts))
        last = len(shape) - 1
        kept = last - operation.split[1]
        return tuple([shape[axis] for axis in order]), (kept, last), found

    def type_in_order(self, slot: int) -> DType | None:
        """Return the type of a storage's elements if item i reads element i alone; else None."""
        types = {
            dtype if strides is None else None
            for other, dtype, strides, _ in self.accesses
            if other == slot
        }
        return None if len(types) != 1 or None in self.read[slot] else types.pop()

    def offsets(self) -> list[tuple[int, int]]:
        """Return each access's slot, -1 for the position, and its offset."""
        return [(slot, offset) for slot, _, _, offset in (*self.accesses, *self.outputs)]


def _strides_of_row(space: Shape, axes: int) -> Shape:
    """Return the strides of a buffer of one row over a space whose last axes are the row."""
    outer = len(space) - axes
    return (*[0] * outer, *layout.contiguous_strides(space[outer:]))


def _access(pointer: int, dtype: DType, strides: Strides, shape: Shape) -> Access:
    """Return the access over a shape, of which `strides` leaves out axes of one element."""
    if strides is None:
        return pointer, dtype, shape, layout.contiguous_strides(shape), ()
    if isinstance(strides, WrappedAccess):
        return pointer, dtype, shape, _pad(shape, strides.strides, 0), _pad(shape, strides.cuts, ())
    if not strides:
        return pointer, dtype, (), (), ()
    return pointer, dtype, shape, _pad(shape, strides, 0), ()


def _pad(shape: Shape, given: Sequence[Any], none: Any) -> tuple[Any, ...]:
    """Insert `none` at the axes of one element that the space leaves out of a shape."""
    rest = iter(given)
    return tuple([none if extent == 1 else next(rest) for extent in shape])


def overlap(first: Ref, second: Ref) -> bool:
    """Return whether two views of one storage may have an element in common."""
    if first.dtype is not second.dtype:
        return True  # their offsets count different things
    return _overlap_of(first.pattern, first.offset, second.pattern, second.offset)


@memo
def _overlap_of(one: Pattern, begin: int, two: Pattern, other: int) -> bool:
    return layout.overlap(
        Layout(one.shape, one.strides, begin), Layout(two.shape, two.strides, other)
    )


def _code_of(operation: Operation) -> int:
    """Return how many characters of library functions an operation's expression has."""
    if operation.code is None:
        operation.code = inlined(operation.template)
    return operation.code
