"""Text to syntax tree, by recursive descent over one line at a time.

A statement that is wrong is reported and passed over, so that one run shows every mistake; that, and
the start-up time, is why this small grammar has a parser of its own:

    line      := { NAME ":" } [ statement ] { ";" statement } [ comment ]
    statement := "memory" NUMBER | "start" operand
               | "var" NAME [ "=" ( operand | call ) ] | NAME "=" call | call
    call      := NAME "(" [ operand { "," operand } ] ")"
    operand   := NUMBER | NAME
"""

from __future__ import annotations

import re

from anc import isa
from anc.diagnostics import Diagnostic, SourceError, Span, close_match, error
from anc.language.source import Source
from anc.language.tokens import Reader, Token, tokens
from anc.language.tree import (
    Call,
    Declaration,
    Example,
    Listing,
    Name,
    Number,
    Operand,
    Statement,
)

_EXAMPLE = re.compile(r"(?:#|//)\s*run:(?P<body>.*)")
_DIGITS = 9  # more digits than that is no number that a machine could hold


class _Mistake(Exception):
    def __init__(self, message: str, span: Span, help: str | None = None) -> None:
        self.diagnostic = error(message, span, help)


def parse(source: Source) -> Listing:
    """The syntax tree of a source text; raises a SourceError with all the mistakes."""
    parser = _Parser()
    for number, line in enumerate(source.text.split("\n"), start=1):
        parser.line(line.rstrip("\r"), number)
    parser.finish()
    if parser.mistakes:
        raise SourceError(parser.mistakes, source.text, source.name)
    return Listing(
        parser.memory,
        parser.start,
        tuple(parser.declarations),
        tuple(parser.statements),
        tuple(parser.examples),
    )


def parse_examples(source: Source, first: int, last: int) -> tuple[Example, ...]:
    """The ``# run:`` lines between two lines of a text that is no listing."""
    parser = _Parser()
    for number, line in enumerate(source.text.split("\n")[first - 1 : last], start=first):
        found = _EXAMPLE.fullmatch(line.strip())
        if found:
            parser.line(line.rstrip("\r"), number)
    if parser.mistakes:
        raise SourceError(parser.mistakes, source.text, source.name)
    return tuple(parser.examples)


