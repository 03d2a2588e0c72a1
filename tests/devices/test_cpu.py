"""The device `cpu:0`: the machine's own compiler, the host's memory, threads, signals and forks."""

from __future__ import annotations

import ctypes
import shutil
import sys
from pathlib import Path

import numpy
import pytest

import xarr
from tests.processes import needs_pocl, run, run_code
from xarr.backends.device import devices

FOUND = [device for device in devices() if device.backend == "cpu"]
pytestmark = pytest.mark.skipif(not FOUND, reason="this machine has no C compiler")

PROGRAM = """
import numpy, xarr
x = xarr.asarray(numpy.random.default_rng(0).normal(size=(700, 900)))
with xarr.device("cpu:0"):
    found = [xarr.sin(x) * 2 + x, x.sum(), x.var(axis=0), x.max(axis=1)]
    found.append(xarr.cumulative_sum(x, axis=0))
    replayed = xarr.jit(lambda x: (xarr.sin(x).sum(axis=1), xarr.cumulative_sum(x * 2, axis=0)))
    for _ in range(4):
        found += replayed(x)
import hashlib
print(hashlib.sha256(b"".join(numpy.asarray(one).tobytes() for one in found)).hexdigest())
"""


def broken(folder: Path, text: str) -> str:
    path = folder / "broken-cc"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_bits_do_not_depend_on_the_threads() -> None:
    found = {
        run_code(PROGRAM, XARR_DEVICE="cpu:0", XARR_THREADS=threads).stdout
        for threads in ("1", "2", "5")
    }
    assert len(found) == 1
    assert len(found.pop()) == 65


@needs_pocl
@pytest.mark.parametrize("text", ["echo no space left on device >&2; exit 4", "true"])
def test_a_compiler_that_does_not_work_is_a_warning(tmp_path: Path, text: str) -> None:
    code = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import xarr
    print(xarr.default_device(), float(xarr.ones(3).sum()), len(told))
    print(told[0].message)
print(xarr.default_device())
"""
    cache = str(tmp_path / "cache")
    compiler = broken(tmp_path, text)
    done = run_code(code, XARR_CC=compiler, XARR_CACHE_DIR=cache, XARR_DEVICE="cpu")
    first, *rest, last = done.stdout.splitlines()
    assert first == "opencl:0 3.0 1", done.stderr
    assert "the C compiler" in rest[0]
    assert "does not work" in rest[0]
    assert last == "opencl:0"


@needs_pocl
def test_without_a_compiler_the_first_cpu_is_opencls(tmp_path: Path) -> None:
    code = "import xarr; print(xarr.default_device()); print(xarr.backends.device.problems())"
    done = run_code(code, PATH=str(tmp_path), XARR_DEVICE="cpu")
    assert done.stdout.startswith("opencl:0")
    assert "no C compiler was found" in done.stdout


def test_what_the_compiler_says_has_the_lines(tmp_path: Path) -> None:
    kernel = "KERNEL void f(GLOBAL f32 *x)\n{\n    x[0] = absent;\n}\n"
    with xarr.device(FOUND[0]), pytest.raises(xarr.CompileError, match="absent") as caught:
        xarr.RawKernel(kernel, "f")((1,), (1,), (xarr.zeros(1, dtype="float32"),))
    assert "> code:3 |     x[0] = absent;" in str(caught.value)


def test_a_library_that_was_changed_is_refused() -> None:
    driver = FOUND[0].driver
    source = "void xr_run_f(float **x) { x[0][0] = 1; }"
    binary = driver.compile(source)
    assert driver.load(binary, "f")
    changed = bytearray(binary)
    changed[-1] ^= 1
    for wrong in (bytes(changed), binary[:-9], b"", b"nonsense"):
        with pytest.raises(ValueError, match="does not load"):
            driver.load(wrong, "f")
    with pytest.raises(ValueError, match="does not load"):
        driver.load(binary, "g")


def test_libraries_leave_no_files(tmp_path: Path) -> None:
    code = "import xarr; print(float((xarr.ones(5000) * 2).sum()))"
    done = run_code(code, XARR_DEVICE="cpu:0", XARR_TIERS="fused", TMPDIR=str(tmp_path))
    assert done.stdout.split() == ["10000.0"], done.stderr
    assert not list(tmp_path.iterdir())
    kept = tmp_path / "kept"
    run_code(code, XARR_DEVICE="cpu:0", XARR_TIERS="fused", XARR_DUMP_SOURCE=str(kept))
    assert {path.suffix for path in kept.iterdir()} == {".c", ".so"}


def test_a_folder_that_runs_nothing_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = FOUND[0].driver
    asked = list[str]()

    def loader(path: str) -> ctypes.CDLL:
        asked.append(path)
        if len(asked) == 1:
            raise OSError("failed to map segment")
        return ctypes.CDLL(path)

    from xarr.backends import cpu

    content = driver.compile("void xr_run_f(float **x) { }")[cpu._SEAL_NBYTES :]
    assert hasattr(cpu._loaded(content, "f", loader), "xr_run_f")
    assert len({Path(path).parent for path in asked}) == 2
    assert not any(Path(path).exists() for path in asked)


def test_memory_is_shared_both_ways() -> None:
    with xarr.device(FOUND[0]):
        host = numpy.arange(8.0)
        x = xarr.asarray(host, copy=False)
        x[2:] += 1
        assert numpy.asarray(x) is not host
        seen = numpy.asarray(x)
        assert seen.ctypes.data == host.ctypes.data
        assert host.tolist() == [0, 1, 3, 4, 5, 6, 7, 8]
        host[0] = 9
        assert float(x[0]) == 9
        y = x * 2
        assert numpy.from_dlpack(y).ctypes.data == numpy.asarray(y).ctypes.data
        y.__buffer__(0)[1] = 5
        assert y.tolist()[:2] == [18, 5]
        assert numpy.asarray(y).ctypes.data % 64 == 0


def test_a_child_has_threads_of_its_own() -> None:
    code = """
