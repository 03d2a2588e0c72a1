"""Steps: what was noted of an instruction, with its rule and the values that the rule wants.

A rule has a function for each operand, which makes of the result's adjoint `g` that of the operand;
its parameters say what else it wants: `x` or `x1`, `x2`, `x3` (operands), `r` (the result), `at`
(the step). Only that is held until the derivative is taken. A *factor* leaves `g` out: it is
multiplied with that, conjugated where it is complex, as of any holomorphic function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from xarr import errors
from xarr.array.array import Array
from xarr.dtypes import COMPLEX
from xarr.functions.elementwise import elementwise as np
from xarr.functions.index.searching import where
from xarr.ir.instructions import Opcode
from xarr.ir.views import View, constant
from xarr.layout import Shape
from xarr.tape import builder
from xarr.transforms.adjoints import Adjoints, Place, array_at, in_type

Value = Any
"""An array, or a number."""
_OPERANDS: Final = {"x": 0, "x1": 0, "x2": 1, "x3": 2, "r": -1}


class Partial:
    """The derivative by one operand."""

    __slots__ = ("function", "is_factor", "parameters", "wanted")

    def __init__(self, function: Callable[..., Value]) -> None:
        names = tuple(inspect.signature(function).parameters)
        self.function = function
        self.parameters = names
        self.is_factor = "g" not in names
        self.wanted = tuple([_OPERANDS[name] for name in names if name in _OPERANDS])

    def of(self, step: Step, g: Array) -> Array | None:
        """Return the adjoint of the operand, for that of the result; None where it is zero."""
        values: list[Value] = []
        for name in self.parameters:
            number = _OPERANDS.get(name)
            if number is not None:
                values.append(step.value(number))
            else:
                values.append(g if name == "g" else step)
        found = self.function(*values)
        return times(g, found) if self.is_factor else found


class Rule:
    """The derivative of an operation: by each operand, or of all the step.

    Attributes
    ----------
    partials : tuple of Partial or None
        Those of the operands; None for one by which the derivative is zero.
    whole : function or None
        What passes adjoints on instead, given the step and the `Adjoints`.
    """

    __slots__ = ("partials", "whole", "whole_wanted")

    def __init__(
        self,
        *functions: Callable[..., Value] | None,
        whole: Callable[[Step, Adjoints], None] | None = None,
        wanted: tuple[int, ...] = (),
    ) -> None:
        self.partials = tuple([None if each is None else Partial(each) for each in functions])
        self.whole = whole
        self.whole_wanted = wanted

    def has_part(self, places: Sequence[object]) -> bool:
        """Return whether there is a derivative by one of the active operands."""
        pairs = zip(places, self.partials, strict=False)
        return any(place is not None and partial is not None for place, partial in pairs)

    def wanted(self, places: Sequence[Place | None]) -> set[int]:
        """Return the numbers of the values that are wanted for active operands."""
        found = set(self.whole_wanted)
        for place, partial in zip(places, self.partials, strict=False):
            if place is not None and partial is not None:
                found.update(partial.wanted)
        return found


ZERO: Final = Rule(None, None, None, None)
"""The rule of what is constant but for steps."""


class Whole(NamedTuple):
    """The derivative of a function that is taken as a whole.

    Attributes
    ----------
    function : function
        Makes of the results' adjoints (None where zero), the operands, the results and the options
        the operands' adjoints.
    wants_operands, wants_results : bool
        Whether it needs the values, which are held; else it is given none.
    """

    function: Callable[..., Sequence[Array | None]]
    wants_operands: bool = True
    wants_results: bool = True


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
                "vjp(fun)",
                f"an array of shape {view.shape}, which fun read, was written to after the call",
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


def missing(
    where: str, remedy: str = "define one with xarr.custom_vjp, or pass a copy of constants"
) -> Exception:
    """Return the error of a function that has no derivative."""
    fault = "it has no derivative, and one of its operands depends on an argument"
    accepted = "each operation must have a derivative"
    return errors.refused(NotImplementedError, where, fault, accepted, remedy)


def conj(value: Value) -> Value:
    """Return the complex conjugate; the value itself where it is real."""
    if type(value) is Array and value._view.dtype.kind == COMPLEX:
        return np.conj(value)
    return value.conjugate() if type(value) is complex else value


def times(g: Array, factor: Value) -> Array:
    """Return an adjoint times the conjugate of a factor."""
    if type(factor) in (int, float) and factor == 1:
        return g
    product: Array = g * conj(factor)
    return product


def is_complex(value: Array) -> bool:
    """Return whether an array holds complex numbers."""
    return value._view.dtype.kind == COMPLEX


def like(number: float, beside: Array) -> Array:
    """Return a number as an array of another one's data type."""
    return Array(constant(number, beside._view.dtype, (), beside.device))


def signed(x: Array) -> Array:
    """Return the derivative of abs, which JAX has as 1 at 0; of complex numbers the sign."""
    if is_complex(x):
        return np.sign(x)
    return where(x >= 0, like(1.0, x), like(-1.0, x))
