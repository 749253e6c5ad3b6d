"""How long many chunks take on many workers, on paper: who waits for whom, with measured costs.

One process hands chunks out and takes outcomes in, one after the other; workers train them in the order in
which they were handed out. With too many workers that one process is what all wait for.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

_AHEAD = 2  # chunks that are handed out for each worker: one is trained, one waits


@dataclass(frozen=True)
class Costs:
    """What was measured on one machine, in seconds and bytes."""

    chunk: tuple[
        float, ...
    ]  # seconds that a worker trains chunks: each of them as often as the others
    hand_out: float  # seconds of the driver for a chunk that is handed out
    take_in: float  # ... and for an outcome that is taken in and kept
    plan: float = 0.0  # ... and for a chunk before the first one is handed out
    start: float = 0.0  # seconds of a worker before its first chunk
    between: float = 0.0  # seconds from one chunk of a worker to the next that waits
    problem_bytes: int = 0  # sent once to each machine
    chunk_bytes: int = 0  # sent with each chunk
    outcome_bytes: int = 0  # that come back from it

    @property
    def most_workers(self) -> float:
        """With more workers than this, the driver is what they wait for."""
        mean = sum(self.chunk) / len(self.chunk)
        return (mean + self.between) / (self.hand_out + self.take_in)


@dataclass(frozen=True)
class Run:
    """What a simulated run takes."""

    workers: int
    chunks: int
    seconds: float
    training: float  # share of the workers' time that they train
    driving: float  # share of the time that the driver works
    driver_bytes: int  # that the driver sends and receives


def simulated(
    costs: Costs, chunks: int, workers: int, cores: int = 16, speed: float = math.inf
) -> Run:
    """So many chunks on so many workers, of which a machine has `cores`; `speed` is of the network, in bytes/s.

    Of two chunks the one that was handed out first is begun first, by the worker that is free first. All
    machines get the problem from the driver: Ray can do better.
    """
    machines = math.ceil(workers / cores)
    problems = costs.problem_bytes * machines
    send, receive = costs.chunk_bytes / speed, costs.outcome_bytes / speed
    now = driving = costs.plan * chunks
    free = [now + costs.start + problems / speed] * workers  # when each worker is
    durations = itertools.islice(itertools.cycle(costs.chunk), chunks)
    training, under_way = 0.0, list[float]()
    while True:
        while len(under_way) < _AHEAD * workers and (duration := next(durations, None)) is not None:
            now += costs.hand_out + send
            driving += costs.hand_out + send
            end = max(heapq.heappop(free), now) + costs.between + duration
            heapq.heappush(free, end)
            heapq.heappush(under_way, end)
            training += duration
        if not under_way:
            break
        now = max(now, heapq.heappop(under_way)) + costs.take_in + receive
        driving += costs.take_in + receive
    total = problems + chunks * (costs.chunk_bytes + costs.outcome_bytes)
    return Run(workers, chunks, now, training / (workers * now), driving / now, total)


def table(runs: Sequence[Run]) -> str:
    """Runs of the same chunks as Markdown, each with how much quicker it is than one worker."""
    alone = sum(run.training * run.workers * run.seconds for run in runs) / len(runs)
    lines = ["| workers | seconds | times one worker's training | workers train | driver works |"]
    lines += ["|---|---|---|---|---|"]
    for run in runs:
        lines.append(
            f"| {run.workers:,} | {run.seconds:,.0f} | {alone / run.seconds:,.1f}"
            f" | {run.training:.0%} | {run.driving:.0%} |"
        )
    return "\n".join(lines)
