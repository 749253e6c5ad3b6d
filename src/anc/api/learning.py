"""Programs that get better: adapted, trained, filled, by answers or by a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from anc import limits
from anc.api.arguments import checked
from anc.api.given import (
    Samples,
    checked_facts,
    checked_lines,
    checked_path,
    checked_weights,
    data_of,
    problem_of,
)
from anc.api.objectives import (
    aimed_at,
    refuse_as_meaningless,
    refuse_engine,
    refuse_with_objective,
    refuse_without_objective,
)
from anc.clock import now
from anc.diagnostics import AncError
from anc.job import Job

if TYPE_CHECKING:
    from anc.adaptation.earlier import Earlier
    from anc.adaptation.result import Adapted
    from anc.api.given import What
    from anc.learning.training import Result
    from anc.objectives.adapt import Aimed
    from anc.objectives.result import Improved
    from anc.program import Program


@overload
def adapt(
    program: What,
    samples: Samples | None = None,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    assume: Sequence[str] = (),
    trust: str = "proof",
    freeze: Sequence[int] = (),
    *,
    evaluations: int | None = None,
    weights: Mapping[str, float] | None = None,
    trade_off: bool = False,
    start: Adapted | str | Path | None = None,
    seeds: int = 1,
    jobs: int | None = None,
    memory_limit: int | str | None = None,
) -> Adapted: ...
@overload
def adapt(
    program: What,
    samples: None = None,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    *,
    freeze: Sequence[int] = (),
    objective: Any,
    inputs: Samples | str | None = None,
    constraint: Any = None,
    maximise: bool = False,
    proposals: int | None = None,
    evaluations: int | None = None,
    start: Improved | str | Path | None = None,
    memory_limit: int | str | None = None,
) -> Improved: ...
@checked(seeds=limits.ADAPTED_SEEDS)
def adapt(
    program,
    samples=None,
    budget=60.0,
    method="all",
    seed=0,
    assume=(),
    trust="proof",
    freeze=(),
    *,
    objective=None,
    inputs=None,
    constraint=None,
    maximise=False,
    proposals=None,
    evaluations=None,
    weights=None,
    trade_off=False,
    start=None,
    seeds=1,
    jobs=None,
    memory_limit=None,
):
    """The best exact program for the inputs that you have, with evidence of where it is right.

    Where a faster program is right on all samples but not proved, it is the result's `unproved`;
    `trust="samples"` puts it first. Program lines in `freeze` stay as they are.

    `samples` are tapes (of a Python function: the arguments of calls), or dictionaries with `input`
    and perhaps `output` and `mask`, or a function that draws one from a `random.Random`, or the name
    of a file of cases or of recorded calls; a task's name needs none. `budget` is in seconds; with
    `evaluations` it is work instead, about 100,000 in a second, and the same `seed` always gives the
    same result. `memory_limit` is how much memory all of it may take, such as "4GB" (half of what is
    free, by default): a method that would take more ends, and the best so far is kept.

    Answers are compared by their mean steps, or by what `weights` make of them, such as
    `{"READ": 3, "lines": 0.1}`; `trade_off` asks for the curve between steps and lines. `start` is an
    earlier result or its folder, with whose programs the search begins. Of several `seeds` the best is
    kept; `jobs` of them work at a time, each in processes of its own (half as many as cores, by default).

    >>> import anc
    >>> result = anc.adapt("access", evaluations=50_000)
    >>> result.steps_generic, result.steps_adapted, result.verdict.proved, result.precondition
    (5.0, 3.0, True, ('tape[0] == 3',))

    Without right answers: an `objective` is a score of what is left on the tape, to be as small as
    possible (`maximise`: as large), and `inputs` are tapes without answers. It is a program that
    computes the score into cell 0 (or another: see `anc.score`), a function with `@anc.function`, or a
    Python function `(input, final) -> number`. A run is valid if it stops and the `constraint`, given
    likewise, is not 0. The search ends after so many `proposals`, if that is given; so many `evaluations`
    are the same without a limit of seconds beside them.

    >>> program = "memory 8; var x = READ(0); WRITE(1, x); STOP()"
    >>> result = anc.adapt(program, inputs=[[n % 4] for n in range(50)], proposals=1000, method="search",
    ...                    objective=lambda given, final: abs(final[1] - 6))
    >>> result.improved, result.comparison.adapted
    (True, 0.0)
    """
    job = Job(budget, evaluations, now())
    freeze, assume = checked_lines(freeze), checked_facts(assume)
    limits.check_word("trust", trust, ("proof", "samples"))
    if objective is not None:
        from anc.objectives.adapt import improve

        refuse_with_objective(samples=samples, assume=assume or None)
        given = {"trust": trust != "proof", "weights": weights, "trade_off": trade_off}
        given |= {"seeds": seeds != 1, "jobs": jobs}
        refuse_as_meaningless(given)
        aimed = aimed_at(program, inputs, objective, constraint, maximise, seed, freeze)
        begin = _earlier_program(start, aimed)
        return improve(aimed, job, method, seed, proposals, earlier=begin)
    refuse_without_objective(inputs, constraint, maximise, proposals)
    from anc.adaptation.adapt import METHODS
    from anc.adaptation.several import adapt_with_seeds
    from anc.search import Cost
    from anc.verify import parse_fact

    limits.check_word("method", method, METHODS)
    if jobs is not None and seeds == 1:
        raise AncError("'jobs' goes with several seeds", help="such as seeds=8, jobs=4")
    cost, earlier = Cost.named({} if weights is None else checked_weights(weights)), _earlier(start)
    problem = problem_of(program, samples, seed, freeze)
    stated = () if problem.function is None else problem.function.facts
    facts = [parse_fact(text, problem.M) for text in (*stated, *assume)]
    return adapt_with_seeds(
        problem, job, seed, seeds, jobs, method=method, assumed=facts, cost=cost,
        trade_off=trade_off, trust=trust, start=earlier,
    )  # fmt: skip


@overload
def train(
    program: What,
    samples: None = None,
    seeds: int = 8,
    freeze: Sequence[int] = (),
    *,
    objective: Any,
    inputs: Samples | str | None = None,
    constraint: Any = None,
    maximise: bool = False,
    **settings: Any,
) -> Improved: ...
@overload
def train(
    program: What,
    samples: Samples | None = None,
    seeds: int = 100,
    freeze: Sequence[int] = (),
    *,
    engine: str = "fused",
    **settings: Any,
) -> Result: ...
@checked()
def train(
    program,
    samples=None,
    seeds=None,
    freeze=(),
    *,
    objective=None,
    inputs=None,
    constraint=None,
    maximise=False,
    engine=None,
    **settings,
):
    """Adapt a program by gradient descent alone, many seeds at once; settings as in `anc train`.

    Program lines in `freeze` stay as they are. The `engine` is "fused" on the CPU, "gpu" on a graphics
    card, "jax" to compare, or "auto", the fastest here. With an `objective` (see `anc.adapt`) that has a
    gradient: a program, or a function of JAX on soft tapes, `anc.score(function, soft=True)`.

    >>> import anc
    >>> result = anc.train("access", seeds=8, iterations=200)
    >>> len(result.steps), result.generic_steps
    (8, 5.0)
    """
    freeze = checked_lines(freeze)
    if objective is not None:
        from anc.objectives.adapt import SEEDS, improve

        refuse_with_objective(samples=samples)
        refuse_engine(engine)
        aimed = aimed_at(program, inputs, objective, constraint, maximise, 0, freeze)
        job = Job(float("inf"))
        return improve(aimed, job, "gradient", seeds=seeds or SEEDS, settings=settings)
    refuse_without_objective(inputs, constraint, maximise)
    from anc.learning.engines import check_memory, chosen_engine
    from anc.learning.engines import engine as find_engine
    from anc.learning.members import Members
    from anc.learning.settings import changed, refuse_idle, usual_settings
    from anc.learning.training import Training
    from anc.learning.training import run as run_training

    problem = problem_of(program, samples, 0, freeze)
    chosen = changed(usual_settings(problem.name), settings)
    refuse_idle(chosen, settings)
    members = Members.alike(chosen, 100 if seeds is None else seeds)
    name = chosen_engine("fused" if engine is None else engine)
    check_memory(problem, members, name)
    return run_training(Training(problem, members, find_engine(name)))


def _earlier(start: Adapted | str | Path | None) -> Earlier | None:
    """What an earlier result found: the result itself, or its folder."""
    from anc.adaptation.earlier import Earlier

    if start is None:
        return None
    if isinstance(start, str | Path):
        return Earlier.read(checked_path(start))
    return Earlier.of(data_of(start))


def _earlier_program(start: Improved | str | Path | None, aimed: Aimed) -> Program | None:
    from anc.objectives.earlier import earlier_program, read_earlier

    if start is None:
        return None
    if isinstance(start, str | Path):
        return read_earlier(checked_path(start), aimed)
    return earlier_program(data_of(start), aimed)
