"""Ceilings of the code's size, which only go down: ``python -m tools.house [--write]``.

The longest file, class and function of `xarr/`, lines of folders and of `tests/`, modules that
choose between host and device, and tables that remember are counted and compared with
`tools/house.json`. A number above its ceiling is an error. `--write` lowers the ceilings to what is
counted, and raises none.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
CEILINGS: Final = Path(__file__).with_name("house.json")
DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
CHOOSES: Final = r"\.host_addressable\b|\.is_in_place\b|\bstays_on_host\(|\bruns_on_numpy\("
"""Questions of a module that chooses between host and device; `backends/` has the answers."""
REMEMBERS: Final = r"@memo\b|\bfunctools\.(?:lru_)?cache\b(?!\")|\bMemo\(|\bremembered\("
"""Calls that make or fill a table that remembers, but for those in the two modules called memo."""
UNLISTED: Final = r"\bfunctools\.(?:lru_)?cache\b(?!\")|^_?\w+: Final\[dict\[.*\] = \{\}"
"""Tables that `xarr/memo.py` does not know and bound."""


def counted() -> dict[str, int]:
    """Count the lines of what has a ceiling."""
    found: Counter[str] = Counter()
    for path in sorted((ROOT / "xarr").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        folder = path.relative_to(ROOT).parts[1] if path.parent.name != "xarr" else "*.py"
        found[f"lines of xarr/{folder}"] += lines
        found["modules that choose host or device"] += bool(
            folder != "backends" and re.search(CHOOSES, text)
        )
        if path.name != "memo.py":
            found["tables that remember"] += len(re.findall(REMEMBERS, text))
            found["tables that nothing lists"] += len(re.findall(UNLISTED, text, re.MULTILINE))
        found["lines of xarr"] += lines
        found["longest file"] = max(found["longest file"], lines)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                kind = "longest function" if isinstance(node, DEFINITIONS) else "longest class"
                length = (node.end_lineno or 0) - node.lineno + 1
                found[kind] = max(found[kind], length)
    for path in (ROOT / "tests").rglob("*.py"):
        found["lines of tests"] += path.read_text(encoding="utf-8").count("\n")
    return dict(sorted(found.items()))


def main() -> int:
    """Print what is above its ceiling; 1 where something is."""
    found = counted()
    ceilings: dict[str, int] = json.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    if "--write" in sys.argv[1:]:
        lowered = {name: min(count, ceilings.get(name, count)) for name, count in found.items()}
        CEILINGS.write_text(json.dumps(lowered, indent=2) + "\n")
        return 0
    high = {name: count for name, count in found.items() if count > ceilings.get(name, 0)}
    for name, count in high.items():
        print(f"{name}: {count:,}; the ceiling is {ceilings.get(name, 0):,}")
    return 1 if high else 0


if __name__ == "__main__":
    sys.exit(main())
