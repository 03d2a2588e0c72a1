"""The C of a program's own kernels: the same functions, constants and divisions on every device."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import each, refused, rows
from tests.kernels.nvrtc import compile_cuda
from xarr.codegen import source
from xarr.user_kernels import language
from xarr.user_kernels.c_source import Text
from xarr.user_kernels.division import Divisions

Kernel = xarr.ElementwiseKernel
ON_GPU: Any = SimpleNamespace(info=SimpleNamespace(dialect="cuda", has_float64=True))

# -- functions and constants ------------------------------------------------------------------

ALIKE = """
acos asin atan atanh acosh asinh cbrt cos cosh exp exp2 expm1 log log10 log1p log2 sin sinh tan tanh
ceil fabs floor rint sqrt trunc degrees radians sign signbit isnan isinf isfinite abs
erf erfc lgamma tgamma rsqrt
"""
ALIKE_OF_TWO = "fmax fmin fmod hypot nextafter copysign pow atan2"
"""C's functions that have xarr's names."""
OTHERS = rows("""
expf(x) = np.exp(x)
powf(w, x) = np.pow(w, x)
nearbyint(x) = np.rint(x)
exp10(x) = np.pow(np.full_like(x, 10), x)
round(x) = host.copysign(host.floor(host.abs(X.astype("longdouble")) + 0.5), X)
fdim(x, w) = host.where(X > W, X - W, host.where((X != X) | (W != W), math.nan, 0))
remainder(x, w) = [rest(*pair) for pair in zip(X.tolist(), W.tolist())]
fma(x, w, 2) = X.astype("longdouble") * W + 2
ldexp(x, 3) = np.ldexp(x, 3)
0.0f + lround(fmin(fmax(w, -99), 99)) = host.trunc(L + host.copysign(0.5, L)) + 0
max(x, w) = host.where(X < W, W, X)
min(x, w) = host.where(W < X, W, X)
max(x, 0) = host.where(X < 0, 0, X)
min(1u, w) = host.where(W < 1, W, 1)
clamp(x, -1, w) = host.where(W < host.where(X < -1, -1, X), W, host.where(X < -1, -1, X))
atan2f(1, w) = np.atan2(np.ones_like(w), w)
max(exp(w), max(w, max(x, pow(w, 2)))) = host.where(E < M, M, E)
INFINITY - w = math.inf - W
NAN + w = math.nan + W
FLT_EPSILON + 0 * w = host.finfo("float32").eps + 0 * W
1 / x = 1 / X
x / w = X / W
(x + 1) / 3 - 2.5f / w = (X + 1) / X.dtype.type(3) - X.dtype.type(2.5) / W
""")


def rest(x: float, y: float) -> float:
    return math.nan if y == 0 or not math.isfinite(x) or y != y else math.remainder(x, y)


def operands(dtype: str) -> tuple[Any, Any]:
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-40, -5e-41, 1e30, math.inf, -math.inf]
    special += [0.49999997, 0.49999999999999994, 8388607.0]
    x, w = (part.ravel() for part in numpy.meshgrid([*special, math.nan], special))
    drawn = numpy.random.default_rng(5).normal(size=(2, 100)) * 4
    return numpy.append(x, drawn[0]).astype(dtype), numpy.append(w, drawn[1]).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_have_the_bits_of_xarrs(device: xarr.Device, dtype: str) -> None:
    if dtype == "float64" and not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    x, w = operands(dtype)
    calls = [(f"{word}(x)", f"np.{word}(x)") for word in ALIKE.split()]
    calls += [(f"{word}(x, w)", f"np.{word}(x, w)") for word in ALIKE_OF_TWO.split()]
    calls += [tuple(line.split(" = ")) for line in OTHERS]  # type: ignore[misc]
    names = {"np": xarr, "host": numpy, "x": xarr.asarray(x), "w": xarr.asarray(w), "X": x, "W": w}
    names |= {"math": math, "rest": rest, "L": numpy.clip(w, -99, 99).astype("longdouble")}
    with numpy.errstate(all="ignore"):
        names["E"] = numpy.asarray(xarr.exp(names["w"]))
        powers = numpy.asarray(xarr.pow(names["w"], 2))
        inner = numpy.where(x < powers, powers, x)
        names["M"] = numpy.where(w < inner, inner, w)
        wanted = [numpy.asarray(eval(python, names)).astype(dtype) for _, python in calls]
    lines = [f"z[i * {len(calls)} + {number}] = {c};" for number, (c, _) in enumerate(calls)]
    by_element = Kernel(
        "raw T x1, raw T x2", "raw T z", f"T x = x1[i], w = x2[i]; {''.join(lines)}"
    )
    z = by_element(
        names["x"], names["w"], xarr.zeros(x.size * len(calls), dtype=dtype), size=x.size
    )
    found = numpy.asarray(z).reshape(x.size, len(calls))
    kind = xarr.dtypes.BY_NAME[dtype].compute
    text = f"""typedef {kind} T;
    KERNEL void check(GLOBAL const T *x1, GLOBAL const T *x2, GLOBAL T *z, i32 n)
    {{
        const i32 i = (i32)GLOBAL_ID(0);
        if (i >= n) return;
        const T x = x1[i], w = x2[i];
        {" ".join(lines)}
    }}"""
    again = xarr.zeros_like(z)
    raw = xarr.RawKernel(text, "check")
    raw(-(-x.size // 64), 64, (names["x"], names["w"], again, x.size))
    assert numpy.asarray(again).tobytes() == numpy.asarray(z).tobytes()
    for number, (c, _) in enumerate(calls):
        numpy.testing.assert_array_equal(found[:, number], wanted[number], c)
        is_zero = wanted[number] == 0
        signs = numpy.signbit(found[:, number]) == numpy.signbit(wanted[number])
        assert (signs | ~is_zero).all() or c.startswith(("max", "min", "clamp")), c


MIXTURES = rows("""
exp(n & 3) = np.exp(np.asarray(low))
pow(n & 3, 2) = low**2
max(n, 2.5f) = host.maximum(n.astype("float32"), 2.5)
popcount(n) = [int(k).bit_count() for k in n.view("uint32")]
clz(n) = [32 - int(k).bit_length() for k in n.view("uint32")]
abs(n) = host.abs(n)
max((char)n, 1u) = host.maximum(n.astype("int8").astype("uint32"), 1)
min(n, (int64_t)3) = host.minimum(n, 3)
clamp(n, -5, 5) = host.clip(n, -5, 5)
sign(n) = host.sign(n)
DBL_MAX + (double)(ULLONG_MAX > UINT_MAX) + M_PI_F * (float)0 = n * 0.0 + host.finfo("d").max
""")


def test_integers_and_mixtures(device: xarr.Device) -> None:
    n = numpy.asarray([0, 1, -1, 7, -(2**31), 2**31 - 1, 1 << 20], "int32")
    pairs = [line.split(" = ") for line in MIXTURES]
    lines = [f"z[{len(pairs)} * i + {number}] = {c}" for number, (c, _) in enumerate(pairs)]
    kernel = Kernel("int32 n", "raw float64 z", "; ".join(lines))
    found = numpy.asarray(kernel(xarr.asarray(n), xarr.zeros(7 * len(pairs))))
    names = {"np": xarr, "host": numpy, "n": n, "low": (n & 3).astype("float64")}
    for got, (c, python) in zip(found.reshape(7, -1).T, pairs, strict=True):
        assert numpy.array_equal(got, numpy.asarray(eval(python, names), "float64")), c


CONSTANTS = rows("""
M_PI = math.pi
M_PI_2 = math.pi / 2
M_LOG2E = math.log2(math.e)
M_SQRT1_2 = math.sqrt(0.5)
DBL_MAX = host.finfo("float64").max
DBL_EPSILON = host.finfo("float64").eps
DBL_DIG = 15
FLT_MIN = host.finfo("float32").tiny
FLT_MIN_EXP = -125
HUGE_VAL = math.inf
INT_MIN = -(2**31)
LONG_MAX = 2**63 - 1
UINT64_MAX = 2**64 - 1
SCHAR_MIN = -128
SIZE_MAX = 2**64 - 1
""")


def test_constants_are_those_of_c(device: xarr.Device) -> None:
    pairs = [line.split(" = ") for line in CONSTANTS]
    text = "; ".join(f"z[{number}] = {name}" for number, (name, _) in enumerate(pairs))
    z = Kernel("", "raw float64 z", text)(xarr.zeros(len(pairs)), size=1)
    assert z.tolist() == [float(eval(one, {"math": math, "host": numpy})) for _, one in pairs]
    own = Kernel("T x", "T y", "y = M_PI * x + min", preamble="#define M_PI 2\n#define min 3")
    assert own(xarr.ones(1)).tolist() == [5.0]
    body = "range r; r.min = max; r.max = exp(max); y = max(r.min, r.max)"
    fields = Kernel("T max", "T y", body, preamble="typedef struct { T min; T max; } range;")
    assert fields(xarr.zeros(1)).tolist() == [1.0]


def test_all_functions_compile_for_cuda_with_all_types() -> None:
    kinds = ("i8", "u32", "i64", "f32", "f64")
    lines = [f"y[0] += ({a})1 / ({b})y[0];" for a in kinds for b in kinds]
    lines += [f"y[0] += ({a})1 % ({b})y[0];" for a in kinds[:3] for b in kinds[:3]]
    for name in language.SHORT:
        row = language._FUNCTIONS[name]
        taken = kinds[:3] if row.takes == "integer" else kinds
        given = [(f"({a})1", f"({b})2", f"({a})3") for a in taken for b in taken]
        more = ["1"] if row.more else []
        for values in given:
            lines.append(f"y[0] += {name}({', '.join([*values[: row.operands], *more])});")
    body = "\n".join(sorted(set(lines)))
    text = f"KERNEL void check(GLOBAL f64 *y)\n{{\n{body}\n}}"
    compile_cuda(xarr.RawModule(text)._text(ON_GPU, "check"), "sm_90")
    xarr.RawKernel(text, "check").compile()


TEXTS = r"""
#define W(k) ((k) % (k)) | y = W(x) | 0, 0
#define SQ(v) cbrt(fabs(v)) | y = SQ(x + 1) | 2, 2
#define EXP exp10f | y = EXP(x - 7) | 1, 10
static const float t[] = {1, 2}; const int N = 4, m[] = {5, 6}; | y = t[1] + N + m[x & 1] | 12, 11
const struct { int a[2]; } t = {{3, 4}}; int h(int k) { return t.a[k & 1]; } | y = h(x) | 4, 3
typedef enum { A, B = 5 } E; enum F { C }; | E e = B; enum F c = C; y = e + x + c + A | 12, 13
typedef union { u32 u; float r; } U; | U u; u.r = 0; y = x + u.u | 7, 8
union V { i32 k; u32 u; }; | union V v; v.k = x; y = v.u | 7, 8
__host__ __device__ i32 g(const i32 *p) { return p[1]; } | i32 v[] = {1, x}; y = g(v) | 7, 8
 | y = max(x & 0xfULL, 8ULL) + 64l / x - 1u / 10lu | 17, 16
