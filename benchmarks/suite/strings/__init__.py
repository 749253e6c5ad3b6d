"""Programs on texts: ASCII characters that a 0 ends."""

from __future__ import annotations

import re
from random import Random
from string import ascii_lowercase

from anc.data.tasks.cases import block

from ..entry import Entry, Tape, laid_out, listed, only

WORDS = ("get", "put", "del", "list")


def _letters(random: Random, shortest: int, longest: int) -> str:
    return "".join(random.choices(ascii_lowercase, k=random.randint(shortest, longest)))


def _text(tape: Tape, start: int) -> str:
    return bytes(listed(tape, start)).decode("ascii")


def _log_names(random: Random) -> Tape:
    first, second = (
        f"log_{initial}{_letters(random, 0, 5)}" for initial in random.sample(ascii_lowercase, 2)
    )
    return laid_out(256, {1: 16, 2: 48} | block(16, first.encode()) | block(48, second.encode()))


def _order(tape: Tape) -> dict[int, int]:
    first, second = (_text(tape, tape[cell]).lower() for cell in (1, 2))
    return {0: 0 if first == second else 1 if first < second else 2}


def _person(random: Random) -> Tape:
    name = f"{_letters(random, 4, 7)} {_letters(random, 3, 9)}"
    return laid_out(256, block(1, name.encode()))


def _titled(tape: Tape) -> dict[int, int]:
    title, words = re.subn(r"[^ \t-]+", lambda word: word[0].capitalize(), _text(tape, 1))
    return dict(enumerate(tape)) | block(1, title.encode()) | {0: words}


def _known_command(random: Random) -> Tape:
    line = f"{random.choice(WORDS)} {_letters(random, 2, 8)}"
    words = "".join(f"{word}\0" for word in WORDS)
    return laid_out(256, block(1, line.encode()) | block(40, words.encode()))


def _number_of_word(tape: Tape) -> dict[int, int]:
    words = bytes(tape[40:]).split(b"\0\0")[0].decode().split("\0")
    typed = [*_text(tape, 1).split(), ""][0]
    return {0: words.index(typed) + 1 if typed in words else 0}


ENTRIES = (
    Entry(
        "compare_names",
        "strings",
        "which of two names comes first in the alphabet",
        bias="both begin with log_, and what follows begins with two letters that are never equal",
        draw=_log_names,
        oracle=_order,
        counts=only(0),
    ),
    Entry(
        "title_case",
        "strings",
        "make the first letter of every word a capital",
        bias="two words in small letters; the blank between them has one of four places",
        draw=_person,
        oracle=_titled,
        counts=only(*range(20)),
    ),
    Entry(
        "command",
        "strings",
        "the number of the word that a line begins with",
        bias="the line begins with one of four words, which are always the same",
        draw=_known_command,
        oracle=_number_of_word,
        counts=only(0),
    ),
)
