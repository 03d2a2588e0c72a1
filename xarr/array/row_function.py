# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Calls of functions on arrays without frames of Python: rows, products of matrices, folds."""

from __future__ import annotations

from typing import Any

import numpy

from xarr import dtypes
from xarr.ir import _cython as cython
from xarr.ir.resolved import PRODUCTS
from xarr.ops import vendor

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, applied, combined, is_plain, made
    from xarr.ir.events import core_hooks
    from xarr.ir.quiet import called_quietly
    from xarr.ir.resolved import ResolvedRow
    from xarr.ir.views import Structure, View, number_like, view_at, view_within
    from xarr.runtime.host_memory import elements, is_reached
    from xarr.tape.record import computed, is_unwatched
    from xarr.tape.scalar_access import wait
    from xarr.tape.tape import Tape

_float16 = cython.declare(object, dtypes.float16)
_is_reproducible = cython.declare(object, vendor.is_reproducible)
_dot = cython.declare(object, numpy.dot)
_PRODUCTS = cython.declare(ResolvedRow, PRODUCTS)


@cython.cclass
class RowFunction:
    """A function of a row: operands that it is known for need no frame of Python.

    The class that is made of it has `_called`, which takes all arguments.

    Attributes
    ----------
    known : ResolvedRow
        The row's opcodes.
    """

    known: ResolvedRow

    def __call__(self, *operands: Any, **options: Any) -> Any:
        """Apply the function to operands."""
        found: object = None
        if not options:
            if len(operands) == 2:
                found = combined(self.known, operands[0], operands[1])
            elif len(operands) == 1:
                found = applied(self.known, operands[0])
        return self._called(*operands, **options) if found is None else found  # type: ignore[attr-defined]


@cython.ccall
def known_product(x1: Any, x2: Any) -> Any:
    """Record a product of matrices or vectors whose structures were met before, or return None.

    `x = a @ b; float(x[0, 0])` of 4 x 4 takes 19,400 machine instructions so, and 37,000 by way of
    `cached_call`; NumPy's 10,100.
    """
    if not isinstance(x1, ArrayBase) or not isinstance(x2, ArrayBase) or core_hooks.changed:
        return None
    first: View = view_within(x1)
    second: View = view_within(x2)
    known = _PRODUCTS.pairs.get((first.structure, second.structure))
    if known is None:
        return _of_vectors(first, second)
    one: Structure = known[1]
    two: Structure = known[2]
    how: Structure = known[3]
    if one is not first.structure:
        first = view_at(first.storage, one, first.offset)
    if two is not second.structure:
        second = view_at(second.storage, two, second.offset)
    result: View = computed(known[0], (first, second))
    return made(result if how is result.structure else view_at(result.storage, how, 0))


@cython.cfunc
def _of_vectors(first: View, second: View) -> object:
    """Return the product of two vectors whose elements the host reads as they are, or None.

    NumPy has the same bits as of a row and a column.
    """
    one: Structure = first.structure
    two: Structure = second.structure
    if one.device is not two.device or one.dtype is not two.dtype or one.dtype is _float16:
        return None
    if len(one.shape) != 1 or one.shape != two.shape or not one.size or one.unpack is None:
        return None
    on: Tape | None = one.device.tape
    if on is None or first.storage is None or second.storage is None:
        return None
    if core_hooks.recorder is not None or core_hooks.transfers or _is_reproducible():
        return None
    value: Any
    on.lock.acquire()  # a `with` of the lock takes 1,000 machine instructions more
    try:
        if not is_unwatched(on) or on.writes(first.storage) or on.writes(second.storage):
            return None
        if not (is_reached(first.storage) and is_reached(second.storage)):
            return None
        elements_of: list[Any] = [
            elements(one, first.storage, first.offset),
            elements(two, second.storage, second.offset),
        ]
        value = called_quietly(_dot, elements_of)  # `matmul` takes 0.3 us more
        on.note_value()
    finally:
        on.lock.release()
    value = value.item()
    return made(number_like(first, value)) if value == value else None


@cython.ccall
def known_fold(
    known: dict[Any, Any], view: View, axis: Any, adds_extent: Any, correction: Any
) -> Any:
    """Record a reduction or a scan whose structure and arguments were met before, or return None.

    `adds_extent` is whether a reduction keeps its axes, or a scan begins with nothing.
    """
    if (axis is not None and type(axis) is not int) or type(adds_extent) is not bool:
        return None
    if type(correction) is not float:
        return None
    found = known.get((view.structure, axis, adds_extent, correction))
    return None if found is None else folded(view, found)


@cython.ccall
def folded(view: View, found: tuple[Any, ...]) -> Any:
    """Record a fold of a view by its opcode, its numbers and the structure of its result."""
    how: Structure = found[2]
    numbers: tuple[Any, ...] = found[1]
    result: View = computed(found[0], (view, *numbers) if numbers else (view,))
    return made(result if result.structure is how else view_at(result.storage, how, 0))


@cython.ccall
def is_waited_for(x: Any) -> cython.bint:
    """Compute an array and wait until it is done; return False if it is no Array."""
    if not is_plain(x):
        return False
    array: ArrayBase = x
    wait(array._view)
    return True


@cython.ccall
def rebind(array: ArrayBase, view: View) -> object:
    """Give an array a value; a constant is its own."""
    if view.value is not None:
        if view.bound:
            view = View(None, view.structure, 0, view.value)
        view.bound = True
    array._view = view
    return None
