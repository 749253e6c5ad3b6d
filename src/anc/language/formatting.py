"""The formatter: a listing in canonical form, comments and order kept.

One statement per line, labels and ``@frozen`` before their line, single spaces, at most one blank line. Comments
after statements are aligned over adjacent lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anc.isa import InstructionSet
from anc.language.parser import Parser, parse
from anc.language.source import Source
from anc.language.tokens import Token, example_in
from anc.language.tree import Listing, print_example

_GAP = 2  # spaces between a statement and its comment


@dataclass
class _Row:
    """A line to print: a statement, a comment, both, or neither."""

    code: str = ""
    comment: str = ""


def format_listing(source: Source, instructions: InstructionSet | None = None) -> str:
    """The canonical text of a listing; raises a SourceError with all mistakes.

    >>> print(format_listing(Source("var k=1 ;l :\\nk = READ( k )//read\\n JEZ(0,l); STOP()")), end="")
    var k = 1
    l: k = READ(k)  //read
    JEZ(0, l)
    STOP()
    """
    formatter = _Formatter(source, instructions)
    wanted = formatter.parse()
    text = _text(formatter.rows)
    found = parse(Source(text, source.name), instructions)
    assert (found, found.examples) == (wanted, wanted.examples), "formatting changed the program"
    return text


class _Formatter(Parser):
    """Makes rows while it parses; labels and @frozen wait for their line."""

    def parse(self) -> Listing:
        self.rows: list[_Row] = []
        return super().parse()

    def line(self, text: str, number: int) -> None:
        before = len(self.rows)
        super().line(text, number)
        comment = self.tokens[-2] if len(self.tokens) > 1 else None
        is_comment = comment is not None and comment.kind == "comment"
        if len(self.rows) == before and (is_comment or not text.strip()):
            self.rows.append(_Row())
        if comment is not None and is_comment:
            self.rows[-1].comment = _comment(comment)

    def statement(self) -> None:
        begin, before = self.at, len(self.statements)
        super().statement()
        found = [token for token in self.tokens[begin : self.at] if token.text != ";"]
        if found[0].text != "@" and found[-1].text != ":":
            marks = []
            for statement in self.statements[before:]:
                marks = [f"{label.text}:" for label in statement.labels]
                marks += ["@frozen"] if statement.frozen else []
            self.rows.append(_Row(" ".join([*marks, _spaced(found)])))


def _spaced(statement: Sequence[Token]) -> str:
    """The tokens of a statement, properly spaced."""
    text = ""
    for before, token in zip([None, *statement], statement, strict=False):
        word = str(int(token.text)) if token.kind == "number" else " ".join(token.text.split())
        if before is None or before.text == "(" or word in ("(", ")", ","):
            is_list = word == "(" and before is not None and before.text == "in"
            text += f" {word}" if is_list else word
        else:
            text += f" {word}"
    return text


def _comment(token: Token) -> str:
    examples = example_in(token)
    return print_example(examples[0]) if examples else token.text.rstrip()


def _text(rows: Sequence[_Row]) -> str:
    lines = []
    for at, row in enumerate(rows):
        if row.code and row.comment:
            width = max(len(each.code) for each in _neighbours(rows, at)) + _GAP
            lines.append(f"{row.code:<{width}}{row.comment}")
        elif row.code or row.comment or (lines and lines[-1]):
            lines.append(row.code or row.comment)
    return "\n".join(lines).rstrip("\n") + "\n"


def _neighbours(rows: Sequence[_Row], at: int) -> Sequence[_Row]:
    """The rows with a statement and a comment around this one."""
    begin = end = at
    while begin > 0 and rows[begin - 1].code and rows[begin - 1].comment:
        begin -= 1
    while end < len(rows) and rows[end].code and rows[end].comment:
        end += 1
    return rows[begin:end]
