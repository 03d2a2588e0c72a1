"""Completes docstrings: by the meaning of parameters, common errors, sources and examples.

A docstring in the code says what is particular to its function. Parameters, what is returned,
errors, a note and examples need no title there: "name : ", "-> ", "ValueError -- ", "Note: " and
">>> " begin their paragraphs; what follows " -- " gets a line of its own. `completed` adds the
rest, for `help` and the reference: parameters by their names in the signature, with the type that
is annotated there; `complete` does so for the names of a module, or of a class and its bases.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import re
import sys
from collections.abc import Iterable, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy
from numpy.lib import stride_tricks

from xarr.functions.names.examples import EXAMPLES
from xarr.functions.names.glossary import (
    ERRORS,
    GLOSSARY,
    LIMITS,
    OR_FLATTENED,
    RETURNS,
    SAMPLES,
    TYPES,
)

STANDARD: Final = frozenset(
    """
    abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2
    atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
    bitwise_xor broadcast_arrays broadcast_shapes broadcast_to can_cast ceil cholesky clip
    concat conj copysign cos cosh count_nonzero cross cumulative_prod cumulative_sum det
    diagonal diff divide eig eigh eigvals eigvalsh empty empty_like equal exp expand_dims expm1
    eye fft fftfreq fftn fftshift finfo flip floor floor_divide from_dlpack full full_like greater
    greater_equal hfft hypot ifft ifftn ifftshift ihfft iinfo imag inv irfft irfftn isdtype
    isfinite isin isinf isnan less less_equal linspace log log10 log1p log2 logaddexp
    logical_and logical_not logical_or logical_xor matmul matrix_norm matrix_power matrix_rank
    matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply negative nextafter
    nonzero not_equal ones ones_like outer permute_dims pinv positive pow prod qr real
    reciprocal remainder repeat reshape result_type rfft rfftfreq rfftn roll round searchsorted
    sign signbit sin sinh slogdet solve sort sqrt square squeeze stack std subtract sum svd
    svdvals take take_along_axis tan tanh tensordot tile trace tril triu trunc unique_all
    unique_counts unique_inverse unique_values unstack var vecdot vector_norm where zeros
    zeros_like
    """.split()  # noqa: SIM905 - a list of 190 names is read as words
)
"""The names of the Python Array API standard 2025.12 and of its extensions."""

_SOURCE: Final = "Python Array API standard 2025.12"
_NUMPYS: Final = "As in NumPy; not part of the Array API standard."
_NUMPYS_PARAMETERS: Final = frozenset(
    "UPLO assume_unique casting hermitian initial like order out retstep sparse subok".split()  # noqa: SIM905
)
"""Parameters of which each function of the standard has at least one if NumPy's has more."""


def completed(
    name: str, text: str, annotations: Mapping[str, str], source: str | None = "", example: str = ""
) -> str:
    """A docstring with what is said of all functions of such parameters.

    name : str -- The function's name.
    text : str
        What is particular to it: a summary and numpydoc's sections, without indentation, of which
        some need no title.
    annotations : mapping of str to str -- The types of its parameters, in order.
    source : str or None -- What defines it, if not the standard or NumPy; None for nothing.
    example : str -- The example where the text has none.
    """
    summary, sections = _sections(text)
    told = _entries(sections)
    if see := _SEE.search(summary):
        said = _sections(of_method(getattr(sys.modules["xarr"], see[1]), name, annotations))[1]
        entries = _entries(said)
        told = {part: entries[part] for part in annotations if part in entries} | told
        borrowed = ("Returns", "Raises", "Examples")
        sections = {title: said[title] for title in borrowed if title in said} | sections
    others = (*annotations, *annotations.values())
    for parameter, annotation in annotations.items():
        if parameter == "return":
            kinds = (*(f"{annotation} beside {other}" for other in others), annotation)
            words = next((RETURNS[one] for one in kinds if one in RETURNS), _words_of(annotation))
            if annotation != "None":
                sections.setdefault("Returns", words)
            continue
        if parameter == "self":
            continue
        if parameter in RETURNS:
            sections.setdefault("Returns", RETURNS[parameter])
        beside = (f"{parameter} beside {other}" for other in others)
        keys = (f"{parameter}: {annotation}", *beside, parameter, f": {annotation}")
        meaning = next((GLOSSARY[key] for key in keys if key in GLOSSARY), "")
        if meaning:
            words = TYPES.get(f"{parameter}: {annotation}", _words_of(annotation))
            told.setdefault(parameter, f"{parameter} : {words}\n    {meaning}")
        _add_errors(sections, keys)
    if told:
        in_order = [told[parameter] for parameter in annotations if parameter in told]
        if GLOSSARY[OR_FLATTENED] in told.get("axis", ""):
            sections["Returns"] = _or_one_axis(sections["Returns"])
        sections["Parameters"] = "\n".join(dict.fromkeys([*in_order, *told.values()]))
    source = _source_of(name, annotations) if source == "" else source
    notes = sections.get("Notes", "")
    if source and source not in notes and "Not in NumPy" not in notes:
        sections["Notes"] = f"{source} {notes}".rstrip()
    names = [name, *(alias for alias, known in _ALIASES if known == name)]
    if len(names) > 1 and "self" not in annotations and _ONE not in summary:
        summary += f"\n\n{' and '.join(f'`{each}`' for each in names)} {_ONE}"
    if annotations.get("return") in ("Floats", "Integers"):
        example = _drawn(name, annotations)
    if example:
        sections.setdefault("Examples", example)
    return _joined(summary, sections)


