"""Kernels that a program writes itself, compared with NumPy's functions of the same values."""

from __future__ import annotations

import ctypes
import gc
import io
import json
import math
import pickle
import re
import time
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import all_refused, each, refused
from tests.kernels.nvrtc import compile_cuda
from xarr.backends.cuda_compiler import compile_own_cubin
from xarr.codegen import launch, source
from xarr.user_kernels import compile_check

Kernel = xarr.ElementwiseKernel


def values(*shape: int, dtype: str = "float32") -> Any:
    return (numpy.arange(math.prod(shape)).reshape(shape) % 8 - 3).astype(dtype)


# -- ElementwiseKernel ------------------------------------------------------------------------


@pytest.mark.usefixtures("each_tier")
def test_operands_broadcast_and_are_views(device: xarr.Device) -> None:
    kernel = Kernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    host = values(6, 8)
    x = xarr.asarray(host)
    for key, other in (
        (numpy.s_[::2, 1::3], 2),
        (numpy.s_[:, 3], numpy.arange(6, dtype="float32")),
        (numpy.s_[:, ::-1], numpy.arange(8, dtype="float32")),
        (numpy.s_[2, 3], host[:1]),
        (numpy.s_[:0], 1.5),
    ):
        beside = xarr.asarray(other) if isinstance(other, numpy.ndarray) else other
        found = kernel(x[key], beside)
        wanted = (host[key] - other) ** 2
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        assert numpy.array_equal(xarr.to_numpy(found), wanted)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32"])
def test_placeholders_are_data_types(device: xarr.Device, dtype: str) -> None:
    kernel = Kernel("T x, S y", "T z, S w", "z = x; w = (T)1 == 1 ? y : 0")
    x, y = values(5, dtype=dtype), values(5, dtype="int32")
    z, w = kernel(xarr.asarray(x), xarr.asarray(y))
    assert z.dtype == x.dtype
    assert numpy.array_equal(xarr.to_numpy(z), x)
    assert numpy.array_equal(xarr.to_numpy(w), y)


def test_outputs_are_given_and_kept(device: xarr.Device) -> None:
    host = values(2, 4)
    out = xarr.full((2, 8), 7, dtype="float32")
    kernel = Kernel("T x", "T z", "if (x > 0) z = x", "positive")
    assert kernel(xarr.asarray(host), out[:, ::2]) is not None
    wanted = numpy.full((2, 8), 7, "float32")
    wanted[:, ::2] = numpy.where(host > 0, host, 7)
    assert numpy.array_equal(xarr.to_numpy(out), wanted)
    add = Kernel("T x", "T z", "z += x", "added")
    add(out, out)
    assert numpy.array_equal(xarr.to_numpy(out), wanted * 2)
    for operation, result in (
        ("z = 2 * x + z", wanted * 6),
        ("// z = 0;\n z = z + x", wanted * 4),
        ("z = x == 0 ? z : x", wanted * 2),
        ("z = SAME(x)", wanted * 2),
        ("x > 0 && (z = x); z = x", wanted * 2),
        ("z = x; z = z + 1", wanted * 2 + 1),
    ):
        given = out.copy()
        Kernel("T x", "T z", operation, preamble="#define SAME(x) (z)")(out, given)
        assert numpy.array_equal(xarr.to_numpy(given), result), operation
    shifted = xarr.asarray(values(8))
    Kernel("T x", "T z", "z = x")(shifted[:-1], shifted[1:])
    assert numpy.array_equal(xarr.to_numpy(shifted)[1:], values(8)[:-1])
    assert Kernel("T x", "T z", "z = x", no_return=True)(shifted, shifted) is None
    assert isinstance(Kernel("T x", "T z", "z = x", return_tuple=True)(shifted), tuple)


