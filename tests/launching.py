"""For tests that change what a device says of itself, or that look at kernels and run none."""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import xarr
from xarr.backends.base import Driver
from xarr.compiler import source
from xarr.engine import engine


def change(patch: pytest.MonkeyPatch, device: xarr.Device, **info: Any) -> None:
    """Let a device say other things of itself, and forget what was compiled for it."""
    patch.setattr(device, "info", dataclasses.replace(device.info, **info))
    patch.setattr(device, "kernels", {})
    patch.setattr(device, "forms", {})


def record(patch: pytest.MonkeyPatch, device: xarr.Device, *, runs: bool = False) -> dict[str, str]:
    """The CUDA sources of all kernels that a device is asked for, and their entries.

    The kernels run only where `runs`; else results have data type and shape, and no values.
    """
    change(patch, device)
    sources = dict[str, str]()
    kernel_of = engine.kernel_of

    def recorded(
        device: xarr.Device,
        skeleton: str,
        entry: str,
        key: Any,
        describe: Callable[[], tuple[list[str], str]],
    ) -> engine.Kernel:
        defines, arguments = describe()
        sources[source.assemble(skeleton, "cuda", defines)] = entry
        if runs:
            return kernel_of(device, skeleton, entry, key, describe)
        return engine.Kernel(None, struct.Struct(arguments), skeleton)

    _replace(patch, device, "kernel_of", recorded)
    if not runs:
        _replace(patch, device, "run", lambda *_: None)
    return sources


def _replace(
    patch: pytest.MonkeyPatch, device: xarr.Device, name: str, other: Callable[..., Any]
) -> None:
    """Replace a function of the engine's for one device."""
    real = getattr(engine, name)
    patch.setattr(
        engine, name, lambda on, *rest: other(on, *rest) if on is device else real(on, *rest)
    )


@contextlib.contextmanager
def nothing_launched() -> Iterator[None]:
    """Compile and launch no kernels on the default device, as where `record` lets none run."""
    arguments: Any = SimpleNamespace(pack=lambda *_: b"")
    with pytest.MonkeyPatch.context() as patch:
        device = xarr.default_device()
        change(patch, device)
        _replace(patch, device, "kernel_of", lambda *_: engine.Kernel(None, arguments, ""))
        _replace(patch, device, "run", lambda *_: None)
        yield


def refuse_memory(monkeypatch: pytest.MonkeyPatch, is_short: Callable[[], bool]) -> None:
    """Let the default device's driver refuse an allocation where `is_short` says so."""
    kind = type(xarr.default_device().driver)
    allocate = kind.allocate

    def short(driver: Driver, nbytes: int) -> object:
        if is_short():
            raise MemoryError
        return allocate(driver, nbytes)

    monkeypatch.setattr(kind, "allocate", short)
