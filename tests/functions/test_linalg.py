"""Linear algebra and Fourier transforms, by the host's library and by the kernels, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each, each_line
from tests.reference import Values, assert_same
from xarr.ops import vendor
from xarr.runtime import host_functions
from xarr.tape.scalar_access import function_of


def drawn(*shape: int, kind: str = "float32") -> Values:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(shape)
    if kind == "complex64":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(kind)


MATRICES = {
    "x": drawn(6, 8),
    "y": drawn(8, 8),
    "s": drawn(5, 1, 3, 4),
    "v": drawn(4),
    "i": np.array([[1, 2], [3, 4]], "i4"),
}
PRODUCTS = """
{x @ y|x[0] @ y|v @ v|v @ np.moveaxis(s, -1, -2)|s @ y[:4, :4]|s @ y[:8, :4].reshape(2, 4, 4)}
{x[:, :0] @ y[:0]|np.matmul(x * 2, y)|x[::2, ::-1] @ y.T[:, 1::3]|np.dot(x, y)}
{(x + 1j) @ y|(x * 1j) @ (y - 2j)|(v + 1j) @ (v * 1j)|(s + 1j) @ (s * 2j).reshape(5, 1, 4, 3)}
np.tensordot(x, y, axes=((1,), (0,)))
x.__imatmul__(y)
np.asarray([[1, 2], [3, 4]]) @ np.asarray([[1, 2], [3, 4]])
x = i; r = x[0]; x @= x
i @= np.full((2, 2), 0.5, "f4") ! TypeError: in place: x1 has dtype int32 and the result float
i @= np.asarray({[1, 1]|[[1], [1]]}, "i4") ! ValueError: in place: x1 has shape
np.linalg.solve(i * 0.0, i[0] * 0.0) ! LinAlgError: linalg.solve(a, b): of shape (2, 2) and (2,)
np.linalg.inv(i * 0.0) ! LinAlgError: pinv
np.linalg.cholesky({i * 0.0|-np.eye(2)}) ! LinAlgError: positive-definite
np.linalg.det(np.zeros((2, 3))) ! LinAlgError: shape (2, 3); matrices must be square
np.ones((2, 2)) @ np.ones((3, 3)) ! ValueError: the 2 columns of x1
np.linalg.inv(np.ones((2, 2), dtype="float16")) ! TypeError: float16
np.ones(3).sum()
"""


@each(PRODUCTS)
def test_products(call: str, form: xarr.Device) -> None:
    check(call, near=2e-4, **MATRICES)


FACTORIZATIONS = """
np.linalg.{det|inv|svdvals|matrix_rank}(a)
np.linalg.{solve(a, a[:, :, :2]|solve(a, a[0, 0]|matrix_power(a, 3|matrix_power(a, -2})
np.linalg.{cholesky(h|cholesky(h, upper=True|eigvalsh(h|pinv(a[:, :4]})
np.linalg.matrix_norm(a, ord={"fro"|"nuc"|1|-1|2|-2|inf|-inf})
np.linalg.vector_norm(a, ord={0|1|2|3|inf|-inf|0.5}, axis=-1)
# factors may have other signs
_w, _v = np.linalg.eigh(h); x = (_v * _w[:, None, :]) @ np.conj(_v.mT)
_w, _v = np.linalg.eig(a); x = a @ _v - _v * _w[:, None, :]
_q, _r = np.linalg.qr(a[:, :, :4], mode="{reduced|complete}"); x = _q @ _r
_u, _s, _v = np.linalg.svd(a[:, :4], full_matrices={False|True})
... x = (_u * _s[:, None, :]) @ _v[:, :4]
"""


@pytest.mark.parametrize("kind", ["float32", "complex64"])
@each_line(FACTORIZATIONS)
def test_factorizations(call: str, kind: str, form: xarr.Device) -> None:
    a = drawn(3, 6, 6, kind=kind) + 6 * np.eye(6, dtype=kind)
    check(call, near=2e-4, a=a, h=a @ np.conj(a.mT))


TRANSFORMS = """
np.fft.{fft|ifft|irfft|hfft}(r + 1j * r[::-1], n={None|5|24}, axis={0|1}, norm=norm)
np.fft.{rfft|ihfft}(r, n={None|5|24}, axis={0|1}, norm=norm)
np.fft.{fftn|ifftn|irfftn}(t * (1 + 2j), {|s=(5, 24), }axes=(0, 2), norm=norm)
np.fft.rfftn(t, {|s=(5, 24), }axes=(0, 2), norm=norm)
"""


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@each_line(TRANSFORMS)
def test_transforms(call: str, norm: str, form: xarr.Device) -> None:
    check(call, near=2e-6, norm=norm, r=drawn(12, 9), t=drawn(3, 12, 9))


ON_OPERANDS = """
{np.linalg.solve(x, y)|x @ y|np.isin(x, y)|np.searchsorted(x[0], y[0])}
np.{linalg.svd|linalg.eigh|fft.rfft|fft.rfftn|argsort|unique_values}(x)
"""


@each(ON_OPERANDS)
def test_the_host_computes_on_the_operands_themselves(
    call: str, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not vendor.runs_on_numpy(device):
        pytest.skip(f"{device} does not share the host's memory")
    x, y = xarr.asarray(drawn(100, 100)), xarr.asarray(drawn(100, 100))
    operands = {np.from_dlpack(one).__array_interface__["data"][0] for one in (x, y)}
    handed = []

    def watching(work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arrays: Any) -> Any:
            handed.extend([array.__array_interface__["data"][0] for array in arrays])
            return work(*arrays)

        return watched

    def deferred(name: str, options: Any, work: Callable[..., Any], *rest: Any) -> Any:
        return vendor_deferred(name, ("watched", *options), watching(work), *rest)

    vendor_deferred = vendor.deferred
    monkeypatch.setattr(vendor, "deferred", deferred)
    monkeypatch.setattr(
        vendor, "function_of", lambda work, views: function_of(watching(work), views)
    )
    with host_functions.fused():
        result = eval(call, {"np": xarr, "x": x, "y": y})
        xarr.synchronize()
    del result  # else nobody would want it
    assert len(operands & set(handed)) == 1 + ("y" in call)


AXES = """
np.{trace|diagonal}(x{|, offset=1|, axis1=2, axis2=0|, offset=-1, axis1=-1})
np.{trace|diagonal}(x, {numpy.uint8(1)|numpy.int64(-1)})
np.outer(x, x[0, 0, :2])
np.trace(x, axis1=1, axis2=-2) ! ValueError: two different axes
"""


@each_line(AXES)
def test_numpys_names_have_numpys_axes(call: str, device: xarr.Device) -> None:
    check(call, x=np.arange(24, dtype=np.float32).reshape(2, 3, 4))


def test_the_shape_of_a_diagonal_is_of_pythons_integers(device: xarr.Device) -> None:
    # Work on equal shapes is planned once: NumPy's integers would be in the launches of all.
    x = xarr.ones((331, 337), dtype="uint8")
    assert [*map(type, xarr.diagonal(x, np.int64(8)).shape)] == [int]


def test_numpys_functions_call_those_of_the_same_module(device: xarr.Device) -> None:
    host = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    x = xarr.asarray(host)
    assert_same(np.asarray(np.trace(x)), np.trace(host), "numpy.trace")
    assert_same(np.asarray(np.linalg.trace(x)), np.linalg.trace(host), "numpy.linalg.trace")
    assert isinstance(np.fft.fft(x), xarr.Array)
    assert_same(np.asarray(np.emath.sqrt(x)), np.emath.sqrt(host), "numpy.emath.sqrt")


ERRORS = """
np.linalg.matrix_rank(x, rtol="a") ! TypeError: linalg.matrix_rank(A, rtol): rtol is of
np.linalg.matrix_rank(x, rtol=1j) ! TypeError: linalg.matrix_rank(A, rtol): rtol has
np.linalg.pinv(x, rtol=[1j]) ! TypeError: linalg.pinv(a, rtol): rtol has
np.linalg.pinv(np.stack([x, x]), rtol=[1, 2, 3]) ! ValueError: linalg.pinv(a, rtol): the shapes are
np.linalg.norm(x[0], "a") ! ValueError: linalg.norm(x): ord is 'a'
np.linalg.norm(x, "a") ! ValueError: linalg.norm(x): ord is 'a'
np.linalg.vector_norm(x, axis=5) ! AxisError: linalg.vector_norm(x): axis is 5
np.linalg.trace(x[0]) ! ValueError: linalg.trace(x): x has shape
np.trace(x, dtype="bad") ! TypeError: trace(a): dtype is 'bad'
np.dot([1, 2, 3], x) ! ValueError: dot(a, b): a has shape (3,) and b
np.dot(x[None], x[:1]) ! ValueError: dot(a, b): axis 2 of a has 2 elements
np.dot("a", x) ! TypeError: dot(a, b): a is of type str
np.matmul([1, 2, 3], x) ! ValueError: matmul(x1, x2): x1 has shape (3,)
np.linalg.pinv(x, rtol=np.ones(3)) ! ValueError: linalg.pinv(a, rtol): a has shape (2, 2) and rtol
np.linalg.matrix_norm(x / 0, ord=2) ! LinAlgError: linalg.matrix_norm(x): of shape
np.linalg.norm(x / 0, "nuc") ! LinAlgError: linalg.norm(x): of shape
np.linalg.matrix_rank(x / 0) ! LinAlgError: linalg.matrix_rank(A, rtol): of shape
np.linalg.pinv(x / 0) ! LinAlgError: linalg.pinv(a, rtol): of shape
np.linalg.matrix_power(x * 0, -2) ! LinAlgError: linalg.matrix_power(a, n): of shape
np.cross(x[0] > 0, x[0] > 0) ! TypeError: cross(a, b): a and b have dtype bool
"""


@each(ERRORS)
def test_errors_name_the_function_that_was_called(call: str) -> None:
    check(call, x=np.eye(2))
