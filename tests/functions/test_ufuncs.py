"""Ufuncs as objects: attributes, options, methods, and programs that write through `out`."""

from __future__ import annotations

import copy
import datetime
import itertools
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each, each_line
from tests.reference import assert_same
from xarr.ops import elementwise

BY_ROW = [row.name for row in elementwise.TABLE if row.name not in ("i0", "imag", "real", "round")]
OTHERS = ["divmod", "frexp", "modf", "ldexp", "float_power", "bitwise_count"]


STACKS = ["matmul", "matvec", "vecdot", "vecmat"]


@pytest.mark.parametrize("name", [*BY_ROW, *OTHERS, *STACKS])
def test_functions_are_ufuncs(name: str) -> None:
    function, numpys = getattr(xarr, name), getattr(np, name, None)
    assert isinstance(function, xarr.ufunc)
    if numpys is not None:  # a row may be a function that NumPy lacks
        for attribute in ("signature", "nin", "nout", "nargs", "identity"):
            assert getattr(function, attribute) == getattr(numpys, attribute)
    assert name not in STACKS or set(function.types) <= set(numpys.types)  # type: ignore[union-attr]
    assert type("Held", (), {"function": function})().function is function
    assert pickle.loads(pickle.dumps(function)) is copy.deepcopy(function) is function
    assert repr(function) == f"<ufunc {name!r}>"
    assert function.ntypes == len(function.types)


def test_names_of_numpy_are_the_same_objects() -> None:
    for name, other in (
        ("absolute", "abs"), ("arctan2", "atan2"), ("power", "pow"), ("conjugate", "conj"),
        ("degrees", "rad2deg"), ("invert", "bitwise_invert"), ("true_divide", "divide"),
    ):  # fmt: skip
        assert getattr(xarr, name) is getattr(xarr, other)
    assert xarr.add.identity == 0
    assert xarr.multiply.identity == 1
    assert "dd->d" in xarr.add.types
    assert "dd->?" in xarr.less.types


