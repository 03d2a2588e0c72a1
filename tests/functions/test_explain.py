"""That `xarr.explain` says what runs, and leaves it as it is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import xarr
from tests.engine.pairs import tier
from tests.functions.calls import program, rows
from xarr.codegen import launch
from xarr.ir import events, steps

pytestmark = pytest.mark.usefixtures("fused")


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The skeletons of what is launched, in order."""
    skeletons = list[str]()

    def noted(device: xarr.Device, kernel: launch.Kernel, *rest: Any) -> None:
        skeletons.append(kernel.skeleton)
        steps.launched(device, kernel, *rest)

    monkeypatch.setattr(events.hooks, "launch", noted)
    return skeletons


@pytest.fixture(autouse=True)
def nothing_else() -> Iterator[None]:
    xarr.synchronize()
    yield
    xarr.synchronize()


def matrix(*shape: int) -> xarr.Array:
    x = xarr.asarray(numpy.arange(numpy.prod(shape), dtype="float32").reshape(shape))
    xarr.synchronize()
    return x


def kernels(text: str) -> list[tuple[str, int, list[str]]]:
    """The file of each kernel that a text tells of, its bytes, and what it loads and stores."""
    summary = text.partition("source of kernel")[0]
    found = []
    for part in re.split(r"^kernel \d+: ", summary, flags=re.MULTILINE)[1:]:
        first, *moves = part.splitlines()
        file, nbytes = re.fullmatch(r"(\w+\.c), ([\d,]+) bytes?", first).groups()  # type: ignore[union-attr]
        found.append((file, int(nbytes.replace(",", "")), [line.strip() for line in moves]))
    return found


PROGRAMS = """
{(x + y) * 2 - x|(x * y).sum()|(x * y).sum(axis=0)|x.mean()|x.T + 1}
x.reshape((4, 2, -1)).sum(axis=(0, 2))
x[xarr.asarray([3, 1])] * 2
x + xarr.random.default_rng(1).normal(size=x.shape)
y[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1] -> y
y[xarr.asarray([3, 1])] = x[xarr.asarray([0, 2])] + 1 -> y
e = xarr.exp(x - x.max(axis=-1, keepdims=True)) -> e / e.sum(axis=-1, keepdims=True)
"""


@pytest.mark.parametrize("line", rows(PROGRAMS))
def test_what_is_explained_is_launched(line: str, launched: list[str]) -> None:
    x, y = matrix(8, 40_000), matrix(8, 40_000)
    xarr.synchronize()
    launched.clear()
    result = program(line if "->" in line else f"-> {line}", "x, y", xarr=xarr)(x, y)
    asked = len(launched)  # an index is checked as it is asked for
    text = xarr.explain(result)
    assert len(launched) == asked
    said = kernels(text)
    assert said
    assert f"\n{len(said):,} kernel" in text
    assert xarr.explain(result) == text
    titles = drawn(text.svg())["head"][1:]
    assert titles == [f"{file}, {nbytes:,} bytes" for file, nbytes, _ in said]
    operations = [one for group in text.groups for one in group.operations]
    assert len(operations) == int(re.search(r"pending: (\d+)", text)[1])  # type: ignore[index]
    xarr.synchronize(result)
    assert launched[asked:] == [file for file, *_ in said]
    sources = text.split("source of kernel ")[1:]
    assert len(sources) == len(said)
    for (file, _, moves), source in zip(said, sources, strict=True):
        assert f'#line 1 "{file}"' in source
        if file == "elementwise.c" and "computed places" not in str(moves):
            stores = len(re.findall(r"\bp\d+\[at.*?\] = ", source))
            assert stores == sum(move.startswith("stores s") for move in moves)


