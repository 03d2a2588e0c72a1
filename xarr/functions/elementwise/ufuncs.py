"""NumPy's `ufunc`: a function of each element, with `out`, `where`, `dtype` and its methods.

`Unary` and `Binary` are functions of a row; a function of the chapters becomes a `Composed` one by
the decorator `universal`. What a function computes of its operands is its own; where a result goes,
and in which type it is computed, is here once. The methods call `ufunc_methods`, which stands above
the chapters.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypedDict, TypeVar

from xarr import dtypes, functions
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.coerce import as_array
from xarr.array.out_argument import deliver, require_castable, single
from xarr.array.row_function import RowFunction
from xarr.dtypes import BOOL, COMPLEX, DType
from xarr.errors import type_error
from xarr.functions.calls.row_calls import binary, unary
from xarr.functions.elementwise.signatures import Forced, Signature, forced
from xarr.functions.elementwise.ufunc_docstrings import docstring_of
from xarr.functions.names import docstrings
from xarr.layout import order_of
from xarr.ops.rows import Elementwise
from xarr.tape import builder

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)


class _Described:
    """A docstring: of a class its own, and of each of its objects its call and what it makes."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, instance: ufunc | None, owner: type) -> str | None:
        if instance is None:
            return self._text
        told = inspect.signature(instance)
        bare = [part.replace(annotation=part.empty) for part in told.parameters.values()]
        return f"{instance.__name__}{inspect.Signature(bare)}\n\n{instance._docstring()}"


def _described(text: str | None) -> Any:
    return _Described(text)


