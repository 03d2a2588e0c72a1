"""Values of an array as Python asks for them: its one element, and its elements one by one."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from xarr import dtypes, errors, tuning
from xarr.array.iterating import Rows
from xarr.array.operators import made
from xarr.array.transfers import are_allowed, is_unobserved, item_of, to_host
from xarr.errors import type_error
from xarr.ir.views import View, number_like, storage_view
from xarr.layout import Layout
from xarr.tape import recorders

if TYPE_CHECKING:
    import xarr.array as package
    from xarr.array.array import Array
else:  # whose name in `xarr` is the function `array`
    package = sys.modules[__package__]

_TAKEN: Final = {
    **dict.fromkeys(("int", "float", "math.trunc", "round"), (dtypes.BOOL, *dtypes.REAL_NUMERIC)),
    "operator.index": dtypes.INTEGER,
}
"""The kinds that Python's functions of numbers take, where these are not all."""


def scalar(view: View, kind: str) -> Any:
    """The one element, for a function of Python's that takes numbers of some kinds."""
    kinds = _TAKEN.get(kind, dtypes.ANY)
    if math.prod(view.shape) != 1:
        refusal = ValueError if kind == "bool" else TypeError
        raise refusal(
            errors.message(
                f"{kind}(x)",
                f"x has shape {view.shape}",
                "x must have one element",
                "use x.any(), x.all(), or index one element",
            )
        )
    if view.dtype.kind not in kinds:
        fault = f"x has dtype {view.dtype}"
        accepted = f"its dtype must be {dtypes.KIND_WORDS[kinds]}"
        remedy = "convert with x.astype(...) or take x.real"
        raise type_error(f"{kind}(x)", fault, accepted, remedy)
    return value_of(view)


def value_of(view: View) -> Any:
    """The one element, as a Python scalar."""
    return item_of(view) if view.value is None else view.value


def rows(array: Array) -> Iterator[Array]:
    """The views along the first axis; of a vector the elements, copied as NumPy's scalars are."""
    # What is recorded has to come of instructions, so elements are taken one by one.
    is_read = array.ndim == 1 and are_allowed() and not recorders.active()
    if is_read and (array._view.structure.unpack is None or not is_unobserved()):
        return _elements(array)
    return Rows(array)


def _elements(array: Array) -> Iterator[Array]:
    """Yield the elements of a vector, read some at a time; each alone once a loop writes to it."""
    position, seen = 0, (-1, -1)
    while position < array.shape[0]:
        where = package.layouts.settled(array)
        view = array._view
        storage, device = view.storage, view.device
        assert storage is not None
        mark = storage.serial, storage.writes
        if len(where.strides) > 1 or storage.is_seen or (position and mark != seen):
            yield array[position]
            position += 1
            continue
        count, seen = min(tuning.ITERATED, view.shape[0] - position), mark
        (stride,) = where.strides
        part = Layout((count,), (stride,), where.offset + position * stride)
        # An element takes 0.25 us so, and three times as long where each is looked for.
        for value in to_host(storage_view(storage, part, view.dtype)).tolist():
            yield made(number_like(view, value))  # type: ignore[misc]
            position += 1
            if array._view is not view or storage.writes != mark[1]:
                break
            if (device.shared or device.kept) and storage.is_seen:
                break
