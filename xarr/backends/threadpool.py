"""The threads of ``cpu:0`` as threadpoolctl, if it is installed, sees them."""

from __future__ import annotations

from typing import Any

import threadpoolctl


class Threads(threadpoolctl.LibController):  # type: ignore[misc]
    """The library of the threads, which threadpoolctl finds by the name of its file."""

    user_api = "xarr"
    internal_api = "xarr"
    filename_prefixes = ("xarr_threads",)
    check_symbols = ("xarr_get_num_threads", "xarr_set_num_threads")

    def get_num_threads(self) -> int:
        """The number of threads that share large work."""
        return int(self.dynlib.xarr_get_num_threads())

    def set_num_threads(self, num_threads: int) -> Any:
        """Set the number of threads that share large work."""
        return self.dynlib.xarr_set_num_threads(num_threads)

    def get_version(self) -> None:
        """None: it is xarr's."""


threadpoolctl.register(Threads)
