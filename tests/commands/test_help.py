"""What --help says: whole summaries, options in sections, examples that are right."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from anc.commands.main import app, commands_of

COMMANDS = commands_of(app)
EVERY = {name: one for name, one in COMMANDS.items() if not isinstance(one, click.Group)} | {
    f"experiment {name}": one for name, one in COMMANDS["experiment"].commands.items()
}
SENTENCE = re.compile(r"[A-Z][^\[]+ [^\[]+\.")


def help_of(*words):
    return CliRunner().invoke(app, [*words, "--help"], terminal_width=80).stdout


@pytest.mark.parametrize("group", [(), ("experiment",)])
def test_no_summary_is_cut_off_at_80_columns(group):
    summaries = help_of(*group).split("Commands:")[1].split("\n\n")[0].splitlines()
    assert [line for line in summaries if line.endswith("...")] == []
    assert max(map(len, summaries)) <= 80


@pytest.mark.parametrize("name", [name for name in EVERY if name != "completion"])
def test_options_are_shown_in_sections_each_of_them_once(name):
    options = [one for one in EVERY[name].params if isinstance(one, click.Option)]
    listed = help_of(*name.split())
    assert "\nOptions:\n" not in listed
    listed = re.split(r"\n\n(?=[A-Z][a-z]+:\n)", listed, maxsplit=1)[1]
    shown = re.findall(r"^  (?:-\w, )?(--?[\w-]+)", listed, re.MULTILINE)
    assert sorted(shown) == sorted([*(max(one.opts, key=len) for one in options), "--help"])
    general = listed.split("\nGeneral:\n")[1].split("\n\n")[0]
    assert re.findall(r"--[\w-]+", general) == ["--verbose", "--quiet", "--help"]


@pytest.mark.parametrize("name", ["", *EVERY])
def test_every_command_has_two_examples_which_can_be_typed(name):
    text = help_of(*name.split()).split("Examples:\n")[1]
    examples = re.findall(r"^ +(anc .+)$|\$\((anc .+?)\)", text, re.MULTILINE)
    assert len(examples) >= 2
    for line in map("".join, examples):
        _, other, *words = shlex.split(line.split(" > ")[0])
        if other == "experiment":
            other, *words = f"{other} {words[0]}", *words[1:]
        EVERY[other].make_context(other, list(words)).close()


@pytest.mark.parametrize("name", EVERY)
def test_what_an_option_does_is_a_sentence(name):
    for one in EVERY[name].params:
        if isinstance(one, click.Option) and one.name not in ("verbose", "quiet"):
            about, _, default = (one.help or "").partition("  [default: ")
            assert SENTENCE.fullmatch(about.replace("[", "(")), one
            assert not default or default.endswith("]"), one


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
