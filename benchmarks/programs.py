"""Whole programs, as scientists write them for NumPy; the module that is `np` is their argument.

A program makes its own data, from a formula where others have to make the same, and returns what
it computed. Sizes are for a GPU, where each takes 5 to 300 ms with CuPy, for a demonstration on a
CPU, and for a test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A program and what it is run with.

    name : str -- What the table says.
    run : callable -- `run(np, *sizes)` returns an array or a number, or a tuple of them.
    gpu, demo, test : tuple of int -- Its sizes.
    tolerance : float
        The most that a result may differ from another library's, in the 2-norm, relatively.
    """

    name: str
    run: Callable[..., Any]
    gpu: Sizes
    demo: Sizes
    test: Sizes
    tolerance: float = 1e-6


def scattered(np: Any, rows: int, columns: int) -> Any:
    """Return points that fill the unit cube evenly: multiples of irrational numbers, modulo one."""
    steps = np.sqrt(np.arange(2, columns + 2) + 0.1)
    return (np.arange(1, rows + 1)[:, None] * steps) % 1.0


def heat(np: Any, n: int, steps: int) -> Any:
    """Heat spreads over a plate, one edge of which is hot."""
    u = np.zeros((n, n))
    u[0, :] = 100.0
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


def wave(np: Any, n: int, steps: int) -> Any:
    """A drop falls into a square basin."""
    x = np.linspace(-1, 1, n)
    now = np.exp(-100 * ((x[:, None] - 0.2) ** 2 + x[None, :] ** 2))
    before = now.copy()
    after = np.zeros((n, n))
    for _ in range(steps):
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        bend = around - 4 * now[1:-1, 1:-1]
        after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * bend
        before, now, after = now, after, before
    return now


