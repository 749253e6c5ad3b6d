"""Claims about loops of hundreds of rounds with decisions in them; how many rounds, the tape says."""

from __future__ import annotations

from proof_entry import MAX_STEPS, Entry, entry
from suite import entries as suite_entries

from anc.proof import Claim, parse_fact

_ROUND = {
    "sum": "s = ADD(s, v)",
    "count": "e = SUB(v, 7); JEZ(e, l_hit{n}); JEZ(0, l_on{n}); l_hit{n}: s = INC(s); l_on{n}: e = ZERO()",
    "largest": "s = MAX(s, v)",
    "change": "e = MIN(v, 99); e = SUB(v, e); JEZ(e, l_small{n}); WRITE(p, 99); s = INC(s); l_small{n}: e = ZERO()",
}


def loop_entries() -> list[Entry]:
    """Several rounds at once, another way to count, and wrong ones."""
    found = [
        entry(f"{name}, {n} rounds at once", M, "proved", _loop(body, 1), _loop(body, n), _ends(M))
        for name, n, M in (
            ("sum", 4, 256),
            ("sum", 4, 100),
            ("count", 2, 256),
            ("largest", 3, 256),
            ("change", 2, 256),
        )
        for body in (_ROUND[name],)
    ]
    cells = [f"tape[{cell}] != {mark}" for cell in range(2, 210) for mark in (34, 92)]
    along = [
        f"all(tape[i] != {mark} for i in range(2, 210) while tape[i] != 0)" for mark in (34, 92)
    ]
    found.append(_fields("fields of each cell", "proved", cells))
    found.append(_fields("fields along a line", "proved", along))
    found.append(_fields("fields with a backslash", "refuted", along[:1]))
    return found


def _loop(body: str, rounds: int) -> str:
    """A program that goes through a list from cell 8 on."""
    each = [
        f"v = READ(p); JEZ(v, l_end); {body.format(n=number)}; p = INC(p)"
        for number in range(rounds)
    ]
    text = "; ".join(each)
    return f"var p = 8; var v; var s; var e; l_loop: {text}; JEZ(0, l_loop); l_end: WRITE(0, s); STOP()"


def _ends(M: int) -> list[str]:
    return [f"tape[{M - 20}] == 0"]


def _fields(name: str, expected: str, facts: list[str]) -> Entry:
    """A line of comma-separated values: what a person wrote for lines without quotes and backslashes."""
    (found,) = (each for each in suite_entries() if each.name == "csv_fields")

    def make() -> Claim:
        counts = [cell < 2 for cell in range(found.M)]
        stated = [parse_fact(fact, found.M) for fact in [*facts, "tape[210] == 0"]]
        examples = [case.input for case in found.cases(40, seed=0)]
        both = found.program, found.reference
        return Claim(*both, found.M, counts, stated, MAX_STEPS, examples=examples)

    return Entry(name, found.M, expected, make)
