"""Reverse mode: derivatives from the instructions that a program records.

A storage that depends on an argument is active, and has an adjoint of as many elements. The adjoint
of a view is the view of the same structure and offset, so views need no rule. `Gradient` notes the
instructions that write active storages, and holds the values that their derivatives want: the
storage itself until it is overwritten, then a copy. `backward` walks them from the last to the
first. What it does are instructions too, which outer recorders note: so derivatives nest.

Of complex numbers the adjoint is that of real and imaginary part by themselves, du/dx + i du/dy, as
views of parts need it; `calls` conjugates what goes in and comes out, as JAX's is its conjugate.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from xarr import dtypes, errors, layout
from xarr.array.array import Array
from xarr.dtypes import COMPLEX, FLOATING, DType
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import Structure, View, structure
from xarr.layout import Layout, Shape
from xarr.tape import builder, record, recorders
from xarr.tape.recorders import Recorder, paused
from xarr.transforms import derivatives
from xarr.transforms.derivatives import Rule

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
    array = Array(View(storage, how, offset, value))
    array._kept = True
    return array


class Saved:
    """The value that a view has at an instruction: the view, until it is overwritten, then a copy.

    `writes` is how often the storage was written to when recording ended.
    """

    __slots__ = ("is_copy", "view", "writes")

    def __init__(self, view: View) -> None:
        self.view = View(view.storage, view.structure, view.offset, view.value)
        self.is_copy = False
        self.writes = -1

    def array(self) -> Array:
        """Return the value, unless it was overwritten after recording ended."""
        view = self.view
        storage = view.storage
        if not self.is_copy and storage is not None and storage.writes != self.writes >= 0:
            raise errors.refused(
                RuntimeError,
                "vjp(f)",
                f"an array of shape {view.shape}, which f read, was written to after the call",
                "values that derivatives need must stay until these are taken",
                "write to a copy",
            )
        return array_at(storage, view.structure, view.offset, view.value)


class Step:
    """An instruction that writes an active storage.

    Attributes
    ----------
    opcode : Opcode
        The instruction, without its storages.
    operands : list of Place or None
        The active operands; None for others.
    target : Place
        What it writes.
    rule : Rule or None
        The derivative; None where no operand is active, so that it only overwrites.
    is_fresh : bool
        Whether it writes all of a new storage.
    saved : dict of int to Saved
        The values of operands that the derivative wants; that of the result is number -1.
    """

    __slots__ = ("is_fresh", "opcode", "operands", "rule", "saved", "shapes", "target")

    def __init__(
        self,
        opcode: Opcode,
        operands: list[Place | None],
        target: Place,
        rule: Rule | None,
        is_fresh: bool,
    ) -> None:
        self.opcode = opcode
        self.operands = operands
        self.target = target
        self.rule = rule
        self.is_fresh = is_fresh
        self.saved: dict[int, Saved] = {}

    @property
    def operation(self) -> Any:
        """What the instruction computes."""
        return self.opcode.operation

    @property
    def shape(self) -> Shape:
        """The shape of the first operand of a reduction, else that of the result."""
        shape: Shape = self.opcode.shape
        return shape

    def value(self, number: int) -> Array:
        """Return the value of an operand in the type that is computed in, or of the result, -1."""
        array = self.saved[number].array()
        types = self.operation.operands
        if 0 <= number < len(types) and types[number] is not array._view.dtype:
            return Array(builder.converted(array._view, types[number]))
        return array

    def pull(self, adjoints: Adjoints) -> None:
        """Pass the adjoint of what it writes on to its operands."""
        if self.rule is not None and self.rule.whole is not None:
            self.rule.whole(self, adjoints)
            return
        g = adjoints.taken(self.target, self.rule is not None)
        if g is None or self.rule is None:
            return
        result = self.operation.result
        if g._view.dtype is not result:
            g = in_type(g, result)
        for place, partial in zip(self.operands, self.rule.partials, strict=False):
            if place is None or partial is None:
                continue
            part = partial.of(self, g)
            if part is not None:
                adjoints.add(place, part)


class Call:
    """A function that was noted as a whole.

    `function` maps adjoints of the results, of which those without one are None, to adjoints of the
    operands.
    """

    __slots__ = ("function", "operands", "results")

    def __init__(
        self,
        operands: Sequence[Place | None],
        results: Sequence[Place],
        function: Callable[[list[Array | None]], Sequence[Array | None]],
    ) -> None:
        self.operands = operands
        self.results = results
        self.function = function

    def pull(self, adjoints: Adjoints) -> None:
        """Pass the adjoints of the results on to the operands."""
        given = [adjoints.taken(place, True) for place in self.results]
        if all(g is None for g in given):
            return
        for place, part in zip(self.operands, self.function(given), strict=True):
            if place is not None and part is not None:
                adjoints.add(place, part)


class Gradient(Recorder):
    """Notes what depends on some arrays, for a backward walk.

    active : dict of int to DType -- The serial numbers of active storages, and what they hold.
    steps : list of Step or Call -- What writes them, in order.
    """

    def __init__(self, arrays: Iterable[Array]) -> None:
        self.active: dict[int, DType] = {}
        self.steps: list[Step | Call] = []
        self.written: set[int] = set()
        self._watched: dict[int, list[Saved]] = {}
        self._warned = False
        self.is_aside = False
        self._where = ""
        for array in arrays:
            assert array._view.storage is not None
            self.active[array._view.storage.serial] = array._view.dtype

    # -- what a recorder is told --------------------------------------------------------------

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """Note an instruction if it reads or writes an active storage."""
        if self.is_aside:
            if fresh is None:
                self._overwritten(views[0] if opcode.target is None else views[-1], opcode)
            return
        target: View | None = None
        reads = views
        if fresh is None:
            target = views[0] if opcode.target is None else views[-1]
            reads = views[1:] if opcode.target is None else views[:-1]
        how: Structure = views[0].structure if opcode.target is None else opcode.target
        is_active = how.dtype.kind in FLOATING and self._reads(opcode, reads)
        if target is None:
            if is_active:
                self._add(opcode, views, View(fresh, how, 0), scalar, is_fresh=True)
            return
        assert target.storage is not None
        serial = target.storage.serial
        step: Step | None = None
        if is_active or serial in self.active:
            step = self._step(opcode, views, target, scalar, is_active)
        if serial in self._watched:
            self._keep(target, everywhere=opcode.target is None)
        if step is not None:
            self.written.add(serial)
            self.steps.append(step)
            if step.rule is not None:
                self.active.setdefault(serial, how.dtype)
                self._save_result(step, target)

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Warn, once, of an active value that the host reads: it counts as a constant."""
        if not (self._warned or self.is_aside) and any(map(self.depends, views)):
            self._warned = True
            fault = "it reads a value that a derivative depends on"
            accepted = "what Python or NumPy computes from it counts as a constant"
            text = errors.message(where, fault, accepted, "compute with xarr's functions")
            errors.warn(text, errors.DerivativeWarning)

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse a function of active values whose results no instruction makes."""
        if not self.is_aside and any(map(self.depends, views)):
            raise derivatives.missing(where)

    def whole(
        self,
        name: str,
        options: Mapping[str, Any],
        operands: tuple[View, ...],
        compute: Callable[[], Sequence[View]],
    ) -> Sequence[View] | None:
        """Note a function of active values that has a derivative as a whole."""
        whole = derivatives.whole_of(name)
        if self.is_aside or whole is None or not any(map(self.depends, operands)):
            return None
        with self.aside(name):
            results = recorders.whole(name, options, operands, compute)
        given = [self.save(view) for view in operands if whole.wants_operands]
        made = [self.save(view) for view in results if whole.wants_results]

        def function(adjoints: list[Array | None]) -> Sequence[Array | None]:
            values = [saved.array() for saved in given]
            found = [saved.array() for saved in made]
            return whole.function(adjoints, values, found, **options)

        self.call(operands, results, function)
        return results

    @contextmanager
    def aside(self, where: str) -> Iterator[None]:
        """Note nothing within a ``with`` block but what is overwritten; `where` must not write."""
        self.is_aside, self._where = True, where
        try:
            yield
        finally:
            self.is_aside = False

    def call(
        self,
        operands: Sequence[View],
        results: Sequence[View],
        function: Callable[[list[Array | None]], Sequence[Array | None]],
    ) -> None:
        """Note a function as a whole, with what maps its results' adjoints to the operands'."""
        given = [place_of(view) if self.depends(view) else None for view in operands]
        for view in results:
            assert view.storage is not None
            self.active.setdefault(view.storage.serial, view.dtype)
        self.steps.append(Call(given, [place_of(view) for view in results], function))

    def depends(self, view: View) -> bool:
        """Return whether a view holds real or complex numbers that depend on the arrays."""
        storage = view.storage
        return storage is not None and storage.serial in self.active and view.dtype.kind in FLOATING

    def _overwritten(self, target: View, opcode: Opcode) -> None:
        """Keep what a function overwrites that is noted as a whole; refuse an active storage."""
        assert target.storage is not None
        serial = target.storage.serial
        if serial in self.active:
            fault = "it writes to an array that a derivative depends on"
            remedy = "write to a copy, and return it"
            raise errors.type_error(self._where, fault, "arrays of its own must be", remedy)
        if serial in self._watched:
            self._keep(target, everywhere=opcode.target is None)

    # -- noting -------------------------------------------------------------------------------

    def _reads(self, opcode: Opcode, views: tuple[View, ...]) -> bool:
        """Return whether one of the operands is active; refuse one that is read as other bits."""
        found = False
        for view in views:
            if view.storage is None:
                continue
            held = self.active.get(view.storage.serial)
            if held is None:
                continue
            if view.dtype is not held and view.dtype is not dtypes.PART.get(held):
                where = f"{opcode.operation.name} of a view"
                fault = f"it reads the bits of {held} as {view.dtype}"
                raise errors.type_error(where, fault, "values must be read in their own dtype")
            found = True
        return found

    def _add(
        self, opcode: Opcode, views: tuple[View, ...], target: View, scalar: Any, is_fresh: bool
    ) -> None:
        step = self._step(opcode, views, target, scalar, True, is_fresh)
        if step is not None and step.rule is not None:
            assert target.storage is not None
            self.active[target.storage.serial] = target.dtype
            self.steps.append(step)
            self._save_result(step, target)

    def _step(
        self,
        opcode: Opcode,
        views: tuple[View, ...],
        target: View,
        scalar: Any,
        is_active: bool,
        is_fresh: bool = False,
    ) -> Step:
        """Make the step of an instruction, with the values of operands that its rule wants."""
        # A scatter knows by its rule alone what it overwrites.
        has_rule = is_active or opcode.target is None
        rule = derivatives.rule_of(opcode.operation) if has_rule else None
        operands = _operands(opcode, views, scalar)
        places: list[Place | None] = [
            place_of(view) if self.depends(view) else None for view in operands
        ]
        # Operands without a derivative do not make a result active.
        if rule is not None and rule.whole is None and not any(map(_and, places, rule.partials)):
            rule = None
        step = Step(opcode, places, place_of(target), rule, is_fresh)
        if rule is not None:
            for number in rule.wanted(places):
                if number >= 0:
                    step.saved[number] = self.save(operands[number])
        return step

    def _save_result(self, step: Step, target: View) -> None:
        assert step.rule is not None
        if -1 in step.rule.wanted(step.operands):
            step.saved[-1] = self.save(target)

    def save(self, view: View) -> Saved:
        """Hold the value of a view, and watch for what overwrites it."""
        saved = Saved(view)
        if view.storage is not None:
            self._watched.setdefault(view.storage.serial, []).append(saved)
        return saved

    def _keep(self, target: View, *, everywhere: bool) -> None:
        """Copy the watched values that a write to a view is about to overwrite."""
        assert target.storage is not None
        serial = target.storage.serial
        written = target.layout
        rest = []
        for saved in self._watched[serial]:
            read = saved.view.layout
            assert read is not None
            assert written is not None
            is_other = saved.view.dtype is not target.dtype
            if everywhere or is_other or layout.overlap(read, written):
                with paused(self):
                    saved.view = record.copied(saved.view)
                saved.is_copy = True
            else:
                rest.append(saved)
        self._watched[serial] = rest

    def end(self) -> None:
        """Note how often each watched storage was written to, as recording has ended."""
        for values in self._watched.values():
            for saved in values:
                if not saved.is_copy and saved.view.storage is not None:
                    saved.writes = saved.view.storage.writes
        self._watched.clear()


def _and(place: Place | None, partial: object) -> bool:
    return place is not None and partial is not None


def _operands(opcode: Opcode, views: tuple[View, ...], scalar: Any) -> tuple[View, ...]:
    """Return the views of all operands, the constant among them that `scalar` is."""
    count = len(opcode.operands)
    if scalar is None:
        return views[:count]
    operands = list(views)
    for number, how in enumerate(opcode.operands):
        if how.strides is None:
            operands.insert(number, View(None, how, 0, scalar))
            break
    return tuple(operands[:count])


# -- adjoints --------------------------------------------------------------------------------------


class _Adjoint:
    """The adjoint of a storage: elements, if any were written apart, and what is to be added.

    `parts` has arrays by (structure, offset); they are summed in one expression when wanted.
    """

    __slots__ = ("dtype", "elements", "nbytes", "parts")

    def __init__(self, nbytes: int, dtype: DType) -> None:
        self.nbytes = nbytes
        self.dtype = dtype
        self.elements: Array | None = None
        self.parts: dict[tuple[Structure, int], list[Array]] = {}

    def whole(self, place: Place) -> Array | None:
        """Return the sum of the parts, where all are of a place that is the whole storage."""
        if self.elements is not None or len(self.parts) != 1:
            return None
        how = place.structure
        values = self.parts.get((how, place.offset))
        if values is None or not how.is_linear or how.nbytes != self.nbytes:
            return None
        return functools.reduce(_add, values)

    def flat(self, device: Any) -> Array:
        """Return all elements in order, as a vector that may be written to."""
        count = self.nbytes // self.dtype.itemsize
        parts, self.parts = self.parts, {}
        for (how, offset), values in parts.items():
            total = functools.reduce(_add, values)
            if self.elements is None and how.is_linear and how.nbytes == self.nbytes:
                self.elements = _vector(total)
                continue
            if self.elements is None:
                self.elements = vector_of_zeros(count, self.dtype, device)
            _accumulate(self.elements, how, offset, total)
        if self.elements is None:
            self.elements = vector_of_zeros(count, self.dtype, device)
        return self.elements


def vector_of_zeros(count: int, dtype: DType, device: Any) -> Array:
    """Return zeros that may be written to, with a storage of their own."""
    return _vector(fills.zeros(count, dtype=dtype.numpy, device=device))


def _vector(values: Array) -> Array:
    """Return a copy of values as a vector with a storage of its own."""
    view = record.copied(builder.reshaped(values._view, (values.size,)))
    builder.materialise(view)
    return array_at(view.storage, view.structure, view.offset)


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
            scatter_add(elements, indices(how, offset), value)
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
        return adjoint.flat(place.structure.device)

    def of(self, place: Place) -> Array | None:
        """Return a copy of the adjoint of a place; None where it is zero."""
        adjoint = self._of.get(place.serial)
        if adjoint is None:
            return None
        found = adjoint.whole(place)
        if found is None:
            elements = adjoint.flat(self.device)
            found = array_at(elements._view.storage, place.structure, place.offset)
        return Array(record.copied(found._view))

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
                elements = adjoint.flat(self.device)
                found = array_at(elements._view.storage, how, place.offset)
            return found
        elements = adjoint.flat(self.device)
        view = View(elements._view.storage, how, place.offset)
        found = Array(record.copied(view)) if is_wanted else None
        assert view.storage is not None
        assert view.layout is not None
        zero = fills.zeros((), dtype=how.dtype.numpy, device=self.device)
        builder.write(view.storage, view.layout, how.dtype, zero._view)
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
    return value if value.shape == shape else manipulation.broadcast_to(value, shape)


def in_type(value: Array, dtype: DType) -> Array:
    """Convert an adjoint; of complex numbers the real part is that of a real operand."""
    if value._view.dtype is dtype:
        return value
    if value._view.dtype.kind == COMPLEX != dtype.kind:
        value = arithmetic.real(value)
    return Array(builder.converted(value._view, dtype))


def backward(
    recorder: Gradient, seeds: Sequence[tuple[View, Array]], wanted: Sequence[View]
) -> list[Array | None]:
    """Return the adjoints of views, for those of others; None where they are zero."""
    if not wanted:
        return []
    adjoints = Adjoints(recorder.active, wanted[0].device)
    for view, g in seeds:
        adjoints.add(place_of(view), g)
    for step in itertools.islice(reversed(recorder.steps), None):
        step.pull(adjoints)
    return [adjoints.of(place_of(view)) for view in wanted]
