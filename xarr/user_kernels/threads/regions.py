"""Split a kernel at its barriers into loops over a group's items, for devices without threads.

The statements between two barriers, a region, become a loop over the items. What is the same for
all items (loops around barriers, and variables whose values do not differ) is computed once,
outside regions. A variable of an item that more than one region needs becomes an array. The module
knows the text that `Function` makes, not how it is made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_MOST_ITEMS: Final = 1024
"""The items of a group at most, for which a variable of an item has room."""
_MOST_NBYTES: Final = 1 << 20
"""What variables of all items may take on a thread's stack."""
_BARRIER: Final = "BARRIER_OF_ALL();"
_PAIR: Final = re.compile(r"(const i64) (t\d+) = (.*), (t\d+) = ([^,]*);")
_ASSIGNED: Final = re.compile(r"(?:(?:const )?(\w+) )?([vt]_?\w*) = (.*);")
_DECLARED: Final = re.compile(r"(?:const )?(\w+) (\w+)(?:\[(\d+)\])?(?: = 0)?;")
_LEAVES: Final = re.compile(r"(?:if \((.*)\) )?(break|continue|return);")
_VARIES: Final = re.compile(r"\b(?:GLOBAL_ID|LOCAL_ID|[lm]_\d+|atomic_\w+|d_\w+)\b")
_MEMORY: Final = re.compile(r"\b(?:[plm]_\w+|atomic_\w+|d_\w+)\b")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


class _KeptError(Exception):
    """The kernel is none that can be split."""


@dataclass(eq=False, slots=True)
class _Block:
    """Statements with their heads, `if (...) {` and `} else {`, and what ends them."""

    parts: list[tuple[str, list[str | _Block]]]
    tail: str = "}"


_Node = str | _Block


@dataclass(slots=True)
class _Region:
    """Statements that each item computes.

    is_repeated : bool -- Whether a loop around it repeats it.
    """

    lines: list[str]
    is_repeated: bool


