"""What `CudaDriver` makes of what the driver says; a stand-in says it."""

from __future__ import annotations

import contextlib
import gc
from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import xarr
from tests.processes import run_code
from xarr.backends import cuda, cuda_kernels, cuda_streams
from xarr.backends.base import InMemory
from xarr.backends.cupy import CupyDriver
from xarr.errors import DeviceError

SHORT, REFUSED, ELSE = 2, 200, 700


class Driver(cuda.CudaDriver):
    """A driver whose functions answer with given statuses, one after the other."""

    def __init__(self, statuses: Sequence[int]) -> None:
        self.info = xarr.default_device().info
        self.context: Any = contextlib.nullcontext()
        self.cleared = 0
        self.freed_nbytes: deque[int] = deque()
        self.last_uses: dict[int, cuda_streams.Event] = {}
        self.events: set[int] = set()
        self.waited: list[bool] = []
        left = list(statuses)
        self._cuda = SimpleNamespace(
            cuModuleLoadData=lambda binary: (left.pop(0), "module"),
            cuModuleGetFunction=lambda module, name: (left.pop(0), 8),
            cuLaunchKernel=lambda *_: (left.pop(0),),
            cuInit=lambda flags: (left.pop(0),),
            CUevent_flags=SimpleNamespace(CU_EVENT_DEFAULT=0, CU_EVENT_DISABLE_TIMING=2),
            cuEventCreate=self._create,
            cuEventRecord=lambda event, stream: (0,),
            cuEventDestroy=self.events.discard,
            cuStreamWaitEvent=self._wait_for,
        )

    def _create(self, flags: int) -> tuple[int, int]:
        event = len(self.waited) + len(self.events) + 1
        self.events.add(event)
        return 0, event

    def _wait_for(self, stream: int, event: int, flags: int) -> tuple[int]:
        self.waited.append(event in self.events)
        return (0,)

    def make_room(self) -> None:
        self.cleared += 1

    def current_stream(self) -> int:
        return self.default_stream

    def driver_functions(self) -> Any:
        return self._cuda


@pytest.mark.parametrize("statuses", [[0], [SHORT, 0]])
def test_memory_is_made_where_it_is_short(statuses: list[int]) -> None:
    driver = Driver(3 * statuses)
    driver.launch(driver.load(b"", "kernel"), (1,), (1,), [], b"")
    assert driver.cleared == 3 * (len(statuses) - 1)


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        ([SHORT, SHORT], MemoryError), ([SHORT, REFUSED], ValueError), ([REFUSED], ValueError),
        ([ELSE], DeviceError), ([0, SHORT, SHORT], MemoryError), ([0, 500], ValueError),
    ],
)  # fmt: skip
def test_what_is_not_loaded(statuses: list[int], wanted: type[Exception]) -> None:
    with pytest.raises(wanted) as caught:
        Driver(statuses).load(b"", "kernel")
    assert caught.type is wanted


def test_kernels_of_one_module() -> None:
    """They share variables, and C++ has names of its own for them."""
    pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
    driver = Driver([0, 0, 0, 500, ELSE])
    found = list[bytes]()
    values = dict[int, int]()
    find = driver._cuda.cuModuleGetFunction

    def finding(module: str, name: bytes) -> tuple[int, int]:
        found.append(name)
        answer: tuple[int, int] = find(module, name)
        return answer

    def setting(_: str, which: int, value: int) -> tuple[int]:
        values[int(which)] = value
        return (0,)

    driver._cuda.cuModuleGetFunction = finding
    driver._cuda.cuModuleGetGlobal = lambda module, name: (500 if name == b"none" else 0, 4096, 12)
    driver._cuda.cuFuncGetAttribute = lambda which, function: (0, values.get(int(which), 7))
    driver._cuda.cuFuncSetAttribute = setting
    binary = b'{"f<int>": "_Z1fIiEvv"}\ncubin'
    kernel = driver.load(binary, "f<int>")
    other = driver.load_beside(kernel, binary, "f<int>")
    assert found == [b"_Z1fIiEvv"] * 2
    assert other.module is kernel.module
    assert driver.variable(other, "table") == (4096, 12)
    for refused in (
        lambda: driver.variable(kernel, "none"),
        lambda: driver.load_beside(kernel, binary, "g"),
    ):
        with pytest.raises(ValueError, match="the module has no"):
            refused()
    with pytest.raises(DeviceError):
        driver.load_beside(kernel, binary, "g")
    assert driver.attributes(kernel)["num_regs"] == 7
    driver.set_attribute(kernel, "max_dynamic_shared_size_bytes", 50_000)
    assert driver.attributes(kernel)["max_dynamic_shared_size_bytes"] == 50_000


@pytest.mark.parametrize(
    ("statuses", "wanted"), [([SHORT, SHORT], MemoryError), ([ELSE], RuntimeError)]
)
def test_what_is_not_launched(statuses: list[int], wanted: type[Exception]) -> None:
    with pytest.raises(wanted):
        Driver(statuses).launch(cuda_kernels.Kernel("module", 8), (1,), (1,), [], b"")


def test_a_device_that_is_opened_first_in_a_forked_process() -> None:
    driver = Driver([3])
    with pytest.raises(RuntimeError, match="forked.*spawn"):
        cuda.CudaDriver.__init__(driver, driver.info)


def test_an_event_outlives_the_block_that_dies_with_it() -> None:
    driver = Driver([])
    for event_first in (True, False):  # what is older, the garbage collector finalizes first
        early = driver.mark() if event_first else None
        block = cuda_streams.Block(driver, 0, 8, None)
        block.event = early or driver.mark()
        cycle: list[Any] = [block]
        cycle.append(cycle)
        del block, early, cycle
        gc.collect()
    assert driver.waited == [True, True]
    assert not driver.events
    assert not driver.last_uses


class Pointer:
    """A pointer of CuPy's, which moves where something is added to it in place."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __add__(self, nbytes: int) -> Pointer:
        return Pointer(self.address + nbytes)

    def __iadd__(self, nbytes: int) -> Pointer:
        self.address += nbytes
        return self


def test_an_array_in_a_block_of_cupys_leaves_the_block_where_it_is() -> None:
    driver: Any = object.__new__(CupyDriver)
    driver.is_plain = driver.is_current = lambda: True
    driver._pointer = Pointer
    driver._array = lambda shape, dtype, place, strides: place.address
    block: Any = SimpleNamespace(memory=Pointer(4096))
    how = InMemory((3,), np.dtype(np.float32), (4,))
    for _ in range(2):
        assert driver.arrays([(block, how, 0), (block, how, 5)]) == [4096, 4116]


AT_EXIT = """
    import functools
    from tests.devices.test_cuda_driver import Driver, cuda, cuda_streams
    @functools.cache
    def made():
        driver = Driver([])
        cuda._opened.add(driver)
        driver._wait_for = driver._cuda.cuStreamWaitEvent = lambda *_: print("waited")
        event = driver.mark()
        block = cuda_streams.Block(driver, 0, 8, None)
        block.event = event
        return [block, driver]
    made().append(made)
    print("made")
"""


def test_blocks_that_live_to_the_end_ask_nothing_of_the_driver() -> None:
    found = run_code(AT_EXIT)
    assert (found.stdout, found.stderr) == ("made\n", "")
