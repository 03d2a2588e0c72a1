"""Names for annotations: ArrayLike, DTypeLike and NDArray, as in `numpy.typing`."""

import typing as _typing
from types import GenericAlias as _GenericAlias
from typing import Any as _Any, TypeAlias as _Alias, TypeVar as _TypeVar

import numpy as _numpy

from xarr.array.array import Array as _Array, ArrayLike as ArrayLike, DTypeLike as DTypeLike

_Scalar = _TypeVar("_Scalar", bound=_numpy.generic)

if _typing.TYPE_CHECKING:
    NDArray: _Alias = _Array | _numpy.ndarray[_Any, _numpy.dtype[_Scalar]]
else:

    class NDArray:
        """An Array or NumPy array of a data type, for annotations: ``NDArray[np.float64]``.

        Examples
        --------
        >>> import xarr
        >>> def norm(x: xarr.typing.NDArray[xarr.float64]) -> float:
        ...     return float(xarr.linalg.norm(x))
        >>> norm(xarr.asarray([3.0, 4.0]))
        5.0
        """

        __class_getitem__ = classmethod(_GenericAlias)
