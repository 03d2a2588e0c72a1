"""Assignments in kernels by threads: what names hold, and how statements are written."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from xarr import dtypes
from xarr.dtypes import BOOL, REAL, SIGNED
from xarr.user_kernels.threads import operations
from xarr.user_kernels.threads.calls import Calls
from xarr.user_kernels.threads.expressions import Fact, loaded_py, tuple_of
from xarr.user_kernels.threads.values import (
    INT32,
    INT64,
    SPAN,
    WEAK_INT,
    ArrayValue,
    Constant,
    Kind,
    Span,
    Tuple,
    Value,
    c_type,
    cast,
    loaded,
    stored,
)

_REMEDIES: Final = {
    "With": "write its body",
    "Try": "test the condition with if",
    "Raise": "write a mark to an array argument, and look at it after the launch",
    "Assert": "write a mark to an array argument, and look at it after the launch",
    "Import": "import outside the kernel",
    "ImportFrom": "import outside the kernel",
    "Global": "give the value as an argument",
    "Nonlocal": "give the value as an argument",
    "Delete": "leave it out",
    "FunctionDef": "define it outside, marked @xarr.kernel",
    "ClassDef": "define it outside, and give its numbers as arguments",
    "Match": "write if and elif",
}

_KEYWORDS: Final = {
    "FunctionDef": "def",
    "ClassDef": "class",
    "Delete": "del",
    "ImportFrom": "import",
}


@dataclass(slots=True)
class Variable:
    """Facts about a local name that holds a number."""

    kind: Kind
    bits: int | None
    varies: bool
    span: Span | None


def _widened(before: Span | None, span: Span | None) -> Span | None:
    """Return bounds for both: a counter's would grow with each pass, so they grow to a few ends."""
    if before is None or span is None:
        return None
    least, most = before
    if span[0] < least:
        least = next((end for end in (0, INT32[0]) if end <= span[0]), INT64[0])
    if span[1] > most:
        most = INT32[1] if span[1] <= INT32[1] else INT64[1]
    return least, most


