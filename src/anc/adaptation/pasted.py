"""A proved answer as functions that can be pasted anywhere, behind a check of its precondition."""

from __future__ import annotations

from collections.abc import Sequence

from anc.adaptation.result import Adapted
from anc.emit import guarded_c, guarded_python
from anc.emit.calls import examples_of
from anc.emit.functions import function_in_c, function_in_python
from anc.learning.problem import Problem


def in_python(result: Adapted) -> str:
    """The text of adapted.py."""
    problem, answer = result.problem, result.answer
    if problem.function is not None:
        return function_in_python(problem.function, answer.program, answer.facts, _says(result))
    known = problem.program, answer.program, answer.facts, problem.M, result.name_in_files
    return guarded_python(*known, _says(result))


def in_c(result: Adapted) -> str:
    """The text of adapted.h, with test cases and what is rejected first as its self-test."""
    problem, answer, M = result.problem, result.answer, result.problem.M
    tapes = [case.input for case in problem.test]
    tapes[:0] = [answer.rejected] if answer.rejected else []
    if problem.function is not None:
        return function_in_c(problem.function, answer.program, answer.facts, _says(result), tapes)
    known = problem.program, answer.program, answer.facts, M, result.name_in_files
    examples = examples_of(problem.program, M, tapes)
    return guarded_c(*known, _says(result), examples=examples, counts=result.counts)


def _says(result: Adapted) -> list[str]:
    """What its documentation says of it."""
    answer = result.answer
    says = [
        f"{answer.steps:.2f} steps instead of {result.steps_generic:.2f} on the machine.",
        f"{answer.verdict.statement}.",
        answer.support if answer.facts else "",
        ""
        if _is_usual(result.problem, result.counts)
        else f"Of the result these cells count: {_ranges(result.counts)}.",
    ]
    return [line for line in says if line]


def _is_usual(problem: Problem, counts: Sequence[bool]) -> bool:
    """Whether all cells count; of a function of arguments, all that a caller sees."""
    seen = None if problem.function is None else problem.function.layout.counts
    return all(counts[cell] for cell in (range(problem.M) if seen is None else seen))


def _ranges(counts: Sequence[bool]) -> str:
    """The cells that count, in words."""
    cells = [cell for cell, does in enumerate(counts) if does]
    starts = [cell for cell in cells if cell - 1 not in cells]
    ends = [cell for cell in cells if cell + 1 not in cells]
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))
