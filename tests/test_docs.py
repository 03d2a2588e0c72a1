"""That the documentation builds, that what it shows is so, and that its tables are complete."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr
from tests.processes import ROOT, run
from tests.reference import assert_near
from xarr import dtypes, settings
from xarr.algorithms import library
from xarr.array.array import Array
from xarr.backends.device import default_device
from xarr.compiler import source
from xarr.functions import data_types, diagnostics
from xarr.tables import elementwise, reductions
from xarr.tables.rows import Domain, Elementwise

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), ROOT / "README.md"])
KERNELS = ROOT / "xarr" / "kernels"

# An example may leave out of an exception what follows its type.
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


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
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


def _blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page, without the indentation of those in lists."""
    found = re.findall(
        rf"^( *)```{language}\n(.*?)^\1```$", page.read_text(), re.MULTILINE | re.DOTALL
    )
    return [inspect.cleandoc(text) + "\n" for _, text in found]


PUBLIC = {
    **{f"xarr.{name}": function for name, function in TABLES.PUBLIC.items()},
    **{
        f"xarr.functions.diagnostics.{name}": getattr(diagnostics, name)
        for name in vars(diagnostics)
    },
    "xarr": xarr,
    "xarr.Array": Array,
    "xarr.functions.data_types": data_types,
}
WITH_EXAMPLES = {
    name: value.__doc__
    for name, value in PUBLIC.items()
    if ">>>" in (getattr(value, "__doc__", None) or "")
    and not getattr(value, "__module__", "").startswith("numpy")
}


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_example_of_a_docstring_runs(name: str) -> None:
    _run(WITH_EXAMPLES[name], name)


@pytest.mark.parametrize(
    "name", [row.name for row in (*elementwise.TABLE, *reductions.TABLE)] + ["where", "explain"]
)
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>>" in inspect.getdoc(getattr(xarr, name))  # type: ignore[operator]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path) -> None:
    _run("\n".join(_blocks(page, "pycon")), page.name)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_program_of_a_page_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec("".join(_blocks(ROOT / page, "python")), names)
    assert capsys.readouterr().out


