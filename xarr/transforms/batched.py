"""`vmap`: a function of one example, for a batch of them at once.

The function runs on one example without its batch axis, under a recorder. Then its instructions are
recorded again: every storage that depends on a batched argument has one more axis in front, and
every view of it its stride. What the function made and wrote to is batched as soon as one of the
values written is, for which the whole list has to be known: so it is recorded first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from xarr import errors
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.array.layouts import keep_array, settled
from xarr.array.selected import Selected
from xarr.errors import refused, type_error, value_error
from xarr.functions.index import indexing
from xarr.functions.shape import manipulation
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import Structure, View, storage_view
from xarr.layout import Layout
from xarr.tape import builder, record, recorders
from xarr.tape.recorders import Recorder
from xarr.tape.recording import ends_of, operands_of
from xarr.transforms import batching, trees
from xarr.transforms.arguments import read
from xarr.transforms.batching import Operand
from xarr.transforms.jit import outer_names

_Function = TypeVar("_Function", bound=Callable[..., Any])

_WHERE: Final = "vmap(f, in_axes, out_axes)"


class Place(NamedTuple):
    """A view of a storage that the recording does not hold, but knows by its serial number."""

    serial: int
    structure: Structure
    offset: int


class Noted(NamedTuple):
    """An instruction of the example; constants and captured arrays are views.

    `made` is the serial number of the new storage that it writes, if it does not write to `target`.
    """

    opcode: Opcode
    operands: tuple[Place | View, ...]
    target: Place | None
    made: int


class Check(NamedTuple):
    """A check of values, which raises, to be made of the whole batch."""

    function: Callable[..., None]
    operands: tuple[Place | View, ...]


class Taken(NamedTuple):
    """A function that was taken as a whole; `results` lie in storages of their own."""

    name: str
    options: Mapping[str, Any]
    operands: tuple[Place | View, ...]
    results: tuple[Place, ...]
    compute: Callable[..., Sequence[View]]


class Whole(NamedTuple):
    """The storage of a batch, and the bytes of one example in it."""

    storage: Storage
    nbytes: int


class Example(Recorder):
    """Notes the instructions of one example, and which storages depend on the batch.

    Attributes
    ----------
    batched : set of int
        The serial numbers of storages that depend on a batched argument so far.
    roots : dict of int to dict
        Of each storage that the example made, the arrays from without that it was computed from,
        by serial number: the values that outer recorders know.
    last : dict of int to int
        The last step that reads or writes a storage of the example.
    """

    def __init__(
        self, names: dict[int, str], given: dict[int, str], outer: Sequence[Recorder]
    ) -> None:
        self.steps: list[Noted | Check | Taken] = []
        self.batched = set(names)
        self.names = names
        self.given = given
        self.outer = outer
        self.made: set[int] = set()
        self.written: set[int] = set()
        self.captured: set[int] = set()
        self.roots: dict[int, dict[int, View]] = {}
        self.last: dict[int, int] = {}

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """Note an instruction; refuse a write to what neither the function nor a batch has made."""
        operands = operands_of(opcode, views, scalar)
        target = None
        if fresh is None:
            written = views[0 if opcode.target is None else -1]
            assert written.storage is not None
            serial = written.storage.serial
            self._require_own(serial)
            self.written.add(serial)
            target = Place(serial, written.structure, written.offset)
        else:
            serial = fresh.serial
            self.made.add(serial)
        if self._is_batched(views):
            self.batched.add(serial)
        if self.outer:
            self.roots[serial] = self.roots.get(serial, {}) | self._roots_of(views)
        places = tuple([self.place(view) for view in operands])
        self.last[serial] = len(self.steps)
        self.steps.append(Noted(opcode, places, target, 0 if fresh is None else serial))

    def place(self, view: View) -> Place | View:
        """Return the place of a view in a storage of the example; hold any other view."""
        if view.storage is None:
            return View(None, view.structure, 0, view.value)
        serial = view.storage.serial
        if serial in self.made or serial in self.names:
            self.last[serial] = len(self.steps)
            return Place(serial, view.structure, view.offset)
        self.captured.add(serial)
        return View(view.storage, view.structure, view.offset)

    def _require_own(self, serial: int) -> None:
        if serial in self.made or serial in self.names:
            return
        name = self.given.get(serial)
        written = f"{name}, which has no batch" if name else "an array that it did not make"
        raise refused(
            TypeError,
            _WHERE,
            f"f writes to {written}{errors.calling_line()}",
            "f must write to what it made, or to what is batched",
            "write to a copy, or return the new value",
        )

    def _is_batched(self, views: Sequence[View]) -> bool:
        """Return whether one of some views depends on the batch so far."""
        return any(
            view.storage is not None and view.storage.serial in self.batched for view in views
        )

    def _roots_of(self, views: Sequence[View]) -> dict[int, View]:
        """Return the arrays from without that views depend on."""
        found: dict[int, View] = {}
        for view in views:
            if view.storage is not None:
                serial = view.storage.serial
                if serial in self.made or serial in self.names:
                    found |= self.roots.get(serial, {})
                else:
                    found[serial] = view
        return found

    def _require_alike(self, where: str, views: Sequence[View], remedy: str) -> None:
        """Refuse what needs values of a batched array."""
        if self._is_batched(views):
            where = errors.reading_call(where)
            fault = f"{where} needs values of a batched array{errors.calling_line()}"
            accepted = "f must be the same for all examples"
            raise refused(TypeError, _WHERE, fault, accepted, remedy)

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Permit what is the same for all examples, if outer recorders do."""
        remedy = "write where(condition, a, b) for a branch, or call f for each example"
        self._require_alike(where, views, remedy)
        known = tuple(self._roots_of(views).values())
        for recorder in self.outer:
            recorder.reading(where, known)

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Permit what is the same for all examples, if outer recorders do."""
        self._require_alike(where, views, "call f for each example")
        known = tuple(self._roots_of(views).values())
        for recorder in self.outer:
            recorder.computing(where, known)

    def launching(self, where: str, opcode: Opcode, views: tuple[View, ...]) -> None:
        """Permit a kernel on what is the same for all examples, if outer recorders do."""
        if self._is_batched(views):
            fault = f"{where} is launched on a batched array{errors.calling_line()}"
            accepted = "f must be made of operations on arrays"
            remedy = "launch one kernel over the whole batch outside of vmap"
            raise refused(TypeError, _WHERE, fault, accepted, remedy)
        self.computing(where, views)

    def varies(self, view: View) -> bool:
        """Return whether a view's values are others for other examples, or outer recorders."""
        if self._is_batched([view]):
            return True
        roots = self._roots_of([view]).values()
        return any(recorder.varies(root) for recorder in self.outer for root in roots)

    def checking(self, function: Callable[..., None], views: tuple[View, ...]) -> None:
        """Note a check, to be made of the whole batch."""
        self.steps.append(Check(function, tuple([self.place(view) for view in views])))

    def whole(
        self,
        name: str,
        options: Mapping[str, Any],
        operands: tuple[View, ...],
        compute: Callable[..., Sequence[View]],
    ) -> Sequence[View] | None:
        """Take a function as a whole, if all examples can be computed so.

        So is one of values that all examples share, if an outer recorder may take it.
        """
        is_batched = self._is_batched(operands)
        is_wanted = is_batched or any([type(one).whole is not Recorder.whole for one in self.outer])
        if not is_wanted or not batching.is_batched_whole(name):
            return None
        with recorders.apart():
            # Whose elements are in C order from the start of storages of their own, as the batch's.
            results = [builder.copied(view) for view in compute(*operands)]
        places = list[Place]()
        for view in results:
            assert view.storage is not None
            serial = view.storage.serial
            self.made.add(serial)
            if is_batched:
                self.batched.add(serial)
            self.roots[serial] = self._roots_of(operands)
            self.last[serial] = len(self.steps)
            places.append(Place(serial, view.structure, 0))
        given = tuple([self.place(view) for view in operands])
        self.steps.append(Taken(name, options, given, tuple(places), compute))
        return results

    def drawing(self, generator: Any) -> None:
        """Refuse a draw: all examples would have the same numbers."""
        raise refused(
            TypeError,
            _WHERE,
            f"f draws random numbers{errors.calling_line()}",
            "f must draw none, as all examples would have the same",
            "draw an array for all examples before, and give it to f",
        )

    def dependent(self) -> set[int]:
        """Return the storages that are batched: to a fixed point, as a write may come late."""
        found = set(self.batched)
        count = -1
        while count != len(found):
            count = len(found)
            for step in self.steps:
                written = _written(step)
                if not found.issuperset(written) and any(
                    isinstance(view, Place) and view.serial in found for view in step.operands
                ):
                    found |= written
        return found


