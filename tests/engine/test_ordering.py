"""Mutable views and deferred work together: random programs have to do what NumPy does.

`programs` writes and runs them. Here hypothesis chooses the steps, and shrinks what fails to a
short program; a plain random generator chooses them for the long run.
"""

from __future__ import annotations

import contextlib
import gc
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Final

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

import xarr
from tests.engine.programs import (
    NARROW,
    STEPS,
    WIDE,
    Breadth,
    Difference,
    Pick,
    Program,
    run_random,
)
from tests.engine.views import run_seen
from tests.launching import nothing_launched, refuse_memory
from xarr import layout
from xarr.array.array import settled
from xarr.array.interchange import _Shared
from xarr.backends.base import Driver
from xarr.engine import engine
from xarr.engine.expression import Node

MIDDLE: Final = replace(
    NARROW,
    dtypes=(("int64", "int64"), ("int64", "int64"), ("float32", "float32")),
    sides=(4, 6, 70),
    shapes=("n", "nn", ""),
    keys=("1:", ":-1", "::-1", "::2", "1::2"),
    steps=STEPS,
)
ASSIGNING: Final = replace(
    NARROW,
    sides=(6,),
    shapes=("n",),
    keys=("1:", ":-1"),
    steps={
        "make": 8,
        "assign_named": 30,
        "assign": 16,
        "in_place": 14,
        "pend": 10,
        "delete": 2,
        "look": 2,
    },
)
MACHINE: Final = hypothesis.settings(
    max_examples=100,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(hypothesis.HealthCheck),
)
PLANTED_FOUND_S: Final = 600
"""Seconds within which each planted bug has to be found."""
RACING: Final = replace(NARROW, sides=(6, 1000))
"""Arrays that a GPU does not read as a whole before it writes the first element."""


def _picks(data: st.DataObject) -> Pick:
    def pick(count: int) -> int:
        return data.draw(st.integers(0, count - 1)) if count > 1 else 0

    return pick


def _step(name: str) -> Any:
    """The rule that takes one of a program's steps and compares."""

    def take(self: Machine, data: st.DataObject) -> None:
        program = self.program
        program.pick = _picks(data)
        with self.noted():
            getattr(program, name)()
            program.check()

    take.__name__ = take.__qualname__ = name
    return rule(data=st.data())(take)


class Machine(RuleBasedStateMachine):
    """Pairs of an xarr and a NumPy array, which have to stay equal."""

    breadth = NARROW
    program: Program
    failed = False
    found: ClassVar[list[str]]
    """What all programs of this class found."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.program = Program(_picks(data), self.breadth)

    # Twice what is most likely to go wrong.
    make = _step("make")
    view, view_again = _step("view"), _step("view")
    pend, pend_again = _step("pend"), _step("pend")
    in_place, in_place_again = _step("in_place"), _step("in_place")
    assign, assign_again = _step("assign"), _step("assign")
    assign_named = _step("assign_named")
    compare_values = _step("compare_values")
    convert = _step("convert")
    copy = _step("copy")
    masked = _step("masked")
    gathered = _step("gathered")
    reduced = _step("reduced")
    rearranged = _step("rearranged")
    delete = _step("delete")
    collect = _step("collect")
    toggle = _step("toggle")
    look = _step("look")
    refuse = _step("refuse")

    def teardown(self) -> None:
        if not self.failed and hasattr(self, "program"):
            with self.noted():
                self.program.check(everything=True)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Note what is found."""
        try:
            yield
        except Difference as found:
            self.failed = True
            self.found.append(str(found))
            raise


def _machine(seed: int, breadth: Breadth) -> type[Machine]:
    """The machine with choices that follow from a seed."""
    made = type("Machine", (Machine,), {"breadth": breadth, "found": []})
    return hypothesis.seed(seed)(made)  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", [0])
def test_programs_do_what_numpy_does(seed: int) -> None:
    run_state_machine_as_test(_machine(seed, NARROW), settings=MACHINE)


