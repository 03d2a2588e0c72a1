"""What xarr costs apart from the work: Python per operator, a launch, the import, a cold start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy

from benchmarks.libraries import Library
from benchmarks.measure import operands
from benchmarks.rows import COPY, SMALL, Row, chain, flat
from benchmarks.timing import WARM_UP, Timing, interleaved

OPERATORS: Final = 7
"""Operators of `chain`."""
_CHAINS: Final = 300
_LAUNCHES: Final = 64
_COPIES: Final = 10

OPERATOR_LIMIT_US: Final = 1.5
IMPORT_LIMIT_S: Final = 0.06
FIRST_RESULT_LIMIT_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Cost:
    """One figure, with the limit it has to keep where there is one."""

    key: str
    title: str
    unit: str
    minimum: float
    median: float
    limit: float | None = None


class Bare:
    """The least that a deferred operator can do: look up types, compare shapes, make a node."""

    __slots__ = ("device", "dtype", "inputs", "operation", "shape")

    def __init__(
        self, operation: Any, inputs: tuple[Bare, ...], dtype: str, shape: Any, device: object
    ) -> None:
        self.operation = operation
        self.inputs = inputs
        self.dtype = dtype
        self.shape = shape
        self.device = device

    def _with(self, other: Bare, table: dict[tuple[str, str], str]) -> Bare:
        if type(other) is not Bare or other.device is not self.device:
            raise TypeError
        result = table[self.dtype, other.dtype]
        if other.shape != self.shape:
            raise ValueError
        return Bare(table, (self, other), result, self.shape, self.device)

    def __add__(self, other: Bare) -> Bare:
        return self._with(other, _ADD)

    def __sub__(self, other: Bare) -> Bare:
        return self._with(other, _SUBTRACT)

    def __mul__(self, other: Bare) -> Bare:
        return self._with(other, _MULTIPLY)


_ADD: Final = {("float32", "float32"): "float32"}
_SUBTRACT: Final = dict(_ADD)
_MULTIPLY: Final = dict(_ADD)


def operator_cost(xarr: Library, repeats: int) -> list[Cost]:
    """Python's time for one deferred operator, in pending chains that nobody computes."""
    row = Row("", "", chain, flat(3))
    arrays = [xarr.upload(host) for host in operands(row, SMALL, "float32")]
    device = object()
    bare = [Bare(None, (), "float32", (SMALL,), device) for _ in arrays]

    def timed(values: list[Any]) -> Callable[[], float]:
        def work() -> float:
            a, b, c = values
            began = time.perf_counter()
            for _ in range(_CHAINS):
                _ = ((a * b + c) * a - b) * c + a * b
            return time.perf_counter() - began

        return work

    elapsed_s = interleaved({"xarr": timed(arrays), "bare": timed(bare)}, repeats)
    titles = {
        "xarr": "Python, one deferred operator",
        "bare": "the same, bare prototype",
    }
    return [
        _cost(
            "operator", titles[name], "us", Timing.of(times, _CHAINS * OPERATORS),
            OPERATOR_LIMIT_US if name == "xarr" else None,
        )
        for name, times in elapsed_s.items()
    ]  # fmt: skip


def launch_cost(xarr: Library, repeats: int) -> list[Cost]:
    """Measure the host's time for a launch by the driver, and for a whole `v[...] = a`."""
    a, v = (xarr.upload(host) for host in operands(COPY, SMALL, "float32"))
    driver = v.device.driver
    v[...] = a
    prepared: list[tuple[Any, ...]] = []
    launch = driver.launch

    def record(*arguments: Any) -> None:
        prepared.append(arguments)
        launch(*arguments)

    driver.launch = record
    try:
        v[...] = a
    finally:
        driver.launch = launch

    def timed(call: Callable[[], None]) -> Callable[[], float]:
        def work() -> float:
            began = time.perf_counter()
            for _ in range(_LAUNCHES):
                call()
            elapsed_s = time.perf_counter() - began
            xarr.wait(v)
            return elapsed_s

        return work

    def whole() -> None:
        v[...] = a

    works = {
        "launch of a prepared kernel": timed(lambda: launch(*prepared[-1])),
        "v[...] = a, launched": timed(whole),
    }
    return [
        _cost("launch", title, "us", Timing.of(times, _LAUNCHES))
        for title, times in interleaved(works, repeats).items()
    ]