def _add_errors(sections: dict[str, str], keys: tuple[str, ...]) -> None:
    """Add the errors of a parameter, unless the docstring names them itself."""
    for errors in (ERRORS, LIMITS):
        error, when = next((errors[key] for key in keys if key in errors), ("", ""))
        raised = sections.get("Raises", "")
        if error not in raised:
            sections["Raises"] = f"{raised}\n{error}\n    {when}".lstrip("\n")


def _drawn(name: str, parameters: Iterable[str]) -> str:
    """The example of a distribution, by the generator's method and by the function."""
    given = [*(SAMPLES[part] for part in parameters if part in SAMPLES), "size=3"]
    generator = sys.modules["xarr.functions.random.generator"].Generator
    is_method = callable(getattr(generator, name, None))
    makers = [*["xarr.random.default_rng(1)"] * is_method, "xarr.random"]
    return "\n".join(f">>> {maker}.{name}({', '.join(given)}).shape\n(3,)" for maker in makers)


def _or_one_axis(returns: str) -> str:
    """Say that the result of a flattened array has one axis, where its shape is told."""
    shape, end, more = returns.partition("\n")
    is_told = "shape" not in shape or "axis is None" in shape
    return returns if is_told else f"{shape}; one axis if axis is None{end}{more}"


def _source_of(name: str, parameters: Iterable[str]) -> str:
    """Say what defines a function of these parameters: the standard, NumPy or neither."""
    if name in STANDARD:
        if name in _IN_LINALG and "a" in parameters:
            return f"As in NumPy; the Array API standard has `linalg.{name}`."
        further = not _NUMPYS_PARAMETERS.isdisjoint(parameters)
        return f"{_SOURCE}, with further parameters as in NumPy." if further else f"{_SOURCE}."
    return _NUMPYS if name in _NUMPY else ""


def _source_of_method(name: str) -> str:
    """Say what defines a method of `Array`; the standard has only `to_device` as one."""
    is_numpys = hasattr(numpy.ndarray, name)
    if name in STANDARD:
        whose = "NumPy's method" if is_numpys else "xarr's own method"
        return f"{whose}; a function in the {_SOURCE}."
    if is_numpys:
        return f"{_SOURCE}." if name == "to_device" else _NUMPYS
    return "xarr's own method; a function in NumPy." if name in _NUMPY else ""


def of_method(function: Any, name: str, annotations: Mapping[str, str]) -> str:
    """Turn the docstring of a function into that of a method of `Array`, called on the array.

    function : callable -- The function, with a complete docstring.
    name : str -- The method's name.
    annotations : mapping of str to str -- The method's parameters; the array is none of them.
    """
    parameters = [*inspect.signature(function).parameters]
    array = next((each for each in parameters if each not in annotations), "")
    if not array:  # a function that borrows of another
        return inspect.getdoc(function) or ""
    summary, sections = _sections(inspect.getdoc(function) or "")
    paragraphs = [each for each in summary.split("\n\n") if _ONE not in each]
    entries = {part: entry for part, entry in _entries(sections).items() if part != array}
    sections["Parameters"] = "\n".join(dict.fromkeys(entries.values()))
    # Before the word "a" these words tell the parameter from the article.
    own = (
        r"(?<=\bof )a\b|(?<=that )a\b|(?<=sort )a\b|\ba(?='s)" if array == "a" else rf"\b{array}\b"
    )
    own = rf"{own}|the operand\b"
    for title in ("Parameters", "Returns"):
        sections[title] = re.sub(own, "the array", sections.get(title, ""))
    notes = sections.get("Notes", "").removeprefix(_source_of(function.__name__, parameters))
    sections["Notes"] = f"{_source_of_method(name)}{notes}"
    sections["Examples"] = "\n".join(
        _method_called(line, function.__name__, parameters.index(array), name)
        for line in sections.get("Examples", "").split("\n")
    )
    summary = re.sub(rf"{own}|\ban array\b", "the array", "\n\n".join(paragraphs))
    return _joined(summary, {title: body for title, body in sections.items() if body})


