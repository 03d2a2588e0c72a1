"""Devices: which there are, which is the default, and the handle that arrays carry.

A handle knows its driver and keeps what belongs to the device (compiled kernels, the lock); what
is compiled and launched is the engine's affair.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Final, Literal, Self, TypeAlias

from xarr import dtypes, tuning
from xarr.backends.base import DeviceInfo, Discovery, Driver
from xarr.backends.cuda_bindings import core_device
from xarr.backends.device_memory import Memory
from xarr.backends.forks import hold_over_forks
from xarr.backends.lock import Lock, new_lock
from xarr.dtypes import DType
from xarr.errors import message
from xarr.memo import listed
from xarr.settings import settings

InPlace: TypeAlias = "dict[DType, tuple[Callable[..., Any] | None, Callable[..., Any] | None]]"

BACKENDS = {
    "cupy": "cupy_devices",
    "numba": "numba_cuda",
    "cuda": "cuda_native",
    "cpu": "cpu",
    "opencl": "opencl_devices",
}
"""The module of each backend, best first: the default device is the first GPU, else the first CPU.
"""

_OPTIONS: dict[str, dict[str, Any]] = {
    "no-float64": {"has_float64": False},
    "as-gpu": {"kind": "gpu", "shares_host_memory": False},
}
"""Pretences of a handle, for tests, and the facts of the device that each changes."""

PUBLIC: Final = (
    *("attributes", "backend", "can_access", "cl_context", "cuda", "has_float64", "index", "kind"),
    *("memory", "memory_info", "memory_nbytes", "name", "synchronize"),
)
"""What a user asks a device. Its other attributes are the engine's."""

_FORMATS: Final = {dtypes.bool_: "?", dtypes.float16: "e"}
"""The formats of elements in memory that are not those of constants."""
_IN_PLACE: Final[InPlace] = {
    dtype: (form.unpack_from, form.pack_into)
    for dtype in dtypes.TABLE
    for form in [struct.Struct(_FORMATS.get(dtype, dtype.format))]
}
_ELSEWHERE: Final[InPlace] = dict.fromkeys(dtypes.TABLE, (None, None))


