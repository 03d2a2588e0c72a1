"""Fourier transforms against NumPy's in float64: lengths, axes, layouts, and the same bits."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import xarr as xp
from tests.comparing import needs
from tests.conftest import DEVICES
from tests.functions.calls import check, each
from tests.kernels.nvrtc import compile_cuda
from tests.launching import record, watched
from xarr import dtypes, layout, tuning
from xarr.array.array import Array
from xarr.dtypes import DType
from xarr.ir.views import View
from xarr.lowering import fft as kernels, roots
from xarr.ops import fft
from xarr.tape import builder

Values = np.ndarray[Any, Any]

COMPLEX = ["complex64", "complex128"]


@pytest.fixture(params=["", "?as-gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """The default device, plain and taken for a GPU."""
    with xp.device(f"{str(xp.default_device()).partition('?')[0]}{request.param}") as chosen:
        yield chosen


def view(values: Values) -> View:
    result: View = xp.asarray(values)._view
    return result


def host(given: View) -> Values:
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
    """Transform and inverse against NumPy's in complex128; of real values those of real ones."""
    length, dtype = values.shape[axis], str(values.dtype)
    axis %= values.ndim
    if dtype not in COMPLEX:
        real_there_and_back(values, axis)
        return
    ours = fft.fft(view(values), axis, inverse=False, scale=1.0)
    near(host(ours), np.fft.fft(values.astype(complex), axis=axis), dtype, length)
    back = fft.fft(view(values), axis, inverse=True, scale=1 / length)
    near(host(back), np.fft.ifft(values.astype(complex), axis=axis), dtype, length)


def real_there_and_back(values: Values, axis: int = -1) -> None:
    """Transform of real values and the way back against NumPy's in float64."""
    length, dtype = values.shape[axis], str(values.dtype)
    axis %= values.ndim
    name = {"float32": "complex64", "float64": "complex128"}[dtype]
    ours = host(fft.rfft(view(values), axis, scale=1.0))
    near(ours, np.fft.rfft(values.astype(float), axis=axis), name, length)
    ends = np.take(ours, [0] if length % 2 else [0, -1], axis)
    assert not ends.imag.any(), f"length {length}: what has to be real is not"
    spectrum = numbers(ours.shape, name)
    back = fft.irfft(view(spectrum), axis, length, scale=1 / length)
    near(host(back), np.fft.irfft(spectrum.astype(complex), length, axis=axis), dtype, length)


# A pass of another length, of another type or with other ends is another kernel, and takes PoCL a
# second. So the lengths here have all radices with each type, and any two radices that follow each
# other with one of them; and there are more lengths where their convolutions share kernels.


def quick_and_slow(quick: list[tuple[Any, ...]], slow: list[tuple[Any, ...]]) -> list[Any]:
    marked = [pytest.param(*values, marks=pytest.mark.nightly) for values in slow]
    return [*(pytest.param(*values) for values in quick), *marked]


SHORT = [("complex64", n) for n in (2, 8, 16, 64, 105)]
SHORT += [("complex128", n) for n in (14, 60, 64)]
SHORT_SLOW = [("complex64", n) for n in (50, 128, 392, 525)]
SHORT_SLOW += [("complex128", n) for n in (6, 20, 28, 40, 504)]


CONVOLVED = [("complex64", n) for n in (26, 29, 31)]
SHORT_REAL = [("float32", n) for n in (16, 105, 58)] + [("float64", 9)]
SHORT_REAL_SLOW = [("float32", 1), ("float32", 2)]


@pytest.mark.parametrize(
    ("dtype", "length"),
    quick_and_slow(SHORT + SHORT_REAL + CONVOLVED, SHORT_SLOW + SHORT_REAL_SLOW),
)
def test_short_lengths(dtype: str, length: int) -> None:
    needs(dtype)
    for lines in (3, 70):
        there_and_back(numbers((lines, length), dtype))


