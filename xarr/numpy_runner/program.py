"""A program run as Python runs it: its arguments, `__main__`, exit status and tracebacks."""

from __future__ import annotations

import builtins
import importlib.util
import io
import runpy
import subprocess
import sys
import tempfile
import types
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Final

from xarr.numpy_runner import fallback, imports
from xarr.numpy_runner.imports import Substitution
from xarr.numpy_runner.report import Report

_TIMED: Final = """\
import sys, time, runpy, numpy
target, module, *sys.argv = sys.argv[1:]
sys.path[0] = {first!r}
begin = time.perf_counter(), time.process_time()
try:
    if module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    with open(target, "w") as file:
        print(time.perf_counter() - begin[0], time.process_time() - begin[1], file=file)
"""
"""The script that times a program on NumPy in another process, without the import of numpy."""


def run(
    arguments: Sequence[str], *, module: str = "", report: bool = False, compare: bool = False
) -> int:
    """Run a script or a module; the exit status.

    arguments : sequence of str -- The script and its arguments; of a module the arguments alone.
    module : str -- The module, where it is not a script.
    report, compare : bool
        Whether a report is written to the standard error at the end; whether the program runs on
        NumPy as well for it, with its output thrown away.
    """
    script = None if module else Path(arguments[0])
    first = str(Path.cwd()) if script is None else str(script.resolve().parent)
    folder = _folder_of(module) if script is None else script.resolve().parent
    arguments = [module, *arguments] if script is None else list(arguments)
    with ExitStack() as stack:
        stack.callback(_restore, sys.argv, sys.path[0], sys.modules["__main__"])
        substitution = stack.enter_context(Substitution(folder))
        watching = Report(substitution.owns, detailed=report)
        sys.argv, sys.path[0] = arguments, first
        try:
            if report or compare:
                with watching:
                    status = _execute(script, module)
            else:
                status = _execute(script, module)
        finally:
            if report or compare:
                theirs = _on_numpy(arguments, module, first) if compare else None
                sys.stdout.flush()
                sys.stderr.write(watching.text(theirs))
    return status


def _restore(argv: list[str], first: str, main: types.ModuleType) -> None:
    sys.argv, sys.path[0], sys.modules["__main__"] = argv, first, main


def _folder_of(module: str) -> Path:
    """The folder of a module, or of the package that it is in."""
    spec = importlib.util.find_spec(module.partition(".")[0])
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"no module named {module}")
    return Path(spec.origin).resolve().parent


def _execute(script: Path | None, module: str) -> int:
    """The exit status of a program; what it raises is shown as Python shows it."""
    try:
        if script is None:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            path = str(script.resolve())
            with io.open_code(path) as file:
                text = file.read()
            main = types.ModuleType("__main__")
            vars(main).update(
                __file__=path,
                __builtins__=builtins,
                __cached__=None,
                __loader__=SourceFileLoader("__main__", path),
            )
            sys.modules["__main__"] = main
            exec(compile(text, path, "exec"), vars(main))
    except SystemExit:
        raise
    except FileNotFoundError as error:
        if script is not None and error.filename == str(script.resolve()):
            raise
        return _show(error)
    except BaseException as error:  # noqa: BLE001 - as Python does with what a program raises
        return _show(error)
    return 0


def _show(error: BaseException) -> int:
    trace = error.__traceback__
    while trace is not None and _is_ours(trace):
        trace = trace.tb_next
    inner = trace
    while inner is not None:
        if inner.tb_next is not None and _is_ours(inner.tb_next):
            inner.tb_next = inner.tb_next.tb_next
        else:
            inner = inner.tb_next
    sys.stdout.flush()
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _is_ours(trace: types.TracebackType) -> bool:
    """Whether a line of a traceback is of what runs the program, or imports for it."""
    file = trace.tb_frame.f_code.co_filename
    return file in (__file__, fallback.__file__, imports.__file__, runpy.__file__, "<frozen runpy>")


def _on_numpy(arguments: list[str], module: str, first: str) -> tuple[float, float] | None:
    """The wall and CPU seconds that a program takes on NumPy; None where it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "seconds"
        code = _TIMED.format(first=first)
        subprocess.run(
            [sys.executable, "-c", code, str(target), module, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if not target.exists():
            return None
        wall, cpu = map(float, target.read_text().split())
        return wall, cpu
