"""What tests of functions run on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

import xarr


@pytest.fixture(params=["", "as-gpu"], ids=["library", "kernels"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU."""
    device = xarr.default_device().pretending(*filter(None, [request.param]))
    with xarr.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore", xarr.HostFallbackWarning)
        yield device
