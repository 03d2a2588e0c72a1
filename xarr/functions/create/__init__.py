"""Arrays made of values, of shapes, of formulas and of memory."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.create import creation as creation
else:
    __getattr__ = lazy.modules(__name__)
