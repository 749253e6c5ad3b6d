"""Text to syntax tree, by recursive descent over one line at a time.

A wrong statement is reported and skipped, so that one run shows every mistake. This, and the start-up time,
is why this small grammar has a hand-written parser:

    line      := { NAME ":" } [ statement ] { ";" statement } [ comment ]
    statement := "instructions" FILE | "memory" NUMBER | "start" operand
               | "var" NAME [ "=" ( operand | call ) ] | NAME "=" call | call
    call      := ( NAME | hole ) "(" [ operand { "," operand } ] ")"
    operand   := NUMBER | NAME | hole
    hole      := "?" [ "in" "(" [ choice { "," choice } ] ")" ]
    choice    := NUMBER | NAME

``@frozen`` may stand in front of a program line, before or after its labels.
"""

from __future__ import annotations

import os

from anc import isa
from anc.isa import InstructionSet
from anc.language.source import Source
from anc.language.tokens import DIGITS, Mistake, Reader, Token, example_in, tokens
from anc.language.tree import (
    Call,
    Declaration,
    Example,
    HoleSyntax,
    Listing,
    Name,
    Number,
    Operand,
    Statement,
)
from anc.support.diagnostics import AncError, Diagnostic, SourceError, Span, close_match, error


def parse(source: Source, instructions: InstructionSet | None = None) -> Listing:
    """The syntax tree of a source text; raises a SourceError with all mistakes.

    Its instructions are the given ones, those of the file that it names, or the paper's.
    """
    return Parser(source, instructions).parse()


