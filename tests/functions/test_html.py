"""A notebook shows NumPy's text; of a large array also a caption and a picture."""

from __future__ import annotations

import base64
import html
import io
import re
from typing import Any

import numpy
import pytest

import xarr
from xarr.array.transfers import observed
from xarr.runtime import host_functions

pytestmark = pytest.mark.usefixtures("each_tier")

LARGE = 40  # rows, and columns, of a matrix that is shortened


class Shown:
    """The text of what is shown, the captions around it, and its picture."""

    def __init__(self, x: xarr.Array) -> None:
        shown = x._repr_html_()
        (text,) = re.findall(r"(?s)<pre[^>]*>(.*?)</pre>", shown)
        self.text = html.unescape(text)
        captions = re.findall(r'<div style="opacity:.7">([^<]*)</div>', shown)
        self.captions = [*map(html.unescape, captions)]
        self.picture: bytes | None = None
        self.sizes: tuple[int, int] | None = None
        for image in re.findall(r"<img[^>]*>", shown):
            named = dict(re.findall(r'(\w+)="([^"]*)"', image))
            kind, _, data = named["src"].partition(",")
            assert kind == "data:image/png;base64"
            self.picture = base64.b64decode(data)
            self.sizes = int(named["height"]), int(named["width"])


def levels(picture: bytes | None) -> Any:
    """The pixels of a picture, red, green and blue, as another program reads it."""
    image = pytest.importorskip("PIL.Image")
    assert picture is not None
    return numpy.asarray(image.open(io.BytesIO(picture)).convert("RGB"))


def large(values: Any, device: xarr.Device) -> tuple[Any, Shown]:
    """A matrix that begins with some values and has the last of them elsewhere; how it is shown."""
    host = numpy.full((LARGE, LARGE), values.flat[-1], values.dtype)
    host.ravel()[: values.size] = values.ravel()
    return host, Shown(xarr.asarray(host, device=device))


def test_small_arrays_are_the_text_of_numpy() -> None:
    for host in (
        numpy.asarray([1.5, 2.5]),
        numpy.arange(6, dtype="float32").reshape(1, 2, 3),
        numpy.asarray([[True, False]]),
        numpy.asarray(7),
        numpy.zeros((0, 3)),
        numpy.arange(1000).reshape(25, 40),
    ):
        found = Shown(xarr.asarray(host))
        assert (found.text, found.captions, found.picture) == (repr(host), [], None)


@pytest.mark.parametrize("shape", [(1001,), (40, 40), (2, 30, 40)])
def test_large_arrays_also_say_what_they_are(
    shape: tuple[int, ...], any_device: xarr.Device
) -> None:
    host = numpy.arange(numpy.prod(shape), dtype="float32").reshape(shape)
    x = xarr.asarray(host, device=any_device)
    for shown, wanted in ((x, host), (x + 1, host + 1)):
        found = Shown(shown)
        with xarr.device(any_device):
            assert found.text.startswith(repr(wanted)[:-1])
        said = f"shape {shape}, dtype float32, device {any_device}, {4 * host.size:,} bytes"
        assert found.captions[0] == said
        assert (found.picture is not None) == (len(shape) == 2)


def test_a_threshold_of_numpy_s_holds() -> None:
    x = xarr.arange(30)
    with numpy.printoptions(threshold=20):
        assert Shown(x).captions
    assert not Shown(x).captions


@pytest.mark.parametrize(
    ("values", "wanted", "said"),
    [
        (numpy.eye(2, dtype=bool), [255, 0, 0, 255], "0 (black) to 1 (white)"),
        (numpy.asarray([-128, 127], "int8"), [0, 255], "-128 (black) to 127 (white)"),
        (numpy.asarray([0, 2**64 - 1], "uint64"), [0, 255], "0 (black) to 1.84467e+19 (white)"),
        (numpy.zeros(2, "float32"), [127, 127], "0 (black) to 0 (white)"),
        (numpy.asarray([3.0, 3.0], "float32"), [127, 127], "3 (black) to 3 (white)"),
        (numpy.asarray([3 + 4j, 0], "complex64"), [255, 0], "magnitudes 0 (black) to 5 (white)"),
        (numpy.asarray([-60000, 60000], "float16"), [0, 255], "-60000 (black) to 60000 (white)"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_greys(values: Any, wanted: list[int], said: str, any_device: xarr.Device) -> None:
    host, found = large(values, any_device)
    assert found.captions[1] == said
    pixels = levels(found.picture)
    assert (pixels == pixels[..., :1]).all()
    assert pixels[..., 0].ravel().tolist() == wanted + [wanted[-1]] * (host.size - values.size)
    assert found.sizes == (160, 160)


def test_what_is_not_finite_is_red(any_device: xarr.Device) -> None:
    values = numpy.asarray([0, numpy.nan, numpy.inf, -numpy.inf, 2], "float32")
    _, found = large(values, any_device)
    assert found.captions[1] == "0 (black) to 2 (white), red: NaN or infinite"
    red = [214, 39, 40]
    assert levels(found.picture)[0, :5].tolist() == [[0] * 3, red, red, red, [255] * 3]
    _, found = large(values[1:2], any_device)
    assert found.captions[1] == "NaN or infinite"


def test_numbers_that_are_large_have_greys() -> None:
    largest = numpy.finfo("float64").max
    device = xarr.default_device()
    if not device.has_float64:
        pytest.skip(f"{device} has no float64")
    _, found = large(numpy.asarray([-largest, 0, largest]), device)
    assert levels(found.picture)[0, :3, 0].tolist() == [0, 127, 255]


def test_of_a_large_matrix_a_part_is_read(any_device: xarr.Device) -> None:
    values = numpy.add.outer(numpy.arange(1000), numpy.arange(2000) * 1000).astype("float32")
    x = xarr.asarray(values, device=any_device).T
    moved: list[int] = []
    with observed(lambda where, nbytes, *rest: moved.append(nbytes)):
        found = Shown(x)
    assert moved == [4 * 7 * 7, 4 * 250 * 250]
    assert found.captions[1].startswith("every 8th row and every 4th column: 0 (black)")
    pixels = levels(found.picture)[..., 0]
    assert pixels.shape == (250, 250) == found.sizes
    part = values.T[::8, ::4].astype(float)
    wanted = numpy.round(part / part.max() * 254).astype(int) * 255 // 254
    assert numpy.array_equal(pixels, wanted)


@pytest.mark.parametrize(
    ("columns", "said"), [(300, "2nd"), (600, "3rd"), (2816, "11th"), (5376, "21st")]
)
def test_steps_are_words(columns: int, said: str) -> None:
    assert Shown(xarr.ones((4, columns)) * 2).captions[1].startswith(f"every {said} column: 2")


def test_showing_is_reading(any_device: xarr.Device) -> None:
    with host_functions.fused():  # else NumPy may have computed it already
        x = xarr.asarray([1.0, 2.0] * 99, dtype="float32", device=any_device) * 2
        with xarr.no_implicit_transfer(), pytest.raises(xarr.ImplicitTransferError):
            x._repr_html_()
        assert "pending: 1 operation" in xarr.explain(x)
    x._repr_html_()
    assert "in memory" in xarr.explain(x)


def test_text_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray([1, 2])
    monkeypatch.setattr(numpy, "array2string", lambda *_, **__: "<b>&")
    assert html.escape("<b>&") in x._repr_html_()
    assert not re.search("<b>", x._repr_html_())
