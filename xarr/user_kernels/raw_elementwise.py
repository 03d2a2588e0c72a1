"""Own kernels with raw parameters, which they index themselves: each call is a launch."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from xarr import errors, tuning
from xarr.array.array import Array
from xarr.array.layouts import keep_array
from xarr.array.out_argument import store
from xarr.codegen.launch import Grid
from xarr.codegen.source import define
from xarr.dtypes import DType
from xarr.ir import steps
from xarr.ir.storage import Storage
from xarr.ir.views import View, storage_view
from xarr.layout import Shape, contiguous
from xarr.lowering.skeleton import Skeleton
from xarr.tape import builder, recorders
from xarr.tape.tape import tape_of
from xarr.user_kernels import compile_check
from xarr.user_kernels.c_source import Function, Text
from xarr.user_kernels.parameters import Given, Parameter, of

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.user_kernels.elementwise import ElementwiseKernel

_KERNEL: Final = Skeleton("indexed.c", "xr_indexed")


def launched(
    kernel: ElementwiseKernel, call: Given, outs: Sequence[Array], shape: Shape
) -> tuple[Array, ...]:
    """Launch a kernel behind everything that was asked before; its outputs."""
    device, inputs = call.device, len(kernel.in_params)
    count = math.prod(shape)
    views = [
        _plain(value._view, shape, parameter)
        for value, parameter in zip(call.values[:inputs], kernel.in_params, strict=False)
    ]
    results = [
        builder.copied(outs[number]._view)
        if outs
        else _new(of(parameter, call.types), shape, device)
        for number, parameter in enumerate(kernel.out_params)
    ]
    views += results
    indices = {"count": count, "chunk": tuning.CHUNK if device.info.loop_per_item else 1}
    parameters, arguments = list[str](), list[str]()
    statements, ends = list[str](), list[str]()
    pointers = list[str]()
    text = kernel._body.text
    for number, (parameter, view) in enumerate(zip(kernel.params, views, strict=True)):
        row = of(parameter, call.types)
        if row.storage != row.compute:
            raise errors.type_error(
                f"{kernel.name}(...)",
                f"{parameter.name} has dtype {row}",
                "a kernel with raw parameters must be given a dtype that devices compute in",
                f'convert with {parameter.name}.astype("float32")',
            )
        name, is_output = parameter.name, number >= inputs
        pointer = f"GLOBAL {'' if is_output else 'const '}{row.compute} *"
        pointers.append(f"parameter(GLOBAL {row.compute} *, xr_p{number})")
        assert view.layout is not None
        indices[f"begin{number}"] = view.layout.offset
        arguments.append(f"xr_p{number} + a.begin{number}")
        if parameter.raw:
            parameters.append(f"{pointer}{name}")
            text = _with_extents(text, parameter, view, number, indices, parameters, arguments)
            continue
        parameters.append(f"{pointer}xr_at{number}")
        if not is_output:
            indices[f"stride{number}"] = int(math.prod(view.shape) != 1)
            parameters.append(f"const i64 xr_stride{number}")
            arguments.append(f"a.stride{number}")
            statements.append(f"const {row.compute} {name} = xr_at{number}[i * xr_stride{number}];")
            continue
        statements.append(f"{row.compute} {name} = " + (f"xr_at{number}[i];" if outs else "{0};"))
        ends.append(f"xr_at{number}[i] = {name};")
    function = Function(
        "void",
        (*parameters, "const i64 i", "const i64 _count"),
        "\n".join(statements),
        (kernel._before, Text(kernel.name, text), kernel._after),
        "\n".join(ends),
        kernel._preamble,
        {letter: row.compute for letter, row in call.types.items() if len(letter) == 1},
    ).published(has_float64=device.info.has_float64)
    compile_check.require_compiles(device, kernel.name, (function.name,))
    recorders.computing(kernel.name, *views)
    builder.settle(device)
    storages = list[Storage]()
    for view in views:
        builder.compute(view)
        assert view.storage is not None
        storages.append(view.storage)
    if count:
        arguments += ["i", "a.count"]
        special = (
            _defines,
            tuple(pointers),
            f"{function.name}({', '.join(arguments)})",
            device.info.loop_per_item,
        )
        skeleton = _KERNEL.kernel(device, special, tuple(indices), None, wide=True)
        with device.lock:
            for storage in storages:
                storage.settle()
            buffers = [storage.buffer for storage in storages]
            packed = skeleton.arguments.pack(*indices.values())
            work = skeleton, _grid(device, count), buffers, packed, count
            tape_of(device).ask(steps.launch, device, *work)
    if not outs:
        return tuple(keep_array(Array(result)) for result in results)
    for out, result in zip(outs, results, strict=True):
        store(out, result, f"{kernel.name}(...)")
    return tuple(outs)


def _defines(pointers: Sequence[str], called: str, loop_per_item: bool) -> list[str]:
    return [
        define("XR_POINTERS(parameter)", pointers),
        define("XR_CALL", [called]),
        f"#define XR_CHUNKED {int(loop_per_item)}",
    ]


def _plain(view: View, shape: Shape, parameter: Parameter) -> View:
    """A view whose elements lie one behind the other, of the shape that the kernel walks."""
    if not parameter.raw and view.shape != shape and math.prod(view.shape) != 1:
        view = builder.broadcast(view, shape)
    builder.materialise(view)
    assert view.layout is not None
    return view if view.layout.linear else builder.copied(view)


def _new(row: DType, shape: Shape, device: Device) -> View:
    storage = builder.allocate(device, math.prod(shape) * row.itemsize)
    return storage_view(storage, contiguous(shape), row)


def _with_extents(
    text: str,
    parameter: Parameter,
    view: View,
    number: int,
    indices: dict[str, int],
    parameters: list[str],
    arguments: list[str],
) -> str:
    """The operation with the size and the extents of a raw parameter as numbers."""

    def measure(word: str, value: int) -> str:
        field = f"{word}{number}"
        if field not in indices:
            indices[field] = value
            parameters.append(f"const i64 xr_{field}")
            arguments.append(f"a.{field}")
        return f"xr_{field}"

    def replaced(match: re.Match[str]) -> str:
        if match["size"]:
            return measure("size", math.prod(view.shape))
        if match["ndim"]:
            return str(len(view.shape))
        axis = int(match["axis"])
        if axis >= len(view.shape):
            raise errors.value_error(
                "an own kernel",
                f"{match.group()} is asked for",
                f"it must be one of the {len(view.shape)} axes of {parameter.name}",
            )
        return measure(f"extent{axis}_", view.shape[axis])

    name = re.escape(parameter.name)
    return re.sub(
        rf"\b{name}\.(?:(?P<size>size\(\))|(?P<ndim>ndim)\b|shape\(\)\[(?P<axis>\d+)\])",
        replaced,
        text,
    )


def _grid(device: Device, count: int) -> Grid:
    if device.info.loop_per_item:
        return (-(-count // tuning.CHUNK),), (1,)
    group = min(tuning.GROUP, device.info.group_size)
    return (-(-count // group),), (group,)