def fdtd(np: Any, n: int, steps: int) -> Any:
    """Light of a point source in two dimensions around a block of glass, by Yee's scheme."""
    ez, hx, hy = np.zeros((n, n)), np.zeros((n, n - 1)), np.zeros((n - 1, n))
    step = np.full((n, n), 0.5)
    step[n // 2 : 3 * n // 4, n // 4 : n // 2] /= 2.25
    for t in range(steps):
        hx -= 0.5 * (ez[:, 1:] - ez[:, :-1])
        hy += 0.5 * (ez[1:, :] - ez[:-1, :])
        curl = (hy[1:, 1:-1] - hy[:-1, 1:-1]) - (hx[1:-1, 1:] - hx[1:-1, :-1])
        ez[1:-1, 1:-1] += step[1:-1, 1:-1] * curl
        ez[n // 3, n // 3] += math.sin(0.2 * t)
    energy = (ez**2).sum() + (hx**2).sum() + (hy**2).sum()
    return ez, float(energy)


def conjugate_gradients(np: Any, n: int, most: int) -> Any:
    """Poisson's equation by conjugate gradients, the matrix never made."""

    def laplace(u: Any) -> Any:
        out = 4 * u
        out[1:, :] -= u[:-1, :]
        out[:-1, :] -= u[1:, :]
        out[:, 1:] -= u[:, :-1]
        out[:, :-1] -= u[:, 1:]
        return out

    u = np.zeros((n, n))
    residual = scattered(np, n, n) - 0.5 - laplace(u)
    direction = residual.copy()
    square = float((residual * residual).sum())
    goal = 1e-18 * square
    for _ in range(most):
        if square < goal:
            break
        image = laplace(direction)
        length = square / float((direction * image).sum())
        u += length * direction
        residual -= length * image
        after = float((residual * residual).sum())
        direction = residual + (after / square) * direction
        square = after
    return u


def split_step(np: Any, n: int, steps: int) -> Any:
    """A condensate in a trap, by the split-step Fourier method."""
    dt = 0.002
    x = np.linspace(-8, 8, n, endpoint=False)
    square = x[:, None] ** 2 + x[None, :] ** 2
    k = 2 * math.pi * np.fft.fftfreq(n, d=16 / n)
    kinetic = np.exp(-0.5j * dt * (k[:, None] ** 2 + k[None, :] ** 2))
    psi = np.exp(-0.5 * square) * np.exp(1j * x)[:, None]
    for _ in range(steps):
        psi = psi * np.exp(-1j * dt * (0.5 * square + 5.0 * np.abs(psi) ** 2))
        psi = np.fft.ifft2(kinetic * np.fft.fft2(psi))
    return psi


def lattice_boltzmann(np: Any, n: int, steps: int) -> Any:
    """Air flows around a cylinder: nine velocities, streaming by rolls."""
    directions = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    y, x = np.meshgrid(np.arange(n), np.arange(3 * n), indexing="ij")
    solid = (x - 0.6 * n) ** 2 + (y - 0.5 * n) ** 2 < (0.12 * n) ** 2
    wiggle = 1 + 0.01 * np.sin(2 * math.pi * y / n)
    moved = zip(weights, directions, strict=True)
    f = np.stack([weight * (1 + 0.3 * cx * wiggle) for weight, (cx, _) in moved])
    for _ in range(steps):
        for i, (cx, cy) in enumerate(directions):
            f[i] = np.roll(np.roll(f[i], cx, axis=1), cy, axis=0)
        bounced = f[opposite][:, solid]
        density = f.sum(axis=0)
        ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
        uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
        square = 1.5 * (ux**2 + uy**2)
        for i, (cx, cy) in enumerate(directions):
            along = 3 * (cx * ux + cy * uy)
            rest = weights[i] * density * (1 + along + 0.5 * along**2 - square)
            f[i] += (rest - f[i]) / 0.7
        f[:, solid] = bounced
    return f.sum(axis=0)


def k_means(np: Any, n: int, rounds: int) -> Any:
    """Lloyd's algorithm; the centres by a product with the table of who belongs to which."""
    points = scattered(np, n, 2) ** 2
    centres = points[:16].copy()
    for _ in range(rounds):
        square = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = square.argmin(axis=1)
        member = (nearest[:, None] == np.arange(16)[None, :]).astype(points.dtype)
        counts = member.sum(axis=0)
        centres = (member.T @ points) / np.maximum(counts, 1)[:, None]
    return centres


def logistic_regression(np: Any, n: int, steps: int) -> Any:
    """Fit by gradient descent in float32, the loss looked at now and then."""
    x = (scattered(np, n, 32) - 0.5).astype(np.float32)
    truth = np.linspace(-3, 3, 32, dtype=np.float32)
    y = (x @ truth > 0.2).astype(np.float32)
    w, b = np.zeros(32, dtype=np.float32), 0.0
    losses = []
    for step in range(steps):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        error = p - y
        w -= 2.0 * (x.T @ error) / n
        b = b - 2.0 * error.mean()
        if step % 20 == 0:
            loss = -(y * np.log(p + 1e-7) + (1 - y) * np.log(1 - p + 1e-7)).mean()
            losses.append(float(loss))
    return w, losses[-1]


def n_body(np: Any, n: int, steps: int) -> Any:
    """Bodies attract each other, all pairs at once, by leapfrog."""
    x = 2 * scattered(np, n, 3) - 1
    v = np.stack([-x[:, 1], x[:, 0], 0 * x[:, 2]], axis=1)
    mass = np.full(n, 1 / n)

    def pull(x: Any) -> Any:
        apart = x[None, :, :] - x[:, None, :]
        square = (apart**2).sum(axis=2) + 0.01
        return (apart * (mass[None, :] / (square * np.sqrt(square)))[:, :, None]).sum(axis=1)

    dt = 0.01
    a = pull(x)
    for _ in range(steps):
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = pull(x)
        v = v + 0.5 * dt * a
    return x, float(0.5 * (mass[:, None] * v**2).sum())


def life(np: Any, n: int, steps: int) -> Any:
    """Conway's game of life, with dead cells around."""
    cells = np.zeros((n + 2, n + 2), dtype=np.int8)
    cells[1:-1, 1:-1] = (scattered(np, n, n) < 0.4).astype(np.int8)
    for _ in range(steps):
        around = (
            cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:]
            + cells[1:-1, :-2] + cells[1:-1, 2:]
            + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )  # fmt: skip
        alive = cells[1:-1, 1:-1] == 1
        cells[1:-1, 1:-1] = (around == 3) | (alive & (around == 2))
    return cells, int(cells.sum())


def pi(np: Any, n: int, rounds: int) -> Any:
    """Estimate pi by points in a square."""
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(rounds):
        x, y = rng.random(n), rng.random(n)
        inside += int((x * x + y * y <= 1).sum())
    return 4 * inside / (n * rounds)


def option_prices(np: Any, n: int, steps: int) -> Any:
    """Price a European and an Asian option by paths."""
    rng = np.random.default_rng(2)
    rate, volatility, dt, strike = 0.05, 0.2, 1 / steps, 100.0
    price = np.full(n, 100.0)
    total = np.zeros(n)
    for _ in range(steps):
        shock = rng.standard_normal(n)
        price *= np.exp((rate - 0.5 * volatility**2) * dt + volatility * math.sqrt(dt) * shock)
        total += price
    discount = math.exp(-rate)
    european = discount * np.maximum(price - strike, 0).mean()
    asian = discount * np.maximum(total / steps - strike, 0).mean()
    return float(european), float(asian)


def distributions(np: Any, n: int, samples: int) -> Any:
    """Histograms, medians and distances of samples, by sorting and searching."""
    edges = np.linspace(0, 1, 101)
    reference = np.sort(scattered(np, n, 1)[:, 0] ** 2)
    found = []
    for number in range(1, samples + 1):
        sample = (np.arange(1, n + 1) * math.sqrt(number + 0.3)) % 1.0
        ordered = np.sort(sample**1.5)
        counts = np.diff(np.searchsorted(ordered, edges))
        below = np.searchsorted(reference, ordered, side="right")
        distance = np.abs(below / n - np.arange(1, n + 1) / n).max()
        found.append((float(ordered[n // 2]), float(distance), float((counts**2).sum())))
    return tuple(number for numbers in found for number in numbers)


def mandelbrot(np: Any, n: int, steps: int) -> Any:
    """Count steps before points of the plane escape; only those still inside are computed."""
    c = np.linspace(-2, 0.6, n)[None, :] + 1j * np.linspace(-1.3, 1.3, n)[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    for _ in range(steps):
        inside = z.real**2 + z.imag**2 < 4
        z[inside] = z[inside] * z[inside] + c[inside]
        count += inside
    return count


def gray_scott(np: Any, n: int, steps: int) -> Any:
    """Two substances react and diffuse, and make patterns."""
    u, v = np.ones((n + 2, n + 2)), np.zeros((n + 2, n + 2))
    middle = slice(n // 2 - n // 10, n // 2 + n // 10)
    u[middle, middle], v[middle, middle] = 0.5, 0.25

    def laplace(w: Any) -> Any:
        return w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - 4 * w[1:-1, 1:-1]

    for _ in range(steps):
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        reaction = inner_u * inner_v**2
        change_u = 0.16 * laplace(u) - reaction + 0.035 * (1 - inner_u)
        change_v = 0.08 * laplace(v) + reaction - 0.1 * inner_v
        inner_u += change_u
        inner_v += change_v
        for w in (u, v):
            w[0, :], w[-1, :] = w[-2, :], w[1, :]
            w[:, 0], w[:, -1] = w[:, -2], w[:, 1]
    return v


def layers(np: Any, n: int, count: int) -> Any:
    """Pass a batch through layers of normalisation and softmax in float32."""
    x = (scattered(np, n, 512) - 0.5).astype(np.float32)
    gain = np.linspace(0.5, 1.5, 512, dtype=np.float32)
    for _ in range(count):
        mean = x.mean(axis=-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        normal = (x - mean) / np.sqrt(variance + 1e-5) * gain
        e = np.exp(normal - normal.max(axis=-1, keepdims=True))
        x = x + e / e.sum(axis=-1, keepdims=True)
    return x


def jacobi(np: Any, n: int, most: int) -> Any:
    """Laplace's equation by Jacobi's method, the change looked at in every step."""
    u = np.zeros((n, n))
    u[:, 0] = np.sin(np.linspace(0, math.pi, n))
    change, steps = 1.0, 0
    while change > 1e-7 and steps < most:
        after = u.copy()
        after[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        change = float(np.abs(after - u).max())
        u = after
        steps += 1
    return u, change


def principal_components(np: Any, n: int, rounds: int) -> Any:
    """Find four principal components by power iteration with deflation."""
    x = scattered(np, n, 48) * np.linspace(4, 1, 48) ** 2
    x = (x - x.mean(axis=0)) / x.std()
    covariance = x.T @ x / n
    components, variances = [], []
    for _ in range(4):
        v = np.ones(48) / math.sqrt(48)
        for _ in range(rounds):
            v = covariance @ v
            v = v / np.sqrt((v * v).sum())
        variance = float(v @ covariance @ v)
        covariance = covariance - variance * np.outer(v, v)
        components.append(v)
        variances.append(variance)
    projected = x @ np.stack(components, axis=1)
    return projected.var(axis=0), *variances


PROGRAMS: Final = (
    Program("heat small", heat, (64, 1000), (64, 200), (12, 5)),
    Program("heat medium", heat, (512, 1000), (256, 200), (20, 5)),
    Program("heat large", heat, (4096, 100), (1024, 20), (40, 3)),
    Program("wave", wave, (1024, 500), (512, 50), (16, 5)),
    Program("FDTD", fdtd, (100, 1000), (100, 200), (20, 10)),
    Program("conjugate gradients", conjugate_gradients, (64, 300), (64, 50), (12, 10)),
    Program("split step", split_step, (256, 300), (256, 20), (16, 3), 1e-5),
    Program("lattice Boltzmann", lattice_boltzmann, (100, 100), (100, 20), (16, 3)),
    Program("k-means", k_means, (200_000, 20), (20_000, 5), (200, 3)),
    Program(
        "logistic regression", logistic_regression, (10_000, 300), (10_000, 50), (100, 5), 1e-3
    ),
    Program("n-body", n_body, (1024, 50), (256, 10), (12, 3)),
    Program("life", life, (1024, 300), (512, 50), (16, 5)),
    Program("pi", pi, (10_000_000, 30), (1_000_000, 4), (20_000, 2), 0.02),
    Program("option prices", option_prices, (1_000_000, 50), (100_000, 20), (20_000, 4), 0.05),
    Program("distributions", distributions, (2_000_000, 10), (100_000, 4), (500, 2)),
    Program("Mandelbrot", mandelbrot, (512, 50), (256, 30), (16, 10), 1e-2),
    Program("Gray-Scott", gray_scott, (256, 400), (256, 50), (20, 5)),
    Program("layers", layers, (8192, 60), (1024, 5), (8, 2), 1e-4),
    Program("Jacobi", jacobi, (128, 1000), (128, 200), (12, 20)),
    Program("principal components", principal_components, (100_000, 50), (20_000, 20), (100, 10)),
)
