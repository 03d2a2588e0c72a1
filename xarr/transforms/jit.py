"""`jit`: calls like earlier ones are replayed, without the function's Python."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, ParamSpec, TypeVar, overload

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.ir.views import View
from xarr.tape import builder, recorders
from xarr.tape.recording import Noter
from xarr.tape.replay import Replay

_P = ParamSpec("_P")
_R = TypeVar("_R")

_VALUES: Final = (type(None), bool, int, str, bytes, type, dtypes.DType, numpy.dtype)
"""Types of arguments that are told by what they are equal to."""


class _Call:
    """The arguments of a call, as the key under which its recording is kept.

    Attributes
    ----------
    parts : list
        What the key is made of: calls of one key record the same.
    arrays : list of Array
        The arrays among the arguments, and those that the function names elsewhere.
    replaced : dict of int to Array
        The arrays that stand for arguments of NumPy, by those arguments' `id`.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.parts: list[Any] = []
        self.arrays: list[Array] = []
        self.replaced: dict[int, Array] = {}
        self._slots: dict[int, int] = {}
        self.views: list[View] = []  # one of each storage

    def add(self, value: Any) -> None:
        """Add an argument to the key, and its arrays to the list."""
        kind = type(value)
        if kind is Array:
            self._add_array(value)
            return
        self.parts.append(kind)
        if kind is float:
            self.parts.append(value if value == value and value else repr(value))  # of two zeros
        elif kind is tuple or kind is list:
            self.parts.append(len(value))
            for one in value:
                self.add(one)
        elif isinstance(value, _VALUES):
            self.parts.append(value)
        else:
            self._add_other(value)

    def _add_array(self, array: Array) -> None:
        view = array._view
        if view.value is not None:
            builder.materialise(view)
        storage, how = view.storage, view.structure
        assert storage is not None
        slot = self._slots.get(storage.serial)
        if slot is None:
            slot = self._slots[storage.serial] = len(self.views)
            self.views.append(view)
        beyond = view.offset - self.views[slot].offset
        self.parts += (how, storage.nbytes, slot, beyond, array._kept, array._locked)
        self.arrays.append(array)

    def _add_other(self, value: Any) -> None:
        """Add an argument that is neither an array nor a plain value."""
        if isinstance(value, numpy.ndarray):
            array = self.replaced.get(id(value))
            if array is None:
                array = self.replaced[id(value)] = as_array(value, self.where, "an argument")
            self._add_array(array)
        elif isinstance(value, tuple):
            self.parts.append(len(value))
            for one in value:
                self.add(one)
        elif isinstance(value, dict):
            self.parts.append(tuple(value))
            for one in value.values():
                self.add(one)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                self.add(getattr(value, field.name))
        else:
            self.add_static(value)

    def add_static(self, value: Any) -> None:
        """Add an argument that is told by what it is equal to."""
        try:
            hash(value)
        except TypeError:
            raise errors.type_error(
                self.where,
                f"an argument of type {type(value).__name__} has no hash",
                "arrays, numbers, nested containers and hashable objects are accepted",
                "leave it out of the arguments",
            ) from None
        self.parts.append(value)

    def given(self, value: Any) -> Any:
        """Return an argument with arrays in place of NumPy's."""
        if not self.replaced:
            return value
        if isinstance(value, numpy.ndarray):
            return self.replaced[id(value)]
        if isinstance(value, tuple | list):
            parts = [self.given(one) for one in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            return type(value)((name, self.given(one)) for name, one in value.items())
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return dataclasses.replace(
                value, **{name: self.given(getattr(value, name)) for name in names}
            )
        return value


class _Recorded:
    """A call that can be replayed.

    Attributes
    ----------
    replay : Replay
        Its instructions.
    outline : object
        The result, with `_Leaf` objects in the place of arrays.
    """

    def __init__(self, replay: Replay, outline: Any) -> None:
        self.replay = replay
        self.outline = outline

    def again(self, call: _Call) -> Any:
        """Make the call for other arguments; return its result."""
        views = self.replay.call(call.views)
        return _filled(self.outline, views, call.arrays)


@dataclasses.dataclass(slots=True)
class _Leaf:
    """An array that a call returns.

    Attributes
    ----------
    given : int
        The number of the given array that it is, or -1.
    place : int
        The number of the view that a replay returns for it, or -1.
    constant : View or None
        The constant that it is.
    base : int
        The number of the given array that it is a view of, or -1.
    locked, kept : bool
        As of the array.
    """

    given: int = -1
    place: int = -1
    constant: View | None = None
    base: int = -1
    locked: bool = False
    kept: bool = False

    def made(self, views: list[View], arrays: list[Array]) -> Array:
        """Return the array."""
        if self.given >= 0:
            return arrays[self.given]
        constant = self.constant
        if constant is not None:
            view = View(None, constant.structure, 0, constant.value)
            view.bound = True
        else:
            view = views[self.place]
        array = Array(view)
        array._locked, array._kept = self.locked, self.kept
        if self.base >= 0:
            base = arrays[self.base]
            array._base = base if base._base is None else base._base
        return array


def _filled(outline: Any, views: list[View], arrays: list[Array]) -> Any:
    """Return a result with its arrays in the place of leaves."""
    kind = type(outline)
    if kind is _Leaf:
        return outline.made(views, arrays)
    if isinstance(outline, tuple | list):
        parts = [_filled(one, views, arrays) for one in outline]
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(outline, dict):
        return kind((name, _filled(one, views, arrays)) for name, one in outline.items())
    if dataclasses.is_dataclass(outline) and not isinstance(outline, type):
        parts = {
            field.name: _filled(getattr(outline, field.name), views, arrays)
            for field in dataclasses.fields(outline)
        }
        return dataclasses.replace(outline, **parts)
    return outline


class Jitted(Generic[_P, _R]):
    """A function whose calls are replayed where they are like earlier ones.

    Attributes
    ----------
    recordings : dict
        The recorded calls by key; None where a call cannot be replayed.
    """

    def __init__(
        self,
        function: Callable[_P, _R],
        static_argnums: tuple[int, ...],
        static_argnames: tuple[str, ...],
        strict: bool,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._static = frozenset(static_argnums)
        self._static_names = _static_names(function, static_argnums) | {*static_argnames}
        self._strict = strict
        self._where = f"jit({getattr(function, '__name__', type(function).__name__)})"
        self._names = _outer_names(function)
        self.recordings: dict[Any, _Recorded | None] = {}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the function, or replay a call like this one."""
        call = self._call_of(args, kwargs)
        if not call.views or any(0 in view.shape for view in call.views):
            return self._function(*args, **kwargs)
        key = tuple(call.parts)
        known = self.recordings.get(key, False)
        if known:
            result: _R = known.again(call)
            return result
        given = [one if at in self._static else call.given(one) for at, one in enumerate(args)]
        named = {
            name: one if name in self._static_names else call.given(one)
            for name, one in kwargs.items()
        }
        if known is None:
            return self._function(*given, **named)  # type: ignore[arg-type]
        return self._recorded(key, call, given, named)

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        call = _Call(self._where)
        for at, value in enumerate(args):
            if at in self._static:
                call.add_static(value)
            else:
                call.add(value)
        for name, value in kwargs.items():
            call.parts.append(name)
            if name in self._static_names:
                call.add_static(value)
            else:
                call.add(value)
        for scope, name in self._names:
            value = scope.get(name)
            if type(value) is Array:
                call._add_array(value)
            elif isinstance(value, (float, *_VALUES)):
                call.add(value)
            else:
                call.parts.append(id(value))
        return call

    def _recorded(self, key: Any, call: _Call, given: list[Any], named: dict[str, Any]) -> _R:
        """Make a call, and keep what it records."""
        failed: list[bool] = []

        def refuse(where: str, fault: str, hint: str) -> Exception | None:
            failed.append(True)
            if not self._strict:
                return None
            line = errors.calling_line()
            return errors.type_error(
                self._where, f"{where}{line}: {fault}", "a replay has no values", hint
            )

        before = [(array, array._view) for array in call.arrays]
        noter = Noter(call.views, refuse)
        with recorders.recorded_by(noter):
            result = self._function(*given, **named)  # type: ignore[arg-type]
        if failed:
            self.recordings[key] = None
            return result
        if any(array._view is not view for array, view in before):
            refuse("the call", "it changes the shape or type of an array that it was given", "")
        views: list[View] = []
        outline = _outlined(result, call, noter, views)
        recording = noter.finish(views)
        self.recordings[key] = _Recorded(Replay(recording), outline)
        return result


def _outlined(result: Any, call: _Call, noter: Noter, views: list[View]) -> Any:
    """Return a result with leaves in the place of arrays, whose views are appended to a list."""
    kind = type(result)
    if kind is Array:
        return _leaf(result, call, views)
    if isinstance(result, tuple | list):
        parts = [_outlined(one, call, noter, views) for one in result]
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(result, dict):
        return kind((name, _outlined(one, call, noter, views)) for name, one in result.items())
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        parts = {
            field.name: _outlined(getattr(result, field.name), call, noter, views)
            for field in dataclasses.fields(result)
        }
        return dataclasses.replace(result, **parts)
    return result


def _leaf(array: Array, call: _Call, views: list[View]) -> _Leaf:
    for number, given in enumerate(call.arrays):
        if given is array:
            return _Leaf(given=number)
    view = array._view
    if view.value is not None:
        constant = View(None, view.structure, 0, view.value)  # the array's own may get a storage
        return _Leaf(constant=constant, locked=array._locked, kept=array._kept)
    base = -1
    for number, given in enumerate(call.arrays):
        if array._base is not None and array._base is (
            given if given._base is None else given._base
        ):
            base = number
            break
    views.append(view)
    return _Leaf(place=len(views) - 1, base=base, locked=array._locked, kept=array._kept)


def _static_names(function: Any, numbers: Sequence[int]) -> set[str]:
    """Return the names of the parameters that are static by number."""
    if not numbers:
        return set()
    names = list(inspect.signature(function).parameters)
    return {names[at] for at in numbers if -len(names) <= at < len(names)}


class _Cell:
    """A cell of a closure, as a scope of one name."""

    def __init__(self, cell: types.CellType) -> None:
        self._cell = cell

    def get(self, _: str) -> Any:
        """Return what the cell holds; None where it is empty."""
        try:
            return self._cell.cell_contents
        except ValueError:
            return None


def _outer_names(function: Any) -> list[tuple[Any, str]]:
    """Return the cells and global names that a function, or one that it names, reads."""
    found: dict[tuple[int, str], tuple[Any, str]] = {}
    seen: set[int] = set()
    pending = [inspect.unwrap(function)]
    while pending:
        one = pending.pop()
        if isinstance(one, types.MethodType):
            one = one.__func__
        if not isinstance(one, types.FunctionType) or id(one) in seen or _is_library(one):
            continue
        seen.add(id(one))
        for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True):
            found[id(cell), name] = _Cell(cell), name
        for name in _names_of(one.__code__):
            if name in one.__globals__:
                found[id(one.__globals__), name] = one.__globals__, name
        pending += [scope.get(name) for scope, name in found.values()]
    return list(found.values())


def _is_library(function: types.FunctionType) -> bool:
    """Return whether a function is xarr's own or NumPy's, which depend on no user's names."""
    return (function.__module__ or "").partition(".")[0] in ("xarr", "numpy")


def _names_of(code: types.CodeType) -> Iterator[str]:
    """Yield the names that code, and the functions that it makes, may read from globals."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


@overload
def jit(
    function: Callable[_P, _R],
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    strict: bool = True,
) -> Jitted[_P, _R]: ...
@overload
def jit(
    function: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    strict: bool = True,
) -> Callable[[Callable[_P, _R]], Jitted[_P, _R]]: ...
def jit(
    function: Any = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    strict: bool = True,
) -> Any:
    """Replay a function's work in calls like earlier ones, without running its Python.

    The first call with arguments of some shapes, data types and plain values runs the function, and
    records what it asks of the device, its writes to arrays included. Later calls like it launch
    the same kernels for the new arrays, with the same bits. Arrays that the function names as
    globals or in its closure are read anew at each call; others, as attributes of objects, are
    those of the first call. What the function does besides, such as printing, is done once.

    Parameters
    ----------
    function : callable
        Takes and returns arrays, numbers, and tuples, lists, dicts and dataclasses of them.
        Without it, `jit` returns a decorator.
    static_argnums, static_argnames : int or sequence of int, str or sequence of str, optional
        Arguments that are told by what they are equal to, and have a recording each.
    strict : bool, optional
        Whether a call that needs a value (`float(x)`, `if x.any()`, `x[mask]`) is an error.
        Else the function runs at each such call.

    Returns
    -------
    callable
        A function with the same arguments and results.

    Raises
    ------
    TypeError
        By the function that is returned: where a value is needed, with the line that needs it.

    Examples
    --------
    >>> import xarr as np
    >>> @np.jit
    ... def step(u, dt):
    ...     u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    >>> u = np.asarray([0.0, 0.0, 1.0, 0.0, 0.0])
    >>> for _ in range(3):
    ...     step(u, 0.25)
    >>> u.tolist()
    [0.0, 0.21875, 0.3125, 0.21875, 0.0]
    """
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)

    def decorate(function: Callable[_P, _R]) -> Jitted[_P, _R]:
        return Jitted(function, numbers, names, strict)

    return decorate if function is None else decorate(function)
