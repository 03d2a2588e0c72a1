"""The functions of the standard that are neither element-wise nor linear algebra, beside
array-api-strict's.
"""

from __future__ import annotations

import math
import re
from typing import Any

import array_api_strict
import numpy as np
import pytest

import xarr
from tests.comparing import has
from tests.conformance import standard
from tests.conformance.standard import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGER,
    MANY,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    XPS,
    Call,
    Made,
    Operand,
    Pick,
    Row,
    Type,
    exact,
    form,
    largest,
    near,
    of_norm,
    total,
)

FLAT = ("contiguous", "strided", "reversed", "part")


def shaped(pick: Pick) -> Made:
    shape = pick.one(pick.integer(0, 5), pick.shape(empty=True))
    return (shape,), {"dtype": Type(pick.dtype)}


def full(pick: Pick) -> Made:
    options = {"dtype": Type(pick.dtype)} if pick.boolean() or pick.dtype not in DEFAULTS else {}
    return (pick.shape(), standard.of_python(pick, -9, 9)), options


def like(pick: Pick) -> Made:
    return (pick.array(),), {"dtype": Type(pick.dtype)} if pick.boolean() else {}


def full_like(pick: Pick) -> Made:
    return (pick.array(), standard.of_python(pick, -9, 9)), {}


def arange(pick: Pick) -> Made:
    whole = pick.kind != "f"
    step = pick.one(1, 2, 3) if pick.kind == "u" else pick.one(1, 2, -1, -3)
    start, stop = (pick.integer(0 if pick.kind == "u" else -9, 9) for _ in "ab")
    if not whole:
        # Halves and quarters are exact in any way of computing them.
        start, stop, step = start / 2, stop / 2, step / 4
    parts = pick.one((start,), (start, stop), (start, stop, step))
    return parts, {"dtype": Type(pick.dtype)}


def linspace(pick: Pick) -> Made:
    ends: list[Any] = [pick.integer(-50, 50) / 4 for _ in "ab"]
    if pick.kind == "c":
        ends = [complex(end, pick.integer(-9, 9)) for end in ends]
    options = {"dtype": Type(pick.dtype), "endpoint": pick.boolean()}
    return (*ends, pick.integer(0, 9)), options


def eye(pick: Pick) -> Made:
    sides = [pick.integer(0, 5), pick.one(None, pick.integer(0, 5))]
    return sides, {"k": pick.integer(-3, 3), "dtype": Type(pick.dtype)}


def nested(pick: Pick) -> Made:
    """Lists of Python scalars, scalars, and arrays."""
    x = pick.array()
    options = {"dtype": Type(pick.dtype)}
    if pick.boolean():
        return (x,), {"copy": pick.one(None, True), **pick.one({}, options)}
    return (x.host.tolist() if x.host.size else [],), options


def meshgrid(pick: Pick) -> Made:
    arrays = [
        pick.array((pick.integer(1, 4),), layout="contiguous") for _ in range(pick.integer(1, 3))
    ]
    return arrays, {"indexing": pick.one("xy", "ij")}


def triangle(pick: Pick) -> Made:
    return (pick.array(pick.shape(least=2, empty=False)),), {"k": pick.integer(-3, 3)}


def exported(pick: Pick) -> Made:
    return (pick.array(layout=None if pick.boolean() else "contiguous"),), {}


DEFAULTS = ("float64", "int64", "complex128", "bool")

CREATION = (
    Row("arange", arange, REAL),
    Row("asarray", nested, ALL, few=True),
    Row("empty", shaped, ALL, form, few=True),
    Row("empty_like", like, ALL, form, few=True),
    Row("eye", eye, ALL, few=True),
    Row("from_dlpack", exported, ALL, few=True),
    Row("full", full, ALL, few=True),
    Row("full_like", full_like, ALL, few=True),
    Row("linspace", linspace, FLOATING, near(2, lambda call: 15.0)),
    Row("meshgrid", meshgrid, ALL, few=True),
    Row("ones", shaped, ALL, few=True),
    Row("ones_like", like, ALL, few=True),
    Row("tril", triangle, ALL, few=True),
    Row("triu", triangle, ALL, few=True),
    Row("zeros", shaped, ALL, few=True),
    Row("zeros_like", like, ALL, few=True),
)


