"""The C of accumulators: their first value, step, combination and final result."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from xarr import dtypes
from xarr.codegen.expressions import cast, computed, rounded, stored
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.source import define
from xarr.dtypes import COMPLEX
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation
from xarr.lowering.cuts import COLUMN_PIECE, PIECE, WIDTH
from xarr.lowering.operations import Epilogue

if TYPE_CHECKING:
    from xarr.dtypes import DType

SUFFIXES: Final = ("", *map(str, range(1, 32)))
"""The suffixes of names for each fold of a kernel, and for each result."""


def folds_of(epilogue: Epilogue) -> tuple[Fold, ...]:
    """Return the folds of an epilogue."""
    return tuple([head for head, *_ in epilogue.entries if isinstance(head, Fold)])


def operations_of(fold: Fold) -> tuple[Operation, Operation, Operation] | None:
    """Return the operations that begin, step and finish a fold of plain values; else None."""
    types = (fold.taken, fold.value, fold.result)
    if fold.fields or fold.close or fold.value.compute != fold.accumulator:
        return None
    if any(dtype is dtypes.float16 or dtype.kind == COMPLEX for dtype in types):
        return None
    if re.search(r"\b(position|seen|XR_SHARE)\b", f"{fold.first} {fold.step}"):
        return None

    def of(name: str, text: str, operands: tuple[DType, ...], result: DType, **words: str) -> Any:
        template = re.sub(r"\b(acc|x|divisor)\b", lambda found: words[found[0]], text)
        return Operation(name, operands, result, template)

    value, element = fold.value, f"({fold.element})"
    divisors = () if fold.divisor is None else (fold.divisor,)
    return (
        of("first", fold.first, (fold.taken,), value, x=element),
        of("step", fold.step, (value, fold.taken), value, acc="{0}", x=element.format("{1}")),
        of("finish", fold.finish, (value, *divisors), fold.result, acc="{0}", divisor="{1}"),
    )


def defines(
    folds: tuple[Fold, ...],
    epilogue: Epilogue | None,
    more: Sequence[str],
    spec: KernelSpec | None = None,
    first: int = 0,
) -> list[str]:
    """Return the defines of a launch over an expression, or without `spec` over accumulators.

    The last launch runs the `epilogue`, in which folds stand for their reductions. The folds'
    macros have suffixes from number `first` on.
    """
    suffixes = SUFFIXES[first : first + len(folds)]
    results = [f"XR_ACC{n}" for n in suffixes]
    statements = [f"result{n}[place] = acc{f'##{n}' if n else ''};" for n in suffixes]
    if epilogue is not None:
        results = [epilogue.entries[number][0].result.storage for number in epilogue.stored]
        statements = _epilogue_statements(epilogue, suffixes)
    lines = [
        f"#define XR_WIDTH {WIDTH}",
        f"#define XR_PARTIAL {int(spec is None)}",
        f"#define XR_CLOSES {int(spec is not None and any(fold.close for fold in folds))}",
        f"#define XR_FOLDS(what, x, y) {' '.join(f'what({n}, x, y)' for n in suffixes)}",
        define(
            "XR_RESULTS(parameter)",
            [
                f"parameter(GLOBAL {kind} *RESTRICT, result{n})"
                for kind, n in zip(results, SUFFIXES, strict=False)
            ],
        ),
        define("XR_DELIVER(acc, place)", statements),
    ]
    for number, (fold, suffix) in enumerate(zip(folds, suffixes, strict=True)):
        given = (fold.taken, *fold.beside)
        values = None if spec is None else [spec.value(t, at) for at, t in enumerate(given, number)]
        lines += _fold_defines(fold, suffix, values)
    return [*lines, *more]


def shares(folds: tuple[Fold, ...], spec: KernelSpec | None, column: bool) -> list[str]:
    """Return the defines of a table of shares: 1/n, by which the n-th element moves a mean."""
    types = {fold.value.compute for fold in folds if "XR_SHARE" in fold.step}
    if spec is None or len(types) != 1:
        return []
    longest = COLUMN_PIECE if column else PIECE // WIDTH
    return [f"#define XR_SHARES {types.pop()}", f"#define XR_LONGEST {longest}"]


def _epilogue_statements(epilogue: Epilogue, names: Sequence[str]) -> list[str]:
    """Return the statements of the epilogue: operations on the folds' results, and stores."""
    statements = []
    suffixes = iter(names)
    for number, (head, *arguments) in enumerate(epilogue.entries):
        name = f"final{number}"
        if isinstance(head, Fold):
            n = next(suffixes)
            value = head.finish.replace("acc", f"(acc{f'##{n}' if n else ''})")
            if arguments:
                value = value.replace("divisor", _name(arguments[0]))
            value = rounded(value, head.result)
            statements.append(f"const {head.result.compute} {name} = {value};")
        else:
            operands = []
            for at, wanted in zip(arguments, head.operands, strict=True):
                given = epilogue.entries[at][0].result if isinstance(at, int) else at[0]
                operands.append(cast(_name(at), given, wanted))
            statements.append(computed(name, head, operands))
    for n, number in zip(SUFFIXES, epilogue.stored, strict=False):
        value = stored(f"final{number}", epilogue.entries[number][0].result)
        statements.append(f"result{n}[place] = {value};")
    return statements


