"""Discrete Fourier transforms, each of a row of `ops.fft_rows`: of any length in O(n log n).

A row is a transform: what it takes and gives, and which direction. On a CPU pocketfft computes it,
through NumPy, in the arrays' own memory, on a CUDA device cuFFT; what is small there, and all on
other devices, the kernels of `ops.fft` do, axis by axis.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, Protocol, SupportsIndex, TypeVar

from xarr import dtypes, tuning
from xarr.array.array import Array, ArrayLike, DTypeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, operand_view
from xarr.array.out_argument import deliver
from xarr.backends.device import Device, default_float, get_device, require_on
from xarr.dtypes import COMPLEX, REAL, DType
from xarr.errors import type_error, value_error, warn
from xarr.functions.create import fills, ranges
from xarr.functions.create.creation import number
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.shape import joining
from xarr.functions.shape.manipulation import integers
from xarr.ir.operation import Operation
from xarr.ir.views import View, constant
from xarr.layout import Shape, integer, normalize_axis
from xarr.ops import fft as fft_kernels, fft_rows as rows, vendor
from xarr.ops.fft_rows import Transform
from xarr.tape import builder, recorders

Norm = Literal["backward", "ortho", "forward"]
_Integers = Sequence[int]
_Result = tuple[Shape, DType]

_SWAPPED: Final = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
_SCALE: Final = "xr_complex_{0}({{0}}.re * {{1}}, {{0}}.im * {{1}})"
_SCALES: Final = {
    **{
        part: Operation("scale", (part, part), part, "{0} * {1}", row="scale")
        for part in dtypes.PART.values()
    },
    **{
        row: Operation("scale", (row, part), row, _SCALE.format(row.compute), row="scale")
        for row, part in dtypes.PART.items()
    },
}
"""Each part by itself: in a product of complex numbers a part that is infinite makes both NaN."""


def apply(
    row: Transform, x: Array, lengths: Sequence[int | None], axes: _Integers, norm: Any
) -> Array:
    """Transform along axes, to lengths of the full signal (None is the operand's own).

    One axis of float16 to real numbers gives float16, as NumPy does.
    """
    if row.made == "real" and len(axes) == 1 and x._view.dtype is dtypes.float16:
        wide = Array(builder.converted(x._view, dtypes.float32))
        return Array(builder.converted(apply(row, wide, lengths, axes, norm)._view, dtypes.float16))
    if norm is None:
        norm = "backward"
    if norm not in tuple(_SWAPPED):
        fault = f"norm is {norm!r}"
        raise value_error(row.where, fault, 'norm must be "backward", "ortho" or "forward"')
    view = _converted(row, x)
    sizes = [
        _size(row, view.shape[axis], length, last=place == len(axes) - 1)
        for place, (axis, length) in enumerate(zip(axes, lengths, strict=True))
    ]
    if not axes:
        if "real" in (row.given, row.made):
            fault = f"a has shape {view.shape} and there are no axes to transform"
            accepted = "a transform between real and complex numbers must have one"
            raise value_error(row.where, fault, accepted, "name it with axes")
        return Array(builder.copied(view))
    _require_lengths(row, view, sizes, axes)
    shape, dtype = _result(row, view, sizes, axes)
    if 0 in shape or 0 in view.shape:
        return Array(constant(dtype.numpy.type(0).item(), dtype, shape, view.device))
    options = {"shape": view.shape, "row": row, "sizes": sizes, "axes": axes, "norm": norm}

    def computed(view: View) -> Sequence[View]:
        made = None
        if len(set(axes)) == len(axes):  # cuFFT's plans name an axis once
            made = _by_library(row, view, (shape, dtype), sizes, axes, norm)
        return (_by_kernels(row, Array(view), sizes, axes, norm)._view if made is None else made,)

    return Array(recorders.whole("fft", options, (view,), computed)[0])


def _converted(row: Transform, x: Array) -> View:
    """The operand in the floating-point type that the transform takes."""
    view = operand_view(x, row.where)
    dtype = view.dtype
    if dtype.kind == COMPLEX and row.given == "real":
        fault = f"a has dtype {dtype}"
        raise type_error(row.where, fault, "a must be real", "take a.real")
    if dtype is dtypes.float16:
        dtype = dtypes.float32
    elif dtype.kind not in dtypes.FLOATING:
        dtype = default_float(view.device)
    if row.given == "complex":
        dtype = dtypes.COMPLEX_OF.get(dtype, dtype)
    return builder.converted(view, dtype)


def _size(row: Transform, extent: int, length: int | None, *, last: bool) -> int:
    """The length of the signal along an axis."""
    if length == -1 and row.many:
        return extent
    if length is None:
        return 2 * (extent - 1) if row.made == "real" and last else extent
    if length < 1:
        raise value_error(row.where, f"n is {length}", "n must be at least 1")
    return length


def _result(row: Transform, view: View, sizes: _Integers, axes: _Integers) -> _Result:
    shape = list(view.shape)
    order = list(zip(axes, sizes, strict=True))
    if row.given == "real":
        order[-1] = (axes[-1], sizes[-1] // 2 + 1)
    # An axis that is named twice is transformed twice; the last one alone is real.
    for axis, size in order if row.made == "real" else reversed(order):
        shape[axis] = size
    dtype = dtypes.COMPLEX_OF.get(view.dtype, view.dtype)
    if row.made == "real":
        dtype = dtypes.PART[dtype]
    return tuple(shape), dtype


def _by_library(
    row: Transform, view: View, result: _Result, sizes: _Integers, axes: _Integers, norm: str
) -> View | None:
    """Let a library transform; None without one, and where kernels take a GPU's host less time."""
    function = vendor.routine(row.routine, view.dtype, view.device)
    if function is None:
        return None
    along: dict[str, Any] = {"n": sizes[0], "axis": axes[0]}
    if row.many:
        along = {"s": tuple(sizes), "axes": tuple(axes)}
    options = (tuple(sizes), tuple(axes), norm)
    work = functools.partial(function, norm=norm, **along)
    made = vendor.deferred(row.routine, options, work, (view,), *result)
    if made is not None:
        return made
    shape, dtype = result
    is_small = math.prod(shape) * dtype.itemsize <= tuning.FFT_NBYTES
    if is_small and all(map(fft_kernels.is_direct, sizes)):
        return None
    # A device's library does not scale: whatever comes next does that on the way.
    made = vendor.call(row.where, row.routine, (view,), [result], **along)[0]
    scale = math.prod([_scale(size, row.inverse, norm) for size in sizes])
    return made if scale == 1 else _scaled(made, scale)


def _scaled(values: View, scale: float) -> View:
    part = dtypes.PART.get(values.dtype, values.dtype)
    factor = constant(float(part.numpy.type(scale)), part, (), values.device)
    return builder.defer(_SCALES[values.dtype], (values, factor), values.shape)


def _require_lengths(row: Transform, view: View, sizes: _Integers, axes: _Integers) -> None:
    for axis, size in zip(axes, sizes, strict=True):
        if size < 1:
            fault = f"a has shape {view.shape}, so along axis {axis} the signal has {size} elements"
            accepted = "it must have at least one"
            remedy = f"name the length with {'s' if row.many else 'n'}"
            raise value_error(row.where, fault, accepted, remedy)


def _by_kernels(row: Transform, x: Array, sizes: _Integers, axes: _Integers, norm: str) -> Array:
    if row.hermitian:
        norm = _SWAPPED[norm]
    inverse = row.inverse is not row.hermitian
    order = list(zip(axes, sizes, strict=True))
    if row.made == "real":
        *whole, (axis, size) = order
        half = _resized(x, axis, size // 2 + 1)
        for other, extent in whole:
            half = _complex(half, other, extent, inverse, norm)
        if row.hermitian:
            half = elementwise.conj(half)
        scale = _scale(size, inverse, norm)
        return Array(fft_kernels.irfft(half._view, axis, size, scale=scale))
    if row.given == "real":
        *whole, (axis, size) = order
        scale = _scale(size, inverse, norm)
        x = Array(fft_kernels.rfft(_resized(x, axis, size)._view, axis, scale=scale))
        if row.hermitian:
            x = elementwise.conj(x)
    else:
        whole = order
    for axis, size in reversed(whole):
        x = _complex(x, axis, size, inverse, norm)
    return x


def _complex(x: Array, axis: int, size: int, inverse: bool, norm: str) -> Array:
    scale = _scale(size, inverse, norm)
    values = _resized(x, axis, size)._view
    return Array(fft_kernels.fft(values, axis, inverse=inverse, scale=scale))


def _scale(size: int, inverse: bool, norm: str) -> float:
    """The normalization factor of a transform along one axis."""
    if norm == "ortho":
        return 1.0 / math.sqrt(size)
    return 1.0 / size if inverse is (norm == "backward") else 1.0


def _resized(x: Array, axis: int, size: int) -> Array:
    """The operand cut along an axis, or padded with zeros."""
    extent = x.shape[axis]
    if extent == size:
        return x
    if extent > size:
        return x[(*(slice(None),) * axis, slice(size))]
    shape = (*x.shape[:axis], size - extent, *x.shape[axis + 1 :])
    zeros = fills.zeros(shape, dtype=x.dtype, device=x.device)
    return joining.concat((x, zeros), axis=axis)


def _several(s: Any, axes: Any, ndim: int, where: str) -> tuple[list[int | None], list[int]]:
    """The lengths and axes of a transform over several axes."""
    lengths: list[int | None] = []
    for name, value in (("s", s), ("axes", axes)):
        if value is not None and not isinstance(value, Iterable):
            raise type_error(
                where, f"{name} is {value!r}", f"{name} must be a sequence of integers"
            )
    if s is not None:
        lengths = [None if length is None else integer(length, where, "s") for length in s]
        if axes is None or None in lengths:
            text = "`axes` should not be `None` if `s` is not `None`; passing an array containing "
            warn(text + "`None` values to `s` is deprecated", DeprecationWarning)
    if axes is None:
        places = list(range(ndim)) if s is None else list(range(ndim))[ndim - len(lengths) :]
    else:
        places = [normalize_axis(axis, ndim, where) for axis in integers(axes, where, "axes")]
    if s is None:
        return [None] * len(places), places
    if len(lengths) != len(places):
        fault = f"s is {s} and axes is {axes}"
        raise value_error(where, fault, "s must have as many lengths as axes")
    return lengths, places


def fftfreq(
    n: SupportsIndex, d: float = 1.0, device: Device | str | None = None, *, dtype: DTypeLike = None
) -> Array:
    """Return the frequencies of `fft`'s elements: k / (d n) for k = 0, 1, ..., -2, -1.

    n : int -- The length of the signal.
    d : float, optional
        The spacing of the samples, in any unit; the frequencies are in cycles per unit.

    -> real floating-point Array, shape (n,), in cycles per unit of d

    >>> xarr.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    return _frequencies("fftfreq", n, d, dtype, device, whole=True)


def rfftfreq(
    n: SupportsIndex, d: float = 1.0, device: Device | str | None = None, *, dtype: DTypeLike = None
) -> Array:
    """Return the frequencies of `rfft`'s elements: k / (d n) for k = 0, 1, ..., n // 2.

    n : int -- The length of the signal.
    d : float, optional
        The spacing of the samples, in any unit; the frequencies are in cycles per unit.

    -> real floating-point Array, shape (n // 2 + 1,), in cycles per unit of d

    >>> xarr.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    return _frequencies("rfftfreq", n, d, dtype, device, whole=False)


def _frequencies(
    name: str, n: Any, d: float, dtype: Any, device: Device | str | None, *, whole: bool
) -> Array:
    where = f"fft.{name}(n)"
    length = integer(n, where, "n")
    if length < 1:
        raise value_error(where, f"n is {n}", "n must be at least 1")
    on = get_device(device, where)
    row = default_float(on)
    if dtype is not None:
        row = dtypes.lookup(dtype, where)
        if row.kind != REAL:
            raise type_error(where, f"dtype is {row}", "dtype must be real and floating-point")
    require_on(on, row, where)
    distance: float = number(d, where, "d")
    arange = ranges.arange
    place: Array = arange(length if whole else length // 2 + 1, dtype=row.numpy, device=on)
    if whole:
        place = searching.where(place < (length + 1) // 2, place, place - length)
    return place / (length * distance)


def fftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Move the zero frequency to the middle: roll by n // 2 along each axis.

    -> Array, shape and data type of x

    >>> xarr.fft.fftshift(xarr.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted(x, axes, "fft.fftshift(x)", back=False)


def ifftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Move the zero frequency back to the beginning; the inverse of `fftshift`.

    -> Array, shape and data type of x

    >>> xarr.fft.ifftshift(xarr.asarray([-1, 0, 1])).tolist()
    [0, 1, -1]
    """
    return _shifted(x, axes, "fft.ifftshift(x)", back=True)


def _shifted(x: Any, axes: Any, where: str, *, back: bool) -> Array:
    x = array_of(x, where)
    ndim = x.ndim
    if axes is None:
        places = list(range(ndim))
    else:
        places = [normalize_axis(axis, ndim, where) for axis in integers(axes, where, "axes")]
    if not places:
        return Array(builder.copied(x._view))
    shifts = tuple((-1 if back else 1) * (x.shape[axis] // 2) for axis in places)
    return joining.roll(x, shifts, axis=tuple(places))


Signal = ArrayLike
_Axes = Sequence[SupportsIndex] | None
_F = TypeVar("_F", bound=Callable[..., Array])


class _Along(Protocol):
    def __call__(
        self,
        a: Signal,
        n: SupportsIndex | None = None,
        axis: SupportsIndex = -1,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array: ...


class _Over(Protocol):
    def __call__(
        self,
        a: Signal,
        s: _Axes = None,
        axes: _Axes = None,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array: ...


def _describe(function: _F, row: Transform, about: str, operand: str, made: str) -> _F:
    """Name a function as its row, and describe it; the example shows an operand's transform."""
    function.__name__ = function.__qualname__ = row.name
    result, part = ("real floating-point", "") if row.made == "real" else ("complex", ".real")
    halved = row.given == "real"
    shape = f"shape (..., {'n // 2 + 1' if halved else 'n'}, ...)"
    if row.many:
        shape = "shape of a with `s` along `axes`" + ", but s[-1] // 2 + 1 along the last" * halved
    lengths = ""
    if row.made == "real" and row.many:
        lengths = """s : sequence of int, optional
    The lengths of the result along `axes`; -1 for an axis keeps its length. None keeps all but
    the last one, which becomes 2 (N - 1) for N elements. To give `s` without `axes` is deprecated.

"""
    elif row.made == "real":
        lengths = """n : int, optional
    The length of the result along the axis; None for 2 (N - 1), with N elements in a.

"""
    function.__doc__ = f"""{about}

{lengths}-> {result} Array, {shape} -- Of the precision of the operand.

>>> xarr.fft.{row.name}(xarr.asarray({operand})){part}.round(3).tolist()
{made}"""
    return function


def _along(row: Transform, about: str, made: str) -> _Along:
    def transform(
        a: Signal,
        n: SupportsIndex | None = None,
        axis: SupportsIndex = -1,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array:
        x = array_of(a, row.where)
        length = None if n is None else integer(n, row.where, "n")
        result = apply(row, x, [length], [normalize_axis(axis, x.ndim, row.where)], norm)
        return deliver(result, out, row.where, grows=False)

    return _describe(cached_call(transform), row, about, "[2.0, 1.0, 1.0]", made)


def _over(row: Transform, about: str, made: str) -> _Over:
    def transform(
        a: Signal,
        s: Sequence[SupportsIndex] | None = None,
        axes: Sequence[SupportsIndex] | None = (-2, -1) if row.plane else None,
        norm: Norm | None = "backward",
        out: Any = None,
    ) -> Array:
        x = array_of(a, row.where)
        lengths, places = _several(s, axes, x.ndim, row.where)
        return deliver(apply(row, x, lengths, places, norm), out, row.where, grows=False)

    return _describe(cached_call(transform), row, about, "[[2.0, 1.0], [0.0, 0.0]]", made)


_DFT = "Compute the discrete Fourier transform"
_INVERSE = "Compute the inverse discrete Fourier transform"
_HALVED = "Compute the first half of the discrete Fourier transform"
_REAL = f"{_DFT} of a real signal"
_HALF = "Compute the real signal from half of its spectrum"

fft: Final = _along(rows.fft, f"{_DFT} along an axis.", "[4.0, 1.0, 1.0]")
ifft: Final = _along(rows.ifft, f"{_INVERSE} along an axis.", "[1.333, 0.333, 0.333]")
fftn: Final = _over(rows.fftn, f"{_DFT} over several axes.", "[[3.0, 1.0], [3.0, 1.0]]")
ifftn: Final = _over(rows.ifftn, f"{_INVERSE} over several axes.", "[[0.75, 0.25], [0.75, 0.25]]")
rfft: Final = _along(rows.rfft, f"{_HALVED} of a real signal: n // 2 + 1 elements.", "[4.0, 1.0]")
irfft: Final = _along(rows.irfft, f"{_HALF}: the inverse of `rfft`.", "[1.25, 0.25, 0.25, 0.25]")
rfftn: Final = _over(
    rows.rfftn,
    f"{_REAL} over several axes; of the last one only frequencies from 0 on.",
    "[[3.0, 1.0], [3.0, 1.0]]",
)
irfftn: Final = _over(rows.irfftn, f"{_HALF}, over several axes.", "[[0.75, 0.25], [0.75, 0.25]]")
fft2: Final = _over(rows.fft2, f"{_DFT} over two axes.", "[[3.0, 1.0], [3.0, 1.0]]")
ifft2: Final = _over(rows.ifft2, f"{_INVERSE} over two axes.", "[[0.75, 0.25], [0.75, 0.25]]")
rfft2: Final = _over(
    rows.rfft2,
    f"{_REAL} over two axes; of the last one only frequencies from 0 on.",
    "[[3.0, 1.0], [3.0, 1.0]]",
)
irfft2: Final = _over(rows.irfft2, f"{_HALF}, over two axes.", "[[0.75, 0.25], [0.75, 0.25]]")
_HFFT = "Compute the real spectrum of a signal with Hermitian symmetry, from its first half."
_IHFFT = "Compute the first half of a signal from its real spectrum: the inverse of `hfft`."
hfft: Final = _along(rows.hfft, _HFFT, "[5.0, 1.0, 1.0, 1.0]")
ihfft: Final = _along(rows.ihfft, _IHFFT, "[1.333, 0.333]")
