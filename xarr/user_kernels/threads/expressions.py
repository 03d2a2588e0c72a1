"""Expressions of kernels by threads: from the tree of Python's text to typed values."""

from __future__ import annotations

import ast
import builtins
import difflib
import enum
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, Final, NoReturn

import numpy

from xarr.dtypes import BOOL, REAL, UNSIGNED, float16
from xarr.user_kernels.threads import operations
from xarr.user_kernels.threads.values import (
    INT64,
    MOST_BITS,
    SPAN,
    TRUTH,
    WEAK_INT,
    ArrayValue,
    Constant,
    Span,
    Tuple,
    Types,
    Value,
    cast,
    element_kind,
    literal,
    loaded,
)
from xarr.user_kernels.threads.words import INSTEAD, Word, Words

Fact = tuple[Value, Value, int]
"""An integer, and one that it exceeds at least by so much."""
ABSENT: Final = object()

_INSTEAD: Final = {
    "ListComp": "write a loop",
    "GeneratorExp": "write a loop",
    "SetComp": "write a loop",
    "DictComp": "write a loop",
    "List": "write a tuple, or private_array(shape, dtype)",
    "Dict": "write a tuple, or an array argument",
    "Set": "write a tuple",
    "Lambda": "write a function marked @xarr.kernel",
    "JoinedStr": "leave texts out",
    "NamedExpr": "assign it to a variable before",
    "Starred": "write the items one by one",
    "Yield": "write the values to an array argument",
    "Await": "leave it out",
    "Slice": "write a loop over the elements",
}

_CALLED: Final = {
    "ListComp": "a comprehension",
    "GeneratorExp": "a comprehension",
    "SetComp": "a comprehension",
    "DictComp": "a comprehension",
    "List": "a list",
    "Dict": "a dict",
    "Set": "a set",
    "Lambda": "lambda",
    "JoinedStr": "a text",
    "NamedExpr": ":=",
    "Starred": "*",
    "Slice": "a slice",
}
_EXCEEDS: Final[dict[type[ast.cmpop], tuple[bool, int]]] = {
    ast.Gt: (True, 1),
    ast.GtE: (True, 0),
    ast.Lt: (False, 1),
    ast.LtE: (False, 0),
}
"""Whether the left operand of a comparison is the one that exceeds the other, and by how much."""


