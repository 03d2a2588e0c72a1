"""Whether the core runs compiled: the modules of six packages that have a `.pxd` beside them.

All of them are compiled or none. Which of the two runs, the compiled files or their sources, is
decided here, before one is imported. A warning says why a clone runs its sources.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, SourceFileLoader

from xarr.errors import message
from xarr.settings import IMPORTED

_PACKAGE = os.path.dirname(__file__)
_NAMES = ("array", "backends", "ir", "runtime", "tape", "transforms")
_FOLDERS = [os.path.join(_PACKAGE, name) for name in _NAMES]
_COMPILED = os.path.join(_PACKAGE, "compiled")
"""In a checkout, the sources that were compiled, one behind the other by their paths."""
_LIBRARY = os.path.join("tape", f"tape{EXTENSION_SUFFIXES[0]}")
"""A compiled module, which is there where all of them are."""
_BUILDER = os.path.join(os.path.dirname(_PACKAGE), "hatch_build.py")
"""The file that compiles the core, which a clone and an unpacked source distribution have."""

why_interpreted = ""
"""Why the sources run although they may be compiled."""


def _why_not_compiled() -> str:
    """Return why a clone without a compiled core should have one; nothing where none can be."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    ours = f"the core of the clone {os.path.dirname(_BUILDER)} is not compiled for Python {version}"
    for folder in sys.path:
        if os.path.exists(os.path.join(folder, "xarr", _LIBRARY)):
            return f"{ours}, while the xarr installed in {folder} is"
    import shutil
    import sysconfig

    compiler = str(sysconfig.get_config_var("CC") or "cl").split()[0]  # Windows names none
    headers = os.path.join(sysconfig.get_path("include"), "Python.h")
    can_compile = shutil.which(compiler) and os.path.exists(headers)
    return f"{ours}, and {compiler} can do so" if can_compile else ""


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if IMPORTED.pure:
    why_interpreted = "XARR_PURE is set"
elif os.path.exists(_COMPILED):
    _files = [os.path.join(path, name) for path in _FOLDERS for name in sorted(os.listdir(path))]
    _types = [os.path.splitext(file)[0] for file in _files if file.endswith(".pxd")]
    _sources = [_read(stem + suffix) for stem in _types for suffix in (".py", ".pxd")]
    if _read(_COMPILED) != b"".join(_sources):
        why_interpreted = "a source of the core was edited since it was compiled"
_is_there = os.path.exists(os.path.join(_PACKAGE, _LIBRARY))
if not (why_interpreted or _is_there) and os.path.exists(_BUILDER):
    why_interpreted = _why_not_compiled()
if why_interpreted and not IMPORTED.pure:
    warnings.warn(
        message(
            "import xarr",
            why_interpreted,
            "the source runs, interpreted and slower",
            "compile it with python -m pip install --editable ., or set XARR_PURE=1",
        ),
        RuntimeWarning,
        stacklevel=3,  # the line that imports xarr: Python leaves out the frames of imports
    )

if why_interpreted:
    # For these folders alone, a finder that knows no compiled files.
    for _path in _FOLDERS:
        sys.path_importer_cache[_path] = FileFinder(_path, (SourceFileLoader, SOURCE_SUFFIXES))
