"""The machine's own processor, by the machine's own C compiler, through no driver.

Kernels in the C dialect become libraries. Memory is the host's. Work is done when a call returns,
by the thread that asks for it and, if it is large, by others that wait for such; `cpu.c` has that
and the pool of memory.
"""

from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import itertools
import math
import os
import platform
import shlex
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import numpy

from xarr import tuning
from xarr.backends import processor
from xarr.backends.base import (
    ATTRIBUTES,
    Asked,
    DeviceInfo,
    Discovery,
    Driver,
    Found,
    Place,
    Together,
)
from xarr.backends.cpu_launch import CpuLauncher
from xarr.cache import DISK
from xarr.errors import CompileError, message
from xarr.settings import settings

_INSTALL: Final = "install gcc or clang, or pip install ziglang"
_FLAGS: Final = (
    "-std=gnu11",
    "-O2",
    "-march=native" if platform.machine() in ("x86_64", "i686") else "-mcpu=native",
    # The numerics policy: no contraction, and nothing that changes a bit.
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",  # views of one memory may have several types
    "-U_FORTIFY_SOURCE",  # which takes a change of stacks for an attack
    # What nobody declared would be C's library's, with other bits, or be called with wrong types.
    "-Werror=implicit-function-declaration",
    "-Werror=int-conversion",
)
_GCC_FLAGS: Final = (
    "-ftree-loop-vectorize",
    # gcc 12 loses a rounding to float32 that a loop of doubles carries, where it makes vectors of
    # statements beside each other. Without them 41 operations on 2^20 elements take .97 as long.
    "-fno-tree-slp-vectorize",
    # gcc 12 forgets the squares of `for (...) i *= i;` where it computes i behind the loop at once.
    "-fno-tree-scev-cprop",
    "-fvect-cost-model=dynamic",
    "-fno-thread-jumps",
    "-fno-tree-pre",
    "--param=max-tree-if-conversion-phi-args=64",
)
"""What gcc needs to make vectors of loops whose bounds are not known, and of selections: two of its
passes make branches of them, and it gives up where more than four values meet. pow took 45 ns an
element instead of 6, atanh of complex128 63 instead of 25. With -O3 no kernel of 42 was faster, and
compiling took a third longer."""
_GCC_OWN_FLAGS: Final = ("-fsplit-loops", "-funswitch-loops")
"""Options that gcc needs besides for own kernels, whose items look first whether they are within an
array, and compute by what is the same for all: it splits the loop over items where they no longer
are, and makes two of it. Without, sums of groups took 9.2 ms instead of 2.8."""
_GCC_LINKED: Final = ("-Wl,-z,noseparate-code", "-Wl,-z,norelro")
"""A library of two mappings instead of five, of which Linux gives a process 65,530. It is a third
as large and loads in 24 us instead of 44."""
_LINKED: Final = ("-shared", "-fPIC", "-lm")
_WHOLE: Final = ("-Wl,-z,defs",) if sys.platform == "linux" else ()
"""A kernel that lacks a function is refused when it is compiled."""
_SEAL_NBYTES: Final = hashlib.sha256().digest_size
_DEFAULT_STREAM: Final = 1
_Loaded = TypeVar("_Loaded")


class Library:
    """A library of kernels, closed when nobody has a kernel of it any more.

    `ctypes.CDLL` is never closed, and makes two types: 7 KB for a kernel.
    """

    __slots__ = ("_handle",)

    def __init__(self, path: str) -> None:
        self._handle = _ctypes.dlopen(path, os.RTLD_NOW)

    def entry(self, name: str) -> int:
        """Return the address of a kernel; OSError where the library has none of this name."""
        return _ctypes.dlsym(self._handle, f"xr_run_{name}")

    def __del__(
        self,
        close: Callable[[int], object] = _ctypes.dlclose,
        is_ending: Callable[[], bool] = sys.is_finalizing,
    ) -> None:
        # A daemon's thread may be in a kernel while the process ends.
        if hasattr(self, "_handle") and not is_ending():
            close(self._handle)


class Kernel(NamedTuple):
    """A kernel's function, and the library that it is in, which it keeps open."""

    name: str
    entry: int
    library: Library