def astype(pick: Pick) -> Made:
    """To types that hold the values: what others give is left open."""
    x = pick.array(low=0, high=100)
    wanted = COMPLEX if pick.kind == "c" else (*ALL[:2], "int8", "uint64", "bool")
    return (x, Type(pick.one(*filter(has, wanted)))), {"copy": pick.boolean()}


def two_types(pick: Pick) -> Made:
    names = [pick.dtype, pick.one(*ALL)]
    if names[1] == "uint64" and pick.kind == "i":
        names[1] = "int64"
    if {np.dtype(name).kind for name in names} not in KINDS_TOGETHER:
        names[1] = names[0]
    return [Type(name) for name in names], {}


KINDS_TOGETHER = [{"b"}, {"i"}, {"u"}, {"i", "u"}, {"f"}, {"c"}, {"f", "c"}]


def promotable(pick: Pick) -> Made:
    types, _ = two_types(pick)
    if {pick.kind, np.dtype(types[1].name).kind} == {"i", "u"} and "uint64" in pick.dtype:
        types = [types[0], types[0]]
    arrays = [
        pick.array((), 0, 5, dtype=one.name, layout="contiguous") if has(one.name) else one
        for one in types
    ]
    return [*pick.one(types, arrays, [types[0], arrays[1]])], {}


def kinds(pick: Pick) -> Made:
    names = ("bool", "signed integer", "unsigned integer", "integral", "real floating")
    names = (*names, "complex floating", "numeric")
    kind = pick.one(*names, names[1:3], ("bool", Type("float32")), Type("int8"), Type(pick.dtype))
    return (Type(pick.dtype), kind), {}


def limits(call: Call, got: Any, wanted: Any) -> None:
    """The numbers that describe a data type, which have to be Python's."""
    names = ["bits", "max", "min", "dtype"]
    if call.name == "finfo":
        names += ["eps", "smallest_normal"]
    for name in names[:3] + names[4:]:
        mine, other = getattr(got, name), getattr(wanted, name)
        assert type(mine) is type(other), f"{name} is of type {type(mine).__name__}"
        assert mine == other, f"{name} is {mine}, not {other}"
    assert str(wanted.dtype).endswith(str(got.dtype))
    assert isinstance(got.dtype, np.dtype)


def typed(call: Call, got: Any, wanted: Any) -> None:
    """The same data type."""
    assert str(np.dtype(got)) == str(wanted).removeprefix("array_api_strict.")


def one_type(pick: Pick) -> Made:
    x = pick.array((2,), 0, 5, layout="contiguous")
    return (pick.one(Type(pick.dtype), x),), {}


DATA_TYPES = (
    Row("astype", astype, ALL),
    Row("can_cast", two_types, ALL),
    Row("finfo", one_type, FLOATING, limits),
    Row("iinfo", one_type, INTEGER, limits),
    Row("isdtype", kinds, ALL),
    Row("result_type", promotable, ALL, typed),
)


def some(pick: Pick) -> Operand:
    return pick.array(pick.shape(least=1))


def broadcastable(pick: Pick) -> list[Operand]:
    shapes = pick.draw(XPS.mutually_broadcastable_shapes(pick.integer(1, 3), max_side=4))
    return [pick.array(shape) for shape in shapes.input_shapes]


def broadcast_shapes(pick: Pick) -> Made:
    count = pick.integer(1, 4)
    return pick.draw(XPS.mutually_broadcastable_shapes(count)).input_shapes, {}


def broadcast_to(pick: Pick) -> Made:
    shape = pick.shape(most=2)
    return (
        pick.array(shape),
        (pick.integer(0, 3), *(pick.integer(0, 4) if s == 1 else s for s in shape)),
    ), {}


def joined(pick: Pick) -> Made:
    shape = pick.shape(least=1, most=2)
    axis = pick.integer(-len(shape), len(shape) - 1)
    arrays = []
    for _ in range(pick.integer(1, 3)):
        sides = list(shape)
        sides[axis] = pick.integer(0, 4)
        arrays.append(pick.array(tuple(sides)))
    if pick.integer(0, 3) == 0:
        return (arrays,), {"axis": None}
    return (pick.one(arrays, tuple(arrays)),), {"axis": axis}


