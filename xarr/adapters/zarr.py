"""Zarr: what is written to an array of Zarr's may be an Array; its codecs work on the host."""

from __future__ import annotations

from typing import Any

import numpy
import zarr
from zarr.buffer import cpu
from zarr.registry import register_ndbuffer

import xarr


class NDBuffer(cpu.NDBuffer):
    """A chunk on the host: Zarr compares the bits of one as records, which no device has."""

    @classmethod
    def from_ndarray_like(cls, ndarray_like: Any) -> Any:
        """The buffer of a chunk, which an Array comes to the host for."""
        is_array = type(ndarray_like) is xarr.Array
        return cls(numpy.asarray(ndarray_like) if is_array else ndarray_like)


register_ndbuffer(NDBuffer, qualname="xarr.adapters.zarr.NDBuffer")
zarr.config.update_defaults({"ndbuffer": "xarr.adapters.zarr.NDBuffer"})
