"""The forms of kernels: what a CPU takes, and what a GPU takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import xarr
from xarr.runtime import host_functions


@pytest.fixture(params=["usual", "as-gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU; kernels alone."""
    device = xarr.default_device()
    if request.param == "as-gpu":
        if not device.info.loop_per_item:
            pytest.skip("the device takes the group form")
        device = device.pretending("as-gpu")
    with xarr.device(device), host_functions.fused():
        device.synchronize()  # what others asked for
        yield device
