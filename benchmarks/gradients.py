"""Gradients of programs: xarr's `jit(value_and_grad(f))` beside JAX's and PyTorch's, by turns.

``python -m benchmarks.gradients [--device D] [--scale S] [--peers jax.jit,torch,torch.compile]``.
JAX multiplies matrices of float32 in TF32 on a GPU unless JAX_DEFAULT_MATMUL_PRECISION says
"highest"; xarr and PyTorch do not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from benchmarks.libraries import Library, open_libraries
from benchmarks.steps import air, lattice_boltzmann, print_lines
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


def _attention(np: Any, q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T / 8
    weights = np.exp(scores - np.amax(scores, axis=1, keepdims=True))
    found = (weights / weights.sum(axis=1, keepdims=True)) @ v
    return (found * found).mean()


def _normal(np: Any, x: Any) -> Any:
    return 1 / (1 + np.exp(-1.702 * x))


def _black_scholes(np: Any, price: Any, strike: Any, spread: Any) -> Any:
    first = (np.log(price / strike) + 0.05 + 0.5 * spread * spread) / spread
    worth = price * _normal(np, first) - 0.95 * strike * _normal(np, first - spread)
    return worth.sum()


def _heat(np: Any, u: Any) -> Any:
    u = u.clone() if hasattr(u, "clone") else u.copy()
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


def _flow(np: Any, *state: Any) -> Any:
    for _ in range(50):
        state = lattice_boltzmann(np, *state)
    return (state[1] * state[1]).sum()


def _flow_of_jax(np: Any, *state: Any) -> Any:
    import jax

    def step(state: Any, _: Any) -> tuple[Any, None]:
        return lattice_boltzmann(np, *state), None

    return (jax.lax.scan(step, state, None, length=50)[0][1] ** 2).sum()


ROWS: Final[list[tuple[str, int, int, Make, Callable[..., Any], Callable[..., Any] | None]]] = [
    ("logistic regression", 1 << 18, 1,
     lambda n: (_random(32), _random(n, 32), numpy.round(_random(n))), _logistic, None),
    ("perceptron of two layers", 4096, 2,
     lambda n: (_random(64, 512) / 64, _random(512, 8) / 512, _random(n, 64), _random(n, 8)),
     _perceptron, None),
    ("energy of n bodies", 2000, 1, lambda n: (_random(n, 3),), _energy, None),
    ("Black-Scholes", 1 << 20, 3,
     lambda n: (100 + _random(n), 90 + _random(n), 0.2 + _random(n)), _black_scholes, None),
    ("attention", 2048, 3,
     lambda n: (_random(n, 64), _random(n, 64)[::-1].copy(), _random(n, 64)), _attention, None),
    ("heat, 200 steps in place", 512, 1, lambda n: (_random(n, n),), _heat, _heat_of_jax),
    ("lattice Boltzmann, 50 steps", 256, 9, air, _flow, _flow_of_jax),
]  # fmt: skip


def _works(library: Library, row: Any, size: int) -> dict[str, Callable[[], Any]]:
    _, _, count, make, function, of_jax = row
    np = _Torch(library.namespace) if library.name.startswith("torch") else library.namespace
    given = [library.upload(one) for one in make(size)]
    numbers = tuple(range(count)) if count > 1 else 0

    def loss(*given: Any) -> Any:
        return (of_jax or function if library.name == "jax.jit" else function)(np, *given)

    if library.name == "xarr":
        calls = {"forward": np.jit(loss), "gradient": np.jit(np.value_and_grad(loss, numbers))}
    elif library.name.startswith("torch"):
        calls = _works_of_torch(library, loss, count)
    else:
        import jax

        calls = {"forward": jax.jit(loss), "gradient": jax.jit(jax.value_and_grad(loss, numbers))}
    return {f"{library.name} {way}": lambda call=call: call(*given) for way, call in calls.items()}


class _Torch:
    """PyTorch's functions, of which one has other names for its arguments."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, name)

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return self._torch.roll(x, shift, axis)


def _works_of_torch(
    library: Library, loss: Callable[..., Any], count: int
) -> dict[str, Callable[..., Any]]:
    torch = library.namespace
    prepared = loss if library.prepare is None else library.prepare(loss)

    def forward(*given: Any) -> Any:
        with torch.no_grad():
            return prepared(*given)

    def gradient(*given: Any) -> Any:
        wanted = [one.detach().requires_grad_() for one in given[:count]]
        value = prepared(*wanted, *given[count:])
        return value, torch.autograd.grad(value, wanted)

    return {"forward": forward, "gradient": gradient}


def lines(scale: float, device: str | None, repeats: int, peers: list[str]) -> Iterator[str]:
    """Yield a line for each program."""
    libraries, absent = open_libraries(["xarr", *peers], device)
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
