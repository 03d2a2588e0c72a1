"""Matrix products by the portable kernel: values, bits, shapes, layouts, and that CUDA takes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.kernels.nvrtc import compile_cuda
from tests.launching import record
from xarr import dtypes, layout
from xarr.array.array import Array
from xarr.dtypes import DType
from xarr.ir.operation import interned
from xarr.ir.steps import launch
from xarr.ir.views import storage_view
from xarr.lowering import matmul as matmul_kernels
from xarr.lowering.matmul import PIECE, TILES, Tile
from xarr.ops import matmul as recorded
from xarr.tape import builder

Values = np.ndarray[Any, Any]


def matmul(x: Any, y: Any) -> Values:
    interned.cache_clear()  # a program that is known would run as it was planned
    one, two = (array if type(array) is Array else xarr.asarray(array) for array in (x, y))
    node = recorded.matmul(one._view, two._view)
    assert node.storage is not None
    assert node.layout is not None
    assert node.layout.linear
    assert node.dtype is one._view.dtype
    return np.asarray(xarr.to_numpy(Array(node)))


def numbers(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Values:
    """Any integers, which wrap around; else small ones, whose sums of products are exact."""
    random = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.1
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return random.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)
    values = random.integers(-2, 3, shape).astype(dtype)
    if dtype.kind == "c":
        values += (1j * random.integers(-2, 3, shape)).astype(dtype)
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
        def chosen(tiles: tuple[Tile, ...], *_: Any, **__: Any) -> tuple[Tile, bool, bool]:
            assert tile in tiles
            return tile, swapped, split

        monkeypatch.setattr(matmul_kernels, "_choose", chosen)

    return choose


# A variant takes PoCL two to five seconds. So each data type and each tile has one here, and what
# else there is to choose takes turns; the tests below use the same variants as far as they can.


class Case(NamedTuple):
    """A variant: a data type, a tile of its accumulator's, and how operands lie in memory."""

    dtype: str
    number: int
    swapped: bool = False
    split: bool = False
    stack: int = 0
    transposed: tuple[bool, bool] = (False, False)
    wide: bool = False

    @property
    def row(self) -> DType:
        return dtypes.BY_NAME[self.dtype]

    @property
    def tile(self) -> Tile:
        result = dtypes.float32 if self.row is dtypes.float16 else self.row
        return TILES[matmul_kernels._accumulator(result).itemsize][self.number]

    def __str__(self) -> str:
        words = [self.dtype, f"{self.tile.rows}x{self.tile.columns}"]
        words += ["swapped"] * self.swapped + ["split"] * self.split + ["wide"] * self.wide
        words += [f"stack{self.stack}"] * (self.stack > 0)
        return "-".join(words + ["T" * sum(self.transposed)] * any(self.transposed))

    def operands(
        self, rows: int, length: int, columns: int, made: Callable[..., Values]
    ) -> list[tuple[Values, Array]]:
        first, second = {0: ((), ()), 1: ((3,), (3,)), 2: ((3, 1), (2,))}[self.stack]
        shapes = (*first, rows, length), (*second, length, columns)
        pairs = []
        for seed, (shape, turned) in enumerate(zip(shapes, self.transposed, strict=True)):
            x = made(shape, self.dtype, seed)
            lying = xarr.asarray(x.mT.copy()).mT if turned else xarr.asarray(x)
            pairs.append((x, lying))
        return pairs

    def check(self, rows: int, length: int, columns: int) -> None:
        (x, one), (y, two) = self.operands(rows, length, columns, numbers)
        np.testing.assert_array_equal(matmul(one, two), x @ y)


