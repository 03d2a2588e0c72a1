# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Record the instructions of a call again for other arrays, where it is like earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from xarr import dtypes, errors
from xarr.core import _cython as cython
from xarr.core.memo import remembered

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.core.instructions import Opcode, Step
    from xarr.core.operators import ArrayBase, is_plain, made, view_of
    from xarr.core.record import computed, recorded
    from xarr.core.tape import Tape
    from xarr.core.views import Node, Structure, view_at
    from xarr.core.watch import core_counts, core_hooks

_TRIES = cython.declare(cython.Py_ssize_t, 4)
_MOST_PARTS = cython.declare(cython.Py_ssize_t, 32)


@cython.cclass
class Recipe:
    """What a call has recorded, to be recorded again for arrays like those that it was given.

    A place is one of the nodes, by number: those given, then those made; or a view: of which node's
    storage, its structure, and how far beyond that node it begins; or a constant's node.

    Attributes
    ----------
    steps : list of (Opcode, list, object)
        The instructions: places of the operands and of what is written, if that exists; a scalar.
    results : list of (place, int, bool, bool)
        The arrays that it returns: of which given one each is a view, -1 of none, whether it is
        locked, and whether it is kept. `is_lone` if it is no tuple of them.
    """

    steps: list[Any]
    results: list[Any]
    is_lone: bool

    @cython.cfunc
    def follow(self, arrays: list[Any]) -> Any:
        """Record it for other arrays; what it returns."""
        opcode: Opcode
        target: Node
        array: ArrayBase
        places: list[Any]
        number: cython.Py_ssize_t
        nodes: list[Any] = []
        for array in arrays:
            nodes.append(array._node)
        for opcode, places, scalar in self.steps:
            operands: list[Any] = []
            for place in places:
                operands.append(_at(nodes, place))
            if opcode.is_fresh:
                nodes.append(computed(opcode, tuple(operands), scalar))
                continue
            target = operands[0] if opcode.target is None else operands.pop()
            with opcode.device.lock:
                target.storage.writes += 1  # type: ignore[union-attr]
                recorded(opcode, tuple(operands), None if opcode.target is None else target)
        found: list[Any] = []
        for place, number, is_locked, is_kept in self.results:
            node = _at(nodes, place)
            array = made(node) if number < 0 else view_of(arrays[number], node)
            array._locked = is_locked
            array._kept = is_kept
            found.append(array)
        return found[0] if self.is_lone else tuple(found)


@cython.cfunc
def _at(nodes: list[Any], place: Any) -> Node:
    """The node of a place of a recipe."""
    node: Node
    beyond: cython.Py_ssize_t
    if type(place) is int:
        return nodes[place]
    if type(place) is tuple:
        number, how, beyond = place
        node = nodes[number]
        return view_at(node.storage, how, node.offset + beyond)
    return place


def _recipe(steps: list[Step], arrays: list[ArrayBase], result: Any) -> Recipe | None:
    """What a call recorded that was given arrays; None where it is not told by them alone."""
    known = [array._node for array in arrays]
    numbers = {id(node.storage): number for number, node in reversed(list(enumerate(known)))}

    def place_of_node(node: Node) -> Any:
        if node.storage is None:
            return node
        number = numbers[id(node.storage)]
        base = known[number]
        if base.dtype is not node.dtype:
            raise KeyError(number)  # it begins elsewhere where that one does
        if base.structure is node.structure and base.offset == node.offset:
            return number
        return number, node.structure, node.offset - base.offset

    recipe = Recipe()
    recipe.steps, recipe.results = [], []
    recipe.is_lone = not isinstance(result, tuple)
    try:
        for step in steps:
            places = [place_of_node(node) for node in step.nodes]
            recipe.steps.append((step.opcode, places, step.scalar))
            if step.fresh is not None:
                numbers[id(step.fresh)] = len(known)
                assert step.opcode.target is not None
                known.append(Node(step.fresh, step.opcode.target, 0))
            elif numbers[id(step.written)] < len(arrays):
                return None
        for array in (result,) if recipe.is_lone else result:
            if not is_plain(array) or array._node.storage is None:
                return None
            if any([array is given for given in arrays]) or 0 in array._node.shape:
                return None  # of no elements it does not matter where they begin
            number = numbers[id(array._node.storage)]
            if (number < len(arrays)) is (array._base is None):
                return None  # what was given, or a view of what is new
            if array._base is None:
                number = -1
            else:
                given = arrays[number]
                if array._base is not (given if given._base is None else given._base):
                    return None
            recipe.results.append((place_of_node(array._node), number, array._locked, array._kept))
    except KeyError:
        return None
    return recipe


