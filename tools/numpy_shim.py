"""A module's ``import numpy`` means xarr: what runs NumPy's own tests with xarr in NumPy's place.

A file is executed with an ``__import__`` of its own, statement by statement, so that one that fails
costs no other. What xarr has is xarr's. What cannot be on a device (objects, dates, ...), NumPy's
private parts and `numpy.testing` are NumPy's; the assertions get their operands as NumPy arrays.
Libraries that the file imports keep the NumPy that they have.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABSENT = _words(
    "longdouble clongdouble float96 float128 complex192 complex256 object_ str_ bytes_ void "
    "datetime64 timedelta64 ma matrix asmatrix bmat rec recarray record char chararray strings "
    "memmap dtypes busday_count busday_offset is_busday busdaycalendar datetime_as_string "
    "datetime_data __version__ __file__ f2py ctypeslib version _pytesttester conftest"
)
"""Names of NumPy that the tests get from NumPy: tests that use them are out of scope."""

PUBLIC = (
    *("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.polynomial"),
    *(f"numpy.polynomial.{basis}" for basis in ("polynomial", "chebyshev", "hermite", "hermite_e")),
    *(f"numpy.polynomial.{name}" for name in ("laguerre", "legendre", "polyutils")),
    *("numpy.lib", "numpy.lib.stride_tricks", "numpy.lib.array_utils", "numpy.lib.scimath"),
    "numpy.emath",
)
"""The public modules, in which a function that is imported from a private one is looked for."""

COMPARING = _words(
    "assert_equal assert_almost_equal assert_approx_equal assert_array_equal assert_allclose "
    "assert_array_almost_equal assert_array_less assert_array_compare assert_array_max_ulp "
    "assert_array_almost_equal_nulp assert_string_equal"
)


CREATING = _words("array asarray zeros ones empty full arange")
"""Functions that make the operands of tests while a file is read."""


class State:
    """What is so of the whole process."""

    reading = False
    """While a file is read, what is missing stands for itself; afterwards it raises."""


class Missing:
    """A name of NumPy's that xarr lacks."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _used(self) -> Missing:
        if State.reading:
            return self
        raise AttributeError(f"xarr lacks {self._name}")

    def __call__(self, *_: object, **__: object) -> Missing:
        return self._used()

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        self._used()
        return Missing(f"{self._name}.{name}")

    def __getitem__(self, _: object) -> Missing:
        return self._used()

    def __iter__(self) -> Iterator[Missing]:
        self._used()
        return iter(())

    def __instancecheck__(self, _: object) -> bool:
        self._used()
        return False

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return (object,)

    def __repr__(self) -> str:
        return f"missing {self._name}"

    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __call__


def as_numpy(value: Any) -> Any:
    """What numpy.testing compares: NumPy arrays, and scalars for 0-d ones."""
    if isinstance(value, xarr.Array):
        return numpy.asarray(value)[()]
    if type(value) in (list, tuple):
        return type(value)(as_numpy(item) for item in value)
    if type(value) is dict:
        return {key: as_numpy(item) for key, item in value.items()}
    return value


def _comparing(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def compare(*operands: Any, **options: Any) -> Any:
        return function(*as_numpy(operands), **as_numpy(options))

    return compare


def _on_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """A generator of operands, whose arrays are Arrays."""

    @functools.wraps(function)
    def generate(*given: Any, **options: Any) -> Iterator[Any]:
        for row in function(*given, **options):
            taken = {
                id(value): xarr.asarray(value) for value in row if type(value) is numpy.ndarray
            }
            yield tuple(taken.get(id(value), value) for value in row)

    return generate


def without_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """An assertion that something raises, which looks at the exception's type and not its text."""

    @functools.wraps(function)
    def raises(*given: Any, **options: Any) -> Any:
        options.pop("match", None)
        return function(*given, **options)

    return raises


def _raises_regex(expected: Any, _: str, *call: Any, **options: Any) -> Any:
    return numpy.testing.assert_raises(expected, *call, **options)


def _cases(argnames: Any, argvalues: Any, *rest: Any, **options: Any) -> pytest.MarkDecorator:
    """pytest.mark.parametrize; of a generator that xarr ends with an error, the cases till then."""
    kept = []
    if isinstance(argvalues, Missing):
        argvalues = ()
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        for value in argvalues:
            kept.append(value)  # noqa: PERF402 - what is there when an error comes is kept
    return pytest.mark.parametrize(argnames, kept, *rest, **options)


class _Marks:
    """pytest.mark."""

    parametrize = staticmethod(_cases)

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest.mark, name)


class _Pytest(ModuleType):
    """pytest as the tests see it: texts of exceptions do not matter, since xarr words its own."""

    mark = _Marks()

    def __getattr__(self, name: str) -> Any:
        found = getattr(pytest, name)
        return without_text(found) if name == "raises" else found


_astype = xarr.Array.astype


def _astype_while_reading(array: xarr.Array, *given: Any, **options: Any) -> Any:
    """An operand of a data type that no device has is NumPy's: the test is out of scope."""
    try:
        return _astype(array, *given, **options)
    except TypeError:
        return numpy.asarray(array).astype(*given, **options)


def reading(begins: bool) -> None:
    """Begin to read files, or say that all are read."""
    State.reading = begins
    xarr.Array.astype = _astype_while_reading if begins else _astype


