"""Complex functions of zeros, infinities and NaN: C99's Annex G, and the standard's own cases."""

from __future__ import annotations

import cmath
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.comparing import nightly
from tests.functions.calls import check, each
from tests.reference import assert_same
from xarr.dtypes import COMPLEX
from xarr.ops.elementwise import BY_NAME, TABLE

pytestmark = pytest.mark.usefixtures("fused")

PARTS = [0.0, 1.0, 2.0, math.inf, math.nan]
PARTS += [-x for x in PARTS[:4]]
GRID: Final = [complex(a, b) for a, b in itertools.product(PARTS, PARTS)]
BOTH = ["complex64", *nightly("complex128")]
"""The functions are of one text for both types."""
NAMES = ["exp", "sqrt", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
NAMES += ["asin", "acos", "atan", "asinh", "acosh", "atanh"]

# Where C17 (defect report 471), the standard and NumPy have a number in a part, C99 had NaN.
CORRECTED: Final = {
    "tanh": [complex(a, b) for a in (0.0, -0.0) for b in (math.nan, math.inf, -math.inf)],
    "acosh": [complex(a, math.nan) for a in (0.0, -0.0)],
}
# Python has no such functions.
OTHERS: Final[dict[str, Callable[[complex], complex]]] = {
    "expm1": lambda z: complex(np.exp(np.complex128(z))) - 1,
    "log1p": lambda z: cmath.log(complex(1 + z.real, z.imag)),
}
CORRECTED["tan"] = [complex(z.imag, z.real) for z in CORRECTED["tanh"]]


@functools.cache
def computed(name: str, dtype: str) -> list[complex]:
    values: Any = getattr(xarr, name)(xarr.asarray(GRID, dtype=dtype)).tolist()
    return list(values)


def unsigned(name: str, z: complex) -> bool:
    """Whether Annex G leaves a sign open: two parts that are not finite, or NaN."""
    if name in ("tan", "tanh"):  # the standard: tanh(inf + bj) is 1 + 0j; C99's sign is sin(2b)'s
        return not cmath.isfinite(z)
    return cmath.isnan(z) or (math.isinf(z.real) and math.isinf(z.imag))


def same(got: float, wanted: float, *, signed: bool, close: float) -> bool:
    if math.isnan(got) or math.isnan(wanted):
        return math.isnan(got) and math.isnan(wanted)
    if not signed:
        got, wanted = abs(got), abs(wanted)
    if got in (0.0, math.inf, -math.inf) or wanted in (0.0, math.inf, -math.inf):
        return got == wanted and math.copysign(1, got) == math.copysign(1, wanted)
    return math.isclose(got, wanted, rel_tol=close)


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_special_values(name: str, dtype: str) -> None:
    close = 1e-5 if dtype == "complex64" else 1e-13
    skipped = list(map(repr, CORRECTED.get(name, [])))
    checked = 0
    for z, got in zip(GRID, computed(name, dtype), strict=True):
        if repr(z) in skipped:
            continue
        with np.errstate(all="ignore"):
            try:
                wanted = (OTHERS.get(name) or getattr(cmath, name))(z)
            except (ValueError, OverflowError):  # Python raises where C99 sets a flag
                wanted = complex(getattr(np, name)(np.complex128(z)))
        signed = not unsigned(name, z)
        for mine, other in ((got.real, wanted.real), (got.imag, wanted.imag)):
            assert same(mine, other, signed=signed, close=close), f"{name}({z}) is {got}"
        checked += 1
    assert checked >= len(GRID) - 6


@pytest.mark.parametrize("dtype", BOTH)
def test_what_the_standard_decides(dtype: str) -> None:
    """Results that differ from NumPy's; `docs/numpy.md` says so."""
    inf, nan = math.inf, math.nan
    cases: list[tuple[str, complex, complex]] = [
        ("tanh", complex(inf, 2), complex(1, 0.0)),
        ("tanh", complex(-inf, 2), complex(-1, 0.0)),
        ("tan", complex(2, inf), complex(0.0, 1)),
        *(("sign", complex(*z), complex(nan, nan)) for z in ((inf, nan), (nan, inf), (nan, 2))),
        ("sign", complex(-0.0, -0.0), complex(0.0, 0.0)),
        ("expm1", complex(inf, 0), complex(inf, 0)),
        ("expm1", complex(-inf, 2), complex(-1, 0.0)),
        ("reciprocal", 0j, complex(inf, nan)),
    ]
    for name, z, wanted in cases:
        got = complex(getattr(xarr, name)(xarr.asarray(z, dtype=dtype)))
        pairs = ((got.real, wanted.real), (got.imag, wanted.imag))
        assert all(same(*pair, signed=True, close=1e-6) for pair in pairs), f"{name}({z}) is {got}"


@pytest.mark.parametrize("dtype", BOTH)
@each(
    """
    np.round(z, {-1|1|3|20})
    z.round(2)
    np.nan_to_num(z{|, nan=-0.0|, nan=5, posinf=7, neginf=-9})
    np.vander(z, {2|3, increasing=True})[:, 1]
    np.interp(0.5, [0, 1], z[:2])
    np.polyval([], z)
    np.pow(np.asarray([0, 0, 3 + 4j, 2, 1j], z.dtype), np.asarray([0, 2.5, 1, 2, -2], z.dtype))
    z * {2.0|z.real}
    z / 2.0
    {np.conj|np.real|np.imag|np.negative|np.ediff1d}(z)
    np.where(z.real > 0, z, -0.0)
    """
)
def test_parts_do_not_mix(call: str, dtype: str) -> None:
    """Each part is computed alone: infinities, NaN and zeros' signs stay in theirs."""
    check(call, z=np.asarray([complex(a, b) for a in PARTS for b in [*PARTS, 2.345]], dtype))


@pytest.mark.parametrize("dtype", BOTH)
def test_a_power_of_a_half_is_the_root(dtype: str) -> None:
    z = xarr.asarray(GRID, dtype=dtype)
    assert_same(np.asarray(z**0.5), np.asarray(xarr.sqrt(z)), "z**0.5")
    root = z.copy()
    root **= 0.5
    assert_same(np.asarray(root), np.asarray(xarr.sqrt(z)), "z **= 0.5")


def reals(dtype: str) -> Any:
    return np.asarray([*PARTS, 0.5, -0.5, 3.0, -7.0, 0.25], dtype)


USUAL = ("cos", "exp", "log", "sqrt", "tanh")
"""Functions of one operand in `make test`; each takes a second to compile."""
BESIDE_REAL = [row.name for row in TABLE if COMPLEX in row.kinds]


@pytest.mark.parametrize("dtype", ["float32", *nightly("float64")])
@pytest.mark.parametrize(
    "name",
    [
        name if BY_NAME[name].operands == 2 or name in USUAL else nightly(name)[0]
        for name in BESIDE_REAL
    ],
)
def test_real_operands_are_complex_ones_whose_imaginary_part_is_zero(
    device: xarr.Device, name: str, dtype: str
) -> None:
    """A compiler that sees the 0 must not take 0 times a number for 0: of infinity it is NaN."""
    row = BY_NAME[name]
    if dtype == "float64" and not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    if not hasattr(xarr, name):
        pytest.skip("no function of its own")
    function = getattr(xarr, name)
    wide = {"float32": "complex64", "float64": "complex128"}[dtype]
    x = xarr.asarray(reals(dtype))
    apart = xarr.asarray(reals(dtype).astype(wide))
    if row.operands == 1:
        alike(name, [(function(x.astype(wide)), function(apart))])
        return
    grid = xarr.asarray(np.asarray(GRID, wide)[:, None])
    alike(
        name,
        [(function(x, grid), function(apart, grid)), (function(grid, x), function(grid, apart))],
    )
    for z in GRID:
        alike(name, [(function(x, z), function(apart, z))])


def alike(name: str, pairs: list[tuple[Any, Any]]) -> None:
    for got, wanted in pairs:
        assert_same(np.asarray(got), np.asarray(wanted), name)
