"""What lies between processes that are copies of each other: marks to be taken, a tape to be seen."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress

import numpy as np

_MARK = b"."


class Marks:
    """Some marks in a pipe; whoever takes one has it alone until it is put back."""

    def __init__(self, count: int) -> None:
        self.out, self.into = os.pipe()
        os.set_blocking(self.out, False)
        os.write(self.into, _MARK * count)

    def take(self) -> bool:
        """Whether there was one to be taken."""
        with suppress(BlockingIOError):
            return os.read(self.out, 1) == _MARK
        return False

    def put_back(self) -> None:
        os.write(self.into, _MARK)

    def close(self) -> None:
        os.close(self.out)
        os.close(self.into)


class Board:
    """Room for one tape, which everybody sees once it is written."""

    def __init__(self, M: int) -> None:
        self.memory = mmap.mmap(-1, 1 + 4 * M)  # whether there is a tape; the tape

    @property
    def is_written(self) -> bool:
        return self.memory[0] == 1

    @property
    def tape(self) -> tuple[int, ...] | None:
        if not self.is_written:
            return None
        return tuple(np.frombuffer(self.memory[1:], np.int32).tolist())

    def write(self, tape: tuple[int, ...]) -> None:
        self.memory[1:] = np.array(tape, np.int32).tobytes()
        self.memory[0] = 1
