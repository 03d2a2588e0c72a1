"""Fourier transforms against NumPy's in float64: lengths, axes, layouts, and the same bits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import xarr as xp
from xarr import engine, layout, source, transforms
from xarr.array import Array
from xarr.expression import Node

from .comparing import needs
from .conftest import DEVICES
from .nvrtc import compile_cuda

Values = np.ndarray[Any, Any]

LONG = [251, 257, 1009, 65537, 3**10, 7**5, 5**7, 10**6, *(1 << bits for bits in range(8, 21))]
COMPLEX = ["complex64", "complex128"]
REAL = ["float32", "float64"]


@pytest.fixture(params=["", "?as-gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """The default device, plain and taken for a GPU."""
    with xp.device(f"{str(xp.default_device()).partition('?')[0]}{request.param}") as chosen:
        yield chosen


def node(values: Values) -> Node:
    result: Node = xp.asarray(values)._node
    return result


def host(given: Node) -> Values:
    assert given.storage is not None
    return np.asarray(Array(given))


def numbers(shape: tuple[int, ...], dtype: str) -> Values:
    generator = np.random.default_rng(math.prod(shape))
    values = generator.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(dtype)


def near(ours: Values, wanted: Values, dtype: str, length: int) -> None:
    """Assert type, shape and a relative error in the Euclidean norm that grows with log(length)."""
    assert ours.dtype == dtype
    assert ours.shape == wanted.shape
    size = float(np.linalg.norm(wanted.ravel()))
    error = float(np.linalg.norm((ours - wanted).ravel())) / (size or 1.0)
    bound = (1 + math.log2(length)) * np.finfo(ours.dtype).eps
    assert error <= bound, f"length {length}: error {error:.3g}, bound {bound:.3g}"


def there_and_back(values: Values, axis: int = -1) -> None:
    """Transform and inverse of complex values against NumPy's in complex128."""
    length, dtype = values.shape[axis], str(values.dtype)
    axis %= values.ndim
    ours = transforms.fft(node(values), axis, inverse=False, scale=1.0)
    near(host(ours), np.fft.fft(values.astype(complex), axis=axis), dtype, length)
    back = transforms.fft(node(values), axis, inverse=True, scale=1 / length)
    near(host(back), np.fft.ifft(values.astype(complex), axis=axis), dtype, length)


def real_there_and_back(values: Values, axis: int = -1) -> None:
    """Transform of real values and the way back against NumPy's in float64."""
    length, dtype = values.shape[axis], str(values.dtype)
    axis %= values.ndim
    name = {"float32": "complex64", "float64": "complex128"}[dtype]
    ours = host(transforms.rfft(node(values), axis, scale=1.0))
    near(ours, np.fft.rfft(values.astype(float), axis=axis), name, length)
    ends = np.take(ours, [0] if length % 2 else [0, -1], axis)
    assert not ends.imag.any(), f"length {length}: what has to be real is not"
    spectrum = numbers(ours.shape, name)
    back = transforms.irfft(node(spectrum), axis, length, scale=1 / length)
    near(host(back), np.fft.irfft(spectrum.astype(complex), length, axis=axis), dtype, length)


# -- lengths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", COMPLEX)
def test_every_short_length(dtype: str) -> None:
    needs(dtype)
    for length in range(1, 131):
        there_and_back(numbers((3, length), dtype))


@pytest.mark.parametrize("dtype", REAL)
def test_short_real_lengths(dtype: str) -> None:
    needs(dtype)
    for length in (*range(1, 19), 21, 22, 30, 48, 64, 74, 99, 100, 128, 129, 130):
        real_there_and_back(numbers((3, length), dtype))


@pytest.mark.parametrize("length", LONG)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_long_lengths(dtype: str, length: int) -> None:
    needs(dtype)
    there_and_back(numbers((length,), dtype))


@pytest.mark.parametrize("length", [257, 2 * 257, 4095, 4096, 4098, 8192, 3**8, 65536, 2 * 65537])
@pytest.mark.parametrize("dtype", REAL)
def test_long_real_lengths(dtype: str, length: int) -> None:
    needs(dtype)
    real_there_and_back(numbers((length,), dtype))


