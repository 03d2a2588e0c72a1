"""Compiles the core where a C compiler is; elsewhere the same file runs as it is."""

from __future__ import annotations

import os
import shutil
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("xarr/core/tape.py")
LIBRARY = SOURCE.with_suffix(EXTENSION_SUFFIXES[0])
NOTE = SOURCE.with_name("compiled")
"""In a checkout, the source that was compiled: `xarr/core/__init__.py` compares it."""
OPTIONS = ["-O1", "-g0"] if os.name == "posix" else []


class CustomBuildHook(BuildHookInterface[Any]):
    """Puts the compiled core into a wheel, or beside its source where that is edited."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it, unless XARR_PURE=1, or say why not."""
        os.chdir(self.root)
        is_pure = os.environ.get("XARR_PURE") == "1"
        text = SOURCE.read_bytes()
        if version == "editable":
            if not is_pure and _is_there(text):
                return
            for old in (*SOURCE.parent.glob("tape.*.so"), *SOURCE.parent.glob("tape.*.pyd"), NOTE):
                old.unlink(missing_ok=True)  # not written over: a process may have it open
        if is_pure:
            return
        # A new one each time: what is left of another build would be taken by its time.
        self.folder = TemporaryDirectory()
        if (problem := _compile(self.folder.name)) is not None:
            self.app.display_warning(
                f"the core runs interpreted, as it was not compiled: {problem}"
            )
        elif version == "editable":
            NOTE.write_bytes(text)
            shutil.copy(self.folder.name / LIBRARY, LIBRARY)
        else:
            build_data.update(pure_python=False, infer_tag=True)
            build_data["force_include"][str(self.folder.name / LIBRARY)] = LIBRARY.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the compilers wrote."""
        if hasattr(self, "folder"):
            self.folder.cleanup()


def _is_there(text: bytes) -> bool:
    """Whether this source was compiled for this Python, and by this file."""
    if not (LIBRARY.exists() and NOTE.exists() and NOTE.read_bytes() == text):
        return False
    return LIBRARY.stat().st_mtime > Path(__file__).stat().st_mtime


def _compile(folder: str) -> Exception | None:
    """Compile the core into a folder; what a C compiler has against it."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.errors import CCompilerError, ExecError, PlatformError

    module = Extension(
        ".".join(SOURCE.with_suffix("").parts), [SOURCE.as_posix()], extra_compile_args=OPTIONS
    )
    modules = cythonize([module], build_dir=folder, language_level=3, quiet=True)
    command: Any = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = command.build_temp = folder
    command.ensure_finalized()
    try:
        command.run()
    except (CCompilerError, ExecError, PlatformError) as error:
        return error
    return None