class ufunc:  # noqa: N801 - NumPy's name
    """Base class of the element-wise functions such as `add`: callables with NumPy's ufunc methods.

    Parameters
    ----------
    name, row : str, Elementwise or None
        Programs do not create instances.

    Attributes
    ----------
    nin, nout, nargs : int
        The number of operands, of results, and of both together.
    identity : number or None
        The value that leaves the other operand unchanged: 0 for `add`; None if there is none.
    types : list of str
        The supported data types of operands and results, such as "dd->d" in NumPy's letters.
    signature : str or None
        The core axes of `matmul`, `matvec`, `vecdot` and `vecmat`, such as "(n),(n)->()"; None for
        element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> isinstance(xarr.add, xarr.ufunc), xarr.add.nin, xarr.add.identity
    (True, 2, 0)
    """

    __doc__ = _described(__doc__)
    _methods_source = "NumPy's method."
    """The class that defines the methods, for their docstrings."""
    _called_by = "__call__"
    """The method that takes all arguments of a call."""
    _is_mixed = False
    """Whether the operands are of different types, and `dtype` is that of the first."""

    def __init__(
        self, name: str, row: Elementwise | None, nin: int, nout: int, identity: complex | None
    ) -> None:
        self.__class__ = _named_in_errors(type(self), name)
        self.__name__ = self.__qualname__ = name
        self.__module__ = "xarr.functions.elementwise.elementwise"
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self.identity = identity
        self.signature: str | None = None
        self._row = row
        self._where = f"{name}(x)" if nin == 1 else f"{name}(x1, x2)"

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Apply the function to operands."""
            ...

    def _compute(self, *operands: Any) -> Any:
        """The results, without options."""
        raise NotImplementedError

    def _docstring(self) -> str:
        """What `help` says below the call."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r}>"

    def __reduce__(self) -> str:
        return self.__name__

    @property
    def types(self) -> list[str]:
        """The data types that the function computes in, and those of results, as "dd->d"."""
        row = self._row
        if row is None:
            return []
        found = []
        for dtype in dtypes.TABLE:
            if dtype.kind in row.kinds:
                result = row.operation(dtype).result.numpy.char
                found.append(f"{dtype.numpy.char * self.nin}->{result * self.nout}")
        return found

    @property
    def ntypes(self) -> int:
        """The number of data types that the function computes in."""
        return len(self.types)

    # -- methods ------------------------------------------------------------------------------

    def reduce(
        self,
        array: ArrayLike,
        axis: Axis = 0,
        dtype: DTypeLike = None,
        out: Out = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike = True,
    ) -> Array:
        """Reduce along axes: apply the function to all elements in turn.

        dtype : dtype, optional -- The data type to convert the elements to first.

        >>> xarr.add.reduce(xarr.asarray([1, 2, 3])).tolist()
        6
        """
        return functions.elementwise.ufunc_methods.reduce(
            self, array, axis, dtype, out, keepdims, initial, where
        )

    def accumulate(
        self, array: ArrayLike, axis: Any = 0, dtype: DTypeLike = None, out: Out = None
    ) -> Array:
        """Return the running reductions along an axis, as `cumsum` does for `add`.

        dtype : dtype, optional -- The data type to convert the elements to first.

        -> Array, shape of the operand

        >>> xarr.multiply.accumulate(xarr.asarray([1, 2, 3])).tolist()
        [1, 2, 6]
        """
        return functions.elementwise.ufunc_methods.accumulate(self, array, axis, dtype, out)

    def outer(self, A: ArrayLike, B: ArrayLike, /, **options: Any) -> Array:  # noqa: N803
        """Apply the function to all pairs of an element of A and an element of B.

        A, B : Array, shapes (...) and (...) -- The operands; also numbers and lists of these.
        **options : any -- `out`, `where`, `dtype` and the other keywords of the function.

        -> Array, shape A.shape + B.shape

        >>> xarr.add.outer([1, 2], xarr.asarray([10, 20])).tolist()
        [[11, 21], [12, 22]]
        """
        return functions.elementwise.ufunc_methods.outer(self, A, B, **options)

    def at(self, a: Array, indices: Any, b: ArrayLike | None = None, /) -> None:
        """Apply the function to elements of an array in place, once for each time they are indexed.

        The operands for one element are combined in an order that is the same on all devices.

        a : Array -- The array to change; its elements are the first operand.
        indices : index -- The elements to change, as in ``a[indices]``.
        b : Array, optional
            The second operand of binary functions; it broadcasts to ``a[indices]``.

        >>> x = xarr.zeros(2)
        >>> xarr.add.at(x, [0, 0], 1)
        >>> x.tolist()
        [2.0, 0.0]
        """
        functions.elementwise.ufunc_methods.at(self, a, indices, b)

    def reduceat(
        self,
        array: ArrayLike,
        indices: Any,
        axis: Any = 0,
        dtype: DTypeLike = None,
        out: Out = None,
    ) -> Array:
        """Reduce slices along an axis: the result has one element for each index.

        indices : integer Array, shape (K,) -- Slice i is ``[indices[i]:indices[i + 1]]``, the last
            one to the end; an empty slice gives the element at ``indices[i]``.
        dtype : dtype, optional -- The data type to convert the elements to first.

        >>> xarr.add.reduceat(xarr.asarray([1, 2, 3]), [0, 1]).tolist()
        [1, 5]
        """
        return functions.elementwise.ufunc_methods.reduceat(self, array, indices, axis, dtype, out)

    # -- with options -------------------------------------------------------------------------

    def _with_options(
        self,
        operands: tuple[Any, ...],
        out: Any,
        where: Any,
        casting: str,
        order: str,
        dtype: Any,
        signature: Any = None,
        sig: Any = None,
    ) -> Any:
        """The call of a function that is given more than its operands."""
        name = self._where if out is None else f"{self._where[:-1]}, out)"
        order_of(order, name)
        outs = self._targets(out, name)
        operands = self._on_one_device(operands, outs)
        told = forced(signature, sig, dtype, self.nin, self.nout, self._where)
        wanted = None
        if told is not None and not any(told[: self.nin]):
            dtype = next(entry for entry in told[self.nin :] if entry is not None)
        if dtype is not None:
            wanted = dtypes.lookup(dtype, self._where)
            operands = self._converted(operands, wanted, casting)
        elif told is not None:
            operands = self._convert_forced(operands, told, casting)
        results = self._compute(*operands)
        if told is not None:
            self._require_told(results, told, wanted)
        if self.nout == 1:
            if wanted is not None and results._view.dtype is not wanted:
                results = self._retyped(results, wanted, casting)
            return deliver(results, outs[0], name, casting=casting, where=where)
        if wanted is not None:
            results = [
                part if part._view.dtype is wanted else self._retyped(part, wanted, casting)
                for part in results
            ]
        return tuple(
            deliver(result, target, name, casting=casting, where=where)
            for result, target in zip(results, outs, strict=True)
        )

    def _targets(self, out: Any, name: str) -> tuple[Array | None, ...]:
        """The array, or None, that each result goes to."""
        if out is None:
            return (None,) * self.nout
        if self.nout == 1:
            return (single(out, name),)
        if type(out) is not tuple or len(out) != self.nout:
            fault = f"out is of type {type(out).__name__}"
            raise type_error(name, fault, f"out must be a tuple of {self.nout} Arrays")
        return tuple(single(entry, name) for entry in out)

    def _on_one_device(
        self, operands: tuple[Any, ...], outs: tuple[Array | None, ...]
    ) -> tuple[Any, ...]:
        """The operands, on the device of the results where none of them is on one."""
        target = next((out for out in outs if out is not None), None)
        if target is None or any(type(operand) is Array for operand in operands):
            return operands
        first, *others = operands
        return (as_array(first, self._where, device=target.device), *others)

    def _convert_forced(
        self, operands: tuple[Any, ...], told: Forced, casting: str
    ) -> tuple[Any, ...]:
        """The operands in the data types that a signature tells."""
        named = {entry for entry in told[: self.nin] if entry is not None}
        if len(named) > 1 and not self._is_mixed:
            self._refuse_told(told)
        results = []
        device = next((operand.device for operand in operands if type(operand) is Array), None)
        for operand, entry in zip(operands, told[: self.nin], strict=True):
            wanted = entry if self._is_mixed or entry is not None else next(iter(named))
            if wanted is None:
                results.append(operand)
                continue
            given = as_array(operand, self._where, device=device)
            device = given.device
            if not is_weak(operand, wanted):
                require_castable(
                    given._view.dtype, wanted, casting, self._where, "an operand", "signature says"
                )
            results.append(as_array(operand, self._where, dtype=wanted, device=device))
        return tuple(results)

    def _require_told(self, results: Any, told: Forced, wanted: DType | None) -> None:
        """Refuse a signature that tells another type of a result than the function gives."""
        together = (results,) if self.nout == 1 else results
        for result, entry in zip(together, told[self.nin :], strict=True):
            if entry is not None and entry is not wanted and result._view.dtype is not entry:
                self._refuse_told(told)

    def _refuse_told(self, told: Forced) -> None:
        spelled = [("any" if entry is None else str(entry)) for entry in told]
        fault = f"the signature tells {', '.join(spelled)}"
        accepted = f"it must be one of the types {', '.join(self.types)}"
        raise type_error(self._where, fault, accepted)

    def _converted(self, operands: tuple[Any, ...], wanted: DType, casting: str) -> tuple[Any, ...]:
        """The operands in the data type that the caller wants it computed in."""
        row = self._row
        if row is not None and row.result == "bool":
            return operands
        device = next((operand.device for operand in operands if type(operand) is Array), None)
        results = []
        for operand in operands[:1] if self._is_mixed else operands:
            array = as_array(operand, self._where, device=device)
            device = array.device
            is_complex = array._view.dtype.kind == COMPLEX != wanted.kind
            if is_complex and row is not None and row.result == "real":
                results.append(operand)
                continue
            place = f"{self._where[:-1]}, dtype)"
            results.append(in_type(operand, array, wanted, casting, place))
        return (*results, *operands[len(results) :])

    def _retyped(self, result: Array, wanted: DType, casting: str) -> Array:
        """A result of another data type than the one that the caller wants."""
        given, row = result._view.dtype, self._row
        real = row is not None and row.result == "real" and wanted.kind == dtypes.REAL
        place = f"{self._where[:-1]}, dtype)"
        if not real:
            fault = f"dtype is {wanted}"
            accepted = f"it must be {given} for these operands"
            remedy = "convert the result with astype"
            raise type_error(place, fault, accepted, remedy)
        require_castable(given, wanted, casting, place, to="dtype is")
        return Array(builder.converted(result._view, wanted))


