"""Names of `numpy.lib`: views with given strides, and functions that need no arrays."""

from numpy.lib import NumpyVersion as NumpyVersion, mixins as mixins

from xarr.lib import array_utils as array_utils, scimath as scimath, stride_tricks as stride_tricks
