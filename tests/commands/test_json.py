"""Every command that prints a result prints one JSON document with --json, and is a function of Python."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from command_line import anc as run

import anc
from anc.commands.main import app, commands_of

RESULTLESS = {"completion"}  # what it prints is for a shell
OTHERS = {  # commands whose name is a package's: what they print comes from there
    "programs": "from anc.data import programs; programs.names()",
    "tasks": "from anc.data import tasks; tasks.all_tasks()",
}
PROGRAM = "memory 6\nvar x = READ(0)\nWRITE(1, x)\nSTOP()\n# run: 3 -> 3 3\n"
SKETCH = "memory 6\nvar x = READ(? in (0, 1))\nWRITE(1, x)\nSTOP()\n"
SHORT = ["--seeds", "1"]
QUICK = {  # a command line of each, as cheap as can be
    "compile": [["p.anc"], ["p.anc", "--to", "python"], ["p.anc", "-o", "q.anc"]],
    "run": [["p.anc", "--tape", "3"]],
    "trace": [["p.anc", "--tape", "3"], ["p.anc", "--tape", "3", "--html", "t.html"]],
    "test": [["p.anc", "--machines", "exact"]],
    "decompile": [["p.anc"], ["p.anc", "--to", "listing"]],
    "programs": [[], ["access"]],
    "tasks": [[], ["access"]],
    "sample": [["access", "-n", "2"]],
    "verify": [["p.anc", "p.anc"], ["p.anc", "access", "--memory", "10"]],
    "guard": [["p.anc", "p.anc", "--assume", "tape[0] == 3"]],
    "calibrate": [["--budget", "0.1s", "-o", "costs.json"], ["--show"]],
    "fmt": [["p.anc"], ["--check", "p.anc"]],
    "play": [["p.anc", "-o", "play.html"], ["--no-server", "--no-browser"]],
    "report": [["p.anc"]],
    "figure": [["p.anc", "--format", "svg"]],
    "fill": [["s.anc", "--data", "cases.jsonl", "--method", "search", "--budget", "2s"]],
    "train": [["access", *SHORT, "--iterations", "2"]],
    "sweep": [["access", "--grid", "grid.toml", *SHORT]],
    "table1": [["--tasks", "access", *SHORT, "-o", "table1"]],
}
ELSEWHERE = {  # too long for here: these tests read their JSON
    "adapt": "tests/adaptation/test_adapt.py",
    "experiment digits": "tests/experiments/test_digits.py",
    "experiment mnist": "tests/experiments/test_mnist.py",
    "experiment paths": "tests/commands/test_json.py",
    "experiment eviction": "tests/commands/test_json.py",
}


def commands(group: click.Group = app, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in commands_of(group).items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("json")
    texts = {"p.anc": PROGRAM, "s.anc": SKETCH, "grid.toml": "rate = [0.1, 0.2]\niterations = 2\n"}
    texts["cases.jsonl"] = "".join(
        f'{{"input": [{n}], "output": [{n}, {n}, 0, 0, 0, 0]}}\n' for n in range(6)
    ).replace('"output"', '"mask": [1, 1, 1, 1, 1, 1], "output"')
    for name, text in texts.items():
        (place / name).write_text(text)
    return place


def test_every_command_that_prints_a_result_has_the_option():
    without = {name for name, command in commands() if not _has_json(command)}
    assert without == RESULTLESS
    assert {name for name, _ in commands()} == QUICK.keys() | ELSEWHERE.keys() | RESULTLESS
    for name, test in ELSEWHERE.items():
        text = (Path(__file__).parents[2] / test).read_text()
        assert "--json" in text and f'"{name.split()[-1]}"' in text, name


def _has_json(command: click.Command) -> bool:
    return any("--json" in option.opts for option in command.params)


@pytest.mark.parametrize(
    "words", [[*name.split(), *rest] for name in QUICK for rest in QUICK[name]], ids=" ".join
)
def test_its_output_is_one_document(folder, words):
    done = run(*words, "--json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert isinstance(json.loads(done.stdout), dict)


def test_experiments_without_answers(monkeypatch):
    from anc_experiments import eviction, paths

    one = paths.Row("program", 0, 1.0, 0.5, 0.0, 0.1)
    monkeypatch.setattr(paths.Paths, "learn", lambda self, method, seed: one)
    rows = json.loads(run("experiment", "paths", *SHORT, "--json").stdout)["rows"]
    assert rows == anc.experiment("paths", seeds=1) == [vars(one)] * len(paths.METHODS)
    other = eviction.Row(0, 9.0, 7.0, 6.0, 0, -1.0, -0.5, 24, 0.1)
    result = SimpleNamespace(program=anc.load("access"))
    monkeypatch.setattr(eviction, "adapt", lambda *given: (other, result))
    rows = json.loads(run("experiment", "eviction", *SHORT, "--json").stdout)["rows"]
    assert rows == [vars(other) | {"program": anc.fmt(rows[0]["program"])}]


def test_errors_stay_on_stderr(folder):
    for name in QUICK:
        done = run(*name.split(), "--json", "nowhere.anc", "--no-such-option", cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")


def test_every_command_is_a_function_of_python():
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    for name, _ in commands():
        first = name.split()[0]
        if first in RESULTLESS:
            continue
        if first in OTHERS:
            exec(OTHERS[first], {})
            assert f"`{OTHERS[first].partition('; ')[2]}`" in page
            continue
        function = getattr(anc, first)
        assert first in anc.__all__ and inspect.isfunction(function)
        assert ">>>" in (inspect.getdoc(function) or "")
        hints = inspect.get_annotations(function)
        assert first in ("adapt", "train", "fill") or hints["return"]  # these are overloaded
        assert f"| `anc {first}` |" in page and f"anc.{first}(" in page


def test_packages_do_not_hide_functions():
    from anc.pages.page import kind_of
    from anc.proof import prove

    assert callable(anc.verify) and callable(anc.report)
    assert (kind_of.__module__, prove.__module__) == ("anc.pages.page", "anc.proof.prove")
