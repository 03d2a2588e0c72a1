"""From `kernels/` and a block of `#define` lines to the text that a compiler sees.

A kernel source is: the defines that specialise it, the dialect's header, the library functions that
the kernel uses (with those they call), and the skeleton. Library functions are written once for
many types, with the words T, U, I and C in place of types; a name such as `xr_add_i32` asks for the
function `xr_add_T` with T = i32. `kernels/README.md` describes the C.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from xarr import dtypes
from xarr.memo import listed, memo

SCHEMA: Final = "1"
"""Part of the disk key: raised when the meaning of a source changes without its text changing."""

FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "kernels")
DIALECTS: Final = {"opencl": "opencl.h", "cuda": "cuda.h", "c": "c.h"}

_INTEGERS: Final = frozenset(row.compute for row in dtypes.TABLE if row.kind in dtypes.INTEGER)
_FLOATS: Final = frozenset(row.compute for row in dtypes.TABLE if row.kind == dtypes.REAL)
_PART: Final = {row.compute: part.compute for row, part in dtypes.PART.items()}
_ANY: Final = frozenset(row.compute for row in dtypes.TABLE)

PRELUDES: Final = {
    "reduce_lane.c": ("fold.h", "columns.h", "piece_lane.h"),
    "reduce_group.c": ("fold.h", "columns.h", "piece_group.h"),
    "rows_lane.c": ("fold.h", "piece_lane.h"),
    "rows_group.c": ("fold.h", "piece_group.h"),
    "scan.c": ("fold.h",),
    "scan_tile.c": ("fold.h",),
    "fft.c": ("roots.h",),
    "rfft.c": ("roots.h",),
    "sort.c": ("keys.h", "sort_tile.h"),
    "sort_count.c": ("keys.h", "sort_tile.h"),
    "sort_search.c": ("keys.h",),
}
"""The files that go before some skeletons, as a source has no #include."""

LIBRARY: Final[Mapping[str, frozenset[str]]] = {
    "integer.h": _INTEGERS,
    "real.h": _FLOATS,
    "own.h": _FLOATS,
    "half.h": _FLOATS,
    "binning.h": _FLOATS,
    "cast.h": _FLOATS,
    "exp.h": _FLOATS,
    "log.h": _FLOATS,
    "trig.h": _FLOATS,
    "hyperbolic.h": _FLOATS,
    "power.h": _FLOATS,
    "special.h": _FLOATS,
    "bessel.h": _FLOATS,
    "complex.h": _FLOATS,
    "butterflies.h": _FLOATS,
    "philox.h": _FLOATS,
    "distributions.h": _FLOATS,
    "reductions.h": _ANY,
}
"""The files of library functions, and the types that T stands for in each."""

_UNIT: Final = re.compile(r"^(?:DEVICE|typedef struct)\b.*?^\}[^\n]*$", re.MULTILINE | re.DOTALL)
_FUNCTION: Final = re.compile(r"(\w+)\(")
_STRUCTURE: Final = re.compile(r"\}\s*(\w+);")
_PRELUDE: Final = re.compile(r"^#ifndef XR_ASSEMBLED\n.*?^#endif\n", re.MULTILINE | re.DOTALL)
_WORD: Final = re.compile(r"\b[A-Za-z_]\w*\b")
_OPERATOR: Final = re.compile(r"[-+*/%&|^~<>=!?]+")
_NAME: Final = re.compile(r"\bxr_\w+\b")


@dataclass(frozen=True, slots=True)
class Unit:
    """A library function or structure, as written in `kernels/`."""

    name: str
    text: str
    types: frozenset[str]


@memo
def kernel_file(name: str) -> str:
    """Return the text of a file of `kernels/`."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


@memo
def library() -> Mapping[str, tuple[Unit, ...]]:
    """Return all library units by their name as written; `xr_add_T` may stand in several files."""
    units: dict[str, tuple[Unit, ...]] = {}
    for file, types in LIBRARY.items():
        for match in _UNIT.finditer(_PRELUDE.sub("", kernel_file(file))):
            text = match.group()
            sought = _FUNCTION if text.startswith("DEVICE") else _STRUCTURE
            name = next(sought.finditer(text))[1]
            units[name] = (*units.get(name, ()), Unit(name, text, types))
    return units


def _tokens(suffix: str) -> dict[str, str]:
    """Map the type words T, U, I and C to types, for a name that ends in a type's name."""
    part = _PART.get(suffix, suffix)
    width = part.lstrip("bfiu")
    words = {"T": part, "U": f"u{width}", "I": f"i{width}"}
    for whole, its_part in _PART.items():
        if its_part == part:
            words["C"] = whole
    return words


