"""Unknown lines, ``x = ?``: any instruction on any operands, in a straight-line sketch.

The lines in front of them run as they are written, and behind them only WRITEs and STOP follow. An unknown line may
use variables, the numbers that the program mentions, and the results of unknown lines before it, or those of its
choices, ``x = ? in (AND, ADD, x, 1)``. It keeps its result in a variable of its own. A filling may leave lines out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from anc.isa import Effect, InstructionSet, Op
from anc.language.tree import Call, HoleSyntax, Listing, Name, Number, Statement
from anc.program import Program
from anc.support.diagnostics import Diagnostic, Span, error

NAMED = "name the choices of each place instead: x = ? in (ADD, SUB)(? in (a, b), 1)"


@dataclass(frozen=True)
class UnknownLines:
    """The unknown lines of a sketch, by the registers of its program.

    `targets` are pairs: a cell that is written behind them, and the register that is written, or None where any may be.
    """

    first: int  # program line
    names: tuple[str, ...]  # the instructions that they may be
    base: tuple[int, ...]  # registers that they may read
    outputs: tuple[int, ...]  # registers that they write
    targets: tuple[tuple[int, int | None], ...]

    @property
    def count(self) -> int:
        return len(self.outputs)


def is_unknown(statement: Statement) -> bool:
    return statement.call.is_unknown


def with_placeholders(tree: Listing) -> Listing:
    """The listing with an instruction that computes in place of every unknown line."""
    op = next(row.name for row in tree.instructions if row.name == Op.ADD)

    def placed(statement: Statement) -> Statement:
        if not is_unknown(statement) or statement.out is None:
            return statement
        out = replace(statement.out, span=statement.call.span)
        return replace(statement, call=Call(Name(op, out.span), (out, out), out.span))

    return replace(tree, statements=tuple(map(placed, tree.statements)))


def problems_of(tree: Listing) -> Iterator[Diagnostic]:
    """What keeps unknown lines from being searched."""
    unknown = [n for n, statement in enumerate(tree.statements) if is_unknown(statement)]
    if not unknown:
        return
    writes: dict[str, list[Statement]] = {}
    for statement in tree.statements:
        if statement.out is not None:
            writes.setdefault(statement.out.text, []).append(statement)
    given = {each.name.text for each in tree.declarations if each.value is not None}
    choices = {_hole(tree.statements[n]).choices for n in unknown}
    for declaration in tree.declarations:
        if isinstance(declaration.value, HoleSyntax):
            yield error("a hole beside unknown lines", declaration.value.span, NAMED)
    for n, statement in enumerate(tree.statements):
        span = statement.call.span
        if statement.call.op == Name(Op.JUMP):
            message = "unknown lines are searched in straight-line programs, and this one jumps"
            yield error(message, span, NAMED)
        elif n in unknown:
            yield from _wrong_line(statement, writes, given)
            if len(choices) > 1 and n == unknown[-1]:
                yield error("unknown lines of one program have the same choices", span)
        elif n < unknown[-1]:
            if n > unknown[0]:
                message = "an instruction between unknown lines"
                yield error(message, span, "put it in front of them")
            for part in (statement.call.op, *statement.call.operands):
                if isinstance(part, HoleSyntax):
                    yield error("a hole in front of unknown lines", part.span, NAMED)
        elif not _may_follow(statement):
            message = "only WRITE(number, variable) and STOP() may follow unknown lines"
            yield error(message, span)
    yield from _wrong_results(tree, unknown)


def _hole(statement: Statement) -> HoleSyntax:
    assert isinstance(statement.call.op, HoleSyntax)
    return statement.call.op


def _wrong_line(
    statement: Statement, writes: dict[str, list[Statement]], given: set[str]
) -> Iterator[Diagnostic]:
    out, span = statement.out, statement.call.span
    assert out is not None
    if statement.frozen:
        yield error("a frozen line cannot have a hole", span, "take away @frozen")
    if len(writes[out.text]) > 1 or out.text in given:
        message = f"'{out.text}' has other values, too: an unknown line has a variable of its own"
        yield error(message, out.span, "declare one for each of them: var t1")


def _may_follow(statement: Statement) -> bool:
    op, operands = statement.call.op, statement.call.operands
    if op == Name(Op.WRITE) and len(operands) == 2:
        return isinstance(operands[0], Number) and not isinstance(operands[1], Number)
    return op == Name(Op.STOP)


def _wrong_results(tree: Listing, unknown: list[int]) -> Iterator[Diagnostic]:
    """WRITEs of a certain unknown line: in a filling, each result may come from any line, or from an input."""
    outputs = {out.text for n in unknown if (out := tree.statements[n].out) is not None}
    behind = [s.call for s in tree.statements[unknown[-1] + 1 :] if s.call.operands]
    if not behind:
        span = tree.statements[-1].call.span
        yield error("nothing is written after the unknown lines", span, "add WRITE(0, ?)")
    for call in behind:
        part = call.operands[-1]
        is_output = isinstance(part, Name) and part.text in outputs
        if is_output or (isinstance(part, HoleSyntax) and part.choices is not None):
            message = "the search decides which of the unknown lines computes this"
            yield error(message, part.span, f"leave it open, too: WRITE({_number(call)}, ?)")


def _number(call: Call) -> int:
    first = call.operands[0]
    return first.value if isinstance(first, Number) else 0


def mentioned(tree: Listing) -> Iterator[Number]:
    """The numbers among the choices of unknown lines."""
    for statement in filter(is_unknown, tree.statements):
        yield from (part for part in _hole(statement).choices or () if isinstance(part, Number))


def wrong_choices(tree: Listing) -> Iterator[Diagnostic]:
    """Choices of unknown lines that do not compute, or are not known."""
    variables = {each.name.text for each in tree.declarations}
    for statement in filter(is_unknown, tree.statements):
        for part in _hole(statement).choices or ():
            if isinstance(part, Number) or part.text in variables:
                continue
            row = next((row for row in tree.instructions if row.name == part.text), None)
            if row is None:
                yield error(f"'{part.text}' is neither an instruction nor a variable", part.span)
            elif row.effect is not Effect.NONE or not row.operands:
                message = f"{part.text} does not compute anything from operands"
                yield error(message, part.span, "an unknown line is an instruction without effects")


def read_lines(tree: Listing, program: Program, outputs: dict[str, int]) -> UnknownLines:
    """The unknown lines of a checked tree; `outputs` are the registers of its variables."""
    unknown = [n for n, statement in enumerate(tree.statements) if is_unknown(statement)]
    choices = _hole(tree.statements[unknown[0]]).choices
    written = tuple(program.lines[n].out for n in unknown)
    instructions: InstructionSet = program.instructions
    names = [row.name for row in instructions if row.effect is Effect.NONE and row.operands]
    set_before = {line.out for line in program.lines[: unknown[0]]}
    known = [r for r, value in enumerate(program.registers) if value is not None or r in set_before]
    sink = program.R - 1
    base = [r for r in known if r not in written and r != sink]
    if choices is not None:
        chosen = {part.text for part in choices if isinstance(part, Name)}
        names = [name for name in names if name in chosen]
        numbers = {part.value for part in choices if isinstance(part, Number)}
        operands = {outputs[name] for name in chosen if name in outputs}
        operands |= {r for r in range(len(outputs), sink) if program.registers[r] in numbers}
        base = [r for r in base if r in operands] if operands else base
    assigned = {line.out for line in program.lines}
    constants = {r: program.registers[r] for r in base if r not in assigned}
    named_first = {value: r for r, value in reversed([*constants.items()])}
    base = [r for r in base if r in assigned or named_first[constants[r]] == r]
    targets = []
    for n in range(unknown[-1] + 1, len(tree.statements)):
        call = tree.statements[n].call
        if call.operands:
            first: Any = call.operands[0]
            is_open = isinstance(call.operands[1], HoleSyntax)
            targets.append((first.value, None if is_open else program.lines[n].second))
    return UnknownLines(unknown[0], tuple(names), tuple(base), written, tuple(targets))


def line_words(program: Program, lines: UnknownLines, number: int) -> Iterator[str]:
    """What an unknown line may be, as texts."""
    readable = [*lines.base, *lines.outputs[:number]]
    names = [program.name_of(register) for register in readable]
    out = program.name_of(lines.outputs[number])
    for op in lines.names:
        if program.instructions[op].operands == 1:
            yield from (f"{out} = {op}({a})" for a in names)
        else:
            yield from (f"{out} = {op}({a}, {b})" for a in names for b in names)


def span_of(statement: Statement) -> Span:
    """The place of a whole assignment."""
    assert statement.out is not None
    begin, end = statement.out.span, statement.call.span
    return Span(begin.line, begin.column, end.column + end.width - begin.column)
