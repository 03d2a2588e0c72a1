"""What is refused as NumPy refuses it, and that errors call parameters what functions call them."""

from __future__ import annotations

import ast
import inspect
import io
import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

import xarr
from tests.functions.calls import all_refused, check, each_line
from tests.processes import ROOT

REFUSED = """
np.add(x, x, casting={"samekind") ! ValueError|5) ! TypeError}
np.{concatenate|stack|vstack}([x], casting={"samekind") ! ValueError|5) ! TypeError}
np.matmul(x, x.T, casting={"samekind") ! ValueError|5) ! TypeError}
np.clip(x, 1, 2, casting={"samekind") ! ValueError|5) ! TypeError}
np.{sum|mean|max}(x, keepdims={None|"a"|1.5}) ! TypeError
np.{concatenate|max|sum}(x, x) ! TypeError: axis is of type Array; an axis must be an integer
np.{zeros|ones}(3, 4) ! TypeError
np.zeros(3, 4) ! TypeError: several sizes, or axes, are one tuple
np.reshape(x, {1.5|True|(2.0, 6)|(3, None)}) ! TypeError
x.reshape({2.0, 6|"a"}) ! TypeError
x.shape = (2.0, 6) ! TypeError: x.shape = shape: shape is (2.0, 6); shape must be an
np.add(x) ! TypeError: add() missing 1 required positional argument: 'x2'
np.sin(x, x, 7) ! TypeError: sin() takes from
np.sin(x, foo=1) ! TypeError: sin() got an unexpected keyword argument 'foo'
np.ldexp(x, x, foo=1) ! TypeError: ldexp() got an unexpected keyword argument 'foo'
np.sqrt(x, order={"Z") ! ValueError|5) ! TypeError}
np.array(x, order=5) ! TypeError
np.sin(x, where=np.ones(2, dtype=bool)) ! ValueError: sin(x, where): the shapes are (3, 4) and (2,)
np.add(x, x, where=[True, False]) ! ValueError: add(x1, x2, where): the shapes
np.clip(x, 1, 2, where=[True, False]) ! ValueError: clip(a, min, max, where): the shapes
np.{sum|all|nansum|nanmean}(x, where=[True, False]) ! ValueError: (a, axis, where): the shapes are
np.{max|nanmax}(x, initial=0, where=[True, False]) ! ValueError: (a, axis, where): the shapes are
np.{nansum|nanmean}(x, where=np.ones(4, dtype="i4")) ! TypeError: (a, axis, where): where has dtype
np.sin(x, dtype="int64") ! TypeError: sin(x, dtype): an operand has dtype float64 and dtype is int64
np.sqrt(x, casting="no", dtype="f4") ! TypeError: sqrt(x, dtype): an operand
np.concatenate([x], dtype="int64") ! TypeError: an array has dtype float64 and dtype is int64
np.eye(-1) ! ValueError: eye(N, M): N is -1
np.eye(2, -1) ! ValueError: eye(N, M): M is -1
np.identity(-1) ! ValueError: identity(n): n is -1
np.indices({-1|5}) ! TypeError: indices(dimensions): dimensions is
np.indices((2, -1)) ! ValueError: indices(dimensions): dimensions is (2, -1)
np.ravel_multi_index((1, 1), (2, -1)) ! ValueError: dims is (2, -1)
np.random.default_rng(1).normal(size=-1) ! ValueError: size is -1
np.{sum|max|mean|std|count_nonzero|nansum}(x, axis={True|[0, 1]|[]}) ! TypeError
np.{argmax(x|cumsum(x|argsort(x|concatenate([x]}, axis=True) ! TypeError
np.{zeros|ones|empty|eye|identity}(True) ! TypeError
np.random.default_rng(1).normal(size=True) ! TypeError
np.{sum|max|nansum|nanmax|nanmin}(x, initial={[1, 2]|np.ones(5)}) ! ValueError
np.{sum|max|prod}(x, initial=1j) ! TypeError
np.{mean|std|var}(x, where={None|"abc"|[None]}) ! TypeError
np.{median|nanmax|nanmean|nanstd|trace|sum}(x, out=np.zeros(5)) ! ValueError
np.take(x, [0, 2], 0, out=np.zeros((5, 2, 4))) ! ValueError
np.{std|nanvar}(x, ddof={{}|"a"}) ! TypeError
np.nanstd(x, ddof="a") ! TypeError: nanstd(a, axis, ddof): ddof is 'a'
np.geomspace(1, 8{, axis=7) ! AxisError|, axis=1.5) ! TypeError}
np.{stack|vstack|hstack|dstack}({1, 2}) ! TypeError
np.diff(x, n={(1, 2)|1.5|[]}) ! TypeError
np.frombuffer(b"12345678", "u1", {1.5|2, 1.5}) ! TypeError
np.fromiter([1, 2], "f8", 1.5) ! TypeError
np.{quantile|percentile}(x, {None|"abc"}) ! TypeError
np.quantile(x, None) ! TypeError: quantile(a, q, axis): q is None
np.histogram(x, range={5) ! TypeError|(1, 2, 3)) ! ValueError}
np.histogram(x, range=5) ! TypeError: histogram(a, bins): range is 5
np.random.default_rng(1).integers(None) ! TypeError: a bound is None; it must be an integer
np.histogram(x * 1j) ! TypeError: histogram(a, bins): a has dtype complex128
np.fft.{fftn|rfftn|fft2}(x, axes=-1) ! TypeError
np.fft.{fftn|irfftn}(x, s=3) ! TypeError
np.{hanning("a"|kaiser("a", 1.0|kaiser(None, 1.0|kaiser(5, "a"|kaiser(5, 1j}) ! TypeError
np.kaiser([5], 1.0) ! TypeError: kaiser(M, beta): M is of type list
np.piecewise(x, {[]|()}, [1]) ! IndexError
np.piecewise(x, [], [1]) ! IndexError: piecewise(x, condlist, funclist): condlist is []
np.array2string(x, threshold={"5") ! TypeError|nan) ! ValueError}
np.array2string(x, threshold=np.datetime64("2026-01-01")) ! TypeError: threshold must be numeric
np.random.default_rng(1).{binomial(nan, 0.5)|multinomial(nan, [0.5, 0.5])} ! ValueError
np.random.default_rng(1).hypergeometric({nan, 1, 1|1, nan, 1|2, 2, nan}) ! ValueError
np.isclose(x, np.ones(3)) ! ValueError: isclose(a, b): the shapes are (3, 4) and (3,)
np.allclose(x, np.ones(3)) ! ValueError: allclose(a, b): the shapes are (3, 4) and (3,)
np.cov(x, np.ones(3)) ! ValueError: cov(m, y): there are 4 observations and 3 of y
np.corrcoef(x, np.ones(3)) ! ValueError: corrcoef(x, y): there are 4 observations and 3 of y
np.trapezoid(x, np.ones(7)) ! ValueError: trapezoid(y, x): the shapes are
np.copyto(x, np.ones(3)) ! ValueError: copyto(dst, src): the shapes are (3,) and (3, 4)
np.copyto(x, np.ones((2, 3, 4))) ! ValueError: dst has shape (3, 4) and src (2, 3, 4)
np.place(x, [True], 1) ! ValueError: mask has shape (1,) and arr (3, 4)
np.putmask(x, [True], 1) ! ValueError: mask has shape (1,) and a (3, 4)
np.tril_indices("a") ! TypeError: tril_indices(n, k, m): n is 'a'
np.triu_indices(2, 0, "a") ! TypeError: triu_indices(n, k, m): m is 'a'
np.tril_indices_from(x, "a") ! TypeError: tril_indices_from(arr, k): k is 'a'
np.triu_indices_from(x, "a") ! TypeError: triu_indices_from(arr, k): k is 'a'
np.average(x, 1.5) ! TypeError: average(a, axis, weights): axis is
np.extract([True] * 13, x) ! IndexError: extract(condition, arr): index 12 is out of bounds
np.compress([True] * 4, x, 0) ! IndexError: compress(condition, a, axis): index 3 is out of bounds
np.compress([True], x, 1.5) ! TypeError: compress(condition, a, axis): axis is
np.divmod(x, np.ones(3)) ! ValueError: divmod(x1, x2): the shapes are
np.modf(x * 1j) ! TypeError: modf(x): x has dtype complex128
np.frexp(x * 1j) ! TypeError: frexp(x): x has dtype complex128
np.fix(x * 1j) ! TypeError: fix(x): x has dtype complex128
np.fix(x, np.ones(3)) ! ValueError: fix(x, out): the shapes
np.nancumsum(x, 1.5) ! TypeError: nancumsum(a, axis): axis is
np.nancumprod(x, out=np.zeros(5)) ! ValueError: nancumprod(a, axis): out has shape (5,)
np.bitwise_count(x) ! TypeError: bitwise_count(x): x has dtype float64
np.matmul(x, x.T, axes=[(0, {0), (0, 1)|1), (0, 7)}, (0, 1)]) ! ValueError: matmul(x1, x2): axis is
np.vecdot(x, x, axes=[0, 4]) ! ValueError: vecdot(x1, x2): axis is 4
np.linalg.tensorsolve(np.ones((2, 3, 6)), x, axes=(0, 7)) ! ValueError: tensorsolve(a, b): axis
np.{zeros(3|eye(3|full(3, 1.0}, order="{A|K}") ! ValueError: order is
np.nancumprod(x, 1.5) ! TypeError: nancumprod(a, axis): axis is
np.unwrap(x, np.ones(7)) ! ValueError: unwrap(p, discont, axis): the shapes are
np.diag(x, "a") ! TypeError: diag(v, k): k is 'a'
np.diagflat(x, "a") ! TypeError: diagflat(v, k): k is 'a'
np.ndim([[1], [1, 2]]) ! ValueError: ndim(a): a is no array of numbers
np.size([[1], [1, 2]]) ! ValueError: size(a, axis): a is no array of numbers
np.histogram2d(x[0], x[0], -1) ! ValueError: histogram2d(x, y, bins): bins[0] is -1
np.add.at(x, 0, np.ones((2, 4))) ! ValueError: a[indices] has shape (4,) and b (2, 4)
np.unravel_index(12, (3, 4)) ! ValueError: the index 12 is out of bounds
np.concatenate([x, x[0]]) ! ValueError: concatenate(arrays, axis): the shapes are
np.concat([np.concatenate([x, x]), x[0]]) ! ValueError: concat(arrays, axis): the
np.power(np.arange(3), -1) ! ValueError: power(x1, x2): x2 is -1
np.power(x, 2); np.arange(3) ** -1 ! ValueError: pow(x1, x2): x2 is -1
np.absolute("a") ! TypeError: absolute(x): x is of type str
np.amax(x[:0]) ! ValueError: amax(a): a has shape (0, 4)
np.invert(x) ! TypeError: invert(x): x has dtype float64
np.put_along_axis(x, np.asarray([12]), 1, None) ! IndexError: put_along_axis(arr, indices, values
x + np.arange(6) ! ValueError: pair of extents equal or one of them 1; add an axis of extent 1, as
np.concatenate([x, x.T]) ! ValueError: shapes must agree except along the axis; reshape or broadcast
np.stack([x, x.T]) ! ValueError: all shapes must agree; reshape or broadcast the arrays first
x @ x ! ValueError: the 4 columns of x1 must be as many as the 3 rows of x2; transpose x2, as x2.mT
x.T @ x[:2].T ! ValueError: the 3 columns of x1 must be as many as the 4 rows of x2
x @ x[:, 0] ! ValueError: must be as many as the 3 rows of x2; transpose x1, as x1.mT
x[5] ! IndexError: x[key]: index 5 is out of bounds for axis 0 with size 3; it must be in [-3, 3)
x[0, np.asarray([9])] ! IndexError: with size 4; it must be in [-4, 4); -1 is the last
x[:0][0] ! IndexError: index 0 is out of bounds for axis 0 with size 0; the axis must have elements
np.sum(x[0], axis=2) ! AxisError: has 1 dimension, so axis must be in [-1, 1); -1 is the last axis
x.reshape(5, 2) ! ValueError: the extents must multiply to 12; one extent may be -1
np.zeros(3, dtype="flaot64") ! TypeError: complex64, complex128; the nearest is float64
np.bincount(x[0]) ! TypeError: x must hold integers; convert with x.astype("int64")
np.ones(3, dtype="int8").view("float64") ! ValueError: 3 bytes; it must have a multiple of 8, the
np.random.default_rng("a") ! TypeError: default_rng(seed): seed is 'a'; it must be an integer of 0
np.random.default_rng(-1) ! ValueError: default_rng(seed): seed is -1; it must be an integer of 0
x[np.asarray([True, False])] ! IndexError: x[key]: boolean index did not match indexed array along
x[:, x[:, 0] > 0] ! IndexError: along axis 1; size of axis is 4 but size of corresponding boolean
{x & 1|x & True} ! TypeError: bitwise_and(x1, x2): x1 has dtype float64; its dtype must be
1 & x ! TypeError: bitwise_and(x1, x2): x2 has dtype float64; its dtype must be
x & x ! TypeError: bitwise_and(x1, x2): x1 has dtype float64 and x2 has dtype float64; their dtypes
np.gcd(np.arange(3), np.arange(3, dtype="u8")) ! TypeError: dtype uint64; the common dtype must be
np.linalg.{det|inv}(x[0]) ! LinAlgError: it must have at least two dimensions, shape (..., N, N)
np.linalg.svd(x[0]) ! LinAlgError: it must have at least two dimensions, shape (..., M, N)
np.max(x[:0]) ! ValueError: so it has no elements; there must be at least one; check a.size first
np.max(x[:0], axis=0) ! ValueError: so axis 0 has no elements; there must be at least one
"""


