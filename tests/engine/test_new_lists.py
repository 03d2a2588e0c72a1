"""Lists of instructions that are new run at once, and leave next to nothing behind."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.engine.pairs import tier
from tests.engine.test_choice import anew as anew, at_once as at_once
from tests.reference import assert_same

CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "a kernel of a row": lambda x: xarr.sin(x) + xarr.cos(x[::-1]),
    "a kernel of two rows": lambda x: xarr.hypot(x[1:], x[:-1]),
    "sums": lambda x: xarr.stack([x.sum(), x.mean(), x.max(), (-x).min(), x[::-1].sum()]),
    "sums of rows": lambda x: xarr.stack([x, x + 1]).sum(axis=1),
    "running sums": xarr.cumulative_sum,
    "running sums of columns": lambda x: xarr.cumulative_sum(xarr.stack([x, -x], axis=1), axis=0),
    "sorted": lambda x: xarr.sort(x, descending=True),
    "places": lambda x: xarr.argsort(x[::-1]),
    "a selection": lambda x: x[x > 0.25],
    "a choice": lambda x: xarr.where(x > 0.25, x, -x),
    "joined": lambda x: xarr.concat([x[2:], x[:2]]),
    "a product": lambda x: xarr.stack([x, x]) @ x,
}
LENGTHS: Final = (3, 16, 17, 255, 256, 257, 511, 513, 4096, 4097, 16384, 16385, 65537)


@pytest.mark.parametrize("name", CALLS)
def test_each_length_has_the_bits_of_kernels(name: str) -> None:
    draw = np.random.default_rng(5)
    for length in LENGTHS:
        x = xarr.asarray(draw.normal(size=length))
        x[length // 2] = -0.0
        with tier("fused"):
            wanted = xarr.to_numpy(CALLS[name](x))
        assert_same(xarr.to_numpy(CALLS[name](x)), wanted, f"{length}")


def test_extremes_of_zeros_and_nans(anew: None) -> None:
    for values in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [1.0, np.nan, 2.0], [np.nan] * 3, [7.0]):
        x = xarr.asarray(values)
        for function in (xarr.max, xarr.min, xarr.sum):
            with tier("fused"):
                wanted = xarr.to_numpy(function(x))
            assert_same(xarr.to_numpy(function(x)), wanted, f"{function.__name__}({values})")


def turn(count: int) -> float:
    x = xarr.arange(float(count)) * 0.5 + 1
    x[1:-1] = x[2:] - x[:-2]
    y = xarr.concat([x[x > 1], xarr.sqrt(x)])
    return float(xarr.sort(y)[0] + y.sum() + xarr.cumulative_sum(x)[-1])


def test_they_leave_next_to_nothing(anew: None) -> None:
    for count in range(5, 40):
        turn(count)
    gc.collect()
    before, programs = len(gc.get_objects()), len(xarr.default_device().programs)
    for count in range(40, 840):
        turn(count)
    gc.collect()
    assert len(xarr.default_device().programs) - programs < 4
    assert (len(gc.get_objects()) - before) / 800 < 60  # structures and opcodes, up to a bound
