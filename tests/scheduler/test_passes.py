"""Lists that a pass of the scheduler would break, which `verify` refuses.

What the passes do is seen by kernels and values in test_counts.py, test_rows.py and test_steps.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy
import pytest

import xarr as np
from xarr.ir.storage import is_live
from xarr.scheduler import fusion_group
from xarr.scheduler.buffer_reuse import Plan, reuse_buffers
from xarr.scheduler.dce import eliminate_dead_code, eliminate_dead_stores
from xarr.scheduler.fusion import fuse_horizontally, fuse_vertically
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import ScheduledInstruction, decode
from xarr.scheduler.recompute import recompute
from xarr.scheduler.rewrite import rewrite
from xarr.scheduler.row_fusion import fuse_rows
from xarr.scheduler.schedule import schedule
from xarr.scheduler.verify import VerificationError, Verifier
from xarr.tape.tape import tape_of

Program = Callable[[dict[str, Any]], None]


class Lists(NamedTuple):
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


def lists(program: Program) -> Lists:
    given, states = recorded(program)
    info = dataclasses.replace(np.default_device().info, compute_units=1)
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


def chain(x: dict[str, Any]) -> None:
    x["r"] = (x["a"] + x["b"]) * 2


def softmax(x: dict[str, Any]) -> None:
    e = np.exp(x["a"] - x["a"].max(axis=1, keepdims=True))
    x["r"] = e / e.sum(axis=1, keepdims=True)


def last_use(x: dict[str, Any]) -> None:
    x["r"] = x.pop("a") + x["b"]


def overwritten_behind_a_read(x: dict[str, Any]) -> None:
    x["r"] = x["u"][1:3] + x["a"][1:3]
    x["u"][:2] = x["b"][:2]


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
