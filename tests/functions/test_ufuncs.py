"""Ufuncs as objects: attributes, options, methods, and programs that write through `out`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same
from xarr.tables import elementwise

BY_ROW = [row.name for row in elementwise.TABLE if row.name not in ("real", "imag", "round")]
OTHERS = ["divmod", "frexp", "modf", "ldexp", "float_power", "bitwise_count"]


@pytest.mark.parametrize("name", [*BY_ROW, *OTHERS])
def test_functions_are_ufuncs(name: str) -> None:
    function, numpys = getattr(xarr, name), getattr(np, name, None)
    assert isinstance(function, xarr.ufunc)
    if numpys is not None:  # a row may be a function that NumPy lacks
        assert (function.nin, function.nout) == (numpys.nin, numpys.nout)
    assert function.nargs == function.nin + function.nout
    assert function.signature is None
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert repr(function) == f"<ufunc {name!r}>"
    assert function.ntypes == len(function.types)


def test_names_of_numpy_are_the_same_objects() -> None:
    for name, other in (
        ("absolute", "abs"),
        ("arctan2", "atan2"),
        ("power", "pow"),
        ("conjugate", "conj"),
        ("degrees", "rad2deg"),
        ("invert", "bitwise_invert"),
        ("true_divide", "divide"),
    ):
        assert getattr(xarr, name) is getattr(xarr, other)
    assert xarr.add.identity == 0
    assert xarr.multiply.identity == 1
    assert "dd->d" in xarr.add.types
    assert "dd->?" in xarr.less.types


def test_results_go_to_out() -> None:
    x, y = np.asarray([5.0, 7.0]), xarr.asarray([5.0, 7.0])
    out = xarr.zeros(2)
    assert xarr.add(y, 1, out) is out
    assert xarr.add(y, 1, out=out) is out
    assert xarr.sin(y, (out,)) is out
    assert_same(np.asarray(xarr.sqrt(y, out=out)), np.sqrt(x), "sqrt")
    assert xarr.pow(y, 2, out) is out
    assert out.tolist() == [25.0, 49.0]
    both = xarr.zeros(2), xarr.zeros(2)
    divide: Any = xarr.divmod
    assert divide(y, 2, *both)[1] is both[1]
    assert xarr.modf(y, out=both)[0] is both[0]
    assert_same(np.asarray(xarr.divmod(y, 2, out=(None, both[0]))[1]), np.asarray([1.0, 1]), "r")
    with pytest.raises(TypeError, match="same_kind"):
        xarr.add(y, 1, out=xarr.zeros(2, dtype="int32"))
    assert xarr.add(y, 1, out=xarr.zeros(2, dtype="int32"), casting="unsafe").tolist() == [6, 8]
    with pytest.raises(TypeError, match=r"out\[\.\.\.\]"):
        xarr.add(y, 1, out=np.zeros(2))
    with pytest.raises(ValueError, match="shapes"):
        xarr.add(y, 1, out=xarr.zeros(3))
    with pytest.raises(TypeError):
        xarr.divmod(y, 2, out=both[0])


def test_where_and_dtype() -> None:
    x, y = np.asarray([1, 2, 3]), xarr.asarray([1, 2, 3])
    out = xarr.full(3, -1.0)
    xarr.divide(y, 2, out=out, where=y > 1)
    assert out.tolist() == [-1.0, 1.0, 1.5]
    for dtype in ("float32", "int8", "complex64"):
        got = xarr.add(y, y, dtype=dtype, casting="unsafe")
        assert_same(np.asarray(got), np.add(x, x, dtype=dtype, casting="unsafe"), "add")
    with pytest.raises(TypeError, match="same_kind"):
        xarr.add(y * 1.5, y, dtype="int32")
    assert xarr.equal(y, 2, dtype=bool).tolist() == [False, True, False]
    with pytest.raises(TypeError, match="dtype is float64"):
        xarr.equal(y, 2, dtype="float64")
    assert xarr.sin(y, dtype="float32").dtype == np.float32


JOINING = ("add", "multiply", "maximum", "logical_or", "bitwise_xor", "subtract", "hypot")


@pytest.mark.parametrize("name", JOINING)
@pytest.mark.parametrize("dtype", ["int32", "float64", "bool"])
def test_methods_of_two_operands(name: str, dtype: str) -> None:
    x = np.random.default_rng(3).integers(0, 5, (4, 6)).astype(dtype)
    array, ours, numpys = xarr.asarray(x), getattr(xarr, name), getattr(np, name)
    for method, options in (
        ("reduce", {}),
        ("reduce", {"axis": 1, "keepdims": True}),
        ("accumulate", {}),
        ("accumulate", {"axis": -1}),
        ("reduceat", {"indices": [0, 2, 1, 3]}),
        ("reduceat", {"indices": [0, 5, 2], "axis": 1}),
        ("outer", {"B": x[0]}),
    ):
        given: dict[str, Any] = dict(options)
        more = [given.pop("B")] if "B" in given else []
        try:
            wanted = getattr(numpys, method)(x, *more, **given)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(ours, method)(array, *more, **given)
            continue
        got = np.asarray(getattr(ours, method)(array, *more, **given))
        assert got.dtype == wanted.dtype, method
        tolerance = 2e-3 if got.dtype == np.float16 else 1e-12
        np.testing.assert_allclose(got, wanted, rtol=tolerance, err_msg=f"{name}.{method}")


def test_reductions_begin_and_choose() -> None:
    x = np.asarray([[1.0, 5.0], [2.0, 8.0]])
    array, mask = xarr.asarray(x), np.asarray([[True, False], [True, True]])
    for method in ("add", "multiply", "maximum"):
        got = getattr(xarr, method).reduce(array, axis=None, initial=3, where=xarr.asarray(mask))
        wanted = getattr(np, method).reduce(x, axis=None, initial=3, where=mask)
        assert_same(np.asarray(got), np.asarray(wanted), method)
    assert_same(
        np.asarray(xarr.subtract.reduce(array, initial=9.0, where=xarr.asarray(mask))),
        np.subtract.reduce(x, initial=9.0, where=mask),
        "subtract",
    )
    out = xarr.zeros(2)
    assert xarr.add.reduce(array, 0, None, out) is out
    with pytest.raises(ValueError, match="one axis at a time"):
        xarr.subtract.reduce(array, axis=(0, 1))
    with pytest.raises(ValueError, match="operands"):
        xarr.sin.reduce(array)
    with pytest.raises(ValueError, match="operands"):
        xarr.divmod.reduce(array)
    with pytest.raises(IndexError, match="out of range"):
        xarr.add.reduceat(array, [0, 2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("add", 1),
        ("add", None),
        ("subtract", 2.5),
        ("multiply", 1.5),
        ("divide", 2.0),
        ("maximum", None),
        ("power", 2.0),
        ("floor_divide", 2.0),
    ],
)
def test_changes_of_repeated_elements(name: str, value: Any) -> None:
    rng = np.random.default_rng(8)
    x, places = rng.random(9) * 3, rng.integers(-9, 9, 60)
    value = rng.random(60) if value is None else value
    y = xarr.asarray(x)
    with np.errstate(all="ignore"):
        getattr(np, name).at(x, places, value)
    getattr(xarr, name).at(y, xarr.asarray(places), value)
    np.testing.assert_allclose(np.asarray(y), x, rtol=1e-12)


def test_changes_of_views_and_of_several_axes() -> None:
    x = np.arange(24).reshape(4, 6)
    y = xarr.asarray(x)
    key = (np.asarray([0, 1, 0, 0]), slice(1, None))
    np.add.at(x[::2].T, key, 5)
    xarr.add.at(y[::2].T, key, 5)
    np.negative.at(x, [0, 0, 1])
    xarr.negative.at(y, [0, 0, 1])
    assert_same(np.asarray(y), x, "views")
    zero = xarr.asarray(3.0)
    xarr.add.at(zero, (), 4)
    assert float(zero) == 7
    with pytest.raises(IndexError):
        xarr.add.at(y, [9], 1)
    with pytest.raises(ValueError, match="b is None"):
        xarr.add.at(y, [0])


@pytest.mark.parametrize("name", ["add", "divide", "power"])
def test_integers_are_changed_by_floats_step_by_step(name: str) -> None:
    x = np.arange(1, 10)
    y = xarr.asarray(x)
    places, values = [-1, 1, -1, 2, 1], [1.5, 1.75, 0.5, 2.5, 1.5]
    getattr(np, name).at(x, places, values)
    getattr(xarr, name).at(y, places, values)
    assert_same(np.asarray(y), x, name)


@pytest.mark.parametrize(
    ("name", "operands", "options"),
    [
        ("add", ([1.5, 2.5], 2), {"sig": "ff->f"}),
        ("add", ([1.5, 2.5], 0.5), {"signature": ("i", "i", "i"), "casting": "unsafe"}),
        ("add", ([1.5, 2.5], 2), {"sig": b"dd->d"}),
        ("add", ([3], [4]), {"sig": (None, None, None)}),
        ("add", (3, 4), {"signature": (np.dtypes.Float64DType, None, None)}),
        ("multiply", ([3], [4]), {"signature": (None, None, "f")}),
        ("less", ([1], 2), {"sig": "dd->?"}),
        ("abs", ([-1.5],), {"sig": "D->d"}),
        ("divmod", ([7.5], 2), {"sig": (None, None, "f", "f")}),
        ("sqrt", ([4],), {"sig": "f->f"}),
        ("power", (1.5, 2.8), {"sig": (None, None, "l"), "casting": "unsafe"}),
        ("ldexp", (np.float32(1), np.int64(2)), {"sig": (None, None, "d")}),
        ("ldexp", (np.float32(1), np.int64(2)), {"dtype": "d"}),
    ],
)
def test_signatures(name: str, operands: Any, options: dict[str, Any]) -> None:
    wanted = getattr(np, name)(*operands, **options)
    found = getattr(xarr, name)(*operands, **options)
    for part, other in zip(
        found if type(found) is tuple else [found],
        wanted if type(wanted) is tuple else [wanted],
        strict=True,
    ):
        assert_same(np.asarray(part), np.asarray(other), f"{name} {options}")


@pytest.mark.parametrize(
    ("name", "operands", "options"),
    [
        ("add", ([1], 2), {"sig": "d"}),
        ("add", ([1], 2), {"sig": ("d",)}),
        ("add", ([1], 2), {"sig": (None, "d")}),
        ("add", ([1], 2), {"sig": 1.5}),
        ("add", ([1], 2), {"sig": "%^->#"}),
        ("add", ([1], 2), {"sig": "dd>d"}),
        ("add", ([1], 2), {"sig": "dd->d", "dtype": "d"}),
        ("add", ([1], 2), {"sig": "dd->d", "signature": "dd->d"}),
        ("add", ([1.5], 2), {"sig": ("i", None, None)}),
        ("add", ([1], 2), {"sig": ("f", "d", None)}),
        ("less", ([1], 2), {"sig": "dd->d"}),
        ("sqrt", ([4],), {"sig": "l->l"}),
        ("power", (1.5, 2.8), {"dtype": "l"}),
    ],
)
def test_refused_signatures(name: str, operands: Any, options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as wanted:
        getattr(np, name)(*operands, **options)
    expected = TypeError if issubclass(wanted.type, TypeError) else ValueError
    with pytest.raises(expected):
        getattr(xarr, name)(*operands, **options)


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecdot", "vecmat"])
def test_functions_of_stacks_say_their_axes(name: str) -> None:
    function, numpys = getattr(xarr, name), getattr(np, name)
    for attribute in ("signature", "nin", "nout", "nargs", "identity"):
        assert getattr(function, attribute) == getattr(numpys, attribute)
    assert set(function.types) <= set(numpys.types)
    assert function.ntypes == len(function.types)
    assert pickle.loads(pickle.dumps(function)) is function


def test_vecdot_along_axes() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0, 12.0).reshape(3, 2)
    for options in (
        {"axes": [0, 1]},
        {"axes": [0, -1, ()]},
        {"axes": [(0,), (1,), (0,)], "keepdims": True},
        {"axes": [0, 1, 1], "keepdims": True},
    ):
        assert_same(
            np.asarray(xarr.vecdot(x, y, **options)), np.vecdot(x, y, **options), str(options)
        )
    kept = xarr.vecdot(x, x, axis=0, keepdims=True)
    assert_same(np.asarray(kept), np.vecdot(x, x, axis=0, keepdims=True), "keepdims")
    with pytest.raises(TypeError, match="axis and axes"):
        xarr.vecdot(x, y, axis=0, axes=[0, 1])


def test_complex_powers_of_zero_are_numpys(device: xarr.Device) -> None:
    x, powers = np.zeros(9, complex), np.asarray([-1, -0.5, -1 + 1j, 1j, -2j, 0, 0.5, 1 - 1j, 3])
    with np.errstate(all="ignore"):
        wanted = np.power(x, powers)
    assert_same(np.asarray(xarr.pow(xarr.asarray(x, device=device), powers)), wanted, "pow")


def test_extremes_of_chosen_elements_need_a_beginning() -> None:
    x = xarr.asarray([[1.0, 5], [3, 2]])
    for call in (xarr.max, xarr.min, xarr.maximum.reduce, xarr.fmin.reduce):
        with pytest.raises(ValueError, match="initial is not"):
            call(x, where=x > 1)
        assert call(x, 0, where=True).shape == (2,)
    assert xarr.maximum.reduce(x, where=x < 3, initial=-1).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["equal", "maximum", "subtract", "bitwise_or"])
def test_reductions_convert_elements_to_any_type(name: str) -> None:
    dtype = bool if name == "equal" else np.int16
    x = np.asarray([2.75, 300.5, 7])
    for method in ("reduce", "accumulate"):
        wanted = getattr(getattr(np, name), method)(x, dtype=dtype)
        found = getattr(getattr(xarr, name), method)(xarr.asarray(x), dtype=dtype)
        assert_same(np.asarray(found), np.asarray(wanted), f"{name}.{method}")


def test_masks_of_nested_lists_are_what_is_true_of_them() -> None:
    x, y = np.zeros((2, 2)), xarr.zeros((2, 2))
    np.add(3, 4, out=x, where=[[0, 1], [2.5, 0]])
    xarr.add(3, 4, out=y, where=[[0, 1], [2.5, 0]])
    assert_same(np.asarray(y), x, "where")
    with pytest.raises(TypeError):
        xarr.add(3, 4, out=y, where=xarr.asarray([0, 1]))


def test_many_changes_of_few_elements(device: xarr.Device) -> None:
    """As histograms are counted: the sum of integers is exact, in whichever order."""
    places = np.random.default_rng(0).integers(0, 7, 100_000)
    counts = xarr.zeros(7, dtype="int64")
    xarr.add.at(counts, places, 1)
    assert_same(np.asarray(counts), np.bincount(places, minlength=7), "counts")


def test_bools_are_numbers_as_in_numpy() -> None:
    x, y = np.asarray([True, True, False]), np.asarray([True, False, False])
    a, b = xarr.asarray(x), xarr.asarray(y)
    for call in (
        lambda p, q: p * q,
        lambda p, q: p + q,
        lambda p, q: p + 1,
        lambda p, q: p // p[:1],
        lambda p, q: p**q,
        lambda p, q: p / p[:1],
        lambda p, q: p.cumsum(),
        lambda p, q: p.sum(),
        lambda p, q: abs(p),
        lambda p, q: p.max(),
        lambda p, q: p << q,
    ):
        assert_same(np.asarray(call(a, b)), np.asarray(call(x, y)), "bools")
    a *= b
    assert_same(np.asarray(a), x & y, "in place")
    for refused in (lambda: -a, lambda: a - b, lambda: xarr.sign(a)):
        with pytest.raises(TypeError, match="bool"):
            refused()


def test_comparisons_with_what_is_no_number() -> None:
    x: Any = xarr.arange(3)
    other: Any
    for other in (None, "a", b"a"):
        assert (x == other).tolist() == [False] * 3
        assert (x != other).tolist() == [True] * 3
        assert (other == x).tolist() == [False] * 3
        with pytest.raises(TypeError):
            x < other  # noqa: B015
    assert xarr.equal(x, None).tolist() == [False] * 3
    assert None not in x


def test_integers_of_64_bits_compare_exactly() -> None:
    signed = np.asarray([-1, 0, 2**62 + 1, 2**63 - 1])
    unsigned = np.asarray([2**64 - 1, 0, 2**62, 2**63 - 1], dtype="uint64")
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        for x, y in ((signed, unsigned), (unsigned, signed), (np.int8([-1, 0, 1, 2]), unsigned)):
            got = getattr(xarr, name)(xarr.asarray(x), xarr.asarray(y))
            assert_same(np.asarray(got), getattr(np, name)(x, y), name, (x, y))


def test_numpys_ufuncs_take_arrays() -> None:
    special = pytest.importorskip("scipy.special")
    x, host = xarr.asarray([1.0, 2.0]), np.asarray([1.0, 2.0])
    assert type(np.add(host, x)) is xarr.Array
    assert type(np.divmod(x, 2)[0]) is xarr.Array
    host += x
    assert host.tolist() == [2.0, 4.0]
    assert np.add(host, host, out=x) is x
    assert x.tolist() == [4.0, 8.0]
    assert float(np.add.reduce(x)) == 12
    np.add.at(x, [0, 0], 1)
    assert x.tolist() == [6.0, 8.0]
    assert np.maximum.accumulate(x).tolist() == [6.0, 8.0]
    assert_same(np.asarray(special.erf(x)), special.erf(np.asarray(x)), "erf")
    assert type(special.erf(x)) is xarr.Array
    with xarr.no_implicit_transfer(), pytest.raises(xarr.ImplicitTransferError):
        special.erf(x)


class _Other:
    """An array of a library that has a say in NumPy's functions."""

    def __array_ufunc__(self, *given: Any, **named: Any) -> str:
        return "other"


