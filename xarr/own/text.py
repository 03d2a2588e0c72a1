"""The C of a program's own kernels, made portable and into library functions.

The text is the C that OpenCL C and CUDA C share. Words for data types and the names of mathematical
functions are replaced by xarr's, so that the same text has the same bits on every device; words
that only one of the languages has are refused, with their line.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from xarr import dtypes, errors
from xarr.compiler import source
from xarr.tables import elementwise

_TOKEN: Final = re.compile(
    r"(?P<line>(?m:^)[ \t]*\#(?:[^\n\\]|\\.)*)"
    r"|(?P<skip>//[^\n]*|/\*.*?\*/|[^\S\n]+|\n)"
    r'|(?P<text>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')'
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign>->|.)",
    re.DOTALL,
)

_TYPES: Final = {
    "bool": "int",
    "half": None,
    "int8_t": "i8",
    "int16_t": "i16",
    "int32_t": "i32",
    "int64_t": "i64",
    "uint8_t": "u8",
    "uint16_t": "u16",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "size_t": "u64",
    "ptrdiff_t": "i64",
    "ssize_t": "i64",
    "true": "1",
    "false": "0",
}
"""xarr's types for C's words, whose sizes differ from device to device."""

_DROPPED: Final = frozenset(("__device__", "__forceinline__", "__inline__", "inline", "static"))
"""Qualifiers of functions in CUDA C; `DEVICE` stands for them in both languages."""

_CUDA: Final = re.compile(
    r"__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic[A-Z]\w*|template|typename|class"
    r"|namespace|using|auto|new|delete|operator|static_cast|reinterpret_cast|const_cast|complex"
    r"|thrust|std|cooperative_groups|constexpr|decltype|nullptr"
)
_OPENCL: Final = re.compile(
    r"get_\w+_(?:id|size|offset|dim)|barrier|mem_fence|atomic_\w+|atom_\w+|convert_\w+|as_\w+"
    r"|vload\w+|vstore\w+|global|local|constant|private|kernel|clamp|mix|step|smoothstep|mad"
    r"|(?:char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(?:2|3|4|8|16)"
    r"|native_\w+|half_\w+|select|bitselect|isequal|any|all|uchar|ushort|ulong|goto"
)

_MATHEMATICS: Final = frozenset(
    (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh"),
        *("cbrt", "copysign", "cos", "cosh", "exp", "exp2", "expm1"),
        *("fmax", "fmin", "fmod", "hypot", "log", "log10", "log1p"),
        *("log2", "nextafter", "pow", "sin", "sinh", "tan", "tanh"),
    )
)
"""C's functions that rows of the table compute, so with the same bits everywhere."""
_OF_C: Final = ("ceil", "fabs", "floor", "fma", "rint", "sqrt", "trunc")
"""Those that both languages have, with the same bits."""
_OF_INTEGERS: Final = ("abs", "max", "min")
_PREFIX: Final = "xr_c_"
_FLOATS: Final = (dtypes.float32, dtypes.float64)
_NUMBERS: Final = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64, *_FLOATS)


_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Token(NamedTuple):
    """A piece of C, what kind it is, and where it begins."""

    kind: str
    text: str
    at: int


def tokens(text: str) -> Iterator[Token]:
    """The pieces of a text, spaces and comments included."""
    for match in _TOKEN.finditer(text):
        yield Token(match.lastgroup or "", match.group(), match.start())


def words(text: str) -> frozenset[str]:
    """The names that a text mentions."""
    return frozenset(token.text for token in tokens(text) if token.kind == "word")


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

    def portable(self, names: Mapping[str, str], *, has_float64: bool) -> str:
        """The text with names replaced, and C's types and functions by those of every device."""
        made = []
        before = ""
        pieces = list(tokens(self._with_wide_integers()))
        for number, token in enumerate(pieces):
            text = token.text
            if token.kind == "word" and before not in (".", "->"):
                text = self._word(token, pieces[number + 1 :], names, has_float64)
            elif token.kind == "line":
                text = "".join(
                    self._word(piece, (), names, has_float64)
                    if piece.kind == "word" and piece.text not in _DIRECTIVES
                    else piece.text
                    for piece in tokens(text.replace("#", " ", 1))
                ).replace(" ", "#", 1)
            if token.kind != "skip":
                before = text
            made.append(text)
        return "".join(made)

    def _with_wide_integers(self) -> str:
        return _WIDE.sub(
            lambda match: ("u64" if "unsigned" in match.group() else "i64").ljust(
                len(match.group())
            ),
            self.text,
        )

    def _word(self, token: Token, rest: object, names: Mapping[str, str], has_float64: bool) -> str:
        word = token.text
        if word in names:
            return names[word]
        if word in _DROPPED:
            return ""
        if word in _TYPES:
            meant = _TYPES[word]
            if meant is None:
                raise self.refuse(token.at, f"{word} is no type of C", "compute in float")
            return meant
        stem = word.removesuffix("f") if word.removesuffix("f") in _FUNCTIONS else word
        if stem in _MATHEMATICS or stem in _OF_INTEGERS:
            return f"{_PREFIX}{stem}{'' if has_float64 else _NARROW}"
        if stem in _OF_C:
            return stem
        if word == "printf":  # PoCL 3.0 ends the process at the launch
            raise self.refuse(token.at, "kernels that fuse do not print", "use RawKernel")
        for pattern, language, other in ((_CUDA, "CUDA C", "OpenCL C"), (_OPENCL, *_SWAPPED)):
            if pattern.fullmatch(word):
                raise self.refuse(
                    token.at,
                    f"{word} is a word of {language} that {other} has not",
                    "write what both have; see kernels/README.md, or use RawKernel",
                )
        return word


