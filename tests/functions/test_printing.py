"""Printing, letter by letter as NumPy prints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, device, given, narrow_device, needs
from xarr.backends.base import Driver

pytestmark = pytest.mark.usefixtures("device")


def both(host: Any, x: xp.Array) -> None:
    assert repr(x) == repr(np.asarray(host))
    assert str(x) == str(np.asarray(host))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_numpy_prints(layout: str, dtype: str) -> None:
    needs(dtype)
    both(*given(dtype, layout))


@pytest.mark.parametrize(
    "shape",
    [(1001,), (1000,), (7, 200), (500, 3), (3, 500), (12, 12, 12), (2, 3, 200), (1, 2000, 1)],
)
def test_large_arrays_are_shown_by_their_corners(shape: tuple[int, ...]) -> None:
    host = (np.arange(int(np.prod(shape))) ** 2 % 1013 * 0.37).astype("f4").reshape(shape)
    x = xp.asarray(host)
    both(host, x)
    both(host.T, x.T)
    both(host[::-1], x[::-1])
    both(host + 1, x + 1)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, -0.0, math.nan, math.inf],
        [1e-10, 1e10],
        [1.23456789, 1000.5],
        [[]],
        [[0.1, 2], [3, 4]],
        [True, False],
        [1 + 2j, math.nan],
        list(range(60)),
    ],
)
def test_values(values: Any) -> None:
    for dtype in (np.asarray(values).dtype, np.dtype("f4"), np.dtype("f2")):
        host = np.asarray(values)
        if host.dtype.kind == "c" and dtype.kind != "c":
            continue
        needs(dtype)
        with np.errstate(over="ignore"):
            host = host.astype(dtype)
        both(host, xp.asarray(host))


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 3},
        {"threshold": 5, "edgeitems": 1},
        {"linewidth": 30},
        {"suppress": True},
        {"edgeitems": 5, "threshold": 20},
        {"sign": "+"},
    ],
)
def test_numpy_s_options(options: Any) -> None:
    host = np.linspace(0, 1000, 84).astype("f4").reshape(7, 12)
    x = xp.asarray(host)
    with np.printoptions(**options):
        both(host, x)
        both(host.ravel(), x.ravel())


def test_format() -> None:
    x = xp.asarray(2.5)
    assert f"{x:.3f}" == "2.500"
    assert f"{x}" == "2.5"
    assert f"{xp.arange(3)}" == "[0 1 2]"


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


def test_printing_is_a_hidden_transfer() -> None:
    x = xp.arange(3)
    with xp.no_implicit_transfer(), pytest.raises(xp.ImplicitTransferError):
        repr(x)


@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (40, 50), (3, 4)])
def test_array2string_is_numpys(shape: tuple[int, ...]) -> None:
    host = np.asarray(np.arange(math.prod(shape), dtype=np.float64).reshape(shape) / 7)
    x = xp.asarray(host)
    for how in (
        {},
        {"precision": 2, "separator": ", "},
        {"threshold": 5, "edgeitems": 1, "prefix": "x = "},
        {"threshold": 5, "edgeitems": -1},
        {"formatter": {"float_kind": lambda value: f"<{value:.1f}>"}},
        {"max_line_width": 30, "suppress_small": True, "sign": "+", "floatmode": "fixed"},
    ):
        assert xp.array2string(x, **how) == np.array2string(host, **how)  # type: ignore[call-overload]
    assert xp.array_repr(x, 40, 3, True) == np.array_repr(host, 40, 3, True)
    assert xp.array_str(x, precision=2) == np.array_str(host, precision=2)


def test_numbers_are_written_as_numpy_writes_them() -> None:
    x = xp.asarray(0.1, dtype="float32") * 3
    value = np.float32(x)
    assert xp.format_float_positional(x) == np.format_float_positional(value)
    assert xp.format_float_scientific(x, 3, exp_digits=3) == np.format_float_scientific(
        value, 3, exp_digits=3
    )
    assert xp.base_repr(xp.asarray(35), 36, 2) == np.base_repr(35, 36, 2) == "00Z"
    assert xp.binary_repr(xp.asarray(-3), width=5) == "11101"


def test_what_is_known_of_an_array(capsys: pytest.CaptureFixture[str]) -> None:
    xp.info(xp.zeros((2, 3), dtype="int8"))
    assert "shape:  (2, 3)\ndtype:  int8\n" in capsys.readouterr().out
    xp.info(xp.sin)
    assert "sin" in capsys.readouterr().out
    assert xp.show_config("dicts")
    xp.show_runtime()
    assert "numpy_version" in capsys.readouterr().out
