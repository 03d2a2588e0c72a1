"""Tells which Python functions of floats give the same bits for whole arrays.

Python raises where an array goes on (a division by 0, the root of a negative number), its integers
have no end, and its mathematical functions are the C library's. What is left is arithmetic,
comparisons and conditions, with a float in each operation: IEEE says the bits of those.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, Final

from xarr.memo import memo
from xarr.user_kernels.texts import text_of

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
