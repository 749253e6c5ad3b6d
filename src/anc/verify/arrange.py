"""Check, generic and adapted lines as one listing in which every jump finds its line.

Lines are scarce (there are M of them), so two things are shared: cells that the check has read are
not read again by the generic program's first lines, and, if it does not fit otherwise, the adapted
program jumps into a tail that the generic one ends with as well.
"""

from __future__ import annotations

from dataclasses import replace

from anc import isa
from anc.language.tree import Call, Listing, Name, Number, Operand, Statement
from anc.program import Program
from anc.verify.check import Check
from anc.verify.relocate import Body, Fixed, Movable, body, examine, label


class NoGuard(Exception):
    """Why the guarded program cannot be built."""


def arrange(check: Check, error: Operand, generic: Program, adapted: Program, M: int) -> Listing:
    """The whole guarded program; raises NoGuard when it is not possible."""
    to_generic, to_adapted = examine(generic), examine(adapted)
    if isinstance(to_generic, Fixed) and isinstance(to_adapted, Fixed):
        raise NoGuard(
            "only one program can keep its line numbers; the generic program cannot move:"
            f" {to_generic.reason}; the adapted program cannot move: {to_adapted.reason}"
        )
    fallback = body(generic, "generic", to_generic)
    fast = body(adapted, "adapted", to_adapted)
    generic_lines, adapted_lines = list(fallback.statements), list(fast.statements)
    declarations = (*check.declarations(), *fallback.declarations, *fast.declarations)
    decide = Statement((), None, Call(Name("JEZ"), (error, Name(label("adapted", adapted.start)))))
    check_lines = [*check.lines, decide]
    entry = Name(label("generic", generic.start))
    if isinstance(to_generic, Movable) and generic.start == 0:
        check_lines, generic_lines = share_reads(check, check_lines, generic, generic_lines)
        to_fallback: list[Statement] = []
    else:
        to_fallback = [Statement((), None, Call(Name("JEZ"), (Number(0), entry)))]
    check_lines[0] = replace(check_lines[0], labels=(Name("l_check"),))

    def order(adapted_lines: list[Statement]) -> list[Statement]:
        if isinstance(to_adapted, Fixed):
            return [*adapted_lines, *check_lines, *to_fallback, *generic_lines]
        if isinstance(to_generic, Fixed):
            return [*generic_lines, *check_lines, *to_fallback, *adapted_lines]
        return [*check_lines, *to_fallback, *generic_lines, *adapted_lines]

    lines = order(adapted_lines)
    if len(lines) > M and isinstance(to_adapted, Movable) and isinstance(to_generic, Movable):
        lines = order(share_tail(fast, fallback, generic_lines))
    if len(lines) > M:
        raise NoGuard(
            f"the check ({len(check_lines) + len(to_fallback)} lines), the adapted program"
            f" ({adapted.L}) and the generic program ({generic.L}) need {len(lines)} lines in all,"
            f" the memory has {M}"
        )
    start = None if lines[0] is check_lines[0] else Name("l_check")
    return Listing(Number(M), start, declarations, tuple(lines))


def share_reads(
    check: Check, check_lines: list[Statement], generic: Program, generic_lines: list[Statement]
) -> tuple[list[Statement], list[Statement]]:
    """Leave out the generic program's first READs of cells that the check has read already.

    Such a line is `x = READ(cell)`; the check's variable for the cell becomes x.
    """
    reads = check.reads()
    targets = {
        name.text
        for statement in generic_lines
        for name in statement.call.operands
        if isinstance(name, Name)
    }
    rename: dict[str, Name] = {}
    written: set[int] = set()
    for line, statement in zip(generic.lines[:-1], generic_lines, strict=False):
        if line.op != "READ" or any(name.text in targets for name in statement.labels):
            break
        assert line.first is not None
        held = reads.get(generic.registers[line.first] or 0)
        if line.first in written or line.out in written or held is None or held.text in rename:
            break
        if statement.out is None:
            break
        rename[held.text] = statement.out
        written.add(line.out)
    kept = generic_lines[len(rename) :]
    return [_renamed(statement, rename) for statement in check_lines], kept


def _renamed(statement: Statement, rename: dict[str, Name]) -> Statement:
    def new(operand: Operand) -> Operand:
        return rename.get(operand.text, operand) if isinstance(operand, Name) else operand

    out = None if statement.out is None else rename.get(statement.out.text, statement.out)
    call = statement.call
    return Statement(statement.labels, out, Call(call.op, tuple(map(new, call.operands))))


def share_tail(fast: Body, fallback: Body, generic_lines: list[Statement]) -> list[Statement]:
    """Let the adapted program end with a jump into the generic one's last lines, if they agree.

    Variables may have other names: the adapted program takes the generic one's, if it writes them
    before it reads them. That is harmless because only one of the two programs ever runs.
    """
    adapted_lines = list(fast.statements)
    same: dict[str, str] = {}
    length = 0
    for one, other in zip(reversed(adapted_lines), reversed(generic_lines), strict=False):
        pairs = _matching(one, other)
        ends = isa.instruction(one.call.op.text).effect is isa.Effect.STOP
        if pairs is None or ends != (length == 0) or one.labels:
            break
        trial = dict(same)
        if any(trial.setdefault(a, g) != g or not _written_first(fast, a) for a, g in pairs):
            break
        if len(set(trial.values())) < len(trial):
            break
        same, length = trial, length + 1
    if length < 2:
        return adapted_lines
    place = generic_lines[-length]
    tail = Name("l_tail")
    generic_lines[-length] = replace(place, labels=(tail, *place.labels))
    jump = Statement((), None, Call(Name("JEZ"), (Number(0), tail)))
    rename = {a: Name(g) for a, g in same.items()}
    return [*(_renamed(line, rename) for line in adapted_lines[:-length]), jump]


def _matching(one: Statement, other: Statement) -> list[tuple[str, str]] | None:
    """The variables that must be the same for two lines to do the same; None: they cannot."""
    if one.call.op.text != other.call.op.text:
        return None
    if isa.instruction(one.call.op.text).effect is isa.Effect.JUMP:
        return None
    pairs = []
    for left, right in zip(one.call.operands, other.call.operands, strict=True):
        if isinstance(left, Name) and isinstance(right, Name):
            pairs.append((left.text, right.text))
        elif left != right:
            return None
    if (one.out is None) != (other.out is None):
        return None
    if one.out is not None and other.out is not None:
        pairs.append((one.out.text, other.out.text))
    return pairs


def _written_first(fast: Body, name: str) -> bool:
    """Whether the program surely writes this variable before it reads it."""
    for statement in fast.statements[fast.program.start :]:
        jumps = isa.instruction(statement.call.op.text).effect is isa.Effect.JUMP
        if jumps or Name(name) in statement.call.operands:
            return False
        if statement.out == Name(name):
            return True
    return True
