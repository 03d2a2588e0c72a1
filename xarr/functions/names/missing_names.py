"""The error for a name that xarr lacks: its successor, why it is absent, or the nearest name."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable
from types import ModuleType
from typing import Final

import numpy

from xarr.backends.device import default_device
from xarr.errors import refused
from xarr.ops import vendor

_PAGE: Final = "docs/names.md compares the names"

_BECAME: Final = {
    **dict(
        re.findall(
            r"(\w+)=(\S+)",
            "Inf=inf Infinity=inf NINF=-inf NZERO=-0.0 NaN=nan PINF=inf PZERO=0.0 alltrue=all "
            "cfloat=complex128 complex=complex128 complex_=complex128 cumproduct=cumprod "
            "find_common_type=result_type float=float64 float_=float64 in1d=isin infty=inf "
            "int=int64 issubsctype=issubdtype longcomplex=complex128 longfloat=float64 "
            "product=prod rank=ndim round_=round set_string_function=set_printoptions "
            "singlecomplex=complex64 sometrue=any trapz=trapezoid ",
        )
    ),
    "alen": "len(x)",
    "asfarray": "asarray(x, dtype=float)",
    "asscalar": "x.item()",
    "byte_bounds": "numpy.lib.array_utils.byte_bounds(numpy.asarray(x))",
    "cast": "asarray(x, dtype)",
    "disp": "print(x)",
    "fastCopyAndTranspose": "x.T.copy()",
    "issctype": "isinstance(x, type) and issubclass(x, numpy.generic)",
    "issubclass_": "issubclass(x, y)",
    "obj2sctype": "dtype(x).type",
    "safe_eval": "ast.literal_eval(x)",
    "sctype2char": "dtype(x).char",
}
"""The successors of names that NumPy has removed."""

_OBJECTS: Final = "Python's objects are not on a device; numpy has arrays of them"
_TEXT: Final = "strings are not on a device; use numpy's arrays of them, or Python's str"
_DATES: Final = (
    "dates are not on a device; use numpy's, and take numbers to the device, as "
    "(dates - dates[0]) / numpy.timedelta64(1, 's')"
)
_RECORDS: Final = "records are not on a device; keep an array for each field"
_MATRIX: Final = "arrays of two axes are matrices; write x @ y for the product"
_LONG: Final = "a device has no long double; use float64 or complex128"
_C: Final = "it is about NumPy's own memory; take it from numpy, with numpy.asarray(x)"
_PRIVATE: Final = "it is NumPy's own; take it from numpy"

_ELSEWHERE: Final = {
    "object": _OBJECTS,
    **dict.fromkeys(("char", "chararray", "compare_chararrays", "str"), _TEXT),
    **dict.fromkeys(("string_", "strings", "unicode", "unicode_"), _TEXT),
    **dict.fromkeys(("busday_count", "busday_offset", "busdaycalendar", "is_busday"), _DATES),
    **dict.fromkeys(("datetime_as_string", "datetime_data", "isnat"), _DATES),
    **dict.fromkeys(
        ("format_parser", "rec", "recarray", "recfromcsv", "recfromtxt", "record"), _RECORDS
    ),
    **dict.fromkeys(("asmatrix", "bmat", "mat", "matlib", "matrix"), _MATRIX),
    **dict.fromkeys(("clongfloat", "complex256", "float96", "float128"), _LONG),
    **dict.fromkeys(("ctypeslib", "f2py", "nested_iters"), _C),
    **dict.fromkeys(("compat", "core", "distutils", "lookfor", "source"), _PRIVATE),
    **dict.fromkeys(("test", "Tester", "who"), _PRIVATE),
    "version": "xarr.__version__ is xarr's own, numpy.__version__ NumPy's",
}
"""The advice for names of what no device holds."""

_SEARCHED: Final = ("linalg", "fft", "special", "random")
"""The modules whose names other libraries have in their main one."""

_FUSED: Final = "call the function as it is, whose operations are fused, or write xarr.jit(f)"
_BATCHES: Final = (
    "xarr.vmap(f) calls a function of arrays for a batch of them; xarr.vectorize(f) takes "
    "functions of numbers"
)
_SEVERAL: Final = "write a loop over xarr.devices(), with device: around its body"
_CUDA: Final = (
    'xarr.device("cupy:1") is a device, xarr.Stream and xarr.Event are there, and xarr.RawKernel; '
    "xarr.synchronize() waits for a device"
)
_POOL: Final = "xarr.device().memory has used, held and limit in bytes, and trim()"
_FLOATS: Final = "a device has float16, float32 and float64; float16 is computed in float32"
_FLOW: Final = "write for, while and if of Python: loops and conditions may depend on values"
_TREES: Final = "write a loop over the lists or dicts: nothing is traced"
_SPARSE: Final = "Arrays are dense; scipy.sparse has matrices on the host, of numpy.asarray(x)"
_LAYERS: Final = (
    "xarr has no layers and optimisers; JAX and PyTorch take Arrays by DLPack, as "
    "torch.from_dlpack(x)"
)
_SCIPY: Final = "SciPy's functions take Arrays, as scipy.special.expit(x); most compute on the host"
_LOGISTIC: Final = "write 1 / (1 + xarr.exp(-x))"

_OF_OTHERS: Final = {
    # CuPy's
    "asnumpy": "write xarr.to_numpy(x), or numpy.asarray(x), which shares a CPU's memory",
    "cuda": _CUDA,
    **dict.fromkeys(("cupy", "cupyx"), "xarr itself has the names; docs/from_cupy.md compares"),
    **dict.fromkeys(("array_api", "array_api_compat"), "xarr itself is such a namespace"),
    **dict.fromkeys(("jax", "tensorflow", "torch"), "they take Arrays by DLPack: docs/exchange.md"),
    "int0": "write xarr.intp",
    "get_array_module": "write x.__array_namespace__(), which is xarr for an Array",
    **dict.fromkeys(("get_default_memory_pool", "MemoryPool"), _POOL),
    "get_default_pinned_memory_pool": "xarr.empty_pinned(shape, dtype) has such memory",
    "is_available": "xarr.devices() lists the devices that were found",
    "memoize": "use functools.cache",
    "profiler": "with xarr.profile() as p: measures, and print(p) tells",
    "scatter_add": "write xarr.add.at(x, i, v), or x[i] += v where no index repeats",
    # JAX's, Numba's and other compilers'
    **dict.fromkeys(("compile", "njit", "make_jaxpr"), _FUSED),
    **dict.fromkeys(("jacfwd", "jacrev"), "write xarr.jacobian(f)"),
    "autograd": "write xarr.grad(f)",
    "stop_gradient": "write xarr.asarray(numpy.asarray(x)): what the host reads is a constant",
    **dict.fromkeys(("enable_grad", "no_grad"), "leave it out: xarr.grad(f) derives f alone"),
    "guvectorize": _BATCHES,
    **dict.fromkeys(("pmap", "sharding", "shard_map"), _SEVERAL),
    "lax": _FLOW,
    "prange": "write range: what xarr computes in the loop is deferred and fused",
    **dict.fromkeys(("tree", "tree_map", "tree_util"), _TREES),
    "block_until_ready": "write xarr.synchronize(x)",
    "device_count": "write len(xarr.devices())",
    "device_get": "write xarr.to_numpy(x), or numpy.asarray(x), which shares a CPU's memory",
    "device_put": "write xarr.asarray(x, device=device)",
    "local_devices": "write xarr.devices()",
    "numpy": "xarr itself has NumPy's names: import xarr as np",
    "one_hot": "write xarr.eye(n)[i]",
    "segment_sum": "write xarr.bincount(segments, weights=x), or xarr.add.at(out, segments, x)",
    "set_default_device": 'write with xarr.device("cpu:0"):, or set XARR_DEVICE',
    **dict.fromkeys(("random.key", "random.PRNGKey"), "write rng = xarr.random.default_rng(seed)"),
    "random.split": "write rng.spawn(n), with rng = xarr.random.default_rng(seed)",
    # PyTorch's
    **dict.fromkeys(("as_tensor", "from_numpy", "tensor"), "write xarr.asarray(x)"),
    "Tensor": "xarr.Array is the class, and xarr.asarray(x) makes one",
    "is_tensor": "write isinstance(x, xarr.Array)",
    **dict.fromkeys(("bmm", "mm"), "write x @ y"),
    "cat": "write xarr.concat((x, y), axis=0)",
    "clamp": "write xarr.clip(x, min, max)",
    "div": "write x / y",
    "gather": "write xarr.take_along_axis(x, indices, axis=axis)",
    "index_add": "write xarr.add.at(x, i, v)",
    "manual_seed": "write rng = xarr.random.default_rng(seed), or xarr.random.seed(seed)",
    "mul": "write x * y",
    **dict.fromkeys(("nn", "optim"), _LAYERS),
    "numel": "write x.size",
    "randperm": "write xarr.random.permutation(n)",
    "relu": "write xarr.maximum(x, 0)",
    "sub": "write x - y",
    "topk": "write xarr.sort(x)[..., -k:], or xarr.partition(x, -k)[..., -k:] in no order",
    "unsqueeze": "write xarr.expand_dims(x, axis=axis)",
    **dict.fromkeys(("bfloat16", "float8_e4m3fn", "float8_e5m2"), _FLOATS),
    # SciPy's, and what networks are made of
    **dict.fromkeys(("integrate", "interpolate", "ndimage", "optimize", "scipy"), _SCIPY),
    **dict.fromkeys(("signal", "spatial", "stats"), _SCIPY),
    "sparse": _SPARSE,
    **dict.fromkeys(
        ("erfinv", "gelu"), "scipy.special.erfinv(x) computes on the host; xarr.erf is there"
    ),
    **dict.fromkeys(("expit", "sigmoid"), _LOGISTIC),
    "logsumexp": "write xarr.logaddexp.reduce(x, axis=axis)",
    "softmax": (
        "write e = xarr.exp(x - x.max(axis=-1, keepdims=True)), then "
        "e / e.sum(axis=-1, keepdims=True): both are one kernel"
    ),
    "log_softmax": "write x - xarr.logaddexp.reduce(x, axis=-1, keepdims=True)",
}
"""What to write for names of CuPy, JAX, PyTorch and SciPy, in the module where they are looked for.
"""


def masked_arrays() -> ModuleType:
    """NumPy's module of masked arrays, which stay on the host; other devices warn of it once."""
    vendor.warn_once("xarr.ma", default_device())
    return importlib.import_module("numpy.ma")


