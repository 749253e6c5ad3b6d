"""Every command takes a function from a file, which it reads and never runs."""

import json
from pathlib import Path

import pytest
from command_line import anc as shell

import anc
from anc.data.loading import load
from anc.data.tasks.data import Given
from anc.support.diagnostics import AncError

HERE = Path(__file__).parent
COUNTING = HERE / "counting.py"


def test_a_file_is_never_run(tmp_path):
    text = COUNTING.read_text() + f"\nopen({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit\n"
    (tmp_path / "acts.py").write_text(text)
    done = shell("compile", f"{tmp_path / 'acts.py'}:count_above", "--to", "listing")
    assert done.returncode == 0 and "READ" in done.stdout
    assert not (tmp_path / "ran").exists()
    assert (
        load(f"{COUNTING}:count_above").program == load(f"{tmp_path}/acts.py:count_above").program
    )


HALF = "import anc\n\n@anc.function(memory=64{})\ndef half(x: int) -> int:\n    return x // 2 * 3\n"


@pytest.mark.parametrize(
    ("option", "typed", "found"),
    [
        ("", None, "wide"),
        (', instructions="paper"', None, "paper"),
        (", instructions=anc.PAPER", None, "paper"),
        (", instructions='mul.py'", None, "mul.py"),
        (', instructions="paper"', "wide", "wide"),
        ("", "paper", "paper"),
        (", instructions=MINE", "paper", "paper"),
    ],
)
def test_an_instruction_set_is_typed_or_the_decorator_s_or_the_wide_one(
    option, typed, found, tmp_path
):
    text = (HERE.parent / "mul.py").read_text()
    (tmp_path / "mul.py").write_text(f"# {tmp_path}\n{text}")  # a set is known by its text
    (tmp_path / "half.py").write_text(HALF.format(option))
    words = [] if typed is None else ["--instructions", typed]
    text = shell(*words, "compile", "half.py", cwd=tmp_path).stdout
    assert text.startswith("memory" if found == "paper" else f"instructions {found}")
    assert ("DIV(" in text, "MUL(" in text) == (found == "wide", found == "wide")


def test_a_set_that_only_running_the_file_tells_is_refused(tmp_path):
    (tmp_path / "half.py").write_text(HALF.format(", instructions=MINE"))
    told = shell("compile", "half.py", cwd=tmp_path).stderr
    assert "the text does not tell which instruction set this is" in told
    assert 'write instructions="paper"' in told


def test_what_is_written_of_a_function_is_read_without_an_option(tmp_path):
    (tmp_path / "half.py").write_text(HALF.format(""))
    shell("compile", "half.py", "-o", "half.anc", cwd=tmp_path)
    text = shell("compile", "half.py", cwd=tmp_path).stdout
    assert text == (tmp_path / "half.anc").read_text()
    assert shell("compile", "half.anc", "--to", "listing", cwd=tmp_path).stdout == text
    for file in ("half.json", "half.safetensors"):
        shell("compile", "half.py", "-o", file, cwd=tmp_path)
        assert load(tmp_path / file).program.instructions == anc.WIDE
        told = shell("--instructions", "paper", "run", file, "--tape", "9", cwd=tmp_path).stderr
        assert "other instructions" in told or "another set of instructions" in told


def test_a_call_from_the_shell():
    done = shell("run", f"{COUNTING}:count_above", "--call", "[3, 9, 1], 2")
    assert (done.returncode, done.stdout) == (0, "2\n")
    assert done.stderr.startswith("stopped after")
    done = shell("run", f"{COUNTING}:count_above", "--call", "[3, 9, 1], limit=2", "--json")
    assert json.loads(done.stdout)["result"] == 2
    done = shell("run", f"{COUNTING}:has", "--call", "[3, 9, 1], 9", "--json")
    assert json.loads(done.stdout)["result"] is True
    done = shell("run", f"{COUNTING}:listk", "--tape", "3 1 2 5 4 7 5", "--json")
    assert json.loads(done.stdout)["tape"][2] == 4 and json.loads(done.stdout)["result"] is None


def test_where_the_machine_differs_from_python_it_is_said():
    done = shell("run", f"{COUNTING}:plain", "--call", "9", "--memory", 10)
    assert done.stdout == "8\n"
    assert "Python's own result is 18; the machine counts modulo 10" in done.stderr
    done = shell("run", f"{COUNTING}:plain", "--call", "9", "--memory", 40)
    assert done.stdout == "18\n" and "note" not in done.stderr
    done = shell("run", f"{COUNTING}:listk", "--call", "[3, 1, 2, 5]")
    assert "note: Python itself ends with IndexError" in done.stderr
    done = shell("run", f"{COUNTING}:plain", "--call", "9", "--memory", 10, "--json")
    assert json.loads(done.stdout)["note"].startswith("Python's own result is 18; the machine")
    done = shell("run", f"{COUNTING}:plain", "--call", "9", "--memory", 40, "--json")
    assert "note" not in json.loads(done.stdout)


def test_examples_and_asserts():
    machines = ["--machines", "exact,hardened"]
    done = shell("test", f"{COUNTING}:count_above", f"{COUNTING}:listk", *machines)
    assert done.returncode == 0 and "4 passed, 0 failed" in done.stdout
    assert "no examples" in shell("test", f"{COUNTING}:weighted").stdout


