"""NVIDIA's libraries (cuBLAS, cuFFT, cuSOLVER) on the memory of a device without CuPy's arrays.

nvmath-python's bindings take addresses. The libraries read matrices by columns, so what lies here
by rows is to them the transpose; each function says how it makes use of that. Work goes to the
driver's current stream, and what is needed meanwhile comes from the driver's memory.

A routine takes its operands and, as `out`, the arrays of all results, which it fills. What nvmath
or a library lacks, kernels of xarr's or the host compute. nvmath is imported at first use.
"""

from xarr.backends.nvidia.handles import missing as missing
from xarr.backends.nvidia.library import NAMES as NAMES, Library as Library
from xarr.backends.nvidia.work import DeviceArray as DeviceArray
