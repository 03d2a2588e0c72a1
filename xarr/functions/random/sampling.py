"""The base of all distributions: random bits, parameters and their checks, sizes, single numbers.

Bits are a function of a key, of the number of the draw and of an element's place. So all that is
kept is the key and how many draws there were; the number is taken when a draw is called for, and
when the elements are computed makes no difference. NumPy's `SeedSequence` makes keys of seeds.

A draw of an array is one deferred operation. A draw of a single number (without `size`, of plain
parameters) is a Python number, as NumPy's is: the device computes some of those that follow as
well, for programs that draw one after the other. Integers between bounds are exact.
"""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, tuning
from xarr.array.array import Array, DTypeLike
from xarr.array.coerce import as_array, scalar_view
from xarr.array.out_argument import deliver
from xarr.array.transfers import uploaded
from xarr.backends.device import Device, default_float, get_device, require_on, require_together
from xarr.dtypes import BOOL, INTEGER, SIGNED, DType
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.create.creation import shape_of
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape, broadcast_shapes
from xarr.ops import elementwise, random, reductions
from xarr.ops.random import MOST_MEAN, Check, Draw, words_wide
from xarr.ops.rows import Elementwise
from xarr.tape import builder, recorders

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
            raise type_error(where, f"{name} has dtype {view.dtype}", "real numbers are accepted")
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


class _Ahead(NamedTuple):
    """Single numbers that are computed already: those of the draws from `first` on."""

    key: int
    first: int
    values: list[Any]


class Source:
    """Draws of a bit generator; what distributions are made of."""

    _bits: Philox
    _descending = True
    """Whether the bounds of `uniform` may descend, as the older functions allow."""
    _poisson_lam_max = MOST_MEAN

    def __init__(self) -> None:
        self._ahead: dict[Any, _Ahead] = {}
        self._own = threading.Lock()

    def _take(self) -> tuple[int, int]:
        return self._bits.take()

    def _draw(self, row: Draw, values: Sequence[Any], size: Any, require: Any = None) -> Any:
        """Draw by a row with the user's parameters, each checked, and all of them together."""
        where = row.where
        checks = row.parameters
        parameters = [*map(parameter, values, checks, itertools.repeat(where), checks.values())]
        if require is not None:
            require(parameters, where)
        return self.sample(row, parameters, size, where)

    def sample(
        self,
        row: Draw,
        parameters: Sequence[Parameter],
        size: Any,
        where: str,
        *,
        dtype: DType | None = None,
        result: DType | None = None,
        out: Any = None,
    ) -> Any:
        """Draw by a row: an Array, or a Python number where nothing asks for an array."""
        views = [value for value in parameters if isinstance(value, View)]
        device = _device_of(views, out, where)
        computed = default_float(device) if dtype is None else dtype
        result = result or row.result
        if size is None and not views and out is None:
            require_on(device, computed, where)
            numbers: Any = tuple(parameters)
            return self.single(row, numbers, computed, result or computed, device)
        shape = _shape_of(size, [view.shape for view in views], out, where)
        array = Array(self.view(row, shape, device, where, computed, parameters, result))
        return deliver(array, out, where)

    def view(
        self,
        row: Draw,
        shape: Shape,
        device: Device,
        where: str,
        computed: DType | None = None,
        parameters: Sequence[Parameter] = (),
        result: DType | None = None,
    ) -> View:
        """The view of a draw over a shape."""
        computed = computed or default_float(device)
        require_on(device, result or computed, where)
        operands = _views(parameters, row.kind or computed, device, where)
        draw, key = _numbered(self._take, device)
        return row.drawn(shape, draw, key, device, computed, operands, result)

    def single(
        self,
        row: Draw,
        parameters: tuple[Number, ...],
        computed: DType,
        result: DType,
        device: Device,
    ) -> Any:
        """One number, as Python has it."""
        require_no_graph(device, f"random.{row.name}(...)", "a number is drawn for the host")
        if row.on_host is not None and computed is not dtypes.float32:
            standard, function = row.on_host
            kind = dtypes.uint64 if standard.name.startswith("words") else computed
            return function(self.single(standard, (), kind, kind, device), *parameters)
        draw, key = self._take()
        spot = (row, parameters, computed, result, device)
        with self._own:
            ahead = self._ahead.get(spot)
            count = tuning.DRAWN_FEWEST
            if ahead is not None and ahead.key == key:
                place = draw - ahead.first
                if 0 <= place < len(ahead.values):
                    return ahead.values[place]
                count = min(4 * len(ahead.values), tuning.DRAWN_MOST)
            if len(self._ahead) >= tuning.DRAWN_KINDS:
                self._ahead.clear()
            operands = _views(parameters, row.kind or computed, device, row.name)
            first = row.firsts(count, draw, key, device, computed, operands, result)
            values = Array(first).tolist()
            self._ahead[spot] = _Ahead(key, draw, values)
            return values[0]