def method_of(function: Any) -> Any:
    """Copy a function of an array to be a method of `Array`, with the method's docstring."""
    signature = inspect.signature(function)
    first, *others = signature.parameters.values()
    if first.name == "self":
        return function
    method: Any = FunctionType(
        function.__code__, function.__globals__, None, function.__defaults__, function.__closure__
    )
    functools.update_wrapper(method, function)
    method.__module__, method.__qualname__ = "xarr.array.array", f"Array.{function.__name__}"
    method.__kwdefaults__ = function.__kwdefaults__
    told = function.__annotations__
    method.__annotations__ = {name: told[name] for name in told if name != first.name}
    method.__signature__ = signature.replace(parameters=[first.replace(name="self"), *others])
    method.__doc__ = of_method(function, function.__name__, method.__annotations__)
    return method


def _method_called(line: str, function: str, place: int, name: str) -> str:
    """Call the method in a line of an example, on the argument at a place of the function's."""
    code = line.removeprefix(">>> ")
    for node in ast.walk(ast.parse(code)) if line.startswith(">>> ") else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"xarr.{function}":
            parts = [ast.get_source_segment(code, each) for each in (*node.args, *node.keywords)]
            array = str(parts.pop(place))
            array = f"xarr.asarray({array})" if array.startswith("[") else array
            call = f"{array}.{name}({', '.join(map(str, parts))})"
            return line.replace(str(ast.get_source_segment(code, node)), call)
    return line


def _words_of(annotation: str) -> str:
    words = " or ".join(TYPES.get(part, part) for part in annotation.split(" | "))
    return words.replace(" or None or None", " or None")


def _entries(sections: Mapping[str, str]) -> dict[str, str]:
    """Map each parameter to its entry in "Parameters"."""
    return {
        parameter: entry
        for entry in re.split(r"\n(?=\S)", sections.get("Parameters", ""))
        for parameter in re.findall(r"\w+", entry.partition("\n")[0].partition(" : ")[0])
    }


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """The first paragraphs of a docstring, and its sections by their titles, also if untitled."""
    for title, beginning in _UNTITLED.items():
        if f"{title}\n---" not in text:
            text = beginning.sub(f"\n\n{title}\n---\n", text, count=1)
    summary, *rest = re.split(r"\n\n(?=\w[\w ]+\n-{3,}\n)", text.rstrip())
    sections = dict(section.split("\n", 1) for section in rest)
    for title, body in sections.items():
        entries = body.partition("\n")[2]
        if " -- " in entries and title not in _PROSE:
            entries = _IN_ONE_LINE.sub(r"\1\n    ", entries)
        sections[title] = entries
    return summary, sections


def _joined(summary: str, sections: dict[str, str]) -> str:
    """A docstring of sections, in the order that numpydoc has them in."""
    if "Examples" in sections and "import xarr" not in sections["Examples"]:
        sections["Examples"] = f">>> import xarr\n{sections['Examples']}"
    titles = [title for title in _ORDER if title in sections]
    titles += [title for title in sections if title not in _ORDER]
    parts = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in titles]
    return "\n\n".join([summary, *parts])


_UNTITLED: Final = {
    title: re.compile(rf"\n\n{beginning}")
    for title, beginning in (
        ("Parameters", r"(?=\*{0,2}\w+(?:, \w+)* : )"),
        ("Returns", "-> "),
        ("Raises", r"(?=[A-Z]\w+(?:Error|Warning) -- )"),
        ("Notes", "Note: "),
        ("Examples", "(?=>>> )"),
    )
}
"""How paragraphs begin that need no title in the code."""
_SEE: Final = re.compile(r"[Ss]ee `xarr\.(\w+)`")
"""The function whose sections a method has as well."""
_IN_ONE_LINE: Final = re.compile(r"^(\S.*?) -- ", re.MULTILINE)
_EACH: Final = "Each basis has this function"
_BASES: Final = ("poly", "cheb", "leg", "lag", "herm", "herme")
_PROSE: Final = ("Notes", "Examples")
_ONE: Final = "are one function."
with open(os.path.join(os.path.dirname(__file__), "aliases.py"), encoding="utf-8") as _aliases:
    _ALIASES: Final = re.findall(r"^(\w+) = \w+\.(\w+)$", _aliases.read(), re.MULTILINE)
