"""Files: what NumPy writes xarr reads, and the other way round."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import check, each
from tests.reference import assert_same

TEXT = "# a b\n1 2 3\n4 5 6\n"


def test_save_and_load(device: xarr.Device, tmp_path: Path) -> None:
    host = numpy.arange(6, dtype="float32").reshape(2, 3)
    x = xarr.asarray(host)
    for number, (ours, theirs) in enumerate([(x, host), (x.T, host.T), (x[0, 0], host[0, 0])]):
        path = tmp_path / f"{number}.npy"
        xarr.save(path, ours)
        assert_same(numpy.load(path), numpy.asarray(theirs), "NumPy's load")
        loaded = xarr.load(path)
        assert type(loaded) is xarr.Array
        assert loaded.device is device
        assert_same(xarr.to_numpy(loaded), numpy.asarray(theirs), "load")
    with xarr.no_implicit_transfer():
        xarr.save(io.BytesIO(), x)
        xarr.load(tmp_path / "0.npy", mmap_mode="r")
    xarr.save(tmp_path / "nested", [x[0], x[1]])
    assert_same(numpy.load(tmp_path / "nested.npy"), host, "a list of arrays")


def test_what_cannot_be_on_a_device_stays_numpys(tmp_path: Path) -> None:
    numpy.save(tmp_path / "a.npy", numpy.asarray({"a": 1}, dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        xarr.load(tmp_path / "a.npy")
    assert xarr.load(tmp_path / "a.npy", allow_pickle=True).item() == {"a": 1}
    records = xarr.genfromtxt(["1,2.5", "3,4.5"], delimiter=",", names="n,x", dtype=None)
    assert records["n"].tolist() == [1, 3]
    numpy.save(tmp_path / "s.npy", numpy.asarray(["a", "b"]))
    assert xarr.load(tmp_path / "s.npy").tolist() == ["a", "b"]


@pytest.mark.parametrize("write", [xarr.savez, xarr.savez_compressed])
def test_archives(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write(path, xarr.arange(3), x=xarr.ones((2, 2)), y=[1.0, 2.0])
    with numpy.load(path) as theirs, xarr.load(path) as ours:
        assert sorted(ours.files) == sorted(ours) == sorted(theirs.files) == ["arr_0", "x", "y"]
        for name in theirs:
            assert type(ours[name]) is xarr.Array
            assert_same(xarr.to_numpy(ours[name]), theirs[name], name)
        assert len(ours) == 3
        assert "x" in ours
        assert "z" not in ours
        assert ours.f.x.shape == (2, 2)
        assert {name: value.shape for name, value in ours.items()}["x"] == (2, 2)
        with pytest.raises(KeyError):
            ours["z"]
        with pytest.raises(AttributeError):
            _ = ours.f.z


CALLS = """
np.loadtxt(io.StringIO(TEXT){|, unpack=True|, usecols=(0, 2)|, skiprows=1, max_rows=1})
np.loadtxt(io.StringIO(TEXT), {dtype="int32"|ndmin=2, usecols=1})
np.loadtxt(io.StringIO(TEXT), converters={0: lambda text: 2 * float(text)})
_f = io.StringIO(); x = np.arange(6.0).reshape(2, 3)
... np.savetxt(_f, {x|[*x]|numpy.ones((2, 3))}, fmt="%.2f", delimiter=",", header="a,b,c")
... t = _f.getvalue()
np.genfromtxt(["1,2,", "4,,6"], delimiter=",", filling_values=-1)
np.genfromtxt(["1,2,", "4,,6"], int, "#", ",", 1)
np.fromstring("1 2 3", int, 2, sep=" ")
np.fromstring("1, 2, 3", sep=",")
"""


@each(CALLS)
def test_text(call: str) -> None:
    check(call, names={"io": io, "TEXT": TEXT})


def test_masks_of_text_are_refused() -> None:
    with pytest.raises(TypeError, match="masked"):
        xarr.genfromtxt(["1,2,"], delimiter=",", usemask=True)


def test_bytes_and_strings(tmp_path: Path) -> None:
    host = numpy.arange(10, dtype="int16")
    path = tmp_path / "raw"
    host.tofile(path)
    ours = xarr.fromfile(path, "int16", 3, "", 4)
    assert_same(xarr.to_numpy(ours), numpy.fromfile(path, "int16", 3, "", 4), "fromfile")
    assert xarr.fromfile(str(path), dtype="int16").size == 10
    found = xarr.fromregex(io.StringIO("a1 b2"), r"([a-z])(\d)", [("k", "U1"), ("n", "i8")])
    assert found["n"].tolist() == [1, 2]
    mapped = xarr.memmap(path, "int16", "r", 2, (2, 3))
    assert mapped.tolist() == [[1, 2, 3], [4, 5, 6]]
    if not xarr.default_device().info.host_addressable:
        with pytest.raises(ValueError, match=r"numpy\.memmap"):
            xarr.memmap(path, "int16")
        return
    with pytest.raises(ValueError, match="read-only"):
        mapped[...] = 0
    private = xarr.memmap(path, "int16", "c")
    private[...] = 0
    xarr.synchronize()
    assert numpy.fromfile(path, "int16").tolist() == host.tolist()
    for offset in (0, 2):
        shared = xarr.memmap(path, "int16", "r+", offset)
        shared += 1
        xarr.synchronize()
    assert numpy.fromfile(path, "int16").tolist() == [1, *range(3, 12)]


def test_a_mapped_file_is_shared(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.arange(6.0).reshape(2, 3))
    x = xarr.load(path, mmap_mode="r+")
    x[1] *= 2
    xarr.synchronize()
    changed = [6.0, 8.0, 10.0] if xarr.default_device().info.host_addressable else [3.0, 4.0, 5.0]
    assert numpy.load(path)[1].tolist() == changed
    assert float(xarr.load(path, mmap_mode="r").sum()) == 3 + sum(changed)
