"""Shapes, strides and offsets: which element of a buffer an index names.

Pure: no data, no device. Strides and offsets count elements, not bytes, everywhere in xarr.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, Final

from numpy.exceptions import AxisError

from xarr import errors, tuning
from xarr.memo import memo

Shape = tuple[int, ...]

WIDE: Final = 1 << 30
"""From this many elements on, kernels count with 64 bits; below, sums of two indices fit in 32."""


MAX_NDIM: Final = 64
"""The most axes of an array, as of NumPy's."""


class Pattern:
    """The shape and the strides of a view, wherever it begins: one object for all that have them.

    size : int -- Elements.
    linear : bool -- Whether they follow each other in C order without gaps.
    steps : tuple of int -- The strides but those of axes of one element.
    """

    __slots__ = ("linear", "shape", "size", "steps", "strides")

    def __init__(self, shape: Shape, strides: Shape) -> None:
        self.shape = shape
        self.strides = strides
        self.size = math.prod(shape)
        self.linear = is_linear(shape, strides)
        paired = zip(strides, shape, strict=True)
        self.steps = tuple([stride for stride, extent in paired if extent != 1])


pattern_of: Final = memo(Pattern, tuning.STRUCTURES)
"""Returns the pattern of a shape and strides; two objects of one pattern cost a program."""


