"""Descriptions of parameters, errors and results of usual names and types, each once.

A key is a parameter's name, its name and annotation or another parameter, or its annotation.
"""

from __future__ import annotations

import re
from typing import Final

OR_FLATTENED: Final = "axis: SupportsIndex | None"

GLOSSARY: Final = {
    **dict.fromkeys(
        ("a", "arr", "ary", "m", "val", "x", ": ArrayLike"),
        "The operand: an Array, a number, a list of numbers or a NumPy array.",
    ),
    **dict.fromkeys(("x1: ArrayLike", "x2: ArrayLike"), "An Array, a list or a NumPy array."),
    **dict.fromkeys((f"{name}: Array" for name in ("a", "arr", "ary", "m", "x")), "The array."),
    "axis": "The axis; a negative one counts from the end.",
    "axis: Axis": "The axes; None for all of them.",
    OR_FLATTENED: "The axis; None works on the flattened array.",
    **dict.fromkeys(
        (f"axes: {kind}Sequence[SupportsIndex] | None" for kind in ("", "SupportsIndex | ")),
        "The axes; None for all of them.",
    ),
    **dict.fromkeys(("axis1", "axis2"), "An axis; a negative one counts from the end."),
    "keepdims": "Whether the reduced axes stay in the result, with length 1.",
    **dict.fromkeys(
        ("dtype", *(f"dtype beside {each}" for each in ("shape", "N", "n"))),
        "The data type; None for the device's default floating-point type.",
    ),
    **dict.fromkeys(
        ("dtype beside object", "dtype beside Any"),
        "The data type of the result; None for the type of the values. Python scalars\n"
        "    become bool, int64, or the device's default floating-point or complex type.",
    ),
    "dtype beside endpoint": "The data type; None for a floating-point type, or a complex one if\n"
    "    an end is complex.",
    "dtype beside subok": "The data type of the result; None for the operand's.",
    "dtype beside casting": "The data type of the result; None derives it from the operands.",
    **dict.fromkeys(
        (f"dtype beside {each}" for each in ("initial", "offset", "SupportsIndex | None")),
        "The data type of the result and of the computation. None for the operand's; for bools\n"
        "    and narrower integers it is int64 or uint64.",
    ),
    "dtype beside ddof": "The data type of the result and of the computation. None for the\n"
    "    operand's, or its real type if it is complex; for bools and integers it is the device's\n"
    "    default floating-point type.",
    "dtype beside Axis": "The data type of the result and of the computation. None for the\n"
    "    operand's; for bools and integers it is the device's default floating-point type.",
    "out": "The array to write the result to, of the result's shape; the values are converted to\n"
    "    the data type of `out`.",
    "out: Outs": "The arrays to write the results to, of the results' shape.",
    "where": "True for the elements to compute; elsewhere `out` keeps its elements.",
    "where beside keepdims": "True for the elements to include.",
    "initial": "A value to combine with the elements; the result if there are no elements.",
    "casting": 'The conversions to allow: "no", "equiv", "safe", "same_kind" or "unsafe".',
    "correction": "The divisor is N - correction, for N elements.",
    "ddof": "NumPy's name of `correction`; give at most one of the two.",
    "mean": "The mean, if it is known already; its reduced axes have one element.",
    "include_initial": "Whether the result begins with an extra 0 for sums, or 1 for products.",
    "order": 'The memory layout: in "C" the last index varies fastest, in "F" the first; "A"\n'
    '    is "F" for an array in Fortran order, else "C"; "K" keeps the order in memory.',
    "order beside sig": "Accepted for compatibility; has no effect: results lie in C order.",
    **dict.fromkeys(
        (f"order beside {name}" for name in ("indices", "multi_index")),
        "The index of the array that runs fastest: the last (C) or the first (F).",
    ),
    "subok": "Accepted for compatibility; has no effect: arrays have no subclasses.",
    "signature": 'The data types of operands and results, such as "dd->d"; in place of `dtype`.',
    "sig": "Another name of `signature`.",
    "like": "Accepted for compatibility; has no effect.",
    "shape": "The shape of the result.",
    "size": "The shape of the result; None for one number.",
    **dict.fromkeys(
        ("size beside Real", "size beside DTypeLike"),
        "The shape of the result. None for one number; if parameters are arrays, for the shape\n"
        "    to which they broadcast.",
    ),
    "device": "The device; None for the default device.",
    **dict.fromkeys(
        (f"device beside {name}" for name in ("a", "copy", "prototype")),
        "The device; None for the operand's if it has one, else the default device.",
    ),
    "device beside fill_value": "The device; None for that of `fill_value` if it has one,\n"
    "    else the default device.",
    "device beside num": "The device; None for that of `start` or `stop` if either is an Array\n"
    "    with axes, else the default device.",
    "copy": "True to copy always, False to copy never, None to copy if needed.",
    "norm": 'Which transform is divided by the number of points n: "backward" (or None) for the\n'
    '    inverse one, "forward" for the forward one; "ortho" divides both by sqrt(n).',
    "n: SupportsIndex | None": "The length of the signal along the axis: the operand is cut to\n"
    "    this length, or padded with zeros. None for the operand's length.",
    "s": "The lengths of the signal along `axes`: the operand is cut to them, or padded with\n"
    "    zeros. -1 keeps the length of an axis, None those of all. To give `s` without `axes` is\n"
    "    deprecated.",
    "deg": "The largest degree.",
    "df": "The degrees of freedom, positive.",
    "dtype: FloatType": "float64 or float32; None for the device's default floating-point type.",
    "dfnum": "The degrees of freedom of the numerator, positive.",
    "dfden": "The degrees of freedom of the denominator, positive.",
    "loc": "The mean.",
    **dict.fromkeys(("m: SupportsIndex", "m: int"), "The number of times."),
    "nonc": "The noncentrality, not negative.",
    "p: Real": "The probability that a trial succeeds.",
    "scale": "The scale, not negative.",
    "shape: Real": "The shape of the distribution, not negative.",
    "density": "Whether to scale the counts so that their integral over the bins is 1.",
    "overwrite_input": "Accepted for compatibility; has no effect: the operand is left as it is.",
    "method beside q": "The name of one of NumPy's thirteen definitions of a quantile.",
    "rowvar": "Whether each row is a variable; else each column is one.",
    "weights": "The weight of each element; None for 1.",
    "weights beside q": "The weights of the elements, of the shape of a or of its reduced axes;\n"
    '    None for 1. Only `method` "inverted_cdf" accepts them.',
    "log_stream": "The file to write the compiler's log to; None for no log.",
    "domain: Pair": "The interval of x; None for the class's.",
    "window: Pair": "The interval that the domain is mapped to; None for the class's.",
    "symbol: str": "The name of x in printed series.",
    "other: Any": "The series to compare with.",
    ": Coefficients": "The coefficients, of the highest power first.",
    "k: SupportsIndex": "The diagonal: 0 for the main one, positive above it, negative below it.",
    "offset: SupportsIndex": "The distance from the main diagonal, in columns; negative below it.",
    "N: SupportsIndex": "The number of rows.",
    "fun: Function": "The function to differentiate.",
    "argnums": "The positions of the arguments to differentiate by: floating-point arrays, or\n"
    "    tuples, lists, dicts and dataclasses of these.",
    "has_aux": "Whether `fun` returns a pair: the result, and auxiliary data.",
    "holomorphic": "Whether arguments, results and the derivative are complex.",
    **dict.fromkeys(
        ("M: SupportsIndex | None", "m: SupportsIndex | None"),
        "The number of columns; None for the number of rows.",
    ),
    "M: float": "The number of points; if it is below 1 the window is empty.",
    "hermitian": "Whether the matrices are Hermitian; their singular values are then computed as\n"
    "    the magnitudes of the eigenvalues.",
    "rtol: Any": "Singular values up to rtol times the largest count as zero. None for\n"
    "    max(M, N) times the dtype's epsilon.",
    "rtol: ArrayLike": "The relative tolerance: a and b may differ by atol + rtol * abs(b).",
    "atol: ArrayLike": "The absolute tolerance: a and b may differ by atol + rtol * abs(b).",
    "equal_nan": "Whether NaN counts as equal to NaN.",
    "UPLO": 'The triangle to read: "L" for the lower, "U" for the upper one.',
    "endpoint": "Whether `stop` is the last number; else the numbers end one step before it.",
    "fill_value": "The value; an Array broadcasts to the shape.",
    "mode: str": 'What to do with an index out of range: "raise" an error, "wrap" or "clip" it.',
    "mode beside multi_index": 'What to do with an index out of range: "raise" an error, "wrap"\n'
    '    or "clip" it; one mode for all axes, or one for each.',
    "kind": "Accepted for compatibility; has no effect: the device chooses the algorithm.",
    "order: Any": "For NumPy's structured arrays, which xarr does not have; must be None.",
    "n: SupportsIndex": "The number of rows; also of columns, if `m` is None.",
    "ndim: SupportsIndex": "The number of axes.",
    **dict.fromkeys(("arrays", "tup"), "The arrays."),
    "shape: ShapeLike | None": "The shape of the result; None for the operand's.",
    "new_shape": "The shape of the result.",
    "kth": "The position or positions, from -N to N - 1 for N elements, at which the\n"
    "    result agrees with sorting.",
    "indices: ArrayLike": "The indices, from -N to N - 1 for N elements along the axis.",
    "ind": "The indices, from -N to N - 1 for N elements.",
    "indices_or_sections": "The number of parts; or the indices at which the parts\n"
    "    after the first begin.",
    "condition: ArrayLike": "True, or nonzero, for each element to take.",
    "mask": "True, or nonzero, for each element to write; of the size of the array.",
    "writeable": "Whether the view may be written to; never if elements share memory.",
    "assume_unique": "Whether each array is known to have no duplicates.",
    **dict.fromkeys(
        ("a: Matrices", "a: Square", "A: Matrices", "x: Matrices", "x: Square"),
        "The matrices: float32, float64, complex64 or complex128; integers become the default\n"
        "    floating-point dtype.",
    ),
    "a: Signal": "The operand; integers become the default floating-point dtype; float16 is\n"
    "    computed in float32.",
    ": File": "The path, or the open file; for text also a sequence of lines.",
    "allow_pickle": "Whether to write NumPy arrays of objects, by pickle.",
    "allow_pickle beside mmap_mode": "Whether to read NumPy arrays of objects, by pickle.",
    "count: int": "The number of elements to read; all if negative.",
    "bitorder": '"big" if the first element is the highest bit of a byte, "little" for the lowest.',
    "max_line_width": "The longest line, in characters; None for what `set_printoptions` set.",
    "precision": "The number of digits after the point; None for what `set_printoptions` set.",
    "suppress_small": "Whether to write small numbers without an exponent, if need be as 0;\n"
    "    None for what `set_printoptions` set.",
}
"""The meaning of parameters, by name, by name and annotation or another name, or by annotation."""

