"""Emitted Python functions: signature, docstring, body, and the guard in front of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from anc.codegen.arguments import (
    ArgumentChecks,
    apart,
    as_lists,
    element,
    is_along,
    is_converted,
    kind,
    made_of,
    renamed,
)
from anc.codegen.called import Called, body_of
from anc.codegen.expressions import Expression
from anc.codegen.facts import implied, needs_tape
from anc.codegen.names import distinct_names, with_python_itself
from anc.codegen.printer import INDENT, WIDTH, indented
from anc.codegen.python import PythonPrinter, first_index
from anc.codegen.python_facts import PythonFacts
from anc.codegen.signature import Fallback, Parameter, Signature
from anc.codegen.statements import Body, every, mentioned, without_first_value
from anc.codegen.tables import Table, table_of
from anc.program import Program
from anc.proof.facts import Fact
from anc.python.originals import type_text

_NOWHERE = -1  # the cell of a length that is not on the tape


class PythonCalled(Called):
    """A function of arguments in Python."""

    printer: PythonPrinter

    def __init__(
        self,
        printer: PythonPrinter,
        body: Body,
        signature: Signature,
        names: Sequence[str],
        table: Table | None,
    ) -> None:
        super().__init__(printer, body, signature)
        self.names = names  # of the arguments as they were passed
        self.table = table  # the results, if they can be looked up
        printer.truths = signature.truth
        printer.has_truths = any(p.truths for p in signature.parameters)

    def lines(self) -> list[str]:
        return self.filled(self.inner(on_tape=False))

    def inner(self, on_tape: bool) -> list[str]:
        """The body behind the guard; on a tape if the guard has made one."""
        looked_up = self.looked_up()
        if looked_up is not None:
            return looked_up
        setup = [] if on_tape or self.scalars is not None else self.setup()
        lists = (p for p in self.signature.parameters if p.written)
        body, result = self.ended(on_tape, [f"{p.name}[:] = tape[{_slice(p)}]" for p in lists])
        first = [f"{variable} = {value}" for variable, value in body.first_values.items()]
        statements = without_first_value(body.statements, result)
        return setup + first + self.printer.lines(statements)

    @cached_property
    def scalars(self) -> tuple[Body, dict[int, Expression]] | None:
        if any(p.written and p.length is not None for p in self.signature.parameters):
            return None
        several = self.signature.several
        return None if several is not None and several.has_length else super().scalars

    def made(self, on_tape: bool) -> str:
        several, first = self.signature.several, self.signature.result
        assert several is not None and first is not None
        if not on_tape and self.scalars is not None:
            _, written = self.scalars
            cells = range(first, first + several.size)
            parts = [self.printer.expression(written.get(c) or self.given(c)) for c in cells]
            row = f"{', '.join(parts)}{',' * (len(parts) == 1)}"
            return f"({row})" if several.kind == "tuple" else made_of(several.kind, f"[{row}]")
        begin, end = first, f"{first + several.size}"
        if several.has_length:
            begin, end = first + 1, f"{first + 1} + tape[{first}]"
        return made_of(several.kind, f"tape[{begin}:{end}]")

    def filled(self, lines: Sequence[str]) -> list[str]:
        """The lines, preceded by those that pad the lists that they use with zeros."""
        used = {given.name for given in self.printer.given}
        lists = (p for p in self.signature.parameters if p.filled_name in used)
        return [*(f"{p.filled_name} = [{_filled(p)}]" for p in lists), *lines]

    def looked_up(self) -> list[str] | None:
        """The lookup of the result in a table, if there is one."""
        if self.table is None or any(p.written for p in self.signature.parameters):
            return None
        if not self.table.cells:
            return [f"return {self.printer.entries(self.table.rows)[0]}"]
        index = ""
        for cell, values in self.table.cells:
            low = first_index(values)
            index += f"[{self.cell(f'{cell}')}{f' - {low}' if low else ''}]"
        return self.printer.table(self.table, index)

    def guarded(self, facts: Sequence[Fact], fallback: Fallback) -> list[str]:
        M = self.printer.M
        otherwise = [f"return {fallback.name}({', '.join(self.names)})"]
        checks = self.checked(self.signature.to_check(facts, M))
        late = [fact for fact in checks.left if not self.is_known(fact)]
        early = implied([fact for fact in checks.left if fact not in late], checks.domains)
        tests = [*checks.inner, *(PythonFacts(M, self.cell).conditions(early) if early else [])]
        for p in self.signature.parameters:
            about = [fact for fact in late if is_along(p, fact)]
            cell = partial(element, p, named=lambda name, place: checks.elements.get((name, place)))
            tests += PythonFacts(M, cell).conditions(about) if about else []
            late = [fact for fact in late if fact not in about]
        has_words = self.scalars is not None or self.looked_up() is not None
        on_tape = bool(late) and (not has_words or any(map(needs_tape, late)))
        inner = self.inner(on_tape)
        if late:
            writer = PythonFacts(M) if on_tape else PythonFacts(M, self.cell)
            inner = [*condition(writer.conditions(late)), *indented(inner)]
        inner = [*(self.setup() if on_tape else []), *self.filled(inner)]
        if not checks.unpacked:
            tests = [*checks.outer, *tests]
        found = [*condition(tests), *indented(inner)] if tests else inner
        if checks.unpacked:
            found = [*checks.unpacked, *found]
            found = [*condition(checks.outer), *indented(found)] if checks.outer else found
        if checks.may_raise:  # the answer itself raises nothing
            found = ["try:", *indented(found), "except Exception:", f"{INDENT}pass"]
        is_always = not (tests or late or checks.outer or checks.may_raise)
        return found if is_always else [*found, *otherwise]

    def checked(self, facts: Sequence[Fact]) -> ArgumentChecks:
        """The checks of all arguments, first of numbers; elements get names that the body uses."""
        printer, body = self.printer, self.body
        variables = {*mentioned(body.statements), *body.first_values}
        taken = {*self.signature.taken(printer.M), *self.names, *variables, *printer.taken}
        indexes = {} if self.looked_up() is None or self.table is None else dict(self.table.cells)
        checks = ArgumentChecks(facts, printer.M, taken, printer.trusts_types, indexes)
        for p in sorted(self.signature.parameters, key=lambda p: p.size is not None):
            checks.add(p)
        checks.outer += apart(self.signature)
        printer.constants = {name: text for text, name in checks.constants.items()}
        printer.elements = checks.elements
        return checks

    def is_known(self, fact: Fact) -> bool:
        """Whether a fact can be checked without a tape."""
        given = (self.signature.given(cell) for cell in fact.cells)
        return not needs_tape(fact) and all(each is not None for each in given)

    def setup(self) -> list[str]:
        """The lines that make the tape."""
        return [f"tape = [{self.cells(self.printer.M)}]"]

    def cells(self, until: int) -> str:
        """The first cells of the tape, as the elements of a list display."""
        # by first cell: the text, and the number of cells
        parts = {cell: (str(number), 1) for cell, number in self.signature.known}
        for p in self.signature.parameters:
            if p.size is None:
                parts[p.cell] = p.name, 1
            elif p.length is None:
                parts[p.cell] = f"*{p.name}", p.size
            else:
                parts[p.cell] = _filled(p), p.size
                if p.length != _NOWHERE:
                    parts[p.length] = f"len({p.name})", 1
        texts, at = [], 0
        for cell, (text, size) in [*sorted(parts.items()), (until, ("", 0))]:
            texts += [f"*(0,) * {cell - at}"] if cell > at else []
            texts += [text] if text else []
            at = cell + size
        return ", ".join(texts)


class Reducing(PythonCalled):
    """A function that reduces any numbers modulo M, and pads lists that are too short."""

    scalars = None

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        lists = tuple(
            p if p.size is None or p.length is not None else replace(p, length=_NOWHERE)
            for p in self.signature.parameters
        )
        self.signature = replace(self.signature, parameters=lists)

    def setup(self) -> list[str]:
        found = []
        for p, name in zip(self.signature.parameters, self.names, strict=True):
            if p.size is not None:
                found.append(f"if len({p.name}) > {p.size}:")
                found.append(f'{INDENT}raise ValueError("{name} has more than {p.size} elements")')
        used = (cell for p in self.signature.parameters for cell in p.all_cells)
        M, until = self.printer.M, max(used, default=0) + 1
        zeros = f" + [0] * {M - until}" if until < M else ""
        return [*found, f"tape = [number % {M} for number in ({self.cells(until)},)]{zeros}"]


def _filled(p: Parameter) -> str:
    """The elements of a list, padded with zeros."""
    return f"*{p.name}, *(0,) * ({p.size} - len({p.name}))"


def _slice(parameter: Parameter) -> str:
    if parameter.length is None:
        return f"{parameter.cell}:{parameter.cells.stop}"
    length = f"len({parameter.name})"
    return f"{parameter.cell}:{parameter.cell} + {length}" if parameter.cell else f":{length}"


def condition(tests: Sequence[str]) -> list[str]:
    """The first lines of an `if` with a conjunction of tests."""
    together = f"if {' and '.join(tests)}:"
    if len(together) <= WIDTH:
        return [together]
    first, *others = tests
    return ["if (", INDENT + first, *(f"{INDENT}and {each}" for each in others), "):"]


_LONG = 4  # statements


def python_function(
    program: Program | Table,
    M: int,
    name: str,
    says: Sequence[str],
    facts: Sequence[Fact] = (),
    fallback: Fallback | None = None,
    signature: Signature | None = None,
    takes_any: bool = False,
    beside: Collection[str] = (),
    trusts_types: bool = False,
) -> list[str]:
    """The lines of a function; it calls the fallback if a fact fails or an argument does not fit.

    Instead of a program it may have a table. Without a signature it changes a tape in place.
    If it `takes_any` number, it reduces it modulo M and
    pads lists with zeros. `beside` are the other names in its file.
    """
    beside = {*beside, name, *([] if fallback is None else [fallback.name])}
    if signature is None:
        assert isinstance(program, Program)
        printer = PythonPrinter(M, beside, trusts_types)
        writer = _OnTape(printer, body_of(program, M, beside, facts), takes_any)
        lines = writer.lines() if fallback is None else writer.guarded(facts, fallback)
        return _finished(printer, _head(name, None, beside), [*docstring(says)], lines, beside)

    names = signature.names
    settled = as_lists(signature if takes_any else signature.settled(facts, M))
    known = [*facts, *settled.facts(M)]
    body, table = Body(()), None
    if isinstance(program, Table):
        table = program
    else:
        body = body_of(program, M, {*beside, *settled.taken(M)}, known)
        result = settled.result if settled.several is None else None
        if not takes_any and result is not None and _is_long(body):
            table = table_of(program, M, known, result)

    def written(inside: Signature) -> tuple[PythonPrinter, list[str]]:
        printer = PythonPrinter(M, {*beside, *names}, trusts_types)
        pairs = zip(signature.parameters, inside.names, strict=True)
        passed = [p.name if takes_any or is_converted(p) else inner for p, inner in pairs]
        writer = (Reducing if takes_any else PythonCalled)(printer, body, inside, passed, table)
        return printer, writer.lines() if fallback is None else writer.guarded(facts, fallback)

    inside = distinct_names(settled, lambda given: written(given)[1], names)
    printer, lines = written(inside)
    first = [*docstring(says), *renamed(signature, inside)]
    hidden = {*beside, *names}.difference(inside.names)
    return _finished(printer, _head(name, signature, beside), first, lines, hidden)


def _finished(
    printer: PythonPrinter, head: str, first: list[str], lines: list[str], hidden: Collection[str]
) -> list[str]:
    """A function, preceded by its imports and tables; `hidden` are names that shadow builtins."""
    imports, lines = with_python_itself(lines, hidden)
    known = [*printer.table_lines(), *printer.constant_lines()]
    return [*imports, *known, *(["", ""] if known else []), head, *indented([*first, *lines])]


def _head(name: str, signature: Signature | None, beside: Collection[str]) -> str:
    """The ``def`` line; types are quoted if the file redefines their names."""
    kinds, result = [("tape", "list[int]")], "None"
    if signature is not None:
        kinds = [(p.name, kind(p)) for p in signature.parameters]
        result = signature.several.type if signature.several else "int"
        result = "bool" if signature.truth else result
        result = "None" if signature.result is None else result
        result = "list[int]" if signature.same is not None else result
    defaults = {} if signature is None else signature.defaults
    given = ", ".join(
        f"{name}: {type_text(kind, beside)}{defaults.get(name, '')}" for name, kind in kinds
    )
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
            M = self.printer.M
            tape = Parameter("tape", 0, M)
            checks = ArgumentChecks([], M, self.printer.taken, self.printer.trusts_types)
            is_list = [] if self.printer.trusts_types else ["type(tape) is list"]
            all_fit = checks.all_fit(tape, can_raise=False)  # as the program changes the tape
            tests[:0] = [*is_list, checks.length(tape, M), all_fit]
        if not tests:
            return self.lines()
        check = condition(tests)
        return [*check, *indented(self.lines()), "else:", f"{INDENT}{fallback.name}(tape)"]


def _is_long(body: Body) -> bool:
    """Whether a table lookup is shorter and faster than the body."""
    return sum(1 for _ in every(body.statements)) >= _LONG


def docstring(says: Sequence[str]) -> list[str]:
    first, *others = (line.replace("\\", "\\\\").replace('"""', "'''") for line in says)
    if not others:
        return [f'"""{first}"""']
    return [f'"""{first}', "", *others, '"""']