@dataclass(slots=True)
class _Splitter:
    """What is known of a kernel that is split.

    declared : dict -- The types of the function's variables and arrays, and the sizes of these.
    written : frozenset of str -- The pointers through which the kernel writes.
    varying : set of str -- The variables that each item has for itself.
    again : dict -- The types and the values of those that each region computes again.
    """

    declared: dict[str, tuple[str, int]]
    written: frozenset[str]
    varying: set[str] = field(default_factory=set)
    again: dict[str, tuple[str, str]] = field(default_factory=dict)
    out: list[str | _Region] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    loops: int = 0
    has_left: bool = False

    # -- what differs among items ---------------------------------------------------------------

    def varies(self, text: str) -> bool:
        """Return whether an expression may differ among the items of a group."""
        return (
            bool(_VARIES.search(text))
            or not self.varying.isdisjoint(_WORD.findall(text))
            or (not self.written.isdisjoint(_WORD.findall(text)))
        )

    def mark(self, nodes: Iterable[_Node], *, of_items: bool) -> None:
        """Note the variables that differ among items."""
        for node in nodes:
            if isinstance(node, str):
                found = _ASSIGNED.fullmatch(node)
                if found and (of_items or self.varies(found[3])):
                    self.varying.add(found[2])
                continue
            inside = of_items or not (_is_split(node) or self.is_scalar(node))
            for head, body in node.parts:
                if inside:
                    self.varying.update(_counted(head))
                self.mark(body, of_items=inside)

    def is_scalar(self, block: _Block) -> bool:
        """Return whether a block only computes what is the same for all items."""
        for head, body in block.parts:
            if self.varies(head) or not _counted(head).isdisjoint(self.varying):
                return False
            for node in body:
                if isinstance(node, _Block):
                    if not self.is_scalar(node):
                        return False
                    continue
                found = _ASSIGNED.fullmatch(node)
                if found is None or found[2] in self.varying or self.varies(found[3]):
                    return False
        return not self.varies(block.tail)

    def compute_again(self, nodes: Sequence[_Node]) -> None:
        """Find the variables of an item that are cheaper to compute again than to keep.

        They have one value, which depends on the item's place and on what has one value itself.
        """
        times = Counter[str]()
        for line in _lines(nodes):
            made = _ASSIGNED.fullmatch(line)
            times.update([made[2]] if made else _counted(line))
            times.update(_counted(line))
        for node in nodes:
            made = _ASSIGNED.fullmatch(node) if isinstance(node, str) else None
            if made is None or times[made[2]] != 1 or made[2] not in self.varying:
                continue
            words = set(_WORD.findall(made[3]))
            own = {word for word in words if re.match(r"[vt]_?\w", word) and word in times}
            is_known = all(word in self.again or word not in self.varying for word in own)
            if is_known and all(times[word] == 1 for word in own) and not _MEMORY.search(made[3]):
                kind = made[1] or self.declared[made[2]][0]
                self.again[made[2]] = kind, made[3]

    # -- splitting ------------------------------------------------------------------------------

    def split(self, nodes: Sequence[_Node]) -> None:
        """Write statements to which all items of a group come."""
        for node in nodes:
            if isinstance(node, str):
                self._line(node)
            elif _is_split(node) and not any(self.varies(text) for text in _heads(node)):
                self._flush()
                is_loop = _is_loop(node)
                self.loops += is_loop
                for head, body in node.parts:
                    self.out.append(head)
                    self.split(body)
                    self._flush()
                self.out.append(node.tail)
                self.loops -= is_loop
            elif self.is_scalar(node):
                self._once(list(_lines([node])), _assigned([node]))
            else:
                lines = list(_lines([node]))
                if _BARRIER in lines:
                    raise _KeptError
                self._of_items(lines)

    def _line(self, line: str) -> None:
        leaves = _LEAVES.fullmatch(line)
        found = _ASSIGNED.fullmatch(line)
        if line == _BARRIER:
            self._flush()
        elif leaves is not None:
            if leaves[1] and self.varies(leaves[1]):
                self._of_items([line])
                return
            self._flush()
            self.out.append(line)
        elif found is not None and found[2] not in self.varying:
            self._once([line], {found[2]})
        else:
            self._of_items([line])

    def _once(self, lines: Sequence[str], assigned: set[str]) -> None:
        """Write what is computed once, before the region unless that needs the values before."""
        if not assigned.isdisjoint(_WORD.findall("\n".join(self.pending))):
            self._flush()
        self.out.extend(lines)

    def _of_items(self, lines: Sequence[str]) -> None:
        if any(line == "return;" or line.endswith(") return;") for line in lines):
            if self.loops:
                raise _KeptError
            self.has_left = True
        self.pending += lines

    def _flush(self) -> None:
        if self.has_left:  # an item that has returned would come back
            raise _KeptError
        self.finish()

    def finish(self) -> None:
        """End a region."""
        if self.pending:
            self.out.append(_Region(self.pending, self.loops > 0))
            self.pending = []

    # -- variables ------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the function's statements."""
        regions = [one for one in self.out if isinstance(one, _Region)]
        for region in regions:
            self._compute_again_in(region)
        types, users = self._users(regions)
        arrays = {name for name, where in users.items() if self._needs_array(name, where)}
        lines, unset, nbytes = list[str](), list[str](), 0
        for name, (kind, count) in types.items():
            if name in arrays:
                lines.append(f"{kind} {name}_xr[{_MOST_ITEMS}]{f'[{count}]' if count else ''};")
                nbytes += 8 * _MOST_ITEMS * max(count, 1)
                if not count and name in self.declared and not _begins(name, users[name][0]):
                    unset.append(f"{name}_xr[xr_item] = 0;")
            elif name in self.declared and name not in users and name not in self.again:
                lines.append(_declaration(name, kind, count))
        if nbytes > _MOST_NBYTES:
            raise _KeptError
        lines += _loop(unset) if unset else []
        for one in self.out:
            if isinstance(one, str):
                lines.append(one)
                continue
            own = [
                _declaration(name, *types[name])
                for name, where in users.items()
                if where[0] is one and name not in arrays and name in self.declared
            ]
            is_free = is_independent(one.lines, self.written)
            texts = [*own, *(_with_arrays(line, arrays) for line in one.lines)]
            lines += _loop(texts, is_free=is_free)
        return "\n".join(f"    {line}" for line in lines)

    def _compute_again_in(self, region: _Region) -> None:
        """Let a region compute the variables that none keeps."""
        region.lines = [
            line
            for line in region.lines
            if not ((made := _ASSIGNED.fullmatch(line)) and made[2] in self.again)
        ]
        words = set(_WORD.findall("\n".join(region.lines)))
        begin = list[str]()
        for name, (kind, value) in reversed(self.again.items()):
            if name in words:
                begin.insert(0, f"const {kind} {name} = {value};")
                words.update(_WORD.findall(value))
        region.lines = begin + region.lines

    def _users(
        self, regions: Sequence[_Region]
    ) -> tuple[dict[str, tuple[str, int]], dict[str, list[_Region]]]:
        """Return the types of all variables, and the regions that name those of items."""
        types, users = dict(self.declared), dict[str, list[_Region]]()
        for region in regions:
            for line in region.lines:
                made = _ASSIGNED.fullmatch(line) or _DECLARED.fullmatch(line)
                if made and made[1]:
                    types.setdefault(made[2], (made[1], 0))
        for region in regions:
            for name in dict.fromkeys(_WORD.findall("\n".join(region.lines))):
                is_own = name in self.varying or name.startswith("m_")
                if name in types and is_own and name not in self.again:
                    users.setdefault(name, []).append(region)
        return types, users

    def _needs_array(self, name: str, where: Sequence[_Region]) -> bool:
        """Return whether a variable of an item outlives a region."""
        is_kept = where[0].is_repeated and name in self.declared
        return len(where) > 1 or (is_kept and not _begins(name, where[0]))


