"""What happened: a table of the entries, and the failures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fuzzing.entry import Parts

_KEPT = 3  # failures of one kind that are kept as files


@dataclass
class Counts:
    """Inputs of an entry."""

    inputs: float = 0
    seconds: float = 0.0
    accepted: float = 0
    refused: float = 0
    failed: float = 0

    def add(self, other: Counts) -> None:
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class Failure:
    """An input that failed; `parts` is what is left of it after all that could be left out."""

    entry: str
    seed: int
    number: int
    kind: str
    detail: str
    parts: Parts | None = None

    @property
    def command(self) -> str:
        return f"python benchmarks/fuzz.py --repeat {self.entry}/{self.seed}/{self.number}"


@dataclass
class Report:
    counts: dict[str, Counts] = field(default_factory=dict)
    failures: dict[tuple[str, str], list[Failure]] = field(default_factory=dict)
    folder: Path | None = None

    def add_counts(self, found: dict[str, Counts]) -> None:
        for name, counts in found.items():
            self.counts.setdefault(name, Counts()).add(counts)

    def add_failure(self, failure: Failure) -> bool:
        """Note a failure, and keep the first ones of a kind; whether it is the first."""
        alike = self.failures.setdefault((failure.entry, failure.kind), [])
        alike.append(failure)
        if self.folder is not None and len(alike) <= _KEPT:
            self.folder.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(failure.kind.encode()).hexdigest()[:8]
            name = f"{failure.entry}-{digest}-{failure.number}.json"
            text = json.dumps(asdict(failure) | {"command": failure.command}, indent=1)
            (self.folder / name).write_text(text)
        return len(alike) == 1

    @property
    def total(self) -> int:
        return int(sum(counts.inputs for counts in self.counts.values()))

    def table(self) -> str:
        """The entries, one per line."""
        rows = ["| entry | inputs | inputs per second of a core | accepted | refused | failures |"]
        rows.append("|---|---:|---:|---:|---:|---:|")
        whole = Counts()
        for name, counts in sorted(self.counts.items()):
            rows.append(_row(name, counts))
            whole.add(counts)
        return "\n".join([*rows, _row("all", whole)])

    def faults(self) -> Iterable[str]:
        """Each kind of failure, how often it occurred, and the command that shows the first."""
        for (entry, kind), alike in sorted(self.failures.items()):
            yield f"{entry}: {kind} ({len(alike)} times)\n  {alike[0].command}"

    def to_json(self, **about: object) -> str:
        failures = [
            {"entry": entry, "kind": kind, "times": len(alike), "first": asdict(alike[0])}
            for (entry, kind), alike in sorted(self.failures.items())
        ]
        counts = {name: asdict(found) for name, found in sorted(self.counts.items())}
        return json.dumps(about | {"entries": counts, "failures": failures}, indent=1)


def _row(name: str, counts: Counts) -> str:
    rate = counts.inputs / counts.seconds if counts.seconds else 0.0
    return (
        f"| {name} | {counts.inputs:,.0f} | {rate:,.0f} | {counts.accepted:,.0f}"
        f" | {counts.refused:,.0f} | {counts.failed:,.0f} |"
    )
