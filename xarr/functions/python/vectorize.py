"""Functions that call Python functions for lines or elements of arrays.

Python functions run on the host, one call after the other. What they are given as numbers is read
from the device for them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex

import numpy

from xarr.array.array import Array
from xarr.array.coerce import array_of, as_array
from xarr.backends.device import Device
from xarr.errors import value_error
from xarr.functions.calls.on_host import host_of, left_on_host
from xarr.functions.create import fills
from xarr.functions.python import float_bits, python_kernels
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape import joining, manipulation
from xarr.functions.types import data_types
from xarr.layout import broadcast_shapes, normalize_axis


def apply_along_axis(
    func1d: Callable[..., Any], axis: SupportsIndex, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """Call a function with each one-dimensional slice along an axis.

    func1d : callable -- The function, called with each slice: an Array of shape (N,), a view.
    arr : Array, shape (..., N, ...) -- The array.
    *args, **kwargs : object -- Further arguments of the function.

    -> Array
        The results joined: `axis` is replaced by the axes of a result. The data type is that of
        the first result.

    ValueError -- If an axis other than `axis` has no elements.

    Note: The function is called once for each slice, and its work stays on the device. A function
    of the whole array and its axis, such as `sum(x, axis)`, is faster.

    >>> x = xarr.asarray([[1, 4], [2, 3]])
    >>> xarr.apply_along_axis(lambda line: line.max() - line.min(), 1, x).tolist()
    [3, 1]
    """
    where = "apply_along_axis(func1d, axis, arr)"
    x = array_of(arr, where, "arr")
    place = normalize_axis(axis, x.ndim, where)
    last = manipulation.moveaxis(x, place, -1)
    outer = last.shape[:-1]
    results = [
        func1d(last[index], *args, **kwargs) for index in itertools.product(*map(range, outer))
    ]
    if not results:
        raise value_error(where, f"arr has shape {x.shape}", "it must have at least one line")
    first = as_array(results[0], where, "a result", device=x.device)
    if all(isinstance(item, int | float | complex | numpy.generic) for item in results):
        together = as_array(results, where, "the results", dtype=first.dtype, device=x.device)
    else:
        how: Any = {"dtype": first.dtype, "device": x.device}
        together = joining.stack([as_array(item, where, "a result", **how) for item in results])
    whole = manipulation.reshape(together, (*outer, *first.shape))
    count = len(outer)
    order = (*range(place), *range(count, count + first.ndim), *range(place, count))
    return manipulation.permute_dims(whole, order)


def apply_over_axes(
    func: Callable[[Array, int], Any], a: Any, axes: SupportsIndex | Iterable[SupportsIndex]
) -> Array:
    """Apply a function of an array and an axis along several axes in turn.

    func : callable
        The function, called with the array and an axis; its result has as many axes or one less.
    axes : int or sequence of int -- The axes.

    -> Array
        With as many axes as a; an axis that func removes has one element.

    ValueError -- If a result of func has another number of axes.

    >>> xarr.apply_over_axes(xarr.sum, xarr.ones((2, 3, 4)), [0, 2]).tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    where = "apply_over_axes(func, a, axes)"
    value = array_of(a, where, "a")
    for axis in manipulation.integers(axes, where, "axes"):
        place = normalize_axis(axis, value.ndim, where)
        result = array_of(func(value, place), where, "a result")
        if result.ndim == value.ndim - 1:
            result = manipulation.expand_dims(result, place)
        if result.ndim != value.ndim:
            fault = f"the result has {result.ndim} dimensions"
            accepted = f"it must have as many as the array, {value.ndim}, or one less"
            raise value_error(where, fault, accepted)
        value = result
    return value


def _option(name: str, about: str) -> property:
    """An attribute of `vectorize` that may be set."""

    def read(self: vectorize) -> Any:
        return self._options[name]

    def write(self: vectorize, value: Any) -> None:
        self._options[name] = value
        if self._host is not None:
            self._host = numpy.vectorize(self.pyfunc, **self._options)

    return property(read, write, doc=about)


