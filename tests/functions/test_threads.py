"""Kernels by threads, written in Python: on the device of the run, and item by item in Python."""

from __future__ import annotations

import enum
import importlib
import math
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.random_programs import lines_alike
from tests.functions.test_own_c import ON_GPU
from tests.functions.thread_examples import EXAMPLES
from tests.kernels.nvrtc import compile_cuda
from tests.processes import run_code
from xarr import kernel as cuda
from xarr.user_kernels.threads import arguments


@pytest.mark.parametrize("mode", ["device", "python"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.__name__)
def test_examples_have_numpys_values(device: xarr.Device, example: Any, mode: str) -> None:
    found, wanted = example(lambda kernel: kernel if mode == "device" else kernel.interpret)
    assert numpy.array_equal(numpy.asarray(found), wanted)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.__name__)
def test_examples_compile_for_cuda(indices: str, example: Any) -> None:
    *_, form = ran(example)
    assert ("(i64)(u32)" in form.code) == (indices == "narrow")
    compile_cuda(form.raw._module._text(ON_GPU, form.raw.name), "sm_90")


# -- random programs --------------------------------------------------------------------------

PROGRAMS = 40


@pytest.mark.parametrize("part", range(5))
def test_random_programs_have_the_bits_of_python(device: xarr.Device, part: int) -> None:
    if not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    for number in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        lines_alike(number, number)


@xarr.kernel
def squared_again_and_again(n, out):  # type: ignore[no-untyped-def]
    t = cuda.grid(1)
    i = 0
    j = n[t]
    for step in range(-2, 2):
        i += step
    if i > n[t] and n[t] == 4:
        out[t, 2] = 1
    else:
        for step in range(-1, 5):
            j += step
            i *= i
    out[t, 0] = i
    out[t, 1] = j


def test_squares_in_a_loop_are_computed(device: xarr.Device) -> None:
    """gcc 12 took i from before the second loop."""
    found = []
    for launch in (squared_again_and_again, squared_again_and_again.interpret):
        out = xarr.zeros((4, 3), dtype="int64")
        launch[2, 2](xarr.asarray([18, 19, 28, 71]), out)
        found.append(out.tolist())
    assert found[0] == found[1]


# -- arrays and numbers -----------------------------------------------------------------------


@pytest.fixture(params=["wide", "narrow"])
def indices(
    device: xarr.Device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> str:
    """How indices are computed: with 64 bits, or with 32 as on GPUs."""
    monkeypatch.setattr(arguments, "LARGE", 1 << 30 if request.param == "narrow" else 0)
    monkeypatch.setattr(arguments, "NARROW_ON", ("cpu", "gpu"))
    return str(request.param)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.__name__)
def test_examples_with_indices_of_32_and_64_bits(indices: str, example: Any) -> None:
    found, wanted, form = ran(example)
    assert numpy.array_equal(numpy.asarray(found), wanted)
    assert ("(i64)(u32)" in form.code) == (indices == "narrow")
    if indices == "narrow":
        compile_cuda(form.raw._module._text(ON_GPU, form.raw.name), "sm_90")


def ran(example: Any) -> tuple[Any, Any, Any]:
    """Run an example with a kernel that knows no launch; return both results and its form."""
    kernels = list[Any]()

    def of(kernel: Any) -> Any:
        kernels.append(forgotten(kernel))
        return kernel

    found, wanted = example(of)
    return found, wanted, next(iter(kernels[0]._forms.values()))


def forgotten(kernel: Any) -> Any:
    """Return a kernel that has forgotten its forms and launches."""
    kernel._forms.clear()
    kernel._repeats._known.clear()
    return kernel


MOST = 2**31 - 1