def _creating(name: str) -> Callable[..., Any]:
    """xarr's function that makes an array; while a file is read NumPy's where xarr's refuses.

    Such an operand is of a data type that no device has, and the test is out of scope.
    """
    made: Callable[..., Any] = getattr(xarr, name)

    @functools.wraps(made)
    def make(*operands: Any, **options: Any) -> Any:
        try:
            return made(*operands, **options)
        except (TypeError, ValueError, OverflowError):
            return getattr(numpy, name)(*operands, **options)

    return make


def _walk(path: str) -> Any:
    """xarr's module, or what else it has, at a path of NumPy's; None without."""
    found: Any = xarr
    for part in path.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found


_MISSING = object()


def _real(path: str) -> Any:
    """NumPy's module at a path."""
    if path == "numpy.emath":
        return numpy.emath
    return importlib.import_module(path)


def _owned(path: str, name: str) -> Any:
    """What xarr has at a public path of NumPy's."""
    module = _walk(path)
    return _MISSING if module is None else getattr(module, name, _MISSING)


class Facade(ModuleType):
    """A module of NumPy's, as the tests see it."""

    def __getattr__(self, name: str) -> Any:
        path = self.__name__
        if name.startswith("__"):
            return getattr(_real(path), name)
        if path == "numpy" and name in ABSENT:
            return getattr(numpy, name)
        if path == "numpy" and name in CREATING and State.reading:
            return _creating(name)
        if path.startswith(("numpy.testing", "numpy.ma.testutils")):
            return _inside_testing(path, name)
        if path in PUBLIC:
            return self._public(path, name)
        return self._private(path, name)

    def _public(self, path: str, name: str) -> Any:
        real = getattr(_real(path), name, _MISSING)
        if isinstance(real, ModuleType) and (path == "numpy" or f"{path}.{name}" in PUBLIC):
            return Facade(f"{path}.{name}")
        owned = _owned(path, name)
        if owned is not _MISSING:
            return owned
        if isinstance(real, ModuleType):
            return Facade(real.__name__)
        if real is _MISSING:
            raise AttributeError(f"module {path!r} has no attribute {name!r}")
        if isinstance(real, type) and issubclass(real, Exception | numpy.random.BitGenerator):
            return real
        if State.reading:
            return Missing(f"{path}.{name}")
        raise AttributeError(f"xarr lacks {path}.{name}")

    def _private(self, path: str, name: str) -> Any:
        real = getattr(_real(path), name)
        if isinstance(real, ModuleType):
            return Facade(real.__name__)
        if isinstance(real, type) and issubclass(real, Exception):
            return real
        for public in PUBLIC:
            if getattr(_real(public), name, _MISSING) is real:
                return Facade(public)._public(public, name)
        return real


def _inside_testing(path: str, name: str) -> Any:
    real = getattr(_real(path), name)
    if name in COMPARING:
        return _comparing(real)
    if name == "_gen_alignment_data":
        return _on_device(real)
    return _raises_regex if name == "assert_raises_regex" else real


def is_private(path: str, name: str) -> bool:
    """Whether a name of a private module is in no public one."""
    if path in PUBLIC or path.startswith(("numpy.testing", "numpy.ma", "numpy.exceptions")):
        return False
    real = getattr(_real(path), name, _MISSING)
    if isinstance(real, type) and issubclass(real, Exception):
        return False
    return all(getattr(_real(public), name, _MISSING) is not real for public in PUBLIC)


def _importer() -> Callable[..., Any]:
    """An `__import__` that gives facades for NumPy's modules."""

    def load(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level:
            name = importlib.util.resolve_name("." * level + name, globals["__package__"])
        if name == "pytest" and not fromlist:
            return _Pytest("pytest")
        if name != "numpy" and not name.startswith("numpy."):
            return builtins.__import__(name, globals, locals, fromlist, 0)
        importlib.import_module(name)
        for item in fromlist or ():
            # A module that its package does not import: the name is looked up next.
            with contextlib.suppress(ImportError):
                importlib.import_module(f"{name}.{item}")
        return Facade(name) if fromlist else Facade("numpy")

    return load


def _tests_of(node: ast.stmt) -> list[str]:
    """The tests that a statement of a module defines."""
    if isinstance(node, ast.ClassDef):
        inner = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
        return [f"{node.name}::{name}" for name in inner if name.startswith("test")]
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
        return [node.name]
    return []


def execute(path: Path, package: str, with_xarr: bool = True) -> tuple[ModuleType, dict[str, str]]:
    """Execute a file of NumPy's tests, with xarr in NumPy's place or as it is.

    With the module comes why tests are not in it: those of statements that failed.
    """
    module = ModuleType(f"{package}.{path.stem}")
    module.__file__ = str(path)
    module.__package__ = package
    if with_xarr:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importer()}
    broken = dict[str, str]()
    for node in ast.parse(path.read_text(), str(path)).body:
        code = compile(ast.Module([node], []), str(path), "exec")
        try:
            exec(code, module.__dict__)
        except Exception as error:  # noqa: BLE001 - whatever it is, the file's other tests go on
            cause = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            broken |= dict.fromkeys(_tests_of(node), f"while the file was read: {cause}")
    return module, broken