def _named_in_errors(kind: type[ufunc], name: str) -> type[ufunc]:
    """The class of one function: what Python says of wrong arguments begins with its name."""
    called = kind._called_by
    call: Any = getattr(kind, called)
    own: Any = functools.wraps(call)(FunctionType(call.__code__, call.__globals__, name))
    own.__defaults__, own.__kwdefaults__ = call.__defaults__, call.__kwdefaults__
    own.__qualname__ = name
    return type(kind.__name__, (kind,), {called: own, "__doc__": vars(kind)["__doc__"]})


def in_type(operand: Any, array: Array, wanted: DType, casting: str, where: str) -> Array:
    """An operand, and the array of it, in the data type that `dtype` asks for."""
    if not is_weak(operand, wanted):
        require_castable(array._view.dtype, wanted, casting, where, "an operand", "dtype is")
    return as_array(operand, where, dtype=wanted, device=array.device)


def is_weak(operand: Any, wanted: DType) -> bool:
    """Whether an operand is one of Python's numbers, which takes a data type of its kind."""
    if type(operand) is complex:
        return wanted.kind == COMPLEX
    if type(operand) is float:
        return wanted.kind in (dtypes.REAL, COMPLEX)
    return type(operand) is bool or (type(operand) is int and wanted.kind != BOOL)


