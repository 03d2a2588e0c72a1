"""The array: a value with a shape, a data type and a device, in memory or still an expression.

`Array` is thin. What its operators compute stands in the tables of `elementwise` and `reductions`,
which install themselves here through `attach`; how values are computed stands in `engine`.
"""

from __future__ import annotations

import functools
import operator
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, errors, layout
from xarr.backends.device import Device, get_device
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.expression import Node, constant, leaf
from xarr.engine.storage import Storage
from xarr.layout import Layout, Shape

API_VERSIONS: Final = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the standard that the functions fit; the last is the one that is meant."""

Scalar = bool | int | float | complex


class Array:
    """An n-dimensional array on one device.

    Arrays are made by functions such as `asarray`, `zeros` and `linspace`; not by calling the
    class. They behave as NumPy's arrays do: basic indexing gives views that share memory, operators
    broadcast and promote, in-place operators write through views.

    Elementwise work is deferred until a value is needed; see `xarr.explain`.
    """

    __slots__ = ("__weakref__", "_node")

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000.0

    _node: Node

    def __init__(self, node: Node) -> None:
        if type(node) is not Node:
            raise TypeError(
                errors.message(
                    "Array(object)",
                    f"the object is of type {type(node).__name__}",
                    "arrays are not made by calling the class",
                    "use xarr.asarray(object)",
                )
            )
        rebind(self, node)

    # -- attributes of the standard -----------------------------------------------------------

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The data type of the elements, one of NumPy's."""
        return self._node.dtype.numpy

    @property
    def shape(self) -> Shape:
        """The extent of each axis, in elements."""
        return self._node.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return product(self._node.shape)

    @property
    def device(self) -> Device:
        """The device that the array is on."""
        return self._node.device

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._node.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._node.dtype.itemsize

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of a matrix, shape (..., N, M) for (..., M, N); a view."""
        ndim = self.ndim
        return view(self, settled(self).permuted(tuple(reversed(range(ndim)))))

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of each matrix in a stack of matrices, shape (..., N, M); a view."""
        if self.ndim < 2:
            raise ValueError(
                errors.message(
                    "Array.mT", f"the array has {self.ndim} dimensions", "at least 2 are needed"
                )
            )
        axes = [*range(self.ndim - 2), self.ndim - 1, self.ndim - 2]
        return view(self, settled(self).permuted(axes))

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The module `xarr`, which has the functions of the standard.

        Raises
        ------
        ValueError
            If `api_version` is a version of the standard that xarr does not know.
        """
        if api_version not in (None, *API_VERSIONS):
            raise ValueError(
                errors.message(
                    "x.__array_namespace__(api_version)",
                    f"api_version is {api_version!r}",
                    "xarr knows " + ", ".join(API_VERSIONS),
                )
            )
        return sys.modules["xarr"]

    # -- values to the host ------------------------------------------------------------------

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> numpy.ndarray[Any, numpy.dtype[Any]]:
        """The values as a NumPy array; always a copy."""
        if copy is False:
            raise ValueError(
                errors.message(
                    "__array__(copy=False)",
                    "the values are on a device",
                    "a NumPy array of them is always a copy",
                    "pass copy=True or None",
                )
            )
        host = to_host(self)
        return host if dtype is None else host.astype(dtype)

    def tolist(self) -> Any:
        """The values as nested lists of Python scalars."""
        return to_host(self).tolist()

    def item(self, *args: Any) -> Any:
        """The value of a one-element array as a Python scalar."""
        return to_host(self).item(*args)

    def _scalar(self, kind: str, kinds: tuple[str, ...]) -> Any:
        node = self._node
        if product(node.shape) != 1:
            refusal = ValueError if kind == "bool" else TypeError
            raise refusal(
                errors.message(
                    f"{kind}(x)",
                    f"x has shape {node.shape}",
                    "only one-element arrays stand for one value",
                    "use x.any(), x.all(), or index one element",
                )
            )
        if node.dtype.kind not in kinds:
            raise TypeError(
                errors.message(
                    f"{kind}(x)",
                    f"x has dtype {node.dtype}",
                    f"{dtypes.KIND_WORDS[kinds]} dtypes are accepted",
                    "convert with x.astype(...) or take x.real",
                )
            )
        return to_host(self).item()

    def __bool__(self) -> bool:
        return bool(self._scalar("bool", dtypes.ANY))

    def __int__(self) -> int:
        return int(self._scalar("int", (dtypes.BOOL, *dtypes.REAL_NUMERIC)))

    def __float__(self) -> float:
        return float(self._scalar("float", (dtypes.BOOL, *dtypes.REAL_NUMERIC)))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex", dtypes.ANY))

    def __index__(self) -> int:
        if self._node.shape != ():
            raise TypeError(
                errors.message(
                    "operator.index(x)",
                    f"x has shape {self._node.shape}",
                    "only 0-dimensional integer arrays are indices",
                )
            )
        return int(self._scalar("operator.index", dtypes.INTEGER))

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._scalar("round", (dtypes.BOOL, *dtypes.REAL_NUMERIC)), ndigits)

    def __len__(self) -> int:
        if not self._node.shape:
            raise TypeError(errors.message("len(x)", "x is 0-dimensional", "it has no length"))
        return self._node.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self._node.shape:
            raise TypeError(
                errors.message("iter(x)", "x is 0-dimensional", "it cannot be iterated over")
            )
        return _rows(self)

    def __contains__(self, value: Any) -> bool:
        equal = self == value
        return type(equal) is Array and bool(to_host(equal).any())

    def __format__(self, spec: str) -> str:
        if not self._node.shape:
            return format(to_host(self)[()], spec)
        if spec:
            raise TypeError(
                errors.message(
                    "format(x, spec)",
                    f"x has shape {self._node.shape} and spec is {spec!r}",
                    "an array with axes has no format of its own",
                    "format its elements, or use numpy.array2string",
                )
            )
        return str(self)

    def __copy__(self) -> Array:
        return Array(engine.copied(self._node))

    def __deepcopy__(self, memo: Any) -> Array:
        return Array(engine.copied(self._node))

    def __reduce__(self) -> tuple[Callable[..., Array], tuple[Any, ...]]:
        return _restored, (to_host(self), str(self.device))

    # -- NumPy's protocols -------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Let `numpy.sin(x)` and `numpy_array + x` compute on the device."""
        function = FUNCTIONS.get(ufunc.__name__)
        if method != "__call__" or kwargs or function is None:
            return NotImplemented
        return function(*inputs)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Let `numpy.mean(x)` compute on the device."""
        function = NAMESPACES.get(func.__module__, {}).get(func.__name__)
        if function is None:
            return NotImplemented
        return function(*args, **kwargs)

    if TYPE_CHECKING:
        # Installed by the tables and chapters; declared here for type checkers.
        @staticmethod
        def _of(value: Any, where: str, name: str = ..., *, device: Any = ...) -> Array: ...
        def __repr__(self) -> str: ...
        def __str__(self) -> str: ...
        def __add__(self, other: Any) -> Array: ...
        def __radd__(self, other: Any) -> Array: ...
        def __sub__(self, other: Any) -> Array: ...
        def __rsub__(self, other: Any) -> Array: ...
        def __mul__(self, other: Any) -> Array: ...
        def __rmul__(self, other: Any) -> Array: ...
        def __truediv__(self, other: Any) -> Array: ...
        def __rtruediv__(self, other: Any) -> Array: ...
        def __floordiv__(self, other: Any) -> Array: ...
        def __rfloordiv__(self, other: Any) -> Array: ...
        def __mod__(self, other: Any) -> Array: ...
        def __rmod__(self, other: Any) -> Array: ...
        def __pow__(self, other: Any) -> Array: ...
        def __rpow__(self, other: Any) -> Array: ...
        def __matmul__(self, other: Any) -> Array: ...
        def __rmatmul__(self, other: Any) -> Array: ...
        def __imatmul__(self, other: Any) -> Array: ...
        def __and__(self, other: Any) -> Array: ...
        def __rand__(self, other: Any) -> Array: ...
        def __or__(self, other: Any) -> Array: ...
        def __ror__(self, other: Any) -> Array: ...
        def __xor__(self, other: Any) -> Array: ...
        def __rxor__(self, other: Any) -> Array: ...
        def __lshift__(self, other: Any) -> Array: ...
        def __rlshift__(self, other: Any) -> Array: ...
        def __rshift__(self, other: Any) -> Array: ...
        def __rrshift__(self, other: Any) -> Array: ...
        def __lt__(self, other: Any) -> Array: ...
        def __le__(self, other: Any) -> Array: ...
        def __gt__(self, other: Any) -> Array: ...
        def __ge__(self, other: Any) -> Array: ...
        def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]
        def __neg__(self) -> Array: ...
        def __pos__(self) -> Array: ...
        def __abs__(self) -> Array: ...
        def __invert__(self) -> Array: ...
        def __getitem__(self, key: Any) -> Array: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {}
"""Public functions by NumPy's name; filled when `xarr` is imported."""

