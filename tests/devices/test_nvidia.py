"""NVIDIA's libraries without CuPy: how they are called, anywhere; what comes, on a GPU.

On a GPU: XARR_DEVICE=numba:0 python -m pytest tests/devices/test_nvidia.py
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import xarr
from xarr import tuning
from xarr.backends.nvidia import Library, handles, missing
from xarr.backends.nvidia.library import is_contiguous
from xarr.backends.nvidia.products import batches, is_multiplied, leading
from xarr.backends.nvidia.transforms import plan_of, steps_of
from xarr.dtypes import lookup
from xarr.ops import vendor

pytestmark = pytest.mark.filterwarnings("error::xarr.errors.HostFallbackWarning")

Host = np.ndarray[Any, Any]

DTYPES = ["float32", "float64", "complex64", "complex128"]
REAL = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NORMS = ["backward", "ortho", "forward"]
MATRICES = ["cholesky", "eigh", "eigvalsh", "inv", "qr", "solve", "svd", "svdvals"]
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "part": lambda x: x[..., 1:, 2:],
    "rows apart": lambda x: x[..., ::2, :],
    "columns apart": lambda x: x[..., ::3],
    "reversed": lambda x: x[..., ::-1, :],
    "one row": lambda x: x[..., 1:2, :],
    "one column": lambda x: x[..., :, 1:2],
    "one column of some": lambda x: x[..., ::2, 1:2],
}


def steps_in(x: Host) -> tuple[int, ...]:
    """Strides in elements."""
    return tuple(stride // x.itemsize for stride in x.strides)


# What needs no GPU.


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("turned", [False, True])
def test_cublas_finds_each_element(layout: str, turned: bool) -> None:
    memory = np.arange(6.0 * 7)
    x = LAYOUTS[layout](memory.reshape(6, 7))
    if turned:
        x = x.T
    way = leading(*x.shape, *steps_in(x))
    if layout in ("columns apart", "reversed"):
        assert way is None
        return
    assert way is not None
    by_columns, pitch = way
    rows, columns = x.shape
    assert pitch >= (rows if by_columns else columns)
    begin = int(x[0, 0])
    for row, column in np.ndindex(rows, columns):
        place = begin + (column * pitch + row if by_columns else row * pitch + column)
        assert memory[place] == x[row, column], f"{way}: element {row}, {column}"


def test_lines_that_overlap_are_copied() -> None:
    assert leading(3, 4, 0, 1) is None
    assert leading(3, 4, 1, 0) is None
    assert leading(3, 4, 2, 1) is None
    assert leading(3, 1, 0, 1) is None
    assert leading(1, 4, 0, 1) == (False, 4)
    assert leading(1, 4, 0, 5) == (True, 5)
    assert leading(4, 1, 5, 0) == (False, 5)
    assert not is_multiplied((2, 3, 4), (-12, 4, 1))
    assert is_multiplied((2, 3, 4), (0, 4, 1))


STACKS: list[tuple[Sequence[int], Sequence[int], int]] = [
    ((), (), 1), ((5,), (5,), 1), ((5,), (), 1), ((), (5,), 1), ((2, 3), (2, 3), 1),
    ((2, 3), (), 1), ((2, 3), (3,), 2), ((3, 1), (2,), 2), ((2, 1, 4), (3, 1), 6),
    ((1, 1), (1, 1), 1), ((2, 1, 3, 4), (5, 1, 1), 10),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "calls"), STACKS)
def test_calls_cover_the_stack(first: Sequence[int], second: Sequence[int], calls: int) -> None:
    stack = np.broadcast_shapes(first, second)
    places = [
        np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), stack)
        for shape in (first, second, stack)
    ]
    steps = [
        tuple(step if n > 1 else 0 for step, n in zip(steps_in(place), stack, strict=True))
        for place in places
    ]
    starts, batch, apart = batches(stack, *steps)
    assert len(starts) == calls
    made = {
        tuple(begin + index * step for begin, step in zip(start, apart, strict=True))
        for start in starts
        for index in range(batch)
    }
    assert made == set(zip(*(place.ravel().tolist() for place in places), strict=True))


def test_contiguous() -> None:
    x = np.zeros((3, 4, 5))
    for y in (x, x[1:], x[:1, :1], x[:, :1, :1], x[1, 2, 3]):
        assert is_contiguous(y.shape, steps_in(y)) == y.flags.c_contiguous
    for y in (x.T, x[:, 1:], x[::2], x[::-1]):
        assert not is_contiguous(y.shape, steps_in(y))


def test_transforms_go_in_few_steps() -> None:
    def kinds(*arguments: Any) -> list[tuple[Any, ...]]:
        return [tuple(step) for step in steps_of(*arguments)]

    assert kinds((4, 5), (1,), (5,), "C2C") == [("C2C", (1,), (5,))]
    assert kinds((4, 5), (0, 1), (4, 5), "C2C") == [("C2C", (0, 1), (4, 5))]
    assert kinds((4, 5), (1, 0), (5, 4), "C2C") == [("C2C", (0, 1), (4, 5))]
    assert kinds((4, 5), (0, 1), (4, 7), "C2C") == [("C2C", (1,), (7,)), ("C2C", (0,), (4,))]
    assert kinds((4, 5, 6), (0, 2), (4, 6), "C2C") == [("C2C", (2,), (6,)), ("C2C", (0,), (4,))]
    assert kinds((2, 3, 4, 5), (0, 1, 2, 3), (2, 3, 4, 5), "C2C") == [
        ("C2C", (1, 2, 3), (3, 4, 5)),
        ("C2C", (0,), (2,)),
    ]
    assert kinds((4, 5, 6), (0, 1, 2), (4, 5, 6), "R2C") == [
        ("R2C", (2,), (6,)),
        ("C2C", (0, 1), (4, 5)),
    ]
    assert kinds((4, 5, 6), (0, 1, 2), (4, 5, 10), "C2R") == [
        ("C2C", (0, 1), (4, 5)),
        ("C2R", (2,), (10,)),
    ]
    assert len(kinds((4, 4), (0, 0), (4, 4), "C2C")) == 2


@pytest.mark.parametrize("kind", ["C2C", "R2C", "C2R"])
@pytest.mark.parametrize(("outer", "inner"), [(1, 1), (3, 1), (1, 3)])
@pytest.mark.parametrize(
    ("lengths", "held"), [((8,), (9,)), ((4, 6), (4, 6)), ((2, 3, 4), (2, 3, 4))]
)
def test_a_plan_finds_each_element(
    lengths: tuple[int, ...], held: tuple[int, ...], outer: int, inner: int, kind: str
) -> None:
    plan = plan_of(kind, lengths, held, outer, inner, double=False)
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    assert plan.kind == kind
    assert (
        plan_of(kind, lengths, held, outer, inner, double=True).kind
        == {"C2C": "Z2Z", "R2C": "D2Z", "C2R": "Z2D"}[kind]
    )
    assert plan.lengths == lengths
    assert plan.batch == outer * inner
    read = half if kind == "C2R" else lengths
    made = half if kind == "R2C" else lengths
    sides = (
        (held, read, plan.given_embed, plan.given_step, plan.given_distance),
        (made, made, plan.made_embed, plan.made_step, plan.made_distance),
    )
    for stored, extents, embed, step, distance in sides:
        lies = np.arange(outer * math.prod(stored) * inner).reshape(outer, *stored, inner)
        for signal, index in itertools.product(range(plan.batch), np.ndindex(*extents)):
            place = index[0]
            for extent, at in zip(embed[1:], index[1:], strict=True):
                place = place * extent + at
            found = signal * distance + place * step
            assert found == lies[signal // inner, *index, signal % inner], f"{plan}: {index}"


@pytest.mark.parametrize("error", [ImportError("no nvmath"), RuntimeError("no libcufft")])
def test_without_libraries_there_are_no_routines(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> Any:
        raise error

    monkeypatch.setattr(handles, "bindings_of", fail)
    absent = Library(None)  # type: ignore[arg-type]
    for name in ("matmul", "fft.fft", "fft.rfft", "linalg.qr"):
        for dtype in DTYPES:
            assert absent.routine(name, np.dtype(dtype)) is None


def test_routines_are_for_what_the_libraries_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xarr.backends.nvidia.library.present", lambda *names: True)
    full = Library(None)  # type: ignore[arg-type]

    def has(name: str, dtype: str) -> bool:
        return full.routine(name, np.dtype(dtype)) is not None

    assert all(has("matmul", dtype) for dtype in DTYPES)
    assert not any(has("matmul", dtype) for dtype in ("float16", "int32", "bool", "uint64"))
    assert has("fft.rfft", "float32")
    assert not has("fft.rfft", "complex64")
    assert has("fft.hfft", "complex64")
    assert not has("fft.fft", "float64")
    assert not has("sort", "float32")
    assert not has("linalg.eig", "float64")
    assert full.routine("matmul", np.dtype("f4")) is full.routine("matmul", np.dtype("f4"))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "nvmath-python is not installed" in missing()


def test_libraries_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(handles, "present", lambda name: name == "cufft")
    assert "no cuBLAS, cuSOLVER: its extra cu13" in missing()
    monkeypatch.setattr(handles, "present", lambda name: True)
    assert missing() == ""


# What needs one.


@pytest.fixture
def gpu(device: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> xarr.Device:
    monkeypatch.setattr(tuning, "FFT_NBYTES", 0)
    if device.backend not in ("cuda", "numba"):
        pytest.skip(f"{device} is no CUDA device without CuPy")
    if device.options:
        pytest.skip(f"{device} pretends to be another device, which has no library")
    if missing():
        pytest.skip(missing())
    return device


def values(shape: Sequence[int], dtype: str, seed: int = 0) -> Host:
    random = np.random.default_rng(seed)
    host = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        host = host + 1j * random.standard_normal(shape)
    return host.astype(dtype)


def double(x: Host) -> Host:
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def near(result: Any, wanted: Any, dtype: str, about: str = "", factor: float = 1) -> None:
    """Assert an Array's dtype, shape and values, against the largest of the latter."""
    assert type(result) is xarr.Array, f"{about}: {type(result)} is no Array"
    got, wanted = xarr.to_numpy(result), np.asarray(wanted)
    assert got.dtype == np.dtype(dtype), f"{about}: dtype {got.dtype}, not {dtype}"
    assert got.shape == wanted.shape, f"{about}: shape {got.shape}, not {wanted.shape}"
    if not got.size:
        return
    bound = factor * 100 * np.finfo(dtype).eps * max(1e-30, float(np.abs(wanted).max()))
    error = np.abs(got - wanted)
    worst = np.unravel_index(int(np.nan_to_num(error, nan=np.inf).argmax()), got.shape)
    wrong = np.count_nonzero(~(error <= bound))
    assert not wrong, (
        f"{about}: {wrong} of {got.size} values of shape {got.shape} are off; at {worst} "
        f"{got[worst]}, not {wanted[worst]}; bound {bound:.1e}"
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_library_is_found(gpu: xarr.Device, dtype: str) -> None:
    """Where nvmath is installed: the traceback says which library does not load."""
    for name, version in (("cublas", "get_property"), ("cufft", ""), ("cusolver", "")):
        bindings = handles.bindings_of(name)
        assert (getattr(bindings, version)(0) if version else bindings.get_version()) > 0
    real = "rfft" if dtype in REAL else "fft"
    for name in ("matmul", f"fft.{real}", *(f"linalg.{name}" for name in MATRICES)):
        assert vendor.routine(name, lookup(dtype, "test"), gpu) is not None, name


SHAPES = [
    ((3, 4), (4, 5)), ((1, 1), (1, 1)), ((1, 300), (300, 1)), ((300, 1), (1, 300)),
    ((257, 129), (129, 511)), ((1000,), (1000,)), ((17,), (17, 5)), ((5, 17), (17,)),
    ((7, 3, 4), (7, 4, 5)), ((7, 3, 4), (4, 5)), ((7, 1, 4), (4, 5)), ((7, 3, 4), (4,)),
    ((3, 4), (6, 4, 5)), ((4,), (6, 4, 5)), ((2, 3, 8, 4), (2, 3, 4, 2)),
    ((2, 1, 3, 4), (5, 4, 6)), ((2, 3, 2, 3, 4), (3, 1, 4, 5)), ((4097, 2, 3), (4097, 3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("first", "second"), SHAPES, ids=str)
def test_matmul(gpu: xarr.Device, first: Sequence[int], second: Sequence[int], dtype: str) -> None:
    a, b = values(first, dtype, 1), values(second, dtype, 2)
    wanted = np.asarray(double(a) @ double(b))
    near(xarr.asarray(a) @ xarr.asarray(b), wanted, dtype, f"{first} @ {second}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("one", LAYOUTS)
def test_matmul_of_layouts(gpu: xarr.Device, one: str, dtype: str) -> None:
    for two, turned, stack in itertools.product(LAYOUTS, range(4), ((), (3,))):
        hosts, arrays = [], []
        for place, layout in enumerate((one, two)):
            host = values((*stack, 9, 9), dtype, place)
            x = xarr.asarray(host)
            host, x = LAYOUTS[layout](host), LAYOUTS[layout](x)
            if turned >> place & 1:
                host, x = host.swapaxes(-1, -2), x.mT
            hosts.append(host)
            arrays.append(x)
        length = min(hosts[0].shape[-1], hosts[1].shape[-2])
        hosts = [hosts[0][..., :length], hosts[1][..., :length, :]]
        arrays = [arrays[0][..., :length], arrays[1][..., :length, :]]
        about = f"{one} @ {two}, turned {turned:02b}, stack {stack}"
        near(arrays[0] @ arrays[1], double(hosts[0]) @ double(hosts[1]), dtype, about)


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul_of_stacks_in_other_orders(gpu: xarr.Device, dtype: str) -> None:
    a, b = values((4, 3, 5, 6), dtype, 1), values((3, 4, 6, 2), dtype, 2)
    x, y = xarr.asarray(a), xarr.asarray(b)
    product = double(a) @ double(b).swapaxes(0, 1)
    near(x @ xarr.permute_dims(y, (1, 0, 2, 3)), product, dtype, "stack turned")
    near(xarr.flip(x, axis=0) @ y[0, :, :, :][:, None], a[::-1] @ b[0][:, None], dtype, "flipped")
    near(x[::2] @ y[1, 1], double(a[::2]) @ double(b[1, 1]), dtype, "every second")
    wide = xarr.broadcast_to(x[:1, :1], (4, 3, 5, 6))
    near(wide @ y[1, 1], double(np.broadcast_to(a[:1, :1], a.shape)) @ b[1, 1], dtype, "repeated")
    near(x[0, 0] @ x[0, 0].mT, double(a[0, 0]) @ double(a[0, 0]).T, dtype, "the same memory twice")
    near((x + 1) @ (y[:, :1] * 2)[0, 0], double(a + 1) @ double(2 * b[0, 0]), dtype, "pending")


def test_matmul_of_others_is_of_xarr(gpu: xarr.Device) -> None:
    a = np.arange(12).reshape(3, 4)
    for dtype in ("int32", "uint8", "bool", "float16"):
        host = a.astype(dtype)
        x = xarr.asarray(host)
        np.testing.assert_array_equal(xarr.to_numpy(x @ x.T), host @ host.T, dtype)
    assert not xarr.to_numpy(xarr.ones((3, 0)) @ xarr.ones((0, 4))).any()
    assert (xarr.ones((0, 3)) @ xarr.ones((3, 4))).shape == (0, 4)


def test_infinities_and_nan(gpu: xarr.Device) -> None:
    x = xarr.asarray(np.array([[np.inf, 1], [np.nan, 2]]))
    got = xarr.to_numpy(x @ xarr.eye(2, dtype="float64"))
    np.testing.assert_array_equal(got, np.array([[np.inf, np.nan], [np.nan, np.nan]]))
    for shape in ((2, 3, 2), (3,)):
        assert not np.isnan(xarr.to_numpy(xarr.fft.fft(xarr.ones(shape, dtype="complex64")))).any()


LENGTHS = [1, 2, 3, 7, 8, 30, 64, 97, 100, 1009, 1024, 2187, 65_537, 100_003]


def transformed(name: str, host: Host, dtype: str, about: str = "", **options: Any) -> None:
    wanted = getattr(np.fft, name)(double(host), **options)
    real = name in ("irfft", "irfftn", "hfft")
    precision = "32" if dtype in ("float32", "complex64") else "64"
    result = f"float{precision}" if real else f"complex{2 * int(precision)}"
    got = getattr(xarr.fft, name)(xarr.asarray(host), **options)
    near(got, wanted, result, f"{name} of {host.shape}, {options} {about}")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("single", [True, False])
def test_lengths(gpu: xarr.Device, length: int, single: bool) -> None:
    real, other = ("float32", "complex64") if single else ("float64", "complex128")
    for name in ("fft", "ifft"):
        transformed(name, values((length,), other), other)
    for name in ("rfft", "ihfft"):
        transformed(name, values((length,), real), real)
    for name in ("irfft", "hfft"):
        transformed(name, values((length // 2 + 1,), other), other, n=length)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("single", [True, False])
def test_axes_lengths_and_norms(gpu: xarr.Device, name: str, norm: str, single: bool) -> None:
    dtype = ("float" if name in ("rfft", "ihfft") else "complex") + "64"
    if dtype == "float64" and single:
        dtype = "float32"
    elif dtype == "complex64" and not single:
        dtype = "complex128"
    for shape in ((6,), (1, 9), (9, 1), (5, 6), (3, 5, 7), (4, 6, 2), (2, 3, 4, 5)):
        for axis in range(-1, len(shape) - 1):
            extent = shape[axis]
            for n in (None, extent, extent + 3, max(1, extent - 2), 1):
                if n is None and extent == 1 and name in ("irfft", "hfft"):
                    continue
                transformed(name, values(shape, dtype), dtype, n=n, axis=axis, norm=norm)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_several_axes(gpu: xarr.Device, dtype: str) -> None:
    other = {"float32": "complex64", "float64": "complex128"}[dtype]
    for shape in ((5,), (4, 6), (3, 5, 7), (2, 3, 4, 5), (2, 3, 2, 3, 4)):
        for count in range(1, len(shape) + 1):
            for axes in itertools.permutations(range(len(shape)), count):
                if len(shape) > 3 and list(axes) not in (sorted(axes), sorted(axes)[::-1]):
                    continue
                own = [shape[axis] for axis in axes]
                for s in (own, [max(1, n + (-1) ** place) for place, n in enumerate(own)]):
                    for name in ("fftn", "ifftn"):
                        transformed(name, values(shape, other), other, s=s, axes=axes)
                    transformed("rfftn", values(shape, dtype), dtype, s=s, axes=axes)
                    transformed("irfftn", values(shape, other), other, s=s, axes=axes)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_transforms_of_layouts(gpu: xarr.Device, layout: str) -> None:
    for dtype, name in (("complex64", "fft"), ("float32", "rfft"), ("complex128", "irfft")):
        host = values((8, 11), dtype)
        x = xarr.asarray(host)
        for turned in (False, True):
            one, two = LAYOUTS[layout](host), LAYOUTS[layout](x)
            if turned:
                one, two = one.T, two.T
            wanted = getattr(np.fft, name)(double(one), n=9)
            result = {"fft": "complex64", "rfft": "complex64", "irfft": "float64"}[name]
            near(getattr(xarr.fft, name)(two, n=9), wanted, result, f"{name}, turned {turned}")


@pytest.mark.parametrize("dtype", REAL)
def test_real_signals_at_odd_places(gpu: xarr.Device, dtype: str) -> None:
    """CuFFT wants the alignment of a complex number for a real operand."""
    host = values((101,), dtype)
    x = xarr.asarray(host)
    for begin in range(4):
        wanted = np.fft.rfft(double(host[begin : begin + 60]))
        result = "complex64" if dtype == "float32" else "complex128"
        near(xarr.fft.rfft(x[begin : begin + 60]), wanted, result, f"from {begin}")


@pytest.mark.parametrize(
    "shape", [(2_200_003, 2, 2), (2, 2, 2_200_003), (2, 2_200_003, 2)], ids=str
)
def test_many_signals(gpu: xarr.Device, shape: tuple[int, ...]) -> None:
    """More than 65,535 groups of 32 lines, which is where launches have a limit."""
    for dtype, name in (("complex64", "fft"), ("float32", "rfft"), ("complex64", "irfft")):
        host = values(shape, dtype)
        wanted = getattr(np.fft, name)(host, n=3, axis=1)
        got = getattr(xarr.fft, name)(xarr.asarray(host), n=3, axis=1)
        near(got, wanted, wanted.dtype.name, f"{name} of {shape}")


def test_many_products(gpu: xarr.Device) -> None:
    a, b = values((140_000, 2, 3), "float32", 1), values((140_000, 3, 2), "float32", 2)
    near(xarr.asarray(a) @ xarr.asarray(b), double(a) @ double(b), "float32", "140,000")


def test_operands_stay(gpu: xarr.Device) -> None:
    host = values((5, 6, 7), "complex64")
    x = xarr.asarray(host)
    for name in ("fft", "ifft", "irfft", "hfft", "fftn", "irfftn"):
        getattr(xarr.fft, name)(x)
    for axis in range(3):
        xarr.fft.irfft(x, axis=axis)
    square = xarr.asarray(values((4, 4), "float64"))
    before = xarr.to_numpy(square)
    for function in (xarr.linalg.inv, xarr.linalg.qr, xarr.linalg.svd, xarr.linalg.eigh):
        function(square)
    xarr.linalg.solve(square, square)
    np.testing.assert_array_equal(xarr.to_numpy(x), host)
    np.testing.assert_array_equal(xarr.to_numpy(square), before)


def test_more_plans_than_are_kept(gpu: xarr.Device) -> None:
    for _ in range(2):
        for length in range(5, 6 + tuning.PLANS):
            transformed("fft", values((3, length), "complex64"), "complex64")


STACKS_OF_MATRICES: list[tuple[int, ...]] = [(), (3,), (2, 2), (0,)]


def adjoint(x: Any) -> Any:
    return np.swapaxes(np.conj(x), -1, -2)


@pytest.mark.parametrize("stack", STACKS_OF_MATRICES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_square_matrices(gpu: xarr.Device, dtype: str, stack: tuple[int, ...]) -> None:
    real = dtype if dtype in REAL else {"complex64": "float32", "complex128": "float64"}[dtype]
    for size in (1, 2, 5, 33, 0):
        about = f"{(*stack, size, size)}"
        a = values((*stack, size, size), dtype) + 2 * size * np.eye(size, dtype=dtype)
        other = values(a.shape, dtype, 5)
        definite = double(a @ adjoint(a)).astype(dtype)
        lower = np.tril(definite) + np.triu(other, 1)
        upper = np.triu(definite) + np.tril(other, -1)
        for part, host in ((False, lower), (True, upper)):
            wanted = np.linalg.cholesky(double(host), upper=part)
            got = xarr.linalg.cholesky(xarr.asarray(host), upper=part)
            near(got, wanted, dtype, f"cholesky of {about}, upper {part}", 10)
        turned = xarr.asarray(np.ascontiguousarray(lower.swapaxes(-1, -2))).mT
        near(xarr.linalg.cholesky(turned), np.linalg.cholesky(double(lower)), dtype, "turned", 10)
        whole = np.tril(definite, -1)
        whole = double(whole + adjoint(whole) + np.eye(size) * definite.real)
        result = xarr.linalg.eigh(xarr.asarray(lower))
        w, v = xarr.to_numpy(result.eigenvalues), xarr.to_numpy(result.eigenvectors)
        near(result.eigenvalues, np.linalg.eigvalsh(whole), real, f"eigh of {about}", 10)
        near(xarr.asarray(v * w[..., None, :]), whole @ v, dtype, f"eigh of {about}: vectors", 100)
        unit = np.broadcast_to(np.eye(size), a.shape)
        near(xarr.asarray(adjoint(v) @ v), unit, dtype, f"eigh of {about}: unitary", 10)
        values_only = xarr.linalg.eigvalsh(xarr.asarray(lower))
        near(values_only, np.linalg.eigvalsh(whole), real, f"eigvalsh of {about}", 10)
        inverse = xarr.linalg.inv(xarr.asarray(a))
        near(inverse, np.linalg.inv(double(a)), dtype, f"inv of {about}", 10)
        for shape in ((size,), (*stack, size, 3), (size, 2), (size, 0)):
            b = values(shape, dtype, 7)
            wanted = np.linalg.solve(double(a), double(b))
            got = xarr.linalg.solve(xarr.asarray(a), xarr.asarray(b))
            near(got, wanted, dtype, f"solve {about} with {shape}", 10)


def test_solve_broadcasts(gpu: xarr.Device) -> None:
    a = values((2, 1, 4, 4), "float64") + 8 * np.eye(4)
    for shape in ((3, 4, 2), (2, 3, 4, 1), (4, 5)):
        b = values(shape, "float64", 3)
        got = xarr.linalg.solve(xarr.asarray(a), xarr.asarray(b))
        near(got, np.linalg.solve(a, b), "float64", f"{a.shape} with {shape}", 10)


@pytest.mark.parametrize("stack", STACKS_OF_MATRICES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_other_matrices(gpu: xarr.Device, dtype: str, stack: tuple[int, ...]) -> None:
    real = dtype if dtype in REAL else {"complex64": "float32", "complex128": "float64"}[dtype]
    for shape in ((3, 5), (5, 3), (4, 4), (1, 3), (3, 1), (40, 33), (33, 40), (0, 3), (3, 0)):
        a = values((*stack, *shape), dtype)
        x = xarr.asarray(a)
        count = min(shape)
        for mode in ("reduced", "complete"):
            about = f"{mode} qr of {a.shape}"
            wanted = np.linalg.qr(a, mode=mode)  # type: ignore[call-overload]
            made = xarr.linalg.qr(x, mode=mode)  # type: ignore[arg-type]
            q, r = xarr.to_numpy(made.Q), xarr.to_numpy(made.R)
            assert (q.shape, r.shape) == (wanted.Q.shape, wanted.R.shape), about
            near(xarr.asarray(q @ r), a, dtype, about, 10)
            unit = np.broadcast_to(np.eye(q.shape[-1]), (*stack, q.shape[-1], q.shape[-1]))
            near(xarr.asarray(adjoint(q) @ q), unit, dtype, f"{about}: unitary", 10)
            assert not np.tril(r, -1).any(), f"{about}: R is not triangular"
        singular = np.linalg.svd(double(a), compute_uv=False)
        for full in (True, False):
            about = f"svd of {a.shape}, full {full}"
            parts = xarr.linalg.svd(x, full_matrices=full)
            u, s, vh = (xarr.to_numpy(part) for part in parts)
            shapes = [part.shape for part in np.linalg.svd(a, full_matrices=full)]
            assert [u.shape, s.shape, vh.shape] == shapes, about
            near(parts.S, singular, real, about, 10)
            product = (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]
            near(xarr.asarray(product), a, dtype, f"{about}: product", 10)
            for name, factor in (("U", u), ("Vh", adjoint(vh))):
                unit = np.broadcast_to(
                    np.eye(factor.shape[-1]), (*stack, factor.shape[-1], factor.shape[-1])
                )
                near(xarr.asarray(adjoint(factor) @ factor), unit, dtype, f"{about}: {name}", 10)
        near(xarr.linalg.svdvals(x), singular, real, f"svdvals of {a.shape}", 10)


def test_failures_raise(gpu: xarr.Device) -> None:
    stack = np.stack([np.eye(3), -np.eye(3), np.eye(3)])
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        xarr.linalg.cholesky(xarr.asarray(stack))
    stack[1] = 1
    for function in (xarr.linalg.inv, lambda x: xarr.linalg.solve(x, x)):
        with pytest.raises(np.linalg.LinAlgError, match="[Ss]ingular"):
            function(xarr.asarray(stack))
    near(xarr.linalg.inv(xarr.eye(3, dtype="float64")), np.eye(3), "float64", "afterwards")


def test_on_streams(gpu: xarr.Device) -> None:
    """Each product waits for what a slow stream writes, and what reads it waits for the product."""
    streams = [xarr.Stream(gpu) for _ in range(3)]
    host = values((512, 512), "float32") / 32
    x = xarr.asarray(host)
    wanted = double(host)
    for turn in range(30):
        with streams[turn % 3]:
            if turn % 3 == 0:
                x, wanted = x @ x.T, wanted @ wanted.T
                x, wanted = x / 8, wanted / 8
            elif turn % 3 == 1:
                x = xarr.fft.irfft(xarr.fft.rfft(x, axis=0), n=512, axis=0)
            else:
                x += 1 / 512
                wanted = wanted + 1 / 512
        peak = float(np.abs(wanted).max())
        with streams[(turn + 1) % 3]:
            x = x / peak
        wanted = wanted / peak
    near(x, wanted, "float32", "thirty turns on three streams", 100)


def test_memory_comes_back(gpu: xarr.Device) -> None:
    def work() -> None:
        x = xarr.asarray(values((6, 50, 7), "complex64"))
        xarr.fft.fft(x, axis=1)
        xarr.fft.irfft(x, axis=1)
        y = xarr.asarray(values((6, 20, 20), "float64"))
        xarr.linalg.inv(y @ y)
        with xarr.Stream(gpu):
            xarr.linalg.svd(y)

    work()
    gpu.synchronize()
    before = gpu.memory_info()["used_nbytes"]
    for _ in range(5):
        work()
    gpu.synchronize()
    assert gpu.memory_info()["used_nbytes"] <= before


def test_matmul_has_the_same_bits_each_time(gpu: xarr.Device) -> None:
    x = xarr.asarray(values((700, 900), "float32"))
    once = xarr.to_numpy(x @ x.T)
    with xarr.Stream(gpu):
        other = x @ x.T
    np.testing.assert_array_equal(xarr.to_numpy(other), once)