import os, numpy, xarr
x = xarr.asarray(numpy.arange(400_000.0))
print(float(xarr.sqrt(x).sum()), flush=True)
child = os.fork()
if child == 0:
    print(float(xarr.sqrt(x).sum()), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(float(xarr.sqrt(x).sum()), flush=True)
"""
    done = run_code(code, XARR_DEVICE="cpu:0", XARR_TIERS="fused", XARR_THREADS="3")
    assert len(done.stdout.split()) == 3, done.stderr
    assert len(set(done.stdout.split())) == 1


def test_a_kernel_that_never_ends_is_left_at_an_interrupt() -> None:
    code = """
import os, signal, threading, xarr
text = "KERNEL void f(GLOBAL float *x) { volatile int goes = 1; while (goes) { x[0] += 1.0f; } }"
x = xarr.zeros(4, dtype="float32")
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    xarr.RawKernel(text, "f")((1,), (8,), (x,))
except KeyboardInterrupt:
    print("left")
x = xarr.ones(300_000) * 2
xarr.RawKernel("KERNEL void g(GLOBAL double *x) { x[GLOBAL_ID(0)] = 3.0; }", "g")((2,), (2,), (x,))
print(float(x.sum()))
"""
    done = run_code(code, XARR_DEVICE="cpu:0")
    assert done.stdout.split() == ["left", "600004.0"], done.stderr


def test_a_long_replay_lets_others_run_and_is_left_at_a_signal() -> None:
    code = """
import signal, threading, time, numpy, xarr

def advance(x):
    for _ in range(500):
        x[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])

replayed = xarr.jit(advance)
x = xarr.asarray(numpy.random.default_rng(0).random(200_000))
for _ in range(3):
    replayed(x)
ends, turns = threading.Event(), []
thread = threading.Thread(target=lambda: [turns.append(0) for _ in iter(ends.is_set, True)])
began = time.perf_counter()
thread.start()
replayed(x)
ends.set()
took = time.perf_counter() - began
thread.join()
print(len(turns) > 100)

def come(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, come)
replayed(x)
began = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, took / 20)
try:
    replayed(x)
except KeyboardInterrupt as error:
    print(time.perf_counter() - began < took / 2, "replaying" in error.__notes__[0])
replayed(x)
print(float(x.sum()) == float(x.sum()))
"""
    done = run_code(code, XARR_DEVICE="cpu:0", XARR_TIERS="fused", XARR_THREADS="2")
    assert done.stdout.split() == ["True"] * 4, done.stderr


def test_groups_wait_for_each_other_within() -> None:
    text = """
KERNEL void turned(GLOBAL const i32 *x, GLOBAL i32 *y, i32 times)
{
    LOCAL i32 shared[4][8];
    const int row = (int)LOCAL_ID(1);
    const int column = (int)LOCAL_ID(0);
    const int at = ((int)GROUP_ID(0) * 4 + row) * 8 + column;
    shared[row][column] = x[at];
    for (int turn = 0; turn < times; ++turn) {
        BARRIER();
        const i32 other = shared[3 - row][7 - column];
        BARRIER();
        shared[row][column] = other + 1;
    }
    y[at] = shared[row][column];
}
"""
    host = numpy.arange(96, dtype="int32")
    with xarr.device(FOUND[0]):
        x, y = xarr.asarray(host), xarr.zeros(96, dtype="int32")
        xarr.RawKernel(text, "turned")((3,), (8, 4), (x, y, numpy.int32(5)))
        turned = host.reshape(3, 32)[:, ::-1].ravel() + 5
        assert numpy.asarray(y).tolist() == turned.tolist()


def test_items_may_return_before_others_wait() -> None:
    text = """
