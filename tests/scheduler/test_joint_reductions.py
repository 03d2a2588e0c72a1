"""Reductions that are one kernel, and what is computed of their results in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import DTYPES, needs, nightly
from tests.functions.calls import lines, program, rows
from tests.launching import Seen, storage_of, watched
from xarr import tuning
from xarr.array.array import Array

Values = npt.NDArray[Any]
Results = tuple[Array, ...]


def values(*shape: int, dtype: str = "float32", seed: int = 0) -> Values:
    drawn: Values = np.random.default_rng(seed).uniform(-2, 7, (2, *shape))
    result: Values = drawn[0]
    if dtype == "bool":
        result = result > 0
    elif dtype.startswith("complex"):
        result = result + 1j * drawn[1]
    elif dtype.startswith("uint"):
        result = np.abs(result)
    return result.astype(dtype)


def arrays(count: int, *shape: int, dtype: str = "float32") -> list[Array]:
    return [xarr.asarray(values(*shape, dtype=dtype, seed=seed)) for seed in range(count)]


def bits(results: Sequence[Array]) -> list[tuple[str, tuple[int, ...], bytes]]:
    hosts = [np.asarray(result) for result in results]
    return [(host.dtype.name, host.shape, host.tobytes()) for host in hosts]


def together(function: Callable[[], Results]) -> tuple[list[Any], Seen]:
    """The bits of results that are asked for together, and what ran for them."""
    xarr.synchronize()  # what others asked for
    with watched() as seen:
        results = function()
        xarr.synchronize()
    return bits(results), seen


def apart(function: Callable[[], Results]) -> tuple[list[Any], Seen]:
    """The same where every operation runs by itself."""
    with watched() as seen, xarr.eager():
        results = function()
    return bits(results), seen


def reductions(seen: Seen) -> int:
    return sum(one.skeleton.startswith("reduce") for one in seen.launches)


def elementwise(seen: Seen) -> int:
    return sum(one.skeleton == "elementwise.c" for one in seen.launches)


SHAPES = {
    "pieces": ((40_000,), None),
    "rows": ((3, 17_000), 1),
    "short rows": ((50, 9), 1),
    "columns": ((2100, 5), 0),
    "wide columns": ((40, 1030), 0),
    "runs": ((6, 7, 400), (0, 2)),
    "one": ((1, 5), 0),
}
NAMES = {
    "b": ("all", "any", "sum", "max"),
    "i": ("min", "max", "sum", "mean"),
    "u": ("max", "prod", "any", "count_nonzero"),
    "f": ("min", "mean", "std", "sum"),
    "c": ("sum", "mean", "max"),
}


# float32 is reduced in every shape by both forms; the others take turns, but bool, which is alone.
CASES = [
    pytest.param(dtype, where, form, id=f"{dtype}-{where}-{form}")
    for number, dtype in enumerate(DTYPES)
    for place, where in enumerate(SHAPES)
    for turn, form in enumerate(("usual", "as-gpu"))
    if dtype == "float32"
    or ((place - number) % len(SHAPES) == 0 and (dtype == "bool" or number % 2 == turn))
]


@pytest.mark.parametrize(("dtype", "where", "form"), CASES, indirect=["form"])
def test_joint_reductions_have_the_bits_of_separate_ones(
    dtype: str, where: str, form: xarr.Device
) -> None:
    needs(dtype)
    shape, axis = SHAPES[where]
    x = xarr.asarray(values(*shape, dtype=dtype))
    names = NAMES[np.dtype(dtype).kind]

    def reduced() -> Results:
        return tuple(getattr(xarr, name)(x, axis=axis) for name in names)

    found, seen = together(reduced)
    wanted, one_by_one = apart(reduced)
    assert found == wanted
    assert len(seen.launches) * len(names) == len(one_by_one.launches)
    assert seen.reads_of(storage_of(x)) == 1


def counted(seen: Seen, one_by_one: Seen, x: Array) -> dict[str, Any]:
    """Count what ran for a program."""
    return {
        "reads": seen.reads_of(storage_of(x)),
        "stored": seen.stored(storage_of(x)),
        "elementwise": elementwise(seen),
        "reductions": reductions(seen),
        "skeletons": len({one.skeleton for one in seen.launches}),
        "launches": len(seen.launches),
        "saved": len(one_by_one.launches) - len(seen.launches),
    }


PROGRAMS: Final = """
# what is stored on the way, what is centred, by a kernel that goes row by row, and work in between
stored=[1], elementwise=0 | 500,40 | total = x.sum(axis=1); y = x + 1 -> total, y, y.max(axis=1)
reads=1 | 200,600 | mean = x.mean(axis=1, keepdims=True)
... -> mean, ((x - mean) ** 2).sum(axis=1), x.max(axis=1)
| 200,600 | scale = x.max() -> (y * scale).sum(), (y * y).sum(), (x * y).sum()
reads=1 | 50,600 | total = x.sum(axis=1); other = y * z; squares = (x * x).sum(axis=1)
... -> total, other, squares, other.max(axis=1)
skeletons=1, launches=1 | 200,512 | centred = x - x.mean(axis=1, keepdims=True)
... -> (centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * y,)
# where results have as many elements as operands, both walk the same space
| 7,1 | total = x.sum(axis=1); more = total * 2; other = x[:, 0] + more
... top = np.reshape(other, (7, 1)).max(axis=1)
... -> total, other, top, np.reshape(more, (7, 1)).min(axis=1)
# what is cut off is a kernel by itself, or of a row's result a part of the kernel of rows
launches=1 | 30,40 | -> (long(x, 1),)
launches=2 | 30,40 | -> (long(x, 0),)
# as many launches as there are operations
saved=0 | 300,200 | -> x.sum(axis={0), x.sum(axis=1|1), x[:10].sum(axis=1|1), y.sum(axis=1})
saved=0 | 300,200 | -> x.{argmin(axis=1), x.argmax|cumulative_sum(axis=1), x.sum}(axis=1)
| 300,30 | -> ({x.sum(axis=1) * y[:, 0]|x / x.sum(axis=1, keepdims=True)},)
| 300,30 | -> (x.{sum(axis=1)[:9]|sum(axis=1)[::-1]|cumulative_sum(axis=1)} * 2,)
| 300,30 | -> (x.sum(axis=1).max() + 1,)
# all reductions read their operand together, and nothing is computed beside them
reads=1, elementwise=0 | 130,300 | o = {None|0|1} -> (x * y).sum(axis=o), (x * x).sum(axis=o)
reads=1, elementwise=0 | 130,300 | o = {None|0|1} -> x.sum(axis=o), (x * x).sum(axis=o)
reads=1, elementwise=0 | 130,300 | o = {None|0|1}; value = x * 2
... -> value.sum(axis=o), x.max(axis=o), value.max(axis=o)
reads=1, elementwise=0 | 130,300 | o = {None|0|1}
... -> x.astype("float16").sum(axis=o), x.sum(axis=o)
reads=1, elementwise=0 | 130,300 | o = {None|0|1} -> x[::-1].max(axis=o), x.min(axis=o)
"""
"""Rows: the name that is counted, the shape of three arrays, and a program of them."""
OF_RESULTS: Final = """
-> (np.sqrt(((x - y) ** 2).sum()),)
-> (np.linalg.vector_norm(x - y, axis=1),)
-> (1 / x.sum(axis=0),)
-> (x.max(axis=1) - x.min(axis=1),)
-> ((x * y).sum() / (x * x).sum(),)
-> (np.sqrt(x.var(axis=1, keepdims=True) + 1e-5),)
-> (x.sum(axis=1).astype("float16").astype("int32") % 7,)
-> ((x.astype("float16").mean(axis=0) * 3 + 1) / 7,)
-> ((x.astype("complex64").sum(axis=0) * (1 + 2j) - 1j).imag,)
-> (~(x > 6.9).any(axis=1) & (x > -1.9).all(axis=1),)
mean = x.sum(axis=1); mean /= x.shape[1]; mean += 1 -> (mean,)
total = x.sum(axis=1) -> total, total * 2 + total, np.sqrt(abs(total))
total = x.sum(axis=1); before = total + 1; total[...] = before * total
... -> total, total - before, before
-> (np.reshape(x.sum(axis=1), (-1, 1)) * 2,)
-> x.mean(axis=1) * 2, x.mean(axis=1) * 3
"""
"""Programs whose epilogues are in the reductions' kernel, of short rows and of long ones."""
ALONE: Final = "reads=1, elementwise=0, skeletons=1"
SHORT: Final = [f"{ALONE} | 70,90 | {line}" for line in lines(OF_RESULTS)]
LONG: Final = [f"{ALONE} | 3,40000 | {line}" for line in lines(OF_RESULTS)]
RARELY: Final = [line for number, line in enumerate(LONG) if number % 4]


