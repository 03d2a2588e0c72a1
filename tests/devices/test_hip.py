"""The way of CuPy on ROCm: without anything of CUDA's, and on a GPU by CUDA's CuPy."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import re
import types
from typing import Any

import numpy as np
import pytest

import xarr
from tests.processes import run_code
from tests.reference import assert_same
from xarr.backends import cuda, hip
from xarr.backends.device import Device


def test_the_runtime_has_every_function_that_the_driver_is_asked_for() -> None:
    methods = inspect.getmembers(cuda.CudaDriver, inspect.isfunction)
    same = [way for name, way in methods if getattr(hip.HipDriver, name) is way]
    text = "".join(map(inspect.getsource, same))
    asked = set(re.findall(r"\b(?:self\._)?cuda\.(cu[A-Z]\w+)\(", text))
    asked |= set(re.findall(r"\b(?:self\._)?cuda\.(CU\w+)\b", text))
    assert len(asked) > 10
    # That one is for what HIP's driver launches itself.
    assert {name for name in asked if not hasattr(hip.Runtime, name)} == {"cuLaunchKernel"}


def test_discovery_on_rocm_imports_nothing_of_cudas() -> None:
    code = """
    import ctypes, sys, types
    sys.modules |= {"cuda": None, "numba": None}
    properties = {
        "name": b"AMD Instinct MI300X", "gcnArchName": b"gfx942", "totalGlobalMem": 192 << 30,
        "multiProcessorCount": 304, "maxThreadsPerBlock": 1024, "sharedMemPerBlock": 65536,
        "warpSize": 64,
    }
    runtime = types.SimpleNamespace(
        is_hip=True, getDeviceCount=lambda: 1, getDeviceProperties=lambda index: properties,
        driverGetVersion=lambda: 70000000, runtimeGetVersion=lambda: 70000000,
    )
    cupy = types.ModuleType("cupy")
    cupy.__spec__ = types.SimpleNamespace()
    cupy.cuda = types.SimpleNamespace(runtime=runtime)
    sys.modules["cupy"] = cupy
    load = ctypes.CDLL
    def loaded(name, *rest, **options):
        if "cuda" in str(name):
            raise OSError("no such library")
        return None if "hip" in str(name) else load(name, *rest, **options)
    ctypes.CDLL = loaded
    from xarr.backends import cupy_devices as backend
    (found,) = backend.discover().devices
    print(found.info.name, found.info.platform, found.info.dialect, found.open.func.__name__)
    """
    done = run_code(code)
    assert done.stdout.strip() == "AMD Instinct MI300X ROCm cuda HipDriver", done.stderr


def test_launches_are_counted_unless_they_fail() -> None:
    driver: Any = types.SimpleNamespace(
        launched=0, _device=contextlib.nullcontext(), context=contextlib.nullcontext(),
        begin=lambda blocks: None, end=lambda stream, blocks: None,
    )  # fmt: skip

    def refuse(*given: Any, **options: Any) -> None:
        raise RuntimeError("no launch")

    for launch, rest in ((hip.HipDriver.launch, b""), (hip.HipDriver.launch_with, 0)):
        before = driver.launched
        launch(driver, lambda *given, **options: None, (1,), (1,), [], rest)
        assert driver.launched == before + 1
        with pytest.raises(RuntimeError):
            launch(driver, refuse, (1,), (1,), [], rest)
        assert driver.launched == before + 1


class OnCuda(hip.HipDriver):
    """The driver for ROCm, with the options that NVIDIA's compiler takes."""

    options = ("-fmad=false",)


@pytest.fixture
def gpu(device: xarr.Device) -> Device:
    if device.backend != "cupy":
        pytest.skip(f"{device} is not CuPy's")
    info = dataclasses.replace(device.info, target=device.info.target + "\nby CuPy's compiler")
    return Device(info, functools.partial(OnCuda, info))


def test_programs_run_by_cupy_alone(gpu: Device) -> None:
    host = np.arange(10_000, dtype=np.float32).reshape(100, 100)
    with xarr.device(gpu):
        x = xarr.asarray(host)
        assert_same(np.asarray(x * 2 + 1), host * 2 + 1, "elementwise")
        assert_same(np.asarray(x.sum(axis=0)), host.sum(axis=0), "sum")
        assert_same(np.asarray(xarr.cumulative_sum(x, axis=1)), np.cumsum(host, 1), "scan")
        assert_same(np.asarray(xarr.argsort(-x, axis=None)), np.arange(10_000)[::-1], "argsort")
        x[1::2] = x[::2] + 1
        host[1::2] = host[::2] + 1
        assert_same(np.asarray(x[:, ::-1].T), host[:, ::-1].T, "views")
        stream: Any = xarr.Stream(gpu)
        with stream:
            y = x + 1
            small = x % 7
            z = (small @ small).astype("int64")
        assert_same(np.asarray(y), host + 1, "stream")
        assert_same(np.asarray(z), ((host % 7) @ (host % 7)).astype("int64"), "product")
        begin, end = xarr.Event(gpu), xarr.Event(gpu)
        begin.record()
        w = xarr.sin(x)
        end.record()
        assert begin.elapsed_ms(end) > 0
        assert np.abs(np.asarray(w) - np.sin(host)).max() < 1e-6
        with pytest.raises(xarr.CompileError):
            gpu.driver.compile("no kernel")
