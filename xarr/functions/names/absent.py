"""The error for a name that xarr lacks: its successor, why it is absent, or the nearest name."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable
from types import ModuleType
from typing import Final

import numpy

from xarr.algorithms import library
from xarr.backends.device import default_device
from xarr.errors import refused

_PAGE: Final = "docs/names.md compares the names"

_BECAME: Final = {
    **dict(
        re.findall(
            r"(\w+)=(\S+)",
            "Inf=inf Infinity=inf NINF=-inf NZERO=-0.0 NaN=nan PINF=inf PZERO=0.0 alltrue=all "
            "cfloat=complex128 complex=complex128 complex_=complex128 cumproduct=cumprod "
            "find_common_type=result_type float=float64 float_=float64 in1d=isin infty=inf "
            "int=int64 issubsctype=issubdtype longcomplex=complex128 longfloat=float64 "
            "product=prod rank=ndim round_=round set_string_function=set_printoptions "
            "singlecomplex=complex64 sometrue=any trapz=trapezoid ",
        )
    ),
    "alen": "len(x)",
    "asfarray": "asarray(x, dtype=float)",
    "asscalar": "x.item()",
    "byte_bounds": "numpy.lib.array_utils.byte_bounds(numpy.asarray(x))",
    "cast": "asarray(x, dtype)",
    "disp": "print(x)",
    "fastCopyAndTranspose": "x.T.copy()",
    "issctype": "isinstance(x, type) and issubclass(x, numpy.generic)",
    "issubclass_": "issubclass(x, y)",
    "obj2sctype": "dtype(x).type",
    "safe_eval": "ast.literal_eval(x)",
    "sctype2char": "dtype(x).char",
}
"""The successors of names that NumPy has removed."""

_OBJECTS: Final = "Python's objects are not on a device; numpy has arrays of them"
_TEXT: Final = "strings are not on a device; use numpy's arrays of them, or Python's str"
_DATES: Final = (
    "dates are not on a device; use numpy's, and take numbers to the device, as "
    "(dates - dates[0]) / numpy.timedelta64(1, 's')"
)
_RECORDS: Final = "records are not on a device; keep an array for each field"
_MATRIX: Final = "arrays of two axes are matrices; write x @ y for the product"
_LONG: Final = "a device has no long double; use float64 or complex128"
_C: Final = "it is about NumPy's own memory; take it from numpy, with numpy.asarray(x)"
_PRIVATE: Final = "it is NumPy's own; take it from numpy"

_ELSEWHERE: Final = {
    "object": _OBJECTS,
    **dict.fromkeys(("char", "chararray", "compare_chararrays", "str"), _TEXT),
    **dict.fromkeys(("string_", "strings", "unicode", "unicode_"), _TEXT),
    **dict.fromkeys(("busday_count", "busday_offset", "busdaycalendar", "is_busday"), _DATES),
    **dict.fromkeys(("datetime_as_string", "datetime_data", "isnat"), _DATES),
    **dict.fromkeys(
        ("format_parser", "rec", "recarray", "recfromcsv", "recfromtxt", "record"), _RECORDS
    ),
    **dict.fromkeys(("asmatrix", "bmat", "mat", "matlib", "matrix"), _MATRIX),
    **dict.fromkeys(("clongfloat", "complex256", "float96", "float128"), _LONG),
    **dict.fromkeys(("ctypeslib", "f2py", "nested_iters"), _C),
    **dict.fromkeys(("compat", "core", "distutils", "lookfor", "source"), _PRIVATE),
    **dict.fromkeys(("test", "Tester", "who"), _PRIVATE),
    "version": "xarr.__version__ is xarr's own, numpy.__version__ NumPy's",
}
"""The advice for names of what no device holds."""


def masked_arrays() -> ModuleType:
    """NumPy's module of masked arrays, which stay on the host; other devices warn of it once."""
    device = default_device()
    if not library.is_preferred(device):
        library.warn_once("xarr.ma", device)
    return importlib.import_module("numpy.ma")


def remedy(name: str) -> str:
    """Advise on a name of NumPy's main namespace that xarr lacks; "" where there is no advice."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    return f"write {_BECAME[name]}" if name in _BECAME else ""


def missing(space: str, name: str, known: Iterable[str]) -> AttributeError:
    """Make the error for a name that a module of xarr, as "xarr.linalg", lacks."""
    if name.startswith("_"):
        return AttributeError(f"module {space!r} has no attribute {name!r}", name=name)
    where = f"{space}.{name}"
    names = [one for one in known if not one.startswith("_")]
    top = space == "xarr"
    if top and name in _ELSEWHERE:
        return refused(AttributeError, where, "xarr has no such name", _ELSEWHERE[name])
    if top and name in _BECAME:
        new = _BECAME[name]
        new = f"{space}.{new}" if new in names else new
        return refused(AttributeError, where, "NumPy has removed this name", f"write {new}", _PAGE)
    near = difflib.get_close_matches(name, names, 1, 0.6)
    nearest = f"the nearest is {space}.{near[0]}" if near else ""
    given = "there is no such name"
    if _in_numpy(space, name):
        given = f"xarr lacks NumPy's {space.replace('xarr', 'numpy', 1)}.{name}"
        nearest += ("; " if nearest else "") + "NumPy's takes arrays, on the host"
    return refused(AttributeError, where, given, nearest, _PAGE)


def _in_numpy(space: str, name: str) -> bool:
    """Whether NumPy has a name in the module that one of xarr's stands for."""
    found: object = numpy
    for part in space.split(".")[1:]:
        found = getattr(found, part, None)
    return name in dir(found)
