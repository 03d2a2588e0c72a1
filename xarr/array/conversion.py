"""What `asarray` makes of anything: other arrays, nested lists, NumPy's arrays, numbers."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy
from numpy.exceptions import ComplexWarning

from xarr import dtypes, errors
from xarr.array import interchange
from xarr.array.array import Array, DeviceLike
from xarr.array.nested import holds_arrays, stacked
from xarr.array.transfers import Host, from_host, host_values, openly, to_device
from xarr.backends.device import Device, default_float, get_device, require_on
from xarr.dtypes import BOOL, COMPLEX, DType
from xarr.engine import engine
from xarr.engine.expression import Node


def as_array(
    obj: Any,
    where: str,
    name: str = "x",
    *,
    dtype: Any = None,
    device: DeviceLike = None,
    copy: bool | None = None,
) -> Array:
    """What `asarray` makes of values, for a function and an argument that errors name."""
    row = None if dtype is None else dtypes.lookup(dtype, where)
    target = None if device is None else get_device(device, where)
    if type(obj) is Array:
        return _from_array(obj, row, target, copy, where, name)
    if type(obj) not in _ON_HOST and interchange.is_foreign(obj):
        shared = interchange.from_foreign(obj, device, copy, where)
        return shared if row is None else _from_array(shared, row, None, copy, where, name)
    if copy is False:
        raise ValueError(
            errors.message(
                where,
                f"copy is False and {name} is of type {type(obj).__name__}, in the host's memory",
                "values move to a device by a copy",
                "pass copy=None",
            )
        )
    if type(obj).__module__ == "pyopencl.array":
        obj = obj.get()  # NumPy would take it for an object
    target = target or get_device()
    if row is not None:
        require_on(target, row, where)
    if isinstance(obj, list | tuple) and holds_arrays(obj):
        parts = [as_array(item, where, name, device=target)._node for item in obj]
        whole = Array(stacked(parts, where, name))
        return whole if row is None else retyped(whole, row, where, name)
    return Array(_from_values(obj, row, target, where, name))


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
        raise ValueError(
            errors.message(
                where,
                f"copy is False and {name} has dtype {node.dtype} on {node.device}",
                f"dtype {row} on {target} needs a copy",
                "pass copy=None",
            )
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
    refuse_complex_to_real(node.dtype, row, where, name)
    if target is not None and target is not node.device:
        require_on(target, row, where)
        # Converted where both types exist: the target may lack the given type.
        if row in dtypes.NEEDS_FLOAT64 and not node.device.info.has_float64:
            return Array(engine.converted(to_device(node, target, where), row))
        return Array(to_device(engine.converted(node, row), target, where))
    require_on(node.device, row, where)
    if row is node.dtype:
        return Array(engine.copied(node)) if copy else x
    return Array(engine.converted(node, row))


def refuse_complex_to_real(given: DType, wanted: DType, where: str, name: str) -> None:
    """Refuse a conversion that would drop imaginary parts."""
    if given.kind == COMPLEX and wanted.kind not in (COMPLEX, BOOL):
        raise TypeError(
            errors.message(
                where,
                f"{name} has dtype {given} and dtype is {wanted}",
                "a complex array is not converted to a real one, which would drop the imaginary "
                "part",
                f"take {name}.real or {name}.imag first",
            )
        )


def _from_values(obj: Any, row: DType | None, device: Device, where: str, name: str) -> Node:
    """The node of values on the host."""
    typed = isinstance(obj, numpy.ndarray | numpy.generic)
    values = host_values(obj, where, name)
    if values.dtype.kind == "O" or (not typed and values.dtype.kind not in "biufc"):
        raise _refused_objects(obj, values, where, name)
    given = dtypes.BY_NUMPY.get(values.dtype.newbyteorder("="))
    if given is None:
        raise TypeError(
            errors.message(
                where,
                f"{name} has dtype {values.dtype}",
                "xarr has the dtypes " + ", ".join(known.name for known in dtypes.TABLE),
            )
        )
    if row is None:
        row = given
        if not typed and given in dtypes.NEEDS_FLOAT64 and not _has_own_dtype(obj):
            floating = default_float(device)
            row = floating if given is dtypes.float64 else dtypes.COMPLEX_OF[floating]
    elif row is not given:
        refuse_complex_to_real(given, row, where, name)
        if not typed:
            values = _exact_integers(obj, values, row)
            _require_fit(values, row, where)
    if row is not given:
        values = dtypes.quietly(_host_converted, values, row)
    with openly():
        return from_host(values, device, where)


def _has_own_dtype(obj: Any) -> bool:
    """Whether an object that is no NumPy array says itself of which type its values are."""
    return not isinstance(obj, bool | int | float | complex | list | tuple | range)


def _refused_objects(obj: Any, values: Host, where: str, name: str) -> Exception:
    if all(isinstance(item, int) for item in values.flat) and values.size:
        return OverflowError(
            errors.message(
                where,
                f"{name} holds Python integers that no dtype holds",
                "int64 holds -2**63 to 2**63 - 1, uint64 0 to 2**64 - 1",
                "convert them to float first",
            )
        )
    return TypeError(
        errors.message(
            where,
            f"{name} is of type {type(obj).__name__}",
            "numbers, nested sequences of numbers, NumPy arrays and Arrays are accepted",
        )
    )


def _exact_integers(obj: Any, values: Host, row: DType) -> Host:
    """The values; as objects where NumPy made floats of integers that only uint64 holds all."""
    if row.kind in dtypes.INTEGER and values.dtype == numpy.float64:
        objects = numpy.asarray(obj, dtype=object)
        if all(type(item) is int for item in objects.flat):
            return objects
    return values


def _require_fit(values: Host, row: DType, where: str) -> None:
    """Refuse Python integers that an integer type cannot hold, as NumPy does."""
    if row.kind not in dtypes.INTEGER or values.dtype.kind not in "iuO" or not values.size:
        return
    low, high = dtypes.integer_bounds(row)
    least, largest = int(values.min()), int(values.max())
    if least < low or largest > high:
        raise OverflowError(
            errors.message(
                where,
                f"the Python integer {least if least < low else largest} is out of bounds "
                f"for {row}",
                f"{row} holds {low} to {high}",
            )
        )


def _host_converted(values: Host, row: DType) -> Host:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComplexWarning)
        return values.astype(row.numpy)
