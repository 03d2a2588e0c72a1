"""Steps of programs, replayed by `jit`: xarr plain and jitted beside jitted JAX, taking turns.

``python -m benchmarks.steps [--device D] [--scale S]``. A round makes a step many times, and waits
for the last result; a step's time is the round's part of it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy

from benchmarks.libraries import Library, open_libraries
from benchmarks.timing import Timing, interleaved

State = tuple[Any, ...]

_DIRECTIONS: Final = [
    (0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)
]  # fmt: skip
_WEIGHTS: Final = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
_OPPOSITE: Final = [0, 3, 4, 1, 2, 7, 8, 5, 6]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a program.

    begin : function of a size to a tuple of NumPy arrays -- The state.
    step : function of a library and the state to a new state, or that writes to the state
    of_jax : function or None -- The step for libraries without writes, where it is another one.
    """

    name: str
    size: int
    begin: Callable[[int], State]
    step: Callable[..., Any]
    of_jax: Callable[..., Any] | None = None


def _random(*shape: int) -> Any:
    return numpy.random.default_rng(0).random(shape, dtype=numpy.float32)


def air(n: int) -> State:
    """Return densities of flowing air on n x n cells, in nine directions, and where it is solid."""
    y, x = numpy.meshgrid(numpy.arange(n), numpy.arange(n), indexing="ij")
    solid = (x - 0.3 * n) ** 2 + (y - 0.5 * n) ** 2 < (0.12 * n) ** 2
    wiggle = 1 + 0.01 * numpy.sin(2 * math.pi * y / n)
    moved = zip(_WEIGHTS, _DIRECTIONS, strict=True)
    flow = [weight * (1 + 0.3 * cx * wiggle) for weight, (cx, _) in moved]
    return (*[one.astype(numpy.float32) for one in flow], solid)


def lattice_boltzmann(np: Any, *state: Any) -> State:
    """Return the next state of the air."""
    *f, solid = state
    f = [
        np.roll(np.roll(one, cx, axis=1), cy, axis=0)
        for one, (cx, cy) in zip(f, _DIRECTIONS, strict=True)
    ]
    density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8]
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
    square = 1.5 * (ux * ux + uy * uy)
    found = []
    for i, (cx, cy) in enumerate(_DIRECTIONS):
        along = 3 * (cx * ux + cy * uy)
        rest = _WEIGHTS[i] * density * (1 + along + 0.5 * along * along - square)
        found.append(np.where(solid, f[_OPPOSITE[i]], f[i] + (rest - f[i]) / 0.7))
    return (*found, solid)


def _attractor(n: int) -> State:
    return tuple(_random(3, n) + numpy.float32(1))


def _lorenz(np: Any, *state: Any) -> State:
    dt = 0.001

    def rate(x: Any, y: Any, z: Any) -> State:
        return 10.0 * (y - x), x * (28.0 - z) - y, x * y - (8 / 3) * z

    a = rate(*state)
    b = rate(*[p + dt / 2 * q for p, q in zip(state, a, strict=True)])
    c = rate(*[p + dt / 2 * q for p, q in zip(state, b, strict=True)])
    d = rate(*[p + dt * q for p, q in zip(state, c, strict=True)])
    rates = zip(state, a, b, c, d, strict=True)
    return tuple(p + dt / 6 * (q + 2 * r + 2 * s + t) for p, q, r, s, t in rates)


def _fields(n: int) -> State:
    return tuple(_random(3, n, n))


def _fdtd(np: Any, ex: Any, ey: Any, hz: Any) -> None:
    ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def _fdtd_of_jax(np: Any, ex: Any, ey: Any, hz: Any) -> State:
    ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
    ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
    inner = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
    return ex, ey, hz.at[:-1, :-1].add(-0.7 * inner)


def _many_fdtd(np: Any, ex: Any, ey: Any, hz: Any) -> None:
    for _ in range(1000):
        _fdtd(np, ex, ey, hz)


def _many_fdtd_of_jax(np: Any, ex: Any, ey: Any, hz: Any) -> Any:
    import jax

    def body(_: int, state: State) -> State:
        return _fdtd_of_jax(np, *state)

    return jax.lax.fori_loop(0, 1000, body, (ex, ey, hz))


def _wave(n: int) -> State:
    x = numpy.linspace(-10, 10, n)
    k = 2 * math.pi * numpy.fft.fftfreq(n, 20 / n)
    psi = numpy.exp(-(x**2)) * numpy.exp(1j * x)
    kinetic = numpy.exp(-0.5j * 0.01 * k**2)
    return tuple(one.astype(numpy.complex64) for one in (psi, kinetic))


def _split_step(np: Any, psi: Any, kinetic: Any) -> State:
    size = np.abs(psi)
    psi = psi * np.exp(-0.01j * size * size)
    return np.fft.ifft(kinetic * np.fft.fft(psi)), kinetic


def _cells(n: int) -> State:
    cells = numpy.zeros((n + 2, n + 2), numpy.int8)
    cells[1:-1, 1:-1] = _random(n, n) < 0.4
    return (cells,)


