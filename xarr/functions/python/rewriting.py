"""Rewriting of a Python function of numbers, by its syntax tree, into one that takes arrays.

Conditions become calls of choices, which `python_kernels` has; what has no meaning for arrays is
refused at its line. Each piece keeps the line of the one whose place it takes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from xarr.functions.python.of_numbers import WHERE
from xarr.user_kernels.texts import Definition

_REFUSED: Final = {
    ast.While: "a while loop; xarr.kernel takes one",
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


class Rewriter(ast.NodeTransformer):
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
            return [at(ast.Return(self.visit(value)), value)]
        if isinstance(definition, ast.AsyncFunctionDef):
            self.visit(definition)  # which refuses it
        statements, result = definition.body, self._fresh()
        return [*self._to_result(statements, result), at(ast.Return(_load(result)), statements[0])]

    def visit(self, node: Any) -> Any:
        """Refuse what is not there for arrays; rewrite the rest."""
        if type(node) in _REFUSED:
            raise self._refusal(node, f"not there for arrays: {_REFUSED[type(node)]}")
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        """`a`, which may be set in one branch only."""
        if isinstance(node.ctx, ast.Store) or node.id not in self._partial:
            return node
        return at(_call("known", ast.Constant(node.id), node), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """`a if c else b`."""
        test, body, other = map(self.visit, (node.test, node.body, node.orelse))
        return at(_call("if", test, _later(body), _later(other)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`a and b`, `a or b`."""
        name = "and" if isinstance(node.op, ast.And) else "or"
        *rest, result = map(self.visit, node.values)
        for value in reversed(rest):
            result = at(_call(name, value, _later(result)), node)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """`not a`."""
        if isinstance(node.op, ast.Not):
            return at(_call("not", self.visit(node.operand)), node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c`."""
        if len(node.ops) == 1:
            return self.generic_visit(node)
        values = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            at(ast.Compare(left, [how], [right]), node)
            for left, how, right in zip(values, node.ops, values[1:], strict=False)
        ]
        return self.visit(at(ast.BoolOp(ast.And(), pairs), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`a += b`, which makes another number, and does not write to an array."""
        if not isinstance(node.target, ast.Name):
            raise self._refusal(node, "an assignment to something else than a name is not there")
        before = self.visit(at(_load(node.target.id), node))
        value = at(ast.BinOp(before, node.op, self.visit(node.value)), node)
        return at(ast.Assign([node.target], value), node)

    def visit_Call(self, node: ast.Call) -> Any:
        """`f(a)`."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "range":
            return node
        return at(ast.Call(_load("_xr_called"), [node.func, *node.args], node.keywords), node)

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
                return [*made, at(ast.Assign([_store(result)], value), statement)]
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
        return [at(statement, node) for statement in made]

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


def at(made: _Made, where: ast.AST) -> _Made:
    """A new piece of a program at the line of the one whose place it takes."""
    ast.copy_location(made, where)
    for part in ast.walk(made):
        if not hasattr(part, "lineno") and isinstance(part, ast.expr | ast.stmt):
            ast.copy_location(part, where)
    return made
