"""CuPy's tests of own kernels, run by xarr: ``python -m tools.cupy_kernel_tests PATH``.

PATH is a checkout of CuPy. Its tests of ElementwiseKernel, ReductionKernel, RawKernel and RawModule
are run on the default device (XARR_DEVICE chooses another), and so are the examples of its page
"User-Defined Kernels". What a test needs says whether it is in scope; texts of errors do not
matter. With --compile the CUDA C of tests and page is compiled as well, which needs no GPU.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import doctest
import importlib.util
import os
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy
import pytest

import xarr
from tools.cupy_shim import RESTATED, State, Testing, execute, load
from xarr.backends import cuda_compiler

TESTS: Final = "tests/cupy_tests/core_tests"
FILES: Final = ("test_elementwise", "test_reduction", "test_userkernel", "test_raw")
PAGE: Final = "docs/source/user_guide/kernel.rst"


class Rule(NamedTuple):
    """Why a test is out of scope, and what of its text or its parameters says so."""

    why: str
    text: str = ""
    parameter: tuple[str, object] = ("", None)


PRIVATE: Final = re.compile(
    r"\b_(?:core|acc|accelerator|util|compiler_cache)\.\w+|\bcompiler\.\w+|\.(_cached_codes)\b"
)
COMPLEX: Final = "complex numbers as operands of C's operators: further cases of tests in scope"
CUDA_ONLY: Final = "CUDA C, on a device that takes another language"
HAS_CUPY: Final = importlib.util.find_spec("cupy") is not None
RULES: Final = (
    Rule("texture memory", r"[Tt]exture"),
    Rule("cooperative groups", r"enable_cooperative_groups|cooperative_groups"),
    Rule(
        "Jitify, which CuPy deprecates",
        r"test_jitify_deprecation|_helper2?\(jitify",
        ("jitify", True),
    ),
    Rule("the C++ standard library, which NVRTC has not", r"#include <type_traits>"),
    Rule(
        "cuComplex's functions, which CuPy translates to its own",
        r"translate_cucomplex|cuComplex\.h",
    ),
    *([] if HAS_CUPY else [Rule("headers that CuPy brings", r"#include <cupy/|test_cxx_template")]),
    Rule("dynamic parallelism, which links CUDA's device runtime", r"'-dc'|<<<"),
    Rule("CuPy's allocator and its memory objects, for which there is Pointer", r"memory\.alloc"),
    Rule("how often CuPy writes to its cache", r"_counting_cache_dir"),
    Rule("another process that imports CuPy", r"\bsubprocess\."),
    Rule("the text of an error of CUDA's", r"'CUDA_ERROR_|'hipError"),
)


def _is_private(text: str) -> bool:
    """Whether a text uses what is private in CuPy and has no meaning here."""
    known = {name.rpartition(".")[2] for name in RESTATED}
    known |= {*vars(RESTATED["cupy._core._accelerator"])}
    return any(
        match[1] or match[0].partition(".")[2] not in known for match in PRIVATE.finditer(text)
    )


class Source:
    """A file of tests: what each test needs."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text()
        tree = ast.parse(self.text)
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.others = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}

    def text_of(self, item: pytest.Item) -> str:
        """The text of a test, with what else it needs of the file."""
        assert isinstance(item, pytest.Function)
        owner = re.sub(r"_param_.*", "", item.cls.__name__) if item.cls else ""
        return self._of(item.originalname, owner)

    def _of(self, test: str, owner: str) -> str:
        """The text of a test, with what its class always does and the methods that it calls."""
        if not owner:
            return self._text(self.others[test])
        methods, parts = dict[str, str](), [self._text(self._header(owner))]
        for node in self._lineage(owner):
            for item in node.body:
                text = self._text(item)
                if not isinstance(item, ast.FunctionDef):
                    parts.append(text)
                elif item.name not in methods:
                    methods[item.name] = text
                    if "autouse" in text or item.name == "setUp":
                        parts.append(text)
        parts.append(methods[test])
        used = set[str]()
        while found := set(re.findall(r"\w+", "\n".join(parts))) & methods.keys() - used:
            used |= found
            parts += [methods[name] for name in found if not name.startswith("test")]
        return "\n".join(parts)

    def _header(self, owner: str) -> ast.AST:
        node = self.classes[owner]
        return ast.Tuple(node.decorator_list, ast.Load())

    def _lineage(self, owner: str) -> list[ast.ClassDef]:
        """A class and its bases in the file."""
        node = self.classes[owner]
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        found = [node]
        for base in bases:
            found += self._lineage(base) if base in self.classes else []
        return found

    def _text(self, node: ast.AST) -> str:
        return ast.unparse(node)


