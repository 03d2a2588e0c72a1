"""Kernels of a CUDA device: their modules, attributes and parameters."""

from __future__ import annotations

import ctypes
import functools
import json
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from xarr.backends.base import ATTRIBUTES
from xarr.backends.cuda_bindings import LIBRARY, bindings, checked, device_handle, name_of
from xarr.backends.cuda_compiler import (
    compile_cubin,
    compile_own_cubin,
    header_folders,
    nvrtc_version,
)
from xarr.backends.cuda_memory import Memory
from xarr.backends.cuda_streams import Block
from xarr.errors import message

ARGUMENTS_NBYTES: Final = 4096
"""The most that a kernel's parameters take on every CUDA device."""
_NOT_FOUND: Final = 500
_REFUSED: Final = (200, 209, 218, 222, 223, 300, 500)
"""The statuses of a binary that is damaged, for another device or driver, or without the kernel."""


class Parameters:
    """The memory in which a launch finds its parameters: buffers, and a struct behind them.

    address : int -- Of the list of pointers to them.
    """

    __slots__ = ("_content", "_pack", "_pointers", "address")

    def __init__(self, count: int) -> None:
        self._content = ctypes.create_string_buffer(8 * count + ARGUMENTS_NBYTES)
        begin = ctypes.addressof(self._content)
        self._pointers = (ctypes.c_void_p * (count + 1))(*range(begin, begin + 8 * count + 1, 8))
        self.address = ctypes.addressof(self._pointers)
        self._pack = struct.Struct(f"={count}Q{ARGUMENTS_NBYTES}s").pack_into

    def fill(self, given: Sequence[Any]) -> None:
        """Have addresses and a struct as the parameters."""
        self._pack(self._content, 0, *given)


class Kernel:
    """A loaded kernel.

    module, function : object -- The driver's handles.
    address : int -- The function's as a number.
    name : str -- What the source calls it.
    names : Mapping of str to str -- The names that C++ gives kernels of the module.
    parameters : Parameters or None
        Those of its launches one by one; there from the first one on.
    attributes : tuple of CUlaunchAttribute
        Those of its launches by `launch_with`.
    """

    __slots__ = ("address", "attributes", "function", "module", "name", "names", "parameters")

    def __init__(
        self, module: Any, function: Any, name: str = "", names: Mapping[str, str] | None = None
    ) -> None:
        self.module = module
        self.function = function
        self.address = int(function)
        self.name = name
        self.names = names or {}
        self.parameters: Parameters | None = None
        self.attributes: tuple[Any, ...] = ()

    def filled(self, buffers: Sequence[Block], arguments: bytes) -> int:
        """Fill a launch's parameters, addresses of buffers and a struct; return their address."""
        parameters = self.parameters
        if parameters is None:
            parameters = self.parameters = Parameters(len(buffers))
        parameters.fill([*[buffer.pointer for buffer in buffers], arguments])
        return parameters.address

    def launch_together(
        self, cuda: Any, where: tuple[int, ...], local_nbytes: int, stream: Any, address: int
    ) -> Any:
        """Launch groups that wait for each other, as `attributes` say; return the status."""
        config = cuda.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = where[:3]
        config.blockDimX, config.blockDimY, config.blockDimZ = where[3:]
        config.sharedMemBytes, config.hStream = local_nbytes, stream
        config.attrs, config.numAttrs = [*self.attributes], len(self.attributes)
        return cuda.cuLaunchKernelEx(config, self.function, address, 0)[0]