NAMESPACES: Final[dict[str, dict[str, Callable[..., Any]]]] = {"numpy": FUNCTIONS}
"""The functions that stand for those of each of NumPy's modules."""


def attach(name: str, function: Callable[..., Any] | property) -> None:
    """Install a function as a method, or a property, of Array."""
    setattr(Array, name, function)


def product(shape: Shape) -> int:
    """The number of elements of a shape."""
    size = 1
    for extent in shape:
        size *= extent
    return size


def settled(array: Array) -> Layout:
    """The layout of an array, which is in memory afterwards."""
    node = array._node
    if node.storage is None:
        compute(node)
    assert node.layout is not None
    return node.layout


def compute(node: Node) -> None:
    """Compute a pending node, constants included."""
    engine.compute(node)


def view(array: Array, where: Layout) -> Array:
    """An array that shares the memory of `array`, which has to be settled."""
    node = array._node
    assert node.storage is not None
    return Array(leaf(node.storage, where, node.dtype))


def rebind(array: Array, node: Node) -> None:
    """Give an array a value, of its own; nobody else must see the memory of the one before."""
    if node.owner is not None:
        node = engine.unowned(node)
    array._node = node
    node.owner = reference = weakref.ref(array)
    if node.storage is not None:
        node.storage.add_viewer(reference)
    elif node.operation is not None:
        engine.register(node)


