"""How many kernels a step of a whole program is, with NumPy's values."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.launching import watched
from xarr.runtime import host_functions

State = tuple[Any, ...]
AROUND: Final = [one for one in itertools.product((-1, 0, 1), repeat=2) if any(one)]
VELOCITIES: Final = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS: Final = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


def life(np: Any, u: Any) -> State:
    around = sum(np.roll(np.roll(u, dy, axis=0), dx, axis=1) for dy, dx in AROUND)
    return (np.where((around == 3) | ((u == 1) & (around == 2)), 1, 0).astype(u.dtype),)


def life_by_pairs(np: Any, u: Any) -> State:
    around = sum(np.roll(u, shift, axis=(0, 1)) for shift in AROUND)
    return (((around == 3) | ((u == 1) & (around == 2))).astype(u.dtype),)


def upwind(np: Any, u: Any) -> State:
    return (u - 0.3 * (u - np.roll(u, 1)),)


def laplace(np: Any, u: Any) -> Any:
    return sum(np.roll(u, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * u


def gray_scott(np: Any, u: Any, v: Any) -> State:
    reaction = 0.1 * u * v * v
    return (
        u + 0.16 * laplace(np, u) - reaction + 0.06 * (1 - u),
        v + 0.08 * laplace(np, v) + reaction - 0.1 * v,
    )


def heat(np: Any, u: Any) -> State:
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    u[1:-1, 1:-1] += 0.1 * (around - 4 * u[1:-1, 1:-1])
    return (u,)


def light(np: Any, ez: Any, hx: Any, hy: Any) -> State:
    hx[:, :-1] -= 0.5 * (ez[:, 1:] - ez[:, :-1])
    hy[:-1, :] += 0.5 * (ez[1:, :] - ez[:-1, :])
    curl = hy[1:-1, 1:-1] - hy[:-2, 1:-1] - hx[1:-1, 1:-1] + hx[1:-1, :-2]
    ez[1:-1, 1:-1] += 0.5 * curl
    return ez, hx, hy


def softmax(np: Any, x: Any) -> State:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) + x,)


def lattice_boltzmann(np: Any, f: Any) -> State:
    for i, (cx, cy) in enumerate(VELOCITIES):
        f[i] = np.roll(np.roll(f[i], cx, axis=1), cy, axis=0)
    density = f.sum(axis=0)
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
    square = 1.5 * (ux**2 + uy**2)
    for i, (cx, cy) in enumerate(VELOCITIES):
        along = 3 * (cx * ux + cy * uy)
        rest = WEIGHTS[i] * density * (1 + along + 0.5 * along**2 - square)
        f[i] += (rest - f[i]) / 0.7
    return (f,)


def lattice_boltzmann_stacked(np: Any, f: Any) -> State:
    f = [np.roll(f[i], (cy, cx), axis=(0, 1)) for i, (cx, cy) in enumerate(VELOCITIES)]
    density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8]
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
    square = 1.5 * (ux**2 + uy**2)
    after = []
    for i, (cx, cy) in enumerate(VELOCITIES):
        along = 3 * (cx * ux + cy * uy)
        rest = WEIGHTS[i] * density * (1 + along + 0.5 * along**2 - square)
        after.append(f[i] + (rest - f[i]) / 0.7)
    return (np.stack(after),)


def around(u: Any) -> Any:
    out = 4 * u
    out[1:, :] -= u[:-1, :]
    out[:-1, :] -= u[1:, :]
    out[:, 1:] -= u[:, :-1]
    out[:, :-1] -= u[:, 1:]
    return out


def conjugate_gradients(np: Any, u: Any, residual: Any, direction: Any, square: Any) -> State:
    image = around(direction)
    length = square / (direction * image).sum()
    u = u + length * direction
    residual = residual - length * image
    after = (residual * residual).sum()
    return u, residual, residual + (after / square) * direction, after


def jacobi(np: Any, u: Any, most: Any) -> State:
    after = u.copy()
    after[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    after[0] = 0.5
    return after, np.maximum(most, np.abs(after - u).max())


def steepened(np: Any, u: Any) -> State:
    along, across = np.gradient(u)
    return (u + 0.01 * np.sqrt(along * along + across * across),)


def blurred(np: Any, u: Any) -> State:
    wide = np.pad(u, 1)
    return (0.5 * u + 0.25 * (wide[2:, 1:-1] + wide[:-2, 1:-1]),)


def n_body(np: Any, x: Any, v: Any, m: Any) -> State:
    d = x[None, :, :] - x[:, None, :]
    r2 = (d * d).sum(axis=2) + 0.01
    v = v + 0.01 * (d * (m[None, :] * r2**-1.5)[:, :, None]).sum(axis=1)
    return x + 0.01 * v, v, m


PLANE: Final = (70, 90)
CASES: Final[dict[str, tuple[Callable[..., State], list[tuple[int, ...]], int]]] = {
    "life": (life, [PLANE], 1),
    "life by pairs": (life_by_pairs, [PLANE], 1),
    "upwind": (upwind, [(5000,)], 1),
    "Gray and Scott": (gray_scott, [PLANE] * 2, 1),
    "heat": (heat, [PLANE], 1),
    "light": (light, [(80, 80)] * 3, 2),
    "n-body": (n_body, [(30, 3), (30, 3), (30,)], 3),
    "softmax": (softmax, [PLANE], 1),
    "conjugate gradients": (conjugate_gradients, [PLANE] * 3 + [()], 4),
    "gradient": (steepened, [PLANE], 1),
    "pad": (blurred, [PLANE], 2),
    "Jacobi": (jacobi, [PLANE, ()], 2),
    "lattice Boltzmann": (lattice_boltzmann, [(9, *PLANE)], 3),
    "lattice Boltzmann, stacked": (lattice_boltzmann_stacked, [(9, *PLANE)], 1),
}
"""Programs, the shapes of what they go on with, and the kernels of a step."""

FEWER_ON_GPUS: Final = {"n-body": 2}


@pytest.mark.parametrize("form", ["usual", "as-gpu"])
@pytest.mark.parametrize("name", CASES)
def test_kernels_of_a_step(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    step, shapes, kernels = CASES[name]
    device = xarr.default_device()
    if form != "usual":
        device = device.pretending(form)
        kernels = FEWER_ON_GPUS.get(name, kernels)
    dtype = "int32" if "life" in name else "float64"
    rng = numpy.random.default_rng(1)
    wanted: State = tuple([(rng.random(shape) + 0.4).astype(dtype) for shape in shapes])
    got: State = tuple([xarr.asarray(one, device=device) for one in wanted])
    for count in (6, 12):
        with xarr.device(device), watched() as seen:
            for _ in range(count):
                got, wanted = step(xarr, *got), step(numpy, *wanted)
            device.synchronize()
    for ours, theirs in zip(got, wanted, strict=True):
        numpy.testing.assert_allclose(xarr.to_numpy(ours), theirs, rtol=1e-9)
    # The first list and the last one may be cut where no body ends.
    assert 0 < len(seen.launches) <= kernels * (count + 1)
