"""That the documentation builds, that what it shows is so, and that its tables are complete."""

from __future__ import annotations

import builtins
import codeop
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import re
import shutil
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr
from benchmarks import gallery
from tests.processes import ROOT, once, run
from tools import tutorial
from xarr import dtypes, settings
from xarr.backends.device import PUBLIC
from xarr.codegen import source
from xarr.functions.types import data_types
from xarr.ops import elementwise, reductions, vendor
from xarr.runtime import host_functions

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), ROOT / "README.md"])
KERNELS = ROOT / "xarr" / "kernels"

# An example may leave out words of an exception, as the device, but says no others.
FLAGS = doctest.ELLIPSIS


def _tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = _tables()


def _run(text: str, name: str) -> None:
    """Run the examples of a text; the failure shows each as doctest does."""
    xarr.synchronize()  # nothing pends that is not of the examples
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


def _blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page, without the indentation of those in lists."""
    found = re.findall(
        rf"^( *)```{language}\n(.*?)^\1```$", page.read_text(), re.MULTILINE | re.DOTALL
    )
    return [textwrap.dedent(text) for _, text in found]


DOCUMENTED = {
    **{f"xarr.{name}": value for name, value in TABLES.PUBLIC.items()},
    "xarr": xarr,
    "xarr.functions.types.data_types": data_types,
}


def _callables() -> Iterator[tuple[str, Any]]:
    """Yield the functions, the classes and their methods that xarr and its modules have."""
    spaces: list[tuple[str, Any]] = [("", xarr)]
    for place, space in spaces:
        for name in dir(space):
            value = getattr(space, name, None) if name[0] != "_" else None
            home = value.__name__ if isinstance(value, ModuleType) else value
            if not str(getattr(home, "__module__", home)).startswith("xarr"):
                continue
            is_space = isinstance(value, type | ModuleType) or value is xarr.kernel
            if is_space and all(value is not known for _, known in spaces):
                spaces.append((f"{place}{name}.", value))
            if not callable(value):
                continue
            yield f"{place}{name}", value
            annotated = getattr(value, "__annotations__", {}).get("return")
            made = getattr(value, "__globals__", {}).get(annotated)
            is_own = getattr(made, "__module__", None) == value.__module__
            if is_own and isinstance(made, type) and made.__name__[0] != "_":
                yield f"{place}{name}(...)", made  # the class of its results


CALLABLES = dict(_callables())


WITH_EXAMPLES = {
    text: name  # once for the classes that inherit a method
    for name, value in (
        DOCUMENTED | {f"xarr.{name}": value for name, value in CALLABLES.items()}
    ).items()
    if ">>>" in (text := inspect.getdoc(value) or "")
    and not (getattr(value, "__module__", None) or "").startswith("numpy")
    # Its example names a device that not every machine has.
    and name != "xarr.device"
}


@pytest.mark.parametrize("text", WITH_EXAMPLES, ids=WITH_EXAMPLES.get)
def test_the_example_of_a_docstring_runs(text: str) -> None:
    _run(text, WITH_EXAMPLES[text])


def test_each_public_function_class_and_method_has_an_example() -> None:
    wrong = [
        name
        for name, value in (DOCUMENTED | CALLABLES).items()
        if (getattr(value, "__module__", None) or "").startswith("xarr")
        and ">>>" not in (inspect.getdoc(value) or "")
    ]
    assert wrong == []


TOLD = re.compile(
    r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\w[\w ]+\n---|\Z)", re.MULTILINE | re.DOTALL
)
"""Entries of parameters in a docstring."""


def test_a_parameter_is_a_name_and_what_it_means() -> None:
    wrong = [
        (name, head)
        for name, value in (DOCUMENTED | CALLABLES).items()
        if (getattr(value, "__module__", None) or "").startswith("xarr")
        for body in TOLD.findall(inspect.getdoc(value) or "")
        for head in re.findall(r"^\S.*$", body, re.MULTILINE)
        if not re.fullmatch(r"[\w*, ]+ : .+", head)
    ]
    assert wrong == []


def test_a_docstring_tells_of_every_parameter_and_of_names_that_there_are() -> None:
    wrong: list[Any] = []
    for place, value in CALLABLES.items():
        text = inspect.getdoc(value) or ""
        names = re.findall(r"`xarr\.([\w.]+)`", text.partition("Examples\n---")[0])
        known = {"fft", "hpp", "random", *TABLES.PUBLIC, *CALLABLES}
        wrong += [name for name in names if name not in known]
        heads = re.findall(r"^(\S.*) : .+\n    \S", "\n".join(TOLD.findall(text)), re.MULTILINE)
        told = {"self", *re.findall(r"\w+", " ".join(heads))}
        # The words of kernels tell their arguments by their calls.
        told |= {"args", "kwargs"} if place.startswith("kernel.") else set()
        with contextlib.suppress(ValueError):  # of Python's exceptions no signature is known
            parameters = inspect.signature(value).parameters
            wrong += [(place, one) for one in parameters if one[0] != "_" and one not in told]
    assert wrong == []


RAISED = re.compile(r"raise (?:errors\.)?(?:(value|type)_error|refused)\(\s*(\w+)")
NAMED = re.compile(r"^Raises\n-+\n(.*?)(?=\n\n\w[\w ]+\n---|\Z)", re.MULTILINE | re.DOTALL)


def test_help_names_the_errors_that_a_function_raises_itself() -> None:
    wrong = []
    for name, value in (DOCUMENTED | CALLABLES).items():
        made = vars(value).get("__init__") if isinstance(value, type) else value
        function = inspect.unwrap(getattr(made, "__func__", made))
        file = function.__code__.co_filename if inspect.isfunction(function) else ""
        if not file.startswith(str(ROOT / "xarr")):
            continue
        named = "\n".join(NAMED.findall(inspect.getdoc(value) or ""))
        for kind, given in RAISED.findall(inspect.getsource(function)):
            error = f"{kind.title()}Error" if kind else given
            is_caught = name.endswith("choose")  # the IndexError; a ValueError is raised for it
            if hasattr(builtins, error) and error not in named and not is_caught:
                wrong.append((name, error))
    assert wrong == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != tutorial.PAGE], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run(page: Path) -> None:
    if page.name == "exchange.md" and "opencl:0" not in map(str, CPUS):
        pytest.skip("no device is a CPU")
    _run("\n".join(_blocks(page, "pycon")), page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_of_a_page_can_be_pasted_at_the_prompt(page: Path) -> None:
    """An indented block ends with a line of `...`: without it Python 3.11 raises a SyntaxError."""
    for block in _blocks(page, "pycon"):
        for statement in re.findall(r"^>>> .*\n(?:\.\.\..*\n)*", block, re.MULTILINE):
            lines = [line[4:] for line in statement.splitlines()]
            assert codeop.compile_command("\n".join(lines), symbol="single"), statement


@pytest.mark.slow
def test_the_tutorial_runs_and_draws_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("matplotlib", "scipy", "distributed"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra tutorial)")
    monkeypatch.chdir(tmp_path)
    _run("\n".join(_blocks(tutorial.PAGE, "pycon")), "tutorial.md")
    pictures = DOCS / "images" / "tutorial"
    imread = importlib.import_module("matplotlib.image").imread
    for name in ("plate.png", "study.png"):
        assert (imread(tmp_path / name) == imread(pictures / name)).all()


def test_script_and_notebook_of_the_tutorial_are_its_page() -> None:
    assert tutorial.SCRIPT.read_text() == tutorial.script(), "python -m tools.tutorial"
    assert tutorial.NOTEBOOK.read_text("utf-8") == tutorial.notebook(), "python -m tools.tutorial"


def test_the_gallery_shows_each_example_with_its_picture_and_times() -> None:
    page = (DOCS / "gallery.md").read_text()
    named = re.findall(r"^:::\{xarr-example\} (\w+)$", page, re.MULTILINE)
    assert sorted(named) == gallery.demo.NAMES
    for name in named:
        assert f"](images/gallery/{name}.webp)" in page
        assert 10 <= len(gallery.excerpt(name).splitlines()) <= 24, name
    assert all(run["times_s"].keys() == set(named) for run in gallery.files().values())
    assert len(gallery.table()) == len(named) + 1
    pictures = {path.stem: path.stat().st_size for path in gallery.PICTURES.iterdir()}
    assert pictures.keys() == set(named)
    assert max(pictures.values()) < 60_000


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_program_of_a_page_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec("".join(_blocks(ROOT / page, "python")), names)
    assert capsys.readouterr().out


CPUS = [device for device in xarr.devices() if device.kind == "cpu"]
ON_CUDA = ("devices.md", "exchange.md", "from_cuda_python.md")
"""Pages whose program needs a CUDA device, and other libraries for those."""


@pytest.mark.parametrize("page", ON_CUDA)
def test_the_program_for_cuda_devices_runs(page: str, device: xarr.Device) -> None:
    if device.info.dialect != "cuda":
        pytest.skip(f"{device} is no CUDA device")
    exec("".join(_blocks(DOCS / page, "python")), {})


def test_every_code_block_is_run_or_known() -> None:
    # Fragments that show a form, or that another test uses.
    known = {"adding.md": 8, "README.md": 1, "index.md": 1, **dict.fromkeys(ON_CUDA, 1)}
    for page in PAGES:
        assert len(_blocks(page, "python")) == known.get(page.name, 0), page.name


FUNCTIONS = ("chapters", "elementwise", "hidden_transfers", "keywords", "reductions", "ufuncs")
BY_NAME = [f"tests/functions/test_{name}.py" for name in FUNCTIONS]
BY_NAME += [f"tests/kernels/test_{name}.py" for name in ("bits", "cuda_compile", "special")]
"""The files with a test for each function."""


@pytest.mark.nightly
def test_who_follows_adding_md_passes(tmp_path: Path) -> None:
    """In a copy of xarr to which the examples of the page are added as it says."""
    unread = shutil.ignore_patterns(".*", "__pycache__", "_build", "output")
    shutil.copytree(ROOT, tmp_path, ignore=unread, dirs_exist_ok=True)
    (function,) = _blocks(DOCS / "adding.md", "c")
    blocks = _blocks(DOCS / "adding.md", "python")
    row, named, rule, reduction_row, reduction, composed, _, backend = blocks
    from_averages = "from xarr.functions.statistics.averages import"
    averages = "functions/statistics/averages.py"
    for path, before, added in (
        ("ops/elementwise.py", "from xarr.dtypes", "import numpy\n\n"),
        ("ops/elementwise.py", "\nTABLE:", row),
        (
            "transforms/derivatives_of_elements.py",
            "    # Special functions.\n",
            f"    {rule.strip()}\n",
        ),
        ("ops/reductions.py", "\nTABLE:", reduction_row),
        ("functions/elementwise/elementwise.py", "logical_and: Final", named),
        ("functions/reduce/reductions.py", "def sum(", reduction + "\n\n"),
        (averages, "def cov(", composed + "\n\n"),
        (averages, "from xarr.backends.device", "from xarr.array.coerce import array_of\n"),
        ("backends/device.py", "}\n", '    "toy": "toy",\n'),
        ("__init__.py", "    logical_and as logical_and,\n", "    logistic as logistic,\n"),
        ("__init__.py", "else:\n", f"    {from_averages} root_mean_square as root_mean_square\n"),
        ("__init__.py", "    sum as sum,\n", "    sum_of_magnitudes as sum_of_magnitudes,\n"),
    ):
        file = tmp_path / "xarr" / path
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, added + before, 1))
    with (tmp_path / "xarr" / "kernels" / "real.h").open("a") as header:
        header.write("\n" + function)
    (tmp_path / "xarr" / "backends" / "toy.py").write_text(backend)
    for command in (
        ("ruff", "check", "--quiet", "--select", "I", "--fix"),
        ("ruff", "format", "--quiet", "xarr/backends/device.py"),
        ("tools.bits", "--write", "logistic"),
        ("ruff", "check"),
        ("ruff", "format", "--check"),
        (
            *("pytest", "tests/test_docs.py", "tests/transforms/test_grad.py", *BY_NAME),
            *("-m", "not slow and not nightly"),
            *("-k", "logistic or magnitudes or mean_square or every_case or elementwise_function"),
        ),
    ):
        done = run("-m", *command, cwd=tmp_path, PYTHONPATH=str(tmp_path))
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_of_environment_variables_is_complete() -> None:
    listed = {line[0].strip("`") for line in TABLES.environment_table()[1:]}
    text = inspect.getsource(settings)
    assert listed == set(re.findall(r"XARR_\w+", text))
    accepted = {"XARR_RANDOM": "numpy", "XARR_TIERS": "fused", "XARR_INLINE": "0"}
    for variable in listed:
        read = settings.Settings.read({variable: accepted.get(variable, "1")})
        assert read != settings.Settings(), variable


def test_nobody_is_told_to_install_what_is_another_projects() -> None:
    """On PyPI `xarr` is another project's: releases are xarr-array, and extras are a clone's."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = " ".join(
        [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    )
    pages = [ROOT / "Makefile"]
    for suffix in ("md", "py", "toml", "yml"):
        pages += ROOT.glob(f"*.{suffix}")
        for folder in ("docs", "xarr", "tests", "tools", "examples", "benchmarks", ".github"):
            pages += (ROOT / folder).rglob(f"*.{suffix}")
    told = set()
    for path in pages:
        for line in re.findall(r"pip install (.*)", path.read_text()):
            packages = re.split("[`#]", line)[0]
            assert not re.search(r"(^|\s)[\"']?xarr(?!-array)\b", packages), (path, line)
            told |= set(re.findall(r'"([\w.-]+)\[(\w+)\]', line))
    own = {(package, extra) for package, extra in told if package in (".", "xarr-array")}
    assert {extra for _, extra in own} <= set(extras)
    assert ("cupy-cuda13x", "ctk") in told
    for package, extra in told - own:
        assert f"{package}[{extra}]" in needed or package == "dask"


