"""Digests of results, which every device has to have.

``python -m tools.bits [--write] [FUNCTION...]`` compares or writes those of all functions or some.

Operands come of integer arithmetic, so that they are the same with every NumPy. A NaN counts as one
whatever its payload. `bits.json` holds a digest for each case, written on PoCL; `test_bits.py`
compares devices with it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

import xarr
from xarr import dtypes
from xarr.dtypes import DType
from xarr.ops import elementwise
from xarr.ops.rows import Elementwise
from xarr.runtime import host_functions

FILE = Path(__file__).with_suffix(".json")
MANY = 10**7
SOME = 10**6

Values = np.ndarray[Any, Any]
Case = Callable[[], xarr.Array]


@functools.lru_cache(maxsize=4)
def uniform(size: int, seed: int) -> Values:
    """float64 in [0, 1), by SplitMix64 (Steele, Lea, Flood 2014)."""
    with np.errstate(over="ignore"):
        state = (np.arange(size, dtype=np.uint64) + np.uint64(seed << 40)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def drawn(row: DType, low: float, high: float, size: int, seed: int) -> Values:
    """Values of a data type between two bounds, as far as it reaches."""
    values = low + (high - low) * uniform(size, seed)
    if row.kind == dtypes.BOOL:
        return values > (low + high) / 2
    if row.kind == dtypes.UNSIGNED:
        values = np.abs(values)
    if row.kind in dtypes.INTEGER:
        least, largest = dtypes.integer_bounds(row)
        return np.clip(np.floor(values), least, min(largest, 2**62)).astype(row.numpy)
    if row.kind == dtypes.COMPLEX:
        values = values + 1j * (low + (high - low) * uniform(size, seed + 1000))
    with np.errstate(over="ignore"):
        return values.astype(row.numpy)


def digest(values: Values) -> str:
    """A hash of data type, shape and bits."""
    if values.dtype.kind == "c":
        values = np.stack([values.real, values.imag])
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    head = f"{values.dtype} {values.shape} ".encode()
    return hashlib.sha256(head + np.ascontiguousarray(values).tobytes()).hexdigest()[:16]


def of_elements(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """Every elementwise function of every data type that it takes, fused with nothing."""
    for row in elementwise.TABLE:
        for dtype in dtypes.TABLE:
            if dtype in dtypes.NEEDS_FLOAT64 and not has_float64:
                continue

            def case(row: Elementwise = row, dtype: DType = dtype, divisor: int = 1) -> xarr.Array:
                low, high = row.domain.low, row.domain.high
                if dtype.kind in dtypes.INTEGER and row.operands == 2:
                    low, high = (0, 8) if row.name == "pow" else (-100, 100)
                operands = [drawn(dtype, low, high, SOME, seed) for seed in range(row.operands)]
                if divisor > 1:
                    operands[1] = operands[1] / divisor
                function: Any = getattr(xarr, row.name)
                return cast(xarr.Array, function(*map(xarr.asarray, operands)))

            yield f"{row.name} {dtype}", case
            # What is drawn has one last place, whatever its size: differences of it are exact.
            if row.operands == 2 and dtype is dtypes.float64:
                yield f"{row.name} {dtype} thirds", functools.partial(case, divisor=3)


def of_casts(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """Every cast between real data types."""
    rows = [row for row in dtypes.TABLE if row.kind != dtypes.COMPLEX]
    rows = [row for row in rows if has_float64 or row not in dtypes.NEEDS_FLOAT64]
    for given in rows:
        for wanted in rows:

            def case(given: DType = given, wanted: DType = wanted) -> xarr.Array:
                x = xarr.asarray(drawn(given, -3e4, 3e4, SOME, 7))
                return x.astype(wanted.numpy)

            yield f"astype {given} {wanted}", case


REDUCTIONS = ("sum", "prod", "mean", "var", "std", "max", "min", "argmax")
SCANS = ("cumulative_sum", "cumulative_prod")
SHAPES: dict[tuple[int, ...], tuple[Any, ...]] = {
    (MANY,): (None, 0),
    (1000, MANY // 1000): (None, 0, 1),
    (100, 100, 1000): (None, 0, 1, 2, (0, 1), (0, 2), (1, 2)),
}


def of_axes(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """Reductions and scans of 10**7 elements along all axes."""
    for name in ("float32", "float64") if has_float64 else ("float32",):
        dtype = dtypes.BY_NAME[name]
        for shape, axes in SHAPES.items():
            for function in (*REDUCTIONS, *SCANS):
                for axis in axes:
                    if function in (*SCANS, "argmax") and type(axis) is tuple:
                        continue
                    if function in SCANS and axis is None and len(shape) > 1:
                        continue

                    def case(
                        function: str = function,
                        axis: Any = axis,
                        dtype: DType = dtype,
                        shape: tuple[int, ...] = shape,
                    ) -> xarr.Array:
                        bounds = (0.9999, 1.0001) if "prod" in function else (-1.0, 2.0)
                        x = xarr.asarray(drawn(dtype, *bounds, MANY, 3).reshape(shape))
                        reduce: Any = getattr(xarr, function)
                        return cast(xarr.Array, reduce(x, axis=axis))

                    yield f"{function} {name} {shape} axis={axis}", case


def repeated(row: DType, seed: int) -> Values:
    """Values of which each is there many times; zeros of both signs and NaN among them."""
    values = drawn(row, -2000, 2000, SOME, seed)
    if row.kind == dtypes.REAL:
        values = np.trunc(values)
        values[::7] = np.copysign(values.dtype.type(0), values[::7])
        values[::101] = np.nan
    return values


ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "sort": lambda x, y: xarr.sort(x),
    "sort down": lambda x, y: xarr.sort(x, descending=True),
    "sort rows": lambda x, y: xarr.sort(xarr.reshape(x, (1000, -1)), axis=0),
    "argsort": lambda x, y: xarr.argsort(x),
    "argsort down": lambda x, y: xarr.argsort(x, descending=True),
    "unique_values": lambda x, y: xarr.unique_values(x),
    "unique_counts": lambda x, y: xarr.unique_counts(x).counts,
    "unique_inverse": lambda x, y: xarr.unique_inverse(x).inverse_indices,
    "unique_all": lambda x, y: xarr.unique_all(x).indices,
    "searchsorted left": lambda x, y: xarr.searchsorted(xarr.sort(x), y),
    "searchsorted right": lambda x, y: xarr.searchsorted(xarr.sort(x), y, side="right"),
    "isin": lambda x, y: xarr.isin(x, y[:1000]),
}


def of_orders(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """What goes by the order of elements, of every data type that has one."""
    for dtype in dtypes.TABLE:
        if dtype.kind == dtypes.COMPLEX or (dtype in dtypes.NEEDS_FLOAT64 and not has_float64):
            continue
        for name, function in ORDERS.items():

            def case(
                dtype: DType = dtype, function: Callable[[Any, Any], Any] = function
            ) -> xarr.Array:
                x, y = (xarr.asarray(repeated(dtype, seed)) for seed in (11, 12))
                return cast(xarr.Array, function(x, y))

            yield f"{name} {dtype}", case


DRAWS: dict[str, tuple[Any, ...]] = {
    "beta": (0.5, 2),
    "binomial": (100, 0.3),
    "exponential": (2,),
    "gamma": (2.5, 2),
    "geometric": (0.1,),
    "gumbel": (1, 2),
    "hypergeometric": (100, 200, 80),
    "integers": (-7, 100),
    "laplace": (1, 2),
    "logistic": (1, 2),
    "lognormal": (0.5, 0.7),
    "logseries": (0.9,),
    "negative_binomial": (3, 0.4),
    "noncentral_f": (5, 8, 2),
    "normal": (1, 2),
    "pareto": (3,),
    "permutation": (),
    "poisson": (20,),
    "power": (3,),
    "random": (),
    "rayleigh": (2,),
    "standard_cauchy": (),
    "standard_t": (4,),
    "triangular": (1, 2, 5),
    "uniform": (1, 2),
    "vonmises": (0.5, 2),
    "wald": (2, 3),
    "weibull": (1.7,),
    "zipf": (2.5,),
}
SINGLE = ("random", "standard_exponential", "standard_gamma", "standard_normal")
"""Draws that take a data type."""


def of_draws(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """Random numbers: of float64, where they are, and what can be float32."""
    given = [(name, DRAWS[name]) for name in DRAWS if has_float64]
    for name, parameters in given:

        def case(name: str = name, parameters: tuple[Any, ...] = parameters) -> xarr.Array:
            draw: Any = getattr(xarr.random.default_rng(5), name)
            return cast(
                xarr.Array, draw(SOME) if name == "permutation" else draw(*parameters, size=SOME)
            )

        yield f"random.{name}", case
    for name in SINGLE:

        def single(name: str = name) -> xarr.Array:
            draw: Any = getattr(xarr.random.default_rng(5), name)
            parameters = (2.5,) if name == "standard_gamma" else ()
            return cast(xarr.Array, draw(*parameters, size=SOME, dtype="float32"))

        yield f"random.{name} float32", single


LIBRARIES: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": lambda x, y: x @ y,
    "vecdot": xarr.vecdot,
    "einsum": lambda x, y: xarr.einsum("ij,kj->ik", x, y),
    "fft.fft": lambda x, y: xarr.fft.fft(x),
    "fft.rfft2": lambda x, y: xarr.fft.rfft2(x.real),
    "fft.fft prime": lambda x, y: xarr.fft.ifft(xarr.ravel(x)[:1009]),
    "linalg.solve": xarr.linalg.solve,
    "linalg.inv": lambda x, y: xarr.linalg.inv(x),
    "linalg.det": lambda x, y: xarr.linalg.det(x[:8, :8]),
    "linalg.slogdet": lambda x, y: xarr.linalg.slogdet(x).logabsdet,
    "linalg.cholesky": lambda x, y: xarr.linalg.cholesky(x @ xarr.conj(x.T) + 200 * xarr.eye(100)),
    "linalg.qr": lambda x, y: xarr.linalg.qr(x[:, :40]).Q,
}
"""What libraries compute elsewhere, of two square matrices."""


def of_libraries(has_float64: bool) -> Iterator[tuple[str, Case]]:
    """What is the same on every device within `xarr.reproducible()`."""
    for dtype in dtypes.TABLE:
        if dtype.kind not in dtypes.FLOATING or dtype is dtypes.float16:
            continue
        if dtype in dtypes.NEEDS_FLOAT64 and not has_float64:
            continue
        for name, function in LIBRARIES.items():

            def case(
                dtype: DType = dtype, function: Callable[[Any, Any], Any] = function
            ) -> xarr.Array:
                x, y = (drawn(dtype, -1, 1, 10_000, seed).reshape(100, 100) for seed in (21, 22))
                with xarr.reproducible():
                    return cast(xarr.Array, function(xarr.asarray(x), xarr.asarray(y)))

            yield f"{name} {dtype}", case


BASIC = (
    *("random.random", "random.normal", "random.poisson", "random.gamma", "random.permutation"),
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "sqrt", "square"),
    *("less", "equal", "bitwise_and", "bitwise_left_shift", "bitwise_right_shift", "astype"),
    *(*REDUCTIONS, *SCANS, "sort", "argsort", "unique_all", "searchsorted", "isin"),
    *("matmul", "fft.fft", "linalg.solve", "linalg.cholesky"),
)
BASIC_TYPES = ("int32", "int64", "uint8", "float32", "float64")


def cases(has_float64: bool = True, *, basic: bool = False) -> dict[str, Case]:
    """All cases, or a part that is soon compiled, by their names."""
    kinds = (of_elements, of_casts, of_axes, of_orders, of_draws, of_libraries)
    every = dict([row for kind in kinds for row in kind(has_float64)])
    if not basic:
        return every
    chosen = {}
    for name, case in every.items():
        function, *rest = name.split()
        if function in BASIC and all(
            word in BASIC_TYPES for word in rest if word in dtypes.BY_NAME
        ):
            chosen[name] = case
    return chosen


def found(
    device: xarr.Device, functions: Sequence[str] = (), *, basic: bool = False
) -> dict[str, str]:
    """The digest of each case on a device; "refused" where the function refuses the data type.

    If functions are named, those of the others are left out.
    """
    digests = {}
    with xarr.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for name, case in cases(device.has_float64, basic=basic).items():
            if functions and name.split()[0] not in functions:
                continue
            try:
                digests[name] = digest(np.asarray(case()))
            except TypeError:
                digests[name] = "refused"
    return digests


def main(arguments: list[str]) -> int:
    """Compare the default device's bits with the file's, or write the file."""
    host_functions.tier.name = host_functions.tier.name or "fused"  # the bits of kernels
    functions = [given for given in arguments if given != "--write"]
    digests = found(xarr.default_device(), functions)
    if not digests:
        print(f"there is no case of {', '.join(functions)}")
        return 2
    wanted = json.loads(FILE.read_text())
    if "--write" in arguments:
        kept = wanted if functions else {}
        FILE.write_text(json.dumps(kept | digests, indent=0) + "\n")
        return 0
    differing = [name for name, value in digests.items() if wanted.get(name) != value]
    print("\n".join([*differing, f"{len(differing)} of {len(digests)} cases differ"]))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
