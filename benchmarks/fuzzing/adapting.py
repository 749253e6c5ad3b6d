"""The whole method: what `anc.adapt` calls proved is right, and so is its guarded program everywhere."""

from __future__ import annotations

from random import Random

from proof.random_programs import branching_program

import anc
from anc.data import tasks
from anc.machine.exact import Stop, run
from anc.proof import Claim
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.machines_made import edge_tape, program_of, program_text, tapes_of
from fuzzing.proofs import allowed

STEPS = 10_000
EVALUATIONS = 3_000
METHODS = ("specialise", "search")


def make(random: Random) -> Parts:
    """A program, and samples of its inputs in which some cells never vary."""
    M = random.choice((6, 8, 10))
    program = branching_program(random, M)
    known = {cell: random.randrange(M) for cell in range(M) if random.random() < 0.5}
    drawn = [edge_tape(random, M) for _ in range(60)]
    inputs = [tuple(known.get(cell, v) for cell, v in enumerate(tape)) for tape in drawn]
    inputs = [tape for tape in inputs if run(program, tape, 200).stop is Stop.STOPPED]
    if random.random() < 0.4 or len(inputs) < 20:
        task = random.choice(tasks.all_tasks())
        program, M = task.program, task.M
        inputs = [case.input for case in task.draw(True, 35, random.randrange(1000))]
    text = program_text(program, M)
    samples = "\n".join(" ".join(map(str, tape)) for tape in inputs)
    return {"program": text, "samples": samples, "method": random.choice(METHODS)}


def check(parts: Parts) -> bool:
    generic = program_of(parts["program"])
    M = generic.memory
    if M is None or parts["method"] not in METHODS:
        raise AncError("no method")
    tapes = tapes_of(parts["samples"], M)
    found = anc.adapt(generic, tapes, evaluations=EVALUATIONS, method=parts["method"])
    for tape in tapes:
        wanted, done = run(generic, tape, STEPS), run(found.program, tape, STEPS)
        same(f"adapted on the sample {tape}", (done.tape, done.stop), (wanted.tape, wanted.stop))
    if found.improved and found.verdict.proved:
        claim = Claim(generic, found.program, M, [True] * M, found.facts, STEPS)
        for tape in allowed(claim, Random(1)):
            failure = claim.failure(tape)
            if failure is not None and not failure.generic:
                raise Wrong(f"proved, but not on {tape}: {failure.reason}; {found.verdict}")
    guarded = found.guarded.program
    if guarded is not None and found.verdict.proved:
        random = Random(2)
        for tape in [edge_tape(random, M) for _ in range(40)]:
            wanted = run(generic, tape, STEPS)
            if wanted.stop is Stop.STOPPED:
                same(f"guarded on {tape}", run(guarded, tape, 2 * STEPS).tape, wanted.tape)
    return found.improved


def warm() -> None:
    check(make(Random(0)))


ENTRIES = (Entry("adapt", make, check, share=4, seconds=60, warm=warm, tested=0),)