SECOND, BOTH = (False, True), (True, True)
# The first of each type is its `CASE`.
QUICK = [
    Case("float32", 5), Case("float32", 0), Case("float32", 2, split=True, transposed=BOTH),
    Case("float32", 3, swapped=True), Case("bool", 2, stack=1, wide=True),
    Case("uint8", 5, split=True, stack=1), Case("int32", 5, stack=1), Case("uint32", 5, stack=2),
    Case("float16", 3, split=True), Case("int64", 2), Case("float64", 5), Case("complex64", 5),
    Case("complex128", 4),
]  # fmt: skip
SLOW = [
    Case("float32", 4, swapped=True), Case("int8", 1, transposed=(True, False)),
    Case("complex64", 4, swapped=True, split=True, transposed=SECOND),
    Case("int16", 4, transposed=SECOND), Case("uint16", 3, split=True, transposed=BOTH, wide=True),
    Case("uint64", 3, split=True, transposed=SECOND), Case("float64", 0),
    Case("float64", 1, transposed=(True, False)), Case("complex128", 0, split=True),
    Case("complex128", 1, transposed=BOTH), Case("complex128", 2, swapped=True),
    Case("complex128", 3, stack=1, transposed=SECOND),
]  # fmt: skip
CASE = {case.dtype: case for case in reversed([*QUICK, *SLOW])}


def cases(*names: str) -> list[Any]:
    quick = [pytest.param(case, id=str(case)) for case in QUICK if case.dtype in names or not names]
    slow = [case for case in SLOW if case.dtype in names or not names]
    return quick + [pytest.param(case, id=str(case), marks=pytest.mark.nightly) for case in slow]


