"""Parts of the pages that are written from the code when they are built.

So the tables, the chapters of the reference and the kernels that are shown cannot fall behind the
code. This module knows nothing of Sphinx, so that tests can call it without: `directives.py` and
`pages.py` hand on what it says.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final
from unittest import mock

import numpy

import xarr
from xarr import dtypes, errors
from xarr.backends import cupy_library, nvidia
from xarr.codegen import launch
from xarr.codegen.source import DIALECTS, kernel_file
from xarr.dtypes import DType
from xarr.functions.names import missing_names
from xarr.ir import steps
from xarr.ir.events import changed
from xarr.ir.views import View, constant
from xarr.ops import elementwise, reductions, rows, vendor
from xarr.runtime import host_functions
from xarr.settings import Settings

ACCEPTED: Final = "yes"
REFUSED: Final = "no"

_SHORT: Final = {"uint": "u", "int": "i", "float": "f", "complex": "c"}


def short(name: str) -> str:
    """Shorten a data type's name for a narrow column: i32 for int32."""
    return re.sub(r"^[a-z]+(?=\d)", lambda match: _SHORT[match[0]], name)


def _operand(dtype: DType) -> View:
    """Make a constant on no device; the rules ask only whether there is float64."""
    device: Any = SimpleNamespace(
        info=SimpleNamespace(has_float64=True),
        in_place=dict.fromkeys(dtypes.TABLE, (None, None)),
        no_float64=False,
        structures=None,
    )
    return constant(1, dtype, (), device)


def _cell(dtype: DType, rule: Callable[[View], DType]) -> str:
    """Say whether a data type is taken as it is, converted to another, or refused."""
    try:
        computed = rule(_operand(dtype))
    except TypeError:
        return REFUSED
    return ACCEPTED if computed is dtype else short(computed.name)


def elementwise_table() -> list[list[str]]:
    """Make a line for each elementwise function, the header first."""
    names = (short(row.name) for row in dtypes.TABLE)
    lines = [["function", *names, "error", "complex"]]
    for row in elementwise.TABLE:

        def rule(view: View, row: rows.Elementwise = row) -> DType:
            return row._resolve((view,) * row.operands).operands[0]

        cells = [_cell(dtype, rule) for dtype in dtypes.TABLE]
        errors = [_error(row.domain.ulp) if set(row.kinds) != {dtypes.COMPLEX} else ""]
        errors.append(_error(row.domain.complex_ulp) if dtypes.COMPLEX in row.kinds else "")
        lines.append([f"`~xarr.{row.name}`", *cells, *errors])
    return lines


def _error(ulp: float) -> str:
    return f"{ulp:g}" if ulp else "exact"


def reductions_table() -> list[list[str]]:
    """Make a line for each reduction and scan, the header first."""
    lines = [["function", *(short(row.name) for row in dtypes.TABLE), "of no elements"]]
    for row in reductions.TABLE:

        def rule(view: View, row: rows.Reduction = row) -> DType:
            if row.form == "axes, correction" and view.dtype.kind == dtypes.COMPLEX:
                return view.dtype  # more than the row
            if view.dtype.kind not in row.kinds:
                raise TypeError
            return row.types(view.dtype, dtypes.float64).taken

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
        unset = _UNSET[name] if default is None else "on" if default else "off"
        words = " ".join(meaning.split())
        lines.append([f"``{variable}``", words[0].upper() + words[1:], unset])
    return lines


_UNSET: Final = {
    "device": "the first GPU, else the first CPU",
    "cache_dir": "``xarr`` in the system's folder for caches (``~/.cache`` on Linux)",
    "cc": "``cc``, ``gcc`` or ``clang``, else the package ``ziglang``",
    "cc_flags": "none",
    "dump_source": "nothing is written",
    "random": "random numbers are xarr's, drawn on the device",
    "threads": "one for each processor that the process may use",
    "tiers": "NumPy computes until kernels are compiled",
}


SPACES: Final = {
    "": xarr,
    "linalg.": xarr.linalg,
    "fft.": xarr.fft,
    "random.": xarr.random,
    "special.": xarr.special,
    "emath.": xarr.emath,
    "lib.stride_tricks.": xarr.lib.stride_tricks,
}
"""The modules whose names are public, by how these begin after `xarr.`."""