def _numbered(
    take: Callable[[], tuple[int, int]], device: Device
) -> tuple[int, int] | tuple[View, View]:
    """The number and the key of a draw: of a graph's, in memory that each launch writes anew."""
    if device.drawing is not None:
        return device.drawing(take)
    storage = recorders.drawn(take, device)
    if storage is None:
        return take()
    draw, key = (storage_view(storage, Layout((), (), at), dtypes.uint64) for at in range(2))
    return draw, key


def require_no_graph(device: Device, where: str, given: str) -> None:
    """Refuse a draw on the host within the block of a graph, whose launches would repeat it."""
    if device.is_recorded:
        fault = f"{given} while a graph is being recorded"
        accepted = "a graph works on the device alone"
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
        raise value_error(where, fault, "they have to be the same where both are given")
    if shapes and broadcast_shapes(shape, *shapes, where=where) != shape:
        fault = f"size is {shape} and the parameters have shapes {', '.join(map(str, shapes))}"
        raise value_error(where, fault, "the parameters have to broadcast to size")
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
        raise refused(OverflowError, where, fault, "a finite difference is accepted")
    if negative and not descending:
        raise value_error(where, "high - low < 0", "low is at most high")
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
            raise value_error(where, wrong, "left, mode, right ascend")


def require_enough(values: Sequence[Parameter], where: str) -> None:
    """Refuse a sample of more than there are good and bad ones."""
    good, bad, wanted = values
    if _any_of(elementwise.less, _combined(elementwise.add, good, bad), wanted):
        raise value_error(where, "ngood + nbad < nsample", "a sample of at most all is accepted")


def require_held(values: Sequence[Parameter], where: str) -> None:
    """Refuse a number of successes and a probability whose failures int64 does not hold."""
    n, p = values
    if _any_of(elementwise.greater, _combined(elementwise.divide, n, p), MOST_MEAN):
        raise value_error(where, "n is too large or p too small", f"n / p is at most {MOST_MEAN}")


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


def integers(
    source: Source, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool, where: str
) -> Any:
    """Draw integers from `low` to `high`, which is included if `endpoint`."""
    row = dtypes.lookup(dtype, where)
    if row.kind not in (*INTEGER, BOOL):
        fault = f"Unsupported dtype {row} for integers"
        raise type_error(where, fault, "integer dtypes and bool are accepted")
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
        return source.sample(
            random.integers_wide, (first, span), size, where, dtype=computed, result=row
        )
    draw = random.integers if spans <= _NARROW else random.integers_wide
    numbers = (int(least) % _WORD, int(spans) % _WORD)
    drawn = source.sample(draw, numbers, size, where, dtype=computed, result=row)
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
            accepted = f"{self.row} holds {self.lowest} to {self.highest}"
            raise value_error(self.where, fault, accepted)

    def require_order(self, wrong: bool) -> None:
        """Refuse bounds that hold no integer."""
        if wrong:
            first = "high" if self.alone else "low"
            sign = ("<" if self.alone else ">") + ("" if self.endpoint else "=")
            second = "0" if self.alone else "high"
            raise value_error(self.where, f"{first} {sign} {second}", "low is below high")


def _on_host(bound: Any, where: str) -> Any:
    """Bounds as exact Python integers, in an array of objects where there are several."""
    if isinstance(bound, int | float):
        return int(bound)
    try:
        return numpy.vectorize(int, otypes=[object])(numpy.asarray(bound, dtype=object))
    except TypeError:
        raise type_error(where, f"a bound is {bound!r}", "integers are accepted") from None


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
    return source.sample(random.integers_wide, (least, span), size, where, dtype=wide, result=row)


def _is_beyond(row: Elementwise, view: View, bound: int) -> bool:
    """Whether an element is less, or greater, than a bound, which its data type may not hold."""
    lowest, highest = _range_of(view.dtype)
    if highest <= bound if row is elementwise.greater else lowest >= bound:
        return False
    limit = constant(bound, view.dtype, (), view.device)
    return bool(reduced(reductions.any, row.combined(view, limit)))


if TYPE_CHECKING:
    import numpy.random

_JUMP: Final = 1 << 48
"""Draws that a jump skips."""


def sequence_of(seed: Any) -> Any:
    """The seed sequence of a seed: an integer, integers, a sequence, or None for the system's."""
    if hasattr(seed, "generate_state"):
        return seed
    # Here and not above: NumPy's module takes as long to import as half of xarr.
    from numpy.random import SeedSequence

    return SeedSequence(plain(seed))


