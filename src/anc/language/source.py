"""Source texts: reading and decoding, and the texts of result folders."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anc.isa import NAMED, InstructionSet
from anc.support.diagnostics import AncError
from anc.support.files import read_limited

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Source:
    text: str
    name: str = "<program>"

    @property
    def summary(self) -> str:
        """The first paragraph of the leading comment.

        >>> Source("# double: two times cell 0\\n#\\n# tape: ...\\nvar x").summary
        'double: two times cell 0'
        """
        lines: list[str] = []
        for line in self.text.strip().splitlines():
            found = re.match(r"(?:#|//)(?!\s*run:)\s*(.+)", line.strip())
            if found is None:
                break
            lines.append(found[1])
        return " ".join(lines)


_NAMES_A_SET = re.compile(r"^[ \t]*instructions[ \t]+([^\s;]+)[ \t]*(?:;|\n|\Z)", re.MULTILINE)


def set_of(text: str) -> InstructionSet | None:
    """The instruction set of a listing; None if it names a file.

    >>> set_of("# x\\ninstructions wide\\nmemory 10"), set_of("memory 10")
    (WIDE, PAPER)
    """
    found = _NAMES_A_SET.search(text)
    return NAMED.get("paper" if found is None else found[1])


def without_set(text: str) -> str:
    """A listing without the line that names the file of its instructions.

    >>> without_set("# x\\ninstructions mul.py\\nmemory 10")
    '# x\\nmemory 10'
    """
    return _NAMES_A_SET.sub("", text, count=1)


def self_contained(texts: Mapping[str, str], instructions: InstructionSet) -> dict[str, str]:
    """The texts of a result folder, with the Python file that defines their instructions.

    Listings name that file, so the folder is read without the option `--instructions`.
    """
    if instructions.text is None:
        return dict(texts)
    from anc.support.folders.kinds import SET_FILE

    named = {
        file: f"instructions {SET_FILE}\n{without_set(text)}"
        for file, text in texts.items()
        if file.endswith(".anc")
    }
    return {**texts, **named, SET_FILE: instructions.text}


def read_source(path: Path) -> Source:
    """The text of a program file; raises an AncError if it cannot be read."""
    return decode(read_limited(path, "a program file", MAX_BYTES), str(path))


def read_typed() -> Source:
    """The program on standard input."""
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise AncError(
            f"<stdin> has more than {MAX_BYTES:,} bytes; a program has at most that many"
        )
    return decode(data, "<stdin>")


def decode(data: bytes, name: str) -> Source:
    """Decode UTF-8; the message names the line and byte of a mistake."""
    try:
        return Source(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise AncError(
            f"{name} is not UTF-8 text: line {line} has the byte 0x{data[problem.start]:02x}",
            help="save the file as UTF-8",
        ) from None
