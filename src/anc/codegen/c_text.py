"""Emitted C functions: comment, signature, body, and the guard in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from textwrap import wrap

from anc.codegen.c import PAST_END, UNKNOWN, CPrinter, cell_type, with_declarations
from anc.codegen.c_arguments import CArgumentChecks
from anc.codegen.c_facts import CFacts
from anc.codegen.called import Called, body_of
from anc.codegen.expressions import Number
from anc.codegen.names import distinct_names, identifier
from anc.codegen.printer import INDENT, WIDTH, indented
from anc.codegen.signature import Fallback, Parameter, Signature
from anc.codegen.statements import Body, without_first_value
from anc.codegen.tables import Table, is_range
from anc.program import Program
from anc.proof.facts import Fact

NUMBER = "int32_t"  # of arguments and results


def c_function(
    program: Program | Table,
    M: int,
    name: str,
    says: Sequence[str],
    facts: Sequence[Fact] = (),
    fallback: Fallback | None = None,
    signature: Signature | None = None,
    is_partial: bool = False,
) -> list[str]:
    """The lines of a function; it calls the fallback if a fact fails or an argument does not fit.

    Instead of a program it may have a table. Without a signature it changes a tape in place.
    A function of arguments returns -1 if its program leaves the last line, which only a partial one may do.
    """
    instructions = () if isinstance(program, Table) else program.instructions
    beside = (
        name,
        *CPrinter(M, name).own_names(instructions),
        *([] if fallback is None else [fallback.name]),
    )
    names = [] if signature is None else [identifier(each) for each in signature.names]
    taken = [] if signature is None else signature.named(names).taken(M)
    table = program if isinstance(program, Table) else None
    body = Body(()) if isinstance(program, Table) else body_of(program, M, (*beside, *taken), facts)

    def written(signature: Signature | None) -> tuple[_OnTape | _Called, list[str]]:
        printer = CPrinter(M, name)
        writer: _OnTape | _Called = _OnTape(printer, body)
        if signature is not None:
            writer = _Called(printer, body, signature, table)
            printer.past_end = [PAST_END, f"return {UNKNOWN};"]
        if is_partial:
            printer.past_end = [f"return {UNKNOWN};"]
        return writer, writer.lines(facts, fallback)

    if signature is not None:
        signature = distinct_names(signature, lambda given: written(given)[1], names)
    writer, lines = written(signature)
    printer = writer.printer
    head = f"static inline {writer.result} {name}({writer.parameters}) {{"
    needed = [*printer.needed(), *writer.facts.needed()]
    return [*needed, *comment(says), head, *indented(lines), "}"]


class _OnTape:
    """A function of a tape."""

    result = "void"

    def __init__(self, printer: CPrinter, body: Body) -> None:
        self.printer, self.body = printer, body
        self.parameters = f"{cell_type(printer.M)} tape[{printer.M}]"
        self.facts = CFacts(printer.M, prefix=printer.prefix)

    def lines(self, facts: Sequence[Fact], fallback: Fallback | None) -> list[str]:
        found = statements(self.printer, self.body)
        if facts and fallback is not None:
            check = condition(self.facts.conditions(facts))
            otherwise = ["} else {", f"{INDENT}{fallback.name}(tape);", "}"]
            return [*check, *indented(found), *otherwise]
        return found if self.printer.uses_tape else ["(void)tape;", *found]


class _Called(Called):
    """A function of arguments in C.

    If an argument does not fit or a fact fails, it returns the fallback's result, or -1 without one.
    """

    result = NUMBER
    printer: CPrinter

    def __init__(
        self, printer: CPrinter, body: Body, signature: Signature, table: Table | None
    ) -> None:
        super().__init__(printer, body, signature)
        self.table = table  # the results, if they are looked up
        self.parameters = ", ".join(text for p in signature.parameters for text in _declared(p))
        self.facts = CFacts(printer.M, printer.cell, printer.prefix)

    def lines(self, facts: Sequence[Fact], fallback: Fallback | None) -> list[str]:
        M, signature = self.printer.M, self.signature
        facts = signature.to_check(facts, M)
        names = [text for p in signature.parameters for text in _passed(p)]
        otherwise = f"{UNKNOWN}" if fallback is None else f"{fallback.name}({', '.join(names)})"
        checks = CArgumentChecks(facts, M, otherwise)
        for p in signature.parameters:
            checks.add(p)
        self.signature = signature = signature.settled(facts, M)
        facts = checks.left
        found = [*checks.lines(), *_apart(signature)]
        is_plain = signature.is_plain and not any(fact.pointers for fact in facts)
        if self.table is None:
            on_tape = not is_plain or self.scalars is None
        else:
            on_tape = not is_plain and bool(facts)
        if on_tape:
            found += self.tape()
        else:
            self.facts.cell = self.cell
        if facts:
            check = condition([f"!({' && '.join(self.facts.conditions(facts))})"])
            found += [*check, f"{INDENT}return {otherwise};", "}"]
        if self.table is not None:
            return [*found, *self.looked_up(self.table)]
        lists = (p for p in signature.parameters if p.written)
        body, result = self.ended(on_tape, [line for p in lists for line in _written_back(p)])
        if signature.result is None:
            self.printer.result = Number(0)
        body = replace(body, statements=without_first_value(body.statements, result))
        rest = statements(self.printer, body)
        if on_tape and not self.printer.uses_tape:
            found.append("(void)tape;")
        return found + rest

    def looked_up(self, table: Table) -> list[str]:
        """The lines that return an entry of a table."""
        if not table.cells:
            return [f"return {table.rows[0]};"]
        levels = [values for _, values in table.cells]
        size = "".join(f"[{values[-1] - values[0] + 1}]" for values in levels)
        kind = cell_type(max(table.numbers) + 1)
        rows = _initial(table.rows, levels)
        found = [f"static const {kind} results{size} = {{", *rows, "};"]
        places = [(self.cell(f"{cell}"), values[0]) for cell, values in table.cells]
        index = "".join(f"[{given}{f' - {low}' if low else ''}]" for given, low in places)
        return [*found, f"return results{index};"]

    def tape(self) -> list[str]:
        """The lines that make the tape."""
        cell = cell_type(self.printer.M)
        found = [f"{cell} tape[{self.printer.M}] = {{0}};"]
        found += [f"tape[{at}] = {number};" for at, number in self.signature.known]
        for p in self.signature.parameters:
            if p.size is None:
                found.append(f"tape[{p.cell}] = ({cell}){p.name};")
                continue
            found += _each(p, f"tape[{p.cell} + i] = ({cell}){p.name}[i];")
            if p.length is not None:
                found.append(f"tape[{p.length}] = ({cell}){p.length_name};")
        return found


def _initial(rows: tuple, levels: Sequence[Sequence[int]]) -> list[str]:
    """The initial values of an array of this many dimensions; where values have gaps, at their places."""
    values, *deeper = levels
    marks = [""] * len(rows)
    if not is_range(values):
        marks = [f"[{value - values[0]}] = " for value in values]
    if not deeper:
        each = (f"{mark}{row}" for mark, row in zip(marks, rows, strict=True))
        return indented(wrap(f"{', '.join(each)},", WIDTH))
    return [
        line
        for mark, row in zip(marks, rows, strict=True)
        for line in indented([f"{mark}{{", *_initial(row, deeper), "},"])
    ]


def statements(printer: CPrinter, body: Body) -> list[str]:
    """The lines of a body with its declarations."""
    found, in_front = with_declarations(body)
    cell = cell_type(printer.M)
    first = [f"{cell} {variable} = {value};" for variable, value in in_front.items()]
    return first + printer.lines(found)


def _declared(p: Parameter) -> list[str]:
    if p.size is None:
        return [f"{NUMBER} {p.name}"]
    const = "" if p.written else "const "
    if p.length is None:
        return [f"{const}{NUMBER} {p.name}[{p.size}]"]
    return [f"{const}{NUMBER} *{p.name}", f"{NUMBER} {p.length_name}"]


def _passed(p: Parameter) -> list[str]:
    return [p.name] if p.length is None else [p.name, p.length_name]


def _each(p: Parameter, statement: str) -> list[str]:
    """A loop over the elements of a list."""
    count = str(p.size) if p.length is None else p.length_name
    return [f"for (int i = 0; i < {count}; i++) {{", INDENT + statement, "}"]


def _apart(signature: Signature) -> list[str]:
    """The lines that return -1 if lists overlap and one is changed."""
    lists = [p for p in signature.parameters if p.size is not None]
    found = []
    for one, other in combinations(lists, 2) if signature.apart else ():
        tests = (
            f"(uintptr_t){a.name} < (uintptr_t)({_end(b)})" for a, b in ((one, other), (other, one))
        )
        found += [f"if ({' && '.join(tests)}) {{", f"{INDENT}return {UNKNOWN};", "}"]
    return found


def _end(p: Parameter) -> str:
    return f"{p.name} + {p.size}" if p.length is None else f"{p.name} + {p.length_name}"


def _written_back(p: Parameter) -> list[str]:
    return _each(p, f"{p.name}[i] = tape[{p.cell} + i];")


def condition(tests: Sequence[str]) -> list[str]:
    """The first lines of an `if` with a conjunction of tests."""
    together = f"if ({' && '.join(tests)}) {{"
    if len(together) <= WIDTH or len(tests) == 1:
        return [together]
    first, *others = tests
    found = [f"if ({first}", *(f"{INDENT}&& {each}" for each in others)]
    return [*found[:-1], f"{found[-1]}) {{"]


def comment(says: Sequence[str]) -> list[str]:
    lines = [line.replace("*/", "* /") for line in says]
    if len(lines) == 1:
        return [f"/* {lines[0]} */"]
    first, *others = lines
    return [f"/* {first}", " *", *(f" * {line}".rstrip() for line in others), " */"]
