"""Every option and argument of every command, found by itself, with what no command can use."""

import re
from collections.abc import Iterator

import click
import pytest
from command_line import anc

from anc.commands.line import NUMBERS, FilePath, Typed
from anc.commands.main import app, commands_of

LONG = "x" * 5_000
ESCAPES = "\x1b[31mred\x07"
NOT_UTF8 = "\udcff\udcfe"
NO_NUMBERS = [
    "",
    "x",
    "-1",
    "1e999",
    "nan",
    "inf",
    "9" * 40,
    "0x10",
    "1,5x",
    ESCAPES,
    NOT_UTF8,
    LONG,
]
OUTPUTS = ("output", "html", "keep")


def commands(group: click.Group = app, path: tuple[str, ...] = ()) -> Iterator:
    for name, command in commands_of(group).items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def parameters(wanted) -> list:
    return [
        pytest.param(path, command, each, id=f"{'-'.join(path)}:{each.name}")
        for path, command in commands()
        for each in command.params
        if not getattr(each, "is_flag", False) and wanted(each)
    ]


def is_text(each: click.Parameter) -> bool:
    return isinstance(each.type, click.types.StringParamType | click.Path)


def usage(command: click.Command, words: list[str]) -> str:
    """What is said about words that are wrong before the command begins; '' if nothing is."""
    try:
        command.make_context("anc", words, resilient_parsing=False)
    except click.UsageError as problem:
        return problem.format_message()
    return ""


@pytest.mark.parametrize(("path", "command", "option"), parameters(lambda each: not is_text(each)))
def test_numbers_and_words_are_refused_before_anything_is_done(path, command, option):
    """No option takes a number without limits, whatever it is called."""
    assert not isinstance(option.type, click.types.IntParamType | click.types.FloatParamType)
    is_argument = isinstance(option, click.Argument)
    name = option.make_metavar(click.Context(command)) if is_argument else option.opts[0]
    for value in NO_NUMBERS:
        word = f"{name}={value}" if name.startswith("--") else name + value
        said = usage(command, ["--", value] if is_argument else [word])
        assert f"'{name}'" in said, (value, said)
        assert "Missing" not in said
    if isinstance(option.type, Typed) and type(option.type.kind) in NUMBERS:
        assert str(option.type.kind) in said  # says what would be right


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"input": [3, 1, 2, 3, 4]}\n' * 2)
    (tmp_path / "sketch.anc").write_text("memory 9\nvar x = ?\nWRITE(0, x)\nSTOP()\n")
    (tmp_path / "grid.toml").write_text("rate = [0.1]\n")
    return tmp_path


def call(path, command, hostile: click.Parameter, value: str) -> list[str]:
    """A command line in which all is well but one value."""
    words = list(path)
    for each in command.params:
        if each is hostile:
            words += [value] if isinstance(each, click.Argument) else [each.opts[0], value]
        elif isinstance(each, click.Argument):
            words += ["sketch.anc"] if each.name == "sketch" else ["access"]
        elif each.required:
            words += [each.opts[0], "grid.toml" if each.name == "grid" else "cases.jsonl"]
    runs = any(each.name == "call" for each in command.params)
    if runs and hostile.name not in ("tape", "call"):
        words += ["--tape", "3 1 2 3 4"]
    if hostile.name == "constraint":
        words += ["--objective", "access"]
    if hostile.name in ("objective", "constraint"):
        words += ["--data", "cases.jsonl"]
    return words


@pytest.mark.parametrize(
    ("path", "command", "each"),
    parameters(lambda each: is_text(each) and each.name not in OUTPUTS),
)
def test_texts_and_names_are_refused_without_repeating_them(
    path, command, each, folder, nothing_begins
):
    values = [ESCAPES, LONG, NOT_UTF8]
    if isinstance(each.type, click.Path) or isinstance(each, click.Argument):
        values += [str(folder), "/dev/zero", LONG + ".anc", LONG + ".safetensors"]
    for value in values:
        done = anc(*call(path, command, each, value), cwd=folder)
        assert done.returncode == 2, (value[:60], done.stdout[:200], done.stderr[:200])
        said = done.stdout + done.stderr
        said.encode()  # can be written anywhere
        assert re.search(r"[^\n\t -~\u00a0-\uffff]", said) is None, said
        assert "x" * 200 not in said


@pytest.mark.parametrize(
    ("path", "command", "each"), parameters(lambda each: isinstance(each.type, click.Path))
)
def test_files_have_names_that_can_be(path, command, each):
    assert isinstance(each.type, FilePath)
    said = usage(command, [f"{each.opts[-1]}={LONG}"])
    assert "cannot be the name of a file" in said
    assert len(said) < 300
