"""The tokens of a line of text, and the examples in its comments: ``# run: 6 9 1 -> 1 9 1``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from anc.language.source import Source
from anc.language.tree import Example
from anc.support.diagnostics import Diagnostic, SourceError, Span, error

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>(\#|//).*)|(?P<number>[0-9]+)"
    r"|(?P<file>instructions\s+[^\s;#=:(),?@]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mark>[():,;=?@])|(?P<other>.)"
)


_EXAMPLE = re.compile(r"(?:#|//)\s*run:(?P<body>.*)")
DIGITS = 9  # no machine holds a number with more digits


class Mistake(Exception):
    """A syntax error; the parser skips the statement."""

    def __init__(self, message: str, span: Span, help: str | None = None) -> None:
        self.diagnostic = error(message, span, help)


@dataclass(frozen=True)
class Token:
    """A piece of a line; `kind` is number, name, file, mark, comment, other or end."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the line"
        return f"'{self.text}'" if len(self.text) <= 40 else f"'{self.text[:40]}...'"


class Reader:
    """A cursor over tokens."""

    tokens: list[Token]
    at = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text: str) -> bool:
        """Consume the next token if it is this one."""
        if self.here.text != text:
            return False
        self.at += 1
        return True


def tokens(line: str, number: int = 1, pattern: re.Pattern[str] = _TOKEN) -> list[Token]:
    """The tokens of a line without white space, then an end token."""
    found: list[Token] = []
    end = len(line.rstrip()) + 1
    for match in pattern.finditer(line):
        kind = str(match.lastgroup)
        span = Span(number, match.start() + 1, match.end() - match.start())
        if kind == "comment":
            end = len(line[: match.start()].rstrip()) + 1
        if kind != "space":
            found.append(Token(kind, match.group(), span))
    return [*found, Token("end", "", Span(number, end))]


def parse_examples(source: Source, first: int, last: int) -> tuple[Example, ...]:
    """The ``# run:`` examples between two lines of a text that is not a listing."""
    found: list[Example] = []
    mistakes: list[Diagnostic] = []
    for number, line in enumerate(source.text.split("\n")[first - 1 : last], start=first):
        if _EXAMPLE.fullmatch(line.strip()):
            try:
                found += example_in(tokens(line.rstrip("\r"), number)[0])
            except Mistake as mistake:
                mistakes.append(mistake.diagnostic)
    if mistakes:
        raise SourceError(mistakes, source.text, source.name)
    return tuple(found)


def example_in(comment: Token) -> list[Example]:
    """The example in a comment, if it is one."""
    match = _EXAMPLE.match(comment.text)
    if match is None:
        return []
    sides = match["body"].split("->")
    if len(sides) != 2:
        raise Mistake(
            "expected one '->' in this example",
            comment.span,
            help="write: # run: 6 9 1 -> 1 9 1 (the tape before, the tape after)",
        )
    line, column = comment.span.line, comment.span.column + match.start("body")
    before = _tape(sides[0], line, column)
    after = _tape(sides[1], line, column + len(sides[0]) + 2)
    return [Example(before, after, comment.span)]


def _tape(text: str, line: int, column: int) -> tuple[int, ...]:
    cells = []
    for match in re.finditer(r"[^\s,]+", text):
        if not re.fullmatch(rf"[0-9]{{1,{DIGITS}}}", match.group()):
            span = Span(line, column + match.start(), len(match.group()))
            raise Mistake(f"expected a number, found '{match.group()}'", span)
        cells.append(int(match.group()))
    if not cells:
        width = max(1, len(text))
        raise Mistake("this side of the example has no cells", Span(line, column, width))
    return tuple(cells)
