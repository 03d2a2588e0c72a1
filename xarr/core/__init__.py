"""The core: what is asked for is recorded, recognised and run; compiled where it can be."""

from __future__ import annotations

import sys
import warnings
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from xarr.settings import settings

_SOURCE = Path(__file__).parent / "tape.py"
_COMPILED = _SOURCE.with_name("compiled")
"""In a checkout, the source that was compiled."""


def _is_edited() -> bool:
    """Whether the source is another one than was compiled."""
    return _COMPILED.exists() and _COMPILED.read_bytes() != _SOURCE.read_bytes()


def _interpret() -> None:
    """Have the source imported as it is, though it was compiled."""
    name = f"{__name__}.tape"
    spec = spec_from_file_location(name, _SOURCE, loader=SourceFileLoader(name, str(_SOURCE)))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)


if settings().pure:
    _interpret()
elif _is_edited():
    warnings.warn(
        f"{_SOURCE} was edited since it was compiled, so it runs interpreted; compile it again "
        "with pip install --editable .",
        RuntimeWarning,
        stacklevel=2,
    )
    _interpret()
