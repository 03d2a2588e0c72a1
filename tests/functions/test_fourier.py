"""What NumPy's Fourier transforms take beyond the standard's, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each_line
from xarr import tuning
from xarr.array.array import Array
from xarr.functions.signal import fourier
from xarr.ops import vendor

RNG = np.random.default_rng(11)
GIVEN: dict[str, Any] = {
    "r": RNG.standard_normal((3, 4, 6)),
    "a": RNG.standard_normal((4, 6)),
    "i": np.arange(12).reshape(3, 4),
    "u": np.arange(6, dtype="uint8"),
}

CALLS = """
np.fft.{fft2|ifft2}(r + 1j)
np.fft.rfft2(r)
np.fft.irfft2(r + 1j)
np.fft.{fft2|ifft2}(r + 1j, (4, 8), (0, 1), "ortho")
np.fft.rfft2(r, (4, 8), (0, 1), "ortho")
np.fft.irfft2(r + 1j, (4, 8), (0, 1), "ortho")
np.fft.{irfft2|fft2|ifft2|irfftn|fftn}(r + 1j, s={(3, -1)|(-1, 4)}, axes=(0, 1))
np.fft.{fft2|rfft2|irfft2}(r, s=(1,), axes=(0, 1)) ! ValueError: axes
np.fft.{fft|ifft|rfft|irfft|hfft|ihfft}([1, 2, 3, 4])
np.fft.{fft|ifft|rfft|irfft|hfft|ihfft|fftn|irfftn}([True, False, True, True])
np.fft.{fft|ifft|rfft|irfft|hfft|ihfft|fftn|irfftn}(u)
np.fft.{fft|ifft|fftn}(a, out=np.zeros((4, 6), complex))
np.fft.{rfft|ihfft}(a, out=np.zeros((4, 4), complex))
np.fft.{irfft|hfft|irfftn}(a, out=np.zeros((4, 10)))
np.fft.{fft|rfft|ihfft|fftn}(a, out=np.zeros((2, 2), complex)) ! ValueError: fft.
np.fft.{irfft|hfft|irfftn}(a, out=np.zeros((2, 2))) ! ValueError: fft.
np.fft.{fft|ifft|fftn}(a, out=np.zeros((4, 6))) ! TypeError
np.fft.{rfft|ihfft}(a, out=np.zeros((4, 4))) ! TypeError
np.fft.fft(a, 5, 0, "forward")
np.fft.rfftn(a, None, (1, 0))
np.fft.{fft|irfft|rfftn}(a, norm=None)
np.fft.rfft(a + 0j) ! TypeError
np.fft.rfftn(a, s=(10, 20, 40), axes=(0, 0, 1))
np.fft.fftn(a, (4, 5), (0, 0))
np.fft.irfftn(a, (5, 4, 6), (0, 0, 1))
np.fft.fftfreq({1|5|8}, 0.1)
np.fft.rfftfreq({1|5|8}, d=2)
np.fft.{fftshift|ifftshift}(i, {None|0|(0, 1)|[-1]|numpy.array([1])})
np.fft.fftshift(i.tolist())
np.fft.{fftshift|ifftshift}(i, ())
"""


LIMITS = [tuning.FFT_NBYTES] if vendor.runs_on_numpy(xarr.default_device()) else [1 << 23, 0]
"""The bytes up to which a device's library, if it has one, does not transform."""


@pytest.fixture(autouse=True, params=LIMITS)
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "FFT_NBYTES", request.param)


@each_line(CALLS)
def test_as_numpy(call: str, form: xarr.Device) -> None:
    check(call, near=1e-9, **GIVEN)


def test_lengths_of_none_are_deprecated() -> None:
    for arguments in (((3, None), (0, 1)), ((3, 4),)):
        with pytest.warns(DeprecationWarning, match="`s`"):
            got = xarr.fft.fftn(GIVEN["a"], *arguments)
        with pytest.warns(DeprecationWarning, match="`s`"):
            wanted = np.fft.fftn(GIVEN["a"], *arguments)
        np.testing.assert_allclose(np.asarray(got), wanted)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize(
    "name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "ifftn", "rfftn"]
)
def test_the_scale_follows_a_library_that_has_none(
    name: str, norm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, whose part NumPy plays here."""
    unscaled = "forward" if name.startswith("i") else "backward"

    def run(where: str, routine: str, nodes: Any, results: Any, **along: Any) -> Any:
        host = np.asarray(Array(nodes[0]))
        made = getattr(np.fft, routine.removeprefix("fft."))(host, norm=unscaled, **along)
        ((shape, dtype),) = results
        assert made.shape == shape
        return [xarr.asarray(made.astype(dtype.numpy))._view]

    monkeypatch.setattr(vendor, "runs_on_numpy", lambda device: False)
    monkeypatch.setattr(vendor, "routine", lambda name, dtype, device: run)
    monkeypatch.setattr(vendor, "call", run)
    is_real = name in ("rfft", "ihfft", "rfftn")
    for dtype in ("float32", "float64") if is_real else ("complex64", "complex128"):
        if dtype not in ("float32", "complex64") and not xarr.default_device().info.has_float64:
            continue
        host = np.random.default_rng(0).normal(size=(3, 5)).astype(dtype)
        got = getattr(xarr.fft, name)(xarr.asarray(host), norm=norm)
        wanted = getattr(np.fft, name)(host, norm=norm)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_are_scaled_apart(dtype: str) -> None:
    if dtype == "complex128" and not xarr.default_device().info.has_float64:
        pytest.skip("no float64")
    host = np.asarray([complex(np.inf, 0), complex(-3, -0.0), complex(0.0, -np.inf)], dtype)
    got = np.asarray(Array(fourier._scaled(xarr.asarray(host)._view, 0.5)))
    assert got.dtype == host.dtype
    parts = host.view(host.real.dtype) * host.real.dtype.type(0.5)
    assert got.tobytes() == parts.tobytes()
