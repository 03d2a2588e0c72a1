"""NVIDIA's libraries (cuBLAS, cuFFT, cuSOLVER) on the memory of a device without CuPy's arrays.

nvmath-python's bindings take addresses. The libraries read matrices by columns, so what lies here
by rows is to them the transpose; each function says how it makes use of that. Work goes to the
driver's current stream, and what is needed meanwhile comes from the driver's memory.

A routine takes its operands and, as `out`, the arrays of all results, which it fills. What nvmath
or a library lacks, kernels of xarr's or the host compute. nvmath is imported at first use.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr.errors import message

if TYPE_CHECKING:
    from xarr.backends.cuda import CudaDriver

LinAlgError = numpy.linalg.LinAlgError
Integers = tuple[int, ...]

_LETTERS: Final = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""What the names of the libraries' functions begin with, by a data type's character."""
_REAL: Final = {"f": "f", "d": "d", "F": "f", "D": "d"}
_WORKSPACE_NBYTES: Final = 1 << 25
"""What NVIDIA recommends for cuBLAS since Hopper. With cuBLAS' own workspaces the bits of a product
could depend on what other streams do."""
_PLANS: Final = 32
"""How many plans of cuFFT's are kept; they own memory of the device."""
_PITCH: Final = (1 << 31) - 1
"""The most bytes between the rows of a two-dimensional copy."""
_NORMS: Final = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """Elements in a device's memory, as `library.array_of` makes them of a buffer's bytes.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    data : int
        The address of the first element.
    strides : tuple of int
        In bytes.
    """

    shape: Integers
    dtype: numpy.dtype[Any]
    data: int = 0
    strides: Integers = ()

    @property
    def steps(self) -> Integers:
        """The strides in elements."""
        return tuple(stride // self.dtype.itemsize for stride in self.strides)


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of the libraries for one device.

    Parameters
    ----------
    library : Library
        Of the device.
    function : callable
        Takes a `_Work`, the operands and the results, then NumPy's options by name.
    takes : callable
        Whether an operand may have a shape and strides, in elements.
    """

    library: Library
    function: Callable[..., None]
    takes: Callable[[Integers, Integers], bool]

    def __call__(self, *operands: DeviceArray, out: Sequence[DeviceArray], **options: Any) -> None:
        """Fill the results; MemoryError where the library finds no room, also after a clearing."""
        driver = self.library.driver
        for attempt in (1, 2):
            try:
                with _working(self.library) as work:
                    self.function(work, *operands, *out, **options)
                return
            except _errors() as error:
                kind = MemoryError if "ALLOC_FAILED" in str(error) else RuntimeError
                if kind is RuntimeError or attempt == 2:
                    where = f"{driver.info.backend}:{driver.info.index}"
                    text = f"{driver.info.name} failed: {type(error).__name__}: {error}"
                    raise kind(message(where, text, "")) from error
            # The libraries allocate beside the pool, which may hold what they need.
            driver.synchronize()
            driver.release_memory()


class Plan(NamedTuple):
    """A transform of cuFFT's, all of it in elements: what it is looked up by.

    `kind` is "C2C", "R2C" or "C2R", in double precision "Z2Z", "D2Z" or "Z2D". Of the operand and
    the result, `embed` is the shape in which a signal lies, `step` the distance of its neighbours
    along the last axis, `distance` that of one signal from the next.
    """

    kind: str
    lengths: Integers
    given_embed: Integers
    given_step: int
    given_distance: int
    made_embed: Integers
    made_step: int
    made_distance: int
    batch: int


class Library:
    """The handles and plans of one device, and the functions that use them."""

    def __init__(self, driver: CudaDriver) -> None:
        self.driver = driver
        self._handles: dict[str, int] = {}
        self._plans: dict[Plan, tuple[int, int]] = {}
        self._routines: dict[tuple[str, str], Routine | None] = {}

    def routine(self, name: str, dtype: numpy.dtype[Any]) -> Routine | None:
        """The function that NumPy calls `name`, as "fft.rfft", for operands of a data type.

        None where no library has it, or where its library is not there.
        """
        key = name, dtype.char
        if key not in self._routines:
            self._routines[key] = self._routine(*key)
        return self._routines[key]

    def _routine(self, name: str, char: str) -> Routine | None:
        if char not in _LETTERS:
            return None
        if name == "matmul":
            return Routine(self, _matmul, is_multiplied) if _present("cublas") else None
        space, _, plain = name.rpartition(".")
        if space == "fft" and plain in _TRANSFORMS:
            row = _TRANSFORMS[plain]
            if (_REAL[char] == char) is row.real_given and _present("cublas", "cufft"):
                return Routine(self, functools.partial(_transform, row), is_contiguous)
        if space == "linalg" and plain in _FACTORIZATIONS and _present("cublas", "cusolverDn"):
            return Routine(self, _FACTORIZATIONS[plain], is_contiguous)
        return None

    def handle(self, name: str, stream: int) -> tuple[Any, int]:
        """The bindings of cuBLAS or cuSOLVER, and the device's handle, set to a stream."""
        bindings = _bindings(name)
        if name not in self._handles:
            self._handles[name] = bindings.create()
        bindings.set_stream(self._handles[name], stream)
        return bindings, self._handles[name]

    def plan(self, key: Plan) -> tuple[int, int]:
        """The handle of a plan, and the bytes of the workspace that it needs."""
        cufft = _bindings("cufft")
        made = self._plans.pop(key, None)
        if made is None:
            handle = cufft.create()
            try:
                cufft.set_auto_allocation(handle, 0)
                nbytes = cufft.make_plan_many64(
                    handle,
                    len(key.lengths),
                    *(key.lengths, key.given_embed, key.given_step, key.given_distance),
                    *(key.made_embed, key.made_step, key.made_distance),
                    *(int(cufft.Type[key.kind]), key.batch),
                )
            except cufft.cuFFTError:
                cufft.destroy(handle)
                raise
            made = handle, nbytes
            if len(self._plans) == _PLANS:
                oldest, _ = self._plans.pop(next(iter(self._plans)))
                cufft.destroy(oldest)
        self._plans[key] = made  # the latest last
        return made


class _Work:
    """One call of a routine: its stream, and the memory that it holds until it is done."""

    def __init__(self, library: Library, held: ExitStack) -> None:
        self.library = library
        self.stream = library.driver.current_stream()
        self._cuda: Any = importlib.import_module("cuda.bindings.driver")
        self._held = held

    def room(self, nbytes: int) -> int:
        """The address of memory for this call, its content undefined."""
        driver = self.library.driver
        memory: DeviceArray = self._held.enter_context(driver.map(driver.allocate(nbytes)))
        return memory.data

    def blas(self) -> tuple[Any, int]:
        """The bindings of cuBLAS and the handle."""
        return self.library.handle("cublas", self.stream)

    def copy(self, source: int, target: int, nbytes: int) -> None:
        """Copy bytes that follow each other."""
        if nbytes:
            self._check(self._cuda.cuMemcpyDtoDAsync(target, source, nbytes, self.stream))

    def copy_rows(
        self, source: int, source_pitch: int, target: int, target_pitch: int, count: int
    ) -> None:
        """Copy rows of bytes as long as the smaller of the pitches."""
        nbytes = min(source_pitch, target_pitch)
        if source_pitch == target_pitch or count == 1:
            self.copy(source, target, nbytes * count)
        elif max(source_pitch, target_pitch) > _PITCH:
            for row in range(count):
                self.copy(source + row * source_pitch, target + row * target_pitch, nbytes)
        else:
            area = self._cuda.CUDA_MEMCPY2D()
            kind = self._cuda.CUmemorytype.CU_MEMORYTYPE_DEVICE
            area.srcMemoryType, area.dstMemoryType = kind, kind
            area.srcDevice, area.srcPitch = source, source_pitch
            area.dstDevice, area.dstPitch = target, target_pitch
            area.WidthInBytes, area.Height = nbytes, count
            self._check(self._cuda.cuMemcpy2DAsync(area, self.stream))

    def clear(self, target: int, nbytes: int) -> None:
        """Make bytes that follow each other 0."""
        if nbytes:
            self._check(self._cuda.cuMemsetD8Async(target, 0, nbytes, self.stream))

    def fill_rows(self, target: int, pitch: int, words: int, count: int, word: int = 0) -> None:
        """Set so many 32-bit words at the beginning of each row."""
        # Of one row the pitch means nothing, but too large a one is refused.
        pitch = 4 * words if count == 1 else pitch
        self._check(self._cuda.cuMemsetD2D32Async(target, pitch, word, words, count, self.stream))

    def identity(self, target: int, size: int, dtype: numpy.dtype[Any]) -> None:
        """Make a square matrix the identity."""
        self.clear(target, size * size * dtype.itemsize)
        # 1.0 has but one word that is not 0: its only one, or the upper of two.
        upper = 4 if _REAL[dtype.char] == "d" else 0
        word = 0x3FF00000 if upper else 0x3F800000
        self.fill_rows(target + upper, (size + 1) * dtype.itemsize, 1, size, word)

    def transpose(
        self,
        source: int,
        target: int,
        rows: int,
        columns: int,
        char: str,
        *,
        pitch: int = 0,
        conjugate: bool = False,
    ) -> None:
        """Write a matrix that lies by rows, `pitch` elements apart, to another place by columns."""
        cublas, handle = self.blas()
        one, zero = _factor(1, char), _factor(0, char)
        pitch = pitch or columns
        operation = cublas.Operation.C if conjugate else cublas.Operation.T
        getattr(cublas, f"{_LETTERS[char]}geam_64")(
            handle,
            *(operation, operation, rows, columns),
            *(one.ctypes.data, source, pitch),
            *(zero.ctypes.data, source, pitch),
            *(target, rows),
        )

    def scale(self, target: int, count: int, factor: float, char: str, *, step: int = 1) -> None:
        """Multiply real numbers, `step` apart, by a factor."""
        cublas, handle = self.blas()
        by = _factor(factor, char)
        scal = getattr(cublas, f"{_LETTERS[char]}scal_64")
        scal(handle, count, by.ctypes.data, target, step)

    def conjugate(self, target: int, count: int, char: str) -> None:
        """Conjugate complex numbers, of whose parts `char` is the type."""
        self.scale(target + numpy.dtype(char).itemsize, count, -1, char, step=2)

    def downloaded(self, source: int, count: int) -> numpy.ndarray[Any, numpy.dtype[numpy.int32]]:
        """32-bit integers, after all that was asked of the stream."""
        values = numpy.zeros(count, numpy.int32)
        place, nbytes = values.ctypes.data, values.nbytes
        self._check(self._cuda.cuMemcpyDtoHAsync(place, source, nbytes, self.stream))
        self._check(self._cuda.cuStreamSynchronize(self.stream))
        return values

    def _check(self, answer: tuple[Any, ...]) -> None:
        status = answer[0]
        if status:
            info = self.library.driver.info
            text = f"{info.name} failed: {getattr(status, 'name', status)}"
            raise RuntimeError(message(f"{info.backend}:{info.index}", text, ""))


@contextmanager
def _working(library: Library) -> Iterator[_Work]:
    with ExitStack() as held:
        yield _Work(library, held)


@functools.lru_cache(maxsize=64)
def _factor(value: float, char: str) -> numpy.ndarray[Any, Any]:
    """A number in the host's memory, where cuBLAS looks for it."""
    return numpy.array([value], char)


@functools.cache
def _bindings(name: str) -> Any:
    return importlib.import_module(f"nvmath.bindings.{name}")


@functools.cache
def _present(*names: str) -> bool:
    """Whether nvmath is there and finds libraries of NVIDIA's."""
    versions = {
        "cublas": lambda: _bindings("cublas").get_property(0),
        "cufft": lambda: _bindings("cufft").get_version(),
        "cusolverDn": lambda: _bindings("cusolver").get_version(),
    }
    try:
        return all(versions[name]() for name in names)
    except (ImportError, RuntimeError):  # of nvmath's, where it loads no library
        return False


@functools.cache
def _errors() -> tuple[type[Exception], ...]:
    """What the bindings raise where a library says that it failed."""
    names = (("cublas", "cuBLASError"), ("cufft", "cuFFTError"), ("cusolver", "cuSOLVERError"))
    return tuple(getattr(_bindings(module), name) for module, name in names)


def missing() -> str:
    """What nvmath-python would be needed for, where it is not installed."""
    if importlib.util.find_spec("nvmath") is not None:
        return ""
    return "nvmath-python is not installed, so that NVIDIA's libraries are not used"


def is_contiguous(shape: Integers, strides: Integers) -> bool:
    """Whether elements, their strides counted in elements, follow each other in C order."""
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True


# A stack of matrices lies by rows, so cuBLAS sees the transposes, and computes the transpose of the
# product: first and second change places.


def leading(rows: int, columns: int, row: int, column: int) -> tuple[bool, int] | None:
    """How cuBLAS reads a matrix of given strides: whether by columns, and its leading dimension.

    None where neither neighbours in a row nor those in a column follow each other, or where lines
    overlap.
    """
    if columns == 1 or column == 1:
        step = row if rows > 1 else columns
        if step >= columns:
            return False, step
    if rows == 1 or row == 1:
        step = column if columns > 1 else rows
        if step >= rows:
            return True, step
    return None


def is_multiplied(shape: Integers, strides: Integers) -> bool:
    """Whether cuBLAS takes a stack of matrices of given strides, in elements, as it lies."""
    forward = all(stride >= 0 for stride in strides[:-2])
    return forward and leading(*shape[-2:], *strides[-2:]) is not None


class Batches(NamedTuple):
    """A stack of products as calls: `starts` of each, `batch` products a call, `steps` apart.

    Starts and steps are elements of first, second and result.
    """

    starts: list[Integers]
    batch: int
    steps: Integers


def batches(stack: Integers, *steps: Integers) -> Batches:
    """Few calls for a stack, given how far apart matrices are along its axes in each array."""
    axes: list[tuple[int, Integers]] = []
    for axis in reversed(range(len(stack))):
        extent, here = stack[axis], tuple(step[axis] for step in steps)
        if extent == 1:
            continue
        if axes:
            inner, there = axes[-1]
            if here == tuple(inner * step for step in there):
                axes[-1] = extent * inner, there
                continue
        axes.append((extent, here))
    if not axes:
        return Batches([(0,) * len(steps)], 1, (0,) * len(steps))
    longest = max(axes)
    axes.remove(longest)
    walks = [[tuple(index * step for step in there) for index in range(n)] for n, there in axes]
    starts = [
        tuple(sum(place[array] for place in places) for array in range(len(steps)))
        for places in itertools.product(*walks)
    ]
    return Batches(starts, *longest)


def _stack_steps(array: DeviceArray, stack: Integers) -> Integers:
    """How far apart, in elements, an array's matrices are along a stack that it broadcasts to."""
    own = zip(array.shape[:-2], array.steps[:-2], strict=True)
    steps = tuple(step if extent > 1 else 0 for extent, step in own)
    return (0,) * (len(stack) - len(steps)) + steps


def _matmul(work: _Work, first: DeviceArray, second: DeviceArray, result: DeviceArray) -> None:
    *axes, rows, columns = result.shape
    stack, length = tuple(axes), first.shape[-1]
    ways = [leading(*array.shape[-2:], *array.steps[-2:]) for array in (first, second)]
    (left_turned, left_pitch), (right_turned, right_pitch) = ways  # type: ignore[misc]
    starts, count, steps = batches(
        stack, *(_stack_steps(array, stack) for array in (first, second, result))
    )
    if count > 1 and not left_turned and steps[1:] == (0, rows * columns):
        # One matrix on the right for many on the left, whose rows may be those of one matrix.
        pitch = steps[0] if rows == 1 else left_pitch
        if steps[0] == rows * pitch and pitch >= length:
            rows, count, left_pitch = rows * count, 1, pitch
    cublas, handle = work.blas()
    cublas.set_workspace(handle, work.room(_WORKSPACE_NBYTES), _WORKSPACE_NBYTES)
    operations = [
        cublas.Operation.T if turned else cublas.Operation.N
        for turned in (right_turned, left_turned)
    ]
    char, size = result.dtype.char, result.dtype.itemsize
    one, zero = _factor(1, char), _factor(0, char)
    name = "gemm_64" if count == 1 else "gemm_strided_batched_64"
    multiply = getattr(cublas, f"{_LETTERS[char]}{name}")
    for start in starts:
        left, right, target = (
            array.data + offset * size
            for array, offset in zip((first, second, result), start, strict=True)
        )
        begin = handle, *operations, columns, rows, length, one.ctypes.data
        if count == 1:
            multiply(
                *(*begin, right, right_pitch, left, left_pitch),
                *(zero.ctypes.data, target, columns),
            )
        else:
            multiply(
                *(*begin, right, right_pitch, steps[1], left, left_pitch, steps[0]),
                *(zero.ctypes.data, target, columns, steps[2], count),
            )


# Fourier transforms are axis by axis what xarr.fft makes of its kernels, with what cuFFT can do in
# one go: several axes, signals of any distance. It neither scales nor pads nor conjugates.


class _Transform(NamedTuple):
    """What a function of numpy.fft takes and gives."""

    real_given: bool = False
    real_made: bool = False
    inverse: bool = False
    hermitian: bool = False


_TRANSFORMS: Final = {
    "fft": _Transform(),
    "ifft": _Transform(inverse=True),
    "fftn": _Transform(),
    "ifftn": _Transform(inverse=True),
    "rfft": _Transform(real_given=True),
    "irfft": _Transform(real_made=True, inverse=True),
    "rfftn": _Transform(real_given=True),
    "irfftn": _Transform(real_made=True, inverse=True),
    "hfft": _Transform(real_made=True, inverse=True, hermitian=True),
    "ihfft": _Transform(real_given=True, hermitian=True),
}
"""Hermitian: of the conjugate, whence the other direction, and norms change places."""


class _Step(NamedTuple):
    """A transform along axes that are neighbours, "C2C", "R2C" or "C2R"."""

    kind: str
    axes: Integers
    lengths: Integers


def steps_of(shape: Integers, axes: Integers, lengths: Integers, kind: str) -> list[_Step]:
    """How a transform over axes is made, in order. A real side is the last axis, and alone."""
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


def _transform(
    row: _Transform,
    work: _Work,
    operand: DeviceArray,
    result: DeviceArray,
    *,
    norm: str,
    n: int = 0,
    axis: int = 0,
    s: Sequence[int] = (),
    axes: Sequence[int] = (),
) -> None:
    lengths, places = (tuple(s), tuple(axes)) if axes else ((n,), (axis,))
    real = _REAL[operand.dtype.char]
    kind = "R2C" if row.real_given else "C2R" if row.real_made else "C2C"
    signal = _Signal(operand.data, operand.shape, owned=False)
    steps = steps_of(operand.shape, places, lengths, kind)
    for step in steps:
        target = result.data if step is steps[-1] else None
        signal = _along(work, step, signal, row, real, target)
    count = math.prod(result.shape)
    if row.real_given and row.hermitian:
        work.conjugate(result.data, count, real)
    if row.hermitian:
        norm = _NORMS[norm]
    factor = scale(lengths, inverse=row.inverse, norm=norm)
    if factor != 1:
        work.scale(result.data, count if row.real_made else 2 * count, factor, real)


def scale(lengths: Integers, *, inverse: bool, norm: str) -> float:
    """What a transform over axes is multiplied by."""
    size = math.prod(lengths)
    if norm == "ortho":
        return 1 / math.sqrt(size)
    return 1 / size if inverse is (norm == "backward") else 1.0


def _along(
    work: _Work, step: _Step, x: _Signal, row: _Transform, real: str, target: int | None
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


def _execute(work: _Work, plan: Plan, given: int, made: int, *, inverse: bool) -> None:
    cufft = _bindings("cufft")
    handle, nbytes = work.library.plan(plan)
    cufft.set_stream(handle, work.stream)
    if nbytes:
        cufft.set_work_area(handle, work.room(nbytes))
    execute = getattr(cufft, f"exec_{plan.kind.lower()}")
    if plan.kind in ("C2C", "Z2Z"):
        execute(handle, given, made, 1 if inverse else -1)
    else:
        execute(handle, given, made)


# Factorizations go matrix by matrix, and wait for the end: only then is known whether they failed.


class _Solver:
    """cuSOLVER for one call on matrices of one data type."""

    def __init__(self, work: _Work, dtype: numpy.dtype[Any], count: int) -> None:
        self.work = work
        self.dtype = dtype
        self.bindings, self.handle = work.library.handle("cusolverDn", work.stream)
        self._letter = _LETTERS[dtype.char]
        # One for each matrix, and one for what cannot fail.
        self._count = count + 1
        self._infos = work.room(4 * self._count)
        work.clear(self._infos, 4 * self._count)
        self._rooms: dict[str, tuple[int, int]] = {}

    def room(self, count: int) -> int:
        """Memory for so many elements."""
        return self.work.room(max(count, 1) * self.dtype.itemsize)

    def info(self, index: int = -1) -> int:
        """Where the success of a matrix is noted."""
        return self._infos + 4 * (index % self._count)

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the data type; "orgqr" and "syevd" have other names where it is complex."""
        if self.dtype.kind == "c":
            name = name.replace("orgqr", "ungqr").replace("syevd", "heevd")
        return getattr(self.bindings, f"{self._letter}{name}")  # type: ignore[no-any-return]

    def workspace(self, name: str, *arguments: Any) -> tuple[int, int]:
        """The workspace of a function, and its length in elements, the same for each matrix."""
        if name not in self._rooms:
            count = self.function(f"{name}_buffer_size")(self.handle, *arguments)
            self._rooms[name] = self.room(count), count
        return self._rooms[name]

    def transpose(self, source: int, target: int, rows: int, columns: int, **how: Any) -> None:
        """As `_Work.transpose`."""
        self.work.transpose(source, target, rows, columns, self.dtype.char, **how)

    def factorize(self, matrix: int, size: int, pivots: int, index: int) -> None:
        """Make the LU decomposition of what cuSOLVER sees in place of a matrix."""
        room, _ = self.workspace("getrf", size, size, matrix, size)
        getrf = self.function("getrf")
        getrf(self.handle, size, size, matrix, size, room, pivots, self.info(index))

    def keep_triangle(self, matrix: int, size: int, pitch: int, *, upper: bool) -> None:
        """Clear the other side of the diagonal; `upper` as cuBLAS sees it."""
        if "packed" not in self._rooms:
            self._rooms["packed"] = self.room(size * (size + 1) // 2), 0
        packed, _ = self._rooms["packed"]
        cublas, handle = self.work.blas()
        side = cublas.FillMode.UPPER if upper else cublas.FillMode.LOWER
        getattr(cublas, f"{self._letter}trttp")(handle, side, size, matrix, pitch, packed)
        nbytes = self.dtype.itemsize
        self.work.fill_rows(matrix, pitch * nbytes, size * nbytes // 4, size)
        getattr(cublas, f"{self._letter}tpttr")(handle, side, size, packed, matrix, pitch)

    def check(self, problem: str) -> None:
        """Raise LinAlgError where a matrix was beyond the function."""
        if self.work.downloaded(self._infos, self._count).any():
            raise LinAlgError(problem)


def _places(array: DeviceArray, ndim: int = 2) -> list[int]:
    """The addresses of the matrices, or vectors, of a stack in C order."""
    split = len(array.shape) - ndim
    nbytes = math.prod(array.shape[split:]) * array.dtype.itemsize
    return [array.data + index * nbytes for index in range(math.prod(array.shape[:split]))]


def _is_trivial(work: _Work, operand: DeviceArray, *squares: DeviceArray) -> bool:
    """Whether matrices have no elements; factors that have some are identities then."""
    if 0 not in operand.shape:
        return False
    for array in squares:
        if 0 not in array.shape:
            for place in _places(array):
                work.identity(place, array.shape[-1], array.dtype)
    return True


def _cholesky(work: _Work, a: DeviceArray, result: DeviceArray, *, upper: bool) -> None:
    # By columns the matrix is conj(A), and its triangles change places: conj(A) = U^H U is
    # A = U^T conj(U), whose first factor is what lies there by rows.
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    work.copy(a.data, result.data, math.prod(a.shape) * a.dtype.itemsize)
    places = _places(result)
    solver = _Solver(work, a.dtype, len(places))
    fill = _bindings("cublas").FillMode
    side = fill.LOWER if upper else fill.UPPER
    for index, place in enumerate(places):
        workspace = solver.workspace("potrf", side, size, place, size)
        info = solver.info(index)
        solver.function("potrf")(solver.handle, side, size, place, size, *workspace, info)
    solver.check("Matrix is not positive definite")
    for place in places:
        solver.keep_triangle(place, size, size, upper=not upper)


def _qr(work: _Work, a: DeviceArray, q: DeviceArray, r: DeviceArray, *, mode: str) -> None:
    if _is_trivial(work, a, q):
        return
    rows, columns = a.shape[-2:]
    inner, count = q.shape[-1], min(rows, columns)
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(rows * max(columns, inner))
    tau = solver.room(count)
    for source, left, right in zip(sources, _places(q), _places(r), strict=True):
        solver.transpose(source, matrix, rows, columns)
        workspace = solver.workspace("geqrf", rows, columns, matrix, rows)
        solver.function("geqrf")(
            *(solver.handle, rows, columns, matrix, rows, tau), *workspace, solver.info()
        )
        # What `transpose` reads by rows: `columns` rows, of each the first `inner` elements.
        solver.transpose(matrix, right, columns, inner, pitch=rows)
        solver.keep_triangle(right, count, columns, upper=False)
        nbytes = columns * a.dtype.itemsize
        work.clear(right + count * nbytes, (inner - count) * nbytes)
        workspace = solver.workspace("orgqr", rows, inner, count, matrix, rows, tau)
        solver.function("orgqr")(
            *(solver.handle, rows, inner, count, matrix, rows, tau), *workspace, solver.info()
        )
        solver.transpose(matrix, left, inner, rows)
    solver.check("QR decomposition failed")


def _svd(
    work: _Work,
    a: DeviceArray,
    u: DeviceArray,
    s: DeviceArray,
    vh: DeviceArray,
    *,
    full_matrices: bool,
) -> None:
    if not _is_trivial(work, a, u, vh):
        _singular(work, a, s, u, vh, b"A" if full_matrices else b"S")


def _svdvals(work: _Work, a: DeviceArray, s: DeviceArray) -> None:
    if not _is_trivial(work, a):
        _singular(work, a, s, None, None, b"N")


def _singular(
    work: _Work,
    a: DeviceArray,
    s: DeviceArray,
    u: DeviceArray | None,
    vh: DeviceArray | None,
    job: bytes,
) -> None:
    # gesvd wants at least as many rows as columns. A wide matrix is a tall one by columns,
    # A^T = U' S V', and by rows V' and U' are just the factors of A, in this order.
    rows, columns = a.shape[-2:]
    tall, short = max(rows, columns), min(rows, columns)
    is_wide = rows < columns
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(tall * short)
    workspace = solver.workspace("gesvd", tall, short)
    lefts, rights = [0] * len(sources), [0] * len(sources)
    if u is not None and vh is not None:
        lefts, rights = _places(u), _places(vh)
        if is_wide:
            lefts, rights = rights, lefts
        else:
            left, right = solver.room(tall * u.shape[-1]), solver.room(short * short)
    for index, (source, values) in enumerate(zip(sources, _places(s, 1), strict=True)):
        there = lefts[index], rights[index]
        if is_wide:
            work.copy(source, matrix, rows * columns * a.dtype.itemsize)
        else:
            solver.transpose(source, matrix, rows, columns)
            if u is not None:
                there = left, right
        solver.function("gesvd")(
            *(solver.handle, job[0], job[0], tall, short, matrix, tall, values),
            *(there[0], tall, there[1], short, *workspace, 0, solver.info(index)),
        )
        if u is not None and not is_wide:
            solver.transpose(left, lefts[index], u.shape[-1], tall)
            solver.transpose(right, rights[index], short, short)
    solver.check("SVD did not converge")


def _eigh(work: _Work, a: DeviceArray, w: DeviceArray, v: DeviceArray | None = None) -> None:
    # By columns the matrix is conj(A), its lower triangle the upper one; its vectors are conj(V).
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(size * size)
    mode = _bindings("cusolver").EigMode
    job = mode.NOVECTOR if v is None else mode.VECTOR
    side = _bindings("cublas").FillMode.UPPER
    vectors = [] if v is None else _places(v)
    for index, (source, values) in enumerate(zip(sources, _places(w, 1), strict=True)):
        work.copy(source, matrix, size * size * a.dtype.itemsize)
        begin = job, side, size, matrix, size, values
        workspace = solver.workspace("syevd", *begin)
        solver.function("syevd")(solver.handle, *begin, *workspace, solver.info(index))
        if vectors:
            solver.transpose(matrix, vectors[index], size, size, conjugate=True)
    solver.check("Eigenvalues did not converge")


def _solve(work: _Work, a: DeviceArray, b: DeviceArray, result: DeviceArray) -> None:
    # What is factorized is A^T, and a system with its transpose solved.
    if 0 in result.shape:
        return
    size = a.shape[-1]
    ndim = 1 if len(b.shape) == 1 else 2
    columns = 1 if ndim == 1 else b.shape[-1]
    stack = result.shape[: len(result.shape) - ndim]
    first, second = (
        numpy.broadcast_to(numpy.reshape(_places(array, n), array.shape[:-n]), stack).ravel()
        for array, n in ((a, 2), (b, ndim))
    )
    solver = _Solver(work, a.dtype, len(first))
    matrix, right = solver.room(size * size), solver.room(size * columns)
    pivots = work.room(4 * size)
    before = -1
    operation = _bindings("cublas").Operation.T
    for index, target in enumerate(_places(result, ndim)):
        if first[index] != before:
            before = int(first[index])
            work.copy(before, matrix, size * size * a.dtype.itemsize)
            solver.factorize(matrix, size, pivots, index)
        solver.transpose(int(second[index]), right, size, columns)
        solver.function("getrs")(
            *(solver.handle, operation, size, columns, matrix, size, pivots),
            *(right, size, solver.info()),
        )
        solver.transpose(right, target, columns, size)
    solver.check("Singular matrix")


def _inv(work: _Work, a: DeviceArray, result: DeviceArray) -> None:
    # The inverse of A^T by columns is that of A by rows.
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix, pivots = solver.room(size * size), work.room(4 * size)
    operation = _bindings("cublas").Operation.N
    for index, (source, target) in enumerate(zip(sources, _places(result), strict=True)):
        work.copy(source, matrix, size * size * a.dtype.itemsize)
        solver.factorize(matrix, size, pivots, index)
        work.identity(target, size, a.dtype)
        solver.function("getrs")(
            *(solver.handle, operation, size, size, matrix, size, pivots),
            *(target, size, solver.info()),
        )
    solver.check("Singular matrix")


_FACTORIZATIONS: Final[dict[str, Callable[..., None]]] = {
    "cholesky": _cholesky,
    "eigh": _eigh,
    "eigvalsh": _eigh,
    "inv": _inv,
    "qr": _qr,
    "solve": _solve,
    "svd": _svd,
    "svdvals": _svdvals,
}

NAMES: Final = {
    "matmul": "cuBLAS",
    **dict.fromkeys((f"fft.{name}" for name in _TRANSFORMS), "cuFFT"),
    **dict.fromkeys((f"linalg.{name}" for name in _FACTORIZATIONS), "cuSOLVER"),
}
"""The functions that there are, and the library behind each."""
