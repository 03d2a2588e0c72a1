"""Conversion to an Array: of other libraries' and NumPy's arrays, nested lists, numbers."""

from __future__ import annotations

import math
import reprlib
import warnings
from numbers import Number
from typing import Any, Final

import numpy
from numpy.exceptions import ComplexWarning

from xarr import dtypes, errors, layout
from xarr.array import interchange
from xarr.array.array import Array, DeviceLike
from xarr.array.layouts import like
from xarr.array.nested import holds_arrays
from xarr.array.transfers import Host, from_host, host_values, openly, to_device
from xarr.backends.device import Device, default_float, get_device, promoted, require_on
from xarr.core.views import Node, leaf
from xarr.dtypes import BOOL, COMPLEX, DType
from xarr.engine import engine
from xarr.layout import Shape


def as_array(
    obj: Any,
    where: str,
    name: str = "x",
    *,
    dtype: Any = None,
    device: DeviceLike = None,
    copy: bool | None = None,
) -> Array:
    """Convert values to an Array, for a function and an argument that errors name."""
    row = None if dtype is None else dtypes.lookup(dtype, where)
    target = None if device is None else get_device(device, where)
    if type(obj) is Array:
        return _from_array(obj, row, target, copy, where, name)
    if type(obj) not in _ON_HOST and interchange.is_foreign(obj):
        shared = interchange.from_foreign(obj, device, copy, where)
        return shared if row is None else _from_array(shared, row, None, copy, where, name)
    obj = _answer(obj)
    if type(obj) is Array:
        return _from_array(obj, row, target, copy, where, name)
    if copy is False:
        home = target or get_device()
        if isinstance(obj, numpy.ndarray) and obj.dtype in dtypes.BY_NUMPY and home.info.in_place:
            shared = interchange.from_dlpack(obj, device=home, copy=False)
            return shared if row is None else _from_array(shared, row, None, copy, where, name)
        raise errors.value_error(
            where,
            f"copy is False and {name} is of type {type(obj).__name__}, in the host's memory",
            "values move to a device by a copy",
            "pass copy=None",
        )
    if type(obj).__module__ == "pyopencl.array":
        obj = obj.get()  # NumPy would take it for an object
    target = target or get_device()
    if row is not None:
        require_on(target, row, where)
    if isinstance(obj, list | tuple) and holds_arrays(obj):
        obj = _of_known(obj)
    if isinstance(obj, list | tuple) and holds_arrays(obj):
        return Array(_nested(obj, row, target, where, name))
    return Array(_from_values(obj, row, target, where, name))


def _answer(obj: Any) -> Any:
    """The result of an object's `__array__`, which may be an Array."""
    if isinstance(obj, numpy.ndarray | numpy.generic) or not hasattr(type(obj), "__array__"):
        return obj
    given = obj.__array__()
    return given if isinstance(given, Array | numpy.ndarray) else obj


_ON_HOST: Final = frozenset((list, tuple, bool, int, float, complex, numpy.ndarray))
"""Types that need no look at whether their values are on a GPU."""


def _from_array(
    x: Array, row: DType | None, device: Device | None, copy: bool | None, where: str, name: str
) -> Array:
    node = x._node
    target = device or node.device
    if row is None or row is node.dtype:
        if target is node.device:
            return Array(engine.copied(node)) if copy else x
        row = node.dtype
    if copy is False:
        raise errors.value_error(
            where,
            f"copy is False and {name} has dtype {node.dtype} on {node.device}",
            f"dtype {row} on {target} needs a copy",
            "pass copy=None",
        )
    return retyped(x, row, where, name, target=target)


def retyped(
    x: Array,
    row: DType,
    where: str,
    name: str = "x",
    *,
    copy: bool = False,
    target: Device | None = None,
) -> Array:
    """An array converted to a data type, for a function that errors name."""
    node = x._node
    warn_of_imaginary(node.dtype, row, where, name)
    if target is not None and target is not node.device:
        require_on(target, row, where)
        # Converted where both types exist: the target may lack the given type.
        if row in dtypes.NEEDS_FLOAT64 and not node.device.info.has_float64:
            return like(x, engine.converted(to_device(node, target, where), row))
        return like(x, to_device(engine.converted(node, row), target, where))
    require_on(node.device, row, where)
    if row is node.dtype:
        return like(x, engine.copied(node)) if copy else x
    return like(x, engine.converted(node, row))


def warn_of_imaginary(given: DType, wanted: DType, where: str, name: str) -> None:
    """Say that a conversion drops imaginary parts, if it does."""
    if given.kind == COMPLEX and wanted.kind not in (COMPLEX, BOOL):
        errors.warn(
            errors.message(
                where,
                f"{name} has dtype {given} and dtype is {wanted}",
                "the imaginary part is discarded",
                f"write {name}.real",
            ),
            ComplexWarning,
        )


class _Parts:
    """The parts of a nested sequence with Arrays in it: nodes and values of the host.

    `nodes` and `blocks` have their places, in elements from the start.
    """

    def __init__(self, device: Device, where: str, name: str) -> None:
        self.device = device
        self.where = where
        self.name = name
        self.nodes: list[tuple[int, Node]] = []
        self.blocks: list[tuple[int, Host]] = []
        self.rows: list[DType] = []

    def add(self, obj: Any, place: int) -> Shape:
        """Take a part that begins at a place; its shape."""
        if isinstance(obj, list | tuple) and holds_arrays(obj):
            shape: Shape | None = None
            for number, item in enumerate(obj):
                found = self.add(item, place + number * math.prod(shape or ()))
                if shape not in (None, found):
                    raise errors.value_error(
                        self.where,
                        f"{self.name} holds arrays of shapes {shape} and {found}",
                        "nested sequences have the same length at each level",
                    )
                shape = found
            return (len(obj), *(shape or ()))
        if type(obj) is Array:
            node = obj._node
            if node.value is not None:
                self.blocks.append((place, numpy.full(node.shape, node.value, node.dtype.numpy)))
                self.rows.append(node.dtype)
                return node.shape
            if node.device is not self.device:
                node = to_device(node, self.device, self.where)
            self.nodes.append((place, node))
            self.rows.append(node.dtype)
            return node.shape
        values, row = _typed_values(obj, None, self.device, self.where, self.name)
        self.blocks.append((place, values))
        self.rows.append(row)
        return values.shape


