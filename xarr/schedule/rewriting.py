"""Instructions in place of others: they read what operands are computed of, so that none is stored.

A roll of what was rolled is one roll. A reduction along a short axis is an expression of elements,
and those are expressions of what they are computed of.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.compiler.forms import Rolled, cast, rolled
from xarr.core.operations import Operation
from xarr.dtypes import COMPLEX, DType
from xarr.layout import Layout, Shape
from xarr.schedule.groups import NBYTES_OF_KERNEL
from xarr.schedule.instructions import Instruction, Number, Recorded, Ref, Skeletal

_Tree = Any
"""The number of an operand, or an operation with a tree for each of its operands."""


_FUNCTION: Final = re.compile(r"\bxr_\w+_f(32|64)\(")
_FUNCTION_WEIGHT: Final = 32
"""Of an operation that calls a function: the compiler has its text once for each element. Sixteen
sines of float64 take gcc 17 s."""


class _Maker(NamedTuple):
    """The instruction that makes all of a storage, by number, and the weight of its tree."""

    number: int
    step: Instruction
    weight: int


def rewritten(steps: Sequence[Instruction], alive: Sequence[bool], room: int) -> list[Instruction]:
    """The instructions, of which some are in place of several; those may not be needed any more.

    A kernel may be given `room` bytes of arguments.
    """
    last = {step.written.slot: number for number, step in enumerate(steps)}
    known = _Known(alive)
    found = []
    for number, given in enumerate(steps):
        step = given
        slot = given.written.slot
        if isinstance(given.operation, Rolled):
            step = known.rolled_at_once(given)
        elif isinstance(given.operation, Recorded) and _is_computed_with(
            given, steps[number + 1 :]
        ):
            step = known.unrolled(given, room)
        found.append(step)
        known.overwrite(slot)
        # A storage that is written again may have changed by the time that it would be made anew.
        if given.is_fresh and last[slot] == number and not isinstance(given.operation, Recorded):
            known.add(number, step)
    return found


def _is_computed_with(step: Instruction, later: Sequence[Instruction]) -> bool:
    """Whether something is computed of the elements of a result and of more than those."""
    results = {step.written.slot}
    size = step.written.pattern.size
    for other in later:
        slots = {operand.slot for operand in other.operands if isinstance(operand, Ref)}
        if not slots & results or math.prod(other.shape) != size:
            continue
        if not slots <= results or isinstance(other.operation, Skeletal):
            return True
        results.add(other.written.slot)
    return False


class _Known:
    """The makers of values whose operands are still what they were."""

    def __init__(self, alive: Sequence[bool]) -> None:
        self._alive = alive
        self._makers: dict[int, _Maker] = {}
        self._readers: dict[int, list[int]] = {}

    def add(self, number: int, step: Instruction) -> None:
        operation, slot = step.operation, step.written.slot
        is_plain = type(operation) is Operation and not any(
            dtype is dtypes.float16 or dtype.kind == COMPLEX
            for dtype in (*operation.operands, operation.result)
        )
        if not step.operands or not (is_plain or isinstance(operation, Rolled)):
            return
        weight = _FUNCTION_WEIGHT if _FUNCTION.search(operation.template) else 1
        for place, operand in enumerate(step.operands):
            if isinstance(operand, Ref):
                self._readers.setdefault(operand.slot, []).append(slot)
                if operand.slot in self._makers:
                    times = operation.template.count(f"{{{place}}}")
                    weight += times * self._makers[operand.slot].weight
        self._makers[slot] = _Maker(number, step, weight)

    def overwrite(self, slot: int) -> None:
        """Note that a storage has another value."""
        self._makers.pop(slot, None)
        for reader in self._readers.pop(slot, ()):
            self._makers.pop(reader, None)

    def _maker(self, ref: Ref, shape: Shape) -> _Maker | None:
        """What makes the elements of a view over a shape, each at its place."""
        maker = self._makers.get(ref.slot)
        if maker is None or maker.step.shape != shape or ref != maker.step.target:
            return None
        return maker

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
        return step._replace(
            operation=rolled(operation.result, shifts),
            operands=maker.step.operands,
            also=maker.step.also | {maker.number},
        )

    def unrolled(self, step: Instruction, room: int) -> Instruction:
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
        expression = _Expression(self)
        tree: _Tree = None
        for place in places:
            at = dict(zip(axes, place, strict=True))
            element = expression.element(elements, step.shape, at)
            tree = (how.step, tree, element) if tree else (how.first, element)
        tree = (how.finish, tree, *map(expression.leaf, numbers))
        shape = (*step.shape[: how.start], *step.shape[how.stop :])
        slots = {leaf.slot for leaf in expression.leaves if isinstance(leaf, Ref)}
        nbytes = NBYTES_OF_KERNEL + (len(expression.leaves) + 1) * (16 + 8 * len(shape))
        if len(slots) >= tuning.SLOTS or nbytes > room:
            return step
        leaves = tuple([leaf.dtype for leaf in expression.leaves])
        return step._replace(
            operation=_composed(operation.name, tree, leaves),
            operands=tuple(expression.leaves),
            shape=shape,
            also=frozenset(expression.also),
        )


class _Expression:
    """A tree in the making.

    Attributes
    ----------
    leaves : list of Ref or Number
        Its operands.
    also : set of int
        The instructions that it is in place of.
    """

    def __init__(self, known: _Known) -> None:
        self._known = known
        self.leaves: list[Ref | Number] = []
        self.also: set[int] = set()

    def leaf(self, operand: Ref | Number) -> int:
        if operand not in self.leaves:
            self.leaves.append(operand)
        return self.leaves.index(operand)

    def element(self, ref: Ref, shape: Shape, places: dict[int, int]) -> _Tree:
        """The tree of a view over a shape, where the indices along some axes are given."""
        maker = None if self._known._alive[ref.slot] else self._known._maker(ref, shape)
        if maker is None or isinstance(maker.step.operation, Rolled):
            return self.leaf(_sliced(ref, shape, places))
        self.also |= {maker.number} | maker.step.also
        return (maker.step.operation, *[
            self.element(operand, shape, places) if isinstance(operand, Ref) else self.leaf(operand)
            for operand in maker.step.operands
        ])  # fmt: skip


def _sliced(ref: Ref, shape: Shape, places: dict[int, int]) -> Ref:
    """The elements of a view over a shape that have some indices."""
    pattern = ref.pattern
    if pattern.linear and pattern.size == math.prod(shape):
        strides = layout.contiguous_strides(shape)
    else:
        strides = layout.broadcast_strides(pattern.shape, pattern.strides, shape)
    kept = [axis for axis in range(len(shape)) if axis not in places]
    where = Layout(tuple([shape[axis] for axis in kept]), tuple([strides[axis] for axis in kept]))
    beyond = sum(strides[axis] * place for axis, place in places.items())
    return ref._replace(pattern=where.pattern, offset=ref.offset + beyond)


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
