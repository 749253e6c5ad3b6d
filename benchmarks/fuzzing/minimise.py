"""Delta debugging: as little text as still shows a failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from fuzzing.entry import Parts


def minimised(parts: Parts, fails: Callable[[Parts], bool], seconds: float) -> Parts:
    """The parts with all lines, and then all characters, left out that the failure does not need.

    >>> minimised({"a": "one\\ntwo\\nthree"}, lambda parts: "w" in parts["a"], 5.0)
    {'a': 'w'}
    """
    end = time.monotonic() + seconds
    for separator in ("\n", " ", ""):
        for name in parts:
            pieces = parts[name].split(separator) if separator else list(parts[name])
            fails_with = partial(_fails_with, fails, parts, name, separator)
            parts = parts | {name: separator.join(_fewer(pieces, fails_with, end))}
    return parts


def _fails_with(
    fails: Callable[[Parts], bool], parts: Parts, name: str, separator: str, pieces: list[str]
) -> bool:
    """Whether it still fails if this is all that is left of a part."""
    return fails(parts | {name: separator.join(pieces)})


def _fewer(pieces: list[str], fails: Callable[[list[str]], bool], end: float) -> list[str]:
    """Leave out runs of pieces, long ones first."""
    size = max(1, len(pieces) // 2)
    while pieces and time.monotonic() < end:
        begin, shorter = 0, False
        while begin < len(pieces) and time.monotonic() < end:
            rest = pieces[:begin] + pieces[begin + size :]
            if fails(rest):
                pieces, shorter = rest, True
            else:
                begin += size
        if size == 1 and not shorter:
            break
        size = size if shorter and size == 1 else max(1, size // 2)
    return pieces
