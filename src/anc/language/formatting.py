"""A listing in canonical form, with its comments kept.

One statement a line, labels and ``@frozen`` before their line, one space where one belongs, at most one blank
line; comments stay where they are, behind a statement two spaces after it, below each other if lines
that follow each other have some. Nothing changes its order, so that nobody has to look for anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anc.isa import InstructionSet
from anc.language.examples import example_in
from anc.language.parser import parse
from anc.language.printer import print_example
from anc.language.source import Source
from anc.language.tokens import Token, tokens

_GAP = 2  # spaces before a comment behind a statement


@dataclass
class _Row:
    """A line to print: a statement, a comment, both, or neither."""

    code: str = ""
    comment: str = ""


def format_listing(source: Source, instructions: InstructionSet | None = None) -> str:
    """The canonical text of a listing; wrong ones are refused with all their mistakes.

    >>> print(format_listing(Source("var k=1 ;l :\\nk = READ( k )//read\\n JEZ(0,l); STOP()")), end="")
    var k = 1
    l: k = READ(k)  //read
    JEZ(0, l)
    STOP()
    """
    wanted = parse(source, instructions)
    rows: list[_Row] = []
    marks: list[list[Token]] = []  # labels and @frozen that wait for their line
    for number, line in enumerate(source.text.split("\n"), start=1):
        rows += _rows(tokens(line.rstrip("\r"), number)[:-1], marks, line.strip() == "")
    text = _text(rows)
    found = parse(Source(text, source.name), instructions)
    assert (found, found.examples) == (wanted, wanted.examples), "formatting changed the program"
    return text


def _rows(line: Sequence[Token], marks: list[list[Token]], is_blank: bool) -> Iterator[_Row]:
    """The rows of one line; marks that no statement follows here wait for the next line."""
    if is_blank:
        yield _Row()
        return
    comment = _comment(line[-1]) if line[-1].kind == "comment" else ""
    rows = []
    for statement in _statements(line[:-1] if comment else line):
        at = 0
        while mark := _mark(statement[at:]):
            marks.append(mark)
            at += len(mark)
        rest = statement[at:]
        if rest and _is_program_line(rest):
            rows.append(_Row(_marked(marks, rest)))
            marks.clear()
        elif rest:
            rows.append(_Row(_spaced(rest)))
    if comment and not rows:
        rows.append(_Row())
    if comment:
        rows[-1].comment = comment
    yield from rows


def _statements(line: Sequence[Token]) -> Iterator[Sequence[Token]]:
    begin = 0
    for at, token in enumerate(line):
        if token.text == ";":
            yield line[begin:at]
            begin = at + 1
    yield line[begin:]


def _mark(statement: Sequence[Token]) -> list[Token]:
    """A label or ``@frozen`` at the beginning of a statement."""
    texts = [token.text for token in statement[:2]]
    is_label = len(texts) == 2 and statement[0].kind == "name" and texts[1] == ":"
    return list(statement[:2]) if is_label or texts[:1] == ["@"] else []


def _is_program_line(statement: Sequence[Token]) -> bool:
    """Whether a statement is an instruction: marks wait for one."""
    words = [token.text for token in statement]
    if statement[0].kind == "file":
        return False
    if words[0] in ("memory", "start") and words[1] not in ("=", "("):
        return False
    if words[0] != "var":
        return True
    if len(words) > 5 and words[3:5] == ["?", "in"]:
        return len(words) > words.index(")") + 1
    return "(" in words


def _marked(marks: Sequence[Sequence[Token]], statement: Sequence[Token]) -> str:
    labels = [mark[0].text + ":" for mark in marks if mark[1].text == ":"]
    frozen = ["@frozen"] if len(labels) < len(marks) else []
    return " ".join([*labels, *frozen, _spaced(statement)])


def _spaced(statement: Sequence[Token]) -> str:
    """The tokens of a statement with the spaces that belong between them."""
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
