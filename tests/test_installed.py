"""The distribution's name, and what is said where the project called xarr on PyPI is beside it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import numpy
import pytest

from tests.processes import ROOT, run, run_code
from xarr import installed
from xarr.__main__ import info
from xarr.numpy_runner import doctor

THEIRS = '__version__ = "0.0.1"\n__all__ = []\n'
PACKAGES = Path(numpy.__file__).parents[1]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder in which xarr and the other project are installed, xarr last."""
    unread = shutil.ignore_patterns("__pycache__", "compiled", "*.so", "*.pyd")
    shutil.copytree(ROOT / "xarr", tmp_path / "xarr", ignore=unread)
    theirs(tmp_path)
    return tmp_path


def theirs(folder: Path, *files: str) -> None:
    """Install the other project's distribution, whose files are empty but for those there are."""
    about = folder / "xarr-0.0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: xarr\nVersion: 0.0.1\n")
    files = files or ("xarr/__init__.py", "xarr/_modidx.py")
    (about / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    (folder / "xarr").mkdir(exist_ok=True)
    for file in files:  # importlib.metadata leaves out what is not there, from Python 3.12 on
        (folder / file).touch()


def error_of(site: Path, *arguments: str) -> str:
    """The last line of what Python says, which knows no installation but the one in a folder."""
    path = os.pathsep.join([str(site), str(PACKAGES)])
    done = run("-S", *arguments, cwd=site, PYTHONPATH=path, XARR_PURE="1")
    assert done.returncode == 1, done.stdout
    return done.stderr.splitlines()[-1]


def test_the_name_is_the_distributions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == installed.NAME == doctor.PACKAGES[0]
    needed = [line for extra in project["optional-dependencies"].values() for line in extra]
    assert [line for line in needed if re.match(r"xarr\b(?!-array)", line)] == []
    assert f"pip install {installed.NAME}" in "".join((ROOT / "README.md").read_text()[:400])


@pytest.mark.parametrize("arguments", [("-c", "import xarr"), ("-m", "xarr", "info")])
def test_files_of_the_other_project_beside_ours(site: Path, arguments: tuple[str, ...]) -> None:
    folder = site / "xarr"
    assert error_of(site, *arguments) == (
        f"ImportError: import xarr: {folder} has files of xarr-array and of another project, "
        f"xarr 0.0.1; xarr-array is imported; only one of them can be installed; "
        "python -m pip uninstall --yes xarr xarr-array, then install xarr-array again"
    )


def test_the_init_file_of_the_other_project(site: Path) -> None:
    (site / "xarr" / "__init__.py").write_text(THEIRS)
    assert "; the other project is imported; only one" in error_of(site, "-m", "xarr", "doctor")


def test_the_other_project_was_uninstalled_behind_ours(site: Path) -> None:
    for name in ("__init__.py", "_modidx.py"):
        (site / "xarr" / name).unlink()
    shutil.rmtree(site / "xarr-0.0.1.dist-info")
    error = error_of(site, "-m", "xarr", "info")
    assert f"import xarr: {site / 'xarr'} has no __init__.py; uninstalling another" in error
    assert error.endswith(installed.REMEDY)


def test_the_other_project_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "another project" not in info()
    assert f"package          {ROOT / 'xarr'}\n" in info()
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(doctor, "devices", list)
    theirs(tmp_path)
    other = f"xarr 0.0.1 in {tmp_path / 'xarr'}"
    assert f"another project  {other}; {installed.REMEDY}\n" in info()
    lines, works = doctor.report()
    assert f"advice: {other} is another project; {installed.REMEDY}" in lines
    assert not works


def test_a_clone_that_was_installed_by_its_old_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    theirs(tmp_path, "_xarr.pth")
    assert installed.other_project() == ""


def test_an_import_reads_no_metadata() -> None:
    done = run_code(
        """
        import sys
        import numpy
        before = "importlib.metadata" in sys.modules
        import xarr
        print(before, "importlib.metadata" in sys.modules)
        """
    )
    assert done.stdout.split()[0] == done.stdout.split()[1], done.stderr
