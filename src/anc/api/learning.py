"""Programs that get better: adapted, trained, filled, by answers or by a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from anc import limits
from anc.api.given import Samples, checked_facts, checked_lines, load_given, problem_of
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.adaptation.earlier import Earlier
    from anc.adaptation.result import Adapted
    from anc.api.given import What
    from anc.holes.filled import Filled
    from anc.holes.scored import Scored
    from anc.learning.training import Result
    from anc.objectives.adapt import Aimed
    from anc.objectives.making import Described
    from anc.objectives.result import Improved
    from anc.program import Program
    from anc.python.function import Function
    from anc.python.opening import OpenFunction


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
) -> Improved: ...
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
):
    """The best exact program for the inputs that you have, with evidence of where it is right.

    Where a faster program is right on all samples but not proved, it is the result's `unproved`;
    `trust="samples"` puts it first. Program lines in `freeze` stay as they are.

    `samples` are tapes (of a Python function: the arguments of calls), or dictionaries with `input`
    and perhaps `output` and `mask`, or a function that draws one from a `random.Random`, or the name
    of a file of cases or of recorded calls; a task's name needs none. `budget` is in seconds; with
    `evaluations` it is work instead, about 100,000 in a second, and the same `seed` always gives the
    same result.

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
    limits.check(budget=budget, seed=seed, proposals=proposals, evaluations=evaluations, jobs=jobs)
    limits.ADAPTED_SEEDS.check(seeds)
    freeze, assume = checked_lines(freeze), checked_facts(assume)
    limits.check_word("trust", trust, ("proof", "samples"))
    if objective is not None:
        from anc.objectives.adapt import improve

        _refuse_with_objective(samples=samples, assume=assume or None)
        given = {"trust": trust != "proof", "weights": weights, "trade_off": trade_off}
        given |= {"seeds": seeds != 1, "jobs": jobs}
        _refuse_as_meaningless(given)
        aimed = _aimed(program, inputs, objective, constraint, maximise, seed, freeze)
        begin = _earlier_program(start, aimed)
        return improve(
            aimed, budget, method, seed, proposals, earlier=begin, evaluations=evaluations
        )
    _refuse_without_objective(inputs, constraint, maximise, proposals)
    from anc.adaptation.adapt import METHODS
    from anc.adaptation.several import adapt_with_seeds
    from anc.search import Cost
    from anc.verify import parse_fact

    limits.check_word("method", method, METHODS)
    if jobs is not None and seeds == 1:
        raise AncError("'jobs' goes with several seeds", help="such as seeds=8, jobs=4")
    cost, earlier = Cost.named(weights or {}), _earlier(start)
    problem = problem_of(program, samples, seed).with_frozen(freeze)
    stated = load_given(program).facts if samples is not None else ()
    facts = [parse_fact(text, problem.M) for text in (*stated, *assume)]
    return adapt_with_seeds(
        problem, seed, seeds, jobs, budget=budget, method=method, assumed=facts, cost=cost,
        trade_off=trade_off, trust=trust, start=earlier,
        evaluations=evaluations,
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
    **settings: Any,
) -> Result: ...
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
    **settings,
):
    """Adapt a program by gradient descent alone, many seeds at once; settings as in `anc train`.

    Program lines in `freeze` stay as they are. With an `objective` (see `anc.adapt`) that has a
    gradient: a program, or a function of JAX on soft tapes, `anc.score(function, soft=True)`.

    >>> import anc
    >>> result = anc.train("access", seeds=8, iterations=200)
    >>> len(result.steps), result.generic_steps
    (8, 5.0)
    """
    limits.check(seeds=seeds)
    freeze = checked_lines(freeze)
    if objective is not None:
        from anc.objectives.adapt import SEEDS, improve

        _refuse_with_objective(samples=samples)
        aimed = _aimed(program, inputs, objective, constraint, maximise, 0, freeze)
        return improve(aimed, float("inf"), "gradient", seeds=seeds or SEEDS, settings=settings)
    _refuse_without_objective(inputs, constraint, maximise)
    from anc.learning.engines import check_memory, engine
    from anc.learning.members import Members
    from anc.learning.settings import changed, usual_settings
    from anc.learning.training import Training
    from anc.learning.training import run as run_training

    problem = problem_of(program, samples, 0).with_frozen(freeze)
    chosen = changed(usual_settings(problem.name), settings)
    members = Members.alike(chosen, 100 if seeds is None else seeds)
    check_memory(problem, members, "fused")
    return run_training(Training(problem, members, engine("fused")))


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
) -> Scored: ...
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
):
    """Fill the holes of a program from cases, and say which of them the cases determine.

    The sketch is a listing in which places are left open (`?`, or `? in (ADD, SUB)`), as a text or a
    file, or a Python function with `anc.hole(...)`. `cases` are dictionaries with `input`, `output`
    and perhaps `mask`, or the name of a file of them; they may be wrong here and there. `fresh` cases
    are only reported on; without them, a fifth of the cases is. With `evaluations` the budget is work
    instead of seconds, as in `anc.adapt`. `start` is an earlier result for the same sketch, or its
    folder, whose filling is tried first.

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
    from anc.holes.loading import aimed, checked_cases, given_sketch, split

    limits.check(
        budget=budget, seeds=seeds, seed=seed, max_steps=max_steps, proposals=proposals,
        evaluations=evaluations,
    )  # fmt: skip
    given = given_sketch(sketch, memory)
    earlier = None
    if isinstance(start, str | Path):
        earlier = read_earlier(Path(start), given.sketch)
    elif start is not None:
        earlier = earlier_filling(_data_of(start), given.sketch)
    if objective is not None:
        from anc.holes.aiming import fill_for

        _refuse_with_objective(cases=cases)
        aim = aimed(given, inputs, fresh, objective, constraint, maximise, seed)
        return fill_for(
            given.name, given.sketch, *aim, budget, method, seeds, seed, max_steps, proposals,
            earlier=earlier,
            evaluations=evaluations,
        )  # fmt: skip
    _refuse_without_objective(inputs, constraint, maximise, proposals)
    if cases is None:
        raise AncError("there are no cases to fill the holes from, and no objective")
    chosen = checked_cases(given, cases)
    others = [] if fresh is None else checked_cases(given, fresh)
    if fresh is None:
        chosen, others = split(chosen, seed)
    seeds = 100 if seeds is None else seeds
    return fill(
        given.name, given.sketch, chosen, others, budget, method, seeds, seed, max_steps,
        earlier=earlier,
        evaluations=evaluations,
    )  # fmt: skip


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


def _aimed(
    program: What,
    inputs: Any,
    objective: Any,
    constraint: Any,
    maximise: bool,
    seed: int,
    freeze: Sequence[int],
) -> Aimed:
    from anc.objectives.loading import aim

    loaded = load_given(program)
    return aim(program, loaded, inputs, objective, constraint, maximise, seed, freeze)


def _earlier(start: Adapted | str | Path | None) -> Earlier | None:
    """What an earlier result found: the result itself, or its folder."""
    from anc.adaptation.earlier import Earlier

    if start is None:
        return None
    if isinstance(start, str | Path):
        return Earlier.read(Path(start))
    return Earlier.of(_data_of(start))


def _earlier_program(start: Improved | str | Path | None, aimed: Aimed) -> Program | None:
    from anc.objectives.earlier import earlier_program, read_earlier

    if start is None:
        return None
    if isinstance(start, str | Path):
        return read_earlier(Path(start), aimed)
    return earlier_program(_data_of(start), aimed)


def _data_of(start: Any) -> dict[str, Any]:
    if not hasattr(start, "to_dict"):
        kind = type(start).__name__
        raise AncError(f"'start' is an earlier result or its folder, not something of type {kind}")
    return start.to_dict()


def _refuse_as_meaningless(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value:
            raise AncError(
                f"'{name}' does not go with 'objective'",
                help="an objective has no right answers, and its one search is by score; its work is"
                " a number of 'proposals'",
            )


def _refuse_with_objective(**answers: Any) -> None:
    for name, value in answers.items():
        if value is not None:
            raise AncError(
                f"'{name}' and 'objective' exclude each other: an objective has no right answers",
                help="give tapes without answers as 'inputs'",
            )


def _refuse_without_objective(
    inputs: Any, constraint: Any, maximise: bool, proposals: int | None = None
) -> None:
    given = {"constraint": constraint, "maximise": maximise or None, "proposals": proposals}
    for name, value in (given | {"inputs": inputs}).items():
        if value is not None:
            raise AncError(
                f"'{name}' needs an 'objective'", help="cases with answers are 'samples'"
            )
