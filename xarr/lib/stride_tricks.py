"""Views with shapes and strides of the caller's choice, as in `numpy.lib.stride_tricks`."""

from xarr.functions.shape.manipulation import (
    as_strided as as_strided,
    sliding_window_view as sliding_window_view,
)
