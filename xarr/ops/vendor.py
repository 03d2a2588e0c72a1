"""Numerical libraries working on a device's memory.

What xarr has no kernel for, or a library does better, a library does: on a CPU NumPy (LAPACK,
pocketfft, its sorts) in the buffers themselves, on a GPU the one that the backend brings, if any.
Else NumPy works on copies, and a warning says so once. No function is known here by name.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.backends.base import InMemory
from xarr.dtypes import DType
from xarr.ir.events import changed, tier
from xarr.ir.memo import remembered
from xarr.ir.steps import LibraryStep
from xarr.ir.storage import Storage
from xarr.ir.views import View, array_in, storage_view
from xarr.layout import Shape
from xarr.lowering.operations import RoutineOp
from xarr.runtime import profiling
from xarr.runtime.host_eval import NumpyStep
from xarr.settings import IMPORTED
from xarr.tape import builder, recorders
from xarr.tape.scalar_access import values_of

if TYPE_CHECKING:
    from xarr.backends.device import Device


observers: Final[list[Callable[[str, int, str, Device], None]]] = []
"""Callbacks for work of the host for a device: the function, bytes, which way, the device."""


def runs_on_numpy(device: Device) -> bool:
    """Return whether NumPy is the device's own library: on a CPU, while no graph is recorded."""
    return device.info.host_addressable and not device.is_recorded


_reproducible: Final = [True] if IMPORTED.reproducible else []
"""An entry for each `reproducible` block that is open; the setting opens one for good."""


@contextmanager
def reproducible() -> Iterator[None]:
    """Let no library compute within a ``with`` block: results have the same bits everywhere.

    Matrix products, Fourier transforms, `linalg.solve`, `inv`, `det`, `slogdet`, `cholesky` and
    `qr` go by xarr's own kernels, in one order on every device and in all threads: slower, and
    factorizations column by column; docs/numerics.md has figures. ``XARR_REPRODUCIBLE=1`` does the
    same for a whole process.

    Raises
    ------
    RuntimeError
        Where a function asks for a factorization that only libraries have: eigenvalues and singular
        values.

    Examples
    --------
    >>> import xarr
    >>> with xarr.reproducible():
    ...     (xarr.ones((2, 3)) @ xarr.ones((3, 2))).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    _reproducible.append(True)
    try:
        with changed():
            yield
    finally:
        _reproducible.pop()


def is_reproducible() -> bool:
    """Return whether results have to have the same bits on every device."""
    return bool(_reproducible)


def routine(name: str, dtype: DType, device: Device) -> Callable[..., Any] | None:
    """Return the device's own function that NumPy calls `name`, as "fft.rfft"; None without one.

    A transform does not scale, unless it is NumPy's own, on a CPU.
    """
    if _reproducible and (name == "matmul" or name.startswith("fft.")):
        return None
    if runs_on_numpy(device):
        return _of_numpy(name)
    # A device that pretends to be another has no library.
    return None if device.options else device.driver.routine(name, dtype.numpy)


def _of_numpy(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = operator.attrgetter(name)(numpy)
    return found


def run(
    where: str,
    name: str,
    operands: Sequence[View],
    results: Sequence[tuple[Shape, DType]],
    *,
    out: bool = False,
    **options: Any,
) -> list[View]:
    """Let a library compute results of given shapes and dtypes: the device's, else the host's.

    `out` says whether the function takes the result's array under this name. A routine of a library
    without arrays of its own always takes those of all results; its `takes` says whether an operand
    may have a shape and strides, in elements.
    """
    device = operands[0].device
    recorders.computing(where, *operands)
    own = routine(name, operands[0].dtype, device)
    function = own or _of_numpy(name)
    takes = getattr(own, "takes", None)
    with device.lock:
        if takes is not None:
            operands = [_in_layout(view, takes) for view in operands]
        kept = own is not None and takes is None and not out
        targets = [] if kept else [new_view(shape, dtype, device) for shape, dtype in results]

        def called(arrays: list[Any]) -> list[View]:
            given, made = arrays[: len(operands)], arrays[len(operands) :]
            if takes is not None:
                function(*given, out=made, **options)
                return targets
            if out:
                function(*given, out=made[0], **options)
                return targets
            found = function(*given, **options)
            values = (found,) if len(results) == 1 else found
            if kept:
                return _result_views(values, given, results, device)
            for target, value in zip(made, values, strict=True):
                target[...] = value
            return targets

        arrays = None if own is None else _arrays_in_place((*operands, *targets), len(operands))
        if arrays is not None:
            if not out:  # a function that writes to `out` writes to no operand
                _lock(arrays[: len(operands)])
            return called(arrays)
        with arrays_of(where, operands, targets, own=own is not None) as arrays:
            return called(arrays)


def recorded(
    name: str, function: Callable[..., Any], operands: Sequence[View], shape: Shape, dtype: DType
) -> View:
    """Record the work of a routine that takes its result's array, as `out`; return the result."""
    takes = getattr(function, "takes", None)
    views = []
    for view in operands:
        builder.materialise(view)
        assert view.layout is not None
        is_taken = takes is None or takes(view.shape, view.layout.strides)
        views.append(view if is_taken else builder.copied(view))
    types = (operands[0].dtype,) * 2
    operation = _operation((name, function, dtype), name, types, dtype, function)
    return builder.defer(operation, tuple(views), shape)


