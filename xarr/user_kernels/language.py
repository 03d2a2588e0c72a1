"""The C of a program's own kernels: one set of functions, constants and types for all devices.

The tables say what each name becomes in xarr's words. A name that they do not have is refused in
the same sentence on every device, so that nothing is taken from a device's library.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable
from itertools import product
from typing import Final, NamedTuple

from xarr import dtypes
from xarr.codegen import source

PREFIX: Final = "xr_c_"
_NARROW: Final = "_narrow"
_FLOATS: Final = ("f32", "f64")
_INTEGERS: Final = ("i32", "u32", "i64", "u64")


class Called(NamedTuple):
    """A function of C: for which types of operands it is there, and its value.

    takes : "real", "number" or "integer"
        Real functions take integers as the widest floating-point type, as C's type-generic ones do.
    operands : int -- The number of operands, of whose types the common one is T.
    value : str -- Its value as an expression of x1, x2, x3, with T in place of the type.
    result : str -- The type of the result.
    more : str -- The declaration of a further parameter, `n`, which has a type of its own.
    real : str -- The value where T is a floating-point type, if that is another expression.
    """

    takes: str
    operands: int
    value: str
    result: str = "T"
    more: str = ""
    real: str = ""


def _real(names: str, value: str, operands: int = 1, result: str = "T") -> dict[str, Called]:
    """Rows of real functions, with and without C's suffix for float."""
    made = dict[str, Called]()
    for name in names.split():
        row = Called("real", operands, value.format(name), result)
        made |= {name: row, f"{name}f": row}
    return made


_FUNCTIONS: Final = {
    **_real("acos acosh asin asinh atan atanh cbrt cos cosh exp exp2 expm1", "xr_{}_T(x1)"),
    **_real("log log10 log1p log2 sin sinh tan tanh erf erfc", "xr_{}_T(x1)"),
    **_real("lgamma round rsqrt tgamma", "xr_{}_T(x1)"),
    **_real("ceil fabs floor rint sqrt trunc", "{}(x1)"),
    **_real("nearbyint", "(rint(x1))"),
    **_real("exp10", "xr_pow_T((T)10.0f, x1)"),
    **_real("lrint llrint", "xr_to_i64_T(rint(x1))", result="i64"),
    **_real("lround llround", "xr_to_i64_T(xr_round_T(x1))", result="i64"),
    **_real("atan2 fmax fmin fmod hypot nextafter pow", "xr_{}_T(x1, x2)", 2),
    **_real("copysign", "copysign(x1, x2)", 2),
    **_real("fdim", "xr_fdim_T(x1, x2)", 2),
    **_real("remainder", "xr_ieee_remainder_T(x1, x2)", 2),
    **_real("fma", "fma(x1, x2, x3)", 3),
    **{
        name: Called("real", 1, "xr_ldexp_T(x1, (T)n)", more="const i32 n")
        for name in ("ldexp", "ldexpf", "scalbn", "scalbnf")
    },
    "isnan": Called("real", 1, "isnan(x1) != 0", "int"),
    "isinf": Called("real", 1, "isinf(x1) != 0", "int"),
    "isfinite": Called("real", 1, "isfinite(x1) != 0", "int"),
    "signbit": Called("real", 1, "xr_signbit_T(x1)", "int"),
    "degrees": Called("real", 1, "xr_rad2deg_T(x1)"),
    "radians": Called("real", 1, "xr_deg2rad_T(x1)"),
    "sign": Called("number", 1, "xr_sign_T(x1)"),
    **{
        name: Called("number", 1, "xr_abs_T(x1)", real="fabs(x1)")
        for name in ("abs", "labs", "llabs")
    },
    "max": Called("number", 2, "x1 < x2 ? x2 : x1"),
    "min": Called("number", 2, "x2 < x1 ? x2 : x1"),
    "clamp": Called("number", 3, ""),  # min(max(x1, x2), x3)
    "popcount": Called("integer", 1, "(int)xr_bit_count_U((U)x1)", "int"),
    "clz": Called("integer", 1, "xr_clz_T(x1)", "int"),
    # What `/` and `%` become: they do not stop the process at 0.
    "quotient": Called("number", 2, "xr_quotient_T(x1, x2)", real="x1 / x2"),
    "rest": Called("integer", 2, "xr_fmod_T(x1, x2)"),
}
QUOTIENT: Final = f"{PREFIX}quotient"
REST: Final = f"{PREFIX}rest"

