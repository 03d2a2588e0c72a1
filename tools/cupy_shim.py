"""A module's ``import cupy`` means xarr: what runs CuPy's kernel tests with xarr in CuPy's place.

As `numpy_shim`, a file is executed with an ``__import__`` of its own, so a CuPy that is installed
stays what it is, for xarr's backend too. `cupy.testing` is executed from the checkout. What CuPy
names and xarr does in another way is restated here, as small as the tests need it.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import inspect
import math
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
import pytest

import xarr
from tools.numpy_shim import without_text
from xarr.backends import cuda_bindings, cuda_compiler


class Absent:
    """A name of CuPy's that xarr has not; it fails where it is used, and not where it is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: object, **__: object) -> Any:
        if State.reading:
            return self
        raise AttributeError(f"xarr has no {self._name}")

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return (object,)


class State:
    """What is so of the whole process."""

    reading = True


class _Arrays(type):
    def __instancecheck__(cls, value: object) -> bool:
        return type(value) is xarr.Array


class _Array(metaclass=_Arrays):
    """`cupy.ndarray`: the type of arrays, and what makes one in memory that is there."""

    def __new__(cls, shape: Any, dtype: Any = float, memptr: Any = None) -> Any:
        if memptr is None:
            return xarr.empty(shape, dtype=dtype)
        return memptr.cast(dtype).array(shape)


def _to_host(value: Any, *_: object, **__: object) -> Any:
    return xarr.to_numpy(value) if type(value) is xarr.Array else numpy.asarray(value)


def _compiled_for_device(command: list[str], folder: Any, _: str) -> str:
    """What nvcc would do, by NVRTC: files of a cubin or of PTX."""
    del folder
    if "--version" in command:
        return "release 13.0, V13.0"
    source, target = Path(command[-3]), Path(command[-1])
    arch = str(xarr.default_device().info.target.splitlines()[1])
    if target.suffix == ".cubin":
        target.write_bytes(cuda_compiler.compile_cubin(source.read_text(), arch))
    else:
        target.write_bytes(_ptx(source.read_text(), arch))
    return ""


def _ptx(source: str, arch: str) -> bytes:
    from cuda.bindings import nvrtc

    program = cuda_bindings.checked(nvrtc.nvrtcCreateProgram(source.encode(), b"x.cu", 0, [], []))
    options = [f"--gpu-architecture={arch.replace('sm', 'compute')}".encode()]
    cuda_bindings.checked(nvrtc.nvrtcCompileProgram(program, 1, options))
    ptx = bytearray(cuda_bindings.checked(nvrtc.nvrtcGetPTXSize(program)))
    cuda_bindings.checked(nvrtc.nvrtcGetPTX(program, ptx))
    return bytes(ptx)


class _Device:
    """`cupy.cuda.Device`."""

    def __init__(self, index: int = 0) -> None:
        self.id = index
        self.compute_capability = "0"

    def __enter__(self) -> None:
        devices = [found for found in xarr.devices() if found.info.dialect == "cuda"]
        self._block = xarr.device(devices[self.id]) if devices else contextlib.nullcontext()
        self._block.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._block.__exit__(*raised)


_NO_ACCELERATORS = SimpleNamespace(
    ACCELERATOR_CUB=0,
    get_reduction_accelerators=list,
    set_reduction_accelerators=lambda _: None,
    get_routine_accelerators=list,
    set_routine_accelerators=lambda _: None,
)
RUNTIME = SimpleNamespace(
    is_hip=False,
    getDevice=lambda: 0,
    deviceCanAccessPeer=lambda *_: 0,
    runtimeGetVersion=lambda: 13000,
    driverGetVersion=lambda: 13000,
    cudaChannelFormatKindFloat=0,
)
RESTATED: dict[str, Any] = {
    "cupy.ndarray": _Array,
    "cupy.asnumpy": _to_host,
    "cupy.bool": xarr.bool,
    "cupy.random.random": lambda size, dtype=float: xarr.random.random(size).astype(dtype),
    "cupy.exceptions.AxisError": numpy.exceptions.AxisError,
    "cupy.exceptions.ComplexWarning": numpy.exceptions.ComplexWarning,
    "cupy.cuda.runtime": RUNTIME,
    "cupy.cuda.Device": _Device,
    "cupy.cuda.device.get_compute_capability": lambda: "90",
    "cupy.cuda.get_nvcc_path": lambda: "nvcc",
    "cupy.cuda.compiler.CompileException": xarr.CompileError,
    "cupy.cuda.compiler._run_cc": _compiled_for_device,
    "cupy.cuda.compiler._get_arch": lambda: "90",
    "cupy.cuda.driver.CUDADriverError": (ValueError, OSError),
    "cupy.cuda.driver._is_cuda_python": lambda: True,
    "cupy._core.internal.prod": math.prod,
    "cupy._core.get_reduction_accelerators": list,
    "cupy._core.set_reduction_accelerators": lambda _: None,
    "cupy._core._accelerator": _NO_ACCELERATORS,
    "cupy._util.clear_memo": lambda: None,
    "cupyx.scipy.sparse.issparse": lambda _: False,
    "cupy_backends.cuda.libs.nvrtc.getVersion": lambda: (13, 0),
}
"""What CuPy's names stand for where xarr's name is another one, or the tests ask for no more."""