def test_no_other_module_reads_xarr_variables() -> None:
    for path in (ROOT / "xarr").rglob("*.py"):
        if path.name != "settings.py":
            assert not re.search(r"environ\S*XARR_", path.read_text()), path


def test_the_tables_of_operations_say_what_happens() -> None:
    elementwise_lines = {line[0]: line for line in TABLES.elementwise_table()}
    header = elementwise_lines["function"]
    assert len(elementwise_lines) == len(elementwise.TABLE) + 1
    assert len(TABLES.reductions_table()) == len(reductions.TABLE) + 1
    assert header[1:15] == [TABLES.short(row.name) for row in dtypes.TABLE]
    exp = dict(zip(header, elementwise_lines["`~xarr.exp`"], strict=True))
    assert (exp["bool"], exp["i16"], exp["f32"], exp["c64"]) == ("f16", "f32", "yes", "yes")
    shift = dict(zip(header, elementwise_lines["`~xarr.bitwise_left_shift`"], strict=True))
    assert (shift["bool"], shift["u8"], shift["f32"]) == ("i8", "yes", "no")
    assert xarr.exp(xarr.asarray([1], dtype="int16")).dtype == numpy.float32


def test_every_public_name_has_one_place_in_the_reference() -> None:
    chapters = TABLES.names_by_chapter()
    first = [name for names in chapters.values() for name in names]
    spelled = [name for names in TABLES.spellings().values() for name in names]
    assert sorted(first) == sorted(TABLES.spellings())
    assert sorted(spelled) == sorted(TABLES.PUBLIC)
    assert set(chapters) <= set(TABLES.CHAPTERS), "a new chapter needs a title and a sentence"
    for name, chapter in {
        "add": "elementwise",
        "sum": "reductions",
        "linalg.svd": "linalg",
        "fft.fft": "fft",
        "zeros": "creation",
        "float32": "data_types",
        "printoptions": "printing",
        "Stream": "devices",
        "CompileError": "errors",
        "pi": "constants",
    }.items():
        assert name in chapters[chapter]
    assert TABLES.spellings()["abs"] == ["abs", "absolute"]


