"""Functions of each element, and NumPy's `ufunc` that they are."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.elementwise import (
        arithmetic as arithmetic,
        elementwise as elementwise,
        ufunc_methods as ufunc_methods,
    )
else:
    __getattr__ = lazy.modules(__name__)