def assign(array: Array, where: Layout, value: Node) -> None:
    """Write a value that broadcasts to `where.shape` into the settled array's memory."""
    node = array._node
    assert node.storage is not None
    engine.write(node.storage, where, node.dtype, value)


def is_whole(array: Array) -> bool:
    """Whether nobody but `array` sees its memory, so that a new value may simply be bound to it.

    The layout of the result must not depend on whether views happen to be alive, since reductions
    follow the layout: only an array in C order is rebound.
    """
    node = array._node
    if node.storage is None:
        return True
    where = node.layout
    assert where is not None
    return where.linear and not node.storage.seen_beyond(array)


def writeable(array: Array) -> bool:
    """Whether the memory may be written, and no element stands for several (a broadcast view)."""
    node = array._node
    where = node.layout
    if where is None or node.storage is None:
        return True
    return not node.storage.read_only and not layout.self_overlapping(where)


def require_writeable(array: Array, where: str) -> None:
    """Refuse to write to a broadcast view, and to memory that its owner lent for reading."""
    if not writeable(array):
        storage = array._node.storage
        lent = storage is not None and storage.read_only
        raise ValueError(
            errors.message(
                where,
                "the array is read-only memory of another library"
                if lent
                else "the array is a broadcast view, several of whose elements share memory",
                "such arrays are read-only" if lent else "broadcast views are read-only",
                "write to a copy: x = xarr.asarray(x, copy=True)",
            )
        )


def default_float(device: Device) -> DType:
    """float64 where the device has it, else float32."""
    return dtypes.float64 if device.info.has_float64 else dtypes.float32


def scalar_node(value: Scalar, dtype: DType, device: Device, where: str) -> Node:
    """A Python scalar as a constant of `dtype`, rounded to it."""
    kind = dtype.kind
    if kind in dtypes.INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        if not low <= value <= high:  # type: ignore[operator]
            raise OverflowError(
                errors.message(
                    where,
                    f"the Python integer {value} is out of bounds for {dtype}",
                    f"{dtype} holds {low} to {high}",
                    "convert the array to a wider dtype first",
                )
            )
        value = int(value)  # type: ignore[arg-type]
    elif kind == dtypes.BOOL:
        value = bool(value)
    elif kind == dtypes.REAL:
        value = float(value) if dtype is dtypes.float64 else _rounded(value, dtype)  # type: ignore[arg-type]
    else:
        value = complex(value) if dtype is dtypes.complex128 else _rounded(value, dtype)
    return constant(value, dtype, (), device)


