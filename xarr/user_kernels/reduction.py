"""`ReductionKernel`: a program's own reduction of axes, in C.

Its map is an operation of each element, which the reduction's launch computes; what joins two
results is a fold like those of the table's rows, in the same order on every device.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from xarr import dtypes, errors, layout
from xarr.array.array import Array, Axis, Out
from xarr.array.coerce import scalar_view
from xarr.array.layouts import keep_array
from xarr.array.out_argument import deliver
from xarr.codegen.source import OwnText
from xarr.dtypes import DType
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation
from xarr.ir.views import View, storage_view
from xarr.layout import broadcast_shapes
from xarr.ops import reduce_scan
from xarr.tape import builder, recorders
from xarr.user_kernels import compile_check
from xarr.user_kernels.c_source import Function, Text, require_portable
from xarr.user_kernels.elementwise import Derivative, require_identifier
from xarr.user_kernels.parameters import Given, declared, definitions, given, of, require_names


class ReductionKernel:
    """A reduction, written in C and compiled for the device of its operands.

    in_params, out_params : str
        The parameters, as for `ElementwiseKernel`; one output, and no ``raw`` parameters.
    map_expr : str -- An expression of the inputs: the value to reduce.
    reduce_expr : str -- An expression that combines two values `a` and `b`, as ``a + b``;
        associative and commutative.
    post_map_expr : str -- A statement for the output, from the reduced value `a`: ``y = sqrt(a)``.
    identity : number, str or None -- The neutral value of reduce_expr, and the result if there are
        no elements. If it is None, a reduction of no elements is an error.
    reduce_type : str, optional
        The data type of `a` and `b`, a name or a placeholder; None for the output's.
    derivative : function, optional
        As for `ElementwiseKernel`: a function of the inputs, and of the output with the reduced
        axes kept. It returns the partial derivative of the output by each element.
    name : str -- The name in errors, `explain` and profiles.
    reduce_dims : bool -- Has no effect, as for `ElementwiseKernel`.
    preamble : str -- Functions, structures and macros to put before the kernel.
    options : sequence of str -- Macros, as ``-DCOUNT=3``.

    ValueError -- If there is more than one output, or a ``raw`` parameter.
    TypeError -- If `reduce_type` names no parameter's type.

    Note: CuPy's class of this name; the errors are those of `ElementwiseKernel`. Values are
    combined in a fixed order, so sums of floats have the same bits on every device.

    >>> import xarr
    >>> l2norm = xarr.ReductionKernel(
    ...     "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    >>> l2norm(xarr.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1).tolist()
    [5.0, 10.0]
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: str | complex | None,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
        *,
        derivative: Derivative | None = None,
    ) -> None:
        where = f"{name}(...)"
        require_identifier(name, "ReductionKernel(in_params, out_params, ...)")
        self.name = self.__name__ = name
        self.identity = identity
        self.derivative = derivative
        self.in_params = declared(in_params, "in_params", where)
        self.out_params = declared(out_params, "out_params", where)
        self.params = self.in_params + self.out_params
        self.nin, self.nout, self.nargs = (
            len(params) for params in (self.in_params, self.out_params, self.params)
        )
        require_names(self.params, where)
        if len(self.out_params) != 1 or any(parameter.raw for parameter in self.params):
            raise errors.value_error(
                where,
                f"out_params is {out_params!r}, in_params {in_params!r}",
                "there must be one output, and nothing raw",
            )
        preamble = f"{definitions(options, where)}{preamble}"
        self._reduced = self.out_params[0]
        if reduce_type is not None:
            (self._reduced,) = declared(f"{reduce_type} a", "reduce_type", where)
            known = {parameter.type for parameter in self.params}
            if self._reduced.dtype is None and self._reduced.type not in known:
                raise errors.type_error(
                    where,
                    f"reduce_type is {reduce_type!r}, which no parameter has",
                    "it must be a data type's name, or a parameter's placeholder",
                    "for an index beside a value, take argmax, or pack both into an int64",
                )
        self._map = Text(f"{name}: map_expr", map_expr)
        self._reduce = Text(f"{name}: reduce_expr", reduce_expr)
        self._post = Text(f"{name}: post_map_expr", post_map_expr)
        self._preamble = Text(f"{name}: preamble", preamble)
        self._where = where
        self._known = dict[Any, tuple[Operation, Fold]]()
        self._texts = list[OwnText]()  # an operation keeps them by its row
        require_portable(
            self._preamble,
            (self._map, self._reduce, self._post),
            [(parameter.type, parameter.name) for parameter in (*self.params, self._reduced)],
        )

    def __call__(
        self,
        *args: Any,
        out: Out = None,
        axis: Axis = None,
        keepdims: bool = False,
        stream: Any = None,
    ) -> Array:
        """Reduce the inputs along axes.

        Parameters
        ----------
        *args : Array or number
            The inputs, which broadcast; then, optionally, the output.
        out : Array, optional
            The array to write the result to, of its shape.
        axis : int, tuple of int or None
            The axes; None for all.
        keepdims : bool
            Whether to keep the reduced axes, with extent 1.
        stream : Stream, optional
            The stream to run on; None for the current stream.
        """
        if stream is not None:
            with stream:
                return self(*args, out=out, axis=axis, keepdims=keepdims)
        call = given(self.in_params, self.out_params, args, self._where)
        inputs = [value._view for value in call.values[: len(self.in_params)]]
        if len(call.values) > len(inputs):
            if out is not None:
                raise errors.value_error(self._where, "out is given twice", "it must be given once")
            out = call.values[-1]
        shape = broadcast_shapes(*[view.shape for view in inputs], where=self._where)
        axes = layout.normalize_axes(axis, len(shape), self._where)
        operation, fold = self._specialise(call)
        kept = tuple(1 if place in axes else extent for place, extent in enumerate(shape))
        left = tuple(extent for place, extent in enumerate(shape) if place not in axes)

        def computed(*views: View) -> Sequence[View]:
            if math.prod(shape[place] for place in axes) == 0:
                return (self._of_none(call, fold, left),)
            if math.prod(left) == 0:
                storage = builder.allocate(call.device, 0)
                return (storage_view(storage, layout.contiguous(left), fold.result),)
            view = builder.defer(operation, views, shape)
            if axes:
                return (reduce_scan.reduce(fold, view, axes),)
            # Each element is a reduction of its own: over an axis of one element.
            return (reduce_scan.reduce(fold, builder.reshaped(view, (1, *shape)), (0,)),)

        if self.derivative is None:
            (final,) = computed(*inputs)
        else:
            options = {"kernel": self, "kept": kept}
            (final,) = recorders.whole("kernel", options, inputs, computed)
        if keepdims:
            final = builder.reshaped(final, kept)
        return deliver(keep_array(Array(final)), out, self._where)

    def _specialise(self, call: Given) -> tuple[Operation, Fold]:
        """The map and the fold for the data types of a call."""
        types = tuple(of(parameter, call.types) for parameter in (*self.params, self._reduced))
        key = types, call.device.no_float64, call.device
        if key not in self._known:
            made = self._operation(call), self._fold(call)
            texts = made[0].template, made[1].step, made[1].finish
            compile_check.require_compiles(call.device, self.name, texts)
            self._known[key] = made
        return self._known[key]

    def _function(
        self, call: Given, result: DType, of_what: Mapping[str, DType], text: Text, name: str
    ) -> OwnText:
        """A function of C that gives `name` the value that a text does."""
        function = Function(
            result.compute,
            tuple(f"const {row.compute} {word}" for word, row in of_what.items()),
            f"{result.compute} {name} = {{0}};",
            (text,),
            f"return {name};",
            self._preamble,
            {letter: row.compute for letter, row in call.types.items() if len(letter) == 1},
        ).published(has_float64=call.device.info.has_float64)
        self._texts.append(function)
        return function

    def _operation(self, call: Given) -> Operation:
        """The map: a value of the type that is accumulated, of each element."""
        row = of(self._reduced, call.types)
        operands = {parameter.name: of(parameter, call.types) for parameter in self.in_params}
        text = Text(self._map.where, f"xr_mapped = {self._map.text};")
        function = self._function(call, row, operands, text, "xr_mapped")
        template = f"{function.name}({', '.join(f'{{{place}}}' for place in range(len(operands)))})"
        return Operation(self.name, tuple(operands.values()), row, template, row=(self, -1))

    def _fold(self, call: Given) -> Fold:
        row, result = of(self._reduced, call.types), of(self.out_params[0], call.types)
        joined = Text(self._reduce.where, f"xr_joined = {self._reduce.text};")
        joins = self._function(call, row, {"a": row, "b": row}, joined, "xr_joined")
        output = self.out_params[0].name
        post = self._function(call, result, {"a": row}, self._post, output)
        return Fold(
            name=self.name,
            value=row,
            accumulator=row.compute,
            nbytes=4 if row is dtypes.float16 else row.itemsize,
            result=result,
            first="x",
            step=f"{joins.name}(acc, x)",
            combine=f"{joins.name}(acc1, acc2)",
            close="",
            finish=f"{post.name}(acc)",
            taken=row,
            element="{0}",
            texts=(joins, post),
        )

    def _of_none(self, call: Given, fold: Fold, left: tuple[int, ...]) -> View:
        """The reduction of no elements: the identity, after `post_map_expr`."""
        if self.identity is None:
            raise errors.value_error(
                self._where, "there are no elements", "a kernel without identity must be given some"
            )
        value = _number(self.identity, self._where)
        if isinstance(value, complex) and fold.value.kind != dtypes.COMPLEX:
            value = value.real
        view = scalar_view(value, fold.value, call.device, self._where)
        final = reduce_scan.reduce(fold, builder.broadcast(builder.copied(view), (1,)), (0,))
        return builder.broadcast(final, left)


def _number(identity: Any, where: str) -> Any:
    """The number that an identity is, or that its text says."""
    if not isinstance(identity, str):
        return identity
    for kind in (int, float, complex):
        with contextlib.suppress(ValueError):
            return kind(identity)
    raise errors.value_error(
        where,
        f"there are no elements, and identity is {identity!r}",
        "identity must be a number",
        'give it as a number or its text, as "0"',
    )
