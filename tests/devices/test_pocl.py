"""PoCL: the name of a processor that its compiler does not know, and small work on its own."""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import math
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xarr
from tests.launching import together
from tests.processes import run_code
from xarr import dtypes
from xarr.backends import opencl, opencl_devices, pocl
from xarr.codegen import source
from xarr.functions.elementwise import float_functions
from xarr.ops import elementwise
from xarr.tape import builder

HASWELL = frozenset(["avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm", "sse4_2"])
AVX512 = HASWELL | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])


@pytest.mark.parametrize(
    ("features", "name"),
    [
        (AVX512, "haswell"),
        (HASWELL, "haswell"),
        (HASWELL - {"fma"}, "x86-64"),
        (frozenset(), "x86-64"),
    ],
)
def test_a_processor_has_no_instructions_that_are_not_there(
    features: frozenset[str], name: str
) -> None:
    assert pocl.processor(features) == name


def test_what_is_not_named_generic_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Device:
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-znver3"
        int_ptr = 0

    looked = list[int]()
    monkeypatch.setattr(pocl, "_places_of", lambda text, address: looked.append(address))
    pocl.name_processor(Device())
    assert not looked


def test_the_name_is_the_first_of_what_points_to_one() -> None:
    unknown = ctypes.create_string_buffer(b"generic")
    memory = (ctypes.c_void_p * 200)()
    memory[3], memory[80], memory[150] = 12345, ctypes.addressof(unknown), ctypes.addressof(unknown)

    class Device:
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic "
        int_ptr = ctypes.addressof(memory)

    pocl.name_processor(Device())
    named = memory[80]
    assert named is not None
    assert ctypes.string_at(named) in (b"haswell", b"x86-64")
    assert (memory[3], memory[150]) == (12345, ctypes.addressof(unknown))


def test_kernels_compile_on_the_default_device(device: xarr.Device) -> None:
    assert (xarr.arange(3, dtype="int32") * 7 + 1).tolist() == [1, 8, 15]


# -- small work in the caller's thread -----------------------------------------------------------

FOUND = [found for found in xarr.devices() if found.info.platform == "Portable Computing Language"]
EVERYTHING = math.inf
NOTHING = -1


@pytest.fixture
def driver() -> opencl.OpenCLDriver:
    if not FOUND:
        pytest.skip("PoCL is not installed")
    driver = FOUND[0].driver
    assert isinstance(driver, opencl.OpenCLDriver)
    if driver._inline is None:
        pytest.skip("PoCL has one device here: see pocl.with_inline")
    return driver


@pytest.fixture
def pocl_device(driver: opencl.OpenCLDriver) -> Iterator[xarr.Device]:
    with xarr.device(FOUND[0]) as chosen:
        xarr.synchronize()
        yield chosen


def test_the_compiler_warns_of_no_function(driver: opencl.OpenCLDriver) -> None:
    """PoCL tells how many warnings there are on the standard error of who computes."""
    code = "KERNEL void none(GLOBAL f32 *x) { x[0] = 0.0f; }"
    operations = [
        row.operation(dtype)
        for row in (*elementwise.TABLE, *float_functions.ROWS)
        for dtype in dtypes.TABLE
        if dtype.kind in row.kinds
    ]
    names = ["xr_half_to_float", "xr_float_to_half", "xr_double_to_half"]
    names += [f"xr_to_{to}_{of}" for to in ("i32", "i64", "u64") for of in ("f32", "f64")]
    calls = " ".join([*names, *(operation.template for operation in operations)])
    text = "\n".join([*source.preamble(calls, "opencl", has_float64=True), code])
    driver.compile(text, ("-Werror",))


def normal(*shape: int) -> Any:
    return np.random.default_rng(7).standard_normal(shape)


def scattered(x: xarr.Array) -> xarr.Array:
    y = x * 1
    y[xarr.asarray([5, 1, 5, 900])] = xarr.asarray([1.0, 2.0, 3.0, 4.0])
    y[y > 2] = -1
    return y


