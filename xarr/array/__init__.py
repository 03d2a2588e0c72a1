"""The array, its operators, and the way of values in and out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # at run time a module is a name of its package once it is imported
    from xarr.array import (
        callers as callers,
        interchange as interchange,
        layouts as layouts,
        memory as memory,
        operators as operators,
        views as views,
    )
