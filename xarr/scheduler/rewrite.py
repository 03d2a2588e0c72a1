"""Rewriting: replace instructions by ones that recompute their operands, so that none is stored.

Rolls of rolls are composed. A reduction along a short axis is unrolled into an expression of its
elements and of what those are computed of. A write to a part of an array may become one to the
whole array, which keeps the other elements. Operands of a reduction are rematerialised per column.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import Roll, cast, rolled
from xarr.dtypes import COMPLEX, DType
from xarr.ir.operation import Operation, interned
from xarr.layout import Layout, Shape
from xarr.lowering import reduce_scan
from xarr.lowering.operations import Ref, RoutineOp, ScanOp, TemplateOp, WrappedAccess
from xarr.scheduler.fusion_group import NBYTES_OF_KERNEL, overlap
from xarr.scheduler.instructions import BoundsMask, Operand, ScheduledInstruction

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo

_Tree = Any
"""An expression: the number of a leaf, or an operation with a tree for each of its operands."""


_FUNCTION: Final = re.compile(r"\bxr_\w+_f(32|64)\(")
_FUNCTION_WEIGHT: Final = 32
"""The weight of a function's call: the compiler inlines its body for each element. Sixteen sines
of float64 take gcc 17 s."""


def rewrite(
    instructions: Sequence[ScheduledInstruction],
    live: Sequence[bool],
    swappable: Mapping[int, int],
    info: DeviceInfo,
) -> list[ScheduledInstruction]:
    """Replace instructions by ones that recompute operands; producers may be dead code afterwards.

    An instruction may recompute an operand if nothing that the operand's producer reads is written
    in between, and the operand itself never again. `swappable` has the bytes of each storage whose
    memory a list may replace.
    """
    last = {instruction.written.slot: number for number, instruction in enumerate(instructions)}
    table = ProducerTable(live)
    readers: dict[int, set[int]] = {}
    if any(isinstance(instruction.operation, TemplateOp) for instruction in instructions):
        for number, instruction in enumerate(instructions):
            for slot in instruction.slots:
                readers.setdefault(slot, set()).add(number)
    nbytes_of = dict(swappable)
    rewritten: list[ScheduledInstruction] = []
    for number, one in enumerate(instructions):
        given = instruction = table.skip_copies(one, last)
        slot = given.written.slot
        is_reduction = isinstance(given.operation, TemplateOp)
        if isinstance(given.operation, Roll):
            instruction = _wrap_around(table.compose_rolls(given))
        elif is_reduction:
            if _is_computed_with(given, instructions[number + 1 :]):
                instruction = table.unroll(given, info)
            if instruction is given and not info.loop_per_item:
                for producer in table.rematerialize(given, readers):
                    rewritten[producer.number] = producer
        elif not given.is_fresh and type(given.operation) is Operation:
            if slot in nbytes_of and slot not in table.extents:
                table.infer_whole_shape(given, nbytes_of[slot])
            instruction = table.write_whole_array(given)
        rewritten.append(instruction)
        table.overwrite(slot)
        if given.is_fresh and given.target is not None:
            nbytes_of[slot] = given.target.nbytes
            if given.size == given.target.pattern.size:
                table.extents[slot] = given.space, given.target
            # A storage that is written again may have another value when it would be recomputed.
            if last[slot] == number and not (is_reduction and instruction is given):
                table.add(instruction, is_reduction)
    return rewritten


def scan_in_place(
    instructions: Sequence[ScheduledInstruction],
    live: Sequence[bool],
    swappable: Mapping[int, int],
    info: DeviceInfo,
) -> Sequence[ScheduledInstruction]:
    """Let a scan whose result is copied to its operand write that itself, as `cumsum(x, out=x)`.

    On a CPU, that is: one item walks a piece, and reads each element before it writes it.
    """
    scans = [one for one in instructions if isinstance(one.operation, ScanOp)]
    if not info.loop_per_item or not scans:
        return instructions
    users: dict[int, list[ScheduledInstruction]] = {}
    for one in instructions:
        for slot in {*one.slots, one.written.slot}:
            users.setdefault(slot, []).append(one)
    replaced: dict[int, ScheduledInstruction | None] = {}
    for scan in scans:
        result = scan.written.slot
        _, *readers = users[result]
        if live[result] or len(readers) != 1 or not scan.is_fresh:
            continue
        (copy,) = readers
        target = copy.written
        is_copy = copy.operation.row == "astype" and copy.is_linear and not copy.is_fresh
        is_whole = swappable.get(target.slot) == target.nbytes and not target.offset
        is_same = all(ref == target for _, ref, _ in scan.read)
        if is_copy and is_whole and is_same and users[target.slot][:2] == [scan, copy]:
            replaced[scan.number] = None
            replaced[copy.number] = copy.but(
                operation=scan.operation,
                shape=scan.shape,
                operands=scan.operands,
                also=copy.also | scan.also | {scan.number},
            )
    found = [replaced.get(one.number, one) for one in instructions]
    return [one for one in found if one is not None]


def _own_weight(operation: Operation) -> tuple[int, list[int]]:
    """Weigh an operation's own text, and count how often it contains each operand's."""
    template = operation.template
    own = _FUNCTION_WEIGHT if _FUNCTION.search(template) else 1
    return own, [template.count(f"{{{place}}}") for place in range(len(operation.operands))]


def _is_plain(operation: Operation) -> bool:
    """Return whether an operation's text may be a part of a longer expression."""
    return type(operation) is Operation and not any(
        dtype is dtypes.float16 or dtype.kind == COMPLEX
        for dtype in (*operation.operands, operation.result)
    )


