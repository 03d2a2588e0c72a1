"""`Selected`: what a mask selects while a transformation records, whose count is not known.

It stands for `x[mask]` where the mask's values are others for other examples of a batch, or in the
next call. Operators and functions of elements act on the whole of x; written back by the same mask,
the result is chosen element by element. For another mask the elements are gathered in order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy

from xarr import errors
from xarr.array.array import Array
from xarr.array.layouts import keep_array
from xarr.ir.views import View
from xarr.ops.rows import choose
from xarr.tape import builder, recorders

_WHERE = "x[mask]"


class Selected:
    """The elements of an array that a mask selects: all elements, and the mask."""

    __array_ufunc__ = None

    def __init__(self, x: Array, mask: Array) -> None:
        self._whole = keep_array(Array(builder.copied(x._view)))
        builder.materialise(mask._view)
        self._mask = mask._view
        self._writes = _writes(mask._view)

    def _like(self, whole: Array) -> Selected:
        found: Selected = object.__new__(Selected)
        found._whole, found._mask, found._writes = whole, self._mask, self._writes
        return found

    @property
    def dtype(self) -> Any:
        """The data type of the elements."""
        return self._whole.dtype

    def astype(self, dtype: Any) -> Selected:
        """Convert the elements."""
        return self._like(self._whole.astype(dtype, copy=True))

    def copy(self) -> Selected:
        """Return a copy."""
        return self._like(self._whole.copy())

    def applied(self, function: Callable[..., Array], *operands: Any) -> Selected | Array:
        """Apply a function of elements to operands, of which one is this; numbers may be others."""
        if any([type(one) is not Selected and numpy.ndim(one) for one in operands]):
            refusal = _refusal("beside an array", "select that by the mask too")
            given = [one.instead(refusal) if type(one) is Selected else one for one in operands]
            return function(*given)
        return self._like(function(*[self._beside(one) for one in operands]))

    def _beside(self, other: Any) -> Any:
        """Return all elements of another selection by this mask; a number as it is."""
        return other.by(self._mask) if type(other) is Selected else other

    def is_by(self, mask: View) -> bool:
        """Return whether a mask, as it is now, is the one that selected the elements."""
        mine = self._mask
        return (
            mine.storage is mask.storage
            and mine.structure is mask.structure
            and mine.offset == mask.offset
            and self._writes == _writes(mask)
        )

    def by(self, mask: View) -> Array:
        """Return an array in which a mask selects these elements, in order."""
        if self.is_by(mask):
            return self._whole
        self._require_mask()
        mine, other = Array(self._mask), Array(mask)
        recorders.checked(partial(_require_as_many, mine.ndim, other.ndim), self._mask, mask)
        first = (~mine).reshape(-1).argsort(stable=True)
        place = (other.reshape(-1).cumsum() - 1).clip(0, mine.sum() - 1)
        rows = self._whole.reshape((mine.size, *self._whole.shape[mine.ndim :]))
        return rows[first[place]].reshape((*other.shape, *rows.shape[1:]))

    def _require_mask(self) -> None:
        if self._writes != _writes(self._mask):
            raise _refusal("used after its mask was written to", "write to a copy of the mask")

    def chosen(self, x: View, mask: View) -> View:
        """Return the values of x with these elements where a mask is true."""
        whole = self.by(mask)
        if x.shape != whole.shape:
            raise _refusal("written to elements of another shape", "give both arrays one shape")
        value = builder.converted(whole._view, x.dtype)
        lifted = builder.reshaped(mask, (*mask.shape, *(1,) * (len(x.shape) - len(mask.shape))))
        return choose(lifted, value, x)

    def array(self, why: str) -> Array:
        """Return the array of the elements, if recorders permit to look at the mask."""
        recorders.reading(f"x[mask], {why},", self._mask)
        self._require_mask()
        with recorders.apart():
            return self._whole[Array(self._mask)]

    def instead(self, refusal: Exception) -> Array:
        """Return the array of the elements, if recorders permit to look at the mask; else raise."""
        try:
            return self.array("taken as an array")
        except TypeError:
            raise refusal from None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.asarray(self.array("taken as an array"), dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.array(f"asked for its {name}"), name)

    def __len__(self) -> int:
        return len(self.array("asked for its length"))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array("iterated over"))

    def __getitem__(self, key: Any) -> Any:
        return self.array("indexed")[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise _refusal("written to by a key", "write where(mask, x, other)[key] = value")


def _refusal(fault: str, remedy: str) -> TypeError:
    given = f"the selection is {fault}{errors.calling_line()}"
    accepted = "the result must not depend on values while a transformation records"
    return errors.type_error(_WHERE, given, accepted, remedy)


def _require_as_many(ndim: int, other_ndim: int, mask: View, other: View) -> None:
    """Refuse a mask that selects other than one element, or as many as the other mask."""
    count, wanted = (
        Array(view).sum(axis=tuple(range(-axes, 0)))
        for view, axes in ((mask, ndim), (other, other_ndim))
    )
    if ((count != wanted) & (count != 1)).any():
        fault = f"a mask selects {count.tolist()} elements and the other {wanted.tolist()}"
        raise errors.value_error(_WHERE, fault, "both must select as many")


def _writes(mask: View) -> int:
    assert mask.storage is not None
    return mask.storage.writes


def _operator(name: str, *, is_reversed: bool = False) -> Callable[..., Selected | Array]:
    function = getattr(operator, f"__{name}__")

    def method(self: Selected, *others: Any) -> Selected | Array:
        operands = (*others, self) if is_reversed else (self, *others)
        return self.applied(function, *operands)

    return method


def _in_place(name: str) -> Callable[..., Selected]:
    function = getattr(operator, f"__i{name}__")

    def method(self: Selected, other: Any) -> Selected:
        if type(other) is not Selected and numpy.ndim(other):
            self._whole[Array(self._mask)] = self.applied(function, self, other)
            return self
        self._whole = function(self._whole, self._beside(other))
        return self

    return method


for _name in ("add", "floordiv", "mod", "mul", "pow", "sub", "truediv", "and", "or", "xor"):
    setattr(Selected, f"__{_name}__", _operator(_name))
    setattr(Selected, f"__r{_name}__", _operator(_name, is_reversed=True))
    setattr(Selected, f"__i{_name}__", _in_place(_name))
for _name in ("abs", "eq", "ge", "gt", "invert", "le", "lt", "ne", "neg", "pos"):
    setattr(Selected, f"__{_name}__", _operator(_name))
