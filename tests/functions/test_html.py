"""That notebooks show an array without computing anything."""

from __future__ import annotations

import base64
import io
import re
import sys
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr
from xarr.functions.io import printing

pytestmark = pytest.mark.usefixtures("each_tier")


class Shown(HTMLParser):
    """The cells of what is shown, its text without tags, and its picture."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.picture: bytes | None = None
        self.sizes: tuple[int, int] | None = None
        self.feed(text)
        self.rows = dict(zip(self.words[::2], self.words[1::2], strict=False))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            named = dict(attrs)
            kind, _, data = str(named["src"]).partition(",")
            assert kind == "data:image/png;base64"
            self.picture = base64.b64decode(data)
            self.sizes = int(str(named["height"])), int(str(named["width"]))


def shown(x: xarr.Array) -> Shown:
    return Shown(x._repr_html_())


def levels(picture: bytes | None) -> Any:
    """The pixels of a picture, red, green and blue, as another program reads it."""
    image = pytest.importorskip("PIL.Image")
    assert picture is not None
    return numpy.asarray(image.open(io.BytesIO(picture)).convert("RGB"))


def computed(values: Any, device: xarr.Device) -> xarr.Array:
    x = xarr.asarray(numpy.asarray(values), device=device)
    device.synchronize()
    return x


def test_it_says_what_the_array_is(any_device: xarr.Device) -> None:
    x = computed(numpy.arange(6, dtype="float32").reshape(1, 2, 3), any_device)
    found = shown(x)
    assert found.rows["shape"] == "(1, 2, 3)"
    assert found.rows["dtype"] == "float32"
    assert found.rows["device"] == str(any_device)
    assert found.rows["memory"] == "24 bytes"
    assert found.words[-1] == "[[[0., 1., 2.],\n  [3., 4., 5.]]]"
    assert found.picture is None


def test_what_is_pending_stays_so(any_device: xarr.Device) -> None:
    x = computed(numpy.ones((600, 800), "float32"), any_device)
    y = x + 1
    assert shown(y).rows["values"] == "not computed yet"
    assert shown(y).picture is None
    assert "pending: 1 operation" in xarr.explain(y)
    # Nor does the picture of what is there run it.
    assert shown(x).picture is not None
    assert "pending: 1 operation" in xarr.explain(y)
    x[...] = 5
    assert shown(x).rows["values"] == "not computed yet"
    assert float(y.sum()) == 2 * 600 * 800
    assert "5 (black) to 5 (white)" in shown(x).rows["values"]


def test_a_constant_is_in_no_memory(any_device: xarr.Device) -> None:
    found = shown(xarr.zeros((3, 3), device=any_device))
    assert found.rows["memory"] == "none"
    assert found.rows["values"] == "0.0 everywhere"
    assert shown(xarr.zeros((0, 3), device=any_device) + 1).rows["values"] == "none"


@pytest.mark.parametrize(
    ("values", "wanted", "said"),
    [
        (numpy.eye(2, dtype=bool), [[255, 0], [0, 255]], "0 (black) to 1 (white)"),
        (numpy.asarray([[-128, 127]], "int8"), [[0, 255]], "-128 (black) to 127 (white)"),
        (numpy.asarray([[0, 2**64 - 1]], "uint64"), [[0, 255]], "0 (black) to 1.84467e+19 (white)"),
        (numpy.asarray([[3.0, 3.0]], "float32"), [[127, 127]], "3 (black) to 3 (white)"),
        (numpy.asarray([[3 + 4j, 0]], "complex64"), [[255, 0]], "magnitudes 0 (black) to 5"),
        (numpy.asarray([[-60000, 60000]], "float16"), [[0, 255]], "-60000 (black) to 60000"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_greys(values: Any, wanted: list[list[int]], said: str, any_device: xarr.Device) -> None:
    found = shown(computed(values, any_device))
    assert said in found.rows["values"]
    pixels = levels(found.picture)
    assert (pixels == pixels[..., :1]).all()
    assert pixels[..., 0].tolist() == wanted
    assert max(found.sizes) >= 128  # type: ignore[arg-type]


def test_what_is_not_finite_is_red(any_device: xarr.Device) -> None:
    values = numpy.asarray([[0, numpy.nan, numpy.inf, -numpy.inf, 2]], "float32")
    found = shown(computed(values, any_device))
    assert found.rows["values"] == "0 (black) to 2 (white), red: NaN or infinite"
    red = [214, 39, 40]
    assert levels(found.picture)[0].tolist() == [[0, 0, 0], red, red, red, [255, 255, 255]]
    found = shown(computed(values[:, 1:4], any_device))
    assert found.rows["values"] == "NaN or infinite"


def test_numbers_that_are_large_have_greys() -> None:
    largest = numpy.finfo("float64").max
    device = xarr.default_device()
    if not device.has_float64:
        pytest.skip(f"{device} has no float64")
    found = shown(computed([[-largest, 0, largest]], device))
    assert levels(found.picture)[0, :, 0].tolist() == [0, 127, 255]


def test_a_large_matrix_is_sampled_on_the_device(
    any_device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = numpy.add.outer(numpy.arange(1000), numpy.arange(2000) * 1000).astype("float32")
    x = computed(values, any_device).T
    moved = []
    monkeypatch.setattr(printing, "note", lambda where, nbytes, *rest: moved.append(nbytes))
    found = shown(x)
    assert moved == [4 * 250 * 250]
    assert found.rows["values"].startswith("one of 8 rows, one of 4 columns: 0 (black)")
    pixels = levels(found.picture)[..., 0]
    assert pixels.shape == (250, 250) == found.sizes
    part = values.T[::8, ::4].astype(float)
    wanted = numpy.round(part / part.max() * 254).astype(int) * 255 // 254
    assert numpy.array_equal(pixels, wanted)


def test_nothing_moves_where_that_is_forbidden(any_device: xarr.Device) -> None:
    x = computed([[1, 2]], any_device)
    with xarr.no_implicit_transfer():
        found = shown(x)
    assert found.picture is None
    assert found.rows["values"].startswith("not shown")


def test_text_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    x = computed([1, 2], xarr.default_device())
    monkeypatch.setattr(numpy, "array2string", lambda *_, **__: "<b>&")
    assert "<pre" in x._repr_html_()
    assert "&lt;b&gt;&amp;" in x._repr_html_()
    assert not re.search("<b>", x._repr_html_())


class Printer:
    said = ""

    def text(self, text: str) -> None:
        self.said += text


def test_the_text_of_a_notebook_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = computed(numpy.zeros(300_000, "float32"), xarr.default_device()) + 1
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    printer = Printer()
    x._repr_pretty_(printer, False)
    assert printer.said == f"<array float32 (300000,) on {x.device}, not computed yet>"
    assert "pending" in xarr.explain(x)
    monkeypatch.delitem(sys.modules, "ipykernel")
    printer = Printer()
    x._repr_pretty_(printer, False)
    assert printer.said == repr(x)