def long(x: Array, axis: int) -> Array:
    result = x.sum(axis=axis)
    for number in range(tuning.EPILOGUE + 5):
        result = result * 0.5 + number
    return result


@pytest.mark.parametrize("line", [*rows(PROGRAMS), *SHORT, *LONG[::4], *nightly(*RARELY)])
def test_a_program_has_the_bits_of_operations_by_themselves(line: str, form: xarr.Device) -> None:
    wanted_counts, shape, text = line.split("|", 2)
    run = program(text, "np, x, y, z", long=long)
    given = arrays(3, *map(int, shape.split(",")))
    found, seen = together(lambda: run(xarr, *given))
    wanted, one_by_one = apart(lambda: run(xarr, *given))
    assert found == wanted
    counts = counted(seen, one_by_one, given[0])
    for what, count in eval(f"dict({wanted_counts})").items():
        assert counts[what] == count, what


def test_joint_kernels_are_bounded(form: xarr.Device) -> None:
    needs("float64")
    # Rows are longer than those that a group takes several of, and there are enough for a GPU.
    (x,) = arrays(1, 300, 3000, dtype="float64")

    def many() -> Results:
        return tuple((x * (number + 1)).max(axis=1) for number in range(9))

    found, seen = together(many)
    assert found == apart(many)[0]
    assert reductions(seen) == 3

    def large() -> Results:
        return x.var(axis=1), x.std(axis=1), x.var(axis=1, correction=1)

    found, seen = together(large)
    assert found == apart(large)[0]
    assert reductions(seen) == 2  # three accumulators of three numbers would be 72 bytes a lane


