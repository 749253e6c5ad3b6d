"""The semantics of a problem: Python functions mean what Python computes, and frozen lines do not change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anc.adaptation.evidence import MAX_STEPS
from anc.compiler import to_text
from anc.data.tasks.cases import Case
from anc.machine import exact
from anc.machine.exact import Stop
from anc.python.differences import described
from anc.support.diagnostics import AncError
from anc.training.problem import Problem

if TYPE_CHECKING:
    from anc.python.function import Function


def as_python_runs_it(problem: Problem) -> Problem:
    """The problem of a Python function, with the exact program that answers must equal, and without refused cases.

    If the function is meant to wrap around, its own program defines what is right. If the exact program has more
    lines than the memory has cells, the problem is moved to a larger memory: in Python it is the same function.
    """
    function = problem.function
    if function is None or function.wrap:
        return problem
    try:
        checked = function.exact
    except AncError:
        problem, function = _with_room(problem, function)
        checked = function.exact

    def is_good(case: Case) -> bool:
        return exact.run(checked, case.input, MAX_STEPS).stop is Stop.STOPPED

    more = problem.more
    problem = replace(problem, exact=checked, more=more and (lambda: filter(is_good, more())))
    distinct = dict.fromkeys(problem.everything)
    good = {case for case in distinct if is_good(case)}
    if len(good) == len(distinct):
        return problem
    refused = next(case for case in distinct if case not in good)
    reported = sum(case not in good for case in problem.test)
    left_out = (
        f"{len(distinct) - len(good)} of {len(distinct)} distinct cases are left out, in which the"
        f" machine does not do what Python does: the first is {described(function, refused.input)}"
        + (f" ({reported} of {len(problem.test)} to report on are left out)" if reported else "")
    )

    kept = problem.with_cases(lambda cases: tuple(filter(good.__contains__, cases)))
    if not all((kept.pool, kept.validation, kept.confirmation, kept.test)):
        raise AncError(left_out, help=f"numbers go from 0 to {problem.M - 1}: use a larger memory")
    return replace(kept, note=problem.noted(left_out))


def _with_room(problem: Problem, function: Function) -> tuple[Problem, Function]:
    """The same problem on a memory into which the exact program fits."""
    roomy = function.with_room()
    added = roomy.M - problem.M

    def larger(case: Case) -> Case:
        cells = case.input + (0,) * added
        output = exact.run(roomy.program, cells, MAX_STEPS).tape
        return Case(cells, output, case.mask + (False,) * added)

    new = {case: larger(case) for case in dict.fromkeys(problem.everything)}
    drawn = problem.more
    note = (
        f"with every number checked, the function has more lines than {problem.M} cells allow: it is"
        f" adapted for a memory of {roomy.M}, which is the same to Python"
    )
    return problem.with_cases(
        lambda cases: tuple(map(new.__getitem__, cases)),
        program=roomy.program,
        text=to_text(roomy.program),
        M=roomy.M,
        note=problem.noted(note),
        function=roomy,
        more=drawn and (lambda: map(larger, drawn())),
    ), roomy


def leaving_lines_alone(problem: Problem, method: str) -> Problem:
    """The problem, with a note about the methods that can keep frozen lines, if it has any."""
    lines = problem.program.frozen
    if not lines:
        return problem
    if method == "specialise":
        raise AncError(
            "the method 'specialise' writes new programs: it cannot leave frozen lines alone",
            help="use all, search or gradient",
        )
    many = len(lines) != 1
    used = {"all": "annealing and gradient descent", "search": "annealing"}
    note = (
        f"{len(lines)} frozen line{'s stay as they are' if many else ' stays as it is'}: only"
        f" {used.get(method, 'gradient descent')} can honour that, and no other method was used"
    )
    return replace(problem, note="\n".join(filter(None, (problem.note, note))))
