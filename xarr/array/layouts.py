"""Where the elements of an array lie, in which memory, and whether that may be written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, errors, layout
from xarr.array.array import Array, made, rebind
from xarr.array.operators import view_of
from xarr.array.transfers import from_host
from xarr.backends.device import default_float, get_device, require_on
from xarr.dtypes import DType
from xarr.ir.events import hooks
from xarr.ir.instructions import require_memory
from xarr.ir.views import View, constant, storage_view, structure
from xarr.layout import Layout
from xarr.tape import builder


def settled(array: Array) -> Layout:
    """Give an array a storage if it has none; return its layout."""
    view = array._view
    if view.value is not None:
        builder.materialise(view)
    assert view.layout is not None
    return view.layout


def layout_of(array: Array) -> Layout:
    """Return the layout of an array, or the one that it will have once it is computed."""
    return array._view.layout or layout.contiguous(array._view.shape)


def view(array: Array, where: Layout) -> Array:
    """Return an array that shares the memory of `array`, which has to be settled."""
    view = array._view
    assert view.storage is not None
    return viewed(array, storage_view(view.storage, where, view.dtype))


def renamed(array: Array, name: Hashable, lay: Callable[[Layout], Layout]) -> Array:
    """Return a view whose elements lie as a function of the array's layout says.

    It is known by its name for all arrays that lie alike.
    """
    view = array._view
    if view.value is not None:
        builder.materialise(view)
    how = view.structure
    known = how.known(name)
    if known is None:
        assert how.layout is not None
        where = lay(how.layout)
        known = structure(how.device, how.dtype, where.shape, where.strides), where.offset
        how.remember(name, known)
    return viewed(array, View(view.storage, known[0], view.offset + known[1]))


def transposed(where: Layout) -> Layout:
    """Return the layout with its axes in reverse order."""
    return where.permuted(tuple(reversed(range(len(where.shape)))))


def is_number(array: Array) -> bool:
    """Return whether NumPy has a number here, which never changes: it has no axes."""
    return not array._view.shape and not array._kept


def keep_array(array: Array) -> Array:
    """Mark an array as none of NumPy's numbers: also without axes, += and its like write to it."""
    array._kept = True
    return array


def lock(array: Array) -> Array:
    """Mark an array that cannot be written any more, nor what is made a view of it."""
    array._locked = True
    return array


def like(array: Array, view: View) -> Array:
    """Return an array of a view, which without axes is a number where `array` is one."""
    result: Array = made(view) if view.shape and view.value is None else Array(view)
    result._kept = array._kept
    return result


def viewed(array: Array, view: View) -> Array:
    """Return an array of a view in the memory of `array`; of a number, which is fixed, a copy."""
    if is_number(array):
        return Array(builder.copied(view))
    return view_of(array, view)  # type: ignore[no-any-return]


def part(array: Array, number: int) -> Array:
    """Return the real (0) or imaginary part (1) of a complex array, as a view."""
    view = array._view
    if view.value is not None:
        builder.materialise(view)
    how = view.structure
    known = how.known("part")
    if known is None:
        assert how.strides is not None
        strides = tuple([2 * step for step in how.strides])
        known = structure(how.device, dtypes.PART[how.dtype], how.shape, strides)
        how.remember("part", known)
    return viewed(array, View(view.storage, known, 2 * view.offset + number))


def reinterpreted(array: Array, row: DType, where: str) -> View:
    """Return a view of an array's memory as of another data type, by NumPy's rules."""
    given = settled(array)
    view = array._view
    assert view.storage is not None
    lies = layout.reinterpreted(given, view.dtype.itemsize, row.itemsize, where)
    require_on(view.device, row, where)
    if view.storage.lender is not None and row.itemsize > view.dtype.itemsize:
        begin = view.device.driver.address(view.storage.buffer)
        if begin % row.itemsize:
            raise layout.misaligned(where, row.itemsize)
    return storage_view(view.storage, lies, row)


def kept_order(where: Layout) -> tuple[int, ...]:
    """Return the axes as they lie in memory, the outermost first: what NumPy calls order "K"."""
    places = [
        axis
        for axis, extent in enumerate(where.shape)
        if extent > 1 and where.strides[axis] and where.size
    ]
    ordered = sorted(places, key=lambda axis: -abs(where.strides[axis]))
    axes = list(range(len(where.shape)))
    for place, axis in zip(places, ordered, strict=True):
        axes[place] = axis
    return tuple(axes)


def axes_in_order(array: Array, order: str | None, where: str) -> tuple[int, ...] | None:
    """Return the axes from the outermost to the innermost that an order asks for; None for C's.

    "A" and "K" follow the array.
    """
    view = array._view
    order = layout.order_of(order, where)
    if order == "C" or len(view.shape) < 2:
        return None
    if order == "F":
        return tuple(reversed(range(len(view.shape))))
    lies = view.layout
    if lies is None or lies.linear:
        return None
    if layout.is_fortran(lies):
        return tuple(reversed(range(len(view.shape))))
    if order == "A":
        return None
    axes = kept_order(lies)
    return None if list(axes) == sorted(axes) else axes


