"""Claims about searching, sorting, pointers, state machines and look-ups; and refuted ones."""

from __future__ import annotations

from collections.abc import Sequence

from proof_entry import Entry, entry
from proof_lists import (
    CHECKSUM,
    COUNT,
    FIRST,
    LARGEST,
    LARGEST_AT_ONCE,
    SUM,
    TRANSLATE,
    UPPER,
    WORDS,
    at_most,
    cells,
    length,
    listed,
    looped,
)

from anc.data import tasks

# -- other shapes ---------------------------------------------------------------------

SEARCH = """
var p = 8; var v; var k; var e; k = READ(1)
l_loop: v = READ(p); JEZ(v, l_none); e = SUB(v, k); JEZ(e, l_found); p = INC(p); JEZ(0, l_loop)
l_none: p = ZERO(); l_found: WRITE(0, p); STOP()
"""
REVERSE = """
var p = 8; var q; var v; var d
q = READ(1); d = ADD(p, 0)
l_end: v = READ(d); JEZ(v, l_back); d = INC(d); JEZ(0, l_end)
l_back: v = SUB(d, p); JEZ(v, l_stop); d = DEC(d); v = READ(d); WRITE(q, v); q = INC(q); JEZ(0, l_back)
l_stop: STOP()
"""
FROM_POINTER = looped(SUM, first="0; p = READ(1)")
PRODUCT = """
var a; var b; var s; a = READ(0); b = READ(1)
l: JEZ(b, l_end); s = ADD(s, a); b = DEC(b); JEZ(0, l)
l_end: WRITE(2, s); STOP()
"""
PAIRS = """
var p = 8; var q; var a; var b; var c
l_first: a = READ(p); JEZ(a, l_stop); q = INC(p)
l_second: b = READ(q); JEZ(b, l_next); b = SUB(b, a); JEZ(b, l_hit); JEZ(0, l_on)
l_hit: c = INC(c); l_on: q = INC(q); JEZ(0, l_second)
l_next: p = INC(p); JEZ(0, l_first)
l_stop: WRITE(0, c); STOP()
"""
HISTOGRAM = """
var p = 8; var v; var c
l_loop: v = READ(p); JEZ(v, l_stop); c = READ(v); c = INC(c); WRITE(v, c); p = INC(p); JEZ(0, l_loop)
l_stop: STOP()
"""
CLAMP = """
var p = 8; var v; var e
l_loop: v = READ(p); JEZ(v, l_stop); e = MIN(v, 200); e = SUB(v, e); JEZ(e, l_low); WRITE(p, 200)
l_low: e = MAX(v, 20); e = SUB(e, v); JEZ(e, l_next); WRITE(p, 20)
l_next: p = INC(p); JEZ(0, l_loop)
l_stop: STOP()
"""
DIVIDE = """
var a; var q; var e; a = READ(0)
l: e = MIN(a, 9); e = SUB(a, e); JEZ(e, l_end); a = SUB(a, 10); q = INC(q); JEZ(0, l)
l_end: WRITE(1, q); WRITE(2, a); STOP()
"""
SORT = tasks.get("sort").source.text.replace("memory 21", "")
MACHINE = """
var p = 8; var v; var state; var e; var c
l_loop: v = READ(p); JEZ(v, l_end); p = INC(p)
JEZ(state, l_zero); e = DEC(state); JEZ(e, l_one)
e = SUB(v, 47); JEZ(e, l_two_ends); JEZ(0, l_loop); l_two_ends: c = INC(c); state = ZERO(); JEZ(0, l_loop)
l_one: state = ZERO(); e = SUB(v, 42); JEZ(e, l_opens); JEZ(0, l_loop)
l_opens: state = INC(state); state = INC(state); JEZ(0, l_loop)
l_zero: e = SUB(v, 47); JEZ(e, l_starts); JEZ(0, l_loop); l_starts: state = INC(state); JEZ(0, l_loop)
l_end: WRITE(0, c); WRITE(1, state); STOP()
"""


def _pairs(n: int) -> str:
    rows = []
    for i in range(n):
        rows.append(f"a = READ({FIRST + i})")
        for j in range(i + 1, n):
            at = f"{i}_{j}"
            rows.append(f"b = READ({FIRST + j}); b = SUB(a, b); JEZ(b, h{at}); JEZ(0, n{at})")
            rows.append(f"h{at}: c = INC(c); n{at}: b = ZERO()")
    return "var a; var b; var c\n" + "\n".join(rows) + "\nWRITE(0, c); STOP()"


