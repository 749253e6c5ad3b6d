"""`anc verify`: the proof by itself, with the verdict as exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.cli import completion, inputs, talk
from anc.cli.adapt import Seconds, assume_option
from anc.cli.interrupt import Interrupt, ctrl_c
from anc.cli.progress import ProgressLine

if TYPE_CHECKING:
    from anc.proofs import Verified
    from anc.proofs.pair import Pair

UNKNOWN = 4  # exit status: neither proved nor refuted


class Cells(inputs.LineNumbers):
    """Cells such as 0,3-7."""

    name = "cells"

    def convert(self, value, param, ctx) -> tuple[int, ...]:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"'{value}' names no cells; write 0,3-7", param, ctx)


def proof_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a proof is about and how long it may take."""
    options = (
        click.argument("generic", metavar="GENERIC|FOLDER", shell_complete=completion.results),
        click.argument(
            "adapted",
            metavar="[ADAPTED|FOLDER]",
            required=False,
            shell_complete=completion.results,
        ),
        assume_option,
        inputs.file_option(
            "--data",
            help="Cases: compared first; no fact may contradict one; their masks say what counts.",
        ),
        click.option(
            "--counts",
            type=Cells(),
            default=None,
            metavar="CELLS",
            help="The cells that must agree, such as 0,3-7  [default: all, or the masks' of --data]",
        ),
        click.option(
            "--budget", type=Seconds(), default="60s", show_default=True, help="Time to spend."
        ),
        inputs.memory_option,
        inputs.memory_limit_option,
        inputs.json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("verify")
@proof_options
def command(
    generic: str,
    adapted: str | None,
    assume: tuple[str, ...],
    data: Path | None,
    counts: tuple[int, ...] | None,
    budget: float,
    memory: int | None,
    as_json: bool,
) -> None:
    """Prove that ADAPTED does what GENERIC does.

    That is claimed wherever the facts of --assume hold. ADAPTED may be a FOLDER of anc adapt, whose
    facts are assumed too; a FOLDER alone is proved again. Of a Python function (file.py:name),
    right is what Python computes. Exit status: 0 proved, 1 refuted (with a counter-example), 4
    unknown (with the reason).
    """
    from anc.proofs import verify_pair

    pair = pair_of(generic, adapted, assume, data, counts, memory)
    with proving(budget, as_json) as (asked_to_stop, interrupt):
        found = verify_pair(pair, budget, asked_to_stop)
    if as_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        click.echo(str(found))
        show_advice(found)
    sys.exit(status_of(found, interrupt))


def pair_of(
    generic: str,
    adapted: str | None,
    assume: tuple[str, ...],
    data: Path | None,
    counts: tuple[int, ...] | None,
    memory: int | None,
) -> Pair:
    from anc.proofs import given_pair

    pair, note = given_pair(generic, adapted, assume, data, counts, memory, inputs.load_argument)
    if note:
        talk.note(note)
    return pair


@contextmanager
def proving(budget: float, quiet: bool) -> Iterator[tuple[Callable[[], bool], Interrupt]]:
    """While a proof lasts: a line that says for how long yet, and Ctrl-C.

    The proof asks again and again whether it should stop, and so tells that it is alive. It may be
    shared among copies of this process, which show nothing.
    """
    import time

    line, begin, process = ProgressLine(quiet), time.monotonic(), os.getpid()
    with ctrl_c() as interrupt:

        def asked_to_stop() -> bool:
            if os.getpid() == process:
                line.show(f"proving: {time.monotonic() - begin:.0f} s of at most {budget:.0f} s")
            return interrupt.asked

        try:
            yield asked_to_stop, interrupt
        finally:
            line.end()


def show_advice(found: Verified) -> None:
    if found.advice:
        talk.note(f"  help: {found.advice}")


def status_of(found: Verified, interrupt: Interrupt) -> int:
    """The verdict as exit status."""
    if found.proved or found.refuted:
        return 0 if found.proved else 1
    return interrupt.status if interrupt.asked else UNKNOWN
