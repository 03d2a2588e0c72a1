"""The portable C of a `RawModule`, as each dialect's compiler is given it.

What differs is who calls a kernel, and how it comes to local memory that a launch gives: OpenCL C
has a pointer for it, elsewhere the kernel is handed where its part begins.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from xarr.codegen import source
from xarr.user_kernels import language
from xarr.user_kernels.c_source import Names, Text, definitions, names_of
from xarr.user_kernels.tokens import macro, tokens, without_comments, words

_KERNEL: Final = re.compile(r"\bKERNEL\s+void\s+(\w+)\s*\(([^)]*)\)(\s*\{)?")
_LOCAL: Final = re.compile(r"\bLOCAL\b")
_POINTER: Final = re.compile(r"\bLOCAL\b(?=[^;,=()\[\]{}]*\*)")
"""`LOCAL` before a pointer to local memory, which may lie anywhere itself."""
_IN_GROUP: Final = re.compile(r"LOCAL_ID|GROUP_ID")
"""Words that ask for an item's place in its group."""
_NAMED: Final = re.compile(r"(\w+)\s*(\[\s*\])?\s*$")
"""The name at the end of a declaration."""


class PortableModule:
    """A source in portable C; what is not portable is refused.

    name : str -- What errors and compilers call it.
    code : str -- The source.

    Attributes
    ----------
    in_loops : PortableModule or None
        The source that stands for it on devices that run the items of a group in loops.
    """

    def __init__(self, name: str, code: str) -> None:
        self.in_loops: PortableModule | None = None
        self._code = Text(name, without_comments(code))
        self._names = names_of(self._code.text)
        self._code.require_portable(self._names, by_items=True)
        for kernel in _KERNEL.finditer(self._code.text):
            self._require_spaces(kernel)

    def _require_spaces(self, kernel: re.Match[str]) -> None:
        """Refuse a pointer that does not say which memory it points to, as OpenCL C does."""
        for part in re.finditer(r"[^,\s][^,]*[*\[][^,]*", kernel[2]):
            if not words(part[0]) & ({"GLOBAL", "LOCAL"} | self._names.called):
                raise self._code.refuse(
                    kernel.start(2) + part.start(),
                    "the pointer does not say which memory it points to",
                    "write GLOBAL before it, or LOCAL",
                )

    def text(self, dialect: str, *, has_float64: bool) -> str:
        """The compiler's input."""
        if self.in_loops is not None and dialect == "c":
            return self.in_loops.text(dialect, has_float64=has_float64)
        begin = f'#line 1 "{self._code.where}"\n'
        code = self._portable(self._with_arguments(dialect), has_float64)
        language.define(code)
        lines = source.preamble(code, dialect, has_float64=has_float64)
        ends = ""
        if dialect == "c":
            lines += self._ways()
            ends = self._entries()
        return "\n".join((*lines, begin)) + code + ends

    def _portable(self, code: str, has_float64: bool) -> str:
        """The code in xarr's words; a function has a name that no built-in one has."""
        macros = {found.name for token in tokens(code) if (found := macro(token))}
        kernels = {found[1] for found in _KERNEL.finditer(code)}
        functions = self._names.called - macros - kernels
        own = {name: f"{name}_own" for name in functions}
        text = Text(self._code.where, code)
        made = text.portable(own, self._names, has_float64=has_float64, is_file=True)
        return definitions(made, "own")[0]

    def _with_arguments(self, dialect: str) -> str:
        """The code whose kernels take local memory as the dialect has it, and bools as bytes."""
        has_pointers = dialect == "opencl"
        first = ("XR_place xr_at",) if dialect == "c" else ()
        changed = functools.partial(_with_arguments, has_pointers=has_pointers, first=first)
        return _POINTER.sub("XR_POINTER_TO_LOCAL", _KERNEL.sub(changed, self._code.text))

    def _entries(self) -> str:
        """The C functions that call each kernel with values by their addresses."""
        way = "XR_BY_STACKS" if "BARRIER" in self._code.text else "XR_BY_ITEMS"
        way = "XR_BY_GROUPS" if "XR_REGION_BEGIN" in words(self._code.text) else way
        lines = ["", "#ifndef XR_INNER", "#define XR_INNER 0", "#endif"]
        lines += ["#ifndef XR_FREE_ITEMS", "#define XR_FREE_ITEMS", "#endif"]
        lines += ["#ifndef XR_LIMIT", "#define XR_LIMIT(d) XR_UNLIMITED", "#endif"]
        for name, declared, body in _parts(self._code.text):
            if not body:
                continue
            types = [
                "u64" if _LOCAL.search(part) else _NAMED.sub(lambda at: "*" * bool(at[2]), part)
                for part in declared
            ]
            names = Names(types=self._names.types, called=self._names.called)
            kinds = [Text(name, of).portable({}, names, has_float64=True) for of in types]
            taken = " ".join(
                f"const __auto_type xr_value{number} = *({kind} *)xr_values[{number}];"
                for number, kind in enumerate(kinds)
            )
            values = [f"xr_value{number}" for number in range(len(kinds))]
            given = ", ".join([way, name, str(len(kinds)), taken, *values])
            lines.append(f"XR_OWN_KERNEL({given})")
        return "\n".join((*lines, ""))

    def _ways(self) -> list[str]:
        """The definitions that say what the loops over items have to keep."""
        asks = self._asks()
        is_grouped = asks or bool(_IN_GROUP.search(self._code.text))
        return [
            f"#define XR_GROUPED {int(is_grouped)}",
            f"#define XR_SHARE(at) {'xr_at = at;' * asks}",
        ]

    def _asks(self) -> bool:
        """Whether functions that kernels call may ask for an item's place."""
        outside, end = list[str](), 0
        for kernel in _KERNEL.finditer(self._code.text):
            outside.append(self._code.text[end : kernel.start()])
            end = kernel.end()
            depth = int(bool(kernel[3]))
            for token in tokens(self._code.text, kernel.end()):
                if not depth:
                    break
                depth += {"{": 1, "}": -1}.get(token.text, 0)
                end = token.at + len(token.text)
        outside.append(self._code.text[end:])
        text = "\n".join(outside)
        return bool(language.ITEMS & words(re.sub(r"[#\\]", " ", text))) and "{" in text


