"""The standard's and NumPy's chapters: arguments, docstrings, errors."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # at run time a module is a name of its package once it is imported
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