def test_lengths_are_cut_into_few_passes() -> None:
    for length in range(1, 5000):
        rest = length
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        parts = transforms._cut_length(length, 2048)
        assert (math.prod(parts) == length) if rest == 1 else parts == ()
        for part in parts:
            assert math.prod(transforms._radices(part)) == part
    assert transforms._cut_length(2048, 2048) == (2048,)
    assert transforms._cut_length(4096, 2048) == (64, 64)
    assert transforms._cut_length(1 << 18, 2048) == (512, 512)
    assert transforms._cut_length(1 << 20, 2048) == (128, 128, 64)
    assert transforms._cut_length(10**6, 2048) == (100, 100, 100)
    assert transforms._cut_length(7**12, 2048) == (343,) * 4
    assert len(transforms._cut_length(1 << 30, 2048)) == 4
    for length in range(1, 3000):
        longer = transforms._convolution_length(length)
        assert 2 * length - 1 <= longer < 3 * length + 1
        assert transforms._cut_length(longer, 2048)


# -- batches, axes, layouts -----------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 8), (63, 8), (64, 8), (65, 8), (5000, 8), (3, 2, 30)])
def test_batches(form: xp.Device, shape: tuple[int, ...]) -> None:
    there_and_back(numbers(shape, "complex64"))
    real_there_and_back(numbers(shape, "float32"))


def test_without_float64() -> None:
    with xp.device(xp.default_device().without_float64()):
        for length in (60, 74, 4096):
            there_and_back(numbers((2, length), "complex64"))
            real_there_and_back(numbers((2, length), "float32"))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "float64"])
def test_every_axis(axis: int, dtype: str) -> None:
    needs(dtype)
    check = there_and_back if dtype in COMPLEX else real_there_and_back
    for shape in ((9, 10, 11), (2, 3, 2)):
        check(numbers(shape, dtype), axis)


@pytest.mark.parametrize("length", [600, 2048, 4096, 2053])
def test_long_columns(form: xp.Device, length: int) -> None:
    there_and_back(numbers((2, length, 5), "complex64"), 1)
    real_there_and_back(numbers((length, 3), "float32"), 0)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda x: x[1::2, :, ::3],
    "reversed": lambda x: x[::-1, ::-2, ::-1],
    "transposed": lambda x: (
        x.transpose(2, 0, 1) if isinstance(x, np.ndarray) else xp.permute_dims(x, (2, 0, 1))
    ),
    "broadcast": lambda x: (np if isinstance(x, np.ndarray) else xp).broadcast_to(
        x[:1, :, :1], (5, x.shape[1], 6)
    ),
    "one element": lambda x: x[2:3, 3:4, 4:5],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_views(view: str, axis: int) -> None:
    values = numbers((6, 8, 12), "complex64")
    real = numbers((6, 8, 12), "float32")
    seen = VIEWS[view](values)
    length = seen.shape[axis]
    wanted = np.fft.fft(seen.astype(complex), axis=axis)
    ours = transforms.fft(VIEWS[view](xp.asarray(values))._node, axis, inverse=False, scale=1.0)
    near(host(ours), wanted, "complex64", length)
    wanted = np.fft.rfft(VIEWS[view](real).astype(float), axis=axis)
    ours = transforms.rfft(VIEWS[view](xp.asarray(real))._node, axis, scale=1.0)
    near(host(ours), wanted, "complex64", length)
    for n in (2 * length - 2, 2 * length - 1):
        if n:
            wanted = np.fft.irfft(seen.astype(complex), n, axis=axis)
            given = VIEWS[view](xp.asarray(values))._node
            near(host(transforms.irfft(given, axis, n, scale=1 / n)), wanted, "float32", n)


@pytest.mark.parametrize(("shape", "axis"), [((0, 8), 1), ((8, 0), 0), ((0, 3, 7), 1)])
def test_no_lines(form: xp.Device, shape: tuple[int, ...], axis: int) -> None:
    length = shape[axis]
    given = node(np.empty(shape, np.complex64))
    assert host(transforms.fft(given, axis, inverse=False, scale=1.0)).shape == shape
    real = node(np.empty(shape, np.float32))
    wanted = np.fft.rfft(np.empty(shape), axis=axis).shape
    assert host(transforms.rfft(real, axis, scale=1.0)).shape == wanted
    assert host(transforms.irfft(given, axis, 2 * length - 1, scale=1.0)).size == 0


