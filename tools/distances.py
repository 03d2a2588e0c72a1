"""How far a device's libraries are from NumPy's: ``python -m tools.distances [DEVICE ...]``.

For each function whose bits are the libraries' own, the largest difference in units in the last
place of the result's largest element.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import xarr
from tools.bits import Values, drawn
from xarr import dtypes
from xarr.backends.device import get_device

LENGTH: Final = 1 << 18
SIDE: Final = 512
SYSTEM: Final = 200

Call = Callable[..., Any]


def cases(dtype: str) -> Iterator[tuple[str, tuple[Values, ...], Call, Call]]:
    """What is computed, its operands, and how xarr and NumPy do it."""
    row = dtypes.BY_NAME[dtype]

    def matrix(side: int, seed: int) -> Values:
        return drawn(row, -1, 1, side * side, seed).reshape(side, side)

    line, first, second = drawn(row, -1, 1, LENGTH, 1), matrix(SIDE, 2), matrix(SIDE, 3)
    general = matrix(SYSTEM, 4)
    positive = general @ general.T + SYSTEM * np.eye(SYSTEM, dtype=dtype)
    right = matrix(SYSTEM, 5)
    yield f"`matmul`, {SIDE} x {SIDE}", (first, second), xarr.matmul, np.matmul
    yield f"`fft`, {LENGTH:,}", (line,), xarr.fft.fft, np.fft.fft
    yield f"`rfft`, {LENGTH:,}", (line,), xarr.fft.rfft, np.fft.rfft
    yield f"`fftn`, {SIDE} x {SIDE}", (first,), xarr.fft.fftn, np.fft.fftn
    for name, ours, theirs, operands in (
        ("solve", xarr.linalg.solve, np.linalg.solve, (positive, right)),
        ("inv", xarr.linalg.inv, np.linalg.inv, (positive,)),
        ("cholesky", xarr.linalg.cholesky, np.linalg.cholesky, (positive,)),
        ("svdvals", xarr.linalg.svdvals, np.linalg.svdvals, (general,)),
        ("eigvalsh", xarr.linalg.eigvalsh, np.linalg.eigvalsh, (positive,)),
        ("slogdet", _logarithm_of(xarr), _logarithm_of(np), (positive,)),
        ("qr", _size_of_r(xarr), _size_of_r(np), (general,)),
    ):
        yield f"`{name}`, {SYSTEM} x {SYSTEM}", operands, ours, theirs


def _logarithm_of(library: Any) -> Call:
    return lambda x: library.linalg.slogdet(x)[1]


def _size_of_r(library: Any) -> Call:
    # The signs of its rows are the library's choice.
    return lambda x: abs(library.linalg.qr(x)[1])


def distance(ours: Values, theirs: Values) -> float:
    """The largest difference, in units in the last place of the largest element of `theirs`."""
    assert ours.shape == theirs.shape
    largest = np.max(np.abs(theirs)).astype(ours.real.dtype)
    wider = np.result_type(ours, np.float64)
    return float(np.max(np.abs(ours.astype(wider) - theirs)) / np.spacing(largest))


def main(names: list[str]) -> int:
    """Print a table with a column for each device."""
    devices = [get_device(name, "DEVICE") for name in names or [str(xarr.default_device())]]
    print(f"| function | data type | {' | '.join(map(str, devices))} |")
    print(f"|---|---|{'---|' * len(devices)}")
    for dtype in ("float32", "float64"):
        for name, operands, ours, theirs in cases(dtype):
            wanted = theirs(*operands)
            cells = []
            for device in devices:
                given = ours(*(xarr.asarray(operand, device=device) for operand in operands))
                cells.append(f"{distance(np.asarray(given), wanted):.1f}")
            print(f"| {name} | {dtype} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xarr.errors.HostFallbackWarning)
        sys.exit(main(sys.argv[1:]))
