"""``python -m xarr doctor``: report what is installed, whether each device works, and remedies."""

from __future__ import annotations

import importlib.metadata
import time
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr.backends.device import Device, device as using, devices
from xarr.functions.create.creation import asarray
from xarr.functions.create.ranges import arange
from xarr.functions.linalg.linalg import solve
from xarr.functions.signal.fourier import fft
from xarr.installed import NAME, REMEDY, other_project
from xarr.runtime import host_functions
from xarr.user_kernels.elementwise import ElementwiseKernel

PACKAGES: Final = (
    *(NAME, "numpy", "pyopencl", "pocl-binary-distribution", "cupy-cuda12x", "cupy-cuda13x"),
    *("cupy-rocm-7-0", "numba-cuda", "numba-cuda-mlir", "nvmath-python"),
    *("cuda-core", "cuda-bindings", "scipy", "dask"),
)


def _kernel() -> None:
    # A number that no kernel had before, so that the cache has no binary and the compiler works.
    number = time.time_ns() % 1_000_000_007
    compiled = ElementwiseKernel("int64 x", "int64 y", f"y = 3 * x + {number}")
    asked = compiled(arange(1000, dtype="int64"))
    _same(numpy.asarray(asked) - number, 3 * numpy.arange(1000))
    x = arange(100_001, dtype="float32")
    y = x * 2 + 1
    _same(numpy.asarray(y), numpy.arange(100_001) * 2 + 1)
    _same(float(y.sum(dtype="int64")), 100_001.0**2)


def _transfer() -> None:
    values = numpy.arange(1 << 20).astype("uint8")
    _same(numpy.asarray(asarray(values, copy=True)), values)


def _product() -> None:
    a = numpy.arange(12.0, dtype="float32").reshape(3, 4)
    _same(numpy.asarray(asarray(a) @ asarray(a.T)), a @ a.T)


def _transform() -> None:
    a = numpy.arange(16, dtype="complex64")
    _same(numpy.asarray(fft(asarray(a))), numpy.fft.fft(a))


def _solve() -> None:
    a = numpy.eye(3, dtype="float32") * 2 + 1
    b = numpy.ones(3, dtype="float32")
    _same(numpy.asarray(solve(asarray(a), asarray(b))), 1 / 5)


CHECKS: Final[dict[str, Callable[[], None]]] = {
    "kernel": _kernel,
    "transfer": _transfer,
    "product": _product,
    "transform": _transform,
    "solve": _solve,
}
"""The checks of a device, by their names in the report."""

_DRIVER: Final = "install its driver or compiler again, or a newer one"
_LIBRARY: Final = "install the packages of its backend again, of versions that fit the driver"
ADVICE: Final = {
    "kernel": f"{_DRIVER}; TMPDIR must name a disk that has room and that runs programs",
    "transfer": f"end programs that fill its memory; {_DRIVER}",
    "product": _LIBRARY,
    "transform": _LIBRARY,
    "solve": _LIBRARY,
}
"""The remedy for each check that fails."""


def _same(found: Any, wanted: Any) -> None:
    if not numpy.allclose(found, wanted, rtol=1e-5):
        raise ArithmeticError(f"the result is wrong: {found}, not {wanted}")


def installed() -> list[str]:
    """The packages that matter to xarr, with their versions."""
    lines = []
    for name in PACKAGES:
        try:
            lines.append(f"  {name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return lines


def examined(device: Device) -> tuple[list[str], list[str]]:
    """Lines about what a device does, by its own kernels, and the checks that fail."""
    lines, failing = [], []
    with host_functions.fused():
        for name, check in CHECKS.items():
            begun = time.perf_counter()
            with using(device), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    check()
                    problem = ""
                except Exception as error:  # noqa: BLE001 - whatever a driver that fails raises
                    problem = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            taken = f"{1e3 * (time.perf_counter() - begun):7.1f} ms"
            notes = {str(one.message).partition("\n")[0] for one in caught}
            lines.append(f"  {name:<10} {taken}  {problem and 'FAILED: '}{problem or 'works'}")
            lines += [f"{'':15}{note}" for note in sorted(notes)]
            if problem:
                failing.append(name)
    return lines, failing


def report() -> tuple[list[str], bool]:
    """The report's text, and whether a device was found and every device passed its checks."""
    lines = ["installed", *installed()]
    advice = [f"{other} is another project; {REMEDY}"] if (other := other_project()) else []
    found = devices()
    for device in found:
        about, failing = examined(device)
        lines += ["", f"{device} ({device.info.name})", *about]
        # Checks that need the same remedy share a line.
        remedies = dict.fromkeys(ADVICE[name] for name in failing)
        advice += [f"{device}: {remedy}" for remedy in remedies]
        if failing:
            advice.append(f"{device} fails: XARR_DEVICE=NAME chooses another device")
    lines += ["", *(f"advice: {line}" for line in advice)]
    return lines, bool(found) and not advice
