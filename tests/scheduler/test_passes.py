"""Passes of the scheduler on small lists, and broken lists that `verify` refuses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy
import pytest

import xarr as np
from xarr.codegen.expressions import Roll
from xarr.ir.storage import is_live
from xarr.scheduler import fusion_group
from xarr.scheduler.buffer_reuse import Plan, reuse_buffers
from xarr.scheduler.dce import eliminate_dead_code, eliminate_dead_stores
from xarr.scheduler.fusion import fuse_horizontally, fuse_vertically
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import ScheduledInstruction, decode
from xarr.scheduler.planned_kernel import PlannedKernel
from xarr.scheduler.recompute import recompute
from xarr.scheduler.rewrite import rewrite
from xarr.scheduler.row_fusion import fuse_rows
from xarr.scheduler.schedule import schedule
from xarr.scheduler.verify import VerificationError, Verifier
from xarr.tape.tape import tape_of

Program = Callable[[dict[str, Any]], None]


class Lists(NamedTuple):
    """The list of a program behind each pass."""

    given: list[ScheduledInstruction]
    states: tuple[int, ...]
    rewritten: list[ScheduledInstruction]
    needed: list[ScheduledInstruction]
    vertical: list[FusionGroup]
    horizontal: list[FusionGroup]
    stored: list[FusionGroup]
    runs: list[list[FusionGroup]]
    plan: Plan


def recorded(program: Program) -> tuple[list[ScheduledInstruction], tuple[int, ...]]:
    """The instructions that a program records on 6 x 50 numbers a, b and u, and its states."""
    x = {name: np.asarray(numpy.full((6, 50), 2.0, numpy.float32)) for name in "abu"}
    np.synchronize()
    program(x)
    trace, _, made = tape_of(np.default_device()).would_run()
    return decode(trace.opcodes, trace.codes), made.states


def lists(program: Program, **changed: Any) -> Lists:
    """Run the passes on what a program records."""
    given, states = recorded(program)
    info = dataclasses.replace(np.default_device().info, compute_units=1, **changed)
    live = [is_live(state) for state in states]
    swappable = {slot: -100 - state for slot, state in enumerate(states) if state <= -100}
    rewritten = rewrite(given, live, swappable, info)
    needed = eliminate_dead_code(rewritten, live)
    vertical = fuse_vertically(needed, live, info)
    horizontal = fuse_horizontally(vertical)
    stored = eliminate_dead_stores(recompute(horizontal, live, info), live)
    runs = fuse_rows(stored, info)
    plan = reuse_buffers(runs, states, info)
    return Lists(given, states, rewritten, needed, vertical, horizontal, stored, runs, plan)


def numbers(found: Sequence[ScheduledInstruction | FusionGroup | PlannedKernel]) -> list[Any]:
    return [one.number if isinstance(one, ScheduledInstruction) else sorted(one.numbers_of_members)
            if isinstance(one, FusionGroup) else sorted(one.members) for one in found]  # fmt: skip


def rolled_twice(x: dict[str, Any]) -> None:
    x["r"] = np.roll(np.roll(x["a"], 1, 0), 2, 0)


def one_result_of_two(x: dict[str, Any]) -> None:
    x["a"] + 1
    x["r"] = x["a"] * 2


def filled_in_parts(x: dict[str, Any]) -> None:
    x["r"] = np.zeros((6, 50), "complex64")  # of which nothing writes the whole array
    x["r"][:2] = x["a"][:2]
    x["r"][2:] = x["b"][2:]


def chain(x: dict[str, Any]) -> None:
    x["r"] = (x["a"] + x["b"]) * 2


def siblings(x: dict[str, Any]) -> None:
    x["r"] = x["a"] + 1
    x["s"] = x["b"] * 2 + x["a"]


def softmax(x: dict[str, Any]) -> None:
    e = np.exp(x["a"] - x["a"].max(axis=1, keepdims=True))
    x["r"] = e / e.sum(axis=1, keepdims=True)


def pairs(x: dict[str, Any]) -> None:
    apart = np.abs(x["a"][0][:, None] - x["a"][0])
    x["r"], x["s"] = apart.max(axis=0), apart.max(axis=1)


def last_use(x: dict[str, Any]) -> None:
    x["r"] = x.pop("a") + x["b"]


def stencil(x: dict[str, Any]) -> None:
    x["u"][1:] = x["u"][:-1] + x["a"][1:]


def overwritten_behind_a_read(x: dict[str, Any]) -> None:
    x["r"] = x["u"][1:3] + x["a"][1:3]
    x["u"][:2] = x["b"][:2]


def test_rewrite_composes_rolls() -> None:
    found = lists(rolled_twice)
    operation = found.rewritten[1].operation
    assert isinstance(operation, Roll)
    assert operation.shifts == (3, 0)
    assert found.rewritten[1].also == {0}
    assert numbers(found.needed) == [1]


def test_rewrite_makes_a_partial_write_one_of_the_whole() -> None:
    *_, write = lists(stencil).rewritten
    assert write.whole is not None
    assert write.whole.can_swap
    assert (write.shape, write.whole.shape) == ((5, 50), (6, 50))


def test_dead_code_is_eliminated() -> None:
    assert numbers(lists(one_result_of_two).needed) == [1]


def test_a_fill_that_parts_overwrite_is_dead() -> None:
    found = lists(filled_in_parts)
    assert numbers(found.needed) == [1, 2]
    assert [step.uninitialised_nbytes for step in found.needed] == [2400, 2400]
    first, second = [group for kernel in found.plan.kernels for group in kernel.groups]
    assert list(first.uninitialised.values()) == [2400]
    assert not second.uninitialised


def test_vertical_fusion_joins_a_consumer_to_its_producer() -> None:
    found = lists(chain)
    assert numbers(found.vertical) == [[0, 1]]
    (group,) = found.stored
    assert [key[0] for key in group.stores] == [2, 3]
    assert [key[0] for key in group.outputs] == [3], "the sum is a variable"


def test_horizontal_fusion_joins_groups_that_load_one_array() -> None:
    found = lists(siblings)
    assert numbers(found.vertical) == [[0], [1, 2]]
    assert numbers(found.horizontal) == [[0, 1, 2]]


def test_row_fusion_joins_what_reduces_the_same_rows() -> None:
    found = lists(softmax)
    assert len(found.stored) == 3
    assert list(map(len, found.runs)) == [3]
    assert not lists(softmax, local_nbytes=0, kind="gpu").runs[0][1:]


def test_pairs_are_computed_again_where_they_are_reduced() -> None:
    assert [len(group.outputs) for group in lists(pairs, kind="cpu").stored] == [1, 0]
    found = lists(pairs, kind="gpu")
    assert [len(group.outputs) for group in found.stored] == [0, 0]
    assert numbers(found.stored) == [[0, 1, 2], [0, 1, 3]]


def test_a_dead_buffer_is_reused() -> None:
    (kernel,) = lists(last_use).plan.kernels
    assert len(kernel.reuses) == 1
    assert not kernel.freed


def test_a_stencil_in_place_is_double_buffered() -> None:
    found = lists(stencil)
    assert found.plan.spare_buffers == [1200]
    assert len(found.states) in found.plan.kernels[0].reuses.values()


def test_passes_keep_the_order_of_hazards() -> None:
    assert numbers(lists(overwritten_behind_a_read).horizontal) == [[0], [1]]


def without_first(some: Sequence[Any]) -> Any:
    return some[1:]


def backwards(some: Sequence[Any]) -> Any:
    return some[::-1]


def twice(some: Sequence[Any]) -> Any:
    return [*some, some[0]]


def in_one(groups: Sequence[FusionGroup]) -> Any:
    for group in groups[1:]:
        for step in group.members:
            groups[0].add(step)
    return groups[:1]


def storing_nothing(groups: Sequence[FusionGroup]) -> Any:
    for group in groups:
        group.outputs = {}
    return groups


def freed(plan: Plan) -> Any:
    plan.kernels[0].freed.append(0)
    return plan


def reused(plan: Plan) -> Any:
    plan.kernels[0].reuses[len(plan.kernels)] = 0
    return plan


BROKEN: Final[list[tuple[Program, str, str, Callable[[Any], Any], str]]] = [
    (chain, "rewritten", "instructions", without_first, "reads s2"),
    (chain, "rewritten", "instructions", backwards, "order"),
    (chain, "needed", "instructions", lambda some: some[:1], "is live, and is gone"),
    (overwritten_behind_a_read, "vertical", "groups", without_first, "is in no group"),
    (overwritten_behind_a_read, "vertical", "groups", backwards, "changed places"),
    (overwritten_behind_a_read, "vertical", "groups", twice, "is in two groups"),
    (overwritten_behind_a_read, "horizontal", "groups", in_one, "each other's elements"),
    (softmax, "horizontal", "groups", backwards, "changed places"),
    (chain, "stored", "stores", storing_nothing, "does not store s3"),
    (softmax, "stored", "stores", without_first, "which nothing stores"),
    (softmax, "runs", "runs", lambda runs: [runs[0][::-1]], "changed places"),
    (last_use, "plan", "plan", freed, "frees s0 twice"),
    (chain, "plan", "plan", freed, "frees s0, which is live"),
    (chain, "plan", "plan", reused, "reuses s0"),
]


@pytest.mark.parametrize(
    ("program", "name", "check", "broken", "fault"),
    BROKEN,
    ids=[f"{program.__name__}-{name}-{fault}" for program, name, _, _, fault in BROKEN],
)
def test_a_broken_list_is_refused(
    program: Program, name: str, check: str, broken: Callable[[Any], Any], fault: str
) -> None:
    found = lists(program)
    verify = Verifier(found.given, found.states)
    verify.instructions(found.needed)
    getattr(verify, check)(getattr(found, name))
    with pytest.raises(VerificationError, match=fault):
        getattr(verify, check)(broken(getattr(found, name)))


def test_a_pass_that_sees_no_hazard_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion_group, "overlap", lambda first, second: False)
    with pytest.raises(VerificationError, match="access each other's elements in one kernel"):
        schedule(*recorded(overwritten_behind_a_read), np.default_device().info)
