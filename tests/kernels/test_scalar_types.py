"""The scalar functions of `xarr/kernels/`, compiled as C on the host.

Results are the same bits on every device, so what holds here holds everywhere.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from tests.processes import ROOT, once
from tests.reference import same_bits
from xarr.compiler.source import kernel_file

KERNELS = ROOT / "xarr" / "kernels"
COMPILER = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")

Array = np.ndarray[Any, Any]

INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f32", "f64"]
NUMPY = {name: np.dtype(name[0] + str(int(name[1:]) // 8)) for name in INTEGERS + FLOATS}
NUMPY |= {
    "b8": np.dtype(bool),
    "f16": np.dtype("f2"),
    "c64": np.dtype("c8"),
    "c128": np.dtype("c16"),
}
PARTS = {"c64": "f32", "c128": "f64"}

PRELUDE = "#define XR_CHUNKED 1\n" + kernel_file("c.h")


def specialise(path: Path, dtype: str) -> str:
    """Return the text of a library file with its generic tokens replaced for one value type."""
    text = re.sub(r"#ifndef XR_ASSEMBLED.*?#endif", "", path.read_text(), count=1, flags=re.DOTALL)
    width = dtype[1:]
    tokens = {"T": dtype, "U": f"u{width}", "I": f"i{width}", "C": f"c{2 * int(width)}"}
    for token, name in tokens.items():
        text = re.sub(rf"\b{token}\b|(?<=_){token}\b", name, text)
    return text


def cast_expression(x: str, a: str, b: str) -> str:
    """Write the conversion of the variable x as the head comment of cast.h tells."""
    if a == b:
        return x
    if a == "f16":
        return cast_expression(f"xr_half_to_float({x})", "f32", b)
    if b in PARTS:
        re_part = cast_expression(f"{x}.re" if a in PARTS else x, PARTS.get(a, a), PARTS[b])
        im_part = cast_expression(f"{x}.im", PARTS[a], PARTS[b]) if a in PARTS else "0"
        return f"xr_complex_{b}({re_part}, {im_part})"
    if a in PARTS:
        part = cast_expression(f"{x}.re", PARTS[a], b)
        return f"xr_nonzero_{a}({x})" if b == "b8" else part
    if b == "b8":
        return f"(b8)({x} != ({a})0)"
    if b == "f16":
        single = f"xr_float_to_half({cast_expression(x, a, 'f32')})"
        return f"xr_double_to_half({x})" if a == "f64" else single
    if a in FLOATS and b in INTEGERS:
        through = {"u32": "i64", "i64": "i64", "u64": "u64"}.get(b, "i32")
        return f"({b})xr_to_{through}_{a}({x})"
    return f"({b})({x})"


INTEGER_1 = ["square", "negative", "abs", "sign"]
INTEGER_2 = ["add", "subtract", "multiply", "maximum", "minimum", "floor_divide", "remainder"]
INTEGER_2 += ["pow", "left_shift", "right_shift"]
REAL_1 = ["reciprocal", "sign", "signbit"]
REAL_2 = ["maximum", "minimum", "nextafter", "fmod", "remainder", "floor_divide"]
# The largest errors in units in the last place.
UNARY = {
    "exp": 0.85, "expm1": 0.9, "log": 0.9, "log1p": 0.85, "log2": 0.8, "log10": 0.75, "sin": 0.8,
    "cos": 0.8, "tan": 1.05, "asin": 0.65, "acos": 0.65, "atan": 0.7, "sinh": 0.75, "cosh": 0.75,
    "tanh": 0.8, "asinh": 1.1, "acosh": 1.6, "atanh": 0.95,
}  # fmt: skip
BINARY = {"atan2": 0.9, "pow": 0.8, "hypot": 0.7}  # twice as much for pow of f64
CAST_TYPES = ["b8", *INTEGERS, "f16", *FLOATS]
COMPLEX_1 = ["negative", "conj", "square", "reciprocal", "sign", "round", "sqrt", "exp", "expm1"]
COMPLEX_1 += ["log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"]
COMPLEX_1 += ["sinh", "cosh", "tanh", "asinh", "acosh", "atanh"]
COMPLEX_2 = ["add", "subtract", "multiply", "divide", "pow"]
COMPLEX_TO_BOOL = ["isnan", "isinf", "isfinite", "nonzero"]
COMPLEX_TO_BOOL_2 = ["equal", "not_equal"]


Loop = tuple[str, list[str], str, str]


def loops() -> Iterator[Loop]:
    """Give (loop's name, operand types, result type, C expression) of every tested function."""
    yield from real_loops()
    yield from complex_loops()


def real_loops() -> Iterator[Loop]:
    """Give the loops of all files but complex.h."""
    for t in INTEGERS:
        for name in INTEGER_1:
            yield f"{name}_{t}", [t], t, f"xr_{name}_{t}(x)"
        for name in INTEGER_2:
            yield f"{name}_{t}", [t, t], t, f"xr_{name}_{t}(x, y)"
    for t in FLOATS:
        for name in REAL_1:
            yield f"{name}_{t}", [t], "b8" if name == "signbit" else t, f"xr_{name}_{t}(x)"
        for name in UNARY:
            yield f"{name}_{t}", [t], t, f"xr_{name}_{t}(x)"
        for name in (*REAL_2, *BINARY, "logaddexp"):
            yield f"{name}_{t}", [t, t], t, f"xr_{name}_{t}(x, y)"
    for a in CAST_TYPES:
        for b in [*CAST_TYPES, *PARTS]:
            yield f"cast_{a}_{b}", [a], b, cast_expression("x", a, b)


def complex_loops() -> Iterator[Loop]:
    """Give the loops of complex.h."""
    for c, part in PARTS.items():
        for name in COMPLEX_1:
            yield f"{name}_{c}", [c], c, f"xr_{name}_{c}(x)"
        for name in COMPLEX_2:
            yield f"{name}_{c}", [c, c], c, f"xr_{name}_{c}(x, y)"
        yield f"abs_{c}", [c], part, f"xr_abs_{c}(x)"
        for name in COMPLEX_TO_BOOL:
            yield f"{name}_{c}", [c], "b8", f"(b8)xr_{name}_{c}(x)"
        for name in COMPLEX_TO_BOOL_2:
            yield f"{name}_{c}", [c, c], "b8", f"(b8)xr_{name}_{c}(x, y)"
        for b in [*CAST_TYPES, *PARTS]:
            yield f"cast_{c}_{b}", [c], b, cast_expression("x", c, b)


def loop_source(name: str, operands: list[str], result: str, expression: str) -> str:
    """Write a C function that maps the expression over arrays."""
    letters = "xy"[: len(operands)]
    params = ", ".join(f"const {t} *p{v}" for v, t in zip(letters, operands, strict=True))
    loads = " ".join(f"const {t} {v} = p{v}[k];" for v, t in zip(letters, operands, strict=True))
    head = f"void loop_{name}(long n, {params}, {result} *out)\n"
    return head + f"{{ for (long k = 0; k < n; k++) {{ {loads} out[k] = {expression}; }} }}\n"


def library_source() -> str:
    """Put the library's functions, for each type, and the loops over them into one text."""
    texts = [specialise(KERNELS / "integer.h", t) for t in INTEGERS]
    for name in ("half", "real", "cast", "exp", "log", "trig", "hyperbolic", "power", "complex"):
        texts += [specialise(KERNELS / f"{name}.h", t) for t in FLOATS]
    found = re.findall(r"^DEVICE .*?^}\n", "\n".join(texts), re.MULTILINE | re.DOTALL)
    # A function without generic tokens was found once for each type.
    functions = list(dict.fromkeys(found))
    prototypes = [text[: text.index("\n{")] + ";\n" for text in functions]
    return "".join([PRELUDE, *prototypes, *functions, *(loop_source(*loop) for loop in loops())])


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Array]:
    """Compile the library; return a function that runs one of its loops on arrays."""

    def compile_library(folder: Path) -> None:
        folder.mkdir()
        (folder / "scalar.c").write_text(library_source())
        options = ["-std=gnu11", "-O1", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC"]
        command = [str(COMPILER), *options, "-o", "scalar.so", "scalar.c", "-lm"]
        result = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr[:2000]

    library = ctypes.CDLL(str(once(tmp_path_factory, "scalar", compile_library) / "scalar.so"))

    def run(name: str, result: str, *operands: Array) -> Array:
        arrays = [np.ascontiguousarray(x) for x in np.broadcast_arrays(*operands)]
        out = np.empty(arrays[0].shape, NUMPY[result])
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in [*arrays, out]]
        getattr(library, f"loop_{name}")(ctypes.c_long(out.size), *pointers)
        return out

    return run


