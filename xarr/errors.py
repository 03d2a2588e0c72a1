"""The exceptions and warnings that are xarr's own, and the one function that words an error.

This module must not know arrays, devices or backends: everything above imports it.
"""

from __future__ import annotations

import dis
import functools
import itertools
import os
import re
import sys
import types
import warnings
from collections.abc import Sequence
from typing import Final, TypeVar

_E = TypeVar("_E", bound=Exception)


warned = 0
"""How often `warn` was called."""


def warn(text: str, category: type[Warning]) -> None:
    """Warn of the line that calls xarr."""
    global warned
    warned += 1
    count, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        count, frame = count + 1, frame.f_back
    warnings.warn(text, category, stacklevel=count)


def calling_line() -> str:
    """Return the line that calls xarr, as `` (file.py, line 3)``; nothing where there is none."""
    frame = _calling_frame()
    if frame is None:
        return ""
    return f" ({os.path.basename(frame.f_code.co_filename)}, line {frame.f_lineno})"


def _calling_frame() -> types.FrameType | None:
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("xarr", "contextlib")


READING: Final = "reading an array's values"
"""The name of a transfer that no function asks for."""
_SPOKEN: Final = {
    "__array__": "numpy.asarray(x)",
    "__bool__": "bool(x)",
    "__complex__": "complex(x)",
    "__contains__": "value in x",
    "__float__": "float(x)",
    "__format__": "format(x)",
    "__hash__": "hash(x)",
    "__index__": "x as an index",
    "__int__": "int(x)",
    "__iter__": "iter(x)",
    "__reduce__": "pickle.dumps(x)",
    "__repr__": "repr(x)",
    "__round__": "round(x)",
    "__str__": "str(x)",
    "_index": "x as an index",
    "_item": "x[key]",
    "_rows": "iter(x)",
    "_set_item": "x[key] = value",
    "array_interface": "numpy.asarray(x)",
    "array_repr": "repr(x)",
    "array_str": "str(x)",
    "_memory": "numpy.asarray(x)",
    "data": "x.data",
    "dumps": "x.dumps()",
    "item": "x.item()",
    "to_array": "numpy.asarray(x)",
    "to_numpy": "x.to_numpy()",
    "tolist": "x.tolist()",
}
"""The expressions that call special methods and functions that are not public."""


def reading_call(where: str) -> str:
    """Name the call that reads values: `where`, or what the program calls if that is `READING`."""
    return called(READING) if where == READING else where


def called(otherwise: str) -> str:
    """Name the function of xarr that the program calls; `otherwise` where it has no name."""
    frame: types.FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None and _is_ours(frame.f_globals.get("__name__", "")):
        name = function_name(frame) or name
        frame = frame.f_back
    return spoken(name, otherwise)


def spoken(name: str, otherwise: str = READING) -> str:
    """Return the expression that calls a function of a name; `otherwise` for one of xarr's own."""
    return _SPOKEN.get(name, name if name and not name.startswith("_") else otherwise)


def function_name(frame: types.FrameType) -> str:
    """The name of the function that a frame runs; "" for one that only hands on."""
    module, code = str(frame.f_globals.get("__name__", "")), frame.f_code
    if module.startswith("xarr.numpy_runner") or "<locals>" in code.co_qualname:
        return ""
    if not module.startswith("xarr"):
        return f"{module}.{code.co_qualname}"
    if code.co_name in ("call", "__call__"):  # of a cached function, where the core is interpreted
        return ""
    if code.co_name == "__next__":
        return code.co_qualname.removesuffix(".__next__")
    # The compiled core has no frames, and asks for a number here.
    return f"{frame.f_locals['kind']}(x)" if code.co_qualname == "Array._scalar" else code.co_name


def message(where: str, given: str, accepted: str, *remedies: str) -> str:
    """Word an error: where it arose, what was given, what it must be, what to do.

    `where` names the function; where the program called it by another name, that one is written.

    >>> message("add(x1, x2)", "x1 has dtype bool", "its dtype must be numeric")
    'add(x1, x2): x1 has dtype bool; its dtype must be numeric'
    """
    parts = [part for part in (given, accepted, *remedies) if part]
    return f"{_as_called(where)}: " + "; ".join(parts)


