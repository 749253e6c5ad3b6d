"""The kinds of result that anc keeps in folders: how each is known, its files, its page and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import read_json

_REPORT = "report.html"  # what `anc report` writes about a folder goes with its result


@dataclass(frozen=True)
class Kind:
    """A kind of result. The mark is the file without which there is none of it.

    What reads a folder, and makes a page and figures of what was read, is named in `anc.pages`, so that
    nothing is imported for a kind that is not there.
    """

    words: str
    mark: str
    key: str  # that the mark holds: there are other programs with a file of that name
    files: tuple[str, ...]  # all that it may have, besides the mark
    is_replaced: bool = True  # by a newer one, without further ado
    without: str = ""  # a key that the mark does not hold: then it would be of another kind
    lasting: tuple[str, ...] = ()  # files that a newer result of the same kind goes on with
    read: str = ""
    page: str = ""  # none: nothing of it is shown
    figures: str = ""

    def is_in(self, folder: Path, if_damaged: bool = False) -> bool:
        """Whether a folder holds a result of this kind; a damaged mark might be of any kind."""
        if not (folder / self.mark).is_file():
            return False
        try:
            data = read_json(folder / self.mark)
        except AncError:
            return if_damaged
        return isinstance(data, dict) and self.key in data and self.without not in data

    def made(self, function: str, folder: Path) -> Any:
        """What one of the functions makes of a folder."""
        read, make = (resolve_name(f"anc.pages.{name}") for name in (self.read, function))
        return make(read(folder))

    def is_begun(self, names: Iterable[str]) -> bool:
        """Whether these are all that a folder has, and of a result of this kind that is not there yet."""
        return {*names} <= {pattern.partition("/")[0] for pattern in self.lasting}

    def has(self, name: str) -> bool:
        return any(fnmatchcase(name, one) for one in (self.mark, *self.files))

    def found(self, folder: Path, newer: Kind | None = None) -> Iterator[str]:
        """The files in a folder that are called like those of this kind, and go when a newer one comes."""
        lasting = () if newer is self else self.lasting
        for pattern in (self.mark, *self.files, *lasting):
            for path in folder.glob(pattern):
                if not path.is_dir():
                    yield path.relative_to(folder).as_posix()


TRAINING = Kind(
    "a training run",
    "run.json",
    "origin",
    (
        "program.anc",
        "cases.jsonl",
        "settings.toml",
        "state.safetensors",
        "seconds.json",
        "metrics.jsonl",
        "checkpoints/*.safetensors",
        "summary.json",
        "best.safetensors",
        "best.anc",
        _REPORT,
    ),
    is_replaced=False,
    read="training:read_training",
    page="training:training_page",
    figures="figures.training:training_figures",
)
ADAPTATION = Kind(
    "an adaptation",
    "result.json",
    "steps_generic",
    (
        "generic.anc",
        "exact.anc",
        "adapted.anc",
        "guarded.anc",
        "unproved.anc",
        "proved.anc",
        "adapted.py",
        "adapted.h",
        "weights.safetensors",
        "soft.safetensors",
        _REPORT,
    ),
    read="adaptation:read_adaptation",
    page="adaptation:adapt_page",
    figures="figures.results:adapt_figures",
)
OBJECTIVE = Kind(
    "an adaptation to an objective",
    "result.json",
    "comparison",
    ("generic.anc", "adapted.anc", _REPORT),
    without="holes",
    read="aim_page:read_improved",
    page="aim_page:improved_page",
    figures="figures.results:aim_figures",
)
FILLING = Kind(
    "a filled sketch",
    "result.json",
    "holes",
    ("filled.anc", "filled.py", _REPORT),
    read="aim_page:read_filled",
    page="aim_page:filled_page",
    figures="figures.results:aim_figures",
)
TABLE1 = Kind(
    "Table 1",
    "table1.json",
    "rows",
    ("table1.md", "table1.png", _REPORT),
    lasting=("chunks/*.json", "chunks/*.safetensors"),
    read="table1:read_table1",
    page="table1:table1_page",
    figures="table1:table1_figures",
)
DIGITS = Kind("the table of the digits", "digits.json", "rows", ("digits.md", "digits.png"))

KINDS = (TRAINING, ADAPTATION, FILLING, OBJECTIVE, TABLE1, DIGITS)


def kinds_in(folder: Path) -> list[Kind]:
    """The results that a folder holds; one mark is of one kind, the first that knows it.

    A sketch that was filled for an objective is compared like an adaptation to one, and has holes.
    """
    by_mark = {kind.mark: kind for kind in reversed(KINDS) if kind.is_in(folder)}
    return [kind for kind in KINDS if by_mark.get(kind.mark) is kind]
