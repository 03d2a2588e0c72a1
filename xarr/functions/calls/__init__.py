"""How functions take their arguments, warn, and run on the host."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.calls import applying as applying, on_host as on_host
