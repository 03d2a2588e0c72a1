"""Values on their way between the host and a device, as views and NumPy arrays; no Array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.backends.device import Device, require_on
from xarr.dtypes import DType
from xarr.errors import READING
from xarr.ir.events import hooks
from xarr.ir.steps import end_before_others
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.ops import vendor
from xarr.tape import builder, recorders, scalar_access
from xarr.tape.scalar_access import values_of
from xarr.tape.tape import tape_of

Host = numpy.ndarray[tuple[int, ...], numpy.dtype[Any]]


Observer = Callable[[str, int, str, Device], None]
"""Is told of a hidden transfer: what asks for it, its bytes, "to" or "from", the device."""


class _Transfers:
    """The state of hidden transfers: whether they are errors, and their observers."""

    def __init__(self) -> None:
        self.forbidden = 0
        self.asked_for = 0
        self.observers: list[Observer] = []


_transfers: Final = _Transfers()


def forbidden() -> bool:
    """Return whether a hidden transfer would be an error now."""
    return _transfers.forbidden > 0 and not _transfers.asked_for


def note(where: str, nbytes: int, direction: str, device: Device) -> None:
    """Note a hidden transfer before it happens; an error where that is forbidden.

    What a function reads that says "Runs on the host." is hidden, on a CPU as well.
    """
    if not hooks.transfers:
        return
    if forbidden():
        raise errors.refused(
            errors.ImplicitTransferError,
            errors.reading_call(where),
            f"{nbytes} bytes would move {direction} {device}",
            "transfers must be explicit within no_implicit_transfer()",
            "use xarr.asarray or xarr.to_numpy, which transfer openly",
            errors.difference("find-hidden-transfers"),
        )
    tell(where, nbytes, direction, device)


def tell(where: str, nbytes: int, direction: str, device: Device) -> None:
    """Tell the observers of a transfer that is no error, as of what is written to a file."""
    if _transfers.asked_for:
        return
    for observer in _transfers.observers:
        observer(where, nbytes, direction, device)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Tell a function of each hidden transfer, and of files, within a ``with`` block."""
    _transfers.observers.append(observer)
    hooks.transfers += 1
    try:
        yield
    finally:
        _transfers.observers.remove(observer)
        hooks.transfers -= 1


@contextmanager
def no_implicit_transfer() -> Iterator[None]:
    """Turn each hidden transfer between host and device into an error within a ``with`` block.

    Hidden transfers are: NumPy arrays and lists as operands, `float(x)`, `print(x)`,
    `numpy.asarray(x)`, NumPy's functions that the host computes, and functions that run on the host
    by their documentation. They are errors on a CPU too, where `numpy.asarray(x)` shares memory.
    Allowed are: writing files, and most ways to read a constant such as `ones(3)`, which no device
    holds yet.

    >>> x = xarr.ones(2)
    >>> with xarr.no_implicit_transfer():
    ...     y = x + 1
    >>> y.tolist()
    [2.0, 2.0]
    """
    _transfers.forbidden += 1
    hooks.transfers += 1
    try:
        yield
    finally:
        _transfers.forbidden -= 1
        hooks.transfers -= 1


class _Openly(AbstractContextManager[None]):
    """A block whose transfers are asked for openly; it is no generator, which takes longer."""

    def __enter__(self) -> None:
        _transfers.asked_for += 1

    def __exit__(self, *exception: object) -> None:
        _transfers.asked_for -= 1


_OPENLY: Final = _Openly()


def openly() -> AbstractContextManager[None]:
    """Permit transfers within `no_implicit_transfer`, where a program asks for them openly."""
    return _OPENLY


def is_unobserved() -> bool:
    """Return whether hidden transfers are allowed and have no observer."""
    return not hooks.transfers


def are_allowed() -> bool:
    """Return whether hidden transfers are no errors here."""
    return not _transfers.forbidden


def host_values(obj: Any, where: str, name: str) -> Host:
    """Convert to a NumPy array."""
    mask = getattr(obj, "mask", None) if isinstance(obj, numpy.ndarray) else None
    if mask is not None and numpy.any(mask):
        raise errors.type_error(
            where,
            f"{name or errors.operand_of(where)} has a mask",
            "it must have no mask to be on a device",
            f"pass its .filled(value), or call NumPy's function; {errors.difference('np-ma')}",
        )
    try:
        return numpy.asarray(obj)
    except ValueError as error:
        raise errors.value_error(
            where,
            f"{name or errors.operand_of(where)} is no array of numbers ({error})",
            "nested sequences must have the same length at each level",
        ) from None


