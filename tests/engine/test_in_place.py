"""In-place programs that compilers which fuse have been reported to get wrong.

docs/promises.md lists the reports. A pattern is a few lines of NumPy over a vector `a`, a square
matrix `m`, an integer vector `k` and indices `i`; some leave results in `r`. It runs with NumPy and
with xarr, and all five have to agree to the bit. Values are small integers, so that no sum rounds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.functions.calls import each, named

PATTERNS: Final[dict[str, str]] = {
    # Overlap: the right side is read before any element is written.
    "shift a vector up": "a[1:] = a[:-1]",
    "shift a vector down by three": "a[:-3] = a[3:] + 1",
    "reverse in place": "a[...] = a[::-1]",
    "add the reverse in place": "a += a[::-1]",
    "add the left neighbour": "a[1:] += a[:-1]",
    "transpose in place": "m[...] = m.T",
    "symmetrise in place": "m += m.T",
    "rotate by a quarter turn": "m[...] = m[::-1].T",
    "stencil in place": "m[1:-1, 1:-1] = m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:]",
    "stencil in place, twice": """
        for _ in range(2):
            m[1:-1] += m[2:] - 2 * m[1:-1] + m[:-2]
    """,
    "subtract a row that changes": "m -= m[0]",
    "out overlaps an operand": "np.add(a[1:], a[:-1], out=a[:-1]); np.multiply(a[::-1], a, out=a)",
    "running sum onto its operand": "np.cumsum(k, out=k)",
    # Order: what was read before a write stays as it was.
    "read, then overwrite": "r = a + 1; a[...] = 0",
    "reduce, then overwrite": "r = m.max(axis=0) * 2; m[1:] = 7",
    "overwrite through a later view": "r = a[2:8] * 3; b = a[1:9]; b -= 4",
    "indices are overwritten": "r = a[i]; i[...] = 0",
    "a mask is overwritten": """
        chosen = a > 3
        r = np.where(chosen, a, -a)
        chosen[...] = False
        a[chosen] = 100
    """,
    "bits are read, then overwritten": 'r = a.view("int32") * 2; r -= -4; a[2:5] = 2',
    # Swaps.
    "swap halves that are views": "h = len(a) // 2; a[:h], a[h:2 * h] = a[h:2 * h], a[:h]",
    "swap even and odd": "a[::2], a[1::2] = a[1::2].copy(), a[::2].copy()",
    "swap rows by indices": "m[[0, 2]] = m[[2, 0]]",
    "swap two buffers in a loop": """
        b = a * 0
        for _ in range(3):
            b[1:-1] = a[:-2] + a[2:]
            a, b = b, a
        r = a - b
    """,
    # Aliases: a write through one name is seen through all.
    "write through a flat view": "m.reshape(-1)[::3] = 5; r = m.sum(axis=1)",
    "two views that overlap": "a[:6] += 1; a[3:9] *= 2; a[:6] -= 3",
    "a view outlives its name": "b = a[1:]; c = a * 2; b[...] = 9; r = c + a",
    "the diagonal is a view": "m.reshape(-1)[:: len(m) + 1] = m.sum(axis=0); r = m + m.T",
    "write through bits": 'a.view("int32")[:4] = 0; r = a * 2 + 1',
    "a function writes to its argument": """
        def double(x):
            x *= 2
            return x[::-1]
        b = double(a)
        b[:3] = double(a)[:3] + 1
    """,
    # Reductions of what is written in the same statement.
    "subtract the own maximum": "m -= m.max(axis=1, keepdims=True)",
    "subtract the own sum": "k -= k.sum()",
    "position of the largest after a write": "m *= -1; r = m.T.argmin()",
    # Indices that repeat, partial writes, empty slices, types.
    "an index that repeats": "k[[0, 0, 1]] += k[[0, 0, 1]]",
    "an index that repeats, counted": "np.add.at(k, [0, 0, 1], 5)",
    "write at indices, then add the reverse": "a[np.arange(len(a))] = a * 2; a += a[::-1]",
    "the last of equal places stays": "a[[1, 1, 2, 2]] = np.asarray([5, 6, 7, 8], dtype=a.dtype)",
    "a fill that is overwritten in part": "a[...] = 1; a[2:] = 2; a[...] = a + a[::-1]",
    "an empty slice is written": "a[:0] = 2; a[len(a):] += 3",
    "scale, then copy a part": "a *= 2; r = a[:4] * 1",
    "a wider result goes to a narrow array": "k[...] = a * 1.5; k += k[::-1]",
    "each element from the one before": """
        for j in range(1, 6):
            a[j] = a[j - 1] * 2 + a[j]
    """,
}


def _function(pattern: str, np: Any) -> Callable[..., Any]:
    body = textwrap.indent(textwrap.dedent(PATTERNS[pattern]).strip(), "    ")
    names: dict[str, Any] = {"np": np}
    exec(f"def run(a, m, k, i):\n    r = None\n{body}\n    return r", names)
    run: Callable[..., Any] = names["run"]
    return run


def _arrays(size: int, np: Any) -> list[Any]:
    random = numpy.random.default_rng(size)
    side = max(4, int(size**0.5))
    return [
        np.asarray(random.integers(-5, 9, size).astype("float32")),
        np.asarray(random.integers(-5, 9, (side, side)).astype("float32")),
        np.asarray(random.integers(-5, 9, size).astype("int32")),
        np.asarray(random.permutation(size)),
    ]


def _outcome(run: Callable[..., Any], size: int, np: Any) -> list[Any]:
    given = _arrays(size, np)
    result = run(*given)
    return [numpy.array(one) for one in (*given, 0 if result is None else result)]


def _assert_as_numpy(pattern: str, run: Callable[..., Any], times: int) -> None:
    for size in (10, 2500):
        wanted = _outcome(_function(pattern, numpy), size, numpy)
        for _ in range(times):
            for got, want in zip(_outcome(run, size, xarr), wanted, strict=True):
                assert (got.shape, got.dtype) == (want.shape, want.dtype)
                assert got.tobytes() == want.tobytes(), (pattern, size)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_does_what_numpy_does(pattern: str, device: xarr.Device) -> None:
    _assert_as_numpy(pattern, _function(pattern, xarr), times=1)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_comes_again(pattern: str, each_tier: None) -> None:
    """Lists that come again are planned once, and replayed."""
    _assert_as_numpy(pattern, _function(pattern, xarr), times=4)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_line_by_line(pattern: str) -> None:
    with xarr.eager():
        _assert_as_numpy(pattern, _function(pattern, xarr), times=1)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_is_replayed(pattern: str) -> None:
    run = xarr.jit(_function(pattern, xarr), strict=False)
    _assert_as_numpy(pattern, run, times=3)


@each("""
{a + a[:3]|m @ a|a.reshape(7, 7, 7)|np.add(a, a, out=m)|np.concatenate([m, a])} ! ValueError
{k & a|k += 0.5} ! TypeError
{a[len(a)]|a[[0, len(a)]]|a[0, 0] = 1} ! IndexError
k[0] = 2**40 ! OverflowError
""")
def test_an_error_is_raised_by_the_statement_that_causes_it(call: str) -> None:
    statement, _, kind = call.partition(" ! ")
    a, m, k, _ = _arrays(10, xarr)
    pending = a * 2 + 1
    with pytest.raises(named(kind)):
        exec(statement, {"np": xarr, "a": a, "m": m, "k": k})
    wanted = _arrays(10, numpy)
    for got, want in zip((a, m, k, pending), (*wanted[:3], wanted[0] * 2 + 1), strict=True):
        assert numpy.array_equal(numpy.asarray(got), want)
