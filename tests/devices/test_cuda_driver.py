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


def with_functions(*names: str, **functions: Any) -> tuple[Driver, Any]:
    """A driver that has functions besides, and names of the bindings themselves, which it gives."""
    reason = "cuda-bindings is not installed"
    bindings = pytest.importorskip("cuda.bindings.driver", reason=reason)
    driver = Driver([])
    vars(driver._cuda).update({name: getattr(bindings, name) for name in names}, **functions)
    return driver, bindings


def test_a_launch_of_groups_that_wait_for_each_other() -> None:
    asked = list[Any]()

    def launch(config: Any, function: str, parameters: int, extra: int) -> tuple[int]:
        asked.append((function, str(config)))
        return (0,)

    driver, cuda = with_functions(
        "CUlaunchAttribute", "CUlaunchAttributeID", "CUlaunchConfig", cuLaunchKernelEx=launch
    )
    kernel = driver.cooperating(cuda_kernels.Kernel("module", 8), True, (2, 1))
    assert [int(one.id) for one in kernel.attributes] == [
        int(cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE),
        int(cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION),
    ]
    extents = kernel.attributes[1].value.clusterDim
    assert (extents.x, extents.y, extents.z) == (2, 1, 1)
    assert kernel.attributes[0].value.cooperative == 1
    driver.launch_with(kernel, (4, 2), (32, 4), [b"1234"], 64)
    ((function, config),) = asked
    said = dict(line.split(" : ", 1) for line in config.splitlines() if " : " in line)
    assert function == 8
    assert [said[f"gridDim{axis}"] for axis in "XYZ"] == ["4", "2", "1"]
    assert [said[f"blockDim{axis}"] for axis in "XYZ"] == ["32", "4", "1"]
    assert (said["sharedMemBytes"], said["numAttrs"]) == ("64", "2")
    assert driver.launched == 1


def test_attributes_that_the_driver_does_not_know_are_left_out() -> None:
    driver, _ = with_functions("CUdevice_attribute", cuDeviceGet=lambda index: (0, "device"))
    driver._cuda.cuDeviceGetAttribute = lambda which, device: (
        (0, int(which)) if int(which) != 10 else (1, None)
    )
    found = driver.device_attributes()
    assert {found["max_threads_per_block"], found["multiprocessor_count"]} == {1, 16}
    assert 10 not in found.values()
    assert "max" not in found
    assert len(found) > 100


def test_occupancy() -> None:
    driver, _ = with_functions(
        cuOccupancyMaxActiveBlocksPerMultiprocessor=lambda *asked: (0, 3),
        cuOccupancyMaxPotentialBlockSize=lambda *asked: (0, 264, 1024),
    )
    kernel = cuda_kernels.Kernel("module", 8)
    assert driver.occupancy(kernel, 128, 0) == 3
    assert driver.suggested_group(kernel, 0) == 1024


def test_a_function_that_a_stream_calls_is_called_once() -> None:
    driver, _ = with_functions()
    came = list[str]()
    later = list[Any]()

    def launch(stream: Any, function: Any, number: Any) -> int:
        later.append((function, number))
        return 0

    driver.library = SimpleNamespace(cuLaunchHostFunc=launch)
    driver.call(lambda: came.append("one"))
    driver.call(lambda: came.append("two"))
    gc.collect()
    assert len(cuda_streams._waiting) == 2
    for function, number in later:
        function(number.value)
    assert came == ["one", "two"]
    assert not cuda_streams._waiting


def test_memory_of_another_process_is_unmapped_with_its_last_user() -> None:
    closed = list[int]()
    driver, _ = with_functions(
        "CUipcMemHandle",
        "CUipcMem_flags",
        cuIpcOpenMemHandle=lambda handle, flag: (0, 4096),
        cuIpcCloseMemHandle=closed.append,
        cuCtxSynchronize=lambda: (0,),
    )
    address, owner = driver.open_exported(bytes(64))
    block = driver.wrap(address + 16, 8, owner)
    del owner
    assert (block.pointer, closed) == (4112, [])
    del block
    gc.collect()
    assert closed == [4096]


def test_a_graph_is_updated_or_instantiated_anew() -> None:
    numbers, statuses, destroyed = iter(range(10)), [0, 910], list[str]()
    driver, _ = with_functions(
        "CUstream_flags",
        "CUstreamCaptureMode",
        cuStreamCreate=lambda flags: (0, 7),
        cuStreamDestroy=lambda stream: (0,),
        cuStreamBeginCapture=lambda stream, mode: (0,),
        cuStreamEndCapture=lambda stream: (0, "graph"),
        cuGraphInstantiate=lambda graph, flags: (0, f"ready {next(numbers)}"),
        cuGraphExecUpdate=lambda ready, graph: (statuses.pop(0), None),
        cuGraphDestroy=lambda graph: (0,),
        cuGraphExecDestroy=destroyed.append,
    )
    first = driver.graph([])
    assert driver.graph([], first) is first
    second = driver.graph([], first)
    assert second is not first
    assert not destroyed
    del first
    assert destroyed == ["ready 0"]


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
