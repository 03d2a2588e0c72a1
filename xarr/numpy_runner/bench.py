"""``python -m xarr bench``: compare the default device with NumPy, in half a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy

from xarr.backends.device import default_device
from xarr.codegen import compile_worker
from xarr.functions.create.creation import asarray
from xarr.functions.names.inspection import synchronize

ROWS: Final[dict[str, Callable[[Any, Any, Any], Any]]] = {
    "x + y": lambda xp, x, y: x + y,
    "(x*y + x)*x - y": lambda xp, x, y: (x * y + x) * x - y,
    "exp(-x*x) * sin(y)": lambda xp, x, y: xp.exp(-x * x) * xp.sin(y),
    "where(x > y, x, -y)": lambda xp, x, y: xp.where(x > y, x, -y),
    "sum(x * y)": lambda xp, x, y: xp.sum(x * y),
    "std(x, axis=0)": lambda xp, x, y: xp.std(x, axis=0),
    "softmax of rows": lambda xp, x, y: _softmax(xp, x),
    "five-point stencil": lambda xp, x, y: (
        x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]
    ),
    "cumsum(x, axis=1)": lambda xp, x, y: xp.cumsum(x, axis=1),
    "sort(x, axis=1)": lambda xp, x, y: xp.sort(x, axis=1),
    "x.T + y": lambda xp, x, y: x.T + y,
    "x[x > y]": lambda xp, x, y: x[x > y],
    "x @ y": lambda xp, x, y: x @ y,
    "fft(x)": lambda xp, x, y: xp.fft.fft(x),
}
SIDES: Final = (2048, 32)
"""The rows and columns of a large and a small array."""
SECONDS: Final = 1.0
"""For a row, of each size; at least two rounds are measured."""


class Timing(NamedTuple):
    """The shortest times of a row in seconds, and whether both results agree."""

    name: str
    numpy_s: float
    xarr_s: float
    agrees: bool


def _softmax(xp: Any, x: Any) -> Any:
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)


def timings(side: int, seconds: float) -> list[Timing]:
    """The rows for two square arrays of float32; NumPy and xarr take turns."""
    random = numpy.random.default_rng(0)
    hosts = [random.standard_normal((side, side), dtype="float32") for _ in range(2)]
    operands: tuple[list[Any], ...] = (hosts, [asarray(host) for host in hosts])
    found = []
    for name, row in ROWS.items():
        for _ in range(3):
            wanted, given = [numpy.asarray(row(x.__array_namespace__(), x, y)) for x, y in operands]
        compiled = compile_worker.submit(lambda: None)
        while not compiled.is_done:  # as are all kernels that were asked for before
            time.sleep(0.001)
        least = [float("inf"), float("inf")]
        end = time.perf_counter() + seconds
        rounds = 0
        while rounds < 2 or time.perf_counter() < end:
            for which, (x, y) in enumerate(operands):
                space = x.__array_namespace__()
                begun = time.perf_counter()
                result = row(space, x, y)
                if which:
                    synchronize(result)
                least[which] = min(least[which], time.perf_counter() - begun)
            rounds += 1
        agrees = numpy.allclose(given, wanted, rtol=1e-3, atol=1e-3 * abs(wanted).max())
        found.append(Timing(name, least[0], least[1], agrees))
    return found


def report(picture: Path, seconds: float) -> tuple[list[str], bool]:
    """A table for each size, and where the picture is; False where a result is wrong."""
    lines = [f"{default_device()!r} beside NumPy {numpy.__version__}, float32"]
    tables = {side: timings(side, seconds) for side in SIDES}
    for side, rows in tables.items():
        unit, factor = ("ms", 1e3) if side > 1000 else ("us", 1e6)
        lines += ["", f"{f'{side} x {side}':<22}{'NumPy':>10}{'xarr':>10}{'times as fast':>18}"]
        lines += [
            f"{row.name:<22}{factor * row.numpy_s:>7.2f} {unit}{factor * row.xarr_s:>7.2f} {unit}"
            f"{row.numpy_s / row.xarr_s:>18.2f}{'' if row.agrees else '  WRONG'}"
            for row in rows
        ]
    return [*lines, "", _draw(picture, tables)], all(r.agrees for t in tables.values() for r in t)


def _draw(picture: Path, tables: dict[int, list[Timing]]) -> str:
    """Draw how many times as fast xarr is."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "a picture needs matplotlib: pip install matplotlib"
    figure = Figure(figsize=(10, 5), layout="constrained")
    for axes, (side, rows) in zip(figure.subplots(1, 2, sharey=True), tables.items(), strict=True):
        axes.barh(
            [row.name for row in rows], [row.numpy_s / row.xarr_s - 1 for row in rows], left=1
        )
        axes.set(xscale="log", title=f"{side} x {side}", xlabel="times as fast as NumPy")
        axes.axvline(1, color="black")
    axes.invert_yaxis()
    figure.savefig(picture)
    return f"picture: {picture}"
