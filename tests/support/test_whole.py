"""A result takes the place of an older one as a whole, wherever the work is cut off."""

import os
from pathlib import Path

import pytest

from anc.support.diagnostics import AncError
from anc.support.folders import claim as whole

OLD = {"result.json": "old", "adapted.anc": "old", "guarded.anc": "old"}
NEW = {"result.json": "new", "adapted.anc": "new", "adapted.py": "new"}
OWN = {"notes.txt": "mine"}


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def replace(folder: Path) -> None:
    whole.replace(folder, lambda to: put(to, NEW), OLD, "result.json")


def test_nothing_of_the_older_result_stays_and_nothing_else_goes(tmp_path):
    put(tmp_path, OLD | OWN)
    replace(tmp_path)
    assert files_of(tmp_path) == NEW | OWN


class Crash(BaseException):
    """The process is gone: nothing after it is done."""


def test_a_crash_at_any_moment_leaves_the_old_or_the_new_result(tmp_path, monkeypatch):
    """Every change of the disk is, in its turn, the one before which the process ends."""
    done, seen = False, set()
    for moment in range(100):
        folder = tmp_path / str(moment)
        folder.mkdir()
        put(folder, OLD | OWN)
        with monkeypatch.context() as patched:
            left = iter(range(moment))
            for name in ("mkdir", "write_text", "rename", "replace", "unlink", "rmdir"):
                patched.setattr(Path, name, counted(getattr(Path, name), left))
            patched.setattr(whole.shutil, "rmtree", counted(whole.shutil.rmtree, left))
            try:
                replace(folder)
                done = True
            except Crash:
                pass
        visible = {k: v for k, v in files_of_visible(folder).items() if k not in OWN}
        if "result.json" in visible:  # where the mark is, there is a whole result
            assert visible in (OLD, NEW)
        whole.finish(folder)
        whole.discard(folder)
        found = files_of(folder)
        assert found in (OLD | OWN, NEW | OWN)
        seen.add(found["result.json"])
        if done:
            break
    assert done and seen == {"old", "new"}


def counted(action, left):
    def acted(*words, **more):
        if next(left, None) is None:
            raise Crash
        return action(*words, **more)

    return acted


def files_of_visible(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_what_cannot_be_written_leaves_the_older_result(tmp_path):
    put(tmp_path, OLD)

    def fails(to: Path) -> None:
        put(to, NEW)
        raise OSError(28, os.strerror(28))

    with pytest.raises(AncError, match="No space left"):
        whole.replace(tmp_path, fails, OLD, "result.json")
    assert files_of(tmp_path) == OLD
