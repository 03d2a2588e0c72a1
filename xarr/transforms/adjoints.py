"""Adjoints: for each storage, and so for each view of it, what is known of its derivative.

The adjoint of a view is the view of the same structure and offset, so views need no rule.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from xarr import layout
from xarr.array.array import Array
from xarr.dtypes import COMPLEX, DType
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.ir.storage import Storage
from xarr.ir.views import Structure, View, constant, structure
from xarr.layout import Layout, Shape
from xarr.tape import builder, record
from xarr.tape.traced import TracedConstant, filled

_add: Final[Any] = elementwise.add


class Place(NamedTuple):
    """A view without its storage, which is not held, but known by its serial number."""

    serial: int
    structure: Structure
    offset: int
    nbytes: int

    @property
    def layout(self) -> Layout:
        """The layout of the elements in the storage."""
        where = self.structure.layout
        assert where is not None
        return Layout(where.shape, where.strides, self.offset)


def place_of(view: View) -> Place:
    """Return the place of a view that has a storage."""
    assert view.storage is not None
    return Place(view.storage.serial, view.structure, view.offset, view.storage.nbytes)


def array_at(storage: Storage | None, how: Structure, offset: int, value: Any = None) -> Array:
    """Return an array of a view that is no number, though it may have no axes."""
    view = View(storage, how, offset, value)
    array = Array(filled(view) if isinstance(value, TracedConstant) else view)
    array._kept = True
    return array


class _Adjoint:
    """The adjoint of a storage: elements, if any were written apart, and what is to be added.

    `parts` has arrays by (structure, offset); they are summed in one expression when wanted. What
    was `taken` is a view of the elements, which are then zero there, once they are copied.
    """

    __slots__ = ("dtype", "elements", "nbytes", "parts", "taken")

    def __init__(self, nbytes: int, dtype: DType) -> None:
        self.nbytes = nbytes
        self.dtype = dtype
        self.elements: Array | None = None
        self.parts: dict[tuple[Structure, int], list[Array]] = {}
        self.taken: View | None = None

    def whole(self, place: Place) -> Array | None:
        """Return the sum of the parts, where all are of a place that is the whole storage."""
        if self.elements is not None or len(self.parts) != 1:
            return None
        how = place.structure
        values = self.parts.get((how, place.offset))
        if values is None or not how.is_linear or how.nbytes != self.nbytes:
            return None
        return functools.reduce(_add, values)

    def summed(self, device: Any) -> Array:
        """Return all elements in order, as an array that may be written to.

        It has the shape of the array of which the parts are, as far as they tell: so writes to them
        can write all of it, and are one kernel.
        """
        parts, self.parts = self.parts, {}
        if self.elements is not None and self.taken is not None:
            self.elements = _copied(self.elements)
            _zero(View(self.elements._view.storage, self.taken.structure, self.taken.offset))
            self.taken = None
        for (how, offset), values in parts.items():
            total = functools.reduce(_add, values)
            if self.elements is None:
                if how.is_linear and how.nbytes == self.nbytes:
                    self.elements = _copied(total)
                    continue
                self.elements = _zeros(self._shape(how), self.dtype, device)
            _accumulate(self.elements, how, offset, total)
        if self.elements is None:
            count = self.nbytes // self.dtype.itemsize
            self.elements = vector_of_zeros(count, self.dtype, device)
        return self.elements

    def _shape(self, part: Structure) -> Shape:
        """Return the shape of the whole, of which a part is."""
        count = self.nbytes // self.dtype.itemsize
        if part.dtype is self.dtype and part.strides is not None:
            shape = layout.whole_shape(part.shape, part.strides, count)
            if shape is not None:
                return shape
        return (count,)


def vector_of_zeros(count: int, dtype: DType, device: Any) -> Array:
    """Return zeros that may be written to, with a storage of their own."""
    return _zeros((count,), dtype, device)


def _zeros(shape: Shape, dtype: DType, device: Any) -> Array:
    return _copied(fills.zeros(shape, dtype=dtype.numpy, device=device))


def _copied(values: Array) -> Array:
    """Return a copy of values with a storage of its own."""
    view = record.copied(values._view)
    builder.materialise(view)
    return array_at(view.storage, view.structure, view.offset)


def _vector(elements: Array) -> Array:
    """Return the view of elements in order as a vector."""
    return Array(builder.reshaped(elements._view, (elements.size,)))


def _zero(view: View) -> None:
    """Write zeros to a view."""
    assert view.storage is not None
    assert view.layout is not None
    zero = constant(0, view.dtype, (), view.device)
    builder.write(view.storage, view.layout, view.dtype, zero)


def _accumulate(elements: Array, how: Structure, offset: int, value: Array) -> None:
    """Add values to the elements of a place."""
    storage = elements._view.storage
    assert storage is not None
    if how.repeats:
        axes = tuple(
            axis
            for axis, (extent, stride) in enumerate(zip(how.shape, how.strides or (), strict=True))
            if stride == 0 and extent > 1
        )
        if axes:
            value = reductions.sum(value, axis=axes, keepdims=True)
            shape = tuple([1 if axis in axes else e for axis, e in enumerate(how.shape)])
            how = structure(how.device, how.dtype, shape, how.strides)
        if how.repeats:  # windows that overlap
            scatter_add(_vector(elements), indices(how, offset), value)
            return
    target = array_at(storage, how, offset)
    assert target._view.layout is not None
    builder.write(storage, target._view.layout, how.dtype, _add(target, value)._view)


def indices(how: Structure, offset: int, beyond: Array | None = None) -> Array:
    """Return the places of a view's elements in its storage; `beyond` is added to each."""
    assert how.strides is not None
    found: Any = offset if beyond is None else beyond + offset
    ndim = len(how.shape)
    for axis, (extent, stride) in enumerate(zip(how.shape, how.strides, strict=True)):
        if stride and extent > 1:
            shape = tuple([extent if other == axis else 1 for other in range(ndim)])
            steps = Array(builder.index((extent,), how.device)) * stride
            found = found + manipulation.reshape(steps, shape)
    if type(found) is not Array:
        found = creation.full(how.shape, found, dtype="int64", device=how.device)
    return manipulation.broadcast_to(found, how.shape)