def test_positions_sizes_and_what_is_raw(device: xarr.Device) -> None:
    host = values(3, 5)
    x = xarr.asarray(host)
    place = Kernel("T x", "int64 p, int64 n", "p = i; n = _ind.size()")
    p, n = place(x[:, 1:3])
    assert p.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert n.tolist() == [[6, 6]] * 3
    turned = Kernel("T x, raw T y", "T z", "z = x * 10 + y[y.size() - 1 - i]", "turned")
    wanted = host.T * 10 + host.T.ravel()[::-1].reshape(5, 3)
    assert numpy.array_equal(xarr.to_numpy(turned(x.T, x.T)), wanted)
    rows = Kernel(
        "raw T x",
        "raw T z",
        "T s = 0; for (int k = 0; k < x.shape()[1]; ++k) "
        "s += x[i * x.shape()[1] + k]; z[i * 2] = s * x.ndim",
        "rows",
    )
    out = xarr.zeros(8, dtype="float32")
    rows(x, out[1:7], size=3)
    assert out.tolist()[1::2] == [*(host.sum(1) * 2).tolist(), 0]
    assert out.tolist()[::2] == [0] * 4


def test_a_loop_is_prepared_and_goes_on(device: xarr.Device) -> None:
    text = "z = k; while (z * z < x) ++z; if (z == 2) continue; z = -z"
    loop = Kernel("int32 x", "int32 z", text, loop_prep="int k = 0;")
    assert loop(xarr.asarray([0, 1, 4, 9], dtype="int32")).tolist() == [0, -1, 2, -3]


@pytest.mark.usefixtures("fused")
def test_it_is_fused(device: xarr.Device) -> None:
    kernel = Kernel("T x", "T z", "z = 2 * x + 1", "affine")
    x = xarr.asarray(values(50_000))
    kernel(x)
    xarr.synchronize()
    before = launch.counts.launches
    y = xarr.exp(kernel(x - 1)) * 2
    assert "affine" in xarr.explain(y)
    xarr.synchronize(y)
    assert launch.counts.launches - before == 1


@each("""
Kernel("T x", "T y", "y = x +\\n  blockIdx.x") ! ValueError: line 2, column 3
Kernel("T x", "T y", "y = get_global_id(0)") ! ValueError: write it as a function of i
Kernel("T x", "T y", "y = x", "1st") ! ValueError: name is '1st'
Kernel("Tx", "T y", "y = x") ! ValueError: 'Tx'
Kernel("nothing x", "T y", "y = x") ! TypeError: nothing
Kernel("T i", "T y", "y = i") ! ValueError: parameter i
Kernel("T x", "T x", "x = x") ! ValueError: stands twice
Kernel("T x", "", "") ! ValueError: output
Kernel("T x", "T y", 'printf("")') ! ValueError: column 1
Kernel("T x", "T y", 'printf("")') ! ValueError: write an output
Kernel("T x", "T y", "y = x")() ! TypeError: 0 arguments
Kernel("T x", "T y", "y = x")(1, 2) ! TypeError: an output must be an Array
Kernel("T x, T y", "T z", "z = x")(np.ones(2), np.ones(2, "int8")) ! TypeError: y has dtype int8
Kernel(["T x"], "T y", "y = x") ! TypeError: in_params is of type list
Kernel("T x, T y", "T z", "z = x")(np.ones(2), 1j) ! TypeError: y is 1j
Kernel("T x", "S y", "y = x")(np.ones(2)) ! TypeError: what S is
Kernel("T x", "T y", "y = x")(np.ones(2), np.ones(3)) ! ValueError: shape
Kernel("T x", "T y", "y = x")(np.ones(2), size=2) ! ValueError: size is given
Kernel("raw T x", "raw T y", "y = x")(np.ones(2)) ! ValueError: size must say
Kernel("T x", "T y", "y = x")(x, np.broadcast_to(x[0], (2, 2))) ! ValueError: read-only
""")
def test_what_is_wrong_is_said(call: str) -> None:
    call, _, error = call.partition(" ! ")
    refused(lambda: eval(call, {"np": xarr, "Kernel": Kernel, "x": xarr.ones((2, 2))}), error)


