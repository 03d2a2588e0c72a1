"""Compiled kernels on disk, for the next process.

Every failure of the file system is passed over: a kernel that is not here is compiled anew. Any
number of processes use one directory at once, without a lock. Knows bytes and keys only.

Files are opened relative to a descriptor of the directory, since others may rename it where they
can write to its parent, and put their own there. Windows has no such descriptors: files are opened
by their paths there, and only the user's own profile is a safe place for them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from xarr.errors import CacheWarning, message
from xarr.settings import IMPORTED

_MAGIC = b"xarr 2\n"
_HEAD_NBYTES = len(_MAGIC) + hashlib.sha256().digest_size
_TEMPORARY = "writing-"
_HAS_DIRECTORIES = os.open in os.supports_dir_fd
"""Whether files can be opened relative to a descriptor of their directory."""
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# A link may lead anywhere, and a pipe without a writer would be waited for.
_READ |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_OWN_FILE = re.compile(r"[0-9a-f]{64}\.bin|" + _TEMPORARY + r"\w+")


class DiskCache:
    """A directory of files, each named by a key, with a checksum of the key and the content.

    directory : str or path -- Made when first written to, private to the user.
    limit_nbytes : int
        When the files grow beyond this, those that were not used for longest are removed.
    """

    def __init__(self, directory: str | os.PathLike[str], limit_nbytes: int = 256 << 20) -> None:
        self.directory = os.fspath(directory)
        self.limit_nbytes = limit_nbytes
        self._nbytes: int | None = None
        self._descriptor: int | None = None
        self._identity: tuple[int, int] | None = None

    @staticmethod
    def key(schema: str, source: str, options: Sequence[str], target: str) -> str:
        """The key of a kernel: a hash of all that its binary depends on."""
        digest = hashlib.sha256()
        for part in (schema, source, target, str(len(options)), *options):
            data = part.encode()
            digest.update(f"{len(data)}:".encode())
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The bytes stored under `key`, or None; a damaged file is removed."""
        name = f"{key}.bin"
        try:
            content = self._read(name)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._pass_over(error)
            return None
        data = content[_HEAD_NBYTES:]
        if content[:_HEAD_NBYTES] != _head(key, data):
            self._remove(name)
            return None
        # The time of last use decides what is removed first; access times are often not kept.
        with contextlib.suppress(OSError):
            where, directory = self._at(name)
            os.utime(where, dir_fd=directory)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep `data` under `key`."""
        try:
            self._make_directory()
            self._write(f"{key}.bin", _head(key, data) + data)
        except FileNotFoundError:
            # Another process removed the unfinished file, or the whole directory.
            return
        except OSError as error:
            self._pass_over(error)
            return
        if self._nbytes is None:
            self._nbytes = self.nbytes
        else:
            self._nbytes += len(data)
        if self._nbytes > self.limit_nbytes:
            self._shrink()

    def file(self, name: str, content: bytes) -> str | None:
        """A file of this name with a content, or None where others could change it.

        It stays when the cache shrinks. Its path leads through the directory's descriptor where the
        system has such paths, so that what was compared is what is there.
        """
        try:
            self._make_directory()
            try:
                is_there = self._read(name) == content
            except FileNotFoundError:
                is_there = False
            if not is_there:
                self._write(name, content)
            _, directory = self._at(name)
        except OSError as error:
            self._pass_over(error)
            return None
        through = f"/proc/self/fd/{directory}/{name}"
        return through if os.path.exists(through) else os.path.join(self.directory, name)

    @property
    def nbytes(self) -> int:
        """The size of all files in bytes."""
        return sum(entry.nbytes for entry in self._entries())

    def _make_directory(self) -> None:
        """Make the directory, also where it was removed since it was opened."""
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        if self._descriptor is not None and os.fstat(self._folder()).st_nlink == 0:
            os.close(self._descriptor)
            self._descriptor = None

    def _folder(self) -> int:
        """Return a descriptor of the directory; PermissionError if others can write to it."""
        descriptor, status = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):  # a daemon closes what it has not opened
                status = os.fstat(descriptor)
        if descriptor is None or status is None or _identity(status) != self._identity:
            if not _is_own(os.lstat(self.directory)):  # others would choose what a link leads to
                raise PermissionError("it is another user's")
            descriptor = self._descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
            status = os.fstat(descriptor)
            self._identity = _identity(status)
        if not _is_own(status):
            raise PermissionError("it is another user's")
        if not _is_private(status):
            raise PermissionError("other users can write to it")
        return descriptor

    def _at(self, name: str) -> tuple[str, int | None]:
        """Return a file's path, and the descriptor of the directory that it is relative to."""
        if _HAS_DIRECTORIES:
            return name, self._folder()
        return os.path.join(self.directory, name), None

    def _read(self, name: str) -> bytes:
        """Return a file's content; none of what is no file of the user's, or is too large."""
        path, directory = self._at(name)
        try:
            descriptor = os.open(path, _READ, dir_fd=directory)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
                return b""
            raise
        status = os.fstat(descriptor)
        is_own = stat.S_ISREG(status.st_mode) and _is_private(status)
        if not is_own or status.st_size > self.limit_nbytes:
            os.close(descriptor)
            return b""
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def _write(self, name: str, content: bytes) -> None:
        """Write a file that is either whole or not there, readable to the user only."""
        temporary, directory = self._at(_TEMPORARY + os.urandom(8).hex())
        path, _ = self._at(name)
        descriptor = os.open(temporary, _WRITE, 0o600, dir_fd=directory)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, path, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise

    def _remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            path, directory = self._at(name)
            os.unlink(path, dir_fd=directory)

    def _entries(self) -> Iterator[_Entry]:
        """The files that are the cache's own, those left half written among them."""
        try:
            # Not the descriptor itself, whose position all threads and forks have in common.
            folder: Any = self.directory
            if _HAS_DIRECTORIES:
                folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._folder())
            try:
                with os.scandir(folder) as files:
                    for file in files:
                        # Another process may remove it meanwhile.
                        with contextlib.suppress(OSError):
                            if _OWN_FILE.fullmatch(file.name):
                                status = file.stat(follow_symlinks=False)
                                yield _Entry(status.st_mtime, status.st_size, file.name)
            finally:
                if _HAS_DIRECTORIES:
                    os.close(folder)
        except OSError:
            return

    def _shrink(self) -> None:
        """Remove what was not used for longest, until a quarter of the limit is free."""
        entries = sorted(self._entries())
        self._nbytes = sum(entry.nbytes for entry in entries)
        for entry in entries:
            if self._nbytes <= self.limit_nbytes * 3 // 4:
                return
            self._remove(entry.name)
            self._nbytes -= entry.nbytes

    def _pass_over(self, error: OSError) -> None:
        global _has_warned
        if not _has_warned:
            _has_warned = True
            text = message(
                "xarr",
                f"the kernel cache {self.directory!r} cannot be used ({error})",
                "kernels are compiled anew in each process",
                "set XARR_CACHE_DIR to a directory of your own",
            )
            warnings.warn(text, CacheWarning, stacklevel=2)


