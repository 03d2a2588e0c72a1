"""Reading and writing parts of arrays, and where values are."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.index import (
        flat as flat,
        indexing as indexing,
        placing as placing,
        searching as searching,
        selecting as selecting,
    )