def _specialise(text: str, words: Mapping[str, str]) -> str:
    """Replace the type words, alone and at the end of names."""

    def replace(match: re.Match[str]) -> str:
        word = match.group()
        if word in words:
            return words[word]
        stem, _, last = word.rpartition("_")
        return f"{stem}_{words[last]}" if stem[:2] in ("xr", "XR") and last in words else word

    return _WORD.sub(replace, text)


def specialised(text: str, suffix: str) -> str:
    """Specialise a C expression for a type: `xr_exp_T(` becomes `xr_exp_f32(`, `(T)` `(f32)`."""
    return _specialise(text, _tokens(suffix))


class OwnText(str):
    """The text of a function that a program's own kernel defines; `name` is the function's."""

    __slots__ = ("__weakref__", "name")

    name: str


own: Final = WeakValueDictionary[str, OwnText]()
"""The text of functions of own kernels, by name; a name has one text.

What may still become the source of a kernel keeps it: the own kernel and its `Fold`.
"""
listed("codegen.source.own", 0, lambda: [own])

chosen: Final = dict[str, str]()
"""The text of the functions that own kernels may call for several types, by name."""


def unit(name: str) -> str | None:
    """Return the text that defines `name`; None if a dialect or the kernel itself defines it."""
    return _unit_of_own(name) or _library_text(name)


def _unit_of_own(name: str) -> str | None:
    return own.get(name) or chosen.get(name)


def _library_text(name: str) -> str | None:
    units = library()
    if name in units:
        return units[name][0].text
    stem, _, suffix = name.rpartition("_")
    if suffix not in _ANY:
        return None
    words = _tokens(suffix)
    for token in ("C",) if suffix in _PART else ("T", "U", "I"):
        for candidate in units.get(f"{stem}_{token}", ()):
            if words["T"] in candidate.types:
                return _specialise(candidate.text, words)
    return None


def required(text: str) -> list[str]:
    """Return the library text that `text` needs, each unit after those it needs itself."""
    return _units_of(_NAME.findall(text))


def _units_of(names: Iterable[str]) -> list[str]:
    found = [(one, _unit_of_own(one)) for one in names]
    units = [_library_units(one) if text is None else _after_requirements(one, text)
             for one, text in found]  # fmt: skip
    return list(dict.fromkeys(part for parts in units for part in parts))


@memo
def _library_units(name: str) -> tuple[str, ...]:
    """Return a unit's text after that of the units it needs; () for a name that is no unit."""
    found = _library_text(name)
    return () if found is None else _after_requirements(name, found)


def _after_requirements(name: str, found: str) -> tuple[str, ...]:
    return (*_units_of(other for other in _NAME.findall(found) if other != name), found)


def operations(defines: Iterable[str]) -> int:
    """Estimate how many operations specialise a kernel, by the operators in its defines.

    Those of the library functions that these need are counted, once each.
    """
    block = "\n".join(defines)
    return len(_OPERATOR.findall("\n".join((block, *required(block)))))


def inlined(text: str) -> int:
    """Count the characters of library functions in an expression, as if each call were inlined."""
    found = 0
    for name in _NAME.findall(text):
        code = unit(name)
        if code is not None:
            found += len(code) + inlined(code.replace(name, ""))
    return found


def define(name: str, lines: Iterable[str]) -> str:
    """Write one `#define` whose value is several lines of C."""
    return f"#define {name} " + " \\\n    ".join(lines)


def preamble(code: str, dialect: str, *, has_float64: bool) -> list[str]:
    """Return the text before C code: the dialect and the library functions that the code calls."""
    return [
        "#define XR_ASSEMBLED 1",
        f"#define XR_BARRIERS {int('BARRIER' in code)}",
        *(["#define XR_FLOAT64 1"] if has_float64 else []),
        kernel_file(DIALECTS[dialect]),
        *required(code),
    ]


STAGES: Final = "XR_STAGES"
"""The line of a skeleton in whose place the defines come that follow this one."""


def assemble(
    skeleton: str, dialect: str, defines: Iterable[str], *, has_float64: bool = True
) -> str:
    """Assemble the text of one kernel; `skeleton` names a file of `kernels/`."""
    whole = "\n".join(defines)
    block, _, stages = whole.partition(f"{STAGES}\n")
    files = (*PRELUDES.get(skeleton, ()), skeleton)
    code = whole + "".join(map(kernel_file, files))
    lines = [block, *preamble(code, dialect, has_float64=has_float64)]
    for file in files:
        lines.append(f'#line 1 "{file}"')
        lines.append(kernel_file(file).replace(f"\n{STAGES}\n", f"\n{stages}\n"))
    return "\n".join(lines)
