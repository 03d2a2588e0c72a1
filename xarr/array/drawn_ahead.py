# cython: boundscheck=False, wraparound=False, nonecheck=True, auto_pickle=False
"""Random draws of few elements, whose values were computed together with those of earlier draws.

`random.rand()` takes 0.3 us so, and `random.rand(3)` 0.8: a quarter of what Python takes to look at
the arguments again.
"""

from __future__ import annotations

import math
from typing import Any

from xarr.backends import lock as locks
from xarr.backends.device import default_device
from xarr.dtypes import DType
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import made
    from xarr.backends.lock import Lock
    from xarr.ir.events import core_hooks
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, view_at
    from xarr.tape.record import is_nearly_idle
    from xarr.tape.tape import tape_of

_copysign = cython.declare(object, math.copysign)
_default_device = cython.declare(object, default_device)
_NUMBERS = cython.declare(object, {int, float, str, type(None), DType, type})
_WORD = cython.declare(object, 1 << 64)


@cython.cclass
class Counter:
    """The key of a bit generator, and how many draws there were.

    Attributes
    ----------
    _key : int or None
        The key; None before the first draw of a generator without a seed.
    _drawn : int
        The number of draws.
    """

    lock: Lock
    _key: Any
    _drawn: Any

    def __init__(self) -> None:
        self.lock = locks.new_lock()
        self._drawn = 0

    @cython.cfunc
    def taken(self, key: object, first: object, count: object) -> object:
        """Take the next draw if it is one of `count` from `first` on; return which, or None."""
        self.lock.acquire()
        try:
            place: Any = self._drawn - first
            if key != self._key or place < 0 or place >= count:
                return None
            self._drawn = (self._drawn + 1) % _WORD
            return place
        finally:
            self.lock.release()


@cython.cclass
class Ahead:
    """Draws of one kind, of which some are computed already.

    Attributes
    ----------
    lot : tuple
        The key, the number of the first draw, their count, and the values of each.
    device : Device
        Where they are drawn.
    how : Structure or None
        Of an array that is drawn; None where a draw is a number.
    """

    lot: tuple[Any, ...]
    device: Any
    how: Structure | None

    def __init__(self, device: Any, how: Structure | None) -> None:
        self.lot = (None, 0, 0, ())
        self.device, self.how = device, how


@cython.cclass
class DrawsAhead:
    """Random numbers that a source has drawn already.

    Attributes
    ----------
    calls : dict
        Draws by the key that `call_of` returns.
    """

    calls: dict[Any, Any]
    _kind: Any

    def __init__(self, kind: type) -> None:
        """Serve bit generators of one class, as others may draw in another way."""
        self.calls = {}
        self._kind = kind

    @cython.ccall
    def next(self, bits: object, call: object) -> Any:
        """Return the next draw of a bit generator for a call; None if it is to be computed."""
        found: Any = self.calls.get(call)
        if found is None:
            return None
        ahead: Ahead = found
        device: Any = ahead.device
        if device is not _default_device() or core_hooks.recorder is not None:
            return None
        if device.is_recorded or device.drawing is not None:
            return None
        if ahead.how is not None and (core_hooks.transfers or not is_nearly_idle(tape_of(device))):
            return None
        if type(bits) is not self._kind:
            return None
        counter: Counter = bits  # type: ignore[assignment]
        lot: tuple[Any, ...] = ahead.lot
        place: Any = counter.taken(lot[0], lot[1], lot[2])
        if place is None:
            return None
        value: Any = lot[3][place]
        if ahead.how is None:
            return value
        how: Structure = ahead.how
        storage: Storage = new_storage(Storage.__new__(Storage), device, how.nbytes)
        storage.buffer = value.copy()
        storage.whole = how
        return made(view_at(storage, how, 0))


@cython.ccall
def call_of(row: object, given: tuple[Any, ...], size: object) -> object:
    """Return the key of a call: its row for a number; None where an argument may not be in one.

    One is a number but -0.0, a string, a data type or None.
    """
    if not given and size is None:
        return row
    for value in given:
        if type(value) not in _NUMBERS:
            return None
        if type(value) is float and not value and _copysign(1.0, value) < 0:  # it is equal to 0.0
            return None
    if type(size) is tuple:
        for value in size:
            if type(value) is not int:
                return None
    elif size is not None and type(size) is not int:
        return None
    return row, given, size
