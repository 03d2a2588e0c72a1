"""No public function loses a derivative: each has the right one, refuses, or warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, Final

import numpy
import pytest

import xarr
from xarr import errors

OTHERS: Final = """
    checkpoint empty empty_like empty_pinned fromfile fromregex genfromtxt grad hessian hvp info
    jacobian jvp linearize load loadtxt memmap save savetxt savez savez_compressed set_printoptions
    setbufsize seterr seterrcall show_config value_and_grad vjp
"""
"""Functions that take no arrays, or change the process."""
OF_SYMMETRIC: Final = frozenset(("linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"))
"""Functions that read one triangle, whose derivative is that of both, as in JAX."""
_GENERATOR: Final = numpy.random.default_rng(0)
POINT: Final = _GENERATOR.random((4, 4)) * 0.2 + 0.3 + numpy.eye(4) * 0.4
ALONG: Final = _GENERATOR.normal(size=(4, 4))
WEIGHTS: Final = _GENERATOR.normal(size=4096)
CALLS: Final[tuple[Callable[[Any], tuple[Any, ...]], ...]] = (
    lambda x: (x,),
    lambda x: (x, x * 2 + 0.1),
    lambda x: (x, 2),
    lambda x: (x, x, x * 3),
    lambda x: ("ij,jk->ik", x, x),
    lambda x: (x[0], x[1]),
    lambda x: (x[0],),
    lambda x: ([x, x],),
    lambda x: (x > 0.9, x, x * 2),
    lambda x: (x, xarr.asarray([0, 2])),
    lambda x: (x, (16,)),
    lambda x: (x, 0, 1),
    lambda x: (2, x),
    lambda x: (x, [x[0] > 0.7], [1.0]),
)
"""The arguments that functions are tried with; the first that fit count."""


def _arrays(result: Any) -> Iterator[Any]:
    if type(result) is xarr.Array:
        if result.dtype.kind in "fc":
            yield result
    elif isinstance(result, list | tuple):
        for item in result:
            yield from _arrays(item)


def _weighed(function: Any, arguments: Callable[[Any], tuple[Any, ...]], x: Any) -> Any:
    """A number of which each element of the results matters; those of the arguments else."""
    given = arguments(x * 1)
    result = function(*given)
    total, begin = xarr.asarray(0.0), 0
    for y in _arrays(given if result is None else result):
        weights = xarr.asarray(WEIGHTS[begin : begin + y.size].reshape(y.shape))
        total = total + (weights * y.real).sum() + 0.3 * (weights * y.imag).sum()
        begin += y.size
    return total


def _is_seen(function: Any) -> bool:
    """Whether the first call that fits has the right derivative, is refused, or warns."""
    for arguments in CALLS:
        ends: list[float] = []
        with suppress(Exception):
            ends = [
                float(_weighed(function, arguments, xarr.asarray(POINT + step * ALONG)))
                for step in (-1e-6, 1e-6)
            ]
        if not ends:
            continue
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                gradient = xarr.grad(lambda x, f=arguments: _weighed(function, f, x))(
                    xarr.asarray(POINT)
                )
            except NotImplementedError:
                return True
        if any(issubclass(each.category, errors.DerivativeWarning) for each in told):
            return True
        wanted = (ends[1] - ends[0]) / 2e-6
        found = float((numpy.asarray(gradient) * ALONG).sum())
        return not abs(found - wanted) > 1e-4 * (1 + abs(wanted))
    return True  # of no floating-point array


@pytest.mark.parametrize("space", ["", "linalg", "fft", "special"])
def test_no_public_function_loses_a_derivative(space: str) -> None:
    module: ModuleType = getattr(xarr, space) if space else xarr
    lost = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(dir(module)):
            function = getattr(module, name)
            if not callable(function) or isinstance(function, type) or name in OTHERS.split():
                continue
            full = f"{space}.{name}".lstrip(".")
            if full in OF_SYMMETRIC or name == "eig":  # whose vectors have any phase
                continue
            if not _is_seen(function):
                lost.append(full)
    assert lost == []
