"""Operations that have a skeleton or a library's routine, as data, and what the scheduler adds.

`lower` makes launches of them. Nothing here knows a buffer, an address or the value of a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.layout import Pattern, Shape

if TYPE_CHECKING:
    from xarr.codegen.kernel_spec import Cut, KernelSpec
    from xarr.ir.fold import Fold
    from xarr.ir.steps import LibraryStep
    from xarr.ir.views import View

NAMES: Final = ("outer", "position", "inner")
"""The names of the axes of a template's elements."""


class WrappedAccess(NamedTuple):
    """The address of an item's element where the operand wraps around or is bounds-checked."""

    strides: Shape
    cuts: tuple[Cut, ...]
    """For each axis where the operand wraps around, or its bounds."""
    back: int = 0
    """How many elements the first item lies before the first element."""


class Ref(NamedTuple):
    """A view of a storage: the storage's number in the list, data type, pattern and offset.

    The offset counts from the storage's first view. The view is broadcast over the shape of an
    instruction, unless it is `wrapped`.
    """

    slot: int
    dtype: DType
    pattern: Pattern
    offset: int
    wrapped: WrappedAccess | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of the view's elements."""
        return self.pattern.size * self.dtype.itemsize


class Number(NamedTuple):
    """A constant operand: its data type, and its number among the program's constants."""

    dtype: DType
    number: int


class TemplateOp(Operation):
    """An operation with a kernel template, which a group's other instructions are fused into.

    It writes a new storage. `split` says how the space is cut into the axes `NAMES`, and `wide`
    whether indices have 64 bits; see `KernelSpec`.
    """

    __slots__ = ("functions", "split", "wide")

    is_whole = True

    single_pass = True
    """Whether the template computes each element once, so that it may overwrite its operands."""
    takes_expression = True
    """Whether the template computes its elements; otherwise it loads them from memory."""

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], *, wide: bool = False
    ) -> None:
        super().__init__(name, (), result, "")
        self.functions: dict[DType, Callable[..., Any] | bool] = {}  # by the operand's type
        self.split = split
        self.wide = wide


class ReduceOp(TemplateOp):
    """A reduction of some axes, sorted."""

    __slots__ = ("axes", "fold")

    def __init__(self, fold: Fold, axes: tuple[int, ...]) -> None:
        super().__init__(fold.name, fold.result, (last_run(axes), axes[-1] + 1))
        self.row = fold.row
        self.fold = fold
        self.axes = axes


class ScanOp(TemplateOp):
    """The running accumulators along an axis, `shift` elements from its start."""

    __slots__ = ("axis", "fold", "shift")

    single_pass = False

    def __init__(self, fold: Fold, axis: int, shift: int) -> None:
        super().__init__(fold.name, fold.result, (axis, axis + 1))
        self.row = fold.row
        self.fold = fold
        self.axis = axis
        self.shift = shift


class FourierOp(TemplateOp):
    """A Fourier transform along an axis: "fft", "ifft", "rfft" or "irfft".

    `is_odd` says whether the real side of the last two has an odd number of elements.
    """

    __slots__ = ("axis", "given", "is_odd")

    def __init__(self, name: str, given: DType, axis: int, is_odd: bool, wide: bool) -> None:
        result = {"rfft": dtypes.COMPLEX_OF, "irfft": dtypes.PART}.get(name, {}).get(given, given)
        super().__init__(name, result, (axis, axis + 1), wide=wide)
        self.given = given
        self.axis = axis
        self.is_odd = is_odd

    @property
    def takes_expression(self) -> bool:  # type: ignore[override]
        """Whether elements are read once: those of half a spectrum are read twice."""
        return self.name != "irfft"


class HistogramOp(TemplateOp):
    """Counts of the bins below `bins` among elements; a CPU has `pieces` rows of counts to add."""

    __slots__ = ("bins", "pieces")

    def __init__(self, ndim: int, bins: int, pieces: int) -> None:
        super().__init__("histogram", dtypes.int64, (0, ndim))
        self.bins = bins
        self.pieces = pieces


class OpaqueOp(Operation):
    """An operation that is never fused: it reads whole operands and writes a new storage.

    Its name says how it is lowered: "matmul", "sort", "argsort", "searchsorted", "histogram_sum" or
    "segment_sum", of which the last two are sums at places; `parameters` are what they are given
    besides.
    """

    __slots__ = ("parameters",)

    reads_other_positions = True
    is_separate = True

    def __init__(
        self,
        name: str,
        operands: tuple[DType, ...],
        result: DType,
        *parameters: Any,
        host: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(name, operands, result, "", host)
        self.parameters = parameters


class RoutineOp(OpaqueOp):
    """A routine of the device's library, or NumPy's work, which then is `host` too.

    `work` computes views: the operands and, last, the result, which may have no memory yet. It is
    done by a `step` of this class. `parameters` are the options of NumPy's work.
    """

    __slots__ = ("function", "raises", "step", "work")

    def __init__(
        self,
        name: str,
        operands: tuple[DType, ...],
        result: DType,
        function: Any,
        host: Callable[..., Any] | None,
        work: Callable[[Any, list[View]], None],
        step: type[LibraryStep],
    ) -> None:
        super().__init__(name, operands, result, host=host)
        self.function = function
        self.raises = False
        self.work = work
        self.step = step


class Unrolled(NamedTuple):
    """A reduction of the axes `start:stop` as elementwise operations.

    `first` makes an accumulator of an element, `step` adds an element to an accumulator, and
    `finish` makes the result of an accumulator and the reduction's numbers.
    """

    start: int
    stop: int
    first: Operation
    step: Operation
    finish: Operation


class Epilogue(NamedTuple):
    """The end of a kernel of one or more templates: operations on their results, and stores."""

    entries: tuple[Any, ...]
    """The values: (template op, its numbers), or (operation, operands). A number is (DType, number
    among the constants), any other operand the number of an entry. Lowering puts the fold in the
    place of a `ReduceOp`."""
    stored: tuple[int, ...]
    """The entries that are stored, in the order of the results."""


class Part(NamedTuple):
    """A pass of a kernel of rows: over all elements of a row, or once for each row."""

    spec: KernelSpec
    memory: tuple[str, ...]
    """The kernel's names of the spec's pointers."""
    results: tuple[str, ...]
    epilogue: Epilogue | None
    """The reductions and their epilogue; None where the part is elementwise."""
    cached: tuple[tuple[int, str, bool], ...]
    """The accesses to local memory, the buffer's name, and whether it is filled already."""


class Rows(NamedTuple):
    """A kernel of rows: a group of items runs all parts on a row before it takes the next."""

    parts: tuple[Part, ...]
    items: int
    length: int
    parameters: tuple[tuple[str, str], ...]
    """The types and names of the kernel's pointers."""
    kept: tuple[tuple[str, str], ...]
    """The types and names of the buffers of one row in local memory."""
    rows_together: int
    """How many rows a group of items on a GPU takes at a time."""


def last_run(axes: tuple[int, ...]) -> int:
    """Return where the last run of consecutive axes begins."""
    start = axes[-1]
    while start > 0 and start - 1 in axes:
        start -= 1
    return start
