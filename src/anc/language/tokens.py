"""Cutting one line of text into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from anc.diagnostics import Span

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>(\#|//).*)|(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mark>[():,;=])|(?P<other>.)"
)


@dataclass(frozen=True)
class Token:
    """A piece of a line; `kind` is number, name, mark, comment, other or end."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the line"
        return f"'{self.text}'" if len(self.text) <= 40 else f"'{self.text[:40]}...'"


def tokens(line: str, number: int) -> list[Token]:
    """The tokens of a line, white space left out, an end token last."""
    found: list[Token] = []
    end = len(line.rstrip()) + 1
    for match in _TOKEN.finditer(line):
        kind = str(match.lastgroup)
        span = Span(number, match.start() + 1, match.end() - match.start())
        if kind == "comment":
            end = len(line[: match.start()].rstrip()) + 1
        if kind != "space":
            found.append(Token(kind, match.group(), span))
    return [*found, Token("end", "", Span(number, end))]