def stacked(pick: Pick) -> Made:
    shape = pick.shape(most=2)
    arrays = [pick.array(shape) for _ in range(pick.integer(1, 3))]
    return (arrays,), {"axis": pick.integer(-len(shape) - 1, len(shape))}


def expand_dims(pick: Pick) -> Made:
    x = pick.array()
    ndim = x.host.ndim
    axis = pick.integer(-ndim - 1, ndim)
    return (x, pick.one(axis, (axis,), (0, -1) if ndim else (0, 1))), {}


def flip(pick: Pick) -> Made:
    x = pick.array()
    return (x,), {"axis": pick.axes(x)}


def moveaxis(pick: Pick) -> Made:
    x = some(pick)
    ndim = x.host.ndim
    if pick.boolean():
        return (x, pick.axis(x), pick.axis(x)), {}
    count = pick.integer(1, ndim)
    order = [pick.draw(XPS.valid_tuple_axes(ndim, min_size=count, max_size=count)) for _ in "ab"]
    return (x, *order), {}


def permute_dims(pick: Pick) -> Made:
    x = pick.array()
    ndim = x.host.ndim
    return (x, pick.draw(XPS.valid_tuple_axes(ndim, min_size=ndim, max_size=ndim))), {}


def repeat(pick: Pick) -> Made:
    x = some(pick)
    axis = pick.one(None, pick.axis(x))
    size = x.host.size if axis is None else x.host.shape[axis]
    each = pick.array((size,), 0, 3, dtype="int64", layout="contiguous")
    return (x, pick.one(pick.integer(0, 3), each)), {"axis": axis}


def reshape(pick: Pick) -> Made:
    x = pick.array(pick.one((2, 6), (3, 4), (12,), (2, 3, 2), (1, 12)))
    shape = pick.one((12,), (4, 3), (-1,), (2, -1), (6, 1, 2), (3, 2, 2))
    return (x, shape), {"copy": pick.one(None, True)}


def roll(pick: Pick) -> Made:
    x = some(pick)
    if pick.boolean():
        return (x, pick.integer(-5, 5)), {"axis": pick.one(None, pick.axis(x))}
    axes = pick.draw(XPS.valid_tuple_axes(x.host.ndim, min_size=1))
    return (x, tuple(pick.integer(-5, 5) for _ in axes)), {"axis": axes}


def squeeze(pick: Pick) -> Made:
    x = pick.array(pick.one((1, 3), (2, 1, 1), (1,), (1, 0, 1)))
    single = [axis for axis, side in enumerate(x.host.shape) if side == 1]
    return (x, pick.one(single[0], tuple(single), single[-1] - x.host.ndim)), {}


def tile(pick: Pick) -> Made:
    return (pick.array(pick.shape(most=2)), pick.shape(most=3, side=3)), {}


def unstack(pick: Pick) -> Made:
    x = some(pick)
    return (x,), {"axis": pick.axis(x)}


MANIPULATION = (
    Row("broadcast_arrays", lambda pick: (broadcastable(pick), {}), ALL, few=True),
    Row("broadcast_shapes", broadcast_shapes),
    Row("broadcast_to", broadcast_to, ALL, few=True),
    Row("concat", joined, ALL, few=True),
    Row("expand_dims", expand_dims, ALL, few=True),
    Row("flip", flip, ALL, few=True),
    Row("moveaxis", moveaxis, ALL, few=True),
    Row("permute_dims", permute_dims, ALL, few=True),
    Row("repeat", repeat, ALL, few=True),
    Row("reshape", reshape, ALL, few=True),
    Row("roll", roll, ALL, few=True),
    Row("squeeze", squeeze, ALL, few=True),
    Row("stack", stacked, ALL, few=True),
    Row("tile", tile, ALL, few=True),
    Row("unstack", unstack, ALL, few=True),
)


def take(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1, empty=False))
    axis = pick.axis(x)
    side = x.host.shape[axis]
    where = pick.array((pick.integer(0, 5),), -side, side - 1, dtype="int64", layout="contiguous")
    return (x, where), {} if x.host.ndim == 1 and pick.boolean() else {"axis": axis}


