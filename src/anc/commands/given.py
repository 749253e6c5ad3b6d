"""What a person gives to a command or a function: a program in one of its many forms, samples, an earlier result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from anc import programs
from anc.diagnostics import AncError, quoted
from anc.limits import has_length
from anc.program import Program

if TYPE_CHECKING:
    from anc.commands.request import Request
    from anc.job import Job
    from anc.language import Source
    from anc.learning.problem import Problem
    from anc.loading import Loaded
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.recording.recorder import Recorded
    from anc.tasks import Case

    # a program, a Python function or weights, or what names them
    What: TypeAlias = Program | Function[..., Any] | Recorded[..., Any] | Weights | str | Path

Samples: TypeAlias = Sequence[Any] | Callable[[Random], Any] | Path


def load(job: Job, what: What | Source, memory: int | None = None) -> Loaded:
    """What is named, or is given; the compiler's warnings are told."""
    from anc import loading
    from anc.language import Source

    if isinstance(what, str) and what in programs.names() and Path(what).exists():
        job.note(f"note: '{what}' is the shipped program; what lies here is ./{what}")
    if isinstance(what, Source):
        loaded = loading.compiled(what, memory)
    else:
        loaded = loading.load(what, memory)
    if loaded.warnings:
        job.warn(loaded.warnings)
    return loaded


def name_of(loaded: Loaded) -> str:
    """What to call the problem that a program poses."""
    if loaded.function is not None:
        return loaded.function.name
    name = Path(loaded.name).stem
    return "program" if name.startswith("<") else name


@dataclass(frozen=True)
class Given:
    """A problem and where it came from, so that a run folder can make it again."""

    problem: Problem
    origin: dict[str, Any]
    cases: Sequence[Case] = ()
    facts: tuple[str, ...] = ()  # that the program itself states


def given_problem(
    job: Job,
    target: What,
    samples: Samples | str | None,
    generic: bool = False,
    memory: int | None = None,
    seed: int = 0,
    freeze: Sequence[int] = (),
) -> Given:
    """A task by name, or a program with samples, with these lines frozen too."""
    if samples is None:
        given = _task(job, target, generic, memory, seed)
    else:
        given = _own(job, target, samples, memory, seed)
    origin = given.origin | ({"frozen": list(freeze)} if freeze else {})
    return replace(given, problem=given.problem.with_frozen(freeze), origin=origin)


def _task(job: Job, target: What, generic: bool, memory: int | None, seed: int) -> Given:
    from anc import tasks
    from anc.learning import problem as problems

    if not (isinstance(target, str) and target in programs.names()):
        loaded = load(job, target)  # says what is wrong with the name, if that is it
        if job.command is None:
            raise AncError("a program of your own needs samples to adapt to")
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


def _own(job: Job, target: What, samples: Samples | str, memory: int | None, seed: int) -> Given:
    from anc.learning.problem import POOL, from_cases
    from anc.tasks.data import cases_from, more_cases_from
    from anc.tasks.recorded import read_samples

    loaded, note, more = load(job, target, memory), "", None
    call = loaded.call
    if isinstance(samples, str | Path):
        cases, note = read_samples(samples, loaded.program, memory, call, loaded.real_call, seed)
    elif callable(samples):
        cases = cases_from(samples, POOL, seed, loaded.program, memory, call=call)
        more = functools.partial(more_cases_from, samples, seed, loaded.program, cases[0].M, call)
    else:
        listed: Iterator[Any] = iter(checked_samples(samples))

        def given(random: Random) -> Any:
            return next(listed)

        given.__name__ = "samples"
        cases = cases_from(given, len(samples), seed, loaded.program, memory, call=call)
    name = name_of(loaded)
    origin = {"kind": "cases", "name": name, "memory": memory, "seed": seed}
    problem = from_cases(
        name, loaded.program, loaded.text, cases, seed, loaded.function, note, more
    )
    return Given(problem, origin, cases, loaded.facts)


def refuse_generic(request: Request[Any]) -> None:
    """Refuse to choose among the cases of a task where others are given."""
    if request.is_given("samples"):
        request.refuse(
            "generic",
            because=f"is about the cases of a task, and {request.word('samples')} gives others",
            help="give one of them",
        )


def checked_samples(samples: Any, name: str = "samples") -> Sequence[Any]:
    """Samples that a caller lists, at least one."""
    if not has_length(samples) or isinstance(samples, Mapping):
        raise AncError(
            f"{name} is {quoted(samples)}, expected a list of them, a function or a file"
        )
    if not len(samples):
        raise AncError(
            f"{name} is empty: there are no cases to adapt to",
            help="give tapes, such as [[3, 1, 2], [4, 1, 2]]",
        )
    return samples


def data_of(start: Any) -> dict[str, Any]:
    """What an earlier result says of itself."""
    if not hasattr(start, "to_dict"):
        kind = type(start).__name__
        raise AncError(f"'start' is an earlier result or its folder, not something of type {kind}")
    return start.to_dict()