@pytest.mark.nightly
@pytest.mark.skipif(not any(map(vendor.runs_on_numpy, xarr.devices())), reason="no device is a CPU")
def test_the_table_of_places_says_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "")  # as `make docs` has it
    header, *lines = TABLES.places_table()
    where = {name: line[:4] for line in lines for name in re.findall(r"`~xarr\.([\w.]+)`", line[4])}
    assert len(header) == 5
    assert where["add"] == where["pad"] == ["elementwise kernel"] * 4
    assert where["sum"] == ["reduction kernels"] * 4
    assert where["reshape"] == where["zeros"] == ["no kernel"] * 4
    own, host = "NumPy, in the arrays' own memory", "NumPy on the host"
    assert where["linalg.svd"] == [own, host, "cuSOLVER", "cuSOLVER"]
    assert where["linalg.eig"] == [own, host, "cuSOLVER", host]
    assert where["matmul"] == [own, "matrix product kernels", "cuBLAS", "cuBLAS"]
    assert where["sort"] == where["argsort"] == [own, *["radix sort kernels"] * 3]
    assert where["fft.fft"] == [own, "FFT kernels", "cuFFT", "cuFFT"]
    assert host in where["linalg.matrix_norm"][1]
    assert where["linalg.matrix_power"][2:] == ["cuBLAS, cuSOLVER"] * 2
    gpu = xarr.default_device().pretending("as-gpu")
    assert all(TABLES._runs("matmul", gpu)[1] for _ in range(4))  # also when it comes again