def take_along_axis(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1, empty=False))
    axis = pick.axis(x)
    sides = list(x.host.shape)
    side, sides[axis] = sides[axis], pick.integer(0, 4)
    where = pick.array(tuple(sides), -side, side - 1, dtype="int64", layout="contiguous")
    return (x, where), {} if axis == -1 and pick.boolean() else {"axis": axis}


def found(pick: Pick) -> Made:
    """Few different numbers, so that some are equal."""
    x = pick.array(pick.shape(least=1, empty=False), -3, 3)
    return (x,), {"axis": pick.one(None, pick.axis(x)), "keepdims": pick.boolean()}


def counted(pick: Pick) -> Made:
    x = pick.array(low=-1, high=1)
    return (x,), {"axis": None if pick.plain else pick.axes(x), "keepdims": pick.boolean()}


def nonzero(pick: Pick) -> Made:
    return (pick.array(pick.shape(least=1), -1, 1),), {}


def searchsorted(pick: Pick) -> Made:
    drawn = pick.array((pick.integer(0, 9),), -9, 9, layout="contiguous")
    values = np.sort(drawn.base)
    layout = "contiguous" if pick.plain else pick.one("contiguous", "strided", "reversed")
    options: dict[str, Any] = {"side": pick.one("left", "right")}
    given = Operand(
        {"strided": np.repeat(values, 2), "reversed": values[::-1].copy()}.get(layout, values),
        layout,
    )
    if pick.boolean():
        given, options["sorter"] = drawn, Operand(np.argsort(drawn.base))
    sought = pick.array(low=-9, high=9)
    return (given, pick.one(sought, sought, standard.of_python(pick, -9, 9))), options


def where(pick: Pick) -> Made:
    shapes = pick.draw(XPS.mutually_broadcastable_shapes(3, max_side=4)).input_shapes
    truth = pick.array(shapes[0], dtype="bool", layout="contiguous")
    first, second = pick.array(shapes[1]), pick.array(shapes[2], layout="contiguous")
    scalar = standard.of_python(pick, -9, 9)
    return (
        truth,
        *pick.one((first, second), (first, second), (first, scalar), (scalar, second)),
    ), {}


def lined(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1), -50, 50)
    options = {"axis": -1 if pick.plain else pick.axis(x), "descending": pick.boolean()}
    return (x,), options | pick.one({}, {"stable": True}, {"stable": False})


def orders(call: Call, got: Any, wanted: Any) -> None:
    """The same order; where it need not be stable, indices of the same sorted values."""
    ((mine, other),) = standard.alike(got, wanted)
    (x,), axis = call.hosts, call.options["axis"]
    if call.options.get("stable") is False:
        mine, other = (np.take_along_axis(x, order, axis) for order in (mine, other))
    np.testing.assert_array_equal(mine, other)


def repeated(pick: Pick) -> Made:
    """Few different numbers, some NaN, each of which is different from every other."""
    return (pick.array(low=-3, high=3, special=pick.kind in "fc"),), {}


def as_sets(call: Call, got: Any, wanted: Any) -> None:
    """The same values with what belongs to each, in any order; an inverse that restores x."""
    pairs = standard.alike(got, wanted)
    names = getattr(wanted, "_fields", ("values",))
    mine, other = ({n: pair[i] for n, pair in zip(names, pairs, strict=True)} for i in (0, 1))
    orders = [_order(part["values"]) for part in (mine, other)]
    for name in ("values", "indices", "counts"):
        if name in mine:
            np.testing.assert_array_equal(mine[name][orders[0]], other[name][orders[1]])
    if "inverse_indices" in mine:
        restored = mine["values"][mine["inverse_indices"]]
        np.testing.assert_array_equal(restored, call.hosts[0])


def _order(values: Any) -> Any:
    if values.dtype.kind == "c":
        return np.lexsort((values.imag, values.real))
    return np.argsort(values, kind="stable")


def isin(pick: Pick) -> Made:
    first, second = (pick.array(low=0, high=9) for _ in "ab")
    scalar = pick.integer(0, 9)
    operands = pick.one((first, second), (first, second), (first, scalar), (scalar, second))
    return operands, {"invert": pick.boolean()}