def copy_bandwidth(xarr: Library, size: int, dtype: str, repeats: int) -> tuple[float, str]:
    """Measure the bytes that the fastest copy reads and writes, in GB/s, and say which it is."""
    hosts = operands(COPY, size, dtype)
    a, v = (xarr.upload(host) for host in hosts)
    driver = v.device.driver
    source, target = a._node.storage.buffer, v._node.storage.buffer

    def command() -> None:
        driver.copy(source, 0, target, 0, a.nbytes)

    def kernel() -> None:
        v[...] = a

    def timed(call: Callable[[], None]) -> Callable[[], float]:
        def work() -> float:
            began = time.perf_counter()
            for _ in range(_COPIES):
                call()
            driver.synchronize()
            return (time.perf_counter() - began) / _COPIES

        return work

    works = {"the driver's command": timed(command), "a kernel": timed(kernel)}
    if v.device.info.shares_host_memory:
        works["NumPy"] = timed(lambda: numpy.copyto(hosts[1], hosts[0]))
    elapsed_s = {name: min(times) for name, times in interleaved(works, repeats).items()}
    fastest = min(elapsed_s, key=lambda name: elapsed_s[name])
    return 2 * float(a.nbytes) / elapsed_s[fastest] / 1e9, fastest


_IMPORT: Final = """
import time, json, sys
start = time.perf_counter()
import numpy
between = time.perf_counter()
import {module}
end = time.perf_counter()
print(json.dumps([between - start, end - between]))
"""

_FIRST: Final = """
import time
start = time.perf_counter()
import xarr as np
x = np.asarray([1.0, 2.0, 3.0], dtype="float32")
assert float(((x * 2 + 1) / 2).sum()) == 7.5
print(time.perf_counter() - start)
"""

_MODULES: Final = {
    "xarr": "xarr", "cupy": "cupy", "torch": "torch", "jax.jit": "jax.numpy", "numexpr": "numexpr",
}  # fmt: skip


def import_cost(libraries: list[Library], repeats: int) -> list[Cost]:
    """Measure the seconds that an import takes beyond numpy's, in processes of their own."""
    modules = {lib.name: _MODULES[lib.name] for lib in libraries if lib.name in _MODULES}
    alone: list[float] = []
    with tempfile.TemporaryDirectory(prefix="xarr-benchmark-") as folder:
        # Bytecode as an installed package has it, wherever this one lies.
        environment = {"PYTHONPYCACHEPREFIX": folder}

        def timed(module: str) -> Callable[[], float]:
            def work() -> float:
                numpy_s, more_s = json.loads(_python(_IMPORT.format(module=module), environment))
                alone.append(numpy_s)
                return float(more_s)

            return work

        elapsed_s = interleaved({name: timed(module) for name, module in modules.items()}, repeats)
    costs = [_cost("import", "import numpy", "s", Timing.of(alone[WARM_UP * len(modules) :]))]
    for name, times in elapsed_s.items():
        limit = IMPORT_LIMIT_S if name == "xarr" else None
        costs.append(_cost("import", f"import {name} after it", "s", Timing.of(times), limit))
    return costs


def first_result_cost(device: str, repeats: int) -> list[Cost]:
    """Measure the seconds from `import xarr` to a first result, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="xarr-benchmark-") as folder:
        environment = {
            "XARR_DEVICE": device,
            "XARR_CACHE_DIR": str(Path(folder) / "xarr"),
            "POCL_CACHE_DIR": str(Path(folder) / "pocl"),
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"),
        }
        Path(environment["POCL_CACHE_DIR"]).mkdir()
        # Bytecode is there before: the first figure is that of kernels to be compiled.
        _python("import xarr; xarr.devices(); print(len(dir(xarr)))", environment)
        cold = float(_python(_FIRST, environment))
        warm = interleaved({"warm": lambda: float(_python(_FIRST, environment))}, repeats)
    return [
        Cost("first result", "first result, empty disk cache", "s", cold, cold),
        _cost(
            "first result",
            "first result, second process",
            "s",
            Timing.of(warm["warm"]),
            FIRST_RESULT_LIMIT_S,
        ),
    ]


def _python(program: str, environment: dict[str, str]) -> str:
    """Run a program in a process of its own; return the last line that it prints."""
    everything = {**os.environ, **environment}
    everything.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", program], env=everything, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a process of the benchmark failed:\n{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def _cost(key: str, title: str, unit: str, timing: Timing, limit: float | None = None) -> Cost:
    scale = {"s": 1.0, "us": 1e6}[unit]
    return Cost(key, title, unit, timing.minimum_s * scale, timing.median_s * scale, limit)