# -- operands -------------------------------------------------------------------------------------


def test_an_expression_is_part_of_the_first_pass(form: xp.Device) -> None:
    values = numbers((4, 96), "complex64")
    x = xp.asarray(values)
    pending = (x * 2 + 1)._node
    before = engine.counts.launches
    ours = transforms.fft(pending, 1, inverse=False, scale=1.0)
    assert engine.counts.launches == before + 1
    assert pending.storage is None
    near(host(ours), np.fft.fft(values.astype(complex) * 2 + 1), "complex64", 96)
    real = numbers((4, 96), "float32")
    kept = xp.asarray(real) * 3
    ours = transforms.rfft(kept._node, 1, scale=1.0)
    assert kept._node.storage is not None, "an array waits for what the pass computes"
    near(host(ours), np.fft.rfft(real * 3.0), "complex64", 96)
    np.testing.assert_array_equal(np.asarray(kept), real * np.float32(3))
    near(
        host(transforms.irfft((x * 2)._node, 1, 190, scale=1 / 190)),
        np.fft.irfft(values.astype(complex) * 2, 190),
        "float32",
        190,
    )


def test_constants_and_conversions(form: xp.Device) -> None:
    ones = xp.ones((3, 10), dtype="complex64")._node
    wanted = np.zeros((3, 10))
    wanted[:, 0] = 10
    np.testing.assert_array_equal(
        host(transforms.fft(ones, 1, inverse=False, scale=1.0)).real, wanted
    )
    real = numbers((5, 12), "float32")
    given = engine.converted(node(real), xp.asarray(np.complex64(0))._node.dtype)
    ours = host(transforms.fft(given, 1, inverse=False, scale=0.5))
    near(ours, np.fft.fft(real.astype(float)) / 2, "complex64", 12)
    constant = xp.full((3, 7), 2 - 3j, dtype="complex64")._node
    back = host(transforms.irfft(constant, 1, 12, scale=1 / 12))
    near(back, np.fft.irfft(np.full((3, 7), 2 - 3j), 12), "float32", 12)


