"""Run a kernel by threads in Python, item by item, with bounds checks: for debugging.

What runs is the typed form of the kernel, at the lines of the program's own text, so that its
results are those of the device, and debuggers and tracebacks show the program.
"""

from __future__ import annotations

import ast
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any, Final

import numpy

from xarr import dtypes

_LOCK: Final = threading.RLock()
"""Held while an atomic changes an element."""


class HostArray:
    """An array whose elements are reached with bounds checks."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, values: numpy.ndarray[Any, Any]) -> None:
        self.name = name
        self.values = values

    def __repr__(self) -> str:
        return f"{self.name} = {self.values!r}"

    def at(self, item: Item, indices: Sequence[Any]) -> tuple[int, ...]:
        """Return the indices of an element; IndexError where there is none."""
        found = tuple(map(int, indices))
        for axis, (index, extent) in enumerate(zip(found, self.values.shape, strict=True)):
            if not -extent <= index < extent:
                text = ", ".join(map(str, found))
                raise IndexError(
                    f"{self.name}[{text}]: index {index} is out of bounds for axis {axis} of "
                    f"{extent} elements; item {item.numbers} of the grid"
                )
        return found


class _Group:
    """What the items of a group share."""

    def __init__(self, count: int) -> None:
        self.barrier = threading.Barrier(count)
        self.arrays = dict[str, HostArray]()


class Item:
    """An item of a grid: its numbers, and what it shares with its group."""

    def __init__(
        self,
        local: tuple[int, ...],
        group: tuple[int, ...],
        block: tuple[int, ...],
        grid: tuple[int, ...],
        shared: _Group,
    ) -> None:
        self._local, self._group, self._block, self._grid = local, group, block, grid
        self._shared = shared

    @property
    def numbers(self) -> tuple[int, ...]:
        """The item's number along each dimension."""
        return tuple(int(self.grid(axis)) for axis in range(len(self._block)))

    def local_id(self, axis: int) -> Any:
        """Return the item's number within its group."""
        return numpy.int64(self._local[axis] if axis < len(self._local) else 0)

    def group_id(self, axis: int) -> Any:
        """Return the number of the item's group."""
        return numpy.int64(self._group[axis] if axis < len(self._group) else 0)

    def local_size(self, axis: int) -> Any:
        """Return how many items a group has."""
        return numpy.int64(self._block[axis] if axis < len(self._block) else 1)

    def groups(self, axis: int) -> Any:
        """Return how many groups there are."""
        return numpy.int64(self._grid[axis] if axis < len(self._grid) else 1)

    def grid(self, axis: int) -> Any:
        """Return the item's number."""
        return self.group_id(axis) * self.local_size(axis) + self.local_id(axis)

    def gridsize(self, axis: int) -> Any:
        """Return how many items there are."""
        return self.groups(axis) * self.local_size(axis)

    def barrier(self) -> None:
        """Wait for the other items of the group."""
        self._shared.barrier.wait()

    def local(self, name: str, shape: tuple[int, ...], dtype: str) -> HostArray:
        """Return an array of the group, of which nothing is known yet."""
        with _LOCK:
            if name not in self._shared.arrays:
                self._shared.arrays[name] = self.private(name, shape, dtype)
            return self._shared.arrays[name]

    @staticmethod
    def private(name: str, shape: tuple[int, ...], dtype: str) -> HostArray:
        """Return an array of the item, of which nothing is known yet."""
        values = numpy.zeros(shape, dtype)
        if values.dtype.kind == "f":
            values.fill(math.nan)
        return HostArray("the local array" if name[0] == "l" else "the private array", values)


def launch(
    function: Callable[..., None],
    grid: tuple[int, ...],
    block: tuple[int, ...],
    args: Sequence[Any],
    *,
    has_barrier: bool,
) -> None:
    """Run all items of a grid; those of a group side by side where they wait for each other."""
    with numpy.errstate(all="ignore"):
        for group in _places(grid):
            shared = _Group(math.prod(block) if has_barrier else 1)
            items = [Item(local, group, block, grid, shared) for local in _places(block)]
            if has_barrier:
                _side_by_side(function, items, args, shared)
                continue
            for item in items:
                function(item, *args)