def _parts(code: str) -> list[tuple[str, list[str], str]]:
    """Return the name of each kernel, its parameters, and the brace of its body if it has one."""
    return [(one[1], _declared(one[2]), one[3] or "") for one in _KERNEL.finditer(code)]


def _declared(text: str) -> list[str]:
    """The declarations of a list of parameters, with bools as the bytes that memory has of them."""
    text = re.sub(r"\bbool\b", "b8", text)
    return [] if text.strip() in ("", "void") else text.split(",")


def _with_arguments(
    kernel: re.Match[str], *, has_pointers: bool, first: tuple[str, ...] = ()
) -> str:
    """A kernel's head, with the beginnings of local memory as numbers if there are no pointers."""
    parts, statements = [*first], ["XR_ENTRY "] * has_pointers
    for part in _declared(kernel[2]):
        if has_pointers or not _LOCAL.search(part):
            parts.append(part)
            continue
        named = _NAMED.search(part)
        assert named is not None
        kind = _LOCAL.sub("", re.sub(r"\bRESTRICT\b|\brestrict\b", "", part[: named.start()]))
        parts.append(f"const u64 xr_local_{named[1]}")
        pointer = f"{' '.join(kind.split())}{' *' if named[2] else ''}"
        statements.append(f"XR_LOCAL_ARGUMENT({pointer}, {named[1]}) ")
    head = f"KERNEL void {kernel[1]}({', '.join(parts)})"
    body = kernel[3] or ""
    lines = "\n" * (kernel[0].count("\n") - f"{head}{body}".count("\n"))  # compilers count them
    return f"{head}{lines}{body}{''.join(statements)}"
