"""What an operation costs the host: recorded, launched, waited for, beside other libraries.

CPU time of the thread says it also on a machine that others use. Its unit is NumPy's `n + n` of the
same run, so that figures of two processors can be compared.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final
from unittest import mock

import numpy

from benchmarks.libraries import Library
from benchmarks.measure import difference, operands
from benchmarks.rows import SMALL, Row as Work, flat
from benchmarks.timing import Timing, interleaved

LIBRARIES: Final = ("numpy", "xarr", "cupy", "torch")
"""Those that compute what is asked for without being told before what that will be."""
RECORDED: Final = 60
"""Operators of a block that nobody asks the values of: fewer than xarr's tape takes."""
LAUNCHED: Final = 50
"""Launches of a block, after which the queue is waited for."""
TIMED_S: Final = 0.005
"""What a round takes at the least, as clocks of CPU time may be coarse."""
MOST_BLOCKS: Final = 200


class How(enum.Enum):
    """How far the work is followed."""

    RECORDED = "asked for, nobody wants the value"
    BARE = "launched, without the driver's own call"
    DRIVER = "the driver's own call"
    LAUNCHED = "launched"
    WAITED = "waited for"


@dataclass(frozen=True, slots=True)
class Row:
    """One work on arrays `a`, `b`, `c`, `v` of 1,000 elements.

    how : How -- How far it is followed.
    expression : str
        What the table says; also the statement that is timed, but for waiting and launching.
    value : str -- The expression of what is compared with NumPy's; `expression` where "".
    limit : float or None -- The most CPU time that xarr may take, in units of NumPy's `n + n`.
    beside : tuple of (str, float)
        The most wall time that xarr may take on a GPU, as multiples of other libraries'.
    """

    how: How
    expression: str
    value: str = ""
    limit: float | None = None
    beside: tuple[tuple[str, float], ...] = ()

    @property
    def statement(self) -> str:
        """What is timed."""
        if self.how in (How.BARE, How.LAUNCHED):
            return f"launch({self.expression})"
        if self.how is How.WAITED and self.expression.startswith("float("):
            return self.expression
        if self.how is How.WAITED:
            target = self.value
            return f"{self.expression}; wait({target})" if target else f"wait({self.expression})"
        return self.expression

    def is_for(self, library: str) -> bool:
        """Whether the row says something of a library."""
        return library == "xarr" or self.how not in (How.BARE, How.DRIVER)


CHAIN: Final = "(((a*b + c)*a - b)*c + a)*b - c"

ROWS: Final = (
    Row(How.RECORDED, "a + b", limit=2),
    Row(How.RECORDED, "a * 2.0", limit=2.2),
    Row(How.RECORDED, "a[1:-1]", limit=1.5),
    # A view has nothing to launch.
    Row(How.RECORDED, "a[10:20]", limit=1.5, beside=(("cupy", 1),)),
    Row(How.BARE, "a + b", limit=6),
    Row(How.BARE, CHAIN, limit=18),
    Row(How.BARE, "a.sum()", limit=10),
    Row(How.DRIVER, "a + b"),
    Row(How.LAUNCHED, "a + b", beside=(("cupy", 1),)),
    Row(How.LAUNCHED, CHAIN, beside=(("cupy", 1 / 3), ("torch", 1))),
    Row(How.LAUNCHED, "a.sum()", beside=(("cupy", 1.2),)),
    Row(How.WAITED, "a + b", limit=12),
    Row(How.WAITED, CHAIN, limit=20),
    Row(How.WAITED, "float(a.sum())", limit=14, beside=(("cupy", 1.2),)),
    Row(How.WAITED, "v[1:-1] = a[1:-1] + 1", "v", limit=14),
    Row(How.WAITED, "float(a[3])"),
    Row(How.WAITED, "a[3] = 1.0", "a"),
)
"""The limits of what is waited for hold on a CPU, where the work itself is in them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one library took for one row.

    cpu, wall : Timing -- The thread's time and the clock's, of one statement.
    units : float -- The shortest CPU time, in units of NumPy's `n + n`.
    wrong : str -- How its value differs from NumPy's.
    """

    row: Row
    library: str
    cpu: Timing
    wall: Timing
    units: float
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """All cells, and the CPU time of NumPy's `n + n`."""

    unit: Timing
    cells: tuple[Cell, ...]


