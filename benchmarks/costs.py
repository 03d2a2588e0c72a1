"""What xarr costs once, the import and a cold start, and the copy that large rows are held to."""

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
from typing import Final

import numpy

from benchmarks.libraries import Library
from benchmarks.measure import operands
from benchmarks.rows import COPY
from benchmarks.timing import WARM_UP, Timing, interleaved

_COPIES: Final = 10

IMPORT_LIMIT_S: Final = 0.02
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


def copy_bandwidth(xarr: Library, size: int, dtype: str, repeats: int) -> tuple[float, str]:
    """Measure the bytes that the fastest copy reads and writes, in GB/s, and say which it is."""
    hosts = operands(COPY, size, dtype)
    a, v = (xarr.upload(host) for host in hosts)
    driver = v.device.driver
    source, target = a._view.storage.buffer, v._view.storage.buffer

    def command() -> None:
        driver.copy(source, 0, target, 0, a.nbytes)

    def kernel() -> None:
        v[...] = a
        xarr.launch(v)

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
        _python("from xarr import *; devices(); print(len(dir()))", environment)
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
