"""What --help says: whole summaries, options in sections, examples that are right."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from anc.commands.main import app, commands_of

COMMANDS = commands_of(app)
MANY = 12  # options that nobody finds their way in without sections


def help_of(*words):
    return CliRunner().invoke(app, [*words, "--help"], terminal_width=80).stdout


@pytest.mark.parametrize("group", [(), ("experiment",)])
def test_no_summary_is_cut_off_at_80_columns(group):
    summaries = help_of(*group).split("Commands:")[1].splitlines()
    assert [line for line in summaries if line.endswith("...")] == []
    assert max(map(len, summaries)) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_many_options_are_shown_in_sections_each_of_them_once(name):
    options = [one for one in COMMANDS[name].params if isinstance(one, click.Option)]
    if len(options) <= MANY:
        return
    listed = help_of(name).split("\nInput:\n")[1]
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", listed, re.MULTILINE)
    assert sorted(shown) == sorted([*(max(one.opts, key=len) for one in options), "--help"])
    general = listed.split("\nGeneral:\n")[1].split("\n\n")[0]
    assert re.findall(r"--[\w-]+", general) == ["--verbose", "--quiet", "--help"]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_can_be_typed(name):
    examples = [shlex.split(line)[1:] for line in help_of(name).splitlines() if "   anc " in line]
    assert examples or len(COMMANDS[name].params) <= MANY + 1
    for other, *words in examples:
        COMMANDS[other].make_context(other, list(words)).close()


def test_data_may_be_calls_and_the_result_is_a_folder():
    text = " ".join(help_of("adapt").split())
    assert "for a Python function, the arguments of a call in each: [[3, 9, 1], 2]" in text
    assert "-o, --output FOLDER" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_each_default_sharpness_stands_beside_its_reason(name):
    if name not in ("train", "sweep") and "--sharpness" in help_of(
        name
    ):  # a setting of training has another place
        runs = "[default: 20, as good as exact]"
        softens = "[default: 5, room for gradient descent to move; 20 is as good as exact]"
        assert (runs if name in ("run", "trace") else softens) in " ".join(help_of(name).split())


def test_the_example_of_a_call_is_taken(tmp_path):
    import anc

    (tmp_path / "above.py").write_text(
        "from typing import Annotated\nimport anc\n\n\n@anc.function(memory=30)\n"
        "def above(values: Annotated[list[int], anc.Size(4)], limit: int) -> int:\n"
        "    return sum(v > limit for v in values)\n"
    )
    (tmp_path / "calls.jsonl").write_text("[[3, 9, 1], 2]\n" * 20)
    found = anc.adapt(f"{tmp_path}/above.py:above", str(tmp_path / "calls.jsonl"), evaluations=200)
    assert found.proved is not None
