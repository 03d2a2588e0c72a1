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
from tests.processes import run_code

Host = np.ndarray[Any, Any]


def pair(shape: Any, dtype: str = "f8", order: Any = "C") -> tuple[Host, xp.Array]:
    """The same numbers in both libraries."""
    if dtype in ("f8", "c16") and not device().has_float64:
        pytest.skip("no float64")
    host = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    if dtype in ("c8", "c16"):
        host += 1j * host[..., ::-1]
    return host.copy(order=order), xp.asarray(host, order=order)


def same(got: Any, wanted: Any) -> None:
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    assert xp.to_numpy(got).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("key", [..., (slice(None), slice(None, None, -2)), (1, 1, ...)])
def test_parts_are_views(dtype: str, key: Any) -> None:
    host, x = pair((3, 4), dtype)
    for part in ("real", "imag"):
        a, b = getattr(host[key], part), getattr(x[key], part)
        same(b, a)
        a += 10
        b += 10
        same(x, host)
        setattr(host[key], part, 3.5)
        setattr(x[key], part, 3.5)
        same(x, host)
    x.real[...] = x.imag
    host.real[...] = host.imag
    x[...] = x.real
    host[...] = host.real
    same(x, host)


def test_parts_of_pending_values_and_of_no_elements() -> None:
    host, x = pair((5,), "c8")
    y = x * 2 + 1
    wanted = host * 2 + 1
    y.imag[1:] = 0
    wanted.imag[1:] = 0
    same(y, wanted)
    assert xp.zeros((0, 3), dtype="c8").real.shape == (0, 3)
    assert xp.asarray(1 + 2j, dtype="c8").imag.item() == 2


def test_parts_of_real_arrays() -> None:
    x = xp.arange(3)
    assert x.real is x
    assert x.imag.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        x.imag[0] = 1
    with pytest.raises(TypeError, match="imaginary"):
        x.imag = 1  # type: ignore[assignment]
    x.real = 4  # type: ignore[assignment]
    assert x.tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("i8", "i4"), ("i4", "i8"), ("i2", "u2"), ("u1", "u4"), ("c8", "f4"), ("f4", "c8")],
)
def test_views_of_other_types(given: str, wanted: str) -> None:
    host, x = pair((2, 8), given)
    same(x.view(wanted), host.view(wanted))
    assert x.view(wanted).strides == host.view(wanted).strides
    x.view(wanted)[1:] = 7
    host.view(wanted)[1:] = 7
    same(x, host)
    same(x[1:, :4].view(wanted), host[1:, :4].view(wanted))
    y = x.view()
    y.dtype = np.dtype(wanted)
    host.dtype = np.dtype(wanted)  # type: ignore[misc]
    same(y, host)
    assert x.dtype == given


@pytest.mark.parametrize(
    "call",
    [
        lambda n: n.zeros((2, 3), dtype="i4").view("i8"),
        lambda n: n.zeros((4, 4), dtype="i4").T.view("i8"),
        lambda n: n.asarray(1, dtype="i4").view("i2"),
        lambda n: n.zeros((2, 4), dtype="i4")[:, ::2].view("i2"),
    ],
)
def test_views_that_are_refused(call: Any) -> None:
    for library in (np, xp):
        with pytest.raises(ValueError, match=r".+"):
            call(library)


def test_views_across_words_are_refused() -> None:
    x = xp.zeros((3, 3), dtype="i4")
    with pytest.raises(ValueError, match=r"x\.copy\(\)"):
        x[:, 1:].view("i8")


def test_kernels_that_read_memory_as_two_types() -> None:
    host, x = pair((64,), "f4")
    same(x.view("i4") + x.astype("i4"), host.view("i4") + host.astype("i4"))
    x.view("i4")[...] = x
    host.view("i4")[...] = host.copy()
    same(x, host)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "key", [..., np.s_[::2], np.s_[:, ::-1], np.s_[None, :, 1], np.s_[1:1], np.s_[:1]]
)
def test_flags_and_strides(order: str, key: Any) -> None:
    host, x = pair((3, 4), "f4", order)
    a, b = host[key], x[key]
    for name in ("c_contiguous", "f_contiguous", "forc", "fnc", "writeable", "aligned", "carray"):
        assert getattr(b.flags, name) == getattr(a.flags, name), name
    if a.size:
        assert [s for s, n in zip(b.strides, b.shape, strict=True) if n > 1] == [
            s for s, n in zip(a.strides, a.shape, strict=True) if n > 1
        ]
    if key is ...:
        assert repr(x.flags) == repr(host.copy(order=order).flags)  # type: ignore[arg-type]
    assert xp.isfortran(b) == np.isfortran(a)
    for name in ("C", "F_CONTIGUOUS", "W", "FORC"):
        assert b.flags[name] == a.flags[name]
    with pytest.raises(KeyError, match="flags"):
        b.flags["Z"]


def test_bases() -> None:
    x = xp.zeros((2, 3))
    assert x.base is None
    assert x.flags.owndata
    y = x[1:]
    assert y.base is x
    assert y.T.base is x
    assert not y.flags.owndata
    assert (x + 1).base is None
    del x
    assert y.base.size == 6