def deferred(
    name: str,
    options: tuple[Any, ...],
    function: Callable[..., Any],
    operands: Sequence[View],
    shape: Shape,
    dtype: DType,
) -> View | None:
    """Record NumPy's work on whole arrays in a CPU's memory; return the result, None elsewhere.

    `function` maps arrays to the result; the name, the `options` and the types determine it.
    """
    if not runs_on_numpy(operands[0].device):
        return None
    for view in operands:
        builder.materialise(view)
    types = tuple([view.dtype for view in operands])
    key = name, options, types, dtype
    operation = _operation(key, name, types, dtype, function, function)
    operation.parameters = options
    return builder.defer(operation, tuple(operands), shape)


def _operation(
    key: tuple[Any, ...],
    name: str,
    operands: tuple[DType, ...],
    result: DType,
    function: Callable[..., Any],
    host: Callable[..., Any] | None = None,
) -> RoutineOp:
    """Return the one operation of a routine for a key."""
    known = _ROUTINES.get(key)
    if known is None:
        step = LibraryStep if host is None else NumpyStep
        known = RoutineOp(name, operands, result, function, host, _work, step)
        remembered(_ROUTINES, key, known)
    return known


_ROUTINES: Final[dict[tuple[Any, ...], RoutineOp]] = {}


def _work(routine: RoutineOp, views: list[View]) -> None:
    _run_routine(routine, views)  # for which profiles may have put another one in place


def _run_routine(routine: RoutineOp, views: list[View]) -> None:
    """Run a routine on views, of which the last is the result and the others are materialised."""
    arrays = views[0].device.driver.arrays(_places(views))
    with ExitStack() as stack:
        if arrays is None:
            arrays = _mapped(views, len(views) - 1, stack)
        if routine.host is not None:
            _evaluate(routine.host, arrays)
            return
        result: Any = arrays.pop()
        has_arrays = getattr(routine.function, "takes", None) is None
        routine.function(*arrays, out=result if has_arrays else [result])


def _evaluate(host: Callable[..., Any], arrays: list[Any]) -> None:
    """Compute the last of some arrays by a NumPy function of the others."""
    *given, result = arrays
    if isinstance(host, numpy.ufunc):
        host(*given, out=result)
    else:
        result[...] = host(*given)


def _result_views(
    values: Sequence[Any], given: list[Any], results: Sequence[tuple[Shape, DType]], device: Device
) -> list[View]:
    """Return the results of the device's library as views, in their own memory if it is new."""
    is_new = not any(value is one for value in values for one in given)
    return [
        adopted(value, dtype, device)
        if is_new and value.dtype == dtype.numpy
        else _copy(value, shape, dtype, device)
        for value, (shape, dtype) in zip(values, results, strict=True)
    ]


def adopted(value: Any, dtype: DType, device: Device) -> View:
    """Return the view of a new array that a library has made, in its memory if possible."""
    own = builder.held(value, device, dtype)
    if own is not None:
        return own
    if not value.size:
        return new_view(value.shape, dtype, device)
    with device.lock:
        buffer = device.driver.adopt(value)
    if buffer is None:
        return _copy(value, value.shape, dtype, device)
    where = layout.contiguous(value.shape)
    return storage_view(Storage(device, where.size * dtype.itemsize, buffer), where, dtype)


def _copy(value: Any, shape: Shape, dtype: DType, device: Device) -> View:
    """Copy an array's values into memory of the device, converted to a data type."""
    few = builder.known(
        shape, dtype, device, lambda: numpy.array(value, dtype.numpy, order="C").reshape(shape)
    )
    if few is not None:
        return few
    result = new_view(shape, dtype, device)
    with arrays_of("", (), (result,)) as (target,):
        target[...] = value
    return result


