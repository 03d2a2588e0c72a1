"""Einstein's summation: operands with named axes, contracted two at a time.

An axis that occurs twice in an operand is its diagonal. Two operands are multiplied where no axis
is summed, multiplied and summed in one kernel where all that remains is in both, and else are a
matrix product. The order in which several are contracted is found on the host, by NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import layout
from xarr.array.array import Array, DTypeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array
from xarr.array.layouts import settled, view
from xarr.array.out_argument import CASTINGS, deliver
from xarr.backends.device import promoted, require_together
from xarr.dtypes import BOOL
from xarr.errors import axes_of, refused, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.linalg.products import product_of, retyped, summed
from xarr.functions.shape import manipulation
from xarr.ir.operation import interned
from xarr.ir.views import View
from xarr.layout import Layout, Shape, integer
from xarr.ops import elementwise as rows, reductions
from xarr.tape import builder

Labels = tuple[str, ...]

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The letters for integers in the form with lists of axes, in the order of implicit results."""
_ELLIPSIS: Final = "..."


@cached_call
def einsum(
    *operands: Any,
    out: Any = None,
    dtype: DTypeLike = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Array:
    """Sum products of elements over named axes (Einstein's summation convention).

    *operands : str and Arrays, or Arrays and lists of int in turn
        The subscripts, such as "ij,jk->ik", and the arrays; or each array followed by the list of
        its axes, and finally the list of the result's axes. Without "->" the result has the axes
        that occur once, in alphabetical order. An ellipsis stands for unnamed, broadcast axes.
    dtype : dtype, optional -- The data type to convert the operands to.
    optimize : bool, str or list, optional
        The order of contractions: a method of `einsum_path`, or the list that it returns. False
        is "greedy".
    order : str, optional
        Accepted for compatibility; has no effect: computed results lie in C order.

    -> Array -- A view, if there is a single operand and no sum.

    ValueError -- If the subscripts do not fit the operands, or lengths differ.
    RuntimeError -- If `optimize` is a list that leaves several operands.

    >>> xarr.einsum("ij,j->i", xarr.asarray([[1, 2], [3, 4]]), [10, 1]).tolist()
    [12, 34]
    """
    where = "einsum(*operands)"
    if order not in tuple("CFAKcfak") or casting not in CASTINGS:
        fault = f"order is {order!r} and casting {casting!r}"
        accepted = "order must be C, F, A or K, and casting one of " + ", ".join(CASTINGS)
        raise value_error(where, fault, accepted)
    subscripts, given = _split_call(operands, where)
    device = next((item.device for item in given if type(item) is Array), None)
    arrays = [as_array(item, where, "an operand", device=device) for item in given]
    for array in arrays[1:]:
        require_together(array.device, arrays[0].device, where)
    terms, result = parsed(subscripts, [array.ndim for array in arrays], where)
    if len(arrays) == 1 and out is None and dtype is None:
        return _of_one(arrays[0], terms[0], result, where)
    row = promoted([array._view.dtype for array in arrays], arrays[0].device, where)
    views = [builder.converted(array._view, row) for array in arrays]
    parts = [
        _Part(*_diagonal(view, term, where))
        for view, term in zip(retyped(views, dtype, casting, where), terms, strict=True)
    ]
    _require_sizes(parts, where)
    path = _path(parts, result, optimize)
    made = _contracted(parts, path, result, where)
    return deliver(made, out, where, casting=casting)


def einsum_path(
    *operands: Any, optimize: Any = "greedy", einsum_call: bool = False
) -> tuple[list[Any], Any]:
    """Find an order of contractions for `einsum`, and the cost of this order. Runs on the host.

    *operands : str and Arrays, or Arrays and lists of int in turn
        As for `einsum`; only the shapes are used.
    optimize : {"greedy", "optimal"}, bool, list or tuple, optional
        The method of the search, as for NumPy's function.
    einsum_call : bool, optional -- For NumPy's internal use.

    -> tuple of list and str
        The contractions, which `einsum` takes as `optimize`, and a table of them as text.

    ValueError -- If the subscripts do not fit the operands, or lengths differ.

    >>> xarr.einsum_path("ij,jk->ik", xarr.ones((2, 3)), xarr.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    shaped = [
        numpy.broadcast_to(numpy.zeros((), item.dtype), item.shape) if type(item) is Array else item
        for item in operands
    ]
    found: tuple[list[Any], Any] = numpy.einsum_path(
        *shaped,
        optimize=optimize,
        einsum_call=einsum_call,  # type: ignore[arg-type]
    )
    return found


class _Part(NamedTuple):
    """An operand, or a product of some, whose axes have different names."""

    view: View
    labels: Labels


def _split_call(operands: Sequence[Any], where: str) -> tuple[str, list[Any]]:
    """The subscripts as a text, and the operands, of both forms of a call."""
    if not operands:
        raise value_error(where, "there are no operands", "there must be at least one")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    arrays, lists = list(operands[:-1:2]), list(operands[1::2])
    text = ",".join(_subscripts(entry, where) for entry in lists)
    if len(operands) % 2:
        text += "->" + _subscripts(operands[-1], where)
    return text, arrays


def _subscripts(entry: Any, where: str) -> str:
    """A list of axes as a text."""
    names = []
    for item in entry:
        if item is Ellipsis:
            names.append(_ELLIPSIS)
        else:
            number = integer(item, where, "an axis")
            if not 0 <= number < len(_LETTERS):
                raise value_error(where, f"an axis is {item!r}", "it must be 0 to 51, or ...")
            names.append(_LETTERS[number])
    return "".join(names)


def parsed(text: str, ndims: Sequence[int], where: str) -> tuple[list[Labels], Labels]:
    """The names of each operand's axes, and of the result's."""
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        fault = f"there are {len(terms)} subscripts and {len(ndims)} operands"
        raise _refusal(where, text, fault, "")
    dots = [
        ndim - (len(term) - len(_ELLIPSIS))
        for term, ndim in zip(terms, ndims, strict=True)
        if _ELLIPSIS in term
    ]
    broad = max(dots, default=0)
    labels = []
    for term, ndim in zip(terms, ndims, strict=True):
        head, found, tail = term.partition(_ELLIPSIS)
        count = ndim - len(head) - len(tail)
        if count < 0 or (count and not found):
            fault = f"{term!r} stands for an operand of {axes_of(ndim)}"
            raise _refusal(where, text, fault, "each must have a name")
        _require_letters(head + tail, text, where)
        middle = tuple(f"{_ELLIPSIS}{place}" for place in range(broad - count, broad))
        labels.append((*head, *(middle if found else ()), *tail))
    unnamed = tuple(f"{_ELLIPSIS}{place}" for place in range(broad))
    if not arrow:
        names = "".join(terms).replace(_ELLIPSIS, "")
        once = sorted(name for name in set(names) if names.count(name) == 1)
        return labels, (*unnamed, *once)
    head, found, tail = right.partition(_ELLIPSIS)
    _require_letters(head + tail, text, where)
    known = {name for term in labels for name in term}
    for name in head + tail:
        if name not in known or (head + tail).count(name) > 1:
            fault = f"the result names {name!r}"
            raise _refusal(where, text, fault, "it must name axes of operands, each once")
    if broad and not found:
        raise _refusal(
            where, text, "the result has no ellipsis", "it must have one, as an operand has"
        )
    return labels, (*head, *(unnamed if found else ()), *tail)


def _require_letters(names: str, text: str, where: str) -> None:
    for name in names:
        if name not in _LETTERS:
            raise _refusal(where, text, f"a name is {name!r}", "names must be letters")


def _refusal(where: str, text: str, given: str, accepted: str) -> ValueError:
    return value_error(
        where, f"the subscripts are {text!r}: {given}", accepted or "there must be as many"
    )


def _of_one(x: Array, labels: Labels, result: Labels, where: str) -> Array:
    """The einsum of one operand: a view where nothing is summed."""
    if len(set(labels)) < len(labels):
        where_to, names = _without_repetition(settled(x), labels, where)
        x, labels = view(x, where_to), names
    if len(result) < len(labels):
        return _in_order(_summed_over(_Part(x._view, labels), set(result), where), result)
    return manipulation.permuted(x, tuple(labels.index(name) for name in result), where)


def _diagonal(operand: View, labels: Labels, where: str) -> tuple[View, Labels]:
    """A view whose axes of one name are taken along their diagonal."""
    if len(set(labels)) == len(labels):
        return operand, labels
    x = Array(operand)
    found, names = _without_repetition(settled(x), labels, where)
    return view(x, found)._view, names


def _without_repetition(given: Layout, labels: Labels, where: str) -> tuple[Layout, Labels]:
    """The layout of the diagonals of axes that have one name."""
    extents, strides = dict[str, int](), dict[str, int]()
    for name, extent, stride in zip(labels, given.shape, given.strides, strict=True):
        if extents.setdefault(name, extent) != extent:
            fault = f"the axes {name!r} of one operand have {extents[name]} and {extent} elements"
            raise value_error(where, fault, "axes of one name must be equally long")
        strides[name] = strides.get(name, 0) + stride
    names = tuple(extents)
    shape = tuple(extents[name] for name in names)
    return Layout(shape, tuple(strides[name] for name in names), given.offset), names


def _require_sizes(parts: Sequence[_Part], where: str) -> None:
    """Refuse axes of one name that do not broadcast."""
    sizes = dict[str, int]()
    for part in parts:
        for name, extent in zip(part.labels, part.view.shape, strict=True):
            known = sizes.setdefault(name, extent)
            if extent not in (1, known) and known != 1:
                fault = f"axes {name!r} have {known} and {extent} elements"
                accepted = "axes of one name must be equally long, or have one element"
                raise value_error(where, fault, accepted)
            sizes[name] = max(known, extent) if known * extent else 0


def _path(parts: Sequence[_Part], result: Labels, optimize: Any) -> list[tuple[int, ...]]:
    """Which operands are contracted in each step."""
    if len(parts) <= 2:
        return [tuple(range(len(parts)))]
    if isinstance(optimize, list | tuple) and optimize and optimize[0] == "einsum_path":
        return [tuple(step) for step in optimize[1:]]
    way = "optimal" if optimize in ("optimal", ("optimal",)) else "greedy"
    names = {name for part in parts for name in part.labels}
    letters = dict(zip(sorted(names), _LETTERS, strict=False))
    if len(letters) < len(names):
        return [(0, 1), *((0, last) for last in range(len(parts) - 2, 0, -1))]
    terms = ["".join(letters[name] for name in part.labels) for part in parts]
    text = ",".join(terms) + "->" + "".join(letters[name] for name in result)
    return list(interned(_find_path, text, tuple(part.view.shape for part in parts), way))


def _find_path(text: str, shapes: tuple[Shape, ...], way: str) -> tuple[tuple[int, ...], ...]:
    models = [numpy.broadcast_to(numpy.zeros(()), shape) for shape in shapes]
    found, _ = numpy.einsum_path(text, *models, optimize=way)
    return tuple(tuple(step) for step in found[1:])


def _contracted(
    parts: list[_Part], path: Sequence[tuple[int, ...]], result: Labels, where: str
) -> Array:
    """Contract operands step by step."""
    for step in path:
        chosen = [parts[place] for place in step]
        parts = [part for place, part in enumerate(parts) if place not in step]
        joined, *others = chosen
        while others:
            other = others.pop(0)
            kept = set(result).union(*(part.labels for part in (*parts, *others)))
            joined = _product(joined, other, kept, where)
        parts.append(joined)
    if len(parts) > 1:
        fault = f"after the contractions {path} there are {len(parts)} operands"
        accepted = "there must be one"
        raise refused(RuntimeError, where, fault, accepted, "use what einsum_path gives")
    return _in_order(_summed_over(parts[0], set(result), where), result)


def _in_order(part: _Part, result: Labels) -> Array:
    """An operand with its axes in the order of the result."""
    places = tuple(part.labels.index(name) for name in result)
    if places == tuple(range(len(places))):
        return Array(part.view)
    return manipulation.permute_dims(Array(part.view), places)


def _summed_over(part: _Part, kept: set[str], where: str) -> _Part:
    """An operand summed over the axes that are not kept."""
    view, labels = part
    axes = tuple(place for place, name in enumerate(labels) if name not in kept)
    if not axes:
        return part
    if view.dtype.kind == BOOL:
        total = reduced(reductions.any, view, axes, where=where)
    else:
        total = reduced(reductions.sum, view, axes, dtype=view.dtype.numpy, where=where)
    return _Part(total._view, tuple(name for name in labels if name in kept))


def _product(first: _Part, second: _Part, kept: set[str], where: str) -> _Part:
    """The product of two operands, summed over the axes that nobody needs."""
    one, two = _without_ones(first, second), _without_ones(second, first)
    shared = [name for name in one.labels if name in two.labels]
    one = _summed_over(one, kept | set(shared), where)
    two = _summed_over(two, kept | set(shared), where)
    gone = [name for name in shared if name not in kept]
    free = [[name for name in part.labels if name not in shared] for part in (one, two)]
    if gone and (free[0] or free[1]):
        return _by_matrices(one, two, kept)
    labels = (*one.labels, *free[1])
    left, right = _aligned(one, labels), _aligned(two, labels)
    if not gone:
        row = rows.logical_and if left.dtype.kind == BOOL else rows.multiply
        return _Part(row.combined(left, right), labels)
    axes = tuple(place for place, name in enumerate(labels) if name not in kept)
    total = summed(left, right, axes, where)
    return _Part(total._view, tuple(name for name in labels if name in kept))


def _without_ones(part: _Part, other: _Part) -> _Part:
    """An operand without axes of one element that the other one has longer."""
    sizes = dict(zip(other.labels, other.view.shape, strict=True))
    kept = [
        place
        for place, name in enumerate(part.labels)
        if part.view.shape[place] != 1 or sizes.get(name, 1) == 1
    ]
    if len(kept) == len(part.labels):
        return part
    view = builder.reshaped(part.view, tuple(part.view.shape[place] for place in kept))
    return _Part(view, tuple(part.labels[place] for place in kept))


def _aligned(part: _Part, labels: Labels) -> View:
    """An operand's view with axes in the order of `labels`, of one element where it has none."""
    order = tuple(part.labels.index(name) for name in labels if name in part.labels)
    view = part.view
    if order != tuple(range(len(order))):
        view = manipulation.permute_dims(Array(view), order)._view
    sizes = dict(zip(part.labels, part.view.shape, strict=True))
    return builder.reshaped(view, tuple(sizes.get(name, 1) for name in labels))


def _by_matrices(one: _Part, two: _Part, kept: set[str]) -> _Part:
    """The product of two operands as that of stacks of matrices."""
    sizes = dict(zip(one.labels, one.view.shape, strict=True))
    sizes |= dict(zip(two.labels, two.view.shape, strict=True))
    shared = [name for name in one.labels if name in two.labels]
    stack = [name for name in shared if name in kept]
    gone = [name for name in shared if name not in kept]
    down = [name for name in one.labels if name not in shared]
    across = [name for name in two.labels if name not in shared]

    def folded(part: _Part, first: list[str], second: list[str]) -> View:
        view = _aligned(part, (*stack, *first, *second))
        shape = [sizes[name] for name in stack]
        shape += [math.prod(sizes[name] for name in group) for group in (first, second)]
        return builder.reshaped(view, tuple(shape))

    extents = tuple(sizes[name] for name in stack)
    made = product_of(folded(one, down, gone), folded(two, gone, across), extents)
    labels = (*stack, *down, *across)
    layout.require_possible(tuple(sizes[name] for name in labels), "einsum(*operands)")
    return _Part(builder.reshaped(made, tuple(sizes[name] for name in labels)), labels)