CALLS = """
np.add(y, 1, out)
np.add(y, 1, out=out)
np.sin(y, out=(out,))
np.sqrt(y, out=out)
np.pow(y, 2, out)
np.divmod(y, 2, out, both)
np.modf(y, out=(out, both))
np.divmod(y, 2, out=(None, both))
np.add(y, 1, out=i, casting="unsafe")
np.add(y, 1, out=i) ! TypeError: same_kind
np.positive(y, out=np.zeros(2, "f4"), casting="{same_kind|unsafe}")
np.positive(y, out=np.zeros(2, "f4"), casting="{no|equiv|safe}") ! TypeError
np.positive(np.asarray(y, "f4"), out=out, casting="{safe|same_kind|unsafe}")
np.positive(np.asarray(y, "f4"), out=out, casting="{no|equiv}") ! TypeError
np.add(y, 1, out=np.zeros(3)) ! ValueError: shapes
np.add(y, 1, out=np.broadcast_to(np.zeros(1), (2,))) ! ValueError: read-only
np.add(y, 1, out=[0, 0]) ! TypeError
np.add(y, 1, out=(out, out)) ! ValueError
np.add(y, 1, out=numpy.zeros(2)) ! TypeError: out[...]
np.divmod(y, 2, out=out) ! TypeError
np.divide(i, 2, out=out, where=i > 1)
np.add(i, i, dtype={"float32"|"int8"|"complex64"}, casting="unsafe")
np.add(y, i, dtype="int32") ! TypeError: same_kind
np.equal(i, 2, dtype=bool)
np.equal(i, 2, dtype="float64") ! TypeError: dtype is float64
np.sin(i, dtype="float32").dtype
np.add(3, 4, out=m, where=[[0, 1], [2.5, 0]])
np.add(3, 4, out=m, where=i) ! TypeError
np.{add|multiply|maximum}.reduce(x, axis=None, initial=3, where=mask)
np.subtract.reduce(x, initial=9.0, where=mask)
np.add.reduce(x, 0, None, out)
np.maximum.reduce(x, where=x < 3, initial=-1)
np.{max|min|maximum.reduce|fmin.reduce}(x, 0, where=True)
np.{max|min|maximum.reduce|fmin.reduce}(x, where=x > 1) ! ValueError: initial is not
np.subtract.reduce(x, axis=(0, 1)) ! ValueError: axis must be one axis
np.{sin|divmod}.reduce(x) ! ValueError: operands
np.{add|subtract|logical_or}.{reduce(x, axis=1, keepdims=True)|accumulate(x, axis=-1)}
np.{add|maximum}.{reduceat(t, [0, 2, 1, 3])|reduceat(t, indices=[0, 5, 2], axis=1)|outer(x, x[0])}
np.add.reduceat(x, [0, 2]) ! IndexError: out of range
np.{equal.{reduce|accumulate}(w, dtype=bool)|maximum.{reduce|accumulate}(w, dtype=numpy.int16)}
np.{subtract|bitwise_or}.{reduce|accumulate}(w, dtype=numpy.int16)
np.{logical_or|logical_xor}.accumulate(np.asarray([0, 2j, 0, 3]), out=np.ones(4, dtype=complex))
np.add.at(t[::2].T, (numpy.asarray([0, 1, 0, 0]), slice(1, None)), 5)
np.negative.at(t, [0, 0, 1])
np.add.at(one[0, ...], (), 4)
np.add.at(t, [9], 1) ! IndexError
np.add.at(t, [0]) ! ValueError: b is None
np.{add|divide|power}.at(t[0], [-1, 1, -1, 2, 1], [1.5, 1.75, 0.5, 2.5, 1.5])
np.add([1.5, 2.5], {2, sig="ff->f"|2, sig=b"dd->d"})
np.add([1.5, 2.5], 0.5, signature=("i", "i", "i"), casting="unsafe")
np.add([3], [4], sig=(None, None, None))
np.add(3, 4, signature=(numpy.dtypes.Float64DType, None, None))
np.multiply([3], [4], signature=(None, None, "f"))
np.less([1], 2, sig="dd->?")
np.abs([-1.5], sig="D->d")
np.divmod([7.5], 2, sig=(None, None, "f", "f"))
np.sqrt([4], sig="f->f")
np.power(1.5, 2.8, sig=(None, None, "l"), casting="unsafe")
np.ldexp(numpy.float32(1), numpy.int64(2), {sig=(None, None, "d")|dtype="d"})
np.add([1], 2, sig={(None, "d")|"%^->#"|"dd>d"}) ! ValueError: sig
np.add([1], 2, sig={"d"|("d",)|("f", "d", None)}) ! TypeError: sig
np.add([1], 2, sig=1.5) ! TypeError
np.add([1], 2, sig="dd->d", {dtype="d"|signature="dd->d"}) ! TypeError
np.add([1.5], 2, sig=("i", None, None)) ! TypeError
np.less([1], 2, sig="dd->d") ! TypeError
np.sqrt([4], sig="l->l") ! TypeError
np.power(1.5, 2.8, dtype="l") ! TypeError
np.vecdot(p, q, axes={[0, 1]|[0, -1, ()]})
np.vecdot(p, q, axes={[(0,), (1,), (0,)]|[0, 1, 1]}, keepdims=True)
np.vecdot(p, p, axis=0, keepdims=True)
np.vecdot(p, q, axis=0, axes=[0, 1]) ! TypeError: axis and axes
np.pow(np.zeros(9, complex), [-1, -0.5, -1 + 1j, 1j, -2j, 0, 0.5, 1 - 1j, 3])
{a * b|a + b|a + 1|a // a[:1]|a**b|a / a[:1]|a.cumsum()|a.sum()|abs(a)|a.max()|a << b}
a.__imul__(b)
{-a|a - b|np.sign(a)} ! TypeError: bool
np.{less|less_equal|greater|greater_equal|equal|not_equal}({s, u|u, s|e, u})
"""


