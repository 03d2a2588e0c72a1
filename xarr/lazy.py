"""Imports at first use, by the `__getattr__` of modules (PEP 562).

What is imported so stands in import statements under `TYPE_CHECKING`, where type checkers, editors
and the checks of layers read it. `modules` needs no list; `imports` reads the statements, so that
a name is written once.
"""

from __future__ import annotations

import importlib
import re
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

_STATEMENT: Final = r"^    from ([\w.]+) import (?:\(([^)]*)\)|(.+))$"
_NAME: Final = r"(\w+)(?: as (\w+))?"


_importing: Final[list[int]] = []
"""The threads that import something now."""


def _module(place: str) -> ModuleType:
    """Import a module; a fork waits for it."""
    _importing.append(threading.get_ident())
    try:
        return importlib.import_module(place)
    finally:
        _importing.remove(threading.get_ident())


def is_importing() -> bool:
    """Return whether another thread imports, and does not wait for an import of this thread."""
    return bool(_importing) and threading.get_ident() not in _importing


def wait_for_imports() -> None:
    """Wait until no other thread imports."""
    while is_importing():
        time.sleep(0.001)


def modules(package: str) -> Callable[[str], ModuleType]:
    """Make the `__getattr__` of a package that imports its modules at their first use."""

    def __getattr__(name: str) -> ModuleType:  # noqa: N807 - what Python calls it
        place = f"{package}.{name}"
        try:
            if not name.startswith("_"):
                return _module(place)
        except ModuleNotFoundError as error:
            if error.name != place:
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)

    return __getattr__


def imports(module: str) -> dict[str, tuple[str, str]]:
    """Map the names that a module imports under `TYPE_CHECKING` to a module and the name there."""
    loader: Any = sys.modules[module].__loader__
    statements = re.findall(_STATEMENT, loader.get_source(module), re.MULTILINE)
    return {
        alias or name: (place, name)
        for place, several, single in statements
        for name, alias in re.findall(_NAME, several or single)
    }


def imported(module: str, place: str, name: str) -> Any:
    """Import what a statement of a module names: a module below it, or a name of another module."""
    if place == module:
        return _module(f"{place}.{name}")
    return getattr(_module(place), name)
