"""Reductions that are one kernel, and what is computed of their results in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import DTYPES, needs, nightly
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


class Case(NamedTuple):
    """A program of three arrays, their shape, and counts of what runs for it."""

    program: Callable[..., Results]
    shape: tuple[int, ...]
    counts: dict[str, Any]


JOINT: Final = {"reads": 1, "elementwise": 0}
"""All reductions read their operand together, and nothing is computed beside them."""
ALONE: Final = JOINT | {"skeletons": 1}
"""What is computed of their results is in their kernel."""
APART: Final = {"saved": 0}
"""As many launches as there are operations."""
NOTHING: Final[dict[str, Any]] = {}
"""Values alone count."""


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


def of_a_value(x: Array, axis: int | None) -> Results:
    value = x * 2
    return value.sum(axis=axis), x.max(axis=axis), value.max(axis=axis)


def stored(x: Array, *_: Array) -> Results:
    total = x.sum(axis=1)
    y = x + 1
    return total, y, y.max(axis=1)


def centred(x: Array, *_: Array) -> Results:
    mean = x.mean(axis=1, keepdims=True)
    return mean, ((x - mean) ** 2).sum(axis=1), x.max(axis=1)


def scaled(x: Array, y: Array, _: Array) -> Results:
    scale = x.max()
    return (y * scale).sum(), (y * y).sum(), (x * y).sum()


def mixed(x: Array, y: Array, z: Array) -> Results:
    total = x.sum(axis=1)
    other = y * z
    squares = (x * x).sum(axis=1)
    return total, other, squares, other.max(axis=1)


def in_place(x: Array, *_: Array) -> Results:
    mean = x.sum(axis=1)
    mean /= x.shape[1]
    mean += 1
    return (mean,)


def kept_and_used(x: Array, *_: Array) -> Results:
    total = x.sum(axis=1)
    return total, total * 2 + total, xarr.sqrt(abs(total))


def written_over(x: Array, *_: Array) -> Results:
    total = x.sum(axis=1)
    before = total + 1
    total[...] = before * total
    return total, total - before, before


def normalised(x: Array, gain: Array, _: Array) -> Results:
    centred = x - x.mean(axis=1, keepdims=True)
    return (centred / xarr.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * gain,)


def of_one_element(x: Array, *_: Array) -> Results:
    """Where results have as many elements as operands, both walk the same space."""
    total = x.sum(axis=1)
    more = total * 2
    other = x[:, 0] + more
    top = xarr.reshape(other, (7, 1)).max(axis=1)
    return total, other, top, xarr.reshape(more, (7, 1)).min(axis=1)


def long(x: Array, axis: int) -> Results:
    """What is cut off is a kernel by itself, or of a row's result a part of the kernel of rows."""
    result = x.sum(axis=axis)
    for number in range(tuning.EPILOGUE + 5):
        result = result * 0.5 + number
    return (result,)


