"""The scheduler: the passes that turn a list of instructions into kernels, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xarr.ir.storage import SWAPPABLE, is_live
from xarr.scheduler.buffer_reuse import Plan as Plan, reuse_buffers
from xarr.scheduler.dce import eliminate_dead_code, eliminate_dead_stores
from xarr.scheduler.fusion import fuse_horizontally, fuse_vertically
from xarr.scheduler.recompute import recompute
from xarr.scheduler.rewrite import rewrite, scan_in_place
from xarr.scheduler.row_fusion import fuse_rows
from xarr.scheduler.verify import Verifier

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo
    from xarr.scheduler.instructions import ScheduledInstruction


def schedule(
    instructions: Sequence[ScheduledInstruction], states: Sequence[int], info: DeviceInfo
) -> Plan:
    """Turn instructions into kernels with the results that running them in order has.

    Each pass takes a list and returns a list; `XARR_VERIFY=1` checks each of these. `states` says
    of each storage whether it is live, and which memory it has; `info` has the device's limits.
    """
    live = [is_live(state) for state in states]
    swappable = {slot: SWAPPABLE - state for slot, state in enumerate(states) if state <= SWAPPABLE}
    verify = Verifier(instructions, states)

    instructions = verify.instructions(rewrite(instructions, live, swappable, info))
    instructions = verify.instructions(eliminate_dead_code(instructions, live))
    instructions = verify.instructions(scan_in_place(instructions, live, swappable, info))
    groups = verify.groups(fuse_vertically(instructions, live, info))
    groups = verify.groups(fuse_horizontally(groups))
    groups = verify.groups(recompute(groups, live, info))
    groups = verify.stores(eliminate_dead_stores(groups, live))
    runs = verify.runs(fuse_rows(groups, info))
    return verify.plan(reuse_buffers(runs, states, info))
