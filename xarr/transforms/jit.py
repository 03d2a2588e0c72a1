"""`jit`: calls like earlier ones are replayed, without the function's Python."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, ParamSpec, TypeVar, overload

from xarr import errors, tuning
from xarr.array.array import Array
from xarr.array.call_cache import Leaf
from xarr.array.selected import Selected
from xarr.ir.views import View
from xarr.tape import builder, recorders
from xarr.tape.recording import Noter
from xarr.tape.rematerialise import rematerialised
from xarr.tape.replay import Replay
from xarr.tape.traced import Formula, OtherCallError, TracedNumber, TracedScalar
from xarr.transforms import trees
from xarr.transforms.arguments import Arguments, Recorded, arguments_of, read, told

_LOOSE: Final = "or write jit(f, strict=False), which runs f at each call"
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Jitted(Generic[_P, _R]):
    """A function of `jit`, which replays the recordings of earlier similar calls.

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
        donate_argnums: tuple[int, ...],
        strict: bool,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._static = frozenset(static_argnums)
        self._static_names = _static_names(function, static_argnums) | {*static_argnames}
        self._donated = donate_argnums
        self._strict = strict
        self._where = f"jit({getattr(function, '__name__', type(function).__name__)})"
        self._outer: list[tuple[Any, str]] = []
        self._class: type = type(getattr(function, "__self__", None))
        self._alive: dict[Any, list[Any]] = {}  # what keys tell by its `id`
        self.recordings: dict[Any, Recorded | None] = {}
        self._pinned: dict[Any, tuple[int, ...]] = {}  # by key, the numbers that calls decide by
        self._is_warned = False

    def __set_name__(self, owner: type, name: str) -> None:
        self._class = owner

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the function, or replay a call like this one."""
        outer = recorders.active()
        if outer and any(type(one) is not Noter for one in outer):  # with rules for functions
            return self._function(*args, **kwargs)
        arguments = arguments_of(
            self._where, args, kwargs, self._static, self._static_names, self._outer, self._strict
        )
        if arguments.is_empty or not arguments.views or arguments.is_within:
            return self._function(*args, **kwargs)
        like: Any = tuple(arguments.parts)
        key = self._key(like, arguments.numbers) if arguments.numbers else like
        known = self.recordings.get(key)
        if known is not None:
            try:
                result: Any = known.again(arguments)
                return result  # type: ignore[no-any-return]
            except OtherCallError:
                key = self._pin_all(like, arguments.numbers)
        if key not in self.recordings and self._has_new_names():
            return self(*args, **kwargs)
        formula = Formula(arguments.numbers)
        pinned = self._pinned.get(like, ())
        numbers = iter(range(len(arguments.numbers)))

        def take(value: Any) -> Any:
            at = next(numbers)
            return value if at in pinned or key in self.recordings else formula.number(at)

        changed: list[Any] = []
        for at, value in enumerate(args):
            changed.append(value if at in self._static else arguments.given(value, take))
        given = {
            name: value if name in self._static_names else arguments.given(value, take)
            for name, value in kwargs.items()
        }
        if key in self.recordings:
            return self._function(*changed, **given)  # type: ignore[arg-type]
        try:
            return self._recorded(like, arguments, formula, tuple(changed), given)
        except OtherCallError:
            self._pin_all(like, arguments.numbers)
            return self(*args, **kwargs)

    def _pin_all(self, like: Any, numbers: list[Any]) -> Any:
        """Let calls decide by the values of all their numbers; return the key of one."""
        self._pinned[like] = tuple(range(len(numbers)))
        return self._key(like, numbers)

    def _key(self, like: Any, numbers: list[Any]) -> Any:
        """Return the key of a call with numbers, some of which it decides by."""
        pinned = self._pinned.get(like, ())
        return like, pinned, *[told(numbers[at]) for at in pinned]

    def _has_new_names(self) -> bool:
        """Look for the names that the function reads, which may be defined after it."""
        before, self._outer = self._outer, outer_names(self._function, self._class)
        return [(id(scope), name) for scope, name in self._outer] != [
            (id(scope), name) for scope, name in before
        ]

    def _recorded(
        self,
        like: Any,
        arguments: Arguments,
        formula: Formula,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> _R:
        """Make a call, and keep what it records."""
        failed: list[bool] = []

        def refuse(where: str, fault: str, hint: str) -> Exception | None:
            failed.append(True)
            if not self._strict:
                return None
            given = f"{errors.reading_call(where)}{errors.calling_line()} {fault}"
            return errors.type_error(
                self._where, given, "each step must be replayable", hint, _LOOSE
            )

        outer = [read(scope, name) for scope, name in self._outer]
        owner = getattr(self._function, "__self__", self._function)
        defaults = getattr(self._function, "__defaults__", None)
        held = list(_held([args, kwargs, owner, defaults, *outer]))
        names = {(id(owner), name) for owner, name, _ in held}
        for _, _, value in held:
            if type(value) is Array and value._view.value is not None:
                builder.materialise(value._view)  # else it would be a constant in each replay
        before = [(array, array._view) for array in arguments.arrays]
        noter = Noter(arguments.views, formula, refuse)
        with recorders.recorded_by(noter):
            result = self._made(noter, args, kwargs)
            leaves, form = trees.flatten(result, ordered=False)
            if self._donated:
                given = [args[at] for at in self._donated if at < len(args)]
                leaves = _put_back(trees.flatten(given)[0], arguments, leaves)
                result = trees.unflatten(form, leaves)
            if Selected in map(type, leaves):
                leaves = [one.array("returned") if type(one) is Selected else one for one in leaves]
                result = trees.unflatten(form, leaves)
        error = None
        changed = [
            name
            for (scope, name), value in zip(self._outer, outer, strict=True)
            if read(scope, name) is not value
        ]
        changed += [name for owner, name, value in held if _item(owner, name) is not value]
        changed += [
            name
            for owner, name, _ in _held([args, kwargs])
            if isinstance(owner, dict | list) and (id(owner), name) not in names
        ]
        if changed:
            hint = "write to the array in place (x[...] = y), or return what is new"
            error = refuse("it", f"assigns to {changed[0]}, which outlives the call", hint)
        if noter.failures:
            hint = "let the error be raised, or look at the values before the call"
            error = refuse(noter.failures[0], "fails for these values, and the call goes on", hint)
        if noter.outlived([leaf._view for leaf in leaves if type(leaf) is Array]):
            hint = "pass it as an argument, or name it in the function"
            error = refuse("it", "writes to an array that was one constant", hint)
        views: list[View] = []
        parts = [
            Leaf(leaf, arguments.arrays, views) if type(leaf) is Array else leaf for leaf in leaves
        ]
        noted = noter.finish(views)
        recording = rematerialised(noted)
        if any(array._view is not view for array, view in before):
            error = refuse("it", "changes the shape or type of a given array", "return a new one")
        copies = [array._view.storage for array in arguments.replaced.values()]
        given = [slot for slot in recording.written if slot < len(arguments.views)]
        if any(arguments.views[slot].storage in copies for slot in given):
            error = refuse("it", "writes to an array of NumPy's", "pass xarr.asarray(x)")
        if error is not None:
            raise error
        key = like
        if arguments.numbers:
            pinned = formula.pinned.union(self._pinned.get(like, ()))
            self._pinned[like] = tuple(sorted(pinned))
            key = self._key(like, arguments.numbers)
        known = Recorded(Replay(recording, noted), form, parts, noter.takes, formula)
        if {TracedNumber, TracedScalar} & {*map(type, leaves)}:
            leaves = [one.value if isinstance(one, TracedNumber) else one for one in leaves]
            result = trees.unflatten(form, leaves)
        self._alive[key] = [value for value in outer if type(value) is not Array]
        self._keep(key, None if failed else known)
        return result

    def _made(self, noter: Noter, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _R:
        """Make a call; ask for plain numbers where it has failed for a traced one."""
        try:
            return self._function(*args, **kwargs)
        except TypeError as fault:  # of a function in C that takes Python's own numbers alone
            if "Traced" not in str(fault):
                raise
            if noter.is_harmless:
                raise OtherCallError from fault
            accepted = "it must be Python's own number, as the call has written or drawn before"
            raise errors.type_error(self._where, str(fault), accepted, "float(n)") from fault

    def programs(self) -> Iterator[tuple[str, Any, list[tuple[Any, list[Any]]]]]:
        """Yield for `explain` of each recording a title, its device, its programs and constants."""
        for number, known in enumerate(list(self.recordings.values()), 1):
            if known is not None:
                replay = known.replay
                parts = [(part.program, part.constants) for part in replay.parts or ()]
                pinned = "" if parts else ", not yet replayed"
                yield f"recording {number}{pinned}", replay.device, parts

    def _keep(self, key: Any, known: Recorded | None) -> None:
        """Keep the recording of a call; forget the oldest of too many."""
        if len(self._pinned) > tuning.RECORDINGS:
            self._pinned.pop(next(iter(self._pinned)), None)
        if len(self.recordings) >= tuning.RECORDINGS:
            oldest = next(iter(self.recordings))
            self.recordings.pop(oldest, None)
            self._alive.pop(oldest, None)
            if not self._is_warned:
                self._is_warned = True
                fault = f"{tuning.RECORDINGS} calls were recorded, and the first is forgotten"
                remedy = "pass numbers that it decides by as arrays: np.asarray(dt, dtype=x.dtype)"
                accepted = "each shape, and each value that it decides by, is another call"
                errors.warn(errors.message(self._where, fault, accepted, remedy), RuntimeWarning)
        self.recordings[key] = known


def _put_back(donated: list[Any], arguments: Arguments, leaves: list[Any]) -> list[Any]:
    """Write results to donated arrays that are like them; return the results, these among them.

    NumPy's arrays and those of which a result is a view, or that are one, keep their values.
    """
    used = [leaf._view.storage for leaf in leaves if type(leaf) is Array]
    used += [array._view.storage for array in arguments.replaced.values()]
    free = [
        one
        for one in donated
        if type(one) is Array and not one._locked and all(one._view.storage is not s for s in used)
    ]
    found = list(leaves)
    for at, leaf in enumerate(leaves):
        for one in free if type(leaf) is Array else ():
            if (one.shape, one.dtype, one.device) == (leaf.shape, leaf.dtype, leaf.device):
                one[...] = leaf
                found[at] = one
                storage = one._view.storage
                free = [other for other in free if other._view.storage is not storage]
                break
    return found


def _held(owner: Any, depth: int = 4) -> Iterator[tuple[Any, Any, Any]]:
    """Yield a container or object, a name, and the array or number there; those within it too."""
    for name, value in _items(owner):
        if value is None or isinstance(value, Array | int | float | complex):
            yield owner, name, value
        elif depth:
            yield from _held(value, depth - 1)


def _items(owner: Any) -> list[tuple[Any, Any]]:
    """Return the names and values that a container, or an object of the user's class, holds."""
    if isinstance(owner, dict):
        return list(owner.items())
    if isinstance(owner, list | tuple):
        return list(enumerate(owner))
    if isinstance(owner, type | types.ModuleType) or _is_library(type(owner)):
        return []
    slots = getattr(type(owner), "__slots__", ())
    names = [*getattr(owner, "__dict__", ()), *([slots] if isinstance(slots, str) else slots)]
    return [(name, getattr(owner, name, None)) for name in names]


