"""Registration of Arrays with other libraries, with each once it is imported.

A library that asks a registry of its own for the types it knows has an entry of xarr's in it from
the moment that both are imported, whichever is first.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

ADAPTERS: Final = {
    "dask.array": "xarr.adapters.dask",
    "distributed": "xarr.adapters.distributed",
    "einops": "xarr.adapters.einops",
    "matplotlib.axes": "xarr.adapters.matplotlib",
    "pandas": "xarr.adapters.pandas",
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
            from xarr.adapters.following import Followed

            spec.loader = Followed(spec.loader, adapter)
        return spec


def watch() -> None:
    """Adapt the libraries that are imported, and from now on those that will be."""
    for library, adapter in ADAPTERS.items():
        if library in sys.modules:
            from xarr.adapters.following import adapt

            adapt(adapter)
    sys.meta_path.insert(0, Watcher())
