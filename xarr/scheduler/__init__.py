"""Which instructions of a list are one kernel, and which memory that kernel has."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.scheduler import instructions as instructions, schedule as schedule
else:
    __getattr__ = lazy.modules(__name__)
