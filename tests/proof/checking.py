"""What the lines of a check leave, computed one by one."""

from __future__ import annotations

from collections.abc import Sequence

from anc.compiler.graph import READ, Constant, Operand, Variable
from anc.proof.guards.facts_to_lines import Check


def left_by(check: Check, error: Operand, tape: Sequence[int]) -> int:
    """What the lines leave in a variable."""
    values: dict[Variable | None, int] = {}

    def number(operand: Operand) -> int:
        if isinstance(operand, Constant):
            return operand.value
        assert isinstance(operand, Variable)
        return values[operand]

    for _, node in sorted(check.graph.nodes.items()):
        first, second = (*map(number, node.operands), 0)[:2]
        assert max(first, second) < len(tape) and min(first, second) >= 0
        row = check.instructions[str(node.op)]
        found = tape[first] if node.op == READ else row.output(first, second, len(tape))
        values[node.out] = found
    return number(error)
