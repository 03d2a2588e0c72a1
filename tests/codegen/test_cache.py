"""The kernel cache on disk: what is put comes back, and no fault of the file system is an error."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from tests.processes import run_code, start
from xarr import cache
from xarr.cache import DiskCache
from xarr.errors import CacheWarning

KEY = DiskCache.key("1", "source", ("-a",), "target")
AS_USER = 1000


@pytest.fixture(autouse=True)
def nothing_was_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_has_warned", False)


@pytest.fixture
def disk(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "deep" / "kernels")


def key(number: int) -> str:
    return DiskCache.key("1", str(number), (), "")


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 1000])
def test_what_is_put_comes_back(disk: DiskCache, data: bytes) -> None:
    assert disk.get(KEY) is None
    disk.put(KEY, data)
    assert disk.get(KEY) == data
    assert DiskCache(disk.directory).get(KEY) == data
    disk.put(KEY, b"other")
    assert disk.get(KEY) == b"other"


def test_the_key_depends_on_each_part_and_its_limits() -> None:
    parts = [
        ("1", "s", ("a", "b"), "t"), ("2", "s", ("a", "b"), "t"), ("1", "x", ("a", "b"), "t"),
        ("1", "s", ("ab",), "t"), ("1", "s", ("a",), "t"), ("1", "s", ("a", "b"), "u"),
        ("1s", "", ("a", "b"), "t"),
    ]  # fmt: skip
    assert len({DiskCache.key(*part) for part in parts}) == len(parts)
    assert DiskCache.key(*parts[0]) == DiskCache.key(*parts[0])


@pytest.mark.skipif(os.name != "posix", reason="this system has no file modes")
def test_files_are_private(disk: DiskCache) -> None:
    disk.put(KEY, b"data")
    assert stat.S_IMODE(Path(disk.directory).stat().st_mode) == 0o700
    (file,) = Path(disk.directory).iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["shorter", "longer", "changed", "empty", "magic", "renamed"])
def test_a_damaged_file_is_removed_and_rebuilt(disk: DiskCache, damage: str) -> None:
    disk.put(KEY, b"a binary")
    (file,) = Path(disk.directory).iterdir()
    content = file.read_bytes()
    DiskCache(Path(disk.directory) / "other").put(key(1), b"a binary")
    renamed = (Path(disk.directory) / "other" / f"{key(1)}.bin").read_bytes()
    file.write_bytes(
        {
            "shorter": content[:-1],
            "longer": content + b"x",
            "changed": content[:-1] + b"X",
            "empty": b"",
            "magic": b"X" + content[1:],
            "renamed": renamed,
        }[damage]
    )
    assert disk.get(KEY) is None
    assert not file.exists()
    disk.put(KEY, b"a binary")
    assert disk.get(KEY) == b"a binary"


def test_the_least_recently_used_are_removed(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path, limit_nbytes=10_000)
    for number in range(8):
        disk.put(key(number), bytes(1000))
        os.utime(tmp_path / f"{key(number)}.bin", (number, number))
    assert disk.get(key(0)) is not None
    (tmp_path / "of-another").write_bytes(bytes(5000))
    for number in range(8, 12):
        disk.put(key(number), bytes(1000))
        assert disk.nbytes <= 10_000
    kept = [number for number in range(12) if disk.get(key(number)) is not None]
    assert kept == [0, *range(12 - len(kept) + 1, 12)]
    assert len(kept) >= 6
    assert (tmp_path / "of-another").exists()


@pytest.mark.skipif(os.name != "posix", reason="this system has no file modes")
@pytest.mark.parametrize("mode", [0o702, 0o720, 0o700])
def test_a_directory_of_others_or_that_they_can_write_to_is_passed_over_with_one_warning(
    disk: DiskCache, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    disk.put(KEY, b"data")
    if mode == 0o700 and os.getuid() == 0:
        os.chown(disk.directory, AS_USER, -1)
    elif mode == 0o700:
        monkeypatch.setattr(os, "getuid", lambda: AS_USER + 1)
    Path(disk.directory).chmod(mode)
    other = DiskCache(disk.directory)
    fault = "it is another user" if mode == 0o700 else "other users can write to it"
    with pytest.warns(CacheWarning, match=fault) as caught:
        assert other.get(KEY) is None
        other.put(KEY, b"more")
        assert other.get(KEY) is None
    assert len(caught) == 1


@pytest.mark.skipif(not cache._HAS_DIRECTORIES, reason="this system opens files by paths only")
def test_a_directory_that_others_put_in_the_place_of_the_cache_is_not_read(disk: DiskCache) -> None:
    """They can where they may write to its parent; all that they need to know is public."""
    disk.put(KEY, b"mine")
    library = disk.file("library.so", b"mine")
    moved = Path(disk.directory).with_name("moved")
    Path(disk.directory).rename(moved)
    other = DiskCache(disk.directory)
    other.put(KEY, b"theirs")
    other.put(key(1), b"theirs")
    (Path(disk.directory) / "library.so").write_bytes(b"theirs")
    assert disk.get(KEY) == b"mine"
    assert disk.get(key(1)) is None
    assert library is not None
    if sys.platform == "linux":
        assert Path(library).read_bytes() == b"mine"
    disk.put(key(2), b"mine")
    assert (moved / f"{key(2)}.bin").exists()
    assert other.get(key(2)) is None


@pytest.mark.skipif(os.name != "posix", reason="this system has no such files")
@pytest.mark.parametrize("kind", ["fifo", "zero", "link", "socket", "large", "writable", "folder"])
def test_an_entry_that_is_no_file_of_the_user_is_not_read(disk: DiskCache, kind: str) -> None:
    disk.put(KEY, b"data")
    (entry,) = Path(disk.directory).iterdir()
    if kind in ("large", "writable"):
        entry.chmod(0o622 if kind == "writable" else 0o600)
    else:
        entry.rename(Path(disk.directory) / "whole")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(disk.directory):
        {
            "fifo": lambda: os.mkfifo(entry),
            "zero": lambda: entry.symlink_to("/dev/zero"),
            "link": lambda: entry.symlink_to("whole"),
            "socket": lambda: server.bind(entry.name),
            "large": lambda: os.truncate(entry, 1 << 40),
            "writable": lambda: None,
            "folder": entry.mkdir,
        }[kind]()
        assert disk.get(KEY) is None
    if kind != "folder":
        disk.put(KEY, b"data")
        assert disk.get(KEY) == b"data"


def test_a_directory_that_is_removed_is_made_again(disk: DiskCache) -> None:
    disk.put(KEY, b"data")
    shutil.rmtree(disk.directory)
    assert disk.get(KEY) is None
    opened = disk._descriptor
    disk.put(KEY, b"more")
    assert disk.get(KEY) == b"more"
    assert disk._descriptor == opened  # the number is used again, as the other one was closed


@pytest.mark.skipif(not hasattr(os, "lchown") or os.getuid() != 0, reason="only root gives links")
def test_a_link_of_another_user_is_not_followed(disk: DiskCache) -> None:
    disk.put(KEY, b"mine")
    link = Path(disk.directory).with_name("link")
    link.symlink_to(disk.directory)
    assert DiskCache(link).get(KEY) == b"mine"
    os.lchown(link, AS_USER, -1)
    with pytest.warns(CacheWarning, match="it is another user"):
        assert DiskCache(link).get(KEY) is None


def test_a_directory_that_cannot_be_made_is_passed_over_with_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    disk = DiskCache(tmp_path / "file" / "kernels")
    with pytest.warns(CacheWarning, match="XARR_CACHE_DIR") as caught:
        disk.put(KEY, b"data")
        disk.put(KEY, b"data")
        assert disk.get(KEY) is None
    assert len(caught) == 1
    assert disk.nbytes == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_read_only_and_unreadable_directories_are_passed_over() -> None:
    with tempfile.TemporaryDirectory() as place:
        if os.getuid() == 0:
            # The superuser may read and write everything, so the process becomes another user.
            os.chown(place, AS_USER, AS_USER)
        code = CHANGE_MODES.format(user=AS_USER, place=place, key=KEY, other=key(1))
        done = run_code(code)
    assert done.stdout.splitlines() == ["b'data'", "b'data' None", "None"], done.stderr
    assert done.stderr.count("CacheWarning") == 1, done.stderr


CHANGE_MODES = """
import os, warnings
from pathlib import Path
warnings.simplefilter("always")
from xarr.cache import DiskCache
if os.getuid() == 0:
    os.setgid({user})
    os.setuid({user})
