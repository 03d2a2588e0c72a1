"""Discovery of CUDA devices: the driver's facts of each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from xarr.backends.base import DeviceInfo, Discovery, Driver, Found
from xarr.backends.cuda_bindings import bindings, checked, device_handle
from xarr.backends.cuda_compiler import OPTIONS, nvrtc_version
from xarr.backends.cuda_kernels import ARGUMENTS_NBYTES


def describe(backend: str, index: int) -> DeviceInfo:
    """The driver's facts of a CUDA device."""
    cuda = bindings("driver")
    handle = device_handle(cuda, index)
    attributes = cuda.CUdevice_attribute

    def attribute(name: str) -> int:
        which = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(checked(cuda.cuDeviceGetAttribute(which, handle)))

    capability = attribute("COMPUTE_CAPABILITY_MAJOR"), attribute("COMPUTE_CAPABILITY_MINOR")
    arch = "sm_{}{}".format(*capability)
    name = checked(cuda.cuDeviceGetName(256, handle)).split(b"\0")[0].decode()
    if int(arch[3:]) not in checked(bindings("nvrtc").nvrtcGetSupportedArchs()):
        raise RuntimeError(
            "{} has compute capability {}.{}, for which NVRTC {} does not compile".format(
                name, *capability, nvrtc_version()
            )
        )
    version = int(checked(cuda.cuDriverGetVersion()))
    if int(nvrtc_version().split(".")[0]) > version // 1000:
        raise RuntimeError(
            f"its driver is one for CUDA {version // 1000}, and NVRTC {nvrtc_version()} compiles "
            "for newer ones"
        )
    return DeviceInfo(
        backend=backend,
        index=index,
        name=name,
        vendor="NVIDIA Corporation",
        platform="CUDA",
        driver_version=f"{version // 1000}.{version % 1000 // 10}{_driver_release()}",
        kind="gpu",
        dialect="cuda",
        memory_nbytes=int(checked(cuda.cuDeviceTotalMem(handle))),
        has_float64=True,
        compute_units=attribute("MULTIPROCESSOR_COUNT"),
        group_size=attribute("MAX_THREADS_PER_BLOCK"),
        local_nbytes=attribute("MAX_SHARED_MEMORY_PER_BLOCK"),
        parameter_nbytes=ARGUMENTS_NBYTES,
        shares_host_memory=False,
        target="\n".join(("cuda", arch, nvrtc_version(), *OPTIONS)),
        subgroup_size=attribute("WARP_SIZE"),
    )


def _driver_release() -> str:
    """The release of the driver in words, where the system tells it."""
    try:
        release = Path("/sys/module/nvidia/version").read_text()
    except OSError:
        return ""
    return f", driver {release.strip()}"


def discovered(
    backend: str,
    count: int,
    opened: Callable[[DeviceInfo], Driver],
    install: str,
    described: Callable[[int], DeviceInfo] | None = None,
) -> Discovery:
    """The first `count` CUDA devices, for the backend whose drivers `opened` makes."""
    discovery = Discovery([], [])
    for index in range(count):
        try:
            info = described(index) if described is not None else describe(backend, index)
        except (ImportError, RuntimeError) as error:
            discovery.problems.append(f"CUDA device {index} was passed over: {error}; {install}")
            continue
        discovery.devices.append(Found(info, functools.partial(opened, info)))
    return discovery
