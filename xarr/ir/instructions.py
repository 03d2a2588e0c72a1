# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Instructions as they stand on the tape, and the arguments that tell equal lists apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xarr import errors, tuning
from xarr.ir import _cython as cython
from xarr.memo import listed

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_hooks
    from xarr.ir.memo import Memo, Memoised
    from xarr.ir.storage import Storage, next_mark
    from xarr.ir.views import Structure, View, contiguous

_LARGEST = cython.declare(cython.Py_ssize_t, tuning.LARGE_WORK)
_AT_ONCE_NBYTES = cython.declare(cython.Py_ssize_t, tuning.AT_ONCE_NBYTES)
_FEW_NBYTES = cython.declare(cython.Py_ssize_t, tuning.FEW_NBYTES)

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType
    from xarr.ir.operation import Operation
    from xarr.layout import Shape


@cython.cclass
class Opcode(Memoised):
    """An instruction without its storages, offsets and constants, shared by all that agree.

    Attributes
    ----------
    operands : tuple of Structure
        Those of the operands, constants among them.
    target : Structure or None
        That of the written view; None where the operation itself writes to its first operand.
    named : tuple of Structure
        Those of `Instruction.views`: the operands, and the target unless that is new.
    is_fresh : bool
        Whether the target is all of a new storage, which needs `nbytes` bytes.
    host : function, False or None
        The NumPy function that computes it with the same bits, False where there is none; None
        before it was looked for.
    is_indirect, is_separate, is_whole, raises : bool
        As of the operation.
    is_small : bool
        Whether NumPy may compute it as it is recorded: no operand, and no result, has more than
        `tuning.AT_ONCE_NBYTES` bytes, and the host reads them; or it is `Alone`, met before.
    is_few : bool
        The same of `tuning.FEW_NBYTES`.
    is_number : bool
        Whether it computes a number of numbers, and so needs nothing that stands on the tape.
    folds : bool
        Whether its functions for NumPy go by data type, as those of reductions and scans do.
    gives_own : bool
        Whether the array that `host` returns is known to be new, in C order and of the result's
        shape and type.
    rows : int
        Whether all views are elements in a row: 1, or -1; 0 before that was asked.
    packed : bytes or None
        The arguments of the row's kernel, where all views begin with their storages.
    is_silent : bool
        Whether `host` is known to warn of no values.
    single_kernel : dict or None
        The step that runs an instruction by itself, by offsets of its views.
    small_runs : int
        How often NumPy computed it as it was recorded; -1 where one call of NumPy's does, which
        nobody counts, -2 where its own kernel computes it from now on.
    """

    operation: Any
    operands: tuple[Any, ...]
    named: tuple[Any, ...]
    target: Any
    shape: Any
    device: Any
    host: Any
    single_kernel: dict[Any, Any] | None
    nbytes: int
    constants: int
    small_runs: int
    is_fresh: bool
    is_indirect: bool
    is_separate: bool
    is_whole: bool
    raises: bool
    is_small: bool
    is_few: bool
    is_number: bool
    folds: bool
    rows: int
    packed: Any
    gives_own: bool
    is_silent: bool

    def __init__(
        self,
        operation: Operation,
        operands: tuple[Structure, ...],
        target: Structure | None,
        shape: Shape,
        device: Device,
        is_fresh: bool,
    ) -> None:
        self.operation = operation
        self.operands = operands
        self.target = target
        self.shape = shape
        self.device = device
        self.is_fresh = is_fresh
        self.is_indirect = operation.is_indirect
        self.is_separate = operation.is_separate
        self.is_whole = operation.is_whole
        self.raises = operation.raises
        self.folds = operation.functions is not None
        self.named = operands if is_fresh or target is None else (*operands, target)
        how: Structure
        for how in operands:
            if how.strides is None:
                self.constants += 1
        if target is not None:
            if is_fresh:
                self.nbytes = target.nbytes
            if operation.functions is not None:
                how = operands[0]
                if 0 < how.size <= _LARGEST:
                    self.host = operation.functions.get(how.dtype)
            elif operation.host is not None and 0 < target.size <= _LARGEST:
                self._take_host()
        self.is_small = self._has_small_views(_AT_ONCE_NBYTES)
        self.is_few = self._has_small_views(_FEW_NBYTES)
        self.is_number = self.is_fresh and not shape and self.constants == len(operands) > 0

    @cython.cfunc
    def _has_small_views(self, most: cython.Py_ssize_t) -> cython.bint:
        how: Structure
        for how in self.named:
            if how.strides is not None and not 0 < how.nbytes <= most:
                return False
        if self.is_fresh and not 0 < self.nbytes <= most:
            return False
        how = self.named[0] if self.named else self.target  # of a draw's positions
        return how.unpack is not None

    @cython.cfunc
    def _take_host(self) -> cython.void:
        """Set `host` to the operation's NumPy function if it needs no conversion of operands."""
        how: Structure
        at: cython.Py_ssize_t = 0
        types: tuple[Any, ...] = self.operation.operands
        if self.is_indirect:
            return
        for how in self.operands:
            if how.dtype is not types[at]:
                return
            at += 1
        self.host = self.operation.host