class Expressions:
    """What translates expressions; `Statements` has the rest of a function.

    Attributes
    ----------
    types : Types
        The promotion of the device's data types.
    before : list of (str, str)
        Statements, in C and in Python, that come before the one that is translated.
    reads : int
        How many elements of arrays the statement has read.
    conditional : int
        Within how many expressions that may not be computed this one is.
    last_indices : list of str
        The C of the indices along which elements follow each other.
    facts : list of Fact
        What the conditions around it say of integers.
    """

    types: Types
    before: list[tuple[str, str]]
    reads: int
    conditional: int
    last_indices: list[str]
    facts: list[Fact]

    def __init__(self) -> None:
        self.before, self.last_indices, self.facts = [], [], []
        self.reads = self.conditional = 0

    def refuse(self, node: ast.AST, given: str, remedy: str = "") -> NoReturn:
        """Raise the error of a part of the text, at its line and column."""
        raise NotImplementedError

    def variable(self, node: ast.Name) -> Any:
        """Return the value of a local name, or `ABSENT`."""
        raise NotImplementedError

    def outside(self, name: str) -> Any:
        """Return an object of the function's module or of the functions around it, or `ABSENT`."""
        raise NotImplementedError

    def call(self, node: ast.Call) -> Any:
        """Return the value of a call."""
        raise NotImplementedError

    def temporary(self, value: Value) -> Value:
        """Compute a value before the statement; return the variable that holds it."""
        raise NotImplementedError

    # -- values -------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Any:
        """Return what an expression is: a number, a tuple, an array or an object of Python's."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            name = type(node).__name__
            text = _CALLED.get(name, name)
            self.refuse(node, f"{text} is not there in kernels", _INSTEAD.get(name, ""))
        try:
            return method(node)
        except (TypeError, OverflowError) as error:
            self.refuse(node, str(error))

    def number(self, node: ast.expr) -> Value:
        """Return the number that an expression is."""
        return self.as_number(self.value(node), node)

    def as_number(self, value: Any, node: ast.AST) -> Value:
        """Return a value as a number, or refuse it."""
        if isinstance(value, Constant):
            kind = self.types.of_scalar(value.value)
            if kind is not None:
                return literal(value.value, kind)
            if isinstance(value.value, str | bytes):
                self.refuse(
                    node, f"{value.value!r} is a text", "write a number, math.inf or math.nan"
                )
            if isinstance(value.value, numpy.number | float | complex):
                self.refuse(
                    node,
                    f"{value.value!r} has a type that kernels do not have",
                    "convert it to a float, an int or a truth value",
                )
            self.refuse(node, f"{_name(value.value)} is no number", _remedy(value.value))
        if isinstance(value, ArrayValue):
            if value.ndim == 0:
                return self.element(value, [], node)
            self.refuse(
                node,
                f"{value.name} is an array of {value.ndim} axes, not a number",
                f"write {value.name}[{', '.join('ijklmn'[: value.ndim])}]",
            )
        if isinstance(value, Tuple):
            self.refuse(node, "a tuple is no number", "write one of its items, t[0]")
        assert isinstance(value, Value)
        return value

    def condition(self, node: ast.expr) -> Value:
        """Return the truth of an expression, whose operands of `and` and `or` may be numbers."""
        if isinstance(node, ast.BoolOp):
            return self._boolop(node, is_test=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return operations.negated(self.condition(node.operand))
        return operations.truth(self.number(node))

    # -- leaves -------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        kind = self.types.of_scalar(node.value)
        if kind is None:
            return Constant(node.value)
        return literal(node.value, kind)

    def _name(self, node: ast.Name) -> Any:
        found = self.variable(node)
        if found is not ABSENT:
            return found
        found = self.outside(node.id)
        if found is ABSENT:
            found = getattr(builtins, node.id, ABSENT)
        if found is ABSENT:
            self.refuse(
                node,
                f"the name {node.id} is not there",
                "give it a value, or define it outside the kernel",
            )
        return self.constant(found, node)

    def constant(self, found: Any, node: ast.AST) -> Any:
        """Return an object of Python's as a value: numbers and tuples of them are known."""
        if isinstance(found, Word) and found.axis is not None:
            return self.position(found.name, found.axis)
        kind = self.types.of_scalar(found)
        if kind is not None:
            if kind.row.kind == REAL and kind.row.itemsize > self.types.default_float.itemsize:
                self.refuse(node, "float64 is not there on the device", "write a float32")
            return literal(found, kind)
        if isinstance(found, tuple):
            return Tuple(tuple(self.constant(item, node) for item in found))
        return Constant(found)

    def position(self, name: str, axis: int) -> Value:
        """Return the number of an item, of its group, or how many there are, along a dimension."""
        raise NotImplementedError

    def _attribute(self, node: ast.Attribute) -> Any:
        name = node.attr
        if name == "value" and isinstance(node.value, ast.Attribute):
            kind = self.value(node.value.value)
            if isinstance(kind, Constant) and isinstance(kind.value, enum.EnumType):
                member = getattr(kind.value, node.value.attr, None)
                if isinstance(member, enum.Enum):
                    return self.constant(member.value, node)
        owner = self.value(node.value)
        if isinstance(owner, ArrayValue):
            return self._of_array(owner, name, node)
        if not isinstance(owner, Constant):
            self.refuse(node, f"a number has no .{name} in kernels", "write an expression of it")
        if not isinstance(owner.value, ModuleType | Words | type):
            self.refuse(
                node, f"{ast.unparse(node)} is not taken", "assign it to a constant of the module"
            )
        found = getattr(owner.value, name, ABSENT)
        if found is ABSENT:
            if isinstance(owner.value, Words) and name in INSTEAD:
                self.refuse(node, f"xarr.kernel has no {name}", INSTEAD[name])
            if hasattr(getattr(owner.value, "kernel", None), name):
                self.refuse(
                    node,
                    f"{_name(owner.value)} has no {name}",
                    f"write {ast.unparse(node.value)}.kernel.{name}",
                )
            near = difflib.get_close_matches(name, dir(owner.value), 3)
            remedy = f"near it {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
            what = "xarr.kernel" if isinstance(owner.value, Words) else _name(owner.value)
            self.refuse(node, f"{what} has no {name}", remedy if near else "")
        return self.constant(found, node)

    def _of_array(self, array: ArrayValue, name: str, node: ast.AST) -> Any:
        if name == "shape":
            return Tuple(array.shape)
        if name == "ndim":
            return literal(array.ndim, WEAK_INT)
        if name == "dtype":
            return Constant(array.row.numpy)
        if name == "size":
            found = array.shape[0] if array.shape else literal(1, WEAK_INT)
            for extent in array.shape[1:]:
                found = operations.binary(self.types, ast.Mult(), found, extent)
            return replace(found, bits=found.bits or SPAN)
        return self.refuse(
            node,
            f"{array.name}.{name} is not there in kernels",
            "an array has shape, size, ndim and dtype",
        )

    def _tuple(self, node: ast.Tuple) -> Tuple:
        return Tuple(tuple(self.value(item) for item in node.elts))

    # -- operators ----------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, Tuple) and isinstance(right, Tuple) and isinstance(node.op, ast.Add):
            return Tuple(left.items + right.items)
        a, b = self.as_number(left, node.left), self.as_number(right, node.right)
        return self.combined(node.op, a, b)

    def combined(self, op: ast.operator, a: Value, b: Value) -> Value:
        """Return ``a op b``, with what is known of a difference."""
        made = operations.binary(self.types, op, a, b)
        if isinstance(op, ast.Sub) and made.bits is None and self._is_at_least(a, b):
            return replace(made, bits=MOST_BITS if a.bits is None else a.bits)
        return made

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return operations.negated(self.condition(node.operand))
        a = self.number(node.operand)
        if isinstance(node.op, ast.USub):
            return operations.negative(self.types, a)
        if isinstance(node.op, ast.UAdd):
            return cast(a, self.types.arithmetic(a.kind, a.kind))
        return operations.inverted(self.types, a)

    def _compare(self, node: ast.Compare) -> Value:
        left = self.number(node.left)
        found: Value | None = None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            self.conditional += found is not None
            right = self.number(right_node)
            self.conditional -= found is not None
            one = operations.compare(self.types, op, left, right)
            found = one if found is None else self._both("&&", "and", found, one)
            left = right
        assert found is not None
        return found

    @staticmethod
    def _both(c: str, py: str, a: Value, b: Value) -> Value:
        known = None
        if a.literal is not None and b.literal is not None:
            known = (a.literal and b.literal) if py == "and" else (a.literal or b.literal)
            return literal(known, TRUTH)
        return Value(
            TRUTH, f"({a.c} {c} {b.c})", f"({a.py} {py} {b.py})", None, a.varies or b.varies
        )

    def _boolop(self, node: ast.BoolOp, *, is_test: bool = False) -> Value:
        c, py = ("&&", "and") if isinstance(node.op, ast.And) else ("||", "or")
        found: Value | None = None
        before = self.facts
        for operand in node.values:
            self.conditional += found is not None
            one = self.condition(operand) if is_test else self.number(operand)
            self.conditional -= found is not None
            if c == "&&":
                self.facts = [*self.facts, *self.facts_of(operand)]
            if one.kind != TRUTH:
                self.refuse(
                    operand,
                    f"{py} of a number gives one of its operands in Python",
                    "compare it, as x != 0, or write a if a else b",
                )
            found = one if found is None else self._both(c, py, found, one)
        assert found is not None
        self.facts = before
        return found

    # -- what is known of integers ------------------------------------------------------------

    def facts_of(self, node: ast.expr) -> list[Fact]:
        """Return what a condition says of variables and sizes, where it holds."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [fact for operand in node.values for fact in self.facts_of(operand)]
        if not isinstance(node, ast.Compare):
            return []
        found = list[Fact]()
        parts = [node.left, *node.comparators]
        for a, op, b in zip(parts, node.ops, parts[1:], strict=False):
            way = _EXCEEDS.get(type(op))
            if way is None or not (_is_simple(a) and _is_simple(b)):
                continue
            reads = self.reads
            values = self.number(a), self.number(b)
            if self.reads > reads:  # an array without axes, which may be written to
                self.reads = reads
            elif REAL not in (values[0].kind.row.kind, values[1].kind.row.kind):
                found.append((*(values if way[0] else values[::-1]), way[1]))
        return found

    def _is_at_least(self, a: Value, b: Value) -> bool:
        """Return whether a difference is known not to be negative."""
        if a.kind.row.kind == REAL or b.kind.row.kind == REAL or b.bits is None:
            return False
        for greater, lesser, more in self.facts:
            if greater.c != a.c:
                continue
            if lesser.c == b.c:
                return True
            is_known = b.literal is not None and lesser.bits is not None
            if is_known and (lesser.literal or 0) + more >= b.literal:
                return True
        return False

    def bits_of(self, c: str, bits: int | None) -> int | None:
        """Return how many bits a variable has by what is known of it."""
        for greater, lesser, _ in self.facts:
            if greater.c == c and lesser.bits is not None and bits is None:
                bits = MOST_BITS
        for greater, lesser, _ in self.facts:
            if lesser.c == c and greater.bits is not None and bits is not None:
                bits = min(bits, greater.bits)
        return bits

    def span_of(self, c: str, span: Span | None) -> Span:
        """Return the bounds of a variable by what is known of it."""
        least, most = span or INT64
        for greater, lesser, more in self.facts:
            if greater.c == c and (bounds := lesser.bounds()):
                least = max(least, bounds[0] + more)
            if lesser.c == c and (bounds := greater.bounds()):
                most = min(most, bounds[1] - more)
        return least, most

    def _ifexp(self, node: ast.IfExp) -> Any:
        test = self.condition(node.test)
        if test.literal is not None:
            return self.value(node.body if test.literal else node.orelse)
        self.conditional += 1
        before, self.facts = self.facts, [*self.facts, *self.facts_of(node.test)]
        a = self.number(node.body)
        self.facts = before
        b = self.number(node.orelse)
        self.conditional -= 1
        kind = self.types.joined(a.kind, b.kind)
        a, b = cast(a, kind), cast(b, kind)
        bits = max(a.bits, b.bits) if a.bits is not None and b.bits is not None else None
        return Value(
            kind,
            f"({test.c} ? {a.c} : {b.c})",
            f"({a.py} if {test.py} else {b.py})",
            bits,
            test.varies or a.varies or b.varies,
        )

    # -- elements -----------------------------------------------------------------------------

    def indexed(self, node: ast.Subscript) -> tuple[ArrayValue, list[ast.expr]] | None:
        """Return the array and the indices of ``x[i, j]`` or ``x[i][j]``; None of a tuple."""
        parts = list[ast.expr]()
        owner: ast.expr = node
        while isinstance(owner, ast.Subscript):
            inner = owner.slice
            parts = [*(inner.elts if isinstance(inner, ast.Tuple) else [inner]), *parts]
            owner = owner.value
        found = self.value(owner)
        return (found, parts) if isinstance(found, ArrayValue) else None

    def _subscript(self, node: ast.Subscript) -> Any:
        found = self.indexed(node)
        if found is not None:
            array, parts = found
            return self.element(array, self.indices(array, parts, node), node)
        owner = self.value(node.value)
        if not isinstance(owner, Tuple):
            what = ast.unparse(node.value)
            if isinstance(owner, Constant):
                self.refuse(
                    node,
                    f"{what} is {_name(owner.value)} from outside, not an argument",
                    "give it as an array argument, or write a tuple of numbers",
                )
            self.refuse(node, f"{what} is neither an array nor a tuple")
        index = self.number(node.slice)
        if index.literal is None or index.kind.row.kind == REAL:
            self.refuse(
                node.slice,
                "a tuple is indexed by a known integer",
                "write private_array(shape, dtype) for what a loop indexes",
            )
        if not -len(owner.items) <= index.literal < len(owner.items):
            self.refuse(node.slice, f"the tuple has {len(owner.items)} items")
        return owner.items[index.literal]

    def indices(self, array: ArrayValue, parts: Sequence[ast.expr], node: ast.AST) -> list[Value]:
        """Return the indices of an element, as int64."""
        values = list[Value]()
        for part in parts:
            found = self.value(part)
            items = found.items if isinstance(found, Tuple) else (found,)
            values += [self._index(item, array, part) for item in items]
        if len(values) != array.ndim:
            axes = "axis" if array.ndim == 1 else "axes"
            self.refuse(
                node,
                f"{array.name} has {array.ndim} {axes}, and {len(values)} "
                f"{'index is' if len(values) == 1 else 'indices are'} written",
                f"write {array.name}[{', '.join('ijklmn'[: array.ndim])}]",
            )
        return values

    def _index(self, item: Any, array: ArrayValue, node: ast.AST) -> Value:
        found = self.as_number(item, node)
        if found.kind.row.kind in (REAL, BOOL):
            self.refuse(node, f"an index of {array.name} is {found.kind}", "write int(i)")
        return cast(found, WEAK_INT)

    def place(self, array: ArrayValue, indices: Sequence[Value], node: ast.AST) -> str:
        """Return the C of an element's place; indices below 0 count from the end."""
        known = list[str]()
        for axis, (index, extent) in enumerate(zip(indices, array.shape, strict=True)):
            if None not in (index.literal, extent.literal) and not (
                -extent.literal <= index.literal < extent.literal
            ):
                self.refuse(
                    node,
                    f"index {index.literal} is beyond axis {axis} of {array.name}",
                    f"it has {extent.literal} elements",
                )
            i, n = (self._narrowed(one) for one in (index, extent))
            word = "wrapped_i32" if self.types.is_narrow else "wrapped"
            known.append(f"{word}({i}, {n})" if index.bits is None else i)
        if array.space == "GLOBAL" and known and not array.strides:
            self.last_indices.append(known[-1])
        if array.strides:
            to = "(i32)" if self.types.is_narrow else ""
            terms = [f"{i} * {to}{s}" for i, s in zip(known, array.strides, strict=True)]
            text = " + ".join(terms)
        else:
            text = known[0] if known else "0"
            for inner, extent in zip(known[1:], array.shape[1:], strict=True):
                text = f"({text}) * {self._narrowed(extent)} + {inner}"
        return f"{array.offset} + {text}" if array.offset else text

    def _narrowed(self, value: Value) -> str:
        """Return the C of an index or an extent within a place.

        An element that is there has a place that 32 bits hold, as the device's registers do.
        """
        if not self.types.is_narrow:
            return value.c
        return f"(i32){value.c}" if value.literal is None else str(value.literal)

    def element(self, array: ArrayValue, indices: Sequence[Value], node: ast.AST) -> Value:
        """Return the value of an element."""
        self.reads += 1
        row = array.row
        c = loaded(row, f"{array.pointer}[{self.place(array, indices, node)}]")
        bits = 8 * row.itemsize if row.kind == UNSIGNED and row.itemsize < 8 else None
        varies = not array.space or any(index.varies for index in indices)
        return Value(element_kind(row), c, loaded_py(array, tuple_of(indices)), bits, varies)


