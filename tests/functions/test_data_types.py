"""Data type functions and the inspection API."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, computed_together, device, given, has, needs, same
from tests.reference import special_values
from xarr import dtypes

pytestmark = pytest.mark.usefixtures("device")


CONVERTED = [
    *itertools.product(DTYPES, ("contiguous", "transposed")),
    # What integers become is the same everywhere, and what is beyond them is not.
    *((name, "extremes") for name in DTYPES if "int" in name),
]


@pytest.mark.parametrize(("source", "layout"), CONVERTED)
def test_astype(source: str, layout: str) -> None:
    """To all types: other tests take some, for whatever converts converts as this does."""
    needs(source)
    if layout == "extremes":
        host = special_values(dtypes.BY_NAME[source])
        x = xp.asarray(host)
    else:
        host, x = given(source, layout)
    results = []
    # The type that it has already is the last, so that asarray's test has the same kernels.
    for target in sorted(filter(has, DTYPES), key=lambda name: name == source):
        if source.startswith("complex") and not target.startswith(("complex", "bool")):
            with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
                method = x.astype(target)
            with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
                function = xp.astype(x, getattr(xp, target))
        else:
            method, function = x.astype(target), xp.astype(x, getattr(xp, target))
        results.append((target, function, method))
    computed_together(result for _, result, _ in results)
    computed_together(result for _, _, result in results)
    for target, *both in results:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            expected = host.astype(target)
        for result in both:
            same(result, expected, f"{source} to {target}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_astype_of_layouts_and_pending_arrays(layout: str) -> None:
    host, x = given("int16", layout)
    same(x.astype("float32"), host.astype("f4"))
    same((x + x).astype(np.uint8), (host + host).astype(np.uint8))
    same(xp.zeros(3, "int8").astype(bool), np.zeros(3, bool))


def test_astype_copies_as_asked() -> None:
    x = xp.arange(3)
    assert x.astype("int64", copy=False) is x
    y = x.astype("int64")
    x[0] = 9
    assert y.tolist() == [0, 1, 2]
    z = xp.zeros(2)
    assert xp.astype(z, z.dtype) is not z


def test_astype_refuses() -> None:
    x = xp.arange(3)
    for wrong in ("nothing", object, 3, "U3"):
        with pytest.raises(TypeError, match="astype"):
            x.astype(wrong)
    with pytest.raises(TypeError, match="astype"):
        xp.astype("a", "int8")
    assert xp.astype([1, 2], "int8").dtype == "int8"
    narrow = x.to_device(device().without_float64())
    with pytest.raises(TypeError, match="64-bit"):
        narrow.astype("float64")


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, repeat=2)))
def test_can_cast(source: str, target: str) -> None:
    assert xp.can_cast(np.dtype(source), np.dtype(target)) == np.can_cast(source, target)
    if has(source):
        x = xp.zeros(2, source)
        assert xp.can_cast(x, np.dtype(target)) == np.can_cast(source, target)


def test_can_cast_refuses() -> None:
    for wrong in ((1, "int8"), ("int8", 1), (None, "int8"), ("int8", "nothing")):
        with pytest.raises(TypeError):
            xp.can_cast(*wrong)
    with pytest.raises(ValueError, match="casting"):
        xp.can_cast("int8", "int8", "perhaps")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_finfo(dtype: str) -> None:
    info, expected = xp.finfo(np.dtype(dtype)), np.finfo(dtype)
    for name in (
        "eps",
        "max",
        "min",
        "smallest_normal",
        "tiny",
        "smallest_subnormal",
        "resolution",
    ):
        assert type(getattr(info, name)) is float
        assert getattr(info, name) == float(getattr(expected, name))
    assert (type(info.bits), info.bits) == (int, expected.bits)
    assert info.dtype == expected.dtype
    assert isinstance(info.dtype, np.dtype)
    if has(dtype):
        assert xp.finfo(xp.zeros(2, dtype)) == info


@pytest.mark.parametrize("dtype", [name for name in DTYPES if "int" in name])
def test_iinfo(dtype: str) -> None:
    info, expected = xp.iinfo(getattr(xp, dtype)), np.iinfo(dtype)
    assert (info.bits, info.max, info.min) == (expected.bits, expected.max, expected.min)
    assert type(info.max) is int
    assert info.dtype == expected.dtype
    assert xp.iinfo(xp.zeros(2, dtype)) == info


def test_infos_refuse() -> None:
    for function, wrong in ((xp.finfo, "int8"), (xp.iinfo, "float32"), (xp.finfo, bool)):
        with pytest.raises(ValueError, match="dtype is accepted"):
            function(wrong)
    for function in (xp.finfo, xp.iinfo):
        for no_dtype in (None, "nothing"):
            with pytest.raises(TypeError):
                function(no_dtype)


KINDS = [
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_isdtype(dtype: str) -> None:
    row = np.dtype(dtype)
    for kind in (*KINDS, np.int8, np.dtype("float32"), row, ("bool", "integral"), (np.int8, row)):
        assert xp.isdtype(row, kind) is np.isdtype(row, kind)  # type: ignore[arg-type]
    assert xp.isdtype(row, ()) is False


def test_isdtype_refuses() -> None:
    with pytest.raises(ValueError, match="'wrong'"):
        xp.isdtype(np.int8, "wrong")
    with pytest.raises(ValueError, match="'wrong'"):
        xp.isdtype(np.int8, ("integral", "wrong"))
    for wrong in (3, None, [np.int8]):
        with pytest.raises(TypeError):
            xp.isdtype(np.int8, wrong)


@pytest.mark.parametrize(("first", "second"), list(itertools.product(DTYPES, repeat=2)))
def test_result_type(first: str, second: str) -> None:
    expected = np.result_type(np.dtype(first), np.dtype(second))
    assert xp.result_type(np.dtype(first), np.dtype(second)) == expected
    if has(first):
        assert xp.result_type(xp.zeros(2, first), getattr(xp, second)) == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1j])
def test_result_type_of_scalars(dtype: str, scalar: Any) -> None:
    needs(dtype)
    x = xp.zeros(2, dtype)
    # What the operator does is what the function has to tell.
    expected = np.result_type(np.dtype(dtype), scalar)
    if not has(expected):
        expected = np.dtype({"float64": "float32", "complex128": "complex64"}[expected.name])
    assert xp.result_type(x, scalar) == expected
    assert xp.result_type(scalar, x) == expected
    if dtype != "bool" or scalar is not True:
        assert (x + scalar).dtype == expected


def test_result_type_without_arrays() -> None:
    info = xp.__array_namespace_info__().default_dtypes()
    assert xp.result_type(1, 2) == np.int64
    assert xp.result_type(True) == np.bool_
    assert xp.result_type(1, 2.0) == info["real floating"]
    assert xp.result_type(1j, 2.0) == info["complex floating"]
    assert xp.result_type("f4", 1) == np.float32
    with pytest.raises(ValueError, match="no arguments"):
        xp.result_type()
    with pytest.raises(TypeError):
        xp.result_type("nothing")
    with pytest.raises(TypeError):
        xp.result_type(None)


def test_inspection() -> None:
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert info.default_device() is device()
    assert device().without_float64() in [found.without_float64() for found in info.devices()]
    full = info.dtypes()
    assert ("float64" in full) == device().has_float64
    assert "float16" not in full
    narrow = info.dtypes(device=device().without_float64())
    assert set(narrow) == set(info.dtypes()) - {"float64", "complex128"}
    assert info.default_dtypes(device=device().without_float64()) == {
        "real floating": np.dtype("float32"),
        "complex floating": np.dtype("complex64"),
        "integral": np.dtype("int64"),
        "indexing": np.dtype("int64"),
    }
    assert set(info.dtypes(kind="bool")) == {"bool"}
    assert set(info.dtypes(kind=("unsigned integer", "bool"))) == {
        "bool",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    }
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="wrong")
    with pytest.raises(ValueError, match=r"^dtypes\(device, kind\): kind is 'bad'"):
        info.dtypes(kind=("bool", "bad"))


def test_can_cast_by_no_rule() -> None:
    for casting in ("bad", 1, None):
        with pytest.raises(ValueError, match=r"^can_cast\(from_, to, casting\): casting is"):
            xp.can_cast("int8", "int16", casting=casting)  # type: ignore[arg-type]


QUESTIONS: Any = [
    lambda n: [n.issubdtype(kind, n.floating) for kind in (n.float32, "i4", float, n.half)],
    lambda n: n.promote_types("int8", "uint16"),
    lambda n: n.common_type(n.ones(2, dtype="f4"), n.ones(2, dtype="i4")),
    lambda n: n.common_type(n.ones(2, dtype="f4"), n.ones(2, dtype="c8")),
    lambda n: [n.min_scalar_type(value) for value in (1, -1, 300, 1.5, n.zeros(2), n.asarray(7))],
    lambda n: n.mintypecode(["f", n.ones(2, dtype="c16")]),
    lambda n: n.typename("i"),
    lambda n: [n.isscalar(value) for value in (1, 1.5, "a", None, [1], n.float32(2), n.ones(2))],
    lambda n: [n.iterable(value) for value in (1, "a", [1], n.ones(2), n.asarray(1))],
    lambda n: [f(n.ones(2, dtype="c8")) for f in (n.iscomplexobj, n.isrealobj)],
    lambda n: [f([1, 2.5]) for f in (n.iscomplexobj, n.isrealobj)],
    lambda n: [f([1, 1j, 1 + 0j]).tolist() for f in (n.iscomplex, n.isreal)],
    lambda n: [f(n.arange(3)).tolist() for f in (n.iscomplex, n.isreal)],
    lambda n: [n.shape(value) for value in (3, [[1, 2]], n.ones((2, 0)))],
    lambda n: [n.ndim(value) for value in (3, [[1, 2]], n.ones((2, 0)))],
    lambda n: [n.size(value) for value in (3, [[1, 2]], n.ones((2, 0)))],
    lambda n: n.size(n.ones((2, 3, 4)), axis=(0, -1)),
    lambda n: [n.can_cast("i4", "f4"), n.can_cast("i4", "U3"), n.can_cast("f8", "i4", "unsafe")],
    lambda n: [(n.finfo(kind).nmant, n.finfo(kind).maxexp) for kind in ("f2", "f4", "f8", 1.0)],
    lambda n: [(n.iinfo(kind).kind, n.iinfo(kind).key) for kind in ("i2", "u8")],
    lambda n: [n.zeros(1, kind).dtype for kind in (float, "f4", "<f8", n.longlong, n.half, int)],
    lambda n: (n.float64(3), n.True_, n.euler_gamma, n.int_(2) + n.uint(3)),
    lambda n: n.ones(2).astype(dtype="f4", order="C", casting="same_kind").dtype,
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_are_answered_as_by_numpy(question: Any) -> None:
    if not device().has_float64:
        pytest.skip("default types differ")
    got, wanted = question(xp), question(np)
    assert got == wanted
    assert type(got) is type(wanted)


@pytest.mark.parametrize(
    ("dtype", "why"),
    [
        ("O", "objects"),
        ("U3", "strings"),
        ("M8[D]", "dates"),
        ("m8[s]", "times"),
        ([("a", "i4")], "records"),
        (np.longdouble, "float64"),
        (">f8", "byte order"),
    ],
)
def test_what_no_device_has_is_refused_with_its_reason(dtype: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        xp.zeros(2, dtype=dtype)
    if why != "objects" and why != "byte order":
        with pytest.raises(TypeError):
            xp.asarray(np.zeros(2, dtype))


def test_values_of_the_other_byte_order_are_converted() -> None:
    assert xp.asarray(np.arange(3, dtype=">i4")).tolist() == [0, 1, 2]
    assert xp.frombuffer(b"\0\0\0\1", dtype=">i4").tolist() == [1]


def test_conversions_are_of_the_kind_that_casting_names() -> None:
    x = xp.ones(2, dtype="f4")
    with pytest.raises(TypeError, match="casting"):
        x.astype("i4", casting="same_kind")
    assert x.astype("i4", "C", "unsafe").tolist() == [1, 1]
