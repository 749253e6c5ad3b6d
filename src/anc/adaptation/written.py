"""The texts of an adaptation: listings, and functions that can be pasted anywhere."""

from __future__ import annotations

from collections.abc import Sequence

from anc.adaptation.result import Adapted, Answer
from anc.codegen import guarded_c, guarded_python
from anc.codegen.functions import function_in_c, function_in_python
from anc.codegen.self_tests import examples_of
from anc.compiler import to_text
from anc.support.diagnostics import counted, ranges
from anc.training.problem import Problem


def files_of(result: Adapted, write_anyway: bool = False) -> dict[str, str]:
    """generic.anc, adapted.anc and, where there are any, the others.

    A function of Python that is slower than what was there before is written if that is asked for.
    """
    texts = {"generic.anc": result.problem.text, "adapted.anc": _listing(result, result.answer)}
    if result.unproved is not None:
        other = result.proved if result.answer is result.unproved else result.unproved
        name = "proved.anc" if other is result.proved else "unproved.anc"
        texts[name] = _listing(result, other)
    if result.problem.exact is not None:
        texts["exact.anc"] = to_text(result.problem.exact)
    if result.guarded.program is not None:
        texts["guarded.anc"] = to_text(result.guarded.program)
    if result.python is not None:
        texts["adapted.h"] = in_c(result)
        if write_anyway or not result.is_withheld:
            texts["adapted.py"] = result.python
    return texts


def _listing(result: Adapted, answer: Answer) -> str:
    cost = f"cost {answer.cost:.2f} instead of {result.cost_generic:.2f}, "
    head = [
        f"# {result.problem.name}, adapted: {cost if result.weighed_generic is not None else ''}"
        f"{answer.steps:.2f} steps instead of {result.steps_generic:.2f}"
        f" (means over {counted(len(result.problem.test), 'case')})",
        f"# {answer.verdict.statement}",
        f"# {answer.tested}",
    ]
    if answer.facts:
        head += ["# right whenever"] + [f"#   {text}" for text in answer.precondition]
        head.append(f"# {answer.support}")
    return "\n".join(head) + "\n" + to_text(answer.program)


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
        else f"Of the result these cells count: {ranges(result.counted)}.",
    ]
    return [line for line in says if line]


def _is_usual(problem: Problem, counts: Sequence[bool]) -> bool:
    """Whether all cells count; of a function of arguments, all that a caller sees."""
    seen = None if problem.function is None else problem.function.layout.counts
    return all(counts[cell] for cell in (range(problem.M) if seen is None else seen))
