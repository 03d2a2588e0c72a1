"""Reductions and scans, and comparisons of whole arrays."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.reduce import moments as moments, reductions as reductions