def rules(item: pytest.Item, source: Source) -> list[str]:
    """Why a test is out of scope; none where it is in scope."""
    text = source.text_of(item)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    found = [
        rule.why
        for rule in RULES
        if (rule.text and re.search(rule.text, text))
        or (rule.parameter[0] in parameters and parameters[rule.parameter[0]] is rule.parameter[1])
    ]
    if _is_private(text):
        found.append("CuPy's private names")
    gpus = sum(device.info.dialect == "cuda" for device in xarr.devices())
    if item.get_closest_marker("multi_gpu") is not None and gpus < 2:
        found.append("several GPUs, of which this machine has not two")
    launches = re.search(r"_helper|get_function|\bker\(|\.compile\(|\.attributes", text)
    is_raw = "RawKernel" in text or "RawModule" in text
    if is_raw and launches and xarr.default_device().info.dialect != "cuda":
        found.append(CUDA_ONLY)
    return found


class Result(NamedTuple):
    """What came of a test or an example."""

    file: str
    test: str
    outcome: str
    why: str


class Plugin:
    """What pytest runs the files by."""

    def __init__(self) -> None:
        self.results = list[Result]()
        self.sources = dict[Path, Source]()

    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.Module:
        """Take a file."""
        return _File.from_parent(parent, path=module_path)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave what is out of scope."""
        State.reading = False
        kept = []
        for item in items:
            source = self.sources.setdefault(item.path, Source(item.path))
            why = rules(item, source)
            if why:
                self.results.append(self._result(item, "out", why[0]))
                continue
            kept.append(item)
            if item.path.stem == "test_userkernel" and "for_all_dtypes" in source.text_of(item):
                self.results.append(self._result(item, "out", COMPLEX))
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Note what came of a test."""
        report = yield
        if report.failed and call.excinfo is not None:
            error = call.excinfo.value
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            kind = type(error).__name__
            self.results.append(self._result(item, "failed", f"{kind}: {' '.join(lines[:4])}"))
        elif report.skipped:
            self.results.append(self._result(item, "out", f"CuPy skips it: {report.longrepr[2]}"))
        elif report.when == "call":
            self.results.append(self._result(item, "passed", ""))
        return report

    def _result(self, item: pytest.Item, outcome: str, why: str) -> Result:
        return Result(item.path.stem, item.nodeid.partition("::")[2], outcome, why)


class _File(pytest.Module):
    """A file of CuPy's tests."""

    def _getobj(self) -> ModuleType:
        return execute(self.path)


