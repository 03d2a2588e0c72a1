"""Kernels whose items wait for each other, split into loops over items between barriers."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import xarr
from xarr import kernel as cuda

N = 8


@cuda
def shifted(x, out):  # type: ignore[no-untyped-def]
    kept = cuda.local_array(N, xarr.int64)
    mine = cuda.private_array(2, xarr.int64)
    i = cuda.local_id(0)
    mine[0] = x[cuda.grid(1)]
    mine[1] = 7
    if i > 3:
        odd = 1
    else:
        odd = 10
    kept[i] = mine[0]
    cuda.barrier()
    mine[0] += kept[(i + 1) % N]
    odd += 1
    cuda.barrier()
    out[cuda.grid(1)] = mine[0] * mine[1] + odd


@cuda
def summed_in_turns(x, out):  # type: ignore[no-untyped-def]
    kept = cuda.local_array(N, xarr.int64)
    i = cuda.local_id(0)
    total = 0
    seen = 0
    for k in range(3):
        kept[i] = x[i] * (k + 1)
        cuda.barrier()
        seen += 1
        if i % 2 == 0:
            total += kept[N - 1 - i]
        if k == 1:
            cuda.barrier()
            kept[i] += seen
            cuda.barrier()
            total += kept[(i + 3) % N]
        cuda.barrier()
    out[cuda.grid(1)] = total + seen * 1000


@cuda
def left_early(x, out, most):  # type: ignore[no-untyped-def]
    kept = cuda.local_array(N, xarr.int64)
    if most < 0:
        return
    i = cuda.local_id(0)
    kept[i] = x[i]
    cuda.barrier()
    step = 1
    while True:
        if step > most:
            break
        value = kept[(i + step) % N]
        cuda.barrier()
        kept[i] += value
        cuda.barrier()
        step *= 2
    if i == 2:
        return
    last = kept[i] + step
    if last % 3 == 0:
        return
    for k in range(i):
        if k == 4:
            return
        out[i] = last + k


@cuda
def in_two_dimensions(x, out):  # type: ignore[no-untyped-def]
    tile = cuda.local_array((2, 4), xarr.int64)
    count = cuda.local_array(1, xarr.int32)
    tx, ty = cuda.local_id(0), cuda.local_id(1)
    if tx == 0 and ty == 0:
        count[0] = 0
    tile[ty, tx] = x[cuda.grid(2)[1], cuda.grid(2)[0]]
    cuda.barrier()
    before = cuda.atomic.add(count, 0, 1)
    cuda.barrier()
    i, j = cuda.grid(2)
    out[j, i] = tile[1 - ty, 3 - tx] + count[0] + (before >= 0)


@cuda
def waited(kept, i):  # type: ignore[no-untyped-def]
    cuda.barrier()
    return kept[(i + 1) % N]


@cuda
def waits_in_a_function(x, out):  # type: ignore[no-untyped-def]
    kept = cuda.local_array(N, xarr.int64)
    i = cuda.local_id(0)
    kept[i] = x[i]
    value = waited(kept, i)
    out[cuda.grid(1)] = value


@cuda
def swapped(x, out):  # type: ignore[no-untyped-def]
    kept = cuda.local_array((2, N), xarr.int64)
    i = cuda.local_id(0)
    now, then = 0, 1
    kept[now, i] = x[i]
    a, b = i, i * 2
    while then < 2 and now < 2:
        cuda.barrier()
        kept[then, i] = kept[now, N - 1 - i] + a
        a, b = b, a
        now, then = then, now + 2
    out[cuda.grid(1)] = kept[now % 2, i] * 100 + a * 10 + b


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (shifted, ()), (summed_in_turns, ()), (left_early, (5,)), (left_early, (-1,)),
    (in_two_dimensions, ()), (waits_in_a_function, ()), (swapped, ()),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}{case[1]}")
def test_barriers_give_what_python_gives(device: xarr.Device, case: Any) -> None:
    kernel, more = case
    is_flat = kernel is not in_two_dimensions
    host = numpy.arange(3, 3 + 3 * N) ** 2 % 101
    host = host if is_flat else host.reshape(6, 4)
    sizes = ((3,), (N,)) if is_flat else ((1, 3), (4, 2))
    found = []
    for launch in (kernel, kernel.interpret):
        out = xarr.zeros(host.shape, dtype="int64")
        launch[sizes](xarr.asarray(host), out, *more)
        found.append(out.tolist())
    assert found[0] == found[1]


def test_a_cpu_has_loops_between_barriers() -> None:
    for kernel, more in CASES:
        shape = (6, 4) if kernel is in_two_dimensions else (N,)
        x, out = (xarr.zeros(shape, dtype="int64") for _ in range(2))
        given = x, out
        form, _ = kernel._form(x.device, (*given, *more), 0)
        in_loops = form.raw._module._portable.in_loops
        assert ("XR_REGION_BEGIN" in in_loops._code.text) is (kernel is not waits_in_a_function)
        assert "XR_REGION" not in kernel.source(*given, *more)


# -- an item's own reads and writes keep their order ---------------------------------------------


@cuda.jit
def places(z, e, off):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    z[4 * i] += 1
    z[4 * i + off] = e[4 * i + 1]
    z[4 * i + 2] += 3


@cuda.jit
def local_places(z, e, off):  # type: ignore[no-untyped-def]
    s = cuda.shared.array((64, 4), xarr.float32)
    k = cuda.threadIdx.x
    for a in range(4):
        s[k, a] = e[k]
    cuda.syncthreads()
    s[k, 0] += 1
    s[k, off] = 100
    s[k, 2] += 3
    cuda.syncthreads()
    for a in range(4):
        z[4 * k + a] = s[k, a]


@cuda.jit
def one_array_twice(z, e, off):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    t = z[2 * i]
    e[2 * i + 1] = 9
    z[2 * i] = t + z[2 * i + off - 1]


@cuda.jit
def one_array_twice_at_a_barrier(z, e, off):  # type: ignore[no-untyped-def]
    s = cuda.shared.array(64, xarr.float32)
    k = cuda.threadIdx.x
    s[k] = k
    cuda.syncthreads()
    z[200] = 7
    u = e[198 + off]
    z[k] = u + s[63 - k]


@pytest.mark.parametrize("kernel", [places, local_places, one_array_twice])
@pytest.mark.parametrize("is_one", [False, True], ids=["two", "one"])
def test_reads_and_writes_of_an_item_keep_their_order(
    kernel: Any, is_one: bool, device: xarr.Device
) -> None:
    found = []
    for launch in (kernel, kernel.interpret):
        z = xarr.arange(256, dtype="float32")
        e = z if is_one else xarr.arange(256, dtype="float32") + 1
        launch[1, 64](z, e, 2)
        found.append((z.tolist(), e.tolist()))
    assert found[0] == found[1]


def test_memory_that_arguments_share_is_read_after_it_is_written(device: xarr.Device) -> None:
    for is_one in (False, True, False):
        z = xarr.arange(256, dtype="float32")
        one_array_twice_at_a_barrier[1, 64](z, z if is_one else z + 0, 2)
        assert z.tolist()[:64] == [(7 if is_one else 200) + 63 - k for k in range(64)]


def test_a_raw_kernel_keeps_the_order_of_an_items_writes(device: xarr.Device) -> None:
    code = (
        "KERNEL void r(GLOBAL float *p, const int axis) { const int i = (int)GLOBAL_ID(0); "
        "p[4*i] += 1; p[4*i+axis] = 100; p[4*i+2] += 3; }"
    )
    p = xarr.zeros(1024, dtype="float32")
    xarr.RawKernel(code, "r")(1, 256, (p, 2))
    assert p.reshape((256, 4)).tolist() == [[1.0, 0.0, 103.0, 0.0]] * 256
