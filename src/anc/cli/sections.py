"""Help in sections: a command with many options says what each of them is about."""

from __future__ import annotations

import click

_SECTIONS = {
    "Input": ("data", "grid", "test", "generic", "assume", "start", "freeze", "memory"),
    "Objective": ("objective", "score_cell", "constraint", "constraint_cell", "maximise"),
    "Budget": ("budget", "evaluations", "proposals", "jobs", "memory_limit"),
    "Search": ("method", "engine", "seed", "seeds", "samples", "halving", "max_steps", "on"),
    "Answer": ("weight", "trust", "trade_off"),
    "Training": ("settings",),
    "Output": ("output", "write_anyway", "force", "keep", "resume", "as_json"),
    "General": (),  # --help, and what every command has
}
_SECTION_OF = {name: section for section, names in _SECTIONS.items() for name in names}


class Setting(click.Option):
    """An option that is a setting of training."""

    section = "Training"


class Sectioned(click.Command):
    """A command whose help shows its options in sections; `examples` come last."""

    def __init__(self, *arguments, examples: str = "", **more) -> None:
        super().__init__(*arguments, **more)
        self.epilog = f"\b\nExamples:\n{examples}" if examples else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {name: [] for name in _SECTIONS}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                named = _SECTION_OF.get(str(option.name), "General")
                found[getattr(option, "section", named)].append(record)
        for section, records in found.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
