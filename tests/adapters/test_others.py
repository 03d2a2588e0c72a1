"""What is told nothing of Arrays takes them by the standard, by NumPy's protocols or as buffers."""

from __future__ import annotations

import io
import operator
from pathlib import Path

import numpy as np
import pytest

import xarr
from tests.processes import run

V = xarr.arange(6.0)


def test_opt_einsum_contracts() -> None:
    oe = pytest.importorskip("opt_einsum")
    a, b = xarr.arange(20.0).reshape(4, 5), xarr.arange(30.0).reshape(5, 6)
    held = oe.contract_expression("ij,jk->ik", a, (5, 6), constants=[0])
    out = xarr.empty((4, 6))
    for found in (oe.contract("ij,jk->ik", a, b), held(b), oe.contract("ij,jk", a, b, out=out)):
        assert type(found) is xarr.Array
        assert (found == a @ b).all()
    assert oe.contract("ij,jk,lk->", a, b, xarr.ones((3, 6))).item() == (a @ b).sum() * 3


def test_h5py_writes_and_reads() -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(io.BytesIO(), "w") as file:
        file["v"] = V
        file["v"][1:3] = V[4:]
        file["v"].attrs["sum"] = V.sum()
        assert file["v"].attrs["sum"] == 15
        assert (xarr.asarray(file["v"]) == [0, 4, 5, 3, 4, 5]).all()
        assert file["v"][np.asarray(V > 3)].tolist() == [4, 5]
        assert file["v"][xarr.asarray([0, 2])].tolist() == [0, 5]
        packed = file.create_dataset("packed", data=V, chunks=(3,), compression="gzip")
        assert (packed[...] == np.arange(6)).all()


def test_numbas_ufuncs_compute() -> None:
    numba = pytest.importorskip("numba")
    twice = numba.vectorize(["float64(float64, float64)"])(lambda p, q: 2 * p + q)
    found = twice(V, V)
    assert type(found) is xarr.Array
    assert (found == 3 * V).all()
    assert twice(V, 1.0, out=found) is found
    assert (found == 2 * V + 1).all()
    total = numba.njit(lambda x: x.sum())
    assert total(np.asarray(V)) == 15
    if not xarr.default_device().info.host_addressable:
        return
    # docs/libraries.md: for `njit` an Array has elements and slices, and NumPy's array all.
    assert numba.njit(lambda x: x[1:][0] + x[2])(V) == V[1] + V[2]
    with pytest.raises(numba.TypingError):
        total(V)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib_computes_and_keeps(backend: str, tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    call = joblib.delayed(operator.neg)
    found = joblib.Parallel(2, backend=backend)(call(x) for x in (V, V + 1))
    assert [x.tolist() for x in found] == [(-V).tolist(), (-V - 1).tolist()]
    joblib.dump(V, tmp_path / "v")
    assert (joblib.load(tmp_path / "v") == V).all()
    assert joblib.hash(V) == joblib.hash(V + 0) != joblib.hash(V + 1)


def test_cloudpickle_sends_functions_of_arrays() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    factor = V.sum()
    assert cloudpickle.loads(cloudpickle.dumps(lambda x: xarr.sin(x) * factor))(V - V).sum() == 0
    assert cloudpickle.loads(cloudpickle.dumps(xarr)) is xarr


def test_a_library_of_an_unknown_version_is_imported_with_a_warning() -> None:
    pytest.importorskip("pandas")
    lacking = "import pandas.core.algorithms as a; del a._ensure_arraylike"
    done = run("-c", f"{lacking}; import xarr; print(a.__name__)")
    assert "pandas is not told of Arrays" in done.stderr
    assert done.stdout == "pandas.core.algorithms\n", done.stderr
