"""Write kernels for devices that run the items of a group in loops: CPUs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xarr.user_kernels.threads import regions
from xarr.user_kernels.threads.statements import Function
from xarr.user_kernels.threads.values import ArrayValue


def of_loops(
    kernel: Function, texts: Sequence[str], head: str, limits: dict[int, int], *, shares: bool
) -> str:
    """Return a kernel's C for a device that runs its items in loops.

    limits : dict -- The numbers of the parameters that hold the extents of `over`, by axis.
    shares : bool -- Whether arrays among the arguments share memory: reads through one pointer may
        then be of what another one writes.
    """
    functions = "\n".join(texts[:-1])
    written = [
        one.pointer for one in kernel.params if isinstance(one, ArrayValue) and one.written[0]
    ]
    if not kernel.has_barrier:
        lines = [f"#define XR_INNER {_inner(kernel)}"]
        if limits:
            last = max(limits)
            most = " : ".join(f"(d) == {last - k} ? xr_value{limits[k]}" for k in limits)
            lines.append(f"#define XR_LIMIT(d) ({most} : XR_UNLIMITED)")
        if not shares and regions.is_independent(kernel.statements, written):
            lines.append("#define XR_FREE_ITEMS XR_INDEPENDENT")
        return "\n".join((*lines, functions, kernel_text(kernel, head, kernel.body)))
    body = ""
    if not shares and not re.search(r"\b(?:BARRIER|(?:GLOBAL|LOCAL)_ID\b)", functions):
        body = regions.split(kernel.declarations, kernel.statements, written)
    return "\n".join((functions, kernel_text(kernel, head, body) if body else texts[-1]))


def kernel_text(kernel: Function, head: str, body: str) -> str:
    """Return the text of a kernel, given its parameters and its statements."""
    return f"KERNEL void {kernel.name}({head})\n{{\n{body}\n}}\n"


def _inner(kernel: Function) -> int:
    """Return the dimension along which items that follow each other find elements that do."""
    axes_of = {f"GLOBAL_ID({axis})": axis for axis in range(3)}
    for line in kernel.statements:
        made = re.fullmatch(r" *(?:const i64 )?(\w+) = \(\(i64\)(GLOBAL_ID\(\d\))\);", line)
        copied = re.fullmatch(r" *(\w+) = (t\d+);", line)
        for found in (made, copied):
            if found and found[2] in axes_of:
                axes_of[found[1]] = axes_of[found[2]]
    counts = [0, 0, 0]
    for text in kernel.last_indices:
        for axis in {axes_of[word] for word in re.findall(r"\w+", text) if word in axes_of}:
            counts[axis] += 1
    return max(range(3), key=counts.__getitem__)


def after_declarations(body: str, begin: str) -> str:
    """Put the test of `over` behind the declarations, which stand in front of other statements."""
    if not begin:
        return body
    lines = body.split("\n")
    count = next(
        (
            k
            for k, line in enumerate(lines)
            if not re.match(r"    (\w+ )+\w+(\[\d+\]| = 0);$", line)
        ),
        len(lines),
    )
    return "\n".join((*lines[:count], begin.rstrip("\n"), *lines[count:]))