def test_what_is_written_between_two_reductions_is_seen_by_the_second(form: xarr.Device) -> None:
    host = values(300, 200)

    def run(library: Any, x: Any) -> tuple[Any, ...]:
        first = x.max(axis=0)
        x += 1
        second = x.max(axis=0)
        x[1:] = x[:-1] * 1
        third = x.min(axis=0)
        x[...] = 5
        return first, second, third, x.max(axis=0), x

    ours = run(xarr, xarr.asarray(host.copy()))
    for found, wanted in zip(ours, run(np, host.copy()), strict=True):
        np.testing.assert_array_equal(np.asarray(found), wanted)


def test_what_results_are_computed_of_is_not_stored(form: xarr.Device) -> None:
    (x,) = arrays(1, 600, 50)
    with watched() as seen:
        y = xarr.sqrt(x.sum(axis=1) + 2)
        xarr.synchronize()
    assert seen.allocated == [y.nbytes]


def test_results_that_are_overwritten_before_they_are_read_are_not_computed(
    form: xarr.Device,
) -> None:
    host = values(40, 70)

    def run(x: Any, *, stores: bool) -> Any:
        top = x.max(axis=1)
        kept = None
        if stores:
            y = x + 1
            top += y.max(axis=1)
            kept = y
        top[...] = x[:, 0]
        return kept, top + 3

    for stores in (False, True):
        x = xarr.asarray(host)
        with watched() as seen:
            kept, result = run(x, stores=stores)
            xarr.synchronize()
        assert reductions(seen) == 0
        wanted = run(host.copy(), stores=stores)
        np.testing.assert_array_equal(np.asarray(result), wanted[1])
        if stores:
            np.testing.assert_array_equal(np.asarray(kept), wanted[0])


def test_explain_shows_all_that_a_joint_kernel_stores() -> None:
    (x,) = arrays(1, 3, 20_000)
    total, top = x.sum(axis=1), x.max(axis=1) * 2
    text = xarr.explain(top)
    assert "2 kernels" in text
    assert text.count("stores partial results, 24 bytes") == 2
    assert text.count("loads partial results, 24 bytes") == 2
    assert text.count(": float32, 12 bytes") == 2
    del total
