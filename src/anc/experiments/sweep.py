"""A search for settings: a grid or a random sample of settings × seeds, in few populations.

A grid file is TOML: a setting with a list takes each of its values; a setting with a table
``{low = 0.01, high = 1, scale = "log"}`` is drawn at random; anything else is fixed. What a setting may
be says itself whether whole numbers are drawn.

    rate = [0.03, 0.1, 0.3]
    efficiency = { low = 0.01, high = 1.0, scale = "log" }
    batch = 4
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from anc.diagnostics import AncError, quoted
from anc.experiments.intervals import wilson
from anc.learning.members import Members
from anc.learning.settings import PER_MEMBER, TrainingSettings, changed
from anc.learning.training import Result
from anc.limits import as_real

KINDS = {each.name: str(each.type) for each in fields(TrainingSettings)}
MOST = 10_000  # settings of one sweep


def grid_settings(
    base: TrainingSettings, table: dict[str, Any], samples: int, seed: int, where: str
) -> list[TrainingSettings]:
    """All settings of a grid; where it has ranges, `samples` draws of each of its points."""
    lists = {name: value for name, value in table.items() if isinstance(value, list)}
    ranges = {name: value for name, value in table.items() if isinstance(value, dict)}
    fixed = {n: v for n, v in table.items() if n not in lists and n not in ranges}
    if not lists and not ranges:
        raise AncError(
            f"{where} varies nothing",
            help="give a setting a list, such as rate = [0.1, 0.3], or a range: { low = 0.1, high = 1 }",
        )
    for name, values in lists.items():
        if not values:
            raise AncError(f"{where}: the list of {quoted(name)} is empty")
    for name, value in ranges.items():
        _check_range(name, value, where)
    base = _replaced(base, fixed, where)
    ends = {name: [value["low"], value["high"]] for name, value in ranges.items()}
    for name, values in (lists | ends).items():
        for one in values:
            _replaced(base, {name: one}, where)
    count = math.prod(map(len, lists.values())) * (samples if ranges else 1)
    if count > MOST:
        raise AncError(
            f"{where}: these are {count:,} settings, but a sweep tries at most {MOST:,}",
            help="shorten its lists, or draw ranges with fewer --samples",
        )
    source = random.Random(seed)
    points = [dict(zip(lists, p, strict=True)) for p in itertools.product(*lists.values())]
    found = []
    for point in points:
        for _ in range(samples if ranges else 1):
            drawn = {name: _draw(source, name, value) for name, value in ranges.items()}
            found.append(_replaced(base, point | drawn, where))
    return found


def _replaced(base: TrainingSettings, values: dict[str, Any], where: str) -> TrainingSettings:
    """The settings with these values; what is wrong with one is said of the grid."""
    try:
        return changed(base, values, where)
    except AncError as problem:
        message = problem.message.removeprefix("settings: ").removeprefix(f"{where}: ")
        raise AncError(f"{where}: {message}", problem.help) from None


def _check_range(name: str, value: dict[str, Any], where: str) -> None:
    about = f"{where}: the range of {quoted(name)}"
    if KINDS.get(name) == "str":
        raise AncError(f"{about} is not possible: it is a word", help="give a list of words")
    unknown = [key for key in value if key not in ("low", "high", "scale")]
    missing = [key for key in ("low", "high") if key not in value]
    if unknown or missing:
        wrong = f"has no '{missing[0]}'" if missing else f"has an unknown {quoted(unknown[0])}"
        raise AncError(
            f"{about} {wrong}", help='a range is: { low = 0.01, high = 1.0, scale = "log" }'
        )
    for key in ("low", "high"):
        limit = value[key]
        if as_real(limit) is None:
            raise AncError(f"{about}: '{key}' is {quoted(limit)}, expected a number")
        if KINDS.get(name) == "int" and int(limit) != limit:
            raise AncError(f"{about}: '{key}' is {quoted(limit)}, expected a whole number")
    low, high, scale = value["low"], value["high"], value.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise AncError(f"{about}: 'scale' is {quoted(scale)}, expected linear or log")
    if not low < high:
        raise AncError(
            f"{about} goes from {quoted(low)} to {quoted(high)}: 'low' must be less than 'high'"
        )
    if scale == "log" and low <= 0:
        raise AncError(f"{about}: 'low' is {quoted(low)}, but a log scale begins above 0")


def _draw(source: random.Random, name: str, value: dict[str, Any]) -> float | int:
    low, high = value["low"], value["high"]
    is_log = value.get("scale", "linear") == "log"
    if KINDS.get(name) == "int" and not is_log:
        return source.randint(int(low), int(high))
    drawn = math.exp(source.uniform(math.log(low), math.log(high))) if is_log else None
    number = source.uniform(low, high) if drawn is None else min(max(drawn, low), high)
    return round(number) if KINDS.get(name) == "int" else number


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

    @property
    def merit(self) -> tuple[float, float]:
        """Less is better: most successes, then fewest steps; equals are a tie."""
        return -self.successes, math.inf if self.steps_median is None else self.steps_median


@dataclass(frozen=True)
class Swept:
    """What a sweep found: the settings, best first, and the names of those that vary."""

    rows: tuple[RankedSettings, ...]
    varied: tuple[str, ...]
    seeds: int
    seconds: float

    @property
    def best(self) -> TrainingSettings | None:
        """The best settings; None if none ever succeeded."""
        return self.rows[0].settings if self.rows and self.rows[0].successes else None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        rows = [
            {
                "number": row.number,
                "successes": row.successes,
                "success_rate": row.successes / self.seeds,
                "interval": list(row.interval),
                "steps_best": row.steps_best,
                "steps_median": row.steps_median,
                "settings": asdict(row.settings),
            }
            for row in self.rows
        ]
        return {
            "seeds": self.seeds,
            "varied": list(self.varied),
            "seconds": round(self.seconds, 2),
            "rows": rows,
            "best": None if self.best is None else asdict(self.best),
        }


def varied_in(table: dict[str, Any]) -> tuple[str, ...]:
    """The settings that a grid varies."""
    return tuple(name for name, value in table.items() if isinstance(value, list | dict))


def ranked(
    settings: list[TrainingSettings], results: list[tuple[list[int], Result]], seeds: int
) -> list[RankedSettings]:
    """The settings, best first: most successes, then fewest steps; of a tie, the grid's order."""
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
    return sorted(rows, key=lambda row: (row.merit, row.number))
