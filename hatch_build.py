"""Compiles the core where a C compiler is; elsewhere the same file runs as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.errors import CCompilerError, ExecError, PlatformError

MODULE = "xarr.core.tape"
OPTIONS = ["-O1", "-g0"] if os.name == "posix" else []


class CustomBuildHook(BuildHookInterface):
    """Puts the compiled core into a wheel, or beside its source where that is edited."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it, unless XARR_PURE=1, or say why not."""
        folder = Path(self.root, *MODULE.split(".")[:-1])
        for old in (*folder.glob("tape.*.so"), *folder.glob("tape.*.pyd"), folder / "compiled"):
            old.unlink(missing_ok=True)
        if self.target_name != "wheel" or os.environ.get("XARR_PURE") == "1":
            return
        source = folder / "tape.py"
        os.chdir(self.root)
        name = str(source.relative_to(self.root))
        modules = cythonize(
            [Extension(MODULE, [name], extra_compile_args=OPTIONS)],
            build_dir="build/c",
            language_level=3,
            quiet=True,
        )
        command: Any = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        command.inplace = version == "editable"
        command.build_lib, command.build_temp = "build/lib", "build/temp"
        command.ensure_finalized()
        try:
            command.run()
        except (CCompilerError, ExecError, PlatformError) as error:
            self.app.display_warning(f"the core runs interpreted, as it was not compiled: {error}")
            return
        build_data.update(pure_python=False, infer_tag=True)
        if command.inplace:
            (folder / "compiled").write_bytes(source.read_bytes())
            return
        for file in command.get_outputs():
            build_data["force_include"][file] = str(Path(file).relative_to("build/lib"))
