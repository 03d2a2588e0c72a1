"""NumPy's `lib`: views of strides, and what needs no arrays."""

from numpy.lib import NumpyVersion as NumpyVersion, mixins as mixins

from xarr.lib import array_utils as array_utils, scimath as scimath, stride_tricks as stride_tricks
