"""Diagnostics of a source text: place, problem, expectation and help.

A diagnostic is data; `render` turns it into text with the source line and a caret. User input is never
repeated raw: `quoted` and `plain` escape control characters and shorten long text.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

_QUOTED = 60  # characters of user input that a message repeats
_WORD = 240  # characters of one word of a message, such as a file name
_LONGEST = 1_000  # characters of one line
_WIDE = 100  # characters of a source line that are shown
_SHOWN = 20  # diagnostics shown for one text


def quoted(value: object) -> str:
    r"""User input as a message may repeat it: as Python writes it, on one line, shortened.

    >>> print(quoted("a\x1b[31m"), quoted("x" * 5000))
    'a\x1b[31m' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxx'
    """
    try:
        return shortened(repr(value) if isinstance(value, str) else plain(repr(value)))
    except Exception:  # a number with too many digits, or an unusual object
        return f"something of type {type(value).__name__}"


def plain(text: object) -> str:
    """Text on one line, with non-printable characters escaped."""
    found = str(text)
    return found if found.isprintable() else "".join(map(_escaped, found))


def shortened(text: str, limit: int = _QUOTED) -> str:
    """The text without its middle, if it is long."""
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end - 1]}...{text[-end:]}"


def counted(number: int, what: str) -> str:
    """A number of things, with the plural.

    >>> counted(1, "line"), counted(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def _escaped(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def readable(message: str, longest: int = _LONGEST) -> str:
    """A message of several lines without control characters; long lines and words are shortened."""
    words = re.sub(rf"\S{{{_WORD + 1},}}", lambda found: shortened(found[0], _WORD), message)
    lines = [
        "\t".join(map(plain, shortened(line, longest).split("\t"))) for line in words.split("\n")
    ]
    return "\n".join(lines)


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Span:
    """A place in one line of a source text; line and column count from 1."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True)
class Diagnostic:
    severity: Severity
    message: str
    span: Span | None = None
    help: str | None = None


def error(message: str, span: Span | None = None, help: str | None = None) -> Diagnostic:
    return Diagnostic(Severity.ERROR, message, span, help)


def warning(message: str, span: Span | None = None, help: str | None = None) -> Diagnostic:
    return Diagnostic(Severity.WARNING, message, span, help)


class AncError(Exception):
    """An error in what the user gave: a message, and possibly help."""

    def __init__(self, message: str, help: str | None = None) -> None:
        self.message = readable(message)
        self.help = None if help is None else readable(help)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[Any, ...]:  # another process receives the text alone
        return AncError, (self.message, self.help)

    def __str__(self) -> str:
        return f"{self.message}\n  help: {self.help}" if self.help else self.message


class CompilerWarning(UserWarning):
    """A warning of the compiler, when Python code loads a program."""


class SourceError(AncError):
    """All problems that one pass found in a source text."""

    def __init__(self, diagnostics: Sequence[Diagnostic], source: str, name: str) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=_place))
        self.source = source
        self.name = name
        super().__init__(render_all(self.diagnostics, source, name))


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (span.line, span.column) if span else (0, 0)


def render(diagnostic: Diagnostic, source: str, name: str) -> str:
    """The message with the source line and a caret."""
    name = plain(name)
    head = f"{diagnostic.severity.value}: {diagnostic.message}"
    lines = [head]
    span = diagnostic.span
    if span is None:
        lines.append(f" --> {name}")
    else:
        margin = " " * len(str(span.line))
        text = source.split("\n")[span.line - 1] if span.line <= source.count("\n") + 1 else ""
        text, column, width = _window(_pictured(text.rstrip("\r")), span.column, span.width)
        pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
        pad += " " * (column - 1 - len(pad))
        lines += [
            f"{margin}--> {name}:{span.line}:{span.column}",
            f"{margin} |",
            f"{span.line} | {text}",
            f"{margin} | {pad}{'^' * max(1, width)}",
        ]
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)


def _pictured(text: str) -> str:
    """The source line with one visible character for each non-printable one, so that columns stay."""
    return "".join(c if c == "\t" or c.isprintable() else _picture(c) for c in text)


def _picture(character: str) -> str:
    return chr(0x2400 + ord(character)) if character < " " else "\N{REPLACEMENT CHARACTER}"


def _window(text: str, column: int, width: int) -> tuple[str, int, int]:
    """The part of an overlong line around a place."""
    if len(text) <= _WIDE:
        return text, column, min(width, max(1, len(text) - column + 2))
    begin = max(0, column - 1 - _WIDE // 2)
    cut = text[begin : begin + _WIDE]
    return cut, column - begin, min(width, len(cut) - (column - 1 - begin))


def render_all(diagnostics: Sequence[Diagnostic], source: str, name: str) -> str:
    """The first diagnostics, and how many more there are."""
    texts = [render(diagnostic, source, name) for diagnostic in diagnostics[:_SHOWN]]
    if len(diagnostics) > _SHOWN:
        texts.append(f"... and {len(diagnostics) - _SHOWN:,} more; fix these first")
    return "\n\n".join(texts)


def ranges(cells: Sequence[int]) -> str:
    """Ranges of cells in words, such as 0, 3 to 7."""
    starts = [cell for cell in cells if cell - 1 not in cells]
    ends = [cell for cell in cells if cell + 1 not in cells]
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def close_match(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to a mistyped one, if any is close.

    >>> close_match("REED", ["READ", "WRITE"])
    'READ'
    """
    by_folded = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(word.lower(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


DISTRIBUTION = "adaptive-neural-compiler"  # `anc` belongs to another project on the package index


def install(extra: str) -> str:
    """The command that installs an extra.

    It names the packages themselves, so that it works with a clone and with a wheel: pip may not find
    our own distribution.
    """
    import importlib.metadata  # takes long

    try:
        stated = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:  # running from source
        stated = []
    marked = (text.partition(";") for text in stated)
    wanted = [
        package.strip()
        for package, _, marker in marked
        if re.search(rf"""\bextra == ['"]{extra}['"]""", marker)
    ]
    if not wanted:
        return f"in a clone of anc: pip install '.[{extra}]'"
    return f"pip install {shlex.join(wanted)}"
