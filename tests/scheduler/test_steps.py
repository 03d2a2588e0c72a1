"""Whole programs beside NumPy: the kernels of a step, exchanged memory, parts that are written."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.comparing import nightly
from tests.functions.calls import lines, program, rows
from tests.launching import watched

State = tuple[Any, ...]
AROUND: Final = [one for one in itertools.product((-1, 0, 1), repeat=2) if any(one)]
VELOCITIES: Final = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS: Final = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


def laplace(np: Any, u: Any) -> Any:
    return sum(np.roll(u, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * u


def around(u: Any) -> Any:
    out = 4 * u
    out[1:, :] -= u[:-1, :]
    out[:-1, :] -= u[1:, :]
    out[:, 1:] -= u[:, :-1]
    out[:, :-1] -= u[:, 1:]
    return out


def lattice_boltzmann(np: Any, f: Any) -> State:
    for i, (cx, cy) in enumerate(VELOCITIES):
        f[i] = np.roll(np.roll(f[i], cx, axis=1), cy, axis=0)
    density = f.sum(axis=0)
    for i, after in enumerate(relaxed(f, density)):
        f[i] += (after - f[i]) / 0.7
    return (f,)


def relaxed(f: Any, density: Any) -> Any:
    """Return the densities at rest of each velocity."""
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
    square = 1.5 * (ux**2 + uy**2)
    for weight, (cx, cy) in zip(WEIGHTS, VELOCITIES, strict=True):
        along = 3 * (cx * ux + cy * uy)
        yield weight * density * (1 + along + 0.5 * along**2 - square)


def lattice_boltzmann_stacked(np: Any, f: Any) -> State:
    f = [np.roll(f[i], (cy, cx), axis=(0, 1)) for i, (cx, cy) in enumerate(VELOCITIES)]
    density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8]
    rest = relaxed(f, density)
    return (np.stack([part + (after - part) / 0.7 for part, after in zip(f, rest, strict=True)]),)


PROGRAMS: Final = """
# the game of life, of ints
1 | 70,90 | around = sum(np.roll(np.roll(u, dy, axis=0), dx, axis=1) for dy, dx in AROUND)
... -> (np.where((around == 3) | ((u == 1) & (around == 2)), 1, 0).astype(u.dtype),)
1 | 70,90 | around = sum(np.roll(u, shift, axis=(0, 1)) for shift in AROUND)
... -> (((around == 3) | ((u == 1) & (around == 2))).astype(u.dtype),)
# upwind, Gray and Scott, heat, light
1 | 5000 | -> (u - 0.3 * (u - np.roll(u, 1)),)
1 | 70,90 70,90 | reaction = 0.1 * u * v * v
... after = u + 0.16 * laplace(np, u) - reaction + 0.06 * (1 - u)
... -> after, v + 0.08 * laplace(np, v) + reaction - 0.1 * v
1 | 70,90 | around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
... u[1:-1, 1:-1] += 0.1 * (around - 4 * u[1:-1, 1:-1]) -> (u,)
2 | 80,80 80,80 80,80 | v[:, :-1] -= 0.5 * (u[:, 1:] - u[:, :-1])
... w[:-1, :] += 0.5 * (u[1:, :] - u[:-1, :])
... curl = w[1:-1, 1:-1] - w[:-2, 1:-1] - v[1:-1, 1:-1] + v[1:-1, :-2]
... u[1:-1, 1:-1] += 0.5 * curl -> u, v, w
# bodies and pairs
3/2 | 30,3 30,3 30 | d = u[None, :, :] - u[:, None, :]; r2 = (d * d).sum(axis=2) + 0.01
... v = v + 0.01 * (d * (w[None, :] * r2**-1.5)[:, :, None]).sum(axis=1) -> u + 0.01 * v, v, w
6 | 60,3 | d = u[None, :, :] - u[:, None, :]
... pull = d * (1 / ((d * d).sum(axis=2) + 0.5))[:, :, None]
... -> (u + 0.01 * pull.sum(axis=1) - 0.02 * pull.sum(axis=0),)
# softmax, conjugate gradients, a gradient, padding, Jacobi
1 | 70,90 | e = np.exp(u - u.max(axis=-1, keepdims=True))
... -> (e / e.sum(axis=-1, keepdims=True) + u,)
4 | 70,90 70,90 70,90 - | image = around(w); length = x / (w * image).sum()
... u = u + length * w; v = v - length * image; after = (v * v).sum()
... -> u, v, v + (after / x) * w, after
1 | 70,90 | along, across = np.gradient(u)
... -> (u + 0.01 * np.sqrt(along * along + across * across),)
2 | 70,90 | wide = np.pad(u, 1) -> (0.5 * u + 0.25 * (wide[2:, 1:-1] + wide[:-2, 1:-1]),)
2 | 70,90 - | after = u.copy()
... after[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
... after[0] = 0.5 -> after, np.maximum(v, np.abs(after - u).max())
3 | 9,70,90 | -> lattice_boltzmann(np, u)
1 | 9,70,90 | -> lattice_boltzmann_stacked(np, u)
"""
"""The kernels of a step, on GPUs in case, the shapes of what it goes on with, and the step."""


@pytest.mark.parametrize("line", lines(PROGRAMS))
def test_kernels_of_a_step(line: str, form: xarr.Device) -> None:
    counts, shapes, text = line.split("|", 2)
    step = program(text, "np, u, v, w, x", **globals())
    kernels = int(counts.split("/")[-1 if form.options else 0])
    dtype = "int32" if "AROUND" in line else "float64"
    rng = numpy.random.default_rng(1)
    wanted: State = tuple(
        [
            (rng.random(() if shape == "-" else [*map(int, shape.split(","))]) + 0.4).astype(dtype)
            for shape in shapes.split()
        ]
    )
    got: State = tuple([xarr.asarray(one) for one in wanted])
    for _ in range(2):  # once the loop is known, lists are cut where its body ends
        with watched() as seen:
            for _ in range(12):
                got, wanted = step(xarr, *got), step(numpy, *wanted)
            form.synchronize()
    for ours, theirs in zip(got, wanted, strict=True):
        numpy.testing.assert_allclose(xarr.to_numpy(ours), theirs, rtol=1e-9)
    # The first list and the last one may be cut where no body ends.
    assert 0 < len(seen.launches) <= kernels * 13


EXCHANGING: Final = """
u[::-1] = a * 2; u[:] = u[{::-1|:1}] + a -> (u,)
u[:] = u[::-1] + a; u[::-1] = a * 2 -> (u,)
# rows of what is rolled, and of what is flipped
x = u.reshape(-1, 50); x -= np.roll(x, 1, 0) * x.max(axis=1, keepdims=True)
... total = x.max(axis=1, keepdims=True); x += total -> x, total
x = u.reshape(-1, 50); x[:] = x[:, ::-1] - x.max(axis=1, keepdims=True)
... least = x.min(axis=1, keepdims=True) -> x, x * least, least
# a part beyond which there is one more
x = few[:40].reshape(5, 8); x[1:, 1:] = x[:-1, :-1] + 1 -> (few,)
# bits of another type, at the same place or not
u[1:-1] = u[2:] + 1; bits = u.view("int32"); bits[1:-1] = bits[2:] + 3 -> (u,)
u[1:-1] = (u.view("int32")[1:-1] % 97).astype("float32") + u[2:]
... new = a * 2; new[1:-1] = (new.view("int32")[1:-1] % 97).astype("float32") -> u, new
# counted afterwards
u += u[::-1]; first = np.histogram(u, bins=4, range=(0.0, 90.0))[0]
... u[1:] = 0.5 * (u[1:] + u[:-1])
... -> u, first, np.histogram(u, bins=4, range=(0.0, 90.0))[0]
"""
"""Programs that write arrays while elements of theirs are read: they have other memory then."""


@pytest.mark.parametrize("line", rows(EXCHANGING))
def test_memory_is_exchanged(line: str, form: xarr.Device) -> None:
    run = program(line, "np, u, a, few")
    size = 2_000 if form.kind == "gpu" else 100_000
    hosts = [(numpy.arange(count) * 7 % 31).astype("float32") for count in (size, size, 41)]
    hosts[1] += 3
    arrays = [xarr.asarray(host) + 0 for host in hosts]
    form.synchronize()
    got = run(xarr, *arrays)
    for ours, theirs in zip(got, run(numpy, *hosts), strict=True):
        numpy.testing.assert_array_equal(xarr.to_numpy(ours), theirs)


def test_a_graph_finds_the_memory_that_it_writes(form: xarr.Device) -> None:
    host = (numpy.arange(40) * 7 % 31).astype("float32")

    def step(x: Any) -> None:
        x[1:-1] = 0.5 * (x[2:] + x[:-2])

    u = xarr.asarray(host) + 0
    xarr.synchronize()
    step(u)
    with xarr.graph() as graph:
        step(u)
    for _ in range(2):
        graph.launch()
    step(u)
    graph.launch()
    for _ in range(6):
        step(host)
    numpy.testing.assert_array_equal(xarr.to_numpy(u), host)


MAKERS = (
    lambda np, a, b: a.copy(),
    lambda np, a, b: a * 3 + b,
    lambda np, a, b: np.zeros_like(a),
    lambda np, a, b: np.roll(a, 1),
)
"""What is there before its parts are written."""


def twice(whole: Any, part: Any, other: Any, a: Any, b: Any) -> None:
    both = a[other] * 2
    b[part] = both
    whole[part] = both + 1


WRITES = (
    twice,
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[part] + a[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, a[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, a[other] * 2 + b[part]),
    lambda whole, part, other, a, b: whole.__setitem__(part, 5),
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[part] * b[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[other]),
    lambda whole, part, other, a, b: a.__iadd__(1),
)


def parts(rng: numpy.random.Generator, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Two parts of one shape: slices that leave few elements out, and indices."""
    found: list[tuple[Any, Any]] = []
    for extent in shape:
        low, left = rng.integers(0, min(3, extent), 2)
        count = max(extent - low - left, 1)
        other = rng.integers(0, extent - count + 1)
        axis = (slice(low, low + count), slice(other, other + count))
        found.append((low, other) if rng.random() < 0.2 else axis)
    return tuple([one for one, _ in found]), tuple([other for _, other in found])


@pytest.mark.parametrize("seed", [*range(3), *nightly(*range(3, 8))])
def test_random_parts(seed: int, form: xarr.Device) -> None:
    rng = numpy.random.default_rng(seed)
    for _ in range(4):
        shape = tuple(rng.integers(1, (300, 40, 12)[(axes := int(rng.integers(3)))], axes + 1))
        theirs = [(rng.random(shape) * 100).astype(rng.choice(["f4", "i4", "u1"])) for _ in "ab"]
        theirs[1] = theirs[1].astype(theirs[0].dtype)
        ours = [xarr.asarray(one.copy()) for one in theirs]
        make = MAKERS[rng.integers(len(MAKERS))]
        theirs.insert(0, make(numpy, *theirs))
        ours.insert(0, make(xarr, *ours))
        for _ in range(rng.integers(1, 6)):
            write = WRITES[rng.integers(len(WRITES))]
            places = parts(rng, shape)
            write(theirs[0], *places, *theirs[1:])
            write(ours[0], *places, *ours[1:])
        theirs.append(theirs[0].max())
        ours.append(ours[0].max())
        for got, wanted in zip(reversed(ours), reversed(theirs), strict=True):
            numpy.testing.assert_array_equal(xarr.to_numpy(got), wanted)


READERS = (
    lambda np, x: x.reshape(-1) * 2,
    lambda np, x: x.reshape(4, 9) * 2,
    lambda np, x: x[x > 2],
    lambda np, x: np.cumsum(x),
    lambda np, x: x.reshape(2, 18).sum(axis=1),
)


@pytest.mark.parametrize("read", READERS)
def test_what_has_parts_is_read_over_another_space(read: Any, form: xarr.Device) -> None:
    """Bounds are along the axes of the space of which elements are a part."""
    given = numpy.arange(36).reshape(6, 6)
    for value in (None, 7):
        results = []
        for np, x in ((numpy, given), (xarr, xarr.asarray(given))):
            whole = x + x
            whole[1:] = whole[1:] + 1 if value is None else value
            results.append(read(np, whole))
        numpy.testing.assert_array_equal(xarr.to_numpy(results[1]), results[0])
