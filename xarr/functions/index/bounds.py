"""Indices that are looked at before they are used: those out of range are refused."""

from __future__ import annotations

from typing import Any

from xarr import dtypes, tuning
from xarr.array.array import Array
from xarr.array.transfers import is_unobserved
from xarr.errors import refused
from xarr.functions.elementwise import elementwise
from xarr.functions.reduce import reductions
from xarr.ir.views import View
from xarr.ops import gather, vendor
from xarr.tape import recorders
from xarr.tape.recording import operands_of
from xarr.tape.scalar_access import Host, function_of
from xarr.tape.tape import tape_of


def in_range(array: Array, extent: int, axis: int, where: str) -> Array:
    """Refuse indices out of range; reads one value back from the device, if it has to.

    Return the indices, clipped where a replay or a launch of a graph may have others: these read
    nothing back.
    """
    if _is_made_in_range(array._view, extent):
        return array
    if array.size and extent:
        recorders.checked(lambda view: _require_in_range(view, extent, axis, where), array._view)
        if recorders.varies(array._view) or array.device.is_recorded:
            low, high = dtypes.integer_bounds(array._view.dtype)
            array = elementwise.minimum(array, extent - 1) if extent <= high else array
            return elementwise.maximum(array, -extent) if low < -extent else array
    elif array.size:
        _require_in_range(array._view, extent, axis, where)
    return array


def _is_made_in_range(view: View, extent: int) -> bool:
    """Return whether all elements of a pending view are in range by what makes them.

    On a GPU `x[argsort(k)]` then waits for nothing: to look at the indices takes a launch and a
    read.
    """
    storage = view.storage
    if storage is None or storage.buffer is not None:
        return False
    for instruction in reversed(list(tape_of(view.device).instructions)):
        if instruction.written is not storage:
            continue
        made = instruction.opcode.target
        if storage.is_seen or instruction.fresh is None or made is None:
            return False
        if made.dtype is not view.dtype:
            return False
        name = instruction.opcode.operation.name
        operands = operands_of(instruction.opcode, instruction.views, instruction.scalar)
        if name == "argsort":
            return bool(max(operands[0].shape) <= extent)
        if name in ("argmax", "argmin"):
            return bool(operands[0].structure.size <= extent * made.size)
        if name == "remainder":
            number = operands[1].value
            return bool(number is not None and 0 < number <= extent)
        if name != "astype" or operands[0].dtype.kind not in dtypes.INTEGER:
            return False
        # A conversion to any integers keeps indices in range.
        view, storage = operands[0], operands[0].storage
        if storage is None:
            return False
    return False


def _require_in_range(view: View, extent: int, axis: int, where: str) -> None:
    """Refuse indices out of range; do not look again until the indices are written to.

    A list of neighbours is used often: on an H200 `x[k]` of 1,000 indices took 150 us where they
    were looked at each time.
    """
    storage = view.storage
    if storage is None:
        assert view.value is not None
        require_bounds(int(view.value), int(view.value), extent, axis, where)
        return
    known = gather.Looked.at(view)
    if known is None or known.extent > extent:
        _look_at(view, extent, axis, where)
        gather.Looked.remember(view, extent)


def _look_at(view: View, extent: int, axis: int, where: str) -> None:
    """Refuse indices out of range: few by NumPy, where the host reaches them, and very many."""
    size = view.structure.size
    if is_unobserved():
        bounds: Any = None
        if size <= tuning.INDICES:
            bounds = function_of(_bounds_of, (view,))
        elif size >= tuning.INDICES_READ_ONCE:
            bounds = vendor.now("min", _bounds_of, (view,))
        if bounds is not None:
            low, high = bounds
            require_bounds(low, high, extent, axis, where)
            return
    array = Array(view)
    # Beyond what the type holds nothing lies, and an operand that it does not hold is refused.
    low, high = dtypes.integer_bounds(view.dtype)
    outside = array >= extent if extent <= high else None
    if low < -extent:
        below = array < -extent
        outside = below if outside is None else elementwise.logical_or(below, outside)
    if outside is not None and bool(reductions.any(outside)):
        require_bounds(int(reductions.min(array)), int(reductions.max(array)), extent, axis, where)


def _bounds_of(values: Host) -> tuple[int, int]:
    """Return the least and the largest of some integers, which are read once."""
    if values.size <= tuning.HOST_BLOCK or values.ndim > 1:
        return int(values.min()), int(values.max())
    parts = [values[at : at + tuning.HOST_BLOCK] for at in range(0, values.size, tuning.HOST_BLOCK)]
    bounds = [(part.min(), part.max()) for part in parts]
    return int(min(bounds)[0]), int(max([high for _, high in bounds]))


def require_bounds(low: int, high: int, extent: int, axis: int, where: str) -> None:
    """Refuse the least or the largest of indices that is out of range."""
    if low < -extent or high >= extent:
        index = low if low < -extent else high
        fault = f"index {index} is out of bounds for axis {axis} with size {extent}"
        accepted = (
            f"it must be in [{-extent}, {extent})" if extent else "the axis must have elements"
        )
        raise refused(IndexError, where, fault, accepted, "-1 is the last" if extent else "")
