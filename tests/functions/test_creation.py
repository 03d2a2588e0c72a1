"""Creation against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, device, given, has, narrow_device, needs, same
from tests.functions.calls import check, each, each_line, refused

pytestmark = pytest.mark.usefixtures("device")


def test_the_default_dtype_is_the_device_s() -> None:
    info = xp.__array_namespace_info__().default_dtypes()
    floating, wide = info["real floating"], info["complex floating"]
    for x in (xp.zeros(2), xp.ones(2), xp.empty(2), xp.full(2, 1.5), xp.eye(2), xp.asarray(1.5)):
        assert x.dtype == floating
    for x in (xp.linspace(0, 1, 3), xp.arange(3.0), xp.asarray([1.5, 2])):
        assert x.dtype == floating
    assert xp.arange(3).dtype == xp.full(2, 1).dtype == np.int64
    assert xp.full(2, True).dtype == np.bool_
    assert xp.zeros(3, np.int8).dtype == np.int8
    assert xp.asarray([1.5, 2j]).dtype == xp.asarray(2j).dtype == wide


CALLS = """
np.full(5, {0.0|-0.0|nan|inf|-inf|1.5}, {"float16"|"float32"|"float64"})
np.{full_like(np.zeros(1), -0.0)|signbit(np.arange(0.0, -3.0, -1.0))}
np.{zeros|ones}({()|(0,)|3|(2, 3)|[4, 1]|(3, 0, 2)|(257,)|(65_539,)}, "{f4|i1|c8|?}")
np.{zeros_like|ones_like}(np.zeros({()|(3, 0, 2)|(257,)}, "f2"))
np.empty({(2, 3)|3}, "i2").shape
np.arange({100|3, 90, 7|90, 3, -7|2, 60, 0.5|0, 3, 0.1|0, 100.5, 1.5}, dtype="{f2|f4|f8|i1|i4|i8}")
np.arange({100|3, 90, 7|2, 60, 0.5|0, 100.5, 1.5}, dtype="{u1|u2|u4|u8}")
np.full((2, 3), np.asarray([1, 2, 3]))
np.full(3, {numpy.float32(1.5)|7, dtype="uint8"|1 + 2j, dtype="complex64"})
np.full(3, 300, dtype="uint8") ! OverflowError: 300
np.full(3, np.asarray([1, 2])) ! ValueError: broadcast
np.{zeros|ones|empty}({-1|(2, -3)}) ! ValueError
np.{zeros|ones|empty}({1.5|"a"|(1, None)|3, "float128x"}) ! TypeError
np.asarray({1|True|[]|[1, 2]|[[1, 2], [3, 4]]|[True, False]|(1, 2)|range(4)|2**63})
np.asarray({[numpy.int8(1), numpy.int8(2)]|numpy.int16(3)|numpy.array(3, "uint8")})
np.asarray({bytearray(b"abc")|memoryview(b"abc")})
np.asarray({None|"abc"|object()|[1, "a"]|numpy.asarray(["a"])}) ! TypeError: asarray
np.asarray(numpy.asarray([1], "datetime64[s]")) ! TypeError: asarray
np.asarray([[1, 2], [3]]) ! ValueError: asarray
np.asarray({2**70|[-(2**70), 1]}) ! OverflowError: asarray
np.asarray({[300], dtype="uint8"|-1, dtype="uint32"|[2**40], dtype="int32"}) ! OverflowError
np.asarray([300], dtype="uint8") ! OverflowError: out of bounds
np.array({5, ndmin=2|[1, 2], ndmin=3})
np.arange({5|0|-3|1, 5|5, 1|5, 1, -2|0, 10, 3|257|65539|0.0, 1.0, 0.1|1.5|1, 2, 0.3})
np.arange({1e-20, 1.0, 0.25|-1, 1, 1 / 3|10, 0, -0.7|0, 1e5, 0.7|0, 5e-324, 1e300})
np.arange({numpy.int64(3)|2**53 + 1, 2**53 + 8|-(2**63), -(2**63) + 5})
np.arange({numpy.int8(3)|numpy.uint16(4)|np.asarray(3)|numpy.float32(2.5)})
np.arange({0, 1, 0|0.0, 1.0, 0.0}) ! ZeroDivisionError
np.arange(3, dtype=bool) ! TypeError
np.arange({nan|0, inf}) ! ValueError: arange
np.arange({"a"|None|1j|[1, 2]}) ! TypeError: arange
np.linspace({0, 1|1, 0|-3.5, 7|2, 2}, {0|1|2|3|50|257|65539}{|, endpoint=False})
np.linspace({0.1, 0.7|0, 5e-324|1e300, -1e300}, {1|2|3|257}{|, endpoint=False})
np.linspace(-3, 41.5, 100, dtype={"float32"|"float16"|"int32"|"int8"|"complex64"})
np.linspace(0.3, {0.1|1 / 3|7.7}, 11, dtype="float32")[-1]
np.linspace(0, 1, 5, retstep=True)[0]
np.linspace(0, 1, -1) ! ValueError: num
np.linspace(0, 1, 2.5) ! TypeError: num
np.linspace("a", 1, 3) ! TypeError: start
np.geomspace(0, 1) ! ValueError: geomspace
np.geomspace(-1, 1)
np.eye({3|3, 5|5, 3|0, 2|2, 0|300, 300}, k={0|1|-2|7|-7}, dtype="int8")
np.identity(3)
np.eye(3, M=2)
np.tri(3, 4, 1)
np.tri({-2|3, -1|300, 250, {-400|-2|0|3|290}})
np.eye(2.5) ! TypeError: eye
np.tril(cube + 1, k=1)
np.triu({cube + 1, k=-1|holes})
np.mgrid[0:3, 1:7:2]
np.mgrid[:4]
np.ogrid[0:3, 1:4]
np.mgrid[0:1:5j, 0:2:3j]
np.fromfunction(lambda i, j: i - j, (3, 2))
np.meshgrid(indexing={"xy"|"ij"})
np.meshgrid(cube[0, 0]{|, cube[0, :, 0]}{|, cube[:, 0, 0]}, indexing={"xy"|"ij"}{|, sparse=True})
np.meshgrid(cube[0, :0, 0], cube[0, 0], indexing={"xy"|"ij"})
np.meshgrid(np.arange(2), indexing="ab") ! ValueError: indexing
np.meshgrid(np.zeros((2, 2)))
np.mgrid[3] ! TypeError: mgrid
"""


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    if not has("float64"):
        pytest.skip("default types differ")
    cube = np.arange(60, dtype="i4").reshape(3, 4, 5)
    check(call, cube=cube, holes=np.full((3, 3), np.nan, "f4"))


NEARLY = """
np.linspace(0, 1 + 2j, {0|1|2|50|257}{|, endpoint=False})
np.logspace({-2, 3, 21|0, 3, 7, base=2|[0, 1], [2, 3], 4, base=2.0, axis=1|0, 1, 3, True, 2, "f4"})
np.logspace(0, 3, 4, base=[2.0, 3.0])
np.geomspace({1, 1000, 31|-1e-3, -7, 5, endpoint=False|[1, 2], [1000, 16], 4, axis=-1})
np.geomspace({-1, -1000, 4|1, 256, 9, endpoint=False|1j, 1000j, 4|-1 + 0j, 1 + 0j, 5})
np.geomspace(0.3, 77.7, 9)[{0|-1}] * 1.0
"""


@each_line(NEARLY)
def test_nearly_as_numpy(call: str) -> None:
    if not has("float64"):
        pytest.skip("default types differ")
    check(call, near=1e-13)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_arrays_keep_dtype_and_values(layout: str) -> None:
    for dtype in filter(has, DTYPES):
        host, x = given(dtype, layout)
        for made in (x, xp.asarray(host), xp.asarray(x, copy=True), xp.array(x)):
            same(made, host)
        same(xp.ascontiguousarray(x), np.ascontiguousarray(host))
        assert xp.asarray(x) is xp.asarray(x, dtype=dtype, copy=False) is x
        copied = xp.array(x)
        if host.size:
            copied[...] = 0
            same(x, host)


def test_numpy_float64_is_not_narrowed_in_silence() -> None:
    narrow = device().pretending("no-float64")
    for make in (
        lambda: xp.asarray(np.zeros(3), device=narrow),
        lambda: xp.zeros(3, dtype="float64", device=narrow),
        lambda: xp.sum(xp.arange(3, device=narrow), dtype=np.float64),
        lambda: xp.arange(3, device=narrow).astype("float64"),
        *([lambda: xp.ones(3).to_device(narrow)] if has("float64") else []),
    ):
        refused(make, "TypeError: 64-bit")
    assert xp.asarray([0.5], device=narrow).dtype == xp.zeros(3, device=narrow).dtype == np.float32
    assert xp.asarray([0.5j], device=narrow).dtype == np.complex64
    assert xp.asarray(np.zeros(3), dtype="float32", device=narrow).dtype == np.float32


def test_copy_false_of_host_values_is_refused() -> None:
    host = np.zeros(2, "f4")
    calls = ["asarray([1, 2], copy=False)", "asarray(1.5, copy=False)", "array([1, 2], copy=False)"]
    calls += ["asarray(asarray([1, 2]), dtype='float32', copy=False)"]
    if xp.default_device().info.host_addressable:
        shared = xp.asarray(host, copy=False)
        host[1] = 3
        assert shared.tolist() == [0, 3]
    else:
        calls += ["asarray(host, copy=False)"]
    for call in [*calls, "asarray(host, dtype='int32', copy=False)"]:
        with pytest.raises(ValueError, match="copy"):
            eval(call, {"asarray": xp.asarray, "array": xp.array, "host": host})


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "complex64"])
def test_linspace_is_the_same_on_every_device(dtype: str) -> None:
    expected = np.linspace(-3, 41.5, 100, dtype=dtype)
    same(
        xp.linspace(-3, 41.5, 100, dtype=dtype, device=device().pretending("no-float64")), expected
    )


def test_to_device() -> None:
    x, narrow = xp.arange(5, dtype="int32"), narrow_device()
    y = x.to_device(narrow)
    assert y.device == narrow
    same(y, np.arange(5, dtype="i4"))
    same(xp.zeros(3, "f4").to_device(narrow), np.zeros(3, "f4"))
    same(xp.asarray(x, device=narrow, dtype="float32"), np.arange(5, dtype="f4"))
    refused(lambda: x.to_device(narrow, stream=1), "ValueError: stream")
    refused(lambda: x.to_device("nowhere"), "ValueError: no device")
    needs("float64")
    same(xp.ones(3).astype("float32", device=narrow), np.ones(3, "f4"))


ERRORS = """
np.full((2,), "a") ! TypeError: full(shape, fill_value): fill_value is of type str
np.full(2, 1, "bad") ! TypeError: full(shape, fill_value): dtype is 'bad'
np.full(2, 1, device="a") ! ValueError: full(shape, fill_value): there is no device 'a'
np.full_like(np.ones(2), "a") ! ValueError: full_like(a, fill_value): fill_value is no
np.full_like(np.ones(2), [1, 2, 3]) ! ValueError: full_like(a, fill_value): the shapes
np.ones_like("a") ! TypeError: ones_like(a): a is of type str
np.tri(2, k="a") ! TypeError: tri(N, M, k): k is 'a'
np.tri("a") ! TypeError: tri(N, M, k): N is 'a'
np.logspace(0, 1, -1) ! ValueError: logspace(start, stop, num): num is -1
np.geomspace(1, 2, dtype="bad") ! TypeError: geomspace(start, stop, num): dtype is 'bad'
np.indices((2,), dtype="bad") ! TypeError: indices(dimensions): dtype is 'bad'
np.meshgrid("a") ! TypeError: meshgrid(*arrays): an array is of type str
np.array(1, ndmin="a") ! TypeError: array(object, ndmin): ndmin is 'a'
np.ascontiguousarray("a") ! TypeError: ascontiguousarray(a): a is of type str
np.zeros(2, dtype=("i4", "f8")) ! TypeError: zeros(shape): dtype is
np.array_repr("a") ! TypeError: array_repr(arr): arr is of type str
np.zeros(3, device="opencl:99") ! ValueError: no device 'opencl:99'
np.asarray([1], device=3) ! TypeError: device
np.linspace(0, 1 + 1j, 3, dtype="f4") ! ComplexWarning: imaginary
"""


@each(ERRORS)
def test_errors_name_the_function_that_was_called(call: str) -> None:
    check(call)


BEYOND = """
np.zeros((1,) * 65)
np.full((1,) * 65, 1)
np.eye(10**10)
np.arange(1e20)
np.linspace(0, 1, 10**20)
np.array(1, ndmin=65)
np.indices((1,) * 64)
np.reshape(np.ones(1), (1,) * 65)
np.expand_dims(np.zeros((1,) * 64), 0)
np.stack([np.zeros((1,) * 64)])
np.{tile|broadcast_to}(np.ones(1), (1,) * 65)
np.zeros((1,) * 64)[None]
np.zeros((1,) * 64)[[[0]]]
np.take(np.zeros((1,) * 64), np.zeros((1, 1), "i8"), axis=0)
np.tensordot(np.zeros((1,) * 33), np.zeros((1,) * 32), axes=0)
"""


@each(BEYOND)
def test_results_that_no_array_can_be(call: str) -> None:
    with pytest.raises((ValueError, IndexError), match="64 at most|as 64 bits count them"):
        eval(call, {"np": xp})


WITHOUT_WARNINGS = """
np.full(2, {1e300).astype("float32"|float("nan")).astype("int32"|3e9).astype("uint8"})
{np.full(2, 1e300|np.asarray([1e300]|np.arange(0, 1e300, 1e299}, dtype="float32")
{np.linspace(-1e308, 1e308, 5)|x + 1e300}
x.__setitem__({x == 0|np.asarray([0])}, numpy.float64(1e300))
"""


@each(WITHOUT_WARNINGS)
def test_conversions_on_the_host_warn_of_nothing(call: str) -> None:
    with np.errstate(all="raise"):
        eval(call, {"np": xp, "numpy": np, "x": xp.zeros(2, dtype="float32")})


REFUSED = """
np.arange({1e10, 1e10 + 5, 0.5, dtype="int32"|0, 2**40, 2**38, dtype="uint8"}) ! OverflowError
np.arange(-1, 2, dtype="uint8") ! OverflowError
np.arange(5, dtype=bool) ! TypeError
np.asarray({float("nan"), dtype="int8"|[1.0, float("nan")], dtype="uint64"}) ! ValueError
np.asarray({float("inf"), dtype="int64"|300.7, dtype="int8"}) ! OverflowError
np.asarray({[-1.5], dtype="uint8"|1e19, dtype="int64"}) ! OverflowError
np.full(3, 300, "int8") ! OverflowError
np.linspace([0], 1, 2, axis=3) ! AxisError
np.frombuffer({b"123", "i4"|b"1234", "i4", 2}) ! ValueError
np.fromiter([1, 2], "i4", count=3) ! ValueError
np.asarray_chkfinite([1.0, float("inf")]) ! ValueError
np.require([1], requirements="CF") ! ValueError
np.require([1], requirements="Z") ! KeyError
np.zeros(2, order="Z") ! ValueError
np.copyto(np.zeros(2, dtype="i4"), 1.5) ! TypeError
np.copyto(np.zeros(2), np.zeros(3)) ! ValueError
np.copyto(np.zeros(2, dtype="i1"), np.zeros(2)) ! TypeError
np.vander([[1]]) ! ValueError
np.ones((2, 3)).ravel("Z") ! ValueError
np.array(np.ones((2, 3)), copy=False, order="F") ! ValueError
np.copyto(x, {5|[1, 2, 3], where=[True, False, True]|2, where=[[True], [False]]|-1.0, where=False})
np.copyto(i, [1.5, 2.5, 3.5], casting="unsafe")
np.copyto({x, np.ones((1, 1, 2, 3))|x, [[[1, 2, 3]]]|x[0], [[5]], where=[True, False, True]})
np.copyto(x, np.ones({(2, 1, 3)|(1, 3, 3)})) ! ValueError
np.isfortran(numpy.ones((2, 3), order="{C|F}"))
"""


@each_line(REFUSED)
def test_what_is_refused_and_copied_as_by_numpy(call: str) -> None:
    check(call, x=np.zeros((2, 3), "f4"), i=np.zeros(3, "i4"))


STATEMENTS = """
x = np.zeros((2, 2)); y = x.reshape(4); y[0] = 5
x = np.ones(1); y = np.broadcast_to(x, (3,)); x[0] = 2
x, y = np.meshgrid(np.arange(3), np.arange(2)); x[...] = 7; y[...] = 8
np.asarray(numpy.arange(6, dtype=">i4").reshape(2, 3){|.T}).tolist()
np.asarray(numpy.asfortranarray(numpy.arange(6, dtype=">i4").reshape(2, 3))).tolist()
np.asarray([numpy.arange(3).astype("{>i4|>f8|>c16}")]).tolist()
np.frombuffer(bytes([0, 0, 0, 1]), dtype=">i4").tolist()
np.asarray({[p, p + 1]|[p[0], 5, p[1]]|[[p[0], 1], [2, p[1]]], dtype="float32"|(p, [3, 4])})
np.array({[a, 2, a * 2]|[[a, 1], (2, a)]|[b, [7, 8, 9], np.ones(3)]|[[b[0], b[1]], b[1:]]}, "f4")
np.array([a, 2], dtype="int8")
np.array([[p[0], {True|2|1.5|2j|b[1]|np.int8(1)}], (a + 1, p[1])])
x = [np.square(v) for v in (p[1], a + 0, b[2], p[0] > 0)]; y = [v**2 for v in (p[1], a + 0, b[2])]
... z = np.int8(100) + 0 * p.astype("i1")[0]; w = (z**2, np.square(z), pow(z - 90, 2.0))
np.array([p[0], b[1]], {"f4"|"i8"|"c16"}, ndmin=2, order="{C|F|K}")
x = b + 1; y = []
... for i, v in enumerate(x):
...     x[i] = v * 2; x[-1] += v; y.append(v + 0)
x = np.arange(6.0).reshape(2, 3); i = np.argmax(x[0]); j = x[i - 1, i]
... k = x[np.nonzero(b)[0][0], ::i]; x[i - 1, i] = 7; x[p[0], p[1] - 1] += 1
np.array({[b, [1, 2]]|[a, b]}) ! ValueError: same length
x = p + 1; y = x.copy(); x += 1
x = np.zeros(3); y = x.copy(); x[0] = 1
x = np.arange(4, dtype="i4"); y = np.frombuffer(x, "i8", offset=8); y[...] = 0
x = np.ones((2, 3), order="F"); y = (np.asarray(x, order="F") is x, np.asarray(x, order="A") is x)
... z = (np.asfortranarray(x) is x, np.ascontiguousarray(x) is x); x[0, 1] = 5; f = x.ravel("F")
... w = (np.ascontiguousarray(x.T).base is x, np.require(x, requirements="F") is x)
... k = x.ravel("K"); k[0] = 7
"""


@each(STATEMENTS)
def test_statements(call: str) -> None:
    check(call, p=np.asarray([1, 2]), a=np.asarray(1.5, "f4"), b=np.arange(3, dtype="f4"))
