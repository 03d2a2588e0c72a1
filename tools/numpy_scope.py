"""Which of NumPy's own tests need what no device has: by rules, read from each test's source.

`RULES` is the one table. A test is out of scope where its own code, the set-up of its class, the
functions of its file that it calls, or one of its parameters needs what a rule names. A test that
fails because xarr lacks something numeric is in scope.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from tools.numpy_shim import is_private


@dataclass(frozen=True)
class Rule:
    """What puts a test out of scope."""

    why: str
    issue: bool
    """Whether it is of the kinds that are out of scope first of all: objects, strings, dates,
    records, Fortran order."""
    names: frozenset[str] = frozenset()
    """Names and attributes that the source uses."""
    text: str = r"(?!)"
    """What a string in the source is, as a data type is named."""
    keywords: frozenset[str] = frozenset()
    """Keywords of calls."""
    kinds: str = ""
    """Kinds of data type of a parameter."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LETTERS = r"[?bBhHiIlLqQpPnNefdgFDGSUVOMma]"

RULES = {
    "objects": Rule(
        "arrays of Python objects",
        True,
        _words("object object_ Decimal Fraction frompyfunc"),
        rf"[|<>=]?O\d?|object|(?={_LETTERS}{{4,}}$)\w*O\w*",
        kinds="O",
    ),
    "strings": Rule(
        "arrays of strings and bytes",
        True,
        _words("str_ bytes_ chararray char StringDType strings defchararray string_ unicode_"),
        rf"[|<>=]?[SUT]\d*|(?={_LETTERS}{{4,}}$)\w*[SU]\w*|str|bytes",
        kinds="SUT",
    ),
    "dates": Rule(
        "dates and durations",
        True,
        _words(
            "datetime64 timedelta64 busday_count busday_offset is_busday busdaycalendar "
            "datetime_as_string datetime_data isnat NaT"
        ),
        r"[<>=|]?[mM]8?(\[.*\])?|(datetime|timedelta)64.*|[nN]a[tT]",
        kinds="mM",
    ),
    "records": Rule(
        "records: structured data types",
        True,
        _words("rec recarray record void fromrecords recfunctions repack_fields recfromcsv"),
        rf"\|?V\d*|void|[<>=|]?\(?[\d,]*\)?{_LETTERS}\d*(,\s*[<>=|]?\(?[\d,]*\)?{_LETTERS}\d*)+,?",
        kinds="V",
    ),
    "Fortran order": Rule(
        "Fortran order",
        True,
        _words("asfortranarray isfortran f_contiguous fnc forc fortran farray ravel_multi_index_f"),
        r"[CFAK]{3,4}|CF|FC|F_CONTIGUOUS|FORTRAN|FNC|FORC|f_contiguous|fortran",
    ),
    "masked arrays": Rule("masked arrays", False, _words("ma masked_array MaskedArray mrecords")),
    "matrix": Rule(
        "numpy.matrix", False, _words("matrix asmatrix bmat mat matlib"), r"(as)?matrix|bmat"
    ),
    "long double": Rule(
        "long double",
        False,
        _words("longdouble clongdouble float96 float128 complex192 complex256 longcomplex"),
        rf"[<>=]?[gG]|[<>=]?(f16|c32|f12|c24)|c?longdouble|float128|(?={_LETTERS}{{4,}}$)\w*[gG]\w*",
        kinds="gG",
    ),
    "subclasses": Rule(
        "subclasses of ndarray, and the protocols that NumPy has for them",
        False,
        _words(
            "__array_ufunc__ __array_wrap__ __array_finalize__ __array_function__ "
            "__array_priority__ __array_prepare__ as_subclass NDArrayOperatorsMixin SubClass "
            "SimpleSubClass MySubClass array_function_dispatch"
        ),
        keywords=_words("subok"),
    ),
    "internals": Rule(
        "NumPy's private modules, C API, reference counts, C structures and memory policy",
        False,
        _words(
            "getrefcount HAS_REFCOUNT ctypes __array_interface__ __array_struct__ getbufsize "
            "setbufsize _get_ndarray_c_version nditer nested_iters memmap flatiter "
            "setpromotion get_handler_name frompyfunc_ add_docstring _no_tracing "
            "requires_deep_recursion extbuild PyCapsule get_include show_config "
            "implementation broadcast_arrays_warn _ufunc_reduce resolve_dtypes lapack_lite "
            "incref_elide incref_elide_l"
        ),
    ),
    "floating-point warnings": Rule(
        "warnings and exceptions of floating-point operations",
        False,
        _words("FloatingPointError seterrcall geterrcall seterr geterr"),
        r"raise_fp",
    ),
    "deprecations": Rule(
        "NumPy's own deprecations",
        False,
        _words("DeprecationWarning VisibleDeprecationWarning assert_deprecated PendingDeprecation"),
    ),
    "byte order": Rule(
        "another byte order than the machine's",
        False,
        _words("newbyteorder"),
        r">\w\d*|(?=.*>\w\d)[<>=|]\w+\d+",
    ),
    "bit generators": Rule(
        "the numbers of one of NumPy's bit generators",
        False,
        _words(
            "hashlib md5 get_state set_state jumped _legacy_seeding PCG64DXSM SFC64 MT19937_state"
        ),
    ),
}

