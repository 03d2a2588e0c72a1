"""`RawKernel` and `RawModule`: a program's own kernels as they are, launched by grid and block.

A source is portable C, with the words of `kernels/README.md` (`KERNEL`, `GLOBAL`, `GLOBAL_ID(0)`),
or a device's own language: CUDA C on CUDA devices, OpenCL C on OpenCL devices. A launch comes after
everything that was asked before it.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array, assign, require_writeable, settled
from xarr.array.pointers import Pointer
from xarr.backends.base import Place
from xarr.backends.device import Device, get_device, require_together
from xarr.compiler import source
from xarr.compiler.cache import disk_cache
from xarr.engine import engine
from xarr.engine.storage import Storage

_LANGUAGES: Final = {
    "portable": re.compile(r"\bKERNEL\b"),
    "cuda": re.compile(r"\b__global__\b"),
    "opencl": re.compile(r"\b(?:__kernel|kernel)\b"),
}
"""How the languages call a kernel."""
_NAMES: Final = {"portable": "portable C", "cuda": "CUDA C", "opencl": "OpenCL C"}
_BINARIES: Final = {".ptx": "cuda", ".cubin": "cuda", ".fatbin": "cuda", ".spv": "opencl"}
"""What a file's name ends with that is no source, and whose it is."""
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUALIFIER: Final = re.compile(
    r"\b(?:const|volatile|restrict|__restrict__|__restrict|RESTRICT|GLOBAL|__global|global|struct"
    r"|constant|__constant)\b"
)
_TYPEDEF: Final = re.compile(r"\btypedef\s+(\w[\w ]*?)\s+(\w+)\s*;")
_LOCAL: Final = re.compile(r"\b(?:LOCAL|__local|local)\b")

_TYPES: Final = {
    **{row.compute: row.numpy for row in dtypes.TABLE if row.compute == row.storage},
    "bool": numpy.dtype("bool"),
    "char": numpy.dtype("int8"),
    "signed char": numpy.dtype("int8"),
    "unsigned char": numpy.dtype("uint8"),
    "uchar": numpy.dtype("uint8"),
    "short": numpy.dtype("int16"),
    "unsigned short": numpy.dtype("uint16"),
    "ushort": numpy.dtype("uint16"),
    "int": numpy.dtype("int32"),
    "unsigned": numpy.dtype("uint32"),
    "unsigned int": numpy.dtype("uint32"),
    "uint": numpy.dtype("uint32"),
    "long": numpy.dtype("int64"),
    "long long": numpy.dtype("int64"),
    "ptrdiff_t": numpy.dtype("int64"),
    "unsigned long": numpy.dtype("uint64"),
    "unsigned long long": numpy.dtype("uint64"),
    "ulong": numpy.dtype("uint64"),
    "size_t": numpy.dtype("uint64"),
    "float": numpy.dtype("float32"),
    "double": numpy.dtype("float64"),
    "half": numpy.dtype("float16"),
    "__half": numpy.dtype("float16"),
    "complex<float>": numpy.dtype("complex64"),
    "complex<double>": numpy.dtype("complex128"),
    **{f"{row}_t": numpy.dtype(row.name) for row in dtypes.TABLE if row.kind in dtypes.INTEGER},
}
"""Types of C and what they hold."""
_MOST: Final = (2**31 - 1, 65535, 65535)
"""Groups along each dimension."""


class _Parameter(NamedTuple):
    """What a kernel's declaration says: `dtype` is None where that is not known.

    `is_read` says that the kernel does not write behind the pointer.
    """

    name: str
    dtype: numpy.dtype[Any] | None
    is_pointer: bool
    is_local: bool
    is_read: bool