@pytest.mark.parametrize(
    "write",
    [
        lambda y: y.__setitem__(0, 1),
        lambda y: y.__setitem__([0, 1], 1),
        lambda y: y.__setitem__(y > 0, 1),
        lambda y: y.__iadd__(1),
        lambda y: y.__ipow__(2),
        lambda y: y.fill(1),
        lambda y: y.sort(),
        lambda y: y.flat.__setitem__(0, 1),
        lambda y: y[1:].__setitem__(0, 1),
        lambda y: y.view("u8").__setitem__(0, 1),
        lambda y: y.reshape(2, 2).__setitem__(0, 1),
        lambda y: xp.copyto(y, 1),
        lambda y: y.real.__setitem__(0, 1),
        lambda y: xp.add(y, 1, out=y),
        lambda y: xp.sum(y.reshape(4, 1), axis=1, out=y),
        lambda y: y.put([0], 1),
        lambda y: y.partition(1),
        lambda y: y.byteswap(True),
        lambda y: y.resize(2),
    ],
)
def test_what_cannot_be_written_is_not(write: Any) -> None:
    x = xp.arange(4)
    y = x[...]
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        write(y)
    assert x.tolist() == [0, 1, 2, 3]
    x += 1
    assert y.tolist() == [1, 2, 3, 4]


def test_flags_are_set() -> None:
    x = xp.arange(3)
    x.setflags(write=False)
    view = x[1:]
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="writeable"):
        view.flags.writeable = True
    x.flags["WRITEABLE"] = True
    view.setflags(write=True)
    view[0] = 5
    assert x.tolist() == [0, 5, 2]
    spread = xp.broadcast_to(x, (2, 3))
    with pytest.raises(ValueError, match="cannot be written"):
        spread.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        spread[0, :][...] = 1
    with pytest.raises(ValueError, match="read-only"):
        xp.broadcast_to(x, (3, 1, 3))[1, :][0] = 1


@pytest.mark.parametrize("key", [..., np.s_[::2], np.s_[:, ::-1], np.s_[1]])
def test_flat(key: Any) -> None:
    host, x = pair((4, 6), "f4")
    a, b = host[key], x[key]
    for place in (0, 3, -1, slice(1, 5), slice(None, None, -2), [0, 2, 2], ...):
        same(b.flat[place], np.asarray(a.flat[place]))  # type: ignore[index]
    assert [float(value) for value in b.flat] == a.reshape(-1).tolist()
    assert len(b.flat) == a.size
    assert b.flat.base is b
    same(b.flat.copy(), a.flat.copy())
    same(b.flat == 3, a.flat == 3)  # type: ignore[arg-type]
    assert isinstance(b.flat, xp.flatiter)
    for place, value in (
        (1, 50),
        (-1, 51),
        (slice(2, 5), [7, 8]),
        ([0, 3], 9),
        (slice(None), a.copy()[::-1]),
        (a.reshape(-1) > 20, [1, 2]),
    ):
        a.flat[place] = value  # type: ignore[index]
        b.flat[place] = value
        same(x, host)
    a.flat = [1, 2, 3]  # type: ignore[misc]
    b.flat = [1, 2, 3]
    same(x, host)
    with pytest.raises(IndexError, match="range"):
        b.flat[100]


def test_flat_is_walked() -> None:
    host, x = pair((2, 3), "f4")
    ours, theirs = x.flat, host.flat
    assert float(next(ours)) == next(theirs)
    assert (ours.index, ours.coords) == (theirs.index, theirs.coords)


@pytest.mark.parametrize("shape", [12, (-1,), (2, -1), (2, 3, 2), (1, 12, 1)])
def test_shapes_are_set(shape: Any) -> None:
    host, x = pair((3, 4), "f4")
    view = x[1:]
    x.shape = shape
    host.shape = shape
    same(x, host)
    assert view.shape == (2, 4)
    x[...] = 0
    assert not view.any()


def test_shapes_that_are_refused() -> None:
    x = xp.zeros((3, 4))
    with pytest.raises(ValueError, match="elements"):
        x.shape = 5  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="reshape"):
        x.T.shape = 12  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        del x.shape
    with pytest.raises(AttributeError):
        x.strides = (1, 2)  # type: ignore[misc]
    a = xp.zeros(4)
    b = xp.zeros(4) + 1
    a.shape = b.shape = 2, 2
    assert a.shape == b.shape == (2, 2)