PROGRAMS: Final[dict[str, Case]] = {
    "what is stored on the way": Case(stored, (500, 40), {"stored": [1], "elementwise": 0}),
    "centred": Case(centred, (200, 600), {"reads": 1}),  # by a kernel that goes row by row
    "scaled by another result": Case(scaled, (200, 600), NOTHING),
    "work in between": Case(mixed, (50, 600), {"reads": 1}),
    "normalised": Case(normalised, (200, 512), {"skeletons": 1, "launches": 1}),
    "an axis of one element": Case(of_one_element, (7, 1), NOTHING),
    "long": Case(lambda x, *_: long(x, 1), (30, 40), {"launches": 1}),
    "long of columns": Case(lambda x, *_: long(x, 0), (30, 40), {"launches": 2}),
    "axes": Case(lambda x, *_: (x.sum(axis=0), x.sum(axis=1)), (300, 200), APART),
    "shapes": Case(lambda x, *_: (x.sum(axis=1), x[:10].sum(axis=1)), (300, 200), APART),
    "storages": Case(lambda x, y, _: (x.sum(axis=1), y.sum(axis=1)), (300, 200), APART),
    "indices": Case(lambda x, *_: (x.argmin(axis=1), x.argmax(axis=1)), (300, 200), APART),
    "and a scan": Case(lambda x, *_: (x.cumulative_sum(axis=1), x.sum(axis=1)), (300, 200), APART),
    "beside others": Case(lambda x, y, _: (x.sum(axis=1) * y[:, 0],), (300, 30), NOTHING),
    "spread": Case(lambda x, *_: (x / x.sum(axis=1, keepdims=True),), (300, 30), NOTHING),
    "a part": Case(lambda x, *_: (x.sum(axis=1)[:9] * 2,), (300, 30), NOTHING),
    "reversed": Case(lambda x, *_: (x.sum(axis=1)[::-1] * 2,), (300, 30), NOTHING),
    "of a result": Case(lambda x, *_: (x.sum(axis=1).max() + 1,), (300, 30), NOTHING),
    "of a scan": Case(lambda x, *_: (x.cumulative_sum(axis=1) * 2,), (300, 30), NOTHING),
}
OF_COMPUTED: Final[dict[str, Callable[..., Results]]] = {
    "products": lambda x, y, axis: ((x * y).sum(axis=axis), (x * x).sum(axis=axis)),
    "moments": lambda x, y, axis: (x.sum(axis=axis), (x * x).sum(axis=axis)),
    "a value": lambda x, y, axis: of_a_value(x, axis),
    "a type": lambda x, y, axis: (x.astype("float16").sum(axis=axis), x.sum(axis=axis)),
    "views": lambda x, y, axis: (x[::-1].max(axis=axis), x.min(axis=axis)),
}
PROGRAMS.update(
    {
        f"{name} along {axis}": Case(
            lambda x, y, _, program=program, axis=axis: program(x, y, axis), (130, 300), JOINT
        )
        for name, program in OF_COMPUTED.items()
        for axis in (None, 0, 1)
    }
)
OF_RESULTS: Final[dict[str, Callable[..., Results]]] = {
    "norm": lambda x, y, _: (xarr.sqrt(((x - y) ** 2).sum()),),
    "norms": lambda x, y, _: (xarr.linalg.vector_norm(x - y, axis=1),),
    "reciprocal": lambda x, *_: (1 / x.sum(axis=0),),
    "range": lambda x, *_: (x.max(axis=1) - x.min(axis=1),),
    "ratio": lambda x, y, _: ((x * y).sum() / (x * x).sum(),),
    "deviation": lambda x, *_: (xarr.sqrt(x.var(axis=1, keepdims=True) + 1e-5),),
    "type": lambda x, *_: (x.sum(axis=1).astype("float16").astype("int32") % 7,),
    "half": lambda x, *_: ((x.astype("float16").mean(axis=0) * 3 + 1) / 7,),
    "complex": lambda x, *_: ((x.astype("complex64").sum(axis=0) * (1 + 2j) - 1j).imag,),
    "truth": lambda x, *_: (~(x > 6.9).any(axis=1) & (x > -1.9).all(axis=1),),
    "in place": in_place,
    "kept and used": kept_and_used,
    "written over": written_over,
    "reshaped": lambda x, *_: (xarr.reshape(x.sum(axis=1), (-1, 1)) * 2,),
    "by numbers": lambda x, *_: (x.mean(axis=1) * 2, x.mean(axis=1) * 3),
}
PROGRAMS.update({name: Case(program, (70, 90), ALONE) for name, program in OF_RESULTS.items()})
PROGRAMS.update(
    {f"{name} of long rows": Case(run, (3, 40_000), ALONE) for name, run in OF_RESULTS.items()}
)
LONG: Final = [name for name in PROGRAMS if name.endswith("long rows")]
RARELY: Final = [name for number, name in enumerate(LONG) if number % 4]


@pytest.mark.parametrize(
    "name", [*(name for name in PROGRAMS if name not in RARELY), *nightly(*RARELY)]
)
def test_a_program_has_the_bits_of_operations_by_themselves(name: str, form: xarr.Device) -> None:
    case = PROGRAMS[name]
    given = arrays(3, *case.shape)
    found, seen = together(lambda: case.program(*given))
    wanted, one_by_one = apart(lambda: case.program(*given))
    assert found == wanted
    counts = counted(seen, one_by_one, given[0])
    assert {what: counts[what] for what in case.counts} == case.counts


def test_joint_kernels_are_bounded(form: xarr.Device) -> None:
    needs("float64")
    (x,) = arrays(1, 20, 3000, dtype="float64")  # longer than rows that a group takes several of

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