@xarr.kernel
def far(x, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    m = x.shape[0]
    out[i, 0] = (i + MOST) % m
    out[i, 1] = (i - MOST - 2) % m
    out[i, 2] = i * 65536 * 65536 % (m + MOST)
    out[i, 3] = (i + MOST) // 2 + (i - MOST) // 2
    out[i, 4] = x[(i - 1 + m) % m] + x[(i - 1) % m] + x[(i - 2) % m] + x[(i + MOST) % m]
    out[i, 5] = (i << 31) % m + (i | MOST) + (i & MOST) + (i ^ MOST)
    v = 1
    for _ in range(70):
        v += v + i  # wraps around, so that it is below m and 0
        if v < m:
            out[i, 6] += v % m + v // 4 + (0 if v < 0 else x[v])
    w = numpy.int8(3)
    for k in range(125, 131):
        w = k  # -128, then -127 and -126
        out[i, 7] += x[w]
    for k in range(MOST - 2, MOST):
        out[i, 8] += k % m + (k - MOST) % m
    for k in range(MOST - 2, MOST + 3, 2):
        out[i, 9] += k % m + k // 3
    for k in range(-MOST, -MOST - 4, -1):
        out[i, 10] += k % m + (k + i) % m
    out[i, 11] = (i + MOST > MOST) + (i - MOST - 1 < -MOST) + (i * MOST >= MOST)
    k = MOST - 1
    while k < MOST + i:
        out[i, 11] += k % m
        k += 1
    out[i, 11] += k * k % m + remainder_of(i + MOST, m) + remainder_of(-i, m)


@xarr.kernel
def remainder_of(a, b):  # type: ignore[no-untyped-def]
    return a % b * 3 + (a - b) % b


@pytest.mark.parametrize("count", [128, 131])
def test_numbers_near_the_ends_of_32_bits(indices: str, count: int) -> None:
    forgotten(far)
    for view in (slice(None), slice(None, None, -1)):
        found = []
        for launch in (far, far.interpret):
            x = xarr.arange(count)[view]
            out = xarr.zeros((6, 12), dtype="int64")
            launch.over(6)(x, out)
            found.append(out.tolist())
        assert found[0] == found[1]
        grid = xarr.zeros((6, 12), dtype="int64")
        far[2, 3](xarr.arange(count)[view], grid)
        assert grid.tolist() == found[0]
    for word in ("xr_cyclic_i32", "xr_cyclic_u32"):
        assert (word in far.source(x, out)) == (indices == "narrow")


@xarr.kernel
def grown(x, one, most, long, out):  # type: ignore[no-untyped-def]
    t = cuda.grid(1)
    n = x.shape[0]
    for i in range(0, 20000, x[100 + t]):
        w = numpy.int8(i)
        out[t, 0] += x[w]  # from the end, where it wraps around
    u = long[t]
    if u > 5:
        v = int(u)
        out[t, 1] = 17 % v + (x[v] if -n < v < n else 0)
    a = 1
    b = t + 1
    for _ in range(100):
        a, b = b, a + b  # wraps around
        out[t, 2] += n % b + (b + 1) % n
        out[t, 3] += numpy.uint64(5) < b
    if most > 5:
        b = most + 1
        out[t, 4] = 17 % b + 17 % (max(most, t) + 1)
    k = t
    if k < 1:  # one item, as all have the same element
        k = k + 1
        if one >= k:
            one[()] = 0
            out[t, 5] = x[one - k]


def test_numbers_that_wrap_around_may_be_negative(indices: str) -> None:
    forgotten(grown)
    long = xarr.asarray(numpy.array([2**64 - 1, 2**63 + 5, 7], "uint64"))
    found = []
    for launch in (grown, grown.interpret):
        one, out = xarr.asarray(50), xarr.zeros((3, 6), dtype="int64")
        launch.over(3)(xarr.arange(200), one, 2**63 - 1, long, out)
        found.append(out.tolist())
    assert found[0] == found[1]


def test_large_launches_and_arrays_have_indices_of_64_bits(
    device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "NARROW_ON", ("cpu", "gpu"))
    monkeypatch.setattr(arguments, "LARGE", 100)
    x = xarr.zeros(300, dtype="int32")
    for array, grid, is_narrow in ((x[:90], 9, 1), (x[:90], 10, 0), (x, 9, 0), (x[:180:2], 9, 0)):
        forgotten(beyond)[grid, 10](array)
        *_, form = beyond._forms.values()
        assert ("(i64)(u32)" in form.code) == is_narrow
    forgotten(beyond)[iter([10]), 10](x[:90])
    assert "(i64)(u32)" not in next(iter(beyond._forms.values())).code
    wanted = numpy.zeros(300, "int32")
    for part in (slice(90), slice(90), slice(90), slice(0, 180, 2), slice(90)):
        wanted[part] += 1
    assert numpy.array_equal(numpy.asarray(x), wanted)


@xarr.kernel
def beyond(x):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@xarr.kernel
def scaled(x, out, factor):  # type: ignore[no-untyped-def]
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, -1 - j] = x[i][j - x.shape[1]] * factor


