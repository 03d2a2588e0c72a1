"""The sweep: every function of `functions.txt` beside the best other library, the slowest first."""

from __future__ import annotations

import functools
import gc
import itertools
import math
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy

from benchmarks import timing
from benchmarks.libraries import OPENERS, Host, Library
from benchmarks.rows import SMALL

DTYPES: Final = {
    "float32": "f", "float64": "d", "int64": "l", "int8": "b", "bool": "?", "complex64": "F",
}  # fmt: skip
"""Data types, and their letters in the table."""
SIZES: Final = {"cpu": (1 << 20, SMALL), "gpu": (1 << 24, SMALL)}
LIMITS: Final = {"cpu": (2.0, 5.0), "gpu": (1.2, 1.2)}
"""Times the best peer's time that a row of a large and of a small size may take."""
PEERS: Final = {"cpu": ("numpy",), "gpu": ("cupy", "torch", "jax.jit")}
WARM_UP, LOOKED = 280, 17
"""Calls before measuring: the 256th run of a list on few elements asks for kernels
(`tuning.PLANNED`), which are taken within 16 runs once they are compiled."""
WARM_S: Final = 0.2
BLOCK_S: Final = 1e-3
ROW_S: Final = 0.05
"""Seconds of warming up, of calls that are timed together, and of a row's rounds, at the most."""
MOST_CALLS: Final = 100
ENOUGH: Final = 2
"""Rounds of a row that are measured even where they take longer than `ROW_S`."""
PROBED: Final = 64
"""Elements for which NumPy is asked whether a call takes a data type."""
COLUMNS: Final = "{:50} {:10} {:>7} {:>11} {:>11} {:9} {:>8} {:>6}"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the table: a function's name, the letters of its data types, how it is written."""

    name: str
    letters: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What a call of a data type took.

    times_s : dict of str to float -- The shortest time of a call, by library.
    nbytes : int -- The bytes of operands and results.
    failed : str -- The error that xarr raised; "" where it raised none.
    """

    call: str
    dtype: str
    size: int
    times_s: dict[str, float] = field(default_factory=dict)
    nbytes: int = 0
    failed: str = ""

    @property
    def peer(self) -> str:
        """The fastest other library; "" where no other one has the function."""
        return min(self.times_s.keys() - {"xarr"}, key=self.times_s.__getitem__, default="")

    @property
    def ratio(self) -> float | None:
        """The time over that of the fastest other library."""
        return self.times_s["xarr"] / self.times_s[self.peer] if self.peer else None


def _read() -> tuple[list[Call], dict[str, str]]:
    """Read the table: the calls, and why names are not measured."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    found: list[Call] = []
    excepted: dict[str, str] = {}
    for line in re.sub(r"\n +", " ", text).split("\n"):
        if line.partition("#")[0].strip():
            letters, names, call = map(str.strip, line.split("|"))
            if letters == "-":
                excepted |= dict.fromkeys(names.split(), call)
                continue
            for name in names.split() or [""]:
                function = name if name[1:2] == "." else f"np.{name}"
                texts = tuple(re.sub(r"\bF\b", function, call).split(" ~ "))
                found.append(Call(name or texts[0], letters, texts))
    return found, excepted


CALLS, EXCEPTED = _read()
NAMES: Final = sorted({call.name for call in CALLS})


def measured(
    libraries: Sequence[Library],
    sizes: Sequence[int],
    dtypes: Sequence[str],
    names: Sequence[str],
    repeats: int,
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Row]:
    """Measure the calls, xarr being the first library; all calls where no names are given."""
    chosen = [one for one in CALLS if not names or one.name in names]
    known = OPENERS["numpy"](None)
    gc.collect()
    gc.freeze()  # the collection before each row then takes no time
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for size, dtype in itertools.product(sizes, dtypes):
            hosts = operands(size, dtype)
            # JAX compiles each call, for which there is time in one data type.
            here = [one for one in libraries if one.name != "jax.jit" or dtype == "float32"]
            places = [(one, uploaded(one, hosts)) for one in here]
            probes = uploaded(known, operands(PROBED, dtype))
            for call in chosen:
                if DTYPES[dtype] in call.letters:
                    progress(f"{call.texts[0]}, {dtype}, {size:,} elements")
                    row = _row(call, dtype, hosts, places, repeats)
                    is_refused = row.failed.startswith("TypeError")
                    if not is_refused or _is_taken(bound(call.texts[0], known, probes)):
                        yield row
    gc.unfreeze()


