"""How functions take their arguments, warn, and run on the host."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.calls import on_host as on_host, row_calls as row_calls
else:
    __getattr__ = lazy.modules(__name__)
