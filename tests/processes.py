"""Programs of Python that run in processes of their own, as a user starts them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

LIMIT_SECONDS = 600
"""A program that runs for longer hangs."""

needs_pocl = pytest.mark.skipif(
    importlib.util.find_spec("pocl_binary_distribution") is None,
    reason="PoCL's wheel is not installed",
)


def with_root(given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which Python imports this checkout's modules before others."""
    paths = [str(ROOT), given.get("PYTHONPATH", "")]
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the processes of a run share, in which the first one makes something."""
    fcntl: Any = pytest.importorskip("fcntl", reason="the processes of a run share no locks")
    base = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / f"{name}.made").exists():
            make(folder)
            (base / f"{name}.made").touch()
    return folder


def start(
    *arguments: str, cwd: Path | None = None, stdin: bool = False, **environment: str
) -> subprocess.Popen[str]:
    """Start Python with arguments, in a folder, with some variables of the environment changed."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**with_root(os.environ), **environment},
        stdin=subprocess.PIPE if stdin else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    *arguments: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    with start(*arguments, cwd=cwd, **environment) as process:
        try:
            out, problems = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, problems)


def run_code(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run lines of Python, which may be indented."""
    return run("-c", textwrap.dedent(code), **environment)


def checked(code: str) -> None:
    """Run lines of Python whose assertions have to hold."""
    done = run_code(code)
    assert done.returncode == 0, done.stderr