ERRORS: Final = {
    **dict.fromkeys(("axis", "axes", "axis1"), ("AxisError", "If an axis is out of range.")),
    **dict.fromkeys(
        ("arrays beside axis", "tup", "x2: ArrayLike"),
        ("ValueError", "If the shapes are not compatible."),
    ),
    "indices_or_sections": ("ValueError", "If the axis cannot be cut into these parts."),
    **dict.fromkeys(
        ("indices beside axis", "ind: Any"), ("IndexError", "If an index is out of range.")
    ),
    "size: Size": ("ValueError", "If a parameter is out of range or an extent negative."),
    "kth": ("ValueError", "If an index is out of range."),
    "UPLO": ("ValueError", 'If `UPLO` is neither "L" nor "U".'),
    "bitorder": ("ValueError", 'If `bitorder` is neither "big" nor "little".'),
    "ddof": ("ValueError", "If `ddof` and `correction` are both given."),
    "deg": ("ValueError", "If a degree is negative."),
    **dict.fromkeys(
        ("m: SupportsIndex", "m: int"), ("ValueError", "If the number of times is negative.")
    ),
    "ord": ("ValueError", "If `ord` is none of these."),
    "order: Any": ("ValueError", "If `order` is given, or `kind` is unknown."),
    "s": ("TypeError", "If `s` is no sequence of integers."),
    "dtype: FloatType": ("TypeError", "If `dtype` is neither float64 nor float32."),
    "q": ("ValueError", "If q is out of range, `method` unknown, or a weight negative."),
    "norm": ("ValueError", "If a length is below 1, or `norm` is unknown."),
    **dict.fromkeys(
        (": ArrayLike", ": Array"),
        (
            "TypeError",
            "If an operand cannot be converted to an array, or its data type is not supported.",
        ),
    ),
    **dict.fromkeys(
        (": DeviceLike", ": Device | str | None"), ("ValueError", "If there is no such device.")
    ),
    ": Coefficients": ("TypeError", "If coefficients cannot be converted to an array."),
    "shape beside fill_value": (
        "ValueError",
        "If an extent is negative, or `fill_value` does not broadcast to the shape.",
    ),
    **dict.fromkeys(
        (": ShapeLike", "new_shape"),
        ("ValueError", "If an extent is negative, or the shape has too many elements."),
    ),
    ": DTypeLike": ("TypeError", "If there is no such data type, or the device lacks it."),
    ": Matrices": (
        "LinAlgError",
        "If there are fewer than two axes, or the SVD does not converge.",
    ),
    ": Square": ("LinAlgError", "If a matrix is not square."),
}
"""The errors of parameters; their keys are as those of `GLOSSARY`."""

