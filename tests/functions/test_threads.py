"""Kernels by threads, written in Python: on the device of the run, and item by item in Python."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy
import pytest

import xarr
from tests.conftest import DEVICES
from tests.functions.random_programs import Drawn
from tests.functions.test_own_c import ON_GPU
from tests.functions.thread_examples import EXAMPLES
from tests.kernels.nvrtc import compile_cuda
from tests.processes import run_code
from xarr import kernel as cuda


@pytest.mark.parametrize("mode", ["device", "python"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.__name__)
def test_examples_have_numpys_values(device: xarr.Device, example: Any, mode: str) -> None:
    kernels = list[Any]()

    def of(kernel: Any) -> Any:
        kernels.append(kernel)
        return kernel if mode == "device" else kernel.interpret

    found, wanted = example(of)
    assert numpy.array_equal(numpy.asarray(found), wanted)
    if mode == "device" and DEVICES[0] is device:
        form = next(iter(kernels[0]._forms.values()))
        compile_cuda(form.raw._module._text(ON_GPU, form.raw.name), "sm_90")


# -- random programs --------------------------------------------------------------------------

DTYPES = [
    ("int32", "float32", "float32"),
    ("int64", "float64", "float64"),
    ("uint8", "float32", "float64"),
    ("int16", "float64", "float32"),
    ("uint32", "float32", "float32"),
    ("uint64", "float32", "float32"),
]
PROGRAMS = 40


@pytest.mark.parametrize("part", range(5))
def test_random_programs_have_the_bits_of_python(
    device: xarr.Device, part: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not device.info.has_float64:
        pytest.skip(f"{device} has no float64")
    monkeypatch.syspath_prepend(tmp_path)
    for number in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        text = f"import math\nimport numpy\nimport xarr\n\n{Drawn(number).program()}"
        name = f"drawn_{number}"
        (tmp_path / f"{name}.py").write_text(text)
        program = importlib.import_module(name).program
        integers, first, second = DTYPES[number % len(DTYPES)]
        rng = numpy.random.default_rng(number)
        x = xarr.asarray((rng.normal(size=4) * 4).astype(first))
        n = xarr.asarray(rng.integers(0, 100, 4).astype(integers))
        y = xarr.asarray((rng.normal(size=4) * 4).astype(second))
        found = []
        for launch in (program, program.interpret):
            out, z = xarr.zeros((4, 3)), xarr.zeros((4, 6), dtype="int64")
            try:
                launch[2, 2](x, n, y, out, z)
            except SyntaxError as error:
                if "does not fit" not in str(error):
                    raise
                continue  # NumPy refuses the number as well
            found.append((numpy.asarray(out), numpy.asarray(z)))
        if not found:
            continue
        (out, z), (wanted, numbers) = found
        assert numpy.array_equal(z, numbers), text
        is_same = (out.view("int64") == wanted.view("int64")) | ((out != out) & (wanted != wanted))
        assert is_same.all(), text


# -- arrays and numbers -----------------------------------------------------------------------


@xarr.kernel
def scaled(x, out, factor):  # type: ignore[no-untyped-def]
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, -1 - j] = x[i][j - x.shape[1]] * factor


LAYOUTS = {
    "whole": lambda x: x,
    "part": lambda x: x[1:3, 2:],
    "steps": lambda x: x[::2, ::3],
    "reversed": lambda x: x[::-1, ::-2],
    "turned": lambda x: x.T,
    "repeated": lambda x: x[:1, 1:].T[:, [0, 0, 0]],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", ["whole", "steps", "turned"])
def test_views_and_indices_below_zero(device: xarr.Device, layout: str, other: str) -> None:
    host = numpy.arange(60, dtype="float32").reshape(6, 10)
    view = LAYOUTS[layout](host)
    extents = view.shape
    for launch in (scaled, scaled.interpret):
        x = LAYOUTS[layout](xarr.asarray(host))
        memory = xarr.zeros((30, 30), dtype="float32")
        part = {"whole": memory, "steps": memory[1::2, 2::2], "turned": memory.T}[other]
        wanted = numpy.zeros((30, 30), "float32")
        target = {"whole": wanted, "steps": wanted[1::2, 2::2], "turned": wanted.T}[other]
        part, target = (one[: extents[0], : extents[1]] for one in (part, target))
        target[:, ::-1] = view * 2
        launch.over(x.shape)(x, part, 2)
        assert numpy.array_equal(numpy.asarray(memory), wanted)


def test_two_views_of_one_memory(device: xarr.Device) -> None:
    for launch in (scaled, scaled.interpret):
        x = xarr.arange(24.0).reshape(4, 6)
        launch.over((4, 3))(x[:, :3], x[:, 3:], 10)
        host = numpy.arange(24.0).reshape(4, 6)
        host[:, :2:-1] = host[:, :3] * 10
        assert numpy.array_equal(numpy.asarray(x), host)


@xarr.kernel
def combined(x, y, number, out):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    out[i] = x[i] * number + y[i]


NUMBERS = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
]


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
    text = combined.source(
        xarr.zeros(3, dtype="float32"),
        xarr.zeros(3, dtype="float32"),
        2.5,
        xarr.zeros(3, dtype="float32"),
    )
    assert "f64 v_" not in text.replace("f64 v_number", "")


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


def test_it_is_ordered_explained_and_counted(device: xarr.Device) -> None:
    x = xarr.arange(8.0)
    y = x + 1
    combined.over(8)(x, y, 2.0, y)
    y += 1
    assert y.tolist() == [3 * k + 2 for k in range(8)]


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


# -- mistakes ---------------------------------------------------------------------------------

MISTAKES = {
    "y = x[i] + z": "column 16: the name z is not there; give it a value, or define it outside",
    "x[i] = [1, 2]": "column 12: List is not there in kernels; write a tuple, or private_array",
    "x[i, 0] = 1": "column 5: x has 1 axis, and 2 indices are written; write x[i]",
    "y = x + 1": "column 9: x is an array of 1 axes, not a number; write x[i]",
    "x[0.5] = 1": "column 7: an index of x is Python's float; write int(i)",
    "y = 1\n    y = x": "column 5: y stands for something else before; take another name",
    "for v in x:\n        pass": "column 14: for goes over something else than a range",
    "with open('f'):\n        pass": "column 5: with is not there in kernels; write its body",
    "return x[i]": "column 5: a kernel returns a value; write it to an array argument",
    "x[i] = math.comb(3, 2)": "comb of 2 arguments is not there in kernels",
    "if x[i] > 0:\n        cuda.syncthreads()": "a barrier stands where not all items of a group",
    "if i > 3:\n        return\n    cuda.barrier()": "a barrier stands where not all items",
    "x[i] = again(i)": "again calls itself; write a loop",
    "t = cuda.shared.array(x.size, x.dtype)": "the shape of local_array must be known",
    "t = cuda.shared.array(10**9, x.dtype)": "the local array has",
    "y = x[i] if x[i] > 0 else None": "an object of type NoneType is no number",
    "y = x.sum()": "column 9: x.sum is not there in kernels; an array has shape",
    "y = plain(x[i])": "plain is a function of Python; mark it with @xarr.kernel",
    "print(x[i])": "print of 1 argument is not there in kernels",
    "y = k\n    k = 1": "k is read before it has a value; give it a value before",
    "x[i] = x[i] and 1": "and of a number gives one of its operands in Python",
    "y = (1, 2)\n    x[i] = y[i]": "a tuple is indexed by a known integer",
    "a, b = 1, 2, 3": "2 names are given 3 values",
    "def inner():\n        pass": "functiondef is not there in kernels; define it outside",
    "y = x[i:]": "Slice is not there in kernels; write a loop over the elements",
    "y = cuda.grid(i)": "grid takes the number of dimensions: 1, 2 or 3",
    "y = cuda.gridd(1)": "column 9: xarr.kernel has no gridd; near it are grid, gridDim, group_id",
    "x[i] += cuda.atomic.add(x, 0, 1)": "an atomic stands behind an element that is read",
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
        "import math\nfrom xarr import kernel as cuda\n\n"
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
    assert (told.value.lineno or 0) >= 13 or "again" in statement
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
        (lambda: combined.over(-1)(x, x, 1, x), ValueError, "shape is -1"),
        (lambda: cuda.grid(1), RuntimeError, "called outside a kernel"),
        (lambda: xarr.kernel(len), TypeError, "it must be made by def"),
    ):
        with pytest.raises(error, match=text):
            launch()
    assert x.tolist() == [0, 1, 2, 3]


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
    device: xarr.Device,
) -> None:
    found = []
    for launch in (around, around.interpret):
        out = xarr.zeros((6, 4), dtype="int64")
        launch.over(6)(xarr.arange(1, 7), out)
        found.append(out.tolist())
    assert found[0] == found[1]
    source = around.source(xarr.arange(6), xarr.zeros((6, 4), dtype="int64"), over=1)
    assert "p_x[xr_subtract_i64(v_j, 1LL)]" in source
    assert "p_x[wrapped(v_j, n_x_0)]" in source
