"""The libraries that are compared: how each makes an array, waits for a result and gives it back.

A library is imported when it is asked for and never before. One that is not installed, or has no
device, is reported with its reason.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy

Host = numpy.ndarray[Any, numpy.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Library:
    """What measuring a library needs.

    name, version, device : str -- What the table says.
    namespace : module -- The functions under NumPy's names, as far as the library has them.
    upload, wait, download : callable
        Make an array of a NumPy array; wait until a result is computed; make a NumPy array of it.
    launch : callable
        Start to compute a result without waiting for it, where the call itself does not.
    prepare : callable or None
        What a function goes through before it is called: `jax.jit`, `torch.compile`.
    """

    name: str
    version: str
    device: str
    namespace: ModuleType
    upload: Callable[[Host], Any]
    wait: Callable[[Any], None]
    download: Callable[[Any], Host]
    launch: Callable[[Any], None] = lambda result: None
    prepare: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None


def _no_wait(result: Any) -> None:
    """Do nothing: the call has computed its result."""


def _xarr(device: str | None) -> Library:
    import xarr
    from xarr.backends.device import get_device
    from xarr.functions.names.inspection import synchronize
    from xarr.tape import builder

    chosen = get_device(device)
    return Library(
        name="xarr",
        version=xarr.__version__,
        device=f"{chosen} ({chosen.name})",
        namespace=xarr,
        upload=lambda host: xarr.asarray(host, device=chosen, copy=True),
        wait=synchronize,
        download=numpy.asarray,
        launch=lambda result: builder.compute(result._view),
    )


def _numpy(device: str | None) -> Library:
    return Library(
        name="numpy",
        version=numpy.__version__,
        device="host",
        namespace=numpy,
        upload=lambda host: host,
        wait=_no_wait,
        download=numpy.asarray,
    )


def _numexpr(device: str | None) -> Library:
    numexpr = importlib.import_module("numexpr")
    return Library(
        name="numexpr",
        version=numexpr.__version__,
        device=f"host, {numexpr.nthreads} threads",
        namespace=numexpr,
        upload=lambda host: host,
        wait=_no_wait,
        download=numpy.asarray,
    )


def _cupy(device: str | None) -> Library:
    cupy = importlib.import_module("cupy")
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    stream = cupy.cuda.Stream.null
    return Library(
        name="cupy",
        version=cupy.__version__,
        device=properties["name"].decode(),
        namespace=cupy,
        upload=cupy.asarray,
        wait=lambda result: stream.synchronize(),
        download=cupy.asnumpy,
    )


def _torch(device: str | None) -> Library:
    torch = importlib.import_module("torch")
    gpu = torch.cuda.is_available()

    def wait(result: Any) -> None:
        if gpu:
            torch.cuda.synchronize()

    return Library(
        name="torch",
        version=torch.__version__,
        device=torch.cuda.get_device_name(0) if gpu else f"host, {torch.get_num_threads()} threads",
        namespace=torch,
        upload=lambda host: torch.asarray(host, device="cuda" if gpu else "cpu", copy=True),
        wait=wait,
        download=lambda result: numpy.asarray(result.cpu()),
    )


def _torch_compile(device: str | None) -> Library:
    eager = _torch(device)
    return Library(
        name="torch.compile",
        version=eager.version,
        device=eager.device,
        namespace=eager.namespace,
        upload=eager.upload,
        wait=eager.wait,
        download=eager.download,
        prepare=eager.namespace.compile,
    )


def _jax(device: str | None) -> Library:
    jax = importlib.import_module("jax")
    return Library(
        name="jax.jit",
        version=jax.__version__,
        device=str(jax.devices()[0]),
        namespace=importlib.import_module("jax.numpy"),
        upload=importlib.import_module("jax.numpy").array,
        wait=jax.block_until_ready,
        download=numpy.asarray,
        prepare=jax.jit,
    )


OPENERS: Final[dict[str, Callable[[str | None], Library]]] = {
    "xarr": _xarr,
    "numpy": _numpy,
    "numexpr": _numexpr,
    "cupy": _cupy,
    "torch": _torch,
    "torch.compile": _torch_compile,
    "jax.jit": _jax,
}


def open_libraries(names: list[str], device: str | None) -> tuple[list[Library], dict[str, str]]:
    """Return the libraries that are there, and for each other one why it is not."""
    found: list[Library] = []
    absent: dict[str, str] = {}
    for name in names:
        if name == "xarr":
            found.append(_xarr(device))
            continue
        try:
            found.append(OPENERS[name](device))
        except ModuleNotFoundError as error:
            absent[name] = f"{error.name} is not installed"
        except (ImportError, OSError, RuntimeError) as error:
            # An import that fails, a driver that is absent: the library says so in its first line.
            absent[name] = str(error).strip().split("\n")[0] or type(error).__name__
    return found, absent
