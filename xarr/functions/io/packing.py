"""Bits in bytes."""

from __future__ import annotations

from typing import Any, SupportsIndex

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.door import array_of
from xarr.array.operands import integer
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.layout import normalize_axis


def packbits(a: Any, /, axis: SupportsIndex | None = None, bitorder: str = "big") -> Array:
    """Pack truths into bytes, eight into each.

    a : bool or integer Array, shape (..., N, ...) -- What is not zero is 1.

    -> uint8 Array, shape (..., ceil(N / 8), ...) -- The bytes; zeros fill the last one.

    >>> xarr.packbits(xarr.asarray([1, 0, 1])).tolist()
    [160]
    """
    where = "packbits(a, axis, bitorder)"
    x = _given(a, (dtypes.BOOL, *dtypes.INTEGER), bitorder, where)
    x, place = _with_axis(x, axis, where)
    truths = Array(engine.converted(engine.converted(x._node, dtypes.bool_), dtypes.uint8))
    last = manipulation.moveaxis(truths, place, -1)
    last = _with_zeros(last, -last.shape[-1] % 8)
    bits = manipulation.reshape(last, (*last.shape[:-1], last.shape[-1] // 8, 8))
    weights = _shifts(bitorder, x)
    packed = reductions.sum(elementwise.bitwise_left_shift(bits, weights), axis=-1, dtype="uint8")
    return manipulation.moveaxis(packed, -1, place)


def unpackbits(
    a: Any,
    /,
    axis: SupportsIndex | None = None,
    count: SupportsIndex | None = None,
    bitorder: str = "big",
) -> Array:
    """Unpack the bits of bytes.

    a : uint8 Array, shape (..., N, ...) -- The bytes.
    count : int, optional -- How many bits along the axis; zeros follow if there are too few. If it
        is negative, so many are left out at the end. None for all.

    -> uint8 Array, shape (..., 8 * N, ...) -- Zeros and ones.

    >>> xarr.unpackbits(xarr.asarray([160], dtype="uint8"), count=3).tolist()
    [1, 0, 1]
    """
    where = "unpackbits(a, axis, count, bitorder)"
    x = _given(a, (dtypes.UNSIGNED,), bitorder, where)
    if x._node.dtype is not dtypes.uint8:
        raise type_error(where, f"a has dtype {x.dtype}", "uint8 is accepted")
    x, place = _with_axis(x, axis, where)
    last = manipulation.moveaxis(x, place, -1)
    shifted = elementwise.bitwise_right_shift(last[..., None], _shifts(bitorder, x))
    bits = manipulation.reshape(shifted & 1, (*last.shape[:-1], 8 * last.shape[-1]))
    if count is not None:
        given = integer(count, where, "count")
        have = bits.shape[-1]
        if given < -have:
            raise value_error(where, f"count is {given}", f"there are {have} bits")
        wanted = given if given >= 0 else have + given
        bits = _with_zeros(bits[..., :wanted], wanted - have)
    return manipulation.moveaxis(bits, -1, place)


def _given(a: Any, kinds: tuple[str, ...], bitorder: str, where: str) -> Array:
    x = array_of(a, where, "a")
    if bitorder not in ("big", "little"):
        raise value_error(where, f"bitorder is {bitorder!r}", "'big' and 'little' are accepted")
    if x._node.dtype.kind not in kinds:
        raise type_error(where, f"a has dtype {x.dtype}", "integers or bools are accepted")
    return x


def _with_axis(x: Array, axis: SupportsIndex | None, where: str) -> tuple[Array, int]:
    """The operand and the axis; flattened where there is none."""
    if axis is None or not x.ndim:
        x, axis = manipulation.ravel(x), 0
    return x, normalize_axis(axis, x.ndim, where)


def _with_zeros(x: Array, count: int) -> Array:
    """An array with so many zeros more along its last axis."""
    if count <= 0:
        return x
    rest = fills.zeros((*x.shape[:-1], count), dtype="uint8", device=x.device)
    return joining.concat([x, rest], axis=-1)


def _shifts(bitorder: str, x: Array) -> Array:
    """The shift of each bit of a byte."""
    steps = creation.arange(8, dtype="uint8", device=x.device)
    return 7 - steps if bitorder == "big" else steps
