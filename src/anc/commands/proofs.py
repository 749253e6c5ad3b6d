"""Equivalence proofs of two programs, and guarded programs, which are proved first."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import What, load
from anc.commands.function import function
from anc.commands.kinds import CellNumbers, FileOr
from anc.commands.line import command
from anc.commands.progress import Interrupt, worked
from anc.commands.request import OfProgram, R, option, required, typed
from anc.commands.results import answer
from anc.commands.verbosity import remark
from anc.support import limits
from anc.support.diagnostics import AncError
from anc.support.files import check_writable
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.verification import Guard, Verified
    from anc.adaptation.verification.pair import Pair


UNKNOWN = 4  # exit status: neither proved nor refuted


class ClaimRequest(OfProgram[R]):
    """A claim: two programs, and the inputs on which they must agree."""

    generic: What = required(
        metavar="GENERIC|FOLDER", is_argument=True, is_needed=True, completes="results"
    )
    adapted: What | None = option(
        None, metavar="[ADAPTED|FOLDER]", is_argument=True, completes="results"
    )
    assume: Sequence[str] = fields.ASSUME
    data: Sequence[Any] | str | Path | None = option(
        fields.DATA,
        kind=FileOr(limits.has_length, "a list of cases, or the name of a file of them"),
        help="Compare the programs on these cases first; their masks say which cells count.",
    )
    counts: Sequence[int] | None = option(
        None,
        "Compare these cells, such as 0,3-7.  [default: all, or those of the masks of --data]",
        CellNumbers(),
        section="Input",
    )
    budget: float = fields.BUDGET
    memory: int | None = fields.MEMORY
    _: KW_ONLY
    memory_limit: int | str | None = fields.MEMORY_LIMIT

    def pair(self, job: Job) -> Pair:
        """Load the programs, facts and cases of the claim."""
        from anc.adaptation.verification import given_pair

        about = self.assume, self.data, self.counts, self.memory
        pair, note = given_pair(self.generic, self.adapted, *about, partial(load, job))
        if note:
            job.note(note)
        return pair

    def asked_to_stop(self, job: Job) -> Callable[[], bool]:
        """The stop condition that a proof polls; each poll also updates the progress line."""
        began = time.monotonic()

        def asked() -> bool:
            spent = time.monotonic() - began
            job.tell(f"proving: {spent:.0f} s of at most {self.budget:.0f} s", None)
            return job.asked_to_stop()

        return asked


class Verify(ClaimRequest["Verified"], name="verify"):
    """Prove, or refute with a counter-example, that a program does what the generic one does.

    They must agree wherever the facts of `assume` hold. `data` are cases (a file, or as for `anc.adapt`):
    the programs are compared on them first, no fact may contradict one, and their masks say which cells
    count; `counts` names these cells instead. For a Python function, Python's result is the right one,
    and a counter-example is a call. `adapted` may be a folder that `anc adapt` wrote, whose facts are
    assumed; such a folder alone is proved again. A proof that would take more memory than
    `memory_limit` (such as "4GB"; by default half of what is free) ends undecided.

    >>> import anc
    >>> quick = "memory 10; var k = READ(4); WRITE(0, k); STOP()"
    >>> anc.verify("access", quick, ["tape[0] == 3"]).proved
    True
    >>> found = anc.verify("access", quick).counterexample
    >>> anc.run("access", found.tape).tape == anc.run(quick, found.tape).tape
    False
    """

    def begin(self, job: Job) -> Callable[[], Verified]:
        from anc.adaptation.verification import verify_pair

        return partial(verify_pair, self.pair(job), self.budget, self.asked_to_stop(job))


class GuardedProgram(ClaimRequest["Guard"], name="guard"):
    """Build a program that checks the facts and falls back to the generic program if one fails.

    First the adapted program is proved right wherever the check passes, with the arguments of
    `anc.verify`. If that is refuted, there is no guarded program; if it stays unknown, there is one only
    with `allow_unknown`. The result can be saved as a listing (.anc) or as a function (.py, .h).

    >>> import anc
    >>> quick = "memory 10; var k = READ(4); WRITE(0, k); STOP()"
    >>> guarded = anc.guard("access", quick, ["tape[0] == 3"])
    >>> guarded.program.L, anc.run(guarded.program, [1, 7, 8, 9]).tape[:4]
    (10, (8, 7, 8, 9))
    >>> print(anc.guard("access", quick, ["tape[0] == 4"]))
    no guarded program: the adapted program is wrong where the check passes
    """

    allow_unknown: bool = option(
        False,
        "Write the program even if it is neither proved nor refuted in time.",
        section="Output",
    )
    output: Path | None = typed(
        fields.OUTPUT, "Write a .anc, .py or .h file instead of printing.", metavar="FILE"
    )

    def begin(self, job: Job) -> Callable[[], Guard]:
        from anc.adaptation.verification import guard_pair

        return partial(
            guard_pair, self.pair(job), self.budget, self.allow_unknown, self.asked_to_stop(job)
        )


verify = function(Verify)
guard = function(GuardedProgram)


@command(Verify)
def show(request: Verify) -> None:
    """Prove that ADAPTED does what GENERIC does.

    They must agree wherever the facts of --assume hold. ADAPTED may be a FOLDER of anc adapt, whose
    facts are assumed too; a FOLDER alone is proved again. For a Python function (file.py:name),
    Python's result is the right one. Exit status: 0 proved, 1 refuted (with a counter-example), 4
    unknown (with the reason).

    Examples:
      anc verify access quick.anc --assume "tape[0] == 3"
      anc verify result
    """
    found, interrupt = worked(request)
    answer(request, found, str(found))
    if not request.as_json:
        show_advice(found)
    sys.exit(status_of(found, interrupt))


@command(GuardedProgram)
def show_guard(request: GuardedProgram) -> None:
    """Put a check of facts in front of an adapted program.

    The guarded program runs ADAPTED where the facts of --assume hold, and GENERIC elsewhere.

    First ADAPTED is proved right wherever the check passes, as by anc verify; if that is
    refuted (exit status 1) or unknown (4), nothing is written.

    Examples:
      anc guard access quick.anc --assume "tape[0] == 3" -o guarded.anc
      anc guard access result -o guarded.py
    """
    output = request.output
    check_writable(output)
    if output is not None:
        from anc.adaptation.verification.prove_and_guard import check_suffix

        check_suffix(output)
    made, interrupt = worked(request)
    needs_lines = output is None or output.suffix == ".anc"
    is_there = made.allowed and (made.program is not None or not needs_lines)
    if not request.as_json:
        tell = verbosity.note if is_there else remark
        tell(str(made.verified))
        if needs_lines or not made.allowed:
            tell(str(made))
        show_advice(made.verified)
    if is_there and output is not None:
        try:
            made.save(output)
        except AncError:
            click.echo(made.as_file(output).rstrip("\n"))  # so that it is not lost
            raise
    if request.as_json:
        wrote = str(output) if is_there and output is not None else None
        click.echo(json.dumps(made.to_dict() | {"wrote": wrote}))
    elif is_there and output is not None:
        verbosity.say(f"wrote {output}")
    elif is_there:
        click.echo(made.text.rstrip("\n"))
    if not made.allowed:
        sys.exit(status_of(made.verified, interrupt))
    if not is_there:
        sys.exit(1)


def show_advice(found: Verified) -> None:
    if found.advice:
        verbosity.note(f"  help: {found.advice}")


def status_of(found: Verified, interrupt: Interrupt) -> int:
    """The exit status of a verdict."""
    if found.proved or found.refuted:
        return 0 if found.proved else 1
    return interrupt.status if interrupt.asked else UNKNOWN
