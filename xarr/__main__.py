"""The commands: ``python -m xarr info``, ``doctor``, ``bench``, ``warm`` and ``run program.py``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from xarr import core
from xarr.backends.device import default_device, devices, get_device, problems
from xarr.cache import disk_cache
from xarr.core import why_interpreted
from xarr.core.tape import IS_COMPILED
from xarr.running import bench, doctor, program, warm

_USAGE = """\
usage: python -m xarr info
       python -m xarr doctor
       python -m xarr bench [picture]
       python -m xarr warm [device]
       python -m xarr run [--report] [--compare] program.py [arguments]
       python -m xarr run [--report] [--compare] -m module [arguments]

info        describes devices, drivers and the cache, and says why other devices are not there
doctor      lets each device compute, copy and call its libraries; status 1 where one fails
bench       measures the default device beside NumPy, in half a minute; picture: bench.png
warm        compiles common kernels for a device, as "cupy:0", or for the default one
run         runs a program that imports numpy with xarr in its place
--report    says at the end which lines moved values, what was launched and how long it took
--compare   says at the end how long it took, and how long on NumPy, where it runs as well
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 2 for a wrong one."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["info"]:
        _say(info())
        return 0 if devices() else 1
    if given == ["doctor"]:
        lines, works = doctor.report()
        _say("\n".join([info(), "", *lines]).rstrip())
        return 0 if works else 1
    if given and given[0] == "bench":
        return _bench(given[1:])
    if given and given[0] == "warm":
        return _warm(given[1:])
    if given and given[0] == "run":
        return _run(given[1:])
    if given in (["-h"], ["--help"]):
        _say(_USAGE.rstrip())
        return 0
    return _refused("a command is needed" if not given else f"there is no {' '.join(given)!r}")


def _bench(given: list[str]) -> int:
    if len(given) > 1:
        return _refused("bench takes one file")
    lines, agrees = bench.report(Path(given[0] if given else "bench.png"), bench.SECONDS)
    _say("\n".join(lines))
    return 0 if agrees else 1


def _warm(given: list[str]) -> int:
    if len(given) > 1:
        return _refused("warm takes one device")
    try:
        device = get_device(given[0] if given else None)
    except (ValueError, RuntimeError) as error:
        print(f"python -m xarr warm: {error}", file=sys.stderr)
        return 2
    _say(warm.warm(device))
    return 0


def _run(given: list[str]) -> int:
    options = {"--report": False, "--compare": False}
    module = ""
    while given and given[0].startswith("-"):
        option, *given = given
        if option == "-m" and given:
            module, *given = given
            break
        if option not in options:
            return _refused(f"run has no option {option}")
        options[option] = True
    if not module and not given:
        return _refused("run needs a program")
    try:
        return program.run(
            given, module=module, report=options["--report"], compare=options["--compare"]
        )
    except FileNotFoundError as error:
        print(f"python -m xarr run: {error}", file=sys.stderr)
        return 2


def _say(text: str) -> None:
    """Print a text, of which a reader may take some lines and leave, as `head` does."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes at its end


def _refused(why: str) -> int:
    print(f"python -m xarr: {why}\n{_USAGE}", end="", file=sys.stderr)
    return 2


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
    lines += ["", f"core             {_core()}", f"default device   {_default()}"]
    cache = disk_cache()
    lines.append(f"kernel cache     {cache.directory} ({cache.nbytes / 2**20:.1f} MiB)")
    return "\n".join(lines)


def _core() -> str:
    if IS_COMPILED:
        return "compiled"
    remedy = "python -m pip install -v --editable . does so in a clone, or says why not"
    why = why_interpreted or f"it was not compiled in {Path(core.__path__[0])}: {remedy}"
    return f"interpreted ({why})"


def _default() -> str:
    try:
        return repr(default_device())
    except (RuntimeError, ValueError) as error:
        return f"none: {error}"


if __name__ == "__main__":
    sys.exit(main())
