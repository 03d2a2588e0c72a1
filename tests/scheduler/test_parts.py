"""What is written to parts of new arrays, in random programs beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import xarr
from xarr.runtime import host_functions

MAKERS = (
    lambda np, a, b: a.copy(),
    lambda np, a, b: a * 3 + b,
    lambda np, a, b: np.zeros_like(a),
    lambda np, a, b: np.roll(a, 1),
)
"""What is there before its parts are written."""


def twice(whole: Any, part: Any, other: Any, a: Any, b: Any) -> None:
    both = a[other] * 2
    b[part] = both
    whole[part] = both + 1


WRITES = (
    twice,
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[part] + a[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, a[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, a[other] * 2 + b[part]),
    lambda whole, part, other, a, b: whole.__setitem__(part, 5),
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[part] * b[other]),
    lambda whole, part, other, a, b: whole.__setitem__(part, whole[other]),
    lambda whole, part, other, a, b: a.__iadd__(1),
)


def parts(rng: numpy.random.Generator, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Two parts of one shape: slices that leave few elements out, and indices."""
    found: list[tuple[Any, Any]] = []
    for extent in shape:
        low, left = rng.integers(0, min(3, extent), 2)
        count = max(extent - low - left, 1)
        other = rng.integers(0, extent - count + 1)
        axis = (slice(low, low + count), slice(other, other + count))
        found.append((low, other) if rng.random() < 0.2 else axis)
    return tuple([one for one, _ in found]), tuple([other for _, other in found])


@pytest.mark.parametrize("form", ["usual", "as-gpu"])
@pytest.mark.parametrize("seed", range(8))
def test_parts(seed: int, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    device = xarr.default_device()
    if form != "usual":
        device = device.pretending(form)
    rng = numpy.random.default_rng(seed)
    for _ in range(4):
        shape = tuple(rng.integers(1, (300, 40, 12)[(axes := int(rng.integers(3)))], axes + 1))
        theirs = [(rng.random(shape) * 100).astype(rng.choice(["f4", "i4", "u1"])) for _ in "ab"]
        theirs[1] = theirs[1].astype(theirs[0].dtype)
        ours = [xarr.asarray(one.copy(), device=device) for one in theirs]
        make = MAKERS[rng.integers(len(MAKERS))]
        theirs.insert(0, make(numpy, *theirs))
        ours.insert(0, make(xarr, *ours))
        for _ in range(rng.integers(1, 6)):
            write = WRITES[rng.integers(len(WRITES))]
            places = parts(rng, shape)
            write(theirs[0], *places, *theirs[1:])
            write(ours[0], *places, *ours[1:])
        theirs.append(theirs[0].max())
        ours.append(ours[0].max())
        for got, wanted in zip(reversed(ours), reversed(theirs), strict=True):
            numpy.testing.assert_array_equal(xarr.to_numpy(got), wanted)


READERS = (
    lambda np, x: x.reshape(-1) * 2,
    lambda np, x: x.reshape(4, 9) * 2,
    lambda np, x: x[x > 2],
    lambda np, x: np.cumsum(x),
    lambda np, x: x.reshape(2, 18).sum(axis=1),
)


@pytest.mark.parametrize("form", ["usual", "as-gpu"])
@pytest.mark.parametrize("read", READERS)
def test_what_has_parts_is_read_over_another_space(
    read: Any, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds are along the axes of the space of which elements are a part."""
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    device = xarr.default_device()
    device = device if form == "usual" else device.pretending(form)
    given = numpy.arange(36).reshape(6, 6)
    for value in (None, 7):
        results = []
        for np, x in ((numpy, given), (xarr, xarr.asarray(given, device=device))):
            whole = x + x
            whole[1:] = whole[1:] + 1 if value is None else value
            results.append(read(np, whole))
        numpy.testing.assert_array_equal(xarr.to_numpy(results[1]), results[0])
