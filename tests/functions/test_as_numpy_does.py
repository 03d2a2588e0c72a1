"""What functions accept, refuse and warn of beside their values, as NumPy does."""

from __future__ import annotations

import contextlib
import itertools
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import DTYPES, has
from tests.functions.calls import check, each, each_line, ran
from tests.reference import assert_same
from xarr.ops import vendor

CALLS = """
np.imag(np.ones(3, dtype="{float32|int16|bool|float16}"))
{np.mean([])|np.mean(np.ones((0, 3)), axis=0)|np.ones((0, 3)).mean()} ! RuntimeWarning: Mean of
np.{var(np.ones((0, 3)), axis=0)|std([3.0], ddof=1)} ! RuntimeWarning: Degrees of freedom
np.var([1.0, 2.0, 4.0], {correction=1|ddof=1|ddof=0, correction=1})
np.std([1.0, 2.0, 4.0], ddof=1, correction={1|2}) ! ValueError: simultaneously
np.{real|imag}({1|1.5|2j|True})
np.{sort|argsort}(np.ones(3), kind="stable", stable=False) ! ValueError
np.{sort(np.ones(2), kind|searchsorted([1], 1, side|packbits([1], bitorder}=1) ! TypeError
np.{percentile|nanpercentile}(np.array([1.5, 2]), 50, out=np.zeros({1|(2, 3)}))
np.percentile(np.array([1.5, 2]), 50, out=np.zeros(1), method="lower") ! ValueError
u, s, v = np.linalg.svd(np.diag([0.0, 1, 0]), hermitian=True); u = v = v @ v.T
np.linalg.lstsq(np.diag([1, 1.5e-16]), np.ones(2), rcond={-1|None})[2]
np.polynomial.polynomial.polyval({2|2.5|2j}, np.array([1, 2], "{int8|float32|float64}"))
np.polynomial.Polynomial(*3 * [np.array([-1, 1], "{float32|float64}")])({2|2.5})
p = np.poly1d([1, 2]); p.{c|coeffs} = np.ones(2) ! AttributeError
p = np.poly1d([1, 2]); p.coeffs += 1; p = p.coeffs
np.histogramdd(np.ones((1, 10)), bins=2**10) ! ValueError
np.fft.{fft|rfftn}(np.ones(4), out=np.zeros((2, 2))) ! ValueError
np.fft.fftn(np.ones((2, 3)), s=(2, None), axes=(0, 1)) ! DeprecationWarning: containing `None`
np.arange(3).flat[{None|[True, True]|numpy.True_}] ! IndexError
np.{matmul|vecdot}.{reduce|accumulate}(np.ones((2, 2))) ! RuntimeError
np.{matmul.outer(|matmul.at(|vecdot.at(}np.ones((2, 2)), np.ones((2, 2))) ! TypeError
np.convolve([1, 2, 3], [0, 1], {0|1|2})
np.convolve([1], [1], mode=None) ! TypeError
np.correlate([1], [1], mode=-1) ! ValueError: mode
np.{iscomplexobj|isrealobj}({space(dtype=numpy.dtype("{complex64|float64}"))|numpy.complex64(1)})
np.choose([0, 1], {(1.0, numpy.float32(3))|(5, numpy.asarray([1], "uint8"))|([1, 2], 1.5)})
x = np.asarray([1 - 1j, 2j]); y = np.empty_like(x); z = x.conj(y) is y
np.asarray([1, 0]).choose([1, 2], [3, 4])
np.eye(3).resize(refcheck="no") ! TypeError
np.partition(np.ones(3), 1, kind=1) ! TypeError
np.{sum|max|all|argmax|count_nonzero}(np.asarray(3.0), axis={0|-1})
np.{sum|max|all|argmax|count_nonzero}(np.asarray(3.0), axis=1) ! AxisError
np.{mean|var}(np.asarray(3.0), axis={0|-1|1}) ! AxisError
np.ix_({[]|()|range(0)})
np.ones((2, 2)).{sort(axis=None)|partition(1, axis=None)} ! TypeError
np.{mean|var}(i{| + 0.5}, axis={None|1}, dtype="{int64|int32|uint8}"{|, where=w})
np.std(i{| + 0.5}, dtype="{int64|int32|uint8}"{|, where=w})
np.{arctan2|hypot|copysign|logaddexp}(
... *(np.ones(3, kind) for kind in ("{int8", "uint8|int8", "uint16|int16", "uint16|bool", "int8}")))
np.fft.{irfft|hfft|rfft}(np.ones(4, "float16"))
np.sort_complex(np.ones(4, "{int8|float32|int32}"))
np.mgrid[np.array([1.0]) : np.array([2.0]) : 3j{|, 0:2}]
{np.argsort(np.array(1))|np.array(1).argsort(axis=0)|np.argpartition(np.array(5), 0)}
np.broadcast_to(np.asfortranarray(np.arange(6).reshape(2, 3)), (2, 2, 3)).ravel("K")
np.unwrap({np.array([0, 200, 10, 255], "uint8")|np.array([0, 120, -120, 5], "int8"), period=100})
np.arange(4).reshape((2, 2), order="{c|f|a}")
np.ravel(np.arange(6).reshape(2, 3).T, order="{c|f|a|k}")
np.zeros((2, 3), order="{c|f}").strides
np.array([[1, 2], [3, 4]], order="{c|f|a|k}").strides
np.arange(6).reshape(2, 3).T.copy("{c|f|a|k}").strides
np.arange(6).reshape(2, 3).astype(float, "{c|f|a}").strides
np.unravel_index(3, (2, 3), order="{c|f}")
np.ravel_multi_index(([1], [2]), (2, 3), order={"f"|None})
c {<|<=|>|>=} {np.array([1 + 2j, 1 + 2j, 0j, 2, complex(2, nan), 1 + 1j])|1 + 1j|1}
np.{sum|prod|nansum}(np.array({v}), out=np.zeros((), "{bool|uint8}"))
np.{cumsum|cumprod|nancumsum|nancumprod}(np.array({v}), out=np.zeros(3, "{bool|uint8}"))
np.{max|min|any|argmax}(np.array([1.5, 300.25]), out=np.zeros((), "int8"))
np.nan_to_num(np.array([1, nan, inf, -inf]), nan=np.arange(4.0), posinf=[5.0])
np.digitize(np.array([1.0, 2.0, nan]), np.array({[nan, nan]|[0.0, nan]|[3.0, 1.0]}), right={b})
np.digitize(np.array([1.0, 2.0, nan]), np.array([2.0, 2.0]), right={b})
x = np.arange(3); np.copyto(x, 7, where={1|0|1.0|[1, 0, 1]})
np.trapezoid(np.array([True, False, True]), x=np.array([True, False, True]))
np.take(np.array(5), {0, axis=0|[0, 0]})
{np.squeeze(np.array(5), axis=-1)|np.sort(np.array(5), axis=None)}
np.{cumulative_sum(np.array(5){|, axis=0})|cumulative_prod(np.array(5), include_initial=True)}
np.{nanargmax|nanargmin|nanmax|nansum}(np.asarray(3.0), axis={0|-1})
np.nanargmax(np.asarray(3.0), axis={0|-1}, keepdims=True)
np.nanargmax(np.asarray(3.0), axis=1) ! AxisError
np.repeat(np.asarray(3.0), {2|[2]}, axis={0|-1})
np.repeat(np.arange(3), {2.0|2.7|True|[2.0, 1.9, 0]|numpy.float32(2)|[2]})
np.repeat(np.zeros(0), [])
np.repeat(np.arange(3), {np.asarray([2.0])|numpy.ones(3)}) ! TypeError
np.repeat(np.arange(3), -1.5) ! ValueError
np.lexsort({[3, 1, 2]|np.asarray([3, 1, 2])|(1, 2)})
np.permute_dims(np.arange(6).reshape(2, 3){|, None|, (1, 0)})
np.permute_dims(axes=(1, 0), a=np.arange(6).reshape(2, 3))
np.broadcast_to(np.zeros(1), (2**{60|62|63},)) ! ValueError
np.broadcast_to(np.zeros(1), (2**59,)).shape
np.bincount([2**{50|62}]) ! MemoryError: work in smaller pieces
np.{ptp|median|nanmedian|nanmean|nanmax|nanmin|max}(np.array([1, 5, 2]), out=np.zeros(()))
np.{median|nanmedian|nanmax|nanmin|max}(np.array([1.5, 5, 2.5]), out=np.zeros((), "{int64|int8}"))
np.{median|nanmedian|nanmean|ptp}(np.array([1, 5, 3, 3]), out=np.zeros((), int))
np.{nanquantile([1.5, 2], 0.5|nanpercentile([1, 2.5], 50}, out=np.zeros((), int))
np.{ptp|nanmean|nanvar}(np.array([1.5, 5]), out=np.zeros((), int)) ! TypeError
np.{quantile([1.5, 2], 0.5|percentile([1.5, 2], 50}, out=np.zeros((), int)) ! TypeError
np.geomspace(1, -100, num={0|1|2|3}{|, dtype=complex})
np.geomspace({-1, 8, 4|1, 8, 4, dtype=complex|-1, -8, 4, dtype="complex64"})
np.geomspace({0, 1|1, 0|0, 0, 0}) ! ValueError
np.meshgrid([[1, 2], [3, 4]], [5, 6, 7])
np.{min|max|sum|prod|nanmin|nansum}(np.array([1, 2], "{int8|int64}"), initial=nan) ! ValueError
np.{min|max|sum|prod|nanmin|nansum}(np.array([1, 2]), initial={inf|2**64}) ! OverflowError
np.zeros(2).fill({[1.0]|[]|np.ones(2)}) ! ValueError
np.array([1, 2]).{min|max|sum|prod}(initial=nan) ! ValueError
np.sum(np.zeros((0, 3), int), axis={0|1|None}, initial=nan) ! ValueError
np.sum([1, 2], where={numpy.float64(1)|numpy.int8(0)})
np.place(np.arange(3), [1, 0, 1], np.array([2.7])) ! TypeError: place(arr, mask, vals)
np.place(np.ones(3, "uint64"), [1, 0, 1], np.array([{2.7|-5}])) ! TypeError
np.place(np.ones(3), [1, 0, 1], np.array([1j])) ! TypeError
x = np.arange(3); np.place(x, [1, 0, 1], {[2.7]|2.7|np.array([7], "int8")})
x = np.arange(3); np.copyto(x, {2.7|7|True}, casting="unsafe")
np.put(np.zeros({0|(3, 0)}), 0, []) ! IndexError
np.put(np.arange(3), [], [], mode="other") ! ValueError
np.interp([1.0], [0, 1], [2, 3], {left|right}=1j) ! TypeError
np.nan_to_num(np.ones(2), nan=numpy.complex64(1j)) ! TypeError
np.linalg.vector_norm(np.zeros({0|2}), ord="fro") ! ValueError
np.linalg.{norm(np.zeros(0)|norm(np.zeros((0, 3))|vector_norm(np.zeros(0)}, ord=-inf) ! ValueError
np.polyval(np.zeros((0, 3)), np.zeros(2))
np.histogramdd(np.zeros((3, 0))) ! ValueError
np.delete(np.zeros({(0, 3)|(2, 0, 3)}), {1|slice(1, 2)|[0, 2]}, axis=-1)
np.insert(np.zeros({(0, 3)|(2, 0, 3)}), {1|slice(1, 2)|[0, 2]}, {7|[7]}, axis=-1)
np.putmask(np.arange(3), [1, 0, 1], np.array([1.5])) ! TypeError
np.unwrap(np.array([0, 200], "uint8"), period=100) ! OverflowError
np.copyto(np.arange(3), 7, where=np.arange(3)) ! TypeError
np.nan_to_num(np.ones(3), nan=np.ones((2, 3))) ! ValueError
np.mgrid[np.array([1.0, 2.0]) : np.array([2.0, 3.0]) : 3j] ! ValueError
np.zeros(3, order="x") ! ValueError
np.digitize(np.array([1.0]), np.array([1.0, 3.0, 2.0])) ! ValueError
np.clip(np.array([-1, 0, 5], "int8"), 0, 1, dtype="bool", casting="unsafe")
np.clip(np.ones(2, "int8"), 0, 1, dtype="bool") ! TypeError
np.round({[1.5, -2.5]|[1 + 2j]}, {400|-400})
np.round({[1.26]|[12, 15]|[1.25 + 2j]}, True)
np.round([1.26], {1.0|np.asarray(1.0)}) ! TypeError
np.roll([1, 2, 3], {True|2.0|2.7|(2.0, 1)|[-1.5]|np.asarray([1.5])}, 0)
np.roll([1, 2, 3], {nan|[[1]]}) ! ValueError
np.take(np.array([1, 2, 3]), {True|2.0|[2.7, 1]|numpy.float32(2)|(1.0,)})
np.take(np.array([1, 2, 3]), {np.array(2.0)|1j}) ! TypeError
np.take(np.array([1, 2, 3]), nan) ! ValueError
x = np.arange(3); np.put(x, {1.0|[2.5, 0]}, 5)
np.take(np.zeros((0, {0|3})), [{0|7}], axis=-1{|, mode="clip"})
np.take(np.zeros({(0, 0)|(0, 3)}), [0], axis=0) ! IndexError
np.take(np.zeros((3, 0)), [0], axis=1) ! IndexError
np.take(np.zeros((0, 3)), [7], axis=1, mode="x") ! ValueError
np.{take(np.array([1, 0, 3]), [0, 2]|compress([1, 0, 1], np.array([1, 0, 3])},
... out=np.zeros(2, "int8"))
np.{argmax|argmin|nanargmax}(np.array([1, 2.0]), out=np.zeros((), "{bool|int8|uint32}"))
np.{argmax|argmin|nanargmax}(np.array([1, 2.0]), out=np.zeros((), "{float64|uint64}")) ! TypeError
np.array([1, 2.0]).argmax(out=np.zeros(())) ! TypeError
np.choose([0, 1], [[1, 2], [3, 4.5]], out=np.zeros(2, "{int8|float32}"))
np.std(np.array([1, 2, 3]), dtype="int32", out=np.zeros((), "{int32|int64}")) ! TypeError
np.bincount([1, 2], minlength={2**63|-2**63 - 1}) ! OverflowError
np.repeat(np.arange(2), np.array([1, 2], "uint64")) ! TypeError
np.linalg.matrix_norm(np.ones((2, 2), "float16"), ord={"fro"|1|-1|inf})
np.linalg.matrix_norm(np.ones((2, 2), "float16"), ord={"nuc"|2}) ! TypeError
np.dot({np.arange(4, dtype="i4"), 2**40|np.arange(4, dtype="f4"), 2.0})
{np.inner(3, i[0])|np.kron(i[0], 3)|np.outer(i[0], {3|True})}
np.clip(np.arange(4, dtype="u1"), {-1, 129|-1, 5|3, 2**300|None, 2**300|-(2**65), 2**65})
np.clip(np.arange(4, dtype="u1"), {300, None|None, -1|-300, -1|300, 400}) ! OverflowError
np.arange(4, dtype="i4").clip({max=2**40|1, 2**70})
np.clip(np.arange(4, dtype="i1"), np.full(4, 500), 400)
x = np.arange(4, dtype="i4"); x.flat[{:2] = -(2**62)|[0, 1]] = [-(2**62), 1]} ! OverflowError
np.take(np.arange(4), np.asarray([3, 0], dtype="uint64"))
np.add([np.asarray(1.5), 2], [1, np.asarray(1.5)])
np.ones(2) * [np.asarray(1.5), 5]
{np.sum(range(3))|np.clip(numpy.float32(7), 1, 2)|np.matmul(np.ones(2, "f4"), [1, 2])}
x = np.ones(3); x{|[0]|[1:]} += {None|"a"|b"a"|object()|set()} ! TypeError: unsupported operand
"""
CALLS = CALLS.replace("{v}", "{[1, 0, 300]|[True, False, True]|[1, -1, 0]|[0.5, 1.5, 0.7]}")
CALLS = CALLS.replace("{b}", "{False|True}")


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    c = np.array([1 + 2j, 1 + 1j, complex(np.nan, 1), complex(1, np.nan), 2 - 1j, 1 + 2j])
    names = {"space": SimpleNamespace, "complex": complex}
    check(call, near=1e-6, names=names, c=c, w=np.arange(5) > 1, i=np.arange(10).reshape(2, 5))


