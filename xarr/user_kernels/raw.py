"""`RawKernel` and `RawModule`: a program's own kernels as they are, launched by grid and block.

A source is portable C, with the words of `kernels/README.md` (`KERNEL`, `GLOBAL`, `GLOBAL_ID(0)`),
or a device's own language: CUDA C on CUDA devices, OpenCL C on OpenCL devices. A launch comes after
everything that was asked before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.layouts import assign, settled
from xarr.array.pointers import Pointer
from xarr.backends.base import ATTRIBUTES
from xarr.backends.device import Device, get_device
from xarr.cache import DISK
from xarr.codegen import source
from xarr.ir.storage import Storage
from xarr.ir.views import storage_view
from xarr.layout import contiguous
from xarr.tape import builder
from xarr.tape.launches import LaunchOp, OffsetOf, PointerTo, launch
from xarr.tape.traced import plainly
from xarr.user_kernels.arguments import (
    Begin,
    LocalMemory,
    Memory,
    Span,
    bytes_of,
    check_array,
    launch_sizes,
    local_nbytes,
    may_begin_within,
    storage_of,
)
from xarr.user_kernels.declarations import Parameter, read_parameter
from xarr.user_kernels.modules import PortableModule
from xarr.user_kernels.repeats import Launched, Repeats, format_of
from xarr.user_kernels.tokens import without_comments

_LANGUAGES: Final = {
    "portable": re.compile(r"\bKERNEL\b"),
    "cuda": re.compile(r"\b__global__\b"),
    "opencl": re.compile(r"\b(?:__kernel|kernel)\b"),
}
"""The words by which the languages mark a kernel."""
_NAMES: Final = {
    "portable": "portable C",
    "c": "portable C",
    "cuda": "CUDA C",
    "opencl": "OpenCL C",
}
_BINARIES: Final = {".ptx": "cuda", ".cubin": "cuda", ".fatbin": "cuda", ".spv": "opencl"}
"""The language of binaries by the suffix of their file."""
_KERNEL_NAME: Final = r"\bvoid\s+(\w+)\s*\("
_GLOBAL: Final = re.compile(r"(template\s*<[^{};]*>\s*)?\b__global__\b")
_TYPEDEF: Final = re.compile(r"\btypedef\s+(\w[\w ]*?)\s+(\w+)\s*;")
_MACRO: Final = re.compile(r"^\s*#\s*define\s+(\w+)\s+(\w[\w ]*?)\s*$", re.MULTILINE)
_OPTION: Final = re.compile(r"\s*-D\s*(\w+)=(\w[\w ]*?)\s*")


class RawModule:
    """A module of kernels, from source or a binary.

    code : str, optional -- Source: portable C, with `KERNEL` before a kernel; CUDA C; or OpenCL C.
    path : path, optional -- A file instead: source; ``.ptx``, ``.cubin`` or ``.fatbin`` for CUDA
        devices; ``.spv`` (SPIR-V) for OpenCL devices that support it.
    options : tuple of str -- The options of the compiler.
    backend, translate_cucomplex, enable_cooperative_groups, jitify : str, bool
        Keywords of CuPy. The first two have no effect: each device has one compiler, which knows
        ``cuComplex.h``. The last two must be False or None.
    name_expressions : sequence of str, optional
        The names of CUDA C++ kernels for `get_function`, as ``"f<float>"``.

    CompileError -- If the source does not compile: in `get_function` for the default device, else
        at a call.
    TypeError -- If both code and path are given, or neither.
    ValueError -- If a keyword is given that must be left out.

    Note: Source: CuPy's documentation, "User-Defined Kernels".

    >>> import xarr
    >>> module = xarr.RawModule(code='''
    ... KERNEL void twice(GLOBAL f32 *x, i32 n)
    ... {
    ...     const i64 i = GLOBAL_ID(0);
    ...     if (i < n) x[i] = 2 * x[i];
    ... }''')
    >>> x = xarr.asarray([1, 2, 3], dtype="float32")
    >>> module.get_function("twice")((1,), (4,), (x, 3))
    >>> x.tolist()
    [2.0, 4.0, 6.0]
    """

    def __init__(
        self,
        code: str | None = None,
        *,
        path: str | Path | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool | None = None,
    ) -> None:
        where = "RawModule(code, path)"
        for name, given in (
            ("enable_cooperative_groups", enable_cooperative_groups),
            ("jitify", jitify),
            ("name_expressions", name_expressions and (code is None or backend != "nvrtc")),
        ):
            if given:
                raise errors.value_error(
                    where, f"{name} is given", "it must be left out", "leave it out"
                )
        if (code is None) is (path is None):
            raise errors.type_error(
                where,
                f"{'neither' if code is None else 'both'} of code and path are given",
                "one of them must be given",
            )
        if not isinstance(code, str | None):
            raise errors.type_error(
                where,
                f"code is of type {type(code).__name__}",
                "it must be a str",
                "give a binary's file as path",
            )
        content = code.encode() if code is not None else Path(str(path)).read_bytes()
        self.options = tuple(options)
        self.backend = backend
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self._binary: bytes | None = None
        self._name = "code" if path is None else Path(str(path)).name
        self._binary_of = "" if path is None else _BINARIES.get(Path(str(path)).suffix, "")
        if self._binary_of:
            self._binary = content + b"\0" if self._binary_of == "cuda" else content
            content = b""
        self.code = content.decode()
        self._bare = without_comments(self.code)
        self._language = next(
            (name for name, word in _LANGUAGES.items() if word.search(self._bare)), ""
        )
        if self._language == "portable":
            self._portable = PortableModule(self._name, self.code)
        self._kernels = dict[Device, dict[str, Any]]()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_kernels": {}}

    def run_in_loops(self, code: str) -> None:
        """Set a second source, for CPU devices that run the items of a group in a loop.

        code : str -- The source, in portable C, with the same kernels.
        """
        self._portable.in_loops = PortableModule(self._name, code)

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile for the default device.

        CompileError -- If the source does not compile.
        ValueError -- If the device does not support the language.
        """
        if self._binary is None:
            device = get_device()
            with device.lock:
                self._compiled(device, self._name, log_stream)

    def get_global(self, name: str) -> Pointer:
        """Return a pointer to a global variable of a CUDA C module on the default device.

        The variable is declared ``__device__`` or ``__constant__``.
        ``pointer.cast("float32").array(10)`` is an array of ten of its numbers.

        name : str -- The name of the variable.
        """
        device = get_device()
        with device.lock:
            kernel = next(iter(self._kernels.get(device, {}).values()), None)
            if kernel is None:
                kernel = self._loaded(device, re.findall(_KERNEL_NAME, self._bare)[0])
            address, nbytes = device.driver.variable(kernel, name)
            storage = Storage(device, nbytes, device.driver.wrap(address, nbytes, kernel))
        return Pointer(Array(storage_view(storage, contiguous((nbytes,)), dtypes.uint8)))

    def get_function(self, name: str) -> RawKernel:
        """Return the kernel of a name, compiled if the default device supports its language.

        name : str -- The name of the kernel.

        ValueError -- If the source has no such kernel.
        """
        kernel = RawKernel._of(self, name)
        dialect = get_device().info.dialect
        if self._binary is None and self._language in ("portable", dialect):
            kernel.compile()
        return kernel

    def _parameters(self, name: str) -> tuple[Parameter, ...] | None:
        """A kernel's parameters as the source declares them; None of a binary's."""
        if self._binary is not None:
            return None
        stem = name
        if self.name_expressions and name in self.name_expressions:
            stem = name.partition("<")[0].rpartition("::")[2]
        declared = self._declared(stem)
        if declared is None:
            names = self.name_expressions or re.findall(_KERNEL_NAME, self._bare)
            raise errors.value_error(
                "get_function(name)",
                f"name is {name!r}",
                f"it must be a kernel of the source, which has {', '.join(names) or 'no kernel'}",
            )
        pairs = [found[::-1] for found in _TYPEDEF.findall(self._bare)]
        pairs += _MACRO.findall(self._bare)
        options = (_OPTION.fullmatch(option) for option in self.options)
        pairs += [found.groups() for found in options if found]
        meanings = dict[str, set[str]]()
        for word, meaning in pairs:
            meanings.setdefault(word, set()).add(meaning)
        # Which one holds where a condition chooses, the compiler knows.
        named = {word: found.pop() for word, found in meanings.items() if len(found) == 1}
        return tuple(read_parameter(part, named) for part in declared)

    def _declared(self, name: str) -> list[str] | None:
        """The declarations of a kernel's parameters; None where the source has no such kernel."""
        found = re.search(
            rf"\bvoid\s+(?:__launch_bounds__\([^)]*\)\s*)?{re.escape(name)}\s*\(", self._bare
        )
        if found is None:
            return None
        text = self._bare[found.end() : self._bare.index(")", found.end())].strip()
        return [] if text in ("", "void") else text.split(",")

    def _loaded(self, device: Device, name: str) -> Any:
        """The kernel on a device; kernels of a module have the same variables."""
        kernels = self._kernels.setdefault(device, {})
        if name not in kernels:
            binary = self._binary
            if binary is None:
                binary = self._compiled(device, name)
            elif device.info.dialect != self._binary_of:
                raise self._other_language(device, name, f"a binary of {_NAMES[self._binary_of]}")
            other = next(iter(kernels.values()), None)
            driver = device.driver
            if other is None:
                kernels[name] = driver.load(binary, name)
            else:
                kernels[name] = driver.load_beside(other, binary, name)
        return kernels[name]

    def _compiled(self, device: Device, name: str, log_stream: Any = None) -> bytes:
        """The binary for a device, from the disk cache where nobody reads the compiler's words."""
        text = self._text(device, name)
        names = self.name_expressions or ()
        key = DISK.key(source.SCHEMA, text, (*self.options, *names), device.info.target)
        binary = DISK.get(key) if log_stream is None else None
        if binary is None:
            try:
                binary, log = device.driver.compile_own(text, self.options, names)
            except errors.CompileError as error:
                error.op = name
                raise
            if log_stream is not None:
                log_stream.write(log)
            DISK.put(key, binary)
        return binary

    def _text(self, device: Device, name: str) -> str:
        """The compiler's input: the source; of portable C with the definitions for the device."""
        begin = f'#line 1 "{self._name}"\n'
        dialect = device.info.dialect
        if self._language == "portable":
            return self._portable.text(dialect, has_float64=device.info.has_float64)
        if self._language != dialect:
            written = _NAMES.get(self._language, "a language without a kernel")
            raise self._other_language(device, name, written)
        if dialect == "cuda" and 'extern "C"' not in self._bare and not self.name_expressions:
            return begin + _GLOBAL.sub(
                lambda found: found[0] if found[1] else f'extern "C" {found[0]}', self.code
            )
        return begin + self.code

    def _other_language(self, device: Device, name: str, written: str) -> ValueError:
        takes = dict.fromkeys((_NAMES[device.info.dialect], _NAMES["portable"]))
        return errors.value_error(
            f"{name}(grid, block, args)",
            f"the kernel is in {written}, and the arrays are on {device}",
            f"that takes {' and '.join(takes)}",
            "write portable C, see docs/kernels.md, or put the arrays on another device",
        )


