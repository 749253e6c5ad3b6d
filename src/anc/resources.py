"""How much memory there is, and refusing work that does not fit before it takes any."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from anc.diagnostics import AncError

_SHARE = 0.8  # of the memory that is free
_ALWAYS = 64 * 2**20  # bytes that nobody needs to ask for


def require(needed: int, what: str, lower: str) -> None:
    """Refuse what needs more memory than is free, saying how much and which numbers to lower."""
    if not fits(needed):
        free = free_bytes() or 0
        raise AncError(
            f"{what} needs about {_size(needed)} of memory, but only {_size(free)} are free",
            help=f"lower {lower}",
        )


def fits(needed: int) -> bool:
    """Whether there is memory enough, as far as the system says."""
    free = free_bytes() if needed > _ALWAYS else None
    return free is None or needed <= _SHARE * free


class Growing:
    """What grows step by step, such as the record of a run, for as long as there is memory."""

    def __init__(self, each: int, what: str, lower: str) -> None:
        self.each, self.what, self.lower = each, what, lower
        self.unchecked = 0

    def step(self) -> None:
        """Take the memory of one more step; it is asked for in larger pieces."""
        if self.unchecked <= 0:
            self.unchecked = max(self.each, _ALWAYS) + 1
            require(self.unchecked, self.what, self.lower)
        self.unchecked -= self.each


def free_bytes() -> int | None:
    """What this process may still take; None on a system that does not say."""
    return min(_limits(), default=None)


def _size(count: float) -> str:
    return f"{count / 2**30:,.1f} GiB"


def _limits() -> Iterator[int]:
    """Whatever bounds the memory of this process: the machine, its own limits, its control group."""
    with suppress(OSError, ValueError, AttributeError):
        yield _available()
    with suppress(OSError, ValueError, ImportError, AttributeError):
        yield from _own_limit()
    with suppress(OSError, ValueError):
        yield from _group_limits()


def _available() -> int:
    """Memory that is free, or could be: the system's caches give way."""
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _own_limit() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        yield max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def _group_limits() -> Iterator[int]:
    """What the control groups of this process leave, in both versions of their files."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            root, files = Path("/sys/fs/cgroup"), ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            root, files = (
                Path("/sys/fs/cgroup/memory"),
                ("memory.limit_in_bytes", "memory.usage_in_bytes"),
            )
        else:
            continue
        place = root / group.lstrip("/")
        for folder in (place, *place.parents):
            if folder.is_relative_to(root):
                with suppress(OSError, ValueError):  # there is none, or it says "max"
                    most, used = (int((folder / file).read_text()) for file in files)
                    yield max(0, most - used + _file_cache(folder))


def _file_cache(folder: Path) -> int:
    """What a control group is charged for files that are cached: it gives way."""
    rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
    return next((int(count) for name, count in rows if name.endswith("inactive_file")), 0)