def test_an_error_of_c_names_its_line(device: xarr.Device) -> None:
    out = xarr.zeros(3)
    wrong = Kernel("T x", "T y", "y = x;\ny = nonsense + x;", "wrong")
    with pytest.raises(xarr.CompileError) as caught:
        wrong(xarr.ones(3), out)
    assert "> wrong:2 | y = nonsense + x;" in str(caught.value)
    assert caught.value.op == "wrong"
    assert out.tolist() == [0, 0, 0]
    assert Kernel("T x", "T y", "y = x + 1")(out).tolist() == [1, 1, 1]


def test_it_is_c_for_cuda_too() -> None:
    own = "T f(T x) { return x; }"
    real = Kernel("T x", "T y", "y = expf(x) + max(x, (T)1) + f(x)", preamble=own)
    real(xarr.ones(3))
    whole = Kernel("int32 x", "int64 y", "long long k = x; y = abs(k) + (size_t)2")
    whole(xarr.ones(2, dtype="int32"))
    made_by = {text.name for kernel in (real, whole) for text in kernel._texts}
    assert len(made_by) == 2
    for made in made_by:
        defines = [f"#define XR_CHECKED {compile_check.call(made)}"]
        assert compile_cuda(source.assemble("check.c", "cuda", defines), "sm_90")


def test_a_text_is_kept_as_long_as_what_asks_for_it() -> None:
    gc.collect()
    before = set(source.own)
    indexed = Kernel("raw T x", "T y", "y = x[i] + 17", "indexed")
    for _ in range(2):
        assert indexed(xarr.ones(3), size=3).tolist() == [18] * 3
        assert set(source.own) <= before
    plain = Kernel("T x", "T y", "y = x + 17", "plain")
    plain(xarr.ones(3))
    assert len(set(source.own) - before) == 1
    halves = xarr.ReductionKernel("T x", "T y", "x", "a + b", "y = a / 2", "0", "halves")
    x = xarr.asarray(values(3, 5))
    y = halves(x, axis=1) + plain(x).sum(axis=1)
    del halves, plain
    gc.collect()
    assert y.tolist() == (values(3, 5).sum(axis=1) * 1.5 + 85).tolist()


def test_sizes_and_outputs_are_those_of_cupys_kernels(device: xarr.Device) -> None:
    add = Kernel("raw T x, T y", "raw T z", "z[i] = x[i] + y", "add")
    x = xarr.asarray(values(4))
    assert add(x, 2, size=3).tolist() == [float(each) + 2 for each in values(4)[:3]]
    all_refused(
        """
        add(x, 2) ! ValueError: size must say
        add(x, x, size=2) ! ValueError: size is given
        Kernel("T x", "T y", "y = x", options=("--use_fast_math",)) ! ValueError: --use_fast_math
        """,
        {"add": add, "x": x, "Kernel": Kernel},
    )
    out = xarr.zeros((2, 4), dtype="float32")
    assert Kernel("T x, T y", "T z", "z = x + y")(x, 1, out) is out  # x is repeated over it
    assert numpy.array_equal(xarr.to_numpy(out), numpy.stack([values(4) + 1] * 2))
    z = Kernel("T x", "T y", "y = 2 * x")(xarr.asarray(3.0))
    z += 1  # an array without axes, not a number
    assert Kernel("T x", "T y", "y = x - 1")(z, z) is z
    assert z.tolist() == 6
    chosen = Kernel("T x", "T y", "x > 1 && (y = x)", "chosen")
    assert chosen(xarr.asarray([0.0, 2, 3]), xarr.asarray([7.0, 8, 9])).tolist() == [7, 2, 3]
    assert Kernel("T x", "T y", "y = x")(xarr.zeros((2, 0))).shape == (2, 0)
    stream = xarr.Stream(device)
    scaled = Kernel("T x", "int_ y", "y = BY * x", options=("-DBY=3", "--std=c++17"))
    assert scaled(xarr.ones(2), stream=stream).tolist() == [3, 3]
    assert (scaled.nin, scaled.nout, scaled.nargs) == (1, 1, 2)