_SWAPPED: Final = ("OpenCL C", "CUDA C")
_NARROW: Final = "_narrow"
_FUNCTIONS: Final = frozenset((*_MATHEMATICS, *_OF_C))
_DIRECTIVES: Final = frozenset(
    ("define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "line", "pragma")
)
_WIDE: Final = re.compile(
    r"\b(?:(?:unsigned|signed)[ \t]+)?long(?:[ \t]+long)?(?:[ \t]+(?:unsigned[ \t]+)?int)?\b"
)


def definitions(text: str, suffix: str) -> tuple[str, str, dict[str, str]]:
    """A preamble as functions of the device, what ends it, and new names for what it defines.

    Kernels that are fused stand in one text, so each has names of its own: those of functions and
    structures are renamed, macros end with the text.
    """
    made, names, macros = list[str](), dict[str, str](), list[str]()
    depth = 0
    begin: int | None = None  # of the definition, among `made`
    called = ""
    is_type = ""
    for token in tokens(text):
        if token.kind == "line":
            found = re.match(r"\s*#\s*define\s+(\w+)", token.text)
            if found is not None:
                macros.append(found[1])
        elif token.kind != "skip":
            if depth == 0 and begin is None:
                begin, called = len(made), ""
                is_type = token.text if token.text in ("typedef", "struct") else ""
            if depth == 0 and token.text == "(" and not called:
                called = next(piece for piece in reversed(made) if _NAME.fullmatch(piece))
            if depth == 0 and token.text == "{" and called and begin is not None:
                made.insert(begin, "DEVICE ")
                names[called] = f"{called}_{suffix}"
            ends = ("{", ";") if is_type == "typedef" else ("{",)
            if depth == 0 and is_type and token.text in ends:  # a structure, or its typedef
                called_so = next(piece for piece in reversed(made) if _NAME.fullmatch(piece))
                if called_so != "struct":
                    names[called_so] = f"{called_so}_{suffix}"
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            if depth == 0 and (token.text == ";" or (token.text == "}" and called)):
                begin, called = None, ""
        made.append(token.text)
    ended = "".join(f"#undef {name}\n" for name in macros)
    return "".join(made), ended, names


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

    def published(self, *, has_float64: bool) -> str:
        """The function's name, after kernels that mention it were given its text."""
        named = functools.partial(Text.portable, has_float64=has_float64)
        preamble, ended, renamed = definitions(named(self.preamble, names=self.names), "xr_own")
        names = {**self.names, **renamed}
        pieces = [
            f"{_numbered(text.where)}{named(text, names=names)}\n;"
            for text in self.statements
            if text.text.strip()
        ]
        body = "\n".join((self.begin, "do {", *pieces, _numbered("xarr"), "} while (0);", self.end))
        head = ", ".join(self.parameters)
        mark = hashlib.sha256(repr((self, preamble, body, has_float64)).encode()).hexdigest()[:16]
        name = f"xr_own_{mark}"
        if name not in source.own:
            begin = f"{_numbered(self.preamble.where)}{preamble}\n" if preamble.strip() else ""
            for word in renamed:
                begin = re.sub(rf"\b{word}\b", f"{word}_xr_own", begin)
            text = f"{begin}DEVICE {self.result} {name}({head})\n{{\n{body}\n}}\n{ended}"
            text = re.sub(r"\b(\w+)_xr_own\b", rf"\1_{mark}", text)
            for word in words(text):
                if word.startswith(_PREFIX):
                    _mathematical(word)
            source.own[name] = text
        return name


def _numbered(name: str) -> str:
    """The directive after which compilers count lines as those of a text."""
    return f'#line 1 "{name}"\n'


@functools.cache
def _mathematical(word: str) -> None:
    """Define one of C's functions for each type that it takes."""
    name = word.removeprefix(_PREFIX).removesuffix(_NARROW)
    types = _NUMBERS if name in _OF_INTEGERS else _FLOATS
    two = name in ("max", "min") or elementwise.BY_NAME.get(name, _ONE).operands == 2
    lines, kinds = list[str](), list[str]()
    for row in types:
        if word.endswith(_NARROW) and row is dtypes.float64:
            continue
        kind = row.compute
        given = f"{kind} x1, {kind} x2" if two else f"{kind} x"
        kinds.append(kind)
        body = _expression(name, row)
        lines.append(f"DEVICE {kind} OVERLOADED({word}, {kind})({given}) {{ return {body}; }}")
    # C11 has no overloading, but expressions that choose by a type; of two operands the common one.
    given, chosen = ("x1, x2", "(x1) + (x2)") if two else ("x", "(x)")
    chosen += "".join(f", {kind}: OVERLOADED({word}, {kind})" for kind in kinds)
    lines += ["#ifdef XR_CHOSEN", f"#define {word}({given}) _Generic({chosen})({given})", "#endif"]
    source.own[word] = "\n".join(lines)


_ONE: Final = elementwise.BY_NAME["sqrt"]


def _expression(name: str, row: dtypes.DType) -> str:
    if name == "max":
        return "x1 < x2 ? x2 : x1"
    if name == "min":
        return "x2 < x1 ? x2 : x1"
    if name == "abs":
        signed = "fabs(x)" if row.kind == dtypes.REAL else "x < 0 ? -x : x"
        return "x" if row.kind == dtypes.UNSIGNED else signed
    operation = elementwise.BY_NAME[name].operation(row)
    return operation.template.format(*(("x1", "x2") if len(operation.operands) == 2 else ("x",)))
