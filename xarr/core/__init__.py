"""The core: what is asked for is recorded, recognised and run; compiled where it can be.

Each module that has a `.pxd` beside it is compiled, all of them or none. Which of the two runs, the
compiled files or their sources, is decided here, before one is imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from xarr.errors import message, warn
from xarr.settings import IMPORTED

_FOLDER = Path(__file__).parent
_COMPILED = _FOLDER / "compiled"
"""In a checkout, the sources that were compiled, one behind the other by their names."""

why_interpreted = ""
"""Why the sources run although they may be compiled."""

if IMPORTED.pure:
    why_interpreted = "XARR_PURE is set"
elif _COMPILED.exists():
    _sources = [(file.with_suffix(".py"), file) for file in sorted(_FOLDER.glob("*.pxd"))]
    if _COMPILED.read_bytes() != b"".join(one.read_bytes() for two in _sources for one in two):
        why_interpreted = "a source in xarr/core was edited since it was compiled"
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
