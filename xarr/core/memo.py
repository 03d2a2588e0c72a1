"""Remember values in dictionaries that have a bound."""

from __future__ import annotations

from typing import Any

from xarr import tuning


def remembered(found: dict[Any, Any], key: Any, value: Any) -> Any:
    """Keep a value in a dictionary and return it; one that is full is emptied first."""
    if len(found) >= tuning.REMEMBERED:
        found.clear()
    found[key] = value
    return value
