"""Dask's workers: chunks that travel between processes, and a worker for each device.

A chunk travels as its bytes, without a copy where its memory is the host's, and arrives on the
default device of the worker that gets it. Between CUDA devices of one machine it goes from card to
card: the message names its memory, and the worker that asked for it copies it from there.
"""

from __future__ import annotations

import itertools
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextvars import ContextVar
from typing import Any, Final

import numpy
import zict
from dask import config
from dask.sizeof import sizeof
from dask.system import CPU_COUNT
from dask.utils import parse_bytes
from distributed import Nanny, Scheduler, SpecCluster, worker as workers
from distributed.comm import get_address_host
from distributed.protocol import dask_deserialize, dask_serialize, register_serialization_family
from distributed.spill import SpillBuffer
from distributed.worker_memory import parse_memory_limit

import xarr
from xarr import tuning
from xarr.adapters.dask import wait_for
from xarr.array.exchange import exposed
from xarr.array.layouts import settled
from xarr.errors import value_error

_LOGGER: Final = logging.getLogger(__name__)


_arrived: Final[Counter[str]] = Counter()
_FAMILY: Final = "xarr"
"""Dask's name for what `_name_memory` and `_copy` do."""
_BY_NAME: Final = [_FAMILY, "dask", "pickle", "error"]
_failures: Final[ContextVar[list[Exception]]] = ContextVar("failures")
_by_the_host: Final[set[str]] = set()
"""The workers whose memory could not be copied from card to card."""
_gathered: Final = workers.get_data_from_worker


def received_nbytes() -> dict[str, int]:
    """The bytes of chunks that came to this process, "between cards" and "by the host"."""
    return dict(_arrived)


def _place(array: xarr.Array) -> tuple[Any, int]:
    """The driver's memory of an Array, and the bytes before its first element."""
    memory = exposed(array)
    buffer = memory.owner.memory.buffer
    return buffer, memory.pointer - array.device.driver.address(buffer)


def _name_memory(array: Any, context: Any = None) -> tuple[dict[str, Any], list[Any]]:
    """Name the memory of an Array for a worker of this machine, where it is a CUDA device's.

    Dask keeps the Array until the worker says that it has it.
    """
    if type(array) is not xarr.Array or not array.device.driver.exports or context is None:
        raise NotImplementedError
    if len({get_address_host(context[end]["address"]) for end in ("sender", "recipient")}) != 1:
        raise NotImplementedError
    if not array.flags.c_contiguous or array.nbytes < tuning.PEER_NBYTES:
        raise NotImplementedError
    try:
        wait_for(array)
        with array.device.lock:
            buffer, offset = _place(array)
            name, begin = array.device.driver.exported(buffer)
    except Exception as error:  # of any other one Dask tells nobody
        _LOGGER.warning("A chunk goes by the host: %s", error)
        raise NotImplementedError from error
    return {"dtype": array.dtype.str, "shape": array.shape, "begin": begin + offset}, [name]


_held: Final[list[Any]] = []
"""The DeviceBuffer of this process' worker, where there is one."""


def _with_room(made: Callable[[], xarr.Array]) -> xarr.Array:
    """Make an Array; where there is no room, move the worker's other Arrays to the host first."""
    while True:
        try:
            return made()
        except MemoryError:
            if not any(held.leave_device() for held in _held):
                raise


def _copy(header: dict[str, Any], frames: Sequence[Any]) -> xarr.Array | None:
    """Copy the Array that a worker named; None, and the error for `_asked`, where that fails."""
    try:
        array = _with_room(lambda: xarr.empty(header["shape"], header["dtype"]))
        with array.device.lock:
            place = _place(array)
            name, driver = bytes(frames[0]), array.device.driver
            driver.copy_exported(name, header["begin"], *place, array.nbytes)
    except Exception as error:  # as in `_name_memory`  # noqa: BLE001
        _failures.get().append(error)
        return None
    _arrived["between cards"] += array.nbytes
    return array


register_serialization_family(_FAMILY, _name_memory, _copy)


