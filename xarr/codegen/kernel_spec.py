"""KernelSpec: the values that a kernel computes, the addresses it loads, and what it stores.

A spec has the accesses to memory (one for each value that is loaded or stored) and the iteration
space, with axes merged where every access walks them with one stride. Its `key` holds the structure
alone, so that a kernel serves all shapes; extents, strides, offsets and constants become arguments.
The C text is written only when the key is new.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from xarr import dtypes, layout
from xarr.codegen import bounds
from xarr.codegen.expressions import (
    INDEX,
    INSIDE,
    PLACES,
    GatherScatter,
    RandomDraw,
    cast,
    computed,
    loaded,
    stored,
)
from xarr.codegen.neighbours import Neighbours, neighbours_of
from xarr.codegen.source import define
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.layout import Layout, Shape

STRIP: Final = 256
"""How many neighbouring elements have one lane; a group's items on a GPU."""

Cut = Shape
"""Along an axis: (wrap point,) of an operand that wraps around; (low, high) of a bounds mask, of
which low is within bounds; else ()."""
Access = tuple[int, DType, Shape, Shape, tuple[Cut, ...]]
"""The number of a storage, -1 for the position, the type of its elements, the layout's shape and
strides, and the cuts of each axis, () where there are none."""


class KernelSpec:
    """A kernel without its storages, the offsets in them and the values of its constants.

    Parameters
    ----------
    shape : tuple of int
        The space that the kernel iterates over.
    split : tuple of int or None
        Where the axes are cut into the groups named `names`; None means an elementwise kernel,
        which is free to merge all axes and then walks either `i`, or `row` and `column`.
    wide : bool
        Whether indices have 64 bits.
    entries : tuple
        The values, in the order of computation: a DType for one that is loaded, (DType, number) for
        a constant, and an Operation with its operands, each a number of an entry or a constant.
    accesses : tuple of Access
        Of the loaded values and of the position, in the order of `entries`, then of the stores.
    stored : tuple of int
        The entries that are stored.
    template_inputs : tuple of int
        The entries that a template computes on as its elements.
    offsets : sequence of (int, int)
        Each access's storage and offset, for a device whose items walk side by side.

    Attributes
    ----------
    lanes : int
        How many elements a block of random numbers serves in a kernel that walks `i`, at most; such
        a kernel computes each block once.
    neighbours : Neighbours
        How an item takes several of them, where it does.
    """

    def __init__(
        self,
        shape: Shape,
        split: tuple[int, ...] | None,
        names: tuple[str, ...],
        wide: bool,
        entries: tuple[Any, ...],
        accesses: tuple[Access, ...],
        stored: tuple[int, ...],
        template_inputs: tuple[int, ...] = (),
        offsets: Sequence[tuple[int, int]] = (),
    ) -> None:
        size = math.prod(shape)
        self.template_inputs = template_inputs
        self.wide = wide
        self.entries = entries
        self.stored = stored
        everything = layout.contiguous(shape)
        self.accesses = [
            (slot, dtype, Layout(extents, strides) if slot >= 0 or cuts else everything)
            for slot, dtype, extents, strides, cuts in accesses
        ]
        every = [cuts for *_, cuts in accesses]
        self.slots = len({slot for slot, *_ in accesses if slot >= 0})
        first = len(accesses) - len(stored)
        self.written = {slot for slot, *_ in accesses[first:]}
        constants: dict[int, DType] = {}
        loads: dict[int, int] = {}
        for number, entry in enumerate(entries):
            if isinstance(entry, DType) or entry[0] in PLACES:
                loads[number] = len(loads)
            elif isinstance(entry[0], Operation):
                constants.update({at[1]: at[0] for at in entry[1:] if isinstance(at, tuple)})
                if type(entry[0]) is GatherScatter and entry[0].writes:
                    self.written.add(accesses[loads[entry[1]]][0])
            else:
                constants[entry[1]] = entry[0]
        self.constants = [constants[number] for number in range(len(constants))]
        self.cuts: list[list[list[Cut]]] = [[[()]] for _ in accesses]
        if split is None and all(
            not every[number] and where.linear and (where.size in (1, size) or number >= first)
            for number, (_, _, where) in enumerate(self.accesses)
        ):
            self.names: tuple[str, ...] = ("i",)
            self.extents = [[size]]
            self.strides = [
                [[0 if where.size == 1 and size != 1 else 1]] for _, _, where in self.accesses
            ]
        else:
            self._collapse(shape, split, names, every)
        operations = [entry[0] for entry in entries if not isinstance(entry, DType)]
        drawn = [found.lanes for found in operations if type(found) is RandomDraw]
        self.lanes = max(drawn, default=1) if self.names == ("i",) else 1
        self._classify()
        self.neighbours = Neighbours()
        if offsets and split is None and self.lanes == 1:
            walks = list(zip(self.strides, self.cuts, strict=True))
            self.neighbours = neighbours_of(
                self.accesses, self.classes, walks, offsets, first, len(self.names)
            )
        accesses_with_kinds = zip(self.accesses, self.classes, strict=True)
        self.key = (
            self.wide,
            self.names,
            entries,
            tuple((slot, dtype, kinds) for (slot, dtype, _), kinds in accesses_with_kinds),
            tuple(len(group) for group in self.extents),
            stored,
            template_inputs,
            tuple(self.neighbours.near.items()),
        )

    def is_column_major(self) -> bool:
        """Return whether an access has closer neighbours along rows' axis than along columns."""
        if len(self.extents) == 1:
            return False
        return any(0 < abs(rows[-1]) < abs(columns[-1]) for rows, columns in self.strides)

    def is_of_pairs(self) -> bool:
        """Return whether each access walks the first or the second of the named groups, not both.

        A computation of all pairs of items does so.
        """
        walks = [[any(group) for group in groups[:2]] for groups in self.strides]
        return bool(walks) and all(len(walk) == 2 and not all(walk) for walk in walks)

    def has_row_invariants(self) -> bool:
        """Return whether a computed value is the same for all indices of the last name."""
        return any(
            is_same and not isinstance(entry, DType) and isinstance(entry[0], Operation)
            for is_same, entry in zip(self._row_invariants(), self.entries, strict=True)
        )

    def _row_invariants(self) -> list[bool]:
        """Return for each entry whether it is the same for all indices of the last name."""
        axes = len(self.extents[-1])
        common = list[bool]()
        access = 0
        for entry in self.entries:
            if isinstance(entry, DType):
                common.append(all(kind == "0" for kind in self.classes[access][-axes:]))
                access += 1
            elif entry[0] in PLACES:
                common.append(False)
                access += 1
            elif isinstance(entry[0], Operation):
                is_plain = type(entry[0]) is Operation
                operands = [at for at in entry[1:] if isinstance(at, int)]
                common.append(is_plain and all(common[at] for at in operands))
            else:
                common.append(True)
        return common

    def indirect(self) -> dict[int, bool]:
        """Map each access at computed places to whether it is written.

        Any other access is to each element of its layout.
        """
        accesses: dict[int, int] = {}
        found: dict[int, bool] = {}
        for number, entry in enumerate(self.entries):
            if isinstance(entry, DType) or entry[0] in PLACES:
                accesses[number] = len(accesses)
            elif isinstance(entry[0], GatherScatter):
                found[accesses[entry[1]]] = entry[0].writes
        return found

    def _collapse(
        self,
        shape: Shape,
        split: Sequence[int] | None,
        names: tuple[str, ...],
        every: Sequence[tuple[Cut, ...]],
    ) -> None:
        """Cut the axes into named groups and merge those that all accesses walk with one stride."""
        ends = (0, *(split or ()), len(shape))
        pieces = list(itertools.pairwise(ends))
        strides, cuts = [], []
        for (_, _, where), given in zip(self.accesses, every, strict=True):
            walk = layout.broadcast_strides(where.shape, where.strides, shape)
            own = given or ((),) * len(shape)
            strides.append([walk[start:end] for start, end in pieces])
            cuts.append([own[start:end] for start, end in pieces])
        groups = [shape[start:end] for start, end in pieces]
        self.extents, self.strides, self.cuts = layout.collapse_around(groups, strides, cuts)
        self.names = names
        if split is None:
            axes = self.extents[0]
            if len(axes) > 1:
                self.names = ("row", "column")
                self.extents = [axes[:-1], axes[-1:]]
                self.strides = [[walk[0][:-1], walk[0][-1:]] for walk in self.strides]
                self.cuts = [[cut[0][:-1], cut[0][-1:]] for cut in self.cuts]
            elif not axes:
                self.extents = [[math.prod(shape)]]
                self.strides = [[[0]] for _ in self.strides]
                self.cuts = [[[()]] for _ in self.strides]

    def _classify(self) -> None:
        """Classify strides as zero, one (along the last axis only) or an argument.

        Where an operand wraps around along an axis, "r" follows, and the arguments are the wrap
        point, and what is added to the item's place before that and after it. Where it has bounds,
        "b" does, with two of the former; items beyond them read other elements. Of `INSIDE`, whose
        "elements" are 0 within all bounds, "i" does, and the arguments are the bounds alone.

        In a kernel with cuts, whose places cost several operations, later accesses alike along the
        axis have the first one's number in place of all that: life takes an H200 1.3 ms, not 1.9.
        """
        numbers: list[int] = []
        for group in self.extents:
            numbers.append(math.prod(group))
            numbers.extend(group[1:])
        extents = [extent for group in self.extents for extent in group]
        last = len(extents) - 1
        has_cuts = any(cut for turns in self.cuts for group in turns for cut in group)
        alike: dict[Any, int] = {}
        classes = []
        for number, ((slot, *_), walk, turns) in enumerate(
            zip(self.accesses, self.strides, self.cuts, strict=True)
        ):
            kinds = list[str | int]()
            steps = [step for group in walk for step in group]
            cuts = [cut for group in turns for cut in group]
            for axis, (step, cut) in enumerate(zip(steps, cuts, strict=True)):
                kind = "0" if step == 0 else "1" if step == 1 and axis == last else "s"
                if has_cuts and (cut or kind == "s"):
                    first = alike.setdefault((axis, step, cut, slot < 0), number)
                    if first != number:
                        kinds.append(first)
                        continue
                if kind == "s":
                    numbers.append(step)
                if len(cut) == 1:
                    kind += "r"
                    numbers += [*cut, (extents[axis] - cut[0]) * step, -cut[0] * step]
                elif len(cut) == 2:
                    low, high = cut
                    kind += "b" if slot >= 0 else "i"
                    numbers += cut if slot < 0 else [*cut, low * step, (low - high) * step]
                kinds.append(kind)
            classes.append(tuple(kinds))
        self.numbers = numbers
        self.classes = classes

    # -- the text, written once per key ---------------------------------------------------------

    def fields(self) -> list[str]:
        """Return the names of `numbers`, and of the offsets that follow them, in order."""
        names = []
        for name, group in zip(self.names, self.extents, strict=True):
            names.append(f"{name}_extent")
            names.extend(f"{name}_extent{axis}" for axis in range(1, len(group)))
        for number, kinds in enumerate(self.classes):
            for axis, kind in enumerate(kinds):
                if isinstance(kind, int):
                    continue
                if kind[0] == "s":
                    names.append(f"stride{number}_{axis}")
                names += [f"{name}{number}_{axis}" for name in _CUTS[kind[1:]]]
        return [*names, *(f"offset{number}" for number in range(len(self.classes)))]

    def specialisation(
        self,
        indices: Sequence[str] = (),
        numbers: Sequence[tuple[str, DType]] = (),
        *,
        items: int = 1,
        pieces: bool = False,
    ) -> tuple[list[str], str]:
        """Return the defines that specialise a skeleton, and the format of its arguments.

        `indices` names the skeleton's own indices, which come first among the arguments; `numbers`
        are those that come last. Where `items` is above 1, elements are loaded, computed and stored
        so many at a time: the values of element `n` of these are `l0[n]`, ... and `s0[n]`, ...
        Where the last axis is walked in `pieces`, operands wrap around only between two of them.
        """
        constants = [(f"k{number}", dtype) for number, dtype in enumerate(self.constants)]
        lines, block = argument_struct(
            (*indices, *self.fields()), (*constants, *numbers), wide=self.wide
        )
        pointers = []
        types = {slot: dtype for slot, dtype, _ in self.accesses if slot >= 0}
        for slot in range(self.slots):
            const = "" if slot in self.written else "const "
            pointers.append(f"parameter(GLOBAL {const}{types[slot].storage} *RESTRICT, p{slot})")
        lines.append(define("XR_POINTERS(parameter)", pointers))
        return [*lines, *self.access_defines(items, pieces=pieces)], block

    def access_defines(
        self, items: int = 1, reads: Mapping[int, str] = {}, *, pieces: bool = False
    ) -> list[str]:
        """Emit the `#define`s XR_AT_*, XR_LOAD, XR_COMPUTE and XR_STORE; see `specialisation`.

        `reads` has accesses that are loaded by an expression, whose `{}` is the place.
        """
        lines, axis, previous, last = list[str](), 0, "", self.names[-1]
        loads, stores = self._loads(last, reads), self._stores(last)
        bounded = bounds.bounded(self, loads) if items > 1 and self.neighbours.width == 1 else {}
        stop = self._first_wrap() if pieces else ""
        if stop:
            lines.append(f"#define XR_STOP(begin, end) {stop}")
        for name, group in zip(self.names, self.extents, strict=True):
            side = f"{name}_from" if stop and name == last else ""
            statements, axis = self._advance(name, len(group), axis, previous, side, bounded)
            lines.append(define(f"XR_AT_{name.upper()}", statements))
            previous = name
        if items == 1:
            values = {number: loaded(place, dtype) for number, (_, place, dtype) in loads.items()}
            lines.append(define("XR_COMPUTE", [*self._compute(last, values).values()]))
            lines.append(define("XR_STORE", [f"{place} = {value};" for place, value, _ in stores]))
            return lines
        values = {number: loaded(f"l{at}[n]", dtype) for number, (at, _, dtype) in loads.items()}
        lines.append(define("XR_COMPUTE", [*self._compute(last, values).values()]))
        first = len(self.accesses) - len(stores)
        chosen = bounds.within(bounded, last, loads.values())
        slots = [slot for slot, *_ in self.accesses]
        return lines + self.neighbours.defines(items, slots, last, chosen, first, stores)

    def _first_wrap(self) -> str:
        """Return C for the first wrap point along the last axis after `begin`; "" without any."""
        stop = "end"
        last = len(self.classes[0]) - 1
        for number, kinds in enumerate(self.classes):
            kind = kinds[last] if last >= 0 else 0
            for name in () if isinstance(kind, int) else _CUTS[kind[1:]]:
                if name not in ("before", "after"):
                    stop = f"xr_cut(begin, a.{name}{number}_{last}, {stop})"
        return "" if stop == "end" else stop

    def value(self, dtype: DType, number: int = 0) -> str:
        """Return the C expression of a template input's value as `dtype`."""
        root = self.template_inputs[number]
        return cast(f"v{root}", self.type_of(root), dtype)

    def _advance(
        self, name: str, ndim: int, axis: int, previous: str, side: str, bounded: Mapping[int, int]
    ) -> tuple[list[str], int]:
        """Split one group's index into coordinates and advance every address by them.

        Operands wrap around by the index named `side` where that is not "". The places of accesses
        that are `bounded` hold within their bounds alone.
        """
        statements = []
        rest = name
        for number in range(ndim - 1, 0, -1):
            extent = f"a.{name}_extent{number}"
            statements.append(f"const xr_index {name}_{number} = {rest} % {extent};")
            statements.append(f"const xr_index {name}_rest{number} = {rest} / {extent};")
            rest = f"{name}_rest{number}"
        if ndim:
            statements.append(f"const xr_index {name}_0 = {rest};")
        shared = {(kinds[at], at) for kinds in self.classes for at in range(axis, axis + ndim)}
        for number, kinds in enumerate(self.classes):
            terms = [f"at{number}_{previous}" if previous else f"a.offset{number}"]
            for at in range(axis, axis + ndim):
                kind, index = kinds[at], f"{name}_{at - axis}"
                if isinstance(kind, int):
                    terms.append(f"way{kind}_{at}")
                    continue
                if number in bounded:
                    kind = kind.removesuffix("b")
                way = self._axis_terms(kind, f"{number}_{at}", index, side or index)
                if (number, at) in shared:
                    statements.append(f"const xr_index way{number}_{at} = {' + '.join(way) or 0};")
                    way = [f"way{number}_{at}"]
                terms += way
            statements.append(f"const xr_index at{number}_{name} = {' + '.join(terms)};")
        return statements, axis + ndim

    def _axis_terms(self, kind: str, suffix: str, index: str, side: str) -> list[str]:
        """Return the terms that an index adds to an address; operands wrap around by the `side`."""
        terms = []
        if kind[0] == "1":
            terms.append(index)
        elif kind[0] == "s":
            terms.append(f"{index} * a.stride{suffix}")
        if kind[1:] == "r":
            terms.append(f"({side} < a.cut{suffix} ? a.before{suffix} : a.after{suffix})")
        elif kind[1:] == "i":
            terms += [f"({side} < a.low{suffix})", f"({side} >= a.high{suffix})"]
        elif kind[1:]:
            # Without a branch, which keeps gcc from making vectors.
            terms.append(f"({side} < a.low{suffix}) * a.before{suffix}")
            terms.append(f"({side} >= a.high{suffix}) * a.after{suffix}")
        return terms

    def _loads(self, last: str, reads: Mapping[int, str]) -> dict[int, tuple[int, str, DType]]:
        """Map each loaded entry to its access, its place in C and its type."""
        needed = self._needed_entries()
        found = {}
        access = 0
        for number, entry in enumerate(self.entries):
            if isinstance(entry, DType):
                if number in needed:
                    place = self.neighbours.place(self.accesses[access][0], access, last)
                    found[number] = access, reads.get(access, "{}").format(place), entry
                access += 1
            elif entry[0] in PLACES:
                access += 1
        return found

    def by_columns(self) -> list[str]:
        """Emit XR_COMMON, computed once for all columns of a row, and XR_OWN, for each column."""
        *_, row, column = self.names
        common = self._row_invariants()
        loads = self._loads(column, {})
        values = {
            number: loaded(place.replace(f"_{column}]", f"_{row}]"), dtype)
            if common[number]
            else loaded(place, dtype)
            for number, (_, place, dtype) in loads.items()
        }
        statements = self._compute(column, values)
        once = [text for number, text in statements.items() if common[number]]
        own = [text for number, text in statements.items() if not common[number]]
        return [define("XR_COMMON", once), define("XR_OWN", own)]

    def _compute(self, last: str, values: dict[int, str]) -> dict[int, str]:
        """Map entries to their C statements; `values` has the expressions of loaded entries."""
        statements = dict[int, str]()
        access = 0
        places: dict[int, str] = {}
        for number, entry in enumerate(self.entries):
            if isinstance(entry, DType):
                places[number] = f"p{self.accesses[access][0]}[at{access}_{last}"
                if number in values:
                    statements[number] = f"const {entry.compute} v{number} = {values[number]};"
                access += 1
            elif isinstance(entry[0], Operation):
                operation = entry[0]
                if operation is INDEX:
                    at = f"at{access}_{last}"
                    index = f"(i64){at}" if self.wide else cast(at, dtypes.int32, dtypes.int64)
                    statements[number] = f"const i64 v{number} = {index};"
                    access += 1
                    continue
                if operation is INSIDE:
                    statements[number] = f"const b8 v{number} = at{access}_{last} == 0;"
                    access += 1
                    continue
                if type(operation) is GatherScatter:
                    statements[number] = self._indirect_statement(number, operation, entry, places)
                    continue
                operands = [
                    cast(self._name(operand), self.type_of(operand), wanted)
                    for operand, wanted in zip(entry[1:], operation.operands, strict=True)
                ]
                if type(operation) is RandomDraw:
                    operands[0] = self._random_block(operation.lanes, operands[0])
                statements[number] = computed(f"v{number}", operation, operands)
            else:
                statements[number] = f"const {entry[0].compute} v{number} = a.k{entry[1]};"
        return statements

    def _random_block(self, lanes: int, position: str) -> str:
        """Return C for the block of random numbers and the lane of an element, as two arguments."""
        if self.lanes > 1:
            first = f"tile * (XR_ITEMS / {lanes}) + lane / {lanes}"
            return f"(u64)({first}) * {STRIP} + (u64)place, (u32)(lane % {lanes})"
        strip = f"((u64){position} / {STRIP})"
        block = f"{strip} / {lanes} * {STRIP} + (u64){position} % {STRIP}"
        return f"{block}, (u32)({strip} % {lanes})"

    def _needed_entries(self) -> set[int]:
        """Return the entries whose value is needed; others only say where a gather begins."""
        needed = {*self.stored, *self.template_inputs}
        for entry in self.entries:
            if not isinstance(entry, DType) and isinstance(entry[0], Operation):
                needed.update(
                    operand
                    for operand in entry[2 if type(entry[0]) is GatherScatter else 1 :]
                    if isinstance(operand, int)
                )
        return needed

    def _indirect_statement(
        self, number: int, operation: GatherScatter, entry: Any, places: dict[int, str]
    ) -> str:
        """Return the statement of an operation on memory at a computed place."""
        operands = [self._name(operand) for operand in entry[1:]]
        memory = f"{places[entry[1]]} + (xr_index)({operands[1]})]"
        if operation.writes:
            return operation.template.format(*operands, memory=memory)
        value = loaded(operation.template.format(*operands, memory=memory), operation.result)
        return f"const {operation.result.compute} v{number} = {value};"

    def _name(self, operand: Any) -> str:
        return f"v{operand}" if isinstance(operand, int) else f"a.k{operand[1]}"

    def type_of(self, operand: int | tuple[DType, int]) -> DType:
        """Return the data type of an entry, or of a constant, as the kernel has it."""
        entry = self.entries[operand] if isinstance(operand, int) else operand
        if isinstance(entry, DType):
            return entry
        head: DType | Operation = entry[0]
        return head.result if isinstance(head, Operation) else head

    def _stores(self, last: str) -> list[tuple[str, str, DType]]:
        """Return the place, the value and the type of each store, in the order of `stored`."""
        found = []
        first = len(self.accesses) - len(self.stored)
        for number, position in enumerate(self.stored, first):
            slot, dtype, _ = self.accesses[number]
            value = cast(f"v{position}", self.type_of(position), dtype)
            found.append((self.neighbours.place(slot, number, last), stored(value, dtype), dtype))
        return found


_CUTS: Final = {
    "": (),
    "r": ("cut", "before", "after"),
    "b": ("low", "high", "before", "after"),
    "i": ("low", "high"),
}
"""The arguments of an access that wraps around (r), has bounds (b), or is the mask of these (i):
what indices are compared with, and what is added to a place."""


def argument_struct(
    indices: Sequence[str], numbers: Sequence[tuple[str, DType]], *, wide: bool
) -> tuple[list[str], str]:
    """Return the defines of a kernel's argument struct, and its format for `struct`.

    The struct ends with an `i64` that nobody reads and so has no padding at its end, about which
    drivers disagree: Intel wants it counted, rusticl refuses it, PoCL takes either.
    """
    fields = [f"xr_index {name};" for name in indices]
    fields += [f"{dtype.compute} {name};" for name, dtype in numbers]
    defines = [
        f"#define xr_index {'i64' if wide else 'i32'}",
        define("XR_FIELDS", [*fields, "i64 end;"]),
    ]
    letters = "".join(dtype.format for _, dtype in numbers)
    return defines, f"@{len(indices)}{'q' if wide else 'i'}{letters}0q8x"