def test_two_views_of_one_memory(device: xarr.Device) -> None:
    for launch in (scaled, scaled.interpret):
        for view in (lambda x: x[:4], lambda x: x.reshape(12, 4)[::-2].T):
            memory, wanted = xarr.arange(48.0).reshape(8, 6), numpy.arange(48.0).reshape(8, 6)
            x, host = view(memory), view(wanted)
            launch.over((4, 3))(x[:, :3], x[:, 3:], 10)
            host[:, :2:-1] = host[:, :3] * 10
            assert numpy.array_equal(numpy.asarray(memory), wanted)


@xarr.kernel
def combined(x, y, number, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    out[i] = x[i] * number + y[i]


NUMBERS = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
    "float64",
]  # fmt: skip


@pytest.mark.parametrize("dtype", NUMBERS)
def test_data_types_promote_as_numpys(device: xarr.Device, dtype: str) -> None:
    if not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    numbers = (3, 2.5, numpy.float32(1.5), numpy.int16(3))
    for place, other in enumerate(NUMBERS):
        number = numbers[(place + len(dtype)) % 4]
        x, y = numpy.asarray([1, 0, 1], dtype), numpy.asarray([1, 1, 0], other)
        wanted = (x * number + y).astype("float64").tolist()
        for launch in (combined, combined.interpret):
            out = xarr.zeros(3)
            launch.over(3)(xarr.asarray(x), xarr.asarray(y), number, out)
            assert out.tolist() == wanted
    x, y, out = (xarr.zeros(3, dtype="float32") for _ in range(3))
    text = combined.source(x, y, 2.5, out)
    assert "f64 v_" not in text.replace("f64 v_number", "")


@xarr.kernel
def halves(x, y, wide):  # type: ignore[no-untyped-def]
    kept = cuda.private_array(2, x.dtype)
    i = cuda.grid(1)
    kept[0] = x[i] * 3
    kept[0] += 0.1
    y[-1 - i] = kept[0] + x[-1 - i]
    wide[i] = x[i]
    x[i] *= numpy.float32(1.001)


def test_float16_is_computed_with_as_float32(device: xarr.Device) -> None:
    host = numpy.random.default_rng(0).normal(size=4000).astype("float16")
    for launch in (halves, halves.interpret):
        x = xarr.asarray(host)
        y, wide = xarr.zeros(4000, dtype="float16"), xarr.zeros(4000, dtype="float32")
        launch.over(2000)(x, y, wide)
        part = host[:2000].astype("float32")
        kept = (part * 3).astype("float16").astype("float32") + numpy.float32(0.1)
        wanted = kept.astype("float16").astype("float32") + host[:1999:-1].astype("float32")
        assert numpy.array_equal(numpy.asarray(y)[:1999:-1], wanted.astype("float16"))
        assert numpy.array_equal(numpy.asarray(wide)[:2000], part)
        changed = (part * numpy.float32(1.001)).astype("float16")
        assert numpy.array_equal(numpy.asarray(x)[:2000], changed)