@pytest.fixture
def enter(choose: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Callable[[Case], None]:
    def enter(case: Case) -> None:
        needs(case.dtype)
        choose(case.tile, swapped=case.swapped, split=case.split)
        if case.wide:
            monkeypatch.setattr(layout, "WIDE", 1)

    return enter


@pytest.mark.parametrize("case", cases())
def test_edges_of_tiles_and_of_pieces(case: Case, enter: Callable[[Case], None]) -> None:
    enter(case)
    tile = case.tile
    for more, deeper in itertools.product((-1, 0, 1), repeat=2):
        extents = max(1, tile.rows + more), max(1, tile.columns + more)
        rows, columns = extents[::-1] if case.swapped else extents
        case.check(rows, 2 * tile.depth + deeper, columns)
    # The join takes sixteen pieces at once, then one.
    for rows, length, columns in ((2, 3, 5), (33, 65, 31), (3, 2 * PIECE + 5, 2)):
        case.check(rows, length, columns)
    case.check(3, 16 * PIECE + 9, 2)


def test_every_type_and_every_tile_has_a_case() -> None:
    every = [*QUICK, *SLOW]
    assert {case.row for case in every} == set(dtypes.TABLE)
    assert {case.tile for case in every} == {tile for tiles in TILES.values() for tile in tiles}
    assert {case.transposed for case in every} == set(itertools.product((False, True), repeat=2))
    for nbytes in TILES:
        some = [case for case in every if case.tile in TILES[nbytes]]
        assert {case.swapped for case in some} == {case.split for case in some} == {False, True}


@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_pieces_are_joined(dtype: DType, monkeypatch: pytest.MonkeyPatch) -> None:
    needs(dtype.numpy)
    result = dtypes.float32 if dtype is dtypes.float16 else dtype
    accumulator = matmul_kernels._accumulator(result).numpy
    device = xarr.default_device()
    for pieces in (1, 2, 16, 17, 35):
        partial = numbers((pieces, 300), bool if dtype is dtypes.bool_ else accumulator)
        partial = partial.astype(accumulator)
        total = partial[0]
        for piece in partial[1:]:
            total = total | piece if dtype is dtypes.bool_ else total + piece
        if dtype is dtypes.float32 and pieces == 35:
            monkeypatch.setattr(layout, "WIDE", 1)
        storage = xarr.asarray(partial)._view.storage
        assert storage is not None
        storage.settle()
        joined = builder.allocate(device, 300 * result.itemsize)
        planned = matmul_kernels._join(device, result, 300, pieces)
        packed = planned.kernel.arguments.pack(*planned.indices)
        buffers = [storage.buffer, joined.buffer]
        launch(device, planned.kernel, planned.grid, buffers, packed, planned.elements)
        node = storage_view(joined, layout.contiguous((300,)), result)
        same_bits(np.asarray(xarr.to_numpy(Array(node))), total.astype(result.numpy))


@pytest.mark.parametrize(
    ("shape", "tile"),
    [
        *((one, None) for one in ((1, 1, 1), (1, 5, 70_000), (1, 65_537, 1), (255, 256, 257))),
        *(((1025, 9, 977), None), ((16 * 19 + 3, 5, 4 * 7 + 1), CASE["float32"].tile)),
    ],
    ids=str,
)
def test_sizes(shape: tuple[int, int, int], tile: Tile | None, choose: Callable[..., None]) -> None:
    rows, length, columns = shape
    if tile:
        choose(tile)  # in bands of many tiles
    x = numbers((rows, length), np.float32)
    y = numbers((length, columns), np.float32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", [7, 600, 3000])
def test_error_is_bounded(dtype: str, length: int, enter: Callable[[Case], None]) -> None:
    enter(CASE[dtype])
    x = uneven((13, length), dtype)
    y = uneven((length, 11), dtype, 1)
    exact = x.astype(np.clongdouble) @ y.astype(np.clongdouble)
    size = abs(x).astype(np.float64) @ abs(y).astype(np.float64)
    bound = length * float(np.finfo(np.float32 if dtype == "float16" else dtype).eps) * size
    if dtype == "float16":
        bound = bound + abs(exact) * 2.0**-11
    assert (abs(matmul(x, y) - exact) <= bound).all()


def test_special_values() -> None:
    x = np.array([[np.inf, 1.0], [np.nan, 0.0], [np.inf, -np.inf], [3e38, 3e38]], np.float32)
    y = np.array([[1.0, 0.0], [1.0, 1.0]], np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        np.testing.assert_array_equal(matmul(x, y), x @ y)
    tiny = np.array([[1e-30]], np.float32)
    same_bits(matmul(tiny, -tiny), np.array([[0.0]], np.float32))
    same_bits(matmul(tiny, np.array([[1e-12]], np.float32)), tiny * np.float32(1e-12))
    minus, ones = np.full((1, 5), -0.0, np.float32), np.ones((5, 1), np.float32)
    same_bits(matmul(minus, ones), np.array([[0.0]], np.float32))


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
    """The product of float32 or complex64 matrices in the order of lowering/matmul.py."""
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
def test_bits_are_those_of_the_defined_order(
    dtype: str, length: int, enter: Callable[[Case], None]
) -> None:
    enter(CASE[dtype])
    # With one k, 6 x 1 and 1 x 5 count as transposed: a variant more, which float32 has.
    if length > 1 or dtype == "float32":
        x, y = uneven((6, length), dtype), uneven((length, 5), dtype, 1)
        same_bits(matmul(x, y), in_order(x, y))


def test_bits_of_float64(enter: Callable[[Case], None]) -> None:
    enter(CASE["float64"])
    x, y = uneven((2, PIECE + 9), np.float64), uneven((PIECE + 9, 2), np.float64, 1)
    expected = np.zeros((2, 2))
    for row, column in np.ndindex(2, 2):
        for piece in (slice(0, PIECE), slice(PIECE, None)):
            acc = 0.0
            for left, right in zip(x[row, piece], y[piece, column], strict=True):
                acc = float(Fraction(left) * Fraction(right) + Fraction(acc))
            expected[row, column] += acc
    same_bits(matmul(x, y), expected)


def test_bits_of_float16(enter: Callable[[Case], None]) -> None:
    enter(CASE["float16"])
    x, y = uneven((5, 1500), np.float16), uneven((1500, 4), np.float16, 1)
    same_bits(matmul(x, y), in_order(x.astype(np.float32), y.astype(np.float32)).astype(np.float16))


@pytest.mark.parametrize("case", cases("float32", "complex64"))
def test_no_choice_changes_the_bits(case: Case, enter: Callable[[Case], None]) -> None:
    enter(case)
    (x, one), (y, two) = case.operands(21, 2100, 19, uneven)
    same_bits(matmul(one, two), in_order(x, y))


def test_a_row_has_the_bits_of_its_own_product(enter: Callable[[Case], None]) -> None:
    x, y = uneven((3, 40, 300), np.float32), uneven((300, 70), np.float32, 1)
    enter(Case("float32", 0))
    whole = matmul(x, y)
    enter(Case("float32", 3, swapped=True))
    same_bits(whole[1], matmul(x[1], y))
    enter(Case("float32", 5))
    same_bits(whole[2, 7:8], matmul(x[2, 7:8], y))
    same_bits(whole[2, :, 3:4], matmul(x[2], y[:, 3:4]))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((0, 3), (3, 4)), ((3, 0), (0, 4)), ((3, 4), (4, 0)), ((0, 0), (0, 0)),
        ((2, 3, 0), (0, 4)), ((0, 3, 4), (4, 2)), ((1, 3, 4), (0, 4, 2)),
        ((5, 1, 2, 3), (0, 3, 2)),
    ],
)  # fmt: skip
def test_empty(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    for dtype in (np.float32, np.int8, np.complex64, np.float16, np.bool_):
        x, y = np.ones(one, dtype), np.ones(two, dtype)
        with xarr.reproducible():
            product = xarr.asarray(x) @ xarr.asarray(y)
        same_bits(np.asarray(xarr.to_numpy(product)), x @ y)


@pytest.mark.parametrize(
    ("dtype", "one", "two"),
    [
        # What is left of a stack decides the variant, so the type of the case that has as much.
        ("int32", (), (4,)),
        ("float32", (4,), ()),
        ("int32", (4,), (4,)),
        ("int32", (1,), (4,)),
        ("uint32", (2, 3), (3,)),
        ("uint32", (2, 1), (1, 3)),
        pytest.param("uint32", (2, 1, 3), (5, 1), marks=pytest.mark.nightly),
        ("float32", (1, 1), ()),
        ("float32", (2, 3), (1, 1)),
    ],
)
def test_stacks(
    dtype: str, one: tuple[int, ...], two: tuple[int, ...], enter: Callable[[Case], None]
) -> None:
    enter(CASE[dtype])
    x = numbers((*one, 5, 6), dtype)
    y = numbers((*two, 6, 7), dtype, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    x = x.swapaxes(0, -2).copy().swapaxes(0, -2)
    np.testing.assert_array_equal(matmul(x, y), x @ y)


def test_more_layers_than_groups(
    enter: Callable[[Case], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(CASE["int32"])
    x, y = numbers((66_000, 2, 3), np.int32), numbers((66_000, 3, 2), np.int32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    monkeypatch.setattr(matmul_kernels, "MOST_GROUPS", 3)
    x, y = numbers((11, 5, 6), np.int32), numbers((11, 6, 7), np.int32, 1)
    np.testing.assert_array_equal(matmul(x, y), x @ y)
    enter(CASE["uint8"])
    x, y = numbers((3, 5, 3000), np.uint8), numbers((3, 3000, 7), np.uint8, 1)
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
def test_views(dtype: str, enter: Callable[[Case], None]) -> None:
    """Views of complex numbers whose elements along k are nearer than those along a line."""
    enter(CASE[dtype])
    host = numbers((70, 66), dtype)
    array = xarr.asarray(host)
    for name in VIEWS if dtype == "float32" else ("reversed", "steps", "part"):
        x, view = VIEWS[name](host), VIEWS[name](array)
        y, z = numbers((x.shape[1], 9), dtype, 1), numbers((8, x.shape[0]), dtype, 2)
        np.testing.assert_array_equal(matmul(view, y), x @ y)
        np.testing.assert_array_equal(matmul(z, view), z @ x)
        if dtype == "float32":
            np.testing.assert_array_equal(matmul(view, VIEWS["transposed"](view)), x @ x.T)


PAIRS: dict[str, tuple[str, Callable[[Any, Any], tuple[Any, Any]]]] = {
    "left by columns": ("float32", lambda np, a: (a[:, :37].mT.copy().mT, a[:37])),
    "right by columns": ("float32", lambda np, a: (a[:, :37], a[:37].mT.copy().mT)),
    "by columns": ("float32", lambda np, a: (a[:, :37].mT.copy().mT, a[:37].mT.copy().mT)),
    "a row": ("float32", lambda np, a: (np.broadcast_to(a[:1, :40], (30, 40)), a[:40])),
    "a stack of a row": (
        "float32", lambda np, a: (np.broadcast_to(a[:1, :40], (3, 30, 40)), a[:40]),
    ),
    "a number": (
        "float32", lambda np, a: tuple([np.broadcast_to(a[3, 4], n) for n in ((4, 5), (5, 4))]),
    ),
    "pending": ("float32", lambda np, a: (a[:12, :9] + 1, (a[:12, :9] * 2).mT)),
    "ones": ("float32", lambda np, a: (a[:12, :9], np.ones((9, 4), dtype="float32"))),
    "parts of one array": ("float32", lambda np, a: (a[1:4, :5], a[4:9, 3:])),
    "stacks along the smallest stride": (
        "int32", lambda np, a: (along(np, a[:20, :60].reshape(4, 5, 60)),
                                along(np, a[:60, :28].reshape(4, 60, 7))),
    ),
}  # fmt: skip
"""Pairs of operands, made of a matrix in either library."""


def along(np: Any, stack: Any) -> Any:
    return np.permute_dims(np.permute_dims(stack, (1, 2, 0)).copy(), (2, 0, 1))


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str, enter: Callable[[Case], None]) -> None:
    dtype, made = PAIRS[name]
    enter(CASE[dtype])
    host = numbers((70, 66), dtype)
    array = xarr.asarray(host)
    ours, (x, y) = made(xarr, array), made(np, host)
    np.testing.assert_array_equal(matmul(*ours), x @ y)
    same_bits(xarr.to_numpy(array), host)


def chosen(
    rows: int, columns: int, length: int, count: int = 1, units: int = 132
) -> tuple[str, bool, bool]:
    tile, swapped, split = matmul_kernels._choose(
        TILES[4], rows, columns, count, -(-length // PIECE), units, has_room=True
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
            pack = matmul_kernels._PACK_NBYTES // nbytes
            lines = sum(
                extent + min(block, pack)
                for extent, block in (
                    (tile.rows, tile.row_block),
                    (tile.columns, tile.column_block),
                )
            )
            assert 2 * tile.depth * lines * nbytes + 16 <= 32 << 10


# One type of each accumulator, with all tiles; the others take turns between architectures.
EVERY = (dtypes.float32, dtypes.float64, dtypes.complex128)
OTHERS = [dtype for dtype in dtypes.TABLE if dtype not in EVERY]


@pytest.mark.parametrize(
    ("dtype", "arch", "changed", "tiles"),
    [
        *((dtype, "sm_90", True, None) for dtype in EVERY),
        *((dtype, "sm_75", False, 1) for dtype in EVERY),
        *(pytest.param(dtype, "sm_75", False, None, marks=pytest.mark.nightly) for dtype in EVERY),
        *((dtype, "sm_90", False, 1) for dtype in OTHERS[::2]),
        *((dtype, "sm_75", True, 1) for dtype in OTHERS[1::2]),
    ],
    ids=str,
)
def test_compiles_for_cuda(
    dtype: DType, arch: str, changed: bool, tiles: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tiles, or one; `changed` is swapped, split and joined."""
    needs(dtype.numpy)
    x = xarr.asarray(np.ones((3, 4, 4), dtype.numpy))
    sources = record(monkeypatch, xarr.default_device())
    accumulator = matmul_kernels._accumulator(dtypes.float32 if dtype is dtypes.float16 else dtype)
    for tile in TILES[accumulator.itemsize][:tiles]:
        choice = (tile, changed, changed)
        monkeypatch.setattr(matmul_kernels, "_choose", lambda *_, choice=choice, **__: choice)
        matmul(x, x.mT)
    products_of = {text: entry for text, entry in sources.items() if entry != "xr_elementwise"}
    assert set(products_of.values()) == ({"xr_matmul", "xr_join"} if changed else {"xr_matmul"})
    for text, entry in products_of.items():
        assert entry.encode() in compile_cuda(text, arch)
