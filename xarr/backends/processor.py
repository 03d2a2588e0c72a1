"""The host's processor as the system describes it, for code that is compiled for it."""

from __future__ import annotations

import hashlib
import os
import platform
import sys


def _description() -> dict[str, str]:
    """Return Linux's description of the first processor, by its words; elsewhere its name."""
    if sys.platform == "darwin":
        import subprocess  # here, as to import it takes 2 ms

        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        return {"model name": found}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            text = file.read(8192)
    except OSError:
        return {}
    pairs = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    return {key.strip(): value.strip() for key, _, value in pairs}


def features() -> frozenset[str]:
    """The instruction sets that Linux names; none elsewhere."""
    known = _description()
    return frozenset((known.get("flags") or known.get("Features") or "").split())


def name() -> str:
    """The name of the processor."""
    known = _description()
    return (
        known.get("model name")
        or known.get("Processor")
        or platform.processor()
        or platform.machine()
    )


def identity() -> str:
    """Differs where compiled code may: machines that share a home need not share a processor."""
    words = " ".join(sorted(features())) or name()
    return f"{platform.machine()} {hashlib.sha256(words.encode()).hexdigest()[:16]}"


def count() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_nbytes() -> int:
    """The memory of the machine, or of the group of processes that this one belongs to."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="utf-8") as file:
            limit = file.read().strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total