def loaded_py(array: ArrayValue, index: str) -> str:
    """Return the Python of an element."""
    text = f"_xr_load(_xr_item, {array.py}, {index})"
    return f"_xr_float32({text})" if array.row is float16 else text


def tuple_of(values: Sequence[Value]) -> str:
    """Return the Python of a tuple of values."""
    return f"({''.join(f'{value.py}, ' for value in values)})"


def _remedy(found: Any) -> str:
    """Return what to write in place of an object that is no number."""
    if isinstance(found, enum.Enum):
        return f"write {type(found).__name__}.{found.name}.value"
    if isinstance(found, Words):
        return "write its .x, .y or .z" if hasattr(found, "x") else "write one of its words"
    if isinstance(found, type):
        return f"write {found.__name__}(x)"
    return "write 0 or another number for it" if found is None else "call it, or name a constant"


def _is_simple(node: ast.expr) -> bool:
    """Return whether an expression names a variable or a size, or computes with such."""
    kinds = ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.expr_context, ast.operator
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    parts = ast.iter_child_nodes(node)
    return isinstance(node, kinds) and all(
        not isinstance(part, ast.expr) or _is_simple(part) for part in parts
    )


def _name(found: Any) -> str:
    return str(getattr(found, "__name__", None) or f"an object of type {type(found).__name__}")