def _name(at: Any) -> str:
    return f"final{at}" if isinstance(at, int) else f"a.number{at[1]}"


def numbers(epilogue: Epilogue) -> list[tuple[str, DType]]:
    """Return the names and types of the epilogue's scalar arguments, as the divisor of a mean."""
    arguments = [
        at for _, *arguments in epilogue.entries for at in arguments if not isinstance(at, int)
    ]
    return [(f"number{number}", dtype) for dtype, number in arguments]


def _fold_defines(fold: Fold, n: str, values: list[str] | None) -> list[str]:
    """Return the defines of a fold; `values` are an element's C, None for accumulators."""
    lanes = f"lanes{n}"
    lines = [
        f"#define XR_ACC{n} {fold.accumulator}",
        f"#define XR_FIRST{n}(x, position) ({fold.first})",
        f"#define XR_STEP{n}(acc, x, position, seen) ({fold.step})",
        f"#define XR_CLOSE{n}(acc, seen) {fold.close}",
        f"#define XR_COMBINE{n}(acc1, acc2) ({fold.combine})",
    ]
    if values is not None:
        lines.append(f"#define XR_VALUE{n} {fold.element.format(*values)}")
    everything = tuple(name for name, _ in fold.fields)
    if not fold.fields:
        arrays = [f"aligned XR_ACC{n} {lanes}_value[count];"]
        access = [
            _lane_access(f"{closed}{n}", ("",), lambda name: f"{lanes}_value", lambda name: "acc")
            for closed in ("", "_CLOSED")
        ]
    else:
        running = fold.running if values is not None and fold.running else everything
        arrays = [f"aligned {kind} {lanes}_{name}[count];" for name, kind in fold.fields]
        access = [
            _lane_access(
                f"{closed}{n}", names, lambda name: f"{lanes}_{name}", lambda name: f"(acc).{name}"
            )
            for closed, names in (("", running), ("_CLOSED", everything))
        ]
    return [*lines, define(f"XR_LANES{n}(aligned, count)", arrays), *itertools.chain(*access)]


def _lane_access(
    suffix: str, names: Sequence[str], array: Callable[[str], str], part: Callable[[str], str]
) -> list[str]:
    gets = " ".join(f"{part(name)} = {array(name)}[lane];" for name in names)
    puts = " ".join(f"{array(name)}[lane] = {part(name)};" for name in names)
    return [
        f"#define XR_GET{suffix}(acc, lane) {gets}",
        f"#define XR_PUT{suffix}(lane, acc) {puts}",
    ]