@pytest.mark.parametrize("call", ["np.take(x, [1, 0], out=out)", "np.compress([1, 1], x, out=out)"])
def test_out_of_another_kind_is_written_and_deprecated(call: str) -> None:
    """Results are those of NumPy 2.5: older ones refuse some pairs of types, and warn of none."""

    def written(module: Any, given: str, held: str) -> tuple[Any, bool]:
        x, out = module.asarray(np.asarray([1, 3]).astype(given)), module.zeros(2, dtype=held)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            ran(call, {"np": module, "x": x, "out": out})
        kinds = [one.category for one in told if module is np or one.filename == "a call"]
        return out, DeprecationWarning in kinds

    values = [3, 1] if "take" in call else [1, 3]
    for given, held in itertools.product(filter(has, DTYPES), repeat=2):
        out, is_deprecated = written(xarr, given, held)
        assert_same(np.asarray(out), np.asarray(values).astype(given).real.astype(held), call)
        assert is_deprecated == (not np.can_cast(given, held, "same_kind")), (given, held)
        if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
            theirs, is_deprecated_there = written(np, given, held)
            assert_same(np.asarray(out), theirs, call)
            assert is_deprecated == is_deprecated_there, (given, held)


@each("np.{take(i, |put(i, |insert(i, }{2**64 - 1|[2**63]|np.asarray([2**64 - 1], 'u8')}")
def test_an_index_beyond_int64_is_out_of_range(call: str) -> None:
    with pytest.raises(IndexError):
        eval(f"{call}{', 5' * ('take' not in call)})", {"np": xarr, "i": xarr.arange(4)})


