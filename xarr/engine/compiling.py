"""Another process that compiles, for kernels that nobody waits for.

While PoCL compiles in one thread, its launches in other threads wait, up to 0.1 s each. So what is
compiled beside a program is compiled by a process of its own, which is given sources and gives
binaries back. It is started at the first of them and ends with its parent. Where there can be none,
the parent's own thread does the work.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from xarr.errors import CompileError

if TYPE_CHECKING:
    from xarr.backends.device import Device

_LENGTH: Final = struct.Struct("=q")


class Helper:
    """The process, and the pipes to it. One thread uses it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_absent = False

    def compile(self, device: Device, source: str) -> bytes:
        """A binary for a device's driver, as its `compile` gives it."""
        # Its errors come again here, with all that they say.
        return self._answer(device, source) or device.driver.compile(source)

    def start(self, device: Device) -> None:
        """Have the process, and its compiler in memory."""
        self._answer(device, "__kernel void nothing(void) {}")

    def _answer(self, device: Device, source: str) -> bytes:
        """A binary; none where there is no process, or the source does not compile."""
        process = self._started()
        if process is None:
            return b""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, str(device).partition("?")[0].encode())
            _send(process.stdin, source.encode())
            return _received(process.stdout)
        except (OSError, EOFError):
            self.end()
            self._is_absent = True
            return b""

    def _started(self) -> subprocess.Popen[bytes] | None:
        if self._process is None and not self._is_absent and sys.executable:
            root = str(Path(__file__).parents[2])
            path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "xarr.engine.compiling"],
                    env={**os.environ, "PYTHONPATH": path},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except (OSError, ValueError):
                self._is_absent = True
        return self._process

    def end(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def _received(pipe: IO[bytes]) -> bytes:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (nbytes,) = _LENGTH.unpack(head)
    content = pipe.read(nbytes)
    if len(content) < nbytes:
        raise EOFError
    return content


def main() -> None:
    """Compile what comes, until the parent is gone; nothing is sent for what does not compile."""
    from xarr.backends.device import get_device

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a terminal sends to both
    given, taken = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a driver may print
    with suppress(EOFError, BrokenPipeError):
        while True:
            name, source = _received(given).decode(), _received(given).decode()
            try:
                binary = get_device(name).driver.compile(source)
            except CompileError:
                binary = b""
            _send(taken, binary)


if __name__ == "__main__":
    main()
