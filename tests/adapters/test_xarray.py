"""xarray computes with Arrays what it does with NumPy's, and keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr

xr = pytest.importorskip("xarray")

A: Final = np.where(np.arange(60.0) % 7 == 3, np.nan, np.sin(np.arange(60.0))).reshape(3, 4, 5)
ROWS: Final = xr.DataArray([0, 2, 1], dims="p")
COLUMNS: Final = xr.DataArray([3, 0, 1], dims="p")


def _grid(of: Callable[[Any], Any]) -> Any:
    places = {"x": [10, 20, 30], "y": list("abcd"), "weight": ("y", of(np.arange(4.0)))}
    return xr.DataArray(of(A), dims=("x", "y", "t"), coords=places, name="v")


def _written(key: dict[str, Any], value: Any) -> Callable[[Any], Any]:
    def write(d: Any) -> Any:
        d = d.copy()
        d[key] = value(d) if callable(value) else value
        return d

    return write


CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "arithmetic": lambda d: np.sin(d) * 2 - d.isel(x=[0, 1]) / d.weight,
    "isel": lambda d: d.isel(x=[0, 2], t=slice(None, None, -2)),
    "vectorised isel": lambda d: d.isel(x=ROWS, y=COLUMNS),
    "axes apart": lambda d: d.isel(x=ROWS, t=COLUMNS),
    "sel": lambda d: d.sel(x=[9, 31], method="nearest").sel(y=xr.DataArray(["a", "c"], dims="p")),
    "points are written": _written(
        {"x": ROWS, "y": COLUMNS}, lambda d: d.isel(x=ROWS, y=COLUMNS) * 2
    ),
    "a block is written": _written({"x": [0, 2], "t": [1, 3]}, 9.0),
    "where": lambda d: xr.where(d > 0, d, -1).where(d.x > 10, drop=True),
    "sum": lambda d: d.sum(),
    "any": lambda d: (d > 0.5).any(),
    "std": lambda d: d.std(("x", "t")),
    "median": lambda d: d.median("t"),
    "quantile": lambda d: d.quantile([0.1, 0.5], dim="x"),
    "idxmax": lambda d: d.idxmax("x"),
    "argmax": lambda d: d.fillna(0).argmax("t"),
    "cumsum": lambda d: d.cumsum("t"),
    "count": lambda d: d.count(),
    "dot": lambda d: xr.dot(d, d.weight, dim="y"),
    "corr": lambda d: xr.corr(d, d + d**2),
    "weighted": lambda d: d.weighted(d.weight).mean("y"),
    "apply_ufunc": lambda d: xr.apply_ufunc(lambda a: a.mean(-1), d, input_core_dims=[["x"]]),
    "groupby": lambda d: d.groupby(d.weight > 1.5).mean(),
    "groupby of an axis": lambda d: d.groupby("y").map(lambda g: g - g.mean()),
    "groupby_bins": lambda d: d.groupby_bins("x", [0, 15, 40]).max(),
    "rolling": lambda d: d.rolling(t=3, min_periods=1, center=True).mean(),
    "rolling over two": lambda d: d.rolling(t=3, y=2).max(),
    "construct": lambda d: d.rolling(t=3).construct("window"),
    "coarsen": lambda d: d.coarsen(t=2, boundary="pad").sum(),
    "reindex": lambda d: d.reindex(x=[10, 25, 30]),
    "interp": lambda d: d.interp(x=[12, 25]),
    "interp of points": lambda d: d.isel(t=[0, 1]).interp(x=ROWS + 10, t=COLUMNS / 3),
    "concat": lambda d: xr.concat([d, d + 1], dim="n"),
    "concat with NumPy's": lambda d: xr.concat([d, d.copy(data=A)], dim="x"),
    "concat with an index": lambda d: xr.DataArray(
        xr.Variable.concat([d.weight.variable, xr.IndexVariable("y", [1, 2])], "y")
    ),
    "stack": lambda d: d.stack(z=("x", "y")).unstack("z"),
    "pad": lambda d: d.pad(t=(1, 2), mode="reflect").shift(x=1),
    "differentiate": lambda d: d.differentiate("x").integrate("x"),
    "polyfit": lambda d: d.fillna(0).polyfit("x", 1)["polyfit_coefficients"],
    "a dataset": lambda d: d.to_dataset().map(np.cos)["v"],
}


@pytest.mark.filterwarnings("ignore:All-NaN|Mean of empty|Degrees of freedom|invalid value")
@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_it_gives_of_numpys(name: str) -> None:
    found, wanted = CALLS[name](_grid(xarr.asarray)), CALLS[name](_grid(np.asarray))
    assert type(found.data) is xarr.Array
    assert found.dims == wanted.dims
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.to_numpy(), wanted.to_numpy(), rtol=1e-12, atol=1e-12)
    for place in wanted.coords:
        assert np.array_equal(found[place].to_numpy(), wanted[place].to_numpy()), place


def test_others_arrays_are_indexed_as_before() -> None:
    strict = pytest.importorskip("array_api_strict")
    x = xr.DataArray(strict.asarray([[1.0, 2.0]]), dims=("x", "y"))
    assert float(x[0, 1]) == 2
    assert type(x.sum().data) is type(x.data)
