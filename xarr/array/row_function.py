# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The call of a function of a row, as `add`, on operands alone."""

from __future__ import annotations

from typing import Any

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import applied, combined
    from xarr.ir.resolved import ResolvedRow


@cython.cclass
class RowFunction:
    """A function of a row: operands that it is known for need no frame of Python.

    The class that is made of it has `_called`, which takes all arguments.

    Attributes
    ----------
    known : ResolvedRow
        The row's opcodes.
    """

    known: ResolvedRow

    def __call__(self, *operands: Any, **options: Any) -> Any:
        """Apply the function to operands."""
        found: object = None
        if not options:
            if len(operands) == 2:
                found = combined(self.known, operands[0], operands[1])
            elif len(operands) == 1:
                found = applied(self.known, operands[0])
        return self._called(*operands, **options) if found is None else found  # type: ignore[attr-defined]