def check(name: str, got: Array, want: Array, *operands: Array) -> None:
    """Fail with the first operands whose result has other bits than wanted."""
    assert got.dtype == want.dtype, (name, got.dtype, want.dtype)
    wrong = np.flatnonzero(~same_bits(got, want))
    if wrong.size:
        k = wrong[0]
        shown = [x[k] for x in np.broadcast_arrays(*operands)]
        pytest.fail(f"{name}{shown}: {got[k]!r}, NumPy: {want[k]!r}; {wrong.size} of {got.size}")


def integer_samples(t: str, seed: int, n: int = 4000) -> Array:
    """Give every edge and random integers of all magnitudes."""
    info = np.iinfo(NUMPY[t])
    rng = np.random.default_rng(seed)
    random = rng.integers(info.min, info.max, n, NUMPY[t], endpoint=True)
    shifted = random >> rng.integers(0, info.bits, n).astype(NUMPY[t])
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63]
    edges += [-1 % (info.max + 1) if info.min == 0 else -1, 64 % info.max]
    grid = np.repeat(np.array(edges, NUMPY[t]), len(edges))
    if seed % 2:
        grid = grid.reshape(len(edges), -1).T.ravel()
    return np.concatenate([grid, random, shifted])


def float_samples(t: str, seed: int, n: int = 4000) -> Array:
    """Give every pair of special values, random bit patterns and numbers of like magnitudes."""
    rng = np.random.default_rng(seed)
    info = np.finfo(NUMPY[t])
    unsigned = np.dtype(f"u{NUMPY[t].itemsize}")
    random = rng.integers(0, np.iinfo(unsigned).max, n, unsigned, endpoint=True).view(NUMPY[t])
    edges = [0.0, 1.0, 1.5, 2.0, 3.0, 0.1, 0.5, 2.5, 7.0, 1e10, np.inf, np.nan]
    edges += [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    edges += [float(info.tiny * NUMPY[t].type(1.75)), 2.0**31, 2.0**53]
    signed = np.array([*edges, *(-x for x in edges)], NUMPY[t])
    grid = np.repeat(signed, signed.size)
    if seed % 2:
        grid = grid.reshape(signed.size, -1).T.ravel()
    near = (rng.standard_normal(n) * 2.0 ** rng.integers(-8, 8, n)).astype(NUMPY[t])
    return np.concatenate([grid, random, near, np.round(near)])


@pytest.mark.parametrize("t", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_1)
def test_integer_1(call: Callable[..., Array], name: str, t: str) -> None:
    x = integer_samples(t, 0)
    check(name, call(f"{name}_{t}", t, x), getattr(np, name)(x), x)


@pytest.mark.parametrize("t", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_2)
def test_integer_2(call: Callable[..., Array], name: str, t: str) -> None:
    x, y = integer_samples(t, 0), integer_samples(t, 1)
    if name == "pow":
        y = abs(y) % NUMPY[t].type(100)
        y = np.where(y < 0, 0, y).astype(y.dtype)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x, y)
    check(name, call(f"{name}_{t}", t, x, y), want, x, y)


