"""Results that `anc adapt` kept in a folder, as something to be proved again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anc.adaptation.saved import SavedFunction
from anc.diagnostics import AncError
from anc.files import read_json
from anc.loading import Loaded, load
from anc.records import read


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