# -- ReductionKernel --------------------------------------------------------------------------


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), ()])
def test_reductions(device: xarr.Device, axis: Any) -> None:
    host = values(3, 40, 5)
    norm = xarr.ReductionKernel("T x, T w", "T y", "x * w", "a + b", "y = a / 2", "0", "norm")
    x = xarr.asarray(host)
    found = norm(x, 3, axis=axis, keepdims=True)
    wanted = (host * 3).sum(axis, keepdims=True) / 2
    assert found.shape == wanted.shape
    assert numpy.array_equal(xarr.to_numpy(found), wanted)
    largest = xarr.ReductionKernel(
        "T x", "int64 y", "x * 2", "max(a, b)", "y = a", None, "largest", reduce_type="T"
    )
    assert numpy.array_equal(xarr.to_numpy(largest(x, axis=axis)), (host * 2).max(axis))


def test_reductions_of_nothing_and_into_out(device: xarr.Device) -> None:
    total = xarr.ReductionKernel("T x", "T y", "x", "a + b", "y = a + 1", 0, "total")
    nothing = xarr.zeros((0, 2), dtype="float32")
    assert total(nothing, axis=0).tolist() == [1, 1]
    assert total(nothing, axis=1).shape == (0,)
    out = xarr.zeros(4)
    assert total(xarr.ones((3, 2)), axis=0, out=out[::2]) is not None
    assert out.tolist() == [4, 0, 4, 0]
    assert total(xarr.ones(3), stream=xarr.Stream(device)).tolist() == 4
    assert (total.nin, total.nout, total.nargs) == (1, 1, 2)
    all_refused(
        """
        total(np.ones(3), out[0], out=out[0]) ! ValueError: given twice
        R("T x", "T y", "x", "a * b", "y = a", None)(nothing) ! ValueError: no elements
        R("T x", "T y", "x", "a + b", "y = a", "zero")(nothing) ! ValueError: identity is 'zero'
        R("T x", "T y", "x", "a + b", "y = b", 0)(np.ones(3)) ! CompileError: post_map_expr
        """,
        {"total": total, "out": out, "nothing": nothing, "R": xarr.ReductionKernel},
    )
    least = xarr.ReductionKernel("T x", "T y", "x", "a < b ? a : b", "y = a", str(2**63 - 1))
    assert least(xarr.zeros(0, dtype="int64")).tolist() == 2**63 - 1


# -- RawKernel and RawModule ------------------------------------------------------------------

RAW = """
typedef struct { f32 scale; i32 begin; } settings;

KERNEL void scaled(GLOBAL const f32 *x, GLOBAL f32 *y, const settings s, u32 n)
{
    const i64 i = GLOBAL_ID(0);
    if (i < n) {
        y[i] = x[i] * s.scale + (f32)s.begin;
    }
}

KERNEL void turned(GLOBAL f32 *x)
{
    LOCAL f32 tile[8];
    const i32 k = (i32)LOCAL_ID(0);
    tile[k] = x[GLOBAL_ID(0)];
    BARRIER();
    x[GLOBAL_ID(0)] = tile[7 - k];
}
"""


class Settings(ctypes.Structure):
    _fields_ = (("scale", ctypes.c_float), ("begin", ctypes.c_int))


