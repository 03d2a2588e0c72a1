"""Errors for attributes that arrays and generators lack: each names what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from xarr.errors import difference, refused

_COPIED: Final = "xarr.to_numpy(x), a copy on the host"
_WRITTEN: Final = "x[...] = values"
_MOVED: Final = "x.to_device(device)"
_FUNCTIONS: Final = (
    "abs cbrt ceil cos cosh degrees diff exp expm1 fabs fliplr flipud floor isfinite isinf isnan "
    "log log10 log1p log2 median nanmax nanmean nanmin nansum negative positive radians reciprocal "
    "rint sign sin sinh sqrt square tan tanh tril triu trunc unique"
)
_OF_MORE: Final = (
    "add append average broadcast_to concatenate cross delete divide einsum equal expand_dims flip "
    "float_power histogram inner insert interp isclose kron matmul maximum minimum mod moveaxis "
    "multiply outer pad percentile pow power quantile roll split stack subtract tensordot tile "
    "vdot where"
)
"""Names of functions that are no methods: of one array, and of more arguments."""
_REMEDIES: Final = {
    **{name: f"xarr.{name}(x)" for name in _FUNCTIONS.split()},
    **{name: f"xarr.{name}(x, ...)" for name in _OF_MORE.split()},
    "itemset": "x[key] = value",
    "newbyteorder": "xarr.to_numpy(x), whose bytes may have another order",
    "get": _COPIED, "copy_to_host": _COPIED, "numpy": _COPIED, "asnumpy": _COPIED,
    "set": _WRITTEN, "copy_to_device": _WRITTEN, "cpu": 'x.to_device("cpu:0")', "cuda": _MOVED,
    "to": f"{_MOVED}, or x.astype(dtype)", "at": "x[key] = values, which writes into x",
    "block_until_ready": "xarr.synchronize()", "clone": "x.copy()", "detach": "x.copy()",
    "permute": "xarr.permute_dims(x, axes)", "scatter_add": "xarr.add.at(x, i, v)",
    "toDlpack": "x.__dlpack__()", "unsqueeze": "xarr.expand_dims(x, axis=axis)",
    "numel": "x.size",
}  # fmt: skip
"""By the name of an attribute of CuPy's, Numba's, JAX's or PyTorch's arrays, or of old NumPy."""
OF_GENERATORS: Final = {
    "rand": "rng.random(size)", "randn": "rng.standard_normal(size)", "ranf": "rng.random(size)",
    "randint": "rng.integers(low, high, size)", "random_sample": "rng.random(size)",
    "random_integers": "rng.integers(low, high, size, endpoint=True)",
    "seed": "rng = xarr.random.default_rng(seed)", "sample": "rng.random(size)",
}  # fmt: skip
"""By the name of a function of `random` that is no method of generators."""


class MissingAttribute:
    """An attribute that a class does not have; the error says what to write instead."""

    # A descriptor for each name: a `__getattr__` would slow down every attribute that is there.

    __slots__ = ("_name", "_remedy")

    def __init__(self, name: str, remedy: str) -> None:
        self._name, self._remedy = name, remedy

    def __get__(self, array: Any, owner: type) -> Any:
        if array is None:
            return self  # as a property of the class does, for tools that list members
        given, remedy = "there is no such attribute", f"write {self._remedy}"
        raise refused(AttributeError, self._name, given, "", remedy)

    def __repr__(self) -> str:
        return f"<no attribute; write {self._remedy}>"


def _refuse_strides(array: Any, strides: object) -> None:
    remedy = f"use xarr.lib.stride_tricks.as_strided; {difference('np-x-strides')}"
    given, accepted = f"strides is {strides!r}", "strides must not be set"
    raise refused(AttributeError, "x.strides = strides", given, accepted, remedy)


def set_on_arrays(kind: Any) -> None:
    """Give the class of arrays its missing attributes, and the error of one that is not set."""
    set_on(kind, _REMEDIES)
    kind.strides = kind.strides.setter(_refuse_strides)


def set_on(kind: Any, remedies: Mapping[str, str]) -> None:
    """Give a class its missing attributes; `dir` does not list them."""
    for name, remedy in remedies.items():
        setattr(kind, name, MissingAttribute(f"{kind.__name__}.{name}", remedy))
    kind.__dir__ = lambda one: sorted({*object.__dir__(one)} - remedies.keys())
