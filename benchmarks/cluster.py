"""A Dask cluster on one device and on all: ``python -m benchmarks.cluster --backend cupy``.

Each worker gets as much as every other one, so that N devices do N times the work; the table says
how many times as fast they do it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import dask
import dask.array as da
import numpy
from dask.array import overlap
from distributed import wait

import xarr
from xarr.adapters.distributed import LocalCluster, received_nbytes

Program = Callable[[Any, int, int, int], Callable[[], Any]]

DEPTH: Final = 64
"""Steps of the stencil between two exchanges of borders."""
CHUNKS: Final = 8
"""Chunks of a worker: 19 GB. What is on the way takes as much again."""
COMPARED: Final = 8192
"""Rows and columns of chunks whose results are compared: all fit on one card, borders are 2 MiB."""


def _filled(client: Any, rows: int, columns: int, side: int) -> Any:
    """Random chunks; each worker holds as many rows of them as every other one.

    Left to itself, the scheduler gives most of them to the worker that was ready first.
    """
    rng = da.random.default_rng(7)
    x = rng.random((rows * side, columns * side), chunks=side, dtype="float32")
    workers = list(client.nthreads())
    shares = [share for share in numpy.array_split(range(rows), len(workers)) if share.size]
    parts = [
        client.persist(
            x.blocks[share[0] : share[-1] + 1], workers=[worker], allow_other_workers=True
        )
        for share, worker in zip(shares, workers, strict=False)
    ]
    wait(parts)
    return da.concatenate(parts)


def _series(block: Any) -> Any:
    return sum(xarr.sin(k * block) ** 2 / k for k in range(1, 33))


def reduction(client: Any, workers: int, side: int, chunks: int) -> Callable[[], Any]:
    """The mean of a series of sines, over twice as many chunks, as it holds no others."""
    x = _filled(client, 2 * workers * chunks, 1, side)
    mean = x.map_blocks(_series, dtype="float32", meta=x._meta).mean(dtype="float64")
    return lambda: float(mean.compute())


def _steps(block: Any) -> Any:
    block, after = block.copy(), block.copy()
    for _ in range(DEPTH):
        inner = block[1:-1, 1:-1]
        around = block[:-2, 1:-1] + block[2:, 1:-1] + block[1:-1, :-2] + block[1:-1, 2:]
        after[1:-1, 1:-1] = inner + numpy.float32(0.1) * (around - 4 * inner)
        block, after = after, block
    return block


def stencil(client: Any, workers: int, side: int, chunks: int) -> Callable[[], Any]:
    """Steps of the heat equation on a torus, borders exchanged every `DEPTH` steps.

    Borders come first, for all chunks: left to `map_overlap`, a worker gets to the border that the
    other one waits for between two chunks' steps, and the other one idles for one or two of eight.
    """
    x = _filled(client, workers * chunks, 1, side)

    def work() -> float:
        exchanged = client.persist(overlap.overlap(x, DEPTH, "periodic"))
        stepped = exchanged.map_blocks(_steps, dtype=x.dtype, meta=x._meta)
        trimmed = overlap.trim_internal(stepped, {0: DEPTH, 1: DEPTH}, "periodic")
        total = float(trimmed.sum(dtype="float64").compute())
        client.cancel(exchanged)
        return total

    return work


def product(client: Any, workers: int, side: int, chunks: int) -> Callable[[], Any]:
    """A matrix product; the second matrix is on every device in the end."""
    half = 2 if chunks > 1 else 1
    a = _filled(client, workers * half, half, side)
    b = _filled(client, half, half, side)
    total = (a @ b).sum(dtype="float64")
    return lambda: float(total.compute())


PROGRAMS: Final[dict[str, Program]] = {
    "reduction": reduction,
    "stencil": stencil,
    "product": product,
}


@contextmanager
def _cluster(devices: Sequence[str]) -> Iterator[Any]:
    with (
        dask.config.set({"array.backend": "xarr"}),
        LocalCluster(devices, memory_limit=0) as cluster,
        cluster.get_client() as client,
    ):
        yield client


def measured(devices: Sequence[str], side: int, repeats: int) -> dict[str, dict[str, Any]]:
    """Seconds, the most bytes on a device and those that travelled, for each program."""
    rows = {}
    for name, program in PROGRAMS.items():
        with _cluster(devices) as client:
            work = program(client, len(devices), side, CHUNKS)
            work()
            before = client.run(received_nbytes)
            elapsed = []
            for _ in range(repeats):
                begun = time.perf_counter()
                work()
                elapsed.append(time.perf_counter() - begun)
            travelled: dict[str, float] = {}
            for worker, ways in client.run(received_nbytes).items():
                for way, nbytes in ways.items():
                    more = nbytes - before[worker].get(way, 0)
                    travelled[way] = travelled.get(way, 0) + more / repeats
            peak = max(client.run(_peak_nbytes).values())
            rows[name] = {"s": min(elapsed), "peak_nbytes": peak, "received_nbytes": travelled}
    return rows


def _peak_nbytes() -> int:
    return int(xarr.default_device().memory_info()["peak_nbytes"])


def results(devices: Sequence[str], side: int) -> dict[str, Any]:
    """What the programs give on chunks whose number does not depend on that of the devices."""
    with _cluster(devices) as client:
        return {name: program(client, 2, side, 4)() for name, program in PROGRAMS.items()}


def main(given: Sequence[str] | None = None) -> int:
    """Print a table and the JSON of it; 1 where devices differ in a result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--backend", default="cupy")
    parser.add_argument("--side", type=int, default=24576, help="rows and columns of a chunk")
    parser.add_argument("--compared", type=int, default=COMPARED, help="those of compared results")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(given)
    devices = [str(one) for one in xarr.devices() if one.backend == options.backend]
    one, every = results(devices[:1], options.compared), results(devices, options.compared)
    single = measured(devices[:1], options.side, options.repeats)
    several = measured(devices, options.side, options.repeats)
    document = {}
    for name, row in several.items():
        times = len(devices) * single[name]["s"] / row["s"]
        document[name] = {
            "devices": len(devices),
            "one_s": single[name]["s"],
            "all_s": row["s"],
            "times_as_fast": round(times, 2),
            "peak_nbytes": row["peak_nbytes"],
            "received_nbytes": row["received_nbytes"],
            "same_result": one[name] == every[name],
        }
        print(f"{options.backend} {name:10} {document[name]}", flush=True)
    print(json.dumps({options.backend: document}))
    return 0 if one == every else 1


if __name__ == "__main__":
    sys.exit(main())