@each_line(REFUSED)
def test_what_numpy_refuses_is_refused(call: str) -> None:
    check(call, x=np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize(
    "call",
    [
        *("arange(n)", "empty(n)", "zeros(1 << 62)", "ones(n, dtype='int8')", "full(n, 2.5)"),
        *("zeros((n, 1), order='F')", "full_like(np.ones(3), 2, shape=n)", "ndarray(n)"),
        *("zeros((n // 9, 1)) + np.zeros(9)", "broadcast_to(0, n) + 1"),
    ],
)
def test_an_array_larger_than_the_memory_is_refused_at_its_line(call: str) -> None:
    name = call.partition("(")[0]
    name = r"memory of \S+" if name in ("ndarray", "broadcast_to") else name
    said = rf"^{name}: an array of shape .* bytes; it must .*; see docs/memory.md#out-of-memory$"
    with pytest.raises(MemoryError, match=said):
        eval(f"np.{call}", {"np": xarr, "n": 10**14})


def test_a_view_may_have_more_elements_than_the_memory() -> None:
    assert xarr.broadcast_to(xarr.zeros(()), 10**14)[-1] == 0


def test_no_bins_hold_nothing() -> None:
    counts, edges = xarr.histogram(xarr.ones(3), bins=[])
    assert counts.tolist() == edges.tolist() == []


WORDED = """
{bool(x) ! ValueError|float(x) ! TypeError}: (x): x has shape (3, 4); x must have one element; use
np.{sin|sum|sort}(masked) ! TypeError: has a mask; it must have no mask to be on a device; pass its
np.add(x, masked) ! TypeError: add(x1, x2): x2 has a mask
np.clip(x, masked, 2) ! TypeError: clip(a, min, max): min has a mask
np.equal(x, ["a"]) ! TypeError: equal(x1, x2): x2 is of type list and holds 'a'
np.asarray([Fraction(1, 2)]) ! TypeError: a is of type list and holds Fraction(1, 2)
x + [2**70] ! OverflowError: add(x1, x2): x2 holds Python integers that no dtype holds
x.item() ! ValueError: has shape (3, 4) (can only convert an array of size 1 to a Python scalar); x
x.item({12|3, 0}) ! IndexError: it must be a position in C order, or a place on each axis; write
x.{exp|isnan|sqrt} ! AttributeError: there is no such attribute; write xarr.
np.load(io.BytesIO(b"1 2")) ! ValueError: load(file): the file holds pickled objects, or is no
np.frombuffer("abc") ! TypeError: frombuffer(buffer): buffer is of type str; it must have a buffer
np.fromiter(3, float) ! TypeError: fromiter(iter, dtype): iter is of type int; iter must be iterable
np.lexsort(3) ! TypeError: lexsort(keys, axis): keys is of type int; keys must be a sequence
x[::0] ! ValueError: x[key]: slice step cannot be zero, as in slice(None, None, 0); it must be
np.tensordot(x, x, 3) ! ValueError: axes is 3 and the operands have 2 and 2 axes; it must be at most
np.{trace|diagonal}(x[0]) ! ValueError: a has 1 dimension; it must have at least 2
np.einsum("ij->ji", x[0]) ! ValueError: stands for an operand of 1 dimension; each
np.ptp(x[:0]) ! ValueError: so it has no elements; there must be at least one; check
x.append ! AttributeError: Array.append: there is no such attribute; write xarr.append(x, ...)
np.random.default_rng(1).rand ! AttributeError: Generator.rand: there is no such attribute
np.jit(lambda x: {[1] if x.any() else x|np.unique(x)})(x) ! TypeError: or write jit(f, strict=False)
np.jit(lambda x: float(x[0, 0]))(x) ! TypeError: float(x) (a call, line 1) needs a value; each
np.jit(lambda x: np.nonzero(x))(x) ! TypeError: nonzero (a call, line 1) needs
"""


def test_errors_say_what_must_be_and_what_to_do() -> None:
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    all_refused(
        WORDED, {"x": xarr.ones((3, 4)) + 1, "masked": masked, "Fraction": Fraction, "io": io}
    )


REFUSED_HERE = """
np.select([x > 1], [x.astype("int8")], 300) ! OverflowError: default
np.asarray(["a"]) ! TypeError: see docs/numpy.md#there-are-no-strings-dates-objects-or-records
np.sin(x, out=numpy.ones((3, 4))) ! TypeError: see docs/numpy.md#np-out
np.{full(2, 1j, "f4")|full_like(x, 1j)|pad(x, 1, constant_values=1j)} ! TypeError: .real; see docs/
x.strides = (8,) ! AttributeError: see docs/numpy.md#np-x-strides
np.copyto(numpy.ones(2), x) ! TypeError: = numpy.asarray(src); see docs/numpy.md#np-out
np.asarray([1], "i1") {+ 200|* 2**70} ! OverflowError: #python-numbers-and-other-surprises
np.full(2, 300, "i1") ! OverflowError: see docs/numpy.md#python-numbers-and-other-surprises
np.linalg.matrix_power(x[:, :3], True) ! TypeError: see docs/numpy.md#np-matrix-power
np.histogram(x * 1j) ! TypeError: see docs/numpy.md#np-histogram
np.r_["r", [1, 2]] ! TypeError: see docs/numpy.md#np-r
np.broadcast_to(x, (2, 3, 4))[...] = 1 ! ValueError: see docs/numpy.md#np-broadcast-to
np.jit(3) ! TypeError: jit(function): function is 3; function must be callable
np.vmap(3) ! TypeError: vmap(f): f is 3; f must be callable
np.{grad|value_and_grad|jacobian|hessian}(3) ! TypeError: 3; fun must be callable
np.{checkpoint|custom_vjp|custom_jvp}(3) ! TypeError: (fun): fun is 3; fun must be callable
np.grad(lambda x: x)(x[0]) ! TypeError: returned shape (4,); the result must be a real number
np.asarray([numpy.datetime64("2020-01-01")]) ! TypeError: dates cannot be on a dev
np.asarray([object()]) ! TypeError: Python objects cannot be on a device: keep them in a list
np.arange(10**13) ! MemoryError: bytes; it must
np.setdiff1d(x, "a") ! TypeError: setdiff1d(ar1, ar2): ar2 is of type str
"""


def test_what_xarr_alone_refuses() -> None:
    all_refused(REFUSED_HERE, {"x": xarr.ones((3, 4))})


def test_there_are_the_pages_and_places_that_errors_name() -> None:
    page = (ROOT / "docs" / "numpy.md").read_text(encoding="utf-8")
    known = set(re.findall(r'<a id="([^"]+)">', page))
    titles = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    known |= {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles}
    sources = [file.read_text(encoding="utf-8") for file in sorted(ROOT.glob("xarr/**/*.py"))]
    named = {place for text in sources for place in re.findall(r"difference\(['\"]([^'\"]+)", text)}
    assert len(named) > 15
    assert named <= known
    pages = {one for text in sources for one in re.findall(r"docs/(\w+\.md)", text)}
    assert pages >= {"numpy.md", "names.md", "kernels.md"}
    assert pages <= {file.name for file in (ROOT / "docs").iterdir()}


WHERE = re.compile(r"((?:\w+\.)*)(\w+)\((\*?\w+(?:, \*?\w+)*)\)")
"""What an error begins with, as `linalg.norm(x, ord)`: where a name is, the name, parameters."""


def places(tree: ast.Module) -> Iterator[ast.Constant]:
    """What is handed on as the place of an error: to functions, or by the name `where`.

    Arguments of classes are C expressions of rows, which look alike.
    """
    for node in ast.walk(tree):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call) and not re.match("_?[A-Z]", ast.unparse(node.func)):
            found = [*node.args, *(given.value for given in node.keywords if given.arg == "where")]
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "where":
            found = [node.value]
        for value in found:
            parts = value.values if isinstance(value, ast.JoinedStr | ast.BoolOp) else [value]
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part


def signatures(space: str, name: str, tree: ast.Module) -> Iterator[set[str]]:
    """The parameters of the functions that a place may name: in its file, or public ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield {one.arg for one in every if one}
    value = xarr.Array if space == "x." else xarr
    for part in f"{space.removeprefix('x.')}{name}".split("."):
        value = getattr(value, part, None)
    if callable(value):
        yield set(inspect.signature(value).parameters)


def test_errors_name_parameters_that_there_are() -> None:
    count, wrong = 0, []
    for file in sorted(ROOT.glob("xarr/**/*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for place in places(tree):
            found = WHERE.fullmatch(str(place.value))
            known = list(signatures(found[1], found[2], tree)) if found else []
            if found and known:
                names = set(found[3].replace("*", "").split(", "))
                names -= {"x"} if found[1] == "x." else set()
                count += 1
                if not any(names <= one for one in known):
                    wrong.append(f"{file.name}:{place.lineno}: {found[0]}")
    assert count > 400
    assert not wrong
