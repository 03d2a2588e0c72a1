"""Calls like earlier ones record what the function would; single elements are read in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import DTYPES
from tests.engine.pairs import tier
from tests.engine.test_tiers import PROGRAMS, operands, result_of
from tests.functions.calls import check as check_call, each, rows
from tests.launching import storage_of, watched
from xarr.array.cached_calls import cached_call
from xarr.errors import ImplicitTransferError
from xarr.ir.events import hooks
from xarr.ir.resolved import PRODUCTS
from xarr.ops import vendor
from xarr.tape.tape import tape_of


@pytest.fixture(autouse=True)
def nothing_asked_before() -> None:
    xarr.synchronize()


def given(turn: int) -> np.ndarray:
    return operands((4, 6), turn, "float32")[0]


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(xarr.to_numpy(found), wanted, 2e-5, 1e-5)


def check(call: str, x: Any, y: Any) -> None:
    with np.errstate(all="ignore"):
        wanted = result_of(call, np, np.array(xarr.to_numpy(x)), np.array(xarr.to_numpy(y)))
    found = result_of(call, xarr, x, y)
    if not isinstance(wanted, tuple | list):
        wanted, found = (wanted,), (found,)
    bound = 2e-3 if "float16" in call else 1e-5
    for got, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(xarr.to_numpy(got), expected, bound, bound)


@pytest.mark.parametrize("call", PROGRAMS)
def test_a_call_that_comes_again_sees_other_values_and_views(call: str) -> None:
    """Turns of new arrays, then of views, of one array twice, and of overlapping parts."""
    with tier("hosted"):  # where next to nothing has to be compiled
        for turn in range(5):
            check(call, *map(xarr.asarray, operands((4, 6), turn, "float32")))
        base = xarr.asarray(np.arange(80.0, dtype="f4").reshape(8, 10) % 31 + 0.5)
        for _ in range(3):
            check(call, base[:4, :6], base[4:, 3:9])
            check(call, base[:4, :6], base[:4, :6])
            check(call, base[:4, :6], base[1:5, :6])
            check(call, base[::2, 9:3:-1], base[::2, 9:3:-1])
            base += 1


def test_what_is_written_in_between_is_seen() -> None:
    x = xarr.zeros((4, 6), dtype="float32") + 0
    for turn in range(8):
        joined = xarr.concat((x, x[:2]))
        x += 1
        np.testing.assert_array_equal(xarr.to_numpy(joined), np.full((6, 6), turn, "f4"))


def test_values_that_are_looked_at_are_looked_at_again() -> None:
    """Distances that an array has decide which derivative it is."""
    for last in (3.0, 3.0, 3.0, 4.0, 3.0, 7.0):
        x, places = np.array([1.0, 2, 4, 8]), np.array([0.0, 1, 2, last])
        close(xarr.gradient(xarr.asarray(x), xarr.asarray(places)), np.gradient(x, places))


def test_a_recipe_is_followed_where_nothing_else_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray(given(0))
    recordings = vars(xarr.roll)["recordings"]
    recordings.clear()
    for _ in range(4):  # a structure is known once the tape has run
        close(xarr.roll(x, 2, axis=1), np.roll(given(0), 2, axis=1))
    (recording,) = recordings.values()
    assert not isinstance(recording, int)
    recordings.update(dict.fromkeys(recordings, 99))  # without one the function runs
    close(xarr.roll(x, 2, axis=1), np.roll(given(0), 2, axis=1))
    recordings.clear()
    monkeypatch.setattr(hooks, "changed", 1)
    xarr.roll(x, 2, axis=1)
    assert not recordings


CALLS = "gradient(x)|convolve(x, x)|cross(x.reshape(2, 3), x[None, :3])|vander(x)|median(x)"


@pytest.mark.parametrize("call", CALLS.split("|"))
def test_arrays_that_a_call_makes_and_writes_to_are_made_anew(call: str) -> None:
    recordings = vars(getattr(xarr, call.partition("(")[0]))["recordings"]
    recordings.clear()
    for turn in range(6):
        host = given(turn)[0]
        found = eval(call, {**vars(xarr), "x": xarr.asarray(host)})
        close(found, eval(call, {**vars(np), "x": host}))
        if found.ndim:
            found[...] = 0
    (recording,) = recordings.values()
    assert not isinstance(recording, int)


LAYOUTS = {
    "whole": lambda x: x[:4, :4],
    "transposed": lambda x: x[:4, :4].T,
    "part": lambda x: x[1:6:2, 2:6],
    "reversed": lambda x: x[4:0:-1, ::-2],
    "vector": lambda x: x[3, 1:5],
    "column": lambda x: x[2:6, 3],
    "long": lambda x: x.reshape(-1)[5:9],
}


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128", "bool"])
def test_small_products_are_numpys_in_program_order(first: str, dtype: str) -> None:
    """The operator finds its opcode; bits are NumPy's, and what is pending or written counts."""
    host = np.random.default_rng(3).normal(size=(8, 8)).astype(dtype)
    x = xarr.asarray(host)
    PRODUCTS.pairs.clear()
    for turn in range(6):
        for second in LAYOUTS:
            one, two = LAYOUTS[first], LAYOUTS[second]
            a, b = one(host), two(host)
            if a.shape[-1] != b.shape[0] or (a.ndim == b.ndim == 1):
                continue
            found, other = one(x) @ two(x), xarr.dot(one(x), two(x))
            x[3, 3] = host[3, 3] + 0
            x[:, 3:5] = x[:, 4:2:-1]  # waits, or runs behind the products
            again = one(x) @ two(x)
            exact(found, a @ b)
            exact(other, a @ b)
            host[:, 3:5] = host[:, 4:2:-1].copy()
            exact(again, one(host) @ two(host))
        assert bool(PRODUCTS.pairs) or turn < 3 or runs_elsewhere(x)