class _Parser(Reader):
    def __init__(self) -> None:
        self.mistakes: list[Diagnostic] = []
        self.memory: Number | None = None
        self.start: Operand | None = None
        self.declarations: list[Declaration] = []
        self.statements: list[Statement] = []
        self.examples: list[Example] = []
        self.labels: list[Name] = []

    # -- lines ---------------------------------------------------------------

    def line(self, text: str, number: int) -> None:
        self.tokens, self.at = tokens(text, number), 0
        while self.here.kind != "end":
            try:
                if self.here.kind == "comment":
                    self.comment(self.take())
                elif not self.accept(";"):
                    self.statement()
            except _Mistake as mistake:
                self.mistakes.append(mistake.diagnostic)
                self.labels = []  # they belong to the statement that is passed over
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
        if not self.statements and not self.mistakes:
            self.mistakes.append(
                error("the program is empty: it has no statement", help="the shortest is: STOP()")
            )

    def skip_statement(self) -> None:
        while self.here.kind not in ("end", "comment") and self.here.text != ";":
            self.at += 1

    # -- statements ----------------------------------------------------------

    def statement(self) -> None:
        word = self.name("a statement")
        after = self.here
        if self.accept(":"):
            self.labels.append(word)
        elif word.text == "var":
            self.declaration()
        elif word.text in ("memory", "start") and after.kind in ("number", "name"):
            self.header(word)
        elif self.accept("="):
            self.instruction_line(word, self.assigned_call(word))
        elif after.text == "(":
            self.instruction_line(None, self.call(word))
        else:
            raise self.unexpected(after, "':', '=' or '('", self.word_help(word, after))

    def header(self, word: Name) -> None:
        if getattr(self, word.text) is not None:
            raise _Mistake(f"a second '{word.text}': a program has one", word.span)
        value = self.operand()
        if word.text == "start":
            self.start = value
        elif isinstance(value, Name):
            raise _Mistake(f"expected a number of cells, found '{value.text}'", value.span)
        elif value.value == 0:
            raise _Mistake("a memory of 0 cells cannot hold anything", value.span)
        else:
            self.memory = value
        self.end_of_statement()

    def declaration(self) -> None:
        name = self.name("the name of a variable")
        if name.text in isa.INDEX:
            raise _Mistake(f"'{name.text}' is an instruction, not a name", name.span)
        if not self.accept("="):
            self.declarations.append(Declaration(name, None))
        elif self.here.kind == "name" and self.tokens[self.at + 1].text == "(":
            call = self.call(self.name("an instruction"))
            self.declarations.append(Declaration(name, None))
            self.instruction_line(name, call)
            return
        else:
            self.declarations.append(Declaration(name, self.operand()))
        self.end_of_statement()

    def instruction_line(self, out: Name | None, call: Call) -> None:
        self.end_of_statement()
        self.statements.append(Statement(tuple(self.labels), out, call))
        self.labels = []

    def assigned_call(self, out: Name) -> Call:
        if self.here.kind == "number":
            value = self.take()
            raise _Mistake(
                f"expected an instruction, found '{value.text}'",
                value.span,
                help=f"give a first value with: var {out.text} = {value.text}; later on, only"
                " instructions change a variable",
            )
        op = self.name("an instruction")
        if self.here.text != "(":
            known = close_match(op.text, isa.NAMES)
            hint = f"to copy a variable, write: {out.text} = ADD({op.text}, 0)"
            if known:
                hint = f"did you mean {known}(...)?"
            raise self.unexpected(self.here, "'('", hint)
        return self.call(op)

    def call(self, op: Name) -> Call:
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

    def operand(self) -> Operand:
        token = self.here
        if token.kind == "number":
            self.at += 1
            if len(token.text.lstrip("0")) > _DIGITS:
                raise _Mistake(f"{token.text[:20]}... is too large a number", token.span)
            return Number(int(token.text), token.span)
        if token.text == "-":
            raise _Mistake(
                "expected a number or a name, found '-'",
                token.span,
                help="numbers go from 0 to M-1; arithmetic is modulo M, so M-1 acts as -1",
            )
        return self.name("a number or a name")

    # -- comments ------------------------------------------------------------

    def comment(self, token: Token) -> None:
        match = _EXAMPLE.match(token.text)
        if match is None:
            return
        body = match["body"]
        column = token.span.column + match.start("body")
        sides = body.split("->")
        if len(sides) != 2:
            span = Span(token.span.line, token.span.column, token.span.width)
            raise _Mistake(
                "expected one '->' in this example",
                span,
                help="write: # run: 6 9 1 -> 1 9 1 (the tape before, the tape after)",
            )
        before = self.tape(sides[0], token.span.line, column)
        after = self.tape(sides[1], token.span.line, column + len(sides[0]) + 2)
        self.examples.append(Example(before, after, token.span))

    def tape(self, text: str, line: int, column: int) -> tuple[int, ...]:
        cells = []
        for match in re.finditer(r"[^\s,]+", text):
            if not re.fullmatch(rf"[0-9]{{1,{_DIGITS}}}", match.group()):
                span = Span(line, column + match.start(), len(match.group()))
                raise _Mistake(f"expected a number, found '{match.group()}'", span)
            cells.append(int(match.group()))
        if not cells:
            width = max(1, len(text))
            raise _Mistake("this side of the example has no cells", Span(line, column, width))
        return tuple(cells)

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

    def unexpected(self, token: Token, wanted: str, help: str | None) -> _Mistake:
        found = Token("end", "", token.span) if token.kind == "comment" else token
        return _Mistake(f"expected {wanted}, found {found}", token.span, help)

    def word_help(self, word: Name, after: Token) -> str | None:
        if word.text in isa.INDEX:
            return f"instructions are called with parentheses: {word.text}(...)"
        known = close_match(word.text, [*isa.NAMES, "var", "memory", "start"])
        if known:
            return f"did you mean {known}?"
        if after.kind in ("name", "number"):
            return "a statement is: var NAME, NAME = INSTRUCTION(...), INSTRUCTION(...) or LABEL:"
        return None
