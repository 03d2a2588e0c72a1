"""pandas makes of Arrays what it makes of NumPy's arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr

pd = pytest.importorskip("pandas")

CALLS: Final[dict[str, Callable[[Any, Any, Any], Any]]] = {
    "columns": lambda xp, v, d: pd.DataFrame({"v": v, "w": v * 2}),
    "a table": lambda xp, v, d: pd.DataFrame(v.reshape(2, 3)),
    "rows of numbers": lambda xp, v, d: pd.DataFrame([{"a": v.sum(), "b": v[0]}, {"a": 1, "b": 2}]),
    "a list of numbers": lambda xp, v, d: pd.Series([v.sum(), v[1]]),
    "a number as a column": lambda xp, v, d: d.assign(w=v.sum()),
    "agg of groups": lambda xp, v, d: d.groupby("g").agg(xp.mean),
    "agg by names": lambda xp, v, d: d.groupby("g").agg({"v": xp.std, "n": xp.max}),
    "several": lambda xp, v, d: d.groupby("g")["v"].agg(["mean", xp.max, xp.sum]),
    "agg": lambda xp, v, d: d.agg(xp.mean),
    "transform": lambda xp, v, d: d.groupby("g")["v"].transform(xp.mean),
    "apply": lambda xp, v, d: d.groupby("g")["v"].apply(xp.ptp),
    "apply to each": lambda xp, v, d: d["v"].apply(xp.sqrt),
    "columns in turn": lambda xp, v, d: d.apply(lambda column: xp.sum(xp.asarray(column))),
    "pivot_table": lambda xp, v, d: d.pivot_table(index="g", values="v", aggfunc=xp.mean),
    "rolling": lambda xp, v, d: d["v"].rolling(2).apply(xp.mean, raw=True),
    "a condition": lambda xp, v, d: d[v > 2],
    "a condition in loc": lambda xp, v, d: d.loc[v > 2, "v"],
    "where": lambda xp, v, d: d["v"].where(v > 2, v * 10),
    "iloc": lambda xp, v, d: d.iloc[xp.asarray([0, 2])],
    "isin": lambda xp, v, d: d[d["v"].isin(v[:2])],
    "cut": lambda xp, v, d: pd.cut(v, xp.asarray([-1.0, 2.0, 9.0])).codes,
    "unique": lambda xp, v, d: pd.unique(v % 3),
    "factorize": lambda xp, v, d: pd.factorize(v % 3)[0],
    "quantile": lambda xp, v, d: d["v"].quantile(xp.asarray([0.1, 0.5])),
    "arithmetic": lambda xp, v, d: d["v"] + v,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_it_gives_of_numpys(name: str) -> None:
    def called(xp: Any) -> Any:
        v = xp.arange(6.0)
        table = pd.DataFrame({"g": [1, 1, 2, 2, 2, 1], "v": v, "n": np.arange(6)})
        return CALLS[name](xp, v, table)

    found, wanted = (pd.DataFrame(called(xp)) for xp in (xarr, np))
    pd.testing.assert_frame_equal(found, wanted)


def test_objects_stay_objects() -> None:
    x = xarr.arange(3)
    assert pd.Series([x, x])[1] is x
    assert pd.Series([x.sum(), "a"]).tolist() == [3, "a"]
