"""`python -m xarr bench` measures the default device beside NumPy."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from xarr.__main__ import main
from xarr.numpy_runner import bench


def test_a_table_for_each_size_and_a_picture(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(bench, "SIDES", (64, 8))
    monkeypatch.setattr(bench, "SECONDS", 0)
    picture = tmp_path / "picture.png"
    assert main(["bench", str(picture)]) == 0
    said = capsys.readouterr().out
    for side in bench.SIDES:
        assert f"\n{side} x {side} " in said
    for name in bench.ROWS:
        row = rf"^{re.escape(name)}( +[\d.]+ us){{2}} +[\d.]+$"
        assert len(re.findall(row, said, re.MULTILINE)) == 2, name
    assert said.endswith(f"\npicture: {picture}\n")
    assert picture.stat().st_size > 10_000


def test_a_wrong_result_is_told_and_matplotlib_may_be_absent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def differs(xp: Any, x: Any, y: Any) -> Any:
        return x + (xp.__name__ == "xarr")

    monkeypatch.setattr(bench, "ROWS", {"x + y": bench.ROWS["x + y"], "x + 1": differs})
    monkeypatch.setattr(bench, "SIDES", (8,))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    lines, agrees = bench.report(tmp_path / "picture.png", seconds=0)
    assert not agrees
    assert [line.split("  ")[0] for line in lines if "WRONG" in line] == ["x + 1"]
    assert lines[-1].startswith("a picture needs matplotlib")