WHOLE = {
    "lib/tests/test_recfunctions.py": "records",
    "lib/tests/test__datasource.py": "internals",
    "lib/tests/test__iotools.py": "internals",
    "lib/tests/test__version.py": "internals",
    "lib/tests/test_format.py": "internals",
    "lib/tests/test_mixins.py": "subclasses",
    "lib/tests/test_utils.py": "internals",
    "linalg/tests/test_deprecations.py": "deprecations",
    "random/tests/test_direct.py": "bit generators",
    "random/tests/test_extending.py": "internals",
    "random/tests/test_seed_sequence.py": "bit generators",
    "random/tests/test_smoke.py": "bit generators",
}
"""Files whose every test is out of scope."""

NAMED = {
    "_core/tests/test_multiarray.py::TestTextSignatures": "internals",
    "_core/tests/test_multiarray.py::TestSizeOf": "internals",
    "_core/tests/test_multiarray.py::TestWarnings": "internals",
    "_core/tests/test_umath.py::TestSpecialMethods::test_ufunc_docstring": "internals",
    "_core/tests/test_umath.py::TestAttributes::test_attributes": "long double",
    "_core/tests/test_umath.py::TestAttributes::test_doc": "internals",
    "_core/tests/test_umath.py::TestDivisionIntegerOverflowsAndDivideByZero": (
        "floating-point warnings"
    ),
    "_core/tests/test_umath.py::TestLog2::test_log2_special": "floating-point warnings",
    "_core/tests/test_umath.py::TestPower::test_zero_power_nonzero": "floating-point warnings",
    "_core/tests/test_umath.py::TestRoundingFunctions::test_object": "objects",
    "_core/tests/test_ufunc.py::TestUFuncInspectSignature": "internals",
    "_core/tests/test_ufunc.py::TestUfuncGenericLoops": "internals",
    "_core/tests/test_ufunc.py::TestLowlevelAPIAccess": "internals",
    "_core/tests/test_ufunc.py::TestUfunc::test_pickle_withstring": "internals",
    "_core/tests/test_ufunc.py::TestUfunc::test_struct_ufunc": "records",
    "_core/tests/test_ufunc.py::test_find_non_long_args": "strings",
    "fft/tests/test_pocketfft.py::TestFFT1D::test_s_axes_none": "deprecations",
    "lib/tests/test_io.py::TestSavezLoad::test_repr_lists_keys": "internals",
}
"""Tests that no rule finds, as "file::Class::test" or a beginning of it, and the rule's name.

Signatures that NumPy's C functions say, sizes in memory and the texts of its docstrings are
internals; NumPy warns of arguments that it will refuse one day.
"""

_ORDERS = _words("F A f a")
_ORDERED = _words("copy reshape ravel flatten tobytes")
_ERRSTATE = _words("raise warn call print log")
_ARRAYS = _words("array asarray asanyarray full full_like fill")


def _strings(node: ast.AST) -> bool:
    """Whether an expression is a string, or nested lists with one."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, ast.List | ast.Tuple) and any(_strings(item) for item in node.elts)


def _none(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.List | ast.Tuple) and any(_none(item) for item in node.elts)


def _fields(node: ast.AST) -> bool:
    """Whether an expression is the list of a record's fields."""
    if not isinstance(node, ast.List) or not node.elts:
        return False
    return all(
        isinstance(item, ast.Tuple)
        and len(item.elts) in (2, 3)
        and isinstance(item.elts[0], ast.Constant)
        and isinstance(item.elts[0].value, str)
        for item in node.elts
    )


