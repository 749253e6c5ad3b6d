"""One way in: whatever a user names is the same program, for every command and from Python."""

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import anc as run

import anc
from anc.commands.arguments import given_problem
from anc.data import programs
from anc.data.loading import load
from anc.support.diagnostics import AncError
from anc.support.job import Job

LISTING = "memory 10\nvar x = 0\nx = READ(x)\nx = ADD(x, x)\nWRITE(1, x)\nSTOP()\n"
UNUSED = LISTING.replace("var x = 0", "var x = 0\nvar y = 1")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """One program in all its forms, and cases for it."""
    folder = tmp_path_factory.mktemp("forms")
    program = anc.compile(LISTING)
    found = {form: folder / f"double.{form}" for form in ("anc", "json", "safetensors")}
    found["anc"].write_text(LISTING)
    anc.save(program, found["json"])
    anc.save(anc.soften(program), found["safetensors"])
    found["data"] = folder / "cases.jsonl"
    found["data"].write_text("".join(f'{{"input": [{i % 10}, 0]}}\n' for i in range(40)))
    found["unused"] = folder / "unused.anc"
    found["unused"].write_text(UNUSED)
    return found


def test_every_form_is_the_same_program(files, monkeypatch):
    program = anc.compile(LISTING)
    for form in ("anc", "json", "safetensors"):
        assert load(files[form]).program == load(str(files[form])).program == program
    assert load(LISTING).program == load(program).program == program
    assert load(anc.soften(program)).program == program
    assert load("listk").program == anc.load("listk")
    for text in (LISTING, program.to_json()):
        stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()))
        monkeypatch.setattr("sys.stdin", stdin)
        assert load("-").program == program


def test_python_takes_names_too(files):
    tape = (3, 6, *[0] * 8)
    for what in (files["anc"], files["json"], files["safetensors"], LISTING, anc.compile(LISTING)):
        assert anc.run(what, [3]).tape == tape
    assert anc.soften("listk", sharpness=5).op.shape == (20, 11)


@pytest.mark.parametrize("form", ["anc", "json", "safetensors"])
def test_adapting_takes_every_form(files, form, tmp_path):
    words = ["--data", files["data"], "--method", "specialise", "--evaluations", "100000", "--json"]
    done = run("adapt", files[form], *words, "-o", tmp_path / "r")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["steps_generic"] == 4
    assert anc.load(tmp_path / "r" / "generic.anc") == anc.compile(LISTING)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "FILE", "--tape", "1"],
        ["compile", "FILE"],
        ["trace", "FILE", "--tape", "1"],
        ["test", "FILE"],
        ["guard", "FILE", "FILE"],
        ["adapt", "FILE", "--data", "DATA", "--method", "specialise", "--budget", "1s"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_shows_the_compiler_s_warnings(files, words):
    places = {"FILE": files["unused"], "DATA": files["data"]}
    done = run(*(places.get(word, word) for word in words))
    assert done.returncode in (0, 1), done.stderr
    assert "warning: variable 'y' is never used" in done.stderr


def test_python_warns_as_python_does():
    with pytest.warns(anc.CompilerWarning, match="variable 'y' is never used"):
        anc.compile(UNUSED)


def test_a_memory_that_does_not_fit(files):
    assert load(files["json"], 12).program.memory == 12
    with pytest.raises(AncError, match="at least 4"):
        load(files["json"], 3)
    with pytest.raises(AncError, match="for a memory of 10 cells, not 12"):
        load(files["safetensors"], 12)


def test_what_is_no_name(tmp_path):
    for what, words in [
        ("listkk", "did you mean the shipped program 'listk'"),
        (str(tmp_path / "none.anc"), "neither a file nor a shipped program"),
        (tmp_path / "none.anc", "cannot read"),
        (tmp_path, "is a directory"),
        (3, "found 3"),
        ("x" * 5_000, "neither a file"),
    ]:
        with pytest.raises(AncError) as caught:
            load(what)
        assert words in str(caught.value)


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("ZERO(")])
def test_what_is_called_like_a_shipped_program_does_not_hide_it(tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "access")
    assert load("access").program == load(programs.source("access").text).program
    assert given_problem(Job(), "access", None, False, None, 0).problem.name == "access"
    done = run("run", "access", "--tape", "3 1 2 3 4")
    assert done.returncode == 0
    assert "'access' is the shipped program; what lies here is ./access" in done.stderr
    assert run("report", "access").stdout.startswith(
        "wrote access.html (access on its first example"
    )
    assert run("run", "./access", "--tape", "3").returncode == 2
    with pytest.raises(AncError):
        load(Path("access"))
