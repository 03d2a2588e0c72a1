"""Programs and kernels of an OpenCL device: their compilation, binaries, and loading."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from xarr.backends import pocl
from xarr.backends.base import ATTRIBUTES
from xarr.backends.opencl_queues import Queues
from xarr.errors import CompileError, message

_SPIRV: Final = (0x07230203).to_bytes(4, "little")
"""The first bytes of SPIR-V."""
_SEAL_NBYTES = hashlib.sha256().digest_size
# PoCL would read 17,000 lines of declarations for each kernel, which takes it 80 ms. A source that
# has the word declares itself what it needs, if asked to; see kernels/opencl.h.
_DECLARES = "XR_DECLARES"
_WITHOUT_DECLARATIONS = ("-D_OPENCL_H_", f"-D{_DECLARES}")
# The clang in PoCL writes "2 warnings generated." to the process's standard error, beside the log
# that has them. PoCL refuses the option that ends this, unless it is part of a definition: PoCL
# divides options at spaces, and then clang at tabs too.
QUIET = "-DXR_QUIET\t-fno-caret-diagnostics"


class Handle(NamedTuple):
    """A kernel of a program that was loaded for one device, and the calls that set arguments."""

    program: Any
    kernel: Any
    set_buffers: Any
    set_struct: Any


class Kernel:
    """A kernel's handles: for the device, and for the one that runs in the caller's thread.

    A process ends when a device is given a program that was loaded for another. So each has its
    own, which is loaded when it is first wanted.
    """

    __slots__ = ("inline", "name", "queued")

    def __init__(self, name: str, queued: Handle | None, inline: Handle | None) -> None:
        self.name = name
        self.queued = queued
        self.inline = inline


_BINARY_SIZES: Final = 0x1165
_BINARIES: Final = 0x1166
"""CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES."""


class Programs(Queues):
    """The compiler and the loader of a device's programs."""

    _options: tuple[str, ...]
    _skips_declarations: bool
    _quiet: tuple[str, ...]
    _labels: tuple[Any, ...]
    _compiled: tuple[bytes, Any] | None

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a binary that `load` takes, in any process; raises `CompileError`."""
        return self.compile_own(source, options, ())[0]

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it."""
        options = (*self._options, *options)
        if not (self._skips_declarations and _DECLARES in source):
            return self._built(source, options)
        try:
            return self._built(source, (*_WITHOUT_DECLARATIONS, *options))
        except CompileError:
            # An error of the source comes again; else this PoCL goes another way.
            built = self._built(source, options)
            self._skips_declarations = False
            return built

    def _built(self, source: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        cl = self._cl
        program = None
        try:
            program = cl._cl._Program(self._context, source)
            program._build(" ".join((*self._quiet, *options)).encode(), [self._device])
            binary = self._binary_of(program)
        except cl.Error as error:
            log = str(error)
            if program is not None:
                with contextlib.suppress(cl.Error):
                    log = program.get_build_info(self._device, cl.program_build_info.LOG) or log
            is_refused = error.code == cl.status_code.INVALID_BUILD_OPTIONS
        else:
            binary = self._seal(binary) + binary
            # The binary is loaded next: keep the program, so that it is not built a second time.
            self._compiled = (binary, program)
            return binary, program.get_build_info(self._device, cl.program_build_info.LOG)
        if is_refused and self._quiet:  # by a PoCL of another version, or the program's own options
            self._quiet = ()
            return self._built(source, options)
        # Not where PyOpenCL's error is handled: Dask sends with an error what it came of, and that
        # one cannot be pickled.
        raise CompileError(
            device=f"{self.info.backend}:{self.info.index} ({self.info.name})",
            options=options,
            log=log,
            source=source,
        )

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a binary, or of SPIR-V; ValueError when the driver refuses it."""
        try:
            if binary.startswith(_SPIRV):
                program = self._cl._cl._create_program_with_il(self._context, binary)
                program._build(b"", [self._device])
                return Kernel(name, self._handle(program, name), None)
            compiled = self._compiled
            if compiled is not None and compiled[0] == binary:
                return Kernel(name, self._handle(compiled[1], name), None)
            seal, content = binary[:_SEAL_NBYTES], binary[_SEAL_NBYTES:]
            if seal != self._seal(content):
                raise OSError("it was made for another device or driver, or is damaged")
            inline = self._loaded_inline(content, name)
            if inline is not None:
                return Kernel(name, None, inline)
            return Kernel(name, self._loaded(self._device, content, name), None)
        except (self._cl.Error, OSError) as error:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {error}",
                    "binary must come from compile() for the same device and driver",
                    "compile it anew",
                )
            ) from error

    def _loaded(self, device: Any, content: bytes, name: str) -> Handle:
        program = self._cl._cl._Program(self._context, [device], [content])
        program._build(b"", [device])
        return self._handle(program, name)

    def _loaded_inline(self, content: bytes, name: str) -> Handle | None:
        """The handle for the device that runs in the caller's thread, if there is one."""
        if self._inline is None:
            return None
        relabelled = pocl.relabelled(content, *self._labels)
        if relabelled is None:  # this PoCL's binaries are not known, so that device stays unused
            self._inline, self._is_idle = None, False
            return None
        return self._loaded(self._inline.device, relabelled, name)

    def _handle(self, program: Any, name: str) -> Handle:
        kernel = self._cl.Kernel(program, name)
        if self._fast:
            return Handle(program, kernel, kernel._set_arg_multi, kernel._set_arg_buf_multi)
        return Handle(program, kernel, None, None)

    def _binary_of(self, program: Any) -> bytes:
        """The binary of a program; PoCL links it only now, which takes as long again."""
        direct = self._direct
        if direct is not None:
            ask = direct.program_info
            handle = ctypes.c_void_p(program.int_ptr)
            nbytes = ctypes.c_size_t()
            failed = ask(handle, _BINARY_SIZES, 8, ctypes.byref(nbytes), None)
            content = ctypes.create_string_buffer(nbytes.value)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(content))
            if not failed and not ask(handle, _BINARIES, 8, places, None):
                return content.raw
        return bytes(program.get_info(self._cl.program_info.BINARIES)[0])

    def _queued_handle(self, kernel: Kernel) -> Handle:
        """Load a kernel for the device's queues."""
        assert kernel.inline is not None
        content = pocl.relabelled(self._binary_of(kernel.inline.program), *self._labels[::-1])
        assert content is not None
        kernel.queued = self._loaded(self._device, content, kernel.name)
        return kernel.queued

    def _inline_handle(self, kernel: Kernel) -> Handle | None:
        """Load a kernel for the device that runs in the caller's thread, if there is one."""
        assert kernel.queued is not None
        content = self._binary_of(kernel.queued.program)
        kernel.inline = self._loaded_inline(content, kernel.name)
        return kernel.inline

    def attributes(self, kernel: Kernel) -> dict[str, int | None]:
        """The largest group, and the local and private memory of a group and an item."""
        handle = (kernel.queued or self._queued_handle(kernel)).kernel
        asked = self._cl.kernel_work_group_info
        known = {
            "max_threads_per_block": asked.WORK_GROUP_SIZE,
            "shared_size_bytes": asked.LOCAL_MEM_SIZE,
            "local_size_bytes": asked.PRIVATE_MEM_SIZE,
        }
        return dict.fromkeys(ATTRIBUTES) | {
            name: int(handle.get_work_group_info(which, self._device))
            for name, which in known.items()
        }

    def _seal(self, content: bytes) -> bytes:
        """A seal before a binary: rusticl 22.3 ends the process on one that it cannot read."""
        return hashlib.sha256(self.info.target.encode() + content).digest()
