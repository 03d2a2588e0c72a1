"""Calls that NumPy computes at once: the bits of instructions, behind what waits, through views."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import rows
from tests.reference import bits
from xarr.runtime import host_functions

SIZE = 24
DTYPES = ["bool", "int8", "uint64", "uint16", "int64", "float32", "float64", "complex64"]
Host = numpy.ndarray[Any, Any]


def _values(generator: numpy.random.Generator, dtype: str) -> Host:
    if dtype == "bool":
        return generator.random(SIZE) < 0.5
    if "int" in dtype:
        return generator.integers(0, 9, SIZE).astype(dtype)
    values = generator.choice([0.0, -0.0, 1.5, -2.0, numpy.nan, numpy.inf, 3.0], SIZE)
    return values.astype(dtype)


CALLS = rows("""
np.{nonzero(x)|flatnonzero(m)|argwhere(x)|take(x, k)|take_along_axis(x, k, 0)|compress(m, x)}
np.{extract(m, x)|choose(m, (x, y))|select([m], [x])|count_nonzero(x)|resize(x, 29)|delete(x, 3)}
np.{insert(x, 3, y[:2])|trim_zeros(x)|pad(x, 2)|stack([x, y], axis=1)|block([x, y])|append(x, y)}
np.{column_stack([x, y])|roll(x, 5)|repeat(x, 2)|tile(x, 2)|diag(x)|diagflat(x, -1)|tri(4, 5, 1)}
np.{tril(x.reshape(4, -1))|indices((3, 4))|tril_indices(4)|unravel_index(k, (4, 24))}
np.ravel_multi_index((k, k), (24, 24))
{x[k]|x[m]|x[k[:0]]|x.reshape(4, -1)[k[:3] % 4]|x.reshape(4, -1)[m[:4]]}
np.{setxor1d(x, y)|arange(9, dtype=x.dtype)|arange(7, 1, 2)|frombuffer(bytes(8), x.dtype)|eye(3)}
""")
APART = rows("""
np.partition(x, 5)
np.{add|maximum}.reduceat(x, [0, 3, 4, 11])
np.multiply.reduceat(x, [2, 9, 10])
""")
"""Calls whose elements NumPy has in another order, or adds in another one."""
WRITES = rows("""
np.{putmask(x, m, y)|place(x, m, y[:3])|put_along_axis(x, k, y, 0)}
{np.copyto(x, y)|x.fill(1)|x.sort()|np.put(x, k, y)|np.put(x, k // 2, y)|np.put(x, k, y[:5])}
x.{__setitem__(k, y)|__setitem__(k // 2, y)|__setitem__(m, 1)|__setitem__(m, y[m])}
x.{__setitem__(m, y[0])|__setitem__(k[:4], x[3:7])|__setitem__(m, True)}
""")
MORE_WRITES = rows("""
{np.fill_diagonal(x.reshape(4, -1), 1)|x.__setitem__(3, 1)}
np.{add|multiply|minimum|bitwise_or}.at(x, k, y)
np.{add.at(x, k // 5|subtract.at(x, k // 2|maximum.at(x, k // 3}, y)
""")


def _made(call: str, np: Any, *given: Any) -> Any:
    return eval(call, {"np": np, **dict(zip("xykm", given, strict=True))})


def _outcome(call: str, *given: Any) -> Any:
    """Return the bits of the results, with their types and shapes, or the error's text.

    Of two NaN that a kernel adds, the C compiler chooses which one becomes the sum.
    """
    try:
        found = _made(call, xarr, *given)
    except (TypeError, ValueError, IndexError) as error:
        return repr(error)
    parts = found if isinstance(found, tuple) else (found, given[0])
    hosts = [numpy.asarray(part) for part in parts if part is not None]
    seen = [bits(host) if ".at" in call else host for host in hosts]
    return [(host.dtype, host.shape, one.tobytes()) for host, one in zip(hosts, seen, strict=True)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", [*CALLS, *APART, *WRITES, *MORE_WRITES])
def test_bits_are_those_of_kernels(call: str, dtype: str) -> None:
    """The results, and the errors, are those of the instructions."""
    generator = numpy.random.default_rng(len(call))
    hosts = _values(generator, dtype), _values(generator, dtype)
    k, m = generator.permutation(SIZE), generator.random(SIZE) < 0.5

    def outcome() -> Any:
        given = [xarr.asarray(host.copy(), device="cpu:0") for host in (*hosts, k, m)]
        return _outcome(call, *given)

    found = outcome()
    with host_functions.fused():
        assert found == outcome()


def _pair(np: Any, seed: int) -> list[Any]:
    """Run a random program of calls on views of one array; return what it saw."""
    chosen = random.Random(seed)
    generator = numpy.random.default_rng(seed)
    dtype = chosen.choice(["int64", "int8", "float64", "bool"])
    seen: list[Any] = []

    def upload(host: Host) -> Any:
        return host.copy() if np is numpy else xarr.asarray(host.copy(), device="cpu:0")

    def plain(found: Any) -> Any:
        if isinstance(found, tuple):
            return [plain(part) for part in found]
        host = numpy.asarray(found)
        host = host + 0.0 if host.dtype.kind == "f" else host  # NumPy's sort has zeros in any order
        return host.dtype, host.shape, host.tobytes()

    whole = upload(numpy.concatenate([_values(generator, dtype), _values(generator, dtype)]))
    other = upload(numpy.nan_to_num(_values(generator, dtype)))
    k, m = upload(generator.permutation(SIZE)), upload(generator.random(SIZE) < 0.5)
    for _ in range(12):
        begin = chosen.randrange(SIZE)
        x = whole[begin : begin + SIZE]
        if chosen.random() < 0.3:
            x = x[::-1]
        y = chosen.choice([other, whole[:SIZE], x])
        step = chosen.choice(["write", "call", "pending", "keep", "mask"])
        if step == "pending":
            whole[begin : begin + 2] = other[:2]
        elif step == "mask":
            m[begin] = bool(chosen.getrandbits(1))
        elif step == "keep":
            seen.append(plain(whole))
        elif step == "call":
            call = chosen.choice(CALLS)
            kept = _made(call, np, x, y, k, m)
            if chosen.random() < 0.5:
                whole[begin] = other[0]
            seen.append((call, plain(kept)))
        else:
            call = chosen.choice(WRITES)
            if y is other or call in WRITES[3:]:
                _made(call, np, x, y, k, m)
    return [*seen, plain(whole), plain(other)]


@pytest.mark.parametrize("seed", range(60))
def test_views_and_writes_that_wait(seed: int) -> None:
    """Calls see what was written before, in whatever view, and not what is written after."""
    assert _pair(xarr, seed) == _pair(numpy, seed)