def test_integer_pow_negative_exponent(call: Callable[..., Array]) -> None:
    x, y = np.array([0, 1, -1, -1, 2], "i4"), np.array([-1, -3, -2, -3, -1], "i4")
    check("pow", call("pow_i32", "i32", x, y), np.array([0, 1, 1, -1, 0], "i4"), x, y)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", REAL_1)
def test_real_1(call: Callable[..., Array], name: str, t: str) -> None:
    x = float_samples(t, 0)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    check(name, call(f"{name}_{t}", "b8" if name == "signbit" else t, x), want, x)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", REAL_2)
def test_real_2(call: Callable[..., Array], name: str, t: str) -> None:
    x, y = float_samples(t, 0), float_samples(t, 1)
    got = call(f"{name}_{t}", t, x, y)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x, y)
    if name in ("maximum", "minimum"):
        zeros = (x == 0) & (y == 0)
        negative = np.signbit(x) & np.signbit(y)
        if name == "minimum":
            negative = np.signbit(x) | np.signbit(y)
        want = np.where(zeros, np.where(negative, -0.0, 0.0).astype(x.dtype), want)
    if name == "floor_divide":
        # The standard: an infinite operand gives what true division does. NumPy differs.
        with np.errstate(all="ignore"):
            want = np.where(np.isinf(x) | np.isinf(y), x / y, want)
    check(name, got, want, x, y)


def test_half_to_float(call: Callable[..., Array]) -> None:
    every = np.arange(65536, dtype="u2").view("f2")
    check("half", call("cast_f16_f32", "f32", every), every.astype("f4"), every)


@pytest.mark.parametrize("t", FLOATS)
def test_to_half(call: Callable[..., Array], t: str) -> None:
    every = np.arange(65536, dtype="u2").view("f2").astype(NUMPY[t])
    every = every[np.isfinite(every)]
    middle = (every[:-1] + every[1:]) / 2
    above, below = np.nextafter(middle, middle.dtype.type(np.inf)), np.nextafter(middle, 0 * middle)
    edge = np.array([65519.99, 65520, 65535, 65536, 2.0**-25, 2.0**-26], NUMPY[t])
    x = np.concatenate([every, middle, above, below, edge, -edge, float_samples(t, 0)])
    with np.errstate(all="ignore"):
        want = x.astype("f2")
    check("half", call(f"cast_{t}_f16", "f16", x), want, x)


def convert_on_x86(x: Array, b: str) -> Array:
    """Convert floating-point numbers to integers as x86-64 does, in Python's integers."""

    def one(value: float) -> int:
        outside = {"u64": 1 << 63, "i64": 1 << 63, "u32": 1 << 63}.get(b, 1 << 31)
        number = int(value) if np.isfinite(value) else None
        if b == "u64" and (number is None or not -outside <= number < 2 * outside):
            return 0 if value > 0 else outside
        if b != "u64" and (number is None or not -outside <= number < outside):
            return -outside
        return int(number or 0)

    width = int(b[1:])
    wrapped = [one(float(v)) % (1 << width) for v in x]
    return np.array(wrapped, f"u{width // 8}").view(NUMPY[b])


@pytest.mark.parametrize("b", [*CAST_TYPES, *PARTS])
@pytest.mark.parametrize("a", CAST_TYPES)
def test_cast(call: Callable[..., Array], a: str, b: str) -> None:
    if a in FLOATS:
        powers = np.array([k * 2.0**e for e in (7, 8, 15, 16, 31, 32, 63, 64) for k in (1, -1)])
        x = np.concatenate([float_samples(a, 0), (powers + 0.5).astype(NUMPY[a])])
        x = np.concatenate([x, np.nextafter(powers, 0).astype(NUMPY[a])])
    elif a in INTEGERS:
        x = integer_samples(a, 0)
    else:
        x = np.arange(65536, dtype="u2").view("f2") if a == "f16" else np.array([False, True])
    with np.errstate(all="ignore"):
        want = x.astype(NUMPY[b])
    if NUMPY[a].kind == "f" and b in INTEGERS:
        want = convert_on_x86(x, b)
    check(f"cast {a} {b}", call(f"cast_{a}_{b}", b, x), want, x)


