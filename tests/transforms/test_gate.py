"""No value leaves a recording unseen: each public function records, or tells recorders of it.

Each function is called twice under a recorder, with arrays of other values. Both calls have to note
the same instructions with the same constants; what a call returns has to be made by one of them, be
in an argument's memory or be the same both times. Else the recorder was told that values are read,
or that results are computed without an instruction.
"""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.functions.calls import rows
from xarr.array.array import Array
from xarr.array.transfers import to_host
from xarr.dtypes import uint8
from xarr.ir.views import View, contiguous
from xarr.tape import builder
from xarr.tape.recorders import Recorder, recorded_by

GENERATOR: Final = numpy.random.default_rng(7)
VALUES: Final = [GENERATOR.random((4, 4)) + 0.5 for _ in range(2)]

GIVEN: Final = """
x
x, x
x, 2
x, x, x
"ij,jk->ik", x, x
x[0], x[1]
x[0]
[x, x]
[x[0, 0], 1.0, x[1, 1]]
x > 0.9, x, x
x > 0.9, x
x, x > 0.9
x, xarr.asarray([0, 2])
x, [0, 2]
x, (16,)
x, 0, 1
2, x
"x"
(10 * x).astype("int64")
(10 * x).astype("int64"), (7 * x).astype("int64")
(10 * x[0]).astype("int64")
(10 * x).astype("uint8")
x.sum()
3
x, x[0], x[0]
x, xarr.argsort(x, axis=1), 1
x, xarr.argsort(x, axis=1), x, 1
x @ x.T
lambda row: row * row.sum(), 0, x
xarr.sum, x, (0, 1)
x[0], [x[0] > 0.7], [1.0]
xarr.reshape(x, (4, 2, 2))
xarr.reshape(x, (2, 2, 2, 2))
x, (2, 4, 4)
(4, 4), x.sum()
(2 * x).astype("int64"), (4, 4)
[(2 * x).astype("int64"), (2 * x).astype("int64")], (4, 4)
x[0], x[1], 1
xarr.reshape(x, (2, 2, 2, 2)), xarr.reshape(x[:2, :2], (2, 2))
x, "cpu:0"
x, "float32"
(x[i, i] for i in range(2)), "float64"
x[:, :3], x[:, 1:]
x.dtype, "integral"
3, lambda m, k: m > 1
lambda i, j: i + j + x, (4, 4)
1, 2
x[0], 2.0, 5
""".strip().split("\n")
"""Arguments made of an array; each function is called with all that it takes."""


def given(line: str, x: Array) -> tuple[Any, ...]:
    return eval(f"({line},)", {"xarr": xarr, "x": x})  # type: ignore[no-any-return]


NOT_OF_ARRAYS: Final = """
    array2string array_repr array_str base_repr bench binary_repr broadcast_shapes copyto_async
    current_stream default_device device devices doctor eager elementwise empty_pinned explain
    format_float_positional format_float_scientific from_cl fromfile frompyfunc fromregex fromstring
    genfromtxt get_include get_printoptions getbufsize geterr geterrcall graph iinfo info ipc_handle
    kernel_file load loadtxt lookfor memmap memory_info nested_iters no_implicit_transfer
    printoptions profile reproducible run save savetxt savez savez_compressed set_device
    set_printoptions setbufsize seterr seterrcall show_config show_runtime source synchronize test
    typename vectorize warm
"""
"""Functions that take no array, or write to files, text or another process."""


class Seen(Recorder):
    """Notes instructions by the origin of their operands."""

    def __init__(self, arrays: list[Array]) -> None:
        self.origin: dict[int, tuple[str, int]] = {}
        for number, array in enumerate(arrays):
            if array._view.storage is not None:
                self.origin.setdefault(array._view.storage.serial, ("argument", number))
        self.captured: dict[int, Any] = {}
        self.instructions: list[Any] = []
        self.faults: list[str] = []
        self.written: set[int] = set()
        self.is_told = False

    def note(self, opcode: Any, views: Any, fresh: Any, scalar: Any) -> None:
        operands = []
        constants = [] if scalar is None else [scalar]
        for view in views:
            if view.storage is None:
                constants.append(view.value)
                continue
            origin = self.origin.get(view.storage.serial)
            if origin is None:
                origin = self.origin[view.storage.serial] = "captured", len(self.captured)
                self.captured[view.storage.serial] = view.storage
            operands.append((*origin, view.offset))
        if fresh is None:
            storage = views[0 if opcode.target is None else -1].storage
            self.written.add(storage.serial)
            if storage.serial in self.captured:
                self.faults.append(f"{opcode.operation.name} writes what no instruction made")
        else:
            self.origin[fresh.serial] = "made", len(self.instructions)
        self.instructions.append((opcode.operation.name, opcode.shape, operands, constants))

    def reading(self, where: str, views: Any) -> None:
        assert where
        self.is_told = True

    def computing(self, where: str, views: Any) -> None:
        assert where
        self.is_told = True

    def contents(self) -> list[bytes]:
        found = []
        for storage in self.captured.values():
            whole = contiguous(storage.device, uint8, (storage.nbytes,))
            found.append(to_host(View(storage, whole, 0)).tobytes())
        return found


