"""Cache eviction, a problem without a known answer: which page should a small cache evict?

`eviction.anc` fills the slots in turn, regardless of the requests. Requests that cycle through one page more than there
are slots defeat it. It is adapted until it loads fewer pages. Two programs define the objective: `loads` counts the
loaded pages, and `served` checks that each requested page was in the cache. Both read the original requests, so a
program gains nothing by overwriting them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Annotated

import numpy as np

from anc.adaptation.objectives.adapt import improve
from anc.adaptation.objectives.result import Improved
from anc.commands.arguments import aim
from anc.language import Source
from anc.python.function import function
from anc.python.layout import Size
from anc.support.job import Job

REQUESTS, SLOTS = 10, 3
ASTRAY = 0.1  # the share of requests for a random page
PAGES = 6


@function(memory=90)
def loads(final: Annotated[list[int], Size(40)], given: Annotated[list[int], Size(40)]) -> int:
    """The number of loaded pages."""
    count = 0
    for i in range(10, 20):
        if final[i] != 0:
            count += 1
    return count


@function(memory=90)
def served(final: Annotated[list[int], Size(40)], given: Annotated[list[int], Size(40)]) -> int:
    """1 if every request was in the cache, 0 if one was not."""
    a = 0
    b = 0
    c = 0
    for i in range(10):
        page = given[i]
        slot = final[i + 10]
        if slot == 1:
            a = page
        elif slot == 2:
            b = page
        elif slot == 3:
            c = page
        if page != a and page != b and page != c:
            return 0
    return 1


def draw(random: Random) -> list[int]:
    """Requests that cycle through four pages, with an occasional random page."""
    page, tape = random.randrange(SLOTS + 1), []
    for _ in range(REQUESTS):
        if random.random() < ASTRAY:
            tape.append(random.randint(1, PAGES))
        else:
            tape.append(page + 1)
            page = (page + 1) % (SLOTS + 1)
    return tape


@cache
def fewest(requests: tuple[int, ...], held: frozenset[int] = frozenset()) -> int:
    """The fewest loads for these requests, by exhaustive search; `held` pages are in the cache."""
    if not requests:
        return 0
    page, rest = requests[0], requests[1:]
    if page in held:
        return fewest(rest, held)
    if len(held) < SLOTS:
        return 1 + fewest(rest, held | {page})
    return 1 + min(fewest(rest, held - {old} | {page}) for old in held)


@dataclass(frozen=True)
class Row:
    """The result of one seed: mean loads on held-out instances."""

    seed: int
    generic: float
    adapted: float
    optimum: float
    violations: int
    low: float  # 95 % interval of adapted - generic
    high: float
    lines: int
    seconds: float

    @property
    def closed(self) -> float:
        """The share of the gap between the generic program and the optimum that is closed."""
        return (self.generic - self.adapted) / (self.generic - self.optimum)


def adapt(
    seed: int, proposals: int, asked_to_stop: Callable[[], bool] = lambda: False
) -> tuple[Row, Improved]:
    """Adapt the cache to the instances of a seed."""
    began = time.perf_counter()
    text = (resources.files("anc_experiments") / "eviction.anc").read_text()
    job = Job(float("inf"), asked_to_stop=asked_to_stop)
    wanted = loads, served, False
    aimed = aim(job, Source(text, "eviction.anc"), draw, wanted, seed=seed)
    result = improve(aimed, job, "search", seed, proposals)
    fresh = aimed.instances.fresh[:, :REQUESTS].tolist()
    optimum = float(np.mean([fewest(tuple(requests)) for requests in fresh]))
    c = result.comparison
    seconds = time.perf_counter() - began
    row = Row(
        seed, c.generic, c.adapted, optimum, c.violations_adapted, c.low, c.high, result.program.L,
        seconds,
    )  # fmt: skip
    return row, result
