"""The loops over a tape's instructions and a program's launches, written out as Python.

A launch costs the host about as much as a hundred lines of Python, so what is known once per
program is not looked up for each run: the number of operands, which storage each is of, which
arguments a kernel takes. The text says no more than that; kernels, grids and numbers are given to
the function beside it, so programs of one shape share a text, which is compiled once.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr.engine import launch
from xarr.engine.storage import Storage, room

if TYPE_CHECKING:
    from xarr.engine.expression import Opcode
    from xarr.engine.launch import Room, Stage
    from xarr.engine.plan import Form
    from xarr.engine.schedule import Ref
    from xarr.engine.stepwise import Work

_LIMIT_TEXTS: Final = 4096


class Prepared(NamedTuple):
    """What a skeleton needs of the kernel that gives it its elements."""

    form: Form
    storages: list[Storage]
    values: list[Any]


class Call(NamedTuple):
    """The launches that are one kernel's, ready but for what comes from the tape.

    Storages, bases and constants are named by number.

    Attributes
    ----------
    stages, rooms : list of Stage, list of Room
        The launches, and what is between them; no stages where a skeleton takes their place.
    form : Form
        What the kernel computes.
    fresh : list of (int, int)
        The storages that have memory from now on, and how many bytes.
    pointers : list of int
        The storages that the form reads and writes.
    results : list of Ref
        What its skeletons write.
    offsets : list of (int, int)
        Of each access the storage, -1 for a position, and how far beyond its base.
    constants, numbers : list of int
        The constants of the form, and those of its skeletons.
    complex : frozenset of int
        Those of them that are complex.
    taken : list of (int, int)
        Those whose memory is that of another one, which is not needed any more.
    freed : list of int
        Those that are not needed any more.
    """

    stages: Sequence[Stage]
    rooms: Sequence[Room]
    form: Form
    pointers: Sequence[int]
    results: Sequence[Ref]
    offsets: Sequence[tuple[int, int]]
    fresh: Sequence[tuple[int, int]] = ()
    constants: Sequence[int] = ()
    numbers: Sequence[int] = ()
    complex: frozenset[int] = frozenset()
    taken: Sequence[tuple[int, int]] = ()
    freed: Sequence[int] = ()

    @property
    def launches(self) -> int:
        """How many launches a driver counts for it."""
        return len(self.stages)

    def values(self, given: Given) -> list[str]:
        """The form's arguments that come from the tape."""
        found = []
        for slot, more in self.offsets:
            if slot < 0:
                found.append("0")
            else:
                found.append(f"base{slot} + {given(more)}" if more else f"base{slot}")
        return found + self.of_constants(self.constants)

    def of_constants(self, numbers: Sequence[int]) -> list[str]:
        """Constants as arguments, the complex ones as two."""
        found = []
        for number in numbers:
            one = f"constant{number}"
            found += [f"{one}.real", f"{one}.imag"] if number in self.complex else [one]
        return found


