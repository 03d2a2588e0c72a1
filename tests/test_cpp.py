"""Arrays in C++: the header by itself, and the modules of examples/cpp."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import nightly
from tests.processes import ROOT, once, run, with_root
from tests.reference import assert_same

pytestmark = pytest.mark.slow

HOST, CUDA = 1, 2
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", xarr.get_include())
VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "part": lambda x: x[1:, 1:-1],
    "steps": lambda x: x[::2, 1::3],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "of no elements": lambda x: x[:0],
}


def compiled(*arguments: str) -> None:
    """Compile C++; the compiler has nothing to say."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler was found")
    command = [compiler, *FLAGS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_header_by_itself(tmp_path: Path) -> None:
    program = str(tmp_path / "view")
    compiled("-fsanitize=address,undefined", str(ROOT / "tests" / "view.cpp"), "-o", program)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "error", ["", *nightly("nanobind::python_error", "pybind11::error_already_set")]
)
def test_the_header_goes_with_others(error: str, tmp_path: Path) -> None:
    library = error.partition("::")[0]
    lines = ["#include <Python.h>", "#include <xarr.hpp>"]
    folders = [sysconfig.get_path("include")]
    if library:
        folders.append(importlib.import_module(library).__path__[0] + "/include")
        names = {"nanobind": "nanobind/ndarray.h", "pybind11": "pybind11/pybind11.h"}
        lines.insert(0, f"#include <{names[library]}>")
    lines.append(f"template xarr::array_view xarr::from_python<{error}>(PyObject *, bool);\n")
    file = tmp_path / "with.cpp"
    file.write_text("\n".join(lines))
    others = [word for folder in folders for word in ("-isystem", folder)]
    compiled("-Wpedantic", "-Wshadow", "-fsyntax-only", *others, str(file))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    def install(target: Path) -> None:
        options = ("--no-build-isolation", "--no-deps", "--quiet", "--target", str(target))
        done = run("-m", "pip", "install", *options, str(ROOT / "examples" / "cpp"))
        assert done.returncode == 0, done.stdout + done.stderr

    target = once(tmp_path_factory, "cpp", install)
    sys.path.insert(0, str(target))
    yield target
    sys.path.remove(str(target))


@pytest.fixture(params=["dlpack", "buffer", "opencl", "cuda"])
def scale(request: pytest.FixtureRequest, device: xarr.Device, folder: Path) -> Any:
    """The function of each module that the device can have."""
    place = xarr.empty(1).__dlpack_device__()[0]
    if request.param == "buffer" and place != HOST:
        pytest.skip(f"{device} does not share the host's memory")
    if request.param == "opencl" and device.backend != "opencl":
        pytest.skip(f"{device} is not of OpenCL")
    if request.param == "dlpack" and place not in (HOST, CUDA):
        pytest.skip(f"{device} does not share the host's memory")
    if request.param == "cuda":
        if place != CUDA:
            pytest.skip(f"{device} is no CUDA device")
        if not list(folder.glob("scale_cuda.*")):
            pytest.skip("no CUDA compiler was found")
    function: Any = importlib.import_module(f"scale_{request.param}").scale
    if request.param == "dlpack":
        return lambda x, factor: function(x, factor, xarr.current_stream().pointer)
    return function


def address(x: xarr.Array) -> Any:
    if x.__dlpack_device__()[0] in (HOST, CUDA):
        return int(xarr.Pointer(x))
    return x.cl_base.int_ptr, x.cl_offset


