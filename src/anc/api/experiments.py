"""Many trainings: sweeps over settings, the paper's table, and the experiments beyond it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc import limits
from anc.api.given import Samples, checked_texts, problem_of
from anc.diagnostics import AncError, quoted

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.experiments.sweep import Swept
    from anc.experiments.table1 import Row
    from anc.learning.members import Members
    from anc.learning.problem import Problem
    from anc.learning.training import Result


def sweep(
    program: What,
    grid: Mapping[str, Any] | str | Path,
    samples: Samples | None = None,
    seeds: int = 20,
    draws: int = 20,
    seed: int = 0,
    engine: str = "fused",
    **settings: Any,
) -> Swept:
    """Train many settings side by side, and rank them.

    In the grid, a dictionary or a TOML file, a list is tried value by value, a range
    `{"low": 0.01, "high": 1, "scale": "log"}` is drawn at random (`draws` times, from this seed), and
    anything else is fixed. `settings` are what the grid changes, `samples` as in `anc.adapt`.

    >>> import anc
    >>> found = anc.sweep("access", {"rate": [0.01, 0.1], "iterations": 20}, seeds=2)
    >>> len(found.rows), found.varied, found.rows[0].successes <= 2
    (2, ('rate',), True)
    """
    from anc.experiments.sweep import Swept, grid_settings, populations, ranked, varied_in
    from anc.learning.settings import changed, read_toml, usual_settings

    limits.check(seeds=seeds, seed=seed)
    limits.COUNT.check(draws, "draws")
    if not isinstance(grid, Mapping | str | Path):
        raise AncError("grid is a dictionary of settings, or the name of a TOML file")
    problem = problem_of(program, samples, 0)
    is_file = isinstance(grid, str | Path)
    table = read_toml(Path(grid)) if isinstance(grid, str | Path) else dict(grid)
    base = changed(usual_settings(problem.name), settings)
    plans = grid_settings(base, table, draws, seed, str(grid) if is_file else "grid")
    results = [
        (numbers, _trained(problem, members, engine))
        for numbers, members in populations(plans, seeds)
    ]
    rows = ranked(plans, results, seeds)
    return Swept(tuple(rows), varied_in(table), seeds, sum(r.seconds for _, r in results))


def table1(
    tasks: Sequence[str] = ("access", "increment", "swap", "listk", "addition", "sort"),
    seeds: int = 100,
    settings: str = "ours",
    engine: str = "fused",
) -> list[Row]:
    """The experiments of the paper's Table 1: a row for each task, in iterations (steps + 1).

    `settings` are the "published" ones or "ours".

    >>> import anc
    >>> row, = anc.table1(["access"], seeds=2)
    >>> row.task, row.seeds, row.generic
    ('access', 2, 6.0)
    """
    from anc.experiments.table1 import row_of
    from anc.learning.members import Members
    from anc.learning.problem import from_task
    from anc.learning.settings import load_settings
    from anc.tasks import get

    limits.check(seeds=seeds)
    limits.check_word("settings", settings, ("published", "ours"))
    names = checked_texts("tasks", tasks)
    plans = [(get(name), load_settings(name, settings)) for name in names]
    return [
        row_of(_trained(from_task(task), Members.alike(plan, seeds), engine))
        for task, plan in plans
    ]


def experiment(name: str, seeds: int = 5, **options: Any) -> list[dict[str, Any]]:
    """An experiment beyond the paper's: "digits", "paths" or "eviction"; a row for each training.

    Options are those of the command: `tasks`, `steps` and `soft` (also through the soft machine, which
    takes long) of digits, `steps` of paths, `proposals` of eviction.

    >>> import anc
    >>> row, = anc.experiment("eviction", seeds=1, proposals=50)
    >>> row["seed"], row["adapted"] <= row["generic"]
    (0, True)
    """
    limits.check(seeds=seeds)
    known = {"digits": {"tasks", "steps", "soft"}, "paths": {"steps"}, "eviction": {"proposals"}}
    limits.check_word("name", name, tuple(known))
    unknown = sorted(options.keys() - known[name])
    if unknown:
        raise AncError(f"the experiment '{name}' has no option {quoted(unknown[0])}")
    options = {option: value for option, value in options.items() if value is not None}
    limits.check(proposals=options.get("proposals"))
    if "steps" in options:
        limits.ITERATIONS.check(options["steps"], "steps")
    if name == "digits":
        return _digits(seeds, **options)
    if name == "paths":
        from anc.experiments import paths

        judged = paths.Paths(paths.Training(**options))
        pairs = [(method, seed) for method in paths.METHODS for seed in range(seeds)]
        return [asdict(judged.learn(*pair)) for pair in pairs]
    from anc.experiments.eviction import adapt

    return [asdict(adapt(seed, options.get("proposals", 20_000))[0]) for seed in range(seeds)]


def _digits(
    seeds: int, tasks: Sequence[str] | None = None, steps: int | None = None, soft: bool = False
) -> list[dict[str, Any]]:
    from anc.experiments.digits.data import load_pictures
    from anc.experiments.digits.methods import METHODS, Experiment
    from anc.experiments.digits.network import Training
    from anc.experiments.digits.tasks import TASKS, get_task

    chosen = [
        get_task(name) for name in (TASKS if tasks is None else checked_texts("tasks", tasks))
    ]
    made = Experiment(load_pictures(), seeds, Training(steps=steps) if steps else Training())
    methods = [method for method in METHODS if soft or method != "soft"]
    return [asdict(made.learn(task, method)) for task in chosen for method in methods]


def _trained(problem: Problem, members: Members, engine: str) -> Result:
    from anc.learning.engines import check_memory
    from anc.learning.engines import engine as find_engine
    from anc.learning.training import Training, run

    check_memory(problem, members, engine)
    return run(Training(problem, members, find_engine(engine)))
