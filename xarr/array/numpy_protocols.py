"""NumPy's functions called with arrays: on the device where xarr has them, else on the host.

What NumPy computes on the host, it computes in an array's own memory on a CPU, and of copies on
other devices, which a warning says once. Arrays among its results go back to the device.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array import exchange
from xarr.array.array import Array
from xarr.array.coerce import replaced
from xarr.array.transfers import Host, from_host, openly, to_host
from xarr.backends.device import Device, require_together
from xarr.ops import vendor

_OF_METADATA: Final = frozenset(
    (
        numpy.ndim,
        numpy.shape,
        numpy.size,
        numpy.iscomplexobj,
        numpy.isrealobj,
        numpy.result_type,
        numpy.can_cast,
        numpy.common_type,
    )
)
"""Functions that ask for shapes and data types alone."""

_WRITING: Final = frozenset(
    (numpy.copyto, numpy.fill_diagonal, numpy.place, numpy.put, numpy.put_along_axis, numpy.putmask)
)
"""Functions that write to their first argument."""

_LIKE: Final = frozenset((numpy.empty_like, numpy.full_like, numpy.ones_like, numpy.zeros_like))
"""Functions that make an array of the kind of their first argument, or refuse to."""

_REFLECTED: Final[dict[numpy.ufunc, Callable[..., Any]]] = {
    numpy.add: Array.__radd__,
    numpy.subtract: Array.__rsub__,
    numpy.multiply: Array.__rmul__,
    numpy.divide: Array.__rtruediv__,
    numpy.floor_divide: Array.__rfloordiv__,
    numpy.remainder: Array.__rmod__,
    numpy.power: Array.__rpow__,
    numpy.bitwise_and: Array.__rand__,
    numpy.bitwise_or: Array.__ror__,
    numpy.bitwise_xor: Array.__rxor__,
    numpy.left_shift: Array.__rlshift__,
    numpy.right_shift: Array.__rrshift__,
    numpy.less: Array.__gt__,
    numpy.less_equal: Array.__ge__,
    numpy.greater: Array.__lt__,
    numpy.greater_equal: Array.__le__,
    numpy.equal: Array.__eq__,
    numpy.not_equal: Array.__ne__,
}
"""The reflected operators, for a number on the left, by NumPy's ufuncs."""


