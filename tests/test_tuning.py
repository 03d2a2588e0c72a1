"""The table of what is tuned: each number is read, and says what shows that it is right."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from benchmarks.programs import PROGRAMS
from benchmarks.rows import KEYS
from xarr import tuning

ROOT: Final = Path(__file__).parents[1]
TREE: Final = ast.parse(Path(tuning.__file__).read_text(encoding="utf-8"))
NUMBERS: Final = {
    number.target.id: ast.literal_eval(text.value)
    for number, text in zip(TREE.body, TREE.body[1:], strict=False)
    if isinstance(number, ast.AnnAssign)
    and isinstance(number.target, ast.Name)
    and isinstance(text, ast.Expr)
}
SHOWN: Final = re.compile(
    r"^(Row|Program|Test): (.+)$|^(?:Measured:|Not measured:|Not felt between|Not reached) .+",
    re.MULTILINE,
)


def test_each_number_has_a_text() -> None:
    assert list(NUMBERS) == [name for name in vars(tuning) if name.isupper()]


@pytest.mark.parametrize("name", NUMBERS)
def test_what_shows_a_number_is_there(name: str) -> None:
    assert SHOWN.search(NUMBERS[name]), f"nothing shows that {name} is right"
    known = {"Row": KEYS, "Program": [program.name for program in PROGRAMS]}
    for kind, listed in SHOWN.findall(NUMBERS[name]):
        for one in listed.split(", ") if kind else ():
            assert one in known[kind] if kind in known else (ROOT / one).is_file(), one


def test_each_number_is_read() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "xarr").rglob("*.py")]
    read = {name for text in sources for name in re.findall(r"\btuning\.([A-Z_]+)\b", text)}
    assert read == {*NUMBERS}


PAGES: Final = (
    ("architecture", "at most {0} KiB (`tuning.AT_ONCE_NBYTES`)", tuning.AT_ONCE_NBYTES >> 10),
    ("architecture", "after {0} of them (`tuning.AT_ONCE`)", tuning.AT_ONCE),
    ("architecture", "Results of at most {0} KiB stay", tuning.KEPT_NBYTES >> 10),
    ("architecture", "has occurred {0} times (`tuning.PLANNED`)", tuning.PLANNED),
    ("architecture", "2^{0} elements (`tuning.LARGE_WORK`)", tuning.LARGE_WORK.bit_length() - 1),
    ("devices", "repeated {0} times, or that have processed four million", tuning.PLANNED),
    ("devices", "Fourier transforms of up to {0} MiB", tuning.FFT_NBYTES >> 20),
    ("random", "draws up to {0:,} numbers at once", tuning.DRAWN_MOST),
    ("transformations", "at most {0} recordings", tuning.RECORDINGS),
    ("transformations", "at most a {0}th of the device's memory", tuning.HELD_PART),
)


@pytest.mark.parametrize(("page", "sentence", "number"), PAGES)
def test_the_pages_state_the_numbers(page: str, sentence: str, number: int) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert sentence.format(number) in text
