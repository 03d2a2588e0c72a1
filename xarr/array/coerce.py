"""Coerce arguments of calls to Arrays, or to views beside another operand.

Arrays of xarr, NumPy and other libraries, numbers and nested sequences of all of them are coerced
here, and nowhere else. Where results go is not known here (`out_argument`), nor what an operator
does with its operands (`operators`), nor how memory is shared (`exchange`).
"""

from __future__ import annotations

import math
import reprlib
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy
from numpy.exceptions import ComplexWarning

from xarr import dtypes, errors, layout, tuning
from xarr.array import exchange
from xarr.array.array import Array, DeviceLike, made
from xarr.array.layouts import like
from xarr.array.nested import array_of_list
from xarr.array.transfers import (
    Host,
    from_host,
    host_values,
    is_unobserved,
    openly,
    row_of,
    to_device,
)
from xarr.backends.device import (
    Device,
    default_device,
    default_float,
    get_device,
    promoted,
    require_on,
    require_together,
)
from xarr.dtypes import BOOL, COMPLEX, DType
from xarr.ir.views import View, constant, lone_constant, storage_view, structure
from xarr.layout import Shape
from xarr.ops import vendor
from xarr.tape import builder, record
from xarr.tape.scalar_access import values_of
from xarr.tape.tape import tape_of
from xarr.tape.traced import TracedNumber, TracedScalar

Scalar = bool | int | float | complex
_PYTHONS: Final = (bool, int, float, complex)
SCALARS: Final = (*_PYTHONS, TracedNumber)
"""Python's numbers, which take the type of what stands beside them."""
_NUMBERS: Final = frozenset(SCALARS)
_PLAIN: Final = (*SCALARS, list, tuple, range)
"""Types whose values have the device's default floating-point type."""
_HELD: Final = (*_PYTHONS, numpy.number, numpy.bool)
"""Types of numbers that arrays hold; a Fraction is a number, and none of these."""
_ON_HOST: Final = frozenset((*SCALARS, list, tuple, numpy.ndarray))
"""Types that need no look at whether their values are on a GPU."""


OF_NUMBERS: Final = errors.difference("python-numbers-and-other-surprises")
"""The end of an error of a Python number that does not fit."""
_REAL_ONLY: Final = {"full": "np-full", "full_like": "np-full", "pad": "np-pad"}
"""Rows of the page on differences for functions that NumPy lets drop imaginary parts."""
_LEAST, _MOST = dtypes.integer_bounds(dtypes.int64)


# -- an Array --------------------------------------------------------------------------------------


def array_of(x: Any, where: str, name: str = "") -> Array:
    """Return an Array as it is; make one of anything else, on the default device."""
    kind = type(x)
    if kind is Array:
        return x  # type: ignore[no-any-return]
    if kind is float or (kind is int and _LEAST <= x <= _MOST):
        return array_of_number(x)
    if kind is list and (known := array_of_list(x, default_device())) is not None:
        return known  # type: ignore[no-any-return]
    if isinstance(x, numpy.ndarray | numpy.generic):
        # As beside an operand, so that the transfer counts as hidden.
        view = operand(x, constant(False, dtypes.bool_, (), get_device()), where, name)
        if view is not None:
            return Array(view)
    return as_array(x, where, name or errors.operand_of(where))


def array_of_number(x: float, device: Device | None = None) -> Array:
    """Return the array of a Python float, or of an integer within int64."""
    device = device or default_device()
    row = default_float(device) if type(x) is float else dtypes.int64
    value = _rounded(x, row) if row is dtypes.float32 else x
    return made(lone_constant(structure(device, row, (), None), value))


def stored_number(x: Any, beside: Any) -> Any:
    """Return an array in place of a Python number beside an array; anything else as it is.

    Calls of a `cached_call` whose numbers differ are alike so.
    """
    is_number = type(x) is float or (type(x) is int and _LEAST <= x <= _MOST)
    is_beside = is_number and type(beside) is Array
    return array_of_number(x, beside._view.device) if is_beside else x