def test_filling_resizing_and_bytes(tmp_path: Path) -> None:
    host, x = pair((2, 3), "f4")
    x[:, 1].fill(9)
    host[:, 1].fill(9)
    same(x, host)
    for order in ("C", "F", "A"):
        assert x.tobytes(order) == host.tobytes(order)  # type: ignore[arg-type]
        assert x.T.tobytes(order) == host.T.tobytes(order)  # type: ignore[arg-type]
    same(x.byteswap(), host.byteswap())
    same(x.T.byteswap(), host.T.byteswap())
    complex_host, z = pair((3,), "c8")
    same(z.byteswap().view("u1"), complex_host.byteswap().view("u1"))
    x.tofile(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == host.tobytes()
    x.dump(tmp_path / "pickled")
    assert (tmp_path / "pickled").exists()
    same(pickle.loads(x.dumps()), host)
    for shape in ((4, 2), (2, 2), 3):
        x.resize(shape)
        host.resize(shape, refcheck=False)
        same(x, host)
    x.resize()
    same(x, host)
    view, values = x[1:], host[1:].copy()
    with pytest.raises(ValueError, match="view"):
        view.resize(9)
    x.resize(9)
    x += 1
    same(view, values)
    x.resize(host.shape)
    x -= 1
    same(x.diagonal() if x.ndim > 1 else x, host)


def test_arrays_are_made_by_their_class() -> None:
    assert isinstance(xp.zeros(2), xp.ndarray)
    assert xp.ndarray((2, 3), dtype="f4").shape == (2, 3)
    assert xp.ndarray(3, "i4", order="F").dtype == "i4"
    assert xp.ndarray((2, 3), "f4", order="F").flags.f_contiguous
    with pytest.raises(ValueError, match="strides"):
        xp.ndarray((2,), strides=())
    data = bytearray(range(16))
    wanted = np.ndarray((2, 3), "u1", data, offset=2, strides=(6, 2))
    same(xp.ndarray((2, 3), "u1", data, offset=2, strides=(6, 2)), wanted)
    x = xp.arange(6)
    y = xp.ndarray((2, 2), "i8", x, 8, (16, 8))
    y[...] = 0
    assert x.tolist() == [0, 0, 0, 0, 0, 5]
    with pytest.raises(TypeError):
        xp.ndarray((9,), "i8", x)
    assert xp.ndarray[Any, np.dtype[np.float64]]  # type: ignore[misc]
    with pytest.raises(TypeError, match="subclass"):
        type("Own", (xp.ndarray,), {})
    with pytest.raises(TypeError, match="asarray"):
        xp.ndarray(None)


def test_memory_of_the_host() -> None:
    host, x = pair((2, 3), "f4")
    if not device().info.shares_host_memory:
        with pytest.raises(AttributeError, match="to_numpy"):
            x.data  # noqa: B018
        return
    assert bytes(x.data) == bytes(host.data)
    assert x.ctypes.shape[:] == [2, 3]
    view = x.data
    x[0, 0] = 77
    assert view[0, 0] == 77  # type: ignore[index]


def test_memory_that_is_shared() -> None:
    x = xp.zeros((4, 4))
    for pick, wanted, maybe in (
        (lambda x: (x, x), True, True),
        (lambda x: (x[::2], x[1::2]), False, True),
        (lambda x: (x[:2], x[2:]), False, False),
        (lambda x: (x[:, :2], x[:, 1:]), True, True),
        (lambda x: (x, x + 1), False, False),
        (lambda x: (x, x.view("u1")[:, 3:]), True, True),
    ):
        assert xp.shares_memory(*pick(x)) is wanted
        assert xp.may_share_memory(*pick(x)) is maybe


def test_methods_that_are_functions() -> None:
    x = xp.asarray([2, 0, 1])
    assert x.choose([[10, 11, 12], 20, 30]).tolist() == [30, 11, 20]
    x.put([0, -1], [7, 8])
    assert x.tolist() == [7, 0, 8]
    assert x.compress([True, False, True]).tolist() == [7, 8]
    y = xp.arange(6).reshape(2, 3)
    assert y.diagonal(1).tolist() == [1, 5]
    assert int(y.trace()) == 4
    assert y.compress([False, True], axis=0).tolist() == [[3, 4, 5]]
    assert (y * 1j).conjugate()[1, 0].item() == -3j


def test_public_functions_are_pickled() -> None:
    spaces = (xp, xp.fft, xp.linalg)
    functions = [value for space in spaces for value in vars(space).values() if callable(value)]
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


def test_elements_are_not_deleted() -> None:
    x = xp.arange(3)
    with pytest.raises(ValueError, match="delete"):
        del x[0]
    with pytest.raises(TypeError, match="delete"):
        del x.flat[0]


def test_bools_of_other_memory_are_true_where_they_are_not_zero() -> None:
    x = xp.asarray([255, 0, 1, 7], dtype="u1").view(bool)
    assert int(x.sum()) == 3
    assert xp.count_nonzero(x) == 3
    assert (x == True).tolist() == [True, False, True, True]  # noqa: E712
    assert xp.arange(4)[x].tolist() == [0, 2, 3]
    assert (x & x.copy()).view("u1").tolist() == [1, 0, 1, 1]


def test_conjugates_of_real_arrays_are_themselves() -> None:
    x = xp.arange(3)
    assert x.conj() is x
    assert x.conjugate() is x


def test_axes_of_a_transpose_are_an_array() -> None:
    host, x = pair((2, 3, 4), "f4")
    same(x.transpose(xp.asarray([2, 0, 1])), host.transpose(np.asarray([2, 0, 1])))
    same(x.transpose(None), host.transpose(None))