CASES: dict[str, Callable[[xarr.Array], xarr.Array]] = {
    "elementwise": lambda x: xarr.exp(x) * 3 + xarr.sin(x) ** 2,
    "power": lambda x: xarr.abs(x) ** 1.7,
    "integers": lambda x: x.astype("int32") // 3 % 7,
    "sum": lambda x: x.sum(),
    "sum along rows": lambda x: x[: 90 * 300].reshape((90, 300)).sum(axis=1),
    "sum along columns": lambda x: x[: 90 * 300].reshape((90, 300)).sum(axis=0),
    "var": lambda x: x.var(),
    "argmin": lambda x: x.argmin(),
    "scan": xarr.cumulative_sum,
    "scan along columns": lambda x: xarr.cumulative_sum(x[:9000].reshape((90, 100)), axis=0),
    "sort": xarr.sort,
    "search": lambda x: xarr.searchsorted(xarr.sort(x), x),
    "gather": lambda x: x[xarr.argsort(x)[::3]],
    "mask": lambda x: x[x > 0.3],
    "scatter": scattered,
    "transposed": lambda x: x[: 90 * 300].reshape((90, 300)).T + 1,
    "histogram": lambda x: xarr.bincount((x * 3 + 20).astype("int64"), weights=x),
    "product": lambda x: x[:10000].reshape((100, 100)) @ x[:10000].reshape((100, 100)),
    "transform": xarr.fft.fft,
    "random": lambda x: xarr.random.default_rng(3).standard_normal(x.shape),
}


