"""`elementwise` gives what Python gives, wherever a function of numbers is written."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import xarr
from tests.processes import run, with_root

VALUES = (-2.75, -1.0, -0.0, 0.5, 1.5, 2.5, 9.0)


def stepped(x: float) -> float:
    """A helper with conditions."""
    if x > 1 and not x > 5:
        return math.sqrt(x)
    return -x


def halved(x: float) -> float:
    """A helper with what is not there for arrays."""
    while x > 1:
        x /= 2
    return x


def summed(x: float) -> float:
    """A helper that arrays take as it is, and that cannot be translated."""
    return sum(c * x**k for k, c in enumerate((1.0, 2.0, 3.0)))


LIMIT = 2.5


def pieces(x: float, y: float = 1.5) -> float:
    """Conditions in statements and expressions, with returns in the middle."""
    found = 0.0
    if x > LIMIT and not y < 0:
        found = math.cos(x) * 3
        other: float = 1
    elif -1 < x <= 1 or y == 3:
        found = -1.5
        other = abs(x)
    else:
        other = max(x, y, 0.25)
    for k in range(3):
        if k == 1:
            found += k * other
        else:
            found -= x if x > k else y
    if other == 1:
        if y > 1:
            return other + 0.5
        found *= 2
    return found + other if x != -1 else math.floor(x)


# fmt: off
pair = (lambda x: x + 1 if x > 0 else 0, lambda x: x * 2 if x > 0 else 1)  # two in one line
# fmt: on

FUNCTIONS: tuple[Callable[..., Any], ...] = (
    lambda x: math.pow(2, x),
    lambda x: math.pow(abs(x), 1.5),
    lambda x: math.remainder(x, 2.0),
    lambda x: math.remainder(x, -1.5),
    lambda x: math.remainder(7.0, x - 0.25),
    lambda x: math.log(x * x + 1, 3),
    lambda x: math.log(x * x + 1),
    lambda x: math.ldexp(x, 3),
    lambda x: math.erf(x) + math.erfc(x / 2),
    lambda x: math.gamma(x + 0.125) + math.lgamma(x * x + 0.5),
    lambda x: math.ulp(x * 3),
    lambda x: math.isclose(x, 0.5),
    lambda x: math.isclose(x, 9.0 + 1e-8),
    lambda x: math.isclose(9.0 + 1e-12, x),
    lambda x: math.isclose(x, 1.6, rel_tol=0, abs_tol=0.2),
    lambda x: math.isclose(x * math.inf if x else 0.0, math.inf),
    lambda x: math.hypot(3.0, 4.0, x),
    lambda x: math.hypot(x, 2.0, 1.0),
    lambda x: max(1, 2, x),
    lambda x: min(x, 1.0, 0.25),
    lambda x: stepped(x) * 2 + stepped(1.0),
    lambda x: summed(x) + 1,
    lambda x: float(x > 1) + round(x) + int(x) + math.trunc(x),
    pieces,
    lambda x: pieces(x, 3.0 * x),
    pair[0],
    pair[1],
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_python_gives(function: Callable[[float], Any], device: xarr.Device) -> None:
    dtype = "float64" if device.has_float64 else "float32"
    wanted = numpy.asarray([function(value) for value in VALUES])
    got = xarr.to_numpy(xarr.elementwise(function)(xarr.asarray(VALUES, dtype=dtype)))
    assert got.dtype.kind in (wanted.dtype.kind, "f")
    numpy.testing.assert_allclose(got, wanted, rtol=1e-14 if device.has_float64 else 1e-5)


def apart(x: float) -> float:
    """Functions with two results."""
    significand, exponent = math.frexp(x)
    fraction, whole = math.modf(x)
    return significand * 100 + exponent + fraction / 8 + whole


def test_functions_with_two_results() -> None:
    got = xarr.elementwise(apart)(xarr.asarray(VALUES)).tolist()
    assert got == [apart(value) for value in VALUES]


def set_twice(x: float) -> float:
    """A name that is read only where it is set."""
    if x > 1:
        y = x
    if x > 1:
        y += y * x if x > 2 else 1
        return y
    return 0.0


def set_once(x: float) -> float:
    """A name that is read where it is not set."""
    if x > 1:
        y = x
    return y + 1


def test_names_that_one_branch_sets() -> None:
    got = xarr.elementwise(set_twice)(xarr.asarray(VALUES)).tolist()
    assert got == [set_twice(value) for value in VALUES]
    function = xarr.elementwise(set_once)
    assert function(xarr.asarray([1.5, 2.0])).tolist() == [2.5, 3.0]
    for values in ([0.5, 1.5], VALUES):
        with pytest.raises(UnboundLocalError, match="'y', which has no value for some elements"):
            function(xarr.asarray(values))
    assert function(xarr.asarray([1.5])).tolist() == [2.5]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: math.factorial(x) + 1, "math.factorial is unknown for arrays"),
        (lambda x: round(x, 2), "ndigits is 2"),
        (lambda x: halved(x) + 1, "x has shape"),
    ],
)
def test_calls_without_arrays_are_refused(function: Callable[[float], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        xarr.elementwise(function)(xarr.asarray(VALUES))
    if "shape" in said:
        (note,) = caught.value.__notes__
        assert "halved is called as it is" in note
        assert "not there for arrays: a while loop; xarr.kernel takes one" in note


def test_a_text_that_nobody_has_is_told() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)
    with pytest.raises(TypeError, match="text of f cannot be read.*; define it in a file"):
        xarr.elementwise(names["f"])


TYPED = """\
import xarr, math
@xarr.elementwise
def bounce(x, limit):
    if x > limit:
        x = 2 * limit - x
    return math.sqrt(x) if x > 0 else 0.0

print(bounce(xarr.asarray([-1.0, 4.0, 7.0]), 5).tolist())
larger = xarr.elementwise(lambda x: x if x > 2 else 2)
def smaller(x):
    # A comment.
    return x if x < 2 else 2

x = xarr.asarray([1, 3])
print(larger(x).tolist() + xarr.elementwise(smaller)(x).tolist())
"""


def test_the_text_of_a_command_line() -> None:
    done = run("-c", TYPED)
    assert done.stdout == "[0.0, 2.0, 1.7320508075688772]\n[2, 3, 1, 2]\n", done.stderr


def test_python_prompt(tmp_path: Path) -> None:
    """Typed functions have no file before Python 3.13; their lines are in the history."""
    pty: Any = pytest.importorskip("pty", reason="there are no terminals")
    pytest.importorskip("readline", reason="Python was built without readline")
    child, terminal = pty.fork()
    if not child:
        variables = {"HOME": str(tmp_path), "TERM": "dumb", "PYTHON_BASIC_REPL": "1"}
        os.execve(sys.executable, [sys.executable, "-q"], {**with_root(os.environ), **variables})
    os.write(terminal, f"{TYPED}exit()\n".encode())
    written = b""
    try:
        while chunk := os.read(terminal, 1 << 16):
            written += chunk
    except OSError:  # as Linux says that the other end is closed
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    shown = written.decode()
    assert "\n[0.0, 2.0, 1.7320508075688772]" in shown, shown
    assert "\n[2, 3, 1, 2]" in shown, shown