PUBLIC: Final = {
    prefix + name: value
    for prefix, space in SPACES.items()
    for name in dir(space)
    if not isinstance(value := getattr(space, name), ModuleType)
    and not str(getattr(value, "__module__", "")).startswith("numpy.random")  # numpy's own
} | {"__array_namespace_info__": xarr.__array_namespace_info__}
"""What the public names stand for, by what follows `xarr.` in them."""

CHAPTERS: Final = {
    "array": ("Array", "The class of arrays: its attributes, methods and operators."),
    "explanation": ("Explanations", "The kernels that would run, as text."),
    "numpy_products": ("NumPy's products", "Products that NumPy has and the standard lacks."),
    "ranges": ("Ranges", "Evenly spaced numbers, also on a logarithmic scale."),
    "splitting": ("Splitting", "Functions that split an array into parts."),
    "calculus": (
        "Sampled functions",
        "Interpolation, derivatives, integrals, convolutions and windows.",
    ),
    "bits": ("Bits", "Functions that pack bits into bytes and unpack them."),
    "transformations": (
        "Replays, derivatives, batches",
        "Functions that take a function of arrays; :doc:`../transformations` explains them.",
    ),
    "vectorize": ("Calling Python functions", "Python functions that take arrays, on the host."),
    "comparing": ("Comparing", "Functions that tell whether arrays are equal, exactly or nearly."),
    "constants": ("Constants", "Numbers, and the index that adds an axis."),
    "creation": ("Creation", "Functions that make arrays."),
    "data_types": ("Data types", "The data types are NumPy's own objects."),
    "devices": (
        "Devices, streams, copies and graphs",
        "Objects that say where arrays lie and in which order work runs.",
    ),
    "elementwise": (
        "Element-wise functions",
        "Functions of each element by itself. :doc:`../operations` says which data types each "
        "takes.",
    ),
    "errors": ("Exceptions and warnings", "The exceptions and warnings that xarr defines."),
    "files": (
        "Files",
        "Functions that read and write files: NumPy's, CSV and other text. They run on the host.",
    ),
    "floating_state": (
        "Floating-point errors",
        "They set NumPy's state. A device computes infinities and NaN, and raises nothing.",
    ),
    "fft": ("Fourier transforms", "The names of ``xarr.fft``."),
    "histograms": ("Histograms", "Functions that count the elements in bins."),
    "indexing": (
        "Indexing",
        "Functions that read and write elements at indices, or where a boolean mask is true.",
    ),
    "inspection": (
        "Looking inside",
        "Functions that show pending operations, or change when they run.",
    ),
    "exchange": ("Exchange", "Functions that share memory with other libraries."),
    "nditer": ("Iterating", "Iterators over elements and indices, on the host."),
    "joining": ("Joining, repeating and padding", "Functions that join, repeat or pad arrays."),
    "linalg": ("Linear algebra", "The names of ``xarr.linalg``, and products."),
    "manipulation": ("Manipulation", "Functions that change shapes and the order of axes."),
    "nan_functions": ("Without NaN", "Functions that reduce axes and ignore NaN."),
    "own_kernels": (
        "Own kernels",
        "Classes and decorators for kernels in C or Python; :doc:`../own_kernels` explains them.",
    ),
    "polynomials": (
        "Polynomials",
        "NumPy's older functions of polynomials. :doc:`../polynomials` explains the others.",
    ),
    "printing": ("Printing", "Functions that write arrays as text."),
    "random": (
        "Random numbers",
        "The names of ``xarr.random``; :doc:`../random` says how they are drawn.",
    ),
    "reductions": (
        "Reductions and scans",
        "Functions that reduce axes, or accumulate along one. :doc:`../operations` says which data "
        "types each takes.",
    ),
    "searching": ("Searching", "Functions that find elements, or choose between them."),
    "sets": ("Sets", "Functions of the distinct values of arrays."),
    "sorting": ("Sorting", "Functions that order elements."),
    "statistical": ("Statistics", "NumPy's names beyond the standard's reductions."),
}
"""Title and first sentence of each chapter of the reference."""


