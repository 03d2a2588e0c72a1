"""The memory of an array as NumPy's attributes describe it: flags, base, the host's view.

Nothing here computes, but where the memory itself is asked for.
"""

from __future__ import annotations

from typing import Any, Final

import numpy

from xarr import errors, layout
from xarr.array import dlpack, exchange
from xarr.array.array import Array
from xarr.array.layouts import layout_of, settled, writeable
from xarr.ir.views import storage_view
from xarr.layout import Layout

_SHORT: Final = dict(
    pair.split("=")
    for pair in """
    C=c_contiguous CONTIGUOUS=c_contiguous C_CONTIGUOUS=c_contiguous F=f_contiguous
    FORTRAN=f_contiguous F_CONTIGUOUS=f_contiguous O=owndata OWNDATA=owndata W=writeable
    WRITEABLE=writeable A=aligned ALIGNED=aligned X=writebackifcopy WRITEBACKIFCOPY=writebackifcopy
    B=behaved BEHAVED=behaved CA=carray CARRAY=carray FA=farray FARRAY=farray FNC=fnc FORC=forc
    """.split()  # noqa: SIM905 - a table of words
)
"""The attributes by NumPy's names of items."""
_SHOWN: Final = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")


class Flags:
    """The layout of an array in memory, and whether it can be written: `x.flags`.

    Each flag is an attribute, and an item under NumPy's name. `writeable` can be set.

    Examples
    --------
    >>> import xarr
    >>> xarr.eye(2)[:, 0].flags.c_contiguous
    False
    >>> xarr.eye(2).flags["WRITEABLE"]
    True
    """

    __slots__ = ("_array",)

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Array) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements follow each other, the last index running fastest."""
        return layout_of(self._array).linear

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements follow each other, the first index running fastest."""
        return layout.is_fortran(layout_of(self._array))

    fortran = f_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the memory is the array's own, and the array no view."""
        return base_of(self._array) is None

    @property
    def writeable(self) -> bool:
        """Whether elements can be written."""
        return writeable(self._array)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        set_writeable(self._array, bool(value))

    @property
    def aligned(self) -> bool:
        """Whether elements begin at multiples of their size: always."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """Whether the array is a copy that will be written back: never."""
        return False

    @property
    def behaved(self) -> bool:
        """Aligned and writeable."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Behaved and in C order."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Behaved, in Fortran order and not in C order."""
        return self.writeable and self.fnc

    @property
    def fnc(self) -> bool:
        """In Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """In Fortran or in C order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def num(self) -> int:
        """The flags as NumPy's number."""
        return (
            self.c_contiguous
            | self.f_contiguous << 1
            | self.owndata << 2
            | 0x100
            | self.writeable << 10
        )

    def __getitem__(self, name: str) -> bool:
        attribute = _SHORT.get(name)
        if attribute is None:
            raise errors.refused(KeyError, "x.flags[name]", f"name is {name!r}", _names())
        return bool(getattr(self, attribute))

    def __setitem__(self, name: str, value: bool) -> None:
        if _SHORT.get(name) != "writeable":
            raise errors.refused(
                KeyError,
                "x.flags[name] = value",
                f"name is {name!r}",
                "it must be WRITEABLE, as no other flag can be set",
            )
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self.num == other.num

    def __repr__(self) -> str:
        lines = [f"  {name} : {self[name]}\n" for name in (*_SHOWN, "WRITEBACKIFCOPY")]
        return "".join(lines)


def _names() -> str:
    return "it must be one of " + ", ".join((*_SHOWN, "WRITEBACKIFCOPY", "FNC", "FORC"))


