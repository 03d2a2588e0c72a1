"""Loads every chapter, so that `FUNCTIONS` holds all public functions."""

from __future__ import annotations

from xarr import (  # noqa: F401 - each fills FUNCTIONS as it is imported
    creation,
    data_type,
    elementwise,
    indexing,
    manipulation,
    printing,
    reductions,
    searching,
    statistical,
)
from xarr.array import FUNCTIONS

__all__ = ["FUNCTIONS"]
