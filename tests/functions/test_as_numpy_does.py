"""What functions accept, refuse and warn of beside their values, as NumPy does."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import check, each
from xarr.algorithms import library


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "float16"])
def test_the_imaginary_part_of_what_is_real_is_zero(dtype: str) -> None:
    got = xarr.imag(xarr.ones(3, dtype=dtype))
    wanted = numpy.imag(numpy.ones(3, dtype=dtype))
    assert got.dtype == wanted.dtype
    assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("compute", "text"),
    [
        (lambda np: np.mean([]), "Mean of empty slice"),
        (lambda np: np.mean(np.ones((0, 3)), axis=0), "Mean of empty slice"),
        (lambda np: np.ones((0, 3)).mean(), "Mean of empty slice"),
        (lambda np: np.var(np.ones((0, 3)), axis=0), "Degrees of freedom"),
        (lambda np: np.std([1.0, 2.0], ddof=2), "Degrees of freedom"),
    ],
)
def test_results_of_too_few_elements_are_warned_of(
    compute: Callable[[Any], Any], text: str
) -> None:
    with numpy.errstate(all="ignore"), pytest.warns(RuntimeWarning, match=text):
        wanted = compute(numpy)
    with pytest.warns(RuntimeWarning, match=text) as records:
        got = compute(xarr)
    assert got.shape == wanted.shape
    assert xarr.isnan(got).all()
    assert records[0].filename == __file__


@pytest.mark.parametrize(
    ("name", "text"), [("mean", "Mean of empty"), ("var", "Degrees of freedom")]
)
def test_chosen_elements_that_are_too_few_are_warned_of_on_cpus(name: str, text: str) -> None:
    x, nothing = xarr.ones(3), xarr.zeros(3, dtype="bool")
    on_cpu = library.is_preferred(x.device)
    with pytest.warns(RuntimeWarning, match=text) if on_cpu else contextlib.nullcontext():
        got = getattr(xarr, name)(x, where=nothing)
    assert bool(xarr.isnan(got))


def test_one_divisor_is_accepted() -> None:
    x = xarr.asarray([1.0, 2.0, 4.0])
    assert float(xarr.var(x, correction=1)) == float(xarr.var(x, ddof=1)) == pytest.approx(7 / 3)
    assert float(xarr.var(x, ddof=0, correction=1)) == float(xarr.var(x, ddof=1))
    assert float(xarr.var(x, ddof=1, correction=0)) == float(xarr.var(x, ddof=1))
    for both in ({"ddof": 1, "correction": 2}, {"ddof": 1, "correction": 1}):
        with pytest.raises(ValueError, match="simultaneously"):
            xarr.std(x, **both)


def test_modes_of_convolutions_may_be_numbers() -> None:
    for mode in (0, 1, 2):
        got = xarr.convolve([1, 2, 3], [0, 1], mode)
        assert got.tolist() == numpy.convolve([1, 2, 3], [0, 1], mode).tolist()
    with pytest.raises(TypeError):
        xarr.convolve([1], [1], mode=None)
    with pytest.raises(ValueError, match="mode"):
        xarr.correlate([1], [1], mode=-1)


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


def test_what_has_a_complex_data_type_is_complex() -> None:
    class Column:
        def __init__(self, dtype: Any) -> None:
            self.dtype = dtype

    assert xarr.iscomplexobj(Column(numpy.dtype("complex64")))
    assert xarr.isrealobj(Column(numpy.dtype("float64")))
    assert xarr.iscomplexobj(numpy.complex64(1))


def test_numbers_take_the_type_of_the_arrays_they_are_chosen_beside() -> None:
    for choices in ((1.0, numpy.float32(3)), (5, numpy.asarray([1], "uint8")), ([1, 2], 1.5)):
        got = xarr.choose([0, 1], choices)
        wanted = numpy.choose([0, 1], choices)
        assert got.dtype == wanted.dtype
        assert got.tolist() == wanted.tolist()


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
    assert xarr.asarray(Held(numpy.arange(2, dtype="int16"))).dtype == xarr.int16
    y = xarr.zeros(3)
    y[...] = held
    assert y.tolist() == [0, 1, 2]


def test_methods_take_what_numpys_take() -> None:
    x = xarr.asarray([1 - 1j, 2j])
    out = xarr.empty_like(x)
    assert x.conj(out) is out
    assert out.tolist() == [1 + 1j, -2j]
    assert xarr.asarray([1, 0]).choose([1, 2], [3, 4]).tolist() == [3, 2]
    with pytest.raises(TypeError):
        xarr.eye(3).resize(refcheck="no")
    with pytest.raises(TypeError):
        xarr.partition(xarr.ones(3), 1, kind=1)
    with pytest.raises(ValueError, match="frombuffer"):
        xarr.fromstring("12")


def test_an_axis_of_one_element_has_any_stride() -> None:
    x = xarr.reshape(xarr.arange(6, dtype="int64"), (1, 2, 3))
    assert xarr.lib.stride_tricks.as_strided(x, strides=(-1, 24, 8)).tolist() == x.tolist()


@pytest.mark.parametrize("name", ["sum", "max", "all", "count_nonzero", "argmax", "mean", "var"])
@pytest.mark.parametrize("axis", [0, -1, 1])
def test_a_number_is_a_line_for_what_numpy_reduces_so(name: str, axis: int) -> None:
    try:
        wanted = getattr(numpy, name)(numpy.asarray(3.0), axis=axis)
    except numpy.exceptions.AxisError:
        with pytest.raises(numpy.exceptions.AxisError):
            getattr(xarr, name)(xarr.asarray(3.0), axis=axis)
    else:
        got = getattr(xarr, name)(xarr.asarray(3.0), axis=axis)
        assert (got.shape, got.tolist()) == ((), wanted.tolist())


def test_the_type_of_values_of_another_byte_order_is_the_one_they_get() -> None:
    swapped = numpy.asarray([1], ">i2")
    assert xarr.result_type(swapped, xarr.int8) == xarr.asarray(swapped).dtype == xarr.int16


def test_no_indices_are_integers() -> None:
    for empty in ([], (), range(0)):
        assert xarr.ix_(empty)[0].dtype == xarr.int64


def test_lines_sorted_in_place_have_an_axis() -> None:
    for method in (lambda x: x.sort(axis=None), lambda x: x.partition(1, axis=None)):
        with pytest.raises(TypeError):
            method(xarr.ones((2, 2)))


_STATEMENTS = [
    *(
        f"np.{name}(np.arange(10).reshape(2, 5) + {shift}, axis={axis}, dtype='{dtype}'{more})"
        for name in ("mean", "var", "std")
        for shift in (0, 0.5)
        for axis in (None, 1)
        for dtype in ("int64", "int32", "uint8")
        for more in ("", ", where=np.arange(5) > 1")
        if name != "std" or axis is None
    ),
    *(
        f"np.{name}(np.ones(3, '{x1}'), np.ones(3, '{x2}'))"
        for name in ("arctan2", "hypot", "copysign", "logaddexp")
        for x1, x2 in (("int8", "uint8"), ("int8", "uint16"), ("int16", "uint16"), ("bool", "int8"))
    ),
    *(f"np.fft.{name}(np.ones(4, 'float16'))" for name in ("irfft", "hfft", "rfft")),
    *(f"np.sort_complex(np.ones(4, '{dtype}'))" for dtype in ("int8", "float32", "int32")),
    "np.mgrid[np.array([1.0]) : np.array([2.0]) : 3j]",
    "np.mgrid[np.array([1.0]) : np.array([2.0]) : 3j, 0:2]",
    "np.argsort(np.array(1))",
    "np.array(1).argsort(axis=0)",
    "np.argpartition(np.array(5), 0)",
    "np.broadcast_to(np.asfortranarray(np.arange(6).reshape(2, 3)), (2, 2, 3)).ravel('K')",
    "np.unwrap(np.array([0, 200, 10, 255], 'uint8'))",
    "np.unwrap(np.array([0, 120, -120, 5], 'int8'), period=100)",
    *(f"np.arange(4).reshape((2, 2), order='{order}')" for order in "cfa"),
    *(f"np.ravel(np.arange(6).reshape(2, 3).T, order='{order}')" for order in "cfak"),
    *(f"np.zeros((2, 3), order='{order}').strides" for order in "cf"),
    *(f"np.array([[1, 2], [3, 4]], order='{order}').strides" for order in "cfak"),
    *(f"np.arange(6).reshape(2, 3).T.copy('{order}').strides" for order in "cfak"),
    *(f"np.arange(6).reshape(2, 3).astype(float, '{order}').strides" for order in "cfa"),
    *(f"np.unravel_index(3, (2, 3), order='{order}')" for order in "cf"),
    *(f"np.ravel_multi_index(([1], [2]), (2, 3), order={order})" for order in ("'f'", "None")),
    *(
        f"np.array([1+2j, 1+1j, complex(np.nan, 1), complex(1, np.nan), 2-1j, 1+2j]) {sign} {other}"
        for sign in ("<", "<=", ">", ">=")
        for other in ("np.array([1+2j, 1+2j, 0j, 2+0j, complex(2, np.nan), 1+1j])", "1+1j", "1")
    ),
    *(
        f"np.{name}(np.array({values}), out=np.zeros({3 if 'cum' in name else '()'}, '{dtype}'))"
        for name in ("sum", "prod", "cumsum", "cumprod", "nansum", "nancumsum", "nancumprod")
        for values in ("[1, 0, 300]", "[True, False, True]", "[1, -1, 0]", "[0.5, 1.5, 0.7]")
        for dtype in ("bool", "uint8")
    ),
    *(
        f"np.{name}(np.array([1.5, 300.25]), out=np.zeros((), 'int8'))"
        for name in ("max", "min", "any", "argmax")
    ),
    "np.nan_to_num(np.array([1, np.nan, np.inf, -np.inf]), nan=np.arange(4.0), posinf=[5.0])",
    *(
        f"np.digitize(np.array([1.0, 2.0, np.nan]), np.array({bins}), right={right})"
        for bins in ("[np.nan, np.nan]", "[0.0, np.nan]", "[3.0, 1.0]", "[2.0, 2.0]")
        for right in (False, True)
    ),
    *(
        f"(x := np.arange(3), np.copyto(x, 7, where={mask}))[0]"
        for mask in ("1", "0", "1.0", "[1, 0, 1]")
    ),
    "np.trapezoid(np.array([True, False, True]), x=np.array([True, False, True]))",
    "np.take(np.array(5), 0, axis=0)",
    "np.take(np.array(5), [0, 0])",
    "np.squeeze(np.array(5), axis=-1)",
    "np.sort(np.array(5), axis=None)",
    "np.cumulative_sum(np.array(5))",
    "np.cumulative_prod(np.array(5), include_initial=True)",
    "np.cumulative_sum(np.array(5), axis=0)",
]


@pytest.mark.parametrize("call", _STATEMENTS)
def test_statements_give_what_numpy_gives(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, wanted = (numpy.asarray(eval(call, {"np": module})) for module in (xarr, numpy))
    assert found.dtype == wanted.dtype
    numpy.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert found.shape == wanted.shape


REFUSED = """
np.putmask(np.arange(3), [1, 0, 1], np.array([1.5])) ! TypeError
np.unwrap(np.array([0, 200], 'uint8'), period=100) ! OverflowError
np.copyto(np.arange(3), 7, where=np.arange(3)) ! TypeError
np.nan_to_num(np.ones(3), nan=np.ones((2, 3))) ! ValueError
np.mgrid[np.array([1.0, 2.0]) : np.array([2.0, 3.0]) : 3j] ! ValueError
np.zeros(3, order='x') ! ValueError
np.digitize(np.array([1.0]), np.array([1.0, 3.0, 2.0])) ! ValueError
"""


@each(REFUSED)
def test_statements_are_refused_as_numpy_does(call: str) -> None:
    check(call)
