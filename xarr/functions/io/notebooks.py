"""How notebooks show an array: what it is, and a small picture. Nothing is computed for it."""

from __future__ import annotations

import base64
import html
import struct
import sys
import zlib
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.transfers import Host, forbidden, note
from xarr.core.tape import values_of
from xarr.engine import engine
from xarr.engine.opcodes import tape_of
from xarr.functions.index.indexing import getitem

_MOST: Final = 256
"""Pixels of a side of a picture."""
_LEAST: Final = 128
"""Pixels of the screen that the longer side of a picture has at the least."""
_SHOWN: Final = 1000
"""Elements up to which values are written out."""
_WHERE: Final = "x._repr_html_()"
_ODD: Final = 255
"""The colour of what is not finite; the others are greys."""


def repr_html(x: Array) -> str:
    """HTML for notebooks: shape, dtype, device and memory, and a picture of a matrix.

    It computes nothing, not even `x`: of what is pending it says so.
    """
    node = x._node
    rows = {"shape": str(node.shape), "dtype": node.dtype.name, "device": str(node.device)}
    rows["memory"] = f"{x.nbytes:,} bytes"
    below = ""
    if node.storage is None:
        rows["memory"] = "none"
        rows["values"] = f"{node.value!r} everywhere"
    elif x.size == 0:
        rows["values"] = "none"
    elif is_pending(x):
        rows["values"] = "not computed yet"
    elif forbidden() or node.device.is_recorded:
        rows["values"] = "not shown, as nothing may move to the host here"
    elif len(node.shape) == 2:
        rows["values"], below = _picture(x)
    elif x.size <= _SHOWN:
        values = numpy.array2string(_read(x), threshold=_SHOWN, separator=", ")
        style = "color:inherit;background:none;margin:4px 0"
        below = f'<pre style="{style}">{html.escape(values)}</pre>'
    # Colours are the page's own, so that themes that are light and dark have theirs.
    cell = "text-align:left;padding:0 12px 0 0;color:inherit;background:none;border:none"
    lines = "".join(
        f'<tr style="background:none"><td style="{cell};opacity:.65">{name}</td>'
        f'<td style="{cell}">{html.escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    table = f'<table style="border:none;margin:0">{lines}</table>'
    return f'<div style="color:inherit">{table}{below}</div>'


def repr_pretty(x: Array, printer: Any, cycle: bool) -> None:
    """The text that IPython shows: the values, but in a notebook nothing is computed for it."""
    if "ipykernel" in sys.modules and x._node.storage is not None and is_pending(x):
        node = x._node
        printer.text(f"<array {node.dtype} {node.shape} on {node.device}, not computed yet>")
    else:
        printer.text(repr(x))


def is_pending(x: Array) -> bool:
    """Whether an array's values are not in memory yet."""
    storage = x._node.storage
    if storage is None:
        return False
    with x.device.lock:
        on = tape_of(x.device)
        return on.is_running or on.writes(storage)


def _read(x: Array) -> Host:
    """The values of an array in memory, whatever is pending besides them."""
    node = x._node
    note(_WHERE, x.nbytes, "from", node.device)
    with node.device.lock:
        there = values_of(node)
        if there is not None:
            found: Host = there.copy()
            return found
        copied = engine.copied_at_once(node)
        host = numpy.empty(node.shape, node.dtype.numpy)
        assert copied.storage is not None
        node.device.driver.download(copied.storage.buffer, 0, host)
    return host


def _picture(x: Array) -> tuple[str, str]:
    """The range of a matrix in words, and a picture of it, of every n-th row and column."""
    steps = [-(-extent // _MOST) for extent in x.shape]
    part = getitem(x, tuple([slice(None, None, step) for step in steps]))
    values = _read(part)
    what = "one of {} rows, one of {} columns: ".format(*steps) if max(steps) > 1 else ""
    if x._node.dtype.kind == dtypes.COMPLEX:
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
    return what, (
        f'<img alt="" width="{width}" height="{height}" style="image-rendering:pixelated;'
        f'border:1px solid gray;margin:4px 0" src="data:image/png;base64,{data}">'
    )


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