def _need_float64() -> None:
    """What NumPy computes in float64 is refused without it."""
    if not xarr.default_device().has_float64:
        pytest.skip(f"{xarr.default_device()} has no float64")


@pytest.mark.parametrize("seed", [0])
def test_broad_programs_do_what_numpy_does(seed: int) -> None:
    _need_float64()
    for _ in run_random(seed, 300, WIDE):
        pass


# In all 10**5 steps. Kernels are most of the time, so the narrow programs, which share theirs, are
# most of the steps.
LONG: Final = (
    *((NARROW, "narrow", seed, 23_000) for seed in range(1, 5)),
    *((MIDDLE, "middle", seed, 3_500) for seed in range(1, 3)),
    (WIDE, "wide", 1, 1_500),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("breadth", "seed", "steps"),
    [
        pytest.param(breadth, seed, steps, id=f"{name}-{seed}")
        for breadth, name, seed, steps in LONG
    ],
)
def test_long_runs_do_what_numpy_does(breadth: Breadth, seed: int, steps: int) -> None:
    if breadth is not NARROW:
        _need_float64()
    assert max(run_random(seed, steps, breadth)) >= steps


READING: Final = replace(
    WIDE,
    dtypes=(("int32", "int64"), ("int64", "int32"), ("bool", "bool")),
    sides=(6,),
    rare=2,
    steps={
        "make": 6,
        "view": 4,
        "pend": 60,
        "compare_values": 4,
        "convert": 8,
        "in_place": 5,
        "assign": 5,
        "assign_named": 2,
        "reduced": 2,
        "delete": 2,
    },
)