def _of_known(values: list[Any] | tuple[Any, ...]) -> Any:
    """A NumPy array of Arrays that stand for known numbers of one type; else the values."""
    nodes = [item._node for item in values if type(item) is Array]
    row = nodes[0].dtype if nodes else None
    if len(nodes) < len(values) or any(
        node.value is None or node.shape or node.dtype is not row for node in nodes
    ):
        return values
    return numpy.array([node.value for node in nodes], nodes[0].dtype.numpy)


def _nested(obj: Any, row: DType | None, device: Device, where: str, name: str) -> Node:
    """The leaf of a nested sequence with Arrays in it; its numbers go to the device at once."""
    parts = _Parts(device, where, name)
    shape = parts.add(obj, 0)
    row = row or promoted(parts.rows, device, where)
    for given in parts.rows:
        warn_of_imaginary(given, row, where, name)
    whole = layout.contiguous(layout.require_possible(shape, where))
    if parts.blocks:
        host = numpy.zeros(whole.size, row.numpy)
        for place, values in parts.blocks:
            host[place : place + values.size] = values.reshape(-1)
        with openly():
            result = from_host(host.reshape(shape), device, where)
        assert result.storage is not None
        storage = result.storage
    else:
        storage = engine.reserve(device, whole.size * row.itemsize)
    for place, node in parts.nodes:
        lies = layout.Layout(node.shape, whole.strides[len(shape) - len(node.shape) :], place)
        engine.write(storage, lies, row, engine.converted(node, row))
    return leaf(storage, whole, row)


def _from_values(obj: Any, row: DType | None, device: Device, where: str, name: str) -> Node:
    """The node of values on the host."""
    values, _ = _typed_values(obj, row, device, where, name)
    with openly():
        return from_host(values, device, where)


def _typed_values(
    obj: Any, row: DType | None, device: Device, where: str, name: str
) -> tuple[Host, DType]:
    """Values on the host, of a data type that the device has where none is asked for."""
    typed = isinstance(obj, numpy.ndarray | numpy.generic)
    if row is not None and not typed:
        return numbers(obj, row, where, name), row
    values = host_values(obj, where, name)
    if row is not None and values.dtype.kind in "USO":
        return numbers(obj, row, where, name), row
    if values.dtype.kind == "O" or (not typed and values.dtype.kind not in "biufc"):
        raise _refused_objects(obj, values, where, name)
    given = dtypes.BY_NUMPY.get(values.dtype.newbyteorder("="))
    if given is None:
        raise errors.type_error(
            where,
            f"{name} has dtype {values.dtype}",
            "xarr has the dtypes " + ", ".join(known.name for known in dtypes.TABLE),
            dtypes.why_not(values.dtype),
        )
    if row is None:
        row = given
        if not typed and given in dtypes.NEEDS_FLOAT64 and not _has_own_dtype(obj):
            floating = default_float(device)
            row = floating if given is dtypes.float64 else dtypes.COMPLEX_OF[floating]
    if row is not given:
        warn_of_imaginary(given, row, where, name)
        values = dtypes.quietly(_host_converted, values, row)
    return values, row


def numbers(obj: Any, row: DType, where: str, name: str) -> Host:
    """A number or nested sequences of them, each converted to a data type as NumPy does it.

    Exactly: an integer that the type does not hold is an error, and none becomes a float between.
    """
    try:
        return dtypes.quietly(numpy.array, obj, row.numpy)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(
            errors.message(where, f"{name} is no array of {row} ({error})", "numbers are accepted")
        ) from None


def _has_own_dtype(obj: Any) -> bool:
    """Whether an object that is no NumPy array says itself of which type its values are."""
    return not isinstance(obj, bool | int | float | complex | list | tuple | range)


def _refused_objects(obj: Any, values: Host, where: str, name: str) -> Exception:
    if all(isinstance(item, int) for item in values.flat) and values.size:
        return errors.refused(
            OverflowError,
            where,
            f"{name} holds Python integers that no dtype holds",
            "int64 holds -2**63 to 2**63 - 1, uint64 0 to 2**64 - 1",
            "convert them to float first",
        )
    given = f"{name} is of type {type(obj).__name__}"
    remedy = ""
    if values.size and isinstance(obj, list | tuple | numpy.ndarray):
        odd = next((item for item in values.flat if not isinstance(item, Number)), None)
        odd = odd.item() if isinstance(odd, numpy.generic) else odd
        given += f" and holds {reprlib.repr(odd)}"
        remedy = "numpy has arrays of objects"
        if isinstance(odd, str | bytes):
            remedy = "write dtype=float to make numbers of text; numpy has arrays of text"
    accepted = "numbers, nested sequences of numbers, NumPy arrays and Arrays are accepted"
    return errors.type_error(where, given, accepted, remedy)


def _host_converted(values: Host, row: DType) -> Host:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComplexWarning)
        return values.astype(row.numpy)
