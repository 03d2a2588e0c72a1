"""Own functions are compiled when they are first called, so that the call tells of their errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from xarr import tuning
from xarr.backends.device import Device
from xarr.codegen import launch, source
from xarr.codegen.source import define
from xarr.errors import CompileError
from xarr.memo import memo

_COMPLEX: Final = (
    "complex numbers are structures in C, without operators and methods: write a function of "
    "arrays, as def f(x): return x * x, which is fused as well"
)


def require_compiles(device: Device, name: str, templates: Iterable[str]) -> None:
    """Compile the functions of the own kernel `name` that templates call; see that they do."""
    called = tuple(word for text in templates for word in re.findall(r"\bxr_own_\w+", text))
    with device.lock:
        try:
            _compiles(device, called)
        except CompileError as error:
            error.op = name
            if any(re.search(r"\bc(64|128)\b", source.own[one]) for one in called):
                error.add_note(_COMPLEX)
            raise


def _compile(device: Device, called: tuple[str, ...]) -> None:
    """Compile functions; nothing is left of it but that they do."""
    text = launch.source_of(device, "check.c", [define("XR_CHECKED", map(call, called))])
    launch.load_or_compile(device, text, "xr_check", called)


_compiles: Final = memo(_compile, tuning.KERNELS)


def call(name: str) -> str:
    """A block of C that calls an own function: NVIDIA's OpenCL looks at no others."""
    found = re.search(rf"^DEVICE \w+ {name}\((.*)\)$", source.own[name], re.MULTILINE)
    assert found is not None
    kinds = [re.sub(r"\w+$", "", declared.strip()) for declared in found[1].split(",")]
    lines = [
        f"{kind.removeprefix('const ')} v{place}{' = 0' if '*' in kind else ''};"
        for place, kind in enumerate(kinds)
    ]
    values = ", ".join(f"v{place}" for place in range(len(kinds)))
    return f"{{ {' '.join(lines)} (void){name}({values}); }}"