def runs_elsewhere(x: Any) -> bool:
    """Return whether products are not NumPy's."""
    return not vendor.runs_on_numpy(x.device)


def exact(found: Any, wanted: Any) -> None:
    """Assert NumPy's bits where NumPy multiplies, else nearly the same."""
    if runs_elsewhere(found):
        close(found, wanted)
    else:
        assert np.asarray(found).tobytes() == np.ascontiguousarray(wanted).tobytes()
        assert found.shape == wanted.shape


def test_a_graph_has_products_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library works within one, whatever was recorded before it; nor is that found behind it."""

    def product(first: Any, second: Any, *, out: Any) -> None:
        out[...] = first @ second

    def routine(name: str, dtype: Any, device: Any) -> Any:
        return product if name == "matmul" and not device.is_recorded else None

    info = xarr.default_device().info
    if not info.host_addressable and info.platform != "CUDA":
        monkeypatch.setattr(vendor, "routine", routine)
    a = given(0)[:, :4]
    x = xarr.asarray(a)
    recordings = vars(xarr.matmul.__wrapped__)["recordings"]
    for _ in range(2):
        for _ in range(4):
            close(xarr.matmul(x, x), a @ a)
        known = dict(recordings)
        with xarr.graph() as graph:
            for _ in range(4):
                found = xarr.matmul(x, x)
        assert recordings == known
        x += 1
        graph.launch()
        close(found, (a + 1) @ (a + 1))
        x -= 1


def test_memory_that_others_see_is_read_at_once() -> None:
    if not xarr.default_device().info.host_addressable:
        pytest.skip("NumPy does not see the memory of this device")
    x = xarr.asarray(given(0))
    for _ in range(4):
        xarr.roll(x, 1)
    seen = np.asarray(x)
    moved = xarr.roll(x, 1)
    seen[...] = 0
    np.testing.assert_array_equal(xarr.to_numpy(moved), np.roll(given(0), 1))


def test_what_may_not_be_written_is_no_more_and_no_less() -> None:
    """NumPy's views that cannot be written stay so, whatever the array of an earlier call was."""
    for is_locked in (True, True, True, False, True, False, False):
        x = xarr.asarray(np.ones((4, 4), "f4"))
        x.flags.writeable = not is_locked
        assert not xarr.diag(x).flags.writeable
        assert not xarr.broadcast_to(x, (4, 4)).flags.writeable
        assert xarr.reshape(x, (2, 8)).flags.writeable is not is_locked
        assert xarr.roll(x, 1).flags.writeable


