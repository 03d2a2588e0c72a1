"""Random programs find the bugs that are planted in the engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.comparing import nightly
from tools.planted import LIMIT_S, PLANTS, hunt

LATE = ("data types are apart", "small work overtakes large", "threads do not wait for each other")
"""They are found after a minute; each of the others within seconds."""
USUAL = [one for one in PLANTS if one not in LATE][::4]
"""A quarter of them, for each run; `make nightly` hunts them all."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*USUAL, *nightly(*(one for one in PLANTS if one not in USUAL))])
def test_a_planted_bug_is_found(name: str, record_property: Callable[[str, object], None]) -> None:
    found = hunt(name, LIMIT_S - 30)
    record_property("steps", found.steps)
    record_property("elapsed_s", found.elapsed_s)
    assert found.what, f"{found.steps} steps found nothing"
    assert "_Forgetful" not in found.what, "the core refused the plant"
