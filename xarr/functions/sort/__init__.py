"""Sorting, and the sets of distinct elements that it makes."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.sort import sorting as sorting