def operand_view(x: Any, where: str, name: str = "") -> View:
    """Return the view of `array_of`."""
    return x._view if type(x) is Array else array_of(x, where, name)._view


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
    if type(obj) is list and dtype is None and copy is not False:
        known = array_of_list(obj, get_device(device, where))
        if known is not None:
            return known  # type: ignore[no-any-return]
    row = None if dtype is None else dtypes.lookup(dtype, where)
    target = None if device is None else get_device(device, where)
    if type(obj) is TracedNumber:
        is_taken = row is None or obj.fits(row, exactly=True)
        home = target or get_device()
        obj = _array_of_traced(obj, row, home, where) if is_taken else obj.pinned()
    if type(obj) is not Array and type(obj) not in _ON_HOST:
        if exchange.is_foreign(obj):
            shared = exchange.from_foreign(obj, device, copy, where)
            return shared if row is None else _from_array(shared, row, None, copy, where, name)
        obj = answer_of(obj)
        if type(obj).__module__ == "pyopencl.array":
            obj = obj.get()  # NumPy would take it for an object
    if type(obj) is Array:
        return _from_array(obj, row, target, copy, where, name)
    if copy is False:
        home = target or get_device()
        lent = None
        if isinstance(obj, numpy.ndarray) and obj.dtype in dtypes.BY_NUMPY:
            with suppress(errors.CopyError):
                lent = exchange.from_dlpack(obj, device=home, copy=False)
        if lent is not None:
            return lent if row is None else _from_array(lent, row, None, copy, where, name)
        raise errors.value_error(
            where,
            f"copy is False and {name} is of type {type(obj).__name__}, in the host's memory",
            "copy must not be False, as values move to a device by a copy",
            "pass copy=None",
        )
    target = target or get_device()
    if row is not None:
        require_on(target, row, where)
    with openly():
        if isinstance(obj, list | tuple) and holds_arrays(obj):
            known = _known_numbers(obj)
            if known is None:
                return Array(_Parts(target, where, name).view(obj, row))
            obj = known
        values, row = _typed_values(obj, row, target, where, name)
        return Array(_uploaded(values, row, target, where, is_new=isinstance(obj, list | tuple)))


def _array_of_traced(number: TracedNumber, row: DType | None, device: Device, where: str) -> Array:
    """Return the array without axes that a number of a recorded call makes; integers must fit."""
    if row is None or row.kind not in dtypes.INTEGER:
        row = as_array(number.value, where, device=device)._view.dtype
    return Array(number.view(row, device))


def _uploaded(values: Host, row: DType, device: Device, where: str, *, is_new: bool) -> View:
    """Return the view of values on a device, in their own memory if it is new."""
    own = None
    if is_new and values.dtype == row.numpy and is_unobserved():  # in the machine's order of bytes
        own = vendor.held(values, device, row)
    return from_host(values, device, where, "", row) if own is None else builder.owned(own)


def answer_of(obj: Any) -> Any:
    """Return the result of an object's `__array__`, which may be an Array; else the object."""
    if isinstance(obj, numpy.ndarray | numpy.generic) or not hasattr(type(obj), "__array__"):
        return obj
    given = obj.__array__()
    return given if isinstance(given, Array | numpy.ndarray) else obj


