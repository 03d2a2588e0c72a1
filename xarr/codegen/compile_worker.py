"""A thread that has another process compile kernels while the program goes on.

At the end of the process the running compilation is abandoned, and the queue is dropped.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable

from xarr.codegen import compile_server, launch


class CompileJob:
    """Work for the compiling thread.

    Attributes
    ----------
    is_done : bool
        Whether it ended, with or without an error; whoever needs the result does it again.
    """

    __slots__ = ("_work", "is_done")

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.is_done = False

    def run(self) -> None:
        """Do the work; ignore errors, which are raised again where the result is needed."""
        try:
            self._work()
        except Exception:  # noqa: BLE001 - it is raised where it is needed
            pass
        finally:
            self.is_done = True


class _Worker:
    def __init__(self) -> None:
        self._jobs: deque[CompileJob] = deque()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_ending = False
        self.helper = compile_server.ServerProcess()

    @property
    def is_started(self) -> bool:
        """Whether work was submitted before."""
        return self._thread is not None

    def submit(self, work: Callable[[], object]) -> CompileJob:
        """Queue work for the compiling thread, which starts with the first."""
        job = CompileJob(work)
        with self._wake:
            self._jobs.append(job)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="xarr compiler", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # no thread can be had: whoever needs the work does it
                    self._jobs.clear()
                    job.is_done = True
                    return job
                self._thread = thread
            self._wake.notify()
        return job

    def _run(self) -> None:
        launch.compile_with(self.helper.compile)
        while True:
            with self._wake:
                while not self._jobs and not self._is_ending:
                    self._wake.wait()
                if self._is_ending:
                    return
                job = self._jobs.popleft()
            job.run()

    def end(self) -> None:
        """Abandon the running compilation, and drop the queue."""
        with self._wake:
            self._is_ending = True
            self._wake.notify()
        self.helper.is_ending = True
        # A driver that compiles is waited for, the other process is not.
        while self._thread is not None and self._thread.is_alive() and not self.helper.is_waiting:
            self._thread.join(0.01)


_worker = _Worker()


def submit(work: Callable[[], object]) -> CompileJob:
    """Queue work that runs beside the program."""
    return _worker.submit(work)


def _after_fork() -> None:
    global _worker
    _worker.helper.end()
    _worker = _Worker()


atexit.register(lambda: _worker.end())  # noqa: PLW0108 - another one after a fork
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
