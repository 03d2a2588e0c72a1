"""The sweep over functions as a page: ``python -m benchmarks.sweep [JSON NAME]``.

With arguments it shortens the JSON file of a run to `benchmarks/results/functions-NAME.json`, where
rows of sizes that the run has not stay if device and libraries are the same. Then, and without, it
draws the committed files: of each, the ratios to the fastest other library in ascending order,
which `docs/functions.md` shows above a table that `docs/tables.py` makes of them.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.chart import LIBRARIES, ROOT, STYLE
from benchmarks.functions import summary_of
from benchmarks.rows import SMALL

RESULTS: Final = ROOT / "benchmarks" / "results"
PICTURE: Final = ROOT / "docs" / "images" / "functions.svg"
LOW, HIGH = 1 / 32, 32
"""The ratios between which lines are drawn."""
WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 200, 60, 48, 64
COLUMNS: Final = "call", "dtype", "size", "xarr_us", "peer", "peer_us"


def files() -> dict[str, dict[str, Any]]:
    """Return the committed sweeps by name."""
    found = sorted(RESULTS.glob("functions-*.json"), reverse=True)
    return {path.stem.partition("-")[2]: json.loads(path.read_text()) for path in found}


def shortened(content: dict[str, Any]) -> dict[str, Any]:
    """Return what the page needs of a run's JSON file."""
    rows = []
    for one in content["functions"]["rows"]:
        if not one["failed"]:
            times, peer = one["times_s"], one["peer"]
            other = round(1e6 * times[peer], 3) if peer else None
            figures = round(1e6 * times["xarr"], 3), peer, other
            rows.append([one["call"], one["dtype"], one["size"], *figures])
    kept = "date", "processor", "processors", "versions"
    device = {key: content["device"][key] for key in ("name", "backend", "index", "kind")}
    facts = {"copy_gb_s": content["functions"]["copy_gb_s"], "columns": COLUMNS}
    return {**{key: content[key] for key in kept}, "device": device, **facts, "rows": rows}


def ratios(content: dict[str, Any], size: int) -> list[float]:
    """Return the compared rows' times over those of the fastest other library, ascending."""
    rows = [row for row in content["rows"] if row[2] == size and row[5]]
    return sorted(row[3] / row[5] for row in rows)


def sizes(content: dict[str, Any]) -> list[int]:
    """Return the sizes of a sweep."""
    return sorted({row[2] for row in content["rows"]})


def caption(content: dict[str, Any], size: int) -> str:
    """Say what a line shows: a title, and a line of figures."""
    found = summary_of(ratios(content, size), size, content["device"]["kind"])
    peers = {row[4] for row in content["rows"] if row[4]}
    named = ", ".join({**LIBRARIES, "numpy": "NumPy"}[peer] for peer in sorted(peers))
    return (
        f"{content['device']['name']}, {size:,} elements, beside {named}, {content['date'][:10]}\n"
        f"{found['compared']} calls, geometric mean {found['geometric_mean']:.2f}, "
        f"{found['above']} above {found['limit']:g}"
    )


def svg(contents: dict[str, dict[str, Any]]) -> str:
    """Draw the ratios of all sweeps."""
    panels = [(content, size) for content in contents.values() for size in sizes(content)]
    parts = list[str]()
    for number, (content, size) in enumerate(panels):
        parts += _panel(content, size, TOP + number * (HEIGHT + GAP))
    height = TOP + len(panels) * (HEIGHT + GAP) - GAP + 16
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>Times of functions over those of the fastest other library, ascending</title>",
        f"<style>{STYLE} path {{ fill: none; stroke: #1f6feb; stroke-width: 2 }} "
        "line { stroke: #8c959f; stroke-width: .5 }</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def _panel(content: dict[str, Any], size: int, top: int) -> Iterator[str]:
    def y(ratio: float) -> float:
        place = math.log(min(max(ratio, LOW), HIGH) / HIGH) / math.log(LOW / HIGH)
        return top + HEIGHT * place

    title, figures = caption(content, size).split("\n")
    yield f'<text class="title" x="16" y="{top - 28}">{title}</text>'
    yield f'<text class="row" x="16" y="{top - 12}">{figures}</text>'
    for ratio in (1 / 16, 1 / 4, 1, 4, 16):
        label = f"{ratio:g} x" if ratio >= 1 else f"1/{1 / ratio:g} x"
        yield f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y(ratio):.1f}" y2="{y(ratio):.1f}"/>'
        yield f'<text class="small" x="16" y="{y(ratio) + 4:.1f}">{label}</text>'
    found = ratios(content, size)
    step = (WIDTH - 20 - LEFT) / max(1, len(found) - 1)
    points = " ".join(f"{LEFT + step * at:.1f},{y(one):.1f}" for at, one in enumerate(found))
    yield f'<path d="M{points}"/>'


def table(contents: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Make a line for each call with the geometric mean of its data types, the slowest first."""
    columns = [(name, size) for name, content in contents.items() for size in sizes(content)]
    logs: dict[str, dict[tuple[str, int], list[float]]] = {}
    for name, content in contents.items():
        for call, _, size, own, _, other in content["rows"]:
            if other:
                logs.setdefault(call, {}).setdefault((name, size), []).append(math.log(own / other))
    means = {
        call: {column: math.exp(sum(found) / len(found)) for column, found in by.items()}
        for call, by in logs.items()
    }
    heads = [f"{name}, {'1,000' if size <= SMALL else 'large'}" for name, size in columns]
    lines = [["call", *heads]]
    for call, by in sorted(means.items(), key=lambda one: -max(one[1].values())):
        lines.append([f"``{call}``", *(f"{by[one]:.2f}" if one in by else "" for one in columns)])
    return lines


def main(arguments: list[str]) -> int:
    """Shorten a run's file, if one is given, and draw the picture."""
    if arguments:
        path, name = arguments
        content = shortened(json.loads(Path(path).read_text(encoding="utf-8")))
        before = files().get(name, content)
        if (before["device"], before["versions"]) == (content["device"], content["versions"]):
            rest = [row for row in before["rows"] if row[2] not in sizes(content)]
            content["rows"] = [*rest, *content["rows"]]
        rows = ",\n".join(json.dumps(row) for row in content.pop("rows"))
        text = json.dumps(content)[:-1] + f', "rows": [\n{rows}\n]}}\n'
        (RESULTS / f"functions-{name}.json").write_text(text, encoding="utf-8")
    PICTURE.write_text(svg(files()), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
