"""Single elements, which the host reads and writes in place where it shares the device's memory.

A kernel for one element costs the host a hundred times what the element does. So one that is there
already is read at once, and one that nothing on the tape names is written at once: the core does
that. What waits for others runs the tape first, unless it is part of a loop that does so each time.
Whoever asks gets None or False else, and has the element computed as others are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from xarr import tuning
from xarr.core import elements
from xarr.engine import hosted
from xarr.engine.opcodes import tape_of

if TYPE_CHECKING:
    from xarr.core.views import Node

Host = numpy.ndarray[Any, numpy.dtype[Any]]


def read(node: Node, at: int) -> Any:
    """The value of a node's element that lies `at` elements from the beginning, or None.

    It is none, either, where a Python scalar may have other bits: of a NaN.
    """
    device, storage = node.device, node.storage
    if storage is None or node.structure.form is None:
        return None
    with device.lock:
        on = tape_of(device)
        if on.is_running:
            return None
        if (
            on.writes(storage)
            and (hosted.tier.name or _comes_again(node, at))
            and not on.has_no_axes()
        ):
            return None
        on.compute(storage)
        return elements.read(node, at)


def _comes_again(node: Node, at: int) -> bool:
    """Whether an element is one of few that are used alone, so that it is part of a loop.

    What a loop reads from another place each time, or writes, would have it planned each time.
    """
    places, place = node.structure.places, at - node.offset
    is_known = place in places
    if len(places) <= tuning.PLACES:
        places.add(place)
    return is_known and len(places) <= tuning.PLACES


def write(node: Node, at: int, value: Any) -> bool:
    """Write a node's element that lies `at` elements from the beginning, if it can be at once.

    `value` is a Python scalar that the data type holds exactly.
    """
    device, storage = node.device, node.storage
    assert storage is not None
    if node.structure.form is None or value != value:
        return False
    with device.lock:
        on = tape_of(device)
        if on.is_running:
            return False
        if storage.buffer is None or on.names(storage):
            if (hosted.tier.name or _comes_again(node, at)) and not on.has_no_axes():
                return False
            on.run()
        return elements.written(node, at, value)