def test_all_marked_functions_of_a_file():
    done = shell("test", COUNTING, "--machines", "exact")
    assert done.returncode == 0 and "2 passed, 0 failed" in done.stdout
    for name in ("count_above: exact: 1 of 1", "listk: exact: 1 of 1", "has: no examples"):
        assert f"counting.py:{name}" in done.stdout
    assert "plain" not in done.stdout  # it has no decorator
    done = shell("run", COUNTING, "--call", "3")
    assert done.returncode == 2 and f"name it: {COUNTING}:count_above" in done.stderr


def test_the_soft_machine_is_left_out_of_a_large_memory_unless_it_is_named(tmp_path):
    text = "import anc\n\n@anc.function(memory={})\ndef f(x: int) -> int:\n"
    text += '    """>>> f(3)\n    4\n    """\n    return x + 1\n'
    for M in (512, 513):
        (tmp_path / f"m{M}.py").write_text(text.format(M))
    assert "3 passed" in shell("test", tmp_path / "m512.py").stdout
    done = shell("test", tmp_path / "m513.py")
    assert done.returncode == 0 and "2 passed, 0 failed" in done.stdout
    assert "soft: skipped, because it is slow in more than 512 cells" in done.stdout
    found = json.loads(shell("test", tmp_path / "m513.py", "--json").stdout)["programs"][0]
    assert found["left_out"] == ["soft"] and sorted(found["machines"]) == ["exact", "hardened"]
    assert "1 passed" in shell("test", tmp_path / "m513.py", "--machines", "soft").stdout


def test_examples_that_are_wrong(tmp_path):
    text = (
        "import anc\n\n@anc.function(memory=20)\ndef f(x: int) -> int:\n"
        '    """Twice.\n\n    >>> f(2)\n    5\n    >>> f(3)\n    6\n    """\n'
        "    y = x + x\n    assert y < 5\n    return y\n"
    )
    (tmp_path / "wrong.py").write_text(text)
    done = shell("test", tmp_path / "wrong.py", "--machines", "exact")
    assert done.returncode == 1
    assert "wrong.py:7: the result is 4, expected 5" in done.stdout
    assert "line 13: this assert does not hold in the example of line 9" in done.stdout


def test_trace_and_adapt(tmp_path):
    where = f"{COUNTING}:count_above"
    done = shell("trace", where, "--call", "[3, 9, 1], 2")
    assert done.returncode == 0 and "WRITE(9, " in done.stdout
    calls = tmp_path / "calls.jsonl"
    calls.write_text("".join(f"[{i % 15}, 1]\n" for i in range(40)))
    where = f"{COUNTING}:chosen"
    assert Given.in_file(calls, load(where).call).inputs(40)[1][:3] == (1, 1, 0)
    words = ["--data", calls, "--method", "specialise", "--budget", "30s"]
    done = shell("adapt", where, *words, "-o", tmp_path / "out", "--json")
    found = json.loads(done.stdout)
    assert found["steps_adapted"] < found["steps_generic"]
    assert "tape[1] < 3" in found["precondition"]
    assert anc.load(tmp_path / "out" / "generic.anc") == load(where).program
    for names in ([], [where]):  # by itself, and against the function as it is
        again = json.loads(shell("verify", *names, tmp_path / "out", "--json").stdout)
        assert (again["verdict"], again["counts"]) == ("proved", found["counts"])
    calls.write_text('[1, 99]\n[[1], 2, 3]\n{"input": [3]}\n')
    done = shell("adapt", where, *words)
    assert "2 of 3 lines are wrong" in done.stderr
    assert "line 1: 'which' is 99" in done.stderr and "line 2: expected 2 (x, which" in done.stderr


def test_decompile_takes_recorded_calls(tmp_path):
    recorded = anc.record(lambda x, which: None, tmp_path / "calls.jsonl")
    for x in (3, 5, 99):
        recorded(x, which=1)
    done = shell("decompile", f"{COUNTING}:chosen", "--data", tmp_path / "calls.jsonl", "-s", 12)
    assert "on 2 cases" in done.stdout
    assert "3 calls seen, 3 kept, 2 of them fit the function; 1 left out" in done.stderr


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("counting.py:count", "did you mean 'count_above'?"),
        ("counting.py", "which function of"),
        ("nothing.py:f", "cannot read"),
    ],
)
def test_names_that_lead_nowhere(where, message):
    with pytest.raises(AncError) as caught:
        load(f"{HERE}/{where}")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("[1", "is not a list of arguments"),
        ("[1], 2, 3", "expected 2 arguments (values, limit), found 3"),
        ("[1], x", "'limit' is not a literal number"),
        ("[1], wrong=2", "expected 2 arguments"),
        ("[[1]], 2", "'values' is not a literal number, text or list of numbers"),
    ],
)
def test_calls_that_are_none(call, message):
    done = shell("run", f"{COUNTING}:count_above", "--call", call)
    assert done.returncode == 2 and message in done.stderr
    assert shell("run", "listk", "--call", "3").returncode == 2
    assert shell("run", "listk").returncode == 2


def test_an_emitted_function_has_the_functions_own_name():
    assert (
        "def count_above(" in shell("compile", f"{COUNTING}:count_above", "--to", "python").stdout
    )
    assert "count_above(" in shell("compile", f"{COUNTING}:count_above", "--to", "c").stdout


def test_report_steps_through_an_example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = shell("report", f"{COUNTING}:count_above")
    assert done.stdout.startswith(
        "wrote count_above.html (count_above on its first example, stopped"
    )
    assert "<title>" in (tmp_path / "count_above.html").read_text()
    assert "has no example" in shell("report", f"{COUNTING}:has").stderr
    assert "there is no folder" in shell("report", "nothing").stderr
