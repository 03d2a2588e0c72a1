"""The base of all distributions: random bits, parameters and their checks, sizes, single numbers.

Bits are a function of a key, of the number of the draw and of an element's place. So all that is
kept is the key and how many draws there were; the number is taken when a draw is called for, and
when the elements are computed makes no difference. NumPy's `SeedSequence` makes keys of seeds.

A draw of an array is one deferred operation. A draw of a single number (without `size`, of plain
parameters) is a Python number, as NumPy's is: the device computes some of those that follow as
well, for programs that draw one after the other, and so does a CPU for arrays of few elements.
Integers between bounds are exact.
"""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, tuning
from xarr.array.array import Array, DTypeLike
from xarr.array.coerce import as_array, scalar_view
from xarr.array.drawn_ahead import Ahead, DrawsAhead, call_of
from xarr.array.out_argument import deliver
from xarr.array.transfers import is_unobserved, to_host, uploaded
from xarr.backends.device import Device, default_float, get_device, require_on, require_together
from xarr.dtypes import BOOL, INTEGER, SIGNED, DType
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.create.creation import shape_of
from xarr.functions.random.philox import Philox, numbered
from xarr.ir.views import View, constant, contiguous
from xarr.layout import Shape, broadcast_shapes
from xarr.ops import elementwise, random, reductions, vendor
from xarr.ops.random import MOST_MEAN, Check, Draw
from xarr.ops.rows import Elementwise
from xarr.tape import builder, recorders
from xarr.tape.record import is_nearly_idle
from xarr.tape.tape import tape_of

Size = int | Sequence[int] | None
Real = Any
FloatType = DTypeLike
Floats = Any
Integers = Any
"""Annotations of which `docstrings` knows what to say."""
Number = int | float
Parameter = Number | View


def parameter(value: Any, name: str, where: str, check: Check | None = None) -> Parameter:
    """A parameter of a distribution: a Python number, or the view of an array; checked."""
    if type(value) is float or type(value) is int:
        number: Parameter = value
        if check is None or not check.refuses(number):
            return number
    elif type(value) is not Array and isinstance(value, bool | int | float):
        number = float(value)
    else:
        view = as_array(value, where, name)._view
        if view.dtype.kind == dtypes.COMPLEX:
            raise type_error(where, f"{name} has dtype {view.dtype}", f"{name} must be real")
        is_number = view.value is not None and not view.shape
        number = view.value if is_number and type(value) is not Array else view
    if check is not None:
        require(number, check, name, where)
    return number


def require(value: Parameter, check: Check, name: str, where: str) -> None:
    """Refuse a parameter that a check finds wrong; of an array, wait for the device."""
    if isinstance(value, View):
        wrong = bool(reduced(reductions.any, _refused(value, check)))
    else:
        wrong = check.refuses(value)
    if wrong:
        raise value_error(where, f"{name} {check.wrong}", check.accepted)


def _refused(view: View, check: Check) -> View:
    """Where an array has other values."""
    if check.holds:
        first, *more = [_compared(row, view, bound) for row, bound in check.holds]
        for each in more:
            first = elementwise.logical_and.combined(first, each)
        return elementwise.logical_not.applied(first)
    if view.dtype.kind != dtypes.REAL:
        return _compared(elementwise.less, view, 0)
    is_number = elementwise.equal.combined(view, view)  # NaN is left to the distribution
    return elementwise.logical_and.combined(elementwise.signbit.applied(view), is_number)


def _compared(row: Elementwise, view: View, bound: Number) -> View:
    kind = dtypes.of_python_scalar(bound, view.dtype, default_float(view.device))
    return row.combined(view, scalar_view(bound, kind, view.device, row.where))


def size_of(size: Any, where: str) -> Shape:
    """The shape that `size` says."""
    if isinstance(size, Array):
        size = size.tolist()
    if isinstance(size, range):
        size = tuple(size)
    return shape_of(size, where, "size")


