"""Rows: operations as data, from which their kernels, signatures, docs and tests come.

`elementwise` and `reductions` hold the rows. A row knows C expressions and data types; it knows no
array, no buffer and no launch.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy

from xarr import codegen, dtypes, errors
from xarr.backends.device import Device, default_float, promoted, require_common
from xarr.codegen.expressions import cast
from xarr.dtypes import ANY, BOOL, COMPLEX, INTEGER, KIND_WORDS, REAL, SIGNED, UNSIGNED, DType
from xarr.ir.fold import Fold, Joined
from xarr.ir.instructions import Opcode, opcode_of
from xarr.ir.memo import remembered
from xarr.ir.operation import Operation, interned
from xarr.ir.resolved import OPERATORS, ResolvedRow
from xarr.ir.views import Structure, View, constant, lone_constant, structure
from xarr.layout import broadcast_shapes
from xarr.runtime import host_values, number_kernels
from xarr.tape import builder
from xarr.tape.record import choice
from xarr.tape.scalar_access import settled
from xarr.tape.traced import is_known

STANDARD: Final = "Python Array API standard 2025.12"
OF_THE_STANDARD: Final = f"{STANDARD}, with further parameters as in NumPy."

_INTEGER_OR_BOOL: Final = (BOOL, SIGNED, UNSIGNED)


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The range of operands in tests and examples, and the tolerance of results.

    `ulp` is in units of the last place of a real result, `complex_ulp` in those of the larger part
    of a complex one. Where terms `cancel`, the error is small beside the operands, not beside the
    result.
    """

    low: float = -1e3
    high: float = 1e3
    ulp: float = 0.0
    complex_ulp: float = 0.0
    cancel: bool = False


EXACT: Final = Domain()


