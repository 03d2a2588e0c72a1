"""Derivatives of functions: gradients, Jacobians and products with these; JAX's signatures.

A function is called once, on copies of the arrays by which it is derived, so that no other name of
them counts; what it writes to such a copy is written to the array afterwards. Arguments and results
are trees. Forward mode is the derivative of reverse mode, which is linear in what it is given.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, SupportsIndex, cast

import numpy

from xarr import errors
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.dtypes import COMPLEX, FLOATING
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import elementwise
from xarr.functions.shape import manipulation
from xarr.ir.views import View
from xarr.tape import builder, record
from xarr.tape.recorders import recorded_by
from xarr.transforms import trees
from xarr.transforms.adjoints import array_at, in_type
from xarr.transforms.batched import vmap
from xarr.transforms.reverse import Gradient, backward
from xarr.transforms.trees import Form

Function = Callable[..., Any]


class Recorded(NamedTuple):
    """A call that was recorded for its derivatives.

    Attributes
    ----------
    recorder : Gradient
        What it noted.
    wanted : list of View
        The arrays that it is derived by.
    results : list
        The leaves of the result.
    form : Form
        The result's form.
    aux : object
        What else the function returned, where it has `has_aux`.
    """

    recorder: Gradient
    wanted: list[View]
    results: list[Any]
    form: Form
    aux: Any

    def pulled(self, adjoints: Sequence[Any]) -> list[Array]:
        """Return the products of adjoints of the results with the Jacobian."""
        seeds = [
            (result._view, conjugate(g))
            for result, g in zip(self.results, adjoints, strict=True)
            if g is not None and type(result) is Array and self.recorder.depends(result._view)
        ]
        found = backward(self.recorder, seeds, self.wanted)
        return [
            zeros_like(view) if g is None else conjugate(g)
            for view, g in zip(self.wanted, found, strict=True)
        ]


def conjugate(g: Array) -> Array:
    """Return the conjugate of complex numbers: JAX's adjoint of them is that of `reverse`'s."""
    return elementwise.conj(g) if g._view.dtype.kind == COMPLEX else g


def zeros_like(view: View) -> Array:
    """Return zeros of a view's shape and data type."""
    return fills.zeros(view.shape, dtype=view.dtype.numpy, device=view.device)


def variable(leaf: Any, where: str) -> Array:
    """Return a copy of a leaf that a function is derived by; refuse what is no real or complex."""
    array = leaf if type(leaf) is Array else as_array(leaf, where, "an argument")
    view = array._view
    if view.dtype.kind not in FLOATING:
        fault = f"an argument has dtype {view.dtype}"
        remedy = 'convert with x.astype("float64"), or leave it out of argnums'
        raise errors.type_error(where, fault, "arguments must be floating-point", remedy)
    copy = record.copied(view)
    builder.materialise(copy)
    return array_at(copy.storage, copy.structure, copy.offset)


def recorded(
    function: Callable[[list[Any]], Any], leaves: Sequence[Any], has_aux: bool, where: str
) -> Recorded:
    """Call a function of leaves, which becomes what it is derived by; record the call."""
    variables = [variable(leaf, where) for leaf in leaves]
    recorder = Gradient(variables)
    wanted = [array._view for array in variables]
    wanted = [View(view.storage, view.structure, view.offset) for view in wanted]
    with recorded_by(recorder):
        result = function([*variables])
    aux = None
    if has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            fault = f"f returned {type(result).__name__} and has_aux is True"
            raise errors.type_error(where, fault, "a pair must be returned: the result and more")
        result, aux = result
    results, form = trees.flatten(result)
    recorder.end()
    for leaf, view in zip(leaves, wanted, strict=True):
        assert view.storage is not None
        if type(leaf) is Array and view.storage.serial in recorder.written:
            leaf[...] = Array(view)
    return Recorded(recorder, wanted, results, form, aux)


# -- gradients -------------------------------------------------------------------------------------


def value_and_grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """Return a function that computes the value and the gradient of `fun`.

    fun : function -- The function to differentiate. Its result, or with `has_aux` the first of two,
        is a number: an array without axes, real unless `holomorphic`.

    -> function
        It takes the arguments of `fun` and returns a pair: the value, or (value, aux) with
        `has_aux`; and the gradient in the form of the argument; for several a tuple of gradients.

    TypeError -- If the result is no real number, or an argument has an integer type.

    >>> xarr.value_and_grad(lambda x: (x * x).sum())(xarr.asarray([1.0, 2.0]))
    (array(5.), array([2., 4.]))
    """
    return _value_and_grad(fun, argnums, has_aux, holomorphic, "value_and_grad(fun)")


def grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """Return a function that computes the gradient of `fun`.

    fun : function -- The function to differentiate. Its result, or with `has_aux` the first of two,
        is a number: an array without axes, real unless `holomorphic`.

    -> function
        It takes the arguments of `fun` and returns the gradient, in the form of the argument, or a
        tuple of gradients for several; with `has_aux` the pair (gradient, aux).

    TypeError -- If the result is no real number, or an argument has an integer type.

    >>> xarr.grad(lambda x: (x * x).sum())(xarr.asarray([1.0, 2.0])).tolist()
    [2.0, 4.0]
    """
    both = _value_and_grad(fun, argnums, has_aux, holomorphic, "grad(fun)")

    @functools.wraps(fun, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def _value_and_grad(
    fun: Function, argnums: Any, has_aux: bool, holomorphic: bool, where: str
) -> Function:
    errors.require_callable(fun, where, "fun")

    @functools.wraps(fun, updated=())
    def both(*args: Any, **kwargs: Any) -> Any:
        call = _Derived(fun, argnums, args, kwargs, where)
        found = recorded(call, call.leaves, has_aux, where)
        value = _number(found, holomorphic, where)
        one = fills.ones((), dtype=value.dtype, device=value.device)
        gradients = call.unflatten(found.pulled([one]))
        return ((value, found.aux) if has_aux else value), gradients

    return both


class _Derived:
    """A call's arguments, of which some are derived by; called with their leaves, it calls.

    Attributes
    ----------
    leaves : list -- The leaves of the arguments that it is derived by.
    """

    def __init__(
        self,
        fun: Function,
        argnums: int | Sequence[int],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        where: str,
    ) -> None:
        self._fun, self._args, self._kwargs = fun, list(args), kwargs
        self._is_lone = isinstance(argnums, int | numpy.integer)
        numbers = cast("Sequence[SupportsIndex]", (argnums,) if self._is_lone else tuple(argnums))  # type: ignore[arg-type]
        self._numbers: list[int] = []
        for number in map(operator.index, numbers):
            if not -len(args) <= number < len(args):
                fault = f"argnums is {argnums} and there are {len(args)} arguments by position"
                raise errors.value_error(where, fault, "argnums must be the position of one")
            self._numbers.append(number % len(args))
        tree = tuple([args[number] for number in self._numbers])
        self.leaves, self.form = trees.flatten(tree)

    def __call__(self, leaves: Sequence[Any]) -> Any:
        args = [*self._args]
        for number, part in zip(self._numbers, trees.unflatten(self.form, leaves), strict=True):
            args[number] = part
        return self._fun(*args, **self._kwargs)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """Return a tree of what belongs to the leaves: of one argument, or a tuple for several."""
        found = trees.unflatten(self.form, leaves)
        return found[0] if self._is_lone else found


def _number(found: Recorded, holomorphic: bool, where: str) -> Array:
    """Return the result of a function that must be a number."""
    accepted = f"the result must be a {'complex' if holomorphic else 'real'} number"
    remedy = "sum the result, or use xarr.jacobian"
    if found.form != trees.LEAF:
        fault = f"f returned a tree of the form {trees.shown(found.form)}"
        raise errors.type_error(where, fault, accepted, remedy)
    value = found.results[0]
    if type(value) is not Array:
        value = found.results[0] = as_array(value, where, "the result")
    kind = value._view.dtype.kind
    if value.shape:
        raise errors.type_error(where, f"f returned shape {value.shape}", accepted, remedy)
    if kind not in FLOATING or (kind == COMPLEX) is not holomorphic:
        fault = f"f returned dtype {value._view.dtype}"
        remedy = "take .real, or pass holomorphic=True" if kind == COMPLEX else ""
        raise errors.type_error(where, fault, accepted, remedy)
    return value


# -- products with the Jacobian --------------------------------------------------------------------


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Compute a function's value; return a function that multiplies by the Jacobian from the left.

    primals : floating-point Arrays, or tuples, lists or dicts of them
        The arguments of the function.

    -> (result, function) or (result, function, aux)
        The function maps a cotangent, of the result's form, to a tuple of cotangents, one for each
        argument. It may be called any number of times.

    TypeError -- If an argument is not floating-point, or fun writes to an array that it was given.
    ValueError -- In the function, if a cotangent has another shape than the result.

    >>> value, pull = xarr.vjp(lambda x: x * x, xarr.asarray([1.0, 2.0]))
    >>> pull(xarr.asarray([1.0, 10.0]))[0].tolist()
    [2.0, 40.0]
    """
    where = "vjp(fun)"
    call = _Derived(fun, range(len(primals)), primals, {}, where)
    found = recorded(call, call.leaves, has_aux, where)

    def pull(adjoint: Any) -> Any:
        given = trees.leaves_like(found.form, adjoint, "vjp(fun)[1](adjoint)")
        seeds = [_beside(g, result) for g, result in zip(given, found.results, strict=True)]
        return call.unflatten(found.pulled(seeds))

    value = trees.unflatten(found.form, found.results)
    return (value, pull, found.aux) if has_aux else (value, pull)


def _beside(g: Any, result: Any) -> Array | None:
    """Return an adjoint as an array of a result's shape and data type; None of integers."""
    if type(result) is not Array or result._view.dtype.kind not in FLOATING:
        return None
    where = "vjp(fun)[1](adjoint)"
    array = g if type(g) is Array else as_array(g, where, "adjoint", device=result.device)
    if array.shape != result.shape:
        fault = f"an adjoint has shape {array.shape}"
        raise errors.value_error(where, fault, f"it must have the result's, {result.shape}")
    return in_type(array, result._view.dtype)


def linearize(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Compute a function's value; return a function that multiplies its Jacobian by tangents.

    primals : floating-point Arrays, or tuples, lists or dicts of them
        The arguments of the function.

    -> (result, function) or (result, function, aux)
        The function maps tangents of the arguments to the tangent of the result. It may be called
        any number of times.

    TypeError -- If an argument is not floating-point, or fun writes to an array that it was given.
    ValueError -- In the function, if a tangent has another shape than its argument.

    >>> value, push = xarr.linearize(lambda x: x * x, xarr.asarray([1.0, 2.0]))
    >>> push(xarr.asarray([1.0, 10.0])).tolist()
    [2.0, 40.0]
    """
    return _linearize("linearize", fun, primals, has_aux)


def _linearize(where: str, fun: Function, primals: Sequence[Any], has_aux: bool) -> Any:
    value, pull, *aux = vjp(fun, *primals, has_aux=has_aux)
    leaves, form = trees.flatten(value)
    floating = [place for place, leaf in enumerate(leaves) if _is_floating(leaf)]

    def pulled(*adjoints: Any) -> Any:
        given = [*leaves]
        for place, g in zip(floating, adjoints, strict=True):
            given[place] = g
        return pull(trees.unflatten(form, given))

    zeros = [zeros_like(leaves[place]._view) for place in floating]
    _, push_back = vjp(pulled, *zeros)

    def push(*tangents: Any) -> Any:
        for x, tangent in zip(trees.flatten(primals)[0], trees.flatten(tangents)[0], strict=False):
            if numpy.shape(x) != numpy.shape(tangent):
                fault = f"a tangent has shape {numpy.shape(tangent)}"
                accepted = f"it must have the argument's, {numpy.shape(x)}"
                raise errors.value_error(f"{where}(fun, primals, tangents)", fault, accepted)
        found: list[Any] = [
            fills.zeros(numpy.shape(leaf)) if type(leaf) is not Array else zeros_like(leaf._view)
            for leaf in leaves
        ]
        for place, tangent in zip(floating, push_back(tangents), strict=True):
            found[place] = tangent
        return trees.unflatten(form, found)

    return (value, push, *aux)


def _is_floating(leaf: Any) -> bool:
    return type(leaf) is Array and leaf._view.dtype.kind in FLOATING


def jvp(fun: Function, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Compute the value of a function, and the product of its Jacobian with tangents.

    primals, tangents : tuple or list, with an item for each argument
        The arguments of the function, floating-point Arrays or tuples, lists or dicts of them; and
        a tangent for each, of the same form and shape.

    -> (result, tangent) or (result, tangent, aux)

    TypeError -- If primals or tangents is no tuple or list, or a value is not floating-point.
    ValueError -- If a tangent has another shape than its argument.

    >>> x, v = xarr.asarray([1.0, 2.0]), xarr.asarray([1.0, 10.0])
    >>> xarr.jvp(lambda x: x * x, (x,), (v,))[1].tolist()
    [2.0, 40.0]
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        fault = f"they are of types {type(primals).__name__} and {type(tangents).__name__}"
        accepted = "tuples must be given, with an item for each argument"
        raise errors.type_error("jvp(fun, primals, tangents)", fault, accepted)
    value, push, *aux = _linearize("jvp", fun, primals, has_aux)
    return (value, push(*tangents), *aux)


def hvp(fun: Function, primals: Any, tangents: Any) -> Any:
    """Compute the product of the Hessian of a function with tangents.

    fun : function -- The function; its result is a real number: an array without axes.
    primals, tangents : tuple or list, with an item for each argument
        The arguments of the function, floating-point Arrays or tuples, lists or dicts of them; and
        a tangent for each, of the same form and shape.

    -> Array, or nest of Arrays in the form of the argument; a tuple of these for several arguments

    TypeError -- If an argument is not floating-point, or fun writes to an array that it was given.

    >>> x, v = xarr.asarray([1.0, 2.0]), xarr.asarray([1.0, 10.0])
    >>> xarr.hvp(lambda x: (x**3).sum(), (x,), (v,)).tolist()
    [6.0, 120.0]
    """
    count = len(primals)
    gradient = grad(fun, tuple(range(count)) if count != 1 else 0)
    # The Hessian is symmetric, so the product from the left will do.
    _, pull = vjp(gradient, *primals)
    found = pull(tuple(tangents) if count != 1 else tangents[0])
    return found[0] if count == 1 else found


# -- Jacobians -------------------------------------------------------------------------------------


def jacobian(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """Return a function that computes the Jacobian of `fun`.

    -> function
        It takes the arguments of `fun`. For an array as argument and result it returns an array:
        the axes of the result, then those of the argument. For several arguments it returns a
        tuple of such arrays; for a nested result, such an array in the place of each array. It uses
        forward mode if the arguments have fewer elements than the result, else reverse mode.

    TypeError -- If an argument is not floating-point, or fun writes to an array that it was given.

    >>> xarr.jacobian(lambda x: x * x)(xarr.asarray([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    where = "jacobian(fun)"
    errors.require_callable(fun, where, "fun")

    @functools.wraps(fun, updated=())
    def found(*args: Any, **kwargs: Any) -> Any:
        call = _Derived(fun, argnums, args, kwargs, where)
        function = functools.partial(_listed, call, has_aux)
        value, pull, (form, aux) = vjp(function, call.leaves, has_aux=True)
        _require_kind(call.leaves, value, holomorphic, where)
        inputs = [_as_array(leaf, where) for leaf in call.leaves]
        outputs = [_as_array(leaf, where) for leaf in value]
        if sum([x.size for x in inputs]) < sum([y.size for y in outputs]):
            _, push = vjp(lambda adjoint: pull(adjoint)[0], [zeros_like(y._view) for y in outputs])
            columns = _images(push, inputs, outputs)
            moved = [[manipulation.moveaxis(x, 0, -1) for x in column] for column in columns]
            rows = [list(row) for row in zip(*moved, strict=True)]
        else:
            rows = _images(pull, outputs, inputs)
        for row, y in zip(rows, outputs, strict=True):
            for at, x in enumerate(inputs):
                row[at] = manipulation.reshape(row[at], (*y.shape, *x.shape))
        tree = trees.unflatten(form, [call.unflatten(row) for row in rows])
        return (tree, aux) if has_aux else tree

    return found


def _listed(call: _Derived, has_aux: bool, leaves: list[Any]) -> Any:
    result = call(leaves)
    result, aux = result if has_aux else (result, None)
    found, form = trees.flatten(result)
    return found, (form, aux)


def _as_array(leaf: Any, where: str) -> Array:
    return leaf if type(leaf) is Array else as_array(leaf, where)


def _require_kind(inputs: Any, outputs: Any, holomorphic: bool, where: str) -> None:
    """Refuse complex numbers where nothing says that the function is holomorphic."""
    for name, leaves in (("an argument", inputs), ("the result", outputs)):
        for leaf in leaves:
            dtype = _as_array(leaf, where)._view.dtype
            if (dtype.kind == COMPLEX) is not holomorphic:
                accepted = "complex with holomorphic=True, real else"
                raise errors.type_error(
                    where, f"{name} has dtype {dtype}", f"it must be {accepted}"
                )


def _images(linear: Function, given: list[Array], made: list[Array]) -> list[list[Array]]:
    """Return what a linear function makes of each unit vector of arrays, along a first axis."""
    found = []
    zeros = [zeros_like(x._view) for x in given]
    for number, x in enumerate(given):

        def image(unit: Array, number: int = number) -> Any:
            return linear([*zeros[:number], unit, *zeros[number + 1 :]])[0]

        if x.size:
            units = creation.eye(x.size, dtype=x.dtype, device=x.device)
            found.append(vmap(image)(manipulation.reshape(units, (x.size, *x.shape))))
        else:
            found.append([fills.zeros((0, *y.shape), dtype=y.dtype, device=y.device) for y in made])
    return found


def hessian(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """Return a function that computes the Hessian of `fun`: the Jacobian of its Jacobian.

    -> function
        It takes the arguments of `fun`. If the result is a number and the argument one array, it
        returns an array with the axes of the argument twice.

    TypeError -- If an argument is not floating-point, or fun writes to an array that it was given.

    >>> xarr.hessian(lambda x: (x**3).sum())(xarr.asarray([1.0, 2.0])).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    errors.require_callable(fun, "hessian(fun)", "fun")
    inner = jacobian(fun, argnums, has_aux, holomorphic)
    return jacobian(inner, argnums, has_aux, holomorphic)
