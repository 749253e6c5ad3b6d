"""Whole functions of Python: how they are called, a docstring, types, and perhaps a guard."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anc.emit.arguments import fits, kind, renamed
from anc.emit.body import body_of
from anc.emit.collisions import apart, with_python_itself
from anc.emit.printer import INDENT, indented
from anc.emit.python import PythonPrinter
from anc.emit.python_called import PythonCalled, Reducing, condition
from anc.emit.python_facts import PythonFacts
from anc.emit.signature import Fallback, Parameter, Signature
from anc.emit.statements import Body, every
from anc.emit.tables import table_of
from anc.program import Program
from anc.python.originals import type_text
from anc.verify.facts import Fact

_LONG = 4  # statements


def python_function(
    program: Program,
    M: int,
    name: str,
    says: Sequence[str],
    facts: Sequence[Fact] = (),
    fallback: Fallback | None = None,
    signature: Signature | None = None,
    takes_any: bool = False,
    beside: Collection[str] = (),
) -> list[str]:
    """The lines of a function; where a fact does not hold, or an argument does not fit, the fallback's.

    Without a signature it changes a tape in place. One that `takes_any` number takes it modulo M, and
    the missing elements of a list as 0. `beside` are the names of whatever else is in its file.
    """
    beside = {*beside, name, *([] if fallback is None else [fallback.name])}
    if signature is None:
        printer = PythonPrinter(M, beside)
        writer = _OnTape(printer, body_of(program, M, beside, facts), takes_any)
        lines = writer.lines() if fallback is None else writer.guarded(facts, fallback)
        return _finished(printer, _head(name, None, beside), [*docstring(says)], lines, beside)

    names = signature.names
    settled = signature if takes_any else signature.settled(facts, M)
    known = [*facts, *settled.facts(M)]
    body = body_of(program, M, {*beside, *settled.taken(M)}, known)
    table = None
    if not takes_any and settled.result is not None and _is_long(body):
        table = table_of(program, M, known, settled.result)

    def written(inside: Signature) -> tuple[PythonPrinter, list[str]]:
        printer = PythonPrinter(M, {*beside, *names})
        writer = (Reducing if takes_any else PythonCalled)(printer, body, inside, names, table)
        return printer, writer.lines() if fallback is None else writer.guarded(facts, fallback)

    inside = apart(settled, lambda given: written(given)[1], names)
    printer, lines = written(inside)
    first = [*docstring(says), *renamed(signature, inside)]
    hidden = {*beside, *names}.difference(inside.names)
    return _finished(printer, _head(name, signature, beside), first, lines, hidden)


def _finished(
    printer: PythonPrinter, head: str, first: list[str], lines: list[str], hidden: Collection[str]
) -> list[str]:
    """A function with what stands in front of it; names that are hidden are not Python's own there."""
    imports, lines = with_python_itself(lines, hidden)
    return [*imports, *printer.table_lines(), head, *indented([*first, *lines])]


def _head(name: str, signature: Signature | None, beside: Collection[str]) -> str:
    """How it is called; types are texts where something else has their names."""
    kinds, result = [("tape", "list[int]")], "None"
    if signature is not None:
        kinds = [(p.name, kind(p)) for p in signature.parameters]
        result = "bool" if signature.truth else "int"
        result = "None" if signature.result is None else result
    given = ", ".join(f"{name}: {type_text(kind, beside)}" for name, kind in kinds)
    return f"def {name}({given}) -> {type_text(result, beside)}:"


class _OnTape:
    """A function of a tape."""

    def __init__(self, printer: PythonPrinter, body: Body, takes_any: bool = False) -> None:
        self.printer, self.body, self.takes_any = printer, body, takes_any

    def lines(self) -> list[str]:
        M = self.printer.M
        reduced = [
            f"if len(tape) != {M}:",
            f'{INDENT}raise ValueError("tape does not have {M} cells")',
            f"tape[:] = [number % {M} for number in tape]",
        ]
        first = reduced if self.takes_any else []
        first += [f"{variable} = {value}" for variable, value in self.body.first_values.items()]
        return first + (self.printer.lines(self.body.statements) or ["pass"])

    def guarded(self, facts: Sequence[Fact], fallback: Fallback) -> list[str]:
        tests = PythonFacts(self.printer.M).conditions(facts) if facts else []
        if fallback.is_original:
            tests[:0] = fits(Parameter("tape", 0, self.printer.M), [], self.printer.M)[0]
        if not tests:
            return self.lines()
        check = condition(tests)
        return [*check, *indented(self.lines()), "else:", f"{INDENT}{fallback.name}(tape)"]


def _is_long(body: Body) -> bool:
    """Whether a look at a table is shorter to read, and faster, than what there is to do."""
    return sum(1 for _ in every(body.statements)) >= _LONG


def docstring(says: Sequence[str]) -> list[str]:
    first, *others = (line.replace("\\", "\\\\").replace('"""', "'''") for line in says)
    if not others:
        return [f'"""{first}"""']
    return [f'"""{first}', "", *others, '"""']
