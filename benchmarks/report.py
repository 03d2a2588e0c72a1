"""The table, the JSON file and the plot."""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.costs import Cost
from benchmarks.libraries import Library
from benchmarks.measure import Result
from benchmarks.rows import CPU_SIZE, LARGE, SMALL
from xarr.backends.device import Device

COLUMNS = "{:36} {:13} {:>11} {:>11} {:>8} {:>8} {:>6}  {}"


def machine(device: Device) -> dict[str, Any]:
    """Describe what a figure depends on besides the code."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "device": {
            key: value for key, value in asdict(device.info).items() if key != "parameter_nbytes"
        },
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def target(result: Result, device: Device, numpy_time: float | None) -> tuple[str, bool] | None:
    """Say what xarr has to reach in a row on this machine, and whether it does."""
    wanted = result.row.target
    is_size = result.size == (LARGE if result.unit == "ms" else SMALL)
    if "H100" in device.name and wanted.h100 is not None and is_size:
        other = wanted.h100_opencl if device.backend == "opencl" else None
        limit = wanted.h100 if other is None else other
        return f"<= {limit:g} {result.unit}", result.minimum <= limit
    if (
        device.kind == "cpu"
        and wanted.cpu_ratio is not None
        and result.size == CPU_SIZE
        and numpy_time is not None
    ):
        limit = numpy_time / wanted.cpu_ratio
        return f"<= NumPy / {wanted.cpu_ratio:g}", result.minimum <= limit
    return None


def times_of_numpy(results: Sequence[Result]) -> dict[tuple[str, int], float]:
    """NumPy's time of each row and size."""
    return {(one.row.key, one.size): one.minimum for one in results if one.library == "numpy"}


def lines(
    libraries: Sequence[Library],
    absent: dict[str, str],
    results: Sequence[Result],
    costs: Sequence[Cost],
    copies: dict[int, tuple[float, str]],
    device: Device,
    dtype: str,
) -> Iterator[str]:
    """Yield the lines of the table that is printed."""
    for library in libraries:
        yield f"{library.name:13} {library.version:12} {library.device}"
    for name, reason in absent.items():
        yield f"{name:13} absent       {reason}"
    numpy_times = times_of_numpy(results)
    sizes = list(dict.fromkeys((one.unit, one.size) for one in results))
    for unit, size in sizes:
        yield ""
        if unit == "ms":
            copy = ""
            if size in copies:
                copy = "; the fastest copy, by {1}, moves {0:.1f} GB/s".format(*copies[size])
            yield f"{dtype}, {size:,} elements, milliseconds of the device{copy}"
        else:
            yield f"{dtype}, {size:,} elements, microseconds of the host a call"
        yield COLUMNS.format("", "", "minimum", "median", "x NumPy", "GB/s", "copy", "target")
        last = ""
        for one in results:
            if (one.unit, one.size) != (unit, size):
                continue
            title = one.row.title if one.row.title != last else ""
            last = one.row.title
            yield _line(one, title, numpy_times, copies, device)
    if costs:
        yield ""
        yield COLUMNS.format("what xarr costs", "", "minimum", "median", "", "", "", "target")
    for cost in costs:
        limit = ""
        if cost.limit is not None:
            kept = "met" if cost.minimum <= cost.limit else "missed"
            limit = f"<= {cost.limit:g} {cost.unit}: {kept}"
        yield COLUMNS.format(
            cost.title, cost.unit, f"{cost.minimum:.3f}", f"{cost.median:.3f}", "", "", "", limit
        ).rstrip()