def _alive(cells: Any) -> Any:
    around = (
        cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:]
        + cells[1:-1, :-2] + cells[1:-1, 2:]
        + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
    )  # fmt: skip
    return (around == 3) | ((cells[1:-1, 1:-1] == 1) & (around == 2))


def _life(np: Any, cells: Any) -> None:
    cells[1:-1, 1:-1] = _alive(cells)


def _life_of_jax(np: Any, cells: Any) -> State:
    return (cells.at[1:-1, 1:-1].set(_alive(cells).astype(np.int8)),)


def _bodies(n: int) -> State:
    x = 2 * _random(n, 3) - 1
    v = numpy.stack([-x[:, 1], x[:, 0], 0 * x[:, 2]], axis=1)
    return x, v, numpy.full(n, 1 / n, numpy.float32)


def _n_body(np: Any, x: Any, v: Any, mass: Any) -> State:
    apart = x[None, :, :] - x[:, None, :]
    square = (apart * apart).sum(axis=2) + 0.01
    pull = (apart * (mass[None, :] / (square * np.sqrt(square)))[:, :, None]).sum(axis=1)
    v = v + 0.01 * pull
    return x + 0.01 * v, v, mass


STEPS: Final = (
    Step("lattice Boltzmann", 1024, air, lattice_boltzmann),
    Step("Lorenz", 65536, _attractor, _lorenz),
    Step("FDTD", 2048, _fields, _fdtd, _fdtd_of_jax),
    Step("split step", 1 << 20, _wave, _split_step),
    Step("life", 4096, _cells, _life, _life_of_jax),
    Step("n-body", 4000, _bodies, _n_body),
    Step("FDTD, 1000 steps inside", 100, _fields, _many_fdtd, _many_fdtd_of_jax),
)


def _round(library: Library, step: Callable[..., Any], state: list[Any], count: int) -> float:
    began = time.perf_counter()
    now: Any = tuple(state)
    for _ in range(count):
        now = step(*now) or now
    library.wait(now[0])
    return (time.perf_counter() - began) / count


def measured(step: Step, size: int, libraries: dict[str, Library], repeats: int) -> dict[str, Any]:
    """Return what a step takes, by library, in seconds; and how far the results differ."""
    begun = step.begin(size)
    works: dict[str, Callable[[], float]] = {}
    values: dict[str, Any] = {}
    count = 3 if "inside" in step.name else 50
    for name, library in libraries.items():
        np = library.namespace
        of_jax = name == "jax"
        work = (step.of_jax or step.step) if of_jax else step.step

        def plain(*state: Any, np: Any = np, work: Any = work) -> Any:
            return work(np, *state)

        if library.prepare is not None:
            ways = {"jit": library.prepare(plain)}
        else:
            ways = {"plain": plain, "jit": np.jit(plain)}
        for way, call in ways.items():
            state = [library.upload(one) for one in begun]
            once: Any = tuple([library.upload(one) for one in begun])
            for _ in range(3):
                once = call(*once) or once
            values[f"{name} {way}"] = library.download(once[0])

            def work_once(library: Any = library, call: Any = call, state: Any = state) -> float:
                return _round(library, call, state, count)

            works[f"{name} {way}"] = work_once
    took = {name: Timing.of(times) for name, times in interleaved(works, repeats).items()}
    first = next(iter(values.values()))
    apart = {
        name: float(numpy.max(numpy.abs(one.astype(complex) - first.astype(complex))))
        for name, one in values.items()
    }
    return {"seconds": {name: one.minimum_s for name, one in took.items()}, "apart": apart}


def lines(scale: float, device: str | None, repeats: int, peers: list[str]) -> Iterator[str]:
    """Yield a line for each step."""
    opened, absent = open_libraries(["xarr", *peers], device)
    libraries = {one.name.removesuffix(".jit"): one for one in opened}
    yield from absent.values()
    ratios = []
    for step in STEPS:
        size = max(8, int(step.size * scale)) if "inside" not in step.name else step.size
        found = measured(step, size, libraries, repeats)
        seconds = found["seconds"]
        text = ", ".join(f"{name} {1e6 * took:.1f} us" for name, took in seconds.items())
        if "jax jit" in seconds:
            ratio = seconds["xarr jit"] / seconds["jax jit"]
            ratios.append(ratio)
            text += f"; of JAX's {ratio:.2f}, apart {found['apart']['jax jit']:.1e}"
        yield f"{step.name} {size}: {text}; bits {found['apart']['xarr jit'] == 0.0}"
    if ratios:
        yield f"geometric mean of JAX's time: {math.prod(ratios) ** (1 / len(ratios)):.2f}"


def print_lines(
    lines: Callable[[float, str | None, int, list[str]], Iterator[str]], about: str | None
) -> None:
    """Print the lines of a table for the options of the command line."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--device")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--peers", default="jax.jit")
    given = parser.parse_args()
    for line in lines(given.scale, given.device, given.repeats, given.peers.split(",")):
        print(line, flush=True)


if __name__ == "__main__":
    print_lines(lines, __doc__)
