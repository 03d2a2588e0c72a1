"""The derivatives of a program's own kernels, which their `derivative` gives in array code."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

from xarr import errors
from xarr.array.array import Array
from xarr.functions.shape import manipulation
from xarr.transforms.adjoints import Adjoints, in_type
from xarr.transforms.steps import Rule, Step, Whole, missing, times


def rule_of(kernel: Any, number: int) -> Rule:
    """Return the rule of an output of an elementwise kernel; refuse one without a derivative.

    A reduction, whose elements have the number -1, is derived as a whole or not at all.
    """
    if kernel.derivative is None:
        raise missing(kernel.name, "pass derivative= to the kernel")
    if number < 0:
        raise missing(kernel.name, "take vmap(grad(f)), not grad(vmap(f))")
    wanted = (*range(kernel.nin), *([-1] if _takes_result(kernel) else []))

    def pull(at: Step, adjoints: Adjoints) -> None:
        g = adjoints.taken(at.target, True)
        if g is None:
            return
        if any(place is not None for place in at.operands[kernel.nin :]):
            fault = "an output that was given depends on an argument, and may keep elements"
            raise errors.value_error(
                f"{kernel.name}(...)",
                fault,
                "outputs must be new to have a derivative",
                "leave it out of the call",
            )
        g = in_type(g, at.operation.result)
        parts = _partials(kernel, [at.value(place) for place in wanted], number)
        for place, part in zip(at.operands, parts, strict=False):
            if place is not None and part is not None:
                adjoints.add(place, times(g, part))

    return Rule(whole=pull, wanted=wanted)


def _takes_result(kernel: Any) -> bool:
    """Return whether a kernel's derivative takes the result behind the inputs."""
    try:
        count = len(inspect.signature(kernel.derivative).parameters)
    except ValueError:  # as of a function in C
        return False
    return bool(kernel.nout == 1 and count == kernel.nin + 1)


def _partials(kernel: Any, values: Sequence[Array], number: int) -> Sequence[Any]:
    """Return the partial derivatives of an output by the inputs."""
    found = kernel.derivative(*values)
    if kernel.nout > 1:
        found = _tuple_of(found, kernel.nout, kernel.name)[number]
    return _tuple_of(found, kernel.nin, kernel.name)


def _tuple_of(found: Any, count: int, name: str) -> Sequence[Any]:
    """Return what a derivative returned as a tuple of a length."""
    parts: Sequence[Any] = found if isinstance(found, tuple | list) else (found,)
    if len(parts) != count:
        fault = f"derivative returned {len(parts)} values in the place of {count}"
        accepted = "partial derivatives by each input, of each output, must be returned"
        raise errors.type_error(f"{name}(...)", fault, accepted)
    return parts


def _reduced(
    g: list[Array | None], given: list[Array], made: list[Array], kernel: Any, kept: tuple[int, ...]
) -> Sequence[Array | None]:
    """Return the adjoints of a reduction's inputs; `kept` is the result's shape with all axes."""
    assert g[0] is not None
    along = manipulation.reshape(g[0], kept)
    result = [manipulation.reshape(made[0], kept)] if _takes_result(kernel) else []
    parts = _partials(kernel, [*given, *result], 0)
    return [None if part is None else times(along, part) for part in parts]


REDUCTION: Final = Whole(_reduced)
"""The derivative of a reduction with a `derivative`."""
