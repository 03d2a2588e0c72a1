"""Data types that are asked for and that meet: each function x each of them, beside NumPy.

A call is a line of a table, in which `x` and `y` stand for arrays of each data type, `d` for each
data type that is asked for, `n` for Python numbers. The data type and the values are NumPy's, and
an error is of NumPy's type and comes with the call, not when its result is read.

A run takes a sample, the same each time; with XARR_SWEEP=all it takes all of them, but a sample of
those whose kernels are compiled.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.comparing import DTYPES, has
from tests.functions.calls import alike, quiet, ran, rows
from xarr.functions.elementwise.ufuncs import ufunc

pytestmark = pytest.mark.usefixtures("device")

UFUNCS: Final = {
    name: function
    for name, function in ((name, getattr(xarr, name)) for name in dir(xarr))
    if isinstance(function, ufunc) and function.__name__ == name and hasattr(numpy, name)
}
OF_ONE: Final = "|".join(name for name, function in UFUNCS.items() if function.nin == 1)
OF_TWO: Final = "|".join(name for name, function in UFUNCS.items() if function.nin == 2)
JOINING: Final = "|".join(
    name
    for name, function in UFUNCS.items()
    if (function.nin, function.nout) == (2, 1) and name != "ldexp"
)

UFUNC_CALLS: Final = f"""
np.{{{OF_ONE}}}(x)
np.{{{OF_ONE}}}(x, dtype=d)
np.{{{OF_TWO}}}(x, y)
np.{{{OF_TWO}}}(x, x, dtype=d)
np.{{{OF_TWO}}}({{x, n|n, x}})
np.{{{JOINING}}}.{{reduce|accumulate}}(x{{|, dtype=d}})
np.{{{JOINING}}}.outer(x, x, dtype=d)
np.{{{JOINING}}}.reduceat(x, [0, 1], dtype=d)
np.{{{JOINING}}}.at(x, [0, 0], y)
np.{{{OF_ONE}}}.at(x, [0, 0])
"""

CALLS: Final = """
x {+|-|*|/|//|%|**|<<|>>|&|<|==} {y|n}
x @ y
n {+|-|*|/|//|%|**|<<|>>|&|<|==} x
x {+|-|*|/|//|%|**|<<|>>|&}= {y|n}
divmod({x, y|x, n|n, x})
np.{sum|prod|mean|std|var|nansum|nanprod|nanmean|nanstd|nanvar}(x{|, axis=0}, dtype=d)
np.{cumsum|cumprod|nancumsum|nancumprod}(x, 0, dtype=d)
np.{cumulative_sum|cumulative_prod}(x, axis=0, dtype=d)
np.{cumulative_sum|cumulative_prod}(x, axis=0, dtype=d, include_initial=True)
np.{mean|std|var}(x, dtype=d, where=x != 0)
np.{std|var}(x, dtype=d, ddof=1)
x.{sum|prod|mean|std|var|cumsum|cumprod}(dtype=d)
x.clip(1, 2, dtype=d)
np.clip(x, {1, 2|x, x|None, x}, dtype=d)
np.clip(x, y, y)
np.clip(x, n, None)
np.{trace|linalg.trace}(x, dtype=d)
x.trace(dtype=d)
x | {y|n}
n | x
x |= {y|n}
np.{trace|linalg.trace|linalg.diagonal}(x)
np.{concat|stack|hstack|vstack}([x, x], dtype=d)
np.{concat|stack|hstack|vstack|block|where|select}([x, y])
np.{matmul|vecdot|matvec|vecmat}(x, x, dtype=d)
np.einsum("ij,jk", x, x, dtype=d)
np.astype(x, d)
x.astype(d{|, casting="same_kind"|, casting="safe"})
np.{asarray|array|ascontiguousarray|asanyarray|asarray_chkfinite|asfortranarray|require}(x, dtype=d)
np.{zeros_like|ones_like}(x, dtype=d)
np.{full_like(x, 3|full((2, 2), x[0, 0]}, dtype=d)
np.full((2, 2), n, dtype=d)
np.full_like(x, {n|y})
np.{zeros|ones}(2, dtype=d)
np.{eye(2|identity(2|tri(2, 3|indices((2, 2)}, dtype=d)
np.{linspace|geomspace|logspace}(1, 3, 3, dtype=d)
np.{linspace|geomspace|logspace}({x[0]|1}, {y[1]|7}, 3)
np.arange(1, 4{|.5}, dtype=d)
np.fromfunction(lambda i, j: i + j, (2, 2), dtype=d)
np.fromiter([1, 0, 1], dtype=d)
np.fromstring("1 0", sep=" ", dtype=d)
np.{array|asarray}({n|[n, 1]}, dtype=d)
np.{cov|corrcoef}(x, dtype=d)
np.random.randint(0, 2, 3, dtype=d).dtype
np.random.default_rng(1).integers(0, 2, 3, dtype=d).dtype
np.random.default_rng(1).{random|standard_normal|standard_exponential}(3, dtype=d).dtype
np.random.default_rng(1).standard_gamma(2.0, 3, dtype=d).dtype
np.linalg.{tensordot(x, y)|multi_dot([x, y])}
np.{dot|inner|outer|kron|matmul|vecdot|tensordot}(x, y)
np.linalg.{solve|outer|matmul|vecdot}({x, y|x, y[0]})
np.linalg.lstsq({x, y|x, y[0]})[0]
np.linalg.{cross}(np.ones(3, dtype=x.dtype), np.ones(3, dtype=y.dtype))
np.linalg.{det|slogdet|inv|pinv|cholesky|qr|svd|svdvals|eigh|eigvalsh|cond|matrix_rank|norm}(x)
np.linalg.{matrix_power(x, 3|matrix_power(x, -1|matrix_norm(x|vector_norm(x|matrix_transpose(x})
np.linalg.{norm|vector_norm}(x[0]{|, ord=1|, ord=3})
np.linalg.matrix_power(x, n)
np.{convolve|correlate}(x[0], y[0])
np.{interp(x[0], [0.0, 9.0], y[0])|polyval(x[0], y[0])|polyadd(x[0], y[0])|polymul(x[0], y[0])}
np.{isin|allclose|isclose|array_equal|union1d|intersect1d|setdiff1d|setxor1d|append}(x, y)
np.{searchsorted|digitize}(np.sort(x[0]), y[0])
np.{insert(x, 0, y, axis=1)|copyto(x, y)|putmask(x, x == x, y)|put(x, [0], y)}
x[{0|...|[0, 1]|x == x}] = {y[0]|n}
np.{fill_diagonal(x, y[0])|put_along_axis(x, np.zeros((2, 1), dtype=int), y[:, :1], 1)}
np.average(x, weights=y)
np.{trapezoid(x, y)|gradient(x[0], y[0])|ediff1d(x, to_end=y[0])|diff(x, append=y)}
np.{trapezoid(x)|gradient(x)|ediff1d(x)|diff(x)|unwrap(x)|cov(x)|corrcoef(x)|average(x)}
np.{cumsum|cumprod|nancumsum|nancumprod}(x)
np.{sum|prod|mean|std|var|nansum|nanprod|nanmean|nanstd|nanvar|max|min|nanmax|nanmin|ptp}(x)
np.{median|nanmedian|argmax|argmin|nanargmax|nanargmin|any|all|count_nonzero|sort|argsort}(x)
np.{percentile|nanpercentile}(x, {50|y[0, 0]})
np.{sum|prod|mean|var|max|cumsum|cumprod}(x, 0, out=y[0])
np.{round|nan_to_num|sinc|i0|angle|real|imag|fix|isneginf|isposinf|iscomplex|isreal|real_if_close}(x)
np.{triu|tril|diag|flip|unique|flatnonzero|argwhere|nonzero|bincount|packbits|trim_zeros}(x[0])
np.{histogram(x[0], 2)|vander(x[0])|poly(x[0])|roots(x[0])|polyder(x[0])|polyint(x[0])}
np.{histogram(x[0], 2, weights=y[0])|bincount(x[0], weights=y[0])|bincount(x[0])}
np.{kaiser}(3, x[0, 0])
np.fft.{fft|ifft|rfft|irfft|hfft|ihfft|fft2|fftn|rfft2|irfftn|fftshift}(x)
np.emath.{sqrt|log|log2|log10|arccos|arcsin|arctanh}(x)
np.emath.{power|logn}(x, y)
np.where(x == x, {x, n|n, x|x, y})
np.{take(x, y[0] * 0)|take_along_axis(x, y * 0, 1)|repeat(x, y[0])|delete(x, y[0, 0] * 0)}
np.{result_type(x, y|result_type(x, n|common_type(x, y})
np.pad(x, 1, constant_values=1)
"""


VALUES: Final = {
    "b": ([[True, False], [True, True]], [[True, True], [False, True]]),
    "i": ([[1, -2], [0, 3]], [[2, -3], [1, 2]]),
    "u": ([[1, 2], [0, 3]], [[2, 3], [1, 2]]),
    "f": ([[1.5, 2.0], [0.5, 3.0]], [[2.0, 3.5], [1.0, 2.0]]),
    "c": ([[1.5 + 1j, 2.0], [0.5 - 1j, 3.0]], [[2.0, 3.5j], [1.0, 2.0]]),
}
"""The elements of `x` and of `y`, by the kind of data type."""
NUMBERS: Final = (True, 0, 3, -1, 200, -129, 2**40, 2**63, 2**70, 2.5, 1e300, 1j)
DOMAINS: Final[dict[str, Any]] = {"x": DTYPES, "y": DTYPES, "d": DTYPES, "n": NUMBERS}
NEAR: Final = (
    ({"bool", "True", "int8", "uint8", "float16"}, 8e-3),
    ({"int16", "uint16", "float32", "complex64"}, 8e-6),
)
"""The tolerance of a call that meets such data types: NumPy computes in them."""

CHOSEN: Final = {
    r"std\(x, axis=0.* d=(bool|u?int)": "converted after the root, as the variance is",
    r"(equal|greater|less|logical_|<|==).* n=\d{19}": "any integer compares, and has a truth",
    r"where\(.* n=-?\d": "OverflowError where NumPy wraps around",
    r"full.* n=1j": "complex numbers become real ones by astype only",
    r"full.*bool n=\d{19}": "any integer has a truth",
    r"abs.*x=complex.* d=float": "magnitudes convert as any result",
    r"reciprocal.*int": "of 0 NumPy's is what the processor makes of it",
    r"max\(x, 0, out=.* x=int.* y=uint": "NumPy takes negative elements for large ones",
    r"matrix_power\(x, n.*True": "a bool is no number of times",
    r"(//|floor_divide|divmod).* x=float.* n=(\d{13}|1e\+300)": "of infinity it is the standard's",
    r"histogram.* x=complex": "bins would go by real parts alone",
    r"(ldexp|bitwise_count)\(.*dtype=d|ldexp.* n=": "NumPy's rule is the order of its loops",
}
"""Differences that are meant: patterns of calls with what their names stand for, and why."""
ELSEWHERE: Final = {
    *("empty", "empty_like", "frombuffer", "fromfile", "fromregex", "genfromtxt", "loadtxt"),
    *("memmap", "finfo", "isdtype", "view"),
}
"""Functions whose `dtype` is tested where their files, buffers and questions are."""

WHOLE: Final = os.environ.get("XARR_SWEEP") == "all"
EVERY: Final = {"": 1, "fused": 97} if WHOLE else {"": 41, "fused": 1999}
"""One of how many cases a run takes: kernels have to be compiled."""


def cases(call: str, tier: str) -> Iterator[dict[str, Any]]:
    names = [name for name in DOMAINS if re.search(rf"\b{name}\b", call)]
    for chosen in itertools.product(*(DOMAINS[name] for name in names)):
        if zlib.crc32(f"{call} {chosen}".encode()) % EVERY[tier] == 0:
            yield dict(zip(names, chosen, strict=True))


def result_of(call: str, case: dict[str, Any], module: Any) -> Any:
    """Return the result and the operands afterwards, or the error that a call raises."""
    names = {"np": module, **case}
    for place, name in enumerate("xy"):
        if name in case:
            host = numpy.array(VALUES[numpy.dtype(case[name]).kind][place], case[name])
            names[name] = module.asarray(host)
    try:
        return ran(call, names), *(names[name] for name in "xy" if name in case)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return error


def require_alike(call: str, case: dict[str, Any]) -> None:
    """Assert that a call gives what NumPy's gives, or raises what NumPy's raises."""
    told = " ".join([call, *(f"{name}={value}" for name, value in case.items())])
    if any(re.search(pattern, told) for pattern in CHOSEN):
        return
    wanted, got = result_of(call, case, numpy), result_of(call, case, xarr)
    if isinstance(wanted, Exception):
        kind = next(one for one in type(wanted).__mro__ if one.__module__ == "builtins")
        assert isinstance(got, kind), f"{told}: {got!r}, NumPy {wanted!r}"
        return
    assert not isinstance(got, Exception), f"{told}: {got!r}"
    words = {str(value) for value in case.values()}
    near = next((bound for names, bound in NEAR if names & words), 1e-12)
    for mine, other in zip(got, wanted, strict=True):
        alike(mine, other, told, near)


LINES: Final = [line for line in (UFUNC_CALLS + CALLS).splitlines() if line]


def sweep(line: str, tier: str) -> None:
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in rows(line):
            for case in cases(call, tier):
                if all(has(case.get(name, "bool")) for name in "xyd"):
                    require_alike(call, case)


@pytest.mark.parametrize("line", LINES)
def test_as_numpy(line: str) -> None:
    sweep(line, "")


@pytest.mark.usefixtures("fused")
@pytest.mark.parametrize("line", LINES)
def test_kernels_as_numpy(line: str) -> None:
    sweep(line, "fused")


def test_each_function_with_a_data_type_is_called() -> None:
    """A function that takes `dtype` and is in no table is not swept."""
    spaces: dict[str, tuple[Any, Any]] = {
        "np.": (xarr, numpy),
        "np.linalg.": (xarr.linalg, numpy.linalg),
        "np.random.": (xarr.random, numpy.random),
        "x.": (xarr.Array, numpy.ndarray),
    }
    calls = "\n".join(rows("\n".join(LINES)))
    names = re.findall(r"(np\.(?:linalg\.|random\.)?|x\.)(\w+)\(", calls)
    called = {getattr(spaces[prefix][0], name, None) for prefix, name in names}
    for prefix, (space, theirs) in spaces.items():
        for name in dir(space):
            function = getattr(space, name)
            if name[0] == "_" or not hasattr(theirs, name) or isinstance(function, type | ufunc):
                continue
            taken = inspect.signature(function).parameters if callable(function) else ()
            if "dtype" in taken and name not in ELSEWHERE:
                assert function in called, prefix + name
