"""Data type functions and the inspection API."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, device, given, has, needs, same
from tests.functions.calls import check, each

pytestmark = pytest.mark.usefixtures("device")


@each("{x.astype(d)|np.astype(x, d)|np.asarray(x, dtype=d)|np.asarray(h, dtype=d)}")
@pytest.mark.parametrize("source", DTYPES)
def test_conversions(source: str, call: str) -> None:
    """To all types; kernels/test_accuracy.py has values at the edges of each."""
    needs(source)
    host, x = given(source, "transposed")
    for target in filter(has, DTYPES):
        is_real = source.startswith("complex") and not target.startswith(("complex", "bool"))
        warning = " ! ComplexWarning: imaginary" if is_real else ""
        check(call + warning, names={"h": host, "d": np.dtype(target)}, x=(host, x))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_astype_of_layouts_and_pending_arrays(layout: str) -> None:
    host, x = given("int16", layout)
    same(x.astype("float32"), host.astype("f4"))
    same((x + x).astype(np.uint8), (host + host).astype(np.uint8))
    same(xp.zeros(3, "int8").astype(bool), np.zeros(3, bool))


@pytest.mark.parametrize("first", DTYPES)
def test_pairs_of_data_types(first: str) -> None:
    for second in DTYPES:
        check("np.can_cast(a, b)", a=np.dtype(first), b=np.dtype(second))
        check("np.result_type(a, b)", a=np.dtype(first), b=np.dtype(second))
        if has(first):
            x = xp.zeros(2, first)
            assert xp.can_cast(x, np.dtype(second)) == np.can_cast(first, second)
            assert xp.result_type(x, getattr(xp, second)) == np.result_type(first, second)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_known_of_a_data_type(dtype: str) -> None:
    row = np.dtype(dtype)
    for kind in (*KINDS, np.int8, np.dtype("float32"), row, ("bool", "integral"), (np.int8, row)):
        assert xp.isdtype(row, kind) is np.isdtype(row, kind)  # type: ignore[arg-type]
    assert xp.isdtype(row, ()) is False
    if row.kind == "b":
        return
    about = xp.iinfo if row.kind in "iu" else xp.finfo
    expected: Any = np.iinfo(dtype) if row.kind in "iu" else np.finfo(dtype)
    info: Any = about(row)
    names = "max min" if row.kind in "iu" else FLOATING
    for name in names.split():
        number = getattr(info, name)
        assert number == type(number)(getattr(expected, name))
        assert type(number) is (int if row.kind in "iu" else float)
    assert (type(info.bits), info.bits, info.dtype) == (int, expected.bits, expected.dtype)
    if has(dtype):
        assert about(xp.zeros(2, dtype)) == info


KINDS = [*("bool", "signed integer", "unsigned integer", "integral", "real floating")]
KINDS += ["complex floating", "numeric"]
FLOATING = "eps max min smallest_normal tiny smallest_subnormal resolution"

REFUSED = """
np.can_cast({1, "int8"|"int8", 1|None, "int8"|"int8", "nothing"}) ! TypeError
np.can_cast("int8", "int16", casting="bad") ! ValueError: can_cast(from_, to, casting): c
np.can_cast("int8", "int16", casting={1|None}) ! TypeError: can_cast(from_, to, casting): c
np.{finfo("int8")|iinfo("float32")|finfo(bool)} ! ValueError: it must be
np.{finfo|iinfo}({None|"nothing"}) ! TypeError
np.isdtype(np.int8, {"wrong"|("integral", "wrong")}) ! ValueError: 'wrong'
np.isdtype(np.int8, {3|None|[np.int8]}) ! TypeError
np.result_type() ! ValueError: no arguments
np.result_type({"nothing"|None}) ! TypeError
np.zeros(2, dtype={"O"|object}) ! TypeError: objects
np.zeros(2, dtype="U3") ! TypeError: strings
np.zeros(2, dtype="M8[D]") ! TypeError: dates
np.zeros(2, dtype="m8[s]") ! TypeError: times
np.zeros(2, dtype=[("a", "i4")]) ! TypeError: records
np.zeros(2, dtype=numpy.longdouble) ! TypeError: float64
np.zeros(2, dtype=">f8") ! TypeError: byte order
np.asarray(numpy.zeros(2, {"U3"|"M8[D]"|"m8[s]"|[("a", "i4")]|numpy.longdouble})) ! TypeError
np.ones(2, dtype="f4").astype("i4", casting="same_kind") ! TypeError: casting
np.arange(3).astype({"nothing"|object|3|"U3"}) ! TypeError: astype
np.astype("a", "int8") ! TypeError: astype
"""


@each(REFUSED)
def test_what_is_refused(call: str) -> None:
    if call.endswith("TypeError"):
        call += ": "
    check(call)


QUESTIONS = """
[np.issubdtype(kind, np.floating) for kind in (np.float32, "i4", float, np.half)]
np.promote_types("int8", "uint16")
np.common_type(np.ones(2, dtype="f4"), np.ones(2, dtype={"i4"|"c8"}))
[np.min_scalar_type(value) for value in (1, -1, 300, 1.5, np.zeros(2), np.asarray(7))]
np.mintypecode(["f", np.ones(2, dtype="c16")])
[np.isscalar(value) for value in (1, 1.5, "a", None, [1], np.float32(2), np.ones(2))]
[np.iterable(value) for value in (1, "a", [1], np.ones(2), np.asarray(1))]
[f(x) for f in (np.iscomplexobj, np.isrealobj) for x in (np.ones(2, dtype="c8"), [1, 2.5])]
[f(x).tolist() for f in (np.iscomplex, np.isreal) for x in ([1, 1j, 1 + 0j], np.arange(3))]
[np.{shape|ndim|size}(value) for value in (3, [[1, 2]], np.ones((2, 0)))]
np.size(np.ones((2, 3, 4)), axis=(0, -1))
[np.can_cast("i4", "f4"), np.can_cast("i4", "U3"), np.can_cast("f8", "i4", "unsafe")]
[(np.finfo(kind).nmant, np.finfo(kind).maxexp) for kind in ("f2", "f4", "f8", 1.0)]
[(np.iinfo(kind).kind, np.iinfo(kind).key) for kind in ("i2", "u8")]
[np.zeros(1, kind).dtype for kind in (float, "f4", "<f8", np.longlong, np.half, int)]
(np.float64(3) == 3, np.True_ == True, np.euler_gamma, np.int_(2) + np.uint(3) == 5)
np.ones(2).astype(dtype="f4", order="C", casting="same_kind").dtype
np.ones(2, dtype="f4").astype("i4", "C", "unsafe").tolist()
[np.result_type(*given) for given in ((1, 2), (True,), (1, 2.0), (1j, 2.0), ("f4", 1))]
[x.astype("int64", copy=False) is x for x in (np.arange(3),)]
[(y := np.astype(x, x.dtype), x.fill(9), y.tolist())[1:] for x in (np.arange(3), np.zeros(2))]
"""


@each(QUESTIONS)
def test_questions_are_answered_as_by_numpy(call: str) -> None:
    if not device().has_float64:
        pytest.skip("default types differ")
    got, wanted = (eval(call, {"np": module}) for module in (xp, np))
    assert got == wanted
    assert type(got) is type(wanted)


def test_typename_describes_and_warns_as_numpy() -> None:
    """NumPy 2.5 deprecated it."""
    for letter in "?bBhHiIlLqQfdFD":
        seen = []
        for module in (xp, np):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                text = module.typename(letter)
            seen.append((text, [(one.category, str(one.message), one.filename) for one in told]))
        assert seen[0] == seen[1]
