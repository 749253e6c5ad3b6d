"""Long outputs are cut where a file has the rest, and nowhere else."""

import json

import pytest
from command_line import anc

from anc.commands.results import MOST, shortened

LISTING = [f"x{n} = ADD(x{n}, {n})" for n in range(60)]


def test_only_what_a_file_has_is_cut_and_the_file_is_named(tmp_path):
    own = [f"said nowhere else {n}" for n in range(30)]
    text = "\n".join(["found", *LISTING, "in between", "", *own])
    assert shortened(text, tmp_path) == text
    (tmp_path / "result.json").write_text(json.dumps({"program": "\n".join(LISTING)}))
    (tmp_path / "adapted.anc").write_text("# head\n" + "\n".join(LISTING))
    rest = f"... 50 more lines, in {tmp_path / 'adapted.anc'}"
    assert shortened(text, tmp_path).split("\n") == [
        "found", *LISTING[:10], rest, "in between", "", *own,
    ]  # fmt: skip
    short = "\n".join(LISTING[:MOST])
    assert shortened(short, tmp_path) == short  # it fits on a screen


@pytest.fixture
def sketch(tmp_path):
    lines = ["memory 80", "var x = READ(0)", *["x = INC(x)"] * 50, "x = ?(x, x)", "WRITE(1, x)"]
    (tmp_path / "long.anc").write_text("\n".join([*lines, "STOP()", ""]))
    (tmp_path / "cases.jsonl").write_text('{"input": [3, 0], "output": [3, 26]}\n' * 20)
    return tmp_path


def test_a_command_cuts_what_it_keeps_in_a_folder(sketch):
    def filled(*more):
        words = ["fill", "long.anc", "--data", "cases.jsonl", "--method", "search"]
        return anc(*words, *more, cwd=sketch).stdout

    short = filled("-o", "out")
    assert "more lines, in out/filled.anc" in short and 0 < short.count("INC") < 10
    assert filled().count("INC") == 50
    for more in ("-v", "-q", "--json"):
        assert filled("-o", "out", "--force", more).count("INC") >= 50
