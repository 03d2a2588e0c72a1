"""`python -m xarr run`: programs that import numpy, with xarr in its place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import xarr
from xarr.__main__ import main
from xarr.numpy_runner import program, report, warm
from xarr.ops import elementwise

ROOT = Path(__file__).parents[1]

PROGRAM = """\
import sys

import matplotlib_of_ours
import numpy
import numpy as np
import numpy.fft
import numpy.linalg as la
import statistics
from numpy import *
from numpy import pi, sin as sinus
from numpy.linalg import inv

import model


def main():
    import numpy
    return numpy.__name__


print(np.__name__, la.__name__, main(), model.NAME, model.below.NAME, inv.__module__)
print(type(zeros(2)).__name__, numpy.fft.fft(np.ones(2)).shape, sinus(0.0) + pi > 3)
print(__name__, __file__, sys.argv, sys.path[0] == __file__.rpartition("/")[0])
print(matplotlib_of_ours.NAME)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program in two modules and a package, with a library that is installed beside it."""
    files = {
        "program.py": PROGRAM,
        "model.py": "import numpy as np\nfrom package import below\nNAME = np.__name__\n",
        "package/__init__.py": "",
        "package/below.py": "import numpy\nNAME = numpy.__name__\n",
        "package/__main__.py": (
            "import sys\nimport numpy\nfrom . import below\n"
            "print(__name__, numpy.__name__, below.NAME, sys.argv[1:])\nsys.exit(4)\n"
        ),
        "matplotlib_of_ours.py": "from site_packages_of_ours import NAME\n",
        "site-packages/site_packages_of_ours.py": "import numpy\nNAME = numpy.__name__\n",
        "sitecustomize.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = [str(ROOT), str(folder / "site-packages"), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        capture_output=True,
        text=True,
        check=False,
    )


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran(folder, "-m", "xarr", "run", *arguments)


def is_quiet(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether nothing was said, but on a GPU that the host computes something."""
    return not done.stderr or (
        "HostFallbackWarning" in done.stderr and "Traceback" not in done.stderr
    )


def test_numpy_is_xarr_in_the_programs_modules_alone(folder: Path) -> None:
    done = run(folder, "program.py", "a", "--report")
    assert is_quiet(done), done.stderr
    assert done.stdout.splitlines() == [
        "xarr xarr.linalg xarr xarr xarr xarr.functions.linalg.linalg",
        "Array (2,) True",
        f"__main__ {folder}/program.py ['program.py', 'a', '--report'] True",
        "numpy",
    ]
    assert done.returncode == 0


SEEDED = """\
import numpy as np
import pandas
from scipy import stats

for seed in (3, [4, 5]):
    np.random.seed(seed)
    print(np.random.rand(), stats.norm.rvs(), pandas.Series(range(99)).sample(3).tolist())
for legacy in (True, False):
    state = np.random.get_state(legacy=legacy)
    drawn = np.random.rand(), stats.norm.rvs()
    np.random.set_state(state)
    print(drawn == (np.random.rand(), stats.norm.rvs()))
"""


@pytest.mark.parametrize("random", ["", "numpy"])
def test_a_seed_is_the_libraries_too(
    folder: Path, random: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "seeded.py").write_text(SEEDED)
    monkeypatch.setenv("XARR_RANDOM", random)
    first = run(folder, "seeded.py").stdout
    assert first == (ran if random else run)(folder, "seeded.py").stdout
    assert first.splitlines()[-2:] == ["True", "True"]


DRAWING = """\
import sys
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cm
from matplotlib.colors import LightSource

heights = np.hypot(*np.mgrid[-3:4, -3:4])
shaded = LightSource(azdeg=315, altdeg=10).shade(heights, cmap=cm.hot)
print(type(heights).__name__, shaded.shape, round(float(shaded.sum()), 6))
y, x = np.mgrid[-3:3:9j, -3:3:9j]
lines = plt.streamplot(x, y, 1 + y, x, color=y, linewidth=np.abs(x) + 1).lines
print(len(lines.get_array()) == len(lines.get_linewidths()) > 1)
corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
(drawn,) = plt.plot(x[0], y[0], marker=corners)
drawn.set_marker(corners * 2)
plt.scatter(x[0], y[0], marker=corners)
plt.savefig(sys.argv[1])
"""


