"""What a person gives to a command or a function: a program in one of its many forms, samples, an earlier result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from anc.data import programs
from anc.program import Program
from anc.support.diagnostics import AncError, quoted
from anc.support.limits import has_length

if TYPE_CHECKING:
    from anc.commands.problems import GivenProblem
    from anc.commands.request import Request
    from anc.data.loading import Loaded
    from anc.language import Source
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.python.recording.recorder import Recorded
    from anc.support.job import Job

    # a program, a Python function or weights, or what names them
    What: TypeAlias = Program | Function[..., Any] | Recorded[..., Any] | Weights | str | Path

Samples: TypeAlias = Sequence[Any] | Callable[[Random], Any] | Path


def load(job: Job, what: What | Source, memory: int | None = None) -> Loaded:
    """What is named, or is given; the compiler's warnings are told."""
    from anc.data import loading
    from anc.language import Source

    if isinstance(what, str) and what in programs.names() and Path(what).exists():
        job.note(f"note: '{what}' is the shipped program; what lies here is ./{what}")
    if isinstance(what, Source):
        loaded = loading.compiled(what, memory, job.instructions)
    else:
        loaded = loading.load(what, memory, job.instructions)
    if loaded.warnings:
        job.warn(loaded.warnings)
    return loaded


def given_problem(
    job: Job,
    target: What,
    samples: Samples | str | None,
    generic: bool = False,
    memory: int | None = None,
    seed: int = 0,
    freeze: Sequence[int] = (),
) -> GivenProblem:
    """A task by name, or a program with samples, with these lines frozen too."""
    from anc.commands import problems

    if samples is None and not problems.is_task(target):
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
    if not (samples is None or isinstance(samples, str | Path) or callable(samples)):
        samples = checked_samples(samples)

    def named(what: Any, memory: int | None) -> Loaded:
        return load(job, what, memory)

    return problems.given_problem(target, samples, seed, memory, generic, freeze, named)


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


def checked_start(start: Any) -> Any:
    """An earlier result, or the folder of one."""
    return Path(start) if isinstance(start, str) else start
