"""Reading and writing parts of arrays, against NumPy: the same values or the same exception."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests import reference
from tests.functions.calls import all_refused, check, each, each_line
from tests.reference import Values, assert_same
from xarr import dtypes, tuning
from xarr.dtypes import DType
from xarr.functions.index import bounds
from xarr.ops import reduce_scan, selection
from xarr.runtime import host_functions

pytestmark = pytest.mark.usefixtures("each_tier", "has_dtype")

SHAPE = (4, 5, 3)


def example(shape: tuple[int, ...] = SHAPE, dtype: Any = np.float32) -> Values:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def on_device(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(on_device, key))
    return xarr.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_reads_of_all_dtypes(dtype: DType, device: xarr.Device) -> None:
    x = reference.special_values(dtype)
    array = xarr.asarray(x)
    index = np.array([0, -1, 1, 1])
    mask = np.arange(len(x)) % 3 == 1
    assert_same(np.asarray(array[xarr.asarray(index)]), x[index], "x[index]")
    assert_same(np.asarray(array[xarr.asarray(mask)]), x[mask], "x[mask]")
    assert_same(np.asarray(array[::-2]), x[::-2], "x[::-2]")


@pytest.mark.parametrize("size", [7, 300, 70_000])
def test_of_equal_indices_the_last_write_stays(size: int, scattering: xarr.Device) -> None:
    rng = np.random.default_rng(size)
    index = rng.integers(0, 5, size)
    x = np.zeros(8, np.float32)
    array = xarr.asarray(x)
    values = rng.permutation(size).astype(np.float32)
    x[index] = values
    array[xarr.asarray(index)] = xarr.asarray(values)
    assert_same(np.asarray(array), x, "x[index] = values")
    rows, columns = rng.integers(-4, 4, size), rng.integers(0, 3, size)
    y = np.zeros((4, 2, 3), np.int16)
    array = xarr.asarray(y)
    more = rng.permutation(2 * size).reshape(size, 2).astype(np.int16)
    y[rows, :, columns] = more
    array[xarr.asarray(rows), :, xarr.asarray(columns)] = xarr.asarray(more)
    assert_same(np.asarray(array), y, "x[rows, :, columns] = values")


def test_few_masks_are_remembered(device: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they select takes more memory than they do; NumPy, on a CPU, finds it each time."""
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    with xarr.device(device):
        x = xarr.arange(2000)
        masks = [x > number for number in range(20)]
        for number, mask in enumerate(masks):
            assert x[mask].shape == (1999 - number,)
    storages = [mask._view.storage for mask in masks]
    assert [one is not None and one.selected is not None for one in storages] == (
        [False] * 12 + [True] * 8
    )


