"""The data of the page of `anc play`: its puzzles, its links, its size."""

import base64
import re
import zlib
from random import Random

import pytest

from anc.commands.play_job import MOST_CELLS, MOST_TEXT
from anc.machine import exact
from anc.machine.tapes import fill
from anc.pages.play import link, play_page
from anc.pages.play_puzzles import HIDDEN, MOST_STEPS, PUZZLES
from anc.support.diagnostics import AncError

MORE = 300  # tapes that are neither shown nor hidden


def test_there_are_eight_puzzles_with_other_names_and_words():
    assert len(PUZZLES) == len({p.name for p in PUZZLES}) == len({p.words for p in PUZZLES}) == 8


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_the_best_known_programs_are_right(puzzle):
    shortest, fastest = puzzle.best_known()
    assert puzzle.right(shortest) and puzzle.right(fastest)
    assert shortest.L <= fastest.L and puzzle.steps(fastest) <= puzzle.steps(shortest)
    rng = Random("more")
    for _ in range(MORE):
        tape = fill(puzzle.draw(rng, puzzle.M), puzzle.M)
        for program in (shortest, fastest):
            assert exact.run(program, tape, MOST_STEPS).tape == puzzle.expected(tape)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_the_hidden_tapes_differ_and_ask_for_something(puzzle):
    tapes = puzzle.tapes()
    assert len(set(tapes)) == HIDDEN
    assert all(len(tape) == puzzle.M and max(tape) < puzzle.M for tape in tapes)
    changed = sum(puzzle.expected(tape) != tape for tape in tapes)
    assert changed >= HIDDEN // 4
    data = puzzle.to_dict()
    assert "READ" in data["start"] and fill(puzzle.example, puzzle.M) not in tapes


def test_what_the_page_says_of_a_puzzle_gives_no_program_away():
    for puzzle in PUZZLES:
        shortest, _ = puzzle.best_known()
        assert str(shortest.L) in repr(puzzle.to_dict()) and "WRITE" not in repr(puzzle.to_dict())


def test_a_link_holds_the_text_of_a_program():
    packed = re.fullmatch(r"#text=([\w-]+)&step=3", link(text="STOP()  # ß", step=3))[1]
    padded = packed + "=" * (-len(packed) % 4)
    assert zlib.decompress(base64.urlsafe_b64decode(padded)).decode() == "STOP()  # ß"
    with pytest.raises(AncError, match="there is no program 'lisk'"):
        link("lisk")


def test_the_page_is_small_and_strict():
    html = play_page()
    assert len(html.encode()) < 400_000
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1]
    assert policy.startswith("default-src &#x27;none&#x27;; script-src &#x27;sha256-")
    assert "connect-src" not in policy and "unsafe" not in policy
    assert "connect-src &#x27;self&#x27;" in play_page(has_server=True)
    assert not re.search(r"<[a-z]+[^>]* on\w+=", html.split("<script", 1)[0])


def test_the_page_has_the_limits_of_the_command():
    script = play_page()
    assert f"const MOST_TEXT = {MOST_TEXT};" in script
    assert f"const MOST_CELLS = {MOST_CELLS};" in script


def test_a_text_cannot_leave_the_data():
    html = play_page(text="</script><script>alert(1)</script>")
    assert "</script><script>alert" not in html


def test_the_moving_picture_is_small_and_moves():
    from handbook import DOCS
    from PIL import Image

    file = DOCS / "assets" / "play.gif"
    assert file.stat().st_size < 1_000_000
    with Image.open(file) as picture:
        assert picture.n_frames > 20
