"""Bugs that are planted in the engine, each in one function, for random programs to find.

``python -m tools.planted`` tells how many steps and seconds each takes.
"""

from __future__ import annotations

import itertools
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import pytest

import xarr
from tests import processes
from tests.engine.pairs import Difference
from tests.engine.programs import NARROW, run_one
from xarr import layout
from xarr.ir import instructions
from xarr.ir.events import hooks
from xarr.ir.instructions import RunArguments
from xarr.runtime.dispatch import Program
from xarr.scheduler import dce, fusion_group
from xarr.scheduler.buffer_reuse import Buffers
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import ScheduledInstruction
from xarr.scheduler.rewrite import ProducerTable
from xarr.tape import failures, record
from xarr.tape.tape import tape_of

Plant = Callable[[pytest.MonkeyPatch], None]
PLANTS: Final[dict[str, Plant]] = {}
LIMIT_S: Final = 600
"""Seconds within which each of them has to be found."""
ELSEWHERE: Final = {
    # Random programs let NumPy see memory that is the host's, and nobody any other.
    "others see memory before it is written": {"XARR_DEVICE": "cpu"},
    "small work overtakes large": {"XARR_DEVICE": "opencl:0"},  # which runs work in two places
    # The compiled core refuses what is derived of a dictionary.
    "the key forgets which storage": {"XARR_PURE": "1"},
    "the key forgets offsets": {"XARR_PURE": "1"},
    # As the core's tape takes a lock of its own class.
    "threads do not wait for each other": {"XARR_PURE": "1"},
}
"""The environment of bugs that can be planted in it alone."""


def plant(function: Plant) -> Plant:
    """Name a bug after the function that plants it."""
    PLANTS[function.__name__.replace("_", " ")] = function
    return function