def network(pairs: Sequence[tuple[int, int]], M: int) -> str:
    """Compare and exchange, without a jump."""
    swaps = [
        f"a = READ({i}); b = READ({j}); c = MIN(a, b); WRITE({i}, c); c = MAX(a, b); WRITE({j}, c)"
        for i, j in pairs
    ]
    return "var a; var b; var c\n" + "\n".join(swaps) + "\nSTOP()"


def _histogram(n: int) -> str:
    rows = [f"v = READ({c}); c = READ(v); c = INC(c); WRITE(v, c)" for c in cells(n)]
    return "var v; var c\n" + "\n".join(rows) + "\nSTOP()"


def _bins(n: int, low: int, high: int) -> list[str]:
    return [f"{low} <= tape[{cell}] <= {high}" for cell in cells(n)]


def _search(n: int) -> str:
    rows = [f"v = READ({c}); JEZ(v, none); v = SUB(k, v); JEZ(v, f{c})" for c in cells(n)]
    finds = [f"f{c}: WRITE(0, {c}); STOP()" for c in cells(n)]
    text = "\n".join([*rows, "none: WRITE(0, 0); STOP()", *finds])
    return f"var v; var k; k = READ(1)\n{text}"


def shape_entries() -> list[Entry]:
    down = [f"v = READ({c}); WRITE(q, v); q = INC(q)" for c in reversed(cells(5))]
    reversed_5 = "var v; var q; q = READ(1)\n" + "\n".join(down) + "\nSTOP()"
    fixed = "; ".join(
        f"v = READ({c}); WRITE({60 + i}, v)" for i, c in enumerate(reversed(cells(7)))
    )
    reversed_at_60 = f"var v; {fixed}; STOP()"
    triple = "var a; var s; a = READ(0); s = ADD(a, a); s = ADD(s, a); WRITE(2, s); STOP()"
    clamped = "; ".join(
        f"v = READ({c}); v = MIN(v, 200); v = MAX(v, 20); WRITE({c}, v)" for c in cells(8)
    )
    five = [(0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2)]
    three, four = [(0, 1), (1, 2), (0, 1)], [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]
    near = [
        "tape[1] == 8 or tape[1] == 9",
        "tape[13] == 0",
        *(f"tape[{c}] != 0" for c in (8, 9, 10)),
    ]
    return [
        entry("search 6", 256, "proved", SEARCH, _search(6), at_most(6), [0]),
        entry("search 12", 128, "proved", SEARCH, _search(12), at_most(12), [0]),
        entry("reverse 7", 256, "proved", REVERSE, reversed_at_60, [*length(7), "tape[1] == 60"]),
        entry(
            "reverse 5, place varies",
            64,
            "proved",
            REVERSE,
            reversed_5,
            [*length(5), "20 <= tape[1] <= 40"],
        ),
        entry(
            "sum from one of two",
            64,
            "proved",
            FROM_POINTER,
            FROM_POINTER.replace("ADD(s, v)", "ADD(v, s)"),
            near,
        ),
        entry("product by 3", 256, "proved", PRODUCT, triple, ["tape[1] == 3"], [2]),
        entry(
            "product up to 12",
            100,
            "proved",
            PRODUCT,
            PRODUCT.replace("ADD(s, a)", "ADD(a, s)"),
            ["tape[1] <= 12"],
        ),
        entry("pairs 4", 256, "proved", PAIRS, _pairs(4), length(4), [0]),
        entry("pairs 5", 100, "proved", PAIRS, _pairs(5), length(5), [0]),
        entry(
            "histogram 4", 64, "proved", HISTOGRAM, _histogram(4), [*length(4), *_bins(4, 40, 47)]
        ),
        entry(
            "histogram 3", 256, "proved", HISTOGRAM, _histogram(3), [*length(3), *_bins(3, 65, 90)]
        ),
        entry("sort 5", 256, "proved", SORT, network(five, 256), length(5, first=0)),
        entry(
            "state machine 20",
            256,
            "proved",
            MACHINE,
            MACHINE.replace("SUB(v, 47)", "SUB(47, v)"),
            length(20),
        ),
        entry("clamp 8", 256, "proved", CLAMP, f"var v; {clamped}; STOP()", length(8)),
        entry("divide by 10", 256, "proved", DIVIDE, DIVIDE.replace("MIN(a, 9)", "MIN(9, a)")),
        entry("sort 3", 256, "proved", SORT, network(three, 256), length(3, first=0)),
        entry("sort 4", 64, "proved", SORT, network(four, 64), length(4, first=0)),
        entry(
            "state machine 8",
            256,
            "proved",
            MACHINE,
            MACHINE.replace("SUB(v, 47)", "SUB(47, v)"),
            at_most(8),
        ),
        entry(
            "words, at most 8",
            256,
            "proved",
            looped(WORDS),
            looped(WORDS).replace("SUB(v, 32)", "SUB(32, v)"),
            at_most(8),
        ),
        entry(
            "words, at most 7",
            64,
            "proved",
            looped(WORDS),
            looped(WORDS).replace("SUB(v, 32)", "SUB(32, v)"),
            at_most(7),
        ),
    ]


