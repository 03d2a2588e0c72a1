"""Products, norms, factorizations, and what they solve."""

from typing import TYPE_CHECKING

from xarr import lazy

if TYPE_CHECKING:
    from xarr.functions.linalg import (
        matrices as matrices,
        numpy_products as numpy_products,
        products as products,
    )
else:
    __getattr__ = lazy.modules(__name__)
