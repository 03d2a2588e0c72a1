"""Interception of a driver's calls: for graphs, which repeat them, and for profiles.

Other functions stand in the place of a driver's methods meanwhile, so that nobody who asks a driver
has to look whether somebody listens.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from xarr.backends.base import Call, Driver
from xarr.errors import message

if TYPE_CHECKING:
    from xarr.backends.device import Device

Asked = Callable[..., Any]

_REFUSED: Final = ("download", "map", "address")
_ABSENT: Final = ("routine", "arrays", "window")


class _Layer:
    """Functions in the place of a driver's methods, and what was there before."""

    def __init__(self, methods: Callable[[], Mapping[str, Asked]]) -> None:
        self._methods = methods
        self._names: tuple[str, ...] = ()
        self._before: dict[str, Any] = {}

    def put(self, own: dict[str, Any]) -> None:
        methods = self._methods()
        self._names = tuple(methods)
        self._before = {name: own[name] for name in methods if name in own}
        own.update(methods)

    def take(self, own: dict[str, Any]) -> None:
        for name in self._names:
            del own[name]
        own.update(self._before)


_layers: Final = dict[Driver, list[_Layer]]()


@contextlib.contextmanager
def replaced(driver: Driver, methods: Callable[[], Mapping[str, Asked]]) -> Iterator[None]:
    """Have other functions in the place of a driver's methods within a ``with`` block.

    Blocks may end in any order, so `methods` makes the functions anew where one below has ended.
    Whoever enters or leaves a block holds the device's lock.
    """
    own, layers, layer = vars(driver), _layers.setdefault(driver, []), _Layer(methods)
    layer.put(own)
    layers.append(layer)
    try:
        yield
    finally:
        at = layers.index(layer)
        for one in reversed(layers[at:]):
            one.take(own)
        del layers[at]
        for one in layers[at:]:
            one.put(own)


def around(
    driver: Driver,
    names: Iterable[str],
    do: Callable[[str, Asked, tuple[Any, ...], dict[str, Any]], Any],
) -> dict[str, Asked]:
    """Substitutes of methods: `do` is given the name, the method, and its arguments.

    What a method asks its own driver for is part of its work, and `do` is not told of it.
    """
    is_within = False

    def method(name: str) -> Asked:
        asked = getattr(driver, name)

        def called(*arguments: Any, **options: Any) -> Any:
            nonlocal is_within
            if is_within:
                return asked(*arguments, **options)
            is_within = True
            try:
                return do(name, asked, arguments, options)
            finally:
                is_within = False

        return called

    return {name: method(name) for name in names}


def _settled(argument: Any) -> Any:
    return tuple(argument) if isinstance(argument, list) else argument


@contextlib.contextmanager
def recording(device: Device) -> Iterator[list[Call]]:
    """Note launches and copies of a device within a ``with`` block, besides having them done.

    The host may read nothing meanwhile: whoever tries is told. Libraries, whose launches are not
    seen here, stand aside, so that xarr's kernels work.
    """
    where = f"graph({str(device)!r})"
    calls: list[Call] = []

    def noted(name: str, asked: Asked, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        asked(*arguments, **options)
        calls.append((name, tuple(map(_settled, arguments))))

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(
            message(
                where,
                "the host reads a value within the block",
                "a graph must work on the device alone",
                "read the value before it or behind it",
            )
        )

    with device.lock:
        driver = device.driver
        if device.is_recorded:
            raise RuntimeError(
                message(where, "a graph is being recorded", "there must be one at a time")
            )
        block = contextlib.ExitStack()
        block.enter_context(
            replaced(
                driver,
                lambda: (
                    around(driver, ("launch", "launch_with", "copy"), noted)
                    | dict.fromkeys(_REFUSED, refuse)
                    | dict.fromkeys(_ABSENT, lambda *_: None)
                    | {"is_open": lambda: False, "stable_addresses": False}
                ),
            )
        )
        device.is_recorded = True
    try:
        yield calls
    finally:
        with device.lock:
            block.close()
            device.is_recorded = False
