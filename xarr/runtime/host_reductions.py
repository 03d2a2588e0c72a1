"""Reductions and scans by NumPy, with the bits of their kernels.

The order of accumulation is that of `lowering/cuts.py`, which has the constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, tuning
from xarr.dtypes import INTEGER
from xarr.ir.fold import Fold, Joined
from xarr.ir.operation import Operation
from xarr.lowering.cuts import PIECE, WIDTH, cut_axis
from xarr.lowering.operations import ReduceOp, ScanOp, last_run
from xarr.runtime import host_folds
from xarr.runtime.host_values import converter, largest, smallest

if TYPE_CHECKING:
    from xarr.dtypes import DType
    from xarr.ir.instructions import Opcode

_ALONE: Final[dict[str, Callable[..., Any]]] = {
    "all": numpy.logical_and.reduce,
    "any": numpy.logical_or.reduce,
    "argmax": numpy.ndarray.argmax,
    "argmin": numpy.ndarray.argmin,
    "count_nonzero": numpy.count_nonzero,
    "max": numpy.maximum.reduce,
    "min": numpy.minimum.reduce,
}  # of 1,000 elements they take half as long as `numpy.max`, which is Python
"""NumPy's functions that are faster than a kernel which does nothing else.

Their results are the same in any order. All are where elements are integers of one byte: of 2^20 on
one core, us by a kernel and by NumPy, argmax of int8 260 and 25, any of int8 130 and 50; of bool,
what ends early 350 and 10. Wider elements: `tuning.EXTREMES`.
"""

_IS_COMPILED: Final = not str(host_folds.__file__).endswith(".py")
"""Whether loops in Python are compiled."""


def alone(opcode: Opcode) -> Alone | None:
    """Return NumPy's function for a reduction that has no faster kernel of its own, or None."""
    operation, given = opcode.operation, opcode.operands[0]
    if not isinstance(operation, ReduceOp) or operation.name not in _ALONE:
        return None
    axes, dtype = operation.axes, given.dtype
    if last_run(axes) != axes[0]:
        return None
    if dtype.itemsize == 1:
        return Alone(operation, dtype)
    is_extreme = operation.name in ("argmax", "argmin") and dtype.kind in dtypes.REAL_NUMERIC
    work = given.size * opcode.device.info.compute_units
    if not is_extreme or dtype.itemsize == 2 or work > tuning.EXTREMES:
        return None
    is_along_rows = given.is_linear and axes[-1] + 1 == len(opcode.shape)
    return Alone(operation, dtype) if is_along_rows else None


def function_of(operation: Operation, given: DType) -> Callable[..., Any] | None:
    """Return a function of a NumPy array and numbers that computes the result, or None."""
    if isinstance(operation, ReduceOp):
        return _of_reduction(operation, given)
    return _of_scan(operation, given) if isinstance(operation, ScanOp) else None


class Alone:
    """A reduction that NumPy does faster than its own kernel; a list of this alone never gets one.

    Of bool, in which every byte but 0 is True. What one element decides ends there.
    """

    __slots__ = ("axes", "function", "name", "result", "takes_bool")

    def __init__(self, operation: ReduceOp, given: DType) -> None:
        self.name = operation.name
        self.axes = operation.axes
        self.function = _ALONE[operation.name]
        self.result = operation.result.numpy
        self.takes_bool = given is dtypes.bool_

    def __call__(self, x: Any) -> Any:
        """Return the results, for an array with all axes."""
        first, stop = self.axes[0], self.axes[-1] + 1
        name = self.name
        if stop - first == x.ndim:
            x = x if x.ndim == 1 else x.reshape(-1)
            if name == "count_nonzero":
                return numpy.asarray(numpy.count_nonzero(_bytes(x)), self.result)
            if name in ("any", "all"):  # NumPy ends early in bools alone
                x = x.view(numpy.bool_)
            return numpy.asarray(self.function(x), self.result)
        if stop - first > 1:
            x = x.reshape(*x.shape[:first], -1, *x.shape[stop:])
        values = _bytes(x) != 0 if self.takes_bool else x
        return numpy.asarray(self.function(values, axis=first), self.result)


def _bytes(x: Any) -> Any:
    """Return an array of bool as integers, of which NumPy expects nothing; others as they are."""
    return x.view(numpy.uint8) if x.dtype == numpy.bool_ else x