@cython.freelist(64)
@cython.cclass
class Instruction:
    """An instruction on the tape.

    Attributes
    ----------
    views : tuple of View
        The operands, and last the view that is written, if its storage is not new.
    fresh : Storage or None
        The new storage that is written.
    scalar : Python scalar or None
        The value of a constant operand that `views` leaves out.
    number : int
        Its place in program order.
    """

    opcode: Opcode
    views: tuple[Any, ...]
    fresh: Storage | None
    scalar: Any
    number: int

    @property
    def written(self) -> Storage:
        """The storage that it writes: its target's, or that of the first operand."""
        if self.fresh is not None:
            return self.fresh
        view: View = self.views[0 if self.opcode.target is None else len(self.views) - 1]
        assert view.storage is not None
        return view.storage


@cython.cfunc
def new_instruction(
    opcode: Opcode,
    views: tuple[Any, ...],
    fresh: Storage | None,
    scalar: object,
    number: cython.Py_ssize_t,
) -> Instruction:
    """Return an instruction without a call of its class."""
    made: Instruction = Instruction.__new__(Instruction)
    made.opcode = opcode
    made.views = views
    made.fresh = fresh
    made.scalar = scalar
    made.number = number
    return made


_number = cython.declare(cython.Py_ssize_t, 0)


@cython.cfunc
def take_number() -> cython.Py_ssize_t:
    """Return the number of the next instruction, from the hook if there is one."""
    global _number
    if core_hooks.numbers is not None:
        return next(core_hooks.numbers)
    _number += 1
    return _number


def next_number() -> int:
    """Return the next number in program order, from which `Hooks.numbers` may derive its own."""
    global _number
    _number += 1
    return _number


@cython.cclass
class RunArguments:
    """The run-time arguments of a trace, in which lists of one trace differ.

    Attributes
    ----------
    storages, bases : list of Storage, list of int
        The storages, and the offset of each one's first view, from which views are counted; 0 where
        the list writes most of the storage.
    constants : list
        The values of all constants.
    numbers : list of int
        Those of the instructions.
    mark : int
        The `most_mark` of storages of which the list writes the most.
    begun : int
        The driver's launches before the running instruction, where they run one by one.
    """

    storages: list[Any]
    bases: list[Any]
    constants: list[Any]
    numbers: list[Any]
    mark: int
    begun: int

    def __init__(
        self, storages: list[Any], bases: list[Any], constants: list[Any], numbers: list[Any]
    ) -> None:
        self.storages = storages
        self.bases = bases
        self.constants = constants
        self.numbers = numbers

    def clear(self) -> None:
        """Drop all references."""
        self.storages.clear()
        self.bases.clear()
        self.constants.clear()
        self.numbers.clear()


def decoded(code: int | tuple[int, int]) -> tuple[int, int]:
    """Split a code into a view's storage number and its offset from the storage's first view."""
    return code if isinstance(code, tuple) else (code, 0)


