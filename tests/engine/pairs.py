"""Lines of Python that xarr and NumPy run side by side, and what differs.

`np` stands for either library. Under one name each the lines also have what the two do in different
ways: threads and streams, memory that others see, drivers that fail, finalizers.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import functools
import gc
import re
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy
import numpy.typing as npt
import pytest

import xarr
from tests.engine import own
from xarr.array.layouts import is_number
from xarr.backends.base import Driver
from xarr.backends.cuda_graphs import LaunchGraph
from xarr.runtime import host_functions

Values = npt.NDArray[Any]
Line = str | tuple[str, int] | list[tuple[str, int]]
"""A line, perhaps with the number of the thread in which xarr runs it; or several at one time."""

REFUSALS: Final = (ValueError, IndexError, TypeError, AttributeError, NameError)
_READ: Final = re.compile(r"read\((\w+)\)")


class Difference(AssertionError):
    """xarr did something else than NumPy."""


def data(shape: tuple[int, ...], dtype: str, seed: int) -> Values:
    """Small whole numbers, so that most results are whole too and seldom NaN."""
    return numpy.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> types.CodeType:
    return compile(text, "<program>", "exec")


def lent(x: Any) -> Any:
    """What others see of an array's memory; where that is not the host's, another array's view."""
    shares = x.device.info.shares_host_memory
    return numpy.asarray(x) if shares else xarr.from_dlpack(x)


class BeyondError(Exception):
    """NumPy refuses a number that the data type it is written to does not hold."""


class Pair:
    """The names and values of one program in both libraries.

    lines : list of Line -- What was run.
    """

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.finalizers = Finalizers()
        both: dict[str, Any] = {"data": data}
        both |= {"tie": self.finalizers.tie, "mourned": self.finalizers.mourned}
        self.ours: dict[str, Any] = both | own.OURS | {
            "np": xarr, "eager": xarr.eager, "explain": xarr.explain, "stream": _stream,
            "tier": tier, "apart": lambda x: x, "lend": lent, "borrow": xarr.from_dlpack,
            "failing": faults.failing, "keep": [], "collect": gc.collect,
        }  # fmt: skip
        if not xarr.default_device().info.shares_host_memory:
            self.ours["data"] = lambda *given: xarr.asarray(data(*given))  # so that it can be lent
        self.theirs: dict[str, Any] = both | own.THEIRS | {
            "np": numpy, "eager": contextlib.nullcontext, "explain": id, "stream": _nothing,
            "apart": numpy.copy,  # NumPy copies for all but masks
            "lend": lambda x: x[...], "borrow": lambda x: x[...],
            "failing": lambda *_: None, "keep": [], "collect": lambda: None, "tier": _nothing,
        }  # fmt: skip

    def run(self, text: str, thread: int = 0, *, refused: bool = False) -> None:
        """Run a line in both libraries; a `refused` one has to raise the same in both."""
        self.lines.append((text, thread) if thread else text)
        code = _compiled(text)
        wanted: Exception | None = None
        try:
            exec(code, self.theirs)
        except OverflowError as raised:
            raise BeyondError from raised
        except REFUSALS as raised:
            if not refused:
                raise
            wanted = raised
        self._end(asked(thread, exec, code, self.ours), wanted)

    def run_together(self, lines: Sequence[tuple[str, int]]) -> None:
        """Run lines whose order makes no difference, in xarr at the same time."""
        self.lines.append([*lines])
        answers = [asked(thread, exec, _compiled(text), self.ours) for text, thread in lines]
        for text, _ in lines:
            exec(_compiled(text), self.theirs)
        for answer in answers:
            self._end(answer, None)

    def _end(self, answer: concurrent.futures.Future[Any], wanted: Exception | None) -> None:
        error = answer.exception()
        if self.finalizers.problems:
            problem = self.finalizers.problems.pop()
            raise self.difference(f"a finalizer raised {problem!r}") from problem
        if wanted is not None:
            if not isinstance(error, type(wanted)):
                given = f"{type(error).__name__}: {error}" if error else "nothing"
                raise self.difference(f"NumPy raised {wanted!r}, xarr raised {given}") from error
        elif error is not None:
            raise self.difference(f"xarr raised {type(error).__name__}: {error}") from error

    def check_type(self, name: str) -> None:
        got, wanted = self.ours[name], self.theirs[name]
        if type(got) is xarr.Array and is_number(got) is not isinstance(wanted, numpy.generic):
            raise self.difference(f"{name} is NumPy's {type(wanted)}, {is_number(got)=}")
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            raise self.difference(
                f"{name} is of {got.dtype} {got.shape}, NumPy's of {wanted.dtype} {wanted.shape}"
            )

    def check(self, name: str, thread: int = 0) -> None:
        """Compare the values of an array."""
        self.lines.append((f"read({name})", thread) if thread else f"read({name})")
        wanted = self.theirs[name]
        value = self.ours[name]
        read = numpy.asarray if thread or type(value) is numpy.ndarray else xarr.to_numpy
        answer = asked(thread, read, value)
        del value
        self._end(answer, None)
        got: Values = answer.result()
        if got.tobytes() == wanted.tobytes():
            return
        wrong = got != wanted
        if wanted.dtype.kind in "fc":
            wrong &= ~(numpy.isnan(got) & numpy.isnan(wanted))
        if wrong.any():
            place = tuple(int(axis) for axis in numpy.argwhere(wrong)[0])
            raise self.difference(
                f"{int(wrong.sum())} of {wrong.size} elements of {name} differ; "
                f"{name}[{place}] is {got[place]!r}, NumPy's {wanted[place]!r}"
            )

    def difference(self, what: str) -> Difference:
        """The error that says what differs and how to see it."""
        lines = "".join(f"    {line!r},\n" for line in self.lines)
        return Difference(f"{what}\n\nfrom tests.engine.pairs import replay\nreplay([\n{lines}])")


