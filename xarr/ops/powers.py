"""The rows of powers by a Python number that has fewer operations than `pow`."""

from __future__ import annotations

from typing import Final

from xarr.dtypes import COMPLEX, REAL
from xarr.ops.elementwise import reciprocal
from xarr.ops.rows import Elementwise

POWERS: Final = {
    3.0: Elementwise((REAL,), "xr_cube(x)", "x to the power of 3."),
    0.5: Elementwise((COMPLEX,), "xr_sqrt(x)", "x to the power of 1/2."),
    1.5: Elementwise((REAL,), "xr_pow_three_halves(x)", "x to the power of 3/2."),
    -0.5: Elementwise((REAL,), "xr_pow_minus_half(x)", "x to the power of -1/2."),
    -1.0: reciprocal,
    -1.5: Elementwise((REAL,), "xr_pow_minus_three_halves(x)", "x to the power of -3/2."),
}
for _row in POWERS.values():
    _row.name = _row.name or "pow"
