"""Locks between the processes of one machine, released by the system when a process ends.

Windows locks bytes of files, not folders, for one process at a time, and others cannot read a locked
byte. For a folder we therefore lock a file in it, and in every file a byte far after its end.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = ".anc-recording.lock"  # in a locked folder on Windows
_FAR = 2**30
_PAUSE = 0.005  # seconds between two attempts

if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def lock_of(folder: Path, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a folder exclusively; on Windows there are no shared locks."""
        handle = os.open(folder / LOCK_FILE, os.O_CREAT | os.O_RDWR)
        try:
            while not try_lock(handle):
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(handle)

    def try_lock(handle: int) -> bool:
        """Take the lock of an open file, unless another process holds it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    @contextmanager
    def lock_of(folder: Path, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a folder, exclusively or shared with other readers."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            yield
        finally:
            # A child that was forked in the meantime has the file open, too, and would keep the lock.
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

    def try_lock(handle: int) -> bool:
        """Take the lock of an open file, unless another process holds it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