disk = DiskCache({place!r} + "/kernels")
disk.put({key!r}, b"data")
print(disk.get({key!r}))
Path(disk.directory).chmod(0o500)
disk.put({other!r}, b"data")
print(disk.get({key!r}), disk.get({other!r}))
Path(disk.directory).chmod(0o000)
print(disk.get({key!r}))
disk.put({key!r}, b"data")
Path(disk.directory).chmod(0o700)
"""


def test_many_processes_use_one_directory_at_once(tmp_path: Path) -> None:
    code = f"""
import random, sys
from xarr.cache import DiskCache
disk = DiskCache({str(tmp_path)!r}, limit_nbytes=40_000)
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else None)
for step in range(400):
    number = random.randrange(30)
    key = DiskCache.key("1", str(number), (), "")
    data = disk.get(key)
    assert data is None or data == str(number).encode() * 1000, number
    if data is None:
        disk.put(key, str(number).encode() * 1000)
print("done")
"""
    for process in [start("-c", code) for _ in range(4)]:
        out, problems = process.communicate(timeout=120)
        assert (out.strip(), problems) == ("done", "")
    assert DiskCache(tmp_path).nbytes < 80_000
    assert not list(tmp_path.glob("writing-*"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_writer_that_is_killed_leaves_nothing_that_is_loaded(tmp_path: Path) -> None:
    code = f"""
    import os, random, signal, time
    from pathlib import Path
    from xarr.cache import DiskCache
    disk = DiskCache({str(tmp_path)!r})
    key = DiskCache.key("1", "source", (), "")
    written, data = Path(disk.directory) / f"{{key}}.bin", bytes(4 << 20)
    random.seed(1)
    whole = torn = kills = 0
    while kills < 200 or (not (whole and torn) and kills < 5000):
        written.unlink(missing_ok=True)
        told, tells = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(tells, b"x")  # a loaded machine takes long to come here
            while True:
                disk.put(key, data)
                written.unlink()
        os.read(told, 1)
        os.close(told), os.close(tells)
        time.sleep(random.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kills += 1
        torn += len([*Path(disk.directory).glob("writing-*")])
        for left in Path(disk.directory).glob("writing-*"):
            left.unlink()
        if written.exists():
            assert disk.get(key) == data, kills
            whole += 1
    print(whole > 0, torn > 0)
    """
    done = run_code(code)
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_a_full_disk_is_one_warning_and_keeps_nothing(tmp_path: Path) -> None:
    """Files may not grow beyond some bytes while the cache writes one."""
    pytest.importorskip("resource", reason="this system has no limits of files")
    code = """
    import resource
    import xarr
    from xarr import cache
    class Full(cache.DiskCache):
        def _write(self, path, content):
            both = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, both[1]))
            try:
                super()._write(path, content)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, both)
    cache.DISK.__class__ = Full
    x = xarr.arange(2000.0)
    print(float((x * 2 + 1)[-1]), float(xarr.sum(x)))
    """
    done = run_code(code, XARR_CACHE_DIR=str(tmp_path), XARR_TIERS="fused")
    assert done.stdout.split() == ["3999.0", "1999000.0"], done.stderr
    assert done.stderr.count("CacheWarning") == 1, done.stderr
    assert not [*tmp_path.iterdir()]


def test_cold_starts_at_once_are_as_one(tmp_path: Path) -> None:
    code = """
