"""Examples in comments: ``# run: 6 9 1 -> 1 9 1``, the tape before and the tape after."""

from __future__ import annotations

import re

from anc.language.source import Source
from anc.language.tokens import DIGITS, Mistake, Token, tokens
from anc.language.tree import Example
from anc.support.diagnostics import Diagnostic, SourceError, Span

_EXAMPLE = re.compile(r"(?:#|//)\s*run:(?P<body>.*)")


def parse_examples(source: Source, first: int, last: int) -> tuple[Example, ...]:
    """The ``# run:`` lines between two lines of a text that is no listing."""
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
    """The example that a comment is, if it is one."""
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
