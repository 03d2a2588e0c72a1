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
from xarr.compiler.launch import Grid
from xarr.compiler.source import define
from xarr.core.storage import Storage
from xarr.core.views import Node, leaf
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.skeleton import Skeleton
from xarr.layout import Shape, contiguous
from xarr.own import checking
from xarr.own.parameters import Given, Parameter, of
from xarr.own.text import Function, Text

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.own.elementwise import ElementwiseKernel

_KERNEL: Final = Skeleton("indexed.c", "xr_indexed")


def launched(
    kernel: ElementwiseKernel, call: Given, outs: Sequence[Array], shape: Shape
) -> tuple[Array, ...]:
    """Launch a kernel behind everything that was asked before; its outputs."""
    device, inputs = call.device, len(kernel.in_params)
    count = math.prod(shape)
    nodes = [
        _plain(value._node, shape, parameter)
        for value, parameter in zip(call.values[:inputs], kernel.in_params, strict=False)
    ]
    results = [
        engine.copied(outs[number]._node)
        if outs
        else _new(of(parameter, call.types), shape, device)
        for number, parameter in enumerate(kernel.out_params)
    ]
    nodes += results
    indices = {"count": count, "chunk": tuning.CHUNK if device.info.chunked else 1}
    parameters, arguments = list[str](), list[str]()
    statements, ends = list[str](), list[str]()
    pointers = list[str]()
    text = kernel._body.text
    for number, (parameter, node) in enumerate(zip(kernel.params, nodes, strict=True)):
        row = of(parameter, call.types)
        if row.storage != row.compute:
            raise errors.type_error(
                f"{kernel.name}(...)",
                f"{parameter.name} has dtype {row}",
                "a kernel with raw parameters takes what devices compute in",
                f'convert with {parameter.name}.astype("float32")',
            )
        name, is_output = parameter.name, number >= inputs
        pointer = f"GLOBAL {'' if is_output else 'const '}{row.compute} *"
        pointers.append(f"parameter(GLOBAL {row.compute} *, xr_p{number})")
        assert node.layout is not None
        indices[f"begin{number}"] = node.layout.offset
        arguments.append(f"xr_p{number} + a.begin{number}")
        if parameter.raw:
            parameters.append(f"{pointer}{name}")
            text = _with_extents(text, parameter, node, number, indices, parameters, arguments)
            continue
        parameters.append(f"{pointer}xr_at{number}")
        if not is_output:
            indices[f"stride{number}"] = int(math.prod(node.shape) != 1)
            parameters.append(f"const i64 xr_stride{number}")
            arguments.append(f"a.stride{number}")
            statements.append(f"const {row.compute} {name} = xr_at{number}[i * xr_stride{number}];")
            continue
        statements.append(f"{row.compute} {name} = " + (f"xr_at{number}[i];" if outs else "{0};"))
        ends.append(f"xr_at{number}[i] = {name};")
    name = Function(
        "void",
        (*parameters, "const i64 i", "const i64 _count"),
        "\n".join(statements),
        (kernel._before, Text(kernel.name, text), kernel._after),
        "\n".join(ends),
        kernel._preamble,
        {letter: row.compute for letter, row in call.types.items() if len(letter) == 1},
    ).published(has_float64=device.info.has_float64)
    checking.require_compiles(device, kernel.name, (name,))
    engine.settle(device)
    storages = list[Storage]()
    for node in nodes:
        engine.compute(node)
        assert node.storage is not None
        storages.append(node.storage)
    if count:
        arguments += ["i", "a.count"]
        special = _defines, tuple(pointers), f"{name}({', '.join(arguments)})", device.info.chunked
        _KERNEL.launch(special, _grid(device, count), indices, storages, wide=True, elements=count)
    if not outs:
        return tuple(keep_array(Array(result)) for result in results)
    for out, result in zip(outs, results, strict=True):
        store(out, result, f"{kernel.name}(...)")
    return tuple(outs)


def _defines(pointers: Sequence[str], called: str, chunked: bool) -> list[str]:
    return [
        define("XR_POINTERS(parameter)", pointers),
        define("XR_CALL", [called]),
        f"#define XR_CHUNKED {int(chunked)}",
    ]


def _plain(node: Node, shape: Shape, parameter: Parameter) -> Node:
    """A node whose elements lie one behind the other, of the shape that the kernel walks."""
    if not parameter.raw and node.shape != shape and math.prod(node.shape) != 1:
        node = engine.broadcast(node, shape)
    engine.placed(node)
    assert node.layout is not None
    return node if node.layout.linear else engine.copied(node)


def _new(row: DType, shape: Shape, device: Device) -> Node:
    storage = engine.allocate(device, math.prod(shape) * row.itemsize)
    return leaf(storage, contiguous(shape), row)


def _with_extents(
    text: str,
    parameter: Parameter,
    node: Node,
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
            return measure("size", math.prod(node.shape))
        if match["ndim"]:
            return str(len(node.shape))
        axis = int(match["axis"])
        if axis >= len(node.shape):
            raise errors.value_error(
                "an own kernel",
                f"{match.group()} is asked for",
                f"{parameter.name} has {len(node.shape)} axes",
            )
        return measure(f"extent{axis}_", node.shape[axis])

    name = re.escape(parameter.name)
    return re.sub(
        rf"\b{name}\.(?:(?P<size>size\(\))|(?P<ndim>ndim)\b|shape\(\)\[(?P<axis>\d+)\])",
        replaced,
        text,
    )


def _grid(device: Device, count: int) -> Grid:
    if device.info.chunked:
        return (-(-count // tuning.CHUNK),), (1,)
    group = min(tuning.GROUP, device.info.group_size)
    return (-(-count // group),), (group,)
