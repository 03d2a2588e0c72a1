"""Functions and iteration that Python runs, and what its numbers have."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.python import nditer as nditer, scalars as scalars
else:
    __getattr__ = lazy.modules(__name__)
