"""How much is said (-q, -v), `python -m anc`, and what a shell completes."""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import click
import pytest
from click.shell_completion import ShellComplete
from command_line import anc

import anc as library
from anc.commands import verbosity
from anc.commands.main import app, commands_of
from anc.commands.progress import ProgressLine
from anc.commands.results import save_and_show

TAPE = ("--tape", "3 1 2 5 4 7 5")


@pytest.mark.parametrize(
    "words",
    [("-q", "run", "listk", *TAPE), ("run", "-q", "listk", *TAPE), ("run", "listk", *TAPE, "-q")],
)
def test_quietly_there_is_only_the_result(words):
    done = anc(*words)
    assert (done.stdout, done.stderr) == ("3 1 4 5 4 7 5 0 0 0 0 0 0 0 0 0 0 0 0 0\n", "")


def test_a_quiet_file_is_written_without_a_word(tmp_path):
    for words in (
        ("compile", "access", "-o", "a.safetensors"),
        ("report", "access"),
        ("trace", "access", "--tape", "3", "--html", "a.html"),
    ):
        done = anc("-q", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(list(tmp_path.iterdir())) == 3


def test_quiet_tests_tell_failures_and_the_sum(tmp_path):
    (tmp_path / "a.anc").write_text("memory 4\nSTOP()\n# run: 1 -> 1\n# run: 1 -> 2\n")
    done = anc("test", "-q", "--machines", "exact", "a.anc", cwd=tmp_path)
    assert done.stdout == "  a.anc:4: cell 0 is 1, expected 2\n1 passed, 1 failed\n"


def test_quietly_a_result_is_its_program_alone(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(verbosity, "is_quiet", lambda: True)
    program = library.load("access")
    found = SimpleNamespace(program=program, write=lambda folder: None, to_dict=dict)
    save_and_show(SimpleNamespace(as_json=False), found, "a long story", None)
    assert library.compile(capsys.readouterr().out) == program


def test_errors_and_warnings_are_never_quiet():
    done = anc("-q", "run", "-", "--tape", "0 0", stdin="var x = 1\nSTOP()\n")
    assert "warning: variable 'x' is never used" in done.stderr
    assert anc("-q", "run", "nowhere", "--tape", "1").stderr.startswith("error: 'nowhere'")


def test_verbosely_there_is_also_how_it_came_about():
    done = anc("run", "-v", "listk", *TAPE)
    assert done.stdout == "3 1 4 5 4 7 5 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    assert re.fullmatch(
        r"anc \S+, Python \S+, \d+ cores\nstopped after 9 steps\n"
        r"(machine code is cached in .*\n)?took \d+\.\d\d s\n",
        done.stderr,
    )


def test_quiet_and_verbose_exclude_each_other():
    done = anc("-q", "run", "-v", "listk", *TAPE)
    assert done.returncode == 2
    assert "-q and -v exclude each other" in done.stderr


def every_command(group: click.Group) -> list[click.Command]:
    found: list[click.Command] = [group]
    for command in commands_of(group).values():
        found += every_command(command) if isinstance(command, click.Group) else [command]
    return found


@pytest.mark.parametrize("command", every_command(app), ids=lambda command: command.name)
def test_every_command_has_both_and_completes_its_arguments(command):
    options = [name for each in command.params for name in each.opts]
    assert options.count("-q") == options.count("-v") == 1
    for argument in command.params:
        if isinstance(argument, click.Argument):
            assert argument.shell_complete(click.Context(command), "")


def test_verbose_progress_names_each_kind_of_work_once_and_the_time(monkeypatch, capsys):
    moments = iter([0.0, 0.1, 0.2, 0.3, 1.5])
    monkeypatch.setattr("anc.commands.progress.time.monotonic", lambda: next(moments))
    monkeypatch.setattr(verbosity, "is_verbose", lambda: True)
    line = ProgressLine(quiet=True)  # because the result is JSON
    for message in ("plans: best 7", "anneal 1: best 7", "anneal 2: best 6", "anneal 3: best 5"):
        line.show(message)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "   0.10 s  plans: best 7",
        "   0.20 s  anneal 1: best 7",
        "   1.50 s  anneal 3: best 5",
    ]


def module(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "anc", *words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_python_m_anc_is_the_command(tmp_path):
    assert "Usage: python -m anc run [OPTIONS] PROGRAM" in module("run").stderr
    wrong = module("--instructions", str(tmp_path / "none.py"), "programs")
    assert wrong.returncode == 2
    assert "none.py" in wrong.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_anc(shell):
    done = anc("completion", shell)
    assert f"_ANC_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("my", r"my\ prog\'s.anc"),
        (r"my\ p", r"my\ prog\'s.anc"),
        ('"my', "my prog's.anc"),
        ("acc", "access"),
    ],
)
def test_bash_gets_names_that_stay_one_word(tmp_path, typed, wanted):
    (tmp_path / "my prog's.anc").write_text("")
    command = tmp_path / "bin" / "anc"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nfrom anc.commands.main import main\nsys.argv[0] = 'anc'\nmain()\n"
    )
    command.chmod(0o755)
    script = (
        anc("completion", "bash").stdout
        + """
        COMP_WORDS=(anc run "$1") COMP_CWORD=2
        _anc_completion anc
        printf '%s\n' "${COMPREPLY[@]}"
    """
    )
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", typed],
        capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"PATH": path}, timeout=120,
    )  # fmt: skip
    assert done.stdout.splitlines() == [wanted], done.stderr


def completed(*words: str) -> list[str]:
    found = ShellComplete(app, {}, "anc", "_ANC_COMPLETE").get_completions(
        list(words[:-1]), words[-1]
    )
    return [item.value if item.type == "plain" else f"<{item.type}>" for item in found]


def test_names_and_files_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "run").mkdir()
    for name in ("list.anc", "listing.txt", "lists.py", "deep/one.anc", "run/run.json"):
        (tmp_path / name).write_text("")
    assert completed("r") == ["report", "run"]
    assert completed("run", "list") == ["listsearch", "listk", "list.anc", "lists.py"]
    assert completed("adapt", "lis") == completed("-q", "test", "access", "lis")
    assert completed("sample", "list") == ["listsearch", "listk"]
    assert completed("run", "deep/") == ["deep/one.anc"]
    assert completed("report", "r") == ["reverse", "run"]
    assert completed("fill", "l") == ["list.anc", "lists.py"]
    assert completed("run", "de") == ["<file>"]
    assert completed("run", "nowhere/x") == ["<file>"]
    assert completed("completion", "") == ["bash", "zsh", "fish"]
    assert "--tape" in completed("run", "--t")
