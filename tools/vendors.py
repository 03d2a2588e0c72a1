"""Compile every kernel for AMD's and Intel's GPUs, without such a card: `make check-vendors`.

``python -m tools.vendors [--write] [TARGET...]`` takes the kernels that the tests compile for CUDA.
Debian's packages have the compilers: `intel-opencl-icd` and `libigc-tools` Intel's, `libamdhip64-5`
AMD's, `llvm-15` the disassembler. PATH and LD_LIBRARY_PATH find them where they are not installed.

No product may be contracted with a sum. Instructions that fuse both come of `fma` too, of divisions
and roots, and of conversions to int64. A kernel that has any is compiled once more, with sums in
the place of all these, and then none may be left. The most registers, spills and bytes that kernels
take are compared with `vendors.json`, if the compiler is the one that the table is of.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tools.vendor_compilers import Target, compiled, missing, version
from xarr.backends import cuda_compiler
from xarr.codegen import source
from xarr.user_kernels.modules import PortableModule

FILE = Path(__file__).with_suffix(".json")
TESTS = [f"tests/kernels/test_{x}.py" for x in ("cuda_compile", "products", "radix", "transforms")]
TESTS += ["tests/functions/test_threads.py"]
WORD = "compile"
"""What the names of these tests, or of their file, have in them."""
RECORD = "XARR_VENDORS_RECORD"
"""The variable that tells the plugin of the tests where to write which kernels they assemble."""
COLUMNS = ("registers", "spilling", "spilled", "scratch", "local")
"""The most registers, the kernels that spill, the most values that one spills, the most bytes."""
TARGETS = (
    Target("pvc", 256, 128 << 10, platform="xehpc"),
    Target("dg2-g10", 256, 64 << 10, platform="xehpg", has_float64=False),
    Target("gfx90a", 512, 64 << 10),
    Target("gfx1036", 256, 64 << 10),
    Target("gfx1100", 256, 64 << 10),
)
PLAIN = """
#undef sqrt
#define sqrt(x) ((x) - 1)
#define fma(x, y, z) ((x) - (y) - (z))
#undef LOCAL_SIZE // a compiler that unrolls a loop divides by the step
#define LOCAL_SIZE(d) 64
"""

Kernel = tuple[str, tuple[str, ...]]
"""A skeleton, and the lines that specialise it; or `OWN`, and the portable C of an own kernel."""
OWN = "own kernels"


def pytest_configure(config: pytest.Config) -> None:
    """Note what the tests assemble for CUDA; those that compile it skip."""
    assemble, kernels = source.assemble, dict[Kernel, None]()
    own_text = PortableModule.text

    def noted(skeleton: str, dialect: str, defines: Sequence[str], **rest: bool) -> str:
        if dialect == "cuda":
            kernels[skeleton, tuple(defines)] = None
        return assemble(skeleton, dialect, defines, **rest)

    def own_noted(module: PortableModule, dialect: str, **rest: bool) -> str:
        if dialect == "cuda":
            kernels[OWN, (module._code.text,)] = None
        return own_text(module, dialect, **rest)

    def absent() -> tuple[int, int]:
        raise RuntimeError("other compilers take the kernels")

    def write() -> None:
        Path(os.environ[RECORD]).write_text(json.dumps(list(kernels)))

    source.assemble, cuda_compiler.nvrtc_version = noted, absent  # type: ignore[assignment]
    PortableModule.text = own_noted  # type: ignore[method-assign, assignment]
    config.add_cleanup(write)


def recorded() -> list[Kernel]:
    """The kernels that the tests compile for CUDA."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "kernels.json"
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tools.vendors", "-k", WORD]
        command = [sys.executable, "-m", "pytest", *options, *TESTS]
        environment = os.environ | {RECORD: str(file)}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        return [(skeleton, tuple(defines)) for skeleton, defines in json.loads(file.read_text())]


def without_fused(text: str, target: Target) -> str:
    """A kernel with sums in the place of all that fuses a product and a sum by right."""
    head = source.kernel_file(source.DIALECTS[target.dialect])
    wide = re.compile(r"(?<!XR_FILL)(?<!sizeof)\(i64\)")
    parts = [wide.sub("(i64)(i32)", part) for part in text.split(head)]
    # Divisions by constants stay: sizes of arrays are such, and they fuse nothing.
    parts = [re.sub(r" [/%] (?!XR_[A-Z]|\d)", " - ", part) for part in parts]
    return (head + PLAIN).join(parts)


