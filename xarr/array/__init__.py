"""The array, its operators, and the way of values in and out."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.array import (
        callers as callers,
        interchange as interchange,
        layouts as layouts,
        memory as memory,
        operators as operators,
        views as views,
    )
else:
    __getattr__ = lazy.modules(__name__)
