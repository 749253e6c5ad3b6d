"""Locks as Windows has them.

It locks bytes of files, not folders, for one process at a time; and what is locked nobody else can
read. So a file in the folder is locked for the folder, and of any file a byte far behind its end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = ".anc-recording.lock"
_FAR = 2**30
_PAUSE = 0.005  # seconds between two tries


@contextmanager
def lock_of(folder: Path, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder, alone; those that only read have to wait for each other as well."""
    handle = os.open(folder / LOCK_FILE, os.O_CREAT | os.O_RDWR)
    try:
        while not try_lock(handle):
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Take the lock of an open file, unless another process has it."""
    import msvcrt  # only Windows has it

    os.lseek(handle, _FAR, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