def _is_computed_with(given: ScheduledInstruction, later: Sequence[ScheduledInstruction]) -> bool:
    """Return whether a later instruction combines a result's elements with other operands."""
    results = {given.written.slot}
    size = given.written.pattern.size
    for other in later:
        slots = other.slots
        if not slots & results or other.size != size:
            continue
        if not slots <= results or isinstance(other.operation, TemplateOp):
            return True
        results.add(other.written.slot)
    return False


class ProducerTable:
    """The producers of storages whose operands are still what they were.

    `extents` has the space, and the view, that is all of a storage which is new or swappable: views
    of such storages are counted from its first element.
    """

    def __init__(self, live: Sequence[bool]) -> None:
        self.extents: dict[int, tuple[Shape, Ref]] = {}
        self._live = live
        self._producers: dict[int, ScheduledInstruction] = {}
        self._weights: dict[int, int] = {}
        self._unrolled: set[int] = set()
        self._readers: dict[int, list[int]] = {}

    def add(self, instruction: ScheduledInstruction, is_unrolled: bool) -> None:
        """Note the producer of a new storage, if it can be recomputed."""
        operation, slot = instruction.operation, instruction.written.slot
        if not instruction.operands or not (_is_plain(operation) or isinstance(operation, Roll)):
            return
        for read in instruction.slots:
            self._readers.setdefault(read, []).append(slot)
        self._weights[slot] = self._weight(instruction)
        self._producers[slot] = instruction
        if is_unrolled:
            self._unrolled.add(slot)

    def _weight(self, instruction: ScheduledInstruction) -> int:
        """Weigh the text of an instruction with all that it would recompute."""
        weight, counts = _own_weight(instruction.operation)
        for place, ref, _ in instruction.read:
            if self._producer(ref, instruction.shape) is not None:
                weight += counts[place] * self._weights[ref.slot]
        return weight

    def overwrite(self, slot: int) -> None:
        """Forget the producers of a storage, and those that read it, since it is written."""
        self._producers.pop(slot, None)
        for reader in self._readers.pop(slot, ()):
            self._producers.pop(reader, None)

    def _producer(
        self, ref: Ref, shape: Shape, unrolled: bool = False
    ) -> ScheduledInstruction | None:
        """Return the producer of a view that each item over a shape reads at its own place.

        Reductions that were `unrolled` count only where they are asked for.
        """
        instruction = self._producers.get(ref.slot)
        if instruction is None or instruction.shape != shape or ref != instruction.target:
            return None
        return instruction if unrolled or ref.slot not in self._unrolled else None

    def dead_producer(
        self, ref: Ref, shape: Shape, unrolled: bool = False
    ) -> ScheduledInstruction | None:
        """Return the producer, as `_producer` does, of a storage that need not be stored."""
        return None if self._live[ref.slot] else self._producer(ref, shape, unrolled)

    def compose_rolls(self, instruction: ScheduledInstruction) -> ScheduledInstruction:
        """Make one roll of a roll and the roll that produces its operand."""
        operation = instruction.operation
        inner = self._producer(instruction.read[0][1], instruction.shape)
        assert isinstance(operation, Roll)
        if inner is None or not isinstance(inner.operation, Roll):
            return instruction
        pairs = zip(inner.operation.shifts, operation.shifts, instruction.shape, strict=True)
        shifts = tuple([(one + other) % extent for one, other, extent in pairs])
        return instruction.but(
            operation=interned(rolled, operation.result, shifts),
            operands=inner.operands,
            also=instruction.also | inner.also | {inner.number},
        )

    def skip_copies(
        self, instruction: ScheduledInstruction, last: Mapping[int, int]
    ) -> ScheduledInstruction:
        """Let an instruction read what its operands are copies of, if that is not written any more.

        `last` has the number of the last instruction that writes each storage.
        """
        operation = instruction.operation
        # Of a library's routines, products alone are known to take memory of any alignment.
        if isinstance(operation, RoutineOp) and operation.name != "matmul":
            return instruction
        operands, also = list(instruction.operands), set(instruction.also)
        for place, ref, _ in instruction.read:
            copy = self._producers.get(ref.slot)
            if copy is None or copy.operation.row != "astype" or not copy.is_linear:
                continue
            if not copy.read:  # a constant is copied
                continue
            _, source, _ = copy.read[0]
            is_same = source.dtype is copy.written.dtype is ref.dtype
            is_last = last.get(source.slot, -1) < copy.number
            if is_same and is_last and source.pattern.size == copy.size:
                offset = ref.offset - copy.written.offset + source.offset
                operands[place] = ref._replace(slot=source.slot, offset=offset)
                also |= {copy.number, *copy.also}
        if len(also) == len(instruction.also):
            return instruction
        return instruction.but(operands=tuple(operands), also=frozenset(also))

    def unroll(self, instruction: ScheduledInstruction, info: DeviceInfo) -> ScheduledInstruction:
        """Unroll a reduction along a short axis into an expression, if a kernel has room for it."""
        operation, elements = instruction.operation, instruction.read[0][1]
        how = reduce_scan.unrolled(operation, instruction.shape)
        if how is None:
            return instruction
        axes = range(how.start, how.stop)
        places = list(itertools.product(*[range(instruction.shape[axis]) for axis in axes]))
        is_recomputed = self.dead_producer(elements, instruction.shape) is not None
        if is_recomputed and len(places) * (1 + self._weights[elements.slot]) > tuning.UNROLLED:
            return instruction
        at: dict[int, int] = {}
        expression = _Expression(self, functools.partial(_sliced, at))
        tree: _Tree = None
        for place in places:
            at.update(zip(axes, place, strict=True))
            element = expression.element(elements, instruction.shape)
            tree = (how.step, tree, element) if tree else (how.first, element)
        tree = (how.finish, tree, *map(expression.leaf, instruction.operands[1:]))
        shape = (*instruction.shape[: how.start], *instruction.shape[how.stop :])
        slots = {leaf.slot for leaf in expression.leaves if isinstance(leaf, Ref)}
        nbytes = NBYTES_OF_KERNEL + (len(expression.leaves) + 1) * (16 + 8 * len(shape))
        if len(slots) >= info.most.slots or nbytes > info.parameter_nbytes:
            return instruction
        return expression.replacing(instruction, tree, shape)

    def rematerialize(
        self, instruction: ScheduledInstruction, readers: Mapping[int, Set[int]]
    ) -> list[ScheduledInstruction]:
        """Let producers of what a reduction of few columns reads for all columns repeat per column.

        They then compute in the reduction's kernel, once for all columns, and are not stored. That
        is so where the reduction's instructions alone read them; `readers` has these by storage.
        """
        operation, elements = instruction.operation, instruction.read[0][1]
        axes, columns = reduce_scan.columns(operation, instruction.shape)
        shape = instruction.shape[: len(instruction.shape) - axes]
        found: dict[int, ScheduledInstruction] = {}
        wanted = [(elements, instruction.shape)] if 1 < columns <= tuning.COLUMNS else []
        members = set[int]()
        while wanted:
            ref, over = wanted.pop()
            strides = _strides(ref, over)
            if over == instruction.shape and not any(strides[-axes:]):
                over = shape
                ref = ref._replace(pattern=Layout(shape, strides[:-axes]).pattern)
            producer = self.dead_producer(ref, over, unrolled=True)
            if producer is None or type(producer.operation) is not Operation:
                continue
            if over == instruction.shape:
                members.add(producer.number)
            elif readers[ref.slot] <= members and not producer.cuts_nbytes:
                members.add(producer.number)
                found[producer.number] = producer
            else:
                continue
            wanted += [(one, over) for one in producer.operands if isinstance(one, Ref)]

        def repeated(operand: Operand) -> Any:
            if not isinstance(operand, Ref):
                return operand
            where = Layout(instruction.shape, (*_strides(operand, shape), *(0,) * axes))
            return operand._replace(pattern=where.pattern)

        return [
            producer.but(
                shape=instruction.shape,
                operands=tuple(map(repeated, producer.operands)),
                target=repeated(producer.written),
            )
            for producer in found.values()
        ]

    def infer_whole_shape(self, instruction: ScheduledInstruction, nbytes: int) -> None:
        """Infer the shape of a swappable storage from a write to a part of it, and remember it."""
        target = instruction.target
        assert target is not None
        count, remainder = divmod(nbytes, target.dtype.itemsize)
        strides = _strides(target, instruction.shape)
        space = layout.whole_shape(instruction.shape, strides, count)
        if space is not None and not remainder:
            pattern = layout.contiguous(space).pattern
            self.extents[target.slot] = space, Ref(target.slot, target.dtype, pattern, 0)

    def write_whole_array(self, instruction: ScheduledInstruction) -> ScheduledInstruction:
        """Give a partial write a replacement that writes the whole array, where one is cheap.

        Beyond the part, an item stores the array's old value again. A write of the whole array can
        swap its memory for a spare buffer; so can the replacement, if items read what others write
        and the part is most of the array.
        """
        operation, target = instruction.operation, instruction.target
        assert target is not None
        extent = self.extents.get(target.slot)
        if extent is None:
            return instruction
        space, whole = extent
        if target.dtype is not whole.dtype:
            return instruction
        if target.pattern.linear and target.pattern.size == whole.pattern.size:
            return instruction.but(can_swap=True)
        part = _Part.of(target, instruction.shape, space) if _is_plain(operation) else None
        weight = self._weight(instruction)
        if part is None or weight > tuning.UNROLLED or part.beyond * weight > tuning.BESIDE:
            return instruction

        conflicts = False

        def read(ref: Ref, shape: Shape) -> Ref | None:
            nonlocal conflicts
            same = _strides(ref, shape) == _strides(target, shape) and ref.offset == target.offset
            conflicts |= ref.slot == target.slot and not same and overlap(ref, target)
            its_space, its_whole = self.extents.get(ref.slot, (None, ref))
            if same and its_space == space and its_whole.dtype is ref.dtype:
                return its_whole
            return part.read(ref, shape)

        expression = _Expression(self, read)
        tree = expression.of(instruction)
        inside, before = expression.leaf(BoundsMask(part.cuts)), expression.leaf(whole)
        tree = (interned(_choose, whole.dtype), inside, tree, before)
        if expression.is_impossible:
            return instruction
        replacement = expression.replacing(instruction, tree, space, target=whole)
        replacement.can_swap = conflicts and part.beyond < 0.5
        return instruction.but(whole=replacement)


