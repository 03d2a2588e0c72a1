"""The examples: each agrees with NumPy, and the demo's exit status says so when one does not."""

import shutil
from pathlib import Path

import pytest

from tests.processes import ROOT, run

pytest.importorskip("skimage", reason="scikit-image is not installed; make demo")
pytest.importorskip("sklearn", reason="scikit-learn is not installed; make demo")

OTHERS = ("cuda_python", "demo", "tutorial")
NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py") if path.stem not in OTHERS)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the examples in it, so that pictures and changes go there."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES[::2], NAMES[1::2]], ids=" ".join)
def test_examples_agree_with_numpy(names: list[str], copy: Path) -> None:
    done = run("-W", "error", "-m", "examples.demo", "--quick", *names, cwd=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in names:
        assert (copy / "examples" / "output" / f"{name}.png").stat().st_size > 10_000, name


def test_a_program_that_fails_or_differs_does_not_hide_the_others(copy: Path) -> None:
    for name, text, wrong in (
        ("gray_scott", "np.zeros_like", "np.no_such_function"),
        ("n_body", "position = start\n", "position = start + (np.__name__ == 'xarr')\n"),
    ):
        program = copy / "examples" / f"{name}.py"
        assert text in program.read_text()
        program.write_text(program.read_text().replace(text, wrong))
    names = ("gray_scott", "n_body", "richardson_lucy")
    done = run("-m", "examples.demo", "--quick", *names, cwd=copy)
    assert done.returncode == 1
    assert "no_such_function" in done.stderr
    assert "OVER ITS BOUND: end" in done.stdout
    assert "Failed: gray_scott, n_body\n" in done.stdout
    assert (copy / "examples" / "output" / "richardson_lucy.png").exists()


def test_an_unknown_name_is_refused(copy: Path) -> None:
    done = run("-m", "examples.demo", "mandelbrot", cwd=copy)
    assert done.returncode == 2
    assert "no example is called mandelbrot; there are anisotropic_diffusion" in done.stderr


@pytest.mark.nightly
def test_an_example_runs_by_itself(copy: Path) -> None:
    done = run("examples/richardson_lucy.py", cwd=copy)
    assert done.returncode == 0, done.stderr
    assert (copy / "examples" / "output" / "richardson_lucy.png").exists()
