"""Many trainings: sweeps over settings, the paper's table, and the experiments beyond it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc import limits, programs
from anc.api.arguments import checked
from anc.api.given import (
    Samples,
    checked_call,
    checked_path,
    checked_words,
    of_the_caller,
    problem_of,
)
from anc.diagnostics import AncError, quoted

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.spread.chunk import Chunk
    from anc.spread.outcome import Outcome
    from anc.spread.store import Store
    from anc.spread.sweep import Swept
    from anc.spread.table1 import Row


@checked(draws=limits.COUNT)
def sweep(
    program: What,
    grid: Mapping[str, Any] | str | Path,
    samples: Samples | None = None,
    seeds: int = 20,
    draws: int = 20,
    seed: int = 0,
    engine: str = "fused",
    keep: str | Path | None = None,
    on: str = "local",
    jobs: int | None = None,
    tell: Callable[[Swept], None] | None = None,
    halving: bool = False,
    **settings: Any,
) -> Swept:
    """Train many settings side by side, and rank them.

    In the grid, a dictionary or a TOML file, a list is tried value by value, a range
    `{"low": 0.01, "high": 1, "scale": "log"}` is drawn at random (`draws` times, from this seed), and
    anything else is fixed. `settings` are what the grid changes, `samples` as in `anc.adapt`.

    What is trained is kept in the folder `keep`, if one is named: with the same one, only what is missing is
    trained. `on` and `jobs` are the command's; `tell` is called with what is known whenever that is more.

    With `halving`, settings that look bad after an eighth, a quarter or a half of the iterations are dropped:
    0.27 of the work. A row says how many `iterations` it is of.

    >>> import anc
    >>> found = anc.sweep("access", {"rate": [0.01, 0.1], "iterations": 20}, seeds=2)
    >>> len(found.rows), found.varied, found.rows[0].successes <= 2
    (2, ('rate',), True)
    """
    from anc.learning.engines import chosen_engine
    from anc.learning.settings import changed, read_toml, usual_settings
    from anc.spread.going import outcomes
    from anc.spread.halving import Halving
    from anc.spread.on import executor
    from anc.spread.sweep import Sweep, grid_settings, varied_in

    checked_call("tell", tell)
    if not isinstance(grid, Mapping | str | Path):
        raise AncError("grid is a dictionary of settings, or the name of a TOML file")
    chosen = chosen_engine(engine)
    workers, store = executor(on, jobs), _store(keep)
    problem = problem_of(program, samples, 0)
    is_file = isinstance(grid, str | Path)
    table = read_toml(Path(grid)) if isinstance(grid, str | Path) else _grid(grid)
    base = changed(usual_settings(problem.name), settings)
    plans = grid_settings(base, table, draws, seed, str(grid) if is_file else "grid")
    made = Sweep(problem, plans, varied_in(table), seeds, chosen)

    def train(parts: Sequence[Chunk]) -> Iterator[tuple[Chunk, Outcome]]:
        for part, outcome in outcomes(parts, workers, store):
            made.add(part, outcome)
            if tell is not None:
                tell(made.swept())
            yield part, outcome

    rungs = Halving(made.by_setting, train, made.rungs).climb() if halving else train(made.parts)
    for _ in rungs:
        pass
    return made.swept()


def _grid(given: Mapping[Any, Any]) -> dict[str, Any]:
    """A grid as a file says it: tuples, arrays and the like are lists."""
    for name in given:
        if not isinstance(name, str):
            raise AncError(f"grid: there is no setting {quoted(name)}")
    return {
        name: list(value) if limits.is_listed(value) and not isinstance(value, Mapping) else value
        for name, value in given.items()
    }


@checked()
def table1(
    tasks: Sequence[str] = ("access", "increment", "swap", "listk", "addition", "sort"),
    seeds: int = 100,
    settings: str = "ours",
    engine: str = "fused",
    keep: str | Path | None = None,
    on: str = "local",
    jobs: int | None = None,
    tell: Callable[[list[Row]], None] | None = None,
) -> list[Row]:
    """The experiments of the paper's Table 1: a row for each task, in iterations (steps + 1).

    `settings` are the "published" ones or "ours". What is trained is kept in the folder `keep`, if one is
    named (`table1-ours/chunks` is the command's): with the same one, only what is missing is trained.
    `on` and `jobs` are the command's; `tell` is called with the rows so far whenever more is known.

    >>> import anc
    >>> row, = anc.table1(["access"], seeds=2)
    >>> row.task, row.seeds, row.generic
    ('access', 2, 6.0)
    """
    from anc.learning.engines import chosen_engine
    from anc.learning.problem import from_task
    from anc.learning.settings import load_settings
    from anc.spread.going import outcomes
    from anc.spread.on import executor
    from anc.spread.table1 import Table
    from anc.tasks import get

    checked_call("tell", tell)
    limits.check_word("settings", settings, ("published", "ours"))
    names = checked_words("tasks", tasks, programs.names())
    chosen = chosen_engine(engine)
    workers, store = executor(on, jobs), _store(keep)
    known = {name: (get(name), load_settings(name, settings)) for name in names}
    plans = {name: (from_task(task), plan) for name, (task, plan) in known.items()}
    table = Table(plans, seeds, chosen)
    for part, outcome in outcomes(table.parts, workers, store):
        table.add(part, outcome)
        if tell is not None:
            tell(table.rows())
    return table.rows()


def _store(keep: str | Path | None) -> Store | None:
    """The folder of what is trained, if one is named; of damaged files in it one is warned."""
    from anc.spread.store import Store

    if keep is None:
        return None
    return Store.at(
        checked_path(keep), lambda text: warnings.warn(text, stacklevel=of_the_caller())
    )


@checked()
def experiment(name: str, seeds: int = 5, **options: Any) -> list[dict[str, Any]]:
    """An experiment beyond the paper's: "digits", "paths" or "eviction"; a row for each training.

    Options are those of the command: `tasks`, `steps` and `soft` (also through the soft machine, which
    takes long) of digits, `steps` of paths, `proposals` of eviction.

    >>> import anc
    >>> row, = anc.experiment("eviction", seeds=1, proposals=50)
    >>> row["seed"], row["adapted"] <= row["generic"]
    (0, True)
    """
    import anc_experiments

    return anc_experiments.rows(name, seeds, options)
