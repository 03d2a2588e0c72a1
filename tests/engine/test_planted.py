"""Random programs find the bugs that are planted in the engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tools.planted import LIMIT_S, PLANTS, hunt


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(name: str, record_property: Callable[[str, object], None]) -> None:
    found = hunt(name, LIMIT_S - 30)
    record_property("steps", found.steps)
    record_property("elapsed_s", found.elapsed_s)
    assert found.what, f"{found.steps} steps found nothing"
    assert "_Forgetful" not in found.what, "the core refused the plant"