DEVICE f32 doubled(const f32 x) { return x * 2; }
KERNEL void tree(GLOBAL const f32 *x, GLOBAL f32 *y, i32 n)
{
    LOCAL f32 t[8];
    const int l = (int)LOCAL_ID(0);
    if (l >= n) { y[l] += doubled(1); return; }
    t[l] = x[l];
    BARRIER();
    if (l >= 4) { return; }
    t[l] += t[l + 4];
    BARRIER();
    if (l >= 2) { return; }
    t[l] += t[l + 2];
    BARRIER();
    if (l == 0) { y[0] = t[0] + t[1]; }
}
"""
    with xarr.device(FOUND[0]):
        x, y = xarr.arange(8, dtype="float32"), xarr.zeros(12, dtype="float32")
        xarr.RawKernel(text, "tree")((1,), (12,), (x, y, numpy.int32(8)))
        assert y.tolist() == [28, *[0] * 7, *[2] * 4]


@pytest.mark.parametrize("called", ["erf(x[0])", "exp2(x[0])", "abs(x[0])", "signbit(x[0])"])
def test_what_nobody_declares_is_an_error(called: str) -> None:
    text = f"void xr_run_f(float *x) {{ x[1] = {called}; }}"
    with pytest.raises(xarr.CompileError, match="implicit"):
        FOUND[0].driver.compile(text)


def test_a_fork_waits_for_other_threads() -> None:
    code = """
import os, threading, numpy, xarr
x = xarr.asarray(numpy.arange(1e6))
ends = threading.Event()
def work():
    while not ends.is_set():
        float((x * 2 + 1).sum())
thread = threading.Thread(target=work)
thread.start()
for _ in range(5):
    child = os.fork()
    if child == 0:
        print(float((x * 2 + 1).sum()), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
ends.set()
thread.join()
"""
    done = run_code(code, XARR_DEVICE="cpu:0")
    assert done.stdout.split() == ["1000000000000.0"] * 5, done.stderr


@needs_pocl
def test_a_chosen_compiler_is_a_path_a_command_or_none(tmp_path: Path) -> None:
    code = "import xarr; print(xarr.default_device(), float(xarr.ones(3).sum()))"
    Path(tmp_path / "mine").symlink_to(shutil.which("cc") or "/usr/bin/cc")
    found = run("-c", code, cwd=tmp_path, XARR_CC="./mine", XARR_DEVICE="cpu")
    assert found.stdout.split() == ["cpu:0", "3.0"], found.stderr
    for name, told in (("'gcc", 1), ("none", 0)):
        found = run_code(code, XARR_CC=name, XARR_DEVICE="cpu")
        assert found.stdout.split() == ["opencl:0", "3.0"], found.stderr
        assert found.stderr.count("which is no command") == told


def test_threadpoolctl_sees_the_threads() -> None:
    code = """
import threadpoolctl, xarr
xarr.synchronize()
def number():
    found = threadpoolctl.threadpool_info()
    return [one["num_threads"] for one in found if one["user_api"] == "xarr"]
print(number())
with threadpoolctl.threadpool_limits(1):
    print(number(), float((xarr.ones(400_000) * 2).sum()))
print(number())
"""
    done = run_code(code, XARR_DEVICE="cpu:0", XARR_THREADS="3")
    assert done.stdout.split() == ["[3]", "[1]", "800000.0", "[3]"], done.stderr


def test_a_block_is_memory_that_is_used_again() -> None:
    driver = FOUND[0].driver
    block = driver.allocate(1000)
    address = block.address
    assert len(memoryview(block)) == block.nbytes == 1000
    before = driver.memory_info()
    del block
    assert driver.memory_info()["used_nbytes"] == before["used_nbytes"] - 1000
    assert driver.memory_info()["held_nbytes"] == before["held_nbytes"] + 1000
    again = driver.allocate(1020)
    assert again.address == address
    driver.release_memory()
    assert driver.allocate(1000).address != address
    with pytest.raises(ValueError, match="beyond an end"):
        driver.copy(again, 8, again, 0, 1020)
    owner = numpy.arange(4)
    count = sys.getrefcount(owner)
    wrapped = driver.wrap(owner.ctypes.data, owner.nbytes, owner)
    assert sys.getrefcount(owner) == count + 1
    del wrapped
    assert sys.getrefcount(owner) == count
