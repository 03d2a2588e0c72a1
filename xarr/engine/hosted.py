"""Host calls: instructions that NumPy computes in a CPU's buffers, with the bits of a kernel.

A kernel costs a compiler a tenth of a second, so a list of instructions that is new runs at once
this way, one after the other, where an operation has a function of NumPy's that is exact:
`Operation.host`. What such an instruction does is known once for all that have its opcode.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout, tuning
from xarr.backends.base import InMemory
from xarr.compiler.forms import INDEX, Indirect
from xarr.core.views import in_memory
from xarr.dtypes import BOOL, COMPLEX, REAL, DType
from xarr.schedule.instructions import Recorded, Skeletal
from xarr.settings import IMPORTED

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.core.instructions import Opcode
    from xarr.core.views import Structure

Values = Any
"""An array or a scalar of NumPy's."""
Function = Callable[..., Values]


class _Tier:
    """How a list of instructions runs that has no kernels: XARR_TIERS, or what tests choose.

    "fused" waits for them, "hosted" never has them compiled where NumPy does their work; "" lets
    NumPy work until they are there; see `Program.choose`.
    """

    def __init__(self) -> None:
        self.name = IMPORTED.tiers or ""


tier: Final = _Tier()


_fused: Final[list[str]] = []
"""The tier that was before, once for each block of `fused` that is open."""
_lock: Final = threading.Lock()


@contextmanager
def fused() -> Iterator[None]:
    """Let kernels do all work within a ``with`` block, in all threads, whose blocks may overlap."""
    with _lock:
        _fused.append(_fused[0] if _fused else tier.name)
        tier.name = "fused"
    try:
        yield
    finally:
        with _lock:
            before = _fused.pop()
            if not _fused:
                tier.name = before


def keeps(device: Device, nbytes: int, most: int = tuning.KEPT_NBYTES) -> bool:
    """Whether a storage of so many bytes is in NumPy's memory until a kernel uses it."""
    return 0 < nbytes <= most and not tier.name and device.info.in_place


