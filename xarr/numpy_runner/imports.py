"""The import of numpy, which means xarr in a program's own modules and NumPy in libraries.

`builtins.__import__` is told which module imports, so one program may hold both.
"""

from __future__ import annotations

import builtins
import importlib
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy

from xarr.functions.names.missing_names import missing
from xarr.numpy_runner import fallback

_INSTALLED: Final = ("site-packages", "dist-packages")
_LIBRARIES: Final = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")
)
_OURS: Final = Path(__file__).resolve().parents[1]


class Substitution(AbstractContextManager["Substitution"]):
    """While it is entered, modules under a folder that import numpy are given xarr.

    folder : Path
        Where the program's own modules are; what is installed below it is not the program's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._known: dict[str, bool] = {}
        self._behaviour = fallback.Behaviour()
        self._import = builtins.__import__

    def __enter__(self) -> Substitution:
        self._behaviour.__enter__()
        self._import = builtins.__import__
        builtins.__import__ = self._imported
        return self

    def __exit__(self, *exception: object) -> None:
        builtins.__import__ = self._import
        self._behaviour.__exit__(*exception)

    def owns(self, names: Mapping[str, Any] | None) -> bool:
        """Whether the module of these global names is the program's own."""
        if names is None:
            return False
        if names.get("__name__") == "__main__":
            return True
        file = names.get("__file__")
        if not isinstance(file, str):
            return False
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._holds(Path(file).resolve())
        return known

    def _holds(self, file: Path) -> bool:
        if not file.is_relative_to(self._folder) or file.is_relative_to(_OURS):
            return False
        below = file.relative_to(self._folder).parts
        return not any(part in _INSTALLED for part in below) and not any(
            file.is_relative_to(library) for library in _LIBRARIES
        )

    def _imported(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        of_numpy = level == 0 and name.partition(".")[0] == "numpy"
        if of_numpy and self.owns(globals):
            space: ModuleType = _in_place_of(name, fromlist or ())
            return space
        return self._import(name, globals, locals, fromlist or (), level)


def _in_place_of(name: str, wanted: Sequence[str]) -> Any:
    """The result of an import statement of numpy, or of a module in it."""
    package = fallback.NUMPY
    space: Any = package
    for part in name.split(".")[1:]:
        space = _within(space, part)
    if not wanted:
        return package  # `import numpy.linalg` binds the name numpy
    if "*" in wanted:
        return _Star(space)
    for one in wanted:
        try:
            _within(space, one)
        except ModuleNotFoundError as error:
            raise ImportError(str(error), name=name) from None
    return space


def _within(space: Any, name: str) -> Any:
    """A name of a module: what it has, or a module in it."""
    try:
        return getattr(space, name)
    except AttributeError as error:
        try:
            return importlib.import_module(f"{space.__name__}.{name}")
        except ModuleNotFoundError:
            pass
        if name.startswith("_"):  # NumPy's inside, which xarr stands in the place of nowhere
            return importlib.import_module(f"{space.__name__.replace('xarr', 'numpy', 1)}.{name}")
        said = str(error) if "; " in str(error) else str(missing(space.__name__, name, dir(space)))
        raise ModuleNotFoundError(said, name=f"{space.__name__}.{name}") from None


class _Star:
    """A module for `from numpy import *`: the names that this gives of NumPy's, if they are there.

    xarr's own names, such as `device`, would hide the program's.
    """

    def __init__(self, space: ModuleType) -> None:
        theirs: Any = numpy
        for part in space.__name__.split(".")[1:]:
            theirs = getattr(theirs, part)
        self._space = space
        there = set(dir(space))
        self.__all__ = [name for name in theirs.__all__ if name in there]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._space, name)
