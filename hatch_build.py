"""Compiles the modules of xarr/core where a C compiler is; elsewhere they run as they are.

In an editable install each compiled file stands beside its source, and a note beside that: the hash
of the source, which `import xarr` compares, and what compiled it.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import Cython
from Cython.Build import cythonize
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.errors import CCompilerError, ExecError, PlatformError

CORE = Path("xarr", "core")
SUFFIX = EXTENSION_SUFFIXES[0]
OPTIONS = ["-O3", "-g0"] if os.name == "posix" else []


class CoreHook(BuildHookInterface[Any]):
    """Puts the compiled modules into a wheel, or beside their sources where these are edited."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile what is not compiled yet, or say why not."""
        is_pure = runpy.run_path("xarr/settings.py")["Settings"].read(os.environ).pure
        sources = [] if is_pure else sorted(CORE.glob("[!_]*.py"))
        notes = {source: _note(source) for source in sources}
        if version == "editable":
            if sources and all(_is_there(source, note) for source, note in notes.items()):
                return
            for old in CORE.glob(f"*{SUFFIX}*"):
                old.unlink()  # never written over, as a process may have it open
        self._folder = TemporaryDirectory()
        if not sources or not self._compiled(sources):
            return
        for source, note in notes.items():
            file = Path(self._folder.name, _beside(source))
            if version == "editable":
                _beside(source, ".sha256").write_text(note)
                shutil.copy(file, _beside(source))
            else:
                build_data["force_include"][str(file)] = _beside(source).as_posix()
                build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the compiler wrote."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _compiled(self, sources: list[Path]) -> bool:
        """Whether a C compiler made libraries of the sources, in a folder of their own."""
        modules = [
            Extension(
                ".".join(source.with_suffix("").parts),
                [source.as_posix()],
                extra_compile_args=OPTIONS,
            )
            for source in sources
        ]
        made = cythonize(modules, build_dir=self._folder.name, language_level=3, quiet=True)
        command = Distribution({"ext_modules": made}).get_command_obj("build_ext")
        command.build_lib = command.build_temp = self._folder.name
        command.ensure_finalized()
        try:
            command.run()
        except (CCompilerError, ExecError, PlatformError) as error:
            self.app.display_warning(f"xarr's core is not compiled and runs slower: {error}")
            return False
        return True


def _beside(source: Path, more: str = "") -> Path:
    """The compiled file of a source."""
    return source.with_name(source.stem + SUFFIX + more)


def _note(source: Path) -> str:
    """The hash of a source, and what it is compiled with."""
    hashes = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in (source, __file__)]
    return f"{hashes[0]}\ncompiled by Cython {Cython.__version__} and hatch_build.py {hashes[1]}\n"


def _is_there(source: Path, note: str) -> bool:
    file = _beside(source, ".sha256")
    return _beside(source).exists() and file.exists() and file.read_text() == note