class RawKernel:
    """A kernel in portable C, CUDA C or OpenCL C, launched with a grid and a block.

    code : str -- Source: portable C, with `KERNEL` before a kernel; CUDA C; or OpenCL C.
    name : str -- The kernel's name.
    options : tuple of str -- The options of the compiler.
    backend : str -- Accepted for compatibility; has no effect: each device has one compiler.
    **given : bool -- CuPy's other keywords; see `RawModule`.

    Attributes
    ----------
    attributes : dict of str to int or None
        The kernel's attributes by the default device's driver, as ``"num_regs"`` and
        ``"max_threads_per_block"``; None for unknown ones. Each is also an attribute of the kernel;
        on CUDA devices `max_dynamic_shared_size_bytes` (bytes) and
        `preferred_shared_memory_carveout` (percent) can be set.

    Raises
    ------
    ValueError
        If the source has no such kernel. At a call, if the device does not support the language,
        the grid or block is too large for it, or an array is not contiguous.
    CompileError
        At a call, if the source does not compile.

    Notes
    -----
    A launch follows all earlier work of the device, and later work sees its writes. Arrays and
    contiguous views are passed as pointers to their first elements. The kernel is not
    bounds-checked. On OpenCL a view that does not begin at the start of its memory is copied, and
    written back after the launch; until then, other views of the memory keep the old values.
    Source: CuPy's documentation, "User-Defined Kernels".

    >>> import xarr
    >>> add = xarr.RawKernel('''
    ... KERNEL void add(GLOBAL const f32 *x, GLOBAL const f32 *y, GLOBAL f32 *z)
    ... {
    ...     const i64 i = GLOBAL_ID(0);
    ...     z[i] = x[i] + y[i];
    ... }''', "add")
    >>> x = xarr.arange(4, dtype="float32")
    >>> z = xarr.empty_like(x)
    >>> add((2,), (2,), (x, x, z))
    >>> z.tolist()
    [0.0, 2.0, 4.0, 6.0]
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        **given: Any,
    ) -> None:
        self._begin(RawModule(code, options=options, backend=backend, **given), name)

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        kernel: RawKernel = cls.__new__(cls)
        kernel._begin(module, name)
        return kernel

    def _begin(self, module: RawModule, name: str) -> None:
        self.name = self.__name__ = name
        self.code = module.code
        self.options = module.options
        self.backend = module.backend
        self._module = module
        self._parameters = module._parameters(name)
        self._where = f"{name}(grid, block, args)"
        self._is_cuda = module._language == "cuda"
        self._repeats = Repeats()

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile for the default device now, so that the first launch does not wait.

        CompileError -- If the source does not compile.
        ValueError -- If the device does not support the language.
        """
        device = get_device()
        with device.lock:
            if log_stream is not None:
                self._module._compiled(device, self.name, log_stream)
            self._module._loaded(device, self.name)

    @property
    def attributes(self) -> dict[str, int | None]:
        """The kernel's attributes by the default device's driver; None for unknown ones."""
        device = get_device()
        with device.lock:
            return device.driver.attributes(self._module._loaded(device, self.name))

    def occupancy(self, block: Sequence[int] | int, shared_nbytes: int = 0) -> int:
        """Return how many groups of `block` items one multiprocessor can run at once.

        The multiprocessor is one of the default device, which must be a CUDA device.

        block : int or tuple of int -- The number of items in a group.
        shared_nbytes : int -- The bytes of dynamic shared memory that a group uses.
        """
        device = get_device()
        items = math.prod(block) if isinstance(block, Sequence) else block
        with device.lock:
            kernel = self._module._loaded(device, self.name)
            return device.driver.occupancy(kernel, items, shared_nbytes)

    def suggested_block(self, shared_nbytes: int = 0) -> int:
        """Return the group size with the best `occupancy`, on the default device, a CUDA device.

        shared_nbytes : int -- The bytes of dynamic shared memory that a group uses.
        """
        device = get_device()
        with device.lock:
            kernel = self._module._loaded(device, self.name)
            return device.driver.suggested_group(kernel, shared_nbytes)

    def __getattr__(self, name: str) -> int | None:
        if name in ATTRIBUTES:
            return self.attributes[name]
        raise AttributeError(f"RawKernel has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ATTRIBUTES:
            object.__setattr__(self, name, value)
            return
        device = get_device()
        with device.lock:
            kernel = self._module._loaded(device, self.name)
            device.driver.set_attribute(kernel, name, int(value))

    def __call__(
        self,
        grid: Sequence[int] | int,
        block: Sequence[int] | int,
        args: Sequence[Any] = (),
        *,
        shared_mem: int = 0,
        stream: Any = None,
        cooperative: bool = False,
        cluster: Sequence[int] | int = (),
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : tuple of 1 to 3 int
            The number of groups (CUDA's blocks) along each dimension.
        block : tuple of 1 to 3 int
            The number of items (CUDA's threads) of a group along each dimension.
        args : sequence of Array, Pointer, number, NumPy scalar, ctypes or NumPy structure
            The arguments of the kernel. Pointers to local memory are left out, or all
            given as PyOpenCL's ``LocalMemory``.
        shared_mem : int
            Bytes of local memory behind each pointer that is left out, or of CUDA's dynamic shared
            memory.
        stream : Stream, optional
            The stream to run on; None for the current stream.
        cooperative : bool
            Whether all groups run at once, so that CUDA's grid group may wait for all of them.
        cluster : tuple of 1 to 3 int
            The groups of a cluster along each dimension, which divide `grid`: they share their
            shared memory. On devices of compute capability 9.0 and later.
        """
        how = grid, block, args, int(shared_mem), cooperative, _cluster_of(cluster, self._where)
        if stream is None:
            if shared_mem or cooperative or how[-1]:
                self._launch(*how)
                return
            key = self._repeats.key(grid, block, args)
            if not self._repeats.launch(key, args):
                launched = self._launch(*how)
                if launched is not None:
                    self._repeats.keep(key, *launched, args)
            return
        if not hasattr(stream, "__enter__"):
            accepted = "it must be a Stream"
            raise errors.type_error(self._where, f"stream is {stream!r}", accepted)
        arrays = [value.array if type(value) is Memory else value for value in args]
        device = next((value.device for value in arrays if type(value) is Array), None)
        given = getattr(stream, "device", None)
        if isinstance(given, Device) and device not in (None, given):
            accepted = f"it must be on {device}, where args are"
            raise errors.value_error(self._where, f"stream is on {given}", accepted)
        with stream:
            self._launch(*how)

    def _launch(
        self,
        grid: Sequence[int] | int,
        block: Sequence[int] | int,
        args: Sequence[Any],
        shared_mem: int,
        cooperative: bool,
        cluster: tuple[int, ...],
    ) -> Launched | None:
        """Launch the kernel on the current stream; return the launch if it may be repeated."""
        where = self._where
        args = [value.array() if type(value) is Pointer else plainly(value) for value in args]
        arrays = [value.array if type(value) is Memory else value for value in args]
        device = next((value.device for value in arrays if type(value) is Array), get_device())
        places, items = launch_sizes(grid, block, device, where)
        if shared_mem < 0:
            raise errors.value_error(
                where, f"shared_mem is {shared_mem}", "it must be 0 or more bytes"
            )
        wanted = self._expected(len(args))
        values = iter(enumerate(args))
        packed = list[Any]()
        views, written = list[Any](), list[int]()
        origins, formats = list[int | None](), dict[int, str | None]()
        copies, changed = dict[Span, Array](), dict[Span, Array]()
        spans = set[Span]()
        local = LocalMemory(shared_mem, has_pointers=device.info.dialect == "opencl")
        for number, parameter in enumerate(wanted):
            if parameter is not None and parameter.is_local:
                given = next(values)[1] if len(args) == len(wanted) else None
                origins.append(None)
                packed.append(local.argument(local_nbytes(given, parameter, shared_mem, where)))
                continue
            origin, value = next(values)
            origins.append(origin)
            is_read = parameter is not None and parameter.is_read
            if type(value) is Array:
                check_array(value, parameter, number, device, where)
                begin = settled(value).offset * value.itemsize
                span = Span(storage_of(value).serial, begin, begin + value.nbytes)
                if not is_read:
                    spans.add(span)
                if may_begin_within(value):  # a cl_mem is given from its begin
                    copy = copies.setdefault(span, Array(builder.copied(value._view)))
                    if not is_read:
                        changed.setdefault(span, value)
                    value = copy
            if type(value) in (Array, Memory):
                if not is_read:
                    written.append(len(views))
                packed.append(PointerTo(len(views), type(value) is Memory))
                views.append(value._view if type(value) is Array else value.array._view)
            elif type(value) is Begin:
                packed.append(OffsetOf(len(views) - 1))
            else:
                packed.append(bytes_of(value, parameter, number, where, is_cuda=self._is_cuda))
                formats[origin] = format_of(value, parameter)
        before = {
            span: Array(builder.copied(copies[span]._view))
            for span in changed
            if any(span.overlaps(other) for other in spans - {span})
        }
        with device.lock:
            kernel = self._launchable(device, cooperative, cluster)
            operation = LaunchOp(
                *(self.name, where, views, kernel, places, items, packed, local.nbytes),
                tuple(written),
            )
            for array in before.values():
                builder.compute(array._view)
            launch(operation, views, device)
        for span, array in changed.items():
            if span in before:
                now, then, there = map(_bytes_of, (copies[span], before[span], array))
                merged = there + (now - there) * (now != then)  # what the kernel changed
                assign(there, settled(there), merged._view)
            else:
                assign(array, settled(array), copies[span]._view)
        return None if copies else (operation, device, origins, formats)

    def _launchable(self, device: Device, cooperative: bool, cluster: tuple[int, ...]) -> Any:
        """The kernel as the driver launches it."""
        kernel = self._module._loaded(device, self.name)
        if not (cooperative or cluster):
            return kernel
        return device.driver.cooperating(kernel, cooperative, cluster)

    def _expected(self, count: int) -> Sequence[Parameter | None]:
        """The parameters, as far as they are known, of a call with so many arguments."""
        if self._parameters is None:
            return [None] * count
        known = [parameter for parameter in self._parameters if not parameter.is_local]
        if count not in (len(known), len(self._parameters)):
            raise errors.type_error(
                self._where,
                f"args has {count} arguments",
                f"{self.name} has {len(known)} parameters: "
                + ", ".join(parameter.name for parameter in known),
            )
        return self._parameters


def _cluster_of(given: Sequence[int] | int, where: str) -> tuple[int, ...]:
    """Return a cluster's groups along each dimension; refuse what is no such size."""
    found = (given,) if isinstance(given, int) else tuple(given)
    if len(found) > 3 or not all(type(extent) is int and extent > 0 for extent in found):
        accepted = "it must be 1 to 3 positive integers"
        raise errors.value_error(where, f"cluster is {given!r}", accepted)
    return found


def _bytes_of(array: Array) -> Array:
    return Pointer(array).cast("uint8").array(array.nbytes)
