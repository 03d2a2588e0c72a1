"""What SciPy and scikit-learn are written with works on xarr: array-api-compat, array-api-extra.

Every public function of array-api-extra runs on xarr's arrays, with the namespace inferred and
given, and on NumPy's; the results are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import array_api_compat
import array_api_extra as xpx
import numpy as np
import pytest
from array_api_compat import numpy as numpy_namespace

import xarr
from tests.comparing import has
from tests.functions.calls import rows
from xarr.ops import vendor


def test_the_namespace_is_xarr() -> None:
    x = xarr.ones(3, dtype="float32")
    for given in ((x,), (x, x), (x, 1, 2.5, None)):
        assert array_api_compat.array_namespace(*given) is xarr
    for version in ("2022.12", "2023.12", "2024.12"):
        assert array_api_compat.array_namespace(x, api_version=version) is xarr
    assert array_api_compat.get_namespace(x) is xarr
    with pytest.raises(TypeError):
        array_api_compat.array_namespace(x, np.ones(3))


def test_arrays_are_known_for_what_they_are() -> None:
    x = xarr.ones(3, dtype="float32")
    assert array_api_compat.is_array_api_obj(x)
    assert array_api_compat.is_writeable_array(x)
    # Whose values may be asked for, though they are computed late.
    assert not array_api_compat.is_lazy_array(x)
    others = ("numpy", "cupy", "torch", "dask", "jax", "ndonnx", "pydata_sparse")
    for name in others:
        assert not getattr(array_api_compat, f"is_{name}_array")(x), name
        assert not getattr(array_api_compat, f"is_{name}_namespace")(xarr), name
    assert not array_api_compat.is_array_api_strict_namespace(xarr)


Given = Callable[..., Any]
Case = Callable[[Any, Any, Given, dict[str, Any]], Any]
"""A call: of the namespace, the module of functions, what makes an array, and the option xp."""

REAL = "float64" if has("float64") else "float32"
COMPLEX = "complex128" if has("float64") else "complex64"

NUMBERS = [[3.5, -1.0, 2.0, 0.0], [7.0, 2.0, -4.5, 1.0]]
INTEGERS = [3, 1, 4, 1, 5, 9, 2, 6]
GAPS = [[1.0, math.nan, 3.0], [-2.0, 5.0, math.nan]]


AT = """
{set|add|min} [:, :2]
set [0, -1]
{set|max} mask
add [1, ::-2]
subtract [..., 0]
multiply [0]
divide [1:]
power [:, 2]
min [0, :]
"""


def at(line: str) -> Case:
    """A change of some elements, which the given array may or may not see."""
    verb, _, key = line.partition(" ")
    value = 3.0 if verb == "power" else 2.0

    def change(xp: Any, extra: Any, a: Given, o: dict[str, Any]) -> Any:
        results = []
        for copy in (None, True, False):
            x = a(NUMBERS)
            where = x > 1 if key == "mask" else eval(f"s{key}", {"s": np.s_})
            results.append(getattr(extra.at(x, where), verb)(value, copy=copy, **o))
            if copy is not None:
                results.append(x)
        results.append(getattr(extra.at(a(NUMBERS))[where], verb)(value, **o))
        return tuple(results)

    return change


def parted(xp: Any, extra: Any, a: Given, o: dict[str, Any]) -> Any:
    """What a partition says: the element in its place, and those on either side of it."""
    results = []
    for kth, axis in ((2, -1), (0, 0), (1, 1)):
        x = extra.partition(a(NUMBERS), kth, axis=axis, **o)
        results.append(sides(xp, x, kth, axis))
    return (*results, extra.partition(a(NUMBERS), 3, axis=None, **o)[3])


def arg_parted(xp: Any, extra: Any, a: Given, o: dict[str, Any]) -> Any:
    results = []
    for kth, axis in ((2, -1), (0, 0), (1, 1)):
        places = extra.argpartition(a(NUMBERS), kth, axis=axis, **o)
        x = xp.take_along_axis(a(NUMBERS), places, axis=axis)
        results.append(sides(xp, x, kth, axis))
    return tuple(results)


def sides(xp: Any, x: Any, kth: int, axis: int) -> Any:
    x = xp.moveaxis(x, axis, 0)
    return xp.sort(x[:kth, ...], axis=0), x[kth, ...], xp.sort(x[kth + 1 :, ...], axis=0)


def scaled(x: Any, scale: float) -> Any:
    return x * scale


def both(x: Any, y: Any) -> Any:
    return x + y, x > y


def written(call: str) -> Case:
    names = {"GAPS": GAPS, "INTEGERS": INTEGERS, "NUMBERS": NUMBERS, "np": np, "scaled": scaled}
    names |= {"nan": math.nan, "inf": math.inf, "by": {"scale": 2.0}, "both": both}

    def case(xp: Any, extra: Any, a: Given, o: dict[str, Any]) -> Any:
        given = {"xp": xp, "extra": extra, "a": a, "types": (getattr(xp, REAL), xp.bool), "o": o}
        return eval(call, names | given)

    return case


# `a` makes an array; `o` is the option xp, or nothing.
CASES = """
extra.angle(a([1 + 2j, -1j, -2, 0]), **o)
extra.angle(a([1 + 2j, -1j]), deg=True, **o)
extra.angle(a([1.0, -2.0]), **o)
extra.apply_where(a(NUMBERS) > 0, a(NUMBERS), xp.sqrt, fill_value=-1.0, **o)
extra.apply_where(a(NUMBERS) > 0, (a(NUMBERS), a([1.0, 2.0, 3.0, 4.0])), xp.divide, xp.add, **o)
extra.apply_where(a([True, False]), a([4.0, 9.0]), scaled, fill_value=a([0.5, 1.5]), kwargs=by, **o)
extra.atleast_nd(a(INTEGERS), ndim=3, **o)
extra.atleast_nd(a(1), ndim=0, **o)
extra.broadcast_shapes((2, 1), (3,), (1, 1, 1))
extra.cov(a(NUMBERS), **o)
extra.cov(a(NUMBERS[0]), **o)
extra.cov(a(NUMBERS), axis=0, correction=0, **o)
extra.cov(a(NUMBERS), fweights=a([1, 2, 1, 3]), aweights=a([0.5, 1.0, 2.0, 1.0]), **o)
extra.cov(a([[1 + 2j, 3j, 1], [2, 1j, -1]]), **o)
extra.create_diagonal(a(INTEGERS), **o)
extra.create_diagonal(a(NUMBERS), offset=-2, **o)
xp.zeros(1, dtype=extra.default_dtype(xp))
xp.zeros(1, dtype=extra.default_dtype(xp, "complex floating"))
xp.zeros(1, dtype=extra.default_dtype(xp, "integral"))
xp.zeros(1, dtype=extra.default_dtype(xp, "indexing"))
extra.deg2rad(a(NUMBERS), **o)
extra.diag_indices(4, xp=xp)
extra.diag_indices(3, ndim=3, xp=xp)
extra.expand_dims(a(NUMBERS), axis=(0, -1), **o)
extra.expand_dims(a(NUMBERS), axis=1, **o)
extra.isclose(a([1.0, 1.0, nan, inf, -inf]), a([1.0 + 1e-06, 1.1, nan, inf, inf]), **o)
extra.isclose(a(GAPS), a(GAPS), equal_nan=True, **o)
extra.isclose(a(INTEGERS), 3, rtol=0.4, **o)
extra.isclose(a([1 + 1j, 2]), a([1 + 1j, 3]), **o)
extra.isclose(a([True, False]), a([True, True]), **o)
extra.isin(a(INTEGERS), a([1, 9, 7]), **o)
extra.isin(a(INTEGERS), a([1, 9]), invert=True, **o)
extra.isin(a(NUMBERS), a([2.0, 0.0]), assume_unique=False, **o)
extra.kron(a([1, 10]), a([[5, 6, 7], [1, 2, 3]]), **o)
extra.kron(a(NUMBERS), a(2.0), **o)
extra.lazy_apply(lambda x: x / 2, a(NUMBERS), **o)
extra.lazy_apply(np.sort, a(NUMBERS), as_numpy=True, **o)
extra.lazy_apply(both, a(NUMBERS[0]), a(NUMBERS[1]), shape=((4,), (4,)), dtype=types, **o)
extra.nan_to_num(a([nan, 1.0]), fill_value=5.0, **o)
extra.nan_to_num(a([inf, -inf, nan]), **o)
extra.nan_to_num(a([complex(nan, 1), 2j]), **o)
extra.nunique(a(INTEGERS), **o)
extra.nunique(a(NUMBERS), **o)
extra.one_hot(a([1, 0, 2]), 3, **o)
extra.one_hot(a([1, 0, 2]), 4, dtype=xp.int8, axis=0, **o)
extra.pad(a(INTEGERS), 2, **o)
extra.pad(a(NUMBERS), (1, 2), constant_values=7.0, **o)
extra.pad(a(NUMBERS), ((0, 1), (2, 0)), **o)
extra.rad2deg(a(NUMBERS), **o)
extra.searchsorted(a([1.0, 2.0, 2.0, 5.0]), a(NUMBERS), **o)
extra.searchsorted(a([[1.0, 2.0, 2.0], [0.0, 3.0, 5.0]]), a(NUMBERS), side="right", **o)
extra.setdiff1d(a(INTEGERS), a([1, 9]), **o)
extra.setdiff1d(a([1, 2, 3]), a([2]), assume_unique=True, **o)
extra.sinc(a(NUMBERS), **o)
extra.tril_indices(4, xp=xp)
extra.tril_indices(3, offset=-1, m=5, xp=xp)
extra.triu_indices(4, xp=xp)
extra.triu_indices(3, offset=1, m=5, xp=xp)
extra.union1d(a(INTEGERS), a([[1, 20], [-3, 4]]), **o)
extra.unravel_index(a([22, 41, 37]), (7, 6), **o)
extra.unravel_index(a(1621), (6, 7, 8, 9), **o)
extra.{nanmax|nanmean|nanmin|nansum}(a(GAPS){|, axis=0|, axis=(0, 1)}, **o)
extra.{nanmax|nanmean|nanmin|nansum}(a(INTEGERS), **o)
"""
PROGRAMS: list[tuple[str, Case]] = [
    ("argpartition", arg_parted),
    ("partition", parted),
    *(("at", at(line)) for line in rows(AT)),
]


NEED_NAMESPACE = ("broadcast_shapes", "default_dtype", "diag_indices", "tril_indices")
NEED_NAMESPACE += ("triu_indices",)
"""Functions of no array, which infer nothing."""


def of_library(xp: Any) -> Given:
    def make(values: Any) -> Any:
        host = np.asarray(values)
        name = {"f": REAL, "c": COMPLEX, "b": "bool"}.get(host.dtype.kind, "int64")
        return xp.asarray(host.astype(name))

    return make


def agree(got: Any, wanted: Any) -> None:
    """Assert types, data types, shapes and values; a few units of rounding are free."""
    if isinstance(wanted, tuple):
        assert isinstance(got, tuple)
        assert len(got) == len(wanted)
        for mine, other in zip(got, wanted, strict=True):
            agree(mine, other)
        return
    if not isinstance(wanted, (np.ndarray, np.generic)):
        assert type(got) is type(wanted)
        assert got == wanted
        return
    assert type(got) is xarr.Array, f"{type(got)} is no Array"
    mine = np.asarray(got)
    if has("float64"):
        assert mine.dtype == wanted.dtype
    assert mine.shape == wanted.shape
    bound = 0.0 if mine.dtype.kind in "iub" else 64 * float(np.finfo(mine.dtype).eps)
    np.testing.assert_allclose(mine, wanted, rtol=bound, atol=bound)


CALLED = [
    *((call.partition("extra.")[2].partition("(")[0], written(call)) for call in rows(CASES)),
    *PROGRAMS,
]


# Some are deprecated, as the standard has them now.
@pytest.mark.filterwarnings("ignore:.xpx:DeprecationWarning")
@pytest.mark.parametrize("given", [False, True], ids=["inferred", "given"])
@pytest.mark.parametrize(("name", "case"), CALLED)
def test_functions(name: str, case: Case, given: bool) -> None:
    if given and name in NEED_NAMESPACE:
        return
    wanted = case(numpy_namespace, xpx, of_library(numpy_namespace), {})
    agree(case(xarr, xpx, of_library(xarr), {"xp": xarr} if given else {}), wanted)


def test_every_function_is_tested() -> None:
    tested = {name for name, _ in CALLED}
    assert set(xpx.__all__) - tested == {"__version__", "testing"}
    assert tested <= set(xpx.__all__)


def test_its_assertions_for_tests() -> None:
    if not vendor.runs_on_numpy(xarr.default_device()):
        pytest.skip("array_api_extra.testing asks for the host's memory where it knows no library")
    testing = xpx.testing
    x, y = (xarr.asarray([1.0, float(v)], dtype="float32") for v in (2, 3))
    testing.assert_equal(x, xarr.asarray([1.0, 2.0], dtype="float32"))
    testing.assert_close(x, x + 1e-7)
    testing.assert_less(x, y + 1)
    for check in (testing.assert_equal, testing.assert_close):
        with pytest.raises(AssertionError):
            check(x, y)
    with pytest.raises(AssertionError):
        testing.assert_equal(x, np.asarray([1.0, 2.0], np.float32))
