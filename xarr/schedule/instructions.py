"""The instructions of a list in words, and the operations that end a kernel.

Nothing in this room knows a buffer, an address, an offset of a whole storage or the value of a
constant, so a plan serves every list of the same instructions.
"""

from __future__ import annotations

import functools
import itertools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from xarr import dtypes, tuning
from xarr.compiler.forms import Rolled
from xarr.core.operations import Operation
from xarr.core.tape import Opcode, decoded
from xarr.dtypes import DType
from xarr.layout import Pattern, Shape

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.compiler.forms import Form
    from xarr.compiler.launch import Room, Stage


class Ref(NamedTuple):
    """A view of a storage: its number on the tape, and where, beyond the storage's first view."""

    slot: int
    dtype: DType
    pattern: Pattern
    offset: int


class Instruction(NamedTuple):
    """An operation over a shape on views and constants (their types), written to a view.

    Where it is fresh, the view is all of a new storage.
    """

    operation: Operation
    target: Ref | None
    operands: tuple[Ref | DType, ...]
    shape: Shape
    is_fresh: bool


def instructions(
    opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]]
) -> list[Instruction]:
    """The tape's codes as Instructions."""
    steps = []
    rest = map(decoded, codes)
    named = 0
    for opcode in opcodes:
        operands: list[Ref | DType] = []
        for structure in opcode.operands:
            if structure.pattern is None:
                operands.append(structure.dtype)
            else:
                slot, offset = next(rest)
                named = max(named, slot + 1)
                operands.append(Ref(slot, structure.dtype, structure.pattern, offset))
        target = None
        if opcode.target is not None:
            pattern = opcode.target.pattern
            assert pattern is not None
            slot, offset = (named, 0) if opcode.is_fresh else next(rest)
            named = max(named, slot + 1)
            target = Ref(slot, opcode.target.dtype, pattern, offset)
        steps.append(
            Instruction(opcode.operation, target, tuple(operands), opcode.shape, opcode.is_fresh)
        )
    return steps


@functools.lru_cache(tuning.REMEMBERED)
def rolled(dtype: DType, shifts: Shape) -> Rolled:
    """The operation that moves elements along axes, each with its extent's rest of a shift."""
    halves = [((slice(shift, None), slice(None, -shift)), (slice(shift), slice(-shift, None)))
              if shift else ((slice(None),) * 2,) for shift in shifts]  # fmt: skip
    blocks = [tuple(zip(*block, strict=True)) for block in itertools.product(*halves)]

    def host(values: Any) -> Any:
        result = numpy.empty_like(values)
        for to, given in blocks:
            result[to] = values[given]
        return result

    return Rolled(dtype, shifts, host)


def composed(steps: Sequence[Instruction]) -> list[Instruction]:
    """Instructions of which none rolls what another one has rolled, where one does for both."""
    found = []
    rolls: dict[int, tuple[Instruction, int]] = {}  # by what they write, with what they read
    for step in steps:
        operation, first = step.operation, step.operands[0] if step.operands else None
        if isinstance(operation, Rolled):
            assert isinstance(first, Ref)
            before, read = rolls.get(first.slot, (step, first.slot))
            if first == before.target and step.shape == before.shape:
                assert isinstance(before.operation, Rolled)
                pairs = zip(before.operation.shifts, operation.shifts, step.shape, strict=True)
                shifts = tuple([(one + other) % extent for one, other, extent in pairs])
                together = rolled(operation.result, shifts)
                step = step._replace(operation=together, operands=before.operands)  # noqa: PLW2901
            else:
                read = first.slot
        written = first if step.target is None else step.target
        assert isinstance(written, Ref)
        rolls = {slot: roll for slot, roll in rolls.items() if written.slot not in (slot, roll[1])}
        if isinstance(operation, Rolled) and step.is_fresh:
            rolls[written.slot] = step, read
        found.append(step)
    return found


class Skeletal(Operation):
    """An operation whose skeleton reads its elements from a value of its group, and ends the group.

    Parameters
    ----------
    split, names, wide
        How the space is cut into axes, and whether indices have 64 bits: as of `Form`.
    """

    __slots__ = ("names", "split", "wide")

    walks_once = True
    """Whether each element is computed once, so that it may overwrite what it is computed from."""
    takes_expression = True
    """Whether it computes its elements itself; else they are in memory."""

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], names: tuple[str, ...], wide: bool
    ) -> None:
        super().__init__(name, (), result, "")
        self.split = split
        self.names = names
        self.wide = wide


class Consumed(Skeletal):
    """A skeleton that whoever runs the tape launches."""

    __slots__ = ()

    is_consumed = True

    def __init__(self, split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> None:
        super().__init__("consumed", dtypes.bool_, split, names, wide)


class Recorded(Skeletal):
    """A skeleton that the tape launches; it writes a new storage."""

    __slots__ = ()

    goes_on = False
    """Whether it may compute more of each result, which then need not be stored."""

    def goes_with(self, others: Sequence[Recorded]) -> bool:
        """Whether one kernel may do this beside the others, over the same shape."""
        return False

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        """A function that computes the result from a NumPy array and its own numbers; or None."""
        return None

    def row_nbytes(self, length: int) -> int:
        """The local memory that a row of a length takes in a kernel of rows on a GPU."""
        return 0

    def row_length(self, shape: Shape) -> int:
        """How many elements a row has that it reduces at once; 0 where it reduces none so."""
        return 0

    def rows(self, device: Device, work: Rows) -> Stage:
        """The launch of a kernel of rows, of which this is a part."""
        raise NotImplementedError

    @abstractmethod
    def stages(
        self, device: Device, form: Form, shape: Shape, finals: Finals
    ) -> tuple[list[Stage], list[Room]]:
        """The launches of the skeleton with its epilogue, and the memory between them."""


class Finals(NamedTuple):
    """The epilogue of a kernel of one or more skeletons: operations on their results, and stores.

    Attributes
    ----------
    entries : tuple
        The values: (skeleton, its own numbers), or an operation on results: (operation, operands).
        A number is (DType, its number), any other operand the number of an entry.
    stored : tuple of int
        The entries that are stored, in the order of the results.
    """

    entries: tuple[Any, ...]
    stored: tuple[int, ...]


class Part(NamedTuple):
    """A pass over all elements of a row, which a kernel of rows ends before its next part begins.

    Attributes
    ----------
    form : Form
        What it computes of elements.
    memory, results : tuple of str
        What the kernel calls the memory of the form's pointers, and of the results.
    finals : Finals or None
        What becomes of elements that are reduced; None where each is for itself.
    held : tuple of (int, str, bool)
        The accesses of elements that are held in near memory, where, and whether an earlier part
        has left them there; else this one does.
    """

    form: Form
    memory: tuple[str, ...]
    results: tuple[str, ...]
    finals: Finals | None
    held: tuple[tuple[int, str, bool], ...]


class Rows(NamedTuple):
    """A kernel that does its parts, one after the other, with each of some rows.

    Attributes
    ----------
    parameters : tuple of (str, str)
        The types and names of the pointers that it is given.
    kept : tuple of (str, str)
        The types and names of what it holds of a row.
    together : int
        How many rows a group of items on a GPU takes at a time.
    """

    parts: tuple[Part, ...]
    items: int
    length: int
    parameters: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    together: int
