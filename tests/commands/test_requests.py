"""A command and its function are the same request: names, defaults, limits and behaviour."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import anc
from anc import isa
from anc.commands import kinds
from anc.commands.function import request_of
from anc.commands.line import Command, words_of
from anc.commands.main import app, commands_of
from anc.support import limits
from anc.support.diagnostics import AncError

MUL = str(Path(__file__).parent.parent / "mul.py")
NEEDED = {  # what the fields that must be given may be, as words and as arguments
    "text": "access",
    "program": "access",
    "target": "access",
    "generic": "access",
    "weights": "access",
    "what": "access",
    "task": "access",
    "sketch": "sketch.anc",
    "grid": Path("grid.toml"),
    "cases": Path("cases.jsonl"),
    "inputs": Path("tapes.jsonl"),
    "objective": "score.anc",
    "tape": (3, 1),
}
BESIDE = {"jobs": {"seeds": 2}, "max_steps": {"tapes": ((3, 1),)}}  # they say nothing without
APART = {"text", "program"}  # in Python a listing, or one program; typed, names of them


def requests() -> list[tuple[Command, type]]:
    return [
        (command, request)
        for command in commands_of(app).values()
        if isinstance(command, Command)
        for request in command.requests
    ]


def fields(wanted=lambda spec: True) -> list:
    """Each field that the command and the function both have."""
    return [
        pytest.param(command, request, name, id=f"{request.__name__}-{name}")
        for command, request in requests()
        for name, spec in request.options.items()
        if spec.in_command and spec.in_python and wanted(spec)
    ]


def values(kind) -> list[tuple[list[str], object]]:
    """Some values of a kind: as they are typed, and as Python has them."""
    match kind:
        case limits.Whole() | limits.Real():
            return [([str(each)], each) for each in (kind.least, kind.most)]
        case limits.ByteSize():
            return [(["4GB"], "4GB"), (["1500MB"], 1500 * 2**20)]
        case limits.Flag():
            return [([], True)]
        case kinds.OneOf():
            return [([word], word) for word in kind.words]
        case kinds.Seconds():
            return [(["90s"], 90), (["2m"], 120.0)]
        case kinds.LineNumbers():
            return [(["3-5,7"], [3, 4, 5, 7])]
        case kinds.TapeList():
            return [(["3 1 2"], [[3, 1, 2]])]
        case kinds.Tape():
            return [(["3 1 2"], (3, 1, 2))]
        case kinds.CostsByName():
            return [(["READ=3"], {"READ": 3.0})]
        case kinds.Names():
            return [(["swap, access"], ["swap", "access"]), (["swap"], "swap")]
        case kinds.Instructions():
            return [([MUL], MUL), ([MUL], isa.load(MUL))]
        case kinds.Texts():
            return [(["tape[0] == 3"], ["tape[0] == 3"]), (["tape[0] == 3"], "tape[0] == 3")]
        case kinds.File():
            return [(["some/file"], "some/file"), (["some/file"], Path("some/file"))]
        case _:
            return [(["access"], "access")]


def typed(command: Command, request: type, given: dict[str, list[str]]):
    """The request of a command line, and nothing is done."""
    words, arguments = [], []
    for name, texts in given.items():
        spec = request.options[name]
        if spec.is_argument:
            arguments += texts
        else:
            words += [words_of(name, spec)[0].split("/")[0], *texts]
    return command.request(command.make_context("anc", [*words, *arguments]))


def called(command: Command, given: dict[str, object]):
    """The request of a function's arguments."""
    return request_of(command.requests, given, is_typed=False)


def fields_of(request) -> set[str]:
    return {name for name, spec in request.options.items() if spec.in_python}


def needed(request: type, name: str) -> dict[str, object]:
    """What else must be given."""
    parameters = inspect.signature(request).parameters.values()
    return {
        each.name: NEEDED[each.name]
        for each in parameters
        if each.default is each.empty and each.name != name and each.name in NEEDED
    }


