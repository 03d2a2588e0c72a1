"""The OpenCL backend on every OpenCL device found, by bytes, programs and queues only."""

from __future__ import annotations

import os
import pickle
import struct
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.processes import needs_pocl, run_code
from xarr.backends import opencl, opencl_devices, opencl_loader
from xarr.backends.base import Driver
from xarr.backends.device import Device, devices
from xarr.errors import CompileError

FOUND = [device for device in devices() if device.backend == "opencl"]

ADD = """
typedef struct { uint n; uint step; float a; } arguments_t;
__kernel void add(__global const float *x, __global float *y, const arguments_t arguments) {
    for (uint i = get_global_id(0); i < arguments.n; i += get_global_size(0)) {
        y[i] = x[i * arguments.step] + arguments.a;
    }
}
"""

PLACES = """
__kernel void places(__global uint *out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * get_global_size(1) + y) * get_global_size(0) + x] =
        get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
}
"""


@pytest.fixture(params=FOUND, ids=[f"{d}-{d.info.platform.split()[0]}" for d in FOUND])
def device(request: pytest.FixtureRequest) -> Device:
    chosen: Device = request.param
    return chosen


@pytest.fixture
def driver(device: Device) -> Driver:
    return device.driver


def upload(driver: Driver, array: np.ndarray[Any, Any]) -> Any:
    buffer = driver.allocate(array.nbytes)
    driver.upload(buffer, 0, array)
    return buffer


def download(driver: Driver, buffer: Any, size: int, dtype: str) -> np.ndarray[Any, Any]:
    out = np.empty(size, dtype)
    driver.download(buffer, 0, out)
    return out


@needs_pocl
def test_a_machine_with_pocl_has_a_device() -> None:
    assert any(device.info.platform == "Portable Computing Language" for device in FOUND)


def test_info_is_whole(device: Device) -> None:
    info = device.info
    assert info.dialect == "opencl"
    assert info.memory_nbytes > 1 << 28
    assert info.group_size >= 256
    assert info.local_nbytes >= 16 << 10
    assert info.parameter_nbytes >= 1024
    assert info.name in info.target
    assert info.driver_version in info.target


def test_gpus_come_before_cpus_and_pocl_before_other_cpus() -> None:
    ranks = [
        (
            {"gpu": 0, "accelerator": 1, "cpu": 2}[device.kind],
            device.info.platform != "Portable Computing Language",
        )
        for device in FOUND
    ]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 65537])
def test_launch_passes_buffers_then_a_struct(driver: Driver, n: int) -> None:
    kernel = driver.load(driver.compile(ADD), "add")
    x = np.arange(2 * n + 1, dtype="f4")
    source, target = upload(driver, x), upload(driver, np.full(n + 1, -1, "f4"))
    groups = (n + 255) // 256
    driver.launch(kernel, (groups,), (256,), [source, target], struct.pack("IIf", n, 2, 0.5))
    result = download(driver, target, n + 1, "f4")
    np.testing.assert_array_equal(result[:n], x[: 2 * n : 2] + np.float32(0.5))
    assert result[n] == -1


def test_launch_passes_many_buffers(driver: Driver) -> None:
    count = 140
    names = ", ".join(f"__global uint *p{number}" for number in range(count))
    last = f"__kernel void last({names}) {{ p{count - 1}[0] = p{count - 2}[0] + 1; }}"
    kernel = driver.load(driver.compile(last), "last")
    buffers = [upload(driver, np.full(1, number, "u4")) for number in range(count)]
    driver.launch(kernel, (1,), (1,), buffers, b"")
    assert download(driver, buffers[-1], 1, "u4") == count - 1


