"""The table of what is measured: a row says the work once, for every library.

A work takes a namespace with NumPy's names and arrays. Where a library says it in another way, the
row holds that way. Targets stand beside the work they are for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Shape = tuple[int, ...]
Work = Callable[..., Any]

LARGE: Final = 1 << 27
"""Elements for which the targets on an H100 hold."""
CPU_SIZE: Final = 1 << 24
"""Elements for which the targets on a CPU hold."""
SMALL: Final = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """What xarr has to reach.

    h100 : float or None
        On an NVIDIA H100, in the row's unit (ms at 2^27 elements, us for small arrays).
    h100_opencl : float or None -- The same for the OpenCL backend, where it is another.
    cpu_ratio : float or None -- On a CPU, how many times faster than NumPy at 2^24 elements.
    """

    h100: float | None = None
    h100_opencl: float | None = None
    cpu_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One work.

    key, title : str -- The name for `--rows`, and what the table says.
    work : callable -- `work(namespace, *arrays)`, for NumPy and all that follow it.
    shapes : callable -- The shapes of the operands for a number of elements.
    moved : float or None
        Arrays that have to be read or written at the least; None where memory is not the limit.
    others : mapping
        The work for libraries that say it in another way, by library; None where one cannot.
    numexpr : str -- The expression for numexpr; "" where it has none.
    target : Target -- What has to be reached.
    alike : bool -- Whether a library has to give NumPy's numbers, not only its shape.
    """

    key: str
    title: str
    work: Work
    shapes: Callable[[int], tuple[Shape, ...]]
    moved: float | None = None
    others: Mapping[str, Work | None] = field(default_factory=dict)
    numexpr: str = ""
    target: Target = field(default_factory=Target)
    alike: bool = True


def flat(operands: int) -> Callable[[int], tuple[Shape, ...]]:
    """Shapes of one-dimensional operands."""
    return lambda size: ((size,),) * operands


