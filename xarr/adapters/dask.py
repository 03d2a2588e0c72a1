"""Dask: chunks may be Arrays, and `array.backend` may be xarr.

With ``dask.config.set({"array.backend": "xarr"})`` what Dask creates has chunks on the default
device of the process that computes them.
"""

from __future__ import annotations

from typing import Any, Final

import numpy
from dask import config
from dask.array import (
    _reductions_generic,
    backends,
    chunk_types,
    core,
    creation,
    dispatch,
    linalg,
    slicing,
    utils,
    wrap,
)
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import xarr

_GOLDEN: Final = 0x9E3779B97F4A7C15
_MIXERS: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_SEEDS: Final = (1, 0xD1B54A32D192ED03)


def _created(create: Any, like: str) -> Any:
    """One of Dask's functions that create collections, with Arrays as chunks."""

    def created(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get(like) is None:
            kwargs[like] = xarr.empty(())
        with config.set({"array.backend": "numpy"}):
            return create(*args, **kwargs)

    return staticmethod(created)


class Backend(backends.ArrayBackendEntrypoint):
    """The constructors that Dask uses where `array.backend` is xarr."""

    RandomState = xarr.random.RandomState
    default_bit_generator = xarr.random.Philox

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that makes an Array of a chunk."""
        return xarr.asarray

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        """Let a collection have Arrays as chunks."""
        if type(data._meta) is xarr.Array:
            return data
        return data.map_blocks(xarr.asarray, **kwargs)

    ones = _created(wrap.ones, "meta")
    zeros = _created(wrap.zeros, "meta")
    empty = _created(wrap.empty, "meta")
    full = _created(wrap.full, "meta")
    arange = _created(creation.arange, "like")


dispatch.concatenate_lookup.register(xarr.Array, xarr.concatenate)
dispatch.take_lookup.register(xarr.Array, xarr.take)
dispatch.tensordot_lookup.register(xarr.Array, xarr.tensordot)
dispatch.einsum_lookup.register(xarr.Array, xarr.einsum)
dispatch.empty_lookup.register(xarr.Array, xarr.empty)
dispatch.divide_lookup.register(xarr.Array, backends.np_divide)
dispatch.percentile_lookup.register(xarr.Array, backends.percentile)
dispatch.numel_lookup.register(xarr.Array, backends._numel_arraylike)
dispatch.nannumel_lookup.register(xarr.Array, backends._nannumel)
dispatch.to_numpy_dispatch.register(xarr.Array, numpy.asarray)
chunk_types.register_chunk_type(xarr.Array)


def wait_for(array: xarr.Array) -> None:
    """Wait until what was asked of an Array's device is done, others of whose threads may go on."""
    event = xarr.Event(array.device)
    event.record()
    event.synchronize()


@sizeof.register(xarr.Array)
def _size(array: xarr.Array) -> int:
    """The bytes of an Array, which is given its memory for that.

    A worker asks for the size of what a task made, in the task's thread. What is deferred would run
    in another task, or in the worker's own thread, and many chunks of it at a time.
    """
    wait_for(array)
    return array.nbytes


@normalize_token.register(xarr.Array)
def _token(array: xarr.Array) -> tuple[Any, ...]:
    """Name an Array by its content; 16 bytes are read."""
    width = min(array.itemsize, 8)
    words = xarr.ravel(array).view(f"uint{8 * width}").astype("uint64")
    counted = xarr.arange(1, words.size + 1, dtype="uint64", device=array.device)
    places = counted * _GOLDEN
    sums = [int(_mix(words * seed + places).sum()) for seed in _SEEDS]
    return "xarr", array.shape, str(array.dtype), *sums


def _mix(words: xarr.Array) -> xarr.Array:
    """Words, each bit of which depends on all bits (splitmix64)."""
    for shift, factor in _MIXERS:
        words = (words ^ (words >> shift)) * factor
    return words ^ (words >> 31)


def _solve(a: Any, b: Any, lower: bool = False) -> Any:
    """Solve a triangular system where the chunks are."""
    device = next((x.device for x in (a, b) if type(x) is xarr.Array), None)
    if device is None:
        return _solved_by_scipy(a, b, lower=lower)
    a, b = xarr.asarray(a, device=device), xarr.asarray(b, device=device)
    return xarr.linalg.solve(xarr.tril(a) if lower else xarr.triu(a), b)


def _assigned(x: Any, v: Any, indices: list[Any]) -> Any:
    """Write to a copy of a chunk. An index of as many as the chunk has stands for none."""
    if type(x) is not xarr.Array or numpy.ma.isMaskedArray(v):
        places = [numpy.asarray(one) if type(one) is xarr.Array else one for one in indices]
        return _assigned_by_dask(x, v, places)
    if 0 in v.shape:
        return x
    x = x.copy()
    x[
        tuple(
            index[index < extent] if hasattr(index, "dtype") and index.dtype != bool else index
            for index, extent in zip(indices, x.shape, strict=False)
        )
    ] = v
    return x


class _NumPy:
    """NumPy for Dask's metadata, where an Array without axes is an array, not a number."""

    def __getattr__(self, name: str) -> Any:
        return getattr(numpy, name)

    @staticmethod
    def isscalar(element: Any) -> bool:
        """Whether an object is a number."""
        return type(element) is not xarr.Array and numpy.isscalar(element)


# Dask has no registries for these three.
_solved_by_scipy: Final = linalg.solve_triangular_safe
linalg.solve_triangular_safe = _solve
_assigned_by_dask: Final = slicing.setitem
slicing.setitem = _assigned
for _module in (_reductions_generic, core, utils):
    _module.np = _NumPy()