def complex_samples(c: str, seed: int, n: int = 4000) -> Array:
    """Give random pairs of the special, random and like numbers of float_samples."""
    z = np.empty(float_samples(PARTS[c], seed, n).size, NUMPY[c])
    z.real = float_samples(PARTS[c], seed, n)
    z.imag = np.random.default_rng(seed).permutation(float_samples(PARTS[c], seed + 2, n))
    return z


@pytest.mark.parametrize("b", [*CAST_TYPES, *PARTS])
@pytest.mark.parametrize("c", PARTS)
def test_cast_complex(call: Callable[..., Array], c: str, b: str) -> None:
    x = complex_samples(c, 0)
    with np.errstate(all="ignore"):
        want = (x if b in PARTS or b == "b8" else x.real).astype(NUMPY[b])
    if b in INTEGERS:
        want = convert_on_x86(x.real, b)
    check(f"cast {c} {b}", call(f"cast_{c}_{b}", b, x), want, x)


@pytest.mark.parametrize("c", PARTS)
@pytest.mark.parametrize("name", ["negative", "conj", "reciprocal", "add", "subtract", "divide"])
def test_complex_bits(call: Callable[..., Array], name: str, c: str) -> None:
    x, y = complex_samples(c, 0), complex_samples(c, 1)
    operands = (x, y) if name in COMPLEX_2 else (x,)
    with np.errstate(all="ignore"):
        want = np.array(getattr(np, name)(*operands))
        if name == "reciprocal":
            want[x == 0] = 1 / x[x == 0]
    check(name, call(f"{name}_{c}", c, *operands), want, *operands)


@pytest.mark.parametrize("c", PARTS)
def test_complex_multiply(call: Callable[..., Array], c: str) -> None:
    # NumPy's own product is contracted to fused operations on some machines.
    x, y = complex_samples(c, 0), complex_samples(c, 1)
    want = np.empty_like(x)
    with np.errstate(all="ignore"):
        want.real = x.real * y.real - x.imag * y.imag
        want.imag = x.real * y.imag + x.imag * y.real
    check("multiply", call(f"multiply_{c}", c, x, y), want, x, y)
    check("square", call(f"square_{c}", c, x), call(f"multiply_{c}", c, x, x), x)


@pytest.mark.parametrize("c", PARTS)
def test_complex_truth(call: Callable[..., Array], c: str) -> None:
    x, y = complex_samples(c, 0), complex_samples(c, 1)
    y = np.where(np.arange(x.size) % 3 == 0, x, y)
    y.real[1::3] = x.real[1::3]
    for name in ("isnan", "isinf", "isfinite"):
        check(name, call(f"{name}_{c}", "b8", x), getattr(np, name)(x), x)
    for name in COMPLEX_TO_BOOL_2:
        got = call(f"{name}_{c}", "b8", x, y)
        known = np.isfinite(x) & np.isfinite(y)
        check(name, got[known], getattr(np, name)(x[known], y[known]), x[known], y[known])


