"""Creation against NumPy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import (
    DTYPES,
    LAYOUTS,
    SOME_DTYPES,
    computed_together,
    device,
    given,
    has,
    narrow_device,
    needs,
    same,
)

pytestmark = pytest.mark.usefixtures("device")

REAL = [name for name in DTYPES if name != "bool" and not name.startswith("complex")]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), 3, (2, 3), [4, 1], (3, 0, 2), (257,), (65_539,)])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_filled_with_a_constant(name: str, shape: Any, dtype: str) -> None:
    needs(dtype)
    result = getattr(xp, name)(shape, dtype=dtype)
    expected = getattr(np, "zeros" if name == "empty" else name)(shape, dtype=dtype)
    same(result, expected)
    like = getattr(xp, name + "_like")(result)
    same(like, expected)


def test_the_default_dtype_is_the_device_s() -> None:
    floating = xp.__array_namespace_info__().default_dtypes()["real floating"]
    for x in (xp.zeros(2), xp.ones(2), xp.empty(2), xp.full(2, 1.5), xp.eye(2), xp.asarray(1.5)):
        assert x.dtype == floating
    assert xp.linspace(0, 1, 3).dtype == floating
    assert xp.arange(3.0).dtype == floating
    assert xp.arange(3).dtype == np.int64
    assert xp.full(2, 1).dtype == np.int64
    assert xp.full(2, True).dtype == np.bool_
    assert xp.zeros(3, np.int8).dtype == np.int8


@pytest.mark.parametrize("value", [0.0, -0.0, math.nan, math.inf, -math.inf, 1.5])
def test_full_keeps_every_bit(value: float) -> None:
    for dtype in ("float16", "float32", "float64"):
        if has(dtype):
            same(xp.full(5, value, dtype), np.full(5, value, dtype))
    assert math.copysign(1, xp.full_like(xp.zeros(1), -0.0).item()) == -1


def test_full_of_an_array_and_of_other_scalars() -> None:
    same(xp.full((2, 3), xp.asarray([1, 2, 3])), np.full((2, 3), [1, 2, 3]))
    same(xp.full(3, np.float32(1.5)), np.full(3, np.float32(1.5)))
    same(xp.full(3, 7, dtype="uint8"), np.full(3, 7, "uint8"))
    same(xp.full(3, 1 + 2j, dtype="complex64"), np.full(3, 1 + 2j, "complex64"))
    with pytest.raises(OverflowError, match="300"):
        xp.full(3, 300, dtype="uint8")
    with pytest.raises(ValueError, match="broadcast"):
        xp.full(3, xp.asarray([1, 2]))


def test_a_constant_is_written_to_like_any_array() -> None:
    x = xp.zeros((2, 2))
    y = x.reshape(4)
    y[0] = 5
    assert x.tolist() == [[5, 0], [0, 0]]
    z = xp.broadcast_to(w := xp.ones(1), (3,))
    w[0] = 2
    assert z.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((-1,), ValueError),
        (((2, -3),), ValueError),
        ((1.5,), TypeError),
        (("a",), TypeError),
        (((1, None),), TypeError),
        ((3, "float128x"), TypeError),
        ((3, object), TypeError),
    ],
)
@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_wrong_shapes_and_dtypes(name: str, arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        getattr(xp, name)(*arguments)


def test_wrong_devices() -> None:
    with pytest.raises(ValueError, match="no device 'opencl:99'"):
        xp.zeros(3, device="opencl:99")
    with pytest.raises(TypeError, match="device"):
        xp.asarray([1], device=3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_arrays_keep_dtype_and_values(dtype: str, layout: str) -> None:
    needs(dtype)
    host, x = given(dtype, layout)
    same(x, host)
    same(xp.asarray(host), host)
    same(xp.asarray(x, copy=True), host)
    same(xp.array(x), host)
    same(xp.ascontiguousarray(x), np.ascontiguousarray(host))
    assert xp.asarray(x) is x
    assert xp.asarray(x, dtype=dtype, copy=False) is x
    copied = xp.array(x)
    if host.size:
        copied[...] = 0
        same(x, host)


@pytest.mark.parametrize(
    "values",
    [
        1,
        True,
        [],
        [1, 2],
        [[1, 2], [3, 4]],
        [True, False],
        (1, 2),
        range(4),
        [np.int8(1), np.int8(2)],
        np.int16(3),
        np.array(3, "uint8"),
        2**63,
        bytearray(b"abc"),
        memoryview(b"abc"),
    ],
)
def test_values_have_numpy_s_dtypes(values: Any) -> None:
    if isinstance(values, list) and not values:
        needs("float64")
    same(xp.asarray(values), np.asarray(values))


def test_python_floats_take_the_default_dtypes() -> None:
    info = xp.__array_namespace_info__().default_dtypes()
    assert xp.asarray([1.5, 2]).dtype == info["real floating"]
    assert xp.asarray([1.5, 2j]).dtype == info["complex floating"]
    assert xp.asarray(2j).dtype == info["complex floating"]


def test_numpy_float64_is_not_narrowed_in_silence() -> None:
    narrow = device().without_float64()
    with pytest.raises(TypeError, match="no 64-bit floating point"):
        xp.asarray(np.zeros(3), device=narrow)
    with pytest.raises(TypeError, match="no 64-bit floating point"):
        xp.zeros(3, dtype="float64", device=narrow)
    assert xp.asarray([0.5], device=narrow).dtype == np.float32
    assert xp.asarray([0.5j], device=narrow).dtype == np.complex64
    assert xp.asarray(np.zeros(3), dtype="float32", device=narrow).dtype == np.float32
    assert xp.zeros(3, device=narrow).dtype == np.float32


def test_nested_sequences_may_hold_arrays() -> None:
    x = xp.asarray([1, 2])
    same(xp.asarray([x, x + 1]), np.asarray([[1, 2], [2, 3]]))
    same(xp.asarray([x[0], 5, x[1]]), np.asarray([1, 5, 2]))
    same(xp.asarray([[x[0], 1], [2, x[1]]], dtype="float32"), np.asarray([[1, 1], [2, 2]], "f4"))
    same(xp.asarray((x, [3, 4])), np.asarray([[1, 2], [3, 4]]))


@pytest.mark.parametrize("source", DTYPES)
def test_values_are_converted(source: str) -> None:
    needs(source)
    host, x = given(source, "contiguous")
    results = []
    for target in filter(has, DTYPES):
        if source.startswith("complex") and not target.startswith(("complex", "bool")):
            for values in (host, x):
                with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
                    same(xp.asarray(values, dtype=target), host.real.astype(target))
            continue
        results.append((target, xp.asarray(x, dtype=target)))
    computed_together(result for _, result in results)
    for target, result in results:
        with np.errstate(all="ignore"):
            expected = host.astype(target)
        same(xp.asarray(host, dtype=target), expected, f"{source} to {target}")
        same(result, expected, f"{source} to {target}")


@pytest.mark.parametrize(
    ("values", "error"),
    [
        (None, TypeError),
        ("abc", TypeError),
        (object(), TypeError),
        ([1, "a"], TypeError),
        ([[1, 2], [3]], ValueError),
        (2**70, OverflowError),
        ([-(2**70), 1], OverflowError),
        (np.asarray(["a"]), TypeError),
        (np.asarray([1], "datetime64[s]"), TypeError),
    ],
)
def test_values_that_are_no_numbers(values: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="asarray"):
        xp.asarray(values)


def test_integers_that_do_not_fit() -> None:
    for values, dtype in (([300], "uint8"), (-1, "uint32"), ([2**40], "int32")):
        with pytest.raises(OverflowError, match="out of bounds"):
            xp.asarray(values, dtype=dtype)


def test_copy_false_of_host_values_is_refused() -> None:
    host = np.zeros(2, "f4")
    if xp.default_device().info.in_place:
        shared = xp.asarray(host, copy=False)
        host[1] = 3
        assert shared.tolist() == [0, 3]
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(host, dtype="int32", copy=False)
    else:
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(host, copy=False)
    for values in ([1, 2], 1.5):
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(values, copy=False)
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(xp.asarray([1, 2]), dtype="float32", copy=False)
    with pytest.raises(ValueError, match="copy"):
        xp.array([1, 2], copy=False)


def test_a_copy_of_a_pending_array_is_apart() -> None:
    x = xp.asarray([1, 2, 3]) + 1
    y = x.copy()
    x += 1
    assert y.tolist() == [2, 3, 4]
    assert x.tolist() == [3, 4, 5]
    z = xp.zeros(3)
    w = z.copy()
    z[0] = 1
    assert w.tolist() == [0, 0, 0]


def test_byte_order_and_host_layouts() -> None:
    host = np.arange(6, dtype=">i4").reshape(2, 3)
    same(xp.asarray(host), host.astype("i4"))
    same(xp.asarray(host.T), host.astype("i4").T)
    same(xp.asarray(np.asfortranarray(host)), host.astype("i4"))


def test_array_ndmin() -> None:
    same(xp.array(5, ndmin=2), np.array(5, ndmin=2))
    same(xp.array([1, 2], ndmin=3), np.array([1, 2], ndmin=3))


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (0,),
        (-3,),
        (1, 5),
        (5, 1),
        (5, 1, -2),
        (0, 10, 3),
        (257,),
        (65_539,),
        (0.0, 1.0, 0.1),
        (1.5,),
        (1, 2, 0.3),
        (1e-20, 1.0, 0.25),
        (-1, 1, 1 / 3),
        (10, 0, -0.7),
        (0, 1e5, 0.7),
        (0, 5e-324, 1e300),
        (np.int64(3),),
        (2**53 + 1, 2**53 + 8),
        (-(2**63), -(2**63) + 5),
    ],
)
def test_arange(arguments: Any) -> None:
    expected = np.arange(*arguments)
    if expected.dtype == np.float64:
        needs("float64")
    same(xp.arange(*arguments), expected)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize(
    "arguments", [(100,), (3, 90, 7), (90, 3, -7), (2, 60, 0.5), (0, 3, 0.1), (0, 100.5, 1.5)]
)
def test_arange_of_a_dtype(dtype: str, arguments: Any) -> None:
    needs(dtype)
    try:
        expected = np.arange(*arguments, dtype=dtype)
    except OverflowError:
        return
    arange: Any = xp.arange
    same(arange(*arguments, dtype=dtype), expected)


def test_arange_of_numpy_scalars() -> None:
    for value in (np.int8(3), np.uint16(4)):
        same(xp.arange(value), np.arange(value))
    same(xp.arange(xp.asarray(3)), np.arange(3))
    needs("float64")
    same(xp.arange(np.float32(2.5)), np.arange(np.float32(2.5)))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0, 1, 0), ZeroDivisionError),
        ((0.0, 1.0, 0.0), ZeroDivisionError),
        ((math.nan,), ValueError),
        ((0, math.inf), (ValueError, OverflowError)),
        (("a",), TypeError),
        ((None,), TypeError),
        ((1j,), TypeError),
        (([1, 2],), TypeError),
    ],
)
def test_wrong_arange(arguments: Any, error: Any) -> None:
    with pytest.raises(error):
        np.arange(*arguments) if arguments != (1j,) else xp.arange(1j)
    with pytest.raises(error, match="arange"):
        xp.arange(*arguments)


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 3, 50, 257, 65_539])
@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, 1), (1, 0), (-3.5, 7), (2, 2), (0.1, 0.7), (0, 5e-324), (1e300, -1e300), (0, 1 + 2j)],
)
def test_linspace(start: Any, stop: Any, num: int, endpoint: bool) -> None:
    expected = np.linspace(start, stop, num, endpoint=endpoint)
    needs(str(expected.dtype))
    if isinstance(stop, complex):
        # A complex product and quotient have no one rounding; the ends are exact.
        result = xp.to_numpy(xp.linspace(start, stop, num, endpoint=endpoint))
        np.testing.assert_allclose(result, expected, rtol=1e-15)
        return
    same(xp.linspace(start, stop, num, endpoint=endpoint), expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "complex64"])
def test_linspace_of_a_dtype_is_the_same_on_every_device(dtype: str) -> None:
    expected = np.linspace(-3, 41.5, 100, dtype=dtype)
    same(xp.linspace(-3, 41.5, 100, dtype=dtype), expected)
    narrow = device().without_float64()
    same(xp.linspace(-3, 41.5, 100, dtype=dtype, device=narrow), expected)


def test_linspace_ends_at_stop() -> None:
    for stop in (0.1, 1 / 3, 7.7):
        assert xp.linspace(0.3, stop, 11, dtype="float32")[-1].item() == np.float32(stop)
    result, step = xp.linspace(0, 1, 5, retstep=True)
    assert (step, result.shape) == (0.25, (5,))


def test_wrong_linspace() -> None:
    with pytest.raises(ValueError, match="num"):
        xp.linspace(0, 1, -1)
    with pytest.raises(TypeError, match="num"):
        xp.linspace(0, 1, 2.5)
    with pytest.raises(TypeError, match="start"):
        xp.linspace("a", 1, 3)


def test_logarithmic_scales() -> None:
    floating = xp.zeros(0).dtype
    tolerance = 1e-5 if floating == np.float32 else 1e-13
    for ours, theirs in (
        (xp.logspace(-2, 3, 21), np.logspace(-2, 3, 21)),
        (xp.logspace(0, 3, 7, base=2), np.logspace(0, 3, 7, base=2)),
        (xp.geomspace(1, 1000, 31), np.geomspace(1, 1000, 31)),
        (xp.geomspace(-1e-3, -7, 5, endpoint=False), np.geomspace(-1e-3, -7, 5, endpoint=False)),
    ):
        np.testing.assert_allclose(xp.to_numpy(ours), theirs, rtol=tolerance)
    ends = xp.geomspace(0.3, 77.7, 9)
    assert (ends[0].item(), ends[-1].item()) == (floating.type(0.3), floating.type(77.7))
    for wrong in ((0, 1), (-1, 1)):
        with pytest.raises(ValueError, match="geomspace"):
            xp.geomspace(*wrong)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, None), (3, 5), (5, 3), (0, 2), (2, 0), (300, 300)])
@pytest.mark.parametrize("k", [0, 1, -2, 7, -7, 2**70])
def test_eye(shape: tuple[int, int | None], k: int, dtype: str) -> None:
    needs(dtype)
    expected = np.eye(*shape, k=min(k, 2**40), dtype=dtype)
    same(xp.eye(*shape, k=k, dtype=dtype), expected)


def test_eye_s_other_names() -> None:
    needs("float64")
    same(xp.identity(3), np.identity(3))
    same(xp.eye(3, M=2), np.eye(3, M=2))
    same(xp.tri(3, 4, 1), np.tri(3, 4, 1))
    with pytest.raises(ValueError, match="eye"):
        xp.eye(-1)
    with pytest.raises(TypeError, match="eye"):
        xp.eye(2.5)


@pytest.mark.parametrize("dtype", SOME_DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_triangles(layout: str, dtype: str) -> None:
    needs(dtype)
    host, x = given(dtype, layout)
    if host.ndim < 1:
        for name in ("tril", "triu"):
            with pytest.raises(ValueError, match=name):
                getattr(xp, name)(x)
        return
    if host.ndim == 1:  # of which NumPy makes a matrix
        host, x = host[:300], x[:300]
    for k in (0, 1, -1, 100, -100):
        lower, upper = xp.tril(x, k=k), xp.triu(x, k=k)
        computed_together([lower, upper])
        same(lower, np.tril(host, k=k), f"tril {k}")
        same(upper, np.triu(host, k=k), f"triu {k}")


def test_triangles_of_pending_arrays_and_stacks() -> None:
    host = np.arange(60, dtype="i4").reshape(3, 4, 5)
    same(xp.tril(xp.asarray(host) + 1, k=1), np.tril(host + 1, k=1))
    same(xp.triu(xp.asarray(host) + 1, k=-1), np.triu(host + 1, k=-1))
    nan = np.full((3, 3), np.nan, "f4")
    same(xp.triu(xp.asarray(nan)), np.triu(nan))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("sizes", [(), (3,), (2, 3), (2, 3, 4), (1, 3), (0, 2), (1, 1)])
def test_meshgrid(sizes: tuple[int, ...], indexing: Any, sparse: bool) -> None:
    vectors = [np.arange(size, dtype="i4") for size in sizes]
    results = xp.meshgrid(*map(xp.asarray, vectors), indexing=indexing, sparse=sparse)
    expected = np.meshgrid(*vectors, indexing=indexing, sparse=sparse)
    assert len(results) == len(expected)
    for ours, theirs in zip(results, expected, strict=True):
        same(ours, theirs)
        if ours.size:
            ours[...] = 7  # it is no broadcast view
            assert (ours == 7).all()


def test_wrong_meshgrid() -> None:
    with pytest.raises(ValueError, match="indexing"):
        xp.meshgrid(xp.arange(2), indexing="ab")
    with pytest.raises(ValueError, match="vectors"):
        xp.meshgrid(xp.zeros((2, 2)))


def test_grids() -> None:
    same(xp.indices((2, 3)), np.indices((2, 3)))
    same(xp.mgrid[0:3, 1:7:2], np.mgrid[0:3, 1:7:2])
    same(xp.mgrid[:4], np.mgrid[:4])
    for ours, theirs in zip(xp.ogrid[0:3, 1:4], np.ogrid[0:3, 1:4], strict=True):
        same(ours, theirs)
    needs("float64")
    same(xp.mgrid[0:1:5j, 0:2:3j], np.mgrid[0:1:5j, 0:2:3j])
    same(xp.fromfunction(lambda i, j: i - j, (3, 2)), np.fromfunction(lambda i, j: i - j, (3, 2)))
    with pytest.raises(TypeError, match="mgrid"):
        xp.mgrid[3]


def test_open_transfers_are_allowed_where_hidden_ones_are_not() -> None:
    with xp.no_implicit_transfer():
        x = xp.asarray(np.arange(3))
        np.testing.assert_array_equal(xp.to_numpy(x + 1), np.arange(1, 4))
        with pytest.raises(xp.ImplicitTransferError):
            np.asarray(x)
        assert x.to_device(x.device) is x
        assert xp.asarray([x, x]).shape == (2, 3)


def test_to_device() -> None:
    x = xp.arange(5, dtype="int32")
    narrow = narrow_device()
    y = x.to_device(narrow)
    assert y.device == narrow
    same(y, np.arange(5, dtype="i4"))
    same(xp.zeros(3, "f4").to_device(narrow), np.zeros(3, "f4"))
    same(xp.asarray(x, device=narrow, dtype="float32"), np.arange(5, dtype="f4"))
    with pytest.raises(ValueError, match="stream"):
        x.to_device(narrow, stream=1)
    with pytest.raises(ValueError, match="no device"):
        x.to_device("nowhere")
    needs("float64")
    with pytest.raises(TypeError, match="no 64-bit"):
        xp.ones(3).to_device(narrow)
    same(xp.ones(3).astype("float32", device=narrow), np.ones(3, "f4"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: xp.full((2,), "a"), r"full\(shape, fill_value\): fill_value is of type str"),
        (lambda: xp.full(2, 1, "bad"), r"full\(shape, fill_value\): dtype is 'bad'"),
        (lambda: xp.full(2, 1, device="a"), r"full\(shape, fill_value\): there is no device 'a'"),
        (lambda: xp.full_like(xp.ones(2), "a"), r"full_like\(a, fill_value\): fill_value is no"),
        (lambda: xp.full_like(xp.ones(2), [1, 2, 3]), r"full_like\(a, fill_value\): the shapes"),
        (lambda: xp.ones_like("a"), r"ones_like\(a\): a is of type str"),
        (lambda: xp.identity(-1), r"identity\(n\): shape is \(-1, -1\)"),
        (lambda: xp.tri(2, k="a"), r"tri\(N, M, k\): k is 'a'"),
        (lambda: xp.tri("a"), r"tri\(N, M, k\): N is 'a'"),
        (lambda: xp.logspace(0, 1, -1), r"logspace\(start, stop, num\): num is -1"),
        (lambda: xp.geomspace(1, 2, dtype="bad"), r"geomspace\(start, stop, num\): dtype is 'bad'"),
        (lambda: xp.indices((2,), dtype="bad"), r"indices\(dimensions\): dtype is 'bad'"),
        (lambda: xp.meshgrid("a"), r"meshgrid\(\*arrays\): an array is of type str"),
        (lambda: xp.array(1, ndmin="a"), r"array\(object, ndmin\): ndmin is 'a'"),
        (lambda: xp.ascontiguousarray("a"), r"ascontiguousarray\(a\): a is of type str"),
        (lambda: xp.zeros(2, dtype=("i4", "f8")), r"zeros\(shape\): dtype is"),
        (lambda: xp.array_repr("a"), r"array_repr\(arr\): arr is of type str"),
    ],
)
def test_errors_name_the_function_that_was_called(call: Callable[[], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{said}"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: xp.zeros((1,) * 65),
        lambda: xp.full((1,) * 65, 1),
        lambda: xp.eye(10**10),
        lambda: xp.arange(1e20),
        lambda: xp.linspace(0, 1, 10**20),
        lambda: xp.array(1, ndmin=65),
        lambda: xp.indices((1,) * 64),
        lambda: xp.reshape(xp.ones(1), (1,) * 65),
        lambda: xp.expand_dims(xp.zeros((1,) * 64), 0),
        lambda: xp.stack([xp.zeros((1,) * 64)]),
        lambda: xp.tile(xp.ones(1), (1,) * 65),
        lambda: xp.broadcast_to(xp.ones(1), (1,) * 65),
        lambda: xp.zeros((1,) * 64)[None],
        lambda: xp.zeros((1,) * 64)[[[0]]],
        lambda: xp.take(xp.zeros((1,) * 64), xp.zeros((1, 1), "i8"), axis=0),
        lambda: xp.tensordot(xp.zeros((1,) * 33), xp.zeros((1,) * 32), axes=0),
    ],
)
def test_results_that_no_array_can_be(call: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, IndexError), match="64 at most|counted with 64 bits"):
        call()
    assert xp.zeros((1,) * 64).tolist() == np.zeros((1,) * 64).tolist()


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: xp.full(2, 1e300).astype("float32"),
        lambda x: xp.full(2, float("nan")).astype("int32"),
        lambda x: xp.full(2, 3e9).astype("uint8"),
        lambda x: xp.full(2, 1e300, dtype="float32"),
        lambda x: xp.asarray([1e300], dtype="float32"),
        lambda x: xp.arange(0, 1e300, 1e299, dtype="float32"),
        lambda x: xp.linspace(-1e308, 1e308, 5),
        lambda x: x + 1e300,
        lambda x: operator.setitem(x, x == 0, np.float64(1e300)),
        lambda x: operator.setitem(x, xp.asarray([0]), np.float64(1e300)),
    ],
)
def test_conversions_on_the_host_warn_of_nothing(convert: Callable[[xp.Array], object]) -> None:
    with np.errstate(all="raise"):
        convert(xp.zeros(2, dtype="float32"))


def test_complex_ends_of_real_numbers_warn() -> None:
    with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
        same(xp.linspace(0, 1 + 1j, 3, dtype="f4"), np.asarray([0, 0.5, 1], "f4"))