def _found(path: str) -> Any:
    """What stands for a name of CuPy's."""
    if path in RESTATED:
        return RESTATED[path]
    if any(name.startswith(f"{path}.") for name in RESTATED):
        return _Facade(path)
    found: Any = xarr
    try:
        for part in path.split(".")[1:]:
            found = getattr(found, part)
    except AttributeError:
        return Absent(path)
    return Absent(path) if path.startswith(("cupyx", "cupy_backends")) else found


class _Facade(ModuleType):
    """A module of CuPy's, as the tests see it."""

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        if name.startswith("__"):
            raise AttributeError(name)
        if path == "cupy.testing":
            return Testing.module("cupy.testing")
        found = _found(path)
        if isinstance(found, Absent) and not State.reading:
            raise AttributeError(f"xarr has no {path}")
        return found


class Testing:
    """`cupy.testing`, executed from the checkout."""

    checkout = Path()
    modules: dict[str, ModuleType] = {}  # noqa: RUF012 - of the process

    @classmethod
    def module(cls, name: str) -> ModuleType:
        """A module of it."""
        if name not in cls.modules:
            path = cls.checkout.joinpath(*name.split("."))
            is_package = path.is_dir()
            made = cls.modules[name] = ModuleType(name)
            made.__package__ = name if is_package else name.rpartition(".")[0]
            parent, _, last = name.rpartition(".")
            if parent in cls.modules:
                setattr(cls.modules[parent], last, made)
            run(made, path / "__init__.py" if is_package else path.with_suffix(".py"))
        return cls.modules[name]


class _Pytest(ModuleType):
    def __getattr__(self, name: str) -> Any:
        found = getattr(pytest, name)
        return without_text(found) if name == "raises" else found


def load(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """An `__import__` that gives xarr for CuPy."""
    if level:
        name = importlib.util.resolve_name("." * level + name, globals["__package__"])
    if name == "pytest" and not fromlist:
        return _Pytest("pytest")
    root = name.partition(".")[0]
    if root not in ("cupy", "cupyx", "cupy_backends"):
        return builtins.__import__(name, globals, locals, fromlist, 0)
    if name.startswith("cupy.testing"):
        module: Any = Testing.module(name)
        for item in fromlist or ():
            path = Testing.checkout / "cupy" / "testing" / f"{item}.py"
            if not hasattr(module, item) and path.exists():
                Testing.module(f"{name}.{item}")
        return module if fromlist else _Facade("cupy")
    if not fromlist:
        return _Facade(root)
    return _Facade(name)


def run(module: ModuleType, path: Path) -> None:
    """Execute a file as a module, with xarr in CuPy's place."""
    module.__file__ = str(path)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": load}
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)


@contextlib.contextmanager
def _folder(*_: object) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as path:
        yield path


def execute(path: Path) -> ModuleType:
    """A file of CuPy's tests as a module; CuPy's own disk cache is not xarr's."""
    module = sys.modules[path.stem] = ModuleType(path.stem)  # cupy.testing looks for it there
    if path.stem == "test_userkernel":
        Testing.module("cupy.testing._loops")._complex_dtypes = ()  # type: ignore[attr-defined]
    run(module, path)
    for name in ("use_temporary_cache_dir", "compile_in_memory"):
        if hasattr(module, name):
            setattr(module, name, _folder)
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, unittest.TestCase):
            value.assertRaisesRegex = lambda _self, error, _text, *call: pytest.raises(error, *call)
    return module
