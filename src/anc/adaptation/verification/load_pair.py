"""What a person gives to be proved: two programs, or a folder of `anc adapt`, with facts and cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anc.adaptation.saved import SavedFunction
from anc.adaptation.verification.pair import Pair, paired, same_memory
from anc.data.loading import Loaded, is_folder, load
from anc.data.tasks.cases import Case
from anc.data.tasks.data import Given
from anc.support.diagnostics import AncError, quoted
from anc.support.files import read_json
from anc.support.records import read

Load = Callable[[Any, int | None], Loaded]


@dataclass(frozen=True, kw_only=True)
class SavedProof:
    """What of a result.json a proof needs."""

    memory: int
    precondition: tuple[str, ...]
    counts: tuple[int, ...] | None = None
    function: SavedFunction | None = None


@dataclass(frozen=True)
class Kept:
    """What a folder says: its programs, the facts under which they agree, and the cells that count."""

    folder: Path
    told: SavedProof

    @property
    def is_exact(self) -> bool:
        """Whether a Python function was adapted, so that right is what Python computes."""
        return self.told.function is not None and not self.told.function.wrap

    @property
    def words(self) -> dict[str, str]:
        """Of such a function, the facts in words; nothing, if no caller can break one."""
        function = self.told.function
        told = None if function is None else function.words
        return {} if told is None else {f: told.get(f, "") for f in self.told.precondition}

    @property
    def body(self) -> Loaded:
        """The program that was adapted."""
        return load(self.folder / "generic.anc", self.told.memory)

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
        return load(file, self.told.memory)

    @property
    def adapted(self) -> Loaded:
        return load(self.folder / "adapted.anc", self.told.memory)


def read_kept(folder: Path) -> Kept:
    """Read the folder; what is missing from it is named."""
    file = folder / "result.json"
    if not file.exists():
        raise AncError(
            f"{folder} is no result of anc adapt: there is no result.json in it",
            help="name a folder that anc adapt -o FOLDER wrote, or a program",
        )
    what = "a result of anc adapt with a proof"
    return Kept(folder, read(SavedProof, read_json(file), file, what))


def given_pair(
    generic: Any,
    adapted: Any,
    assume: Sequence[str],
    data: Any,
    counts: Sequence[int] | None,
    memory: int | None,
    load: Load,
) -> tuple[Pair, str]:
    """The pair, and what is to be said about the file that its cases are from.

    Of a folder of `anc adapt`, the adapted program, its facts and the cells that count; without a second
    name, the generic program as well. `load` loads what else is named.
    """
    if adapted is None:
        if not is_folder(generic):
            raise AncError(
                f"what should {_shown(generic)} be compared with?",
                help="name two programs, or a folder that anc adapt -o FOLDER wrote",
            )
        kept = _kept(Path(generic), memory)
        cases, note = _cases(data, kept.body, memory)
        counts = kept.told.counts if counts is None else counts
        pair = paired(kept.generic, kept.adapted, (*kept.told.precondition, *assume), cases, counts)
        bodies = kept.body.program, pair.adapted
        return replace(pair, bodies=bodies, strict=kept.is_exact, words=kept.words), note
    first = load(generic, memory)
    if is_folder(adapted):
        kept = _kept(Path(adapted), memory)
        second, assume = kept.adapted, (*kept.told.precondition, *assume)
        counts = kept.told.counts if counts is None else counts
    else:
        second = load(adapted, memory)
    if first.function is not None:
        first, second = same_memory(first, second)
    cases, note = _cases(data, first, memory or second.program.memory)
    return paired(first, second, assume, cases, counts), note


def _kept(folder: Path, memory: int | None) -> Kept:
    """What a folder holds, which is proved on the memory that it was found for."""
    kept = read_kept(folder)
    if memory not in (None, kept.told.memory):
        raise AncError(
            f"{folder} is for a memory of {kept.told.memory} cells, not {memory}",
            help=f"leave --memory out, or name its programs: anc verify {folder}/generic.anc {folder}/adapted.anc",
        )
    return kept


def _shown(what: Any) -> str:
    return quoted(str(what)) if isinstance(what, str | Path) else "this program"


def _cases(data: Any, loaded: Loaded, memory: int | None) -> tuple[Sequence[Case], str]:
    """The cases of a file, or those that Python code gives."""
    if data is None:
        return (), ""
    if not isinstance(data, str | Path) and not len(data):
        raise AncError("data is empty: there are no cases")
    given = Given.of(data, "data", 0, 0, loaded.call, loaded.real_call)
    return given.cases(loaded.program, memory), given.note
