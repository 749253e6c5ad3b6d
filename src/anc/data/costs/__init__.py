"""Cost tables: what an executed instruction costs in Python or C, shipped or measured by `anc calibrate`.

A table is JSON: a unit, what it was measured with, and a weight for each instruction. A file of `anc calibrate`
holds one table for each language. A table is named by a word, which is what a user types and what results
remember::

    steps               every instruction costs 1
    python, c           the shipped tables, the same everywhere
    mine, mine:c        those that `anc calibrate` measured on this machine, for Python and C
    FILE, FILE:c        those of a file of `anc calibrate -o FILE`
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from anc.support import limits
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.files import cache_folder

STEPS_WORD, PYTHON, C, MINE = "steps", "python", "c", "mine"
LANGUAGES = (PYTHON, C)
USUAL = "ADD"  # an instruction that a table lacks, such as a user's own, costs as much
GRID = 64  # weights are multiples of 1 / 64, so that their sums are exact
HEAVIEST = 1e9  # keeps sums of weights exact enough to compare
MAX_BYTES = 100_000
WORDS = (STEPS_WORD, *LANGUAGES, MINE, f"{MINE}:{C}")


@dataclass(frozen=True)
class CostTable:
    """The weights of instructions by name, the word that names them, and their unit."""

    word: str = STEPS_WORD
    unit: str = "steps"
    weights: tuple[tuple[str, float], ...] = ()
    measured: str = ""

    @property
    def usual(self) -> float:
        """The weight of an instruction that the table lacks."""
        return dict(self.weights).get(USUAL, 1.0)

    @cached_property
    def digest(self) -> str:
        """A hash of the weights, 16 hexadecimal digits."""
        return hashlib.sha256(repr((self.unit, sorted(self.weights))).encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        return {"unit": self.unit, "measured": self.measured, "weights": dict(self.weights)}


STEPS_TABLE = CostTable()


@cache
def shipped(language: str) -> CostTable:
    """The table of `python` or `c` that comes with anc."""
    text = (Path(__file__).parent / f"{language}.json").read_text(encoding="utf-8")
    return table_from(json.loads(text), language, f"{language}.json")


def measured_file() -> Path:
    """The file of the tables that `anc calibrate` measured on this machine."""
    return cache_folder() / "costs.json"


def table_of(word: str) -> CostTable:
    """The table that a word names."""
    if word == STEPS_WORD:
        return STEPS_TABLE
    if word in LANGUAGES:
        return shipped(word)
    place, _, language = word.partition(":") if word.endswith((":c", ":python")) else (word, "", "")
    language = language or PYTHON
    file = measured_file() if place == MINE else Path(place)
    if not file.is_file():
        if place == MINE:
            raise AncError(
                "there is no cost table of this machine", "anc calibrate measures one in seconds"
            )
        match = close_match(word, WORDS)
        raise AncError(
            f"there is no cost {quoted(word)}, expected {', '.join(WORDS)} or a file of anc calibrate",
            f"did you mean {match}?" if match else None,
        )
    found = read_tables(file)
    if language not in found:
        raise AncError(
            f"{file} has no table for {language}, only for {', '.join(found)}",
            "anc calibrate measures C where a C compiler is found" if language == C else None,
        )
    table = found[language]
    return CostTable(word, table.unit, table.weights, table.measured)


def read_tables(file: Path) -> dict[str, CostTable]:
    """The tables of a file of `anc calibrate`, by language."""
    try:
        with open(file, encoding="utf-8") as opened:
            told = json.loads(opened.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError) as problem:
        raise AncError(f"{file}: {problem}, expected a file of anc calibrate") from None
    if not isinstance(told, dict) or not told or not set(told) <= set(LANGUAGES):
        raise AncError(f"{file}: expected a table for python or c, as anc calibrate writes them")
    return {language: table_from(told[language], language, str(file)) for language in told}


def table_from(told: Any, word: str, where: str) -> CostTable:
    """A table from JSON; `where` is for messages."""
    weights = told.get("weights") if isinstance(told, Mapping) else None
    if not isinstance(weights, Mapping) or not weights:
        raise AncError(f'{where}: the table for {word} has no weights, expected {{"ADD": 10, ...}}')
    for name, value in weights.items():
        check_weight(f"{where}: the weight of {name}", value)
    if not weights.get(USUAL):
        raise AncError(f"{where}: the table for {word} has no weight of {USUAL} above 0")
    texts = [str(told.get(key, default)) for key, default in (("unit", "ns"), ("measured", ""))]
    found = tuple((str(name), float(value)) for name, value in weights.items())
    return CostTable(word, texts[0][:20], found, texts[1][:200])


def check_weight(what: str, value: object) -> None:
    """Refuse a weight that is not a number from 0 to HEAVIEST."""
    if limits.as_real(value) is None or not 0 <= value <= HEAVIEST:  # type: ignore[operator]
        raise AncError(f"{what} is {quoted(value)}, expected a number from 0 to {HEAVIEST:,.0f}")
