"""An array without axes stands for a number, in Python's own containers and libraries too."""

from __future__ import annotations

import collections
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy
import pytest

import xarr as np
from tests.functions.calls import check, each_line
from tests.reference import assert_same
from xarr import dtypes
from xarr.ops import elementwise
from xarr.tape import builder

pytestmark = pytest.mark.usefixtures("each_tier")


def test_elements_are_keys_by_their_value(device: np.Device) -> None:
    y = np.asarray([0, 1, 1], device=device)
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == {0: 1, 1: 2}
    assert set(y) == {0, 1}
    assert collections.Counter(y) == {1: 2, 0: 1}
    assert {0: "a", 1: "b"}[y[2]] == "b"
    assert hash(np.asarray([0.5]).sum()) == hash(0.5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(y)
    with pytest.raises(TypeError, match="unhashable"):
        hash(np.asarray(0.5))  # which += writes to


_VALUES: dict[str, list[Any]] = {
    "float64": [0.0, -0.0, 1.5, -2.25, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan],
    "float32": [0.0, -0.0, 1.5, -2.25, 3e38, -3e38, 1e-45, math.inf, -math.inf, math.nan],
    "int64": [0, 1, -1, 7, -(1 << 63), (1 << 63) - 1],
    "int8": [0, 1, -1, 7, -128, 127],
    "uint8": [0, 1, 7, 255],
    "bool": [False, True],
}


COMBINED = [name for name, row in elementwise.BY_NAME.items() if row.operands == 2]
COMBINED += ["negative", "abs", "sqrt"]


@pytest.mark.parametrize("name", COMBINED)
def test_known_numbers_have_the_bits_of_elements(name: str) -> None:
    function: Any = getattr(np, name)
    row = elementwise.BY_NAME[name]
    for dtype in _VALUES:
        if dtypes.lookup(dtype).kind not in row.host and row.exact is None:
            continue
        values = np.asarray(_VALUES[dtype], dtype=dtype)
        numbers = [np.asarray(value, dtype=dtype) for value in _VALUES[dtype]]
        try:
            table = function.outer(values, values) if row.operands == 2 else function(values)
        except TypeError:
            with pytest.raises(TypeError):
                function(*[numbers[0], values[0]][: row.operands])
            continue
        table, before = np.to_numpy(table), builder.counts.launches
        found = [np.to_numpy(function(*x)) for x in itertools.product(numbers, repeat=row.operands)]
        assert builder.counts.launches == before or name == "sqrt" or not row.host
        assert_same(numpy.reshape(found, table.shape), table, f"{name} of {dtype}")


def test_elements_that_are_nan_are_read_behind_other_work() -> None:
    x = np.asarray([numpy.nan, 1, -numpy.nan], dtype="float32")
    other = np.sin(np.arange(5000, dtype="float32"))
    first, last = x[0], x[2]
    assert numpy.isnan([float(last), float(first)]).all()
    assert float(other[0]) == 0


def test_a_loop_over_known_elements_launches_nothing() -> None:
    values = np.asarray([3.0, 1.0, 2.0])
    first = next(iter(values))
    assert float(first) == 3.0
    before = builder.counts.launches
    assert max(values).item() == 3.0
    assert [value.item() for value in sorted(values)] == [1.0, 2.0, 3.0]
    assert sum(value for value in values if value > 1.5) == 5.0
    again = np.asarray(list(values))
    assert builder.counts.launches == before
    assert again.tolist() == [3.0, 1.0, 2.0]


EXPRESSIONS = (
    "s[...] s[None] s[()] s.reshape(1) s.reshape(()) np.atleast_1d(s) np.expand_dims(s,0) s.T "
    "s.real s.squeeze() s.ravel() s.flatten() s.transpose() np.asarray(s) "
    "np.array(s) np.copy(s) s.copy() s.view('int64') s.view() s.astype('int16') s+1 np.sqrt(s) "
    "s.astype('float64',copy=False) np.where(s>0,s,s) np.zeros_like(s) s.round() np.clip(s,0,1) "
    "s.max() np.nan_to_num(s) np.select([s>0],[s]) np.dot(s,s) np.tensordot(s,s,0) np.mean(s) "
    "np.median(s) np.percentile(s,50) np.nanquantile(s,.5) np.interp(s,[0,9],[0,9]) np.block(s) "
    "np.linalg.cond([[1.]]) np.flip(np.asarray(s)) np.resize(s,()) np.vdot(s,s) "
    "np.einsum('i,i',[1,2],[3,4]) np.tensordot([1,2],[3,4],1) np.squeeze(np.zeros((1,1)))"
)


@pytest.mark.parametrize("kind", ["number", "array"])
def test_what_is_a_number_and_what_is_written_to_is_as_in_numpy(kind: str) -> None:
    """A number is not written to by what is made of it; an array without axes by its views."""

    def run(module: Any, expression: str) -> list[Any]:
        s = module.asarray([2.5]).max() if kind == "number" else module.asarray(2.5)
        made = eval(expression, {"np": module, "s": s})
        same = made
        made += 1
        for view in [] if same is not made else [made[...]]:
            view[...] = 0
        return [numpy.asarray(x).tolist() for x in (s, same, made)]

    with numpy.errstate(all="ignore"):
        for expression in EXPRESSIONS.split():
            assert run(np, expression) == run(numpy, expression), expression


STATEMENTS = """
# text becomes numbers where a type is asked for
np.array({["1", "2", "3"], dtype=int|[["1", "2"], ["3", "4"]], dtype="f4"|[None, 1], dtype="f4"})
x = np.zeros((2, 2), "f4"); x[0] = ["5", "6"]; x[1, 0] = "7"
np.array(["a"], dtype=float) ! ValueError: could not convert
x = np.zeros(1, int); x[0] = "x" ! ValueError: invalid literal
np.array(["a", "b"]) ! TypeError: holds 'a'
np.array([1, None]) ! TypeError: holds None
# complex numbers become real ones with a warning
np.array([1 + 2j, 3], "c8").astype("f4") ! ComplexWarning: imaginary part is discarded
np.asarray(np.array([1 + 2j, 3], "c8"), dtype="i4") ! ComplexWarning: imaginary part is discarded
np.array(numpy.asarray([1j]), dtype="f4") ! ComplexWarning: imaginary part is discarded
np.array([1j], dtype=float) ! TypeError: not 'complex'
# each number is converted by itself
z = np.zeros(2, "int64"); z[{...|:}] = [2**53 + 1, 1.0]; x = np.array([2**53 + 1, 1.0], "int64")
z = np.zeros(2, "uint64"); z[{...|:}] = [numpy.uint64(2**63 + 1), 5]
z = np.zeros((2, 2), "int64"); z[{...|:}] = [[2**53 + 1, True], [2.9, numpy.int8(-3)]]
np.array({[0, 2**64 - 1, numpy.uint64(2**64 - 1)], "uint64"|(2**64 - 1, 1.5), "uint64"})
np.array({[math.nan, 0], "bool"|[1, 2j], "complex64"|[Fraction(1, 2), 1], "float32"})
z = np.zeros(2, "int8"); z[{...|:|0}] = {300.0|1e10|numpy.int64(300)|math.inf} ! OverflowError
z = np.zeros(2, "int16"); z[{...|:|0}] = numpy.float64(4e4) ! OverflowError
z = np.zeros(2, "{int8|uint8}"); z[{...|:|0}] = math.nan ! ValueError
z = np.zeros(2, "float32"); z[{...|:}] = [1, 2j] ! TypeError
# a list is repeated by an integer
n = np.asarray([0, 3]).max(); a = ([0] * n, n * [0], (1, 2) * n, "-" * n)
x = [1, 2]; x *= np.asarray([2])[0]
[1, 2] * np.asarray({2|[2, 3]})
# numbers have the methods of numbers
np.isscalar({np.asarray([3])[0]|np.asarray(3)|np.ones(1)})
[np.asarray([0.5, 2])[{0|1}].{as_integer_ratio|is_integer}()]
(np.asarray([3])[0].bit_count(), math.trunc(np.asarray([-2.7])[0]))
[bytes(x) for x in (h, h.T, h[0], h[1, 2, ...], h[1, 2])]
# a number never changes
t = v[0] - 1; seen = []
... for _value in v:
...     t += _value
...     seen.append(t)
x = y = v.max(); x -= 1; x *= 2; z = v.sum(); z /= 4; w = v.max(); w += np.ones(3, dtype="int64")
x = v[0]; x += 5; v[1] += 5
counts = {}; key = np.argmin(v)
... for _step in range(3):
...     counts[int(key)] = _step
...     key += 1
# an array without axes is written to
x = y = {np.asarray(5)|np.array(5)|np.full((), 5)|np.asarray(5).copy()}; x += 1
x = {np.asarray(5)|np.full((), 5)}; x /= 2 ! TypeError: same kind
x = np.zeros(2); y = x[0, ...]; y += 3
"""


@each_line(STATEMENTS)
def test_statements(call: str) -> None:
    h = numpy.arange(6).reshape(2, 3)
    for dtype in ("int64", "uint8", "float32", "bool") if "bytes" in call else ("int64",):
        check(
            call,
            names={"math": math, "Fraction": Fraction},
            h=h.astype(dtype),
            v=numpy.asarray([1, 2, 3]),
        )


def test_text_is_compared_and_chosen_on_the_host() -> None:
    names = numpy.asarray(["a", "b"])
    assert np.array_equal(["cat"], ["cat"])
    assert np.array_equal(names, names.copy())
    assert not np.array_equal(names, [1, 2])
    assert np.array_equiv("a", ["a", "a"])
    rng = np.random.default_rng(1)
    flips = rng.choice(["H", "T"], size=(2, 50))
    assert type(flips) is numpy.ndarray
    assert flips.shape == (2, 50)
    assert set(flips.ravel()) == {"H", "T"}
    assert sorted(rng.permutation(names)) == ["a", "b"]
    assert rng.choice(["only"]) == "only"


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_are_never_multiplied_by_element() -> None:
    matrix = numpy.matrix([[1.0, 2.0], [3.0, 4.0]])
    swap: Any = np.asarray([[0.0, 1.0], [1.0, 0.0]])
    assert (swap * matrix).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    with pytest.raises(TypeError):
        matrix * swap
