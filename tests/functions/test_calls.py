"""Indices, places, padding, joining, sets, grids and memory orders as NumPy spells them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import device
from tests.functions.calls import check, each, each_line
from tests.reference import assert_same

FIRST = np.arange(12).reshape(3, 4)
GIVEN: dict[str, Any] = {"x": FIRST.astype("f4"), "i": FIRST.astype("i4")}
GIVEN |= {"z": np.zeros((9, 9)), "cube": np.zeros((3, 3, 3))}

PLACES = """
np.unravel_index(np.asarray([[5, 11], [0, 3]]), (3, 4))
np.unravel_index({np.asarray([5, 11]), (3, 4), order="F"|[22, 41, 37], (7, 6)})
np.unravel_index({1621, (6, 7, 8, 9)|np.argmax(x), (3, 4)})
np.unravel_index({[12]|-1}, (3, 4)) ! ValueError
np.unravel_index([1.5], (3, 4)) ! TypeError
np.ravel_multi_index(np.asarray([[3, 6, 6], [4, 5, 1]]), (7, 6))
np.ravel_multi_index(([3, 6], [4, 5]), (7, 6), order="F")
np.ravel_multi_index(([3, 9], [4, -5]), (4, 6){, mode="clip"|, ("clip", "wrap")})
np.ravel_multi_index(([3, 9], [4, 5]), (4, 6)) ! ValueError
np.ravel_multi_index(([3, -1], [4, 5]), (4, 6)) ! ValueError
np.diag_indices(3, 3)
np.diag_indices_from(np.zeros((4, 4)))
np.diag_indices_from(np.zeros((4, 3))) ! ValueError
np.tril_indices(4, 1, 3)
np.triu_indices(3, -1, 5)
np.tril_indices_from(x, -1)
np.triu_indices_from(x)
np.triu_indices_from(np.arange(3)) ! ValueError
np.mask_indices(4, np.tril, -1)
x[np.ix_({[0, 2], [True, False, True, True]|[], [1]})]
np.ix_([[0]], [1]) ! ValueError
np.put({x, [0, -1, 5, 5], [7, 8, 9]|x.T, [0, -1, 5], 7.5|x, [50, -50], [1, 2], mode="clip"})
np.put(x, [50, -50], [1, 2], mode="wrap")
np.put(x, [12], 1) ! IndexError
np.putmask({x, x > 4, [1, 2, 3, 4, 5]|i, x > 4, -i})
np.place({x, x > 4, [-1, -2, -3]|x[:, ::2], x[:, 1::2] > 4, [-1, -2]})
np.place(x, x > 4, []) ! ValueError
np.put_along_axis(x, np.asarray([[1], [0], [3]]), 9, axis=1)
np.put_along_axis(x, np.asarray([[1, 0, 2, -1]]), np.asarray([[5, 6, 7, 8]]), 0)
np.put_along_axis(x, np.asarray([1, 7]), [3, 4], None)
np.put_along_axis(x, np.asarray([1, 7]), [3, 4], 0) ! ValueError
np.fill_diagonal({x, 5|z[:5, :5], [1, 2]|z[:7, :3], [1, 2]|z[:, :3], [1, 2, 3, 4], True})
np.fill_diagonal({cube, 2|z[:6:2, 5::-1], 2})
np.fill_diagonal(np.zeros(3), 2) ! ValueError
np.choose([2, 3, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])
np.choose(np.asarray([[1, 0, 1], [0, 1, 0]]), [-10.5, 10])
np.choose([2, 4, 1, 0, -1], (1, 2, 3){, mode="wrap"|, mode="clip"})
np.choose(np.arange(20)[::-1], [np.arange(20) * k for k in range(20)])
np.choose([0, 1], [[1, 2], [3, 4]], np.zeros(2))
np.choose({[2, 0]|[-1, 0]}, (1, 2)) ! ValueError
np.compress({[0, 1], x, axis=0|[False, True, True], x})
np.compress([0, 1, 1, 1], x, axis=0) ! IndexError
np.compress([[0, 1]], x, axis=0) ! ValueError
np.extract({x % 3 == 0, x|[1, 0, 1], [5, 6, 7]})
np.select([x < 3, x > 5], [x, x ** 2], 42)
np.select({[x < 3, x > 5], [1, 2.5]|[x < 7, x > 2], [1, 2]})
np.select([x < 3], [1, 2]) ! ValueError
np.select([np.asarray([1, 0])], [1]) ! TypeError
np.piecewise(np.asarray([-2.0, 0.5, 3.0]), [[True, False, False]], [lambda v: -v, lambda v: v * 2])
np.piecewise({x, [x < 3, x >= 3], [-1, 1]|np.arange(5), np.arange(5) < 3, [9, 1]})
np.piecewise({x, [x < 3], [lambda v, k, j: v + k + j, 9], 5, j=2|np.asarray(3.0), [True], [7]})
np.piecewise(x, [x < 3], [1, 2, 3]) ! ValueError
np.delete(x{, 1, axis=0|, [1, -2, 1]|, -1, 1|, slice(None, None, 2), 1|, slice(1, 3), 1})
np.delete(x{, slice(2, 0, -1)|, numpy.s_[5:1]}, 1)
np.delete({np.arange(5), [True, False, True, False, False]|x, np.asarray([3, -4]), 1})
np.delete({x, np.asarray([True, False, True]), 0|x, [], 0|np.arange(3), slice(None)})
np.delete(x{, 3|, [0, 3]|, [0.5]}, 0) ! IndexError
np.delete(np.arange(5), [True, False]) ! ValueError
np.insert({x, 1, 5, axis=1|x, 3, 99|np.arange(3), 3, [7, 8]})
np.insert(x, 1{, [[1, 2, 3, 4], [5, 6, 7, 8]], axis=0|, [1, 2, 3], axis=1})
np.insert({x, [1], [[1], [2], [3]], axis=1|np.arange(6), [2, 2, 0, -1], [5, 6, 7, 8]})
np.insert({x, [0, 2], -1, axis=0|np.arange(6), slice(2, 4), [5, 6]})
np.insert(np.arange(3), np.asarray([True, False, True]), [8, 9])
np.insert(np.arange(4){, 1, 2.9|, [], 2})
np.insert(np.arange(4), 5, 2) ! IndexError
np.insert(np.arange(4), [1.5], 2) ! TypeError
np.insert(np.arange(3), np.asarray([True{, False, True|}, True]), 9)
np.insert(np.arange(3), np.asarray([False] * 4 + [True]), 9) ! IndexError
np.insert(np.arange(3), np.zeros(0), []) ! IndexError
np.append(np.asarray([1, 2]), [[3, 4], [5, 6]])
np.resize(x, (2{, 7|, 2}))
np.resize({5|np.zeros(0)}, (2, 2))
np.resize(x, (2, -2)) ! ValueError
np.trim_zeros(np.asarray([0, 0, 1, 2, 0, 3, 0]))
np.trim_zeros(np.asarray([0, 0, 1, 2, 0, 3, 0]){, "f"|, trim="B"})
np.trim_zeros(np.zeros(3))
np.trim_zeros(np.asarray([[0, 0, 0], [0, 1, 0], [0, 0, 2]]))
np.trim_zeros(np.asarray([[0, 0], [0, 1], [0, 0]]), axis=0)
np.trim_zeros([1], "x") ! ValueError
np.take(x{, [[5, -1]]|, [5, -9], 1, mode="clip"|, [5, -9], axis=1, mode="wrap"})
np.take({np.arange(5.0), [1, 2], 0, np.zeros(2)|[4, 5, 6], 1|[4, 5, 6], [True, False]})
np.take([4, 5, 6], [1], mode="other") ! ValueError
np.take(x, [3], 0) ! IndexError
np.take_along_axis(x, np.asarray([1, 7]), None)
np.take_along_axis(x, np.argsort(-x, axis=0), 0)
np.take_along_axis(x{, np.ones((3, 1))|, x > 0}, 1) ! IndexError
np.put_along_axis(x, np.ones((3, 1)), 0, 1) ! IndexError
np.unravel_index([], (3, 4)) ! TypeError
np.unravel_index(0, ())
np.unravel_index([0, 0], ()) ! ValueError
np.flatnonzero(x % 3)
np.argwhere({np.asarray(3)|0|[[0, 1], [2, 0]]})
np.nonzero([[0, 1], [2, 0]])
np.where(np.asarray([True, False]), 1, 2.5)
np.where({[True, False], [1, 2], 7|True, 1, 2})
np.where(numpy.asarray([True, False]), numpy.float32(2), np.asarray([1, 2]))
np.where(np.asarray([0, 3, 0]), np.asarray([1.5, 2.5, 3.5]), 0)
np.where(np.asarray([0, 3, 0]), 1) ! ValueError
np.where({[0, 3, 0]|[True, False], [[1], [2]], -1})
"""


@pytest.mark.usefixtures("device", "each_tier")
@each_line(PLACES)
def test_places(call: str) -> None:
    check(call, **GIVEN)


MIXED = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]])


def scaled(vector: Any, width: Any, axis: int, kwargs: Any) -> None:
    value = kwargs.get("value", 7)
    vector[: width[0]] = value + axis
    if width[1]:
        vector[-width[1] :] = -value


PADDING = """
np.pad({x, 1|array=[1, 2], pad_width=(1, 2), constant_values=(4, 6)})
np.pad(x, {-1: (1, 2)})
np.pad(x{, ((1, 0), (2, 1)), "maximum"|, 2, "maximum", stat_length=2})
np.pad({i, (1, 2), mode="minimum", stat_length=(1, 3)|i, 2, "mean"|d, 1, "mean", stat_length=2})
np.pad({i, ((1, 1), (2, 0))|[1, 5, 2], 1}, "median")
np.pad(x, 1, "maximum", stat_length=0) ! ValueError
np.pad([1, 2, 3, 4, 5], (2, 3), "linear_ramp", end_values=(5, -4))
np.pad({d, 4, "linear_ramp", end_values=0.5|[1, 2, 4], (2, 2), "reflect", reflect_type="odd"})
np.pad({[1, 2, 4], (5, 9)|i, 2}, "reflect", reflect_type="odd")
np.pad({[1, 2, 4], (7, 5), "symmetric", reflect_type="odd"|x, (3, 7), "symmetric"})
np.pad({[3.0], 2, "reflect"|x, ((1, 5), (6, 2)), "wrap"})
np.pad(x, 2, "empty")[2:-2, 2:-2]
np.pad(x, 2, scaled, value=3)
np.pad(x, 2, "edge", constant_values=3) ! ValueError
np.pad([1, 2], 1, "reflect", reflect_type="other") ! ValueError: reflect_type is 'other'
np.concatenate(([1, 2], [3]){, 0, np.zeros(3)|, dtype="float32"})
np.concatenate(([1.5, 2], [3]), dtype="int32") ! TypeError
np.concatenate(([1.5, 2], [3]), dtype="int32", casting="unsafe")
np.concatenate(([1], [3]), dtype="int32", out=np.zeros(2)) ! TypeError
np.concatenate((x, [[1]]), axis=None)
np.stack([[1, 2], [3, 4]]{, -1, dtype="float32"|, out=np.zeros((2, 2))})
np.vstack(([1, 2], x[:, :2]), dtype="float64")
np.hstack(([1, 2], [3]), dtype="int8", casting="unsafe")
np.vstack(([1, 2], [3, 4]))
np.column_stack(([1, 2, 3], x))
np.dstack(([1, 2], [3, 4]))
np.block([[np.eye(2) * 2, np.zeros((2, 3))], [np.ones((3, 2)), np.eye(3) * 3]])
np.block({[np.asarray([1, 2]), 7, [3.5][0]]|[[[np.ones((1, 2)), 2]], [[1, [3][0], 4]]]|3})
np.block([np.ones((2, 2, 2)), np.zeros((2, 2, 1))])
np.block({[[1], 2]|[[np.ones((2, 2)), np.ones((3, 2))]]|[[], [1]]}) ! ValueError
np.block([(1, 2)]) ! TypeError
np.dsplit(np.arange(16).reshape(2, 2, 4), [1, 3])
np.dsplit(x, 2) ! ValueError
np.split(ary=np.arange(4), indices_or_sections=2)
np.array_split([1, 2, 3, 4, 5], np.asarray([2, 3]))
np.rollaxis(np.ones((3, 4, 5, 6)){, 3, 1|, 1, 4})
np.rollaxis(np.ones((3, 4, 5)){, 2|, -3, -1})
np.rollaxis(np.ones((3, 4, 5)), 0, 5) ! AxisError
np.roll({[1, 2, 3], 1|a=x, shift=(1, -1), axis=(1, 0)})
np.repeat({[1, 2], [2, 3]|np.asarray([1, 2]), np.asarray([True, False])})
np.tile(A=[1, 2], reps=(2, 1))
np.reshape({x, (4, 3), "F"|[1, 2, 3, 4], (2, 2)})
np.ravel(a=[[1, 2], [3, 4]], order="F")
np.flip(m=[[1, 2], [3, 4]], axis=1)
np.moveaxis(a=[[1, 2], [3, 4]], source=0, destination=1)
np.expand_dims(a=[1, 2], axis=(0, 2))
np.squeeze(a=[[1, 2]])
np.broadcast_to(array=[1, 2], shape=(2, 2))
np.broadcast_arrays([1, 2], [[3], [4]], subok=True)
np.diag({[1, 2, 3]|np.asarray([1.5, 2]), 2|np.asarray([1.5, 2]), k=-1|x, 1})
np.diag(3) ! ValueError
np.diag({[], 1|[[1, 2], [3, 4]]})
np.diagflat(x[:2, :2], -1)
np.diagonal(np.arange(24).reshape(2, 3, 4), 1, 2, 1)
np.trace({x, 1|x, out=np.zeros(())|i, dtype="float64"})
np.tril([[1, 2], [3, 4]])
np.packbits({np.asarray([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 0]])|i > 3, axis=0})
np.packbits({[1, 0, 1, 1, 0, 0, 0, 0, 1], bitorder="little"|u, -1})
np.packbits([1.5]) ! TypeError
np.packbits(np.asarray([], dtype="uint8"))
np.unpackbits({u|u, axis=1})
np.unpackbits({u, axis=0, count=5|u, 1, -3, "little"|np.asarray([3], dtype="uint8"), count=11})
np.unpackbits(np.asarray([3], dtype="uint8"), count=-9) ! ValueError
np.unpackbits(np.asarray([3])) ! TypeError
"""


@pytest.mark.usefixtures("device", "each_tier")
@each_line(PADDING)
def test_padding_joining_and_bits(call: str) -> None:
    given = {
        name: MIXED.astype(dtype)
        for name, dtype in {"x": "f4", "i": "i4", "u": "u1", "d": "f8"}.items()
    }
    check(call, names={"scaled": scaled}, **given)


SETS = """
np.sort({x, 0, "stable"|[3, 1, 2]|x, axis=None, kind="mergesort"|a=x, stable=True})
np.sort(x{, kind="other"|, order="f"}) ! ValueError
np.argsort(x{, kind="stable"|, 0, "stable"})
x.sort({0|axis=1, kind="heapsort"})
x.argsort(kind="stable")
np.lexsort({(np.asarray([9, 4, 0, 4, 0, 2, 1]), [1, 5, 1, 4, 3, 4, 4])|x|(x, x % 2), axis=0})
np.lexsort(()) ! TypeError
np.lexsort(([1, 2], [1, 2, 3])) ! ValueError
np.sort_complex(np.asarray({[1 + 2j, 2 - 1j, 3 - 2j, 1 - 3j]|[3, 1, 2], dtype="int16"}))
np.sort_complex([3, 1, 2])
np.partition(x, 7) ! ValueError
np.argpartition(x, 1, kind="other") ! ValueError
np.searchsorted({[1, 2, 3, 4], 3, side="right"|a=np.asarray([1, 2, 3]), v=[0, 2, 9]})
np.searchsorted([3, 1, 2], [2], sorter=[1, 2, 0])
np.unique({x|[3, 1, 1]})
np.unique({3, return_inverse=True|x, True, True, True})
np.unique(np.asarray(x, dtype="int8"), return_counts=True)
np.unique({np.asarray(x, dtype="uint8"), return_index=True|x, return_inverse=True})
np.unique(np.asarray(nans, dtype="float32"))
np.unique(np.asarray(nans, dtype="float32"), True, True, True)
np.unique(np.asarray(nans), return_counts=True, equal_nan=False)
np.unique({np.asarray([True, False, True])|np.zeros(0), return_counts=True|x, axis=0})
np.unique(x, True, True, True, axis=-1)
np.unique(x, axis=2) ! AxisError
np.intersect1d(np.asarray(x, dtype="int64"), [1, 3, 4, 3])
np.intersect1d(np.asarray([1, 1, 2, 3, 4]), np.asarray([2, 1, 4, 6]), return_indices=True)
np.intersect1d([4, 1, 2], [2.5, 2, 4], True, True)
np.union1d(x, [7.5, 1])
np.setdiff1d(np.asarray(x, dtype="int64"), [1, 2, 9])
np.setdiff1d([4, 1, 2], np.asarray([2]), assume_unique=True)
np.setxor1d({[1, 2, 3, 2, 4], np.asarray([2, 3, 5, 7, 5])|[], []})
np.isin(x, [1, 3])
np.isin({3, [1, 3]|element=[3, 4], test_elements=[1, 3], invert=True})
np.isin([3, 4], [1, 3], kind="other") ! ValueError
np.ediff1d({np.asarray([1, 2, 4, 7, 0]), to_begin=-99, to_end=[88, 99]|x|np.zeros(0), to_end=1})
np.ediff1d([1, 2], to_end=1.5) ! TypeError
"""
ROWS = np.array([[3, 1, 2, 1], [0, 5, 0, 5], [3, 1, 2, 1]], "f4")
NANS = np.array([2.0, np.nan, -0.0, 0.0, np.nan, 1.0, 2.0])


@each_line(SETS)
def test_sorting_and_sets(call: str, form: xarr.Device) -> None:
    check(call, near=1e-300, x=ROWS, nans=NANS)  # of equal zeros either may stand


GRIDS = """
np.r_[1:4, 0, 4]
np.r_[0:1:5j, 0.5, [2, 3]]
np.r_[np.asarray([1, 2]), 0, 0, np.asarray([4.5])]
np.r_["-1", np.ones((2, 2)), np.zeros((2, 1))]
np.r_["0,2", [1, 2, 3], [4, 5, 6]]
np.r_["0,2,0", [1, 2, 3], [4, 5, 6]]
np.r_["1,3,1", [1, 2, 3], np.ones((1, 1, 3))] ! ValueError
np.r_[np.asarray([1, 2], dtype="float32"), 0, 1.5]
np.r_[0:10:3]
np.c_[np.asarray([1, 2, 3]), np.asarray([4, 5, 6])]
np.c_[[1, 2], [[3, 4], [5, 6]], [7.5, 8]]
np.c_[np.asarray([[1, 2, 3]]), 0, 0, np.asarray([[4, 5, 6]])]
np.c_[0:3, 3:6]
np.mgrid[0:5, 0:3:2]
np.mgrid[-1:1:5j, 0:1:3j]
np.mgrid[numpy.float32(0.1):numpy.float32(0.4):numpy.float32(0.1)]
np.mgrid[0:1:numpy.complex64(3j)]
np.mgrid[0:3,]
np.ogrid[0:5, -1:1:3j]
np.ogrid[0:5]
np.indices((2, 3))
np.indices((2, 3), sparse=True)
np.meshgrid([1, 2, 3], [4, 5], indexing="ij")
np.meshgrid(np.asarray([1, 2, 3]), np.asarray([4, 5]), copy=False)
np.meshgrid([1, 2, 3], [4, 5], sparse=True)
np.fromfunction(lambda i, j: i * j, (3, 2), dtype=int)
np.apply_along_axis(sum, 0, np.asarray([[1, 2], [3, 4]]))
np.apply_along_axis(lambda v: v[::-1] * 2, 1, np.asarray([[1, 2]]))
np.apply_along_axis(lambda v, k: np.stack([v, v + k]).T, 0, np.arange(12).reshape(3, 2, 2), 5)
np.apply_along_axis(lambda v: float(v[0]), -1, np.ones((2, 3, 2)))
np.apply_along_axis(sum, 0, np.ones((2, 0))) ! ValueError
np.apply_over_axes(np.sum, np.ones((2, 3, 4)), [0, -1])
np.apply_over_axes(np.max, np.ones((2, 3)), 0)
np.vectorize(lambda a, b: a + b if a > b else a - b)([1, 4], np.asarray(2))
np.vectorize({lambda a: a, otypes=[float]|lambda a: (a, a + 0.5)})(np.arange(3))
np.vectorize(lambda p, x: p[0] + p[-1] * x, excluded=["p"])(p=[1, 2, 3], x=np.asarray([0, 1]))
np.vectorize(lambda v: v.sum(), signature="(n)->()")(np.arange(6).reshape(2, 3))
np.vectorize(lambda a: np.sqrt(a) + 1)(np.asarray([4.0, 9.0]))
np.vectorize(lambda a: a, otypes="d")(np.zeros(0))
np.vectorize(lambda a: a)(np.zeros(0)) ! ValueError
"""


@pytest.mark.usefixtures("device", "each_tier")
@each_line(GRIDS)
def test_grids_and_functions_of_lines(call: str) -> None:
    check(call)


ORDERS = """
np.arange({start=2, stop=9, step=3|stop=4|0, 1, 0.25, "f4"|5, 7, 3, dtype="int8"})
np.arange({0, 300, 300, dtype="int8"|1e4, 1e4 + 3, 0.5, dtype="float16"})
np.arange({2, dtype=bool|3.5, -1, -1.5})
np.linspace(0, 5, 4, dtype=int)
float(np.linspace(0, 1, 5, False, True)[1])
np.linspace({[0, 1], [3, 5], 4|[0.0, 1.0], 2, 3, axis=-1})
np.linspace(np.asarray([[1.0], [2.0]]), np.asarray([3.0, 5.0]), 3, axis=1)
np.linspace([0, 1], [3, 5], 4, endpoint=False, retstep=True)[1]
np.linspace({[0, 1j], 2, 3|[1, 2], 9, 1|[1, 2], 9, 0|[0, -1], [7, 8], 6, dtype="int32"})
np.zeros((2, 3), "f4", "F")
np.ones(3, int, "C")
np.full({(2, 2), 3, "f4", "F"|2, 300.5, "int8"|2, [1.5, 2.5], int})
np.zeros_like(np.ones((2, 3), dtype="f4"), None, "F")
np.ones_like([[1, 2], [3, 4]], "f4")
np.full_like(np.ones((2, 3)), 7, None, "K", True, (4,))
np.zeros_like(np.ones((2, 3)).T)
np.zeros_like(np.ones((2, 3, 4)).transpose(1, 0, 2), "i4")
np.eye({3, 4, 1, "f4", "F"|N=2, M=3})
np.identity(3, "i4")
np.tri(3, 4, 1, "i4")
np.tril([[1, 2], [3, 4]], -1)
np.triu([1, 2, 3])
np.array({[[1, 2], [3, 4]], "f4", order="F"|[1, 2], ndmin=3})
np.array({object=[1, 2], dtype=float, copy=True, subok=False|np.ones((2, 3)).T})
np.array(np.ones((2, 3)).T{, order="C"|, "f4", copy=True, order="A"})
np.asarray([[1, 2]], float, "F")
np.copy(np.ones((2, 3, 4)).transpose(2, 0, 1))
np.ones((2, 3, 4)).transpose(2, 0, 1).copy("K")
np.ones((2, 3)).T.copy()
np.asfortranarray({[[1, 2, 3]]|3})
np.ascontiguousarray(np.ones((2, 3)).T)
np.require(np.ones((2, 3)).T, "f4", ["C", "W"])
np.require(np.ones((2, 3)), requirements="F")
np.asarray_chkfinite([1.0, 2.0])
np.frombuffer(bytes([1, 0, 2, 0, 3, 0]), {"i2", 2, 2|dtype=np.uint8})
np.fromiter({(i * i for i in range(5)), float|range(9), "i4", count=3})
np.arange(6).reshape(2, 3).ravel("F")
np.arange(6).reshape(2, 3).T.ravel("A")
np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0).ravel("K")
np.arange(6).reshape(2, 3).flatten("F")
np.arange(6).reshape(2, 3).T.flatten("K")
np.arange(6).reshape((2, 3), order="F")
np.arange(6).reshape(3, 2).T.reshape(6, order="A")
np.arange(6).reshape(2, 3).astype("f4", "F")
np.vander([1, 2, 3, 5], 3)
np.vander({np.asarray([1.5, 2.0]), increasing=True|[1j, 2]|[1, 2], 0})
"""


@each(ORDERS)
def test_creation_in_memory_orders(call: str) -> None:
    if not device().has_float64:
        pytest.skip("default types differ")
    check(call)
    got, wanted = (eval(call, {"np": module, "numpy": np}) for module in (xarr, np))
    if isinstance(got, xarr.Array) and isinstance(wanted, np.ndarray):
        assert got.flags.c_contiguous == wanted.flags.c_contiguous
        assert got.flags.f_contiguous == wanted.flags.f_contiguous


def test_row_stack_is_vstack() -> None:
    assert xarr.row_stack is xarr.vstack


STATEMENTS = """
y = np.{dsplit(x, 2)|rollaxis(x, 2)|moveaxis(x, 0, -1)|swapaxes(x, 0, 2)}[1]; y[...] = -1 - y
y = {np.unstack(x, axis=2)[1]|np.reshape(x, (4, 2))[:, 1]}; y[...] = -1 - y
m = np.ones((3, 3)); y, z = np.diagonal(m), np.diag(m); m[1, 1] = 5
np.{diagonal|diag}(x[0])[0] = 3 ! ValueError: read-only
"""


@each(STATEMENTS)
def test_parts_are_views(call: str) -> None:
    check(call, x=np.arange(8).reshape(2, 2, 2))


@pytest.mark.parametrize("kth", [0, 2, -1, (1, 3)])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_partitions(kth: Any, axis: int | None, form: xarr.Device) -> None:
    x = np.random.default_rng(5).integers(0, 9, (5, 6)).astype(np.float32)
    wanted = np.sort(x, axis)
    places = [kth] if isinstance(kth, int) else list(kth)
    got = np.asarray(xarr.partition(xarr.asarray(x), kth, axis))
    order = np.asarray(xarr.argpartition(xarr.asarray(x), kth, axis))
    taken = x.ravel()[order] if axis is None else np.take_along_axis(x, order, axis)
    for place in places:
        for found in (got, taken):
            assert_same(np.take(found, place, axis or 0), np.take(wanted, place, axis or 0), "kth")
    mine = xarr.asarray(x)
    if axis is not None:
        mine.partition(kth, axis)
        assert_same(np.asarray(mine), got, "x.partition")


def test_no_elements_are_partitioned_at_any_place() -> None:
    x = xarr.zeros((3, 0))
    assert xarr.partition(x, 0).shape == (3, 0)
    assert xarr.argpartition(x, 0, axis=0).shape == (3, 0)
