"""Discovery of OpenCL devices of any vendor, and of drivers that come in wheels."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy

from xarr.backends import pocl, processor
from xarr.backends.base import DeviceInfo, Discovery, Found, forked
from xarr.backends.opencl import OpenCLDriver
from xarr.backends.opencl_loader import (
    POCL,
    base_options,
    environment,
    is_discovered_here,
    pyopencl_module,
)
from xarr.settings import settings

_INSTALL = 'pip install "pyopencl[pocl]"'
_SYSTEM = Path("/etc/OpenCL/vendors")


def may_have_gpus() -> bool:
    """Whether there is a driver beside those in wheels, which are for processors."""
    if sys.platform != "linux" or {"OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"} & os.environ.keys():
        return True
    return bool(_registrations()) or (Path(sys.prefix) / "etc/OpenCL/vendors").is_dir()


def discover() -> Discovery:
    """All OpenCL devices: GPUs, then accelerators, then CPUs, PoCL's first among these."""
    try:
        cl = pyopencl_module()
    except ImportError as error:
        return Discovery([], [f"PyOpenCL cannot be imported ({error}); {_INSTALL}"])
    problems: list[str] = []
    found: list[tuple[Any, Any, Any]] = []
    registrations = _registrations()
    both = pocl.with_inline(registrations) if settings().inline else {}
    with _driver_environment(problems), environment(both):
        try:
            platforms = cl.get_platforms()
        except cl.Error as error:
            return Discovery([], [f"no OpenCL driver was found ({error}); {_INSTALL}"])
        for of in platforms:
            try:
                devices = of.get_devices()
            except cl.Error as error:
                problems.append(f"platform {of.name.strip()!r} was passed over: {error}")
                continue
            if not devices:
                problems.append(f"platform {of.name.strip()!r} has no device")
            inline = None
            if both and of.name.strip() == POCL:
                devices, inline = pocl.apart(devices)
            found += [(of, device, inline) for device in devices]
    problems += _unloadable(registrations)
    found.sort(key=lambda each: _rank(cl, *each[:2]))
    discovery = Discovery([], problems)
    for of, device, inline in found:
        try:
            info = _info(cl, len(discovery.devices), of, device)
        except cl.Error as error:
            problems.append(f"a device of platform {of.name.strip()!r} was passed over: {error}")
            continue
        discovery.devices.append(Found(info, functools.partial(_open, info, device, inline)))
    if not discovery.devices:
        problems.append(f"no OpenCL platform has a device; {_INSTALL}")
    return discovery


def _open(info: DeviceInfo, device: Any, inline: Any) -> OpenCLDriver:
    if not is_discovered_here():
        raise forked("OpenCL")
    return OpenCLDriver(info, device, inline)


def _rank(cl: Any, of: Any, device: Any) -> tuple[int, bool]:
    kinds = {"gpu": 0, "accelerator": 1, "cpu": 2}
    return kinds[_kind(cl, device)], of.name.strip() != POCL


def _kind(cl: Any, device: Any) -> Literal["cpu", "gpu", "accelerator"]:
    if device.type & cl.device_type.GPU:
        return "gpu"
    if device.type & cl.device_type.CPU:
        return "cpu"
    return "accelerator"


def _info(cl: Any, index: int, of: Any, device: Any) -> DeviceInfo:
    kind = _kind(cl, device)
    is_pocl = of.name.strip() == POCL
    target = [of.name, of.version, device.name, device.vendor, device.version]
    target += [device.driver_version, str(device.address_bits)]
    target += base_options(cl, device)
    if kind == "cpu":
        target.append(processor.identity())
        if is_pocl:
            target.append(pocl.stand_in(device) or "")
    return DeviceInfo(
        backend="opencl",
        index=index,
        name=device.name.strip(),
        vendor=device.vendor.strip(),
        platform=of.name.strip(),
        driver_version=device.driver_version.strip(),
        kind=kind,
        dialect="opencl",
        memory_nbytes=device.global_mem_size,
        subgroup_size=_subgroup_size(device),
        has_float64="cl_khr_fp64" in device.extensions.split(),
        compute_units=device.max_compute_units,
        group_size=device.max_work_group_size,
        local_nbytes=device.local_mem_size,
        parameter_nbytes=pocl.PARAMETER_NBYTES if is_pocl else device.max_parameter_size,
        shares_host_memory=kind == "cpu" or bool(device.host_unified_memory),
        target="\n".join(target),
    )


