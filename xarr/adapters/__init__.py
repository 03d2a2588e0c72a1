"""Registration of Arrays with other libraries, with each once it is imported.

A library that asks a registry of its own for the types it knows has an entry of xarr's in it from
the moment that both are imported, whichever is first.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
import weakref
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, cast

ADAPTERS: Final = {
    "dask.array": "xarr.adapters.dask",
    "distributed": "xarr.adapters.distributed",
    "einops": "xarr.adapters.einops",
    "matplotlib.axes": "xarr.adapters.matplotlib",
    "pandas": "xarr.adapters.pandas",
    "threadpoolctl": "xarr.backends.threadpool",
    "sympy": "xarr.adapters.sympy",
    "xarray": "xarr.adapters.xarray",
    "zarr": "xarr.adapters.zarr",
}
"""The modules that adapt a library, by the module of the library that is told."""


class Watcher:
    """Imports the adapter of a library after the library.

    It finds no module itself: it asks the other finders, and stands before the loader of theirs.
    """

    def __init__(self) -> None:
        self._asked: set[str] = set()  # of the other finders, just now

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The other finders' specification of a library; None of all other modules."""
        adapter = ADAPTERS.get(fullname)
        if adapter is None or fullname in self._asked:
            return None
        self._asked.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asked.remove(fullname)  # who asks may not import it
        if spec is not None and spec.loader is not None:
            spec.loader = cast(Any, _Followed(spec.loader, adapter))
        return spec


class _Followed:
    """A loader, which may be that of other modules as well, and the adapter behind one module."""

    def __init__(self, loader: Any, adapter: str) -> None:
        self._loader = loader
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The loader's module."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Import the library, whose loader is its own from now on, then the adapter."""
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _adapt(self._adapter)


def _adapt(adapter: str) -> None:
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


def watch() -> None:
    """Adapt the libraries that are imported, and from now on those that will be."""
    for library, adapter in ADAPTERS.items():
        if library in sys.modules:
            _adapt(adapter)
    sys.meta_path.insert(0, Watcher())
    # All finalizers run at the program's end by one handler, which the first finalizer registers.
    # As handlers run in reverse order, a program's own still find the memory that Numba frees so.
    weakref.finalize(watch, int)