def _by_name(chapters: dict[str, str]) -> dict[str, str]:
    return {name: chapter for chapter, names in chapters.items() for name in names.split()}


_CHAPTER_OF: Final = _by_name(
    {
        "constants": "False_ True_ little_endian",
        "data_types": "ScalarType sctypeDict typecodes",
        "statistical": "cumprod cumsum ptp",
        "floating_state": "errstate",
        "elementwise": "ufunc",
        "array": "Array",
        "joining": "block",
        "devices": "Device Event Graph IpcHandle Pointer Stream default_device device devices",
        "own_kernels": "ElementwiseKernel RawKernel RawModule ReductionKernel",
        "nditer": "broadcast ndenumerate ndindex nditer flatiter",
        "inspection": "eager no_implicit_transfer",
        "transformations": "custom_jvp custom_vjp",
        "vectorize": "vectorize",
        "linalg": "reproducible",
        "polynomials": "poly1d",
        "creation": "vander",
    }
)
"""The chapter of names that are defined where no chapter is."""

_MERGED: Final = _by_name(
    {
        "elementwise": "arithmetic float_functions scimath special",
        "statistical": "averages order_statistics",
        "creation": "buffers fills grids",
        "joining": "insert_delete_pad",
        "linalg": "einsum matrices products",
        "nan_functions": "nan_statistics",
        "indexing": "put",
        "polynomials": "poly1d",
        "inspection": "profiling",
        "own_kernels": "kernel python_kernels",
        "devices": "graphs processes streams",
        "transformations": "batched calls custom jit recomputed",
    }
)
"""Modules whose functions stand in the chapter of another."""


def is_function(value: Any) -> bool:
    """Tell whether a public name is that of a function; those of each element are objects."""
    return inspect.isroutine(value) or isinstance(value, xarr.ufunc)


def chapter_of(name: str) -> str:
    """Return the chapter that a public name belongs to: for most, the module it is defined in."""
    if name in _CHAPTER_OF:
        return _CHAPTER_OF[name]
    for table, chapter in ((elementwise.TABLE, "elementwise"), (reductions.TABLE, "reductions")):
        if any(row.name == name for row in table):
            return chapter
    value = PUBLIC[name]
    if name.startswith(("linalg.", "fft.", "random.")):
        return name.partition(".")[0]
    if isinstance(value, type):
        return "errors" if issubclass(value, Exception) else "data_types"
    if value is None or isinstance(value, float):
        return "constants"
    module = _module(value).rpartition(".")[2]
    return _MERGED.get(module, module)


def _module(value: Any) -> str:
    """Return the module that a function, or an object such as `mgrid`, is written in."""
    code = inspect.unwrap(value) if is_function(value) else type(value)
    module: str = getattr(code, "__globals__", {}).get("__name__") or code.__module__
    # The only functions that are NumPy's own are those that set how arrays are printed.
    return module if module.startswith("xarr") else "printing"


def spellings() -> dict[str, list[str]]:
    """List the names of each public object, by the first of them, which leads."""
    same: dict[Any, list[str]] = {}
    for name, value in PUBLIC.items():
        same.setdefault(id(value) if callable(value) else name, []).append(name)
    found = {}
    for names in same.values():
        own = getattr(PUBLIC[names[0]], "__name__", "")
        first = next((name for name in names if name.rpartition(".")[2] == own), names[0])
        found[first] = [first, *(name for name in names if name != first)]
    return found


def names_by_chapter() -> dict[str, list[str]]:
    """Sort the first names of all public objects by chapter."""
    chapters: dict[str, list[str]] = {}
    for name in spellings():
        chapters.setdefault(chapter_of(name), []).append(name)
    return {chapter: sorted(chapters[chapter], key=str.lower) for chapter in sorted(chapters)}


def title_of(chapter: str) -> str:
    """Return the title of a chapter; of a new one, its module's name."""
    return CHAPTERS[chapter][0] if chapter in CHAPTERS else chapter.replace("_", " ").capitalize()


def chapters_table() -> list[list[str]]:
    """Make a line for each chapter, the header first."""
    lines = [["chapter", "names"]]
    for chapter, names in names_by_chapter().items():
        links = ", ".join(f"`~xarr.{name}`" for name in names)
        lines.append([f":doc:`{title_of(chapter)} <reference/{chapter}>`", links])
    return lines