def _subgroup_size(device: Any) -> int:
    """Items that run in step, which each vendor tells by a name of its own."""
    for name in ("warp_size_nv", "wavefront_width_amd", "sub_group_sizes_intel"):
        with contextlib.suppress(Exception):  # one of PyOpenCL's, where the device has not the name
            return int(numpy.max(getattr(device, name)))
    return 1


@contextlib.contextmanager
def _driver_environment(problems: list[str]) -> Iterator[None]:
    """The environment in which the OpenCL loader finds the drivers that come in wheels."""
    changes = {}
    with contextlib.ExitStack() as stack:
        try:
            changes.update(_pocl_cache())
            drivers = _wheel_drivers()
            if drivers:
                directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="xarr-icd-"))
                changes.update(_loader_variables(drivers, Path(directory)))
        except OSError as error:
            problems.append(f"drivers that come in wheels were passed over: {error}")
        with environment(changes):
            yield


def _wheel_drivers() -> list[Path]:
    """Drivers in this Python environment that no loader knows of; none if the user chose some."""
    chosen = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES")
    if any(name in os.environ for name in chosen):
        return []
    # The wheel intel-opencl-rt registers its driver where only conda's loader looks.
    names = {"linux": "lib/libintelocl.so", "win32": "Library/bin/intelocl64.dll"}
    path = Path(sys.prefix) / names.get(sys.platform, "-")
    if path.is_file() and not any(_registers(file, path) for file in _registrations()):
        return [path]
    return []


def _registrations() -> list[Path]:
    """The files that name the drivers of this system, or those that the user chose."""
    chosen = Path(os.environ.get("OCL_ICD_VENDORS") or _SYSTEM)
    return [chosen] if chosen.suffix == ".icd" else sorted(chosen.glob("*.icd"))


def _unloadable(registrations: list[Path]) -> list[str]:
    """Why registered drivers are absent: the loader passes over what does not load, silently."""
    problems = []
    if sys.platform == "linux":
        for file in registrations:
            try:
                # Loaded already where the loader succeeded, so this costs nothing then.
                ctypes.CDLL(file.read_text().split("\n")[0].strip())
            except (OSError, UnicodeError) as error:
                problems.append(f"the driver that {file} names does not load: {error}")
    return problems


def _registers(file: Path, driver: Path) -> bool:
    return driver.name in file.read_text(errors="replace")


def _loader_variables(drivers: list[Path], directory: Path) -> dict[str, str]:
    """Variables that add `drivers` to those that each of the two common loaders knows."""
    # Khronos' loader takes a list of further drivers; ocl-icd, which PyOpenCL's Linux wheels
    # bundle, takes one directory instead of the system's, so the system's files are copied to it.
    variables = {"OCL_ICD_FILENAMES": os.pathsep.join(map(str, drivers))}
    if sys.platform == "linux":
        conda = Path(sys.prefix) / "etc/OpenCL/vendors"
        for number, file in enumerate((*_registrations(), *conda.glob("*.icd"))):
            if not any(_registers(file, driver) for driver in drivers):
                shutil.copyfile(file, directory / f"{number:02}-{file.name}")
        for driver in drivers:
            (directory / f"{driver.stem}.icd").write_text(f"{driver}\n")
        variables["OCL_ICD_VENDORS"] = str(directory)
    return variables


def _pocl_cache() -> dict[str, str]:
    """A directory for PoCL, which reports no device where it cannot write."""
    if "POCL_CACHE_DIR" in os.environ or sys.platform == "win32":
        return {}
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        (cache / "pocl/kcache").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache / "pocl/kcache"):
            return {}
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        directory = tempfile.mkdtemp(prefix="xarr-pocl-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        return {"POCL_CACHE_DIR": directory}