@each_line(CALLS)
def test_calls(call: str) -> None:
    given: dict[str, Any] = {
        "y": np.asarray([5.0, 7.0]), "out": np.full(2, -1.0), "both": np.zeros(2),
        "one": np.full(1, 3.0), "i": np.asarray([1, 2], "int32"), "m": np.zeros((2, 2)),
        "x": np.asarray([[1.0, 5.0], [2.0, 8.0]]),
        "mask": np.asarray([[True, False], [True, True]]), "w": np.asarray([2.75, 300.5, 7]),
        "t": np.arange(1, 25).reshape(4, 6), "p": np.arange(6.0).reshape(2, 3),
        "q": np.arange(6.0, 12.0).reshape(3, 2), "a": np.asarray([True, True, False]),
        "b": np.asarray([True, False, False]), "s": np.asarray([-1, 0, 2**62 + 1, 2**63 - 1]),
        "u": np.asarray([2**64 - 1, 0, 2**62, 2**63 - 1], dtype="uint64"),
        "e": np.asarray([-1, 0, 1, 2], "int8"),
    }  # fmt: skip
    check(call, **given)


@each("""
np.{add.at(x, i, 1)|add.at(x, i, v)|subtract.at(x, i, 2.5)|multiply.at(x, i, 1.5)}
np.{divide.at(x, i, 2.0)|maximum.at(x, i, v)|power.at(x, i, 2.0)|floor_divide.at(x, i, 2.0)}
""")
def test_changes_of_repeated_elements(call: str) -> None:
    rng = np.random.default_rng(8)
    check(call, near=1e-12, x=rng.random(9) * 3, i=rng.integers(-9, 9, 60), v=rng.random(60))


def test_a_place_far_beyond_the_end_is_refused_at_once(device: xarr.Device) -> None:
    x = xarr.zeros(3)
    with pytest.raises(IndexError):
        xarr.add.at(x, xarr.asarray([0, 1 << 40]), xarr.ones(2))
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *itertools.product(("int32", "int64", "int16"), ("int8", "int64", "uint8", "bool")),
        *itertools.product(("uint32", "uint64"), ("uint8", "uint64", "bool")),
    ],
)
def test_integers_are_added_to_in_any_order(name: str, given: str, form: xarr.Device) -> None:
    rng = np.random.default_rng(3)
    host = rng.integers(0, np.iinfo(name).max, (5, 7), name)
    x = xarr.asarray(host.T)
    rows, columns = rng.integers(0, 7, 3000), rng.integers(-5, 5, 3000)
    bounds = (0, 2) if given == "bool" else (np.iinfo(given).min, np.iinfo(given).max)
    values = rng.integers(*bounds, 3000, dtype=given)
    for function in (np.add, np.subtract):
        key = xarr.asarray(rows), xarr.asarray(columns)
        ours = getattr(xarr, function.__name__)
        try:
            function.at(host.T, (rows, columns), values)
        except TypeError:
            with pytest.raises(TypeError):
                ours.at(x, key, xarr.asarray(values))
        else:
            ours.at(x, key, xarr.asarray(values))
        assert_same(np.asarray(xarr.to_numpy(x)), host.T, function.__name__)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "uint32", "int16"])
def test_extremes_at_places_have_the_same_bits_in_all_forms(kind: str, form: xarr.Device) -> None:
    """A GPU takes them in any order: NaN wins, and +0 is above -0."""
    rng = np.random.default_rng(6)
    host, values = ((rng.normal(size=size) * 9).astype(kind) for size in (40, 900))
    places = rng.integers(-40, 40, 900)
    if kind.startswith("float"):
        host[::6], host[1::6], host[2::6], values[::90] = np.nan, 0.0, -0.0, -np.nan
        values[1:400] = rng.choice(np.asarray([0.0, -0.0], kind), 399)
    for name, pick in (("maximum", max), ("minimum", min)):
        x = xarr.asarray(host)
        getattr(xarr, name).at(x, xarr.asarray(places), xarr.asarray(values))
        for place, found in enumerate(xarr.to_numpy(x)):
            given = [host[place], *values[places % 40 == place]]
            if any(value != value for value in given):
                assert found != found
            else:
                wanted = pick(given, key=lambda value: (value, -np.signbit(value).astype(int)))
                assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