def as_words(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [" ".join(map(str, value[0] if isinstance(value[0], tuple) else value))]
    return [str(value)]


def beside(request: type, name: str) -> dict[str, object]:
    """What a field says nothing without."""
    return {key: each for key, each in BESIDE.get(name, {}).items() if key in request.options}


@pytest.mark.parametrize(("command", "request_type", "name"), fields())
def test_the_same_values_make_equal_requests(command, request_type, name):
    spec = request_type.options[name]
    for texts, value in values(spec.kind):
        more = needed(request_type, name) | beside(request_type, name)
        words = {other: as_words(each) for other, each in more.items()}
        one = typed(command, request_type, {name: texts, **words})
        other = called(command, {name: value, **more})
        assert type(one) is type(other) is request_type and one.is_given(name)
        if command.name in ("compile", "test"):
            same = fields_of(one) - APART
            assert [getattr(one, x) for x in same] == [getattr(other, x) for x in same]
        else:
            assert one == other


@pytest.mark.parametrize(
    ("command", "request_type", "name"),
    fields(lambda spec: isinstance(spec.kind, limits.Whole | limits.Real)),
)
def test_what_is_beyond_the_limits_is_refused_by_both(command, request_type, name):
    kind = request_type.options[name].kind
    for value in (kind.least - 1, kind.most * 2 + 1):
        more = needed(request_type, name)
        words = {other: as_words(each) for other, each in more.items()}
        with pytest.raises(click.BadParameter, match=str(kind).replace("+", "[+]")):
            typed(command, request_type, {name: [str(value)], **words})
        with pytest.raises(AncError, match=f"^{name} is .*{str(kind).replace('+', '[+]')}"):
            called(command, {name: value, **more})


@pytest.mark.parametrize(("command", "request_type"), requests())
def test_the_function_has_the_fields_of_the_request_with_their_defaults(command, request_type):
    first = command.requests[0]
    function = getattr(anc, command.name, None)
    if not inspect.isfunction(function):  # `programs` and `tasks` are packages in Python
        assert not any(name for name, spec in first.options.items() if spec.in_python)
        return
    assert function.request is first
    parameters = inspect.signature(function).parameters
    own = {name for name, spec in request_type.options.items() if spec.in_python}
    assert own <= parameters.keys()
    for name in own:
        if name in first.options and parameters[name].default is not inspect.Parameter.empty:
            assert first.options[name].is_default(parameters[name].default), name
    assert parameters.keys() == {
        name for each in command.requests for name, spec in each.options.items() if spec.in_python
    }


def test_help_and_completion_of_python_show_the_signature():
    assert str(inspect.signature(anc.adapt)).startswith("(program: 'What', samples:")
    assert anc.adapt.__name__ == "adapt" and ">>> import anc" in anc.adapt.__doc__
    assert "memory" in inspect.signature(anc.adapt).parameters
    assert "seed" in inspect.signature(anc.train).parameters


FIELD = """    seed: int = fields.SEED
    backwards: bool = option(False, "The last case first.")

    def run(self, job: Job) -> list[Case]:
        from anc.data import tasks

        return tasks.get(self.task).draw(self.biased, self.n, self.seed, self.backwards)
"""


def test_an_option_is_a_field_and_its_use(tmp_path):
    """A patch of two files: the request, and what it asks for."""
    home = tmp_path / "anc"
    shutil.copytree(Path(anc.__file__).parent, home, ignore=shutil.ignore_patterns("__pycache__"))
    request = home / "commands" / "tasks.py"
    text = request.read_text()
    begin = text.index("    seed: int = option(fields.SEED")
    end = text.index("\n\nsample = function(SampleTask)")
    request.write_text(text[:begin] + FIELD + text[end:])
    use = home / "data" / "tasks" / "cases.py"
    text = use.read_text()
    text = text.replace("n: int, seed: int) -> list", "n: int, seed: int, backwards: bool) -> list")
    use.write_text(text.replace("seed), n))", "seed), n))[:: -1 if backwards else 1]"))

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "--backwards    " in run("-m", "anc", "sample", "--help")
    straight = run("-m", "anc", "sample", "access", "-n", "3").splitlines()
    turned = run("-m", "anc", "sample", "access", "-n", "3", "--backwards").splitlines()
    assert turned == straight[::-1] and len({*straight}) == 3
    shown = run("-c", "import anc, inspect; print(inspect.signature(anc.sample)); "
                "print(anc.sample('access', 2, backwards=True) == anc.sample('access', 2)[::-1])")  # fmt: skip
    assert "backwards: 'bool' = False" in shown and shown.endswith("True\n")
