"""The rows of reductions and scans; `rows.Reduction` says what their columns mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes, tuning
from xarr.dtypes import ANY, BOOL, FLOATING, INTEGER, NUMERIC, REAL_NUMERIC, SIGNED, DType
from xarr.ir.fold import Joined
from xarr.memo import listed
from xarr.ops import elementwise
from xarr.ops.rows import OWN, Reduction, name_rows

REAL_OR_BOOL: Final = (BOOL, *REAL_NUMERIC)
NUMERIC_OR_BOOL: Final = (BOOL, *NUMERIC)


def WIDEST(row: DType, default: DType) -> DType:
    """Return 64-bit integers for integers and bool, so that sums do not overflow early."""
    if row.kind in INTEGER or row.kind == BOOL:
        return dtypes.int64 if row.kind in (BOOL, SIGNED) else dtypes.uint64
    return row


def FLOAT(row: DType, default: DType) -> DType:
    """Return the operand's type if it is floating-point, else the device's default."""
    return row if row.kind in FLOATING else default


def TRUTH(row: DType, default: DType) -> DType:
    """Return the type of truth values."""
    return dtypes.bool_


def INDEX(row: DType, default: DType) -> DType:
    """Return the type of indices."""
    return dtypes.int64


def ORDERED(row: DType, default: DType) -> DType:
    """Return the operand's type, but uint8 for bool."""
    return dtypes.uint8 if row.kind == BOOL else row


_Moments = tuple[Any, Any, Any]


def _first_moments(x: Any) -> _Moments:
    return x.copy(), x - x, numpy.ones_like(x)


def _next_moments(acc: _Moments, x: Any, seen: int) -> _Moments:
    """Add an element to an accumulator, as `xr_moments_step` does."""
    mean, m2, _ = acc
    count = x.dtype.type(seen)
    before = x - mean
    mean = mean + before * (count.dtype.type(1) / count)
    return mean, m2 + before * (x - mean), count


def _joined_moments(a: _Moments, b: _Moments) -> _Moments:
    """Join two accumulators, as `xr_moments_combine` does."""
    count = a[2] + b[2]
    share = b[2] / count
    delta = b[0] - a[0]
    between = delta * delta * (a[2] * share)
    return a[0] + delta * share, a[1] + b[1] + between, count


def _moments(finish: str, finished: Callable[..., Any]) -> Reduction:
    return Reduction(
        REAL_OR_BOOL,
        host=Joined(_first_moments, _next_moments, _joined_moments, finished),
        value=FLOAT,
        structure="xr_moments",
        fields=(("mean", "T"), ("m2", "T"), ("count", "T")),
        running=("mean", "m2"),
        first="xr_moments_first(x)",
        step="xr_moments_step(acc, x, (T)(seen), XR_SHARE((T), seen))",
        close="(acc).count = (T)(seen);",
        combine="xr_moments_combine",
        finish=finish,
        empty=math.nan,
        form="axes, correction",
        ulp=8,
    )


def extreme_index(
    function: str, host: Callable[..., Any] | None = None, finish: str = "acc.index"
) -> Reduction:
    """Make the row of the index of an extreme, which a function in C chooses of two."""
    return Reduction(
        ANY,
        host=host,
        value=OWN,
        result=INDEX,
        structure="xr_arg",
        fields=(("value", "T"), ("index", "i64")),
        first="xr_arg_first(x, (i64)(position))",
        step=f"{function}_next(acc, x, (i64)(position))",
        combine=function,
        finish=finish,
        form="axis",
    )


all = Reduction(ANY, value=TRUTH, combine=elementwise.logical_and, empty=True)
any = Reduction(ANY, value=TRUTH, combine=elementwise.logical_or, empty=False)
argmax = extreme_index("xr_argmax", numpy.argmax)
argmin = extreme_index("xr_argmin", numpy.argmin)
count_nonzero = Reduction(
    ANY,
    value=TRUTH,
    accumulate=INDEX,
    result=INDEX,
    combine=elementwise.add,
    empty=0,
    form="axes, number",
)
cumulative_prod = Reduction(
    NUMERIC_OR_BOOL, value=WIDEST, combine=elementwise.multiply, empty=1, form="scan", ulp=64
)
cumulative_sum = Reduction(
    NUMERIC_OR_BOOL, value=WIDEST, combine=elementwise.add, empty=0, form="scan", ulp=64
)
max = Reduction(
    ANY, value=OWN, accumulate=ORDERED, combine=elementwise.maximum, form="axes, initial"
)
mean = Reduction(
    NUMERIC_OR_BOOL,
    value=FLOAT,
    combine=elementwise.add,
    finish="xr_over(acc, divisor)",
    empty=math.nan,
    form="axes, mean",
    ulp=8,
)
min = Reduction(
    ANY, value=OWN, accumulate=ORDERED, combine=elementwise.minimum, form="axes, initial"
)
prod = Reduction(
    NUMERIC_OR_BOOL, value=WIDEST, combine=elementwise.multiply, empty=1, form="axes, sum", ulp=64
)
std = _moments("sqrt(acc.m2 / divisor)", lambda acc, divisor: numpy.sqrt(acc[1] / divisor))
sum = Reduction(
    NUMERIC_OR_BOOL, value=WIDEST, combine=elementwise.add, empty=0, form="axes, sum", ulp=64
)
var = _moments("acc.m2 / divisor", lambda acc, divisor: acc[1] / divisor)

TABLE: Final = name_rows(vars(), Reduction)
listed("Reduction.transitions", tuning.REMEMBERED, lambda: [row.transitions for row in TABLE])
BY_NAME: Final = {row.name: row for row in TABLE}
