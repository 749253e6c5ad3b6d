"""Costs of this machine: measured, kept, shown, used and deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import anc

from anc.adaptation import calibration
from anc.data.costs import read_tables
from anc.isa import WIDE

PROGRAM = "memory 8; var x = 0; x = READ(x); x = INC(x); x = DEC(x); WRITE(1, x); STOP()"


def test_tables_are_measured_kept_used_and_deleted(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ANC_CACHE_DIR", raising=False)
    program, cases = tmp_path / "p.anc", tmp_path / "cases.jsonl"
    program.write_text(PROGRAM)
    cases.write_text("".join(json.dumps({"input": [n]}) + "\n" for n in range(8)))
    adapting = "adapt", str(program), "--data", str(cases), "--evaluations", "30000"
    missing = anc(*adapting, "--cost", "mine")
    assert missing.returncode == 2 and "anc calibrate measures one" in missing.stderr
    done = anc("calibrate", "--budget", "1s")
    assert done.returncode == 0 and "shipped" in done.stdout, done.stderr
    file = tmp_path / ".cache" / "anc" / "costs.json"
    weights = dict(read_tables(file)["python"].weights)
    assert set(weights) == set(WIDE.names)
    assert weights["MIN"] > weights["READ"]  # a call, and a list index
    shown = anc("calibrate", "--show").stdout
    assert done.stdout == f"{shown}wrote {file}\n"
    found = anc(*adapting, "--cost", "mine", "--json")
    told = json.loads(found.stdout)
    digest = read_tables(file)["python"].digest
    assert told["provenance"]["cost"] == {"table": "mine", "unit": "ns", "digest": digest}
    assert told["weights"]["READ"] == weights["READ"]
    assert "deleted" in anc("calibrate", "--reset").stdout
    assert not file.exists()
    assert "nothing was measured" in anc("calibrate", "--show").stdout


def test_a_machine_without_a_compiler_is_measured_in_python_alone(monkeypatch) -> None:
    monkeypatch.setattr(calibration.shutil, "which", lambda name: None)
    found = calibration.calibrated(0.5)
    assert set(found.tables) == {"python"} and "no C compiler was found" in str(found)


def test_prices_are_what_units_take_beyond_their_reads_and_writes() -> None:
    times = dict.fromkeys(calibration.programs(), 0.0)
    n, write, read, jump = calibration.UNITS, 2.0, 3.0, 4.0
    for kind in times:
        row = WIDE[kind.removesuffix("?")]
        times[kind] = 50.0 + n * (row.operands * read + write + 7.0)
        if kind.endswith("?"):
            share = calibration._share(row.name)
            times[kind] = 50.0 + n * (2 * read + jump + write * share + 5.0)
    share = calibration._share("JEZ")
    times |= {"STOP": 50.0, "WRITE": 50.0 + n * write, "READ": 50.0 + n * (read + write)}
    times["JEZ"] = 50.0 + n * (read + jump + write * share)
    weights = dict(calibration._table("python", "", times).weights)
    wanted = {"WRITE": 2, "READ": 3, "JEZ": 4, "ADD": 7, "MIN": 7, "LT": 6, "INC": 7, "STOP": 1}
    assert {name: weights[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "--reset"], "exclude each other"),
        (["--reset", "-o", "x.json"], "exclude each other"),
        (["--budget", "never"], "is not a time"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words: list[str], message: str) -> None:
    done = anc("calibrate", *words)
    assert done.returncode == 2 and message in done.stderr
