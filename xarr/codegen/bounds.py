"""Loads whose values are chosen away beyond bounds, as by the parts of an array that is joined.

Beyond them a GPU loads the first element of memory. Other elements take bandwidth, and their places
arithmetic: on an H200 `concat` of two arrays of 2^24 float32 took 98 us with them, and takes 83.
With a branch it took 118, as loads then wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from xarr.codegen.expressions import PLACES
from xarr.dtypes import DType
from xarr.ir.operation import Operation

if TYPE_CHECKING:
    from xarr.codegen.kernel_spec import KernelSpec

Load = tuple[int, str, DType]
"""An access, its place in C and its type."""


def bounded(spec: KernelSpec, loads: Mapping[int, Load]) -> dict[int, int]:
    """Map accesses whose values are chosen away beyond bounds to the access of these.

    `loads` has them by entry. An access of memory that the kernel writes is none, as an item may
    write the first element while others load it.
    """
    masks_of: dict[int, set[int | None]] = {}
    for number in (*spec.stored, *spec.template_inputs):
        masks_of[number] = {None}
    found = dict[int, int]()
    for number in range(len(spec.entries) - 1, -1, -1):
        entry, masks = spec.entries[number], masks_of.get(number, {None})
        mask = next(iter(masks)) if len(masks) == 1 else None
        if number in loads and mask is not None:
            access = loads[number][0]
            if spec.accesses[access][0] not in spec.written:
                found[access] = _access_of(spec, mask)
        if isinstance(entry, DType):
            continue
        is_plain = type(entry[0]) is Operation
        mask_at, chosen = (is_plain and entry[0].chosen) or (0, ())
        for place, operand in enumerate(entry[1:]):
            if isinstance(operand, int):
                by = entry[1 + mask_at] if place in chosen else mask if is_plain else None
                masks_of.setdefault(operand, set()).add(by)
    others = [kinds for access, kinds in enumerate(spec.classes) if access not in found]
    shared = {kind for kinds in others for kind in kinds if isinstance(kind, int)}
    return {access: mask for access, mask in found.items() if access not in shared}


def _access_of(spec: KernelSpec, number: int) -> int:
    """Return the access of an entry that has one."""
    before = spec.entries[:number]
    return sum(isinstance(entry, DType) or entry[0] in PLACES for entry in before)


def within(masks: Mapping[int, int], last: str, loads: Iterable[Load]) -> list[Load]:
    """Return loads with the first element as their place where the mask of an access says no."""
    found = []
    for access, place, dtype in loads:
        pointer, _, index = place.removesuffix("]").partition("[")
        chosen = f"{pointer}[at{masks.get(access)}_{last} == 0 ? {index} : 0]"
        found.append((access, chosen if access in masks else place, dtype))
    return found