class Given:
    """What a function is given beside its text, by the names that it has there."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._values: list[Any] = []

    def __call__(self, value: Any) -> str:
        """The name of a value."""
        self._names.append(f"given{len(self._names)}")
        self._values.append(value)
        return self._names[-1]

    def function(self, parameters: str, lines: Sequence[str]) -> Callable[..., Any]:
        """The function of some parameters whose body has these lines."""
        head = f"def unrolled({', '.join([parameters, *self._names])}):"
        code = _compiled("\n    ".join([head, *lines]))
        return types.FunctionType(code, {}, None, tuple(self._values))


@functools.lru_cache(_LIMIT_TEXTS)
def _compiled(text: str) -> types.CodeType:
    module = compile(text, "<unrolled>", "exec")
    return next(found for found in module.co_consts if isinstance(found, types.CodeType))


def unpacked(names: Sequence[str], source: str) -> list[str]:
    """The line that gives the items of a list names of their own."""
    return [f"{', '.join(names)}{',' * (len(names) == 1)} = {source}"] if names else []


def _numbered(name: str, count: int) -> list[str]:
    return [f"{name}{number}" for number in range(count)]


def runner(
    calls: Sequence[Call], storages: int, constants: int, unread: Sequence[int] = ()
) -> Callable[..., Any]:
    """What launches calls, in order: a function of the device, and of what comes from the tape.

    It is given a list too, to which it appends how many calls are done, where there are several,
    and that of `launch.run_all`. It returns what the last call prepares, if that has no stages.
    """
    given = Given()
    run, found = given(launch), given(room)
    lines = [
        *unpacked(_numbered("storage", storages), "storages"),
        *unpacked(_numbered("base", storages), "bases"),
        *unpacked(_numbered("constant", constants), "constants"),
        *(f"storage{slot}.buffer = None" for slot in unread),
    ]
    for number, call in enumerate(calls):
        for slot, nbytes in call.fresh:
            lines += [
                f"if storage{slot}.buffer is None:",
                f"    storage{slot}.buffer = {found}(device, {given(nbytes)})",
            ]
        values = call.values(given)
        if not call.stages:
            fixed = [given(one) for one in call.form.numbers]
            read = ", ".join([f"storage{slot}" for slot in call.pointers])
            form = f"{given(Prepared)}({given(call.form)}"
            lines.append(f"return {form}, [{read}], [{', '.join(fixed + values)}])")
            continue
        places = []
        for place, one in enumerate(call.rooms):
            places.append(f"room{place}")
            if isinstance(one, int):
                lines.append(f"room{place} = {found}(device, {given(one)})")
            else:
                lines.append(f"room{place} = {given(one.buffer)}()")
        places += [f"storage{ref.slot}.buffer" for ref in call.results]
        buffers = [f"storage{slot}.buffer" for slot in call.pointers]
        numbers = call.of_constants(call.numbers)
        launches = []
        for stage in call.stages:
            pointers = [places[at] for at in stage.rooms]
            arguments = [given(one) for one in stage.indices]
            if stage.takes_form:
                pointers = buffers + pointers
                arguments += values
            if stage.takes_numbers:
                arguments += numbers
            kernel = stage.kernel
            launches.append(
                f"{given(kernel)}, {given(stage.grid)}, ({', '.join(pointers)},), "
                f"{given(kernel.arguments.pack)}({', '.join(arguments)}), {given(stage.elements)}"
            )
        if len(launches) == 1:
            lines.append(f"{run}.run(device, {launches[0]})")
        else:
            stages = "".join([f"({one}), " for one in launches])
            lines.append(f"{run}.run_all(device, ({stages}), unfinished)")
        lines += _ended(call)
        if number + 1 < len(calls):
            lines.append(f"done.append({number + 1})")
    return given.function("device, storages, bases, constants, done, unfinished", lines or ["pass"])


def _ended(call: Call) -> list[str]:
    """The lines that follow a call's launches; see `end`."""
    lines = []
    for slot, other in call.taken:
        lines += [f"storage{slot}.buffer = storage{other}.buffer", f"storage{other}.buffer = None"]
    return [*lines, *(f"storage{slot}.buffer = None" for slot in call.freed)]


def end(call: Call | Work, storages: Sequence[Storage]) -> None:
    """Do what follows the launches."""
    for slot, other in call.taken:
        storages[slot].buffer, storages[other].buffer = storages[other].buffer, None
    for slot in call.freed:
        storages[slot].buffer = None


def reader(
    opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]], counts: Sequence[int]
) -> Callable[..., Any]:
    """What reads the arguments of a program from the tape: a function of the steps.

    `counts` says how many views and constants each step names as such. It returns storages, bases,
    constants and numbers; None where the steps' operands are others than these.
    """
    given = Given()
    rest = iter(codes)
    slots = node = 0
    unpacked, read, apart, constants = [], [], [], []
    for number, (opcode, count) in enumerate(zip(opcodes, counts, strict=True)):
        nodes = [f"node{node + at}" for at in range(count)]
        node += count
        names = ", ".join(nodes) + "," * (count == 1)
        unpacked.append(f"(_, ({names}), fresh{number}, scalar{number}, number{number})")
        named = iter(nodes)
        for structure in opcode.named:
            if structure.pattern is None:
                is_bare = count < len(opcode.named)
                constants.append(f"scalar{number}" if is_bare else f"{next(named)}.value")
                continue
            one = next(named)
            code = next(rest)
            slot, beyond = code if isinstance(code, tuple) else (code, 0)
            if slot == slots:
                slots += 1
                read += [f"storage{slot} = {one}.storage", f"base{slot} = {one}.offset"]
                apart = [*range(slots)]
                continue
            whence = f"base{slot} + {given(beyond)}" if beyond else f"base{slot}"
            read.append(
                f"if {one}.storage is not storage{slot} or {one}.offset != {whence}: return None"
            )
        if opcode.is_fresh:
            read += [f"storage{slots} = fresh{number}", f"base{slots} = 0"]
            slots += 1
    if len(apart) > 1:
        names = ", ".join([f"storage{slot}" for slot in apart])
        read.append(f"if len({{{names}}}) != {len(apart)}: return None")
    results = [
        ", ".join([f"storage{slot}" for slot in range(slots)]),
        ", ".join([f"base{slot}" for slot in range(slots)]),
        ", ".join(constants),
        ", ".join([f"number{number}" for number in range(len(opcodes))]),
    ]
    lines = [
        "try:",
        f"    [{', '.join(unpacked)}] = steps",
        "except ValueError:",
        "    return None",
        *read,
        f"return {', '.join([f'[{names}]' for names in results])}",
    ]
    return given.function("steps", lines)