_ATOMICS: Final = {
    "atomic_add": "add",
    "atomicAdd": "add",
    "atomic_min": "minimum",
    "atomicMin": "minimum",
    "atomic_max": "maximum",
    "atomicMax": "maximum",
    "atomic_exch": "exchange",
    "atomic_xchg": "exchange",
    "atomicExch": "exchange",
    "atomic_cas": "cas",
    "atomic_cmpxchg": "cas",
    "atomicCAS": "cas",
}
"""The names of operations on memory that other items change as well, as xarr, CUDA and OpenCL C
have them, and those of the functions that they become."""

FUNCTIONS: Final = frozenset(_FUNCTIONS) - {"quotient", "rest"}
"""The functions of C that there are, by name."""
_MADE: Final = re.compile(
    rf"\b{PREFIX}(?:{'|'.join([*_FUNCTIONS, *(f'atomic_{way}' for way in _ATOMICS.values())])})"
    rf"(?:{_NARROW})?\b"
)
"""The results of those operations, and of the divisions."""
SHORT: Final = sorted(name for name in FUNCTIONS if name[-1] != "f" or name[:-1] not in FUNCTIONS)
"""Those without C's suffix for float."""


def _limits() -> dict[str, str]:
    """The limits of integers by the names of limits.h and stdint.h."""
    signed = {"SCHAR": 8, "CHAR": 8, "SHRT": 16, "INT": 32, "LONG": 64, "LLONG": 64, "PTRDIFF": 64}
    signed |= {f"INT{bits}": bits for bits in (8, 16, 32, 64)}
    unsigned = {"UCHAR": 8, "USHRT": 16, "UINT": 32, "ULONG": 64, "ULLONG": 64, "SIZE": 64}
    unsigned |= {f"UINT{bits}": bits for bits in (8, 16, 32, 64)}
    made = {"CHAR_BIT": "8"}
    for name, bits in signed.items():
        most = f"((i64){2 ** (bits - 1) - 1})" if bits == 64 else str(2 ** (bits - 1) - 1)
        made |= {f"{name}_MAX": most, f"{name}_MIN": f"(-{most} - 1)"}
    for name, bits in unsigned.items():
        made[f"{name}_MAX"] = {32: "0xffffffffu", 64: "((u64)0xffffffffffffffff)"}.get(
            bits, str(2**bits - 1)
        )
    return made


def _mathematical(name: str, value: float) -> dict[str, str]:
    """A number of math.h, which is float64 where there is such, and its float."""
    single = f"{float(dtypes.float32.numpy.type(value))!r}f"
    return {f"M_{name}": repr(value), f"M_{name}_F": single, f"M_{name}{_NARROW}": single}


def _floating(prefix: str, limits: tuple[int, int, int], suffix: str) -> dict[str, str]:
    """The limits of float.h, of the digits and the least and the largest exponent."""
    digits, least, most = limits
    largest = (2.0 - 2.0 ** (1 - digits)) * 2.0 ** (most - 1)
    return {
        f"{prefix}_MAX": f"{largest!r}{suffix}",
        f"{prefix}_MIN": f"{2.0 ** (least - 1)!r}{suffix}",
        f"{prefix}_EPSILON": f"{2.0 ** (1 - digits)!r}{suffix}",
        f"{prefix}_MANT_DIG": str(digits),
        f"{prefix}_DIG": str(int((digits - 1) * math.log10(2))),
        f"{prefix}_MIN_EXP": f"({least})",
        f"{prefix}_MAX_EXP": str(most),
    }


CONSTANTS: Final = {
    "INFINITY": "xr_infinity_f32",
    "HUGE_VALF": "xr_infinity_f32",
    "HUGE_VAL": "xr_infinity_f64",
    "NAN": "xr_nan_f32",
    "NULL": "0",
    "true": "1",
    "false": "0",
    **_limits(),
    **_floating("FLT", (24, -125, 128), "f"),
    **_floating("DBL", (53, -1021, 1024), ""),
    **_mathematical("E", math.e),
    **_mathematical("LOG2E", math.log2(math.e)),
    **_mathematical("LOG10E", math.log10(math.e)),
    **_mathematical("LN2", math.log(2)),
    **_mathematical("LN10", math.log(10)),
    **_mathematical("PI", math.pi),
    **_mathematical("PI_2", math.pi / 2),
    **_mathematical("PI_4", math.pi / 4),
    **_mathematical("1_PI", 1 / math.pi),
    **_mathematical("2_PI", 2 / math.pi),
    **_mathematical("2_SQRTPI", 2 / math.sqrt(math.pi)),
    **_mathematical("SQRT2", math.sqrt(2)),
    **_mathematical("SQRT1_2", math.sqrt(0.5)),
}
"""The constants of C's headers."""

