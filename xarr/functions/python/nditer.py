"""Iterating over elements and indices, on the host: each step is one of Python's.

Element by element a loop is slow on any device. These are for programs that have such loops. Of
`x.flat`, arrays that lie without gaps are flattened as a view; what is written to others goes to a
flat copy and back, or, one element, to its place.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex

import numpy

from xarr import layout
from xarr.array.array import Array
from xarr.array.coerce import array_of, as_array
from xarr.array.layouts import require_writeable, settled
from xarr.array.transfers import Host
from xarr.backends.device import get_device
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.create.creation import shape_of
from xarr.functions.index import indexing
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape import manipulation
from xarr.layout import Shape
from xarr.tape import builder


class ndindex:  # noqa: N801 - NumPy's name
    """Iterate over the indices of a shape in C order.

    *shape : int or tuple of int -- The extents, one by one or in one tuple.

    >>> list(xarr.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape: Any) -> None:
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        self.shape = shape_of(given, "ndindex(*shape)")
        self._tuples = itertools.product(*map(range, self.shape))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self

    def __next__(self) -> tuple[int, ...]:
        return next(self._tuples)


class ndenumerate:  # noqa: N801 - NumPy's name
    """Iterate over pairs of the indices and the element of an array, in C order.

    arr : Array, shape (...) -- The array; also numbers, lists of numbers and NumPy arrays.

    >>> [(place, int(value)) for place, value in xarr.ndenumerate(xarr.asarray([[5, 6]]))]
    [((0, 0), 5), ((0, 1), 6)]
    """

    def __init__(self, arr: Any) -> None:
        x = array_of(arr, "ndenumerate(arr)", "arr")
        self._pairs = zip(ndindex(x.shape), manipulation.ravel(x), strict=True)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Array]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Array]:
        return next(self._pairs)


class broadcast:  # noqa: N801 - NumPy's name
    """Iterate on the host over the elements of several arrays at once, after broadcasting.

    *arrays : Array or values, shapes that broadcast
        The arrays, 64 at most; a `broadcast` gives the arrays in it.
    **options : object -- Not accepted: any raises ValueError.

    ValueError -- If the shapes are not compatible, there are more than 64 arrays, or a keyword is
        given.
    TypeError -- If an array or value cannot be converted to an Array.

    >>> pairs = xarr.broadcast(xarr.asarray([[1], [2]]), xarr.asarray([5, 6]))
    >>> pairs.shape
    (2, 2)
    >>> [int(first * second) for first, second in pairs]
    [5, 6, 10, 12]
    """

    def __init__(self, *arrays: Any, **options: Any) -> None:
        where = "broadcast(*arrays)"
        if options:
            raise value_error(
                where,
                f"{next(iter(options))} is given",
                "it must be left out, as xarr has no options",
            )
        args: list[Any] = []
        for item in arrays:
            args.extend(item._arrays if isinstance(item, broadcast) else [item])
        if len(args) > layout.MAX_NDIM:
            fault = f"there are {len(args)} arrays"
            raise value_error(where, fault, f"there must be {layout.MAX_NDIM} at most")
        device = device_of(*args) or get_device()
        found = [as_array(item, where, "an argument", device=device) for item in args]
        self._arrays: list[Array] = found
        shapes = [item.shape for item in self._arrays]
        self.shape: Shape = layout.broadcast_shapes(*shapes, where=where) if shapes else ()
        self.index = 0
        self.reset()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    nd = ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(numpy.prod(self.shape, dtype=object))

    @property
    def numiter(self) -> int:
        """The number of arrays."""
        return len(self._arrays)

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """An iterator for each array over its elements, repeated over the shape."""
        return tuple(
            flatiter(manipulation.broadcast_to(item, self.shape), item) for item in self._arrays
        )

    def reset(self, /) -> None:
        """Restart the iteration.

        >>> pairs = xarr.broadcast([1, 2], [5, 6])
        >>> first = next(pairs)
        >>> pairs.reset()
        >>> pairs.index
        0
        """
        self.index = 0
        self._tuples = zip(*self.iters, strict=True)

    def __iter__(self) -> Iterator[tuple[Array, ...]]:
        return self

    def __next__(self) -> tuple[Array, ...]:
        found = next(self._tuples)
        self.index += 1
        return found