_KERNELS: Final = {
    "elementwise.c": "elementwise kernel",
    "fft.c": "FFT kernels",
    "histogram.c": "histogram kernels",
    "histogram_sum.c": "histogram kernels",
    "matmul.c": "matrix product kernels",
    "reduce_group.c": "reduction kernels",
    "reduce_lane.c": "reduction kernels",
    "rfft.c": "FFT kernels",
    "scan_tile.c": "scan kernels",
    "scan.c": "scan kernels",
    "segment_sum.c": "histogram kernels",
    "sort.c": "radix sort kernels",
    "sort_count.c": "radix sort kernels",
    "sort_scan.c": "radix sort kernels",
    "sort_search.c": "binary search kernel",
}
_OPERATORS: Final = {"matmul": "__matmul__"}
"""Functions that their own examples call as operators."""

_ON_HOST: Final = "NumPy on the host"
_IN_PLACE: Final = "NumPy, in the arrays' own memory"
_NOTHING: Final = "no kernel"
_WITHOUT_PLACE: Final = ("devices", "files", "floating_state", "inspection", "printing", "random")
"""Chapters whose functions compute nothing, or on the host alone; those of `random` draw."""
_REPLACED: Final = ("FFT kernels", "matrix product kernels", "radix sort kernels", _ON_HOST)
"""What a library stands in the place of."""


def places_table() -> list[list[str]]:
    """Make a line for functions that run alike, the header first: what their examples launch."""
    cpu = next(found for found in xarr.devices() if vendor.runs_on_numpy(found))
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    single = {row.name for row in elementwise.TABLE}
    for chapter, names in names_by_chapter().items():
        if chapter in _WITHOUT_PLACE:
            continue
        for name in (name for name in names if is_function(PUBLIC[name])):
            # Examples of one element are computed with Python numbers.
            on_cpu, asked = (
                (_KERNELS["elementwise.c"], set[str]()) if name in single else _runs(name, cpu)
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


def _runs(name: str, device: xarr.Device) -> tuple[str, set[str]]:
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
    routine, work, numpys = vendor.routine, vendor.Call.run, vendor._run_routine

    def launched(device: xarr.Device, kernel: launch.Kernel, *rest: Any) -> None:
        if inside:
            seen.add(_KERNELS[kernel.skeleton])
        steps.launched(device, kernel, *rest)

    def worked(*given: Any) -> Any:
        if inside:
            seen.add(_ON_HOST)
        return work(*given)

    def deferred(*given: Any) -> None:
        if inside:
            seen.add(_ON_HOST)
        numpys(*given)

    def looked_for(name: str, *rest: Any) -> Any:
        if inside:
            asked.add(name)
        return routine(name, *rest)

    def called(*given: Any, **named: Any) -> Any:
        nonlocal inside
        given = tuple(map(_in_memory, given))
        named = {key: _in_memory(value) for key, value in named.items()}
        inside = True
        result = function(*given, **named)
        xarr.synchronize()
        inside = False
        return result

    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    with contextlib.ExitStack() as stack:
        for alias in (alias for alias, value in PUBLIC.items() if value is function):
            space, dot, own = alias.rpartition(".")
            stack.enter_context(mock.patch.object(SPACES[space + dot], own, called))
        if name in _OPERATORS:
            stack.enter_context(mock.patch.object(xarr.Array, _OPERATORS[name], called))
        stack.enter_context(xarr.device(device))
        stack.enter_context(host_functions.fused())
        stack.enter_context(changed())  # else a call that came before is only recorded again
        stack.enter_context(steps.launching_with(launched))
        stack.enter_context(mock.patch.object(vendor.Call, "run", worked))
        stack.enter_context(mock.patch.object(vendor, "_run_routine", deferred))
        stack.enter_context(mock.patch.object(vendor, "routine", looked_for))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", errors.HostFallbackWarning)
        doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None)
    special = seen - {_KERNELS["elementwise.c"]} or seen
    return ", ".join(sorted(special)) or _NOTHING, asked