def _last(node: ast.AST) -> str:
    """The last name of a dotted one."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _value(node: ast.AST) -> Any:
    """The value of a constant; None without."""
    return node.value if isinstance(node, ast.Constant) else None


def _of_call(node: ast.Call) -> Iterator[str]:
    name = _last(node.func)
    if name in _ORDERED and any(_value(item) in _ORDERS for item in node.args):
        yield "Fortran order"
    for keyword in node.keywords:
        for rule, row in RULES.items():
            if keyword.arg in row.keywords:
                yield rule
        if keyword.arg == "dtype" and isinstance(keyword.value, ast.List | ast.Dict):
            yield "records"
        if keyword.arg in ("dtype", "otypes") and _last(keyword.value) in ("str", "bytes"):
            yield "strings"
        value = _value(keyword.value)
        if keyword.arg == "order" and value in _ORDERS:
            yield "Fortran order"
        if name == "errstate" and value in _ERRSTATE:
            yield "floating-point warnings"
    first = node.args[0] if node.args else None
    if name in _ARRAYS and first is not None:
        if _strings(first):
            yield "strings"
        if _none(first):
            yield "objects"
    if name in ("dtype", "astype", "view") and isinstance(first, ast.List | ast.Dict):
        yield "records"
    if name in ("dtype", "astype") and first is not None and _last(first) in ("str", "bytes"):
        yield "strings"


def _of_text(value: str | bytes) -> Iterator[str]:
    if isinstance(value, str):
        for rule, row in RULES.items():
            if re.fullmatch(row.text, value):
                yield rule


@dataclass
class Source:
    """A file of tests: what each of them uses."""

    file: str
    tree: ast.Module
    owners: dict[str, ast.AST] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, path: Path, file: str) -> Source:
        """Read a file."""
        source = cls(file, ast.parse(path.read_text()))
        for node in source.tree.body:
            source._define(node)
        return source

    def _define(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.owners[node.name] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.owners.update({_last(target): node} if _last(target) else {})
        elif isinstance(node, ast.ImportFrom | ast.Import):
            self._import(node)

    def _import(self, node: ast.ImportFrom | ast.Import) -> None:
        for item in node.names:
            name = item.asname or item.name
            if isinstance(node, ast.Import):
                if item.name.startswith("numpy."):
                    self.modules[name] = item.name
            elif (node.module or "").startswith("numpy") and is_private(node.module, item.name):
                self.private.add(name)

    def _class_of(self, name: str) -> Iterator[ast.ClassDef]:
        """A class of the file and those that it is derived from."""
        node = self.owners.get(name)
        if isinstance(node, ast.ClassDef):
            yield node
            for base in node.bases:
                yield from self._class_of(_last(base))

    def _method(self, owner: str, name: str) -> ast.FunctionDef | None:
        for group in self._class_of(owner):
            for item in group.body:
                if isinstance(item, ast.FunctionDef) and item.name == name:
                    return item
        return None

    def _reached(self, owner: str, test: str) -> Iterator[ast.AST]:
        """The nodes of a test, of its set-up and of what it calls in the file."""
        begin = self._method(owner, test) if owner else self.owners.get(test)
        todo: list[ast.AST | None] = [begin]
        todo += [self._method(owner, name) for name in ("setup_method", "setup_class", "setup")]
        seen = set[int]()
        while todo:
            function = todo.pop()
            if function is None or id(function) in seen:
                continue
            seen.add(id(function))
            body = function.body if hasattr(function, "body") else [function]
            if isinstance(function, ast.FunctionDef):
                arguments = [item.arg for item in function.args.args]
                fixtures = [self._method(owner, name) for name in arguments]
                todo += [*fixtures, *map(self.owners.get, arguments)]
            for statement in body:
                for node in ast.walk(statement):
                    yield node
                    if isinstance(node, ast.Name):
                        todo.append(self._followed(node.id))
                    elif isinstance(node, ast.Attribute) and _last(node.value) in ("self", "cls"):
                        todo.append(self._method(owner, node.attr))

    def _followed(self, name: str) -> ast.AST | None:
        """The function or value of the file that a name means."""
        found = self.owners.get(name)
        return None if isinstance(found, ast.ClassDef) and name.startswith("Test") else found

    def _of_name(self, node: ast.Name | ast.Attribute | ast.alias) -> Iterator[str]:
        name = node.name if isinstance(node, ast.alias) else _last(node)
        for rule, row in RULES.items():
            if name in row.names:
                yield rule
        if isinstance(node, ast.Name):
            if name in self.private:
                yield "internals"
            if name == "desired" and self.file.startswith("random"):
                # What is desired of a seed are the numbers of NumPy's bit generator.
                yield "bit generators"
        elif isinstance(node, ast.Attribute):
            path = self.modules.get(_last(node.value), "")
            if path and (path.endswith("_tests") or is_private(path, name)):
                yield "internals"

    def _rules_of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Name | ast.Attribute | ast.alias):
            yield from self._of_name(node)
        elif isinstance(node, ast.FunctionDef):
            if node.name in RULES["subclasses"].names:
                yield "subclasses"
        elif isinstance(node, ast.ClassDef):
            if any(_last(base) in ("ndarray", "generic") for base in node.bases):
                yield "subclasses"
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield from _of_text(node.value)
        elif isinstance(node, ast.Call):
            yield from _of_call(node)
        elif _fields(node):
            yield "records"

    def rules(self, test: str) -> list[str]:
        """The rules that put a test, "Class::test" or "test", out of scope, in their order."""
        if self.file in WHOLE:
            return [WHOLE[self.file]]
        named = [why for name, why in NAMED.items() if f"{self.file}::{test}".startswith(name)]
        owner, _, name = test.rpartition("::")
        found = {rule for node in self._reached(owner, name) for rule in self._rules_of(node)}
        if re.search(r"object(_|s?$)", name):
            found.add("objects")
        return [rule for rule in RULES if rule in found or rule in named]


_TYPE = re.compile(r"d?type|typ|code|^dt|char|^t\d?$|cls|kind", re.IGNORECASE)


def _of_value(name: str, value: Any) -> Iterator[str]:
    """The rules that a parameter's value falls under."""
    if isinstance(value, list | tuple):
        if value and all(
            isinstance(item, tuple) and item and isinstance(item[0], str) for item in value
        ):
            yield "records"
        for item in value:
            yield from _of_value(name, item)
    elif isinstance(value, str) and name == "order":
        if value in _ORDERS:
            yield "Fortran order"
    elif isinstance(value, str) and _TYPE.search(name):
        yield from _of_text(value)
    elif isinstance(value, numpy.ma.MaskedArray):
        yield "masked arrays"
    elif isinstance(value, numpy.matrix):
        yield "matrix"
    elif value is object or value is str or value is bytes:
        yield "objects" if value is object else "strings"
    elif (
        isinstance(value, type) and issubclass(value, numpy.ndarray) and value is not numpy.ndarray
    ):
        yield "subclasses"
    else:
        yield from _of_dtype(value)