def _item(owner: Any, name: Any) -> Any:
    """Return what a container or an object holds under a name; None where there is nothing."""
    if isinstance(owner, dict):
        return owner.get(name)
    if isinstance(owner, list | tuple):
        return owner[name] if name < len(owner) else None
    return getattr(owner, name, None)


def _static_names(function: Any, numbers: Sequence[int]) -> set[str]:
    """Return the names of the parameters that are static by number."""
    if not numbers:
        return set()
    names = list(inspect.signature(function).parameters)
    return {names[at] for at in numbers if -len(names) <= at < len(names)}


def outer_names(function: Any, owner: type = object) -> list[tuple[Any, str]]:
    """Return the cells and global names that a function, or one that it names, reads.

    The names that it uses may be methods of its class.
    """
    found: dict[tuple[int, str], tuple[Any, str]] = {}
    seen: set[int] = set()
    pending = [function]
    while pending:
        one = pending.pop()
        if isinstance(one, functools.partial):
            pending += [one.func, *one.args, *one.keywords.values()]
        one = inspect.unwrap(one) if callable(one) else None
        if isinstance(one, types.MethodType):
            one = one.__func__
        if not isinstance(one, types.FunctionType):
            one = vars(type(one)).get("__call__")
        if not isinstance(one, types.FunctionType) or id(one) in seen or _is_library(one):
            continue
        seen.add(id(one))
        scopes: list[tuple[Any, str]] = [
            (cell, name)
            for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True)
        ]
        names = [*_names_of(one.__code__)]
        pending += [vars(base).get(name) for base in owner.__mro__ for name in names]
        scopes += [(one.__globals__, name) for name in names if name in one.__globals__]
        for scope, name in scopes:
            found[id(scope), name] = scope, name
            pending.append(read(scope, name))
    return list(found.values())