def remedy(name: str) -> str:
    """Advise on a name of NumPy's main namespace that xarr lacks; "" where there is no advice."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    return f"write {_BECAME[name]}" if name in _BECAME else ""


def missing(space: str, name: str, known: Iterable[str]) -> AttributeError:
    """Make the error for a name that a module of xarr, as "xarr.linalg", lacks."""
    if name.startswith("_"):
        return AttributeError(f"module {space!r} has no attribute {name!r}", name=name)
    where = f"{space}.{name}"
    names = [one for one in known if not one.startswith("_")]
    top = space == "xarr"
    lacking = "xarr has no such name"
    if top and name in _ELSEWHERE:
        return refused(AttributeError, where, lacking, _ELSEWHERE[name])
    if where.removeprefix("xarr.") in _OF_OTHERS:
        return refused(AttributeError, where, lacking, _OF_OTHERS[where.removeprefix("xarr.")])
    if top and name in _BECAME:
        new = _BECAME[name]
        new = f"{space}.{new}" if new in names else new
        return refused(AttributeError, where, "NumPy has removed this name", f"write {new}", _PAGE)
    for below in _SEARCHED if top else ():
        if name in dir(importlib.import_module(f"{space}.{below}")):
            return refused(AttributeError, where, lacking, f"write {space}.{below}.{name}")
    near = difflib.get_close_matches(name, names, 1, _LIKENESS)
    nearest = f"the nearest is {space}.{near[0]}" if near else ""
    if _in_numpy(space, name):
        given = f"xarr lacks NumPy's {space.replace('xarr', 'numpy', 1)}.{name}"
        nearest += ("; " if nearest else "") + "NumPy's takes arrays, on the host"
        return refused(AttributeError, where, given, nearest, _PAGE)
    others = "docs/from_cupy.md and docs/from_jax.md compare other libraries' names"
    return refused(AttributeError, where, "there is no such name", nearest or others)


_LIKENESS: Final = 0.8
"""Of 1 for equal names: a slip of the pen, and not merely some letters that both have."""


def _in_numpy(space: str, name: str) -> bool:
    """Whether NumPy has a name in the module that one of xarr's stands for."""
    found: object = numpy
    for part in space.split(".")[1:]:
        found = getattr(found, part, None)
    return name in dir(found)
