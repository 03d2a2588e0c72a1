"""Grids, iterators, and Python functions that are called for lines or elements, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xarr

pytestmark = pytest.mark.usefixtures("device", "each_tier")


def test_keys_are_made_of_brackets() -> None:
    assert xarr.s_[2::2] == slice(2, None, 2)
    assert xarr.s_[1, ..., None] == (1, ..., None)
    assert xarr.index_exp[2::2] == (slice(2, None, 2),)
    assert xarr.arange(10)[xarr.s_[2:8:3]].tolist() == [2, 5]
    with pytest.raises(TypeError, match="there are no matrices"):
        xarr.r_["r", [1, 2]]
    with pytest.raises(ValueError, match="up to three integers"):
        xarr.r_["a,b", [1, 2]]


def test_views_of_grids_are_views() -> None:
    line = xarr.asarray([1, 2, 3])
    rows, columns = xarr.meshgrid(line, line, copy=False, sparse=True)
    rows[0, 1] = 9
    assert line.tolist() == [1, 9, 3]
    assert columns.tolist() == [[1], [9], [3]]


def test_indices_are_iterated_over() -> None:
    for shape in ((2, 3), (2,), (), (0, 2), (2, 0), (1, 1, 2)):
        assert list(xarr.ndindex(*shape)) == list(np.ndindex(*shape)), shape
        assert list(xarr.ndindex(shape)) == list(np.ndindex(shape)), shape
    assert list(xarr.ndindex(2)) == [(0,), (1,)]
    x = np.arange(6.0).reshape(2, 3).T
    pairs = list(xarr.ndenumerate(xarr.asarray(x)))
    assert [(place, float(value)) for place, value in pairs] == list(np.ndenumerate(x))
    assert [(place, int(value)) for place, value in xarr.ndenumerate(3)] == [((), 3)]


def test_elements_stand_side_by_side() -> None:
    first, second = np.arange(3), np.arange(2).reshape(2, 1)
    wanted = np.broadcast(first, second)
    got = xarr.broadcast(xarr.asarray(first), xarr.asarray(second))
    for name in ("shape", "nd", "ndim", "size", "numiter", "index"):
        assert getattr(got, name) == getattr(wanted, name), name
    assert [tuple(map(int, pair)) for pair in got] == [tuple(map(int, pair)) for pair in wanted]
    assert got.index == wanted.index == 6
    got.reset()
    assert tuple(map(int, next(got))) == (0, 0)
    with pytest.raises(ValueError, match="broadcast"):
        xarr.broadcast(xarr.ones(2), xarr.ones(3))


def test_nditer_iterates_on_the_host() -> None:
    x = np.arange(6).reshape(2, 3)
    array = xarr.asarray(x)
    assert [int(item) for item in xarr.nditer(array)] == [int(item) for item in np.nditer(x)]
    steps = xarr.nditer(array, flags=["multi_index"])
    seen = []
    while not steps.finished:
        seen.append((steps.multi_index, int(steps[0])))
        steps.iternext()
    assert seen == list(np.ndenumerate(x))
    for item in xarr.nditer(array, op_flags=["readwrite"]):
        item[...] = 2 * item
    assert array.tolist() == (2 * x).tolist()
    with xarr.nditer([array, None], flags=["external_loop"]) as both:
        for given, made in both:
            made[...] = given * given
        (_, squares) = both.operands
    assert squares.tolist() == (4 * x * x).tolist()
    with xarr.nditer(array, op_flags=["writeonly"], flags=["multi_index"]) as steps:
        for item in steps:
            item[...] = steps.multi_index[0]
    assert array.tolist() == [[0, 0, 0], [1, 1, 1]]
    pairs = [(int(a), int(b)) for a, b in xarr.nditer([xarr.arange(3), xarr.asarray([[1], [2]])])]
    assert pairs == [(int(a), int(b)) for a, b in np.nditer([np.arange(3), [[1], [2]]])]
    with pytest.raises(TypeError, match="an operand is of type int"):
        xarr.nditer([1, 2], op_flags=["readwrite"])


def test_frompyfunc_gives_numbers() -> None:
    add = xarr.frompyfunc(lambda a, b: a + b, 2, 1)
    x = xarr.asarray([[1, 2], [3, 4]])
    assert add(x, 10).tolist() == [[11, 12], [13, 14]]
    assert add(x, 10).dtype == np.int64
    assert add.reduce(x, axis=1).tolist() == [3, 7]
    assert add.accumulate(x, axis=0).tolist() == [[1, 2], [4, 6]]
    assert add.outer([1, 2], [10, 20]).tolist() == [[11, 21], [12, 22]]
    both = xarr.frompyfunc(divmod, 2, 2)
    assert [part.tolist() for part in both([7, 8], 3)] == [[2, 2], [1, 2]]
    assert int(add(1, 2)) == 3
    with pytest.raises(TypeError):
        xarr.frompyfunc(str, 1, 1)(x)


def test_options_of_vectorize_can_be_set() -> None:
    calls = list[float]()

    @xarr.vectorize
    def squared(a: float) -> float:
        calls.append(a)
        return a**2

    squared.cache = True
    assert squared.cache
    assert squared(xarr.arange(4)).tolist() == [0, 1, 4, 9]
    assert len(calls) == 4
    assert squared.otypes is None
    squared.otypes = "f"
    assert squared(xarr.zeros((0, 5))).shape == (0, 5)
    assert squared([3]).dtype == np.float32


def test_vectorize_decorates() -> None:
    @xarr.vectorize
    def larger(a: float, b: float) -> float:
        """The larger one."""
        return max(b, a)

    assert larger.__doc__ == "The larger one."
    assert larger([1, 5], 3).tolist() == [3, 5]

    @xarr.vectorize(otypes=["float32"], doc="Half.")
    def half(a: float) -> float:
        return a / 2

    assert half.__doc__ == "Half."
    assert half(xarr.arange(2)).dtype == np.float32

    class Offset:
        by = 3

        @xarr.vectorize
        def add(self, a: float) -> float:
            return a + self.by

    assert Offset().add(xarr.arange(2)).tolist() == [3, 4]


SCALE = 2.5


def bounced(x: float, limit: float) -> float:
    """Conditions with returns, a name outside, an integer and a float in the branches."""
    y = 0
    if not x <= limit:
        y = x - 2 * limit
        if y > 1e300:
            return math.copysign(SCALE, y)
    elif x < -1 or x == 0:
        return -x / 3 if x else -0.0
    y *= SCALE
    return abs(y) * 0.1 + (x > 0) + math.pi


def below(x: float) -> float:
    """A bool at first, a float elsewhere."""
    return x < 2 or x


def unset(x: float) -> float:
    """A name that some elements do not set."""
    if x > 0:
        y = x
    return y


def without_end(x: float) -> float:
    """Integers that get large."""
    n = 1 if x > 0 else 2
    for _ in range(70):
        n = n * 3
    return n % 7 + x


def rooted(x: float) -> float:
    """Raises for negative numbers."""
    return math.sqrt(x)


def inverse(x: float) -> float:
    """Raises for 0."""
    return 1 / x


def whole(x: float) -> float:
    """An integer first, so floats are cut."""
    return 1 if x != x else x + 0.5


VALUES = (np.nan, -0.0, 0.0, 1.5, -3.7, 1e308, -1e308, np.inf, -np.inf, 5e-324, 0.1, 3.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("function", "others", "on_device"),
    [
        (bounced, (0.1,), (None, "d", "f")),
        (bounced, (1,), ()),
        (bounced, (2**70,), ()),
        (below, (), (None, "d", "f")),
        (whole, (), ("d", "f")),
        (without_end, (), ()),
    ],
)
def test_vectorize_gives_the_same_on_the_device(
    function: Any, others: tuple[Any, ...], on_device: tuple[Any, ...], dtype: str
) -> None:
    if not xarr.default_device().has_float64:
        pytest.skip("no float64")
    calls = list[int]()
    for values in (VALUES[1:], VALUES[:0:-1]):
        with np.errstate(all="ignore"):
            host = np.asarray([np.nan, *values[:4]] if function is whole else values).astype(dtype)
        for otypes in (None, "d", "f"):
            ours, theirs = (np.vectorize(function, otypes=otypes), xarr.vectorize(function, otypes))
            with np.errstate(all="ignore"):
                try:
                    wanted = ours(host, *others)
                except Exception as error:  # noqa: BLE001 - both raise the same
                    with pytest.raises(type(error)):
                        theirs(xarr.asarray(host), *others)
                    continue
                calls.clear()
                got = xarr.to_numpy(_counted(theirs, calls)(xarr.asarray(host), *others))
            assert got.dtype == wanted.dtype
            assert got.tobytes() == wanted.tobytes() or np.array_equal(got, wanted, equal_nan=True)
            assert (len(calls) == 0) is (otypes in on_device)


def _counted(vectorized: Any, calls: list[int]) -> Any:
    """Note the calls of NumPy's class."""
    host = vectorized._host

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(1)
        return host(*given, **named)

    vectorized._host = counted
    return vectorized


def test_vectorize_raises_what_python_raises() -> None:
    x = xarr.asarray([1.0, 0.0, -1.0])
    with pytest.raises(ValueError, match="math domain|nonnegative"):
        xarr.vectorize(rooted)(x)
    with pytest.raises(ZeroDivisionError):
        xarr.vectorize(inverse, otypes="d")(x)
    with pytest.raises(UnboundLocalError):
        xarr.vectorize(unset)(x)
    with pytest.raises(TypeError):
        xarr.vectorize(bounced)(x)
    y = xarr.vectorize(lambda_free)(x)
    y[0] = 7
    assert x.tolist() == [1, 0, -1]  # the result is another array
    assert xarr.vectorize(second)(x, xarr.ones((2, 3))).shape == (2, 3)


def lambda_free(x: float) -> float:
    """Its argument."""
    return x


def second(x: float, y: float) -> float:
    """Ignores one argument."""
    return x
