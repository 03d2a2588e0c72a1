"""The transcendental functions of `xarr/kernels/`, compiled as C on the host.

Results are the same bits on every device, so what holds here holds everywhere.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.processes import ROOT
from xarr.compiler.source import kernel_file

KERNELS = ROOT / "xarr" / "kernels"
FILES = ("exp.h", "log.h", "trig.h", "hyperbolic.h", "power.h")
INF = float("inf")
NAN = float("nan")

# name: the largest error in units in the last place, for f32 and f64.
UNARY = {
    "exp": (0.85, 0.85),
    "expm1": (0.9, 0.9),
    "log": (0.9, 0.9),
    "log1p": (0.85, 0.85),
    "log2": (0.8, 0.8),
    "log10": (0.75, 0.75),
    "sin": (0.8, 0.8),
    "cos": (0.8, 0.8),
    "tan": (1.05, 1.05),
    "asin": (0.65, 0.65),
    "acos": (0.65, 0.65),
    "atan": (0.7, 0.7),
    "sinh": (0.75, 0.75),
    "cosh": (0.75, 0.75),
    "tanh": (0.8, 0.8),
    "asinh": (1.1, 1.1),
    "acosh": (1.6, 1.6),
    "atanh": (0.95, 0.95),
}
BINARY = {"atan2": (0.9, 0.9), "pow": (0.8, 1.6), "hypot": (0.7, 0.7)}
NUMPY_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "pow": "power",
}
# Arguments around which a formula changes or a result overflows, underflows or vanishes.
EDGES = (
    *(0.0, 2.0**-54, 2.0**-28, 2.0**-13, 0.25, 0.34657359027997264, 0.41421356237309503, 0.5),
    *(0.6931471805599453, 0.7071067811865476, 0.7853981633974483, 1.0, 1.0397207708399179),
    *(1.4142135623730951, 1.5707963267948966, 2.0, 2.414213562373095, 3.141592653589793, 10.0),
    *(20.0, 22.0, 40.0, 88.72283905206835, 89.41598629223294, 103.97207708399179, 104.0),
    *(708.3964185322641, 709.782712893384, 710.4758600739439, 745.1332191019411, 1000.0),
    *(4096.0, 8192.0, 1048576.0, 2.0**28, 2.0**52, 1e22, 1.2676506002282294e30),
    *(2.2250738585072014e-308, 1.1754943508222875e-38, 3.4028234663852886e38),
)

PRELUDE = "#define XR_ASSEMBLED 1\n#define XR_CHUNKED 1\n" + kernel_file("c.h")
LOOP = """
void {name}_{type}(const {type} *x1, const {type} *x2, {type} *out, long n)
{{ for (long i = 0; i < n; ++i) out[i] = xr_{name}_{type}({arguments}); }}
"""

Real = type[np.float32] | type[np.float64]
Function = Callable[..., npt.NDArray[Any]]
Scalar = Callable[[str, Real], Function]


@pytest.fixture(scope="module")
def scalar(tmp_path_factory: pytest.TempPathFactory) -> Scalar:
    """A function of a name and a float type: the C function on arrays."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("scalar")
    text = PRELUDE + "".join((KERNELS / file).read_text(encoding="utf-8") for file in FILES)
    for kind in ("f32", "f64"):
        for name in (*UNARY, *BINARY, "logaddexp"):
            arguments = "x1[i]" if name in UNARY else "x1[i], x2[i]"
            text += LOOP.format(name=name, type=kind, arguments=arguments)
    source = folder / "scalar.c"
    source.write_text(text, encoding="utf-8")
    target = folder / "scalar.so"
    flags = ["-std=gnu11", "-O2", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", target, source, "-lm"], check=True)
    shared = ctypes.CDLL(str(target))

    def find(name: str, dtype: Real) -> Function:
        entry = shared[f"{name}_f{8 * np.dtype(dtype).itemsize}"]
        entry.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
        entry.restype = None

        def call(*operands: Any) -> npt.NDArray[Any]:
            x1, x2 = (np.ascontiguousarray(x, dtype) for x in (operands * 2)[:2])
            out = np.empty_like(x1)
            entry(x1.ctypes.data, x2.ctypes.data, out.ctypes.data, x1.size)
            return out

        return call

    return find


def samples(dtype: Real, n: int, seed: int) -> npt.NDArray[Any]:
    """Random bit patterns, moderate values and the neighbours of EDGES, NaN left out."""
    generator = np.random.default_rng(seed)
    unsigned = np.uint32 if dtype is np.float32 else np.uint64
    patterns = generator.integers(0, np.iinfo(unsigned).max, n, dtype=unsigned).view(dtype)
    moderate = np.concatenate([generator.uniform(-w, w, n // 4) for w in (1.0, 3.0, 100.0, 750.0)])
    powers = generator.choice([-1.0, 1.0], n) * np.exp2(generator.uniform(-60, 30, n))
    with np.errstate(over="ignore", under="ignore"):
        edges = np.asarray(EDGES).astype(dtype).view(unsigned)
        near = (edges[:, None] + np.arange(-40, 40).astype(unsigned)).ravel().view(dtype)
        parts = [patterns, moderate.astype(dtype), powers.astype(dtype), near, -near]
    x = np.concatenate(parts)
    return np.extract(~np.isnan(x), x)


def worst(actual: npt.NDArray[Any], exact: npt.NDArray[Any]) -> tuple[float, int]:
    """The largest error in units in the last place of `exact` (long double), and where."""
    info = np.finfo(actual.dtype)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.ldexp(np.longdouble(1), np.maximum(exponent, info.minexp + 1) - info.nmant - 1)
        error = np.abs(actual.astype(np.longdouble) - exact) / unit
        same = (actual == exact.astype(actual.dtype)) | (np.isnan(actual) & np.isnan(exact))
    # Equal infinities, an overflow in both and NaN in both have no finite error, and none at all.
    error = np.where(same & ~np.isfinite(actual), 0, error)
    error = np.where(np.isnan(error), np.inf, error)
    where = int(np.argmax(error))
    return float(error[where]), where


def exact_function(name: str) -> Any:
    """NumPy's long double function."""
    return getattr(np, NUMPY_NAMES.get(name, name))


def needs_long_double() -> None:
    """Skip where long double is no wider than f64."""
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long double of this machine is too short to measure f64")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary_accuracy(scalar: Scalar, name: str, dtype: Real) -> None:
    needs_long_double()
    x = samples(dtype, 60_000, 1)
    y = scalar(name, dtype)(x)
    with np.errstate(all="ignore"):
        exact = exact_function(name)(x.astype(np.longdouble))
    error, where = worst(y, exact)
    bound = UNARY[name][dtype is np.float64]
    assert error <= bound, f"{name}({x[where]!r}) gave {y[where]!r}: {error:.3f} ulp"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY)
def test_binary_accuracy(scalar: Scalar, name: str, dtype: Real) -> None:
    needs_long_double()
    generator = np.random.default_rng(2)
    x1, x2 = (generator.permutation(samples(dtype, 60_000, seed)) for seed in (3, 4))
    n = min(x1.size, x2.size)
    x1, x2 = x1[:n], x2[:n]
    if name == "pow":
        base = np.exp2(generator.uniform(-2, 2, n)).astype(dtype)
        limit = 103.0 if dtype is np.float32 else 744.0
        exponent = (generator.uniform(-limit, limit, n) / np.log(base)).astype(dtype)
        x1, x2 = np.concatenate([x1, base]), np.concatenate([x2, exponent])
    y = scalar(name, dtype)(x1, x2)
    with np.errstate(all="ignore"):
        exact = exact_function(name)(x1.astype(np.longdouble), x2.astype(np.longdouble))
    error, where = worst(y, exact)
    bound = BINARY[name][dtype is np.float64]
    assert error <= bound, (
        f"{name}({x1[where]!r}, {x2[where]!r}) gave {y[where]!r}: {error:.3f} ulp"
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logaddexp_accuracy(scalar: Scalar, dtype: Real) -> None:
    needs_long_double()
    generator = np.random.default_rng(5)
    x1: npt.NDArray[Any] = generator.uniform(-80, 80, 60_000).astype(dtype)
    x2 = x1 + generator.uniform(-30, 30, x1.size).astype(dtype)
    y = scalar("logaddexp", dtype)(x1, x2)
    exact = np.logaddexp(x1.astype(np.longdouble), x2.astype(np.longdouble))
    # Where the terms cancel, the larger operand's unit counts.
    unit = np.spacing(np.maximum(np.maximum(np.abs(x1), np.abs(x2)), np.abs(y)))
    assert float(np.max(np.abs(y.astype(np.longdouble) - exact) / unit)) <= 2.1


# The special cases of the standard (2025.12), and of C99 Annex F where the standard is silent.
UNARY_SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0)],
    "log": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-2.0, NAN), (-INF, NAN), (INF, INF)],
    "log2": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (8.0, 3.0), (INF, INF), (-1.0, NAN)],
    "log10": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (1000.0, 3.0), (INF, INF), (-1.0, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-1.5, NAN), (1.0, np.pi / 2), (INF, NAN)],
    "acos": [(1.0, 0.0), (1.5, NAN), (-1.5, NAN), (-1.0, np.pi), (0.0, np.pi / 2), (INF, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, np.pi / 2), (-INF, -np.pi / 2)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "acosh": [(1.0, 0.0), (0.5, NAN), (-1.0, NAN), (-INF, NAN), (INF, INF)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (2.0, NAN), (-INF, NAN)],
}
BINARY_SPECIAL = {
    "atan2": [
        *[(0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0)],
        *[(0.0, -0.0, np.pi), (-0.0, -0.0, -np.pi), (0.0, -1.0, np.pi), (-0.0, -1.0, -np.pi)],
        *[(1.0, 0.0, np.pi / 2), (1.0, -0.0, np.pi / 2), (-1.0, 0.0, -np.pi / 2)],
        *[(-1.0, -0.0, -np.pi / 2), (1.0, INF, 0.0), (-1.0, INF, -0.0), (1.0, -INF, np.pi)],
        *[(-1.0, -INF, -np.pi), (INF, 1.0, np.pi / 2), (-INF, 1.0, -np.pi / 2)],
        *[(INF, INF, np.pi / 4), (-INF, INF, -np.pi / 4), (INF, -INF, 3 * np.pi / 4)],
        *[(-INF, -INF, -3 * np.pi / 4), (NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, NAN, NAN)],
    ],
    "pow": [
        *[(1.0, NAN, 1.0), (NAN, 0.0, 1.0), (NAN, -0.0, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN)],
        *[(-1.0, INF, 1.0), (-1.0, -INF, 1.0), (1.0, INF, 1.0), (2.0, INF, INF)],
        *[(2.0, -INF, 0.0), (0.5, INF, 0.0), (0.5, -INF, INF), (-2.0, INF, INF)],
        *[(INF, 2.0, INF), (INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF)],
        *[(-INF, 0.5, INF), (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (INF, INF, INF)],
        *[(0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0)],
        *[(0.0, -3.0, INF), (-0.0, -3.0, -INF), (-0.0, -2.0, INF), (0.0, -INF, INF)],
        *[(0.0, INF, 0.0), (-2.0, 0.5, NAN), (-8.0, 3.0, -512.0), (-2.0, -1.0, -0.5)],
        *[(3.0, 2.0, 9.0), (10.0, 5.0, 1e5), (0.0, 0.0, 1.0), (-INF, -INF, 0.0)],
    ],
    "hypot": [
        *[(INF, NAN, INF), (NAN, -INF, INF), (-INF, 1.0, INF), (NAN, 1.0, NAN)],
        *[(0.0, -0.0, 0.0), (-3.0, 4.0, 5.0), (-2.0, 0.0, 2.0), (-0.0, -0.0, 0.0)],
    ],
    "logaddexp": [
        *[(-INF, -INF, -INF), (INF, INF, INF), (INF, 1.0, INF), (1.0, INF, INF)],
        *[(-INF, 1.0, 1.0), (1.0, -INF, 1.0), (INF, -INF, INF), (NAN, 1.0, NAN)],
        *[(INF, NAN, NAN), (NAN, -INF, NAN)],
    ],
}


def assert_same_bits(actual: npt.NDArray[Any], expected: Any, dtype: Real, name: str) -> None:
    """Equal values, equal signs of zero, NaN where NaN is due."""
    np.testing.assert_array_equal(actual, np.asarray(expected, dtype), err_msg=name)
    zero = actual == 0
    np.testing.assert_array_equal(
        np.signbit(actual[zero]), np.signbit(np.asarray(expected)[zero]), err_msg=name
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY_SPECIAL)
def test_unary_special_cases(scalar: Scalar, name: str, dtype: Real) -> None:
    x, expected = zip(*UNARY_SPECIAL[name], (NAN, NAN), strict=True)
    assert_same_bits(scalar(name, dtype)(x), expected, dtype, name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY_SPECIAL)
def test_binary_special_cases(scalar: Scalar, name: str, dtype: Real) -> None:
    x1, x2, expected = zip(*BINARY_SPECIAL[name], (NAN, NAN, NAN), strict=True)
    assert_same_bits(scalar(name, dtype)(x1, x2), expected, dtype, name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_odd_functions_return_their_argument(scalar: Scalar, dtype: Real) -> None:
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.asarray([tiny, -tiny, 3 * tiny, np.finfo(dtype).tiny, -7 * tiny], dtype)
    for name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p"):
        np.testing.assert_array_equal(scalar(name, dtype)(x), x, err_msg=name)


def test_exact_powers(scalar: Scalar) -> None:
    base = np.repeat(np.arange(2.0, 17.0), 13)
    exponent = np.tile(np.arange(13.0), 15)
    np.testing.assert_array_equal(scalar("pow", np.float64)(base, exponent), base**exponent)
    exact = np.asarray([10.0**k for k in range(-300, 309, 1)])
    np.testing.assert_array_equal(scalar("log10", np.float64)(exact), np.arange(-300.0, 309.0))
    twos = np.arange(-1074, 1024)
    np.testing.assert_array_equal(scalar("log2", np.float64)(np.ldexp(1.0, twos)), twos)


def test_huge_angles(scalar: Scalar) -> None:
    # The double nearest to a multiple of pi/2 (6381956970095103 2^797, Muller, Elementary
    # Functions, 3rd ed., section 11.3), and the largest double; values by mpmath in 1300 bits.
    x = np.asarray([np.ldexp(6381956970095103.0, 797), np.finfo(np.float64).max])
    sine = scalar("sin", np.float64)(x)
    cosine = scalar("cos", np.float64)(x)
    np.testing.assert_array_equal(sine, [1.0, 0.004961954789184062])
    np.testing.assert_array_equal(cosine, [-4.68716592425462761112e-19, -0.9999876894265599])


def test_no_name_stands_for_two_functions() -> None:
    """Files are put together into one source; only those of integers and of reals are apart."""
    places: dict[str, list[str]] = {}
    for path in sorted(KERNELS.glob("*.h")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^DEVICE\b[^(;=]*?\b(xr_\w+)\(", text, re.MULTILINE):
            places.setdefault(name, []).append(path.name)
    assert len(places) > 200
    several = {name: where for name, where in places.items() if len(where) > 1}
    assert {tuple(where) for where in several.values()} <= {("integer.h", "real.h")}, several
