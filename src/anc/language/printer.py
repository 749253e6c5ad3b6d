"""Syntax tree to canonical text: one statement a line, labels before it, no semicolons."""

from __future__ import annotations

from anc.language.tree import Example, Hole, Listing, Number, Operand, Statement


def print_tree(listing: Listing) -> str:
    """The canonical text of a listing; parsing it gives an equal tree."""
    lines = []
    if listing.file is not None:
        lines.append(f"instructions {listing.file}")
    if listing.memory is not None:
        lines.append(f"memory {listing.memory.value}")
    if listing.start is not None:
        lines.append(f"start {_operand(listing.start)}")
    for declaration in listing.declarations:
        value = "" if declaration.value is None else f" = {_operand(declaration.value)}"
        lines.append(f"var {declaration.name.text}{value}")
    if lines:
        lines.append("")
    lines += [_statement(statement) for statement in listing.statements]
    if listing.examples:
        lines.append("")
    lines += map(print_example, listing.examples)
    return "\n".join(lines) + "\n"


def print_example(example: Example) -> str:
    before, after = (" ".join(map(str, side)) for side in (example.input, example.output))
    return f"# run: {before} -> {after}"


def _statement(statement: Statement) -> str:
    labels = "".join(f"{label.text}: " for label in statement.labels)
    out = "" if statement.out is None else f"{statement.out.text} = "
    operands = ", ".join(map(_operand, statement.call.operands))
    frozen = "@frozen " if statement.frozen else ""
    return f"{labels}{frozen}{out}{_operand(statement.call.op)}({operands})"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Hole):
        if operand.choices is None:
            return "?"
        return f"? in ({', '.join(map(_operand, operand.choices))})"
    return str(operand.value) if isinstance(operand, Number) else operand.text
