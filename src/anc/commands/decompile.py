"""Decompilation of weights: the paper's figures, its three types, and exact programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.commands import fields
from anc.commands.arguments import What, load
from anc.commands.compile import FORMS, WEIGHTS_SEED, name_of
from anc.commands.function import function
from anc.commands.kinds import OneOf, TapeList
from anc.commands.line import command
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, option, required, typed
from anc.commands.results import answer
from anc.commands.run import refuse_softening
from anc.support.diagnostics import AncError
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.machine.interpretability import Reading
    from anc.machine.weights import Weights
    from anc.program import Program


@dataclass(frozen=True)
class DecompiledWeights:
    """Decompiled weights; `reading` describes their runs on some tapes, and is None without tapes."""

    weights: Weights
    tapes: int
    reading: Reading | None

    @cached_property
    def figure(self) -> str:
        """The weights as the paper's figures print them."""
        from anc.machine.text import figure

        return figure(self.weights)

    @property
    def program(self) -> Program:
        """The exact program on the tapes, if there is one; without tapes, the most likely program."""
        from anc.machine.weights import harden

        if self.reading is None:
            return harden(self.weights)
        if self.reading.program is None:
            kind, reason = self.reading.kind, self.reading.reason
            raise AncError(f"there is no exact program: type {kind}, {reason}")
        return self.reading.program

    def __str__(self) -> str:
        from anc.compiler import to_text

        reading = self.reading
        if reading is None:
            return self.figure
        lines = ", ".join(map(str, reading.lines))
        rows = [
            self.figure,
            f"\non {self.tapes} case{'s' * (self.tapes != 1)}: visits lines {lines}",
            f"type {reading.kind}: {reading.reason}",
            f"confidence of the output: {reading.confidence:.4f}",
            *reading.soft_rows,
        ]
        if reading.program is not None:
            rows.append("\n" + to_text(reading.program).rstrip("\n"))
        return "\n".join(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        from anc.compiler import to_text

        reading = self.reading
        is_exact = reading is None or reading.program is not None
        return {
            "memory": self.weights.M,
            "registers": self.weights.R,
            "figure": self.figure,
            "cases": self.tapes,
            "type": reading and reading.kind,
            "reason": reading and reading.reason,
            "lines": reading and list(reading.lines),
            "confidence": reading and reading.confidence,
            "softness": reading and list(reading.softness),
            "program": to_text(self.program) if is_exact else None,
        }


class Decompile(OfProgram[DecompiledWeights], name="decompile"):
    """Decompile weights: the paper's figure and, with tapes, their type and the exact program on them.

    A program is softened first, with this sharpness (by default 5, as in `soften`, so that the figure shows
    something) and seed. The inputs in the file `data` are additional tapes.

    >>> import anc
    >>> found = anc.decompile(anc.soften("access", sharpness=12), [[3, 1, 2, 3, 4]])
    >>> found.reading.kind, found.program == anc.load("access")
    (1, True)
    >>> print(found.figure.splitlines()[0])
    R1 = 0 (0.99)
    """

    weights: What = required(fields.PROGRAM, metavar="WEIGHTS")
    tapes: Sequence[Sequence[int]] = option(
        (),
        "Follow this tape through the weights; may be repeated.",
        TapeList(),
        words="--tape -t",
        section="Input",
        repeated=True,
    )
    memory: int | None = fields.MEMORY
    sharpness: float = fields.sharpness_of("a program")
    seed: int = WEIGHTS_SEED
    max_steps: int = fields.TRACED_STEPS
    _: KW_ONLY
    data: str | Path | None = option(
        fields.DATA, help='Follow the cases of this file of JSON lines: {"input": [...]}.'
    )
    form: str = typed(
        "figure",
        "Print the paper's figure, or the exact program as text or as a function of Python or C.",
        OneOf(("figure", "listing", "python", "c")),
        words="--to",
        section="Output",
    )

    def check_together(self) -> None:
        if self.data is None and not self.tapes:
            self.refuse(
                "max_steps",
                because="is about runs, and there are none",
                help=f"add {self.word('tapes')} or {self.word('data')}",
            )

    def run(self, job: Job) -> DecompiledWeights:
        from anc.data.tasks.data import Given
        from anc.machine.interpretability import read_back
        from anc.machine.tapes import fill

        loaded = load(job, self.weights, self.memory)
        refuse_softening(self, loaded, *(["seed"] if self.data is None else []))
        weights = loaded.softened(self.memory, self.sharpness, self.seed)
        tapes = [fill(tape, weights.M) for tape in self.tapes]
        if self.data is not None:
            given = Given.in_file(self.data, loaded.call, loaded.real_call, self.seed)
            tapes += given.inputs(weights.M)
            if given.note:
                job.note(given.note)
        reading = read_back(weights, tapes, self.max_steps) if tapes else None
        return DecompiledWeights(weights, len(tapes), reading)


decompile = function(Decompile)


@command(Decompile)
def show(request: Decompile) -> None:
    """Print weights the way the paper does.

    WEIGHTS is a .safetensors file, or a program to be softened first.

    With tapes or a data file it also prints which lines they visit, which of the paper's three types of
    interpretability the weights have on them, and the exact program if there is one. The other
    forms print that program alone; without tapes, the most likely one.

    Examples:
      anc decompile double.safetensors
      anc decompile listk --sharpness 12 --tape "3 2 2 5 4 7 5"
    """
    form, result = request.form, request.run(job_of(request))
    if form == "figure":
        answer(request, result, str(result))
        return
    text = FORMS[form](result.program, name_of(str(request.weights)))
    shown = {"form": form, "text": text}
    answer(request, result.to_dict() | shown, text.rstrip("\n"))
