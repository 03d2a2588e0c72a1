"""Loads every chapter, so that `FUNCTIONS` holds all public functions."""

from __future__ import annotations

from xarr.array.array import FUNCTIONS
from xarr.functions import (  # noqa: F401 - each fills FUNCTIONS as it is imported
    creation,
    data_types,
    fft,
    indexing,
    interchange,
    joining,
    linalg,
    manipulation,
    printing,
    searching,
    sets,
    sorting,
    statistical,
)
from xarr.tables import elementwise, reductions  # noqa: F401 - likewise

__all__ = ["FUNCTIONS"]
