"""Training settings on the command line: a file, a set that comes with anc, and an option each."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from anc.learning.settings import (
    CHOICES,
    TrainingSettings,
    changed,
    has_settings,
    load_settings,
    read_toml,
)

HELP = {
    "registers": "Registers in all (as many as the program needs, at least).",
    "max_steps": "Step limit of a soft run (T_max).",
    "iterations": "Training iterations.",
    "batch": "Cases per member and iteration.",
    "correctness": "Weight of the correctness term.",
    "halting": "Weight of the halting term.",
    "confidence": "Weight of the confidence term.",
    "efficiency": "Weight of the efficiency term.",
    "rate": "Learning rate.",
    "rate_schedule": "How the rate changes over the run.",
    "clip": "Largest norm of a gradient; 0 does not clip.",
    "noise": "Gradient noise at the start.",
    "sharpness": "Sharpness of the softened program.",
    "sharpness_spread": "Draw each start's sharpness from ± this share.",
    "start": "Where members start.",
    "pull_weights": "Pull towards the generic program, on the weights (appendix D).",
    "pull_probabilities": "The same pull, on the probabilities.",
    "pull_until": "Share of the run over which the pulls fall to 0.",
    "efficiency_ramp": "Share of the run over which efficiency grows from 0.",
    "restart_after": "Start a member again that has found nothing after so many iterations.",
    "stop_gradient": "Gradient of the stop probability: cut (published) or full.",
    "threshold": "Stop probability at which a run halts.",
    "validate_every": "Iterations between validations.",
}


def settings_options(command):
    """Add --settings and one option per training setting."""
    for field in reversed(fields(TrainingSettings)):
        kind: Any = int if field.type == "int" else float if field.type == "float" else str
        if field.name in CHOICES:
            kind = click.Choice(CHOICES[field.name])
        option = f"--{field.name.replace('_', '-')}"
        command = click.option(option, field.name, type=kind, help=HELP.get(field.name))(command)
    return click.option(
        "--settings",
        default=None,
        metavar="published|ours|FILE",
        help="Start from published settings, ours, or a TOML file  [default: ours, if there are]",
    )(command)


def chosen_settings(name: str, which: str | None, options: dict[str, Any]) -> TrainingSettings:
    """The settings for a problem: a base, then whatever was given as an option."""
    if which in ("published", "ours"):
        base = load_settings(name, which)
    elif which is not None:
        base = changed(TrainingSettings(), read_toml(Path(which)), which)
    elif has_settings(name, "ours"):
        base = load_settings(name, "ours")
    else:
        base = TrainingSettings()
    given = {key: value for key, value in options.items() if value is not None}
    return changed(base, given, "options")