import xarr
from xarr.codegen import launch
x = xarr.arange(2000.0)
print(float((x * 2 + 1)[-1]), float(xarr.sum(x)), launch.counts.compilations > 0)
"""
    place = {"XARR_CACHE_DIR": str(tmp_path / "kernels"), "XARR_TIERS": "fused"}
    for process in [start("-c", code, **place) for _ in range(4)]:
        out, problems = process.communicate(timeout=300)
        assert (out.split(), problems) == (["3999.0", "1999000.0", out.split()[-1]], "")
    done = run_code(code, **place)
    assert done.stdout.split() == ["3999.0", "1999000.0", "False"], done.stderr


def test_no_warning_in_ordinary_use(disk: DiskCache) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        disk.get(KEY)
        disk.put(KEY, b"data")
        disk.get(KEY)


def test_the_environment_names_the_directory(tmp_path: Path) -> None:
    code = "from xarr.cache import DISK; print(DISK.directory)"
    done = run_code(code, XARR_CACHE_DIR=str(tmp_path / "here"))
    assert done.stdout.strip() == str(tmp_path / "here")
    if sys.platform == "linux":
        done = run_code(code, XARR_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path))
        assert done.stdout.strip() == str(tmp_path / "xarr")


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    code = f"""
import struct, time
import numpy as np
from xarr.cache import DiskCache
from xarr.backends.device import default_device
driver = default_device().driver
sources = {{
    "opencl": "__kernel void f(__global float *x) {{ x[get_global_id(0)] += 1.0f; }}",
    "c": "void xr_run_f(float **x) {{ for (int i = 0; i < 256; ++i) x[0][i] += 1.0f; }}",
    "cuda": 'extern "C" __global__ void f(float *x) {{ x[threadIdx.x] += 1.0f; }}',
}}
source = sources[driver.info.dialect]
disk = DiskCache({str(tmp_path)!r})
key = disk.key("1", source, (), driver.info.target)
binary = disk.get(key)
print(binary is not None)
if binary is None:
    binary = driver.compile(source)
    disk.put(key, binary)
kernel = driver.load(binary, "f")
x = driver.allocate(1024)
driver.upload(x, 0, np.zeros(256, "f4"))
driver.launch(kernel, (1,), (256,), [x], b"")
out = np.empty(256, "f4")
driver.download(x, 0, out)
print(out.sum())
"""
    for expected in (["False", "256.0"], ["True", "256.0"]):
        done = run_code(code)
        assert done.stdout.split() == expected, done.stderr
