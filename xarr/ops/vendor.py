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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, errors, layout, runtime, tuning
from xarr.backends.base import InMemory
from xarr.dtypes import DType
from xarr.ir.events import changed, hooks
from xarr.ir.instructions import Opcode
from xarr.ir.operation import interned
from xarr.ir.steps import LibraryStep
from xarr.ir.storage import Storage, allocate_or_collect
from xarr.ir.views import View, array_in, contiguous, storage_view
from xarr.layout import Shape
from xarr.lowering.operations import RoutineOp
from xarr.runtime import dispatch
from xarr.runtime.host_eval import NumpyStep
from xarr.settings import IMPORTED
from xarr.tape import builder
from xarr.tape.scalar_access import function_of

if TYPE_CHECKING:
    from xarr.backends.device import Device


Result = tuple[Shape, DType]
Refuse = Callable[[str, str, Exception, Sequence[Shape]], Exception]

observers: Final[list[Callable[[str, int, str, Device], None]]] = []
"""Callbacks for work of the host for a device: the function, bytes, which way, the device."""


def runs_on_numpy(device: Device) -> bool:
    """Return whether NumPy is the device's own library: on a CPU, while no graph is recorded."""
    return device.info.host_addressable and not device.is_recorded


_reproducible: Final = [True] if IMPORTED.reproducible else []
"""An entry for each `reproducible` block that is open; the setting opens one for good."""