LIMITS: Final = {
    **dict.fromkeys(
        (
            *("fill_value", "initial", "b: ArrayLike | None", "src: ArrayLike", "test_elements"),
            *("v beside ind", "v beside side", "val: Any", "vals: Any", "values: Any"),
            *("x1: Any", "x2: ArrayLike"),
        ),
        ("OverflowError", "If a Python integer does not fit into the data type."),
    ),
    **dict.fromkeys(
        (": DeviceLike", "size: Size"),
        ("MemoryError", "If the result does not fit into the device's memory."),
    ),
}
"""Errors of values that are too large, by parameters: each beside that of `ERRORS`."""

RETURNS: Final = {
    "Made": "series",
    "keepdims": "Array, shape of the operand without the reduced axes, unless `keepdims`",
    "include_initial": "Array, shape of x; one longer along the axis with `include_initial`",
    "Coefficients": "Array, or poly1d if an operand is a poly1d\n"
    "    The coefficients, of the highest power first.",
    "Floats": "float if size is None; else Array, of the device's default floating-point type",
    "Floats beside dtype": "float if size is None and no parameter is an array; else Array\n"
    "    Of `dtype`, or of the device's default floating-point type.",
    "Floats beside Real": "float if size is None and no parameter is an array; else Array\n"
    "    Of the device's default floating-point type.",
    "Integers": "int if size is None; else Array of int64",
    "Integers beside Real": "int if size is None and no parameter is an array; else Array of int64",
}
"""The default text of "Returns", by a parameter or by the annotation of the result, maybe beside
another parameter or annotation."""

