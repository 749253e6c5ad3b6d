"""The boards: what the problems mean, and how their tables get into the page."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from board_rows import Board, BoardRow, replaced
from hackers_delight import specifications, with_z3
from sorting.two_address import kernel_of

import anc
from anc.isa import BITS

ROOT = Path(__file__).parents[1]
M = 256
FORMULAS = {  # the other way to say it: by arithmetic on bits
    "p01": lambda x: x & (x - 1),
    "p02": lambda x: x & (x + 1),
    "p03": lambda x: x & -x,
    "p04": lambda x: x ^ (x - 1),
    "p05": lambda x: x | (x - 1),
    "p06": lambda x: x | (x + 1),
    "p07": lambda x: ~x & (x + 1),
    "p08": lambda x: ~x & (x - 1),
    "p09": lambda x: -x if x > 127 else x,
    "p13": lambda x: -(x >> 7) | (-x % M) >> 7,
    "p17": lambda x: (((x - 1) | x) + 1) & x,
    "p18": lambda x: x != 0 and x & (x - 1) == 0,
    "p22": lambda x: bin(x).count("1") & 1,
    "p23": lambda x: bin(x).count("1"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_specifications_of_one_number(name):
    function = getattr(specifications, name)
    assert [function(x) for x in range(M)] == [FORMULAS[name](x) % M for x in range(M)]


def test_specifications_of_several_numbers():
    random = Random(0)
    for _ in range(2_000):
        x, y = random.randrange(M), random.randrange(M)
        same = (x ^ y) <= (x & y)
        assert specifications.p10(x, y) == same
        assert specifications.p11(x, y) == (x & ~y > y)
        assert specifications.p12(x, y) == (y & ~x <= x)
        assert specifications.p14(x, y) == (x & y) + ((x ^ y) >> 1)
        assert specifications.p15(x, y) == (x | y) - ((x ^ y) >> 1)
        assert (specifications.p16(x, y) + 128) % M == max((x + 128) % M, (y + 128) % M)
        k = random.randrange(1, 8)
        moved = ((x >> k) ^ x) & y
        wanted = specifications.p19(x, y, k)
        assert wanted is None or wanted == x ^ moved ^ (moved << k)
    assert [specifications.p21(x, 3, 9, 4) for x in (3, 9, 4, 5)] == [9, 4, 3, None]
    assert [specifications.p24(x) for x in (0, 1, 2, 3, 100, 128, 129)] == [0, 1, 2, 4, 128, 128, 0]
    assert [specifications.p20(x) for x in (1, 5, 6, 255)] == [2, 6, 9, None]


@pytest.mark.parametrize("op", with_z3.PLAIN)
def test_z3_has_the_same_instructions(op):
    a, b = (part.ravel() for part in np.meshgrid(np.arange(0, M, 5), np.arange(0, M, 3)))
    found = with_z3.PLAIN[op](a, b) % M
    output = BITS[op].output
    assert found.tolist() == [output(*map(int, pair), M) for pair in zip(a, b, strict=True)]


def test_z3_finds_a_short_program():
    inputs = np.arange(M)[:, None]
    answers = np.array([specifications.p03(x) for x in range(M)])
    found = with_z3.synthesise(inputs, answers, (0, 1, 7), 3, 60.0)
    assert len(found.code) == 2
    assert found.excluded == 1
    assert (with_z3.run(found.code, inputs, (0, 1, 7)) == answers).all()


def test_moves_of_two_address_code():
    """A comparator needs a move; of three in the best order, one of the three needs none."""
    read = "memory 32; var a = READ(0); var b = READ(1); var t; var c; var u"
    one = f"{read}; t = MIN(a, b); b = MAX(a, b); WRITE(0, t); WRITE(1, b); STOP()"
    assert len(kernel_of(anc.compile(one)).code) == 3
    kernel = kernel_of(anc.compile(f"{read}; a = MIN(a, b); WRITE(0, a); STOP()"))
    assert str(kernel) == "min r0, r1"
    three = (
        f"{read}; c = READ(2); t = MIN(a, b); u = MIN(t, c); b = MAX(a, b); a = MAX(b, c); c = MAX(t, c)"
        "; c = MIN(c, b); WRITE(0, u); WRITE(1, c); WRITE(2, a); STOP()"
    )
    assert [*anc.run(three, [7, 2, 4]).tape[:3]] == [2, 4, 7]
    kernel = kernel_of(anc.compile(three))
    assert len(kernel.code) == 8
    assert kernel.sorts() == 27


def test_tables_replace_a_part_of_the_page():
    board = Board("hackers", ("lines",), "benchmarks/hackers_delight")
    row = BoardRow("p01", "a < b | c", ("2",), "anc fill one.anc", "x = ADD(x, x)", 0.5)
    page = "before\n<!-- hackers -->\nold\n<!-- end of hackers -->\nafter\n"
    found = replaced(page, "hackers", board.markdown([row], "Measured."))
    assert found.startswith("before\n<!-- hackers -->\nMeasured.\n")
    assert "| p01 | a < b &#124; c | 2 |" in found
    assert "<code>$ anc fill one.anc\n\nx = ADD(x, x)</code>" in found
    assert found.endswith("<!-- end of hackers -->\nafter\n")
    assert "old" not in found
    with pytest.raises(SystemExit):
        replaced(page, "sorting", [])


@pytest.mark.parametrize("name", ["puzzles", "hackers", "sorting"])
def test_the_page_has_a_place_for_every_board(name):
    assert replaced((ROOT / "docs" / "boards.md").read_text(encoding="utf-8"), name, ["new"])
