"""Lowers a listing with holes to a sketch: checks every choice, and numbers every place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from anc.adaptation.holes import sketch as sketches
from anc.adaptation.holes import unknown_lines
from anc.adaptation.holes.sketch import FIELDS, Sketch
from anc.compiler import compile_source
from anc.compiler.assemble import SINK
from anc.compiler.name_resolution import resolve
from anc.isa import Effect, InstructionSet, Op
from anc.language.parser import parse
from anc.language.source import Source
from anc.language.tree import HoleSyntax, Listing, Name, Number, Operand, Statement
from anc.program import Line, Program
from anc.support.diagnostics import AncError, Diagnostic, SourceError, Span, error
from anc.support.limits import MAX_MEMORY

Choice = Number | Name
Choices = dict[Span, tuple[Choice, ...]]  # by the span of the hole


def sketch_of(
    source: Source, memory: int | None = None, instructions: InstructionSet | None = None
) -> Sketch:
    """The sketch of a text; raises a SourceError with all problems."""
    tree = parse(source, instructions)
    M = memory if memory is not None else tree.memory.value if tree.memory else None
    if not any(tree.holes()):
        raise AncError(
            f"{source.name} has no holes to fill", help="leave a place open with ?, or ? in (0, 1)"
        )
    written, tree = tree, unknown_lines.with_placeholders(tree)
    reader = _Reader(tree, M, tree.instructions, tuple(unknown_lines.mentioned(written)))
    choices = reader.choices()
    problems = [*unknown_lines.problems_of(written), *unknown_lines.wrong_choices(written)]
    problems += [] if problems else reader.problems
    if not problems:
        counts = (1 if span in reader.free else len(found) for span, found in choices.items())
        longest = max(counts, default=1)
        for k in range(longest):
            try:
                resolve(with_choice(tree, choices, k), source, memory)
            except SourceError as problem:
                problems += [each for each in problem.diagnostics if each not in problems]
    if problems:
        raise SourceError(problems, source.text, source.name)
    if M is None:
        raise AncError(
            f"{source.name} does not say how much memory it needs",
            help="put 'memory 20' into it, or give --memory 20",
        )
    sketch = _Numbers(tree, choices, source, tree.instructions, written).sketch(M)
    problems = list(_alike(sketch))
    if problems:
        raise sketch.wrong(problems)
    return sketch


@dataclass
class _Reader:
    """Finds the choices of each hole."""

    tree: Listing
    M: int | None
    instructions: InstructionSet
    mentioned: tuple[Number, ...] = ()  # among the choices of unknown lines
    problems: list[Diagnostic] = field(default_factory=list)
    free: set[Span] = field(
        default_factory=set
    )  # holes for any number: checking one choice suffices

    def choices(self) -> Choices:
        found: Choices = {}
        for declaration in self.tree.declarations:
            if isinstance(hole := declaration.value, HoleSyntax):
                found[hole.span] = self.of_value(hole)
        for statement in self.tree.statements:
            for place, hole in enumerate((statement.call.op, *statement.call.operands)):
                if not isinstance(hole, HoleSyntax):
                    continue
                if statement.frozen:
                    self.wrong("a frozen line cannot have a hole", hole.span, "take away @frozen")
                if place == 0:
                    found[hole.span] = self.of_instruction(statement, hole)
                else:
                    found[hole.span] = self.of_operand(statement, hole, place)
        return found

    def of_value(self, hole: HoleSyntax) -> tuple[Choice, ...]:
        """The choices of an initial value: numbers and labels; any number by default."""
        if hole.choices is None and self.M is None:
            help = "put 'memory 20' into the program, or name the choices: ? in (0, 1)"
            self.wrong("any number may stand here, but the memory has no size", hole.span, help)
            return (Number(0),)
        if hole.choices is None:
            self.free.add(hole.span)
            cells = min(self.M or 0, MAX_MEMORY)  # a larger memory is refused later
            return tuple(Number(value) for value in range(cells))
        return self.given(hole, "a number or a label")

    def of_operand(self, statement: Statement, hole: HoleSyntax, place: int) -> tuple[Choice, ...]:
        if hole.choices is not None:
            return self.given(hole, "a variable, a number or a label")
        if statement.call.op == Name(Op.JUMP) and place == 2:
            labels = [Name(s.labels[0].text) for s in self.tree.statements if s.labels]
            if not labels:
                self.wrong(
                    "the program has no label to jump to", hole.span, "write one: l_end: STOP()"
                )
                return (Number(0),)
            return tuple(labels)
        variables = [Name(declaration.name.text) for declaration in self.tree.declarations]
        numbers = {each.value: Number(each.value) for each in self.numbers()}
        if not variables and not numbers:
            self.wrong(
                "there is nothing to choose from", hole.span, "name the choices: ? in (0, 1)"
            )
            return (Number(0),)
        return (*variables, *numbers.values())

    def numbers(self) -> Iterator[Number]:
        """The numbers in the lines, in order."""
        for statement in self.tree.statements:
            for operand in statement.call.operands:
                parts = (operand.choices or ()) if isinstance(operand, HoleSyntax) else (operand,)
                yield from (part for part in parts if isinstance(part, Number))
        yield from self.mentioned

    def of_instruction(self, statement: Statement, hole: HoleSyntax) -> tuple[Choice, ...]:
        """The instructions with this number of operands that compute, or act if the output is unused."""
        taken = len(statement.call.operands)
        if hole.choices is not None:
            return self.given(hole, "an instruction", is_op=True)
        acts = (Effect.WRITE, Effect.JUMP, Effect.STOP)
        found = [
            Name(row.name)
            for row in self.instructions
            if row.operands == taken and (row.effect in acts) is (statement.out is None)
        ]
        if not found:
            self.wrong(f"no instruction takes {taken} operands here", hole.span)
            return (Name(Op.STOP),)
        return tuple(found)

    def given(self, hole: HoleSyntax, wanted: str, is_op: bool = False) -> tuple[Choice, ...]:
        """The written choices, which must be of the right kind and distinct."""
        assert hole.choices is not None
        if not hole.choices:
            self.wrong(
                "this hole has no choices", hole.span, "write what may stand here: ? in (0, 1)"
            )
        variables = {declaration.name.text for declaration in self.tree.declarations}
        labels = {label.text for s in self.tree.statements for label in s.labels}
        seen: set[Choice] = set()
        for choice in hole.choices:
            if choice in seen:
                self.wrong(f"{_shown(choice)} is already a choice", choice.span, "name it once")
            elif is_op and (isinstance(choice, Number) or choice.text in variables | labels):
                kind = "number" if isinstance(choice, Number) else "name"
                message = f"{_shown(choice)} is a {kind}; this hole is {wanted}"
                self.wrong(
                    message, choice.span, f"choose from {', '.join(self.instructions.names)}"
                )
            elif not is_op and isinstance(choice, Name) and choice.text in self.instructions:
                self.wrong(
                    f"{_shown(choice)} is an instruction; this hole is {wanted}", choice.span
                )
            seen.add(choice)
        return hole.choices or (Number(0),)

    def wrong(self, message: str, span: Span, help: str | None = None) -> None:
        self.problems.append(error(message, span, help))


def with_choice(tree: Listing, choices: Choices, k: int) -> Listing:
    """The listing with the k-th choice in every hole, or the last one if it has fewer."""

    def chosen(part: Operand) -> Choice:
        if not isinstance(part, HoleSyntax):
            return part
        found = choices[part.span]
        return found[min(k, len(found) - 1)]

    def filled(statement: Statement) -> Statement:
        op = chosen(statement.call.op)
        assert isinstance(op, Name)
        operands = tuple(map(chosen, statement.call.operands))
        return replace(statement, call=replace(statement.call, op=op, operands=operands))

    declarations = (
        each if each.value is None else replace(each, value=chosen(each.value))
        for each in tree.declarations
    )
    statements = tuple(map(filled, tree.statements))
    return replace(tree, declarations=tuple(declarations), statements=statements)


class _Numbers:
    """Numbers the places and choices.

    Every variable has its own register, and so has every constant that is or may become an operand.
    """

    def __init__(
        self,
        tree: Listing,
        choices: Choices,
        source: Source,
        instructions: InstructionSet,
        written: Listing,
    ) -> None:
        self.tree, self.choices, self.source, self.written = tree, choices, source, written
        self.instructions, self.holes = instructions, list[sketches.Hole]()
        self.labels = {
            label.text: number
            for number, statement in enumerate(tree.statements)
            for label in statement.labels
        }
        self.variables = {d.name.text: place for place, d in enumerate(tree.declarations)}
        self.constants: dict[int, tuple[int, str]] = {}  # register and name, by value
        for statement in tree.statements:
            for operand in statement.call.operands:
                for part in self.possible(operand):
                    value = self.value(part)
                    if value is not None:
                        where = len(self.variables) + len(self.constants)
                        self.constants.setdefault(value, (where, _word(part)))
        for number in unknown_lines.mentioned(written):
            where = len(self.variables) + len(self.constants)
            self.constants.setdefault(number.value, (where, _word(number)))
        self.sink = len(self.variables) + len(self.constants)
        self.begins = [0]  # of the source's lines
        for line in source.text.split("\n"):
            self.begins.append(self.begins[-1] + len(line) + 1)

    def possible(self, part: Operand) -> tuple[Choice, ...]:
        return self.choices[part.span] if isinstance(part, HoleSyntax) else (part,)

    def value(self, part: Choice) -> int | None:
        """The value of a constant; None for a variable."""
        if isinstance(part, Number):
            return part.value
        return None if part.text in self.variables else self.labels[part.text]

    def number(self, field: str, part: Choice) -> int:
        """The number of a choice in a field of a line or of a register."""
        if field == "op":
            return self.instructions.code[_word(part)]
        value = self.value(part)
        if field == "value":
            return value or 0
        return self.variables[_word(part)] if value is None else self.constants[value][0]

    def put(self, field: str, at: int, part: Operand) -> int:
        """The number of the first choice; a hole is recorded."""
        possible = self.possible(part)
        numbers = tuple(self.number(field, each) for each in possible)
        if isinstance(part, HoleSyntax):
            span, words = part.span, tuple(map(_word, possible))
            begin = self.offset(span)
            end = begin + span.width
            self.holes.append(sketches.Hole(field, at, numbers, words, span, begin, end))
        return numbers[0]

    def sketch(self, M: int) -> Sketch:
        """The sketch, with every hole at its first choice."""
        tree = self.tree
        values = [
            None if declaration.value is None else self.put("value", at, declaration.value)
            for at, declaration in enumerate(tree.declarations)
        ]
        lines = tuple(self.line(at, statement) for at, statement in enumerate(tree.statements))
        start = 0 if tree.start is None else self.number("value", self.possible(tree.start)[0])
        program = Program(
            lines,
            (*values, *self.constants, None),
            start,
            (*self.variables, *(name for _, name in self.constants.values()), SINK),
            M,
            tree.frozen,
            self.instructions,
        )
        unknown: unknown_lines.UnknownLines | None = None
        if any(map(unknown_lines.is_unknown, self.written.statements)):
            unknown = unknown_lines.read_lines(self.written, program, self.variables)
            self.holes = [*self.line_holes(program, unknown), *self.holes]
        holes = tuple(self.holes)

        def compile(text: Source) -> Program:
            return compile_source(text, M).program

        return Sketch(self.source, program, holes, M, compile, unknown)

    def line_holes(
        self, program: Program, lines: unknown_lines.UnknownLines
    ) -> Iterator[sketches.Hole]:
        """The holes of unknown lines; each has the choice to be left out, with its variable."""
        declared = {each.name.text: each.name.span for each in self.tree.declarations}
        for number, at in enumerate(range(lines.first, lines.first + lines.count)):
            statement = self.written.statements[at]
            assert statement.out is not None
            span, name = unknown_lines.span_of(statement), declared[statement.out.text]
            words = (*unknown_lines.line_words(program, lines, number), sketches.LEFT_OUT)
            begin, end = self.offset(span), self.offset(name) + name.width
            choices = tuple(range(len(words)))
            variable = self.source.text.rindex("var", 0, self.offset(name)), end
            yield sketches.Hole(
                "line", at, choices, words, span, begin, begin + span.width, variable
            )

    def offset(self, span: Span) -> int:
        return self.begins[span.line - 1] + span.column - 1

    def line(self, at: int, statement: Statement) -> Line:
        call = statement.call
        parts = zip(FIELDS, (call.op, *call.operands), strict=False)  # a line has no value
        op, *operands = (self.put(field, at, part) for field, part in parts)
        out = self.sink if statement.out is None else self.variables[statement.out.text]
        first, second = (*operands, None, None)[:2]
        return Line(self.instructions.names[op], first, second, out, call.span.line)


def _word(part: Choice) -> str:
    return str(part.value) if isinstance(part, Number) else part.text


def _shown(choice: Choice) -> str:
    return str(choice.value) if isinstance(choice, Number) else f"'{choice.text}'"


def _alike(sketch: Sketch) -> Iterator[Diagnostic]:
    """Errors about choices with different spellings and the same meaning."""
    for hole in sketch.holes:
        first: dict[int, str] = {}
        for number, word in zip(hole.choices, hole.words, strict=True):
            if number in first:
                message = f"the choices '{word}' and '{first[number]}' mean the same"
                yield error(message, hole.span, "name one of them")
            first.setdefault(number, word)
