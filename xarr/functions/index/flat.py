"""The elements of an array one after the other: `x.flat`.

Arrays that lie without gaps are flattened as a view; what is written to others goes to a flat copy
and back, or, one element, to its place.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy

from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.array.layouts import require_writeable, settled
from xarr.engine import engine
from xarr.errors import refused, type_error, value_error
from xarr.functions.index import indexing
from xarr.functions.shape import manipulation


class flatiter:  # noqa: N801 - NumPy's name
    """The elements of an array in C order: what `x.flat` gives.

    It is an iterator, and has a length, elements and slices as a one-dimensional array has. What is
    written to it is written to the array; values that are too few are taken again from the start.

    Examples
    --------
    >>> import xarr
    >>> x = xarr.zeros((2, 2))
    >>> x.flat[1:3] = 5
    >>> x.tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """

    __slots__ = ("_array", "_base", "_position")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Array, base: Array | None = None) -> None:
        self._array = array
        self._base = array if base is None else base
        self._position = 0

    @property
    def base(self) -> Array:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements have been walked."""
        return self._position

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices of the element that comes next."""
        return self._place(self._position) if self._array.size else (0,) * self._array.ndim

    def copy(self) -> Array:
        """The elements as a new one-dimensional array."""
        return manipulation.reshape(self._array, (-1,), copy=True)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.asarray(self._array, dtype=dtype).reshape(-1)

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Array]:
        return self

    def __next__(self) -> Array:
        if self._position >= self._array.size:
            raise StopIteration
        element = self._array[self._place(self._position)]
        self._position += 1
        return element

    def __getitem__(self, key: Any) -> Array:
        self._position = 0
        if _is_one(key):
            return self._array[self._place(_in_range(key, self._array.size))]
        return Array(engine.copied(_flattened(self._array)[key]._node))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._position = 0
        x = self._array
        require_writeable(x, "x.flat[key] = value")
        if _is_one(key):
            values = as_array(value, "x.flat[key] = value", "value", device=x.device)
            if values.size > 1:
                fault = f"value has {values.size} elements"
                raise value_error("x.flat[index] = value", fault, "one element is accepted")
            indexing.setitem(
                x,
                (*self._place(_in_range(key, x.size)), ...),
                value if values.ndim == 0 else values.reshape(()),
            )
            return
        if isinstance(value, flatiter):
            value = value.copy()
        target = _flattened(x)
        _write_again_and_again(target, key, value)
        if not _is_flat(x):
            x[...] = target.reshape(x.shape)

    def __delitem__(self, key: Any) -> None:
        fault = "elements of an array cannot be deleted"
        accepted = "a shape stays as it is"
        remedy = "make another array with xarr.delete(x, key)"
        raise type_error("del x.flat[key]", fault, accepted, remedy)

    def __eq__(self, other: object) -> Any:
        return self.copy() == (other.copy() if isinstance(other, flatiter) else other)

    def __ne__(self, other: object) -> Any:
        return self.copy() != (other.copy() if isinstance(other, flatiter) else other)

    def __lt__(self, other: Any) -> Any:
        return self.copy() < other

    def __le__(self, other: Any) -> Any:
        return self.copy() <= other

    def __gt__(self, other: Any) -> Any:
        return self.copy() > other

    def __ge__(self, other: Any) -> Any:
        return self.copy() >= other

    def _place(self, position: int) -> tuple[int, ...]:
        """The indices of an element."""
        place = []
        for extent in reversed(self._array.shape):
            position, index = divmod(position, extent)
            place.append(index)
        return tuple(reversed(place))


def _is_one(key: Any) -> bool:
    if isinstance(key, bool | numpy.bool_ | slice | list | tuple):
        return False
    if isinstance(key, Array | numpy.ndarray):
        return key.ndim == 0 and key.dtype.kind in "iu"
    return hasattr(key, "__index__")


def _in_range(key: Any, size: int) -> int:
    index = operator.index(key)
    if not -size <= index < size:
        fault = f"the index {index} is out of range"
        accepted = f"x has {size} elements, so [{-size}, {size}) is accepted"
        raise refused(IndexError, "x.flat[index]", fault, accepted)
    return index + size if index < 0 else index


def _is_flat(x: Array) -> bool:
    return settled(x).linear


def _flattened(x: Array) -> Array:
    """The elements, shape (size,): a view where they lie without gaps, else a copy."""
    return manipulation.reshape(x, (-1,), copy=None if _is_flat(x) else True)


def _write_again_and_again(target: Array, key: Any, value: Any) -> None:
    """Write to a flat array; values that are too few begin again."""
    if type(key) is tuple and len(key) == 1:
        (key,) = key
    values = as_array(
        value, "x.flat[key] = value", "value", dtype=target.dtype, device=target.device
    )
    if values.ndim == 0:
        target[key] = values
        return
    values = manipulation.reshape(values, (-1,))
    shape = target[key].shape
    wanted = math.prod(shape)
    if wanted and not values.size:
        raise value_error("x.flat[key] = value", "value is empty", "some elements are needed")
    if 0 < values.size < wanted:
        times = -(-wanted // values.size)
        repeated = manipulation.broadcast_to(values, (times, values.size))
        values = manipulation.reshape(repeated, (-1,), copy=True)
    target[key] = manipulation.reshape(values[:wanted], shape)
