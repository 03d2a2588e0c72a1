"""``python -m xarr info``: which devices there are, and why others are not."""

from __future__ import annotations

import argparse
import sys

from xarr.backends.device import default_device, devices, problems
from xarr.compiler.cache import disk_cache


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 1 when there is no device."""
    parser = argparse.ArgumentParser(prog="python -m xarr", description=__doc__)
    parser.add_argument("command", choices=["info"], help="describe devices, drivers and cache")
    parser.parse_args(arguments)
    print(info())
    return 0 if devices() else 1


def info() -> str:
    """Devices, drivers and memory; each backend's problems; the default device; the cache."""
    lines = []
    found = devices()
    for one in found:
        about = one.info
        memory = "shared with the host" if about.shares_host_memory else "its own"
        lines += [
            f"{one!s:<12} {about.name} ({about.kind})",
            f"{'':<12} driver   {about.platform}, {about.driver_version}",
            f"{'':<12} memory   {about.memory_nbytes / 2**30:.1f} GiB, {memory}",
            f"{'':<12} float64  {'yes' if about.has_float64 else 'no'}; "
            f"{about.compute_units} compute units",
        ]
    if not found:
        lines.append("no device was found")
    for backend, sentences in problems().items():
        count = sum(one.backend == backend for one in found)
        lines += ["", f"backend {backend}: {count} device{'' if count == 1 else 's'}"]
        lines += [f"  {problem}" for problem in sentences]
    lines += ["", f"default device   {_default()}"]
    cache = disk_cache()
    lines.append(f"kernel cache     {cache.directory} ({cache.nbytes / 2**20:.1f} MiB)")
    return "\n".join(lines)


def _default() -> str:
    try:
        return repr(default_device())
    except (RuntimeError, ValueError) as error:
        return f"none: {error}"


if __name__ == "__main__":
    sys.exit(main())
