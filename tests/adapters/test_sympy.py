"""SymPy's expressions are computed with Arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import xarr

sympy = pytest.importorskip("sympy")
x, y = sympy.symbols("x y")

EXPRESSIONS: Final = [
    x * sympy.sin(y) - sympy.sqrt(x) / sympy.pi,
    sympy.Piecewise((x, x > 1), (y**2, True)),
    sympy.Max(x, y, 2) + sympy.Abs(x - y) + sympy.Heaviside(x - 2),
    sympy.And(x > 1, sympy.Or(y < 3, sympy.Ne(x, y))),
    sympy.log(x + 1, 2) ** sympy.Rational(1, 3) + sympy.Mod(x, 2) + sympy.sec(y),
    sympy.I * x + sympy.conjugate(y),
    sympy.diff(sympy.exp(x * y), x),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
@pytest.mark.parametrize("modules", ["xarr", [xarr], ["xarr", "scipy"]], ids=str)
def test_an_expression_gives_what_it_gives_of_numpys(expression: Any, modules: Any) -> None:
    a, b = np.arange(1.0, 5.0), np.linspace(0.1, 0.7, 4)
    found = sympy.lambdify((x, y), expression, modules)(xarr.asarray(a), xarr.asarray(b))
    assert type(found) is xarr.Array
    wanted = sympy.lambdify((x, y), expression, "numpy")(a, b)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12)


def test_products_of_matrices() -> None:
    a = sympy.MatrixSymbol("a", 3, 3)
    m = xarr.arange(9.0).reshape(3, 3)
    found = sympy.lambdify(a, a * a.T + a, modules="xarr")(m)
    assert (found == m @ m.T + m).all()


@pytest.mark.parametrize("value", [1.5, 2, True, 1 + 2j])
def test_a_number_is_a_number(value: Any) -> None:
    number = xarr.asarray([value]).sum() if value is not True else xarr.asarray([value]).all()
    assert sympy.sympify(number) == sympy.sympify(value)
    assert sympy.sympify(np.float32(0.1)) == sympy.Float(np.float32(0.1).item(), precision=24)
