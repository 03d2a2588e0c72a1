"""What NumPy's programs ask of an array and do to it in place: attributes, flags, flat, views."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import device
from tests.functions.calls import check, each, each_line
from tests.processes import run_code

FLAGS = ("c_contiguous", "f_contiguous", "forc", "fnc", "writeable", "aligned", "carray")
FIRST = np.arange(1, 13).reshape(3, 4)
GIVEN: dict[str, Any] = {"f": FIRST.astype("f4"), "i": FIRST.astype("i4"), "n": FIRST - 1}
GIVEN |= {"z": (FIRST + 1j * FIRST[:, ::-1]).astype("c8"), "w": FIRST + 1j * FIRST[:, ::-1]}
GIVEN["m"] = np.arange(1, 25, dtype="f4").reshape(4, 6)

CALLS = """
# real and imaginary parts
a = {z|w}[{...|:, ::-2|1, 1, ...}].{real|imag}; a += 10
{z|w}[{...|:, ::-2|1, 1, ...}].{real|imag} = 3.5
{z|w}.real[...] = 7; z.real[...] = z.imag; w.real[...] = w.imag
{z[...] = z.real|w[...] = w.real}
x = z[0] * 2 + 1; x.imag[1:] = 0
{np.zeros((0, 3), dtype="c8").real.shape|np.asarray(1 + 2j, dtype="c8").imag.item()}
(i.real is i, i.imag)
i.imag[0] = 1 ! ValueError: read-only
i.imag = 1 ! TypeError: imaginary
i.real = 4
(i.conj() is i, i.conjugate() is i)
# views of other types
k = {"i8", "i4"|"i4", "i8"|"i2", "u2"|"u1", "u4"|"c8", "f4"|"f4", "c8"}
... x = np.asarray(m[:2, :4], k[0]); v = x.view(k[1]); s = v.strides; v[1:] = 7
... y = x.view(); y.dtype = numpy.dtype(k[1]); u = np.ones((3, 8), k[0])[1:, :4].view(k[1])
... d = x.dtype
np.zeros((2, 3), dtype="i4").view("i8") ! ValueError
np.zeros((4, 4), dtype="i4").T.view("i8") ! ValueError
np.asarray(1, dtype="i4").view("i2") ! ValueError
np.zeros((2, 4), dtype="i4")[:, ::2].view("i2") ! ValueError
x = f.view("i4") + f.astype("i4"); f.view("i4")[...] = f
# flags and bases
x = {f|np.asarray(f, order="F")}[{...|::2|:, ::-1|None, :, 1|1:1|:1}]; b = np.isfortran(x)
... a = [getattr(x.flags, name) for name in FLAGS]
... c = [x.flags[name] for name in ("C", "F_CONTIGUOUS", "W", "FORC")]
... s = [step for step, extent in zip(x.strides, x.shape) if extent > 1 and x.size]
repr(np.array(f, order={"C"|"F"}).flags)
f.flags["Z"] ! KeyError: flags
x = np.zeros((2, 3)); y = x[1:]; a = (x.base is None, y.base is x, y.T.base is x)
... b = (x.flags.owndata, y.flags.owndata, (x + 1).base is None); del x; n = y.base.size
x = n[0]; x.setflags(write=False); v = x[1:]; w = v.flags.writeable; x.flags["WRITEABLE"] = True
... v.setflags(write=True); v[0] = 5
n.setflags(write=False); n[1:].flags.writeable = True ! ValueError: writeable
np.broadcast_to(n[0], (2, 4)).flags.writeable = True ! ValueError: cannot be written
np.broadcast_to(n[0], {(2, 4))[0, :][...|(3, 1, 4))[1, :][0}] = 1 ! ValueError: read-only
# flat
x = m[{...|::2|:, ::-1|1}]; y = x.flat[{0|3|-1|1:5|::-2|[0, 2, 2]|...}]
x = m[{...|::2|:, ::-1|1}]; y = [float(value) for value in x.flat]; n = len(x.flat)
... b = x.flat.base is x; c = x.flat.copy(); e = x.flat == 3; t = isinstance(x.flat, np.flatiter)
m[{...|::2|:, ::-1|1}].flat[{1] = 50|-1] = 51|2:5] = [7, 8]|[0, 3]] = 9}
x = m[{...|::2|:, ::-1|1}]; x.flat[:] = x.reshape(-1)[::-1] * 1
x = m[{...|::2|:, ::-1|1}]; x.flat[x.reshape(-1) > 20] = [1, 2]
m[{...|::2|:, ::-1|1}].flat = [1, 2, 3]
m[{...|::2|:, ::-1|1}].flat[100] ! IndexError: range
_x = f.flat; a = float(next(_x)); b = (_x.index, _x.coords)
# shapes
x = f * 1; v = x[1:]; x.shape = {12|(-1,)|(2, -1)|(2, 3, 2)|(1, 12, 1)}; s = x.shape; x[...] = 0
f.shape = 5 ! ValueError: elements
f.T.shape = 12 ! AttributeError: reshape
del f.shape ! AttributeError
x = np.zeros(4); y = np.zeros(4) + 1; x.shape = y.shape = 2, 2
x = f * 1; x.resize({(4, 2)|(2, 2)|3|(5, 6)}, refcheck=False); x.resize((3, 4), refcheck=False)
x = f * 1; x.resize()
# memory
f[:, 1].fill(9)
[{f|f.T}.tobytes(order) for order in "CFA"]
{f|f.T|z[0].byteswap().view("u1")}.byteswap()
np.ndarray({(2, 3), dtype="f4"|3, "i4", order="F"}).dtype
np.ndarray((2, 3), "f4", order="F").flags.f_contiguous
np.ndarray((2, 3), "u1", bytearray(range(16)), offset=2, strides=(6, 2))
x = np.ndarray((2, 2), "i8", n, 16, (32, 8)); x[...] = 0
np.ndarray((13,), "i8", n) ! TypeError
np.ndarray((2,), strides=()) ! ValueError: strides
(isinstance(np.zeros(2), np.ndarray), x := np.zeros(1), y := x)[0]
np.{shares_memory|may_share_memory}(f, {f|f + 1|f.view("u1")[:, 3:]})
np.{shares_memory|may_share_memory}(m{[::2], m[1::2]|[:2], m[2:]|[:, :2], m[:, 1:]})
# methods that are functions
np.asarray([2, 0, 1]).choose([[10, 11, 12], 20, 30])
x = n[0]; x.put([0, -1], [7, 8]); y = x.compress([True, False, True])
{n.diagonal(1)|n.trace()|n.compress([False, True], axis=0)|(n * 1j).conjugate()}
m.reshape(2, 3, 4).transpose({np.asarray([2, 0, 1])|None})
del n[0] ! ValueError: delete
del n.flat[0] ! TypeError: delete
# what NumPy accepts: across words, in place, ...
np.zeros((3, 3), dtype="i4")[:, 1:].view("i8") ! ValueError: x.copy()
np.zeros((3, 4)).strides = (1, 2) ! AttributeError: strides
type("Own", (np.ndarray,), {}) ! TypeError: subclass
np.ndarray(None) ! TypeError: asarray
bool(np.ndarray[object, numpy.dtype[numpy.float64]])
"""


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    if not device().has_float64:
        pytest.skip("no float64")
    check(call, names={"FLAGS": FLAGS}, **GIVEN)


WRITES = """
y{[0]|[[0, 1]]|[y > 0]|[1:][0]|.flat[0]|.view("u8")[0]|.reshape(2, 2)[0]|.real[0]} = 1
y{ += 1| **= 2|.fill(1)|.sort()|.put([0], 1)|.partition(1)|.byteswap(True)|.resize(2)}
np.copyto(y, 1)
np.add(y, 1, out=y)
np.sum(y.reshape(4, 1), axis=1, out=y)
"""


@each(WRITES)
def test_what_cannot_be_written_is_not(call: str) -> None:
    x = xp.arange(4)
    y = x[...]
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        exec(call, {"np": xp, "y": y})
    assert x.tolist() == [0, 1, 2, 3]
    x += 1
    assert y.tolist() == [1, 2, 3, 4]


def test_what_is_resized_has_other_memory_than_its_views(tmp_path: Path) -> None:
    x = xp.asarray(GIVEN["f"])
    x.tofile(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == GIVEN["f"].tobytes()
    x.dump(tmp_path / "pickled")
    assert (tmp_path / "pickled").exists()
    assert pickle.loads(x.dumps()).tolist() == x.tolist()
    view = x[1:]
    with pytest.raises(ValueError, match="view"):
        view.resize(9)
    x.resize(9)
    x += 1
    assert view.tolist() == GIVEN["f"][1:].tolist()


def test_memory_of_the_host() -> None:
    host = GIVEN["f"][:2, :3]
    x = xp.asarray(host)
    if not device().info.shares_host_memory:
        with pytest.raises(AttributeError, match="to_numpy"):
            x.data  # noqa: B018
        return
    assert bytes(x.data) == bytes(host.copy().data)
    assert x.ctypes.shape[:] == [2, 3]
    view = x.data
    x[0, 0] = 77
    assert view[0, 0] == 77  # type: ignore[index]


def test_public_functions_are_pickled() -> None:
    spaces = (xp, xp.fft, xp.linalg)
    values = [getattr(space, name) for space in spaces for name in dir(space)]
    functions = [value for value in values if callable(value)]
    assert len(functions) > 300
    for function in functions:
        if not getattr(function, "__name__", "_").startswith("_"):
            assert pickle.loads(pickle.dumps(function)) is function


POOL = """
import multiprocessing
import sys
import warnings

import xarr

def total(x):
    return float(x.sum())

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    x = xarr.ones(10) + 1
    assert total(x) == 20
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            print(pool.apply_async(total, (x,)).get(timeout=60))
        except RuntimeError as error:
            print("spawn" in str(error))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_pool_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "pool.py"
    file.write_text(POOL, encoding="utf-8")
    done = run_code(f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')")
    wanted = "20.0" if xp.default_device().backend == "cpu" else "True"
    assert done.stdout.split() == [wanted], done.stderr


def test_bools_of_other_memory_are_true_where_they_are_not_zero() -> None:
    memory = np.asarray([255, 0, 1, 7], dtype="u1")
    for x in (xp.asarray(memory).view(bool), xp.from_dlpack(memory.view(bool))):
        assert int(x.sum()) == xp.count_nonzero(x) == int(x.astype("int8").sum()) == 3
        assert (x == True).tolist() == [True, False, True, True]  # noqa: E712
        assert xp.arange(4)[x].tolist() == [0, 2, 3]
        assert (x & x.copy()).view("u1").tolist() == [1, 0, 1, 1]