USUAL = {
    "elementwise": "", "integers": "", "sum": "", "scan": "", "gather": "", "mask": "",
    "scatter": "", "scan along columns": "as-gpu", "sum along columns": "as-gpu",
    "transposed": "as-gpu", "random": "as-gpu",
}  # fmt: skip
"""Cases whose kernels PoCL compiles fast, and the form; for others it takes up to 28 seconds."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(*case, marks=() if case in USUAL.items() else pytest.mark.nightly)
        for case in itertools.product(CASES, ("", "as-gpu"))
    ],
)
def test_both_devices_give_the_same_bits(
    driver: opencl.OpenCLDriver, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """Over sizes of one item, of several, and of more than one piece."""
    with xarr.device(FOUND[0].pretending(*filter(None, [kind]))):
        has_axes = "along" in name or name in ("transposed", "product")
        for size in (40000,) if has_axes else (1000, 5000, 40000):
            results = []
            for small in (NOTHING, EVERYTHING):
                x = xarr.asarray(normal(size))
                xarr.synchronize()
                monkeypatch.setattr(driver, "_small", small)
                result = CASES[name](x)
                assert_was_run(result, inline=small == EVERYTHING, driver=driver)
                results.append(xarr.to_numpy(result))
            assert results[0].dtype == results[1].dtype
            assert results[0].tobytes() == results[1].tobytes()


def assert_was_run(result: xarr.Array, *, inline: bool, driver: opencl.OpenCLDriver) -> None:
    """Compute an array, and see that the queue got work, or none."""
    builder.compute(result._view)
    if inline:
        assert driver._is_idle
    xarr.synchronize()
    assert driver._is_idle


def test_small_work_leaves_the_queue_idle_and_large_work_does_not(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    for size, is_idle in ((1000, True), (1 << 23, False), (1000, True)):
        x = xarr.zeros(size, dtype="float32") + 1
        xarr.synchronize()
        with xarr.eager():
            y = x + 1
        assert driver._is_idle is is_idle
        assert float(y[-1]) == 2
        assert driver._is_idle  # the value was waited for


def test_transcendental_functions_weigh_more(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    x = xarr.zeros(1 << 15) + 1
    xarr.synchronize()
    with xarr.eager():
        added = x + 1
    assert driver._is_idle
    with xarr.eager():
        raised = x**1.7
    assert not driver._is_idle
    assert (float(added[0]), float(raised[0])) == (2, 1)


def test_work_on_few_bytes_leaves_the_queue_idle(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    """A million additions of one byte each are done sooner than handed to threads."""
    for dtype, is_idle in (("int8", True), ("float64", False)):
        x = xarr.zeros(1 << 20, dtype=dtype) + 1
        xarr.synchronize()
        with xarr.eager():
            added = x + x
        assert driver._is_idle is is_idle
        assert float(added[-1]) == 2


def test_small_work_waits_for_large_work_before_it(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    """Nothing is read back in between, so that only the order of the launches counts."""
    ours, theirs = xarr.zeros(1 << 22), np.zeros(1 << 22)
    for turn in range(30):
        for whole in (ours, theirs):
            with xarr.eager():
                whole[:] = whole + 1
                whole[-1000:] *= 2
                whole[:10] = turn
                whole[-1000:] -= 1 + whole[-1000:] // 2
        if turn % 3 == 2:
            assert ours[-1000::100].tolist() == theirs[-1000::100].tolist()
            assert driver._is_idle
    np.testing.assert_array_equal(xarr.to_numpy(ours), theirs)


def test_small_and_large_work_in_any_order(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A random program on one device and on the other by turns, beside NumPy's."""
    random = np.random.default_rng(11)
    monkeypatch.setattr(driver, "_small", 60_000)
    ran = set[bool]()
    theirs: list[Any] = [random.integers(0, 100, size) for size in (10, 1000, 3000, 50_000)]
    ours: list[Any] = [xarr.asarray(values) for values in theirs]
    for _ in range(200):  # each by itself, so that there are few kernels to compile
        target, source = (int(random.integers(0, 4)) for _ in range(2))
        size = min(len(theirs[target]), len(theirs[source]))
        chosen = random.integers(0, 7)
        for x in (ours, theirs):
            with xarr.eager():
                match chosen:
                    case 0:
                        x[target][:size] += x[source][:size]
                    case 1:
                        x[target] = x[target] % 1000 + 3
                    case 2:
                        x[target][:size] = x[source][:size][::-1]
                    case 3:
                        x[target][3] = x[source].sum()
                    case 4:
                        x[target][5:] -= 1
                    case 5:
                        x[target][:size][::2] *= 3
                x[target] %= 1 << 20
            if x is ours:
                ran.add(driver._is_idle)
        if chosen == 6:
            assert int(ours[source][4]) == theirs[source][4]
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(xarr.to_numpy(our), their)
    assert ran == {False, True}


def test_transfers_keep_the_order(driver: opencl.OpenCLDriver) -> None:
    """What is read, written, copied and mapped on the idle device, and behind a launch."""
    text = (
        "__kernel void slow(__global uint *x, const uint n) { uint s = 0;"
        " for (uint i = 0; i < n; i++) s += x[i % 64] + i; x[0] = s; x[1] += 1; }"
    )
    kernel = driver.load(driver.compile(text), "slow")
    x, y = driver.allocate(256), driver.allocate(256)
    for count, work in ((1 << 24, EVERYTHING), (10, 0)) * 3:
        driver.upload(x, 0, np.zeros(64, "u4"))
        driver.synchronize()
        driver.launch(kernel, (1,), (1,), [x], struct.pack("I", count), work)
        assert driver._is_idle is (work == 0)
        driver.copy(x, 0, y, 0, 256)
        driver.upload(x, 4, np.full(1, 7, "u4"))
        out = np.zeros(2, "u4")
        driver.download(y, 4, out)
        assert out.tolist() == [1, 0]
        assert driver._is_idle
        driver.launch(kernel, (1,), (1,), [x], struct.pack("I", count), work)
        with driver.map(x) as mapped:
            assert mapped[4:8].view("u4")[0] == 8
            mapped[4:8].view("u4")[0] = 20
        assert driver._is_idle
        driver.launch(kernel, (1,), (1,), [x], struct.pack("I", count), work)
        driver.download(x, 4, out)
        assert out[0] == 21