def test_an_explained_program_shows_its_kernel() -> None:
    program = 'x = np.asarray([1.0, 2.0], dtype="float32") * 3'
    text, without = [TABLES.explained(program, sources=one) for one in (True, False)]
    assert "multiply(" in text
    assert "#define XR_COMPUTE" in text
    assert "KERNEL" not in text
    assert all("elementwise.c, 16 bytes" in one for one in (text, without))


def test_architecture_names_what_there_is() -> None:
    text = (DOCS / "architecture.md").read_text()
    modules = [path for path in (ROOT / "xarr").rglob("*.py") if path.name != "__init__.py"]
    code = "\n".join(path.read_text() for path in modules)
    for module, name in re.findall(r"`([a-z_]+)\.(\w+)[^`/]*`", text):
        found = [path for path in modules if path.stem == module]
        if found and name not in ("py", "c", "h"):
            said = "\n".join(path.read_text() for path in found)
            assert re.search(rf"\b{name}\b", said), f"{module}.{name}"
    for name in re.findall(r"`(_\w+)`", text):
        assert re.search(rf"def {name}\b", code), name
    classes = re.split(r"^class ", code, flags=re.MULTILINE)
    for kind, name in re.findall(r"`([A-Z][a-z]\w+)(?:\.(\w+))?`", text):
        own = [part for part in classes if re.match(rf"{kind}\b", part)]
        assert hasattr(builtins, kind) or any(re.search(rf"\b{name}\b", part) for part in own), (
            f"{kind}.{name}"
        )
    for file in re.findall(r"`([\w/]+\.py)`", text):
        assert (ROOT / file).exists(), file