def in_or_not(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """array-api-strict 2.6.1 drops `invert`."""
    result = array_api_strict.isin(x1, x2)
    return array_api_strict.logical_not(result) if invert else result


SEARCHING = (
    Row("take", take, ALL),
    Row("take_along_axis", take_along_axis, ALL),
    Row("argmax", found, REAL, few=True),
    Row("argmin", found, REAL, few=True),
    Row("count_nonzero", counted, ALL, few=True),
    Row("nonzero", nonzero, ALL),
    Row("searchsorted", searchsorted, REAL),
    Row("where", where, ALL, few=True),
    Row("argsort", lined, REAL, orders),
    Row("sort", lined, REAL),
    Row("unique_all", repeated, ALL, as_sets),
    Row("unique_counts", repeated, ALL, as_sets),
    Row("unique_inverse", repeated, ALL, as_sets),
    Row("unique_values", repeated, ALL, as_sets),
    Row("isin", isin, INTEGER, reference=in_or_not),
)


def reduced(
    low: float = -50, high: float = 50, *, least: int = 0, typed: bool = False, special: bool = True
) -> Any:
    def made(pick: Pick) -> Made:
        shape = pick.shape(empty=least == 0)
        x = pick.array(shape, low, high, special=special and pick.kind == "f")
        # A kernel for each run of reduced axes: the data types share one.
        options = {"axis": None if pick.plain else pick.axes(x), "keepdims": pick.boolean()}
        if typed and not pick.plain and pick.boolean() and has("float64"):
            options["dtype"] = Type("complex128" if pick.kind == "c" else "float64")
        return (x,), options

    return made


def spread(pick: Pick) -> Made:
    """At least one element more than the correction."""
    x = pick.array(pick.shape(least=1, empty=False), -50, 50)
    axis = None if pick.plain else pick.axes(x)
    count = x.host.size if axis is None else np.take(x.host.shape, axis).prod()
    correction = pick.one(0, 0.0, 0.5, 1.0) if count > 1 else 0
    return (x,), {"axis": axis, "keepdims": pick.boolean(), "correction": correction}


def scanned(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1), -3, 3)
    one = x.host.ndim == 1
    options = {} if one and pick.boolean() else {"axis": -1 if pick.plain else pick.axis(x)}
    return (x,), options | {"include_initial": pick.boolean()}


def diff(pick: Pick) -> Made:
    """Differences may wrap around in unsigned types, as subtraction does."""
    x = pick.array(pick.shape(least=1), -9, 9)
    axis = -1 if pick.plain else pick.axis(x)
    sides = list(x.host.shape)
    ends = {}
    for name in ("prepend", "append"):
        if pick.integer(0, 2) == 0:
            sides[axis] = pick.integer(0, 2)
            ends[name] = pick.array(tuple(sides), -9, 9, layout="contiguous")
    return (x,), {"axis": axis, "n": pick.integer(0, 3), **ends}


def squares(call: Call) -> float:
    return 4 * largest(call) ** 2


def powers(call: Call) -> float:
    """What the partial products may be."""
    return 1.0


STATISTICS = (
    Row("cumulative_prod", scanned, NUMERIC, near(16), few=True),
    Row("cumulative_sum", scanned, NUMERIC, near(4, total), few=True),
    Row("max", reduced(least=1), REAL, few=True),
    Row("min", reduced(least=1), REAL, few=True),
    Row("mean", reduced(), FLOATING, near(4, total), few=True),
    Row("prod", reduced(-2, 2, typed=True), NUMERIC, near(64, powers), few=True),
    Row("std", spread, REAL_FLOATING, near(8, largest), few=True),
    Row("sum", reduced(typed=True), NUMERIC, near(4, total), few=True),
    Row("var", spread, REAL_FLOATING, near(8, squares), few=True),
    Row("all", counted, ALL, few=True),
    Row("any", counted, ALL, few=True),
    Row("diff", diff, NUMERIC, near(8, largest), few=True),
)

ROWS = (*CREATION, *DATA_TYPES, *MANIPULATION, *SEARCHING, *STATISTICS)

test_of_data_types, test_of_layouts = standard.made_of(ROWS, examples=3, layouts=6)


