"""The modules of public names, such as `xarr` and `xarr.linalg`: what they hold, imported late.

A name is imported at its first use, and its docstring is completed then. So a program pays for the
chapters that it calls, and for no others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from xarr import lazy


def public(space: str, source: str = "") -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a module of public names.

    space : str -- The module, whose names are imported under `TYPE_CHECKING`.
    source : str -- What defines its functions, if not the standard or NumPy.
    """
    module = sys.modules[space]
    below = lazy.modules(space)
    statements: dict[str, tuple[str, str]] = {}

    def listed() -> dict[str, tuple[str, str]]:
        if not statements:
            statements.update(lazy.imports(space))
        return statements

    def __getattr__(name: str) -> Any:  # noqa: N807 - what Python calls it
        if name == "__all__":
            return __dir__()
        if name not in listed():
            try:
                return below(name)
            except AttributeError:
                from xarr.functions.names.missing_names import missing

                raise missing(space, name, __dir__()) from None
        value = lazy.imported(space, *statements[name])
        if not isinstance(value, ModuleType):
            from xarr.functions.names.docstrings import complete_public

            complete_public(value, source)
        setattr(module, name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        internal = {name for name in vars(module) if f"{space}.{name}" in sys.modules}
        names = {*vars(module)} - internal | {*listed()}
        return sorted(name for name in names if not name.startswith("_"))

    return __getattr__, __dir__