# The special cases of the Array API standard 2025.12: operand -> result, "~" where the sign of
# the part is unspecified. p: positive and finite, f: finite and not zero, F: finite;
# C and S: infinity with the sign of cos b and sin b, c and s: zero with these signs.
SPECIAL = {
    "sqrt": "0+0 0+0, -0+0 0+0, F+inf inf+inf, inf+inf inf+inf, -inf+inf inf+inf, "
    "nan+inf inf+inf, F+nan nan+nan, -inf+p 0+inf, inf+p inf+0, -inf+nan nan~inf, "
    "inf+nan inf+nan, nan+F nan+nan, nan+nan nan+nan",
    "exp": "0+0 1+0, -0+0 1+0, F+inf nan+nan, F+nan nan+nan, inf+0 inf+0, -inf+p c+s, "
    "inf+p C+S, -inf+inf ~0~0, inf+inf ~inf+nan, -inf+nan ~0~0, inf+nan ~inf+nan, "
    "nan+0 nan+0, nan+p nan+nan, nan+inf nan+nan, nan+nan nan+nan",
    "expm1": "0+0 0+0, -0+0 ~0+0, F+inf nan+nan, F+nan nan+nan, inf+0 inf+0, -inf+p -1+s, "
    "inf+p C+S, -inf+inf -1~0, inf+inf ~inf+nan, -inf+nan -1~0, inf+nan ~inf+nan, "
    "nan+0 nan+0, nan+p nan+nan, nan+inf nan+nan, nan+nan nan+nan",
    "log": "-0+0 -inf+pi, 0+0 -inf+0, F+inf inf+pi/2, F+nan nan+nan, -inf+p inf+pi, "
    "inf+p inf+0, -inf+inf inf+3pi/4, inf+inf inf+pi/4, inf+nan inf+nan, "
    "-inf+nan inf+nan, nan+F nan+nan, nan+inf inf+nan, nan+nan nan+nan",
    "log1p": "-1+0 -inf+0, F+inf inf+pi/2, F+nan nan+nan, -inf+p inf+pi, inf+p inf+0, "
    "-inf+inf inf+3pi/4, inf+inf inf+pi/4, inf+nan inf+nan, -inf+nan inf+nan, "
    "nan+F nan+nan, nan+inf inf+nan, nan+nan nan+nan",
    "sinh": "0+0 0+0, 0+inf ~0+nan, 0+nan ~0+nan, p+inf nan+nan, p+nan nan+nan, inf+0 inf+0, "
    "inf+p C+S, inf+inf ~inf+nan, inf+nan ~inf+nan, nan+0 nan+0, nan+f nan+nan, "
    "nan+nan nan+nan",
    "cosh": "0+0 1+0, 0+inf nan~0, 0+nan nan~0, f+inf nan+nan, f+nan nan+nan, inf+0 inf+0, "
    "inf+p C+S, inf+inf ~inf+nan, inf+nan inf+nan, nan+0 nan~0, nan+f nan+nan, "
    "nan+nan nan+nan",
    "tanh": "0+0 0+0, f+inf nan+nan, 0+inf 0+nan, f+nan nan+nan, 0+nan 0+nan, inf+p 1~0, "
    "inf+inf 1~0, inf+nan 1~0, nan+0 nan+0, nan+f nan+nan, nan+nan nan+nan",
    "acos": "0+0 pi/2-0, -0+0 pi/2-0, 0+nan pi/2+nan, -0+nan pi/2+nan, F+inf pi/2-inf, "
    "f+nan nan+nan, -inf+p pi-inf, inf+p 0-inf, -inf+inf 3pi/4-inf, inf+inf pi/4-inf, "
    "inf+nan nan~inf, -inf+nan nan~inf, nan+F nan+nan, nan+inf nan-inf, nan+nan nan+nan",
    "acosh": "0+0 0+pi/2, -0+0 0+pi/2, F+inf inf+pi/2, f+nan nan+nan, 0+nan nan~pi/2, "
    "-inf+p inf+pi, inf+p inf+0, -inf+inf inf+3pi/4, inf+inf inf+pi/4, inf+nan inf+nan, "
    "-inf+nan inf+nan, nan+F nan+nan, nan+inf inf+nan, nan+nan nan+nan",
    "asinh": "0+0 0+0, p+inf inf+pi/2, F+nan nan+nan, inf+p inf+0, inf+inf inf+pi/4, "
    "inf+nan inf+nan, nan+0 nan+0, nan+f nan+nan, nan+inf ~inf+nan, nan+nan nan+nan",
    "atanh": "0+0 0+0, 0+nan 0+nan, 1+0 inf+0, p+inf 0+pi/2, f+nan nan+nan, inf+p 0+pi/2, "
    "inf+inf 0+pi/2, inf+nan 0+nan, nan+F nan+nan, nan+inf ~0+pi/2, nan+nan nan+nan",
    "sign": "0+0 0+0, -0+0 0+0, nan+F nan+nan, F+nan nan+nan, nan+inf nan+nan, inf+nan nan+nan",
}
POSITIVE = [0.25, 1.0, 2.0, 4.0, 2.0**100]
NUMBERS = {"p": POSITIVE, "f": [*POSITIVE, *(-x for x in POSITIVE)]}
NUMBERS["F"] = [*NUMBERS["f"], 0.0, -0.0]
PI = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4}


def number(word: str) -> float:
    """The number that a table has: also a part of pi, and a zero with a sign."""
    part = PI.get(word.removeprefix("-"))
    return float(word) if part is None else -part if word[0] == "-" else part


def special_cases(name: str) -> Iterator[tuple[complex, list[tuple[float, bool]], str]]:
    """Give (operand, [(part, whether its sign counts)], rule) of the function's special cases."""
    for rule in SPECIAL[name].split(", "):
        operand, result = rule.split()
        head, tail = re.fullmatch(r"(-?[^+]+)\+(.+)", operand).groups()  # type: ignore[union-attr]
        parts = re.fullmatch(r"([-~]?)([^-+~]+)([-+~])(.+)", result)
        assert parts is not None
        for a in NUMBERS.get(head) or [float(head)]:
            for b in NUMBERS.get(tail) or [float(tail)]:
                wanted = []
                for sign, word in (parts.group(1, 2), parts.group(3, 4)):
                    if word in "CScs":
                        turn = math.cos(b) if word in "Cc" else math.sin(b)
                        value = math.copysign(math.inf if word in "CS" else 0.0, turn)
                    else:
                        value = number(word)
                    wanted.append((-value if sign == "-" else value, sign != "~"))
                yield complex(a, b), wanted, rule


@pytest.mark.parametrize("c", PARTS)
@pytest.mark.parametrize("name", SPECIAL)
def test_complex_special(call: Callable[..., Array], name: str, c: str) -> None:
    for z, wanted, rule in special_cases(name):
        got = call(f"{name}_{c}", c, np.array([z], NUMPY[c]))
        for part, (want, signed) in zip((got.real[0], got.imag[0]), wanted, strict=True):
            ok = bool(np.isclose(abs(part), abs(want), 1e-6, 0, equal_nan=True))
            if signed and not math.isnan(want):
                ok = ok and np.signbit(part) == np.signbit(want)
            assert ok, f"{name}({z}) is {got[0]}; rule {rule}"


