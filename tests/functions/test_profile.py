"""That `xarr.profile` counts what was launched, for the lines that asked, and changes no bit."""

from __future__ import annotations

import concurrent.futures
import contextlib
import html
import json
import os
import re
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import xarr
from tests.launching import together
from tests.processes import run
from xarr.backends import ranges
from xarr.functions.device.profiling import Cost, Profile
from xarr.ir.events import hooks
from xarr.runtime import host_functions, profiling
from xarr.tape import builder

pytestmark = pytest.mark.usefixtures("each_tier")


def array(size: int, device: xarr.Device | None = None) -> xarr.Array:
    x = xarr.asarray(numpy.arange(size, dtype="float32"), device=device)
    xarr.synchronize(device)
    return x


def lines(p: Profile) -> dict[str, Cost]:
    """The lines of this file by their last word, which is a comment."""
    assert all(cost.what.startswith("tests/functions/test_profile.py:") for cost in p.lines)
    return {cost.source.split()[-1]: cost for cost in p.lines}


def kernels(p: Profile) -> dict[str, tuple[int, int]]:
    return {cost.what: (cost.launches, cost.nbytes) for cost in p.kernels}


def test_a_kernel_is_shared_among_its_lines(device: xarr.Device) -> None:
    x = array(100_000, device)
    with xarr.profile() as p:
        y = x + 1  # first
        z = y * y - y  # second
        del y
        z += x.sum()  # third
    total = sum(cost.nbytes for cost in p.kernels)
    found = lines(p)
    assert set(found) == {"first", "second", "third"}
    assert abs(sum(cost.nbytes for cost in found.values()) - total) <= len(found)
    seconds = sum(cost.seconds for cost in p.kernels)
    assert sum(cost.seconds for cost in found.values()) == pytest.approx(seconds)
    assert found["second"].seconds > 0
    if len(p.kernels) == 1:
        assert found["second"].nbytes == 2 * found["first"].nbytes


def test_a_library_and_transfers_count(device: xarr.Device) -> None:
    values = (numpy.arange(10_000, dtype="float32") % 7).reshape(100, 100)
    with xarr.profile() as p:
        x = xarr.asarray(values)  # upload
        y = x @ x  # product
        z = xarr.sort(y, axis=0)  # sort
        host = xarr.to_numpy(z)  # download
    assert numpy.array_equal(host, numpy.sort(values @ values, axis=0))
    found = lines(p)
    assert found["upload"].nbytes == values.nbytes
    if device.info.host_addressable:
        assert kernels(p)["numpy.matmul"] == (1, 3 * values.nbytes)
        assert found["sort"].seconds > 0
    assert kernels(p)["to the device"] == (1, values.nbytes)
    assert found["product"].seconds > 0
    (transfer,) = (cost for cost in p.kernels if cost.what == "to the device")
    assert transfer.share is None


def test_own_kernels_count(device: xarr.Device) -> None:
    x, y = array(1000, device), array(1000, device)
    twice = xarr.RawKernel(
        "KERNEL void twice(GLOBAL const f32 *x, GLOBAL f32 *y)"
        "{ y[GLOBAL_ID(0)] = 2 * x[GLOBAL_ID(0)]; }",
        "twice",
    )
    with xarr.profile() as p:
        twice((10,), (100,), (x, y))  # raw
        z = xarr.ElementwiseKernel("T x", "T y", "y = 3 * x", "thrice")(y)  # own
    assert kernels(p)["twice"][0] == 1
    assert kernels(p)["twice"][1] >= 8000
    assert "elementwise: thrice" in kernels(p)
    assert set(lines(p)) == {"raw", "own"}
    assert z.tolist() == [6.0 * n for n in range(1000)]


def test_what_was_asked_before_does_not_count(device: xarr.Device) -> None:
    x = array(100_000, device) + 1
    with xarr.profile() as p:
        y = x * 2
    z = y - 1
    # On a CPU what NumPy computed at once is copied to memory that kernels use.
    before = kernels(p)
    before.pop("to the device", None)
    assert before == {"elementwise: multiply": (1, 800_000)}
    xarr.synchronize(z)
    assert "elementwise: subtract" not in kernels(p)


def test_nothing_is_left_behind(device: xarr.Device) -> None:
    before = vars(device.driver).copy()
    tier = host_functions.tier.name
    x = array(100_000)
    with xarr.profile() as p:
        assert hooks.run is not None
        assert host_functions.tier.name == "fused"
        xarr.synchronize(x + 1)
        assert kernels(p) == {"elementwise: add": (1, 800_000)}
    assert hooks.run is None
    assert host_functions.tier.name == tier
    assert hooks.numbers is None
    assert {name: vars(device.driver)[name] for name in before}.keys() == before.keys()
    assert set(vars(device.driver)) == set(before)
    with pytest.raises(RuntimeError, match="it was used already"), p:
        pass