def now(
    name: str, function: Callable[..., Any], operands: Sequence[View], few: int | None = None
) -> Any:
    """Return what NumPy computes of operands in a CPU's memory; None elsewhere.

    `name` is NumPy's for the function, as profiles show it. With a number of bytes that are `few`
    it computes only so many, and leaves the work to kernels where they do all.
    """
    device = operands[0].device
    if not runs_on_numpy(device):
        return None
    if few is not None and not builder.stays_on_host(device, few, tuning.SELECTED_NBYTES):
        return None
    with device.lock:
        arrays = []
        for x in operands:
            is_number = x.value is not None
            arrays.append(
                numpy.full(x.shape, x.value, x.dtype.numpy) if is_number else values_of(x)
            )
            if arrays[-1] is None:
                return None
        return function(*arrays)


def inner(first: View, second: View) -> Any:
    """Return the product of two vectors that the host reads in place, or None.

    NumPy has the same bits as of a row and a column.
    """
    if _reproducible or not first.shape[0] or first.shape != second.shape:
        return None
    if first.dtype is not second.dtype or first.dtype is dtypes.float16:
        return None
    found = now("matmul", operator.matmul, (first, second))
    value = None if found is None else found.item()
    return value if value == value else None


def _in_layout(view: View, takes: Callable[[Shape, tuple[int, ...]], bool]) -> View:
    """Return the view in a layout that a routine takes: its own, else C order."""
    builder.compute(view)
    assert view.layout is not None
    return view if takes(view.shape, view.layout.strides) else builder.copied(view)


def new_view(shape: Shape, dtype: DType, device: Device) -> View:
    """Return a view of new memory in C order, whose values are undefined."""
    where = layout.contiguous(shape)
    return storage_view(builder.reserve(device, where.size * dtype.itemsize), where, dtype)


@contextmanager
def arrays_of(
    where: str, operands: Sequence[View], results: Sequence[View] = (), *, own: bool = True
) -> Iterator[list[Any]]:
    """Yield views' values as a library's arrays: operands, then results.

    Operands are not written to. Results are views from `new_view`, which keep what is written to
    them. Where `own`, the device's library is to work on them, else NumPy. `where` is the function
    that a warning names.
    """
    views = (*operands, *results)
    device = views[0].device
    if where:
        recorders.computing(where, *operands)
    for view in operands:
        builder.compute(view)
    if own:
        with device.lock:
            found = _arrays_in_place(views, len(operands))
            if found is not None:
                _lock(found[: len(operands)])
                yield found
                return
    if not own:
        warn_once(where, device)
        for observer in observers:
            observer(where, _nbytes(views), "from and to", device)
    with device.lock, ExitStack() as stack:
        if own or device.info.shares_host_memory:
            yield _mapped(views, len(operands), stack)
            return
        memory = dict[int, Any]()
        for place, view in enumerate(views):
            storage = _storage(view)
            if storage.serial in memory:
                continue
            storage.settle()
            memory[storage.serial] = host = numpy.empty(storage.nbytes, numpy.uint8)
            if place < len(operands):
                device.driver.download(storage.buffer, 0, host)
        arrays = [_as_array(view, memory[_storage(view).serial]) for view in views]
        _lock(arrays[: len(operands)])
        yield arrays
        for view in results:
            storage = _storage(view)
            device.driver.upload(storage.buffer, 0, memory[storage.serial])


def _mapped(views: Sequence[View], count: int, stack: ExitStack) -> list[Any]:
    """Map views as arrays in the device's memory; make the first `count` read-only."""
    memory = dict[int, Any]()
    for view in views:
        storage = _storage(view)
        if storage.serial not in memory:
            storage.settle()
            buffer = view.device.driver.map(storage.buffer)
            memory[storage.serial] = stack.enter_context(buffer)
    arrays = [_as_array(view, memory[_storage(view).serial]) for view in views]
    _lock(arrays[:count])
    return arrays


def _lock(operands: Sequence[Any]) -> None:
    """Make NumPy arrays read-only."""
    for array in operands:
        if isinstance(array, numpy.ndarray):
            array.flags.writeable = False


