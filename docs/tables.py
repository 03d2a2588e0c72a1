"""Parts of the pages that are written from the code when they are built.

So the tables, the API reference and the kernel sources that are shown cannot fall behind the code.
This module knows nothing of Sphinx, so the tests can call it without; see `directives.py`.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

import xarr
from xarr import dtypes, errors
from xarr.algorithms import library
from xarr.array.array import Array, settled
from xarr.backends import cupy_library, nvidia
from xarr.backends.device import Device
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.expression import Node, constant
from xarr.functions.inspection import explain
from xarr.settings import Settings
from xarr.tables import elementwise, reductions

ACCEPTED: Final = "yes"
REFUSED: Final = "no"

_SHORT: Final = {"uint": "u", "int": "i", "float": "f", "complex": "c"}


def short(name: str) -> str:
    """Shorten a data type's name for a narrow column: i32 for int32."""
    return re.sub(r"^[a-z]+(?=\d)", lambda match: _SHORT[match[0]], name)


def _operand(dtype: DType) -> Node:
    """Make a constant on no device; the rules ask only whether there is float64."""
    device: Any = SimpleNamespace(info=SimpleNamespace(has_float64=True), narrow=False)
    return constant(1, dtype, (), device)


def _cell(dtype: DType, rule: Callable[[Node], DType]) -> str:
    """Say whether a data type is taken as it is, converted to another, or refused."""
    try:
        computed = rule(_operand(dtype))
    except TypeError:
        return REFUSED
    return ACCEPTED if computed is dtype else short(computed.name)


def elementwise_table() -> list[list[str]]:
    """Make a line for each elementwise function, the header first."""
    names = (short(row.name) for row in dtypes.TABLE)
    lines = [["function", "operator", *names, "error", "complex"]]
    for row in elementwise.TABLE:

        def rule(node: Node, row: elementwise.Elementwise = row) -> DType:
            return row._resolve((node,) * row.operands).operands[0]

        cells = [_cell(dtype, rule) for dtype in dtypes.TABLE]
        errors = [_error(row.domain.ulp) if set(row.kinds) != {dtypes.COMPLEX} else ""]
        errors.append(_error(row.domain.complex_ulp) if dtypes.COMPLEX in row.kinds else "")
        operator = f"``__{row.operator}__``" if row.operator else ""
        lines.append([f"`~xarr.{row.name}`", operator, *cells, *errors])
    return lines


def _error(ulp: float) -> str:
    return f"{ulp:g} ulp" if ulp else "exact"


def reductions_table() -> list[list[str]]:
    """Make a line for each reduction and scan, the header first."""
    lines = [["function", *(short(row.name) for row in dtypes.TABLE), "of no elements"]]
    for row in reductions.TABLE:

        def rule(node: Node, row: reductions.Reduction = row) -> DType:
            return reductions._types(row, node, None, row.name)[0]

        cells = [_cell(dtype, rule) for dtype in dtypes.TABLE]
        empty = "ValueError" if row.empty is None else repr(row.empty)
        lines.append([f"`~xarr.{row.name}`", *cells, empty])
    return lines


def dtypes_table() -> list[list[str]]:
    """Make a line for each data type, the header first."""
    header = ["data type", "kind", "bytes", "in memory", "computed in"]
    rows = [
        [
            f"``xarr.{row.name}``",
            row.kind,
            str(row.itemsize),
            f"``{row.storage}``",
            f"``{row.compute}``",
        ]
        for row in dtypes.TABLE
    ]
    return [header, *rows]


def environment_table() -> list[list[str]]:
    """Make a line for each variable, from the docstring of `Settings`, the header first."""
    text = inspect.cleandoc(Settings.__doc__ or "")
    found = re.findall(
        r"^(\w+) : (.+)\n    (XARR_\w+): ((?:.+\n?(?:    )?)+?)(?=^\w|\Z)",
        text + "\n",
        re.MULTILINE,
    )
    defaults = Settings()
    lines = [["variable", "meaning", "when it is not set"]]
    for name, _, variable, meaning in found:
        default = getattr(defaults, name)
        unset = "off" if default is False else _UNSET[name]
        words = " ".join(meaning.split())
        lines.append([f"``{variable}``", words[0].upper() + words[1:], unset])
    return lines


_UNSET: Final = {
    "device": "the first GPU, else the first CPU",
    "cache_dir": "``xarr`` in the system's folder for caches (``~/.cache`` on Linux)",
    "dump_source": "nothing is written",
}


PUBLIC: Final = FUNCTIONS | {
    f"{space.__name__.removeprefix('xarr.')}.{name}": getattr(space, name)
    for space in (xarr.linalg, xarr.fft)
    for name in space.__all__
    if inspect.isroutine(getattr(space, name))
}
"""The public functions by what follows `xarr.` in their names."""