class nditer:  # noqa: N801 - NumPy's name
    """Iterate over elements of several arrays as `numpy.nditer` does. Runs on the host.

    The arrays are copied to the host, in C order, and NumPy iterates over the copies. Each step
    yields NumPy arrays without axes, or vectors with the flag "external_loop". Writes to operands
    with "readwrite" or "writeonly" reach the arrays when the iteration ends, the `with` block is
    left, or `close` is called.

    op : Array, or sequence of Array and None
        The operands, which broadcast together; a new array is made for None.
    flags : sequence of str, optional
        How to iterate: "external_loop", "multi_index" and the others of `numpy.nditer`.
    op_flags : sequence of str, or a sequence of these, optional
        The use of all operands, or of each: "readonly", "readwrite" or "writeonly", and further
        flags of `numpy.nditer`. None to read given arrays and write new ones.
    op_dtypes : dtype or sequence of dtype, optional
        The data types of the operands, converted with the flag "buffered"; None for their own.
    order : {"K", "C", "F", "A"}
        The order of the steps: the last index runs fastest (C) or the first (F). K and A mean C.
    casting : str -- Which conversions to `op_dtypes` are allowed, as "safe" or "same_kind".
    op_axes : sequence of sequence of int or None, optional -- For each operand, its axis for each
        axis of the iteration; -1 for a new one. None aligns the last axes.
    itershape : tuple of int, optional
        The shape of the iteration; -1, or None, for what the operands broadcast to.
    buffersize : int -- The elements in a buffer, with "buffered"; 0 for NumPy's default.

    TypeError -- If an operand to write to is no Array.
    ValueError -- If the shapes are not compatible, or a flag is unknown.

    >>> x = xarr.asarray([1, 2])
    >>> with xarr.nditer(x, op_flags=["readwrite"]) as steps:
    ...     for item in steps:
    ...         item[...] = 2 * item
    >>> x.tolist()
    [2, 4]
    """

    def __init__(
        self,
        op: Any,
        flags: Sequence[str] | None = None,
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        casting: str = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: SupportsIndex = 0,
    ) -> None:
        single = not isinstance(op, list | tuple)
        given = [op] if single else list(op)
        self._targets = given
        self._hosts = [_on_host(item) for item in given]
        kinds = _kinds(op_flags, len(given))
        self._written = [
            bool({"readwrite", "writeonly"} & set(kind)) and item is not None
            for kind, item in zip(kinds, given, strict=True)
        ]
        for item, is_written in zip(given, self._written, strict=True):
            if is_written and type(item) is not Array:
                fault = f"an operand is of type {type(item).__name__}"
                accepted = "it must be an Array, as it is written to"
                raise type_error("nditer(op, op_flags)", fault, accepted)
        named = {
            "op_flags": kinds if op_flags is not None else None,
            "op_dtypes": op_dtypes,
            "op_axes": op_axes,
            "itershape": itershape,
        }
        options: Any = {name: value for name, value in named.items() if value is not None}
        options.update(flags=list(flags or []), order=order, casting=casting)
        hosts: Any = self._hosts
        self._steps: Any = numpy.nditer(hosts, buffersize=buffersize, **options)
        self._device = device_of(*given)

    def _store(self) -> None:
        """Write what was changed to the arrays."""
        for target, host, is_written in zip(self._targets, self._hosts, self._written, strict=True):
            if is_written:
                target[...] = host

    @property
    def operands(self) -> tuple[Array, ...]:
        """The operands as Arrays; for None, the array that the iterator made."""
        return tuple(
            target
            if type(target) is Array
            else as_array(host, "nditer(op).operands", device=self._device)
            for target, host in zip(self._targets, self._steps.operands, strict=True)
        )

    def iternext(self) -> bool:
        """Go to the next element; tell whether there is one.

        >>> steps = xarr.nditer(xarr.asarray([1, 2]))
        >>> steps.iternext(), steps.iternext()
        (True, False)
        """
        more = bool(self._steps.iternext())
        if not more:
            self._store()
        return more

    def close(self) -> None:
        """Write changed elements to the arrays, and end the iteration.

        >>> x = xarr.zeros(2)
        >>> steps = xarr.nditer(x, op_flags=["readwrite"])
        >>> for part in steps:
        ...     part[...] = 1
        >>> steps.close()
        >>> x.tolist()
        [1.0, 1.0]
        """
        made = self.operands
        self._store()
        self._steps.close()
        self._targets = list(made)

    def __iter__(self) -> nditer:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._steps)
        except StopIteration:
            self._store()
            raise

    def __enter__(self) -> nditer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getitem__(self, key: Any) -> Any:
        return self._steps[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._steps[key] = host_of(value, "nditer(op)")

    def __len__(self) -> int:
        return len(self._steps)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._steps, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("multi_index", "index", "iterindex", "iterrange"):
            setattr(self._steps, name, value)
        else:
            object.__setattr__(self, name, value)


def _on_host(item: Any) -> Host | None:
    """An operand of `nditer` on the host, where it may be written to."""
    if item is None:
        return None
    return host_of(item, "nditer(op)") if type(item) is Array else numpy.asarray(item)


def _kinds(op_flags: Any, count: int) -> list[list[str]]:
    """The flags of each operand; those of one stand for all."""
    if op_flags is None:
        return [["readonly"]] * count
    if all(isinstance(flag, str) for flag in op_flags):
        return [list(op_flags)] * count
    return [list(flags) for flags in op_flags]


class flatiter:  # noqa: N801 - NumPy's name
    """Iterate over the elements of an array in C order; ``x.flat`` is a `flatiter`.

    A flatiter has a length, and is indexed like a one-dimensional array. Writing to it writes to
    the array; too few values are repeated.

    array : Array, shape (...) -- The array to iterate over.
    base : Array, optional -- The array that the attribute `base` gives; None for `array`.

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
        """The array that is iterated over."""
        return self._base

    @property
    def index(self) -> int:
        """The position of the next element in C order."""
        return self._position

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices of the next element."""
        return self._place(self._position) if self._array.size else (0,) * self._array.ndim

    def copy(self) -> Array:
        """Copy the elements to a new one-dimensional array.

        -> Array, shape (N,)

        >>> xarr.eye(2).flat.copy().tolist()
        [1.0, 0.0, 0.0, 1.0]
        """
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
        _require_flat(key, "x.flat[key]")
        return Array(builder.copied(_flattened(self._array)[key]._view))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._position = 0
        x = self._array
        require_writeable(x, "x.flat[key] = value")
        if _is_one(key):
            values = as_array(value, "x.flat[key] = value", "value", device=x.device)
            if values.size > 1:
                fault = f"value has {values.size} elements"
                raise value_error("x.flat[index] = value", fault, "value must have one")
            place = self._place(_in_range(key, x.size))
            indexing.setitem(x, (*place, ...), value if values.ndim == 0 else values.reshape(()))
            return
        _require_flat(key, "x.flat[key] = value")
        if isinstance(value, flatiter):
            value = value.copy()
        target = _flattened(x)
        _write_again_and_again(target, key, value)
        if not _is_flat(x):
            x[...] = target.reshape(x.shape)

    def __delitem__(self, key: Any) -> None:
        fault = "elements of an array cannot be deleted"
        accepted = "the shape of an array must stay"
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


def _require_flat(key: Any, where: str) -> None:
    """Refuse new axes, and truths that are no array: they used to count as integers in NumPy."""
    parts = key if isinstance(key, list) and key else [key]
    if all(part is None or isinstance(part, bool | numpy.bool_) for part in parts):
        accepted = "it must be an integer, a slice, ... or an array of integers or bools"
        raise refused(IndexError, where, f"key is {key!r}", accepted)


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
        accepted = f"x has {size} elements, so it must be in [{-size}, {size})"
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
    where, kind = "x.flat[key] = value", target.dtype
    values = as_array(value, where, "value", dtype=kind, device=target.device)
    if values.ndim == 0:
        target[key] = values
        return
    values = manipulation.reshape(values, (-1,))
    shape = target[key].shape
    wanted = math.prod(shape)
    if wanted and not values.size:
        raise value_error("x.flat[key] = value", "value is empty", "value must have elements")
    if 0 < values.size < wanted:
        times = -(-wanted // values.size)
        repeated = manipulation.broadcast_to(values, (times, values.size))
        values = manipulation.reshape(repeated, (-1,), copy=True)
    target[key] = manipulation.reshape(values[:wanted], shape)