def test_what_is_returned_as_it_was_given_is_the_same_object() -> None:
    base = xarr.asarray(np.array([[False, True], [True, True]]))
    for _ in range(5):
        part = base[::-1]
        assert xarr.diff(part, 0) is part
        assert xarr.nan_to_num(part, copy=False) is part


def test_arguments_that_are_equal_are_told_apart() -> None:
    x, ints = xarr.asarray(np.array([np.nan, 1.0], "f4")), xarr.asarray(np.arange(4, dtype="i4"))
    for _ in range(4):
        for bounds in ((1, 2), (1.0, 2.0)):
            expected = np.clip(np.arange(4, dtype="f4"), *bounds)
            found = xarr.clip(ints, *bounds)
            assert (found.dtype.kind == "i") is (type(bounds[0]) is int)
            close(found, expected)
        for zero in (0.0, -0.0):
            found = xarr.nan_to_num(x, nan=zero)
            assert np.signbit(xarr.to_numpy(found)[0]) == np.signbit(zero)


def test_numbers_and_arrays_of_no_axes_are_told_apart() -> None:
    number, array = (
        xarr.asarray(np.arange(3.0, dtype="f4")).max(),
        xarr.asarray(np.array(2.0, "f4")),
    )
    for _ in range(4):
        assert xarr.reshape(array, (1,)).base is array
        assert xarr.reshape(number, (1,)).base is None
        chosen = xarr.where(number > 1, number, 0.5)
        written = chosen
        written += 1  # NumPy's is an array as well
        assert float(chosen) == 3


def test_views_of_another_type_and_of_no_elements_begin_where_they_should() -> None:
    real = cached_call(lambda x: x.real + 0)
    whole = np.arange(20) * (1 + 2j)
    base, values = xarr.asarray(whole.astype("c8")), whole.real
    for start in (0, 3, 3, 3, 9, 1):
        close(real(base[start : start + 4]), values[start : start + 4])
        assert xarr.ravel(base[start : start + 4, None][:, 1:])._view.offset >= 0


EACH_TIME = """
np.concat((x, x[:, :2])) ! ValueError: shapes must agree
np.fft.fft2(x, s=(4, 4), axes=None) ! DeprecationWarning: axes
np.{cumsum|trace}(z, dtype="float32") ! ComplexWarning
z.astype("float32") ! ComplexWarning
np.cross(x[0, :2], x[1, :2]) ! DeprecationWarning: 2-dimensional
np.median(x[:0]) ! RuntimeWarning: empty slice
"""


def test_errors_and_warnings_come_each_time() -> None:
    for call in rows(EACH_TIME) * 5:
        check_call(call, near=1e-5, x=given(0), z=given(0) + 1j)


# -- single elements ---------------------------------------------------------------------------


def reaches() -> bool:
    return xarr.default_device().info.host_addressable


def wild(dtype: str, count: int = 64) -> Any:
    """Numbers of any bits but that a bool is 0 or 1."""
    bits = np.random.default_rng(1).integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8)
    return (bits % 2).astype(bool) if dtype == "bool" else bits.view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_element_has_its_bits_when_read_and_when_written(dtype: str) -> None:
    host = wild(dtype)
    host[:1] = np.asarray([-0.0]).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        host[1:5] = [np.nan, -np.nan, np.inf, -np.inf]
    x, y = xarr.asarray(host), xarr.asarray(np.zeros_like(host))
    for place in range(len(host)):
        got = np.asarray(x[place])
        assert got.dtype == host.dtype
        assert got.tobytes() == host[place].tobytes()
        y[-1 - place] = x[place]
    assert np.asarray(y).tobytes() == host[::-1].tobytes()


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_a_loop_over_elements_launches_nothing() -> None:
    host = np.random.default_rng(0).uniform(1, 2, (6, 7))
    x = xarr.asarray(host.copy())
    with watched() as seen:
        for row in range(1, 6):
            for column in range(7):
                x[row, column] -= x[row, :column] @ host_or(x, row, column)
                x[row, column] = xarr.sqrt(max(x[row, column], x[row - 1, column] / 9.0))
    assert not seen.launches
    for row in range(1, 6):
        for column in range(7):
            host[row, column] -= host[row, :column] @ host_or(host, row, column)
            host[row, column] = np.sqrt(max(host[row, column], host[row - 1, column] / 9.0))
    assert np.asarray(x).tobytes() == host.tobytes()


