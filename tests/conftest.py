"""The devices that tests run on: one of each driver that is found, or the one XARR_DEVICE names."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Generator, Iterator

import hypothesis
import pytest

import xarr
from tests.comparing import is_on
from xarr import dtypes
from xarr.backends import base
from xarr.ops import vendor
from xarr.runtime import host_functions
from xarr.scheduler import verify
from xarr.settings import settings

# JAX would take three quarters of a GPU's memory in each process of the tests.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

# Kernels are what tests of the engine, of kernels and of devices are about. Those of functions run
# as users' programs do, without XARR_TIERS, where `fused` does not say otherwise. The processes of
# a run inherit what was asked for.
OF_FUNCTIONS = ("functions", "conformance", "adapters", "transforms")
ASKED = os.environ.setdefault("XARR_TIERS_OF_FUNCTIONS", os.environ.get("XARR_TIERS", ""))
host_functions.tier.name = os.environ.setdefault("XARR_TIERS", "fused")
verify.switch.is_on = os.environ.setdefault("XARR_VERIFY", "1") == "1"

hypothesis.settings.register_profile(
    "xarr",
    deadline=None,  # the first example of a kernel compiles it
    derandomize=True,  # the same kernels each time, so that a warm cache holds them
    max_examples=40,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("xarr")


def _devices() -> list[xarr.Device]:
    if settings().device is not None:
        return [xarr.default_device()]
    drivers = dict[tuple[str, str], xarr.Device]()
    for found in xarr.devices():
        drivers.setdefault((found.backend, found.info.platform), found)
    if drivers.get(
        ("cpu", "C")
    ):  # PoCL is for machines without a compiler, and has a job of its own
        drivers.pop(("opencl", "Portable Computing Language"), None)
    return list(drivers.values())


DEVICES = _devices()


def pytest_configure(config: pytest.Config) -> None:
    """Let the host compute what a GPU has no library for; on a CPU that would be a fault."""
    if not vendor.runs_on_numpy(DEVICES[0]):
        config.addinivalue_line("filterwarnings", "ignore::xarr.errors.HostFallbackWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what is slow run last, with the kernels of the others on disk."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


def pytest_collection_finish() -> None:
    """Let collections of garbage, which many tests ask for, pass over modules and test items."""
    # Its first run looks who refers to its random numbers; on 3.14 what is frozen is not found.
    hypothesis.given(hypothesis.strategies.none())(lambda _: None)()
    gc.collect()
    gc.freeze()


TIERS = [host_functions.tier.name]
if TIERS == ["fused"] and DEVICES[0].info.host_addressable:
    TIERS.append("")  # what users have

NARROW = [] if DEVICES[0].options else [DEVICES[0].pretending("no-float64")]


def _entered(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    with xarr.device(request.param) as chosen:
        yield chosen


@pytest.fixture(params=DEVICES, ids=lambda found: f"{found}-{found.info.platform.split()[0]}")
def device(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """Each driver's first device, as the default device."""
    yield from _entered(request)


@pytest.fixture(params=[*DEVICES, *NARROW], ids=str)
def any_device(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """As `device`, and the first of them once more as one that has no float64."""
    yield from _entered(request)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Skip a test of what the device's driver lacks: its method is the one of `base.Driver`."""
    try:
        return (yield)
    except RuntimeError as error:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        if frames[-1].f_code.co_filename == base.__file__ and "the driver has no" in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture
def has_dtype(request: pytest.FixtureRequest) -> None:
    """Skip a test whose parameter `dtype` is a data type that its device lacks."""
    name = next((one for one in ("device", "any_device") if one in request.fixturenames), None)
    found = request.getfixturevalue(name) if name else xarr.default_device()
    dtype = request.node.callspec.params.get("dtype") if hasattr(request.node, "callspec") else None
    if dtype is not None and not is_on(found, dtypes.lookup(str(dtype))):
        pytest.skip(f"{found} has no {dtype}")


@pytest.fixture(autouse=True)
def tier_of_functions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.path.parent.name in OF_FUNCTIONS:
        monkeypatch.setattr(host_functions.tier, "name", ASKED)


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", TIERS[0])


@pytest.fixture(params=TIERS, ids=lambda name: name or "mixed")
def each_tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels alone, then whatever is there first, as without XARR_TIERS."""
    monkeypatch.setattr(host_functions.tier, "name", request.param)
