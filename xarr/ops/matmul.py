"""Record matrix products; `lowering/matmul.py` makes their kernels."""

from __future__ import annotations

from xarr import dtypes, layout
from xarr.ir.operation import interned
from xarr.ir.views import View
from xarr.lowering.operations import OpaqueOp
from xarr.tape import builder


def matmul(first: View, second: View) -> View:
    """Record the products of matrices of one data type, (..., M, K) and (..., K, N), none empty."""
    where = "matmul(x1, x2)"
    stack = layout.broadcast_shapes(first.shape[:-2], second.shape[:-2], where=where)
    shape = (*stack, first.shape[-2], second.shape[-1])
    for view in (first, second):
        builder.materialise(view)
    dtype = first.dtype
    result = dtypes.float32 if dtype is dtypes.float16 else dtype  # which it is summed in
    operation = interned(OpaqueOp, "matmul", (dtype, dtype), result)
    return builder.converted(builder.defer(operation, (first, second), shape), dtype)