def test_a_large_copy_is_waited_for(driver: opencl.OpenCLDriver) -> None:
    kernel = driver.load(driver.compile(ADD_ONE), "add_one")
    nbytes = 64 << 20
    source, target = driver.allocate(nbytes), driver.allocate(nbytes)
    for turn in range(5):
        driver.upload(source, nbytes - 4, np.full(1, turn, "f4"))
        driver.synchronize()
        driver.copy(source, 0, target, 0, nbytes)
        assert not driver._is_idle
        driver.launch(kernel, (nbytes // 4,), (1,), [target], b"", 0)
        out = np.zeros(1, "f4")
        driver.download(target, nbytes - 4, out)
        assert out[0] == turn + 1


def test_what_waits_for_an_event_is_not_small(driver: opencl.OpenCLDriver) -> None:
    event = driver.mark()
    driver.synchronize()
    assert driver._is_idle
    driver.wait(event)
    assert not driver._is_idle
    driver.synchronize()


def test_a_stream_and_small_work_keep_the_order(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    stream = xarr.Stream(pocl_device)
    ours, theirs = xarr.zeros(1 << 22), np.zeros(1 << 22)
    for turn in range(20):
        for whole in (ours, theirs):
            with stream:
                whole[:] = whole + 1
                whole[:5] += whole[-5:]
            first = whole[:5] - 1
            if turn % 2:
                whole[2:4] = 0
            with stream:
                whole[:5] = first // 2
        assert float(ours[-1]) == theirs[-1]
    np.testing.assert_array_equal(xarr.to_numpy(ours), theirs)
    xarr.synchronize()
    assert driver._is_idle
    with stream:
        (xarr.zeros(10) + 1).tolist()
        assert not driver._is_idle  # what others put on a stream may be under way
    xarr.synchronize()
    assert (xarr.zeros(10) + 1).tolist() == [1] * 10
    assert driver._is_idle


def test_an_event_is_behind_small_work(pocl_device: xarr.Device) -> None:
    begin, end = xarr.Event(), xarr.Event()
    begin.record()
    x = xarr.zeros(1000) + 1
    end.record()
    assert begin.elapsed_ms(end) >= 0
    end.wait()
    assert x.sum().tolist() == 1000


def test_threads_share_both_devices(pocl_device: xarr.Device) -> None:
    failures = list[int]()

    def work(size: int) -> None:
        with xarr.device(pocl_device):
            ends = []
            for first in (xarr.arange(size) % 7, np.arange(size) % 7):
                x: Any = first
                for _ in range(60):
                    x = (x * 3 + x[::-1]) % 1001
                    int(x[0])
                ends.append(x.tolist())
            if ends[0] != ends[1]:
                failures.append(size)

    together(*(partial(work, size) for size in (50, 1000, 300_000, 60)))
    assert not failures


def test_a_queue_of_the_hidden_device_is_refused(
    driver: opencl.OpenCLDriver, pocl_device: xarr.Device
) -> None:
    with pytest.raises(ValueError, match="a queue of another"):
        xarr.Stream(pocl_device, pointer=driver._inline.int_ptr)


def test_binaries_of_another_form_leave_the_device_unused(
    driver: opencl.OpenCLDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A PoCL that labels its binaries otherwise."""
    binary = driver.compile(ADD_ONE)
    (found,) = [
        entry
        for entry in opencl_devices.discover().devices
        if entry.info.target == driver.info.target
    ]
    monkeypatch.setattr(pocl, "label", lambda device: bytes(8))
    other = found.open()
    assert isinstance(other, opencl.OpenCLDriver)
    assert other._inline is not None
    for turn in range(2):
        kernel = other.load(binary if turn else other.compile(ADD_ONE), "add_one")
        x = other.allocate(40)
        other.upload(x, 0, np.arange(10, dtype="f4"))
        other.launch(kernel, (10,), (1,), [x], b"", 0)
        out = np.zeros(10, "f4")
        other.download(x, 0, out)
        assert out.tolist() == [*range(1, 11)]
        assert other._inline is None


ADD_ONE = "__kernel void add_one(__global float *x) { x[get_global_id(0)] += 1; }"


def test_a_kernel_is_loaded_for_either_device_from_either(driver: opencl.OpenCLDriver) -> None:
    binary = driver.compile(ADD_ONE + "//" + "anew")
    compiled = driver.load(binary, "add_one")
    driver.compile(ADD_ONE)  # so that the other is no longer kept
    x = driver.allocate(40)
    driver.upload(x, 0, np.zeros(10, "f4"))
    driver.synchronize()
    kernels = [compiled, driver.load(binary, "add_one"), driver.load(binary, "add_one")]
    for kernel, works in zip(kernels, ((0, math.inf), (math.inf, 0), (0, math.inf)), strict=True):
        for work in works:
            driver.launch(kernel, (10,), (1,), [x], b"", work)
            driver.synchronize()
    out = np.zeros(10, "f4")
    driver.download(x, 0, out)
    assert out.tolist() == [6] * 10


def test_labels() -> None:
    class Device:
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic "

    label = pocl.label(Device())
    assert label.hex() == "c0db09e49c56aa49"
    binary = b"poclbin\0" + label + b"content"
    assert pocl.relabelled(binary, label, b"12345678") == b"poclbin\0" + b"12345678content"
    assert pocl.relabelled(binary, b"12345678", label) is None
    assert pocl.relabelled(b"\x7fELF" + binary, label, label) is None


def test_another_pocl_keeps_its_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POCL_DEVICES", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    files = [tmp_path / "intel.icd", tmp_path / "pocl.icd", tmp_path / "absent.icd"]
    files[0].write_text("libintelocl.so\n")
    files[1].write_text("/usr/lib/x86_64-linux-gnu/libpocl.so.2.12.0\n")
    assert pocl.with_inline([files[0], files[2]]) == {"POCL_DEVICES": "pthread basic"}
    assert pocl.with_inline(files) == {}
    monkeypatch.setenv("POCL_DEVICES", "pthread")
    assert pocl.with_inline([]) == {}
    monkeypatch.delenv("POCL_DEVICES")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert pocl.with_inline([]) == {}


LISTED = """
    {before}
    import xarr, numpy as np
    found = [d for d in xarr.devices() if d.info.platform == "Portable Computing Language"]
    with xarr.device(found[0]):
        x = xarr.arange(1000) * 2
        assert int(x.sum()) == 999000
        large = xarr.ones(1 << 22) + 1
        assert float(large.sum()) == 1 << 23
    driver = found[0].driver
    print(len(found), [d.name.split("-")[0] for d in found], driver._inline is not None)
"""


@pytest.mark.parametrize(
    ("before", "variables", "said"),
    [
        (
            "import pyopencl",
            {"POCL_WORK_GROUP_SPECIALIZATION": "1", "POCL_KERNEL_CACHE": "0"},
            "1 ['pthread'] True",
        ),
        ("", {"XARR_INLINE": "0"}, "1 ['pthread'] False"),
        ("", {"POCL_DEVICES": "pthread"}, "1 ['pthread'] False"),
        ("", {"POCL_DEVICES": "basic"}, "1 ['basic'] False"),
        ("", {"POCL_DEVICES": "pthread basic"}, "2 ['basic', 'pthread'] False"),
        (
            "import pyopencl; [p.get_devices() for p in pyopencl.get_platforms()]",
            {},
            "1 ['pthread'] False",
        ),
    ],
)
def test_the_second_device_is_hidden(
    driver: opencl.OpenCLDriver, before: str, variables: dict[str, str], said: str
) -> None:
    done = run_code(LISTED.format(before=before), **variables)
    assert done.stdout.strip() == said, done.stderr
