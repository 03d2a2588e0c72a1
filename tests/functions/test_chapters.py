"""That functions are what their rows say, and that rows are whole."""

from __future__ import annotations

import inspect
import operator
import re
from types import ModuleType

import numpy
import pytest

import xarr
import xarr.polynomial
from tests.conformance.standard import SIGNATURES
from tests.processes import ROOT, checked, run_code
from xarr.dtypes import FLOATING, REAL
from xarr.ops import elementwise
from xarr.ops.rows import OWN, Elementwise, Reduction


def test_the_line_below_a_function_is_that_of_its_row() -> None:
    text = (ROOT / "xarr/functions/elementwise/elementwise.py").read_text(encoding="utf-8")
    written = dict(re.findall(r'^(\w+): Final = .*\n"""(.*)"""$', text, re.MULTILINE))
    assert written == {row.name: row.about for row in elementwise.TABLE if not row.by_hand}


def test_docstrings_are_completed() -> None:
    text = inspect.getdoc(xarr.concat) or ""
    assert text.index("arrays : ") < text.index("out : ") < text.index("Returns")
    assert (
        text.index("AxisError") < text.index("Python Array API standard") < text.index(">>> import")
    )
    for function in (
        xarr.sin, xarr.ldexp, xarr.sum, xarr.random.normal, xarr.linalg.norm, xarr.fft.fft,
        xarr.emath.sqrt,
    ):  # fmt: skip
        docstring = inspect.getdoc(function) or ""
        for name in inspect.signature(function).parameters:
            assert re.search(rf"^(.*, )?{name}(,.*)? : ", docstring, re.MULTILINE), (function, name)


@pytest.mark.parametrize(
    ("meaning", "of", "not_of"),
    [
        ("elsewhere `out` keeps", "add ldexp clip", "sum max mean std nansum all"),
        (
            "and of the computation",
            "sum mean var trace vecdot",
            "zeros eye tri fromiter array concat add",
        ),
        ("None for the operand's if", "asarray array full_like", "zeros full linspace load"),
        ("The device; None for that of `fill_value`", "full", "zeros asarray full_like"),
        ("The device; None for that of `start` or `stop`", "linspace geomspace", "zeros arange"),
        ("The device; None for the default dev", "zeros eye fromiter indices tri", "zeros_like"),
        ("None for the device's default floating", "zeros eye identity tri ones", "array asarray"),
        ("narrower integers", "sum trace cumulative_sum cumsum nanprod", "mean var nanstd zeros"),
    ],
)
def test_the_meaning_of_a_parameter_is_that_of_its_function(
    meaning: str, of: str, not_of: str
) -> None:
    for name in f"{of} {not_of}".split():
        assert (meaning in getattr(xarr, name).__doc__) is (name in of.split()), name


@pytest.mark.parametrize("name", ["sum", "take", "clip", "conjugate", "compress", "choose"])
def test_the_docstring_of_a_method_calls_the_method_on_the_array(name: str) -> None:
    docstring = inspect.getdoc(getattr(xarr.Array, name)) or ""
    assert not re.search(r"^(a|x) : |\bof (a|x)\b|\ba's|the operand\b", docstring, re.MULTILINE)
    assert f".{name}(" in docstring.partition(">>> import xarr")[2].replace("xarr.", "")
    assert f"xarr.{name}(" not in docstring
    assert name != "sum" or " a : " in f" {xarr.sum.__doc__}".replace("\n", " ")


def test_a_docstring_says_once_which_other_names_a_function_has() -> None:
    assert "`vstack` and `row_stack` are one function." in (xarr.row_stack.__doc__ or "")
    for function in (xarr.amax, xarr.around, xarr.arccos, xarr.concatenate):
        assert (function.__doc__ or "").count(" are one function.") == 1
    assert "are one function" not in f"{xarr.Array.max.__doc__} {xarr.sum.__doc__}"


def test_docstrings_of_numpy_stay_as_they_are() -> None:
    checked("""
        import numpy
        names = ("get_printoptions", "printoptions", "set_printoptions")
        before = [getattr(numpy, name).__doc__ for name in names]
        import xarr
        assert [getattr(numpy, name).__doc__ for name in names] == before
    """)


@pytest.mark.parametrize(
    "space",
    [
        *(xarr, xarr.linalg, xarr.fft, xarr.random, xarr.emath, xarr.lib.stride_tricks, xarr.Array),
        *(xarr.random.Generator, xarr.random.RandomState, xarr.polynomial.chebyshev),
        *(xarr.polynomial.polynomial, xarr.polynomial.Polynomial, type(xarr.add)),
    ],
    ids=lambda space: space.__name__,
)
def test_each_paragraph_of_a_docstring_has_its_title(space: ModuleType | type) -> None:
    found = 0
    for name in dir(space):
        value = getattr(space, name)
        docstring = inspect.getdoc(value) or ""
        module = getattr(value, "__module__", None) or ""
        if name[0] == "_" or not callable(value) or not module.startswith("xarr"):
            continue
        found += 1
        assert not re.search(r"^-> |^Note: | -- |\n\n\w+(, \w+)* : ", docstring, re.MULTILINE), name
        before, example, _ = docstring.partition("\n>>> ")
        assert not example or "\nExamples\n--------" in before, name
    assert found > 1