PARTS: Final = {
    "xarr.functions.creation": "Creation",
    "xarr.functions.data_types": "Data types",
    "xarr.tables.elementwise": "Element-wise functions",
    "xarr.functions.fft": "Fourier transforms",
    "xarr.functions.indexing": "Indexing",
    "xarr.functions.inspection": "Inspection",
    "xarr.functions.joining": "Manipulation",
    "xarr.functions.linalg": "Linear algebra",
    "xarr.functions.manipulation": "Manipulation",
    "xarr.functions.printing": "Printing",
    "xarr.tables.reductions": "Reductions and scans",
    "xarr.functions.searching": "Searching",
    "xarr.functions.statistical": "Statistics beyond the standard",
}


def names_by_part() -> dict[str, list[str]]:
    """Sort the public functions by chapter, each by its first name; aliases are left out."""
    parts: dict[str, list[str]] = {}
    seen: set[int] = set()
    rows = {row.name: "xarr.tables.elementwise" for row in elementwise.TABLE}
    rows |= {row.name: "xarr.tables.reductions" for row in reductions.TABLE}
    for name, function in PUBLIC.items():
        own = name.rpartition(".")[2]
        if id(function) in seen or own != getattr(function, "__name__", own):
            continue
        seen.add(id(function))
        module = rows.get(name) or _module(function)
        parts.setdefault(PARTS.get(module, _title(module)), []).append(name)
    return {part: sorted(parts[part]) for part in sorted(parts)}


def _module(function: Any) -> str:
    """Return the module that a function, or an object such as `mgrid`, is written in."""
    code = inspect.unwrap(function) if inspect.isfunction(function) else type(function)
    module: str = getattr(code, "__globals__", {}).get("__name__") or code.__module__
    # The only functions that are NumPy's own are those that set how arrays are printed.
    return module if module.startswith("xarr") else "xarr.functions.printing"


def _title(module: str) -> str:
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def aliases() -> list[list[str]]:
    """List the names that functions have besides their first, the header first."""
    first = {id(PUBLIC[name]): name for names in names_by_part().values() for name in names}
    more = sorted(
        (name, first[id(function)])
        for name, function in PUBLIC.items()
        if id(function) in first and first[id(function)] != name
    )
    return [["name", "is"], *([f"``xarr.{name}``", f"`~xarr.{own}`"] for name, own in more)]


_KERNELS: Final = {
    "elementwise.c": "elementwise kernel",
    "fft.c": "FFT kernels",
    "matmul.c": "matrix product kernels",
    "reduce_group.c": "reduction kernels",
    "reduce_lane.c": "reduction kernels",
    "rfft.c": "FFT kernels",
    "scan_tile.c": "scan kernels",
    "scan.c": "scan kernels",
    "sort.c": "radix sort kernels",
    "sort_count.c": "radix sort kernels",
    "sort_scan.c": "radix sort kernels",
    "sort_search.c": "binary search kernel",
}
_ON_HOST: Final = "NumPy on the host"
_IN_PLACE: Final = "NumPy, in the arrays' own memory"
_NOTHING: Final = "no kernel"
_REPLACED: Final = ("FFT kernels", "matrix product kernels", "radix sort kernels", _ON_HOST)
"""What a library stands in the place of."""


def places_table() -> list[list[str]]:
    """Make a line for functions that run alike, the header first: what their examples launch."""
    cpu = next(found for found in xarr.devices() if library.is_preferred(found))
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    rows = {row.name for row in elementwise.TABLE}
    for names in names_by_part().values():
        for name in names:
            if _module(PUBLIC[name]) == "xarr.functions.printing" or not inspect.isroutine(
                PUBLIC[name]
            ):
                continue
            # Examples of one element are computed with Python numbers.
            on_cpu, asked = (
                (_KERNELS["elementwise.c"], set[str]()) if name in rows else _runs(name, cpu)
            )
            on_gpu = on_cpu
            if _ON_HOST in on_cpu:
                on_cpu = on_cpu.replace(_ON_HOST, _IN_PLACE)
                on_gpu, asked = _runs(name, cpu.pretending("as-gpu"))
            cells = (
                on_cpu,
                on_gpu,
                _with_libraries(on_gpu, asked, cupy_library.NAMES),
                _with_libraries(on_gpu, asked, nvidia.NAMES),
            )
            alike.setdefault(cells, []).append(f"`~xarr.{name}`")
    header = ["on CPUs", "on GPUs (OpenCL)", "on GPUs (CuPy)", "on GPUs (Numba)", "functions"]
    return [header, *([*cells, ", ".join(alike[cells])] for cells in sorted(alike))]


