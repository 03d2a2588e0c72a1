"""Matrices of powers."""

from __future__ import annotations

from typing import SupportsIndex

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of
from xarr.array.operands import integer
from xarr.engine import engine
from xarr.errors import value_error
from xarr.functions.create import fills
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation


def vander(
    x: ArrayLike,
    N: SupportsIndex | None = None,  # noqa: N803 - NumPy's name
    increasing: bool = False,
) -> Array:
    """Make the Vandermonde matrix of numbers: their powers in each row, multiplied up from 1.

    N : int, optional -- The number of columns; as many as numbers where None.
    increasing : bool -- Whether the powers go up from 0 to N - 1, or down.

    >>> xarr.vander(xarr.asarray([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    where = "vander(x, N)"
    given = array_of(x, where)
    if given.ndim != 1:
        raise value_error(where, f"x has {given.ndim} dimensions", "one dimension is accepted")
    columns = given.size if N is None else integer(N, where, "N")
    row = dtypes.promote(given._node.dtype, dtypes.int64)
    powers = fills.ones((given.size, columns), row, device=given.device)
    if columns > 1:
        base = Array(engine.converted(given._node, row))
        powers[:, 1:] = manipulation.reshape(base, (-1, 1))
        powers = reductions.cumulative_prod(powers, axis=1)
    return powers if increasing else manipulation.flip(powers, axis=1).copy()
