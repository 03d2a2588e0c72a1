"""`elementwise`: Python functions of numbers that take arrays, and `fuse`, which marks programs.

What such a function does with its numbers is done with whole arrays: a condition becomes a choice
of what both branches give, so the function is one kernel, with whatever stands beside it. Its text
is rewritten for that, on the lines where it stands, so that tracebacks show the program's own.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import functools
import inspect
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple, TypeVar, overload

from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.errors import type_error
from xarr.functions.elementwise import elementwise as rows
from xarr.functions.index import searching
from xarr.functions.python import of_numbers
from xarr.functions.python.of_numbers import OF_ARRAYS, WHERE, truth
from xarr.functions.python.texts import Definition, text_of
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.memo import memo

_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def fuse(func: _Function, /) -> _Function: ...
@overload
def fuse(*, kernel_name: str | None = None) -> Callable[[_Function], _Function]: ...
def fuse(func: Any = None, /, *, kernel_name: str | None = None) -> Any:
    """Mark a function of arrays as one to fuse, as CuPy's programs do; xarr fuses all functions.

    func : callable -- The function; without it, what marks one is returned.
    kernel_name : str, optional -- Has no effect.

    Note: Source: CuPy's documentation, "User-Defined Kernels".

    >>> @xarr.fuse
    ... def squared_diff(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_diff(xarr.asarray([1.0, 2.0]), 4.0).tolist()
    [9.0, 4.0]
    """
    return (lambda function: function) if func is None else func


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a Python function of numbers take arrays, on their device, as one kernel.

    function : Python function, of a `def` or a `lambda`
        Of numbers: arithmetic, comparisons, `and`, `or` and `not`, conditions as expressions and
        statements, local names, loops over a `range`, the module `math`, functions of xarr, such
        functions as itself, and `abs`, `min`, `max`, `int`, `float`, `bool`, `round` and `pow`.
        For what is not there, as `while`, a SyntaxError shows the line. Its text is read from its
        file, from the notebook, or from the history of Python's prompt.

    -> callable -- Of Arrays, numbers and what becomes an Array, which broadcast.

    Note: Both branches of a condition are computed, and the one that holds is taken. Data types are
    those of arrays: an integer beside a float32 array does not widen it. A name that only one
    branch sets may be read where it is set; such a function waits for its result, to be sure.

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
        raise type_error(WHERE, fault, "a text is needed to translate it", remedy) from error
    definition = copy.deepcopy(definition)
    names = ", ".join((*code.co_freevars, *_CELLS))
    outer = ast.parse(f"def outer({names}):\n    def inner(): pass")
    inner = next(node for node in ast.walk(outer) if getattr(node, "name", "") == "inner")
    assert isinstance(inner, ast.FunctionDef)
    _at(inner, definition)
    inner.body = _Rewriter(code.co_filename, lines, definition).body()
    inner.args = definition.args
    inner.args.defaults = []
    inner.args.kw_defaults = [None] * len(inner.args.kwonlyargs)
    whole = compile(ast.fix_missing_locations(outer), code.co_filename, "exec")
    return _inner(_inner(whole)).replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _inner(code: CodeType) -> CodeType:
    """The code of the function that some code defines."""
    return next(constant for constant in code.co_consts if isinstance(constant, CodeType))


_REFUSED: Final = {
    ast.While: "a loop that ends where a condition says so",
    ast.Try: "an exception",
    ast.With: "a with statement",
    ast.Global: "a global name",
    ast.Nonlocal: "a name of the function around it",
    ast.FunctionDef: "a function in it",
    ast.AsyncFunctionDef: "a coroutine",
    ast.Match: "a match statement",
    ast.Assert: "an assertion",
    ast.Lambda: "a lambda",
    ast.ClassDef: "a class",
    ast.Yield: "a generator",
    ast.YieldFrom: "a generator",
    ast.Await: "await",
    ast.Raise: "an exception",
    ast.Delete: "del",
    ast.Break: "break",
    ast.Continue: "continue",
    ast.Subscript: "an index",
    ast.NamedExpr: "an assignment in an expression",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
}
"""Syntax that is refused, and its name in the error."""


class _Rewriter(ast.NodeTransformer):
    """Makes choices of conditions."""

    def __init__(self, file: str, lines: Sequence[str], definition: Definition) -> None:
        self._file = file
        self._lines = lines
        self._definition = definition
        self._count = 0
        self._partial = {
            name
            for branch in ast.walk(definition)
            if isinstance(branch, ast.If)
            for name in _set_in([branch])
        }

    def body(self) -> list[ast.stmt]:
        """The statements of the function."""
        definition = self._definition
        if isinstance(definition, ast.Lambda):
            value = definition.body
            return [_at(ast.Return(self.visit(value)), value)]
        if isinstance(definition, ast.AsyncFunctionDef):
            self.visit(definition)  # which refuses it
        statements, result = definition.body, self._fresh()
        return [*self._to_result(statements, result), _at(ast.Return(_load(result)), statements[0])]

    def visit(self, node: Any) -> Any:
        """Refuse what is not there for arrays; rewrite the rest."""
        if type(node) in _REFUSED:
            raise self._refusal(node, f"{_REFUSED[type(node)]} is not there for arrays")
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        """`a`, which may be set in one branch only."""
        if isinstance(node.ctx, ast.Store) or node.id not in self._partial:
            return node
        return _at(_call("known", ast.Constant(node.id), node), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """`a if c else b`."""
        test, body, other = map(self.visit, (node.test, node.body, node.orelse))
        return _at(_call("if", test, _later(body), _later(other)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`a and b`, `a or b`."""
        name = "and" if isinstance(node.op, ast.And) else "or"
        *rest, result = map(self.visit, node.values)
        for value in reversed(rest):
            result = _at(_call(name, value, _later(result)), node)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """`not a`."""
        if isinstance(node.op, ast.Not):
            return _at(_call("not", self.visit(node.operand)), node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c`."""
        if len(node.ops) == 1:
            return self.generic_visit(node)
        values = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            _at(ast.Compare(left, [how], [right]), node)
            for left, how, right in zip(values, node.ops, values[1:], strict=False)
        ]
        return self.visit(_at(ast.BoolOp(ast.And(), pairs), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`a += b`, which makes another number, and does not write to an array."""
        if not isinstance(node.target, ast.Name):
            raise self._refusal(node, "an assignment to something else than a name is not there")
        before = self.visit(_at(_load(node.target.id), node))
        value = _at(ast.BinOp(before, node.op, self.visit(node.value)), node)
        return _at(ast.Assign([node.target], value), node)

    def visit_Call(self, node: ast.Call) -> Any:
        """`f(a)`."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "range":
            return node
        return _at(ast.Call(_load("_xr_called"), [node.func, *node.args], node.keywords), node)

    def visit_For(self, node: ast.For) -> Any:
        """A loop over a range, which is unrolled as it runs."""
        over = node.iter
        if not (
            isinstance(over, ast.Call)
            and isinstance(over.func, ast.Name)
            and over.func.id == "range"
        ):
            raise self._refusal(node, "a loop over something else than a range is not there")
        if any(isinstance(part, ast.Return) for part in ast.walk(node)):
            raise self._refusal(node, "a return within a loop is not there for arrays")
        node.iter = self.visit(over)
        node.body = self._all(node.body)
        node.orelse = self._all(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> Any:
        """Both branches, and then a choice of what they set."""
        return self._branches(node, self._all(node.body), self._all(node.orelse), ())

    def _all(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        made = list[ast.stmt]()
        for statement in statements:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    def _to_result(self, statements: Sequence[ast.stmt], result: str) -> list[ast.stmt]:
        """Statements that end by giving a name what they would return."""
        made = list[ast.stmt]()
        for number, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    raise self._refusal(statement, "a value is to be returned")
                value = self.visit(statement.value)
                return [*made, _at(ast.Assign([_store(result)], value), statement)]
            if isinstance(statement, ast.If) and any(
                isinstance(part, ast.Return) for part in ast.walk(statement)
            ):
                rest = statements[number + 1 :]
                body, other = (
                    self._to_result(copy.deepcopy([*branch, *rest]), result)
                    for branch in (statement.body, statement.orelse)
                )
                return [*made, *self._branches(statement, body, other, (result,))]
            made += self._all([statement])
        raise self._refusal(
            statements[-1] if statements else self._definition, "it ends without a return"
        )

    def _branches(
        self, node: ast.If, body: list[ast.stmt], other: list[ast.stmt], more: Sequence[str]
    ) -> list[ast.stmt]:
        """An `if` of numbers as it is, of an array as a choice."""
        names = sorted(_set_in([*body, *other]) | set(more))
        test, before, first = self._fresh(), self._fresh(), self._fresh()
        now = ast.Tuple([_call("current", _later(_load(name))) for name in names], ast.Load())
        every = ast.Tuple([_store(name) for name in names], ast.Store())
        chosen = _call("all_chosen", _load(test), _load(first), now)
        choice = [
            ast.Assign([_store(before)], now),
            _under_condition(test, True, body),
            ast.Assign([_store(first)], now),
            ast.Assign([every], _load(before)),
            _under_condition(test, False, other),
            ast.Assign([every], chosen),
        ]
        made = [
            ast.Assign([_store(test)], self.visit(node.test)),
            ast.If(
                _call("is_array", _load(test)),
                choice if names else [ast.Pass()],
                [ast.If(_load(test), body or [ast.Pass()], other)],
            ),
        ]
        return [_at(statement, node) for statement in made]

    def _fresh(self) -> str:
        self._count += 1
        return f"_xr_{self._count}"

    def _refusal(self, node: ast.expr | ast.stmt, said: str) -> SyntaxError:
        line, column = node.lineno, node.col_offset + 1
        return SyntaxError(f"{WHERE}: {said}", (self._file, line, column, self._lines[line - 1]))


def _set_in(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements set."""
    return {
        part.id
        for statement in statements
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _under_condition(test: str, holds: bool, statements: list[ast.stmt]) -> ast.stmt:
    """Make statements a branch."""
    under = ast.withitem(_call("under", _load(test), ast.Constant(holds)))
    return ast.With([under], statements or [ast.Pass()])


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.expr:
    return ast.Name(name, ast.Store())


def _later(value: ast.expr) -> ast.expr:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, value)


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(_load(f"_xr_{name}"), list(args), [])


_Made = TypeVar("_Made", bound=ast.AST)


def _at(made: _Made, where: ast.AST) -> _Made:
    """A new piece of a program at the line of the one whose place it takes."""
    ast.copy_location(made, where)
    for part in ast.walk(made):
        if not hasattr(part, "lineno") and isinstance(part, ast.expr | ast.stmt):
            ast.copy_location(part, where)
    return made


# -- Python's floats --------------------------------------------------------------------------
#
# Which functions of theirs give the same bits for whole arrays. Python raises where an array goes
# on (a division by 0, the root of a negative number), its integers have no end, and its
# mathematical functions are the C library's. What is left is arithmetic, comparisons and
# conditions, with a float in each operation: IEEE says the bits of those.

EXACT: Final = 2**53
"""Integers up to it are floats."""
_FUNCTIONS: Final = (builtins.abs, builtins.float, math.fabs, math.copysign)
_COMPARISONS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def is_alike(function: Any, are_floats: Sequence[bool]) -> bool:
    """Whether a function gives arrays the same bits as it gives Python's numbers, one by one.

    `are_floats` says of each argument whether it is a float, or an integer up to 2**53.
    """
    body = _body(function)
    if body is None or function.__code__.co_argcount != len(are_floats):
        return False
    names = function.__code__.co_varnames[: len(are_floats)]
    try:
        scope = inspect.getclosurevars(function)
        outer = {**scope.builtins, **scope.globals, **scope.nonlocals}
        return _Reader(outer).returns(body, dict(zip(names, are_floats, strict=True)))
    except (_OtherError, ValueError):  # a name around it may not be set yet
        return False


def _body(function: Any) -> tuple[ast.stmt, ...] | None:
    """The statements of a function with a text that has nothing but plain arguments."""
    if not isinstance(function, FunctionType) or function.__kwdefaults__:
        return None
    return _statements(function.__code__)


@memo
def _statements(code: CodeType) -> tuple[ast.stmt, ...] | None:
    if code.co_flags & (
        inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE
    ):
        return None
    try:
        definition = text_of(code).definition
    except (OSError, SyntaxError):
        return None
    if isinstance(definition, ast.Lambda):
        return (ast.Return(definition.body),)
    return tuple(definition.body)


class _OtherError(Exception):
    """Raised for an expression that may differ between floats and arrays."""


class _Reader:
    """Tells of each expression whether it surely is a float; else it is an integer or a bool."""

    def __init__(self, outer: Mapping[str, Any]) -> None:
        self._outer = outer

    def returns(self, statements: Sequence[ast.stmt], names: dict[str, bool]) -> bool:
        """Whether statements end with a value on every way; `names` gets what they set."""
        for statement in statements:
            match statement:
                case ast.Return(value=ast.expr() as value):
                    self.is_float(value, names)
                    return True
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    names[name] = self.is_float(value, names)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    first = ast.Name(name, ast.Load())
                    names[name] = self.is_float(ast.BinOp(first, op, value), names)
                case ast.If(test=test, body=body, orelse=other):
                    self.is_float(test, names)
                    ways = [dict(names), dict(names)]
                    ended = [
                        self.returns(way, known)
                        for way, known in zip((body, other), ways, strict=True)
                    ]
                    left = [known for known, end in zip(ways, ended, strict=True) if not end]
                    if not left:
                        return True
                    names.clear()
                    names |= {
                        name: all(known[name] for known in left)
                        for name in left[0]
                        if all(name in known for known in left)
                    }
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                    pass
                case _:
                    raise _OtherError
        return False

    def is_float(self, node: ast.expr, names: Mapping[str, bool]) -> bool:
        """Whether an expression surely is a float."""
        match node:
            case ast.Constant(value=value):
                return self._is_float(value)
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Name() | ast.Attribute():
                return self._is_float(self._value(node))
            case ast.BoolOp(values=values):
                return all(self._each(values, names))
            case ast.IfExp(test=test, body=one, orelse=other):
                return all(self._each((test, one, other), names)[1:])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.is_float(operand, names)
                return False
            case ast.Compare(left=left, ops=ops, comparators=others):
                self._each((left, *others), names)
                if all(isinstance(op, _COMPARISONS) for op in ops):
                    return False
        return self._is_operation(node, names)

    def _each(self, nodes: Sequence[ast.expr], names: Mapping[str, bool]) -> list[bool]:
        return [self.is_float(node, names) for node in nodes]

    def _is_operation(self, node: ast.expr, names: Mapping[str, bool]) -> bool:
        """Whether an expression that computes is a float; one of integers alone has no end."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                return self._is_float(value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if self.is_float(operand, names):
                    return True
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                if any(self._each((left, right), names)):
                    return True
            case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=value)):
                self._is_float(value)
                if value and self.is_float(left, names):
                    return True
            case ast.Call(func=ast.Name(id=name)) if name in names:
                pass
            case ast.Call(func=function, args=given, keywords=[]):
                if self._value(function) in _FUNCTIONS and all(self._each(given, names)):
                    return True
        raise _OtherError

    def _is_float(self, value: object) -> bool:
        if type(value) is float or type(value) is bool:
            return type(value) is float
        if type(value) is int and abs(value) <= EXACT:
            return False
        raise _OtherError

    def _value(self, node: ast.expr) -> Any:
        """The value of a name outside of the function, or of an attribute of `math`."""
        match node:
            case ast.Name(id=name) if name in self._outer:
                return self._outer[name]
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if self._outer.get(name) is math:
                    return getattr(math, attribute, None)
        raise _OtherError