def operands(size: int, dtype: str) -> dict[str, Host]:
    """Make the arrays that calls name."""
    random = numpy.random.default_rng(0)

    def values() -> Host:
        if dtype == "bool":
            return random.random(size) < 0.5
        if dtype.startswith("int"):
            return random.integers(1, 100, size).astype(dtype)
        found = random.uniform(0.1, 0.9, size)
        return (found + 1j * found[::-1] if dtype == "complex64" else found).astype(dtype)

    x, y = values(), values()
    rows = math.isqrt(size)
    a, b = (one[: rows * rows].reshape(rows, rows) for one in (x, y))
    part = a[:256, :256]
    definite = part + part.conj().T + 2 * len(part) * numpy.eye(len(part))
    names = {"x": x, "y": y, "z": x, "p": (x + 1).astype(dtype), "u": numpy.sort(x), "w": x[:16]}
    names |= {"r": x[:rows], "t": y[:rows], "A": a, "B": b, "C": a, "S": definite.astype(dtype)}
    names |= {"P": x[: size // 3 * 3].reshape(-1, 3), "s": numpy.arange(0, size, 16)}
    return {**names, "k": random.permutation(size), "m": random.random(size) < 0.5}


def uploaded(library: Library, hosts: dict[str, Host]) -> dict[str, Any]:
    """Return all names of calls, with a library's arrays."""
    names = {name: library.upload(host.copy()) for name, host in hosts.items()}
    size = len(hosts["x"])
    names |= {"np": library.namespace, "n": size, "q": math.isqrt(size), "d": names["x"].dtype}
    if hasattr(getattr(library.namespace, "random", None), "default_rng"):
        names["g"] = library.namespace.random.default_rng(1)
    return names


def bound(text: str, library: Library, names: dict[str, Any]) -> Callable[[], Any]:
    """Return the function that makes a call; what the call writes to is among its results."""
    used = [name for name in names if re.search(rf"\b{name}\b", text)]
    written = [name for name in used if name in "zC"]
    try:
        compile(text, "a call", "eval")
        body = f"return {', '.join([text, *written])}"
    except SyntaxError:
        body = f"{text}; return {written[0]}"
    arrays = [name for name in used if type(names[name]) is type(names["x"])]
    space = {name: names[name] for name in used if name not in arrays}
    exec(f"def work({', '.join(arrays)}): {body}", space)
    work: Any = space["work"]
    given = [names[name] for name in arrays]
    return functools.partial(library.prepare(work) if library.prepare else work, *given)


def _is_taken(work: Callable[[], Any]) -> bool:
    """Tell whether a call succeeds."""
    try:
        work()
    except Exception:  # noqa: BLE001 - whatever NumPy says, it does not take the data type
        return False
    return True


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip().partition("\n")[0]


def _row(
    call: Call,
    dtype: str,
    hosts: dict[str, Host],
    places: Sequence[tuple[Library, dict[str, Any]]],
    repeats: int,
) -> Row:
    """Measure a call with each library that has it."""
    size, nbytes = len(hosts["x"]), 0
    blocks: dict[str, Callable[[], float]] = {}
    for library, names in places:
        is_own = library.name == "xarr"
        for text in call.texts[:1] if is_own else call.texts:
            names |= {one: library.upload(hosts[one].copy()) for one in "zC" if one in text}
            try:
                blocks[library.name], moved = _block(text, library, names)
            except Exception as error:  # noqa: BLE001 - whatever a call meets is its outcome
                if is_own:
                    return Row(call.texts[0], dtype, size, failed=_said(error))
                continue
            nbytes = moved if is_own else nbytes
            break
    times_s = dict.fromkeys(blocks, math.inf)
    with timing.undisturbed():
        end = time.perf_counter() + ROW_S
        for done in range(repeats):
            if done >= ENOUGH and time.perf_counter() > end:
                break
            try:
                for name, block in blocks.items():
                    times_s[name] = min(times_s[name], block())
            except Exception as error:  # noqa: BLE001 - as above
                return Row(call.texts[0], dtype, size, failed=f"measured: {_said(error)}")
    return Row(call.texts[0], dtype, size, times_s, nbytes)


def _block(text: str, library: Library, names: dict[str, Any]) -> tuple[Callable[[], float], int]:
    """Warm a call up; return a function that times some of them, each waited for, and the bytes."""
    work, is_own = bound(text, library, names), library.name == "xarr"
    array = type(names["x"])

    wait = _waiter(library, array) if is_own else library.wait

    def timed(count: int) -> float:
        began = time.perf_counter()
        for _ in itertools.repeat(None, count):
            wait(work())
        return (time.perf_counter() - began) / count

    result = work()
    wait(result)
    if any(type(one) is array and one.device != names["x"].device for one in _flat(result)):
        raise ValueError("the result is on another device")
    read = [value for name, value in names.items() if re.search(rf"\b{name}\b", text)]
    moved = sum(one.nbytes for one in [*read, *_flat(result)] if type(one) is array)
    del result
    shortest_s, on_cpu = math.inf, names["x"].device.kind == "cpu" if is_own else False
    for done in range(1, (WARM_UP if is_own else 2) + 1):
        took_s = timed(1)
        shortest_s = min(shortest_s, took_s)
        if done * shortest_s > WARM_S:  # the calls that compile count as others
            break
    if on_cpu and took_s < WARM_S:
        _wait_for_compiler()
        for _ in range(LOOKED):
            took_s = timed(1)
    return functools.partial(timed, max(1, min(MOST_CALLS, int(BLOCK_S / took_s)))), moved


def _waiter(library: Library, array: type) -> Callable[[Any], None]:
    """Return a function that waits for all arrays of a result of xarr's, in as little time."""

    def wait(result: Any) -> None:
        if type(result) is array:
            library.wait(result)
        elif isinstance(result, tuple | list) and type(result[0]) not in (int, float, complex):
            last = None
            for one in result:
                if type(one) is array:
                    library.launch(one)
                    last = one
                elif one is not None:
                    wait(one)
            if last is not None:
                library.wait(last)

    return wait


def _flat(result: Any) -> Iterator[Any]:
    """Yield the parts of a result, which may be nested; of a list of numbers none."""
    if isinstance(result, tuple | list):
        if result and isinstance(result[0], int | float | complex):
            return
        for one in result:
            yield from _flat(one)
    else:
        yield result


def _wait_for_compiler() -> None:
    """Wait for kernels that are compiled in the background: the job that is added is the last."""
    from xarr.codegen import compile_worker

    job = compile_worker.submit(lambda: None)
    while not job.is_done:
        time.sleep(0.001)


def summary(rows: Sequence[Row], size: int, kind: str) -> dict[str, Any]:
    """Count a size's rows, and those above the limit; their geometric mean."""
    here = [one for one in rows if one.size == size]
    ratios = [one.ratio for one in here if one.ratio is not None]
    failed = sum(bool(one.failed) for one in here)
    return {"rows": len(here), "failed": failed, **summary_of(ratios, size, kind)}


def summary_of(ratios: Sequence[float], size: int, kind: str) -> dict[str, Any]:
    """Count ratios to the fastest other library, and those above the limit; their mean."""
    limit = LIMITS[kind][size <= SMALL]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    counts = {"compared": len(ratios), "above": sum(ratio > limit for ratio in ratios)}
    return {"size": size, **counts, "limit": limit, "geometric_mean": mean}


def lines(rows: Sequence[Row], kind: str, copy_gb_s: float) -> Iterator[str]:
    """Yield the table that is printed: of each size what failed, then the slowest first."""
    sizes = list(dict.fromkeys(one.size for one in rows))
    for size in sizes:
        unit, scale = ("us", 1e6) if size <= SMALL else ("ms", 1e3)
        yield f"\n{size:,} elements, {unit} a call, each waited for; a copy: {copy_gb_s:.1f} GB/s"
        yield COLUMNS.format("", "", "ratio", "xarr", "best peer", "", "GB/s", "copy").rstrip()
        here = [one for one in rows if one.size == size]
        for one in sorted(here, key=lambda one: (not one.failed, -(one.ratio or 0))):
            if one.failed:
                yield f"{one.call:50} {one.dtype:10} failed: {one.failed}"
                continue
            own_s = one.times_s["xarr"]
            cells = ["", f"{scale * own_s:.4g}", "", one.peer, "", ""]
            if one.ratio is not None:
                cells[0], cells[2] = f"{one.ratio:.2f}", f"{scale * one.times_s[one.peer]:.4g}"
            if size > SMALL:
                speed = one.nbytes / own_s / 1e9
                cells[4:] = f"{speed:.1f}", f"{speed / copy_gb_s:.0%}"
            yield COLUMNS.format(one.call, one.dtype, *cells).rstrip()
    for size in sizes:
        found = summary(rows, size, kind)
        mean = found["geometric_mean"] or math.nan
        yield (
            f"{size:,} elements: {found['rows']} rows, {found['compared']} compared, geometric "
            f"mean {mean:.3f}, {found['above']} above {found['limit']:g}, {found['failed']} failed"
        )


def document(rows: Sequence[Row], kind: str, copy_gb_s: float) -> dict[str, Any]:
    """The figures, for the JSON file."""
    sizes = dict.fromkeys(one.size for one in rows)
    return {
        "copy_gb_s": copy_gb_s,
        "sizes": [summary(rows, size, kind) for size in sizes],
        "rows": [{**asdict(one), "peer": one.peer, "ratio": one.ratio} for one in rows],
    }