TYPES: Final = {
    "bool": "XR_BOOL",
    **{f"{row.name}_t": row.compute for row in dtypes.TABLE if row.kind in dtypes.INTEGER},
    "uchar": "u8",
    "ushort": "u16",
    "uint": "u32",
    "ulong": "u64",
    "size_t": "u64",
    "ptrdiff_t": "i64",
    "ssize_t": "i64",
    "intptr_t": "i64",
    "uintptr_t": "u64",
}
"""xarr's types for C's words, whose sizes differ from device to device."""
TYPE_WORDS: Final = frozenset(
    (
        *TYPES,
        *TYPES.values(),
        *(row.compute for row in dtypes.TABLE),
        *(row.storage for row in dtypes.TABLE),
        *("b8", "char", "short", "int", "float", "double", "void", "signed", "unsigned", "long"),
        *("const", "volatile", "restrict", "struct", "union", "enum", "register"),
        *("GLOBAL", "LOCAL", "RESTRICT", "XR_POINTER_TO_LOCAL"),
    )
)
"""The words of which the names of types are made."""
QUALIFIERS: Final = frozenset(
    ("DEVICE", "__device__", "__host__", "__forceinline__", "__inline__", "inline", "static")
)
"""Words before a function; `DEVICE` stands for them on every device."""
SYNONYMS: Final = {"restrict": "RESTRICT", "__restrict__": "RESTRICT", "__restrict": "RESTRICT"}
KEYWORDS: Final = frozenset(
    (
        *("break", "case", "continue", "default", "do", "else", "for", "goto", "if", "return"),
        *("sizeof", "switch", "typedef", "while"),
    )
)
"""C's words for statements."""
ITEMS: Final = frozenset(
    (
        *("GLOBAL_ID", "GLOBAL_SIZE", "GROUP_ID", "GROUPS", "LOCAL_ID", "LOCAL_SIZE"),
        *("BARRIER", "BARRIER_OF_ALL"),
    )
)
"""Words of the dialects that are called where a program says what each item of a grid does."""
_DIALECT: Final = frozenset(
    (
        *("ATOMIC_ADD_U32", "ATOMIC_MAX_I32", "ALIGNED", "ROUNDED", "xr_mulhi_u64"),
        *(f"xr_{way}bits_{kind}" for way in ("", "from_") for kind in _FLOATS),
    )
)

_VECTOR: Final = re.compile(
    r"(?:u?char|u?short|u?int|u?long|float|double|half)(?:2|3|4|8|16)|(?:u?int|float)[1-4]x?[1-4]?"
)
_FOREIGN: Final = re.compile(
    r"__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|template|typename|class|namespace|using"
    r"|auto|new|delete|operator|static_cast|reinterpret_cast|const_cast|complex|thrust|std"
    r"|cooperative_groups|constexpr|decltype|nullptr|this|friend|virtual|try|catch|throw|public"
    r"|private|protected|explicit|mutable|export|and|or|not|xor|bitand|bitor|compl"
    r"|global|local|constant|kernel|half|goto|asm|CLK_\w+|include|_Generic|_Atomic|extern"
    r"|_in_ind|_out_ind"
)
"""Words that one of the languages keeps for itself, so that no text for all may have them."""
_CONSTANT: Final = "const before a table outside functions, GLOBAL const before a pointer"
_LOCAL: Final = "values to LOCAL memory, and read them after BARRIER()"
_INSTEAD: Final = {
    "threadIdx": "LOCAL_ID(0)",
    "blockIdx": "GROUP_ID(0)",
    "blockDim": "LOCAL_SIZE(0)",
    "gridDim": "GROUPS(0)",
    "get_global_id": "GLOBAL_ID(0)",
    "get_local_id": "LOCAL_ID(0)",
    "get_group_id": "GROUP_ID(0)",
    "get_global_size": "GLOBAL_SIZE(0)",
    "get_local_size": "LOCAL_SIZE(0)",
    "get_num_groups": "GROUPS(0)",
    "__syncthreads": "BARRIER()",
    "barrier": "BARRIER()",
    "__shared__": "LOCAL",
    "__local": "LOCAL",
    "local": "LOCAL",
    "__global__": "KERNEL",
    "__kernel": "KERNEL",
    "kernel": "KERNEL",
    "__global": "GLOBAL",
    "global": "GLOBAL",
    "__constant": _CONSTANT,
    "__constant__": _CONSTANT,
    "constant": _CONSTANT,
    "half": "float",
    "static_cast": "(T)x",
    "reinterpret_cast": "(T *)x",
    "nullptr": "NULL",
    **dict.fromkeys(("atomic_inc", "atomicInc"), "atomic_add(p, 1)"),
    **dict.fromkeys(("atomic_dec", "atomicDec"), "atomic_add(p, -1)"),
    **dict.fromkeys(("atomic_sub", "atomicSub"), "atomic_add(p, -x)"),
    "mad": "a * b + c, or fma",
    "printf": "an output, and print that",
    "include": "what the kernel needs",
    "extern": 'KERNEL alone, without extern "C"',
    "std": "the function alone, as max(a, b)",
    "auto": "the type",
    **{f"__{name}f": name for name in ("cos", "exp", "log", "pow", "sin", "tan")},
    "__float_as_int": "a union of a float and an int",
    **dict.fromkeys(
        ("__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"), _LOCAL
    ),
    **dict.fromkeys(("_in_ind", "_out_ind"), "the number of elements as a parameter"),
}
"""What to write instead of some words."""