class Source:
    """Draws of a bit generator; what distributions are made of."""

    _bits: Philox
    _descending = True
    """Whether the bounds of `uniform` may descend, as the older functions allow."""
    _poisson_lam_max = MOST_MEAN

    def __init__(self) -> None:
        self._kinds: dict[Any, Ahead] = {}
        self._ahead = DrawsAhead(Philox)
        self._own = threading.Lock()

    def _take(self) -> tuple[int, int]:
        return self._bits.take()

    def _draw(self, row: Draw, values: tuple[Any, ...], size: Any, require: Any = None) -> Any:
        """Draw by a row with the user's parameters, each checked, and all of them together."""
        call = call_of(row, values, size)
        found = self._ahead.next(self._bits, call)
        if found is not None:
            return found
        where = row.where
        checks = row.parameters
        parameters = [*map(parameter, values, checks, itertools.repeat(where), checks.values())]
        if require is not None:
            require(parameters, where)
        return self._sample(row, parameters, size, where, call=call)

    def _of_size(self, row: Draw, size: Any, where: str) -> Any:
        """Draw by a row without parameters."""
        call = call_of(row, (), size)
        found = self._ahead.next(self._bits, call)
        return self._sample(row, (), size, where, call=call) if found is None else found

    def _sample(
        self,
        row: Draw,
        parameters: Sequence[Parameter],
        size: Any,
        where: str,
        *,
        dtype: DType | None = None,
        result: DType | None = None,
        out: Any = None,
        call: Any = None,
    ) -> Any:
        """Draw by a row: an Array, or a Python number where nothing asks for an array.

        A `call` is drawn by `next` from then on.
        """
        views = [value for value in parameters if isinstance(value, View)]
        device = _device_of(views, out, where)
        computed = default_float(device) if dtype is None else dtype
        result = result or row.result
        if size is None and not views and out is None:
            require_on(device, computed, where)
            numbers: Any = tuple(parameters)
            return self._single(row, numbers, computed, result or computed, device, call)
        shape = _shape_of(size, [view.shape for view in views], out, where)
        array = Array(self._view(row, shape, device, where, computed, parameters, result, call))
        return deliver(array, out, where)

    def _view(
        self,
        row: Draw,
        shape: Shape,
        device: Device,
        where: str,
        computed: DType | None = None,
        parameters: Sequence[Parameter] = (),
        result: DType | None = None,
        call: Any = None,
    ) -> View:
        """The view of a draw over a shape."""
        computed = computed or default_float(device)
        require_on(device, result or computed, where)
        draw, key = numbered(self._take, device)
        size = math.prod(shape)
        if 0 < size <= tuning.DRAWN_TOGETHER and _is_for_host(draw, parameters, device):
            kind = result or computed
            few = self._few(row, tuple(parameters), computed, kind, device, shape, draw, key, call)
            held = None if few is None else vendor.held(few.copy(), device, kind, is_new=True)
            if held is not None:
                return held
        operands = _views(parameters, row.kind or computed, device, where)
        return row.drawn(shape, draw, key, device, computed, operands, result)

    def _single(
        self,
        row: Draw,
        parameters: tuple[Number, ...],
        computed: DType,
        result: DType,
        device: Device,
        call: Any,
    ) -> Any:
        """One number, as Python has it."""
        require_no_graph(device, f"random.{row.name}(...)", "a number is drawn for the host")
        if row.on_host is not None and computed is not dtypes.float32:
            standard, function = row.on_host
            kind = dtypes.uint64 if standard.name.startswith("words") else computed
            number = self._ahead.next(self._bits, standard)
            if number is None:
                number = self._single(standard, (), kind, kind, device, standard)
            return function(number, *parameters)
        return self._few(row, parameters, computed, result, device, None, *self._take(), call)

    def _few(
        self,
        row: Draw,
        parameters: tuple[Any, ...],
        computed: DType,
        result: DType,
        device: Device,
        shape: Shape | None,
        draw: int,
        key: int,
        call: Any,
    ) -> Any:
        """The elements of a draw by a row, or its number without a shape; None at the first time.

        Those of the draws that follow are computed with them, as a kernel takes as long for one.
        """
        spot = (row, parameters, computed, result, device, shape)
        size = math.prod(shape or ())
        with self._own:
            ahead = self._kinds.get(spot)
            if ahead is None:
                if len(self._kinds) >= tuning.DRAWN_KINDS:
                    self._kinds.clear()
                    self._ahead.calls.clear()
                how = None if shape is None else contiguous(device, result, shape)
                ahead = self._kinds[spot] = Ahead(device, how)
                if shape is not None:  # what is drawn once is deferred as it is
                    return None
            if call is not None:
                self._ahead.calls[call] = ahead
            known, first, count, values = ahead.lot
            if known == key and 0 <= draw - first < count:
                return values[draw - first]
            most = min(4 * count, tuning.DRAWN_MOST // size) if known == key else 0
            count = max(tuning.DRAWN_FEWEST, most)
            operands = _views(parameters, row.kind or computed, device, row.name)
            drawn = row.firsts(count, size, draw, key, device, computed, operands, result)
            values = to_host(drawn)
            values = values.ravel().tolist() if shape is None else values.reshape(count, *shape)
            ahead.lot = (key, draw, count, values)
            return values[0]

    def _note_order(self, call: Any, of_keys: Any) -> None:
        """Sort keys that were drawn ahead, to give their orders out for a call."""
        with self._own:
            calls = self._ahead.calls
            ahead, orders = calls.get(of_keys), calls.get(call)
            if ahead is None or (orders and orders.lot[:2] == ahead.lot[:2]):
                return
            *told, values = ahead.lot
            orders = Ahead(ahead.device, contiguous(ahead.device, dtypes.int64, ahead.how.shape))
            orders.lot = (*told, numpy.argsort(values, kind="stable"))
            calls[call] = orders


def _is_for_host(draw: Any, parameters: Sequence[Parameter], device: Device) -> bool:
    """Return whether the host may compute a draw's few elements now, as it has all parameters."""
    if not isinstance(draw, int) or recorders.active() or not is_unobserved():
        return False
    for value in parameters:
        if isinstance(value, View) or (value == 0 and math.copysign(1, value) < 0):
            return False  # -0.0 is equal to 0.0, which tells draws apart
    return device.in_place[dtypes.bool_][0] is not None and is_nearly_idle(tape_of(device))


def require_no_graph(device: Device, where: str, given: str) -> None:
    """Refuse a draw on the host within the block of a graph, whose launches would repeat it."""
    if device.is_recorded:
        fault = f"{given} while a graph is being recorded"
        accepted = "a graph must work on the device alone"
        remedy = "draw before it, or an array by xarr.random.default_rng() and a size"
        raise refused(RuntimeError, where, fault, accepted, remedy)


def _views(
    parameters: Sequence[Parameter], kind: DType, device: Device, where: str
) -> tuple[View, ...]:
    """The parameters as views, numbers of a data type."""
    return tuple(
        value if isinstance(value, View) else scalar_view(value, kind, device, where)
        for value in parameters
    )


def _device_of(views: Sequence[View], out: Any, where: str) -> Device:
    """The device of the parameters that are arrays; else of `out`, or the default device."""
    if not views:
        return out._view.device if isinstance(out, Array) else get_device()
    for view in views[1:]:
        require_together(views[0].device, view.device, where)
    return views[0].device


def _shape_of(size: Any, shapes: Sequence[Shape], out: Any, where: str) -> Shape:
    """The shape of a draw: `size`, which the parameters broadcast to, or what they broadcast to."""
    if size is None and not isinstance(out, Array):
        return broadcast_shapes(*shapes, where=where) if len(shapes) > 1 else (*shapes, ())[0]
    shape = out.shape if size is None else size_of(size, where)
    if isinstance(out, Array) and out.shape != shape:
        fault = f"size is {shape} and out has shape {out.shape}"
        raise value_error(where, fault, "both must be the same")
    if shapes and broadcast_shapes(shape, *shapes, where=where) != shape:
        fault = f"size is {shape} and the parameters have shapes {', '.join(map(str, shapes))}"
        raise value_error(where, fault, "the parameters must broadcast to size")
    return shape


def difference(low: Parameter, high: Parameter, where: str, descending: bool) -> Parameter:
    """How far two bounds are apart, which may descend or not."""
    if not isinstance(low, View) and not isinstance(high, View):
        apart = float(high) - float(low)
        span: Parameter = apart
        finite, negative = math.isfinite(apart), apart < 0
    else:
        span = view = _combined(elementwise.subtract, high, low)
        assert isinstance(view, View)
        finite = bool(reduced(reductions.all, elementwise.isfinite.applied(view)))
        negative = not descending and _any_of(elementwise.less, view, 0.0)
    if not finite:
        fault = "high - low range exceeds valid bounds"
        raise refused(OverflowError, where, fault, "it must be finite")
    if negative and not descending:
        raise value_error(where, "high - low < 0", "low must be at most high")
    return span


def require_order(values: Sequence[Parameter], where: str) -> None:
    """Refuse the corners of a triangle that do not ascend, or are all one."""
    left, mode, right = values
    for wrong, row, x1, x2 in (
        ("left > mode", elementwise.greater, left, mode),
        ("mode > right", elementwise.greater, mode, right),
        ("left == right", elementwise.equal, left, right),
    ):
        if _any_of(row, x1, x2):
            raise value_error(where, wrong, "left, mode, right must ascend")


def require_enough(values: Sequence[Parameter], where: str) -> None:
    """Refuse a sample of more than there are good and bad ones."""
    good, bad, wanted = values
    if _any_of(elementwise.less, _combined(elementwise.add, good, bad), wanted):
        raise value_error(where, "ngood + nbad < nsample", "nsample must be at most ngood + nbad")


def require_held(values: Sequence[Parameter], where: str) -> None:
    """Refuse a number of successes and a probability whose failures int64 does not hold."""
    n, p = values
    if _any_of(elementwise.greater, _combined(elementwise.divide, n, p), MOST_MEAN):
        raise value_error(
            where, "n is too large or p too small", f"n / p must be at most {MOST_MEAN}"
        )


_OF_NUMBERS: Final = {
    "add": operator.add,
    "divide": operator.truediv,
    "equal": operator.eq,
    "greater": operator.gt,
    "less": operator.lt,
}


def _any_of(row: Elementwise, x1: Parameter, x2: Parameter) -> bool:
    """Whether a comparison of two parameters holds anywhere."""
    holds = _combined(row, x1, x2)
    return bool(reduced(reductions.any, holds) if isinstance(holds, View) else holds)


def _combined(row: Elementwise, x1: Parameter, x2: Parameter) -> Parameter:
    """A function of two parameters, in floating point where one is an array's view."""
    beside = x1 if isinstance(x1, View) else x2
    if not isinstance(beside, View):
        return _OF_NUMBERS[row.name](x1, x2)  # type: ignore[no-any-return]
    floating = default_float(beside.device)
    first, second = _views((x1, x2), floating, beside.device, row.where)
    return row.combined(builder.converted(first, floating), builder.converted(second, floating))


_WORD: Final = 1 << 64
_NARROW: Final = 1 << 32
_HALF: Final = 1 << 63


def integers(
    source: Source, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool, where: str
) -> Any:
    """Draw integers from `low` to `high`, which is included if `endpoint`."""
    if size is None and dtype is int and type(low) is int and (high is None or type(high) is int):
        least, most = (0, low) if high is None else (low, high)
        width = most - least + endpoint
        if 0 < width <= _NARROW and -_HALF <= least <= most < _HALF:
            word = source._ahead.next(source._bits, random.words_wide)
            if word is not None:
                return least + (word * width >> 64)
    arguments = (low, high, dtype, int(endpoint))
    call = None if size is None else call_of(random.integers, arguments, size)
    drawn = source._ahead.next(source._bits, call)
    if drawn is not None:
        return drawn
    row = dtypes.lookup(dtype, where)
    if row.kind not in (*INTEGER, BOOL):
        fault = f"Unsupported dtype {row} for integers"
        raise type_error(where, fault, "dtype must be an integer dtype or bool")
    alone = high is None
    if alone:
        low, high = 0, low
    bounds = _Bounds(row, bool(endpoint), alone, where)
    if size is not None:
        size = size_of(size, where)
        if 0 in size:
            return Array(constant(0, row, size, get_device()))
    if isinstance(low, Array) or isinstance(high, Array):
        return _between_arrays(source, low, high, size, bounds)
    least, most = _on_host(low, where), _on_host(high, where) - (not endpoint)
    bounds.require(_some(least < bounds.lowest), _some(most > bounds.highest))
    bounds.require_order(_some(least > most))
    spans = most - least + 1
    computed = dtypes.int64 if row.kind == SIGNED else dtypes.uint64
    if isinstance(spans, numpy.ndarray) and spans.ndim:
        words = (
            numpy.asarray(part % _WORD, object).astype(numpy.uint64) for part in (least, spans)
        )
        first, span = (uploaded(part, get_device(), where) for part in words)
        return source._sample(
            random.integers_wide, (first, span), size, where, dtype=computed, result=row
        )
    draw = random.integers if spans <= _NARROW else random.integers_wide
    numbers = (int(least) % _WORD, int(spans) % _WORD)
    drawn = source._sample(draw, numbers, size, where, dtype=computed, result=row, call=call)
    return _single(drawn, row, dtype) if isinstance(drawn, int) else drawn


def _single(drawn: int, row: DType, dtype: Any) -> Any:
    """One number: as Python has it where that was asked for, else of its data type."""
    if row.kind == SIGNED and drawn >= _WORD // 2:
        drawn -= _WORD
    if row.kind == BOOL:
        drawn = bool(drawn)
    if dtype in (int, bool):
        return drawn
    return Array(constant(drawn, row, (), get_device()))


class _Bounds(NamedTuple):
    """The checks of the bounds of random integers, with their errors."""

    row: DType
    endpoint: bool
    alone: bool
    where: str

    @property
    def lowest(self) -> int:
        """The least value of the data type."""
        return _range_of(self.row)[0]

    @property
    def highest(self) -> int:
        """The largest value of the data type."""
        return _range_of(self.row)[1]

    def require(self, low: bool, high: bool) -> None:
        """Refuse bounds, of which one is beyond the data type."""
        if low or high:
            fault = f"{'low' if low else 'high'} is out of bounds for {self.row}"
            accepted = f"it must be {self.lowest} to {self.highest}"
            raise value_error(self.where, fault, accepted)

    def require_order(self, wrong: bool) -> None:
        """Refuse bounds that hold no integer."""
        if wrong:
            first = "high" if self.alone else "low"
            sign = ("<" if self.alone else ">") + ("" if self.endpoint else "=")
            second = "0" if self.alone else "high"
            raise value_error(self.where, f"{first} {sign} {second}", "low must be below high")


def _on_host(bound: Any, where: str) -> Any:
    """Bounds as exact Python integers, in an array of objects where there are several."""
    if isinstance(bound, int | float):
        return int(bound)
    try:
        return numpy.vectorize(int, otypes=[object])(numpy.asarray(bound, dtype=object))
    except TypeError:
        raise type_error(where, f"a bound is {bound!r}", "it must be an integer") from None


def _some(holds: Any) -> bool:
    """Whether a comparison of bounds holds anywhere."""
    return holds if isinstance(holds, bool) else bool(holds.any())


def _range_of(row: DType) -> tuple[int, int]:
    return (0, 1) if row.kind == BOOL else dtypes.integer_bounds(row)


def _between_arrays(source: Source, low: Any, high: Any, size: Any, bounds: _Bounds) -> Any:
    """Draw between bounds that are arrays of a device; what they have to be waits for it."""
    row, endpoint, _, where = bounds
    device = (low if isinstance(low, Array) else high).device
    wide = dtypes.uint64 if row is dtypes.uint64 else dtypes.int64
    views = []
    for bound, most in ((low, bounds.highest), (high, bounds.highest + (not endpoint))):
        if not isinstance(bound, Array):
            values = _on_host(bound, where)
            beyond = _some(values < bounds.lowest), _some(values > most)
            bounds.require(bound is low and any(beyond), bound is high and any(beyond))
            # One less than it may be, where the bound is one more than the type holds.
            held = numpy.minimum(values, dtypes.integer_bounds(wide)[1], dtype=object)
            views.append(uploaded(numpy.asarray(held, wide.numpy), device, where))
            continue
        view = bound._view
        if view.dtype.kind not in (*INTEGER, BOOL):
            view = builder.converted(view, dtypes.int64)
        beyond = (
            _is_beyond(elementwise.less, view, bounds.lowest),
            _is_beyond(elementwise.greater, view, most),
        )
        bounds.require(bound is low and any(beyond), bound is high and any(beyond))
        views.append(builder.converted(view, wide))
    least, last = views
    order = elementwise.less if endpoint else elementwise.less_equal
    bounds.require_order(bool(reduced(reductions.any, order.combined(last, least))))
    span = elementwise.subtract.combined(
        builder.converted(last, dtypes.uint64), builder.converted(least, dtypes.uint64)
    )
    if endpoint:
        span = elementwise.add.combined(span, constant(1, dtypes.uint64, (), device))
    return source._sample(random.integers_wide, (least, span), size, where, dtype=wide, result=row)


def _is_beyond(row: Elementwise, view: View, bound: int) -> bool:
    """Whether an element is less, or greater, than a bound, which its data type may not hold."""
    lowest, highest = _range_of(view.dtype)
    if highest <= bound if row is elementwise.greater else lowest >= bound:
        return False
    limit = constant(bound, view.dtype, (), view.device)
    return bool(reduced(reductions.any, row.combined(view, limit)))