def _of_dtype(value: Any) -> Iterator[str]:
    given = getattr(value, "dtype", value)
    if isinstance(value, type) and issubclass(value, numpy.generic):
        try:
            given = numpy.dtype(value)
        except TypeError:
            return
    if isinstance(given, numpy.dtype):
        if not given.isnative:
            yield "byte order"
        for rule, row in RULES.items():
            if given.kind in row.kinds or given.char in row.kinds:
                yield rule


def rules_of_parameters(parameters: Mapping[str, Any]) -> list[str]:
    """The rules that put one case of a test out of scope."""
    found = {rule for name, value in parameters.items() for rule in _of_value(name, value)}
    return [rule for rule in RULES if rule in found]


_REFUSALS = {
    "subclasses": r".*: class \w+\(Array\): a subclass is defined",
    "objects": r"TypeError: \w+\(\w+, fill_value\): fill_value is of type NoneType",
    "internals": r"ValueError: x\.view\(dtype\): elements of the new dtype would lie across",
}
"""What xarr says where a test asks for what no device has; unaligned elements are internals."""

_REFUSED = re.compile(r"TypeError: .*: dtype is (?P<given>.+?); a dtype must be one of")


def rules_of_refusal(cause: str) -> list[str]:
    """The rules of what a test asked for and xarr refused, by what it failed of."""
    for rule, said in _REFUSALS.items():
        if re.match(said, cause):
            return [rule]
    found = _REFUSED.match(cause)
    if found is None:
        return []
    given = found["given"]
    if given.startswith(("dtype(", "[", "{", "(")):
        return ["records"]
    names = {
        "<class 'object'>": "objects",
        "<class 'str'>": "strings",
        "<class 'bytes'>": "strings",
    }
    if given in names:
        return [names[given]]
    given = re.sub(r"<class 'numpy\.(\w+)'>", r"\1", given).strip("'")
    return [
        rule for rule, row in RULES.items() if given in row.names or re.fullmatch(row.text, given)
    ]


def is_strict(rules: Iterable[str]) -> bool:
    """Whether one of the rules is of those that are out of scope first of all."""
    return any(RULES[rule].issue for rule in rules)
