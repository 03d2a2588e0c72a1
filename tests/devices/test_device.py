"""Devices, their names, and which is the default."""

from __future__ import annotations

import pickle
import re

import pytest

import xarr
from tests.launching import together
from tests.processes import run, run_code
from xarr import memo
from xarr.__main__ import info
from xarr.backends.base import DeviceInfo
from xarr.backends.device import (
    BACKENDS,
    Device,
    default_device,
    device,
    devices,
    get_device,
    problems,
)
from xarr.settings import Settings


def test_devices_are_numbered_from_zero_and_stay_the_same() -> None:
    found = devices()
    assert [str(one) for one in found] == [f"{one.backend}:{one.index}" for one in found]
    assert found[0].index == 0
    assert all(one is other for one, other in zip(found, devices(), strict=True))
    assert set(problems()) == set(BACKENDS)


def test_get_device_takes_names_kinds_devices_and_none() -> None:
    first, last = devices()[0], devices()[-1]
    for spec in (f"{first.backend}:0", first.backend, f" {first.backend}:0 ", first.kind, first):
        assert get_device(spec) is first
    assert get_device(last) is last
    assert get_device(None) is default_device()
    assert repr(first) == f"<Device {str(first)!r}: {first.name}>"
    with pytest.raises(TypeError, match=r"get_device\(spec\): the device is 3"):
        get_device(3)  # type: ignore[arg-type]


def test_a_device_is_the_default_one_in_any_number_of_blocks() -> None:
    before = default_device()
    chosen = device(f"{before}?as-gpu")
    assert chosen is get_device(f"{before}?as-gpu")
    assert device() is before
    for _ in range(2):
        with chosen, before, chosen as entered:
            assert default_device() is entered is chosen
        assert default_device() is before
    with pytest.raises(KeyError), chosen:
        raise KeyError
    with pytest.raises(ValueError, match=r"device\(spec\)"), device("opencl:99"):
        pass
    assert default_device() is before
    first, second = [chosen.pretending("no-float64"), chosen]
    first.__enter__()  # as generators do, whose blocks overlap
    second.__enter__()
    first.__exit__()
    second.__exit__()
    assert default_device() is before


@pytest.mark.parametrize(
    "spec", ["opencl:99", "nothing", "", "opencl:0?fast", "opencl:0?", "opencl:0?as-cpu"]
)
def test_an_unknown_device_is_an_error_that_lists_those_there_are(spec: str) -> None:
    with pytest.raises(ValueError, match=r"zeros\(device\): there is no device") as raised:
        get_device(spec, where="zeros(device)")
    assert all(repr(str(one)) in str(raised.value) for one in devices())


def test_devices_that_pretend() -> None:
    plain = devices()[0]
    narrow = plain.pretending("no-float64")
    assert not narrow.has_float64
    assert str(narrow) == f"{plain}?no-float64"
    assert get_device(str(narrow)) is narrow
    assert plain.pretending("no-float64") is narrow
    assert narrow.pretending("no-float64") is narrow
    assert narrow != plain
    assert narrow.driver is plain.driver
    assert narrow.lock is plain.lock
    assert narrow.kernels is not plain.kernels
    gpu = get_device(f"{plain}?no-float64&as-gpu")
    assert (gpu.kind, gpu.has_float64) == ("gpu", False)
    assert gpu is narrow.pretending("as-gpu") is plain.pretending("as-gpu").pretending("no-float64")
    assert get_device(str(gpu)) is gpu


def test_a_device_survives_pickling() -> None:
    for one in (devices()[0], devices()[0].pretending("no-float64")):
        assert pickle.loads(pickle.dumps(one)) is one
        assert hash(one) == hash(pickle.loads(pickle.dumps(one)))


def test_the_default_belongs_to_the_thread() -> None:
    seen: list[Device] = []
    with device(devices()[0].pretending("no-float64")):
        together(lambda: seen.append(default_device()))
    assert seen == [default_device()]


def test_memory_info_and_synchronize() -> None:
    one = devices()[0]
    one.synchronize()
    info = one.memory_info()
    names = ("total", "free", "used", "held", "peak")
    assert set(info) == {f"{name}_nbytes" for name in names}
    assert 0 < one.memory.free <= one.memory.total
    assert info["total_nbytes"] == one.memory_nbytes


def test_the_environment_names_the_default_and_importing_loads_no_backend() -> None:
    code = """
    import sys, xarr.cache
    from xarr.backends.device import default_device
    print("pyopencl" in sys.modules, default_device())
    """
    done = run_code(code, XARR_DEVICE="opencl:0?no-float64")
    assert done.stdout.split() == ["False", "opencl:0?no-float64"], done.stderr
    done = run_code(code, XARR_DEVICE="opencl:99")
    assert "ValueError: XARR_DEVICE: there is no device 'opencl:99'" in done.stderr


def test_the_command_line_describes_devices() -> None:
    done = run("-m", "xarr", "info")
    assert done.returncode == 0, done.stderr
    for one in devices():
        assert str(one) in done.stdout
        assert one.name in done.stdout
    assert f"default device   {default_device()!r}" in done.stdout
    assert "kernel cache" in done.stdout


def test_what_is_remembered_is_listed() -> None:
    for _ in range(12):
        xarr.concat([xarr.sum(xarr.arange(3.0)[1:] + 1)[None], xarr.sin(xarr.arange(5.0))]).tolist()
    wanted = {"CallCache.recordings", "Device.structures", "Structure.remembered", "opcode_of"}
    wanted |= {"Reduction.transitions", "ResolvedRow.pairs", "ir.operation.interned"}
    assert wanted <= {one.name for one in memo.tables()}
    assert "\n  ResolvedRow.pairs " in info()


def test_info_is_plain_data() -> None:
    about = devices()[0].info
    assert {type(getattr(about, name)) for name in DeviceInfo.__slots__} <= {str, int, bool}


@pytest.mark.parametrize(
    ("value", "eager"), [("1", True), ("0", False), ("", False), ("true", True), ("off", False)]
)
def test_settings(value: str, eager: bool) -> None:
    inline = eager or not value  # which is on where nothing is said
    assert Settings.read({"XARR_INLINE": value}).inline is inline
    read = Settings.read({"XARR_EAGER": value, "XARR_CACHE_DIR": "", "XARR_DEVICE": "cpu"})
    assert read == Settings(device="cpu", cache_dir=None, eager=eager, dump_source=None)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("XARR_EAGER", "maybe", "it must be one of 1, true, yes, on, 0, false, no, off"),
        ("XARR_INLINE", "2", "it must be one of 1, "),
        ("XARR_PURE", "ja", "it must be one of 1, "),
        ("XARR_REPRODUCIBLE", "01", "it must be one of 1, "),
        ("XARR_RANDOM", "Numpy", "it must be numpy, or unset"),
        ("XARR_TIERS", "eager", "it must be fused or hosted, or unset"),
        ("XARR_THREADS", "0", "it must be an integer, 1 or more"),
        ("XARR_THREADS", "1.5", "it must be an integer, 1 or more"),
        ("XARR_CC_FLAGS", "'", "it must be a shell's words"),
    ],
)
def test_settings_without_a_meaning_are_refused(name: str, value: str, accepted: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: it is .*; {re.escape(accepted)}"):
        Settings.read({name: value})
