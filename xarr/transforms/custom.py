"""Functions with a derivative of their own, and functions that are computed again for it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xarr import errors
from xarr.array.array import Array
from xarr.backends.device import get_device
from xarr.dtypes import FLOATING
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import View, contiguous
from xarr.tape import builder, record, recorders
from xarr.tape.recorders import Recorder, recorded_by
from xarr.transforms import calls, trees
from xarr.transforms.reverse import Gradient, backward
from xarr.transforms.steps import Saved

Function = Callable[..., Any]


def _gradients() -> Iterator[Gradient]:
    """Yield the recorders for derivatives, the innermost first."""
    for recorder in reversed(recorders.active()):
        if isinstance(recorder, Gradient) and not recorder.is_aside:
            yield recorder


def _recorder_of(leaves: Sequence[Any]) -> Gradient | None:
    """Return the innermost recorder for a derivative that depends on one of some leaves."""
    for recorder in _gradients():
        if any(type(leaf) is Array and recorder.depends(leaf._view) for leaf in leaves):
            return recorder
    return None


def _last_serial() -> int:
    """Return the serial number of the last storage that was made."""
    return Storage(get_device(), 0).serial


class _Kept:
    """A tree whose arrays are held as they are, whatever is written to them later."""

    def __init__(self, recorder: Gradient, tree: Any) -> None:
        leaves, self.form = trees.flatten(tree)
        self.leaves = [
            recorder.save(leaf._view) if type(leaf) is Array else leaf for leaf in leaves
        ]

    def tree(self) -> Any:
        """Return the tree with the values that its arrays had."""
        return trees.unflatten(
            self.form, [leaf.array() if isinstance(leaf, Saved) else leaf for leaf in self.leaves]
        )


class _Custom:
    """A function with a derivative of its own; `nondiff_argnums` have none."""

    def __init__(self, fun: Function, nondiff_argnums: Sequence[int] = ()) -> None:
        functools.update_wrapper(self, fun, updated=())
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)

    @property
    def _where(self) -> str:
        return f"{getattr(self.fun, '__name__', 'f')}(...)"

    def _split(self, args: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
        """Return the arguments without a derivative, and the others."""
        nondiff = [args[number] for number in self.nondiff_argnums]
        others = [x for number, x in enumerate(args) if number not in self.nondiff_argnums]
        return nondiff, others

    def _forward(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the result, and what the derivative wants of the call."""
        raise NotImplementedError

    def _backward(self, nondiff: list[Any], wanted: Any, adjoint: Any) -> Sequence[Any]:
        """Return the adjoints of the arguments."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            fault = f"arguments are named: {', '.join(kwargs)}"
            raise errors.type_error(self._where, fault, "arguments must be given by position")
        nondiff, others = self._split(args)
        leaves, form = trees.flatten(others)
        recorder = _recorder_of(leaves)
        if recorder is None:
            return self.fun(*args)
        before = _last_serial()
        with recorder.aside(self._where):
            result, wanted = self._forward(args)
            found, result_form = trees.flatten(result)
            found = [_own(leaf, before) for leaf in found]
        kept = _Kept(recorder, wanted)
        places = [number for number, leaf in enumerate(leaves) if type(leaf) is Array]
        made = [number for number, leaf in enumerate(found) if _is_floating(leaf)]

        def function(adjoints: list[Array | None]) -> Sequence[Array | None]:
            given = [*found_zeros]
            for number, g in zip(made, adjoints, strict=True):
                if g is not None:
                    given[number] = calls.conjugate(g)
            # The derivative may write to these, which other parts of the walk read.
            own = [Array(record.copied(x._view)) if type(x) is Array else x for x in given]
            adjoint = trees.unflatten(result_form, own)
            parts = self._backward(nondiff, kept.tree(), adjoint)
            flat = _like_arguments(form, parts, self._where)
            return [flat[number] for number in places]

        found_zeros = [
            calls.zeros_like(leaf._view) if type(leaf) is Array else leaf for leaf in found
        ]
        operands = [leaves[number]._view for number in places]
        recorder.call(operands, [found[number]._view for number in made], function)
        return trees.unflatten(result_form, found)


def _is_floating(leaf: Any) -> bool:
    return type(leaf) is Array and leaf._view.dtype.kind in FLOATING


def _own(leaf: Any, before: int) -> Any:
    """Return an array that shares no storage with what was there before a call, so a copy."""
    if type(leaf) is not Array:
        return leaf
    storage = leaf._view.storage
    if storage is not None and storage.serial > before:
        return leaf
    view = record.copied(leaf._view)
    builder.materialise(view)
    return Array(view)


def _like_arguments(form: trees.Form, parts: Any, where: str) -> list[Array | None]:
    """Return the adjoints of the arguments' leaves; None stands for all those of an argument."""
    if not isinstance(parts, tuple | list) or len(parts) != len(form.items):
        fault = f"its derivative returned {trees.shown(trees.flatten(parts)[1])}"
        accepted = f"a tuple of {len(form.items)}, an adjoint for each argument, must be returned"
        raise errors.type_error(where, fault, accepted)
    found: list[Array | None] = []
    for item, part in zip(form.items, parts, strict=True):
        if part is None:
            found += [None] * item.leaves
            continue
        for leaf in trees.leaves_like(item, part, where):
            array = leaf if type(leaf) is Array else calls.variable(leaf, where)
            found.append(calls.conjugate(array))
    return found


