"""Kernels: their specifications and texts, and how they are compiled, cached and launched."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.codegen import compile_worker as compile_worker, launch as launch, source as source
else:
    __getattr__ = lazy.modules(__name__)