#define N 6LL\n#if N > 5LL | y = pow(2, N) - abs(-3LL)\n#endif\n | 61, 61
 | long unsigned int k = x; long long int m = 2; int long n = k / m; y = n | 3, 4
"""
"""A preamble, statements, and y for x = 7, 8 in int32."""


@pytest.mark.parametrize("line", TEXTS.strip().splitlines())
def test_texts_are_alike_in_all_kernels(
    device: xarr.Device, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "own", {})  # as in a new process
    preamble, text, values = line.replace(r"\n", "\n").split(" | ")
    x, wanted = xarr.asarray([7, 8], dtype="int32"), [int(value) for value in values.split(",")]
    assert Kernel("T x", "T y", text, preamble=preamble)(x).tolist() == wanted
    body = f"i32 i = (i32)GLOBAL_ID(0), x = p[i], y = 0; {text}; p[i] = y;"
    raw = xarr.RawKernel(f"{preamble}\nKERNEL void f(GLOBAL i32 *p) {{ {body} }}", "f")
    raw(2, 1, (x,))
    assert x.tolist() == wanted
    compile_cuda(raw._module._text(ON_GPU, "f"), "sm_90")


def test_fused_kernels_have_constants_of_their_own(device: xarr.Device) -> None:
    made = xarr.arange(2)
    for number in (1, 2):
        own = f"enum {{ A, B = {number} }}; static const int t[] = {{B, 1{number}}};"
        made = Kernel("T x", "T y", "y = x + t[1] + B", preamble=own)(made)
    assert made.tolist() == [26, 27]


# -- division ---------------------------------------------------------------------------------


def truncated(x: Any, y: Any) -> tuple[Any, Any]:
    """C's quotients and rests; 0 where the divisor is."""
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    quotients = [
        0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs
    ]
    rests = [0 if b == 0 else a - q * b for (a, b), q in zip(pairs, quotients, strict=True)]
    return quotients, rests


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64"])
def test_integers_divide_without_a_trap(device: xarr.Device, dtype: str) -> None:
    limits = numpy.iinfo(dtype)
    edges = {limits.min, limits.max, 0, 1, 7, 100, limits.max // 2}
    edges |= {-1, -7} if limits.min else set()
    x, y = (part.ravel() for part in numpy.meshgrid(*[numpy.array(sorted(edges), dtype)] * 2))
    quotients, rests = truncated(x, y)
    wanted = [
        numpy.array([value % 2 ** (8 * x.itemsize) for value in values], f"u{x.itemsize}")
        for values in (quotients, rests)
    ]
    given = xarr.asarray(x), xarr.asarray(y)
    preamble = "#define OVER(a, b) ((a) / (b))\nT rest(T a, T b) { a %= b; return a; }"
    for q, r in (
        Kernel("T x, T y", "T q, T r", "q = x / y; r = x % y")(*given),
        Kernel("T x, T y", "T q, T r", "q = x; q /= y; r = x; r %= y")(*given),
        Kernel("T x, T y", "T q, T r", "q = OVER(x, y); r = rest(x, y)", preamble=preamble)(*given),
        _raw_division(*given),
    ):
        for found, values in ((q, wanted[0]), (r, wanted[1])):
            assert numpy.array_equal(numpy.asarray(found).view(values.dtype), values)
    total = xarr.ReductionKernel("T x, T y", "T z", "x / y", "a + b", "z = a", "0")(*given)
    assert total.tolist() == numpy.asarray(wanted[0]).view(dtype).sum(dtype=dtype)


def _raw_division(x: Any, y: Any) -> tuple[Any, Any]:
    kind = xarr.dtypes.BY_NAME[str(x.dtype)].compute
    q, r = xarr.zeros_like(x), xarr.zeros_like(x)
    text = f"""
    #define T {kind}
    DEVICE T dot(T a, T b) {{ return (T)(a / b); }}
    KERNEL void f(GLOBAL const T *x, GLOBAL const T *y, GLOBAL T *q, GLOBAL T *r)
    {{
        const i32 i = (i32)GLOBAL_ID(0);
        q[i] = dot(x[i], y[i]);
        r[i] = (T)(x[i] % y[i]);
    }}"""
    xarr.RawKernel(text, "f")((int(x.size),), (1,), (x, y, q, r))
    return q, r


DIVISIONS = rows("""
y = a / b => y = Q(a, b)
y = -a / b + c => y = Q(-a, b) + c
y = a - b / c => y = a - Q(b, c)
y = (T)-a / b => y = Q((T)-a, b)
y = (a)-b / c => y = (a)-Q(b, c)
y = a && b / c => y = a && Q(b, c)
y = a & *b / c => y = a & Q(*b, c)
y = a * b % c / d => y = Q(R(a * b, c), d)
y = a / b * c % d => y = R(Q(a, b) * c, d)
y = a / (b / c) => y = Q(a, (Q(b, c)))
y = a++ / --b => y = Q(a++, --b)
y = s.a / p->b[c / d] => y = Q(s.a, p->b[Q(c, d)])
y = a ? b / c : d / e => y = a ? Q(b, c) : Q(d, e)
y = f(a / b, c) => y = f(Q(a, b), c)
return a / b; => return Q(a, b);
x[i] /= y + 1; => x[i] = Q(x[i], y + 1);
if (x) *p %= y; => if (x) *p = R(*p, y);
for (k = a; k; k /= b) c /= d => for (k = a; k; k = Q(k, b)) c = Q(c, d)
i32 k = a / b; i32 t[M / N]; t[a / b] = 1 => i32 k = Q(a, b); i32 t[M / N]; t[Q(a, b)] = 1
case M / N: a = b / c; => case M / N: a = Q(b, c);
y = uint(3) + T(2) / x => y = uint(3) + Q(T(2), x)
y = a / 2 % 3u / 0x10 => y = a / 2 % 3u / 0x10
y = a / 0 => y = Q(a, 0)
y = 1.0f / a + a / 2e3 + (float)a / b => y = 1.0f / a + a / 2e3 + (float)a / b
y = sizeof(a) / sizeof(b) => y = sizeof(a) / sizeof(b)
y = sizeof(a) % n => y = R(sizeof(a), n)
y = sizeof(a) - b / c => y = sizeof(a) - Q(b, c)
y = a /* of / */ / b // / => y = Q(a /* of / */ , b) // /
""")


@pytest.mark.parametrize("line", DIVISIONS)
def test_divisions_become_calls(line: str) -> None:
    given, wanted = line.split(" => ")
    found = Divisions(given, language.TYPE_WORDS | {"T"}, (), Text("a text", given).refuse)
    made = found.of_statements().replace(language.QUOTIENT, "Q").replace(language.REST, "R")
    assert made == wanted


SIGNS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "&": 0}


