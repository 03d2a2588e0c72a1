"""Record matrix products; `lowering/matmul.py` makes their kernels."""

from __future__ import annotations

import functools
from typing import Final

from xarr import layout
from xarr.ir.views import View
from xarr.lowering.operations import MatmulOp
from xarr.tape import builder

_operation: Final = functools.lru_cache(MatmulOp)


def matmul(first: View, second: View) -> View:
    """Record the products of matrices of one data type, (..., M, K) and (..., K, N), none empty."""
    where = "matmul(x1, x2)"
    stack = layout.broadcast_shapes(first.shape[:-2], second.shape[:-2], where=where)
    shape = (*stack, first.shape[-2], second.shape[-1])
    for view in (first, second):
        builder.materialise(view)
    product = builder.defer(_operation(first.dtype), (first, second), shape)
    return builder.converted(product, first.dtype)