def planted(target: Target) -> str:
    """Why the check would find no contraction; empty where it finds the planted one."""
    code = "KERNEL void planted(GLOBAL f32 *x) {\n x[0] = x[1] * x[2] + x[3]; }"
    text = "\n".join([*source.preamble(code, target.dialect, has_float64=target.has_float64), code])
    fast = text.replace("{\n x", "{\n#pragma clang fp contract(fast)\n x").replace("T OFF", "T ON")
    counts = [len(target.fused(compiled(target, each).code)) for each in (text, fast)]
    return "" if counts == [0, 1] else f"planted: {counts} fused instructions instead of [0, 1]"


def examined(target: Target, kernel: Kernel) -> tuple[str, str, list[int]] | None:
    """A kernel's skeleton, what is wrong with it, its figures; None where it needs float64."""
    skeleton, defines = kernel
    if skeleton == OWN:
        text = PortableModule("code", *defines).text(target.dialect, has_float64=target.has_float64)
    else:
        text = source.assemble(skeleton, target.dialect, defines, has_float64=target.has_float64)
    own = text.replace(source.kernel_file(source.DIALECTS[target.dialect]), "")
    if not target.has_float64 and re.search(r"(?:\b|_)(?:f64|c128)\b", own):
        return None
    built = compiled(target, text)
    wrong = [f"does not compile: {built.log}"] if not built.code else []
    if re.search(r"\bv_(?:sqrt|rsq)_f32", built.code):
        wrong.append("a root of float32 is AMD's instruction, which is off by an ulp")
    if target.fused(built.code):
        again = compiled(target, without_fused(text, target))
        wrong += [f"contracts: {line}" for line in target.fused(again.code)]
        wrong += [f"does not compile without what fuses: {again.log}"] if not again.code else []
    if built.registers > target.registers or built.local_nbytes > target.local_nbytes:
        wrong.append(
            f"takes {built.registers} registers, {built.local_nbytes} bytes that are local"
        )
    figures = [built.registers, int(built.spilled > 0), *built[3:]]
    return skeleton, "\n".join(wrong), figures


def checked(target: Target, kernels: list[Kernel], pool: ProcessPoolExecutor) -> tuple[Any, bool]:
    """Print what was found of a target; its row of the table, and whether all is well."""
    rows, counts, problems = dict[str, list[int]](), dict[str, int](), list[str]()
    for found in filter(None, pool.map(functools.partial(examined, target), kernels)):
        skeleton, wrong, figures = found
        problems += [f"{skeleton}: {wrong}"] if wrong else []
        before = rows.get(skeleton, [0] * len(figures))
        rows[skeleton] = [max(pair) for pair in zip(before, figures, strict=True)]
        rows[skeleton][1] = before[1] + figures[1]
        counts[skeleton] = counts.get(skeleton, 0) + 1
    problems += filter(None, [planted(target)])
    print(f"\n{target.name}: {sum(counts.values())} of {len(kernels)} kernels, {version(target)}")
    print(f"{'':17}{'kernels':>10}", *(f"{column:>10}" for column in COLUMNS))
    for skeleton in sorted(rows):
        print(f"{skeleton:17}{counts[skeleton]:10}", *(f"{value:10}" for value in rows[skeleton]))
    print(*problems or ["all compile, and nothing is contracted"], sep="\n")
    return {"compiler": version(target), **dict(sorted(rows.items()))}, not problems


def grown(old: Any, new: Any) -> list[str]:
    """Figures that are larger than in the table."""
    return [
        f"{skeleton}: {column} {now}, in the table {was}"
        for skeleton in new.keys() - {"compiler"}
        for column, now, was in zip(COLUMNS, new[skeleton], old.get(skeleton, [0] * 5), strict=True)
        if now > was
    ]


def main(arguments: Sequence[str]) -> int:
    """Check the targets that are named, or all; return 1 where something is wrong or missing."""
    table = json.loads(FILE.read_text())
    wanted = [x for x in TARGETS if x.name in arguments or not set(arguments) - {"--write"}]
    absent = {target: why for target in wanted if (why := missing(target))}
    for target, why in absent.items():
        print(f"{target.name}: {why}")
    there = [target for target in wanted if target not in absent]
    failed = not there or any("not installed" in why for why in absent.values())
    kernels = recorded() if there else []
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for target in there:
            row, is_well = checked(target, kernels, pool)
            failed |= not is_well
            if "--write" in arguments:
                table[target.name] = row
            elif table.get(target.name, {}).get("compiler") == row["compiler"]:
                larger = grown(table[target.name], row)
                failed |= bool(larger)
                print(*larger or ["no figure is larger than in the table"], sep="\n")
            else:
                print("the table is of another compiler, and is not compared")
    if "--write" in arguments:
        lines = (f'"{name}": {json.dumps(table[name])}' for name in sorted(table))
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
