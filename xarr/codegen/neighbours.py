"""Neighbours that an item of a GPU takes together, where a kernel's elements have one byte.

An access of one byte costs as many instructions as one of four. Neighbours share the arithmetic of
places and the loads of operands that begin near each other, and what is aligned is one word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from xarr import tuning
from xarr.codegen.source import define
from xarr.dtypes import DType

WORDS: Final = {2: "u16", 4: "u32", 8: "u64"}
"""The types that hold so many bytes."""


class Neighbours(NamedTuple):
    """How an item takes neighbours.

    width : int -- How many it takes.
    steps : tuple of bool -- Whether each access goes on along the last axis, or stays.
    near : mapping of int to (int, int)
        Of loads that begin less than `width` from an earlier one, this one and the distance.
    """

    width: int = 1
    steps: Sequence[bool] = ()
    near: Mapping[int, tuple[int, int]] = {}

    def place(self, slot: int, access: int, last: str) -> str:
        """Return the place in C of an access's element, of neighbour `w` where there are some."""
        head, distance = self.near.get(access, (access, 0))
        step = " + w" if self.width > 1 and self.steps[access] else ""
        further = f" + {distance}" if distance else ""
        return f"p{slot}[at{head}_{last}{step}{further}]"

    def defines(
        self,
        items: int,
        slots: Sequence[int],
        last: str,
        loads: Sequence[tuple[int, str, DType]],
        first: int,
        stores: Sequence[tuple[str, str, DType]],
    ) -> list[str]:
        """Emit the `#define`s that load, keep and store the values of so many `items`.

        `slots` are the pointers of accesses. `loads` have the access, the place and the type,
        `stores`, which are the accesses from the `first` on, the place, the value and the type.
        """
        aligned = f"ALIGNED({self.width}) " if self.width > 1 else ""
        kept = [(f"l{access}", dtype) for access, _, dtype in loads]
        kept += [(f"s{number}", dtype) for number, (*_, dtype) in enumerate(stores)]
        arrays = [f"{aligned}{dtype.storage} {name}[XR_ITEMS] = {{0}};" for name, dtype in kept]
        values = [value for _, value, _ in stores]
        lines = [
            f"#define XR_ITEMS {items}",
            define("XR_KEPT", arrays),
            define("XR_LOAD", [f"l{access}[n] = {place};" for access, place, _ in loads]),
            define("XR_KEEP", [f"s{number}[n] = {value};" for number, value in enumerate(values)]),
            define("XR_STORE", [f"{place} = s{n}[n];" for n, (place, *_) in enumerate(stores)]),
        ]
        if self.width == 1:
            return lines
        memory = [f"p{slot} + at{access}_{last}" for access, slot in enumerate(slots)]
        word = "*(GLOBAL const xr_word *)"
        reads = [
            f"*(xr_word *)(l{access} + begin) = {word}({memory[access]});"
            if self.steps[access]
            else f"XR_EACH_NEIGHBOUR l{access}[begin + w] = {place};"
            for access, place, _ in loads
        ]
        writes = [
            f"*(GLOBAL xr_word *)({place}) = *(xr_word *)(s{number} + begin);"
            for number, place in enumerate(memory[first:])
        ]
        read = [memory[access] for access, *_ in loads if self.steps[access]]
        return [
            *lines,
            f"#define XR_WIDTH {self.width}",
            f"#define xr_word {WORDS[self.width]}",
            f"#define XR_LOADS_ALIGNED {0 if self.near else self._aligned(read)}",
            define("XR_LOAD_WORDS", reads),
            f"#define XR_STORES_ALIGNED {self._aligned(memory[first:])}",
            define("XR_STORE_WORDS", writes),
        ]

    def _aligned(self, places: Sequence[str]) -> str:
        """Return the C expression of whether words begin at all places."""
        bits = " | ".join(f"(u64)({place})" for place in places) or "0"
        return f"(({bits}) % {self.width} == 0)"


def neighbours_of(
    accesses: Sequence[tuple[int, DType, Any]],
    classes: Sequence[tuple[str | int, ...]],
    walks: Sequence[Any],
    offsets: Sequence[tuple[int, int]],
    first: int,
    names: int,
) -> Neighbours:
    """Return how an item takes neighbours; stores are the accesses from the `first` on.

    `walks` are equal for accesses that walk alike, and `offsets` has the storage and the offset of
    each; the last of `names` is the axis of neighbours.
    """
    kinds = [_last_kind(classes, number) for number in range(len(classes))]
    is_narrow = all(dtype.numpy.itemsize == 1 for slot, dtype, _ in accesses if slot >= 0)
    width = tuning.NEIGHBOURS[names - 1]
    if not is_narrow or "s" in kinds or "0" in kinds[first:] or width == 1:
        return Neighbours()
    near: dict[int, tuple[int, int]] = {}
    heads: list[int] = []
    for number, (slot, offset) in enumerate(offsets[:first]):
        for head in heads if slot >= 0 else ():
            distance = offset - offsets[head][1]
            is_alike = offsets[head][0] == slot and walks[head] == walks[number]
            if is_alike and abs(distance) < width:
                near[number] = head, distance
                break
        else:
            heads.append(number)
    return Neighbours(width, tuple([kind == "1" for kind in kinds]), near)


def _last_kind(classes: Sequence[tuple[str | int, ...]], access: int) -> str:
    """Return "0", "1" or "s" for an access's stride along the last axis."""
    kind = classes[access][-1]
    return str(classes[kind][-1] if isinstance(kind, int) else kind)[0]
