"""Arrays as files, text, bytes and pictures."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.io import bits as bits, notebooks as notebooks, printing as printing
else:
    __getattr__ = lazy.modules(__name__)
