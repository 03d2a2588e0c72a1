"""The README's bar chart, drawn from committed results: ``python -m benchmarks.chart``.

The chart is written as text, so that it is the same on every machine, whatever draws plots there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "h200-cupy.json"
CHART = ROOT / "docs" / "images" / "speed.svg"

LIBRARIES = {"xarr": "xarr", "cupy": "CuPy", "torch": "PyTorch", "jax.jit": "JAX (jit)"}

WIDTH = 860
LEFT = 240
RIGHT = 760
BAR = 10
PITCH = 12
GAP = 14

STYLE = """
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 13px }
.row { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 11px }
.small { font-size: 10px; fill: #59636e }
.paper { fill: #ffffff }
.xarr { fill: #1f6feb } .cupy { fill: #4c9f70 } .torch { fill: #e0823d } .jax { fill: #9a7bc8 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .paper { fill: #0d1117 }
}
"""


@dataclass(frozen=True)
class Panel:
    """Rows that share a unit and an axis; row keys with the labels that the chart gives them."""

    title: str
    unit: str
    rows: dict[str, str]


PANELS = (
    Panel(
        "Arrays of {size:,} float32: milliseconds on the device",
        "ms",
        {
            "add": "a + b",
            "chain": "((a*b+c)*a-b)*c + a*b",
            "dot": "sum(a*b)",
            "stencil": "v[1:-1,1:-1] = 5 points of u",
            "transpose": "v[...] = A.T",
            "softmax": "softmax over rows",
            "cumulative_sum": "cumulative_sum(a)",
        },
    ),
    Panel(
        "Arrays of {size:,} float32: microseconds on the host for one call",
        "us",
        {"small add": "a + b", "small chain": "((a*b+c)*a-b)*c + a*b"},
    ),
)
"""What is drawn: rows that xarr wins, and those that it loses."""


def times(content: dict[str, Any], row: str) -> dict[str, float]:
    """The shortest time of each library in a row."""
    return {
        one["library"]: one["minimum"]
        for one in content["results"]
        if one["row"] == row and one["library"] in LIBRARIES
    }


def svg(content: dict[str, Any]) -> str:
    """Draw the results of one run."""
    parts = list[str]()
    top = 22
    parts += _legend(top)
    top += 34
    for panel in PANELS:
        size = next(one["size"] for one in content["results"] if one["row"] in panel.rows)
        parts.append(_text(16, top, panel.title.format(size=size), "title"))
        top += 16
        rows = {label: times(content, row) for row, label in panel.rows.items()}
        longest = max(max(elapsed.values()) for elapsed in rows.values())
        for label, elapsed in rows.items():
            parts += _row(top, label, elapsed, (RIGHT - LEFT) / longest, panel.unit)
            top += PITCH * len(elapsed) + GAP
        top += 12
    parts.append(_text(16, top, caption(content), "small"))
    height = top + 14
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>Times of xarr, CuPy, PyTorch and JAX; shorter is better</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
            *parts,
            "</svg>\n",
        ]
    )


def caption(content: dict[str, Any]) -> str:
    """Say what was measured, where and when."""
    versions = content["versions"]
    driver = content["device"]["driver_version"].rpartition("driver ")[2]
    named = ", ".join(
        f"{LIBRARIES[name]} {versions[name].partition('+')[0]}"
        for name in LIBRARIES
        if name in versions and name != "xarr"
    )
    return (
        f"{content['device']['name']}, driver {driver}, {content['date'][:10]}. "
        f"xarr on {content['device']['backend']}:{content['device']['index']}. {named}. "
        "Shortest of the rounds."
    )


def _legend(top: int) -> Iterator[str]:
    left = 16
    for library, name in LIBRARIES.items():
        yield _bar(left, top - 4, 14, library)
        yield _text(left + 19, top + 5, name)
        left += 40 + 8 * len(name)
    yield _text(left + 10, top + 5, "shorter is better", "small")


def _row(top: int, label: str, elapsed: dict[str, float], scale: float, unit: str) -> Sequence[str]:
    drawn = [_text(LEFT - 12, top + PITCH * len(elapsed) / 2 + 3, label, "row", end=True)]
    for number, library in enumerate(name for name in LIBRARIES if name in elapsed):
        y = top + number * PITCH
        length = max(elapsed[library] * scale, 1.0)
        shown = f"{elapsed[library]:.2f} ms" if unit == "ms" else f"{elapsed[library]:.0f} µs"
        drawn += [_bar(LEFT, y, length, library), _text(LEFT + length + 5, y + 9, shown, "small")]
    return drawn


def _bar(x: float, y: float, length: float, library: str) -> str:
    kind = library.partition(".")[0]
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{length:.1f}" height="{BAR}" rx="1"/>'


def _text(x: float, y: float, text: str, kind: str = "", *, end: bool = False) -> str:
    attributes = (f' class="{kind}"' if kind else "") + (' text-anchor="end"' if end else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(text)}</text>'


def main() -> int:
    """Write the chart."""
    content = json.loads(RESULTS.read_text(encoding="utf-8"))
    CHART.parent.mkdir(exist_ok=True)
    CHART.write_text(svg(content), encoding="utf-8")
    print(CHART.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
