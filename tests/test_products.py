"""Matrix products by the portable kernel: values, bits, shapes, layouts, and that CUDA takes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import xarr
from xarr import dtypes, engine, layout, products, source
from xarr.array import Array
from xarr.dtypes import DType
from xarr.products import PIECE, TILES, Tile

from .conftest import DEVICES
from .nvrtc import compile_cuda

Values = np.ndarray[Any, Any]


@pytest.fixture(params=["plain", "as-gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The first device, as it is and taken for a GPU."""
    device = DEVICES[0]
    with xarr.device(device if request.param == "plain" else device.pretending("as-gpu")) as chosen:
        yield chosen


@pytest.fixture
def gpu() -> Iterator[xarr.Device]:
    with xarr.device(DEVICES[0].pretending("as-gpu")) as chosen:
        yield chosen


def needs(dtype: DType) -> None:
    device = xarr.default_device()
    if not device.has_float64 and dtype in dtypes.NEEDS_FLOAT64:
        pytest.skip(f"{device} has no {dtype}")


def matmul(x: Any, y: Any) -> Values:
    """The product of arrays of either library, as NumPy's."""
    one, two = (array if type(array) is Array else xarr.asarray(array) for array in (x, y))
    node = products.matmul(one._node, two._node)
    assert node.storage is not None
    assert node.layout is not None
    assert node.layout.linear
    assert node.dtype is one._node.dtype
    return np.asarray(xarr.to_numpy(Array(node)))