def term(rng: random.Random, depth: int) -> tuple[str, Any, int]:
    """An expression of C with few parentheses, its value, and how tightly its sign binds."""
    if depth == 0:
        name = rng.choice("abc")
        return name, lambda names: names[name], 3
    if rng.random() < 0.2:
        text, inner, binds = term(rng, depth - 1)
        text = f"-{text}" if binds == 3 and text[0] != "-" else f"-({text})"
        return text, lambda names: -inner(names), 3
    sign = rng.choice(list(SIGNS))
    (left, one, tight), (right, other, tighter) = term(rng, depth - 1), term(rng, depth - 1)
    left = left if tight >= SIGNS[sign] else f"({left})"
    right = right if tighter > SIGNS[sign] else f"({right})"

    def value(names: Any) -> Any:
        x, y = one(names), other(names)
        if sign in "/%":
            quotient = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            return quotient if sign == "/" else x - quotient * y if y else 0
        return {"+": x + y, "-": x - y, "*": x * y, "&": x & y}[sign]

    return f"{left} {sign} {right}", value, SIGNS[sign]


def test_random_expressions_of_integers(device: xarr.Device) -> None:
    rng = random.Random(3)
    terms = [term(rng, 4) for _ in range(40)]
    hosts = numpy.array([[rng.randint(-4, 4) for _ in range(30)] for _ in "abc"])
    text = "; ".join(f"z[i * 40 + {number}] = {c}" for number, (c, *_) in enumerate(terms))
    kernel = Kernel("int64 a, int64 b, int64 c", "raw int64 z", text)
    z = kernel(*map(xarr.asarray, hosts), xarr.zeros(1200, dtype="int64"))
    for values, found in zip(hosts.T.tolist(), z.reshape(30, 40).tolist(), strict=True):
        names = dict(zip("abc", values, strict=True))
        assert found == [value(names) for _, value, _ in terms]