def test_raw_kernels_are_ordered_and_write_to_views(device: xarr.Device, tmp_path: Path) -> None:
    (tmp_path / "raw.c").write_text(RAW)
    module = xarr.RawModule(path=tmp_path / "raw.c")
    scaled, turned = module.get_function("scaled"), module.get_function("turned")
    host = values(16)
    x = xarr.asarray(host)
    y = xarr.zeros(40, dtype="float32")
    x += 1  # waits on the tape
    scaled((2,), (8,), (x, y[8:24], Settings(2.0, 5), 16))
    x *= 0
    wanted = numpy.zeros(40, "float32")
    wanted[8:24] = (host + 1) * 2 + 5
    assert numpy.array_equal(xarr.to_numpy(y), wanted)
    turned((5,), (8,), (y,))
    y += 1
    assert numpy.array_equal(xarr.to_numpy(y), wanted.reshape(5, 8)[:, ::-1].ravel() + 1)
    structure = numpy.array((3.0, 1), dtype=[("scale", "f4"), ("begin", "i4")])
    scaled(2, 8, (x, y[:16], structure, numpy.uint32(16)))
    assert y[:16].tolist() == [1.0] * 16


PLACES = """
KERNEL void places(GLOBAL i64 *x)
{
    const u64 row = GLOBAL_ID(2) * GLOBAL_SIZE(1) + GLOBAL_ID(1);
    const u64 i = row * GLOBAL_SIZE(0) + GLOBAL_ID(0);
    x[6 * i] = (i64)GROUP_ID(0) - 1;
    x[6 * i + 1] = (i64)GROUP_ID(1) - 1;
    x[6 * i + 2] = (i64)GROUP_ID(2) * 10 + (i64)GROUPS(2);
    x[6 * i + 3] = (i64)LOCAL_ID(0) * 10 + (i64)LOCAL_SIZE(0);
    x[6 * i + 4] = (i64)LOCAL_ID(1) * 10 + (i64)LOCAL_SIZE(1);
    x[6 * i + 5] = (i64)LOCAL_ID(2) * 10 + (i64)LOCAL_SIZE(2);
}
"""


def test_items_have_places_along_three_dimensions(device: xarr.Device) -> None:
    grid, block = (3, 2, 4), (2, 3, 2)
    module = xarr.RawModule(PLACES)
    x = xarr.zeros((8, 6, 6, 6), dtype="int64")
    module.get_function("places")(grid, block, (x,))
    k, j, i = numpy.indices((8, 6, 6))
    wanted = (
        i // 2 - 1, j // 3 - 1, k // 2 * 10 + 4, i % 2 * 10 + 2, j % 3 * 10 + 3, k % 2 * 10 + 2,
    )  # fmt: skip
    assert numpy.array_equal(xarr.to_numpy(x), numpy.stack(wanted, -1))
    on_gpu: Any = SimpleNamespace(info=SimpleNamespace(dialect="cuda", has_float64=True))
    assert compile_cuda(module._text(on_gpu, "places"), "sm_90")


@pytest.mark.parametrize(
    "ends", [(2, 6, 2, 6), (2, 6, 4, 8), (0, 8, 3, 6), (3, 6, 0, 8), (1, 4, 4, 8)], ids=str
)
def test_writes_through_views_of_one_memory_are_kept(
    device: xarr.Device, ends: tuple[int, int, int, int]
) -> None:
    first, second = slice(*ends[:2]), slice(*ends[2:])
    mark = xarr.RawKernel(
        "KERNEL void mark(GLOBAL f32 *x, GLOBAL f32 *y) { x[0] = 10; y[1] = 20; }", "mark"
    )
    host = values(10)
    x = xarr.asarray(host)
    before = x + 1
    mark(1, 1, (x[first], x[second]))
    wanted = host.copy()
    wanted[first][0] = 10
    wanted[second][1] = 20
    assert numpy.array_equal(xarr.to_numpy(x), wanted)
    assert numpy.array_equal(xarr.to_numpy(before), host + 1)