@xarr.kernel
def functions(x, y, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    out[0, i] = math.exp(x[i])
    out[1, i] = numpy.sin(x[i])
    out[2, i] = math.pow(abs(x[i]), y[i])
    out[3, i] = xarr.arctan2(y[i], x[i])
    out[4, i] = numpy.maximum(x[i], y[i])
    out[5, i] = x[i] ** 3
    out[6, i] = abs(x[i]) ** 0.5
    out[7, i] = abs(x[i]) ** y[i]
    out[8, i] = math.log1p(abs(x[i]))
    out[9, i] = math.tanh(x[i])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_have_the_bits_of_arrays(device: xarr.Device, dtype: str) -> None:
    if dtype == "float64" and not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    rng = numpy.random.default_rng(1)
    x, y = (xarr.asarray(part.astype(dtype)) for part in rng.normal(size=(2, 200)))
    out = xarr.zeros((10, 200), dtype=dtype)
    functions.over(200)(x, y, out)
    a = xarr.abs(x)
    wanted = [xarr.exp(x), xarr.sin(x), xarr.pow(a, y), xarr.arctan2(y, x), xarr.maximum(x, y)]
    wanted += [x**3, a**0.5, a**y, xarr.log1p(a), xarr.tanh(x)]
    for row, values in zip(numpy.asarray(out), wanted, strict=True):
        assert row.tobytes() == numpy.asarray(values).tobytes()
    near = xarr.zeros((10, 200), dtype=dtype)
    functions.interpret.over(200)(x, y, near)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    assert numpy.allclose(numpy.asarray(near), numpy.asarray(out), tolerance, tolerance)


@xarr.kernel
def sorted_pair(a, b):  # type: ignore[no-untyped-def]
    if a > b:
        return b, a
    return a, b


@xarr.kernel
def swap_rows(x, i, j):  # type: ignore[no-untyped-def]
    for k in range(x.shape[1]):
        x[i, k], x[j, k] = x[j, k], x[i, k]


@xarr.kernel
def with_functions(x, low, high, lock):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    shape = x.shape
    low[i], high[i] = sorted_pair(x[i, 0], x[i, 1])
    swap_rows(x, i, int(low[i]) * 0 + i)
    before = cuda.atomic.max(lock, 0, i)
    while cuda.atomic.cas(lock, 1, 0, 1) != 0:
        pass
    lock[2] += before * 0 + shape[1]
    cuda.atomic.exch(lock, 1, 0)


def test_marked_functions_tuples_and_atomics(device: xarr.Device) -> None:
    x = numpy.random.default_rng(2).normal(size=(9, 2)).astype("float32")
    for launch in (with_functions, with_functions.interpret):
        low, high = xarr.zeros((2, 9), dtype="float32")
        lock = xarr.zeros(3, dtype="int32")
        launch[9, 1](xarr.asarray(x), low, high, lock)
        assert numpy.array_equal(numpy.asarray(low), x.min(1))
        assert numpy.array_equal(numpy.asarray(high), x.max(1))
        assert lock.tolist() == [8, 0, 18]
    assert sorted_pair(3, 1) == (1, 3)


def test_items_of_any_number_of_dimensions(device: xarr.Device) -> None:
    @xarr.kernel
    def numbers(out):  # type: ignore[no-untyped-def]
        i, j, k = cuda.grid(3)
        a, b, c = cuda.gridsize(3)
        out[i, j, k] = (i * b + j) * c + k + a * 0

    for launch in (numbers, numbers.interpret):
        out = xarr.zeros((4, 6, 8), dtype="int64")
        launch[(2, 3, 2), (2, 2, 4)](out)
        assert numpy.array_equal(numpy.asarray(out).ravel(), numpy.arange(192))
        out = xarr.zeros((4, 5, 7), dtype="int64")
        launch.over((4, 5, 7))(out)
        assert numpy.array_equal(numpy.asarray(out).ravel(), numpy.arange(140))
        launch.over((0, 5, 7))(out)


class Colour(enum.IntEnum):
    RED = 3


THIRD = numpy.float32(3)


@xarr.kernel
def constants(out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    for weight, place in ((0.5, 0), (math.pi, 1), (xarr.e, 2)):
        out[i, place] += weight
    for k in 3, Colour.RED, Colour.RED.value, THIRD:
        out[i, 3] += k


def test_constants_and_loops_over_tuples(device: xarr.Device) -> None:
    for launch in (constants, constants.interpret):
        out = xarr.zeros((2, 4), dtype="float32")
        launch.over(2)(out)
        assert numpy.allclose(numpy.asarray(out), [0.5, math.pi, math.e, 12])


@cuda.jit
def added(a, b, c):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < len(c):
        c[i] = a[i] + b[i]


def test_numbas_words_for_the_host(device: xarr.Device) -> None:
    assert cuda.is_available()
    stream = cuda.stream()
    host = numpy.arange(600, dtype="float32")
    a, c = cuda.to_device(host), cuda.to_device(host, stream=stream)
    b = cuda.device_array(host.shape, numpy.float32, stream=stream)
    assert cuda.to_device(host, to=b) is b
    begin, end = cuda.event(), cuda.event(timing=True)
    begin.record()
    added.forall(len(a))(a, b, c)
    added.forall(len(a), tpb=64, stream=stream)(a, c, c)
    added[10, 64, cuda.default_stream()](a, c, c)
    end.record()
    cuda.synchronize()
    assert cuda.event_elapsed_time(begin, end) >= 0
    assert numpy.array_equal(numpy.asarray(c), 4 * host)
    assert cuda.device_array_like(host).shape == host.shape
    assert cuda.pinned_array((3,), "float32").shape == cuda.pinned_array_like(host[:3]).shape
    with pytest.raises(AttributeError, match="has no mapped_array; write device_array"):
        cuda.mapped_array((3,))


# -- replays and derivatives -------------------------------------------------------------------

twice = xarr.RawKernel(
    "KERNEL void twice(GLOBAL const f32 *x, GLOBAL f32 *y, i32 n)"
    "{ if (GLOBAL_ID(0) < n) y[GLOBAL_ID(0)] = 2 * x[GLOBAL_ID(0)]; }",
    "twice",
)


@xarr.kernel
def shifted(x, total, y, by):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    y[i] = x[i] + by
    cuda.atomic.add(total, 0, x[i])


def launched(x: Any, total: Any, out: Any, by: Any) -> Any:
    """Launch on what it makes, and on parts of what it is given."""
    y = xarr.empty_like(x)
    shifted.over(x.shape)(2 * x, total, y, by)
    z = y * 3
    twice((2,), (8,), (z, out[x.size :], z.size))
    for _ in range(3):
        w = xarr.empty_like(z)
        shifted.over(x.shape)(z, total, w[::-1], 1)
        z = w
    shifted.over(x.shape)(x, total, x, by)
    out[: x.size] += z
    return z.sum()


def test_jit_replays_launches(device: xarr.Device) -> None:
    known: Any = xarr.jit(launched)
    memories = [[xarr.arange(20, dtype="float32"), xarr.zeros(40, dtype="float32")] for _ in "ab"]
    for turn in range(4):
        for begin, by in ((0, 1), (3, 1), (0, 2)):
            found = []
            functions: list[Any] = [launched, known]
            for (memory, out), function in zip(memories, functions, strict=True):
                total = xarr.zeros(3, dtype="float32")
                x = memory[begin : begin + 12]
                result = function(x, total[turn % 2 :][:1], out[begin : begin + 24], by)
                found.append([one.tolist() for one in (result, total, memory, out)])
            assert found[0] == found[1], (turn, begin, by)
    assert len(known.recordings) == 2  # where a view begins is no other call
    text = str(xarr.explain(known))
    assert "shifted(" in text
    assert "twice(" in text
    with xarr.profile() as profile:
        known(memories[0][0][:12], xarr.zeros(3, dtype="float32")[:1], memories[0][1][:24], 1)
    assert {"shifted", "twice"} <= {cost.what for cost in profile.kernels}


def test_jit_refuses_to_write_to_arrays_of_numpys(device: xarr.Device) -> None:
    known = xarr.jit(lambda x, y: twice((1,), (4,), (y, x, 4)))
    with pytest.raises(TypeError, match="writes to an array of NumPy's"):
        known(numpy.zeros(4, "float32"), xarr.zeros(4, dtype="float32"))


def test_nested_calls_replay_launches(device: xarr.Device) -> None:
    def both(call: Any) -> Any:
        return lambda *given: call(*given, 1) + call(*given, 1)

    found = []
    for function in (both(launched), xarr.jit(both(xarr.jit(launched)))):
        x, out = xarr.arange(6, dtype="float32"), xarr.zeros(12, dtype="float32")
        total = xarr.zeros(1, dtype="float32")
        results = [function(x, total, out).tolist() for _ in range(4)]
        found.append([results, *(one.tolist() for one in (x, total, out))])
    assert found[0] == found[1]


def test_a_kernel_has_a_derivative_by_a_rule_alone(device: xarr.Device) -> None:
    def doubled(x: Any) -> Any:
        y = xarr.empty_like(x)
        twice((1,), (x.size,), (x, y, x.size))
        return y

    ruled = xarr.custom_vjp(doubled)
    ruled.defvjp(lambda x: (doubled(x), None), lambda _, g: (doubled(g),))
    x = xarr.arange(4, dtype="float32")
    slope = xarr.jit(xarr.grad(lambda x: (ruled(x) ** 2).sum()))
    for _ in range(4):
        assert slope(x).tolist() == [0, 8, 16, 24]
    with pytest.raises(NotImplementedError, match=r"twice\(.*custom_vjp"):
        xarr.grad(lambda x: doubled(x).sum())(x)
    with pytest.raises(TypeError, match=r"shifted\[.* is launched on a batched array"):
        xarr.vmap(lambda x: shifted[1, 2](x, x, x, 1))(x.reshape((2, 2)))


# -- mistakes ---------------------------------------------------------------------------------

MISTAKES = {
    "y = x[i] + z": "column 16: the name z is not there; give it a value, or define it outside",
    "x[i] = [1, 2]": "column 12: a list is not there in kernels; write a tuple, or private_array",
    "x[i, 0] = 1": "column 5: x has 1 axis, and 2 indices are written; write x[i]",
    "y = x + 1": "column 9: x is an array of 1 axes, not a number; write x[i]",
    "x[0.5] = 1": "column 7: an index of x is Python's float; write int(i)",
    "y = 1\n    y = x": "column 5: y stands for something else before; take another name",
    "for v in x:\n        pass": "column 14: for goes over x, an array; write for i in range",
    "with open('f'):\n        pass": "column 5: with is not there in kernels; write its body",
    "return x[i]": "column 5: a kernel returns a value; write it to an array argument",
    "x[i] = math.comb(3, 2)": "comb of 2 arguments is not there in kernels",
    "if x[i] > 0:\n        cuda.syncthreads()": "a barrier stands where not all items of a group",
    "if i > 3:\n        return\n    cuda.barrier()": "a barrier stands where not all items",
    "for k in range(9):\n        if x[i] > k:\n            break\n    if k > 2:\n"
    "        cuda.barrier()": "a barrier stands where not all items",
    "m = cuda.local.array(1, x.dtype)\n    m[0] = i\n    if m[0] > 2:\n        cuda.barrier()": (
        "a barrier stands where not all items"
    ),
    "x[i] = again(i)": "again calls itself; write a loop",
    "t = cuda.shared.array(x.size, x.dtype)": "the shape of local_array must be known",
    "t = cuda.shared.array(10**9, x.dtype)": "the local array has",
    "m = cuda.local.array(2**16, x.dtype)": "the private array has 262144 bytes; an item has",
    "y = x[i] if x[i] > 0 else None": "an object of type NoneType is no number",
    "y = x.sum()": "column 9: x.sum is not there in kernels; an array has shape",
    "x[i] = int32(i) ^ 0x9E3779B97F4A7C15": "column 12: Python's int of 64 bits and int32 have no",
    "x[i] = 0x9E3779B97F4A7C15 << 3": "does not fit uint64; write uint64(x) of an operand",
    "y = plain(x[i])": "plain is a function of Python; mark it with @xarr.kernel",
    "print(x[i])": "print of 1 argument is not there in kernels; write to an array argument",
    "y = k\n    k = 1": "k is read before it has a value; give it a value before",
    "x[i] = x[i] and 1": "and of a number gives one of its operands in Python",
    "y = (1, 2)\n    x[i] = y[i]": "a tuple is indexed by a known integer",
    "a, b = 1, 2, 3": "2 names are given 3 values",
    "def inner():\n        pass": "def is not there in kernels; define it outside",
    "y = x[i:]": "a slice is not there in kernels; write a loop over the elements",
    "y = cuda.grid(i)": "grid takes the number of dimensions: 1, 2 or 3",
    "y = xarr.grid(1)": "column 9: xarr has no grid; write xarr.kernel.grid",
    "y = cuda.gridd(1)": "column 9: xarr.kernel has no gridd; near it are grid, gridDim, group_id",
    "x[i] += cuda.atomic.add(x, 0, 1)": "an atomic stands behind an element that is read",
    "x[i] = sum(x)": "column 16: sum takes numbers in kernels, and x is an array of 1 axis",
    "t = math.sqrt(x)": "column 19: sqrt takes numbers in kernels",
    "x[i] = TABLE[i]": "TABLE is an object of type list from outside, not an argument; give it",
    "x[i] = Kind.RED": "an object of type Kind is no number; write Kind.RED.value",
    "x[i] = math.pi if TABLE else x[i]": "an object of type list is no number",
    "x[i] = int('3')": "column 16: '3' is a text; write a number, math.inf or math.nan",
    "x[i] = iinfo(int32).max": "iinfo of 1 argument is not there in kernels; assign the number",
    "t = zeros(3, dtype=int32)": "zeros of 1 argument is not there in kernels; write private_array",
    "for a in (1, 2):\n        break": "a loop over a tuple has no break, continue and else",
    "for v in zip(x, x):\n        pass": "something else than a range; write for i in range(n)",
    "x[i] = plain_default(i)": "the parameters are not plain names; write them without",
    "x[i] = cuda.threadIdx": "an object of type Words is no number; write its .x, .y or .z",
    "cuda.cg.this_grid().sync()": "xarr.kernel has no cg; end the kernel, and launch another",
    "x[i] = cuda.shfl_sync(-1, x[i], 0)": "xarr.kernel has no shfl_sync; warps are not there",
    "x[i] = cuda.random.rand()": "xarr.kernel has no random; draw before",
    "t = cuda.shared.array(0, x.dtype)": "there is no local memory that the launch gives",
    "y = cuda.to_device(x)": "to_device of 1 argument is not there in kernels; call it outside",
    "y = x[i] > 0 and cuda.atomic.add(x, 0, 1) > 0": "a call that changes memory stands in",
}


@pytest.mark.parametrize("statement", MISTAKES)
def test_mistakes_are_told_with_their_line(
    device: xarr.Device, statement: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"mistake_{list(MISTAKES).index(statement)}"
    path = tmp_path / f"{name}.py"
    path.write_text(
        "import enum, math\nfrom numpy import iinfo, int32, zeros\n"
        "import xarr; from xarr import kernel as cuda\n"
        "class Kind(enum.Enum):\n    RED = 1\n\nTABLE = [1, 2]\n\n"
        "@cuda.jit\ndef plain_default(k, n=2):\n    return k\n\n"
        "def plain(x):\n    return x\n\n"
        "@cuda.jit\ndef again(k):\n    return again(k - 1)\n\n"
        f"@cuda.jit\ndef wrong(x):\n    i = cuda.grid(1)\n    {statement}\n"
    )
    module = importlib.import_module(name)
    x = xarr.arange(4, dtype="float32")
    with pytest.raises(SyntaxError) as told:
        module.wrong[1, 4](x)
    assert MISTAKES[statement] in str(told.value)
    assert told.value.filename == str(path)
    assert (told.value.lineno or 0) >= 23 or "again" in statement or "default" in statement
    assert told.value.text
    assert x.tolist() == [0, 1, 2, 3]


def test_arguments_are_told_by_their_name(device: xarr.Device) -> None:
    x = xarr.arange(4.0)
    for launch, error, text in (
        (lambda: combined[0, 1](x, x, 1, x), ValueError, r"grid is \(0,\)"),
        (lambda: combined[1, 10**6](x, x, 1, x), ValueError, r"block is \(1000000,\)"),
        (
            lambda: combined[1, 4](x, x, 1, xarr.broadcast_to(x[:1], (4,))),
            ValueError,
            "out is written",
        ),
        (lambda: combined[1, 4](numpy.ones(4), x, 1, x), TypeError, "x is of type ndarray"),
        (lambda: combined[1, 4](x, x, "a", x), TypeError, "number is of type str"),
        (lambda: combined[1, 4](x, x), TypeError, "combined takes 4 arguments"),
        (
            lambda: combined[1, 4](x.astype("complex64"), x, 1, x),
            TypeError,
            "x has dtype complex64",
        ),
        (lambda: combined[4](x, x, 1, x), TypeError, "write f.grid, block."),
        (
            lambda: combined[1, 4](x, x, 2**63, x),
            OverflowError,
            r"number is 92\d+; .*give numpy.ui",
        ),
        (
            lambda: combined.over(4)(x, x, -(2**70), x),
            OverflowError,
            r"number is -\d+; Python's int",
        ),
        (
            lambda: combined[1, 4](x, x, y=1, out=x),
            TypeError,
            "y, out are given by keyword; .*x, y,",
        ),
        (lambda: combined.over(4)(x, x, 1, out=x), TypeError, "out is given by keyword"),
        (lambda: combined.over(-1)(x, x, 1, x), ValueError, "shape is -1"),
        (lambda: combined.over(4, block=0)(x, x, 1, x), ValueError, "block is 0"),
        (lambda: combined.over(4, block=(2, 2))(x, x, 1, x), ValueError, r"block is \(2, 2\)"),
        (lambda: cuda.grid(1), RuntimeError, "called outside a kernel"),
        (lambda: xarr.kernel(len), TypeError, "it must be made by def"),
    ):
        with pytest.raises(error, match=text):
            launch()
    assert x.tolist() == [0, 1, 2, 3]


SEED = 0x9E3779B97F4A7C15


@cuda
def hashes(data, fnv, mixed):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    h = 14695981039346656037
    for k in range(data.shape[1]):
        h ^= data[i, k]
        h *= 1099511628211
    fnv[i] = h
    z = (i + 1) * SEED
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    mixed[i] = z ^ (z >> 31) if z < SEED else -9223372036854775808 + i


def test_integers_from_two_to_the_63_are_uint64(device: xarr.Device) -> None:
    data = numpy.random.default_rng(0).integers(0, 256, (40, 7)).astype("uint8")
    most = 2**64 - 1
    wanted = list[tuple[int, int]]()
    for i, row in enumerate(data.tolist()):
        h = 14695981039346656037
        for byte in row:
            h = (h ^ byte) * 1099511628211 & most
        z = (i + 1) * SEED & most
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & most
        wanted.append((h, z ^ (z >> 31) if z < SEED else 2**63 + i))
    for launch in (hashes, hashes.interpret):
        fnv, mixed = xarr.zeros((2, 40), dtype="uint64")
        launch.over(40)(xarr.asarray(data), fnv, mixed)
        assert list(zip(fnv.tolist(), mixed.tolist(), strict=True)) == wanted


@cuda
def unset(x, n):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    if i < n:
        a = x[i]
    x[i] = a + 1


def test_interpret_tells_of_variables_that_are_not_set(device: xarr.Device) -> None:
    x = xarr.ones(4)
    unset.over(4)(x, 2)
    assert x.tolist() == [2, 2, 1, 1]
    with pytest.raises(UnboundLocalError, match="variable 'a'"):
        unset.interpret.over(4)(x, 2)


def test_arrays_of_a_group_fit_together(device: xarr.Device) -> None:
    more_than_half = device.info.local_nbytes // 8 + 1

    @xarr.kernel
    def two(x):  # type: ignore[no-untyped-def]
        first = cuda.shared.array(more_than_half, xarr.float32)
        second = cuda.shared.array(more_than_half, xarr.float32)
        first[0] = second[0] = x[0]
        x[0] = first[0] + second[0]

    with pytest.raises(SyntaxError, match=r"the local array has \d+ bytes, and others \d+"):
        two[1, 1](xarr.zeros(1, dtype="float32"))


def test_arrays_of_two_devices_are_refused(device: xarr.Device) -> None:
    other = next((found for found in xarr.devices() if found is not device), None)
    if other is None:
        pytest.skip("there is one device")
    x, y = xarr.zeros(4), xarr.zeros(4, device=other)
    for launch in (combined[1, 4], combined.over(4), combined.interpret[1, 4]):
        with pytest.raises(ValueError, match=f"y is on {other}, another array on {device}"):
            launch(x, y, 1, x)


def test_interpret_tells_of_indices_beyond(device: xarr.Device) -> None:
    x = xarr.arange(6.0)
    with pytest.raises(
        IndexError, match=r"y\[6\]: index 6 is out of bounds.*; item \(6,\)"
    ) as told:
        combined.interpret[2, 4](xarr.arange(9.0), x, 1, xarr.zeros(9))
    assert any(entry.path == __file__ or str(entry.path) == __file__ for entry in told.traceback)


def test_an_environment_variable_runs_kernels_in_python(device: xarr.Device) -> None:
    code = (
        "import xarr; from tests.functions.test_threads import combined; x = xarr.arange(3.0)\n"
        "try: combined[1, 4](x, x, 2, x)\nexcept IndexError as error: print(error)"
    )
    found = run_code(code, XARR_KERNEL_DEBUG="1")
    assert "x[3]: index 3 is out of bounds" in found.stdout


@cuda
def around(x, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    j = i
    if j > 0 and x[j - 1] > 0:
        out[i, 0] = x[j - 1]
        j -= 3
        out[i, 0] += x[j]
    k = i - 4
    while k < 2:
        out[i, 1] += x[k] if k < 0 else 10 * x[k]
        if k >= 1:
            for _ in range(2):
                out[i, 2] += x[k - 1]
                k -= 3
            k += 6
        k += 1
    out[i, 3] = x[(j - 2) % x.shape[0]] + (j - 9) % 4


def test_indices_count_from_the_end_where_conditions_do_not_tell_otherwise(
    device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "NARROW_ON", ())
    found = []
    for launch in (around, around.interpret):
        out = xarr.zeros((6, 4), dtype="int64")
        launch.over(6)(xarr.arange(1, 7), out)
        found.append(out.tolist())
    assert found[0] == found[1]
    source = around.source(xarr.arange(6), xarr.zeros((6, 4), dtype="int64"), over=1)
    assert "p_x[(v_j - 1LL)]" in source
    assert "p_x[wrapped(v_j, n_x_0)]" in source
