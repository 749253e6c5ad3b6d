"""Whole functions of Python: how they are called, a docstring, types, and perhaps a guard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anc.emit.arguments import apart, fits, kind, renamed
from anc.emit.body import body_of
from anc.emit.expressions import Expression, Given
from anc.emit.facts import needs_tape
from anc.emit.printer import INDENT, WIDTH, indented
from anc.emit.python import PythonPrinter
from anc.emit.python_facts import PythonFacts
from anc.emit.returns import returning
from anc.emit.scalars import without_tape
from anc.emit.signature import Fallback, Parameter, Signature, cell_name
from anc.emit.statements import Body
from anc.program import Program
from anc.verify.facts import Fact

_NOWHERE = -1  # the cell of a length that the program does not know


def python_function(
    program: Program,
    M: int,
    name: str,
    says: Sequence[str],
    facts: Sequence[Fact] = (),
    fallback: Fallback | None = None,
    signature: Signature | None = None,
    takes_any: bool = False,
) -> list[str]:
    """The lines of a function; where a fact does not hold, or an argument does not fit, the fallback's.

    Without a signature it changes a tape in place. One that `takes_any` number takes it modulo M, and
    the missing elements of a list as 0.
    """
    printer = PythonPrinter(M)
    taken = [name, *([] if fallback is None else [fallback.name])]
    if signature is None:
        body = body_of(program, M, taken, facts)
        writer: _OnTape | _Called = _OnTape(printer, body, takes_any)
    else:
        taken += [*signature.names, *signature.inside.taken(M)]
        signature = signature if takes_any else signature.settled(facts, M)
        body = body_of(program, M, taken, [*facts, *signature.facts(M)])
        writer = (_Reducing if takes_any else _Called)(printer, body, signature)
    lines = writer.lines() if fallback is None else writer.guarded(facts, fallback)
    lines[:0] = [] if signature is None else renamed(signature)
    head = f"def {name}({writer.parameters}) -> {writer.result}:"
    return [*printer.table_lines(), head, *indented([*docstring(says), *lines])]


class _OnTape:
    """A function of a tape."""

    parameters, result = "tape: list[int]", "None"

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


class _Called:
    """A function of arguments, on a tape that it makes of them, or on none if it needs none."""

    def __init__(self, printer: PythonPrinter, body: Body, signature: Signature) -> None:
        self.printer, self.body, self.signature = printer, body, signature.inside
        self.names = signature.names
        kinds = [kind(p) for p in signature.parameters]
        pairs = zip(signature.names, kinds, strict=True)
        self.parameters = ", ".join(f"{name}: {kind}" for name, kind in pairs)
        number = "bool" if signature.truth else "int"
        self.result = "None" if signature.result is None else number
        printer.truth = signature.truth

    def lines(self, tape_is_made: bool = False) -> list[str]:
        body, result = self.body, self.signature.result
        value: Expression | None = None if result is None else Given(f"tape[{result}]")
        setup = [] if tape_is_made else self.setup()
        changes = [
            f"{p.name}[:] = tape[{_slice(p)}]" for p in self.signature.parameters if p.written
        ]
        if self.may_do_without_tape and not tape_is_made:
            found = without_tape(body, self.given, self.variable)
            if found is not None:
                (body, written), setup = found, []
                elements = self.signature.elements(written)
                changes = [f"{name} = {self.printer.expression(new)}" for name, new in elements]
                value = None if result is None else written.get(result) or self.given(result)
        if value is not None:
            self.printer.result = self.printer.expression(value)
        self.printer.before_return = changes
        first = [f"{variable} = {value}" for variable, value in body.first_values.items()]
        statements = returning(body.statements, None if self.printer.before_return else value)
        return setup + first + self.printer.lines(statements)

    def guarded(self, facts: Sequence[Fact], fallback: Fallback) -> list[str]:
        M = self.printer.M
        otherwise = [f"return {fallback.name}({', '.join(self.names)})"]
        facts = self.signature.to_check(facts, M)
        domain: list[str] = []
        for p in sorted(self.signature.parameters, key=lambda p: p.size is not None):
            tests, facts = fits(p, facts, M)
            domain += tests
        domain += apart(self.signature)
        early = [fact for fact in facts if self.is_known(fact)]
        late = [fact for fact in facts if fact not in early]
        tests = [*domain, *(PythonFacts(M, self.cell).conditions(early) if early else [])]
        inner = self.lines(tape_is_made=bool(late))
        if late:
            check = condition(PythonFacts(M).conditions(late))
            inner = [*self.setup(), *check, *indented(inner)]
        return [*condition(tests), *indented(inner), *otherwise] if tests or late else inner

    def is_known(self, fact: Fact) -> bool:
        """Whether a fact can be checked before there is a tape."""
        given = (self.signature.given(cell) for cell in fact.cells)
        return not needs_tape(fact) and all(each is not None for each in given)

    def cell(self, address: str) -> str:
        return self.printer.expression(self.given(int(address)))

    def given(self, cell: int) -> Expression:
        found = self.signature.given(cell)
        assert found is not None  # of a plain signature
        return found

    def variable(self, cell: int) -> str:
        return "result" if cell == self.signature.result else cell_name(cell)

    @property
    def may_do_without_tape(self) -> bool:
        return self.signature.is_plain

    def setup(self) -> list[str]:
        """What makes the tape."""
        return [f"tape = [{self.cells()}]"]

    def cells(self) -> str:
        """What the arguments put on the tape, cell by cell."""
        # by the first cell: the text, how many cells
        parts = {cell: (str(number), 1) for cell, number in self.signature.known}
        for p in self.signature.parameters:
            if p.size is None:
                parts[p.cell] = p.name, 1
            elif p.length is None:
                parts[p.cell] = f"*{p.name}", p.size
            else:
                parts[p.cell] = f"*{p.name}, *(0,) * ({p.size} - len({p.name}))", p.size
                if p.length != _NOWHERE:
                    parts[p.length] = f"len({p.name})", 1
        texts, at = [], 0
        for cell, (text, size) in [*sorted(parts.items()), (self.printer.M, ("", 0))]:
            texts += [f"*(0,) * {cell - at}"] if cell > at else []
            texts += [text] if text else []
            at = cell + size
        return ", ".join(texts)


class _Reducing(_Called):
    """The same of any numbers, which it takes modulo M, and of lists that may be too short."""

    may_do_without_tape = False

    def __init__(self, printer: PythonPrinter, body: Body, signature: Signature) -> None:
        super().__init__(printer, body, signature)
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
        M = self.printer.M
        return [*found, f"tape = [number % {M} for number in ({self.cells()},)]"]


def _slice(parameter: Parameter) -> str:
    if parameter.length is None:
        return f"{parameter.cell}:{parameter.cells.stop}"
    length = f"len({parameter.name})"
    return f"{parameter.cell}:{parameter.cell} + {length}" if parameter.cell else f":{length}"


def condition(tests: Sequence[str]) -> list[str]:
    """The beginning of an `if` that all tests must hold for."""
    together = f"if {' and '.join(tests)}:"
    if len(together) <= WIDTH:
        return [together]
    first, *others = tests
    return ["if (", INDENT + first, *(f"{INDENT}and {each}" for each in others), "):"]


def docstring(says: Sequence[str]) -> list[str]:
    first, *others = (line.replace("\\", "\\\\").replace('"""', "'''") for line in says)
    if not others:
        return [f'"""{first}"""']
    return [f'"""{first}', "", *others, '"""']
