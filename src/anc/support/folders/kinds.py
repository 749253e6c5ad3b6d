"""The kinds of result folders: how to recognise each, its files, its page and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import read_json

_REPORT = "report.html"  # `anc report` writes it next to the result
SET_FILE = (
    "instructions.py"  # defines the instructions of the listings, if they are not the paper's
)


@dataclass(frozen=True)
class ResultKind:
    """A kind of result. Without its marker file there is no result of this kind.

    `read`, `page` and `figures` name functions in `anc.pages`, so that nothing is imported until it is
    needed.
    """

    words: str
    mark: str
    key: str  # a key in the marker file: other software uses that file name, too
    files: tuple[str, ...]  # all files that it may have in addition to the marker
    is_replaced: bool = True  # a newer result may replace it without --force
    without: str = ""  # a key that the marker must not have: it belongs to another kind
    lasting: tuple[str, ...] = ()  # files that a newer result of the same kind reuses
    read: str = ""
    page: str = ""  # empty: there is no page
    figures: str = ""

    def is_in(self, folder: Path, if_damaged: bool = False) -> bool:
        """Whether a folder holds a result of this kind; a damaged marker may be of any kind."""
        if not (folder / self.mark).is_file():
            return False
        try:
            data = read_json(folder / self.mark)
        except AncError:
            return if_damaged
        return isinstance(data, dict) and self.key in data and self.without not in data

    def made(self, function: str, folder: Path) -> Any:
        """The page or the figures of a folder."""
        read, make = (resolve_name(f"anc.pages.{name}") for name in (self.read, function))
        return make(read(folder))

    def is_begun(self, names: Iterable[str]) -> bool:
        """Whether the folder holds only reusable files of a result that is not complete yet."""
        return {*names} <= {pattern.partition("/")[0] for pattern in self.lasting}

    def has(self, name: str) -> bool:
        return any(fnmatchcase(name, one) for one in (self.mark, *self.files))

    def found(self, folder: Path, newer: ResultKind | None = None) -> Iterator[str]:
        """The files in a folder that belong to this kind, and are removed when a newer result comes."""
        lasting = () if newer is self else self.lasting
        for pattern in (self.mark, *self.files, *lasting):
            for path in folder.glob(pattern):
                if not path.is_dir():
                    yield path.relative_to(folder).as_posix()


TRAINING = ResultKind(
    "a training run",
    "run.json",
    "origin",
    (
        "program.anc",
        SET_FILE,
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
ADAPTATION = ResultKind(
    "an adaptation",
    "result.json",
    "steps_generic",
    (
        "generic.anc",
        SET_FILE,
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
OBJECTIVE = ResultKind(
    "an adaptation to an objective",
    "result.json",
    "comparison",
    ("generic.anc", "adapted.anc", SET_FILE, _REPORT),
    without="holes",
    read="aim_page:read_improved",
    page="aim_page:improved_page",
    figures="figures.results:aim_figures",
)
FILLING = ResultKind(
    "a filled sketch",
    "result.json",
    "holes",
    ("filled.anc", "filled.py", SET_FILE, _REPORT),
    read="aim_page:read_filled",
    page="aim_page:filled_page",
    figures="figures.results:aim_figures",
)
TABLE1 = ResultKind(
    "Table 1",
    "table1.json",
    "rows",
    ("table1.md", "table1.png", _REPORT),
    lasting=("chunks/*.json", "chunks/*.safetensors"),
    read="table1:read_table1",
    page="table1:table1_page",
    figures="table1:table1_figures",
)
DIGITS = ResultKind("the table of the digits", "digits.json", "rows", ("digits.md", "digits.png"))

MNIST = ResultKind(
    "the table of MNIST's sums", "mnist.json", "rows", ("mnist.md",), lasting=("trainings/*.npz",)
)

KINDS = (TRAINING, ADAPTATION, FILLING, OBJECTIVE, TABLE1, DIGITS, MNIST)


def kinds_in(folder: Path) -> list[ResultKind]:
    """The results in a folder; each marker file counts for the first kind that matches.

    A sketch filled for an objective has both a comparison and holes: it is a filling.
    """
    by_mark = {kind.mark: kind for kind in reversed(KINDS) if kind.is_in(folder)}
    return [kind for kind in KINDS if by_mark.get(kind.mark) is kind]