class _Part(NamedTuple):
    """The part of an iteration space between bounds along each axis."""

    space: Shape
    lows: Shape
    highs: Shape
    axes: tuple[int | None, ...]
    """The axis of an instruction's shape along each axis; None where the part has one index."""

    @classmethod
    def of(cls, target: Ref, shape: Shape, space: Shape) -> _Part | None:
        """Return the part of an array that a view over a shape is, or None."""
        walk = _strides(target, shape)
        rest = target.offset
        lows, highs, axes = list[int](), list[int](), list[int | None]()
        left = [axis for axis, extent in enumerate(shape) if extent != 1]
        for extent, stride in zip(space, layout.contiguous_strides(space), strict=True):
            low, rest = divmod(rest, stride)
            axis = left.pop(0) if left and walk[left[0]] == stride else None
            lows.append(low)
            highs.append(low + (1 if axis is None else shape[axis]))
            axes.append(axis)
            if low < 0 or highs[-1] > extent:
                return None
        if left or rest or math.prod(shape) == math.prod(space):
            return None
        return cls(space, tuple(lows), tuple(highs), tuple(axes))

    @property
    def cuts(self) -> tuple[Shape, ...]:
        """The bounds along each axis; () where the part is not bounded."""
        bounds = zip(self.lows, self.highs, self.space, strict=True)
        return tuple([() if high - low == extent else (low, high) for low, high, extent in bounds])

    @property
    def beyond(self) -> float:
        """The fraction of the space's elements that lie beyond the part."""
        inside = math.prod(high - low for low, high in zip(self.lows, self.highs, strict=True))
        return 1 - inside / math.prod(self.space)

    def read(self, ref: Ref, shape: Shape) -> Ref | None:
        """Return the access of a view over the part's shape from the whole space, or None.

        Items beyond the bounds read other elements of the view, which the bounds mask discards.
        None where more lie beyond on one side than within, for which there are no elements to read.
        """
        walk = _strides(ref, shape)
        strides = tuple([0 if axis is None else walk[axis] for axis in self.axes])
        cuts = tuple([cut if by else () for cut, by in zip(self.cuts, strides, strict=True)])
        for cut, extent in zip(cuts, self.space, strict=True):
            if cut and max(cut[0], extent - cut[1]) > cut[1] - cut[0]:
                return None
        back = sum(low * by for low, by in zip(self.lows, strides, strict=True))
        return ref._replace(wrapped=WrappedAccess(strides, cuts, back))


