"""The rows of reductions and scans; `rows.Reduction` says what their columns mean.

The public functions are written from these rows by ``python -m tools.chapters``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.dtypes import (
    ANY,
    BOOL,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL_NUMERIC,
    SIGNED,
    DType,
)
from xarr.tables import elementwise
from xarr.tables.rows import OWN, Joined, Reduction, Rule, named

REAL_OR_BOOL: Final = (BOOL, *REAL_NUMERIC)
NUMERIC_OR_BOOL: Final = (BOOL, *NUMERIC)


def _widest(row: DType, default: DType) -> DType:
    if row.kind in INTEGER or row.kind == BOOL:
        return dtypes.int64 if row.kind in (BOOL, SIGNED) else dtypes.uint64
    return row


WIDEST: Final = Rule("x's, or 64-bit for integers", _widest)
"""64-bit integers for integers and bool, so that sums do not overflow early."""
FLOAT: Final = Rule(
    "x's floating-point type", lambda row, default: row if row.kind in FLOATING else default
)
TRUTH: Final = Rule("bool", lambda row, default: dtypes.bool_)
INDEX: Final = Rule("int64", lambda row, default: dtypes.int64)
ORDERED: Final = Rule(
    "x's, or uint8 for bool",
    lambda row, default: dtypes.uint8 if row.kind == BOOL else row,
)


_Moments = tuple[Any, Any, Any]


def _first_moments(x: Any) -> _Moments:
    return x.copy(), x - x, numpy.ones_like(x)


def _next_moments(acc: _Moments, x: Any, seen: int) -> _Moments:
    """`xr_moments_step`."""
    mean, m2, _ = acc
    count = x.dtype.type(seen)
    before = x - mean
    mean = mean + before * (count.dtype.type(1) / count)
    return mean, m2 + before * (x - mean), count


def _joined_moments(a: _Moments, b: _Moments) -> _Moments:
    """`xr_moments_combine`."""
    count = a[2] + b[2]
    share = b[2] / count
    delta = b[0] - a[0]
    between = delta * delta * (a[2] * share)
    return a[0] + delta * share, a[1] + b[1] + between, count


def _moments(about: str, finish: str, finished: Callable[..., Any]) -> Reduction:
    return Reduction(
        REAL_OR_BOOL,
        about,
        host=Joined(_first_moments, _next_moments, _joined_moments, finished),
        value=FLOAT,
        structure="xr_moments",
        fields=(("mean", "T"), ("m2", "T"), ("count", "T")),
        running=("mean", "m2"),
        first="xr_moments_first(x)",
        step="xr_moments_step(acc, x, (T)(seen))",
        close="(acc).count = (T)(seen);",
        combine="xr_moments_combine",
        finish=finish,
        empty=math.nan,
        form="axes, correction",
        ulp=8,
    )


def _extreme_index(function: str, about: str) -> Reduction:
    return Reduction(
        ANY,
        about,
        host=getattr(numpy, function.removeprefix("xr_")),
        value=OWN,
        result=INDEX,
        structure="xr_arg",
        fields=(("value", "T"), ("index", "i64")),
        first="xr_arg_first(x, (i64)(position))",
        step=f"{function}(acc, xr_arg_first(x, (i64)(position)))",
        combine=function,
        finish="acc.index",
        form="axis",
    )


all = Reduction(
    ANY,
    "Whether all elements are nonzero.",
    value=TRUTH,
    combine=elementwise.logical_and,
    empty=True,
    example="xarr.asarray([1, 2, 3]) > 1",
)
any = Reduction(
    ANY,
    "Whether an element is nonzero.",
    value=TRUTH,
    combine=elementwise.logical_or,
    empty=False,
    example="xarr.asarray([1, 2, 3]) > 1",
)
argmax = _extreme_index(
    "xr_argmax", "The index of the first largest element; of the first NaN if any."
)
argmin = _extreme_index(
    "xr_argmin", "The index of the first smallest element; of the first NaN if any."
)
count_nonzero = Reduction(
    ANY,
    "The number of nonzero elements.",
    value=TRUTH,
    accumulate=INDEX,
    result=INDEX,
    combine=elementwise.add,
    empty=0,
    form="axes, number",
)
cumulative_prod = Reduction(
    NUMERIC_OR_BOOL,
    "The products of the elements up to each place.",
    value=WIDEST,
    combine=elementwise.multiply,
    empty=1,
    form="scan",
    ulp=64,
)
cumulative_sum = Reduction(
    NUMERIC_OR_BOOL,
    "The sums of the elements up to each place.",
    value=WIDEST,
    combine=elementwise.add,
    empty=0,
    form="scan",
    ulp=64,
)
max = Reduction(
    ANY,
    "The largest element; NaN if any is.",
    value=OWN,
    accumulate=ORDERED,
    combine=elementwise.maximum,
    form="axes, initial",
)
mean = Reduction(
    NUMERIC_OR_BOOL,
    "The arithmetic mean.",
    value=FLOAT,
    combine=elementwise.add,
    finish="xr_over(acc, divisor)",
    empty=math.nan,
    form="axes, mean",
    ulp=8,
)
min = Reduction(
    ANY,
    "The smallest element; NaN if any is.",
    value=OWN,
    accumulate=ORDERED,
    combine=elementwise.minimum,
    form="axes, initial",
)
prod = Reduction(
    NUMERIC_OR_BOOL,
    "The product of the elements.",
    value=WIDEST,
    combine=elementwise.multiply,
    empty=1,
    form="axes, sum",
    ulp=64,
)
std = _moments(
    "The standard deviation.",
    "sqrt(acc.m2 / divisor)",
    lambda acc, divisor: numpy.sqrt(acc[1] / divisor),
)
sum = Reduction(
    NUMERIC_OR_BOOL,
    "The sum of the elements.",
    value=WIDEST,
    combine=elementwise.add,
    empty=0,
    form="axes, sum",
    ulp=64,
)
var = _moments("The variance.", "acc.m2 / divisor", lambda acc, divisor: acc[1] / divisor)

TABLE: Final = named(vars(), Reduction)
BY_NAME: Final = {row.name: row for row in TABLE}
