"""Arrays as files, text, bytes and pictures."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.io import as_bytes as as_bytes, printing as printing
