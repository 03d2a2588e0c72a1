"""pandas makes of Arrays what it makes of NumPy's arrays and numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.functions.calls import rows

pd = pytest.importorskip("pandas")

CALLS: Final = rows("""
pd.DataFrame({dict(v=v, w=v * 2)|v.reshape(2, 3)|[dict(a=v.sum(), b=v[0]), dict(a=1, b=2)]})
pd.Series([v.sum(), v[1]])
d.assign(w=v.sum())
d.groupby("g").agg({xp.mean|dict(v=xp.std, n=xp.max)})
d.groupby("g")["v"].{agg(["mean", xp.max, xp.sum])|transform(xp.mean)|apply(xp.ptp)}
d.{agg(xp.mean)|apply(lambda column: xp.sum(xp.asarray(column)))}
d.pivot_table(index="g", values="v", aggfunc=xp.mean)
d["v"].{apply(xp.sqrt)|rolling(2).apply(xp.mean, raw=True)|where(v > 2, v * 10)}
{d[v > 2]|d.loc[v > 2, "v"]|d.iloc[xp.asarray([0, 2])]|d[d["v"].isin(v[:2])]}
pd.{cut(v, xp.asarray([-1.0, 2.0, 9.0])).codes|unique(v % 3)|factorize(v % 3)[0]}
{d["v"].quantile(xp.asarray([0.1, 0.5]))|d["v"] + v}
""")


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_it_gives_of_numpys(call: str) -> None:
    def called(xp: Any) -> Any:
        v = xp.arange(6.0)
        table = pd.DataFrame({"g": [1, 1, 2, 2, 2, 1], "v": v, "n": np.arange(6)})
        return eval(call, {"pd": pd, "xp": xp, "v": v, "d": table})

    found, wanted = (pd.DataFrame(called(xp)) for xp in (xarr, np))
    pd.testing.assert_frame_equal(found, wanted)


def test_objects_stay_objects() -> None:
    x = xarr.arange(3)
    assert pd.Series([x, x])[1] is x
    assert pd.Series([x.sum(), "a"]).tolist() == [3, "a"]
