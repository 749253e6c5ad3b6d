"""All commands by name, each imported when it is asked for: none waits for what only others need."""

from __future__ import annotations

from importlib import import_module

import click

from anc.cli import talk
from anc.cli.wording import Commands

PLACES = {  # the module, and what it calls its command
    "adapt": ("adapt", "command"),
    "compile": ("compile", "command"),
    "completion": ("completion", "command"),
    "decompile": ("decompile", "command"),
    "experiment": ("experiment", "command"),
    "figure": ("pages", "figure_command"),
    "fill": ("fill", "command"),
    "fmt": ("fmt", "command"),
    "guard": ("guard", "command"),
    "programs": ("programs", "command"),
    "report": ("pages", "report_command"),
    "run": ("run", "command"),
    "sample": ("tasks", "sample_command"),
    "sweep": ("sweep", "command"),
    "table1": ("table1", "command"),
    "tasks": ("tasks", "list_command"),
    "test": ("test", "command"),
    "trace": ("trace", "command"),
    "train": ("train", "command"),
    "verify": ("verify", "command"),
}


class CommandsByName(Commands):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in PLACES and cmd_name not in self.commands:
            module, name = PLACES[cmd_name]
            command = getattr(import_module(f"anc.cli.{module}"), name)
            talk.offer(command)
            self.add_command(command, cmd_name)
        return self.commands.get(cmd_name)


def commands_of(group: click.Group) -> dict[str, click.Command]:
    """The commands of a group, all of them imported."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}