class Assignments(Calls):
    """Translate assignments, and write statements.

    Attributes
    ----------
    params : list of Value and ArrayValue
        The function's parameters.
    py_lines : list of (str, int)
        The lines of its Python, each with the number of the program's line.
    has_barrier, has_reads, varies, is_pure : bool
        Whether items of a group wait for each other in it; it reads elements of arrays; its result
        may differ among the items of a group; it has no effects.
    """

    def __init__(self) -> None:
        super().__init__()
        self.params: list[Any] = []
        self.py_lines: list[tuple[str, int]] = []
        self.has_barrier = self.has_reads = self.varies = self._changed = False
        self.is_pure = True
        self._c = list[str]()
        self._depth = 1
        self._variables = dict[str, Variable]()
        self._arrays = dict[str, Any]()
        self._tuples = dict[str, int]()
        self._divergent = set[ast.AST]()
        self._loops = list[ast.AST]()
        self._varying = 0

    def _emit(self, c: str, py: str, node: ast.AST) -> None:
        """Write a statement, after what has to come before it."""
        before, self.before = self.before, []
        line = getattr(node, "lineno", 1)
        indent = "    " * self._depth
        for c_text, py_text in (*before, (c, py)):
            if c_text:
                self._c.append(indent + c_text)
            if py_text:
                self.py_lines.append((indent + py_text, line))

    def _body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.reads = 0
            self.before = []
            name = type(statement).__name__
            method = getattr(self, f"_{name.lower()}", None)
            if method is None:
                self.refuse(
                    statement,
                    f"{_KEYWORDS.get(name, name.lower())} is not there in kernels",
                    _REMEDIES.get(name, ""),
                )
            try:
                method(statement)
            except (TypeError, OverflowError) as error:
                self.refuse(statement, str(error))
            self.has_reads = self.has_reads or self.reads > 0

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        self._depth += 1
        begin = len(self.py_lines)
        self._body(statements)
        if len(self.py_lines) == begin and statements:
            self.py_lines.append(("    " * self._depth + "pass", statements[0].lineno))
        self._depth -= 1

    # -- assignments ----------------------------------------------------------------------------

    def _join(self, name: str, value: Value, node: ast.AST) -> None:
        """Let a variable hold a value as well."""
        self.facts = without(self.facts, {name})
        varies = (
            value.varies or self._varying > 0 or bool(self._divergent.intersection(self._loops))
        )
        before = self._variables.get(name)
        if before is None:
            span = value.bounds() if value.kind.row is dtypes.int64 else None
            self._variables[name] = Variable(value.kind, value.bits, varies, span)
            self._changed = True
            return
        kind = self.types.joined(before.kind, value.kind)
        bits = None
        if before.bits is not None and value.bits is not None and kind.row.kind != REAL:
            bits = before.bits if value.bits <= before.bits else max(SPAN, value.bits)
            # What the type does not hold wraps around, below 0 if that is signed.
            is_held = kind.row.kind != SIGNED or bits < 8 * kind.row.itemsize
            bits = bits if is_held else None
        span = _widened(before.span, value.bounds()) if kind.row is dtypes.int64 else None
        after = Variable(kind, bits, before.varies or varies, span)
        if after != before:
            self._variables[name] = after
            self._changed = True

    def _store_name(self, name: str, value: Any, node: ast.AST) -> None:
        if isinstance(value, Constant):
            value = self.as_number(value, node)
        if isinstance(value, ArrayValue):
            self._bind(name, value, node)
            return
        held = "an array" if name in self._arrays else "a tuple" if name in self._tuples else ""
        if isinstance(value, Tuple):
            if (
                name in self._variables
                or name in self._arrays
                or self._tuples.get(name, len(value.items)) != len(value.items)
            ):
                self.refuse(node, f"{name} has another type before", "take another name")
            self._tuples[name] = len(value.items)
            self._store_items([f"{name}_xr{k}" for k in range(len(value.items))], value, node)
            return
        if held:
            self.refuse(node, f"{name} is {held} before, and a number here", "take another name")
        self._join(name, value, node)
        made = cast(value, self._variables[name].kind)
        self._emit(f"v_{name} = {made.c};", f"{name} = {made.py}", node)

    def _bind(self, name: str, value: ArrayValue, node: ast.AST) -> None:
        before = self._arrays.get(name)
        if name in self._variables or (before is not None and before.pointer != value.pointer):
            self.refuse(node, f"{name} stands for something else before", "take another name")
        py = value.py
        if before is None:
            value = replace_name(value, name) if value.py.startswith("_xr_item.") else value
            self._arrays[name] = value
            self._changed = True
        if self._arrays[name].py == name:
            self._emit("", f"{name} = {py}", node)

    def _store_items(self, names: Sequence[str], value: Tuple, node: ast.AST) -> None:
        """Assign the items of a tuple, all of which are computed before the first is assigned."""
        items = [self.as_number(item, node) for item in value.items]
        for name, item in zip(names, items, strict=True):
            self._join(name, item, node)
        if len(items) > 1:
            kept = list[Value]()
            for item in items:
                temporary = self.fresh()
                self.before.append(
                    (
                        f"const {c_type(item.kind)} {temporary} = {item.c};",
                        f"_xr_{temporary} = {item.py}",
                    )
                )
                kept.append(replace(item, c=temporary, py=f"_xr_{temporary}"))
            items = kept
        for name, item in zip(names, items, strict=True):
            made = cast(item, self._variables[name].kind)
            self._emit(f"v_{name} = {made.c};", f"{name} = {made.py}", node)

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        if len(node.targets) > 1:
            value = self.as_number(value, node.value)
            if value.literal is None:
                name = self.fresh()
                self.before.append(
                    (f"const {c_type(value.kind)} {name} = {value.c};", f"_xr_{name} = {value.py}")
                )
                value = replace(value, c=name, py=f"_xr_{name}")
        for target in node.targets:
            self._assign_to(target, value, node)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign_to(node.target, self.value(node.value), node)

    def _assign_to(self, target: ast.expr, value: Any, node: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self._store_name(target.id, value, node)
        elif isinstance(target, ast.Subscript):
            self._store_element(target, self.as_number(value, node), node)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, Tuple) or len(value.items) != len(target.elts):
                count = len(value.items) if isinstance(value, Tuple) else 1
                self.refuse(
                    node, f"{len(target.elts)} names are given {count} value{'s' * (count != 1)}"
                )
            if all(isinstance(part, ast.Name) for part in target.elts):
                names = [part.id for part in target.elts if isinstance(part, ast.Name)]
                for name in names:
                    if name in self._arrays or name in self._tuples:
                        self.refuse(node, f"{name} has another type before", "take another name")
                self._store_items(names, value, node)
                return
            kept = list[Value]()
            for item in value.items:
                one = self.as_number(item, node)
                name = self.fresh()
                self._emit(
                    f"const {c_type(one.kind)} {name} = {one.c};", f"_xr_{name} = {one.py}", node
                )
                kept.append(replace(one, c=name, py=f"_xr_{name}"))
            for part, one in zip(target.elts, kept, strict=True):
                self._assign_to(part, one, node)
        else:
            self.refuse(
                target,
                f"{type(target).__name__} cannot be assigned to in kernels",
                "assign to a name or to x[i]",
            )

    def _store_element(self, target: ast.Subscript, value: Value, node: ast.AST) -> None:
        array, indices = self._element(target)
        self._require_kind(array, value, node)
        self._write(array, self.place(array, indices, target), tuple_of(indices), value, node)

    def _element(self, target: ast.Subscript) -> tuple[ArrayValue, list[Value]]:
        """Return the array of an element that is assigned to, and its indices."""
        found = self.indexed(target)
        if found is None:
            self.refuse(
                target, "an item of a tuple is assigned to", "write private_array(shape, dtype)"
            )
        array, parts = found
        return array, self.indices(array, parts, target)

    def _require_kind(self, array: ArrayValue, value: Value, node: ast.AST) -> None:
        known = value.literal
        if known is not None and value.kind == WEAK_INT and array.row.kind not in (REAL, BOOL):
            cast(value, Kind(array.row))

    def _write(
        self, array: ArrayValue, place: str, index: str, value: Value, node: ast.AST
    ) -> None:
        array.written[0] = True
        self.is_pure = self.is_pure and array.space == "" and array not in self.params
        c, py = stored(array.row, value)
        self._emit(
            f"{array.pointer}[{place}] = {c};",
            f"_xr_store(_xr_item, {array.py}, {index}, {py})",
            node,
        )

    def _augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            now = self.number(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            value = self.combined(node.op, now, self.number(node.value))
            self._store_name(target.id, value, node)
            return
        if not isinstance(target, ast.Subscript):
            self.refuse(target, "it cannot be assigned to in kernels", "assign to x[i]")
        array, indices = self._element(target)
        name = self.fresh()
        self._emit(
            f"const i64 {name} = {self.place(array, indices, target)};",
            f"_xr_{name} = {tuple_of(indices)}",
            node,
        )
        now = self.element(array, indices, target)
        text = loaded(array.row, f"{array.pointer}[{name}]")
        now = replace(now, c=text, py=loaded_py(array, f"_xr_{name}"))
        value = operations.binary(self.types, node.op, now, self.number(node.value))
        self._write(array, name, f"_xr_{name}", value, node)

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if not isinstance(node.value, ast.Call):
            self.refuse(node, "the value is not used", "assign it, or leave it out")
        self.value(node.value)
        self._emit("", "", node)

    def _pass(self, node: ast.Pass) -> None:
        self._emit("", "pass", node)


def without(facts: Sequence[Fact], names: Collection[str]) -> list[Fact]:
    """Return the facts that do not tell of variables."""
    changed = {f"v_{name}" for name in names}
    return [
        fact for fact in facts if changed.isdisjoint(re.findall(r"\w+", f"{fact[0].c} {fact[1].c}"))
    ]


def replace_name(value: ArrayValue, name: str) -> ArrayValue:
    """Return an array by another name; what is written is known to both."""
    return ArrayValue(
        name,
        value.row,
        value.pointer,
        name,
        value.shape,
        value.strides,
        value.offset,
        value.space,
        value.written,
    )