def replay(lines: Sequence[Line]) -> None:
    """Run a program's lines; a Difference tells what differs. What NumPy refuses, xarr has to."""
    pair = Pair()
    with faults.installed(), numpy.errstate(all="ignore"), uncollected():
        for line in lines:
            if isinstance(line, list):
                pair.run_together(line)
                continue
            text, thread = (line, 0) if isinstance(line, str) else line
            found = _READ.fullmatch(text)
            if not found:
                pair.run(text, thread, refused=True)
            elif found[1] in pair.theirs:
                pair.check_type(found[1])
                pair.check(found[1], thread)
        for name in [*pair.theirs]:
            if re.fullmatch(r"[a-g]|m\d", name):
                pair.check(name)


def shrunk(lines: Sequence[Line]) -> list[Line]:
    """Fewer lines that differ as well; the same where they do not differ when they are replayed."""
    kept = list(lines)
    size = len(kept)
    while size:
        begin = 0
        while begin < len(kept):
            fewer = kept[:begin] + kept[begin + size :]
            if _differ(fewer):
                kept = fewer
            else:
                begin += size
        size //= 2
    return kept


def _differ(lines: Sequence[Line]) -> bool:
    try:
        replay(lines)
    except Difference:
        return True
    except Exception:  # noqa: BLE001 - NumPy refuses what is left
        return False
    return False


# -- threads and streams ------------------------------------------------------------------------


def asked(thread: int, work: Callable[..., Any], *arguments: Any) -> concurrent.futures.Future[Any]:
    """What another thread answers, or this one for number 0."""
    if thread:
        return _pool(thread).submit(contextvars.copy_context().run, work, *arguments)
    answer = concurrent.futures.Future[Any]()
    try:
        answer.set_result(work(*arguments))
    except Exception as raised:  # noqa: BLE001 - whatever it is, it is reported
        answer.set_exception(raised)
    return answer


@functools.cache
def _pool(thread: int) -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(1, f"thread {thread}")


def _stream(number: int) -> Any:
    return _streams(xarr.default_device(), number)


@functools.cache
def _streams(device: xarr.Device, number: int) -> Any:
    return xarr.Stream(device)


TIERS: Final = ("fused", "hosted", "")


@contextlib.contextmanager
def tier(name: str) -> Iterator[None]:
    """Let what has no kernels wait for them, or be computed by NumPy, always or for now."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host_functions.tier, "name", name)
        yield


def _nothing(number: object) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


@contextlib.contextmanager
def inline_up_to(work: int | None) -> Iterator[None]:
    """Let PoCL run in the caller's thread what is smaller, and hand the rest to its own threads."""
    driver: Any = xarr.default_device().driver
    with pytest.MonkeyPatch.context() as patch:
        if work is not None and hasattr(driver, "_small"):
            patch.setattr(driver, "_small", work)
        yield


# -- finalizers ---------------------------------------------------------------------------------


