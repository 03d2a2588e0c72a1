"""Functions with a derivative of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from xarr import errors
from xarr.array.array import Array
from xarr.dtypes import FLOATING
from xarr.ir.views import View
from xarr.tape import record, recorders
from xarr.tape.recorders import paused
from xarr.transforms import calls, trees
from xarr.transforms.recomputed import Listed, last_serial, own
from xarr.transforms.reverse import Gradient
from xarr.transforms.steps import Saved

Function = Callable[..., Any]


def _recorder_of(views: Sequence[View]) -> Gradient | Listed | None:
    """Return the innermost recorder for a derivative that depends on one of some views."""
    for recorder in reversed(recorders.active()):
        if not isinstance(recorder, Gradient | Listed) or recorder.is_aside:
            continue
        if any(map(recorder.depends, views)):
            return recorder
    return None


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
        errors.require_callable(fun, f"{type(self).__name__}(fun)", "fun")
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
        recorder = _recorder_of(_views(leaves))
        if recorder is None:
            return self.fun(*args)
        if isinstance(recorder, Listed):
            return self._listed(recorder, args)
        before = last_serial()
        with recorder.aside(self._where):
            result, wanted = self._forward(args)
            found, result_form = trees.flatten(result)
            found = [own(leaf, before) for leaf in found]
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

    def _listed(self, listed: Listed, args: tuple[Any, ...]) -> Any:
        """Call the function, which is called again, with its derivative, for another one's."""
        leaves, form = trees.flatten(args)
        rest = [Array if type(leaf) is Array else leaf for leaf in leaves]

        def run(*views: View) -> tuple[list[Any], trees.Form]:
            """Call the function on views; return the leaves of the result, and its form."""
            given = iter(views)
            arrays = [Array(next(given)) if leaf is Array else leaf for leaf in rest]
            before = last_serial()
            found, made = trees.flatten(self(*trees.unflatten(form, arrays)))
            return [own(leaf, before) for leaf in found], made

        operands = _views(leaves)
        with paused(listed):
            found, made = run(*operands)
        listed.call(operands, _views(found), lambda *views: _views(run(*views)[0]))
        return trees.unflatten(made, found)


def _views(leaves: list[Any]) -> list[View]:
    return [leaf._view for leaf in leaves if type(leaf) is Array]


def _is_floating(leaf: Any) -> bool:
    return type(leaf) is Array and leaf._view.dtype.kind in FLOATING


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
    """Give a function its own derivative, by a forward and a backward function.

    fun : function -- The function; it is called with positional arguments.
    nondiff_argnums : sequence of int -- The positions of arguments without a derivative.

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

        `fwd` takes the same arguments, and returns the result and an object for `bwd`. `bwd` takes
        the arguments without a derivative, that object, and the adjoint (cotangent) of the result.
        It returns a tuple with the adjoint of each other argument; None where it is zero.

        fwd : function -- Returns the result, and an array, or nested tuples, lists and dicts, that
            the derivative needs.
        bwd : function -- Returns the arguments' adjoints from that object and the result's adjoint.

        >>> square = xarr.custom_vjp(lambda x: x * x)
        >>> square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))
        >>> float(xarr.grad(square)(3.0))
        6.0
        """
        self._fwd, self._bwd = fwd, bwd

    def _forward(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        if self._fwd is None:
            raise _undefined(self._where, "defvjp")
        made = self._fwd(*args)
        if not isinstance(made, tuple | list) or len(made) != 2:
            fault = f"the first function of defvjp returned {trees.shown(trees.flatten(made)[1])}"
            accepted = "a pair must be returned: the result, and what the derivative needs"
            raise errors.type_error(self._where, fault, accepted)
        return made[0], made[1]

    def _backward(self, nondiff: list[Any], wanted: Any, adjoint: Any) -> Sequence[Any]:
        assert self._bwd is not None
        found: Sequence[Any] = self._bwd(*nondiff, wanted, adjoint)
        return found


class custom_jvp(_Custom):  # noqa: N801 - JAX's name
    """Give a function its own derivative, by the product of its Jacobian with tangents.

    fun : function -- The function; it is called with positional arguments.
    nondiff_argnums : sequence of int -- The positions of arguments without a derivative.

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
            Takes the arguments without a derivative, a tuple of the others, and a tuple of their
            tangents. Returns the result and its tangent, which must be linear in the tangents.

        >>> square = xarr.custom_jvp(lambda x: x * x)
        >>> _ = square.defjvp(lambda x, t: (x[0] * x[0], 2 * x[0] * t[0]))
        >>> float(xarr.grad(square)(3.0))
        6.0
        """
        self._jvp = jvp
        return jvp

    def defjvps(self, *jvps: Function | None) -> None:
        """Define the derivative by each argument in turn; None where it is zero.

        jvps : functions
            One for each argument; takes the argument's tangent, the result and all arguments.

        >>> product = xarr.custom_jvp(lambda x, y: x * y)
        >>> product.defjvps(lambda t, result, x, y: t * y, lambda t, result, x, y: x * t)
        >>> float(xarr.grad(product)(3.0, 5.0))
        5.0
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
