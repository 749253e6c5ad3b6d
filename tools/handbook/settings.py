"""The reference of training settings, made from their declarations."""

from __future__ import annotations

from dataclasses import fields

from anc.commands.table1 import SIX
from anc.training.settings import TrainingSettings, load_settings

SETS = ("published", "ours")


def settings_reference() -> str:
    """Every setting, and the values that come with anc for the paper's six tasks."""
    every = fields(TrainingSettings)
    rows = ["| setting | what it does | values | default |", "|---|---|---|---|"]
    for each in every:
        about = each.metadata
        values = ", ".join(f"`{word}`" for word in about["choices"]) or str(about["kind"])
        rows.append(f"| `{each.name}` | {about['help']} | {values} | {_shown(each.default)} |")
    parts = ["\n".join(rows)]
    for which in SETS:
        known = {task: load_settings(task, which) for task in SIX}
        names = [each.name for each in every if _differs(each.name, each.default, known.values())]
        head = f"## {which.capitalize()}\n\n| setting | {' | '.join(known)} |\n|---{'|---' * len(known)}|\n"
        cells = {name: [_shown(getattr(one, name)) for one in known.values()] for name in names}
        parts.append(head + "\n".join(f"| `{n}` | {' | '.join(c)} |" for n, c in cells.items()))
    return "\n\n".join(parts)


def _differs(name: str, default: object, known) -> bool:
    return any(getattr(one, name) != default for one in known)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
