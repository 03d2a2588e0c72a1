"""What tests of functions run on."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator

import pytest

import xarr
from tests.conftest import TIERS
from tests.launching import change

EVERY = 6
"""One of so many calls of a table runs by kernels alone, which take long to compile."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the other calls by kernels alone to `make nightly`, where users have another tier."""
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        kernels = given.get("each_tier") == TIERS[0] or given.get("form") == "as-gpu"
        is_table = len(TIERS) > 1 and "call" in given
        if kernels and is_table and zlib.crc32(item.nodeid.encode()) % EVERY:
            item.add_marker(pytest.mark.nightly)


@pytest.fixture(params=["", "as-gpu"], ids=["library", "kernels"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU."""
    device = xarr.default_device().pretending(*filter(None, [request.param]))
    with xarr.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore", xarr.HostFallbackWarning)
        yield device


@pytest.fixture(params=["in order", "by election"])
def scattering(request: pytest.FixtureRequest, device: xarr.Device) -> Iterator[xarr.Device]:
    """A device that scatters as a CPU does, one element after the other, and as a GPU does."""
    if request.param == "in order":
        if not device.info.loop_per_item:
            pytest.skip("the device scatters by election")
        yield device
        return
    with pytest.MonkeyPatch.context() as patch:
        change(patch, device, kind="gpu")
        yield device
