"""Programs with holes, filled from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from anc.api.arguments import checked
from anc.api.given import Samples, checked_path, data_of
from anc.api.objectives import refuse_engine, refuse_with_objective, refuse_without_objective
from anc.clock import now
from anc.diagnostics import AncError
from anc.job import Job

if TYPE_CHECKING:
    from anc.holes.filled import Filled
    from anc.holes.scored import Scored
    from anc.python.function import Function
    from anc.python.opening import OpenFunction


@overload
def fill(
    sketch: OpenFunction | Function[..., Any] | str | Path,
    cases: Sequence[Any] | str | Path,
    fresh: Sequence[Any] | str | Path | None = None,
    memory: int | None = None,
    budget: float = 60.0,
    method: str = "all",
    seeds: int = 100,
    seed: int = 0,
    max_steps: int = 1000,
    *,
    start: Filled | str | Path | None = None,
    evaluations: int | None = None,
    engine: str = "fused",
    memory_limit: int | str | None = None,
) -> Filled: ...
@overload
def fill(
    sketch: OpenFunction | Function[..., Any] | str | Path,
    cases: None = None,
    fresh: Sequence[Any] | str | Path | None = None,
    memory: int | None = None,
    budget: float = 60.0,
    method: str = "all",
    seeds: int = 8,
    seed: int = 0,
    max_steps: int = 1000,
    *,
    objective: Any,
    inputs: Samples | str,
    constraint: Any = None,
    maximise: bool = False,
    proposals: int | None = None,
    start: Scored | str | Path | None = None,
    evaluations: int | None = None,
    memory_limit: int | str | None = None,
) -> Scored: ...
@checked()
def fill(
    sketch,
    cases=None,
    fresh=None,
    memory=None,
    budget=60.0,
    method="all",
    seeds=None,
    seed=0,
    max_steps=1000,
    *,
    objective=None,
    inputs=None,
    constraint=None,
    maximise=False,
    proposals=None,
    start=None,
    evaluations=None,
    engine=None,
    memory_limit=None,
):
    """Fill the holes of a program from cases, and say which of them the cases determine.

    The sketch is a listing in which places are left open (`?`, or `? in (ADD, SUB)`), as a text or a
    file, or a Python function with `anc.hole(...)`. `cases` are dictionaries with `input`, `output`
    and perhaps `mask`, or the name of a file of them; they may be wrong here and there. `fresh` cases
    are only reported on; without them, a fifth of the cases is. With `evaluations` the budget is work
    instead of seconds, as in `anc.adapt`. `start` is an earlier result for the same sketch, or its
    folder, whose filling is tried first; `engine` is what gradient descent uses, as in `anc.train`.
    `memory_limit` is as in `anc.adapt`.

    >>> import anc
    >>> text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    >>> result = anc.fill(text, [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}])
    >>> print(result.text.split("; ")[2], result.is_determined)
    x = ADD(x, 2) True

    Without cases: `inputs` and an `objective`, as in `anc.adapt`; the filling with the best mean score
    is taken, after so many tried as `proposals` says. `fresh` are inputs then.

    >>> text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    >>> result = anc.fill(text, inputs=[[3], [4], [5]], objective=lambda given, final: final[0])
    >>> print(result.text.split("; ")[2], result.score)
    x = MIN(x, 1) 1.0
    """
    from anc.holes.earlier import earlier_filling, read_earlier
    from anc.holes.fill import fill
    from anc.learning.engines import chosen_engine
    from anc.problems import given_sketch

    job = Job(budget, evaluations, now())
    given = given_sketch(sketch, memory)
    earlier = None
    if isinstance(start, str | Path):
        earlier = read_earlier(checked_path(start), given.sketch)
    elif start is not None:
        earlier = earlier_filling(data_of(start), given.sketch)
    if objective is not None:
        from anc.holes.aiming import fill_for

        refuse_with_objective(cases=cases)
        refuse_engine(engine)
        aim = given.aimed(inputs, fresh, objective, constraint, maximise, seed)
        return fill_for(
            given.name, given.sketch, *aim, job, method, seeds, seed, max_steps, proposals,
            earlier=earlier,
        )  # fmt: skip
    refuse_without_objective(inputs, constraint, maximise, proposals)
    if cases is None:
        raise AncError("there are no cases to fill the holes from, and no objective")
    chosen, others = given.cases_apart(cases, fresh, seed)
    seeds = 100 if seeds is None else seeds
    return fill(
        given.name, given.sketch, chosen, others, job, method, seeds, seed, max_steps,
        chosen_engine("fused" if engine is None else engine), earlier,
    )  # fmt: skip
