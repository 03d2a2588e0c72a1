"""The table of random draws: what makes an element of its place, of a key and of parameters.

A draw is an elementwise operation whose operands are the position, the number of the draw, the key
and the distribution's parameters, so that it is fused with what follows. It has no state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from xarr import dtypes
from xarr.backends.device import Device
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.expression import Node, Operation, constant
from xarr.engine.plan import Drawn
from xarr.layout import Shape
from xarr.tables.rows import named


@dataclass(slots=True, eq=False)
class Draw:
    """A random function of an element's place.

    Parameters
    ----------
    expression : str
        The C expression. In it T is the type that is computed in, `x1`, `x2`, ... are the
        parameters; `place` stands for the arguments block, lane, draw and key of a function, and
        `block` for block, draw and key, where each element has a block of its own or several.
    parameters : tuple of DType or None
        What the parameters are converted to; None for the type that is computed in.
    bits : int
        How many bits of a block an element takes; 0 for as many as the type has.
    """

    expression: str
    parameters: tuple[DType | None, ...] = ()
    bits: int = 0
    name: str = field(default="", init=False)
    operations: dict[tuple[DType, DType], Operation] = field(default_factory=dict, init=False)

    def drawn(
        self,
        shape: Shape,
        draw: int,
        key: int,
        device: Device,
        computed: DType,
        parameters: tuple[Node, ...] = (),
        result: DType | None = None,
    ) -> Node:
        """The pending node of a draw, over a shape that the parameters broadcast to.

        It is computed in one data type, and its result is of that one or of another.
        """
        wanted = result or computed
        operation = self.operations.get((computed, wanted))
        if operation is None:
            operation = self.operations[computed, wanted] = self.operation(computed, wanted)
        inputs = (
            engine.index(shape, device),
            constant(draw, dtypes.uint64, (), device),
            constant(key, dtypes.uint64, (), device),
            *parameters,
        )
        return engine.defer(operation, inputs, shape)

    def operation(self, computed: DType, result: DType) -> Operation:
        """What is drawn, for one type that is computed in and one of the result."""
        text = re.sub(r"\bplace\b", "{0}, {1}, {2}", self.expression)
        text = re.sub(r"\bblock\b", "(u64){0}, {1}, {2}", text)
        text = re.sub(r"\bT\b|(?<=_)T\b", computed.compute, text)
        for number in range(len(self.parameters)):
            text = re.sub(rf"\bx{number + 1}\b", f"{{{number + 3}}}", text)
        operands = (
            dtypes.int64,
            dtypes.uint64,
            dtypes.uint64,
            *(row or computed for row in self.parameters),
        )
        value = f"({text}) != 0" if result.kind == dtypes.BOOL else text
        template = f"({result.compute})({value})"
        if "place" not in self.expression:
            return Operation(self.name, operands, result, template)
        lanes = 128 // (self.bits or 8 * computed.itemsize)
        return Drawn(self.name, operands, result, template, lanes)


_TWO: Final = (None, None)
_BOUNDS: Final = (dtypes.uint64, dtypes.uint64)

words = Draw("xr_word_u32(place)", bits=32)
random = Draw("xr_random_T(place)")
uniform = Draw("x1 + x2 * xr_random_T(place)", _TWO)
standard_normal = Draw("xr_standard_normal_T(place)")
normal = Draw("x1 + x2 * xr_standard_normal_T(place)", _TWO)
standard_exponential = Draw("xr_standard_exponential_T(place)")
exponential = Draw("x1 * xr_standard_exponential_T(place)", (None,))
integers = Draw("x1 + xr_below(place, x2)", _BOUNDS, bits=64)
integers_wide = Draw("x1 + xr_below_wide(block, x2)", _BOUNDS, bits=128)

TABLE: Final = named(vars(), Draw)
BY_NAME: Final = {row.name: row for row in TABLE}
