"""The error and gamma functions: errors, also where formulas meet, and special values."""

from __future__ import annotations

import math
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import xarr
from tests import reference
from tests.comparing import needs
from xarr.codegen import source
from xarr.ops.elementwise import BY_NAME

INF, NAN = math.inf, math.nan

# From where to where operands are drawn; both ends are among them, with the numbers next to them.
RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    "erf": ((-6, -0.5), (-0.5, 0.5), (0.5, 6), (1e-300, 1e-30)),
    "erfc": ((-6, -0.5), (-0.5, 0.5), (0.5, 6), (9, 10.2), (26, 27.3)),
    "tgamma": ((-190, -170), (-42, -8), (-8, 0), (1e-38, 1e-10), (0, 8), (8, 36), (160, 172)),
    "lgamma": (
        *((0, 0.875), (0.875, 1.125), (1.125, 1.875), (1.875, 2.125), (2.125, 8), (8, 200)),
        *((2.0**20, 2.0**31), (2.0**59, 2.0**61), (1e37, 1e38), (1e-38, 1e-8)),
    ),
    "i0": ((0, 1), (1, 4), (4, 8), (8, 88), (88, 91.9), (700, 713.9), (-20, 0)),
    "rsqrt": ((0, 1e-37), (1, 4), (1e30, 1e38)),
}


def drawn(low: float, high: float, dtype: str) -> Any:
    rng = np.random.default_rng(3)
    ends = np.asarray([low, high], dtype)
    beside = [np.nextafter(ends, np.asarray(side, dtype)) for side in (-INF, INF)]
    return np.concatenate([rng.uniform(low, high, 400).astype(dtype), ends, *beside])


def wanted_of(name: str, x: Any) -> Any:
    if name == "rsqrt":
        with np.errstate(all="ignore"):
            return 1 / np.sqrt(x.astype(np.longdouble))
    return reference.of(BY_NAME[name])(x.astype(np.longdouble))


def result_of(name: str, x: Any) -> Any:
    return np.asarray(getattr(xarr, name)(xarr.asarray(x)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", RANGES)
def test_errors_are_within_their_bounds(name: str, dtype: str, device: xarr.Device) -> None:
    needs(dtype)
    x = np.concatenate([drawn(low, high, dtype) for low, high in RANGES[name]])
    bound = BY_NAME[name].domain.ulp
    reference.assert_near(result_of(name, x), wanted_of(name, x), bound, name, (x,))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_derivative_of_i0_is_within_its_bound(dtype: str, device: xarr.Device) -> None:
    needs(dtype)
    x = np.concatenate([drawn(low, high, dtype) for low, high in RANGES["i0"]])
    x = x[np.abs(x) < (91 if dtype == "float32" else 713)]
    wanted = np.vectorize(lambda value: float(mpmath.besseli(1, float(value))))(x)
    got = np.asarray(xarr.grad(lambda x: xarr.i0(x).sum())(xarr.asarray(x)))
    reference.assert_near(got, wanted.astype(np.longdouble), 3.5, "i1", (x,))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_log_gamma_of_negative_numbers(dtype: str, device: xarr.Device) -> None:
    """Near its zeros, the error is small beside 1."""
    needs(dtype)
    zeros = (-2.4570247, -2.7476826, -3.1435809, -3.9552943)
    parts = [drawn(zero - 1e-3, zero + 1e-3, dtype) for zero in zeros]
    x = np.concatenate([*parts, drawn(-40, 0, dtype), drawn(-1e6, -1e3, dtype)])
    got, wanted = result_of("lgamma", x), wanted_of("lgamma", x)
    finite = np.isfinite(wanted)
    assert (got == wanted)[~finite].all()
    got, wanted = got[finite], wanted[finite]
    assert (np.abs(got - wanted) <= np.spacing(np.maximum(1, np.abs(wanted)).astype(dtype))).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gamma_of_integers_is_exact_where_it_is_a_number(dtype: str, device: xarr.Device) -> None:
    needs(dtype)
    count = {"float16": 8, "float32": 14, "float64": 23}[dtype]
    wanted = [float(math.factorial(n)) for n in range(count)]
    assert result_of("tgamma", np.arange(1, count + 1).astype(dtype)).tolist() == wanted


def test_no_function_of_the_library_has_two_texts() -> None:
    """A kernel would get the first one, whichever it calls."""
    for name, units in source.library().items():
        types = [one for unit in units for one in unit.types]
        assert len(types) == len(set(types)), name
