"""Inputs on which a function's program differs from Python, and what a layer does with them.

The machine's numbers wrap around, Python's do not. A function's exact program passes its last line on
every input on which that makes a difference. Running it therefore shows where the results are Python's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anc.program import Program
from anc.python.differences import described
from anc.python.function import Function
from anc.python.layout import Layout
from anc.support.diagnostics import AncError

OUTSIDE = ("error", "drop", "wrap")
_HELP = (
    "use a larger memory, or values=10 if there are no others; outside='drop' leaves such inputs"
    " out, outside='wrap' takes the machine's numbers, which wrap around"
)


@dataclass(frozen=True)
class Checked:
    """A function's exact program, the memory that it needs, and the policy for inputs outside."""

    program: Program
    M: int
    drops: bool
    layout: Layout
    function: Function | None  # for error messages; not saved
    holes: int = 0  # the last arguments that are choices of holes

    def check_lengths(self, largest: Mapping[int, int]) -> None:
        """Refuse lists that may be longer than their maximum, given the largest value of each cell."""
        for p in self.layout.parameters:
            if p.size is not None and p.length is not None and largest[p.length] > p.size:
                raise AncError(
                    f"cell {p.length} is the length of '{p.name}', from 0 to {p.size}, but here it"
                    f" may be {largest[p.length]}",
                    help=f"an input of {p.size + 1} values has no others",
                )

    def refusal(self, tape: Sequence[int]) -> AncError:
        """The error for an input on which Python does something else."""
        if self.function is None:
            numbers = " ".join(map(str, tape))
            call = f"the tape {numbers}, on which Python does something else"
        else:
            call = described(self.function, tape)
        last = (
            "last number is the choice"
            if self.holes == 1
            else f"last {self.holes} numbers are choices"
        )
        help = f"the {last} of a hole, counted from 0; {_HELP}" if self.holes else _HELP
        return AncError(f"this layer would not compute what Python does: {call}", help=help)

    def __getstate__(self) -> dict[str, Any]:
        return vars(replace(self, function=None))


def checked_by_python(function: Function | None, outside: str, holes: int = 0) -> Checked | None:
    """The exact program of a function whose results must be Python's; None for everything else."""
    if function is None or function.wrap:
        if outside == "drop":
            raise AncError(
                "outside='drop' leaves out inputs on which Python does something else, but here"
                " numbers wrap around on purpose",
                help="give a Python function without wrap=True",
            )
        return None
    if outside == "wrap":
        return None
    try:
        program = function.exact
    except AncError:
        program = _with_room(function)
    assert program.memory is not None
    return Checked(program, program.memory, outside == "drop", function.layout, function, holes)


def _with_room(function: Function) -> Program:
    """The exact program in a memory large enough for it."""
    try:
        return function.with_room().exact
    except AncError as problem:
        raise AncError(problem.message, help="use a larger memory, or say outside='wrap'") from None
