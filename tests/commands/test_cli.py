"""The command line as a person meets it: output, messages, exit status, start-up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import anc

from anc.commands.main import PLACES, app, commands_of

ANC = [sys.executable, "-m", "anc.commands.main"]


def test_run_as_json():
    done = anc("run", "access", "--tape", "6 9 1 2 7 9 8 1 3 5", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "tape": [1, 9, 1, 2, 7, 9, 8, 1, 3, 5],
        "steps": 5,
        "stop": "stopped",
        "confidence": 1.0,
    }


def test_programs_and_weights_as_functions(tmp_path):
    done = anc("compile", "access", "--to", "python")
    assert "def access(tape: list[int]) -> None:" in done.stdout
    assert done.stdout.endswith("    tape[0] = tape[(tape[0] + 1) % 10]\n")
    anc("compile", "access", "-o", tmp_path / "found.h")
    text = (tmp_path / "found.h").read_text()
    assert "static inline void found(uint8_t tape[10]) {" in text
    done = anc("decompile", "access", "--to", "python")
    assert done.stdout.startswith("def access(tape: list[int]) -> None:")
    done = anc("compile", "-", "--to", "python", stdin="STOP()")
    assert done.returncode == 2
    assert "does not say how many cells" in done.stderr


def test_run_softly_as_json():
    tape = "6 9 1 2 7 9 8 1 3 5"
    done = anc("run", "access", "--tape", tape, "--machine", "soft", "--sharpness", "9", "--json")
    found = json.loads(done.stdout)
    assert found["tape"][0] == 1
    assert (found["steps"], found["stop"]) == (5, "stopped")
    assert 0.9 < found["confidence"] < 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "listk", "--tape", "3 x 2"], "cell 1 of the tape is 'x', expected a number"),
        (["run", "listk", "--tape", "3 -1 2"], "cell 1 of the tape is '-1'"),
        (
            ["run", "listk", "--tape", "3 20"],
            "cell 1 of the tape is 20, but values go from 0 to 19",
        ),
        (["run", "listk", "--tape", "1 " * 21], "the tape has 21 cells, the memory only 20"),
        (["run", "listk", "--tape", ""], "the tape is empty"),
        (
            ["run", "listk", "--tape", "1", "--memory", "0"],
            "'0' is not a whole number from 1 to 65536",
        ),
        (
            ["run", "listk", "--tape", "1", "--memory", "-3"],
            "'-3' is not a whole number from 1 to 65536",
        ),
        (["run", "listk", "--tape", "1", "--memory", "9"], "more than its memory of 9 cells"),
        (
            ["run", "listk", "--tape", "1", "--memory", "9999999"],
            "'9999999' is not a whole number from 1 to",
        ),
        (["run", "listkk", "--tape", "1"], "did you mean the shipped program 'listk'?"),
        (["run", "nowhere.anc", "--tape", "1"], "neither a file nor a shipped program"),
        (["run", ".", "--tape", "1"], "is a directory, not a program file"),
        (["run", "listk"], "Missing option '--tape'"),
        (["run", "listk", "--tape", "1", "--machine", "quantum"], "'quantum' is not one of"),
        (["run", "listk", "--tape", "1", "--max-steps", "0"], "'0' is not a whole number"),
        (
            ["run", "listk", "--tape", "1", "--machine", "soft", "-s", "-2"],
            "'-2' is not a number from 1e-30",
        ),
        (["run", "none.safetensors", "--tape", "1"], "no such file"),
        (["compile", "listk", "-o", "x.png"], "name a .safetensors (weights)"),
        (["compile", "listk", "--registers", "-1"], "'-1' is not a whole number from 0"),
        (["programs", "lisk"], "did you mean 'listk'?"),
        (["test", "listk", "--machines", "warm"], "there is no 'warm' machine"),
        (["decompile", "listk", "--tape", "77"], "cell 0 of the tape is 77"),
        (["decompile", "listk", "--data", "none.jsonl"], "cannot read none.jsonl"),
        (["comple"], "No such command 'comple'"),
    ],
)
def test_wrong_usage_is_explained_and_ends_with_2(words, message):
    done = anc(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_mistakes_in_a_program_file_are_shown_with_their_place(tmp_path):
    path = tmp_path / "bad.anc"
    path.write_text("var x = 0\nx = REED(x)\nJEZ(x, nowhere)\n")
    done = anc("compile", path)
    assert done.returncode == 2
    assert f"{path}:2:5" in done.stderr
    assert f"{path}:3:8" in done.stderr
    assert "did you mean READ?" in done.stderr


def test_runs_that_do_not_stop_end_with_1_and_say_why():
    forever = anc("run", "-", "--tape", "0 0 0", stdin="l: JEZ(0, l)\n")
    assert forever.returncode == 1
    assert "step-limit" in forever.stderr
    past = anc("run", "-", "--tape", "0 0 0", "--json", stdin="ZERO()\nZERO()\n")
    assert past.returncode == 1
    assert json.loads(past.stdout)["stop"] == "past-end"


def test_warnings_go_to_stderr_and_do_not_stop_anything():
    done = anc("run", "-", "--tape", "0 0", stdin="var x = 1\nSTOP()\n")
    assert done.returncode == 0
    assert "warning: variable 'x' is never used" in done.stderr


def test_compile_save_run_and_decompile_weights(tmp_path):
    path = tmp_path / "listk.safetensors"
    assert anc("compile", "listk", "-o", path, "--sharpness", "12").returncode == 0
    tape = "3 2 2 5 4 7 5 9 6 0 7"
    run = anc("run", path, "--tape", tape, "--json")
    assert json.loads(run.stdout)["tape"][2] == 5
    data = tmp_path / "cases.jsonl"
    data.write_text('{"input": [3, 2, 2, 5, 4, 7, 5, 9, 6, 0, 7]}\n\n{"input": [3, 1, 2, 0, 9]}\n')
    shown = anc("decompile", path, "--data", data)
    assert "type 1: every choice that the cases meet is certain" in shown.stdout
    assert "l_loop: p_current = READ(p_current)" in shown.stdout
    wrong = anc("run", path, "--tape", tape, "--memory", "21")
    assert wrong.returncode == 2
    assert "for a memory of 20 cells" in wrong.stderr


def test_compile_to_every_form_gives_the_same_program(tmp_path):
    listing = anc("compile", "merge", "--to", "listing").stdout
    as_json = anc("compile", "merge", "--to", "json").stdout
    (tmp_path / "m.anc").write_text(listing)
    (tmp_path / "m.json").write_text(as_json)
    wanted = anc("compile", "merge").stdout.split("Program:")[1]
    for name in ("m.anc", "m.json"):
        assert anc("compile", tmp_path / name).stdout.split("Program:")[1] == wanted


def test_trace_shows_line_command_register_and_cell():
    done = anc("trace", "access", "--tape", "6 9 1 2 7 9 8 1 3 5")
    lines = done.stdout.split("\n")
    assert lines[1].split() == ["1", "0", "k", "=", "READ(0)", "#", "READ(0)", "k", "<-", "6"]
    assert "tape[0] <- 1" in lines[4]
    assert "stopped after 5 steps" in done.stdout
    soft = anc("trace", "access", "--tape", "6 9 1 2", "--machine", "soft", "--sharpness", "8")
    assert "READ (0.99) [0 (0.99)]" in soft.stdout


def test_the_examples_of_a_program_run_on_every_machine_and_name_the_cell(tmp_path):
    path = tmp_path / "p.anc"
    path.write_text("memory 4\nWRITE(0, 3)\nSTOP()\n# run: 1 2 -> 3 2\n# run: 1 2 -> 3 1\n")
    done = anc("test", path, "swap")
    assert done.returncode == 1
    for machine in ("exact", "soft", "hardened"):
        assert f"{path}: {machine}: 1 of 2 right" in done.stdout
    assert f"{path}:5: cell 1 is 2, expected 1" in done.stdout
    assert "swap: hardened" in done.stdout


def test_an_example_that_does_not_fit_names_its_line(tmp_path):
    path = tmp_path / "p.anc"
    path.write_text("memory 4\nSTOP()\n# run: 1 2 3 4 5 -> 3 2\n")
    done = anc("test", path)
    assert done.returncode == 2
    assert f"{path}:3: the tape has 5 cells" in done.stderr


def test_programs_lists_all_thirteen_and_prints_one():
    assert len(anc("programs").stdout.strip().split("\n")) == 14
    assert "READ(p_current)" in anc("programs", "listk").stdout


QUICK = [["--help"], ["run", "listk", "--tape", "3 2 2 9 15"], ["compile", "listk"], ["programs"]]


@pytest.mark.parametrize("words", QUICK, ids=lambda words: words[0])
def test_commands_that_need_no_tensor_library_do_not_import_it(words):
    code = (
        "import sys; from anc.commands.main import app\n"
        f"try: app({words!r})\nexcept SystemExit: pass\n"
        "heavy = {'jax', 'numba', 'numpy', 'z3', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_loads_nothing_that_only_a_command_needs():
    code = (
        "import sys; from anc.commands.main import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "needless = {'anc.training.problem', 'anc.data.tasks', 'statistics'} & set(sys.modules)\n"
        "assert not needless, needless"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("words", QUICK[1:], ids=lambda words: words[0])
def test_no_command_waits_for_what_only_others_need(words):
    """They start in a tenth of a second, of which the library of their options takes half."""
    others = {*PLACES.values()} - {PLACES[words[0]], "completion"}
    code = (
        "import sys; from anc.commands.main import app\n"
        f"try: app({words!r})\nexcept SystemExit: pass\n"
        f"needless = {{'anc.commands.' + name for name in {others!r}}} & set(sys.modules)\n"
        "assert not needless, needless\n"
        "assert len(sys.modules) < 240, len(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m anc.commands.main programs | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""


def test_a_bug_of_ours_ends_with_3_and_no_traceback(monkeypatch):
    code = (
        "import anc.commands.main as m, anc.commands.tasks as p\n"
        "def broken(): raise RuntimeError('oops')\n"
        "m.COMMANDS['programs'].callback = lambda **given: broken()\n"
        "import sys; sys.argv = ['anc', 'programs']; m.main()"
    )
    environment = {key: value for key, value in os.environ.items() if key != "ANC_DEBUG"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 3
    assert "this is a bug in anc: RuntimeError: oops" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_gone_is_no_bug_of_ours(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()

    def looks_around(**given):
        folder.rmdir()
        os.getcwd()

    monkeypatch.setattr(commands_of(app)["programs"], "callback", looks_around)
    done = anc("programs", cwd=folder)
    assert done.returncode == 2
    assert "error: the current directory no longer exists" in done.stderr


def test_the_console_script_is_installed():
    script = Path(sys.executable).parent / "anc"
    done = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("anc ")
