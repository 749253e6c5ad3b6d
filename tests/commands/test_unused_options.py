"""Options that say nothing where they are given: refused before any work, never ignored silently."""

import json

import pytest
from command_line import anc

import anc as library

DATA = ("double.anc", "--data", "cases.jsonl")
FILL = ("fill", "sketch.anc", "--data", "cases.jsonl")
GRID = ("sweep", *DATA, "--grid", "grid.toml")
TRAIN = ("train", *DATA, "--seeds", "1", "--iterations", "1")
AIM = ("train", "double.anc", "--data", "tapes.jsonl", "--objective", "access")
ADAPT = ("adapt", *AIM[1:], "--method", "gradient")
SOFT = "w.safetensors"
RUN = ("--tape", "3 2 2 5 4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("unused")
    listing = "memory 10\nvar x = READ(0)\nx = {}(x, x)\nWRITE(1, x)\nSTOP()\n"
    (where / "double.anc").write_text(listing.format("ADD"))
    (where / "sketch.anc").write_text(listing.format("?"))
    cases = ({"input": [n, 0], "output": [n, 2 * n % 10]} for n in range(10))
    (where / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (where / "tapes.jsonl").write_text('{"input": [1, 0]}\n')
    (where / "grid.toml").write_text("rate = [0.03, 0.1]\n")
    library.save(library.soften("listk"), where / SOFT)
    result = library.adapt("access", evaluations=20_000)
    result.save(where / "result")
    return where


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("adapt", "listk", "-m", "30"), "'listk' have 20 cells, not 30"),
        (("train", "listk", "-m", "30"), "'listk' have 20 cells, not 30"),
        (("sweep", "listk", "-m", "30", "--grid", "grid.toml"), "'listk' have 20 cells, not 30"),
        (("adapt", *DATA, "--generic"), "--generic is about the cases of a task"),
        (("train", *DATA, "--generic"), "--generic is about the cases of a task"),
        (("adapt", "listk", "--write-anyway"), "--write-anyway is about a file in a folder"),
        (("adapt", *DATA, "--write-anyway", "-o", "r"), "--write-anyway is about functions"),
        (("adapt", "listk", "--force"), "--force replaces the result in a folder"),
        (("train", "listk", "--force"), "--force replaces the result in a folder"),
        ((*FILL, "--force"), "--force replaces the result in a folder"),
        ((*FILL, "--method", "search", "--seeds", "4"), "--seeds is about gradient descent"),
        ((*FILL, "--method", "search", "--engine", "jax"), "--engine is about gradient descent"),
        ((*GRID, "--samples", "4"), "--samples is about drawing from ranges"),
        ((*GRID, "--seed", "4"), "--seed is about drawing from ranges"),
        (("compile", "listk", "-s", "3"), "--sharpness is about weights"),
        (("compile", "listk", "--seed", "3", "-o", "x.anc"), "--seed is about weights"),
        (("compile", "listk", "--to", "c", "-o", "x.anc"), "--to c does not go with x.anc"),
        (("compile", "listk", "--to", "ir", "-o", SOFT), f"--to ir does not go with {SOFT}"),
        (("run", "listk", *RUN, "-s", "3"), "--sharpness is for the soft machine"),
        (("trace", "listk", *RUN, "-s", "3"), "--sharpness is for the soft machine"),
        (("run", SOFT, *RUN, "-s", "3"), f"{SOFT} holds weights already"),
        (("trace", SOFT, *RUN, "-s", "3", "--html", "x.html"), f"{SOFT} holds weights already"),
        (("run", SOFT, *RUN, "--machine", "exact"), "weights always run softly"),
        (("decompile", SOFT, "-s", "3"), f"{SOFT} holds weights already"),
        (("decompile", SOFT, "--seed", "3"), "--seed is for programs that are softened"),
        (("decompile", "listk", "--max-steps", "3"), "--max-steps is about runs"),
        (("figure", SOFT, "-s", "3"), f"{SOFT} holds weights already"),
        (("figure", "result", "-s", "3"), "result is a folder of results"),
        (("figure", "result", "-t", "3"), "result is a folder of results"),
        (("figure", "result", "-m", "30"), "result is a folder of results"),
        (("report", "result", "-m", "30"), "result is a folder of results"),
        (("verify", "result", "-m", "30"), "result is for a memory of 10 cells, not 30"),
        (("guard", "access", "result", "-m", "30"), "result is for a memory of 10 cells, not 30"),
        ((*AIM, "--proposals", "3"), "No such option"),
        ((*ADAPT, "--proposals", "3"), "gradient descent has none"),
        ((*TRAIN, "--start", "exact", "--sharpness", "3"), "sharpness is about a start that is"),
        ((*TRAIN, "--start", "random", "--sharpness-spread", "0.1"), "start is 'random'"),
        ((*TRAIN, "--pull-until", "0.5"), "pull_until is about a pull, and there is none"),
        ((*AIM, "--start", "exact", "--sharpness", "3"), "sharpness is about a start that is"),
    ],
)
def test_they_are_refused(folder, words, found):
    before = sorted(folder.rglob("*"))
    done = anc(*words, cwd=folder)
    assert done.returncode == 2
    assert found in done.stderr
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [
        ("compile", "listk", "--to", "c", "-o", "x.h"),
        ("run", "listk", *RUN, "-s", "20", "--machine", "soft"),
        ("run", SOFT, *RUN, "--machine", "soft"),
        ("decompile", SOFT, "--seed", "3", "--data", "tapes.jsonl"),
        ("verify", "result", "-m", "10"),
    ],
)
def test_where_they_say_something_they_are_taken(folder, words):
    assert anc(*words, cwd=folder).returncode == 0


def test_a_setting_that_says_nothing_is_refused_from_python_too():
    with pytest.raises(library.AncError, match="sharpness is about a start that is soft"):
        library.train("access", seeds=1, iterations=1, start="exact", sharpness=3.0)
    pulled = library.train(
        "access", seeds=1, iterations=1, start="exact", sharpness=3.0, pull_weights=1.0
    )
    assert len(pulled.steps) == 1