class _OfRow(ufunc, RowFunction):
    """A function of a row."""

    _row: Elementwise
    _called_by = "_called"
    if TYPE_CHECKING:
        _called: Any

    def __init__(self, row: Elementwise) -> None:
        super().__init__(row.name, row, row.operands, 1, row.identity)
        self.known = row.known

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":  # that of the method that takes all arguments
            return inspect.signature(self._called)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _compute(self, *operands: Any) -> Array:
        return (unary if self.nin == 1 else binary)(self._row, *operands)

    def _docstring(self) -> str:
        return docstring_of(self._row, docstrings.annotations_of(type(self)._called))


class Unary(_OfRow):
    """A function of one operand, of a row."""

    __doc__ = _described(__doc__)
    if TYPE_CHECKING:

        def __call__(self, x: ArrayLike, /, out: Out = None, **options: Any) -> Array:
            """Apply the function to an operand."""
            ...

    def _called(
        self,
        x: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: DTypeLike = None,
        subok: bool = True,
        signature: Signature = None,
        sig: Signature = None,
    ) -> Array:
        """Apply the function to an operand."""
        plain = out is dtype is signature is sig is None and where is True
        if plain and casting == "same_kind" and order == "K":
            return unary(self._row, x)
        result: Array = self._with_options((x,), out, where, casting, order, dtype, signature, sig)
        return result


class Binary(_OfRow):
    """A function of two operands, of a row."""

    __doc__ = _described(__doc__)
    if TYPE_CHECKING:

        def __call__(
            self, x1: ArrayLike, x2: ArrayLike, /, out: Out = None, **options: Any
        ) -> Array:
            """Apply the function to two operands."""
            ...

    def _called(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: DTypeLike = None,
        subok: bool = True,
        signature: Signature = None,
        sig: Signature = None,
    ) -> Array:
        """Apply the function to two operands."""
        plain = out is dtype is signature is sig is None and where is True
        if plain and casting == "same_kind" and order == "K":
            return binary(self._row, x1, x2)
        operands = (x1, x2)
        result: Array = self._with_options(
            operands, out, where, casting, order, dtype, signature, sig
        )
        return result


