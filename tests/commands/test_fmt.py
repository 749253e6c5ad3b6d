"""`anc fmt` on files: what it prints, checks and writes."""

import json
import os

import pytest
from command_line import anc

MESSY = "memory 5;var x=READ( 0 )\n\n\nWRITE(1,x) //copy\nSTOP()\n"
CLEAN = "memory 5\nvar x = READ(0)\n\nWRITE(1, x)  //copy\nSTOP()\n"


@pytest.fixture
def files(tmp_path):
    found = {"messy": MESSY, "clean": CLEAN, "wrong": "STOP(\n"}
    for name, text in found.items():
        (tmp_path / f"{name}.anc").write_text(text)
    return tmp_path


def test_it_prints_and_leaves_the_file_alone(files):
    assert anc("fmt", "messy.anc", cwd=files).stdout == CLEAN
    assert anc("fmt", "-", stdin=MESSY).stdout == CLEAN
    assert (files / "messy.anc").read_text() == MESSY


def test_check_names_what_would_change(files):
    done = anc("fmt", "--check", "messy.anc", "clean.anc", cwd=files)
    assert (done.returncode, done.stdout) == (1, "would change messy.anc\n")
    done = anc("fmt", "--check", "clean.anc", cwd=files)
    assert (done.returncode, done.stdout) == (0, "")
    found = json.loads(anc("fmt", "--check", "--json", "messy.anc", cwd=files).stdout)
    assert found == {"files": [{"file": "messy.anc", "changed": True, "text": CLEAN}]}


def test_write_keeps_links_and_permissions(files):
    (files / "messy.anc").chmod(0o600)
    os.symlink("messy.anc", files / "link.anc")
    done = anc("fmt", "-w", "link.anc", "clean.anc", cwd=files)
    assert (done.returncode, done.stdout) == (0, "wrote link.anc\n")
    assert (files / "link.anc").is_symlink()
    assert (files / "messy.anc").read_text() == CLEAN
    assert (files / "messy.anc").stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_if_one_is_wrong(files):
    done = anc("fmt", "-w", "messy.anc", "wrong.anc", cwd=files)
    assert done.returncode == 2
    assert "--> wrong.anc:1:6" in done.stderr
    assert (files / "messy.anc").read_text() == MESSY


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-w", "listk"], "there is no file 'listk'"),
        (["-w", "-"], "there is no file '-'"),
        (["-w", "--check", "messy.anc"], "exclude each other"),
        (["nowhere.anc"], "neither a file nor a shipped program"),
        (["p.json"], "is no listing"),
        (["f.py"], "is no listing"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_wrong_usage(files, words, message):
    (files / "p.json").write_text("{}")
    (files / "f.py").write_text("x = 1")
    done = anc("fmt", *words, cwd=files)
    assert done.returncode == 2
    assert message in done.stderr
