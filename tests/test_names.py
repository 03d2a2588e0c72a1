"""The page that compares names, and the tool that reads those of other libraries."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy
import pytest

import xarr
from tests.processes import run_code
from tools import names

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
tables: Any = pytest.importorskip("tables")


def test_each_name_of_numpys_has_a_line() -> None:
    lines = {line[0]: line[1:] for line in tables.names_table("main")}
    assert lines["``sin``"] == ["yes", "yes", "yes", ""]
    assert lines["``matrix``"][:3] == ["", "", ""]
    assert "x @ y" in lines["``matrix``"][3]
    public = [name for name in numpy.__all__ if not name.startswith("_")]
    assert len(lines) == len(set(public)) + 1
    for name in public:
        assert (lines[f"``{name}``"][0] == "yes") is hasattr(xarr, name)
    assert {line[0] for line in tables.names_table("ndarray")} >= {"``T``", "``astype``"}
    assert not {"Any", "TYPE_CHECKING"} & {*dir(xarr.random), *tables.PUBLIC}


def test_counts_stand_on_top() -> None:
    header, *lines = tables.names_counts_table()
    assert header[:3] == ["names", f"NumPy {numpy.__version__}", "xarr"]
    assert [title.split()[0] for title in header[3:]] == ["cupy", "dpnp"]
    *spaces, total = lines
    for place in range(1, 5):
        assert int(total[place]) == sum(int(line[place]) for line in spaces)
        assert all(int(line[place]) <= int(line[1]) for line in spaces)
    ours = {line[0]: int(line[2]) for line in spaces}
    assert ours["``fft``"] >= 14


def test_a_name_is_imported_at_its_first_use() -> None:
    done = run_code("""
        import numpy, sys, xarr
        late = {"xarr.array.array", "xarr.functions.sort.sets", "xarr.linalg", "numpy.random"}
        assert not late & {*sys.modules}, late & {*sys.modules}
        assert {"sin", "unique", "linalg", "pi"} <= {*dir(xarr)} and "engine" not in dir(xarr)
        assert float((xarr.arange(10.0) * 2).sum()) == 90  # imports the package `array` within
        assert xarr.array([3]).item() == 3 and "Parameters" in xarr.unique.__doc__
        assert numpy.fft.fft(xarr.ones(4)).dtype == "complex128" and "xarr.fft" in sys.modules
        from xarr import *
        print({*dir(xarr)} <= {*globals()}, xarr.unique is unique, xarr.ndarray is Array)
    """)
    assert done.stdout == "True True True\n", done.stderr


def test_names_are_read_from_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "dpnp-1.2-py3-none-any.whl"
    files = {
        "dpnp/__init__.py": "from .a import x as y, _z\nfrom dpnp.b import *\nw: int = 1\n",
        "dpnp/a.py": "",
        "dpnp/b.py": "__all__ = ['listed']\n__all__ += ['more']\ndef other(): pass\n",
        "dpnp/linalg/__init__.py": "from .c import *\ntry:\n    k = 1\nexcept E:\n    pass\n",
        "dpnp/linalg/c.py": "def solve(): pass\nclass Result: pass\n",
        "dpnp/dpnp_array.py": "class dpnp_array:\n  def sum(self): 1\n  def _no(self): 1\n",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    monkeypatch.setattr(names, "FOLDER", tmp_path / "names")
    assert names.main([str(wheel)]) == 0
    assert capsys.readouterr().out == "dpnp 1.2: 8 names\n"
    listed = "listed more w y linalg.Result linalg.k linalg.solve ndarray.sum"
    found = (tmp_path / "names" / "dpnp.txt").read_text()
    assert found.split("\n") == ["dpnp 1.2", *listed.split(), ""]