def refuted_entries() -> list[Entry]:
    sum_but = listed(SUM, cells(6)).replace(
        "WRITE(0, s)", "JEZ(s, l); WRITE(0, s); STOP(); l: WRITE(0, 1)"
    )
    key_but = listed(COUNT, cells(8)).replace(
        "READ(15); e = SUB(v, k)", "READ(15); e = SUB(k, 200); e = SUB(v, e)"
    )
    upper_but = listed(UPPER, cells(12)).replace(
        "READ(19); e = MAX(v, 97)", "READ(19); e = MAX(v, 98)"
    )
    words_but = listed(WORDS, cells(10)).replace(
        "READ(17); e = SUB(v, 32)", "READ(17); e = SUB(v, 31)"
    )
    largest_but = (
        listed(LARGEST_AT_ONCE, cells(8))
        .replace("m = MAX(m, v)", "m = MAX(v, m)", 3)
        .replace(
            "WRITE(0, m)",
            "e = MAX(m, 7); e = SUB(e, 7); JEZ(e, l); JEZ(0, k); l: m = ZERO(); k: WRITE(0, m)",
        )
    )
    translate_but = listed(TRANSLATE, cells(5)).replace(
        "READ(12); v = READ(v)", "READ(12); v = MAX(v, 129); v = READ(v)"
    )
    in_table = [f"128 <= tape[{cell}] <= 191" for cell in cells(5)]
    exchanging = network([(0, 1), (2, 3), (0, 2), (1, 3)], 64)
    return [
        entry("sum, wrong at 0", 256, "refuted", looped(SUM), sum_but, length(6), [0]),
        entry("count, wrong key", 256, "refuted", looped(COUNT), key_but, length(8), [0]),
        entry("upper case, not a", 256, "refuted", looped(UPPER), upper_but, length(12)),
        entry("words, other blank", 256, "refuted", looped(WORDS), words_but, length(10), [0]),
        entry(
            "largest, small ones lost", 256, "refuted", looped(LARGEST), largest_but, length(8), [0]
        ),
        entry(
            "translate, not the first",
            256,
            "refuted",
            looped(TRANSLATE),
            translate_but,
            [*length(5), *in_table, "tape[128] == 3", "tape[129] == 4"],
        ),
        entry(
            "checksum, one longer",
            256,
            "refuted",
            looped(CHECKSUM),
            listed(CHECKSUM, cells(7)),
            length(6),
        ),
        entry("sort 4, no last exchange", 64, "refuted", SORT, exchanging, length(4, first=0)),
        entry(
            "words, at most 10, other end",
            256,
            "refuted",
            looped(WORDS),
            looped(WORDS).replace(
                "WRITE(0, c)", "e = SUB(c, 5); JEZ(e, l); WRITE(0, c); STOP(); l: WRITE(0, 4)"
            ),
            at_most(10),
            [0],
        ),
        entry(
            "count, wrong at 7",
            256,
            "refuted",
            looped(COUNT),
            looped(COUNT).replace(
                "WRITE(0, c)", "e = SUB(c, 7); JEZ(e, l); WRITE(0, c); STOP(); l: WRITE(0, 0)"
            ),
            length(8),
            [0],
        ),
        entry(
            "sum, wrong at 77 and 5",
            256,
            "refuted",
            looped(SUM),
            looped(SUM).replace(
                "WRITE(0, s)",
                "e = SUB(s, 77); JEZ(e, l); m: WRITE(0, s); STOP();"
                " l: v = READ(8); e = SUB(v, 5); JEZ(e, k); JEZ(0, m); k: WRITE(0, 0)",
            ),
            length(10),
            [0],
        ),
        entry(
            "divide, 250 is too much",
            256,
            "refuted",
            DIVIDE,
            DIVIDE.replace("a = READ(0)", "a = READ(0); e = SUB(a, 250); JEZ(e, l_end)"),
        ),
    ]
