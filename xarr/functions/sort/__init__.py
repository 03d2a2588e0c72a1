"""Sorting, and the sets of distinct elements that it makes."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.sort import sorting as sorting, sorting_by_numpy as sorting_by_numpy
else:
    __getattr__ = lazy.modules(__name__)
