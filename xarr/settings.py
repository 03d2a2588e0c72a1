"""The environment variables of xarr, read here and nowhere else.

They are read once: some when xarr is imported (`IMPORTED`), the others at first use. What changes
in the environment later has no effect.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from xarr.errors import value_error

_SWITCH: Final = dict.fromkeys(("1", "true", "yes", "on"), True)
_SWITCH.update(dict.fromkeys(("0", "false", "no", "off"), False))


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
        XARR_CC: the command of the C compiler for ``cpu:0``; with ``none`` there is no ``cpu:0``.
    cc_flags : str or None
        XARR_CC_FLAGS: further options for that compiler, such as ``-g -fsanitize=address``.
    dump_source : str or None
        XARR_DUMP_SOURCE: a directory to which the source of every compiled kernel is written.
    inline : bool
        XARR_INLINE: with ``0``, PoCL's threads run small work too; by default the calling thread
        runs it.
    kernel_debug : bool
        XARR_KERNEL_DEBUG: with ``1``, kernels by threads run in Python, item by item, with bounds
        checks.
    pure : bool
        XARR_PURE: with ``1``, the core runs interpreted even if it is compiled, and an installation
        does not compile it.
    random : str or None
        XARR_RANDOM: with ``numpy``, random numbers are NumPy's, drawn on the host.
    reproducible : bool
        XARR_REPRODUCIBLE: xarr's own kernels compute instead of libraries; see `xarr.reproducible`.
    threads : int or None
        XARR_THREADS: the number of threads of ``cpu:0`` that share large work, 1 or more.
    tiers : str or None
        XARR_TIERS: with ``fused``, all operations wait for fused kernels; with ``hosted``, NumPy
        computes all operations for which it has the same bits. By default NumPy begins, on a CPU,
        and another process compiles kernels for operations that are repeated.
    verify : bool
        XARR_VERIFY: check the scheduler's list after each pass; for work on xarr itself.
    """

    device: str | None = None
    cache_dir: str | None = None
    cc: str | None = None
    cc_flags: str | None = None
    eager: bool = False
    dump_source: str | None = None
    inline: bool = True
    kernel_debug: bool = False
    pure: bool = False
    random: str | None = None
    reproducible: bool = False
    threads: int | None = None
    tiers: str | None = None
    verify: bool = False

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings that `environment` holds; ValueError for a value that has no meaning.

        An empty value is the same as none.
        """
        given = {name: value for name, value in environment.items() if value.strip()}
        return cls(
            device=given.get("XARR_DEVICE"),
            cache_dir=given.get("XARR_CACHE_DIR"),
            cc=given.get("XARR_CC"),
            cc_flags=_options(given, "XARR_CC_FLAGS"),
            eager=_is_on(given, "XARR_EAGER", default=False),
            dump_source=given.get("XARR_DUMP_SOURCE"),
            inline=_is_on(given, "XARR_INLINE", default=True),
            kernel_debug=_is_on(given, "XARR_KERNEL_DEBUG", default=False),
            pure=_is_on(given, "XARR_PURE", default=False),
            random=_one_of(given, "XARR_RANDOM", "numpy"),
            reproducible=_is_on(given, "XARR_REPRODUCIBLE", default=False),
            threads=_count(given, "XARR_THREADS"),
            tiers=_one_of(given, "XARR_TIERS", "fused", "hosted"),
            verify=_is_on(given, "XARR_VERIFY", default=False),
        )


def _is_on(given: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Read a switch."""
    word = given.get(name, str(default)).strip().lower()
    if word not in _SWITCH:
        raise value_error(name, f"it is {given[name]!r}", f"it must be one of {', '.join(_SWITCH)}")
    return _SWITCH[word]


def _one_of(given: Mapping[str, str], name: str, *accepted: str) -> str | None:
    """Read a word."""
    value = given.get(name)
    if value is not None and value not in accepted:
        raise value_error(name, f"it is {value!r}", f"it must be {' or '.join(accepted)}, or unset")
    return value


def _count(given: Mapping[str, str], name: str) -> int | None:
    """Read a number of things, 1 or more."""
    value = given.get(name)
    if value is not None and not (value.strip().isdecimal() and int(value) > 0):
        raise value_error(name, f"it is {value!r}", "it must be an integer, 1 or more")
    return None if value is None else int(value)


def _options(given: Mapping[str, str], name: str) -> str | None:
    """Read options of a command, which have to be words as a shell has them."""
    value = given.get(name)
    try:
        shlex.split(value or "")
    except ValueError as error:  # a quotation mark that nothing closes
        raise value_error(
            name, f"it is {value!r} ({error})", "it must be a shell's words"
        ) from error
    return value


_FOUND: Final[list[Settings]] = []


def settings() -> Settings:
    """Return the settings of this process, read at the first call."""
    if not _FOUND:
        _FOUND.append(Settings.read(os.environ))
    return _FOUND[0]


IMPORTED: Final = Settings.read(os.environ)
"""The settings at import: cache_dir, eager, pure, random, reproducible, tiers and verify."""
