"""Products, norms, factorizations, and what they solve."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xarr.functions.linalg import matrices as matrices, products as products