# -- what is refused --------------------------------------------------------------------------


@each("""
Kernel("T x", "T y", "y = gama(x)") ! ValueError: gama(...) is not in the C that all devices share
Kernel("T x", "T y", "y = atan3(x)") ! ValueError: near it are atan, atanh, atan2, tan
raw("x[0] = exq(x[0]);") ! ValueError: near it is exp
raw("x[0] = xr_gama_f32(x[0]);") ! ValueError: xr_gama_f32(...) is not
raw("BARRIERS();") ! ValueError: near it are BARRIER
raw("x[threadIdx.x] = 0;") ! ValueError: threadIdx is not in the C that all devices share
raw("__syncthreads();") ! ValueError: write BARRIER()
raw("barrier(1);") ! ValueError: write BARRIER()
raw('printf("");') ! ValueError: printf(...) is not in the C that all devices share; write an output
Kernel("T x", "T y", 'printf("")') ! ValueError: printf(...) is not in the C that all devices share
Kernel("T x", "T y", "y = float2(x).x") ! ValueError: float2 is not in the C
Kernel("T x", "T y", "y = T(x); __constant int k") ! ValueError: write const before
Kernel("T x", "T y", "y = x", preamble="#include <math.h>") ! ValueError: include is not
Kernel("T x", "T y", "y = GLOBAL_ID(0)") ! ValueError: write i, or a RawKernel
Kernel("T x", "T y", "return x") ! ValueError: line 1, column 1: return has a value
Kernel("T x", "T y", "y = sinpi(x)") ! ValueError: sinpi(...) is not
Kernel("T x", "T y", "y = x", preamble="#define F(x) tgama(x)") ! ValueError: line 1, column 14
Kernel("T x", "T y", "y = x DIV(x)", preamble="#define DIV(w) / (w)")(n) ! ValueError: / has an op
Kernel("T x", "T y", "y = x OP x", preamble="#define OP %")(n) ! ValueError: column 12: % has an op
Kernel("T x", "T y", "x BY 2", preamble="#define BY = 7 /")(n) ! ValueError: #define OVER(a, b)
Kernel("T x", "T y", "y = F(/)", preamble="#define F(op) (7 op x)")(n) ! ValueError: / has an op
Kernel("T x", "T y", "y = 1; y EQ x", preamble="#define EQ /=")(n) ! ValueError: / has an op
np.ReductionKernel("T x", "T y", "x", "a", "y = a", 0, "r", "P") ! TypeError: r(...): reduce_type is
Kernel("T x", "T y", "y = (native_exp)(x)") ! ValueError: column 6: native_exp(...) is not in the C
np.ReductionKernel("T x", "T y", "(exp)(x)", "a + b", "y = a", 0) ! ValueError: write exp(...)
Kernel("T x", "T y", "y = F(x)", preamble="#define F native_exp") ! ValueError: native_exp(...) is
raw("atomic_inc(x);") ! ValueError: write atomic_add(p, 1)
raw("atomicSub(x, 2);") ! ValueError: write atomic_add(p, -x)
np.RawModule("KERNEL void k(i32 n, float *y) { y[0] = n; }") ! ValueError: column 22: the pointer
np.ReductionKernel("T x", "T y", "sqare(x)", "a + b", "y = a", 0) ! ValueError: map_expr, line 1
Kernel("T x", "T y", "y = F(x, y)", preamble="#define F(x, z) x / z")(x) ! ValueError: write (x)
Kernel("T x", "T y", "y = x / N", preamble="#define N 1 + x")(x) ! ValueError: has for N
Kernel("raw T x", "T y", "y = 1; int k = 0; x[k++] /= y")(x, x) ! ValueError: change more than once
Kernel("int32 x, int32 y", "int32 z", "z = x")(n, 1.7) ! TypeError: y is 1.7
Kernel("T x, T y", "T z", "z = x")(n, 1.7) ! TypeError: y is 1.7
Kernel("T x, T y", "T z", "z = x")(n, np.float64(1.7)) ! TypeError: y is np.float64(1.7)
np.ReductionKernel("T x, T y", "T z", "x", "a + b", "z = a", 0)(n, 1.7) ! TypeError: y is 1.7
Kernel("float32 x", "T y", "y = x")(n) ! TypeError: x has dtype int32; it must be float32
""")
def test_what_is_not_portable_is_refused(call: str) -> None:
    call, _, error = call.partition(" ! ")

    def raw(text: str) -> Any:
        head = "KERNEL void f(GLOBAL f32 *x, i32 n)"
        return xarr.RawKernel(f"{head} {{ {text} }}", "f")

    names = {"np": xarr, "Kernel": Kernel, "raw": raw, "x": xarr.ones(2, dtype="float32")}
    refused(lambda: eval(call, names | {"n": xarr.ones(2, dtype="int32")}), error)


