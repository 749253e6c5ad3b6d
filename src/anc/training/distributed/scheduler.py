"""The whole way of many trainings: what is missing is packed, trained somewhere and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from anc.support.diagnostics import AncError
from anc.training.distributed.chunk import Chunk
from anc.training.distributed.executor import Executor, Standing, Tell
from anc.training.distributed.packing import packed
from anc.training.distributed.result import Outcome
from anc.training.distributed.store import Store

MOST = 2_000_000  # trainings at once: each has its place in memory while they go on


def check_trainings(count: int) -> None:
    """Refuse more trainings than can be planned at once."""
    if count > MOST:
        raise AncError(
            f"these are {count:,} trainings; at most {MOST:,} are done at once",
            help="lower --seeds, or do it in several turns",
        )


def outcomes(
    parts: Iterable[Chunk],
    executor: Executor,
    store: Store | None = None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    tell: Tell = lambda standing: None,
) -> Iterator[tuple[Chunk, Outcome]]:
    """The outcome of every part: first those that are kept, then the others as they come."""
    wanted = list(parts)
    found = kept(wanted, store)
    yield from ((part, found[part.key]) for part in wanted if part.key in found)
    missing = [part for part in wanted if part.key not in found]
    yield from trained(missing, executor, store, asked_to_stop, tell)


def kept(parts: Iterable[Chunk], store: Store | None) -> dict[str, Outcome]:
    """The outcomes that are in a store, by their parts' keys."""
    found = {} if store is None else {part.key: store.get(part) for part in parts}
    return {key: outcome for key, outcome in found.items() if outcome is not None}


def trained(
    parts: Iterable[Chunk],
    executor: Executor,
    store: Store | None = None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    tell: Tell = lambda standing: None,
) -> Iterator[tuple[Chunk, Outcome]]:
    """The outcomes of parts that are not kept, as they come.

    What is done is kept at once, and where others stand that were interrupted; what could not be
    written is raised after all that was found has come. A part that is asked for twice comes once.
    When `asked_to_stop`, the last ones may not be done (see `Outcome.is_done`), and others are missing.
    """
    wanted = {part.key: part for part in parts}
    begun = wanted.values() if store is None else map(store.begun, wanted.values())
    chunks = packed(begun, executor.workers, executor.cores, executor.is_here)
    lost: list[AncError] = []
    for chunk, outcome in executor.run(chunks, lambda: asked_to_stop() or bool(lost), tell):
        tell(Standing.after(chunk, outcome))
        some = chunk.parts()
        for part, found in zip(some, outcome.cut([each.S for each in some]), strict=True):
            if store is not None and not lost:
                _keep(store, part, found, lost)
            yield wanted[part.key], found
    if lost:
        raise lost[0]


def _keep(store: Store, part: Chunk, outcome: Outcome, lost: list[AncError]) -> None:
    try:
        store.put(part, outcome)
    except AncError as problem:
        lost.append(problem)
