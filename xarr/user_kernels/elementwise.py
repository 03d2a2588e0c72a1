"""`ElementwiseKernel`: a program's own function of each element, in C.

Without raw parameters it is an operation like those of the table's rows: it is deferred, fused with
what stands beside it, and takes views. With raw parameters, which it indexes, it is a launch of its
own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.layouts import keep_array, require_writeable
from xarr.array.out_argument import store
from xarr.codegen.source import OwnText
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.ir.views import constant
from xarr.layout import Shape, broadcast_shapes
from xarr.tape import builder
from xarr.user_kernels import compile_check, raw_elementwise
from xarr.user_kernels.c_source import Function, Text, require_portable
from xarr.user_kernels.parameters import (
    Given,
    Parameter,
    declared,
    definitions,
    given,
    of,
    require_names,
)
from xarr.user_kernels.tokens import tokens, words

_COUNT: Final = re.compile(r"\b_ind\.size\(\)")
_COUNT_WORD: Final = "_count"
_CONDITIONAL: Final = re.compile(r"[{}?]|&&|\|\||\b(?:if|for|while|do|switch|else)\b")


Derivative = Callable[..., Any]
"""A function in array code that returns partial derivatives."""


class ElementwiseKernel:
    """A kernel for each element, written in C and compiled for the device of its operands.

    in_params, out_params : str
        The parameters, as ``"float32 x, T y"``: data types by NumPy's names, or one-letter
        placeholders for the data type of the argument. ``raw T x`` is not broadcast: the operation
        indexes it in C order, ``x[i]``, and may use ``x.size()`` and ``x.shape()[0]``.
    operation : str
        Statements in C that assign the outputs. ``i`` is the position of the element and
        ``_ind.size()`` the number of elements; ``return`` ends the element. The page "Own kernels"
        lists the C that all devices have; its mathematical functions give the same bits on each.
    name : str -- The name in errors, `explain` and profiles.
    reduce_dims : bool -- Has no effect: xarr merges axes that are contiguous in memory in any case.
    preamble : str -- Functions, structures and macros to put before the kernel.
    no_return : bool -- Whether a call returns None; it needs all outputs as arguments then.
    return_tuple : bool -- Whether to return a tuple for a single output too.
    loop_prep, after_loop : str -- Statements before and after the operation, for each element.
    options : sequence of str -- Macros, as ``-DCOUNT=3``.
    derivative : function, optional -- The derivative for `grad` and other transforms. It
        takes the inputs as arrays and, if it has one more parameter, the output. It returns the
        partial derivative of the output by the input, or a tuple for several inputs (None for
        zero). For several outputs it returns a tuple with an item of this form for each.

    ValueError -- If a declaration is malformed, or the C uses a name that not all devices have.
    CompileError -- At a call, if the operation does not compile.

    Notes
    -----
    CuPy's class of this name, without CUDA's extensions of C, for which there is `RawKernel`.
    Source: CuPy's documentation, "User-Defined Kernels".

    >>> import xarr
    >>> squared_diff = xarr.ElementwiseKernel(
    ...     "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> squared_diff(xarr.asarray([1.0, 2.0, 5.0]), 2.0).tolist()
    [1.0, 0.0, 9.0]
    >>> cube = xarr.ElementwiseKernel(
    ...     "T x", "T y", "y = x * x * x", derivative=lambda x: 3 * x * x)
    >>> xarr.grad(lambda x: cube(x).sum())(xarr.asarray([1.0, 2.0])).tolist()
    [3.0, 12.0]
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Sequence[str] = (),
        derivative: Derivative | None = None,
    ) -> None:
        require_identifier(name, "ElementwiseKernel(in_params, out_params, operation, name)")
        where = f"{name}(...)"
        self.name = self.__name__ = name
        self.operation = operation
        self.preamble = preamble
        self.reduce_dims = reduce_dims
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.in_params = declared(in_params, "in_params", where)
        self.out_params = declared(out_params, "out_params", where)
        self.params = self.in_params + self.out_params
        require_names(self.params, where)
        if not self.out_params:
            raise errors.value_error(where, "out_params is empty", "it must name an output")
        preamble = f"{definitions(options, where)}{preamble}"
        self._where = where
        self._body = Text(name, _COUNT.sub(_COUNT_WORD.ljust(11), operation))
        self._before = Text(f"{name}: loop_prep", loop_prep)
        self._after = Text(f"{name}: after_loop", after_loop)
        self._preamble = Text(f"{name}: preamble", preamble)
        self._is_raw = any(parameter.raw for parameter in self.params)
        self.derivative = derivative
        if derivative is not None and self._is_raw:
            fault, accepted = "derivative is given", "it must be None where parameters are raw"
            raise errors.value_error(where, fault, accepted, "define it by xarr.custom_vjp")
        self._words = words(self._body.text) | words(loop_prep) | words(after_loop)
        self._known = dict[Any, tuple[Operation, ...]]()
        self._texts = list[OwnText]()  # an operation keeps them by its row
        require_portable(
            self._preamble,
            (self._before, self._body, self._after),
            [(parameter.type, parameter.name) for parameter in self.params],
        )

    @property
    def nin(self) -> int:
        """The number of inputs."""
        return len(self.in_params)

    @property
    def nout(self) -> int:
        """The number of outputs."""
        return len(self.out_params)

    @property
    def nargs(self) -> int:
        """The number of parameters."""
        return len(self.params)

    def __call__(
        self, *args: Any, size: int | None = None, block_size: int = 128, stream: Any = None
    ) -> Any:
        """Apply the kernel; return its outputs.

        Parameters
        ----------
        *args : Array or number
            The inputs, which broadcast; then, optionally, all outputs.
        size : int, optional
            The number of elements; needed if all arrays are raw.
        block_size : int
            Has no effect: xarr cuts the work itself.
        stream : Stream, optional
            The stream to run on; None for the current one.
        """
        if block_size <= 0:
            raise errors.value_error(
                self._where, f"block_size is {block_size}", "it must be 1 or more"
            )
        if stream is not None:
            with stream:
                return self(*args, size=size)
        call = given(self.in_params, self.out_params, args, self._where)
        outs = call.values[self.nin :]
        if self.no_return and not outs:
            raise errors.value_error(
                self._where, "no output is given", "all outputs must be given with no_return"
            )
        shape = self._shape(call, args, size)
        for out in outs:
            require_writeable(out, self._where)
        results = (self._launch if self._is_raw else self._deferred)(call, outs, shape)
        if self.no_return:
            return None
        return results[0] if len(results) == 1 and not self.return_tuple else results

    def _shape(self, call: Given, args: Sequence[Any], size: int | None) -> Shape:
        """The shape that inputs broadcast to, which outputs have as well."""
        pairs = list(zip(self.params, call.values, strict=False))
        shapes = [value.shape for parameter, value in pairs[: self.nin] if not parameter.raw]
        outs = [pair for pair in pairs[self.nin :] if not pair[0].raw]
        is_sized = bool(outs) or any(
            not parameter.raw and (type(value) is Array or numpy.ndim(value))
            for parameter, value in zip(self.in_params, args, strict=False)
        )
        if size is not None:
            if is_sized:
                raise errors.value_error(
                    self._where, "size is given", "all arrays must be raw where it is given"
                )
            return (int(size),)
        if not is_sized and (self._is_raw or not shapes):
            raise errors.value_error(
                self._where, "all arrays are raw", "size must say how many elements there are"
            )
        shapes += [out.shape for _, out in outs]
        shape = broadcast_shapes(*shapes, where=self._where)
        for parameter, out in outs:
            if out.shape != shape:
                raise errors.value_error(
                    self._where,
                    f"{parameter.name} has shape {out.shape}",
                    f"inputs and outputs must broadcast to {shape}",
                )
        return shape

    # -- without raw parameters ---------------------------------------------------------------

    def _deferred(self, call: Given, outs: Sequence[Array], shape: Shape) -> tuple[Array, ...]:
        before = tuple(row for row in self.out_params if outs and self._keeps(row))
        views = [value._view for value in call.values[: self.nin]]
        views += [outs[self.out_params.index(parameter)]._view for parameter in before]
        if "i" in self._words:
            views.append(builder.index(shape, call.device))
        if _COUNT_WORD in self._words:
            views.append(constant(math.prod(shape), dtypes.int64, (), call.device))
        operations = self._operations(call, before)
        results = [builder.defer(operation, tuple(views), shape) for operation in operations]
        if not outs:
            return tuple(keep_array(Array(result)) for result in results)
        for out, result in zip(outs, results, strict=True):
            store(out, result, self._where)
        return tuple(outs)

    def _keeps(self, output: Parameter) -> bool:
        """Whether an output that is given may keep its elements, or is read: it is not just set."""
        name = rf"\b{output.name}\b"
        if self._before.text or re.search(name, self._preamble.text):
            return True
        pieces = tokens(self._body.text)
        body = " ".join(piece.text for piece in pieces if piece.kind != "skip")
        found = re.search(rf"{name}( =(?! =)[^;]*)?", body)
        if found is None or found[1] is None or re.search(name, found[1]):
            return True
        return _CONDITIONAL.search(body[: found.start()]) is not None

    def _operations(self, call: Given, before: Sequence[Parameter]) -> tuple[Operation, ...]:
        """The operation of each output, for the data types of a call."""
        types = tuple(of(parameter, call.types) for parameter in self.params)
        key = types, bool(before), call.device.no_float64, call.device
        found = self._known.get(key)
        if found is None:
            found = tuple(
                self._operation(number, call, before) for number in range(len(self.out_params))
            )
            compile_check.require_compiles(
                call.device, self.name, [operation.template for operation in found]
            )
            self._known[key] = found
        return found

    def _operation(self, number: int, call: Given, before: Sequence[Parameter]) -> Operation:
        operands = [(parameter.name, of(parameter, call.types)) for parameter in self.in_params]
        operands += [
            (f"{parameter.name}_before", of(parameter, call.types)) for parameter in before
        ]
        operands += [(word, dtypes.int64) for word in ("i", _COUNT_WORD) if word in self._words]
        result = of(self.out_params[number], call.types)
        function = Function(
            result.compute,
            tuple(f"const {row.compute} {word}" for word, row in operands),
            "\n".join(
                f"{of(parameter, call.types).compute} {parameter.name} = "
                + (f"{parameter.name}_before;" if parameter in before else "{0};")
                for parameter in self.out_params
            ),
            (self._before, self._body, self._after),
            f"return {_returned(self.out_params[number].name, result)};",
            self._preamble,
            {letter: row.compute for letter, row in call.types.items() if len(letter) == 1},
        ).published(has_float64=call.device.info.has_float64)
        self._texts.append(function)
        template = f"{function.name}({', '.join(f'{{{place}}}' for place in range(len(operands)))})"
        types = tuple(row for _, row in operands)
        return Operation(self.name, types, result, template, row=(self, number))

    # -- with raw parameters ------------------------------------------------------------------

    def _launch(self, call: Given, outs: Sequence[Array], shape: Shape) -> tuple[Array, ...]:
        return raw_elementwise.launched(self, call, outs, shape)


def _returned(name: str, row: DType) -> str:
    return f"{name} != 0" if row.kind == dtypes.BOOL else name


def require_identifier(name: str, where: str) -> None:
    """Refuse a name that no function of C can have."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise errors.value_error(where, f"name is {name!r}", "it must be of letters, digits and _")
