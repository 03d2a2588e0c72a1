"""Functions of kernels by threads: statements, the types of variables, and the texts made of them.

A function is translated again and again until the types of its variables stay as they are: each
time they are what all assignments of the time before promote to.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, Final, NoReturn

from xarr import dtypes
from xarr.user_kernels.texts import text_of
from xarr.user_kernels.threads.calls import Calls
from xarr.user_kernels.threads.control import Control
from xarr.user_kernels.threads.expressions import ABSENT
from xarr.user_kernels.threads.values import (
    INT32,
    SPAN,
    ArrayValue,
    Tuple,
    Types,
    Value,
    c_type,
    cast,
    memory_type,
)

_PASSES: Final = 40


class Program:
    """A kernel, and the functions that it calls.

    types : Types -- The promotion of the device's data types.
    marked : callable -- Returns the function of Python behind a marked one; None of others.
    over : int -- The axes of ``f.over(shape)``; 0 where it is launched by grid and block.
    most_local : int -- The bytes of local memory that a group may have.

    Attributes
    ----------
    arrays : dict of str to dict of AST to int
        The bytes of the arrays that `local_array` and `private_array` make.
    """

    def __init__(
        self, types: Types, marked: Callable[[Any], FunctionType | None], over: int, most_local: int
    ) -> None:
        self.types = types
        self.marked = marked
        self.over = over
        self.most_local = most_local
        self.asks_over = False
        self.arrays = dict[str, dict[ast.AST, int]]()
        self.functions = dict[Any, Function]()
        self._pending = list[FunctionType]()

    def function(
        self, function: FunctionType, args: Sequence[Any], node: ast.AST, caller: Calls
    ) -> Function:
        """Return a function translated for such arguments."""
        args = [self._bounded(arg) if isinstance(arg, Value) else arg for arg in args]
        key = (function, *map(_signature, args))
        if key not in self.functions:
            if function in self._pending:
                caller.refuse(node, f"{function.__name__} calls itself", "write a loop")
            self._pending.append(function)
            name = f"d_{function.__name__}_{len(self.functions) + len(self._pending)}"
            made = Function(self, function, name, is_kernel=False)
            names = made.parameters(len(args), node, caller)
            params = [_parameter(*pair) for pair in zip(names, args, strict=True)]
            made.translate(params)
            self._pending.pop()
            self.functions[key] = made
        return self.functions[key]

    def _bounded(self, arg: Value) -> Value:
        """Return an argument with the bounds that the function is translated for."""
        spans = [(least, INT32[1]) for least in (0, -1, INT32[0])] if self.types.is_narrow else []
        span = next((one for one in spans if arg.is_within(*one)), None)
        bits = arg.bits if arg.bits is not None and arg.bits <= SPAN else None
        return replace(arg, bits=bits, literal=None, span=span)


def _signature(arg: Any) -> Any:
    if isinstance(arg, Value):
        return arg.kind, arg.bits is not None, arg.varies, arg.span
    extents = tuple(extent.literal for extent in arg.shape)
    return arg.row, arg.space, extents, bool(arg.strides)


def _parameter(name: str, arg: Any) -> Any:
    """Return a parameter of a function for an argument."""
    if isinstance(arg, Value):
        bits = None if arg.bits is None else SPAN
        return Value(arg.kind, f"a_{name}", name, bits, arg.varies, span=arg.span)
    shape = tuple(
        replace(extent, c=f"n_{name}_{axis}") if extent.literal is None else extent
        for axis, extent in enumerate(arg.shape)
    )
    shape = tuple(replace(e, py=f"_xr_extent({name}, {k})") for k, e in enumerate(shape))
    strides = tuple(f"s_{name}_{axis}" for axis in range(arg.ndim)) if arg.strides else ()
    return ArrayValue(name, arg.row, f"p_{name}", name, shape, strides, "", arg.space)


class Function(Control):
    """A function of Python that is translated.

    Attributes
    ----------
    params : list of Value and ArrayValue
        Its parameters.
    c, py : str
        The texts of the function.
    result : Kind, list of Kind or None
        What it returns.
    declarations, statements : sequence of str
        The lines of its body.
    """

    def __init__(
        self, program: Program, function: FunctionType, name: str, *, is_kernel: bool
    ) -> None:
        super().__init__()
        self.program = program
        self.types = program.types
        self.name = name
        self.is_kernel = is_kernel
        self.function = function
        try:
            definition, self._lines = text_of(function.__code__)
        except OSError as error:
            raise TypeError(
                f"kernel({function.__name__}): its text cannot be read ({error}); "
                "define it in a file or a notebook"
            ) from error
        if not isinstance(definition, ast.FunctionDef):
            raise TypeError(f"kernel(function): {function.__name__} must be made by def")
        self.definition: ast.FunctionDef = definition
        self.params: list[Any] = []
        self.result: Any = None
        self.c = self.py = ""
        self.declarations: Sequence[str] = ()
        self.statements: Sequence[str] = ()
        self._declarations = dict[ast.AST, tuple[str, str]]()
        self._assigned = {
            node.id
            for node in ast.walk(definition)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

    # -- errors and names -----------------------------------------------------------------------

    def refuse(self, node: ast.AST, given: str, remedy: str = "") -> NoReturn:
        """Raise the error of a part of the text, at its line and column."""
        line = getattr(node, "lineno", self.definition.lineno)
        column = getattr(node, "col_offset", 0)
        end, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        message = f"kernel {self.function.__name__}, line {line}, column {column + 1}: {given}"
        message = f"{message}; {remedy}" if remedy else message
        where = (self.function.__code__.co_filename, line, column + 1, text, end, end_column + 1)
        raise SyntaxError(message, where)

    def outside(self, name: str) -> Any:
        """Return an object of the function's module or of the functions around it."""
        function = self.function
        if name in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return ABSENT
        return function.__globals__.get(name, ABSENT)

    def variable(self, node: ast.Name) -> Any:
        """Return the value of a local name, or `ABSENT`."""
        name = node.id
        if name in self._arrays:
            return self._arrays[name]
        if name in self._tuples:
            return Tuple(tuple(self._read(f"{name}_xr{k}") for k in range(self._tuples[name])))
        if name in self._variables:
            return self._read(name)
        if name in self._assigned:
            self.refuse(node, f"{name} is read before it has a value", "give it a value before")
        return ABSENT

    def _read(self, name: str) -> Value:
        found = self._variables[name]
        bits, span = self.bits_of(f"v_{name}", found.bits), None
        if found.kind.row is dtypes.int64:
            span = self.span_of(f"v_{name}", found.span)
            if span[0] >= 0:
                known = max(span[1], 0).bit_length()
                bits = known if bits is None else min(bits, known)
        return Value(found.kind, f"v_{name}", name, bits, found.varies, span=span)

    def fresh(self) -> str:
        """Return a name for a variable that the text does not have."""
        self._fresh += 1
        return f"t{self._fresh}"

    def temporary(self, value: Value) -> Value:
        """Compute a value before the statement; return the variable that holds it."""
        name = self.fresh()
        made = f"const {c_type(value.kind)} {name} = {value.c};"
        self.before.append((made, f"_xr_{name} = {value.py}"))
        self.is_pure = False
        return replace(value, c=name, py=f"_xr_{name}")

    def declared(self, node: ast.AST, text: str, *, is_local: bool) -> str:
        """Declare an array at the function's begin; return its name."""
        if node not in self._declarations:
            name = f"{'l' if is_local else 'm'}_{len(self._declarations)}"
            space = "LOCAL " if is_local else ""
            self._declarations[node] = (name, space + text.replace("NAME", name))
        return self._declarations[node][0]

    def require_together(self, node: ast.AST, what: str) -> None:
        """Refuse what all items of a group have to come to, where some may not."""
        if self._varying or self._diverged or self._divergent.intersection(self._loops):
            self.refuse(
                node,
                f"{what} stands where not all items of a group may come, as a condition before "
                "it differs among them",
                "put it outside the branch, and let items without work do the rest in branches",
            )

    # -- the function ---------------------------------------------------------------------------

    def parameters(self, count: int, node: ast.AST | None, caller: Calls | None) -> list[str]:
        """Return the names of the parameters, which have to be so many."""
        args = self.definition.args
        names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
            self.refuse(
                self.definition,
                "the parameters are not plain names",
                "write them without *, ** and defaults",
            )
        if len(names) != count:
            text = (
                f"{self.function.__name__} takes {len(names)} arguments "
                f"({', '.join(names)}), and {count} are given"
            )
            if caller is not None and node is not None:
                caller.refuse(node, text)
            raise TypeError(text)
        return names

    def translate(self, params: Sequence[Any]) -> None:
        """Make the texts for such parameters."""
        self.params = list(params)
        for _ in range(_PASSES):
            self._changed = False
            self._begin()
            self._body(self.definition.body)
            if not self._changed:
                break
        else:
            self.refuse(
                self.definition,
                "the types of variables do not settle",
                "give each variable one type",
            )
        self.is_pure = self.is_pure and not self.has_barrier
        self._end()

    def _begin(self) -> None:
        self._c = list[str]()
        self.py_lines, self.last_indices, self.facts = [], [], []
        self._depth = 1
        self._fresh = self.barriers = 0
        self._loops = list[ast.AST]()
        self._varying = 0
        self._diverged = False
        for param in self.params:
            if isinstance(param, ArrayValue):
                if param.name in self._assigned:
                    self.refuse(
                        self.definition,
                        f"{param.name} is an array, and is assigned to",
                        "write x[i] = value, or another name",
                    )
                self._arrays[param.name] = param
            else:
                name = param.py
                self._join(name, param, self.definition)
                kind = self._variables[name].kind
                self._emit(
                    f"v_{name} = {cast(param, kind).c};",
                    f"{name} = {cast(param, kind).py}",
                    self.definition,
                )

    def _end(self) -> None:
        """Put head, declarations and statements together."""
        if self._returns is not None and not _terminates(self.definition.body):
            self.refuse(
                self.definition,
                "not every way through the function returns a value",
                "write return at its end",
            )
        many = self._returns is not None and self._is_tuple
        self.result = self._returns if many or not self._returns else self._returns[0]
        head = [text for param in self.params for text in _c_parameters(param)]
        result = "void"
        if many:
            assert self._returns is not None
            head += [f"{c_type(kind)} *r_{k}" for k, kind in enumerate(self._returns)]
        elif self._returns:
            result = c_type(self._returns[0])
        lines = [text for _, text in self._declarations.values()]
        lines += [f"{c_type(found.kind)} v_{name} = 0;" for name, found in self._variables.items()]
        self.declarations, self.statements = lines, self._c
        body = textwrap.indent("\n".join(lines), "    ") + "\n" + "\n".join(self._c)
        self.body = body
        self.c = f"DEVICE {result} {self.name}({', '.join(head) or 'void'})\n{{\n{body}\n}}\n"
        names = ["_xr_item", *(param.py for param in self.params)]
        first = self.definition.lineno
        self.py_lines.insert(0, (f"def {self.name}({', '.join(names)}):", first))
        self.py_lines.append(("    pass", first))


def _c_parameters(param: Any) -> list[str]:
    if isinstance(param, Value):
        return [f"const {c_type(param.kind)} {param.c}"]
    const = "" if param.written[0] else "const "
    space = f"{param.space} " if param.space else ""
    extents = [extent.c for extent in param.shape if extent.literal is None]
    numbers = [*extents, *param.strides]
    pointer = f"{space}{const}{memory_type(param.row)} *{param.pointer}"
    return [pointer, *(f"const i64 {name}" for name in numbers)]


def _terminates(statements: Sequence[ast.stmt]) -> bool:
    """Return whether statements never come to their end."""
    last = statements[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _terminates(last.body) and _terminates(last.orelse)
    if isinstance(last, ast.While):
        is_true = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return is_true and not any(isinstance(node, ast.Break) for node in ast.walk(last))
    return isinstance(last, ast.Return)