def test_what_numpy_refuses_is_accepted() -> None:
    x = xarr.asarray([1.0, 2.0, 4.0])
    assert float(xarr.var(x, ddof=1, correction=0)) == float(xarr.var(x, ddof=1))
    x = xarr.reshape(xarr.arange(6, dtype="int64"), (1, 2, 3))  # an axis of one element
    assert xarr.lib.stride_tricks.as_strided(x, strides=(-1, 24, 8)).tolist() == x.tolist()
    with pytest.raises(ValueError, match="frombuffer"):
        xarr.fromstring("12")
    swapped = np.asarray([1], ">i2")
    assert xarr.result_type(swapped, xarr.int8) == xarr.asarray(swapped).dtype == xarr.int16


@pytest.mark.parametrize(
    ("name", "text"), [("mean", "Mean of empty"), ("var", "Degrees of freedom")]
)
def test_chosen_elements_that_are_too_few_are_warned_of_on_cpus(name: str, text: str) -> None:
    x, nothing = xarr.ones(3), xarr.zeros(3, dtype="bool")
    on_cpu = vendor.runs_on_numpy(x.device)
    with pytest.warns(RuntimeWarning, match=text) if on_cpu else contextlib.nullcontext():
        got = getattr(xarr, name)(x, where=nothing)
    assert bool(xarr.isnan(got))


