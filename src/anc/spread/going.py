"""The whole way of many trainings: what is missing is packed, trained somewhere and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from anc.spread.chunk import Chunk
from anc.spread.on import Executor, Standing
from anc.spread.outcome import Outcome
from anc.spread.packing import packed
from anc.spread.store import Store


def outcomes(
    parts: Iterable[Chunk],
    executor: Executor,
    store: Store | None = None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Standing], None] = lambda standing: None,
) -> Iterator[tuple[Chunk, Outcome]]:
    """The outcome of every part: first those that are kept, then the others as they come.

    What is done is kept at once, and where others stand that were interrupted. A part that is asked for
    twice comes once. When `asked_to_stop`, the last ones may not be done (see `Outcome.is_done`), and
    others are missing.
    """
    wanted = {part.key: part for part in parts}
    missing = []
    for part in wanted.values():
        found = None if store is None else store.get(part)
        if found is None:
            missing.append(part if store is None else store.begun(part))
        else:
            yield part, found
    chunks = packed(missing, executor.workers, executor.cores)
    for chunk, outcome in executor.run(chunks, asked_to_stop, tell):
        some = chunk.parts()
        for part, found in zip(some, outcome.cut([part.S for part in some]), strict=True):
            if store is not None:
                store.put(part, found)
            yield wanted[part.key], found
