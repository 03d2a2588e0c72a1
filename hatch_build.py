"""Compiles the core where a C compiler is; elsewhere the same files run as they are.

Wheels get their docstrings from hatch_docs.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("xarr")
NOTE = PACKAGE / "compiled"
"""In a checkout, the sources that were compiled: `xarr/interpreted.py` compares them."""
OPTIONS = ["-O2", "-g0"] if os.name == "posix" else []


class CustomBuildHook(BuildHookInterface[Any]):
    """Puts the compiled core into a wheel, or beside its source where that is edited.

    A wheel also has complete docstrings in its sources, for editors. Where there is no compiler, or
    the package cannot be imported, a warning says what is missing; the wheel works all the same.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it, unless XARR_PURE=1, or say why not."""
        os.chdir(self.root)
        is_pure = os.environ.get("XARR_PURE") == "1"
        sources = sorted(file.with_suffix(".py") for file in PACKAGE.glob("*/*.pxd"))
        text = b"".join(
            file.read_bytes() for source in sources for file in (source, source.with_suffix(".pxd"))
        )
        libraries = [source.with_suffix(EXTENSION_SUFFIXES[0]) for source in sources]
        if version == "editable":
            if not is_pure and _are_there(libraries, text):
                return
            for old in (*PACKAGE.glob("*/*.so"), *PACKAGE.glob("*/*.pyd"), NOTE):
                old.unlink(missing_ok=True)  # not written over: a process may have it open
        # A new one each time: what is left of another build would be taken by its time.
        self.folder = TemporaryDirectory()
        if version != "editable":
            self._write_docstrings(Path(self.folder.name, "docs"), build_data["force_include"])
        if is_pure:
            return
        if (problem := _compile(sources, self.folder.name)) is not None:
            self.app.display_warning(
                f"the core runs interpreted, as it was not compiled: {problem}"
            )
        elif version == "editable":
            NOTE.write_bytes(text)
            for library in libraries:
                shutil.copy(self.folder.name / library, library)
        else:
            build_data.update(pure_python=False, infer_tag=True)
            for library in libraries:
                build_data["force_include"][str(self.folder.name / library)] = library.as_posix()

    def _write_docstrings(self, folder: Path, included: dict[str, str]) -> None:
        """Put the sources that hatch_docs.py changes in place of those of the checkout."""
        done = subprocess.run(
            [sys.executable, "-B", "hatch_docs.py", str(folder)],
            env={**os.environ, "XARR_PURE": "1"},
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            self.app.display_warning(
                "editors show the docstrings without what `help` adds, as the package was not "
                f"imported: {done.stderr}"
            )
        else:
            for file in folder.rglob("*.py"):
                included[str(file)] = file.relative_to(folder).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the compilers wrote."""
        if hasattr(self, "folder"):
            self.folder.cleanup()


def _are_there(libraries: list[Path], text: bytes) -> bool:
    """Return whether these sources were compiled for this Python, and by this file."""
    if not (NOTE.exists() and NOTE.read_bytes() == text):
        return False
    made = Path(__file__).stat().st_mtime
    return all(library.exists() and library.stat().st_mtime > made for library in libraries)


def _compile(sources: list[Path], folder: str) -> Exception | None:
    """Compile the core into a folder; return what a C compiler has against it."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.errors import CCompilerError, ExecError, PlatformError

    modules = [
        Extension(".".join(source.with_suffix("").parts), [source.as_posix()],
                  extra_compile_args=OPTIONS) for source in sources
    ]  # fmt: skip
    modules = cythonize(modules, build_dir=folder, language_level=3, quiet=True)
    command: Any = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = command.build_temp = folder
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    try:
        command.run()
    except (CCompilerError, ExecError, PlatformError) as error:
        return error
    return None
