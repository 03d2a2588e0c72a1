"""Lower Fourier transforms along an axis to launches of kernels that every device has.

A transform whose length has no prime factor above 7 is a chain of passes (`kernels/fft.c`), each
one launch for all lines of the array. Another length is a convolution with a chirp, Bluestein's
method, of a length that has none. Real lines of even length are transformed as half as many complex
numbers. How a length is cut depends on the length, the data type and whether the lines' elements
are neighbours, never on the device, so the bits are the same everywhere. The first pass takes the
expression of its operand as its input map, unless it reads elements twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count as counts
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout, tuning
from xarr.codegen import launch
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.launch import RESULT, Launch, ScratchBuffer, Table
from xarr.dtypes import DType
from xarr.ir.instructions import RunArguments
from xarr.ir.steps import Step
from xarr.ir.storage import Storage, allocate_or_collect
from xarr.layout import Shape
from xarr.lowering.operations import NAMES, Epilogue, FourierOp, Ref
from xarr.lowering.roots import Numbers, roots
from xarr.lowering.skeleton import Skeleton

if TYPE_CHECKING:
    from xarr.backends.device import Device

_TILE_NBYTES: Final = 1 << 14
"""The bytes of one of a group's two tiles; both fit in OpenCL's least local memory, 32 KiB."""
_LONGEST_COLUMN: Final = 1024
"""The longest line of one pass where its elements are no neighbours: a tile has 16 bytes each."""
_LONGEST_PASS: Final = 512
"""The longest pass of several: of each element a tile has neighbours of 32 bytes."""
_DIRECT: Final = 12
"""Up to 2 to this many roots of unity are read from a table, not multiplied from two."""
_FFT: Final = Skeleton("fft.c", "xr_fft")
_RFFT: Final = Skeleton("rfft.c", "xr_rfft")


@dataclass(frozen=True, slots=True)
class _Lines:
    """All lines of an array along an axis, and what the passes over them share.

    A line has `length` complex numbers; `middle` is half the length, rounded down, of the real line
    that it comes from or goes to. `chirp` is the length of the lines of which these are the
    convolution.
    """

    dtype: DType
    outer: int
    inner: int
    length: int
    middle: int = 0
    inverse: bool = False
    chirp: int = 0

    @property
    def nbytes(self) -> int:
        """The bytes of all lines."""
        return self.outer * self.length * self.inner * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of a pass, in the words of `fft.c`: how elements are fetched and mapped.

    Elements from `given` on are zeros. They are a spec's, or in `work`, the number of the buffer
    that the pass before wrote.
    """

    fetch: str
    given: int
    enter: tuple[str, ...] = ()
    work: int = 0


@dataclass(frozen=True, slots=True)
class _Tail:
    """The end of a pass: how elements are mapped, and how many of a line are kept."""

    result: DType
    kept: int
    leave: tuple[str, ...] = ()
    take: str = "ELEMENT"
    keep: str = "VALUE"

    @property
    def numbers(self) -> int:
        """The count of numbers of a line that are written."""
        return self.kept * (2 if self.keep == "PAIR" else 1)


class _Ends(NamedTuple):
    """The lines of a transform, and how it begins and ends."""

    lines: _Lines
    head: _Head
    tail: _Tail

    def is_wide(self) -> bool:
        """Return whether a pass works on so many numbers that it counts with 64 bits."""
        lines = self.lines
        length = lines.length if _cut(lines) else _convolution_length(lines.length)
        return lines.outer * lines.inner * max(length, self.tail.numbers) >= layout.WIDE


MOST: Final = 6
"""The most numbers that a pass works on, as a multiple of the operand's."""


def is_wide(operation: FourierOp, shape: Shape) -> bool:
    """Return whether a pass works on so many numbers that it counts with 64 bits."""
    return _ends(operation, shape).is_wide()


def lower(
    operation: FourierOp, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
) -> tuple[list[Launch], list[ScratchBuffer]]:
    """Return the launches of a transform, and the memory between them."""
    ends = _ends(operation, shape)
    passes = _Passes(device, spec, ends, wide=operation.wide)
    passes.transform(*ends)
    return passes.launches, passes.scratch