def _of_reduction(operation: ReduceOp, given: DType) -> Callable[..., Any] | None:
    fold, axes = operation.fold, operation.axes
    steps = [(given, fold.taken), (fold.taken, fold.value), (fold.value, fold.result)]
    taken, element, result = [converter(*types) for types in steps]
    joined, along = fold.joined, fold.along
    if joined is None and fold.host is not None:
        joined = _plain_accumulation(fold.host)
    if joined is None:
        result = converter(fold.result, fold.result)  # places are of that type already
    if taken is None or element is None or result is None:
        return None
    quick = _loop(fold)
    is_one_run = last_run(axes) == axes[0]
    if joined is None and (along is None or not is_one_run):
        return None

    def reduced(x: Any, *numbers: Any) -> Any:
        x = element(taken(x))
        is_all = quick is not None and x.ndim == len(axes) and x.flags.c_contiguous
        if quick is not None and is_all and x.size <= host_folds.MOST:
            found = quick(x.reshape(-1))
            return joined.finish((found,), *numbers) if along is None and joined else found
        if along is None or not is_one_run:
            assert joined is not None
            found = joined.finish(_reduced(joined, x, axes), *numbers)
        else:
            first, stop = axes[0], axes[-1] + 1
            length = math.prod(x.shape[first:stop])
            found = along(x.reshape(*x.shape[:first], length, *x.shape[stop:]), axis=first)
        return result(found)

    return reduced


def _loop(fold: Fold) -> Callable[[Any], Any] | None:
    """Return the compiled loop over all elements of float64; None if the fold has none."""
    if not _IS_COMPILED or not fold.taken is fold.value is fold.result is dtypes.float64:
        return None
    if fold.along in (largest, smallest):
        sign = 1.0 if fold.along is largest else -1.0
        return lambda x: host_folds.largest(x, sign)
    return host_folds.total if fold.along is None and fold.host is numpy.add else None


def _of_scan(operation: ScanOp, given: DType) -> Callable[..., Any] | None:
    fold, axis = operation.fold, operation.axis
    element = converter(fold.taken, fold.value)
    taken = converter(given, fold.taken)
    if operation.shift or taken is None or element is None:
        return None
    along = fold.along
    if along is None and fold.value.kind in INTEGER and isinstance(fold.host, numpy.ufunc):
        along = fold.host.accumulate  # which is the same in any order
    if along is None and fold.host is numpy.add and fold.taken is fold.value is dtypes.float64:
        along = _running_sums
    return None if along is None else lambda x: along(element(taken(x)), axis=axis)


def _running_sums(x: Any, axis: int) -> Any:
    """Return the running sums of float64 along an axis, in the order of the kernels."""
    lines = numpy.moveaxis(x, axis, -1)
    rows = numpy.ascontiguousarray(lines).reshape(-1, lines.shape[-1])
    return numpy.moveaxis(host_folds.running(rows).reshape(lines.shape), -1, axis)


def _plain_accumulation(combine: Callable[..., Any]) -> Joined:
    """Return the accumulation of plain values by a NumPy function of two."""
    return Joined(
        lambda x: (x.copy(),),
        lambda acc, x, seen: (combine(acc[0], x),),
        lambda one, other: (combine(one[0], other[0]),),
        lambda acc, *divisors: _divide(acc[0], *divisors) if divisors else acc[0],
        combine if isinstance(combine, numpy.ufunc) else None,
    )


def _divide(x: Any, divisor: Any) -> Any:
    """Divide by a real number; a complex number part by part."""
    if x.dtype.kind != "c":
        return x / divisor
    result = numpy.empty_like(x)
    result.real, result.imag = x.real / divisor, x.imag / divisor
    return result


_Parts = tuple[Any, ...]
"""An accumulator, for each of many places: an array for each of its members."""


def _reduced(how: Joined, x: Any, axes: tuple[int, ...]) -> _Parts:
    """Reduce axes with NumPy, in the order of the kernels."""
    shape = list(x.shape)
    work = _HostPass(
        lambda parts: how.first(parts[0]), lambda acc, more, seen: how.step(acc, more[0], seen), how
    )
    parts: _Parts = (x,)
    is_first = True
    while axes:
        start, stop = last_run(axes), axes[-1] + 1
        axes = tuple(axis for axis in axes if axis < start)
        outer, length = math.prod(shape[:start]), math.prod(shape[start:stop])
        behind = shape[stop:]
        del shape[start:stop]
        while True:
            pieces, piece_length, column = cut_axis(outer, length, behind, is_first=is_first)
            parts = tuple([part.reshape(outer, length, math.prod(behind)) for part in parts])
            if column:
                parts = work.in_order(parts, piece_length)
            else:
                parts = work.by_lanes(tuple([part[..., 0] for part in parts]))
            work = _HostPass(_copies, lambda acc, more, _: how.combine(acc, more), how)
            is_first = False
            if pieces == 1:
                break
            length = pieces
    return tuple([part.reshape(shape) for part in parts])