def _arrays_in_place(views: Sequence[View], count: int) -> list[Any] | None:
    """Return materialised views as arrays, if nothing has to be mapped or copied; else None.

    The first `count` are operands.
    """
    device = views[0].device
    arrays: list[Any] | None
    if device.info.host_addressable:
        arrays = [values_of(view) for view in views]
        for array in arrays:
            if array is None or not array.size:
                return None
    elif any(0 in view.shape for view in views):
        return None
    elif device.options:
        return None  # as a device without a library
    else:
        for view in views[:count]:
            builder.compute(view)
        arrays = device.driver.arrays(_places(views))
    return arrays


def _places(views: Sequence[View]) -> list[tuple[Any, InMemory, int]]:
    """Return the buffers, structures and offsets of materialised views, as a driver takes them."""
    return [(_storage(view).buffer, view.structure.seen(), view.offset) for view in views]


def _storage(view: View) -> Storage:
    assert view.storage is not None
    return view.storage


def _as_array(view: View, memory: Any) -> Any:
    """Return a view's elements as an array over the bytes of its storage."""
    kind: Any = type(memory)
    how = view.structure.seen()
    if 0 in how.shape:
        return kind(how.shape, how.dtype)
    if kind is numpy.ndarray:
        return array_in(how, memory, view.offset)
    place = memory.data + view.offset * how.dtype.itemsize
    return kind(how.shape, how.dtype, place, how.strides)


@contextmanager
def _watched() -> Iterator[None]:
    """Let profiles note the work of libraries within a ``with`` block."""
    global run, arrays_of, now, _run_routine
    before = run, arrays_of, now, _run_routine
    run, arrays_of, now = _watched_run, _watched_arrays_of, _watched_now
    _run_routine = _watched_routine
    try:
        yield
    finally:
        run, arrays_of, now, _run_routine = before


_run, _arrays_of, _now, _unwatched_routine = run, arrays_of, now, _run_routine


def _watched_run(
    where: str,
    name: str,
    operands: Sequence[View],
    results: Sequence[tuple[Shape, DType]],
    *,
    out: bool = False,
    **options: Any,
) -> list[View]:
    device = operands[0].device
    for view in operands:
        builder.compute(view)
    on_host = runs_on_numpy(device) or routine(name, operands[0].dtype, device) is None
    nbytes = _nbytes(operands)
    nbytes += sum([math.prod(shape) * dtype.itemsize for shape, dtype in results])

    def ask() -> list[View]:
        return _run(where, name, operands, results, out=out, **options)

    title = f"numpy.{name}" if on_host else f"{name} of the device's library"
    found: list[View] = profiling.record(title, nbytes, device, ask, on_host=on_host)
    return found


def _watched_routine(routine: RoutineOp, views: list[View]) -> None:
    on_host = routine.host is not None
    title = f"numpy.{routine.name}" if on_host else f"{routine.name} of the device's library"
    ask = functools.partial(_unwatched_routine, routine, views)
    profiling.record(title, _nbytes(views), views[0].device, ask, on_host=on_host)


@contextmanager
def _watched_arrays_of(
    where: str, operands: Sequence[View], results: Sequence[View] = (), *, own: bool = True
) -> Iterator[list[Any]]:
    views = (*operands, *results)
    for view in operands:
        builder.compute(view)
    with (
        _arrays_of(where, operands, results, own=own) as arrays,
        profiling.recording_host_work(f"numpy for {where}", _nbytes(views), views[0].device),
    ):
        yield arrays


def _watched_now(
    name: str, function: Callable[..., Any], operands: Sequence[View], few: int | None = None
) -> Any:
    device = operands[0].device
    if not runs_on_numpy(device) or (few is not None and tier.name):
        return None
    for view in operands:
        builder.compute(view)
    ask = functools.partial(_now, name, function, operands, few)
    return profiling.record(f"numpy.{name}", _nbytes(operands), device, ask, on_host=True)


def _nbytes(views: Sequence[View]) -> int:
    return sum([math.prod(view.shape) * view.dtype.itemsize for view in views])


profiling.watchers.append(_watched)


def warn_once(name: str, device: Device) -> None:
    """Warn, the first time, that the host computes a function for a device that is no CPU."""
    if (name, device) not in _warned and not runs_on_numpy(device):
        _warned.add((name, device))
        way = "" if device.info.shares_host_memory else ", and the values travel there and back"
        errors.warn(
            errors.message(
                name,
                f"{device} ({device.info.name}) has no routine for it",
                "the host computes it" + way,
                "this is said once",
            ),
            errors.HostFallbackWarning,
        )


_warned: Final[set[tuple[str, Device]]] = set()