def matrix(size: int) -> tuple[int, int]:
    """Return a shape of about `size` elements: 16384 x 8192 for 2^27."""
    columns = 1 << (size.bit_length() - 1) // 2
    return max(size // columns, 1), columns


def quarter(size: int) -> tuple[Shape, ...]:
    """Return the shape of one operand of a quarter of the elements."""
    return ((max(size // 4, 1),),)


def tall(size: int) -> tuple[Shape, ...]:
    """Return the shape of one matrix."""
    return (matrix(size),)


def grids(size: int) -> tuple[Shape, ...]:
    """Return the shapes of two wide matrices."""
    rows, columns = matrix(size)
    return ((columns, rows),) * 2


def squares(size: int) -> tuple[Shape, ...]:
    """Return the shapes of two square matrices."""
    side = matrix(size)[1]
    return ((side, side),) * 2


def chain(xp: Any, a: Any, b: Any, c: Any) -> Any:
    """Compute the chain of operators that the targets name."""
    return ((a * b + c) * a - b) * c + a * b


def softmax(xp: Any, a: Any) -> Any:
    """Softmax over rows as it is written in NumPy."""
    e = xp.exp(a - xp.max(a, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def layer_norm(xp: Any, a: Any) -> Any:
    """Normalise each row to a mean of 0 and a variance of 1, as it is written in NumPy."""
    apart = a - xp.mean(a, axis=1, keepdims=True)
    return apart / xp.sqrt(xp.mean(apart * apart, axis=1, keepdims=True) + 1e-5)


def _torch_layer_norm(xp: Any, a: Any) -> Any:
    return xp.nn.functional.layer_norm(a, a.shape[1:])


def star(u: Any) -> Any:
    """Compute a five-point stencil of the interior."""
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return 0.25 * around - u[1:-1, 1:-1]


def stencil(xp: Any, u: Any, v: Any) -> Any:
    """Write a stencil of u into the interior of v."""
    v[1:-1, 1:-1] = star(u)
    return v


def _jax_stencil(xp: Any, u: Any, v: Any) -> Any:
    return v.at[1:-1, 1:-1].set(star(u))


def _on_torch(work: Work) -> dict[str, Work | None]:
    return {"torch": work, "torch.compile": work}


def copy(xp: Any, a: Any, v: Any) -> Any:
    """Copy a to v."""
    v[...] = a
    return v


@functools.cache
def generator(xp: Any) -> Any:
    """Return a library's generator of random numbers, made once."""
    return xp.random.default_rng(1)


COPY: Final = Row(
    "copy", "v[...] = a", copy, flat(2), moved=2, others={"jax.jit": lambda xp, a, v: xp.copy(a)}
)

LARGE_ROWS: Final = (
    COPY,
    Row(
        "add",
        "a + b",
        lambda xp, a, b: a + b,
        flat(2),
        moved=3,
        numexpr="a + b",
        target=Target(h100=0.54),
    ),
    Row(
        "chain",
        "((a*b+c)*a-b)*c+a*b",
        chain,
        flat(3),
        moved=4,
        numexpr="((a*b+c)*a-b)*c+a*b",
        target=Target(h100=0.72, cpu_ratio=2.5),
    ),
    Row(
        "short chain",
        "((a*b+c)*a-b)*c",
        lambda xp, a, b, c: ((a * b + c) * a - b) * c,
        flat(3),
        moved=4,
        numexpr="((a*b+c)*a-b)*c",
        target=Target(cpu_ratio=2.5),
    ),
    Row(
        "comparison",
        "a > 2",  # nowhere true, which is what costs most on some processors
        lambda xp, a: a > 2,
        flat(1),
        moved=1.25,
        numexpr="a > 2",
    ),
    Row(
        "where",
        "where(a > .5, a, b)",
        lambda xp, a, b: xp.where(a > 0.5, a, b),
        flat(2),
        moved=3,
        numexpr="where(a > .5, a, b)",
        target=Target(h100=0.54),
    ),
    Row(
        "sum",
        "sum(a)",
        lambda xp, a: xp.sum(a),
        flat(1),
        moved=1,
        numexpr="sum(a)",
        target=Target(h100=0.18, cpu_ratio=2),
    ),
    Row(
        "dot",
        "sum(a*b)",
        lambda xp, a, b: xp.sum(a * b),
        flat(2),
        moved=2,
        numexpr="sum(a*b)",
        target=Target(h100=0.36),
    ),
    Row(
        "var",
        "var(a)",
        lambda xp, a: xp.var(a),
        flat(1),
        moved=1,
        others=_on_torch(lambda xp, a: xp.var(a, correction=0)),
        target=Target(h100=0.20, cpu_ratio=3),
    ),
    Row(
        "any", "any(a > 2)", lambda xp, a: xp.any(a > 2), flat(1), moved=1, target=Target(h100=0.18)
    ),
    Row(
        "sum axis 0",
        "sum(A, axis=0)",
        lambda xp, a: xp.sum(a, axis=0),
        tall,
        moved=1,
        target=Target(h100=0.19),
    ),
    Row(
        "softmax",
        "softmax over rows",
        softmax,
        tall,
        moved=2,
        others=_on_torch(lambda xp, a: xp.softmax(a, 1)),
        target=Target(h100=0.576),
    ),
    Row(
        "layer norm",
        "layer norm of rows",
        layer_norm,
        tall,
        moved=2,
        others={"torch": _torch_layer_norm, "torch.compile": _torch_layer_norm},
    ),
    Row("sin", "sin(a)", lambda xp, a: xp.sin(a), flat(1), moved=2),
    Row("power", "a ** b", lambda xp, a, b: a**b, flat(2), moved=3),
    Row(
        "stencil",
        "v[1:-1,1:-1] = five points of u",
        stencil,
        grids,
        moved=2,
        others={"jax.jit": _jax_stencil},
        target=Target(h100=0.41, cpu_ratio=2),
    ),
    Row(
        "transpose",
        "v[...] = A.T",
        lambda xp, a, v: copy(xp, a.T, v),
        lambda size: (matrix(size), matrix(size)[::-1]),
        moved=2,
        others={"jax.jit": lambda xp, a, v: xp.copy(a.T)},
        target=Target(h100=0.40),
    ),
    Row(
        "cumulative_sum",
        "cumulative_sum(a)",
        lambda xp, a: xp.cumulative_sum(a),
        flat(1),
        moved=2,
        target=Target(h100=0.40),
        others={"cupy": lambda xp, a: xp.cumsum(a), **_on_torch(lambda xp, a: xp.cumsum(a, 0))},
    ),
    Row(
        "matmul",
        "A @ B",
        lambda xp, a, b: a @ b,
        squares,
        target=Target(h100=21.6, h100_opencl=42.8),
    ),
    Row(
        "sort",
        "sort(a), a quarter of the elements",
        lambda xp, a: xp.sort(a),
        quarter,
        target=Target(h100=1.0, h100_opencl=4.83),
        others=_on_torch(lambda xp, a: xp.sort(a).values),
    ),
    Row(
        "argsort",
        "argsort(a, stable=True), a quarter",
        lambda xp, a: xp.argsort(a, stable=True),
        quarter,
        others={"cupy": lambda xp, a: xp.argsort(a)},
    ),
    Row(
        "unique",
        "unique_values(a), a quarter",
        lambda xp, a: xp.unique_values(a),
        quarter,
        others={
            # unique_values of NumPy does not sort.
            "numpy": lambda xp, a: xp.unique(a, equal_nan=False),
            "cupy": lambda xp, a: xp.unique(a),
            # The number of results is not known when it is compiled.
            "jax.jit": None,
            **_on_torch(lambda xp, a: xp.unique(a)),
        },
    ),
    Row(
        "searchsorted",
        "searchsorted(0 to n, a), a sixteenth",
        lambda xp, a: xp.searchsorted(xp.arange(a.shape[0], dtype=a.dtype), a * a.shape[0]),
        lambda size: ((max(size // 16, 1),),),
        others=_on_torch(
            lambda xp, a: xp.searchsorted(
                xp.arange(a.shape[0], dtype=a.dtype, device=a.device), a * a.shape[0]
            )
        ),
    ),
    Row(
        "solve",
        "linalg.solve(A, B), a quarter of the side",
        lambda xp, a, b: xp.linalg.solve(a, b),
        lambda size: ((max(matrix(size)[1] // 4, 1),) * 2,) * 2,
    ),
    Row(
        "svd",
        "linalg.svd(A)[1], an eighth of the side",
        lambda xp, a: xp.linalg.svd(a)[1],
        lambda size: ((max(matrix(size)[1] // 8, 1),) * 2,),
    ),
    Row("fft", "fft.fft(a), a quarter", lambda xp, a: xp.fft.fft(a), quarter),
    # The targets are 80% and 50% of what a copy writes.
    Row(
        "random",
        "rng.random(n)",
        lambda xp, a: generator(xp).random(a.shape, dtype=a.dtype),
        flat(1),
        moved=1,
        others={"jax.jit": None, **_on_torch(lambda xp, a: xp.rand_like(a))},
        target=Target(h100=0.225, cpu_ratio=2),
        alike=False,
    ),
    Row(
        "normal",
        "rng.standard_normal(n) * 2 + 1",
        lambda xp, a: generator(xp).standard_normal(a.shape, dtype=a.dtype) * 2 + 1,
        flat(1),
        moved=1,
        others={"jax.jit": None, **_on_torch(lambda xp, a: xp.randn_like(a) * 2 + 1)},
        target=Target(h100=0.36, cpu_ratio=2),
        alike=False,
    ),
)

SMALL_ROWS: Final = (
    Row("small add", "a + b, launched", lambda xp, a, b: a + b, flat(2), target=Target(h100=10)),
    Row(
        "small chain",
        "((a*b+c)*a-b)*c+a*b, launched",
        chain,
        flat(3),
        numexpr="((a*b+c)*a-b)*c+a*b",
        target=Target(h100=24),
    ),
    Row("small sum", "sum(a)", lambda xp, a: xp.sum(a), flat(1), target=Target(h100=12.7)),
    Row(
        "small float",
        "float(sum(a))",
        lambda xp, a: float(xp.sum(a)),
        flat(1),
        target=Target(h100=32),
        # What is compiled as a whole cannot hold a conversion to a Python number.
        others={"jax.jit": None, "torch.compile": None},
    ),
    Row("small view", "a[10:20]", lambda xp, a: a[10:20], flat(1), target=Target(h100=1.8)),
)
"""Host microseconds a call, of 1,000 elements."""

HOST: Final = "host"
"""The table of `host`."""

COSTS: Final = ("import", "first result")
"""What `costs` measures of xarr alone."""

KEYS: Final = (*(row.key for row in (*LARGE_ROWS, *SMALL_ROWS)), HOST, *COSTS)
