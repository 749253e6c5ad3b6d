"""A folder is checked before any work, and is one command's at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anc.support.diagnostics import AncError
from anc.support.folders import ADAPTATION, FILLING, KINDS, OBJECTIVE, TRAINING, claimed, save_whole
from anc.support.folders.claim import LOCK, NEW, WHOLE


def write_adaptation(to: Path, *names: str) -> None:
    for name in ("adapted.anc", *names):
        (to / name).write_text("here")
    (to / "result.json").write_text(json.dumps({"steps_generic": 1}))


def adaptation(folder: Path, *names: str, force: bool = False) -> Path:
    save_whole(lambda to: write_adaptation(to, *names), folder, ADAPTATION, force)
    return folder


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_result_of_the_same_kind_is_replaced_with_all_its_files(tmp_path):
    folder = adaptation(tmp_path / "r", "guarded.anc")
    (folder / "notes.txt").write_text("mine")
    (folder / "report.html").write_text("of the older one")
    adaptation(folder, "adapted.py")
    assert names(folder) == {"adapted.anc", "adapted.py", "result.json", "notes.txt"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.words)
def test_a_result_of_another_kind_is_replaced_with_force_only(tmp_path, kind):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / kind.mark).write_text(json.dumps({kind.key: []}))
    for name in kind.files:
        (folder / name.replace("*", "1")).parent.mkdir(exist_ok=True)
        (folder / name.replace("*", "1")).write_text("")
    if kind is not ADAPTATION:
        with pytest.raises(AncError, match=f"holds {kind.words}; .* is an adaptation"):
            adaptation(folder)
    adaptation(folder, force=True)
    assert names(folder) == {"adapted.anc", "result.json"}


def test_a_sketch_filled_for_an_objective_is_a_filled_sketch(tmp_path):
    def write(to: Path) -> None:
        (to / "result.json").write_text('{"holes": [], "comparison": {}}')

    for _ in range(2):
        save_whole(write, tmp_path, FILLING)
    with pytest.raises(AncError, match="holds a filled sketch"):
        save_whole(write, tmp_path, OBJECTIVE)


def test_a_training_run_is_not_replaced_by_accident(tmp_path):
    (tmp_path / "run.json").write_text('{"origin": {}}')
    with pytest.raises(
        AncError, match="already holds a training run\n  help: resume it with --resume"
    ):
        claimed(tmp_path, TRAINING).__enter__()


def test_files_that_are_no_result_are_never_touched(tmp_path):
    for number in range(5):
        (tmp_path / f"chapter{number}.tex").write_text("mine")
    (tmp_path / "adapted.py").write_text("mine")
    (tmp_path / "result.json").write_text('{"somebody": "else"}')
    with pytest.raises(AncError, match=r"adapted.py, chapter0.tex, chapter1.tex and 4 more"):
        adaptation(tmp_path)
    assert len(names(tmp_path)) == 7
    adaptation(tmp_path, force=True)
    assert len(names(tmp_path)) == 8  # with adapted.anc
    assert (tmp_path / "adapted.py").read_text() == "mine"


def test_hidden_files_are_no_reason_to_refuse(tmp_path):
    (tmp_path / ".gitignore").write_text("*")
    adaptation(tmp_path)
    assert ".gitignore" in names(tmp_path)


def test_nothing_is_left_of_a_command_that_found_nothing(tmp_path):
    with claimed(tmp_path / "deep" / "r", ADAPTATION):
        assert names(tmp_path / "deep" / "r") == {LOCK}
    assert not names(tmp_path)


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    for place in (
        *(tmp_path / name for name in ("file", "file/r", "link")),
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(
            AncError, match=r"is not a folder|cannot write|a link to nowhere, which"
        ):
            claimed(place, ADAPTATION).__enter__()


def test_a_full_disk_is_noticed_before_the_work(tmp_path, monkeypatch):
    def full(handle: int, data: bytes) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(AncError, match=r"cannot write .*: No space left on device"):
        claimed(tmp_path / "r", ADAPTATION).__enter__()
    assert not names(tmp_path)


def test_what_a_crash_left_is_put_right(tmp_path):
    folder = adaptation(tmp_path / "r", "guarded.anc")
    (folder / NEW).mkdir()
    (folder / NEW / "adapted.anc").write_text("half")
    (folder / WHOLE).mkdir()
    write_adaptation(folder / WHOLE, "proved.anc")
    (folder / WHOLE / ".plan").write_text('{"gone": ["guarded.anc"], "mark": "result.json"}')
    with claimed(folder, ADAPTATION):
        assert names(folder) == {"adapted.anc", "result.json", "proved.anc", LOCK, NEW}
    assert names(folder) == {"adapted.anc", "result.json", "proved.anc"}


def test_a_file_that_the_kind_does_not_know_is_a_mistake(tmp_path):
    with pytest.raises(AssertionError, match=r"an adaptation has no file other\.txt"):
        adaptation(tmp_path / "r", "other.txt")


HOLDING = """
import sys
from pathlib import Path
from anc.support.folders import ADAPTATION, claimed
with claimed(Path(sys.argv[1]), ADAPTATION):
    print("on", flush=True)
    sys.stdin.read()
"""


def test_a_folder_in_use_is_refused_until_its_process_ends(tmp_path):
    folder = adaptation(tmp_path / "r")
    command = [sys.executable, "-c", HOLDING, str(folder)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"on\n"
    for force in (False, True):
        with pytest.raises(AncError, match=f"in use by process {holder.pid} "):
            claimed(folder, ADAPTATION, force).__enter__()
    holder.kill()
    holder.communicate()
    assert LOCK in names(folder)  # of a process that had no time to remove it
    adaptation(folder)
    assert names(folder) == {"adapted.anc", "result.json"}


def test_two_claims_in_one_process_exclude_each_other(tmp_path):
    with claimed(tmp_path, FILLING), pytest.raises(AncError, match="is in use"):
        claimed(tmp_path, FILLING).__enter__()
    assert not names(tmp_path)