def test_an_exception_ends_it(device: xarr.Device) -> None:
    x = array(100_000, device)
    p = xarr.profile()
    with pytest.raises(ZeroDivisionError), p:
        xarr.synchronize(x + 1)
        y = x * 3
        1 / 0  # noqa: B018
    assert [cost.what for cost in p.kernels] == ["elementwise: add"]
    assert hooks.numbers is None
    assert float(y[-1]) == 299_997


def test_profiles_within_each_other(device: xarr.Device) -> None:
    x = array(100_000, device)
    with xarr.profile() as outer:
        xarr.synchronize(x + 1)
        with xarr.profile() as inner:
            xarr.synchronize(x * 2)
        assert host_functions.tier.name == "fused"
        xarr.synchronize(x - 3)
    assert {cost.what for cost in inner.kernels} == {"elementwise: multiply"}
    assert {cost.what.split()[-1] for cost in outer.kernels} == {"add", "multiply", "subtract"}


def test_threads_count_for_their_own_lines(device: xarr.Device) -> None:
    x = array(100_000, device)
    tier, before = host_functions.tier.name, builder.counts.launches
    results: dict[int, xarr.Array] = {}

    def work(number: int) -> None:
        with xarr.device(device), xarr.profile():
            for _ in range(5):
                results[number] = x * number  # thread
                xarr.synchronize(results[number])

    with xarr.profile() as p:
        together(*(partial(work, n) for n in range(4)))
    assert host_functions.tier.name == tier
    # Fewer than 20, where what two threads asked for becomes one kernel. The first figures of a
    # device have copies launched.
    launches = builder.counts.launches - before
    assert sum(count for count, _ in kernels(p).values()) == launches
    assert set(lines(p)) == {"thread"}
    assert lines(p)["thread"].launches >= 5
    for number, result in results.items():
        assert result.tolist()[-1] == 99_999 * number


def test_several_devices_have_rows_of_their_own(tmp_path: Path) -> None:
    x = array(1000)
    narrow = x.device.pretending("no-float64")  # the same driver, which is seen once
    with xarr.profile() as p:
        y = xarr.asarray([1.0, 2.0], dtype="float32", device=narrow) + 1
        z = x + 1
    assert kernels(p)["elementwise: add"][0] == 2
    assert (y.tolist(), z.tolist()[:2]) == ([2.0, 3.0], [1.0, 2.0])
    found = xarr.devices()
    if len({one.backend + one.info.platform for one in found}) > 1:
        with xarr.profile() as p:
            for one in found:
                array(1000, one)
        p.save(tmp_path / "trace.json")
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        named = [event["args"]["name"] for event in events if event["ph"] == "M"]
        assert named == ["host", *sorted(map(str, found))]


def test_times_are_the_devices(device: xarr.Device) -> None:
    x = array(4_000_000, device)
    xarr.synchronize(xarr.exp(x))
    with xarr.profile() as p:
        time.sleep(0.05)
        begin = time.perf_counter()
        xarr.synchronize(xarr.exp(x))
        wall_s = time.perf_counter() - begin
        time.sleep(0.05)
    (cost,) = p.kernels
    assert 0 < cost.seconds <= wall_s
    assert p.seconds >= 0.1
    assert cost.gb_s == pytest.approx(cost.nbytes / cost.seconds / 1e9)
    assert cost.share is not None
    assert cost.share > 0


def test_a_trace_is_one(device: xarr.Device, tmp_path: Path) -> None:
    x = array(100_000, device)
    with xarr.profile() as p:
        for _ in range(3):
            x = xarr.cos(x)  # cosine
            xarr.synchronize(x)
    assert kernels(p) == {"elementwise: cos": (3, 2_400_000)}
    assert lines(p)["cosine"].launches == 3
    p.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    named = [event["args"]["name"] for event in events if event["ph"] == "M"]
    assert named == ["host", f"{device.backend}:{device.index}"]
    asked = [event for event in events if event["ph"] == "X" and event["pid"] == 0]
    done = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    assert len(asked) == len(done) == 3
    assert all(event["name"] == "elementwise: cos" for event in asked + done)
    assert all(event["args"]["bytes"] == 800_000 for event in done)
    assert all(event["args"]["lines"][0].endswith("# cosine") for event in done)
    ends = [event["ts"] + event["dur"] for event in done]
    assert all(event["ts"] >= 0 for event in done)
    assert all(end <= later["ts"] + 1 for end, later in zip(ends, done[1:], strict=False))
    assert ends[-1] <= p.seconds * 1e6 + 1000
    assert all(event["dur"] >= 0 and isinstance(event["tid"], int) for event in events[2:])