_LARGEST: Final = {
    row: float(numpy.finfo(row.numpy).max) for row in dtypes.TABLE if row.kind in dtypes.FLOATING
}


def _rounded(value: Any, dtype: DType) -> Any:
    if max(abs(value.real), abs(value.imag)) <= _LARGEST[dtype]:
        return dtype.numpy.type(value).item()
    return dtypes.quietly(dtype.numpy.type, value).item()


def operand(value: Any, other: Node, where: str) -> Node | None:
    """What stands beside an array in an operation, as a node; None where it cannot stand there."""
    kind = type(value)
    if kind is Array:
        node: Node = value._node
        require_together(node.device, other.device, where)
        return node
    if kind is float or kind is int or kind is bool or kind is complex:
        return scalar_node(
            value,
            dtypes.of_python_scalar(value, other.dtype, default_float(other.device)),
            other.device,
            where,
        )
    if isinstance(value, numpy.generic):
        row = dtypes.BY_NUMPY.get(value.dtype)
        if row is None:
            return None
        require_on(other.device, row, where)
        return constant(value.item(), row, (), other.device)
    if isinstance(value, bool | int | float | complex):
        return operand(_plain(value), other, where)
    if isinstance(value, numpy.ndarray | list | tuple):
        return from_host(host_values(value, where, "the list"), other.device, where)
    return None


