"""How near functions come to the exact values, where their formulas meet, and conversions.

`functions/test_elementwise.py` has values of all functions and data types within wider bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import xarr
from tests.comparing import DTYPES, computed_together, has, needs, nightly
from tests.reference import assert_near, assert_same

pytestmark = pytest.mark.usefixtures("device")

Array = np.ndarray[Any, Any]

# The largest errors in units in the last place.
UNARY = {
    "exp": 0.85, "expm1": 0.9, "log": 0.9, "log1p": 0.85, "log2": 0.8, "log10": 0.75, "sin": 0.8,
    "cos": 0.8, "tan": 1.05, "asin": 0.65, "acos": 0.65, "atan": 0.7, "sinh": 0.75, "cosh": 0.75,
    "tanh": 0.8, "asinh": 1.1, "acosh": 1.6, "atanh": 0.95,
}  # fmt: skip
BINARY = {"atan2": 0.9, "pow": 0.8, "hypot": 0.7}  # twice as much for pow of float64

# Arguments around which a formula changes or a result overflows, underflows or vanishes.
TURNS = (
    *(0.0, 2.0**-54, 2.0**-28, 2.0**-13, 0.25, 0.34657359027997264, 0.41421356237309503, 0.5),
    *(0.6931471805599453, 0.7071067811865476, 0.7853981633974483, 1.0, 1.0397207708399179),
    *(1.4142135623730951, 1.5707963267948966, 2.0, 2.414213562373095, 3.141592653589793, 10.0),
    *(20.0, 22.0, 40.0, 88.72283905206835, 89.41598629223294, 103.97207708399179, 104.0),
    *(708.3964185322641, 709.782712893384, 710.4758600739439, 745.1332191019411, 1000.0),
    *(4096.0, 8192.0, 1048576.0, 2.0**28, 2.0**52, 1e22, 1.2676506002282294e30),
    *(2.2250738585072014e-308, 1.1754943508222875e-38, 3.4028234663852886e38),
)


def applied(names: Sequence[str], *operands: Array) -> dict[str, Array]:
    """Return the results of functions on the same operands, some of them by one kernel."""
    given = [xarr.asarray(x) for x in operands]
    found = {name: getattr(xarr, name)(*given) for name in names}
    computed_together(found.values())
    return {name: np.asarray(result) for name, result in found.items()}


def turns_and_samples(dtype: str, n: int, seed: int) -> Array:
    """Random bit patterns, moderate values and the neighbours of TURNS, NaN left out."""
    generator = np.random.default_rng(seed)
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    patterns = generator.integers(0, np.iinfo(unsigned).max, n, dtype=unsigned).view(dtype)
    moderate = np.concatenate([generator.uniform(-w, w, n // 4) for w in (1.0, 3.0, 100.0, 750.0)])
    powers = generator.choice([-1.0, 1.0], n) * np.exp2(generator.uniform(-60, 30, n))
    with np.errstate(over="ignore", under="ignore"):
        edges = np.asarray(TURNS).astype(dtype).view(unsigned)
        near = (edges[:, None] + np.arange(-40, 40).astype(unsigned)).ravel().view(dtype)
        x = np.concatenate([patterns, moderate.astype(dtype), powers.astype(dtype), near, -near])
    return np.extract(~np.isnan(x), x)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="long double is too short here")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_real_functions(dtype: str) -> None:
    needs(dtype)
    generator = np.random.default_rng(2)
    one = [turns_and_samples(dtype, 60_000, 1)]
    two = [generator.permutation(turns_and_samples(dtype, 60_000, seed)) for seed in (3, 4)]
    n = min(x.size for x in two)
    base = np.exp2(generator.uniform(-2, 2, n)).astype(dtype)
    limit = 103.0 if dtype == "float32" else 744.0
    exponent = (generator.uniform(-limit, limit, n) / np.log(base)).astype(dtype)
    two = [np.concatenate([x[:n], more]) for x, more in zip(two, (base, exponent), strict=True)]
    for bounds, operands in ((UNARY, one), (BINARY, two)):
        for name, got in applied([*bounds], *operands).items():
            with np.errstate(all="ignore"):
                exact = getattr(np, name)(*[x.astype(np.longdouble) for x in operands])
                # Beyond the largest number is infinity, whose distance is one unit.
                exact = np.where(np.isinf(exact.astype(dtype)), exact.astype(dtype), exact)
            bound = bounds[name] * (1 + (name == "pow" and dtype == "float64"))
            assert_near(got, exact, bound, name, operands)


@pytest.mark.parametrize("dtype", ["float64"])
def test_powers_are_exact(dtype: str) -> None:
    needs(dtype)
    base, exponent = np.repeat(np.arange(2.0, 17.0), 13), np.tile(np.arange(13.0), 15)
    assert_same(applied(["pow"], base, exponent)["pow"], base**exponent, "pow", (base, exponent))
    powers = np.arange(-300.0, 309.0)
    exact = np.array([float(f"1e{int(power)}") for power in powers])
    assert_same(applied(["log10"], exact)["log10"], powers, "log10", (exact,))
    twos = np.arange(-1074, 1024)
    exact = np.ldexp(1.0, twos)
    assert_same(applied(["log2"], exact)["log2"], twos.astype("f8"), "log2", (exact,))
    # The double nearest to a multiple of pi/2 (6381956970095103 2^797, Muller, Elementary
    # Functions, 3rd ed., section 11.3), and the largest double; values by mpmath in 1300 bits.
    x = np.array([np.ldexp(6381956970095103.0, 797), np.finfo(np.float64).max])
    turned = applied(["sin", "cos"], x)
    assert_same(turned["sin"], np.array([1.0, 0.004961954789184062]), "sin", (x,))
    cosines = np.array([-4.68716592425462761112e-19, -0.9999876894265599])
    assert_same(turned["cos"], cosines, "cos", (x,))


EXACT: dict[str, Callable[[Any], Any]] = {
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log1p": lambda z: mpmath.log(1 + z),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "reciprocal": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
    "abs": lambda z: mpmath.mpc(abs(z)),
}
OF_LARGE = ["sqrt", "log", "log1p", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sign"]
OF_MODERATE = ["exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
COMPLEX = [*OF_LARGE, *OF_MODERATE, "abs", "reciprocal", "log2", "log10"]


def plane_samples(dtype: str, n: int = 40) -> Array:
    """Give numbers of all magnitudes, near the unit circle, and near 0, 1, -1, i and -i."""
    rng = np.random.default_rng(3)
    spread = rng.standard_normal((4, n)) * 2.0 ** rng.uniform(-25, 4, (4, n))
    turn = np.exp(1j * rng.uniform(-np.pi, np.pi, n))
    unit = turn * (1 + rng.standard_normal(n) * 2.0 ** rng.uniform(-30, -1, n))
    branch = np.array([1, -1, 1j, -1j])[np.arange(n) % 4] + 1e-3 * (spread[2] + 1j * spread[3])
    large = 2.0 ** (spread[0] * 2) * unit * 2.0 ** rng.uniform(-60, 60, n)
    samples = [spread[0] + 1j * spread[1], unit, unit - 1, branch, large]
    return np.concatenate(samples).astype(dtype)


def extremes(dtype: str) -> Array:
    """Give numbers whose squares overflow or vanish."""
    info = np.finfo(dtype)
    big, tiny = float(info.max), float(info.smallest_subnormal)
    z = np.array([complex(big, big), complex(big, 1), complex(0.5, big), complex(tiny, tiny)])
    return np.concatenate([z, -z, [complex(tiny, big), complex(1, tiny)]]).astype(dtype)


def ulps(got: float, want: Any, info: np.finfo[Any]) -> float:
    """Return the error in units of the last place of the exact value."""
    if not math.isfinite(got):
        beyond = abs(want) > 0.999999 * mpmath.mpf(float(info.max))
        return 0.0 if math.isinf(got) and beyond else math.inf
    exponent = mpmath.frexp(abs(want) + mpmath.mpf(float(info.smallest_subnormal)))[1] - 1
    unit = mpmath.ldexp(1, max(int(exponent), int(info.minexp)) - int(info.nmant))
    return float(abs(mpmath.mpf(got) - want) / unit)


@pytest.mark.parametrize("dtype", ["complex64", *nightly("complex128")])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_functions(name: str, dtype: str) -> None:
    needs(dtype)
    info = np.finfo(dtype)
    exact = EXACT.get(name) or getattr(mpmath, name)
    z = plane_samples(dtype)
    if name in OF_MODERATE:
        z = z[abs(z) < 1e4]
    for samples, precision in ((z, 400), (extremes(dtype)[: 10 * (name in OF_LARGE)], 6000)):
        for x, value in zip(samples, applied([name], samples)[name], strict=True):
            with mpmath.workprec(precision):
                want = mpmath.mpc(exact(mpmath.mpc(complex(x))))
                first = ulps(float(value.real), want.real, info)
                if name == "expm1" and want.real:
                    # The real part is accurate relative to |expm1(z)|: it has zeros off the origin.
                    first /= max(1.0, float(abs(want.imag) / abs(want.real)))
                worst = max(first, ulps(float(value.imag), want.imag, info))
            assert worst < 6, f"{name}({x!r}) is {value!r}, {worst} ulp from {want}"


def samples_of(dtype: str) -> Array:
    """Give all halves; else edges of all data types and random bits."""
    kind = np.dtype(dtype)
    bits = np.random.default_rng(0).integers(0, 256, 8000 * kind.itemsize, np.uint8)
    if dtype in ("bool", "float16"):
        return np.arange(65536, dtype="u2").view("f2") if kind.itemsize == 2 else bits < 128
    if kind.kind in "iu":
        info = np.iinfo(kind)
        edges = [info.min, info.min + 1, info.max, info.max - 1, *range(9), 2**15 % info.max]
        return np.concatenate([np.array(edges, dtype), bits.view(dtype)])
    if kind.kind == "c":
        real = samples_of(f"float{4 * kind.itemsize}")
        z = real.astype(dtype)
        z.imag = np.random.default_rng(1).permutation(real)
        return z
    halves = np.arange(65536, dtype="u2").view("f2").astype(dtype)
    halves = np.sort(halves[np.isfinite(halves)])
    middle = (halves[:-1] + halves[1:]) / 2
    powers = np.array([s * 2.0**e for e in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)], dtype)
    turns = np.array([65519.99, 65520, 65535, 65536, 2.0**-25, 2.0**-26, np.inf, np.nan], dtype)
    beside = [np.nextafter(x, dtype_of(x, side)) for x in (middle, powers) for side in (-1e9, 1e9)]
    random = bits.view(dtype)
    random = np.where(np.isnan(random), kind.type(0), random)
    return np.concatenate([middle, powers, powers + kind.type(0.5), turns, -turns, *beside, random])


def dtype_of(x: Array, value: float) -> Any:
    return x.dtype.type(value)


def converted(x: Array, dtype: str) -> Array:
    """Convert as NumPy; to integers as x86-64 does, in Python's integers."""
    if x.dtype.kind != "f" or np.dtype(dtype).kind not in "iu":
        with np.errstate(all="ignore"):
            return x.astype(dtype)
    width = 8 * np.dtype(dtype).itemsize
    outside = 1 << (63 if dtype in ("uint64", "int64", "uint32") else 31)

    def one(value: float) -> int:
        number = int(value) if math.isfinite(value) else None
        if dtype == "uint64" and (number is None or not -outside <= number < 2 * outside):
            return 0 if value > 0 else outside
        if dtype != "uint64" and (number is None or not -outside <= number < outside):
            return -outside
        return int(number or 0)

    wrapped = [one(value) % (1 << width) for value in x.tolist()]
    return np.array(wrapped, f"u{width // 8}").view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(dtype: str) -> None:
    """Return all halves, and of other floating-point types all numbers between two."""
    needs(dtype)
    x = samples_of(dtype)
    # From complex to real numbers there is a warning.
    targets = [to for to in DTYPES if x.dtype.kind != "c" or to == "bool" or to[0] == "c"]
    targets = [to for to in targets if has(to)]
    on_device = xarr.asarray(x)
    results = [(to, on_device.astype(to)) for to in targets]  # alive, so that one kernel has all
    for to, result in results:
        assert_same(np.asarray(result), converted(x, to), f"astype({to!r})", (x,))
