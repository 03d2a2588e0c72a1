"""The loops of the kernels of `thread_kernels.py`, as one writes them for Numba on a CPU.

Those of kernels with barriers go over the items of a group from one barrier to the next. `PLAIN`
has what a program would have instead, where it needs no groups.
"""

# mypy: ignore-errors
# ruff: noqa: D103 -- the text is an example

from __future__ import annotations

import math

import numba
import numpy
from numba import prange
from numpy import float32, int32, int64

from benchmarks.thread_kernels import GROUP, TILE

parallel = numba.njit(parallel=True, cache=True)
PLAIN = {}


def plain(function):
    """Mark what gives the same by other loops."""
    PLAIN[function.__name__.removeprefix("plain_")] = parallel(function)
    return function


@parallel
def doubled(data):
    for i in prange(data.size):
        data[i] *= float32(2)


@parallel
def vector_add(a, b, c):
    for i in prange(c.size):
        c[i] = a[i] + b[i]


@parallel
def increments(x):
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] += 1


@parallel
def naive_product(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            total = float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@parallel
def tiled_product(a, b, c):
    rows, columns = c.shape[0] // TILE, c.shape[1] // TILE
    for group in prange(rows * columns):
        y, x = group // columns * TILE, group % columns * TILE
        a_tile = numpy.empty((TILE, TILE), float32)
        b_tile = numpy.empty((TILE, TILE), float32)
        total = numpy.zeros((TILE, TILE), float32)
        for i in range(a.shape[1] // TILE):
            for ty in range(TILE):
                for tx in range(TILE):
                    a_tile[ty, tx] = a[y + ty, i * TILE + tx]
                    b_tile[ty, tx] = b[i * TILE + ty, x + tx]
            for ty in range(TILE):
                for tx in range(TILE):
                    for j in range(TILE):
                        total[ty, tx] += a_tile[ty, j] * b_tile[j, tx]
        for ty in range(TILE):
            for tx in range(TILE):
                c[y + ty, x + tx] = total[ty, tx]


@plain
def plain_tiled_product(a, b, c):
    for i in prange(c.shape[0]):
        c[i] = 0
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@parallel
def group_sums(data, sums):
    items = data.size // sums.size
    for group in prange(sums.size):
        kept = numpy.empty(GROUP, int32)
        for tid in range(items):
            kept[tid] = data[group * items + tid]
        s = 1
        while s < items:
            for tid in range(items):
                if tid % (2 * s) == 0:
                    kept[tid] += kept[tid + s]
            s *= 2
        sums[group] = kept[0]


@plain
def plain_group_sums(data, sums):
    for group in prange(sums.size):
        total = int32(0)
        for tid in range(GROUP):
            total += data[group * GROUP + tid]
        sums[group] = total


@parallel
def histogram(x, low, high, counts):
    width = (high - low) / float32(counts.shape[0])
    parts = 16  # which the threads share
    each = numpy.zeros((parts, counts.size), int32)
    for part in prange(parts):
        for i in range(x.size * part // parts, x.size * (part + 1) // parts):
            place = math.floor((x[i] - low) / width)
            if 0 <= place < counts.size:
                each[part, place] += 1
    counts += each.sum(0).astype(int32)


@parallel
def laplace(u, new):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            new[i, j] = float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@parallel
def monte_carlo(x, y, counts):
    for start in prange(counts.size):
        inside = 0
        for i in range(start, x.size, counts.size):
            if x[i] * x[i] + y[i] * y[i] <= float32(1):
                inside += 1
        counts[start] = inside


@parallel
def life(world, new):
    rows, columns = world.shape
    for i in prange(rows):
        for j in range(columns):
            count = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if (di != 0 or dj != 0) and world[(i + di) % rows, (j + dj) % columns]:
                        count += 1
            new[i, j] = count == 3 or (count == 2 and world[i, j])


@numba.njit(cache=True)
def prefix_sums_of_group(x, out):
    sums = numpy.empty((2, GROUP), int64)
    for i in range(GROUP):
        sums[0, i] = x[i]
    now, then = 1, 0
    step = 1
    while step < GROUP:
        for i in range(GROUP):
            sums[now, i] = sums[then, i] + (sums[then, i - step] if i >= step else 0)
        now, then = then, now
        step <<= 1
    for i in range(GROUP):
        out[i] = sums[then, i]


@parallel
def prefix_sums(x, out):
    for group in prange(x.shape[0]):  # a function, as Numba does not come to an end of one loop
        prefix_sums_of_group(x[group], out[group])


@plain
def plain_prefix_sums(x, out):
    for group in prange(x.shape[0]):
        total = 0
        for i in range(GROUP):
            total += x[group, i]
            out[group, i] = total


@parallel
def transposition(x, out):
    rows, columns = x.shape[0] // TILE, x.shape[1] // TILE
    for group in prange(rows * columns):
        by, bx = group // columns * TILE, group % columns * TILE
        tile = numpy.empty((TILE, TILE + 1), float32)
        for ty in range(TILE):
            for tx in range(TILE):
                tile[ty, tx] = x[by + ty, bx + tx]
        for ty in range(TILE):
            for tx in range(TILE):
                out[bx + ty, by + tx] = tile[tx, ty]


@plain
def plain_transposition(x, out):
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[j, i]


@parallel
def bilinear(image, ys, xs, out):
    for k in prange(out.size):
        i, j = math.floor(ys[k]), math.floor(xs[k])
        dy, dx = ys[k] - float32(i), xs[k] - float32(j)
        above = image[i, j] * (float32(1) - dx) + image[i, j + 1] * dx
        below = image[i + 1, j] * (float32(1) - dx) + image[i + 1, j + 1] * dx
        out[k] = above * (float32(1) - dy) + below * dy


@parallel
def n_body(position, mass, softening, force):
    for i in prange(position.shape[0]):
        x = y = z = float32(0)
        for j in range(position.shape[0]):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            square = softening + dx * dx + dy * dy + dz * dz
            weight = mass[j] / (square * math.sqrt(square))
            x += weight * dx
            y += weight * dy
            z += weight * dz
        force[i, 0] = x
        force[i, 1] = y
        force[i, 2] = z


@parallel
def nearest(points, queries, best, places):
    for q in prange(queries.shape[0]):
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


@parallel
def sparse_product(indptr, indices, data, x, y):
    for row in prange(y.size):
        total = float32(0)
        for k in range(indptr[row], indptr[row + 1]):
            total += data[k] * x[indices[k]]
        y[row] = total


@parallel
def mandelbrot(x, y, image, limit):
    for i in prange(image.shape[0]):
        for j in range(image.shape[1]):
            a, b = float32(0), float32(0)
            found = limit
            for n in range(limit):
                a, b = a * a - b * b + x[j], float32(2) * a * b + y[i]
                if a * a + b * b >= float32(4):
                    found = n
                    break
            image[i, j] = found


@parallel
def bitonic_sort(x):
    for group in prange(x.shape[0]):
        kept = x[group].copy()
        k = 2
        while k <= GROUP:
            j = k // 2
            while j > 0:
                for i in range(GROUP):
                    other = i ^ j
                    if other > i and (kept[i] > kept[other]) == (i & k == 0):
                        kept[i], kept[other] = kept[other], kept[i]
                j //= 2
            k *= 2
        x[group] = kept


@plain
def plain_bitonic_sort(x):
    for group in prange(x.shape[0]):
        x[group].sort()


@parallel
def floyd_warshall(distances, k):
    for i in prange(distances.shape[0]):
        for j in range(distances.shape[1]):
            distances[i, j] = min(distances[i, j], distances[i, k] + distances[k, j])


@parallel
def smith_waterman(a, b, diagonal, scores):
    for i in prange(1, scores.shape[0]):
        j = diagonal - i
        if 1 <= j < scores.shape[1]:
            score = 3 if a[i - 1] == b[j - 1] else -3
            gap = max(scores[i - 1, j], scores[i, j - 1]) - 2
            scores[i, j] = max(0, scores[i - 1, j - 1] + score, gap)
