"""A Python integer that an array's data type does not hold: refused, or compared, as NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each

REFUSED = """
x.__setitem__({0, v|slice(1, 3), v|slice(1, 3), [v, 1]|x > 1, v|x > 1, [v, 1]}) ! OverflowError
x.__setitem__(np.asarray([0, 2]), v) ! OverflowError
x.fill(v) ! OverflowError
np.full(3, v, dtype=x.dtype) ! OverflowError
np.full_like(x, v) ! OverflowError
np.put(x{, [0], v|, [0, 1], [v, 1]}) ! OverflowError
np.{place|putmask}(x, x > 1, v) ! OverflowError
np.put_along_axis(x, np.asarray([0]), v, 0) ! OverflowError
np.copyto(x{, v|, v, where=x > 1}) ! OverflowError
np.fill_diagonal(x.reshape(2, 2), v) ! OverflowError
x.flat.__setitem__({slice(0, 2), v|[0, 1], [v, 1]}) ! OverflowError
np.insert(x, 1, v) ! OverflowError
x + v ! OverflowError
x.__iadd__(v) ! OverflowError
np.maximum(x, v) ! OverflowError
np.asarray([v, 1], dtype=x.dtype) ! OverflowError
np.max(x, initial=v) ! OverflowError
np.clip(u, {300, None|None, -1|-300, -1|300, 400}) ! OverflowError
"""
HELD = """
np.put(x{, [0, 1], [2.5, 1]|, [0], np.asarray([7.9])})
np.fill_diagonal(x.reshape(2, 2), 7.9)
x.flat.__setitem__([0, 1], [2.5, 1])
np.copyto(x, 9, where=x > 1)
x < v
x == 2 ** 70
np.clip(x, v, 2 ** 40)
x.clip({max=2 ** 40|1, 2 ** 70})
np.clip(x.astype("int8"), np.full(4, 500), 400)
np.isin({x, v|2 ** 40, x})
np.searchsorted(x{, 2 ** 40|, v})
np.dot({x, 2 ** 40|x.astype("float32"), 2.0})
np.inner(3, x)
np.{kron|outer}(x, 3)
np.outer(x, True)
np.clip(u, {-1, 129|-1, 5|3, 2**300|None, 2**300|-(2**65), 2**65})
"""


@each(REFUSED + HELD)
def test_as_numpy(call: str) -> None:
    x, u = np.arange(4, dtype="int32"), np.arange(4, dtype="uint8")
    check(call, x=x, u=u, v=-4611686009837453310)


def test_an_index_beyond_int64_is_out_of_range() -> None:
    x = xarr.arange(4)
    for index in (2**64 - 1, [2**63], xarr.asarray([2**64 - 1], dtype="uint64")):
        with pytest.raises(IndexError):
            xarr.take(x, index)
        with pytest.raises(IndexError):
            xarr.put(x, index, 5)
        with pytest.raises(IndexError):
            xarr.insert(x, index, 5)
    assert xarr.take(x, xarr.asarray([3, 0], dtype="uint64")).tolist() == [3, 0]
