"""The parameters of a program's own kernels: what their declarations say, and what is given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.coerce import Scalar, as_array, scalar_view
from xarr.backends.device import Device, default_float, get_device, require_on, require_together
from xarr.dtypes import DType

_DECLARED: Final = re.compile(r"(?:(?P<raw>raw)\s+)?(?P<type>\w+)\s+(?P<name>[A-Za-z_]\w*)")
_RESERVED: Final = frozenset(("i", "_ind", "_count"))
_SCALARS: Final = (bool, int, float, complex)


class Parameter(NamedTuple):
    """A declared parameter, as ``raw T x``.

    name : str -- What the operation calls it.
    type : str -- A data type's name, or a placeholder's, of one letter.
    raw : bool -- Whether the operation indexes it.
    """

    name: str
    type: str
    raw: bool

    @property
    def dtype(self) -> DType | None:
        """The data type; None of a placeholder."""
        if len(self.type) == 1:
            return None
        try:
            return dtypes.BY_NAME.get(numpy.dtype(self.type).name)
        except TypeError:
            return None


def definitions(options: Sequence[str], where: str) -> str:
    """The macros that options of a compiler define, as ``-DCOUNT=3``, in one line."""
    lines = []
    for option in options:
        found = re.fullmatch(r"-D\s*(\w+)(?:=(.*))?", option)
        if found is None and not re.match(r"--?std=", option):  # of C++, which the C does not need
            raise errors.value_error(
                where,
                f"options has {option!r}",
                "options must begin with -D, as each device has its own others",
            )
        lines += [f"#define {found[1]} {found[2] or 1}\n"] if found else []
    return "".join(lines)


def declared(text: str, argument: str, where: str) -> tuple[Parameter, ...]:
    """The parameters that a list of declarations names."""
    if not isinstance(text, str):
        fault = f"{argument} is of type {type(text).__name__}"
        raise errors.type_error(where, fault, 'it must be a str of declarations: "T x, T y"')
    found = list[Parameter]()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _DECLARED.fullmatch(part)
        if match is None:
            raise errors.value_error(
                where, f"{argument} has {part!r}", 'it must be a type and a name: "raw T x"'
            )
        parameter = Parameter(match["name"], match["type"], match["raw"] is not None)
        if parameter.dtype is None and len(parameter.type) != 1:
            raise errors.type_error(
                where,
                f"{argument} has the type {parameter.type!r}",
                "it must be a data type's name, or a placeholder of one letter",
            )
        found.append(parameter)
    return tuple(found)


def require_names(parameters: Sequence[Parameter], where: str) -> None:
    """Refuse names that stand twice, or that the operation has already."""
    names = [parameter.name for parameter in parameters]
    for name in names:
        if names.count(name) > 1 or name in _RESERVED or name.startswith("xr_"):
            given = "is a name of xarr's" if names.count(name) == 1 else "stands twice"
            raise errors.value_error(
                where, f"the parameter {name} {given}", "each parameter must have a name of its own"
            )


class Given(NamedTuple):
    """The arguments of a call: an array or a number for each parameter, and the data types."""

    device: Device
    values: tuple[Array, ...]
    types: Mapping[str, DType]


def given(
    inputs: Sequence[Parameter], outputs: Sequence[Parameter], arguments: Sequence[Any], where: str
) -> Given:
    """The arguments of a call as arrays of the data types that the parameters ask for."""
    if len(arguments) not in (len(inputs), len(inputs) + len(outputs)):
        raise errors.type_error(
            where,
            f"{len(arguments)} arguments are given",
            f"there must be {len(inputs)}, or with the outputs {len(inputs) + len(outputs)}",
        )
    device = next((value.device for value in arguments if type(value) is Array), None)
    values = list[Any]()
    types = dict[str, DType]()
    parameters = (*inputs, *outputs)
    for number, (parameter, value) in enumerate(zip(parameters, arguments, strict=False)):
        if number >= len(inputs) and type(value) is not Array:
            raise errors.type_error(
                where,
                f"{parameter.name} is of type {type(value).__name__}",
                "an output must be an Array",
            )
        if type(value) in _SCALARS:
            if parameter.raw:
                raise errors.type_error(
                    where,
                    f"{parameter.name} is a number",
                    "it must be an Array, as the parameter is raw",
                )
            values.append(value)
            continue
        array = as_array(value, where, parameter.name, device=device)
        device = array.device if device is None else device
        require_together(array.device, device, where)
        values.append(array)
        if type(value) is Array or array.ndim:
            _settle(types, parameter, array._view.dtype, where)
    device = device or get_device()
    for parameter, value in zip(parameters, values, strict=False):
        if type(value) in _SCALARS:
            known = dtypes.of_python_scalar(value, dtypes.bool_, default_float(device))
        else:
            known = value._view.dtype
        types.setdefault(parameter.type, known)
    for parameter in parameters:
        if parameter.dtype is None and parameter.type not in types:
            raise errors.type_error(
                where,
                f"nothing says what {parameter.type} is, the type of {parameter.name}",
                "one argument must have that type",
                "pass the output array",
            )
        require_on(device, of(parameter, types), where)
    arrays = list[Array]()
    for parameter, argument, value in zip(parameters, arguments, values, strict=False):
        row = of(parameter, types)
        is_number = isinstance(argument, (*_SCALARS, numpy.generic))
        if is_number and not holds_kind(row.numpy.kind, argument):
            raise errors.type_error(
                where,
                f"{parameter.name} is {argument!r}",
                f"it must be {row}, which the kernel takes there",
            )
        arrays.append(_converted(value, row, device, where))
    return Given(device, tuple(arrays), types)


def _settle(types: dict[str, DType], parameter: Parameter, found: DType, where: str) -> None:
    wanted = parameter.dtype or types.setdefault(parameter.type, found)
    if wanted is not found:
        is_named = parameter.dtype is not None
        raise errors.type_error(
            where,
            f"{parameter.name} has dtype {found}",
            f"it must be {wanted}" if is_named else f"its type {parameter.type} is {wanted}",
            f"convert with {parameter.name}.astype({str(wanted)!r})",
        )


def of(parameter: Parameter, types: Mapping[str, DType]) -> DType:
    """The data type of a parameter."""
    return parameter.dtype or types[parameter.type]


def holds_kind(kind: str, value: Any) -> bool:
    """Return whether a type of NumPy's `kind` takes a number: integers take whole ones only."""
    if isinstance(value, complex | numpy.complexfloating):
        return kind == "c"
    return kind not in "iub" or not isinstance(value, float | numpy.floating) or value.is_integer()


def _converted(value: Scalar | Array, row: DType, device: Device, where: str) -> Array:
    if type(value) is not Array:
        return Array(scalar_view(value, row, device, where))  # type: ignore[arg-type]
    return value if value._view.dtype is row else as_array(value, where, dtype=row)
