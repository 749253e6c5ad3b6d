"""The reference of the command line, made from the command line itself."""

from __future__ import annotations

import functools
import inspect
import os
from html import escape
from pathlib import Path

import click

from anc.commands.line import Command
from anc.commands.main import app
from handbook import DOCS
from handbook.blocks import Shown, examples
from handbook.sections import title_of

STATUSES = "how-to/exit-codes.md"
LINES = 12  # of an example's output that are shown


@functools.cache
def command_reference() -> str:
    """Every command: usage, arguments, options with their defaults, and an example."""
    root = click.Context(app, info_name="anc")
    return "\n\n".join(_described(command) for command in all_commands(root))


def all_commands(context: click.Context) -> list[click.Context]:
    """The commands below a group, as contexts, each group before its own."""
    group = context.command
    assert isinstance(group, click.Group)
    found: list[click.Context] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inside = click.Context(command, info_name=name, parent=context)
        found.append(inside)
        if isinstance(command, click.Group):
            found += all_commands(inside)
    return found


def _described(context: click.Context) -> str:
    command = context.command
    path = context.command_path
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    about = inspect.cleandoc(command.help or "").split("\n\n")
    parts = [f"## {path}", *map(_paragraph, about), f"```text\n{usage}\n```", _options(context)]
    return "\n\n".join(
        filter(
            None,
            [*parts, _typed_examples(command), _status(path), _example(path.removeprefix("anc "))],
        )
    )


def _paragraph(text: str) -> str:
    """A paragraph of a command's help; one that click leaves as it is stays so."""
    return f"```text\n{text[2:]}\n```" if text.startswith("\b\n") else text


def _options(context: click.Context) -> str:
    command = context.command
    sections = {"": command.get_params(context)}
    if isinstance(command, Command):
        sections = {f"**{name}**": each for name, each in command.sections(context).items()}
    rows = []
    for section, options in sections.items():
        found = [_row(option, context) for option in options if "--help" not in option.opts]
        rows += [f"| {section} | | |"] * bool(section and any(found)) + [*filter(None, found)]
    head = "| option | what it does | default, limits |\n|---|---|---|\n"
    return head + "\n".join(rows) if rows else ""


def _row(option: click.Parameter, context: click.Context) -> str:
    record = option.get_help_record(context)
    if record is None:
        return ""
    names, about = record
    about, _, extra = f"  {about}".partition("  [")
    if not (about := about.strip()) and not extra:
        return ""
    names = ", ".join(_code(name) for name in names.split(", "))
    return f"| {_cell(names)} | {_cell(about)} | {_cell(extra.rstrip(']'))} |"


def _typed_examples(command: click.Command) -> str:
    """The examples of the help."""
    lines = inspect.cleandoc((command.epilog or "").partition("Examples:\n")[2]).splitlines()
    return "\n".join(["```sh", *lines, "```"]) if lines else ""


def _code(name: str) -> str:
    """An option; only lists of choices may be broken into lines."""
    whole = ' class="whole"' if "|" not in name else ""
    return f"<code{whole}>{escape(name)}</code>"


def _status(path: str) -> str:
    """When a command ends with 1, as the page about exit codes has it."""
    for row in (DOCS / STATUSES).read_text().splitlines():
        commands, _, meaning = row.strip("| ").partition(" | ")
        if f"`{path}`" in commands.split(", "):
            return f"Exit status: 0 done, [1](../{STATUSES}) if {meaning}."
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("\n", " ")


def _example(command: str) -> str:
    """The first command of the pages that does something, with what it prints, and where it stands."""
    found = [place for place in examples(command) if not place[1].prints.startswith("error")]
    if not found:
        return ""
    document, shown = found[0]
    return f"{_introduced(document)}\n\n{_block(shown)}"


def _introduced(document: Path) -> str:
    if not document.is_relative_to(DOCS):
        return "For example:"
    page = document.relative_to(DOCS).as_posix()
    return f"For example, from [{title_of(page)}]({os.path.relpath(page, 'reference')}):"


def _block(shown: Shown) -> str:
    lines = shown.prints.rstrip().splitlines()
    cut = [*lines[:LINES], "..."] if len(lines) > LINES else lines
    return "\n".join(["```text", f"$ {shown.command}", *cut, "```"])
