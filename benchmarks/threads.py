"""Kernels by threads: `xarr.kernel` beside Numba's loops on a CPU, and CUDA C and Numba's on a GPU.

``python -m benchmarks.threads [--device D] [--scale S] [--repeats N] [--names a,b]``. On a CPU the
figures are microseconds of a call. On a GPU there are two: what a launch costs the host, and what a
kernel takes, between events around launches that a kernel before them holds up.
"""

from __future__ import annotations

import argparse
import importlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import numpy

from benchmarks import thread_kernels
from benchmarks.thread_kernels import GROUP, TILE
from benchmarks.timing import interleaved

FOLDER: Final = Path(__file__).parent
LAUNCHES: Final = 100
"""Launches that are timed together on a GPU; its queue holds more."""
TURNS: Final = 4_000_000
"""Turns of the kernel that holds up others: 4 clocks each, 8 ms and more."""
TOLERANCE: Final = 2e-5
"""Largest difference of results, relative to the largest value: CUDA C contracts products."""
Args = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel, and what it is given.

    name : str -- The kernel's name in all texts.
    given : function of a scale to the arguments -- NumPy's arrays and numbers.
    items : function of the arguments to the items along each dimension.
    numbers : function of the arguments to those of CUDA C behind its pointers, or among them.
    block : tuple of int -- The items of a group.
    over : bool -- Whether xarr launches one item for each element of a shape.
    """

    name: str
    given: Callable[[float], Args]
    items: Callable[..., tuple[int, ...]]
    in_c: Callable[..., Sequence[Any]]
    block: tuple[int, ...] = (GROUP,)
    over: bool = False

    def launched(self, args: Args) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the groups of a launch by grid and block, and the items of a group."""
        items = self.items(*args)
        items = items[::-1] if self.over else items
        return tuple(-(-n // b) for n, b in zip(items, self.block, strict=True)), self.block


@dataclass(slots=True)
class Runner:
    """A library that runs the kernels.

    load : function of a row and its arguments on the host to the call and the arguments there.
    download : function of an array to NumPy's.
    wait : function -- Wait for all that was launched.
    mark, elapsed_us : function -- Make an event; return the time from one to another.
    hold_up : function -- Launch what the next launches wait for.
    """

    name: str
    load: Callable[[Row, Args], tuple[Callable[[], None], Args]]
    download: Callable[[Any], Any]
    wait: Callable[[], None]
    mark: Callable[[], Any] = lambda: None
    elapsed_us: Callable[[Any, Any], float] = lambda first, last: math.nan
    hold_up: Callable[[], None] = lambda: None
    absent: dict[str, str] = field(default_factory=dict)


def _size(n: int, scale: float, multiple: int = GROUP) -> int:
    return max(1, int(n * scale) // multiple) * multiple


def _edge(n: int, scale: float) -> int:
    return _size(n, math.sqrt(scale), TILE)


def _rng() -> numpy.random.Generator:
    return numpy.random.default_rng(64)


def _of_vectors(count: int) -> Callable[[float], Args]:
    return lambda scale: tuple(_rng().random((count, _size(1 << 20, scale)), "float32"))


def _products(scale: float) -> Args:
    n = _edge(512, scale)
    a, b = _rng().integers(-9, 9, (2, n, n)).astype("float32")
    return a, b, numpy.zeros_like(a)


def _sums(scale: float) -> Args:
    data = _rng().integers(0, 99, _size(1 << 20, scale)).astype("int32")
    return data, numpy.zeros(data.size // GROUP, "int32")


def _histogram(scale: float) -> Args:
    x = _rng().random(_size(1 << 20, scale), "float32") * 6 - 1
    low, high = numpy.float32(0), numpy.float32(4)
    return x.astype("float32"), low, high, numpy.zeros(64, "int32")


def _laplace(scale: float) -> Args:
    u = _rng().random((_edge(1024, scale),) * 2, "float32")
    return u, u.copy()


def _monte_carlo(scale: float) -> Args:
    x, y = _rng().random((2, _size(1 << 20, scale)), "float32")
    return x, y, numpy.zeros(_size(1 << 14, scale), "int64")


def _life(scale: float) -> Args:
    world = _rng().random((_edge(1024, scale),) * 2) < 0.4
    return world, numpy.zeros_like(world)


def _prefix_sums(scale: float) -> Args:
    x = _rng().integers(-9, 9, (_size(1 << 20, scale) // GROUP, GROUP))
    return x, numpy.zeros_like(x)


def _transposition(scale: float) -> Args:
    x = _rng().random((_edge(1024, scale),) * 2, "float32")
    return x, numpy.zeros_like(x)


def _bilinear(scale: float) -> Args:
    n = _edge(512, scale)
    ys, xs = _rng().random((2, _size(1 << 20, scale)), "float32") * numpy.float32(n - 1.5)
    return _rng().random((n, n), "float32"), ys, xs, numpy.zeros_like(xs)


def _bodies(scale: float) -> Args:
    n = _size(4096, math.sqrt(scale))
    place = _rng().normal(size=(n, 3)).astype("float32")
    mass = _rng().random(n, "float32")
    return place, mass, numpy.float32(0.125), numpy.zeros_like(place)


def _neighbours(scale: float) -> Args:
    wanted = _size(4096, math.sqrt(scale))
    points = _rng().normal(size=(_size(4096, math.sqrt(scale)), 3)).astype("float32")
    queries = numpy.random.default_rng(1).normal(size=(wanted, 3)).astype("float32")
    return points, queries, numpy.zeros((wanted, 8), "float32"), numpy.zeros((wanted, 8), "int32")


def _sparse(scale: float) -> Args:
    rows = _size(1 << 16, scale)
    rng = _rng()
    indptr = numpy.concatenate([[0], numpy.cumsum(rng.integers(0, 33, rows))]).astype("int32")
    indices = rng.integers(0, rows, indptr[-1]).astype("int32")
    data, x = rng.random(indptr[-1], "float32"), rng.random(rows, "float32")
    return indptr, indices, data, x, numpy.zeros_like(x)


def _mandelbrot(scale: float) -> Args:
    n = _edge(512, scale)
    x, y = (numpy.linspace(*ends, n).astype("float32") for ends in ((-2, 1), (-1, 1)))
    return x, y, numpy.zeros((n, n), "uint8"), numpy.int64(100)


def _rows_to_sort(scale: float) -> Args:
    return (_rng().random((_size(1 << 20, scale) // GROUP, GROUP), "float32"),)


def _distances(scale: float) -> Args:
    n = _edge(512, scale)
    return _rng().integers(1, 50, (n, n)).astype("int32"), numpy.int64(n // 2)


def _sequences(scale: float) -> Args:
    n = _size(4096, math.sqrt(scale))
    a, b = _rng().integers(0, 4, (2, n)).astype("uint8")
    return a, b, numpy.int64(n + 1), numpy.zeros((n + 1, n + 1), "int32")


def _int(number: Any) -> Any:
    return numpy.int32(number)


def _with(*numbers: Callable[..., Any]) -> Callable[..., Sequence[Any]]:
    """Return what puts numbers behind the arrays."""
    return lambda *args: [*args, *(_int(number(*args)) for number in numbers)]


def _shape(of: int, axis: int) -> Callable[..., Any]:
    return lambda *args: args[of].shape[axis]


_LAST: Final = (_shape(-1, 0), _shape(-1, 1))
_FIRST: Final = (_shape(0, 0), _shape(0, 1))
_OF_PRODUCT: Final = (_shape(0, 0), _shape(0, 1), _shape(1, 1))
_SQUARE: Final = (TILE, TILE)

ROWS: Final = (
    Row("doubled", _of_vectors(1), lambda x: x.shape, _with(_shape(0, 0))),
    Row("vector_add", _of_vectors(3), lambda a, b, c: c.shape, _with(_shape(2, 0))),
    Row(
        "increments",
        lambda scale: (_rng().integers(0, 9, (_edge(1024, scale),) * 2).astype("int32"),),
        lambda x: x.shape,
        _with(*_FIRST),
        _SQUARE,
    ),
    Row("naive_product", _products, lambda a, b, c: c.shape, _with(*_OF_PRODUCT), _SQUARE),
    Row("tiled_product", _products, lambda a, b, c: c.shape[::-1], _with(*_OF_PRODUCT), _SQUARE),
    Row("group_sums", _sums, lambda data, sums: data.shape, _with(_shape(0, 0))),
    Row(
        "histogram",
        _histogram,
        lambda x, low, high, counts: (x.size // 16,),
        lambda x, low, high, counts: [x, _int(x.size), low, high, counts, _int(counts.size)],
    ),
    Row("laplace", _laplace, lambda u, new: u.shape, _with(*_FIRST), _SQUARE, over=True),
    Row("monte_carlo", _monte_carlo, lambda x, y, counts: counts.shape, _with(_shape(0, 0))),
    Row("life", _life, lambda world, new: world.shape, _with(*_FIRST), _SQUARE, over=True),
    Row("prefix_sums", _prefix_sums, lambda x, out: (x.size,), _with()),
    Row("transposition", _transposition, lambda x, out: x.shape[::-1], _with(*_FIRST), _SQUARE),
    Row(
        "bilinear",
        _bilinear,
        lambda image, ys, xs, out: out.shape,
        _with(_shape(0, 1), _shape(3, 0)),
        over=True,
    ),
    Row(
        "n_body",
        _bodies,
        lambda position, mass, softening, force: mass.shape,
        _with(_shape(1, 0)),
        over=True,
    ),
    Row(
        "nearest",
        _neighbours,
        lambda points, queries, best, places: queries.shape[:1],
        _with(_shape(0, 0), _shape(1, 0), _shape(0, 1), _shape(2, 1)),
        over=True,
    ),
    Row("sparse_product", _sparse, lambda *args: args[-1].shape, _with(_shape(4, 0)), over=True),
    Row(
        "mandelbrot",
        _mandelbrot,
        lambda x, y, image, limit: image.shape,
        lambda x, y, image, limit: [x, y, image, *map(_int, (*image.shape, limit))],
        _SQUARE,
    ),
    Row("bitonic_sort", _rows_to_sort, lambda x: (x.size,), _with()),
    Row(
        "floyd_warshall",
        _distances,
        lambda distances, k: distances.shape,
        lambda distances, k: [distances, _int(distances.shape[0]), _int(k)],
        _SQUARE,
        over=True,
    ),
    Row(
        "smith_waterman",
        _sequences,
        lambda a, b, diagonal, scores: a.shape,
        lambda a, b, diagonal, scores: [a, b, _int(diagonal), scores, *map(_int, scores.shape)],
    ),
)
"""The examples, in their order."""


# -- libraries ----------------------------------------------------------------------------------


def upload(args: Args, of: Callable[[Any], Any]) -> Args:
    """Return the arguments with arrays of a library."""
    return tuple(of(arg) if isinstance(arg, numpy.ndarray) else arg for arg in args)


def cuda_source() -> str:
    """Return the kernels in CUDA C."""
    return (FOLDER / "thread_kernels.cu").read_text(encoding="utf-8")


def own(device: Any, *, in_c: bool = False) -> Runner:
    """Return xarr with its kernels by threads, or with those in CUDA C."""
    import xarr

    def copied(host: Any) -> Any:
        return xarr.asarray(host, device=device, copy=True)

    def load(row: Row, args: Args) -> tuple[Callable[[], None], Args]:
        there = upload(args, copied)
        if in_c:
            kernel = xarr.RawKernel(cuda_source(), row.name)
            (grid, block), given = row.launched(args), row.in_c(*there)
            return (lambda: kernel(grid, block, given)), there
        made = getattr(thread_kernels, row.name)
        launch = made.over(row.items(*args)) if row.over else made[row.launched(args)]
        return (lambda: launch(*there)), there

    out = copied(numpy.zeros(1, "float32"))

    def hold_up() -> None:
        thread_kernels.delay[1, 1](out, TURNS)

    def mark() -> Any:
        event = xarr.Event(device)
        event.record()
        return event

    return Runner(
        "RawKernel" if in_c else "xarr.kernel",
        load,
        numpy.asarray,
        lambda: xarr.synchronize(device),
        mark,
        lambda first, last: 1e3 * first.elapsed_ms(last),
        hold_up,
    )


def numba_loops(*, plain: bool = False) -> Runner:
    """Return Numba with loops on a CPU; `plain` ones are what programs without groups have."""
    loops = importlib.import_module("benchmarks.thread_loops")

    def load(row: Row, args: Args) -> tuple[Callable[[], None], Args]:
        function = loops.PLAIN[row.name] if plain else getattr(loops, row.name)
        there = upload(args, numpy.copy)
        return (lambda: function(*there)), there

    return Runner("njit plain" if plain else "njit", load, numpy.asarray, lambda: None)


def text_for_numba() -> str:
    """Return the Python of the kernels in Numba's words, the last axis as its first dimension."""
    text = Path(str(thread_kernels.__file__)).read_text(encoding="utf-8")
    text = text.replace("from xarr import kernel as cuda", "from numba import cuda")
    return text.replace("i, j = cuda.grid(2)  # over", "j, i = cuda.grid(2)")


def numba_kernels() -> Runner:
    """Return Numba with the same kernels on a GPU."""
    cuda: Any = importlib.import_module("numba.cuda")
    if not cuda.is_available():
        raise RuntimeError("numba.cuda finds no device")
    module = ModuleType("thread_kernels_of_numba")
    exec(compile(text_for_numba(), str(thread_kernels.__file__), "exec"), vars(module))

    def load(row: Row, args: Args) -> tuple[Callable[[], None], Args]:
        there = upload(args, cuda.to_device)
        launch = getattr(module, row.name)[row.launched(args)]
        return (lambda: launch(*there)), there

    out = cuda.to_device(numpy.zeros(1, "float32"))

    def hold_up() -> None:
        module.delay[1, 1](out, TURNS)

    def mark() -> Any:
        event = cuda.event(timing=True)
        event.record()
        return event

    def elapsed_us(first: Any, last: Any) -> float:
        last.synchronize()
        return 1e3 * float(cuda.event_elapsed_time(first, last))

    return Runner(
        "numba.cuda",
        load,
        lambda array: array.copy_to_host(),
        cuda.synchronize,
        mark,
        elapsed_us,
        hold_up,
    )


def runners(device: Any) -> tuple[list[Runner], list[str]]:
    """Return the libraries for a device, and why others are absent."""
    found, absent = [own(device)], list[str]()
    openers: list[Callable[[], Runner]] = [numba_loops, lambda: numba_loops(plain=True)]
    if device.info.dialect == "cuda":
        openers = [lambda: own(device, in_c=True), numba_kernels]
    elif device.kind != "cpu":
        openers = []
    for opener in openers:
        try:
            found.append(opener())
        except Exception as error:  # noqa: BLE001 -- a library that is absent says so in a line
            absent.append(f"absent: {str(error).partition(chr(10))[0]}")
    return found, absent


# -- measuring ----------------------------------------------------------------------------------


def _on_cpu(runner: Runner, call: Callable[[], None]) -> Callable[[], SimpleNamespace]:
    def work() -> SimpleNamespace:
        began = time.perf_counter()
        call()
        runner.wait()
        return SimpleNamespace(host=math.nan, kernel=1e6 * (time.perf_counter() - began))

    return work


def _on_gpu(runner: Runner, call: Callable[[], None]) -> Callable[[], SimpleNamespace]:
    def work() -> SimpleNamespace:
        runner.wait()
        began = time.perf_counter()
        for _ in range(LAUNCHES):
            call()
        host = 1e6 * (time.perf_counter() - began) / LAUNCHES
        runner.wait()
        runner.hold_up()  # so that no kernel waits for the host
        first = runner.mark()
        for _ in range(LAUNCHES):
            call()
        last = runner.mark()
        return SimpleNamespace(host=host, kernel=runner.elapsed_us(first, last) / LAUNCHES)

    return work


def apart(values: Sequence[Any], others: Sequence[Any]) -> float:
    """Return the largest difference of arrays, relative to their largest value."""
    most = 0.0
    for one, other in zip(values, others, strict=True):
        a, b = one.astype("float64"), other.astype("float64")
        difference = numpy.where(a == b, 0.0, numpy.abs(a - b))
        finite = numpy.abs(b)[numpy.isfinite(b)]
        most = max(most, float(difference.max()) / (float(finite.max(initial=0)) or 1.0))
    return most


def measured(
    row: Row, libraries: Sequence[Runner], scale: float, repeats: int, *, is_gpu: bool
) -> Any:
    """Run an example with each library; return its figures, and what is wrong, by name."""
    args = row.given(scale)
    timed, wrong = dict[str, Callable[[], Any]](), dict[str, str]()
    first: list[Any] | None = None
    for runner in libraries:
        if runner.name == "njit plain" and row.name not in _plain():
            continue
        try:
            call, there = runner.load(row, args)
            call()
            runner.wait()
            values = [
                runner.download(one)
                for one, host in zip(there, args, strict=True)
                if isinstance(host, numpy.ndarray)
            ]
            first = first or values
            found = apart(values, first)
            if not found <= TOLERANCE:
                wrong[runner.name] = f"differs by {found:.1e}"
            timed[runner.name] = (_on_gpu if is_gpu else _on_cpu)(runner, call)
        except Exception as error:  # noqa: BLE001 -- what a library meets is its outcome
            text = str(error).strip().partition("\n")[0]
            wrong[runner.name] = f"{type(error).__name__}: {text}"
    figures = {
        name: SimpleNamespace(
            host=min(one.host for one in rounds), kernel=min(one.kernel for one in rounds)
        )
        for name, rounds in interleaved(timed, repeats).items()
    }
    return figures, wrong


def _plain() -> Sequence[str]:
    plain: dict[str, Any] = importlib.import_module("benchmarks.thread_loops").PLAIN
    return list(plain)


def lines(
    device_name: str | None, scale: float, repeats: int, names: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the lines of the table."""
    from xarr.backends.device import device as default_device, get_device

    device = get_device(device_name)
    with default_device(device):
        libraries, absent = runners(device)
        is_gpu = device.kind == "gpu"
        yield from absent
        what = "us on the host a launch; us a kernel" if is_gpu else "us a call"
        yield f"{device} ({device.name}): {what}, the least of {repeats}"
        yield "".join((f"{'':16}", *(f"{one.name:>20}" for one in libraries), "   ratios"))
        for row in ROWS:
            if names and row.name not in names:
                continue
            figures, wrong = measured(row, libraries, scale, repeats, is_gpu=is_gpu)
            cells, ratios = list[str](), list[str]()
            mine = figures.get(libraries[0].name)
            for runner in libraries:
                one = figures.get(runner.name)
                if one is None:
                    cells.append("-")
                    continue
                cells.append(f"{one.host:.1f}; {one.kernel:.1f}" if is_gpu else f"{one.kernel:.0f}")
                if one is not mine and mine is not None:
                    of_kernels = f"{mine.kernel / one.kernel:.2f}"
                    of_hosts = f"{mine.host / one.host:.2f}; " if is_gpu else ""
                    ratios.append(of_hosts + of_kernels)
            problems = [f"WRONG {name}: {text}" for name, text in wrong.items()]
            text = "".join(f"{cell:>20}" for cell in cells)
            yield f"{row.name:16}{text}   {', '.join([*ratios, *problems])}"


def main() -> None:
    """Print the table for the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--names", default="")
    given = parser.parse_args()
    names = [name for name in given.names.split(",") if name]
    for line in lines(given.device, given.scale, given.repeats, names):
        print(line, flush=True)


if __name__ == "__main__":
    main()