WRONG_LAUNCHES = """
f((0,), (1,), ()) ! ValueError: grid is
f((1.5,), (1,), ()) ! TypeError: grid is
f((numpy.int64(0),), (1,), ()) ! ValueError: grid is
f((1,), (1 << 20,), ()) ! ValueError: block is
f((1,), (1, 1, 1, 1), ()) ! ValueError: block is
f(1, 1, ()) ! TypeError: args has 0 arguments
f(1, 1, (1, 2, 3, 4)) ! TypeError: x is of type int
f(1, 1, (x, y, s, y)) ! TypeError: it must be a value
f(1, 1, (x, x.astype("float16"), s, 1)) ! TypeError: y has dtype float16
f(1, 1, (x, np.ones(8, dtype="float32")[::2], s, 1)) ! ValueError: one piece
f(1, 1, (x, np.broadcast_to(x[:1], (4,)), s, 1)) ! ValueError: read-only
f(1, 1, (x, y, s, 1.5)) ! TypeError: n is 1.5
f(1, 1, (x, y, s, {2**40|numpy.int64(1 << 40)})) ! OverflowError: n is 1099511627776
f(1, 1, (x, y, "z", 1)) ! TypeError: s is of type str
f(1, 1, (x, y, 1.0, 1)) ! TypeError: takes settings
f(1, 1, (x, y, s, -1)) ! OverflowError: n is -1
"""


def test_wrong_launches_are_refused() -> None:
    x = xarr.ones(4, dtype="float32")
    f = xarr.RawKernel(RAW, "scaled")
    all_refused(WRONG_LAUNCHES, {"f": f, "x": x, "y": x.copy(), "s": Settings()})


def test_languages_of_devices(device: xarr.Device) -> None:
    x = xarr.ones(4, dtype="float32")
    opencl = xarr.RawKernel(
        "__kernel void own(__global float *x, __local float *t)"
        "{ t[get_local_id(0)] = 2; x[get_global_id(0)] *= t[get_local_id(0)]; }",
        "own",
    )
    cuda = xarr.RawKernel("__global__ void own(float *x) { x[threadIdx.x] *= 2; }", "own")
    given, other = (cuda, opencl) if device.info.dialect == "cuda" else (opencl, cuda)
    if device.info.dialect == "c":
        with pytest.raises(ValueError, match="portable C"):
            given((1,), (4,), (x,), shared_mem=16)
    else:
        given((1,), (4,), (x,), shared_mem=16)
        assert x.tolist() == [2] * 4
    text = "KERNEL void own(GLOBAL f32 *x) {\n x[0] = nothing; }"
    all_refused(
        """
        other(1, 4, (x,)) ! ValueError: portable C
        np.RawModule(code=RAW).get_function("nothing") ! ValueError: has scaled, turned
        np.RawKernel(text, "own")(1, 1, (x,)) ! CompileError: code:2
        """,
        {"other": other, "x": x, "RAW": RAW, "text": text},
    )


def test_types_that_a_source_names(device: xarr.Device) -> None:
    fill = xarr.RawKernel(
        "typedef f32 T;\nKERNEL void fill(GLOBAL T *x, T by) { x[GLOBAL_ID(0)] = by; }", "fill"
    )
    x = xarr.zeros(4, dtype="float32")
    fill((1,), (4,), (x, 3), stream=xarr.Stream(device))
    assert x.tolist() == [3.0] * 4
    all_refused(
        """
        fill(1, 4, (np.zeros(4), 3)) ! TypeError: x has dtype float64
        fill(1, 4, (x, 2j)) ! TypeError: by is 2j
        fill(1, 4, (x, 3), stream=3) ! TypeError: stream is 3
        fill(1, 4, (x, 3), shared_mem=-1) ! ValueError: shared_mem is -1
        np.RawModule(b"KERNEL") ! TypeError: code is of type bytes
        """,
        {"fill": fill, "x": x},
    )
    source = "KERNEL void fill(GLOBAL Real *x, const Real by) { x[GLOBAL_ID(0)] = by; }"
    xarr.RawKernel(f"#define r f32\n#define Real r // a type\n{source}", "fill")(1, 4, (x, 2.5))
    assert x.tolist() == [2.5] * 4
    xarr.RawKernel(source, "fill", options=("-DReal=float",))(1, 4, (x, 1.5))
    assert x.tolist() == [1.5] * 4
    chosen = f"#if 1\n#define Real f32\n#else\n#define Real f64\n#endif\n{source}"
    xarr.RawKernel(chosen, "fill")(1, 4, (x, numpy.float32(7)))
    assert x.tolist() == [7] * 4