def _in_memory(value: Any) -> Any:
    """Copy an operand, so that it is in memory and only what becomes of it counts."""
    if not isinstance(value, xarr.Array):
        return value
    return xarr.asarray(numpy.asarray(value), device=value.device)


def explained(program: str, *, sources: bool) -> str:
    """Run a program; return what `xarr.explain` says of its `x`, of sources the defines alone."""
    names: dict[str, Any] = {"np": xarr, "xarr": xarr}
    exec(program, names)
    text, *kernels = xarr.explain(names["x"]).split("source of kernel ")
    if not sources:
        return text + "..."
    begin = kernel_file(DIALECTS[names["x"].device.info.dialect]).splitlines()[0]
    shown = [kernel.partition(begin)[0] for kernel in kernels]
    return "".join([text, *(f"source of kernel {defines}// ...\n" for defines in shown)])


def drawn(program: str) -> str:
    """Run a program; return what a notebook shows of `xarr.explain(x)`."""
    names: dict[str, Any] = {"np": xarr, "xarr": xarr}
    exec(program, names)
    return xarr.explain(names["x"])._repr_html_()


_NAMES: Final = Path(__file__).parent / "names"
OTHERS: Final = ("cupy", "dpnp")
_OF_NUMPY: Final[dict[str, tuple[str, Any, Any]]] = {
    "main": ("", numpy, xarr),
    "linalg": ("linalg.", numpy.linalg, xarr.linalg),
    "fft": ("fft.", numpy.fft, xarr.fft),
    "random": ("random.", numpy.random, xarr.random),
    "ndarray": ("ndarray.", numpy.ndarray, xarr.Array),
}
"""How the names of each of NumPy's spaces begin, the space, and xarr's."""


def names_of_others() -> dict[str, set[str]]:
    """Read the names of other libraries, as `python -m tools.names` wrote them, by version."""
    found = {}
    for library_name in OTHERS:
        title, *names = (_NAMES / f"{library_name}.txt").read_text().split("\n")
        found[title] = set(filter(None, names))
    return found


def _compared(space: str) -> dict[str, list[bool]]:
    """Tell of each of NumPy's names in a space whether xarr and the others have it."""
    prefix, theirs, ours = _OF_NUMPY[space]
    names = getattr(theirs, "__all__", None) or dir(theirs)
    others = names_of_others().values()
    return {
        name: [hasattr(ours, name), *(prefix + name in known for known in others)]
        for name in sorted(names, key=str.lower)
        if not name.startswith("_")
    }


def names_counts_table() -> list[list[str]]:
    """Make a line for each of NumPy's spaces with how many names each library has."""
    lines = [["names", f"NumPy {numpy.__version__}", "xarr", *names_of_others()]]
    for space, (prefix, *_) in _OF_NUMPY.items():
        compared = _compared(space)
        counts = [sum(has) for has in zip(*compared.values(), strict=True)]
        lines.append([f"``{prefix or 'numpy'}``".replace(".", ""), str(len(compared))])
        lines[-1] += map(str, counts)
    total = [sum(int(line[place]) for line in lines[1:]) for place in range(1, len(lines[0]))]
    return [*lines, ["all", *map(str, total)]]


def names_table(space: str) -> list[list[str]]:
    """Make a line for each of NumPy's names in a space: who has it, and what to do without."""
    lines = [["name", "xarr", *names_of_others(), "what to do without it"]]
    for name, has in _compared(space).items():
        remedy = "" if has[0] or space != "main" else missing_names.remedy(name)
        lines.append([f"``{name}``", *("yes" if one else "" for one in has), remedy])
    return lines


def list_table(lines: list[list[str]], options: str = "") -> str:
    """Write lines of cells as a reStructuredText table."""
    text = [".. list-table::", "   :header-rows: 1", *([f"   {options}"] if options else []), ""]
    for line in lines:
        for number, cell in enumerate(line):
            text.append(f"   {'*' if number == 0 else ' '} - {cell}".rstrip())
    return "\n".join(text) + "\n"


def linked(text: str) -> str:
    """Turn `~xarr.name` into a link to the function's place in the reference."""
    return re.sub(r"`~xarr\.([\w.]+)`", r":py:obj:`\1 <xarr.\1>`", text)
