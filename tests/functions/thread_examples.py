"""Kernels by threads as Numba's documentation and programs have them, and NumPy's values.

Each example is a function that is given what launches a kernel, so that it runs on the device and
in Python. It returns what the kernel gives, and what NumPy gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import xarr
from xarr import kernel as cuda

TILE = 4
BINS = 8
RNG = numpy.random.default_rng(64)
Launch = Callable[[Any], Any]
Pair = tuple[Any, Any]
EXAMPLES = list[Callable[[Launch], Pair]]()


def example(function: Callable[[Launch], Pair]) -> Callable[[Launch], Pair]:
    EXAMPLES.append(function)
    return function


def on_device(values: Any) -> Any:
    return xarr.asarray(numpy.asarray(values))


@cuda.jit
def fast_matmul(A, B, C):  # type: ignore[no-untyped-def]  # noqa: N803 -- Numba's own
    sA = cuda.shared.array(shape=(TILE, TILE), dtype=xarr.float32)  # noqa: N806
    sB = cuda.shared.array(shape=(TILE, TILE), dtype=xarr.float32)  # noqa: N806
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bpg = cuda.gridDim.x
    tmp = xarr.float32(0.0)
    for i in range(bpg):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TILE) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TILE]
        if x < B.shape[1] and (ty + i * TILE) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            tmp += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp


@example
def tiled_product(of: Launch) -> Pair:
    a, b = RNG.integers(-9, 9, (2, 10, 10)).astype("float32")
    c = on_device(numpy.zeros_like(a))
    of(fast_matmul)[(3, 3), (TILE, TILE)](on_device(a), on_device(b.T).T, c)
    return c, a @ b


@cuda.jit
def array_sum(data):  # type: ignore[no-untyped-def]
    tid = cuda.threadIdx.x
    size = len(data)
    if tid < size:
        i = cuda.grid(1)
    else:
        i = 0
    shr = cuda.shared.array(16, xarr.int32)
    shr[tid] = data[i]
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        if tid % (2 * s) == 0:
            shr[tid] += shr[tid + s]
        s *= 2
        cuda.syncthreads()
    if tid == 0:
        data[tid] = shr[tid]


@example
def sum_in_a_group(of: Launch) -> Pair:
    data = on_device(numpy.arange(16, dtype="int32"))
    of(array_sum)[1, 16](data)
    return data[0], numpy.int32(120)


@xarr.kernel
def histogram(x, low, high, counts):  # type: ignore[no-untyped-def]
    start = xarr.kernel.grid(1)
    width = (high - low) / counts.shape[0]
    for i in range(start, x.shape[0], xarr.kernel.gridsize(1)):
        place = math.floor((x[i] - low) / width)
        if 0 <= place < counts.shape[0]:
            xarr.kernel.atomic.add(counts, place, 1)


@example
def histogram_with_atomics(of: Launch) -> Pair:
    x = RNG.uniform(-1, 5, 200).astype("float32")
    counts = on_device(numpy.zeros(BINS, "int32"))
    of(histogram)[3, 8](on_device(x), 0.0, 4.0, counts)
    places = (x / numpy.float32(0.5)).astype(int)
    return counts, numpy.bincount(places[(x >= 0) & (places < BINS)], minlength=BINS)


@xarr.kernel
def laplace(u, new):  # type: ignore[no-untyped-def]
    i, j = xarr.kernel.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@example
def laplace_by_ping_pong(of: Launch) -> Pair:
    host = numpy.zeros((9, 7), "float32")
    host[0] = 1
    u, new = on_device(host), on_device(host)
    for _ in range(4):
        of(laplace).over(u.shape)(u, new)
        u, new = new, u
        inner = host[:-2, 1:-1] + host[2:, 1:-1] + host[1:-1, :-2] + host[1:-1, 2:]
        host = host.copy()
        host[1:-1, 1:-1] = numpy.float32(0.25) * inner
    return u, host


@xarr.kernel
def alive(world, i, j):  # type: ignore[no-untyped-def]
    rows, columns = world.shape
    return world[i % rows, j % columns]


@xarr.kernel
def life(world, new):  # type: ignore[no-untyped-def]
    i, j = xarr.kernel.grid(2)
    count = 0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if (di != 0 or dj != 0) and alive(world, i + di, j + dj):
                count += 1
    new[i, j] = count == 3 or (count == 2 and world[i, j])


@example
def game_of_life(of: Launch) -> Pair:
    host = RNG.random((8, 9)) < 0.4
    new = on_device(numpy.zeros_like(host))
    of(life).over(host.shape)(on_device(host), new)
    moves = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    count = sum(numpy.roll(host, move, (0, 1)).astype(int) for move in moves)
    return new, (count == 3) | ((count == 2) & host)


@xarr.kernel
def prefix_sum(x, out):  # type: ignore[no-untyped-def]
    sums = xarr.kernel.local_array((2, 16), xarr.int64)
    i = xarr.kernel.local_id(0)
    n = xarr.kernel.local_size(0)
    sums[0, i] = x[i]
    now, then = 1, 0
    step = 1
    while step < n:
        xarr.kernel.barrier()
        sums[now, i] = sums[then, i] + (sums[then, i - step] if i >= step else 0)
        now, then = then, now
        step <<= 1
    out[i] = sums[then, i]


@example
def prefix_sums(of: Launch) -> Pair:
    x = RNG.integers(-9, 9, 16)
    out = on_device(numpy.zeros_like(x))
    of(prefix_sum)[1, 16](on_device(x), out)
    return out, numpy.cumsum(x)


@xarr.kernel
def nearest(points, queries, best, places):  # type: ignore[no-untyped-def]
    q = xarr.kernel.grid(1)
    k = best.shape[1]
    for n in range(k):
        best[q, n] = math.inf
        places[q, n] = -1
    for p in range(points.shape[0]):
        apart = 0.0
        for axis in range(points.shape[1]):
            apart += (points[p, axis] - queries[q, axis]) ** 2
        n = k
        while n > 0 and apart < best[q, n - 1]:
            if n < k:
                best[q, n], places[q, n] = best[q, n - 1], places[q, n - 1]
            n -= 1
        if n < k:
            best[q, n], places[q, n] = apart, p


@example
def nearest_neighbours(of: Launch) -> Pair:
    points, queries = RNG.normal(size=(15, 2)), RNG.normal(size=(6, 2))
    points, queries = points.astype("float32"), queries.astype("float32")
    best = on_device(numpy.zeros((6, 3), "float32"))
    places = on_device(numpy.zeros((6, 3), "int32"))
    of(nearest).over(6)(on_device(points), on_device(queries), best, places)
    apart = ((points[None] - queries[:, None]) ** 2).sum(-1)
    return places, numpy.argsort(apart, axis=1)[:, :3]


@xarr.kernel
def escape_time(x, y, limit):  # type: ignore[no-untyped-def]
    a, b = 0.0 * x, 0.0 * y
    for n in range(limit):
        a, b = a * a - b * b + x, 2 * a * b + y
        if a * a + b * b >= 4:
            return n
    return limit


@xarr.kernel
def mandelbrot(x, y, image, limit):  # type: ignore[no-untyped-def]
    i, j = xarr.kernel.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        image[i, j] = escape_time(x[j], y[i], limit)


@example
def mandelbrot_set(of: Launch) -> Pair:
    x, y = (numpy.linspace(*ends, 12).astype("float32") for ends in ((-2, 1), (-1, 1)))
    image = on_device(numpy.zeros((12, 12), "uint8"))
    of(mandelbrot)[(3, 3), (4, 4)](on_device(x), on_device(y), image, 20)
    a, b = numpy.zeros((2, 12, 12), "float32")
    wanted = numpy.full((12, 12), 20)
    with numpy.errstate(all="ignore"):
        for n in range(20):
            a, b = a * a - b * b + x, 2 * a * b + y[:, None]
            wanted[(a * a + b * b >= 4) & (wanted == 20)] = n
    return image, wanted


@xarr.kernel
def bitonic_sort(x):  # type: ignore[no-untyped-def]
    kept = xarr.kernel.local_array(16, xarr.float32)
    i = xarr.kernel.local_id(0)
    kept[i] = x[xarr.kernel.group_id(0), i]
    k = 2
    while k <= 16:
        j = k // 2
        while j > 0:
            xarr.kernel.barrier()
            other = i ^ j
            if other > i and (kept[i] > kept[other]) == (i & k == 0):
                kept[i], kept[other] = kept[other], kept[i]
            j //= 2
        k *= 2
    xarr.kernel.barrier()
    x[xarr.kernel.group_id(0), i] = kept[i]


@example
def bitonic_sorts(of: Launch) -> Pair:
    host = RNG.normal(size=(2, 16)).astype("float32")
    x = on_device(host)
    of(bitonic_sort)[2, 16](x)
    return x, numpy.sort(host, axis=1)
