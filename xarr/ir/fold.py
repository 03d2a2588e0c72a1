"""Fold: an accumulation for some data types, of which a reduction or a scan is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy

    from xarr.dtypes import DType


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """An accumulation in C, specialised for data types; one object for each.

    `element` makes of `{0}`, of type `taken`, what is accumulated, of type `value`; `{1}` and so on
    are taken `beside` it, of these types. `first`, `step`
    and `close` may use `x` (the element), `acc`, `position` and `seen` (the number of elements so
    far, this one included); `combine` uses `acc1` and `acc2`; `finish` uses `acc` and `divisor`. An
    accumulator of `nbytes` bytes is a plain value, or a structure with `fields` (name, C type).
    `host` is NumPy's function that combines two plain ones with the same bits, if there is one,
    `joined` all functions where they are structures, and `along` one that has the same results
    along an axis. `row` is the row that it was made from. `texts` are those of the functions of a
    program's own kernel, which live as long.
    """

    name: str
    value: DType
    accumulator: str
    nbytes: int
    result: DType
    first: str
    step: str
    combine: str
    close: str
    finish: str
    taken: DType
    element: str
    fields: tuple[tuple[str, str], ...] = ()
    running: tuple[str, ...] = ()
    divisor: DType | None = None
    ordered: bool = False
    host: Callable[..., Any] | None = None
    joined: Joined | None = None
    along: Callable[..., Any] | None = None
    row: Any = None
    beside: tuple[DType, ...] = ()
    texts: tuple[str, ...] = ()


class Joined(NamedTuple):
    """An accumulation by NumPy's functions, with the same bits.

    An accumulator is a tuple of arrays: `first` makes one of elements, `step` takes more, given the
    number of those so far, these included; `combine` joins two, and `finish`, given the divisor if
    there is one, makes the results. `ufunc` does all but the last, where an accumulator is one
    array.
    """

    first: Callable[[Any], tuple[Any, ...]]
    step: Callable[[tuple[Any, ...], Any, int], tuple[Any, ...]]
    combine: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]
    finish: Callable[..., Any]
    ufunc: numpy.ufunc | None = None
