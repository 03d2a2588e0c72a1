"""Instructions in place of others: they read what operands are computed of, so that none is stored.

A roll of what was rolled is one roll. A reduction along a short axis is an expression of elements,
and those are expressions of what they are computed of. What is written to a part of an array may be
an expression over all of it, which leaves the other elements as they are.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.compiler.forms import Rolled, cast, rolled
from xarr.core.operations import Operation
from xarr.dtypes import COMPLEX, DType
from xarr.layout import Layout, Shape
from xarr.schedule.groups import NBYTES_OF_KERNEL, overlap
from xarr.schedule.instructions import (
    Inside,
    Instruction,
    Moved,
    Number,
    Recorded,
    Ref,
    Skeletal,
    space_of,
)

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo

_Tree = Any
"""The number of an operand, or an operation with a tree for each of its operands."""


_FUNCTION: Final = re.compile(r"\bxr_\w+_f(32|64)\(")
_FUNCTION_WEIGHT: Final = 32
"""Of an operation that calls a function: the compiler has its text once for each element. Sixteen
sines of float64 take gcc 17 s."""


class _Maker(NamedTuple):
    """The instruction that makes all of a storage, by number, and the weight of its tree.

    One that is in place of a reduction `is_tree` itself, and no part of another one.
    """

    number: int
    step: Instruction
    weight: int
    is_tree: bool


def rewritten(
    steps: Sequence[Instruction], alive: Sequence[bool], own: Mapping[int, int], info: DeviceInfo
) -> list[Instruction]:
    """The instructions, of which some are in place of several; those may not be needed any more.

    Some storages have memory of their `own`, of so many bytes. The device says how many bytes of
    arguments a kernel may be given.
    """
    last = {step.written.slot: number for number, step in enumerate(steps)}
    known = _Known(alive)
    readers: dict[int, set[int]] = {}
    if any(isinstance(given.operation, Recorded) for given in steps):
        for number, given in enumerate(steps):
            for slot in given.slots:
                readers.setdefault(slot, set()).add(number)
    sizes = dict(own)
    found: list[Instruction] = []
    for number, given in enumerate(steps):
        step = given
        slot = given.written.slot
        if isinstance(given.operation, Rolled):
            step = _round(known.rolled_at_once(given))
        elif isinstance(given.operation, Recorded):
            if _is_computed_with(given, steps[number + 1 :]):
                step = known.unrolled(given, info)
            if step is given and not info.chunked:
                for maker in known.repeating(given, readers):
                    found[maker.number] = maker.step
        elif not given.is_fresh and type(given.operation) is Operation:
            if slot in sizes and slot not in known.covers:
                known.cover(given, sizes[slot])
            step = known.widened(given)
        found.append(step)
        known.overwrite(slot)
        if given.is_fresh and given.target is not None:
            sizes[slot] = given.target.nbytes
            if math.prod(given.shape) == given.target.pattern.size:
                known.covers[slot] = space_of(given.shape), given.target
        # A storage that is written again may have changed by the time that it would be made anew.
        if given.is_fresh and last[slot] == number and not isinstance(step.operation, Recorded):
            known.add(number, step, isinstance(given.operation, Recorded))
    return found


@functools.lru_cache(tuning.REMEMBERED)
def _own_weight(operation: Operation) -> tuple[int, list[int]]:
    """How much text an operation is by itself, and how often it has each operand's."""
    template = operation.template
    own = _FUNCTION_WEIGHT if _FUNCTION.search(template) else 1
    return own, [template.count(f"{{{place}}}") for place in range(len(operation.operands))]


@functools.lru_cache(tuning.REMEMBERED)
def _is_plain(operation: Operation) -> bool:
    """Whether an operation's text may be a part of a longer expression."""
    return type(operation) is Operation and not any(
        dtype is dtypes.float16 or dtype.kind == COMPLEX
        for dtype in (*operation.operands, operation.result)
    )


def _is_computed_with(step: Instruction, later: Sequence[Instruction]) -> bool:
    """Whether something is computed of the elements of a result and of more than those."""
    results = {step.written.slot}
    size = step.written.pattern.size
    for other in later:
        slots = other.slots
        if not slots & results or math.prod(other.shape) != size:
            continue
        if not slots <= results or isinstance(other.operation, Skeletal):
            return True
        results.add(other.written.slot)
    return False