@pytest.mark.parametrize("count", [5, 257, 70_001])
def test_segments_have_the_same_bits_in_all_forms(name: str, count: int, form: xarr.Device) -> None:
    """Segments of all lengths, which begin and end anywhere in the pieces of a scan."""
    rng = np.random.default_rng(count)
    host = rng.uniform(0.98, 1.02, count).astype(np.float32)
    begins = np.sort(rng.integers(0, count, max(1, count // 300)))
    places = rng.integers(0, 9, count) ** 2
    found = []
    for device in (form, "cpu:0"):
        with xarr.device(device):
            x, y = xarr.asarray(host), xarr.ones((9, 9), dtype="float32").T
            function = getattr(xarr, name)
            slices = function.reduceat(x, xarr.asarray(begins))
            columns = function.reduceat(xarr.stack([x, x], axis=1), begins, axis=0)
            function.at(y, (places // 9, places % 9), x)
        found.append([np.asarray(xarr.to_numpy(each)) for each in (slices, columns, y)])
        assert_same(found[-1][1], np.stack([found[-1][0]] * 2, axis=1), "columns")
    for one, other in zip(*found, strict=True):
        assert_same(one, other, "another device's")
    wanted, numpys = np.ones((9, 9), np.float64), getattr(np, name)
    numpys.at(wanted, (places // 9, places % 9), host)
    np.testing.assert_allclose(found[0][2], wanted, rtol=1e-3)
    wanted = numpys.reduceat(host.astype(np.float64), begins)
    np.testing.assert_allclose(found[0][0], wanted, rtol=1e-4)


UNLIKE = """
(x {==|!=} {None|"a"|b"a"|...|dict(a=2)|object|Fraction(3, 2)|Decimal(2)|datetime.date(2020, 1, 1)})
({None|...|dict()|Fraction(3, 2)|Decimal(2)|["a", 1, 2]|[None, 1.5, 2]|range(3)} {==|!=} x)
(x {==|!=} numpy.array({"a"|["a"]|["a", "b", "c"]|[None, 1.5, 2]|[1, 2, 3], "m8[D]"|[2], "g"}))
(numpy.array({"a"|["a"]|["a", "b", "c"]|[None, 1.5, 2]|[1, 2, 3], "m8[D]"|[2], "g"}) {==|!=} x)
(x {<|>=|==} {[2**70, 1, 2]|Fraction(3, 2)|range(3)|numpy.array([2], "g")})
(x {+|==|<} like)
(like {-|!=|>=} x)
(Decimal(2) {<|>=} x)
({None|...|"a"|2.5} in x)
np.equal(x, {None|...|dict()})
(x {+|-|*|/|**|@} range(3))
(range(3) {+|-|*|/|**|@} x)
(x == numpy.array(["a", "b"])) ! ValueError
(x < numpy.array(["a", "b"])) ! TypeError
(x == [[1], [1, 2]]) ! ValueError
y = np.array([True]); y **= 2 ! TypeError
(x {<|+} {None|"a"|...|dict()}) ! TypeError
"""


@each_line(UNLIKE)
def test_operators_beside_what_no_device_holds(call: str) -> None:
    names = {"Decimal": Decimal, "Fraction": Fraction, "datetime": datetime}
    names["like"] = type("", (), {"__array__": lambda *_, **__: np.arange(3)})()
    check(call, x=np.array([1.5, 2.5, 2.0]), names=names)


@pytest.mark.parametrize("power", [3, 1.5, -0.5, -1])
def test_powers_in_place_have_the_same_bits(power: float) -> None:
    x = xarr.asarray(np.random.default_rng(0).random(1000))
    y = x.copy()
    y **= power
    assert_same(np.asarray(y), np.asarray(x**power), "x **= power")


def test_other_libraries_compare_arrays_themselves() -> None:
    class Theirs:
        __array_priority__ = 1
        __eq__ = __lt__ = __gt__ = lambda self, other: "theirs"

    class Masked(Theirs):
        __array_ufunc__ = None

    x: Any = xarr.arange(3)
    for kind in (Theirs, Masked):
        assert (x == kind()) == (kind() == x) == (x < kind()) == "theirs"
    with xarr.no_implicit_transfer():
        equal = x == "a"
        with pytest.raises(xarr.ImplicitTransferError):
            x == ...  # noqa: B015
    assert not equal.any()


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