class Places(NamedTuple):
    """Memory in which elements are read or written at computed places."""

    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    strides: tuple[int, ...]

    def array(self, memory: Any, offset: int) -> tuple[Values, Values]:
        """All of the memory, and where places count from, for each element."""
        nbytes = self.dtype.itemsize
        begin: Values = numpy.int64(offset)
        for axis, (extent, step) in enumerate(zip(self.shape, self.strides, strict=True)):
            if step:
                lifted = (extent, *(1,) * (len(self.shape) - axis - 1))
                begin = begin + (numpy.arange(extent) * (step // nbytes)).reshape(lifted)
        return numpy.ndarray((memory.nbytes // nbytes,), self.dtype, memory), begin


def _view(how: Structure, shape: tuple[int, ...], *, is_whole: bool = False) -> InMemory:
    """A view as an operand over a shape, to which NumPy broadcasts it; if `is_whole`, it is."""
    pattern = how.pattern
    assert pattern is not None
    extents, strides = pattern.shape, pattern.strides
    if pattern.linear and pattern.size == math.prod(shape):
        extents, strides = shape, layout.contiguous_strides(shape)
    elif is_whole:
        extents, strides = shape, layout.broadcast_strides(extents, strides, shape)
    elif pattern.size == 1:
        extents, strides = (), ()
    if extents == pattern.shape and strides == pattern.strides:
        return how.seen()
    return in_memory(how.dtype, extents, strides)


def _operand(how: Structure, shape: tuple[int, ...], *, is_whole: bool = False) -> InMemory | type:
    """Where an operand lies in memory; of a constant, the class of NumPy's scalars of its type."""
    if how.pattern is None:
        made: type = how.dtype.numpy.type
        return made
    view = _view(how, shape, is_whole=is_whole)
    return view._replace(dtype=_BYTE, is_bool=True) if how.dtype.kind == BOOL else view


_BYTE: Final = numpy.dtype(numpy.uint8)


class Host:
    """An instruction as a function of NumPy's, ready but for memory and constants.

    views : list of InMemory, Places or type
        How what it reads lies in memory, at first where places count from if it computes some; of
        a constant what makes it one of NumPy's scalars. Then how what it writes lies there, unless
        it writes at computed places.
    ufunc : numpy.ufunc or None
        What is called with these, all of them, where it does nothing else.
    """

    __slots__ = ("_converters", "_function", "_has_target", "_writes_itself", "ufunc", "views")

    def __init__(self, opcode: Opcode) -> None:
        operation, shape, given = opcode.operation, opcode.shape, opcode.operands
        self._converters: Sequence[Function] = ()
        self._has_target = opcode.target is not None
        self.views: list[Any] = []
        if isinstance(operation, Recorded):
            function = _in_row(_require(operation.on_host(given[0].dtype)))
            self.views = [_operand(one, shape, is_whole=True) for one in given]
            assert opcode.target is not None
            shape = (math.prod(opcode.target.shape),)
        elif operation is INDEX:
            function = _indices(shape)
        else:
            function = _require(None if isinstance(operation, Skeletal) else operation.host)
            self.views = [_operand(one, shape) for one in given]
            if isinstance(operation, Indirect):
                self.views[0] = Places(*_view(given[0], shape, is_whole=True)[:3])
            elif any(
                one.dtype is not to for one, to in zip(given, operation.operands, strict=True)
            ):
                self._converters = [
                    _require(converter(one.dtype, to))
                    for one, to in zip(given, operation.operands, strict=True)
                ]
        if opcode.target is not None:
            self.views.append(_view(opcode.target, shape))
        self._function = function
        self._writes_itself = isinstance(function, numpy.ufunc)
        self.ufunc = function if self._writes_itself and not self._converters else None

    def __call__(self, driver: Any, values: list[Any]) -> None:
        """Compute it; `values` are arrays and scalars as `views` says.

        All is stored in one call, so that a signal's handler finds it done, and counted as a
        launch, or finds nothing.
        """
        for at, convert in enumerate(self._converters):
            values[at] = convert(values[at])
        target: Values = values.pop() if self._has_target else None
        if self._writes_itself:
            driver.launched += 1
            try:
                self._function(*values, out=target)
            except Exception:
                driver.launched -= 1
                raise
            return
        places: Any = ...
        if values and isinstance(values[0], tuple):
            (memory, begin), numbers, *rest = values
            found = self._function(memory, begin + numbers, *rest)
            if target is None:
                target, (places, found) = memory, found
            else:
                found = _loaded(found)
        else:
            found = self._function(*values)
        driver.launched += 1
        try:
            target[places] = found
        except Exception:
            driver.launched -= 1
            raise


def _in_row(function: Function) -> Function:
    """A function whose result is its elements, one after the other."""
    return lambda *values: numpy.ravel(function(*values))


def _indices(shape: tuple[int, ...]) -> Function:
    return lambda: numpy.arange(math.prod(shape)).reshape(shape)


def host(opcode: Opcode) -> Host | None:
    """The host call for an opcode; None where NumPy has no function with the same bits."""
    found: Host | bool | None = opcode.host
    if found is None:
        try:
            found = 0 < math.prod(opcode.shape) <= tuning.LARGEST and Host(opcode)
        except _AbsentError:
            found = False
        opcode.host = found
    return found or None  # type: ignore[return-value]


class _AbsentError(Exception):
    """There is no function of NumPy's with the same bits."""


def _require(function: Function | None) -> Function:
    if function is None:
        raise _AbsentError
    return function


def _loaded(values: Values) -> Values:
    """Values as loaded from memory, where every byte other than 0 is True."""
    return values.view(numpy.uint8) != 0 if values.dtype == numpy.bool_ else values


def _same(values: Values) -> Values:
    return values


def converter(given: DType, wanted: DType) -> Function | None:
    """The function that converts values between types; None where NumPy's bits may differ."""
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
    """The maximum along an axis, where 0 is larger than -0."""
    found = numpy.max(x, axis=axis)
    zero = found == 0
    if zero.any():
        is_plus = numpy.any((x == 0) & ~numpy.signbit(x), axis=axis)
        found = numpy.where(zero, numpy.where(is_plus, x.dtype.type(0), x.dtype.type(-0.0)), found)
    return found


def smallest(x: Values, axis: int) -> Values:
    """The minimum along an axis, where -0 is smaller than 0."""
    return -largest(-x, axis)


ALONG: Final = {maximum: largest, minimum: smallest}
"""The reduction along an axis for each function of two operands."""


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
    """The remainder of floor division, with the bits of `xr_remainder` in `kernels/real.h`."""
    rest = numpy.fmod(x, y)
    folded = numpy.where((y < 0) != (rest < 0), rest + y, rest)
    signed = numpy.where(rest == 0, numpy.copysign(numpy.zeros_like(rest), y), folded)
    return numpy.where((y == 0) | (rest != rest), rest, signed)