class _Expression:
    """An expression that recomputes its operands as far as their producers are known."""

    def __init__(self, table: ProducerTable, read: Callable[[Ref, Shape], Ref | None]) -> None:
        self._table = table
        self._read = read  # how a view over a shape is read, or None where it cannot be
        self.leaves: list[Operand] = []
        self.also: set[int] = set()  # the numbers of the instructions that it recomputes
        self.is_impossible = False  # whether an operand cannot be read

    def leaf(self, operand: Operand) -> int:
        """Return the number of a leaf, which is added if the expression lacks it."""
        if operand not in self.leaves:
            self.leaves.append(operand)
        return self.leaves.index(operand)

    def of(self, instruction: ScheduledInstruction) -> _Tree:
        """Return the tree of an instruction's value."""
        shape = instruction.shape
        return (instruction.operation, *[
            self.element(operand, shape) if isinstance(operand, Ref) else self.leaf(operand)
            for operand in instruction.operands
        ])  # fmt: skip

    def element(self, ref: Ref, shape: Shape) -> _Tree:
        """Return the tree of a view's elements over a shape."""
        producer = self._table.dead_producer(ref, shape)
        if producer is None or isinstance(producer.operation, Roll):
            read = self._read(ref, shape)
            self.is_impossible |= read is None
            return self.leaf(read or ref)
        self.also |= {producer.number} | producer.also
        return self.of(producer)

    def replacing(
        self, instruction: ScheduledInstruction, tree: _Tree, shape: Shape, **more: Any
    ) -> ScheduledInstruction:
        """Return an instruction that computes a tree over a shape, in the place of another one."""
        types = tuple([leaf.dtype for leaf in self.leaves])
        operation = interned(_composed, instruction.operation.name, tree, types)
        leaves, also = tuple(self.leaves), instruction.also | self.also
        return instruction.but(operation=operation, operands=leaves, shape=shape, also=also, **more)