def test_an_object_may_add_itself_in_place() -> None:
    class Adding:
        def __radd__(self, other: Any) -> Any:
            return other.shape

    x = xarr.ones(3)
    x += Adding()
    assert x == (3,)


def test_broadcasts_of_broadcasts_have_the_arrays_of_both() -> None:
    arrays = [xarr.ones((3, 1)), xarr.ones(2), xarr.ones((1, 1))]
    both = xarr.broadcast(xarr.broadcast(*arrays[:2]), arrays[2])
    assert (both.shape, both.numiter) == ((3, 2), 3)
    assert all(part.base is array for part, array in zip(both.iters, arrays, strict=True))
    assert [len(part) for part in both.iters] == [6, 6, 6]
    with pytest.raises(ValueError, match="65 arrays"):
        xarr.broadcast(*[1] * 65)
    with pytest.raises(ValueError, match="options"):
        xarr.broadcast(1, out=2)


def test_the_size_of_an_object_is_that_of_its_own_elements() -> None:
    x = xarr.ones(100)
    assert sys.getsizeof(x) > x.nbytes
    assert sys.getsizeof(x[...]) < x.nbytes


def test_an_object_may_answer_with_an_array() -> None:
    class Held:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            return self.array

    x = xarr.arange(3)
    held = Held(x)
    assert xarr.asarray(held) is x
    assert xarr.array(held, dtype="float32").dtype == xarr.float32
    assert xarr.sum(held).tolist() == 3
    assert xarr.add(held, 1).tolist() == [1, 2, 3]
    assert xarr.asarray(Held(np.arange(2, dtype="int16"))).dtype == xarr.int16
    y = xarr.zeros(3)
    y[...] = held
    assert y.tolist() == [0, 1, 2]