@contextmanager
def reproducible() -> Iterator[None]:
    """Compute without vendor libraries in a `with` block: results have the same bits everywhere.

    Matrix products, Fourier transforms, `linalg.solve`, `inv`, `det`, `slogdet`, `cholesky` and
    `qr` use xarr's own kernels, which sum in the same order on every device. They are slower,
    factorizations most of all. ``XARR_REPRODUCIBLE=1`` does the same for a whole process.

    Raises
    ------
    RuntimeError
        If a function needs eigenvalues or singular values, which only vendor libraries compute.

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


class Call(NamedTuple):
    """A library's work: the device's, or else the host's on its memory.

    Attributes
    ----------
    where, name : str
        The function that the program called, and the one that NumPy calls so.
    function, options : callable, dict
        What computes the results of arrays. A routine of a library without arrays of its own takes
        those of all results as `out`; its `takes` says whether an operand may have a shape and
        strides, in elements.
    results : sequence of (Shape, DType)
    is_own : bool
        Whether the device's library computes, not the host for it.
    refuse : function or None
        Makes an error of `where`, `name`, an error that depends on values, and operands' shapes.
    """

    where: str
    name: str
    function: Callable[..., Any]
    options: dict[str, Any]
    results: Sequence[Result]
    is_own: bool
    refuse: Refuse | None

    def values(self, *arrays: Any, **out: Any) -> Sequence[Any]:
        """Return the results as arrays, unless these are given."""
        try:
            found = self.function(*arrays, **out, **self.options)
        except numpy.linalg.LinAlgError as error:
            if self.refuse is None:
                raise
            shapes = [array.shape for array in arrays]
            raise self.refuse(self.where, self.name, error, shapes) from error
        return (found,) if len(self.results) == 1 else found

    def packed(self, *arrays: Any) -> Any:
        """Return the result as NumPy computes it; the bytes of all, where there are several."""
        values = self.values(*arrays)
        if len(values) == 1:
            return values[0]
        nbytes, places = _places_in_one(self.results)
        whole = numpy.empty(nbytes, numpy.uint8)
        for (shape, dtype), at, value in zip(self.results, places, values, strict=True):
            numpy.ndarray(shape, dtype.numpy, whole, at)[...] = value
        return whole

    def run(self, operands: Sequence[View]) -> list[View]:
        """Compute now, without the tape; return the results, each in a storage of its own."""
        device = operands[0].device
        if runs_on_numpy(device):
            made: Any = function_of(functools.partial(self._made, device), operands)
            if made is not None:
                return made  # type: ignore[no-any-return]
        with device.lock:
            for view in operands:
                builder.compute(view)
            if self.is_own and not hasattr(self.function, "takes"):
                with _arrays_on(operands) as given:
                    return self._made(device, *given)
            targets = [new_view(shape, dtype, device) for shape, dtype in self.results]
            self.fill(operands, targets)
        return targets

    def fill(self, operands: Sequence[View], results: Sequence[View]) -> None:
        """Compute views that are in memory; write the results, which may have no memory yet."""
        storage, device = _storage(results[0]), results[0].device
        takes = getattr(self.function, "takes", None)
        if not self.is_own:
            warn_once(self.where, device)
            for observer in observers:
                observer(self.where, _nbytes((*operands, *results)), "from and to", device)
        elif takes is None and len(results) == 1 and storage.buffer is None:
            with _arrays_on(operands) as given:
                storage.buffer = _storage(self._made(device, *given)[0]).buffer
            return
        _allocate(storage)
        with _arrays_on(operands, results, own=self.is_own) as arrays:
            given, made = arrays[: len(operands)], arrays[len(operands) :]
            if self.is_own and takes is not None:
                self.values(*given, out=made)
                return
            for target, value in zip(made, self.values(*given), strict=True):
                target[...] = value

    def _made(self, device: Device, *given: Any) -> list[View]:
        """Return the results of arrays as views, in their own memory if it is new."""
        values = self.values(*given)
        is_new = {*map(id, given)}.isdisjoint(map(id, values))
        return [
            adopted(value, dtype, device)
            if is_new and value.dtype == dtype.numpy
            else _copy(value, dtype, device)
            for value, (_, dtype) in zip(values, self.results, strict=True)
        ]


def _places_in_one(results: Sequence[Result]) -> tuple[int, list[int]]:
    """Return the bytes of a storage that results share, and where each begins."""
    ends = [0]
    for shape, dtype in results:
        ends.append(ends[-1] + math.prod(shape) * dtype.itemsize)
        ends[-1] += -ends[-1] % 16  # the largest item
    return ends.pop(), ends


def _parts(whole: View, results: Sequence[Result]) -> list[View]:
    """Return the views of results in one storage: of a single one the view itself."""
    if len(results) == 1:
        return [whole]
    return [
        View(whole.storage, contiguous(whole.device, dtype, shape), at // dtype.itemsize)
        for (shape, dtype), at in zip(results, _places_in_one(results)[1], strict=True)
    ]


def _allocate(storage: Storage) -> None:
    """Allocate the memory of a storage that has none yet."""
    if storage.buffer is None:
        storage.buffer = allocate_or_collect(storage.device, storage.nbytes)


def call(
    where: str,
    name: str,
    operands: Sequence[View],
    results: Sequence[Result],
    *,
    parameters: tuple[Any, ...] = (),
    refuse: Refuse | None = None,
    **options: Any,
) -> list[View]:
    """Let a library work: the device's, else the host's; return results of shapes and dtypes.

    The function takes the `options`. It is recorded as an operation with `parameters`; but what may
    raise an error that depends on values, which `refuse` makes, is computed at once, and so are
    several results while nobody looks at instructions. In one of these they share a storage.
    """
    own = routine(name, operands[0].dtype, operands[0].device)
    function = own or _of_numpy(name)
    work = Call(where, name, function, options, results, own is not None, refuse)
    views = tuple([_taken(view, getattr(own, "takes", None)) for view in operands])
    is_lazy = own is not None and refuse is None
    is_watched = hooks.recorder is not None or hooks.run is not None
    if not is_watched and (len(results) > 1 or not is_lazy):
        return work.run(views)
    shape, dtype = results[0]
    if len(results) > 1:
        shape, dtype = (_places_in_one(results)[0],), dtypes.uint8
    facts = where, own, tuple(options.items()), tuple(results) if len(results) > 1 else ()
    host = work.packed if runs_on_numpy(views[0].device) else None
    operation = _operation(name, views, dtype, work, host, parameters, facts)
    operation.raises = refuse is not None
    opcode = builder.elementwise(operation, views, shape)
    if not opcode.nbytes:
        return [new_view(*result, views[0].device) for result in results]
    record = builder.computed if is_lazy else builder.computed_at_once
    parts = _parts(record(opcode, views), results)
    return parts if len(parts) == 1 else [builder.copied(part) for part in parts]


def _taken(view: View, takes: Callable[[Shape, tuple[int, ...]], bool] | None) -> View:
    """Materialise a view; return it, or a copy in a layout that a routine takes."""
    builder.materialise(view)
    assert view.layout is not None
    is_taken = takes is None or takes(view.shape, view.layout.strides)
    return view if is_taken else builder.copied(view)


def recorded(
    name: str, function: Callable[..., Any], operands: Sequence[View], shape: Shape, dtype: DType
) -> View:
    """Record the work of a routine that takes its result's array, as `out`; return the result."""
    takes = getattr(function, "takes", None)
    views = tuple([_taken(view, takes) for view in operands])
    operation = _operation(name, views, dtype, function, facts=function)
    return builder.defer(operation, views, shape)


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
    views = tuple(operands)
    opcode = numpys_opcode(name, options, function, views, shape, dtype)
    return None if opcode is None else builder.computed(opcode, views)


