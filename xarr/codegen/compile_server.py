"""Another process that compiles, for kernels that nobody waits for.

While PoCL compiles in one thread, its launches in other threads wait, up to 0.1 s each. So what is
compiled beside a program is compiled by a process of its own, which is given sources and gives
binaries back. It is started at the first of them and ends with its parent. Where there can be none,
the parent's own thread does the work.
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
"""It is no child of the parent's, which may wait for all that it has. It looks for modules where
the parent does, and reads and writes pipes of its own, so that nothing else gets into them."""


class ServerProcess:
    """The process, and the pipes to it. One thread uses it.

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
        """A binary for a device's driver, as its `compile` gives it."""
        binary = self._answer(device, source)
        if self.is_ending:
            raise InterruptedError
        # Its errors come again here, with all that they say.
        return binary or device.driver.compile(source)

    def start(self, device: Device) -> None:
        """Start the process, so that its compiler is in memory."""
        self._answer(device, _NOTHING)

    def _answer(self, device: Device, source: str) -> bytes:
        """A binary; none where there is no process, or the source does not compile."""
        if self._is_absent or self.is_ending:
            return b""
        try:
            asked, answered = self._pipes or self._started()
            name = str(device).partition("?")[0]
            _send(asked, name.encode(), source.encode())
            self.is_waiting = True
            try:
                digest, binary = _receive(answered), _receive(answered)
            finally:
                self.is_waiting = False
            if digest != _digest(source):
                raise EOFError
        except Exception:  # noqa: BLE001 - whatever it is, there is another way
            self._is_absent = True
            self.end()
            return b""
        return binary

    def _started(self) -> tuple[int, int]:
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
        """Let go of the process, which then ends; also in a fork, where it is the parent's."""
        pipes, self._pipes = self._pipes, None
        for pipe in pipes or ():
            os.close(pipe)


def _is_possible() -> bool:
    """Whether the interpreter can be started; a frozen program would start itself."""
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
    """Compile what comes, until the parent is gone; what does not compile has no binary."""
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
