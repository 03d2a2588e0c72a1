"""The C of a program's own kernels, made portable and into library functions.

The text is the C that `language` has the words of. They are replaced by xarr's, so that the same
text has the same bits on every device; what is not among them is refused, with its line.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from xarr import errors
from xarr.codegen import source
from xarr.user_kernels import language
from xarr.user_kernels.division import Divisions, sums
from xarr.user_kernels.tokens import Token, macro, tokens, without_comments, words

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_DIRECTIVES: Final = frozenset(
    ("define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "defined")
)
_IGNORED: Final = re.compile(r"\s*#\s*(?:line|pragma|error|warning)\b")
_WIDE: Final = re.compile(
    r"\b(?:(?:unsigned|signed|int)[ \t]+)*long(?:[ \t]+(?:unsigned|signed|int|long))*\b"
)
_WIDE_NUMBER: Final = re.compile(r"(0[xX][\da-fA-F]+|\d+)(?:([uU])?(?:ll?|LL?)|(?:ll?|LL?)([uU]))")
_COMPOUND: Final = ("struct", "union", "enum")
_SHARED: Final = "is not in the C that all devices share"


class Names(NamedTuple):
    """The names that a text defines.

    called : frozenset of str -- Functions, and macros.
    types : frozenset of str -- Types.
    variables : frozenset of str -- Parameters, variables and fields.
    sums : frozenset of str -- Macros whose values are more than one term.
    applied : frozenset of str -- What stands before a parenthesis, outside macros.
    """

    called: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    sums: frozenset[str] = frozenset()
    applied: frozenset[str] = frozenset()

    def __or__(self, other: object) -> Names:
        assert isinstance(other, Names)
        return Names(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


class _Piece(NamedTuple):
    """A token that means something, with those before and after it."""

    token: Token
    before: str
    after: str
    between: bool  # whether it is an argument by itself
    wrapped: bool = False  # whether it is called from parentheses of its own, `(f)(x)`


def _pieces(found: Sequence[Token]) -> list[_Piece]:
    """The tokens, each with its neighbours; comments and spaces have none."""
    solid = ["", "", *(token.text for token in found if token.kind not in ("line", "skip"))]
    made, number = list[_Piece](), 2
    for token in found:
        if token.kind in ("line", "skip"):
            made.append(_Piece(token, "", "", False))
            continue
        before = solid[number - 1]
        after = solid[number + 1] if number + 1 < len(solid) else ""
        around = solid[number - 2 : number + 3]
        wrapped = before == "(" and after == ")" and around[4:] == ["("]
        wrapped = wrapped and (around[0] == "return" or not re.match(r"\w|[\])]", around[0]))
        between = before in ("(", ",") and after in (",", ")")
        made.append(_Piece(token, before, after, between, wrapped))
        number += 1
    return made


def names_of(text: str, types: frozenset[str] = frozenset()) -> Names:
    """The names that a text defines; `types` are those that it may use."""
    called, made, variables, applied = set[str](), set(types), set[str](), set[str]()
    kinds = set(language.TYPE_WORDS) | made
    is_typedef, last_type, depth, last = False, False, 0, ""
    for token, before, after, *_ in _pieces([*tokens(text)]):
        if token.kind == "line":
            found = macro(token)
            called |= {found.name} if found else set()
        elif token.kind == "word":
            word = token.text
            applied |= {word} if after == "(" else set()
            is_typedef = is_typedef or (word == "typedef" and depth == 0)
            last = word if depth == 0 else last
            follows = before in kinds or (before == "*" and last_type)
            if follows and word not in kinds and word not in language.KEYWORDS:
                (called if after == "(" else variables).add(word)
            elif after == "(" and _NAME.fullmatch(before) and before not in language.KEYWORDS:
                called.add(word)
            last_type = word in kinds
        elif token.kind != "skip":
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            last_type = last_type and token.text == "*"
            if token.text == ";" and depth == 0 and is_typedef:
                made.add(last)
                kinds.add(last)
                is_typedef = False
    of_several = sums(text, kinds)
    return Names(*map(frozenset, (called, made, variables, of_several, applied)))


class Text:
    """A piece of a program's C, with a name that errors and compilers give it."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.text = text

    def __repr__(self) -> str:
        return repr((self.where, self.text))

    def refuse(self, at: int, given: str, remedy: str) -> ValueError:
        """The error of what stands at a place, with its line and a mark below it."""
        begin = self.text.rfind("\n", 0, at) + 1
        line = self.text[begin:].split("\n", 1)[0]
        place = f"line {self.text.count(chr(10), 0, at) + 1}, column {at - begin + 1}"
        shown = f"\n    {line}\n    {' ' * (at - begin)}^"
        return ValueError(errors.message(f"{self.where}, {place}", given, remedy) + shown)

    # -- what is refused ----------------------------------------------------------------------

    def require_portable(self, names: Names, *, by_items: bool = False, gives: bool = True) -> None:
        """Refuse words that not every device has, and calls of what nobody defines.

        Parameters
        ----------
        names : Names -- What this text and those before it define.
        by_items : bool -- Whether the text is launched by grid and block.
        gives : bool -- Whether ``return`` may give a value.
        """
        for piece in _pieces([*tokens(self.text)]):
            if piece.token.kind == "line":
                self._require_directive(piece.token, names, by_items)
            elif piece.token.kind == "word":
                self._require_word(piece, names, by_items)
                if piece.token.text == "return" and piece.after != ";" and not gives:
                    raise self.refuse(
                        piece.token.at,
                        "return has a value",
                        "give it to an output, as y = x; return",
                    )

    def _require_directive(self, line: Token, names: Names, by_items: bool) -> None:
        if _IGNORED.match(line.text):
            return
        found = macro(line)
        begin = found.body if found else line.text.index("#") + 1
        is_called = found and found.name in names.applied and line.text[begin - 1] != ")"
        if found:
            names = names | Names(called=found.parameters)
        for piece in _pieces([*tokens(line.text, begin)]):
            if piece.token.kind == "word" and piece.token.text not in _DIRECTIVES:
                at = line.at + piece.token.at
                # The last word of a macro that is called is a function by another name.
                after = "(" if is_called and piece.after == "" else piece.after
                moved = piece._replace(token=piece.token._replace(at=at), after=after)
                self._require_word(moved, names, by_items)

    def _require_word(self, piece: _Piece, names: Names, by_items: bool) -> None:
        (_, word, at), before, after, *_ = piece
        if before in (".", "->") or word in names.called:
            return
        if word in language.QUALIFIERS or word in language.SYNONYMS:
            return
        remedy = functools.partial(language.instead, word, names.called, by_items=by_items)
        if language.foreign(word):
            raise self.refuse(at, f"{word} {_SHARED}", remedy())
        if not (after == "(" or piece.wrapped) or word in language.KEYWORDS:
            return
        if word in language.TYPE_WORDS or word in names.types:
            return
        if language.is_function(word):
            if piece.wrapped:
                raise self.refuse(at, f"({word})(...) is no call by name", f"write {word}(...)")
            return
        if word not in language.ITEMS:
            raise self.refuse(at, f"{word}(...) {_SHARED}", remedy())
        if not by_items:
            raise self.refuse(
                at, f"{word}(...) is for kernels that are launched", "write i, or a RawKernel"
            )

    # -- what is replaced ---------------------------------------------------------------------

    def portable(
        self,
        replaced: Mapping[str, str],
        names: Names,
        *,
        has_float64: bool,
        at_return: str | None = None,
        is_file: bool = False,
    ) -> str:
        """The text in xarr's words.

        Parameters
        ----------
        replaced : Mapping -- What words of the text stand for.
        names : Names -- What this text and those before it define.
        has_float64 : bool -- Whether the device has float64.
        at_return : str or None -- Statements in the place of ``return;``.
        is_file : bool -- Whether the text consists of definitions, not of statements.
        """
        text = self.text
        if re.search("[/%]", without_comments(text)):
            divisions = Divisions(text, language.TYPE_WORDS | names.types, names.sums, self.refuse)
            text = divisions.of_declarations() if is_file else divisions.of_statements()
        text = _WIDE.sub(
            lambda match: ("u64" if "unsigned" in match[0] else "i64").ljust(len(match[0])), text
        )
        words = _Words(replaced, names, has_float64)
        made, ended = list[str](), False
        for piece in _pieces([*tokens(text)]):
            token = piece.token
            if ended and token.text == ";":
                ended = False
            elif token.kind == "line":
                made.append(words.of_directive(token))
            elif token.text == "return" and piece.after == ";" and at_return is not None:
                made.append(f"{{ {at_return} }}")
                ended = True
            else:
                made.append(words.of(piece))
        return "".join(made)


