"""That the benchmarks run, compare results and write what they say."""

from __future__ import annotations

import fnmatch
import json
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy
import pytest

import xarr
from benchmarks import chart, cluster, functions, gallery, host, measure, sweep, threads, whole
from benchmarks.__main__ import main, parse
from benchmarks.libraries import open_libraries
from benchmarks.programs import PROGRAMS, Program
from benchmarks.rows import COSTS, KEYS, LARGE_ROWS, SMALL_ROWS, Row, flat
from benchmarks.timing import Timing
from tests.comparing import nightly
from tests.kernels.nvrtc import compile_cuda
from tests.processes import ROOT
from xarr.backends.device import default_device
from xarr.runtime import host_functions

DEVICE = str(default_device())
NAMES = [one.name for one in PROGRAMS]


@pytest.fixture(autouse=True)
def tier_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore who computes small work, which a run of the benchmarks decides for its process."""
    monkeypatch.setattr(host_functions.tier, "name", host_functions.tier.name)


def _run(folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    status = main(
        ["--device", DEVICE, "--repeats", "2", "--libraries", "numpy", "--out", str(folder), *more]
    )
    return status, json.loads((folder / "benchmark.json").read_text())


def test_every_row_runs_and_agrees_with_numpy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row.key for row in (*LARGE_ROWS, *SMALL_ROWS)]
    status, content = _run(tmp_path, "--sizes", "5000", "--rows", ",".join(rows))
    assert status == 0
    measured = {(one["row"], one["library"]) for one in content["results"]}
    assert measured == {(row, name) for row in rows for name in ("xarr", "numpy")}
    assert all(0 < one["minimum"] <= one["median"] for one in content["results"])
    assert content["device"]["name"] == default_device().name
    assert content["versions"]["xarr"] == xarr.__version__
    assert set(content["copy_gb_s"]) == {"5000"}
    table = capsys.readouterr().out
    assert all(row.title in table for row in SMALL_ROWS)
    assert "benchmark.json" in table


def test_a_plot_is_drawn_where_matplotlib_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra bench)")
    _run(tmp_path, "--sizes", "1000", "--rows", "add")
    assert (tmp_path / "benchmark.png").read_bytes().startswith(b"\x89PNG")


def test_the_hosts_cost_is_measured_and_the_driver_left_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, content = _run(tmp_path, "--host")
    assert status == 0
    assert not content["results"]
    assert not content["costs"]
    table = content["host"]
    measured = {(one["how"], one["expression"], one["library"]) for one in table["rows"]}
    assert measured == {
        (row.how.name.lower(), row.expression, name)
        for row in host.ROWS
        for name in ("xarr", "numpy")
        if row.is_for(name)
    }
    unit = table["unit_us"]["minimum"]
    for one in table["rows"]:
        assert 0 < one["cpu_us"] <= one["cpu_median_us"]
        assert 0 < one["wall_us"] <= one["wall_median_us"]
        assert one["units"] == pytest.approx(one["cpu_us"] / unit)
    printed = capsys.readouterr().out
    assert all(row.expression in printed and row.how.value in printed for row in host.ROWS)
    assert "launch" not in vars(default_device().driver)
    assert xarr.asarray([1.0, 2.0]).sum() == 3


@pytest.mark.parametrize(
    "names", [NAMES[::4], *nightly(NAMES[1::4], NAMES[2::4], NAMES[3::4])], ids=" ".join
)
def test_every_program_runs_and_agrees_with_numpy(
    names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--programs", ",".join(names), "--programs-size", "test")
    status, content = _run(tmp_path, *chosen)
    found = content["programs"]
    wrong = {one["program"]: one["wrong"] for one in found["programs"] if one["wrong"]}
    assert not wrong
    assert status == 0
    assert not content["results"]
    assert [one["program"] for one in found["programs"]] == names
    assert found["reference"] == "numpy"
    assert found["geometric_mean"] > 0
    for one in found["programs"]:
        assert 0 < one["xarr"]["wall_s"] <= one["xarr"]["wall_median_s"]
        assert one["times_faster"] == one["reference"]["wall_s"] / one["xarr"]["wall_s"]
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)


def _measured_program(work: Callable[..., Any], tolerance: float = 1e-6) -> whole.Comparison:
    (own, beside), _ = open_libraries(["xarr", "numpy"], DEVICE)
    program = Program("tried", work, (), (), (3,), tolerance)
    return whole._compared(program, program.test, own, beside, 1)


def test_a_program_that_differs_or_fails_is_marked_and_not_counted() -> None:
    right = _measured_program(lambda np, n: (np.ones(n), 2.0))
    assert right.times_faster is not None
    close = _measured_program(lambda np, n: np.ones(n) + 1e-3 * (np is xarr), tolerance=1e-2)
    assert right.wrong == close.wrong == ""
    works: dict[str, Callable[..., Any]] = {
        "result 0 is off by 1.0e-03": lambda np, n: np.ones(n) + 1e-3 * (np is xarr),
        "off by nan": lambda np, n: np.ones(n) * (float("nan") if np is xarr else 1.0),
        "result 0 has shape (4,), not (3,)": lambda np, n: np.ones(n + (np is xarr)),
        "ValueError: ": lambda np, n: np.ones(n) + np.ones(n + (np is xarr))[:, None][:4, 0],
    }
    faulty = [_measured_program(work) for work in works.values()]
    for one, said in zip(faulty, works, strict=True):
        assert said in one.wrong
        assert one.times_faster is None
    absent = _measured_program(lambda np, n: np.ones(n) if np is xarr else np.nothing_of_this_name)
    assert (absent.other, absent.wrong, absent.times_faster) == (None, "", None)
    assert absent.absent.startswith("AttributeError: ")
    assert whole.geometric_mean([faulty[0], right]) == pytest.approx(right.times_faster)
    assert whole.geometric_mean(faulty) is None
    printed = "\n".join(whole.lines([right, *faulty, absent]))
    assert "WRONG: result 0 is off" in printed
    assert "geometric mean of 1:" in printed


def _function(name: str) -> Any:
    """Return the function that a name of the sweep's table means."""
    names = {"x": xarr.ones(3), "z": xarr.ones(3), "g": xarr.random.default_rng(1)}
    first, _, rest = name.partition(".")
    found: Any = names.get(first, xarr) if rest else xarr
    for part in (rest if first in names and rest else name).split("."):
        found = getattr(found, part)
    return found


