"""Fourier transforms as calls of cuFFT.

They are axis by axis what xarr.fft makes of its kernels, with what cuFFT can do in one go: several
axes, signals of any distance. It neither scales nor pads nor conjugates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy

from xarr.backends.nvidia.handles import Integers, Plan, bindings_of
from xarr.backends.nvidia.work import REAL, DeviceArray, Work


class Transform(NamedTuple):
    """The kinds of operand and result of a function of numpy.fft."""

    real_given: bool = False
    real_made: bool = False
    inverse: bool = False
    hermitian: bool = False


TRANSFORMS: Final = {
    "fft": Transform(),
    "ifft": Transform(inverse=True),
    "fftn": Transform(),
    "ifftn": Transform(inverse=True),
    "rfft": Transform(real_given=True),
    "irfft": Transform(real_made=True, inverse=True),
    "rfftn": Transform(real_given=True),
    "irfftn": Transform(real_made=True, inverse=True),
    "hfft": Transform(real_made=True, inverse=True, hermitian=True),
    "ihfft": Transform(real_given=True, hermitian=True),
}
"""Hermitian: of the conjugate, whence the other direction."""


class _Step(NamedTuple):
    """A transform along axes that are neighbours, "C2C", "R2C" or "C2R"."""

    kind: str
    axes: Integers
    lengths: Integers


def steps_of(shape: Integers, axes: Integers, lengths: Integers, kind: str) -> list[_Step]:
    """The steps of a transform over axes, in order. A real side is the last axis, and alone."""
    whole = list(zip(axes, lengths, strict=True))
    ends = [_Step(kind, axes[-1:], lengths[-1:])]
    if kind == "C2C":
        ends = []
    else:
        whole.pop()
    # An axis named twice changes its length between.
    apart = len(set(axes)) < len(axes)
    steps: list[_Step] = []
    for axis, length in reversed(whole):
        last = steps[-1] if steps else None
        as_is = length == shape[axis]
        if last and as_is and not apart and len(last.axes) < 3:
            together = tuple(sorted((*last.axes, axis)))
            place = together.index(axis)
            sizes = (*last.lengths[:place], length, *last.lengths[place:])
            adjacent = together[-1] - together[0] == len(together) - 1
            if adjacent and all(shape[at] == n for at, n in zip(together, sizes, strict=True)):
                steps[-1] = _Step("C2C", together, sizes)
                continue
        steps.append(_Step("C2C", (axis,), (length,)))
    return ends + steps if kind == "R2C" else steps + ends


def plan_of(
    kind: str, lengths: Integers, held: Integers, outer: int, inner: int, *, double: bool
) -> Plan:
    """The plan for signals that lie in C order, (outer, held, inner), one end 1.

    A signal is the beginning of what is held along each axis. The result lies in the same way.
    """
    makes = (*lengths[:-1], _half(lengths[-1])) if kind == "R2C" else lengths
    if double:
        kind = {"C2C": "Z2Z", "R2C": "D2Z", "C2R": "Z2D"}[kind]
    if outer == 1:
        return Plan(kind, lengths, held, inner, 1, makes, inner, 1, inner)
    return Plan(kind, lengths, held, 1, math.prod(held), makes, 1, math.prod(makes), outer)


def _half(length: int) -> int:
    return length // 2 + 1


class _Signal(NamedTuple):
    """Elements in C order, and whether they may be written to."""

    data: int
    shape: Integers
    owned: bool


def transform(
    row: Transform,
    work: Work,
    operand: DeviceArray,
    result: DeviceArray,
    *,
    n: int = 0,
    axis: int = 0,
    s: Sequence[int] = (),
    axes: Sequence[int] = (),
) -> None:
    """Fill the result with what the function of a row makes of the operand, but for its scale."""
    lengths, places = (tuple(s), tuple(axes)) if axes else ((n,), (axis,))
    real = REAL[operand.dtype.char]
    kind = "R2C" if row.real_given else "C2R" if row.real_made else "C2C"
    signal = _Signal(operand.data, operand.shape, owned=False)
    steps = steps_of(operand.shape, places, lengths, kind)
    for step in steps:
        target = result.data if step is steps[-1] else None
        signal = _along(work, step, signal, row, real, target)
    if row.real_given and row.hermitian:
        work.conjugate(result.data, math.prod(result.shape), real)


def _along(
    work: Work, step: _Step, x: _Signal, row: Transform, real: str, target: int | None
) -> _Signal:
    """Make one step, into new memory where there is no target."""
    kind, first, last = step.kind, step.axes[0], step.axes[-1] + 1
    part = numpy.dtype(real).itemsize
    given_char = real if kind == "R2C" else real.upper()
    made_char = real if kind == "C2R" else real.upper()
    given_size, made_size = numpy.dtype(given_char).itemsize, numpy.dtype(made_char).itemsize
    outer, inner = math.prod(x.shape[:first]), math.prod(x.shape[last:])
    stored = x.shape[first:last]
    reads = (*step.lengths[:-1], _half(step.lengths[-1])) if kind == "C2R" else step.lengths
    held = tuple(max(pair) for pair in zip(stored, reads, strict=True))
    # cuFFT knows one distance between signals: with signals before and behind, what is before goes
    # to the end. One axis is turned at the beginning of rows, so that it can be padded there.
    turned = outer > 1 and inner > 1
    data = x.data
    # C2R overwrites its operand. R2C wants the alignment of a complex number.
    if turned or held != stored or (kind == "C2R" and not x.owned) or data % (2 * part):
        nbytes = outer * math.prod(held) * inner * given_size
        data = work.room(nbytes)
        if held != stored:
            work.clear(data, nbytes)
        run = math.prod(stored) * inner
        if turned:
            work.transpose(x.data, data, outer, run, given_char)
        else:
            pitch = math.prod(held) * inner * given_size
            work.copy_rows(x.data, run * given_size, data, pitch, outer)
    lines = (1, inner * outer) if turned else (outer, inner)
    plan = plan_of(kind, step.lengths, held, *lines, double=real == "d")
    if kind == "C2R":
        if row.hermitian:
            work.conjugate(data, outer * math.prod(held) * inner, real)
        # NumPy ignores the imaginary parts that a real signal's spectrum cannot have.
        size = step.lengths[-1]
        for k in {0, size // 2} if size % 2 == 0 else {0}:
            begin = data + k * plan.given_step * given_size + part
            work.fill_rows(begin, plan.given_distance * given_size, part // 4, plan.batch)
    count = outer * math.prod(plan.made_embed) * inner
    final = work.room(count * made_size) if target is None else target
    into = work.room(count * made_size) if turned else final
    _execute(work, plan, data, into, inverse=row.inverse)
    if turned:
        work.transpose(into, final, count // outer, outer, made_char)
    return _Signal(final, (*x.shape[:first], *plan.made_embed, *x.shape[last:]), owned=True)


def _execute(work: Work, plan: Plan, given: int, made: int, *, inverse: bool) -> None:
    cufft = bindings_of("cufft")
    handle, nbytes = work.handles.plan(plan)
    cufft.set_stream(handle, work.stream)
    if nbytes:
        cufft.set_work_area(handle, work.room(nbytes))
    execute = getattr(cufft, f"exec_{plan.kind.lower()}")
    if plan.kind in ("C2C", "Z2Z"):
        execute(handle, given, made, 1 if inverse else -1)
    else:
        execute(handle, given, made)