EDGES = [0.0, 0.5, 1.0, 3.0, 1e30, math.inf, math.nan]
EDGES += [-x for x in EDGES]
ODD = ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"]
ENTIRE = ["sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "cos", "cosh", "acos", "acosh"]


@pytest.mark.parametrize("c", PARTS)
@pytest.mark.parametrize("name", ODD + ENTIRE)
def test_complex_symmetry(call: Callable[..., Array], name: str, c: str) -> None:
    z = np.array([complex(a, b) for a, b in itertools.product(EDGES, EDGES)], NUMPY[c])
    z = z[~np.isnan(z)]
    got, mirrored = call(f"{name}_{c}", c, z), call(f"{name}_{c}", c, np.conj(z))
    known = ~np.isnan(got)
    if name in ("exp", "expm1", "cosh", "sinh", "cos", "sin", "tanh", "tan"):
        known &= np.isfinite(z)
    check(f"{name} of conj", mirrored[known], np.conj(got)[known], z[known])
    if name in ODD:
        opposite = call(f"{name}_{c}", c, -z)
        check(f"{name} of negative", opposite[known], -got[known], z[known])


EXACT: dict[str, Callable[[Any], Any]] = {
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log1p": lambda z: mpmath.log(1 + z),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "reciprocal": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
    "abs": lambda z: mpmath.mpc(abs(z)),
}
ACCURATE = ["abs", "sign", "reciprocal", "sqrt", "exp", "expm1", "log", "log1p", "log2"]
ACCURATE += ["log10", "sin", "cos", "tan", "asin", "acos", "atan"]
ACCURATE += ["sinh", "cosh", "tanh", "asinh", "acosh", "atanh"]


def plane_samples(c: str, n: int = 40) -> Array:
    """Give numbers of all magnitudes, near the unit circle, and near 0, 1, -1, i and -i."""
    rng = np.random.default_rng(3)
    spread = rng.standard_normal((4, n)) * 2.0 ** rng.uniform(-25, 4, (4, n))
    turn = np.exp(1j * rng.uniform(-np.pi, np.pi, n))
    unit = turn * (1 + rng.standard_normal(n) * 2.0 ** rng.uniform(-30, -1, n))
    branch = np.array([1, -1, 1j, -1j])[np.arange(n) % 4] + 1e-3 * (spread[2] + 1j * spread[3])
    large = 2.0 ** (spread[0] * 2) * unit * 2.0 ** rng.uniform(-60, 60, n)
    return np.concatenate([spread[0] + 1j * spread[1], unit, unit - 1, branch, large]).astype(
        NUMPY[c]
    )


def ulps(got: float, want: Any, info: np.finfo[Any]) -> float:
    """Return the error in units of the last place of the exact value."""
    if not math.isfinite(got):
        beyond = abs(want) > 0.999999 * mpmath.mpf(float(info.max))
        return 0.0 if math.isinf(got) and beyond else math.inf
    exponent = mpmath.frexp(abs(want) + mpmath.mpf(float(info.smallest_subnormal)))[1] - 1
    unit = mpmath.ldexp(1, max(int(exponent), int(info.minexp)) - int(info.nmant))
    return float(abs(mpmath.mpf(got) - want) / unit)


@pytest.mark.parametrize("c", PARTS)
@pytest.mark.parametrize("name", ACCURATE)
def test_complex_accuracy(call: Callable[..., Array], name: str, c: str) -> None:
    z = plane_samples(c)
    if name in ("exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
        z = z[abs(z) < 1e4]
    got = call(f"{name}_{c}", PARTS[c] if name == "abs" else c, z)
    info = np.finfo(NUMPY[c])
    exact = EXACT.get(name) or getattr(mpmath, name)
    with mpmath.workprec(400):
        for x, value in zip(z, got, strict=True):
            want = mpmath.mpc(exact(mpmath.mpc(complex(x))))
            errors = (
                ulps(float(value.real), want.real, info),
                ulps(float(value.imag), want.imag, info),
            )
            if name == "expm1":
                # The real part is accurate relative to |expm1(z)|: it has zeros off the origin.
                scale = max(abs(want.real), abs(want.imag)) / max(
                    abs(want.real), mpmath.mpf(10) ** -300
                )
                errors = errors[0] / max(1.0, float(scale)), errors[1]
            assert max(errors) < 6, f"{name}({x!r}) is {value!r}, {errors} ulp from {want}"


@pytest.mark.parametrize("c", PARTS)
def test_complex_extremes(call: Callable[..., Array], c: str) -> None:
    info = np.finfo(NUMPY[c])
    big, tiny = float(info.max), float(info.smallest_subnormal)
    z = np.array(
        [complex(big, big), complex(big, 1), complex(0.5, big), complex(tiny, tiny)], NUMPY[c]
    )
    z = np.concatenate([z, -z, np.array([complex(tiny, big), complex(1, tiny)], NUMPY[c])])
    for name in ("sqrt", "log", "log1p", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sign"):
        got = call(f"{name}_{c}", c, z)
        assert np.isfinite(got).all(), (name, z[~np.isfinite(got)])
        for x, value in zip(z, got, strict=True):
            with mpmath.workprec(6000):
                want = (EXACT.get(name) or getattr(mpmath, name))(mpmath.mpc(complex(x)))
                errors = (
                    ulps(float(value.real), want.real, info),
                    ulps(float(value.imag), want.imag, info),
                )
            assert max(errors) < 6, f"{name}({x!r}) is {value!r}, {errors} ulp"


@pytest.mark.parametrize("c", PARTS)
def test_complex_pow(call: Callable[..., Array], c: str) -> None:
    rng = np.random.default_rng(0)
    z = (rng.standard_normal(300) + 1j * rng.standard_normal(300)).astype(NUMPY[c])
    w = (2 * rng.standard_normal(300) + 1j * rng.standard_normal(300)).astype(NUMPY[c])
    w[::3] = np.round(5 * w.real[::3])
    want = np.exp(w.astype("c16") * np.log(z.astype("c16")))
    got = call(f"pow_{c}", c, z, w)
    assert float(np.max(abs(got - want) / abs(want))) < 100 * np.finfo(NUMPY[c]).eps
    for x, y, expected in [(0, 0, 1), (0, 2.5, 0), (3 + 4j, 1, 3 + 4j), (2, 2, 4), (1j, -2, -1)]:
        operands = np.array([x], NUMPY[c]), np.array([y], NUMPY[c])
        assert call(f"pow_{c}", c, *operands)[0] == expected


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


def turns_and_samples(t: str, n: int, seed: int) -> Array:
    """Random bit patterns, moderate values and the neighbours of TURNS, NaN left out."""
    generator = np.random.default_rng(seed)
    unsigned = np.dtype(f"u{NUMPY[t].itemsize}")
    patterns = generator.integers(0, np.iinfo(unsigned).max, n, dtype=unsigned).view(NUMPY[t])
    moderate = np.concatenate([generator.uniform(-w, w, n // 4) for w in (1.0, 3.0, 100.0, 750.0)])
    powers = generator.choice([-1.0, 1.0], n) * np.exp2(generator.uniform(-60, 30, n))
    with np.errstate(over="ignore", under="ignore"):
        edges = np.asarray(TURNS).astype(NUMPY[t]).view(unsigned)
        near = (edges[:, None] + np.arange(-40, 40).astype(unsigned)).ravel().view(NUMPY[t])
        x = np.concatenate(
            [patterns, moderate.astype(NUMPY[t]), powers.astype(NUMPY[t]), near, -near]
        )
    return np.extract(~np.isnan(x), x)


def worst(actual: Array, exact: Array) -> tuple[float, int]:
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


needs_long_double = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="long double of this machine is too short"
)


@needs_long_double
@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_accuracy(call: Callable[..., Array], name: str, t: str) -> None:
    generator = np.random.default_rng(2)
    if name in UNARY:
        operands = [turns_and_samples(t, 60_000, 1)]
    else:
        operands = [generator.permutation(turns_and_samples(t, 60_000, seed)) for seed in (3, 4)]
        n = min(x.size for x in operands)
        operands = [x[:n] for x in operands]
    if name == "pow":
        base = np.exp2(generator.uniform(-2, 2, n)).astype(NUMPY[t])
        limit = 103.0 if t == "f32" else 744.0
        exponent = (generator.uniform(-limit, limit, n) / np.log(base)).astype(NUMPY[t])
        operands = [np.concatenate(pair) for pair in zip(operands, (base, exponent), strict=True)]
    got = call(f"{name}_{t}", t, *operands)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*[x.astype(np.longdouble) for x in operands])
    error, where = worst(got, exact)
    shown = [x[where] for x in operands]
    bound = (UNARY | BINARY)[name] * (1 + (name == "pow" and t == "f64"))
    assert error <= bound, f"{name}{shown} gave {got[where]!r}: {error:.3f} ulp"


@needs_long_double
@pytest.mark.parametrize("t", FLOATS)
def test_logaddexp_accuracy(call: Callable[..., Array], t: str) -> None:
    generator = np.random.default_rng(5)
    x: Array = generator.uniform(-80, 80, 60_000).astype(NUMPY[t])
    y = x + generator.uniform(-30, 30, x.size).astype(NUMPY[t])
    got = call(f"logaddexp_{t}", t, x, y)
    exact = np.logaddexp(x.astype(np.longdouble), y.astype(np.longdouble))
    # Where the terms cancel, the larger operand's unit counts.
    unit = np.spacing(np.maximum(np.maximum(np.abs(x), np.abs(y)), np.abs(got)))
    assert float(np.max(np.abs(got.astype(np.longdouble) - exact) / unit)) <= 2.1


# The special cases of the standard (2025.12), and of C99 Annex F where the standard is silent:
# operands, and the result.
REAL_SPECIAL = {
    "exp": "0 1, -0 1, inf inf, -inf 0",
    "expm1": "0 0, -0 -0, inf inf, -inf -1",
    "log": "0 -inf, -0 -inf, 1 0, inf inf, -1 nan, -inf nan",
    "log1p": "0 0, -0 -0, -1 -inf, -2 nan, -inf nan, inf inf",
    "log2": "0 -inf, -0 -inf, 1 0, 8 3, inf inf, -1 nan",
    "log10": "0 -inf, -0 -inf, 1 0, 1000 3, inf inf, -1 nan",
    "sin": "0 0, -0 -0, inf nan, -inf nan",
    "cos": "0 1, -0 1, inf nan, -inf nan",
    "tan": "0 0, -0 -0, inf nan, -inf nan",
    "asin": "0 0, -0 -0, 1.5 nan, -1.5 nan, 1 pi/2, inf nan",
    "acos": "1 0, 1.5 nan, -1.5 nan, -1 pi, 0 pi/2, inf nan",
    "atan": "0 0, -0 -0, inf pi/2, -inf -pi/2",
    "sinh": "0 0, -0 -0, inf inf, -inf -inf",
    "cosh": "0 1, -0 1, inf inf, -inf inf",
    "tanh": "0 0, -0 -0, inf 1, -inf -1",
    "asinh": "0 0, -0 -0, inf inf, -inf -inf",
    "acosh": "1 0, 0.5 nan, -1 nan, -inf nan, inf inf",
    "atanh": "0 0, -0 -0, 1 inf, -1 -inf, 2 nan, -inf nan",
    "atan2": "0 1 0, -0 1 -0, 0 0 0, -0 0 -0, 0 -0 pi, -0 -0 -pi, 0 -1 pi, -0 -1 -pi, 1 0 pi/2, "
    "1 -0 pi/2, -1 0 -pi/2, -1 -0 -pi/2, 1 inf 0, -1 inf -0, 1 -inf pi, -1 -inf -pi, "
    "inf 1 pi/2, -inf 1 -pi/2, inf inf pi/4, -inf inf -pi/4, inf -inf 3pi/4, -inf -inf "
    "-3pi/4, nan 1 nan, 1 nan nan, inf nan nan",
    "pow": "1 nan 1, nan 0 1, nan -0 1, nan 1 nan, 2 nan nan, -1 inf 1, -1 -inf 1, 1 inf 1, 2 "
    "inf inf, 2 -inf 0, 0.5 inf 0, 0.5 -inf inf, -2 inf inf, inf 2 inf, inf -2 0, -inf "
    "3 -inf, -inf 2 inf, -inf 0.5 inf, -inf -3 -0, -inf -2 0, inf inf inf, 0 3 0, -0 3 "
    "-0, -0 2 0, -0 0.5 0, 0 -3 inf, -0 -3 -inf, -0 -2 inf, 0 -inf inf, 0 inf 0, -2 0.5 "
    "nan, -8 3 -512, -2 -1 -0.5, 3 2 9, 10 5 100000, 0 0 1, -inf -inf 0",
    "hypot": "inf nan inf, nan -inf inf, -inf 1 inf, nan 1 nan, 0 -0 0, -3 4 5, -2 0 2, -0 -0 0",
    "logaddexp": "-inf -inf -inf, inf inf inf, inf 1 inf, 1 inf inf, -inf 1 1, 1 -inf 1, inf -inf "
    "inf, nan 1 nan, inf nan nan, nan -inf nan",
}


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", REAL_SPECIAL)
def test_real_special(call: Callable[..., Array], name: str, t: str) -> None:
    rows = [list(map(number, row.split())) for row in REAL_SPECIAL[name].split(",")]
    rows.append([math.nan] * (3 if name in BINARY or name == "logaddexp" else 2))
    *operands, want = np.array(rows, NUMPY[t]).T
    check(name, call(f"{name}_{t}", t, *operands), want, *operands)


@pytest.mark.parametrize("t", FLOATS)
def test_small_odd_functions_return_their_argument(call: Callable[..., Array], t: str) -> None:
    info = np.finfo(NUMPY[t])
    x = np.array([1, -1, 3, 0, -7], NUMPY[t]) * info.smallest_subnormal + [0, 0, 0, info.tiny, 0]
    x = x.astype(NUMPY[t])
    for name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p"):
        check(name, call(f"{name}_{t}", t, x), x, x)


def test_exact_powers(call: Callable[..., Array]) -> None:
    base, exponent = np.repeat(np.arange(2.0, 17.0), 13), np.tile(np.arange(13.0), 15)
    check("pow", call("pow_f64", "f64", base, exponent), base**exponent, base, exponent)
    powers = np.arange(-300.0, 309.0)
    exact = np.array([float(f"1e{int(power)}") for power in powers])
    check("log10", call("log10_f64", "f64", exact), powers, exact)
    twos = np.arange(-1074, 1024)
    exact = np.ldexp(1.0, twos)
    check("log2", call("log2_f64", "f64", exact), twos.astype("f8"), exact)


def test_huge_angles(call: Callable[..., Array]) -> None:
    # The double nearest to a multiple of pi/2 (6381956970095103 2^797, Muller, Elementary
    # Functions, 3rd ed., section 11.3), and the largest double; values by mpmath in 1300 bits.
    x = np.array([np.ldexp(6381956970095103.0, 797), np.finfo(np.float64).max])
    check("sin", call("sin_f64", "f64", x), np.array([1.0, 0.004961954789184062]), x)
    cosines = np.array([-4.68716592425462761112e-19, -0.9999876894265599])
    check("cos", call("cos_f64", "f64", x), cosines, x)


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
