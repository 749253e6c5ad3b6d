"""Facts: their texts, their truth, and their checks as program lines, as Python and as C."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random

import numpy as np
from codegen.guarded_calls import Guard, c_guard, wrong_in_python
from proof.checking import left_by
from proof.random_facts import random_fact

from anc.proof import Fact, parse_fact
from anc.proof.guards.arithmetic import CannotCheck
from anc.proof.guards.facts_to_lines import Check
from anc.support.diagnostics import AncError
from fuzzing.direct import truth
from fuzzing.entry import Entry, Parts, must, same
from fuzzing.in_c import HAS_COMPILER, prints_nothing
from fuzzing.machines_made import edge_tape, tapes_of, tapes_text
from fuzzing.mutate import mutated_text

WORDS = (
    "tape", "and", "or", "not", "implies", "in", "for", "i", "range", "while", "count", "sorted",
    "different", "all", "sum", "tape[0]", "tape[1:3]", "tape[:2]", "tape[tape[1]]", "==", "<=", "%",
    "(", ")", "[", "]", ",", ".", "-", "*", "+", "0", "1",
)  # fmt: skip


def make(random: Random) -> Parts:
    M = random.choice((1, 2, 3, 4, 7, 12))
    text = random_fact(random, M)
    if random.random() < 0.4:
        text = mutated_text(random, text, WORDS, most=2)
    return {"fact": text, "memory": str(M), "tapes": tapes_text(random, M, 6)}


def given(parts: Parts) -> tuple[Fact, int, list[tuple[int, ...]]]:
    if not parts["memory"].isdecimal() or not 0 < int(parts["memory"]) < 100:
        raise AncError("no memory")
    M = int(parts["memory"])
    return parse_fact(parts["fact"], M), M, tapes_of(parts["tapes"], M)


def check_truth(parts: Parts) -> bool:
    """Text, negation, many tapes at once, known cells, and plain evaluation agree."""
    fact, M, tapes = given(parts)
    with must("the printed fact"):
        same("printed and parsed", parse_fact(fact.text, M), fact)
        negated = fact.negated()
        same("negated, printed and parsed", parse_fact(negated.text, M), negated)
    text = parts["fact"]
    for tape in tapes:
        holds = fact.holds(tape)
        same("negated", negated.holds(tape), not holds)
        same("known cells", fact.judge(dict(enumerate(tape)), M), holds)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                direct = truth(text, tape)
        except (SyntaxError, TypeError, NameError, ValueError):
            continue  # what is no Python, such as 007 or in (3)
        same(f"plain evaluation of {text} on {tape}", holds, direct)
    if tapes:
        same("many tapes", fact.truths(np.array(tapes)).tolist(), [fact.holds(t) for t in tapes])
    return True


def check_lines(parts: Parts) -> bool:
    """The lines of a guard leave 0 exactly where the fact holds."""
    fact, M, tapes = given(parts)
    check = Check(M)
    try:
        error = check.add([fact])
    except CannotCheck:
        return False
    for tape in tapes:
        same(f"program lines on {tape}", left_by(check, error, tape) == 0, fact.holds(tape))
    return True


def check_python(parts: Parts) -> bool:
    """A condition that is printed among others holds where the fact holds."""
    from anc.codegen.python_facts import PythonFacts

    fact, M, tapes = given(parts)
    text = " and ".join(["others", *PythonFacts(M).conditions([fact])])
    code = compile(text, "<fact>", "eval")
    for tape in tapes:
        for others in (True, False):
            found = bool(eval(code, {"tape": list(tape), "others": others}))
            same(f"Python {text} on {tape}", found, others and fact.holds(tape))
    return True


def make_guards(random: Random) -> Parts:
    return {"guards": "\n".join(str(random.getrandbits(40)) for _ in range(20))}


def guards_of(parts: Parts, truths: bool = True) -> Iterator[tuple[Random, Guard]]:
    for seed in parts["guards"].split():
        random = Random(seed)
        yield random, Guard.random(random, truths)


def check_guards(parts: Parts) -> bool:
    """Guarded functions of Python accept the calls that fit, and lines of a guard the tapes."""
    for random, guard in guards_of(parts):
        wrong, _ = wrong_in_python(random, guard, 25)
        same("a guarded function of Python", wrong, "")
        check = Check(guard.M)
        try:
            error = check.add(guard.facts)
        except CannotCheck:
            continue
        for tape in (edge_tape(random, guard.M) for _ in range(6)):
            holds = all(fact.holds(tape) for fact in guard.facts)
            same(f"lines of {guard} on {tape}", left_by(check, error, tape) == 0, holds)
    return True


def make_c(random: Random) -> Parts:
    parts = {}
    for number in range(20):
        M = random.choice((2, 4, 7, 12, 256, 300))
        parts |= {f"fact{number}": random_fact(random, M), f"memory{number}": str(M)}
        parts[f"tapes{number}"] = "\n".join(
            " ".join(map(str, edge_tape(random, M))) for _ in range(6)
        )
    return parts | make_guards(random)


def check_c(parts: Parts) -> bool:
    from anc.codegen.c import cell_type
    from anc.codegen.c_facts import CFacts

    if not HAS_COMPILER:
        return False
    lines = [f"#include <{name}.h>" for name in ("assert", "stdint", "stdio")]
    calls: list[str] = []
    for name, text in parts.items():
        number = name.removeprefix("fact")
        if not name.startswith("fact") or not text.strip() or not parts[f"tapes{number}"].strip():
            continue
        M = int(parts[f"memory{number}"])
        fact, tapes = parse_fact(text, M), tapes_of(parts[f"tapes{number}"], M)
        writer = CFacts(M, prefix=f"f{number}")
        condition = " && ".join(writer.conditions([fact]))
        cell, n = cell_type(M), len(tapes)
        rows = ",".join(f"{{{','.join(map(str, tape))}}}" for tape in tapes)
        holds = ",".join(str(int(fact.holds(tape))) for tape in tapes)
        lines += [
            *writer.needed(),
            f"static int f{number}(const {cell} *tape) {{ (void)tape; return {condition}; }}",
            f"static const {cell} t{number}[{n}][{M}] = {{{rows}}};",
            f"static const int h{number}[{n}] = {{{holds}}};",
        ]
        calls += [
            f"for (int i = 0; i < {n}; i++)",
            f'    if (f{number}(t{number}[i]) != h{number}[i]) puts("fact {number}");',
        ]
    for number, (random, guard) in enumerate(guards_of(parts, truths=False)):
        function, wrong = c_guard(random, f"g{number}", guard, 15)
        lines, calls = lines + function, calls + wrong
    unit = "\n".join([*lines, "int main(void) {", *calls, "return 0; }"])
    prints_nothing("facts in C", unit)
    return True


ENTRIES = (
    Entry("fact", make, check_truth, share=300),
    Entry("fact-lines", make, check_lines, share=120),
    Entry("fact-python", make, check_python, share=120),
    Entry("fact-guards", make_guards, check_guards, share=12, seconds=20, tested=2),
    Entry("fact-c", make_c, check_c, share=3, seconds=60, tested=0),
)
