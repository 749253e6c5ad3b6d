"""Sweeps: a grid or a random sample of settings × seeds, cut into parts and ranked.

A grid file is TOML: a setting with a list takes each of its values, a setting with a table
``{low = 0.01, high = 1, scale = "log"}`` is drawn at random, and anything else is fixed. Whole numbers are drawn for
settings that are whole numbers.

    rate = [0.03, 0.1, 0.3]
    efficiency = { low = 0.01, high = 1.0, scale = "log" }
    batch = 4
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from anc.support.diagnostics import AncError, quoted
from anc.support.limits import as_real
from anc.training.distributed.chunk import Chunk, chunks_of, portable
from anc.training.distributed.scheduler import check_trainings
from anc.training.members import Members
from anc.training.problem import Problem
from anc.training.result import TrainingOutcome, wilson
from anc.training.settings import TrainingSettings, changed

KINDS = {each.name: str(each.type) for each in fields(TrainingSettings)}
MOST = 10_000  # settings of one sweep


def grid_settings(
    base: TrainingSettings, table: dict[str, Any], samples: int, seed: int, where: str
) -> list[TrainingSettings]:
    """All settings of a grid; with ranges, `samples` draws for each of its points."""
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
    """The settings with these values; errors are reported for the grid."""
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


@dataclass(frozen=True)
class RankedSettings:
    """The results of one setting, over the seeds that were trained."""

    number: int
    seeds: int
    iterations: int  # for which each was trained
    successes: int  # on the test cases or, before the end, on the validation cases
    success_rate: float
    interval: tuple[float, float]
    steps_best: float | None
    steps_median: float | None
    settings: TrainingSettings

    @staticmethod
    def of(number: int, settings: TrainingSettings, found: TrainingOutcome) -> RankedSettings:
        won, S = found.successes, found.S
        numbers = S, found.iteration, won, won / S, wilson(won, S)
        return RankedSettings(number, *numbers, found.steps_best, found.steps_median, settings)

    @property
    def is_whole(self) -> bool:
        """Whether it was trained to the end."""
        return self.iterations >= self.settings.iterations

    @property
    def merit(self) -> tuple[float, float]:
        """The rank key; smaller is better: most successes, then fewest steps.

        Settings may have been trained with different numbers of seeds, so successes count by the lower end of their
        interval.
        """
        return -self.interval[0], math.inf if self.steps_median is None else self.steps_median


@dataclass(frozen=True)
class Swept:
    """The result of a sweep: the settings, best first, and the names of those that vary."""

    rows: tuple[RankedSettings, ...]
    varied: tuple[str, ...]
    seeds: int
    seconds: float  # of all workers together, including earlier runs
    trainings: int  # in all
    trained: int  # of them, to the end
    work: float  # the share of all iterations that was done

    @property
    def best(self) -> TrainingSettings | None:
        """The best settings; None if none ever succeeded."""
        return self.rows[0].settings if self.rows and self.rows[0].successes else None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        return {
            "seeds": self.seeds,
            "varied": list(self.varied),
            "trainings": self.trainings,
            "trained": self.trained,
            "work": round(self.work, 4),
            "seconds": round(self.seconds, 2),
            "rows": [asdict(row) | {"interval": list(row.interval)} for row in self.rows],
            "best": None if self.best is None else asdict(self.best),
        }


class Sweep:
    """A sweep in progress: settings × seeds in parts, and the outcomes so far."""

    def __init__(
        self,
        problem: Problem,
        settings: list[TrainingSettings],
        varied: tuple[str, ...],
        seeds: int,
        engine: str,
    ) -> None:
        check_trainings(len(settings) * seeds)
        self.settings, self.varied, self.seeds = settings, varied, seeds
        alone = portable(problem)
        self.by_setting = [chunks_of(alone, Members.alike(one, seeds), engine) for one in settings]
        self.rungs: dict[int, int] = {}  # the last rung of each setting, with halving
        self._numbers: dict[str, list[int]] = {}
        for number, some in enumerate(self.by_setting):
            for part in some:
                self._numbers.setdefault(part.key, []).append(number)
        self._found: dict[str, TrainingOutcome] = {}
        self._rows: dict[int, RankedSettings] = {}
        self._changed: set[int] = set()  # settings with new outcomes

    @property
    def parts(self) -> list[Chunk]:
        """All parts to train."""
        return [part for some in self.by_setting for part in some]

    def add(self, part: Chunk, outcome: TrainingOutcome) -> None:
        """Add the outcome of a part, also of one that was trained until some iteration."""
        key = replace(part, until=None, begin=None).key
        self._found[key] = outcome
        self._changed.update(self._numbers[key])

    def swept(self) -> Swept:
        """The settings trained so far, best first; ties in the order of the grid.

        Settings that were dropped come last.
        """
        for number in self._changed:
            found = [self._found[p.key] for p in self.by_setting[number] if p.key in self._found]
            self._rows[number] = RankedSettings.of(
                number, self.settings[number], TrainingOutcome.joined(found)
            )
        self._changed.clear()
        rows = sorted(
            self._rows.values(),
            key=lambda row: (-self.rungs.get(row.number, 0), row.merit, row.number),
        )
        done = {key: one for key, one in self._found.items() if one.is_done and one.cases_tested}
        iterations = sum(
            one.S * one.iteration * len(self._numbers[key]) for key, one in self._found.items()
        )
        return Swept(
            tuple(rows),
            self.varied,
            self.seeds,
            seconds=sum(one.seconds for one in self._found.values()),
            trainings=len(self.settings) * self.seeds,
            trained=sum(one.S * len(self._numbers[key]) for key, one in done.items()),
            work=iterations / (self.seeds * sum(one.iterations for one in self.settings)),
        )


def varied_in(table: dict[str, Any]) -> tuple[str, ...]:
    """The settings that a grid varies."""
    return tuple(name for name, value in table.items() if isinstance(value, list | dict))
