"""Claims with many paths that stay apart, because addresses depend on them: what cores can share."""

from __future__ import annotations

from proof_entry import Entry, entry
from proof_lists import length
from proof_shapes import SORT, network

M = 256
SIX = [
    (1, 2),
    (4, 5),
    (0, 2),
    (3, 5),
    (0, 1),
    (3, 4),
    (2, 5),
    (0, 3),
    (1, 4),
    (2, 4),
    (1, 3),
    (2, 3),
]

MERGE = """
var p = 8; var q = 24; var o = 40; var a; var b; var e
l_loop: a = READ(p); b = READ(q); JEZ(a, l_second); JEZ(b, l_first)
e = MAX(a, b); e = SUB(e, b); JEZ(e, l_less)
WRITE(o, b); q = INC(q); o = INC(o); JEZ(0, l_loop)
l_less: WRITE(o, a); p = INC(p); o = INC(o); JEZ(0, l_loop)
l_first: WRITE(o, a); p = INC(p); o = INC(o); a = READ(p); JEZ(a, l_end); JEZ(0, l_first)
l_second: JEZ(b, l_end); WRITE(o, b); q = INC(q); o = INC(o); b = READ(q); JEZ(0, l_second)
l_end: WRITE(o, 0); STOP()
"""
TREE = """
var p = 8; var new = 100; var k; var node; var e; var link
l_next: k = READ(p); JEZ(k, l_end); WRITE(new, k); link = ADD(99, 0)
l_down: node = READ(link); JEZ(node, l_put); e = READ(node); link = INC(node)
e = MIN(e, k); e = SUB(e, k); JEZ(e, l_down); link = INC(link); JEZ(0, l_down)
l_put: WRITE(link, new); new = ADD(new, 3); p = INC(p); JEZ(0, l_next)
l_end: STOP()
"""


def _empty(n: int) -> list[str]:
    """There is no tree yet, and room for n nodes of three cells."""
    return [f"tape[{cell}] == 0" for cell in range(99, 100 + 3 * n)]


def wide_entries() -> list[Entry]:
    merged = MERGE.replace("e = MAX(a, b); e = SUB(e, b)", "e = MIN(a, b); e = SUB(a, e)")
    turned = TREE.replace("e = MIN(e, k); e = SUB(e, k)", "f = MAX(e, k); e = SUB(f, e)")
    turned = turned.replace("var link", "var link; var f")
    fifth = (
        "l_fifth: e = SUB(k, 77); JEZ(e, l_odd); JEZ(0, l_on)\n"
        "l_odd: e = READ(8); e = SUB(e, 78); JEZ(e, l_wrong); JEZ(0, l_on)\n"
        "l_wrong: new = INC(new); JEZ(0, l_on)"
    )
    put = "l_put: e = SUB(new, 112); JEZ(e, l_fifth); l_on: WRITE"
    wrong = f"{turned.replace('l_put: WRITE', put)}\n{fifth}"
    lists = [*length(9), *length(9, first=24)]
    return [
        entry("sort 6", M, "proved", SORT, network(SIX, M), length(6, first=0)),
        entry("merge 9 and 9", M, "proved", MERGE, merged, lists),
        entry("tree 5", M, "proved", TREE, turned, [*length(5), *_empty(5)]),
        entry("tree 6", M, "proved", TREE, turned, [*length(6), *_empty(6)]),
        entry("tree 5, wrong once", M, "refuted", TREE, wrong, [*length(5), *_empty(5)]),
    ]