def in_three_dimensions(grid: tuple[int, ...], group: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of a launch's groups and items."""
    if len(grid) == 1:
        return (grid[0], 1, 1, group[0], 1, 1)
    return (*(*grid, 1, 1)[:3], *(*group, 1, 1)[:3])


def _which(name: str) -> Any:
    attributes = bindings("driver").CUfunction_attribute
    return getattr(attributes, f"CU_FUNC_ATTRIBUTE_{name.upper()}")


class Kernels(Memory):
    """The compiler and the loader of a device's kernels."""

    @functools.cached_property
    def library(self) -> ctypes.CDLL:
        """The driver's library, for calls that take longer by its bindings."""
        return ctypes.CDLL(LIBRARY)

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a cubin, which `load` takes in any process; raises `CompileError`."""
        return compile_cubin(source, self.info.target.splitlines()[1], options)

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it."""
        if re.search(r"^[ \t]*#[ \t]*include\b", source, re.MULTILINE):
            options = (*header_folders(), *options)
        return compile_own_cubin(source, self.info.target.splitlines()[1], options, names)

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a cubin; ValueError when the driver refuses it."""
        names = dict[str, str]()
        if binary.startswith(b"{"):
            head, _, binary = binary.partition(b"\n")
            names = json.loads(head)
        with self.context:
            status, module = self._with_room(self._cuda.cuModuleLoadData, binary)
            if not status:
                # Loaded lazily, code goes to the device here.
                find = self._cuda.cuModuleGetFunction
                status, function = self._with_room(find, module, names.get(name, name).encode())
        if status in _REFUSED:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {name_of(status)}",
                    "binary must come from compile() for the same device and driver",
                    f"compile it anew, with a driver that is as new as NVRTC {nvrtc_version()}",
                )
            )
        if status:
            self._fail("load", status)
        return Kernel(module, function, name, names)

    def load_beside(self, kernel: Kernel, binary: bytes, name: str) -> Kernel:
        """Another kernel of the module of one that was loaded; ValueError if it has none."""
        names = kernel.names
        with self.context:
            status, function = self._cuda.cuModuleGetFunction(
                kernel.module, names.get(name, name).encode()
            )
        if status:
            self._refuse_name(name, status)
        return Kernel(kernel.module, function, name, names)

    def variable(self, kernel: Kernel, name: str) -> tuple[int, int]:
        """The address and the bytes of a variable of a kernel's module."""
        with self.context:
            status, address, nbytes = self._cuda.cuModuleGetGlobal(kernel.module, name.encode())
        if status:
            self._refuse_name(name, status)
        return int(address), int(nbytes)

    def _refuse_name(self, name: str, status: Any) -> NoReturn:
        if status != _NOT_FOUND:
            self._fail("load", status)
        given = f"the module has no {name}: {name_of(status)}"
        raise ValueError(message("load(binary, name)", given, "name must be one that it has"))

    def device_attributes(self) -> dict[str, Any]:
        """Return the driver's attributes of the device, without the prefix of their names."""
        cuda = self._cuda
        device = device_handle(cuda, self.info.index)
        found = {}
        for attribute in cuda.CUdevice_attribute:
            status, value = cuda.cuDeviceGetAttribute(attribute, device)
            if not status:  # an older driver does not know all of them
                found[attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_").lower()] = int(value)
        found.pop("max", None)  # the number of attributes, and one of them to a newer driver
        return found

    def occupancy(self, kernel: Kernel, items: int, shared_nbytes: int) -> int:
        """Return how many groups of a kernel fit a multiprocessor at once."""
        ask = self._cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor
        with self.context:
            return int(checked(ask(kernel.function, items, shared_nbytes)))

    def suggested_group(self, kernel: Kernel, shared_nbytes: int) -> int:
        """Return the items of a group with which a kernel fills the device best."""
        ask = self._cuda.cuOccupancyMaxPotentialBlockSize
        with self.context:
            return int(checked(ask(kernel.function, None, shared_nbytes, 0))[1])

    def cooperating(self, kernel: Kernel, cooperative: bool, cluster: tuple[int, ...]) -> Kernel:
        """Return a kernel that is launched cooperatively, or in clusters of groups."""
        cuda = self._cuda
        attributes = []
        if cooperative:
            attributes.append(cuda.CUlaunchAttribute())
            attributes[-1].id = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            attributes[-1].value.cooperative = 1
        if cluster:
            attributes.append(cuda.CUlaunchAttribute())
            attributes[-1].id = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            extents = attributes[-1].value.clusterDim
            extents.x, extents.y, extents.z = (*cluster, 1, 1)[:3]
        found = Kernel(kernel.module, kernel.function, kernel.name, kernel.names)
        found.attributes = tuple(attributes)
        return found

    def attributes(self, kernel: Kernel) -> dict[str, int | None]:
        """The driver's attributes of a kernel."""
        with self.context:
            return {
                name: int(checked(self._cuda.cuFuncGetAttribute(_which(name), kernel.function)))
                for name in ATTRIBUTES
            }

    def set_attribute(self, kernel: Kernel, name: str, value: int) -> None:
        """Change an attribute of a kernel."""
        with self.context:
            self.check(name, self._cuda.cuFuncSetAttribute(kernel.function, _which(name), value))