Elapsed = tuple[float, float]
"""CPU time of the thread and wall time, in seconds."""

_BLOCK: Final = """
from itertools import repeat
from time import perf_counter_ns, thread_time_ns

def block(calls):
    wall, cpu = perf_counter_ns(), thread_time_ns()
    for _ in repeat(None, calls):
        {statement}
    cpu, wall = thread_time_ns() - cpu, perf_counter_ns() - wall
    return cpu, wall
"""


def measured(libraries: Sequence[Library], repeats: int) -> Table:
    """Measure all rows of all libraries, taking turns, and the unit among them."""
    found = {one.name: (one, _arrays(one)) for one in libraries if one.name in LIBRARIES}
    unit = Row(How.RECORDED, "n + n")
    ones = numpy.ones(SMALL, numpy.float32)
    works = {(unit, "numpy"): _timed(unit.statement, RECORDED, {"n": ones}, lambda: None)}
    for row in ROWS:
        for name, (library, names) in found.items():
            if row.is_for(name):
                works[row, name] = _work(row, library, names)
    elapsed = interleaved(works, repeats)
    cpu = {work: Timing.of([one[0] for one in rounds]) for work, rounds in elapsed.items()}
    wall = {work: Timing.of([one[1] for one in rounds]) for work, rounds in elapsed.items()}
    unit_time = cpu.pop((unit, "numpy"))
    cells = []
    for (row, name), timing in cpu.items():
        wrong = "" if row.how is How.DRIVER else _wrong(row, found[name], found.get("numpy"))
        units = timing.minimum_s / unit_time.minimum_s
        cells.append(Cell(row, name, timing, wall[row, name], units, wrong))
    return Table(unit_time, tuple(cells))


def _arrays(library: Library) -> dict[str, Any]:
    """The names of a statement."""
    hosts = operands(Work("", "", lambda: None, flat(4)), SMALL, "float32")
    names = dict(zip("abcv", map(library.upload, hosts), strict=True))
    return {**names, "launch": library.launch, "wait": library.wait}


def _work(row: Row, library: Library, names: dict[str, Any]) -> Callable[[], Elapsed]:
    """A round of a row; what it leaves to be done is done outside its time."""
    settle = functools.partial(library.wait, names["a"])
    calls = RECORDED if row.how is How.RECORDED else LAUNCHED
    if row.how is How.DRIVER:
        driver = names["a"].device.driver
        arguments = _launch_of(driver, f"launch({row.expression})", names)
        more = {"call": driver.launch, "arguments": arguments}
        return _timed("call(*arguments)", calls, {**names, **more}, settle)
    if row.how is How.BARE:
        driver = names["a"].device.driver
        _launch_of(driver, row.statement, names)
        bare = functools.partial(mock.patch.object, driver, "launch", _nothing)
        return _timed(row.statement, calls, names, settle, bare)
    return _timed(row.statement, calls, names, settle)


def _nothing(*arguments: Any) -> None:
    """Stand in for a driver's launch."""


