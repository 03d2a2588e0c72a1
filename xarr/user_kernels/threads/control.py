"""Branches, loops and returns of kernels by threads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from xarr.dtypes import BOOL, REAL
from xarr.user_kernels.threads.assignments import Assignments, without
from xarr.user_kernels.threads.expressions import tuple_of
from xarr.user_kernels.threads.values import (
    INT32,
    WEAK_INT,
    ArrayValue,
    Constant,
    Kind,
    Span,
    Tuple,
    Value,
    cast,
)


class Control(Assignments):
    """Translate control flow, and find which items of a group may come to a statement."""

    def __init__(self) -> None:
        super().__init__()
        self._returns: list[Kind] | None = None
        self._is_tuple = self._diverged = False
        self._varyings = list[int]()

    def _return(self, node: ast.Return) -> None:
        given = None
        if node.value is not None:
            given = self.value(node.value)
            given = None if isinstance(given, Constant) and given.value is None else given
        if self.is_kernel and given is not None:
            self.refuse(node, "a kernel returns a value", "write it to an array argument")
        if given is None:
            if self._returns is not None:
                self.refuse(
                    node, "return has no value here, and one elsewhere", "return a value everywhere"
                )
            self._emit("return;", "return", node)
        else:
            self._return_value(given, node)
        if self._varying or self._divergent.intersection(self._loops):
            self._diverged = True
            self.varies = True
            for loop in self._loops:
                self._mark(loop)

    def _return_value(self, given: Any, node: ast.Return) -> None:
        if isinstance(given, ArrayValue) and given.ndim:
            self.refuse(node, "an array is returned", "write to an array argument")
        is_tuple = isinstance(given, Tuple)
        items = [self.as_number(item, node) for item in (given.items if is_tuple else [given])]
        if self._returns is None:
            self._returns = [item.kind for item in items]
            self._is_tuple = is_tuple
            self._changed = True
        if len(items) != len(self._returns) or is_tuple is not self._is_tuple:
            self.refuse(
                node,
                "another number of values is returned elsewhere",
                "return as many values everywhere",
            )
        kinds = [
            self.types.joined(*pair)
            for pair in zip(self._returns, (i.kind for i in items), strict=True)
        ]
        varies = self.varies or any(item.varies for item in items)
        if kinds != self._returns or varies != self.varies:
            self._returns, self.varies, self._changed = kinds, varies, True
        made = [cast(item, kind) for item, kind in zip(items, kinds, strict=True)]
        if not is_tuple:
            self._emit(f"return {made[0].c};", f"return {made[0].py}", node)
            return
        for k, value in enumerate(made):
            self.before.append((f"*r_{k} = {value.c};", ""))
        self._emit("return;", f"return {tuple_of(made)}", node)

    def _mark(self, loop: ast.AST) -> None:
        if loop not in self._divergent:
            self._divergent.add(loop)
            self._changed = True

    def _break(self, node: ast.Break | ast.Continue) -> None:
        if self._varying > self._varyings[-1]:
            self._mark(self._loops[-1])
        word = type(node).__name__.lower()
        self._emit(f"{word};", word, node)

    _continue = _break

    def _if(self, node: ast.If) -> None:
        test = self.condition(node.test)
        if test.literal is not None:
            self._emit("", "", node)
            self._body(node.body if test.literal else node.orelse)
            return
        self._emit(f"if ({test.c}) {{", f"if {test.py}:", node)
        self._varying += test.varies
        before, self.facts = self.facts, [*self.facts, *self.facts_of(node.test)]
        self._block(node.body)
        self.facts = before
        if node.orelse:
            self._emit("} else {", "else:", node)
            self._block(node.orelse)
        self.facts = without(before, _stored(node))
        self._varying -= test.varies
        self._emit("}", "", node)

    def _loop(
        self, node: ast.For | ast.While, varies: bool, first: str = "", again: str = ""
    ) -> None:
        """Translate the body of a loop whose head was written last.

        first, again : str
            The C of the conditions of the first turn and of others: PoCL leaves a loop around a
            barrier too early, unless its condition comes last.
        """
        head, barriers = len(self._c) - 1 - (self._c[-1].endswith(";")), self.barriers
        if node.orelse:
            self.refuse(
                node.orelse[0],
                "else of a loop is not there in kernels",
                "set a variable before break, and test it after the loop",
            )
        self._varying += varies
        self._loops.append(node)
        self._varyings.append(self._varying)
        before = without(self.facts, _stored(node))
        self.facts = [*before, *(self.facts_of(node.test) if isinstance(node, ast.While) else ())]
        self._block(node.body)
        self.facts = before
        self._varyings.pop()
        self._loops.pop()
        self._varying -= varies
        if first and self.barriers > barriers:
            self._c[head] = f"{'    ' * self._depth}if ({first}) do {{"
            self._emit(f"}} while ({again});", "", node)
            return
        self._emit("}", "", node)

    def _while(self, node: ast.While) -> None:
        self.facts = without(self.facts, _stored(node))
        test = self.condition(node.test)
        if not self.before:
            self._emit(f"while ({test.c}) {{", f"while {test.py}:", node)
            self._loop(node, test.varies, test.c, test.c)
            return
        before, self.before = self.before, []
        self._emit("for (;;) {", "while True:", node)
        self._depth += 1
        self.before = before
        self._emit(f"if (!{test.c}) break;", f"if not {test.py}: break", node)
        self._depth -= 1
        self._loop(node, test.varies)

    def _for_items(self, node: ast.For, items: Tuple) -> None:
        """Write the body of a loop over a tuple once for each item."""
        if node.orelse or any(isinstance(one, ast.Break | ast.Continue) for one in _own(node.body)):
            self.refuse(
                node,
                "a loop over a tuple has no break, continue and else in kernels",
                "write if in the body, or for i in range(n)",
            )
        for item in items.items:
            self.before = []
            self._assign_to(node.target, item, node)
            self._body(node.body)

    def _for(self, node: ast.For) -> None:
        call = node.iter
        if not isinstance(call, ast.Call):
            found = self.value(call)
            if isinstance(found, Tuple):
                self._for_items(node, found)
                return
            if isinstance(found, ArrayValue):
                self.refuse(
                    call, f"for goes over {found.name}, an array", "write for i in range(len(x))"
                )
        is_range = (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and self.value(call.func) == Constant(range)
        )
        if not is_range or not isinstance(call, ast.Call) or not 1 <= len(call.args) <= 3:
            self.refuse(
                call, "for goes over something else than a range", "write for i in range(n)"
            )
        if not isinstance(node.target, ast.Name):
            self.refuse(node.target, "a range gives one number at a time", "write one name")
        one = ast.copy_location(ast.Constant(1), call)
        zero = ast.copy_location(ast.Constant(0), call)
        parts = [*call.args, one] if len(call.args) == 2 else list(call.args)
        parts = [zero, parts[0], one] if len(parts) == 1 else parts
        values = list[Value]()
        for part in parts:
            found = self.number(part)
            if found.kind.row.kind in (REAL, BOOL):
                self.refuse(part, f"range takes integers, not {found.kind}", "write int(x)")
            values.append(cast(found, WEAK_INT))
        begin, end, step = values
        if step.literal == 0:
            self.refuse(call, "the step of range is 0", "write another number")
        self._emit("", "", node)
        k, e, s = self.fresh(), self.fresh(), self.fresh()
        is_size = re.fullmatch(
            r"\(\(i64\)(?:\(u32\))?(?:GLOBAL_SIZE|LOCAL_SIZE|GROUPS)\(\d\)\)", step.c
        )
        forward = is_size is not None or (step.literal is not None and step.literal > 0)
        bits = None
        if forward and begin.bits is not None:
            bits = end.bits if end.bits is not None else 62
            bits = max(bits, begin.bits)
        elif begin.bits is not None and end.bits is not None:
            bits = max(begin.bits, end.bits)  # a step may have either sign
        span = _span(begin, end, step)
        varies = begin.varies or end.varies or step.varies
        ends = varies or node in self._divergent  # behind the loop it is where an item left it
        name = node.target.id
        if name in self._arrays or name in self._tuples:
            self.refuse(node.target, f"{name} has another type before", "take another name")
        self._join(name, Value(WEAK_INT, k, "", bits, ends, span=span), node)
        more = f"{k} < {e}" if forward else f"{k} > {e}"
        if step.literal is None and not forward:
            more = f"{s} > 0 ? {k} < {e} : {k} > {e}"
        temporary = self.fresh()
        kind = self._variables[name].kind
        taken = cast(Value(WEAK_INT, k, f"_xr_{temporary}"), kind)
        to = "i32" if self.types.is_narrow and _is_narrow(begin, end, step) else "i64"
        self._emit(f"const {to} {e} = {end.c}, {s} = {step.c};", "", node)
        self._emit(f"{to} {k} = {begin.c};", "", node)
        self._emit(
            f"for (; {more}; {k} += {s}) {{",
            f"for _xr_{temporary} in _xr_range({begin.py}, {end.py}, {step.py}):",
            node,
        )
        self._depth += 1
        self._emit(f"v_{name} = {taken.c};", f"{name} = {taken.py}", node)
        self._depth -= 1
        self._loop(node, varies, more, f"{k} += {s}, {more}")


def _span(begin: Value, end: Value, step: Value) -> Span | None:
    """Return the bounds of a range's numbers, if its step is known and none is beyond its ends."""
    first, last = begin.bounds(), end.bounds()
    if first is None or last is None or step.literal is None:
        return None
    if step.literal > 0:
        return first[0], max(first[1], last[1] - 1)
    return min(first[0], last[0] + 1), first[1]


def _is_narrow(begin: Value, end: Value, step: Value) -> bool:
    """Return whether 32 bits hold a range's numbers, and the first one beyond them."""
    first, last, more = begin.bounds(), end.bounds(), step.bounds()
    if first is None or last is None or more is None:
        return False
    beyond = last[0] + min(more[0] + 1, 0), last[1] + max(more[1] - 1, 0)
    return all(INT32[0] <= one <= INT32[1] for one in (*first, *last, *more, *beyond))


def _own(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and those within them, but for the bodies of loops."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.If):
            yield from _own([*statement.body, *statement.orelse])


def _stored(node: ast.AST) -> set[str]:
    """Return the names that statements assign to."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