def run_tests(checkout: Path, arguments: argparse.Namespace, folder: Path) -> list[Result]:
    """Run the files."""
    plugin = Plugin()
    files = [str(checkout / TESTS / f"{name}.py") for name in FILES]
    options = ["-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, f"--rootdir={folder}"]
    options += ["-q", "--tb=native" if arguments.verbose else "--tb=no", "-p", "no:xdist"]
    options += ["-W", "ignore"] + (["-k", arguments.k] if arguments.k else [])
    pytest.main([*files, *options], plugins=[plugin])
    return plugin.results


# -- the page ---------------------------------------------------------------------------------

OTHER_SECTIONS: Final = {"JIT kernel definition": "cupyx.jit, of which xarr.elementwise is a part"}
CUDA_SECTIONS: Final = ("Raw kernels", "Raw modules")


def _printer(printed: list[str], text: Callable[[object], str]) -> Callable[..., None]:
    """What notes a value instead of printing it."""

    def note(value: object) -> None:
        if value is not None:
            printed.append(f"{text(value)}\n")

    return note


def run_page(checkout: Path) -> list[Result]:
    """Run the examples of the page, one after the other with the same names."""
    text = (checkout / PAGE).read_text()
    titles = [
        (match.start(), match[1])
        for match in re.finditer(r"^(\S.*)\n[-=]{4,}$", text, re.MULTILINE)
    ]
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    xp = load("cupy")
    names: dict[str, Any] = {"cupy": xp, "cp": xp, "np": numpy, "numpy": numpy}
    names["__builtins__"] = {**vars(builtins), "__import__": load}
    results = list[Result]()
    is_cuda = xarr.default_device().info.dialect == "cuda"
    checker = doctest.OutputChecker()
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for example in doctest.DocTestParser().get_examples(text):
        title = [name for at, name in titles if at <= starts[example.lineno]][-1]
        first = example.source.splitlines()[0]
        label = f"line {example.lineno + 1}: {first}"
        why = OTHER_SECTIONS.get(title, "")
        if title in CUDA_SECTIONS and not is_cuda:
            why = CUDA_ONLY
        if why or example.options.get(doctest.SKIP):
            results.append(Result("kernel.rst", label, "out", why or "CuPy skips it"))
            continue
        printed = list[str]()
        names["__builtins__"]["print"] = _printer(printed, str)
        display, sys.displayhook = sys.displayhook, _printer(printed, repr)
        try:
            exec(compile(example.source, "<kernel.rst>", "single"), names)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
            results.append(
                Result("kernel.rst", label, "failed", f"{type(error).__name__}: {error}")
            )
            continue
        finally:
            sys.displayhook = display
        got = "".join(printed)
        is_right = checker.check_output(example.want, got, flags)
        results.append(
            Result("kernel.rst", label, *(("passed", "") if is_right else ("failed", got)))
        )
    return results


NAMES: Final = {
    "test_raw.py, line 324": ("my_sqrt<int>", "my_sqrt<float>", "my_func"),
    "test_raw.py, line 1201": ("multi_param<float,double>", "enum_param<mylib::Tag::B>"),
    "kernel.rst, line 447": ("fx3<float>", "fx3<double>"),
}
"""The instances of templates that are asked for."""


def compiled(checkout: Path) -> list[Result]:
    """Compile the CUDA C of tests and page, as RawModule gives it to NVRTC."""
    found = list[tuple[str, str]]()
    for node in ast.parse((checkout / TESTS / "test_raw.py").read_text()).body:
        text = (
            node.value.value
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            else ""
        )
        if "__global__" in str(text):
            found.append((f"test_raw.py, line {node.lineno}", str(text)))
    for example in doctest.DocTestParser().get_examples((checkout / PAGE).read_text()):
        for match in re.finditer(r"r'''(.*?)'''", example.source, re.DOTALL):
            found.append((f"kernel.rst, line {example.lineno + 1}", match[1]))
    device: Any = SimpleNamespace(info=SimpleNamespace(dialect="cuda", has_float64=True))
    results = []
    for where, code in found:
        options = ("-DOP=+",) if " OP " in code else ()
        try:
            names = NAMES.get(where, ())
            module = xarr.RawModule(code=code, name_expressions=names or None)
            text = module._text(device, "kernel")
            cuda_compiler.compile_own_cubin(
                text, "sm_90", (*cuda_compiler.header_folders(), *options), names
            )
        except xarr.CompileError as error:
            line = next((line for line in error.log.splitlines() if "error" in line), error.log)
            outcome, why = "failed", line
            for rule in RULES:
                if rule.text and re.search(rule.text, code):
                    outcome, why = "out", rule.why
            results.append(Result("compiled by NVRTC", where, outcome, why))
        else:
            results.append(Result("compiled by NVRTC", where, "passed", ""))
    return results


# -- the report -------------------------------------------------------------------------------


def report(results: Sequence[Result]) -> str:
    """The counts of each file, why tests are out of scope, and what failed, by cause."""
    lines = [f"on {xarr.default_device()}: {xarr.default_device().info.platform}", ""]
    lines += [
        "| file | tests | in scope | passed | failed |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for file in dict.fromkeys(result.file for result in results):
        count = Counter(result.outcome for result in results if result.file == file)
        inside = count["passed"] + count["failed"]
        cells = (file, count.total(), inside, count["passed"], count["failed"])
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += ["", "| out of scope | file | tests |", "| --- | --- | ---: |"]
    out = Counter((result.why, result.file) for result in results if result.outcome == "out")
    lines += [f"| {why} | {file} | {count} |" for (why, file), count in out.most_common()]
    causes = defaultdict[str, list[str]](list)
    for result in results:
        if result.outcome == "failed":
            cause = re.sub(r"-?\d[\d.e+-]*", "#", result.why)[:160]
            causes[cause].append(f"{result.file} {result.test}  [{result.why[:300]}]")
    for cause, tests in sorted(causes.items(), key=lambda pair: -len(pair[1])):
        lines += ["", f"{len(tests)} x {cause}", *(f"    {test}" for test in tests[:12])]
    return "\n".join(lines)


def main(given: Sequence[str] | None = None) -> int:
    """Run all; return 0 if everything in scope passed."""
    parser = argparse.ArgumentParser(prog="python -m tools.cupy_kernel_tests", description=__doc__)
    parser.add_argument("checkout", type=Path, help="the folder of a checkout of CuPy")
    parser.add_argument("-k", help="the tests to run, as pytest's -k takes them")
    parser.add_argument("--compile", action="store_true", help="compile the CUDA C, too")
    parser.add_argument("--verbose", action="store_true", help="print what pytest prints")
    arguments = parser.parse_args(given)
    checkout = arguments.checkout.resolve()
    Testing.checkout = checkout
    warnings.simplefilter("ignore")
    results = run_tests(checkout, arguments, checkout / TESTS)
    results += run_page(checkout) if not arguments.k else []
    results += compiled(checkout) if arguments.compile else []
    print(report(results))
    return int(any(result.outcome == "failed" for result in results))


if __name__ == "__main__":
    sys.exit(main())
