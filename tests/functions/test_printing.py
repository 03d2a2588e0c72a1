"""Printing, letter by letter as NumPy prints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, device, given, has, narrow_device
from tests.functions.calls import check, each, rows
from xarr.backends.base import Driver

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_and_dtypes(layout: str) -> None:
    for dtype in filter(has, DTYPES):
        for call in ("repr(x)", "str(x)"):
            check(call, x=given(dtype, layout))


@pytest.mark.parametrize(
    "shape",
    [(1001,), (1000,), (7, 200), (500, 3), (3, 500), (12, 12, 12), (2, 3, 200), (1, 2000, 1)],
)
def test_large_arrays_are_shown_by_their_corners(shape: tuple[int, ...]) -> None:
    host = (np.arange(int(np.prod(shape))) ** 2 % 1013 * 0.37).astype("f4").reshape(shape)
    for call in rows("{repr|str}(x{|.T|[::-1]| + 1})"):
        check(call, x=host)


CALLS = """
{repr|str}(np.asarray({[0.0, -0.0, nan, inf]|[1e-10, 1e10]|[1.23456789, 1000.5]}, "{f2|f4|f8}"))
{repr|str}(np.asarray({[[]]|[[0.1, 2], [3, 4]]|[*range(60)]|[True, False]}, "{f2|f4|f8}"))
{repr|str}(np.asarray({[True, False]|[*range(60)]|[1 + 2j, nan]}))
with numpy.printoptions({precision=3|linewidth=30|suppress=True|sign="+"}):
...     t = repr(x), str(x.ravel())
with numpy.printoptions(threshold={5, edgeitems=1|20, edgeitems=5}): t = repr(x), str(x.ravel())
[np.array2string(y{|, precision=2, separator=", "|, threshold=5, edgeitems=-1}) for y in few]
[np.array2string(y, threshold=5, edgeitems=1, prefix="x = ") for y in few]
[np.array2string(y, 30, suppress_small=True, sign="+", floatmode="fixed") for y in few]
[np.array2string(y, formatter=dict(float_kind=lambda value: f"<{value:.1f}>")) for y in few]
np.array_repr(x, 40, 3, True)
np.array_str(x, precision=2)
np.format_float_positional(np.asarray([0.1], "f4")[0] * 3)
np.format_float_scientific(np.asarray([0.1], "f4")[0] * 3, 3, exp_digits=3)
np.base_repr(np.asarray([35])[0], 36, 2)
np.binary_repr(np.asarray([-3])[0], width=5)
format(np.asarray({2.5), ".3f"|2.5)|[0, 1])})
"""


@each(CALLS)
def test_as_numpy_prints(call: str) -> None:
    if not has("float64"):
        pytest.skip("default types differ")
    x = np.linspace(0, 1000, 84).astype("f4").reshape(7, 12)
    call = call.replace("few", "(x[1, 1, ...], x[0, :3], x[:0, :2], x[:3, :4], np.tile(x, (5, 4)))")
    check(call, x=x)


def test_another_device_is_named() -> None:
    narrow = narrow_device()
    x = xp.arange(3, device=narrow)
    assert repr(x) == f"array([0, 1, 2], device='{narrow}')"
    with xp.device(narrow):
        assert repr(x) == "array([0, 1, 2])"


def test_only_the_corners_travel(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []
    driver: Driver = device().driver
    download = type(driver).download

    def counted(self: Driver, buffer: Any, offset_nbytes: int, out: Any) -> None:
        moved.append(out.nbytes)
        download(self, buffer, offset_nbytes, out)

    monkeypatch.setattr(type(driver), "download", counted)
    x = xp.arange(10**6, dtype="float32").reshape(1000, 1000)
    assert repr(x) == repr(np.arange(10**6, dtype="f4").reshape(1000, 1000))
    assert sum(moved) <= 4 * 7 * 7


def test_what_is_known_of_an_array(capsys: pytest.CaptureFixture[str]) -> None:
    xp.info(xp.zeros((2, 3), dtype="int8"))
    assert "shape:  (2, 3)\ndtype:  int8\n" in capsys.readouterr().out
    xp.info(xp.sin)
    assert "sin" in capsys.readouterr().out
    assert xp.show_config("dicts")
    xp.show_runtime()
    assert "numpy_version" in capsys.readouterr().out