class _Words:
    """What the words of a text become."""

    def __init__(self, replaced: Mapping[str, str], names: Names, has_float64: bool) -> None:
        self._replaced = replaced
        self._names = names
        self._has_float64 = has_float64
        self._types = language.TYPE_WORDS | names.types

    def of(self, piece: _Piece, *, is_value: bool = False) -> str:
        """What a token becomes; `is_value` says that it is of a macro's value."""
        word, before = piece.token.text, piece.before
        if wide := _WIDE_NUMBER.fullmatch(word):  # C's suffixes have other sizes elsewhere
            return f"XR_WIDE{'_U' if wide[2] or wide[3] else ''}({wide[1]})"
        if piece.token.kind != "word" or before in (".", "->"):
            return word
        if word in language.QUALIFIERS:
            return ""
        made = self._replaced.get(word)
        if made is None:
            made = self._of_language(piece, is_value)
        is_cast = piece.after == "(" and word in self._types and before not in self._types
        return f"({made})" if is_cast and before not in ("sizeof", "typedef") else made

    def _of_language(self, piece: _Piece, is_value: bool) -> str:
        word = piece.token.text
        if word == "sizeof":
            return "(u64)sizeof"
        names = self._names
        is_own = word in names.called or (word in names.variables and piece.after != "(")
        if is_own:
            return word
        made = language.replaced(word, has_float64=self._has_float64)
        if made is None:
            return word
        if made.startswith(language.PREFIX) and not (
            piece.after == "(" or is_value or piece.between
        ):
            return word
        return made

    def of_directive(self, line: Token) -> str:
        """What a directive becomes."""
        if _IGNORED.match(line.text):
            return line.text
        found = macro(line)
        begin = found.body if found else line.text.index("#") + 1
        names = self._names
        if found:
            self._names = names | Names(called=found.parameters)
        made = [line.text[:begin]]
        for piece in _pieces([*tokens(line.text, begin)]):
            is_directive = piece.token.text in _DIRECTIVES
            made.append(piece.token.text if is_directive else self.of(piece, is_value=True))
        self._names = names
        return "".join(made)


