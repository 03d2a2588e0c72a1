"""einops: Arrays are tensors of a framework that it knows."""

from __future__ import annotations

from typing import Any

import numpy
from einops._backends import AbstractBackend

import xarr


class XarrBackend(AbstractBackend):
    """xarr as a framework of einops, which finds it among the subclasses of its base class."""

    framework_name = "xarr"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether a tensor is an Array."""
        return type(tensor) is xarr.Array

    def from_numpy(self, x: Any) -> xarr.Array:
        """A tensor of NumPy's on the default device."""
        return xarr.asarray(x)

    def to_numpy(self, x: xarr.Array) -> Any:
        """The values on the host."""
        return numpy.asarray(x)

    def arange(self, start: int, stop: int) -> xarr.Array:
        """Integers in a row."""
        return xarr.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[xarr.Array]) -> xarr.Array:
        """Tensors in one, along a new first axis."""
        return xarr.stack(tensors)

    def tile(self, x: xarr.Array, repeats: tuple[int, ...]) -> xarr.Array:
        """A tensor again and again along each axis."""
        return xarr.tile(x, repeats)

    def concat(self, tensors: list[xarr.Array], axis: int) -> xarr.Array:
        """Tensors in one, along an axis that they have."""
        return xarr.concat(tensors, axis=axis)

    def add_axis(self, x: xarr.Array, new_position: int) -> xarr.Array:
        """A view with one axis more."""
        return xarr.expand_dims(x, new_position)

    def is_float_type(self, x: xarr.Array) -> bool:
        """Whether a tensor has a mean of its own type."""
        return xarr.isdtype(x.dtype, ("real floating", "complex floating"))

    def einsum(self, pattern: str, *x: xarr.Array) -> xarr.Array:
        """Products of tensors, summed."""
        return xarr.einsum(pattern, *x)