class Parser(Reader):
    def __init__(self, source: Source, instructions: InstructionSet | None) -> None:
        self.source, self.given = source, instructions
        self.instructions = isa.PAPER if instructions is None else instructions
        self.file: str | None = None  # named by the text
        self.mistakes: list[Diagnostic] = []
        self.memory: Number | None = None
        self.start: Operand | None = None
        self.declarations: list[Declaration] = []
        self.statements: list[Statement] = []
        self.examples: list[Example] = []
        self.labels: list[Name] = []
        self.frozen: Span | None = None  # the @frozen of the next program line

    def parse(self) -> Listing:
        for number, line in enumerate(self.source.text.split("\n"), start=1):
            self.line(line.rstrip("\r"), number)
        self.finish()
        if self.mistakes:
            raise SourceError(self.mistakes, self.source.text, self.source.name)
        return Listing(
            self.memory,
            self.start,
            tuple(self.declarations),
            tuple(self.statements),
            tuple(self.examples),
            self.instructions,
            self.file,
        )

    # -- lines ---------------------------------------------------------------

    def line(self, text: str, number: int) -> None:
        self.tokens, self.at = tokens(text, number), 0
        while self.here.kind != "end":
            try:
                if self.here.kind == "comment":
                    self.examples += example_in(self.take())
                elif not self.accept(";"):
                    self.statement()
            except Mistake as mistake:
                self.mistakes.append(mistake.diagnostic)
                # they belong to the skipped statement
                self.labels, self.frozen = [], None
                self.skip_statement()

    def finish(self) -> None:
        for label in self.labels:
            self.mistakes.append(
                error(
                    f"label '{label.text}' marks no line: no statement follows it",
                    label.span,
                    help="put a statement after it, such as STOP()",
                )
            )
        if self.frozen is not None:
            self.mistakes.append(error("@frozen marks no line: none follows it", self.frozen))
        if not self.statements and not self.mistakes:
            self.mistakes.append(
                error("the program is empty: it has no statement", help="the shortest is: STOP()")
            )

    def skip_statement(self) -> None:
        while self.here.kind not in ("end", "comment") and self.here.text != ";":
            self.at += 1

    # -- statements ----------------------------------------------------------

    def statement(self) -> None:
        if self.here.text == "?":
            self.instruction_line(None, self.call(self.hole()))
            return
        if self.here.text == "@":
            self.mark()
            return
        if self.here.kind == "file":
            self.file_of_instructions()
            return
        word = self.name("a statement")
        after = self.here
        if self.accept(":"):
            self.labels.append(word)
        elif word.text == "var":
            self.declaration()
        elif word.text in ("memory", "start") and (
            after.kind in ("number", "name") or after.text == "?"
        ):
            self.header(word)
        elif self.accept("="):
            self.instruction_line(word, self.assigned_call(word))
        elif after.text == "(":
            self.instruction_line(None, self.call(word))
        else:
            raise self.unexpected(after, "':', '=' or '('", self.word_help(word, after))

    def file_of_instructions(self) -> None:
        """``instructions mul.py``: before all lines, for it says what instructions there are."""
        token = self.take()
        if self.file is not None or self.statements or self.declarations:
            raise Mistake("a file of instructions is named once, on the first line", token.span)
        self.file = token.text.split()[1]
        try:
            named = isa.load(self.file, os.path.dirname(self.source.name))
        except AncError as problem:
            raise Mistake(problem.message, token.span, problem.help) from None
        if self.given is not None and self.given != named:
            help = "leave the line or the option out"
            raise Mistake("this program has other instructions than those given", token.span, help)
        self.instructions = named
        self.end_of_statement()

    def mark(self) -> None:
        """``@frozen``, in front of a line that stays as it is."""
        at = self.take().span
        word = self.name("frozen")
        if word.text != "frozen":
            raise Mistake(
                f"there is no mark '@{word.text}'", word.span, "the mark of a line is @frozen"
            )
        self.frozen = Span(at.line, at.column, word.span.column + word.span.width - at.column)

    def header(self, word: Name) -> None:
        if getattr(self, word.text) is not None:
            raise Mistake(f"a second '{word.text}': a program has one", word.span)
        value = self.operand()
        if isinstance(value, HoleSyntax):
            raise Mistake(f"'{word.text}' cannot be left open", value.span)
        if word.text == "start":
            self.start = value
        elif isinstance(value, Name):
            raise Mistake(f"expected a number of cells, found '{value.text}'", value.span)
        elif value.value == 0:
            raise Mistake("a memory of 0 cells cannot hold anything", value.span)
        else:
            self.memory = value
        self.end_of_statement()

    def declaration(self) -> None:
        name = self.name("the name of a variable")
        if name.text in self.instructions:
            raise Mistake(f"'{name.text}' is an instruction, not a name", name.span)
        if not self.accept("="):
            self.declarations.append(Declaration(name, None))
        elif self.here.text == "?":
            hole = self.hole()
            if self.here.text == "(":
                self.declarations.append(Declaration(name, None))
                self.instruction_line(name, self.call(hole))
                return
            self.declarations.append(Declaration(name, hole))
        elif self.here.kind == "name" and self.tokens[self.at + 1].text == "(":
            call = self.call(self.name("an instruction"))
            self.declarations.append(Declaration(name, None))
            self.instruction_line(name, call)
            return
        else:
            self.declarations.append(Declaration(name, self.operand()))
        if self.frozen is not None:
            help = "a number stays as it is when a frozen line reads it"
            raise Mistake("@frozen marks program lines, not variables", self.frozen, help)
        self.end_of_statement()

    def instruction_line(self, out: Name | None, call: Call) -> None:
        self.end_of_statement()
        self.statements.append(Statement(tuple(self.labels), out, call, self.frozen is not None))
        self.labels, self.frozen = [], None

    def assigned_call(self, out: Name) -> Call:
        if self.here.kind == "number":
            value = self.take()
            raise Mistake(
                f"expected an instruction, found '{value.text}'",
                value.span,
                help=f"give a first value with: var {out.text} = {value.text}; later on, only"
                " instructions change a variable",
            )
        if self.here.text == "?":
            hole = self.hole()
            if self.here.text != "(" and self.may_be_a_line(hole):
                return Call(hole, (), hole.span, is_unknown=True)
            if self.here.text != "(":
                help = f"to choose what is copied, write: {out.text} = ADD(? in (a, b), 0)"
                raise self.unexpected(self.here, "'('", help)
            return self.call(hole)
        op = self.name("an instruction")
        if self.here.text != "(":
            known = close_match(op.text, self.instructions.names)
            hint = f"to copy a variable, write: {out.text} = ADD({op.text}, 0)"
            if known:
                hint = f"did you mean {known}(...)?"
            raise self.unexpected(self.here, "'('", hint)
        return self.call(op)

    def may_be_a_line(self, hole: HoleSyntax) -> bool:
        """Whether a hole without operands is an unknown line: it is free, or names instructions."""
        ends = self.here.kind in ("end", "comment") or self.here.text == ";"
        names = (each.text for each in hole.choices or () if isinstance(each, Name))
        return ends and (hole.choices is None or any(name in self.instructions for name in names))

    def call(self, op: Name | HoleSyntax) -> Call:
        self.expect("(", None)
        operands: list[Operand] = []
        if not self.accept(")"):
            operands.append(self.operand())
            while self.accept(","):
                operands.append(self.operand())
            self.expect(")", "close the list of operands with ')'")
        last = self.tokens[self.at - 1].span
        width = last.column + last.width - op.span.column
        return Call(op, tuple(operands), Span(op.span.line, op.span.column, width))

    def hole(self) -> HoleSyntax:
        """``?``, or ``? in (...)``."""
        begin = self.take().span
        choices: list[Number | Name] | None = None
        if self.accept("in"):
            self.expect("(", "write what may stand here: ? in (0, 1)")
            choices = []
            if not self.accept(")"):
                choices.append(self.choice())
                while self.accept(","):
                    choices.append(self.choice())
                self.expect(")", "close the list of choices with ')'")
        last = self.tokens[self.at - 1].span
        span = Span(begin.line, begin.column, last.column + last.width - begin.column)
        return HoleSyntax(None if choices is None else tuple(choices), span)

    def choice(self) -> Number | Name:
        found = self.operand()
        if isinstance(found, HoleSyntax):
            raise Mistake("a hole cannot be a choice of another hole", found.span)
        return found

    def operand(self) -> Operand:
        token = self.here
        if token.text == "?":
            return self.hole()
        if token.kind == "number":
            self.at += 1
            if len(token.text.lstrip("0")) > DIGITS:
                raise Mistake(f"{token.text[:20]}... is too large a number", token.span)
            return Number(int(token.text), token.span)
        if token.text == "-":
            raise Mistake(
                "expected a number or a name, found '-'",
                token.span,
                help="numbers go from 0 to M-1; arithmetic is modulo M, so M-1 acts as -1",
            )
        return self.name("a number or a name")

    # -- tokens --------------------------------------------------------------

    def expect(self, mark: str, help: str | None) -> None:
        if not self.accept(mark):
            wanted = f"'{mark}'" if mark != ")" else "',' or ')'"
            raise self.unexpected(self.here, wanted, help)

    def name(self, wanted: str) -> Name:
        token = self.here
        if token.kind != "name":
            raise self.unexpected(token, wanted, None)
        self.at += 1
        return Name(token.text, token.span)

    def end_of_statement(self) -> None:
        if self.here.kind not in ("end", "comment") and not self.accept(";"):
            raise self.unexpected(self.here, "the end of the line", "put ';' between statements")

    def unexpected(self, token: Token, wanted: str, help: str | None) -> Mistake:
        found = Token("end", "", token.span) if token.kind == "comment" else token
        return Mistake(f"expected {wanted}, found {found}", token.span, help)

    def word_help(self, word: Name, after: Token) -> str | None:
        if word.text in self.instructions:
            return f"instructions are called with parentheses: {word.text}(...)"
        known = close_match(word.text, [*self.instructions.names, "var", "memory", "start"])
        if known:
            return f"did you mean {known}?"
        if after.kind in ("name", "number"):
            return "a statement is: var NAME, NAME = INSTRUCTION(...), INSTRUCTION(...) or LABEL:"
        return None