@dataclass(slots=True, eq=False)
class Elementwise:
    """A function of each element by itself.

    In a C expression `x`, or `x1` and `x2`, are the operands, of one common type; a function
    `xr_name(...)` is the one in `kernels/` for that type.

    kinds : tuple of str
        The kinds of data type it takes. Integers are converted to floating point where a function
        takes floating point only, as NumPy does.
    expression : str -- The C expression, for all types that have no other one.
    about : str -- The first line of the docstring.
    integer, boolean, complex : str -- The C expression for these kinds, where it differs.
    result : "same", "bool" or "real"
        The type of the result: the operands' common one, bool, or that of a complex number's parts.
    operator : str -- The name of the special method without its underscores, "" for none.
    unit : str -- Unit of operand or result, where there is one.
    domain : Domain -- What tests draw operands from and how far a result may be off.
    source : str -- Where the function is defined, as its docstring says.
    reference : function of NumPy arrays, or None
        What tests compare to: computed in a wider type where there is one. None for NumPy's
        function of the same name.
    integers_as_default : bool
        Whether integers become the default floating-point type, not the smallest that fits.
    by_hand : bool
        Whether the public function is written by hand, because it is more than the row.
    beyond : (bool, bool) or None
        The result where x2 is a Python integer above, and below, all that the type of x1 holds.
    widens_bool : bool
        Whether bools are taken as int8, as NumPy does where it has no function of bools.
    associative : bool
        Whether the operands of several applications may be grouped in any way, so that `reduce`
        and `accumulate` need not go from left to right.
    identity : number or None -- The operand that leaves the other one as it is, where there is one.
    host : tuple of str
        The kinds of data type, but for float16, for which NumPy's function of this name has the
        same bits, so that the host may compute it.
    exact : function of Python's numbers, or None
        The same for bools, integers and float64, where what it gives is a number that the result's
        type holds.

    name : str -- The function's name: the one that the row has in its table.
    """

    kinds: tuple[str, ...]
    expression: str
    about: str
    integer: str = ""
    boolean: str = ""
    complex: str = ""
    result: Literal["same", "bool", "real"] = "same"
    operator: str = ""
    unit: str = ""
    domain: Domain = EXACT
    source: str = OF_THE_STANDARD
    reference: Callable[..., Any] | None = None
    integers_as_default: bool = False
    by_hand: bool = False
    beyond: tuple[bool, bool] | None = None
    widens_bool: bool = False
    associative: bool = False
    identity: float | None = None
    host: tuple[str, ...] = ()
    exact: Callable[..., Any] | None = None
    name: str = field(default="", init=False)
    known: ResolvedRow = field(init=False, repr=False)
    # By whether the device has no float64, then by the operands' types.
    operations: tuple[dict[Any, Operation], dict[Any, Operation]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = OPERATORS.get(self.operator) or ResolvedRow()
        self.known.row = self
        self.operations = ({}, {})
        require(
            all(kind in ANY for kind in self.kinds) and self.kinds,
            f"kinds are {self.kinds}; the kinds are {', '.join(ANY)}",
        )
        require(self.result in ("same", "bool", "real"), f"result is {self.result!r}")
        require("|" not in self.about, "a sentence is reStructuredText: abs(x), not |x|")
        require("x3" not in self.expression, "a row has one operand or two")
        read = {
            "integer": any(kind in self.kinds for kind in (*INTEGER, BOOL)),
            "boolean": BOOL in self.kinds,
            "complex": COMPLEX in self.kinds,
        }
        for column, is_read in read.items():
            require(
                is_read or not getattr(self, column),
                f"{column} is not read by a row whose kinds are {', '.join(self.kinds)}",
            )

    @property
    def operands(self) -> int:
        """The number of operands."""
        return 2 if "x2" in self.expression else 1

    @property
    def where(self) -> str:
        """The function with its arguments, as errors name it."""
        return f"{self.name}(x1, x2)" if self.operands == 2 else f"{self.name}(x)"

    def applied(self, x: View) -> View:
        """Record the function of one operand, or compute it of a constant."""
        how = x.structure  # once: a finalizer may give a constant a storage, and so another one
        if self.integer in ("0", "1") and how.dtype.kind in _INTEGER_OR_BOOL:  # whatever they are
            told = structure(how.device, dtypes.bool_, how.shape, None), self.integer == "1"
            self.known.remember(how, told)
            return lone_constant(*told)
        opcode = self.known.pairs.get(how)
        if opcode is None:
            operation = self.operations[x.device.no_float64].get(x.dtype) or self._resolve((x,))
            if is_known(x) and not how.shape and (number := self._of_numbers(operation, x)):
                return number
            opcode = opcode_of(operation, (how,), how.shape, fresh=how.shape)
            if how.is_met():
                self.known.remember(how, opcode)
        result = builder.computed(opcode, (x,))
        return result if x.value is None else settled(result)

    def combined(self, x1: View, x2: View, where: str = "") -> View:
        """Record the function of two operands; `where` names another function in errors."""
        structures = x1.structure, x2.structure  # once, as above
        opcode: Opcode | None = self.known.pairs.get(structures)
        if opcode is None:
            known = self.operations[x1.device.no_float64].get((x1.dtype, x2.dtype))
            operation = known or self._resolve((x1, x2))
            shape = broadcast_shapes(x1.shape, x2.shape, where=where or self.where)
            is_number = is_known(x1) and is_known(x2) and not shape
            if is_number and (number := self._of_numbers(operation, x1, x2)):
                return number
            opcode = opcode_of(operation, structures, shape, fresh=shape)
            if structures[0].is_met() and structures[1].is_met():
                self.known.remember(structures, opcode)
        result = builder.computed(opcode, (x1, x2))
        return result if x1.value is None or x2.value is None else settled(result)

    def taken_as(self, given: Structure, other: Structure, kind: type, *, swapped: bool) -> None:
        """Remember the data type, and the opcode if it is known, of a scalar beside views."""
        if given.strides is None:
            return
        self.known.scalars[kind, given.dtype, given.device.no_float64, swapped] = other.dtype
        opcode = self.known.pairs.get((other, given) if swapped else (given, other))
        if opcode is not None and opcode.nbytes:
            name: Any = (kind, given) if swapped else (given, kind)
            self.known.remember(name, (opcode, *other.dtype.bounds))

    def _of_numbers(self, operation: Operation, *views: View) -> View | None:
        """Compute the result for numbers as Python or NumPy does, if that has the same bits."""
        device = views[0].device
        exact = operation.exact or number_kernels.evaluator_of(operation, self.exact, device)
        value = None if exact is None else exact.of(*[view.value for view in views])
        if value is not None:
            result = constant(value, operation.result, (), device)
            how = tuple(dict.fromkeys([view.structure for view in views]))  # one, of equal ones
            remembered(self.known.numbers, how if how[1:] else how[0], (exact, result.structure))
            return result
        if operation.host is None:
            return None
        kind = operation.operands[0].numpy.type
        value = dtypes.quietly(operation.host, *[kind(view.value) for view in views])
        return constant(value.item(), operation.result, (), device)

    def floating(self, row: DType, device: Device) -> DType:
        """Return the type that integers of type `row` are converted to."""
        row = default_float(device) if self.integers_as_default else dtypes.as_floating(row)
        if row in dtypes.NEEDS_FLOAT64 and not device.info.has_float64:
            return dtypes.float32
        return row

    @property
    def floats_integers(self) -> bool:
        """Whether integers are converted to floating point."""
        return REAL in self.kinds and SIGNED not in self.kinds

    @property
    def takes_truths(self) -> bool:
        """Whether operands count by whether they are zero, as of `logical_and`."""
        return self.result == "bool" and self.associative

    def _resolve(self, views: tuple[View, ...]) -> Operation:
        """Find the operation for the operands' data types, and remember it."""
        row = functools.reduce(dtypes.promote, [view.dtype for view in views])
        device = views[0].device
        if self.beyond is not None and row.kind == REAL:
            kinds = {view.dtype.kind for view in views}
            if kinds == {SIGNED, UNSIGNED}:
                return self._remembered(views, self._exact_comparison(views))
        if row.kind not in self.kinds:
            if row.kind == BOOL and self.widens_bool:
                row = dtypes.int8
            elif row.kind in _INTEGER_OR_BOOL and self.floats_integers:
                row = functools.reduce(
                    dtypes.promote, [self.floating(view.dtype, device) for view in views]
                )
            else:
                raise self._dtype_error(views)
        require_common(row, [view.dtype for view in views], device, self.where)
        return self._remembered(views, self.operation(row))

    def _exact_comparison(self, views: tuple[View, ...]) -> Operation:
        """Compare signed integers with uint64, for which there is no common integer type."""
        signed = 0 if views[0].dtype.kind == SIGNED else 1
        negative = f"{{{signed}}} < 0"
        operands = ["{0}", "{1}"]
        operands[signed] = f"(u64)({{{signed}}})"
        sign = self.expression.removeprefix("x1 ").removesuffix(" x2")
        compared = f"{operands[0]} {sign} {operands[1]}"
        assert self.beyond is not None
        # Where a negative number is x1, uint64 is above it; where it is x2, below.
        both = f"{negative} || {compared}"
        if not self.beyond[signed]:
            both = f"!({negative}) && {compared}"
        types = [dtypes.uint64, dtypes.uint64]
        types[signed] = dtypes.int64
        return Operation(self.name, (types[0], types[1]), dtypes.bool_, f"(b8)({both})")

    def _remembered(self, views: tuple[View, ...], operation: Operation) -> Operation:
        key = views[0].dtype if len(views) == 1 else (views[0].dtype, views[1].dtype)
        # The first stays: kernels are known by it.
        return self.operations[views[0].device.no_float64].setdefault(key, operation)

    def operation(self, row: DType) -> Operation:
        """Return the function's operation for operands of one data type."""
        expression = self.expression
        if row.kind in INTEGER and self.integer:
            expression = self.integer
        elif row.kind == BOOL and (self.boolean or self.integer):
            expression = self.boolean or self.integer
        elif row.kind == COMPLEX and self.complex:
            expression = self.complex
        result = {"bool": dtypes.bool_, "real": dtypes.PART.get(row, row)}.get(self.result, row)
        template = template_of(expression, row)
        if result.kind != COMPLEX:
            template = f"({result.compute})({template})"
        host: Callable[..., Any] | None = None
        if row.kind in self.host and row is not dtypes.float16:
            host = _HOSTS.get((self.name, row.kind)) or getattr(numpy, self.name)
        return Operation(self.name, (row,) * self.operands, result, template, host, self)

    def _dtype_error(self, views: tuple[View, ...]) -> TypeError:
        names = ["x"] if len(views) == 1 else ["x1", "x2"]
        given = list(zip(names, views, strict=True))
        wrong = [(name, view) for name, view in given if view.dtype.kind not in self.kinds]
        # A Python number has the array's dtype, so the array is at fault.
        wrong = [(name, view) for name, view in wrong if view.shape or view.value is None] or wrong
        which = "its dtype" if len(wrong) == 1 else "their dtypes" if wrong else "the common dtype"
        return errors.type_error(
            self.where,
            " and ".join(f"{name} has dtype {view.dtype}" for name, view in wrong or given),
            f"{which} must be {KIND_WORDS[self.kinds]}",
            self._remedy(*wrong[0]) if wrong else "convert both to one dtype with astype",
        )

    def _remedy(self, name: str, view: View) -> str:
        """Return the advice of an error on an operand of another dtype."""
        if view.dtype.kind == COMPLEX and self.kinds != (BOOL,):
            return f"take {name}.real or {name}.imag"
        wanted = "bool" if self.kinds == (BOOL,) else "int32" if SIGNED in self.kinds else "float32"
        if self.kinds == (COMPLEX,):
            floating = dtypes.COMPLEX_OF.get(view.dtype)
            wanted = (floating or dtypes.COMPLEX_OF[default_float(view.device)]).name
        return f'convert with {name}.astype("{wanted}")'


def require(holds: object, otherwise: str) -> None:
    """Refuse a row whose columns contradict each other."""
    if not holds:
        raise ValueError(otherwise)


Rule: TypeAlias = Callable[[DType, DType], DType]
"""A data type that follows from the operand's and the device's default floating-point one."""


def OWN(row: DType, default: DType) -> DType:
    """Return the operand's type."""
    return row


class Types(NamedTuple):
    """The types of the elements as taken, mapped and accumulated, and of the result."""

    taken: DType
    mapped: DType
    accumulated: DType
    result: DType


@dataclass(slots=True, eq=False)
class Reduction:
    """A function that reduces axes, or runs along one.

    C expressions are those of `Fold`; in them a function `xr_name(...)` is the one for the type of
    the elements, and T is that type.

    kinds : tuple of str -- The kinds of data type it takes.
    value : Rule -- What elements are converted to, before anything else.
    accumulate : Rule -- What they are converted to after `map`, to be accumulated.
    combine : Elementwise or str
        What joins two accumulators: a row of two operands; for a structure, a C function.
    result : Rule -- The type of the result, from the type of the mapped elements.
    map : Elementwise or None
        What is done with each element before it is accumulated; a row of one operand.
    structure, fields : str, tuple of (name, C type)
        The structure in `kernels/reductions.h` that is the accumulator, and its members; "" and ()
        for a plain value. T stands for the type of the elements.
    running : tuple of str
        The members that the first pass needs, where it does not need all of them.
    first, step, close : str
        With a structure: how an element begins an accumulator, how one joins it, and what is done
        to it at the end.
    finish : str -- The C expression that makes the result of the last accumulator.
    host : function of NumPy arrays, Joined, or None
        What has the same results along an `axis`, or how NumPy accumulates, but for complex
        numbers, where that does not follow from `combine`.
    empty : value or None -- The result of no elements; None where that is an error.
    form : str -- Which parameters the function has beside the operand; see `FORMS`.
    ulp : float -- How far the result may be off, in units of its last place.
    reference : function or None -- As of `Elementwise`, of an array and the keyword `axis`.

    name : str -- The function's name: the one that the row has in its table.
    """

    kinds: tuple[str, ...]
    value: Rule
    combine: Elementwise | str
    result: Rule = OWN
    accumulate: Rule = OWN
    map: Elementwise | None = None
    structure: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    running: tuple[str, ...] = ()
    first: str = ""
    step: str = ""
    close: str = ""
    finish: str = "acc"
    empty: Any = None
    host: Callable[..., Any] | Joined | None = None
    form: str = "axes"
    ulp: float = 0.0
    reference: Callable[..., Any] | None = None
    name: str = field(default="", init=False)
    folds: dict[Types, Fold] = field(default_factory=dict, init=False)
    transitions: dict[Any, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        require(self.form in FORMS, f"form is {self.form!r}; the forms are {', '.join(FORMS)}")
        plain = isinstance(self.combine, Elementwise)
        unread = ("structure", "fields", "running", "first", "step", "close") if plain else ("map",)
        wrong = [name for name in unread if getattr(self, name)]
        require(
            not wrong or not plain, f"a row that combines plain values has no {', '.join(wrong)}"
        )
        whole = all((self.structure, self.fields, self.first, self.step))
        require(
            plain or (whole and not wrong),
            "a row that combines structures has structure, fields, first and step, and no map",
        )
        require(
            self.form != "scan" or (plain and self.finish == "acc" and self.empty is not None),
            "a scan combines plain values, begins with `empty`, and has no finish",
        )
        if isinstance(self.combine, Elementwise):
            require(self.combine.operands == 2, "combine is a row of two operands")
            require(self.map is None or self.map.operands == 1, "map is a row of one operand")
            self._require_kinds(self.combine)

    def _require_kinds(self, combine: Elementwise) -> None:
        """Refuse a row whose `map` or `combine` does not take all its elements."""
        for given in dtypes.TABLE:
            if given.kind not in self.kinds:
                continue
            taken = self.value(given, dtypes.float64)
            require(
                self.map is None or taken.kind in self.map.kinds,
                f"map does not take {taken}, which {given} is converted to",
            )
            accumulated = self.types(given, dtypes.float64).accumulated
            require(
                accumulated.kind in combine.kinds,
                f"combine does not take {accumulated}, which {given} is converted to",
            )

    @property
    def operand(self) -> str:
        """The name of the operand: NumPy's word; the standard's for its scans."""
        return "x" if self.form == "scan" else "a"

    @property
    def ordered(self) -> bool:
        """Whether the result says where an element is."""
        return self.form == "axis"

    def types(self, given: DType, default: DType, wanted: DType | None = None) -> Types:
        """Return all types for elements of type `given`; `wanted` is the caller's."""
        taken = wanted or self.value(given, default)
        mapped = taken if self.map is None else self.map.operation(taken).result
        return Types(taken, mapped, self.accumulate(mapped, default), self.result(mapped, default))

    def fold(self, types: Types) -> Fold:
        """Return the accumulation for elements of some types."""
        fold = self.folds.get(types)
        if fold is None:
            fold = self.folds[types] = self._fold(types)
        return fold

    def _fold(self, types: Types) -> Fold:
        value, result = types.accumulated, types.result
        mapped = "{0}" if self.map is None else f"({self.map.operation(types.taken).template})"
        element = cast(mapped, types.mapped, value)
        kind = value.compute
        fold = functools.partial(
            Fold,
            name=self.name,
            row=self,
            taken=types.taken,
            element=element,
            value=value,
            result=result,
            finish=_typed(self.finish, value),
            divisor=dtypes.PART.get(value, value) if "divisor" in self.finish else None,
        )
        if isinstance(self.combine, Elementwise):
            combine = self.combine.operation(value)
            template = combine.template
            accumulator, nbytes = kind, _computed_nbytes(value)
            if value is dtypes.bool_:
                accumulator, nbytes = "i32", 4  # of bytes LLVM makes masked stores, 70 times slower
            is_simple = self.map is None and self.finish in ("acc", "xr_over(acc, divisor)")
            return fold(
                accumulator=accumulator,
                nbytes=nbytes,
                first="x",
                step=template.format("acc", "x"),
                combine=template.format("acc1", "acc2"),
                close="",
                host=combine.host if is_simple else None,
                along=self._along(combine.host, value),
            )
        host = None if value.kind == COMPLEX or value is dtypes.float16 else self.host
        nbytes = len(self.fields) * _computed_nbytes(value)
        if self.ordered:  # an index of 64 bits, then an element, padded to 64
            nbytes = 8 + max(8, value.itemsize)
        return fold(
            accumulator=f"{self.structure}_{kind}",
            nbytes=nbytes,
            first=_typed(self.first, value),
            step=_typed(self.step, value),
            combine=_typed(f"{self.combine}(acc1, acc2)", value),
            close=_typed(self.close, value),
            fields=tuple((name, of.replace("T", kind)) for name, of in self.fields),
            running=self.running,
            ordered=self.ordered,
            joined=host if isinstance(host, Joined) else None,
            along=None if isinstance(host, Joined) else host,
        )

    def _along(self, combine: Callable[..., Any] | None, value: DType) -> Any:
        """Return NumPy's reduction along an axis, if the order of its elements changes no bit."""
        if combine is None or self.form == "scan" or self.map or self.finish != "acc":
            return None
        if isinstance(combine, numpy.ufunc) and value.kind in (BOOL, *INTEGER):
            return functools.partial(combine.reduce, dtype=value.numpy)
        return host_values.ALONG.get(combine)


FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "axes": ("axis", "out", "keepdims", "where"),
    "axes, initial": ("axis", "out", "keepdims", "initial", "where"),
    "axes, number": ("axis", "keepdims"),
    "axes, sum": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "axes, mean": ("axis", "dtype", "out", "keepdims", "where"),
    "axes, correction": (
        *("axis", "dtype", "out", "ddof", "keepdims", "where", "mean", "correction"),
    ),
    "axis": ("axis", "out", "keepdims"),
    "scan": ("axis", "dtype", "include_initial", "out"),
}
"""The parameters of reductions over any axes, of those that take one axis, and of scans."""


def _computed_nbytes(value: DType) -> int:
    return 4 if value is dtypes.float16 else value.itemsize


class _Named(Protocol):
    name: str


_Row = TypeVar("_Row", bound=_Named)


def name_rows(namespace: Mapping[str, object], kind: type[_Row]) -> tuple[_Row, ...]:
    """Return all rows of a kind in a module, and give each its name there."""
    rows = []
    for name, row in namespace.items():
        if isinstance(row, kind):
            row.name = name
            rows.append(row)
    return tuple(rows)


FUNCTION: Final = re.compile(r"\bxr_(\w+)\(")


def template_of(expression: str, row: DType) -> str:
    """Turn a row's expression into a template: operands as `{0}`, functions named for a type."""

    def function_of(match: re.Match[str]) -> str:
        # A type that is computed in another one may still have a function of its own.
        own = f"xr_{match[1]}_{row.storage}"
        is_own = row.storage != row.compute and codegen.source.unit(own)
        return f"{own}(" if is_own else f"xr_{match[1]}_{row.compute}("

    text = FUNCTION.sub(function_of, expression)
    for number, name in enumerate(("x1", "x2", "x3")):
        text = re.sub(rf"\b{name}\b", f"{{{number}}}", text)
    return re.sub(r"\bx\b", "{0}", text)


def _typed(expression: str, value: DType) -> str:
    """Specialise a C expression for a type: `xr_f(` becomes `xr_f_f32(`, `(T)` becomes `(f32)`."""
    typed = FUNCTION.sub(lambda match: f"xr_{match[1]}_{value.compute}(", expression)
    return typed.replace("(T)", f"({value.compute})")


_HOSTS: Final[dict[tuple[str, str], Callable[..., Any]]] = {
    ("maximum", REAL): host_values.maximum,
    ("minimum", REAL): host_values.minimum,
    ("remainder", REAL): host_values.remainder,
    ("multiply", COMPLEX): host_values.multiply,
    ("square", COMPLEX): host_values.square,
}
"""Replacements of NumPy's functions whose bits may differ, by name and kind of data type."""


def choose(condition: View, x1: View, x2: View) -> View:
    """Record x1 where a bool condition holds and x2 elsewhere."""
    where = "where(condition, x1, x2)"
    row = promoted((x1.dtype, x2.dtype), condition.device, where)
    shape = broadcast_shapes(condition.shape, x1.shape, x2.shape, where=where)
    return builder.defer(interned(choice, row), (condition, x1, x2), shape)
