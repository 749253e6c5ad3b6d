"""What `anc adapt` left in a folder: the result, the programs, the example."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anc.compiler import compile_source
from anc.diagnostics import AncError
from anc.language import Source, read_source
from anc.machine.tapes import fill
from anc.program import Program

_NEEDED = ("steps_generic", "steps_adapted", "verdict", "found")  # in result.json
PROGRAMS = ("generic", "adapted", "guarded")


@dataclass(frozen=True)
class Adaptation:
    """The folder, read: result.json and the texts of the programs that are there."""

    path: Path
    result: dict[str, Any]
    sources: dict[str, Source]

    @property
    def name(self) -> str:
        return str(self.result.get("problem") or self.path.name)

    @cached_property
    def programs(self) -> dict[str, Program]:
        memory = self.result.get("memory")
        return {
            which: compile_source(source, memory).program for which, source in self.sources.items()
        }

    @property
    def example(self) -> tuple[int, ...] | None:
        """The tape to show both programs on."""
        tape = self.result.get("example_tape")
        if not tape:
            return None
        return fill(tape, self.result.get("memory") or self.programs["generic"].memory)

    def found_by_method(self) -> dict[str, list[tuple[float, float]]]:
        """(seconds, steps) of what each method found, in order of time."""
        methods: dict[str, list[tuple[float, float]]] = {}
        for one in sorted(self.result["found"], key=lambda one: float(one["seconds"])):
            pair = (float(one["seconds"]), float(one["steps"]))
            methods.setdefault(str(one["method"]), []).append(pair)
        return methods


def with_one_verdict(result: dict[str, Any]) -> dict[str, Any]:
    """The result with its verdict and the proof's details in one place.

    >>> with_one_verdict({"verdict": "proved", "proof": {"how": "smt"}})["verdict"]
    {'kind': 'proved', 'how': 'smt'}
    """
    verdict = result.get("verdict")
    if isinstance(verdict, dict):
        return result
    return result | {"verdict": {"kind": str(verdict)} | (result.get("proof") or {})}


def read_adaptation(path: Path) -> Adaptation:
    """Read the folder; what is missing from it is named."""
    file = path / "result.json"
    try:
        result = json.loads(file.read_text())
    except (OSError, UnicodeDecodeError) as problem:
        raise AncError(f"cannot read {file}: {problem}") from None
    except ValueError:
        raise AncError(f"{file} is not JSON") from None
    missing = [name for name in _NEEDED if not isinstance(result, dict) or name not in result]
    if missing:
        raise AncError(f"{file} is not a result of anc adapt: it lacks {', '.join(missing)}")
    result = with_one_verdict(result)
    files = {which: path / f"{which}.anc" for which in PROGRAMS}
    sources = {which: read_source(file) for which, file in files.items() if file.exists()}
    if "generic" not in sources:
        raise AncError(f"{path} lacks generic.anc, the program that was adapted")
    return Adaptation(path, result, sources)
