"""Repeat launches of a program's own kernels without looking at all arguments again.

A launch whose arrays have the structures of those of an earlier launch, and whose numbers have the
same types, differs from it in addresses and numbers alone. All other launches, and all errors, go
the long way: `RawKernel`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Hashable, Sequence
from typing import Any, Final

import numpy

from xarr import tuning
from xarr.array.array import Array
from xarr.backends.base import Driver
from xarr.backends.device import Device
from xarr.ir.events import counts, hooks
from xarr.ir.steps import end_before_others
from xarr.tape import builder
from xarr.tape.launches import LaunchOp, OffsetOf, PointerTo
from xarr.tape.tape import tape_of
from xarr.user_kernels.arguments import is_small_integer
from xarr.user_kernels.declarations import Parameter

_FORMATS: Final = {
    "b1": "?",
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
}
"""The formats of `struct` for data types of NumPy's, by kind and bytes."""
_SLOT_NBYTES: Final = 8
Launched = tuple[LaunchOp, Device, Sequence[int | None], dict[int, str | None]]
"""A launch, its device, and the origins and formats of its parameters: see `Repeats.keep`."""


def format_of(value: Any, parameter: Parameter | None) -> str | None:
    """Return how `struct` packs a number as a parameter takes it; None where it does not."""
    if not isinstance(value, bool | int | float | numpy.generic):
        return None
    dtype = None if parameter is None else parameter.dtype
    if dtype is None:
        dtype = value.dtype if isinstance(value, numpy.generic) else numpy.dtype(type(value))
    return _FORMATS.get(f"{dtype.kind}{dtype.itemsize}")


class Repeat:
    """A launch that was made, to be made again with other memory and other numbers.

    Parameters
    ----------
    operation : LaunchOp
        The launch.
    device : Device
        Where it was made.
    origins : sequence of int or None
        For each of its parameters the argument that it comes from; None for one that stays.
    formats : dict of int to str
        For each argument that is a number, how `struct` packs it.
    """

    __slots__ = (
        *("_device", "_driver", "_fixed", "_given", "_numbers", "_offsets", "_pack", "_places"),
        *("_pointers", "_slots", "_views", "_written"),
    )

    def __init__(
        self,
        operation: LaunchOp,
        device: Device,
        origins: Sequence[int | None],
        formats: dict[int, str],
    ) -> None:
        self._device, self._driver = device, device.driver
        self._pointers, self._offsets = list[tuple[int, int, int]](), list[tuple[int, int]]()
        self._numbers, self._views = list[tuple[int, int]](), list[int]()
        self._fixed = list[Any]()
        begun = {one.number for one in operation.arguments if isinstance(one, OffsetOf)}
        layout = "="
        for at, (given, origin) in enumerate(zip(operation.arguments, origins, strict=True)):
            letter = "Q"
            if isinstance(given, PointerTo):
                assert origin is not None
                # Memory without a begin was that of an array at its begin; others lie elsewhere.
                nbytes = 0 if given.number in begun else operation.operands[given.number].itemsize
                self._pointers.append((at, origin, nbytes))
                self._views.append(origin)
                self._fixed.append(0)
            elif isinstance(given, OffsetOf):
                self._offsets.append((at, self._views[given.number]))
                self._fixed.append(0)
            elif origin is not None:
                letter = formats[origin]
                self._numbers.append((at, origin))
                self._fixed.append(0)
            else:
                assert isinstance(given, bytes)
                self._fixed.append(int.from_bytes(given.ljust(_SLOT_NBYTES, b"\0"), "little"))
            layout += f"{letter}{_SLOT_NBYTES - struct.calcsize('=' + letter)}x"
        self._written = [self._views[number] for number in operation.written]
        self._fixed.append(operation.local_nbytes)  # a CPU's last one
        self._pack = struct.Struct(layout + "Q").pack_into
        count = len(self._fixed)
        self._slots = (ctypes.c_uint64 * count)()
        begin = ctypes.addressof(self._slots)
        self._places = (ctypes.c_void_p * count)(
            *[begin + _SLOT_NBYTES * number for number in range(count)]
        )
        self._given = (
            *(operation.kernel, operation.grid, operation.group),
            *(ctypes.addressof(self._places), operation.local_nbytes),
        )

    def launch(self, args: Sequence[Any]) -> bool:
        """Launch it on arguments of the same structures and types; return whether it did."""
        if hooks.recorder is not None or hooks.run is not None:
            return False
        device, driver = self._device, self._driver
        with device.lock:
            # Where launches are recorded or measured, the driver has other methods.
            if device.driver is not driver or "launch_with" in vars(driver):
                return False
            for number in self._written:
                array = args[number]
                if array._locked or array._view.storage is None or array._view.storage.read_only:
                    return False
            tape = tape_of(device)
            if tape.is_running:
                return False
            if tape.instructions or tape.failed_pending:
                storages = {args[number]._view.storage for number in self._written}
                for number in self._views:
                    builder.compute(args[number]._view)
                builder.release(device, storages.__contains__)
            values = self._fixed.copy()
            for at, number, nbytes in self._pointers:
                view = args[number]._view
                storage = view.storage
                if storage is None:
                    return False
                storage.settle()
                values[at] = driver.address(storage.buffer) + view.offset * nbytes
            for at, number in self._offsets:
                values[at] = args[number]._view.offset
            for at, number in self._numbers:
                values[at] = args[number]
            tape.is_running = True  # a finalizer that launched it would change the parameters
            try:
                self._pack(self._slots, 0, *values)
                if not driver.launch_at(*self._given):
                    return False
            except (struct.error, OverflowError, TypeError):
                return False
            finally:
                tape.is_running = False
            end_before_others(device)
            for number in self._written:
                args[number]._view.storage.writes += 1
            counts.launches += 1
        return True


