"""CuPy's libraries (cuBLAS, cuSOLVER, cuFFT, CUB) under NumPy's names, signatures and errors.

CuPy leaves NaN where a matrix is singular unless told to raise, and where it has no finite values
to decompose; it lacks some options and the broadcasting of stacks. That is mended here, and in
`cupy_solver.py`. What is absent, kernels of xarr's or the host compute. Transforms take no `norm`:
they do not scale.
"""

from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy

from xarr.backends.base import InMemory
from xarr.backends.cupy_solver import Solver
from xarr.backends.nvidia.handles import Integers
from xarr.backends.nvidia.products import Call, leading, single
from xarr.backends.nvidia.work import FACTORS, LETTERS
from xarr.errors import message
from xarr.memo import memo

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

_TOTAL: Final = ("linalg.det", "linalg.qr", "linalg.slogdet")
"""The factorizations that each matrix has."""
_NEEDS_GEEV: Final = ("linalg.eig", "linalg.eigvals")
_DTYPES: Final = {"matmul": "fdFD", "sort": "bBhHiIlLqQfd"}
"""Types that cuBLAS multiplies and CUB sorts by digits; for others CuPy has own kernels."""

_KINDS: Final = {
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.fftn", "fft.ifftn"), "C2C"),
    **dict.fromkeys(("fft.rfft", "fft.rfftn"), "R2C"),
}
"""The transforms whose plans are called at once; the others write to what they are given."""
Place = tuple[Any, InMemory, int]
"""A block, how elements lie in it, and how many of them from its beginning."""
_MOST: Final = (1 << 31) - 1
"""The largest size and pitch that CuPy's bindings of cuBLAS and cuFFT take."""


def routine(name: str, dtype: numpy.dtype[Any]) -> Callable[..., Any] | None:
    """The function that NumPy calls `name`, as "fft.rfft", for CuPy's arrays of a data type.

    None where CuPy has none, or none of a library's.
    """
    return _routine(name) if dtype.char in _DTYPES.get(name, dtype.char) else None


@memo
def _routine(name: str) -> Callable[..., Any] | None:
    import cupy

    if name not in NAMES or (name in _NEEDS_GEEV and not _has_geev()):
        return None
    function: Callable[..., Any]
    if name == "matmul":
        function = cupy.matmul if cupy.cuda.runtime.is_hip else _Products(cupy)
    elif name == "sort":
        function = functools.partial(_sorted, cupy)
    else:
        own = getattr(Solver(cupy), name.removeprefix("linalg."), None)
        function = own or operator.attrgetter(name)(cupy)
    if NAMES[name] == "cuFFT":
        return _transform(cupy, name, function)
    if name in _VALUES:
        function = _converging(function, _VALUES[name])
    return _raising(function) if NAMES[name] == "cuSOLVER" and name not in _TOTAL else function


def _sorted(cupy: Any, a: Any, *, axis: int) -> Any:
    """Sort a copy by CUB; CuPy's own copy takes 83 us for 2^24 float32 on an H200, this one 32."""
    made = cupy.empty(a.shape, a.dtype)
    if a.flags.c_contiguous:
        made.data.copy_from_device_async(a.data, a.nbytes)
    else:
        made[...] = a
    made.sort(axis=axis)
    return made


class _Products:
    """`matmul`: of two matrices by cuBLAS at once, as CuPy takes longer to come to it.

    By ctypes, with CuPy's handle: its bindings refuse a stream that captures.
    """

    def __init__(self, cupy: Any) -> None:
        from cupy_backends.cuda.libs import cublas

        self._multiply = cupy.matmul
        self._library = ctypes.CDLL(cublas.__file__)  # with what it is linked to
        self._handle = cupy.cuda.device.get_cublas_handle
        self._stream = cupy.cuda.get_current_stream
        self._set_stream = self._library.cublasSetStream_v2
        self._set_stream.argtypes = [ctypes.c_void_p] * 2
        self._routines = dict[tuple[str, str], Any]()

    def __call__(self, first: Any, second: Any, *, out: Any) -> None:
        call = _call(first.shape, first.strides, second.shape, second.strides, first.itemsize)
        if call is None:
            self._multiply(first, second, out=out)
        else:
            self._run(call, first.dtype.char, first.data.ptr, second.data.ptr, out.data.ptr)

    def at_once(self, driver: Any, first: Place, second: Place, out: Place) -> bool:
        """Multiply what lies in blocks, without CuPy's arrays; return whether cuBLAS does."""
        one, two = first[1], second[1]
        if 0 in one.shape or 0 in two.shape or not (driver.is_plain() and driver.is_current()):
            return False
        call = _call(one.shape, one.strides, two.shape, two.strides, one.dtype.itemsize)
        if call is None:
            return False
        places = first, second, out
        at = [block.pointer + begin * how.dtype.itemsize for block, how, begin in places]
        self._run(call, one.dtype.char, *at)
        return True

    def _run(self, call: Call, char: str, *arrays: int) -> None:
        left, right, target = call.order
        one, zero = FACTORS[char]
        handle = self._handle()
        status = self._set_stream(handle, self._stream().ptr) or self._routine(call, char)(
            handle,
            *call.head,
            *(one, arrays[left], call.pitches[0], arrays[right], call.pitches[1]),
            *(zero, arrays[target], call.pitches[2]),
        )
        if status:
            raise RuntimeError(message("matmul", f"cuBLAS failed with status {status}", ""))

    def _routine(self, call: Call, char: str) -> Any:
        """A routine of cuBLAS', which ctypes makes anew where it is asked for it."""
        known = self._routines.get((call.name, char))
        if known is None:
            known = self._library[f"cublas{LETTERS[char].upper()}{call.name}_v2"]
            place, number = ctypes.c_void_p, ctypes.c_int
            array = place, number
            known.argtypes = [place, *(number,) * len(call.head), place, *array * 2, place, *array]
            self._routines[call.name, char] = known
        return known

    def captures(self, first: InMemory, second: InMemory) -> bool:
        """Whether it is one call of cuBLAS, without memory of CuPy's."""
        itemsize = first.dtype.itemsize
        call = _call(first.shape, first.strides, second.shape, second.strides, itemsize)
        return call is not None


