"""Reductions and scans, and comparisons of whole arrays."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.reduce import moments as moments, reductions as reductions
else:
    __getattr__ = lazy.modules(__name__)
