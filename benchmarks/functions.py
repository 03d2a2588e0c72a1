"""All elementwise functions on CPUs: nanoseconds of processors an element, beside NumPy's."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import timing

if TYPE_CHECKING:
    from xarr.backends.device import Device

SIZE = 1 << 20
DTYPES = ("float32", "float64", "complex128")
NUMPY = "numpy"


@dataclass(frozen=True, slots=True)
class Figure:
    """What a function of a data type took with a library or on a device."""

    function: str
    dtype: str
    where: str
    ns: float


def measured(
    devices: Sequence[Device], repeats: int, progress: Callable[[str], None]
) -> Iterator[Figure]:
    """Measure by turns, where a function takes the data type: NumPy, then each device."""
    import xarr
    from xarr.ops import elementwise

    draw = np.random.default_rng(0)
    for dtype in DTYPES:
        hosts = [draw.uniform(0.1, 0.9, SIZE).astype(dtype) for _ in range(2)]
        if dtype == "complex128":
            hosts = [host + 1j * host[::-1] for host in hosts]
        placed = {device: [xarr.asarray(x, device=device) for x in hosts] for device in devices}
        for row in elementwise.TABLE:
            function: Any = getattr(xarr, row.name, None)
            if function is None or not 1 <= row.operands <= 2:
                continue
            progress(f"{row.name}, {dtype}")
            works: dict[str, Callable[[], float]] = {}
            known = getattr(np, row.name, None)
            if known is not None and _takes(known, [x[:2] for x in hosts[: row.operands]]):
                works[NUMPY] = _work(known, hosts[: row.operands], lambda _: None)
            for device, operands in placed.items():
                given = operands[: row.operands]
                if _takes(function, [x[:2] for x in given]):
                    works[str(device)] = _work(function, given, xarr.synchronize)
            if len(works) > (NUMPY in works):
                for where, found in timing.interleaved(works, repeats).items():
                    yield Figure(row.name, dtype, where, min(found) / SIZE * 1e9)


def _takes(function: Any, operands: Sequence[Any]) -> bool:
    """Whether a function takes operands of a data type."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*operands)
    except TypeError:
        return False
    return True


def _work(
    function: Any, operands: Sequence[Any], wait: Callable[[Any], object]
) -> Callable[[], float]:
    def work() -> float:
        begin = time.process_time()
        wait(function(*operands))
        return time.process_time() - begin

    return work


def lines(figures: Sequence[Figure]) -> list[str]:
    """A line for each function and data type, and the means over all."""
    places = list(dict.fromkeys(one.where for one in figures))
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for one in figures:
        rows.setdefault((one.function, one.dtype), {})[one.where] = one.ns
    made = ["", f"{SIZE:,} elements, nanoseconds of processors an element"]
    made.append(f"{'':30}" + "".join(f"{place:>12}" for place in places))
    for (function, dtype), found in rows.items():
        cells = (f"{found[place]:12.2f}" if place in found else f"{'':12}" for place in places)
        made.append(f"{function:17}{dtype:13}" + "".join(cells))
    for place in places:
        pairs = [row[place] / row[NUMPY] for row in rows.values() if {NUMPY, place} <= row.keys()]
        if pairs and place != NUMPY:
            mean = float(np.exp(np.mean(np.log(pairs))))
            made.append(f"{place}: {mean:.2f} times NumPy's time, in the geometric mean")
    return made


def document(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The figures as JSON has them."""
    return [asdict(one) for one in figures]