def _is_library(function: types.FunctionType | type) -> bool:
    """Return whether a function or class is xarr's own or NumPy's: these need no user's names."""
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
    donate_argnums: int | Sequence[int] = (),
    strict: bool = True,
) -> Jitted[_P, _R]: ...
@overload
def jit(
    function: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    strict: bool = True,
) -> Callable[[Callable[_P, _R]], Jitted[_P, _R]]: ...
def jit(
    function: Any = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    strict: bool = True,
) -> Any:
    """Record a function's device work, and replay it in later similar calls.

    The first call with arguments of given shapes and data types runs the function, and records its
    device operations, including writes to arrays. Later calls with such arguments launch the same
    kernels for the new arrays and numbers, with the same bits, without running the Python code. A
    number that the function needs in Python (`if dt > 1`, `u[n]`, `range(n)`, `math.sin(t)`) must
    be equal too; else the function is recorded again. Arrays that are globals or in the closure of
    the function are looked up at each call; others, such as attributes of objects, stay those of
    the first call. Other effects, such as printing, happen only while recording.

    Parameters
    ----------
    function : callable
        Takes and returns arrays, numbers, and tuples, lists, dicts and dataclasses of them. Without
        it, `jit` returns a decorator.
    static_argnums, static_argnames : int or sequence of int, str or sequence of str, optional
        Arguments by whose value calls are told apart: each different value has a recording.
    donate_argnums : int or sequence of int, optional
        Arguments whose memory may be reused: a result of the same shape and data type is written to
        the argument's array and is that array, so that `x = step(x)` needs no more memory.
    strict : bool, optional
        Whether it is an error to need a value of an array (`float(x)`, `if x.any()`, `x[mask]`).
        Else the function runs at each such call.

    Returns
    -------
    callable
        A function with the same arguments and results.

    Raises
    ------
    TypeError
        At a call with strict, if a value is needed; the message shows the line.

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
    numbers, donated = (
        (one,) if isinstance(one, int) else tuple(one) for one in (static_argnums, donate_argnums)
    )
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)

    def decorate(function: Callable[_P, _R]) -> Jitted[_P, _R]:
        errors.require_callable(function, "jit(function)", "function")
        return Jitted(function, numbers, names, donated, strict)

    return decorate if function is None else decorate(function)
