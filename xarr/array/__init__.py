"""The array, its operators, and the way of values in and out."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.array import (
        buffer_protocols as buffer_protocols,
        exchange as exchange,
        flags as flags,
        layouts as layouts,
        numpy_protocols as numpy_protocols,
        other_operands as other_operands,
    )
else:
    __getattr__ = lazy.modules(__name__)