class RawModule:
    """Source, or a binary, that holds kernels.

    Parameters
    ----------
    code : str, optional
        Source: portable C, with `KERNEL` before a kernel; CUDA C; or OpenCL C.
    path : path, optional
        A file instead: of such source; ``.ptx``, ``.cubin`` or ``.fatbin`` for CUDA devices;
        ``.spv``, SPIR-V, for OpenCL devices that take it.
    options : tuple of str
        What the compiler is given.
    backend : str
        As of CuPy; each device has one compiler.

    Raises
    ------
    TypeError
        If neither or both of code and path are given.
    ValueError
        At a call, if the device does not take the language.
    CompileError
        At a call, if the source does not compile.

    Notes
    -----
    Source: CuPy's documentation, "User-Defined Kernels".

    Examples
    --------
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
    ) -> None:
        where = "RawModule(code, path)"
        if (code is None) is (path is None):
            raise TypeError(
                errors.message(
                    where,
                    f"{'neither' if code is None else 'both'} of code and path are given",
                    "one of them is accepted",
                )
            )
        content = code.encode() if code is not None else Path(str(path)).read_bytes()
        self.options = tuple(options)
        self.backend = backend
        self._binary: bytes | None = None
        self._name = "code" if path is None else Path(str(path)).name
        self._binary_of = "" if path is None else _BINARIES.get(Path(str(path)).suffix, "")
        if self._binary_of:
            self._binary = content + b"\0" if self._binary_of == "cuda" else content
            content = b""
        self.code = content.decode()
        self._bare = _COMMENT.sub(lambda match: "\n" * match.group().count("\n"), self.code)
        self._language = next(
            (name for name, word in _LANGUAGES.items() if word.search(self._bare)), ""
        )
        self._kernels = dict[tuple[Device, str], Any]()

    def get_function(self, name: str) -> RawKernel:
        """A kernel of the module.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        RawKernel

        Raises
        ------
        ValueError
            If the source has no kernel of that name.
        """
        return RawKernel._of(self, name)

    def _parameters(self, name: str) -> tuple[_Parameter, ...] | None:
        """What the source says of a kernel's parameters; None of a binary's."""
        if self._binary is not None:
            return None
        found = re.search(rf"\bvoid\s+(?:__launch_bounds__\([^)]*\)\s*)?{name}\s*\(", self._bare)
        if found is None:
            names = re.findall(r"\bvoid\s+(\w+)\s*\(", self._bare)
            raise ValueError(
                errors.message(
                    "get_function(name)",
                    f"name is {name!r}",
                    f"the source has {', '.join(names) or 'no kernel'}",
                )
            )
        end = self._bare.index(")", found.end())
        declared = self._bare[found.end() : end].strip()
        if declared in ("", "void"):
            return ()
        named = dict(found[::-1] for found in _TYPEDEF.findall(self._bare))
        return tuple(_parameter(part, named) for part in declared.split(","))

    def _loaded(self, device: Device, name: str) -> Any:
        """The kernel on a device, compiled or from the disk cache."""
        kernel = self._kernels.get((device, name))
        if kernel is None:
            driver = device.driver
            binary = self._binary
            if binary is None:
                text = self._text(device, name)
                disk = disk_cache()
                key = disk.key(source.SCHEMA, text, self.options, device.info.target)
                binary = disk.get(key)
                if binary is None:
                    try:
                        binary = driver.compile(text, self.options)
                    except errors.CompileError as error:
                        error.op = name
                        raise
                    disk.put(key, binary)
            elif device.info.dialect != self._binary_of:
                raise self._other_language(device, name, f"a binary of {_NAMES[self._binary_of]}")
            kernel = self._kernels[device, name] = driver.load(binary, name)
        return kernel

    def _text(self, device: Device, name: str) -> str:
        """What the compiler is given; portable C after the words of the device's language."""
        begin = f'#line 1 "{self._name}"\n'
        dialect = device.info.dialect
        if self._language == "portable":
            lines = ["#define XR_ASSEMBLED 1"]
            if device.info.has_float64:
                lines.append("#define XR_FLOAT64 1")
            lines.append(source.kernel_file(source.DIALECTS[dialect]))
            lines += source.required(self.code)
            return "\n".join((*lines, begin)) + self.code
        if self._language != dialect:
            written = _NAMES.get(self._language, "a language without a kernel")
            raise self._other_language(device, name, written)
        if dialect == "cuda" and 'extern "C"' not in self._bare:
            kernel = re.compile(r"\b__global__\b")
            return begin + kernel.sub('extern "C" __global__', self.code)
        return begin + self.code

    def _other_language(self, device: Device, name: str, written: str) -> ValueError:
        return ValueError(
            errors.message(
                f"{name}(grid, block, args)",
                f"the kernel is in {written}, and the arrays are on {device}",
                f"that takes {_NAMES[device.info.dialect]} and portable C",
                "write portable C; see kernels/README.md",
            )
        )