def test_matplotlib_draws_what_a_program_computes(folder: Path) -> None:
    """Shades, interpolated colours, and arrays as vertices."""
    pytest.importorskip("matplotlib")
    (folder / "drawing.py").write_text(DRAWING)
    with_xarr, with_numpy = run(folder, "drawing.py", "a.raw"), ran(folder, "drawing.py", "b.raw")
    assert is_quiet(with_xarr), with_xarr.stderr
    assert with_xarr.stdout == with_numpy.stdout.replace("ndarray", "Array")
    assert with_numpy.stdout.endswith("\nTrue\n")
    assert (folder / "a.raw").read_bytes() == (folder / "b.raw").read_bytes()


OF_NUMPY = """\
import numpy as np
import numpy.linalg
import numpy.linalg as la
from numpy import __version__ as version
from numpy.linalg import eig, eigvals as values_of

print(np.__version__, version)
real, turned = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[0.0, -1.0], [1.0, 0.0]])
for a in real, turned, real + 0j, real.astype("float32"), np.stack([real, turned]), [[1]]:
    values, vectors = eig(a)
    print(values.dtype, vectors.dtype, la.eig(a).eigenvectors.dtype, values_of(a).dtype, values)
print(numpy.linalg.eigvals(real)[0] < 2, np.linalg.eigvals is values_of, la.norm(real) > 3)
print(la.__name__.partition(".")[2], issubclass(la.LinAlgError, ValueError))
print([isinstance(np.ones(1, kind)[0], float | complex) for kind in ("f4", "f8", "c8", "c16")])
print(np.random.mtrand.RandomState(1).rand(2).shape, np.random.seed is numpy.random.seed)
"""


def test_versions_and_eigenvalues_are_numpys_in_a_program(folder: Path) -> None:
    (folder / "of_numpy.py").write_text(OF_NUMPY)
    ours, theirs = run(folder, "of_numpy.py"), ran(folder, "of_numpy.py")
    assert is_quiet(ours), ours.stderr
    assert ours.stdout == theirs.stdout
    assert xarr.linalg.eigvals(xarr.eye(2)).dtype.kind == "c"
    assert not xarr.__version__.startswith("2.4")


HIDDEN = """\
import numpy as np
import scipy.special

x = np.asarray([0.5, 1.5])
scipy.special.j0(x)
np.vectorize(lambda value: value)(x)
for place, value in np.ndenumerate(x):
    pass
np.unique(x[None], axis=0)
np.savetxt("values.txt", x)
np.apply_along_axis(lambda line: float(line[0]), 0, x)
"""


def test_a_report_names_what_runs_on_the_host(folder: Path) -> None:
    pytest.importorskip("scipy")
    (folder / "hidden.py").write_text(HIDDEN)
    done = run(folder, "--report", "hidden.py")
    assert done.returncode == 0, done.stderr
    moved = done.stderr.partition("moved ")[2].splitlines()[1:]
    found = {line.partition("hidden.py:")[2] for line in moved}
    assert found == {
        "5  scipy.special.j0(...)",
        "6  vectorize(pyfunc)",
        "7  ndenumerate",
        "9  unique(ar)",
        "10  savetxt(fname, X)",
        "11  float(x)",
    }


def test_a_module_runs(folder: Path) -> None:
    done = run(folder, "-m", "package", "a", "-b", "--", "--compare")
    assert done.stdout == "__main__ xarr xarr ['a', '-b', '--', '--compare']\n"
    assert done.returncode == 4