def arrays_in(value: Any) -> Iterator[Array]:
    if isinstance(value, Array):
        yield value
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from arrays_in(part)


def plain(value: Any) -> Any:
    """A result as something that compares."""
    if isinstance(value, Array | numpy.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return repr(value)


def called(function: Any, line: str, values: Any) -> tuple[Seen, Any]:
    """Call a function under a recorder; return that, and the result's parts."""
    x = xarr.asarray(values)
    arguments = given(line, x)
    arrays = [x, *arrays_in(arguments)]
    for array in arrays:
        builder.materialise(array._view)
    seen = Seen(arrays)
    before = [plain(array) for array in arrays]
    with recorded_by(seen):
        result = function(*arguments)
    if not seen.is_told:
        for array, values in zip(arrays, before, strict=True):
            storage = array._view.storage
            is_written = storage is not None and storage.serial in seen.written
            if not is_written and plain(array) != values:
                seen.faults.append("an argument was written without an instruction")
        for array in arrays_in(result):
            storage = array._view.storage
            if storage is not None and storage.nbytes and storage.serial not in seen.origin:
                seen.faults.append("a result was made without an instruction")
    return seen, result


def faults_of(function: Any, line: str) -> list[str]:
    first, one = called(function, line, VALUES[0])
    second, other = called(function, line, VALUES[1])
    faults = list(dict.fromkeys([*first.faults, *second.faults]))
    if first.is_told or second.is_told:
        return faults
    if first.instructions != second.instructions:
        faults.append("instructions or constants depend on values")
    elif first.contents() != second.contents():
        faults.append("captured memory depends on values")
    if list(parts_of(one)) != list(parts_of(other)):
        faults.append("a constant result depends on values")
    return faults


def parts_of(result: Any) -> Iterator[Any]:
    """The parts of a result that no instruction makes."""
    if isinstance(result, list | tuple):
        for part in result:
            yield from parts_of(part)
    elif isinstance(result, Array):
        yield result._view.value
    else:
        yield plain(result)


METHODS: Final = rows("""
x[{0, 0|1:, ::2|[0, 2]|[0, 2], [1, 1]|x > 0.9|x.argmax(axis=0)}]
{x[0] @ x[1]|x @ x|x + x[0, 0]|x[0, 0] + 1.0|x * float(x[0, 0])}
{x.item(3)|x.tolist()|x[0].tolist()|list(x)|list(x[0])|[y * 2.0 for y in x[0]]|0.5 in x}
{bool(x[0, 0] > 1)|int(x[0, 0])|complex(x[0, 0])|round(x[0, 0])|format(x[0, 0], ".3f")}
{str|repr|bytes|numpy.asarray|copy.copy|copy.deepcopy|pickle.dumps}(x)
{hash(x.shape)|x.tobytes()|x.__dlpack__(dl_device=(1, 0))}
numpy.{add(x, x)|linalg.inv(x)|sin(x[0])}
{xarr.asarray(numpy.ones(4))|numpy.ones(4)|[1.0, 2.0, 3.0, 4.0]} + x
xarr.asarray({[[x[0, 0], 1.0], [2.0, x[1, 1]]]|[x[0], [1.0, 2.0, 3.0, 4.0]]})
xarr.where(x > 1, x, 0.0)
x.flat[{3|[3, 5]|x.flatten() > 1}]
x.{sort()|sort(axis=0)|partition(2)|fill(x[0, 0])|fill(2.0)|put([0, 1], x[3])|byteswap(True)}
x.setflags(write=False)
setitem(x, {0, x[1]|(0, 0), x[1, 1]|(0, 0), 2.0|(0, 0), float(x[1, 1])|slice(None), x.T})
setitem(x, {x > 1, 0.0|x > 1, x[x > 1] * 2|[0, 2], x[1]|[0, 0], x[1:3]|x.argmax(axis=0), x[1]})
setitem({x.flat, 3, x[0, 0]|x.flat, [3, 5], x[0, :2]|x.real, 0, x[1]})
setattr(x, "{real|flat}", x.T)
xarr.add(x, x, out=x{|, where=x > 1})
xarr.add.{at(x, [0, 0], x[1])|reduce(x)|accumulate(x)|reduceat(x, [0, 2])|outer(x, x)}
xarr.{cumsum(x, 0, out=x)|copyto(x, x.T)|copyto(x, x.T, where=x > 1)|fill_diagonal(x, x[0])}
xarr.{put_along_axis(x, x.argsort(axis=1), x[:, :1], 1)|place(x, x > 1, [1.0, 2.0])}
xarr.put(x, [0, 1], x[3])
operator.{iadd(x, x.T)|imatmul(x, x)|iadd(x[1:], x[:-1])|imul(x[0, 0], 2.0)}
xarr.{vectorize(lambda a: a + 1)|nditer|frompyfunc(lambda a: a + 1, 1, 1)|asfortranarray}(x)
list(xarr.ndenumerate(x))
xarr.random.default_rng(1).{normal(x, x)|permutation(x)|shuffle(x)|choice(x[0], 2)}
xarr.random.default_rng(1).choice(4, 2, p=x[0] / x[0].sum())
xarr.random.default_rng(1).multivariate_normal(x[0], x @ x.T)
xarr.{polynomial.polynomial.polyval(x[0], |polynomial.Polynomial(x[0])(|poly1d(x[0])(}x[1])
xarr.linalg.{norm(x)|norm(x, 2)|solve(x, x[0])}
xarr.{fft.fftn(x)|isin(x, x[0])|interp(x, [0.0, 1.0], [1.0, 3.0])}
""")
"""Expressions of an array that functions' arguments do not reach."""


def test_each_method_records_or_tells() -> None:
    names = {
        "copy": copy,
        "numpy": numpy,
        "operator": operator,
        "pickle": pickle,
        "setitem": operator.setitem,
        "xarr": xarr,
    }
    faults = list[str]()
    for line in METHODS:
        program = compile(line, line, "eval")

        def function(x: Array, program: Any = program) -> Any:
            return eval(program, names, {"x": x})

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            faults += [f"{line}: {fault}" for fault in faults_of(function, "x")]
    assert not faults, "\n".join(faults)


def test_a_draw_tells_of_its_generator() -> None:
    drawn = []

    class Drawn(Recorder):
        def drawing(self, generator: Any) -> None:
            drawn.append(generator)

    generator = xarr.random.default_rng(3)
    with recorded_by(Drawn()):
        generator.random(3)
        generator.normal()
        generator.permutation(4)
    assert drawn == [generator.bit_generator] * 3


def public(space: ModuleType) -> list[str]:
    return [
        name
        for name in sorted(dir(space))
        if not name.startswith("_")
        and callable(getattr(space, name))
        and not isinstance(getattr(space, name), type | ModuleType)
        and name not in NOT_OF_ARRAYS.split()
        and not getattr(space, name).__module__.startswith("xarr.transforms")
    ]


NAMESPACES: Final = {"": xarr, "linalg.": xarr.linalg, "fft.": xarr.fft}


@pytest.mark.parametrize("space", NAMESPACES)
def test_each_function_records_or_tells(space: str) -> None:
    faults = list[str]()
    for name in public(NAMESPACES[space]):
        function = getattr(NAMESPACES[space], name)
        tried = 0
        for line in GIVEN:
            if tried == (2 if isinstance(function, xarr.ufunc) else 4):
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    function(*given(line, xarr.asarray(VALUES[0])))
                except Exception:  # noqa: BLE001 - of any kind
                    continue  # it takes no such arguments
                found = faults_of(function, line)
            tried += 1
            faults += [f"{space}{name}({line}): {fault}" for fault in found]
        if not tried:
            faults.append(f"{space}{name} was not tried")
    assert not faults, "\n".join(faults)
