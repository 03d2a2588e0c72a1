"""Show arrays in notebooks: NumPy's text; facts of a large array, a picture of a large matrix."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Final

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.transfers import Host, to_host
from xarr.functions.index.indexing import getitem

_MOST: Final = 256
"""Pixels of a side of a picture."""
_LEAST: Final = 128
"""Pixels of the screen that the longer side of a picture has at the least."""
_ODD: Final = 255
"""The colour of what is not finite; the others are greys."""
_PLAIN: Final = (
    "color:inherit;background:none;border:none;margin:4px 0;padding:0;white-space:pre;"
    "overflow-x:auto;scrollbar-color:gray transparent;line-height:1.3;"
    "font-family:var(--jp-code-font-family,monospace)"
)
"""Style of text in columns, of which a page makes no box; JupyterLab would inherit its font."""


def repr_html(x: Array) -> str:
    """Return HTML for notebooks: NumPy's text; of an array that it shortens also what it is.

    That is a line with shape, dtype, device and memory, and a picture of a matrix. The colours are
    the page's own, so that it reads well on dark and light ones.
    """
    view = x._view
    parts = [f'<pre style="{_PLAIN}">{html.escape(repr(x))}</pre>']
    if x.size > numpy.get_printoptions()["threshold"]:
        kind = f"shape {view.shape}, dtype {view.dtype.name}"
        parts.insert(0, _caption(f"{kind}, device {view.device}, {x.nbytes:,} bytes"))
        if len(view.shape) == 2:
            parts += _picture(x)
    return f'<div style="color:inherit">{"".join(parts)}</div>'


def _caption(text: str) -> str:
    return f'<div style="opacity:.7">{html.escape(text)}</div>'


def _picture(x: Array) -> tuple[str, str]:
    """A picture of a matrix, of every n-th row and column, and what its greys mean."""
    steps = [-(-extent // _MOST) for extent in x.shape]
    values = to_host(getitem(x, tuple([slice(None, None, step) for step in steps]))._view)
    names = zip(steps, ("row", "column"), strict=True)
    read = [f"every {_ordinal(step)} {name}" for step, name in names if step > 1]
    what = " and ".join(read) + ": " if read else ""
    if x._view.dtype.kind == dtypes.COMPLEX:
        values, what = numpy.abs(values), what + "magnitudes "
    values = values.astype(numpy.float64)
    is_finite = numpy.isfinite(values)
    levels = numpy.full(values.shape, _ODD, numpy.uint8)
    if is_finite.any():
        least, most = values[is_finite].min(), values[is_finite].max()
        # Halves, as the difference of two large numbers would be infinite.
        range_ = most / 2 - least / 2
        scaled = (values[is_finite] / 2 - least / 2) / range_ if range_ > 0 else 0.5
        levels[is_finite] = numpy.asarray(scaled * (_ODD - 1)).round().astype(numpy.uint8)
        what += f"{least:g} (black) to {most:g} (white)"
    if not is_finite.all():
        what += ", red: NaN or infinite" if is_finite.any() else "NaN or infinite"
    scale = max(1, -(-_LEAST // max(levels.shape)))
    height, width = (extent * scale for extent in levels.shape)
    data = base64.b64encode(png(levels)).decode()
    return (
        f'<img alt="" width="{width}" height="{height}" style="image-rendering:pixelated;'
        f'border:1px solid gray;margin:4px 0" src="data:image/png;base64,{data}">'
    ), _caption(what)


def _ordinal(number: int) -> str:
    """Write 2 as "2nd", 13 as "13th"."""
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{dict.get({1: 'st', 2: 'nd', 3: 'rd'}, last, 'th')}"


def png(levels: Host) -> bytes:
    """A picture of greys, 0 to 254, and of a red, 255."""
    height, width = levels.shape
    greys = numpy.arange(256) * 255 // (_ODD - 1)
    palette = numpy.repeat(greys[:, None], 3, axis=1).astype(numpy.uint8)
    palette[_ODD] = (214, 39, 40)
    rows = numpy.zeros((height, width + 1), numpy.uint8)  # each begins with the filter: none
    rows[:, 1:] = levels
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = {b"IHDR": head, b"PLTE": palette.tobytes(), b"IDAT": zlib.compress(rows.tobytes())}
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, content in {**chunks, b"IEND": b""}.items():
        check = struct.pack(">I", zlib.crc32(kind + content))
        parts += [struct.pack(">I", len(content)), kind, content, check]
    return b"".join(parts)
