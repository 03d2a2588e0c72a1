"""Fourier transforms along an axis, as launches of kernels that every device has.

A transform whose length has no prime factor above 7 is a chain of passes (`kernels/fft.c`), each
one launch for all lines of the array. Another length is a convolution with a chirp, Bluestein's
method, of a length that has none. Real lines of even length are transformed as half as many complex
numbers. How a length is cut depends on the length, the data type and whether the lines' elements
are neighbours, never on the device, so the bits are the same everywhere. The first pass takes a
pending operand as its input map.

This module knows nodes, axes and lengths. Names of norms, cutting and padding, and several axes are
the concern of whoever calls it, and so is that there are elements to transform.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, layout
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.expression import Node, leaf
from xarr.engine.launch import Skeleton
from xarr.engine.plan import Form
from xarr.engine.storage import Storage

if TYPE_CHECKING:
    from xarr.backends.device import Device

_Numbers = numpy.ndarray[Any, numpy.dtype[Any]]

_TILE_NBYTES: Final = 1 << 14
"""Of one of a group's two tiles: both fit in the 32 KiB of local memory that OpenCL promises."""
_LONGEST_COLUMN: Final = 1024
"""The longest line of one pass where its elements are no neighbours: a tile has 16 bytes each."""
_LONGEST_PASS: Final = 512
"""The longest pass of several: of each element a tile has neighbours of 32 bytes."""
_COLUMNS: Final = 64
_DIRECT: Final = 12
"""Up to 2 to this many roots of unity are read from a table, not multiplied from two."""
_TABLES: Final = 64
_TABLES_NBYTES: Final = 1 << 25
_FFT: Final = Skeleton("fft.c", "xr_fft", "scale")
_RFFT: Final = Skeleton("rfft.c", "xr_rfft", "scale")


def fft(node: Node, axis: int, *, inverse: bool, scale: float) -> Node:
    """The discrete Fourier transform of a complex node along an axis, times `scale`; a leaf."""
    dtype, length = node.dtype, node.shape[axis]
    with node.device.lock:
        lines = replace(_lines(node, axis, length, dtype), inverse=inverse)
        head = _Head("VALUE", length, ("EXCHANGE",), node=node, axis=axis)
        tail = _Tail(dtype, length, ("SCALE", "EXCHANGE"), scale=scale)
        return _result(_transform(lines, head, tail), node, axis, length, dtype)


