"""Syntax tree to canonical text: one statement a line, labels before it, no semicolons."""

from __future__ import annotations

from anc.language.tree import Listing, Number, Operand, Statement


def print_tree(listing: Listing) -> str:
    """The canonical text of a listing; parsing it gives an equal tree."""
    lines = []
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
    for example in listing.examples:
        before, after = (" ".join(map(str, side)) for side in (example.input, example.output))
        lines.append(f"# run: {before} -> {after}")
    return "\n".join(lines) + "\n"


def _statement(statement: Statement) -> str:
    labels = "".join(f"{label.text}: " for label in statement.labels)
    out = "" if statement.out is None else f"{statement.out.text} = "
    operands = ", ".join(map(_operand, statement.call.operands))
    return f"{labels}{out}{statement.call.op.text}({operands})"


def _operand(operand: Operand) -> str:
    return str(operand.value) if isinstance(operand, Number) else operand.text
