"""What a library asks of NumPy's own class alone, put right while a program runs with xarr."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy


def adapt() -> bool:
    """Let Matplotlib shade what a program gives it; whether Matplotlib's colours are there.

    `LightSource.hillshade` views a NumPy array as the type of its argument, which has to be a
    subclass of NumPy's. So it is given NumPy's array of the values.
    """
    colors: Any = sys.modules.get("matplotlib.colors")
    source = getattr(colors, "LightSource", None)
    if source is None:
        return False
    hillshade = source.hillshade

    @functools.wraps(hillshade)
    def of_values(self: Any, elevation: Any, *args: Any, **kwargs: Any) -> Any:
        return hillshade(self, numpy.asarray(elevation), *args, **kwargs)

    source.hillshade = of_values
    return True