def test_architecture_names_every_package() -> None:
    tree = inspect.cleandoc(*_blocks(DOCS / "architecture.md", "text"))
    rooms = {path.name for path in (ROOT / "xarr").iterdir() if path.is_dir()} - {"__pycache__"}
    assert set(re.findall(r"^(\w+)/", tree, re.MULTILINE)) - {"xarr"} == rooms
    words = {path.name for path in (ROOT / "xarr").glob("*.py") if path.name[0] != "_"}
    assert set(re.findall(r"\w+\.py", tree)) <= words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_that_a_page_names_exist(page: Path) -> None:
    for named in re.findall(r"`((?:xarr|tests|tools|docs|benchmarks)/[\w/.*]*)`", page.read_text()):
        assert list(ROOT.glob(named.rstrip("/"))), named


def test_each_promise_has_tests_that_exist() -> None:
    promises = re.split("^## ", (DOCS / "promises.md").read_text(), flags=re.MULTILINE)[1:]
    for promise in promises:
        tests = re.findall(r"^- `([\w/]+\.py)::(\w+)`$", promise, re.MULTILINE)
        assert tests, promise
        for file, name in tests:
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE), name


def _words(dialect: str) -> set[str]:
    """What a dialect's header defines for kernels to use."""
    text = (KERNELS / source.DIALECTS[dialect]).read_text()
    defined = set(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    defined |= set(re.findall(r"^typedef .*\b(\w+);", text, re.MULTILINE))
    defined |= set(re.findall(r"^DEVICE \w+ (\w+)\(", text, re.MULTILINE))
    # XR_ words belong to the header itself, and these to OpenCL, where it has to be told of them.
    return {word for word in defined if not word.startswith(("XR_", "as_", "CLK_"))}


def _named(section: str) -> set[str]:
    """The words in the first column of the table after a sentence of the README."""
    text = (KERNELS / "README.md").read_text().partition(section)[2].partition("\n\n|")[2]
    rows = text.partition("\n\n")[0].splitlines()
    return {
        word for row in rows for word in re.findall(r"`(\w+)(?:\([^`]*\))?`", row.split(" | ")[0])
    }


def test_dialects_define_the_words_of_the_readme() -> None:
    words = _named("All dialects define these words")
    exact = _named("These are the languages' own")
    assert {"KERNEL", "GLOBAL_ID", "f16", "xr_mulhi_u64"} <= words
    assert {"sqrt", "isnan"} <= exact
    for dialect in source.DIALECTS:
        assert _words(dialect) - exact == words, dialect


class Page:
    """What a page of HTML shows: its text outside of programs, its tables and its entries."""

    def __init__(self, text: str) -> None:
        seen = _without("script|style|title|svg", text)
        tables = re.findall(r"(?s)<table.*?</table>", seen)
        self.rows = [table.count("<tr") for table in tables]
        self.entries = re.findall(r'<dt class="sig[^"]*" id="([^"]*)"', seen)
        self.fields = len(re.findall(r'<dl class="[^"]*field-list', seen))
        self.descriptions = re.findall(
            r'<meta [^>]*content="([^"]+)"[^>]* name="description"', text
        )
        self.text = unescape(re.sub(r"<[^>]+>", "", seen))
        self.prose = unescape(re.sub(r"<[^>]+>", "", _without("pre|code", seen)))


def _without(tags: str, text: str) -> str:
    return re.sub(rf"(?s)<({tags})\b.*?</\1>", "", text)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra docs)")

    def build(folder: Path) -> None:
        folders = ("-d", str(folder / "trees"), str(DOCS), str(folder / "html"))
        done = run("-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", *folders)
        assert done.returncode == 0, done.stderr

    folder = once(tmp_path_factory, "docs", build) / "html"
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
    }


