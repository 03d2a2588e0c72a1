"""The environment variables of xarr, read here and nowhere else.

They are read once: some when xarr is imported (`IMPORTED`), the others at first use. What changes
in the environment later has no effect.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_FALSE = ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings from environment variables.

    Attributes
    ----------
    device : str or None
        XARR_DEVICE: the default device, for example ``opencl:1``.
    cache_dir : str or None
        XARR_CACHE_DIR: the directory of compiled kernels.
    eager : bool
        XARR_EAGER: run each operation at once.
    cc : str or None
        XARR_CC: the command of the C compiler that ``cpu:0`` needs; ``none`` does without.
    cc_flags : str or None
        XARR_CC_FLAGS: further options for it, as ``-g -fsanitize=address``.
    dump_source : str or None
        XARR_DUMP_SOURCE: a directory to which the source of every compiled kernel is written.
    inline : bool
        XARR_INLINE: with ``0``, PoCL's threads get small work too; else it runs in the thread that
        asks for it.
    pure : bool
        XARR_PURE: with ``1``, the core runs interpreted, though it was compiled; where xarr is
        built, it is not compiled.
    random : str or None
        XARR_RANDOM: with ``numpy``, random numbers are drawn on the host, the same as NumPy's.
    reproducible : bool
        XARR_REPRODUCIBLE: no library computes what xarr's own kernels can; see `xarr.reproducible`.
    threads : str or None
        XARR_THREADS: how many threads of ``cpu:0`` share large work, 1 or more.
    tiers : str or None
        XARR_TIERS: with ``fused``, what is asked for waits until its kernels are compiled; with
        ``hosted``, NumPy computes in a CPU's buffers what it can, and there are no such kernels.
        Without either, what comes again gets its kernels, which are compiled beside it.
    """

    device: str | None = None
    cache_dir: str | None = None
    cc: str | None = None
    cc_flags: str | None = None
    eager: bool = False
    dump_source: str | None = None
    inline: bool = True
    pure: bool = False
    random: str | None = None
    reproducible: bool = False
    threads: str | None = None
    tiers: str | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """The settings that `environment` holds."""
        return cls(
            device=environment.get("XARR_DEVICE") or None,
            cache_dir=environment.get("XARR_CACHE_DIR") or None,
            cc=environment.get("XARR_CC") or None,
            cc_flags=environment.get("XARR_CC_FLAGS") or None,
            eager=_is_on(environment.get("XARR_EAGER", "")),
            dump_source=environment.get("XARR_DUMP_SOURCE") or None,
            inline=_is_on(environment.get("XARR_INLINE") or "1"),
            pure=_is_on(environment.get("XARR_PURE", "")),
            random=environment.get("XARR_RANDOM") or None,
            reproducible=_is_on(environment.get("XARR_REPRODUCIBLE", "")),
            threads=environment.get("XARR_THREADS") or None,
            tiers=environment.get("XARR_TIERS") or None,
        )


def _is_on(value: str) -> bool:
    return value.strip().lower() not in _FALSE


@functools.cache
def settings() -> Settings:
    """The settings of this process."""
    return Settings.read(os.environ)


IMPORTED: Final = Settings.read(os.environ)
"""The settings at import, for `eager`, `pure`, `random`, `reproducible` and `tiers`."""
