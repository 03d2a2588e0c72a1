"""Grids: arrays of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, overload

from xarr import dtypes, errors, layout
from xarr.array.array import Array, DeviceLike, DTypeLike, ShapeLike, settled, view
from xarr.array.conversion import as_array
from xarr.backends.device import Device, default_float, get_device
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.functions import data_types, joining
from xarr.functions.creation import arange, linspace, shape_of
from xarr.functions.fills import zeros
from xarr.layout import Shape

_R = TypeVar("_R")


def meshgrid(
    *arrays: Any, indexing: Literal["xy", "ij"] = "xy", sparse: bool = False
) -> tuple[Array, ...]:
    """Make coordinate matrices of coordinate vectors.

    Parameters
    ----------
    *arrays : Array, shape (N1,), (N2,), ...
        The coordinates along each axis, of one dtype.
    indexing : {"xy", "ij"}
        "ij" for matrix indexing; with "xy" the first two axes are swapped.
    sparse : bool
        Whether each result keeps one-element axes, which broadcast, instead of repeating.

    Returns
    -------
    tuple of Array, shape (N1, N2, ...), or (N2, N1, ...) with "xy"
        The coordinates of each point.

    Raises
    ------
    ValueError
        If indexing is something else, or a vector has more than one axis.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; sparse is NumPy's.

    Examples
    --------
    >>> import xarr
    >>> x, y = xarr.meshgrid(xarr.arange(3), xarr.arange(2))
    >>> y.tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    where = "meshgrid(*arrays)"
    if indexing not in ("xy", "ij"):
        raise ValueError(
            errors.message(where, f"indexing is {indexing!r}", '"xy" and "ij" are accepted')
        )
    vectors = [as_array(item, where, "an array") for item in arrays]
    layout.require_possible((1,) * len(vectors), where)
    for vector in vectors:
        if vector.ndim > 1:
            raise ValueError(
                errors.message(where, f"an array has shape {vector.shape}", "vectors are accepted")
            )
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
        lifted = view(vector, where_in)._node
        node = lifted if sparse else engine.broadcast(lifted, shape)
        result.append(Array(engine.copied(lifted) if node is lifted else node))
    return tuple(result)


def indices(dimensions: Any, dtype: DTypeLike = None, *, device: DeviceLike = None) -> Array:
    """Make the indices of a grid.

    Parameters
    ----------
    dimensions : sequence of int
        The shape of the grid.
    dtype : dtype, optional
        The data type; int64 where None.
    device : Device, str or None
        The device; the default device where None.

    Returns
    -------
    Array, shape (len(dimensions), *dimensions)
        For each axis, each point's index along it.

    Examples
    --------
    >>> import xarr
    >>> xarr.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    where = "indices(dimensions)"
    shape = shape_of(dimensions, where)
    layout.require_possible((len(shape), *shape), where)
    row = dtypes.int64 if dtype is None else dtypes.lookup(dtype, where)
    target = get_device(device, where)
    parts = _grid(shape, row, target)
    if not parts:
        return zeros((0,), row, device=target)
    return joining.stack(parts)


def _grid(shape: Shape, dtype: DType, device: Device) -> tuple[Array, ...]:
    return meshgrid(
        *(arange(extent, dtype=dtype, device=device) for extent in shape), indexing="ij"
    )


def fromfunction(
    function: Callable[..., _R],
    shape: ShapeLike,
    *,
    dtype: Any = float,
    device: DeviceLike = None,
    **kwargs: Any,
) -> _R:
    """Call a function with the indices of a grid.

    Parameters
    ----------
    function : callable
        Called once, with an Array of the given shape for each axis.
    shape : int or tuple of int
        The shape of the grid.
    dtype : dtype
        The data type of the indices; float stands for the device's default one.
    device : Device, str or None
        The device; the default device where None.
    **kwargs : object
        Passed to the function.

    Returns
    -------
    object
        What the function returns.

    Examples
    --------
    >>> import xarr
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

    def _line(self, item: Any) -> Array:
        if not isinstance(item, slice) or item.stop is None:
            raise TypeError(
                errors.message(
                    f"{self.name}[key]",
                    f"key holds {item!r}",
                    "slices with a stop are accepted",
                )
            )
        start = 0 if item.start is None else item.start
        if isinstance(item.step, complex):
            return linspace(start, item.stop, int(abs(item.step)))
        return arange(start, item.stop, 1 if item.step is None else item.step)


class _Dense(_Grid):
    """What `mgrid` is: the coordinates of all points."""

    name = "mgrid"

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array:
        if isinstance(key, slice):
            return self._line(key)
        return joining.stack(meshgrid(*self._lines(key), indexing="ij"))


class _Open(_Grid):
    """What `ogrid` is: the coordinates along each axis, which broadcast to the grid."""

    name = "ogrid"

    @overload
    def __getitem__(self, key: slice) -> Array: ...

    @overload
    def __getitem__(self, key: tuple[slice, ...]) -> tuple[Array, ...]: ...

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Array | tuple[Array, ...]:
        if isinstance(key, slice):
            return self._line(key)
        return meshgrid(*self._lines(key), indexing="ij", sparse=True)


mgrid: Final = _Dense()
ogrid: Final = _Open()