def _as_called(where: str) -> str:
    """Name the function in `where` as the calling line does: `concatenate` for `concat`.

    Both names are one function, so only the bytecode of the call tells which one was written: the
    name's instruction begins at the same place in the source as the call.
    """
    frame, public = _calling_frame(), vars(sys.modules["xarr"])
    if frame is None:
        return where
    code = frame.f_code
    name, bracket, parameters = where.partition("(")
    names = {other for other in code.co_names if _name_of(public.get(other)) == name} - {name}
    if not names:
        return where
    # Where Python calls Python, f_lasti is behind the call, at a word of its own position.
    call = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
    for instruction in dis.get_instructions(code):
        position = instruction.positions
        if instruction.argval in names and position is not None and position[::2] == call[::2]:
            return f"{instruction.argval}{bracket}{parameters}"
    return where


def _name_of(value: object) -> str:
    return getattr(value, "__name__", "")


def refused(error: type[_E], where: str, given: str, accepted: str, *remedies: str) -> _E:
    """Make an exception of a type with the text of `message`.

    >>> refused(ValueError, "ones(shape)", "an extent is -1", "extents must not be negative")
    ValueError('ones(shape): an extent is -1; extents must not be negative')
    """
    return error(message(where, given, accepted, *remedies))


def difference(anchor: str) -> str:
    """Name a place of the page on differences from NumPy; ends an error that such one causes.

    >>> difference("np-full")
    'see docs/numpy.md#np-full'
    """
    return f"see docs/numpy.md#{anchor}"


def axes_of(ndim: int) -> str:
    """Word a number of axes.

    >>> axes_of(1), axes_of(3)
    ('1 dimension', '3 dimensions')
    """
    return f"{ndim} dimension{'s' * (ndim != 1)}"


value_error = functools.partial(refused, ValueError)
type_error = functools.partial(refused, TypeError)


def require_callable(function: object, where: str, name: str) -> None:
    """Refuse what cannot be called."""
    if not callable(function):
        raise type_error(where, f"{name} is {function!r}", f"{name} must be callable")


def word_error(where: str, name: str, given: object, accepted: str) -> Exception:
    """Make the exception of a word that is none of those accepted: TypeError where it is no str."""
    error = ValueError if isinstance(given, str) else TypeError
    return refused(error, where, f"{name} is {given!r}", accepted)


def operand_of(where: str) -> str:
    """The name by which an error's call, `where`, refers to its first argument.

    >>> operand_of("linalg.det(a)"), operand_of("x.view(dtype)")
    ('a', 'x')
    """
    found = re.match(r"(x)\.|[^(]*\((\w+)", where)
    return "x" if found is None else found[1] or found[2]


class DeviceError(RuntimeError):
    """A driver reported an error, or a kernel failed on its device.

    text : str -- The message.

    Attributes
    ----------
    code : int -- The error code of the driver.
    name : str
        The driver's name of the error, as "CUDA_ERROR_ILLEGAL_ADDRESS" or "CL_INVALID_VALUE".

    >>> try:
    ...     xarr.synchronize()
    ... except xarr.DeviceError as error:
    ...     print(error.name, error.code)
    """

    def __init__(self, text: str, code: int, name: str) -> None:
        super().__init__(text)
        self.code = code
        self.name = name

    def __reduce__(self) -> tuple[type[DeviceError], tuple[str, int, str]]:
        return DeviceError, (str(self), self.code, self.name)


class CompileError(RuntimeError):
    """A kernel did not compile.

    Attributes
    ----------
    op : str -- The operation that the kernel computes, filled in by the engine.
    dtypes : tuple of str -- The data types that it was specialised for, filled in by the engine.
    device : str -- The device that it was compiled for.
    options : tuple of str -- The options of the compiler.
    log : str -- The output of the compiler.
    source : str -- The complete source text.

    >>> try:
    ...     xarr.RawKernel("KERNEL void f(GLOBAL i32 *x) { x[0] = ; }", "f").compile()
    ... except xarr.CompileError as error:
    ...     print(error.op)
    f
    """

    def __init__(
        self,
        *,
        op: str = "",
        dtypes: Sequence[str] = (),
        device: str = "",
        options: Sequence[str] = (),
        log: str = "",
        source: str = "",
    ) -> None:
        # All as arguments of the base class, so that the exception survives pickling.
        super().__init__(op, tuple(dtypes), device, tuple(options), log, source)
        self.op = op
        self.dtypes = tuple(dtypes)
        self.device = device
        self.options = tuple(options)
        self.log = log
        self.source = source

    def __reduce__(self) -> tuple[object, ...]:
        return _compile_error, (
            self.op,
            self.dtypes,
            self.device,
            self.options,
            self.log,
            self.source,
        )

    def __str__(self) -> str:
        what = f"{self.op}({', '.join(self.dtypes)})" if self.op else "a kernel"
        parts = [
            f"{what} did not compile for {self.device or 'the device'}",
            f"compiler log:\n{self.log.strip() or '(empty)'}",
        ]
        if self.source:
            parts.append("source:\n" + numbered_lines(self.source, self.log))
        parts.append(f"options: {' '.join(self.options) or 'none'}")
        return "\n".join(parts)