def plain(seed: Any) -> Any:
    """A seed with numbers of the host in place of an Array."""
    return seed.tolist() if isinstance(seed, Array) else seed


class Philox:
    """The device's bit generator: Philox 4x32-10, whose numbers are the same on every device.

    It is what `xarr.random.default_rng` and the functions of `xarr.random` draw with. NumPy's class
    of this name is another algorithm, 4x64.

    seed : int, sequence of int, SeedSequence or None
        What the key is made of; None takes entropy of the operating system.
    counter : int, optional -- How many draws there have been, below 2**64; 0 by default.
    key : int, optional -- The key itself, of 64 bits, in place of a seed.

    Note: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11. A draw has a
    number of its own, and 2**48 elements.

    >>> bits = xarr.random.Philox(7)
    >>> xarr.random.Generator(bits).random(3).shape
    (3,)
    >>> bits.state["state"]["counter"]
    1
    """

    def __init__(self, seed: Any = None, *, counter: Any = None, key: Any = None) -> None:
        if seed is not None and key is not None:
            raise value_error(_WHERE, "seed and key are given", "one of them is accepted")
        self.lock = threading.Lock()
        self._sequence: Any = None if seed is None else sequence_of(seed)
        self._key: int | None = None if key is None else _word(key, "key")
        self._drawn = 0 if counter is None else _word(counter, "counter")
        if self._sequence is not None:
            self._seeded()

    def take(self) -> tuple[int, int]:
        """The number of the next draw, and the key."""
        recorders.drawing(self)
        with self.lock:
            key = self._seeded()
            drawn = self._drawn
            self._drawn = (drawn + 1) % _WORD
        return drawn, key

    def _seeded(self) -> int:
        if self._key is None:
            self._key = int(self.seed_seq.generate_state(1, "uint64")[0])
        return self._key

    @property
    def seed_seq(self) -> Any:
        """The seed sequence that the key is made of."""
        if self._sequence is None:
            self._sequence = sequence_of(None)
        return self._sequence

    # Dask spawns from NumPy's generators by this name of theirs.
    _seed_seq = seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """The key and the number of draws, which can be kept and set."""
        with self.lock:
            state = {"counter": self._drawn, "key": self._seeded()}
        return {"bit_generator": NAME, "state": state}

    @state.setter
    def state(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise type_error("Philox.state", f"the state is {value!r}", "a dict is accepted")
        if value.get("bit_generator") != NAME:
            fault = f"the state is of {value.get('bit_generator')}"
            raise value_error("Philox.state", fault, f"a state of {NAME} is accepted")
        with self.lock:
            self._drawn = _word(value["state"]["counter"], "counter")
            self._key = _word(value["state"]["key"], "key")

    def advance(self, delta: int) -> Philox:
        """Skip draws; return the bit generator itself."""
        with self.lock:
            self._drawn = (self._drawn + operator.index(delta)) % _WORD
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """A new bit generator of the same key, 2**48 draws further for each jump."""
        drawn, key = self.state["state"].values()
        return Philox(counter=(drawn + _JUMP * operator.index(jumps)) % _WORD, key=key)

    def random_raw(self, size: Any = None, lock: bool = True) -> Any:
        """Draw an Array of 64 random bits each, or an int."""
        device = get_device()
        shape = () if size is None else shape_of(size, "random_raw(size)", "size")
        row = dtypes.uint64
        draw, key = _numbered(self.take, device)
        drawn = Array(words_wide.drawn(shape, draw, key, device, row))
        return int(drawn) if size is None else drawn

    def spawn(self, n_children: int) -> list[Philox]:
        """New bit generators, whose keys come of seed sequences that this one's spawns."""
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self.state, "sequence": self._sequence}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.lock = threading.Lock()
        self._sequence = kept["sequence"]
        self.state = kept["state"]

    def __repr__(self) -> str:
        return f"<{NAME} with key {self._seeded():#018x} after {self._drawn} draws>"


NAME: Final = "Philox4x32"
_WHERE: Final = "Philox(seed, counter, key)"


def _word(value: Any, name: str) -> int:
    number = operator.index(plain(value))
    if not 0 <= number < _WORD:
        raise value_error(_WHERE, f"{name} is {number}", "64 bits are accepted")
    return number


def is_of_numpy(bits: Any) -> bool:
    """Whether a bit generator is one of NumPy's, which draw on the host."""
    return not isinstance(bits, Philox) and hasattr(bits, "capsule")


def host_bits(seed: Any) -> numpy.random.BitGenerator:
    """NumPy's default bit generator."""
    from numpy.random import PCG64

    return PCG64(seed if hasattr(seed, "generate_state") else plain(seed))