def numpys_opcode(
    name: str,
    options: tuple[Any, ...],
    function: Callable[..., Any],
    views: tuple[View, ...],
    shape: Shape,
    dtype: DType,
) -> Opcode | None:
    """Return the opcode that `deferred` records; None where NumPy does not work in place."""
    if not runs_on_numpy(views[0].device):
        return None
    for view in views:
        builder.materialise(view)
    operation = _operation(name, views, dtype, function, function, options)
    return builder.elementwise(operation, views, shape)


def _operation(
    name: str,
    operands: Sequence[View],
    result: DType,
    function: Any,
    host: Callable[..., Any] | None = None,
    parameters: tuple[Any, ...] = (),
    facts: Any = None,
) -> RoutineOp:
    """Return the one operation of a routine; `facts` determine it besides."""
    types = tuple([view.dtype for view in operands])
    step = LibraryStep if host is None else NumpyStep
    known: RoutineOp = interned(_routine_op, name, types, result, step, parameters, facts)
    if known.function is None:
        known.function, known.host = function, host
    return known


def _routine_op(
    name: str,
    types: tuple[DType, ...],
    result: DType,
    step: type[LibraryStep],
    parameters: tuple[Any, ...],
    facts: Any,
) -> RoutineOp:
    """Make the operation of a routine; the first call's functions, which are alike, go into it."""
    made = RoutineOp(name, types, result, None, None, _work, step)
    made.parameters = parameters
    return made


def _work(routine: RoutineOp, views: list[View]) -> None:
    """Run a routine on views, and tell profiles of it."""
    if hooks.run is None:
        _run_routine(routine, views)
        return
    function = routine.function
    on_host = routine.host is not None or (isinstance(function, Call) and not function.is_own)
    title = f"numpy.{routine.name}" if on_host else f"{routine.name} of the device's library"
    ask = functools.partial(_run_routine, routine, views)
    runtime.profiling.record(title, _nbytes(views), views[0].device, ask, on_host=on_host)


def _run_routine(routine: RoutineOp, views: list[View]) -> None:
    """Run a routine on views, of which the last is the result and the others are materialised."""
    *operands, result = views
    function = routine.function
    if routine.host is None and isinstance(function, Call):
        function.fill(operands, _parts(result, function.results))
        return
    _allocate(_storage(result))
    at_once = getattr(function, "at_once", None)
    if at_once is not None and at_once(result.device.driver, *_places(views)):
        return
    with _arrays_on(operands, (result,)) as arrays:
        if routine.host is not None:
            _evaluate(routine.host, arrays)
            return
        target: Any = arrays.pop()
        has_arrays = getattr(routine.function, "takes", None) is None
        function(*arrays, out=target if has_arrays else [target])


