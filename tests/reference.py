"""What results are compared with: NumPy's bits, or NumPy in a wider type and a bound in ulp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from xarr import dtypes
from xarr.dtypes import COMPLEX, REAL, DType
from xarr.ops.rows import Elementwise, Reduction

Values = npt.NDArray[Any]

WIDER = {"f": np.dtype(np.longdouble), "c": np.dtype(np.clongdouble)}


def function(name: str) -> Callable[..., Values]:
    """NumPy's function of the standard's name, without its warnings."""
    return _quiet(getattr(np, name))


def of(row: Elementwise | Reduction) -> Callable[..., Values]:
    """What a row is compared to: mpmath, or its reference, else NumPy's function of its name."""
    if row.name in PRECISE:
        return _quiet(np.vectorize(_precise(PRECISE[row.name]), otypes=[np.longdouble]))
    return _quiet(row.reference) if row.reference is not None else function(row.name)


def _quiet(call: Callable[..., Any]) -> Callable[..., Values]:
    def quiet(*operands: Values, **options: Any) -> Values:
        with np.errstate(all="ignore"):
            return np.asarray(call(*operands, **options))

    return quiet


def _gamma(x: Any) -> Any:
    if x == 0:
        return np.copysign(np.inf, x)
    if x < 0 and x == np.floor(x):
        return np.nan
    if x < -1700:  # mpmath would take long for what is 0
        return -0.0 if np.floor(x) % 2 else 0.0
    return np.inf if x > 1700 else mpmath.gamma(_exactly(x))


def _log_gamma(x: Any) -> Any:
    if np.isinf(x) or (x <= 0 and x == np.floor(x)):
        return np.inf
    return mpmath.re(mpmath.loggamma(_exactly(x)))


def _erfc(x: Any) -> Any:
    return np.longdouble(2 if x < 0 else 0) if abs(x) > 100 else mpmath.erfc(_exactly(x))


def _erf(x: Any) -> Any:
    return np.copysign(1, x) if abs(x) > 100 else x if x == 0 else mpmath.erf(_exactly(x))


def _i0(x: Any) -> Any:
    if abs(x) > 11000:
        return np.nan if np.isinf(x) else np.inf
    return mpmath.besseli(0, _exactly(x))


PRECISE: dict[str, Callable[[Any], Any]] = {
    "erf": _erf,
    "erfc": _erfc,
    "i0": _i0,
    "lgamma": _log_gamma,
    "tgamma": _gamma,
}
"""Functions that NumPy lacks or has in float64 only: of a long double, not NaN, in 100 bits."""


def _exactly(x: Any) -> Any:
    significand, exponent = np.frexp(x)
    return mpmath.ldexp(mpmath.mpf(int(significand * 2.0**64)), int(exponent) - 64)