async def _asked(rpc: Any, keys: Any, worker: str, **options: Any) -> Any:
    """Ask another worker for chunks: by name, or for their bytes where that does not succeed.

    Only here do names go, as the other worker keeps chunks until it hears that they have come. Of
    an error in a message that has come Dask would tell nobody, and the graph would wait for ever.
    """
    if worker not in _by_the_host:
        failures: list[Exception] = []
        _failures.set(failures)
        ways = {"serializers": _BY_NAME, "deserializers": _BY_NAME}
        try:
            answer = await _gathered(rpc, keys, worker, **{**options, **ways})
        except OSError as error:  # as of a worker that does not know the way
            failures.append(error)
        if not failures:
            return answer
        _LOGGER.warning("Chunks of %s come by the host: %s", worker, failures[0])
        if not isinstance(failures[0], MemoryError):
            _by_the_host.add(worker)
    return await _gathered(rpc, keys, worker, **options)


def dask_setup(worker: Any) -> None:
    """Let a worker on a CUDA device get chunks from other cards: what `--preload` calls."""
    if isinstance(worker.data, DeviceBuffer):
        _held[:] = [worker.data]
    if xarr.default_device().driver.exports:
        workers.get_data_from_worker = _asked


@dask_serialize.register(xarr.Array)
def _send(array: xarr.Array) -> tuple[dict[str, Any], list[Any]]:
    host = numpy.asarray(array, order="C")
    return {"dtype": host.dtype.str, "shape": host.shape}, [host.reshape(-1).view("u1").data]


@dask_deserialize.register(xarr.Array)
def _receive(header: dict[str, Any], frames: Sequence[Any]) -> Any:
    """Upload a chunk that was sent; it stays a NumPy array where the device has no room."""
    content = frames[0] if len(frames) == 1 else b"".join(frames)
    host = numpy.frombuffer(content, header["dtype"]).reshape(header["shape"])
    _arrived["by the host"] += host.nbytes
    try:
        return _with_room(lambda: xarr.asarray(host, copy=True))
    except MemoryError as error:
        _LOGGER.warning("A chunk stays on the host: %s", error)
        return host.copy()


def _spilling(worker_local_directory: str, nbytes: int) -> SpillBuffer:
    """The data of a worker whose device's memory is the host's: on disk beyond a limit."""
    return SpillBuffer(f"{worker_local_directory}/storage", target=nbytes)


def _alone(array: xarr.Array) -> xarr.Array:
    """The array in C order in memory of its own: a view would keep all that it is a view of."""
    settled(array)
    storage = array._view.storage
    is_whole = storage is None or storage.nbytes == array.nbytes
    return array if is_whole and array.flags.c_contiguous else xarr.array(array, order="C")


