"""Calls made of every function's parameters: shapes without elements, and numbers that do not fit.

`XARR_SWEEP=all` runs every call, as `make nightly` does; else one of `EVERY`.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.functions.calls import alike, forced, ran, rows

ALL: Final = os.environ.get("XARR_SWEEP") == "all"
EVERY: Final = 12
SHAPES: Final = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3))
SPACES: Final[dict[str, tuple[Any, Any]]] = {
    "": (xarr, numpy),
    "linalg.": (xarr.linalg, numpy.linalg),
    "fft.": (xarr.fft, numpy.fft),
    "x.": (xarr.Array, numpy.ndarray),
}
X: Final = "np.zeros({shape})"
ARRAYS: Final = (
    "A a x x1 m arr ary array z p f prototype X ar ar1 a1 filt object seq_of_zeros number y sample"
)
"""Names of parameters that are given an array without elements, alone or beside another one."""
BESIDE: Final = "b x2 a2 ar2 y v u test_elements element"
"""Names of further operands, which are of the same shape, or a number, or numbers."""
VALUES: Final[dict[str, str]] = {
    "M num beta": "0|2",
    "N n": "0|1|2|-1",
    "arrays tup": f"[{X}]|[{X}, {X}]|[{X}, np.zeros(3)]|[{X}, np.zeros((0, 1))]|[]|{X}",
    "axes": "None|0|-1|1|{axes}|(0, 1)|(0, {ndim})|()",
    "axis": "None|0|-1|1|2|{ndim}|-{ndim} - 1",
    "axis1 axis2 axisa source destination": "0|-1|1|{ndim}",
    "bins": "3|[]|[0.0, 1.0]|[1]",
    "choicelist": f"[]|[{X}]|[1]",
    "choices": f"[1, 2]|[{X}, 1]|[]",
    "condition": "[]|np.zeros({shape}, bool)|[True]|True",
    "condlist": "[]|[np.zeros({shape}, bool)]",
    "deg ddof decimals k offset edge_order": "0|1|-1",
    "dims dimensions": "{shape}|(0, 2)|(2, 2)",
    "dtype": "'float32'",
    "fill_value val vals values src": f"7|[]|[7]|[7, 8, 9]|{X}",
    "func func1d": "np.sum|np.max|np.cumsum|lambda v: v[:2]",
    "funclist": "[]|[1]|[1, 2]",
    "ind indices": "0|[]|[0]|2|np.zeros({shape}, 'int64')|np.zeros((0, 2), 'int64')",
    "indices_or_sections": "1|3|2|[1, 2]|0",
    "keepdims returned return_index return_inverse return_counts return_indices": "True",
    "include_initial assume_unique invert equal_nan retstep full hermitian upper density": "True",
    "full_matrices compute_uv rowvar endpoint copy": "False",
    "initial dx default left tol rcond min": "1",
    "keys": f"{X}|[{X}, {X}]|()",
    "kth": "0|1|-1|[]",
    "mask": "True|[]|np.zeros({shape}, bool)|np.zeros(3, bool)",
    "minlength count period": "0|3",
    "mode": "'clip'|'same'|'full'|'edge'|'complete'|'reflect'|'mean'",
    "multi_index": "([], [])|([0], [0])|np.zeros((2, 0), 'int64')",
    "method": "'nearest'|'inverted_cdf'",
    "obj": "0|1|-1|[]|[1]|slice(None)|slice(1, 2)|[True, False, True]",
    "ord p": "1|2|inf|-inf|0|'fro'|'nuc'|-1|-2",
    "order": "'F'",
    "pad_width": "0|1|((1, 2),)|(0, 1)",
    "prepend append to_end to_begin": "9|[]|[8, 9]",
    "q": "50|0.5|[0.25, 0.5]|[]",
    "range": "(0, 1)",
    "repeats": "0|2|[2]|[1, 2, 3]|[]",
    "reps": "0|2|(2, 2)|()",
    "s": "(0,)|(1, 1)|(2, 2)",
    "shape new_shape": "{shape}|-1|(0, -1)|(1, 0)|(3,)|(0, 2)",
    "shift": "1|(1, 2)",
    "side": "'right'",
    "sorter": "[]|[0]",
    "start stop": f"1|-100|[]|{X}",
    "trim": "'f'",
    "weights": f"[]|[1, 2, 3]|{X}",
    "where": "False|np.zeros({shape}, bool)",
    "xp fp": f"{X}|[0.0, 1.0]",
    **dict.fromkeys(BESIDE.split(), f"{X}|1|np.zeros(3)|[]"),
}
"""The arguments of parameters, by their names, where `ARRAYS` has none."""
GIVEN: Final = {name: text.split("|") for names, text in VALUES.items() for name in names.split()}
NO_ARRAYS: Final = """
arange array2string array_repr array_str base_repr binary_repr broadcast_shapes can_cast einsum
diag_indices einsum_path empty eye finfo iinfo from_dlpack frombuffer fromfile fromfunction fromiter
frompyfunc fromregex fromstring full genfromtxt get_include get_printoptions getbufsize geterr tri
geterrcall identity info isdtype isfortran isscalar issubdtype iterable load loadtxt mask_indices
may_share_memory memmap mintypecode min_scalar_type ones printoptions promote_types result_type save
savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall shares_memory typename
show_config show_runtime tril_indices triu_indices zeros fft.fftfreq fft.rfftfreq bartlett blackman
hamming hanning kaiser format_float_positional format_float_scientific asarray_chkfinite common_type
x.dump x.dumps x.item x.tofile x.to_device x.setflags x.view
"""
"""Functions that take no arrays, or of arrays the type alone, or make text or files of them."""
WRITING: Final = ("put", "putmask", "place", "put_along_axis", "fill_diagonal", "copyto")
CHOSEN: Final = (
    ("NumPy fails by accident", r" not (AttributeError|ZeroDivisionError|UnboundLocalError)\b"),
    ("NumPy fails by accident", r" gives (?!IndexError).* not IndexError: (list|tuple|index)"),
    ("NumPy fails by accident", r"(median|ntile)\(.*axis=\(\).* not ValueError: cannot reshape"),
    (
        "what is empty has any values",
        r"np\.empty_like\(.* (elements are wrong|Mismatched elements)",
    ),
    ("a result without axes is an Array", r"np\.(imag|real|linalg\.matrix_rank)\(.* is of type"),
    ("the step is a float", r"retstep=True\) is of type"),
    ("the result is named", r"np\.linalg\.lstsq"),
    ("nanquantile of no elements has the axes of q", r"np\.nan(quant|percent)ile\(.* has shape"),
    ("eigenvalues are complex", r"np\.linalg\.eig(vals)?\("),
    ("a variance of no elements is NaN", r"(std|var)\(.*ddof=-1"),
    ("`axes` is None by default, or a tuple", r" not TypeError: axes should be a list"),
    ("an empty list holds no index", r"partition\(.*\[\]"),
    ("weights are as many as elements", r"np\.(histogram(2d|dd)|bincount)\(.*weights"),
    ("an empty list is of floats", r"(dot|inner)\(.*\[\]\) has dtype float64"),
    ("a number takes the array's data type", r"np\.(intersect1d|setxor1d)\(.* has dtype int32"),
    ("the quantiles of nothing are refused", r"np\.(quantile|percentile)\(.*\[\].* gives IndexE"),
    ("an inverse is floating-point", r"np\.linalg\.pinv\(.* has dtype float64"),
    ("an integer beyond 64 bits is of no data type", r"2\*\*70.*Error"),
    (
        "a number that does not fit is refused",
        r" gives (Value|Overflow)Error: .*(out of bounds|too large|cannot convert).* not \{",
    ),
    ("a complex number is no real one", r"(\dj|complex\(nan,0)\).* gives TypeErr.* not (\{|Value)"),
    ("any number is true", r"'bool'\).* not OverflowError"),
    (
        "two faults, of which either is told",
        r"(apply_over_axes|choose|copyto|cross|histogram2d|ravel_multi_index|rollaxis|rot90|"
        r"take_along_axis|unravel_index)\(.* gives \w+Error: .* not \w+Error: ",
    ),
    ("an extent is not negative", r"np\.unravel_index\(.*\(0, -1\)"),
    (
        "an operand is a matrix, or square",
        r"np\.linalg\.(multi_dot|pinv|tensorsolve)\(.* gives Lin",
    ),
    ("a matrix has two axes", r"np\.linalg\.matrix_norm\(.* gives LinAlgError"),
    ("NumPy 2.5 takes None by accident", r"np\.linalg\.cross\(.*axis=None\) gives TypeError"),
    ("an axis is not negative", r"tensordot\(.*axes=(None|-1)"),
    ("an older name of a mode", r"np\.linalg\.qr\(.*mode='full'"),
    ("dtype names the type of the operand", r"np\.(frexp|ldexp)\(.*dtype="),
    (
        "values broadcast, also where none is inserted",
        r"np\.insert\(.* gives ValueError: broadcast",
    ),
)
"""What differs from NumPy and may: a reason, and what a fault looks like."""


def sampled(calls: list[str]) -> list[str]:
    """The calls of a usual run: always the same ones, and at least one."""
    if ALL:
        return calls
    return [call for call in calls if zlib.crc32(call.encode()) % EVERY == 0] or calls[:1]


def functions() -> Iterator[tuple[str, str]]:
    """The names of functions that NumPy has as well, and each name's first in `SPACES`."""
    for prefix, (ours, theirs) in SPACES.items():
        for name in dir(ours):
            function, like = getattr(ours, name), getattr(theirs, name, None)
            told = callable(function) and callable(like) and not isinstance(function, type)
            if told and not name.startswith("_") and prefix + name not in NO_ARRAYS.split():
                yield prefix, name