def _precise(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def called(x: Any) -> Any:
        if np.isnan(x):
            return x
        with mpmath.workprec(100):
            result = call(x)
            return np.longdouble(mpmath.nstr(result, 25) if type(result) is mpmath.mpf else result)

    return called


def bits(values: Values) -> Values:
    """The bits of values, with one NaN in place of all."""
    if values.dtype.kind == "c":
        part = values.real.dtype
        values = np.ascontiguousarray(values).reshape(*values.shape, 1).view(part)
    if values.dtype.kind != "f":
        return values
    plain = np.where(np.isnan(values), np.asarray(np.nan, values.dtype), values)
    return plain.view(f"u{values.dtype.itemsize}")


def same_bits(got: Values, wanted: Values) -> Values:
    """For each element whether both have the same bits, NaN being equal to NaN."""
    same = bits(got) == bits(wanted)
    return np.asarray(same if same.ndim == got.ndim else same.all(axis=-1))


def ulps(got: Values, wanted: Values) -> Values:
    """The distance of results from wider ones in units of the last place, inf where unlike.

    A complex number's unit is that of its larger part. Unlike are NaN and a number, infinity and a
    number that does not round to it, and zeros or infinities of different sign.
    """
    if got.dtype.kind == "c":
        parts = [(got.real, wanted.real), (got.imag, wanted.imag)]
        with np.errstate(all="ignore"):
            near = np.fmax(*(np.abs(wide.astype(mine.dtype)) for mine, wide in parts))
        return np.maximum(*(_ulps(mine, wide, near) for mine, wide in parts))
    with np.errstate(all="ignore"):
        near = np.abs(wanted.astype(got.dtype))
    return _ulps(got, wanted, near)


def _ulps(got: Values, wide: Values, near: Values) -> Values:
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        wanted = wide.astype(got.dtype)
        unit = np.spacing(np.where(np.isfinite(near), near, info.max)).astype(np.longdouble)
        error = np.abs(got.astype(np.longdouble) - wide) / unit
        # One past the largest number is where infinity stands.
        beyond = np.isinf(got) & np.isfinite(wide) & (np.sign(got) == np.sign(wide))
        error = np.where(beyond, (np.longdouble(info.max) - np.abs(wide)) / unit + 1, error)
    alike = np.where(np.isnan(wanted), np.isnan(got), got == wanted)
    alike &= np.isnan(wanted) | (got != 0) | (np.signbit(got) == np.signbit(wanted))
    special = ~np.isfinite(wanted) | np.isnan(got) | ((wanted == 0) & (got == 0))
    return np.where(special & ~beyond, np.where(alike, 0, np.inf), error)


def stable_order(x: Values, axis: int, *, descending: bool) -> Values:
    """Return NumPy's stable order, in which NaN is last; NumPy has a descending one since 2.5."""
    if not descending:
        return np.argsort(x, axis=axis, stable=True)
    order = np.argsort(-x if x.dtype.kind in "fc" else ~x, axis=axis, stable=True)
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        theirs: Any = np.argsort
        assert_same(theirs(x, axis=axis, stable=True, descending=True), order, "NumPy's order")
    return order


def assert_same(got: Values, wanted: Values, call: str, operands: Sequence[Values] = ()) -> None:
    assert got.dtype == wanted.dtype, f"{call} has dtype {got.dtype}, NumPy's {wanted.dtype}"
    assert got.shape == wanted.shape, f"{call} has shape {got.shape}, NumPy's {wanted.shape}"
    wrong = ~same_bits(got, wanted)
    assert not wrong.any(), _report(got, wanted, wrong, call, operands, "")


def assert_near(
    got: Values, wide: Values, bound: float | Values, call: str, operands: Sequence[Values] = ()
) -> None:
    """Assert shape, and that results are within `bound` ulp of wider ones."""
    assert got.shape == wide.shape, f"{call} has shape {got.shape}, NumPy's {wide.shape}"
    error = ulps(got, wide)
    wrong = ~(error <= bound)
    if wrong.any():
        worst = error[wrong]
        measure = f"; up to {worst.max():.3g} ulp off, accepted are {np.max(bound):g}"
        raise AssertionError(_report(got, wide, wrong, call, operands, measure))


def _report(
    got: Values, wanted: Values, wrong: Values, call: str, operands: Sequence[Values], note: str
) -> str:
    """What is wrong, and lines that can be pasted to see it."""
    places = np.argwhere(wrong)
    lines = [f"{call}: {len(places)} of {wrong.size} elements are wrong{note}"]
    for place in map(tuple, places[:4]):
        given = ", ".join(repr(operand[place]) for operand in operands)
        lines.append(f"  at {place}: {given} -> {got[place]!r}, wanted {wanted[place]!r}")
    if operands:
        first = tuple(places[0])
        arrays = ", ".join(
            f"xarr.asarray(numpy.frombuffer({operand[first].tobytes()!r}, {operand.dtype.str!r}))"
            for operand in operands
        )
        lines.append(f"import numpy, xarr; print(xarr.{call}({arrays}))")
    return "\n".join(lines)


def special_values(dtype: DType) -> Values:
    """Values at which functions turn or break."""
    if dtype.kind == dtypes.BOOL:
        return np.array([False, True])
    if dtype.kind in dtypes.INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        width = 8 * dtype.itemsize
        chosen = {low, low + 1, high, high - 1, 0, 1, 2, 3, 7, width - 1, width, width + 1, 100}
        chosen |= {-value for value in chosen}
        return np.array(sorted(v for v in chosen if low <= v <= high), dtype.numpy)
    if dtype.kind == COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan]
        return np.array([complex(re, im) for re in parts for im in parts], dtype.numpy)
    info = np.finfo(dtype.numpy)
    positive = [
        0.0, info.smallest_subnormal, info.tiny, info.eps, 0.5, 1 - info.epsneg, 1.0,
        1 + info.eps, 1.5, 2.0, 2.5, 3.0, np.pi, 10.0, 100.0, 1 / info.eps, info.max, np.inf,
    ]  # fmt: skip
    with np.errstate(over="ignore"):
        values = np.array([*positive, np.nan], dtype.numpy)
    return np.concatenate([values, -values])


def drawn(dtype: DType, low: float, high: float, count: int, rng: np.random.Generator) -> Values:
    """Random values of a range, spread over it and over its orders of magnitude."""
    if dtype.kind == dtypes.BOOL:
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in dtypes.INTEGER:
        least, most = dtypes.integer_bounds(dtype)
        values = rng.integers(max(int(low), least), min(int(high), most) + 1, count)
        return values.astype(dtype.numpy)
    if dtype.kind == COMPLEX:
        part = dtypes.PART[dtype]
        re, im = (drawn(part, low, high, count, rng) for _ in range(2))
        return (re + 1j * im).astype(dtype.numpy)
    values = rng.uniform(low, high, count)
    values[::2] *= 2.0 ** -rng.uniform(0, 12, len(values[::2]))
    with np.errstate(over="ignore"):
        return np.clip(values, low, high).astype(dtype.numpy)


def any_bits(dtype: DType, count: int, rng: np.random.Generator) -> Values:
    """Values of random bits: all magnitudes, subnormal numbers, some NaN."""
    if dtype.kind == dtypes.BOOL:
        return drawn(dtype, 0, 1, count, rng)
    values = rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype.numpy)
    # Signalling NaN would raise NumPy's warnings.
    return (
        np.where(values == values, values, dtype.numpy.type(np.nan))
        if dtype.kind == REAL
        else values
    )


def wide(values: Values, dtype: DType) -> Values:
    """Operands as a function computes them in `dtype`, in the type that the reference is in."""
    with np.errstate(all="ignore"):
        converted = values.astype(dtype.numpy)
        return converted.astype(WIDER["c" if dtype.kind == COMPLEX else "f"])


def is_floating(dtype: DType) -> bool:
    return dtype.kind in (REAL, COMPLEX)
