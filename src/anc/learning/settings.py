"""Every setting of a training run, as options, as a TOML file, and with the published values.

Loss weights have names here; in the paper's appendix they are α (correctness), β (halting),
γ (confidence) and δ (efficiency).
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError, close_match

CHOICES = {
    "optimiser": ("adam", "sgd"),
    "rate_schedule": ("constant", "cosine"),
    "start": ("soft", "exact", "random"),
    "stop_gradient": ("cut", "full"),
}
# what may differ between the members of one population
PER_MEMBER = (
    "correctness",
    "halting",
    "confidence",
    "efficiency",
    "rate",
    "clip",
    "sharpness",
)


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; the defaults are sensible for a program that nobody has tuned settings for."""

    registers: int = 0  # how many in all; fewer than the program needs means: as many as it needs
    max_steps: int = 60
    iterations: int = 2000
    batch: int = 4
    correctness: float = 10.0
    halting: float = 10.0
    confidence: float = 1.0
    efficiency: float = 0.1
    optimiser: str = "adam"
    rate: float = 0.1
    rate_schedule: str = "constant"
    clip: float = 1.0  # largest norm of a gradient; 0 means no clipping
    noise: float = 0.0  # standard deviation of gradient noise; falls as (1 + t)^-0.275
    sharpness: float = 5.0
    sharpness_spread: float = 0.0  # each start draws its sharpness from sharpness · (1 ± spread)
    start: str = "soft"  # soft compilation, exact compilation (sharpness 30), or random weights
    pull_weights: float = 0.0  # appendix D, for random starts; falls to 0 over pull_until
    pull_probabilities: float = 0.0
    pull_until: float = 0.3  # a share of the iterations
    efficiency_ramp: float = 0.0  # share of the iterations over which efficiency grows from 0
    restart_after: int = 0  # start a member again when it has found nothing after so many; 0: never
    stop_gradient: str = "cut"
    threshold: float = 0.9
    validate_every: int = 50

    def __post_init__(self) -> None:
        problems = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in CHOICES:
                if value not in CHOICES[field.name]:
                    wanted = " or ".join(CHOICES[field.name])
                    problems.append(f"{field.name} is {value!r}, expected {wanted}")
            elif not isinstance(value, (int, float)) or isinstance(value, bool):
                problems.append(f"{field.name} is {value!r}, expected a number")
            elif field.type == "int" and int(value) != value:
                problems.append(f"{field.name} is {value}, expected a whole number")
            elif not value >= 0 or value == float("inf"):
                problems.append(f"{field.name} is {value}, expected a number from 0 up")
        for name in ("max_steps", "iterations", "batch", "validate_every", "sharpness", "rate"):
            if not problems and not getattr(self, name) > 0:
                problems.append(f"{name} is {getattr(self, name)}, expected more than 0")
        if not problems and not 0 < self.threshold < 1:
            problems.append(f"threshold is {self.threshold}, expected a number between 0 and 1")
        if not problems and self.sharpness_spread >= 1:
            problems.append(f"sharpness_spread is {self.sharpness_spread}, expected less than 1")
        if problems:
            raise AncError("settings: " + "; ".join(problems))

    def to_toml(self) -> str:
        """A settings file that `from_toml` reads."""
        rows = []
        for name, value in asdict(self).items():
            rows.append(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value!r}")
        return "\n".join(rows) + "\n"


NAMES = tuple(field.name for field in fields(TrainingSettings))


def changed(settings: TrainingSettings, values: dict[str, Any], where: str = "settings"):
    """The settings with some values replaced; unknown names are refused with a close match."""
    for name in values:
        if name not in NAMES:
            match = close_match(name, NAMES)
            raise AncError(
                f"{where}: there is no setting '{name}'",
                help=f"did you mean '{match}'?"
                if match
                else "the settings are " + ", ".join(NAMES),
            )
    kinds = {field.name: field.type for field in fields(TrainingSettings)}
    clean: dict[str, Any] = {
        name: float(value) if kinds[name] == "float" and type(value) is int else value
        for name, value in values.items()
    }
    return replace(settings, **clean)


def read_toml(path: Path) -> dict[str, Any]:
    """The table of a TOML file, or the reason that there is none."""
    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as problem:
        raise AncError(f"cannot read {path}: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise AncError(f"{path} is not TOML: {problem}") from None


def load_settings(name: str, which: str) -> TrainingSettings:
    """The settings that come with anc for a task: `which` is published or ours."""
    table = tomllib.loads((resources.files("anc.learning") / f"{which}.toml").read_text())
    if name in table:
        return changed(TrainingSettings(), table.get("all", {}) | table[name], f"{which}.toml")
    raise AncError(
        f"there are no {which} settings for '{name}'", help=f"there are for: {', '.join(table)}"
    )


def has_settings(name: str, which: str) -> bool:
    return name in tomllib.loads((resources.files("anc.learning") / f"{which}.toml").read_text())
