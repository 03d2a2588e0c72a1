"""Own functions are compiled when they are first called, so that the call tells of their errors."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xarr.backends.device import Device
from xarr.engine import engine
from xarr.errors import CompileError


def require_compiles(device: Device, name: str, templates: Iterable[str]) -> None:
    """Compile the functions of the own kernel `name` that templates call.

    Raises
    ------
    CompileError
        If they do not compile.
    """
    called = tuple(word for text in templates for word in re.findall(r"\bxr_own_\w+", text))
    with device.lock:
        try:
            engine.kernel_of(
                device,
                "check.c",
                "xr_check",
                called,
                lambda: ([f"#define XR_CHECKED {' '.join(called)}"], "@8x"),
            )
        except CompileError as error:
            error.op = name
            raise
