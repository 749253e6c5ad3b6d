"""`anc table1`: kept in parts, gone on with, and what is shown while it is trained."""

import json
import re
import signal
from importlib import import_module

import numpy as np
import pytest
from command_line import anc

from anc.commands.progress import Interrupt, LiveTable
from anc.data.tasks import get
from anc.support.folders import DIGITS, save_whole
from anc.training import problem
from anc.training.distributed.executor import ChunkProgress, HandedOut
from anc.training.distributed.table1 import TableInProgress
from anc.training.result import StopReason, TrainingOutcome, wilson
from anc.training.settings import load_settings


def outcome(chunk) -> TrainingOutcome:
    ones, numbers = np.ones(chunk.S), np.arange(chunk.S)
    return TrainingOutcome(
        ones, numbers + 3.0, ones, *[numbers] * 3, 5.0, 20, 9, 1.5, StopReason.DONE
    )


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The command for two tasks, whose trainings end at once; the seeds that were trained."""
    real = problem.from_task
    figures = import_module("anc.pages.figures")
    monkeypatch.setattr(figures, "save_figures", lambda *given: None)
    monkeypatch.setattr(problem, "from_task", lambda task, *given: real(task, pool=60, test=20))

    def made(*words, interrupted=False):
        seeds, asked = [], Interrupt()

        def run(chunk, should_stop, after_part):
            if interrupted:
                asked.handle(signal.SIGINT)
            seeds.append((chunk.problem.name, *sorted({*chunk.members.seeds})))
            return outcome(chunk)

        monkeypatch.setattr("anc.training.distributed.chunk.Chunk.run", run)
        monkeypatch.setattr("anc.commands.progress.Interrupt", lambda: asked)
        return anc("table1", "--tasks", "access,swap", "-o", "t", *words, cwd=tmp_path), seeds

    return made


def test_more_seeds_train_only_those(table, tmp_path):
    done, seeds = table("--seeds", 20)
    assert done.returncode == 0
    assert seeds == [("access", *range(20)), ("swap", *range(20))]
    done, seeds = table("--seeds", 30, "--json")
    assert seeds == [("access", *range(20, 30)), ("swap", *range(20, 30))]
    assert "access: 20 of 30 seeds were trained before, in t" in done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["seeds"], row["successes"], row["stop"]) for row in rows] == [(30, 4, "done")] * 2
    first = rows[0]["first_try_successes"]
    assert 0 < first < rows[0]["successes"]
    assert rows[0]["first_try_interval"] == pytest.approx(wilson(first, 30), abs=1e-4)
    assert (
        "| success rate | 95 % interval | paper | with restarts |"
        in (tmp_path / "t" / "table1.md").read_text()
    )
    again, seeds = table("--seeds", 30, "--json")
    assert seeds == [] and "swap: finished before, in t" in again.stderr
    assert json.loads(again.stdout)["rows"] == rows


def test_an_interrupted_table_goes_on(table, tmp_path):
    done, seeds = table("--seeds", 2, interrupted=True)
    assert (done.returncode, len(seeds)) == (1, 1)
    assert "| access |" in done.stdout and "| swap |" not in done.stdout
    done, seeds = table("--seeds", 2)
    assert (done.returncode, seeds) == (0, [("swap", 0, 1)])
    assert "| access |" in (tmp_path / "t" / "table1.md").read_text()


def test_a_table_that_was_killed_goes_on(table, tmp_path):
    table("--seeds", 2)
    (tmp_path / "t" / "table1.json").unlink()
    (tmp_path / "t" / "table1.md").unlink()
    done, seeds = table("--seeds", 2)
    assert (done.returncode, seeds) == (0, [])


def test_a_table_of_an_older_anc_is_refused_and_left_alone(table, tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "table1.json").write_text('{"rows": []}')
    done, seeds = table("--seeds", 2)
    assert (done.returncode, seeds) == (2, [])
    assert "t has a table but no folder 'chunks'" in done.stderr and "--force" in done.stderr
    assert (tmp_path / "t" / "table1.json").read_text() == '{"rows": []}'
    assert table("--seeds", 2, "--force")[0].returncode == 0


def test_another_result_takes_the_parts_with_it(table, tmp_path):
    table("--seeds", 2)
    assert len(list((tmp_path / "t" / "chunks").iterdir())) == 2
    save_whole(lambda to: (to / "digits.md").write_text(""), tmp_path / "t", DIGITS, force=True)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["digits.md"]


def test_python_goes_on_with_what_the_command_began(table, tmp_path, monkeypatch):
    import anc as package

    table("--seeds", 2)
    monkeypatch.setattr("anc.training.distributed.chunk.Chunk.run", None)
    told: list = []
    folder = tmp_path / "t" / "chunks"
    rows = package.table1(["access", "swap"], seeds=2, keep=folder, tell=told.append)
    assert [row.task for row in rows] == ["access", "swap"] and told[-1] == rows
    (folder / "x").write_text("")
    with pytest.raises(package.AncError, match="it is not a folder"):
        package.table1(["access"], keep=folder / "x")


def test_the_live_table_is_drawn_where_it_was(monkeypatch, capsys):
    plan = problem.from_task(get("access"), pool=60, test=20), load_settings("access", "ours")
    made = TableInProgress({"access": plan}, 40, "fused")
    monkeypatch.setattr("anc.commands.progress._can_draw", lambda: True)
    monkeypatch.setattr("anc.commands.progress._DRAWN", -1.0)
    live = LiveTable(made.parts, lambda: [f"rows {len(made.rows())}", "x" * 500], quiet=False)
    for part in made.parts:
        live.tell(ChunkProgress.after(part, outcome(part)))
        live.found(part)
        made.add(part, outcome(part))
    live.end()
    first, second, last = re.split("\x1b\\[3A\x1b\\[J", capsys.readouterr().err)
    assert first.startswith("rows 0\nxxx") and max(map(len, first.split("\n"))) < 500
    assert second.startswith("rows 1\n") and re.search(
        "1 of 2 parts done, .* left; access: iteration", second
    )
    assert last == ""


def test_chunks_that_say_nothing_are_counted_while_they_are_waited_for(monkeypatch, capsys):
    plan = problem.from_task(get("access"), pool=60, test=20), load_settings("access", "ours")
    made = TableInProgress({"access": plan}, 40, "fused")
    monkeypatch.setattr("anc.commands.progress._can_draw", lambda: True)
    live = LiveTable(made.parts, list, quiet=False)
    live.tell(HandedOut(2, 7.25))
    assert capsys.readouterr().err == (
        "0 of 2 parts done; 2 chunks handed out, the last word 7.2 s ago\n"
    )


def test_nothing_is_shown_where_nobody_looks(capsys):
    live = LiveTable([], list, quiet=True)
    live.end()
    assert capsys.readouterr() == ("", "")
