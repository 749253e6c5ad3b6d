"""What to adapt: a task by name, or a program with a file of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc import programs
from anc.cli import inputs
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.learning.problem import Problem
    from anc.tasks import Case


@dataclass(frozen=True)
class Given:
    """A problem and where it came from, so that a run folder can make it again."""

    problem: Problem
    origin: dict[str, Any]
    cases: Sequence[Case] = ()
    facts: tuple[str, ...] = ()  # that the program itself states


def given_problem(
    target: str,
    data: Path | None,
    generic: bool,
    memory: int | None,
    seed: int,
    freeze: Sequence[int] = (),
) -> Given:
    """The problem that the arguments of a command name, with these lines frozen too."""
    given = _given(target, data, generic, memory, seed)
    origin = given.origin | ({"frozen": list(freeze)} if freeze else {})
    return replace(given, problem=given.problem.with_frozen(freeze), origin=origin)


def _given(target: str, data: Path | None, generic: bool, memory: int | None, seed: int) -> Given:
    from anc import tasks
    from anc.learning import problem as problems
    from anc.tasks.recorded import read_samples

    if data is None:
        if target not in programs.names():
            loaded = inputs.load_argument(target)  # says what is wrong with the name, if that is it
            line = '{"input": [...]}'
            if loaded.function is not None:
                line = "the list of a call's arguments, as anc.record writes them"
            raise AncError(
                f"'{target}' is not a task, so it needs cases to adapt to",
                help=f"give a file of JSON lines: --data cases.jsonl, each {line}",
            )
        task = tasks.get(target)
        if memory not in (None, task.M):
            raise AncError(
                f"the cases of the task '{target}' have {task.M} cells, not {memory}",
                help="leave --memory out, or give cases of your own with --data",
            )
        origin = {"kind": "task", "name": target, "biased": not generic, "seed": seed}
        origin |= {"pool": problems.POOL, "test": problems.TEST}
        return Given(problems.from_task(task, not generic, seed), origin)
    if generic:
        raise AncError(
            "--generic is about the cases of a task, and --data gives others",
            help="give one of them",
        )
    loaded = inputs.load_argument(target, memory)
    cases, note = read_samples(data, loaded.program, memory, loaded.call, loaded.real_call, seed)
    name = loaded.function.name if loaded.function else Path(target).stem
    name = "program" if target == "-" else name
    origin = {"kind": "cases", "name": name, "memory": memory, "seed": seed}
    function = loaded.function
    problem = problems.from_cases(name, loaded.program, loaded.text, cases, seed, function, note)
    return Given(problem, origin, cases, loaded.facts)
