"""The commands: ``python -m xarr info``, ``doctor``, ``bench``, ``warm`` and ``run program.py``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from xarr import installed  # first: the files may be another project's
from xarr.backends.device import default_device, devices, get_device, problems
from xarr.cache import DISK
from xarr.interpreted import why_interpreted
from xarr.memo import tables
from xarr.numpy_runner import bench, doctor, program, warm
from xarr.tape.tape import IS_COMPILED


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 2 for a wrong one."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as ended:  # after a help text, or what is wrong
        return int(ended.code or 0)
    status: int = options.act(options)
    return status


def _parser() -> argparse.ArgumentParser:
    """Make the parser of the command line; `act` of what it finds runs the command."""
    about = "Say what xarr runs on, measure it, or run a program that imports numpy with it."
    parser = argparse.ArgumentParser("python -m xarr", description=about, allow_abbrev=False)
    commands = parser.add_subparsers(
        title="commands",
        metavar="COMMAND",
        required=True,
        description="python -m xarr COMMAND --help describes one.",
    )

    def command(
        name: str, act: Callable[[argparse.Namespace], int], summary: str, more: str = ""
    ) -> argparse.ArgumentParser:
        text = f"{summary[0].upper()}{summary[1:]}.{more and ' '}{more}"
        added = commands.add_parser(name, help=summary, description=text, allow_abbrev=False)
        added.set_defaults(act=act)
        return added

    command(
        *("info", _info, "describe devices, drivers and the cache"),
        "Says of each backend without a device why it has none. Status 1 where there is no device.",
    )
    command(
        *("doctor", _doctor, "let each device compute, copy and call its libraries"),
        "Begins with what info says, ends with advice. Status 1 where something fails.",
    )
    measure = command(
        *("bench", _bench, "measure the default device beside NumPy"),
        "Takes half a minute. Status 1 where a result is not NumPy's.",
    )
    measure.add_argument(
        "picture",
        nargs="?",
        default="bench.png",
        help="the file of the picture, if matplotlib is there; %(default)s if none is named",
    )
    compile_ = command("warm", _warm, "compile the kernels that most programs use")
    compile_.add_argument("device", nargs="?", help='a device, as "cupy:0"; else the default one')
    run = command(
        *("run", _run, "run a program that imports numpy, with xarr in its place"),
        "The status is the program's.",
    )
    run.usage = "python -m xarr run [--report] [--compare] [-m] PROGRAM [ARGUMENT ...]"
    run.add_argument(
        "--report",
        action="store_true",
        help="say at the end which lines moved values, and what was launched",
    )
    run.add_argument(
        "--compare",
        action="store_true",
        help="run it on NumPy as well, without its output, and say at the end how long each took",
    )
    run.add_argument(
        "-m", dest="is_module", action="store_true", help="PROGRAM is a module, as for python -m"
    )
    run.add_argument(
        "program",
        nargs=argparse.REMAINDER,  # what stands behind its name are its own arguments
        metavar="PROGRAM",
        help="the program's file or module, and its arguments",
    )
    return parser


def _info(options: argparse.Namespace) -> int:
    _say(info())
    return 0 if devices() else 1


def _doctor(options: argparse.Namespace) -> int:
    lines, works = doctor.report()
    _say("\n".join([info(), "", *lines]).rstrip())
    return 0 if works else 1


def _bench(options: argparse.Namespace) -> int:
    lines, agrees = bench.report(Path(options.picture), bench.SECONDS)
    _say("\n".join(lines))
    return 0 if agrees else 1


def _warm(options: argparse.Namespace) -> int:
    try:
        device = get_device(options.device)
    except (ValueError, RuntimeError) as error:
        return _refused("warm", error)
    _say(warm.warm(device))
    return 0


def _run(options: argparse.Namespace) -> int:
    if not options.program:
        return _refused("run", "a program must be given")
    module, *given = options.program if options.is_module else ["", *options.program]
    try:
        return program.run(given, module=module, report=options.report, compare=options.compare)
    except FileNotFoundError as error:
        return _refused("run", error)


def _say(text: str) -> None:
    """Print a text, of which a reader may take some lines and leave, as `head` does."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes at its end


def _refused(command: str, why: object) -> int:
    print(f"python -m xarr {command}: {why}", file=sys.stderr)
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
    lines += ["", f"package          {installed.FOLDER}"]
    if other := installed.other_project():
        lines.append(f"another project  {other}; {installed.REMEDY}")
    lines += [f"core             {_core()}", f"default device   {_default()}"]
    lines.append(f"kernel cache     {DISK.directory} ({DISK.nbytes / 2**20:.1f} MiB)")
    if remembered := tables():
        lines += ["", f"{'remembered':<40} entries    most   bytes"]
    lines += [f"  {name:<38} {count:7} {most:7} {size:7}" for name, count, most, size in remembered]
    return "\n".join(lines)


def _core() -> str:
    if IS_COMPILED:
        return "compiled"
    remedy = "python -m pip install -v --editable . does so in a clone, or says why not"
    why = why_interpreted or f"it was not compiled in {Path(__file__).parent}: {remedy}"
    return f"interpreted ({why})"


def _default() -> str:
    try:
        return repr(default_device())
    except (RuntimeError, ValueError) as error:
        return f"none: {error}"


if __name__ == "__main__":
    sys.exit(main())