def test_whole_floats_are_integers_in_every_kind(device: xarr.Device) -> None:
    n = xarr.ones(2, dtype="int32")
    assert Kernel("T x, T y", "T z", "z = x + y")(n, 2.0).tolist() == [3, 3]
    raw = xarr.RawKernel("KERNEL void f(GLOBAL i32 *x, i32 n) { x[0] = n; }", "f")
    raw(1, 1, (n, 2.0))
    assert n.tolist() == [2, 1]
    for number in (1.7, numpy.float32(1.7), math.nan):
        with pytest.raises(TypeError, match="it must be int32"):
            raw(1, 1, (n, number))


def test_return_ends_an_element(device: xarr.Device) -> None:
    x = xarr.arange(5.0)
    text = "y = x; if (x > 2) return; y = -x"
    assert Kernel("T x", "T y", text)(x).tolist() == [0, -1, -2, 3, 4]
    by_index = Kernel("raw T x", "T y", text.replace("x", "x[i]"))
    assert by_index(x, xarr.zeros(5)).tolist() == [0, -1, -2, 3, 4]
    both = Kernel("T x", "T y, bool z", "y = 1; z = 1; if (x > 2) return; else y = 2; z = 0")
    assert [part.tolist() for part in both(x)] == [[2, 2, 2, 1, 1], [False] * 3 + [True] * 2]
    total = xarr.ReductionKernel("T x", "T y", "x", "a + b", "y = a; if (a > 3) return; y = 0", 0)
    assert total(x).tolist() == 10
    assert total(x[:2]).tolist() == 0


