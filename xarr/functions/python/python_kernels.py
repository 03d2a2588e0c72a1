"""`elementwise`: Python functions of numbers that take arrays, and `fuse`, which marks programs.

What such a function does with its numbers is done with whole arrays: a condition becomes a choice
of what both branches give, so the function is one kernel, with whatever stands beside it. Its text
is rewritten for that, on the lines where it stands, so that tracebacks show the program's own.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple, TypeVar, overload

from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.errors import type_error
from xarr.functions.elementwise import elementwise as rows
from xarr.functions.index import searching
from xarr.functions.python import of_numbers
from xarr.functions.python.of_numbers import OF_ARRAYS, WHERE, truth
from xarr.functions.python.rewriting import Rewriter, at
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.memo import memo
from xarr.user_kernels.texts import text_of

_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def fuse(func: _Function, /) -> _Function: ...
@overload
def fuse(*, kernel_name: str | None = None) -> Callable[[_Function], _Function]: ...
def fuse(func: Any = None, /, *, kernel_name: str | None = None) -> Any:
    """Return the function unchanged, for CuPy's programs: xarr fuses without it.

    func : callable -- The function; without it, a decorator is returned.
    kernel_name : str, optional -- Has no effect.

    -> function

    Note: Source: CuPy's documentation, "User-Defined Kernels".

    >>> @xarr.fuse
    ... def squared_diff(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_diff(xarr.asarray([1.0, 2.0]), 4.0).tolist()
    [9.0, 4.0]
    """
    return (lambda function: function) if func is None else func


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a Python function of numbers to one kernel that takes arrays.

    function : Python function, of a `def` or a `lambda`
        A function of numbers. It may use arithmetic, comparisons, `and`, `or`, `not`, `if` as a
        statement and an expression, local variables, loops over a `range`, the module `math`,
        functions of xarr, other such functions, and `abs`, `min`, `max`, `int`, `float`, `bool`,
        `round`, `pow`. Anything else, such as `while`, is a SyntaxError that shows the line. The
        source is read from the file, the notebook, or the history of Python's prompt.

    -> function of Arrays, numbers, lists and NumPy arrays that broadcast

    TypeError -- If it is no function that `def` or `lambda` makes.

    Note: Both branches of a condition are computed, and one result is selected. Data types promote
    as those of arrays: a Python integer does not widen float32. Reading a variable that only one
    branch sets is checked at run time, so such a call is not deferred.

    >>> def clipped(x, limit):
    ...     if x > limit:
    ...         return limit
    ...     return x if x > 0 else 0
    >>> xarr.elementwise(clipped)(xarr.asarray([-1, 2, 7]), 5).tolist()
    [0, 2, 5]
    """
    made = _rewritten(function)

    @functools.wraps(function)
    def applied(*args: Any, **kwargs: Any) -> Any:
        where = f"{function.__name__}(...)"
        device = device_of(*args, *kwargs.values())

        def taken(value: Any) -> Any:
            if type(value) is Array or (device is not None and isinstance(value, _NUMBERS)):
                return value
            return as_array(value, where, device=device)

        with _reads.checked():
            return made(*map(taken, args), **{name: taken(value) for name, value in kwargs.items()})

    return applied


_NUMBERS: Final = (bool, int, float, complex)


# -- what a rewritten function calls ----------------------------------------------------------


class _Partial(NamedTuple):
    """The value of a name that only some elements have.

    Attributes
    ----------
    value : object
        The value, and any other one for the elements that have none.
    is_set : Array or bool
        Which elements have a value.
    """

    value: Any
    is_set: Any


_UNSET: Final = _Partial(None, False)


class _Reads(threading.local):
    """The conditions that this thread computes a branch for, and reads of names without a value."""

    def __init__(self) -> None:
        self._path: list[tuple[Any, bool]] = []
        self._faults: list[tuple[str, Any]] = []

    @contextlib.contextmanager
    def checked(self) -> Iterator[None]:
        """Raise UnboundLocalError at the end if an element has read a name without a value."""
        before, self._path, self._faults = (self._path, self._faults), [*self._path], []
        try:
            yield
            for name, fault in self._faults:
                if reductions.any(fault):
                    raise _unbound(name)
        finally:
            self._path, self._faults = before

    @contextlib.contextmanager
    def under(self, condition: Any, holds: bool) -> Iterator[None]:
        """Compute a branch for the elements for which the condition holds, or does not."""
        self._path.append((condition, holds))
        yield
        self._path.pop()  # `checked` restores the path after an exception

    def of(self, name: str, partial: _Partial) -> Any:
        """Return the value of a name, and remember the elements that have none."""
        fault = rows.logical_not(partial.is_set)
        for condition, holds in self._path:
            is_read = truth(condition)
            fault = rows.logical_and(fault, is_read if holds else rows.logical_not(is_read))
        self._faults.append((name, fault))
        return partial.value


_reads: Final = _Reads()


def _unbound(name: str) -> UnboundLocalError:
    return UnboundLocalError(
        f"{WHERE}: cannot access local variable {name!r}, which has no value for some elements; "
        "it must be set in each branch before it is read"
    )


def _under(condition: Any, holds: bool) -> Any:
    return _reads.under(condition, holds)


def _known(name: str, value: Any) -> Any:
    """Return the value of a name where it is read."""
    if value is _UNSET:
        raise _unbound(name)
    return _reads.of(name, value) if isinstance(value, _Partial) else value


def _is_array(value: Any) -> bool:
    return type(value) is Array


def _current(read: Callable[[], Any]) -> Any:
    """The value of a name, or `_UNSET`."""
    try:
        return read()
    except NameError:
        return _UNSET


def _choose(condition: Any, value: Any, other: Any) -> Any:
    """Choose by an array of conditions between arrays, or tuples of such."""
    if value is other:
        return value
    if isinstance(value, _Partial) or isinstance(other, _Partial):
        return _choose_partly(condition, value, other)
    if isinstance(value, tuple) and isinstance(other, tuple) and len(value) == len(other):
        return tuple(_choose(condition, *pair) for pair in zip(value, other, strict=True))
    return searching.where(truth(condition), value, other)


def _choose_partly(condition: Any, value: Any, other: Any) -> _Partial:
    """Choose between values that only some elements have."""
    first, second = (
        one if isinstance(one, _Partial) else _Partial(one, True) for one in (value, other)
    )
    is_set = searching.where(truth(condition), first.is_set, second.is_set)
    if first is _UNSET or second is _UNSET:
        return _Partial(second.value if first is _UNSET else first.value, is_set)
    return _Partial(_choose(condition, first.value, second.value), is_set)


def _all_chosen(condition: Any, values: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_choose(condition, *pair) for pair in zip(values, others, strict=True))


def _if(condition: Any, value: Callable[[], Any], other: Callable[[], Any]) -> Any:
    if type(condition) is not Array:
        return value() if condition else other()
    with _reads.under(condition, True):
        first = value()
    with _reads.under(condition, False):
        return _choose(condition, first, other())


def _and(value: Any, other: Callable[[], Any]) -> Any:
    return _if(value, other, lambda: value)


def _or(value: Any, other: Callable[[], Any]) -> Any:
    return _if(value, lambda: value, other)


def _not(value: Any) -> Any:
    return rows.logical_not(value) if type(value) is Array else not value


def _called(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function, or what stands for it where arrays are among the arguments."""
    if any(map(_is_array, (*args, *kwargs.values()))):
        function = _for_arrays(function)
    return function(*args, **kwargs)


def _for_arrays(function: Any) -> Any:
    """A function that takes arrays in the place of one of numbers; the program's are translated."""
    if isinstance(function, FunctionType):
        if _is_of_library(function):
            return function
        code = _translated(function.__code__)
        return _with_code(function, code) if isinstance(code, CodeType) else _noted(function, code)
    with contextlib.suppress(TypeError):  # of what has no hash, and is none of these
        if function in OF_ARRAYS:
            return OF_ARRAYS[function]
    of_numbers.require_arrays(function)
    return function


def _noted(function: FunctionType, refusal: Exception) -> Callable[..., Any]:
    """The function, whose errors say why it was not translated."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError) as error:
            error.add_note(f"{function.__name__} is called as it is, with arrays: {refusal}")
            raise

    return called


def _is_of_library(function: FunctionType) -> bool:
    """Whether a function is xarr's or NumPy's, which take arrays."""
    return str(function.__module__).partition(".")[0] in ("xarr", "numpy")


_CELLS: Final = {
    f"_xr_{function.__name__.strip('_')}": CellType(function)
    for function in (
        *(_is_array, _current, _known, _under, _all_chosen, _choose, _if, _and, _or, _not, _called),
    )
}
"""What a translated function calls, as variables of the function around it."""


# -- the rewriting ----------------------------------------------------------------------------


def _rewritten(function: Any) -> FunctionType:
    """The function with conditions as choices, at the same lines."""
    if not isinstance(function, FunctionType):
        fault = f"function is {function!r}"
        raise type_error(WHERE, fault, "it must be a function that def or lambda makes")
    code = _translated(function.__code__)
    if isinstance(code, Exception):
        raise code
    return _with_code(function, code)


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """The function with translated code, which shares its names and defaults."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells |= _CELLS
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@memo
def _translated(code: CodeType) -> CodeType | Exception:
    """Translate a function's code, or say why not; functions are not kept, which hold arrays."""
    try:
        return _translation(code)
    except (SyntaxError, TypeError) as error:
        return error.with_traceback(None)


def _translation(code: CodeType) -> CodeType:
    try:
        definition, lines = text_of(code)
    except OSError as error:
        fault = f"the text of {code.co_name} cannot be read ({error})"
        remedy = "define it in a file or a notebook"
        raise type_error(
            WHERE, fault, "there must be a source text to translate", remedy
        ) from error
    definition = copy.deepcopy(definition)
    names = ", ".join((*code.co_freevars, *_CELLS))
    outer = ast.parse(f"def outer({names}):\n    def inner(): pass")
    inner = next(node for node in ast.walk(outer) if getattr(node, "name", "") == "inner")
    assert isinstance(inner, ast.FunctionDef)
    at(inner, definition)
    inner.body = Rewriter(code.co_filename, lines, definition).body()
    inner.args = definition.args
    inner.args.defaults = []
    inner.args.kw_defaults = [None] * len(inner.args.kwonlyargs)
    whole = compile(ast.fix_missing_locations(outer), code.co_filename, "exec")
    return _inner(_inner(whole)).replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _inner(code: CodeType) -> CodeType:
    """The code of the function that some code defines."""
    return next(constant for constant in code.co_consts if isinstance(constant, CodeType))