def _evaluate(host: Callable[..., Any], arrays: list[Any]) -> None:
    """Compute the last of some arrays by a NumPy function of the others."""
    *given, result = arrays
    if isinstance(host, numpy.ufunc):
        host(*given, out=result)
    else:
        result[...] = host(*given)


def held(values: Any, device: Device, dtype: DType, *, is_new: bool = False) -> View | None:
    """Make a view of NumPy's result in its own memory; None where the driver needs a copy of it.

    Unless it `is_new`, its memory may be another array's, as an operand's, which is no such thing.
    """
    if type(values) is not numpy.ndarray or not dispatch.stays_on_host(device, values.nbytes):
        return None
    flags = None if is_new else values.flags
    if flags and not (flags.owndata and flags.c_contiguous and flags.writeable):
        return None
    return View(Storage(device, values.nbytes, values), contiguous(device, dtype, values.shape), 0)


def adopted(value: Any, dtype: DType, device: Device) -> View:
    """Return the view of a new array that a library has made, in its memory if possible."""
    own = held(value, device, dtype)
    if own is not None:
        return own
    if not value.size:
        return View(builder.allocate(device, 0), contiguous(device, dtype, value.shape), 0)
    with device.lock:
        buffer = device.driver.adopt(value)
    if buffer is None:
        return _copy(value, dtype, device)
    where = layout.contiguous(value.shape)
    return storage_view(Storage(device, where.size * dtype.itemsize, buffer), where, dtype)


def _copy(value: Any, dtype: DType, device: Device) -> View:
    """Copy an array's values into memory of the device, converted to a data type."""
    shape = value.shape
    few = dispatch.known(
        shape, dtype, device, lambda: numpy.array(value, dtype.numpy, order="C").reshape(shape)
    )
    if few is not None:
        return few
    result = new_view(shape, dtype, device)
    with device.lock, _arrays_on((), (result,)) as (target,):
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
    if few is not None and not dispatch.stays_on_host(device, few, tuning.SELECTED_NBYTES):
        return None
    if hooks.run is None:
        return function_of(function, operands)
    for view in operands:
        builder.compute(view)
    ask = functools.partial(function_of, function, operands)
    return runtime.profiling.record(f"numpy.{name}", _nbytes(operands), device, ask, on_host=True)


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


def new_view(shape: Shape, dtype: DType, device: Device) -> View:
    """Return a view of new memory in C order, whose values are undefined."""
    where = layout.contiguous(shape)
    return storage_view(builder.reserve(device, where.size * dtype.itemsize), where, dtype)


@contextmanager
def _arrays_on(
    operands: Sequence[View], results: Sequence[View] = (), *, own: bool = True
) -> Iterator[list[Any]]:
    """Yield views in memory as arrays of the device's library, or else of NumPy.

    Operands may not be written to. Results keep what is written to them, all of which has to be.
    """
    views = (*operands, *results)
    device = views[0].device
    arrays: list[Any] | None = None
    if own and not any(0 in view.shape for view in views):
        arrays = device.driver.arrays(_places(views))
    with ExitStack() as stack:
        if arrays is None:
            arrays = _mapped(views, own, len(operands), stack)
        yield arrays


def _mapped(views: Sequence[View], own: bool, count: int, stack: ExitStack) -> list[Any]:
    """Map views as arrays in the device's memory; or copy the first `count` there, others back."""
    device = views[0].device
    driver = device.driver
    memory = dict[int, Any]()
    for number, view in enumerate(views):
        storage = _storage(view)
        if storage.serial in memory:
            continue
        storage.settle()
        if own or device.info.shares_host_memory:
            memory[storage.serial] = stack.enter_context(driver.map(storage.buffer))
            continue
        memory[storage.serial] = host = numpy.empty(storage.nbytes, numpy.uint8)
        if number < count:
            driver.download(storage.buffer, 0, host)
        else:
            stack.callback(driver.upload, storage.buffer, 0, host)
    return [_as_array(view, memory[_storage(view).serial]) for view in views]


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


def _nbytes(views: Sequence[View]) -> int:
    return sum([math.prod(view.shape) * view.dtype.itemsize for view in views])


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
