"""Mutations: of bytes, characters, words and lines of a text, and of the values of a JSON document."""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

NUMBERS = (
    "0", "1", "2", "3", "7", "10", "20", "-1", "-0", "+3", "007", "255", "256", "65535", "65536",
    "65537", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
    "99999999999999999999999999", "9" * 400, "1.5", "1e3", "1e400", "-1e-400", "nan", "NaN",
    "Infinity", "-inf", "0x10", "0b1", "1_000", "٣", "²", "½", "1,5", "", " ",
)  # fmt: skip
CHARACTERS = (
    *"()[]{}<>:;,.=?@#/\\'\"-+*%&|^~!$_ \t\n\r0189aAzZ",
    "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\xa0", "\u200b", "\u202e", "\u2028", "é", "語", "😀",
    "\ufeff", "\ud800",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10, 255, 256, 65536, 2**31, 2**63, 2**64, 10**30, 0.0, 0.5,
    -0.0, 1.0, 2.5, 1e308, float("nan"), float("inf"), -float("inf"), "", "x", "0", "3", "nan", "é\x1b",
    "\ud800", "a" * 300, [], [[]], [0], [1, 2, 3], [None], ["x"], {}, {"x": 1}, {"": []}, [[[[1]]]],
)  # fmt: skip
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def mutated_text(random: Random, text: str, words: tuple[str, ...] = (), most: int = 4) -> str:
    """A text with some changes; `words` are such as stand in texts of its kind."""
    for _ in range(random.randint(1, most)):
        text = random.choice(_TEXT_CHANGES)(random, text, words)
    return text


def _characters(random: Random, text: str, words: tuple[str, ...]) -> str:
    """A few characters replaced by another one, or by none."""
    at = random.randint(0, len(text))
    return (
        text[:at] + random.choice(("", *CHARACTERS)) + text[at + random.choice((0, 0, 1, 1, 3)) :]
    )


def _words(random: Random, text: str, words: tuple[str, ...]) -> str:
    """A word replaced by another one of the text, by one of its kind, or by a number."""
    found = _WORD.findall(text)
    if not found:
        return random.choice((*words, "0"))
    others = random.choice((found, words or found, NUMBERS))
    change, place = (
        random.choice(("replace", "insert", "delete", "swap")),
        random.randrange(len(found)),
    )
    if change == "replace":
        found[place] = random.choice(others)
    elif change == "insert":
        found.insert(place, random.choice(others))
    elif change == "delete":
        del found[place]
    else:
        other = random.randrange(len(found))
        found[place], found[other] = found[other], found[place]
    return "".join(found)


def _numbers(random: Random, text: str, words: tuple[str, ...]) -> str:
    """A number replaced by another one."""
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text + random.choice(NUMBERS)
    one = random.choice(found)
    near = str(int(one[0][:9]) + random.choice((-1, 1, 2)))
    return text[: one.start()] + random.choice((near, random.choice(NUMBERS))) + text[one.end() :]


def _lines(random: Random, text: str, words: tuple[str, ...]) -> str:
    """A line left out, repeated, moved, or joined with the next."""
    lines = text.split("\n")
    place = random.randrange(len(lines))
    change = random.choice(("delete", "repeat", "move", "join", "cut", "many"))
    if change == "delete":
        del lines[place]
    elif change == "repeat":
        lines.insert(random.randint(0, len(lines)), lines[place])
    elif change == "move":
        lines.insert(random.randint(0, len(lines) - 1), lines.pop(place))
    elif change == "join" and place + 1 < len(lines):
        lines[place : place + 2] = [lines[place] + lines[place + 1]]
    elif change == "cut":
        return "\n".join(lines)[: random.randint(0, len(text))]
    elif change == "many":
        lines[place:place] = [lines[place][:200]] * random.choice((3, 30))
    return "\n".join(lines)


_TEXT_CHANGES = (_characters, _words, _words, _numbers, _numbers, _lines)


def mutated_bytes(random: Random, data: str, most: int = 4) -> str:
    """Bytes (as latin-1) with some changed, cut off or added."""
    found = bytearray(data.encode("latin-1"))
    for _ in range(random.randint(1, most)):
        if not found:
            break
        at = random.randrange(len(found))
        change = random.random()
        if change < 0.5:
            found[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        elif change < 0.7:
            found[at : at + random.choice((1, 4, 8))] = bytes(random.choice((0, 1, 4, 8)))
        elif change < 0.85:
            del found[at:]
        else:
            found += bytes(random.randrange(256) for _ in range(random.choice((1, 8, 64))))
    return found.decode("latin-1")


def mutated_json(random: Random, value: Any, most: int = 3) -> Any:
    """A document with some values replaced, left out, repeated or of another type."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, most)):
        holder = {"": value}
        _change(random, holder)
        value = holder.get("")
    return value


def _change(random: Random, holder: Any) -> None:
    """Change one place below a dictionary or a list, at any depth."""
    keys = list(holder) if isinstance(holder, dict) else range(len(holder))
    key = random.choice(list(keys))
    inner = holder[key]
    if isinstance(inner, dict | list) and inner and random.random() < 0.85:
        _change(random, inner)
        return
    change = random.random()
    if change < 0.6 or "" in holder:
        holder[key] = copy.deepcopy(random.choice(VALUES))
    elif change < 0.75:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(
            random.randint(0, len(holder)), copy.deepcopy(random.choice((inner, *VALUES)))
        )
    elif isinstance(inner, int | float) and change < 0.9:
        holder[key] = inner + random.choice((-1, 1, 0.5, 1000))
    else:
        holder[random.choice(("x", "format", "version", str(key) + "s"))] = holder.pop(key)
