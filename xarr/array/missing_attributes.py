"""Errors for attributes that other libraries' arrays have: each names what to write instead."""

from __future__ import annotations

from typing import Any, Final

from xarr.errors import refused

_COPIED: Final = "xarr.to_numpy(x), a copy on the host"
_WRITTEN: Final = "x[...] = values"
_MOVED: Final = "x.to_device(device)"
_REMEDIES: Final = {
    "get": _COPIED, "copy_to_host": _COPIED, "numpy": _COPIED, "asnumpy": _COPIED,
    "set": _WRITTEN, "copy_to_device": _WRITTEN, "cpu": 'x.to_device("cpu:0")', "cuda": _MOVED,
    "to": f"{_MOVED}, or x.astype(dtype)", "at": "x[key] = values, which writes into x",
    "block_until_ready": "xarr.synchronize()", "clone": "x.copy()", "detach": "x.copy()",
    "permute": "xarr.permute_dims(x, axes)", "scatter_add": "xarr.add.at(x, i, v)",
    "toDlpack": "x.__dlpack__()", "unsqueeze": "xarr.expand_dims(x, axis=axis)",
    "numel": "x.size",
}  # fmt: skip
"""By the name of an attribute of CuPy's, Numba's, JAX's or PyTorch's arrays."""


class MissingAttribute:
    """An attribute that Array does not have; the error says what to write instead."""

    # A descriptor for each name: a `__getattr__` would slow down every attribute that is there.

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, array: Any, owner: type) -> Any:
        if array is None:
            return self  # as a property of the class does, for tools that list members
        given, remedy = "xarr's arrays have no such attribute", f"write {_REMEDIES[self._name]}"
        raise refused(AttributeError, f"Array.{self._name}", given, remedy)

    def __repr__(self) -> str:
        return f"<no attribute; write {_REMEDIES[self._name]}>"


def _listed(array: Any) -> list[str]:
    """List the attributes that are there, for `dir` and completion."""
    return sorted({*object.__dir__(array)} - _REMEDIES.keys())


def set_on(array_type: Any) -> None:
    """Give the class of arrays its missing attributes."""
    for name in _REMEDIES:
        setattr(array_type, name, MissingAttribute(name))
    array_type.__dir__ = _listed