def _from_array(
    x: Array, row: DType | None, device: Device | None, copy: bool | None, where: str, name: str
) -> Array:
    view = x._view
    target = device or view.device
    if row is None or row is view.dtype:
        if target is view.device:
            return Array(builder.copied(view)) if copy else x
        row = view.dtype
    if copy is False:
        raise errors.value_error(
            where,
            f"copy is False and {name} has dtype {view.dtype} on {view.device}",
            f"copy must not be False to make dtype {row} on {target}",
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
    """Convert an array to a data type, for a function that errors name."""
    view = x._view
    warn_of_imaginary(view.dtype, row, where, name)
    if target is not None and target is not view.device:
        require_on(target, row, where)
        # Converted where both types exist: the target may lack the given type.
        if row in dtypes.NEEDS_FLOAT64 and not view.device.info.has_float64:
            return like(x, builder.converted(to_device(view, target, where), row))
        return like(x, to_device(builder.converted(view, row), target, where))
    require_on(view.device, row, where)
    if row is view.dtype:
        return like(x, builder.copied(view)) if copy else x
    return like(x, builder.converted(view, row))


def warn_of_imaginary(given: DType, wanted: DType, where: str, name: str) -> None:
    """Warn where a conversion drops imaginary parts."""
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


# -- a view beside another operand -----------------------------------------------------------------


def operand(value: Any, other: View, where: str, name: str) -> View | None:
    """Return the view of an operand beside another one; None where it can be none.

    Errors call it `name`, and the first argument in `where` if that is empty.
    """
    kind = type(value)
    if kind is Array or kind is View:
        view: View = value._view if kind is Array else value
        require_together(view.device, other.device, where)
        return view
    if kind is numpy.ndarray:
        return from_host(value, other.device, where, name)
    if kind is float or kind is int or kind is bool or kind is complex:
        return scalar_view(
            value,
            dtypes.of_python_scalar(value, other.dtype, default_float(other.device)),
            other.device,
            where,
        )
    if kind is TracedNumber:
        taken = dtypes.of_python_scalar(value.value, other.dtype, default_float(other.device))
        if not value.fits(taken):
            return operand(value.pinned(), other, where, name)
        # A constant beside a constant would be computed at once.
        make = value.operand if other.value is None else value.view
        return make(taken, other.device)  # type: ignore[no-any-return]
    if kind is TracedScalar:
        known = dtypes.BY_NUMPY[value.value.dtype]
        require_on(other.device, known, where)
        return value.view(known, other.device)  # type: ignore[no-any-return]
    if isinstance(value, numpy.generic):
        row = dtypes.BY_NUMPY.get(value.dtype)
        if row is None:
            return None
        require_on(other.device, row, where)
        return constant(value.item(), row, (), other.device)
    if isinstance(value, bool | int | float | complex):
        plain = next(number for number in _PYTHONS if isinstance(value, number))
        return operand(plain(value), other, where, name)  # type: ignore[arg-type]
    listed = array_of_list(value, other.device) if kind is list else None
    if listed is not None:
        return listed._view  # type: ignore[no-any-return]
    if isinstance(value, list | tuple) and holds_arrays(value):
        return _Parts(other.device, where, name, moves=False).view(value)
    if isinstance(value, numpy.ndarray | list | tuple | range):
        values, row = _typed_values(value, None, other.device, where, name)
        return from_host(values, other.device, where, name, row)
    return None


def beside(value: Any, other: View, where: str, name: str) -> View:
    """Return an operand's view on the device of another one; convert what is no operand."""
    view = operand(value, other, where, name)
    return as_array(value, where, name, device=other.device)._view if view is None else view


def together(
    x1: Any, x2: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> tuple[View, View]:
    """Return two operands as views of the data type that they promote to."""
    if type(x1) is Array and type(x2) is Array:
        first, second = x1._view, x2._view
        if first.dtype is second.dtype and first.device is second.device:
            return first, second
    if type(x1) is Array or type(x2) is not Array:
        first = operand_view(x1, where, names[0])
        second = beside(x2, first, where, names[1])
        if type(x1) in SCALARS and type(x2) not in SCALARS:
            first = beside(x1, second, where, names[0])
    else:
        second = x2._view
        first = beside(x1, second, where, names[0])
    first, second = widened(first, second, x2), widened(second, first, x1)
    row = promoted((first.dtype, second.dtype), first.device, where)
    return builder.converted(first, row), builder.converted(second, row)


def arrays_together(x1: Any, x2: Any, where: str, names: tuple[str, str]) -> tuple[View, View]:
    """Return them as `together`, a Python number in the data type that an array of it has."""
    if type(x1) is Array and type(x2) is Array:
        return together(x1, x2, where, names)
    first, second = (
        as_array(x, where, name, device=None if type(other) is not Array else other.device)
        if type(x) in SCALARS and not (type(other) is Array and other._view.device.no_float64)
        else x
        for x, other, name in ((x1, x2, names[0]), (x2, x1, names[1]))
    )
    return together(first, second, where, names)


def compared(x1: Any, x2: Any, where: str, names: tuple[str, str]) -> tuple[View, View]:
    """Return them as `together`, to be compared: an integer beyond the other's type fits."""
    try:
        return together(x1, x2, where, names)
    except OverflowError:
        if not (isinstance(x1, int) or isinstance(x2, int)):
            raise
        return arrays_together(x1, x2, where, names)


def widened(view: View, other: View, value: Any) -> View:
    """Convert a view to the type of a Python scalar beside it, on a device without float64.

    `other` is the view of `value`. Else int64 and float32 would promote to float64.
    """
    if view.device.no_float64 and type(value) in SCALARS and type(value) is not bool:
        return builder.converted(view, other.dtype)
    return view


def scalar_view(value: Scalar, dtype: DType, device: Device, where: str) -> View:
    """Make a constant of a data type from a Python scalar, rounded to it."""
    kind = dtype.kind
    if kind in dtypes.INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        if not low <= value <= high:  # type: ignore[operator]
            raise errors.refused(
                OverflowError,
                where,
                f"the Python integer {value} is out of bounds for {dtype}",
                f"it must be {low} to {high}",
                f"convert the array to a wider dtype first; {OF_NUMBERS}",
            )
        value = int(value)  # type: ignore[arg-type]
    elif kind == dtypes.BOOL:
        value = bool(value)
    elif kind == dtypes.REAL:
        value = float(value) if dtype is dtypes.float64 else _rounded(value, dtype)  # type: ignore[arg-type]
    else:
        value = complex(value) if dtype is dtypes.complex128 else _rounded(value, dtype)
    return constant(value, dtype, (), device)


_LARGEST: Final = {
    row: float(numpy.finfo(row.numpy).max) for row in dtypes.TABLE if row.kind in dtypes.FLOATING
}


def _rounded(value: Any, dtype: DType) -> Any:
    if max(abs(value.real), abs(value.imag)) <= _LARGEST[dtype]:
        return dtype.numpy.type(value).item()
    return dtypes.quietly(dtype.numpy.type, value).item()


# -- values of the host ----------------------------------------------------------------------------


class _Parts:
    """The parts of a nested sequence with Arrays in it: views and values of the host.

    `views` and `blocks` have their places, in elements from the start. Without `moves`, views of
    other devices are refused.
    """

    def __init__(self, device: Device, where: str, name: str, *, moves: bool = True) -> None:
        self.device = device
        self.moves = moves
        self.where = where
        self.name = name
        self.views: list[tuple[int, View]] = []
        self.blocks: list[tuple[int, Host]] = []
        self.rows: list[DType] = []

    def add(self, obj: Any, place: int) -> Shape:
        """Take a part that begins at a place; return its shape."""
        if isinstance(obj, list | tuple) and holds_arrays(obj):
            shape: Shape | None = None
            for number, item in enumerate(obj):
                found = self.add(item, place + number * math.prod(shape or ()))
                if shape not in (None, found):
                    raise errors.value_error(
                        self.where,
                        f"{self.name} holds arrays of shapes {shape} and {found}",
                        "nested sequences must have the same length at each level",
                    )
                shape = found
            return (len(obj), *(shape or ()))
        if type(obj) is Array:
            view = obj._view
            if view.value is not None:
                self.blocks.append((place, numpy.full(view.shape, view.value, view.dtype.numpy)))
                self.rows.append(view.dtype)
                return view.shape
            if not self.moves:
                require_together(view.device, self.device, self.where)
            if view.device is not self.device:
                view = to_device(view, self.device, self.where)
            few = _few(view)
            if few is None:
                self.views.append((place, view))
            else:
                self.blocks.append((place, few))
            self.rows.append(view.dtype)
            return view.shape
        values, row = _typed_values(obj, None, self.device, self.where, self.name)
        self.blocks.append((place, values))
        self.rows.append(row)
        return values.shape

    def view(self, obj: Any, row: DType | None = None) -> View:
        """Return the array of a nested sequence; its numbers go to the device at once."""
        device, where = self.device, self.where
        shape = self.add(obj, 0)
        row = row or promoted(self.rows, device, where)
        for given in self.rows:
            warn_of_imaginary(given, row, where, self.name)
        whole = layout.contiguous(layout.require_possible(shape, where))
        if self.blocks:
            host = numpy.zeros(shape, row.numpy)
            flat = host.reshape(-1)
            for place, values in self.blocks:
                flat[place : place + values.size] = values.reshape(-1)
            storage = _uploaded(host, row, device, where, is_new=True).storage
        else:
            storage = builder.blank(shape, row, device)
        assert storage is not None
        for place, view in self.views:
            lies = layout.Layout(view.shape, whole.strides[len(shape) - len(view.shape) :], place)
            builder.write(storage, lies, row, builder.converted(view, row))
        return storage_view(storage, whole, row)


def _few(view: View) -> Host | None:
    """Return a copy of few elements that the host reads and that are computed; None else."""
    is_few = view.structure.nbytes <= tuning.AT_ONCE_NBYTES
    if not (is_few and record.is_idle(tape_of(view.device)) and is_unobserved()):
        return None
    with view.device.lock:
        values = values_of(view)
        return None if values is None else values.copy()


def holds_arrays(values: Any) -> bool:
    """Return whether an Array stands anywhere in nested lists and tuples."""
    kinds = set(map(type, values))
    if Array in kinds or kinds <= _NUMBERS:
        return Array in kinds
    return any(issubclass(kind, list | tuple) for kind in kinds) and any(
        isinstance(item, list | tuple) and holds_arrays(item) for item in values
    )


def replaced(value: Any, kinds: tuple[type, ...], by: Callable[[Any], Any]) -> Any:
    """Replace the values of these types in nested lists, tuples and dicts; copy what changes."""
    if issubclass(type(value), kinds):
        return by(value)
    if type(value) is dict:
        return {key: replaced(part, kinds, by) for key, part in value.items()}
    if isinstance(value, list | tuple):
        parts = [replaced(part, kinds, by) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _known_numbers(values: Any) -> list[Any] | None:
    """Return nested lists with numbers in the place of Arrays that stand for known ones.

    Return None if one of the Arrays has axes, or waits to be computed.
    """
    numbers: list[Any] = []
    for item in values:
        number = item
        if type(item) is Array:
            view = item._view
            number = None if view.shape or view.value is None else view.dtype.numpy.type(view.value)
        elif type(item) not in _NUMBERS and isinstance(item, list | tuple):
            number = _known_numbers(item)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def _typed_values(
    obj: Any, row: DType | None, device: Device, where: str, name: str
) -> tuple[Host, DType]:
    """Return values on the host, of a data type that the device has where none is asked for."""
    typed = type(obj) not in (list, tuple) and isinstance(obj, numpy.ndarray | numpy.generic)
    if row is not None and not typed:
        return numbers(obj, row, where, name), row
    values = host_values(obj, where, name)
    if row is not None and values.dtype.kind in "USO":
        return numbers(obj, row, where, name), row
    if values.dtype.kind == "O" or (not typed and values.dtype.kind not in "biufc"):
        raise _refused_objects(obj, values, where, name)
    given = row_of(values, where, name)
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
    """Convert a number, or nested sequences of them, to a data type as NumPy does it.

    Exactly: an integer that the type does not hold is an error, and none becomes a float between.
    """
    try:
        return dtypes.quietly(numpy.array, obj, row.numpy)
    except (TypeError, ValueError, OverflowError) as error:
        fault = f"{name} is no array of {row} ({error})"
        accepted = f"{name} must hold numbers that {row} can hold"
        remedy = OF_NUMBERS if isinstance(error, OverflowError) else ""
        row_of_page = _REAL_ONLY.get(where.partition("(")[0])
        if row_of_page and numpy.iscomplexobj(obj):
            remedy = f"write {name}.real; {errors.difference(row_of_page)}"
        raise errors.refused(type(error), where, fault, accepted, remedy) from None


def _has_own_dtype(obj: Any) -> bool:
    """Return whether an object that is no NumPy array says of which type its values are."""
    return not isinstance(obj, _PLAIN)


def _refused_objects(obj: Any, values: Host, where: str, name: str) -> Exception:
    if all(isinstance(item, int) for item in values.flat) and values.size:
        return errors.refused(
            OverflowError,
            where,
            f"{name} holds Python integers that no dtype holds",
            "they must be in int64, -2**63 to 2**63 - 1, or in uint64, 0 to 2**64 - 1",
            f"convert them to float first; {errors.difference('np-array')}",
        )
    given = f"{name} is of type {type(obj).__name__}"
    remedy = ""
    if values.size and isinstance(obj, list | tuple | numpy.ndarray):
        odd = next((item for item in values.flat if not isinstance(item, _HELD)), None)
        shown = odd.item() if isinstance(odd, numpy.str_ | numpy.bytes_) else odd
        given += f" and holds {reprlib.repr(shown)}"
        remedy = dtypes.why_not(odd.dtype if isinstance(odd, numpy.generic) else object)
        if isinstance(odd, str | bytes):
            remedy = f"write dtype=float to make numbers of text; {dtypes.NUMBERS_ONLY}"
    accepted = "it must be a number, a nested sequence of numbers, a NumPy array or an Array"
    return errors.type_error(where, given, accepted, remedy)


def _host_converted(values: Host, row: DType) -> Host:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComplexWarning)
        return values.astype(row.numpy)