def _written(step: Noted | Check | Taken) -> set[int]:
    """Return the storages that a step writes."""
    if isinstance(step, Noted):
        return {step.made if step.target is None else step.target.serial}
    return {place.serial for place in step.results} if isinstance(step, Taken) else set()


class Batch:
    """Records an example's instructions for all examples."""

    def __init__(self, example: Example, count: int, wholes: dict[int, Whole]) -> None:
        self.example = example
        self.count = count
        self.batched = example.dependent()
        self.wholes = wholes
        self.given = [wholes[serial].storage for serial in example.names]
        self.alike: dict[int, Storage] = {}

    def record(self, results: Sequence[Any]) -> None:
        """Record all instructions, and make all checks, in order.

        A storage that none of the results is in is let go of behind the last step that names it.
        """
        kept = {_serial(x) for x in results if isinstance(x, Array) and x._view.storage is not None}
        ends = ends_of(self.example.last)
        for number, step in enumerate(self.example.steps):
            if isinstance(step, Check):
                views = [self.operand(place).view for place in step.operands]
                recorders.checked(step.function, *views)
            elif isinstance(step, Taken):
                self._take(step)
            elif step.target is None:
                self._compute(step)
            else:
                self._write(step, step.target)
            for serial in {*ends.get(number, ())} - kept:
                (self.wholes if serial in self.batched else self.alike).pop(serial, None)

    def operand(self, place: Place | View) -> Operand:
        """Return the view that a place of the example stands for."""
        if isinstance(place, View):
            return Operand(place, False)
        if place.serial not in self.batched:
            return Operand(View(self.alike[place.serial], place.structure, place.offset), False)
        whole = self.wholes[place.serial]
        how = place.structure
        assert how.strides is not None
        strides = (whole.nbytes // how.itemsize, *how.strides)
        where = Layout((self.count, *how.shape), strides, place.offset)
        return Operand(storage_view(whole.storage, where, how.dtype), True)

    def _compute(self, step: Noted) -> None:
        """Record an instruction that makes a storage."""
        opcode = step.opcode
        operands = [self.operand(place) for place in step.operands]
        shape = opcode.target.shape
        if any(operand.is_batched for operand in operands):
            result = batching.batched(opcode.operation, operands, opcode.shape, shape, self.count)
        else:
            views = tuple([operand.view for operand in operands])
            result = record.computed(opcode, views)
            if step.made in self.batched:
                result = builder.broadcast(result, (self.count, *shape))
        assert result.storage is not None
        if step.made in self.batched:
            self.wholes[step.made] = Whole(result.storage, opcode.nbytes)
        else:
            self.alike[step.made] = result.storage

    def _take(self, step: Taken) -> None:
        """Compute a function as a whole: for all examples, or once for what they share."""
        operands = [self.operand(place) for place in step.operands]
        found: Sequence[View]
        is_batched = any([operand.is_batched for operand in operands])
        if is_batched:
            made = [place.structure for place in step.results]
            found = batching.whole(step.name, step.options, operands, made, self.count)
        else:
            views = [operand.view for operand in operands]
            found = recorders.whole(step.name, step.options, views, step.compute)
        for place, view in zip(step.results, found, strict=True):
            is_whole = place.serial in self.batched
            shape = (self.count, *view.shape) if is_whole and not is_batched else view.shape
            copy = builder.copied(builder.broadcast(view, shape))  # if it is written to later
            assert copy.storage is not None
            if is_whole:
                self.wholes[place.serial] = Whole(copy.storage, place.structure.nbytes)
            else:
                self.alike[place.serial] = copy.storage

    def _write(self, step: Noted, target: Place) -> None:
        """Record an instruction that writes to a storage."""
        opcode = step.opcode
        operands = [self.operand(place) for place in step.operands]
        written = self.operand(target)
        if opcode.target is None:
            operands[0] = written
            if written.is_batched:
                batching.scattered(opcode.operation, operands, opcode.shape, self.count)
            else:
                views = tuple([operand.view for operand in operands])
                builder.scatter(opcode.operation, views, opcode.shape)
            return
        view = written.view
        assert view.storage is not None
        assert view.layout is not None
        value = batching.spread(operands[0], len(opcode.shape))
        builder.write(view.storage, view.layout, view.dtype, value)

    def result(self, value: Any, axis: int | None) -> Any:
        """Return what the function returned for all examples, with the batch at an axis."""
        array = value if isinstance(value, Array) else as_array(value, _WHERE, "a result")
        found = self.operand(self.example.place(array._view))
        if axis is None:
            if found.is_batched:
                fault = "out_axes is None for a result that depends on the batch"
                raise value_error(_WHERE, fault, "it must be an axis")
            return keep_array(Array(builder.copied(found.view)))
        view = found.view
        if not found.is_batched:
            view = builder.copied(builder.broadcast(view, (self.count, *view.shape)))
        elif view.storage in self.given:
            view = builder.copied(view)  # a result is no view of an argument
        return manipulation.moveaxis(keep_array(Array(view)), 0, axis)


def vmap(f: _Function, in_axes: Any = 0, out_axes: Any = 0) -> _Function:
    """Make a function of a batch from a function of one example; it computes all examples at once.

    The function runs once, on an example; its operations are computed for the whole batch. It may
    write to arrays that it made and to batched arguments, but not read values of the batch.

    f : function -- Takes and returns arrays, or nested tuples, lists and dictionaries of arrays.
    in_axes : int, None, or nested tuples, lists and dicts of these
        The batch axis of each argument; None for an argument that all examples share. A tuple has
        an entry for each positional argument; the batch axis of keyword arguments is 0.
    out_axes : int, None, or nested tuples, lists and dicts of these
        The batch axis of each result.

    -> function

    ValueError -- If the arguments' batches differ, or are empty.
    TypeError -- If f reads values that depend on the batch, draws random numbers, or writes to an
        array that it neither made nor has as a batched argument.

    >>> distances = xarr.vmap(lambda x, y: xarr.sqrt(((x - y) ** 2).sum()), in_axes=(0, None))
    >>> distances(xarr.asarray([[3.0, 4.0], [6.0, 8.0]]), xarr.zeros(2)).tolist()
    [5.0, 10.0]
    """
    errors.require_callable(f, "vmap(f)", "f")

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        for scope, name in outer_names(f):
            value = read(scope, name)
            if isinstance(value, Array):
                settled(value)  # a constant, which has no memory, would be bound anew by a write
        leaves, form = trees.flatten((args, kwargs))
        axes = [*_spread_axes(in_axes, form.items[0], "in_axes"), *[0] * form.items[1].leaves]
        arguments = _Arguments(leaves, axes)
        example = Example(arguments.names, arguments.given, recorders.active())
        with recorders.alone(example):
            given, named = trees.unflatten(form, arguments.examples)
            results, out_form = trees.flatten(f(*given, **named))
            results = [one.array("returned") if type(one) is Selected else one for one in results]
        wanted = _spread_axes(out_axes, out_form, "out_axes")
        batch = Batch(example, arguments.count, arguments.wholes(example))
        batch.record(results)
        found = [batch.result(value, axis) for value, axis in zip(results, wanted, strict=True)]
        arguments.write_back(example.written)
        return trees.unflatten(out_form, found)

    return call  # type: ignore[return-value]


class _Arguments:
    """The leaves of a call: for each batched one an example, and the batch with its axis first."""

    def __init__(self, leaves: list[Any], axes: list[int | None]) -> None:
        self.names: dict[int, str] = {}
        self.given: dict[int, str] = {}
        self.batches: dict[int, Array] = {}
        self.copies: dict[int, View] = {}
        self.examples: list[Any] = []
        self.count = self._count(leaves, axes)
        for number, (leaf, axis) in enumerate(zip(leaves, axes, strict=True)):
            name = f"argument {number}"
            if axis is not None:
                self._add(leaf, axis, name)
                continue
            if isinstance(leaf, Array):
                settled(leaf)
                self.given[_serial(leaf)] = name
            self.examples.append(leaf)

    def _count(self, leaves: list[Any], axes: list[int | None]) -> int:
        """Return how many examples there are; replace batched leaves by arrays."""
        counts: dict[int, int] = {}
        for number, axis in enumerate(axes):
            if axis is None:
                continue
            leaf = leaves[number] = as_array(leaves[number], _WHERE, f"argument {number}")
            if not -leaf.ndim <= axis < leaf.ndim:
                fault = f"argument {number} has shape {leaf.shape} and its axis is {axis}"
                accepted = "it must be an axis of the argument, or None where it has no batch"
                raise value_error(_WHERE, fault, accepted)
            counts[number] = leaf.shape[axis]
        if not counts:
            raise value_error(_WHERE, "no argument has a batch", "at least one axis must be given")
        if len(set(counts.values())) > 1:
            told = ", ".join(
                f"argument {number} has {count} examples" for number, count in counts.items()
            )
            raise value_error(_WHERE, told, "all arguments must have as many")
        count = next(iter(counts.values()))
        if not count:
            raise value_error(_WHERE, "the batch has no examples", "it must have at least one")
        return count

    def _add(self, leaf: Array, axis: int, name: str) -> None:
        """Take the first example of a batched argument, and lay the batch out for all."""
        settled(leaf)
        batch = manipulation.moveaxis(leaf, axis, 0)
        with recorders.apart():
            example = Array(builder.copied(batching.at_number(batch._view, 0)))
        serial = _serial(example)
        self.names[serial] = name
        self.batches[serial] = batch
        self.examples.append(example)

    def wholes(self, example: Example) -> dict[int, Whole]:
        """Return the batches' storages; a copy where the batch is written or has gaps."""
        found: dict[int, Whole] = {}
        written = example.written
        self._require_apart(written, example.captured | self.given.keys())
        for serial, batch in self.batches.items():
            view = batch._view
            assert view.layout is not None
            if serial in written or view.offset or not view.layout.linear:
                view = builder.copied(view)
            assert view.storage is not None
            self.copies[serial] = view
            found[serial] = Whole(view.storage, view.structure.nbytes // self.count)
        return found

    def _require_apart(self, written: set[int], others: set[int]) -> None:
        """Refuse a write to a batch that is read as another array: examples come one by one."""
        of = {serial: _serial(batch) for serial, batch in self.batches.items() if batch.ndim > 1}
        for serial in written & of.keys():
            beside = {one for other, one in of.items() if other != serial}
            if of[serial] in others | beside:
                fault = f"f writes to {self.names[serial]}, which is another array of it as well"
                raise value_error(_WHERE, fault, "it must have memory of its own", "pass a copy")

    def write_back(self, written: set[int]) -> None:
        """Write to the arguments what the function wrote to its examples, which are views.

        An example without axes is a number, which a function writes to by itself.
        """
        for serial, batch in self.batches.items():
            if serial in written and batch.ndim > 1:
                indexing.setitem(batch, ..., Array(self.copies[serial]))


def _serial(array: Array) -> int:
    """Return the number of an array's storage."""
    assert array._view.storage is not None
    return array._view.storage.serial


def _spread_axes(axes: Any, form: trees.Form, where: str) -> list[int | None]:
    """Return the axis of each leaf, of a tree of axes that may end above the leaves."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * form.leaves
    items: list[Any] | None = None
    if isinstance(axes, dict) and form.names and set(axes) == set(form.names):
        items = [axes[name] for name in form.names]
    elif isinstance(axes, tuple | list) and form.kind is not None:
        items = list(axes)
    if items is None or len(items) != len(form.items):
        fault = f"{where} is {axes!r} and the values are {trees.shown(form)}"
        accepted = "it must be an int, None, or a tree of them with the values' form"
        raise type_error(_WHERE, fault, accepted)
    return [
        axis
        for item, part in zip(items, form.items, strict=True)
        for axis in _spread_axes(item, part, where)
    ]
