"""What NumPy computes in the buffers of a CPU, with the bits that a kernel gives.

A kernel costs a compiler a tenth of a second, so a list of instructions that is new runs at once
this way, where each of its operations has a function of NumPy's that is exact: `Operation.host`.
A group's values are computed first, from what is in memory, and stored when all are there, as the
items of its kernel do.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, errors
from xarr.dtypes import BOOL, COMPLEX, REAL, DType
from xarr.engine.plan import INDEX, Form, Indirect
from xarr.engine.schedule import Recorded, Ref, Skeletal
from xarr.settings import settings

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.engine.schedule import Group, Instruction

Values = Any
"""An array or a scalar of NumPy's."""
Function = Callable[..., Values]


class _Tier:
    """How a list of instructions runs that has no kernels: XARR_TIERS, or what tests choose.

    "fused" waits for them, "hosted" never has them compiled where NumPy does their work; "" lets
    NumPy work until it has spent `seek_s` seconds, what it takes to look whether they are on disk,
    then `patience_s` for each kernel, half of what a compiler takes, and then while they are
    compiled.
    """

    seek_s = 0.005
    patience_s = 0.04

    def __init__(self) -> None:
        self.name = settings().tiers or ""
        if self.name not in ("", "fused", "hosted"):
            raise ValueError(
                errors.message(
                    "XARR_TIERS", f"it is {self.name!r}", '"fused" and "hosted" are accepted'
                )
            )


tier: Final = _Tier()


class _Access(NamedTuple):
    """Elements in memory: of which pointer, and how they lie in it."""

    pointer: int
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def array(self, windows: Sequence[Any], offset: int) -> Values:
        """The elements, which begin so many of them from the beginning."""
        begin = offset * self.dtype.itemsize
        return numpy.ndarray(self.shape, self.dtype, windows[self.pointer], begin, self.strides)


