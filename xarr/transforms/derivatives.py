"""Find the derivative of an operation, or of a function as a whole."""

from __future__ import annotations

from typing import Any

from xarr.codegen.expressions import GatherScatter, Roll
from xarr.lowering.operations import OpaqueOp, ReduceOp, ScanOp
from xarr.transforms import (
    derivatives_of_arrays,
    derivatives_of_elements,
    derivatives_of_folds,
    derivatives_of_kernels,
    derivatives_of_matrices,
)
from xarr.transforms.steps import ZERO, Rule, Whole, missing


def rule_of(operation: Any) -> Rule | None:
    """Return the rule of an operation, None where its derivative is zero; refuse one without."""
    rule: Rule | None = operation.derivative
    if rule is None:
        rule = operation.derivative = _found(operation)
    return None if rule is ZERO else rule


def _found(operation: Any) -> Rule:
    rule: Rule | None
    if type(operation.row) is tuple:
        rule = derivatives_of_kernels.rule_of(*operation.row)
    elif isinstance(operation, ReduceOp | ScanOp):
        rule = derivatives_of_folds.rule_of(operation)
    elif isinstance(operation, GatherScatter | Roll | OpaqueOp):
        rule = derivatives_of_arrays.RULES.get(operation.name)
    else:
        rule = derivatives_of_elements.RULES.get(operation.row)
    if rule is None:
        raise missing(operation.name)
    return rule


def whole_of(name: str) -> Whole | None:
    """Return the derivative of a function that is taken as a whole, if there is one."""
    if name == "kernel":
        return derivatives_of_kernels.REDUCTION
    return derivatives_of_matrices.WHOLE.get(name)