def foreign(word: str) -> bool:
    """Whether a word belongs to one language only, however it is used."""
    return _FOREIGN.fullmatch(word) is not None or _VECTOR.fullmatch(word) is not None


def instead(word: str, known: Collection[str], *, by_items: bool) -> str:
    """Say what to write for a word that the C has not: its equivalent, or names that are near."""
    if word in _INSTEAD:
        remedy = _INSTEAD[word]
        if not by_items and (remedy.split("(")[0] in ITEMS or remedy in ("LOCAL", "KERNEL")):
            remedy = "it as a function of i, or a RawKernel"
        return f"write {remedy}"
    if foreign(word):
        return "docs/kernels.md lists the words there are"
    names = (*SHORT, *_ATOMICS, *(ITEMS if by_items else ()), *known)
    near = difflib.get_close_matches(word, names, 4, 0.6)
    if not near:
        return "define it, or see docs/kernels.md for the functions there are"
    return f"near it {'is' if len(near) == 1 else 'are'} {', '.join(near)}"


def is_function(word: str) -> bool:
    """Whether the C has a function of this name."""
    if word in FUNCTIONS or word in _ATOMICS or word in _DIALECT:
        return True
    is_made = word.startswith((PREFIX, "xr_own_"))  # nobody may ask for it before it is
    return word.startswith("xr_") and not is_made and source.unit(word) is not None


def replaced(word: str, *, has_float64: bool) -> str | None:
    """The word that stands for a function, a constant or a type of C; None of all others."""
    narrow = "" if has_float64 else _NARROW
    if word in FUNCTIONS:
        return f"{PREFIX}{word}{narrow}"
    if word in (QUOTIENT, REST):
        return f"{word}{narrow}"
    if word in _ATOMICS:
        return f"{PREFIX}atomic_{_ATOMICS[word]}{narrow}"
    if word in CONSTANTS:
        return CONSTANTS.get(f"{word}{narrow}", CONSTANTS[word])
    return TYPES.get(word) or SYNONYMS.get(word)


def define(text: str) -> None:
    """See that xarr's text has the functions that a text names, also in its macros."""
    for word in _MADE.findall(text):
        if word not in source.chosen:
            source.chosen[word] = _defined(word)


def _defined(word: str) -> str:
    """The text that defines a function for each type that it takes."""
    name = word.removeprefix(PREFIX).removesuffix(_NARROW)
    floats = _FLOATS[:1] if word.endswith(_NARROW) else _FLOATS
    if name.startswith("atomic_"):
        return _atomic(word, name.removeprefix("atomic_"), floats)
    if name == "clamp":
        narrow = word.removeprefix(f"{PREFIX}clamp")
        parts = f"{PREFIX}min{narrow}", f"{PREFIX}max{narrow}"
        define(" ".join(parts))
        return f"#define {word}(x1, x2, x3) {parts[0]}({parts[1]}(x1, x2), x3)"
    row = _FUNCTIONS[name]
    own = {"real": floats, "number": (*_INTEGERS, *floats), "integer": _INTEGERS}[row.takes]
    lines = [_typed(word, row, kind) for kind in own]
    names = [f"x{number}" for number in range(1, row.operands + 1)]
    more = ["n"] if row.more else []
    macro = f"XR_CHOICE_{row.operands}(XR_{row.takes.upper()}, {word}, {', '.join(names)}"
    macro = f"{macro}{', n' if row.more else ''})"
    given = (*_INTEGERS, *floats) if row.takes != "integer" else _INTEGERS
    lines.append("#ifdef XR_CHOSEN")
    if "f32" in own and "f64" not in own:  # a choice names all types, also those that are not there
        lines.append(f"#define {word}_f64 {word}_f32")
    lines += [f"#define {word}({', '.join([*names, *more])}) {macro}", "#else"]
    for mix in product(given, repeat=row.operands):
        common = _common(mix, own)
        result = source.specialised(row.result, common)
        heads = [f"const {kind} {called}" for kind, called in zip(mix, names, strict=True)]
        heads += [row.more] if more else []
        passed = ", ".join([*(f"({common}){called}" for called in names), *more])
        head = f"DEVICE {result} OVERLOADED({word}, x)({', '.join(heads)})"
        lines.append(f"{head} {{ return {word}_{common}({passed}); }}")
    return "\n".join((*lines, "#endif"))