def _wrap_around(instruction: ScheduledInstruction) -> ScheduledInstruction:
    """Let a roll read its operand by an access that wraps around."""
    operation, read = instruction.operation, instruction.read[0][1]
    assert isinstance(operation, Roll)
    axes = [axis for axis, extent in enumerate(instruction.shape) if extent != 1]
    strides = tuple([read.pattern.strides[axis] for axis in axes])
    shifts = [operation.shifts[axis] for axis in axes]
    cuts = tuple([(at,) if at and by else () for at, by in zip(shifts, strides, strict=True)])
    wrapped = WrappedAccess(strides, cuts) if any(cuts) else None
    return instruction.but(operands=(read._replace(wrapped=wrapped),))


def _strides(ref: Ref, shape: Shape) -> Shape:
    """Return the strides of a view that is broadcast over a shape."""
    pattern = ref.pattern
    if pattern.linear and pattern.size == math.prod(shape):
        return layout.contiguous_strides(shape)
    return layout.broadcast_strides(pattern.shape, pattern.strides, shape)


def _sliced(places: Mapping[int, int], ref: Ref, shape: Shape) -> Ref:
    """Return the view of the elements that have given indices along some axes of a shape."""
    strides = _strides(ref, shape)
    kept = [axis for axis in range(len(shape)) if axis not in places]
    where = Layout(tuple([shape[axis] for axis in kept]), tuple([strides[axis] for axis in kept]))
    beyond = sum(strides[axis] * place for axis, place in places.items())
    return ref._replace(pattern=where.pattern, offset=ref.offset + beyond)


def _choose(dtype: DType) -> Operation:
    """Return the operation that selects one of two values by a condition."""
    return Operation("choose", (dtypes.bool_, dtype, dtype), dtype, "{0} ? {1} : {2}")


def _composed(name: str, tree: _Tree, leaves: tuple[DType, ...]) -> Operation:
    """Compose the operations of a tree into one."""

    def text(part: _Tree) -> tuple[str, DType]:
        if isinstance(part, int):
            return f"{{{part}}}", leaves[part]
        operation, *children = part
        operands = []
        for child, wanted in zip(children, operation.operands, strict=True):
            value, given = text(child)
            operands.append(cast(f"({value})", given, wanted))
        return operation.template.format(*operands), operation.result

    template, result = text(tree)
    made = Operation(name, leaves, result, template)
    if not isinstance(tree, int) and tree[0].name == "choose" and isinstance(tree[1], int):
        chosen = _leaves(tree[2]) - _leaves(tree[3]) - {tree[1]}
        made.chosen = tree[1], chosen
    return made


def _leaves(tree: _Tree) -> frozenset[int]:
    """Return the numbers of a tree's leaves."""
    if isinstance(tree, int):
        return frozenset({tree})
    return frozenset().union(*map(_leaves, tree[1:]))
