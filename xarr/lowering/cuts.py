"""How a reduction is cut into pieces, which decides its bits: for kernels and for NumPy alike.

It needs no other module of this folder, as programs whose sums NumPy computes load no kernels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 256
PIECE: Final = 64 * WIDTH
COLUMN_PIECE: Final = 1024
SHORT: Final = 16
"""Up to this many elements an axis is reduced in order, by one item."""
_COLUMN_ITEMS: Final = 1 << 17
_NARROW: Final = 4
_MANY_ROWS: Final = 1024
"""From so many rows of up to `_NARROW` columns on, a row counts as one: an item may reduce all of
its columns, and there are too few items otherwise. On an H200 a step of n-body of 4,000 takes 120
us with an item for each piece of ten, and 61 with 32 pieces."""
_FEW_PIECES: Final = 256
"""Up to so many accumulators of columns are joined by one pass."""


def cut_axis(
    outer: int, length: int, behind: Sequence[int], *, is_first: bool
) -> tuple[int, int, bool]:
    """Cut an axis; return the number of pieces, their length, and whether columns are walked.

    `behind` has the extents of the axes behind it. `is_first` is whether elements are reduced, not
    the results of an earlier pass. Where columns are walked, an item reduces a piece of a column.
    """
    inner = math.prod(behind)
    if inner == 1 and (length > SHORT or not is_first):
        return -(-length // PIECE), PIECE, False
    if length <= (SHORT if is_first else _FEW_PIECES):
        return 1, length, True
    if not is_first:
        piece_length = math.isqrt(length - 1) + 1  # as long as the pass after it
        return -(-length // piece_length), piece_length, True
    columns = next(extent for extent in reversed(behind) if extent > 1)
    abreast = outer * inner
    if columns <= _NARROW and abreast // columns > _MANY_ROWS:
        abreast //= columns
    wanted = max(-(-length // COLUMN_PIECE), _COLUMN_ITEMS // abreast, 1)
    pieces = min(wanted, -(-length // 32))
    piece_length = -(-length // pieces)
    return -(-length // piece_length), piece_length, True