class vectorize:  # noqa: N801 - NumPy's name
    """Make a function of arrays from a Python function of numbers. Mostly runs on the host.

    pyfunc : callable -- The function. It gets Python numbers, and at its first call NumPy numbers.
        Without it, `vectorize` returns a decorator.
    otypes : str or list of dtype, optional
        The data types of the results; None for the types of the first call's results.
    doc : str, optional -- The docstring; None for the function's.
    excluded : set of int and str, optional -- The arguments to pass unchanged.
    cache : bool -- Whether to keep the result of the first call, which finds the data types.
    signature : str, optional -- The axes that the function takes itself, as "(m,n),(n)->(m)".

    Notes
    -----
    NumPy's class. A `def` or `lambda` of floating-point Arrays runs on the device, as with
    `elementwise`, if it has only these: `+ - *`, division by constants, comparisons, conditions,
    `abs`, `math.fabs` and `math.copysign`. The results have the same bits as in Python. Without
    otypes the function is called once in Python, for the data type of the result.

    Other functions run on the host, a call for each element, because Python differs from arrays:
    it raises for a division by 0 and the root of a negative number (`elementwise` returns infinity
    or NaN), its integers are unbounded, and functions of `math` differ in the last bits.

    >>> larger = xarr.vectorize(lambda a, b: a if a > b else b)
    >>> larger(xarr.asarray([1, 5, 2]), 3).tolist()
    [3, 5, 3]
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any] | None = None,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self._options = {"otypes": otypes, "doc": doc, "excluded": excluded}
        self._options |= {"cache": cache, "signature": signature}
        self._host: Any = None
        if pyfunc is not None:
            self._take(pyfunc)

    def _take(self, pyfunc: Callable[..., Any]) -> None:
        self.pyfunc = pyfunc
        self._host = numpy.vectorize(pyfunc, **self._options)
        functools.update_wrapper(self, pyfunc, updated=())
        if self._options["doc"] is not None:
            self.__doc__ = self._options["doc"]

    cache = _option("cache", "Whether the result of the first call is kept.")
    otypes = _option(
        "otypes", "The data types of the results; None where the first call finds them."
    )

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function for each element of the arguments, which broadcast together."""
        if self._host is None:
            (function,) = args
            self._take(function)
            return self
        values = (*args, *kwargs.values())
        device = device_of(*values)
        where = "vectorize(pyfunc)"
        if device is not None and not kwargs and device.has_float64:
            on_device = self._on_device(args, device, where)
            if on_device is not None:
                return on_device
        result = self._host(
            *(_host(value, where) for value in args),
            **{name: _host(value, where) for name, value in kwargs.items()},
        )
        return _arrays(result, device, where)

    def _on_device(self, args: tuple[Any, ...], device: Device, where: str) -> Array | None:
        """The result by operations of arrays; None where it might be another one than NumPy's."""
        options = self._options
        are_floats = [_is_float(value) for value in args]
        if None in are_floats or options["excluded"] or options["signature"]:
            return None
        if not float_bits.is_alike(self.pyfunc, are_floats):  # type: ignore[arg-type]
            return None
        shape = broadcast_shapes(*(numpy.shape(value) for value in args), where=where)
        if not shape or 0 in shape:
            return None
        dtypes = options["otypes"]
        if dtypes is None:
            firsts = [
                host_of(x.reshape(-1)[:1], where)[0] if type(x) is Array else numpy.asarray(x)[()]
                for x in args
            ]
            dtypes = numpy.asarray(self.pyfunc(*firsts)).dtype.char
        if dtypes not in ("d", "f", "?"):
            return None
        doubles = (data_types.astype(x, "float64") if type(x) is Array else x for x in args)
        result = python_kernels.elementwise(self.pyfunc)(*doubles)
        made = as_array(result, where, "the result", device=device)
        return data_types.astype(manipulation.broadcast_to(made, shape), dtypes)


def _is_float(value: Any) -> bool | None:
    """Whether an argument is a float, or an integer that floats have; None of others."""
    if type(value) is Array:
        return True if value.dtype.kind == "f" else None
    if type(value) is int and abs(value) <= float_bits.EXACT:
        return False
    return True if type(value) is float else None


def _host(value: Any, where: str) -> Any:
    """An argument on the host; what is in lists stays, since the function may take them."""
    return host_of(value, where) if type(value) is Array else value


def _arrays(result: Any, device: Any, where: str) -> Any:
    """Convert the results of a function of NumPy's to Arrays."""
    if isinstance(result, tuple):
        return tuple(_arrays(part, device, where) for part in result)
    given = result
    if isinstance(result, numpy.ndarray) and result.dtype.kind == "O":
        if not result.size:
            return fills.zeros(result.shape, device=device)
        given = result.tolist()
    try:
        return as_array(given, where, "the result", device=device)
    except TypeError as refusal:
        return left_on_host(refusal, result)


class _FromPython:
    """The function that `frompyfunc` makes."""

    def __init__(self, func: Callable[..., Any], nin: int, nout: int, options: Any) -> None:
        self._ufunc = numpy.frompyfunc(func, nin, nout, **options)
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self.__name__ = getattr(func, "__name__", "function")
        self.__doc__ = func.__doc__

    def __call__(self, *args: Any) -> Any:
        device = device_of(*args)
        where = "frompyfunc(func)"
        result = self._ufunc(*(_host(value, where) for value in args))
        return _arrays(result, device, where)

    def reduce(self, array: Any, axis: SupportsIndex | None = 0, **options: Any) -> Array:
        """Call the function with the result so far and the next element, along an axis."""
        return self._along("reduce", array, axis=axis, **options)

    def accumulate(self, array: Any, axis: SupportsIndex = 0) -> Array:
        """Apply `reduce`, and return all intermediate results."""
        return self._along("accumulate", array, axis=axis)

    def _along(self, name: str, array: Any, **options: Any) -> Array:
        where = f"frompyfunc(func).{name}(array)"
        x = array_of(array, where, "array")
        result = getattr(self._ufunc, name)(host_of(x, where).astype(object), **options)
        found: Array = _arrays(result, x.device, where)
        return found

    def outer(self, a: Any, b: Any) -> Array:
        """Call the function for each pair of elements."""
        where = "frompyfunc(func).outer(a, b)"
        result = self._ufunc.outer(_host(a, where), _host(b, where))
        found: Array = _arrays(result, device_of(a, b), where)
        return found


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> _FromPython:
    """Make a function of arrays from a Python function. Runs on the host, element by element.

    func : callable -- The function of Python numbers.
    nin, nout : int -- The numbers of arguments and of results.
    **kwargs : object -- `identity`, as in NumPy.

    -> callable
        A function of arrays that broadcast; it returns Arrays, where NumPy's returns arrays of
        objects. It has the methods `reduce`, `accumulate` and `outer`.

    >>> import math
    >>> xarr.frompyfunc(math.gcd, 2, 1)(xarr.asarray([12, 18]), 8).tolist()
    [4, 2]
    """
    return _FromPython(func, nin, nout, kwargs)