def split(declarations: Sequence[str], statements: Sequence[str], written: Iterable[str]) -> str:
    """Return a kernel's statements as loops over items between barriers.

    Parameters
    ----------
    declarations : sequence of str -- Of the function's variables and arrays.
    statements : sequence of str -- The lines.
    written : iterable of str -- The pointers through which the kernel writes.

    Returns
    -------
    str
        The text; empty where a barrier stands where it cannot be split.
    """
    declared = dict[str, tuple[str, int]]()
    local = list[str]()
    for line in declarations:
        found = _DECLARED.fullmatch(line.removeprefix("LOCAL "))
        if found is None:
            return ""
        if line.startswith("LOCAL "):
            local.append(f"    ALIGNED(64) {line.removeprefix('LOCAL ')}")
        else:
            declared[found[2]] = found[1], int(found[3] or 0)
    nodes = _parsed(statements)
    splitter = _Splitter(declared, frozenset(written))
    before = -1
    while len(splitter.varying) != before:
        before = len(splitter.varying)
        splitter.mark(nodes, of_items=False)
    splitter.compute_again(nodes)
    try:
        splitter.split(nodes)
        splitter.finish()
        return "\n".join((*local, splitter.text()))
    except _KeptError:
        return ""


# -- lines and blocks ---------------------------------------------------------------------------


def _parsed(statements: Sequence[str]) -> list[_Node]:
    root = list[_Node]()
    levels, blocks = [root], list[_Block]()
    for text in statements:
        line = text.strip()
        if line.startswith("}"):
            levels.pop()
            if line.endswith("{"):
                levels.append([])
                blocks[-1].parts.append((line, levels[-1]))
            else:
                blocks.pop().tail = line
        elif line.endswith("{"):
            block = _Block([(line, [])])
            levels[-1].append(block)
            blocks.append(block)
            levels.append(block.parts[0][1])
        elif pair := _PAIR.fullmatch(line):
            levels[-1] += [f"{pair[1]} {pair[2]} = {pair[3]};", f"{pair[1]} {pair[4]} = {pair[5]};"]
        elif line:
            levels[-1].append(line)
    return root