class Options(TypedDict, total=False):
    """The keyword arguments of all ufuncs; see `Unary` for their meaning."""

    where: ArrayLike
    casting: str
    order: str
    dtype: DTypeLike
    subok: bool
    signature: Signature
    sig: Signature


_OPTIONS: Final = [
    inspect.signature(Unary._called).parameters[name] for name in Options.__annotations__
]


class Composed(ufunc, Generic[_P, _R]):
    """A function that is more than a row."""

    __doc__ = _described(__doc__)

    _options: Sequence[inspect.Parameter] = _OPTIONS

    def __init__(
        self, body: Callable[_P, _R], row: Elementwise | None, nin: int, nout: int, is_mixed: bool
    ) -> None:
        identity = None if row is None else row.identity
        super().__init__(body.__name__, row, nin, nout, identity)
        self.__module__ = body.__module__
        self.__wrapped__ = body
        given = inspect.signature(body)
        operands = [part for part in given.parameters.values() if part.kind is not part.VAR_KEYWORD]
        self.__signature__ = given.replace(parameters=[*operands, *self._options])
        self._where = f"{self.__name__}({', '.join(list(self.__signature__.parameters)[:nin])})"
        self._is_mixed = is_mixed
        self._compute: Callable[..., Any] = body

    if TYPE_CHECKING:

        def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            """Apply the function to operands."""
            ...

    else:

        def __call__(  # noqa: D102 - as above
            self,
            *operands,
            out=None,
            where=True,
            casting="same_kind",
            order="K",
            dtype=None,
            subok=True,
            signature=None,
            sig=None,
        ):
            nin = self.nin
            if len(operands) == nin:
                plain = out is dtype is signature is sig is None and where is True
                if plain and casting == "same_kind" and order == "K":
                    return self._compute(*operands)
            elif nin < len(operands) <= self.nargs and out is None:
                out = operands[nin:] + (None,) * (self.nargs - len(operands))
                operands = operands[:nin]
            else:
                fault = f"{len(operands)} operands are given"
                accepted = f"there must be {nin}, and out for the result"
                raise type_error(self._where, fault, accepted)
            return self._with_options(operands, out, where, casting, order, dtype, signature, sig)

    def _docstring(self) -> str:
        text = inspect.cleandoc(self.__wrapped__.__doc__ or "")
        told = self.__signature__
        annotations = {name: part.annotation for name, part in told.parameters.items()}
        annotations["return"] = told.return_annotation
        return docstrings.completed(self.__name__, text, annotations)


def universal(
    row: Elementwise | None = None, *, nin: int = 2, nout: int = 1, is_mixed: bool = False
) -> Callable[[Callable[_P, _R]], Composed[_P, _R]]:
    """Make a ufunc of a chapter's function of the operands.

    The operands of a mixed one are of different types, and `dtype` is that of the first.
    """

    def made(body: Callable[_P, _R]) -> Composed[_P, _R]:
        return Composed(body, row, nin if row is None else row.operands, nout, is_mixed)

    return made


class Generalised(Composed[_P, _R]):
    """A function of two stacks of vectors or matrices, whose axes `signature` names."""

    __doc__ = _described(__doc__)
    _options = ()

    def __init__(self, body: Callable[_P, _R], signature: str) -> None:
        super().__init__(body, None, 2, 1, False)
        self.signature = signature
        # Called without a frame of its own, which would hold the operands: what only a product
        # needs would be stored.
        its_class: Any = type(self)
        its_class.__call__ = staticmethod(body)

    @property
    def types(self) -> list[str]:
        """The data types that the function computes in, and those of results, as "dd->d"."""
        letters = [dtype.numpy.char for dtype in dtypes.TABLE]
        return [f"{letter}{letter}->{letter}" for letter in letters]


def generalised(signature: str) -> Callable[[Callable[_P, _R]], Generalised[_P, _R]]:
    """Make a ufunc of a function of two stacks; `signature` names the axes that it takes."""

    def made(body: Callable[_P, _R]) -> Generalised[_P, _R]:
        return Generalised(body, signature)

    return made
