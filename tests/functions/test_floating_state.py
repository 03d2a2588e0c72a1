"""What is set about floating-point errors is NumPy's state."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy
import pytest

import xarr
from xarr.functions.elementwise import floating_state


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(floating_state._Told, "once", False)
    before, size = numpy.geterr(), numpy.getbufsize()
    yield
    numpy.seterr(**before)
    numpy.setbufsize(size)


def test_the_state_is_numpys() -> None:
    assert xarr.geterr() == numpy.geterr()
    before = xarr.seterr("ignore", over="print")
    assert before["divide"] == "warn"
    assert numpy.geterr() == {
        "divide": "ignore",
        "over": "print",
        "under": "ignore",
        "invalid": "ignore",
    }
    numpy.seterr(**before)
    assert xarr.seterrcall(None) is None
    assert xarr.geterrcall() is None
    assert xarr.setbufsize(4096) == numpy.getbufsize() * 2
    assert xarr.getbufsize() == 4096
    with pytest.raises(ValueError, match="bad"):
        xarr.seterr(all="bad")


def test_errstate_ends_with_its_block() -> None:
    with xarr.errstate(divide="ignore", invalid="ignore"):
        assert numpy.geterr()["divide"] == "ignore"
        assert xarr.isnan(xarr.zeros(2) / 0).all()
    assert numpy.geterr()["divide"] == "warn"

    @xarr.errstate(all="ignore")
    def depth(times: int) -> int:
        assert numpy.geterr()["over"] == "ignore"
        return depth(times - 1) + 1 if times else 0

    assert depth(3) == 3
    assert numpy.geterr()["over"] == "warn"


def test_programs_that_count_on_exceptions_are_told_once() -> None:
    with (
        pytest.warns(xarr.FloatingPointStateWarning, match="isfinite") as caught,
        xarr.errstate(divide="raise"),
    ):
        assert xarr.isinf(xarr.ones(1) / 0).all()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xarr.seterr(all="raise")
        with xarr.errstate(all="warn"):
            pass