def test_other_libraries_have_their_say() -> None:
    assert np.add(xarr.ones(2), _Other()) == "other"


# -- programs that write through out, with views and deferral ------------------------------------


def _view(rng: np.random.Generator) -> Any:
    start, step = int(rng.integers(0, 3)), int(rng.choice([1, 1, 2, -1]))
    key = slice(start, start + 6) if step == 1 else slice(None, None, step)
    return [
        lambda x: x[key][:6],
        lambda x: x[start : start + 6],
        lambda x: x[::-1][:6],
        lambda x: x[::2][:6],
    ][int(rng.integers(4))]


def _program(seed: int, np_: Any, made: Any) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    arrays = [made(rng.integers(-4, 5, 12).astype(float)) for _ in range(3)]
    waiting = []
    for _ in range(12):
        first, second, third = (arrays[int(rng.integers(3))] for _ in range(3))
        one, two, three = (_view(rng)(x) for x in (first, second, third))
        name = ["add", "subtract", "multiply", "maximum", "fmin", "copysign"][int(rng.integers(6))]
        call = getattr(np_, name)
        kind = int(rng.integers(8))
        if kind < 2:
            call(one, two, out=three)
        elif kind == 2:
            call(one, two, out=three, where=one > two)
        elif kind == 3:
            waiting.append(call(one, two) + 1)
        elif kind == 4:
            np_.negative(one * 2, three)
        elif kind == 5:
            np_.cumsum(one[:5], out=two[:5])
        elif kind == 6:
            np_.sum(arrays[0][:8].reshape(2, 4), axis=0, out=three[1:5], where=arrays[1][:4] > 0)
        else:
            three += call(one, two)
        for x in arrays:  # keeps numbers small, and has views alive meanwhile
            np_.remainder(x, 17, out=x)
    return [np.asarray(x).tolist() for x in (*arrays, *waiting)]


@pytest.mark.parametrize("seed", range(24))
def test_programs_with_out_give_what_numpy_gives(seed: int) -> None:
    wanted = _program(seed, np, np.asarray)
    assert _program(seed, xarr, xarr.asarray) == wanted
