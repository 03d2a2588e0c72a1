"""Which of NVIDIA's libraries are there, and what of theirs a device keeps: handles and plans.

nvmath is imported here alone, at first use. Knows neither calls nor the memory that they need.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import tuning

if TYPE_CHECKING:
    from xarr.backends.cuda import CudaDriver

Integers = tuple[int, ...]


class Plan(NamedTuple):
    """A transform of cuFFT's, all of it in elements: what it is looked up by.

    `kind` is "C2C", "R2C" or "C2R", in double precision "Z2Z", "D2Z" or "Z2D". Of the operand and
    the result, `embed` is the shape in which a signal lies, `step` the distance of its neighbours
    along the last axis, `distance` that of one signal from the next.
    """

    kind: str
    lengths: Integers
    given_embed: Integers
    given_step: int
    given_distance: int
    made_embed: Integers
    made_step: int
    made_distance: int
    batch: int


class Handles:
    """The handles and plans of one device."""

    def __init__(self, driver: CudaDriver) -> None:
        self.driver = driver
        self._handles: dict[str, int] = {}
        self._plans: dict[Plan, tuple[int, int]] = {}

    def handle(self, name: str, stream: int) -> tuple[Any, int]:
        """The bindings of cuBLAS or cuSOLVER, and the device's handle, set to a stream."""
        bindings = bindings_of(name)
        if name not in self._handles:
            self._handles[name] = bindings.create()
        bindings.set_stream(self._handles[name], stream)
        return bindings, self._handles[name]

    def plan(self, key: Plan) -> tuple[int, int]:
        """The handle of a plan, and the bytes of the workspace that it needs."""
        cufft = bindings_of("cufft")
        made = self._plans.pop(key, None)
        if made is None:
            handle = cufft.create()
            try:
                cufft.set_auto_allocation(handle, 0)
                nbytes = cufft.make_plan_many64(
                    handle,
                    len(key.lengths),
                    *(key.lengths, key.given_embed, key.given_step, key.given_distance),
                    *(key.made_embed, key.made_step, key.made_distance),
                    *(int(cufft.Type[key.kind]), key.batch),
                )
            except cufft.cuFFTError:
                cufft.destroy(handle)
                raise
            made = handle, nbytes
            if len(self._plans) == tuning.PLANS:
                oldest, _ = self._plans.pop(next(iter(self._plans)))
                cufft.destroy(oldest)
        self._plans[key] = made  # the latest last
        return made


def bindings_of(name: str) -> Any:
    """The module of nvmath for a library."""
    return importlib.import_module(f"nvmath.bindings.{name}")


_VERSIONS: Final[dict[str, tuple[str, Callable[[], Any]]]] = {
    "cublas": ("cuBLAS", lambda: bindings_of("cublas").get_property(0)),
    "cufft": ("cuFFT", lambda: bindings_of("cufft").get_version()),
    "cusolverDn": ("cuSOLVER", lambda: bindings_of("cusolver").get_version()),
}
"""The libraries: what they are called, and a question that only a library that is there answers."""


def present(*names: str) -> bool:
    """Whether nvmath is there and finds libraries of NVIDIA's."""
    try:
        return all(_VERSIONS[name][1]() for name in names)
    except (ImportError, RuntimeError):  # of nvmath's, where it loads no library
        return False


def failures() -> tuple[type[Exception], ...]:
    """The exceptions of the bindings for a library's failure."""
    names = (("cublas", "cuBLASError"), ("cufft", "cuFFTError"), ("cusolver", "cuSOLVERError"))
    return tuple(getattr(bindings_of(module), name) for module, name in names)


def missing() -> str:
    """Name the library of NVIDIA's that is not used, and the package that it lacks."""
    if importlib.util.find_spec("nvmath") is None:
        return "nvmath-python is not installed, so that NVIDIA's libraries are not used"
    absent = [title for name, (title, _) in _VERSIONS.items() if not present(name)]
    if not absent:
        return ""
    return f"nvmath-python finds no {', '.join(absent)}: its extra cu13 (or cu12) is not installed"