class DeviceBuffer(MutableMapping[Any, Any]):
    """The data of a worker: the Arrays used last on its device, others on the host, then on disk.

    Parameters
    ----------
    worker_local_directory : str
        Where files go.
    device_nbytes, host_nbytes : int
        How many bytes chunks may take on the device, and on the host.
    """

    def __init__(self, worker_local_directory: str, device_nbytes: int, host_nbytes: int) -> None:
        self.host = _spilling(worker_local_directory, host_nbytes)
        copies: zict.Func[Any, Any, Any] = zict.Func(numpy.asarray, xarr.asarray, self.host)
        self.device: zict.Buffer[Any, Any] = zict.Buffer(
            {}, copies, n=device_nbytes, weight=lambda _, array: sizeof(array)
        )
        self._arrays: set[Any] = set()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.pop(key, None)
        if type(value) is xarr.Array:
            self._arrays.add(key)
            value = _alone(value)
        self._of(key)[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self._of(key)[key]

    def __delitem__(self, key: Any) -> None:
        del self._of(key)[key]
        self._arrays.discard(key)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain(self.device.fast, self.host)

    def __len__(self) -> int:
        return len(self.device.fast) + len(self.host)

    def __contains__(self, key: object) -> bool:
        return key in self.device.fast or key in self.host

    @property
    def fast(self) -> Any:
        """The data that can leave the host's memory, for Dask when a worker has little left."""
        return self.host.fast

    def evict(self) -> Any:
        """Move what was used least lately on the host to disk."""
        return self.host.evict()

    def leave_device(self) -> bool:
        """Move what was used least lately to the host; False where nothing is on the device."""
        return bool(self.device.fast) and bool(self.device.fast.evict())

    def _of(self, key: Any) -> MutableMapping[Any, Any]:
        found: MutableMapping[Any, Any] = self.device if key in self._arrays else self.host
        return found


class LocalCluster(SpecCluster):
    """A Dask scheduler with a worker process for each device of this machine.

    Parameters
    ----------
    devices : sequence of str, optional
        The devices of the workers; a device may occur twice. All devices of the default device's
        backend where None.
    n_workers : int, optional
        The number of workers; they take the devices in turn. One for each device where None.
    threads_per_worker : int
        The number of tasks that a worker runs at a time; its device runs one operation at a time.
    memory_limit : str, int or float
        The host memory of a worker, as in `distributed.LocalCluster`.
    device_memory_limit : str or int, optional
        The device memory for chunks, as "1 GB". The least recently used ones move to host memory,
        and from there to disk. Where None they move when the device is full.
    host : str
        The address of scheduler and workers.
    dashboard_address : str, optional
        The address of Dask's dashboard; of any free port where ":0".
    **options
        Of `distributed.SpecCluster`.

    Notes
    -----
    Workers share the threads of the processor: `XARR_THREADS` is set for each.
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        n_workers: int | None = None,
        threads_per_worker: int = 1,
        memory_limit: str | float = "auto",
        device_memory_limit: str | int | None = None,
        host: str = "127.0.0.1",
        dashboard_address: str | None = ":0",
        **options: Any,
    ) -> None:
        known = {str(device): device for device in xarr.devices()}
        if devices is None:
            backend = str(xarr.default_device()).partition(":")[0]
            devices = [name for name in known if name.startswith(f"{backend}:")]
        if not devices:
            raise value_error(
                "LocalCluster(devices)", "no devices", "devices must name at least one"
            )
        if unknown := [name for name in devices if name not in known]:
            there = f"there are {[*known]}"
            raise value_error("LocalCluster(devices)", f"no {unknown[0]!r}", there)
        count = n_workers or len(devices)
        threads = max(1, CPU_COUNT // count)
        limit = parse_memory_limit(memory_limit, threads, CPU_COUNT, logger=_LOGGER)
        share = config.get("distributed.worker.memory.target")
        host_nbytes = int(share * limit) if share and limit else sys.maxsize
        device_nbytes = parse_bytes(device_memory_limit) if device_memory_limit else sys.maxsize
        silenced = options.setdefault("silence_logs", logging.WARNING)
        self._options = {
            name: {
                "nthreads": threads_per_worker,
                "memory_limit": limit,
                "data": (_spilling, {"nbytes": min(host_nbytes, device_nbytes)})
                if known[name].kind == "cpu"
                else (DeviceBuffer, {"device_nbytes": device_nbytes, "host_nbytes": host_nbytes}),
                "preload": [*config.get("distributed.worker.preload"), __name__],
                "host": host,
                "silence_logs": silenced,
                "env": {"XARR_DEVICE": name, "XARR_THREADS": str(threads)},
            }
            for name in devices
        }
        names = itertools.islice(itertools.cycle(devices), count)
        specifications = {number: self._specification(name) for number, name in enumerate(names)}
        scheduler = {
            "cls": Scheduler,
            "options": {"host": host, "dashboard_address": dashboard_address},
        }
        new = self._specification(devices[0])
        super().__init__(workers=specifications, worker=new, scheduler=scheduler, **options)

    def _specification(self, device: str) -> dict[str, Any]:
        return {"cls": Nanny, "options": self._options[device]}

    def new_worker_spec(self) -> dict[Any, Any]:
        """The name and the specification of one more worker, on the device that has fewest."""
        used = Counter(spec["options"]["env"]["XARR_DEVICE"] for spec in self.worker_spec.values())
        ((name, _),) = super().new_worker_spec().items()
        return {name: self._specification(min(self._options, key=lambda device: used[device]))}
