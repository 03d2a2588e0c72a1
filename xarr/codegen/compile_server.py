"""Another process that compiles kernels which nobody waits for.

While PoCL compiles in one thread, its launches in other threads wait, up to 0.1 s each. So kernels
that are compiled beside a program are compiled by a process of its own, which is given sources and
gives binaries back. It is started at the first of them and ends with its parent. Where there can be
none, the parent's own thread compiles.
"""

from __future__ import annotations

import hashlib
import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xarr.errors import CompileError

if TYPE_CHECKING:
    from xarr.backends.device import Device

_LENGTH: Final = struct.Struct("=q")
_NOTHING: Final = """
#ifdef __OPENCL_VERSION__
kernel void nothing(void) {}
#endif
"""
_BEGIN: Final = """
import os, sys
if os.fork():
    os._exit(0)
taken, given, *sys.path[:] = sys.argv[1:]
from xarr.codegen.compile_server import serve
serve(int(taken), int(given))
"""
"""The process is no child of the parent's, which may wait for all its children. It imports modules
from the parent's path, and has pipes of its own, so that no print gets into them."""


class ServerProcess:
    """The compiling process, and the pipes to it. Only one thread uses it.

    Attributes
    ----------
    is_waiting : bool
        Whether the thread waits for an answer.
    is_ending : bool
        Whether nothing is to be compiled any more.
    """

    def __init__(self) -> None:
        self._pipes: tuple[int, int] | None = None
        self._is_absent = not _is_possible()
        self.is_waiting = False
        self.is_ending = False

    def compile(self, device: Device, source: str) -> bytes:
        """Compile a source for a device's driver and return the binary."""
        binary = self._answer(device, source)
        if self.is_ending:
            raise InterruptedError
        # Compile errors are raised here, where they have their text.
        return binary or device.driver.compile(source)

    def start(self, device: Device) -> None:
        """Start the process, so that its compiler is in memory."""
        self._answer(device, _NOTHING)

    def _answer(self, device: Device, source: str) -> bytes:
        """Ask for a binary; return b"" without a process, or where the source does not compile."""
        if self._is_absent or self.is_ending:
            return b""
        try:
            asked, answered = self._pipes or self._start()
            name = str(device).partition("?")[0]
            _send(asked, name.encode(), source.encode())
            self.is_waiting = True
            try:
                digest, binary = _receive(answered), _receive(answered)
            finally:
                self.is_waiting = False
            if digest != _digest(source):
                raise EOFError
        except Exception:  # noqa: BLE001 - this thread can compile instead
            self._is_absent = True
            self.end()
            return b""
        return binary

    def _start(self) -> tuple[int, int]:
        """Start the process and return the pipes to it and from it."""
        taken, asked = os.pipe()
        answered, given = os.pipe()
        self._pipes = asked, answered
        try:
            subprocess.run(
                [sys.executable, "-P", "-c", _BEGIN, str(taken), str(given), *sys.path],
                env={**os.environ, "XARR_TIERS": "fused"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(taken, given),
                check=True,
            )
        finally:
            os.close(taken)
            os.close(given)
        return self._pipes

    def end(self) -> None:
        """Close the pipes, at which the process ends; also in a fork, where it is the parent's."""
        pipes, self._pipes = self._pipes, None
        for pipe in pipes or ():
            os.close(pipe)


def _is_possible() -> bool:
    """Return whether the interpreter can be started; a frozen program would start itself."""
    name = Path(sys.executable or "").name.lower()
    is_python = name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)
    return is_python and hasattr(os, "fork")


def _digest(source: str) -> bytes:
    return hashlib.sha256(source.encode()).digest()


def _send(pipe: int, *contents: bytes) -> None:
    for content in contents:
        rest = memoryview(_LENGTH.pack(len(content)) + content)
        while rest:
            rest = rest[os.write(pipe, rest) :]


def _receive(pipe: int) -> bytes:
    (nbytes,) = _LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))
    return _read_exactly(pipe, nbytes)


def _read_exactly(pipe: int, nbytes: int) -> bytes:
    content = bytearray()
    while len(content) < nbytes:
        more = os.read(pipe, nbytes - len(content))
        if not more:
            raise EOFError
        content += more
    return bytes(content)


def serve(taken: int, given: int) -> None:
    """Compile what is received until the parent is gone; answer b"" for compile errors."""
    from xarr.backends.device import get_device

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a terminal sends to both
    with suppress(EOFError, BrokenPipeError):
        while True:
            name, source = _receive(taken).decode(), _receive(taken).decode()
            try:
                binary = get_device(name).driver.compile(source)
            except CompileError:
                binary = b""
            _send(given, _digest(source), binary)
