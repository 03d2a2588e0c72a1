"""What runs NumPy's own tests: xarr in NumPy's place, and the rules of what is in scope."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy
import pytest

import xarr
from tools import numpy_tests
from tools.numpy_scope import Source, rules_of_parameters
from tools.numpy_shim import execute


def _file(folder: Path, text: str) -> Path:
    path = folder / "test_given.py"
    path.write_text(textwrap.dedent(text))
    return path


def test_a_module_s_numpy_is_xarr(tmp_path: Path) -> None:
    text = """
    import numpy as np
    import numpy.linalg
    from numpy import arange
    from numpy.linalg import norm as length
    from numpy._core.numeric import dot
    from numpy._core._umath_tests import inner1d
    """
    module, broken = execute(_file(tmp_path, text), "numpy.lib.tests")
    assert not broken
    assert module.arange is xarr.arange
    assert module.np.sum is xarr.sum
    assert module.np.linalg.svd is xarr.linalg.svd
    assert module.length is xarr.linalg.norm
    assert module.dot is xarr.dot
    assert isinstance(module.inner1d, numpy.ufunc)
    assert module.np.ma is numpy.ma


def test_assertions_get_numpy_s_arrays(tmp_path: Path) -> None:
    text = """
    import numpy as np
    from numpy.testing import assert_equal
    """
    module, _ = execute(_file(tmp_path, text), "numpy.lib.tests")
    module.assert_equal([xarr.asarray([1, 2]), xarr.asarray(3)], [numpy.asarray([1, 2]), 3])
    with pytest.raises(AssertionError):
        module.assert_equal(xarr.asarray([1, 2]), [1, 3])


def test_a_statement_that_fails_costs_no_other(tmp_path: Path) -> None:
    text = """
    class TestOne:
        made = 1 / 0
        def test_this(self): ...
    def test_that(): ...
    """
    module, broken = execute(_file(tmp_path, text), "numpy.lib.tests")
    assert list(broken) == ["TestOne::test_this"]
    assert module.test_that() is None


@pytest.mark.parametrize(
    ("statement", "rules"),
    [
        ("np.arange(3) + 1", []),
        ("np.array(['<f4', 'a'])", ["strings"]),
        ("np.zeros(3, dtype='O')", ["objects"]),
        ("np.zeros(3, dtype=object)", ["objects"]),
        ("np.zeros(3, 'S3')", ["strings"]),
        ("np.zeros(3, 'M8[s]')", ["dates"]),
        ("np.zeros(3, [('a', int), ('b', float)])", ["records"]),
        ("np.zeros(3, 'i4,f4')", ["records"]),
        ("np.zeros(3, order='F')", ["Fortran order"]),
        ("np.zeros(3, 'F').copy()", []),
        ("np.zeros(3).copy('F')", ["Fortran order"]),
        ("np.ma.array([1])", ["masked arrays"]),
        ("np.asmatrix([1])", ["matrix"]),
        ("np.longdouble(1)", ["long double"]),
        ("np.errstate(divide='raise')", ["floating-point warnings"]),
        ("np.errstate(all='ignore')", []),
        ("np.zeros(3, '>f4')", ["byte order"]),
        ("helper()", ["matrix"]),
        ("tested.inner1d(1, 1)", ["internals"]),
    ],
)
def test_rules_read_what_a_test_needs(tmp_path: Path, statement: str, rules: list[str]) -> None:
    text = f"""
    import numpy as np
    import numpy._core._umath_tests as tested
    def helper(): return np.matrix([1])
    def test_given(): {statement}
    """
    assert Source.read(_file(tmp_path, text), "x").rules("test_given") == rules


def test_rules_of_a_test_s_class_and_parameters(tmp_path: Path) -> None:
    text = """
    class TestGiven:
        def setup_method(self): self.made = object()
        def test_given(self): ...
    """
    assert Source.read(_file(tmp_path, text), "x").rules("TestGiven::test_given") == ["objects"]
    assert rules_of_parameters({"dtype": "O", "x": numpy.zeros(3, "M8[s]")}) == ["objects", "dates"]
    assert rules_of_parameters({"dtype": numpy.float32, "text": "O"}) == []


def test_a_file_is_run_and_counted(tmp_path: Path) -> None:
    report = tmp_path / "report"
    arguments = ["lib/tests/test_array_utils", "-k", "test_byte_bounds", "--report", str(report)]
    numpy_tests.main(arguments)
    assert "`lib/tests/test_array_utils.py` | 1 | 1 |" in report.read_text()
