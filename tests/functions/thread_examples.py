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
def double(data):  # type: ignore[no-untyped-def]
    idx = cuda.grid(1)
    if idx < data.size:
        data[idx] *= 2


@example
def doubled(of: Launch) -> Pair:
    x = numpy.arange(37, dtype="float32")
    data = on_device(x)
    of(double)[3, 16](data)
    return data, x * 2


@cuda.jit
def f(a, b, c):  # type: ignore[no-untyped-def]
    # like threadIdx.x + (blockIdx.x * blockDim.x)
    tid = cuda.grid(1)
    size = len(c)
    if tid < size:
        c[tid] = a[tid] + b[tid]


@example
def vector_add(of: Launch) -> Pair:
    a, b = RNG.normal(size=(2, 50)).astype("float32")
    c = on_device(numpy.zeros_like(a))
    of(f)[4, 16](on_device(a), on_device(b), c)
    return c, a + b


@cuda.jit
def increment_a_2D_array(an_array):  # type: ignore[no-untyped-def]  # noqa: N802 -- Numba's own
    x, y = cuda.grid(2)
    if x < an_array.shape[0] and y < an_array.shape[1]:
        an_array[x, y] += 1


@example
def increments(of: Launch) -> Pair:
    host = RNG.integers(0, 9, (5, 11))
    x = on_device(host)
    of(increment_a_2D_array)[(2, 3), (4, 4)](x)
    return x, host + 1


@cuda.jit
def matmul(A, B, C):  # type: ignore[no-untyped-def]  # noqa: N803 -- Numba's own
    i, j = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        tmp = 0.0
        for k in range(A.shape[1]):
            tmp += A[i, k] * B[k, j]
        C[i, j] = tmp


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


def products(kernel: Any, of: Launch) -> Pair:
    a, b = RNG.integers(-9, 9, (2, 10, 10)).astype("float32")
    c = on_device(numpy.zeros_like(a))
    of(kernel)[(3, 3), (TILE, TILE)](on_device(a), on_device(b.T).T, c)
    return c, a @ b


@example
def naive_product(of: Launch) -> Pair:
    return products(matmul, of)


@example
def tiled_product(of: Launch) -> Pair:
    return products(fast_matmul, of)


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
def hits(x, y, counts):  # type: ignore[no-untyped-def]
    start = xarr.kernel.grid(1)
    inside = 0
    for i in range(start, x.size, xarr.kernel.gridsize(1)):
        if x[i] ** 2 + y[i] ** 2 <= 1.0:
            inside += 1
    counts[start] = inside


@example
def monte_carlo(of: Launch) -> Pair:
    x, y = xarr.random.default_rng(3).random((2, 300), dtype="float32")
    counts = on_device(numpy.zeros(12, "int64"))
    of(hits)[3, 4](x, y, counts)
    a, b = numpy.asarray(x), numpy.asarray(y)
    return counts.sum(), (a * a + b * b <= 1).sum()


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
def transpose(x, out):  # type: ignore[no-untyped-def]
    tile = xarr.kernel.local_array((TILE, TILE + 1), x.dtype)
    tx, ty = xarr.kernel.local_id(0), xarr.kernel.local_id(1)
    bx, by = xarr.kernel.group_id(0) * TILE, xarr.kernel.group_id(1) * TILE
    if bx + tx < x.shape[1] and by + ty < x.shape[0]:
        tile[ty, tx] = x[by + ty, bx + tx]
    xarr.kernel.barrier()
    if by + tx < out.shape[1] and bx + ty < out.shape[0]:
        out[bx + ty, by + tx] = tile[tx, ty]


@example
def transposition(of: Launch) -> Pair:
    x = RNG.integers(0, 99, (7, 10)).astype("int16")
    out = on_device(numpy.zeros((10, 7), "int16"))
    of(transpose)[(3, 2), (TILE, TILE)](on_device(x), out)
    return out, x.T


@xarr.kernel
def bilinear(image, ys, xs, out):  # type: ignore[no-untyped-def]
    k = xarr.kernel.grid(1)
    i, j = math.floor(ys[k]), math.floor(xs[k])
    dy, dx = ys[k] - i, xs[k] - j
    above = image[i, j] * (1 - dx) + image[i, j + 1] * dx
    below = image[i + 1, j] * (1 - dx) + image[i + 1, j + 1] * dx
    out[k] = above * (1 - dy) + below * dy