def definitions(text: str, suffix: str) -> tuple[str, str, dict[str, str]]:
    """A preamble as functions of the device, what ends it, and new names for what it defines.

    Kernels that are fused stand in one text, so each has names of its own: those of functions,
    types and constants are renamed, macros end with the text.
    """
    made, names, macros = list[str](), dict[str, str](), list[str]()
    depth = 0
    begin: int | None = None  # of the definition, among `made`
    called = ""
    is_type = ""
    last = ""
    for token in tokens(text):
        if token.kind == "line":
            found = macro(token)
            if found is not None:
                macros.append(found.name)
        elif token.kind != "skip":
            if depth == 0 and begin is None:
                begin, called = len(made), ""
                is_type = token.text if token.text in ("typedef", *_COMPOUND) else ""
            if depth == 0 and token.text == "(" and not called and not is_type:
                called = next((piece for piece in reversed(made) if _NAME.fullmatch(piece)), "")
            is_constant = depth == 0 and not is_type and not called and "const" in made[begin:]
            is_enumerator = (
                depth == 1 and not called and last in ("{", ",") and "enum" in made[begin:]
            )
            named = token.text if is_enumerator else last
            is_named = is_enumerator or (is_constant and token.text in ("=", "["))
            if is_named and _NAME.fullmatch(named):
                names[named] = f"{named}_{suffix}"
            if is_constant and token.text == ";":
                made.insert(begin or 0, "XR_CONSTANT ")
            if depth == 0 and token.text in ("{", ";") and called and begin is not None:
                head = made[begin:]
                if "KERNEL" not in head and "=" not in head:
                    made.insert(begin, "DEVICE ")
                    names[called] = f"{called}_{suffix}"
            ends = ("{", ";") if is_type == "typedef" else ("{",)
            if depth == 0 and is_type and token.text in ends:  # a structure, or its typedef
                called_so = next(piece for piece in reversed(made) if _NAME.fullmatch(piece))
                if called_so not in _COMPOUND:
                    names[called_so] = f"{called_so}_{suffix}"
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            if depth == 0 and (token.text == ";" or (token.text == "}" and called)):
                begin, called = None, ""
            last = token.text
        made.append(token.text)
    ended = "".join(f"#undef {name}\n" for name in macros)
    return "".join(made), ended, names


