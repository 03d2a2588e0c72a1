"""What tests of functions run on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

import xarr
from tests.launching import change


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