def _line(
    one: Result,
    title: str,
    numpy_times: dict[tuple[str, int], float],
    copies: dict[int, tuple[float, str]],
    device: Device,
) -> str:
    numpy_time = numpy_times.get((one.row.key, one.size))
    ratio = f"{numpy_time / one.minimum:.2f}" if numpy_time is not None else ""
    bandwidth = one.bandwidth_gb_s
    part = ""
    if bandwidth is not None and one.library == "xarr" and one.size in copies:
        part = f"{bandwidth / copies[one.size][0]:.0%}"
    words = ""
    if one.library == "xarr":
        wanted = target(one, device, numpy_time)
        words = f"{wanted[0]}: {'met' if wanted[1] else 'missed'}" if wanted else ""
    if one.wrong:
        words = f"WRONG: {one.wrong}"
    return COLUMNS.format(
        title,
        one.library,
        f"{one.minimum:.3f}",
        f"{one.median:.3f}",
        ratio,
        "" if bandwidth is None else f"{bandwidth:.1f}",
        part,
        words,
    ).rstrip()


def document(
    libraries: Sequence[Library],
    absent: dict[str, str],
    results: Sequence[Result],
    costs: Sequence[Cost],
    copies: dict[int, tuple[float, str]],
    device: Device,
    dtype: str,
) -> dict[str, Any]:
    """Everything that was measured, for the JSON file."""
    numpy_times = times_of_numpy(results)
    rows = []
    for one in results:
        numpy_time = numpy_times.get((one.row.key, one.size))
        wanted = target(one, device, numpy_time) if one.library == "xarr" else None
        rows.append(
            {
                "row": one.row.key,
                "title": one.row.title,
                "size": one.size,
                "library": one.library,
                "unit": one.unit,
                "minimum": one.minimum,
                "median": one.median,
                "repeats": one.timing.repeats,
                "times_faster_than_numpy": None if numpy_time is None else numpy_time / one.minimum,
                "bandwidth_gb_s": one.bandwidth_gb_s,
                "target": None if wanted is None else wanted[0],
                "target_met": None if wanted is None else wanted[1],
                "wrong": one.wrong or None,
            }
        )
    return {
        **machine(device),
        "dtype": dtype,
        "versions": {library.name: library.version for library in libraries},
        "devices": {library.name: library.device for library in libraries},
        "absent": absent,
        "copy_gb_s": {str(size): bandwidth for size, (bandwidth, _) in copies.items()},
        "copied_by": {str(size): name for size, (_, name) in copies.items()},
        "results": rows,
        "costs": [asdict(cost) for cost in costs],
    }


def write(folder: Path, content: dict[str, Any]) -> list[Path]:
    """Write `benchmark.json`, and `benchmark.png` where matplotlib is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "benchmark.json"]
    written[0].write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if importlib.util.find_spec("matplotlib") is not None and content["results"]:
        written.append(folder / "benchmark.png")
        plot(content, written[-1])
    return written


def plot(content: dict[str, Any], path: Path) -> None:
    """Draw how many times faster than NumPy each library is, row by row."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator

    compared = [
        one
        for one in content["results"]
        if one["times_faster_than_numpy"] is not None and one["library"] != "numpy"
    ]
    rows = list(dict.fromkeys((one["title"], one["size"]) for one in compared))
    names = list(dict.fromkeys(one["library"] for one in compared))
    figure = Figure(figsize=(9, 1.5 + 0.18 * len(rows) * max(len(names), 1)), layout="constrained")
    axes = figure.add_subplot()
    height = 0.8 / max(len(names), 1)
    for number, name in enumerate(names):
        mine = [one for one in compared if one["library"] == name]
        axes.barh(
            [rows.index((one["title"], one["size"])) + number * height for one in mine],
            [one["times_faster_than_numpy"] - 1 for one in mine],
            left=1,
            height=height,
            label=name,
        )
    axes.set_yticks(
        [place + 0.4 - height / 2 for place in range(len(rows))],
        [f"{title}\n{size:,} elements" for title, size in rows],
        fontsize="small",
    )
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("times faster than NumPy")
    device = content["device"]
    axes.set_title(
        f"{device['name']}, {content['dtype']}, {content['date'][:10]}", fontsize="small"
    )
    if names:
        axes.legend(fontsize="small")
    figure.savefig(path, dpi=120)