def _parameter(declared: str, named: Mapping[str, str]) -> _Parameter:
    """A parameter of C, whose type may be one that the source gives a name."""
    words = _QUALIFIER.sub(" ", declared)
    is_local = _LOCAL.search(words) is not None
    words = _LOCAL.sub(" ", words)
    kind, name = re.fullmatch(r"\s*(.*?)\s*(\w+)\s*(?:\[\s*\])?\s*", words, re.DOTALL).groups()  # type: ignore[union-attr]
    is_pointer = "*" in kind or "[" in declared
    kind = " ".join(kind.replace("*", " ").split())
    is_read = re.search(r"\bconst\b[^*]*\*", declared) is not None
    return _Parameter(name, _TYPES.get(named.get(kind, kind)), is_pointer, is_local, is_read)


class RawKernel:
    """A kernel that is launched by grid and block.

    Parameters
    ----------
    code : str
        Source: portable C, with `KERNEL` before a kernel; CUDA C; or OpenCL C.
    name : str
        The kernel's name.
    options : tuple of str
        What the compiler is given.
    backend : str
        As of CuPy; each device has one compiler.

    Raises
    ------
    ValueError
        If the source has no such kernel. At a call, if the device does not take the language, the
        grid or block is beyond its limits, or an array does not lie in one piece.
    TypeError
        At a call, if the arguments are not those of the kernel's declaration.
    CompileError
        At a call, if the source does not compile.

    Notes
    -----
    A launch comes after all that was asked of the device before, and what is asked afterwards sees
    what it wrote. Arrays are given as pointers to their first elements, views in one piece too.
    Nothing is known of what a kernel reads and writes, so it must stay within the arrays. Source:
    CuPy's documentation, "User-Defined Kernels".

    Examples
    --------
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
        self, code: str, name: str, options: Sequence[str] = (), backend: str = "nvrtc"
    ) -> None:
        self._begin(RawModule(code, options=options, backend=backend), name)

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

    def compile(self) -> None:
        """Compile for the default device, so that the first launch does not wait for it."""
        device = get_device()
        with device.lock:
            self._module._loaded(device, self.name)

    def __call__(
        self,
        grid: Sequence[int] | int,
        block: Sequence[int] | int,
        args: Sequence[Any] = (),
        *,
        shared_mem: int = 0,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : tuple of 1 to 3 int
            The number of groups (CUDA's blocks) along each dimension.
        block : tuple of 1 to 3 int
            The number of items (CUDA's threads) of a group along each.
        args : sequence of Array, Pointer, number, NumPy scalar, ctypes or NumPy structure
            What the kernel's parameters are given; nothing for pointers to local memory.
        shared_mem : int
            Bytes of local memory behind such a pointer, or of CUDA's dynamic shared memory.
        """
        args = [value.array() if type(value) is Pointer else value for value in args]
        device = next((value.device for value in args if type(value) is Array), get_device())
        places, items = self._sizes(grid, block, device)
        wanted = self._wanted(len(args))
        values = iter(args)
        packed = list[Any]()
        changed = list[tuple[Array, Array]]()
        written = list[Array]()
        for number, parameter in enumerate(wanted):
            if parameter is not None and parameter.is_local:
                packed.append(int(shared_mem))
                continue
            value = next(values)
            is_read = parameter is not None and parameter.is_read
            if type(value) is Array:
                self._check(value, parameter, number, device)
                behind = settled(value).offset
                if behind and device.info.dialect == "opencl":  # a cl_mem is given from its begin
                    copy = Array(engine.copied(value._node))
                    if not is_read:
                        changed.append((value, copy))
                    value = copy
                packed.append(value)
                if not is_read:
                    written.append(value)
            else:
                packed.append(self._bytes(value, parameter, number))
        arrays = [value for value in packed if type(value) is Array]
        with device.lock:
            kernel = self._module._loaded(device, self.name)
            for array in arrays:
                engine.compute(array._node)
            engine.settle(device)
            arguments = [self._place(value) if type(value) is Array else value for value in packed]
            device.driver.launch_with(kernel, places, items, arguments, int(shared_mem))
            engine.counts.launches += 1
            for array in written:
                _storage(array).writes += 1
            engine.end_before_others(device)
        for array, copy in changed:
            assign(array, settled(array), copy._node)

    def _sizes(
        self, grid: Sequence[int] | int, block: Sequence[int] | int, device: Device
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The groups and the items of one, with as many dimensions; refused beyond the limits."""
        sizes = []
        for name, given in (("grid", grid), ("block", block)):
            found = (given,) if isinstance(given, int) else tuple(map(int, given))
            limits = _MOST if name == "grid" else (device.info.group_size,) * 3
            if not 1 <= len(found) <= 3 or any(
                not 1 <= extent <= most for extent, most in zip(found, limits, strict=False)
            ):
                raise ValueError(
                    errors.message(
                        self._where,
                        f"{name} is {found}",
                        f"1 to 3 sizes are accepted, from 1 to {limits}",
                    )
                )
            sizes.append(found)
        dimensions = max(map(len, sizes))
        places, items = ((*found, 1, 1)[:dimensions] for found in sizes)
        if math.prod(items) > device.info.group_size:
            raise ValueError(
                errors.message(
                    self._where,
                    f"block is {items}, which are {math.prod(items)} items",
                    f"{device} has groups of up to {device.info.group_size}",
                )
            )
        return places, items

    def _wanted(self, count: int) -> Sequence[_Parameter | None]:
        """The parameters, as far as they are known, of a call with so many arguments."""
        if self._parameters is None:
            return [None] * count
        known = [parameter for parameter in self._parameters if not parameter.is_local]
        if len(known) != count:
            raise TypeError(
                errors.message(
                    self._where,
                    f"args has {count} arguments",
                    f"{self.name} has {len(known)} parameters: "
                    + ", ".join(parameter.name for parameter in known),
                )
            )
        return self._parameters

    def _refuse(self, given: str, accepted: str, remedy: str = "") -> TypeError:
        return TypeError(errors.message(self._where, given, accepted, remedy))

    def _check(
        self, value: Array, parameter: _Parameter | None, number: int, device: Device
    ) -> None:
        """Refuse an array that is none for a parameter."""
        name = f"args[{number}]" if parameter is None else parameter.name
        require_together(value.device, device, self._where)
        if parameter is None or not parameter.is_read:
            require_writeable(value, self._where)
        if parameter is not None and not parameter.is_pointer:
            raise self._refuse(f"{name} is an Array", "the kernel takes a value there")
        dtype = None if parameter is None else parameter.dtype
        if dtype is not None and dtype != value.dtype and dtype.itemsize != 1:
            raise self._refuse(
                f"{name} has dtype {value.dtype}",
                f"the kernel takes a pointer to {dtype}",
                f'convert with x.astype("{dtype}")',
            )
        if not settled(value).linear:
            raise ValueError(
                errors.message(
                    self._where,
                    f"{name} is a view of shape {value.shape} that does not lie in one piece",
                    "the kernel is given a pointer to the first element",
                    "pass xarr.ascontiguousarray(x)",
                )
            )

    def _bytes(self, value: Any, parameter: _Parameter | None, number: int) -> bytes:
        """The bytes of a value."""
        name = f"args[{number}]" if parameter is None else parameter.name
        if parameter is not None and parameter.is_pointer:
            raise self._refuse(
                f"{name} is of type {type(value).__name__}", "the kernel takes an Array there"
            )
        if isinstance(value, ctypes.Structure):
            return bytes(value)
        if isinstance(value, numpy.void) or (
            isinstance(value, numpy.ndarray) and value.dtype.names is not None and not value.ndim
        ):
            return bytes(value.tobytes())
        if not isinstance(value, bool | int | float | complex | numpy.generic):
            raise self._refuse(
                f"{name} is of type {type(value).__name__}",
                "Arrays, numbers, NumPy's scalars, and structures of ctypes and NumPy are accepted",
            )
        dtype = None if parameter is None else parameter.dtype
        if dtype is None:
            dtype = value.dtype if isinstance(value, numpy.generic) else numpy.dtype(type(value))
        if dtype.kind in "iub" and isinstance(value, float | complex | numpy.inexact):
            raise self._refuse(f"{name} is {value!r}", f"the kernel takes {dtype}")
        made = numpy.asarray(value) if isinstance(value, numpy.generic) else None
        return bytes((numpy.array(value, dtype) if made is None else made.astype(dtype)).tobytes())

    def _place(self, value: Array) -> Place:
        storage = _storage(value)
        storage.settle()
        return Place(storage.buffer, settled(value).offset * value.itemsize)


def _storage(array: Array) -> Storage:
    storage = array._node.storage
    assert storage is not None
    return storage