def test_every_code_block_is_run_or_known() -> None:
    # Fragments that show a form, or that another test uses.
    known = {"architecture.md": 2, "adding.md": 2, "README.md": 1, "index.md": 1}
    known["devices.md"] = (
        1  # needs a GPU, and four libraries; test_cuda_interchange.py does the same
    )
    for page in PAGES:
        assert len(_blocks(page, "python")) == known.get(page.name, 0), page.name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_cube_root_of_adding_md_is_what_it_says(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dtype == "float64" and not default_device().has_float64:
        pytest.skip("the device has no float64")
    (code,) = _blocks(DOCS / "adding.md", "c")
    (text,) = (block for block in _blocks(DOCS / "adding.md", "python") if "cbrt" in block)
    row = eval(
        f"({text.strip().rstrip(',')})",
        {"Elementwise": Elementwise, "Domain": Domain, "REAL": dtypes.REAL},
    )
    (function,) = source._UNIT.findall(code)
    units = {
        **source.library(),
        "xr_cbrt_T": (source.Unit("xr_cbrt_T", function, source.LIBRARY["real.h"]),),
    }
    monkeypatch.setattr(source, "library", lambda: units)
    source.unit.cache_clear()
    try:
        tiny = numpy.finfo(dtype).tiny
        x = numpy.concatenate(
            [
                numpy.linspace(row.domain.low, row.domain.high, 1001),
                numpy.geomspace(tiny * 1e-5, numpy.finfo(dtype).max / 2, 999),
                [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan],
            ]
        ).astype(dtype)
        result = numpy.asarray(row.unary(xarr.asarray(x)))
    finally:
        source.unit.cache_clear()
    # NumPy's own is some units off on some processors.
    wanted = numpy.cbrt(x.astype(numpy.longdouble))
    assert_near(result, wanted, row.domain.ulp, "cbrt", (x,))
    assert "cube root" in row.function().__doc__
    assert "NumPy's function." in row.function().__doc__


def test_the_table_of_environment_variables_is_complete() -> None:
    listed = {line[0].strip("`") for line in TABLES.environment_table()[1:]}
    text = inspect.getsource(settings)
    assert listed == set(re.findall(r"XARR_\w+", text))
    for variable in listed:
        changed = settings.Settings.read({variable: "given"})
        assert changed != settings.Settings.read({}), variable


def test_no_other_module_reads_xarr_variables() -> None:
    for path in (ROOT / "xarr").rglob("*.py"):
        if path.name != "settings.py":
            assert not re.search(r"environ\S*XARR_", path.read_text()), path


def test_the_tables_of_operations_say_what_happens() -> None:
    elementwise_lines = {line[0]: line for line in TABLES.elementwise_table()}
    header = elementwise_lines["function"]
    assert len(elementwise_lines) == len(elementwise.TABLE) + 1
    assert len(TABLES.reductions_table()) == len(reductions.TABLE) + 1
    assert header[2:16] == [TABLES.short(row.name) for row in dtypes.TABLE]
    exp = dict(zip(header, elementwise_lines["`~xarr.exp`"], strict=True))
    assert (exp["bool"], exp["i16"], exp["f32"], exp["c64"]) == ("f16", "f32", "yes", "yes")
    shift = dict(zip(header, elementwise_lines["`~xarr.bitwise_left_shift`"], strict=True))
    assert (shift["bool"], shift["u8"], shift["f32"]) == ("no", "yes", "no")
    assert xarr.exp(xarr.asarray([1], dtype="int16")).dtype == numpy.float32


def test_the_reference_holds_every_public_function() -> None:
    listed = {name for names in TABLES.names_by_part().values() for name in names}
    aliases = {line[0].strip("`").removeprefix("xarr.") for line in TABLES.aliases()[1:]}
    assert listed | aliases == set(TABLES.PUBLIC) > set(FUNCTIONS)
    assert not listed & aliases


@pytest.mark.skipif(not any(map(library.is_preferred, xarr.devices())), reason="no device is a CPU")
def test_the_table_of_places_says_what_runs() -> None:
    header, *lines = TABLES.places_table()
    where = {name: line[:4] for line in lines for name in re.findall(r"`~xarr\.([\w.]+)`", line[4])}
    assert len(header) == 5
    assert where["add"] == where["pad"] == ["elementwise kernel"] * 4
    assert where["sum"] == ["reduction kernels"] * 4
    assert where["reshape"] == where["zeros"] == ["no kernel"] * 4
    own = "NumPy, in the arrays' own memory"
    assert where["linalg.svd"] == [own, "NumPy on the host", "cuSOLVER", "cuSOLVER"]
    assert where["linalg.eig"] == [own, "NumPy on the host", "cuSOLVER", "NumPy on the host"]
    assert where["matmul"] == [own, "matrix product kernels", "cuBLAS", "cuBLAS"]
    assert where["sort"] == [own, "radix sort kernels", "CUB", "radix sort kernels"]
    assert where["argsort"] == [own, *["radix sort kernels"] * 3]
    assert where["fft.fft"] == [own, "FFT kernels", "cuFFT", "cuFFT"]
    assert "NumPy on the host" in where["linalg.matrix_norm"][1]
    assert where["linalg.matrix_power"][2:] == ["cuBLAS, cuSOLVER"] * 2


def test_an_explained_program_shows_its_kernel() -> None:
    text = TABLES.explained('x = np.asarray([1.0, 2.0], dtype="float32") * 3')
    assert "multiply(" in text
    assert "#define XR_COMPUTE" in text


def test_architecture_names_what_there_is() -> None:
    text = (DOCS / "architecture.md").read_text()
    code = "\n".join(path.read_text() for path in (ROOT / "xarr").rglob("*.py"))
    for module, name in re.findall(r"`([a-z_]+)\.(\w+)[^`/]*`", text):
        path = ROOT / "xarr" / f"{module}.py"
        if path.exists() and name not in ("py", "c", "h"):
            assert re.search(rf"\b{name}\b", path.read_text()), f"{module}.{name}"
    for name in re.findall(r"`(_\w+)`", text):
        assert re.search(rf"def {name}\b", code), name
    for file in re.findall(r"`(\w+\.py)`", text):
        assert (ROOT / "xarr" / file).exists(), file


def _words(dialect: str) -> set[str]:
    """What a dialect's header defines for kernels to use."""
    text = (KERNELS / source.DIALECTS[dialect]).read_text()
    defined = set(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    defined |= set(re.findall(r"^typedef .*\b(\w+);", text, re.MULTILINE))
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
    words = _named("Both dialects define these words")
    exact = _named("These are the languages' own")
    assert {"KERNEL", "GLOBAL_ID", "f16", "xr_mulhi_u64"} <= words
    assert {"sqrt", "isnan"} <= exact
    for dialect in source.DIALECTS:
        assert _words(dialect) - exact == words, dialect


def test_readme_names_every_file() -> None:
    text = (KERNELS / "README.md").read_text()
    for path in KERNELS.glob("*.c"):
        assert f"`{path.name}`" in text
    assert set(source.LIBRARY) <= {path.name for path in KERNELS.glob("*.h")}


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra docs)")
    folders = ("-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "html"))
    done = run("-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", *folders)
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "html" / "operations.html").read_text()
    assert "logaddexp" in html
