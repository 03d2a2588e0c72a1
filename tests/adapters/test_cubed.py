"""Cubed computes with Arrays as blocks, which go through Zarr between its operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import xarr

with pytest.MonkeyPatch.context() as patch:
    patch.setenv("CUBED_BACKEND_ARRAY_API_MODULE", "xarr")  # which it reads once
    cubed = pytest.importorskip("cubed")
    xp = pytest.importorskip("cubed.array_api")

A: Final = np.sin(np.arange(96.0)).reshape(8, 12)

CALLS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "elementwise": (lambda x: xp.sin(x) * 2 + x, lambda a: np.sin(a) * 2 + a),
    "where": (lambda x: xp.where(x > 0, x, 0), lambda a: np.where(a > 0, a, 0)),
    "sum": (xp.sum, np.sum),
    "mean": (lambda x: xp.mean(x, axis=1), lambda a: np.mean(a, axis=1)),
    "std": (xp.std, np.std),
    "argmax": (lambda x: xp.argmax(x, axis=1), lambda a: np.argmax(a, axis=1)),
    "nanmean": (lambda x: cubed.nanmean(xp.where(x > 0, x, xp.nan)), lambda a: np.mean(a[a > 0])),
    "cumulative_sum": (lambda x: xp.cumulative_sum(x, axis=0), lambda a: np.cumsum(a, axis=0)),
    "matmul": (lambda x: x @ x.T, lambda a: a @ a.T),
    "concat": (lambda x: xp.concat([x, x + 1]), lambda a: np.concat([a, a + 1])),
    "reshape": (lambda x: xp.reshape(x, (2, 4, 12)), lambda a: a.reshape(2, 4, 12)),
    "indices": (lambda x: x[[1, 5, 2]], lambda a: a[[1, 5, 2]]),
    "roll": (lambda x: xp.roll(x, 3, axis=0), lambda a: np.roll(a, 3, axis=0)),
    "rechunk": (lambda x: x.rechunk((8, 2)) + 1, lambda a: a + 1),
    "map_blocks": (lambda x: cubed.map_blocks(abs, x, dtype=x.dtype), abs),
    "eye": (lambda x: x @ xp.eye(12, chunks=5, spec=x.spec), lambda a: a),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_numpy_does(name: str, tmp_path: Path) -> None:
    spec = cubed.Spec(work_dir=str(tmp_path), allowed_mem="100MB")
    call, wanted = CALLS[name]
    found = call(cubed.from_array(A, chunks=(4, 5), spec=spec)).compute()
    assert type(found) is xarr.Array
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted(A)), rtol=1e-12, atol=1e-12)
