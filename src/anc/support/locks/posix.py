"""Locks as all systems but Windows have them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lock_of(folder: Path, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder, alone or with others that only read."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        # A child that was forked meanwhile has the file open too, and would keep the lock.
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Take the lock of an open file, unless another process has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
