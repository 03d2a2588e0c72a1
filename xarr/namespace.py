"""Loads every chapter, so that `FUNCTIONS` holds all public functions."""

from __future__ import annotations

from xarr import (  # noqa: F401 - each fills FUNCTIONS as it is imported
    creation,
    data_type,
    elementwise,
    fft,
    indexing,
    interchange,
    joining,
    linalg,
    manipulation,
    printing,
    reductions,
    searching,
    sets,
    sorting,
    statistical,
)
from xarr.array import FUNCTIONS

__all__ = ["FUNCTIONS"]
