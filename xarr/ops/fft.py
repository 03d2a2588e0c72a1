"""Record Fourier transforms along an axis; `lowering/fft.py` makes their kernels.

Callers handle the names of norms, cropping and padding, several axes, and arrays without elements.
"""

from __future__ import annotations

import math

from xarr import dtypes, layout
from xarr.ir.operation import interned
from xarr.ir.views import View, constant
from xarr.lowering import fft as kernels
from xarr.lowering.fft import is_direct as is_direct
from xarr.lowering.operations import FourierOp
from xarr.tape import builder


def fft(view: View, axis: int, *, inverse: bool, scale: float) -> View:
    """Record the discrete Fourier transform of a complex view along an axis, times `scale`."""
    return _record("ifft" if inverse else "fft", view, axis, view.shape[axis], scale)


def rfft(view: View, axis: int, *, scale: float) -> View:
    """Record the first n // 2 + 1 elements of the transform of a real view, times `scale`.

    n is the extent of the axis.
    """
    return _record("rfft", view, axis, view.shape[axis], scale)


def irfft(view: View, axis: int, n: int, *, scale: float) -> View:
    """Record the inverse of `rfft`, to n real elements, times `scale`.

    It is the inverse where the scales have the product 1 / n. The imaginary part of the first
    element is ignored, and that of the last where n is even.
    """
    return _record("irfft", view, axis, n, scale)


def _record(name: str, view: View, axis: int, n: int, scale: float) -> View:
    shape, dtype = view.shape, view.dtype
    operation = interned(FourierOp, name, dtype, axis, n % 2 == 1, False)
    if math.prod(shape) * kernels.MOST >= layout.WIDE and kernels.is_wide(operation, shape):
        operation = interned(FourierOp, name, dtype, axis, n % 2 == 1, True)
    kept = n // 2 + 1 if name == "rfft" else n
    if name == "rfft" and n % 2 == 0:
        scale /= 2  # the kernel adds two elements
    number = constant(scale, dtypes.PART.get(dtype, dtype), (), view.device)
    return builder.recorded(operation, (view, number), (*shape[:axis], kept, *shape[axis + 1 :]))
