"""A search for settings: a grid or a random sample of settings × seeds, in few populations.

A grid file is TOML: a setting with a list takes each of its values; a setting with a table
``{low = 0.01, high = 1, scale = "log"}`` is drawn at random; anything else is fixed.

    rate = [0.03, 0.1, 0.3]
    efficiency = { low = 0.01, high = 1.0, scale = "log" }
    batch = 4
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anc.diagnostics import AncError
from anc.experiments.intervals import wilson
from anc.learning.members import Members
from anc.learning.settings import PER_MEMBER, TrainingSettings, changed
from anc.learning.training import Result


def grid_settings(
    base: TrainingSettings, table: dict[str, Any], samples: int, seed: int, where: str
) -> list[TrainingSettings]:
    """All settings of a grid; where it has ranges, `samples` draws of each of its points."""
    lists = {name: value for name, value in table.items() if isinstance(value, list)}
    ranges = {name: value for name, value in table.items() if isinstance(value, dict)}
    fixed = {n: v for n, v in table.items() if n not in lists and n not in ranges}
    for name, values in lists.items():
        if not values:
            raise AncError(f"{where}: the list of '{name}' is empty")
    for name, value in ranges.items():
        _check_range(name, value, where)
    base = changed(base, fixed, where)
    source = random.Random(seed)
    points = [dict(zip(lists, p, strict=True)) for p in itertools.product(*lists.values())]
    repeats = samples if ranges else 1
    found = []
    for point in points:
        for _ in range(repeats):
            drawn = {name: _draw(source, value) for name, value in ranges.items()}
            found.append(changed(base, point | drawn, where))
    return found


def _check_range(name: str, value: dict[str, Any], where: str) -> None:
    unknown = set(value) - {"low", "high", "scale"}
    if unknown or not {"low", "high"} <= set(value):
        raise AncError(
            f"{where}: '{name}' is not a range",
            help='a range is: { low = 0.01, high = 1.0, scale = "log" }',
        )
    low, high, scale = value["low"], value["high"], value.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise AncError(f"{where}: the scale of '{name}' is {scale!r}, expected linear or log")
    if not low < high or (scale == "log" and low <= 0):
        raise AncError(f"{where}: the range of '{name}' from {low} to {high} is not possible")


def _draw(source: random.Random, value: dict[str, Any]) -> float | int:
    low, high = value["low"], value["high"]
    if value.get("scale", "linear") == "log":
        return math.exp(source.uniform(math.log(low), math.log(high)))
    if isinstance(low, int) and isinstance(high, int):
        return source.randint(low, high)
    return source.uniform(low, high)


def populations(
    settings: list[TrainingSettings], seeds: int
) -> Iterator[tuple[list[int], Members]]:
    """Settings × seeds in as few populations as possible; with each, the settings' numbers.

    Settings that differ only in what may differ between members train side by side.
    """
    groups: dict[tuple, list[int]] = {}
    for number, one in enumerate(settings):
        shape = tuple(value for name, value in asdict(one).items() if name not in PER_MEMBER)
        groups.setdefault(shape, []).append(number)
    for numbers in groups.values():
        rows = [settings[number] for number in numbers for _ in range(seeds)]
        yield numbers, Members(tuple(rows), tuple(range(seeds)) * len(numbers))


@dataclass(frozen=True)
class RankedSettings:
    """How one setting did."""

    number: int
    settings: TrainingSettings
    successes: int
    interval: tuple[float, float]
    steps_best: float | None
    steps_median: float | None


def ranked(
    settings: list[TrainingSettings], results: list[tuple[list[int], Result]], seeds: int
) -> list[RankedSettings]:
    """The settings, best first: most successes, then fewest steps."""
    rows = []
    for numbers, result in results:
        for place, number in enumerate(numbers):
            part = slice(place * seeds, (place + 1) * seeds)
            won = result.succeeded[part]
            steps = result.steps[part][won]
            rows.append(
                RankedSettings(
                    number,
                    settings[number],
                    int(won.sum()),
                    wilson(int(won.sum()), seeds),
                    float(steps.min()) if len(steps) else None,
                    float(np.median(steps)) if len(steps) else None,
                )
            )
    return sorted(rows, key=lambda r: (-r.successes, r.steps_median or math.inf, r.number))
