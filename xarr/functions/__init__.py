"""The standard's and NumPy's chapters: arguments, docstrings, errors."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions import (
        calls as calls,
        create as create,
        elementwise as elementwise,
        index as index,
        io as io,
        linalg as linalg,
        python as python,
        reduce as reduce,
        shape as shape,
        sort as sort,
        types as types,
    )
else:
    __getattr__ = lazy.modules(__name__)
