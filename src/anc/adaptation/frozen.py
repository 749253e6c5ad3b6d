"""Adapting a program some of whose lines stay as they are."""

from __future__ import annotations

from dataclasses import replace

from anc.diagnostics import AncError
from anc.learning.problem import Problem


def leaving_lines_alone(problem: Problem, method: str) -> Problem:
    """The problem with a note of what frozen lines mean for the search; itself where there are none."""
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
