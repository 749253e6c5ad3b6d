"""Experiments beyond the paper's: digits, paths in graphs, and a cache.

Each trains networks or programs through anc and compares them with the best that there can be. `anc experiment` and
`anc.experiment` find them here, by name with their options, and get a row for each training; nothing in anc needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from anc import limits
from anc.api.given import checked_words
from anc.diagnostics import AncError, quoted

_OPTIONS = {"digits": {"tasks", "steps", "soft"}, "paths": {"steps"}, "eviction": {"proposals"}}
_KINDS: dict[str, limits.Kind] = {
    "proposals": limits.PROPOSALS,
    "steps": limits.ITERATIONS,
    "soft": limits.FLAG,
}


def rows(name: str, seeds: int, options: dict[str, Any]) -> list[dict[str, Any]]:
    """What an experiment finds with so many seeds: a row for each training."""
    limits.check_word("name", name, tuple(_OPTIONS))
    unknown = sorted(options.keys() - _OPTIONS[name])
    if unknown:
        raise AncError(f"the experiment '{name}' has no option {quoted(unknown[0])}")
    options = {
        option: _KINDS[option].check(value, option) if option in _KINDS else value
        for option, value in options.items()
        if value is not None
    }
    if name == "digits":
        return _digits(seeds, **options)
    if name == "paths":
        from anc_experiments import paths

        judged = paths.Paths(paths.Training(**options))
        pairs = [(method, seed) for method in paths.METHODS for seed in range(seeds)]
        return [asdict(judged.learn(*pair)) for pair in pairs]
    from anc_experiments.eviction import adapt

    return [asdict(adapt(seed, options.get("proposals", 20_000))[0]) for seed in range(seeds)]


def _digits(
    seeds: int, tasks: Sequence[str] | None = None, steps: int | None = None, soft: bool = False
) -> list[dict[str, Any]]:
    from anc_experiments.digits.data import load_pictures
    from anc_experiments.digits.methods import METHODS, Experiment
    from anc_experiments.digits.network import Training
    from anc_experiments.digits.tasks import TASKS, get_task

    chosen = [
        get_task(name)
        for name in (TASKS if tasks is None else checked_words("tasks", tasks, TASKS))
    ]
    made = Experiment(load_pictures(), seeds, Training(steps=steps) if steps else Training())
    methods = [method for method in METHODS if soft or method != "soft"]
    return [asdict(made.learn(task, method)) for task in chosen for method in methods]