@pytest.mark.parametrize("length", [8, 15, 37, 4096])
def test_special_values(form: xp.Device, length: int) -> None:
    for special in (np.inf, -np.inf, np.nan):
        values = np.ones((2, length), np.complex64)
        values[1, length // 2] = special
        ours = host(transforms.fft(node(values), 1, inverse=False, scale=1.0))
        assert np.isfinite(ours[0]).all()
        assert not np.isfinite(ours[1]).any()
        real = host(transforms.rfft(node(values.real.copy()), 1, scale=1.0))
        assert np.isfinite(real[0]).all()
        assert not np.isfinite(real[1]).all()


def test_exact_results(form: xp.Device) -> None:
    """Multiples of a quarter turn have no error, and zeros stay zeros."""
    for length in (1, 2, 4, 8, 16, 64, 4096):
        values = np.zeros((1, length), np.complex64)
        values[0, 0] = 3 - 2j
        ours = host(transforms.fft(node(values), 1, inverse=False, scale=1.0))
        np.testing.assert_array_equal(ours, np.full((1, length), 3 - 2j))
        if length >= 4:
            wave = np.tile(np.array([1, 1j, -1, -1j], np.complex64), (1, length // 4))
            ours = host(transforms.fft(node(wave), 1, inverse=False, scale=1 / length))
            wanted = np.zeros((1, length))
            wanted[0, length // 4] = 1
            np.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize("length", [64, 63, 37, 4096])
def test_wide_indices(form: xp.Device, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    there_and_back(numbers((2, length, 3), "complex64"), 1)
    real_there_and_back(numbers((3, length), "float32"))


@pytest.mark.parametrize("limits", [(1, 32768), (16, 32768), (4096, 40000)])
def test_a_devices_limits_change_no_bits(
    limits: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xp.default_device()
    values = numbers((70, 60), "complex64")
    long = numbers((4096,), "complex64")
    for x in (values, long):
        wanted = host(transforms.fft(node(x), x.ndim - 1, inverse=False, scale=1.0))
        with monkeypatch.context() as patch:
            info = dataclasses.replace(device.info, group_size=limits[0], local_nbytes=limits[1])
            patch.setattr(device, "info", info)
            patch.setattr(device, "kernels", {})
            ours = host(transforms.fft(node(x), x.ndim - 1, inverse=False, scale=1.0))
        np.testing.assert_array_equal(ours.view(np.uint32), wanted.view(np.uint32))


@pytest.mark.skipif(len(DEVICES) < 2, reason="there is one device")
@pytest.mark.parametrize("dtype", [*COMPLEX, *REAL])
def test_the_same_bits_on_every_device(dtype: str) -> None:
    for length in (60, 343, 74, 4096):
        values = numbers((2, length), dtype)
        results = []
        for device in DEVICES:
            with xp.device(device):
                if dtype in COMPLEX:
                    given = transforms.fft(node(values), 1, inverse=False, scale=0.3)
                else:
                    given = transforms.rfft(node(values), 1, scale=0.3)
                results.append(host(given))
        for other in results[1:]:
            same = results[0].view(np.uint8) == other.view(np.uint8)
            assert same.all(), f"{dtype}, length {length}: {(~same).sum()} bytes differ"


# -- tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 7, 8, 12, 24, 1009, 4096, 2 * 10**9 + 2])
def test_roots_of_unity(order: int) -> None:
    powers = np.unique(np.linspace(0, order - 1, 500).astype(np.int64))
    if order % 8 == 0:
        powers = np.unique(np.concatenate((powers, np.arange(8) * (order // 8))))
    ours = transforms.roots(powers, order)
    with mpmath.workprec(150):
        for power, root in zip(powers.tolist(), ours.tolist(), strict=True):
            exact = mpmath.expjpi(-mpmath.mpf(2) * power / order)
            for part, wanted in ((root.real, exact.real), (root.imag, exact.imag)):
                if 4 * power % order == 0:
                    assert part == round(float(wanted))
                else:
                    assert abs(mpmath.mpf(part) - wanted) < 0.75 * np.spacing(abs(part))


def test_tables_are_kept_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    device = xp.default_device()
    kernels = dict(device.kernels)
    kernels.pop(transforms._KEPT, None)
    monkeypatch.setattr(device, "kernels", kernels)
    x = node(numbers((2, 74), "complex64"))
    transforms.fft(x, 1, inverse=False, scale=1.0)
    tables = device.kernels[transforms._KEPT]
    held = dict(tables)
    assert {("chirp", 74, x.dtype), ("spectrum", 74, x.dtype)} <= set(held)
    launches = engine.counts.launches
    transforms.fft(x, 1, inverse=False, scale=1.0)
    assert engine.counts.launches == launches + 2
    assert all(tables[key] is storage for key, storage in held.items())
    monkeypatch.setattr(transforms, "_TABLES", 3)
    transforms.fft(node(numbers((2, 60), "complex64")), 1, inverse=False, scale=1.0)
    assert len(tables) == 3
    monkeypatch.setattr(transforms, "_TABLES_NBYTES", 1)
    transforms.fft(node(numbers((2, 64), "complex64")), 1, inverse=False, scale=1.0)
    assert list(tables) == [("roots", 64, x.dtype)]


# -- CUDA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("dtype", [*COMPLEX, *REAL])
def test_kernels_compile_for_cuda(arch: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = set[str]()

    def record(device: Any, skeleton: str, entry: str, key: Any, describe: Any, *_: Any) -> None:
        defines, _format = describe()
        sources.add(source.assemble(skeleton, "cuda", defines))

    monkeypatch.setattr(xp.default_device(), "kernels", {})
    monkeypatch.setattr(engine, "launch", record)
    for shape, axis in (((2, 840), 1), ((8192, 1), 0), ((2, 74, 3), 1)):
        given = node(numbers(shape, dtype))
        if dtype in COMPLEX:
            transforms.fft(given, axis, inverse=True, scale=1.0)
            n = 2 * (shape[axis] - 1)
            for length in (n, n + 1):
                transforms.irfft(given, axis, length, scale=1.0)
        else:
            transforms.rfft(given, axis, scale=1.0)
    monkeypatch.setattr(layout, "WIDE", 1)
    transforms.fft(node(numbers((2, 64), "complex64")), 1, inverse=True, scale=1.0)
    assert any("#define xr_index i64" in text for text in sources)
    for text in sorted(sources):
        cubin = compile_cuda(text, arch)
        assert b"xr_fft" in cubin or b"xr_rfft" in cubin