class custom_vjp(_Custom):  # noqa: N801 - JAX's name
    """A function whose derivative is given by two others.

    fun : function -- The function; its arguments are given by position.
    nondiff_argnums : sequence of int -- The arguments that have no derivative.

    >>> @xarr.custom_vjp
    ... def clipped(x):
    ...     return x * 1
    >>> def forward(x):
    ...     return clipped(x), None
    >>> def backward(_, g):
    ...     return (xarr.clip(g, -1, 1),)
    >>> clipped.defvjp(forward, backward)
    >>> xarr.grad(lambda x: (clipped(x) * 5).sum())(xarr.asarray([1.0, 2.0])).tolist()
    [1.0, 1.0]
    """

    _fwd: Function | None = None
    _bwd: Function | None = None

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Define the derivative.

        `fwd` takes the same arguments, and returns the result and what `bwd` needs: a tree. `bwd`
        takes the arguments without a derivative, that tree, and the result's adjoint. It returns a
        tuple: the adjoint of each other argument; None where that is zero.
        """
        self._fwd, self._bwd = fwd, bwd

    def _forward(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        if self._fwd is None:
            raise _undefined(self._where, "defvjp")
        result, wanted = self._fwd(*args)
        return result, wanted

    def _backward(self, nondiff: list[Any], wanted: Any, adjoint: Any) -> Sequence[Any]:
        assert self._bwd is not None
        found: Sequence[Any] = self._bwd(*nondiff, wanted, adjoint)
        return found


class custom_jvp(_Custom):  # noqa: N801 - JAX's name
    """A function whose derivative is given by its product with tangents, which is linear in these.

    fun : function -- The function; its arguments are given by position.
    nondiff_argnums : sequence of int -- The arguments that have no derivative.

    >>> @xarr.custom_jvp
    ... def cube(x):
    ...     return x**3
    >>> @cube.defjvp
    ... def tangent(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return cube(x), 3 * x * x * t
    >>> float(xarr.grad(cube)(2.0))
    12.0
    """

    _jvp: Function | None = None

    def defjvp(self, jvp: Function) -> Function:
        """Define the derivative.

        jvp : function
            Of the arguments without a derivative, a tuple of the others, and a tuple of their
            tangents. It returns the result and its tangent.
        """
        self._jvp = jvp
        return jvp

    def defjvps(self, *jvps: Function | None) -> None:
        """Define the derivative by each argument; None where it is zero.

        jvps : functions -- Each of the argument's tangent, the result and the arguments.
        """

        def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
            result = self(*primals)
            parts = [
                each(tangent, result, *primals)
                for each, tangent in zip(jvps, tangents, strict=True)
                if each is not None
            ]
            return result, functools.reduce(lambda a, b: a + b, parts)

        self._jvp = jvp

    def _forward(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        if self._jvp is None:
            raise _undefined(self._where, "defjvp")
        return self.fun(*args), tuple(self._split(args)[1])

    def _backward(self, nondiff: list[Any], wanted: Any, adjoint: Any) -> Sequence[Any]:
        assert self._jvp is not None
        jvp = self._jvp
        leaves, form = trees.flatten(wanted)
        places = [number for number, leaf in enumerate(leaves) if _is_variable(leaf)]
        zeros = [calls.zeros_like(calls.variable(leaves[at], "")._view) for at in places]

        def tangent_of(*tangents: Any) -> Any:
            given = [0.0] * len(leaves)
            for number, tangent in zip(places, tangents, strict=True):
                given[number] = tangent
            return jvp(*nondiff, wanted, trees.unflatten(form, given))[1]

        _, pull = calls.vjp(tangent_of, *zeros)
        found: list[Any] = [calls.variable(0.0, "")] * len(leaves)
        for number, part in zip(places, pull(adjoint), strict=True):
            found[number] = part
        parts: Sequence[Any] = trees.unflatten(form, found)
        return parts


def _is_variable(leaf: Any) -> bool:
    return _is_floating(leaf) or type(leaf) in (float, complex)


def _undefined(where: str, name: str) -> Exception:
    return errors.refused(AttributeError, where, "it has no derivative", f"{name} must define one")


# -- computing again -------------------------------------------------------------------------------


class _Look(Recorder):
    """Notes which active storages a function reads, and refuses writes to what was there before."""

    def __init__(self, gradient: Gradient, where: str, before: int) -> None:
        self.gradient = gradient
        self.where = where
        self.before = before
        self.active: set[int] = set()
        self.read: dict[int, Storage] = {}

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        written = fresh
        if fresh is None:
            written = (views[0] if opcode.target is None else views[-1]).storage
        assert written is not None
        if fresh is None and written.serial <= self.before:
            fault = "it writes to an array that it was given, or that it captured"
            remedy = "write to a copy, and return it"
            raise errors.type_error(self.where, fault, "arrays of its own must be", remedy)
        for view in views:
            storage = view.storage
            if storage is None or view.dtype.kind not in FLOATING:
                continue
            if storage.serial in self.gradient.active:
                self.read.setdefault(storage.serial, storage)
                self.active.add(written.serial)
            elif storage.serial in self.active:
                self.active.add(written.serial)


def checkpoint(fun: Function) -> Function:
    """Return a function whose values in between are not held for a derivative, but computed again.

    It needs the memory of its arguments and results alone until its derivative is taken, and then
    the time of another call. Draws of random numbers are the same ones.

    fun : function
        Writes to no array that it is given. Of arrays that it captures, what is in them counts when
        the derivative is taken.

    >>> f = xarr.checkpoint(lambda x: xarr.sin(xarr.sin(x)))
    >>> float(xarr.grad(f)(0.0))
    1.0
    """
    where = f"checkpoint({getattr(fun, '__name__', 'fun')})"

    @functools.wraps(fun, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        recorder = next(_gradients(), None)
        if recorder is None:
            return fun(*args, **kwargs)
        return _Again(fun, recorder, (args, kwargs), where).result

    return call


class _Again:
    """A call that is computed again for its derivative."""

    def __init__(self, fun: Function, recorder: Gradient, given: Any, where: str) -> None:
        self.fun, self.where = fun, where
        leaves, self.form = trees.flatten(given)
        self.given = _Kept(recorder, leaves)
        self.draws: list[Any] = []
        self.device = next((x.device for x in leaves if type(x) is Array), None)
        before = _last_serial()
        look = _Look(recorder, where, before)
        with recorder.aside(where), recorded_by(look), _drawn(self.device, self.draws, again=False):
            args, kwargs = given
            result = fun(*args, **kwargs)
            found, form = trees.flatten(result)
            found = [_own(leaf, before) for leaf in found]
        self.places = [
            number
            for number, leaf in enumerate(leaves)
            if type(leaf) is Array and recorder.depends(leaf._view)
        ]
        arguments = {leaves[at]._view.storage.serial for at in self.places}
        captured = [look.read[serial] for serial in look.read if serial not in arguments]
        self.captured = [recorder.save(_all_of(s, recorder.active[s.serial])) for s in captured]
        self.made = [
            number
            for number, leaf in enumerate(found)
            if _is_floating(leaf) and leaf._view.storage.serial in look.active
        ]
        operands = [leaves[at]._view for at in self.places]
        operands += [saved.view for saved in self.captured]
        recorder.call(operands, [found[at]._view for at in self.made], self.derived)
        self.result = trees.unflatten(form, found)

    def derived(self, adjoints: list[Array | None]) -> Sequence[Array | None]:
        """Call the function again; return the adjoints of the arguments and captured arrays."""
        leaves = self.given.tree()
        variables = [calls.variable(leaves[at], self.where) for at in self.places]
        for at, variable in zip(self.places, variables, strict=True):
            leaves[at] = variable
        recorder = Gradient(variables)
        views = [View(x._view.storage, x._view.structure, x._view.offset) for x in variables]
        for saved in self.captured:
            if saved.is_copy:
                fault = "an array that it captured was written to after the call"
                raise errors.refused(
                    RuntimeError, self.where, fault, "captured arrays must stay", "pass it"
                )
            view = saved.array()._view
            assert view.storage is not None
            recorder.active[view.storage.serial] = view.dtype
            views.append(view)
        args, kwargs = trees.unflatten(self.form, leaves)
        with recorded_by(recorder), _drawn(self.device, [*self.draws], again=True):
            found, _ = trees.flatten(self.fun(*args, **kwargs))
        recorder.end()
        seeds = [
            (found[at]._view, g)
            for at, g in zip(self.made, adjoints, strict=True)
            if g is not None and recorder.depends(found[at]._view)
        ]
        return backward(recorder, seeds, views)


def _all_of(storage: Storage, dtype: Any) -> View:
    """Return the view of all elements of a storage."""
    how = contiguous(storage.device, dtype, (storage.nbytes // dtype.itemsize,))
    return View(storage, how, 0)


@contextmanager
def _drawn(device: Any, draws: list[Any], *, again: bool) -> Iterator[None]:
    """Note where each draw of a device's random numbers begins, or let draws begin there again."""
    if device is None:
        yield
        return
    before = device.drawing

    def first(take: Callable[[], Any]) -> Any:
        found = take() if before is None else before(take)
        draws.append(found)
        return found

    def replayed(take: Callable[[], Any]) -> Any:
        return draws.pop(0) if draws else first(take)

    device.drawing = replayed if again else first
    try:
        yield
    finally:
        device.drawing = before