class Device:
    """A device that holds arrays and runs kernels; ``str()`` gives its name, as "opencl:0".

    Devices come from `xarr.device`, `xarr.devices`, `xarr.default_device` and `x.device`. Each is
    opened at first use. Within ``with device:``, which may be nested, it is the default device,
    where new arrays are made.

    info, open, plain : DeviceInfo, function, Device or None -- Programs do not call the class.
    options : tuple of str -- Properties to pretend: ``no-float64`` for no float64; ``as-gpu`` for a
        GPU, which runs kernels written for GPUs and shares no memory with the host.

    >>> device = xarr.default_device()
    >>> with device:
    ...     x = xarr.ones(3)
    >>> x.device == device
    True
    >>> device.kind in ("cpu", "gpu", "accelerator")
    True
    """

    __slots__ = {  # noqa: RUF023 - in the order of the types below
        "__dict__": "Of the driver, once it is there.",
        "_open": "",
        "_plain": "",
        "info": "What the driver tells of the device, as a `DeviceInfo`.",
        "options": "The properties that the device pretends to have.",
        "no_float64": "Whether the device lacks float64 and complex128.",
        "lock": "Held while work runs on the device or its driver is called.",
        "in_place": "How the host reads and writes an element in place, where it can.",
        # Work on such memory runs at once.
        "shared": "How many outside users a storage's memory has, by the storage's serial number.",
        # No other array gets the memory, and its content is never assumed.
        "kept": "The number of graphs that use a buffer, by the buffer's identity.",
        "is_recorded": "Whether a graph is being recorded; no other work may run meanwhile.",
        # It takes a function that counts the draws, which each launch calls.
        "drawing": "For the engine: what stands for draws while a graph is recorded; else None.",
        "bandwidth_gb_s": "The bandwidth of copies, in GB/s; None until a profile measures it.",
        "tape": "The pending work.",
        "kernels": "The compiled kernels.",
        "programs": "The planned lists of operations.",
        "structures": "The shapes, strides and data types of views, each once.",
    }

    info: DeviceInfo
    options: tuple[str, ...]
    no_float64: bool
    lock: Lock
    in_place: InPlace
    shared: dict[int, int]
    kept: dict[int, int]
    is_recorded: bool
    drawing: Callable[[Callable[[], tuple[int, int]]], tuple[Any, Any]] | None
    bandwidth_gb_s: float | None
    tape: Any
    kernels: dict[Any, Any]
    programs: dict[Any, Any]
    structures: Any

    def __init__(
        self,
        info: DeviceInfo,
        open: Callable[[], Driver],
        plain: Device | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        self.info = info
        self.options = options
        # Two handles of one device share its queue, so they share the lock.
        self.lock = new_lock() if plain is None else plain.lock
        self.kernels = {}
        self.no_float64 = not info.has_float64
        self.in_place = _IN_PLACE if info.host_addressable else _ELSEWHERE
        self.shared = {}
        self.kept = {}
        self.is_recorded = False
        self.bandwidth_gb_s = None
        self.drawing = None
        self.programs = {}
        self.structures = None
        self.tape = None
        self._open = open
        self._plain = plain

    @functools.cached_property
    def driver(self) -> Driver:
        """The opened driver; opens it at first use."""
        with self.lock:
            found: Driver | None = self.__dict__.get("driver")  # another thread was faster
            if found is None:
                found = self._open() if self._plain is None else self._plain.driver
                self.driver = found
                for told in when_opened:
                    told(self)
        return found

    @property
    def is_open(self) -> bool:
        """Whether the driver was opened."""
        return "driver" in self.__dict__

    @property
    def backend(self) -> str:
        """The backend that drives the device."""
        return self.info.backend

    @property
    def index(self) -> int:
        """The number of the device within its backend."""
        return self.info.index

    @property
    def name(self) -> str:
        """The name that the driver gives the device."""
        return self.info.name

    @property
    def kind(self) -> Literal["cpu", "gpu", "accelerator"]:
        """The kind of device: "cpu", "gpu" or "accelerator"."""
        return self.info.kind

    @property
    def has_float64(self) -> bool:
        """Whether the device computes in float64 and complex128."""
        return self.info.has_float64

    @property
    def memory_nbytes(self) -> int:
        """The size of the device's memory, in bytes."""
        return self.info.memory_nbytes

    @property
    def memory(self) -> Memory:
        """The use of the device's memory, and its limit."""
        return Memory(self)

    @property
    def cl_context(self) -> Any:
        """The `pyopencl.Context` of an OpenCL device, for a program's own queues and buffers."""
        if self.backend != "opencl":
            raise AttributeError(
                message("device.cl_context", f"{self} is no device of OpenCL", "", "choose another")
            )
        with self.lock:
            driver: Any = self.driver
            return driver.lend()

    @property
    def attributes(self) -> dict[str, Any]:
        """The driver's attributes of the device by name: CUDA's or PyOpenCL's.

        Each device has ``"multiprocessor_count"``, ``"max_threads_per_block"``, ``"warp_size"`` and
        ``"max_shared_memory_per_block"`` (bytes).
        """
        with self.lock:
            return self.driver.device_attributes()

    @property
    def cuda(self) -> Any:
        """The `cuda.core.Device` of a CUDA device, current in this thread from now on.

        For features that xarr lacks: advice for managed memory, textures, external memory.
        Raises AttributeError on other devices, and if cuda-core is not installed.
        """
        if self.info.memory != "CUDA":
            raise AttributeError(
                message("device.cuda", f"{self} is no CUDA device", "", "choose another")
            )
        with self.lock:
            _ = self.driver  # whose context it is, the primary one
            return core_device(self.index)

    def __dir__(self) -> list[str]:
        absent = {"cl_context"} if self.backend != "opencl" else set()
        absent |= {"cuda"} if self.info.memory != "CUDA" else set()
        return sorted({*PUBLIC, "info"} - absent)

    def __enter__(self) -> Self:
        _chosen.set((self, _chosen.get()))
        return self

    def __exit__(self, *exception: object) -> None:
        chosen = _chosen.get()
        _chosen.set(chosen and chosen[1])

    def can_access(self, other: Device | str) -> bool:
        """Tell whether kernels can read the other device's memory directly, as over NVLink or PCIe.

        other : Device or str -- The device whose memory is read.

        >>> xarr.default_device().can_access(xarr.default_device())
        True
        """
        return self.driver.accesses(get_device(other, "can_access(other)").driver)

    def pretending(self, *options: str) -> Device:
        """Return the same device with pretended properties, as "opencl:0?no-float64&as-gpu" does.

        options : str -- The options, as separate arguments.

        >>> xarr.device("cpu:0").pretending("no-float64").has_float64
        False
        """
        wanted = tuple(name for name in _OPTIONS if name in self.options or name in options)
        return self if wanted == self.options else _variant(self._plain or self, wanted)

    def synchronize(self) -> None:
        """Run all pending work of the device, and wait for it.

        >>> xarr.default_device().synchronize()
        """
        for ask in before_synchronizing:
            ask(self)
        with self.lock:
            self.driver.synchronize()

    def memory_info(self) -> dict[str, int]:
        """Return the use of the device's memory, in bytes.

        Returns
        -------
        dict
            ``total_nbytes`` of the device, ``free_nbytes`` not allocated, ``used_nbytes`` in
            arrays, ``held_nbytes`` allocated but not in arrays (kept for reuse, or padding),
            ``peak_nbytes`` the most ever used.

        Examples
        --------
        >>> import xarr
        >>> sorted(xarr.default_device().memory_info())
        ['free_nbytes', 'held_nbytes', 'peak_nbytes', 'total_nbytes', 'used_nbytes']
        """
        with self.lock:
            return self.driver.memory_info()

    def __str__(self) -> str:
        name = f"{self.info.backend}:{self.info.index}"
        return f"{name}?{'&'.join(self.options)}" if self.options else name

    def __repr__(self) -> str:
        return f"<Device {str(self)!r}: {self.info.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Device], tuple[str]]:
        return get_device, (str(self),)


def devices() -> list[Device]:
    """Return all devices found: those of the best backend first, GPUs before CPUs.

    -> list of Device

    >>> xarr.default_device() in xarr.devices()
    True
    """
    return [candidate for backend in BACKENDS for candidate in _discover(backend)]


def found() -> list[Device]:
    """The devices that this process has found, open or not, and handles that pretend."""
    return [one for of in (*_devices.values(), tuple(_variants.values())) for one in of]


listed("Device.kernels", tuning.KERNELS, lambda: [one.kernels for one in found()])
listed("Device.programs", tuning.REMEMBERED, lambda: [one.programs for one in found()])
listed("Tape.came", tuning.REMEMBERED, lambda: [one.tape.came for one in found() if one.tape])


def problems() -> dict[str, list[str]]:
    """For each backend, why a device or a driver is absent, one sentence each."""
    devices()
    return {backend: list(sentences) for backend, sentences in _problems.items()}


def default_device() -> Device:
    """Return the device that new arrays are made on.

    It is the device of the innermost ``with xarr.device(...)``; else the one that the
    environment variable XARR_DEVICE names; else the first GPU; else the first CPU.

    RuntimeError -- If there is no device.

    >>> xarr.zeros(2).device == xarr.default_device()
    True
    """
    chosen = _chosen.get()
    return _first or _first_choice() if chosen is None else chosen[0]


def device(spec: Device | str | None = None) -> Device:
    """Return the device that `spec` names; within ``with device:`` it is the default device.

    spec : Device, str or None -- The name of a device, as "cupy:1"; "gpu" or "cpu" for the first of
        that kind; None for the default device.

    >>> chosen = xarr.device("cpu")
    >>> with chosen:
    ...     assert xarr.default_device() is chosen
    """
    return get_device(spec, where="device(spec)")


def get_device(spec: Device | str | None = None, where: str = "get_device(spec)") -> Device:
    """The device that `spec` names.

    spec : Device, str or None
        A Device; or "opencl:1"; or "opencl", "gpu" or "cpu" for the first such device; each of
        these with "?no-float64" for a device without float64, "?as-gpu" for the kernels of GPUs,
        or both joined by "&"; None for the default device.
    where : str -- The function and argument that an error names.
    """
    if spec is None:
        return default_device()
    if isinstance(spec, Device):
        return spec
    if not isinstance(spec, str):
        raise TypeError(
            message(
                where,
                f"the device is {spec!r}",
                "it must be a Device, a str or None",
                'write "cpu:0", or xarr.devices()[0]',
            )
        )
    name, mark, listed = spec.strip().partition("?")
    options = listed.split("&") if mark else []
    if all(option in _OPTIONS for option in options):
        for candidate in _candidates(name):
            if name in (str(candidate), candidate.backend, candidate.kind):
                return candidate.pretending(*options)
    found = _require_devices()
    names = ", ".join(f"{str(candidate)!r} ({candidate.name})" for candidate in found)
    raise ValueError(
        message(
            where,
            f"there is no device {spec!r}",
            f"the devices are {names}",
            "`python -m xarr info` tells why others are absent",
        )
    )


def default_float(device: Device) -> DType:
    """float64 where the device has it, else float32."""
    return dtypes.float64 if device.info.has_float64 else dtypes.float32


def require_on(device: Device, row: DType, where: str) -> None:
    """Refuse a data type that the device does not have."""
    if row in dtypes.NEEDS_FLOAT64 and not device.info.has_float64:
        raise TypeError(
            message(
                where,
                f"the dtype {row} was asked for on {device}",
                f"{device} ({device.info.name}) has no 64-bit floating point",
                'use "float32" or "complex64", or another device',
            )
        )


def require_common(row: DType, rows: Sequence[DType], device: Device, where: str) -> None:
    """Refuse operands whose common data type `row` the device does not have."""
    if row in dtypes.NEEDS_FLOAT64 and device.no_float64:
        raise TypeError(
            message(
                where,
                f"the operands of dtype {' and '.join(map(str, rows))} promote to {row}, which "
                f"{device} does not have",
                "float32 and complex64 are the widest floating-point types there",
                'convert the operands with x.astype("float32")',
            )
        )


def promoted(rows: Sequence[DType], device: Device, where: str) -> DType:
    """The data type that all promote to; TypeError where the device does not have it."""
    row = functools.reduce(dtypes.promote, rows)
    require_common(row, rows, device, where)
    return row


def require_together(device: Device, other: Device, where: str) -> None:
    """Refuse arrays of two devices."""
    if device is not other:
        raise ValueError(
            message(
                where,
                f"the arrays are on {other} and {device}",
                "the arrays of one operation must be on one device",
                "move one with x.to_device(device)",
            )
        )


before_synchronizing: list[Callable[[Device], None]] = []
"""Functions that run all that was asked of a device; the engine adds its own."""

when_opened: list[Callable[[Device], None]] = []
"""Are told of each device that is opened."""

_Chosen: TypeAlias = "tuple[Device, _Chosen] | None"
_chosen: ContextVar[_Chosen] = ContextVar("xarr_default_device", default=None)
"""The device of the innermost ``with`` block, and the same for what is around that block."""
_discovery_lock = threading.Lock()
_devices: dict[str, tuple[Device, ...]] = {}
_problems: dict[str, list[str]] = {}
_variants: dict[tuple[str, tuple[str, ...]], Device] = {}
_first: Device | None = None


def _discover(backend: str) -> tuple[Device, ...]:
    """The devices of a backend, which is loaded the first time."""
    found = _devices.get(backend)
    if found is None:
        with _discovery_lock:
            if backend not in _devices:
                module = importlib.import_module(f"xarr.backends.{BACKENDS[backend]}")
                discovery: Discovery = module.discover()
                _problems[backend] = discovery.problems
                _devices[backend] = tuple(Device(info, open) for info, open in discovery.devices)
            found = _devices[backend]
    return found


def _may_have_gpus(backend: str) -> bool:
    """Whether a backend may have a GPU, as far as is known before its library is loaded."""
    module = importlib.import_module(f"xarr.backends.{BACKENDS[backend]}")
    return bool(getattr(module, "may_have_gpus", lambda: True)())


def _candidates(name: str) -> Iterator[Device]:
    """The devices that a name may mean; other backends are not loaded."""
    backend = name.partition(":")[0]
    # "cpu" is a kind as well, which OpenCL has too.
    for one in (backend,) if backend in BACKENDS and name != "cpu" else BACKENDS:
        yield from _discover(one)


def _require_devices() -> list[Device]:
    found = devices()
    if not found:
        sentences = [sentence for backend in BACKENDS for sentence in _problems[backend]]
        raise RuntimeError(
            message(
                "xarr",
                "no device was found",
                "; ".join(sentences) or "no driver reports one",
                'pip install "pyopencl[pocl]" gives every machine one',
            )
        )
    return found


def _first_choice() -> Device:
    global _first
    if _first is None:
        named = settings().device
        if named is not None:
            _first = get_device(named, where="XARR_DEVICE")
        else:
            # What loads a backend's library takes a while: none is loaded that has no say in it.
            gpus = (
                one for backend in BACKENDS if _may_have_gpus(backend) for one in _discover(backend)
            )
            first = next((one for one in gpus if one.kind == "gpu"), None)
            first = first or next((one for one in _candidates("") if one.kind == "cpu"), None)
            _first = first or _require_devices()[0]
    return _first


def _variant(plain: Device, options: tuple[str, ...]) -> Device:
    with _discovery_lock:
        key = (str(plain), options)
        if key not in _variants:
            changes = {
                name: value for option in options for name, value in _OPTIONS[option].items()
            }
            info = dataclasses.replace(plain.info, **changes)
            _variants[key] = Device(info, plain._open, plain, options)
        return _variants[key]


def _forkable() -> list[Device]:
    """The open devices that a child after a fork can use."""
    return [one for one in found() if one.is_open and one.info.dialect == "c"]


hold_over_forks(_forkable)
