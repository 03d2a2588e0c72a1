"""One call of a routine: the arrays that it is given, its memory, and small tasks on its stream.

Copies and fills are the CUDA driver's, transposes and factors cuBLAS'. Knows no function by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy

from xarr.backends.nvidia.handles import Handles, Integers
from xarr.errors import message

LETTERS: Final = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""The prefix of the libraries' functions for a data type's character."""
REAL: Final = {"f": "f", "d": "d", "F": "f", "D": "d"}
"""The type of the parts of a number, by the same."""
_HELD: Final = {char: numpy.array([1, 0], char) for char in LETTERS}
FACTORS: Final = {
    char: (held.ctypes.data, held.ctypes.data + held.itemsize) for char, held in _HELD.items()
}
"""The addresses of 1 and of 0 in the host's memory, where cuBLAS looks for factors, by the same."""
_PITCH: Final = (1 << 31) - 1
"""The most bytes between the rows of a two-dimensional copy."""


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """Elements in a device's memory, as `vendor.arrays_of` makes them of a buffer's bytes.

    shape : tuple of int
    dtype : numpy.dtype
    data : int -- The address of the first element.
    strides : tuple of int -- In bytes.
    """

    shape: Integers
    dtype: numpy.dtype[Any]
    data: int = 0
    strides: Integers = ()

    @property
    def steps(self) -> Integers:
        """The strides in elements."""
        return tuple(stride // self.dtype.itemsize for stride in self.strides)


class Work:
    """One call of a routine: its stream, and the memory that it holds until it is done."""

    def __init__(self, handles: Handles, held: ExitStack) -> None:
        self.handles = handles
        self.stream = handles.driver.current_stream()
        self._cuda: Any = importlib.import_module("cuda.bindings.driver")
        self._held = held

    def room(self, nbytes: int) -> int:
        """The address of memory for this call, its content undefined."""
        driver = self.handles.driver
        memory: DeviceArray = self._held.enter_context(driver.map(driver.allocate(nbytes)))
        return memory.data

    def blas(self) -> tuple[Any, int]:
        """The bindings of cuBLAS and the handle."""
        return self.handles.handle("cublas", self.stream)

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
        upper = 4 if REAL[dtype.char] == "d" else 0
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
        one, zero = FACTORS[char]
        pitch = pitch or columns
        operation = cublas.Operation.C if conjugate else cublas.Operation.T
        getattr(cublas, f"{LETTERS[char]}geam_64")(
            handle,
            *(operation, operation, rows, columns),
            *(one, source, pitch),
            *(zero, source, pitch),
            *(target, rows),
        )

    def scale(self, target: int, count: int, factor: float, char: str, *, step: int = 1) -> None:
        """Multiply real numbers, `step` apart, by a factor."""
        cublas, handle = self.blas()
        by = numpy.array([factor], char)
        scal = getattr(cublas, f"{LETTERS[char]}scal_64")
        scal(handle, count, by.ctypes.data, target, step)

    def conjugate(self, target: int, count: int, char: str) -> None:
        """Conjugate complex numbers, of whose parts `char` is the type."""
        self.scale(target + numpy.dtype(char).itemsize, count, -1, char, step=2)

    def downloaded(
        self, source: int, count: int, dtype: numpy.dtype[Any]
    ) -> numpy.ndarray[Any, Any]:
        """Elements that follow each other, after all that was asked of the stream."""
        values = numpy.zeros(count, dtype)
        place, nbytes = values.ctypes.data, values.nbytes
        self._check(self._cuda.cuMemcpyDtoHAsync(place, source, nbytes, self.stream))
        self._check(self._cuda.cuStreamSynchronize(self.stream))
        return values

    def _check(self, answer: tuple[Any, ...]) -> None:
        status = answer[0]
        if status:
            info = self.handles.driver.info
            text = f"{info.name} failed: {getattr(status, 'name', status)}"
            raise RuntimeError(message(f"{info.backend}:{info.index}", text, ""))


@contextmanager
def working(handles: Handles) -> Iterator[Work]:
    """The work of one call; its memory goes back at the end."""
    with ExitStack() as held:
        yield Work(handles, held)
