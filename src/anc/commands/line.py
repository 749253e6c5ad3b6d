"""Click commands, derived from requests: options, help, and parsing into a request."""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any, TypeVar

import click

from anc.commands.function import request_of
from anc.commands.kinds import File, OneOf, Read
from anc.commands.request import Option, Request, key_of, words_of
from anc.support import limits
from anc.support.diagnostics import AncError, quoted

COMMANDS: dict[str, click.Command] = {}  # of the modules imported so far, by name
TYPED_BEFORE = "anc.instructions"  # click's key for an option before the command name
LAST = ("instructions", "as_json")  # nearly all commands have them: listed last
SECTIONS = (
    "Input", "Objective", "Machine", "Weights", "Budget", "Search", "Answer", "Training", "Output",
    "General",
)  # fmt: skip

R = TypeVar("R", bound=Request[Any])
Body = Callable[[R], None]


class FilePath(click.Path):
    """The path of a file or a folder, which need not exist."""

    def convert(self, value, param, ctx) -> Path:
        if not str(value):
            self.fail("a file has a name, this is empty.", param, ctx)
        try:
            os.stat(value)
        except (OSError, ValueError) as problem:
            if getattr(problem, "errno", None) in (errno.ENAMETOOLONG, errno.ELOOP, None):
                self.fail(f"{quoted(str(value))} cannot be the name of a file.", param, ctx)
        return super().convert(value, param, ctx)  # type: ignore[return-value]


NUMBERS: dict[type, tuple[str, type]] = {  # the metavar of a kind, and the type of its numbers
    limits.Whole: ("n", int),
    limits.Real: ("number", float),
    limits.ByteSize: ("size", str),
}


class Typed(click.ParamType):
    """A value that its kind parses, or a number within its limits."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.name = kind.word if isinstance(kind, Read) else NUMBERS[type(kind)][0]

    def convert(self, value, param, ctx) -> Any:
        if not isinstance(value, str):
            return value  # the default
        if isinstance(self.kind, Read):
            try:
                return self.kind.read(value)
            except AncError as problem:
                self.fail(problem.message, param, ctx)
        try:
            return self.kind.check(NUMBERS[type(self.kind)][1](value))
        except (AncError, ValueError):
            self.fail(f"{quoted(value)} is not {self.kind}.", param, ctx)


def command(
    *requests: type[Request[Any]],
    group: MutableMapping[str, click.Command] = COMMANDS,
) -> Callable[[Body[Any]], Body[Any]]:
    """Decorator: makes a function of a request a command; its docstring is the help, with examples.

    Of two requests, the second handles an `--objective`.
    """

    def decorate(body: Body[Any]) -> Body[Any]:
        group[requests[0].name] = Command(requests, body)
        return body

    return decorate


class Command(click.Command):
    """A command whose options are the fields of its requests."""

    def __init__(self, requests: tuple[type[Request[Any]], ...], body: Body[Any]) -> None:
        self.fields: dict[str, tuple[str, Option]] = {}  # by option name
        for request in requests:
            for field, spec in _in_order(request):
                if spec.in_command:
                    self.fields.setdefault(key_of(field, spec), (field, spec))
        about, _, examples = inspect.cleandoc(body.__doc__ or "").partition("\n\nExamples:\n")
        super().__init__(
            requests[0].name,
            callback=lambda **_: self.carry_out(),
            params=[parameter_of(*each) for each in self.fields.values()],
            help=about,
            epilog=f"\b\nExamples:\n{examples}" if examples else None,
        )
        self.requests, self.body = requests, body

    def request(self, context: click.Context) -> Any:
        """Parse the command line into a request."""
        given = {
            word: context.params[field]
            for word, (field, _) in self.fields.items()
            if context.get_parameter_source(field) is not click.core.ParameterSource.DEFAULT
        }
        typed = context.find_root().meta.get(TYPED_BEFORE)
        if typed is not None and "--instructions" not in self.fields:
            raise AncError(f"anc {self.name} loads no program, so it takes no --instructions")
        if typed is not None:
            given.setdefault("--instructions", typed)
        return request_of(self.requests, given, is_typed=True)

    def carry_out(self) -> None:
        """Execute the command line."""
        context = click.get_current_context()
        request = self.request(context)
        context.with_resource(request.bounds_memory())
        self.body(request)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options in sections."""
        for section, options in self.sections(ctx).items():
            with formatter.section(section):
                formatter.write_dl(
                    [record for each in options if (record := each.get_help_record(ctx))]
                )

    def sections(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The options that the help shows, by section."""
        found: dict[str, list[click.Parameter]] = {name: [] for name in SECTIONS}
        sections = {field: spec.section for field, spec in self.fields.values()}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and not option.hidden:
                found[sections.get(str(option.name), "General")].append(option)
        return {section: options for section, options in found.items() if options}


def _in_order(request: type[Request[Any]]) -> Iterable[tuple[str, Option]]:
    """The fields of a request, with the common ones last."""
    return sorted(
        request.options.items(), key=lambda each: LAST.index(each[0]) + 1 if each[0] in LAST else 0
    )


def parameter_of(field: str, spec: Option) -> click.Parameter:
    """The click parameter of a field."""
    from anc.commands import completion

    complete = getattr(completion, spec.completes) if spec.completes else None
    if spec.is_argument:
        return click.Argument(
            [field],
            metavar=spec.metavar,
            required=spec.is_needed,
            nargs=-1 if spec.repeated else 1,
            shell_complete=complete,
        )
    about: dict[str, Any] = {"help": spec.help, "metavar": spec.metavar}
    if isinstance(spec.default, bool):
        about["is_flag" if "/" not in words_of(field, spec)[0] else "default"] = (
            "/" not in words_of(field, spec)[0]
        )
    else:
        about |= {"type": _type(spec.kind), "multiple": spec.repeated, "required": spec.is_needed}
    shown = _is_shown(spec) if spec.shown is None else spec.shown
    if shown:
        about |= {"show_default": True}
        about["default"] = shown if isinstance(shown, str) else spec.default
    return click.Option([*words_of(field, spec), field], **about)


def _is_shown(spec: Option) -> bool:
    """Whether the help shows the default: it is a value that the text does not mention."""
    is_value = isinstance(spec.default, int | float | str | Path)
    is_flag = isinstance(spec.default, bool)
    return is_value and not is_flag and "[default: " not in (spec.help or "")


def _type(kind: object) -> click.ParamType:
    if isinstance(kind, OneOf):
        return click.Choice(kind.words)
    if isinstance(kind, File):
        return FilePath(path_type=Path)
    return Typed(kind) if isinstance(kind, (Read, *NUMBERS)) else click.STRING
