"""Training settings as fields: a base, and an option for each setting."""

from __future__ import annotations

from dataclasses import KW_ONLY, fields
from pathlib import Path
from typing import Any

from anc.commands.kinds import OneOf
from anc.commands.request import OfProgram, R, option
from anc.support.diagnostics import AncError
from anc.training.settings import (
    TrainingSettings,
    changed,
    kind_of,
    load_settings,
    read_toml,
    refuse_idle,
    usual_settings,
)

SETS = ("published", "ours")  # shipped with anc
_ABOUT = {each.name: each.metadata for each in fields(TrainingSettings)}

BASE = option(
    None,
    "Start from the published settings, ours, or a TOML file.  [default: ours, if there are any]",
    metavar="published|ours|FILE",
    section="Training",
)


def _of(name: str) -> Any:
    """The option of a setting; its default comes from the task or from a file."""
    about = _ABOUT[name]
    kind = OneOf(about["choices"]) if about["choices"] else kind_of(name)
    return option(None, about["help"], kind, section="Training")


class Settings(OfProgram[R]):
    """A request with training settings, each of which can be given individually."""

    _: KW_ONLY
    registers: int | None = _of("registers")
    max_steps: int | None = _of("max_steps")
    iterations: int | None = _of("iterations")
    batch: int | None = _of("batch")
    correctness: float | None = _of("correctness")
    halting: float | None = _of("halting")
    confidence: float | None = _of("confidence")
    efficiency: float | None = _of("efficiency")
    optimiser: str | None = _of("optimiser")
    rate: float | None = _of("rate")
    rate_schedule: str | None = _of("rate_schedule")
    clip: float | None = _of("clip")
    noise: float | None = _of("noise")
    sharpness: float | None = _of("sharpness")
    sharpness_spread: float | None = _of("sharpness_spread")
    start: str | None = _of("start")
    pull_weights: float | None = _of("pull_weights")
    pull_probabilities: float | None = _of("pull_probabilities")
    pull_until: float | None = _of("pull_until")
    efficiency_ramp: float | None = _of("efficiency_ramp")
    restart_after: int | None = _of("restart_after")
    stop_gradient: str | None = _of("stop_gradient")
    threshold: float | None = _of("threshold")
    validate_every: int | None = _of("validate_every")

    @classmethod
    def unknown(cls, name: str) -> Exception:
        try:
            changed(TrainingSettings(), {name: None})
        except AncError as problem:
            return problem
        return super().unknown(name)

    def given_settings(self) -> dict[str, Any]:
        """The settings that were given individually."""
        found = {name: getattr(self, name) for name in _ABOUT}
        return {name: value for name, value in found.items() if value is not None}

    def chosen_settings(self, name: str, base: str | Path | None) -> TrainingSettings:
        """The settings for a problem: the base, then those given individually."""
        settings, given = base_settings(name, base), self.given_settings()
        settings = changed(settings, given, "options" if self.is_typed else "settings")
        refuse_idle(settings, given)
        return settings


def base_settings(name: str, base: str | Path | None) -> TrainingSettings:
    """The base settings of a problem: a shipped set's, or a file's."""
    if base is None:
        return usual_settings(name)
    if base in SETS:
        return load_settings(name, str(base))
    return changed(TrainingSettings(), read_toml(Path(base)), str(base))