def _lines(nodes: Iterable[_Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
            continue
        for head, body in node.parts:
            yield head
            yield from _lines(body)
        yield node.tail


def _heads(block: _Block) -> list[str]:
    return [*(head for head, _ in block.parts), block.tail]


def _is_loop(block: _Block) -> bool:
    head = block.parts[0][0]
    return head.startswith(("for ", "while ")) or head.endswith(" do {")


def _is_split(block: _Block) -> bool:
    """Return whether all items come to the parts of a block together."""
    return any(_has_barrier(body) or _leaves(body) for _, body in block.parts) and (
        _has_barrier([block]) or not _is_loop(block)
    )


def _has_barrier(nodes: Iterable[_Node]) -> bool:
    return _BARRIER in _lines(nodes)


def _leaves(nodes: Iterable[_Node]) -> bool:
    """Return whether statements leave what is around them."""
    for node in nodes:
        if isinstance(node, str):
            if _LEAVES.fullmatch(node):
                return True
        elif any(line.endswith("return;") for line in _lines([node])) or (
            not _is_loop(node) and any(_leaves(body) for _, body in node.parts)
        ):
            return True
    return False


def _counted(head: str) -> set[str]:
    """The variable that a loop's head counts."""
    return set(re.findall(r"\b(t\d+) \+= ", head))


def _assigned(nodes: Iterable[_Node]) -> set[str]:
    found = set[str]()
    for line in _lines(nodes):
        made = _ASSIGNED.fullmatch(line)
        found |= {made[2]} if made else _counted(line)
    return found


def _begins(name: str, region: _Region) -> bool:
    """Return whether a region gives a variable its value before anything else looks at it."""
    depth, set_at = 0, -1
    for line in region.lines:
        depth -= line.startswith("}")
        if re.search(rf"\b{name}\b", line):
            made = _ASSIGNED.fullmatch(line)
            if set_at < 0:
                if not (made and made[2] == name and name not in _WORD.findall(made[3])):
                    return False
                set_at, least = depth, depth
            elif least < set_at:  # behind the block that sets it
                return False
        least = min(least, depth) if set_at >= 0 else depth
        depth += line.endswith("{")
    return set_at >= 0


def _declaration(name: str, kind: str, count: int) -> str:
    return f"{kind} {name}{f'[{count}]' if count else ' = 0'};"


def _with_arrays(line: str, arrays: Collection[str]) -> str:
    """Return a line in which variables are elements of arrays."""
    made = _ASSIGNED.fullmatch(line)
    if made is not None and made[1] and made[2] in arrays:
        line = f"{made[2]} = {made[3]};"
    declared = _DECLARED.fullmatch(line)
    if declared is not None and declared[2] in arrays:
        return ""
    return re.sub(
        r"\b[vtm]_?\w+",
        lambda word: f"{word[0]}_xr[xr_item]" if word[0] in arrays else word[0],
        line,
    )


def is_independent(lines: Sequence[str], written: Iterable[str]) -> bool:
    """Return whether an item reaches each element that it writes in one way only.

    What gcc is told of items, that they do not depend on each other, it takes for an item's own
    reads and writes as well: they keep their order where they are seen to be of one element.

    written : iterable of str -- The pointers through which the kernel writes.
    """
    text = "\n".join(lines)
    if re.search(r"\b(?:for|while|do|goto)\b", text):
        return False
    times = Counter(found[2] for line in lines if (found := _ASSIGNED.fullmatch(line)) is not None)
    for name in {*written, *re.findall(r"\bl_\d+\b", text)}:
        places = set[str]()
        for found in re.finditer(rf"\b{name}\b(\[)?", text):
            if not found[1]:
                return False
            depth, end = 1, found.end()
            while depth:
                depth += {"[": 1, "]": -1}.get(text[end], 0)
                end += 1
            places.add(text[found.end() : end - 1])
        is_stored = name in written or re.search(rf"\b{name}\[.*\] = ", text) is not None
        if is_stored and len(places) > 1:
            return False
        if is_stored and any(times[word] > 1 for word in _WORD.findall("".join(places))):
            return False
    return True


def _loop(lines: Sequence[str], *, is_free: bool = True) -> list[str]:
    """Return the loop over items around lines."""
    found = [re.sub(r"\breturn;$", "XR_END_ITEM;", line) for line in lines]
    end = ["xr_next:;"] if found != list(lines) else []
    region = "XR_FREE_REGION" if is_free else "XR_REGION"
    return [f"{region} {{", "XR_REGION_BEGIN;", *found, *end, "}"]