TOLD: Final = {type(None), bool, int, str, type, dtypes.DType}
"""The types of arguments that are told by what they are equal to."""


@cython.cfunc
def _tells(value: Any, parts: list[Any], arrays: list[Any]) -> cython.bint:
    """Whether an argument is told by parts of a key, which are appended, and by arrays."""
    number: cython.Py_ssize_t = 0
    node: Node
    other: ArrayBase
    if len(parts) > _MOST_PARTS:
        return False
    if isinstance(value, ArrayBase):
        node = value._node
        if node.storage is None or not is_plain(value):
            return False
        parts.append(node.structure)
        if not node.structure.shape:
            parts.append(value._kept)
        if value._locked:
            parts.append(None)
        for other in arrays:
            if other._node.storage is node.storage:
                parts.append(number)
                parts.append(node.offset - other._node.offset)
                break
            number += 1
        arrays.append(value)
        return True
    kind: Any = type(value)
    parts.append(kind)
    if kind is tuple or kind is list:
        parts.append(len(value))
        for one in value:  # noqa: SIM110 - a generator's frame takes longer
            if not _tells(one, parts, arrays):
                return False
        return True
    if kind is float:
        parts.append(value or str(value))  # of two zeros
        return value == value
    parts.append(value)
    return kind in TOLD


@cython.cclass
class Recalled:
    """A function of arrays whose instructions are recorded again where a call is like earlier ones.

    It depends on nothing but its arguments, and on no state but what `Hooks` tell of.

    Attributes
    ----------
    recipes : dict
        By what calls have in common, the Recipe, or how often there was such a call without one.
    """

    function: Any
    recipes: dict[Any, Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.recipes = {}

    @cython.ccall
    def call(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The result for arguments, by position and by name."""
        arrays: list[Any] = []
        key = None if core_hooks.eager or core_hooks.changed else _key_of(given, named, arrays)
        if key is None:
            return self.function(*given, **named)
        recipe: Recipe
        found = self.recipes.get(key)
        if isinstance(found, Recipe):
            recipe = found
            return recipe.follow(arrays)
        tries: cython.Py_ssize_t = 0 if found is None else found
        if tries > _TRIES or not (tries or _are_known(arrays)):
            return self.function(*given, **named)
        remembered(self.recipes, key, tries + 1)
        if not tries:
            return self.function(*given, **named)
        array: ArrayBase = arrays[0]
        tape: Tape = array._node.structure.device.tape
        count = len(tape.steps)
        looks = core_counts.looks
        warned = errors.warned
        result = self.function(*given, **named)
        if looks == core_counts.looks and warned == errors.warned:
            made_of = _recipe(list(tape.steps)[count:], arrays, result)  # others append
            if made_of is not None:
                remembered(self.recipes, key, made_of)
        return result


@cython.cfunc
def _are_known(arrays: list[Any]) -> cython.bint:
    """Whether arrays have structures that were met before; from now on they are."""
    array: ArrayBase
    how: Structure
    known: cython.bint = True
    for array in arrays:
        how = array._node.structure
        known = known and how.is_known
        how.is_known = True
    return known


@cython.cfunc
def _key_of(given: tuple[Any, ...], named: dict[str, Any], arrays: list[Any]) -> object:
    """What calls have in common that record the same; None where that is not told."""
    parts: list[Any] = []
    for value in given:
        if not _tells(value, parts, arrays):
            return None
    for name, value in named.items():
        parts.append(name)
        if not _tells(value, parts, arrays):
            return None
    if not arrays:
        return None
    array: ArrayBase = arrays[0]
    tape: Tape | None = array._node.structure.device.tape
    return None if tape is None or tape.shared else tuple(parts)
