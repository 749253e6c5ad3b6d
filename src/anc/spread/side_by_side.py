"""Chunks on a device of this process, several at once: each is trained by a thread of its own.

A few hundred members do not fill a graphics card, and while one chunk waits for its card another is drawn, judged
and written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue

from anc.spread.chunk import Chunk
from anc.spread.on import Standing, Tell
from anc.spread.outcome import Outcome

FEWEST, MOST = 2, 8  # chunks at once
MEMBERS = 16_384  # that are trained at once, about
_LOOK = 0.1  # seconds between two looks whether somebody asks to stop


def side_by_side(
    chunks: Sequence[Chunk],
    asked_to_stop: Callable[[], bool],
    tell: Tell,
) -> Iterator[tuple[Chunk, Outcome]]:
    """Train chunks and give each outcome as it comes; only the caller's thread tells, and is asked to stop."""
    said: SimpleQueue[tuple[Chunk, object]] = SimpleQueue()
    stopping: list[bool] = []

    def train(chunk: Chunk) -> None:
        if stopping:
            said.put((chunk, None))
            return
        try:
            found: object = chunk.run(
                lambda: bool(stopping),
                lambda progress: said.put((chunk, Standing.of(chunk, progress))),
            )
        except BaseException as problem:  # raised again where it can be seen
            found = problem
        said.put((chunk, found))

    at_once = MEMBERS // max(chunk.S for chunk in chunks)
    with ThreadPoolExecutor(min(max(at_once, FEWEST), MOST)) as threads:
        try:
            for chunk in chunks:
                threads.submit(train, chunk)
            missing = len(chunks)
            while missing:
                if asked_to_stop():
                    stopping.append(True)
                with suppress(Empty):
                    chunk, message = said.get(timeout=_LOOK)
                    if isinstance(message, Standing):
                        tell(message)
                        continue
                    missing -= 1
                    if isinstance(message, BaseException):
                        raise message
                    if isinstance(message, Outcome):
                        yield chunk, message
        finally:
            stopping.append(True)