def test_short_lengths_have_all_radices() -> None:
    every = {dtype: [n for name, n in SHORT if name == dtype] for dtype in COMPLEX}
    for lengths in every.values():
        found = {radix for n in lengths for radix in kernels._radices(n)}
        assert found == {2, 3, 4, 5, 7, 8}
    pairs = set[tuple[int, int]]()
    for length in range(1, 2049):
        if kernels._cut_length(length, 2048):
            pairs.update(itertools.pairwise(kernels._radices(length)))
    for _, length in (*SHORT, *SHORT_SLOW):
        pairs.difference_update(itertools.pairwise(kernels._radices(length)))
    assert not pairs


@pytest.mark.parametrize(
    ("dtype", "length"),
    quick_and_slow(
        [("complex64", 2048), ("complex64", 4096), ("complex64", 1 << 20), ("float32", 8192)],
        [("complex64", 7**5), ("complex128", 1024), ("float32", 4094), ("float64", 3**8)],
    ),
)
def test_long_lengths(dtype: str, length: int) -> None:
    needs(dtype)
    there_and_back(numbers((2, length) if length < 10_000 else (length,), dtype))


@pytest.mark.parametrize("dtype", [dtypes.complex64, dtypes.complex128], ids=str)
def test_every_length_has_a_form(dtype: DType) -> None:
    device = xp.default_device()
    for length in range(1, (1 << 14) // dtype.itemsize + 1):
        form = kernels._GroupSpec.of(device, dtype, length)
        room = -(-length * form.columns // 16) * 16
        assert f"#define XR_ROOM {room}" in form.defines(dtype)
        assert 2 * room * dtype.itemsize <= min(device.info.local_nbytes, 32 << 10)
        assert form.items % form.columns == 0
        assert form.items <= device.info.group_size


def test_lengths_are_cut_into_few_passes() -> None:
    for length in range(1, 5000):
        rest = length
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        parts = kernels._cut_length(length, 2048)
        assert (math.prod(parts) == length) if rest == 1 else parts == ()
        for part in parts:
            assert math.prod(kernels._radices(part)) == part
    assert kernels._cut_length(2048, 2048) == (2048,)
    assert kernels._cut_length(4096, 2048) == (64, 64)
    assert kernels._cut_length(1 << 18, 2048) == (512, 512)
    assert kernels._cut_length(1 << 20, 2048) == (128, 128, 64)
    assert kernels._cut_length(10**6, 2048) == (100, 100, 100)
    assert kernels._cut_length(7**12, 2048) == (343,) * 4
    assert len(kernels._cut_length(1 << 30, 2048)) == 4
    for length in range(1, 3000):
        longer = kernels._convolution_length(length)
        assert 2 * length - 1 <= longer < 3 * length + 1
        assert kernels._cut_length(longer, 2048)


@pytest.mark.parametrize("length", [16, pytest.param(29, marks=pytest.mark.nightly)])
def test_without_float64(length: int) -> None:
    with xp.device(xp.default_device().pretending("no-float64")):
        there_and_back(numbers((2, length), "complex64"))
        if length == 16:
            there_and_back(numbers((2, length), "float32"))


LINES: list[tuple[str, tuple[int, ...], int]] = [
    *(("complex64", (*lines, 8), -1) for lines in ((1,), (63,), (64,), (65,), (5000,), (3, 2))),
    *(("float32", (*lines, 16), -1) for lines in ((1,), (63,), (64,), (65,), (5000,), (3, 2))),
    *(("complex64", shape, shape.index(8)) for shape in ((8, 10, 11), (10, 8, 11), (2, 3, 8))),
    *(("complex128", (15, 10, 11), 0), ("float64", (30, 2, 3), 0), ("complex64", (2, 2048, 3), 1)),
    *(("float32", (10, 16, 11), 1), ("float32", (2, 3, 16), 2)),
]
"""Batches of lines, each axis, and long columns."""


@pytest.mark.parametrize(
    ("dtype", "shape", "axis"),
    quick_and_slow(LINES, [("complex64", (2, 29, 3), 1), ("float32", (2, 4096, 3), 1)]),
)
def test_lines_along_axes(dtype: str, shape: tuple[int, ...], axis: int) -> None:
    needs(dtype)
    there_and_back(numbers(shape, dtype), axis)


VIEWS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "strided": (1, lambda x: x[1::2, :, ::3]),
    "reversed": (1, lambda x: x[::-2, ::-1, ::-1]),
    "transposed": (2, lambda x: np.permute_dims(x, (2, 0, 1))),
    "nearest": (0, lambda x: np.permute_dims(x, (2, 0, 1))[:8]),
    "first": (0, lambda x: np.permute_dims(x, (1, 0, 2))[:, 1:, 1:]),
    "broadcast": (
        1,
        lambda x: (np if isinstance(x, np.ndarray) else xp).broadcast_to(x[:1, :, :1], (5, 8, 6)),
    ),
    "one element": (1, lambda x: x[2:3, 3:4, 4:5]),
}
"""Views of (6, 8, 12), and the axis to transform."""


OF_VIEWS: dict[str, tuple[Callable[..., View], Callable[..., Values], str]] = {
    "complex64": (partial(fft.fft, inverse=False, scale=1.0), np.fft.fft, "complex64"),
    "float32": (partial(fft.rfft, scale=1.0), np.fft.rfft, "complex64"),
    **{
        str(n): (
            partial(fft.irfft, n=n, scale=1 / n), partial(np.fft.irfft, n=n), "float32"
        )
        for n in (14, 15, 1)
    },
}  # fmt: skip
"""A transform, by the type of what it is of or the length of what it gives; NumPy's; its type."""


@pytest.mark.parametrize(
    ("of", "view"),
    quick_and_slow(
        [*(("complex64", view) for view in VIEWS), ("float32", "reversed"), ("14", "transposed"),
         ("15", "strided"), ("1", "one element")],
        [("float32", "nearest"), ("14", "nearest"), ("15", "first")],
    ),
)  # fmt: skip
def test_views(of: str, view: str) -> None:
    values = numbers((6, 8, 12), "float32" if of == "float32" else "complex64")
    (axis, seen), (transform, numpys, dtype) = VIEWS[view], OF_VIEWS[of]
    wanted = numpys(seen(values).astype(float if of == "float32" else complex), axis=axis)
    ours = transform(seen(xp.asarray(values))._view, axis)
    near(host(ours), wanted, dtype, max(wanted.shape[axis], 8 * (of == "float32")))


@pytest.mark.parametrize(("shape", "axis"), [((0, 8), 1), ((8, 0), 0), ((0, 3, 7), 1)])
def test_no_lines(shape: tuple[int, ...], axis: int) -> None:
    length = shape[axis]
    given = view(np.empty(shape, np.complex64))
    assert host(fft.fft(given, axis, inverse=False, scale=1.0)).shape == shape
    real = view(np.empty(shape, np.float32))
    wanted = np.fft.rfft(np.empty(shape), axis=axis).shape
    assert host(fft.rfft(real, axis, scale=1.0)).shape == wanted
    assert host(fft.irfft(given, axis, 2 * length - 1, scale=1.0)).size == 0


def test_an_expression_is_part_of_the_first_pass() -> None:
    xp.synchronize()  # what earlier tests asked for and never read would be launched with it
    values = numbers((4, 9), "complex64")
    x = xp.asarray(values)
    with watched() as seen:
        given = x * 2 + 1
        ours = fft.fft(given._view, 1, inverse=False, scale=1.0)
        del given
        builder.compute(ours)
    assert seen.stored() == [0]
    near(host(ours), np.fft.fft(values.astype(complex) * 2 + 1), "complex64", 9)
    real = numbers((4, 16), "float32")
    kept = xp.asarray(real) * 3
    with watched() as seen:
        ours = fft.rfft(kept._view, 1, scale=1.0)
        builder.compute(ours)
    assert seen.stored() == [1], "what an array has is stored by the pass that computes it"
    near(host(ours), np.fft.rfft(real * 3.0), "complex64", 16)
    np.testing.assert_array_equal(np.asarray(kept), real * np.float32(3))


def test_what_a_pass_reads_twice_is_computed_once() -> None:
    values = numbers((4, 8), "complex64")
    x = xp.asarray(values)
    for n in (14, 15):
        with watched() as seen:
            ours = fft.irfft((x * 2 + 1)._view, 1, n, scale=1 / n)
            builder.compute(ours)
        assert seen.stored() == [1, 0]
        near(host(ours), np.fft.irfft(values.astype(complex) * 2 + 1, n), "float32", n)


@pytest.mark.parametrize("length", [16, 29, 4096])
def test_transforms_follow_each_other_and_writes(length: int) -> None:
    values = numbers((2, length), "complex64")
    host(fft.fft(view(values), 1, inverse=False, scale=1.0))  # the tables are there
    x = xp.asarray(values)
    first = fft.fft(x._view, 1, inverse=False, scale=1.0)
    x[...] = x * 3 - 1
    second = fft.fft(x._view, 1, inverse=False, scale=1.0)
    x[:, ::2] = 0
    both = Array(first) - Array(second)
    back = fft.fft(both._view, 1, inverse=True, scale=1 / length)
    with watched() as seen:
        builder.compute(back)
    passes = {16: 1, 29: 2, 4096: 2}[length]
    assert len(seen.launches) == 3 * passes + 1
    wanted = values.astype(complex)
    near(host(first), np.fft.fft(wanted), "complex64", length)
    near(host(second), np.fft.fft(wanted * 3 - 1), "complex64", length)
    near(host(back), 1 - 2 * wanted, "complex64", length)
    changed = values * np.float32(3) - np.float32(1)
    changed[:, ::2] = 0
    np.testing.assert_array_equal(np.asarray(x), changed)


@pytest.mark.parametrize(("length", "rooms"), [(1 << 18, 1), (1 << 20, 1), (2018, 2)])
def test_long_transforms_need_few_rooms(length: int, rooms: int) -> None:
    x = xp.asarray(numbers((2, length), "complex64"))
    host(fft.fft(x._view, 1, inverse=False, scale=1.0))  # the tables are there
    with watched() as seen:
        builder.compute(fft.fft(x._view, 1, inverse=False, scale=1.0))
    assert len(seen.allocated) == 1 + rooms


def test_constants_and_conversions() -> None:
    ones = xp.ones((3, 8), dtype="complex64")._view
    wanted = np.zeros((3, 8))
    wanted[:, 0] = 8
    np.testing.assert_array_equal(host(fft.fft(ones, 1, inverse=False, scale=1.0)).real, wanted)
    real = numbers((5, 8), "float32")
    given = builder.converted(view(real), xp.asarray(np.complex64(0))._view.dtype)
    ours = host(fft.fft(given, 1, inverse=False, scale=0.5))
    near(ours, np.fft.fft(real.astype(float)) / 2, "complex64", 8)
    constant = xp.full((3, 9), 2 - 3j, dtype="complex64")._view
    back = host(fft.irfft(constant, 1, 16, scale=1 / 16))
    near(back, np.fft.irfft(np.full((3, 9), 2 - 3j), 16), "float32", 16)


@pytest.mark.parametrize(("length", "real_length"), [(16, 16), (105, 105), (29, 58), (4096, 8192)])
def test_special_values(length: int, real_length: int) -> None:
    for special in (np.inf, -np.inf, np.nan):
        values = np.ones((2, length), np.complex64)
        values[1, length // 2] = special
        ours = host(fft.fft(view(values), 1, inverse=False, scale=1.0))
        assert np.isfinite(ours[0]).all()
        assert not np.isfinite(ours[1]).any()
        lines = np.ones((2, real_length), np.float32)
        lines[1, real_length // 2] = special
        real = host(fft.rfft(view(lines), 1, scale=1.0))
        assert np.isfinite(real[0]).all()
        assert not np.isfinite(real[1]).all()


def test_exact_results() -> None:
    """Multiples of a quarter turn have no error, and zeros stay zeros."""
    for length in (2, 8, 16, 64, 4096):
        values = np.zeros((3, length), np.complex64)
        values[:, 0] = 3 - 2j
        ours = host(fft.fft(view(values), 1, inverse=False, scale=1.0))
        np.testing.assert_array_equal(ours, np.full((3, length), 3 - 2j))
        if length >= 4:
            wave = np.tile(np.array([1, 1j, -1, -1j], np.complex64), (3, length // 4))
            ours = host(fft.fft(view(wave), 1, inverse=False, scale=1 / length))
            wanted = np.zeros((3, length))
            wanted[:, length // 4] = 1
            np.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize(
    ("dtype", "length"),
    quick_and_slow([("complex64", 8), ("float32", 16)], [("float64", 29), ("float32", 8192)]),
)
def test_wide_indices(dtype: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    needs(dtype)
    monkeypatch.setattr(layout, "WIDE", 1)
    there_and_back(
        numbers((2, length, 3), dtype) if dtype in COMPLEX else numbers((3, length), dtype), 1
    )


@pytest.mark.parametrize(
    ("limits", "shape"),
    [((1, 32768), (70, 105)), ((16, 32768), (70, 64)), ((4096, 40000), (2, 4096))],
)
def test_a_devices_limits_change_no_bits(
    limits: tuple[int, int], shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xp.default_device()
    x = numbers(shape, "complex64")
    wanted = host(fft.fft(view(x), x.ndim - 1, inverse=False, scale=1.0))
    with monkeypatch.context() as patch:
        info = dataclasses.replace(device.info, group_size=limits[0], local_nbytes=limits[1])
        patch.setattr(device, "info", info)
        patch.setattr(device, "kernels", {})
        patch.setattr(device, "programs", {})
        ours = host(fft.fft(view(x), x.ndim - 1, inverse=False, scale=1.0))
    np.testing.assert_array_equal(ours.view(np.uint32), wanted.view(np.uint32))


@pytest.mark.skipif(len(DEVICES) < 2, reason="the tests run on one device")
@pytest.mark.parametrize(
    ("dtype", "lengths"),
    [
        ("complex64", (105, 64, 29, 4096)),
        ("complex128", (14, 60)),
        ("float32", (16, 105, 58, 8192)),
        ("float64", (9,)),
    ],
)
def test_the_same_bits_on_every_device(dtype: str, lengths: tuple[int, ...]) -> None:
    for length in lengths:
        values = numbers((2, length), dtype)
        results = []
        for device in DEVICES:
            with xp.device(device):
                if dtype in COMPLEX:
                    given = fft.fft(view(values), 1, inverse=False, scale=0.3)
                else:
                    given = fft.rfft(view(values), 1, scale=0.3)
                results.append(host(given))
        for other in results[1:]:
            same = results[0].view(np.uint8) == other.view(np.uint8)
            assert same.all(), f"{dtype}, length {length}: {(~same).sum()} bytes differ"


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 7, 8, 12, 24, 1009, 4096, 2 * 10**9 + 2])
def test_roots_of_unity(order: int) -> None:
    powers = np.unique(np.linspace(0, order - 1, 500).astype(np.int64))
    if order % 8 == 0:
        powers = np.unique(np.concatenate((powers, np.arange(8) * (order // 8))))
    ours = roots.roots(powers, order)
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
    known = dict(device.kernels)
    known.pop("tables of Fourier transforms", None)
    monkeypatch.setattr(device, "kernels", known)
    x = view(numbers((2, 29), "complex64"))
    builder.compute(fft.fft(x, 1, inverse=False, scale=1.0))
    tables = device.kernels["tables of Fourier transforms"]
    held = dict(tables)
    assert {("chirp", x.dtype, 29), ("spectrum", x.dtype, 29)} <= set(held)
    launches = builder.counts.launches
    builder.compute(fft.fft(x, 1, inverse=False, scale=1.0))
    assert builder.counts.launches == launches + 2
    assert all(tables[key] is storage for key, storage in held.items())
    monkeypatch.setattr(tuning, "TABLES", 3)
    builder.compute(fft.fft(view(numbers((2, 105), "complex64")), 1, inverse=False, scale=1))
    assert len(tables) == 3
    monkeypatch.setattr(tuning, "TABLES_NBYTES", 1)
    builder.compute(fft.fft(view(numbers((2, 8), "complex64")), 1, inverse=False, scale=1))
    assert list(tables) == [("roots", x.dtype, 8)]
    builder.compute(fft.fft(x, 1, inverse=False, scale=1.0))
    assert len(tables) == 1


@pytest.mark.parametrize(
    ("arch", "dtype"),
    [("sm_75", "complex128"), ("sm_75", "float32"), ("sm_90", "complex64"), ("sm_90", "float64")],
)
def test_kernels_compile_for_cuda(arch: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All radices, several passes, columns, convolutions, and the ways back to real numbers."""
    needs(dtype)
    sources = record(monkeypatch, xp.default_device())
    if dtype in COMPLEX:
        for shape, axis in (((2, 840), 1), ((2, 14), 1), ((8192, 1), 0), ((2, 29, 3), 1)):
            builder.compute(fft.fft(view(numbers(shape, dtype)), axis, inverse=True, scale=1.0))
        for n in (16, 15, 29, 58, 8192):
            builder.compute(fft.irfft(view(numbers((2, n // 2 + 1), dtype)), 1, n, scale=1.0))
    else:
        for n in (16, 105, 29, 58, 8192):
            builder.compute(fft.rfft(view(numbers((2, n), dtype)), 1, scale=1.0))
    monkeypatch.setattr(layout, "WIDE", 1)
    builder.compute(fft.fft(view(numbers((2, 8), "complex64")), 1, inverse=True, scale=1.0))
    assert any("#define xr_index i64" in text for text in sources)
    for text in sorted(sources):
        cubin = compile_cuda(text, arch)
        assert b"xr_fft" in cubin or b"xr_rfft" in cubin


NO_SIGNALS = r"""
np.fft.{fft(e, n=4)|fftn(e[None], s=(2, 2), axes=(0, 1))}
np.fft.rfft(np.ones((0, 4), dtype="float32"))
np.fft.fftn(x, s=1.5) ! TypeError: fft.fftn(a): s is 1.5
np.fft.fftn(x, axes=1.5) ! TypeError: fft.fftn(a): axes is 1.5
np.fft.fft(x, norm=[1]) ! ValueError: fft.fft(a): norm is [1]
np.fft.fftfreq(4, d="a") ! TypeError: fft.fftfreq(n): d is of type str
np.fft.irfft(x[:1]) ! ValueError: fft.irfft(a): a has shape (1,), so along axis 0
np.fft.hfft(x[:1]) ! ValueError: fft.hfft(a): a has shape (1,), so along axis 0
np.fft.fft(e) ! ValueError: name the length with n
np.fft.fftn(e) ! ValueError: name the length with s
np.fft.rfftn(x[0]) ! ValueError: fft.rfftn(a): a has shape () and there are no axes
np.fft.irfftn(x[:1], axes=()) ! ValueError: fft.irfftn(a): a has shape (1,) and there are no
"""


@each(NO_SIGNALS)
def test_lengths_that_are_no_signals(call: str, form: xp.Device) -> None:
    check(call, x=np.ones(4, np.float32), e=np.ones(0, np.float32))


def test_a_spectrum_of_no_elements_is_one_of_zeros(form: xp.Device) -> None:
    # NumPy leaves what was in the result's memory before.
    assert xp.fft.irfft(xp.ones((3, 0), dtype="complex64"), n=2).tolist() == [[0, 0]] * 3