def test_every_public_function_is_in_the_sweep_or_excepted() -> None:
    parts = ("linalg", "fft", "random", "special")
    spaces: dict[str, Any] = {"": xarr} | {f"{part}.": getattr(xarr, part) for part in parts}
    public = {prefix + name for prefix, space in spaces.items() for name in space.__all__}
    public |= {f"g.{name}" for name in dir(xarr.random.default_rng()) if name[0] != "_"}
    public = {name for name in public if callable(_function(name))}
    public = {name for name in public if not isinstance(_function(name), type)}
    # A call that is no function's own has its text as name.
    named = {call.name for call in functions.CALLS if call.name not in call.texts}
    excepted = {one for key in functions.EXCEPTED for one in fnmatch.filter(public, key)}
    assert not named & excepted
    assert all(fnmatch.filter(public, key) for key in functions.EXCEPTED)
    reached = [_function(name) for name in named]
    left = sorted(public - named - excepted)
    assert [name for name in left if not any(_function(name) is one for one in reached)] == []


@pytest.mark.parametrize("dtype", functions.DTYPES)
def test_every_call_of_the_sweep_is_one_that_xarr_takes(dtype: str) -> None:
    (own,), _ = open_libraries(["xarr"], DEVICE)
    if dtype not in map(str, xarr.__array_namespace_info__().dtypes()):
        pytest.skip(f"{DEVICE} has no {dtype}")
    hosts = functions.operands(1000, dtype)
    names = functions.uploaded(own, hosts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in functions.CALLS:
            if call.letters[0] == functions.DTYPES[dtype]:
                names |= {name: own.upload(hosts[name].copy()) for name in "zC"}
                functions.bound(call.texts[0], own, names)()
        xarr.synchronize(DEVICE)


def test_the_sweep_lists_the_slowest_first_and_what_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(x: Any) -> Any:
        raise ValueError("not today")

    monkeypatch.setattr(xarr, "sinc", failing)
    names = "add,sinc,erf,z[k] = y,float(x[3])"
    chosen = ("--functions", names, "--dtypes", "float32,int8", "--sizes", "2000,100")
    status, content = _run(tmp_path, *chosen)
    assert status == 1
    assert not content["results"]
    found = content["functions"]["rows"]
    failed = [one for one in found if one["failed"]]
    assert {(one["call"], one["dtype"]) for one in failed} == {("np.sinc(x)", "float32")}
    assert failed[0]["failed"] == "ValueError: not today"
    for size in (2000, 100):
        here = {(one["call"], one["dtype"]): one for one in found if one["size"] == size}
        texts = {"np.add(x, y)", "z[k] = y", "float(x[3])"}
        rows = {(text, dtype) for text in texts for dtype in ("float32", "int8")}
        assert here.keys() == rows | {("np.sinc(x)", "float32"), ("np.erf(x)", "float32")}
        if "numpy" in functions.PEERS[default_device().kind]:
            assert here["np.add(x, y)", "int8"]["ratio"] > 0
        assert here["np.erf(x)", "float32"]["ratio"] is None
        assert here["np.add(x, y)", "float32"]["nbytes"] == 3 * 4 * size
    shown = capsys.readouterr().out
    assert (
        "np.sinc(x)                                         float32    failed: ValueError" in shown
    )
    assert "2,000 elements: 8 rows" in shown
    assert "2 failed" not in shown


@pytest.mark.slow
def test_processes_are_measured(tmp_path: Path) -> None:
    _, content = _run(tmp_path, "--rows", "import,first result")
    titles = [cost["title"] for cost in content["costs"]]
    assert "import xarr after it" in titles
    assert "first result, second process" in titles


def test_a_wrong_result_is_marked_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = open_libraries(["xarr", "numpy"], DEVICE)
    works: dict[str, Callable[..., Any] | None] = {"xarr": lambda xp, a: a + 1}
    row = Row("", "wrong", lambda xp, a: a, flat(1), others=works)
    results = {one.library: one.wrong for one in measure.large(row, 100, found, "float32", 1)}
    assert results["numpy"] == ""
    assert "differs from NumPy" in results["xarr"]


def test_options() -> None:
    options = parse(["--sizes", "2^10,1e4", "--rows", "add, sum"])
    assert (options.sizes, options.rows) == ([1024, 10000], ["add", "sum"])
    assert parse([]).rows == list(KEYS)
    assert (parse(["--host"]).rows, parse(["--programs"]).rows) == (["host"], [])
    assert parse(["--programs", "wave, life"]).programs == ["wave", "life"]
    assert set(COSTS) <= set(KEYS)
    for wrong in ("--rows addd", "--sizes many", "--repeats 0", "--sizes 1", "--programs x"):
        with pytest.raises(SystemExit):
            parse(wrong.split())


def test_the_chart_of_the_readme_shows_the_committed_results() -> None:
    content = json.loads(chart.RESULTS.read_text())
    drawn = chart.svg(content)
    assert chart.CHART.read_text(encoding="utf-8") == drawn, "run python -m benchmarks.chart"
    for panel in chart.PANELS:
        for row in panel.rows:
            assert set(chart.times(content, row)) == set(chart.LIBRARIES), row
    assert f"{chart.times(content, 'chain')['cupy']:.2f} ms" in drawn
    assert content["device"]["name"] in chart.caption(content)
    assert content["date"][:10] in chart.caption(content)
    elements = ElementTree.fromstring(drawn)
    bars = [one for one in elements.iter() if one.get("class") in ("xarr", "cupy", "torch", "jax")]
    rows = sum(len(panel.rows) for panel in chart.PANELS)
    assert len(bars) == len(chart.LIBRARIES) * (rows + 1)


def test_the_picture_of_functions_shows_the_committed_sweeps() -> None:
    contents = sweep.files()
    drawn = sweep.svg(contents)
    assert sweep.PICTURE.read_text(encoding="utf-8") == drawn, "run python -m benchmarks.sweep"
    shown = [one for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("path")]
    found = [(content, size) for content in contents.values() for size in sweep.sizes(content)]
    assert len(shown) == len(found) > 0
    for content, size in found:
        ratios = sweep.ratios(content, size)
        assert ratios == sorted(ratios)
        assert f"{len(ratios):,} calls".replace(",", "") in sweep.caption(content, size)
    head, *lines = sweep.table(contents)
    assert len(head) == 1 + len(found)
    assert [line[0] for line in lines].count("``np.sin(x)``") == 1


def test_the_figures_of_pages_are_those_of_the_results() -> None:
    chain = chart.times(json.loads(chart.RESULTS.read_text()), "chain")
    times = {name: one["times_s"].values() for name, one in gallery.files().items()}
    programs = [one["numpy"] / one["xarr"] for one in times["cpu"]]
    calls = {name: sweep.ratios(one, 1000) for name, one in sweep.files().items()}
    small = (
        f"takes {geometric_mean(calls['cpu']):.1f} times as long as NumPy's, in the geometric mean "
        f"of {len(calls['cpu']):,} calls. On an H200 it takes {geometric_mean(calls['h200']):.2f} "
    )
    backends = json.loads(chart.RESULTS.with_name("h100x2-cluster.json").read_text())["backends"]
    two = [
        [one["times_as_fast"] for one in backends[name]["programs"].values()]
        for name in ("cupy", "numba", "opencl")
    ]
    for page, sentence in (
        ("README.md", f"takes {chain['xarr']:.2f} ms with xarr, {chain['jax.jit']:.2f} ms with "
         f"jitted JAX, {chain['torch']:.2f} ms with PyTorch and {chain['cupy']:.2f} ms with CuPy"),
        ("README.md", f"are {geometric_mean(programs):.1f} times as fast as with NumPy"),
        ("README.md", small),
        ("docs/index.md", small),
        ("docs/dask.md", f"two H100s are {min(two[0] + two[1]):.2f} to {max(two[0] + two[1]):.2f}"),
        ("docs/dask.md", f"are {two[2][0]:.2f} and {two[2][1]:.2f} times as fast"),
    ):  # fmt: skip
        assert sentence in (ROOT / page).read_text(), sentence
    # What README.md, gallery.md and functions.md say in words.
    assert [sum(ratio < 1 for ratio in programs), len(programs)] == [3, 12]
    assert all(one["numpy"] > one["xarr"] for one in times["h200"])
    assert sum(one["cupy"] > one["xarr"] for one in times["h200"]) == 11
    cpu, gpu = [
        [row for row in sweep.files()[name]["rows"] if row[2] == 1000] for name in ("cpu", "h200")
    ]
    assert sum(10 <= row[3] <= 40 for row in gpu) >= len(gpu) / 2
    assert median(row[5] for row in cpu if row[5]) < 5
    assert median(row[3] for row in cpu) < 12
    assert two[2][2] < 1


def test_a_run_is_shortened_to_what_the_page_needs(tmp_path: Path) -> None:
    _, content = _run(tmp_path, "--functions", "add,sin", "--sizes", "1000", "--rows", "")
    short = sweep.shortened(content)
    rows = {(call, dtype): own for call, dtype, _, own, *_ in short["rows"]}
    for row in content["functions"]["rows"]:
        assert rows[row["call"], row["dtype"]] == pytest.approx(
            1e6 * row["times_s"]["xarr"], abs=1e-3
        )
    assert short["device"]["kind"] == content["device"]["kind"]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_is_measured() -> None:
    one, two = (cluster.measured([DEVICE] * count, 256, 1) for count in (1, 2))
    assert {*one} == {*two} == {*cluster.PROGRAMS}
    assert all(row["s"] > 0 for row in (*one.values(), *two.values()))
    assert not any(row["received_nbytes"] for row in one.values())
    assert sum(sum(row["received_nbytes"].values()) for row in two.values()) > 0
    assert cluster.results([DEVICE], 100) == cluster.results([DEVICE] * 2, 100)


def test_limits_of_the_hosts_cost_are_for_their_kind_of_device() -> None:
    def cell(row: host.Row, library: str, cpu_us: float, wall_us: float) -> host.Cell:
        cpu, wall = (Timing(1e-6 * one, 1e-6 * one, 3) for one in (cpu_us, wall_us))
        return host.Cell(row, library, cpu, wall, cpu_us / 0.5)

    row = host.Row(host.How.WAITED, "float(a.sum())", limit=14, beside=(("cupy", 1.2),))
    own, other = cell(row, "xarr", 8, 13), cell(row, "cupy", 9, 10)
    table = host.Table(Timing(0.5e-6, 0.5e-6, 3), (own, other))
    assert list(host.limits(own, table, "cpu")) == [("<= 14 x", False)]
    assert list(host.limits(own, table, "gpu")) == [("<= 1.2 cupy", False)]
    assert not list(host.limits(other, table, "cpu"))
    fast = cell(row, "xarr", 7, 11)
    assert [met for _, met in host.limits(fast, table, "gpu")] == [True]
    assert [met for _, met in host.limits(fast, table, "cpu")] == [True]
    assert "EXCEEDED" in "".join(host.lines(table, "cpu"))


def portable(text: str) -> str:
    """Return CUDA C as portable C, as far as the kernels by threads need it."""

    def head(found: re.Match[str]) -> str:
        parts = (part.strip() for part in found[2].split(","))
        declared = ", ".join(f"GLOBAL {part}" if "*" in part else part for part in parts)
        return f"KERNEL void {found[1]}({declared})"

    text = re.sub(r'extern "C" __global__ void (\w+)\(([^)]*)\)', head, text)
    for cuda, word in (
        ("threadIdx", "LOCAL_ID"),
        ("blockIdx", "GROUP_ID"),
        ("blockDim", "LOCAL_SIZE"),
        ("gridDim", "GROUPS"),
    ):
        for axis, letter in enumerate("xyz"):
            text = text.replace(f"{cuda}.{letter}", f"(int){word}({axis})")
    for cuda, word in (
        ("__syncthreads", "BARRIER"),
        ("__shared__", "LOCAL"),
        ("atomicAdd", "atomic_add"),
        ("__int_as_float(0x7f800000)", "INFINITY"),
    ):
        text = text.replace(cuda, word)
    return text


@pytest.mark.parametrize("row", threads.ROWS, ids=lambda row: row.name)
def test_kernels_by_threads_and_in_cuda_c_agree(row: threads.Row) -> None:
    args = row.given(0.001)
    runner = threads.own(default_device())
    call, there = runner.load(row, args)
    call()
    others = threads.upload(args, xarr.asarray)
    raw = xarr.RawKernel(portable(threads.cuda_source()), row.name)
    grid, block = row.launched(args)
    raw(grid, block, row.in_c(*others))
    pairs = zip(there, others, args, strict=True)
    arrays = [(a, b) for a, b, host in pairs if isinstance(host, numpy.ndarray)]
    values = [[runner.download(one) for one in pair] for pair in zip(*arrays, strict=True)]
    assert threads.apart(*values) <= threads.TOLERANCE


def test_the_kernels_in_cuda_c_compile() -> None:
    assert compile_cuda(threads.cuda_source(), "sm_90")
