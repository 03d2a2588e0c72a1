"""The functions that NVIDIA's libraries have under NumPy's names, and how a device calls them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr.backends.nvidia.factorizations import FACTORIZATIONS
from xarr.backends.nvidia.handles import Handles, Integers, failures, present
from xarr.backends.nvidia.products import is_multiplied, matmul
from xarr.backends.nvidia.transforms import TRANSFORMS, transform
from xarr.backends.nvidia.work import LETTERS, REAL, DeviceArray, working
from xarr.errors import message

if TYPE_CHECKING:
    from xarr.backends.cuda import CudaDriver

NAMES: Final = {
    "matmul": "cuBLAS",
    **dict.fromkeys((f"fft.{name}" for name in TRANSFORMS), "cuFFT"),
    **dict.fromkeys((f"linalg.{name}" for name in FACTORIZATIONS), "cuSOLVER"),
}
"""The functions that there are, and the library behind each."""


class Library:
    """The routines of one device."""

    def __init__(self, driver: CudaDriver) -> None:
        self._handles = Handles(driver)
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
        if char not in LETTERS:
            return None
        if name == "matmul":
            if not present("cublas"):
                return None
            return Routine(self._handles, matmul, is_multiplied, captures=lambda *_: True)
        space, _, plain = name.rpartition(".")
        if space == "fft" and plain in TRANSFORMS:
            row = TRANSFORMS[plain]
            if (REAL[char] == char) is row.real_given and present("cublas", "cufft"):
                return Routine(self._handles, functools.partial(transform, row), is_contiguous)
        if space == "linalg" and plain in FACTORIZATIONS and present("cublas", "cusolverDn"):
            return Routine(self._handles, FACTORIZATIONS[plain], is_contiguous)
        return None


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of the libraries for one device.

    handles : Handles -- Of the device.
    function : callable
        Takes a `Work`, the operands and the results, then NumPy's options by name.
    takes : callable -- Whether an operand may have a shape and strides, in elements.
    captures : callable or None -- Whether a graph captures work on such operands.
    """

    handles: Handles
    function: Callable[..., None]
    takes: Callable[[Integers, Integers], bool]
    captures: Callable[..., bool] | None = None

    def __call__(self, *operands: DeviceArray, out: Sequence[DeviceArray], **options: Any) -> None:
        """Fill the results; MemoryError where the library finds no room, also after a clearing."""
        driver = self.handles.driver
        for attempt in (1, 2):
            try:
                with working(self.handles) as work:
                    self.function(work, *operands, *out, **options)
                return
            except failures() as error:
                # Without room for their own memory handles are not initialized.
                short = any(word in str(error) for word in ("ALLOC_FAILED", "NOT_INITIALIZED"))
                kind = MemoryError if short else RuntimeError
                if kind is RuntimeError or attempt == 2:
                    where = f"{driver.info.backend}:{driver.info.index}"
                    text = f"{driver.info.name} failed: {type(error).__name__}: {error}"
                    raise kind(message(where, text, "")) from error
            # The libraries allocate beside the pool, which may hold what they need.
            driver.make_room()


def is_contiguous(shape: Integers, strides: Integers) -> bool:
    """Whether elements, their strides counted in elements, follow each other in C order."""
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True
