"""Division of integers in a program's C that stops no process: `a / b` as a call.

A processor may trap where an integer is divided by 0, or the smallest one by -1. So a quotient
whose divisor may be such becomes `xr_c_quotient(a, b)`, and a rest `xr_c_rest(a, b)`; for floats
that is the division itself.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from xarr.user_kernels.language import KEYWORDS, QUOTIENT, REST
from xarr.user_kernels.tokens import OPENING, Token, macro, tokens

_FLOAT: Final = re.compile(
    r"(?!0[xX])(?:[\d.]+[eE][-+]?\d+|\d*\.\d*)[fFlL]?|0[xX][\da-fA-F.]+[pP]\S*"
)
_CONVERTED: Final = re.compile(r"\(\s*(?:f32|f64|float|double)\s*\)")
_SAFE: Final = re.compile(
    r"\(*\s*(?:0[xX]0*[1-9a-fA-F][\da-fA-F]*|[1-9]\d*)[uUlL]*\s*\)*|sizeof\b.*"
)
_CALLS: Final = {"/": QUOTIENT, "%": REST}
_PREFIXES: Final = frozenset(("+", "-", "!", "~", "&", "*", "++", "--"))
_STATEMENTS: Final = KEYWORDS - {"sizeof"}
_CONDITIONS: Final = frozenset(("if", "while", "for", "switch"))

Refuse = Callable[[int, str, str], ValueError]


class _Operand(NamedTuple):
    """A term of a product: its text, and the name in it that should stand in parentheses."""

    text: str
    bare: str = ""


def sums(text: str, types: Collection[str]) -> frozenset[str]:
    """The macros of a text whose values are more than one term, so that they depend on signs."""

    def refuse(at: int, given: str, remedy: str) -> ValueError:
        return ValueError(given)

    return frozenset(
        found.name
        for token in tokens(text)
        if token.kind == "line"
        and (found := macro(token))
        and not Divisions(token.text, types, (), refuse).is_term(found.body)
    )


class Divisions:
    """A text whose divisions are made calls.

    types : collection of str -- The words of which the names of types are made.
    sums : collection of str -- The macros whose values are more than one term.
    refuse : callable -- Makes the error of a place, what is there, and what to do.
    """

    def __init__(
        self, text: str, types: Collection[str], sums: Collection[str], refuse: Refuse
    ) -> None:
        self._types = types
        self._refuse = refuse
        self._sums = sums
        self._bare: Collection[str] = frozenset()  # parameters of the macro that is read
        self._text = text
        self._begin(text, 0)

    def _begin(self, text: str, offset: int) -> None:
        self._tokens = [*tokens(text, offset)]
        self._at = 0

    def of_statements(self) -> str:
        """The text of statements, as in the body of a function."""
        return self._sequence("")

    def of_declarations(self) -> str:
        """The text of a file: what is outside the bodies of functions stays as it is."""
        made, last = list[str](), ""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.text == "{" and last == ")":
                made.append(self._group())
            elif token.text in OPENING:
                made.append(self._verbatim())
            else:
                made.append(self._line(token) if token.kind == "line" else token.text)
                self._at += 1
            if token.kind not in ("line", "skip"):
                last = made[-1][-1]
        return "".join(made)

    # -- pieces -------------------------------------------------------------------------------

    def _skipped(self) -> str:
        """What stands before the next token that means something."""
        made = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind not in ("line", "skip"):
                break
            made.append(self._line(token) if token.kind == "line" else token.text)
            self._at += 1
        return "".join(made)

    def _next(self, further: int = 0) -> str:
        """The token that comes next, after `further` others; "" at the end."""
        for number in range(self._at, len(self._tokens)):
            token = self._tokens[number]
            if token.kind not in ("line", "skip"):
                if further == 0:
                    return token.text
                further -= 1
        return ""

    def _take(self) -> str:
        """The next token, with what stands before it."""
        before = self._skipped()
        if self._at == len(self._tokens):
            return before
        self._at += 1
        return before + self._tokens[self._at - 1].text

    def _verbatim(self) -> str:
        """A group in brackets as it is."""
        closing = [OPENING[self._next()]]
        made = [self._take()]
        while closing and self._at < len(self._tokens):
            text = self._next()
            if text in OPENING:
                closing.append(OPENING[text])
            elif text == closing[-1]:
                closing.pop()
            made.append(self._take())
        return "".join(made)

    def _group(self) -> str:
        """A group in brackets, with its divisions."""
        closing = OPENING[self._next()]
        begin = self._take()
        return begin + self._sequence(closing) + self._take()

    # -- expressions --------------------------------------------------------------------------

    def _sequence(self, stops: str) -> str:
        """What stands before one of the characters `stops`, or the end."""
        made = list[str]()
        is_behind = False  # an operand, so that a sign stands between two
        while (text := self._next()) and (text not in stops or not stops):
            if is_behind and text in _PREFIXES:
                made.append(self._take())
                is_behind = False
                continue
            operand = None if text in _STATEMENTS or self._is_type() else self._operand()
            is_behind = operand is not None
            made.append(self._piece(text) if operand is None else self._product(operand))
        return "".join((*made, self._skipped()))

    def _is_type(self) -> bool:
        """Whether a word of a type comes next that is no conversion, as in C++."""
        return self._next() in self._types and self._next(1) != "("

    def _piece(self, text: str) -> str:
        """A statement's word, a type or an operator."""
        if text in _CALLS:
            self._skipped()
            raise self._half(self._tokens[self._at].at, text)
        if text == "case":
            made = []
            while self._next() not in (":", ""):
                made.append(self._take())
            return "".join(made)
        if text in _CONDITIONS:
            head = self._take()
            return head + (self._group() if self._next() == "(" else "")
        if self._is_type():
            return self._declared()
        return self._group() if text in OPENING else self._take()

    def _declared(self) -> str:
        """A word of a type, and an array's name with its extents, which are constants."""
        made = [self._take()]
        while self._next() == "*":
            made.append(self._take())
        name = self._next()
        if name.isidentifier() and name not in self._types and self._next(1) == "[":
            made.append(self._take())
            while self._next() == "[":
                made.append(self._verbatim())
        return "".join(made)

    def _product(self, first: _Operand) -> str:
        left, bare = first.text, first.bare
        while (sign := self._next()) in ("*", "/", "%"):
            before = self._skipped()
            place = self._tokens[self._at].at
            if self._next(1) == "=":
                if sign == "*":
                    return left + before
                return self._assigned(left, bare, before, sign, place)
            self._at += 1
            right = self._operand()
            if right is None:  # a pointer's `*`, or half of an expression, as macros have it
                if sign != "*":
                    raise self._half(place, sign)
                return f"{left}{before}{sign}"
            if sign == "*" or self._is_safe(left, right.text):
                left = f"{left}{before}{sign}{right.text}"
                bare = bare or right.bare
                continue
            self._require_parentheses(bare or right.bare, place)
            core = left.lstrip()
            lead = left[: len(left) - len(core)]
            before = before if before.strip() or "\n" in before else ""
            left, bare = f"{lead}{_CALLS[sign]}({core}{before},{right.text})", ""
        return left

    def _assigned(self, left: str, bare: str, before: str, sign: str, place: int) -> str:
        """`left /= right` as an assignment of the quotient."""
        self._at += 2
        right = self._sequence(",;)]}:")
        if self._is_safe(left, right):
            return f"{left}{before}{sign}={right}"
        self._require_parentheses(bare, place)
        if re.search(r"\+\+|--|(?<![=!<>])=(?!=)", left):
            raise self._refuse(
                place,
                f"{left.strip()} {sign}= ... would change more than once",
                f"write x = x {sign} ...",
            )
        return f"{left}{before}= {_CALLS[sign]}({left.strip()},{right})"

    def _half(self, place: int, sign: str) -> ValueError:
        """The error of a division of which an operand stands elsewhere, as in a macro's use."""
        return self._refuse(
            place,
            f"{sign} has an operand on one side only",
            f"write both, as in #define OVER(a, b) ((a) {sign} (b))",
        )

    def _require_parentheses(self, name: str, place: int) -> None:
        """Refuse a macro's name whose text would be taken apart by the call."""
        if name:
            raise self._refuse(
                place,
                f"what the macro has for {name} stands beside a division without parentheses",
                f"write ({name}), or the macro's value in parentheses",
            )

    def _is_safe(self, left: str, right: str) -> bool:
        """Whether the compiler's own division of two operands traps for none of their values."""
        left, right = left.strip(), right.strip()
        if _SAFE.fullmatch(right):
            return True
        return any(
            _FLOAT.fullmatch(text.strip("() ")) is not None or _CONVERTED.match(text) is not None
            for text in (left, right)
        )

    def _operand(self) -> _Operand | None:
        """What stands between two operators of a product; None where no such begins."""
        text = self._next()
        made, bare = list[str](), ""
        while text in _PREFIXES or self._is_cast():
            made.append(self._verbatim() if text == "(" else self._take())
            text = self._next()
        if text == "sizeof":
            made.append(self._take())
            if self._next() == "(":
                made.append(self._verbatim())
                return _Operand("".join(made))
            text = self._next()
        if text == "(":
            made.append(self._group())
        elif text and (text[0].isalnum() or text[0] in "_.\"'") and text not in _STATEMENTS:
            if text == "." or (not made and self._is_type()):
                return None
            made.append(self._take())
            bare = text if text in self._bare or text in self._sums else ""
        elif not made:
            return None
        while (text := self._next()) in ("(", "[", ".", "->", "++", "--"):
            made.append(self._group() if text in OPENING else self._take())
            if text in (".", "->"):
                made.append(self._take())
        return _Operand("".join(made), bare)

    def _is_cast(self) -> bool:
        """Whether a type in parentheses comes next."""
        if self._next() != "(" or self._next(1) not in self._types:
            return False
        further = 1
        while (text := self._next(further)) in self._types or text == "*":
            further += 1
        return text == ")"

    # -- macros -------------------------------------------------------------------------------

    def is_term(self, begin: int) -> bool:
        """Return whether the text from a place on is one term, which no sign beside it splits."""
        self._begin(self._text, begin)
        with contextlib.suppress(ValueError):
            return self._operand() is not None and not self._next()
        return False

    def _line(self, token: Token) -> str:
        """A directive; the value of a macro with its divisions."""
        found = macro(token)
        if found is None or not re.search("[/%]", token.text[found.body :]):
            return token.text
        outer = self._tokens, self._at, self._bare

        def refuse(at: int, given: str, remedy: str) -> ValueError:
            return outer_refuse(token.at + at, given, remedy)

        outer_refuse, self._refuse = self._refuse, refuse
        self._begin(token.text, found.body)
        self._bare = found.parameters
        made = token.text[: found.body] + self._sequence("")
        self._tokens, self._at, self._bare = outer
        self._refuse = outer_refuse
        return made