def made(name: str, prefix: str = "") -> Iterator[list[str]]:
    """The calls of a function: each choice of what it needs, then the same with each option."""
    ours, theirs = (inspect.signature(getattr(space, name)).parameters for space in SPACES[prefix])
    needed, options = list[list[str]](), list[tuple[str, list[str]]]()
    for number, part in enumerate(ours.values()):
        if part.kind is part.VAR_POSITIONAL:
            needed.append([X, f"{X}, 1"])
        elif number == 0 and (part.name in ARRAYS.split() or prefix == "x."):
            needed.append([X])
        elif part.default is part.empty and part.kind is not part.VAR_KEYWORD:
            needed.append(GIVEN.get(part.name, [X]))
        elif part.name in GIVEN and (part.name in theirs or "kwargs" in theirs):
            options.append((part.name, GIVEN[part.name]))
    for first, *others in itertools.product(*needed):
        if prefix == "x.":
            start = f"x = {first}; y = x.{name}(" + ", ".join(others)
        elif name in WRITING:
            start = f"x = {first}; np.{name}(" + ", ".join(["x", *others])
        else:
            start = f"np.{prefix}{name}(" + ", ".join([first, *others])
        comma = "" if start.endswith("(") else ", "
        calls = [f"{start})"]
        for key, values in options:
            calls += [f"{start}{comma}{key}={value})" for value in values]
            if (
                key == "axis"
                and "keepdims" in ours
                and not {"keepdims", "kwargs"}.isdisjoint(theirs)
            ):
                among = (*values, "{axes}", "()", "(0, 0)")
                calls += [f"{start}{comma}axis={value}, keepdims=True)" for value in among]
        yield calls