def scatter_add(elements: Array, places: Array, values: Array) -> None:
    """Add values to elements of a vector, at places that may be equal."""
    _add.at(elements, manipulation.reshape(places, (-1,)), manipulation.reshape(values, (-1,)))


class Adjoints:
    """The adjoints of storages, by serial number, during a backward walk."""

    def __init__(self, active: Mapping[int, DType], device: Any) -> None:
        self.active = active
        self.device = device
        self._of: dict[int, _Adjoint] = {}
        self._old = Storage(device, 0).serial
        self._returned: set[int] = set()

    def has(self, place: Place) -> bool:
        """Return whether a storage has an adjoint that may differ from zero."""
        return place.serial in self._of

    def add(self, place: Place, value: Array) -> None:
        """Add to the adjoint of a place; the value broadcasts to its shape, or is summed to it."""
        how = place.structure
        value = in_type(summed_to(value, how.shape), how.dtype)
        adjoint = self._of.get(place.serial)
        if adjoint is None:
            held = self.active.get(place.serial, how.dtype)
            adjoint = self._of[place.serial] = _Adjoint(place.nbytes, held)
        adjoint.parts.setdefault((how, place.offset), []).append(value)

    def flat(self, place: Place) -> Array:
        """Return the adjoint of all of a place's storage, as a vector that may be written to."""
        adjoint = self._of.get(place.serial)
        if adjoint is None:
            held = self.active.get(place.serial, place.structure.dtype)
            adjoint = self._of[place.serial] = _Adjoint(place.nbytes, held)
        return _vector(adjoint.summed(place.structure.device))

    def of(self, place: Place) -> Array | None:
        """Return the adjoint of a place with a storage of its own; None where it is zero."""
        adjoint = self._of.get(place.serial)
        if adjoint is None:
            return None
        found = adjoint.whole(place)
        if found is None:
            elements = adjoint.summed(self.device)
            found = array_at(elements._view.storage, place.structure, place.offset)
        view = found._view
        if self._is_own(view.storage, view.structure):
            return Array(view)
        return Array(record.copied(view))

    def _is_own(self, storage: Storage | None, how: Structure) -> bool:
        """Return whether a view is all of a storage that the walk has made, the first one to be."""
        if storage is None or not how.is_linear or how.nbytes != storage.nbytes:
            return False
        is_own = storage.serial > self._old and storage.serial not in self._returned
        self._returned.add(storage.serial)
        return is_own

    def taken(self, place: Place, is_wanted: bool) -> Array | None:
        """Return the adjoint of a place that is written, if wanted, and set it to zero.

        What was there before the write has no part in what follows.
        """
        adjoint = self._of.get(place.serial)
        if adjoint is None:
            return None
        how = place.structure
        if how.is_linear and how.nbytes == place.nbytes:
            del self._of[place.serial]
            found = adjoint.whole(place)
            if found is None and is_wanted:
                elements = adjoint.summed(self.device)
                found = array_at(elements._view.storage, how, place.offset)
            return found
        elements = adjoint.summed(self.device)
        view = View(elements._view.storage, how, place.offset)
        if 2 * how.nbytes > place.nbytes and not how.repeats:
            adjoint.taken = view
            return array_at(view.storage, how, place.offset) if is_wanted else None
        found = Array(record.copied(view)) if is_wanted else None
        _zero(view)
        return found


def summed_to(value: Array, shape: Shape) -> Array:
    """Sum over the axes along which an operand of a shape was repeated."""
    if value.shape == shape:
        return value
    extra = value.ndim - len(shape)
    if extra > 0:
        value = reductions.sum(value, axis=tuple(range(extra)))
    axes = tuple(
        [axis for axis, (a, b) in enumerate(zip(value.shape, shape, strict=True)) if b == 1 != a]
    )
    if axes:
        value = reductions.sum(value, axis=axes, keepdims=True)
    return repeated(value, shape)


def repeated(value: Array, shape: Shape) -> Array:
    """Repeat values over a shape; a constant stays one, which a kernel need not load."""
    view = value._view
    if view.value is not None:
        return Array(constant(view.value, view.dtype, shape, view.device))
    return value if value.shape == shape else manipulation.broadcast_to(value, shape)


def in_type(value: Array, dtype: DType) -> Array:
    """Convert an adjoint; of complex numbers the real part is that of a real operand."""
    if value._view.dtype is dtype:
        return value
    if value._view.dtype.kind == COMPLEX != dtype.kind:
        value = arithmetic.real(value)
    return Array(builder.converted(value._view, dtype))
