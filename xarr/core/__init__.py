"""The core: what is asked for is recorded, recognised and run; compiled where it can be.

Which of the two runs, the compiled file or its source, is decided here, before it is imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from xarr.errors import message, warn
from xarr.settings import IMPORTED

_SOURCE = Path(__file__).with_name("tape.py")
_COMPILED = _SOURCE.with_name("compiled")
"""In a checkout, the source that was compiled."""

why_interpreted = ""
"""Why the source runs although it may be compiled."""

if IMPORTED.pure:
    why_interpreted = "XARR_PURE is set"
elif _COMPILED.exists() and _COMPILED.read_bytes() != _SOURCE.read_bytes():
    why_interpreted = "xarr/core/tape.py was edited since it was compiled"
    warn(
        message(
            "import xarr.core",
            why_interpreted,
            "the edited source runs, interpreted and slower",
            "compile it with python -m pip install --editable ., or set XARR_PURE=1",
        ),
        RuntimeWarning,
    )

if why_interpreted:
    # For this folder alone, a finder that knows no compiled files.
    sys.path_importer_cache[__path__[0]] = FileFinder(
        __path__[0], (SourceFileLoader, SOURCE_SUFFIXES)
    )