@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
def test_the_results_of_no_elements() -> None:
    nothing = xarr.zeros((0, 3), dtype="float32")
    assert float(xarr.sum(nothing)) == 0
    assert float(xarr.prod(nothing)) == 1
    assert math.isnan(float(xarr.mean(nothing)))
    assert math.isnan(float(xarr.var(nothing)))
    assert math.isnan(float(xarr.std(nothing)))
    assert bool(xarr.all(nothing)) is True
    assert bool(xarr.any(nothing)) is False
    assert int(xarr.count_nonzero(nothing)) == 0
    assert xarr.sum(nothing, axis=0).tolist() == [0, 0, 0]
    for name in ("cumulative_sum", "cumulative_prod"):
        scan = getattr(xarr, name)
        assert scan(xarr.zeros(0, dtype="float32"), include_initial=True).shape == (1,)


@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("correction", [3, 3.0, 4, 7.5])
def test_a_correction_of_as_much_as_the_elements_gives_nan(name: str, correction: float) -> None:
    got = getattr(xarr, name)(xarr.asarray([1.0, 2.0, 4.0], dtype="float32"), correction=correction)
    assert math.isnan(float(got))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "all", "any", "count_nonzero"])
def test_no_axes_of_a_pending_expression(name: str) -> None:
    x = np.asarray([[-2, 3], [4, -5]], np.float32)
    pending = xarr.asarray(x) * 2
    got = np.asarray(getattr(xarr, name)(pending, axis=()))
    np.testing.assert_array_equal(got, getattr(np, name)(x * 2, axis=()))


@pytest.mark.parametrize("numbers", [[2**64 - 1, 0], [2**63 + 1, 5], [2**64 - 1]])
def test_the_largest_integers_of_lists(numbers: list[int]) -> None:
    assert xarr.asarray(numbers, dtype=xarr.uint64).tolist() == numbers


def test_errors_of_the_standard() -> None:
    x = xarr.zeros((2, 3))
    with pytest.raises(ValueError, match="axis"):
        xarr.squeeze(x, 0)
    with pytest.raises(IndexError):
        xarr.expand_dims(x, 4)
    with pytest.raises(ValueError, match="shape"):
        xarr.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="shape"):
        xarr.broadcast_to(x, (2, 4))
    with pytest.raises(ValueError, match="copy"):
        xarr.reshape(xarr.permute_dims(x, (1, 0)), (6,), copy=False)
    # The standard asks for an exception and names none.
    ragged = [x, xarr.zeros((2, 4))]
    shapes = "the shapes are (2, 3) and (2, 4)"
    along = f"{shapes} and axis is 0; shapes have to agree except along the axis"
    for call, said in (
        (lambda: xarr.nonzero(xarr.asarray(1)), "nonzero(a): a is 0-dimensional"),
        (lambda: xarr.cumulative_sum(x), "cumulative_sum(x, axis): x has 2 dimensions"),
        (lambda: xarr.sum(x, axis=2), "sum(a, axis): axis is 2"),
        (lambda: xarr.unstack(xarr.asarray(1)), "unstack(x, axis): axis is 0"),
        (lambda: xarr.concat(ragged), f"concat(arrays, axis): {along}"),
        (lambda: xarr.stack(ragged), f"stack(arrays, axis): {shapes}; all shapes have to agree"),
        (lambda: xarr.finfo(xarr.int8), "finfo(dtype): dtype is int8"),
        (lambda: xarr.iinfo(xarr.float32), "iinfo(int_type): int_type is float32"),
        (lambda: xarr.isdtype(xarr.int8, "word"), "isdtype(dtype, kind): kind is 'word'"),
        (xarr.result_type, "result_type(*arrays_and_dtypes): there are no arguments"),
    ):
        with pytest.raises(ValueError, match="^" + re.escape(said)):
            call()


def numbers(dtype: str = "float32", most: int = 1000) -> Operand:
    return Operand(np.random.default_rng(3).integers(0, most, MANY).astype(dtype))


def table(dtype: str = "float32", most: int = 1000) -> Operand:
    return Operand(np.random.default_rng(4).integers(0, most, (300, 240)).astype(dtype))


