"""Reading and writing parts of arrays, and where values are."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.index import indexing as indexing, put as put, searching as searching
else:
    __getattr__ = lazy.modules(__name__)