def test_functions_that_end_without_a_value_are_errors(device: xarr.Device) -> None:
    ends = "T f(T x) { if (x > 1) return x; }"
    with pytest.raises(xarr.CompileError):
        Kernel("T x", "T y", "y = f(x)", preamble=ends)(xarr.ones(2))
    raw = "KERNEL void g(GLOBAL f32 *x) { x[0] = f(x[0]); }"
    with pytest.raises(xarr.CompileError):
        xarr.RawKernel(f"DEVICE {ends.replace('T', 'f32')}\n{raw}", "g").compile()
    device_word = Kernel("T x", "T y", "y = f(x)", preamble="DEVICE T f(T x) { return x + 1; }")
    assert device_word(xarr.ones(2)).tolist() == [2, 2]
    made = source.assemble("check.c", "cuda", ["#define XR_CHECKED (void)0;"])
    compile_cuda(made, "sm_90")
    with pytest.raises(xarr.CompileError):
        compile_cuda(f"{made}\nDEVICE i32 f(i32 x) {{ if (x) return 1; }}", "sm_90")


# -- memory that items share ------------------------------------------------------------------

ATOMICS = """
KERNEL void f(GLOBAL T *x, GLOBAL T *old, const i32 n)
{
    LOCAL T sum[1];
    const i32 i = (i32)GLOBAL_ID(0);
    if (LOCAL_ID(0) == 0) sum[0] = 0;
    BARRIER();
    atomic_add(&sum[0], 1);
    atomic_min(&x[1], (T)i);
    atomicMax(x + 2, (T)i);
    old[i] = atomic_exch(&x[3], (T)(i + 1));
    atomic_cas(&x[4], (T)0, (T)(i + 1));
    BARRIER();
    if (LOCAL_ID(0) == 0) atomic_add(&x[0], sum[0]);
}
"""


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_atomics(device: xarr.Device, dtype: str) -> None:
    x, old = xarr.asarray([0, 50, 1, 0, 0], dtype=dtype), xarr.zeros(64, dtype=dtype)
    text = f"typedef {xarr.dtypes.BY_NAME[dtype].compute} T;\n{ATOMICS}"
    kernel = xarr.RawKernel(text, "f")
    kernel((8,), (8,), (x, old, 64))
    assert x[:3].tolist() == [64, 0, 63]
    assert sorted([*old.tolist(), x[3].tolist()]) == list(range(65))
    assert 1 <= x[4].tolist() <= 64
    compile_cuda(kernel._module._text(ON_GPU, "f"), "sm_90")
    for kind in ("u8", "i16", "b8", "f16"):
        wrong = xarr.RawKernel(f"KERNEL void f(GLOBAL {kind} *p) {{ atomic_add(&p[0], 1); }}", "f")
        with pytest.raises(xarr.CompileError):
            wrong.compile()
    narrow = Kernel("", "raw bool y", "atomic_exch(&y[0], 1)")
    with pytest.raises(xarr.CompileError):
        narrow(xarr.zeros(4, dtype="bool"), size=1)


