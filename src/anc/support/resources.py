"""Memory: how much there is, how much this process may hold, and refusal of work that does not fit."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from anc.support.diagnostics import AncError

_SHARE = 0.8  # the usable share of free memory
_USUAL = 0.5  # the default bound of a command, as a share of the machine's free memory
_LOOK = 0.02  # seconds between two measurements, which take microseconds
_ALWAYS = 64 * 2**20  # bytes that are always granted


class NotEnough(AncError):
    """There is not enough memory for the request."""


def require(needed: int, what: str, lower: str) -> None:
    """Refuse work that needs more memory than is free, with the numbers to lower."""
    if not fits(needed):
        free = free_bytes() or 0
        raise NotEnough(
            f"{what} needs about {_size(needed)} of memory, but only {_size(free)} are free",
            help=f"lower {lower}",
        )


def fits(needed: int) -> bool:
    """Whether there is enough memory, as far as the system says."""
    free = free_bytes() if needed > _ALWAYS else None
    return free is None or needed <= _SHARE * free


@dataclass
class _Bound:
    """A bound on the memory of this process, on top of what it held before."""

    most: int  # bytes that it may take
    top: int  # bytes that it may hold, including those held before
    is_passed: bool = False
    was_passed: bool = False
    next_look: float = 0.0


_bounds: list[_Bound] = []  # of the current work, nested


@contextmanager
def bounded(most: int | None = None) -> Iterator[None]:
    """Within this context, this process should take at most this many bytes (None: half of the free memory).

    Allocations do not fail: long work checks `is_full` and ends.
    """
    free = free_bytes()
    if most is None and not _bounds:
        usual = [int(_USUAL * free) for free in _machine()]
        most = min((*usual, *(int(_SHARE * left) for left in _limits())), default=None)
    elif most is not None and free is not None:
        most = min(most, int(_SHARE * free))
    if most is None:
        yield
        return
    bound = _Bound(most, held_bytes() + most)
    _bounds.append(bound)
    try:
        yield
    finally:
        _bounds.remove(bound)


def part_of_bound(share: float) -> int | None:
    """A share, in bytes, of what may still be taken; None without a bound."""
    if not _bounds:
        return None
    return int(share * max(0, min(bound.top for bound in _bounds) - held_bytes()))


def is_full() -> bool:
    """Whether this process holds more than it may; cheap to call often."""
    for bound in _bounds:
        now = time.monotonic()
        if now >= bound.next_look:
            bound.next_look = now + _LOOK
            bound.is_passed = held_bytes() > bound.top
            bound.was_passed |= bound.is_passed
        if bound.is_passed:
            return True
    return False


def was_full() -> bool:
    """Whether this process holds, or held during this work, more than it may."""
    return is_full() or any(bound.was_passed for bound in _bounds)


def bound_bytes() -> int | None:
    """The bytes that may be taken in all; None without a bound."""
    return min((bound.most for bound in _bounds), default=None)


def why_full() -> str:
    """The reason when work ends for lack of memory."""
    return lacking(bound_bytes())


def lacking(most: int | None) -> str:
    """The reason when this many bytes were not enough."""
    return (
        "there is not enough memory"
        if most is None
        else f"it takes more than {_size(most)} of memory"
    )


def give_back() -> None:
    """Return the memory of work that has ended to the system."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # glibc keeps freed memory, other libraries do not
            ctypes.CDLL(None).malloc_trim(0)
    for bound in _bounds:
        bound.next_look = 0.0


def held_bytes() -> int:
    """The resident memory of this process."""
    with suppress(OSError, ValueError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, AttributeError):
        return _held_on_mac()
    return 0  # unknown on other systems: nothing is bounded


def _held_on_mac() -> int:
    """From `proc_pidinfo` with PROC_PIDTASKINFO: the second number is the resident size."""
    numbers = (ctypes.c_uint64 * 12)()
    library = ctypes.CDLL("/usr/lib/libproc.dylib")
    library.proc_pidinfo(os.getpid(), 4, ctypes.c_uint64(0), numbers, ctypes.sizeof(numbers))
    return int(numbers[1])


def refuse_beyond(most: int | None) -> None:
    """Let the system limit the memory that this process takes from now on.

    This is for worker processes: a larger allocation fails, and may end the process.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        used = _stated("/proc/self/status", "VmData:")  # what this limit counts
        soft = resource.RLIM_INFINITY if most is None or used is None else used + most
        if hard != resource.RLIM_INFINITY:
            soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


class Growing:
    """Something that grows step by step, such as the trace of a run, while memory lasts."""

    def __init__(self, each: int, what: str, lower: str) -> None:
        self.each, self.what, self.lower = each, what, lower
        self.unchecked = 0

    def step(self) -> None:
        """Account for one more step; memory is checked in larger portions."""
        if self.unchecked <= 0:
            self.unchecked = max(self.each, _ALWAYS) + 1
            require(self.unchecked, self.what, self.lower)
        self.unchecked -= self.each


def free_bytes() -> int | None:
    """The bytes that this process may still take; None if the system does not say."""
    ours = (max(0, bound.top - held_bytes()) for bound in _bounds)
    return min((*_machine(), *_limits(), *ours), default=None)


def _size(count: float) -> str:
    return f"{count / 2**30:,.1f} GiB"


def _machine() -> Iterator[int]:
    """The free memory of the machine, including reclaimable caches."""
    with suppress(OSError, ValueError, AttributeError):
        free = _stated("/proc/meminfo", "MemAvailable:")
        yield free or os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _limits() -> Iterator[int]:
    """The other limits of this process: its resource limit and its control groups."""
    with suppress(OSError, ValueError, ImportError, AttributeError):
        yield from _own_limit()
    with suppress(OSError, ValueError):
        yield from _group_limits()


def _stated(file: str, name: str) -> int | None:
    """A value in bytes from a status file of the system."""
    with suppress(OSError):
        for line in Path(file).read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return None


def _own_limit() -> Iterator[int]:
    """The rest of `ulimit -v`."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        yield max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def _group_limits() -> Iterator[int]:
    """The rest of the memory of all control groups of this process, versions 1 and 2."""
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
                with suppress(OSError, ValueError):  # there is no limit, or it says "max"
                    most, used = (int((folder / file).read_text()) for file in files)
                    yield max(0, most - used + _file_cache(folder))


def _file_cache(folder: Path) -> int:
    """The file cache that a control group is charged for: it can be reclaimed."""
    rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
    return next((int(count) for name, count in rows if name.endswith("inactive_file")), 0)