def _ends(operation: FourierOp, shape: Shape) -> _Ends:
    """Return the lines of an operand, and how its transform begins and ends."""
    name, dtype = operation.name, operation.given
    length = shape[operation.axis]
    if name == "rfft":
        return _ends_of_real(operation, shape)
    lines = replace(_lines(shape, operation.axis, length, dtype), inverse=name.startswith("i"))
    if name != "irfft":
        tail = _Tail(dtype, length, ("SCALE", "EXCHANGE"))
        return _Ends(lines, _Head("VALUE", length, ("EXCHANGE",)), tail)
    middle = length - 1
    length, fetch, keep = (2 * middle + 1, "MIRROR", "REAL")
    if not operation.is_odd:
        length, fetch, keep = middle, "TANGLE", "PAIR"
    return _Ends(
        replace(lines, length=length, middle=middle),
        _Head(fetch, length, ("EXCHANGE",)),
        _Tail(dtypes.PART[dtype], length, ("SCALE", "EXCHANGE"), keep=keep),
    )


def _ends_of_real(operation: FourierOp, shape: Shape) -> _Ends:
    """Read an even line of n numbers as n / 2 complex ones (PAIR), parted again at the end.

    An odd line is read as complex numbers. Of both n // 2 + 1 results are kept.
    """
    complex_dtype, axis = operation.result, operation.axis
    length = shape[axis]
    kept, half = length // 2 + 1, length // 2
    if operation.is_odd:
        lines = _lines(shape, axis, length, complex_dtype)
        return _Ends(
            lines, _Head("VALUE", length), _Tail(complex_dtype, kept, ("SCALE", "REAL_FIRST"))
        )
    lines = replace(_lines(shape, axis, half, complex_dtype), middle=half)
    return _Ends(lines, _Head("PAIR", half), _Tail(complex_dtype, kept, ("SCALE",), "UNTANGLED"))


def _lines(shape: Shape, axis: int, length: int, dtype: DType) -> _Lines:
    return _Lines(dtype, math.prod(shape[:axis]), math.prod(shape[axis + 1 :]), length)


