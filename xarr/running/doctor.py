"""What ``python -m xarr doctor`` says: what is installed, whether each device works, what helps."""

from __future__ import annotations

import importlib.metadata
import time
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy

import xarr
from xarr.engine import hosted

PACKAGES: Final = (
    *("numpy", "pyopencl", "pocl-binary-distribution", "cupy-cuda12x", "cupy-cuda13x"),
    *("cupy-rocm-7-0", "numba-cuda", "nvmath-python", "cuda-bindings", "scipy", "dask"),
)


def _kernel() -> None:
    x = xarr.arange(100_001, dtype="float32")
    y = x * 2 + 1
    _same(numpy.asarray(y), numpy.arange(100_001) * 2 + 1)
    _same(float(y.sum(dtype="int64")), 100_001.0**2)


def _transfer() -> None:
    values = numpy.arange(1 << 20).astype("uint8")
    _same(numpy.asarray(xarr.asarray(values, copy=True)), values)


def _product() -> None:
    a = numpy.arange(12.0, dtype="float32").reshape(3, 4)
    _same(numpy.asarray(xarr.asarray(a) @ xarr.asarray(a.T)), a @ a.T)


def _transform() -> None:
    a = numpy.arange(16, dtype="complex64")
    _same(numpy.asarray(xarr.fft.fft(xarr.asarray(a))), numpy.fft.fft(a))


def _solve() -> None:
    a = numpy.eye(3, dtype="float32") * 2 + 1
    _same(numpy.asarray(xarr.linalg.solve(xarr.asarray(a), xarr.ones(3, dtype="float32"))), 1 / 5)


CHECKS: Final[dict[str, Callable[[], None]]] = {
    "kernel": _kernel,
    "transfer": _transfer,
    "product": _product,
    "transform": _transform,
    "solve": _solve,
}
"""What a device is asked to do, by the words of the report."""


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


def examined(device: xarr.Device) -> tuple[list[str], bool]:
    """Lines about what a device does, by its own kernels, and whether all of it works."""
    lines, works = [], True
    before, hosted.tier.name = hosted.tier.name, "fused"
    try:
        for name, check in CHECKS.items():
            begun = time.perf_counter()
            with xarr.device(device), warnings.catch_warnings(record=True) as caught:
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
            works = works and not problem
    finally:
        hosted.tier.name = before
    return lines, works


def report() -> tuple[list[str], bool]:
    """What is installed and what each device does; False where one fails or none is there."""
    lines = ["installed", *installed()]
    failing = []
    found = xarr.devices()
    for device in found:
        about, works = examined(device)
        lines += ["", f"{device} ({device.info.name})", *about]
        if not works:
            failing.append(device)
    advice = [f"{one} fails: XARR_DEVICE=NAME chooses another device" for one in failing]
    if not found:
        advice.append('no device was found: pip install "pyopencl[pocl]" gives every machine one')
    lines += ["", *(f"advice: {line}" for line in advice)]
    return lines, bool(found) and not failing
