"""xarr: NumPy's idiom and the whole Python Array API, fast on any device.

>>> import xarr as np
>>> x = np.linspace(0, 1, 5)
>>> float(((x - x.mean()) ** 2).sum())
0.625
"""

from __future__ import annotations

import math as _math
from typing import TYPE_CHECKING

import numpy as _numpy

from xarr.array.array import API_VERSIONS as _API_VERSIONS
from xarr.array.array import Array as Array
from xarr.array.array import no_implicit_transfer as no_implicit_transfer
from xarr.backends.device import Device as Device
from xarr.backends.device import default_device as default_device
from xarr.backends.device import device as device
from xarr.backends.device import devices as devices
from xarr.engine.engine import eager as eager
from xarr.errors import CacheWarning as CacheWarning
from xarr.errors import CompileError as CompileError
from xarr.errors import HostFallbackWarning as HostFallbackWarning
from xarr.errors import ImplicitTransferError as ImplicitTransferError
from xarr.functions import fft as fft
from xarr.functions import linalg as linalg
from xarr.functions.inspection import explain as explain
from xarr.functions.inspection import memory_info as memory_info
from xarr.functions.inspection import synchronize as synchronize
from xarr.functions.namespace import FUNCTIONS as _FUNCTIONS
from xarr.functions.streams import Event as Event
from xarr.functions.streams import Stream as Stream

__version__ = "0.1.0"
__array_api_version__ = _API_VERSIONS[-1]

e = _math.e
inf = _math.inf
nan = _math.nan
newaxis = None
pi = _math.pi

bool = _numpy.bool_
int8, int16, int32, int64 = _numpy.int8, _numpy.int16, _numpy.int32, _numpy.int64
uint8, uint16, uint32, uint64 = _numpy.uint8, _numpy.uint16, _numpy.uint32, _numpy.uint64
float16, float32, float64 = _numpy.float16, _numpy.float32, _numpy.float64
complex64, complex128 = _numpy.complex64, _numpy.complex128
dtype = _numpy.dtype
ndarray = Array

# The functions of the tables and chapters, under the standard's names and NumPy's.
globals().update(_FUNCTIONS)
array = _FUNCTIONS["array"]  # stands before the module of this name

if TYPE_CHECKING:
    from typing import Any

    def __getattr__(name: str) -> Any: ...
