"""Looking at what xarr does: pending expressions, the kernels they would run, memory, devices."""

from __future__ import annotations

import sys
from typing import Any

import numpy

from xarr import errors
from xarr.array.array import Array
from xarr.backends.device import Device, get_device
from xarr.compiler import source
from xarr.engine import engine
from xarr.engine.expression import Node, trace


def explain(x: Array, /) -> str:
    """Describe the pending expression of an array and the kernel that it would run.

    Parameters
    ----------
    x : Array, shape (...)
        The array; it stays as it is.

    Returns
    -------
    str
        The nodes of the expression, one a line, then the kernel's source. For an array in memory,
        where it lies.

    Raises
    ------
    TypeError
        If x is no Array.

    Examples
    --------
    >>> import xarr
    >>> text = xarr.explain(xarr.ones(3, dtype="float32") + 1)
    >>> text.splitlines()[0].partition(", ")[2]
    'pending: 1 operation'
    """
    if type(x) is not Array:
        raise TypeError(
            errors.message("explain(x)", f"x is of type {type(x).__name__}", "an Array is accepted")
        )
    node = x._node
    head = f"{node.dtype} {node.shape} on {node.device}"
    with node.device.lock:
        if node.storage is not None:
            return f"{head}, in memory: {node.layout}"
        return f"{head}, pending: {_described(node)}\n{_source_of(node)}"


def _described(node: Node) -> str:
    """The operations of a pending node and their number."""
    order, _ = trace((node,))
    names = {id(part): f"v{number}" for number, part in enumerate(order)}
    operations = sum(part.operation is not None for part in order)
    lines = [f"{operations} operation{'s' if operations != 1 else ''}"]
    for part in order:
        operands = ", ".join(names[id(operand)] for operand in part.inputs)
        if part.operation is not None:
            text = f"{part.operation.name}({operands})"
        elif part.storage is not None:
            text = f"array {part.layout}"
        else:
            text = repr(part.value)
        kept = ", kept" if part is not node and part.operation is not None and part.owned() else ""
        lines.append(f"    {names[id(part)]} = {text}: {part.dtype} {part.shape}{kept}")
    return "\n".join(lines)


def _source_of(node: Node) -> str:
    """The kernel that computes a pending node, after what the limits cut off is computed."""
    plan, _ = engine.prepare(node, node.shape, keep=True)
    defines, _ = engine.elementwise_defines(plan.form, node.device)
    info = node.device.info
    return source.assemble("elementwise.c", info.dialect, defines, has_float64=info.has_float64)


def memory_info(device: Device | str | None = None) -> dict[str, int]:
    """The memory of a device in bytes.

    Parameters
    ----------
    device : Device, str or None
        The device; the default device where None.

    Returns
    -------
    dict
        ``total_nbytes`` of the device, ``used_nbytes`` in arrays, ``held_nbytes`` freed and kept
        for reuse, ``peak_nbytes`` the most that was ever used.

    Examples
    --------
    >>> import xarr
    >>> sorted(xarr.memory_info())
    ['held_nbytes', 'peak_nbytes', 'total_nbytes', 'used_nbytes']
    """
    return get_device(device, where="memory_info(device)").memory_info()


def synchronize(x: Array | Device | str | None = None) -> None:
    """Compute an array, or all that is pending on a device, and wait until it is done.

    Parameters
    ----------
    x : Array, Device, str or None
        What to wait for; the default device where None.
    """
    if type(x) is Array:
        engine.compute(x._node)
        with x.device.lock:
            x.device.driver.synchronize()
        return
    device = get_device(x, where="synchronize(x)")  # type: ignore[arg-type]
    device.synchronize()


def info(
    object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "xarr"
) -> None:
    """Write what is known of an array, or the documentation of anything else, as NumPy does.

    Parameters
    ----------
    object : Array or object
        What is asked about.
    maxwidth : int
        Characters of a line.
    output : open file, optional
        Where it is written; to the standard output where None.
    toplevel : str
        The module that names are looked up in.

    Examples
    --------
    >>> import xarr
    >>> xarr.info(xarr.zeros((2, 3), dtype="int8"), output=None)  # doctest: +ELLIPSIS
    class:  Array
    shape:  (2, 3)
    dtype:  int8
    device:  ...
    """
    if type(object) is not Array:
        numpy.info(object, maxwidth, output, toplevel)
        return
    lines = {
        "class": "Array",
        "shape": object.shape,
        "dtype": object.dtype,
        "device": object.device,
    }
    file = sys.stdout if output is None else output
    file.writelines(f"{name}:  {value}\n" for name, value in lines.items())


def get_include() -> str:
    """Return the folder of NumPy's header files; xarr has no C interface.

    Returns
    -------
    str
        The folder.
    """
    return numpy.get_include()


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Show how NumPy was built, which computes on the host; `python -m xarr info` shows devices.

    Parameters
    ----------
    mode : str
        "stdout" to print, "dicts" for a dictionary.

    Returns
    -------
    dict or None
        The dictionary.
    """
    show: Any = numpy.show_config
    found: dict[str, Any] | None = show(mode)
    return found


def show_runtime() -> None:
    """Print NumPy's version and the host's instructions; `python -m xarr info` shows devices."""
    numpy.show_runtime()
