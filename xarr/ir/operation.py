"""Operation: the function that an instruction computes, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xarr.memo import memo

if TYPE_CHECKING:
    from xarr.dtypes import DType
    from xarr.ir.resolved import ScalarEvaluator


class Operation:
    """A function of elements: one C expression over typed operands.

    Rows of the elementwise table make one of these for each combination of data types; so do casts.
    `template` holds the operands as `{0}`, `{1}`, ...; it is one C expression. Operations are
    compared by identity. `host` computes the same bits with NumPy arrays, where it is not None, and
    `exact` with Python numbers, once it is needed. `row_kernels` holds, by device, the kernel for
    few elements in a row, see `Program.row`. `code` counts the library functions' characters that a
    compiler inlines for it, once they were asked for. `row` is the row that it was made from, or
    the name of one of the engine's own kinds, and `derivative` its derivative, once it was looked
    up. `chosen` is the index of an operand that is a mask of bounds, and the indices of those
    that are read within these alone; None without.
    """

    __slots__ = (
        "chosen",
        "code",
        "derivative",
        "exact",
        "host",
        "name",
        "operands",
        "result",
        "row",
        "row_kernels",
        "template",
    )

    reads_other_positions = False
    """Whether an item reads other items' elements of operands, which then have to be in memory."""

    is_indirect = False
    """Whether it reads or writes its first operand's memory at computed places."""
    is_separate = False
    """Whether operands are neither broadcast nor converted."""
    is_whole = False
    """Whether NumPy's function for it needs operands of the whole shape."""
    raises = False
    """Whether values may be an error, so that it runs also where nobody needs the result."""
    functions: dict[DType, Callable[..., Any] | bool] | None = None
    """NumPy's functions of a template by the operand's type, once looked for; False if none."""

    def __init__(
        self,
        name: str,
        operands: tuple[DType, ...],
        result: DType,
        template: str,
        host: Callable[..., Any] | None = None,
        row: Any = None,
    ) -> None:
        self.row = row
        self.derivative: Any = None
        self.chosen: tuple[int, frozenset[int]] | None = None
        self.code: int | None = None
        self.host = host
        self.exact: ScalarEvaluator | None = None
        self.name = name
        self.operands = operands
        self.result = result
        self.template = template
        self.row_kernels: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(row.name for row in self.operands)})"


@memo
def interned(kind: Callable[..., Any], *parameters: Any) -> Any:
    """Return the one object that a class or a function makes of parameters."""
    return kind(*parameters)
