"""Results that `anc adapt` kept in a folder, as something to be proved again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError
from anc.files import read_json
from anc.loading import Loaded, load


@dataclass(frozen=True)
class Kept:
    """What a folder says: its programs, the facts under which they agree, and the cells that count."""

    folder: Path
    memory: int
    facts: tuple[str, ...]
    counts: tuple[int, ...] | None
    is_exact: bool  # whether a Python function was adapted, so that right is what Python computes
    words: dict[
        str, str
    ]  # of such a function, the facts in words; nothing, if no caller can break one

    @property
    def body(self) -> Loaded:
        """The program that was adapted."""
        return load(self.folder / "generic.anc", self.memory)

    @property
    def generic(self) -> Loaded:
        """The program that says what is right."""
        if not self.is_exact:
            return self.body
        file = self.folder / "exact.anc"
        if not file.exists():
            raise AncError(
                f"{self.folder} does not say what its Python function computes: it has no exact.anc",
                help=f"name the function, too: anc verify FILE.py:NAME {self.folder}",
            )
        return load(file, self.memory)

    @property
    def adapted(self) -> Loaded:
        return load(self.folder / "adapted.anc", self.memory)


def read_kept(folder: Path) -> Kept:
    """Read the folder; what is missing from it is named."""
    file = folder / "result.json"
    if not file.exists():
        raise AncError(
            f"{folder} is no result of anc adapt: there is no result.json in it",
            help="name a folder that anc adapt -o FOLDER wrote, or a program",
        )
    result = read_json(file)
    memory, facts = (
        _field(file, result, *what) for what in (("memory", int), ("precondition", list))
    )
    counts, function = result.get("counts"), result.get("function")
    if (
        not _all(facts, str)
        or not (counts is None or _all(counts, int))
        or not (function is None or isinstance(function, dict))
    ):
        raise AncError(f"{file} is damaged: its precondition, counts or function is none")
    is_exact = function is not None and not function.get("wrap")
    told = None if function is None else function.get("words")
    words = {fact: str(told.get(fact, "")) for fact in facts} if isinstance(told, dict) else {}
    counts = None if counts is None else tuple(counts)
    return Kept(folder, memory, tuple(facts), counts, is_exact, words)


def _field(file: Path, result: Any, name: str, kind: type) -> Any:
    value = result.get(name) if isinstance(result, dict) else None
    if type(value) is not kind:
        raise AncError(f"{file} is no result of anc adapt with a proof: it lacks '{name}'")
    return value


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)
