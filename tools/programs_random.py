"""Random programs, run by xarr and NumPy side by side: ``python -m tools.programs_random``.

Each program follows from its seed alone, which is printed with what differs, and so are the fewest
lines that still differ. Options: --steps N in all, --seconds T after which no program begins,
--seed S, --device D, --jobs N processes, --wide for more data types and functions, which compile
more kernels, --jit for functions whose replays are compared with plain calls, --threads for kernels
by threads, which are compared with themselves in Python, --program SEED for one program again.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import xarr
from tests.engine.pairs import Difference, faults, shrunk
from tests.engine.programs import MIDDLE, NARROW, WIDE, Breadth, Program, run_one
from tests.engine.views import SEEN_OTHERWISE, Seen
from tests.functions import random_programs
from tests.transforms.random_calls import random_call, replays_of
from xarr.codegen import launch

LENGTHS: Final = (25, 25, 25, 80)
"""How many steps programs have, by turns."""
LENGTHS_OF_THREADS: Final = (25,) * 19 + (200,)
"""How many lines kernels by threads have at least."""
KINDS: Final[dict[str, tuple[Breadth, type[Program]]]] = {
    "narrow": (NARROW, Program),
    "middle": (MIDDLE, Program),
    "wide": (WIDE, Program),
    "seen": (SEEN_OTHERWISE, Seen),
}
USUAL: Final = ("narrow",) * 17 + ("middle",) * 2 + ("seen",)
BROAD: Final = ("narrow", "middle", "wide", "seen")
HANGS_S: Final = 300


def programs(seed: int, kinds: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The seeds of programs without end, and how many steps each has."""
    number = 0
    while True:
        kind = kinds[number % len(kinds)]
        lengths = LENGTHS_OF_THREADS if kind == "threads" else LENGTHS
        length = lengths[number // len(kinds) % len(lengths)]
        yield f"{kind}-{length}-{seed}-{number}", length
        number += 1


def run(program: str) -> int:
    """Run the program of a seed; return how many steps it took, those of a function's replays."""
    name, length, *_, number = program.split("-")
    if name == "threads":
        return random_programs.lines_alike(program, int(number), int(length))
    if name == "jit":
        call = random_call(program, length=int(length))
        return replays_of(program, call, (0, 1, 2, 3)) * len(call.body) if call else 0
    breadth, kind = KINDS[name]
    run_one(program, breadth, int(length), kind)
    return int(length)


def lines_of(difference: Difference) -> list[Any]:
    """The lines of a program that differs."""
    text = str(difference)
    lines: list[Any] = eval(text[text.index("replay(") + len("replay(") : -1])
    return lines


def report(program: str, difference: AssertionError) -> None:
    """Print a seed, and fewer lines that differ as well; a function's as they are."""
    print(f"{program}: {str(difference).splitlines()[0]}", flush=True)
    for line in () if not isinstance(difference, Difference) else shrunk(lines_of(difference)):
        print(f"    {line!r},", flush=True)


def work(options: argparse.Namespace, job: int, state: Any) -> None:
    """Run this process's part of the programs; `state` tells how far it is."""
    kinds = BROAD if options.wide else USUAL
    kinds = ("jit",) if options.jit else ("threads",) if options.threads else kinds
    begun = time.monotonic()
    with xarr.device(options.device or xarr.default_device()):
        if not (xarr.default_device().has_float64 or options.jit or options.threads):
            kinds = ("narrow",)
        for place, (program, _) in enumerate(programs(options.seed, kinds)):
            if state["steps", job] >= options.steps / options.jobs:
                break
            if time.monotonic() - begun > options.seconds:
                break
            if place % options.jobs != job:
                continue
            if place // options.jobs % 500 == 0:
                launch.forget_kernels(xarr.default_device())  # there is no end of them
                gc.unfreeze()  # programs freeze what is there, and garbage holds kernels
                gc.collect()
            state["program", job] = program
            faulthandler.dump_traceback_later(HANGS_S, exit=True)
            try:
                state["steps", job] += run(program)
            except AssertionError as found:
                state["differences", job] += 1
                faulthandler.cancel_dump_traceback_later()
                report(program, found)
            state["programs", job] += 1
        faulthandler.cancel_dump_traceback_later()
        state["compilations", job] = launch.counts.compilations
        state["launches", job] = launch.counts.launches
        state["failures", job] = faults.raised
        state["cpu_s", job] = time.process_time()


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--program")
    options = parser.parse_args(given)
    if options.program:
        with xarr.device(options.device or xarr.default_device()):
            try:
                run(options.program)
            except AssertionError as found:
                report(options.program, found)
                return 1
        return 0
    jobs = range(options.jobs)
    counted = ("programs", "steps", "differences", "compilations", "launches", "failures", "cpu_s")
    begun = time.perf_counter()
    crashes = 0
    with multiprocessing.Manager() as manager:
        state = manager.dict({(name, job): 0 for name in counted for job in jobs})
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=work, args=(options, job, state)) for job in jobs]
        for worker in workers:
            worker.start()
        for job, worker in enumerate(workers):
            worker.join()
            if worker.exitcode:
                crashes += 1
                print(f"{state['program', job]}: the process ended with {worker.exitcode}")
        total = {name: sum(state[name, job] for job in jobs) for name in counted}
    elapsed_s = time.perf_counter() - begun
    print(
        f"{total['steps']:,} steps of {total['programs']:,} programs in {elapsed_s:.0f} s "
        f"({total['cpu_s']:.0f} s of processors): {total['differences']} differences, "
        f"{crashes} crashes (seed {options.seed}, {options.device or xarr.default_device()}, "
        f"{total['launches']:,} launches, {total['compilations']:,} compilations, "
        f"{total['failures']} failures planned)"
    )
    return 1 if total["differences"] or crashes else 0


if __name__ == "__main__":
    sys.exit(main())