def test_warnings_of_compilers_are_in_the_log_alone(
    device: xarr.Device, capfd: pytest.CaptureFixture[str]
) -> None:
    number = time.time_ns() % 10**9  # a text that no cache has
    code = "KERNEL void f(GLOBAL i32 *x) {{ i32 k = 1; if (k = {}) x[0] = 2 {} {}; }}"
    said = io.StringIO()
    xarr.RawKernel(code.format(number, "<< 99 +", 0), "f").compile(log_stream=said)
    assert "warning" in said.getvalue()
    with pytest.raises(xarr.CompileError):
        xarr.RawKernel(code.format(number, "+ y +", 0), "f").compile()
    out, error = capfd.readouterr()
    # NVIDIA's counts there; of its options -w alone ends that, and with it errors by pragma.
    if device.info.platform == "NVIDIA CUDA":
        error = re.sub(
            r"^(\d+ (warning|error)s?( and )?)+ generated\.\n", "", error, flags=re.MULTILINE
        )
    assert (out, error) == ("", "")


def test_modules_travel_and_say_what_kernels_need(device: xarr.Device) -> None:
    module = pickle.loads(pickle.dumps(xarr.RawModule(code=RAW)))
    kernel = pickle.loads(pickle.dumps(module.get_function("turned")))
    x = xarr.arange(8, dtype="float32")
    kernel((1,), (8,), (x,))
    assert x.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert kernel.attributes["max_threads_per_block"] == kernel.max_threads_per_block >= 8
    assert device.info.dialect == "c" or (kernel.shared_size_bytes or 0) >= 32
    if device.info.dialect != "cuda":
        assert kernel.num_regs is None
    if device.info.memory != "CUDA":
        for ask in (
            lambda: kernel.occupancy(8),
            kernel.suggested_block,
            lambda: kernel((1,), (8,), (x,), cooperative=True),
            lambda: kernel((1,), (8,), (x,), cluster=(1,)),
        ):
            with pytest.raises(RuntimeError, match="the driver has no"):
                ask()
    for cluster in (0, (1, 1, 1, 2), (2, -1), (1.5,)):
        with pytest.raises(ValueError, match="1 to 3 positive integers"):
            kernel((1,), (8,), (x,), cluster=cluster)
    said = io.StringIO()
    module.compile(log_stream=said)
    kernel.compile(log_stream=said)
    one = numpy.zeros(1, dtype=[("scale", "f4"), ("begin", "i4")])
    module.get_function("scaled")((1,), (8,), (x, x, one, 8))
    assert x.tolist() == [0] * 8
    if device.info.dialect != "cuda":
        with pytest.raises(RuntimeError, match="variables"):
            module.get_global("anything")
    all_refused(
        """
        np.RawModule(code=wrong).get_function("f") ! CompileError: code:1
        np.RawKernel(RAW, "turned", {enable_cooperative_groups|jitify}=True) ! ValueError: is given
        kernel.num_regs_ ! AttributeError: num_regs_
        """,
        {"RAW": RAW, "kernel": kernel, "wrong": "KERNEL void f(GLOBAL f32 *x) { x[0] = y; }"},
    )


TEMPLATES = """
template<typename T> __global__ void thrice(T *x, int n) { if (threadIdx.x < n) x[0] *= 3; }
namespace lib { template<int N> __global__ void add(int *x) { x[0] += N; } }
__constant__ float factors[4];
__global__ void plain(float *x) { x[threadIdx.x] *= factors[threadIdx.x]; }
"""


