"""What is asked of a device, noted so that it can be asked again: the content of a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from xarr.backends.base import Call, Driver
from xarr.errors import message

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Recorder:
    """A driver that notes what is asked of it and can be asked again."""

    def __init__(self, driver: Driver, where: str) -> None:
        self.__dict__.update(_driver=driver, _where=where, calls=[])

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._driver, name)
        if name not in ("launch", "launch_with", "copy"):
            return asked

        def noted(*arguments: Any) -> None:
            asked(*arguments)
            self.calls.append((name, tuple(map(_settled, arguments))))

        return noted

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._driver, name, value)

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse what the host does within the block."""
        raise RuntimeError(
            message(
                self._where,
                "the host reads a value within the block",
                "a graph works on the device alone",
                "read the value before it or behind it",
            )
        )

    download = map = address = refuse

    def routine(self, *_: Any) -> None:
        """None: what libraries launch is not seen here, so xarr's kernels work."""

    def arrays(self, *_: Any) -> None:
        """None, as `routine`."""

    def window(self, *_: Any) -> None:
        """None: the host does not work in the memory."""

    def is_open(self) -> bool:
        """False, as `window`."""
        return False


def _settled(argument: Any) -> Any:
    return tuple(argument) if isinstance(argument, list) else argument


@contextlib.contextmanager
def recording(device: Device) -> Iterator[list[Call]]:
    """Note launches and copies of a device within a ``with`` block, besides having them done.

    The host may read nothing meanwhile: whoever tries is told.
    """
    where = f"graph({str(device)!r})"
    with device.lock:
        driver = device.driver
        if device.is_recorded:
            raise RuntimeError(
                message(where, "a graph is being recorded", "one at a time is accepted")
            )
        recorder = Recorder(driver, where)
        device._driver, device.is_recorded = recorder, True
    try:
        yield recorder.calls
    finally:
        with device.lock:
            device._driver, device.is_recorded = driver, False
