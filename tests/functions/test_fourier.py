"""What NumPy's Fourier transforms take beyond the standard's, beside NumPy."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from xarr.algorithms import library
from xarr.array.array import Array
from xarr.functions.signal import fourier


@pytest.fixture(params=["", "as-gpu"], ids=["library", "kernels"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU."""
    device = xarr.default_device().pretending(*filter(None, [request.param]))
    with xarr.device(device):
        yield device


def drawn(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(11).standard_normal(shape)


def assert_close(got: Any, wanted: Any) -> None:
    assert type(got) is xarr.Array
    host = xarr.to_numpy(got)
    assert host.dtype == wanted.dtype
    np.testing.assert_allclose(host, wanted, rtol=1e-9, atol=1e-9, strict=True)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_axes(name: str, form: xarr.Device) -> None:
    a = drawn(3, 4, 6)
    if name != "rfft2":
        a = a + 1j * drawn(3, 4, 6)
    ours, theirs = getattr(xarr.fft, name), getattr(np.fft, name)
    x = xarr.asarray(a)
    assert_close(ours(x), theirs(a))
    assert_close(ours(x, (4, 8), (0, 1), "ortho"), theirs(a, (4, 8), (0, 1), "ortho"))
    with pytest.raises(ValueError, match="axes"):
        ours(x, s=(1,), axes=(0, 1))


@pytest.mark.parametrize(
    "name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "irfftn"]
)
def test_out_and_operands(name: str, form: xarr.Device) -> None:
    ours, theirs = getattr(xarr.fft, name), getattr(np.fft, name)
    for values in ([1, 2, 3, 4], [True, False, True, True], np.arange(6, dtype="uint8")):
        assert_close(ours(values), theirs(values))
    a = drawn(4, 6)
    wanted = theirs(a)
    out = xarr.zeros(wanted.shape, wanted.dtype)
    assert ours(xarr.asarray(a), out=out) is out
    assert_close(out, wanted)
    with pytest.raises(ValueError, match=name):
        ours(a, out=xarr.zeros((2, 2), wanted.dtype))
    if wanted.dtype.kind == "c":
        with pytest.raises(TypeError):
            ours(a, out=xarr.zeros(wanted.shape))


def test_positional_arguments(form: xarr.Device) -> None:
    a = drawn(4, 6)
    assert_close(xarr.fft.fft(a, 5, 0, "forward"), np.fft.fft(a, 5, 0, "forward"))
    assert_close(xarr.fft.rfftn(a, None, (1, 0)), np.fft.rfftn(a, None, (1, 0)))
    with pytest.raises(TypeError):
        xarr.fft.rfft(a + 0j)


def test_frequencies_and_shifts() -> None:
    for n in (1, 5, 8):
        assert_close(xarr.fft.fftfreq(n, 0.1), np.fft.fftfreq(n, 0.1))
        assert_close(xarr.fft.rfftfreq(n, d=2), np.fft.rfftfreq(n, d=2))
    a = np.arange(12).reshape(3, 4)
    for axes in (None, 0, (0, 1), [-1], np.array([1])):
        assert_close(xarr.fft.fftshift(a.tolist(), axes), np.fft.fftshift(a, axes))
        assert_close(xarr.fft.ifftshift(a, axes=axes), np.fft.ifftshift(a, axes=axes))


def test_transforms_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(xarr.fft.fft)) is xarr.fft.fft


def test_an_axis_named_twice_is_transformed_twice(form: xarr.Device) -> None:
    a = drawn(2, 3)
    assert_close(
        xarr.fft.rfftn(a, s=(10, 20, 40), axes=(0, 0, 1)),
        np.fft.rfftn(a, s=(10, 20, 40), axes=(0, 0, 1)),
    )
    assert_close(xarr.fft.fftn(a, (4, 5), (0, 0)), np.fft.fftn(a, (4, 5), (0, 0)))
    assert_close(xarr.fft.irfftn(a, (5, 4, 6), (0, 0, 1)), np.fft.irfftn(a, (5, 4, 6), (0, 0, 1)))


def test_lengths_of_none_are_deprecated() -> None:
    a = drawn(4, 5)
    for arguments in (((3, None), (0, 1)), ((3, 4),)):
        with pytest.warns(DeprecationWarning, match="`s`"):
            got = xarr.fft.fftn(a, *arguments)
        with pytest.warns(DeprecationWarning, match="`s`"):
            assert_close(got, np.fft.fftn(a, *arguments))


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
        return [xarr.asarray(made.astype(dtype.numpy))._node]

    monkeypatch.setattr(library, "is_preferred", lambda device: False)
    monkeypatch.setattr(library, "routine", lambda name, dtype, device: run)
    monkeypatch.setattr(library, "run", run)
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
    got = np.asarray(Array(fourier._scaled(xarr.asarray(host)._node, 0.5)))
    assert got.dtype == host.dtype
    parts = host.view(host.real.dtype) * host.real.dtype.type(0.5)
    assert got.tobytes() == parts.tobytes()
