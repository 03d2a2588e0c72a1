"""CuPy's libraries (cuBLAS, cuSOLVER, cuFFT, CUB) under NumPy's names, signatures and errors.

CuPy leaves NaN where a matrix is singular unless told to raise, and where it has no finite values
to decompose; it lacks some options and the broadcasting of stacks. That is mended here. What is
absent, kernels of xarr's or the host compute.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy

NAMES: Final = {
    "matmul": "cuBLAS",
    "sort": "CUB",
    **dict.fromkeys(
        (
            f"linalg.{name}"
            for name in (
                *("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "qr", "slogdet"),
                *("solve", "svd", "svdvals"),
            )
        ),
        "cuSOLVER",
    ),
    **dict.fromkeys(
        (
            f"fft.{name}"
            for name in (
                *("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn"),
                *("hfft", "ihfft"),
            )
        ),
        "cuFFT",
    ),
}
"""The functions that there are, and the library behind each."""

_VALUES: Final = {"linalg.svd": 1, "linalg.svdvals": 0, "linalg.eig": 0, "linalg.eigvals": 0}
"""The iterations that do not converge where an element is NaN: which of the results says so."""

_NEEDS_GEEV: Final = ("linalg.eig", "linalg.eigvals")
_DTYPES: Final = {"matmul": "fdFD", "sort": "bBhHiIlLqQfd"}
"""What cuBLAS multiplies and CUB sorts by digits; for the rest CuPy has kernels of its own."""


def routine(name: str, dtype: numpy.dtype[Any]) -> Callable[..., Any] | None:
    """The function that NumPy calls `name`, as "fft.rfft", for CuPy's arrays of a data type.

    None where CuPy has none, or none of a library's.
    """
    return _routine(name) if dtype.char in _DTYPES.get(name, dtype.char) else None


@functools.cache
def _routine(name: str) -> Callable[..., Any] | None:
    import cupy

    if name not in NAMES or (name in _NEEDS_GEEV and not _has_geev()):
        return None
    own = {
        "linalg.cholesky": functools.partial(_cholesky, cupy),
        "linalg.solve": functools.partial(_solve, cupy),
        "linalg.svdvals": functools.partial(cupy.linalg.svd, compute_uv=False),
    }
    function = own.get(name) or operator.attrgetter(name)(cupy)
    if name in _VALUES:
        function = _converging(cupy, function, _VALUES[name])
    return _raising(function) if NAMES[name] == "cuSOLVER" else function


def _has_geev() -> bool:
    """Whether cuSOLVER is new enough to have eigenvalues of matrices that are not symmetric."""
    try:
        from cupyx.cusolver import check_availability

        return bool(check_availability("geev"))
    except (ImportError, ValueError):
        return False


def _raising(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that raises LinAlgError where cuSOLVER says that it did not succeed."""
    from cupyx import errstate

    def checked(*arguments: Any, **options: Any) -> Any:
        with errstate(linalg="raise"):
            return function(*arguments, **options)

    return checked


def _converging(cupy: Any, function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """A function that raises LinAlgError where a value that it found is NaN."""

    def checked(*arguments: Any, **options: Any) -> Any:
        made = function(*arguments, **options)
        values = made[place] if isinstance(made, tuple) else made
        if cupy.isnan(values).any():
            raise numpy.linalg.LinAlgError("the iteration did not converge")
        return made

    return checked


def _cholesky(cupy: Any, a: Any, *, upper: bool) -> Any:
    # CuPy reads the lower triangle.
    if not upper:
        return cupy.linalg.cholesky(a)
    return cupy.linalg.cholesky(a.swapaxes(-2, -1).conj()).swapaxes(-2, -1).conj()


def _solve(cupy: Any, a: Any, b: Any) -> Any:
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if 0 in (*stack, *b.shape[-2:]):
        return cupy.empty((*stack, *(b.shape[-2:-1] if vector else b.shape[-2:])), a.dtype)
    a = cupy.ascontiguousarray(cupy.broadcast_to(a, stack + a.shape[-2:]))
    b = cupy.ascontiguousarray(cupy.broadcast_to(b, stack + b.shape[-2:]))
    x = cupy.linalg.solve(a, b)
    return x[..., 0] if vector else x