ROW = Operand(np.arange(240, dtype=np.float32))
AXES = {"axis": 1}
SMALL = {"dtype": Type("int16")}

LARGE = [
    (Call("arange", (MANY,), {"dtype": Type("int32")}), exact),
    (Call("asarray", (numbers(),), {"copy": True}), exact),
    (Call("empty", ((300, 240),), SMALL), form),
    (Call("empty_like", (table(),)), form),
    (Call("eye", (300, 240), {"k": 7} | SMALL), exact),
    (Call("from_dlpack", (table(),)), exact),
    (Call("full", ((300, 240), 7), SMALL), exact),
    (Call("full_like", (table(), 7)), exact),
    (Call("linspace", (0, 1, MANY), {"dtype": Type("float32")}), near(2)),
    (Call("meshgrid", (ROW, Operand(table().base[:, 0].copy()))), exact),
    (Call("ones", ((300, 240),), SMALL), exact),
    (Call("ones_like", (table(),)), exact),
    (Call("tril", (table(),), {"k": -20}), exact),
    (Call("triu", (table(),), {"k": 20}), exact),
    (Call("zeros", ((300, 240),), SMALL), exact),
    (Call("zeros_like", (table(),)), exact),
    (Call("astype", (numbers(), Type("int16"))), exact),
    (Call("broadcast_arrays", (table(), ROW)), exact),
    (Call("broadcast_to", (ROW, (300, 240))), exact),
    (Call("concat", ([numbers(), numbers(most=5)],)), exact),
    (Call("expand_dims", (table(), 1)), exact),
    (Call("flip", (numbers(),)), exact),
    (Call("moveaxis", (table(), 0, 1)), exact),
    (Call("permute_dims", (table(), (1, 0))), exact),
    (Call("repeat", (numbers(), numbers("int64", 4))), exact),
    (Call("reshape", (table(), (240, 300))), exact),
    (Call("roll", (numbers(), 33_333)), exact),
    (Call("squeeze", (Operand(table().base[None]), 0)), exact),
    (Call("stack", ([table(), table(most=9)],), AXES), exact),
    (Call("tile", (table(), (2, 3))), exact),
    (Call("unstack", (Operand(table().base[:25]),)), exact),
    (Call("take", (numbers(), numbers("int64"))), exact),
    (Call("take_along_axis", (table(), table("int64", 240))), exact),
    (Call("argmax", (numbers(),)), exact),
    (Call("argmin", (table(),), AXES), exact),
    (Call("count_nonzero", (numbers(most=2),)), exact),
    (Call("nonzero", (numbers(most=3),)), exact),
    (Call("searchsorted", (Operand(np.arange(0, MANY, 7).astype("float32")), numbers())), exact),
    (Call("where", (numbers("bool", 2), numbers(), numbers(most=9))), exact),
    (Call("sort", (numbers(),)), exact),
    (Call("sort", (numbers("int16"),), {"descending": True}), exact),
    (Call("argsort", (numbers(most=50),)), exact),
    (Call("argsort", (numbers("uint8", 200),), {"descending": True}), exact),
    (Call("unique_all", (numbers(),)), as_sets),
    (Call("unique_counts", (numbers(),)), as_sets),
    (Call("unique_inverse", (table("uint8", 200),)), as_sets),
    (Call("unique_values", (numbers("int64"),)), as_sets),
    (Call("isin", (numbers("int32"), numbers("int32", 100))), exact),
    (Call("cumulative_prod", (numbers("int64"),)), exact),
    (Call("cumulative_sum", (numbers("int32"),)), exact),
    (Call("max", (numbers(),)), exact),
    (Call("min", (table(),), AXES), exact),
    (Call("mean", (numbers(),)), of_norm),
    (Call("prod", (Operand(numbers("int64").base | 1),)), exact),
    (Call("std", (numbers(),)), of_norm),
    (Call("sum", (numbers("int64"),)), exact),
    (Call("var", (table(),), AXES), of_norm),
    (Call("all", (table("bool", 2),), AXES), exact),
    (Call("any", (numbers("bool", 2),)), exact),
    (Call("diff", (numbers("int64"),), {"n": 2}), exact),
]

test_many_elements = standard.many_elements_of(LARGE)
