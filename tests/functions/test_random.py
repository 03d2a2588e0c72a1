"""Random numbers: the generator's published vectors, places, bounds, streams and state."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

import xarr
from tests.comparing import nightly
from tests.functions.calls import all_refused, rows
from tests.launching import together
from tests.processes import run_code
from xarr import dtypes
from xarr.array.array import Array
from xarr.ir.operation import Operation
from xarr.ir.views import constant
from xarr.tape import builder

Values = np.ndarray[Any, Any]
ALIKE = 1e-4
"""Below this probability numbers are not taken for those of a distribution. Seeds are fixed, so a
test that passes once passes always."""

# Random123, kat_vectors: philox4x32 with 10 rounds.
VECTORS = [
    ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), VECTORS, ids=["zeros", "ones", "pi"])
def test_published_vectors(counter: str, key: str, expected: str) -> None:
    device = xarr.default_device()
    words = [int(word, 16) for word in (counter + " " + key).split()]
    pairs = [words[place] | words[place + 1] << 32 for place in (0, 2, 4)]
    operands = tuple(constant(pair, dtypes.uint64, (), device) for pair in pairs)
    found = []
    for word in "xyzw":
        template = f"xr_philox({{0}}, {{1}}, {{2}}).{word}"
        operation = Operation("philox", (dtypes.uint64,) * 3, dtypes.uint32, template)
        found.append(f"{int(Array(builder.defer(operation, operands, ()))):08x}")
    assert " ".join(found) == expected


def words_of(size: int, lanes: int, draw: int, key: int) -> Values:
    """Return the words of a draw as `codegen/kernel_spec.py` defines them, by NumPy's integers."""
    position = np.arange(size, dtype=np.uint64)
    block = position // (lanes * 256) * 256 + position % 256
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    draws = np.full(size, draw, np.uint64)
    x, y, z, w = block & mask, block >> half, draws & mask, draws >> half
    for turn in range(10):
        first = np.uint64((key + turn * 0x9E3779B9) & 0xFFFFFFFF)
        second = np.uint64(((key >> 32) + turn * 0xBB67AE85) & 0xFFFFFFFF)
        left, right = x * np.uint64(0xD2511F53), z * np.uint64(0xCD9E8D57)
        x, y, z, w = (
            (right >> half) ^ y ^ first,
            right & mask,
            (left >> half) ^ w ^ second,
            left & mask,
        )
    lane = (position // 256 % lanes).astype(int)
    if lanes == 4:
        return np.choose(lane, [x, y, z, w])
    return np.choose(lane, [x | y << half, z | w << half])


SIZES = (0, 1, 255, 257, 511, 513, 1023, 1025, 70001)


@pytest.mark.parametrize("form", ["", "as-gpu"])
@pytest.mark.parametrize("size", SIZES)
def test_each_element_is_a_function_of_its_place(size: int, form: str) -> None:
    draw, key = 2**40 + 3, 0x0123456789ABCDEF
    with xarr.device(xarr.default_device().pretending(*filter(None, [form]))):
        rng = xarr.random.Generator(xarr.random.Philox(counter=draw, key=key))
        # float64, float32, and both in one kernel, which walks blocks of either.
        double = np.asarray(rng.random(size))
        single = np.asarray(rng.random(size, "float32"))
        rng.bit_generator.state = {
            "bit_generator": "Philox4x32",
            "state": {"counter": draw, "key": key},
        }
        both = np.asarray(rng.random(size) + rng.random(size, "float32"))
    np.testing.assert_array_equal(
        double, (words_of(size, 2, draw, key) >> np.uint64(11)) * 2.0**-53
    )
    np.testing.assert_array_equal(
        single, ((words_of(size, 4, draw + 1, key) >> np.uint64(8)) * 2.0**-24).astype("float32")
    )
    np.testing.assert_array_equal(both, double + single)


def test_shape_layout_and_fusion_do_not_matter() -> None:
    flat = np.asarray(xarr.random.default_rng(3).normal(size=6000))
    drawn = xarr.random.default_rng(3).normal(size=(60, 100))
    np.testing.assert_array_equal(np.asarray(drawn), flat.reshape(60, 100))
    # With an operand that is no row of the result the kernel walks rows and columns.
    columns = xarr.asarray(np.ones((100, 60))).T
    drawn = xarr.random.default_rng(3).normal(size=(60, 100))
    np.testing.assert_array_equal(np.asarray(drawn * columns), flat.reshape(60, 100))
    total = float(xarr.random.default_rng(3).normal(size=6000).sum())
    assert total == float(xarr.asarray(flat).sum())


Drawing = Callable[[Any, Any], Any]
DRAWINGS: dict[str, Drawing] = {
    "random": lambda rng, size: rng.random(size),
    "random float32": lambda rng, size: rng.random(size, dtype="float32"),
    "standard_normal": lambda rng, size: rng.standard_normal(size),
    "normal": lambda rng, size: rng.normal(1.3, 2.1, size),
    "uniform": lambda rng, size: rng.uniform(-1.1, 2.3, size),
    "exponential": lambda rng, size: rng.exponential(3.3, size),
    "integers": lambda rng, size: rng.integers(-7, 100, size),
    "integers uint8": lambda rng, size: rng.integers(7, 250, size, dtype="uint8"),
    "integers wide": lambda rng, size: rng.integers(-7, 2**40, size),
    "integers uint64": lambda rng, size: rng.integers(2**63, 2**64, size, dtype="uint64"),
    "integers bool": lambda rng, size: rng.integers(0, 2, size, dtype=bool),
    "choice": lambda rng, size: rng.choice(9, size, p=[1 / 9] * 9),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_single_numbers_are_the_first_of_arrays(name: str) -> None:
    one, other = xarr.random.default_rng(3), xarr.random.default_rng(3)
    drawn = [DRAWINGS[name](one, None) for _ in range(40)]
    assert drawn == [DRAWINGS[name](other, 1).tolist()[0] for _ in range(40)]
    if name in ("integers uint8", "integers uint64"):
        assert {str(number.dtype) for number in drawn} == {name.split()[1]}
    else:
        assert all(isinstance(number, int | float) for number in drawn)
    assert one.bit_generator.state == other.bit_generator.state


FEW = {
    "rand": lambda rng: rng.rand(3),
    "randn": lambda rng: rng.randn(2, 2),
    "rand number": lambda rng: rng.rand(),
    "randint": lambda rng: rng.randint(-3, 9, 4),
    "randint number": lambda rng: rng.randint(-3, 9),
    "randint uint8": lambda rng: rng.randint(0, 200, (2, 2), dtype="uint8"),
    "uniform": lambda rng: rng.uniform(0.0, 2.0, 3),
    "normal of zeros": lambda rng: rng.normal(0.0, 0.0, 3),
    "normal of a zero with a sign": lambda rng: rng.normal(-0.0, 0.0, 3),
    "uniform number": lambda rng: rng.uniform(-1, 2),
    "normal": lambda rng: rng.normal(1, 2, 3),
    "binomial": lambda rng: rng.binomial(5, 0.5),
    "permutation": lambda rng: rng.permutation(6),
    "choice": lambda rng: rng.choice(xarr.arange(5.0)),
    "choice without replacement": lambda rng: rng.choice(xarr.arange(5.0), 2, replace=False),
}


def test_draws_ahead_are_those_of_their_numbers() -> None:
    # The first draw of a generator is never one that was computed with those before it.
    rng = xarr.random.RandomState(xarr.random.Philox(key=5))
    order = np.random.default_rng(1).choice(list(FEW), 600)
    for number, name in enumerate(order):
        alone = xarr.random.RandomState(xarr.random.Philox(key=5, counter=number))
        one, other = np.asarray(FEW[name](rng)), np.asarray(FEW[name](alone))
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes(), (number, name)


def test_a_bit_generator_of_another_class_is_asked_for_each_draw() -> None:
    class Counted(xarr.random.Philox):
        count = 0

        def take(self) -> tuple[int, int]:
            self.count += 1
            return super().take()

    bits = Counted(key=3)
    rng = xarr.random.Generator(bits)
    for _ in range(9):
        rng.random(3)
    assert bits.count == 9


def test_arrays_drawn_ahead_have_memory_of_their_own() -> None:
    rng = xarr.random.RandomState(3)
    drawn = [rng.rand(3) for _ in range(6)]
    state = rng.get_state()
    drawn = [rng.rand(3) for _ in range(4)]
    expected = [x.tolist() for x in drawn]
    for x in drawn:
        x[:] = 0.0
    rng.set_state(state)
    assert [rng.rand(3).tolist() for _ in range(4)] == expected


def test_draws_are_in_the_order_of_their_calls() -> None:
    first, second = xarr.random.default_rng(3), xarr.random.default_rng(3)
    a, b = first.random(5), first.random(5)
    late = np.asarray(b), np.asarray(a)
    early = np.asarray(second.random(5)), np.asarray(second.random(5))
    np.testing.assert_array_equal(late[::-1], early)


def uniform(values: Values, low: float, high: float) -> float:
    return float(stats.kstest(values, "uniform", (low, high - low)).pvalue)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_evenly(dtype: str) -> None:
    rng = xarr.random.default_rng(11)
    values = np.asarray(rng.random(200_000, dtype=dtype))
    assert values.dtype == dtype
    assert values.min() >= 0
    assert values.max() < 1
    assert uniform(values, 0, 1) > ALIKE
    assert uniform(np.asarray(rng.uniform(-2, 5, 100_000)), -2, 5) > ALIKE
    # What a block's lanes, and elements that follow each other, have in common: nothing.
    assert abs(np.corrcoef(values[:-256], values[256:])[0, 1]) < 0.01
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.01


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normally(dtype: str) -> None:
    values = np.asarray(xarr.random.default_rng(11).standard_normal(300_000, dtype=dtype))
    assert values.dtype == dtype
    assert stats.kstest(values, "norm").pvalue > ALIKE
    assert abs(np.corrcoef(values[:-256], values[256:])[0, 1]) < 0.01
    assert abs(np.corrcoef(values[:-256] ** 2, values[256:] ** 2)[0, 1]) < 0.01
    values = np.asarray(xarr.random.default_rng(11).standard_exponential(100_000, dtype=dtype))
    assert stats.kstest(values, "expon").pvalue > ALIKE


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", *nightly("float64")])
def test_normally_far_out(dtype: str) -> None:
    values = np.asarray(xarr.random.default_rng(12).standard_normal(10**7, dtype=dtype))
    assert stats.kstest(values[::10], "norm").pvalue > ALIKE
    for limit in (3.0, 4.0, 5.0):
        expected = 2 * stats.norm.sf(limit) * values.size
        assert abs((abs(values) > limit).sum() - expected) < 5 * np.sqrt(expected)


def evenly_counted(values: Values, count: int) -> float:
    return float(stats.chisquare(np.bincount(values, minlength=count)).pvalue)


@pytest.mark.parametrize("dtype", [row.name for row in dtypes.TABLE if row.kind in dtypes.INTEGER])
def test_integers(dtype: str) -> None:
    rng = xarr.random.default_rng(7)
    low, high = dtypes.integer_bounds(dtypes.BY_NAME[dtype])
    whole = np.asarray(rng.integers(low, high, 4000, dtype=dtype, endpoint=True))
    assert whole.dtype == dtype
    span = float(high) - float(low)
    assert uniform(whole.astype(float) + (span < 300) * rng.random(4000), low, high + 1) > ALIKE
    edge = np.asarray(rng.integers(high - 2, high, 2000, dtype=dtype, endpoint=True))
    assert set(edge.tolist()) == {high - 2, high - 1, high}
    assert evenly_counted((edge - (high - 2)).astype(int), 3) > ALIKE
    open_end = np.asarray(rng.integers(low, low + 3, 2000, dtype=dtype))
    assert set(open_end.tolist()) == {low, low + 1, low + 2}
    assert evenly_counted(np.asarray(rng.integers(100, size=50_000, dtype=dtype)), 100) > ALIKE


def test_integers_between_arrays() -> None:
    rng = xarr.random.default_rng(7)
    low, high = np.array([[-5], [0]]), np.array([0, 3, 2**40])
    with pytest.raises(ValueError, match="low >= high"):
        rng.integers(xarr.asarray(low), high)
    high[0] = 1
    drawn = np.asarray(rng.integers(xarr.asarray(low), high, (2000, 2, 3)))
    assert drawn.dtype == "int64"
    assert (drawn >= low).all()
    assert (drawn < high).all()
    assert set(drawn[:, 1, 1].tolist()) == {0, 1, 2}
    closed = np.asarray(rng.integers([0, 5], [1, 6], (500, 2), "uint8", endpoint=True))
    assert closed.dtype == "uint8"
    assert [set(column.tolist()) for column in closed.T] == [{0, 1}, {5, 6}]
    for wide, low, high in (("int64", -(2**63), 2**63), ("uint64", 0, 2**64)):
        whole = np.asarray(rng.integers([low, high - 1], [high, high], (1000, 2), wide))
        assert whole.dtype == wide
        assert set(whole[:, 1].tolist()) == {high - 1}
        assert uniform(whole[:, 0].astype(float), low, high) > ALIKE
    assert rng.integers(3, 3, (2, 0)).shape == (2, 0)


REFUSED = """
rng.integers(5, 3) ! ValueError: low >= high
rng.integers(0) ! ValueError: high <= 0
rng.integers([-2], endpoint=True) ! ValueError: high < 0
rng.integers(3, [2], endpoint=True) ! ValueError: low > high
rng.integers({[2**70]|0, 300, dtype="int8"}) ! ValueError: out of bounds
rng.integers({[0, -1], 3|np.asarray([0, 300]), 310}, dtype="uint8") ! ValueError: out of bounds
rng.integers(5, dtype="float64") ! TypeError: Unsupported dtype
rng.uniform({2, 1|[2, 1], 1.5}) ! ValueError: high - low < 0
rng.uniform(0, {inf|[1, inf]}) ! OverflowError: exceeds valid bounds
rng.standard_gamma(np.ones((4, 3)), out=np.ones(3)) ! ValueError: size
rng.permuted(np.ones(3), out=np.ones((2, 3))) ! ValueError: same shape
rng.normal(0, {-1|-0.0|[1, -1]}) ! ValueError: scale < 0
rng.normal([0, 1], 1, 3) ! ValueError: size
rng.random(-1) ! ValueError: not be negative
rng.random(2.0) ! TypeError: integer
rng.random(dtype="int32") ! TypeError: Unsupported dtype
rng.random(3, out=np.zeros(2)) ! ValueError: out
rng.choice({0|[]}) ! ValueError: greater than 0
rng.choice(2, 3, replace=False) ! ValueError: replace is False; a sample must not be larger
rng.choice(5, p=[0.1] * 5) ! ValueError: sum to 1
rng.choice(5, p=[0.25] * 4) ! ValueError: same size
rng.choice(3, p=[-0.5, 1, 0.5]) ! ValueError: not be negative
rng.choice(3, 3, False, [0.5, 0.5, 0]) ! ValueError: Fewer non-zero
rng.choice(2.5) ! ValueError: sequence or an integer
rng.shuffle((1, 2)) ! TypeError: list
rng.permutation(2.5) ! AxisError: axis
np.random.Generator(np.random.Philox) ! ValueError: class
np.random.Generator(3) ! TypeError: bit_generator
np.random.seed([]) ! ValueError: not empty
np.random.seed(1.5) ! TypeError: integers
np.random.choice([[1, 2]]) ! ValueError: 1-dimensional
np.random.RandomState(-1) ! ValueError: Seed must be
np.random.default_rng(-1) ! ValueError: seed is -1; it must be an integer of 0 or more
np.random.rand((2,)) ! TypeError: integers
"""


def test_what_is_refused() -> None:
    all_refused(REFUSED, {"rng": xarr.random.default_rng(1), "inf": np.inf})


def test_choice() -> None:
    rng = xarr.random.default_rng(2)
    weights = np.array([0.1, 0.2, 0.0, 0.7])
    drawn = np.asarray(rng.choice(4, 20_000, p=weights))
    counts = np.bincount(drawn, minlength=4)
    assert counts[2] == 0
    assert stats.chisquare(counts[[0, 1, 3]], 20_000 * weights[[0, 1, 3]]).pvalue > ALIKE
    x = xarr.asarray([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])
    assert rng.choice(x, (3, 2)).shape == (3, 2, 3)
    assert rng.choice(x, 4, axis=1).shape == (2, 4)
    assert rng.choice(x, axis=1).shape == (2,)
    assert rng.choice(["a", "b"]) in ("a", "b")
    assert sorted(rng.choice(x[0], 3, replace=False).tolist()) == [1.5, 2.5, 3.5]
    kept = rng.choice(100, 30, replace=False, shuffle=False).tolist()
    assert kept == sorted(set(kept))
    several = rng.choice(10**9, 1000, replace=False).tolist()
    assert len(set(several)) == 1000
    # The second of two without replacement: p_j times the sum over i of p_i / (1 - p_i).
    pairs = [rng.choice(3, 2, False, [0.6, 0.3, 0.1]).tolist() for _ in range(300)]
    assert all(first != second for first, second in pairs)
    firsts = np.bincount([pair[0] for pair in pairs], minlength=3)
    assert stats.chisquare(firsts, [180, 90, 30]).pvalue > ALIKE


def test_permutations() -> None:
    rng = xarr.random.default_rng(2)
    assert sorted(rng.permutation(1000).tolist()) == list(range(1000))
    x = np.arange(12).reshape(4, 3)
    moved = np.asarray(rng.permutation(xarr.asarray(x)))
    assert sorted(map(tuple, moved)) == sorted(map(tuple, x))
    moved = np.asarray(rng.permutation(x, axis=1))
    assert sorted(map(tuple, moved.T)) == sorted(map(tuple, x.T))
    own = np.asarray(rng.permuted(np.tile(np.arange(50), (4, 1)), axis=1))
    assert (np.sort(own, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in own}) == 4
    out = xarr.asarray(x)
    assert rng.permuted(out, out=out) is out
    assert sorted(np.asarray(out).ravel().tolist()) == list(range(12))
    orders = [tuple(rng.permutation(3).tolist()) for _ in range(600)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > ALIKE


def test_shuffles_in_place() -> None:
    rng = xarr.random.default_rng(2)
    x = xarr.arange(20)
    rng.shuffle(x[::2])
    result = np.asarray(x)
    assert (result[1::2] == np.arange(1, 20, 2)).all()
    assert sorted(result[::2].tolist()) == list(range(0, 20, 2))
    assert (result[::2] != np.arange(0, 20, 2)).any()
    matrix = xarr.arange(12).reshape(3, 4)
    rng.shuffle(matrix, axis=1)
    assert sorted(map(tuple, np.asarray(matrix).T)) == [(c, c + 4, c + 8) for c in range(4)]
    listed: list[Any] = [1, "b", None, 4]
    rng.shuffle(listed)
    assert len(listed) == 4
    assert {1, "b", None, 4} == set(listed)
    host = np.arange(10)
    rng.shuffle(host)
    assert sorted(host.tolist()) == list(range(10))


def test_where_results_go() -> None:
    rng, other = xarr.random.default_rng(2), xarr.random.default_rng(2)
    out, single = xarr.zeros((2, 3)), xarr.zeros(4, dtype="float32")
    assert rng.random(out=out) is out
    assert rng.standard_normal(out=single, dtype="float32") is single
    np.testing.assert_array_equal(np.asarray(out), np.asarray(other.random((2, 3))))
    assert rng.normal(xarr.asarray(0.0)).shape == rng.normal(size=()).shape == ()
    assert rng.normal([0, 1], 1, (3, 2)).shape == (3, 2)
    assert rng.uniform(np.zeros((2, 1)), xarr.ones(3)).shape == (2, 3)


def test_seeds() -> None:
    def drawn(seed: Any) -> Any:
        return xarr.random.default_rng(seed).random(3).tolist()

    assert drawn(5) == drawn(5) == drawn(np.int64(5)) == drawn(xarr.asarray(5))
    assert drawn(5) == drawn(np.random.SeedSequence(5)) == drawn(xarr.random.SeedSequence(5))
    assert drawn([5, 6]) == drawn(xarr.asarray([5, 6]))
    assert len({tuple(drawn(seed)) for seed in (5, 6, [5, 6], 2**80, None, None)}) == 6
    rng = xarr.random.default_rng(5)
    assert xarr.random.default_rng(rng) is rng


def test_spawned_streams_are_their_own() -> None:
    children = xarr.random.default_rng(5).spawn(3)
    values = [np.asarray(child.random(50_000)) for child in children]
    again = xarr.random.default_rng(5).spawn(3)[1]
    np.testing.assert_array_equal(np.asarray(again.random(50_000)), values[1])
    assert abs(np.corrcoef(values) - np.eye(3)).max() < 0.02
    bits = xarr.random.Philox(5)
    assert bits.jumped().state != bits.state
    assert bits.jumped(2).state == bits.jumped().jumped().state


@pytest.mark.parametrize("library", [np, xarr])
def test_dask_spawns_seed_sequences(library: Any) -> None:
    bits = library.random.default_rng(5).bit_generator
    children = [type(bits)(seed) for seed in bits._seed_seq.spawn(2)]
    first, second = (library.random.default_rng(child).random(3).tolist() for child in children)
    assert first != second
    assert first == library.random.default_rng(5).spawn(1)[0].random(3).tolist()


def test_raw_bits_are_those_of_a_draw() -> None:
    bits = xarr.random.Philox(counter=4, key=9)
    assert bits.random_raw(700).tolist() == words_of(700, 2, 4, 9).tolist()
    assert bits.random_raw() == words_of(1, 2, 5, 9)[0]


def test_state_is_kept() -> None:
    rng = xarr.random.default_rng(5)
    rng.random(10)
    copies = [pickle.loads(pickle.dumps(rng)), copy.copy(rng), copy.deepcopy(rng)]
    del copies[1]  # shares its bit generator
    state = rng.bit_generator.state
    expected = rng.normal(size=3).tolist()
    assert all(other.normal(size=3).tolist() == expected for other in copies)
    rng.bit_generator.state = state
    assert rng.normal(size=3).tolist() == expected
    assert len(rng.bytes(7)) == 7
    with pytest.raises(ValueError, match="state is of"):
        rng.bit_generator.state = {"bit_generator": "PCG64"}


def test_the_older_functions() -> None:
    random = xarr.random
    random.seed(3)
    states = random.get_state(), random.get_state(legacy=False)

    def drawn() -> list[Any]:
        return [random.rand(), random.randn(2).tolist(), random.randint(5, size=4).tolist()]

    first = drawn()
    for kept in states:
        random.set_state(kept)
        assert drawn() == first
    random.seed(3)
    other = random.RandomState(3)
    assert random.rand(2, 3).tolist() == other.rand(2, 3).tolist()
    assert (type(random.rand()), type(random.randint(5))) == (float, int)
    restored = pickle.loads(pickle.dumps(other))
    assert restored.normal(size=2).tolist() == other.normal(size=2).tolist()
    assert random.random((2, 2)).shape == random.ranf((2, 2)).shape == random.sample((2, 2)).shape
    assert set(np.asarray(random.random_integers(2, size=50)).tolist()) == {1, 2}


def test_the_shared_bit_generator() -> None:
    bits = xarr.random.Philox(3)
    xarr.random.set_bit_generator(bits)
    assert xarr.random.get_bit_generator() is bits
    assert xarr.random.rand(3).tolist() == xarr.random.default_rng(3).random(3).tolist()
    with pytest.raises(TypeError, match="XARR_RANDOM"):
        xarr.random.set_bit_generator(np.random.PCG64(3))


OF_NUMPYS = """
rng.{poisson(4.0, 4)|binomial(20, 0.25, 3)|geometric(0.35, 3)|gamma(2.0, size=3)|beta(2, 3, 2)}
rng.{exponential(0.5, 2)|lognormal(0.1, 0.2, 2)|laplace(size=2)|triangular(-3, 0, 8, 2)}
rng.{standard_t(5, size=2)|multinomial(20, [0.5, 0.5])|dirichlet([10, 5, 3])|permutation(6)}
rng.{multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], 3)|choice(10, 4, False)|normal(5, 2, 6)}
rng.{choice([10, 20, 30], 3, True, [0.2, 0.5, 0.3])|uniform(-2, 2, (2, 2))}
"""


@pytest.mark.parametrize("of", ["Generator", "RandomState"])
def test_numpys_distributions(of: str) -> None:
    ours, theirs = (getattr(one.random, of)(np.random.MT19937(3)) for one in (xarr, np))
    for call in rows(OF_NUMPYS):
        found, wanted = (eval(call, {"rng": rng}) for rng in (ours, theirs))
        np.testing.assert_array_equal(np.asarray(found), wanted, call, strict=True)


def test_numpys_streams() -> None:
    bits = np.random.PCG64
    ours, theirs = xarr.random.default_rng(bits(3)), np.random.default_rng(bits(3))
    assert isinstance(ours, xarr.random.Generator)
    for name in DRAWINGS:
        drawn = DRAWINGS[name](ours, 5)
        assert isinstance(drawn, xarr.Array)
        np.testing.assert_array_equal(np.asarray(drawn), DRAWINGS[name](theirs, 5))
        assert DRAWINGS[name](ours, None) == DRAWINGS[name](theirs, None)
    x, y = xarr.arange(10), np.arange(10)
    ours.shuffle(x[::2])
    theirs.shuffle(y[::2])
    np.testing.assert_array_equal(np.asarray(x), y)
    again = pickle.loads(pickle.dumps(ours))
    assert again.random() == ours.random() == theirs.random()
    out = xarr.zeros(3)
    assert ours.random(out=out) is out
    assert out.tolist() == theirs.random(3).tolist()
    state = xarr.random.RandomState(np.random.MT19937(3))
    assert state.randn(2).tolist() == np.random.RandomState(np.random.MT19937(3)).randn(2).tolist()


def test_threads_take_draws_of_their_own() -> None:
    bits = xarr.random.Philox(3)
    taken: list[int] = []

    def take() -> None:
        taken.extend(bits.take()[0] for _ in range(2000))

    together(*[take] * 4)
    assert sorted(taken) == list(range(8000))


def test_the_environment_asks_for_numpys_streams() -> None:
    program = (
        "import numpy, xarr as np\n"
        "np.random.seed(3); theirs = numpy.random.RandomState(3)\n"
        "assert np.random.rand(3).tolist() == theirs.rand(3).tolist()\n"
        "assert numpy.random.randint(9) == theirs.randint(9)\n"  # the state is NumPy's own
        "state = numpy.random.get_state()\n"
        "assert np.random.randn() == theirs.randn()\n"
        "np.random.set_state(state)\n"
        "assert str(numpy.random.get_state()) == str(state) == str(np.random.get_state())\n"
        "np.random.set_bit_generator(numpy.random.MT19937(5))\n"
        "assert numpy.random.rand() == numpy.random.RandomState(numpy.random.MT19937(5)).rand()\n"
        "ours, theirs = np.random.default_rng(4), numpy.random.default_rng(4)\n"
        "assert ours.normal(size=3).tolist() == theirs.normal(size=3).tolist()\n"
        "assert ours.poisson(np.asarray([3.0])).tolist() == theirs.poisson([3.0]).tolist()\n"
        "ours, theirs = np.random.RandomState(4), numpy.random.RandomState(4)\n"
        "assert ours.permutation(5).tolist() == theirs.permutation(5).tolist()\n"
    )
    done = run_code(program, XARR_RANDOM="numpy")
    assert done.returncode == 0, done.stderr


def test_single_numbers_of_turns() -> None:
    one, other = xarr.random.default_rng(3), xarr.random.default_rng(3)
    for turn in range(100):
        row = list(DRAWINGS)[turn * 7 % 5]
        assert DRAWINGS[row](one, None) == DRAWINGS[row](other, 1).tolist()[0]
        if turn == 50:
            one.bit_generator.advance(5)
            other.bit_generator.advance(5)