def _places(extents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the places of a grid, along the first dimension first."""
    for place in itertools.product(*map(range, reversed(extents))):
        yield place[::-1]


def _side_by_side(
    function: Callable[..., None], items: Sequence[Item], args: Sequence[Any], shared: _Group
) -> None:
    errors = list[BaseException]()

    def run(item: Item) -> None:
        try:
            with numpy.errstate(all="ignore"):
                function(item, *args)
        except threading.BrokenBarrierError:
            pass
        except BaseException as error:  # noqa: BLE001 -- raised by the thread that launches
            errors.append(error)
            shared.barrier.abort()

    threads = [threading.Thread(target=run, args=(item,), daemon=True) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def compiled(lines: Sequence[tuple[str, int]], filename: str) -> CodeType:
    """Compile lines of Python, each with the number of the program's line that it stands for."""
    tree = ast.parse("\n".join(text for text, _ in lines))
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            number = lines[node.lineno - 1][1]
            node.lineno = node.end_lineno = number  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    return compile(tree, filename, "exec")


# -- what the translated text calls -----------------------------------------------------------


def _load(item: Item, array: HostArray, indices: Sequence[Any]) -> Any:
    return array.values[array.at(item, indices)]


def _store(item: Item, array: HostArray, indices: Sequence[Any], value: Any) -> None:
    array.values[array.at(item, indices)] = value


def _range(begin: Any, end: Any, step: Any) -> Iterator[Any]:
    return map(numpy.int64, range(int(begin), int(end), int(step)))


def _changing(change: Callable[..., Any]) -> Callable[..., Any]:
    def atomic(item: Item, array: HostArray, indices: Sequence[Any], *values: Any) -> Any:
        place = array.at(item, indices)
        with _LOCK:
            now = array.values[place]
            array.values[place] = change(now, *values)
        return now

    return atomic


def _floor_divide(a: Any, b: Any) -> Any:
    """Divide as arrays do: the standard keeps infinities, of which NumPy makes NaN and -1."""
    is_infinite = a.dtype.kind == "f" and (numpy.isinf(a) or numpy.isinf(b))
    return a / b if is_infinite else numpy.floor_divide(a, b)


def _pow(a: Any, b: Any) -> Any:
    if a.dtype.kind in "iu" and b < 0:
        return a.dtype.type(a ** (b & 1) if a in (1, -1) else 0)
    return numpy.power(a, b)


def _fma(a: Any, b: Any, c: Any) -> Any:
    wide = numpy.longdouble
    return a.dtype.type(wide(a) * wide(b) + wide(c))


def _of_library(name: str) -> Callable[..., Any]:
    """NumPy's function of a name, or that of `math`; its last bits may differ from the device's."""
    names = {
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atanh": "arctanh",
        "atan2": "arctan2",
        "tgamma": "gamma",
        "lgamma": "lgamma",
        "pow": "power",
    }
    own = getattr(numpy, names.get(name, name), None)
    of_math = getattr(math, {"tgamma": "gamma"}.get(name, name), None)

    def function(*values: Any) -> Any:
        if own is not None:
            return own(*values)
        assert of_math is not None
        return values[0].dtype.type(of_math(*map(float, values)))

    return function


def _cast(row: dtypes.DType) -> Callable[[Any], Any]:
    def cast(value: Any) -> Any:
        if isinstance(value, numpy.generic):
            return value.astype(row.numpy)
        return row.numpy.type(value)

    return cast


def _namespace() -> dict[str, Any]:
    real = (
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor "
        "lgamma log log10 log1p log2 rint sin sinh sqrt tan tanh trunc tgamma degrees radians "
        "isnan isinf isfinite signbit"
    )
    names: dict[str, Any] = {name: _of_library(name) for name in real.split()}
    names |= {
        f"c_{name}": _of_library(name)
        for name in ("atan2", "copysign", "hypot", "nextafter", "pow", "fmod")
    }
    names |= {row.name: _cast(row) for row in dtypes.TABLE if row.kind != dtypes.COMPLEX}
    names |= {
        "c_remainder": lambda a, b: a.dtype.type(math.remainder(float(a), float(b))),
        "bool": _cast(dtypes.bool_),
        "inf": math.inf,
        "nan": math.nan,
        "load": _load,
        "store": _store,
        "range": _range,
        "extent": lambda array, axis: numpy.int64(array.values.shape[axis]),
        "floor_divide": _floor_divide,
        "remainder": numpy.remainder,
        "left_shift": numpy.left_shift,
        "right_shift": numpy.right_shift,
        "square": numpy.square,
        "pow": _pow,
        "fma": _fma,
        "abs": numpy.abs,
        "max": max,
        "min": min,
        **{name: getattr(numpy, name) for name in ("maximum", "minimum", "fmax", "fmin")},
        "atomic_add": _changing(lambda now, value: now + value),
        "atomic_min": _changing(numpy.minimum),
        "atomic_max": _changing(numpy.maximum),
        "atomic_exch": _changing(lambda _, value: value),
        "atomic_cas": _changing(lambda now, old, value: value if now == old else now),
    }
    return {f"_xr_{name}": value for name, value in names.items()}


NAMES: Final = _namespace()
"""What the translated text calls."""