def laid_out(view: View, axes: tuple[int, ...] | None) -> View:
    """Return a new view of a view's values; where axes are given, one in which they lie so."""
    if axes is None:
        return builder.copied(view)
    if view.value is not None:
        shape = tuple(view.shape[axis] for axis in axes)
        turned = constant(view.value, view.dtype, shape, view.device)
        builder.materialise(turned)
    else:
        assert view.storage is not None
        assert view.layout is not None
        turned = builder.copied(storage_view(view.storage, view.layout.permuted(axes), view.dtype))
    assert turned.storage is not None
    assert turned.layout is not None
    back = sorted(range(len(axes)), key=lambda place: axes[place])
    return storage_view(turned.storage, turned.layout.permuted(back), view.dtype)


def in_order(array: Array, order: str | None, where: str, accepted: str = "CFAK") -> Array:
    """Return the array if it lies in an order, else a copy that does; "A" and "K" leave it so."""
    order = layout.order_of(order, where, accepted)
    if order == "C":
        return array if layout_of(array).linear else Array(builder.copied(array._view))
    if order != "F":
        return array
    if layout.is_fortran(layout_of(array)):
        return array
    return Array(laid_out(array._view, axes_in_order(array, order, where)))


def reshape_in_place(array: Array, shape: Any) -> None:
    """Give an array another shape where strides can express it."""
    where = "x.shape = shape"
    extents = layout.resolved(shape, array.size, where)
    lies = settled(array).reshaped(extents)
    view = array._view
    assert view.storage is not None
    if lies is None:
        raise errors.refused(
            AttributeError,
            where,
            f"x has shape {view.shape} with strides {array.strides} and shape is {extents}",
            "strides must be able to express shape",
            "write x = x.reshape(shape), which copies",
        )
    rebind(array, storage_view(view.storage, lies, view.dtype))


def constructed(shape: Any, dtype: Any, buffer: Any, offset: Any, strides: Any, order: Any) -> View:
    """Return the view of what `ndarray(shape, dtype, buffer, offset, strides, order)` makes."""
    where = "ndarray(shape)"
    order = layout.order_of(order, where, "CF")
    on = buffer._view.device if type(buffer) is Array else get_device()
    row = default_float(on) if dtype is None else dtypes.lookup(dtype, where)
    require_on(on, row, where)
    if not isinstance(shape, Sequence | numpy.ndarray | SupportsIndex) or isinstance(shape, str):
        raise errors.type_error(
            where,
            f"shape is of type {type(shape).__name__}",
            "shape must be an integer or a tuple of integers",
            "to make an array of values use xarr.asarray(values)",
        )
    extents = layout.extents_of(shape, where)
    if strides is not None and not isinstance(strides, Sequence):
        strides = (strides,)
    if strides is not None and len(strides) != len(extents):
        raise errors.value_error(
            where,
            f"strides has {len(strides)} numbers and shape {len(extents)}",
            "strides must have a number for each axis",
        )
    if buffer is None:
        require_memory(on, row, extents)
        zeros = constant(row.numpy.type(0).item(), row, extents, on)
        if order != "F" or len(extents) < 2:
            return zeros
        return laid_out(zeros, tuple(reversed(range(len(extents)))))
    if type(buffer) is not Array:
        try:
            host = numpy.ndarray(extents, row.numpy, buffer, offset, strides, order)
        except TypeError as error:
            raise errors.type_error(
                where, str(error), "buffer must support the buffer protocol"
            ) from None
        return from_host(host, on, where)
    lies = settled(buffer)
    view = buffer._view
    assert view.storage is not None
    # Checked by NumPy, which makes one of memory that has as many bytes.
    if not lies.linear:
        raise errors.value_error(where, "buffer has gaps", "it must lie in C order without gaps")
    room = numpy.empty(buffer.nbytes, numpy.uint8)
    like = numpy.ndarray(extents, row.numpy, room.data, offset, strides, order)
    begin = lies.offset * view.dtype.itemsize + int(offset)
    if begin % row.itemsize or any(step % row.itemsize for step in like.strides):
        raise layout.misaligned(where, row.itemsize)
    steps = tuple(step // row.itemsize for step in like.strides)
    return storage_view(view.storage, Layout(extents, steps, begin // row.itemsize), row)


def assign(array: Array, where: Layout, value: View) -> None:
    """Write a value that broadcasts to `where.shape` into the settled array's memory."""
    view = array._view
    assert view.storage is not None
    builder.write(view.storage, where, view.dtype, value)


def is_whole(array: Array) -> bool:
    """Return whether the array has no memory yet, so that a new value may simply be bound to it.

    A recorder has to be told of the write.
    """
    return array._view.value is not None and hooks.recorder is None


def writeable(array: Array) -> bool:
    """Return whether the memory may be written, and no element stands for several (broadcast)."""
    if array._locked:
        return False
    view = array._view
    storage = view.storage
    return storage is None or not (storage.read_only or view.structure.repeats)


def require_writeable(array: Array, where: str) -> None:
    """Refuse to write to a broadcast view, and to memory that others lent for reading."""
    if not writeable(array):
        view = array._view
        remedy = "write to a copy: x = xarr.asarray(x, copy=True)"
        if view.storage is not None and view.storage.read_only:
            given, accepted = "read-only memory of another library", "the memory must be writable"
        elif view.structure.repeats:
            given = "a broadcast view, several of whose elements share memory"
            accepted = "it is read-only, as each element must have memory of its own"
            remedy += f"; {errors.difference('np-broadcast-to')}"
        else:
            given, accepted = "read-only", "x.flags.writeable must be True"
        raise errors.value_error(where, f"the array is {given}", accepted, remedy)