def test_what_is_raised_is_shown_as_python_shows_it(folder: Path) -> None:
    (folder / "program.py").write_text(
        "import numpy as np\n\n\ndef fail():\n    return 1 / 0\n\n\nprint(1)\nfail()\n"
    )
    ours, theirs = run(folder, "program.py"), ran(folder, "program.py")
    assert ours.stdout == theirs.stdout == "1\n"
    assert ours.stderr == theirs.stderr
    assert ours.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert ours.returncode == theirs.returncode == 1


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("from numpy import trapz", "ImportError: xarr.trapz: NumPy has removed .*trapezoid"),
        ("from numpy.linalg import sovle", "ImportError: xarr.linalg.sovle: .*solve"),
        ("import numpy as np; np.trapz", "AttributeError: xarr.trapz: NumPy has removed"),
        ("def (", "SyntaxError"),
    ],
)
def test_what_xarr_lacks_is_said(
    statement: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "program.py"
    script.write_text(statement)
    assert program.run([str(script)]) == 1
    shown = capsys.readouterr().err
    assert re.search(said, shown)
    assert "running" not in shown


def test_a_report_names_lines_and_launches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import numpy as np\n"
        "x = np.ones(1000, dtype='float32') + 1\n"
        "for _ in range(3):\n"
        "    y = float((x * 2).sum())\n"
        "    np.asarray(x).tolist()\n"
        "print(y)\n"
        "import numpy\n"
        "raise SystemExit(5)\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["run", "--report", "--compare", str(script)])
    assert ended.value.code == 5
    written = capsys.readouterr()
    assert written.out == "4000.0\n"
    lines = written.err.splitlines()
    assert lines[0] == f"xarr on {xarr.default_device()!r}"
    assert lines[1].startswith("xarr ")
    assert lines[2].startswith("NumPy ")
    assert lines[2].endswith((" times as fast", " times as long"))
    launched, moved = (
        next(place for place, line in enumerate(lines) if line.startswith(head))
        for head in ("launches", "moved")
    )
    assert any("elementwise" in line or "reduce" in line for line in lines[launched:moved])
    assert lines[moved].split()[1:3] == ["6", "times,"]
    assert [line.split(maxsplit=3)[::3] for line in lines[moved + 1 :]] == [
        ["3", f"{script}:5  x.tolist()"],
        ["3", f"{script}:4  float(x)"],
    ]


@pytest.mark.parametrize(
    ("seconds", "ending"),
    [
        (1.8, "takes 180.0 times as long"),
        (0.01, "is 1.00 times as fast"),
        (0.004, "is 2.50 times as fast"),
    ],
)
def test_the_comparison_says_which_is_faster(seconds: float, ending: str) -> None:
    """A ratio below one is told the other way round, as 0.00 says nothing."""
    noted = report.Report(lambda names: False, detailed=False)
    noted.seconds = (seconds, seconds)
    assert noted.text((0.01, 0.01)).rstrip().endswith(f"; xarr {ending}")


SMALL = """\
import numpy as np
import drawing_of_ours
x = np.arange(300.0)
y = x[np.asarray([7, 299])]
drawing_of_ours.draw(y)
best = 0.0
for i in range(1000):
    a = x[i % 300]
    b = a * 2 + 1
    if b > best:
        best = float(b)
print(best)
"""


def test_a_report_says_where_small_operations_are_the_cost(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "small.py").write_text(SMALL)
    drawing = folder / "site-packages" / "drawing_of_ours.py"
    drawing.write_text("def draw(x):\n    return x.to_numpy()\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, str(drawing.parent)])
    monkeypatch.setattr(report, "_SMALL_S", 1.0)  # as a machine with much to do takes long
    assert main(["run", "--report", "small.py"]) == 0
    written = capsys.readouterr()
    assert written.out == "599.0\n"
    lines = [
        r" +1 +\d+ B  small.py:4  x\[key\]$",
        r" +1 +16 B  small.py:5  drawing_of_ours.draw$",
        r" +1,000 +1000 B  small.py:10  bool\(x\)$",
        r"host +[3-5],\d\d\d operations, [\d.]+ s of CPU time beside kernels$",
    ]
    if xarr.default_device().kind == "cpu":  # a GPU's launches, each of them timed, take longer
        lines += [
            r"verdict +small operations are the cost, \d+ us of CPU time each\. ",
            r" +2,000  small.py:(9|10)$",
        ]
    for line in lines:
        assert re.search(f"^{line}", written.err, re.MULTILINE), (line, written.err)


def test_wrong_command_lines_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = (
        "", "frob", "run", "run -m", "run --frob x.py", "run nowhere.py", "info x", "bench x y",
    )  # fmt: skip
    for given in wrong:
        assert main(given.split()) == 2
        assert capsys.readouterr().err
    assert main(["run", "-m", "nowhere_at_all"]) == 2


@pytest.mark.parametrize("command", ["", "info", "doctor", "bench", "warm", "run"])
def test_each_command_describes_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*filter(None, [command]), "--help"]) == 0
    written = capsys.readouterr()
    assert written.out.startswith(f"usage: python -m xarr {command}")
    assert written.out.count("\n") < 30
    assert not written.err


