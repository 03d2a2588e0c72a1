"""The loader that imports the adapter of a library behind the library."""

from __future__ import annotations

import importlib
import warnings
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class Followed(Loader):
    """A loader, which may be that of other modules as well, and the adapter behind one module."""

    def __init__(self, loader: Loader, adapter: str) -> None:
        self._loader = loader
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The loader's module."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Import the library, whose loader is its own from now on, then the adapter."""
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        adapt(self._adapter)


def adapt(adapter: str) -> None:
    """Import an adapter; a library of another version may lack what it is told by."""
    try:
        importlib.import_module(adapter)
    except (ImportError, AttributeError) as error:
        library = adapter.rpartition(".")[2]
        warnings.warn(
            f"xarr: {library} is not told of Arrays, as its version is not known: {error}; "
            f"install another version, or give it numpy.asarray(x)",
            RuntimeWarning,
            stacklevel=2,
        )