class _Known:
    """The makers of values whose operands are still what they were.

    `covers` has for each storage that is new, or has its own memory, a space of its elements, and
    the view that is all of it: views of such storages are counted from where these begin.
    """

    def __init__(self, alive: Sequence[bool]) -> None:
        self.covers: dict[int, tuple[Shape, Ref]] = {}
        self._alive = alive
        self._makers: dict[int, _Maker] = {}
        self._readers: dict[int, list[int]] = {}

    def add(self, number: int, step: Instruction, is_tree: bool) -> None:
        operation, slot = step.operation, step.written.slot
        if not step.operands or not (_is_plain(operation) or isinstance(operation, Rolled)):
            return
        for read in step.slots:
            self._readers.setdefault(read, []).append(slot)
        self._makers[slot] = _Maker(number, step, self._weight(step), is_tree)

    def _weight(self, step: Instruction) -> int:
        """How much text an instruction is, with that of what it is computed of."""
        weight, counts = _own_weight(step.operation)
        for place, ref, _ in step.read:
            maker = self._maker(ref, step.shape)
            if maker is not None:
                weight += counts[place] * maker.weight
        return weight

    def overwrite(self, slot: int) -> None:
        """Note that a storage has another value."""
        self._makers.pop(slot, None)
        for reader in self._readers.pop(slot, ()):
            self._makers.pop(reader, None)

    def _maker(self, ref: Ref, shape: Shape, trees: bool = False) -> _Maker | None:
        """What makes the elements of a view over a shape, each at its place; also `trees`."""
        maker = self._makers.get(ref.slot)
        if maker is None or maker.step.shape != shape or ref != maker.step.target:
            return None
        return maker if trees or not maker.is_tree else None

    def rolled_at_once(self, step: Instruction) -> Instruction:
        """A roll in place of two."""
        operation, (read, *_) = step.operation, step.operands
        assert isinstance(operation, Rolled)
        assert isinstance(read, Ref)
        maker = self._maker(read, step.shape)
        if maker is None or not isinstance(maker.step.operation, Rolled):
            return step
        pairs = zip(maker.step.operation.shifts, operation.shifts, step.shape, strict=True)
        shifts = tuple([(one + other) % extent for one, other, extent in pairs])
        return step.but(
            operation=rolled(operation.result, shifts),
            operands=maker.step.operands,
            also=maker.step.also | {maker.number},
        )

    def unrolled(self, step: Instruction, info: DeviceInfo) -> Instruction:
        """An expression in place of a reduction along a short axis, if a kernel has room for it."""
        operation, (elements, *numbers) = step.operation, step.operands
        assert isinstance(operation, Recorded)
        assert isinstance(elements, Ref)
        how = operation.unrolled(step.shape)
        if how is None:
            return step
        axes = range(how.start, how.stop)
        places = list(itertools.product(*[range(step.shape[axis]) for axis in axes]))
        maker = None if self._alive[elements.slot] else self._maker(elements, step.shape)
        if maker is not None and len(places) * (1 + maker.weight) > tuning.UNROLLED:
            return step
        at: dict[int, int] = {}
        expression = _Expression(self, functools.partial(_sliced, at))
        tree: _Tree = None
        for place in places:
            at.update(zip(axes, place, strict=True))
            element = expression.element(elements, step.shape)
            tree = (how.step, tree, element) if tree else (how.first, element)
        tree = (how.finish, tree, *map(expression.leaf, numbers))
        shape = (*step.shape[: how.start], *step.shape[how.stop :])
        slots = {leaf.slot for leaf in expression.leaves if isinstance(leaf, Ref)}
        nbytes = NBYTES_OF_KERNEL + (len(expression.leaves) + 1) * (16 + 8 * len(shape))
        if len(slots) >= tuning.SLOTS or nbytes > info.parameter_nbytes:
            return step
        return step.but(
            operation=_composed(operation.name, tree, expression.types),
            operands=tuple(expression.leaves),
            shape=shape,
            also=frozenset(expression.also),
        )

    def repeating(self, step: Instruction, readers: Mapping[int, Set[int]]) -> list[_Maker]:
        """The makers of what a reduction of few columns reads for all of them alike.

        They compute it for each column, beside what they are read by, which are the instructions of
        these numbers; so it is not stored, and a kernel computes it once for all.
        """
        operation, (elements, *_) = step.operation, step.operands
        assert isinstance(operation, Recorded)
        assert isinstance(elements, Ref)
        axes, columns = operation.columns(step.shape)
        shape = step.shape[: len(step.shape) - axes]
        found: dict[int, _Maker] = {}
        wanted = [(elements, step.shape)] if 1 < columns <= tuning.COLUMNS else []
        members = set[int]()
        while wanted:
            ref, over = wanted.pop()
            strides = _strides(ref, over)
            if over == step.shape and not any(strides[-axes:]):
                over = shape
                ref = ref._replace(pattern=Layout(shape, strides[:-axes]).pattern)
            maker = None if self._alive[ref.slot] else self._maker(ref, over, trees=True)
            if maker is None or type(maker.step.operation) is not Operation:
                continue
            if over == step.shape:
                members.add(maker.number)
            elif readers[ref.slot] <= members and not maker.step.cuts_nbytes:
                members.add(maker.number)
                found[maker.number] = maker
            else:
                continue
            wanted += [(one, over) for one in maker.step.operands if isinstance(one, Ref)]

        def repeated(operand: Ref | Number | Inside) -> Any:
            if not isinstance(operand, Ref):
                return operand
            where = Layout(step.shape, (*_strides(operand, shape), *(0,) * axes))
            return operand._replace(pattern=where.pattern)

        return [
            maker._replace(
                step=maker.step.but(
                    shape=step.shape,
                    operands=tuple(map(repeated, maker.step.operands)),
                    target=repeated(maker.step.written),
                )
            )
            for maker in found.values()
        ]

    def cover(self, step: Instruction, nbytes: int) -> None:
        """Note what is all of a storage of so many bytes that an instruction writes."""
        target = step.target
        assert target is not None
        count, rest = divmod(nbytes, target.dtype.itemsize)
        walk = zip(_strides(target, step.shape), step.shape, strict=True)
        space = []
        for stride in [stride for stride, extent in walk if extent != 1]:
            extent, beyond = divmod(count, stride) if stride > 0 else (0, 1)
            if extent != 1:
                space.append(extent)
            rest += beyond
            count = stride
        if space and not rest and count == 1:
            pattern = layout.contiguous(tuple(space)).pattern
            self.covers[target.slot] = tuple(space), Ref(target.slot, target.dtype, pattern, 0)

    def widened(self, step: Instruction) -> Instruction:
        """What writes a storage, which may exchange its memory.

        Of what writes a part, it is what writes the whole that may, if there is such a one: where
        the part is most of it, and elements are read that the part's other items write.
        """
        operation, target = step.operation, step.target
        assert target is not None
        covered = self.covers.get(target.slot)
        if covered is None:
            return step
        space, whole = covered
        if target.dtype is not whole.dtype:
            return step
        if target.pattern.linear and target.pattern.size == whole.pattern.size:
            return step.but(exchanges=True)
        part = _Part.of(target, step.shape, space) if _is_plain(operation) else None
        weight = self._weight(step)
        if part is None or weight > tuning.UNROLLED or part.beyond * weight > tuning.BESIDE:
            return step

        conflicts = False

        def read(ref: Ref, shape: Shape) -> Ref | None:
            nonlocal conflicts
            same = _strides(ref, shape) == _strides(target, shape) and ref.offset == target.offset
            conflicts |= ref.slot == target.slot and not same and overlap(ref, target)
            found, all_of_it = self.covers.get(ref.slot, (None, ref))
            if same and found == space and all_of_it.dtype is ref.dtype:
                return all_of_it
            return part.read(ref, shape)

        expression = _Expression(self, read)
        tree = expression.of(step)
        inside, before = expression.leaf(Inside(part.cuts)), expression.leaf(whole)
        tree = (_chosen(whole.dtype), inside, tree, before)
        if expression.is_impossible:
            return step
        operation = _composed(operation.name, tree, expression.types)
        also = frozenset(expression.also)
        leaves = tuple(expression.leaves)
        exchanges = conflicts and part.beyond < 0.5
        return step.but(
            whole=Instruction(operation, whole, leaves, space, False, also, exchanges=exchanges)
        )


