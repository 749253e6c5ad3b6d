"""Proofs: a proved claim holds on every tape that can be tried, a counter-example really is one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

from proof.looping_programs import FREE, looping, pieces
from proof.random_facts import random_fact
from proof.random_programs import branching_program, random_program

from anc.data import tasks
from anc.machine.exact import Stop, run
from anc.proof import Claim, Verdict, parse_fact, prove
from anc.proof.guards import guard
from anc.proof.sampler import Tapes
from anc.proof.verdict import Undecided
from anc.search.clean import clean, specialise
from anc.support.clock import Clock
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.facts import WORDS
from fuzzing.machines_made import mutated, program_of, program_text
from fuzzing.mutate import mutated_text

STEPS = 60
SECONDS = 0.3
ALL = 300  # tapes: fewer than that are all tried
MANY = 120
LISTED, LONG = 64, 300  # the memory of programs with loops, and their steps


def make(random: Random) -> Parts:
    M = random.choice((1, 2, 3, 3, 4, 6, 8, 11))
    generic = branching_program(random, M) if M >= 6 else random_program(random, M)
    adapted = clean(generic, M) if random.random() < 0.5 else generic
    if random.random() < 0.6:
        adapted = mutated(random, adapted, M)
    facts = [random_fact(random, M) for _ in range(random.choice((0, 0, 1, 2)))]
    if facts and random.random() < 0.1:
        facts[0] = mutated_text(random, facts[0], WORDS, most=1)
    mask = "".join(random.choice("1110") for _ in range(M))
    return {
        "generic": program_text(generic, M),
        "adapted": program_text(adapted, M),
        "facts": "\n".join(facts),
        "mask": mask,
        "method": random.choice(("auto", "auto", "exhaustive", "paths", "induction")),
        "partial": random.choice(("", "", "partial")),
    }


def make_loops(random: Random) -> Parts:
    """A program with a loop, one that takes several rounds at once, perhaps a wrong one; short lists."""
    body = pieces(random)
    generic, adapted = looping(body), looping(body, random.choice((1, 2, 3)))
    if random.random() < 0.6:
        adapted = mutated(random, adapted, LISTED)
    facts = [f"tape[{cell}] <= {random.choice((1, 3, 3))}" for cell in FREE]
    facts += [f"tape[{cell}] == 0" for cell in range(LISTED) if cell not in FREE]
    return {
        "generic": program_text(generic, LISTED),
        "adapted": program_text(adapted, LISTED),
        "facts": "\n".join(facts),
        "mask": "".join(random.choice("11110") for _ in range(LISTED)),
        "method": random.choice(("induction", "induction", "auto")),
        "partial": random.choice(("", "partial")),
    }


def make_shipped(random: Random) -> Parts:
    """A shipped program and what is left of it where some cells are known, perhaps with a mistake."""
    task = random.choice(tasks.all_tasks())
    case = next(iter(task.draw(True, 1, random.randrange(1000))))
    known = {cell: case.input[cell] for cell in range(task.M) if random.random() < 0.6}
    adapted = specialise(task.program, known, task.M)
    if random.random() < 0.6:
        adapted = mutated(random, adapted, task.M)
    facts = [f"tape[{cell}] == {value}" for cell, value in known.items()]
    if facts and random.random() < 0.5:  # some of it was not needed, or it was
        del facts[random.randrange(len(facts))]
    return {
        "generic": program_text(task.program, task.M),
        "adapted": program_text(adapted, task.M),
        "facts": "\n".join(facts),
        "mask": "".join("01"[counts] for counts in case.mask),
        "method": random.choice(("auto", "auto", "paths", "induction")),
        "partial": random.choice(("", "partial")),
    }


def claim_of(parts: Parts) -> Claim:
    generic, adapted = program_of(parts["generic"]), program_of(parts["adapted"])
    assert generic.memory is not None
    facts = [parse_fact(t, generic.memory) for t in parts["facts"].split("\n") if t.strip()]
    mask = tuple(c == "1" for c in parts["mask"])
    partial = bool(parts.get("partial"))
    return Claim(generic, adapted, generic.memory, mask, facts, STEPS, partial)


def allowed(claim: Claim, random: Random) -> list[tuple[int, ...]]:
    """All tapes that satisfy the precondition, or many."""
    M = claim.M
    if M**M <= ALL:
        return [t for t in itertools.product(range(M), repeat=M) if claim.applies(t)]
    try:
        drawn = Tapes(claim.precondition, M).many(random, MANY, Clock(0.5)).tolist()
    except Undecided:
        return []
    return [tape for tape in map(tuple, drawn) if claim.applies(tape)]


def check(parts: Parts) -> bool:
    if parts["method"] not in ("auto", "exhaustive", "paths", "induction"):
        raise AncError("no method")
    claim = claim_of(parts)
    is_long = claim.M >= 10
    if is_long:
        claim = replace(claim, max_steps=LONG)
    verdict = prove(claim, 4 * SECONDS if is_long else SECONDS, parts["method"])
    is_sound(claim, verdict)
    return verdict.outcome.value != "unknown"


def is_sound(claim: Claim, verdict: Verdict) -> None:
    str(verdict)
    if verdict.refuted:
        assert verdict.counterexample is not None
        same("the counter-example applies", claim.applies(verdict.counterexample), True)
        failure = claim.failure(verdict.counterexample)
        if failure is None or failure.generic:
            raise Wrong(f"a counter-example that is none: {verdict}")
    elif verdict.proved:
        for tape in allowed(claim, Random(1)):
            failure = claim.failure(tape)
            if failure is not None:
                raise Wrong(f"proved, but not on {tape}: {failure.reason}; {verdict}")


def check_guard(parts: Parts) -> bool:
    """A guarded program is the adapted one where the facts hold, and the generic one elsewhere."""
    claim = claim_of(parts)
    M = claim.M + 60  # room for the check
    generic, adapted = claim.generic, claim.adapted
    facts = [parse_fact(fact.text, M) for fact in claim.precondition]
    found = guard(generic, adapted, facts, M)
    str(found)
    if found.program is None:
        return False
    random = Random(2)
    for _ in range(6):
        few = tuple(random.randrange(min(M, random.choice((2, claim.M, M)))) for _ in range(M))
        chosen = adapted if all(fact.holds(few) for fact in facts) else generic
        wanted = run(chosen, few, STEPS)
        if wanted.stop is Stop.STOPPED:
            done = run(found.program, few, STEPS + 300)
            same(f"guarded on {few}", (done.tape, done.stop), (wanted.tape, wanted.stop))
    return True


ENTRIES = (
    Entry("proof", make, check, share=80, seconds=8),
    Entry("proof-loops", make_loops, check, share=12, seconds=20, tested=0),
    Entry("proof-shipped", make_shipped, check, share=20, seconds=20, tested=2),
    Entry("guard", make, check_guard, share=80, seconds=8),
)