def outcome(call: str, space: Any) -> Any:
    names = {"np": space, "numpy": numpy, "nan": numpy.nan, "inf": numpy.inf}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = ran(call, names)
            forced(result)
        except Exception as error:  # noqa: BLE001 - which is compared
            return error
    return result


def fault(call: str, wanted: Any) -> str:
    """How xarr's outcome differs from NumPy's; empty where it does not, or may."""
    got = outcome(call, xarr)
    if isinstance(wanted, Exception) or isinstance(got, Exception):
        same = isinstance(wanted, Exception) and isinstance(got, public(type(wanted)))
        told = "" if same else f"{call} gives {said(got)}, not {said(wanted)}"
    else:
        try:
            alike(got, wanted, call, 1e-6)
            told = ""
        except AssertionError as error:
            told = " ".join(str(error).split())[:300]
    return "" if any(re.search(pattern, told) for _, pattern in CHOSEN) else told


def public(kind: type[Exception]) -> type[Exception]:
    """The nearest base of an exception that users can name."""
    spaces = ("builtins", "numpy.exceptions", "numpy.linalg")
    return next(base for base in kind.__mro__ if base.__module__ in spaces)


def said(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {' '.join(str(value).split())[:150]}"
    return " ".join(repr(value).split())[:150]


def faults_of(calls: list[str]) -> Iterator[str]:
    """The faults of a call and of the same with options, where NumPy takes it without them."""
    for call in calls[:1] + sampled(calls[1:]):
        wanted = outcome(call, numpy)
        told = fault(call, wanted)
        if told:
            yield told
        if call is calls[0] and isinstance(wanted, Exception):
            return


def filled(call: str, shape: tuple[int, ...], dtype: str) -> str:
    call = call.replace(X, f"np.zeros({{shape}}, '{dtype}')")
    return call.format(shape=shape, ndim=len(shape), axes=tuple(range(len(shape))))


@pytest.mark.parametrize(("prefix", "name"), [*functions()])
def test_shapes_without_elements(prefix: str, name: str) -> None:
    each = [
        [filled(call, shape, dtype) for call in calls]
        for calls in made(name, prefix)
        for shape in SHAPES
        for dtype in ("float64", "int32")
    ]
    chosen = set(sampled([calls[0] for calls in each]))
    found = [told for calls in each if calls[0] in chosen for told in faults_of(calls)]
    assert not found, "\n".join(found[:20])


NUMBERS: Final = """
y = np.{min|max|sum|prod|nanmin|nanmax|nansum|nanprod}(x, initial=V)
y = x.{min|max|sum|prod}(initial=V)
y = np.{add|maximum}.reduce(x, initial=V)
y = np.{sum|max}(x[:0], initial=V)
y = np.sum(x, where=V)
y = np.add(x, 1, where=V, out=np.zeros(3, x.dtype))
y = np.{full(2, V, x.dtype)|full_like(x, V)|full_like(x, [V, V, V])|array([V], x.dtype)}
x.fill(V)
x[{0|:|[0]|x > 0|...}] = V
x[{0|:}] = numpy.asarray(V)
x[{0|:}] = np.asarray(V)
x[:] = np.asarray([V, V, V])
x[:] = [V, V, V]
np.copyto(x, {V|[V, V, V]|V, casting="unsafe"})
np.putmask(x, [1, 0, 1], {V|[V]|np.asarray([V])})
np.put(x, [0], {V|[V]|np.asarray([V])})
np.place(x, [1, 0, 1], {V|[V]|np.asarray([V])})
np.put_along_axis(x, np.asarray([0]), V, 0)
np.fill_diagonal(x.reshape(1, 3), V)
np.add.at(x, [0], V)
y = np.insert({x, 0, V|x, [0, 1], [V, 1]|x, 0, np.asarray([V])})
y = np.pad(x, 1, constant_values=V)
y = np.pad(x, 1, "linear_ramp", end_values=V)
y = np.clip(x, {V, None|None, V})
y = np.nan_to_num(x, nan=V, posinf=V)
y = np.select([x > 0], {[x], V|[V]})
y = np.where(x > 0, x, V)
y = np.choose([0, 1, 0], [x, V])
y = np.searchsorted(x, {V|[V]})
y = np.isin(x, {V|[V]})
y = np.{piecewise(x, [x > 0], [V])|digitize(x, [V])|maximum(x, V)|equal(x, V)}
y = x + V
x += V
y = x < V
y = np.interp(x, [0, 1], [2, 3], left=V)
y = np.repeat(x, [V] * 3)
"""
DTYPES: Final = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 complex64"
GIVEN_NUMBERS: Final = """
nan inf -inf 300 -5 2**63 -2**63 2**70 1e300 2.7 1+2j complex(nan,0) True numpy.float64(nan)
numpy.float32(2.7) numpy.int64(300) numpy.uint64(2**63) numpy.int8(-5) numpy.complex64(1j)
"""
"""Numbers of each kind, most of which do not fit into most data types."""


@pytest.mark.parametrize("template", rows(NUMBERS))
def test_numbers_that_do_not_fit(template: str) -> None:
    calls = [
        f"x = np.asarray([1, 0, 2], '{dtype}'); " + re.sub(r"\bV\b", f"({number})", template)
        for dtype in DTYPES.split()
        for number in GIVEN_NUMBERS.split()
    ]
    found = [told for call in sampled(calls) if (told := fault(call, outcome(call, numpy)))]
    assert not found, "\n".join(found[:20])
