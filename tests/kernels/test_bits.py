"""Every device has the bits that stand in `bits.json`."""

from __future__ import annotations

import json

import pytest

import xarr
from tools import bits


def test_every_case_has_its_bits() -> None:
    assert set(json.loads(bits.FILE.read_text())) == set(bits.cases())


@pytest.mark.slow
def test_the_bits_are_those_of_every_device(device: xarr.Device) -> None:
    wanted = json.loads(bits.FILE.read_text())
    # On a CPU a compilation takes long, so there it is a part of the cases.
    basic = device.kind == "cpu"
    digests = bits.found(device, basic=basic)
    differing = [name for name, value in digests.items() if wanted.get(name) != value]
    assert not differing
    assert set(digests) == set(bits.cases(device.has_float64, basic=basic)) <= set(wanted)
    assert len(digests) > 100
