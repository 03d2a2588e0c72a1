"""Row fusion: one kernel for groups that reduce the same rows and compute more with the results.

A group of items takes a row and runs one part after the other on it. What several parts read is
then near, and what only these parts need of a row is never stored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from xarr import layout, tuning
from xarr.layout import Shape
from xarr.lowering import reduce_scan
from xarr.lowering.operations import WrappedAccess
from xarr.scheduler.fusion_group import NBYTES_OF_KERNEL, FusionGroup
from xarr.scheduler.instructions import Key

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo

SHARES_NBYTES: Final = 1024
"""The bytes of local memory that the table of shares in means takes at most."""
_RESULT: Any = object()
"""The access by which a reduction writes its result."""


def fuse_rows(groups: Sequence[FusionGroup], info: DeviceInfo) -> list[list[FusionGroup]]:
    """Join groups into runs, each of which is one kernel; most are of one group.

    A group moves up to a run that feeds it past groups that it commutes with.
    """
    runs: list[list[FusionGroup]] = []
    for group in groups:
        place = len(runs)
        runs.append([group])
        for at in reversed(range(place)):
            before, run = runs[at], runs[place]
            if _feeds(before, run) and _is_one_kernel([*before, *run], info):
                before += runs.pop(place)
                place = at
            elif not all(group.commutes_with(before) for group in run):
                break
    return runs


def is_kernel_of_rows(run: Sequence[FusionGroup], info: DeviceInfo) -> bool:
    """Return whether a run is a kernel of rows.

    Several groups are. On a GPU so is a lone reduction of at least two rows that are so short that
    a group of items takes several at a time.
    """
    if len(run) > 1:
        return True
    length = 0 if info.loop_per_item else row_length(run[0])
    return 0 < length <= min(tuning.SHORT_ROW, run[0].size // 2) and _is_one_kernel(run, info)


def _feeds(before: Sequence[FusionGroup], run: Sequence[FusionGroup]) -> bool:
    """Return whether groups write what others read."""
    written = {slot for group in before for slot in group.written}
    return any(slot in written for group in run for slot in group.read)


def row_length(group: FusionGroup) -> int:
    """Return the length of the rows that a group reduces; 0 where it reduces none."""
    if not group.reductions:
        return 0
    lengths = set()
    for reduction in group.reductions:
        lengths.add(reduce_scan.row_length(reduction.operation, reduction.shape))
    return lengths.pop() if len(lengths) == 1 else 0


def row_axes(group: FusionGroup, length: int) -> int | None:
    """Count the last axes of a group's space that are a row; None where none are."""
    for count in range(1, len(group.space) + 1):
        if math.prod(group.space[-count:]) == length:
            return count
    return None


def _is_one_kernel(groups: Sequence[FusionGroup], info: DeviceInfo) -> bool:
    """Return whether groups may be one kernel of rows, by their rows, its limits and hazards."""
    if any(one.double_buffered for one in groups):
        return False
    first, *others = groups
    length = row_length(first)
    axes = row_axes(first, length) if length else None
    if axes is None or sum(one.space == first.space for one in groups) > _most_parts(groups):
        return False
    for other in others:
        if other.sealed or other.space not in (first.space, first.space[:-axes]):
            return False
        if other.reductions and (other.space != first.space or row_length(other) != length):
            return False
    items = first.size // length
    if items < info.compute_units and first.size > tuning.ROWS_ALONE:
        return False
    local_nbytes = SHARES_NBYTES + trees_nbytes(groups, length)
    if not info.loop_per_item and local_nbytes > info.local_nbytes // 2:
        return False
    arguments = NBYTES_OF_KERNEL + sum(one.nbytes() for one in groups)
    slots = {slot for one in groups for slot in one.read}
    slots |= {slot for one in groups for slot, *_ in one.outputs}
    slots |= {ref.slot for one in groups for _, ref in one.stored_results}
    if arguments > info.parameter_nbytes or len(slots) > info.most.slots:
        return False
    return _is_safe(groups, axes)


def _most_parts(groups: Sequence[FusionGroup]) -> int:
    """Return how many groups of one kernel may walk the elements."""
    made = {slot for one in groups for slot in one.written}
    parts = [one.read.keys() - made for one in groups if one.space == groups[0].space]
    is_chain = not parts[-1] and len({slot for slots in parts for slot in slots}) == 1
    return tuning.CHAINED if is_chain else tuning.ROW_PARTS


def trees_nbytes(groups: Sequence[FusionGroup], length: int) -> int:
    """Count the bytes of local memory in which all reductions reduce one row on a GPU."""
    operations = [reduction.operation for group in groups for reduction in group.reductions]
    return sum(reduce_scan.row_nbytes(one, length) for one in operations)


def values_of_elements(group: FusionGroup, space: Shape) -> Collection[Key]:
    """Return what a group loads, or computes, for each element of rows, not once for a row."""
    return group.values if group.space == space else ()


def _accesses(group: FusionGroup, space: Shape) -> Iterator[tuple[int, Any]]:
    """Yield the storages that a group accesses, and how: type, strides over `space`, and offset.

    A group that computes once for a row has strides of 0 along the row's axes.
    """
    axes = len(space) - len(group.space)
    every = layout.contiguous_strides(group.space) if axes else None
    for slot, dtype, strides, offset in (*group.accesses, *group.stores):
        own = every if strides is None else strides
        if slot < 0:
            continue
        if axes and isinstance(own, WrappedAccess):
            own = WrappedAccess((*own.strides, *[0] * axes), (*own.cuts, *[()] * axes), own.back)
        elif own:
            own = (*own, *[0] * axes)
        yield slot, (dtype, own, offset)
    for slot, (_, ref) in group.results.items():
        yield slot, (ref.dtype, _RESULT, 0)


def _is_safe(groups: Sequence[FusionGroup], axes: int) -> bool:
    """Return whether no item depends on what an item of another row, or of its row, writes.

    What one group writes and another accesses has to be the element at the item's own place in
    both, or what there is once for a row, of which each row accesses its own.
    """
    space = groups[0].space
    outer = layout.contiguous_strides(space[:-axes])
    own = outer and (*outer, *[0] * axes)
    written = {slot for group in groups for slot in group.written}
    touches: dict[int, set[Any]] = {slot: set() for slot in written}
    for group in groups:
        for slot, how in _accesses(group, space):
            if slot in touches:
                touches[slot].add((how, group))
    for slot, all_of_it in touches.items():
        if any(None in group.read.get(slot, ()) for group in groups):
            return False  # a gather may read another row's element
        if len({group for _, group in all_of_it}) < 2:
            continue
        ways = {how for how, _ in all_of_it}
        results = {how for how in ways if how[1] is _RESULT}
        if results:
            ((dtype, *_),) = results
            if not ways - results <= {(dtype, own, 0)}:
                return False
            if any(slot == at for group in groups for at, *_ in group.stores):
                return False
        elif len(ways) > 1:
            return False
    return True
