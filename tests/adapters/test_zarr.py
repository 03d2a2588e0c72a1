"""Arrays are written to Zarr's arrays and read from them, by themselves and as Dask's chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import dask.array as da
import numpy as np
import pytest
import zarr

import xarr

A: Final = np.random.default_rng(5).random((24, 16))


@pytest.mark.parametrize("values", [A, A.T, A.astype("float32"), A > 0.5, 0 * A, -0.0 * A], ids=str)
def test_an_array_is_written_and_read(values: np.ndarray, tmp_path: Path) -> None:
    written = zarr.create_array(str(tmp_path / "x"), data=xarr.asarray(values), chunks=(8, 8))
    written[2:5, 1:7] = xarr.asarray(values[:3, :6])
    expected = values.copy()
    expected[2:5, 1:7] = values[:3, :6]
    found = xarr.asarray(zarr.open_array(str(tmp_path / "x"))[:])
    assert np.asarray(found).tobytes() == expected.tobytes()
    assert found.dtype == values.dtype


def test_chunks_go_from_zarr_to_zarr(tmp_path: Path) -> None:
    first, last = str(tmp_path / "first"), str(tmp_path / "last")
    da.from_array(xarr.asarray(A), chunks=8).to_zarr(first)
    x = da.from_zarr(first).to_backend("xarr")
    (x @ x.T).to_zarr(last)
    np.testing.assert_allclose(zarr.open_array(last)[:], A @ A.T)