@memo
def _call(
    first: Integers,
    first_strides: Integers,
    second: Integers,
    second_strides: Integers,
    itemsize: int,
) -> Call | None:
    """The call by which cuBLAS multiplies two matrices; None where it does not as they lie."""
    if len(first) != 2 or len(second) != 2 or max(*first, *second) > _MOST:
        return None
    ways = [
        leading(*shape, *(stride // itemsize for stride in strides))
        for shape, strides in ((first, first_strides), (second, second_strides))
    ]
    if ways[0] is None or ways[1] is None or max(ways[0][1], ways[1][1]) > _MOST:
        return None
    return single(first[0], second[1], first[1], ways[0], ways[1])


def _transform(cupy: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A transform that does not scale; of the last axes, as they are, by its plan at once."""
    inverse = name.startswith("fft.i")
    unscaled = functools.partial(function, norm="forward" if inverse else "backward")
    kind = _KINDS.get(name)
    if kind is None or cupy.cuda.runtime.is_hip:
        return unscaled
    from cupyx.scipy.fftpack import get_fft_plan

    here, stream = cupy.cuda.runtime.getDevice, cupy.cuda.get_current_stream
    cache = cupy.fft.config.get_plan_cache
    direction = cupy.cuda.cufft.CUFFT_INVERSE if inverse else cupy.cuda.cufft.CUFFT_FORWARD

    def transformed(a: Any, **along: Any) -> Any:
        if kind == "R2C" and a.data.ptr % (2 * a.itemsize):
            a = a.copy()  # cuFFT takes two real numbers at once
        count = _last_axes(a.shape, **along)
        # CuPy makes no real plan of several axes where the array is in Fortran's order too. A plan
        # has memory of its own, which two streams must not share.
        is_fortran = kind == "R2C" and count > 1 and a.flags.f_contiguous
        if not count or is_fortran or not a.flags.c_contiguous or a.size > _MOST or stream().ptr:
            return unscaled(a, **along)
        key = "xarr", kind, a.shape, a.dtype.char, count, here()
        plans = cache()
        plan = plans.get(key)
        if plan is None:
            axes = tuple(range(a.ndim - count, a.ndim))
            plans[key] = plan = get_fft_plan(a, axes=axes, value_type=kind)
        made = plan.get_output_array(a)
        plan.fft(a, made, direction)
        return made

    return transformed


def _last_axes(
    shape: Integers, *, n: int = 0, axis: int = 0, s: Sequence[int] = (), axes: Sequence[int] = ()
) -> int:
    """The number of a transform's axes, 1 to 3, if these are the last ones in order; else 0."""
    lengths, places = (tuple(s), tuple(axes)) if axes else ((n,), (axis,))
    count = len(places)
    is_last = places == tuple(range(len(shape) - count, len(shape)))
    return count if count <= 3 and is_last and lengths == shape[-count:] else 0


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


def _converging(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """A function that raises LinAlgError where a value that it found is NaN."""

    def checked(*arguments: Any, **options: Any) -> Any:
        made = function(*arguments, **options)
        values = made[place] if isinstance(made, tuple) else made
        if numpy.isnan(values.get()).any():  # few: on the device it takes two kernels more
            raise numpy.linalg.LinAlgError("the iteration did not converge")
        return made

    return checked
