"""Manipulation against NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given as generated, strategies as st
from numpy.exceptions import AxisError

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, given, narrow_device, needs, same
from tests.launching import nothing_launched
from xarr.engine import engine

pytestmark = pytest.mark.usefixtures("device", "each_tier")

Call = Callable[[Any, Any], Any]
"""A call on the module and an array, for xarr and for NumPy."""

# What every array can have done to it, whatever its shape.
ANY_SHAPE: dict[str, Call] = {
    "flip": lambda m, x: m.flip(x),
    "ravel": lambda m, x: m.ravel(x),
    "ravel F": lambda m, x: m.ravel(x, order="F"),
    "reshape": lambda m, x: m.reshape(x, (-1,) if x.size else (0,)),
    "reshape F": lambda m, x: m.reshape(x, (x.size, 1), order="F"),
    "flatten": lambda m, x: x.flatten(),
    "transpose": lambda m, x: m.transpose(x),
    "T": lambda m, x: x.transpose(),
    "permute_dims": lambda m, x: m.permute_dims(x, tuple(reversed(range(x.ndim)))),
    "expand_dims": lambda m, x: m.expand_dims(x, axis=0),
    "expand_dims -1": lambda m, x: m.expand_dims(x, (0, -1)),
    "squeeze": lambda m, x: m.squeeze(x),
    "repeat": lambda m, x: m.repeat(x, 3),
    "tile": lambda m, x: m.tile(x, (2, 3)),
    "tile 0": lambda m, x: m.tile(x, (0, 2)),
    "roll": lambda m, x: m.roll(x, 2),
    "roll -": lambda m, x: m.roll(x, -(10**6) - 1),
    "stack": lambda m, x: m.stack([x, x]),
    "stack -1": lambda m, x: m.stack((x, x, x), axis=-1),
    "concat None": lambda m, x: m.concat([x, x], axis=None),
    "append": lambda m, x: m.append(x, x),
    "broadcast_to": lambda m, x: m.broadcast_to(x, (3, *x.shape)),
    "atleast_1d": lambda m, x: m.atleast_1d(x),
    "atleast_2d": lambda m, x: m.atleast_2d(x),
    "atleast_3d": lambda m, x: m.atleast_3d(x),
    "vstack": lambda m, x: m.vstack([x, x]),
    "hstack": lambda m, x: m.hstack([x, x]),
    "dstack": lambda m, x: m.dstack([x, x]),
    "pad": lambda m, x: m.pad(x, 2, constant_values=1),
    "copy": lambda m, x: x.copy(),
}
# What needs an axis.
WITH_AXES: dict[str, Call] = {
    "concat": lambda m, x: m.concat([x, x]),
    "concat -1": lambda m, x: m.concat([x, x, x], axis=-1),
    "flip 0": lambda m, x: m.flip(x, axis=0),
    "flipud": lambda m, x: m.flipud(x),
    "roll 0": lambda m, x: m.roll(x, 1, axis=0),
    "roll -1": lambda m, x: m.roll(x, -3, -1),
    "roll both": lambda m, x: m.roll(x, (1, 2), axis=(0, -1)),
    "repeat 0": lambda m, x: m.repeat(x, 2, axis=0),
    "repeat each": lambda m, x: m.repeat(x, np.arange(x.shape[-1]) % 3, axis=-1),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, -1),
    "array_split": lambda m, x: m.array_split(x, 4)[1],
    "split": lambda m, x: m.split(x, [1, 2])[1],
    "hsplit": lambda m, x: m.hsplit(x, [1])[0],
    "unstack": lambda m, x: m.stack(m.unstack(x, axis=-1)[:4] or [m.zeros(0)]),
}
BORDERS = ["edge", "wrap", "reflect", "symmetric"]


@pytest.mark.parametrize("dtype", ["int8", "complex64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [*ANY_SHAPE, *WITH_AXES])
def test_as_numpy(name: str, layout: str, dtype: str) -> None:
    needs(dtype)
    call = ANY_SHAPE.get(name) or WITH_AXES[name]
    if name in WITH_AXES and layout == "0-d":
        return
    host, x = given(dtype, layout)
    same(call(xp, x), call(np, host))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype: str) -> None:
    needs(dtype)
    host, x = given(dtype, "transposed")
    for name in ("concat", "roll both", "tile", "repeat", "pad", "reshape", "repeat each"):
        call = ANY_SHAPE.get(name) or WITH_AXES[name]
        same(call(xp, x), call(np, host))


@pytest.mark.parametrize("name", [*ANY_SHAPE, *WITH_AXES])
def test_pending_arrays(name: str) -> None:
    call = ANY_SHAPE.get(name) or WITH_AXES[name]
    host, x = given("int32", "group")
    same(call(xp, x + 1), call(np, host + 1))
    kept = x * 2
    same(call(xp, kept), call(np, host * 2))
    same(kept, host * 2)
    same(call(xp, xp.zeros((2, 3), "int8")), call(np, np.zeros((2, 3), "int8")))


VIEWS: dict[str, Call] = {
    "reshape": lambda m, x: m.reshape(x, (3, 8)),
    "reshape F": lambda m, x: m.reshape(x.T, (4, 6), order="F"),
    "ravel": lambda m, x: x.ravel(),
    "transpose": lambda m, x: x.transpose(1, 0),
    "swapaxes": lambda m, x: x.swapaxes(0, 1),
    "flip": lambda m, x: m.flip(x, 1),
    "fliplr": lambda m, x: m.fliplr(x),
    "rot90": lambda m, x: m.rot90(x, 3),
    "expand_dims": lambda m, x: m.expand_dims(x, 1),
    "squeeze": lambda m, x: m.squeeze(m.expand_dims(x, 1)),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, 1),
    "split": lambda m, x: m.split(x, 2)[1],
    "vsplit": lambda m, x: m.vsplit(x, 2)[0],
    "hsplit": lambda m, x: m.hsplit(x, 3)[2],
    "unstack": lambda m, x: m.unstack(x)[2],
    "atleast_3d": lambda m, x: m.atleast_3d(x),
}


@pytest.mark.parametrize("name", VIEWS)
def test_writes_show_through_views(name: str) -> None:
    host = np.arange(24, dtype="i4").reshape(4, 6)
    x = xp.asarray(host)
    host = host.copy()
    ours, theirs = VIEWS[name](xp, x), VIEWS[name](np, host)
    same(ours, theirs)
    ours[...] = -1
    theirs[...] = -1
    same(x, host)
    x[1:, ::2] = 7
    host[1:, ::2] = 7
    same(ours, theirs)


def test_broadcast_views_are_read_only_and_follow_their_base() -> None:
    x = xp.arange(3)
    y = xp.broadcast_to(x, (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        y[0, 0] = 1
    x[0] = 9
    assert y.tolist() == [[9, 1, 2], [9, 1, 2]]
    first, second = xp.broadcast_arrays(x, xp.zeros((2, 1), "int8"))
    same(first, np.broadcast_to([9, 1, 2], (2, 3)))
    same(second, np.zeros((2, 3), "int8"))
    assert xp.broadcast_arrays() == ()
    same(xp.broadcast_to(7, (2,)), np.broadcast_to(7, (2,)))


@pytest.mark.parametrize(
    "shapes", [(), ((),), ((3,),), ((3, 1), (4,)), ((0, 1), (3,)), ((1, 2), (5, 1, 1)), (3, (2, 1))]
)
def test_broadcast_shapes(shapes: Any) -> None:
    assert xp.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_reshape_copies_as_asked() -> None:
    x = xp.arange(6)
    view = xp.reshape(x, (2, 3), copy=False)
    copy = xp.reshape(x, (2, 3), copy=True)
    x[0] = 9
    assert view[0, 0].item() == 9
    assert copy[0, 0].item() == 0
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(view.T, (6,), copy=False)
    same(xp.reshape(view.T, (6,)), np.asarray([9, 3, 1, 4, 2, 5]))
    turned = xp.arange(24).reshape(2, 3, 4)[..., ::-1]
    same(xp.reshape(turned, (6, 4), copy=False), np.arange(24).reshape(6, 4)[:, ::-1])
    same(x.reshape(3, -1), np.asarray([[9, 1], [2, 3], [4, 5]]))
    same(x.reshape((3, 2)), np.asarray([[9, 1], [2, 3], [4, 5]]))
    same(xp.zeros((0, 3), "i4").reshape(-1, 3), np.zeros((0, 3), "i4"))
    same(xp.asarray(5).reshape(()), np.asarray(5))


@generated(st.data())
def test_reshapes_of_strided_arrays(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=4)))
    host = np.arange(int(np.prod([2 * n for n in shape])), dtype="i4")
    host = host.reshape([2 * n for n in shape])
    x = xp.asarray(host)
    steps = tuple(slice(None, None, data.draw(st.sampled_from([-2, -1, 1, 2]))) for _ in shape)
    axes = tuple(data.draw(st.permutations(range(len(shape)))))
    host, x = host[steps].transpose(axes), xp.permute_dims(x[steps], axes)
    factors = [factor for n in host.shape for factor in ((2, n // 2) if n % 2 == 0 else (n,))]
    new = data.draw(st.permutations(factors))
    same(xp.reshape(x, tuple(new)), host.reshape(new))
    try:
        wanted = np.reshape(host, new, copy=False)
    except ValueError:
        return
    same(xp.reshape(x, tuple(new), copy=False), wanted)


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_concat_promotes(first: str, second: str) -> None:
    """Values of each type with the next; test_data_types.py has all pairs of conversions."""
    needs(first)
    needs(second)
    needs(np.result_type(first, second))
    (one, x), (two, y) = given(first, "contiguous"), given(second, "strided")
    wanted = np.concat([one[:, :3], two[:, :3]])
    if (DTYPES.index(second) - DTYPES.index(first)) % len(DTYPES) == 1:
        same(xp.concat([x[:, :3], y[:, :3]]), wanted)
        return
    with nothing_launched():
        result = xp.concat([x[:, :3], y[:, :3]])
    assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)


def test_concat_fuses_its_parts() -> None:
    x = xp.arange(1000, dtype="float32")
    parts = [(x + 1) * 2, x - 1, xp.zeros(5, "float32")]
    before = engine.counts.launches
    result = xp.concat(parts)
    assert engine.counts.launches - before <= 3 + 1
    host = np.arange(1000, dtype="f4")
    same(result, np.concat([(host + 1) * 2, host - 1, np.zeros(5, "f4")]))
    result[0] = 7
    same(parts[0], (host + 1) * 2)
    same(parts[1], host - 1)


def test_sequences_may_hold_values() -> None:
    x = xp.arange(3)
    same(xp.concatenate(([7], x), 0), np.asarray([7, 0, 1, 2]))
    same(xp.stack([x, [4, 5, 6]]), np.asarray([[0, 1, 2], [4, 5, 6]]))
    same(xp.append(x, 4), np.asarray([0, 1, 2, 4]))
    same(xp.column_stack([x, x]), np.column_stack([np.arange(3)] * 2))
    same(xp.vstack(xp.zeros((2, 3), "i4")), np.zeros((2, 3), "i4"))


def test_numpy_s_functions_compute_on_the_device() -> None:
    x = xp.arange(6)
    with xp.no_implicit_transfer():
        joined = np.concatenate([x, x])
        rolled = np.roll(x, 1)
        turned = np.transpose(np.reshape(x, (2, 3)))
    same(joined, np.concatenate([np.arange(6)] * 2))
    same(rolled, np.roll(np.arange(6), 1))
    same(turned, np.arange(6).reshape(2, 3).T)


@pytest.mark.parametrize("mode", ["constant", *BORDERS])
@pytest.mark.parametrize("shape", [(5,), (1,), (2, 3), (1, 4), (3, 4, 2), (300, 2)])
@pytest.mark.parametrize("width", [0, 1, (2, 3), (7, 0), 11])
def test_pad(mode: Any, shape: tuple[int, ...], width: Any) -> None:
    host = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    same(xp.pad(xp.asarray(host), width, mode=mode), np.pad(host, width, mode=mode))
    each = [(axis, 2 * axis + 1) for axis in range(len(shape))]
    same(xp.pad(xp.asarray(host), each, mode=mode), np.pad(host, each, mode=mode))


def test_pad_with_constants() -> None:
    host = np.arange(6, dtype="i2").reshape(2, 3)
    for values in (5, (1, 2), ((1, 2), (3, 4))):
        expected = np.pad(host, ((1, 2), (2, 1)), constant_values=values)
        same(xp.pad(xp.asarray(host), ((1, 2), (2, 1)), constant_values=values), expected)


@pytest.mark.parametrize("k", range(-5, 6))
def test_rot90(k: int) -> None:
    host = np.arange(24).reshape(2, 3, 4)
    for axes in itertools.permutations(range(3), 2):
        same(xp.rot90(xp.asarray(host), k, axes), np.rot90(host, k, axes))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float32", "complex64"])
def test_diff(dtype: str) -> None:
    host, x = given(dtype, "strided")
    for n, axis in itertools.product((0, 1, 2, 5), (0, 1, -1)):
        same(xp.diff(x, n=n, axis=axis), np.diff(host, n=n, axis=axis))
    if dtype != "bool":
        ours = xp.diff(x, axis=0, prepend=x[:1], append=x[-1:])
        same(ours, np.diff(host, axis=0, prepend=host[:1], append=host[-1:]))
        ours = xp.diff(x, prepend=xp.zeros((), x.dtype))
        same(ours, np.diff(host, prepend=np.zeros((), host.dtype)))


@pytest.mark.parametrize("sections", [1, 2, 3, 7, [2], [1, 3], [0, 9], [3, 1], [-2]])
def test_array_split(sections: Any) -> None:
    host = np.arange(30).reshape(5, 6)
    x = xp.asarray(host)
    for axis in (0, 1, -1):
        ours, theirs = xp.array_split(x, sections, axis), np.array_split(host, sections, axis)
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)


def test_atleast_of_several() -> None:
    results = xp.atleast_2d(1, xp.arange(2))
    assert [x.shape for x in results] == [(1, 1), (1, 2)]


WRONG: dict[str, tuple[Call, Any]] = {
    "reshape size": (lambda m, x: m.reshape(x, (4, 7)), ValueError),
    "reshape -1": (lambda m, x: m.reshape(x, (-1, -1)), ValueError),
    "reshape float": (lambda m, x: m.reshape(x, (2.0, 3)), TypeError),
    "reshape order": (lambda m, x: m.reshape(x, (6,), order="Z"), ValueError),
    "concat none": (lambda m, x: m.concat([]), ValueError),
    "concat shapes": (lambda m, x: m.concat([x, x[:, :1]]), ValueError),
    "concat ndim": (lambda m, x: m.concat([x, x[0]]), ValueError),
    "concat 0-d": (lambda m, x: m.concat([m.asarray(1), m.asarray(2)]), ValueError),
    "concat axis": (lambda m, x: m.concat([x, x], axis=2), AxisError),
    "concat number": (lambda m, x: m.concat(3), TypeError),
    "stack none": (lambda m, x: m.stack([]), ValueError),
    "stack shapes": (lambda m, x: m.stack([x, x[:1]]), ValueError),
    "stack axis": (lambda m, x: m.stack([x, x], axis=3), AxisError),
    "roll axis": (lambda m, x: m.roll(x, 1, axis=2), AxisError),
    "roll axes": (lambda m, x: m.roll(x, (1, 2), axis=(0, 1, 0)), ValueError),
    "repeat negative": (lambda m, x: m.repeat(x, -1), ValueError),
    "repeat count": (lambda m, x: m.repeat(x, np.asarray([1, 2, 3, 4]), axis=0), ValueError),
    "tile negative": (lambda m, x: m.tile(x, (-1,)), ValueError),
    "permute count": (lambda m, x: m.permute_dims(x, (0,)), ValueError),
    "permute twice": (lambda m, x: m.permute_dims(x, (0, 0)), ValueError),
    "permute range": (lambda m, x: m.permute_dims(x, (0, 2)), AxisError),
    "moveaxis count": (lambda m, x: m.moveaxis(x, (0, 1), 0), ValueError),
    "moveaxis twice": (lambda m, x: m.moveaxis(x, (0, 0), (0, 1)), ValueError),
    "moveaxis range": (lambda m, x: m.moveaxis(x, 5, 0), AxisError),
    "swapaxes": (lambda m, x: m.swapaxes(x, 0, 2), AxisError),
    "expand_dims": (lambda m, x: m.expand_dims(x, 4), AxisError),
    "expand_dims twice": (lambda m, x: m.expand_dims(x, (0, 0)), ValueError),
    "squeeze": (lambda m, x: m.squeeze(x, 0), ValueError),
    "squeeze range": (lambda m, x: m.squeeze(x, 2), AxisError),
    "flip": (lambda m, x: m.flip(x, 2), AxisError),
    "flip float": (lambda m, x: m.flip(x, 0.5), TypeError),
    "fliplr": (lambda m, x: m.fliplr(x[0]), ValueError),
    "rot90": (lambda m, x: m.rot90(x, 1, (0, 0)), ValueError),
    "broadcast_to": (lambda m, x: m.broadcast_to(x, (2, 4)), ValueError),
    "broadcast_to less": (lambda m, x: m.broadcast_to(x, (3,)), ValueError),
    "broadcast_arrays": (lambda m, x: m.broadcast_arrays(x, x[:, :2]), ValueError),
    "broadcast_shapes": (lambda m, x: m.broadcast_shapes((2,), (3,)), ValueError),
    "split": (lambda m, x: m.split(x, 4), ValueError),
    "array_split": (lambda m, x: m.array_split(x, 0), ValueError),
    "split axis": (lambda m, x: m.split(x, 2, 5), (ValueError, IndexError)),
    "pad mode": (lambda m, x: m.pad(x, 1, mode="no"), ValueError),
    "pad negative": (lambda m, x: m.pad(x, -1), ValueError),
    "pad widths": (lambda m, x: m.pad(x, ((1, 2), (3, 4), (5, 6))), ValueError),
    "pad float": (lambda m, x: m.pad(x, 1.5), TypeError),
    "pad empty": (lambda m, x: m.pad(x[:0], 1, mode="edge"), ValueError),
    "diff": (lambda m, x: m.diff(x, n=-1), ValueError),
    "diff 0-d": (lambda m, x: m.diff(m.asarray(1)), ValueError),
    "unstack": (lambda m, x: m.unstack(x, axis=2), AxisError),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_numpy_s(name: str) -> None:
    call, error = WRONG[name]
    host = np.arange(6).reshape(2, 3)
    with pytest.raises(error):
        call(np, host)
    with pytest.raises(error, match=r"\(.*\): .+; .+"):
        call(xp, xp.asarray(host))


@pytest.mark.parametrize("name", ["flip", "reshape", "roll", "squeeze", "permute_dims", "unstack"])
def test_what_is_no_array_is_refused(name: str) -> None:
    arguments = {"reshape": ((2,),), "roll": (1,), "permute_dims": ((0,),)}.get(name, ())
    with pytest.raises(TypeError, match=name):
        getattr(xp, name)("abc", *arguments)


def test_arguments_that_numpy_lets_pass() -> None:
    with pytest.raises(ValueError, match="one extent may be -1"):
        xp.reshape(xp.arange(6), (-2, 3))
    with pytest.raises(TypeError, match="repeats has dtype float64"):
        xp.repeat(xp.arange(6), 1.5)


def test_arrays_of_two_devices() -> None:
    x = xp.arange(3)
    y = x.to_device(narrow_device())
    for join in (xp.concat, xp.stack):
        with pytest.raises(ValueError, match="one device"):
            join([x, y])


def test_ravel_copies_what_does_not_follow_each_other() -> None:
    x = xp.arange(6.0)
    x[::2].ravel()[:] = 9
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    x[2:].ravel()[:] = 9
    assert x.tolist() == [0, 1, 9, 9, 9, 9]
    y = xp.asarray([[1, 2], [3, 4]])
    assert y.ravel(order="F").tolist() == [1, 3, 2, 4]
    y.T.ravel(order="F")[0] = 7
    assert int(y[0, 0]) == 7


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: xp.diff(x, append="a"), r"diff\(a, n, axis, append\): append is of type str"),
        (lambda x: xp.diff(x, prepend=[[1]]), r"diff\(a, n, axis, prepend\): the shapes are"),
        (lambda x: xp.diff("a"), r"diff\(a, n, axis\): a is of type str"),
        (lambda x: xp.append(x, x, axis=9), r"append\(arr, values, axis\): axis is 9"),
        (lambda x: xp.vstack([x, "a"]), r"vstack\(tup\): an array is of type str"),
        (lambda x: xp.vstack(x[0]), r"vstack\(tup\): tup is of type Array"),
        (lambda x: xp.hstack([]), r"hstack\(tup\): tup is empty"),
        (lambda x: xp.hstack([x, [x]]), r"hstack\(tup\): the shapes are"),
        (lambda x: xp.dstack([x, x[:1]]), r"dstack\(tup\): the shapes are"),
        (lambda x: xp.column_stack([x, x[:1]]), r"column_stack\(tup\): the shapes are"),
        (lambda x: xp.concat(x[0]), r"concat\(arrays, axis\): arrays is of type Array"),
        (lambda x: xp.pad(x, 1, constant_values="a"), r"pad\(.*\): constant_values is no"),
        (lambda x: xp.pad(x, 1, mode=[1]), r"pad\(.*\): mode '\[1\]'"),
        (lambda x: xp.split(x, ["a"]), r"split\(.*\): indices_or_sections is \['a'\]"),
        (lambda x: xp.split(x, -1), r"split\(.*\): -1 parts"),
        (lambda x: xp.hsplit(x, 2), r"hsplit\(.*\): axis 0 has 3 elements"),
        (lambda x: xp.vsplit(x[None], 2), r"vsplit\(.*\): axis 0 has 1 elements"),
        (lambda x: xp.transpose(x, (0, 0)), r"transpose\(a, axes\): a has 1 dimensions"),
        (lambda x: x.transpose(3), r"x\.transpose\(axes\): axis is 3"),
        (lambda x: xp.rot90(x[None], k="a"), r"rot90\(m, k, axes\): k is 'a'"),
        (xp.fliplr, r"fliplr\(m\): m is 1-d"),
        (lambda x: xp.vsplit(x, 2), r"vsplit\(ary, indices_or_sections\): ary is 1-d"),
        (lambda x: xp.reshape(x, 4), r"reshape\(a, shape\): a has 3 elements"),
        (lambda x: xp.squeeze(x, 0), r"squeeze\(a, axis\): a has shape"),
        (lambda x: xp.ravel("a"), r"ravel\(a\): a is of type str"),
        (lambda x: xp.atleast_2d("a"), r"atleast_2d\(\*arrays\): an array is of type str"),
    ],
)
def test_errors_name_the_function_that_was_called(call: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{said}"):
        call(xp.asarray([1, 2, 3]))


def test_repeats_beyond_all_memory() -> None:
    x = xp.arange(3)
    with pytest.raises(MemoryError, match="bytes"):
        xp.repeat(x, 10**15)
    with pytest.raises(MemoryError, match=r"^repeat\(a, repeats, axis\): .* smaller pieces"):
        xp.repeat(x, xp.asarray([10**15, 1, 1]))
    for counts in (2**62, [2**62, 2**62, 1], np.asarray([2**63, 2**63, 1], dtype="u8")):
        with pytest.raises(ValueError, match=r"^repeat\(a, repeats, axis\): .* 64 bits"):
            xp.repeat(x, counts)