def row_of(values: Host, where: str, name: str) -> DType:
    """Return xarr's data type of a NumPy array, in whichever order its bytes are."""
    dtype = values.dtype
    row = dtypes.BY_NUMPY.get(dtype if dtype.isnative else dtype.newbyteorder("="))
    if row is None:
        given = f"{name or errors.operand_of(where)} has dtype {values.dtype}"
        raise errors.type_error(where, given, dtypes.ACCEPTED, dtypes.why_not(values.dtype))
    return row


def from_host(
    values: Host, device: Device, where: str, name: str = "the array", row: DType | None = None
) -> View:
    """Upload a NumPy array, of a known data type or its own; return a copy to write to."""
    view = uploaded(values, device, where, name, row)
    return view if view.value is not None else builder.owned(view)


def uploaded(
    values: Host, device: Device, where: str, name: str = "the array", row: DType | None = None
) -> View:
    """Upload a NumPy array that nothing writes to; return the view of the copy."""
    row = row or row_of(values, where, name)
    require_on(device, row, where)
    if values.ndim == 0:
        return constant(values.item(), row, (), device)
    nbytes = values.nbytes
    note(where, nbytes, "to", device)
    is_few = True if nbytes <= tuning.KEPT_NBYTES else None
    data = numpy.array(values, row.numpy, order="C", copy=is_few)
    own = vendor.held(data, device, row, is_new=True) if is_few else None
    if own is not None:
        return own
    with device.lock:
        storage = builder.allocate(device, data.nbytes)
        if data.nbytes:
            device.driver.upload(storage.buffer, 0, data)
    return storage_view(storage, layout.contiguous(values.shape), row)


def to_host(view: View, where: str = READING) -> Host:
    """Download a view's values."""
    if view.value is not None:
        return numpy.full(view.shape, view.value, view.dtype.numpy)
    host = numpy.empty(view.shape, view.dtype.numpy)
    note(where, host.nbytes, "from", view.device)
    if host.size == 0:
        return host
    recorders.reading(where, view)
    with view.device.lock:
        builder.compute(view)
        assert view.storage is not None
        if type(view.storage.buffer) is numpy.ndarray or not view.structure.is_linear:
            there = values_of(view)
            if there is not None:
                host[...] = there
                return host
    storage, begin = in_a_row(view)
    with view.device.lock:
        view.device.driver.download(storage.buffer, begin, host)
    return host


def item_of(view: View, where: str = READING) -> Any:
    """Download the one element of a view that is no constant; as a Python scalar."""
    dtype = view.dtype
    device = view.device
    note(where, dtype.itemsize, "from", device)
    recorders.reading(where, view)
    with device.lock:
        found = builder.there(view)
        assert found.storage is not None
        if type(found.storage.buffer) is numpy.ndarray or device.driver.stable_addresses:
            value = scalar_access.peek(found, found.offset)
            if value is not None:
                return value
        # To reach into a new buffer takes other drivers longer than to copy.
        host = numpy.empty(1, dtype.numpy)
        found.storage.settle()
        device.driver.download(found.storage.buffer, found.offset * dtype.itemsize, host)
    return host.item()


def to_device(view: View, device: Device, where: str) -> View:
    """The view's values on another device."""
    require_on(device, view.dtype, where)
    if view.value is not None:
        return constant(view.value, view.dtype, view.shape, device)
    if device.driver.reaches(view.device.driver):
        return _copied_to(view, device)
    with openly():
        return from_host(to_host(view), device, where)


def _copied_to(view: View, device: Device) -> View:
    """The view of a copy on a device whose driver reaches the view's."""
    recorders.computing(f"to_device({device})", view)
    where = layout.contiguous(view.shape)
    nbytes = where.size * view.dtype.itemsize
    target = builder.allocate(device, nbytes)
    if nbytes:
        source, begin = in_a_row(view)
        first, second = sorted((view.device, device), key=str)  # as every thread does
        with first.lock, second.lock:
            copy = device.driver.copy
            tape_of(device).ask(copy, source.buffer, begin, target.buffer, 0, nbytes)
            end_before_others(view.device)
    return storage_view(target, where, view.dtype)


def in_a_row(view: View) -> tuple[Storage, int]:
    """A storage in which the elements lie in C order, and the byte that they begin at."""
    builder.compute(view)
    if view.layout is None or not view.layout.linear:
        view = builder.copied(view)
        builder.compute(view)
    assert view.storage is not None
    assert view.layout is not None
    view.storage.settle()
    return view.storage, view.layout.offset * view.dtype.itemsize


# What the host computes for a device that has no library is as hidden.
vendor.observers.append(note)