def test_templates_of_cuda(device: xarr.Device) -> None:
    names = ("thrice<float>", "thrice<double>", "lib::add<3>", "plain")
    with pytest.raises(ValueError, match="name_expressions"):
        xarr.RawModule(code=TEMPLATES, backend="nvcc", name_expressions=names)
    module = xarr.RawModule(code=TEMPLATES, name_expressions=names)
    if device.info.dialect == "cuda":
        x = xarr.ones(2)
        module.get_function("thrice<double>")((1,), (1,), (x, numpy.int32(1)))
        module.get_function("lib::add<3>")
        factors = module.get_global("factors").cast("float32").array(2)
        factors[...] = xarr.asarray([2, 3], dtype="float32")
        y = xarr.ones(2, dtype="float32")
        module.get_function("plain")((1,), (2,), (y,))
        assert (x.tolist(), y.tolist()) == ([3, 1], [2, 3])
    with pytest.raises(ValueError, match="has thrice<float>, thrice<double>, lib::add<3>, plain"):
        module.get_function("thrice<int>")
    on_gpu: Any = SimpleNamespace(info=SimpleNamespace(dialect="cuda", has_float64=True))
    assert module._text(on_gpu, "plain").endswith(TEMPLATES)
    plain = xarr.RawModule(code=TEMPLATES)._text(on_gpu, "plain")  # templates have no name of C's
    assert 'extern "C" __global__ void plain' in plain
    assert compile_cuda(plain, "sm_90")
    head = compile_own_cubin(TEMPLATES, "sm_90", (), names)[0].partition(b"\n")[0]
    assert sorted(json.loads(head)) == sorted(names)
    assert json.loads(head)["lib::add<3>"].startswith("_Z")


# -- functions of numbers ---------------------------------------------------------------------


def looping(x: float) -> float:
    """What there is not for arrays."""
    while x > 1:
        x /= 2
    return x


def failing(x: float) -> float:
    """What fails when it runs."""
    y = x + 1
    return y + missing  # type: ignore[name-defined, no-any-return] # noqa: F821


def test_errors_of_functions_show_their_lines() -> None:
    with pytest.raises(SyntaxError) as caught:
        xarr.elementwise(looping)
    assert caught.value.text is not None
    assert caught.value.text.strip() == "while x > 1:"
    assert caught.value.filename == __file__
    with pytest.raises(TypeError, match="a function that def or lambda makes"):
        xarr.elementwise(math.sin)
    with pytest.raises(NameError) as raised:
        xarr.elementwise(failing)(xarr.ones(2))
    assert "return y + missing" in "".join(traceback.format_exception(raised.value))


CARRIED = """
KERNEL void carried(GLOBAL const double *x, GLOBAL double *out, long n) {
    for (long i = GLOBAL_ID(0); i < n; i += GLOBAL_SIZE(0)) {
        double a = x[i], b = 0.5;
        for (long r = -1; r < 4; r++) {
            const double before = a;
            const float rounded = (float)(a + x[i]);
            b = before;
            a = (double)rounded;
        }
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}
"""


def test_a_rounding_that_a_loop_carries_is_kept(device: xarr.Device) -> None:
    """gcc 12 loses it where it makes vectors of the two assignments."""
    if not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    x, wanted = numpy.asarray([1.952909676, -6.28300104, 0.57267286, -3.31767968]), list[float]()
    for value in x:
        a, b = float(value), 0.5
        for _ in range(5):
            a, b = float(numpy.float32(a + value)), a
        wanted += [a, b]
    out = xarr.zeros(8)
    xarr.RawKernel(CARRIED, "carried")((1,), (1,), (xarr.asarray(x), out, numpy.int64(4)))
    assert out.tolist() == wanted