def require_portable(
    preamble: Text, statements: Sequence[Text], parameters: Sequence[tuple[str, str]]
) -> None:
    """Refuse what is not portable in the texts of a kernel, with parameters of types and names."""
    names = _names_of((preamble, *statements), dict(parameters))
    preamble.require_portable(names)
    for text in statements:
        text.require_portable(names, gives=False)


def _names_of(texts: Sequence[Text], parameters: Mapping[str, str]) -> Names:
    """The names that texts define together; `parameters` are names by their types."""
    types = frozenset(kind for kind in parameters if len(kind) == 1)
    found = names_of("\n".join(text.text for text in texts), types)
    return found | Names(variables=frozenset(parameters.values()))


class Function(NamedTuple):
    """A function of the device that a program's statements make.

    result : str -- The type of C that it returns.
    parameters : tuple of str -- As they are declared.
    begin, end : str -- Statements of xarr's around the program's.
    statements : tuple of Text -- The program's.
    preamble : Text -- What they need.
    names : Mapping -- What words of theirs stand for.
    """

    result: str
    parameters: tuple[str, ...]
    begin: str
    statements: tuple[Text, ...]
    end: str
    preamble: Text
    names: Mapping[str, str]

    def published(self, *, has_float64: bool) -> source.OwnText:
        """Give kernels that mention the function its text, which they have while you hold it."""
        known = names_of(
            "\n".join(text.text for text in (self.preamble, *self.statements)),
            frozenset(self.names),
        )
        head = ", ".join(self.parameters)
        known = known | Names(variables=words(head) | words(self.begin))
        given = self.preamble.portable(self.names, known, has_float64=has_float64, is_file=True)
        preamble, ended, renamed = definitions(given, "xr_own")
        names = {**self.names, **renamed}
        # What comes after the operation is left out where that returns.
        at_return = " ".join((*self.end.split("\n"), *(["return;"] * (self.result == "void"))))
        pieces = [
            _numbered(text.where)
            + text.portable(names, known, has_float64=has_float64, at_return=at_return)
            + "\n;"
            for text in self.statements
            if text.text.strip()
        ]
        body = "\n".join((self.begin, "do {", *pieces, _numbered("xarr"), "} while (0);", self.end))
        content = repr((self, preamble, body, has_float64)).encode()
        # Digits, since words such as `acc` are replaced in what calls it.
        mark = int.from_bytes(hashlib.sha256(content).digest()[:8], "little")
        name = f"xr_own_{mark}"
        found = source.own.get(name)
        if found is None:
            begin = f"{_numbered(self.preamble.where)}{preamble}\n" if preamble.strip() else ""
            for word in renamed:
                begin = re.sub(rf"\b{word}\b", f"{word}_xr_own", begin)
            text = f"{begin}DEVICE {self.result} {name}({head})\n{{\n{body}\n}}\n{ended}"
            text = re.sub(r"\b(\w+)_xr_own\b", rf"\1_{mark}", text)
            language.define(text)
            source.own[name] = found = source.OwnText(text)
            found.name = name
        return found


def _numbered(name: str) -> str:
    """The directive after which compilers count lines as those of a text."""
    return f'#line 1 "{name}"\n'