class Layout:
    """How the elements of an array of some shape lie in a buffer."""

    __slots__ = ("linear", "offset", "pattern", "shape", "size", "strides")

    def __init__(self, shape: Shape, strides: Shape, offset: int = 0) -> None:
        self.pattern = pattern = pattern_of(shape, strides)
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.size = pattern.size
        self.linear = pattern.linear

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Layout)
            and self.shape == other.shape
            and self.offset == other.offset
            and all(
                extent == 1 or mine == others
                for extent, mine, others in zip(
                    self.shape, self.strides, other.strides, strict=True
                )
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Layout({self.shape}, strides={self.strides}, offset={self.offset})"

    def bounds(self) -> tuple[int, int]:
        """Smallest and largest element address; meaningful only for a layout with elements."""
        low = high = self.offset
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if stride < 0:
                low += (extent - 1) * stride
            else:
                high += (extent - 1) * stride
        return low, high

    def permuted(self, axes: Sequence[int]) -> Layout:
        """The same elements with the axes in another order."""
        return Layout(
            tuple(self.shape[axis] for axis in axes),
            tuple(self.strides[axis] for axis in axes),
            self.offset,
        )

    def broadcast(self, shape: Shape) -> Layout:
        """The same elements repeated along new and along one-element axes (stride 0)."""
        return Layout(shape, broadcast_strides(self.shape, self.strides, shape), self.offset)

    def reshaped(self, shape: Shape) -> Layout | None:
        """The same elements in C order under another shape, or None where that needs a copy."""
        if self.size == 0:
            return contiguous(shape)
        if self.linear:
            return Layout(shape, contiguous_strides(shape), self.offset)
        extents, strides = list[int](), list[int]()
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if extent == 1:
                continue
            if strides and strides[-1] == stride * extent:
                extents[-1] *= extent
                strides[-1] = stride
            else:
                extents.append(extent)
                strides.append(stride)
        result = list[int]()
        run, left = 0, extents[0] if extents else 1
        for extent in shape:
            while left == 1 and extent != 1 and run + 1 < len(extents):
                run += 1
                left = extents[run]
            if extent == 1:
                result.append(0)
                continue
            if left % extent:
                return None
            left //= extent
            result.append(strides[run] * left)
        return Layout(shape, tuple(result), self.offset)


def contiguous_strides(shape: Shape) -> Shape:
    """The strides of C order."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)  # a stride of 0 is that of a broadcast view
    return tuple(reversed(strides))


@memo
def contiguous(shape: Shape) -> Layout:
    """C order from the start of a buffer; one layout for all who ask."""
    return Layout(shape, contiguous_strides(shape))


def whole_shape(part: Shape, strides: Shape, count: int) -> Shape | None:
    """Infer the shape of a contiguous array of `count` elements from a view of a part of it.

    Each stride of the part divides the one before it; they tell nothing where something remains.
    """
    found = []
    for stride in [stride for stride, extent in zip(strides, part, strict=True) if extent != 1]:
        if stride <= 0 or count % stride:
            return None
        if count != stride:
            found.append(count // stride)
        count = stride
    return tuple(found) if found and count == 1 else None


def power_of_two(count: int) -> int:
    """The least one that a count of 1 or more does not exceed."""
    return 1 << (count - 1).bit_length()


def is_linear(shape: Shape, strides: Shape) -> bool:
    """Whether the elements follow each other in C order without gaps."""
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent == 0:
            return True
        if extent != 1:
            if stride != step:
                return 0 in shape
            step *= extent
    return True


def require_possible(shape: Shape, where: str) -> Shape:
    """The shape of a result; ValueError if it has too many axes, or elements to count."""
    count = math.prod(shape) or math.prod([extent or 1 for extent in shape])
    if count < 1 << 63 and len(shape) <= MAX_NDIM:
        return shape
    if len(shape) > MAX_NDIM:
        fault = f"the result would have {len(shape)} dimensions"
        raise errors.value_error(where, fault, f"it must have {MAX_NDIM} at most")
    fault = f"the result would have shape {shape}"
    accepted = "there must be less than 2**63 elements, as 64 bits count them"
    raise errors.value_error(where, fault, accepted)


def extents_of(shape: Any, where: str, name: str = "shape") -> Shape:
    """A shape argument: an integer or a sequence of them, none negative."""
    plain = (shape,) if type(shape) is int else shape
    if type(plain) is tuple:
        for extent in plain:
            if type(extent) is not int or extent < 0:
                break
        else:
            return require_possible(plain, where)
    items = shape if isinstance(shape, tuple | list) else (shape,)
    try:
        extents = tuple([index_of(item) for item in items])
    except TypeError:
        if getattr(shape, "ndim", 0) or isinstance(shape, range):
            return extents_of(list(shape), where, name)
        accepted = f"{name} must be an integer or a tuple of integers"
        raise errors.type_error(where, f"{name} is {shape!r}", accepted) from None
    if any(extent < 0 for extent in extents):
        raise errors.value_error(where, f"{name} is {shape!r}", "extents must not be negative")
    return require_possible(extents, where)


def index_of(value: Any) -> int:
    """An integer, and no truth, which Python counts as one; else TypeError."""
    if value is True or value is False:
        raise TypeError
    return operator.index(value)


def integer(value: Any, where: str, name: str) -> int:
    """Return an argument that is one integer; refuse others."""
    try:
        return index_of(value)
    except TypeError:
        raise errors.type_error(
            where, f"{name} is {value!r}", f"{name} must be an integer"
        ) from None


def resolved(shape: Any, size: int, where: str) -> Shape:
    """A shape argument of `size` elements, in which -1 stands for what is left."""
    several = isinstance(shape, tuple | list | range) or bool(getattr(shape, "ndim", 0))
    try:
        extents = [index_of(item) for item in (shape if several else (shape,))]
    except TypeError:
        accepted = "shape must be an integer or a tuple of integers"
        raise errors.type_error(where, f"shape is {shape!r}", accepted) from None
    known = math.prod(extent for extent in extents if extent != -1)
    if extents.count(-1) == 1 and known > 0 and size % known == 0:
        extents[extents.index(-1)] = size // known
    if any(extent < 0 for extent in extents) or math.prod(extents) != size:
        fault = f"{errors.operand_of(where)} has {size} elements and shape is {shape!r}"
        accepted = f"the extents must multiply to {size}; one extent may be -1"
        raise errors.value_error(where, fault, accepted)
    return require_possible(tuple(extents), where)


def broadcast_shapes(*shapes: Shape, where: str) -> Shape:
    """The shape that all `shapes` broadcast to."""
    if shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    ndim = max(map(len, shapes))
    result = []
    for axis in range(-ndim, 0):
        extent = 1
        for shape in shapes:
            if len(shape) >= -axis and shape[axis] != 1:
                if extent not in (1, shape[axis]):
                    raise ValueError(
                        errors.message(
                            where,
                            "the shapes are " + " and ".join(map(str, shapes)),
                            "shapes must be broadcastable: aligned at the last axis, each "
                            "pair of extents equal or one of them 1",
                            "add an axis of extent 1, as x[:, None] does, or reshape one",
                        )
                    )
                extent = shape[axis]
        result.append(extent)
    return tuple(result)


def broadcast_strides(shape: Shape, strides: Shape, target: Shape) -> Shape:
    """The strides that repeat an array of `shape` over `target`."""
    steps = [0 if extent == 1 else step for extent, step in zip(shape, strides, strict=True)]
    return (*(0,) * (len(target) - len(shape)), *steps)


def order_of(order: Any, where: str, accepted: str = "CFAK") -> str | None:
    """The capital letter of an order of elements; None, where nothing is said, as it is."""
    if type(order) is str and len(order) == 1 and order in accepted:
        return order
    letter = order.upper() if isinstance(order, str) else order
    if letter is not None and not (isinstance(letter, str) and letter in tuple(accepted)):
        names = " and ".join((", ".join(accepted[:-1]), accepted[-1]))
        raise errors.word_error(where, "order", order, f"order must be one of {names}")
    return letter


def normalize_axis(axis: Any, ndim: int, where: str, of: str = "the array") -> int:
    """The axis counted from the front; IndexError-compatible AxisError when out of range."""
    try:
        index = index_of(axis)
    except TypeError:
        of_type = f"of type {type(axis).__name__}" if hasattr(axis, "shape") else repr(axis)
        raise errors.type_error(where, f"axis is {of_type}", "an axis must be an integer") from None
    if not -ndim <= index < ndim:
        raise AxisError(
            errors.message(
                where,
                f"axis is {index}, out of bounds",
                f"{of} has {errors.axes_of(ndim)}, so axis must be in [{-ndim}, {ndim})"
                if ndim
                else f"{of} has no axes (it is 0-dimensional)",
                "-1 is the last axis" if ndim else "",
            )
        )
    return index + ndim if index < 0 else index


def normalize_axes(axis: Any, ndim: int, where: str, of: str = "the array") -> tuple[int, ...]:
    """The sorted axes of an `axis` argument: None for all, an integer or a tuple of them."""
    if axis is None:
        return tuple(range(ndim))
    items = axis if isinstance(axis, tuple | list) else (axis,)
    axes = sorted(normalize_axis(item, ndim, where, of) for item in items)
    if len(set(axes)) != len(axes):
        raise ValueError(errors.message(where, f"axis is {axis!r}", "each axis may be named once"))
    return tuple(axes)


def overlap(first: Layout, second: Layout) -> bool:
    """Whether two layouts of one buffer may name a common element; False is a proof."""
    if not first.size or not second.size:
        return False
    (low1, high1), (low2, high2) = first.bounds(), second.bounds()
    if high1 < low2 or high2 < low1:
        return False
    strides = sorted(
        {
            abs(stride)
            for layout in (first, second)
            for extent, stride in zip(layout.shape, layout.strides, strict=True)
            if extent > 1 and stride
        },
        reverse=True,
    )
    if (low1 - low2) % (math.gcd(*strides) if strides else 1):
        return False
    return not _boxes_disjoint(first, second, low1, low2, strides)


def _boxes_disjoint(
    first: Layout, second: Layout, low1: int, low2: int, strides: list[int]
) -> bool:
    """Whether both are boxes of one grid, and the boxes miss each other along some axis.

    The grid's axes are the distinct strides; each has to be a multiple of the next, and a box has
    to stay inside its axis, so that an address has one set of coordinates.
    """
    steps = list(itertools.pairwise(strides))
    radix = [larger // smaller for larger, smaller in steps]
    if any(larger % smaller for larger, smaller in steps):
        return False
    boxes = []
    base = min(low1, low2)
    base -= base % (strides[0] if strides else 1)
    for layout, low in ((first, low1), (second, low2)):
        box = []
        rest = low - base
        for position, stride in enumerate(strides):
            start, rest = divmod(rest, stride)
            length = 1
            for extent, step in zip(layout.shape, layout.strides, strict=True):
                if abs(step) == stride and extent > 1:
                    if length > 1:
                        return False
                    length = extent
            if position and start + length > radix[position - 1]:
                return False
            box.append((start, start + length))
        boxes.append((box, rest))
    (box1, rest1), (box2, rest2) = boxes
    return rest1 != rest2 or any(
        end1 <= start2 or end2 <= start1
        for (start1, end1), (start2, end2) in zip(box1, box2, strict=True)
    )


def is_self_overlapping(shape: Shape, strides: Shape) -> bool:
    """Whether two indices may name the same element, as in a broadcast view."""
    reach = 0
    for stride, extent in sorted(
        (abs(stride), extent) for extent, stride in zip(shape, strides, strict=True) if extent > 1
    ):
        if stride <= reach:
            return True
        reach += stride * (extent - 1)
    return False


def is_fortran(where: Layout) -> bool:
    """Whether the elements follow each other without gaps where the first index runs fastest."""
    return is_linear(where.shape[::-1], where.strides[::-1])


def reinterpreted(where: Layout, given: int, wanted: int, name: str) -> Layout:
    """The layout of the same bytes as elements of another size; `given` and `wanted` are bytes.

    NumPy's rules: the last axis, in which elements follow each other, grows or shrinks.
    """
    if given == wanted:
        return where
    shape, strides = where.shape, where.strides
    if not shape:
        raise ValueError(
            errors.message(
                name,
                f"x is 0-dimensional and its elements have {given} bytes",
                f"the new dtype must have as many, not {wanted}",
            )
        )
    if where.size and shape[-1] != 1 and strides[-1] != 1:
        raise ValueError(
            errors.message(
                name,
                f"x has elements of {given} bytes with gaps along its last axis",
                f"for elements of {wanted} bytes the last axis must be contiguous",
                "copy x first, with x.copy()",
            )
        )
    nbytes = shape[-1] * given
    if nbytes % wanted or (given % wanted and wanted % given):
        raise ValueError(
            errors.message(
                name,
                f"the last axis of x has {nbytes} bytes",
                f"it must have a multiple of {wanted}, the bytes of an element of the new dtype",
                "convert the values with x.astype(dtype)",
            )
        )
    steps = []
    for extent, stride in zip(shape[:-1], strides[:-1], strict=True):
        if extent > 1 and stride * given % wanted:
            raise misaligned(name, wanted)
        steps.append(stride * given // wanted)
    if where.offset * given % wanted:
        raise misaligned(name, wanted)
    return Layout((*shape[:-1], nbytes // wanted), (*steps, 1), where.offset * given // wanted)


def misaligned(name: str, itemsize: int) -> ValueError:
    """The error of elements that would not begin at a multiple of their size."""
    return ValueError(
        errors.message(
            name,
            "elements of the new dtype would lie across the device's words",
            f"elements must begin at multiples of their {itemsize} bytes",
            f"copy x first, with x.copy(); {errors.difference('np-x-view')}",
        )
    )


def collapse(
    groups: Sequence[Shape], strides: Sequence[Sequence[Shape]]
) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Merge the axes that every operand walks in one step.

    `groups` splits the iteration space into runs of axes that must stay apart (the kept and the
    reduced axes of a reduction, say); `strides[operand][group]` are an operand's strides.
    Returns the merged extents per group, and the merged strides per operand and group.
    One-element axes vanish.
    """
    cuts: list[list[tuple[Shape, ...]]]
    cuts = [[((),) * len(walk) for walk in operand] for operand in strides]
    extents, merged, _ = collapse_around(groups, strides, cuts)
    return extents, merged


def collapse_around(
    groups: Sequence[Shape],
    strides: Sequence[Sequence[Shape]],
    cuts: Sequence[Sequence[tuple[Shape, ...]]],
) -> tuple[list[list[int]], list[list[list[int]]], list[list[list[Shape]]]]:
    """`collapse` for operands that are cut along axes: they come round, or have bounds.

    `cuts` says for each axis at which indices they are; () where they are not. Returns the merged
    cuts too.
    """
    extents: list[list[int]] = []
    merged: list[list[list[int]]] = [[] for _ in strides]
    turns: list[list[list[Shape]]] = [[] for _ in strides]
    for number, shape in enumerate(groups):
        axes = list[int]()
        runs: list[tuple[list[int], list[Shape]]] = [([], []) for _ in strides]
        for axis, extent in enumerate(shape):
            if extent == 1:
                continue
            here = [
                (walk[number][axis], cut[number][axis])
                for walk, cut in zip(strides, cuts, strict=True)
            ]
            follows = bool(axes) and all(
                walked[-1] == step * extent and not cut
                for (walked, _), (step, cut) in zip(runs, here, strict=True)
            )
            if follows:
                axes[-1] *= extent
            else:
                axes.append(extent)
            for (walked, turned), (step, cut) in zip(runs, here, strict=True):
                if follows:
                    walked[-1] = step
                    turned[-1] = tuple([index * extent for index in turned[-1]])
                else:
                    walked.append(step)
                    turned.append(cut)
        extents.append(axes)
        for operand, turn, (walked, turned) in zip(merged, turns, runs, strict=True):
            operand.append(walked)
            turn.append(turned)
    return extents, merged, turns
