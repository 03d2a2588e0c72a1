"""Data types, and questions about them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.types import data_types as data_types
