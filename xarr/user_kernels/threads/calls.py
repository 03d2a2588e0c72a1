"""Calls within kernels by threads: words, functions of numbers, and other marked functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr.dtypes import REAL, DType
from xarr.user_kernels.threads import operations
from xarr.user_kernels.threads.expressions import Expressions, tuple_of
from xarr.user_kernels.threads.values import (
    BIG_INT,
    NARROW_BITS,
    TRUTH,
    WEAK_INT,
    ArrayValue,
    Constant,
    Kind,
    Tuple,
    Value,
    c_type,
    cast,
    literal,
    memory_type,
)
from xarr.user_kernels.threads.words import INSTEAD, Word

if TYPE_CHECKING:
    from xarr.user_kernels.threads.statements import Function, Program

_POSITIONS: Final = {
    "local_id": ("LOCAL_ID", 16, True),
    "local_size": ("LOCAL_SIZE", 17, False),
    "group_id": ("GROUP_ID", 31, False),
    "groups": ("GROUPS", 32, False),
    "grid": ("GLOBAL_ID", 42, True),
    "gridsize": ("GLOBAL_SIZE", 43, False),
}
"""The dialects' words, how many bits their numbers have, and whether items of a group differ."""
_ATOMIC: Final = ("int32", "uint32", "int64", "uint64", "float32", "float64")
_MOST_PRIVATE: Final = 128 << 10
"""Bytes of an item's own arrays; on a CPU its stack has twice as many, see `kernels/c.h`."""
_CASTS: Final[dict[Any, str]] = {int: "int", float: "float", bool: "bool"}


_REMEDIES: Final = {
    **dict.fromkeys(
        ("array", "asarray", "empty", "empty_like", "full", "ones", "zeros", "zeros_like"),
        "write private_array(shape, dtype)",
    ),
    **dict.fromkeys(("enumerate", "range", "reversed", "zip"), "write for i in range(n)"),
    **dict.fromkeys(("finfo", "iinfo"), "assign the number to a constant of the module"),
    **dict.fromkeys(("rand", "randint", "randn", "random"), INSTEAD["random"]),
    "complex": "write two numbers, the real and the imaginary part",
    "list": "write a tuple, or private_array(shape, dtype)",
    "print": "write to an array argument, and print that after the launch",
    "to_device": "call it outside of the kernel",
}
"""Remedies for functions that kernels do not have."""


