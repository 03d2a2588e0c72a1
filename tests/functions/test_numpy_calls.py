"""NumPy's functions called with arrays, and NumPy's views of them."""

from __future__ import annotations

import io
import numbers
import operator
import pickle
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import xarr
from tests.comparing import has, needs
from tests.functions.calls import each
from tests.processes import run_code
from tests.reference import assert_same
from xarr.array import numpy_protocols
from xarr.array.numpy_protocols import namesake
from xarr.array.transfers import observed
from xarr.errors import HostFallbackWarning, ImplicitTransferError
from xarr.ops import vendor
from xarr.tape import tape


@pytest.fixture
def cpu() -> Iterator[xarr.Device]:
    found = [one for one in xarr.devices() if vendor.runs_on_numpy(one)]
    if not found:
        pytest.skip("no device shares the host's memory")
    with xarr.device(found[0]):
        yield found[0]


@pytest.fixture
def apart() -> Iterator[xarr.Device]:
    one = xarr.devices()[0]
    with xarr.device(one if one.info.kind == "gpu" else one.pretending("as-gpu")) as chosen:
        yield chosen


def lacking(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let xarr lack functions, whether or not it has them by now."""

    def found(name: str, module: str = "numpy") -> Any:
        return None if name in names else namesake(name, module)

    monkeypatch.setattr(numpy_protocols, "namesake", found)


@pytest.mark.parametrize(
    "key", [(), (slice(1, None), slice(None, None, -2)), (0, 0), (slice(2, 2),)], ids=str
)
@pytest.mark.parametrize("dtype", ["float64", "float16", "bool", "complex64"])
def test_views_of_numpys_are_the_arrays_memory(cpu: xarr.Device, dtype: str, key: Any) -> None:
    given = numpy.arange(12).reshape(3, 4).astype(dtype)
    x = xarr.asarray(given)
    view = numpy.asarray(x[(*key, ...)])
    assert_same(view, given[(*key, ...)], "values")
    assert view.strides == given[(*key, ...)].strides or not view.size
    assert view.flags.writeable
    x[...] = 1
    view[...] = view + view
    given[...] = 1
    given[(*key, ...)] += given[(*key, ...)]
    assert_same(numpy.asarray(x), given, "after writes on both sides")
    assert_same(numpy.asarray(x.T), given.T, "transposed")


def test_copies_are_made_where_they_are_asked_for(cpu: xarr.Device) -> None:
    x = xarr.asarray([1.0, 2.0])
    copies = [numpy.array(x), numpy.asarray(x, copy=True), numpy.asarray(x, dtype="float32")]
    copies += [x.__array__(copy=True), x.__array__(numpy.dtype("int64")), xarr.to_numpy(x)]
    for copied in copies:
        copied[0] = 9
    assert float(x[0]) == 1
    assert numpy.shares_memory(numpy.asarray(x, copy=False), numpy.asarray(x))
    with pytest.raises(ValueError, match="copy"):
        x.__array__("float32", copy=False)
    assert not numpy.asarray(xarr.broadcast_to(x, (3, 2))).flags.writeable


def test_elsewhere_views_are_copies(apart: xarr.Device) -> None:
    x = xarr.asarray([1.0, 2.0])
    numpy.asarray(x)[0] = 9
    assert float(x[0]) == 1
    with pytest.raises(ValueError, match="copy"):
        numpy.asarray(x, copy=False)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(BufferError, match="to_numpy"):
        x.__buffer__(0)


def test_a_number_shares_no_memory() -> None:
    number = xarr.asarray([1.0, 2.0]).sum()
    host = numpy.asarray(number)
    host[...] = 9
    assert float(number) == 3
    with pytest.raises(ValueError, match="a number"):
        number.__array__(copy=False)


def test_the_interface_and_the_buffer(cpu: xarr.Device) -> None:
    x = xarr.asarray([[1, 2, 3], [4, 5, 6]], dtype="int16")[::-1, ::2]
    interface = x.__array_interface__
    assert interface["shape"] == (2, 2)
    assert interface["typestr"] == numpy.dtype("int16").str
    assert interface["strides"] == (-6, 4)
    with xarr.no_implicit_transfer():
        assert not hasattr(x, "__array_interface__")
        with pytest.raises(ImplicitTransferError):
            numpy.asarray(x)
    view = x.__buffer__(0)
    assert view.shape == (2, 2)
    assert view.tolist() == [[4, 6], [1, 3]]
    if tape.IS_COMPILED or sys.version_info >= (3, 12):
        assert memoryview(x).tolist() == [[4, 6], [1, 3]]
    assert numpy.asarray(xarr.ones((0, 3))).shape == (0, 3)


def test_what_asks_for_shapes_moves_nothing(device: xarr.Device) -> None:
    x = xarr.ones((20, 300), dtype="complex64") * 2
    with xarr.no_implicit_transfer():
        extents = numpy.ndim(x), numpy.shape(x), numpy.size(x), numpy.size(x, 1)
        assert extents == (2, (20, 300), 6000, 300)
        assert numpy.iscomplexobj(x) is not numpy.isrealobj(x) is False
        assert numpy.result_type(x, numpy.float64) == numpy.complex128
        assert numpy.common_type(x) == numpy.complex64
    assert "pending" in xarr.explain(x)


def test_what_xarr_has_is_computed_on_the_device(device: xarr.Device) -> None:
    x = xarr.asarray([3.0, 1.0, 2.0])
    with xarr.no_implicit_transfer():
        results = [numpy.mean(x), numpy.sort(x), numpy.linalg.norm(x), numpy.fft.fft(x)]
        results += [numpy.concatenate([x, x]), numpy.exp(x)]
    assert {type(result) for result in results} == {xarr.Array}


def test_what_xarr_lacks_the_host_computes(
    cpu: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking(monkeypatch, "median")
    x = xarr.asarray([3.0, 1.0, 2.0])
    moved = []
    with observed(lambda *given: moved.append(given)):
        result = numpy.median(x)
    assert type(result) is xarr.Array
    assert float(result) == 2
    assert [(nbytes, direction) for _, nbytes, direction, _ in moved] == [(24, "from")]
    with xarr.no_implicit_transfer(), pytest.raises(ImplicitTransferError):
        numpy.median(x)
    host = numpy.empty(())
    assert numpy.mean(x, out=host) is host
    assert host == 2
    named = numpy.unique_counts(xarr.asarray([3, 1, 3]))
    assert named.values.tolist() == [1, 3]
    assert type(named.counts) is xarr.Array


def test_views_among_results_share_memory(
    cpu: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking(monkeypatch, "rollaxis", "fill_diagonal", "copyto")
    x = xarr.zeros((2, 3))
    view: Any = numpy.rollaxis(x, 1)  # type: ignore[type-var]
    view[0] = 5
    numpy.fill_diagonal(x, 7)
    assert x.tolist() == [[7, 0, 0], [5, 7, 0]]
    assert view.tolist() == [[7, 5], [0, 7], [0, 0]]
    del view
    numpy.copyto(x, 2)
    assert x.tolist() == [[2] * 3] * 2


def test_elsewhere_the_host_computes_of_copies(
    apart: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking(monkeypatch, "rollaxis", "fill_diagonal", "copyto", "nanmedian", "put")
    vendor._warned.clear()
    x = xarr.zeros((2, 3)) + 1
    with pytest.warns(HostFallbackWarning, match=r"numpy\.nanmedian\(\.\.\.\)"):
        assert float(numpy.nanmedian(x)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = numpy.nanmedian(x)  # said once
    assert result.device is apart
    warnings.simplefilter("ignore", HostFallbackWarning)
    numpy.fill_diagonal(x, 7)
    assert x.tolist() == [[7, 1, 1], [1, 7, 1]]
    target = xarr.zeros(3)
    assert numpy.nanmedian(x, axis=0, out=target) is target
    assert target.tolist() == [4, 4, 1]


def test_ufuncs_of_numpys_take_arrays(device: xarr.Device) -> None:
    x = xarr.asarray([1.0, 2.0, 3.0], dtype="float32")
    host = numpy.ones(3, dtype="float32")
    with xarr.no_implicit_transfer():
        results = [numpy.exp(x), numpy.add(x, 1, out=xarr.zeros(3, dtype="float32"))]
        results += [numpy.add.reduce(x), numpy.multiply.outer(x, x)]
    assert {type(result) for result in results} == {xarr.Array}
    assert float(numpy.add.reduce(x)) == 6
    warnings.simplefilter("ignore", HostFallbackWarning)
    host += x
    assert host.tolist() == [2, 3, 4]
    assert numpy.add(host, host, out=x) is x
    assert x.tolist() == [4, 6, 8]
    numpy.add.at(x, [0, 0], 1)
    assert x.tolist() == [6, 6, 8]
    parts = numpy.modf(x / 4)
    assert [part.tolist() for part in parts] == [[0.5, 0.5, 0], [1, 1, 2]]
    assert {type(part) for part in parts} == {xarr.Array}
    with pytest.raises(TypeError):
        numpy.add(x, None)


OF_NUMBERS = "add sub mul truediv pow eq ne"
OF_ORDER = " floordiv mod lt le gt ge"
OPERATORS = {
    "b": "eq",
    "c": OF_NUMBERS,
    "f": OF_NUMBERS + OF_ORDER,
    "iu": OF_NUMBERS + OF_ORDER + " and_ or_ xor lshift rshift",
}


@pytest.mark.parametrize("dtype", [*filter(has, ["f8", "f4", "c16", "i8", "u1", "bool"])])
def test_numbers_of_numpys_stand_beside_arrays(device: xarr.Device, dtype: str) -> None:
    kind = numpy.dtype(dtype).kind
    names = next(names for kinds, names in OPERATORS.items() if kind in kinds).split()
    given = [0, 1, 2, 3, 5, *([-0.0, 0.5, numpy.inf, numpy.nan] if kind in "fc" else [])]
    values = numpy.asarray(given, dtype)
    for other in filter(has, {dtype, *(("float64", "float32") if kind in "fc" else ())}):
        for number in numpy.asarray(given, other):
            x, row = xarr.asarray(values), xarr.asarray(number[None])
            results = list[tuple[str, Any, Any]]()
            for apply in (getattr(operator, name) for name in names):
                for order in (lambda a, b: (a, b), lambda a, b: (b, a)):
                    got = apply(*order(x, number))
                    with numpy.errstate(all="ignore"):
                        assert got.dtype == apply(*order(values, number)).dtype
                    results.append((f"{apply} {number!r}", got, apply(*order(x, row))))
            for call, got, wanted in results:  # all in one program
                assert_same(numpy.asarray(got), numpy.asarray(wanted), call)


def test_ufuncs_that_are_not_numpys_run_on_the_host(device: xarr.Device) -> None:
    special = pytest.importorskip("scipy.special")
    warnings.simplefilter("ignore", HostFallbackWarning)
    x = xarr.asarray([0.5, 1.0], dtype="float32")
    z = xarr.asarray([1 + 1j], dtype="complex64")
    assert_same(numpy.asarray(special.gamma(z)), special.gamma(xarr.to_numpy(z)), "gamma")
    for function in (special.ndtr, special.exp2, special.log1p):
        result = function(x)
        assert type(result) is xarr.Array
        assert result.device is device
        assert_same(numpy.asarray(result), function(xarr.to_numpy(x)), function.__name__)
    assert numpy.frompyfunc(lambda value: value + 1, 1, 1)(x).tolist() == [1.5, 2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "bool"])
@pytest.mark.parametrize("name", ["erf", "erfc", "gamma", "gammaln"])
def test_special_functions_that_xarr_has_run_on_the_device(
    name: str, dtype: str, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = getattr(pytest.importorskip("scipy.special"), name)
    needs("float64")
    values = numpy.asarray([0.5, 1, 5, 20]).astype(dtype)
    monkeypatch.setattr(numpy_protocols, "on_host", None)
    result = function(xarr.asarray(values))
    wanted = function(values)
    assert result.device is device
    assert result.dtype == wanted.dtype
    numpy.testing.assert_array_max_ulp(numpy.asarray(result), wanted, 8)
    out = xarr.zeros(4, dtype=wanted.dtype)
    assert function(xarr.asarray(values), out=out) is out
    assert_same(numpy.asarray(out), numpy.asarray(result), name)


def test_scipys_own_dispatch_finds_special_functions() -> None:
    pytest.importorskip("scipy.special")
    code = """
        import scipy.special, xarr
        from xarr.array import numpy_protocols, buffer_protocols
        x = xarr.asarray([0.5, 5.0])
        buffer_protocols.in_place = numpy_protocols.on_host = None
        for name in ("erf", "erfc", "gamma", "gammaln"):
            result = getattr(scipy.special, name)(x)
            assert result.tolist() == getattr(xarr.special, name)(x).tolist(), name
    """
    done = run_code(code, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr


def test_masked_arrays_keep_their_masks(cpu: xarr.Device) -> None:
    x = xarr.asarray([1.0, 2.0])
    masked = numpy.ma.masked_array([1.0, 2.0], mask=[False, True])
    for result in (masked + x, x + masked, x * masked):
        assert isinstance(result, numpy.ma.MaskedArray)
        assert result.mask.tolist() == [False, True]
    with pytest.raises(TypeError, match="filled"):
        xarr.sqrt(masked)
    assert xarr.sqrt(numpy.ma.masked_array([4.0])).tolist() == [2]


def test_masked_arrays_are_numpys(device: xarr.Device) -> None:
    warnings.simplefilter("ignore", HostFallbackWarning)
    x = xarr.asarray([1.0, 2.0, 4.0])
    masked = xarr.ma.array(x, mask=x > 3)  # type: ignore[attr-defined]
    assert type(masked) is numpy.ma.MaskedArray
    assert masked.mean() == 1.5
    assert xarr.ma is numpy.ma  # type: ignore[attr-defined]


def test_what_neither_takes_is_refused_in_xarrs_words(device: xarr.Device) -> None:
    warnings.simplefilter("ignore", HostFallbackWarning)
    x = xarr.ones(3)
    with pytest.raises(TypeError, match="sort"):
        numpy.sort(x, axis="a")
    with pytest.raises(TypeError):
        numpy.median(x, overwrite=3)

    class Other:
        def __array_function__(self, *given: Any) -> Any:
            return "its turn"

    assert numpy.concatenate([x, Other()]) == "its turn"


def read_back(x: Any) -> Any:
    file = io.BytesIO()
    numpy.save(file, x)
    file.seek(0)
    return numpy.load(file)


CALLS = """
{unique|median|gradient|cov|real_if_close|nanmean|poly1d}(x)
{isclose|allclose}(x, x)
histogram(x, bins=x[1:])[0]
einsum("i,i->", x, x)
apply_along_axis(lambda row: row.sum(), 0, x)
percentile(x, 30)
sort(x, kind="stable")
max(x, initial=0)
broadcast_arrays(x, None)[0]
fft.fft2(x[None])
linalg.cond(x[None])
poly1d(x)(2.0)
vectorize(lambda value: value + 1)(x)
asarray([float(value) for value in nditer(x)])
ma.masked_array(x, mask=asarray(x) > 2).mean()
r_[x, 1]
lib.stride_tricks.sliding_window_view(x, 2)
lib.stride_tricks.as_strided(x, (2,), (16,))
read_back(x)
array({[x[0], x[1]]|[x, x]})
"""


@each(CALLS)
def test_numpys_functions_take_arrays(cpu: xarr.Device, call: str) -> None:
    host = numpy.asarray([3.0, 1.0, 1.5])
    names = {**vars(numpy), "fft": numpy.fft, "ma": numpy.ma, "read_back": read_back}
    got, wanted = (eval(call, {**names, "x": x}) for x in (xarr.asarray(host), host))
    numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(wanted), rtol=1e-14)


def test_arrays_without_axes_are_numbers(device: xarr.Device) -> None:
    x = xarr.asarray([1.5, 2.0], dtype="float32")
    for number, kind in (
        (x.sum(), numpy.float32),
        (x.sum().astype("float32"), numbers.Real),
        (x.argmax(), numpy.integer),
        (x.argmax(), numbers.Integral),
        ((x > 0).all(), numpy.bool_),
        ((x * 1j).sum(), numbers.Complex),
    ):
        assert isinstance(number, kind)
        assert isinstance(number, xarr.Array)
        assert type(number) is xarr.Array
        assert type(pickle.loads(pickle.dumps(number))) is xarr.Array
    double = xarr.ones((), dtype="float64") if device.has_float64 else x.sum()
    assert isinstance(double, numpy.floating)
    assert not isinstance(double, float)
    assert numpy.isscalar(double)
    assert not isinstance(x, numbers.Number)
    assert not numpy.isscalar(x)


def test_arrays_of_pyopencl_are_taken(device: xarr.Device) -> None:
    cl = pytest.importorskip("pyopencl")
    array = pytest.importorskip("pyopencl.array")
    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    host = numpy.arange(6, dtype="float32").reshape(2, 3)
    given = array.to_device(cl.CommandQueue(context), host)
    assert_same(numpy.asarray(xarr.asarray(given)), host, "asarray")
    assert xarr.asarray(given, dtype="int32").dtype == numpy.int32


def test_numpys_assertions_take_arrays(cpu: xarr.Device) -> None:
    x = xarr.asarray([1.0, 2.0])
    numpy.testing.assert_allclose(x, x + 1e-9, atol=xarr.asarray(1e-6))
    numpy.testing.assert_array_equal(x, [1, 2])
    numpy.testing.assert_array_almost_equal(x, x)
    with pytest.raises(AssertionError):
        numpy.testing.assert_allclose(x, x + 1)


def test_sharing_ends_with_the_view(cpu: xarr.Device) -> None:
    before = len(cpu.shared)
    x = xarr.asarray([1.0, 2.0])
    seen = [numpy.asarray(x), x.__array__(), numpy.asarray(x[::-1]), memoryview(numpy.asarray(x))]
    assert len(cpu.shared) == before + 1
    del seen
    assert len(cpu.shared) == before
    assert numpy.asarray(x).tolist() == [1, 2]
    assert len(cpu.shared) == before
