"""`vmap` beside a loop over the batch: the same bits, and the same writes to arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy
import pytest

import xarr
import xarr as np
from tests.functions.calls import lines, program, rows
from tests.transforms.random_calls import RandomCall, bits, calls, scope_of
from xarr.ops import vendor
from xarr.tape.recorders import Recorder, recorded_by

GENERATOR: Final = numpy.random.default_rng(5)
X: Final = GENERATOR.random((5, 6, 4))
W: Final = np.asarray(GENERATOR.random((4, 3)))

EXPRESSIONS: Final = rows("""
x.{sum()|sum(axis=0)|mean(axis=1, keepdims=True)|argmax(axis=0)}
np.{var(x, axis=0)|max(x, axis=(0, 1))|linalg.norm(x)|median(x, axis=0)|percentile(x, 30)}
np.cumsum(x, axis=0)
np.cumulative_sum(x[:, 0], include_initial=True)
np.{cumulative_prod(x[0])|diff(x, axis=0)|bincount(np.asarray([0, 2, 2, 1]), x[0], 3)}
np.sqrt(x) + np.exp(-x) / (1 + x)
np.where(x > 0.5, x, -x)
np.clip(x, 0.2, 0.8).T[::-1]
{x[0, 0] + x[1, 1]|x.real + x.T.T|(x * 10).astype("int64") % 3|x.view("int64")}
{x.astype("float32")|x.astype("complex128").imag}
np.{reshape(x, (2, 12))|ravel(x.T)|flip(x, axis=1)|roll(x, 1, axis=0)}
np.roll(x, (1, 2), axis=(0, 1))
np.{concat([x, x[:2]])|concat([x, W.T], axis=0)|stack([x, x * 2], axis=1)|pad(x, 1)|tril(x)}
np.{repeat(x, 2, axis=0)|tile(x, (2, 1))|broadcast_to(x[0], (3, 4))}
{x @ W|x.T @ x|x[0] @ x[1]|x @ x[0]}
np.{outer(x[0], x[1])|einsum("ij,kj->ik", x, x)|kron(x[:2, :2], x[:2])}
np.sort(x, axis={0|None|0, descending=True})
np.argsort(x{|, axis=0, descending=True, stable=False})
np.searchsorted(W[:, 0], x[:, 1], side="right")
np.searchsorted(np.sort(x[:, 0]), x[:, 1])
np.partition(x, 2, axis=0)
np.take_along_axis(x, np.argsort(x, axis=1), 1)
x[{[0, 2, 1]|x.argmax(axis=0), np.arange(4)|:, [True, False, True, True]}]
W[x.argmax(axis=1)]
np.fft.{fft(x)|rfft(x, axis=0)|irfft(x, n=6)|ifft2(x)}
np.linalg.solve({x[:4], x[4]|x[:4], W|W.T @ W, x[:3, 1]|W.T @ W, x[:3]})
np.linalg.{det(x[:4])|inv(x[:4])|qr(x)[0]|svd(x)[1]|cholesky(x.T @ x)}
np.square(np.linalg.eigh(x.T @ x)[1])
np.linalg.{matrix_rank(x)|pinv(x)|matrix_power(x[:4], 3)|lstsq(x, x[:, 0])[0]}
xarr.vmap(xarr.jit(lambda row: np.linalg.solve(W.T @ W, row[:3])))(x)
np.interp(x, np.asarray([0.0, 0.5, 1.0]), np.asarray([1.0, 3.0, 2.0]))
np.{gradient(x[:, 0])|convolve(x[:, 0], x[:3, 1])|arange(4) * x[0]|arange(4)|zeros(3)}
2.5
xarr.vmap(lambda row: row * row.sum())(x)
xarr.jit(lambda y: np.sin(y).sum(axis=1))(x)
xarr.vmap(xarr.jit(lambda row: row * row.sum()))(x)
xarr.vmap(lambda column: np.sort(column), in_axes=1, out_axes=1)(x)
xarr.jit(xarr.vmap(lambda row: {2.5|sum(v * v for v in row)}))(x)
""")


def looped(function: Callable[..., Any], *batches: Any) -> Any:
    rows = [function(*[batch[at] for batch in batches]) for at in range(len(batches[0]))]
    return numpy.stack([numpy.asarray(row) for row in rows])


def assert_as_looped(
    function: Callable[..., Any], *values: Any, is_library_work: bool = False
) -> None:
    """Assert the loop's bits, of the result and of the arguments afterwards.

    A GPU's library computes a batch otherwise than one example.
    """
    first, second = ([np.asarray(value, copy=True) for value in values] for _ in range(2))
    wanted = looped(function, *first)
    found = xarr.vmap(function)(*second)
    if vendor.runs_on_numpy(np.default_device()) or not is_library_work:
        assert bits(found) == bits(wanted)
    else:
        numpy.testing.assert_allclose(xarr.to_numpy(found), wanted, rtol=1e-9, atol=1e-12)
    assert list(map(bits, second)) == list(map(bits, first))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression: str) -> None:
    names = {"np": np, "xarr": xarr, "W": W}
    function = eval(f"lambda x: {expression}", names)
    assert_as_looped(function, X, is_library_work="linalg" in expression)


PROGRAMS: Final = """
u = x.copy()
... for _ in range(3): u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
... -> u
# an array of zeros that is batched by its last write, and read before
y = np.zeros(6); before = y + 1; y[2:4] = x[2:4, 0] -> y + before
# writes to the argument through views, and at places, some of which are the same
x[1:] += x[:-1]; x.T[0] *= 2 -> x[::2]
y = np.zeros((3, 4)); y[x.argmax(axis=1) % 3] = x; np.add.at(y, [0, 0, 1], x[:3])
... most = x[0].argmax(); y[0, most] += x[most, most - 1]; y[most - 1] = x[0] -> y
# sums at places: of few elements of many, and of most
y = np.zeros(90); np.add.at(y, x.argmax(axis=1) * 9, x[:, 0])
... np.subtract.at(y, [1, 1, 5] * 30, x.ravel()[[0, 2, 3] * 30]) -> y
# masks, some of whose counts differ
x[x > 0.5] = 0.0 -> np.where(x > 0.2, 1.0, x)
y = x * 2; high = x > 0.5; y[high] = np.sqrt(x[high]) * y[high] + 1.0; y[y < 0.3] *= -1.0
... part = y[high]; part += x[high]; y[high] = part; y[x[:, 0] > 0.5] -= 4
... y[x[::-1] > 0.5] += x[x > 0.5] * y[high]; y[x[:, 0] > 0.5, 1] = 7.0
... y[2, x[0] > 0.5] = x.max() -> y
# views of other data types, which are written
z = x.astype("complex128"); z.real[...] = x + 1; z.imag[0] = 3.0 -> z.view("float64")
total = x[0, 0]
... for row in range(3): total = total * 0.5 + x[row].sum()
... -> total
# `out`, where a condition holds
y = np.ones((6, 4)); np.multiply(x, 2, out=y, where=x > 0.5); np.sum(x, axis=0, out=y[0]) -> y
"""


@pytest.mark.parametrize("line", lines(PROGRAMS))
def test_programs(line: str) -> None:
    assert_as_looped(program(line, "x", np=np), X)


def test_one_example_is_a_batch() -> None:
    assert_as_looped(program(lines(PROGRAMS)[0], "x", np=np), X[:1])


def compare(seed: str, call: RandomCall) -> bool:
    """Compare a random function with its loop; return whether there is a batch of it."""
    scope = scope_of()
    function = call.function(scope)
    try:
        given = [call.arguments(scope, number) for number in range(3)]
    except ValueError:
        return False  # a mask selects another number of elements of other values
    columns = [[xarr.to_numpy(one) for one in column] for column in zip(*given, strict=True)]
    if any(len({one.shape for one in column}) > 1 for column in columns):
        return False
    first, second = ([np.asarray(numpy.stack(one)) for one in columns] for _ in range(2))
    try:
        rows = [function(*[batch[at] for batch in first]) for at in range(3)]
    except (ValueError, IndexError):
        return False  # of no elements there is no maximum, and no first one
    try:
        found = xarr.vmap(function)(*second)
    except TypeError as error:
        if "x[mask]" not in str(error) and "x[key]" not in str(error):
            raise
        return False
    for name in call.named:
        wanted = [bits(row[name]) for row in rows]
        assert [bits(found[name][at]) for at in range(3)] == wanted, (seed, name, call.text)
    assert list(map(bits, second)) == list(map(bits, first)), (seed, call.text)
    return True


def test_random_programs() -> None:
    with numpy.errstate(all="ignore"):
        compared = [compare(seed, call) for seed, call in calls(0, 100)]
    assert sum(compared) > 60


def test_axes_and_trees() -> None:
    def step(state: dict[str, Any], rate: Any, *, shift: Any) -> Any:
        return {"x": state["x"] * rate + state["v"].sum(), "both": (rate, [state["v"] + shift])}

    x, v, rate, shift = X[0], X[1].T, 0.5, X[2, :, 0]
    given = {"x": np.asarray(x), "v": np.asarray(v)}
    batched = xarr.vmap(
        step, in_axes=({"x": 0, "v": 1}, None), out_axes={"x": 1, "both": (None, 0)}
    )
    found = batched(given, rate, shift=np.asarray(shift))
    rows = [
        step({"x": np.asarray(x[at]), "v": np.asarray(v[:, at])}, rate, shift=float(shift[at]))
        for at in range(6)
    ]
    assert bits(found["x"]) == bits(numpy.stack([xarr.to_numpy(row["x"]) for row in rows], axis=1))
    assert found["both"][0].shape == ()
    wanted = numpy.stack([xarr.to_numpy(row["both"][1][0]) for row in rows])
    assert bits(found["both"][1][0]) == bits(wanted)
    negative = xarr.vmap(lambda y: y + 1, in_axes=-1, out_axes=-1)
    assert bits(negative(x)) == bits(x + 1)


def refusals() -> Sequence[tuple[Callable[..., Any], dict[str, Any], type[Exception], str]]:
    kept = np.asarray([1.0, 2.0, 3.0, 4.0])

    def writes(x: Any) -> Any:
        kept[...] = x[0]
        return x

    def branches(x: Any) -> Any:
        return x if x.any() else -x

    return [
        (lambda x: float(x[0, 0]), {}, TypeError, r"values of a batched array \(test_vmap.py"),
        (branches, {}, TypeError, "where"),
        (lambda x: x[x[0].argmax()], {}, TypeError, "values of a batched array"),
        (lambda x: x[x > 0.5], {}, TypeError, "returned, needs values"),
        (lambda x: x[x > 0.5].sum(), {}, TypeError, "asked for its sum"),
        (lambda x: x[x > 0.5] + x[x > 0.6], {}, ValueError, r"a mask selects \d+ elements"),
        (lambda x: x[x > 0.5] + np.ones(3), {}, TypeError, "beside an array"),
        (np.nonzero, {}, TypeError, "nonzero needs values"),
        (numpy.asarray, {}, TypeError, "sharing an array's memory|reading an array"),
        (lambda x: xarr.random.default_rng(1).random(3), {}, TypeError, "random numbers"),
        (writes, {}, TypeError, "an array that it did not make"),
        (lambda x: x[(x[0] * 9).astype("int64")], {}, IndexError, "out of bounds"),
        (lambda x: x, {"in_axes": None}, ValueError, "no argument has a batch"),
        (lambda x: x, {"in_axes": 7}, ValueError, "its axis is 7"),
        (lambda x: x, {"in_axes": (0, 0)}, TypeError, "in_axes is"),
        (lambda x: x, {"out_axes": None}, ValueError, "depends on the batch"),
    ]


@pytest.mark.parametrize("case", range(len(refusals())))
def test_refusals(case: int) -> None:
    function, named, error, text = refusals()[case]
    with pytest.raises(error, match=text):
        xarr.vmap(function, **named)(np.asarray(X))


def test_what_is_refused_writes_nothing() -> None:
    total = np.zeros(4)
    np.add(total, 0.0, out=total)

    def add(x: Any, y: Any) -> Any:
        y += x[0]
        return y

    with pytest.raises(TypeError, match="argument 1, which has no batch"):
        xarr.vmap(add, in_axes=(0, None))(np.asarray(X), total)
    assert total.tolist() == [0.0] * 4


def test_constants_of_closures_are_not_bound_anew() -> None:
    total = np.zeros(4)

    def add(x: Any) -> Any:
        total[...] = x[0]
        return x

    with pytest.raises(TypeError, match="an array that it did not make"):
        xarr.vmap(add)(np.asarray(X))
    assert total.tolist() == [0.0] * 4


def test_batches_are_as_long_and_not_empty() -> None:
    add = xarr.vmap(lambda x, y: x + y)
    with pytest.raises(ValueError, match="argument 0 has 5 examples, argument 1 has 4 examples"):
        add(np.asarray(X), np.asarray(X[:4]))
    with pytest.raises(ValueError, match="no examples"):
        add(np.asarray(X[:0]), np.asarray(X[:0]))


def test_what_no_step_needs_is_let_go() -> None:
    """A batch holds the states of a long loop no longer than the loop itself does."""
    batch = np.asarray(numpy.random.default_rng(0).random((16, 4096)))

    def loop(u: Any) -> Any:
        for _ in range(300):
            u = u + 0.01 * np.sin(u) * (1 - u)
        return u

    before = batch.device.memory_info()["peak_nbytes"]
    assert bits(xarr.vmap(loop)(batch)) == bits(loop(batch))
    assert batch.device.memory_info()["peak_nbytes"] < before + 20 * batch.nbytes


def test_masks_under_jit_select_anew() -> None:
    def damped(x: Any) -> Any:
        y = x.copy()
        y[y > 0.5] *= 2.0
        high = x < 0.3
        y[high] = np.exp(x[high]) + y[high]
        y[x > 0.5] += x[x > 0.5]
        return y

    batched, jitted = xarr.jit(xarr.vmap(damped)), xarr.jit(damped)
    for turn in range(4):
        x = np.asarray(X[turn] ** (turn + 1))
        wanted = bits(damped(x))
        assert bits(jitted(x)) == wanted
        assert bits(batched(x)) == wanted


def energy(x: Any) -> Any:
    """A program with writes, a mask, a gather, a sort and a transform."""
    u = x.copy()
    u[1:-1] += 0.1 * (u[2:] - u[:-2])
    y = np.where(u > 0.5, u * u, u)
    total = (np.sin(y)[y[:, 0].argsort()] * x).sum() + np.sort(x[:, 1])[2:].sum()
    return total + np.fft.rfft(x[:, 0]).real.sum()


def solved(x: Any) -> Any:
    matrix = x[:4] + 6 * np.eye(4)
    return np.linalg.solve(matrix, x[4]).sum() + np.linalg.slogdet(matrix)[1]


NESTED: Final = rows("""
xarr.vmap(xarr.grad({energy|solved}))(x)
xarr.grad(lambda batch: xarr.vmap({energy|solved})(batch).sum())(x)
xarr.vmap(xarr.value_and_grad(energy))(x)[1]
xarr.{jit(xarr.vmap|vmap(xarr.jit}(xarr.grad({energy|solved})))(x)
xarr.vmap(lambda y: xarr.vjp(energy, y)[1](1.0)[0])(x)
""")


@pytest.mark.parametrize("expression", NESTED)
def test_derivatives_nest(expression: str) -> None:
    function = solved if "solved" in expression else energy
    names = {"energy": energy, "solved": solved, "xarr": xarr}
    wanted = looped(xarr.grad(function), np.asarray(X))
    found = eval(expression, names, {"x": np.asarray(X)})
    numpy.testing.assert_allclose(xarr.to_numpy(found), wanted, rtol=1e-13, atol=1e-15)


def test_second_derivatives_nest() -> None:
    def cubed(x: Any) -> Any:
        return (x**3 * x[::-1]).sum()

    x = np.asarray(X[0])
    wanted = looped(xarr.hessian(cubed), x)
    numpy.testing.assert_allclose(xarr.to_numpy(xarr.vmap(xarr.hessian(cubed))(x)), wanted)
    twice = xarr.vmap(lambda y, v: xarr.jvp(xarr.grad(cubed), (y,), (v,))[1])
    product = numpy.einsum("nij,nj->ni", wanted, X[1])
    numpy.testing.assert_allclose(xarr.to_numpy(twice(x, np.asarray(X[1]))), product)


def inverted(a: Any, v: Any) -> Any:
    inverse = np.linalg.inv(a)
    inverse[0] = v  # the examples share it before
    return (inverse @ v).sum()


def factored_later(a: Any, v: Any) -> Any:
    copy = a.copy()
    inverse = np.linalg.inv(copy)
    copy[0] = v  # so it is of the batch, and what was computed of it
    return (inverse @ v).sum() + copy.sum()


def scaled(a: Any, v: Any) -> Any:
    values, vectors = np.linalg.eigh(a + a.T)
    values[0] = v[1]
    return (vectors[0] ** 2 @ (values * v)) ** 2  # an eigenvector has no sign


SHARED: Final = rows("""
(np.linalg.{inv(a)|cholesky(a @ a.T)|eigh(a + a.T)[1] ** 2|qr(a)[1] ** 2|pinv(a)} @ v).sum()
(np.linalg.{eigvalsh(a + a.T)|svd(a)[1]|lstsq(a, v)[0]|solve(a, a[0])} * v).sum()
np.linalg.{det(a)|slogdet(a)[1]} * v[0]
(np.abs(np.fft.{fft(a[0])|ifft2(a)[0]}) * v).sum()
(np.fft.irfft(np.fft.rfft(a[0]), 3) * v).sum()
{inverted|factored_later|scaled}(a, v)
""")


@pytest.mark.parametrize("expression", SHARED)
def test_what_examples_share_has_derivatives(expression: str) -> None:
    code = compile(expression, "<expression>", "eval")

    def of(a: Any, v: Any) -> Any:
        return eval(code, dict(globals()), {"a": a, "v": v})

    def batched(a: Any) -> Any:
        return xarr.vmap(of, in_axes=(None, 0))(a, vectors).sum()

    a, vectors = np.asarray(X[0, :3, :3] + 2 * numpy.eye(3)), np.asarray(X[1, :, :3])
    wanted = xarr.grad(lambda a: sum(of(a, vector) for vector in vectors))
    twice = xarr.vmap(lambda factor: xarr.grad(batched)(a * factor))
    jitted = xarr.jit(xarr.grad(batched))
    for function in (xarr.grad(batched), jitted, jitted, xarr.grad(xarr.checkpoint(batched))):
        numpy.testing.assert_allclose(function(a), wanted(a), rtol=1e-9, atol=1e-11)
    found = twice(np.asarray([1.0, 1.25]))
    numpy.testing.assert_allclose(found[1], wanted(a * 1.25), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["det", "slogdet", "cholesky"])
def test_hessians_of_factorizations(name: str) -> None:
    def of(x: Any) -> Any:
        found = getattr(np.linalg, name)(np.asarray([[3.0, 0.5], [0.5, 2.0]]) * x[0] + x[1])
        return found.sum() if name != "slogdet" else found[1]

    x = np.asarray([1.5, 0.25])
    wanted = looped(lambda unit: xarr.hvp(of, (x,), (unit,)), np.eye(2))
    for hessian in (xarr.hessian(of), xarr.jit(xarr.hessian(of))):
        numpy.testing.assert_allclose(hessian(x), wanted, rtol=1e-10)


def test_several_results_of_a_library_are_not_taken_for_constants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not vendor.runs_on_numpy(np.default_device()):
        pytest.skip("values travel to the host, of which a warning tells")
    monkeypatch.setattr("xarr.transforms.batching.is_batched_whole", lambda name: False)
    x = np.asarray(X[:, :3, :3])
    with pytest.raises(NotImplementedError, match=r"linalg\.slogdet: it has no derivative"):
        xarr.grad(lambda a: xarr.vmap(lambda v: v.sum() * np.linalg.slogdet(a)[1])(x).sum())(x[0])


def test_results_are_no_views_of_arguments() -> None:
    x = np.asarray(X)
    same = xarr.vmap(lambda row: row)(x)
    same += 1.0
    assert bits(x) == bits(X)


def test_what_is_written_is_one_argument_alone() -> None:
    def add(x: Any, y: Any) -> Any:
        x += y
        return x

    x = np.asarray(X[0])
    xarr.vmap(add)(x, x.copy())
    with pytest.raises(ValueError, match="argument 0, which is another array"):
        xarr.vmap(add)(x, x[::-1])
    with pytest.raises(ValueError, match="argument 0, which is another array"):
        xarr.vmap(lambda row: add(row, x[0]))(x)


def test_outer_recorders_note_the_batch_alone() -> None:
    shapes = []

    class Shapes(Recorder):
        def note(self, opcode: Any, views: Any, fresh: Any, scalar: Any) -> None:
            shapes.append(opcode.shape)

    x = np.asarray(X)
    with recorded_by(Shapes()):
        xarr.vmap(lambda row: (row * 2).sum())(x)
    assert shapes == [(5, 6, 4)] * 2


def test_values_that_outer_batches_know_are_refused() -> None:
    def inner(x: Any) -> Any:
        scale = x.sum()
        return xarr.vmap(lambda row: row * float(scale * 2))(x)

    with pytest.raises(TypeError, match="values of a batched array"):
        xarr.vmap(inner)(np.asarray(X))
