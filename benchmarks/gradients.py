"""Gradients of programs: xarr's `jit(value_and_grad(f))` beside JAX's, taking turns.

``python -m benchmarks.gradients [--device D] [--scale S]``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from benchmarks.libraries import Library, open_libraries
from benchmarks.steps import print_lines
from benchmarks.timing import Timing, interleaved

Make = Callable[[int], tuple[Any, ...]]


def _random(*shape: int) -> Any:
    return numpy.random.default_rng(0).random(shape, dtype=numpy.float32)


def _logistic(np: Any, w: Any, x: Any, y: Any) -> Any:
    p = 1 / (1 + np.exp(-(x @ w)))
    return -(y * np.log(p + 1e-6) + (1 - y) * np.log(1 - p + 1e-6)).mean()


def _perceptron(np: Any, first: Any, second: Any, x: Any, y: Any) -> Any:
    found = np.tanh(x @ first) @ second
    return ((found - y) ** 2).mean()


def _energy(np: Any, x: Any) -> Any:
    apart = x[:, None, :] - x[None, :, :]
    return -(1 / np.sqrt((apart * apart).sum(axis=2) + 0.01)).sum()


def _normal(np: Any, x: Any) -> Any:
    return 1 / (1 + np.exp(-1.702 * x))


def _black_scholes(np: Any, price: Any, strike: Any, spread: Any) -> Any:
    first = (np.log(price / strike) + 0.05 + 0.5 * spread * spread) / spread
    worth = price * _normal(np, first) - 0.95 * strike * _normal(np, first - spread)
    return worth.sum()


def _heat(np: Any, u: Any) -> Any:
    u = u.copy()
    for _ in range(200):
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
    return (u * u).sum()


def _heat_of_jax(np: Any, u: Any) -> Any:
    import jax

    def step(u: Any, _: Any) -> tuple[Any, None]:
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].add(0.2 * (around - 4 * u[1:-1, 1:-1])), None

    return (jax.lax.scan(step, u, None, length=200)[0] ** 2).sum()


ROWS: Final[list[tuple[str, int, int, Make, Callable[..., Any], Callable[..., Any] | None]]] = [
    ("logistic regression", 1 << 18, 1,
     lambda n: (_random(32), _random(n, 32), numpy.round(_random(n))), _logistic, None),
    ("perceptron of two layers", 4096, 2,
     lambda n: (_random(64, 512) / 64, _random(512, 8) / 512, _random(n, 64), _random(n, 8)),
     _perceptron, None),
    ("energy of n bodies", 2000, 1, lambda n: (_random(n, 3),), _energy, None),
    ("Black-Scholes", 1 << 20, 3,
     lambda n: (100 + _random(n), 90 + _random(n), 0.2 + _random(n)), _black_scholes, None),
    ("heat, 200 steps in place", 512, 1, lambda n: (_random(n, n),), _heat, _heat_of_jax),
]  # fmt: skip


def _works(library: Library, row: Any, size: int) -> dict[str, Callable[[], Any]]:
    _, _, count, make, function, of_jax = row
    np = library.namespace
    given = [library.upload(one) for one in make(size)]
    numbers = tuple(range(count)) if count > 1 else 0

    def loss(*given: Any) -> Any:
        return (function if library.prepare is None else of_jax or function)(np, *given)

    if library.prepare is None:
        calls = {"forward": np.jit(loss), "gradient": np.jit(np.value_and_grad(loss, numbers))}
    else:
        import jax

        calls = {"forward": jax.jit(loss), "gradient": jax.jit(jax.value_and_grad(loss, numbers))}
    return {f"{library.name} {way}": lambda call=call: call(*given) for way, call in calls.items()}


def lines(scale: float, device: str | None, repeats: int) -> Iterator[str]:
    """Yield a line for each program."""
    libraries, absent = open_libraries(["xarr", "jax.jit"], device)
    yield from absent.values()
    ratios = []
    for row in ROWS:
        size = max(16, int(row[1] * scale))
        timed: dict[str, Callable[[], float]] = {}
        values = {}
        for library in libraries:
            for name, work in _works(library, row, size).items():
                found = work()
                for _ in range(2):
                    found = work()
                if name.endswith("gradient"):
                    part = found[1][0] if isinstance(found[1], tuple) else found[1]
                    values[name] = numpy.asarray(library.download(part))

                def once(work: Any = work, library: Library = library) -> float:
                    began = time.perf_counter()
                    for _ in range(5):
                        found = work()
                    library.wait(found[0] if isinstance(found, tuple) else found)
                    return (time.perf_counter() - began) / 5

                timed[name] = once
        took = {
            name: Timing.of(times).minimum_s for name, times in interleaved(timed, repeats).items()
        }
        text = ", ".join(f"{name} {1e6 * one:.0f} us" for name, one in took.items())
        first, *others = values.values()
        apart = max(
            [
                float(numpy.max(numpy.abs(first - one)) / numpy.max(numpy.abs(one)))
                for one in others
            ],
            default=0.0,
        )
        text += f"; gradient of forward {took['xarr gradient'] / took['xarr forward']:.1f}"
        if "jax.jit gradient" in took:
            ratios.append(took["xarr gradient"] / took["jax.jit gradient"])
            text += f", of JAX's {ratios[-1]:.2f}, apart {apart:.0e}"
        yield f"{row[0]} {size}: {text}"
    if ratios:
        yield f"geometric mean of JAX's time: {math.prod(ratios) ** (1 / len(ratios)):.2f}"


if __name__ == "__main__":
    print_lines(lines, __doc__)
