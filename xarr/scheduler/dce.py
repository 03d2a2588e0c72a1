"""Dead-code elimination: drop instructions, and stores, whose values nobody will read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from xarr.lowering.operations import Ref
from xarr.scheduler.fusion_group import FusionGroup, overlap
from xarr.scheduler.instructions import ScheduledInstruction


def eliminate_dead_code(
    instructions: Sequence[ScheduledInstruction], live: Sequence[bool]
) -> list[ScheduledInstruction]:
    """Drop instructions that write dead storages which no later one reads, unless they may raise.

    Drop also what fills a new storage that later writes overwrite in full before anything reads it:
    these then allocate its memory.
    """
    needed = {slot for slot, is_live in enumerate(live) if is_live}
    kept: list[ScheduledInstruction] = []
    unread_parts: dict[int, list[int]] = {}  # writes to parts of a storage that nothing read yet
    for instruction in reversed(instructions):
        target, slot = instruction.target, instruction.written.slot
        if slot not in needed and not instruction.operation.raises:
            continue
        if target is not None and not instruction.is_fresh:
            unread_parts.setdefault(slot, []).append(len(kept))
        elif target is not None:
            parts = unread_parts.pop(slot, [])
            # Where all of them can write the whole array, one kernel that does so stores it once.
            if any(kept[at].whole is None for at in parts) and _fully_overwritten(
                target, [kept[at].written for at in parts]
            ):
                for at in parts:
                    kept[at] = kept[at].but(whole=None, uninitialised_nbytes=target.nbytes)
                continue
        for read in instruction.slots:
            unread_parts.pop(read, None)
        needed |= instruction.slots
        kept.append(instruction)
    return kept[::-1]


def _fully_overwritten(whole: Ref, parts: Sequence[Ref]) -> bool:
    """Return whether parts have no element in common and are all of a storage."""
    sizes = [part.pattern.size for part in parts if part.dtype is whole.dtype]
    if len(sizes) < len(parts) or sum(sizes) != whole.pattern.size:
        return False
    return not any(itertools.starmap(overlap, itertools.combinations(parts, 2)))


def eliminate_dead_stores(groups: Sequence[FusionGroup], live: Sequence[bool]) -> list[FusionGroup]:
    """Let each group store what is live or what a later group reads, and drop groups without any.

    What is not stored is a variable of the kernel.
    """
    needed = {slot for slot, is_live in enumerate(live) if is_live}
    found = []
    for group in reversed(groups):
        group.store(needed.__contains__)
        if group.outputs or group.stored_results or group.sealed:
            found.append(group)
            needed.update(group.read)
    return found[::-1]