SAMPLES: Final[dict[str, str]] = dict(
    re.findall(
        r"(\w+)=(\S+)",
        "a=3 b=2 df=3 dfnum=2 dfden=5 nonc=1 loc=0.0 scale=2.0 shape=2.0 mean=1.0 sigma=1.0 mu=0.0 "
        "kappa=2.0 lam=3.0 n=10 p=0.5 left=0 mode=1 right=3 ngood=10 nbad=5 nsample=4",
    )
)
"""The values of distributions' parameters in the examples."""

TYPES: Final = {
    "Function": "function",
    "Coefficients": "Array, shape (N,), or poly1d",
    "ArrayLike": "Array, shape (...)",
    "Array": "Array, shape (...)",
    "Any": "object",
    "Host": "numpy.ndarray",
    "Shape": "tuple of int",
    "builtins.bytes": "bytes",
    "dict[str, int]": "dict of str to int",
    "dict[str, str]": "dict of str to str",
    "Iterator[None]": "context manager",
    "list[Array]": "list of Array",
    "tuple[Array, Array]": "tuple of two Arrays",
    "tuple[Array, ...]": "tuple of Array",
    "type[Any]": "type",
    "AnyDType": "dtype",
    "Axis": "int, tuple of int or None",
    "DTypeLike": "dtype or None",
    "DeviceLike": "Device, str or None",
    "File": "path or open file",
    "Matrices": "floating-point Array, shape (..., M, N)",
    "Signal": "floating-point Array, shape (...)",
    "Square": "floating-point Array, shape (..., M, M)",
    "Norm": '{"backward", "ortho", "forward"}',
    "Out": "Array or None",
    "Outs": "tuple of Array, or None",
    "FloatType": "dtype or None",
    "Pair": "pair of float or None",
    "Sequence[SupportsIndex]": "sequence of int",
    "tuple[str, ...]": "tuple of str",
    **dict.fromkeys(("out: Any", "like: Any", "out: Array | None"), "Array or None"),
    **dict.fromkeys(("where: ArrayLike", "mask: Any"), "bool Array, shape (...)"),
    **dict.fromkeys(("rtol: ArrayLike", "atol: ArrayLike", "rtol: Any"), "float or Array"),
    **dict.fromkeys(("kth: Any", "indices_or_sections: Any"), "int or sequence of int"),
    **dict.fromkeys(("tup: Any", "arrays: Any"), "sequence of Array"),
    "initial: ArrayLike | None": "number or Array, optional",
    "ind: Any": "int or integer Array",
    "fill_value: Any": "number or Array",
    "order: Any": "None",
    "axis: Any": "int",
    "TextIO": "open text file",
    "Real": "real Array or number",
    "Size": "int, tuple of int or None",
    "ShapeLike": "int or tuple of int",
    "Signature": "str, tuple of dtype, or None",
    "SupportsIndex": "int",
}
"""The words for annotations, or for one of a parameter of that name."""
