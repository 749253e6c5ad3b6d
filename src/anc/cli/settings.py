"""Training settings on the command line: a file, a set that comes with anc, and an option each."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from anc.cli.inputs import Limited
from anc.cli.sections import Setting
from anc.learning.settings import (
    TrainingSettings,
    changed,
    kind_of,
    load_settings,
    read_toml,
    refuse_idle,
    usual_settings,
)

SETS = ("published", "ours")  # that come with anc


def settings_options(command):
    """Add --settings and one option per training setting."""
    for field in reversed(fields(TrainingSettings)):
        choices = field.metadata["choices"]
        kind = click.Choice(choices) if choices else Limited(kind_of(field.name))
        option = f"--{field.name.replace('_', '-')}"
        about = {"type": kind, "help": field.metadata["help"], "cls": Setting}
        command = click.option(option, field.name, **about)(command)
    return click.option(
        "--settings",
        default=None,
        metavar="published|ours|FILE",
        help="Start from published settings, ours, or a TOML file  [default: ours, if there are]",
    )(command)


def chosen_settings(name: str, which: str | None, options: dict[str, Any]) -> TrainingSettings:
    """The settings for a problem: a base, then whatever was given as an option."""
    if which in SETS:
        base = load_settings(name, which)
    elif which is not None:
        base = changed(TrainingSettings(), read_toml(Path(which)), which)
    else:
        base = usual_settings(name)
    given = {key: value for key, value in options.items() if value is not None}
    settings = changed(base, given, "options")
    refuse_idle(settings, given)
    return settings