class _Forgetful(dict[Any, Any]):
    """Lists of instructions by their opcodes and codes, of which something is forgotten."""

    def __init__(self, forget: Callable[[Any], Any]) -> None:
        super().__init__()
        self._forget = forget

    def _key(self, key: Any) -> Any:
        if len(key) != 2 or not isinstance(key[0], tuple):
            return key  # opcodes alone
        return key[0], self._forget(key[1])

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(self._key(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._key(key), value)


class _Open:
    """A lock that keeps nobody away."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *error: object) -> None:
        pass


def _key_forgets(patch: pytest.MonkeyPatch, forget: Callable[[Any], Any]) -> None:
    patch.setattr(xarr.default_device(), "programs", _Forgetful(forget))


@plant
def an_array_that_lives_is_dead(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(hooks, "unheld", hooks.unheld + 1)


@plant
def the_key_forgets_which_storage(patch: pytest.MonkeyPatch) -> None:
    _key_forgets(patch, len)


@plant
def two_storages_are_swapped(patch: pytest.MonkeyPatch) -> None:
    go = Program.go

    def swapped(self: Program, listed: RunArguments, *rest: Any) -> Any:
        storages = listed.storages
        if len(storages) > 2 and storages[1].nbytes == storages[2].nbytes:
            storages[1:3] = storages[2:0:-1]
        return go(self, listed, *rest)

    patch.setattr(Program, "go", swapped)


@plant
def the_key_forgets_offsets(patch: pytest.MonkeyPatch) -> None:
    _key_forgets(patch, lambda codes: tuple([instructions.decoded(code)[0] for code in codes]))


@plant
def nothing_overlaps(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(layout, "overlap", lambda first, second: False)


@plant
def instructions_never_overlap(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fusion_group, "overlap", lambda first, second: False)


@plant
def data_types_are_apart(patch: pytest.MonkeyPatch) -> None:
    overlap = fusion_group.overlap
    patch.setattr(
        fusion_group,
        "overlap",
        lambda first, second: first.dtype is second.dtype and overlap(first, second),
    )


@plant
def memory_is_taken_over_while_it_is_read(patch: pytest.MonkeyPatch) -> None:
    reuse = Buffers.reuse

    def too_early(self: Buffers, number: int, **options: bool) -> dict[int, int]:
        self._last = self._first
        return reuse(self, number, **options)

    patch.setattr(Buffers, "reuse", too_early)


@plant
def memory_is_taken_over_out_of_step(patch: pytest.MonkeyPatch) -> None:
    def first_type(self: FusionGroup, slot: int) -> Any:
        return next((dtype for other, dtype, *_ in self.accesses if other == slot), None)

    patch.setattr(FusionGroup, "type_in_order", first_type)


@plant
def the_first_of_several_writes_stays(patch: pytest.MonkeyPatch) -> None:
    add = FusionGroup.add

    def first_stays(self: FusionGroup, instruction: ScheduledInstruction) -> None:
        before = dict(self.stores)
        add(self, instruction)
        self.stores.update(before)

    patch.setattr(FusionGroup, "add", first_stays)


@plant
def writes_pass_by_what_reads(patch: pytest.MonkeyPatch) -> None:
    must_precede = FusionGroup.must_precede

    def ignoring(self: FusionGroup, instruction: ScheduledInstruction) -> bool:
        read, self.read = self.read, {}
        try:
            return must_precede(self, instruction)
        finally:
            self.read = read

    patch.setattr(FusionGroup, "must_precede", ignoring)


@plant
def reads_pass_by_writes(patch: pytest.MonkeyPatch) -> None:
    must_precede = FusionGroup.must_precede

    def ignoring(self: FusionGroup, instruction: ScheduledInstruction) -> bool:
        return must_precede(
            self, instruction.but(operands=()) if instruction.target else instruction
        )

    patch.setattr(FusionGroup, "must_precede", ignoring)


@plant
def what_was_loaded_stays_when_memory_is_exchanged(patch: pytest.MonkeyPatch) -> None:
    add = FusionGroup._add_entry

    def stale(self: FusionGroup, instruction: ScheduledInstruction) -> None:
        before = self.values
        add(self, instruction)
        if instruction.written.slot in self.double_buffered:
            self.values = before | self.values

    patch.setattr(FusionGroup, "_add_entry", stale)


@plant
def expressions_read_what_was_written_since(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ProducerTable, "overwrite", lambda self, slot: self._producers.pop(slot, None))


@plant
def a_part_is_taken_for_the_whole(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dce, "_fully_overwritten", lambda whole, parts: bool(parts))


@plant
def threads_do_not_wait_for_each_other(patch: pytest.MonkeyPatch) -> None:
    device = xarr.default_device()
    sys.setswitchinterval(1e-6)  # threads take turns between any two operations
    patch.setattr(device, "lock", _Open())
    patch.setattr(tape_of(device), "lock", _Open())


@plant
def a_failed_run_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(failures, "requeue", lambda _, steps: None)


@plant
def what_has_run_before_a_failure_runs_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Program, "left", lambda self, done: frozenset[int]().union(*self.members))


@plant
def others_see_memory_before_it_is_written(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(record, "is_seen", lambda *_: False)


@plant
def small_work_overtakes_large(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(type(xarr.default_device().driver), "_is_free", lambda self: True)


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Let the engine have a bug."""
    with pytest.MonkeyPatch.context() as patch:
        device = xarr.default_device()
        device.synchronize()
        patch.setattr(device, "programs", {})
        PLANTS[name](patch)
        yield


def search(name: str, limit_s: float, length: int = 25) -> int:
    """Run random programs until they find a bug; say before each how many steps there were."""
    begun = time.monotonic()
    with planted(name):
        for number in itertools.count():
            elapsed_s = time.monotonic() - begun
            print(f"{length * (number + 1)} steps, {elapsed_s:.1f} s", flush=True)
            if elapsed_s > limit_s:
                break
            try:
                run_one(f"0-{number}", NARROW, length)
            except Difference as difference:
                print(str(difference).splitlines()[0])
                return 0
    return 1


class Found(NamedTuple):
    """What it took to find a bug; `what` is empty where it was not found."""

    steps: int
    elapsed_s: float
    what: str


def hunt(name: str, limit_s: float) -> Found:
    """Let random programs, not `verify`, find a bug; in a process, as freed memory may be used."""
    environment = {"XARR_VERIFY": "0"} | ELSEWHERE.get(name, {})
    done = processes.run("-m", "tools.planted", name, str(limit_s), **environment)
    steps, elapsed_s = re.findall(r"^(\d+) steps, ([\d.]+) s$", done.stdout, re.MULTILINE)[-1]
    what = done.stdout.splitlines()[-1] if not done.returncode else ""
    if done.returncode not in (0, 1):
        what = f"the process ended with {done.returncode}"
    return Found(int(steps), float(elapsed_s), what)


def main() -> int:
    """Search for one bug, or print what it takes to find each of them."""
    if len(sys.argv) > 1:
        return search(sys.argv[1], float(sys.argv[2]))
    for name in PLANTS:
        found = hunt(name, LIMIT_S)
        print(f"{name:44} {found.steps:8,} steps {found.elapsed_s:6.1f} s  {found.what[:60]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
