"""The kernels by threads of `tests/functions/thread_examples.py`, at sizes of programs.

The text has Numba's words, of which `cuda` has a library's: `threads.py` executes it again with
Numba's own. Numbers have their type written, as Numba would compute in float64 with Python's. The
lines marked ``over`` take the last axis for the first dimension.
"""

# mypy: ignore-errors
# ruff: noqa: D103, RUF046 -- the text is an example, and Numba's floor gives a float

from __future__ import annotations

import math

from numpy import float32, int32, int64

from xarr import kernel as cuda

TILE = 16
PADDED = TILE + 1
GROUP = 256


@cuda.jit
def doubled(data):
    i = cuda.grid(1)
    if i < data.size:
        data[i] *= float32(2)


@cuda.jit
def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < len(c):
        c[i] = a[i] + b[i]


@cuda.jit
def increments(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] += 1


@cuda.jit
def naive_product(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def tiled_product(a, b, c):
    a_tile = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    b_tile = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = float32(0)
    for i in range(cuda.gridDim.x):
        a_tile[ty, tx] = 0
        b_tile[ty, tx] = 0
        if y < a.shape[0] and tx + i * TILE < a.shape[1]:
            a_tile[ty, tx] = a[y, tx + i * TILE]
        if x < b.shape[1] and ty + i * TILE < b.shape[0]:
            b_tile[ty, tx] = b[ty + i * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += a_tile[ty, j] * b_tile[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@cuda.jit
def group_sums(data, sums):
    kept = cuda.shared.array(GROUP, int32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < len(data):
        kept[tid] = data[i]
    else:
        kept[tid] = 0
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        if tid % (2 * s) == 0:
            kept[tid] += kept[tid + s]
        s *= 2
        cuda.syncthreads()
    if tid == 0:
        sums[cuda.blockIdx.x] = kept[0]


@cuda.jit
def histogram(x, low, high, counts):
    start = cuda.grid(1)
    width = (high - low) / float32(counts.shape[0])
    for i in range(start, x.shape[0], cuda.gridsize(1)):
        place = int(math.floor((x[i] - low) / width))
        if 0 <= place < counts.shape[0]:
            cuda.atomic.add(counts, place, 1)


@cuda.jit
def laplace(u, new):
    i, j = cuda.grid(2)  # over
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        new[i, j] = float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@cuda.jit
def monte_carlo(x, y, counts):
    start = cuda.grid(1)
    inside = 0
    for i in range(start, x.size, cuda.gridsize(1)):
        if x[i] * x[i] + y[i] * y[i] <= float32(1):
            inside += 1
    counts[start] = inside


@cuda.jit(device=True)
def alive(world, i, j):
    rows, columns = world.shape
    return world[i % rows, j % columns]


@cuda.jit
def life(world, new):
    i, j = cuda.grid(2)  # over
    count = 0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if (di != 0 or dj != 0) and alive(world, i + di, j + dj):
                count += 1
    new[i, j] = count == 3 or (count == 2 and world[i, j])


@cuda.jit
def prefix_sums(x, out):
    sums = cuda.shared.array((2, GROUP), int64)
    i = cuda.threadIdx.x
    group = cuda.blockIdx.x
    n = cuda.blockDim.x
    sums[0, i] = x[group, i]
    now, then = 1, 0
    step = 1
    while step < n:
        cuda.syncthreads()
        sums[now, i] = sums[then, i] + (sums[then, i - step] if i >= step else 0)
        now, then = then, now
        step <<= 1
    out[group, i] = sums[then, i]


@cuda.jit
def transposition(x, out):
    tile = cuda.shared.array((TILE, PADDED), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    bx, by = cuda.blockIdx.x * TILE, cuda.blockIdx.y * TILE
    if bx + tx < x.shape[1] and by + ty < x.shape[0]:
        tile[ty, tx] = x[by + ty, bx + tx]
    cuda.syncthreads()
    if by + tx < out.shape[1] and bx + ty < out.shape[0]:
        out[bx + ty, by + tx] = tile[tx, ty]


@cuda.jit
def bilinear(image, ys, xs, out):
    k = cuda.grid(1)
    i, j = int(math.floor(ys[k])), int(math.floor(xs[k]))
    dy, dx = ys[k] - float32(i), xs[k] - float32(j)
    above = image[i, j] * (float32(1) - dx) + image[i, j + 1] * dx
    below = image[i + 1, j] * (float32(1) - dx) + image[i + 1, j + 1] * dx
    out[k] = above * (float32(1) - dy) + below * dy


@cuda.jit
def n_body(position, mass, softening, force):
    i = cuda.grid(1)
    total = cuda.local.array(3, float32)
    apart = cuda.local.array(3, float32)
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


@cuda.jit
def nearest(points, queries, best, places):
    q = cuda.grid(1)
    k = best.shape[1]
    for n in range(k):
        best[q, n] = math.inf
        places[q, n] = -1
    for p in range(points.shape[0]):
        apart = float32(0)
        for axis in range(points.shape[1]):
            difference = points[p, axis] - queries[q, axis]
            apart += difference * difference
        n = k
        while n > 0 and apart < best[q, n - 1]:
            if n < k:
                best[q, n], places[q, n] = best[q, n - 1], places[q, n - 1]
            n -= 1
        if n < k:
            best[q, n], places[q, n] = apart, p


@cuda.jit
def sparse_product(indptr, indices, data, x, y):
    row = cuda.grid(1)
    total = float32(0)
    for k in range(indptr[row], indptr[row + 1]):
        total += data[k] * x[indices[k]]
    y[row] = total


@cuda.jit(device=True)
def escape_time(x, y, limit):
    a, b = float32(0) * x, float32(0) * y
    for n in range(limit):
        a, b = a * a - b * b + x, float32(2) * a * b + y
        if a * a + b * b >= float32(4):
            return n
    return limit


@cuda.jit
def mandelbrot(x, y, image, limit):
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        image[i, j] = escape_time(x[j], y[i], limit)


@cuda.jit
def bitonic_sort(x):
    kept = cuda.shared.array(GROUP, float32)
    i = cuda.threadIdx.x
    kept[i] = x[cuda.blockIdx.x, i]
    k = 2
    while k <= GROUP:
        j = k // 2
        while j > 0:
            cuda.syncthreads()
            other = i ^ j
            if other > i and (kept[i] > kept[other]) == (i & k == 0):
                kept[i], kept[other] = kept[other], kept[i]
            j //= 2
        k *= 2
    cuda.syncthreads()
    x[cuda.blockIdx.x, i] = kept[i]


@cuda.jit
def floyd_warshall(distances, k):
    i, j = cuda.grid(2)  # over
    distances[i, j] = min(distances[i, j], distances[i, k] + distances[k, j])


@cuda.jit
def smith_waterman(a, b, diagonal, scores):
    i = cuda.grid(1) + 1
    j = diagonal - i
    if i < scores.shape[0] and 1 <= j < scores.shape[1]:
        score = 3 if a[i - 1] == b[j - 1] else -3
        gap = max(scores[i - 1, j], scores[i, j - 1]) - 2
        scores[i, j] = max(0, scores[i - 1, j - 1] + score, gap)


@cuda.jit
def delay(out, turns):
    value = float32(1)
    for _ in range(turns):
        value = value * float32(0.5) + float32(1)
    out[0] = value