def _types(sizes: Any) -> Any:
    """Return the types of sizes: equal keys have equal ones, too."""
    return (*map(type, sizes),) if type(sizes) is tuple else type(sizes)


class Repeats:
    """The launches of a kernel that may be repeated, by sizes, structures and types."""

    def __init__(self) -> None:
        self._known = dict[Any, Repeat]()

    def key(self, grid: Any, block: Any, args: Sequence[Any]) -> Any:
        """Return what launches have in common that differ in memory and numbers alone."""
        memory = {arg._view.storage for arg in args if type(arg) is Array}
        return (
            *(grid, block, len(memory)),  # a kernel by threads has another text where it is shared
            *(_types(grid), _types(block)),  # 1.0 equals 1, and is refused
            *[
                arg._view.structure if type(arg) is Array else (type(arg), is_small_integer(arg))
                for arg in args
            ],
        )

    def launch(self, key: Any, args: Sequence[Any]) -> bool:
        """Repeat a launch that is known by a key; return whether it did."""
        try:
            known = self._known.get(key)
        except TypeError:  # sizes that are a list
            return False
        return known is not None and known.launch(args)

    def keep(
        self,
        key: Any,
        operation: LaunchOp,
        device: Device,
        origins: Sequence[int | None],
        formats: dict[int, str | None],
        args: Sequence[Any],
    ) -> None:
        """Keep a launch that was made, if it can be repeated; see `Repeat`.

        formats : dict -- How `struct` packs each number; None where it does not.
        """
        if not any(isinstance(given, PointerTo) for given in operation.arguments):
            return  # it is of the default device
        is_plain = (type(device.driver).launch_at is not Driver.launch_at) and not getattr(
            operation.kernel, "attributes", ()
        )
        for given, origin in zip(operation.arguments, origins, strict=True):
            if isinstance(given, PointerTo):
                is_plain = is_plain and origin is not None and type(args[origin]) is Array
            elif not isinstance(given, OffsetOf):
                is_plain = is_plain and isinstance(given, bytes) and len(given) <= _SLOT_NBYTES
                is_plain = is_plain and (origin is None or formats.get(origin) is not None)
        if not is_plain or not all(isinstance(one, Hashable) for one in key):
            return  # sizes that are a list
        if len(self._known) >= tuning.KEPT_LAUNCHES:
            self._known.clear()
        known = {at: text for at, text in formats.items() if text is not None}
        self._known[key] = Repeat(operation, device, origins, known)