def host_or(x: Any, row: int, column: int) -> Any:
    return x[row - 1, :column]


def test_the_ends_of_a_stencil_stay_in_its_kernels() -> None:
    def steps(u: Any, count: int) -> None:
        for _ in range(count):
            u[1:-1] = (u[:-2] + u[2:]) * 0.5
            u[0] = u[1]
            u[-1] = u[-2]

    host = np.random.default_rng(0).uniform(1, 2, 5000)
    u = xarr.asarray(host.copy())
    steps(u, 1)
    with watched() as seen:
        steps(u, 4)
        assert not seen.launches
    steps(host, 5)
    assert np.asarray(u).tobytes() == host.tobytes()


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_what_has_nothing_to_do_with_an_element_stays_pending() -> None:
    x, y = xarr.asarray(np.arange(9.0)), xarr.asarray(np.ones(9))
    total = y + 1
    with watched() as seen:
        x[2] = x[1] + 5.0
    assert not seen.launches
    assert storage_of(total).buffer is None
    assert not tape_of(x.device).names(storage_of(x))
    assert x.tolist()[:3] == [0, 1, 6]


def test_an_element_to_the_host_is_a_hidden_transfer() -> None:
    x = xarr.asarray(np.arange(3.0))
    with xarr.no_implicit_transfer(), pytest.raises(ImplicitTransferError):
        float(x[1])
    with xarr.no_implicit_transfer(), pytest.raises(ImplicitTransferError):
        float(x @ x)


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_memory_of_numpy_is_seen_as_it_is_now() -> None:
    host = np.arange(4.0)
    x = xarr.from_dlpack(host)
    for value in (5.0, 6.0):
        host[2] = value
        assert float(x[2]) == value
    x[1] = 9.0
    assert host[1] == 9


VECTORS = """
np.{sort(x)|argsort(x)|median(x)|partition(x, 5)[5]|percentile(x, [10, 60])|cumsum(x)|fft.fft(x)}
(lambda z: (np.add.at(z, y.astype('int64') % 9, x), z)[1])(np.zeros(9))
np.{searchsorted(np.sort(x), y)|maximum.reduceat(x, [0, 3, 7])}
x.reshape(4, 6) @ y.reshape(6, 4)
"""


@pytest.mark.parametrize("way", ["called", "jitted"])
@pytest.mark.parametrize("pretended", ["", "as-gpu"])
@each(VECTORS)
def test_kernels_read_from_where_a_view_begins(call: str, pretended: str, way: str) -> None:
    """Record of other parts what was recorded of whole arrays, or of the first part of one."""
    device = xarr.default_device().pretending(*filter(None, [pretended]))
    host = np.arange(200.0) * 7 % 31
    known = xarr.jit(lambda x, y: result_of(call, xarr, x, y))
    with xarr.device(device), tier("fused"):
        memory = xarr.asarray(host)
        for begin in (*[None] * 4, 0, 0, 0, 50, 3, 0):
            places = [np.s_[start : start + 24] for start in (begin or 0, 100)]
            given = [xarr.asarray(host[p]) if begin is None else memory[p] for p in places]
            found = known(*given) if way == "jitted" else result_of(call, xarr, *given)
            close(found, result_of(call, np, *[host[p] for p in places]))