class Calls(Expressions):
    """Translate calls."""

    program: Program
    has_barrier: bool
    barriers: int
    is_kernel: bool

    def call(self, node: ast.Call) -> Any:
        """Return the value of a call."""
        found = self.value(node.func)
        if not isinstance(found, Constant):
            self.refuse(node, "what is called is no function")
        function = found.value
        if isinstance(function, Word):
            return self._word(function, node)
        made = self.program.marked(function)
        if made is not None:
            return self._function(made, node)
        if str(getattr(function, "__module__", "")).startswith("numba"):
            name = getattr(function, "__name__", str(function))
            remedy = "write a function of math or numpy"
            self.refuse(
                node, f"{name} is Numba's", INSTEAD["random"] if "xoroshiro" in name else remedy
            )
        name = getattr(function, "__name__", repr(function))
        if node.keywords and name not in _REMEDIES:
            self.refuse(node, "keywords are not taken here", "give the arguments by position")
        is_class = isinstance(function, type)
        if function in _CASTS or (is_class and issubclass(function, numpy.generic)):
            return self._cast(function, node)
        if function is len:
            return self._length(node)
        if isinstance(function, FunctionType) and operations.name_of_function(function) is None:
            self.refuse(
                node, f"{function.__name__} is a function of Python", "mark it with @xarr.kernel"
            )
        remedy = _REMEDIES.get(name, "the page on kernels by threads lists the functions")
        found = [self.value(arg) for arg in node.args] if name not in _REMEDIES else []
        for arg, one in zip(node.args, found, strict=False):
            if isinstance(one, ArrayValue) and one.ndim:
                self.refuse(
                    arg,
                    f"{name} takes numbers in kernels, and {one.name} is an array of {one.ndim} "
                    f"{'axis' if one.ndim == 1 else 'axes'}",
                    "write a loop over its elements",
                )
        args = [self.as_number(one, arg) for one, arg in zip(found, node.args, strict=False)]
        value = self._of_numbers(function, args)
        if value is None:
            count = len(node.args)
            self.refuse(
                node,
                f"{name} of {count} argument{'s' * (count != 1)} is not there in kernels",
                remedy,
            )
        return value

    _call = call

    def _of_numbers(self, function: Any, args: list[Value]) -> Any:
        types = self.types
        if function in (abs, round) and len(args) == 1:
            way = operations.absolute if function is abs else operations.rounded
            return way(types, args[0])
        if function in (min, max) and len(args) > 1:
            return operations.extreme(types, function.__name__, args)
        if function is pow and len(args) == 2:
            return operations.binary(types, ast.Pow(), *args)
        if function is divmod and len(args) == 2:
            ways = (ast.FloorDiv(), ast.Mod())
            return Tuple(tuple(operations.binary(types, way, *args) for way in ways))
        named = operations.name_of_function(function)
        if named is None or isinstance(function, type):
            return None
        if isinstance(function, BuiltinFunctionType) and named[0] == "numpy":
            return None
        return operations.call(types, *named, args)

    def _cast(self, function: Any, node: ast.Call) -> Value:
        if len(node.args) != 1:
            self.refuse(node, f"{function.__name__} takes one number in kernels")
        a = self.number(node.args[0])
        if function is int and a.kind == BIG_INT:
            return a
        kinds = {int: WEAK_INT, float: self.types.weak_float, bool: TRUTH}
        kind = kinds.get(function) or self.types.of_dtype(numpy.dtype(function))
        if kind is None:
            self.refuse(node, f"kernels do not have {function.__name__}", "write float32")
        if function is float and a.kind.row.kind == REAL:
            kind = Kind(self.types.default_float, weak=True)
        return cast(a, self.require_on(kind, node))

    def require_on(self, kind: Kind, node: ast.AST) -> Kind:
        """Refuse float64 where the device does not have it."""
        if kind.row.name == "float64" and not self.types.has_float64:
            self.refuse(node, "float64 is not there on the device", "write float32")
        return kind

    def _length(self, node: ast.Call) -> Value:
        found = self.value(node.args[0]) if len(node.args) == 1 else None
        if isinstance(found, Tuple):
            return literal(len(found.items), WEAK_INT)
        if isinstance(found, ArrayValue) and found.ndim:
            return found.shape[0]
        return self.refuse(node, "len takes an array or a tuple")

    # -- words --------------------------------------------------------------------------------

    def _word(self, word: Word, node: ast.Call) -> Any:
        name = word.name
        if name in _POSITIONS:
            return self._position(name, node)
        if name == "barrier":
            return self._barrier(node)
        if name in ("local_array", "private_array"):
            return self._array(name, node)
        return self._atomic(name.removeprefix("atomic_"), node)

    def _position(self, name: str, node: ast.Call) -> Any:
        number = self.number(node.args[0]) if len(node.args) == 1 else None
        known = None if number is None else number.literal
        if name in ("grid", "gridsize"):
            if known not in (1, 2, 3):
                self.refuse(
                    node, f"{name} takes the number of dimensions: 1, 2 or 3", f"write {name}(1)"
                )
            if self.program.over not in (0, known):
                self.refuse(
                    node,
                    f"the launch is over {self.program.over} axes",
                    f"write {name}({self.program.over})",
                )
            values = tuple(self.position(name, axis) for axis in range(known))
            return values[0] if known == 1 else Tuple(values)
        if known not in (0, 1, 2):
            self.refuse(node, f"{name} takes a dimension: 0, 1 or 2", f"write {name}(0)")
        return self.position(name, known)

    def position(self, name: str, axis: int) -> Value:
        """Return the number of an item, of its group, or how many there are, along a dimension."""
        word, bits, varies = _POSITIONS[name]
        # The compiler knows then that the number has 32 bits, and drops the others.
        to = "(i64)(u32)" if self.types.is_narrow else "(i64)"
        c = f"{to}{word}({axis})"
        if self.program.over:
            if name not in ("grid", "gridsize"):
                raise TypeError(f"{name} is not there in f.over(shape); launch f[grid, block]")
            c = (
                f"{to}GLOBAL_ID({self.program.over - 1 - axis})"
                if name == "grid"
                else f"(i64)e_{axis}"
            )
            self.program.asks_over = True
            if name == "gridsize" and not self.is_kernel:
                raise TypeError("gridsize is not there in a function that f.over calls")
        bits = min(bits, NARROW_BITS) if self.types.is_narrow else bits
        span = (0, (1 << bits) - 1)
        return Value(WEAK_INT, f"({c})", f"_xr_item.{name}({axis})", bits, varies, span=span)

    def _barrier(self, node: ast.Call) -> Constant:
        if node.args or node.keywords:
            self.refuse(node, "barrier takes no arguments")
        if self.program.over:
            self.refuse(node, "a barrier is not there in f.over(shape)", "launch f[grid, block]")
        self.require_together(node, "a barrier")
        self.require_alone(node)
        self.has_barrier = True
        self.barriers += 1
        self.before.append(("BARRIER_OF_ALL();", "_xr_item.barrier()"))
        return Constant(None)

    def require_together(self, node: ast.AST, what: str) -> None:
        """Refuse what all items of a group have to come to, where some may not."""
        raise NotImplementedError

    def require_alone(self, node: ast.AST) -> None:
        """Refuse a call with effects where it may not be computed, or out of its order."""
        if self.conditional:
            self.refuse(
                node,
                "a call that changes memory stands in a part of an expression that "
                "is not always computed",
                "assign it to a variable before",
            )

    def _array(self, name: str, node: ast.Call) -> ArrayValue:
        given = dict(zip(("shape", "dtype"), node.args, strict=False))
        given |= {str(word.arg): word.value for word in node.keywords}
        if set(given) != {"shape", "dtype"}:
            self.refuse(
                node, f"{name} takes a shape and a dtype", f"write {name}(64, xarr.float32)"
            )
        shape = self.value(given["shape"])
        items = shape.items if isinstance(shape, Tuple) else (shape,)
        extents = [self.as_number(item, given["shape"]) for item in items]
        if any(extent.literal is None or extent.kind.row.kind == REAL for extent in extents):
            self.refuse(
                given["shape"],
                f"the shape of {name} must be known",
                "write constants of the module, or numbers",
            )
        if any(extent.literal < 1 for extent in extents):
            self.refuse(
                given["shape"],
                f"an extent of {name} is below 1",
                "write its size: there is no local memory that the launch gives",
            )
        row = self._dtype(given["dtype"])
        sizes = tuple(int(extent.literal) for extent in extents)
        count = math.prod(sizes)
        is_local = name == "local_array"
        if is_local and not self.is_kernel:
            self.refuse(
                node,
                "a local array in a function that a kernel calls",
                "make it in the kernel, and give it as an argument",
            )
        if is_local and self.program.over:
            self.refuse(node, "local_array is not there in f.over(shape)", "launch f[grid, block]")
        self._require_room(node, name, count * row.itemsize)
        key = self.declared(node, f"{memory_type(row)} NAME[{count}];", is_local=is_local)
        way = "local" if is_local else "private"
        py = f"_xr_item.{way}({key!r}, {sizes}, {row.name!r})"
        return ArrayValue(
            name,
            row,
            key,
            py,
            tuple(literal(size, WEAK_INT) for size in sizes),
            space="LOCAL" if is_local else "",
        )

    def _require_room(self, node: ast.Call, name: str, nbytes: int) -> None:
        """Refuse arrays that take more than a group, or an item, has."""
        sizes = self.program.arrays.setdefault(name, {})
        sizes[node] = nbytes
        most = self.program.most_local if name == "local_array" else _MOST_PRIVATE
        if sum(sizes.values()) > most:
            whose = "local" if name == "local_array" else "private"
            others = sum(sizes.values()) - nbytes
            self.refuse(
                node,
                f"the {whose} array has {nbytes} bytes" + f", and others {others}" * (others > 0),
                f"the device has {most}" if whose == "local" else f"an item has {most}",
            )

    def declared(self, node: ast.AST, text: str, *, is_local: bool) -> str:
        """Declare an array at the function's begin; return its name."""
        raise NotImplementedError

    def _dtype(self, node: ast.expr) -> DType:
        found = self.value(node)
        row = None
        if isinstance(found, Constant) and not isinstance(found.value, Word):
            try:
                row = self.types.row_of(numpy.dtype(found.value))
            except TypeError:
                row = None
        if row is None:
            self.refuse(
                node,
                "it is no data type of kernels",
                "it must be bool, int8 to uint64, float16, float32 or float64",
            )
        return self.require_on(Kind(row), node).row

    def _atomic(self, name: str, node: ast.Call) -> Value:
        count = 4 if name == "cas" else 3
        if len(node.args) != count or node.keywords:
            wanted = "old, value" if name == "cas" else "value"
            self.refuse(
                node,
                f"atomic.{name} takes {count} arguments",
                f"write atomic.{name}(x, i, {wanted})",
            )
        array = self.value(node.args[0])
        if not isinstance(array, ArrayValue):
            self.refuse(
                node.args[0], "what is changed is no array", f"write atomic.{name}(x, i, ...)"
            )
        if array.row.name not in _ATOMIC or array.space == "":
            given = (
                f"{array.name} has dtype {array.row}"
                if array.space
                else "the array is an item's own"
            )
            self.refuse(
                node.args[0],
                given,
                f"atomics take arrays of {', '.join(_ATOMIC)}, of the device or of a group",
            )
        self.require_alone(node)
        before = self.reads
        indices = self.indices(array, [node.args[1]], node)
        kind = Kind(array.row)
        values = [cast(self.number(arg), kind) for arg in node.args[2:]]
        if before:
            self.refuse(
                node,
                "an atomic stands behind an element that is read",
                "assign it to a variable before",
            )
        self.reads = 0
        array.written[0] = True
        word = {"sub": "add"}.get(name, name)
        if name == "sub":
            values = [operations.negative(self.types, values[0])]
        place = f"&{array.pointer}[{self.place(array, indices, node)}]"
        c = f"atomic_{word}({place}, {', '.join(value.c for value in values)})"
        py_args = ", ".join([array.py, tuple_of(indices), *(value.py for value in values)])
        py = f"_xr_atomic_{word}(_xr_item, {py_args})"
        return self.temporary(Value(kind, c, py, None, varies=True))

    # -- marked functions ---------------------------------------------------------------------

    def _function(self, function: Any, node: ast.Call) -> Any:
        if node.keywords:
            self.refuse(node, "keywords are not taken here", "give the arguments by position")
        before = self.reads
        args = [self._argument(self.value(arg), arg) for arg in node.args]
        made: Function = self.program.function(function, args, node, self)
        if made.has_barrier:
            self.require_together(node, f"{function.__name__}, which has a barrier,")
            self.has_barrier = True
            self.barriers += 1
        for mine, theirs in zip(args, made.params, strict=True):
            if isinstance(mine, ArrayValue) and theirs.written[0]:
                mine.written[0] = True
        c_args = ", ".join(text for arg in args for text in _passed(arg))
        py_args = ", ".join(["_xr_item", *(arg.py for arg in args)])
        varies = made.varies or any(getattr(arg, "varies", False) for arg in args)
        py = f"{made.name}({py_args})"
        if made.is_pure and isinstance(made.result, Kind):
            self.reads += made.has_reads
            return Value(made.result, f"{made.name}({c_args})", py, None, varies)
        self.require_alone(node)
        if before and not made.is_pure:
            self.refuse(
                node,
                f"{function.__name__} changes memory behind an element that is read",
                "assign it to a variable before",
            )
        if isinstance(made.result, Kind):
            return self.temporary(Value(made.result, f"{made.name}({c_args})", py, None, varies))
        if made.result is None:
            self.before.append((f"{made.name}({c_args});", py))
            return Constant(None)
        names = [self.fresh() for _ in made.result]
        for name, kind in zip(names, made.result, strict=True):
            self.before.append((f"{c_type(kind)} {name};", ""))
        pointers = ", ".join([*filter(None, [c_args]), *(f"&{name}" for name in names)])
        targets = "".join(f"_xr_{name}, " for name in names)
        self.before.append((f"{made.name}({pointers});", f"{targets}= {py}"))
        return Tuple(
            tuple(
                Value(kind, name, f"_xr_{name}", None, varies)
                for name, kind in zip(names, made.result, strict=True)
            )
        )

    def fresh(self) -> str:
        """Return a name for a variable that the text does not have."""
        raise NotImplementedError

    def _argument(self, value: Any, node: ast.AST) -> Any:
        if isinstance(value, ArrayValue):
            return value
        return self.as_number(value, node)


def _passed(arg: Any) -> Sequence[str]:
    """Return the C arguments for a value."""
    if isinstance(arg, Value):
        return [arg.c]
    pointer = f"({arg.pointer} + {arg.offset})" if arg.offset else arg.pointer
    extents = [extent.c for extent in arg.shape if extent.literal is None]
    return [pointer, *extents, *arg.strides]