def default_directory() -> str:
    """Where the system keeps caches, and ``xarr`` in it."""
    home = os.path.expanduser("~")
    if home == "~":  # no variable says where it is, and the system knows no such user
        import tempfile

        home = tempfile.gettempdir()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData/Local")
        return os.path.join(local, "xarr", "cache")
    if sys.platform == "darwin":
        return os.path.join(home, "Library/Caches/xarr")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "xarr")


def _identity(status: os.stat_result) -> tuple[int, int]:
    """What tells a file from all others that are there."""
    return status.st_dev, status.st_ino


def _is_own(status: os.stat_result) -> bool:
    """Return whether a file is the user's, or the superuser's."""
    return not hasattr(os, "getuid") or status.st_uid in (os.getuid(), 0)


def _is_private(status: os.stat_result) -> bool:
    """Return whether nobody but the user, and the superuser, can have written a file."""
    return _is_own(status) and not (hasattr(os, "getuid") and status.st_mode & 0o022)


def _head(key: str, data: bytes) -> bytes:
    """What a file begins with; that of another key differs."""
    return _MAGIC + hashlib.sha256(key.encode() + data).digest()


class _Entry(NamedTuple):
    used_s: float
    nbytes: int
    name: str


_has_warned = False


# Not `settings`, which are read for good: Dask names a worker's device when all is imported.
DISK: Final = DiskCache(os.path.expanduser(IMPORTED.cache_dir or default_directory()))
"""The cache of this process: in XARR_CACHE_DIR, or where the system keeps caches."""