class _Part(NamedTuple):
    """A part of a space, of which elements have their indices between bounds.

    Attributes
    ----------
    axes : tuple of (int or None)
        Which axis of an instruction's shape is an axis of the space; None where the part has one
        index.
    """

    space: Shape
    lows: Shape
    highs: Shape
    axes: tuple[int | None, ...]

    @classmethod
    def of(cls, target: Ref, shape: Shape, space: Shape) -> _Part | None:
        """The part of a whole array that a view over a shape is; None where it is none."""
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
        """The bounds along each axis; () where the part has all indices."""
        return tuple(
            [
                () if high - low == extent else (low, high)
                for low, high, extent in zip(self.lows, self.highs, self.space, strict=True)
            ]
        )

    @property
    def beyond(self) -> float:
        """How many elements there are beyond the part, for each of the space."""
        inside = math.prod(high - low for low, high in zip(self.lows, self.highs, strict=True))
        return 1 - inside / math.prod(self.space)

    def read(self, ref: Ref, shape: Shape) -> Ref | None:
        """A view over the part's shape as it is read over the space; None where it cannot be.

        Beyond the bounds other elements of the view are read, as many as there are there.
        """
        walk = _strides(ref, shape)
        steps = tuple([0 if axis is None else walk[axis] for axis in self.axes])
        cuts = tuple([cut if step else () for cut, step in zip(self.cuts, steps, strict=True)])
        for cut, extent in zip(cuts, self.space, strict=True):
            if cut and max(cut[0], extent - cut[1]) > cut[1] - cut[0]:
                return None
        back = sum(low * step for low, step in zip(self.lows, steps, strict=True))
        return ref._replace(moved=Moved(steps, cuts, back))


