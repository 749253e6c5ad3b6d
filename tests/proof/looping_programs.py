"""Random programs that go through a list, and versions of them that take several rounds at once."""

from __future__ import annotations

from random import Random

from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program

FREE = (8, 9, 10)  # cells of the list that facts leave open
_PIECES = (
    "s = ADD(s, v)",
    "s = INC(s)",
    "c = INC(c)",
    "s = MAX(s, v)",
    "c = ADD(p, 0)",
    "WRITE(p, s)",
    "WRITE(1, v)",
    "WRITE(v, 1)",
    "e = SUB(v, 2)\nJEZ(e, l_skip{n})\ns = INC(s)\nl_skip{n}: c = ADD(c, v)",
    "JEZ(c, l_skip{n})\nc = DEC(c)\nl_skip{n}: s = SUB(s, 1)",
)


def pieces(random: Random) -> list[str]:
    """What is done with each number."""
    return random.choices(_PIECES, k=random.randint(1, 2))


def looping(body: list[str], rounds: int = 1) -> Program:
    """A program that visits every number of a list; its loop is unrolled `rounds` times."""
    text = ["var p = 8; var v; var s; var c; var e"]
    for number in range(rounds):
        label = "l_loop: " if number == 0 else ""
        text.append(f"{label}v = READ(p)\nJEZ(v, l_end)")
        for place, piece in enumerate(body):
            text.append(piece.format(n=f"{number}_{place}"))
        text.append("p = INC(p)")
    text.append("JEZ(0, l_loop)\nl_end: WRITE(0, s)\nWRITE(2, c)\nSTOP()")
    return compile_source(Source("\n".join(text)), memory=64).program