class CopyError(BufferError, ValueError):
    """A copy is needed where none is allowed.

    Both, because the standard asks for BufferError in one place and for ValueError in another.
    """


class HostFallbackWarning(UserWarning):
    """The device has no routine for an operation, so the host computes it.

    >>> import warnings
    >>> with warnings.catch_warnings(action="error", category=xarr.HostFallbackWarning):
    ...     x = xarr.ones(3) + 1
    """


class DerivativeWarning(UserWarning):
    """A value that a derivative depends on was read by the host, and so counts as a constant."""


class FloatingPointStateWarning(UserWarning):
    """The program asks for exceptions at floating-point errors, which no device raises.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore", category=xarr.FloatingPointStateWarning):
    ...     with xarr.errstate(divide="raise"):
    ...         x = xarr.ones(2) / 0
    >>> x.tolist()
    [inf, inf]
    """


class CacheWarning(UserWarning):
    """The disk cache of compiled kernels cannot be used; kernels are compiled anew.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore", category=xarr.CacheWarning):
    ...     x = xarr.ones(3) + 1
    """


class ImplicitTransferError(RuntimeError):
    """Data would have moved between host and device inside `no_implicit_transfer`.

    >>> with xarr.no_implicit_transfer():
    ...     xarr.ones(3) + [1, 2, 3]
    Traceback (most recent call last):
    ...
    xarr.errors.ImplicitTransferError: ...
    """


def numbered_lines(source: str, log: str, context: int = 6) -> str:
    """The lines of `source` around the first error in `log`, as the compiler numbers them."""
    places = _line_places(source)
    lines = source.splitlines()
    centre = _error_index(places, log)
    first = max(0, centre - context)
    shown = range(first, min(len(lines), centre + context + 1))
    labels = [
        f"{places[i][0]}:{places[i][1]}" if places[i][0] else str(places[i][1]) for i in shown
    ]
    width = max((len(label) for label in labels), default=0)
    rows = []
    for label, i in zip(labels, shown, strict=True):
        rows.append(f"{'>' if i == centre else ' '} {label:>{width}} | {lines[i]}")
    return "\n".join(rows)


_LINE_DIRECTIVE = re.compile(r'^\s*#\s*line\s+(\d+)(?:\s+"([^"]*)")?')
# clang writes "file:12:5: error: ...", PoCL "error: file:12:5: ..." (and before the last colon, for
# what comes of a macro, "<Spelling=file:7:1>"), NVRTC "file(12): error: ...".
_ERROR_PLACE = re.compile(
    r"^(?:error:\s*)(?P<name1>.*?):(?P<line1>\d+):\d+(?: <[^>]*>)?:"
    r"|^(?P<name2>.*?)[:(](?P<line2>\d+)(?:\)|:\d+)*\s*:\s*(?:fatal )?error",
    re.MULTILINE,
)


_WHOLE = "<kernel>"
"""The name that NVIDIA's OpenCL gives the whole text, whose lines it counts without `#line`."""


def _line_places(source: str) -> list[tuple[str, int]]:
    """For each line, the file and line number that a compiler gives it after `#line`."""
    places = []
    name, number = "", 1
    for line in source.splitlines():
        places.append((name, number))
        number += 1
        if directive := _LINE_DIRECTIVE.match(line):
            number = int(directive[1])
            name = directive[2] if directive[2] is not None else name
    return places


def _error_index(places: list[tuple[str, int]], log: str) -> int:
    """The index of the line that the first error in the log names; 0 when it names none."""
    for found in _ERROR_PLACE.finditer(log):
        name = (found["name1"] or found["name2"] or "").strip()
        number = int(found["line1"] or found["line2"])
        if name == _WHOLE and number <= len(places):
            return number - 1
        exact = [i for i, place in enumerate(places) if place[1] == number and place[0]]
        for i in exact:
            if name.endswith(places[i][0]):
                return i
        unnamed = [i for i, place in enumerate(places) if place == ("", number)]
        if unnamed:
            return unnamed[0]
        if exact:
            return exact[0]
    return 0


def _compile_error(
    op: str, dtypes: tuple[str, ...], device: str, options: tuple[str, ...], log: str, source: str
) -> CompileError:
    return CompileError(
        op=op, dtypes=dtypes, device=device, options=options, log=log, source=source
    )