class _Passes:
    """The launches of a transform, each of which reads the buffer that the one before wrote.

    They write to two buffers by turns; one is the result's if that has as many bytes.
    """

    def __init__(self, device: Device, spec: KernelSpec, ends: _Ends, *, wide: bool) -> None:
        lines, _, tail = ends
        self._device = device
        self._form: KernelSpec | None = spec
        self._wide = wide
        self._left = len(_cut(lines))
        self._longer = lines
        if not self._left:
            length = _convolution_length(lines.length)
            self._longer = replace(lines, length=length, chirp=lines.length)
            self._left = 2 * len(_cut(self._longer))
        self._untangles = tail.take == "UNTANGLED" and self._left > 1
        self._left += self._untangles
        nbytes = lines.outer * lines.inner * tail.numbers * tail.result.itemsize
        self._targets = [0, RESULT if self._longer.nbytes == nbytes else 1]
        count = min(self._left - 1, len({*self._targets} - {RESULT}))
        self.scratch: list[ScratchBuffer] = [self._longer.nbytes] * count
        self.launches: list[Launch] = []
        self._tables: dict[Any, int] = {}

    def transform(self, lines: _Lines, head: _Head, tail: _Tail) -> None:
        """Add all launches."""
        end = _Tail(lines.dtype, lines.length) if self._untangles else tail
        if self._longer is lines:
            work = self._chain(lines, head, end)
        else:
            longer, length = self._longer, self._longer.length
            product = _Tail(lines.dtype, length, ("CONVOLVE",))
            work = self._chain(longer, replace(head, enter=(*head.enter, "CHIRP")), product)
            convolved = _Head("WORK", length, work=work)
            work = self._chain(longer, convolved, replace(end, leave=("UNCHIRP", *end.leave)))
        if self._untangles:
            self._untangle(lines, work)

    def _chain(self, lines: _Lines, head: _Head, tail: _Tail) -> int:
        """Add the transform of lines of a length that can be cut; return its buffer's number."""
        between = _Tail(lines.dtype, lines.length)
        lengths = _cut(lines)
        before = 1
        for length in lengths[:-1]:
            work = self._pass(lines, before, length, head, between)
            head = _Head("TURNED", lines.length, work=work)
            before *= length
        return self._pass(lines, before, lengths[-1], head, tail)

    def _next(self) -> int:
        """Return the number of the buffer that the next launch writes."""
        self._left -= 1
        return self._targets[(self._left - 1) % 2] if self._left else RESULT

    def _table(self, key: _Key) -> int:
        """Return the number of the buffer of a table."""
        if key not in self._tables:
            self._tables[key] = len(self.scratch)
            device = self._device
            self.scratch.append(Table(_nbytes(key), lambda: _table(device, key).buffer))
        return self._tables[key]

    def _pass(self, lines: _Lines, before: int, length: int, head: _Head, tail: _Tail) -> int:
        """Add one launch of `fft.c`; `before` is the product of the earlier passes' lengths."""
        device, dtype = self._device, lines.dtype
        source, self._form = self._form, None
        span = lines.length // length
        columns = lines.outer * span * lines.inner
        along = span == 1 and _neighbours(source, lines.inner)
        spec = _GroupSpec.of(device, dtype, length)
        tables, shifts = _tables(lines, before, length, head, tail)
        indices = {
            "tiles": -(-columns // spec.columns),
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
        if source is None:
            indices["inner_extent"] = lines.inner
        words = (
            *_type_defines(dtype),
            *spec.defines(dtype),
            f"#define XR_ALONG {int(along)}",
            f"#define XR_KEEP_ALONG {int(lines.inner == 1 and 1 in (before, span))}",
            f"#define XR_SPANS {int(span > 1)}",
            f"#define XR_INNER {int(lines.inner > 1)}",
            f"#define XR_OUTPUTS {length + (tail.take == 'UNTANGLED')}",
            f"#define XR_RESULT {tail.result.storage}",
            _parameters("XR_WORK", dtype, ["work"] if source is None else []),
            _parameters("XR_TABLES", dtype, tables),
            f"#define XR_FETCH XR_FETCH_{head.fetch}",
            f"#define XR_ENTER {' '.join(f'XR_DO_{name}' for name in head.enter)}",
            f"#define XR_TAKE XR_TAKE_{tail.take}",
            f"#define XR_LEAVE {' '.join(f'XR_DO_{name}' for name in tail.leave)}",
            f"#define XR_KEEP XR_KEEP_{tail.keep}",
        )
        part = dtypes.PART[dtype]
        special = (_defines, part if head.fetch == "PAIR" else dtype, words)
        scale = ("scale", part)
        kernel = _FFT.kernel(device, special, tuple(indices), source, [scale], wide=self._wide)
        groups = min(indices["tiles"], device.info.compute_units * tuning.WAVES)
        work = [head.work] if source is None else []
        to = self._next()
        scratch = (*work, *[self._table(key) for key in tables.values()], to)
        numbers = tuple(indices.values())
        grid = ((groups,), (spec.items,))
        takes_spec = source is not None
        self.launches.append(
            Launch(kernel, grid, columns * length, numbers, scratch, takes_spec, takes_numbers=True)
        )
        return to

    def _untangle(self, lines: _Lines, pairs: int) -> None:
        """Add the launch that makes the spectra of real lines from those of their pairs."""
        device, dtype, middle = self._device, lines.dtype, lines.length
        steps = middle // 2 + 1
        key, shift = _powers(dtype, 2 * middle)
        indices = {
            "items": lines.outer * steps * lines.inner,
            "steps": steps,
            "middle": middle,
            "half_shift": shift,
            "inner_extent": lines.inner,
        }
        scale, special = ("scale", dtypes.PART[dtype]), (_type_defines, dtype)
        kernel = _RFFT.kernel(device, special, tuple(indices), None, [scale], wide=self._wide)
        group = min(tuning.GROUP, device.info.group_size)
        groups = min(-(-indices["items"] // group), device.info.compute_units * tuning.WAVES)
        grid = ((groups,), (group,))
        elements = lines.outer * (middle + 1) * lines.inner
        scratch = (pairs, self._table(key), self._next())
        numbers = tuple(indices.values())
        self.launches.append(
            Launch(kernel, grid, elements, numbers, scratch, takes_spec=False, takes_numbers=True)
        )


def _defines(value: DType, lines: tuple[str, ...], spec: KernelSpec | None = None) -> list[str]:
    """Return the defines of `fft.c`; elements of an expression are converted to `value`."""
    if spec is None:
        return [*lines, "#define XR_POINTERS(parameter)", "#define XR_AT_OUTER"]
    return [*lines, f"#define XR_VALUE {spec.value(value)}"]


@dataclass(frozen=True, slots=True)
class _GroupSpec:
    """The group of a pass: its columns and items. No bits depend on it."""

    length: int
    columns: int
    items: int

    @classmethod
    def of(cls, device: Device, dtype: DType, length: int) -> _GroupSpec:
        """Choose the group for a device."""
        info = device.info
        elements = min(_TILE_NBYTES, info.local_nbytes // 2) // dtype.itemsize
        columns = min(
            _power_below(elements // length),
            tuning.TRANSFORM_COLUMNS,
            _power_below(info.group_size),
        )
        items = min(_power_below(info.group_size), tuning.GROUP)
        while items > max(columns, 32) and items * 4 >= length * columns:
            items //= 2
        return cls(length, columns, max(items, columns))

    def defines(self, dtype: DType) -> list[str]:
        """Return the defines of a pass over columns of this length."""
        launches = []
        before = 1
        for number, radix in enumerate(_radices(self.length)):
            tiles = ("tile0, tile1", "tile1, tile0")[number % 2]
            launches.append(f"XR_STAGE({radix}, {before}, xr_dft{radix}_{dtype.compute}, {tiles})")
            before *= radix
        return [
            f"#define XR_LENGTH {self.length}",
            f"#define XR_COLUMNS {self.columns}",
            f"#define XR_ITEMS {self.items}",
            f"#define XR_ROOM {-(-self.length * self.columns // 16) * 16}",
            f"#define XR_STAGES {' '.join(launches)}",
            f"#define XR_FINAL tile{len(launches) % 2}",
        ]


def _power_below(bound: int) -> int:
    """Return the largest power of two up to a bound, at least 1."""
    return 1 << max(bound, 1).bit_length() - 1


def _neighbours(spec: KernelSpec | None, inner: int) -> bool:
    """Return whether the elements of a line, rather than lines, are neighbours in memory."""
    if inner == 1:
        return True
    if spec is None:
        return False
    loads = len(spec.accesses) - len(spec.stored)
    walks = [
        (along, across)
        for (slot, *_), (_, along, across) in zip(spec.accesses[:loads], spec.strides, strict=False)
        if slot >= 0 and any((*along, *across))
    ]
    return bool(walks) and all(
        abs(along[-1] if along else 0) < min(map(abs, across)) for along, across in walks
    )


def _type_defines(dtype: DType) -> list[str]:
    return [
        f"#define XR_COMPLEX {dtype.compute}",
        f"#define XR_MULTIPLY xr_multiply_{dtype.compute}",
        f"#define XR_EXCHANGE xr_exchange_{dtype.compute}",
    ]


def _parameters(name: str, dtype: DType, names: Iterable[str]) -> str:
    """Return the define of a kernel's parameters that are arrays of complex numbers."""
    listed = [f"parameter(GLOBAL const {dtype.storage} *RESTRICT, {given})" for given in names]
    return f"#define {name}(parameter) {' '.join(listed)}"


def _tables(
    lines: _Lines, before: int, length: int, head: _Head, tail: _Tail
) -> tuple[dict[str, _Key], dict[str, int]]:
    """Return the tables that a pass reads, by parameter, and the numbers that go with them."""
    dtype = lines.dtype
    tables = {"roots": _Key("roots", dtype, length)}
    shifts = {"twiddle_shift": 0, "half_shift": 0}
    if head.fetch == "TURNED":
        tables["twiddles"], shifts["twiddle_shift"] = _powers(dtype, before * length)
    if head.fetch == "TANGLE" or tail.take == "UNTANGLED":
        tables["halves"], shifts["half_shift"] = _powers(dtype, 2 * lines.middle)
    if lines.chirp:
        tables["chirp"] = _Key("chirp", dtype, lines.chirp)
        tables["spectrum"] = _Key("spectrum", dtype, lines.chirp)
    return tables, shifts


def _cut(lines: _Lines) -> tuple[int, ...]:
    """Return the lengths of the passes over lines; () where one has a prime factor above 7."""
    longest = _TILE_NBYTES // lines.dtype.itemsize
    return _cut_length(lines.length, longest if lines.inner == 1 else min(longest, _LONGEST_COLUMN))


def is_direct(length: int) -> bool:
    """Return whether a length has no prime factor above 7, so that no convolution is needed."""
    for prime in (2, 3, 5, 7):
        while length % prime == 0:
            length //= prime
    return length == 1


def _cut_length(length: int, longest: int) -> tuple[int, ...]:
    if not is_direct(length):
        return ()
    if length <= longest:
        return (length,)
    divisors = [part for part in range(2, _LONGEST_PASS + 1) if length % part == 0]
    return next(filter(None, (_split(length, count, tuple(divisors)) for count in counts(2))))


def _split(length: int, count: int, divisors: tuple[int, ...]) -> tuple[int, ...]:
    """Return the most even cut into `count` divisors, largest first; () where there is none."""
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
    """Return the lengths of the butterflies of a pass."""
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
    """Return the least 2**k or 3 * 2**k that is at least 2 * length - 1."""
    power = 1 << (2 * length - 2).bit_length()
    return power * 3 // 4 if power * 3 // 4 >= 2 * length - 1 else power


class _Key(NamedTuple):
    """A table: roots of unity, their powers, a chirp, or the spectrum of its conjugate."""

    kind: str
    dtype: DType
    length: int


def _powers(dtype: DType, length: int) -> tuple[_Key, int]:
    """Return the table of `xr_root` in `roots.h` for exp(-2 pi i e / length), and its shift."""
    return _Key("powers", dtype, length), _shift(length)


def _shift(length: int) -> int:
    bits = (length - 1).bit_length()
    return min(bits, max(_DIRECT, (bits + 1) // 2))


def _nbytes(key: _Key) -> int:
    """Count the bytes of a table."""
    kind, dtype, count = key
    if kind == "powers":
        block = 1 << _shift(count)
        count = block + -(-count // block)
    elif kind == "spectrum":
        count = _convolution_length(count)
    return count * dtype.itemsize


def _table(device: Device, key: _Key) -> Storage:
    """Return a device's table; make it if it is not cached, and drop those used longest ago."""
    tables: dict[_Key, Storage] = device.kernels.setdefault("tables of Fourier transforms", {})
    if key in tables:
        tables[key] = table = tables.pop(key)
        return table
    tables[key] = table = _upload_table(device, key)
    nbytes = sum(storage.nbytes for storage in tables.values())
    while len(tables) > 1 and (len(tables) > tuning.TABLES or nbytes > tuning.TABLES_NBYTES):
        nbytes -= tables.pop(next(iter(tables))).nbytes
    return table


def _upload_table(device: Device, key: _Key) -> Storage:
    """Compute a table and put it into the device's memory."""
    kind, dtype, length = key
    if kind == "spectrum":
        return _spectrum(device, dtype, length)
    if kind == "roots":
        values = roots(numpy.arange(length), length)
    elif kind == "powers":
        block = 1 << _shift(length)
        fine, coarse = numpy.arange(block), numpy.arange(0, length, block)
        values = roots(numpy.concatenate((fine, coarse)), length)
    else:
        values = _chirp(length)
    return _upload(device, values, dtype)


def _chirp(length: int) -> Numbers:
    """Return the chirp exp(-pi i k k / length)."""
    places = numpy.arange(length, dtype=numpy.int64)
    return roots(places * places % (2 * length), 2 * length)


def _spectrum(device: Device, dtype: DType, chirp: int) -> Storage:
    """Transform a chirp's conjugate over the length of the convolution with it."""
    length = _convolution_length(chirp)
    around = numpy.zeros(length, numpy.complex128)
    around[:chirp] = _chirp(chirp).conj()
    around[length - chirp + 1 :] = around[chirp - 1 : 0 : -1]
    given = _upload(device, around, dtype)
    ends = _ends(FourierOp("fft", dtype, 0, False, False), (length,))
    access = (0, dtype, (length,), (1,), ())
    spec = KernelSpec((length,), (0, 1), NAMES, ends.is_wide(), (dtype,), (access,), (), (0,))
    passes = _Passes(device, spec, ends, wide=spec.wide)
    passes.transform(*ends)
    result = Storage(device, given.nbytes, allocate_or_collect(device, given.nbytes))
    call = Step(
        launches=launch.with_spec(passes.launches, spec),
        scratch=passes.scratch,
        specs=[spec],
        pointers=[0],
        results=[Ref(1, dtype, layout.contiguous((length,)).pattern, 0)],
        offsets=[(0, 0)],
        numbers=[0],
    )
    call.run(device, RunArguments([given, result], [0, 0], [1.0 / length], []), [])
    return result


def _upload(device: Device, values: Numbers, dtype: DType) -> Storage:
    nbytes = values.size * dtype.itemsize
    storage = Storage(device, nbytes, allocate_or_collect(device, nbytes))
    device.driver.upload(storage.buffer, 0, values.astype(dtype.numpy))
    return storage