def array_function(
    self: Array,
    func: Callable[..., Any],
    types: Sequence[type],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Let `numpy.mean(x)` compute on the device, and what xarr lacks on the host."""
    if not all(issubclass(kind, Array | numpy.ndarray) for kind in types):
        return NotImplemented
    function = namesake(func.__name__, func.__module__)
    if function is not None:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if func in _LIKE:
                raise
            # Other arguments than xarr's function takes: NumPy's may take them, or refuse them too.
            refusal: TypeError | None = error
    else:
        refusal = None
    try:
        return _by_numpy(func, args, kwargs)
    except TypeError as error:
        raise (refusal or error) from None


def array_ufunc(self: Array, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Let `numpy.sin(x)`, `numpy_array + x` and `numpy.add.reduce(x)` compute on the device.

    What xarr lacks, and what goes to an array of NumPy's, the host computes.
    """
    if method == "__call__" and not kwargs and len(inputs) == 2:
        number, other = inputs
        if type(other) is Array and type(number) is other.dtype.type:
            reflected = _REFLECTED.get(ufunc)
            if reflected is not None:
                result: Array = reflected(other, number.item())
                return result
    outs = kwargs.get("out", ())
    if any(_has_its_own_turn(value) for value in (*inputs, *outs)):
        return NotImplemented
    function = None
    typed: dict[str, Any] = {}
    if any(type(x) is Array for x in inputs):
        if getattr(numpy, ufunc.__name__, None) is ufunc:
            function = namesake(ufunc.__name__)
        elif _name(ufunc) == f"scipy.special.{ufunc.__name__}":
            function = namesake(ufunc.__name__, "scipy.special")
            if function is not None and method == "__call__":
                typed = _typed_by_scipy(ufunc, inputs[0])
        if method != "__call__":
            function = getattr(function, method, None)
    refusal = None
    if function is not None and all(type(out) is Array or out is None for out in outs):
        named = typed | kwargs if len(outs) != 1 else {**typed, **kwargs, "out": outs[0]}
        try:
            return function(*inputs, **named)
        except TypeError as error:
            refusal = error
    where = _name(ufunc) if method == "__call__" else f"{_name(ufunc)}.{method}"
    writes = inputs[:1] if method == "at" else ()
    try:
        return on_host(getattr(ufunc, method), inputs, kwargs, f"{where}(...)", writes)
    except TypeError as error:
        if ufunc in (numpy.equal, numpy.not_equal) and not kwargs and type(inputs[1]) is Array:
            return _REFLECTED[ufunc](*reversed(inputs))  # NumPy's arrays of text: `texts == x`
        raise (refusal or error) from None


def _name(ufunc: numpy.ufunc) -> str:
    """Return the name of a ufunc, with its module where NumPy or SciPy has it."""
    name = ufunc.__name__
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is ufunc:
            return f"{module}.{name}"
    return name


def _typed_by_scipy(ufunc: numpy.ufunc, x: Array) -> dict[str, Any]:
    """Return the `dtype` in which SciPy computes narrow numbers, where xarr's own is wider.

    SciPy computes float16 and integers of 8 and 16 bits in float32 since 1.18, before in float64.
    """
    if not numpy.can_cast(x.dtype, numpy.float32):
        return {}
    dtype = ufunc.resolve_dtypes((x.dtype, None))[1]
    return {"dtype": dtype} if dtype == numpy.float32 else {}


def _has_its_own_turn(value: Any) -> bool:
    """Return whether another library's array, which may know Arrays, stands among the operands."""
    own = getattr(type(value), "__array_ufunc__", None)
    return (
        own is not None
        and type(value) is not Array
        and not isinstance(value, numpy.ndarray | numpy.generic)
    )


def _by_numpy(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call NumPy's own function."""
    if func in _OF_METADATA:
        return func(*replaced(args, (Array,), _stand_in), **replaced(kwargs, (Array,), _stand_in))
    writes = [*args[:1]] if func in _WRITING else []
    return on_host(func, args, kwargs, f"{func.__module__}.{func.__name__}(...)", writes)


def on_host(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    where: str,
    writes: Sequence[Any] = (),
) -> Any:
    """Call a function of NumPy arrays with the values of Arrays, and give Arrays of its results.

    Arrays in lists, tuples and dictionaries count too. Those in `writes` and in `out` are written
    to; no other may be. `where` is what warnings and errors name.
    """
    call = ProtocolCall(where, [*writes, kwargs.get("out")])
    given, named = replaced(args, (Array,), call.host), replaced(kwargs, (Array,), call.host)
    if call.device is None:
        raise errors.type_error(
            where, "no Array is among the arguments", "one argument must be an Array"
        )
    result = func(*given, **named)
    call.write_back()
    return call.given_back(result)


class ProtocolCall:
    """Gives a function of NumPy's the Arrays of a call as NumPy arrays, and takes results back."""

    def __init__(self, where: str, writes: Sequence[Any]) -> None:
        self.where = where
        self.device: Device | None = None
        self._written: set[int] = set()
        replaced(list(writes), (Array,), lambda x: self._written.add(id(x)))
        self._targets = [
            one for part in writes for one in (part if type(part) is tuple else [part])
        ]
        self._pairs: dict[int, tuple[Array, Host]] = {}
        self._copies: list[tuple[Array, Host]] = []

    def host(self, x: Array) -> Host:
        """Return the values of an Array: its own memory on a CPU, else a copy."""
        if self.device is None:
            self.device = x.device
            vendor.warn_once(self.where, x.device)
        require_together(x.device, self.device, self.where)
        pair = self._pairs.get(id(x))
        if pair is None:
            values = exchange.in_place(x, self.where)
            if values is None:
                values = to_host(x._view, self.where)
                # A write that nobody brings back would be lost.
                values.flags.writeable = id(x) in self._written
                self._copies.append((x, values))
            pair = self._pairs[id(x)] = (x, values)
        return pair[1]

    def write_back(self) -> None:
        """Store what was written to copies."""
        for x, values in self._copies:
            if id(x) in self._written:
                with openly():
                    x[...] = values

    def given_back(self, value: Any) -> Any:
        """Replace NumPy's arrays in a result by Arrays of the device."""
        return replaced(value, (numpy.ndarray, numpy.generic), self._given_back)

    def _given_back(self, value: Any) -> Any:
        if type(value) is not numpy.ndarray and not isinstance(value, numpy.generic):
            return value
        if any(value is target for target in self._targets):
            return value
        row = dtypes.BY_NUMPY.get(value.dtype)
        assert self.device is not None
        if row is None or (row in dtypes.NEEDS_FLOAT64 and self.device.no_float64):
            return value
        for x, values in self._pairs.values():
            if value is values:
                return x
        if type(value) is numpy.ndarray and not self._copies:
            for _, values in self._pairs.values():
                if numpy.may_share_memory(value, values):
                    return exchange.from_dlpack(value, device=self.device)
        with openly():
            return Array(from_host(numpy.asarray(value), self.device, self.where))


def _stand_in(x: Array) -> Host:
    """Make a NumPy array of the shape and data type of an Array, without values."""
    return numpy.broadcast_to(numpy.zeros((), x.dtype), x.shape)


def namesake(name: str, module: str = "numpy") -> Callable[..., Any] | None:
    """Return the public function that has the name of one of NumPy's, or `scipy.special`'s."""
    function = getattr(_namesake(module), name, None)
    return function if callable(function) else None


def _namesake(module: str) -> ModuleType | None:
    package, _, rest = module.partition(".")
    known = package == "numpy" or module == "scipy.special"
    name = f"xarr.{rest}" if rest else "xarr"
    try:
        return (sys.modules.get(name) or importlib.import_module(name)) if known else None
    except ModuleNotFoundError:
        return None
