"""Locks between the processes of one machine; the system lets go of them when a process ends.

lock_of(folder, shared)  hold the lock of a folder
try_lock(handle)         take the lock of an open file, unless another process has it
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from anc.support.locks.windows import lock_of, try_lock
else:
    from anc.support.locks.posix import lock_of, try_lock

__all__ = ["lock_of", "try_lock"]
