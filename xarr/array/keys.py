# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Find the view, or the one element, that a key of integers, slices, `...` and None names.

Besides what operators ask of two views: the shape they broadcast to, and a write to one of them.
"""

from __future__ import annotations

from typing import Any, Final

from xarr import dtypes, layout, tuning
from xarr.ir import _cython as cython
from xarr.ir.operation import interned
from xarr.tape.record import choice

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.instructions import Opcode, opcode_of
    from xarr.ir.storage import Storage, are_shared
    from xarr.ir.views import ArraySlots, Structure, View, structure, view_at, view_within
    from xarr.tape.record import computed, is_idle, recorded, store_of
    from xarr.tape.scalar_access import settled
    from xarr.tape.tape import Tape, tape_of

_bool = cython.declare(object, dtypes.bool_)
_float16 = cython.declare(object, dtypes.float16)
_float32 = cython.declare(object, dtypes.float32)
_KEPT_NBYTES = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
LONGEST_STEP: Final = 1 << 31
"""The longest step of a slice; one that is longer than its axis is as good."""
_LONGEST = cython.declare(cython.Py_ssize_t, LONGEST_STEP)
_MOST_AXES = cython.declare(cython.Py_ssize_t, layout.MAX_NDIM)
_EXACT = cython.declare(cython.Py_ssize_t, 1 << 24)
_NEVER = cython.declare(cython.Py_ssize_t, -(1 << 62))


@cython.cfunc
def value_of(x: ArraySlots) -> Any:
    """Return the value of a number; None of what has axes or is in a storage."""
    return None if x._view.structure.shape else x._view.value


@cython.ccall
def number_for(how: Structure, value: object) -> object:
    """Return a number that may be written to an element without a check or a warning, else None.

    A float for float32 has to be in range alone: the write rounds it.
    """
    if isinstance(value, ArraySlots):
        given: Structure = view_within(value).structure
        is_alike: cython.bint = given.device is how.device and given.dtype is how.dtype
        return value_of(value) if is_alike else None
    if type(value) is float and how.dtype is _float32:
        low, high = how.dtype.bounds
        return value if low <= value <= high else None  # the write itself rounds
    if how.fits(value):
        return value
    if type(value) is int and how.low is None and -_EXACT <= value <= _EXACT:
        if how.dtype is _bool:
            return value != 0
        if how.dtype is not _float16:  # the others hold so small an integer exactly
            return complex(value) if how.is_complex else float(value)
    return None


@cython.cfunc
def integer_of(item: object) -> Any:
    """Return an integer of a key, or of an array that is one number; None of anything else."""
    if type(item) is int:
        return item
    if not isinstance(item, ArraySlots):
        return None
    view: View = view_within(item)
    if view.structure.shape:
        return None
    value = settled(view).value
    return value if type(value) is int else None


@cython.cfunc
def index_of(item: object, extent: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place of an integer of a key on an axis; -1 for others, and out of bounds."""
    number = integer_of(item)
    if number is None:
        return -1
    at: cython.Py_ssize_t = number
    if at < 0:
        at += extent
    return at if 0 <= at < extent else -1


