"""Training settings: as options, as TOML files, with published values and ours.

Loss weights have names here; in the paper's appendix they are α (correctness), β (halting),
γ (confidence) and δ (efficiency).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from anc.support import limits
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.files import read_limited

T = TypeVar("T")
MAX_BYTES = 1_000_000  # of a file of settings
# settings of the objective that may differ between members, in the kernels' order
MEMBER_SETTINGS = ("correctness", "halting", "confidence", "efficiency", "rate", "clip")
# all settings that may differ between the members of a population
PER_MEMBER = (*MEMBER_SETTINGS, "sharpness")
STEPS = replace(limits.MAX_STEPS, most=1_000_000)  # the state after each step is stored
SHARE = limits.Real("share", 0, 1)


def setting(
    default: T, help: str, kind: tuple[str, ...] | limits.Whole | limits.Real = limits.WEIGHT
) -> T:
    """A settings field with its help text and its domain: some words, or a kind of number."""
    choices = kind if isinstance(kind, tuple) else ()
    return field(default=default, metadata={"help": help, "choices": choices, "kind": kind})


@dataclass(frozen=True)
class TrainingSettings:
    """How to train. The defaults are sensible for a program without tuned settings."""

    registers: int = setting(
        0,
        "Train with N registers in total, at least as many as the program needs.",
        limits.REGISTERS,
    )
    max_steps: int = setting(60, "Stop a soft run after N steps (T_max).", STEPS)
    iterations: int = setting(2000, "Train for N iterations.", limits.ITERATIONS)
    batch: int = setting(4, "Use N cases per member and iteration.", limits.COUNT)
    correctness: float = setting(10.0, "Weigh the correctness term by this.")
    halting: float = setting(10.0, "Weigh the halting term by this.")
    confidence: float = setting(1.0, "Weigh the confidence term by this.")
    efficiency: float = setting(0.1, "Weigh the efficiency term by this.")
    optimiser: str = setting("adam", "Use this optimiser.", ("adam", "sgd"))
    rate: float = setting(0.1, "Use this learning rate.", limits.SHARPNESS)
    rate_schedule: str = setting(
        "constant", "Keep the learning rate, or lower it along a cosine.", ("constant", "cosine")
    )
    clip: float = setting(1.0, "Clip gradients to this norm; 0 does not clip.")
    noise: float = setting(0.0, "Add gradient noise of this size, falling as (1 + t)^-0.275.")
    sharpness: float = setting(
        limits.SOFT,
        "Soften the program with this sharpness, for soft starts and for the pull.",
        limits.SHARPNESS,
    )
    sharpness_spread: float = setting(
        0.0, "Vary the sharpness of starts by this share.", limits.Real("share", 0, 0.999)
    )
    start: str = setting(
        "soft",
        "Start members from these weights; exact is sharpness 30.",
        ("soft", "exact", "random"),
    )
    pull_weights: float = setting(
        0.0, "Pull the weights towards the generic program this strongly (appendix D)."
    )
    pull_probabilities: float = setting(
        0.0, "Pull the probabilities towards the generic program this strongly."
    )
    pull_until: float = setting(0.3, "Let the pulls fall to 0 during this share of the run.", SHARE)
    efficiency_ramp: float = setting(
        0.0, "Let the efficiency weight grow from 0 during this share of the run.", SHARE
    )
    restart_after: int = setting(
        0,
        "Restart members that have not succeeded after N iterations; 0 means never.",
        replace(limits.ITERATIONS, least=0),
    )
    stop_gradient: str = setting(
        "cut",
        "Cut the gradient of the stop probability, as published, or use it in full.",
        ("cut", "full"),
    )
    threshold: float = setting(
        0.9, "Halt a run at this stop probability.", limits.Real("threshold", 0.001, 0.999)
    )
    validate_every: int = setting(50, "Validate every N iterations.", limits.ITERATIONS)

    def __post_init__(self) -> None:
        problems = []
        for each in fields(self):
            value, choices = getattr(self, each.name), each.metadata["choices"]
            try:
                if choices:
                    limits.check_word(each.name, value, choices)
                else:
                    each.metadata["kind"].check(value, each.name)
            except AncError as problem:
                problems.append(problem.message)
        if problems:
            raise AncError("settings: " + "; ".join(problems))

    @property
    def is_pulled(self) -> bool:
        """Whether a penalty pulls towards the generic program."""
        return self.pull_weights > 0 or self.pull_probabilities > 0

    def to_toml(self) -> str:
        """The settings as a TOML file, which `read_toml` reads."""
        rows = []
        for name, value in asdict(self).items():
            rows.append(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value!r}")
        return "\n".join(rows) + "\n"


_ABOUT = {each.name: each.metadata for each in fields(TrainingSettings)}
NAMES = tuple(_ABOUT)


def kind_of(name: str) -> limits.Whole | limits.Real:
    """The kind of number that a setting is."""
    return replace(_ABOUT[name]["kind"], name=name)


def changed(settings: TrainingSettings, values: dict[str, Any], where: str = "settings"):
    """The settings with some values replaced; refuse unknown names, suggesting a close match."""
    for name in values:
        if name not in NAMES:
            match = close_match(name, NAMES)
            raise AncError(
                f"{where}: there is no setting {quoted(name)}",
                help=f"did you mean '{match}'?"
                if match
                else "the settings are " + ", ".join(NAMES),
            )
    numbers = {"float": limits.as_real, "int": limits.as_whole}
    kinds = {each.name: numbers.get(str(each.type)) for each in fields(TrainingSettings)}
    read = {name: kind(values[name]) for name, kind in kinds.items() if kind and name in values}
    clean = {name: value for name, value in read.items() if value is not None}
    return replace(settings, **values | clean)


def refuse_idle(settings: TrainingSettings, given: Iterable[str]) -> None:
    """Refuse settings that the user gave explicitly but that have no effect with the others."""
    because: dict[str, str] = {}
    if not settings.is_pulled:
        because["pull_until"] = "is about a pull, and there is none"
    if settings.start != "soft":
        start = f"is about a start that is soft, and start is '{settings.start}'"
        because["sharpness_spread"] = start
        if not settings.is_pulled:  # a pull uses weights of this sharpness
            because["sharpness"] = start
    for name in given:
        if name in because:
            raise AncError(f"{name} {because[name]}", help="leave it out")


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file, or the reason why it cannot be read."""
    data = read_limited(path, "a file of settings", MAX_BYTES)
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as problem:
        raise AncError(f"cannot read {path}: {problem}") from None
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as problem:
        raise AncError(f"{path} is not TOML: {problem}") from None


def load_settings(name: str, which: str) -> TrainingSettings:
    """The settings for a task that come with anc; `which` is published or ours."""
    table = _table(which)
    if name in table:
        return changed(TrainingSettings(), table.get("all", {}) | table[name], f"{which}.toml")
    raise AncError(
        f"there are no {which} settings for '{name}'", help=f"there are for: {', '.join(table)}"
    )


def usual_settings(name: str) -> TrainingSettings:
    """Our settings for a task, or the defaults for anything else."""
    return load_settings(name, "ours") if has_settings(name) else TrainingSettings()


def has_settings(name: str) -> bool:
    """Whether there are settings of ours for a task."""
    return name in _table("ours")


@cache
def _table(which: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("anc.training") / f"{which}.toml").read_text())
