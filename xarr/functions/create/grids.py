"""Grids: arrays of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, overload

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, DeviceLike, DTypeLike, ShapeLike
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import SCALARS, as_array
from xarr.array.layouts import settled, view
from xarr.backends.device import Device, default_float, get_device
from xarr.dtypes import DType
from xarr.errors import difference, type_error, value_error
from xarr.functions.create.creation import shape_of
from xarr.functions.create.fills import zeros
from xarr.functions.create.ranges import arange, linspace
from xarr.functions.shape import joining
from xarr.functions.shape.manipulation import broadcast_to, ravel, reshape, with_axes
from xarr.functions.types import data_types
from xarr.layout import Shape
from xarr.runtime import dispatch
from xarr.tape import builder

_R = TypeVar("_R")


def meshgrid(
    *arrays: Any, copy: bool = True, sparse: bool = False, indexing: Literal["xy", "ij"] = "xy"
) -> tuple[Array, ...]:
    """Make the coordinates of all points of a grid from coordinate vectors.

    *arrays : Array, shape (N1,), (N2,), ... -- The coordinates along each axis.
    copy : bool -- Whether the results are arrays of their own; else they are views of the vectors,
        which are read-only where they repeat.
    sparse : bool
        Whether each result keeps one-element axes, which broadcast, instead of repeating.
    indexing : {"xy", "ij"}
        "ij" for matrix indexing, shape (N1, N2, ...); with "xy" the first two axes are swapped.

    -> tuple of Array, shape (N2, N1, ...) with "xy", (N1, N2, ...) with "ij", data types kept

    ValueError -- If `indexing` is neither "xy" nor "ij", or the grid is too large.

    >>> x, y = xarr.meshgrid(xarr.arange(3), xarr.arange(2))
    >>> y.tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    where = "meshgrid(*arrays)"
    if indexing not in ("xy", "ij"):
        raise value_error(where, f"indexing is {indexing!r}", 'indexing must be "xy" or "ij"')
    vectors = [as_array(item, where, "an array") for item in arrays]
    vectors = [ravel(vector) if vector.ndim > 1 else vector for vector in vectors]
    layout.require_possible((1,) * len(vectors), where)
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    extents = [vector.size for vector in vectors]
    shape = tuple(extents[axis] for axis in axes)
    result = []
    for vector, axis in zip(vectors, axes, strict=True):
        own = tuple(vector.size if place == axis else 1 for place in range(len(axes)))
        where_in = settled(vector).reshaped(own)
        assert where_in is not None
        if not copy:
            part = view(vector, where_in)
            result.append(part if sparse else broadcast_to(part, shape))
            continue
        lifted = view(vector, where_in)._view
        grid = lifted if sparse else builder.broadcast(lifted, shape)
        result.append(Array(builder.copied(lifted) if grid is lifted else grid))
    return tuple(result)


