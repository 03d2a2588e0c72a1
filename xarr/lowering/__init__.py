"""Lowering: from an operation that has a skeleton to the launches of kernels that compute it."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.lowering import (
        fft as fft,
        histogram as histogram,
        matmul as matmul,
        radix_sort as radix_sort,
    )
else:
    __getattr__ = lazy.modules(__name__)
