"""Arrays that no device holds, in a program that runs with xarr in NumPy's place.

Arrays of records, strings, dates and Python's objects are NumPy's own there, on the host: where a
function refuses them, NumPy's is called, and the few names that xarr lacks, which stand for such
arrays, are NumPy's. A report shows the lines. What NumPy has otherwise than the standard, and
programs rely on, is as NumPy has it: its version, and eigenvalues that are real where they can be.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy

from xarr import linalg as own_linalg, random as own_random
from xarr.array import transfers
from xarr.array.array import NUMBERS, Array
from xarr.backends.device import default_device
from xarr.dtypes import DType
from xarr.functions.calls import on_host
from xarr.functions.elementwise import arithmetic
from xarr.functions.random import random_state
from xarr.functions.types.data_types import iscomplexobj
from xarr.ops import vendor


class Namespace(ModuleType):
    """A module of xarr as a program sees it in the place of NumPy's.

    package : module -- xarr's.
    theirs : module -- NumPy's.
    **others : object -- Names that are not xarr's there.
    """

    def __init__(self, package: ModuleType, theirs: ModuleType, **others: Any) -> None:
        super().__init__(package.__name__, package.__doc__)
        self._package = package
        self._theirs = theirs
        vars(self).update(others)

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._package, name)
        except AttributeError:
            if name.startswith("_") or not hasattr(self._theirs, name):
                raise
            _note(name, 0)
            found = getattr(self._theirs, name)
        else:
            if isinstance(found, FunctionType) and hasattr(self._theirs, name):
                found = _or_numpys(found, getattr(self._theirs, name))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self._package)


@functools.wraps(own_linalg.eig)
def _eig(a: Any) -> own_linalg.EigResult:
    found = own_linalg.eig(a)
    if not _are_real(a, found.eigenvalues):
        return found
    return own_linalg.EigResult(*map(arithmetic.real, found))


@functools.wraps(own_linalg.eigvals)
def _eigvals(a: Any) -> Array:
    found = own_linalg.eigvals(a)
    return arithmetic.real(found) if _are_real(a, found) else found


def _are_real(a: Any, eigenvalues: Array) -> bool:
    """Whether NumPy gives real results: of a real matrix, if no eigenvalue has an imaginary part.

    Waits for the device, as whether eigenvalues converge does.
    """
    if iscomplexobj(a):
        return False
    with transfers.openly():
        return bool((arithmetic.imag(eigenvalues) == 0).all())


def _or_numpys(own: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function of xarr, and NumPy's for what no device holds."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            return own(*args, **kwargs)
        except TypeError:
            where = f"{own.__name__}(...)"
            try:
                given = theirs(*_with_numbers(args, where), **_with_numbers(kwargs, where))
            except Exception:  # noqa: BLE001 - what xarr says of the call is what is told
                given = None
            if given is None or not any(map(on_host.is_of_host, (given, *args, *kwargs.values()))):
                raise
        _note(own.__name__, getattr(given, "nbytes", 0))
        return given

    return function


def _with_numbers(value: Any, where: str) -> Any:
    """A value with NumPy's arrays in the place of Arrays, and its numbers for those without axes.

    An `out` stays as it is, since NumPy would write to a copy of it.
    """
    if type(value) is Array:
        return on_host.host_of(value, where)[()]
    if type(value) in (list, tuple):
        return type(value)(_with_numbers(part, where) for part in value)
    if type(value) is dict:
        return {
            name: part if name == "out" else _with_numbers(part, where)
            for name, part in value.items()
        }
    return value


NUMPY: Final = Namespace(
    importlib.import_module("xarr"),
    numpy,
    linalg=Namespace(own_linalg, numpy.linalg, eig=_eig, eigvals=_eigvals),
    random=Namespace(own_random, numpy.random, mtrand=own_random),
    __version__=numpy.__version__,
)
"""The one namespace that stands for `numpy`."""


class Behaviour(AbstractContextManager["Behaviour"]):
    """Within the block, do as NumPy what xarr does otherwise where programs name both libraries.

    Methods that are given a type that only NumPy has return NumPy's arrays, and `random.seed` and
    `random.set_state` set NumPy's global generator too, which SciPy, scikit-learn and pandas draw
    from. `isinstance` takes an Array without axes for Python's float or complex, as NumPy's are.
    """

    def __init__(self) -> None:
        self._numbers: dict[DType, type] = {}

    def __enter__(self) -> Behaviour:
        self._numbers.update(NUMBERS)
        NUMBERS.clear()
        on_host.numpys_method = _of_values
        random_state.shared.leads_numpys = True
        return self

    def __exit__(self, *exception: object) -> None:
        on_host.numpys_method = None
        random_state.shared.leads_numpys = False
        NUMBERS.update(self._numbers)


def _of_values(name: str, x: Array, args: tuple[Any, ...]) -> Any:
    """The result of NumPy's method on an Array's values; None if a device could hold the result."""
    try:
        given = getattr(numpy.array(x), name)(*args)
    except Exception:  # noqa: BLE001 - what xarr says of the call is what is told
        return None
    if not any(map(on_host.is_of_host, (given, *args))):
        return None
    _note(name, given.nbytes)
    return given


def _note(name: str, nbytes: int) -> None:
    device = default_device()
    vendor.warn_once(name, device)
    transfers.tell(f"{name} (NumPy's own)", nbytes, "from", device)