def _with_libraries(on_gpu: str, asked: set[str], names: dict[str, str]) -> str:
    """Say what computes with a backend's libraries what else `on_gpu` does, and what it leaves."""
    if not asked & names.keys():
        return on_gpu
    parts = {names[name] for name in asked if name in names}
    parts |= {part for part in on_gpu.split(", ") if part not in _REPLACED}
    if asked - names.keys():
        parts |= {part for part in on_gpu.split(", ") if part == _ON_HOST}
    return ", ".join(sorted(parts))


def _runs(name: str, device: Device) -> tuple[str, set[str]]:
    """Run a function's examples on a device.

    Return what computed its results, and the names that a library was asked for.
    """
    function = PUBLIC[name]
    text = inspect.getdoc(function) or ""
    if ">>>" not in text:
        raise ValueError(f"xarr.{name} has no example that says what runs")
    seen: set[str] = set()
    inside = False
    asked: set[str] = set()
    run, opened, routine = engine.run, library.opened, library.routine

    def launched(device: Device, kernel: engine.Kernel, *rest: Any) -> None:
        if inside:
            seen.add(_KERNELS[kernel.skeleton])
        run(device, kernel, *rest)

    @contextlib.contextmanager
    def on_host(*given: Any, **named: Any) -> Iterator[Any]:
        if inside:
            seen.add(_ON_HOST)
        with opened(*given, **named) as arrays:
            yield arrays

    def looked_for(name: str, *rest: Any) -> Any:
        if inside:
            asked.add(name)
        return routine(name, *rest)

    def called(*given: Any, **named: Any) -> Any:
        nonlocal inside
        # Operands have their memory, so only what becomes of them counts.
        for array in (value for value in (*given, *named.values()) if isinstance(value, Array)):
            settled(array)
        inside = True
        result = function(*given, **named)
        xarr.synchronize()
        inside = False
        return result

    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    with contextlib.ExitStack() as stack:
        for alias in (alias for alias, value in PUBLIC.items() if value is function):
            space, _, own = f"xarr.{alias}".rpartition(".")
            stack.enter_context(mock.patch.object(sys.modules[space], own, called))
        stack.enter_context(xarr.device(device))
        stack.enter_context(mock.patch.object(engine, "run", launched))
        stack.enter_context(mock.patch.object(library, "opened", on_host))
        stack.enter_context(mock.patch.object(library, "routine", looked_for))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", errors.HostFallbackWarning)
        doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None)
    special = seen - {_KERNELS["elementwise.c"]} or seen
    return ", ".join(sorted(special)) or _NOTHING, asked


def explained(program: str) -> str:
    """Run a program; return what `xarr.explain` says of its `x`, without the dialect's header."""
    names: dict[str, Any] = {"np": xarr, "xarr": xarr}
    exec(program, names)
    text = explain(names["x"])
    head, marker, source = text.partition("#define XR_ASSEMBLED 1")
    if not marker:
        return text
    lines = source.splitlines()
    own = next(number for number, line in enumerate(lines) if line.startswith("#define xr_index"))
    skeleton = next(number for number, line in enumerate(lines) if line.startswith("#line 1"))
    shown = [
        "// ... the dialect's header (kernels/opencl.h) and library functions, if any ...",
        *lines[own:skeleton],
        "// ... the skeleton (kernels/elementwise.c) ...",
    ]
    return head + "\n".join(shown)


def list_table(lines: list[list[str]], options: str = "") -> str:
    """Write lines of cells as a reStructuredText table."""
    text = [".. list-table::", "   :header-rows: 1", *([f"   {options}"] if options else []), ""]
    for line in lines:
        for number, cell in enumerate(line):
            text.append(f"   {'*' if number == 0 else ' '} - {cell}".rstrip())
    return "\n".join(text) + "\n"


def linked(text: str) -> str:
    """Turn `~xarr.name` into a link to the function's place in the reference."""
    return re.sub(r"`~xarr\.([\w.]+)`", r":py:func:`~xarr.\1`", text)


def reference() -> str:
    """Write an entry for each public function, chapter by chapter."""
    text = []
    for part, names in names_by_part().items():
        text.append(f"{part}\n{'-' * len(part)}\n")
        text += [_entry(name) for name in names]
    return "\n".join(text)


def _entry(name: str) -> str:
    function = PUBLIC[name]
    if not inspect.isroutine(function):
        return f".. autodata:: xarr.{name}\n   :no-value:\n"
    if function.__module__.startswith("numpy"):
        return f".. py:function:: xarr.{name}\n\n   NumPy's own function.\n"
    return f".. autofunction:: xarr.{name}\n"
