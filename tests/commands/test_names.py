"""Files may be called anything: no name acts on a terminal, ends a comment or keeps a file from being written."""

import json
import re
import shutil

import pytest
from command_line import anc

NAMES = {"control": "e\x1b[31m\x07\r\nx", "not UTF-8": "n\udcff\udcfe"}
LISTING = "memory 10\nvar x = READ(0)\nx = {}(x, x)\nWRITE(1, x)\nSTOP()\n# run: 3 -> 3 7\n"
FUNCTION = "import anc\n\n\n@anc.function(memory=20)\ndef twice(a: int) -> int:\n    return a + a\n"
SMALL = ("--seeds", "1", "--iterations", "1")


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def name(request, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    name = request.param
    cases = [{"input": [n, 0], "output": [n, 2 * n % 10]} for n in range(10)]
    texts = {
        ".anc": LISTING.format("ADD"),
        "-sketch.anc": LISTING.format("?"),
        "-unused.anc": "memory 4\nvar  x = 1\nSTOP()\n",
        ".py": FUNCTION,
        ".jsonl": "".join(json.dumps(case) + "\n" for case in cases),
        ".toml": "rate = [0.1, 0.2]\niterations = 1\n",
    }
    for end, text in texts.items():
        (tmp_path / f"{name}{end}").write_text(text)
    return name


def is_shown_plainly(words: list[str]) -> None:
    """Run the command, and look at what a terminal would get."""
    done = anc(*words)
    shown = done.stdout + done.stderr
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", shown)
    assert shown.encode()  # there is nothing that cannot be printed


def test_what_is_said_about_a_file_is_plain(name):
    for words in (
        ["fmt", "--check", f"{name}-unused.anc"],
        ["compile", f"{name}-unused.anc"],
        ["test", f"{name}.anc", "--machines", "exact"],
        ["test", f"{name}.py", "--machines", "exact"],
        ["trace", f"{name}.anc", "--tape", "1", "--html", "x.html", "--compare", f"{name}.anc"],
        ["report", f"{name}.anc"],
        ["train", f"{name}.anc", "--data", f"{name}.jsonl", *SMALL, "-o", f"{name}-run"],
        ["report", f"{name}-run"],
        ["sweep", f"{name}.anc", "--data", f"{name}.jsonl", "--grid", f"{name}.toml"]
        + ["--seeds", "1", "-o", f"{name}-best.toml"],
    ):
        is_shown_plainly(words)


def test_a_result_is_a_program_whatever_the_file_is_called(name):
    adapt = ["adapt", f"{name}.anc", "--data", f"{name}.jsonl", "--evaluations", "1000"]
    fill = ["fill", f"{name}-sketch.anc", "--data", f"{name}.jsonl", "--evaluations", "100"]
    is_shown_plainly([*adapt, "-o", "adapted"])
    is_shown_plainly([*fill, "-o", "filled"])
    assert anc("verify", "adapted").returncode == 0
    assert anc("run", "filled/filled.anc", "--tape", "3").stdout.startswith("3 6 ")
    shutil.copy(f"{name}.py", f"{name}-other.py")
    assert anc("run", f"{name}-other.py:twice", "--call", "4").stdout == "8\n"
