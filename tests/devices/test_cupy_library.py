"""That CuPy's libraries are there, so that no test passes because the host computed a value."""

from __future__ import annotations

import numpy as np
import pytest

import xarr
from xarr.backends.cupy_library import NAMES

REAL_GIVEN = ("fft.rfft", "fft.rfftn", "fft.ihfft")


@pytest.mark.parametrize("name", NAMES)
def test_every_routine_is_there(name: str, device: xarr.Device) -> None:
    if device.backend != "cupy":
        pytest.skip(f"{device} is not CuPy's")
    dtype = np.dtype("c8" if name.startswith("fft.") and name not in REAL_GIVEN else "f4")
    assert device.driver.routine(name, dtype) is not None