def _copies(parts: _Parts) -> _Parts:
    return tuple([part.copy() for part in parts])


def _write(parts: _Parts, values: _Parts) -> None:
    for part, value in zip(parts, values, strict=True):
        part[...] = value


def _down(ufunc: numpy.ufunc, x: Any) -> Any:
    """Join the rows of (outer, piece, row, inner), one after the other."""
    first: dict[str, Any] = {}
    if ufunc is numpy.add and x.dtype.kind in "fc":
        # NumPy begins with 0, to which -0 would be added.
        first["initial"] = -0.0 if x.dtype.kind == "f" else complex(-0.0, -0.0)
    return ufunc.reduce(x, axis=2, dtype=x.dtype, **first)


class _HostPass(NamedTuple):
    """One pass of a reduction by NumPy: how accumulators begin, and take more elements."""

    first: Callable[[_Parts], _Parts]
    step: Callable[[_Parts, _Parts, int], _Parts]
    how: Joined

    def in_order(self, parts: _Parts, length: int) -> _Parts:
        """Accumulate each piece of rows of (outer, position, inner) in order."""
        outer, count, inner = parts[0].shape
        ufunc = self.how.ufunc
        if ufunc is not None and count <= length and inner == 1:
            (x,) = parts
            return (ufunc.accumulate(x, axis=1, dtype=x.dtype)[:, -1:],)
        if ufunc is not None and inner > 1 and parts[0].flags.c_contiguous:
            # Along any axis but the last NumPy adds row after row.
            (x,) = parts
            whole = count // length * length
            pieces = x[:, :whole].reshape(outer, -1, length, inner)
            found = _down(ufunc, pieces)
            if whole < count:
                rest = _down(ufunc, x[:, None, whole:])
                found = numpy.concatenate([found, rest], axis=1) if whole else rest
            return (found,)
        total = self.first(tuple([part[:, ::length] for part in parts]))
        for row in range(1, min(length, count)):
            rows = tuple([part[:, row::length] for part in parts])
            some = tuple([part[:, : rows[0].shape[1]] for part in total])
            _write(some, self.step(some, rows, row + 1))
        return total

    def by_lanes(self, parts: _Parts) -> _Parts:
        """Accumulate each piece of the rows of (outer, position) lane by lane."""
        outer, length = parts[0].shape
        whole = length // PIECE * PIECE
        found = []
        if whole:
            pieces = tuple([part[:, :whole].reshape(outer, -1, PIECE) for part in parts])
            found.append(self._join_lanes(pieces))
        if whole < length:
            found.append(self._join_lanes(tuple([part[:, None, whole:] for part in parts])))
        return tuple([numpy.concatenate(ones, axis=1) for ones in zip(*found, strict=True)])

    def _join_lanes(self, pieces: _Parts) -> _Parts:
        """Join the lanes of pieces of equal length, (outer, piece, position)."""
        outer, count, length = pieces[0].shape
        active = min(length, WIDTH)
        whole = length // WIDTH * WIDTH
        ufunc = self.how.ufunc
        begin = WIDTH
        if ufunc is not None and whole > WIDTH and pieces[0].strides[-1] == pieces[0].itemsize:
            steps = pieces[0][..., :whole].reshape(outer, count, -1, WIDTH)
            # Row after row, as above.
            lanes: _Parts = (_down(ufunc, steps),)
            begin = whole
        else:
            lanes = self.first(tuple([part[..., :active] for part in pieces]))
        for base in range(begin, length, WIDTH):
            more = tuple([part[..., base : base + WIDTH] for part in pieces])
            some = tuple([part[..., : more[0].shape[2]] for part in lanes])
            _write(some, self.step(some, more, base // WIDTH + 1))
        reach = WIDTH // 2
        while reach:
            pairs = min(active - reach, reach)
            if pairs > 0 and ufunc is not None:
                (part,) = lanes
                low = part[..., :pairs]
                ufunc(low, part[..., reach : reach + pairs], out=low)
            elif pairs > 0:
                some = tuple([part[..., :pairs] for part in lanes])
                high = tuple([part[..., reach : reach + pairs] for part in lanes])
                _write(some, self.how.combine(some, high))
            reach //= 2
        return tuple([part[..., :1].reshape(outer, count) for part in lanes])
