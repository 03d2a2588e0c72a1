"""Where a result goes: a new array, or the one that `out` names, where a mask holds.

A result that goes to `out` is only asked for here, so that it is computed in the launch that stores
it. What it reads may be what it overwrites: `builder.write` sees to that.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array, rebind
from xarr.array.coerce import as_array
from xarr.array.layouts import assign, is_whole, require_writeable, settled
from xarr.backends.device import require_together
from xarr.dtypes import DType
from xarr.ir.views import View
from xarr.layout import Shape, broadcast_shapes
from xarr.ops.rows import choose
from xarr.tape import builder

Outs: TypeAlias = "tuple[Array | None, ...] | Array | None"
"""The type of `out` for several results: a tuple with an entry for each."""
CASTINGS: Final = ("no", "equiv", "safe", "same_kind", "unsafe")


def deliver(
    result: Array,
    out: Any,
    name: str,
    *,
    casting: str = "same_kind",
    where: Any = True,
    grows: bool = True,
) -> Array:
    """The result, or `out` after the result was written to it.

    result : Array -- The result, which broadcasts to the shape of `out`.
    out : Array, tuple of one Array, or None -- Where it goes; None for an array of its own.
    name : str -- What errors name, as "sum(x, axis, out)".
    casting : str
        What may become of the data type: "no", "equiv", "safe", "same_kind" or "unsafe".
    where : bool or bool Array
        Where the result is written; elsewhere `out` keeps its elements. Without `out`, the elements
        elsewhere are of no meaning.
    grows : bool -- Whether `out` may have another shape, as of ufuncs.
    """
    if casting != "same_kind":
        require_casting(casting, name)
    target = single(out, name)
    if target is None and where is True:
        return result
    mask = mask_of(where, result._view, name)
    if target is None:
        assert mask is not None
        shape = broadcast_shapes(result.shape, mask.shape, where=name)
        return result if shape == result.shape else Array(builder.broadcast(result._view, shape))
    if not grows and target.shape != result.shape:
        fault = f"out has shape {target.shape} and the result {result.shape}"
        raise errors.value_error(name, fault, "out must have the shape of the result")
    store(target, result._view, name, casting, mask)
    return target


def copied_back(result: Array, out: Any, name: str) -> Array:
    """Return the result, or `out` after the result was converted to its data type.

    For functions in which NumPy works on a copy of `out` in the result's data type, which therefore
    has to hold all values of `out`.
    """
    target = single(out, name)
    if target is not None:
        require_copyable(target._view.dtype, result._view.dtype, name)
    return deliver(result, target, name, casting="unsafe", grows=False)


def retyped_out(result: Array, out: Any, name: str) -> Array:
    """Return the result, or `out` with the result converted to its data type, as of `take`.

    NumPy 2.5 deprecated an `out` of another kind; older ones refuse some, and do not warn of
    others.
    """
    target = single(out, name)
    if target is not None:
        held, given = target._view.dtype, result._view.dtype
        if not numpy.can_cast(given.numpy, held.numpy, "same_kind"):
            fault = f"out has dtype {held} and the result {given}"
            accepted = (
                f"out must have a dtype to which {given} casts by same_kind; others are deprecated"
            )
            errors.warn(errors.message(name, fault, accepted), DeprecationWarning)
    return deliver(result, target, name, casting="unsafe", grows=False)


def require_copyable(out: DType, result: DType, name: str) -> None:
    """Refuse an `out` whose values the result's data type does not hold."""
    if not numpy.can_cast(out.numpy, result.numpy, "safe"):
        fault = f"out has dtype {out} and the result {result}"
        raise errors.type_error(name, fault, f"out must convert safely to {result}")


def single(out: Any, name: str) -> Array | None:
    """The Array that `out` names, alone or in a tuple."""
    if type(out) is Array or out is None:
        return out
    if type(out) is tuple:
        if len(out) != 1:
            raise errors.value_error(name, f"out has {len(out)} entries", "it must have one")
        return single(out[0], name)
    raise errors.type_error(
        name,
        f"out is of type {type(out).__name__}",
        "out must be an Array",
        f"write out[...] = numpy.asarray(result); {errors.difference('np-out')}"
        if isinstance(out, numpy.ndarray)
        else "make one with xarr.empty(shape, dtype)",
    )


def mask_of(where: Any, beside: View, name: str) -> View | None:
    """The mask that `where` is; None where all elements are written."""
    if where is True:
        return None
    name = name if "where" in name else f"{name[:-1]}, where)"
    typed = type(where) is Array or isinstance(where, numpy.ndarray)
    mask = as_array(
        where,
        name,
        "where",
        dtype=None if typed else dtypes.bool_,
        device=None if type(where) is Array else beside.device,
    )
    view = mask._view
    require_together(view.device, beside.device, name)
    if view.dtype is not dtypes.bool_:
        raise errors.type_error(
            name,
            f"where has dtype {view.dtype}",
            "where must be a mask of bools",
            "write where != 0",
        )
    broadcast_shapes(beside.shape, view.shape, where=name)
    return view


def require_casting(casting: Any, name: str) -> None:
    """Refuse what is none of NumPy's rules."""
    if not isinstance(casting, str) or casting not in CASTINGS:
        accepted = "casting must be one of " + ", ".join(map(repr, CASTINGS))
        raise errors.word_error(name, "casting", casting, accepted)


def require_castable(
    given: DType, wanted: DType, casting: str, name: str, of: str = "the result", to: str = "out"
) -> None:
    """Refuse a conversion that NumPy's rule `casting` does not allow."""
    require_casting(casting, name)
    if given is not wanted and not numpy.can_cast(given.numpy, wanted.numpy, casting):  # type: ignore[arg-type]
        raise errors.type_error(
            name,
            f"{of} has dtype {given} and {to} {wanted}",
            f"the conversion must be {casting!r}",
            'pass casting="unsafe"' + ", or an out of the dtype of the result" * (to == "out"),
        )


def require_shape(
    shape: Shape, out: Shape, name: str, of: str = "the result", to: str = "out"
) -> None:
    """Refuse an `out` that a result, or its mask, does not broadcast to."""
    if shape != out and broadcast_shapes(shape, out, where=name) != out:
        fault = f"{to} has shape {out} and {of} {shape}"
        raise errors.value_error(
            name, fault, f"{to} must have the shape that all operands broadcast to"
        )


def store(
    out: Array, result: View, name: str, casting: str = "same_kind", mask: View | None = None
) -> None:
    """Write a result to an array, where a mask holds; `name` is what errors name."""
    target = out._view
    require_together(result.device, target.device, name)
    require_castable(result.dtype, target.dtype, casting, name)
    require_writeable(out, name)
    shape = target.shape
    require_shape(result.shape, shape, name)
    result = builder.converted(result, target.dtype)
    if mask is not None:
        require_shape(mask.shape, shape, name, "where")
        result = choose(mask, result, target)
    if not is_whole(out):
        assign(out, settled(out), result)
        return
    result = builder.broadcast(result, shape)
    rebind(out, result)
