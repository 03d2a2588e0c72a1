"""Data types, and questions about them."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.types import data_types as data_types
else:
    __getattr__ = lazy.modules(__name__)