@example
def bilinear_interpolation(of: Launch) -> Pair:
    image = RNG.random((6, 7)).astype("float32")
    ys, xs = (RNG.random((2, 20)) * [[4.9], [5.9]]).astype("float32")
    out = on_device(numpy.zeros_like(ys))
    of(bilinear).over(20)(on_device(image), on_device(ys), on_device(xs), out)
    i, j = ys.astype(int), xs.astype(int)
    dy, dx = ys - i.astype("float32"), xs - j.astype("float32")
    above = image[i, j] * (1 - dx) + image[i, j + 1] * dx
    below = image[i + 1, j] * (1 - dx) + image[i + 1, j + 1] * dx
    return out, above * (1 - dy) + below * dy


@xarr.kernel
def n_body(position, mass, softening, force):  # type: ignore[no-untyped-def]
    i = xarr.kernel.grid(1)
    total = xarr.kernel.private_array(3, position.dtype)
    apart = xarr.kernel.private_array(3, position.dtype)
    for axis in range(3):
        total[axis] = 0
    for j in range(position.shape[0]):
        square = softening
        for axis in range(3):
            apart[axis] = position[j, axis] - position[i, axis]
            square += apart[axis] * apart[axis]
        weight = mass[j] / (square * math.sqrt(square))
        for axis in range(3):
            total[axis] += weight * apart[axis]
    for axis in range(3):
        force[i, axis] = total[axis]


@example
def forces_of_bodies(of: Launch) -> Pair:
    place = RNG.normal(size=(9, 3)).astype("float32")
    mass = RNG.random(9).astype("float32")
    force = on_device(numpy.zeros_like(place))
    of(n_body).over(9)(on_device(place), on_device(mass), 0.125, force)
    wanted = numpy.zeros_like(place)
    for j in range(9):
        apart = place[j] - place
        square = numpy.float32(0.125)
        for axis in range(3):
            square = square + apart[:, axis] * apart[:, axis]
        wanted += (mass[j] / (square * numpy.sqrt(square)))[:, None] * apart
    return force, wanted


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
def csr_product(indptr, indices, data, x, y):  # type: ignore[no-untyped-def]
    row = xarr.kernel.grid(1)
    total = 0.0
    for k in range(indptr[row], indptr[row + 1]):
        total += data[k] * x[indices[k]]
    y[row] = total


@example
def sparse_product(of: Launch) -> Pair:
    dense = RNG.integers(-3, 4, (8, 6)) * (RNG.random((8, 6)) < 0.4)
    rows, columns = numpy.nonzero(dense)
    indptr = numpy.searchsorted(rows, numpy.arange(9)).astype("int32")
    x, y = numpy.arange(6, dtype="float32"), on_device(numpy.zeros(8, "float32"))
    data = dense[rows, columns].astype("float32")
    of(csr_product).over(8)(*map(on_device, (indptr, columns.astype("int32"), data, x)), y)
    return y, dense @ x


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


@xarr.kernel
def relax(distances, k):  # type: ignore[no-untyped-def]
    i, j = xarr.kernel.grid(2)
    through = distances[i, k] + distances[k, j]
    if through < distances[i, j]:  # never of row and column k, which other items read
        distances[i, j] = through


@example
def floyd_warshall(of: Launch) -> Pair:
    host = RNG.integers(1, 50, (6, 6))
    numpy.fill_diagonal(host, 0)
    x = on_device(host)
    for k in range(6):
        of(relax).over(x.shape)(x, k)
        host = numpy.minimum(host, host[:, k : k + 1] + host[k : k + 1])
    return x, host


@xarr.kernel
def align(a, b, diagonal, scores):  # type: ignore[no-untyped-def]
    i = xarr.kernel.grid(1) + 1
    j = diagonal - i
    if i < scores.shape[0] and 1 <= j < scores.shape[1]:
        score = 3 if a[i - 1] == b[j - 1] else -3
        gap = max(scores[i - 1, j], scores[i, j - 1]) - 2
        scores[i, j] = max(0, scores[i - 1, j - 1] + score, gap)


@example
def smith_waterman(of: Launch) -> Pair:
    a, b = RNG.integers(0, 4, (2, 9)).astype("uint8")
    scores = on_device(numpy.zeros((10, 10), "int32"))
    for diagonal in range(2, 19):
        of(align)[2, 8](on_device(a), on_device(b), diagonal, scores)
    wanted = numpy.zeros((10, 10), "int32")
    for i in range(1, 10):
        for j in range(1, 10):
            score = 3 if a[i - 1] == b[j - 1] else -3
            gap = max(wanted[i - 1, j], wanted[i, j - 1]) - 2
            wanted[i, j] = max(0, wanted[i - 1, j - 1] + score, gap)
    return scores, wanted
