"""Whether this folder is xarr's alone: on PyPI the name `xarr` is another project's.

That project's package has the same folder. Installed after `xarr-array`, it replaces `__init__.py`;
installed before, it leaves its files beside ours; uninstalled, it takes our `__init__.py` along.
`xarr/__init__.py` imports this module first, and so do the commands, which run where
`__init__.py` is not ours. It raises ImportError then.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from xarr.errors import message

NAME: Final = "xarr-array"
"""The distribution's name. The import's is `xarr`."""

FOLDER: Final = os.path.dirname(__file__)

_OTHERS_FILE: Final = os.path.join(FOLDER, "_modidx.py")
"""The index that nbdev writes into the other project's package."""

REMEDY: Final = f"python -m pip uninstall --yes xarr {NAME}, then install {NAME} again"


def other_project() -> str:
    """Return the version and folder of the other project's package; nothing where it is not."""
    from importlib import metadata  # here, as to import it takes milliseconds

    # A distribution without the file is a clone's, installed before it was called xarr-array.
    for found in metadata.distributions(name="xarr"):
        for file in found.files or ():
            if file.as_posix() == "xarr/__init__.py":
                return f"xarr {found.version} in {os.path.dirname(os.path.abspath(file.locate()))}"
    return ""


def _problem() -> str:
    """Return which files are mixed in this folder, and whose `__init__.py` is imported."""
    package = sys.modules["xarr"]
    is_ours = "_math" in vars(package)  # `xarr/__init__.py` binds it before it imports this module
    if is_ours and not os.path.exists(_OTHERS_FILE):
        return ""
    if package.__file__ is None:
        return f"{FOLDER} has no __init__.py; uninstalling another project's xarr took it along"
    other = other_project().partition(" in ")[0] or "xarr"
    mixed = f"{FOLDER} has files of {NAME} and of another project, {other}"
    return f"{mixed}; {NAME if is_ours else 'the other project'} is imported"


if _text := _problem():
    raise ImportError(message("import xarr", _text, "only one of them can be installed", REMEDY))
