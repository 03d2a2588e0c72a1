"""What runs the programs of others: a checkout of a suite, and scripts, made small."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from benchmarks import npbench
from tools import programs, scripts

KERNEL = """
import numpy as np
def kernel(alpha, A):
    A[:] = A * alpha + np.WRITTEN
    return A.sum()
"""


def _npbench(folder: Path, written: str = "ones(3)") -> Path:
    """A checkout of NPBench with one benchmark."""
    place = folder / "npbench" / "benchmarks" / "group" / "scale"
    place.mkdir(parents=True)
    (folder / "bench_info").mkdir()
    (place / "scale.py").write_text(
        "import numpy as np\ndef initialize(N): return 2.0, np.arange(float(N))\n"
    )
    (place / "scale_numpy.py").write_text(KERNEL.replace("WRITTEN", written))
    info = {
        "relative_path": "group/scale",
        "module_name": "scale",
        "func_name": "kernel",
        "parameters": {"S": {"N": 3}},
        "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["alpha", "A"]},
        "input_args": ["alpha", "A"],
        "array_args": ["A"],
        "output_args": ["A"],
    }
    (folder / "bench_info" / "scale.json").write_text(json.dumps({"benchmark": info}))
    return folder


def test_a_benchmark_runs_unchanged_and_agrees(tmp_path: Path) -> None:
    given = programs.parse(["npbench", str(_npbench(tmp_path))])
    outcome = programs.run_one(given, "scale")
    assert (outcome.valid, outcome.problem) == (True, "")
    assert outcome.wall > 0
    assert outcome.numpy_cpu > 0


def test_what_a_benchmark_meets_is_said_with_its_line(tmp_path: Path) -> None:
    given = programs.parse(["npbench", str(_npbench(tmp_path, "full(3, chr)"))])
    program = programs.npbench(given.folder, "scale", "S")
    with pytest.raises(TypeError):
        program.run(numpy, programs.to_library(numpy, program.operands))
    with pytest.raises(TypeError):
        programs.run_one(given, "scale")


def test_results_are_held_to_npbench_s_criterion() -> None:
    program = programs.Program("any", lambda _, __: [], {})
    one = numpy.asarray([1.0, 1e3])
    assert programs.disagreement(program, [one], [one * (1 + 1e-7)]) == ""
    assert programs.disagreement(program, [one], [one + numpy.asarray([1e-3, 0])]) == ""
    assert "off by" in programs.disagreement(program, [one], [one + numpy.asarray([1, 0])])
    assert "shape" in programs.disagreement(program, [one], [one[:1]])
    assert "instead" in programs.disagreement(program, [one], [])


def test_a_program_with_its_call_in_a_comment(tmp_path: Path) -> None:
    place = tmp_path / "numpy_benchmarks" / "benchmarks"
    place.mkdir(parents=True)
    (place / "twice.py").write_text(
        "#setup: import numpy as np ; x = np.arange(3.0)\n#run: twice(x)\n"
        "from numpy import add\ndef twice(x): return add(x, x)\n"
    )
    given = programs.parse(["numpy-benchmarks", str(tmp_path)])
    assert programs.run_one(given, "twice").valid


def test_the_benchmarks_show_wall_and_cpu_time(tmp_path: Path) -> None:
    folder = _npbench(tmp_path)
    figures = list(npbench.measured(folder, "S", "opencl:0", [], 1))
    assert [one.library for one in figures] == ["numpy", "xarr"]
    assert not figures[1].problem
    assert "scale" in "\n".join(npbench.lines(figures, "S"))
    assert npbench.document(figures, "S")["programs"][1]["wall_s"] > 0


def test_a_script_is_run_twice_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "given.py").write_text(
        "import numpy as np\nprint(np.arange(3).sum(), np.__name__)\n"
    )
    (tmp_path / "broken.py").write_text("import numpy as np\n1 / 0\n")
    assert scripts.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "given.py: ran; printed something else" in said
    assert "broken.py: does not run under NumPy: ZeroDivisionError" in said
    assert "1 of 1 that run under NumPy run under xarr" in said


@pytest.mark.parametrize(
    ("one", "other", "same"), [("a 1.0000001", "a  1", True), ("1", "2", False)]
)
def test_texts_are_alike_but_for_the_last_digits(one: str, other: str, same: bool) -> None:
    assert scripts.alike(one, other) is same
