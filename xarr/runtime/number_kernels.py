"""Functions of Python's numbers that run an operation's kernel on one element.

Programs call `np.sin(angle)` of single numbers. To record that, and to make storages for it, takes
ten times as long as the kernel, so the numbers are put into memory that stays, and read from it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xarr import dtypes, tuning
from xarr.ir.events import counts, hooks, tier
from xarr.ir.instructions import opcode_of
from xarr.ir.operation import Operation
from xarr.ir.resolved import ScalarEvaluator
from xarr.ir.views import contiguous
from xarr.runtime.dispatch import Program, can_host
from xarr.runtime.program import Trace

if TYPE_CHECKING:
    from xarr.backends.device import Device

_FLOAT64 = struct.Struct("d")


def evaluator_of(
    operation: Operation, function: Callable[..., Any] | None, device: Device
) -> ScalarEvaluator | None:
    """Return what computes an operation of numbers, by Python's function or else by its kernel.

    None where neither is possible, or where NumPy has a function of the same bits.
    """
    if function is not None:
        operation.exact = ScalarEvaluator(function, operation)
        return operation.exact
    if operation.host is not None:
        return None
    key = device, ScalarEvaluator
    known = operation.row_kernels  # another thread may empty it
    found: ScalarEvaluator | None = known.get(key)
    if found is None and key not in known:
        of_kernel = _function_of(operation, device)
        found = None if of_kernel is None else ScalarEvaluator(of_kernel, operation)
        known[key] = found
    return found


def _function_of(operation: Operation, device: Device) -> Callable[..., float] | None:
    """Return a function of floats that an operation on float64 is; None where there is none.

    Only on a device whose kernels are done when a launch returns. Where somebody watches launches,
    the function raises ArithmeticError, and the operation is recorded instead.
    """
    if {*operation.operands, operation.result} != {dtypes.float64}:
        return None
    if not (can_host(device) and device.driver.stable_addresses):
        return None
    shape = (1,)
    operands = (contiguous(device, dtypes.float64, shape),) * len(operation.operands)
    opcode = opcode_of(operation, operands, shape, None, shape)
    found = Program(Trace(device, (), ()), ()).row(opcode)
    if found is False:
        return None
    kernel, grid, order = found
    operands_count = len(operation.operands)
    pack, unpack = struct.Struct("d" * operands_count).pack_into, _FLOAT64.unpack_from
    result_at = operands_count * _FLOAT64.size
    blocks = [device.driver.allocate(result_at + _FLOAT64.size)]
    packed = kernel.arguments.pack(tuning.CHUNK, 1, *order)  # the offsets within the block
    # np.sin of a number takes 1.8 us so, and 2.6 by a launch.
    sequence: Any = device.driver.sequence([(kernel, grid, (0,) * len(order), packed, 1)])
    spare: list[Any] = [device.driver.window(blocks[0])]

    def compute(*numbers: float) -> float:
        if hooks.launch or hooks.run or hooks.changed or hooks.eager or tier.name:
            raise ArithmeticError
        try:
            window = spare.pop()
        except IndexError:  # a finalizer or another thread computes meanwhile
            raise ArithmeticError from None
        try:
            pack(window, 0, *numbers)
            if not sequence.again(blocks):
                raise ArithmeticError
            counts.launches += 1
            result: float = unpack(window, result_at)[0]
        finally:
            spare.append(window)
        return result

    return compute