@pytest.fixture
def short_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every few allocations be refused twice, which leaves the last way to find memory."""
    chance = random.Random(1)
    left = [5]

    def is_short() -> bool:
        if engine._recovering:
            return False
        left[0] -= 1
        if left[0] < 0:
            left[0] = chance.randrange(4, 30)
        return left[0] in (0, 1)

    refuse_memory(monkeypatch, is_short)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # takes its time, and changes nothing here


@pytest.mark.parametrize("limits", [(8, 3), (20, 16), (64, 16)], ids=str)
@pytest.mark.parametrize("memory", ["ample", "short"])
def test_what_expressions_read_is_known(
    limits: tuple[int, int],
    memory: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "LIMIT_NODES", limits[0])
    monkeypatch.setattr(engine, "LIMIT_STORAGES", limits[1])
    # Nothing is computed, so many programs take little time; `check` asks what would be read.
    monkeypatch.setattr(engine, "_elementwise", lambda *_, **__: None)
    monkeypatch.setattr(Program, "_check_values", lambda *_: None)
    if memory == "short":
        request.getfixturevalue("short_memory")
    with nothing_launched():
        for _ in run_random(0, 10_000, READING, length=60):
            pass


@pytest.mark.parametrize(
    "line", ["np.where(shared, longer, -1)", "np.clip(shared, None, longer)"], ids=["where", "clip"]
)
def test_what_is_computed_on_behalf_of_another_operand_is_read_before_it_is_written(
    line: str,
) -> None:
    for extra in range(26, 32):
        results = []
        for np_ in (xarr, np):
            shared = np_.ones(10, dtype="int32") * 2
            longer = np_.astype(shared, "float32")
            for _ in range(extra):
                longer = longer + 1
            # `shared` is converted, and then computed: both together are too long for one kernel.
            results.append(eval(line, {"np": np_, "shared": shared, "longer": longer}))
            shared[...] = 0
        assert np.array_equal(np.asarray(results[0]), results[1])


@pytest.mark.usefixtures("short_memory")
def test_programs_do_what_numpy_does_when_memory_is_short() -> None:
    for _ in run_random(0, 1000, NARROW):
        pass


@pytest.mark.parametrize("source", ["np.arange(3.0) + 1", "np.asarray([1.0, 2, 3])", "np.ones(3)"])
@pytest.mark.parametrize(
    "line",
    [
        "np.vecdot(x, x)",
        "np.linalg.outer(x, x)",
        "np.tensordot(x, x, axes=1)",
        "np.linalg.cross(x, x)",
        "np.linalg.matrix_norm(x[None])",
        "np.linalg.matrix_rank(x[None])",
        "np.linalg.solve(np.eye(3), x)",
        "np.fft.fft(x)",
        "np.isin(x, x)",
        "np.sort(x)",
        "np.sum(x)",
        "np.concat((x, x))",
    ],
)
def test_a_function_leaves_the_array_that_it_is_given(line: str, source: str) -> None:
    _need_float64()
    seen = []
    for library in (xarr, np):
        x = eval(source, {"np": library})
        eval(line, {"np": library, "x": x})
        later = x + 5
        values = [np.array(later), np.array(x)]
        view = x[...]
        view += 1
        values.append(np.array(x))
        del view
        x += later
        later[...] = 0
        seen.append([*values, np.array(x)])
    assert np.array_equal(*seen)


@pytest.mark.parametrize("name", ["sum", "max", "mean", "var", "argmax", "any", "cumulative_sum"])
def test_a_function_reads_an_array_that_it_alone_holds(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = xarr.asarray(np.arange(10, dtype=np.float32))
    held = [source + 1]
    del source
    other = held[0] + 1
    refusals = [True, True]
    refuse_memory(monkeypatch, lambda: bool(refusals) and refusals.pop())
    # Memory is short, so `other` is computed within the function, and may take what it reads.
    result = np.asarray(getattr(xarr, name)(held.pop()))
    assert not refusals
    assert other._node.storage is not None
    np.testing.assert_allclose(result, getattr(np, name)(np.arange(1, 11, dtype=np.float32)))


@pytest.mark.parametrize("name", ["sum", "max", "any"])
def test_memory_is_found_in_older_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that a function alone holds needs memory itself; what is older gives some back."""
    driver = xarr.default_device().driver
    a, b, c, d = (xarr.asarray(np.full(1 << 16, value, np.float32)) for value in (1, 2, 3, 4))
    older = a * b
    del a, b
    gc.collect()
    most = driver.memory_info()["used_nbytes"]
    allocate = type(driver).allocate

    def bounded(driver: Driver, nbytes: int) -> object:
        if driver.memory_info()["used_nbytes"] + nbytes > most:
            raise MemoryError
        return allocate(driver, nbytes)

    monkeypatch.setattr(type(driver), "allocate", bounded)
    result = getattr(xarr, name)(c * d)
    assert float(result) == float(getattr(np, name)(np.full(1 << 16, 12, np.float32)))
    assert float(older[5]) == 2


def test_what_a_part_is_worth_outlives_what_it_was_part_of() -> None:
    x = xarr.ones(4, dtype="float32")
    view = x[:]  # seen by two arrays, so that writes go to its memory
    doubled = x * 2
    part = engine.copied(doubled._node)  # no array's, as within a function
    whole = xarr.Array(engine.copied(part))
    del doubled
    engine._forget_the_gone(xarr.default_device())
    del whole
    view[...] = 100
    assert np.array_equal(np.asarray(xarr.Array(part)), [2, 2, 2, 2])


def test_long_runs_are_long_enough() -> None:
    assert sum(steps for _, _, _, steps in LONG) >= 10**5


def test_an_element_stays_what_it_was() -> None:
    x = xarr.asarray([3, 1, 2])
    x[0], x[2] = x[2], x[0]
    first, elements = x[0], list(x)
    x += 5
    assert int(first) == 2
    assert [int(element) for element in elements] == [2, 1, 3]
    assert np.array_equal(np.asarray(x), [7, 6, 8])


