"""Cutting one line of text into tokens, and reading them one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from anc.support.diagnostics import Span, error

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>(\#|//).*)|(?P<number>[0-9]+)"
    r"|(?P<file>instructions\s+[^\s;#=:(),?@]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mark>[():,;=?@])|(?P<other>.)"
)


DIGITS = 9  # more digits than that is no number that a machine could hold


class Mistake(Exception):
    """What is wrong with a statement, which is passed over."""

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
    """A row of tokens, and the one to read next."""

    tokens: list[Token]
    at = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text: str) -> bool:
        """Pass over the next token if it is this one."""
        if self.here.text != text:
            return False
        self.at += 1
        return True


def tokens(line: str, number: int = 1, pattern: re.Pattern[str] = _TOKEN) -> list[Token]:
    """The tokens of a line, white space left out, an end token last."""
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
