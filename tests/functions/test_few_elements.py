"""Calls that NumPy computes at once: the bits of instructions, behind what waits, through views."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import xarr
from tests.reference import bits
from xarr.runtime import host_functions

SIZE = 24
DTYPES = ["bool", "int8", "uint64", "uint16", "int64", "float32", "float64", "complex64"]
REDUCED = ("add.reduceat", "maximum.reduceat", "multiply.reduceat")
Host = numpy.ndarray[Any, Any]


def _values(generator: numpy.random.Generator, dtype: str) -> Host:
    if dtype == "bool":
        return generator.random(SIZE) < 0.5
    if "int" in dtype:
        return generator.integers(0, 9, SIZE).astype(dtype)
    values = generator.choice([0.0, -0.0, 1.5, -2.0, numpy.nan, numpy.inf, 3.0], SIZE)
    return values.astype(dtype)


CALLS: dict[str, Callable[..., Any]] = {
    "nonzero": lambda np, x, y, k, m: np.nonzero(x),
    "flatnonzero": lambda np, x, y, k, m: np.flatnonzero(m),
    "argwhere": lambda np, x, y, k, m: np.argwhere(x),
    "take": lambda np, x, y, k, m: np.take(x, k),
    "take_along_axis": lambda np, x, y, k, m: np.take_along_axis(x, k, 0),
    "compress": lambda np, x, y, k, m: np.compress(m, x),
    "extract": lambda np, x, y, k, m: np.extract(m, x),
    "choose": lambda np, x, y, k, m: np.choose(m, (x, y)),
    "select": lambda np, x, y, k, m: np.select([m], [x]),
    "count_nonzero": lambda np, x, y, k, m: np.count_nonzero(x),
    "resize": lambda np, x, y, k, m: np.resize(x, SIZE + 5),
    "delete": lambda np, x, y, k, m: np.delete(x, 3),
    "insert": lambda np, x, y, k, m: np.insert(x, 3, y[:2]),
    "trim_zeros": lambda np, x, y, k, m: np.trim_zeros(x),
    "pad": lambda np, x, y, k, m: np.pad(x, 2),
    "stack": lambda np, x, y, k, m: np.stack([x, y], axis=1),
    "block": lambda np, x, y, k, m: np.block([x, y]),
    "append": lambda np, x, y, k, m: np.append(x, y),
    "column_stack": lambda np, x, y, k, m: np.column_stack([x, y]),
    "roll": lambda np, x, y, k, m: np.roll(x, 5),
    "repeat": lambda np, x, y, k, m: np.repeat(x, 2),
    "tile": lambda np, x, y, k, m: np.tile(x, 2),
    "diag": lambda np, x, y, k, m: np.diag(x),
    "diagflat": lambda np, x, y, k, m: np.diagflat(x, -1),
    "tril": lambda np, x, y, k, m: np.tril(x.reshape(4, -1)),
    "partition": lambda np, x, y, k, m: np.partition(x, 5),
    "tri": lambda np, x, y, k, m: np.tri(4, 5, 1),
    "indices": lambda np, x, y, k, m: np.indices((3, 4)),
    "tril_indices": lambda np, x, y, k, m: np.tril_indices(4),
    "unravel_index": lambda np, x, y, k, m: np.unravel_index(k, (4, SIZE)),
    "ravel_multi_index": lambda np, x, y, k, m: np.ravel_multi_index((k, k), (SIZE, SIZE)),
    "add.reduceat": lambda np, x, y, k, m: np.add.reduceat(x, [0, 3, 4, 11]),
    "maximum.reduceat": lambda np, x, y, k, m: np.maximum.reduceat(x, [0, 3, 4, 11]),
    "multiply.reduceat": lambda np, x, y, k, m: np.multiply.reduceat(x, [2, 9, 10]),
}
WRITES: dict[str, Callable[..., Any]] = {
    "putmask": lambda np, x, y, k, m: np.putmask(x, m, y),
    "place": lambda np, x, y, k, m: np.place(x, m, y[:3]),
    "put_along_axis": lambda np, x, y, k, m: np.put_along_axis(x, k, y, 0),
    "fill_diagonal": lambda np, x, y, k, m: np.fill_diagonal(x.reshape(4, -1), 1),
    "copyto": lambda np, x, y, k, m: np.copyto(x, y),
    "fill": lambda np, x, y, k, m: x.fill(1),
    "element": lambda np, x, y, k, m: x.__setitem__(3, 1),
    "sort": lambda np, x, y, k, m: x.sort(),
    "add.at": lambda np, x, y, k, m: np.add.at(x, k, y),
    "add.at, twice": lambda np, x, y, k, m: np.add.at(x, k // 5, y),
    "subtract.at, twice": lambda np, x, y, k, m: np.subtract.at(x, k // 2, y),
    "multiply.at": lambda np, x, y, k, m: np.multiply.at(x, k, y),
    "maximum.at, twice": lambda np, x, y, k, m: np.maximum.at(x, k // 3, y),
    "minimum.at": lambda np, x, y, k, m: np.minimum.at(x, k, y),
    "bitwise_or.at": lambda np, x, y, k, m: np.bitwise_or.at(x, k, y),
}


def _outcome(name: str, *given: Any) -> Any:
    """Return the bits of the results, with their types and shapes, or the error's text.

    Of two NaN that a kernel adds, the C compiler chooses which one becomes the sum.
    """
    call = {**CALLS, **WRITES}[name]
    try:
        found = call(xarr, *given)
    except (TypeError, ValueError, IndexError) as error:
        return repr(error)
    parts = found if isinstance(found, tuple) else (found, given[0])
    hosts = [numpy.asarray(part) for part in parts if part is not None]
    seen = [bits(host) if ".at" in name else host for host in hosts]
    return [(host.dtype, host.shape, one.tobytes()) for host, one in zip(hosts, seen, strict=True)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*CALLS, *WRITES])
def test_bits_are_those_of_kernels(name: str, dtype: str) -> None:
    """The results, and the errors, are those of the instructions."""
    generator = numpy.random.default_rng(len(name))
    hosts = _values(generator, dtype), _values(generator, dtype)
    k, m = generator.permutation(SIZE), generator.random(SIZE) < 0.5

    def outcome() -> Any:
        given = [xarr.asarray(host.copy(), device="cpu:0") for host in (*hosts, k, m)]
        return _outcome(name, *given)

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
            name = chosen.choice(sorted({*CALLS} - {"partition", *REDUCED}))
            kept = CALLS[name](np, x, y, k, m)
            if chosen.random() < 0.5:
                whole[begin] = other[0]
            seen.append((name, plain(kept)))
        else:
            name = chosen.choice(["putmask", "place", "put_along_axis", "copyto", "fill", "sort"])
            if y is other or name in ("copyto", "fill", "sort"):
                WRITES[name](np, x, y, k, m)
    return [*seen, plain(whole), plain(other)]


@pytest.mark.parametrize("seed", range(60))
def test_views_and_writes_that_wait(seed: int) -> None:
    """Calls see what was written before, in whatever view, and not what is written after."""
    assert _pair(xarr, seed) == _pair(numpy, seed)