def rfft(node: Node, axis: int, *, scale: float) -> Node:
    """The first n // 2 + 1 elements of the transform of a real node, times `scale`; a leaf.

    n is the extent of the axis.
    """
    dtype, length = dtypes.COMPLEX_OF[node.dtype], node.shape[axis]
    kept = length // 2 + 1
    with node.device.lock:
        if length % 2:
            lines = _lines(node, axis, length, dtype)
            head = _Head("VALUE", length, node=node, axis=axis)
            tail = _Tail(dtype, kept, ("SCALE", "REAL_FIRST"), scale=scale)
            return _result(_transform(lines, head, tail), node, axis, kept, dtype)
        lines = replace(_lines(node, axis, length // 2, dtype), middle=length // 2)
        head = _Head("PAIR", lines.length, node=node, axis=axis)
        if len(_cut(lines)) == 1:
            tail = _Tail(dtype, kept, ("SCALE",), take="UNTANGLED", scale=scale / 2)
            storage = _transform(lines, head, tail)
        else:
            pairs = _transform(lines, head, _Tail(dtype, lines.length))
            storage = _untangled(lines, pairs, scale / 2)
        return _result(storage, node, axis, kept, dtype)


def irfft(node: Node, axis: int, n: int, *, scale: float) -> Node:
    """The sums that take a spectrum of n // 2 + 1 elements back to n real ones, times `scale`.

    The inverse of `rfft` where the scales have the product 1 / n; a leaf. The imaginary part of
    the first element is ignored, and that of the last where n is even.
    """
    dtype = dtypes.PART[node.dtype]
    with node.device.lock:
        engine.compute(node)  # elements are read twice
        length, fetch, keep = (n, "MIRROR", "REAL") if n % 2 else (n // 2, "TANGLE", "PAIR")
        lines = replace(_lines(node, axis, length, node.dtype), middle=n // 2, inverse=True)
        head = _Head(fetch, length, ("EXCHANGE",), node=node, axis=axis)
        tail = _Tail(dtype, length, ("SCALE", "EXCHANGE"), keep=keep, scale=scale)
        return _result(_transform(lines, head, tail), node, axis, n, dtype)


def _lines(node: Node, axis: int, length: int, dtype: DType) -> _Lines:
    outer, inner = math.prod(node.shape[:axis]), math.prod(node.shape[axis + 1 :])
    return _Lines(node.device, dtype, outer, inner, length)


def _result(storage: Storage, node: Node, axis: int, length: int, dtype: DType) -> Node:
    shape = (*node.shape[:axis], length, *node.shape[axis + 1 :])
    return leaf(storage, layout.contiguous(shape), dtype)


@dataclass(frozen=True, slots=True)
class _Lines:
    """All lines of an array along an axis, and what the passes over them share.

    A line has `length` complex numbers; `middle` is half the length, rounded down, of the real line
    that it comes from or goes to. `factors` are the tables of a convolution.
    """

    device: Device
    dtype: DType
    outer: int
    inner: int
    length: int
    middle: int = 0
    inverse: bool = False
    factors: tuple[tuple[str, Storage], ...] = ()


@dataclass(frozen=True, slots=True)
class _Head:
    """How a pass begins, in the words of `fft.c`: what is fetched, and what becomes of it.

    Elements from `given` on are zeros. They come from a node, or from `work`, where the pass
    before has left them.
    """

    fetch: str
    given: int
    enter: tuple[str, ...] = ()
    node: Node | None = None
    axis: int = 0
    work: Storage | None = None


@dataclass(frozen=True, slots=True)
class _Tail:
    """How a pass ends: what becomes of an element, and how many of a line are kept."""

    result: DType
    kept: int
    leave: tuple[str, ...] = ()
    take: str = "ELEMENT"
    keep: str = "VALUE"
    scale: float = 1.0


def _transform(lines: _Lines, head: _Head, tail: _Tail) -> Storage:
    """The transform of all lines, in a new storage."""
    if _cut(lines):
        return _chain(lines, head, tail)
    length = _convolution_length(lines.length)
    factors = _factors(lines.device, lines.dtype, lines.length, length)
    longer = replace(lines, length=length, factors=factors)
    product = _Tail(lines.dtype, length, ("CONVOLVE",))
    spectrum = _chain(longer, replace(head, enter=(*head.enter, "CHIRP")), product)
    convolved = _Head("WORK", length, work=spectrum)
    return _chain(longer, convolved, replace(tail, leave=("UNCHIRP", *tail.leave)))


def _chain(lines: _Lines, head: _Head, tail: _Tail) -> Storage:
    """The transform of lines of a length that can be cut."""
    between = _Tail(lines.dtype, lines.length)
    lengths = _cut(lines)
    before = 1
    for length in lengths[:-1]:
        work = _pass(lines, before, length, head, between)
        head = _Head("TURNED", lines.length, work=work)
        before *= length
    return _pass(lines, before, lengths[-1], head, tail)


def _pass(lines: _Lines, before: int, length: int, head: _Head, tail: _Tail) -> Storage:
    """One launch of `fft.c`; `before` is the product of the lengths of the passes before."""
    device, dtype = lines.device, lines.dtype
    parts = 2 if tail.keep == "PAIR" else 1
    size = lines.outer * tail.kept * parts * lines.inner
    result = engine.allocate(device, size * tail.result.itemsize)
    if size == 0:
        return result
    span = lines.length // length
    columns = lines.outer * span * lines.inner
    along = span == 1 and _neighbours(head, lines)
    form = _Form.of(device, dtype, length)
    tables, shifts = _tables(lines, before, length, head, tail)
    indices = {
        "tiles": -(-columns // form.columns),
        "columns": columns,
        "span": span,
        "done": before,
        "length": lines.length,
        "given": head.given,
        "kept": tail.kept,
        "middle": lines.middle,
        "inverse": int(lines.inverse),
        **shifts,
    }
    work = {} if head.work is None else {"work": head.work}
    source = None
    if head.node is None:
        indices["inner_extent"] = lines.inner
    else:
        source = (head.node, (head.axis, head.axis + 1))
    words = (
        *_type_defines(dtype),
        *form.defines(dtype),
        f"#define XR_ALONG {int(along)}",
        f"#define XR_KEEP_ALONG {int(lines.inner == 1 and 1 in (before, span))}",
        f"#define XR_SPANS {int(span > 1)}",
        f"#define XR_INNER {int(lines.inner > 1)}",
        f"#define XR_OUTPUTS {length + (tail.take == 'UNTANGLED')}",
        f"#define XR_RESULT {tail.result.storage}",
        _parameters("XR_WORK", dtype, work),
        _parameters("XR_TABLES", dtype, tables),
        f"#define XR_FETCH XR_FETCH_{head.fetch}",
        f"#define XR_ENTER {' '.join(f'XR_DO_{name}' for name in head.enter)}",
        f"#define XR_TAKE XR_TAKE_{tail.take}",
        f"#define XR_LEAVE {' '.join(f'XR_DO_{name}' for name in tail.leave)}",
        f"#define XR_KEEP XR_KEEP_{tail.keep}",
    )
    part = dtypes.PART[dtype]
    wide = max(size, columns * length) >= layout.WIDE
    storages = [*work.values(), *tables.values(), result]
    groups = min(indices["tiles"], device.info.compute_units * engine.WAVES)
    special = (_defines, part if head.fetch == "PAIR" else dtype, words)
    grid = ((groups,), (form.items,))
    _FFT.launch(special, grid, indices, storages, wide, (part, tail.scale), source)
    return result


def _defines(value: DType, lines: tuple[str, ...], form: Form | None = None) -> list[str]:
    """The defines of `fft.c`; elements of an expression are converted to `value`."""
    if form is None:
        return [*lines, "#define XR_POINTERS(parameter)", "#define XR_AT_OUTER"]
    return [*lines, f"#define XR_VALUE {form.value(value)}"]


def _untangled(lines: _Lines, pairs: Storage, scale: float) -> Storage:
    """The spectra of real lines from those of their pairs."""
    device, dtype = lines.device, lines.dtype
    middle = lines.length
    size = lines.outer * (middle + 1) * lines.inner
    result = engine.allocate(device, size * dtype.itemsize)
    if size == 0:
        return result
    halves, shift = _powers(device, dtype, 2 * middle)
    steps = middle // 2 + 1
    indices = {
        "items": lines.outer * steps * lines.inner,
        "steps": steps,
        "middle": middle,
        "half_shift": shift,
        "inner_extent": lines.inner,
    }
    storages = (pairs, halves, result)
    number = (dtypes.PART[dtype], scale)
    group = min(engine.GROUP, device.info.group_size)
    groups = min(-(-indices["items"] // group), device.info.compute_units * engine.WAVES)
    grid = ((groups,), (group,))
    _RFFT.launch((_type_defines, dtype), grid, indices, storages, size >= layout.WIDE, number)
    return result


@dataclass(frozen=True, slots=True)
class _Form:
    """How a group makes a pass: columns at a time and items. No bits depend on it."""

    length: int
    columns: int
    items: int

    @classmethod
    def of(cls, device: Device, dtype: DType, length: int) -> _Form:
        """The form that fits a device."""
        info = device.info
        room = min(_TILE_NBYTES, info.local_nbytes // 2) // dtype.itemsize
        columns = min(_power_below(room // length), _COLUMNS, _power_below(info.group_size))
        items = min(_power_below(info.group_size), engine.GROUP)
        while items > max(columns, 32) and items * 4 >= length * columns:
            items //= 2
        return cls(length, columns, max(items, columns))

    def defines(self, dtype: DType) -> list[str]:
        """The defines of a pass over columns of this length."""
        stages = []
        before = 1
        for number, radix in enumerate(_radices(self.length)):
            tiles = ("tile0, tile1", "tile1, tile0")[number % 2]
            stages.append(f"XR_STAGE({radix}, {before}, xr_dft{radix}_{dtype.compute}, {tiles})")
            before *= radix
        return [
            f"#define XR_LENGTH {self.length}",
            f"#define XR_COLUMNS {self.columns}",
            f"#define XR_ITEMS {self.items}",
            f"#define XR_ROOM {-(-self.length * self.columns // 16) * 16}",
            f"#define XR_STAGES {' '.join(stages)}",
            f"#define XR_FINAL tile{len(stages) % 2}",
        ]


def _power_below(bound: int) -> int:
    """The largest power of two up to a bound, at least 1."""
    return 1 << max(bound, 1).bit_length() - 1


def _neighbours(head: _Head, lines: _Lines) -> bool:
    """Whether the elements of a line, rather than lines, lie next to each other."""
    if lines.inner == 1:
        return True
    where = None if head.node is None else head.node.layout
    if where is None:
        return False
    beyond = range(head.axis + 1, len(where.shape))
    steps = [abs(where.strides[axis]) for axis in beyond if where.shape[axis] > 1]
    return abs(where.strides[head.axis]) < min(steps)


def _type_defines(dtype: DType) -> list[str]:
    return [
        f"#define XR_COMPLEX {dtype.compute}",
        f"#define XR_MULTIPLY xr_multiply_{dtype.compute}",
        f"#define XR_EXCHANGE xr_exchange_{dtype.compute}",
    ]


def _parameters(name: str, dtype: DType, storages: dict[str, Storage]) -> str:
    """The define of a kernel's parameters that are tables of complex numbers."""
    listed = [f"GLOBAL const {dtype.storage} *RESTRICT {table}," for table in storages]
    return f"#define {name} {' '.join(listed)}"


def _tables(
    lines: _Lines, before: int, length: int, head: _Head, tail: _Tail
) -> tuple[dict[str, Storage], dict[str, int]]:
    """The tables that a pass reads, by parameter, and the numbers that go with them."""
    device, dtype = lines.device, lines.dtype
    tables = {"roots": _roots_table(device, dtype, length)}
    shifts = {"twiddle_shift": 0, "half_shift": 0}
    if head.fetch == "TURNED":
        tables["twiddles"], shifts["twiddle_shift"] = _powers(device, dtype, before * length)
    if head.fetch == "TANGLE" or tail.take == "UNTANGLED":
        tables["halves"], shifts["half_shift"] = _powers(device, dtype, 2 * lines.middle)
    return tables | dict(lines.factors), shifts


def _cut(lines: _Lines) -> tuple[int, ...]:
    """The lengths of the passes over lines; none where a prime factor of theirs is above 7."""
    nearby = lines.inner == 1
    longest = _TILE_NBYTES // lines.dtype.itemsize
    return _cut_length(lines.length, longest if nearby else min(longest, _LONGEST_COLUMN))


@functools.lru_cache(maxsize=1024)
def _cut_length(length: int, longest: int) -> tuple[int, ...]:
    rest = length
    for prime in (2, 3, 5, 7):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return ()
    if length <= longest:
        return (length,)
    divisors = [part for part in range(2, _LONGEST_PASS + 1) if length % part == 0]
    count = 2
    while True:
        found = _split(length, count, tuple(divisors))
        if found:
            return found
        count += 1


def _split(length: int, count: int, divisors: tuple[int, ...]) -> tuple[int, ...]:
    """The most even cut into `count` divisors, largest first; () where there is none."""
    if count == 1:
        return (length,) if length in divisors else ()
    best: tuple[int, ...] = ()
    for part in divisors:
        if part**count >= length and length % part == 0:
            usable = tuple(other for other in divisors if other <= part)
            rest = _split(length // part, count - 1, usable)
            if rest and (not best or part < best[0]):
                best = (part, *rest)
    return best


def _radices(length: int) -> list[int]:
    """The lengths of the butterflies of a pass."""
    twos = (length & -length).bit_length() - 1
    eights, left = divmod(twos, 3)
    if left == 1 and eights:
        radices = [8] * (eights - 1) + [4, 4]
    else:
        radices = [8] * eights + [2**left] * (left > 0)
    rest = length >> twos
    for prime in (3, 5, 7):
        while rest % prime == 0:
            radices.append(prime)
            rest //= prime
    return radices


def _convolution_length(length: int) -> int:
    """2 to a power, or 3 times that, at least 2 * length - 1."""
    power = 1 << (2 * length - 2).bit_length()
    return power * 3 // 4 if power * 3 // 4 >= 2 * length - 1 else power


def _roots_table(device: Device, dtype: DType, length: int) -> Storage:
    """All roots of unity of an order, exp(-2 pi i k / length)."""
    return _kept(
        device,
        ("roots", length, dtype),
        lambda: _uploaded(device, roots(numpy.arange(length), length), dtype),
    )


def _powers(device: Device, dtype: DType, length: int) -> tuple[Storage, int]:
    """The table of `xr_root` in `roots.h` for exp(-2 pi i e / length), and its shift."""
    bits = (length - 1).bit_length()
    shift = min(bits, max(_DIRECT, (bits + 1) // 2))
    block = 1 << shift

    def made() -> Storage:
        fine = numpy.arange(block)
        coarse = numpy.arange(0, length, block)
        return _uploaded(device, roots(numpy.concatenate((fine, coarse)), length), dtype)

    return _kept(device, ("powers", length, dtype), made), shift


def _factors(
    device: Device, dtype: DType, chirp: int, length: int
) -> tuple[tuple[str, Storage], ...]:
    """The chirp exp(-pi i k k / chirp), and the spectrum of its conjugate over `length`."""
    places = numpy.arange(chirp, dtype=numpy.int64)

    def values() -> _Numbers:
        return roots(places * places % (2 * chirp), 2 * chirp)

    def spectrum() -> Storage:
        around = numpy.zeros(length, numpy.complex128)
        around[:chirp] = values().conj()
        around[length - chirp + 1 :] = around[chirp - 1 : 0 : -1]
        node = leaf(_uploaded(device, around, dtype), layout.contiguous((length,)), dtype)
        storage = fft(node, 0, inverse=False, scale=1.0 / length).storage
        assert storage is not None
        return storage

    return (
        (
            "chirp",
            _kept(device, ("chirp", chirp, dtype), lambda: _uploaded(device, values(), dtype)),
        ),
        ("spectrum", _kept(device, ("spectrum", chirp, dtype), spectrum)),
    )


def _uploaded(device: Device, values: _Numbers, dtype: DType) -> Storage:
    storage = engine.allocate(device, values.size * dtype.itemsize)
    device.driver.upload(storage.buffer, 0, values.astype(dtype.numpy))
    return storage


def _kept(device: Device, key: Any, made: Callable[[], Storage]) -> Storage:
    """A table of the device, made where it is not kept; those not used for longest are let go."""
    tables: dict[Any, Storage] = device.kernels.setdefault(_KEPT, {})
    found = tables.pop(key, None)
    table = made() if found is None else found
    tables[key] = table
    if found is None:
        held = sum(storage.nbytes for storage in tables.values())
        while len(tables) > 1 and (len(tables) > _TABLES or held > _TABLES_NBYTES):
            held -= tables.pop(next(iter(tables))).nbytes
    return table


_KEPT: Final = "tables of Fourier transforms"


def roots(powers: _Numbers, order: int) -> _Numbers:
    """exp(-2 pi i p / order) for integers 0 <= p < order, as complex128 with errors below 1 ulp.

    In additions and multiplications only, so that the bits do not depend on the host's library.
    The angle is brought to an eighth of a turn in integers, so the multiples of that are exact.
    """
    powers = numpy.asarray(powers, numpy.int64)
    octant, rest = numpy.divmod(8 * powers, order)
    backwards = octant % 2 == 1
    cosine, sine = _first_octant(numpy.where(backwards, order - rest, rest), order)
    swapped = (octant + 1) // 2 % 2 == 1
    result = numpy.empty(powers.shape, numpy.complex128)
    result.real = numpy.where(swapped, sine, cosine)
    result.imag = -numpy.where(swapped, cosine, sine)
    result.real[(octant >= 2) & (octant <= 5)] *= -1
    result.imag[octant >= 4] *= -1
    return result


_QUARTER_PI: Final = (0.7853981633974483, 3.061616997868383e-17)
"""A quarter of pi as the sum of two numbers."""


def _first_octant(numerator: _Numbers, order: int) -> tuple[_Numbers, _Numbers]:
    """Cosine and sine of pi / 4 * numerator / order, where 0 <= numerator <= order."""
    ratio = numerator / order
    product, error = _product(ratio, float(order))
    missing = ((numerator - product) - error) / order
    angle, tail = _product(ratio, _QUARTER_PI[0])
    tail = tail + (ratio * _QUARTER_PI[1] + missing * _QUARTER_PI[0])
    square = angle * angle
    series = numpy.zeros_like(angle)
    for degree in (17, 15, 13, 11, 9, 7, 5, 3):
        series = (-1) ** (degree // 2) / math.factorial(degree) + square * series
    sine = angle + (angle * (square * series) + tail * (1 - square / 2))
    series = numpy.zeros_like(angle)
    for degree in (18, 16, 14, 12, 10, 8, 6, 4):
        series = (-1) ** (degree // 2) / math.factorial(degree) + square * series
    high = 1 - square / 2
    low = (1 - high) - square / 2
    cosine = high + (low + (square * square * series - angle * tail))
    diagonal = numerator == order
    half_root = math.sqrt(0.5)
    return numpy.where(diagonal, half_root, cosine), numpy.where(diagonal, half_root, sine)


def _product(first: _Numbers, second: float) -> tuple[_Numbers, _Numbers]:
    """The product as rounded, and the error of that, exactly (T. J. Dekker, 1971)."""
    result = first * second
    high1, low1 = _halves(first)
    high2, low2 = _halves(numpy.float64(second))
    error = ((high1 * high2 - result) + high1 * low2 + low1 * high2) + low1 * low2
    return result, error


def _halves(value: Any) -> tuple[Any, Any]:
    """A number as the sum of two of 26 bits each."""
    scaled = value * 134217729.0
    high = scaled - (scaled - value)
    return high, value - high
