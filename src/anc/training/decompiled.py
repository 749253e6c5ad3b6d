"""Decompiling a training's best member: read back as a program, with its type, and saved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from anc.compiler import to_text
from anc.language import self_contained
from anc.machine.files import save_weights
from anc.machine.interpretability import Reading, read_back
from anc.machine.text import figure
from anc.machine.weights import Weights
from anc.support.files import write_atomically
from anc.training.members import learnt_weights
from anc.training.result import Result

_CASES_TO_READ = 40
FILES = ("summary.json", "best.safetensors", "best.anc")


@dataclass(frozen=True)
class Decompiled:
    """A member's weights, and the program that they read back as on the test cases."""

    member: int
    weights: Weights
    reading: Reading

    @property
    def figure(self) -> str:
        """The lines that the cases visit, as the paper prints them."""
        return figure(self.weights, only=set(self.reading.lines))


def member_weights(result: Result, member: int) -> Weights:
    """The best checkpoint of one member."""
    settings = result.members.settings[member]
    return learnt_weights(result.problem, settings, result.weights[member])


def decompiled(result: Result, member: int | None = None) -> Decompiled:
    """Decompile a member; by default the best one."""
    member = result.best_member if member is None else member
    weights = member_weights(result, member)
    tapes = [case.input for case in result.problem.test[:_CASES_TO_READ]]
    limit = result.members.shared.max_steps
    return Decompiled(member, weights, read_back(weights, tapes, limit))


def write_decompiled(result: Result, best: Decompiled, folder: Path) -> None:
    """Write summary.json, best.safetensors and, if there is an exact program, best.anc."""
    reading = best.reading
    summary = result.summary() | {
        "best_member": best.member,
        "type": reading.kind,
        "type_reason": reading.reason,
        "steps": [round(float(x), 4) for x in result.steps],
        "right": [round(float(x), 6) for x in result.right],
    }
    write_atomically(folder / "summary.json", (json.dumps(summary, indent=1) + "\n").encode())
    save_weights(best.weights, folder / "best.safetensors")
    if reading.program is not None:
        texts = {"best.anc": to_text(reading.program)}
        for name, text in self_contained(texts, reading.program.instructions).items():
            write_atomically(folder / name, text.encode())