class Finalizers:
    """What computes when something dies.

    problems : list of Exception -- What they raised.
    """

    def __init__(self) -> None:
        self.problems: list[Exception] = []

    def tie(self, held: Any, written: Any) -> None:
        """Make garbage that holds an array, and adds 1 to another one when it is collected."""
        _Cycle(held, functools.partial(self._add, written))

    def mourned(self, x: Any, written: Any) -> Any:
        """The array, whose death adds 1 to another one."""
        weakref.finalize(x, self._add, written)
        return x

    def _add(self, written: Any) -> None:
        try:
            written += 1
        except Exception as raised:  # noqa: BLE001 - it would be lost
            self.problems.append(raised)


class _Cycle:
    def __init__(self, held: Any, last: Callable[[], object]) -> None:
        self.me = self
        self.held = held
        self.last = last

    def __del__(self) -> None:
        self.last()


class Tally:
    """An array of xarr's that finalizers add to whenever garbage happens to be collected.

    While work is launched they are refused, perhaps after they were written down.
    """

    def __init__(self) -> None:
        self.x = xarr.zeros(3, dtype="int64")
        self.view = self.x[1:]
        self.done = 0
        self.doubtful = 0
        self.problem = ""

    def litter(self) -> None:
        _Cycle(self.x[:1], self._add)

    def _add(self) -> None:
        try:
            self.view += 1
            self.done += 1
            if self.done % 4 == 0:
                self.check()
        except (Planned, MemoryError, KeyboardInterrupt):
            self.doubtful += 1
        except RuntimeError as raised:
            self.doubtful += 1
            if "while work is being launched" not in str(raised):
                self.problem = repr(raised)
        except Exception as raised:  # noqa: BLE001 - it would be lost
            self.problem = repr(raised)

    def check(self) -> None:
        """Note what is not as it has to be."""
        least = self.done
        values = xarr.to_numpy(self.x[1:])
        if values[0] != values[-1] or not least <= values[0] <= self.done + self.doubtful:
            self.problem = f"{values}, not {least} (and perhaps {self.doubtful} more)"


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let garbage be collected where a line says so, and nowhere else."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def collected_often(objects: int) -> Iterator[None]:
    """Let garbage be collected whenever so many objects have been made."""
    threshold = gc.get_threshold()
    gc.enable()
    gc.set_threshold(objects, 5, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)


# -- drivers that fail --------------------------------------------------------------------------


class Planned(RuntimeError):
    """What a driver raises because it was told to."""


class Faults:
    """Makes the default device's driver fail when it is told to.

    raised : int -- How often a failure came out where a value was asked for.
    """

    ERRORS: Final = {
        "launch": Planned,
        "interrupt": KeyboardInterrupt,
        "allocate": MemoryError,
        "load": Planned,
    }

    def __init__(self) -> None:
        self.raised = 0
        self._kind = ""
        self._after = self._times = 0

    def failing(self, kind: str, after: int, times: int, x: Any) -> None:
        """Ask for an array's values, and let the driver's calls fail after some, some times."""
        with self.armed(kind, after, times):
            try:
                xarr.to_numpy(x)
            except (Planned, MemoryError, KeyboardInterrupt):
                self.raised += 1

    @contextlib.contextmanager
    def armed(self, kind: str, after: int = 0, times: int = 1) -> Iterator[None]:
        """Let calls of a kind fail, where `installed`, after some and so many times."""
        self._kind, self._after, self._times = kind, after, times
        try:
            yield
        finally:
            self._kind = ""

    def _meet(self, kind: str) -> None:
        if kind == self._kind:
            self._after -= 1
            if self._after < 0 and self._times:
                self._times -= 1
                raise self.ERRORS[kind]("as planned")

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Let `failing` have its way."""
        kind: Any = type(xarr.default_device().driver)
        launch, allocate, load = kind.launch, kind.allocate, kind.load
        together = LaunchGraph._launch

        def launch_or_fail(driver: Driver, *arguments: Any) -> None:
            if self._kind:
                self._meet("launch")
                self._meet("interrupt")
            launch(driver, *arguments)

        def together_or_fail(graph: LaunchGraph, *arguments: Any) -> int:
            if self._kind:
                self._meet("launch")
                self._meet("interrupt")
            return together(graph, *arguments)

        def allocate_or_fail(driver: Driver, nbytes: int) -> Any:
            if nbytes:  # nothing is always there
                self._meet("allocate")
            return allocate(driver, nbytes)

        def load_or_fail(driver: Driver, binary: bytes, name: str) -> Any:
            self._meet("load")
            return load(driver, binary, name)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "launch", launch_or_fail)
            patch.setattr(LaunchGraph, "_launch", together_or_fail)
            patch.setattr(kind, "allocate", allocate_or_fail)
            patch.setattr(kind, "load", load_or_fail)
            yield


faults: Final = Faults()
