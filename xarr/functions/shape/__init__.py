"""Other shapes and orders, and arrays joined, split, repeated and padded."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.shape import joining as joining, manipulation as manipulation
else:
    __getattr__ = lazy.modules(__name__)