HOSTED = """
import numpy as np

grid = np.zeros((4, 5), [("u", np.double), ("v", np.double)])
grid["u"][1:-1, 1:-1] += np.ones((2, 3))
names = np.array(["iris", "rose", "iris"])
values = np.arange(6.0).reshape(3, 2)
print(grid["u"].sum(), np.unique(names), values[names == "iris"].sum())
print(np.matrix([[1, 2]]) * np.matrix([[3], [4]]), np.array([[1], [1, 2]], dtype=object).shape)
print(np.datetime64("2020-01-31") + np.arange(2), type(values).__module__)
x = np.arange(3)
print(*(x.astype(kind).dtype for kind in (str, "U5", "S", object, "M8[D]", np.longdouble, ">i4")))
print(x.view("V8").dtype, type(x.astype("int8")).__name__)
print(np.array([x[0], "a"]), np.array([[x[1], None]]), np.array([x[2], x[1]], dtype=str))
print(np.vectorize(str)(x), np.frompyfunc(lambda i: "ab"[i % 2], 1, 1)(x), x == ["a", 1, 2])
try:
    np.convolve("a", [1.0], mode="same")
except TypeError as error:
    print(error)
"""


def test_records_strings_dates_and_objects_are_numpys_own_in_a_program(folder: Path) -> None:
    (folder / "hosted.py").write_text(HOSTED)
    done = run(folder, "--report", "hosted.py")
    assert done.returncode == 0, done.stderr
    *lines, refusal = done.stdout.splitlines()
    assert lines == [
        "6.0 ['iris' 'rose'] 10.0",
        "[[11]] (2,)",
        "['2020-01-31' '2020-02-01'] xarr.array.array",
        "<U21 <U5 |S21 object datetime64[D] float128 >i4",
        "|V8 Array",
        "['0' 'a'] [[np.int64(1) None]] ['2' '1']",
        "['0' '1' '2'] ['a' 'b' 'a'] [False False False]",
    ]
    assert refusal.startswith("convolve(a, v): a is of type str")
    assert "hosted.py:4  zeros (NumPy's own)" in done.stderr
    assert "hosted.py:9  matrix (NumPy's own)" in done.stderr
    with pytest.raises(TypeError, match="strings"):  # outside of such a program
        xarr.arange(3).astype(str)


def test_common_kernels_are_compiled_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "_DRAWN", ("random",))
    rows = [row for row in elementwise.TABLE if row.name in ("exp", "add", "pow")]
    monkeypatch.setattr(elementwise, "TABLE", tuple(rows))
    monkeypatch.setattr(warm, "_FOLDS", ("sum",))
    device = str(xarr.default_device())
    assert main(["warm"]) == 0
    assert main(["warm", device]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{device}: ")
    assert ", 0 kernels compiled, " in second
    assert main(["warm", "nothing:7"]) == 2
    assert "nothing:7" in capsys.readouterr().err
    assert main(["warm", device, device]) == 2
