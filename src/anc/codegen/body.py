"""From a program to the statements of a function: one short function that names its passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anc.codegen.blocks import blocks_of
from anc.codegen.conditions import join_conditions
from anc.codegen.ranges import settle_wraps
from anc.codegen.statements import Body, mentioned
from anc.codegen.structure import structured
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.sampler import Tapes


def body_of(
    program: Program, M: int, taken: Iterable[str] = (), facts: Sequence[Fact] = ()
) -> Body:
    """The statements of a program on M cells, for tapes of which the facts hold.

    Its variables have none of the taken names.
    """
    domains = [values.tolist() for values in Tapes(facts, M).domains] if facts else []
    cells = {cell: values for cell, values in enumerate(domains) if values}
    blocks = blocks_of(program, M, taken, cells)
    settle_wraps(blocks, {cell: (min(values), max(values)) for cell, values in cells.items()})
    join_conditions(blocks)
    statements = structured(blocks)
    used = mentioned(statements)  # ranges may have settled all that a variable was used for
    return Body(statements, {name: v for name, v in blocks.first_values.items() if name in used})
