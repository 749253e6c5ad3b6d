"""What was deployed in place of the first answer, proved again: a look-up table, or another program."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from anc.adaptation.saved import SavedDeployed
from anc.adaptation.verification.pair import Pair
from anc.codegen.signature import facts_about, values_of
from anc.compiler import compile_source
from anc.language import Source
from anc.machine import exact
from anc.machine.exact import Stop
from anc.proof import Verdict, parse_fact
from anc.proof.verdict import proved, refuted


def verdict_on_table(pair: Pair, deployed: SavedDeployed) -> Verdict:
    """Run what defines the right result on every tape of the table's precondition."""
    table = deployed.table
    assert table is not None
    facts = [parse_fact(text, pair.M) for text in deployed.precondition]
    cells = sorted({cell for fact in facts for cell in fact.cells})
    domains = [values_of(cell, facts_about(cell, facts), pair.M) for cell in cells]
    rows = {cell: {n: i for i, n in enumerate(each)} for cell, each in table.values.items()}
    tried = 0
    for numbers in product(*domains):
        known = dict(zip(cells, numbers, strict=True))
        tape = tuple(known.get(cell, 0) for cell in range(pair.M))
        place, size = 0, 1
        for cell, places in reversed(rows.items()):
            place += places.get(known[cell], len(table.numbers)) * size
            size *= len(places)
        tried += 1
        run = exact.run(pair.generic, tape, pair.max_steps)
        if run.stop is not Stop.STOPPED:
            return refuted("calls", tried, tape, "the original has no result there, the table has")
        if place >= len(table.numbers) or run.tape[table.result] != table.numbers[place]:
            reason = f"the original's result is {run.tape[table.result]}, the table has another"
            return refuted("calls", tried, tape, reason)
    return proved("calls", tried)


def pair_of_program(pair: Pair, deployed: SavedDeployed) -> Pair:
    """The claim about another program."""
    assert deployed.program is not None
    source = Source(deployed.program, "what is deployed")
    program = compile_source(source, memory=pair.M).program
    facts = tuple(parse_fact(text, pair.M) for text in deployed.precondition)
    return replace(
        pair,
        adapted=program,
        bodies=(pair.bodies[0], program),
        facts=facts,
        deployed=None,
    )
