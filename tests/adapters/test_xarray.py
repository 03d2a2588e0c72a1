"""xarray computes with Arrays what it does with NumPy's, and keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.functions.calls import rows

xr = pytest.importorskip("xarray")

A: Final = np.where(np.arange(60.0) % 7 == 3, np.nan, np.sin(np.arange(60.0))).reshape(3, 4, 5)
ROWS: Final = xr.DataArray([0, 2, 1], dims="p")
COLUMNS: Final = xr.DataArray([3, 0, 1], dims="p")


def _grid(of: Callable[[Any], Any]) -> Any:
    places = {"x": [10, 20, 30], "y": list("abcd"), "weight": ("y", of(np.arange(4.0)))}
    return xr.DataArray(of(A), dims=("x", "y", "t"), coords=places, name="v")


def written(d: Any, key: dict[str, Any], value: Any) -> Any:
    d = d.copy()
    d[key] = value
    return d


CALLS: Final = rows("""
np.sin(d) * 2 - d.isel(x=[0, 1]) / d.weight
d.isel({x=[0, 2], t=slice(None, None, -2)|x=ROWS, y=COLUMNS|x=ROWS, t=COLUMNS})
d.sel(x=[9, 31], method="nearest").sel(y=xr.DataArray(["a", "c"], dims="p"))
written(d, dict(x=ROWS, y=COLUMNS), d.isel(x=ROWS, y=COLUMNS) * 2)
written(d, dict(x=[0, 2], t=[1, 3]), 9.0)
xr.where(d > 0, d, -1).where(d.x > 10, drop=True)
{d.sum()|(d > 0.5).any()|d.std(("x", "t"))|d.median("t")|d.quantile([0.1, 0.5], dim="x")}
{d.idxmax("x")|d.fillna(0).argmax("t")|d.cumsum("t")|d.count()}
{xr.dot(d, d.weight, dim="y")|xr.corr(d, d + d**2)|d.weighted(d.weight).mean("y")}
xr.apply_ufunc(lambda a: a.mean(-1), d, input_core_dims=[["x"]])
d.groupby({d.weight > 1.5).mean()|"y").map(lambda g: g - g.mean())}
d.groupby_bins("x", [0, 15, 40]).max()
d.rolling(t=3{, min_periods=1, center=True).mean()|, y=2).max()|).construct("window")}
d.coarsen(t=2, boundary="pad").sum()
d.reindex(x=[10, 25, 30])
d.interp(x=[12, 25])
d.isel(t=[0, 1]).interp(x=ROWS + 10, t=COLUMNS / 3)
xr.concat([d, {d + 1], dim="n"|d.copy(data=A)], dim="x"})
xr.DataArray(xr.Variable.concat([d.weight.variable, xr.IndexVariable("y", [1, 2])], "y"))
d.stack(z=("x", "y")).unstack("z")
d.pad(t=(1, 2), mode="reflect").shift(x=1)
d.differentiate("x").integrate("x")
d.fillna(0).polyfit("x", 1)["polyfit_coefficients"]
d.to_dataset().map(np.cos)["v"]
""")


@pytest.mark.filterwarnings("ignore:All-NaN|Mean of empty|Degrees of freedom|invalid value")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_it_gives_of_numpys(call: str) -> None:
    found, wanted = (eval(call, {**globals(), "d": _grid(m.asarray)}) for m in (xarr, np))
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
