"""Random functions of arrays: the lines of random programs, as a function that a test transforms.

The first lines make the arguments, which may be views of each other; the rest is the function's
body. It returns all arrays that have a name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy

import xarr
from tests.engine.pairs import BeyondError, Difference
from tests.engine.programs import WIDE, Breadth, NothingError, Program, steps

STEPS = steps("""
make 6, view 16, pend 16, convert 2, copy 4, in_place 16, assign 18, assign_named 6, masked 3,
gathered 4, reduced 6, rearranged 3, repeated 3, use_reduced 3
""")
"""The steps of programs without what looks at values or changes how the engine runs."""


class Lines(Program):
    """A program whose lines are run as they are, to be taken as text."""

    def run(self, line: str, *, refused: bool = False) -> None:
        self.pair.run(line, 0, refused=refused)


class RandomCall(NamedTuple):
    """A function's text, and the text that makes its arguments.

    setup, body : list of str -- The lines.
    given : list of str -- The names of the arguments.
    named : list of str -- The names that the function returns.
    """

    setup: list[str]
    body: list[str]
    given: list[str]
    named: list[str]

    @property
    def text(self) -> str:
        lines = [*self.body, f"return {{{', '.join(f'{n!r}: {n}' for n in self.named)}}}"]
        return f"def f({', '.join(self.given)}):\n" + "".join(f"    {line}\n" for line in lines)

    def function(self, scope: dict[str, Any]) -> Callable[..., Any]:
        space = dict(scope)
        exec(self.text, space)
        return space["f"]  # type: ignore[no-any-return]

    def arguments(self, scope: dict[str, Any], seed: int) -> list[Any]:
        """Make arguments whose values differ from seed to seed."""
        space = dict(scope)
        plain = space["data"]

        def data(shape: tuple[int, ...], dtype: str, number: int) -> Any:
            return plain(shape, dtype, number + 1000 * seed)

        space["data"] = data
        exec("\n".join(self.setup), space)
        return [space[name] for name in self.given]


def random_call(seed: str, breadth: Breadth = WIDE, length: int = 25) -> RandomCall | None:
    """Write a random function, which follows from its seed; None if it has no argument."""
    generator = random.Random(seed)

    def pick(count: int) -> int:
        return int(generator.random() * count)

    program = Lines(pick, breadth)
    program.hazards = set()
    program.is_restless = False
    at, given = 0, list[str]()
    begun = 3 + pick(4)
    with numpy.errstate(all="ignore"):
        for number, step in enumerate(generator.choices([*STEPS], [*STEPS.values()], k=length)):
            try:
                program.take("make" if number < 2 else step)
            except (BeyondError, NothingError):
                break
            if number < begun:
                at, given = len(program.pair.lines), list(program.live)
    lines = list(program.pair.lines)
    return RandomCall(lines[:at], lines[at:], given, list(program.live)) if given else None


def scope_of(program: Any = None) -> dict[str, Any]:
    """Return the names that lines may use, as the pairs of random programs have them."""
    return dict((program or Lines(lambda count: 0, WIDE)).pair.ours)


def bits(value: Any) -> tuple[Any, ...]:
    array = numpy.asarray(xarr.to_numpy(value) if isinstance(value, xarr.Array) else value)
    return array.shape, array.dtype, array.tobytes()


def calls(first: int, count: int) -> Iterator[tuple[str, RandomCall]]:
    for number in range(first, first + count):
        seed = f"call-{number}"
        try:
            call = random_call(seed)
        except Difference:
            raise
        if call is not None:
            yield seed, call


def count_replays(first: int, count: int, turns: tuple[int, ...]) -> int:
    """Compare the bits of random functions' replays with plain calls; return how many there were.

    `turns` are the numbers of the arguments of a function's calls.
    """
    return sum(replays_of(seed, call, turns) for seed, call in calls(first, count))


def replays_of(seed: str, call: RandomCall, turns: tuple[int, ...]) -> int:
    """Compare the bits of one function's replays with plain calls; return how many there were.

    Raises AssertionError with the seed and the function's text where bits differ.
    """
    replays = 0
    scope = scope_of()
    function, jitted = call.function(scope), xarr.jit(call.function(scope))
    for at, turn in enumerate(turns):
        try:
            own, mine = call.arguments(scope, turn), call.arguments(scope, turn)
        except ValueError:
            break  # a mask selects another number of elements of other values
        try:
            wanted = function(*own)
        except (IndexError, ValueError):
            break  # the same within the function
        try:
            found = jitted(*mine)
        except TypeError as error:
            refusals = "jit(", "x[mask]: the selection", "value is what a mask selects"
            if not any(text in str(error) for text in refusals):
                raise
            break
        pairs = zip([*wanted.values(), *own], [*found.values(), *mine], strict=True)
        assert all(bits(one) == bits(other) for one, other in pairs), (seed, call.text)
        replays += at > 0
    return replays