class _Base:
    """Memory in which elements are read or written at computed places.

    Attributes
    ----------
    place : int
        The number of its access.
    """

    __slots__ = ("_dtype", "_pointer", "_shape", "_steps", "place")

    def __init__(self, place: int, access: _Access, shape: tuple[int, ...]) -> None:
        self.place = place
        self._pointer, self._dtype = access.pointer, access.dtype
        steps = [step // access.dtype.itemsize for step in access.strides]
        self._shape = shape
        self._steps = steps or [0] * len(shape)

    def memory(self, windows: Sequence[Any]) -> Values:
        """All of it."""
        window = windows[self._pointer]
        return numpy.ndarray((window.nbytes // self._dtype.itemsize,), self._dtype, window)

    def begin(self, offset: int) -> Values:
        """Where places count from, for each element."""
        found: Values = numpy.int64(offset)
        for axis, (extent, step) in enumerate(zip(self._shape, self._steps, strict=True)):
            if step:
                lifted = (extent, *(1,) * (len(self._shape) - axis - 1))
                found = found + (numpy.arange(extent) * step).reshape(lifted)
        return found


class _Step(NamedTuple):
    """A value: a function of others, by number, each converted; or of constants."""

    function: Function
    operands: tuple[tuple[bool, int, Function | None], ...]
    is_indirect: bool = False


LARGEST: Final = 1 << 23
"""Elements beyond which NumPy takes longer than a compiler, and memory that kernels do not need."""
CHUNK: Final = 1 << 15
"""Elements whose values are computed at a time, so that they stay in a core's cache."""


class Hosted:
    """A group of instructions in NumPy's functions, ready but for what comes from the tape."""

    __slots__ = ("_accesses", "_again", "_constants", "_endings", "_finals", "_into", "_last",
                 "_numbers", "_outputs", "_results", "_rows", "_shape", "_steps",
                 "_write")  # fmt: skip

    def __init__(self, form: Form, group: Group, shape: tuple[int, ...]) -> None:
        self._accesses: list[_Access | None] = []
        for (slot, dtype, where), walk in zip(form.accesses, form.strides, strict=True):
            strides = where.strides
            if not group.endings:  # merged axes are fewer
                shape = tuple([extent for axes in form.extents for extent in axes])
                strides = tuple([step for axes in walk for step in axes])
            extents = where.shape if group.endings else shape if any(strides) else ()
            steps = tuple([step * dtype.itemsize for step in strides[: len(extents)]])
            self._accesses.append(None if slot < 0 else _Access(slot, dtype.numpy, extents, steps))
        self._shape = shape
        self._rows = max(CHUNK // max(math.prod(shape[1:]), 1), 1)
        self._constants = [dtype.numpy.type for dtype in form.constants]
        self._steps: list[_Step | _Base | int | None] = []
        self._write = False
        loads = 0
        bases: dict[int, int] = {}
        for number, entry in enumerate(form.entries):
            if isinstance(entry, DType):
                bases[number] = loads
                self._steps.append(loads)
                loads += 1
            elif entry[0] is INDEX:
                self._steps.append(None)
                loads += 1
            elif isinstance(entry[0], Indirect):
                # Elements at computed places are of no rows, and a base of all of its memory.
                access = self._accesses[bases[entry[1]]]
                assert access is not None
                self._steps[entry[1]] = _Base(bases[entry[1]], access, self._shape)
                self._rows = math.prod(shape)
                self._write = entry[0].writes
                self._steps.append(_step(entry, form.entries))
            else:
                self._steps.append(_step(entry, form.entries))
        stores = range(len(form.accesses) - len(form.stored), len(form.accesses))
        read = {slot for slot, *_ in form.accesses[:loads]}
        # Of each value that is stored: which one, and its access; what skeletons take has none.
        self._outputs: list[tuple[int, int]] = [
            *zip(form.stored, stores, strict=True), *((root, -1) for root in form.roots)
        ]  # fmt: skip
        self._into = self._written_at_once()
        self._again = not self._write and read.isdisjoint(
            form.accesses[place][0] for place in stores
        )
        self._last = self._last_uses()
        given = [form.type_of(root) for root in form.roots]
        self._endings = [
            (dtype.numpy, _found(ending.operation.on_host(dtype)))  # type: ignore[attr-defined]
            for ending, dtype in zip(group.endings, given, strict=True)
        ]
        self._finals: list[Any] = []
        self._numbers: list[Any] = []
        for operation, *ats in group.finals:
            self._numbers += [at[0].numpy.type for at in ats if isinstance(at, tuple)]
            if isinstance(operation, Skeletal):
                self._finals.append(ats)
            else:
                self._finals.append(_step((operation, *ats), group.finals))
        self._results = [
            (number, ref.dtype.numpy, ref.pattern.size) for number, ref in group.delivered
        ]

    def _written_at_once(self) -> list[int | None]:
        """Of each step the output that its function writes itself, where it can."""
        places = {number: place for place, (number, _) in enumerate(self._outputs)}
        return [
            places.get(number)
            if isinstance(step, _Step) and isinstance(step.function, numpy.ufunc)
            else None
            for number, step in enumerate(self._steps)
        ]

    def _last_uses(self) -> list[list[int]]:
        """Of each step the values that no later one needs."""
        needed = {number for number, _ in self._outputs}
        if self._write:
            needed.add(len(self._steps) - 1)
        last: list[list[int]] = []
        for step in reversed(self._steps):
            used = {at for is_constant, at, _ in step.operands if not is_constant} if isinstance(
                step, _Step
            ) else set[int]()  # fmt: skip
            last.append(sorted(used - needed))
            needed |= used
        return last[::-1]

    def __call__(self, *arguments: Any) -> None:
        """Compute all values, then store them; or in pieces, where that may be done again.

        Arguments are the device, the buffers of the form and the offset of each access, the
        constants, the buffers of the skeletons' results, and their own numbers.
        """
        dtypes.quietly(self._run, *arguments)

    def _run(
        self,
        device: Device,
        buffers: Sequence[Any],
        offsets: Sequence[int],
        constants: Sequence[Any],
        results: Sequence[Any],
        numbers: Sequence[Any],
    ) -> None:
        driver = device.driver
        windows = [driver.window(buffer, "B") for buffer in buffers]
        arrays = [
            None if access is None else access.array(windows, offset)
            for access, offset in zip(self._accesses, offsets, strict=True)
        ]
        targets: list[Values] = []
        outputs: list[Values] = []
        ended = iter(self._endings)
        for _, place in self._outputs:
            if place < 0:
                outputs.append(numpy.empty(self._shape, next(ended)[0]))
            else:
                targets.append(arrays[place])
                outputs.append(arrays[place] if self._again else numpy.empty_like(arrays[place]))
        constants = [kind(one) for kind, one in zip(self._constants, constants, strict=True)]
        rows = self._shape[0] if self._shape else 1
        writes: list[tuple[Values, Values, Values]] = []
        for step in self._steps:
            if isinstance(step, _Base):
                arrays[step.place] = step.memory(windows), step.begin(offsets[step.place])
        if rows <= self._rows:
            self._compute(arrays, constants, outputs, 0, rows, writes)
        else:
            for first in range(0, rows, self._rows):
                last = min(first + self._rows, rows)
                self._compute(
                    [_part(one, rows, self._shape, first, last) for one in arrays],
                    constants,
                    [one[first:last] for one in outputs],
                    first,
                    last,
                    writes,
                )
        sources = [] if self._again else outputs[: len(targets)]
        if self._again:
            targets = []
        if self._endings:
            numbers = [kind(one) for kind, one in zip(self._numbers, numbers, strict=True)]
            finals = self._ended(outputs[len(outputs) - len(self._endings) :], numbers)
            for (number, dtype, size), buffer in zip(self._results, results, strict=True):
                window = driver.window(buffer, "B")
                targets.append(numpy.ndarray((size,), dtype, window))
                # What becomes of constants alone is one number for all elements.
                sources.append(numpy.ravel(finals[number]))
        # One call, so that a signal's handler finds all of it done or nothing; see `launched`.
        stores = map(numpy.copyto, targets, sources)
        scattered = itertools.starmap(operator.setitem, writes)
        both = itertools.chain(stores, scattered)
        driver.launched += 1
        deque(both, 0)

    def _compute(
        self,
        arrays: Sequence[Values],
        constants: Sequence[Any],
        outputs: Sequence[Values],
        first: int,
        last: int,
        writes: list[tuple[Values, Values, Values]],
    ) -> None:
        """Compute the values of some rows, and put them into the outputs, or list the writes."""
        values: list[Values] = []
        for step, into, dead in zip(self._steps, self._into, self._last, strict=True):
            if step is None:
                inner = math.prod(self._shape[1:])
                index = numpy.arange(first * inner, last * inner, dtype=numpy.int64)
                values.append(index.reshape((last - first, *self._shape[1:])[: len(self._shape)]))
            elif isinstance(step, int):
                values.append(_loaded(arrays[step]))
            elif isinstance(step, _Base):
                values.append(arrays[step.place])
            elif into is None:
                values.append(_computed(step, values, constants))
            else:
                values.append(_computed(step, values, constants, outputs[into]))
            for number in dead:
                values[number] = None
        for (number, _), output in zip(self._outputs, outputs, strict=True):
            if values[number] is not output:
                numpy.copyto(output, values[number])
        if self._write:
            writes.append(values[-1])

    def _ended(self, roots: Sequence[Values], numbers: Sequence[Any]) -> list[Values]:
        """What becomes of the elements that skeletons take."""
        ended = iter(zip(self._endings, roots, strict=True))
        finals: list[Values] = []
        for final in self._finals:
            if isinstance(final, _Step):
                finals.append(_computed(final, finals, numbers))
            else:
                (_, function), root = next(ended)
                finals.append(function(root, *[numbers[at[1]] for at in final]))
        return finals


def _part(array: Values, rows: int, shape: tuple[int, ...], first: int, last: int) -> Values:
    """Some rows of an array; all of one that has none of them."""
    if array is None or len(array.shape) != len(shape) or array.shape[0] != rows:
        return array
    return array[first:last]


def hosted(form: Form, group: Group, shape: tuple[int, ...]) -> Hosted | None:
    """A group as functions of NumPy's; None where not all that it does has one."""
    if not 0 < math.prod(shape) <= LARGEST or (group.closed and group.endings):
        return None
    try:
        return Hosted(form, group, shape)
    except _AbsentError:
        return None


def computes(step: Instruction) -> bool:
    """Whether there are functions of NumPy's for what an instruction does."""
    operation = step.operation
    if isinstance(operation, Recorded):
        (ref,) = [operand for operand in step.operands if isinstance(operand, Ref)]
        return operation.on_host(ref.dtype) is not None
    if operation is INDEX or isinstance(operation, Skeletal):
        return True
    types = [one.dtype if isinstance(one, Ref) else one for one in step.operands]
    if isinstance(operation, Indirect):
        types = []
    return operation.host is not None and all(
        given is wanted or converter(given, wanted) is not None
        for given, wanted in zip(types, operation.operands, strict=False)
    )


class _AbsentError(Exception):
    """There is no function of NumPy's with the same bits."""


def _found(function: Function | None) -> Function:
    if function is None:
        raise _AbsentError
    return function


def _loaded(values: Values) -> Values:
    """What is in memory; a bool is any byte that is not 0."""
    return values.view(numpy.uint8) != 0 if values.dtype == numpy.bool_ else values


def _type_of(entries: Sequence[Any], at: Any) -> DType:
    if isinstance(at, tuple):
        found: DType = at[0]
        return found
    entry = entries[at]
    return entry if isinstance(entry, DType) else entry[0].result


def _step(entry: tuple[Any, ...], entries: Sequence[Any]) -> _Step:
    operation, *ats = entry
    operands = []
    for at, wanted in zip(ats, operation.operands, strict=True):
        given = _type_of(entries, at)
        convert = None if given is wanted else _found(converter(given, wanted))
        is_constant = isinstance(at, tuple)
        operands.append((is_constant, at[1] if is_constant else at, convert))
    is_indirect = isinstance(operation, Indirect)
    return _Step(_found(operation.host), tuple(operands), is_indirect)


def _computed(
    step: _Step, values: Sequence[Values], constants: Sequence[Any], out: Values | None = None
) -> Values:
    operands = []
    for is_constant, at, convert in step.operands:
        value = constants[at] if is_constant else values[at]
        operands.append(value if convert is None else convert(value))
    if not step.is_indirect:
        return step.function(*operands) if out is None else step.function(*operands, out=out)
    (memory, begin), places, *rest = operands
    found = step.function(memory, begin + places, *rest)
    return (memory, *found) if isinstance(found, tuple) else _loaded(found)


def _same(values: Values) -> Values:
    return values


def converter(given: DType, wanted: DType) -> Function | None:
    """What converts values of one type to another one; None where NumPy may have other bits."""
    if given is wanted:
        return _same
    if dtypes.float16 in (given, wanted) or (given.kind == COMPLEX and wanted.kind != COMPLEX):
        return None
    if given.kind == REAL and wanted.kind not in (REAL, BOOL, COMPLEX):
        return None
    target = wanted.numpy
    return lambda values: values.astype(target)


def maximum(x: Values, y: Values) -> Values:
    """The larger of two numbers; NaN if one is, and of zeros the one without a sign."""
    return numpy.where((x == 0) & (y == 0), x + y, numpy.maximum(x, y))


def minimum(x: Values, y: Values) -> Values:
    """The smaller of two numbers; NaN if one is, and of zeros the one with a sign."""
    return numpy.where((x == 0) & (y == 0), -(-x - y), numpy.minimum(x, y))


def largest(x: Values, axis: int) -> Values:
    """What `maximum` makes of all elements along an axis."""
    found = numpy.max(x, axis=axis)
    zero = found == 0
    if zero.any():
        is_plus = numpy.any((x == 0) & ~numpy.signbit(x), axis=axis)
        found = numpy.where(zero, numpy.where(is_plus, x.dtype.type(0), x.dtype.type(-0.0)), found)
    return found


def smallest(x: Values, axis: int) -> Values:
    """What `minimum` makes of all elements along an axis."""
    return -largest(-x, axis)


ALONG: Final = {maximum: largest, minimum: smallest}
"""What does along an axis what a function does with two operands."""


def multiply(x: Values, y: Values) -> Values:
    """The product of complex numbers by their parts, which NumPy may contract."""
    result = numpy.empty(numpy.broadcast_shapes(x.shape, y.shape), x.dtype)
    result.real = x.real * y.real - x.imag * y.imag
    result.imag = x.real * y.imag + x.imag * y.real
    return result


def square(x: Values) -> Values:
    """The square of complex numbers, by their parts."""
    return multiply(x, x)


def remainder(x: Values, y: Values) -> Values:
    """What is left after floor division, as `xr_remainder` in `kernels/real.h`."""
    rest = numpy.fmod(x, y)
    folded = numpy.where((y < 0) != (rest < 0), rest + y, rest)
    signed = numpy.where(rest == 0, numpy.copysign(numpy.zeros_like(rest), y), folded)
    return numpy.where((y == 0) | (rest != rest), rest, signed)