@pytest.mark.parametrize("view", VIEWS)
def test_cpp_changes_an_array_in_place(scale: Any, view: str) -> None:
    host = np.arange(42, dtype=np.float32).reshape(6, 7)
    x = xarr.asarray(host) + 0
    before = address(x)
    assert scale(VIEWS[view](x), 3) is None
    VIEWS[view](host)[...] *= 3
    assert_same(np.asarray(xarr.to_numpy(x)), host, view)
    assert address(x) == before


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("size", [6, 1 << 20])
def test_cpp_works_in_order(scale: Any, size: int) -> None:
    """Nothing waits by hand: xarr writes, C++ changes, xarr reads."""
    host = np.ones((2, size), dtype=np.float32)
    x = xarr.ones((2, size), dtype="float32") + 0
    for _ in range(10):
        x += 1
        scale(x[:, ::-1], 2)
        y = x * 3 - 1
        x -= 5
        scale(x, 0.5)
        host += 1
        host *= 2
        assert_same(np.asarray(xarr.to_numpy(y)), host * 3 - 1, "what was read between")
        host -= 5
        host *= np.float32(0.5)
    assert_same(np.asarray(xarr.to_numpy(x)), host, "what is left")


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("size", [6, 1 << 20])
def test_handles_stay_good_and_in_order(device: xarr.Device, folder: Path, size: int) -> None:
    x = xarr.ones((2, size), dtype="float32") + 0
    row = x[1]
    stream = xarr.current_stream()
    place = x.__dlpack_device__()[0]
    if device.backend == "opencl":
        given = (row.cl_base.int_ptr, stream.cl_queue.int_ptr, row.cl_offset)
        scale: Any = importlib.import_module("scale_opencl").scale
    elif place == CUDA and list(folder.glob("scale_cuda.*")):
        given = (int(xarr.Pointer(row)), stream.pointer)
        scale = importlib.import_module("scale_cuda").scale
    else:
        pytest.skip("no CUDA compiler was found")
    host = np.ones((2, size), dtype=np.float32)
    for _ in range(10):
        x += 1
        scale(*given, size, 2)
        y = x - 2
        scale(*given, size, 0.5)
        host += 1
        host[1] *= 2
        assert_same(np.asarray(xarr.to_numpy(y)), host - 2, "what was read between")
        host[1] /= 2
    assert_same(np.asarray(xarr.to_numpy(x)), host, "what is left")


@pytest.mark.usefixtures("each_tier")
def test_cpp_works_on_another_stream(scale: Any) -> None:
    x = xarr.ones((3, 1000), dtype="float32") + 0
    with xarr.Stream():
        x += 1
        scale(x, 2)
        y = x + 1
    scale(x, 2)
    assert_same(np.asarray(xarr.to_numpy(y)), np.full((3, 1000), 5, np.float32), "within")
    assert_same(np.asarray(xarr.to_numpy(x)), np.full((3, 1000), 8, np.float32), "behind")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: xarr.ones((2, 2), dtype="int32"),
        lambda: xarr.ones(4, dtype="float32"),
        lambda: xarr.broadcast_to(xarr.ones(4, dtype="float32") + 0, (2, 4)),
        lambda: 3,
    ],
    ids=["dtype", "shape", "read-only", "no array"],
)
def test_cpp_refuses_what_it_cannot_change(scale: Any, wrong: Callable[[], Any]) -> None:
    words = r"float32|matrix|read-only|incompatible function arguments|__dlpack_device__"
    with pytest.raises((TypeError, ValueError, AttributeError), match=words):
        scale(wrong(), 2)


def test_an_array_on_another_device_is_refused(device: xarr.Device, folder: Path) -> None:
    x = xarr.ones((2, 2), dtype="float32")
    if device.backend != "opencl":
        with pytest.raises(AttributeError, match="cl_queue: the stream is on"):
            importlib.import_module("scale_opencl").scale(x, 2)
    if x.__dlpack_device__()[0] != CUDA and list(folder.glob("scale_cuda.*")):
        with pytest.raises(ValueError, match=r"it must be in that of CUDA"):
            importlib.import_module("scale_cuda").scale(x, 2)
    if x.__dlpack_device__()[0] not in (HOST, CUDA):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            importlib.import_module("scale_dlpack").scale(x, 2)


def _resident_nbytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system has no /proc")
def test_exchanges_leave_nothing(scale: Any, device: xarr.Device) -> None:
    x = xarr.ones((2, 3), dtype="float32") + 0
    gc.collect()
    shared = len(device.shared)

    def state() -> tuple[int, int, int]:
        xarr.synchronize()
        gc.collect()
        return len(gc.get_objects()), device.memory_info()["used_nbytes"], _resident_nbytes()

    for _ in range(1000):
        scale(x, 1)
    objects, used_nbytes, resident_nbytes = state()
    for _ in range(100_000):
        scale(x, 1)
    left = state()
    assert left[0] - objects < 50
    assert left[1] == used_nbytes
    assert left[2] - resident_nbytes < 4 << 20  # 40 bytes an exchange
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    assert len(device.shared) == shared


def test_the_program_of_the_page_runs(folder: Path) -> None:
    paths = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
    done = run(str(ROOT / "examples" / "cpp" / "run.py"), **with_root({"PYTHONPATH": paths}))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == len(xarr.devices())
    page = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8")
    for device in xarr.devices():
        if device.kind == "cpu" and device.index == 0:
            (line,) = re.findall(rf"^{device} \[\[.*$", page, re.MULTILINE)
            assert line in done.stdout.splitlines()
    for line in done.stdout.splitlines():
        first, second = ast.literal_eval(line.partition(" ")[2])
        assert first == [3 * element for element in second]
        assert second[0] >= 4
