"""Ranges of NVTX, which NVIDIA's tools show, where the package `nvtx` is installed."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

try:
    import nvtx
except ImportError:
    nvtx = None


def named(name: str) -> AbstractContextManager[Any]:
    """A ``with`` block that such tools show under a name, among those of xarr."""
    if nvtx is None:
        return contextlib.nullcontext()
    found: AbstractContextManager[Any] = nvtx.annotate(name, domain="xarr")
    return found