@pytest.mark.parametrize("grid", [(6,), (3, 2), (2, 3, 2)])
def test_the_grid_counts_groups(driver: Driver, grid: tuple[int, ...]) -> None:
    kernel = driver.load(driver.compile(PLACES), "places")
    group = (4, 2, 1)[: len(grid)]
    items = [g * n for g, n in zip(grid, group, strict=True)] + [1] * (3 - len(grid))
    out = driver.allocate(4 * int(np.prod(items)))
    driver.launch(kernel, grid, group, [out], b"")
    places = download(driver, out, int(np.prod(items)), "u4").reshape(items[::-1])
    x, y, z = np.arange(items[0]), np.arange(items[1]), np.arange(items[2])
    sizes = (*group, 1, 1)
    expected = (
        (x // sizes[0])[None, None, :]
        + 100 * (y // sizes[1])[None, :, None]
        + 10000 * (z // sizes[2])[:, None, None]
    )
    np.testing.assert_array_equal(places, expected)


def test_the_public_launch_gives_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {entry.info: entry for entry in opencl_devices.discover().devices}
    monkeypatch.setattr(opencl, "has_fast_launch", lambda cl: False)
    monkeypatch.setattr(opencl, "direct_functions", lambda cl: None)
    results = []
    for driver in (device.driver, found[device.info].open()):
        kernel = driver.load(driver.compile(ADD), "add")
        x = upload(driver, np.linspace(0, 1, 1000, dtype="f4"))
        y = driver.allocate(4000)
        driver.launch(kernel, (4,), (256,), [x, y], struct.pack("IIf", 1000, 1, 0.1))
        driver.launch(kernel, (0,), (256,), [x, y], struct.pack("IIf", 1000, 1, 5.0))
        results.append(download(driver, y, 1000, "f4"))
    np.testing.assert_array_equal(results[0], results[1])


def test_the_installed_pyopencl_has_the_private_names_that_are_used() -> None:
    cl = opencl_loader.pyopencl_module()
    assert opencl_loader.has_fast_launch(cl)
    if sys.platform == "linux":
        assert opencl_loader.direct_functions(cl) is not None
    assert hasattr(cl._cl._Program, "_build")


def test_copies_at_offsets(driver: Driver) -> None:
    buffer = upload(driver, np.arange(100, dtype="u1"))
    driver.upload(buffer, 10, np.full(5, 200, "u1"))
    out = np.zeros(7, "u1")
    driver.download(buffer, 9, out)
    assert out.tolist() == [9, 200, 200, 200, 200, 200, 15]
    other = upload(driver, np.zeros(50, "u1"))
    driver.copy(buffer, 60, other, 3, 4)
    assert download(driver, other, 9, "u1").tolist() == [0, 0, 0, 60, 61, 62, 63, 0, 0]


@pytest.mark.parametrize(("source", "target"), [(0, 10), (10, 0), (5, 5)])
def test_copied_regions_may_overlap(driver: Driver, source: int, target: int) -> None:
    expected = np.arange(100, dtype="u1")
    buffer = upload(driver, expected)
    driver.copy(buffer, source, buffer, target, 50)
    expected[target : target + 50] = expected[source : source + 50].copy()
    np.testing.assert_array_equal(download(driver, buffer, 100, "u1"), expected)


def test_nothing_of_zero_size_does_harm(driver: Driver) -> None:
    empty = np.empty(0, "f4")
    buffer = driver.allocate(0)
    driver.upload(buffer, 0, empty)
    driver.upload(buffer, 0, b"")
    driver.download(buffer, 0, empty)
    driver.copy(buffer, 0, buffer, 0, 0)
    kernel = driver.load(driver.compile(ADD), "add")
    driver.launch(kernel, (0,), (256,), [buffer, buffer], struct.pack("IIf", 0, 1, 0.0))
    driver.launch(kernel, (1,), (256,), [buffer, buffer], struct.pack("IIf", 0, 1, 0.0))
    driver.synchronize()


def test_upload_lets_the_data_change(driver: Driver) -> None:
    data = np.arange(1 << 16, dtype="u4")
    buffer = upload(driver, data)
    data[:] = 7
    assert download(driver, buffer, 1 << 16, "u4")[-1] == (1 << 16) - 1


def test_division_and_root_are_correctly_rounded_and_nothing_is_contracted(driver: Driver) -> None:
    text = """
    #pragma OPENCL FP_CONTRACT OFF
    __kernel void f(__global const float *x, __global const float *y, __global float *out) {
        uint i = get_global_id(0), n = get_global_size(0);
        out[i] = x[i] / y[i];
        out[n + i] = sqrt(y[i]);
        float product = x[i] * y[i];
        out[2 * n + i] = product + x[i];
    }"""
    n = 1 << 14
    random = np.random.default_rng(1)
    x = (random.standard_normal(n) * 10.0 ** random.integers(-30, 30, n)).astype("f4")
    y = np.abs(random.standard_normal(n) * 10.0 ** random.integers(-40, 38, n)).astype("f4")
    y[y == 0] = 1
    out = driver.allocate(12 * n)
    kernel = driver.load(driver.compile(text), "f")
    driver.launch(kernel, (n // 256,), (256,), [upload(driver, x), upload(driver, y), out], b"")
    with np.errstate(all="ignore"):
        expected = np.concatenate([x / y, np.sqrt(y), x * y + x])
    np.testing.assert_array_equal(
        download(driver, out, 3 * n, "f4").view("u4"), expected.view("u4")
    )


def test_out_of_memory_leaves_the_device_usable(driver: Driver) -> None:
    with pytest.raises(MemoryError, match="10,000,000,000,000 bytes"):
        driver.allocate(10**13)
    buffer = upload(driver, np.arange(10, dtype="u4"))
    assert download(driver, buffer, 10, "u4").tolist() == list(range(10))


def test_memory_info_counts(driver: Driver) -> None:
    driver.synchronize()
    driver.release_memory()
    # Blocks of other tests' arrays may be larger than what was asked for.
    before = driver.memory_info()
    assert before["held_nbytes"] <= before["used_nbytes"] / 8
    buffer = driver.allocate(1 << 20)
    during = driver.memory_info()
    assert during["used_nbytes"] == before["used_nbytes"] + (1 << 20)
    assert during["peak_nbytes"] >= during["used_nbytes"]
    del buffer
    after = driver.memory_info()
    assert after["used_nbytes"] == before["used_nbytes"]
    assert after["held_nbytes"] >= before["held_nbytes"] + (1 << 20)
    driver.release_memory()
    assert driver.memory_info()["held_nbytes"] == before["held_nbytes"]


def test_compile_error_shows_log_and_lines(driver: Driver) -> None:
    text = ADD.replace("x[i * ", "unknown[i * ")
    with pytest.raises(CompileError) as raised, warnings.catch_warnings():
        warnings.simplefilter("error")
        driver.compile(text, ("-DN=3",))
    error = raised.value
    assert error.source == text
    assert "unknown" in error.log
    assert "-DN=3" in error.options
    assert driver.info.name in error.device
    error.op, error.dtypes = "add", ("float32", "float32")  # which the engine fills in
    shown = str(error)
    assert shown.startswith("add(float32, float32) did not compile for opencl:")
    assert "> 5 |         y[i] = unknown[i * arguments.step] + arguments.a;" in shown
    assert str(pickle.loads(pickle.dumps(error))) == shown


def test_compile_error_follows_line_directives(driver: Driver) -> None:
    text = '__kernel void f(__global float *x) {\n#line 40 "loop.c"\nx[0] = 1;\nx[1] = y;\n}\n'
    with pytest.raises(CompileError) as raised:
        driver.compile(text)
    assert "> loop.c:41 | x[1] = y;" in str(raised.value)


def test_an_error_of_a_source_leaves_the_fast_way_open(driver: Driver) -> None:
    assert isinstance(driver, opencl.OpenCLDriver)
    before = driver._skips_declarations
    with pytest.raises(CompileError):
        driver.compile("#ifdef XR_DECLARES\n#endif\n" + ADD.replace("float", "flaot"))
    assert driver._skips_declarations == before


@pytest.mark.parametrize("damage", [lambda b: b"garbage", lambda b: b"", lambda b: b[:-1]])
def test_a_damaged_binary_is_refused(driver: Driver, damage: Any) -> None:
    binary = driver.compile(ADD)
    with pytest.raises(ValueError, match="refuses the binary of kernel 'add'"):
        driver.load(damage(binary), "add")
    driver.load(binary, "add")


def test_an_unknown_kernel_is_refused(driver: Driver) -> None:
    with pytest.raises(ValueError, match="kernel 'subtract'"):
        driver.load(driver.compile(ADD), "subtract")


def test_another_device_binary_is_refused(driver: Driver) -> None:
    others = [other.driver for other in FOUND if other.info.target != driver.info.target]
    if not others:
        pytest.skip("all OpenCL devices are of one kind")
    binary = others[0].compile(ADD)
    with pytest.raises(ValueError, match="refuses"):
        driver.load(binary, "add")


def test_many_launches_without_waiting(driver: Driver) -> None:
    kernel = driver.load(driver.compile(ADD), "add")
    x = upload(driver, np.zeros(64, "f4"))
    for _ in range(3000):
        driver.launch(kernel, (1,), (64,), [x, x], struct.pack("IIf", 64, 1, 1.0))
    assert (download(driver, x, 64, "f4") == 3000).all()


USE = """
    import struct, numpy as np
    from xarr.backends.device import get_device
    driver = get_device({device!r}).driver
    text = {text!r}
    kernel = driver.load(driver.compile(text), "add")
    x = driver.allocate(4 << 20)
    driver.upload(x, 0, np.zeros(1 << 20, "f4"))
    for _ in range(200):
        driver.launch(kernel, (4096,), (256,), [x, x], struct.pack("IIf", 1 << 20, 1, 1.0))
"""


def test_the_process_ends_while_kernels_run(device: Device) -> None:
    done = run_code(USE.format(device=str(device), text=ADD))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_is_told_so(device: Device) -> None:
    code = textwrap.dedent(USE.format(device=str(device), text=ADD)) + textwrap.dedent(
        """
        import os, sys, warnings
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            for act in (driver.synchronize, lambda: driver.allocate(8), lambda: driver.info.name):
                try:
                    act()
                    print("works")
                except RuntimeError as error:
                    print("spawn" in str(error))
            sys.stdout.flush()
            LEAVE(0)
        print(os.waitpid(child, 0)[1])
        out = np.empty(3, "f4")
        driver.download(x, 0, out)
        print(out[0])
        """
    )
    # Mesa's own exit handler joins a thread that the fork left behind, and crashes, as NVIDIA's
    # does; processes of multiprocessing leave by os._exit.
    crashes = device.info.platform in ("rusticl", "NVIDIA CUDA")
    leave = "os._exit" if crashes else "sys.exit"
    done = run_code(code.replace("LEAVE", leave))
    assert done.stdout.split() == ["True", "True", "works", "0", "200.0"], done.stderr


@needs_pocl
def test_an_unwritable_home_is_no_obstacle() -> None:
    code = USE.format(device="opencl:0", text=ADD) + "    print(driver.info.platform)"
    environment = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "", "OCL_ICD_VENDORS": "/proc"}
    done = run_code(code, **environment)
    assert done.stdout.strip() == "Portable Computing Language", done.stderr


def test_discovery_leaves_the_environment_as_it_was() -> None:
    done = run_code(
        """
        import os
        before = dict(os.environ)
        from xarr.backends.device import devices
        assert devices()
        changed = set(before.items()) ^ set(os.environ.items())
        # PyOpenCL sets this one for the loader in its wheel.
        print(sorted(name for name, _ in changed if name != "PYOPENCL_HOME"))
        """
    )
    assert done.stdout.strip() == "[]", done.stderr


@needs_pocl
def test_drivers_that_do_not_load_are_reported(tmp_path: Path) -> None:
    (tmp_path / "missing.icd").write_text("libnowhere.so\n")
    (tmp_path / "text.icd").write_text(f"{tmp_path / 'missing.icd'}\n")
    done = run_code(
        """
        from xarr.backends.device import devices, problems
        count = sum(device.backend == "opencl" for device in devices())
        print(count, *problems()["opencl"], sep="\\n")
        """,
        OCL_ICD_VENDORS=str(tmp_path),
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "1", done.stderr
    assert "missing.icd names does not load" in lines[1]
    assert "text.icd names does not load" in lines[2]


def test_without_pyopencl_the_first_use_says_what_to_install() -> None:
    done = run_code(
        """
        import sys
        sys.modules |= {"pyopencl": None, "cupy": None, "numba": None, "cuda": None}
        from xarr.backends.device import BACKENDS, default_device, devices
        for other in BACKENDS.keys() - {"cupy", "numba", "cuda", "cpu", "opencl"}:
            del BACKENDS[other]
        assert devices() == []
        try:
            default_device()
        except RuntimeError as error:
            print(error)
        """,
        XARR_CC="absent",
    )
    assert "XARR_CC names 'absent', which is no command" in done.stdout
    assert 'pip install "pyopencl[pocl]"' in done.stdout, done.stderr


def test_pyopencl_keeps_no_cache_of_its_own(tmp_path: Path) -> None:
    done = run_code(USE.format(device="opencl:0", text=ADD), XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*pyopencl*"))