def live_bytes_per_cut(steps: list[Instruction]) -> list[int]:
    """Count the bytes to store if the list is cut, for each number of instructions before the cut.

    These are the bytes of new storages that are written before the cut, and read behind it or not
    yet. Each counts as one byte more, so that of equal bytes the fewest storages are the least.
    Storages that are stored in any case, as not all of them is read at each item's own place, do
    not count, unless they are written in parts, which may be one kernel.
    """
    step: Instruction
    maker: Instruction
    view: View
    storage: Storage | None
    number: cython.Py_ssize_t = 0
    nbytes: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = len(steps)
    changes: list[Any] = [0] * (count + 2)
    ends: list[Any] = [count] * count
    stays: set[int] = set()
    parts: set[int] = set()
    mark: cython.Py_ssize_t = next_mark()
    for step in steps:
        for view in step.views:
            storage = view.storage
            if storage is not None and storage.list_mark == mark:
                ends[storage.slot] = number
                maker = steps[storage.slot]
                is_whole = view.structure.nbytes == storage.nbytes
                if (
                    not is_whole
                    or step.opcode.operation.reads_other_positions
                    > maker.opcode.operation.reads_other_positions
                ):
                    stays.add(storage.slot)
        storage = step.fresh
        if storage is None and step.opcode.target is not None:
            view = step.views[len(step.views) - 1]
            storage = view.storage
            if storage is not None and storage.list_mark == mark:
                parts.add(storage.slot)
            storage = None
        if storage is not None:
            storage.list_mark = mark
            storage.slot = number
            changes[number + 1] += storage.nbytes + 1
        number += 1
    number = 0
    stays -= parts
    for step in steps:
        storage = step.fresh
        if storage is not None:
            changes[(number if number in stays else ends[number]) + 1] -= storage.nbytes + 1
        number += 1
    found: list[int] = []
    for number in range(count + 1):
        nbytes += changes[number]
        found.append(nbytes)
    return found


@cython.ccall
def opcode_of(
    operation: Any,
    operands: tuple[Any, ...],
    shape: Any,
    target: Any = None,
    fresh: Any = None,
    device: Any = None,
) -> Opcode:
    """Return the opcode of an operation over a shape, on operands of some structures.

    It writes to a view of the structure `target`, or to a new storage whose shape is `fresh`.
    """
    key = (operation, operands, shape, target, fresh, device)
    opcode: Opcode | None = _opcodes.get(key)
    how: Structure
    if opcode is None:
        on = device
        if on is None:
            how = operands[0]
            on = how.device
        if fresh is not None:
            how = contiguous(on, operation.result, fresh)
            if how.nbytes > _LARGE_NBYTES:
                require_memory(on, how.dtype, how.shape)
            target = how
        opcode = Opcode(operation, operands, target, shape, on, fresh is not None)
        is_known: cython.bint = len(operands) > 0
        for how in operands:
            is_known = is_known and how.is_known
        _opcodes.keep(key, opcode, is_known)
    return opcode


_opcodes = cython.declare(Memo, Memo(tuning.OPCODES))
listed("opcode_of", tuning.OPCODES, _opcodes.parts)
listed("Opcode.single_kernel", tuning.REMEMBERED, lambda: [
    one.single_kernel for part in _opcodes.parts()[:3] for one in part.values() if one.single_kernel
])  # fmt: skip


def forget_single_kernels(device: Any) -> None:
    """Drop the kernels that a device's instructions are by themselves."""
    for part in _opcodes.parts()[:3]:
        for opcode in list(part.values()):
            if opcode.device is device:
                opcode.single_kernel = None
                opcode.operation.row_kernels.clear()


_LARGE_NBYTES = cython.declare(cython.Py_ssize_t, 1 << 24)
"""Every device has so many bytes, so smaller results need no check."""


def require_memory(device: Device, dtype: DType, shape: Shape) -> None:
    """Refuse an array that exceeds the device's memory."""
    nbytes, memory_nbytes = math.prod(shape) * dtype.itemsize, device.info.memory_nbytes
    if nbytes > memory_nbytes:
        fault = f"an array of shape {shape} and dtype {dtype} has {nbytes:,} bytes"
        accepted = f"it must have at most the device's {memory_nbytes:,}"
        remedy = "work in smaller pieces; see docs/memory.md#out-of-memory"
        where = errors.called(f"memory of {device}")
        raise errors.refused(MemoryError, where, fault, accepted, remedy)