class Stream:
    """A stream, which has nothing to do: what is asked for is done."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer


class Compiler(NamedTuple):
    """A C compiler: what calls it, and what differs where another one does."""

    command: tuple[str, ...]
    identity: str
    flags: tuple[str, ...] = _FLAGS
    own_flags: tuple[str, ...] = ()

    def library(self, source: str, options: Sequence[str]) -> tuple[bytes, str]:
        """Compile a source to a library, with what the compiler says, as CompileError has it."""
        import subprocess  # here: they take 4 ms, and most kernels are compiled already
        import tempfile

        flags = (*self.flags, *options, *shlex.split(settings().cc_flags or ""))
        with tempfile.TemporaryDirectory(prefix="xarr-") as folder:
            result = os.path.join(folder, "library")
            asked = [*self.command, *flags, "-x", "c", "-", *_LINKED, "-o", result]
            try:
                done = subprocess.run(
                    asked, input=source.encode(), capture_output=True, check=False, cwd=folder
                )
                log = done.stderr.decode(errors="replace")
                if done.returncode == 0:
                    with open(result, "rb") as file:
                        return file.read(), log
            except OSError as error:
                log = str(error)
        raise CompileError(
            device=f"cpu:0 ({self.command[0]})", options=tuple(flags), log=log, source=source
        )


class CpuDriver(CpuLauncher, Driver):
    """The processor, with the functions of `cpu.c`."""

    stable_addresses = True
    is_sequenced = True
    takes_numbers = True

    def __init__(self, info: DeviceInfo, compiler: Compiler, functions: Any) -> None:
        self.info = info
        self.limit_nbytes = math.inf
        self._compiler = compiler
        self._take, self._wrap, self._trim, self._memory, *rest = functions
        self._launch, self._launch_with, self._copy, *rest = rest
        self.make_sequence, self.change_sequence, self.run_sequence = rest
        self._streams = {_DEFAULT_STREAM: Stream(_DEFAULT_STREAM)}
        self._current = threading.local()
        self._numbers = itertools.count(_DEFAULT_STREAM + 1)

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a library's content, which `load` takes in any process."""
        return self._sealed(source, options)[0]

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it."""
        return self._sealed(source, (*self._compiler.own_flags, *options))

    def _sealed(self, source: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        content, log = self._compiler.library(source, (*options, *_WHOLE))
        return self._seal(content) + content, log

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a library; ValueError when it is none of `compile`'s."""
        seal, content = binary[:_SEAL_NBYTES], binary[_SEAL_NBYTES:]
        try:
            if seal != self._seal(content):
                raise OSError("it was made for another processor or compiler, or is damaged")
            return self._kernel(_loaded(content, name, Library), name)
        except OSError as error:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"the binary of kernel {name!r} does not load: {error}",
                    "binary must come from compile() with the same processor and compiler",
                    "compile it anew",
                )
            ) from error

    def attributes(self, kernel: Kernel) -> dict[str, int | None]:
        """The largest group; a compiler has no limits else."""
        return dict.fromkeys(ATTRIBUTES) | {"max_threads_per_block": self.info.group_size}

    def load_beside(self, kernel: Kernel, binary: bytes, name: str) -> Kernel:
        """Another kernel of a library."""
        return self._kernel(kernel.library, name)

    def _kernel(self, library: Library, name: str) -> Kernel:
        return Kernel(name, library.entry(name), library)

    def sequence(self, asked: Sequence[Asked | Callable[[], None]]) -> Together | None:
        """Return an object that makes such launches by one call; None for a library's work."""
        launches = [one for one in asked if not callable(one)]
        return LaunchSequence(self, launches) if len(launches) == len(asked) else None

    def launch_with(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Run a program's own kernel, whose parameters are in any order."""
        values: list[Any] = []
        for given in arguments:
            if isinstance(given, Place):
                values.append(ctypes.c_void_p(given.buffer.address + given.offset_nbytes))
            else:
                assert isinstance(given, bytes)
                values.append(ctypes.create_string_buffer(given, max(len(given), 8)))
        values.append(ctypes.c_uint64(local_nbytes))
        places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        self.launched += 1
        self._launch_with(kernel.entry, grid, group, ctypes.addressof(places))

    def launch_at(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        places: int,
        local_nbytes: int,
    ) -> bool:
        """Run a program's own kernel, given where the pointers to its parameters lie."""
        self.launched += 1
        self._launch_with(kernel.entry, grid, group, places)
        return True

    def upload(self, buffer: Any, offset_nbytes: int, data: Any, *, waits: bool = True) -> None:
        """Copy contiguous host data in."""
        self._copy(buffer, offset_nbytes, data, 0, memoryview(data).nbytes)

    def download(self, buffer: Any, offset_nbytes: int, out: Any, *, waits: bool = True) -> None:
        """Copy into contiguous writable host memory."""
        self._copy(out, 0, buffer, offset_nbytes, memoryview(out).nbytes)

    def copy(
        self, source: Any, source_offset: int, target: Any, target_offset: int, nbytes: int
    ) -> None:
        """Copy; the regions may overlap."""
        self._copy(target, target_offset, source, source_offset, nbytes)

    @contextlib.contextmanager
    def map(self, buffer: Any) -> Iterator[Any]:
        """The block's memory as a writable array of bytes."""
        yield numpy.frombuffer(buffer, numpy.uint8)

    def address(self, buffer: Any) -> int:
        """Where a block begins."""
        return int(buffer.address)

    def is_open(self) -> bool:
        """True: all memory is the host's."""
        return True

    def window(self, buffer: Any) -> memoryview:
        """The block's memory as bytes."""
        return memoryview(buffer)

    def wrap(self, address: int, nbytes: int, owner: Any) -> Any:
        """A block in memory that `owner` keeps."""
        return self._wrap(address, nbytes, owner)

    def adopt(self, array: Any) -> Any:
        """A block in the memory of an array that NumPy has made, if that is its own in C order."""
        flags = (array if array.base is None else array.base).flags
        if not (flags.owndata and array.flags.c_contiguous and flags.writeable):
            return None
        return self._wrap(array.ctypes.data, array.nbytes, array)

    def synchronize(self) -> None:
        """Return at once, as all work is done when it is asked for."""

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, in live buffers, held for reuse, and the most ever live."""
        used, reserved, peak = self._memory()
        total = self.info.memory_nbytes
        return {
            "total_nbytes": total,
            "free_nbytes": max(0, total - reserved),
            "used_nbytes": used,
            "held_nbytes": reserved - used,
            "peak_nbytes": peak,
        }

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        self._trim()

    def create_stream(self, priority: int = 0) -> Stream:
        """A new stream, the same as all others."""
        pointer = next(self._numbers)
        return self._streams.setdefault(pointer, Stream(pointer))

    def current_stream(self) -> int:
        """The number of the current stream."""
        return self._of_thread().pointer

    def wrap_stream(self, pointer: int) -> Stream:
        """The stream that has a number."""
        found = self._streams.get(pointer)
        if found is None:
            raise ValueError(
                message(
                    "Stream(device, pointer)",
                    f"pointer is {pointer:#x}, no stream of the device's",
                    "pointer must be that of one of them",
                )
            )
        return found

    def stream_pointer(self, stream: Stream) -> int:
        """The number of a stream."""
        return stream.pointer

    def swap_stream(self, stream: Stream) -> Stream:
        """Make a stream the current one of this thread; the one that it was before."""
        before, self._current.stream = self._of_thread(), stream
        return before

    def mark(self, *, timed: bool = False, blocking: bool = False) -> float:
        """The time: all that was asked before is done."""
        return time.perf_counter()

    def wait(self, event: float) -> None:
        """Return at once, as all work before an event is done."""

    def reached(self, event: float) -> bool:
        """True: all work before it is done."""
        return True

    def finish(self, event: float) -> None:
        """Return at once, as all work before an event is done."""

    def elapsed(self, first: float, last: float) -> float:
        """The milliseconds between two events."""
        return (last - first) * 1e3

    def _of_thread(self) -> Stream:
        found: Stream = getattr(self._current, "stream", self._streams[_DEFAULT_STREAM])
        return found

    def _seal(self, content: bytes) -> bytes:
        return hashlib.sha256(self.info.target.encode() + content).digest()

    def _refuse(self, nbytes: int) -> NoReturn:
        used, _, _ = self._memory()
        raise MemoryError(
            message(
                "cpu:0",
                f"no room for {nbytes:,} bytes",
                f"{used:,} of the {self.info.memory_nbytes:,} bytes are in use",
                "delete arrays that are no longer needed",
            )
        )


class LaunchSequence:
    """Launches by one call of C, whose buffers are given at each call."""

    def __init__(self, driver: CpuDriver, asked: Sequence[Asked]) -> None:
        steps = [
            (kernel.handle.entry, *grid, arguments, float(kernel.weight * elements), list(numbers))
            for kernel, grid, numbers, arguments, elements in asked
        ]
        pointers = sum([len(numbers) for *_, numbers in steps])
        self._driver, self._count = driver, len(steps)
        self._looked = vars(driver)  # has what stands in the place of a method
        self._run = driver.run_sequence
        self._kernels = [kernel for kernel, *_ in asked]
        self._made = driver.make_sequence(steps, pointers, float(tuning.SHARED))

    def run(self, asked: Sequence[Asked]) -> bool:
        """Return False: launches whose buffers are no numbers are made one by one."""
        return False

    def change(self, number: int, asked: Asked) -> bool:
        """Give a launch other arguments."""
        self._driver.change_sequence(self._made, number, asked[3])
        return True

    def again(self, blocks: Iterable[Any]) -> bool:
        """Make all launches in the blocks of this list; False where somebody looks at each."""
        if "launch" in self._looked:
            return False
        self._driver.launched += self._count
        self._run(self._made, blocks)
        return True


def may_have_gpus() -> bool:
    """False: it is the processor."""
    return False


def discover() -> Discovery:
    """The processor, if there is a C compiler that works."""
    compiler, problem = _compiler()
    if compiler is None:
        return Discovery([], [problem])
    try:
        compiler, functions = _functions(compiler)
    except (CompileError, OSError) as error:
        log = error.log if isinstance(error, CompileError) else error
        problem = f"the C compiler {shlex.join(compiler.command)!r} does not work: {log}"
        warnings.warn(problem, stacklevel=2)
        return Discovery([], [problem])
    flags = (*compiler.flags, *compiler.own_flags)
    target = (processor.identity(), compiler.identity, *flags, settings().cc_flags or "")
    info = DeviceInfo(
        backend="cpu",
        index=0,
        name=processor.name(),
        vendor=platform.machine(),
        platform="C",
        driver_version=shlex.join(compiler.command),
        kind="cpu",
        dialect="c",
        memory_nbytes=processor.memory_nbytes(),
        has_float64=True,
        compute_units=_threads(),
        group_size=1024,
        local_nbytes=1 << 16,
        parameter_nbytes=1 << 12,
        shares_host_memory=True,
        target="\n".join(target),
    )
    return Discovery([Found(info, functools.partial(CpuDriver, info, compiler, functions))], [])


def _threads() -> int:
    """How many threads share large work."""
    return settings().threads or processor.count()


def _flags(*, is_gcc: bool) -> tuple[str, ...]:
    """The flags of kernels; the widest vectors are used where there are such."""
    # Compilers take half of what AVX-512 has, unless told: exp took 1.2 ns instead of 0.6.
    widest = ("-mprefer-vector-width=512",) if "avx512f" in processor.features() else ()
    linked = _GCC_LINKED if is_gcc and sys.platform == "linux" else ()
    return (*_FLAGS, *(_GCC_FLAGS if is_gcc else ()), *linked, *widest)


def _own_flags() -> tuple[str, ...]:
    """The flags that gcc gets besides for a program's own kernels."""
    # An Intel processor that gcc 12 does not know yet is tuned for as any, without gathering loads:
    # bilinear interpolation took 8.8 ms instead of 4.7, a bitonic sort 48 instead of 25.
    gathers = "avx512f" in processor.features() and "Intel" in processor.name()
    return (*_GCC_OWN_FLAGS, *(["-mtune=skylake-avx512"] if gathers else []))


def _compiler() -> tuple[Compiler | None, str]:
    """The first C compiler, by the user's choice or the usual names; or why there is none."""
    if struct.calcsize("P") != 8 or sys.platform == "win32" or not hasattr(os, "fork"):
        return None, "the processor itself is used on Linux and macOS with 64 bits only"
    chosen = settings().cc
    if chosen == "none":
        return None, "XARR_CC is none"
    if chosen is not None:
        try:
            command = shlex.split(chosen)
        except ValueError:  # a quotation mark that nothing closes
            command = [chosen]
        path = _which(command[0]) if command else None
        if path is None:
            problem = f"XARR_CC names {chosen!r}, which is no command"
            warnings.warn(problem, stacklevel=2)
            return None, problem
        path = os.path.abspath(path)
        return _identified((path, *command[1:]), path), ""
    for name in ("cc", "gcc", "clang"):
        path = _which(name)
        if path is not None:
            return _identified((path,), path), ""
    found = importlib.util.find_spec("ziglang")
    if found is not None and found.origin is not None:
        return _identified((sys.executable, "-m", "ziglang", "cc"), found.origin), ""
    return None, f"no C compiler was found; {_INSTALL}"


def _which(name: str) -> str | None:
    """Return a command's file, as `shutil.which` does, which takes 1.5 ms to import."""
    folders = [""] if os.path.dirname(name) else os.get_exec_path()
    paths = [os.path.join(folder, name) for folder in folders]
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _identified(command: tuple[str, ...], path: str) -> Compiler:
    """A compiler with its file as its identity, as it takes longer to ask for its version."""
    real = os.path.realpath(path)
    status = os.stat(real)
    return Compiler(command, f"{shlex.join(command)} {real} {status.st_size} {status.st_mtime_ns}")


def _functions(compiler: Compiler) -> tuple[Compiler, tuple[Callable[..., Any], ...]]:
    """The functions of `cpu.c`, compiled once, and the compiler with the flags that it takes."""
    with open(os.path.join(os.path.dirname(__file__), "cpu.c"), encoding="utf-8") as file:
        source = file.read()
    options: tuple[str, ...] = (f"-DXR_OBJECT={object.__basicsize__}", "-pthread")
    if "t" in sys.abiflags:  # without the global lock
        options = (*options, "-DXR_FREE_THREADED")
    target = (processor.identity(), compiler.identity, sys.version, settings().cc_flags or "")
    key = DISK.key("1", source, options, " ".join(target))
    content = DISK.get(key)
    if content is None:
        if sys.platform == "darwin":
            options = (*options, "-undefined", "dynamic_lookup")
        content, _ = compiler.library(source, options)
        DISK.put(key, content)
    # threadpoolctl looks for libraries by their files.
    path = DISK.file(f"xarr_threads-{key[:16]}.so", content)
    library = ctypes.PyDLL(path) if path else _loaded(content, "threads", ctypes.PyDLL)
    library.xarr_functions.restype = ctypes.py_object
    library.xarr_set_memory.argtypes = (ctypes.c_size_t,)
    library.xarr_set_memory(processor.memory_nbytes())
    library.xarr_set_num_threads(_threads())
    is_gcc = bool(library.xarr_is_gcc())
    own = _own_flags() if is_gcc else ()
    compiler = compiler._replace(flags=_flags(is_gcc=is_gcc), own_flags=own)
    return compiler, library.xarr_functions()


def _loaded(content: bytes, name: str, loader: Callable[[str], _Loaded]) -> _Loaded:
    """Load a library's content from a file that nobody else can write, and remove the file.

    With XARR_DUMP_SOURCE it stays there, beside its source, for debuggers and profilers.
    """
    kept = settings().dump_source
    folder = kept or os.environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, f"{name}-{os.urandom(8).hex()}.so")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            return loader(path)
        finally:
            if not kept:
                os.unlink(path)
    except OSError:
        # A file system may be full, or refuse to run what is on it.
        other = DISK.file(f"{name}-{os.getpid()}.so", content)
        if other is None:
            raise
        try:
            return loader(other)
        finally:
            os.unlink(other)