def _typed(word: str, row: Called, kind: str) -> str:
    """The text of a function for one type."""
    value = row.real if row.real and kind in _FLOATS else row.value
    heads = [f"const {kind} x{number}" for number in range(1, row.operands + 1)]
    heads += [row.more] if row.more else []
    result, value = (source.specialised(text, kind) for text in (row.result, value))
    return f"DEVICE {result} {word}_{kind}({', '.join(heads)}) {{ return {value}; }}"


def _common(mix: Iterable[str], own: tuple[str, ...]) -> str:
    """The type of C's arithmetic of operands, among those that a function takes."""
    order = ("i32", "u32", "i64", "u64", "f32", "f64")
    widest = max(mix, key=order.index)
    return widest if widest in own else own[-1]


# -- atomics ----------------------------------------------------------------------------------

_CHANGED: Final = """
    U seen = *(volatile SPACE U *)p;
    for (;;) {
        const T now = FROM(seen);
        const U next = BITS(VALUE);
        if (next == seen) {
            return now;
        }
        const U before = seen;
        seen = XR_CAS_U((volatile SPACE U *)p, before, next);
        if (seen == before) {
            return now;
        }
    }
"""
"""Change what p points to, if no other item did in between, else once more."""


def _atomic(word: str, name: str, floats: tuple[str, ...]) -> str:
    """The text of an operation on memory that other items change as well, for each type."""
    kinds = (*_INTEGERS, *floats)
    made = "\n".join(_atomic_of(word, name, kind) for kind in kinds)
    given = ("p", "x", "y") if name == "cas" else ("p", "x")
    choice = "".join(f", {kind}: OVERLOADED({word}, {kind})" for kind in kinds)
    return "\n".join(
        (
            made.replace("SPACE", "GLOBAL"),
            "#ifdef XR_SPACES",
            made.replace("SPACE", "LOCAL"),
            "#endif",
            "#ifdef XR_CHOSEN",
            f"#define {word}({', '.join(given)}) _Generic(*(p){choice})({', '.join(given)})",
            "#endif",
        )
    )


def _atomic_of(word: str, name: str, kind: str) -> str:
    is_float = kind in _FLOATS
    bits, back = (f"xr_bits_{kind}", f"xr_from_bits_{kind}") if is_float else ("(U)", "(T)")
    body = _CHANGED
    if name == "cas":
        body = f"return {back}(XR_CAS_U((volatile SPACE U *)p, {bits}(x), {bits}(y)));"
    elif name == "exchange":
        body = f"return {back}(XR_EXCHANGE_U((volatile SPACE U *)p, {bits}(x)));"
    elif name == "add" and not is_float:
        body = f"return {back}(XR_ADD_U((volatile SPACE U *)p, {bits}(x)));"
    elif name == "add":
        body = f"\n#ifdef XR_ADDS_{kind}\n    return XR_ADDS_{kind}(p, x);\n#else{body}#endif\n"
    value = "now + x" if name == "add" else f"xr_{name}_T(now, x)"
    more = ", const T y" if name == "cas" else ""
    body = body.replace("VALUE", value).replace("FROM", back).replace("BITS", bits)
    head = f"DEVICE T OVERLOADED({word}, T)(volatile SPACE T *p, const T x{more})"
    wide = kind in ("i64", "u64", "f64")
    text = source.specialised(f"{head}\n{{{body}}}", kind)
    if not wide:
        return text
    lacking = source.specialised(f"{head} XR_LACKS_ATOMICS;", kind)
    return f"#ifdef XR_NO_WIDE_ATOMICS\n{lacking}\n#else\n{text}\n#endif"