def test_what_each_kernel_moves() -> None:
    x, y = matrix(1000), matrix(1000)
    ((file, nbytes, moves),) = kernels(xarr.explain((x + y) * 2))
    assert (file, nbytes) == ("elementwise.c", 12_000)
    assert moves == [
        f"{move}: float32, 4,000 bytes" for move in ("loads s0", "loads s1", "stores s3")
    ]
    total = x + y  # is held, and stored
    ((_, nbytes, moves),) = kernels(xarr.explain(total * 2))
    assert (nbytes, len(moves)) == (16_000, 4)
    assert total.tolist() == [2.0 * n for n in range(1000)]
    result = matrix(10) * 2
    ((_, nbytes, moves),) = kernels(xarr.explain(result))
    assert (nbytes, moves[-1]) == (80, "stores s1: float32 in the memory of s0, 40 bytes")
    ((_, nbytes, moves),) = kernels(xarr.explain(matrix(100, 50)[:, ::2] + matrix(100, 1)))
    assert (nbytes, moves[1]) == (20_400, "loads s1: float32, 400 bytes")  # once each
    first, last = kernels(xarr.explain(matrix(1_000_000).sum()))
    pieces = -(-1_000_000 // 16_384)
    assert first[1] == 4_000_000 + 4 * pieces
    moves = [f"loads partial results, {4 * pieces} bytes", "stores s1: float32, 4 bytes"]
    assert last[1:] == (4 * pieces + 4, moves)


def test_elements_at_computed_places_count_once_each() -> None:
    x, index = matrix(1000), xarr.asarray([5, 7, 5])
    picked = x[index]
    ((_, nbytes, moves),) = kernels(xarr.explain(picked))
    assert [re.sub(r"s\d", "s", move) for move in moves] == [
        "loads s: int64, 24 bytes",
        "loads s: float32 at computed places, 12 bytes",
        "stores s: float32, 12 bytes",
    ]
    assert nbytes == 24 + 12 + 12
    x[index] = 0
    (*_, (_, _, moves)) = kernels(xarr.explain(x))
    wanted = r"stores s\d+: float32 at computed places, 12 bytes"
    assert any(re.fullmatch(wanted, move) for move in moves)


def test_what_has_run_lies_in_memory() -> None:
    x = matrix(3) + 1
    assert "pending" in xarr.explain(x)
    xarr.synchronize()
    assert xarr.explain(x).endswith("in memory: Layout((3,), strides=(1,), offset=0)")
    assert xarr.explain(xarr.zeros(3)).endswith("0.0 everywhere, not in memory")


def test_it_says_which_programs_run_step_by_step() -> None:
    device = xarr.default_device()
    x = xarr.asarray(numpy.arange(7.0))

    def stepwise() -> int:
        found = re.search(r"^programs: (.*)$", xarr.explain(x * 2), re.MULTILINE)
        assert found is not None
        assert "fused" in found[1]
        return sum(map(int, re.findall(r"(\d+) step by step", found[1])))

    before = stepwise()
    if not device.driver.is_open():
        return  # the host does not compute for it
    with tier("hosted"):
        xarr.to_numpy(x * 3.5 - 1)
        assert stepwise() == before + 1


def drawn(svg: str) -> dict[str, list[str]]:
    """The texts of a drawing by their class, and how many shapes it has of each."""
    found: dict[str, list[str]] = {}
    for part in ElementTree.fromstring(svg).iter():
        found.setdefault(part.get("class", ""), []).append(part.text or "")
    return found


def test_a_drawing_shows_what_is_stored_and_what_is_a_variable() -> None:
    x, y = matrix(1000), matrix(1000)
    result = (x + y) * 2.5  # a 2 is shown as the last one was that was equal
    explanation = xarr.explain(result)
    found = drawn(explanation.svg())
    assert len(found["kernel"]) == 1
    assert len(found["memory"]) == len(found["arrow"]) == 3
    assert found["variable"] == ["s2[(1000,)] = add(s0[(1000,)], s1[(1000,)]): float32"]
    assert "s3[(1000,)] = multiply(s2[(1000,)], 2.5): float32" in found[""]
    assert "s3: float32, 4,000 bytes" in found[""]
    assert found["head"][1] == "elementwise.c, 12,000 bytes"
    assert "1 kernel, 12,000 bytes moved; grey is not stored" in found[""]
    assert repr(explanation) == str(explanation)


def test_a_notebook_scrolls_a_wide_drawing_and_keeps_its_own_colours() -> None:
    explanation = xarr.explain((matrix(1000) + 1) * 2)
    shown = explanation._repr_html_()
    assert re.match(r'<div style="[^"]*overflow-x:auto[^"]*"><svg ', shown)
    drawing = shown[shown.index("<svg") : shown.index("</div>")]
    assert "max-width:none" in drawing[: drawing.index(">")]
    assert "Canvas" not in drawing
    assert "color-scheme:light dark" in explanation.svg()
    assert drawn(drawing) == drawn(explanation.svg())
    # A theme may be dark where the machine's is light: ink is the text's colour.
    assert set(re.findall(r"[{;](?:fill|color):([^;}]*)", drawing)) - {"none"} == {
        "currentColor",
        "#3b82d6",
        "#c98a1b",
    }


def test_a_drawing_of_what_is_in_memory_says_so(tmp_path: Path) -> None:
    path = tmp_path / "kernels.svg"
    xarr.explain(matrix(3)).save(path)
    assert "in memory" in drawn(path.read_text())["head"][0]
    with pytest.raises(ValueError, match=r"path is '.*png'; it must end with \.svg"):
        xarr.explain(matrix(3)).save(tmp_path / "kernels.png")
