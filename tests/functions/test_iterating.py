"""Grids, iterators, and Python functions that are called for lines or elements, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each, refused

pytestmark = pytest.mark.usefixtures("device", "each_tier")


CALLS = """
{np.s_[2::2]|np.s_[1, ..., None]|np.index_exp[2::2]}
np.arange(10)[np.s_[2:8:3]]
line = np.asarray([1, 2, 3]); grid = np.meshgrid(line, line, copy=False, sparse=True)
... grid[0][0, 1] = 9
list(np.ndindex({|*}{(2, 3)|(2,)|()|(0, 2)|(2, 0)|(1, 1, 2)}))
list(np.ndindex(2))
[(place, float(value)) for place, value in np.ndenumerate({x.T|3})]
_b = np.broadcast(np.arange(3), np.arange(2).reshape(2, 1))
... a = (_b.shape, _b.nd, _b.ndim, _b.size, _b.numiter, _b.index)
... b = [tuple(map(int, pair)) for pair in _b]; c = _b.index; _b.reset()
... d = tuple(map(int, next(_b)))
np.broadcast(np.ones(2), np.ones(3)) ! ValueError: broadcast
[int(item) for item in np.nditer(x)]
_steps = np.nditer(x, flags=["multi_index"]); seen = []
... while not _steps.finished:
...     seen.append((_steps.multi_index, int(_steps[0])))
...     _ = _steps.iternext()
for _item in np.nditer(x, op_flags=["readwrite"]):
...     _item[...] = 2 * _item
with np.nditer([x, None], flags=["external_loop"]) as _both:
...     for _given, _made in _both:
...         _made[...] = _given * _given
...     squares = _both.operands[1]
with np.nditer(x, op_flags=["writeonly"], flags=["multi_index"]) as _steps:
...     for _item in _steps:
...         _item[...] = _steps.multi_index[0]
[(int(a), int(b)) for a, b in np.nditer([np.arange(3), np.asarray([[1], [2]])])]
"""


@each(CALLS)
def test_as_numpy(call: str) -> None:
    check(call, x=np.arange(6).reshape(2, 3))


@each("""
np.r_["r", [1, 2]] ! TypeError: as xarr has no matrices
np.r_["a,b", [1, 2]] ! ValueError: up to three integers
np.nditer([1, 2], op_flags=["readwrite"]) ! TypeError: an operand is of type int
np.frompyfunc(str, 1, 1)(np.ones(2)) ! TypeError: frompyfunc
""")
def test_what_is_refused(call: str) -> None:
    call, _, error = call.partition(" ! ")
    refused(lambda: eval(call, {"np": xarr}), error)


# NumPy's are arrays of objects.
OBJECTS = """
add(x, {10|x})
add.reduce(x, axis={0|1})
add.accumulate(x, axis=0)
add.outer([1, 2], [10, 20])
[part for part in np.frompyfunc(divmod, 2, 2)([7, 8], 3)]
int(add(1, 2))
"""


@each(OBJECTS)
def test_frompyfunc_gives_numbers(call: str) -> None:
    got, wanted = (
        eval(call, {"np": one, "x": x, "add": one.frompyfunc(lambda a, b: a + b, 2, 1)})
        for one, x in ((xarr, xarr.asarray([[1, 2], [3, 4]])), (np, np.asarray([[1, 2], [3, 4]])))
    )
    assert np.asarray(got).dtype == np.int64
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted).astype(int))


@pytest.mark.parametrize("dtype", ["float32", "bool", "complex64", "int8"])
def test_iteration_sees_what_is_written_meanwhile(dtype: str) -> None:
    def seen(x: Any) -> Any:
        found = []
        for position, value in enumerate(x):
            found.append(complex(value))
            if isinstance(value, xarr.Array):
                value[...] = 1  # a copy, as NumPy's scalars are
            if position % 3 == 1:
                x[position + 1 :] = x[: len(x) - position - 1] + x[position]
        return found

    host = (np.arange(3000) % 5).astype(dtype)
    for part in (slice(None), slice(None, None, -2)):
        assert seen(xarr.asarray(host, copy=True)[part]) == seen(host.copy()[part])
    with xarr.no_implicit_transfer():
        assert len([*xarr.asarray(host)]) == 3000


def test_rows_are_views_as_the_array_lies() -> None:
    host = np.arange(24.0).reshape(4, 6)
    x, lines = xarr.asarray(host, copy=True), []
    for line in x.T:
        line[...] = line + 1
        lines.append(line)
    assert (np.asarray(x) == host + 1).all()
    assert lines[0].base is x
    assert [line.tolist() for line in xarr.ones((2, 3))] == [[1, 1, 1]] * 2
    rows = iter(x)
    next(rows)
    x.shape = (4, 3, 2)
    assert next(rows).shape == (3, 2)
    assert len(list(rows)) == 2
    nan = np.frombuffer(b"\x01\x00\xc0\x7f" * 2, "float32")
    assert [np.asarray(one).tobytes() for one in xarr.asarray(nan)] == [nan[:1].tobytes()] * 2


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


def test_an_array_that_gets_shorter_ends_its_iteration() -> None:
    x, given = xarr.arange(4.0), np.arange(4.0)
    both = iter(x), iter(given)
    assert [float(next(one)) for one in both] == [0.0, 0.0]
    x.shape = given.shape = (2, 2)
    for found, wanted in zip(*both, strict=True):
        np.testing.assert_array_equal(found, wanted)