@pytest.mark.parametrize(
    "caller", ["array/array.py", "array/numpy_methods.py", "functions/elementwise/ufuncs.py"]
)
def test_methods_find_the_modules_that_they_call_in_their_packages(caller: str) -> None:
    """In a process in which no test has imported one."""
    text = (ROOT / "xarr" / caller).read_text(encoding="utf-8")
    called = sorted(set(re.findall(r"(?<![\w.])(?:functions\.\w+|package)\.\w+\.\w+", text)))
    assert called
    done = run_code(f"""
        import sys, xarr
        functions, package = sys.modules["xarr.functions"], sys.modules["xarr.array"]
        print(all(map(callable, [{", ".join(called)}])))
    """)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"first": "x", "step": "acc"}, "no first, step"),
        ({"close": "acc;"}, "no close"),
        ({"fields": (("a", "T"),)}, "no fields"),
        ({"form": "rows"}, "form is 'rows'"),
        ({"map": elementwise.add}, "map is a row of one operand"),
        ({"combine": elementwise.sqrt}, "combine is a row of two operands"),
        ({"combine": "xr_join"}, "a row that combines structures has"),
        ({"form": "scan"}, "a scan combines plain values, begins with `empty`"),
        ({"form": "scan", "empty": 0, "finish": "-acc"}, "and has no finish"),
        ({"map": elementwise.bitwise_invert}, "map does not take float16"),
        ({"combine": elementwise.bitwise_and}, "combine does not take float16"),
    ],
    ids=str,
)
def test_a_column_that_is_not_read_is_refused(columns: dict[str, object], said: str) -> None:
    given = {"value": OWN, "combine": elementwise.add, **columns}
    with pytest.raises(ValueError, match=said):
        Reduction(FLOATING, **given)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"integer": "-x"}, "integer is not read"),
        ({"boolean": "!x"}, "boolean is not read"),
        ({"complex": "x.re"}, "complex is not read"),
        ({"kinds": ("real", "imaginary")}, "kinds are"),
        ({"kinds": ()}, "kinds are"),
        ({"result": "int"}, "result is 'int'"),
        ({"expression": "x1 + x2 + x3"}, "one operand or two"),
    ],
    ids=str,
)
def test_a_row_of_a_function_is_refused_likewise(columns: dict[str, object], said: str) -> None:
    given: dict[str, object] = {"kinds": (REAL,), "expression": "x", "about": "", **columns}
    with pytest.raises(ValueError, match=said):
        Elementwise(**given)


def test_a_note_tells_whether_the_standard_has_all_parameters() -> None:
    for name, signature in SIGNATURES.items():
        function = operator.attrgetter(name)(xarr)
        known = signature.parameters.values()
        at_places = sum(one.kind is one.POSITIONAL_ONLY for one in known)
        given = [*inspect.signature(function).parameters][at_places:]
        by_name = {one.name for one in known if one.kind is not one.POSITIONAL_ONLY}
        note = (inspect.getdoc(function) or "").partition("Notes\n-----\n")[2]
        assert note.startswith("Python Array API standard"), name
        assert ("further parameters as in NumPy" in note) is (not by_name.issuperset(given)), name
    for name in ("cross", "diagonal", "outer", "trace"):
        assert name not in SIGNATURES
        assert f"the Array API standard has `linalg.{name}`" in getattr(xarr, name).__doc__


def test_the_note_of_a_method_tells_whose_it_is() -> None:
    for name in dir(xarr.Array):
        method = getattr(xarr.Array, name)
        note = (getattr(method, "__doc__", None) or "").partition("Notes\n-----\n")[2]
        if name[0] != "_" and "standard" in note:
            is_numpys = not note.startswith("xarr's own method")
            assert is_numpys is hasattr(numpy.ndarray, name), name
            assert note.startswith("Python Array API") is (name == "to_device"), name


def test_a_result_without_an_axis_has_the_axes_that_its_docstring_tells() -> None:
    x = xarr.asarray([[3, 1], [2, 4]])
    arguments = {
        "argpartition": (x, 1), "compress": ([True, False], x), "concat": ([x, x],),
        "concatenate": ([x, x],), "delete": (x, 1), "insert": (x, 1, 1), "partition": (x, 1),
        "take_along_axis": (x, [0]),
    }  # fmt: skip
    told = [
        name
        for name in dir(xarr)
        if "; one axis if axis is None" in (getattr(getattr(xarr, name), "__doc__", None) or "")
    ]
    assert len(told) > 12
    for name in told:
        assert getattr(xarr, name)(*arguments.get(name, (x,)), axis=None).ndim == 1, name


def test_every_attribute_of_a_device_has_a_text() -> None:
    for name in dir(xarr.Device):
        assert name[0] == "_" or inspect.getdoc(inspect.getattr_static(xarr.Device, name)), name