@overload
def indices(
    dimensions: Any,
    dtype: DTypeLike = None,
    sparse: Literal[False] = False,
    *,
    device: DeviceLike = None,
) -> Array: ...
@overload
def indices(
    dimensions: Any, dtype: DTypeLike, sparse: Literal[True], *, device: DeviceLike = None
) -> tuple[Array, ...]: ...
@overload
def indices(
    dimensions: Any, dtype: DTypeLike = None, *, sparse: Literal[True], device: DeviceLike = None
) -> tuple[Array, ...]: ...
@by_numpy(numpy.indices, 0)
def indices(
    dimensions: Any, dtype: DTypeLike = None, sparse: bool = False, *, device: DeviceLike = None
) -> Array | tuple[Array, ...]:
    """Make the index arrays of a grid: along each axis, the index of each point.

    dimensions : sequence of int -- The shape of the grid.
    dtype : dtype or None -- The data type; None for int64.
    sparse : bool
        Whether the result is a tuple of Arrays, one for each axis, that broadcast to the grid.

    -> Array, shape (N, ...), or with sparse a tuple of N Arrays; int64 where no dtype is given

    >>> xarr.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    where = "indices(dimensions)"
    if numpy.ndim(dimensions) == 0:
        raise type_error(
            where, f"dimensions is {dimensions!r}", "dimensions must be a tuple of integers"
        )
    shape = shape_of(dimensions, where, "dimensions")
    layout.require_possible((len(shape), *shape), where)
    row = dtypes.int64 if dtype is None else dtypes.lookup(dtype, where)
    target = get_device(device, where)
    parts = _grid(shape, row, target, sparse)
    if sparse:
        return parts
    if not parts:
        return zeros((0,), row, device=target)
    return joining.stack(parts)


def _grid(shape: Shape, dtype: DType, device: Device, sparse: bool = False) -> tuple[Array, ...]:
    lines = [arange(extent, dtype=dtype, device=device) for extent in shape]
    return meshgrid(*lines, indexing="ij", sparse=sparse)


def fromfunction(
    function: Callable[..., _R],
    shape: ShapeLike,
    *,
    dtype: Any = float,
    device: DeviceLike = None,
    like: Any = None,
    **kwargs: Any,
) -> _R:
    """Call a function with the indices of a grid, and return its result.

    function : callable
        Called once, with an Array of the given shape for each axis, and `kwargs`.
    dtype : dtype -- The data type of the indices; float means the default floating-point type.
    kwargs : object -- Further arguments of the function, by name.

    -> result of the function

    >>> xarr.fromfunction(lambda i, j: i + j, (2, 2), dtype=int).tolist()
    [[0, 1], [1, 2]]
    """
    where = "fromfunction(function, shape)"
    target = get_device(device, where)
    row = default_float(target) if dtype is float else dtypes.lookup(dtype, where)
    return function(*_grid(shape_of(shape, where), row, target), **kwargs)


class _Grid:
    """Coordinates by slices, as in NumPy.

    A step that is an imaginary integer is a number of points, with the end included.
    """

    name = ""

    def _lines(self, key: Any) -> list[Array]:
        """The coordinates along each axis, of one data type."""
        lines = [self._line(item) for item in (key if isinstance(key, tuple) else (key,))]
        row = data_types.result_type(*lines)
        return [line.astype(row, copy=False) for line in lines]

    def _line(self, item: Any, *, alone: bool = False) -> Array:
        if not isinstance(item, slice) or item.stop is None:
            fault = f"key holds {item!r}"
            raise type_error(f"{self.name}[key]", fault, "it must hold slices with a stop")
        start = 0 if item.start is None else self._number(item.start)
        step = 1 if item.step is None else self._number(item.step)
        item = slice(start, self._number(item.stop), step)
        if isinstance(step, complex | numpy.complexfloating):
            count: Any = abs(step)
            dtype = numpy.result_type(start, item.stop, count)
            exact = None if dtype.kind != "f" or type(count) is float else dtype
            return linspace(start, item.stop, int(count), dtype=exact)
        given = [value for value in (start, item.stop, step) if isinstance(value, numpy.generic)]
        # Among several, lines have the type of NumPy's scalars; one alone is as `arange` has it.
        typed = bool(given) and not alone
        return arange(
            start, item.stop, step, numpy.result_type(start, item.stop, step) if typed else None
        )

    def _number(self, bound: Any) -> Any:
        """A bound; an array of one element stands for it."""
        if not getattr(bound, "ndim", 0):
            return bound
        if bound.size != 1:
            fault = f"a slice has a bound of shape {bound.shape}"
            accepted = "bounds must be numbers, or arrays of one element"
            raise value_error(f"{self.name}[key]", fault, accepted)
        return bound.reshape(())


class _Dense(_Grid):
    """Make the coordinates of all points of a grid, by slices: ``mgrid[0:3, 0:1:5j]``.

    Examples
    --------
    >>> import xarr
    >>> xarr.mgrid[0:2, 0:1:3j].tolist()
    [[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]]]
    """

    name = "mgrid"

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array:
        if isinstance(key, slice):
            return self._line(key, alone=True)
        few = _of_few_integers(key)
        return joining.stack(meshgrid(*self._lines(key), indexing="ij")) if few is None else few


def _of_few_integers(key: Any) -> Array | None:
    """The points of a small grid of consecutive integers; None of others."""
    lines = []
    for item in key if isinstance(key, tuple) else (None,):
        start, stop = getattr(item, "start", None) or 0, getattr(item, "stop", None)
        if type(start) is not int or type(stop) is not int or item.step is not None:
            return None
        lines.append(range(start, stop))
    if any(not line or max(-line.start, line.stop) >> 61 for line in lines):
        return None

    def points() -> Any:
        found = numpy.empty(shape, numpy.int64)
        for axis, line in enumerate(lines):
            numbers = numpy.arange(line.start, line.stop)
            found[axis] = numbers.reshape(-1, *[1] * (len(lines) - 1 - axis))
        return found

    shape = (len(lines), *map(len, lines))
    view = dispatch.known(shape, dtypes.int64, get_device(), points)
    return None if view is None else Array(view)


class _Open(_Grid):
    """Make the coordinates along each axis of a grid, by slices; they broadcast to the grid.

    Examples
    --------
    >>> import xarr
    >>> x, y = xarr.ogrid[0:2, 0:3]
    >>> (10 * x + y).tolist()
    [[0, 1, 2], [10, 11, 12]]
    """

    name = "ogrid"

    @overload
    def __getitem__(self, key: slice) -> Array: ...
    @overload
    def __getitem__(self, key: tuple[slice, ...]) -> tuple[Array, ...]: ...
    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array | tuple[Array, ...]:
        if isinstance(key, slice):
            return self._line(key, alone=True)
        return meshgrid(*self._lines(key), indexing="ij", sparse=True)


class _Joined(_Grid):
    """Join slices, numbers and arrays: ``r_[0:3, 7]``; `c_` joins vectors as columns.

    A string in front, as "0,2,0", gives the axis to join along, the least number of axes of the
    parts, and the position of the axes of parts that have fewer.

    Examples
    --------
    >>> import xarr
    >>> xarr.r_[0:3, 7].tolist()
    [0, 1, 2, 7]
    >>> xarr.c_[[1, 2], [3, 4]].tolist()
    [[1, 3], [2, 4]]
    """

    def __init__(self, name: str, axis: int, ndim: int, first: int) -> None:
        self.name = name
        self._axis, self._ndim, self._first = axis, ndim, first

    def __getitem__(self, key: Any) -> Array:
        where = f"{self.name}[key]"
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndim, first = self._axis, self._ndim, self._first
        if items and isinstance(items[0], str):
            axis, ndim, first = self._directive(items.pop(0), where)
        device = next((item.device for item in items if type(item) is Array), get_device())
        values = [
            item
            if type(item) in SCALARS
            else self._line(item)
            if isinstance(item, slice)
            else as_array(item, where, "an item", device=device)
            for item in items
        ]
        if not values:
            raise value_error(where, "there is nothing to join", "the key must have items")
        row = data_types.result_type(*values)
        parts = [
            _lifted(as_array(value, where, "an item", dtype=row, device=device), ndim, first)
            for value in values
        ]
        return joining.concat([with_axes(part, 1, where) for part in parts], axis=axis)

    def _directive(self, text: str, where: str) -> tuple[int, int, int]:
        if text in ("r", "c"):
            fault = f"the first item is {text!r}, which asks for a matrix"
            raise type_error(
                where,
                fault,
                "the result must be an Array, as xarr has no matrices",
                f"use vstack or hstack; {difference('np-r')}",
            )
        given = [self._axis, self._ndim, self._first]
        try:
            numbers = [int(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3:
            fault = f"the first item is {text!r}"
            raise value_error(where, fault, 'it must be up to three integers, as "0,2,0"')
        axis, ndim, first = [*numbers, *given[len(numbers) :]]
        return axis, ndim, first

    def __len__(self) -> int:
        return 0


def _lifted(x: Array, ndim: int, first: int) -> Array:
    """An array with axes of one element around its own, which begin at `first`."""
    missing = ndim - x.ndim
    if missing <= 0:
        return x
    begin = first if first >= 0 else first + missing + 1
    return reshape(x, (*(1,) * begin, *x.shape, *(1,) * (missing - begin)))


class _Key:
    """Return the index in the brackets: ``s_[1:3]`` is ``slice(1, 3)``.

    Examples
    --------
    >>> import xarr
    >>> xarr.s_[1:3], xarr.index_exp[1:3]
    (slice(1, 3, None), (slice(1, 3, None),))
    """

    def __init__(self, name: str, *, tuples: bool) -> None:
        self.name = name
        self._tuples = tuples

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self._tuples and not isinstance(key, tuple) else key


mgrid: Final = _Dense()
ogrid: Final = _Open()
r_: Final = _Joined("r_", 0, 1, -1)
c_: Final = _Joined("c_", -1, 2, 0)
s_: Final = _Key("s_", tuples=False)
index_exp: Final = _Key("index_exp", tuples=True)