@pytest.fixture
def all_temporary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is assigned count as a temporary, as a local variable does in Python 3.14."""
    monkeypatch.setattr(engine, "held_once", lambda node: True)


@pytest.mark.usefixtures("all_temporary")
@pytest.mark.parametrize(
    ("breadth", "steps"), [(ASSIGNING, 3000), (MIDDLE, 300)], ids=["often", "middle"]
)
def test_temporaries_that_live_on(breadth: Breadth, steps: int) -> None:
    if breadth is MIDDLE:
        _need_float64()
    for _ in run_random(1, steps, breadth):
        pass


@pytest.mark.usefixtures("all_temporary")
def test_a_value_stays_what_it_was_when_it_was_written() -> None:
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    x, u = xarr.asarray(host), xarr.zeros((5, 4), dtype="float32")
    value = x * 2
    user = value + 1
    u[1:-1] = value
    again = value - 1
    u[2] = 7
    x[...] = 0
    assert np.array_equal(np.asarray(value), host * 2)
    assert np.array_equal(np.asarray(user), host * 2 + 1)
    assert np.array_equal(np.asarray(again), host * 2 - 1)
    host = host * 2
    host[1] = 7
    assert np.array_equal(np.asarray(u[1:-1]), host)


@pytest.mark.usefixtures("all_temporary")
def test_a_value_outlives_what_it_was_written_to() -> None:
    host = np.arange(5000, dtype=np.float32)
    x, u = xarr.asarray(host), xarr.zeros(5000, dtype="float32")
    value = x * 2
    u[...] = value
    u += 1
    assert np.array_equal(np.asarray(u), host * 2 + 1)
    del u
    value += 1
    assert np.array_equal(np.asarray(value), host * 2 + 1)


@pytest.mark.usefixtures("all_temporary")
def test_a_value_that_goes_to_memory_that_others_see_is_kept() -> None:
    host = np.arange(5000, dtype=np.float32)
    u = xarr.zeros(5000, dtype="float32")
    settled(u)
    storage = u._node.storage
    assert storage is not None
    claim = _Shared(None, storage)
    value = xarr.asarray(host) * 2
    u[...] = value
    assert value._node.storage is not None
    del claim


def _forgets_what_reads_what_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "reads_of", lambda node: node.reads)


def _forgets_where_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    become_read = Node.become_read

    def forgetful(node: Node, *place: Any) -> None:
        reads = node.reads
        become_read(node, *place)
        node.reads = reads

    monkeypatch.setattr(Node, "become_read", forgetful)


def _forgets_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "settle_readers", lambda storage, spare=None: None)


def _denies_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "overlap", lambda first, second: False)


def _donates_what_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "unshared", lambda order, place, uses: True)


@pytest.mark.usefixtures("all_temporary")
@pytest.mark.parametrize(
    "plant", [_forgets_what_reads_what_was_written, _forgets_where_it_was_written]
)
def test_planted_bugs_of_temporaries_are_found(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(Difference, match="elements of . differ|. reads other storages"):
        for _ in run_random(0, 20_000, ASSIGNING):
            pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "breadth"),
    [
        (_forgets_readers, NARROW),
        (_denies_overlap, RACING),
        (_donates_what_is_used, NARROW),
    ],
)
def test_planted_bugs_are_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    breadth: Breadth,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    plant(monkeypatch)
    begun = time.monotonic()
    only_search = hypothesis.settings(
        MACHINE, max_examples=2000, phases=[hypothesis.Phase.generate]
    )
    machine = _machine(0, breadth)
    # What a race does to a program may not happen again when hypothesis repeats the program.
    with pytest.raises((Difference, hypothesis.errors.FlakyFailure)):
        run_state_machine_as_test(machine, settings=only_search)
    assert re.search("elements of . differ", machine.found[0])
    elapsed_s = time.monotonic() - begun
    record_property("elapsed_s", elapsed_s)
    assert elapsed_s < PLANTED_FOUND_S


@pytest.mark.parametrize("seed", [0, 1])
def test_arrays_seen_otherwise_do_what_numpy_does(seed: int) -> None:
    _need_float64()
    for _ in run_seen(seed, 200):
        pass