def numbers(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Values:
    """Small integers, whose products every type holds exactly, in sums of some length."""
    random = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.1
    low = 0 if dtype.kind == "u" else -2
    values = random.integers(low, 3, shape).astype(dtype)
    if dtype.kind == "c":
        values += (1j * random.integers(low, 3, shape)).astype(dtype)
    return values


def uneven(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Values:
    """Normally distributed numbers, whose sums are rounded."""
    random = np.random.default_rng([seed, *shape])
    values = random.standard_normal(shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values += (1j * random.standard_normal(shape)).astype(dtype)
    return values


def same_bits(result: Values, expected: Values) -> None:
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Say which tile is taken, whether the operands change places, and whether pieces are split."""

    def choose(tile: Tile, *, swapped: bool = False, split: bool = False) -> None:
        monkeypatch.setattr(products, "_choose", lambda *_, **__: (tile, swapped, split))

    return choose


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_every_dtype(dtype: DType, form: xarr.Device) -> None:
    needs(dtype)
    for rows, length, columns in ((2, 3, 5), (33, 65, 31), (7, 2 * PIECE + 5, 3)):
        x = numbers((rows, length), dtype.numpy)
        y = numbers((length, columns), dtype.numpy, 1)
        np.testing.assert_array_equal(matmul(x, y), x @ y)


@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (1, 1, 70_000), (1, 65_537, 1), (255, 256, 257), (1025, 9, 977)]
)
def test_sizes(shape: tuple[int, int, int], form: xarr.Device) -> None:
    rows, length, columns = shape
    x = numbers((rows, length), np.float32)
    y = numbers((length, columns), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


def alternatives() -> list[Any]:
    """Each tile of each width of accumulator, for tall tiles with operands that changed places."""
    cases = []
    for dtype, nbytes in ((dtypes.float32, 4), (dtypes.float64, 8), (dtypes.complex128, 16)):
        for tile in TILES[nbytes]:
            for swapped in (False, True) if tile.rows > tile.columns and nbytes == 4 else (False,):
                name = f"{dtype}-{tile.rows}x{tile.columns}{'-swapped' * swapped}"
                cases.append(pytest.param(dtype, tile, swapped, id=name))
    return cases


@pytest.mark.parametrize(("dtype", "tile", "swapped"), alternatives())
def test_edges_of_tiles(
    dtype: DType, tile: Tile, swapped: bool, gpu: xarr.Device, choose: Callable[..., None]
) -> None:
    needs(dtype)
    choose(tile, swapped=swapped)
    for more, deeper in itertools.product((-1, 0, 1), repeat=2):
        rows, columns = (max(1, extent + more) for extent in (tile.rows, tile.columns))
        length = 2 * tile.depth + deeper
        x = numbers((rows, length), dtype.numpy)
        y = numbers((length, columns), dtype.numpy, 1)
        if swapped:
            x, y = y.T.copy(), x.T.copy()
        np.testing.assert_array_equal(matmul(x, y), x @ y)


def test_many_tiles_in_bands(gpu: xarr.Device, choose: Callable[..., None]) -> None:
    choose(TILES[4][5])
    x = numbers((16 * 19 + 3, 5), np.float32)
    y = numbers((5, 4 * 7 + 1), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", [7, 600, 3000])
def test_error_is_bounded(dtype: str, length: int, gpu: xarr.Device) -> None:
    needs(dtypes.BY_NAME[dtype])
    x = uneven((13, length), dtype)
    y = uneven((length, 11), dtype, 1)
    exact = x.astype(np.clongdouble) @ y.astype(np.clongdouble)
    size = abs(x).astype(np.float64) @ abs(y).astype(np.float64)
    bound = length * float(np.finfo(np.float32 if dtype == "float16" else dtype).eps) * size
    if dtype == "float16":
        bound = bound + abs(exact) * 2.0**-11
    assert (abs(matmul(x, y) - exact) <= bound).all()


def test_special_values(form: xarr.Device) -> None:
    x = np.array([[np.inf, 1.0], [np.nan, 0.0], [np.inf, -np.inf], [3e38, 3e38]], np.float32)
    y = np.array([[1.0, 0.0], [1.0, 1.0]], np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        np.testing.assert_array_equal(matmul(x, y), x @ y)
    tiny = np.array([[1e-30]], np.float32)
    same_bits(matmul(tiny, -tiny), np.array([[0.0]], np.float32))
    same_bits(matmul(tiny, np.array([[1e-12]], np.float32)), tiny * np.float32(1e-12))
    same_bits(matmul(np.array([[-0.0]]) * np.ones((1, 5)), np.ones((5, 1))), np.array([[0.0]]))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_integers_wrap_around(name: str, gpu: xarr.Device) -> None:
    low, high = dtypes.integer_bounds(dtypes.BY_NAME[name])
    random = np.random.default_rng(3)
    x = random.integers(low, high, (9, 17), name, endpoint=True)
    y = random.integers(low, high, (17, 5), name, endpoint=True)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


# -- the order of a sum ---------------------------------------------------------------------------


def fma(x: Values, y: Values, z: Values) -> Values:
    """x * y + z in float32, rounded once.

    The product is exact in float64. Their sum is rounded to odd there, so that rounding it to
    float32 gives what one rounding would: Boldo and Melquiond, "Emulation of a FMA", 2008.
    """
    product, addend = x.astype(np.float64) * y, z.astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = total.view(np.int64) % 2 == 0
    odd = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    return np.where((error != 0) & even, odd, total).astype(np.float32)


def in_order(x: Values, y: Values) -> Values:
    """The product of float32 or complex64 matrices in the order that xarr/products.py defines."""
    complex_valued = x.dtype.kind == "c"
    total: Any = None
    for begin in range(0, x.shape[1], PIECE):
        real = np.zeros((x.shape[0], y.shape[1]), np.float32)
        imag = real.copy()
        for k in range(begin, min(begin + PIECE, x.shape[1])):
            one, two = np.broadcast_arrays(x[:, k : k + 1], y[k : k + 1])
            if complex_valued:
                real = fma(-one.imag, two.imag, fma(one.real, two.real, real))
                imag = fma(one.imag, two.real, fma(one.real, two.imag, imag))
            else:
                real = fma(one, two, real)
        piece = np.stack((real, imag))
        total = piece if total is None else total + piece
    real, imag = total
    if not complex_valued:
        return np.asarray(real)
    result = np.empty(real.shape, np.complex64)
    result.real, result.imag = real, imag
    return result


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("length", [1, 2, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_bits_are_those_of_the_defined_order(dtype: str, length: int, form: xarr.Device) -> None:
    x, y = uneven((6, length), dtype), uneven((length, 5), dtype, 1)
    same_bits(matmul(x, y), in_order(x, y))


def test_bits_of_float64(gpu: xarr.Device) -> None:
    needs(dtypes.float64)
    x, y = uneven((2, PIECE + 9), np.float64), uneven((PIECE + 9, 2), np.float64, 1)
    expected = np.zeros((2, 2))
    for row, column in np.ndindex(2, 2):
        for piece in (slice(0, PIECE), slice(PIECE, None)):
            acc = 0.0
            for left, right in zip(x[row, piece], y[piece, column], strict=True):
                acc = float(Fraction(left) * Fraction(right) + Fraction(acc))
            expected[row, column] += acc
    same_bits(matmul(x, y), expected)


def test_bits_of_float16(gpu: xarr.Device) -> None:
    x, y = uneven((5, 1500), np.float16), uneven((1500, 4), np.float16, 1)
    same_bits(matmul(x, y), in_order(x.astype(np.float32), y.astype(np.float32)).astype(np.float16))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_no_choice_changes_the_bits(
    dtype: str, gpu: xarr.Device, choose: Callable[..., None]
) -> None:
    x, y = uneven((21, 2100), dtype), uneven((2100, 19), dtype, 1)
    expected = matmul(x, y)
    for tile in TILES[np.dtype(dtype).itemsize][-4:]:
        for swapped, split in ((False, False), (False, True), (True, False)):
            if tile.columns == 32 and swapped:
                continue
            choose(tile, swapped=swapped, split=split)
            same_bits(matmul(x, y), expected)


def test_a_row_has_the_bits_of_its_own_product(gpu: xarr.Device) -> None:
    x, y = uneven((3, 40, 300), np.float32), uneven((300, 70), np.float32, 1)
    whole = matmul(x, y)
    same_bits(whole[1], matmul(x[1], y))
    same_bits(whole[2, 7:8], matmul(x[2, 7:8], y))
    same_bits(whole[2, :, 3:4], matmul(x[2], y[:, 3:4]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool", "complex64"])
def test_pieces_are_joined(dtype: str, gpu: xarr.Device, choose: Callable[..., None]) -> None:
    """Seventeen pieces, of which the join takes sixteen at once, then one."""
    x, y = numbers((3, 16 * PIECE + 9), dtype), numbers((16 * PIECE + 9, 2), dtype, 1)
    tile = TILES[8 if dtype == "complex64" else 4][-1]
    for split in (False, True):
        choose(tile, split=split)
        np.testing.assert_array_equal(matmul(x, y), x @ y)


# -- shapes and layouts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((0, 3), (3, 4)),
        ((3, 0), (0, 4)),
        ((3, 4), (4, 0)),
        ((0, 0), (0, 0)),
        ((2, 3, 0), (0, 4)),
        ((0, 3, 4), (4, 2)),
        ((1, 3, 4), (0, 4, 2)),
        ((5, 1, 2, 3), (0, 3, 2)),
    ],
)
def test_empty(one: tuple[int, ...], two: tuple[int, ...], form: xarr.Device) -> None:
    for dtype in (np.float32, np.int8, np.complex64, np.float16, np.bool_):
        x, y = np.ones(one, dtype), np.ones(two, dtype)
        same_bits(matmul(x, y), x @ y)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((), (4,)),
        ((4,), ()),
        ((4,), (4,)),
        ((1,), (4,)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((2, 1, 3), (5, 1)),
        ((1, 1), ()),
        ((2, 3), (1, 1)),
    ],
)
def test_stacks(one: tuple[int, ...], two: tuple[int, ...], gpu: xarr.Device) -> None:
    x = numbers((*one, 5, 6), np.float32)
    y = numbers((*two, 6, 7), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    x, y = x.swapaxes(0, -2).copy().swapaxes(0, -2), y.swapaxes(0, -1).copy().swapaxes(0, -1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


def test_more_layers_than_groups(gpu: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = numbers((66_000, 2, 3), np.int32), numbers((66_000, 3, 1), np.int32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    monkeypatch.setattr(products, "_LAYERS", 3)
    x, y = numbers((11, 5, 6), np.float32), numbers((11, 6, 7), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    x, y = numbers((3, 5, 3000), np.float32), numbers((3, 3000, 7), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.mT if isinstance(x, Array) else x.swapaxes(-1, -2),
    "reversed": lambda x: x[::-1, ::-1],
    "steps": lambda x: x[::2, ::3],
    "part": lambda x: x[5:, 3:-1],
    "row": lambda x: x[3:4],
    "column": lambda x: x[:, 7:8],
    "reversed and transposed": lambda x: (x.mT if isinstance(x, Array) else x.T)[::-2, 1:],
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_views(dtype: str, gpu: xarr.Device) -> None:
    host = numbers((70, 66), dtype)
    array = xarr.asarray(host)
    for view in VIEWS.values():
        x = view(host)
        y = numbers((x.shape[1], 9), dtype, 1)
        np.testing.assert_array_equal(matmul(view(array), y), x @ y)
        z = numbers((8, x.shape[0]), dtype, 2)
        np.testing.assert_array_equal(matmul(z, view(array)), z @ x)
        np.testing.assert_array_equal(
            matmul(view(array), VIEWS["transposed"](view(array))), x @ x.T
        )


@pytest.mark.parametrize("tile", TILES[4][:3], ids=lambda tile: f"{tile.rows}x{tile.columns}")
def test_transposed_operands(tile: Tile, gpu: xarr.Device, choose: Callable[..., None]) -> None:
    choose(tile)
    x, y = uneven((150, 37), np.float32), uneven((37, 140), np.float32, 1)
    left = (xarr.asarray(x), xarr.asarray(x.T.copy()).T)
    right = (xarr.asarray(y), xarr.asarray(y.T.copy()).T)
    results = [matmul(one, two) for one in left for two in right]
    for result in results:
        same_bits(result, results[0])
    np.testing.assert_allclose(results[0], x @ y, atol=1e-4)


def test_broadcast_operands(gpu: xarr.Device) -> None:
    row = numbers((1, 40), np.float32)
    for shape in ((30, 40), (3, 30, 40)):
        x = np.broadcast_to(row, shape)
        y = numbers((40, 20), np.float32, 1)
        np.testing.assert_array_equal(matmul(xarr.broadcast_to(xarr.asarray(row), shape), y), x @ y)
    scalar = np.broadcast_to(np.float32(3), (4, 5))
    array = xarr.broadcast_to(xarr.asarray(np.float32(3)), (4, 5))
    np.testing.assert_array_equal(matmul(array, array.mT), scalar @ scalar.T)


def test_pending_operands_and_constants(form: xarr.Device) -> None:
    host = numbers((12, 9), np.float32)
    array = xarr.asarray(host)
    np.testing.assert_array_equal(matmul(array + 1, (array * 2).mT), (host + 1) @ (host * 2).T)
    ones = xarr.ones((9, 4), dtype=xarr.float32)
    np.testing.assert_array_equal(matmul(array, ones), host @ np.ones((9, 4), np.float32))
    same_bits(xarr.to_numpy(array), host)


def test_wide_indices(gpu: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    x, y = numbers((2, 20, 2100), np.float32), numbers((2, 2100, 10), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    np.testing.assert_array_equal(matmul(x[:, :, :9], y[:, :9]), x[:, :, :9] @ y[:, :9])


# -- the choice of a tile -------------------------------------------------------------------------


def chosen(
    rows: int, columns: int, length: int, count: int = 1, units: int = 132
) -> tuple[str, bool, bool]:
    tile, swapped, split = products._choose(
        TILES[4], rows, columns, count, -(-length // PIECE), units, room=True
    )
    return f"{tile.rows}x{tile.columns}", swapped, split


def test_choices() -> None:
    assert chosen(8192, 8192, 8192) == ("128x128", False, False)
    assert chosen(512, 512, 512) == ("32x32", False, False)
    assert chosen(8192, 1, 8192) == ("128x1", False, True)
    assert chosen(1, 8192, 8192) == ("128x1", True, True)
    assert chosen(8192, 8, 512)[:2] == ("128x8", False)
    assert chosen(8, 8192, 512)[:2] == ("128x8", True)
    assert chosen(1, 1, 1_000_000) == ("16x4", False, True)
    assert chosen(64, 64, 1_000_000)[2]
    assert chosen(4, 4, 4, count=100_000) == ("16x4", False, False)


def test_tiles_are_sound() -> None:
    for nbytes, tiles in TILES.items():
        for tile in tiles:
            assert PIECE % tile.depth == 0
            assert tile.items <= 256
            pack = products._PACK_NBYTES // nbytes
            lines = sum(
                extent + min(block, pack)
                for extent, block in (
                    (tile.rows, tile.row_block),
                    (tile.columns, tile.column_block),
                )
            )
            assert 2 * tile.depth * lines * nbytes + 16 <= 32 << 10


# -- CUDA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_compiles_for_cuda(
    dtype: DType, arch: str, gpu: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every tile for one type of each accumulator; for the others the first tile and the join."""
    needs(dtype)
    sources = dict[str, str]()

    def record(device: Any, skeleton: str, entry: str, key: Any, describe: Any, *_: Any) -> None:
        defines, _format = describe()
        sources[source.assemble(skeleton, "cuda", defines)] = entry

    x = xarr.asarray(np.ones((3, 4, 4), dtype.numpy))
    monkeypatch.setattr(engine, "launch", record)
    accumulator = products._accumulator(dtypes.float32 if dtype is dtypes.float16 else dtype)
    every = dtype in (dtypes.float32, dtypes.float64, dtypes.complex128)
    tiles = TILES[accumulator.itemsize][: None if every else 1]
    for tile in tiles:
        for index, split in enumerate((False, True)):
            choice = (tile, bool(index), split)
            monkeypatch.setattr(products, "_choose", lambda *_, choice=choice, **__: choice)
            products.matmul(x._node, x.mT._node)
    products_of = {text: entry for text, entry in sources.items() if entry != "xr_elementwise"}
    assert set(products_of.values()) == {"xr_matmul", "xr_join"}
    for text, entry in products_of.items():
        assert entry.encode() in compile_cuda(text, arch)