# Of reStructuredText and of Markdown: directives, roles, fences, options of directives.
RAW = re.compile(r"\.\. [a-z][\w:-]*::|:[a-z]+:[a-z]*:?`|:::|```|\{[a-z-]+\}|:header-rows:")


@pytest.mark.slow
def test_no_page_shows_a_raw_directive(html: dict[str, Page]) -> None:
    for name, page in html.items():
        raw = RAW.search(page.text)
        assert raw is None, (name, page.text[raw.start() - 60 : raw.end() + 60])
        assert "`" not in page.prose, name


@pytest.mark.slow
def test_each_page_has_a_description_of_its_own(html: dict[str, Page]) -> None:
    made = {"genindex.html", "search.html"}  # Sphinx's own
    found = [page.descriptions for name, page in html.items() if name not in made]
    assert len(found) == len({*map(tuple, found)}) > 50
    assert {len(each) for each in found} == {1}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_tables_where_restructuredtext_is_read(page: Path) -> None:
    outside = re.sub(r"(?ms)^```\{eval-rst\}$.*?^```$", "", page.read_text())
    # But for the name of the distribution, they are directives.
    assert set(re.findall(r"xarr-[a-z-]+", outside)) <= {
        *("xarr-array", "xarr-example", "xarr-explain")
    }


@pytest.mark.slow
def test_tables_are_tables(html: dict[str, Page]) -> None:
    made = ("elementwise_table", "reductions_table", "places_table", "dtypes_table")
    wanted = [len(getattr(TABLES, name)()) for name in made]
    assert html["operations.html"].rows == wanted
    assert html["environment.html"].rows == [len(TABLES.environment_table())]
    assert html["reference.html"].rows == [len(TABLES.names_by_chapter()) + 1]
    spaces = ("main", "linalg", "fft", "random", "ndarray")
    compared = [TABLES.names_counts_table(), *map(TABLES.names_table, spaces)]
    assert html["names.html"].rows == list(map(len, compared))
    for chapter, names in TABLES.names_by_chapter().items():
        if chapter != "array":
            assert html[f"reference/{chapter}.html"].rows == [len(names) + 1]
    attributes, methods, operators = html["reference/array.html"].rows
    assert attributes > 10
    assert methods > 40
    assert operators > 20


@pytest.mark.slow
def test_the_reference_has_each_public_name_and_nothing_else(html: dict[str, Page]) -> None:
    counted = Counter(entry for page in html.values() for entry in page.entries)
    assert set(counted.values()) == {1}
    entries = set(counted)
    assert {f"xarr.Array.{name}" for name in ("T", "shape", "sum", "__dlpack__")} <= entries
    assert html["reference/elementwise.html"].text.count("frexp(x, /") == 1
    assert html["reference/elementwise.html"].fields >= len(elementwise.TABLE)
    of_device = {entry for entry in entries if entry.startswith("xarr.Device.")}
    assert of_device == {f"xarr.Device.{name}" for name in PUBLIC}
    assert {"backend", "has_float64", "kind", "memory_info", "synchronize"} < set(PUBLIC)
    for word in ("revision", "serials", "pretending"):
        assert word not in html["reference/devices.html"].text
    classes = [name for name, value in TABLES.PUBLIC.items() if isinstance(value, type)]
    within = tuple([f"xarr.{name}." for name in classes])
    public = {f"xarr.{name}" for name in TABLES.PUBLIC}
    assert {entry for entry in entries if not entry.startswith(within)} == public