def _launch_of(driver: Any, statement: str, names: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of the last launch that a statement makes."""
    with mock.patch.object(driver, "launch", wraps=driver.launch) as launch:
        exec(statement, dict(names))
    if not launch.called:
        raise RuntimeError(f"{statement} launched nothing by {type(driver).__name__}.launch")
    return tuple(launch.call_args.args)


def _timed(
    statement: str,
    calls: int,
    names: Mapping[str, Any],
    settle: Callable[[], None],
    within: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Callable[[], Elapsed]:
    """The average time of a statement, in so many blocks of calls that a clock can tell."""
    space = dict(names)
    exec(_BLOCK.format(statement=statement), space)
    block = space["block"]

    def work(blocks: int) -> Elapsed:
        cpu_ns = wall_ns = 0
        for _ in range(blocks):
            with within():
                cpu, wall = block(calls)
            settle()
            cpu_ns += cpu
            wall_ns += wall
        scale = 1e9 * calls * blocks
        return cpu_ns / scale, wall_ns / scale

    work(1)
    _, wall_s = work(1)
    blocks = min(MOST_BLOCKS, math.ceil(TIMED_S / (wall_s * calls)))
    return functools.partial(work, blocks)


def _wrong(
    row: Row, own: tuple[Library, dict[str, Any]], reference: tuple[Library, dict[str, Any]] | None
) -> str:
    """How the value of a row differs from NumPy's."""
    if reference is None:
        return ""
    given, wanted = (
        value if isinstance(value, float) else library.download(value)
        for library, names in (own, reference)
        for value in (eval(row.value or row.expression, dict(names)),)
    )
    return difference(given, wanted)


def limits(cell: Cell, table: Table, kind: str) -> Iterator[tuple[str, bool]]:
    """Yield what xarr has to keep in a row on a kind of device, and whether it does."""
    row = cell.row
    if cell.library != "xarr":
        return
    if row.limit is not None and (row.how is not How.WAITED or kind == "cpu"):
        yield f"<= {row.limit:g} x", cell.units <= row.limit
    others = {one.library: one for one in table.cells if one.row == row}
    for name, most in row.beside:
        if kind == "gpu" and name in others:
            limit = most * others[name].wall.minimum_s
            yield f"<= {most:.2g} {name}", cell.wall.minimum_s <= limit


def lines(table: Table, kind: str) -> Iterator[str]:
    """Yield the lines of the table that is printed."""
    names = list(dict.fromkeys(one.library for one in table.cells))
    cells = {(one.row, one.library): one for one in table.cells}
    yield ""
    yield (
        f"{SMALL:,} float32 elements, microseconds of the host: CPU time, wall time, "
        f"CPU time over NumPy's n + n ({1e6 * table.unit.minimum_s:.3f})"
    )
    width = max(len(row.expression) for row in ROWS) + 2
    yield " " * width + "".join(f"{name:>26}" for name in names)
    yield " " * width + f"{'CPU':>10}{'wall':>9}{'x':>7}" * len(names) + "  limit"
    heading = ""
    for row in ROWS:
        found = [cells.get((row, name)) for name in names]
        if not any(found):
            continue
        if row.how.value != heading:
            heading = row.how.value
            yield heading
        figures = "".join(
            " " * 26
            if one is None
            else f"{1e6 * one.cpu.minimum_s:10.2f}{1e6 * one.wall.minimum_s:9.2f}{one.units:7.2f}"
            for one in found
        )
        words = [f"WRONG: {one.library} {one.wrong}" for one in found if one and one.wrong]
        for one in filter(None, found):
            words += [
                f"{text}: {'met' if is_met else 'EXCEEDED'}"
                for text, is_met in limits(one, table, kind)
            ]
        yield f"  {row.expression:{width - 2}}{figures}  {'; '.join(words)}".rstrip()


def document(table: Table, kind: str) -> dict[str, Any]:
    """The figures in microseconds, for the JSON file."""
    return {
        "elements": SMALL,
        "unit_us": {"minimum": 1e6 * table.unit.minimum_s, "median": 1e6 * table.unit.median_s},
        "rows": [
            {
                "how": one.row.how.name.lower(),
                "expression": one.row.expression,
                "library": one.library,
                "cpu_us": 1e6 * one.cpu.minimum_s,
                "cpu_median_us": 1e6 * one.cpu.median_s,
                "wall_us": 1e6 * one.wall.minimum_s,
                "wall_median_us": 1e6 * one.wall.median_s,
                "units": one.units,
                "limits": dict(limits(one, table, kind)),
                "wrong": one.wrong or None,
            }
            for one in table.cells
        ],
    }
