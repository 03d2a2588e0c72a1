"""For tests that change what a device says of itself, or that look at kernels and run none."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

import xarr
from xarr.array.array import Array
from xarr.backends.base import Driver
from xarr.codegen import launch, source
from xarr.ir.events import hooks
from xarr.ir.steps import launched
from xarr.ir.storage import Storage


def change(patch: pytest.MonkeyPatch, device: xarr.Device, **info: Any) -> None:
    """Let a device say other things of itself, and forget what was compiled for it."""
    patch.setattr(device, "info", dataclasses.replace(device.info, **info))
    patch.setattr(device, "kernels", {})
    patch.setattr(device, "programs", {})


def record(patch: pytest.MonkeyPatch, device: xarr.Device, *, runs: bool = False) -> dict[str, str]:
    """The CUDA sources of all kernels that a device is asked for, and their entries.

    The kernels run only where `runs`; else results have data type and shape, and no values.
    """
    change(patch, device)
    sources = dict[str, str]()
    kernel_of = launch.kernel_of

    def recorded(
        device: xarr.Device,
        skeleton: str,
        entry: str,
        key: Any,
        describe: Callable[[], tuple[list[str], str]],
    ) -> launch.Kernel:
        defines, arguments = describe()
        sources[source.assemble(skeleton, "cuda", defines)] = entry
        if runs:
            return kernel_of(device, skeleton, entry, key, describe)
        return launch.Kernel(None, struct.Struct(arguments), skeleton)

    _replace(patch, device, "kernel_of", recorded)
    if not runs:
        _launch_elsewhere(patch, device)
    return sources


def _replace(
    patch: pytest.MonkeyPatch, device: xarr.Device, name: str, other: Callable[..., Any]
) -> None:
    """Replace a function of the engine's for one device."""
    real = getattr(launch, name)
    patch.setattr(
        launch, name, lambda on, *rest: other(on, *rest) if on is device else real(on, *rest)
    )


def _launch_elsewhere(patch: pytest.MonkeyPatch, device: xarr.Device) -> None:
    """Launch kernels on other devices only."""
    patch.setattr(hooks, "launch", lambda on, *rest: None if on is device else launched(on, *rest))


class Launch(NamedTuple):
    """What a launch was: its kernel's file and text, and the buffers that it was given."""

    skeleton: str
    buffers: tuple[Any, ...]
    text: str
    argument_nbytes: int

    @property
    def stores(self) -> int:
        """How many values it stores, besides the result of a reduction."""
        return len(re.findall(r"\bp\d+\[at[^]]+\] = ", self.text))

    @property
    def operations(self) -> int:
        """How many values it computes or loads."""
        return len(re.findall(r"\bv\d+ = ", self.text))

    def reads(self, storage: Storage) -> bool:
        slots = {int(slot) for slot in re.findall(r"= .*?\bp(\d+)\[at", self.text)}
        return any(self.buffers[slot] is storage.buffer for slot in slots)

    @property
    def is_wide(self) -> bool:
        return "#define xr_index i64" in self.text


class Seen:
    """What the engine did within a `watched` block."""

    def __init__(self) -> None:
        self.launches = list[Launch]()
        self.allocated = list[int]()
        """The bytes of each allocation."""

    def reads_of(self, storage: Storage) -> int:
        """How many launches read a storage."""
        return sum(one.reads(storage) for one in self.launches)

    def stored(self, reading: Storage | None = None) -> list[int]:
        """How many values each launch stores, or each that reads a storage."""
        return [one.stores for one in self.launches if reading is None or one.reads(reading)]


@contextlib.contextmanager
def watched() -> Iterator[Seen]:
    """See what is launched and allocated on the default device, which plans anew."""
    device = xarr.default_device()
    seen = Seen()
    texts = dict[int, str]()
    kernel_of = launch.kernel_of
    kind = type(device.driver)
    allocate = kind.allocate

    def named(*rest: Any) -> launch.Kernel:
        kernel = kernel_of(*rest)
        texts[id(kernel)] = "\n".join(rest[-1]()[0])
        return kernel

    def noted(
        on: xarr.Device,
        kernel: launch.Kernel,
        grid: launch.Grid,
        buffers: Sequence[Any],
        arguments: bytes,
        *rest: Any,
    ) -> None:
        if on is device:  # what garbage launches elsewhere was compiled before
            argument_nbytes = len(arguments) + 8 * len(buffers)
            text = texts[id(kernel)]
            seen.launches.append(Launch(kernel.skeleton, tuple(buffers), text, argument_nbytes))
        launched(on, kernel, grid, buffers, arguments, *rest)

    def measured(driver: Driver, nbytes: int) -> object:
        seen.allocated.append(nbytes)
        return allocate(driver, nbytes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "programs", {})
        patch.setattr(launch, "kernel_of", named)
        patch.setattr(hooks, "launch", noted)
        patch.setattr(kind, "allocate", measured)
        yield seen


def refuse_memory(monkeypatch: pytest.MonkeyPatch, is_short: Callable[[], bool]) -> None:
    """Let the default device's driver refuse an allocation where `is_short` says so."""
    kind = type(xarr.default_device().driver)
    allocate = kind.allocate

    def short(driver: Driver, nbytes: int) -> object:
        if is_short():
            raise MemoryError
        return allocate(driver, nbytes)

    monkeypatch.setattr(kind, "allocate", short)


def together(*works: Callable[[], object]) -> None:
    """Do each work in a thread of its own, all at once, and wait for their ends."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        barrier.wait()
        work()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def storage_of(x: Array) -> Storage:
    """Where the elements of an array are, or will be."""
    storage = x._view.storage
    assert storage is not None
    return storage
