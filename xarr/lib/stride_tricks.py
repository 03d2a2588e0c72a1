"""Views with shapes and strides of the caller's choice, as in `numpy.lib.stride_tricks`."""

import typing as _typing

from xarr.functions.names.namespace import public as _public

if _typing.TYPE_CHECKING:
    from xarr.functions.shape.manipulation import (
        as_strided as as_strided,
        sliding_window_view as sliding_window_view,
    )
else:
    __getattr__, __dir__ = _public(__name__)
