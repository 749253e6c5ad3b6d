"""Random programs that look for a number in a list, and versions of them that may stop early."""

from __future__ import annotations

from random import Random

from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program

LIST = (8, 9, 10, 11)  # cells of the list that facts leave open; the number looked for is in cell 1
_EQUAL, _AT_MOST = "e = SUB(v, x)", "e = MAX(v, x); e = SUB(e, x)"  # e is 0 if v is
_HITS = ("s = INC(s)", "s = ADD(v, 0)", "s = ADD(p, 0)", "s = MAX(s, v)")
_BEGIN = "var p = 8; var x = 1; var s; var v; var e\nx = READ(x)\n"
_END = "l_end: WRITE(0, s); STOP()\n"


def pair(random: Random) -> tuple[Program, Program, str]:
    """A program that goes to the end of its list, one that stops early, and when that is right: mostly."""
    test, hit = random.choice((_EQUAL, _EQUAL, _AT_MOST)), random.choice(_HITS)
    body = f"l_loop: v = READ(p); JEZ(v, l_end); p = INC(p); {test}; JEZ(e, l_hit); l_on: "
    goes_on = f"{_BEGIN}{body}JEZ(0, l_loop)\nl_hit: {hit}; JEZ(0, l_on)\n{_END}"
    if random.random() < 0.5:
        function = "different"
        stops = f"{_BEGIN}{body}JEZ(0, l_loop)\nl_hit: {hit}; {_END}"
    else:
        function = "sorted"
        stop = random.choice((_AT_MOST, _AT_MOST, _EQUAL))
        after_hit = f"{stop}; JEZ(e, l_loop); JEZ(0, l_end)"
        stops = f"{_BEGIN}{body}{after_hit}\nl_hit: {hit}; JEZ(0, l_on)\n{_END}"
    generic, adapted = (
        compile_source(Source(text), memory=64).program for text in (goes_on, stops)
    )
    return generic, adapted, function


def counting(times: int, *, wrong: bool = False) -> Program:
    """Count each number of a list in a table from cell 40 on; the search of the table is unrolled."""
    entry = "k = READ(q); JEZ(k, l_new); k = SUB(k, v); JEZ(k, l_known); q = ADD(q, 2);"
    text = f"""
var p = 8; var v; var q; var k
l_next: v = READ(p); JEZ(v, l_end); p = INC(p); q = ADD(40, 0)
l_find: {entry * times} JEZ(0, l_find)
l_new: WRITE(q, v)
l_known: q = ADD(q, {3 if wrong else 1}); k = READ(q); k = INC(k); WRITE(q, k); JEZ(0, l_next)
l_end: STOP()
"""
    return compile_source(Source(text), memory=64).program


def counted_lists(random: Random, count: int) -> list[tuple[int, ...]]:
    """Tapes with lists of three numbers that come again and again, and an empty table."""
    found = []
    for _ in range(count):
        numbers = [random.randint(1, 3) for _ in range(random.randint(6, 20))]
        found.append((*[0] * 8, *numbers, *[0] * (56 - len(numbers))))
    return found