def together(
    x1: Any, x2: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> tuple[Node, Node]:
    """Two operands, an Array among them, as nodes of the data type that they promote to."""
    if type(x1) is not Array and type(x2) is not Array:
        raise no_array(names[0], x1, where)
    beside = (x1 if type(x1) is Array else x2)._node
    first, second = operand(x1, beside, where), operand(x2, beside, where)
    for name, value, node in zip(names, (x1, x2), (first, second), strict=True):
        if node is None:
            raise no_array(name, value, where, "an Array or a number")
    assert first is not None
    assert second is not None
    first, second = widened(first, second, x2), widened(second, first, x1)
    row = promoted((first.dtype, second.dtype), first.device, where)
    return engine.converted(first, row), engine.converted(second, row)


def promoted(rows: Sequence[DType], device: Device, where: str) -> DType:
    """The data type that all promote to; TypeError where the device does not have it."""
    row = functools.reduce(dtypes.promote, rows)
    require_common(row, rows, device, where)
    return row


def require_common(row: DType, rows: Sequence[DType], device: Device, where: str) -> None:
    """Refuse operands whose common data type `row` the device does not have."""
    if row in dtypes.NEEDS_FLOAT64 and device.narrow:
        raise TypeError(
            errors.message(
                where,
                f"the operands of dtype {' and '.join(map(str, rows))} promote to {row}, which "
                f"{device} does not have",
                "float32 and complex64 are the widest floating-point types there",
                'convert the operands with x.astype("float32")',
            )
        )


def widened(node: Node, other: Node, value: Any) -> Node:
    """A node beside `other`, the node of `value`, on a device without float64.

    Beside a Python scalar it has the scalar's type at once: int64 and float32 promote to float64.
    """
    if node.device.narrow and type(value) in (int, float, complex):
        return engine.converted(node, other.dtype)
    return node


def no_array(name: str, value: object, where: str, accepted: str = "an Array") -> TypeError:
    """The error that says that an argument is no array."""
    return TypeError(
        errors.message(
            where,
            f"{name} is of type {type(value).__name__}",
            f"{accepted} is accepted",
            f"make one with xarr.asarray({name})",
        )
    )


def require_together(device: Device, other: Device, where: str) -> None:
    """Refuse arrays of two devices."""
    if device is not other:
        raise ValueError(
            errors.message(
                where,
                f"the arrays are on {other} and {device}",
                "the arrays of one operation have to be on one device",
                "move one with x.to_device(device)",
            )
        )


def lone(value: Any, where: str, name: str = "x") -> Array | None:
    """An operand with no array beside it, as an array; None where it cannot be one."""
    if isinstance(value, list | tuple):
        # Of Python numbers, so of the device's default types.
        return Array._of(value, where, name)
    beside = constant(False, dtypes.bool_, (), get_device())
    node = operand(value, beside, where)
    return None if node is None else Array(node)


def _plain(value: Scalar) -> Scalar:
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return complex(value)


def integer(value: Any, where: str, name: str) -> int:
    """An argument that is one integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            errors.message(where, f"{name} is {value!r}", "an integer is accepted")
        ) from None


def require_on(device: Device, row: DType, where: str) -> None:
    """Refuse a data type that the device does not have."""
    if row in dtypes.NEEDS_FLOAT64 and not device.info.has_float64:
        raise TypeError(
            errors.message(
                where,
                f"the dtype {row} was asked for on {device}",
                f"{device} ({device.info.name}) has no 64-bit floating point",
                'use "float32" or "complex64", or another device',
            )
        )


class _Transfers:
    """How many `no_implicit_transfer()` blocks are open."""

    def __init__(self) -> None:
        self.forbidden = 0

    def check(self, where: str, nbytes: int, direction: str, device: Device) -> None:
        if self.forbidden:
            raise errors.ImplicitTransferError(
                errors.message(
                    where,
                    f"{nbytes} bytes would move {direction} {device}",
                    "no_implicit_transfer() forbids hidden transfers",
                    "use xarr.asarray or xarr.to_numpy, which transfer openly",
                )
            )


transfers: Final = _Transfers()


@contextmanager
def no_implicit_transfer() -> Iterator[None]:
    """Turn each hidden transfer between host and device into an error within a ``with`` block.

    Hidden are: NumPy arrays and lists as operands, `float(x)`, `print(x)`, `numpy.asarray(x)`.
    """
    transfers.forbidden += 1
    try:
        yield
    finally:
        transfers.forbidden -= 1


def host_values(obj: Any, where: str, name: str) -> numpy.ndarray[Any, Any]:
    """What NumPy makes an array of, as one."""
    try:
        return numpy.asarray(obj)
    except ValueError as error:
        raise ValueError(
            errors.message(
                where,
                f"{name} is no array of numbers ({error})",
                "nested sequences have the same length at each level",
            )
        ) from None


def from_host(values: numpy.ndarray[Any, Any], device: Device, where: str) -> Node:
    """Upload a NumPy array; the node of the copy."""
    row = dtypes.BY_NUMPY.get(values.dtype.newbyteorder("="))
    if row is None:
        raise TypeError(
            errors.message(
                where,
                f"the values have dtype {values.dtype}",
                "xarr has the dtypes " + ", ".join(row.name for row in dtypes.TABLE),
            )
        )
    require_on(device, row, where)
    if values.ndim == 0:
        return constant(values.item(), row, (), device)
    transfers.check(where, values.nbytes, "to", device)
    data = numpy.ascontiguousarray(values, row.numpy)
    with device.lock:
        storage = engine.allocate(device, data.nbytes)
        if data.nbytes:
            device.driver.upload(storage.buffer, 0, data)
    return leaf(storage, layout.contiguous(values.shape), row)


def to_host(array: Array) -> numpy.ndarray[Any, Any]:
    """Download an array."""
    node = array._node
    if node.operation is None and node.storage is None:
        return numpy.full(node.shape, node.value, node.dtype.numpy)
    transfers.check("reading an array's values", array.nbytes, "from", node.device)
    host = numpy.empty(node.shape, node.dtype.numpy)
    if host.size == 0:
        return host
    storage, begin = _in_a_row(array)
    with node.device.lock:
        node.device.driver.download(storage.buffer, begin, host)
    return host


def moved(array: Array, device: Device) -> Node:
    """Copy an array to a device whose driver reaches the array's; the node of the copy."""
    node = array._node
    target = engine.allocate(device, array.nbytes)
    if array.size:
        source, begin = _in_a_row(array)
        first, second = sorted((node.device, device), key=str)  # as every thread does
        with first.lock, second.lock:
            device.driver.copy(source.buffer, begin, target.buffer, 0, array.nbytes)
            engine.end_before_others(node.device)
    return leaf(target, layout.contiguous(node.shape), node.dtype)


def _in_a_row(array: Array) -> tuple[Storage, int]:
    """A storage in which the elements lie in C order, and the byte that they begin at."""
    node = array._node
    if not settled(array).linear:
        node = engine.copied(node)
        engine.compute(node)
    assert node.storage is not None
    assert node.layout is not None
    return node.storage, node.layout.offset * node.dtype.itemsize


def _restored(values: numpy.ndarray[Any, Any], device: str) -> Array:
    return Array(from_host(values, get_device(device), "pickle.load"))


def _rows(array: Array) -> Iterator[Array]:
    for position in range(array.shape[0]):
        yield array[position]