@cython.cfunc
def _bound(
    item: object, extent: cython.Py_ssize_t, step: cython.Py_ssize_t, absent: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return a bound of a slice as Python takes it for an extent; `_NEVER` if it is no integer."""
    if item is None:
        return absent
    number = integer_of(item)
    if number is None:
        return _NEVER
    at: cython.Py_ssize_t = number
    if at < 0:
        at += extent
        return at if at >= 0 else 0 if step > 0 else -1
    return at if at < extent else extent if step > 0 else extent - 1


@cython.cfunc
def _step_of(item: object) -> cython.Py_ssize_t:
    """Return the step of a slice; 0 for what is none, or is too long."""
    if item is None:
        return 1
    number = integer_of(item)
    step: cython.Py_ssize_t = 0 if number is None else number
    return step if -_LONGEST <= step <= _LONGEST else 0


@cython.ccall
def sliced(
    shape: tuple[Any, ...], strides: tuple[Any, ...], items: tuple[Any, ...], lies: list[Any]
) -> cython.Py_ssize_t:
    """Return where what a key of integers, slices, `...` and None names begins.

    Of each axis the extent and the stride are appended to a list. `_NEVER` for other keys, and for
    those that are errors.
    """
    part: slice
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    step: cython.Py_ssize_t
    extent: cython.Py_ssize_t
    stride: cython.Py_ssize_t
    beyond: cython.Py_ssize_t = 0
    axis: cython.Py_ssize_t = 0
    dots: cython.Py_ssize_t = 0
    rest: cython.Py_ssize_t = len(shape) - len(items)  # the axes that the key does not name
    for item in items:
        if item is None:
            rest += 1
        elif item is Ellipsis:
            dots += 1
    rest += dots
    if rest < 0 or dots > 1:
        return _NEVER
    for item in items:
        if item is None:
            lies.append(1)
            lies.append(0)
            continue
        if item is Ellipsis:
            for _ in range(rest):
                lies.append(shape[axis])
                lies.append(strides[axis])
                axis += 1
            continue
        extent = shape[axis]
        stride = strides[axis]
        axis += 1
        if type(item) is not slice:
            start = index_of(item, extent)
            if start < 0:
                return _NEVER
            beyond += start * stride
            continue
        part = item
        step = _step_of(part.step)
        if not step:
            return _NEVER
        start = _bound(part.start, extent, step, 0 if step > 0 else extent - 1)
        stop = _bound(part.stop, extent, step, extent if step > 0 else -1)
        if start == _NEVER or stop == _NEVER:
            return _NEVER
        stop = (stop - start + step - 1) // step if step > 0 else (start - stop - step - 1) // -step
        if stop <= 0:
            stop = start = 0
        beyond += start * stride
        lies.append(stop)
        lies.append(step * stride)
    while axis < len(shape):
        lies.append(shape[axis])
        lies.append(strides[axis])
        axis += 1
    return beyond


@cython.ccall
def part_of(view: View, key: object) -> View | None:
    """Return the view with axes that a basic key names; None of other keys, and of errors."""
    how: Structure = view.structure
    if how.strides is None or not how.shape:
        return None  # of a number a view is a copy
    lies: list[Any] = []
    beyond: cython.Py_ssize_t
    try:
        beyond = sliced(how.shape, how.strides, key if type(key) is tuple else (key,), lies)
    except OverflowError:  # of an integer that is longer than any axis
        return None
    if beyond == _NEVER or not lies or len(lies) > 2 * _MOST_AXES:
        return None
    name: object = tuple(lies)
    other: Structure | None = how.known(name)
    if other is None:
        other = structure(how.device, how.dtype, tuple(lies[::2]), tuple(lies[1::2]))
        if other.is_known:
            how.remember(name, other)
    return view_at(view.storage, other, view.offset + beyond)


@cython.ccall
def place_of(view: View, key: object) -> cython.Py_ssize_t:
    """Return where the one element lies that a key of integers names; -1 for other keys."""
    how: Structure = view.structure
    place: cython.Py_ssize_t
    strides: tuple[Any, ...] | None = how.strides
    if strides is None or type(key) is slice:
        return -1
    shape: tuple[Any, ...] = how.shape
    if type(key) is int and len(shape) == 1:
        try:
            place = index_of(key, shape[0])
        except OverflowError:
            return -1
        return -1 if place < 0 else view.offset + place * strides[0]
    items: tuple[Any, ...] = key if type(key) is tuple else (key,)
    if len(items) != len(shape):
        return -1
    at: cython.Py_ssize_t = view.offset
    number: cython.Py_ssize_t
    try:
        for number in range(len(items)):
            place = index_of(items[number], shape[number])
            if place < 0:
                return -1
            at += place * strides[number]
    except OverflowError:
        return -1
    return at


@cython.cfunc
def broadcast_pair(one: tuple[Any, ...], two: tuple[Any, ...]) -> object:
    """Return the shape that two shapes broadcast to; None where they do not."""
    if one == two or not two:
        return one
    if not one:
        return two
    count: cython.Py_ssize_t = max(len(one), len(two))
    more: cython.Py_ssize_t = count - len(one)
    other: cython.Py_ssize_t = count - len(two)
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    second: cython.Py_ssize_t
    shape: list[Any] = []
    for at in range(count):
        first = one[at - more] if at >= more else 1
        second = two[at - other] if at >= other else 1
        if first != second and first != 1 and second != 1:
            return None
        shape.append(second if first == 1 else first)
    return tuple(shape)


@cython.ccall
def name_of_store(part: View, given: View) -> object:
    """Return the key by which a view remembers the write of another view to it."""
    if given.storage is part.storage:
        return given.structure, given.offset - part.offset
    return given.structure


@cython.cfunc
def chosen(mask: View, value: View, view: View) -> View | None:
    """Record a view's elements with a value where a mask of its shape holds; None of other keys.

    Of few elements NumPy writes those that a mask selects, in a quarter of the time: None, too.
    """
    how: Structure = view.structure
    what: Structure = mask.structure
    if what.dtype is not _bool or what.shape != how.shape or not how.shape:
        return None
    if what.device is not how.device or mask.storage is None:
        return None
    if how.nbytes <= _KEPT_NBYTES and is_idle(tape_of(how.device)):
        return None
    operation = interned(choice, how.dtype)
    operands = (what, value.structure, how)
    opcode: Opcode = opcode_of(operation, operands, how.shape, None, how.shape)
    return computed(opcode, (mask, value, view)) if opcode.nbytes else None


@cython.ccall
def is_stored(part: View, given: View) -> cython.bint:
    """Write a view to another one; return whether that is done.

    It is if a write like it was met, or if shape and data type agree.
    """
    storage: Storage | None = part.storage
    if storage is None or storage.read_only:
        return False
    is_itself: cython.bint = given.structure is part.structure and given.storage is storage
    if is_itself and given.offset == part.offset:
        return True  # x[key] += value has written already; Python now assigns the view to itself
    if are_shared(storage, given.storage):
        return False
    how: Structure = part.structure
    opcode = how.known(name_of_store(part, given))
    if opcode is None:
        what: Structure = given.structure
        fits: cython.bint = what.shape == how.shape or (given.storage is None and not what.shape)
        if not fits or what.dtype is not how.dtype or given.storage is storage or not how.size:
            return False
        opcode = store_of(what, how)
        if how.is_met() and what.is_met():
            how.remember(what, opcode)
    tape: Tape = tape_of(storage.device)
    tape.lock.acquire()
    try:
        storage.writes += 1
        recorded(opcode, (given,), part)
    finally:
        tape.lock.release()
    return True
