"""Whether the core runs compiled: the modules of five packages that have a `.pxd` beside them.

All of them are compiled or none. Which of the two runs, the compiled files or their sources, is
decided here, before one is imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from xarr.errors import message, warn
from xarr.settings import IMPORTED

_FOLDERS = [
    Path(__file__).with_name(name) for name in ("array", "ir", "runtime", "tape", "transforms")
]
_COMPILED = Path(__file__).with_name("compiled")
"""In a checkout, the sources that were compiled, one behind the other by their paths."""

why_interpreted = ""
"""Why the sources run although they may be compiled."""

if IMPORTED.pure:
    why_interpreted = "XARR_PURE is set"
elif _COMPILED.exists():
    _types = [file for folder in _FOLDERS for file in sorted(folder.glob("*.pxd"))]
    _sources = [one.read_bytes() for file in _types for one in (file.with_suffix(".py"), file)]
    if _COMPILED.read_bytes() != b"".join(_sources):
        why_interpreted = "a source of the core was edited since it was compiled"
        warn(
            message(
                "import xarr",
                why_interpreted,
                "the edited source runs, interpreted and slower",
                "compile it with python -m pip install --editable ., or set XARR_PURE=1",
            ),
            RuntimeWarning,
        )

if why_interpreted:
    # For these folders alone, a finder that knows no compiled files.
    for _path in map(str, _FOLDERS):
        sys.path_importer_cache[_path] = FileFinder(_path, (SourceFileLoader, SOURCE_SUFFIXES))