class _Expression:
    """A tree in the making.

    Parameters
    ----------
    read : callable
        How an operand's elements, a view over a shape, are read; None where they cannot be.

    Attributes
    ----------
    leaves : list of Ref, Number or Inside
        Its operands.
    also : set of int
        The instructions that it is in place of.
    is_impossible : bool
        Whether an operand cannot be read.
    """

    def __init__(self, known: _Known, read: Callable[[Ref, Shape], Ref | None]) -> None:
        self._known = known
        self._read = read
        self.leaves: list[Ref | Number | Inside] = []
        self.also: set[int] = set()
        self.is_impossible = False

    @property
    def types(self) -> tuple[DType, ...]:
        """The data types of the leaves."""
        return tuple([leaf.dtype for leaf in self.leaves])

    def leaf(self, operand: Ref | Number | Inside) -> int:
        if operand not in self.leaves:
            self.leaves.append(operand)
        return self.leaves.index(operand)

    def of(self, step: Instruction) -> _Tree:
        """The tree of what an instruction computes."""
        return (step.operation, *[
            self.element(operand, step.shape) if isinstance(operand, Ref) else self.leaf(operand)
            for operand in step.operands
        ])  # fmt: skip

    def element(self, ref: Ref, shape: Shape) -> _Tree:
        """The tree of the elements of a view over a shape."""
        maker = None if self._known._alive[ref.slot] else self._known._maker(ref, shape)
        if maker is None or isinstance(maker.step.operation, Rolled):
            read = self._read(ref, shape)
            self.is_impossible |= read is None
            return self.leaf(read or ref)
        self.also |= {maker.number} | maker.step.also
        return self.of(maker.step)


def _round(step: Instruction) -> Instruction:
    """A roll, with how its operand's elements are reached."""
    operation, (read, *_) = step.operation, step.operands
    assert isinstance(operation, Rolled)
    assert isinstance(read, Ref)
    axes = [axis for axis, extent in enumerate(step.shape) if extent != 1]
    steps = tuple([read.pattern.strides[axis] for axis in axes])
    shifts = [operation.shifts[axis] for axis in axes]
    cuts = tuple([(at,) if at and step else () for at, step in zip(shifts, steps, strict=True)])
    moved = Moved(steps, cuts) if any(cuts) else None
    return step.but(operands=(read._replace(moved=moved),))


def _strides(ref: Ref, shape: Shape) -> Shape:
    """The strides of a view over a shape."""
    pattern = ref.pattern
    if pattern.linear and pattern.size == math.prod(shape):
        return layout.contiguous_strides(shape)
    return layout.broadcast_strides(pattern.shape, pattern.strides, shape)


def _sliced(places: Mapping[int, int], ref: Ref, shape: Shape) -> Ref:
    """The elements of a view over a shape that have some indices, by axis."""
    strides = _strides(ref, shape)
    kept = [axis for axis in range(len(shape)) if axis not in places]
    where = Layout(tuple([shape[axis] for axis in kept]), tuple([strides[axis] for axis in kept]))
    beyond = sum(strides[axis] * place for axis, place in places.items())
    return ref._replace(pattern=where.pattern, offset=ref.offset + beyond)


@functools.lru_cache(tuning.REMEMBERED)
def _chosen(dtype: DType) -> Operation:
    """The operation that takes one or another value, as a first one says."""
    return Operation("choose", (dtypes.bool_, dtype, dtype), dtype, "{0} ? {1} : {2}")


@functools.lru_cache(tuning.REMEMBERED)
def _composed(name: str, tree: _Tree, leaves: tuple[DType, ...]) -> Operation:
    """One operation that does what a tree says."""

    def text(node: _Tree) -> tuple[str, DType]:
        if isinstance(node, int):
            return f"{{{node}}}", leaves[node]
        operation, *children = node
        operands = []
        for child, wanted in zip(children, operation.operands, strict=True):
            value, given = text(child)
            operands.append(cast(f"({value})", given, wanted))
        return operation.template.format(*operands), operation.result

    template, result = text(tree)
    return Operation(name, leaves, result, template)
