"""Manipulation against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as generated, strategies as st

import xarr as xp
from tests.comparing import DTYPES, LAYOUTS, given, has, same
from tests.functions.calls import check, each, each_line, rows
from xarr.tape import builder

pytestmark = pytest.mark.usefixtures("device", "each_tier")

# What every array can have done to it, whatever its shape, and what needs an axis.
ANY_SHAPE = """
np.{flip|ravel}(x)
np.ravel(x, order="F")
np.reshape(x, (-1,) if x.size else (0,))
np.reshape(x, (x.size, 1), order="F")
x.flatten()
np.transpose(x)
x.transpose()
np.permute_dims(x, tuple(reversed(range(x.ndim))))
np.expand_dims(x{, axis=0|, (0, -1)})
np.squeeze(x)
np.repeat(x, 3)
np.tile(x, ({2, 3|0, 2}))
np.roll(x{, 2|, -10 ** 6 - 1})
np.stack({[x, x]|(x, x, x), axis=-1})
np.concat([x, x], axis=None)
np.append(x, x)
np.broadcast_to(x, (3, *x.shape))
np.{atleast_1d|atleast_2d|atleast_3d}(x)
np.{vstack|hstack|dstack}([x, x])
np.pad(x, 2, constant_values=1)
x.copy()
np.resize(x, {(5, 60)|7|20_000})
"""
WITH_AXES = """
np.concat([x, x])
np.concat([x, x, x], axis=-1)
np.concat([x[..., :0][1:], x[1:]], axis=-1)
np.flip(x, axis=0)
np.flipud(x)
np.roll(x{, 1, axis=0|, -3, -1|, (1, 2), axis=(0, -1)})
np.repeat(x{, 2, axis=0|, numpy.arange(x.shape[-1]) % 3, axis=-1})
np.{moveaxis|swapaxes}(x, 0, -1)
np.array_split(x, 4)[1]
np.split(x, [1, 2])[1]
np.hsplit(x, [1])[0]
np.stack(np.unstack(x, axis=-1)[:4] or [np.zeros(0)])
np.{tril|triu}(x if x.ndim > 1 else x[:9]{|, 1|, -1|, 100|, -100})
"""


@each(ANY_SHAPE + WITH_AXES)
def test_as_numpy(call: str) -> None:
    for layout in LAYOUTS if call in rows(ANY_SHAPE) else set(LAYOUTS) - {"0-d"}:
        for dtype in filter(has, DTYPES if layout == "transposed" else ("int8", "complex64")):
            check(f"{call}  # {layout}", x=given(dtype, layout))


@each(ANY_SHAPE + WITH_AXES)
def test_pending_arrays(call: str) -> None:
    host, x = given("int32", "group")
    check(call, x=(host + 1, x + 1))
    check(call, x=(host * 2, x * 2))
    check(call, x=(np.zeros((2, 3), "int8"), xp.zeros((2, 3), "int8")))


VIEWS = """
np.reshape({x, (3, 8)|x.T, (4, 6), order="F"})
x.ravel()
x.transpose(1, 0)
x.swapaxes(0, 1)
np.flip(x, 1)
np.fliplr(x)
np.rot90(x, 3)
np.expand_dims(x, 1)
np.squeeze(np.expand_dims(x, 1))
np.moveaxis(x, 0, 1)
np.split(x, 2)[1]
np.vsplit(x, 2)[0]
np.hsplit(x, 3)[2]
np.unstack(x)[2]
np.atleast_3d(x)
"""


@each(VIEWS)
def test_writes_show_through_views(call: str) -> None:
    host = np.arange(24, dtype="i4").reshape(4, 6)
    x = xp.asarray(host.copy())
    ours, theirs = eval(call, {"np": xp, "x": x}), eval(call, {"np": np, "x": host})
    same(ours, theirs)
    ours[...] = -1
    theirs[...] = -1
    same(x, host)
    x[1:, ::2] = 7
    host[1:, ::2] = 7
    same(ours, theirs)


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


def test_concat_fuses_its_parts() -> None:
    x = xp.arange(1000, dtype="float32")
    parts = [(x + 1) * 2, x - 1, xp.zeros(5, "float32")]
    before = builder.counts.launches
    result = xp.concat(parts)
    assert builder.counts.launches - before <= 3 + 1
    host = np.arange(1000, dtype="f4")
    same(result, np.concat([(host + 1) * 2, host - 1, np.zeros(5, "f4")]))
    result[0] = 7
    same(parts[0], (host + 1) * 2)
    same(parts[1], host - 1)


PADDED = """
np.pad(x{[0]|[:1, :1]|[:2, :3]|[:1]|}, {0|1|(2, 3)|(7, 0)|11}, mode=m)
np.pad(x, [(0, 1), (2, 3)], mode=m)
np.pad(cube, {1|(2, 3)|11|[(0, 1), (1, 3), (2, 5)]}, mode=m)
np.pad(long, {7|[(0, 1), (2, 3)]}, mode=m)
"""


@each(PADDED)
def test_pad(call: str) -> None:
    x, cube, long = (
        np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
        for shape in ((3, 5), (3, 4, 2), (300, 2))
    )
    for mode in ("constant", "edge", "wrap", "reflect", "symmetric"):
        check(f"{call}  # {mode}", m=mode, x=x, cube=cube, long=long)


CALLS = """
np.pad(x, ((1, 2), (2, 1)), constant_values={5|(1, 2)|((1, 2), (3, 4))})
np.rot90(cube, {-5|-4|-3|-2|-1|0|1|2|3|4|5})
np.rot90(cube, {1|2|3}, {(1, 0)|(0, 2)|(2, 0)|(1, 2)|(2, 1)})
np.array_split(x, {1|2|3|7|[2]|[1, 3]|[0, 9]|[3, 1]|[-2]}, {0|1|-1})
np.broadcast_shapes({|()|(3,)|(3, 1), (4,)|(0, 1), (3,)|(1, 2), (5, 1, 1)|3, (2, 1)})
np.concatenate(([7], x[0]), 0)
np.stack([x[0], [4, 5, 6]])
np.append(x, 4)
np.column_stack([x[0], x[0]])
np.vstack(x[None])
np.atleast_2d(1, x[0])
numpy.concatenate([x, x])
numpy.roll(x, 1)
numpy.transpose(numpy.reshape(x, (3, 2)))
"""


@each(CALLS)
def test_calls(call: str) -> None:
    with xp.no_implicit_transfer():
        eval(call, {"np": xp, "numpy": np, "x": xp.ones((2, 3)), "cube": xp.ones((2, 3, 4))})
    check(call, x=np.arange(6, dtype="i2").reshape(2, 3), cube=np.arange(24).reshape(2, 3, 4))


DIFFERENCES = """
np.diff(x, n={0|1|2|5}, axis={0|1|-1})
np.diff(x{, axis=0, prepend=x[:1], append=x[-1:]|, prepend=np.zeros((), x.dtype)})
"""


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float32", "complex64"])
@each(DIFFERENCES)
def test_diff(call: str, dtype: str) -> None:
    check(call, x=given(dtype, "strided"))


WRONG = """
np.reshape(x, ({4, 7|-1, -1})) ! ValueError
np.reshape(x, (2.0, 3)) ! TypeError
np.reshape(x, (6,), order="Z") ! ValueError
np.concat({[]|[x, x[:, :1]]|[x, x[0]]|[np.asarray(1), np.asarray(2)]}) ! ValueError
np.concat([x, x], axis=2) ! AxisError
np.concat(3) ! TypeError
np.stack({[]|[x, x[:1]]}) ! ValueError
np.stack([x, x], axis=3) ! AxisError
np.roll(x, 1, axis=2) ! AxisError
np.roll(x, (1, 2), axis=(0, 1, 0)) ! ValueError
np.repeat(x{, -1|, numpy.asarray([1, 2, 3, 4]), axis=0}) ! ValueError
np.tile(x, (-1,)) ! ValueError
np.permute_dims(x, (0{,|, 0})) ! ValueError
np.permute_dims(x, (0, 2)) ! AxisError
np.moveaxis(x, (0, 1), 0) ! ValueError
np.moveaxis(x, (0, 0), (0, 1)) ! ValueError
np.moveaxis(x, 5, 0) ! AxisError
np.swapaxes(x, 0, 2) ! AxisError
np.expand_dims(x, 4) ! AxisError
np.expand_dims(x, (0, 0)) ! ValueError
np.{squeeze|flip}(x, 2) ! AxisError
np.flip(x, 0.5) ! TypeError
np.fliplr(x[0]) ! ValueError
np.rot90(x, 1, (0, 0)) ! ValueError
np.broadcast_to(x, ({2, 4|3,})) ! ValueError
np.broadcast_arrays(x, x[:, :2]) ! ValueError
np.split(x, 4) ! ValueError
np.array_split(x, 0) ! ValueError
np.split(x, 2, 5) ! IndexError
np.pad(x{, 1, mode="no"|, -1|, ((1, 2), (3, 4), (5, 6))}) ! ValueError
np.pad(x, 1.5) ! TypeError
np.pad(x[:0], 1, mode="edge") ! ValueError
np.diff({x, n=-1|np.asarray(1)}) ! ValueError
np.unstack(x, axis=2) ! AxisError
"""


@each_line(WRONG)
def test_errors_are_numpy_s(call: str) -> None:
    check(call, x=np.arange(6).reshape(2, 3))


ERRORS = """
np.diff(x, append="a") ! TypeError: diff(a, n, axis, append): append is of type str
np.diff(x, prepend=[[1]]) ! ValueError: diff(a, n, axis, prepend): the shapes are
np.diff("a") ! TypeError: diff(a, n, axis): a is of type str
np.append(x, x, axis=9) ! AxisError: append(arr, values, axis): axis is 9
np.vstack([x, "a"]) ! TypeError: vstack(tup): an array is of type str
np.vstack(x[0]) ! TypeError: vstack(tup): tup is of type Array
np.hstack([]) ! ValueError: hstack(tup): tup is empty
np.hstack([x, [x]]) ! ValueError: hstack(tup): the shapes are
np.dstack([x, x[:1]]) ! ValueError: dstack(tup): the shapes are
np.column_stack([x, x[:1]]) ! ValueError: column_stack(tup): the shapes are
np.concat(x[0]) ! TypeError: concat(arrays, axis): arrays is of type Array
np.pad(x, 1, constant_values="a") ! ValueError: pad(array, pad_width, mode): constant_values is no
np.pad(x, 1, mode=[1]) ! ValueError: pad(array, pad_width, mode): mode '[1]'
np.split(x, ["a"]) ! TypeError: split(ary, indices_or_sections, axis): indices_or_sections is ['a']
np.split(x, -1) ! ValueError: split(ary, indices_or_sections, axis): -1 parts
np.hsplit(x, 2) ! ValueError: hsplit(ary, indices_or_sections): axis 0 has 3 elements
np.vsplit(x[None], 2) ! ValueError: vsplit(ary, indices_or_sections): axis 0 has 1 elements
np.transpose(x, (0, 0)) ! ValueError: transpose(a, axes): a has 1 dimension and
x.transpose(3) ! AxisError: x.transpose(axes): axis is 3
np.rot90(x[None], k="a") ! TypeError: rot90(m, k, axes): k is 'a'
np.fliplr(x) ! ValueError: fliplr(m): m is 1-d
np.vsplit(x, 2) ! ValueError: vsplit(ary, indices_or_sections): ary is 1-d
np.reshape(x, 4) ! ValueError: reshape(a, shape): a has 3 elements
np.squeeze(x, 0) ! ValueError: squeeze(a, axis): a has shape
np.ravel("a") ! TypeError: ravel(a): a is of type str
np.atleast_2d("a") ! TypeError: atleast_2d(*arrays): an array is of type str
np.moveaxis(x[None], (0, 0), (0, 1)) ! ValueError: moveaxis(a, source, destination): source
np.flip("abc") ! TypeError: flip
np.reshape("abc", (2,)) ! TypeError: reshape
np.roll("abc", 1) ! TypeError: roll
np.squeeze("abc") ! TypeError: squeeze
np.permute_dims("abc", (0,)) ! TypeError: permute_dims
np.unstack("abc") ! TypeError: unstack
np.reshape(np.arange(6), (-2, 3)) ! ValueError: one extent may be -1
np.repeat(x, 1j) ! TypeError: repeats is no array of int64
np.repeat(x, 10**15) ! MemoryError: bytes
np.repeat(x, np.asarray([10**15, 1, 1])) ! MemoryError: repeat(a, repeats, axis): repeats asks
np.repeat(x, {2**62|[2**62, 2**62, 1]|numpy.asarray([2**62, 2**62, 1])}) ! ValueError: 64 bits
"""


@each(ERRORS)
def test_errors_name_the_function_that_was_called(call: str) -> None:
    check(call, x=np.asarray([1, 2, 3]))


STATEMENTS = """
x = np.arange(3); y = np.broadcast_to(x, (2, 3)); x[0] = 9
... z = np.broadcast_arrays(x, np.zeros((2, 1), "int8"))
np.broadcast_to(np.arange(3), (2, 3))[0, 0] = 1 ! ValueError: read-only
{np.broadcast_arrays()|np.broadcast_to(7, (2,))}
x = np.arange(6); y = np.reshape(x, (2, 3), copy=False); z = np.reshape(x, (2, 3), copy=True)
... x[0] = 9; f = np.reshape(y.T, (6,)); a, b = x.reshape(3, -1), x.reshape((3, 2))
np.reshape(np.arange(6).reshape(2, 3).T, (6,), copy=False) ! ValueError: copy
x = np.arange(24).reshape(2, 3, 4)[..., ::-1]; y = np.reshape(x, (6, 4), copy=False); y[0] = 0
{np.zeros((0, 3), "i4").reshape(-1, 3)|np.asarray(5).reshape(())}
x = np.arange(6.0); x[::2].ravel()[:] = 9; y = x.copy(); x[2:].ravel()[:] = 9
x = np.asarray([[1, 2], [3, 4]]); y = x.ravel(order="F"); x.T.ravel(order="F")[0] = 7
"""


@each(STATEMENTS)
def test_statements(call: str) -> None:
    check(call)
