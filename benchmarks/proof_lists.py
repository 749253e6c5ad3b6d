"""Claims about loops over a list with an end mark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proof_entry import Entry, entry

# -- a loop over a list: what to do with each element `v`, and what to do at the end ----

FIRST = 8  # the cell where lists begin


def loop(variables: str, body: str, end: str, mark: int = 0, first: str = str(FIRST)) -> str:
    """A program that does something with every element up to the end mark."""
    test = f"e = SUB(v, {mark}); JEZ(e, l_end)" if mark else "JEZ(v, l_end)"
    return (
        f"var p = {first}; var v; var e; {variables}\n l_loop: v = READ(p); {test}; {body}\n"
        f"p = INC(p); JEZ(0, l_loop)\n l_end: {end}; STOP()"
    )


def unrolled(variables: str, body: str, end: str, places: Iterable[int]) -> str:
    """The same for a list in these cells; {i} in the body numbers its labels, {p} is the cell."""
    parts = [f"v = READ({cell}); {body.format(i=i, p=cell)}" for i, cell in enumerate(places)]
    return f"var v; var e; {variables}\n" + "\n".join(parts) + f"\n{end}; STOP()"


def length(n: int, mark: int = 0, first: int = FIRST) -> list[str]:
    """The facts that a list has n elements."""
    elements = [f"tape[{first + i}] != {mark}" for i in range(n)]
    return [*elements, f"tape[{first + n}] == {mark}"]


def at_most(n: int, mark: int = 0, first: int = FIRST) -> list[str]:
    """The fact that a list has at most n elements."""
    return [f"tape[{first + n}] == {mark}"]


SUM = ("var s", "s = ADD(s, v)", "WRITE(0, s)")
CHECKSUM = ("var s = 7", "s = ADD(s, s); s = ADD(s, v); s = INC(s)", "WRITE(0, s)")
LARGEST = (
    "var m",
    "e = MAX(v, m); e = SUB(e, m); JEZ(e, l_next{i}); m = ADD(v, 0); l_next{i}: e = ZERO()",
    "WRITE(0, m)",
)
LARGEST_AT_ONCE = ("var m", "m = MAX(m, v)", "WRITE(0, m)")
COUNT = (
    "var k; var c; k = READ(1)",
    "e = SUB(v, k); JEZ(e, l_hit{i}); JEZ(0, l_next{i}); l_hit{i}: c = INC(c); l_next{i}: e = ZERO()",
    "WRITE(0, c)",
)
SMALL = (
    "var c",
    "e = MAX(v, 50); e = SUB(e, 50); JEZ(e, l_hit{i}); JEZ(0, l_next{i});"
    " l_hit{i}: c = ADD(c, v); l_next{i}: e = ZERO()",
    "WRITE(0, c)",
)
COUNT_AND_SUM = (
    "var k; var c; var s; k = READ(1)",
    "s = ADD(s, v); e = MAX(v, k); e = SUB(e, k); JEZ(e, l_next{i}); c = INC(c); l_next{i}: e = ZERO()",
    "WRITE(0, c); WRITE(2, s)",
)
UPPER = (
    "",
    "e = MAX(v, 97); e = SUB(e, v); JEZ(e, l_low{i}); JEZ(0, l_next{i});"
    " l_low{i}: e = MIN(v, 122); e = SUB(e, v); JEZ(e, l_up{i}); JEZ(0, l_next{i});"
    " l_up{i}: v = SUB(v, 32); WRITE(p, v); l_next{i}: e = ZERO()",
    "e = ZERO()",
)
WORDS = (
    "var inside; var c",
    "e = SUB(v, 32); JEZ(e, l_out{i}); JEZ(inside, l_in{i}); JEZ(0, l_next{i});"
    " l_in{i}: c = INC(c); inside = INC(inside); JEZ(0, l_next{i});"
    " l_out{i}: inside = ZERO(); l_next{i}: e = ZERO()",
    "WRITE(0, c)",
)
TRANSLATE = ("", "v = READ(v); WRITE(p, v)", "e = ZERO()")
SUM_OF_TABLE = ("var s", "v = READ(v); s = ADD(s, v)", "WRITE(0, s)")
COPY = ("var q = 40", "WRITE(q, v); q = INC(q)", "WRITE(q, 0)")
ADD_KEY = ("var k; k = READ(1)", "v = ADD(v, k); WRITE(p, v)", "e = ZERO()")
ALTERNATE = (
    "var s; var t",
    "e = SUB(v, t); t = SUB(s, e); s = ADD(e, t)",
    "WRITE(0, s); WRITE(1, t)",
)

Parts = tuple[str, str, str]


def looped(parts: Parts, mark: int = 0, first: str = str(FIRST)) -> str:
    return loop(parts[0], parts[1].replace("{i}", ""), parts[2], mark, first)


def listed(parts: Parts, places: Iterable[int], at: str = "p") -> str:
    """Unrolled, with the address p as a number."""
    variables, body, end = parts
    body = body.replace(f"WRITE({at}, v)", "WRITE({p}, v)")
    return unrolled(variables, body, end, places)


def cells(n: int) -> range:
    return range(FIRST, FIRST + n)


def list_entries() -> list[Entry]:
    found = []

    def add(
        name: str, M: int, parts: Parts, n: int, mark: int = 0, faster: Parts | None = None, more=()
    ):
        adapted = listed(faster or parts, cells(n))
        facts = [*length(n, mark), *more]
        found.append(entry(f"{name} {n}", M, "proved", looped(parts, mark), adapted, facts))

    add("sum", 64, SUM, 6)
    add("sum", 256, SUM, 3)
    add("sum", 256, SUM, 12)
    add("sum", 100, SUM, 8)
    add("sum until 255", 256, SUM, 10, mark=255)
    add("checksum", 256, CHECKSUM, 6)
    add("checksum", 200, CHECKSUM, 4)
    add("checksum", 256, CHECKSUM, 12)
    add("alternating", 256, ALTERNATE, 8)
    add("alternating", 90, ALTERNATE, 5)
    add("largest", 64, LARGEST, 5, faster=LARGEST_AT_ONCE)
    add("largest", 256, LARGEST, 8, faster=LARGEST_AT_ONCE)
    add("largest", 256, LARGEST, 12, faster=LARGEST_AT_ONCE)
    add("largest", 150, LARGEST, 6, faster=LARGEST_AT_ONCE)
    add("count key", 64, COUNT, 4)
    add("count key", 256, COUNT, 8)
    add("count key", 256, COUNT, 12)
    add("sum of small", 256, SMALL, 10)
    add("sum of small", 120, SMALL, 6)
    add("count and sum", 256, COUNT_AND_SUM, 10)
    add("upper case", 256, UPPER, 5)
    add("upper case", 256, UPPER, 12)
    add("words", 256, WORDS, 6)
    add("words", 256, WORDS, 12)
    add("words", 128, WORDS, 8)
    add("add key", 256, ADD_KEY, 10)
    in_table = [f"32 <= tape[{cell}] <= 47" for cell in cells(6)]
    add("translate", 64, TRANSLATE, 6, more=in_table)
    in_table = [f"128 <= tape[{cell}] <= 191" for cell in cells(8)]
    add("translate", 256, TRANSLATE, 8, more=in_table)
    add("sum of table", 256, SUM_OF_TABLE, 6, more=in_table[:6])
    copied = "; ".join(f"v = READ({cell}); WRITE({40 + i}, v)" for i, cell in enumerate(cells(8)))
    straight = f"var v; {copied}; WRITE(48, 0); STOP()"
    found.append(entry("copy 8", 256, "proved", looped(COPY), straight, length(8)))
    bounded = entry("sum, at most 6", 256, "proved", looped(SUM), _bounded_sum(6), at_most(6))
    found.append(bounded)
    bounded = entry("sum, at most 10", 64, "proved", looped(SUM), _bounded_sum(10), at_most(10))
    found.append(bounded)
    return found


def long_entries() -> list[Entry]:
    """Long lists, values in order, and adapted programs that do the work in another way."""
    found = []

    def add(name: str, M: int, parts: Parts, n: int, other: str, facts: Sequence[str] = ()) -> None:
        stated = [*length(n), *facts]
        found.append(entry(f"{name} {n}", M, "proved", looped(parts), other, stated, [0, 1, 2]))

    add("sum backwards", 256, SUM, 40, listed(SUM, reversed(cells(40))))
    add("sum backwards", 100, SUM, 12, listed(SUM, reversed(cells(12))))
    add("count backwards", 256, COUNT, 10, listed(COUNT, reversed(cells(10))))
    add("count backwards", 100, COUNT, 6, listed(COUNT, reversed(cells(6))))
    add("largest backwards", 256, LARGEST, 10, listed(LARGEST, reversed(cells(10))))
    add("small backwards", 256, SMALL, 12, listed(SMALL, reversed(cells(12))))
    add("count and sum backwards", 150, COUNT_AND_SUM, 8, listed(COUNT_AND_SUM, reversed(cells(8))))
    rising = [f"tape[{cell}] <= tape[{cell + 1}]" for cell in cells(9)]
    add("largest of sorted", 256, LARGEST, 10, "var v; v = READ(17); WRITE(0, v); STOP()", rising)
    falling = [f"tape[{cell}] > tape[{cell + 1}]" for cell in cells(7)]
    add("largest of falling", 100, LARGEST, 8, "var v; v = READ(8); WRITE(0, v); STOP()", falling)
    alike = [f"tape[{cell}] == tape[8]" for cell in cells(8)[1:]]
    eightfold = (
        "var v; v = READ(8); v = ADD(v, v); v = ADD(v, v); v = ADD(v, v); WRITE(0, v); STOP()"
    )
    add("sum of equal ones", 256, SUM, 8, eightfold, alike)
    steps = [f"tape[{cell + 1}] == tape[{cell}] + 2" for cell in cells(4)]
    ladder = "var v; v = READ(8); v = ADD(v, 4); s = ADD(v, v); s = ADD(s, s); s = ADD(s, v)"
    add("sum of a ladder", 200, SUM, 5, f"var s; {ladder}; WRITE(0, s); STOP()", steps)
    swapped = looped(WORDS).replace("SUB(v, 32)", "SUB(32, v)")
    add("words of many", 256, WORDS, 40, swapped)
    add("small of many", 256, SMALL, 100, looped(SMALL).replace("MAX(v, 50)", "MAX(50, v)"))
    add("upper case of many", 256, UPPER, 60, looped(UPPER).replace("SUB(v, 32)", "ADD(v, 224)"))
    add("count of many", 256, COUNT, 60, looped(COUNT).replace("SUB(v, k)", "SUB(k, v)"))
    add("checksum of many", 256, CHECKSUM, 150, looped(CHECKSUM).replace("ADD(s, v)", "ADD(v, s)"))
    return found


def _bounded_sum(n: int) -> str:
    """A sum without a pointer: one test for each element."""
    parts = [f"v = READ({cell}); JEZ(v, l_end); s = ADD(s, v)" for cell in cells(n)]
    return "var v; var s\n" + "\n".join(parts) + "\nl_end: WRITE(0, s); STOP()"
