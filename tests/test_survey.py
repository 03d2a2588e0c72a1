"""`tools.survey` collects what programs take from NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import survey

PROGRAM = """
import numpy as np
import numpy.linalg as la
from numpy.fft import fft as transform
import math

x = np.zeros(3, dtype=np.float32)
y = la.norm(np.linalg.inv(np.eye(3))) + np.pi.real
z = transform(x) + math.sin(1) + np.no_such_name(3) + x.sum()
"""
NAMES = {"zeros", "float32", "linalg", "linalg.norm", "linalg.inv", "eye", "pi", "fft.fft"}


def test_names_of_a_program_and_of_a_notebook(tmp_path: Path) -> None:
    program, notebook = tmp_path / "program.py", tmp_path / "program.ipynb"
    program.write_text(PROGRAM)
    source = ["%matplotlib inline\n", *PROGRAM.splitlines(True)]
    text = {"cell_type": "markdown", "source": ["import numpy.random"]}
    notebook.write_text(json.dumps({"cells": [text, {"cell_type": "code", "source": source}]}))
    assert survey.names_of(program) == survey.names_of(notebook) == NAMES


def test_files_that_lack_a_name_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "whole.py").write_text("import numpy as np\nnp.zeros(3)\n")
    (tmp_path / "lacking.py").write_text("import numpy as np\nnp.ones(3)\n")
    monkeypatch.setattr("xarr.ones", survey._MISSING)
    (tmp_path / "broken.py").write_text("import numpy as np\nprint 'two'\n")
    assert survey.main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "all: 1 of 2 files, 50.0 %" in shown
    assert "1 files lack ones" in shown