def test_kernels_of_elements_count_with_atomics(device: xarr.Device) -> None:
    x = xarr.arange(1000, dtype="int32")
    count = Kernel("int32 x", "raw int32 bins", "atomicAdd(&bins[x % 7], 1)", "count")
    bins = count(x, xarr.zeros(7, dtype="int32"))
    assert numpy.array_equal(numpy.asarray(bins), numpy.bincount(numpy.arange(1000) % 7))


def test_pointers_into_arrays(device: xarr.Device) -> None:
    text = "GLOBAL const T *p = &x[i]; y = f(&x[i], 1) + p[0]"
    own = "T f(GLOBAL const T *p, int n) { return p[0] + n; }"
    x = xarr.arange(3)
    assert Kernel("raw T x", "T y", text, preamble=own)(x, x + 0).tolist() == [1, 3, 5]


class LocalMemory:
    """PyOpenCL's, where that is absent."""

    def __init__(self, size: int) -> None:
        self.size = size


def test_local_memory_is_given_by_the_launch(device: xarr.Device) -> None:
    text = """
    KERNEL void f(GLOBAL const f32 *x, LOCAL f32 *t,
                  LOCAL f64 sums[], GLOBAL f64 *y, bool twice)
    {
        const i32 k = (i32)LOCAL_ID(0), n = (i32)LOCAL_SIZE(0);
        LOCAL f32 *mine = t + k;
        *mine = x[GLOBAL_ID(0)];
        sums[k] = 0;
        BARRIER();
        for (i32 j = 0; j <= k; ++j) sums[k] += t[j];
        BARRIER();
        y[GLOBAL_ID(0)] = sums[n - 1 - k] * (twice ? 2 : 1);
    }"""
    host = numpy.arange(4096, dtype="float32")
    x, y = xarr.asarray(host), xarr.zeros(4096)
    kernel = xarr.RawKernel(text, "f")
    kernel((512,), (8,), (x, y, True), shared_mem=64)
    wanted = numpy.cumsum(host.reshape(512, 8), 1, dtype="float64")[:, ::-1].ravel()
    assert numpy.array_equal(numpy.asarray(y), wanted * 2)
    kernel((512,), (8,), (x, LocalMemory(32), LocalMemory(64), y, False))
    assert numpy.array_equal(numpy.asarray(y), wanted)
    with pytest.raises(TypeError, match="must be a pyopencl.LocalMemory"):
        kernel((512,), (8,), (x, 32, 64, y, False))
    compile_cuda(kernel._module._text(ON_GPU, "f"), "sm_90")


COMMON = "I J K at count first from_ global_ group groups item items k left memory nbytes to"
"""Names that a device's C may have around a kernel."""


@pytest.mark.parametrize("name", ["f", "k", "first", "items"])
def test_a_program_may_have_common_names(name: str, device: xarr.Device) -> None:
    words = [word for word in COMMON.split() if word != name]
    macros = "\n".join(f"#define {word} 1" for word in words)
    code = (
        f"{macros}\nKERNEL void {name}(GLOBAL i32 *x) {{ x[GLOBAL_ID(0)] = {' + '.join(words)}; }}"
    )
    x = xarr.zeros(6, dtype="int32")
    xarr.RawKernel(code, name)(2, 3, (x,))
    assert x.tolist() == [len(words)] * 6
