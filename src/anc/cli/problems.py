"""What to adapt: a task by name, or a program with a file of cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anc import programs
from anc.cli import inputs
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.problems import GivenProblem


def given_problem(
    target: str,
    data: Path | None,
    generic: bool,
    memory: int | None,
    seed: int,
    freeze: Sequence[int] = (),
) -> GivenProblem:
    """The problem that the arguments of a command name, with these lines frozen too."""
    if data is None and target not in programs.names():
        loaded = inputs.load_argument(target)  # says what is wrong with the name, if that is it
        line = '{"input": [...]}'
        if loaded.function is not None:
            line = "the list of a call's arguments, as anc.record writes them"
        raise AncError(
            f"'{target}' is not a task, so it needs cases to adapt to",
            help=f"give a file of JSON lines: --data cases.jsonl, each {line}",
        )
    if generic and data is not None:
        raise AncError(
            "--generic is about the cases of a task, and --data gives others",
            help="give one of them",
        )
    from anc import problems

    name = "program" if target == "-" else Path(target).stem
    return problems.given_problem(
        target, data, seed, memory, generic, freeze, name, inputs.load_argument
    )
