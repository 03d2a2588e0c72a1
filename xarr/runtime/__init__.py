"""Running instructions: the choice between NumPy and kernels, and the loop over steps."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.runtime import profiling as profiling
else:
    __getattr__ = lazy.modules(__name__)
