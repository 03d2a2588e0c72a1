"""The words of kernels by threads: xarr's, and those of Numba's `cuda` module."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from xarr import errors

_EXCHANGE: Final = "write to a local_array, then barrier(), and read there"
_NEXT: Final = "end the kernel, and launch another: it sees what all items wrote"
_ATOMIC: Final = "write a loop with atomic.cas"
_REMEDIES: Final = {
    "cg threadfence threadfence_block threadfence_system": _NEXT,
    "random": "draw before, xarr.random.default_rng().random(n), and give the array to the kernel",
    "shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync vote_sync_intrinsic all_sync any_sync "
    "eq_sync ballot_sync match_any_sync match_all_sync": f"warps are not there: {_EXCHANGE}",
    "syncwarp activemask lanemask_lt": "warps are not there: write barrier()",
    "laneid warpsize": f"warps are not there: {_EXCHANGE}",
    "syncthreads_count syncthreads_and syncthreads_or": "write atomic.add to a local_array",
    "const": "give the array as an argument, or name a tuple of the module",
    "selp": "write a if condition else b",
    "fma": "write a * b + c",
    "cbrt": "write numpy.cbrt(x)",
    "popc brev clz ffs": "write shifts and &",
    "nanosleep": "leave it out",
    "libdevice fp16": "write functions of math or numpy",
    "inc dec and_ or_ xor nanmin nanmax": _ATOMIC,
    "compare_and_swap": "write atomic.cas(x, i, old, value)",
    "In Out InOut": "write to_device(x), and numpy.asarray(d) afterwards",
    "mapped_array managed_array": "write device_array(shape, dtype)",
    "mapped pinned": "write to_device(x)",
    "reduce Reduce": "write xarr.sum(x), or an xarr.ReductionKernel",
    "select_device close": "write with xarr.device(name), or set XARR_DEVICE",
    "get_current_device current_context": "write xarr.default_device()",
    "gpus list_devices detect": "write xarr.devices()",
    "profiling profile_start profile_stop": "write with xarr.profile()",
    "as_cuda_array from_cuda_array_interface": "write xarr.asarray(x)",
    "external_stream": "write xarr.Stream(pointer=handle)",
}
_ABOUT: Final = {
    "grid": "Return the item's index in the whole grid: grid(1) an int, grid(2) a pair.",
    "gridsize": "Return the number of items in the whole grid: gridsize(1) an int, else a tuple.",
    "local_id": "Return the item's index in its group along an axis: local_id(0) is threadIdx.x.",
    "group_id": "Return the index of the group along an axis: group_id(0) is blockIdx.x.",
    "local_size": "Return the items of a group along an axis: local_size(0) is blockDim.x.",
    "groups": "Return the number of groups along an axis: groups(0) is gridDim.x.",
    "barrier": "Wait for all items of the group; each then sees the writes of the others.",
    "local_array": "Make an array that the items of a group share: local_array(shape, dtype).",
    "private_array": "Make an array of the item alone: private_array(shape, dtype).",
    "atomic_add": "Add to x[i], undisturbed by other items: atomic.add(x, i, value).",
    "atomic_sub": "Subtract from x[i], undisturbed by other items: atomic.sub(x, i, value).",
    "atomic_min": "Lower x[i] to a value, undisturbed by other items: atomic.min(x, i, value).",
    "atomic_max": "Raise x[i] to a value, undisturbed by other items: atomic.max(x, i, value).",
    "atomic_exch": "Set x[i] to a value, undisturbed by other items: atomic.exch(x, i, value).",
    "atomic_cas": "Set x[i] to a value where it is `old`: atomic.cas(x, i, old, value).",
}
"""The summary of each word; the atomic ones return the old element."""
_GIVEN: Final = {
    "ndim": "int\n    The number of dimensions, 1 to 3.",
    "axis": "int\n    The dimension: 0, 1 or 2, which are x, y and z of CUDA.",
    "shape": "int or tuple of int\n    The shape, which must be known when the kernel is compiled.",
    "dtype": "DType\n    The data type of the elements.",
    "x": "Array or local array\n    The array, of integers or floats of 32 or 64 bits.",
    "i": "int or tuple of int\n    The element's index.",
    "old": "number\n    The value to replace.",
    "value": "number\n    The operand.",
}
_WORDS: Final = {
    **dict.fromkeys(("grid", "gridsize"), ("ndim", "int, or a tuple of ndim int")),
    **dict.fromkeys(("local_id", "group_id", "local_size", "groups"), ("axis", "int")),
    **dict.fromkeys(("local_array", "private_array"), ("shape dtype", "an array of the kernel")),
    "barrier": ("", "None"),
    "atomic_cas": ("x i old value", "number\n    The element before."),
}
"""The parameters of each word, and what it returns; of other atomic ones as below."""
_EXAMPLE: Final = """
>>> import xarr
>>> @xarr.kernel
... def turned(x, y):
...     kept = xarr.kernel.local_array(4, xarr.float32)
...     k = xarr.kernel.local_id(0)
...     i = xarr.kernel.grid(1)
...     kept[k] = x[i]
...     xarr.kernel.barrier()
...     y[i] = kept[3 - k]
>>> x = xarr.arange(8, dtype="float32")
>>> y = xarr.zeros_like(x)
>>> turned[2, 4](x, y)
>>> y.tolist()
[3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0]"""


def _sections(name: str) -> str:
    """Return the parameters and the result of a word, and a kernel that has the frequent ones."""
    given, returned = _WORDS.get(name, ("x i value", "number\n    The element before."))
    parameters = "\n".join(f"{part} : {_GIVEN[part]}" for part in given.split())
    parts = {"Parameters": parameters, "Returns": returned, "Examples": _EXAMPLE.strip()}
    texts = [f"{head}\n{'-' * len(head)}\n{text}" for head, text in parts.items() if text]
    return "\n\n".join(texts)


INSTEAD: Final = {name: text for names, text in _REMEDIES.items() for name in names.split()}
"""What to write for words of Numba's that are not there."""


class Word:
    """A name of `xarr.kernel` that can be called only in a kernel.

    name : str -- The name of its translation to C.
    axis : int or None -- The dimension, if the name implies it.
    """

    def __init__(self, name: str, axis: int | None = None) -> None:
        self.name = self.__name__ = name
        self.axis = axis
        about = f"{_ABOUT[name]}\n\nIt can be called only in a function of `xarr.kernel`."
        self.__doc__ = f"{about}\n\n{_sections(name)}"

    def __repr__(self) -> str:
        return f"<word {self.name} of xarr.kernel>"

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Say that the word is for kernels."""
        raise errors.refused(
            RuntimeError,
            f"{self.name}(...)",
            "it is called outside a kernel",
            "the words of xarr.kernel are for functions that @xarr.kernel marks",
            "launch the function as f[grid, block](...), or debug it as f.interpret[grid, block]",
        )


class Words:
    """A namespace of names that kernels can use."""

    def __init__(self, **words: Any) -> None:
        vars(self).update(words)

    def __getattr__(self, name: str) -> Any:
        remedy = f"; {INSTEAD[name]}" if name in INSTEAD else ""
        raise AttributeError(f"xarr.kernel has no {name}{remedy}")


def axes(name: str) -> Words:
    """Return the words ``x``, ``y`` and ``z`` of what is asked along a dimension."""
    return Words(**{letter: Word(name, axis) for axis, letter in enumerate("xyz")})


ATOMICS = Words(
    **{name: Word(f"atomic_{name}") for name in ("add", "sub", "min", "max", "exch", "cas")}
)
