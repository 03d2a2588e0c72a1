"""The rows of the discrete Fourier transforms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from xarr.ops.rows import name_rows

Kind = Literal["real", "complex"]


@dataclass(slots=True, eq=False)
class Transform:
    """A discrete Fourier transform.

    given, made : "real" or "complex"
        The kind of the operand and of the result. Of a real operand or result the other side has
        the half of the spectrum that is not redundant, n // 2 + 1 elements on the last axis.
    inverse : bool
        Whether the exponent is positive, and "backward" divides by the number of elements.
    hermitian : bool
        Whether it is the transform of a spectrum (hfft), whose conjugate the kernels take.
    many : bool -- Whether it has several axes.
    plane : bool -- Whether these are the last two where none are named.

    name : str -- The standard's name: the one that the row has in this table.
    """

    given: Kind = "complex"
    made: Kind = "complex"
    inverse: bool = False
    hermitian: bool = False
    many: bool = False
    plane: bool = False
    name: str = field(default="", init=False)

    @property
    def where(self) -> str:
        """The function, as errors name it."""
        return f"fft.{self.name}(a)"

    @property
    def routine(self) -> str:
        """The name in libraries: fftn for fft2."""
        return f"fft.{self.name[:-1]}n" if self.plane else f"fft.{self.name}"


fft = Transform()
ifft = Transform(inverse=True)
fftn = Transform(many=True)
ifftn = Transform(inverse=True, many=True)
rfft = Transform(given="real")
irfft = Transform(made="real", inverse=True)
rfftn = Transform(given="real", many=True)
irfftn = Transform(made="real", inverse=True, many=True)
fft2 = Transform(many=True, plane=True)
ifft2 = Transform(inverse=True, many=True, plane=True)
rfft2 = Transform(given="real", many=True, plane=True)
irfft2 = Transform(made="real", inverse=True, many=True, plane=True)
hfft = Transform(made="real", hermitian=True)
ihfft = Transform(given="real", inverse=True, hermitian=True)

TABLE: Final = name_rows(vars(), Transform)
