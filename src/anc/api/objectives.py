"""Objectives from Python: scores, what they are about, and what goes with them or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anc.api.arguments import checked
from anc.api.given import load_given
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.objectives.adapt import Aimed
    from anc.objectives.making import Described


@checked()
def score(what: Any, cell: int | None = None, soft: bool = False) -> Described:
    """A score for `objective=` or `constraint=`, where the thing itself does not say all.

    `cell` is where a program leaves the score (else cell 0, or a Python function's result); `soft` says that
    a function is one of JAX on soft tapes: (M,) numbers, (M, M) distributions -> a number.

    >>> import anc
    >>> anc.score("var x = READ(3); WRITE(5, x); STOP()", cell=5).cell
    5
    """
    from anc.objectives.making import Described

    return Described(what, cell, soft)


def aimed_at(
    program: What,
    inputs: Any,
    objective: Any,
    constraint: Any,
    maximise: bool,
    seed: int,
    freeze: Sequence[int],
) -> Aimed:
    from anc.problems import aim

    loaded = load_given(program)
    return aim(program, loaded, inputs, objective, constraint, maximise, seed, freeze)


def refuse_as_meaningless(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value:
            raise AncError(
                f"'{name}' does not go with 'objective'",
                help="an objective has no right answers, and its one search is by score; its work is"
                " a number of 'proposals'",
            )


def refuse_with_objective(**answers: Any) -> None:
    for name, value in answers.items():
        if value is not None:
            raise AncError(
                f"'{name}' and 'objective' exclude each other: an objective has no right answers",
                help="give tapes without answers as 'inputs'",
            )


def refuse_engine(engine: str | None) -> None:
    if engine is not None:
        raise AncError("'engine' does not go with 'objective': only 'jax' knows objectives")


def refuse_without_objective(
    inputs: Any, constraint: Any, maximise: bool, proposals: int | None = None
) -> None:
    given = {"constraint": constraint, "maximise": maximise or None, "proposals": proposals}
    for name, value in (given | {"inputs": inputs}).items():
        if value is not None:
            raise AncError(
                f"'{name}' needs an 'objective'", help="cases with answers are 'samples'"
            )
