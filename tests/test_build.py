"""What is built and installed, and whether the core runs compiled."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy
import pytest

import xarr
from tests.processes import ROOT, run, run_code
from xarr.__main__ import info
from xarr.interpreted import why_interpreted
from xarr.tape.tape import IS_COMPILED

PACKAGE = Path("xarr")
PACKAGES = Path(numpy.__file__).parents[1]
SOURCE = PACKAGE / "tape/tape.py"
LIBRARY = SOURCE.with_suffix(EXTENSION_SUFFIXES[0])
NOTE = PACKAGE / "compiled"
WHOLE = (
    "pyproject.toml",
    "hatch_build.py",
    "hatch_docs.py",
    "README.md",
    "LICENSE",
    "CITATION.cff",
)

MODULE = '''"""Something small to compile."""

from xarr.ir import _cython as cython

IS_COMPILED = cython.compiled
'''

COMPILER = shutil.which(str(sysconfig.get_config_var("CC") or "cc").split()[0])
needs_a_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what is built, where nothing is compiled."""
    compiled = shutil.ignore_patterns("__pycache__", NOTE.name, "*.so", "*.pyd")
    shutil.copytree(ROOT / "xarr", tmp_path / "xarr", ignore=compiled)
    for name in (*WHOLE, ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def built(checkout: Path, target: str, **environment: str) -> tuple[Path, str]:
    given = {"XARR_PURE": "", **environment}
    done = run("-m", "hatchling", "build", "--target", target, cwd=checkout, **given)
    assert done.returncode == 0, done.stderr
    (file,) = (checkout / "dist").iterdir()
    return file, done.stdout + done.stderr


def imported(checkout: Path, *options: str, **environment: str) -> tuple[str, str]:
    """The file that Python imports the core from, or the error; and what it warns of."""
    code = "from xarr.tape import tape; print(tape.__file__)"
    given = {"PYTHONPATH": str(checkout), "XARR_PURE": "", **environment}
    done = run(*options, "-c", code, cwd=checkout, **given)
    return done.stdout.strip(), done.stderr


def pretend(checkout: Path, sources: bytes) -> None:
    """Put a file beside the core that cannot be loaded, as compiled from sources."""
    (checkout / LIBRARY).write_text("not a library")
    (checkout / NOTE).write_bytes(sources)


def sources_of(checkout: Path) -> bytes:
    """What is compiled, as the note has it."""
    types = sorted((checkout / PACKAGE).glob("*/*.pxd"))
    return b"".join(two.read_bytes() for one in types for two in (one.with_suffix(".py"), one))


def one_module(checkout: Path) -> None:
    """Have something small to compile, and nothing else."""
    for types in (checkout / PACKAGE).glob("*/*.pxd"):
        types.unlink()
    (checkout / SOURCE).write_text(MODULE)
    (checkout / SOURCE).with_suffix(".pxd").touch()


def test_all_files_tell_the_same_version() -> None:
    for name in ("pyproject.toml", "xarr/__init__.py", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (version,) = re.findall(r'^(?:__)?version(?:__)?(?: =|:) "?([\w.]+)"?$', text, re.MULTILINE)
        assert version == xarr.__version__, name


@needs_a_compiler
@pytest.mark.skipif(os.environ.get("XARR_PURE") == "1", reason="XARR_PURE asks for the source")
def test_the_core_is_compiled_here() -> None:
    assert IS_COMPILED, f"compile it: make, or pip install --editable . ({why_interpreted})"


def test_info_says_how_the_core_runs() -> None:
    (line,) = [line for line in info().splitlines() if line.startswith("core ")]
    wanted = "compiled" if IS_COMPILED else f"interpreted ({why_interpreted or 'it was not'}"
    assert line.startswith(f"core             {wanted}")


def test_a_compiled_file_goes_before_its_source(checkout: Path) -> None:
    assert imported(checkout)[0] == str(checkout / SOURCE)
    pretend(checkout, sources_of(checkout))
    assert "ImportError" in imported(checkout)[1]
    assert imported(checkout, "-Werror", XARR_PURE="1") == (str(checkout / SOURCE), "")


def test_an_edited_source_goes_before_what_was_compiled(checkout: Path) -> None:
    pretend(checkout, b"another source")
    file, warning = imported(checkout)
    assert file == str(checkout / SOURCE)
    assert "RuntimeWarning: import xarr: a source of the core was edited since" in warning
    assert "compile it with python -m pip install --editable ." in warning
    assert imported(checkout, "-Werror", XARR_PURE="1") == (str(checkout / SOURCE), "")


def alone(checkout: Path, *options: str, **environment: str) -> tuple[str, str]:
    """Import xarr by a Python that knows no other than those on PYTHONPATH; see `imported`."""
    path = os.pathsep.join([str(checkout), environment.pop("PYTHONPATH", ""), str(PACKAGES)])
    return imported(checkout, "-S", *options, PYTHONPATH=path, **environment)


@needs_a_compiler
def test_a_clone_that_can_be_compiled_says_so_once(checkout: Path) -> None:
    file, said = alone(checkout)
    assert file == str(checkout / SOURCE)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert said.count("Warning") == 1
    assert said.startswith("<string>:1: RuntimeWarning: import xarr: the core of the clone ")
    assert f" the core of the clone {checkout} is not compiled for Python {version}, and " in said
    assert " can do so; the source runs, interpreted and slower; compile it with " in said
    assert "python -m pip install --editable ., or set XARR_PURE=1\n" in said
    assert alone(checkout, "-Werror", XARR_PURE="1") == (str(checkout / SOURCE), "")


def test_a_core_that_cannot_be_compiled_is_silent(checkout: Path) -> None:
    assert alone(checkout, "-Werror", PATH="") == (str(checkout / SOURCE), "")
    (checkout / "hatch_build.py").unlink()  # as an installed pure wheel
    assert alone(checkout, "-Werror") == (str(checkout / SOURCE), "")


def test_a_clone_in_front_of_a_compiled_xarr_says_so(checkout: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / LIBRARY).parent.mkdir(parents=True)
    (site / LIBRARY).touch()
    file, said = alone(checkout, PYTHONPATH=str(site), PATH="")
    assert file == str(checkout / SOURCE)
    assert f", while the xarr installed in {site} is; the source runs" in said


@needs_a_compiler
def test_a_clone_that_was_compiled_for_another_python_says_so(checkout: Path) -> None:
    (checkout / NOTE).write_bytes(sources_of(checkout))
    assert " is not compiled for Python " in alone(checkout)[1]


def test_the_parent_folder_of_a_clone(checkout: Path, tmp_path: Path) -> None:
    clone = tmp_path / "parent" / "xarr"
    shutil.copytree(checkout / "xarr", clone / "xarr")
    shutil.copy(ROOT / "__main__.py", clone)
    done = run("-S", "-m", "xarr", "info", cwd=clone.parent, PYTHONPATH=str(PACKAGES))
    assert done.returncode == 1
    assert done.stderr.startswith(f"python -m xarr: {clone} is a clone, whose package is ")
    assert f'python -m pip install --editable "{clone}"' in done.stderr
    done = run("-c", "import xarr; print(xarr.__file__)", cwd=clone.parent)
    assert done.stdout == f"{ROOT / 'xarr' / '__init__.py'}\n"


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_core_is_a_module_as_others_are(pure: str) -> None:
    done = run_code(
        """
        import pickle, traceback
        import xarr
        from xarr.ir import memo

        assert xarr.ir.memo is memo
        x = xarr.asarray([1.0, 2.0])
        assert pickle.loads(pickle.dumps(x + x)).tolist() == [2.0, 4.0]
        assert pickle.loads(pickle.dumps(memo.remembered)) is memo.remembered
        try:
            memo.remembered({}, [], 1)
        except TypeError:
            print(traceback.format_exc())
        """,
        XARR_PURE=pure,
    )
    assert done.returncode == 0, done.stderr
    assert "xarr/ir/memo.py" in done.stdout
    assert "found[key] = value" in done.stdout


def test_a_pure_wheel(checkout: Path) -> None:
    pretend(checkout, b"of this checkout alone")
    file, _ = built(checkout, "wheel", XARR_PURE="1")
    assert file.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(file).namelist()
    assert {SOURCE.as_posix(), "xarr/include/xarr.hpp", "xarr/py.typed"} <= set(names)
    assert [name for name in names if name.endswith((".so", ".pyd"))] == []
    assert {name.partition("/")[0] for name in names} == {
        "xarr",
        f"xarr_array-{xarr.__version__}.dist-info",
    }
    assert (checkout / LIBRARY).exists()
    assert (checkout / NOTE).exists()


def test_a_compiler_that_fails_is_said(checkout: Path) -> None:
    one_module(checkout)
    file, said = built(checkout, "wheel", CC="false")
    assert file.name.endswith("-py3-none-any.whl")
    assert "the core runs interpreted, as it was not compiled: " in said


def test_a_package_that_is_not_imported_is_said(checkout: Path) -> None:
    (checkout / "xarr" / "dtypes.py").write_text("import absent\n")
    file, said = built(checkout, "wheel", XARR_PURE="1")
    assert zipfile.ZipFile(file).read("xarr/dtypes.py") == b"import absent\n"
    assert " without what `help` adds, as the package was not imported: " in said
    assert "No module named 'absent'" in said


def test_a_source_distribution_can_be_built_from(checkout: Path) -> None:
    pretend(checkout, b"of this checkout alone")
    file, _ = built(checkout, "sdist")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {*WHOLE, str(SOURCE)} <= names
    assert not {str(LIBRARY), str(NOTE)} & names


@needs_a_compiler
@pytest.mark.slow
def test_a_compiled_wheel_has_the_source_too(checkout: Path) -> None:
    one_module(checkout)
    file, _ = built(checkout, "wheel")
    assert "-none-any" not in file.name
    names = zipfile.ZipFile(file).namelist()
    assert {SOURCE.as_posix(), LIBRARY.as_posix()} <= set(names)
    assert NOTE.as_posix() not in names
    assert not (checkout / LIBRARY).exists()
    assert not (checkout / "build").exists()


@needs_a_compiler
@pytest.mark.slow
def test_an_editable_install_compiles_what_was_edited(checkout: Path) -> None:
    source, library, note = (checkout / name for name in (SOURCE, LIBRARY, NOTE))
    one_module(checkout)
    built(checkout, "wheel:editable")
    assert note.read_text() == MODULE
    first = library.stat()
    built(checkout, "wheel:editable")
    assert library.stat().st_ino == first.st_ino
    source.write_text(MODULE + "MORE = 1\n")
    built(checkout, "wheel:editable")
    assert note.read_text() == source.read_text()
    assert library.stat().st_mtime > first.st_mtime
    built(checkout, "wheel:editable", XARR_PURE="1")
    assert not library.exists()
    assert not note.exists()
