"""Compiled kernels on disk, for the next process.

Every failure of the file system is passed over: a kernel that is not here is compiled anew. Any
number of processes use one directory at once, without a lock. Knows bytes and keys only.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from xarr.errors import CacheWarning, message
from xarr.settings import settings

_MAGIC = b"xarr 2\n"
_HEAD_NBYTES = len(_MAGIC) + hashlib.sha256().digest_size
_TEMPORARY = "writing-"
_OWN_FILE = re.compile(r"[0-9a-f]{64}\.bin|" + _TEMPORARY + r"\w+")


class DiskCache:
    """A directory of files, each named by a key, with a checksum of the key and the content.

    directory : str or Path -- Made when first written to, private to the user.
    limit_nbytes : int
        When the files grow beyond this, those that were not used for longest are removed.
    """

    def __init__(self, directory: str | Path, limit_nbytes: int = 256 << 20) -> None:
        self.directory = Path(directory)
        self.limit_nbytes = limit_nbytes
        self._nbytes: int | None = None
        self._trusted = False

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
        path = self._path(key)
        try:
            content = path.read_bytes()
            if not self._is_trusted():
                return None
        except FileNotFoundError:
            return None
        except OSError as error:
            self._pass_over(error)
            return None
        data = content[_HEAD_NBYTES:]
        if content[:_HEAD_NBYTES] != _head(key, data):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        # The time of last use decides what is removed first; access times are often not kept.
        with contextlib.suppress(OSError):
            os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep `data` under `key`."""
        path = self._path(key)
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_trusted():
                return
            self._write(path, _head(key, data) + data)
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

    def file(self, name: str, content: bytes) -> Path | None:
        """A file of this name with a content, or None where others could change it.

        It stays when the cache shrinks.
        """
        path = self.directory / name
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_trusted():
                return None
            if not path.is_file() or path.read_bytes() != content:
                self._write(path, content)
        except OSError as error:
            self._pass_over(error)
            return None
        return path

    @property
    def nbytes(self) -> int:
        """The size of all files in bytes."""
        return sum(entry.nbytes for entry in self._entries())

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.bin"

    def _write(self, path: Path, content: bytes) -> None:
        # mkstemp makes the file readable to the user only.
        descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=self.directory)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise

    def _is_trusted(self) -> bool:
        """Whether nobody else can put a binary here; says so once where somebody can."""
        if not self._trusted and hasattr(os, "getuid"):
            status = self.directory.stat()
            if status.st_uid not in (os.getuid(), 0) or status.st_mode & 0o022:
                self._pass_over(PermissionError("other users can write to it"))
                return False
        self._trusted = True
        return True

    def _entries(self) -> Iterator[_Entry]:
        """The files that are the cache's own, those left half written among them."""
        try:
            with os.scandir(self.directory) as files:
                for file in files:
                    # Another process may remove it meanwhile.
                    with contextlib.suppress(OSError):
                        if _OWN_FILE.fullmatch(file.name):
                            status = file.stat(follow_symlinks=False)
                            yield _Entry(status.st_mtime, status.st_size, file.path)
        except OSError:
            return

    def _shrink(self) -> None:
        """Remove what was not used for longest, until a quarter of the limit is free."""
        entries = sorted(self._entries())
        self._nbytes = sum(entry.nbytes for entry in entries)
        for entry in entries:
            if self._nbytes <= self.limit_nbytes * 3 // 4:
                return
            with contextlib.suppress(OSError):
                Path(entry.path).unlink()
            self._nbytes -= entry.nbytes

    def _pass_over(self, error: OSError) -> None:
        global _has_warned
        if not _has_warned:
            _has_warned = True
            text = message(
                "xarr",
                f"the kernel cache {str(self.directory)!r} cannot be used ({error})",
                "kernels are compiled anew in each process",
                "set XARR_CACHE_DIR to a directory of your own",
            )
            warnings.warn(text, CacheWarning, stacklevel=2)


@functools.cache
def disk_cache() -> DiskCache:
    """The cache of this process: in XARR_CACHE_DIR, or where the system keeps caches."""
    return DiskCache(settings().cache_dir or default_directory())


def default_directory() -> Path:
    """Where the system keeps caches, and ``xarr`` in it."""
    try:
        home = Path.home()
    except RuntimeError:  # no variable says where it is, and the system knows no such user
        home = Path(tempfile.gettempdir())
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local") / "xarr" / "cache"
    if sys.platform == "darwin":
        return home / "Library/Caches/xarr"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "xarr"


def _head(key: str, data: bytes) -> bytes:
    """What a file begins with; that of another key differs."""
    return _MAGIC + hashlib.sha256(key.encode() + data).digest()


class _Entry(NamedTuple):
    used_s: float
    nbytes: int
    path: str


_has_warned = False
