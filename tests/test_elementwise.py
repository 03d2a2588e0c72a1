"""Every row of the elementwise table against NumPy: values, layouts, data types, operators, errors.

All cases come from the table: a new row is tested by being there.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xarr
from xarr import dtypes
from xarr.dtypes import BOOL, COMPLEX, INTEGER, REAL, SIGNED, UNSIGNED, DType
from xarr.elementwise import TABLE, Elementwise

from . import reference
from .reference import Values, assert_near, assert_same

COUNT = 3000


def accepts(row: Elementwise, dtype: DType) -> bool:
    """Whether a row takes a data type, integers and bool also where they become floating-point."""
    if dtype.kind in row.kinds:
        return True
    return dtype.kind in (BOOL, *INTEGER) and REAL in row.kinds and SIGNED not in row.kinds


def computed(row: Elementwise, dtype: DType, device: xarr.Device) -> DType:
    """The data type that a row computes an accepted type in."""
    if dtype.kind in row.kinds:
        return dtype
    widest = dtypes.float64 if device.has_float64 else dtypes.float32
    wanted = widest if row.name == "divide" else dtypes.as_floating(dtype)
    return widest if wanted is dtypes.float64 else wanted


def is_on(device: xarr.Device, dtype: DType) -> bool:
    return device.has_float64 or dtype not in dtypes.NEEDS_FLOAT64


def named(*cases: tuple[Elementwise, DType]) -> Callable[[Any], Any]:
    return pytest.mark.parametrize(
        ("row", "dtype"), cases, ids=[f"{row.name}-{dtype}" for row, dtype in cases]
    )


ACCEPTED = [(row, dtype) for row in TABLE for dtype in dtypes.TABLE if accepts(row, dtype)]
REFUSED = [(row, dtype) for row in TABLE for dtype in dtypes.TABLE if not accepts(row, dtype)]


@functools.cache
def operands_of(row: Elementwise, dtype: DType) -> tuple[Values, ...]:
    """Values of the row's domain, of all bits, and all pairs of special values."""
    rng = np.random.default_rng(17)
    low, high = row.domain.low, row.domain.high
    special = reference.special_values(dtype)
    if row.operands == 2:
        pairs = [side.ravel() for side in np.meshgrid(special, special)]
    else:
        pairs = [special]
    operands = []
    for pair in pairs:
        parts = [pair, reference.drawn(dtype, low, high, COUNT, rng)]
        # Complex functions keep their bound for moderate operands.
        if dtype.kind != COMPLEX:
            parts.append(reference.any_bits(dtype, COUNT, rng))
        operands.append(np.concatenate(parts))
    if row.name == "pow" and dtype.kind == SIGNED:
        operands[1] = np.abs(operands[1] // 2)  # negative powers of integers are refused
    return tuple(operands)


def check(row: Elementwise, operands: tuple[Values, ...], result: xarr.Array) -> None:
    """Compare a result with NumPy's, or with that in a wider type where the row has a bound."""
    got = np.asarray(result)
    device = result.device
    dtype = computed(row, dtypes.BY_NUMPY[np.result_type(*operands)], device)
    call = reference.function(row.name)
    with np.errstate(all="ignore"):
        converted = [operand.astype(dtype.numpy) for operand in operands]
    assert got.dtype == row.result_of(dtype).numpy
    bound = row.domain.ulp
    if bound == 0 or not reference.is_floating(dtype):
        assert_same(got, call(*converted), row.name, operands)
    else:
        wide = call(*[reference.wide(operand, dtype) for operand in operands])
        assert_near(got, wide, bound, row.name, operands)


def apply(row: Elementwise, *operands: Any) -> xarr.Array:
    result: xarr.Array = getattr(xarr, row.name)(*operands)
    return result


# -- values ---------------------------------------------------------------------------------------


@named(*ACCEPTED)
def test_values(row: Elementwise, dtype: DType, device: xarr.Device) -> None:
    if not is_on(device, dtype):
        pytest.skip(f"{device} has no {dtype}")
    operands = operands_of(row, dtype)
    check(row, operands, apply(row, *map(xarr.asarray, operands)))