def set_writeable(array: Array, value: bool) -> None:
    """Set whether an array can be written; memory that may not be written stays so."""
    if value and array._locked:
        array._locked = False
        base = base_of(array)
        if not writeable(array) or (base is not None and base._locked):
            array._locked = True
            raise errors.value_error(
                "x.flags.writeable = True",
                "x is a view of memory that cannot be written",
                "x must own its memory, or be a view of an array that can be written",
                "write to a copy: x = x.copy()",
            )
    elif value and not writeable(array):
        raise errors.value_error(
            "x.flags.writeable = True",
            "x is a broadcast view, or another library's memory that is read-only",
            "the elements of x must have memory of their own",
            f"write to a copy: x = x.copy(); {errors.difference('np-broadcast-to')}",
        )
    array._locked = not value


def set_flags(
    x: Array, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Set whether the array can be written; the other flags stay as they are."""
    if uic or (align is not None and not align):
        raise errors.value_error(
            "x.setflags(write, align, uic)",
            f"align is {align} and uic is {uic}",
            "align must be True or None, and uic False or None",
        )
    if write is not None:
        set_writeable(x, bool(write))


def _covers(array: Array) -> bool:
    """Return whether an array has the whole of its memory, each element once."""
    view = array._view
    where = view.layout
    assert where is not None
    assert view.storage is not None
    is_all = where.size * view.dtype.itemsize == view.storage.nbytes
    return is_all and not view.structure.repeats


def base_of(array: Array) -> Any:
    """The array whose memory a view is of; None for an array of its own memory.

    Where that array is gone, a new one of the whole memory.
    """
    view = array._view
    storage = view.storage
    if storage is None:
        return None
    base = array._base
    if base is not None and base._view.storage is storage:
        return base
    if _covers(array):
        return None
    whole = Layout((storage.nbytes // view.dtype.itemsize,), (1,))
    result = Array(storage_view(storage, whole, view.dtype))
    result._locked = array._locked
    return result


def bytes_of(array: Array) -> int:
    """The bytes of the object and of its shape, and of its elements unless it is a view."""
    own = 0 if base_of(array) is not None else array.nbytes
    return object.__sizeof__(array) + 16 * array.ndim + own


def on_host(array: Array, where: str) -> Any:
    """A NumPy array in the array's own memory, which has to be the host's."""
    found = exchange.in_place(array)
    if found is None:
        raise errors.refused(
            AttributeError,
            where,
            f"the array is on {array._view.device}",
            "it must be on a CPU",
            f"make a copy with xarr.to_numpy(x); {errors.difference('np-x-data')}",
        )
    return found


def data_of(array: Array) -> memoryview:
    """The memory of an array on a CPU, which is seen by both sides from then on."""
    data: memoryview = on_host(array, "x.data").data
    return data


def ctypes_of(array: Array) -> Any:
    """The memory of an array on a CPU for ctypes, as NumPy's attribute has it."""
    return on_host(array, "x.ctypes").ctypes


def share_memory(first: Any, second: Any, max_work: int | None, *, exactly: bool) -> bool:
    """Return whether two arrays have a byte in common.

    Without `exactly` return whether their ends cross.
    """
    function: Any = numpy.shares_memory if exactly else numpy.may_share_memory
    options = {} if max_work is None else {"max_work": max_work}
    if type(first) is Array and type(second) is Array:
        if first is second:
            return first.size > 0
        if first._view.storage is None or first._view.storage is not second._view.storage:
            return False
        return bool(function(_by_address(first), _by_address(second), **options))
    pair = [exchange.in_place(one) if type(one) is Array else one for one in (first, second)]
    return type(None) not in map(type, pair) and bool(function(*pair, **options))


def _by_address(array: Array) -> Any:
    """A NumPy array with the addresses that an array has in its storage; never to be read."""
    where, dtype = settled(array), array._view.dtype.numpy
    begin = where.offset * dtype.itemsize + _APART
    place = (dlpack.CPU, 0)
    return dlpack.as_numpy(
        dlpack.Memory(begin, where.shape, where.strides, dtype, place, read_only=True, owner=None)
    )


_APART: Final = 1 << 20
"""An offset of addresses, so that none is 0."""