@pytest.mark.parametrize("equal", [False, True])
def test_the_same_indices_are_written_at_again(
    equal: bool, form: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Distinct ones are found to be, until they are written to; the last of equal ones wins."""
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    rng = np.random.default_rng(5)
    host = rng.permutation(9000)[:7000] - 9000 * equal
    host[3] = host[4] if equal else host[3]
    x, k = xarr.zeros((9500, 2)), xarr.asarray(host)
    wanted = np.zeros((9500, 2))
    for turn in range(8):
        rows = rng.random((7000, 2))
        if turn == 5:
            k[9], host[9] = -1, -1
            k[8], host[8] = 9499, 9499
        x[k], wanted[host] = xarr.asarray(rows), rows
        assert np.array_equal(xarr.to_numpy(x), wanted)
        shorter = xarr.zeros(9499)  # in which -1 is another element, and 9499 none
        if turn == 4:
            shorter[k] = 1
            assert int(shorter.sum()) == len(np.unique(host % 9499))


def test_bounds_of_indices_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    look_at = bounds._look_at

    def look(*given: Any) -> None:
        found.append(given)
        look_at(*given)

    monkeypatch.setattr(bounds, "_look_at", look)
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    x, host = xarr.asarray(np.arange(9000.0, dtype="float32")), np.arange(9000)[::-1].copy()
    k = xarr.asarray(host)
    xarr.synchronize()
    for _ in range(3):
        assert np.array_equal(xarr.to_numpy(x[k]), host)
        x[k] = x
        x[k] = x
    assert len(found) == 1
    k[5] = 9000
    with pytest.raises(IndexError, match="index 9000 is out of bounds"):
        x[k]
    k[5:7] = -9000
    assert float(x[k][6]) == 0
    assert len(found) == 3
    if k.device.info.shares_host_memory:
        seen = np.asarray(k)
        x[k]
        seen[3] = 9000
        del seen
        with pytest.raises(IndexError, match="index 9000 is out of bounds"):
            x[k]


def test_a_mask_that_is_written_meanwhile_selects_what_it_did(
    device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another thread may write it, after it has been read by a kernel."""
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    x = example()
    mask, other = x % 3 == 1, x % 3 != 1
    array, condition = xarr.asarray(x), xarr.asarray(mask)
    view = condition[:]
    scan = reduce_scan.scan

    def then_written(*arguments: Any) -> Any:
        ranks = scan(*arguments)
        view[...] = other
        return ranks

    monkeypatch.setattr(reduce_scan, "scan", then_written)
    monkeypatch.setattr(selection, "_places", lambda mask: None)
    assert_same(np.asarray(array[condition]), x[mask], "x[mask]")
    view[...] = mask
    for ours, wanted in zip(xarr.nonzero(condition), np.nonzero(mask), strict=True):
        assert_same(np.asarray(ours), wanted, "nonzero(mask)")
    view[...] = mask
    values = np.arange(mask.sum(), dtype=np.float32)
    array[condition] = xarr.asarray(values)
    x[mask] = values
    assert_same(np.asarray(array), x, "x[mask] = values")


def test_arrays_of_two_devices_are_refused_where_they_index(device: xarr.Device) -> None:
    other = xarr.arange(3, device=device.pretending("as-gpu"))
    all_refused(
        """
        {np.take(x, other)|np.take_along_axis(x, other)|x[other]} ! ValueError: one device
        {np.where(other > 1, x, x)|np.where(x > 1, other, 1)} ! ValueError: one device
        np.{concat|stack}([x, other]) ! ValueError: one device
        """,
        {"x": xarr.arange(3), "other": other},
    )


WRITTEN: Final = (1, 1.0, True, -1, 0.1, 2**40, np.float32(3), 1e300, math.inf, math.nan, 2 + 1j)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool", "complex64"])
def test_what_was_written_once_is_written_alike_again(dtype: str) -> None:
    """One key with one number after the other, each twice."""
    ours, theirs = xarr.zeros((4, 6), dtype=dtype), np.zeros((4, 6), dtype)
    written = WRITTEN[:7] if np.dtype(dtype).kind in "iu" else WRITTEN
    for turn, value in enumerate([*written, *written]):
        keys = [(slice(None), turn % 6), (turn % 4, slice(1, 5, 2)), slice(1, 3), (1, turn % 6)]
        for key in keys:
            problems = []
            for target in (ours, theirs):
                try:
                    with warnings.catch_warnings(), np.errstate(all="ignore"):
                        warnings.simplefilter("ignore")
                        target[key] = value
                except (TypeError, ValueError, OverflowError) as error:
                    problems.append(type(error))
            assert len({*problems}) == len(problems) / 2, (value, problems)
        np.testing.assert_array_equal(xarr.to_numpy(ours), theirs, f"{value!r}")


KEYS = """
[0, 2]
numpy.array([1, 1])
numpy.int64(2)
np.asarray(2)
(np.asarray(1), ...)
([0, 1], [1, 2])
[True] * 4
x[:, 0, 0] > 20
(x * 2 > 30)[..., 0]
np.asarray([0, 1]) * 2 + 1
[np.asarray(1), np.argmax(x[:, 0, 0])]
slice(np.asarray(1), np.argmax(x[:, 0, 0]))
(numpy.array([True, False, True, True]), [True, True, False, True, False])
(True, [0, 1])
(..., False)
(True, numpy.True_, 0)
range(3)
[[0, 1], [2, 3]]
(slice(None), numpy.arange(5) % 2 == 0)
(1, numpy.arange(15).reshape(5, 3) % 2 == 0)
[]
([0, 1], slice(None), [0, 2])
([0, 1], None, [0, 2])
([0, 1], ..., [0, 1])
"""


@each(KEYS)
def test_keys(call: str, device: xarr.Device) -> None:
    key = call
    check(f"x[{key}]", x=example())
    check(f"x.__setitem__({key}, -1 - x[{key}])", x=example())
    check(f"x.__setitem__({key}, 7)", x=example())
    names = [{"np": module, "numpy": np, "x": module.asarray(example())} for module in (xarr, np)]
    for one in names:
        exec(f"x[{key}] += 2", one)
    assert_same(np.asarray(names[0]["x"]), names[1]["x"], f"x[{key}] += 2")
    check(f"np.broadcast_to(x, (2, 4, 5, 3))[0].__setitem__({key}, 0) ! ValueError", x=example())


NO_KEYS = """
(0, 0, 0, 0)
4
-5
(0, 5)
(..., 3)
(..., ...)
1.5
"a"
(slice(None),) * 4
np.asarray([0, 4])
np.asarray([-5])
np.zeros(1, "f4")
np.asarray([True, False])
(np.asarray([0, 1]), np.asarray([0, 1, 2]))
(np.ones((4, 5), bool), 0, 0)
np.ones((4, 4), bool)
"""


@each(NO_KEYS)
def test_refused_keys(call: str, device: xarr.Device) -> None:
    check(f"x[{call}] ! IndexError", x=example())
    check(f"x[{call}] ! IndexError: x[key]: ", x=example())
    x = xarr.asarray(example())
    with pytest.raises(IndexError, match=r"x\[key\]"):
        x[eval(call, {"np": xarr})] = 0
    assert_same(np.asarray(x), example(), "a refused write")


CALLS = """
x["a":"b"] ! TypeError: parts of a slice
np.take(x, {1|numpy.uint8(1)|np.asarray(1)|-2}, {0|1})
np.take(x, np.asarray([[1, -2], [0, 2]], "{i8|i1}"), {0|1|2|-3})
np.take_along_axis(x, np.asarray([[[1, 0, -2]]] * 4), {1|-2})
np.take_along_axis(x[0], np.asarray([[2], [0], [1], [-1], [-3]]), 1)
x[{0] = np.ones((4, 3))|:1] = np.ones((2, 5, 3))} ! ValueError: x[key] = value: value has shape
x[[0, 1]] = np.ones((3, 5, 3)) ! ValueError: x[key] = value: value has shape
x[x > 50] = np.ones(3) ! ValueError: value has shape
x[0] = 1j ! TypeError: not 'complex'
x[{...|0|[0, 2, 1]|1:}] = [1j] * 3 ! TypeError: not 'complex'
x[0] = "text" ! ValueError: value is no array of float32
np.nonzero({x[0] > 3|x[:0]|i|i * 1j})
np.take(x, np.asarray(1.0), axis=0) ! TypeError: take(a, indices): indices has dtype float64
np.take(x, np.asarray([0, 9]), axis=0) ! IndexError: out of bounds
np.take(x, np.asarray([0, 9]), axis=3) ! IndexError: axis is 3
np.take(x, np.asarray([1, 60])) ! IndexError: index 60 is out of bounds
np.take(x, np.zeros(1, "f4"), axis=0) ! TypeError: indices must be of integer dtype
np.take_along_axis(x, np.full((4, 5, 3), 5), axis=1) ! IndexError: out of bounds
np.take_along_axis(x, np.asarray([0, 9]), axis=1) ! ValueError: indices have 1 dim
(x * 2)[np.asarray([0, 1]) * 2 + 1] + 1
(x + 1)[x % 2 == 0]
np.sum(x[np.asarray([0, 3])])
{n|one|x[0]}[np.asarray({True|False})]
{n|one|x[0]}.__setitem__(np.asarray({True|False}), 7)
i.__setitem__(0, nan) ! ValueError: no array of int64 (cannot convert float
i.__setitem__(0, -inf) ! OverflowError: no array of int64 (cannot convert float
np.zeros(2, "i4").__setitem__(..., {[2**40, 1]|[1.5, inf]}) ! OverflowError
np.zeros(2, "i4").__setitem__(..., [nan, 1]) ! ValueError: value
u.__setitem__(slice(None), [2**64 - 1, 1])
rows.__setitem__(mask, {5|[1, 2, 3, 4]|np.ones((1, 4))|np.ones((3, 1))})
rows.__setitem__(mask, np.arange(12.0).reshape(3, 4))
rows.__setitem__(mask, np.ones(3)) ! ValueError: must broadcast
np.asarray([0, 1, 2, 3], "{f4|i8|c8}")[np.full({4, True|4, False|3, 2})]
np.ones(4, "{f4|i8|c8}")[np.asarray([True, False, {True|False}, True])]
i[np.full(3, 4)] ! IndexError: out of bounds
"""


@each_line(CALLS)
def test_calls(call: str, device: xarr.Device) -> None:
    given = {
        "x": example(), "n": np.asarray(3.0, np.float32), "one": example((2,)), "i": np.arange(3),
        "u": np.zeros(2, "u8"), "rows": example((6, 4)),
        "mask": np.array([True, False, True, False, False, True]),
    }  # fmt: skip
    check(call, **given)


STATEMENTS = """
x{[np.asarray([3, 1, 0])] = x[np.asarray([0, 1, 2])]|[1:] = x[:-1]|[:] = x[::-1]}
x{[np.arange(6)] = x[::-1] * 2|[x > 2] = x[x > 2] + 1|[(x > 2) & (x < 5)] = x[:2]}
y = c[{1|1:3|..., 0|::-2, None, 2|0, 0, 0, ...}]; y[...] = -1 - y; z = y * 1; c[0] = 7
y, z = c[np.asarray([0, 1])], c[c > 3]; c[...] = 0
np.broadcast_to(x, (2, 6))[{0|...|0, 1|np.asarray([0])|np.ones((2, 6), bool)}] = 1 ! ValueError
np.broadcast_to(x, (2, 6))[{0|np.asarray([0])|np.ones((2, 6), bool)}] = 1 ! ValueError: read-only
x = np.asarray([[1, 2], [3, 4]]); y, z = x; y[...] = 7; z[0] = 8; a, b = map(int, x[1])
... k = (8 in x, 5 in x, 1 in np.asarray(1))
x[{...] = z|0] = z[0]|[0, 2, 1, 4, 3, 5]] = z|1:] = z[1:]} ! ComplexWarning: part is discarded
x = np.arange(40)
... for turn in range(12):
...     x[turn : turn + 10] = x[turn + 3 : turn + 13]
...     x[turn : turn + 5] = x[turn + 20 : turn + 25]
...     x[5:10] = x[turn : turn + 5]
...     x[20:30] += x[turn : turn + 10]
...     x[turn : turn + 10] -= x[20:30]
c[np.asarray([0, 4]) + 0] ! IndexError: index 4 is out of bounds for axis 0 with size 4
x[0], x[2] = x[2], x[0]; y, (*w,) = x[0], x; x += 5
y = x * 2; a = x[3]; x[3] = 100.0; b = x[3]; x[2:5] += 1; x[4] = x[3]
y = c[{0].T|::-1, ::3, 1]|1:, ::-2, 0]}; y[0, 1] = float(y[0, 1]) + 0.25; y[-1, 0] = y[1, -1]
y = np.zeros(4, "i4"); y[0] = 2.9; y[1] = np.arange(5.0, dtype="f4")[3]; y[2] = True
y = np.zeros(3, "f4"); y[0], y[1], y[2] = 0.1, 7, np.full(2, 0.1, "f4")[1]
"""


@each_line(STATEMENTS)
def test_statements(call: str, scattering: xarr.Device) -> None:
    check(call, x=example((6,)), c=example(), z=np.asarray([1 + 2j, 3, 4j, 5, 6, 7], "c8"))


def same(got: xarr.Array, wanted: Values) -> None:
    assert_same(np.array(got), wanted, "it")


@pytest.mark.parametrize("size", [4095, 4097, (1 << 16) + 1, (1 << 20) + 1])
@pytest.mark.parametrize("name", ["bool", "int8", "float32", "complex64"])
def test_masks_select_across_blocks(
    name: str, size: int, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "LONG_MASK", 1 << 16)
    draw = np.random.default_rng(size)
    host, ranks = draw.integers(0, 99, size).astype(name), draw.random(size)
    x = xarr.asarray(host, device=device)
    for part in (0, 0.01, 0.5, 1):
        mask = ranks < part
        truth = xarr.asarray(np.where(mask, 7, 0).astype("uint8"), device=device).view("bool")
        for key in (np.s_[:], np.s_[::-2], np.s_[1 : 1 + (size - 1) // 3 * 3]):
            same(x[key][truth[key]], host[key][mask[key]])
        rows = np.s_[1 : 1 + (size - 1) // 3 * 3]
        table, chosen = (one[rows].reshape(-1, 3) for one in (host, mask))
        same(x[rows].reshape(-1, 3)[truth[rows].reshape(-1, 3)], table[chosen])
        same(xarr.nonzero(truth)[0], np.nonzero(mask)[0])
        turned = x[rows].reshape(-1, 3).T[truth[rows].reshape(-1, 3).T]
        same(turned, table.T[chosen.T])
        for key in (np.s_[:], np.s_[::-2]):
            changed, wanted = xarr.asarray(host, device=device, copy=True), host.copy()
            changed[key][truth[key]] = x[key][truth[key]] + x[:1]
            wanted[key][mask[key]] += host[:1]
            same(changed, wanted)
        both = xarr.asarray(mask, device=device, copy=True)
        both[both] = xarr.asarray(ranks[mask] < part / 2, device=device)
        same(both, ranks < part / 2)


def test_very_many_indices_are_looked_at(device: xarr.Device, monkeypatch: Any) -> None:
    monkeypatch.setattr(tuning, "INDICES_READ_ONCE", 1 << 13)
    size = (1 << 17) + 1
    host = np.arange(size, dtype="int32")
    x = xarr.asarray(host, device=device)
    for dtype in ("int32", "int64"):
        places = np.random.default_rng(0).integers(-size, size, size).astype(dtype)
        same(x[xarr.asarray(places, device=device)], host[places])
        for wrong in (size, -size - 1):
            for at in (0, 70_000, size - 1):
                beyond = places.copy()
                beyond[at] = wrong
                with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
                    x[xarr.asarray(beyond, device=device)]


PLACES = """
np.argsort(x){|[::-1]|.astype('int32')[2:]}
np.{argsort(x.reshape(4, 6), axis=0)|argmax(x.reshape(4, 6), axis=1)|argmin(x)|arange(5000) % 24}
"""


@each(PLACES)
def test_indices_that_are_made_in_range_are_not_looked_at(
    call: str, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked(*_: Any) -> None:
        raise AssertionError("indices were looked at")

    monkeypatch.setattr(host_functions.tier, "name", "fused")  # a CPU computes few at once
    host = np.arange(24.0) * 7 % 24
    wanted = host[eval(call, {"np": np, "x": host})]
    with xarr.device(device.pretending("as-gpu")):
        x = xarr.asarray(host)
        xarr.synchronize(x)
        with monkeypatch.context() as patch:
            patch.setattr(bounds, "_look_at", looked)
            found = x[eval(call, {"np": xarr, "x": x})]
        np.testing.assert_array_equal(xarr.to_numpy(found), wanted)
        known = xarr.jit(lambda x: x[eval(call, {"np": xarr, "x": x})])
        for _ in range(3):
            np.testing.assert_array_equal(xarr.to_numpy(known(x)), wanted)


def test_other_indices_are_looked_at(device: xarr.Device) -> None:
    with xarr.device(device.pretending("as-gpu")):
        x, short = xarr.asarray(np.arange(24.0)), xarr.arange(23.0)
        written = xarr.argsort(x)
        written[3] = 24
        bits = xarr.argsort(x).view("int32")
        orders = xarr.argsort(x), written, bits + 24, -1 - xarr.argsort(x)
        for places in (*orders, xarr.arange(30) % 24, 30 % xarr.arange(1, 60)):
            with pytest.raises(IndexError):
                short[places]
        rows = xarr.argsort(x.reshape(4, 6), axis=1)
        with pytest.raises(IndexError):
            short[:5][rows]
