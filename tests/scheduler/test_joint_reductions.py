"""Reductions that are one kernel, and what is computed of their results in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import DTYPES, needs
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


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_of_what_is_computed_are_joint(axis: int | None, form: xarr.Device) -> None:
    x, y = arrays(2, 130, 300)

    def of_a_value() -> Results:
        value = x * 2
        return value.sum(axis=axis), x.max(axis=axis), value.max(axis=axis)

    cases: dict[str, Callable[[], Results]] = {
        "products": lambda: ((x * y).sum(axis=axis), (x * x).sum(axis=axis)),
        "moments": lambda: (x.sum(axis=axis), (x * x).sum(axis=axis)),
        "a value": of_a_value,
        "a type": lambda: (x.astype("float16").sum(axis=axis), x.sum(axis=axis)),
        "views": lambda: (x[::-1].max(axis=axis), x.min(axis=axis)),
    }
    for name, case in cases.items():
        found, seen = together(case)
        wanted, _ = apart(case)
        assert found == wanted, name
        assert seen.reads_of(storage_of(x)) == 1, name
        assert seen.reads_of(storage_of(y)) == int(name == "products"), name
        assert elementwise(seen) == 0, name


def test_what_is_stored_on_the_way_is_stored_once(form: xarr.Device) -> None:
    (x,) = arrays(1, 500, 40)

    def between() -> Results:
        total = x.sum(axis=1)
        y = x + 1
        return total, y, y.max(axis=1)

    found, seen = together(between)
    assert found == apart(between)[0]
    assert seen.stored(storage_of(x)) == [1]
    assert elementwise(seen) == 0


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


def test_a_reduction_of_another_ones_result_comes_after_it(form: xarr.Device) -> None:
    x, y = arrays(2, 200, 600)

    def centred() -> Results:
        mean = x.mean(axis=1, keepdims=True)
        return mean, ((x - mean) ** 2).sum(axis=1), x.max(axis=1)

    found, seen = together(centred)
    assert found == apart(centred)[0]
    assert seen.reads_of(storage_of(x)) == 1  # by a kernel that goes row by row

    def scaled() -> Results:
        scale = x.max()
        return (y * scale).sum(), (y * y).sum(), (x * y).sum()

    assert together(scaled)[0] == apart(scaled)[0]


def test_what_differs_in_axes_or_reads_nothing_in_common_is_apart() -> None:
    x, y = arrays(2, 300, 200)
    cases: dict[str, Callable[[], Results]] = {
        "axes": lambda: (x.sum(axis=0), x.sum(axis=1)),
        "shapes": lambda: (x.sum(axis=1), x[:10].sum(axis=1)),
        "storages": lambda: (x.sum(axis=1), y.sum(axis=1)),
        "indices": lambda: (x.argmin(axis=1), x.argmax(axis=1)),
        "a scan": lambda: (x.cumulative_sum(axis=1), x.sum(axis=1)),
    }
    for name, case in cases.items():
        found, seen = together(case)
        wanted, one_by_one = apart(case)
        assert found == wanted, name
        assert len(seen.launches) == len(one_by_one.launches), name


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


def test_work_in_between_does_not_keep_reductions_apart(form: xarr.Device) -> None:
    x, y, z = arrays(3, 50, 600)

    def mixed() -> Results:
        total = x.sum(axis=1)
        other = y * z
        squares = (x * x).sum(axis=1)
        return total, other, squares, other.max(axis=1)

    found, seen = together(mixed)
    assert found == apart(mixed)[0]
    assert seen.reads_of(storage_of(x)) == 1
    assert seen.reads_of(storage_of(y)) == 1


@pytest.mark.parametrize(
    ("shape", "form"),
    [
        pytest.param(
            shape, form, marks=() if is_long == (form == "as-gpu") else pytest.mark.nightly
        )
        for is_long, shape in enumerate([(70, 90), (3, 40_000)])
        for form in ("usual", "as-gpu")
    ],
    indirect=["form"],
)
def test_what_is_computed_of_results_alone_is_part_of_the_reduction(
    shape: tuple[int, ...], form: xarr.Device
) -> None:
    x, y = arrays(2, *shape)

    def in_place() -> Results:
        mean = x.sum(axis=1)
        mean /= shape[1]
        mean += 1
        return (mean,)

    def kept_and_used() -> Results:
        total = x.sum(axis=1)
        return total, total * 2 + total, xarr.sqrt(abs(total))

    def written_over() -> Results:
        total = x.sum(axis=1)
        before = total + 1
        total[...] = before * total
        return total, total - before, before

    cases: dict[str, Callable[[], Results]] = {
        "norm": lambda: (xarr.sqrt(((x - y) ** 2).sum()),),
        "norms": lambda: (xarr.linalg.vector_norm(x - y, axis=1),),
        "reciprocal": lambda: (1 / x.sum(axis=0),),
        "range": lambda: (x.max(axis=1) - x.min(axis=1),),
        "ratio": lambda: ((x * y).sum() / (x * x).sum(),),
        "deviation": lambda: (xarr.sqrt(x.var(axis=1, keepdims=True) + 1e-5),),
        "type": lambda: (x.sum(axis=1).astype("float16").astype("int32") % 7,),
        "half": lambda: ((x.astype("float16").mean(axis=0) * 3 + 1) / 7,),
        "complex": lambda: ((x.astype("complex64").sum(axis=0) * (1 + 2j) - 1j).imag,),
        "truth": lambda: (~(x > 6.9).any(axis=1) & (x > -1.9).all(axis=1),),
        "in place": in_place,
        "kept and used": kept_and_used,
        "written over": written_over,
        "reshaped": lambda: (xarr.reshape(x.sum(axis=1), (-1, 1)) * 2,),
        "by numbers": lambda: (x.mean(axis=1) * 2, x.mean(axis=1) * 3),
    }
    for name, case in cases.items():
        found, seen = together(case)
        assert found == apart(case)[0], name
        assert elementwise(seen) == 0, name
        assert seen.reads_of(storage_of(x)) == 1, name
        stages = {one.skeleton for one in seen.launches}
        assert len(stages) == 1, name


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


def test_what_else_results_are_computed_with_is_read_by_another_kernel(form: xarr.Device) -> None:
    x, y = arrays(2, 300, 30)
    weights = y[:, 0]
    cases: dict[str, Callable[[], Results]] = {
        "beside others": lambda: (x.sum(axis=1) * weights,),
        "spread": lambda: (x / x.sum(axis=1, keepdims=True),),
        "a part": lambda: (x.sum(axis=1)[:9] * 2,),
        "reversed": lambda: (x.sum(axis=1)[::-1] * 2,),
        "of a result": lambda: (x.sum(axis=1).max() + 1,),
        "a scan": lambda: (x.cumulative_sum(axis=1) * 2,),
    }
    for name, case in cases.items():
        found, _ = together(case)
        assert found == apart(case)[0], name


def test_a_normalisation_is_one_kernel(form: xarr.Device) -> None:
    x, gain = arrays(2, 200, 512)

    def normalised() -> Results:
        centred = x - x.mean(axis=1, keepdims=True)
        return (centred / xarr.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * gain,)

    found, seen = together(normalised)
    assert found == apart(normalised)[0]
    assert [one.skeleton[:5] for one in seen.launches] == ["rows_"]


def test_an_axis_of_one_element_mixes_no_result_with_an_operand(form: xarr.Device) -> None:
    """Where results have as many elements as operands, both walk the same space."""
    (x,) = arrays(1, 7, 1)

    def mixed() -> Results:
        total = x.sum(axis=1)
        more = total * 2
        other = x[:, 0] + more
        top = xarr.reshape(other, (7, 1)).max(axis=1)
        return total, other, top, xarr.reshape(more, (7, 1)).min(axis=1)

    assert together(mixed)[0] == apart(mixed)[0]


@pytest.mark.parametrize(("axis", "launches"), [(0, 2), (1, 1)])
def test_long_work_on_results_is_cut(form: xarr.Device, axis: int, launches: int) -> None:
    """What is cut off is a kernel by itself, or of a row's result a part of the kernel of rows."""
    (x,) = arrays(1, 30, 40)

    def long() -> Results:
        result = x.sum(axis=axis)
        for number in range(tuning.EPILOGUE + 5):
            result = result * 0.5 + number
        return (result,)

    found, seen = together(long)
    assert found == apart(long)[0]
    assert len(seen.launches) == launches


def test_explain_shows_all_that_a_joint_kernel_stores() -> None:
    (x,) = arrays(1, 3, 20_000)
    total, top = x.sum(axis=1), x.max(axis=1) * 2
    text = xarr.explain(top)
    assert "2 kernels" in text
    assert text.count("stores partial results, 24 bytes") == 2
    assert text.count("loads partial results, 24 bytes") == 2
    assert text.count(": float32, 12 bytes") == 2
    del total