"""The other names of functions, and the names, by the statements that give them."""
_ORDER: Final[tuple[str, ...]] = (
    *("Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples"),
)
_NUMPY: Final = frozenset((*dir(numpy), *dir(numpy.linalg), *dir(numpy.fft), *dir(stride_tricks)))
_IN_LINALG: Final = ("cross", "diagonal", "outer", "trace")
"""Functions of the standard's extension `linalg`; the main namespace has NumPy's, of an `a`."""


def complete_public(value: Any, source: str = "") -> None:
    """Complete the docstring of the object of a public name, and those of its methods."""
    value = value.__func__ if isinstance(value, MethodType) else value
    _complete_one(value, source, getattr(value, "__name__", ""))
    if isinstance(value, FunctionType):  # the class of its results, as that of `unique_all`
        result = value.__globals__.get(str(value.__annotations__.get("return")))
        if getattr(result, "__module__", "") == value.__module__:
            _complete_one(result, source, "")
    kind = value if isinstance(value, type) else type(value)
    told: Any = next((one for one in kind.__mro__ if "_methods_source" in vars(one)), None)
    for name, part in () if isinstance(value, type) else getattr(value, "__dict__", {}).items():
        if name[0] != "_" and isinstance(part, FunctionType | type):  # as those of `kernel`
            _complete_one(part, source, "")
    if told is not None and told._methods_source:
        complete(told, told._methods_source)
        told._methods_source = ""  # they are complete


def complete(space: ModuleType | type, source: str = "") -> None:
    """Complete the docstrings of the public functions of a module, or of a class and its bases.

    Those of classes get the titles of their sections, those of modules' functions their examples.
    """
    spaces = space.__mro__ if isinstance(space, type) else (space,)
    values = [getattr(value, "__func__", value) for each in spaces for value in vars(each).values()]
    for value in {id(value): value for value in (*values, *spaces)}.values():
        name = "" if isinstance(space, type) else getattr(value, "__name__", "")
        _complete_one(value, source, name)


def _complete_one(value: Any, source: str, example: str, of: str = "") -> None:
    """Complete the docstring of a function or class of xarr's; `example` names the example.

    `of` names the class of a method; only those of `Array` are defined as functions are.
    """
    if not str(getattr(value, "__module__", "")).startswith("xarr"):
        return  # NumPy's, as `printoptions`
    if type(value) is FunctionType and value.__name__[0] != "_" and value.__doc__:
        text, annotations = inspect.cleandoc(value.__doc__), annotations_of(value)
        shown = EXAMPLES.get(example or value.__qualname__, "")
        if value.__qualname__.startswith("Basis.") and _EACH not in text:
            summary, rest = text.split("\n", 1)
            names = ", ".join(f"`{basis}{value.__name__}`" for basis in _BASES)
            degree = "P[k] is the polynomial of degree k.\n" * ("P[" in text)
            text = f"{summary}\n\n{degree}{_EACH}: {names}.\n{rest}"
        known = source or ("NumPy's method." if of in _NUMPY else None) if of else source
        if of == "Array":
            known = _source_of_method(value.__name__)
        value.__doc__ = completed(value.__name__, text, annotations, known, shown)
    elif isinstance(value, type):
        about = vars(value)["__doc__"]
        if type(about) is str:  # that of `ufunc` is each function's
            summary, sections = _sections(inspect.cleandoc(about))
            maker = next(base for base in value.__mro__ if "__init__" in vars(base))
            if maker.__module__.startswith("xarr"):
                inherited = _sections(inspect.getdoc(maker) or "")[1]
                borrowed = ("Parameters", "Raises", "Notes")
                sections = {key: inherited[key] for key in borrowed if key in inherited} | sections
            if value.__name__ in _NUMPY:
                sections.setdefault("Notes", "NumPy's class.")
            value.__doc__ = _joined(summary, sections)
            for field in getattr(value, "_fields", ()):  # of a named tuple
                getattr(value, field).__doc__ = _entries(sections)[field].partition("\n    ")[2]
        if not any("_methods_source" in vars(one) for one in value.__mro__):
            for method in vars(value).values():
                _complete_one(getattr(method, "__func__", method), source, "", of=value.__name__)


def annotations_of(function: Any) -> dict[str, str]:
    """The annotations of a function as they are written, in the order of its parameters."""
    given = function.__annotations__
    names = (*inspect.signature(function).parameters, "return")
    told = {name: given[name] for name in names if type(given.get(name)) is str}
    return {name: annotation.removeprefix("linalg.") for name, annotation in told.items()}