def test_what_is_printed(device: xarr.Device) -> None:
    with xarr.profile() as p:
        pass
    assert p.kernels == p.lines == []
    assert str(p).endswith("at work: 0 launches, 0 B moved")
    x = array(100_000, device)
    with xarr.profile() as p:
        xarr.synchronize(x * 2 + 1)  # line
    text = str(p)
    assert "1 launches, 800.0 kB moved" in text
    assert "GB/s: 100%" in text
    head, first, _, second, third = text.splitlines()[3:]
    assert head.split() == ["launches", "bytes", "time", "GB/s", "share", "kernel"]
    assert first.split()[:3] == ["1", "800.0", "kB"]
    assert first.endswith("elementwise: multiply, add")
    assert second.split()[-1] == "line"
    assert third.endswith("xarr.synchronize(x * 2 + 1)  # line")
    assert "tests/functions/test_profile.py:" in third
    assert repr(p) == "<Profile of 1 launches>"
    shown = p._repr_html_()
    cells = [
        [html.unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", row)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", shown)
    ]
    titles, kernel, lines, line = cells
    assert [titles[-2:], lines[-2:]] == [["kernel", ""], ["line", ""]]
    assert kernel[:2] == line[:2] == ["1", "800.0 kB"]
    assert kernel[-2:] == ["elementwise: multiply, add", ""]
    assert line[-1] == "xarr.synchronize(x * 2 + 1)  # line"
    assert html.escape(text.splitlines()[0]) in shown
    assert set(re.findall(r'[";](?:color|background):([^;"]*)', shown)) == {"inherit", "none"}


def test_a_jitted_call_makes_the_launches_that_it_makes_without_a_profile(
    device: xarr.Device,
) -> None:
    @xarr.kernel
    def twice(x: Any) -> None:
        i = xarr.kernel.grid(1)
        if i < x.size:
            x[i] *= 2

    @xarr.jit
    def step(x: xarr.Array) -> xarr.Array:
        slope: xarr.Array = xarr.grad(lambda x: (xarr.sin(x) ** 2).sum())(x)
        twice.over(x.shape)(slope)
        return xarr.cumsum(xarr.roll(slope, 1)) + slope.max()

    x = array(100_000, device) / 100_000
    wanted = numpy.asarray(step(x))
    launches = builder.counts.launches
    step(x)
    builder.settle(device)
    launches = builder.counts.launches - launches
    with xarr.profile() as p:
        got = step(x)  # call
        builder.settle(device)
    assert numpy.asarray(got).tobytes() == wanted.tobytes()
    assert set(lines(p)) == {"call"}
    assert "twice" in kernels(p)
    if host_functions.tier.name != "hosted":
        assert sum(cost.launches for cost in p.kernels) == launches


def test_ranges_are_named_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    def annotate(name: str, domain: str) -> Any:
        assert domain == "xarr"
        named.append(name)
        return contextlib.nullcontext()

    monkeypatch.setattr(ranges, "nvtx", SimpleNamespace(annotate=annotate))
    x = array(100_000)
    with xarr.profile():
        xarr.synchronize(x + 1)
    xarr.synchronize(x + 1)
    assert named == ["xarr.profile", "elementwise: add"]


def test_the_line_is_the_programs() -> None:
    beside = profiling._ROOT.rstrip(os.sep) + "_demo.py"  # no part of xarr, which begins like that
    scope = {"line_at_work": profiling.line_at_work}
    exec(compile("line = line_at_work()", beside, "exec"), scope)
    assert scope["line"] == (beside, 1)

    def of_a_library() -> profiling.Line:
        return profiling.line_at_work()

    assert of_a_library().file == __file__
    name = numpy.__file__
    names = {"line": profiling.line_at_work}
    exec(compile("def call(): return line()", name, "exec"), names)
    called: Any = names["call"]
    assert called().file == __file__


def test_two_threads_read_figures(device: xarr.Device) -> None:
    x = array(500_000, device)
    looks = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            with xarr.profile() as p:
                for _ in range(6):
                    y = x * 2
                    builder.settle(device)
                looks += list(pool.map(lambda _, p=p: p.kernels, range(2)))
    assert y[3] == 6
    assert all(cost.launches == 6 and cost.seconds > 0 for (cost,) in looks)


FIRST = """
import xarr
x = xarr.arange(2_000_000) + 0
with xarr.profile() as p:
    y = x * 2 + 1
assert [cost.what for cost in p.kernels] == ["elementwise: multiply, add"], p
assert [cost.what for cost in p.lines] == ["first.py:5"], p
"""


def test_a_device_that_opens_late_counts(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "first.py").write_text(FIRST, encoding="utf-8")
    done = run("first.py", cwd=folder)
    assert done.returncode == 0, done.stderr
