"""What `python -m xarr` runs in the folder of a clone called xarr, where xarr is not installed.

Python takes the clone for a package without code there, so that `import xarr` is silent and
`xarr.arange` an AttributeError. An `__init__.py` here would say it at the import, but in the
place of an installed xarr as well, and pytest and mypy would take the clone for a package.
"""

import sys
from pathlib import Path

CLONE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.exit(
        f"python -m xarr: {CLONE} is a clone, whose package is its folder xarr, and xarr is not "
        f'installed for {sys.executable}; python -m pip install --editable "{CLONE}", or start '
        f"Python in {CLONE}"
    )
